//! The form of a sentence, without names, for documents and comparisons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::{Condition, Shape};

/// The form of a condition, without the names that the rules use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WinningForm {
    /// One fact.
    Fact,
    /// Several facts together.
    Facts {
        /// The number of facts.
        facts: usize,
    },
    /// One content on any cell that it can be on.
    Anywhere,
    /// One content on any cell of a row or column.
    Row {
        /// The number of its cells.
        cells: usize,
    },
    /// One content on one of several cells.
    SomeCell {
        /// The number of these cells.
        cells: usize,
    },
    /// One content on all cells of one of several sets.
    Lines {
        /// The cells of each set.
        cells: usize,
        /// The number of sets.
        lines: usize,
        /// Whether each set is a straight line of neighbouring cells.
        straight: bool,
        /// Whether the cells next to the line must not have the content.
        exactly: bool,
    },
    /// Two contents on one cell.
    Meeting,
    /// A content on a cell without another content.
    Without,
    /// One of several combinations of facts.
    Combinations {
        /// The facts of each combination.
        facts: usize,
        /// The number of combinations.
        combinations: usize,
        /// The number of sets of cells that they are on.
        sets: usize,
    },
    /// The opposite of a form.
    Not {
        /// The form.
        of: Box<WinningForm>,
    },
    /// A number is higher than another: of facts, or the value of a quantity.
    More {
        /// The smallest difference.
        by: i32,
    },
    /// A number is at least, or at most, so large.
    Range {
        /// The smallest number.
        least: Option<i32>,
        /// The largest number.
        most: Option<i32>,
    },
    /// The goal value grows with a number.
    Points,
    /// A role cannot move.
    Stuck {
        /// The role, counted from 0.
        role: usize,
    },
    /// A role can move.
    Mobile {
        /// The role, counted from 0.
        role: usize,
    },
    /// A chain of own cells connects two edges.
    Chain,
    /// All facts of one content form one group.
    OneGroup,
    /// All of several forms.
    All {
        /// The forms.
        parts: Vec<WinningForm>,
    },
    /// One of several forms.
    Any {
        /// The forms.
        parts: Vec<WinningForm>,
    },
    /// No form was recognised; the text is a rule.
    Rule,
}

impl Condition {
    /// The form of the condition.
    pub(super) fn form(&self) -> WinningForm {
        match self {
            Condition::Pattern { cubes, shape } => form(cubes, shape),
            Condition::NoPattern { cubes, shape } => WinningForm::Not { of: Box::new(form(cubes, shape)) },
            Condition::Compare { by, .. } => WinningForm::More { by: *by },
            Condition::Range { least, most, .. } => WinningForm::Range { least: *least, most: *most },
            Condition::Stuck { role } => WinningForm::Stuck { role: *role },
            Condition::Mobile { role } => WinningForm::Mobile { role: *role },
            Condition::Connected(connection) if connection.axis.is_some() => WinningForm::Chain,
            Condition::Connected(_) => WinningForm::OneGroup,
            Condition::Disconnected(connection) => {
                let of = Condition::Connected(connection.clone()).form();
                WinningForm::Not { of: Box::new(of) }
            }
            Condition::All(parts) => WinningForm::All { parts: parts.iter().map(Condition::form).collect() },
            Condition::Any(parts) => WinningForm::Any { parts: parts.iter().map(Condition::form).collect() },
        }
    }
}

fn form(cubes: &[super::cubes::Cube], shape: &Shape) -> WinningForm {
    match *shape {
        Shape::Fact => WinningForm::Fact,
        Shape::Facts => WinningForm::Facts { facts: cubes[0].len() },
        Shape::Anywhere => WinningForm::Anywhere,
        Shape::Row { .. } => WinningForm::Row { cells: cubes.len() },
        Shape::SomeCell => WinningForm::SomeCell { cells: cubes.len() },
        Shape::Lines { cells, straight, exactly } => {
            WinningForm::Lines { cells, lines: cubes.len(), straight, exactly }
        }
        Shape::Meeting => WinningForm::Meeting,
        Shape::Without => WinningForm::Without,
        Shape::Combinations { facts, sets, .. } => {
            WinningForm::Combinations { facts, combinations: cubes.len(), sets }
        }
    }
}
