//! Finite automata in a network: sets of state bits of which at most one holds, where a role's move tells which one holds next.
//!
//! Rules that name every arrangement of something (the orders of a pile, say) make a gate for each pair of an arrangement and a move,
//! where a step needs one entry of a table. A set of bits is an automaton if at most one of them holds initially, and what holds
//! next of them depends on them and on one role's move alone, so that at most one follows from each. This is proved from the
//! network's gates; by induction it holds in all states that can be reached.
//!
//! `components` finds bits whose next values depend on each other, `functions` computes what gates make of them
//! and of a move (with sets of moves from `move_sets`), and `transitions` holds the table. `lanes/walk.rs`
//! plays automata in lanes, `network/walk.rs` one state at a time. `tests/play/automata.rs` compares both with
//! the gates.

mod components;
mod functions;
mod move_sets;
mod transitions;

use super::lanes::phases::Evaluation;
use crate::ground::{Interrupt, Interrupted, Network};
use components::{Reads, candidates};
use functions::Functions;
pub(super) use transitions::{NO_CLASS, Transitions};

/// Values of nodes and entries of tables looked at at most; what isn't found by then stays gates.
const WORK: usize = 20_000_000;

/// State bits of which at most one holds, and which one is next.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    /// The bits, ascending.
    pub(super) bits: Vec<u32>,
    /// The place among them of the one that holds initially; their number where none does.
    pub(super) initial: u32,
    /// For each phase what is next.
    pub(super) transitions: Vec<Transitions>,
}

/// The automata whose bits' next values take `least` two-input gates or more, where so much is known of the state in each phase.
///
/// # Errors
/// It was interrupted.
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
    let reads: Vec<Vec<Reads>> = values.iter().map(|values| components::reads(network, values)).collect();
    interrupt.check()?;
    let mut found = candidates(network, &reads, least);
    let mut work = WORK;
    for (values, reads) in values.iter().zip(&reads) {
        if found.is_empty() {
            break;
        }
        let mut functions = Functions::new(network, values, reads, &found, work);
        functions.evaluate(interrupt)?;
        found.retain_mut(|automaton| {
            let transitions = functions.transitions(automaton);
            transitions.map(|transitions| automaton.transitions.push(transitions)).is_some()
        });
        work = functions.work();
    }
    Ok(found)
}
