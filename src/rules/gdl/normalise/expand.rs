//! Expands variables that stand for a whole fluent or move, as in `(legal ?p ?move)`, into one rule for each possible
//! functor.
//!
//! The possible functors of each argument position are computed as a data flow. They flow from bodies to heads along
//! shared variables, from `init` and `next` to `true`, and from `legal` to `does`.

use rustc_hash::FxHashMap;

use super::clause::{Clause, Literal};
use super::{Context, MAX_LITERALS, TooLarge};
use crate::gdl::check::usage;
use crate::gdl::flow::Flow;
use crate::gdl::keyword::Keyword;
use crate::gdl::statement::{Expression, Sentence};
use crate::gdl::symbol::Symbol;

/// Maximum number of values that [`Flow::solve`] may add. A description that needs more is refused.
const MAX_FLOW: usize = 10_000_000;

/// Expands every clause.
pub(super) fn expand(clauses: Vec<Clause>, context: &mut Context<'_>) -> Result<Vec<Clause>, TooLarge> {
    if clauses.iter().all(|clause| whole_variable(clause).is_none()) {
        return Ok(clauses);
    }
    let mut domains = FunctorDomains::default();
    clauses.iter().for_each(|clause| domains.add(clause, context));
    domains.connect(context);
    if !domains.flow.solve(MAX_FLOW) {
        return Err(TooLarge);
    }
    // If a part of the text was not read, a functor may only seem to be missing.
    let complete = !context.diagnostics.has_errors();
    let (mut out, mut budget) = (Vec::with_capacity(clauses.len()), MAX_LITERALS);
    for clause in clauses {
        let before = out.len();
        let original = whole_variable(&clause).is_some().then(|| clause.clone());
        let mut pending = vec![clause];
        while let Some(clause) = pending.pop() {
            let Some(variable) = whole_variable(&clause) else {
                out.push(clause);
                continue;
            };
            if !clause.positive_variables().contains(&variable) {
                // No literal binds the variable: `build` reports the unsafe head.
                out.push(clause);
                continue;
            }
            // Pushed in reverse, so that they are popped in the order of the functors.
            for (functor, arity) in domains.candidates(&clause, variable).into_iter().rev() {
                budget = budget.checked_sub(clause.body.len() + 1).ok_or(TooLarge)?;
                let mut instance = clause.clone();
                let span = clause.head.span;
                let arguments = (0..arity)
                    .map(|_| {
                        instance.variables.push(clause.variables[variable as usize]);
                        Expression::Variable(instance.variables.len() as u32 - 1, span)
                    })
                    .collect();
                instance.substitute(variable, &Expression::Application(functor, arguments, span));
                pending.push(instance);
            }
        }
        if let Some(clause) = original.filter(|_| complete && out.len() == before) {
            domains.report_dropped(&clause, context);
        }
    }
    Ok(out)
}

/// A variable of the clause in the place of a whole fluent or move.
fn whole_variable(clause: &Clause) -> Option<u32> {
    let whole = |sentence: &Sentence| match sentence.arguments.get(sentence.keyword?.whole()?) {
        Some(Expression::Variable(variable, _)) => Some(*variable),
        _ => None,
    };
    let body = clause.body.iter().filter_map(|literal| match literal {
        Literal::Positive(sentence) | Literal::Negative(sentence) => Some(sentence),
        Literal::Distinct(..) => None,
    });
    std::iter::once(&clause.head).chain(body).find_map(whole)
}

/// An argument position: the name and the number of arguments of a relation or function, and the index of the argument.
/// The arguments of a function are the same positions wherever it occurs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Relation(Symbol, usize, usize),
    Function(Symbol, usize, usize),
}

#[derive(Default)]
struct FunctorDomains {
    flow: Flow,
    places: FxHashMap<Place, u32>,
    functors: indexmap::IndexSet<(Symbol, usize), rustc_hash::FxBuildHasher>,
}

impl FunctorDomains {
    fn place(&mut self, place: Place) -> u32 {
        *self.places.entry(place).or_insert_with(|| self.flow.place())
    }

    fn functor(&mut self, functor: Symbol, arity: usize) -> u32 {
        self.functors.insert_full((functor, arity)).0 as u32
    }

    /// Collects each variable among the arguments of a sentence with its places.
    fn occurrences(&mut self, sentence: &Sentence, out: &mut Vec<(u32, u32)>) {
        let count = sentence.arguments.len();
        for (index, argument) in sentence.arguments.iter().enumerate() {
            let place = self.place(Place::Relation(sentence.name, count, index));
            self.inner_occurrences(argument, place, out);
        }
    }

    fn inner_occurrences(&mut self, expression: &Expression, place: u32, out: &mut Vec<(u32, u32)>) {
        match expression {
            Expression::Variable(variable, _) => out.push((*variable, place)),
            Expression::Application(functor, arguments, _) => {
                for (index, argument) in arguments.iter().enumerate() {
                    let inner = self.place(Place::Function(*functor, arguments.len(), index));
                    self.inner_occurrences(argument, inner, out);
                }
            }
        }
    }

    fn constants(&mut self, expression: &Expression, place: u32) {
        if let Expression::Application(functor, arguments, _) = expression {
            let value = self.functor(*functor, arguments.len());
            self.flow.value(place, value);
            for (index, argument) in arguments.iter().enumerate() {
                let inner = self.place(Place::Function(*functor, arguments.len(), index));
                self.constants(argument, inner);
            }
        }
    }

    fn add(&mut self, clause: &Clause, _context: &Context<'_>) {
        let count = clause.head.arguments.len();
        for (index, argument) in clause.head.arguments.iter().enumerate() {
            let place = self.place(Place::Relation(clause.head.name, count, index));
            self.constants(argument, place);
        }
        let (mut targets, mut sources) = (Vec::new(), Vec::new());
        self.occurrences(&clause.head, &mut targets);
        for literal in &clause.body {
            if let Literal::Positive(sentence) = literal {
                self.occurrences(sentence, &mut sources);
            }
        }
        for (variable, target) in targets {
            let from =
                sources.iter().filter(|(other, _)| *other == variable).map(|&(_, place)| place).collect();
            self.flow.transfer(target, from);
        }
    }

    /// Connects `init` and `next` to `true`, and `legal` to `does`.
    fn connect(&mut self, context: &Context<'_>) {
        let pairs = [
            (Keyword::Init, Keyword::True, 1),
            (Keyword::Next, Keyword::True, 1),
            (Keyword::Legal, Keyword::Does, 2),
        ];
        for (from, to, arity) in pairs {
            if let (Some(from), Some(to)) =
                (context.symbols.find(from.name()), context.symbols.find(to.name()))
            {
                for index in 0..arity {
                    let source = self.place(Place::Relation(from, arity, index));
                    let target = self.place(Place::Relation(to, arity, index));
                    self.flow.transfer(target, vec![source]);
                }
            }
        }
    }

    /// Reports a clause for which no functor fits, at the first literal in which the variable has no possible value, or
    /// else at the head.
    fn report_dropped(&mut self, clause: &Clause, context: &mut Context<'_>) {
        let Some(variable) = whole_variable(clause) else { return };
        let (mut empty, mut places) = (None, Vec::new());
        for literal in &clause.body {
            let Literal::Positive(sentence) = literal else { continue };
            places.clear();
            self.occurrences(sentence, &mut places);
            let none = |index: u32| self.flow.values(index).next().is_none();
            if places.iter().any(|&(other, index)| other == variable && none(index)) {
                empty.get_or_insert(sentence.span);
            }
        }
        let name = context.variable(clause, variable);
        usage::never_fires(context.diagnostics, empty.unwrap_or(clause.head.span), &name);
    }

    /// The possible functors of a variable of a clause, in the order of their symbols.
    fn candidates(&mut self, clause: &Clause, variable: u32) -> Vec<(Symbol, usize)> {
        let mut places = Vec::new();
        for literal in &clause.body {
            if let Literal::Positive(sentence) = literal {
                self.occurrences(sentence, &mut places);
            }
        }
        places.retain(|&(other, _)| other == variable);
        let Some(&(_, first)) = places.first() else { return Vec::new() };
        let all = |value: &u32| places.iter().all(|&(_, place)| self.flow.holds(place, *value));
        let mut functors: Vec<_> =
            self.flow.values(first).filter(all).map(|value| self.functors[value as usize]).collect();
        functors.sort_unstable();
        functors
    }
}
