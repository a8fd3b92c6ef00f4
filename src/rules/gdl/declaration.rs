//! Declarations: facts and rules of `base` and `input`, which by convention list the fluents and the moves of a game. If no
//! rule uses these relations, a mistake in them has no effect, so [`examined`] leaves out the statements with mistakes.

use super::check::tolerated;
use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::statement::{Statement, Text};

const NAMES: [&str; 2] = ["base", "input"];

/// Maximum number of passes that leave out only the faulty declarations. The next pass leaves out all declarations, because
/// an error may appear only after another one is gone.
const MAX_ROUNDS: usize = 3;

/// For each of [`NAMES`], whether it is unused: it occurs only in bodies of rules for unused names of [`NAMES`].
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
                    if let Some(index) = NAMES.iter().position(|&known| known == name) {
                        unused[index] = false;
                    }
                });
            }
        }
        if unused == before {
            return unused;
        }
    }
}

/// The relation that a statement declares, if no other rule uses it.
fn declared(text: &Text, statement: &Statement, unused: [bool; 2]) -> Option<&'static str> {
    let name = text.symbols.name(statement.head.name);
    let index = NAMES.iter().position(|&known| known == name)?;
    unused[index].then_some(NAMES[index])
}

/// Calls `examine` repeatedly until no declaration has errors. Before each further call, it removes the declarations
/// with errors, whose errors become warnings. `examine` adds the faults of a text to those of `reading`.
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
            // Faults without a place concern the whole text.
            if span.is_empty() {
                continue;
            }
            let within =
                |statement: &Statement| statement.span.start <= span.start && span.end <= statement.span.end;
            // Statements are in the order of the text, so their spans can be searched.
            let index = text.statements.partition_point(|statement| statement.span.start <= span.start);
            let Some(index) = index.checked_sub(1).filter(|&index| within(&text.statements[index])) else {
                continue;
            };
            if let Some(name) = declared(text, &text.statements[index], unused) {
                wrong[index] = true;
                mistakes.push((name, fault.clone()));
            }
        }
        if !wrong.contains(&true) {
            mistakes.iter().for_each(|(name, error)| tolerated::declaration(&mut faults, name, error));
            return (result, faults);
        }
        let mut index = 0;
        let statements = std::mem::take(&mut text.statements);
        let (left_out, kept) = statements.into_iter().partition(|statement| {
            index += 1;
            wrong[index - 1] || round >= MAX_ROUNDS && declared(text, statement, unused).is_some()
        });
        text.statements = kept;
        text.left_out.extend::<Vec<Statement>>(left_out);
        round += 1;
    }
}
