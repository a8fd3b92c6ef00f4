//! The parts of a game that do not influence each other, in words. `ground/parts.rs` finds them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::gdl::symbol::Symbol;
use crate::ground::Network;
use crate::ground::network::Fluent;
use crate::ground::parts::Parts;
use crate::machine::Machine;

/// The most parts that are named.
const NAMED: usize = 6;

/// The parts of a game. That the facts of a part depend on no other part follows from the instantiated rules; that each move acts in
/// one part, or consists of independent moves in several, was checked in states of random play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartsSummary {
    /// The parts.
    pub parts: Vec<PartSummary>,
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
}

impl PartsSummary {
    /// The parts; none if the game has fewer than two.
    pub(super) fn new(machine: &dyn Machine, interrupt: Option<&AtomicBool>) -> Option<PartsSummary> {
        let network = machine.network()?;
        let interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let found = Parts::of(network, &interrupted)?;
        let parts: Vec<PartSummary> = (0..found.parts.len())
            .map(|number| PartSummary {
                fluents: fluents(machine, network, &found, number),
                facts: found.parts[number].bits.len() as u64,
                after: found.parts[number].after.map(|after| after as u64),
            })
            .collect();
        let mut names: Vec<String> = parts.iter().take(NAMED).map(|part| part.fluents.join(", ")).collect();
        let more = parts.len() - names.len();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let sentence = if parts.iter().all(|part| part.after.is_none()) {
            format!("{} parts that do not influence each other: {}", parts.len(), names.join("; "))
        } else {
            format!("{} parts, and none depends on a later one: {}", parts.len(), names.join("; "))
        };
        Some(PartsSummary { parts, sentence })
    }
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
