//! Values of given states. Where facts alone tell them nothing of the game's step is run, or compiled; where legal moves are asked for,
//! that part of it which looks at states runs before, if it is compiled.

use super::{LaneValue, LaneValuer};
use crate::ground::Interrupted;
use crate::machine::lanes::engine::block_slots;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::step::Step;
use crate::machine::lanes::transpose::lanes_into;
use crate::machine::lanes::word::{LANES, Word};

/// A function of given states that are no ends, many at a time.
pub struct StateValuer<'p> {
    program: &'p Program,
    valuer: LaneValuer,
    /// What looks at the states before, where legal moves are asked for.
    look: Option<&'p Step>,
    slots: Vec<Word>,
    room: usize,
    values: [Vec<f64>; 1],
}

impl<'p> StateValuer<'p> {
    /// A function compiled for the states of a program; none where it asks for legal moves and nothing that tells them is compiled yet,
    /// as that takes seconds in large games.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn new(program: &'p Program, function: LaneValue) -> Result<Option<StateValuer<'p>>, Interrupted> {
        let look = match function.reads_moves() {
            true if !program.takes_moves() => return Ok(None),
            true => Some(program.given()?),
            false => None,
        };
        let room = function.room();
        let valuer = LaneValuer::new(program, vec![function])?;
        let end = look.map_or(program.layout.end, |step| step.slots);
        let slots = block_slots(valuer.slots().max(end));
        Ok(Some(StateValuer { program, valuer, look, slots, room, values: [Vec::new()] }))
    }

    /// As many states as are to be valued at once: fewer than there are lanes where the function is dear.
    pub fn room(&self) -> usize {
        self.room
    }

    /// The values of states, in their order.
    ///
    /// # Panics
    /// There are more of them than lanes, or one has too few bits.
    pub fn values(&mut self, states: &[&[u64]]) -> &[f64] {
        assert!(states.len() <= LANES, "{} states asked for", states.len());
        let layout = &self.program.layout;
        let first = layout.bit(0) as usize;
        lanes_into(states.iter().copied().enumerate(), &mut self.slots[first..first + layout.bits]);
        if let Some(step) = self.look {
            step.observe.run(&mut self.slots);
        }
        let wanted = (states.len(), Word::ONES);
        self.valuer.values_in(self.program, &mut self.slots, wanted, Word::ZERO, &mut self.values);
        &self.values[0]
    }
}
