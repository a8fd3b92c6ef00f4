//! The legal moves at a prompt: prints them with numbers, and finds the move that a typed line means.

use crate::simulate::canonical;

/// The maximum number of moves that an error message lists.
const MAX_LISTED: usize = 10;

/// The legal moves with their numbers.
pub(super) struct MoveList {
    texts: Vec<String>,
    /// The number of each move in the list.
    numbers: Vec<u64>,
}

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The move with this index.
    Move(usize),
    /// The line does not mean exactly one move; the message says why.
    Unclear(String),
}

/// The words of a move, without parentheses.
fn words(text: &str) -> Vec<&str> {
    text.split(|sign: char| sign.is_whitespace() || "()".contains(sign))
        .filter(|word| !word.is_empty())
        .collect()
}

/// The numbers in the moves, if moves differ only in one number: 1, 3 and 4 for `(drop 1)`, `(drop 3)` and `(drop 4)`.
fn own_numbers(texts: &[String]) -> Option<Vec<u64>> {
    let all: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
    let first = all.first()?;
    let differs = |place: &usize| all.iter().any(|words| words.get(*place) != first.get(*place));
    let mut places = (0..first.len()).filter(differs);
    let place = places.next()?;
    if places.next().is_some() || all.iter().any(|words| words.len() != first.len()) {
        return None;
    }
    let number = |words: &Vec<&str>| words[place].parse().ok();
    let mut numbers = all.iter().map(number).collect::<Option<Vec<u64>>>()?;
    let found = numbers.clone();
    // `1` and `01` are different names with the same number.
    numbers.sort_unstable();
    numbers.dedup();
    (numbers.len() == texts.len()).then_some(found)
}

impl MoveList {
    /// The moves with these texts. They are numbered from 1, or with their own numbers if they differ only in one
    /// number.
    pub(super) fn new(texts: Vec<String>) -> MoveList {
        let numbers = own_numbers(&texts).unwrap_or_else(|| (1..=texts.len() as u64).collect());
        MoveList { texts, numbers }
    }

    /// The number of moves.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The first move as the rules write it, without the outer parentheses, and as its number.
    pub(super) fn spellings(&self) -> [String; 3] {
        let whole = self.texts.first().cloned().unwrap_or_default();
        let bare =
            whole.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(&whole).to_owned();
        let number = self.numbers.first().map_or_else(String::new, u64::to_string);
        [whole, bare, number]
    }

    /// The moves with their numbers, in as many columns as fit into the width.
    pub(super) fn text(&self, width: usize) -> String {
        let digits = self.numbers.iter().map(|number| number.to_string().len()).max().unwrap_or(1);
        let longest = self.texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let columns = (width / (digits + longest + 4)).max(1);
        let mut out = String::new();
        let moves: Vec<(&String, &u64)> = self.texts.iter().zip(&self.numbers).collect();
        for line in moves.chunks(columns) {
            for (text, number) in line {
                out.push_str(&format!("  {number:>digits$} {text:<longest$} "));
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        out
    }

    /// The move that a line means. The line is the move's number, its text with or without the outer parentheses, or
    /// words that only this move contains; earlier forms take precedence.
    pub(super) fn read(&self, line: &str) -> Reading {
        if line.is_empty() {
            return Reading::Unclear("type a move, or `?` for help\n".to_owned());
        }
        let bare = !line.contains('(') && line.contains(char::is_whitespace);
        let typed = if bare { canonical(&format!("({line})")) } else { canonical(line) };
        let number = || {
            let number = line.parse::<u64>().ok()?;
            self.numbers.iter().position(|&of| of == number)
        };
        if let Some(place) = number().or_else(|| self.texts.iter().position(|text| *text == typed)) {
            return Reading::Move(place);
        }
        let part = words(&typed);
        let has_part =
            |text: &str| !part.is_empty() && words(text).windows(part.len()).any(|words| words == part);
        let places: Vec<usize> =
            (0..self.texts.len()).filter(|&place| has_part(&self.texts[place])).collect();
        match places[..] {
            [] => Reading::Unclear(self.unknown_message(line, &typed)),
            [place] => Reading::Move(place),
            _ => {
                let texts: Vec<&str> =
                    places.iter().take(MAX_LISTED).map(|&place| self.texts[place].as_str()).collect();
                let more = if places.len() > MAX_LISTED { ", ..." } else { "" };
                let all = texts.join(", ");
                Reading::Unclear(format!("`{line}` is part of {} legal moves: {all}{more}\n", places.len()))
            }
        }
    }

    fn unknown_message(&self, line: &str, typed: &str) -> String {
        let like = |text: &&String| strsim::normalized_damerau_levenshtein(text, typed);
        let nearest = self.texts.iter().max_by(|a, b| like(a).total_cmp(&like(b)));
        // For a number out of range there is no useful suggestion.
        let nearest = nearest.filter(|text| line.parse::<f64>().is_err() && like(text) > 0.5);
        let nearest = nearest.map_or(String::new(), |text| format!("; did you mean {text}?"));
        format!("`{line}` is neither a legal move nor a command{nearest} (`?` for help)\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> MoveList {
        MoveList::new(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn a_move_that_only_a_number_distinguishes_keeps_it() {
        let columns = list(&["(drop 1)", "(drop 3)", "(drop 12)"]);
        assert_eq!(columns.text(80), "   1 (drop 1)     3 (drop 3)    12 (drop 12)\n");
        assert_eq!([columns.read("3"), columns.read("12")], [Reading::Move(1), Reading::Move(2)]);
        assert!(matches!(columns.read("2"), Reading::Unclear(_)));
        // These moves differ in two numbers, so they are numbered from 1.
        assert_eq!(list(&["(mark 1 2)", "(mark 2 1)"]).read("2"), Reading::Move(1));
        assert_eq!(list(&["(take 1)", "(take 01)"]).numbers, [1, 2]);
        assert_eq!(list(&["noop"]).numbers, [1]);
    }

    #[test]
    fn a_part_that_no_other_move_has_is_enough() {
        let moves = list(&["(move king e 1 e 2)", "(move pawn e 2 e 4)", "(move pawn d 2 d 4)", "pass"]);
        assert_eq!(moves.read("king"), Reading::Move(0));
        assert_eq!(moves.read("d 2 d 4"), Reading::Move(2));
        assert_eq!(moves.read("PASS"), Reading::Move(3));
        let Reading::Unclear(text) = moves.read("pawn") else { panic!("two moves have it") };
        assert_eq!(text, "`pawn` is part of 2 legal moves: (move pawn e 2 e 4), (move pawn d 2 d 4)\n");
        let Reading::Unclear(text) = moves.read("move pawn d 2 d 5") else { panic!("it is not legal") };
        assert!(text.contains("did you mean (move pawn d 2 d 4)?"), "{text}");
        for line in ["", "()", "((", "99", "\u{fffd}"] {
            assert!(matches!(moves.read(line), Reading::Unclear(_)), "{line}");
        }
    }
}
