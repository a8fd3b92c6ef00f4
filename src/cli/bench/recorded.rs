//! Records random playouts, so that replays of the same moves can be timed.

use cpu_time::ProcessTime;

use crate::feature::{Facts, Measure, ValuedState};
use crate::machine::{ChildFields, Children, JointMoves, Machine, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::super::interrupt;

/// Approximate number of recorded states.
const STATES: usize = 2_000;
/// Maximum number of steps in a playout.
const STEPS: usize = 200;
/// The approximate number of children in a measurement.
const CHILDREN: usize = 20_000;
const SEED: u64 = 1;

/// Recorded playouts, and the states that they visited.
pub(super) struct RecordedWalk {
    /// The joint moves of each playout, one move per role.
    playouts: Vec<Vec<MoveId>>,
    roles: usize,
    pub(super) states: Vec<State>,
}

impl RecordedWalk {
    pub(super) fn play(machine: &dyn Machine) -> Result<RecordedWalk, MachineError> {
        let roles = machine.description().roles.len();
        let mut recorded = RecordedWalk { playouts: Vec::new(), roles, states: Vec::new() };
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
                recorded.states.push(cursor.state().clone());
            }
            recorded.playouts.push(joints);
            if recorded.states.len() >= STATES || interrupt::asked() {
                break;
            }
        }
        Ok(recorded)
    }

    /// The number of replays of all playouts that take about `seconds` of processor time, 1 to 10,000.
    pub(super) fn repeats(&self, machine: &dyn Machine, seconds: f64) -> Result<u32, MachineError> {
        self.walk(machine, 1, None)?;
        let once = self.walk(machine, 1, None)?;
        Ok(((seconds / once.max(1e-9)) as u32).clamp(1, 10_000))
    }

    /// Replays the recorded moves, and evaluates every state except the initial one with `measure`. Returns the seconds of
    /// processor time per replay.
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

    /// The number of children, with states and goals, that the machine's expander makes per second of processor time.
    pub(super) fn children_per_second(&self, machine: &dyn Machine) -> Result<f64, MachineError> {
        let mut expander = machine.expander();
        let mut children = Children::default();
        let fields = ChildFields::SUCCESSORS;
        let mut best = 0.0_f64;
        for round in 0..4 {
            let (mut count, started) = (0, ProcessTime::now());
            for state in self.states.iter().step_by(3) {
                expander.expand(state, JointMoves::All, fields, &mut children)?;
                count += children.len();
                if count >= CHILDREN {
                    break;
                }
            }
            // The first round does not count, as it compiles the lanes program.
            if round > 0 {
                best = best.max(count as f64 / started.elapsed().as_secs_f64());
            }
        }
        Ok(best)
    }

    /// The children of every third state, up to `limit`.
    pub(super) fn children(&self, machine: &dyn Machine, limit: usize) -> Result<Vec<State>, MachineError> {
        let mut expander = machine.expander();
        let (mut children, mut states) = (Children::default(), Vec::new());
        for state in self.states.iter().step_by(3) {
            expander.expand(state, JointMoves::All, ChildFields::SUCCESSORS, &mut children)?;
            states.extend((0..children.len()).map(|child| State(children.state(child).into())));
            if states.len() >= limit || interrupt::asked() {
                break;
            }
        }
        states.truncate(limit);
        Ok(states)
    }

    /// The number of children that the machine's cursor makes per second of processor time. The cursor is set to the
    /// parent before each child.
    pub(super) fn single_children_per_second(&self, machine: &dyn Machine) -> Result<f64, MachineError> {
        let mut cursor = machine.cursor();
        let mut best = 0.0_f64;
        for _ in 0..3 {
            let (mut count, started) = (0, ProcessTime::now());
            for state in self.states.iter().step_by(3) {
                cursor.set(state)?;
                if cursor.terminal() {
                    continue;
                }
                let legal: Vec<Vec<MoveId>> =
                    (0..self.roles).map(|role| cursor.legal(role).to_vec()).collect();
                // A state can have more joint moves than a number counts.
                let joints = legal.iter().fold(1_usize, |product, moves| product.saturating_mul(moves.len()));
                for number in 0..joints.min(CHILDREN - count) {
                    let mut left: usize = number;
                    let joint: Vec<MoveId> = legal
                        .iter()
                        .map(|moves| {
                            let index = left % moves.len();
                            left /= moves.len();
                            moves[index]
                        })
                        .collect();
                    cursor.set(state)?;
                    cursor.advance(&joint)?;
                    std::hint::black_box(cursor.terminal());
                    count += 1;
                }
                if count >= CHILDREN {
                    break;
                }
            }
            best = best.max(count as f64 / started.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}
