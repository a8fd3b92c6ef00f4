//! The Markdown page of a study of playing strength.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::arena::tournament::Pairing;
use crate::statistics::SprtVerdict;
use crate::study::{MatchResults, MatchStudy, Study};

use super::layout::{counted, grouped};
use super::study::{Circumstances, escape_cell};
use super::tournament::{elo, score, share, verdict};

/// The page: the settings, the results for every clock, and each pairing.
pub fn page(study: &Study, matches: &MatchStudy, results: &[MatchResults], about: &Circumstances) -> String {
    let mut out = format!("# Study `{}`\n\n```text\n{}\n```\n\n", study.name, about.command);
    let _ = writeln!(
        out,
        "{}. In each game, each pairing plays at most {} in every assignment of roles, after the same {} random joint \
         moves; seed {}. ggp {}. A win counts 1 and a draw 0.5; games of more than two roles count the mean rank of a \
         player's roles. Brackets show the 95 % Wilson interval, **bold** if it is above 50 and *slanted* if it is below; ± is \
         half of its width.",
        counted(study.games.len() as u64, "game", "games"),
        counted(u64::from(matches.rounds), "time", "times"),
        matches.opening,
        matches.seed,
        env!("CARGO_PKG_VERSION"),
    );
    if let Some(sprt) = &matches.sprt {
        let _ = writeln!(
            out,
            "A sequential test of the mean scores of rounds ends a pairing in a game. *better* and *worse*: a difference of \
             {} rather than {} Elo, with error probabilities {} and {}. *alike*: neither. *open*: undecided. Intervals \
             ignore the test and are somewhat too narrow.",
            sprt.elo1, sprt.elo0, sprt.alpha, sprt.beta
        );
    }
    for result in results {
        tournament(&mut out, result);
    }
    let _ = writeln!(out, "\n## Made on\n\n{}.", about.machine);
    for result in results {
        let _ = writeln!(out, "{}.", time(result));
    }
    out
}

/// One line on the time of a tournament's matches: the elapsed time, and the mean number of matches that ran at once.
pub fn time(results: &MatchResults) -> String {
    format!(
        "{}: {} in {}, {} at once on average",
        results.thinking,
        counted(results.summary.matches, "match", "matches"),
        duration(results.elapsed),
        if results.elapsed > 0.0 {
            format!("{:.1}", results.seconds / results.elapsed)
        } else {
            "none".to_owned()
        },
    )
}

/// Formats a number of seconds in seconds, minutes or hours.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn tournament(out: &mut String, results: &MatchResults) {
    let _ = write!(out, "\n## {}\n", results.thinking);
    if results.summary.left > 0 {
        let _ = write!(
            out,
            "\nAt most {} still to be played.\n",
            counted(results.summary.left, "match is", "matches are")
        );
    }
    let pairings: Vec<&[String; 2]> =
        results.summary.pairings.iter().map(|pairing| &pairing.players).collect();
    for (heading, columns) in groups(&pairings) {
        overview(out, results, &heading, &columns);
    }
    for total in &results.summary.pairings {
        let [one, other] = &total.players;
        let _ = write!(
            out,
            "\n### {one} against {other}\n\n| game | matches | won | drawn | lost | score % | 95 % | ± | Elo (95 %) | \
             test | late | illegal |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        );
        let of_pair = results.summary.games.iter().filter(|pairing| pairing.players == total.players);
        of_pair.chain([total]).for_each(|pairing| detail(out, pairing));
    }
    if !results.summary.unfinished.is_empty() {
        out.push_str("\n### Without a result\n\n| game | why | matches |\n|---|---|---|\n");
        let mut why: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for unfinished in &results.summary.unfinished {
            *why.entry((&unfinished.game, &unfinished.why)).or_default() += 1;
        }
        for ((game, why), matches) in why {
            let _ = writeln!(out, "| {game} | {} | {} |", escape_cell(why), grouped(matches));
        }
    }
}

/// A column: its heading, and the index of its pairing.
type Column = (String, usize);

/// Groups pairings into tables of pairings that share a player: the second player if there are fewer different second
/// players than first ones, or equally many; otherwise the first.
fn groups(pairings: &[&[String; 2]]) -> Vec<(String, Vec<Column>)> {
    let distinct = |side: usize| {
        let mut all: Vec<&str> = Vec::new();
        for pair in pairings {
            if !all.contains(&pair[side].as_str()) {
                all.push(&pair[side]);
            }
        }
        all
    };
    let (firsts, seconds) = (distinct(0), distinct(1));
    let (shared, side) = if seconds.len() <= firsts.len() { (seconds, 1) } else { (firsts, 0) };
    let group = |name: &str| {
        let of = pairings.iter().enumerate().filter(|(_, pair)| pair[side] == name);
        let columns = of.map(|(number, pair)| (pair[1 - side].clone(), number)).collect();
        let heading = if side == 1 { format!("Against {name}") } else { format!("{name} against others") };
        (heading, columns)
    };
    shared.into_iter().map(group).collect()
}

/// The results of a group: a row per game, a column per pairing.
fn overview(out: &mut String, results: &MatchResults, heading: &str, columns: &[Column]) {
    let of = |number: usize| &results.summary.pairings[number];
    let in_game = |game: &Option<String>, number: usize| {
        results
            .summary
            .games
            .iter()
            .find(|pairing| pairing.game == *game && pairing.players == of(number).players)
    };
    let mut games: Vec<&Option<String>> = Vec::new();
    for pairing in &results.summary.games {
        if !games.contains(&&pairing.game) {
            games.push(&pairing.game);
        }
    }
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let _ = write!(
        out,
        "\n### {heading}\n\n| game | {} |\n|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let row = |out: &mut String, name: &str, cells: Vec<String>| {
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    };
    for &game in &games {
        let cells =
            columns.iter().map(|&(_, number)| in_game(game, number).map_or_else(String::new, score_cell));
        row(out, game.as_deref().unwrap_or_default(), cells.collect());
    }
    row(out, "all", columns.iter().map(|&(_, number)| score_cell(of(number))).collect());
    let of_pair = |number: usize| {
        results.summary.games.iter().filter(move |pairing| pairing.players == of(number).players)
    };
    for outcome in [SprtVerdict::Better, SprtVerdict::Worse, SprtVerdict::Alike, SprtVerdict::Open] {
        let count = |&(_, number): &Column| {
            let with =
                of_pair(number).filter(|pairing| pairing.sprt.is_some_and(|test| test.verdict == outcome));
            with.count().to_string()
        };
        if results.summary.games.iter().any(|pairing| pairing.sprt.is_some()) {
            row(out, &format!("*{} in games*", verdict(outcome)), columns.iter().map(count).collect());
        }
    }
    for (side, words) in [(Ordering::Greater, "above"), (Ordering::Less, "below")] {
        let there = games.iter().filter_map(|game| {
            let who = columns
                .iter()
                .filter(|&&(_, number)| in_game(game, number).is_some_and(|p| interval_side(p) == side));
            let who: Vec<&str> = who.map(|(name, _)| name.as_str()).collect();
            let in_all = who.len() == columns.len() && who.len() > 1;
            let who = if in_all { "all".to_owned() } else { who.join(", ") };
            (!who.is_empty()).then(|| format!("{} ({who})", game.as_deref().unwrap_or_default()))
        });
        let there: Vec<String> = there.collect();
        let _ = write!(out, "\nThe interval is {words} 50 in {} of {} games", there.len(), games.len());
        let _ = writeln!(out, "{}{}.", if there.is_empty() { "" } else { ": " }, there.join(", "));
    }
}

/// Whether the whole interval of the score is above or below 0.5; `Equal` if it contains 0.5.
fn interval_side(pairing: &Pairing) -> Ordering {
    match &pairing.score {
        score if score.matches == 0 => Ordering::Equal,
        score if score.low > 0.5 => Ordering::Greater,
        score if score.high < 0.5 => Ordering::Less,
        _ => Ordering::Equal,
    }
}

/// The score, interval and verdict as one cell.
fn score_cell(pairing: &Pairing) -> String {
    if pairing.score.matches == 0 {
        return "–".to_owned();
    }
    let test = pairing.sprt.map_or(String::new(), |test| format!(" {}", verdict(test.verdict)));
    let of = &pairing.score;
    let mark = match interval_side(pairing) {
        Ordering::Greater => "**",
        Ordering::Less => "*",
        Ordering::Equal => "",
    };
    format!("{mark}{} ({} to {}){mark}{test}", share(of.score), share(of.low), share(of.high))
}

fn detail(out: &mut String, pairing: &Pairing) {
    let [points, within] = score(&pairing.score);
    let of = &pairing.score;
    let [own, other] = pairing.sides;
    let _ = writeln!(
        out,
        "| {} | {} | {} | {} | {} | {points} | {within} | {} | {} | {} | {} | {} |",
        pairing.game.as_deref().unwrap_or("all"),
        grouped(of.matches),
        grouped(of.wins),
        grouped(of.draws),
        grouped(of.losses),
        half_width(pairing),
        elo(&pairing.elo),
        pairing.sprt.map_or("", |test| verdict(test.verdict)),
        pair_cell(own.late, other.late),
        pair_cell(own.illegal, other.illegal),
    );
}

/// Half of the width of the score's interval, in per cent.
fn half_width(pairing: &Pairing) -> String {
    let of = &pairing.score;
    if of.matches == 0 { "–".to_owned() } else { share((of.high - of.low) / 2.0) }
}

/// The faults of both players as one cell.
fn pair_cell(own: u64, other: u64) -> String {
    format!("{} – {}", grouped(own), grouped(other))
}
