//! Formats learned functions: the rounds of learning, and the terms with the greatest weights.

use crate::evaluation::learned::{LearnedFunction, LearningRound};

use super::layout::{Layout, counted, grouped, percent};

/// The number of terms that are shown per role.
const TERMS: usize = 12;

/// A round in one line.
pub fn round_line(round: &LearningRound) -> String {
    let games = counted(round.games, "game", "games");
    format!("{games}; explains {}; gains {}", explained_share(round), gain(round))
}

/// The rounds, which are the same for all functions of a game, and the greatest weights of each role.
pub fn text(functions: &[&LearnedFunction], layout: Layout) -> String {
    let Some(first) = functions.first() else { return String::new() };
    let mut out = format!("{}\n", layout.heading("Learning"));
    let rows = (1..).zip(&first.rounds).map(|(number, round)| {
        vec![
            format!("{number}"),
            grouped(round.games),
            grouped(round.states),
            grouped(round.weights),
            explained_share(round),
            gain(round),
            if round.kept { "yes".to_owned() } else { "no".to_owned() },
        ]
    });
    let header = ["round", "games", "states", "weights", "explains", "gains", "kept"];
    out.push_str(&layout.table(&header, rows.collect()));
    out.push_str(&layout.paragraph(
        "  ",
        "explains: share of the variance of later values, in held-out games (at most 1). gains: mean goal value (0 to 1) of a \
         role with these functions minus that with the previous ones, or in round 1 with random moves.",
    ));
    for function in functions {
        let heading = format!("{}: {}", function.role, counted(function.terms.len() as u64, "term", "terms"));
        out.push_str(&format!("\n{}\n", layout.heading(&heading)));
        let rows = function.terms.iter().take(TERMS).map(|term| {
            let mut row = vec![format!("{:+.3}", term.weight), percent(term.support), term.parts().join(" ")];
            if function.turn.is_some() {
                row.insert(1, format!("{:+.3}", term.weight + term.gain));
            }
            row
        });
        let by_turn = function.turn.as_ref().map(|turn| format!("with {}", turn.fact));
        let header: &[&str] = match &by_turn {
            Some(by_turn) => &["weight", by_turn, "holds in", "facts"],
            None => &["weight", "holds in", "facts"],
        };
        out.push_str(&layout.table(header, rows.collect()));
        let more = function.terms.len().saturating_sub(TERMS);
        if more > 0 {
            out.push_str(
                &layout.paragraph("  ", &format!("and {}", counted(more as u64, "more term", "more terms"))),
            );
        }
    }
    out
}

fn explained_share(round: &LearningRound) -> String {
    round.explained.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

fn gain(round: &LearningRound) -> String {
    format!("{:+.3} ± {:.3}", round.gain, 1.96 * round.standard_error)
}
