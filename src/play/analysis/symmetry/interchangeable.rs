//! Objects that can be exchanged with each other.

use std::collections::BTreeMap;

use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::symmetry::Symmetry;
use crate::machine::Machine;

use super::facts::{Facts, listed};

/// The most objects that are named.
const NAMED: usize = 6;

/// Where two terms are exchanged: everywhere, or only in one argument (from 0) of a fluent.
type Place = Option<(Symbol, usize)>;

/// Exchanges of two terms. Terms that a chain of exchanges connects can be permuted in any order.
#[derive(Default)]
pub(super) struct Interchangeable {
    sets: Vec<(Place, Vec<TermId>)>,
}

impl Interchangeable {
    /// Adds a symmetry; returns whether it only exchanges two terms.
    pub(super) fn add(&mut self, symmetry: &Symmetry, facts: &Facts<'_>) -> bool {
        let Some((place, [one, other])) = exchange(symmetry, facts) else { return false };
        let (joined, mut rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.sets)
            .into_iter()
            .partition(|(at, terms)| *at == place && (terms.contains(&one) || terms.contains(&other)));
        let mut terms: Vec<TermId> =
            joined.into_iter().flat_map(|(_, terms)| terms).chain([one, other]).collect();
        terms.sort_unstable();
        terms.dedup();
        rest.push((place, terms));
        self.sets = rest;
        true
    }

    /// The sets in words.
    pub(super) fn sentences(&self, machine: &dyn Machine) -> impl Iterator<Item = String> {
        self.sets.iter().map(|(place, terms)| {
            let mut names: Vec<String> = terms.iter().map(|&term| machine.term_text(term)).collect();
            let count = names.len();
            if count > NAMED {
                names.truncate(NAMED - 1);
                names.push(format!("{} others", count - names.len()));
            }
            let names = listed(&names);
            match place {
                None => format!("{count} interchangeable objects: {names}"),
                Some((functor, argument)) => {
                    let functor = machine.description().symbols.name(*functor);
                    format!(
                        "{count} interchangeable values of argument {} of {functor}: {names}",
                        argument + 1
                    )
                }
            }
        })
    }
}

/// The two terms that a symmetry exchanges; none if it does something else.
fn exchange(symmetry: &Symmetry, facts: &Facts<'_>) -> Option<(Place, [TermId; 2])> {
    let (from, to) = (0..)
        .zip(&symmetry.bits)
        .find(|(bit, image)| bit != *image)
        .map(|(bit, &image)| (facts[bit as usize], facts[image as usize]))?;
    let index = from.1.iter().zip(to.1).position(|(one, other)| one != other)?;
    let terms = [from.1[index], to.1[index]];
    let by_fact: BTreeMap<(Symbol, &[TermId]), u32> = facts.iter().copied().zip(0..).collect();
    let exchanged = |term: TermId| match term {
        term if term == terms[0] => terms[1],
        term if term == terms[1] => terms[0],
        term => term,
    };
    let is_exchange = |place: Place| {
        facts.iter().zip(&symmetry.bits).all(|((functor, arguments), image)| {
            let is_at = |argument: usize| place.is_none_or(|place| place == (*functor, argument));
            let swapped: Vec<TermId> = (0..)
                .zip(*arguments)
                .map(|(argument, &term)| if is_at(argument) { exchanged(term) } else { term })
                .collect();
            by_fact.get(&(*functor, &swapped[..])) == Some(image)
        })
    };
    [None, Some((from.0, index))].into_iter().find(|&place| is_exchange(place)).map(|place| (place, terms))
}
