//! Frame rules: rules by which a fluent stays unchanged.

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationKind, Rule};
use crate::gdl::term::{Term, TermId};
use crate::ground::StaticFacts;

/// Most matches of static facts for one rule; a rule with more is not a frame rule.
const MATCHES: usize = 20_000;

/// The values of a rule's variables.
type Binding = Vec<Option<TermId>>;

/// Whether terms of a rule may match ground terms. Function terms with variables match everything.
pub fn may_match(terms: &[Term], values: &[TermId]) -> bool {
    terms.iter().zip(values).all(|(term, value)| match term {
        Term::Ground(ground) => ground == value,
        Term::Variable(_) | Term::Compound(..) => true,
    })
}

/// Whether a rule only keeps a fluent while a move is made. `values` are the arguments of its `does`
/// literal. For all static facts that match its static literals, its head must be the fluent of one of its
/// own `true` literals.
pub fn is_frame_rule(
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
    // A relation without facts may be derived on demand.
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

/// The value of a term, if it is bound.
fn value(term: &Term, binding: &Binding) -> Option<TermId> {
    match term {
        Term::Ground(ground) => Some(*ground),
        Term::Variable(variable) => binding[variable.index()],
        Term::Compound(..) => None,
    }
}

/// The binding extended by matching terms with values, if they match.
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

/// Whether two atoms have the same arguments under a binding.
fn same(a: &Atom, b: &Atom, binding: &Binding) -> bool {
    let equal = |(a, b): (&Term, &Term)| {
        a == b || value(a, binding).is_some_and(|known| value(b, binding) == Some(known))
    };
    a.arguments.iter().zip(&b.arguments).all(equal)
}
