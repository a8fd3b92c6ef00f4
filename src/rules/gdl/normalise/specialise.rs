//! Removes cycles through a negation between atoms with different constants: `(goal ?r 100)` if not `(goal ?r 0)`.
//!
//! GDL forbids such cycles, but public games have them, and their meaning is unique. If every head of a relation and every
//! use within the cycle has a constant in the same argument, the relation is split into one for each constant. Rules outside
//! the cycle continue to use the original relation.

use crate::gdl::Description;
use crate::gdl::check::stratification;
use crate::gdl::dependency::{self, Dependencies};
use crate::gdl::diagnostic::Diagnostics;
use crate::gdl::rule::{Atom, Literal, RelationId, RelationKind, Rule};
use crate::gdl::statement::Text;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId, Variable};

/// Maximum number of relations that are split: each costs a pass over all rules.
const MAX_ROUNDS: usize = 32;

/// Splits relations until the rules are stratified or no relation can be split; then sets `dependence` and `stratum`.
pub(super) fn specialise(
    mut description: Description,
    text: &Text,
    diagnostics: &mut Diagnostics,
) -> Description {
    for _ in 0..MAX_ROUNDS {
        let dependencies = Dependencies::of(&description);
        let splittable = dependencies.unstratified().into_iter().find_map(|(head, negation)| {
            let set = &dependencies.components[dependencies.component_of[head.index()]];
            let split = set.iter().find_map(|&relation| split(&description, &dependencies, relation))?;
            Some((negation, split))
        });
        let Some((negation, split)) = splittable else { break };
        let rule = &description.rules[negation.rule as usize];
        let negated = &description.relations[negation.relation.index()];
        let statement = &text.statements[rule.origin as usize];
        let mut span = statement.span;
        for formula in &statement.body {
            formula.for_each_sentence(false, &mut |sentence, negative| {
                if negative && sentence.name == negated.name {
                    span = sentence.span;
                }
            });
        }
        stratification::broken_cycle(diagnostics, span, description.symbols.name(negated.name));
        description = apart(description, &dependencies, &split);
    }
    dependency::fill(&mut description);
    description
}

/// A relation to split by the constants of one argument.
struct Split {
    relation: RelationId,
    argument: usize,
    constants: Vec<TermId>,
}

fn split(description: &Description, dependencies: &Dependencies, relation: RelationId) -> Option<Split> {
    let heads =
        || description.rules_of[relation.index()].iter().map(|&rule| &description.rules[rule as usize].head);
    let uses = || {
        let rules = description.rules.iter().filter(|rule| dependencies.mutual(rule.head.relation, relation));
        rules.flat_map(|rule| &rule.body).filter_map(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) if atom.relation == relation => Some(atom),
            _ => None,
        })
    };
    let arity = description.relations[relation.index()].arity;
    (0..arity).find_map(|argument| {
        let constant = |atom: &Atom| match atom.arguments[argument] {
            Term::Ground(term) => Some(term),
            _ => None,
        };
        let mut constants: Vec<TermId> = heads().chain(uses()).map(constant).collect::<Option<_>>()?;
        constants.sort_unstable();
        constants.dedup();
        (constants.len() > 1).then_some(Split { relation, argument, constants })
    })
}

/// The description after a split. Existing relations keep their ids.
fn apart(old: Description, dependencies: &Dependencies, split: &Split) -> Description {
    let (rules, relations) = (old.rules, old.relations);
    let mut new = Description::default();
    (new.name, new.symbols, new.terms, new.roles) = (old.name, old.symbols, old.terms, old.roles);
    for relation in &relations {
        new.add_relation(relation.kind, relation.name, relation.arity);
    }
    let arity = relations[split.relation.index()].arity - 1;
    let parts: Vec<RelationId> = split
        .constants
        .iter()
        .map(|_| {
            let mut number = 1;
            while new.symbols.find(&format!("aux_{number}")).is_some() {
                number += 1;
            }
            let name = new.symbols.intern(&format!("aux_{number}"));
            new.add_relation(RelationKind::Auxiliary, name, arity)
        })
        .collect();
    let narrow = |atom: &mut Atom| {
        if atom.relation != split.relation {
            return;
        }
        if let Term::Ground(term) = atom.arguments[split.argument]
            && let Ok(part) = split.constants.binary_search(&term)
        {
            atom.relation = parts[part];
            let mut arguments = std::mem::take(&mut atom.arguments).into_vec();
            arguments.remove(split.argument);
            atom.arguments = arguments.into();
        }
    };
    let mut bridged = vec![false; parts.len()];
    for mut rule in rules {
        let inside = dependencies.mutual(rule.head.relation, split.relation);
        if rule.head.relation == split.relation
            && let Term::Ground(term) = rule.head.arguments[split.argument]
            && let Ok(part) = split.constants.binary_search(&term)
            && !std::mem::replace(&mut bridged[part], true)
        {
            let names = variable_names(arity, &mut new);
            new.add_rule(bridge(names, &rule, split, term, parts[part]));
        }
        if inside {
            narrow(&mut rule.head);
            for literal in &mut rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    narrow(atom);
                }
            }
        }
        new.add_rule(rule);
    }
    new
}

/// Names of the variables of a bridging rule.
fn variable_names(count: usize, description: &mut Description) -> Vec<Symbol> {
    (1..=count).map(|number| description.symbols.intern(&format!("x{number}"))).collect()
}

/// The bridging rule, which derives the original relation from its part for a constant.
fn bridge(names: Vec<Symbol>, rule: &Rule, split: &Split, constant: TermId, part: RelationId) -> Rule {
    let variables: Vec<Term> =
        (0..names.len() as u32).map(|number| Term::Variable(Variable(number))).collect();
    let mut arguments = variables.clone();
    arguments.insert(split.argument, Term::Ground(constant));
    Rule {
        head: Atom { relation: split.relation, arguments: arguments.into() },
        body: vec![Literal::Positive(Atom { relation: part, arguments: variables.into() })],
        variables: names,
        span: rule.span,
        origin: rule.origin,
    }
}
