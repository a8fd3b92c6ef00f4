//! Values of given states. If the function depends only on facts, no code of the game's step is run or compiled. If it
//! reads legal moves, the part of the step that evaluates states runs first, provided that it is compiled.

use super::{LaneValue, LaneValuer};
use crate::ground::Interrupted;
use crate::machine::lanes::engine::block_slots;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::step::Step;
use crate::machine::lanes::transpose::lanes_into;
use crate::machine::lanes::word::{LANES, Word};

/// A function of given nonterminal states, many at a time.
pub struct StateValuer<'p> {
    program: &'p Program,
    valuer: LaneValuer,
    /// The code that evaluates the states first, if the function reads legal moves.
    observation: Option<&'p Step>,
    slots: Vec<Word>,
    room: usize,
    values: [Vec<f64>; 1],
}

impl<'p> StateValuer<'p> {
    /// Compiles a function for the states of a program. None if it reads legal moves and no code for them is compiled yet,
    /// because compiling takes seconds in large games.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    pub fn new(program: &'p Program, function: LaneValue) -> Result<Option<StateValuer<'p>>, Interrupted> {
        let observation = match function.reads_moves() {
            true if !program.takes_moves() => return Ok(None),
            true => Some(program.given()?),
            false => None,
        };
        let room = function.room();
        let valuer = LaneValuer::new(program, vec![function])?;
        let end = observation.map_or(program.layout.end, |step| step.slots);
        let slots = block_slots(valuer.slots().max(end));
        Ok(Some(StateValuer { program, valuer, observation, slots, room, values: [Vec::new()] }))
    }

    /// Number of states to evaluate in one call. It is smaller than the number of lanes if the function is expensive.
    pub fn room(&self) -> usize {
        self.room
    }

    /// The values of states, in their order.
    ///
    /// # Panics
    /// There are more states than lanes, or a state has too few bits.
    pub fn values(&mut self, states: &[&[u64]]) -> &[f64] {
        assert!(states.len() <= LANES, "{} states asked for", states.len());
        let layout = &self.program.layout;
        let first = layout.bit(0) as usize;
        lanes_into(states.iter().copied().enumerate(), &mut self.slots[first..first + layout.bits]);
        if let Some(step) = self.observation {
            step.observe.run(&mut self.slots);
        }
        let wanted = (states.len(), Word::ONES);
        self.valuer.values_in(self.program, &mut self.slots, wanted, Word::ZERO, &mut self.values);
        &self.values[0]
    }
}
