//! Grundy numbers of sums of impartial parts in normal play, such as the heaps of Nim.
//!
//! # How
//! The Grundy number of a state of a part is the least number that no option has (mex). The role to move wins the sum exactly
//! if the exclusive or of the Grundy numbers of the parts, the nim-sum, is not 0: then a move makes it 0. `impartial` proves
//! that the game is such a sum.
//!
//! # Guarantee
//! Exact.
//!
//! # Cost
//! The number of states and moves is the sum over the parts, not the product.
//!
//! # Source
//! Bouton 1901; Sprague 1935; Grundy 1939.

use std::rc::Rc;

use crate::machine::{Machine, MoveId, State};
use crate::search::limits::{Halt, Limits, Meter};

use super::budget::{Budget, Failure};
use super::impartial::{PartStates, ProvedSum, packed, prove};

/// The Grundy numbers of the parts of a state and their nim-sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NimSum {
    /// The Grundy number of each part.
    pub grundy_numbers: Vec<u32>,
    /// Their exclusive or: the role to move wins if it is not 0.
    pub nim_sum: u32,
    /// The role that wins.
    pub winner: usize,
}

/// A game that is a sum of impartial parts in normal play.
pub(crate) struct ImpartialSum {
    sum: ProvedSum,
    /// For each part the numbers of its states.
    numbers: Vec<Rc<Numbers>>,
}

/// The Grundy number of each state of a part, and the number of moves of its longest play.
struct Numbers {
    grundy: Vec<u32>,
    longest: Vec<u32>,
}

impl ImpartialSum {
    /// Proves that a game is a sum of at least two parts, from a state; none if that is not proved. `memory` is in bytes.
    ///
    /// # Errors
    /// A state can't be evaluated, or a limit is reached.
    pub(in crate::search) fn find(
        machine: &dyn Machine,
        state: &State,
        memory: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Option<ImpartialSum>, Halt> {
        let mut budget = Budget::new(meter);
        let found = prove(machine, state, memory, &mut budget)
            .and_then(|sum| ImpartialSum::with_numbers(sum, &mut budget));
        match found {
            Ok(sum) => Ok(Some(sum)),
            Err(Failure::NotProved) => Ok(None),
            Err(Failure::Halt(halt)) => Err(halt),
        }
    }

    /// [`ImpartialSum::find`] from the initial state, within limits; none if a limit is reached, too.
    pub(crate) fn of_game(machine: &dyn Machine, memory: usize, limits: &Limits<'_>) -> Option<ImpartialSum> {
        ImpartialSum::find(machine, machine.initial(), memory, &mut Meter::new(*limits)).ok().flatten()
    }

    fn with_numbers(sum: ProvedSum, budget: &mut Budget<'_, '_>) -> Result<ImpartialSum, Failure> {
        let mut numbers: Vec<Rc<Numbers>> = Vec::new();
        for (at, part) in sum.parts.iter().enumerate() {
            let again = at > 0 && Rc::ptr_eq(&part.states, &sum.parts[at - 1].states);
            let of = match numbers.last().filter(|_| again) {
                Some(of) => of.clone(),
                None => Rc::new(Numbers::of(&part.states, budget)?),
            };
            numbers.push(of);
        }
        Ok(ImpartialSum { sum, numbers })
    }

    /// The bits of each part.
    pub(crate) fn parts(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.sum.parts.iter().map(|part| &part.bits[..])
    }

    /// The state of each part, and the role to move; none if the proof does not concern the state.
    fn position(&self, state: &State) -> Option<(Vec<u32>, usize)> {
        let bit = |&bit: &u32| state.0[bit as usize / 64] >> (bit % 64) & 1 == 1;
        let turn: Vec<bool> = self.sum.turn.iter().map(bit).collect();
        let (_, mover) = self.sum.turns.iter().find(|(bits, _)| *bits == turn)?;
        let ids = self.sum.parts.iter().map(|part| part.states.id(&packed(&part.bits, state)));
        Some((ids.collect::<Option<_>>()?, *mover))
    }

    /// The numbers of a state that is not terminal; none if the proof does not concern it.
    pub(crate) fn nim_sum(&self, state: &State) -> Option<NimSum> {
        let (ids, mover) = self.position(state)?;
        let grundy_numbers: Vec<u32> =
            ids.iter().zip(&self.numbers).map(|(&id, numbers)| numbers.grundy[id as usize]).collect();
        let nim_sum = grundy_numbers.iter().fold(0, |sum, number| sum ^ number);
        Some(NimSum { grundy_numbers, nim_sum, winner: if nim_sum == 0 { 1 - mover } else { mover } })
    }

    /// The goal value of each role if a role wins.
    pub(in crate::search) fn goals(&self, winner: usize) -> [i32; 2] {
        let value = |role: usize| {
            let (won, lost) = self.sum.goals[role];
            if role == winner { won } else { lost }
        };
        [value(0), value(1)]
    }

    /// The joint move of best play in a state that is not terminal. Among equally good moves, one after which the longest play
    /// is short.
    pub(in crate::search) fn best(&self, state: &State) -> Option<[MoveId; 2]> {
        let (ids, mover) = self.position(state)?;
        let sum = self.nim_sum(state)?.nim_sum;
        let mut best: Option<(u32, MoveId)> = None;
        for ((part, numbers), &id) in self.sum.parts.iter().zip(&self.numbers).zip(&ids) {
            let wanted = numbers.grundy[id as usize] ^ sum;
            for (option, number) in part.states.options(id, mover) {
                let saved = numbers.longest[id as usize] - numbers.longest[option as usize];
                if (sum == 0 || numbers.grundy[option as usize] == wanted)
                    && best.is_none_or(|(most, _)| saved > most)
                {
                    best = Some((saved, part.moves[mover][number as usize]));
                }
            }
        }
        let mut joint = self.sum.noops;
        joint[mover] = best?.1;
        Some(joint)
    }

    /// Best play from a state to the end; none if the machine refutes it.
    pub(in crate::search) fn line(
        &self,
        machine: &dyn Machine,
        state: &State,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Vec<Vec<MoveId>>>, Halt> {
        let mut cursor = machine.cursor();
        cursor.set(state)?;
        let mut moves = Vec::new();
        while !cursor.terminal() {
            meter.made(1);
            meter.count(0)?;
            let Some(joint) = self.best(cursor.state()) else { return Ok(None) };
            if !(0..2).all(|role| cursor.legal(role).contains(&joint[role])) {
                return Ok(None);
            }
            cursor.advance(&joint)?;
            moves.push(joint.to_vec());
        }
        Ok(Some(moves))
    }
}

impl Numbers {
    /// # Errors
    /// Play can repeat a state.
    fn of(states: &PartStates, budget: &mut Budget<'_, '_>) -> Result<Numbers, Failure> {
        const OPEN: u32 = u32::MAX;
        let mut numbers = Numbers { grundy: vec![OPEN; states.len()], longest: vec![0; states.len()] };
        let mut entered = vec![false; states.len()];
        // For each number the state among whose options it was found last.
        let mut found_by: Vec<u32> = Vec::new();
        let mut stack = vec![0];
        while let Some(&id) = stack.last() {
            let at = id as usize;
            let options = states.options(id, 0);
            budget.spend(1 + options.len())?;
            if numbers.grundy[at] != OPEN {
                stack.pop();
            } else if !std::mem::replace(&mut entered[at], true) {
                stack.extend(options.map(|of| of.0).filter(|&of| numbers.grundy[of as usize] == OPEN));
            } else {
                for (option, _) in options {
                    let number = numbers.grundy[option as usize];
                    // It is one of those from which play led here.
                    if number == OPEN {
                        return Err(Failure::NotProved);
                    }
                    numbers.longest[at] = numbers.longest[at].max(numbers.longest[option as usize] + 1);
                    if found_by.len() <= number as usize {
                        found_by.resize(number as usize + 1, OPEN);
                    }
                    found_by[number as usize] = id;
                }
                let mex = found_by.iter().position(|&by| by != id).unwrap_or(found_by.len());
                numbers.grundy[at] = mex as u32;
                stack.pop();
            }
        }
        Ok(numbers)
    }
}
