//! How games end, in words: causes that mean the same to a reader are one.

use crate::verdict::{EndingCause, EndingKind, EndingOutcome, GameEndings};

use super::super::analysis::Analysis;
use super::super::layout::{counted, percent};

/// The most characters for the causes, without the last remark.
const LENGTH: usize = 150;

/// The most lines of rules that a cause names.
const MOST_RULES: usize = 4;

/// Games that ended for one cause, as a reader sees it.
struct End {
    text: String,
    games: u64,
    /// The lines of the rules of `terminal` that ended them, ascending.
    lines: Vec<usize>,
}

impl End {
    /// Its share of all `games`, its text, and the lines of its rules.
    fn in_words(&self, games: u64) -> String {
        let named: Vec<String> = self.lines.iter().take(MOST_RULES).map(usize::to_string).collect();
        let more = match self.lines.len().saturating_sub(MOST_RULES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let place = match named.len() {
            0 => String::new(),
            1 => format!(" (rule at line {})", named[0]),
            _ => format!(" (rules at lines {}{more})", named.join(", ")),
        };
        format!("{} {}{place}", percent(self.games as f64 / games as f64), self.text)
    }
}

/// How games end, by cause: those of the searches if there are any, else random ones.
pub(super) fn how_games_end(analysis: &Analysis) -> Option<String> {
    let GameEndings { random, good, .. } = &analysis.verdict.as_ref()?.endings;
    let (endings, what) = if good.games > 0 { (good, "of search") } else { (random, "of random play") };
    if endings.games == 0 {
        return None;
    }
    let ends = merged(analysis, &endings.causes);
    let mut text = format!("in {} {what}: ", counted(endings.games, "game", "games"));
    let mut left = endings.games;
    for (number, end) in ends.iter().enumerate() {
        let next = end.in_words(endings.games);
        if number > 0 && text.chars().count() + next.chars().count() > LENGTH {
            break;
        }
        text.push_str(if number > 0 { ", " } else { "" });
        text.push_str(&next);
        left -= end.games;
    }
    if left > 0 {
        text.push_str(&format!(", {} for other reasons", percent(left as f64 / endings.games as f64)));
    }
    Some(text)
}

/// The causes, those with the same words as one, the most frequent first. Outcomes that have different words are apart.
fn merged(analysis: &Analysis, causes: &[EndingCause]) -> Vec<End> {
    let mut ends: Vec<End> = Vec::new();
    for cause in causes {
        for (text, games) in parts(analysis, cause) {
            let lines = cause.rules.iter().map(|rule| rule.line).filter(|&line| line > 0);
            match ends.iter_mut().find(|end| end.text == text) {
                Some(end) => {
                    end.games += games;
                    end.lines.extend(lines);
                }
                None => ends.push(End { text, games, lines: lines.collect() }),
            }
        }
    }
    for end in &mut ends {
        end.lines.sort_unstable();
        end.lines.dedup();
    }
    ends.sort_by_key(|end| std::cmp::Reverse(end.games));
    ends
}

/// The words for a cause and the number of its games; several if its outcomes differ in kind.
fn parts(analysis: &Analysis, cause: &EndingCause) -> Vec<(String, u64)> {
    let players = analysis.players();
    let Some(&first) = players.first() else { return vec![(cause.text.clone(), cause.games)] };
    let games = |kept: &dyn Fn(&&EndingOutcome) -> bool| -> u64 {
        cause.outcomes.iter().filter(kept).map(|outcome| outcome.games).sum()
    };
    if analysis.structures.teams.len() < 2 {
        let is_solved = |of: &&EndingOutcome| of.goals[first] == Some(100);
        let solved = games(&is_solved);
        let unsolved = cause.outcomes.iter().filter(|of| !is_solved(of)).filter_map(|of| of.goals[first]);
        let text = match (cause.kind, unsolved.clone().min(), unsolved.max()) {
            (EndingKind::Condition, Some(0), Some(0)) => "unsolved".to_owned(),
            (EndingKind::Condition, Some(least), Some(most)) if least == most => format!("with goal {least}"),
            (EndingKind::Condition, Some(least), Some(most)) => format!("with goals {least} to {most}"),
            _ => cause.text.clone(),
        };
        return with_games([("solved".to_owned(), solved), (text, cause.games - solved)]);
    }
    if cause.kind != EndingKind::Condition {
        return vec![(cause.text.clone(), cause.games)];
    }
    let is_level = |of: &&EndingOutcome| players.iter().all(|&role| of.goals[role] == of.goals[first]);
    let level = games(&is_level);
    let draw = if analysis.structures.zero_sum { "by a draw" } else { "by a tie" };
    with_games([("by a win".to_owned(), cause.games - level), (draw.to_owned(), level)])
}

/// The parts that have games.
fn with_games(parts: [(String, u64); 2]) -> Vec<(String, u64)> {
    parts.into_iter().filter(|(_, games)| *games > 0).collect()
}

/// A cause in words, with the shares of its parts if there are several.
pub(in crate::report) fn cause_text(analysis: &Analysis, cause: &EndingCause) -> String {
    match &parts(analysis, cause)[..] {
        [(text, _)] => text.clone(),
        parts => {
            let part = |(text, games): &(String, u64)| {
                format!("{} {text}", percent(*games as f64 / cause.games as f64))
            };
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}
