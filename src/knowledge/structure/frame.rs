//! Frames: rules by which a fluent stays what it is.

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationKind, Rule};
use crate::gdl::term::{Term, TermId};
use crate::ground::StaticFacts;

/// Ways to match static facts that are looked at for one rule; a rule with more is taken for no frame.
const MATCHES: usize = 20_000;

/// What the variables of a rule stand for.
type Binding = Vec<Option<TermId>>;

/// Whether terms of a rule can be these ground terms. Function terms with variables are not looked into.
pub fn may_be(terms: &[Term], values: &[TermId]) -> bool {
    terms.iter().zip(values).all(|(term, value)| match term {
        Term::Ground(ground) => ground == value,
        Term::Variable(_) | Term::Compound(..) => true,
    })
}

/// Whether a rule only says that a fluent stays while a move is made: with `values` for the arguments of its
/// `does` literal, and whatever static facts its static literals match, its head is the same fluent as one of
/// its own `true` literals.
pub fn stays(
    description: &Description,
    statics: &StaticFacts,
    rule: &Rule,
    arguments: &[Term],
    values: &[TermId],
) -> bool {
    let head = &description.relations[rule.head.relation.index()];
    if head.kind != RelationKind::Next {
        return false;
    }
    let Some(present) = description.relation(RelationKind::True, head.name, head.arity) else { return false };
    let positive = || {
        rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        })
    };
    let olds: Vec<&Atom> = positive().filter(|atom| atom.relation == present).collect();
    // A relation without facts may be one that is derived on demand.
    let known = |atom: &&Atom| {
        description.relations[atom.relation.index()].dependence == Dependence::Static
            && statics.count(atom.relation) > 0
            && !atom.arguments.iter().any(|term| matches!(term, Term::Compound(..)))
    };
    let tables: Vec<&Atom> = positive().filter(known).collect();
    if olds.is_empty() || arguments.iter().any(|term| matches!(term, Term::Compound(..))) {
        return false;
    }
    let unbound = vec![None; rule.variables.len()];
    let Some(start) = bind(arguments, values, &unbound) else { return true };
    let mut open = vec![(start, vec![false; tables.len()])];
    let mut matches = 0;
    while let Some((binding, used)) = open.pop() {
        if excluded(rule, &binding) || olds.iter().any(|old| same(old, &rule.head, &binding)) {
            continue;
        }
        let free = |table: &usize| {
            let terms = &tables[*table].arguments;
            terms.iter().filter(|term| value(term, &binding).is_none()).count()
        };
        let Some(table) = (0..tables.len()).filter(|&table| !used[table]).min_by_key(free) else {
            return false;
        };
        let mut used = used;
        used[table] = true;
        for tuple in statics.tuples(tables[table].relation) {
            if let Some(more) = bind(&tables[table].arguments, tuple, &binding) {
                matches += 1;
                open.push((more, used.clone()));
            }
        }
        if matches > MATCHES {
            return false;
        }
    }
    true
}

/// What a term stands for, if that is known.
fn value(term: &Term, binding: &Binding) -> Option<TermId> {
    match term {
        Term::Ground(ground) => Some(*ground),
        Term::Variable(variable) => binding[variable.index()],
        Term::Compound(..) => None,
    }
}

/// The binding with terms standing for values, unless they can't.
fn bind(terms: &[Term], values: &[TermId], binding: &Binding) -> Option<Binding> {
    let fits = |(term, &wanted): (&Term, &TermId)| value(term, binding).is_none_or(|known| known == wanted);
    if !terms.iter().zip(values).all(fits) {
        return None;
    }
    let mut more = binding.clone();
    for (term, &wanted) in terms.iter().zip(values) {
        if let Term::Variable(variable) = term
            && *more[variable.index()].get_or_insert(wanted) != wanted
        {
            return None;
        }
    }
    Some(more)
}

/// Whether a `distinct` of the rule fails.
fn excluded(rule: &Rule, binding: &Binding) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Distinct(a, b) => a == b || value(a, binding).is_some_and(|a| value(b, binding) == Some(a)),
        _ => false,
    })
}

/// Whether two atoms have the same arguments.
fn same(a: &Atom, b: &Atom, binding: &Binding) -> bool {
    let equal = |(a, b): (&Term, &Term)| {
        a == b || value(a, binding).is_some_and(|known| value(b, binding) == Some(known))
    };
    a.arguments.iter().zip(&b.arguments).all(equal)
}
