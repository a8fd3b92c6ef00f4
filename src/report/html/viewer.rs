//! The viewer: steps through a game with a drawing for every state; the page's script reads the data.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::layout::{counted, significant};
use super::charts::courses;
use super::markup::{Markup, script_json};
use super::material::{PageMaterial, PlayText, ValueCourse};
use super::palette::role_class;
use super::picture;
use super::scene::{Frame, Scene};
use super::shape::SIDE;
use super::value_drops::ValueDrop;

/// The most numbers and words in the data of all states, which limits the size of a page.
const DATA: usize = 250_000;

/// The most facts that are listed for a state.
const REST: usize = 40;

/// The game on the page.
pub(super) struct Viewer {
    pub(super) title: String,
    pub(super) steps: usize,
    pub(super) boards: Vec<BoardDrawing>,
    pub(super) gauges: Vec<GaugeBar>,
    pub(super) rest: Vec<String>,
    /// The status line of the first state.
    pub(super) status: String,
    pub(super) lines: Vec<ValueLine>,
    pub(super) plot: Option<Markup>,
    /// The result, or the reason why there is none.
    pub(super) end: String,
    /// Whether the last state of the game is not terminal or not shown.
    pub(super) cut: bool,
    /// The moves in their order.
    pub(super) moves: Vec<ListedMove>,
    /// Whether the value fell by much after one of them.
    pub(super) has_drops: bool,
    /// The bars of the values that searches expect; empty without searches.
    pub(super) evaluation: Vec<EvaluationBar>,
    /// The step at which it opens.
    pub(super) start: usize,
    pub(super) data: Markup,
}

/// A bar with the value that a role's search expects. In a zero-sum game, one bar is shared by two roles.
pub(super) struct EvaluationBar {
    /// The indices of its roles: one, or two that share it.
    pub(super) roles: Vec<usize>,
    /// The CSS classes of their colours.
    pub(super) classes: Vec<String>,
    pub(super) names: Vec<String>,
}

/// A joint move in the list of moves.
pub(super) struct ListedMove {
    /// The number of the state that it leads to.
    pub(super) step: usize,
    /// The moves of the roles that had a choice.
    pub(super) parts: Vec<MovePart>,
    /// The large drop of the mover's value.
    pub(super) drop: Option<ValueDrop>,
}

/// The move of one role.
pub(super) struct MovePart {
    /// The CSS class of the role's colour; empty for the only role of a game.
    pub(super) class: String,
    pub(super) role: String,
    pub(super) text: String,
}

/// A board of the first state.
pub(super) struct BoardDrawing {
    pub(super) title: String,
    pub(super) drawing: Markup,
    pub(super) caption: String,
}

/// A bar of the first state.
pub(super) struct GaugeBar {
    pub(super) name: String,
    pub(super) value: String,
    /// The filled share, in percent.
    pub(super) share: f64,
    pub(super) last: String,
}

/// A function with a line in the chart.
pub(super) struct ValueLine {
    pub(super) role: usize,
    pub(super) name: String,
    /// How often its sign agreed with the result; empty if unknown.
    pub(super) right: String,
}

/// A state in the data of the script.
#[derive(Serialize)]
struct StateData {
    #[serde(flatten)]
    frame: Frame,
    /// The move that led here, and the role to move.
    #[serde(rename = "m")]
    moved: String,
    #[serde(rename = "w")]
    to_move: String,
    /// The values of functions, as text.
    #[serde(rename = "v")]
    values: Vec<String>,
    /// The value that each role's search expects, in goal points.
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    estimates: Vec<Option<i64>>,
}

#[derive(Serialize)]
struct ViewerData<'a> {
    side: f64,
    /// For each board the centres of its cells.
    cells: Vec<Vec<[f64; 2]>>,
    things: Vec<String>,
    gauges: Vec<&'a [String]>,
    /// For each board the cells that decide the result in the last state.
    deciding: Vec<Vec<usize>>,
    states: Vec<StateData>,
}

/// Draws the boards of a state.
pub(super) fn boards(scene: &Scene<'_>, frame: &Frame) -> Vec<BoardDrawing> {
    let drawn = |number: usize| {
        let board = &scene.boards[number];
        let blank = board.blank().map_or(String::new(), |blank| format!("; ring: {blank}"));
        BoardDrawing {
            title: board.board().title(),
            drawing: picture::board(scene, number, frame),
            caption: format!("{}{blank}", board.shape.caption),
        }
    };
    (0..scene.boards.len()).map(drawn).collect()
}

/// Draws the bars of a state.
pub(super) fn bars(scene: &Scene<'_>, frame: &Frame) -> Vec<GaugeBar> {
    let bar = |(gauge, value): (&super::scene::Gauge, &Option<usize>)| GaugeBar {
        name: gauge.name.clone(),
        value: value.map_or("–".to_owned(), |value| gauge.values[value].clone()),
        share: value.map_or(0.0, |value| 100.0 * value as f64 / (gauge.values.len() - 1).max(1) as f64),
        last: gauge.values.last().cloned().unwrap_or_default(),
    };
    scene.gauges.iter().zip(&frame.gauges).map(bar).collect()
}

impl EvaluationBar {
    /// Whether two roles share it.
    pub(super) fn is_shared(&self) -> bool {
        self.roles.len() > 1
    }
}

impl Viewer {
    /// Whether two roles share the only evaluation bar.
    pub(super) fn is_shared(&self) -> bool {
        self.evaluation.iter().any(EvaluationBar::is_shared)
    }

    /// Prepares a game; `None` if there is no state. It opens at the first state, or `at_end`.
    pub(super) fn new(
        scene: &Scene<'_>,
        shown: &PageMaterial,
        at_end: bool,
    ) -> Result<Option<Viewer>, serde_json::Error> {
        let play = &shown.play;
        let mut states: Vec<StateData> = Vec::new();
        let mut size = 0;
        for (step, state) in play.states.iter().enumerate() {
            let mut frame = scene.frame(&state.facts);
            size +=
                frame.boards.iter().map(Vec::len).sum::<usize>() + 8 * frame.rest.len() + frame.gauges.len();
            if size > DATA {
                break;
            }
            let more = frame.rest.len().saturating_sub(REST);
            frame.rest.truncate(REST);
            if more > 0 {
                frame.rest.push(format!("and {more} more"));
            }
            let moved = step.checked_sub(1).map_or(String::new(), |before| move_text(shown, before));
            let values = shown.courses.iter().map(|course| course.values.get(step).copied().flatten());
            states.push(StateData {
                frame,
                moved,
                to_move: status_text(shown, step),
                values: values.map(|value| value.map_or(String::new(), significant)).collect(),
                estimates: (play.estimates.get(step).into_iter().flatten())
                    .map(|estimate| estimate.map(|value| value.round() as i64))
                    .collect(),
            });
        }
        let Some(steps) = states.len().checked_sub(1) else { return Ok(None) };
        let whole = play.left_out == 0 && states.len() == play.states.len();
        let lines: Vec<(usize, &[Option<f64>])> = (shown.courses.iter())
            .map(|course| (course.role, &course.values[..course.values.len().min(steps + 1)]))
            .collect();
        let has_values = lines.iter().any(|(_, values)| values.iter().flatten().count() > 1);
        let data = ViewerData {
            side: SIDE,
            cells: (scene.boards.iter())
                .map(|board| {
                    board.shape.cells.iter().map(|cell| cell.1.map(|at| (at * 10.0).round() / 10.0)).collect()
                })
                .collect(),
            things: scene.things.iter().map(|thing| thing.contents.join(" ")).collect(),
            gauges: scene.gauges.iter().map(|gauge| gauge.values.as_slice()).collect(),
            deciding: (scene.boards.iter())
                .map(|board| play.deciding.iter().filter_map(|fact| board.cell(fact)).collect())
                .map(|cells: BTreeSet<usize>| if whole { cells.into_iter().collect() } else { Vec::new() })
                .collect(),
            states: Vec::new(),
        };
        let start = if at_end { steps } else { 0 };
        let opened = &states[start];
        let viewer = Viewer {
            title: play.title.clone(),
            steps,
            boards: boards(scene, &opened.frame),
            gauges: bars(scene, &opened.frame),
            rest: opened.frame.rest.clone(),
            status: opened.to_move.clone(),
            has_drops: play.drops.iter().take(steps).any(Option::is_some),
            moves: (0..steps).map(|step| listed_move(shown, step)).collect(),
            evaluation: evaluation_bars(shown),
            start,
            lines: shown.courses.iter().map(line).collect(),
            plot: has_values.then(|| courses(&lines, steps + 1)),
            end: end_text(play, steps, shown),
            cut: !whole || play.goals.is_none(),
            data: script_json(&ViewerData { states, ..data })?,
        };
        Ok(Some(viewer))
    }
}

/// The evaluation bars: one for two roles whose values always have the sum 100, otherwise one for each role that searches.
fn evaluation_bars(shown: &PageMaterial) -> Vec<EvaluationBar> {
    let estimates = &shown.play.estimates;
    let bar = |roles: Vec<usize>| EvaluationBar {
        names: roles.iter().map(|&role| shown.roles[role].clone()).collect(),
        classes: roles.iter().map(|&role| role_class(role, &shown.roles)).collect(),
        roles,
    };
    let shared = |state: &Vec<Option<f64>>| match state[..] {
        [Some(one), Some(other)] => (one + other - 100.0).abs() < 0.5,
        [None, None] => true,
        _ => false,
    };
    if !estimates.is_empty() && estimates.iter().all(shared) {
        return vec![bar(vec![0, 1])];
    }
    let searches = |role: &usize| estimates.iter().any(|state| state[*role].is_some());
    (0..shown.roles.len()).filter(searches).map(|role| bar(vec![role])).collect()
}

fn line(course: &ValueCourse) -> ValueLine {
    let right = course.right.map_or(String::new(), |[right, all]| {
        format!("agrees with the result in {right} of {}", counted(all as u64, "state", "states"))
    });
    ValueLine { role: course.role, name: course.name.clone(), right }
}

/// The moves at a step; with several roles, only those of roles that had a choice.
fn move_parts(shown: &PageMaterial, step: usize) -> Vec<MovePart> {
    let Some(joint) = shown.play.moves.get(step) else { return Vec::new() };
    let choosing = &shown.play.states[step].choosing;
    let chose = |role: &usize| choosing.is_empty() || choosing.contains(role);
    let part = |role: usize| MovePart {
        class: if joint.len() > 1 { role_class(role, &shown.roles) } else { String::new() },
        role: shown.roles.get(role).cloned().unwrap_or_default(),
        text: joint[role].clone(),
    };
    (0..joint.len()).filter(chose).map(part).collect()
}

fn move_text(shown: &PageMaterial, step: usize) -> String {
    let parts = move_parts(shown, step);
    parts.iter().map(|part| format!("{} plays {}", part.role, part.text)).collect::<Vec<_>>().join(", ")
}

fn listed_move(shown: &PageMaterial, step: usize) -> ListedMove {
    let drop = shown.play.drops.get(step).cloned().flatten();
    ListedMove { step: step + 1, parts: move_parts(shown, step), drop }
}

fn status_text(shown: &PageMaterial, step: usize) -> String {
    let state = &shown.play.states[step];
    let names: Vec<String> =
        state.choosing.iter().filter_map(|&role| shown.roles.get(role).cloned()).collect();
    let last = step + 1 == shown.play.states.len() && shown.play.left_out == 0;
    match (&names[..], &shown.play.goals) {
        (_, Some(goals)) if last => format!("The game is over: {}", goals_text(shown, goals)),
        ([], _) => "no role has a choice".to_owned(),
        ([one], _) => format!("{one} is to move"),
        (several, _) => format!("{} choose at the same time", several.join(" and ")),
    }
}

fn goals_text(shown: &PageMaterial, goals: &[Vec<i32>]) -> String {
    let of = |(role, values): (&String, &Vec<i32>)| {
        let values: Vec<String> = values.iter().map(i32::to_string).collect();
        format!("{role} {}", if values.is_empty() { "none".to_owned() } else { values.join(" and ") })
    };
    shown.roles.iter().zip(goals).map(of).collect::<Vec<_>>().join(", ")
}

fn end_text(play: &PlayText, steps: usize, shown: &PageMaterial) -> String {
    let left = play.left_out + play.states.len() - 1 - steps;
    match (&play.goals, left) {
        (_, 1..) => format!(
            "The first {} are shown; {} more are left out.",
            counted(steps as u64, "step", "steps"),
            left
        ),
        (Some(goals), _) => format!("It ends with the goal values {}.", goals_text(shown, goals)),
        (None, _) => "It did not end.".to_owned(),
    }
}
