//! Random play that is recorded, so that what plays it again can be timed.

use cpu_time::ProcessTime;

use crate::feature::{Facts, Measure, ValuedState};
use crate::machine::{ChildFields, Children, JointMoves, Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::super::interrupt;

/// States that are recorded, about.
const STATES: usize = 2_000;
/// Steps of a playout at most.
const STEPS: usize = 200;
/// The successors whose cost is measured.
const CHILDREN: usize = 20_000;
const SEED: u64 = 1;

/// Recorded play: the joint moves of each playout.
pub(super) struct RecordedWalk {
    playouts: Vec<Vec<MoveId>>,
    roles: usize,
    pub(super) states: Vec<State>,
}

impl RecordedWalk {
    pub(super) fn play(machine: &dyn Machine) -> Result<RecordedWalk, MachineError> {
        let roles = machine.description().roles.len();
        let mut play = RecordedWalk { playouts: Vec::new(), roles, states: Vec::new() };
        let mut cursor = machine.cursor();
        for playout in 0..STATES as u64 {
            let mut choices = Choices::new(SEED, playout);
            let mut joints = Vec::new();
            cursor.set(machine.initial())?;
            for _ in 0..STEPS {
                if cursor.terminal() || (0..roles).any(|role| cursor.legal(role).is_empty()) {
                    break;
                }
                for role in 0..roles {
                    let legal = cursor.legal(role);
                    joints.push(legal[choices.below(legal.len())]);
                }
                cursor.advance(&joints[joints.len() - roles..])?;
                play.states.push(cursor.state().clone());
            }
            play.playouts.push(joints);
            if play.states.len() >= STATES || interrupt::asked() {
                break;
            }
        }
        Ok(play)
    }

    /// Walks that take about the given number of seconds.
    pub(super) fn repeats(&self, machine: &dyn Machine, seconds: f64) -> Result<u32, MachineError> {
        self.walk(machine, 1, None)?;
        let once = self.walk(machine, 1, None)?;
        Ok(((seconds / once.max(1e-9)) as u32).clamp(1, 10_000))
    }

    /// Plays what was recorded, and has every state but the initial one valued; gives the seconds of processor time of
    /// one walk.
    pub(super) fn walk(
        &self,
        machine: &dyn Machine,
        repeats: u32,
        measure: Option<&mut (dyn Measure<'_> + '_)>,
    ) -> Result<f64, MachineError> {
        let mut cursor = machine.cursor();
        let mut facts = Facts::new(machine);
        let mut measure = measure;
        let started = ProcessTime::now();
        for _ in 0..repeats {
            for joints in &self.playouts {
                cursor.set(machine.initial())?;
                for joint in joints.chunks_exact(self.roles.max(1)) {
                    cursor.advance(joint)?;
                    std::hint::black_box(cursor.terminal());
                    if let Some(measure) = &mut measure {
                        facts.fill(machine, cursor.state());
                        let position = ValuedState { facts: &facts, view: &*cursor };
                        std::hint::black_box(measure.value(&position));
                    }
                }
            }
        }
        Ok(started.elapsed().as_secs_f64() / f64::from(repeats))
    }

    /// Children that the machine's expander makes in a second of processor time, with their states and goals.
    pub(super) fn children_per_second(&self, machine: &dyn Machine) -> Result<f64, MachineError> {
        let mut expander = machine.expander();
        let mut children = Children::default();
        let wanted = ChildFields::SUCCESSORS;
        let mut best = 0.0_f64;
        for round in 0..4 {
            let (mut made, started) = (0, ProcessTime::now());
            for state in self.states.iter().step_by(3) {
                expander.expand(state, JointMoves::All, wanted, &mut children)?;
                made += children.len();
                if made >= CHILDREN {
                    break;
                }
            }
            // In the first round lanes are compiled.
            if round > 0 {
                best = best.max(made as f64 / started.elapsed().as_secs_f64());
            }
        }
        Ok(best)
    }

    /// The first successors of every third state, up to a limit.
    pub(super) fn children(&self, machine: &dyn Machine, most: usize) -> Result<Vec<State>, MachineError> {
        let mut expander = machine.expander();
        let (mut children, mut found) = (Children::default(), Vec::new());
        for state in self.states.iter().step_by(3) {
            expander.expand(state, JointMoves::All, ChildFields::SUCCESSORS, &mut children)?;
            found.extend((0..children.len()).map(|child| State(children.state(child).into())));
            if found.len() >= most || interrupt::asked() {
                break;
            }
        }
        found.truncate(most);
        Ok(found)
    }

    /// Children that the machine's cursor makes in a second of processor time, one by one, each from its state.
    pub(super) fn single_children_per_second(&self, machine: &dyn Machine) -> Result<f64, MachineError> {
        let mut cursor = machine.cursor();
        let mut best = 0.0_f64;
        for _ in 0..3 {
            let (mut made, started) = (0, ProcessTime::now());
            for state in self.states.iter().step_by(3) {
                cursor.set(state)?;
                if cursor.terminal() {
                    continue;
                }
                let legal: Vec<Vec<MoveId>> =
                    (0..self.roles).map(|role| cursor.legal(role).to_vec()).collect();
                for number in 0..legal.iter().map(Vec::len).product() {
                    let mut left: usize = number;
                    let joint: Vec<MoveId> = legal
                        .iter()
                        .map(|of_role| {
                            let place = left % of_role.len();
                            left /= of_role.len();
                            of_role[place]
                        })
                        .collect();
                    cursor.set(state)?;
                    cursor.advance(&joint)?;
                    std::hint::black_box(cursor.terminal());
                    made += 1;
                }
                if made >= CHILDREN {
                    break;
                }
            }
            best = best.max(made as f64 / started.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}
