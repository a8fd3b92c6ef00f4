//! Solves a puzzle that consists of independent parts, each alone.
//!
//! # How
//! The states of each part are found from its own fluents, with every move that is legal for it if the other parts allow it.
//! Only the conditions of a part that `terminal` and `goal` read matter for the result, so its states fall into few classes.
//! The best combination of classes, one for each part, that ends the game bounds the value from above. A plan that reaches it
//! in the real game bounds the value from below: the plans of all parts at once, if a move acts in all of them, or one after
//! the other.
//!
//! # Guarantee
//! A result is returned only if both bounds agree.
//!
//! # Cost
//! The number of states is the sum over the parts, not the product.
//!
//! # Source
//! Cox, Schkufza, Madsen and Genesereth 2009; Günther, Schiffel and Thielscher 2009.

mod combine;
mod equivalence;
mod local;
mod plan;

use crate::ground::Lit;
use crate::ground::parts::{Parts, conditions};
use crate::machine::{Machine, MoveId, State};

use super::limits::{Halt, Meter};
use combine::{Bound, Outcomes};
pub(super) use equivalence::Equivalence;
use local::LocalStates;

/// The value of a puzzle, with a plan.
pub(super) struct PlanOfParts {
    pub(super) goal: i32,
    pub(super) moves: Vec<Vec<MoveId>>,
    /// Whether no plan is shorter.
    pub(super) shortest: bool,
}

/// Solves a puzzle by its parts; none if it has fewer than two, or if that does not prove its value.
pub(super) fn solve_parts(
    machine: &dyn Machine,
    state: &State,
    memory: usize,
    meter: &mut Meter<'_>,
) -> Result<Option<PlanOfParts>, Halt> {
    let Some(network) = machine.network() else { return Ok(None) };
    let Some(parts) = Parts::of(network) else { return Ok(None) };
    if parts.parts.iter().any(|part| part.after.is_some()) {
        return Ok(None);
    }
    // Fluents that no move changes have the same values at the same step of every game.
    let Some(steps) = Steps::new(machine, state, &parts.moved)? else { return Ok(None) };
    let owners = parts.owners(network);
    let roots: Vec<Lit> =
        [network.terminal].into_iter().chain(network.goals[0].iter().map(|&(_, goal)| goal)).collect();
    let read = conditions(network, &roots, &owners);
    let mut outcomes = Outcomes::new(network, &owners, read, &steps, parts.parts.len());
    let mut found: Vec<LocalStates<'_>> = Vec::new();
    let memory = memory / parts.parts.len();
    for (number, part) in (0..).zip(&parts.parts) {
        let local = LocalStates::new(machine, network, &owners, (number, part), &parts.moved);
        let Some(mut local) = local else { return Ok(None) };
        local.begin(state, steps.clock, &mut outcomes, memory, meter)?;
        found.push(local);
    }
    for (number, goal) in outcomes.goals().enumerate() {
        let mut open = false;
        for step in 0..steps.words.len() {
            if number == 0 && step > 0 {
                for part in &mut found {
                    part.step(state, &mut outcomes, memory, meter)?;
                }
            }
            match outcomes.plan((machine, state), &found, goal, (step, steps.clock), meter)? {
                Bound::Impossible => {}
                Bound::Open => open = true,
                Bound::Reached { moves, at_once } => {
                    return Ok(Some(PlanOfParts { goal: goal.0, moves, shortest: at_once && !open }));
                }
            }
        }
        if open {
            return Ok(None);
        }
    }
    Ok(None)
}

/// The values of the fluents that no move changes, at each step from the first state on.
struct Steps {
    /// For each step the words of the state, with the bits that moves change cleared.
    words: Vec<Box<[u64]>>,
    /// The bits that no move changes.
    mask: Box<[u64]>,
    /// Whether there is a clock: then the game is over after the last of the steps. Otherwise there is one step, and the
    /// fluents never change.
    clock: bool,
}

impl Steps {
    /// None if there is no clock, but the fluents change.
    fn new(machine: &dyn Machine, state: &State, moved: &[bool]) -> Result<Option<Steps>, Halt> {
        let mut mask = vec![0; state.0.len()].into_boxed_slice();
        for bit in (0..moved.len()).filter(|&bit| !moved[bit]) {
            mask[bit / 64] |= 1 << (bit % 64);
        }
        let of = |state: &State| state.0.iter().zip(&mask).map(|(word, mask)| word & mask).collect();
        let clock = machine.clock().and_then(|clock| clock.step(state).map(|step| clock.last_step() - step));
        let mut cursor = machine.cursor();
        cursor.set(state)?;
        let mut words: Vec<Box<[u64]>> = vec![of(state)];
        for _ in 0..clock.unwrap_or(1) {
            // Any move will do, even an illegal one: no move changes them.
            let Some(first) = machine.network().and_then(|network| network.moves[0].first()) else { break };
            cursor.advance(&[MoveId(first.action)])?;
            words.push(of(cursor.state()));
        }
        if clock.is_none() {
            if words.len() < 2 || words[0] != words[1] {
                return Ok(None);
            }
            words.truncate(1);
        }
        Ok(Some(Steps { words, mask, clock: clock.is_some() }))
    }

    /// Whether a bit is one that no move changes.
    fn has(&self, bit: usize) -> bool {
        self.mask[bit / 64] >> (bit % 64) & 1 == 1
    }
}
