//! Describes a game in plain sentences, from its structures.

use crate::structure::finding::{FluentFinding, FluentKind, LocatedObject, Turns};
use crate::structure::vocabulary::Kif;

use super::super::analysis::Analysis;
use super::super::layout::grouped;
use super::scene::Scene;
use super::shape::Form;

/// The most objects that a sentence names.
const NAMED: usize = 8;

/// Writes a small number as a word.
fn word(number: usize) -> String {
    const WORDS: [&str; 11] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    WORDS.get(number).map_or_else(|| grouped(number as u64), |word| (*word).to_owned())
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or(String::new(), |first| first.to_uppercase().chain(signs).collect())
}

/// Joins words with commas and "and".
pub(super) fn join_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [..] if words.len() > NAMED + 1 => {
            format!("{} and {} more", words[..NAMED].join(", "), words.len() - NAMED)
        }
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The description, sentence by sentence.
pub(super) fn description(analysis: &Analysis, scene: &Scene<'_>) -> Vec<String> {
    let mut out = vec![players(analysis, scene)];
    for finding in &analysis.structures.fluents {
        out.extend(match finding.kind {
            FluentKind::Board | FluentKind::Line | FluentKind::Graph | FluentKind::Place => objects(finding),
            FluentKind::Counter => counter(finding),
            _ => None,
        });
    }
    let quantities: Vec<String> = (analysis.structures.fluents.iter())
        .filter(|fluent| fluent.kind == FluentKind::Quantity)
        .map(|fluent| fluent.fluent.clone())
        .collect();
    match quantities.len() {
        0 => {}
        1 => out.push(format!("{} is a quantity that can rise and fall.", quantities[0])),
        count => out.push(format!(
            "{} quantities can rise and fall: {}.",
            capital(&word(count)),
            join_words(&quantities)
        )),
    }
    out.extend(teams(analysis));
    out
}

/// The sentence on players, turns and boards.
fn players(analysis: &Analysis, scene: &Scene<'_>) -> String {
    let roles = &analysis.game.roles;
    let draws = analysis.information.random_role;
    let count = roles.len() - usize::from(draws && roles.len() > 1);
    let names = join_words(roles);
    let on = places(scene);
    match (count, analysis.structures.turns) {
        (1, _) => format!("One player, {names}, plays alone{on}."),
        (_, Turns::Alternating) => format!("{} players, {names}, take turns{on}.", capital(&word(count))),
        (_, Turns::Simultaneous) => {
            format!("{} players, {names}, move at the same time{on}.", capital(&word(count)))
        }
        (_, Turns::SinglePlayer) => format!("{} players, {names}, play{on}.", capital(&word(count))),
    }
}

/// The boards, as the end of the sentence on players.
fn places(scene: &Scene<'_>) -> String {
    let board = |board: &super::scene::BoardScene<'_>| {
        let cells = board.shape.cells.len();
        let lengths: Vec<String> =
            board.board().elements.iter().map(|elements| elements.len().to_string()).collect();
        let full = board.board().elements.iter().map(Vec::len).product::<usize>() == cells;
        let form = match board.shape.form {
            Form::Hexagon => "hexagons",
            _ => "cells",
        };
        match (lengths.len(), full) {
            _ if board.shape.form == Form::Point => format!("a graph of {cells} cells"),
            (1, _) => format!("a row of {cells} cells"),
            (_, true) => format!("a board of {} {form}", lengths.join(" by ")),
            (_, false) => format!("{cells} {form} of a {} board", lengths.join("-by-")),
        }
    };
    let mut boards: Vec<String> = scene.boards.iter().map(board).collect();
    boards.dedup();
    match boards.len() {
        0 => String::new(),
        1 if scene.boards.len() > 1 => {
            format!(" on {} boards, each {}", word(scene.boards.len()), boards[0])
        }
        _ => format!(" on {}", join_words(&boards)),
    }
}

/// The sentence on the objects of a board.
fn objects(finding: &FluentFinding<Kif>) -> Option<String> {
    let names = |objects: &[LocatedObject<Kif>]| -> Vec<String> {
        objects.iter().map(|object| object.symbol.join(" ")).collect()
    };
    let markers = names(&finding.markers);
    let pieces: Vec<String> = names(&finding.pieces);
    let contents = names(&finding.contents);
    let filled = match finding.covered {
        Some(true) => "; every cell always holds something",
        Some(false) => "; cells may be empty",
        None => "",
    };
    let fluent = &finding.fluent;
    match (markers.is_empty() && contents.is_empty(), pieces.is_empty()) {
        (true, true) => None,
        (false, true) => {
            Some(format!("The board ({fluent}) holds {}{filled}.", join_words(&[markers, contents].concat())))
        }
        (true, false) => {
            Some(format!("The board ({fluent}) holds single pieces: {}{filled}.", join_words(&pieces)))
        }
        (false, false) => Some(format!(
            "The board ({fluent}) holds {}, and at most one each of {}{filled}.",
            join_words(&[markers, contents].concat()),
            join_words(&pieces)
        )),
    }
}

fn counter(finding: &FluentFinding<Kif>) -> Option<String> {
    let counter = finding.counter.as_ref()?;
    Some(match &counter.limit {
        Some(limit) => {
            format!("{} counts steps from {}; the game ends at {limit}.", finding.fluent, counter.start)
        }
        None => format!("{} counts steps from {}.", finding.fluent, counter.start),
    })
}

/// The sentence on teams, whose names the first screen does not have.
fn teams(analysis: &Analysis) -> Option<String> {
    let structures = &analysis.structures;
    // The role `random` belongs to no team.
    if structures.teams.iter().map(Vec::len).sum::<usize>() < 2 {
        return None;
    }
    if !structures.has_ends() {
        return Some("No game ended, so the teams are unknown.".to_owned());
    }
    let teams: Vec<String> = structures.teams.iter().map(|team| team.join(" with ")).collect();
    match (structures.teams.len(), structures.teams.iter().any(|team| team.len() > 1)) {
        (1, _) => Some("All roles share one result.".to_owned()),
        (_, true) => Some(format!("{} play against each other.", join_words(&teams))),
        (_, false) => None,
    }
}

/// The sentence on the first mover and its advantage in random play; `None` unless exactly one role begins.
pub(super) fn first_mover(analysis: &Analysis, first: Option<usize>) -> Option<String> {
    let roles = &analysis.simulation.roles;
    let role = roles.get(first?).filter(|_| roles.len() > 1)?;
    let mean = role.goal_mean?;
    let others = roles.iter().filter(|other| other.role != role.role).filter_map(|other| other.goal_mean);
    let best = others.filter_map(|mean| mean.high.zip(mean.low)).fold(
        None,
        |best: Option<[f64; 2]>, (high, low)| {
            Some(best.map_or([low, high], |best| [best[0].max(low), best[1].max(high)]))
        },
    )?;
    let [low, high] = [mean.low?, mean.high?];
    let verdict = match (low > best[1], high < best[0]) {
        (true, _) => "moving first is an advantage in random play",
        (_, true) => "moving first is a disadvantage in random play",
        _ => "random play shows neither an advantage nor a disadvantage of moving first",
    };
    Some(format!("{} moves first; {verdict}.", role.role))
}
