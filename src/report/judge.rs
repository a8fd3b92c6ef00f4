//! The quality of a game's functions, as JSON, CSV and a table.

use schemars::JsonSchema;
use serde::Serialize;

use crate::judge::{Association, ENDS, Judgement, RoleVerdict, Verdict};
use crate::statistics::Estimate;

use super::analysis::Game;
use super::layout::{Layout, counted, grouped, percent};

/// The name and version of the document.
pub const SCHEMA: &str = "ggp.judge/1";

/// The most functions that are shown per role. For the others only their number is shown.
const SHOWN: usize = 12;

/// The line below the table that explains its columns.
const LEGEND: &str = "goal: mean goal value against random play, ± half of its 95 % interval. best move: share of states in \
     which the function's first choice is exactly best. tau: Kendall's rank correlation with exact values of moves and of \
     states. r: Pearson's correlation with mean results of random and of guided playouts. error: mean calibration error, in \
     goal points. slope: of the result of random play by the value; 1 is calibrated. ends: a player that only sees moves \
     that end the game. Intervals of all numbers: --format json or csv. More: docs/judge.md. Terms: ggp guide glossary";

/// The document of `ggp judge`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgeDocument {
    /// Always `ggp.judge/1`.
    pub schema: String,
    /// The game.
    pub game: Game,
    /// The results.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl JudgeDocument {
    /// Makes the document of a game.
    pub fn new(game: Game, verdict: Verdict) -> JudgeDocument {
        JudgeDocument { schema: SCHEMA.to_owned(), game, verdict }
    }

    /// The document as indented JSON, with a line break at the end.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// The rows of a game, one per function.
pub fn rows(game: &str, verdict: &Verdict) -> Vec<JudgementRow> {
    let role = |judgement: &Judgement| verdict.roles.iter().find(|role| role.role == judgement.role);
    let rows = verdict.functions.iter();
    rows.filter_map(|judgement| Some(JudgementRow::new(game, role(judgement)?, judgement))).collect()
}

/// The results of a function, as a CSV row. Intervals are at 95 %; values that were not measured are empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs, reason = "docs/judge.md explains the columns")]
pub struct JudgementRow {
    pub game: String,
    pub role: String,
    pub kind: String,
    pub function: String,
    pub exact: String,
    pub solved: u64,
    pub choices: u64,
    pub tau_states: Option<f64>,
    pub tau_states_low: Option<f64>,
    pub tau_states_high: Option<f64>,
    pub tau_moves: Option<f64>,
    pub tau_moves_low: Option<f64>,
    pub tau_moves_high: Option<f64>,
    pub best: Option<f64>,
    pub best_low: Option<f64>,
    pub best_high: Option<f64>,
    pub chance: Option<f64>,
    pub random_pearson: Option<f64>,
    pub random_pearson_low: Option<f64>,
    pub random_pearson_high: Option<f64>,
    pub random_spearman: Option<f64>,
    pub random_early: Option<f64>,
    pub random_middle: Option<f64>,
    pub random_late: Option<f64>,
    pub guided_pearson: Option<f64>,
    pub guided_pearson_low: Option<f64>,
    pub guided_pearson_high: Option<f64>,
    pub guided_spearman: Option<f64>,
    pub guided_early: Option<f64>,
    pub guided_middle: Option<f64>,
    pub guided_late: Option<f64>,
    pub calibration_error: Option<f64>,
    pub slope: Option<f64>,
    pub slope_low: Option<f64>,
    pub slope_high: Option<f64>,
    pub play_goal: Option<f64>,
    pub play_low: Option<f64>,
    pub play_high: Option<f64>,
    pub play_playouts: Option<u64>,
    pub random_goal: Option<f64>,
}

fn value(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|estimate| estimate.value)
}

fn ends(estimate: Option<Estimate>) -> (Option<f64>, Option<f64>) {
    estimate.map_or((None, None), |estimate| (estimate.low, estimate.high))
}

fn of_phase(associations: &[Association], phase: &str) -> Option<Estimate> {
    associations.iter().find(|association| association.phase == phase)?.pearson
}

impl JudgementRow {
    fn new(game: &str, role: &RoleVerdict, judgement: &Judgement) -> JudgementRow {
        let Judgement { exact, random, guided, calibration, play, .. } = judgement;
        let exact = exact.as_ref();
        let (states, moves) = (exact.and_then(|exact| exact.states), exact.and_then(|exact| exact.moves));
        let best = exact.map(|exact| exact.best).filter(|_| role.choices > 0);
        let slope = calibration.as_ref().and_then(|calibration| calibration.slope);
        let goal = play.as_ref().and_then(|play| play.goal);
        let all = |list: &[Association]| list.first().cloned();
        let (with_random, with_guided) = (all(random), all(guided));
        let pearson = |association: &Option<Association>| {
            association.as_ref().and_then(|association| association.pearson)
        };
        let spearman = |association: &Option<Association>| {
            value(association.as_ref().and_then(|association| association.spearman))
        };
        JudgementRow {
            game: game.to_owned(),
            role: role.role.clone(),
            kind: judgement.kind.clone(),
            function: judgement.id.clone(),
            exact: role.exact.clone(),
            solved: role.solved,
            choices: role.choices,
            tau_states: value(states),
            tau_states_low: ends(states).0,
            tau_states_high: ends(states).1,
            tau_moves: value(moves),
            tau_moves_low: ends(moves).0,
            tau_moves_high: ends(moves).1,
            best: best.map(|best| best.share),
            best_low: best.map(|best| best.low),
            best_high: best.map(|best| best.high),
            chance: role.chance,
            random_pearson: value(pearson(&with_random)),
            random_pearson_low: ends(pearson(&with_random)).0,
            random_pearson_high: ends(pearson(&with_random)).1,
            random_spearman: spearman(&with_random),
            random_early: value(of_phase(random, "early")),
            random_middle: value(of_phase(random, "middle")),
            random_late: value(of_phase(random, "late")),
            guided_pearson: value(pearson(&with_guided)),
            guided_pearson_low: ends(pearson(&with_guided)).0,
            guided_pearson_high: ends(pearson(&with_guided)).1,
            guided_spearman: spearman(&with_guided),
            guided_early: value(of_phase(guided, "early")),
            guided_middle: value(of_phase(guided, "middle")),
            guided_late: value(of_phase(guided, "late")),
            calibration_error: calibration.as_ref().map(|calibration| calibration.error),
            slope: value(slope),
            slope_low: ends(slope).0,
            slope_high: ends(slope).1,
            play_goal: goal.map(|goal| goal.mean),
            play_low: goal.and_then(|goal| goal.low),
            play_high: goal.and_then(|goal| goal.high),
            play_playouts: play.as_ref().map(|play| play.playouts),
            random_goal: value(role.random),
        }
    }
}

/// The whole table, each line ended.
pub fn table(judged: &JudgeDocument, layout: Layout) -> String {
    let JudgeDocument { game, verdict, .. } = judged;
    let about = format!("{}  {} machine", game.path, game.machine);
    let mut out = format!("{}  {}\n", layout.strong(&game.name), layout.remark(&about));
    let states = counted(verdict.states, "state", "states");
    let playouts = grouped(verdict.playouts);
    let extent = format!(
        "{states} from different random playouts; {playouts} random and {} from each state; {} of each function against \
         random play; seed {}",
        counted(verdict.guided, "guided playout", "guided playouts"),
        counted(verdict.play, "playout", "playouts"),
        verdict.seed
    );
    out.push_str(&layout.paragraph("  ", &extent));
    for role in &verdict.roles {
        out.push_str(&format!("\n{}\n", layout.heading(&role.role)));
        out.push_str(&about_role(role, verdict, layout));
        let of_role: Vec<&Judgement> =
            verdict.functions.iter().filter(|judgement| judgement.role == role.role).collect();
        let ends = of_role.iter().filter(|judgement| judgement.id == ENDS);
        let others = of_role.iter().filter(|judgement| judgement.id != ENDS);
        let rows: Vec<Vec<String>> = ends.chain(others.take(SHOWN)).map(|judgement| row(judgement)).collect();
        let columns = [
            "function",
            "goal",
            "best move",
            "tau moves",
            "tau states",
            "r random",
            "r guided",
            "error",
            "slope",
        ];
        out.push_str(&layout.table(&columns, rows));
        let more = of_role.len().saturating_sub(SHOWN + 1);
        if more > 0 {
            out.push_str(&layout.remark(&format!("  {more} more: --format json or csv")));
            out.push('\n');
        }
    }
    out.push('\n');
    for note in &verdict.notes {
        out.push_str(&layout.paragraph("", note));
    }
    out.push_str(&layout.paragraph("", LEGEND));
    out
}

fn about_role(role: &RoleVerdict, verdict: &Verdict, layout: Layout) -> String {
    let mut out = String::new();
    if let Some(random) = role.random {
        out.push_str(&format!("  mean goal of random play: {:.1}\n", random.value));
    }
    let (solved, listed) = (grouped(role.solved), grouped(role.listed));
    let mut solved = format!(
        "exact values ({}) of {solved} of {}, by listing {listed}",
        role.exact,
        counted(verdict.states, "state", "states")
    );
    if let Some(chance) = role.chance {
        let choices = grouped(role.choices);
        solved += &format!(
            "; the choice matters in {choices} of them; a random choice is best in {}",
            percent(chance)
        );
    }
    out.push_str(&layout.paragraph("  ", &solved));
    role.unsolved.iter().for_each(|reason| out.push_str(&format!("  not solved: {reason}\n")));
    out
}

fn row(judgement: &Judgement) -> Vec<String> {
    let none = || "–".to_owned();
    let exact = judgement.exact.as_ref();
    let decided = exact.filter(|exact| exact.moves.is_some());
    let goal = judgement.play.as_ref().and_then(|play| play.goal);
    let goal = goal.map(|mean| match (mean.low, mean.high) {
        (Some(low), Some(high)) => format!("{:.1}±{:.1}", mean.mean, (high - low) / 2.0),
        _ => format!("{:.1}", mean.mean),
    });
    let plain =
        |estimate: Option<Estimate>| estimate.map_or_else(none, |estimate| format!("{:.2}", estimate.value));
    let calibration = judgement.calibration.as_ref();
    let best = decided.map(|exact| exact.best);
    vec![
        judgement.id.clone(),
        goal.unwrap_or_else(none),
        best.map_or_else(none, |best| {
            format!("{:.0}±{}", 100.0 * best.share, percent((best.high - best.low) / 2.0))
        }),
        plain(decided.and_then(|exact| exact.moves)),
        plain(exact.and_then(|exact| exact.states)),
        plain(of_phase(&judgement.random, "all")),
        plain(of_phase(&judgement.guided, "all")),
        calibration.map_or_else(none, |calibration| format!("{:.1}", calibration.error)),
        plain(calibration.and_then(|calibration| calibration.slope)),
    ]
}
