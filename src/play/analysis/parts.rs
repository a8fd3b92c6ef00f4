//! The parts of a game that do not influence each other, in words. `ground/parts.rs` finds them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::gdl::symbol::Symbol;
use crate::ground::Network;
use crate::ground::network::Fluent;
use crate::ground::parts::{Part, Parts};
use crate::machine::Machine;
use crate::search::{ImpartialSum, Limits};

/// The most parts that are named.
const NAMED: usize = 6;

/// Memory for the states of the parts of a sum, in bytes.
const SUM_MEMORY: usize = 128 << 20;

/// The limit of nodes of the proof that a game is a sum of impartial parts, and the number of operands of the network for each
/// further node. The proof takes a fraction of a second, or a time in proportion to that of making the network.
const SUM_NODES: u64 = 50_000;
const OPERANDS_PER_NODE: usize = 10;

/// The parts of a game. That the facts of a part depend on no other part follows from the instantiated rules. That each move
/// acts in one part, or consists of independent moves in several, was checked in states of random play. A sum in normal play is
/// proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartsSummary {
    /// The parts.
    pub parts: Vec<PartSummary>,
    /// Only for a sum of impartial parts in normal play: the exclusive or of the Grundy numbers of the parts in the initial state.
    /// The role to move wins if it is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nim_sum: Option<u32>,
    /// The parts as a sentence.
    pub sentence: String,
}

/// A part of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartSummary {
    /// The fluents that distinguish it, such as `cell1` or `(at c1 ?)`.
    pub fluents: Vec<String>,
    /// The number of facts that can hold in it and change.
    pub facts: u64,
    /// The part before it in a sequence, from 0; null if it depends on no other part.
    pub after: Option<u64>,
    /// Only for a sum of impartial parts in normal play: the Grundy number in the initial state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grundy_number: Option<u32>,
}

impl PartsSummary {
    /// The parts; none if the game has fewer than two.
    pub(super) fn new(machine: &dyn Machine, interrupt: Option<&AtomicBool>) -> Option<PartsSummary> {
        let network = machine.network()?;
        let interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let nodes = SUM_NODES + (network.operands.len() / OPERANDS_PER_NODE) as u64;
        let limits = Limits { interrupt, nodes: Some(nodes), ..Limits::default() };
        let sum = ImpartialSum::of_game(machine, SUM_MEMORY, &limits);
        let nim_sum = sum.as_ref().and_then(|sum| sum.nim_sum(machine.initial()));
        let found = match &sum {
            Some(sum) => {
                let part = |bits: &[u32]| Part { bits: bits.to_vec(), after: None };
                Parts { parts: sum.parts().map(part).collect(), moved: Vec::new() }
            }
            None => Parts::of(network, &interrupted)?,
        };
        let parts: Vec<PartSummary> = (0..found.parts.len())
            .map(|number| PartSummary {
                fluents: fluents(machine, network, &found, number),
                facts: found.parts[number].bits.len() as u64,
                after: found.parts[number].after.map(|after| after as u64),
                grundy_number: nim_sum.as_ref().map(|of| of.grundy_numbers[number]),
            })
            .collect();
        let mut names: Vec<String> = parts.iter().take(NAMED).map(|part| part.fluents.join(", ")).collect();
        let more = parts.len() - names.len();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let names = names.join("; ");
        let sentence = match &nim_sum {
            Some(of) => {
                format!("{}. The parts are {names}", nim_sum_sentence(&of.grundy_numbers, of.nim_sum))
            }
            None if parts.iter().all(|part| part.after.is_none()) => {
                format!("{} parts that do not influence each other: {names}", parts.len())
            }
            None => format!("{} parts, and none depends on a later one: {names}", parts.len()),
        };
        Some(PartsSummary { parts, nim_sum: nim_sum.map(|of| of.nim_sum), sentence })
    }
}

/// The Grundy numbers of the parts of a sum, and who wins.
pub fn nim_sum_sentence(grundy_numbers: &[u32], nim_sum: u32) -> String {
    let mut shown: Vec<String> = grundy_numbers.iter().take(NAMED).map(u32::to_string).collect();
    if grundy_numbers.len() > NAMED {
        shown.push("...".to_owned());
    }
    let winner = if nim_sum == 0 { "second" } else { "first" };
    format!(
        "{} parts in normal play with Grundy numbers {}; nim-sum {nim_sum}: the {winner} player wins",
        grundy_numbers.len(),
        shown.join(", ")
    )
}

/// The fluents of a part: their names if no other part has them, else their terms with `?` for arguments that differ.
fn fluents(machine: &dyn Machine, network: &Network, found: &Parts, number: usize) -> Vec<String> {
    let of = |number: usize| {
        found.parts[number].bits.iter().map(|&bit| &network.fluents[network.bits[bit as usize] as usize])
    };
    let symbols = &machine.description().symbols;
    let others: BTreeSet<Symbol> = (0..found.parts.len())
        .filter(|&other| other != number)
        .flat_map(|other| of(other).map(|fluent| fluent.functor))
        .collect();
    let functors: BTreeSet<Symbol> = of(number).map(|fluent| fluent.functor).collect();
    let term = |functor: Symbol| {
        let own: Vec<&Fluent> = of(number).filter(|fluent| fluent.functor == functor).collect();
        let arguments = (0..own[0].arguments.len()).map(|argument| {
            let first = own[0].arguments[argument];
            match own.iter().all(|fluent| fluent.arguments.get(argument) == Some(&first)) {
                true => machine.term_text(first),
                false => "?".to_owned(),
            }
        });
        let arguments: Vec<String> = arguments.collect();
        let name = symbols.name(functor);
        match arguments.iter().all(|argument| argument == "?") {
            true => format!("{name} ({} facts)", own.len()),
            false => format!("({name} {})", arguments.join(" ")),
        }
    };
    functors
        .into_iter()
        .map(
            |functor| {
                if others.contains(&functor) { term(functor) } else { symbols.name(functor).to_owned() }
            },
        )
        .collect()
}
