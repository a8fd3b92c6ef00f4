//! # What it does
//! Takes the expressions about fluents from the rules' bodies, and counts the solutions of each.
//!
//! # How
//! Every atom under `true` in the body of a rule is an expression, such as `(cell ?x ?y b)`; its value is the number
//! of facts that match. New ones come from these, again and again: a constant becomes a variable, and a variable
//! becomes each constant of its domain. Two expressions that differ in one constant give their difference. What is
//! made in fewer steps comes first, then what comes in smaller groups (one group: the same places fixed); groups are
//! taken whole while they fit into the budget, 200 expressions and 100 differences, so the choice depends neither on
//! names nor on the order of rules. What is cut is named in a note.
//!
//! # Guarantee
//! Exact counts.
//!
//! # Cost
//! A mask and a count of bits.
//!
//! # Example
//! From `(true (cell 1 1 x))`: `count (cell ?x 1 x)`, `count (cell ?x ?y x) - count (cell ?x ?y o)`.
//!
//! # Source
//! Walędzik and Mańdziuk, "An Automatically Generated Evaluation Function in General Game Playing", IEEE TCIAIG 6(3),
//! 2014. Ratios of two expressions are left out, as there. Departures: they take every expression of the rules, here it is
//! atoms under `true` alone, each by itself; relations that rules derive and joins of several atoms are left out, as their
//! solutions are not sums over the facts of a state. They name no bound; the budgets here keep the correlations of all
//! components worth computing. No study compares these choices.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog_entry;
use crate::gdl::rule::{Atom, Literal, RelationKind};
use crate::gdl::term::Term as RuleTerm;
use crate::structure::finding::FluentKind;

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::{Features, slug};
use super::pattern::{Argument, Pattern};
use super::sources::Sources;
use super::spec::Spec;

/// Expressions of a game.
const EXPRESSIONS: usize = 200;

/// Differences of a game.
const DIFFERENCES: usize = 100;

/// Steps from an expression of the rules.
const STEPS: usize = 3;

const FAMILY: Family = Family::Expression;

/// Patterns with the same places fixed: their skeleton, with `#` for every constant, and how many steps away from the
/// rules they are.
type Groups = BTreeMap<(usize, Pattern), BTreeSet<Pattern>>;

catalog_entry!(ExpressionFamily, "expression", "Expressions of the rules", "Walędzik and Mańdziuk 2014");

impl FeatureFamily for ExpressionFamily {
    fn family(&self) -> Family {
        Family::Expression
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let kept = expressions(sources, features);
    for patterns in kept.values() {
        for pattern in patterns {
            let spec = Spec::Count { pattern: pattern.to_string() };
            features.add(sources, FAMILY, None, &format!("count.{}", slug(pattern)), spec);
        }
    }
    let mut groups: BTreeMap<(usize, Pattern, usize), Vec<[&Pattern; 2]>> = BTreeMap::new();
    for ((steps, skeleton), patterns) in &kept {
        for place in 0..skeleton.arguments.len() {
            if matches!(skeleton.arguments[place], Argument::Variable(_)) {
                continue;
            }
            let mut alike: BTreeMap<Pattern, Vec<&Pattern>> = BTreeMap::new();
            for pattern in patterns {
                let mut rest = pattern.clone();
                rest.arguments[place] = Argument::Term(String::new());
                alike.entry(rest).or_default().push(pattern);
            }
            let pairs = alike.values().flat_map(|alike| {
                let one = alike.iter().enumerate();
                one.flat_map(|(at, one)| alike[at + 1..].iter().map(|other| [*one, *other]))
            });
            // One more than fits is enough to know that they don't.
            let pairs: Vec<_> = pairs.take(DIFFERENCES + 1).collect();
            if !pairs.is_empty() {
                groups.insert((*steps, skeleton.clone(), place), pairs);
            }
        }
    }
    let sizes = groups.iter().map(|(key, pairs)| (key.0, pairs.len())).collect();
    let (fitting, cut) = fitting(sizes, DIFFERENCES);
    for (_, pairs) in groups.iter().filter(|(key, pairs)| fitting.contains(&(key.0, pairs.len()))) {
        for [one, other] in pairs {
            let count = |pattern: &Pattern| Box::new(Spec::Count { pattern: pattern.to_string() });
            let spec = Spec::Difference { first: count(one), second: count(other) };
            features.add(sources, FAMILY, None, &format!("{}-{}", slug(one), slug(other)), spec);
        }
    }
    if cut > 0 {
        let text = format!(
            "expressions: differences at {cut} places are left out, they are more than {DIFFERENCES}"
        );
        features.notes.push(text);
    }
}

/// Which groups fit into a budget, by steps and size, smallest first; equal ones together. And how many don't.
fn fitting(mut sizes: Vec<(usize, usize)>, budget: usize) -> (BTreeSet<(usize, usize)>, usize) {
    sizes.sort_unstable();
    let (mut fitting, mut left, mut at) = (BTreeSet::new(), budget, 0);
    while at < sizes.len() {
        let equal = sizes[at..].iter().take_while(|other| **other == sizes[at]).count();
        let Some(rest) = left.checked_sub(equal * sizes[at].1) else { break };
        fitting.insert(sizes[at]);
        left = rest;
        at += equal;
    }
    (fitting, sizes.len() - at)
}

/// The expressions that are kept, in groups.
fn expressions(sources: &Sources<'_>, features: &mut Features) -> Groups {
    let mut kept = Groups::new();
    let mut known: BTreeSet<Pattern> = BTreeSet::new();
    let mut latest: Vec<Pattern> = from_rules(sources);
    let mut left = EXPRESSIONS;
    for steps in 0..=STEPS {
        let mut groups: BTreeMap<Pattern, BTreeSet<Pattern>> = BTreeMap::new();
        for pattern in latest.drain(..).filter(|pattern| !known.contains(pattern)) {
            let group = groups.entry(skeleton(&pattern)).or_default();
            // One more than fits is enough to know that it does not.
            if group.len() <= EXPRESSIONS {
                group.insert(pattern);
            }
        }
        let sizes: Vec<(usize, usize)> = groups.values().map(|group| (steps, group.len())).collect();
        let (fits, cut) = fitting(sizes, left);
        for (skeleton, group) in groups {
            if fits.contains(&(steps, group.len())) {
                left -= group.len();
                known.extend(group.iter().cloned());
                latest.extend(steps_from(sources, &group));
                kept.insert((steps, skeleton), group);
            }
        }
        if cut > 0 {
            features.notes.push(format!(
                "expressions: {cut} groups {steps} steps from the rules, and what follows from them, are left out: \
                 together more than {EXPRESSIONS}"
            ));
            break;
        }
    }
    kept
}

/// The places that are fixed.
fn skeleton(pattern: &Pattern) -> Pattern {
    let mut skeleton = pattern.clone();
    for argument in &mut skeleton.arguments {
        if matches!(argument, Argument::Term(_)) {
            *argument = Argument::Term("#".to_owned());
        }
    }
    skeleton
}

/// The atoms under `true` in the bodies of rules that some fluent can match.
fn from_rules(sources: &Sources<'_>) -> Vec<Pattern> {
    let description = sources.fluent_index.machine().description();
    let mut found = BTreeSet::new();
    for literal in description.rules.iter().flat_map(|rule| &rule.body) {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        if description.relations[atom.relation.index()].kind == RelationKind::True {
            let pattern = of_atom(sources, atom).normalised();
            // A count of the steps played takes no place from what tells something.
            let clock = sources.finding(&pattern).is_some_and(|finding| finding.kind == FluentKind::Counter);
            if !clock && sources.fluent_index.matching(&pattern).is_ok() {
                found.insert(pattern);
            }
        }
    }
    found.into_iter().collect()
}

fn of_atom(sources: &Sources<'_>, atom: &Atom) -> Pattern {
    let description = sources.fluent_index.machine().description();
    fn argument(sources: &Sources<'_>, term: &RuleTerm) -> Argument {
        let description = sources.fluent_index.machine().description();
        match term {
            RuleTerm::Variable(variable) => Argument::Variable(variable.0.to_string()),
            RuleTerm::Ground(term) => Argument::Term(description.term(*term)),
            RuleTerm::Compound(functor, arguments) => {
                let arguments = arguments.iter().map(|inner| argument(sources, inner)).collect();
                Argument::Function(description.symbols.name(*functor).to_owned(), arguments)
            }
        }
    }
    let name = description.relations[atom.relation.index()].name;
    Pattern {
        name: description.symbols.name(name).to_owned(),
        arguments: atom.arguments.iter().map(|term| argument(sources, term)).collect(),
    }
}

/// What a group leads to: a constant becomes a variable, a variable each constant of its domain.
fn steps_from(sources: &Sources<'_>, group: &BTreeSet<Pattern>) -> Vec<Pattern> {
    let mut found = BTreeSet::new();
    for pattern in group {
        for (place, argument) in pattern.arguments.iter().enumerate() {
            match argument {
                Argument::Term(_) => {
                    let mut general = pattern.clone();
                    general.arguments[place] = Argument::Variable("new".to_owned());
                    found.insert(general.normalised());
                }
                Argument::Variable(name) => {
                    let first = pattern.arguments.iter().position(|other| other == argument) == Some(place);
                    if first && !in_function(pattern, name) {
                        found.extend(special(sources, pattern, place));
                    }
                }
                Argument::Function(..) => {}
            }
        }
    }
    found.into_iter().collect()
}

/// Whether a variable stands inside a function, where its domain is not looked up.
fn in_function(pattern: &Pattern, name: &str) -> bool {
    fn has(argument: &Argument, name: &str) -> bool {
        match argument {
            Argument::Variable(other) => other == name,
            Argument::Term(_) => false,
            Argument::Function(_, arguments) => arguments.iter().any(|inner| has(inner, name)),
        }
    }
    let functions = pattern.arguments.iter().filter(|argument| matches!(argument, Argument::Function(..)));
    functions.into_iter().any(|function| has(function, name))
}

/// A pattern with the variable at a place fixed, once for each constant.
fn special(sources: &Sources<'_>, pattern: &Pattern, place: usize) -> Vec<Pattern> {
    let mut terms: BTreeSet<String> = BTreeSet::new();
    if sources.fluent_index.is_complete() {
        let Ok(found) = sources.fluent_index.matching(pattern) else { return Vec::new() };
        terms.extend(found.iter().map(|(_, arguments)| arguments[place].to_owned()));
    } else if let Some(finding) = sources.finding(pattern) {
        let known = &finding.domains[place].terms;
        terms.extend(known.iter().map(|&term| sources.machine().term_text(term)));
    }
    let variable = pattern.arguments[place].clone();
    let fixed = terms.into_iter().map(|term| {
        let mut special = pattern.clone();
        for argument in special.arguments.iter_mut().filter(|argument| **argument == variable) {
            *argument = Argument::Term(term.clone());
        }
        special.normalised()
    });
    fixed.collect()
}
