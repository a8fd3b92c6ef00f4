//! Normalises statements to a [`Description`]: formulas become conjunctions, unbound variables under negation become
//! auxiliary relations, and variables for whole fluents and moves are expanded to one rule for each functor.

mod build;
mod clause;
mod expand;
mod negation;
mod specialise;
mod unfold;
mod unify;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Description;
use super::check::{syntax, tolerated};
use super::diagnostic::Diagnostics;
use super::keyword::Keyword;
use super::source::{Negation, Span};
use super::statement::{Expression, Sentence, Statement, Text};
use super::symbol::{Symbol, Symbols};
use crate::catalog::grouped;
use clause::{Clause, Literal};

/// Maximum number of conjunctions of one rule before its disjunctions are factored out.
const MAX_UNFOLDING: usize = 1024;
/// Maximum number of literals of all normalised rules.
const MAX_LITERALS: usize = 4_000_000;

/// The normalised rules exceed [`MAX_LITERALS`].
struct TooLarge;

/// State shared by the steps.
struct Context<'a> {
    symbols: Symbols,
    variables: &'a Symbols,
    diagnostics: &'a mut Diagnostics,
    negation: Negation,
    /// Names of auxiliary relations.
    auxiliary: FxHashSet<Symbol>,
    /// Auxiliary relations for "such a thing exists", by pattern.
    existential: FxHashMap<String, Symbol>,
    /// Clauses of the auxiliary relations.
    clauses: Vec<Clause>,
}

impl Context<'_> {
    /// A name for an auxiliary relation that is not in the text.
    fn fresh_relation(&mut self) -> Symbol {
        let mut number = self.auxiliary.len() + 1;
        let name = loop {
            let name = format!("aux_{number}");
            if self.symbols.find(&name).is_none() {
                break name;
            }
            number += 1;
        };
        let symbol = self.symbols.intern(&name);
        self.auxiliary.insert(symbol);
        symbol
    }

    /// The names of the variables that positive literals bind, with their `?`.
    fn bound_variables(&self, clause: &Clause) -> Vec<String> {
        let bound = clause.positive_variables();
        let variables = 0..clause.variables.len() as u32;
        variables.filter(|other| bound.contains(other)).map(|other| self.variable(clause, other)).collect()
    }

    /// The name of a clause's variable, with its `?`.
    fn variable(&self, clause: &Clause, variable: u32) -> String {
        format!("?{}", self.variables.name(clause.variables[variable as usize]))
    }
}

/// Normalises a text. Faults are added to `diagnostics`; if some are errors, the description is incomplete.
pub(crate) fn normalise(
    name: &str,
    text: &Text,
    negation: Negation,
    diagnostics: &mut Diagnostics,
) -> Description {
    let mut context = Context {
        symbols: text.symbols.clone(),
        variables: &text.variables,
        diagnostics,
        negation,
        auxiliary: FxHashSet::default(),
        existential: FxHashMap::default(),
        clauses: Vec::new(),
    };
    let clauses = conjunctions(&text.statements, &mut context);
    let bind = |clause| negation::bind(seen_by_all(clause, &mut context), &mut context);
    let mut clauses: Vec<Clause> = clauses.into_iter().map(bind).collect();
    clauses.append(&mut context.clauses);
    clauses.sort_by_key(|clause| clause.origin);
    let clauses = expand::expand(clauses, &mut context).unwrap_or_else(|TooLarge| {
        too_large(context.diagnostics);
        Vec::new()
    });
    let (description, diagnostics) = build::build(name, clauses, context);
    specialise::specialise(description, text, diagnostics)
}

/// Adds `(role ?r)` to a rule for `sees` whose role `?r` is unbound: every role sees the percept.
fn seen_by_all(mut clause: Clause, context: &mut Context<'_>) -> Clause {
    let Sentence { name, keyword: None, arguments, .. } = &clause.head else { return clause };
    let ([Expression::Variable(role, span), _], Some(word)) =
        (&arguments[..], context.symbols.find(Keyword::Role.name()))
    else {
        return clause;
    };
    let (role, span) = (*role, *span);
    if context.symbols.name(*name) != "sees" || clause.positive_variables().contains(&role) {
        return clause;
    }
    let name = context.variable(&clause, role);
    tolerated::seen_by_all(context.diagnostics, span, &name);
    let arguments = vec![Expression::Variable(role, span)];
    let every = Sentence { name: word, keyword: Some(Keyword::Role), arguments, span };
    clause.body.insert(0, Literal::Positive(every));
    clause
}

fn too_large(diagnostics: &mut Diagnostics) {
    let message = format!("the normalised rules have over {} literals", grouped(MAX_LITERALS as u64));
    diagnostics.add(syntax::TOO_LARGE, Span::default(), message);
}

/// Converts every statement to conjunctions.
fn conjunctions(statements: &[Statement], context: &mut Context<'_>) -> Vec<Clause> {
    let mut clauses = Vec::with_capacity(statements.len());
    let mut budget = MAX_LITERALS;
    for (origin, statement) in statements.iter().enumerate() {
        let first = unfold::Pending {
            head: statement.head.clone(),
            body: statement.body.iter().map(|formula| unfold::normal(formula, false)).collect(),
            variables: statement.variables.clone(),
            span: statement.span,
            origin: origin as u32,
        };
        let mut pending = vec![first];
        while let Some(rule) = pending.pop() {
            let span = rule.span;
            let Some(unfolded) = unfold::unfold(rule, context, &mut pending) else {
                context.diagnostics.add(
                    syntax::UNFOLDS,
                    span,
                    format!(
                        "this rule unfolds into more than {} conjunctions",
                        grouped(MAX_UNFOLDING as u64)
                    ),
                );
                break;
            };
            let size = unfolded.iter().map(|clause| clause.body.len()).sum::<usize>();
            let Some(left) = budget.checked_sub(size) else {
                too_large(context.diagnostics);
                return Vec::new();
            };
            budget = left;
            clauses.extend(unfolded);
        }
    }
    clauses
}
