//! Expands states with the cursor or in lanes, whichever is faster for the number of children.
//!
//! Both give the same children, so the choice may depend on measured time: the time of a cursor step and of a pass of 512
//! lanes. The lanes are compiled when the steps so far have taken as long as compiling is expected to take, if the deadline
//! allows it.

use std::time::{Duration, Instant};

use super::NetworkMachine;
use crate::machine::Expander;
use crate::machine::children::{ChildFields, Children, JointMoves};
use crate::machine::lanes::children::LaneExpander;
use crate::machine::lanes::word::LANES;
use crate::machine::scalar_expander::ScalarExpander;
use crate::machine::{ExpansionLimits, Machine, MachineError, MoveId, State};

/// Factor by which compiling the lanes may exceed its estimate, in the largest games.
const COMPILE_SPARE: f64 = 1.5;

/// Number of passes measured before passes are compared with steps.
const TRIAL_PASSES: u32 = 3;

/// Weight of a new measurement in the moving average.
const WEIGHT: f64 = 0.125;

/// An expander for a network.
pub(super) struct NetworkExpander<'a> {
    machine: &'a NetworkMachine,
    steps: ScalarExpander<'a>,
    lanes: Option<LaneExpander<'a>>,
    /// Total time of steps.
    stepped: Duration,
    /// Seconds per step and per pass.
    step: f64,
    pass: f64,
    passes: u32,
    /// Number of children of the last expanded state.
    last: usize,
    joints: Vec<MoveId>,
}

impl<'a> NetworkExpander<'a> {
    pub(super) fn new(machine: &'a NetworkMachine) -> NetworkExpander<'a> {
        NetworkExpander {
            machine,
            steps: ScalarExpander::new(machine.cursor(), machine.grounded().network.moves.len()),
            lanes: None,
            stepped: Duration::ZERO,
            step: 0.0,
            pass: f64::INFINITY,
            passes: 0,
            last: 0,
            joints: Vec::new(),
        }
    }

    /// The lanes, if they are expected to be faster for this number of children and are compiled in time.
    fn lanes_for(&mut self, children: usize, limits: ExpansionLimits<'_>) -> Option<&mut LaneExpander<'a>> {
        if self.lanes.is_none() {
            let compiling = self.machine.compiling();
            let worth_it = self.machine.has_lanes() || self.stepped >= compiling;
            // A deadline can't interrupt compiling.
            let late = |deadline| Instant::now() + compiling.mul_f64(COMPILE_SPARE) > deadline;
            let compiled = self.machine.lanes_for_moves().is_some();
            if children <= 1 || !worth_it || !compiled && limits.deadline.is_some_and(late) {
                return None;
            }
            // A caller that interrupts compiling does not need children in lanes.
            self.lanes = LaneExpander::new(self.machine.lane_program()).ok();
        }
        let passes = children.div_ceil(LANES) as f64;
        // A single child is not worth a trial pass, but uses a pass if passes are known to be faster.
        let faster = match self.passes < TRIAL_PASSES {
            true => children > 1,
            false => self.pass * passes < self.step * children as f64,
        };
        self.lanes.as_mut().filter(|_| faster && children > 0)
    }

    fn note_steps(&mut self, begin: Instant, children: usize) {
        let time = begin.elapsed();
        self.stepped += time;
        self.last = children;
        let each = time.as_secs_f64() / children.max(1) as f64;
        self.step = if self.step == 0.0 { each } else { self.step + (each - self.step) * WEIGHT };
    }

    fn note_passes(&mut self, begin: Instant, children: usize) {
        self.last = children;
        if children > 0 {
            let each = begin.elapsed().as_secs_f64() / children.div_ceil(LANES) as f64;
            // The first passes run with cold caches.
            let warm = self.passes >= TRIAL_PASSES;
            self.pass = if warm { self.pass + (each - self.pass) * WEIGHT } else { self.pass.min(each) };
            self.passes = self.passes.saturating_add(1);
        }
    }
}

impl Expander for NetworkExpander<'_> {
    fn expand_within(
        &mut self,
        limits: ExpansionLimits<'_>,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        let roles = self.machine.grounded().network.moves.len().max(1);
        let expected = if let JointMoves::Given(joints) = joints { joints.len() / roles } else { self.last };
        let started = Instant::now();
        if let Some(lanes) = self.lanes_for(expected, limits) {
            lanes.expand_within(limits, state, joints, fields, children)?;
            self.note_passes(started, children.len());
            return Ok(());
        }
        self.joints.clear();
        self.joints.extend_from_slice(self.steps.list(state, joints)?);
        let listed = std::mem::take(&mut self.joints);
        let done = match self.lanes_for(listed.len() / roles, limits) {
            Some(lanes) => {
                let started = Instant::now();
                let done = lanes.expand_within(limits, state, JointMoves::Given(&listed), fields, children);
                self.note_passes(started, children.len());
                done
            }
            None => {
                let done =
                    self.steps.expand_within(limits, state, JointMoves::Given(&listed), fields, children);
                self.note_steps(started, children.len());
                done
            }
        };
        self.joints = listed;
        done
    }

    fn evaluate(
        &mut self,
        states: &[&State],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        let started = Instant::now();
        if let Some(lanes) = self.lanes_for(states.len(), ExpansionLimits::UNLIMITED) {
            lanes.evaluate(states, fields, children)?;
            self.note_passes(started, states.len());
        } else {
            self.steps.evaluate(states, fields, children)?;
            self.note_steps(started, states.len());
        }
        Ok(())
    }

    fn advance(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        let started = Instant::now();
        if let Some(lanes) = self.lanes_for(states.len(), ExpansionLimits::UNLIMITED) {
            lanes.advance(states, joints, fields, children)?;
            self.note_passes(started, states.len());
        } else {
            self.steps.advance(states, joints, fields, children)?;
            self.note_steps(started, states.len());
        }
        Ok(())
    }
}
