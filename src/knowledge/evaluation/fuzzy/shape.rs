//! The shape of an atom's node: a measured leaf, a comparison, or the disjunction of its instances.

use std::collections::BTreeSet;

use crate::datalog::Clause;
use crate::gdl::rule::RelationId;
use crate::gdl::term::{Term, TermId};

use super::comparison::Comparison;
use super::kinds::Node;
use super::rewrite::{Part, Side, SplitComparison};
use super::unroll_context::UnrollContext;

/// The kind of node that an atom becomes.
pub(super) enum Shape {
    /// A fluent that nothing measures.
    Fact,
    /// An atom that the rules derive in every state.
    Derived,
    /// A leaf whose value rises as a fluent of its family comes nearer.
    Measured(Node),
    /// A comparison.
    Compare(Box<Sides>),
    /// "Some fact, anywhere": a disjunction of facts that are not measured.
    Anywhere,
    /// A disjunction of its instances.
    Rules,
}

/// A value with its place on a chain, and the atom that gives it, if it is not a constant.
type Valued = (TermId, u32, Option<u32>);

/// A comparison with the atoms of its values.
pub(super) struct Sides {
    /// The comparison.
    pub(super) relation: Comparison,
    /// The literals, for users.
    pub(super) text: String,
    /// Places of the left value, each with the atom that gives it; none for a constant.
    pub(super) left: Vec<(u32, Option<u32>)>,
    /// Those of the right value.
    pub(super) right: Vec<(u32, Option<u32>)>,
    /// Number of elements of the order.
    pub(super) length: u32,
}

impl Shape {
    /// The shape of an atom; `lifted` are relations that are not unrolled.
    pub(super) fn of(context: &UnrollContext<'_>, atom: u32, lifted: &BTreeSet<RelationId>) -> Shape {
        let relation = context.relation(atom);
        if lifted.contains(&relation) {
            return if context.is_fluent(atom) { Shape::Fact } else { Shape::Derived };
        }
        if context.is_fluent(atom) {
            let family = context.leaves.measured.get(&relation);
            return family
                .and_then(|family| family.leaf(&context.text(atom)))
                .map_or(Shape::Fact, Shape::Measured);
        }
        match &context.rules.parts[relation.index()] {
            Part::Projection => projection(context, atom, relation).unwrap_or(Shape::Rules),
            Part::Comparison(compared) => comparison(context, atom, relation, compared)
                .map_or(Shape::Rules, |sides| Shape::Compare(Box::new(sides))),
            _ => Shape::Rules,
        }
    }

    /// The atoms whose nodes are members of the atom's node.
    pub(super) fn atoms(&self, context: &UnrollContext<'_>, atom: u32) -> Vec<u32> {
        match self {
            Shape::Fact | Shape::Derived | Shape::Measured(_) | Shape::Anywhere => Vec::new(),
            Shape::Compare(sides) => {
                sides.left.iter().chain(&sides.right).filter_map(|&(_, atom)| atom).collect()
            }
            Shape::Rules => context.instances.of(atom).flatten().map(|&(atom, _)| atom).collect(),
        }
    }
}

/// A measured fluent in which variables stand for some coordinates.
fn projection(context: &UnrollContext<'_>, atom: u32, relation: RelationId) -> Option<Shape> {
    let clause = context.rules.program.clauses.iter().find(|clause| clause.head.relation == relation)?;
    let literal = clause.body[0].atom()?;
    let measured = context.leaves.measured.get(&literal.relation)?;
    let row = context.instances.arguments(atom);
    let mut free = 0;
    let mut text = String::new();
    for (argument, term) in literal.arguments.iter().enumerate() {
        text.push(' ');
        match term {
            Term::Variable(variable) if variable.index() >= row.len() => {
                measured.axes.iter().find(|(axis, _)| *axis == argument)?;
                free += 1;
                text.push('?');
            }
            Term::Variable(variable) => text.push_str(&context.term(row[variable.index()])),
            Term::Ground(value) => text.push_str(&context.term(*value)),
            Term::Compound(..) => return None,
        }
    }
    let name = context.description.symbols.name(context.description.relations[literal.relation.index()].name);
    let text = format!("({name}{text})");
    if free == measured.axes.len() {
        return Some(Shape::Anywhere);
    }
    measured.leaf(&text).map(Shape::Measured)
}

/// A comparison, with all values that its sides can have.
fn comparison(
    context: &UnrollContext<'_>,
    atom: u32,
    relation: RelationId,
    compared: &SplitComparison,
) -> Option<Sides> {
    let clause = context.rules.program.clauses.iter().find(|clause| clause.head.relation == relation)?;
    let row = context.instances.arguments(atom);
    let (comparison, chain) = match compared.relation {
        Some(order) => *context.leaves.comparisons.get(&order)?,
        None => (Comparison::Equal, shared_chain(context, clause, compared)?),
    };
    let comparison = match (compared.negated, comparison) {
        (false, other) => other,
        (true, Comparison::Less) => Comparison::AtLeast,
        (true, Comparison::AtMost) => Comparison::Greater,
        (true, Comparison::Greater) => Comparison::AtMost,
        (true, Comparison::AtLeast) => Comparison::Less,
        (true, Comparison::Equal) => return None,
    };
    let mut texts = Vec::new();
    let mut side = |side: &Side| side_values(context, clause, side, row, chain, &mut texts);
    let (left, right) = (side(&compared.sides[0])?, side(&compared.sides[1])?);
    // A comparison by places must hold exactly if the facts say so. Otherwise it is unrolled like any other rule.
    let agrees = left.iter().all(|&(a, low, _)| {
        right.iter().all(|&(b, high, _)| {
            let holds = compared
                .relation
                .is_none_or(|order| context.statics.holds(order, &[a, b]) != compared.negated);
            let holds = if compared.relation.is_none() { a == b } else { holds };
            holds == comparison.holds(low, high)
        })
    });
    let strip = |list: Vec<Valued>| list.into_iter().map(|(_, rank, atom)| (rank, atom)).collect();
    agrees.then(|| Sides {
        relation: comparison,
        text: match compared.relation {
            Some(order) => {
                let name =
                    context.description.symbols.name(context.description.relations[order.index()].name);
                let text = format!("({name} {})", texts.join(" "));
                if compared.negated { format!("(not {text})") } else { text }
            }
            None => format!("(= {})", texts.join(" ")),
        },
        left: strip(left),
        right: strip(right),
        length: context.leaves.length(chain),
    })
}

/// The values that a side of a comparison can have: each with its place on a chain, and with the atom that gives it, if
/// it is not a constant. Adds the side's text.
fn side_values(
    context: &UnrollContext<'_>,
    clause: &Clause,
    side: &Side,
    row: &[TermId],
    chain: usize,
    texts: &mut Vec<String>,
) -> Option<Vec<Valued>> {
    let ranks = &context.leaves.chains[chain];
    match side {
        Side::Constant(value) => {
            texts.push(context.term(*value));
            Some(vec![(*value, *ranks.get(value)?, None)])
        }
        Side::Argument { literal, argument } => {
            let giver = clause.body[*literal].atom()?;
            let pattern: Option<Vec<Option<TermId>>> = giver
                .arguments
                .iter()
                .enumerate()
                .map(|(index, term)| match term {
                    _ if index == *argument => Some(None),
                    Term::Variable(variable) => row.get(variable.index()).map(|&value| Some(value)),
                    Term::Ground(value) => Some(Some(*value)),
                    Term::Compound(..) => None,
                })
                .collect();
            let pattern = pattern?;
            texts.push(context.pattern_text(giver.relation, &pattern));
            let table = context.instances.database.table(giver.relation);
            let matching = table.iter().filter(|row| {
                row.iter().zip(&pattern).all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value))
            });
            let mut values: Vec<Valued> = matching
                .map(|row| {
                    let number = context.instances.atom(giver.relation, row)?;
                    Some((row[*argument], *ranks.get(&row[*argument])?, Some(number)))
                })
                .collect::<Option<_>>()?;
            values.sort_unstable_by_key(|&(_, rank, number)| (rank, number));
            Some(values)
        }
    }
}

/// The shortest chain that has all values of both sides of an equality.
fn shared_chain(context: &UnrollContext<'_>, clause: &Clause, compared: &SplitComparison) -> Option<usize> {
    let covers = |chain: usize| {
        compared.sides.iter().all(|side| match side {
            Side::Argument { literal, argument } => {
                let giver = clause.body[*literal].atom();
                giver.is_some_and(|giver| {
                    let mut rows = context.instances.database.table(giver.relation).iter();
                    rows.all(|row| context.leaves.chains[chain].contains_key(&row[*argument]))
                })
            }
            Side::Constant(value) => context.leaves.chains[chain].contains_key(value),
        })
    };
    (0..context.leaves.chains.len())
        .filter(|&chain| covers(chain))
        .min_by_key(|&chain| context.leaves.length(chain))
}
