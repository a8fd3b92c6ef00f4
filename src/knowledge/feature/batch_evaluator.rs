//! Evaluates many states: on a network with lanes, 512 states at a time.

use std::ops::ControlFlow;

use crate::machine::lanes::program::Program;
use crate::machine::lanes::states::LaneStates;
use crate::machine::lanes::word::LANES;
use crate::machine::{Machine, MachineError, MoveId, State, StateView};

use super::facts::Facts;
use super::measure::{StateEvaluator, ValuedState};

/// With fewer states than this, loading the lanes costs more than it saves.
const FEW: usize = 16;

/// Evaluates lists of states on one machine, in lanes if the machine has them.
pub struct BatchEvaluator<'m> {
    machine: &'m dyn Machine,
    state_evaluator: StateEvaluator<'m>,
    lanes: Option<LaneEvaluator<'m>>,
}

struct LaneEvaluator<'m> {
    program: &'m Program,
    states: LaneStates<'m>,
    facts: Facts,
    view: LaneView,
    /// For each role its legal moves: one row of bits per lane.
    legal: Vec<Vec<u64>>,
    goals: Vec<u64>,
}

impl<'m> BatchEvaluator<'m> {
    /// An evaluator that uses lanes if the machine has a program for them.
    pub fn new(machine: &'m dyn Machine) -> BatchEvaluator<'m> {
        // If `LaneStates::new` is interrupted, states are evaluated one by one until the caller stops as well.
        let states = machine.lanes().and_then(|program| Some((program, LaneStates::new(program).ok()?)));
        let lanes = states.map(|(program, states)| LaneEvaluator {
            program,
            states,
            facts: Facts::new(machine),
            view: LaneView::new(machine),
            legal: vec![Vec::new(); machine.description().roles.len()],
            goals: Vec::new(),
        });
        BatchEvaluator { machine, state_evaluator: StateEvaluator::new(machine), lanes }
    }

    /// Calls `visit` with each state, in order, until it returns `Break`.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn each<'s>(
        &mut self,
        states: impl Iterator<Item = &'s State>,
        mut visit: impl FnMut(&ValuedState<'_>) -> ControlFlow<()>,
    ) -> Result<(), MachineError> {
        let states: Vec<&State> = states.collect();
        match &mut self.lanes {
            Some(lanes) if states.len() >= FEW => {
                for states in states.chunks(LANES) {
                    if lanes.each(self.machine, states, &mut visit).is_break() {
                        break;
                    }
                }
            }
            _ => {
                for state in states {
                    if visit(&self.state_evaluator.at(state)?).is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Work done one state at a time so far, see [`Cursor::work`](crate::machine::Cursor::work).
    pub fn work(&self) -> u64 {
        self.state_evaluator.work()
    }
}

impl LaneEvaluator<'_> {
    fn each(
        &mut self,
        machine: &dyn Machine,
        states: &[&State],
        visit: &mut dyn FnMut(&ValuedState<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let words: Vec<&[u64]> = states.iter().map(|state| &*state.0).collect();
        self.states.load(&words);
        self.states.observe();
        for (role, rows) in self.legal.iter_mut().enumerate() {
            rows.clear();
            self.states.legal_rows(role, rows);
        }
        self.goals.clear();
        self.states.goal_rows(&mut self.goals);
        let network = self.program.network();
        let terminal = self.states.terminal();
        for (lane, &state) in states.iter().enumerate() {
            let view = &mut self.view;
            view.state.0.copy_from_slice(&state.0);
            view.terminal = terminal.lane(lane);
            for ((legal, rows), moves) in view.legal.iter_mut().zip(&self.legal).zip(&network.moves) {
                legal.clear();
                let numbers = set_bits(rows, lane, states.len(), moves.len());
                legal.extend(numbers.map(|number| MoveId(moves[number].action)));
            }
            let mut first = 0;
            let conditions = network.goals.iter().map(Vec::len).sum();
            let held: Vec<usize> = set_bits(&self.goals, lane, states.len(), conditions).collect();
            for (values, goals) in view.goals.iter_mut().zip(&network.goals) {
                values.clear();
                let mine = held.iter().filter(|number| (first..first + goals.len()).contains(*number));
                values.extend(mine.map(|number| goals[number - first].0));
                values.dedup();
                first += goals.len();
            }
            self.facts.fill(machine, state);
            visit(&ValuedState { facts: &self.facts, view: &*view })?;
        }
        ControlFlow::Continue(())
    }
}

/// The numbers of the set bits in the row of one lane.
fn set_bits(rows: &[u64], lane: usize, lanes: usize, bits: usize) -> impl Iterator<Item = usize> {
    let width = rows.len() / lanes.max(1);
    debug_assert_eq!(width, bits.div_ceil(64));
    rows[lane * width..(lane + 1) * width].iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(index * 64 + bit)
        })
    })
}

/// A copy of the observations of one lane, as a [`StateView`].
struct LaneView {
    state: State,
    terminal: bool,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Vec<i32>>,
}

impl LaneView {
    fn new(machine: &dyn Machine) -> LaneView {
        let roles = machine.description().roles.len();
        LaneView {
            state: machine.initial().clone(),
            terminal: false,
            legal: vec![Vec::new(); roles],
            goals: vec![Vec::new(); roles],
        }
    }
}

impl StateView for LaneView {
    fn state(&self) -> &State {
        &self.state
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }
}
