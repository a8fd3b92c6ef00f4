//! `base` and `input`, which by convention list the fluents and the moves of a game. Where no rule uses them, a mistake in
//! them changes nothing, so the statements that have one are left out.

use super::check::tolerated;
use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::statement::{Statement, Text};

const NAMES: [&str; 2] = ["base", "input"];

/// Times that a text is read again without the statements in which errors were found. Then all declarations are left out:
/// an error may show only after another one.
const ROUNDS: usize = 3;

/// Which of [`NAMES`] the other rules of a text do not use, directly or through each other.
fn unused(text: &Text) -> [bool; 2] {
    let mut unused = [true; 2];
    loop {
        let before = unused;
        for statement in &text.statements {
            if declared(text, statement, unused).is_some() {
                continue;
            }
            for formula in &statement.body {
                formula.for_each_sentence(false, &mut |sentence, _| {
                    let name = text.symbols.name(sentence.name);
                    if let Some(place) = NAMES.iter().position(|&known| known == name) {
                        unused[place] = false;
                    }
                });
            }
        }
        if unused == before {
            return unused;
        }
    }
}

/// The name of the relation that a statement is a declaration of, if it is one that no other rule uses.
fn declared(text: &Text, statement: &Statement, unused: [bool; 2]) -> Option<&'static str> {
    let name = text.symbols.name(statement.head.name);
    let place = NAMES.iter().position(|&known| known == name)?;
    unused[place].then_some(NAMES[place])
}

/// Examines a text, again and again without the declarations that have errors: these are added to its faults as warnings.
/// `examine` adds the faults of a text to those of its reading.
pub(super) fn examined<T>(
    text: &mut Text,
    reading: Diagnostics,
    mut examine: impl FnMut(&Text, &mut Diagnostics) -> T,
) -> (T, Diagnostics) {
    let unused = unused(text);
    let mut mistakes: Vec<(&str, Diagnostic)> = Vec::new();
    let mut round = 0;
    loop {
        let mut faults = reading.clone();
        let result = examine(text, &mut faults);
        let mut wrong = vec![false; text.statements.len()];
        for fault in faults.listed().filter(|fault| fault.severity == Severity::Error) {
            let span = fault.span();
            // Faults of the whole text have no place.
            if span.is_empty() {
                continue;
            }
            let within =
                |statement: &Statement| statement.span.start <= span.start && span.end <= statement.span.end;
            // Statements are in the order of the text.
            let place = text.statements.partition_point(|statement| statement.span.start <= span.start);
            let Some(place) = place.checked_sub(1).filter(|&place| within(&text.statements[place])) else {
                continue;
            };
            if let Some(name) = declared(text, &text.statements[place], unused) {
                wrong[place] = true;
                mistakes.push((name, fault.clone()));
            }
        }
        if !wrong.contains(&true) {
            mistakes.iter().for_each(|(name, error)| tolerated::declaration(&mut faults, name, error));
            return (result, faults);
        }
        let mut place = 0;
        let statements = std::mem::take(&mut text.statements);
        let (left_out, kept) = statements.into_iter().partition(|statement| {
            place += 1;
            wrong[place - 1] || round >= ROUNDS && declared(text, statement, unused).is_some()
        });
        text.statements = kept;
        text.left_out.extend::<Vec<Statement>>(left_out);
        round += 1;
    }
}
