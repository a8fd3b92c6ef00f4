//! All evaluation functions of a game.

use super::build_context::{BuildContext, Functions, Parameters};
use super::kind::Kind;
use super::kinds::{self, KINDS};

/// Makes all evaluation functions of the kinds that are made by default. A function that can't be made is noted and
/// does not affect the others.
pub fn functions(build_context: &BuildContext<'_>, parameters: &Parameters) -> Functions {
    functions_of(build_context, parameters, &|kind| kinds::entry(kind).is_usual())
}

/// Like [`functions`], for some kinds only.
pub fn functions_of(
    build_context: &BuildContext<'_>,
    parameters: &Parameters,
    is_selected: &dyn Fn(Kind) -> bool,
) -> Functions {
    let mut functions = Functions::default();
    KINDS
        .iter()
        .filter(|entry| is_selected(entry.kind()))
        .for_each(|entry| entry.make(build_context, parameters, &mut functions));
    functions
}
