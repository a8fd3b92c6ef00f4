//! Values of states and moves, as JSON, CSV and tables.

use serde::Serialize;

use crate::evaluation::{Document, Explanation, MoveValue};
use crate::machine::Machine;
use crate::simulate::TraceGoal;

use super::layout::{Layout, counted, grouped, significant};

/// The value of a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateEvaluation {
    /// The game's name.
    pub game: String,
    /// The function's name.
    pub id: String,
    /// The kind of the function.
    pub kind: String,
    /// The role for which the state is valued.
    pub role: String,
    /// Whether the function's document was edited after it was made; left out if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// The value.
    pub value: f64,
    /// The least and the greatest possible value of the function.
    pub range: [f64; 2],
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The role's goal value in a terminal state: a number, or a list if none or several hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<TraceGoal>,
    /// The roles that have a choice.
    pub to_move: Vec<String>,
    /// The state's atoms.
    pub state: Vec<String>,
    /// The parts of the value, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// A row of `--format csv`.
#[derive(Serialize)]
struct StateRow<'a> {
    game: &'a str,
    id: &'a str,
    kind: &'a str,
    role: &'a str,
    edited: bool,
    value: f64,
    low: f64,
    high: f64,
    terminal: bool,
    goal: Option<i32>,
}

impl StateEvaluation {
    /// The table, each line ended.
    pub fn to_table(&self, layout: Layout) -> String {
        let mut out = self.heading(layout);
        let [low, high] = self.range.map(significant);
        let mut rows =
            vec![vec!["value".to_owned(), format!("{} ({low} to {high})", significant(self.value))]];
        let state = match (&self.goal, &self.to_move[..]) {
            (Some(goal), _) => format!("terminal, goal value of {}: {}", self.role, goal_text(goal)),
            (None, []) => "no role has a choice".to_owned(),
            (None, [role]) => format!("{role} is to move"),
            (None, roles) => format!("{} choose at the same time", roles.join(" and ")),
        };
        rows.push(vec!["state".to_owned(), state]);
        out.push_str(
            &layout
                .table(&["", ""], rows)
                .lines()
                .skip(1)
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        );
        out
    }

    /// The line that names function and game.
    pub fn heading(&self, layout: Layout) -> String {
        let edited = if self.edited { ", edited" } else { "" };
        let about = format!("for {} in {}{edited}", self.role, self.game);
        format!("{}  {}\n", layout.strong(&self.id), layout.remark(&about))
    }

    /// A header and one row.
    pub fn to_csv(&self) -> Result<String, csv::Error> {
        let goal = match self.goal.as_ref().and_then(TraceGoal::values).as_deref() {
            Some(&[value]) => Some(value),
            _ => None,
        };
        super::csv_text::to_csv(&[StateRow {
            game: &self.game,
            id: &self.id,
            kind: &self.kind,
            role: &self.role,
            edited: self.edited,
            value: self.value,
            low: self.range[0],
            high: self.range[1],
            terminal: self.terminal,
            goal,
        }])
    }
}

fn goal_text(goal: &TraceGoal) -> String {
    match goal.values().as_deref() {
        Some([]) | None => "none".to_owned(),
        Some(values) => values.iter().map(i32::to_string).collect::<Vec<_>>().join(" and "),
    }
}

/// The value of a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveEvaluation {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The value of the state after the move; the mean if other roles choose at the same time.
    pub value: f64,
    /// The least value over the moves of the other roles; left out if they have no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// The greatest value over the moves of the other roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
    /// The number of the other roles' joint moves that were evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<usize>,
    /// The share of them that ends the game.
    #[serde(skip_serializing_if = "is_zero")]
    pub terminal: f64,
    /// The role's mean goal value over the joint moves that end the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<f64>,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// A row of moves; CSV has every column.
#[derive(Serialize)]
struct MoveRow {
    #[serde(rename = "move")]
    text: String,
    value: f64,
    least: f64,
    most: f64,
    replies: usize,
    terminal: f64,
    goal: Option<f64>,
}

impl MoveEvaluation {
    /// Describes the value of a move.
    pub fn new(machine: &dyn Machine, value: &MoveValue) -> MoveEvaluation {
        let several = value.replies > 1;
        MoveEvaluation {
            text: machine.move_text(value.action),
            value: value.value,
            least: several.then_some(value.ends[0]),
            most: several.then_some(value.ends[1]),
            replies: several.then_some(value.replies),
            terminal: value.terminal as f64 / value.replies.max(1) as f64,
            goal: value.goal,
        }
    }
}

/// The moves as CSV.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn moves_to_csv(moves: &[MoveEvaluation]) -> Result<String, csv::Error> {
    let row = |evaluation: &MoveEvaluation| MoveRow {
        text: evaluation.text.clone(),
        value: evaluation.value,
        least: evaluation.least.unwrap_or(evaluation.value),
        most: evaluation.most.unwrap_or(evaluation.value),
        replies: evaluation.replies.unwrap_or(1),
        terminal: evaluation.terminal,
        goal: evaluation.goal,
    };
    super::csv_text::to_csv(&moves.iter().map(row).collect::<Vec<_>>())
}

/// The moves as a table, each line ended.
pub fn moves_to_table(
    document: &Document,
    mover: &str,
    moves: &[MoveEvaluation],
    others: f64,
    layout: Layout,
) -> String {
    let has_replies = moves.iter().any(|evaluation| evaluation.replies.is_some());
    let can_end = moves.iter().any(|evaluation| evaluation.terminal > 0.0);
    let mut columns = vec!["move", "value"];
    if has_replies {
        columns.extend(["least", "most"]);
    }
    if can_end {
        columns.push("at the end");
    }
    let row = |evaluation: &MoveEvaluation| {
        let mut row = vec![evaluation.text.clone(), significant(evaluation.value)];
        if has_replies {
            row.extend(
                [evaluation.least, evaluation.most].map(|end| significant(end.unwrap_or(evaluation.value))),
            );
        }
        if can_end {
            let share = if evaluation.terminal < 1.0 {
                format!("in {}", super::layout::percent(evaluation.terminal))
            } else {
                String::new()
            };
            row.push(match evaluation.goal {
                _ if evaluation.terminal == 0.0 => String::new(),
                Some(goal) => format!("goal {} {share}", significant(goal)).trim_end().to_owned(),
                None => format!("no single goal value {share}").trim_end().to_owned(),
            });
        }
        row
    };
    let mut out = format!("{}\n", layout.heading(&format!("Moves of {mover}, valued for {}", document.role)));
    out.push_str(&layout.table(&columns, moves.iter().map(row).collect()));
    if has_replies {
        let evaluated = moves.iter().filter_map(|evaluation| evaluation.replies).max().unwrap_or(1);
        let of = if (evaluated as f64) < others {
            format!(" out of {}", grouped(others as u64))
        } else {
            String::new()
        };
        let remark = format!(
            "  Values are means over {} of the other roles{of}, all with the same weight.",
            counted(evaluated as u64, "joint move", "joint moves")
        );
        out.push_str(&layout.remark(&remark));
        out.push('\n');
    }
    out
}
