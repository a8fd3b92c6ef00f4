//! # What it does
//! Takes conditions on fluents from the rules, and counts the solutions of each.
//!
//! # How
//! Every atom under `true` in the body of a rule is an expression, such as `(cell ?x ?y b)`. Its value is the number
//! of facts that match it. Further expressions are derived in at most three steps: one step replaces a constant by a
//! variable, or a variable by a constant of its domain. Two expressions that differ in one constant also give a
//! difference.
//!
//! Expressions that need fewer steps come first. Expressions that have constants at the same arguments form a group, and
//! smaller groups come first. Groups are added as a whole within a budget of 200 expressions and 100 differences; groups of
//! one size are added together or not at all. The choice therefore depends neither on names nor on the order of rules.
//! Further steps begin at the groups that were added. A note reports how many groups exceed the budget.
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
//! 2014. Like the source, this family has no ratios of two expressions. Unlike the source, it takes single atoms
//! under `true` only: solutions of derived relations and of conjunctions are not sums over the facts of a state. The
//! source has no budget; here it limits the cost of measuring correlations. No study compares these choices.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::counted;
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

/// The maximum number of expressions of a game.
const MAX_EXPRESSIONS: usize = 200;

/// The maximum number of differences of a game.
const MAX_DIFFERENCES: usize = 100;

/// The maximum number of steps from an expression of the rules.
const MAX_STEPS: usize = 3;

const FAMILY: Family = Family::Expression;

/// Patterns by the number of steps from the rules and by skeleton: the pattern with `#` for each constant.
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
        for index in 0..skeleton.arguments.len() {
            if matches!(skeleton.arguments[index], Argument::Variable(_)) {
                continue;
            }
            let mut alike: BTreeMap<Pattern, Vec<&Pattern>> = BTreeMap::new();
            for pattern in patterns {
                let mut rest = pattern.clone();
                rest.arguments[index] = Argument::Term(String::new());
                alike.entry(rest).or_default().push(pattern);
            }
            let pairs = alike.values().flat_map(|alike| {
                let one = alike.iter().enumerate();
                one.flat_map(|(at, one)| alike[at + 1..].iter().map(|other| [*one, *other]))
            });
            // One more than the budget suffices to see that they exceed it.
            let pairs: Vec<_> = pairs.take(MAX_DIFFERENCES + 1).collect();
            if !pairs.is_empty() {
                groups.insert((*steps, skeleton.clone(), index), pairs);
            }
        }
    }
    let sizes = groups.iter().map(|(key, pairs)| (key.0, pairs.len())).collect();
    let (fitting, cut) = fitting(sizes, MAX_DIFFERENCES);
    for (_, pairs) in groups.iter().filter(|(key, pairs)| fitting.contains(&(key.0, pairs.len()))) {
        for [one, other] in pairs {
            let count = |pattern: &Pattern| Box::new(Spec::Count { pattern: pattern.to_string() });
            let spec = Spec::Difference { first: count(one), second: count(other) };
            features.add(sources, FAMILY, None, &format!("{}-{}", slug(one), slug(other)), spec);
        }
    }
    if cut > 0 {
        let text = format!(
            "expressions: differences at {cut} arguments are left out, because together they exceed {MAX_DIFFERENCES}"
        );
        features.notes.push(text);
    }
}

/// The groups that fit into a budget, each given by its steps and size, and the number that don't fit. Smaller groups
/// come first; groups of one size fit together or not at all.
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

/// The expressions within the budget, in groups.
fn expressions(sources: &Sources<'_>, features: &mut Features) -> Groups {
    let mut kept = Groups::new();
    let mut known: BTreeSet<Pattern> = BTreeSet::new();
    let mut latest: Vec<Pattern> = from_rules(sources);
    let (mut left, mut excluded) = (MAX_EXPRESSIONS, BTreeSet::new());
    for steps in 0..=MAX_STEPS {
        let mut groups: BTreeMap<Pattern, BTreeSet<Pattern>> = BTreeMap::new();
        for pattern in latest.drain(..).filter(|pattern| !known.contains(pattern)) {
            let skeleton = skeleton(&pattern);
            // A later step may derive some patterns of an excluded group, and groups are used as a whole.
            if excluded.contains(&skeleton) {
                continue;
            }
            let group = groups.entry(skeleton).or_default();
            // One more than the budget suffices to see that the group exceeds it.
            if group.len() <= MAX_EXPRESSIONS {
                group.insert(pattern);
            }
        }
        let sizes: Vec<(usize, usize)> = groups.values().map(|group| (steps, group.len())).collect();
        let (fits, _) = fitting(sizes, left);
        for (skeleton, group) in groups {
            if fits.contains(&(steps, group.len())) {
                left -= group.len();
                known.extend(group.iter().cloned());
                latest.extend(steps_from(sources, &group));
                kept.insert((steps, skeleton), group);
            } else {
                excluded.insert(skeleton);
            }
        }
    }
    if !excluded.is_empty() {
        features.notes.push(format!(
            "expressions: {} of at most {MAX_EXPRESSIONS} are used, without {} that would exceed the limit, and without \
             expressions derived only from such groups",
            MAX_EXPRESSIONS - left,
            counted(excluded.len() as u64, "group", "groups"),
        ));
    }
    kept
}

/// The pattern with `#` for each constant.
fn skeleton(pattern: &Pattern) -> Pattern {
    let mut skeleton = pattern.clone();
    for argument in &mut skeleton.arguments {
        if matches!(argument, Argument::Term(_)) {
            *argument = Argument::Term("#".to_owned());
        }
    }
    skeleton
}

/// The atoms under `true` in bodies of rules, if some fluent matches.
fn from_rules(sources: &Sources<'_>) -> Vec<Pattern> {
    let description = sources.fluent_index.machine().description();
    let mut found = BTreeSet::new();
    for literal in description.rules.iter().flat_map(|rule| &rule.body) {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        if description.relations[atom.relation.index()].kind == RelationKind::True {
            let pattern = atom_pattern(sources, atom).normalised();
            // A counter of steps contains no information, and would use the budget of other expressions.
            let clock = sources.finding(&pattern).is_some_and(|finding| finding.kind == FluentKind::Counter);
            if !clock && sources.fluent_index.matching(&pattern).is_ok() {
                found.insert(pattern);
            }
        }
    }
    found.into_iter().collect()
}

fn atom_pattern(sources: &Sources<'_>, atom: &Atom) -> Pattern {
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

/// The patterns one step away: a constant becomes a variable, or a variable becomes each constant of its domain.
fn steps_from(sources: &Sources<'_>, group: &BTreeSet<Pattern>) -> Vec<Pattern> {
    let mut found = BTreeSet::new();
    for pattern in group {
        for (index, argument) in pattern.arguments.iter().enumerate() {
            match argument {
                Argument::Term(_) => {
                    let mut general = pattern.clone();
                    general.arguments[index] = Argument::Variable("new".to_owned());
                    found.insert(general.normalised());
                }
                Argument::Variable(name) => {
                    let first = pattern.arguments.iter().position(|other| other == argument) == Some(index);
                    if first && !in_function(pattern, name) {
                        found.extend(specialisations(sources, pattern, index));
                    }
                }
                Argument::Function(..) => {}
            }
        }
    }
    found.into_iter().collect()
}

/// Whether a variable occurs inside a function term; its domain is not computed there.
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

/// The pattern with the variable at an argument replaced by each constant of its domain.
fn specialisations(sources: &Sources<'_>, pattern: &Pattern, index: usize) -> Vec<Pattern> {
    let mut terms: BTreeSet<String> = BTreeSet::new();
    if sources.fluent_index.is_complete() {
        let Ok(found) = sources.fluent_index.matching(pattern) else { return Vec::new() };
        terms.extend(found.iter().map(|(_, arguments)| arguments[index].to_owned()));
    } else if let Some(finding) = sources.finding(pattern) {
        let known = &finding.domains[index].terms;
        terms.extend(known.iter().map(|&term| sources.machine().term_text(term)));
    }
    let variable = pattern.arguments[index].clone();
    let all = terms.into_iter().map(|term| {
        let mut fixed = pattern.clone();
        for argument in fixed.arguments.iter_mut().filter(|argument| **argument == variable) {
            *argument = Argument::Term(term.clone());
        }
        fixed.normalised()
    });
    all.collect()
}
