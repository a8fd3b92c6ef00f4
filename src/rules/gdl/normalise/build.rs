//! Converts clauses to the rules of a [`Description`]: interns terms, numbers relations by kind, name and arity, and numbers
//! variables by first occurrence with unique names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use super::clause::{Clause, Literal};
use super::unify::{Comparison, compare};
use crate::gdl::Description;
use crate::gdl::check::safety::{self, Unbound};
use crate::gdl::diagnostic::Diagnostics;
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{Atom, Literal as Normalised, RelationKind, Rule};
use crate::gdl::statement::{Expression, Sentence};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId, Variable};

/// Builds the description from the clauses.
pub(super) fn build<'a>(
    name: &str,
    clauses: Vec<Clause>,
    mut context: Context<'a>,
) -> (Description, &'a mut Diagnostics) {
    let symbols = std::mem::take(&mut context.symbols);
    let mut description = Description::default();
    description.name = name.into();
    description.symbols = symbols;
    let mut builder = DescriptionBuilder {
        description,
        context,
        numbers: FxHashMap::default(),
        names: Vec::new(),
        domains: None,
    };
    for clause in &clauses {
        builder.clause(clause, &clauses);
    }
    let DescriptionBuilder { mut description, context, .. } = builder;
    for rule in &description.rules {
        let relation = &description.relations[rule.head.relation.index()];
        if let (RelationKind::Role, [Term::Ground(role)]) = (relation.kind, &*rule.head.arguments)
            && rule.body.is_empty()
            && !description.roles.contains(role)
        {
            description.roles.push(*role);
        }
    }
    (description, context.diagnostics)
}

struct DescriptionBuilder<'a> {
    description: Description,
    context: Context<'a>,
    /// New numbers of the variables of the current clause.
    numbers: FxHashMap<u32, u32>,
    /// Old numbers by new ones.
    names: Vec<u32>,
    /// Relations that list the values of variables, by the name of the variable; made for the first unbound variable.
    domains: Option<FxHashMap<String, Symbol>>,
}

impl DescriptionBuilder<'_> {
    /// Adds the rule of a clause, one of `all`.
    fn clause(&mut self, clause: &Clause, all: &[Clause]) {
        let bound = clause.positive_variables();
        let mut safe = true;
        clause.head.for_each_variable(&mut |variable, span| {
            if !bound.contains(&variable) {
                safe = false;
                let name = &self.context.variable(clause, variable);
                let symbol = self.description.symbols.find(name.trim_start_matches('?'));
                let is_role = matches!(clause.head.keyword, Some(Keyword::Legal | Keyword::Goal))
                    && matches!(clause.head.arguments.first(), Some(Expression::Variable(first, _)) if *first == variable);
                let domain = self.domain(name, all).or_else(|| is_role.then(|| "role".to_owned()));
                let unbound = Unbound {
                    name,
                    span,
                    bound: &self.context.bound_variables(clause),
                    constant: symbol.and_then(|symbol| clause.constant(symbol)),
                    domain: domain.as_deref(),
                    in_fact: clause.span == clause.head.span,
                };
                safety::unsafe_head(self.context.diagnostics, &unbound);
            }
        });
        if !safe {
            return;
        }
        self.numbers.clear();
        self.names.clear();
        let Some(head) = self.atom(&clause.head) else { return };
        let mut body = Vec::with_capacity(clause.body.len());
        for literal in &clause.body {
            let literal = match literal {
                Literal::Positive(sentence) => self.atom(sentence).map(Normalised::Positive),
                Literal::Negative(sentence) => self.atom(sentence).map(Normalised::Negative),
                Literal::Distinct(a, b) => match compare(a, b) {
                    Comparison::Different => continue,
                    // A term does not differ from itself, so the rule never applies.
                    Comparison::Equal => return,
                    Comparison::Open => Some(Normalised::Distinct(self.term(a), self.term(b))),
                },
            };
            let Some(literal) = literal else { return };
            body.push(literal);
        }
        let variables = self.variable_names(clause);
        self.description.add_rule(Rule { head, body, variables, span: clause.span, origin: clause.origin });
    }

    /// A relation with one argument and a fact that a rule applies to a variable of this name (with its `?`). All names are
    /// collected once, because a text can have many unbound variables.
    fn domain(&mut self, name: &str, all: &[Clause]) -> Option<String> {
        if self.domains.is_none() {
            let facts =
                all.iter().filter(|clause| clause.body.is_empty() && clause.head.arguments.len() == 1);
            let facts: FxHashSet<Symbol> = facts.map(|clause| clause.head.name).collect();
            let mut domains = FxHashMap::default();
            for (clause, literal) in
                all.iter().flat_map(|clause| clause.body.iter().map(move |literal| (clause, literal)))
            {
                if let Literal::Positive(Sentence { name: relation, keyword: None, arguments, .. }) = literal
                    && let [Expression::Variable(variable, _)] = &arguments[..]
                    && facts.contains(relation)
                {
                    domains.entry(self.context.variable(clause, *variable)).or_insert(*relation);
                }
            }
            self.domains = Some(domains);
        }
        let relation = *self.domains.as_ref()?.get(name)?;
        Some(self.description.symbols.name(relation).to_owned())
    }

    /// Names of the clause's variables, made unique.
    fn variable_names(&mut self, clause: &Clause) -> Vec<Symbol> {
        let mut used: FxHashSet<String> = FxHashSet::default();
        let mut names = Vec::with_capacity(self.names.len());
        for &old in &self.names {
            let base = self.context.variables.name(clause.variables[old as usize]);
            let mut name = base.to_owned();
            let mut number = 2;
            while !used.insert(name.clone()) {
                name = format!("{base}_{number}");
                number += 1;
            }
            names.push(self.description.symbols.intern(&name));
        }
        names
    }

    /// The atom of a sentence; `None` for one that the checks report, such as `true` with two arguments.
    fn atom(&mut self, sentence: &Sentence) -> Option<Atom> {
        let kind = match sentence.keyword {
            None if self.context.auxiliary.contains(&sentence.name) => RelationKind::Auxiliary,
            None => RelationKind::View,
            Some(keyword) => keyword.kind()?,
        };
        let arguments = &sentence.arguments;
        if sentence.keyword.is_some_and(|keyword| keyword.arity() != Some(arguments.len())) {
            return None;
        }
        let (relation, arguments) = match (sentence.keyword.and_then(Keyword::whole), &arguments[..]) {
            (Some(0), [Expression::Application(functor, inner, _)]) => {
                (self.description.add_relation(kind, *functor, inner.len()), self.terms(inner))
            }
            (Some(1), [role, Expression::Application(functor, inner, _)]) => {
                let relation = self.description.add_relation(kind, *functor, inner.len() + 1);
                let role = self.term(role);
                (relation, std::iter::once(role).chain(self.terms(inner)).collect())
            }
            (Some(_), _) => return None,
            (None, all) => (self.description.add_relation(kind, sentence.name, all.len()), self.terms(all)),
        };
        Some(Atom { relation, arguments: arguments.into() })
    }

    fn terms(&mut self, expressions: &[Expression]) -> Vec<Term> {
        expressions.iter().map(|expression| self.term(expression)).collect()
    }

    fn term(&mut self, expression: &Expression) -> Term {
        match expression {
            Expression::Variable(variable, _) => {
                let names = &mut self.names;
                let number = *self.numbers.entry(*variable).or_insert_with(|| {
                    names.push(*variable);
                    names.len() as u32 - 1
                });
                Term::Variable(Variable(number))
            }
            Expression::Application(functor, arguments, _) => {
                let arguments = self.terms(arguments);
                let ground: Option<Vec<TermId>> = arguments
                    .iter()
                    .map(|argument| match argument {
                        Term::Ground(term) => Some(*term),
                        _ => None,
                    })
                    .collect();
                match ground {
                    Some(ground) => Term::Ground(self.description.terms.intern(*functor, &ground)),
                    None => Term::Compound(*functor, arguments.into()),
                }
            }
        }
    }
}
