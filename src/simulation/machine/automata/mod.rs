//! Finite automata in a network: sets of state bits of which at most one holds, where one role's move determines the next
//! one.
//!
//! Rules that name every arrangement of something (such as the orders of a pile) have a gate for each pair of an arrangement
//! and a move. A step, however, needs only one table entry. A set of bits is an automaton if at most one of them holds
//! initially and at most one can hold next. The next values may depend only on these bits and on one role's move. The
//! network's gates prove this; by induction it holds in all reachable states.
//!
//! `components` finds bits whose next values depend on each other. `functions` computes gates as functions of these bits and
//! a move (with sets of moves from `move_sets`), and `transitions` has the table. `lanes/lane_automata.rs` plays automata in
//! lanes, `network/automata.rs` one state at a time. `tests/play/automata.rs` compares both with the gates.

mod components;
mod functions;
mod move_sets;
mod transitions;

use super::lanes::phases::Evaluation;
use crate::ground::{Interrupt, Interrupted, Network};
use components::{Dependence, candidates};
use functions::GateFunctions;
pub(super) use transitions::{NO_CLASS, Transitions};

/// Maximum number of node values and table entries to process. Automata that are not found within it remain gates.
const WORK: usize = 20_000_000;

/// State bits of which at most one holds, and their transitions.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    /// The bits, ascending.
    pub(super) bits: Vec<u32>,
    /// The index among `bits` of the one that holds initially; the number of bits if none does.
    pub(super) initial: u32,
    /// The transitions in each phase.
    pub(super) transitions: Vec<Transitions>,
}

/// The automata whose next values have at least `least` two-input gates. `phases` has the known values of state bits in each
/// phase.
///
/// # Errors
/// The search was interrupted.
pub(super) fn automata(
    network: &Network,
    phases: &[Vec<Option<bool>>],
    least: usize,
    interrupt: &Interrupt,
) -> Result<Vec<Automaton>, Interrupted> {
    if network.two_input_gates() < least {
        return Ok(Vec::new());
    }
    let values: Vec<Evaluation<'_>> = phases.iter().map(|known| Evaluation::of(network, known)).collect();
    interrupt.check()?;
    let reads: Vec<Vec<Dependence>> =
        values.iter().map(|values| components::reads(network, values)).collect();
    interrupt.check()?;
    let mut list = candidates(network, &reads, least);
    let mut work = WORK;
    for (values, reads) in values.iter().zip(&reads) {
        if list.is_empty() {
            break;
        }
        let mut functions = GateFunctions::new(network, values, reads, &list, work);
        functions.evaluate(interrupt)?;
        list.retain_mut(|automaton| {
            let transitions = functions.transitions(automaton);
            transitions.map(|transitions| automaton.transitions.push(transitions)).is_some()
        });
        work = functions.work();
    }
    Ok(list)
}
