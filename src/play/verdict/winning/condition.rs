//! Conditions on states that can be put in words, and the states in which they hold.
//!
//! They are evaluated on the facts of a state, never by the rules of `goal`.

use super::cubes::{Cube, Leaves};
use super::facts::FactTable;
use super::measure::Measure;
use super::state_set::StateSet;
use super::states::{Mobility, StateTable};

/// A condition on states.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// One of several conjunctions of facts holds.
    Pattern {
        /// The conjunctions.
        cubes: Vec<Cube>,
        /// What they have in common.
        shape: Shape,
    },
    /// None of them holds.
    NoPattern {
        /// The conjunctions.
        cubes: Vec<Cube>,
        /// What they have in common.
        shape: Shape,
    },
    /// A measure is at least so much more than another.
    Compare { more: Measure, less: Measure, by: i32 },
    /// A measure is in a range.
    Range { measure: Measure, least: Option<i32>, most: Option<i32> },
    /// A role could only wait if it were its turn.
    Stuck { role: usize },
    /// A role could make another move than waiting if it were its turn.
    Mobile { role: usize },
    /// Facts of one content connect two edges of their board, or are all connected.
    Connected(super::connection::Connection),
    /// They don't.
    Disconnected(super::connection::Connection),
    /// All of these hold.
    All(Vec<Condition>),
    /// One of these holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether it depends on whether a role can move.
    pub(super) fn is_about_moves(&self) -> bool {
        match self {
            Condition::Stuck { .. } | Condition::Mobile { .. } => true,
            Condition::All(parts) | Condition::Any(parts) => parts.iter().any(Condition::is_about_moves),
            _ => false,
        }
    }

    /// A condition that holds where this one doesn't.
    pub(super) fn negation(self) -> Condition {
        match self {
            Condition::Pattern { cubes, shape } => Condition::NoPattern { cubes, shape },
            Condition::NoPattern { cubes, shape } => Condition::Pattern { cubes, shape },
            Condition::Compare { more, less, by } => {
                Condition::Compare { more: less, less: more, by: 1 - by }
            }
            Condition::Range { measure, least, most } => {
                // Ranges are bounded on one side.
                let (least, most) = (most.map(|most| most + 1), least.map(|least| least - 1));
                Condition::Range { measure, least, most }
            }
            Condition::Stuck { role } => Condition::Mobile { role },
            Condition::Mobile { role } => Condition::Stuck { role },
            Condition::Connected(connection) => Condition::Disconnected(connection),
            Condition::Disconnected(connection) => Condition::Connected(connection),
            Condition::All(parts) => Condition::Any(parts.into_iter().map(Condition::negation).collect()),
            Condition::Any(parts) => Condition::All(parts.into_iter().map(Condition::negation).collect()),
        }
    }
}

/// What the alternatives of a pattern have in common.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// One fact.
    Fact,
    /// Several facts together.
    Facts,
    /// One content on any cell that it can be on.
    Anywhere,
    /// One content on a row of cells: the axis, counted from 0, and the position along it.
    Row {
        /// The index of the axis.
        axis: usize,
    },
    /// One content on one of several cells.
    SomeCell,
    /// One content on all cells of one of several sets of equal size.
    Lines {
        /// The cells of each set.
        cells: usize,
        /// Whether each set is a straight line of neighbouring cells.
        straight: bool,
        /// Whether the next cell at either end must not have the content.
        exactly: bool,
    },
    /// Two contents on one cell.
    Meeting,
    /// A content on a cell without another content.
    Without,
    /// Several facts together in one of several combinations, on a number of different sets of cells.
    Combinations {
        /// The facts of each combination.
        facts: usize,
        /// The number of different sets of cells.
        sets: usize,
        /// Whether each set is a straight line of neighbouring cells.
        straight: bool,
    },
}

/// Evaluates conditions on the states of a table.
pub(super) struct Checker<'a, 's, 'm> {
    pub(super) table: &'a StateTable<'m>,
    pub(super) facts: &'a FactTable<'s>,
    pub(super) leaves: &'a Leaves,
    pub(super) mobility: &'a Mobility,
    pub(super) measures: &'a [(Measure, Vec<i32>)],
    pub(super) connections: &'a [(super::connection::Connection, StateSet)],
}

impl Checker<'_, '_, '_> {
    /// The states in which a condition holds.
    pub(super) fn states(&self, condition: &Condition) -> StateSet {
        let count = self.table.len();
        match condition {
            Condition::Pattern { cubes, .. } => self.pattern(cubes),
            Condition::NoPattern { cubes, .. } => self.pattern(cubes).complement(),
            Condition::Compare { more, less, by } => {
                let (more, less) = (self.values(more), self.values(less));
                StateSet::of(count, |state| more[state] - less[state] >= *by)
            }
            Condition::Range { measure, least, most } => {
                let values = self.values(measure);
                StateSet::of(count, |state| {
                    least.is_none_or(|least| values[state] >= least)
                        && most.is_none_or(|most| values[state] <= most)
                })
            }
            Condition::Stuck { role } => self.mobility.stuck[*role].clone(),
            Condition::Mobile { role } => self.states(&Condition::Stuck { role: *role }).complement(),
            Condition::Connected(connection) => {
                let known = self.connections.iter().find(|(of, _)| of == connection);
                known.map_or_else(|| StateSet::empty(count), |(_, states)| states.clone())
            }
            Condition::Disconnected(connection) => {
                self.states(&Condition::Connected(connection.clone())).complement()
            }
            Condition::All(parts) => {
                (parts.iter()).fold(StateSet::full(count), |all, part| all.intersection(&self.states(part)))
            }
            Condition::Any(parts) => {
                parts.iter().fold(StateSet::empty(count), |all, part| all.union(&self.states(part)))
            }
        }
    }

    fn values(&self, measure: &Measure) -> &[i32] {
        let known = self.measures.iter().find(|(of, _)| of == measure);
        known.map_or(&[], |(_, values)| values)
    }

    fn pattern(&self, cubes: &[Cube]) -> StateSet {
        let mut all = StateSet::empty(self.table.len());
        for cube in cubes {
            let mut states = StateSet::full(self.table.len());
            for literal in cube {
                let facts = self.leaves.facts(literal.leaf);
                let mut one = StateSet::empty(self.table.len());
                for fact in facts {
                    one = one.union(self.table.holds(fact));
                }
                states = states.intersection(&if literal.negated { one.complement() } else { one });
            }
            all = all.union(&states);
        }
        all
    }
}
