//! The HTML page of one or several tournaments: ratings, pairings, games and matches.

mod match_tables;
mod scores;
mod sequential_tests;

use std::collections::BTreeMap;

use crate::arena::tournament::{Course, Plan, PlanGame, PlayedMatch, Standing, Summary, Unfinished};
use crate::statistics::{Rating, SprtVerdict};

use super::super::layout::{counted, grouped, plural};
use super::super::study::Circumstances;
use super::document::PageError;
use super::results::{ResultsPage, Section, SectionPart};
use super::tables::{Field, Table, columns};
use super::warnings::Warning;
use match_tables::{alone, matches, pairings, roles};
use scores::{cross, heat, ratings};
use sequential_tests::courses;

/// The results of a tournament, and the folders of its files.
pub struct TournamentResults<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The summary of the results.
    pub summary: &'a Summary,
    /// The log-likelihood ratios of the sequential tests after each round.
    pub courses: Vec<Course>,
    /// The finished matches.
    pub played: Vec<&'a PlayedMatch>,
    /// The folder of the match records, relative to the page; `None` without records.
    pub records: Option<String>,
    /// The folder of the CSV files, relative to the page, with a slash at the end; empty for the page's own folder.
    pub folder: String,
}

/// Renders a page of one or several tournaments of the same games and players; `name` is the study's name, if any.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn tournament_page(
    name: Option<&str>,
    results: &[TournamentResults<'_>],
    about: &Circumstances,
) -> Result<String, PageError> {
    let Some(first) = results.first() else { return Ok(String::new()) };
    let plan = first.plan;
    let players = counted(plan.players.len() as u64, "player", "players");
    let games = counted(plan.games.len() as u64, "game", "games");
    let matches: u64 = results.iter().map(|result| result.summary.matches).sum();
    let several = results.len() > 1;
    let page = ResultsPage {
        kind: if name.is_some() { "Study" } else { "Tournament" },
        title: name.map_or_else(|| format!("{players} in {games}"), str::to_owned),
        lead: format!(
            "{} of {players} in {games}{}.",
            counted(matches, "match", "matches"),
            if several { format!(", {} tournaments", results.len()) } else { String::new() }
        ),
        warnings: results.iter().flat_map(|result| warnings(result, several)).collect(),
        run_last: false,
        command: about.command.clone(),
        facts: facts(plan, results),
        games: hashes(plan),
        sections: results
            .iter()
            .enumerate()
            .flat_map(|(number, result)| sections(result, number, several))
            .collect(),
        made: about.made(),
    };
    page.render()
}

fn facts(plan: &Plan, results: &[TournamentResults<'_>]) -> Vec<(&'static str, String)> {
    let thinking: Vec<String> = results.iter().map(|result| result.plan.thinking.to_string()).collect();
    let mut facts = vec![
        ("Program", format!("ggp {}", plan.version)),
        ("Seed", plan.seed.to_string()),
        ("Thinking", thinking.join("; ")),
        (
            "Rounds",
            format!("at most {}, each with every assignment of roles", grouped(u64::from(plan.rounds))),
        ),
        ("Opening", counted(u64::from(plan.opening), "random joint move", "random joint moves")),
        ("Longest match", counted(u64::from(plan.most_steps), "joint move", "joint moves")),
    ];
    if let Some(sprt) = plan.sprt {
        facts.push((
            "Test",
            format!(
                "a pairing in a game ends when one player is better by {} rather than {} Elo, with error probabilities {} and {}",
                sprt.elo1, sprt.elo0, sprt.alpha, sprt.beta
            ),
        ));
    }
    for player in plan.players.iter().filter(|player| player.document.is_some()) {
        let hash = player.document.clone().unwrap_or_default();
        facts.push(("Document", format!("{}: SHA-256 {hash}", player.line)));
    }
    facts
}

fn hashes(plan: &Plan) -> Table {
    let row = |game: &PlanGame| {
        vec![Field::text(&game.name), Field::text(game.roles.join(", ")), Field::text(&game.rules)]
    };
    Table {
        id: "".into(),
        caption: String::new(),
        columns: columns(&["game", "roles", "SHA-256 of the rules"]),
        rows: plan.games.iter().map(row).collect(),
        left_out: String::new(),
    }
}

fn warnings(results: &TournamentResults<'_>, several: bool) -> Vec<Warning> {
    let summary = results.summary;
    let at = if several { format!(" ({})", results.plan.thinking) } else { String::new() };
    let bad = |title: String, text: String| Warning { class: "bad", title, text };
    let open = |title: String, text: String| Warning { class: "open", title, text };
    let mut out = Vec::new();
    let mut why: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for Unfinished { game, why: reason, .. } in &summary.unfinished {
        *why.entry((game, reason)).or_default() += 1;
    }
    for ((game, reason), matches) in why {
        let matches = counted(matches, "match", "matches");
        out.push(bad(format!("Without a result{at}"), format!("{matches} of {game}: {reason}.")));
    }
    for Standing { player, side, .. } in &summary.standings {
        let faults = [(side.late, "came late"), (side.illegal, "were missing or not legal")];
        for (moves, what) in faults.into_iter().filter(|(moves, _)| *moves > 0) {
            let moves = counted(moves, "move", "moves");
            let text = format!("{moves} {what}; random ones were played instead.");
            out.push(bad(format!("{player}{at}"), text));
        }
    }
    if summary.left > 0 {
        let left = counted(summary.left, "match is", "matches are");
        out.push(open(format!("Not finished{at}"), format!("At most {left} left.")));
    }
    // A player that only plays against itself has no rating.
    let rated = summary.standings.iter().filter(|_| !summary.pairings.is_empty());
    for Standing { player, rating, .. } in rated {
        let text = match rating {
            Rating::Estimate { .. } => continue,
            Rating::Above { .. } => {
                "it won every match against rated players, so its rating has only a lower limit"
            }
            Rating::Below { .. } => {
                "it lost every match against rated players, so its rating has only an upper limit"
            }
            Rating::NotEstimable => "no chain of wins and losses connects it with the others",
        };
        out.push(open(format!("No rating{at}"), format!("{player}: {text}.")));
    }
    let tested = summary.games.iter().filter_map(|pairing| pairing.sprt);
    let undecided = tested.clone().filter(|test| test.verdict == SprtVerdict::Open).count() as u64;
    if undecided > 0 {
        let all = grouped(tested.count() as u64);
        let is = plural(undecided, "is", "are");
        out.push(open(
            format!("Open{at}"),
            format!("{} of {all} sequential tests {is} undecided.", grouped(undecided)),
        ));
    }
    out
}

fn sections(results: &TournamentResults<'_>, number: usize, several: bool) -> Vec<Section> {
    let summary = results.summary;
    let at = if several { format!(", {}", results.plan.thinking) } else { String::new() };
    let id = |name: &str| if several { format!("{name}-{}", number + 1) } else { name.to_owned() };
    let section = |name: &str, title: &str, parts: Vec<SectionPart>| Section {
        id: id(name),
        title: format!("{title}{at}"),
        parts,
    };
    let mut out = Vec::new();
    if !summary.pairings.is_empty() && results.plan.games.iter().any(|game| game.seats() > 1) {
        out.push(section("ratings", "Ratings", ratings(results, id("standings"))));
        out.push(section("cross", "Scores by opponent", vec![SectionPart::Table(cross(results))]));
        out.push(section("games", "Game by game", vec![SectionPart::Table(heat(results))]));
        if !results.courses.is_empty() {
            out.push(section("tests", "Sequential tests", courses(results)));
        }
        out.push(section(
            "pairings",
            "Pairings",
            vec![SectionPart::Sortable(pairings(results, id("pairings-table")))],
        ));
    }
    if !summary.roles.is_empty() {
        let table = SectionPart::Sortable(roles(results, id("roles-table")));
        out.push(section("roles", "Results by role", vec![table]));
    }
    if !summary.alone.is_empty() {
        out.push(section("alone", "Single-player games", vec![SectionPart::Table(alone(results))]));
    }
    out.push(section("matches", "Matches", matches(results, id("matches-table"))));
    out
}
