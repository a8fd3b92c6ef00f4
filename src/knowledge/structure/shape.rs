//! The shape of a relation: a hash of the rules and facts that mention it, independent of names and of the
//! order of rules. It breaks ties without using the order of the rules.
//!
//! Relations and terms are distinguished by colour refinement (Weisfeiler and Leman 1968): in every round
//! the colour of each is mixed with those of its neighbours in the rules. Relations with equal colours
//! after the last round are most likely symmetric.

use rustc_hash::FxHashMap;

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Literal, Rule};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId};

/// Rounds of refinement: the distance in the rules up to which differences are noticed.
const ROUNDS: usize = 8;

/// The colours of a round.
struct Colours {
    relations: Vec<u64>,
    terms: Vec<u64>,
}

/// Mixes a number into a colour; the result depends on the order of numbers.
fn mix(colour: u64, more: u64) -> u64 {
    let mixed = (colour.rotate_left(23) ^ more).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// The shape of every relation of a description, in the order of its relations.
pub fn relations(description: &Description) -> Vec<u64> {
    let start = |relation: &crate::gdl::rule::Relation| mix(relation.kind as u64 + 1, relation.arity as u64);
    let mut colours = Colours {
        relations: description.relations.iter().map(start).collect(),
        terms: vec![1; description.terms.len()],
    };
    // Roles are distinguished by their order, which has a meaning in GDL.
    for (index, role) in description.roles.iter().enumerate() {
        colours.terms[role.index()] = mix(2, index as u64);
    }
    for _ in 0..ROUNDS {
        colours = refine(description, &colours);
    }
    colours.relations
}

fn refine(description: &Description, old: &Colours) -> Colours {
    let mut new = Colours {
        relations: old.relations.iter().map(|&colour| mix(colour, 3)).collect(),
        terms: old.terms.iter().map(|&colour| mix(colour, 4)).collect(),
    };
    let add = |to: &mut u64, more: u64| *to = to.wrapping_add(more);
    for rule in &description.rules {
        let variables = variables(rule, old);
        let all = parts(rule).fold(0, |sum: u64, part| sum.wrapping_add(shape(&part, &variables, old)));
        for part in parts(rule) {
            let own = mix(all, shape(&part, &variables, old));
            if let Part::Atom(_, atom) = part {
                add(&mut new.relations[atom.relation.index()], own);
            }
            for (position, term) in part.terms().iter().enumerate() {
                mark(term, mix(own, position as u64), &mut new.terms);
            }
        }
    }
    // Relations of one name belong together, such as those of a fluent in `true` and in `next`.
    let mut names: FxHashMap<Symbol, u64> = FxHashMap::default();
    for (relation, &colour) in description.relations.iter().zip(&old.relations) {
        add(names.entry(relation.name).or_default(), mix(colour, 5));
    }
    for (relation, colour) in description.relations.iter().zip(&mut new.relations) {
        add(colour, mix(names[&relation.name], 6));
    }
    for index in 0..description.terms.len() {
        let arguments = description.terms.arguments(TermId(index as u32));
        for (position, argument) in arguments.iter().enumerate() {
            add(&mut new.terms[index], mix(old.terms[argument.index()], position as u64));
            add(&mut new.terms[argument.index()], mix(mix(old.terms[index], 7), position as u64));
        }
    }
    new
}

/// Head, literal or inequality of a rule; the number distinguishes the kinds of atoms.
enum Part<'r> {
    Atom(u64, &'r Atom),
    Distinct([&'r Term; 2]),
}

impl<'r> Part<'r> {
    fn terms(&self) -> Vec<&'r Term> {
        match self {
            Part::Atom(_, atom) => atom.arguments.iter().collect(),
            Part::Distinct(terms) => terms.to_vec(),
        }
    }

    fn colour(&self, old: &Colours) -> u64 {
        match self {
            Part::Atom(place, atom) => mix(old.relations[atom.relation.index()], *place),
            Part::Distinct(_) => 11,
        }
    }
}

fn parts(rule: &Rule) -> impl Iterator<Item = Part<'_>> {
    let body = rule.body.iter().map(|literal| match literal {
        Literal::Positive(atom) => Part::Atom(8, atom),
        Literal::Negative(atom) => Part::Atom(9, atom),
        Literal::Distinct(a, b) => Part::Distinct([a, b]),
    });
    std::iter::once(Part::Atom(10, &rule.head)).chain(body)
}

/// A colour for each variable of a rule, from its positions.
fn variables(rule: &Rule, old: &Colours) -> Vec<u64> {
    let mut colours = vec![0_u64; rule.variables.len()];
    for part in parts(rule) {
        for (position, term) in part.terms().into_iter().enumerate() {
            let mut inside = 0;
            term.for_each_variable(&mut |variable| {
                // An inequality is symmetric.
                let index = if matches!(part, Part::Distinct(_)) { 0 } else { position as u64 };
                let colour = &mut colours[variable.index()];
                *colour = colour.wrapping_add(mix(mix(part.colour(old), index), inside));
                inside += 1;
            });
        }
    }
    colours
}

fn shape(part: &Part<'_>, variables: &[u64], old: &Colours) -> u64 {
    let colours = part.terms().into_iter().map(|term| match term {
        Term::Ground(ground) => mix(12, old.terms[ground.index()]),
        Term::Variable(_) | Term::Compound(..) => {
            let mut colour = 13;
            term.for_each_variable(&mut |variable| colour = mix(colour, variables[variable.index()]));
            colour
        }
    });
    match part {
        Part::Atom(..) => colours.fold(part.colour(old), mix),
        Part::Distinct(_) => colours.fold(part.colour(old), u64::wrapping_add),
    }
}

/// Adds a colour to the ground terms in a term.
fn mark(term: &Term, colour: u64, terms: &mut [u64]) {
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match term {
            Term::Ground(ground) => {
                let known = &mut terms[ground.index()];
                *known = known.wrapping_add(mix(colour, 14));
            }
            Term::Variable(_) => {}
            Term::Compound(_, arguments) => open.extend(arguments),
        }
    }
}
