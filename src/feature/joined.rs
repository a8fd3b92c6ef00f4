//! Conjunctions of the rules' bodies as they are counted: in one form whatever the order of literals and rules, with
//! constants told apart from the rest.

use std::collections::BTreeSet;

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::Term;
use crate::structure::shape;

/// Literals of a conjunction at most: two that depend on the state, and facts that lead from one to the other.
const LITERALS: usize = 4;

/// Literals of a body that depend on the state, of which pairs are looked at, at most.
const OF_A_BODY: usize = 16;

/// A conjunction in which every argument is a variable, by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Base {
    pub(super) literals: Vec<(RelationId, Vec<usize>)>,
    pub(super) variables: usize,
}

/// A base, and for each of its variables the constant that stands there, if one does.
pub(super) type Joined = (Base, Vec<Option<String>>);

impl Base {
    /// The ways in which its variables can stand for each other: for each of them, which variable each becomes.
    pub(super) fn symmetries(&self) -> Vec<Vec<usize>> {
        let onto = |order: Vec<usize>| {
            let mut image = vec![None; self.variables];
            for (to, (relation, places)) in order.into_iter().zip(&self.literals) {
                let (other, others) = &self.literals[to];
                let mut pairs = places.iter().zip(others);
                let fits = other == relation
                    && pairs.all(|(&place, &other)| *image[place].get_or_insert(other) == other);
                if !fits {
                    return None;
                }
            }
            let image: Vec<usize> = image.into_iter().collect::<Option<_>>()?;
            let different: BTreeSet<usize> = image.iter().copied().collect();
            (different.len() == image.len()).then_some(image)
        };
        let found: BTreeSet<Vec<usize>> = orders(self.literals.len()).into_iter().filter_map(onto).collect();
        found.into_iter().collect()
    }
}

/// The conjunctions of rules' bodies: atoms that rules derive from the state, each by itself, and pairs of atoms that depend
/// on the state and have a variable in common, or are joined by facts.
pub(super) fn of_rules(description: &Description) -> (BTreeSet<Joined>, BTreeSet<Joined>) {
    let shapes = shape::relations(description);
    let (mut single, mut pairs) = (BTreeSet::new(), BTreeSet::new());
    for rule in &description.rules {
        let atoms = rule.body.iter().filter_map(Literal::atom).filter(|atom| is_flat(atom));
        let derived = atoms.filter(|atom| of_state(description, atom) == Some(RelationKind::View));
        single.extend(derived.filter_map(|atom| canonical(description, &shapes, &[atom])));
        let positive = || {
            let atoms = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) => Some(atom),
                _ => None,
            });
            atoms.filter(|atom| is_flat(atom))
        };
        let open: Vec<&Atom> = positive().filter(|atom| of_state(description, atom).is_some()).collect();
        if open.len() > OF_A_BODY {
            continue;
        }
        let facts: Vec<&Atom> = positive().filter(|atom| is_fact(description, atom)).collect();
        for (place, one) in open.iter().enumerate() {
            for other in &open[place + 1..] {
                let joined = with_facts(one, other, &facts);
                pairs.extend(joined.and_then(|joined| canonical(description, &shapes, &joined)));
            }
        }
    }
    (single, pairs)
}

/// What an atom that depends on the state alone is: under `true`, or derived by rules.
fn of_state(description: &Description, atom: &Atom) -> Option<RelationKind> {
    let relation = &description.relations[atom.relation.index()];
    let kind = relation.kind;
    let derived = kind == RelationKind::View && relation.dependence == Dependence::State;
    (kind == RelationKind::True || derived).then_some(kind)
}

fn is_fact(description: &Description, atom: &Atom) -> bool {
    let relation = &description.relations[atom.relation.index()];
    relation.kind == RelationKind::View && relation.dependence == Dependence::Static
}

/// Whether no function stands in it around a variable.
fn is_flat(atom: &Atom) -> bool {
    atom.arguments.iter().all(|term| !matches!(term, Term::Compound(..)))
}

fn variables(atom: &Atom) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    atom.for_each_variable(&mut |variable| {
        found.insert(variable.0);
    });
    found
}

/// Two atoms with the facts that have variables of both, or of nothing but them; none where nothing joins the two.
fn with_facts<'r>(one: &'r Atom, other: &'r Atom, facts: &[&'r Atom]) -> Option<Vec<&'r Atom>> {
    let (first, second) = (variables(one), variables(other));
    let both: BTreeSet<u32> = first.union(&second).copied().collect();
    let mut joined = first.intersection(&second).next().is_some();
    let mut atoms = vec![one, other];
    for fact in facts {
        let own = variables(fact);
        let leads = own.intersection(&first).next().is_some() && own.intersection(&second).next().is_some();
        joined |= leads;
        if leads || !own.is_empty() && own.is_subset(&both) {
            atoms.push(fact);
        }
    }
    (joined && atoms.len() <= LITERALS).then_some(atoms)
}

/// The form of a conjunction that does not depend on the order of its literals: of all orders the least one by the shapes of
/// relations and the places of variables.
fn canonical(description: &Description, shapes: &[u64], atoms: &[&Atom]) -> Option<Joined> {
    let form = |order: Vec<usize>| {
        let (mut names, mut constants, mut count) = (Vec::new(), Vec::new(), 0);
        let mut literals = Vec::with_capacity(order.len());
        for atom in order.into_iter().map(|place| atoms[place]) {
            let arguments = atom.arguments.iter().map(|term| {
                let known = match term {
                    Term::Variable(variable) => names.iter().find(|(known, _)| known == variable),
                    _ => None,
                };
                if let Some(&(_, number)) = known {
                    return number;
                }
                match term {
                    Term::Variable(variable) => names.push((*variable, count)),
                    Term::Ground(term) => constants.push((count, description.term(*term))),
                    Term::Compound(..) => {}
                }
                count += 1;
                count - 1
            });
            literals.push((atom.relation, arguments.collect::<Vec<usize>>()));
        }
        let mut bound = vec![None; count];
        constants.into_iter().for_each(|(place, text)| bound[place] = Some(text));
        let key: Vec<(u64, Vec<usize>)> =
            literals.iter().map(|(relation, places)| (shapes[relation.index()], places.clone())).collect();
        let fixed: Vec<bool> = bound.iter().map(Option::is_some).collect();
        (key, fixed, Base { literals, variables: count }, bound)
    };
    let least = orders(atoms.len()).into_iter().map(form).min()?;
    Some((least.2, least.3))
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for thing in 0..count {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let at = |place: usize| [&order[..place], &[thing], &order[place..]].concat();
            (0..=order.len()).map(at).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
