//! Expressions of the rules that go beyond the facts of a state: atoms that rules derive, and pairs of atoms with variables in
//! common. Their values are counts of solutions.
//!
//! # How
//! Every atom of a relation that rules derive from the state, and every pair of atoms in the body of a rule that depend on
//! the state and are joined by a variable or a fact, is an expression ([`joined`](super::joined)). New ones come from these as
//! in the family `expression`: a constant becomes a variable, a variable each constant that it has in some solution. What
//! comes to the same solutions is one expression, and none where it counts nothing but facts of one pattern. Groups (the
//! same conjunction, the same variables fixed) are taken whole while they fit into the budget, so the choice depends neither
//! on names nor on the order of rules. Two of a group that differ in one constant give their difference.

use std::collections::{BTreeMap, BTreeSet};

use crate::gdl::rule::RelationKind;
use crate::ground::Lit;
use crate::machine::Machine;
use crate::simulate::{Stopped, Watch};

use super::definition::{Family, Feature};
use super::expression::fitting;
use super::fluent_index::FluentIndex;
use super::ground_atoms::{GroundAtoms, Slot, TableLiteral};
use super::joined::{Base, Joined, of_rules};
use super::pattern::{Pattern, variable_name};
use super::solutions::{Counts, OPERANDS};
use super::spec::Spec;

/// Expressions of what rules derive, and as many joins.
const EXPRESSIONS: usize = 60;

/// Differences of each.
const DIFFERENCES: usize = 60;

/// Steps from an expression of the rules.
const STEPS: usize = 2;

/// Operands of gates that a count may look at, so that functions can be told in lanes and in searches.
const LARGE: usize = 1_000;

/// Conjunctions that are solved at most.
const SOLVED: usize = 2_000;

/// The solutions of an expression, each as the literals that hold in it: what tells it from others.
type Print = Vec<Vec<Lit>>;

/// A conjunction with constants for some of its variables.
type Bound = (Base, Vec<Option<u32>>);

/// The same conjunction with the same variables fixed.
type Key = (Base, Vec<bool>);

/// Expressions of a group, by what they come to.
type Group = BTreeMap<Print, Bound>;

/// An expression with what it comes to.
type Made<'g> = (&'g Print, &'g Bound);

/// Expressions beyond the facts of a state as features, with sentences that name what was left out. None without a network.
///
/// # Errors
/// It was interrupted.
pub fn derived_expressions(
    fluent_index: &FluentIndex<'_>,
    known: &[Feature],
    watch: &Watch<'_>,
) -> Result<(Vec<Feature>, Vec<String>), Stopped> {
    let machine = fluent_index.machine();
    let Some(atoms) = GroundAtoms::new(machine) else { return Ok(Default::default()) };
    let (single, pairs) = of_rules(machine.description());
    let mut maker = Maker {
        machine,
        atoms,
        watch,
        left: SOLVED,
        known: BTreeSet::new(),
        made: Vec::new(),
        notes: Vec::new(),
    };
    for feature in known {
        if let Spec::Count { pattern } = &feature.spec
            && let Some(print) = print_of(fluent_index, pattern)
        {
            maker.known.insert(print);
        }
    }
    maker.make("what rules derive", single)?;
    maker.make("joins", pairs)?;
    Ok((maker.made, maker.notes))
}

/// What a count of facts comes to.
fn print_of(fluent_index: &FluentIndex<'_>, pattern: &str) -> Option<Print> {
    let network = fluent_index.machine().network()?;
    let matching = fluent_index.matching(&Pattern::parse(pattern).ok()?).ok()?;
    let bit = |fluent: crate::machine::FluentId| network.fluents[fluent.0 as usize].bit;
    let mut print: Print = matching
        .iter()
        .map(|(fluent, _)| bit(*fluent).map(|bit| Lit::of(1 + bit)).into_iter().collect())
        .collect();
    print.sort_unstable();
    Some(print)
}

struct Maker<'a, 'm> {
    machine: &'m dyn Machine,
    atoms: GroundAtoms<'m>,
    watch: &'a Watch<'a>,
    /// Conjunctions that may still be solved.
    left: usize,
    known: BTreeSet<Print>,
    made: Vec<Feature>,
    notes: Vec<String>,
}

impl Maker<'_, '_> {
    /// Makes the features of some expressions and of what follows from them.
    fn make(&mut self, what: &str, seeds: BTreeSet<Joined>) -> Result<(), Stopped> {
        let bound = |(base, constants): Joined| {
            let terms = constants.iter().map(|text| text.as_deref().map(|text| self.atoms.term(text)));
            let terms = terms.collect();
            (base, terms)
        };
        let seeds: Vec<Bound> = seeds.into_iter().map(bound).collect();
        let groups = self.groups(what, seeds)?;
        let mut emitted: BTreeSet<&Print> = BTreeSet::new();
        for (print, bound) in groups.values().flatten() {
            if emitted.insert(print) {
                let spec = Spec::Solutions { of: self.texts(bound) };
                self.add(spec, [0.0, print.len() as f64]);
            }
        }
        let mut pairs: BTreeMap<(usize, &Key, usize), Vec<[Made<'_>; 2]>> = BTreeMap::new();
        for ((steps, key), group) in &groups {
            for place in (0..key.1.len()).filter(|&place| key.1[place]) {
                let mut alike: BTreeMap<Vec<Option<u32>>, Vec<Made<'_>>> = BTreeMap::new();
                for (print, bound) in group {
                    let same = |image: &Bound| image.1.iter().map(Option::is_some).eq(key.1.iter().copied());
                    let rests = images(bound).into_iter().filter(same).map(|(_, mut rest)| {
                        rest[place] = None;
                        rest
                    });
                    for rest in rests.collect::<BTreeSet<_>>() {
                        alike.entry(rest).or_default().push((print, bound));
                    }
                }
                let two = alike.values().flat_map(|alike| {
                    let one = alike.iter().enumerate();
                    one.flat_map(|(at, one)| alike[at + 1..].iter().map(|other| [*one, *other]))
                });
                // One more than fits is enough to know that they don't.
                let two: Vec<_> = two.take(DIFFERENCES + 1).collect();
                if !two.is_empty() {
                    pairs.insert((*steps, key, place), two);
                }
            }
        }
        let sizes = pairs.iter().map(|(key, pairs)| (key.0, pairs.len())).collect();
        let (fits, cut) = fitting(sizes, DIFFERENCES);
        let mut emitted: BTreeSet<[&Print; 2]> = BTreeSet::new();
        let fitting = pairs.iter().filter(|(key, pairs)| fits.contains(&(key.0, pairs.len())));
        for [one, other] in fitting.flat_map(|(_, pairs)| pairs) {
            let mut prints = [one.0, other.0];
            prints.sort_unstable();
            if emitted.insert(prints) {
                let count = |of: &Made<'_>| Box::new(Spec::Solutions { of: self.texts(of.1) });
                let spec = Spec::Difference { first: count(one), second: count(other) };
                self.add(spec, [-(other.0.len() as f64), one.0.len() as f64]);
            }
        }
        if cut > 0 {
            let text =
                format!("{what}: differences at {cut} places are left out, they are more than {DIFFERENCES}");
            self.notes.push(text);
        }
        self.known.extend(groups.into_values().flatten().map(|(print, _)| print));
        Ok(())
    }

    /// The expressions that are kept, with how many steps away from the rules they are.
    fn groups(&mut self, what: &str, seeds: Vec<Bound>) -> Result<BTreeMap<(usize, Key), Group>, Stopped> {
        let mut kept: BTreeMap<(usize, Key), Group> = BTreeMap::new();
        let (mut latest, mut left) = (seeds, EXPRESSIONS);
        let mut known = self.known.clone();
        for steps in 0..=STEPS {
            let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
            let mut domains: BTreeMap<Bound, Vec<BTreeSet<u32>>> = BTreeMap::new();
            // All that is the same but for names of variables, so that it makes no difference which of these comes up.
            let all: BTreeSet<Bound> = latest.iter().flat_map(images).collect();
            latest.clear();
            for bound in all {
                self.watch.check()?;
                let key = (bound.0.clone(), bound.1.iter().map(Option::is_some).collect());
                let group = groups.entry(key).or_default();
                // One more than fits is enough to know that it does not.
                if group.len() > EXPRESSIONS {
                    continue;
                }
                if self.left == 0 || self.atoms.is_over() {
                    self.notes.push(format!(
                        "{what}: what is {steps} steps from the rules is left out, it takes too long"
                    ));
                    return Ok(kept);
                }
                self.left -= 1;
                let Some((print, values)) = self.solve(&bound) else { continue };
                if !known.contains(&print) {
                    domains.insert(bound.clone(), values);
                    group.insert(print, bound);
                }
            }
            groups.retain(|_, group| !group.is_empty());
            let mut by_size: BTreeMap<usize, Vec<(Key, Group)>> = BTreeMap::new();
            for (key, group) in groups {
                by_size.entry(group.len()).or_default().push((key, group));
            }
            let mut cut = 0;
            for groups in by_size.into_values() {
                let new: BTreeSet<&Print> = groups.iter().flat_map(|(_, group)| group.keys()).collect();
                let new: BTreeSet<Print> =
                    new.into_iter().filter(|print| !known.contains(*print)).cloned().collect();
                if cut > 0 || new.len() > left {
                    cut += groups.len();
                    continue;
                }
                left -= new.len();
                known.extend(new);
                for (key, group) in groups {
                    latest.extend(group.values().flat_map(|bound| next(bound, &domains[bound])));
                    kept.insert((steps, key), group);
                }
            }
            if cut > 0 {
                self.notes.push(format!(
                    "{what}: {cut} groups {steps} steps from the rules, and what follows from them, are left out: \
                     together more than {EXPRESSIONS}"
                ));
                break;
            }
        }
        Ok(kept)
    }

    /// What an expression comes to, and the terms that each variable has; none where it never holds, or too much does.
    fn solve(&mut self, bound: &Bound) -> Option<(Print, Vec<BTreeSet<u32>>)> {
        let description = self.machine.description();
        let mut literals: Vec<TableLiteral> = Vec::new();
        for (relation, places) in &bound.0.literals {
            let relation = &description.relations[relation.index()];
            let fluent = relation.kind == RelationKind::True;
            let name = description.symbols.name(relation.name);
            let table = self.atoms.table(fluent, name, places.len()).ok()?;
            literals.push((table, places.iter().map(|&place| Slot::Variable(place)).collect()));
        }
        let solved =
            self.atoms.solve(&literals, &bound.1).ok().filter(|solved| !solved.solutions.is_empty())?;
        // What rules define through itself, or takes too many gates, is not counted.
        let counts = Counts::of(self.atoms.network(), std::slice::from_ref(&solved));
        let size = counts.as_ref().map_or(OPERANDS, Counts::size);
        self.atoms.spend(solved.solutions.len() + size);
        if counts.is_err() || size > LARGE {
            return None;
        }
        let mut values = vec![BTreeSet::new(); bound.1.len()];
        for (terms, _) in &solved.solutions {
            values.iter_mut().zip(terms).for_each(|(values, &term)| {
                values.insert(term);
            });
        }
        let mut print: Print = solved.solutions.into_iter().map(|(_, held)| held).collect();
        print.sort_unstable();
        // The same in every state.
        (!print.iter().all(Vec::is_empty)).then_some((print, values))
    }

    /// The literals as documents have them.
    fn texts(&self, (base, bound): &Bound) -> Vec<String> {
        let description = self.machine.description();
        let mut names: Vec<usize> = Vec::new();
        let mut literals = Vec::with_capacity(base.literals.len());
        for (relation, places) in &base.literals {
            let relation = &description.relations[relation.index()];
            let mut text = description.symbols.name(relation.name).to_owned();
            for &place in places {
                let term = bound[place].map(|term| self.atoms.text(term).to_owned());
                let term = term.unwrap_or_else(|| {
                    let number = names.iter().position(|known| *known == place).unwrap_or_else(|| {
                        names.push(place);
                        names.len() - 1
                    });
                    format!("?{}", variable_name(number))
                });
                text.push(' ');
                text.push_str(&term);
            }
            let text = if places.is_empty() { text } else { format!("({text})") };
            literals.push(if relation.kind == RelationKind::True { format!("(true {text})") } else { text });
        }
        literals
    }

    fn add(&mut self, spec: Spec, range: [f64; 2]) {
        let formula = spec.to_string();
        let words = formula.split([' ', '(', ')']).filter(|word| !word.is_empty() && *word != "of");
        let words: Vec<&str> = words.map(|word| if word.starts_with('?') { "_" } else { word }).collect();
        let (id, family) = (format!("{}.{}", words.join("."), self.made.len() + 1), Family::Expression);
        self.made.push(Feature { id, family, role: None, formula, range, beyond_source: false, spec });
    }
}

/// What is the same but for which of its variables is which.
fn images((base, bound): &Bound) -> Vec<Bound> {
    let image = |symmetry: Vec<usize>| {
        let mut terms = vec![None; bound.len()];
        symmetry.into_iter().zip(bound).for_each(|(place, &term)| terms[place] = term);
        (base.clone(), terms)
    };
    base.symmetries().into_iter().map(image).collect()
}

/// What an expression leads to: a constant becomes a variable, a variable each constant that it has in a solution.
fn next((base, bound): &Bound, domains: &[BTreeSet<u32>]) -> Vec<Bound> {
    let mut found = Vec::new();
    for (place, term) in bound.iter().enumerate() {
        let changed = |term: Option<u32>| {
            let mut bound = bound.clone();
            bound[place] = term;
            (base.clone(), bound)
        };
        match term {
            Some(_) => found.push(changed(None)),
            None => found.extend(domains[place].iter().map(|&term| changed(Some(term)))),
        }
    }
    found
}
