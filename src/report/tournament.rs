//! The results of a tournament, as tables, CSV and JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::arena::tournament::{
    EloDifference, Outcome, Pairing, Plan, PlayedMatch, RoleResult, Score, SoloResult, Standing, Summary,
    Unfinished,
};
use crate::statistics::{Mean, Rating, SprtVerdict};

use super::analysis::with_title;
use super::csv_text::to_csv;
use super::layout::{Layout, counted, grouped};

/// The name and version of the document.
pub const SCHEMA: &str = "ggp.tournament/1";

/// The document of a tournament. It depends on the clock only through moves that players made by time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TournamentDocument<'a> {
    /// `ggp.tournament/1`.
    pub schema: &'static str,
    /// The plan.
    pub plan: &'a Plan,
    /// The results.
    pub summary: &'a Summary,
}

/// The document as JSON.
///
/// # Errors
/// A number is not finite.
pub fn json(plan: &Plan, summary: &Summary) -> Result<String, serde_json::Error> {
    let document = TournamentDocument { schema: SCHEMA, plan, summary };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The JSON Schema of the document, with a line break at the end.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn schema() -> Result<String, serde_json::Error> {
    with_title(schemars::schema_for!(TournamentDocument<'_>), SCHEMA)
}

/// Formats a number with its sign.
fn signed(number: f64) -> String {
    let rounded = number.round();
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:+.0}") }
}

/// Formats a share as a percentage with one digit.
pub fn share(number: f64) -> String {
    format!("{:.1}", number * 100.0)
}

/// Formats a score and its interval as percentages.
pub fn score(score: &Score) -> [String; 2] {
    match score.matches {
        0 => ["–".to_owned(), String::new()],
        _ => [share(score.score), format!("{} to {}", share(score.low), share(score.high))],
    }
}

/// Formats an Elo difference with its interval, or only its known bound.
pub fn elo(elo: &EloDifference) -> String {
    let EloDifference { elo, low, high } = *elo;
    match (elo, low, high) {
        (Some(elo), Some(low), Some(high)) => {
            format!("{} ({} to {})", signed(elo), signed(low), signed(high))
        }
        (_, Some(low), None) => format!("above {}", signed(low)),
        (_, None, Some(high)) => format!("below {}", signed(high)),
        _ => "not estimable".to_owned(),
    }
}

fn rating(rating: &Rating) -> [String; 2] {
    match *rating {
        Rating::Estimate { elo, low, high } => [signed(elo), format!("{} to {}", signed(low), signed(high))],
        Rating::Above { low } => [format!("above {}", signed(low)), String::new()],
        Rating::Below { high } => [format!("below {}", signed(high)), String::new()],
        Rating::NotEstimable => ["not estimable".to_owned(), String::new()],
    }
}

fn goal(goal: Option<Mean>) -> String {
    goal.map_or_else(|| "–".to_owned(), |goal| format!("{:.1}", goal.mean))
}

fn goal_interval(goal: Option<Mean>) -> String {
    match goal {
        // Student's interval of few matches may exceed the range of goal values.
        Some(Mean { low: Some(low), high: Some(high), .. }) => {
            format!("{:.1} to {:.1}", low.max(0.0), high.min(100.0))
        }
        _ => String::new(),
    }
}

/// The verdict of a test on the first player, in a word.
pub fn verdict(verdict: SprtVerdict) -> &'static str {
    match verdict {
        SprtVerdict::Better => "better",
        SprtVerdict::Worse => "worse",
        SprtVerdict::Alike => "alike",
        SprtVerdict::Open => "open",
    }
}

fn counts(score: &Score) -> [String; 4] {
    [score.matches, score.wins, score.draws, score.losses].map(grouped)
}

/// The standings, and each pairing by game.
pub fn text(plan: &Plan, summary: &Summary, layout: Layout) -> String {
    let mut out = String::new();
    if plan.games.iter().any(|game| game.seats() > 1) {
        // A player that only plays against itself has no rating.
        if !summary.pairings.is_empty() {
            out.push_str(&standings(summary, layout));
        }
        for pairing in &summary.pairings {
            out.push_str(&against(pairing, summary, layout));
        }
        out.push_str(&roles(plan, summary, layout));
    }
    if !summary.alone.is_empty() {
        out.push_str(&format!("{}\n", layout.heading("Single-player games")));
        let columns = ["game", "player", "matches", "goal", "moves to the best goal", "late", "illegal"];
        out.push_str(&layout.table(&columns, summary.alone.iter().map(alone).collect()));
    }
    if !summary.unfinished.is_empty() {
        out.push_str(&format!("{}\n", layout.heading("Without a result")));
        let row = |unfinished: &Unfinished| {
            vec![
                unfinished.number.to_string(),
                unfinished.game.clone(),
                unfinished.players.join(", "),
                unfinished.why.clone(),
            ]
        };
        let rows = summary.unfinished.iter().take(SHOWN).map(row).collect();
        out.push_str(&layout.table(&["match", "game", "players", "why"], rows));
        if summary.unfinished.len() > SHOWN {
            out.push_str(&format!("  and {} more\n", grouped((summary.unfinished.len() - SHOWN) as u64)));
        }
    }
    for game in plan.games.iter().filter(|game| game.chance.is_some()) {
        let name = &game.name;
        out.push_str(
            &layout.paragraph("  ", &format!("{name}: chance plays the role random, and no player does")),
        );
    }
    let left = match summary.left {
        0 => String::new(),
        left => format!("; at most {} remain", grouped(left)),
    };
    out.push_str(&format!("{}{left}\n", counted(summary.matches, "match", "matches")));
    out
}

/// The number of matches without a result that are listed.
const SHOWN: usize = 10;

fn standings(summary: &Summary, layout: Layout) -> String {
    let row = |standing: &Standing| {
        let [rating, interval] = rating(&standing.rating);
        let [points, within] = score(&standing.score);
        let [matches, wins, draws, losses] = counts(&standing.score);
        let side = &standing.side;
        let (late, illegal) = (grouped(side.late), grouped(side.illegal));
        let player = standing.player.clone();
        vec![
            player,
            rating,
            interval,
            points,
            within,
            matches,
            wins,
            draws,
            losses,
            goal(side.goal),
            late,
            illegal,
        ]
    };
    let columns = [
        "player", "Elo", "95 %", "score %", "95 %", "matches", "won", "drawn", "lost", "goal", "late",
        "illegal",
    ];
    let table = layout.table(&columns, summary.standings.iter().map(row).collect());
    format!("{}\n{table}", layout.heading("Standings"))
}

fn against(total: &Pairing, summary: &Summary, layout: Layout) -> String {
    let tested = summary.games.iter().any(|pairing| pairing.sprt.is_some());
    let row = |pairing: &Pairing| {
        let [points, within] = score(&pairing.score);
        let [matches, wins, draws, losses] = counts(&pairing.score);
        let game = pairing.game.clone().unwrap_or_else(|| "all".to_owned());
        let mut row = vec![game, matches, wins, draws, losses, points, within, elo(&pairing.elo)];
        if tested {
            row.push(pairing.sprt.map_or(String::new(), |test| verdict(test.verdict).to_owned()));
        }
        row
    };
    let of_pair = summary.games.iter().filter(|pairing| pairing.players == total.players);
    let mut rows: Vec<Vec<String>> = of_pair.map(row).collect();
    if rows.len() > 1 {
        rows.push(row(total));
    }
    let mut columns = vec!["game", "matches", "won", "drawn", "lost", "score %", "95 %", "Elo (95 %)"];
    if tested {
        columns.push("test");
    }
    let [one, other] = &total.players;
    format!("{}\n{}", layout.heading(&format!("{one} against {other}")), layout.table(&columns, rows))
}

/// The number of rows of roles up to which each player has its own rows.
const ROLE_ROWS: usize = 40;

fn roles(plan: &Plan, summary: &Summary, layout: Layout) -> String {
    let is_single = plan.players.len() == 1;
    let is_short = !is_single && summary.roles.len() <= ROLE_ROWS;
    let row = |result: &RoleResult| {
        let [points, within] = score(&result.score);
        let [matches, wins, draws, losses] = counts(&result.score);
        let player = result.player.clone().unwrap_or_else(|| "all players".to_owned());
        let mut row = vec![result.game.clone(), result.role.clone()];
        row.extend(is_short.then_some(player));
        row.extend([
            matches,
            wins,
            draws,
            losses,
            points,
            within,
            goal(result.goal),
            goal_interval(result.goal),
        ]);
        row
    };
    let is_shown = |result: &&RoleResult| is_short || result.player.is_none();
    let rows: Vec<Vec<String>> = summary.roles.iter().filter(is_shown).map(row).collect();
    let mut columns = vec!["game", "role"];
    columns.extend(is_short.then_some("player"));
    columns.extend(["matches", "won", "drawn", "lost", "score %", "95 %", "goal", "95 %"]);
    let mut out = format!("{}\n{}", layout.heading("Results by role"), layout.table(&columns, rows));
    if !is_short && !is_single {
        out.push_str("  for each player: roles.csv\n");
    }
    out
}

fn alone(alone: &SoloResult) -> Vec<String> {
    let steps = alone.steps.map_or_else(|| "–".to_owned(), |steps| format!("{steps:.1}"));
    let side = &alone.side;
    let (matches, late, illegal) = (grouped(alone.matches), grouped(side.late), grouped(side.illegal));
    vec![alone.game.clone(), alone.player.clone(), matches, goal(side.goal), steps, late, illegal]
}

/// A row of `results.csv`: one match. It depends on the clock only through moves that players made by time.
#[derive(Serialize)]
struct ResultRow<'a> {
    #[serde(rename = "match")]
    number: u64,
    game: &'a str,
    round: u32,
    seed: u64,
    /// The players, in the order of the roles, separated by blanks.
    players: String,
    /// Their goal values; empty without a result.
    goals: String,
    steps: u32,
    late: String,
    illegal: String,
    unfinished: &'a str,
}

/// The matches as CSV, in the order of the schedule.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn results_csv<'a>(played: impl Iterator<Item = &'a PlayedMatch>) -> Result<String, csv::Error> {
    let row = |played: &'a PlayedMatch| ResultRow {
        number: played.number,
        game: &played.game,
        round: played.round,
        seed: played.seed,
        players: join(&played.players),
        goals: match &played.outcome {
            Outcome::Ended(goals) => join(goals),
            Outcome::Unfinished(_) => String::new(),
        },
        steps: played.steps,
        late: join(&played.late),
        illegal: join(&played.illegal),
        unfinished: match &played.outcome {
            Outcome::Ended(_) => "",
            Outcome::Unfinished(why) => why,
        },
    };
    to_csv(&played.map(row).collect::<Vec<_>>())
}

fn join<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// A row of `standings.csv`: one player.
#[derive(Serialize)]
struct StandingRow<'a> {
    player: &'a str,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    matches: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    score_low: f64,
    score_high: f64,
    goal: Option<f64>,
    late: u64,
    illegal: u64,
}

/// The standings as CSV, strongest player first; values that can't be estimated are empty.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn standings_csv(summary: &Summary) -> Result<String, csv::Error> {
    let rows = summary.standings.iter().map(|standing| {
        let (elo, elo_low, elo_high) = match standing.rating {
            Rating::Estimate { elo, low, high } => (Some(elo), Some(low), Some(high)),
            Rating::Above { low } => (None, Some(low), None),
            Rating::Below { high } => (None, None, Some(high)),
            Rating::NotEstimable => (None, None, None),
        };
        let Score { matches, wins, draws, losses, score, low, high, .. } = standing.score;
        StandingRow {
            player: &standing.player,
            elo,
            elo_low,
            elo_high,
            matches,
            wins,
            draws,
            losses,
            score,
            score_low: low,
            score_high: high,
            goal: standing.side.goal.map(|goal| goal.mean),
            late: standing.side.late,
            illegal: standing.side.illegal,
        }
    });
    to_csv(&rows.collect::<Vec<_>>())
}

/// A row of `pairings.csv`: two players in one game, or in all games.
#[derive(Serialize)]
pub struct PairingRow {
    game: String,
    player: String,
    against: String,
    matches: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    score_low: f64,
    score_high: f64,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    goal: Option<f64>,
    goal_against: Option<f64>,
    late: u64,
    late_against: u64,
    illegal: u64,
    illegal_against: u64,
    test: &'static str,
    test_rounds: Option<u32>,
    ratio_better: Option<f64>,
    ratio_worse: Option<f64>,
}

impl PairingRow {
    /// The row of a pairing.
    pub fn new(pairing: &Pairing) -> PairingRow {
        let Score { matches, wins, draws, losses, score, low, high, .. } = pairing.score;
        let [player, against] = pairing.players.clone();
        let [own, other] = pairing.sides;
        PairingRow {
            game: pairing.game.clone().unwrap_or_default(),
            player,
            against,
            matches,
            wins,
            draws,
            losses,
            score,
            score_low: low,
            score_high: high,
            elo: pairing.elo.elo,
            elo_low: pairing.elo.low,
            elo_high: pairing.elo.high,
            goal: own.goal.map(|goal| goal.mean),
            goal_against: other.goal.map(|goal| goal.mean),
            late: own.late,
            late_against: other.late,
            illegal: own.illegal,
            illegal_against: other.illegal,
            test: pairing.sprt.map_or("", |test| verdict(test.verdict)),
            test_rounds: pairing.sprt.map(|test| test.rounds),
            ratio_better: pairing.sprt.map(|test| test.ratios[0]),
            ratio_worse: pairing.sprt.map(|test| test.ratios[1]),
        }
    }
}

/// The pairings as CSV: a row per pairing and game, then a row per pairing over all games, with an empty game.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn pairings_csv(summary: &Summary) -> Result<String, csv::Error> {
    let rows: Vec<PairingRow> = summary.games.iter().chain(&summary.pairings).map(PairingRow::new).collect();
    to_csv(&rows)
}

/// A row of `roles.csv`: a role of a game, for all players or for one.
#[derive(Serialize)]
struct RoleRow<'a> {
    game: &'a str,
    role: &'a str,
    /// Empty for all players.
    player: &'a str,
    matches: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    score_low: f64,
    score_high: f64,
    goal: Option<f64>,
    goal_low: Option<f64>,
    goal_high: Option<f64>,
}

/// The results of each role as CSV: a row for all players, then a row for each player.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn roles_csv(summary: &Summary) -> Result<String, csv::Error> {
    let rows = summary.roles.iter().map(|result| {
        let Score { matches, wins, draws, losses, score, low, high, .. } = result.score;
        RoleRow {
            game: &result.game,
            role: &result.role,
            player: result.player.as_deref().unwrap_or_default(),
            matches,
            wins,
            draws,
            losses,
            score,
            score_low: low,
            score_high: high,
            goal: result.goal.map(|goal| goal.mean),
            goal_low: result.goal.and_then(|goal| goal.low),
            goal_high: result.goal.and_then(|goal| goal.high),
        }
    });
    to_csv(&rows.collect::<Vec<_>>())
}
