//! The symmetries of a game in words: how boards can be mirrored and rotated, which roles can be exchanged, and which objects
//! are interchangeable. The words follow from the permutation of the coordinates of cells, never from names.
//!
//! `ground/symmetry/` finds the symmetries, and `search/symmetry/` uses them to solve games.

mod board_image;
mod facts;
mod interchangeable;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::ground::Network;
use crate::ground::symmetry::{Generators, Symmetry, symmetries_of_flat};
use crate::machine::Machine;
use crate::structure::finding::Structures;

use board_image::{Board, BoardImage, phrase};
use facts::{Facts, listed};
use interchangeable::Interchangeable;

/// Limit of the work of the search for symmetries. A unit of work takes a few nanoseconds.
const WORK: u64 = 10_000_000;

/// Groups of at most this size are listed. Of larger groups, only the generators are described.
const MAX_LISTED: usize = 128;

/// The symmetries of a game: permutations of facts, moves and roles that preserve the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymmetrySummary {
    /// The number of symmetries that keep every role, including the identity. It is the greatest number of states that are
    /// images of each other; null if it is above 2^64.
    pub images: Option<u64>,
    /// The number of symmetries, including those that exchange roles; null if it is above 2^64.
    pub symmetries: Option<u64>,
    /// Whether all symmetries were found. Otherwise the search reached its limit of work, and there may be more.
    pub complete: bool,
    /// The symmetries as sentences; empty if there are none.
    pub sentences: Vec<String>,
}

impl SymmetrySummary {
    /// Finds and describes the symmetries of a game; none if the machine has no network.
    pub fn new(
        machine: &dyn Machine,
        structures: &Structures,
        interrupt: Option<&AtomicBool>,
    ) -> Option<SymmetrySummary> {
        let network = machine.network()?;
        let random = machine.description().random_role();
        let kinds: Vec<u32> = (0..network.moves.len()).map(|role| u32::from(random == Some(role))).collect();
        let mut spent = 0;
        let generators = symmetries_of_flat(network, &kinds, &mut |work| {
            spent += work;
            spent <= WORK && !interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
        });
        let order = generators.order();
        let exchanges = role_permutations(&generators).len() as u64;
        Some(SymmetrySummary {
            images: order.map(|order| order / exchanges),
            symmetries: order,
            complete: !generators.cut_short,
            sentences: sentences(machine, network, structures, &generators)
                .into_iter()
                .map(|sentence| sentence[..1].to_uppercase() + &sentence[1..] + ".")
                .collect(),
        })
    }
}

/// The permutations of roles that the generators generate.
fn role_permutations(generators: &Generators) -> BTreeSet<Box<[u32]>> {
    let Some(first) = generators.found.first() else { return BTreeSet::from([Box::default()]) };
    let identity: Box<[u32]> = (0..first.roles.len() as u32).collect();
    let mut all = BTreeSet::from([identity.clone()]);
    let mut new = vec![identity];
    while let Some(one) = new.pop() {
        for generator in &generators.found {
            let next: Box<[u32]> = one.iter().map(|&role| generator.roles[role as usize]).collect();
            if all.insert(next.clone()) {
                new.push(next);
            }
        }
    }
    all
}

/// All elements of a small group without the identity, otherwise the generators.
fn elements(generators: &Generators) -> Vec<Symmetry> {
    let Some(first) = generators.found.first() else { return Vec::new() };
    let identity = Symmetry::identity(first.bits.len(), first.roles.len());
    let mut all = BTreeSet::from([identity.clone()]);
    let mut new = vec![identity.clone()];
    while let Some(one) = new.pop() {
        for generator in &generators.found {
            let next = one.then(generator);
            if all.insert(next.clone()) {
                if all.len() > MAX_LISTED {
                    return generators.found.clone();
                }
                new.push(next);
            }
        }
    }
    all.remove(&identity);
    all.into_iter().collect()
}

/// The symmetries in words, without the capital letter and the full stop.
fn sentences(
    machine: &dyn Machine,
    network: &Network,
    structures: &Structures,
    generators: &Generators,
) -> Vec<String> {
    let facts: Facts<'_> = network
        .bits
        .iter()
        .map(|&fluent| &network.fluents[fluent as usize])
        .map(|fluent| (fluent.functor, &fluent.arguments[..]))
        .collect();
    let boards: Vec<Board> =
        structures.fluents.iter().filter_map(|finding| Board::new(finding, structures, &facts)).collect();
    let elements = elements(generators);
    let (keeping, exchanging): (Vec<&Symmetry>, Vec<&Symmetry>) =
        elements.iter().partition(|symmetry| symmetry.keeps_roles());
    let mut sentences = Vec::new();
    // Boards with the same symmetries share a sentence.
    let mut by_phrase: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut order = Vec::new();
    for board in &boards {
        let images: BTreeSet<BoardImage> =
            keeping.iter().filter_map(|symmetry| board.image(symmetry, &facts)).collect();
        if let Some(phrase) = phrase(&images, board) {
            if !by_phrase.contains_key(&phrase) {
                order.push(phrase.clone());
            }
            by_phrase.entry(phrase).or_default().push(board.name(machine));
        }
    }
    for phrase in order {
        let names = &by_phrase[&phrase];
        let noun = if names.len() == 1 { "the board" } else { "the boards" };
        sentences.push(format!("{noun} {} can be {phrase}", listed(names)));
    }
    sentences.extend(exchanges(machine, &exchanging, &boards, &facts));
    let mut interchangeable = Interchangeable::default();
    let mut moved = Vec::new();
    for generator in generators.found.iter().filter(|generator| generator.keeps_roles()) {
        let is_of_board = boards
            .iter()
            .any(|board| board.image(generator, &facts).is_some_and(|image| image != BoardImage::Other));
        if !is_of_board && !interchangeable.add(generator, &facts) {
            moved.push((0..).zip(&generator.bits).filter(|(bit, image)| bit != *image).count());
        }
    }
    sentences.extend(interchangeable.sentences(machine));
    if let (Some(least), Some(most)) = (moved.iter().min(), moved.iter().max()) {
        let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let all = facts.len();
        sentences.push(match moved.len() {
            1 => format!("one more symmetry permutes {range} of {all} facts"),
            count => format!("{count} more symmetries permute {range} of {all} facts each"),
        });
    }
    sentences
}

/// Which roles can be exchanged, and whether the board must be mirrored or rotated with them.
fn exchanges(
    machine: &dyn Machine,
    exchanging: &[&Symmetry],
    boards: &[Board],
    facts: &Facts<'_>,
) -> Option<String> {
    let first = exchanging.first()?;
    let is_moved = |role: &usize| exchanging.iter().any(|symmetry| symmetry.roles[*role] as usize != *role);
    let names: Vec<String> = (0..first.roles.len())
        .filter(is_moved)
        .map(|role| machine.term_text(machine.description().roles[role]))
        .collect();
    // With each exchange, how the first board that it moves is moved.
    let with_board =
        |symmetry: &&Symmetry| boards.iter().find_map(|board| Some((board, board.image(symmetry, facts)?)));
    let together: Option<Vec<(&Board, BoardImage)>> = exchanging.iter().map(with_board).collect();
    let condition = together.and_then(|mut images| {
        images.sort_by_key(|(_, image)| *image);
        let (board, image) = *images.first()?;
        let phrase = phrase(&BTreeSet::from([image]), board)?;
        Some(format!(", if the board {} is {phrase} as well", board.name(machine)))
    });
    Some(format!("the roles {} can be exchanged{}", listed(&names), condition.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
