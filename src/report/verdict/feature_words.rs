//! Features in words, such as "more red than yellow in column 4".
//!
//! Names of contents, fluents and roles are those of the rules. The words "column" and "row" follow the drawing of boards:
//! the first coordinate is drawn across, the second up.

use crate::feature::{Argument, Pattern, Spec};
use crate::structure::finding::{FluentFinding, FluentKind, Structures};
use crate::structure::vocabulary::Kif;

/// A feature as words that say what a role should have: much of it if `more`, else little. None if no short sentence is known.
pub(super) fn in_words(spec: &Spec, structures: &Structures<Kif>, more: bool) -> Option<String> {
    let than = if more { "more" } else { "fewer" };
    match spec {
        Spec::Difference { first, second } => match (&**first, &**second) {
            (Spec::Count { pattern: first }, Spec::Count { pattern: second }) => {
                let (one, other) = (Place::of(first, structures)?, Place::of(second, structures)?);
                (one.place == other.place)
                    .then(|| format!("{than} {} than {}{}", one.object, other.object, one.place))
            }
            (Spec::Moves { role, .. }, Spec::Moves { role: other, .. }) => {
                Some(format!("{than} legal moves for {role} than for {other}"))
            }
            (Spec::Extreme { patterns, argument, greatest, .. }, Spec::Extreme { patterns: others, .. }) => {
                let (pattern, other) = (patterns.first()?, others.first()?);
                let (one, other) = (Place::of(pattern, structures)?, Place::of(other, structures)?);
                let axis = axis_word(pattern, *argument, structures)?;
                let end = if *greatest { "highest" } else { "lowest" };
                let compared = if more { "higher" } else { "lower" };
                Some(format!("the {end} {axis} of {} {compared} than that of {}", one.object, other.object))
            }
            (Spec::Total { of: first }, Spec::Total { of: second }) => {
                let (one, other) = (objects(first, structures)?, objects(second, structures)?);
                Some(format!("{than} {one} than {other}"))
            }
            (Spec::Sum { terms: first }, Spec::Sum { terms: second }) => {
                let names = |terms: &[crate::feature::Term]| -> Option<String> {
                    let of =
                        terms.iter().map(|term| Place::of(&term.pattern, structures).map(|of| of.object));
                    few(of.collect::<Option<Vec<_>>>()?)
                };
                let (one, other) = (names(first)?, names(second)?);
                Some(format!("{than} {one} than {other}"))
            }
            (Spec::Index { pattern, .. }, Spec::Index { pattern: other, .. }) => {
                let compared = if more { "a greater" } else { "a smaller" };
                Some(format!("{compared} value of {pattern} than of {other}"))
            }
            _ => None,
        },
        Spec::Count { pattern }
            if is_fact(pattern) && board_of(&Pattern::parse(pattern).ok()?, structures).is_none() =>
        {
            Some(if more { format!("{pattern} holds") } else { format!("{pattern} does not hold") })
        }
        Spec::Count { pattern } => {
            let Place { object, place } = Place::of(pattern, structures)?;
            // A cell has one object or none.
            Some(match (place.starts_with(" on the cell"), more) {
                (true, true) => format!("{object}{place}"),
                (true, false) => format!("no {object}{place}"),
                (false, _) => format!("{than} {object} than usual{place}"),
            })
        }
        Spec::Total { of } => Some(format!("{than} {} than usual", objects(of, structures)?)),
        Spec::Moves { role, .. } => Some(format!("{than} legal moves than usual for {role}")),
        Spec::Index { pattern, .. } => {
            let compared = if more { "a greater" } else { "a smaller" };
            Some(format!("{compared} value of {pattern} than usual"))
        }
        Spec::Extreme { patterns, argument, greatest, .. } => {
            let [pattern] = &patterns[..] else { return None };
            let Place { object, .. } = Place::of(pattern, structures)?;
            let axis = axis_word(pattern, *argument, structures)?;
            let end = if *greatest { "highest" } else { "lowest" };
            let compared = if more { "higher" } else { "lower" };
            Some(format!("the {end} {axis} of {object} {compared} than usual"))
        }
        _ => None,
    }
}

/// Whether a pattern has no variables.
fn is_fact(pattern: &str) -> bool {
    let ground = |argument: &Argument| matches!(argument, Argument::Term(_));
    Pattern::parse(pattern).is_ok_and(|pattern| pattern.arguments.iter().all(ground))
}

/// The objects of counts, in words.
fn objects(parts: &[Spec], structures: &Structures<Kif>) -> Option<String> {
    let of = |spec: &Spec| match spec {
        Spec::Count { pattern } => {
            Place::of(pattern, structures).filter(|of| of.place.is_empty()).map(|of| of.object)
        }
        _ => None,
    };
    few(parts.iter().map(of).collect::<Option<Vec<_>>>()?)
}

/// At most three names, joined by `and`.
fn few(names: Vec<String>) -> Option<String> {
    match &names[..] {
        [name] => Some(name.clone()),
        [one, other] => Some(format!("{one} and {other}")),
        [one, two, three] => Some(format!("{one}, {two} and {three}")),
        _ => None,
    }
}

/// What a pattern counts, and where.
struct Place {
    /// The contents, or the pattern itself.
    object: String,
    /// Such as ` in column 4`; empty for the whole board.
    place: String,
}

impl Place {
    fn of(pattern: &str, structures: &Structures<Kif>) -> Option<Place> {
        let parsed = Pattern::parse(pattern).ok()?;
        let fixed = |argument: &Argument| match argument {
            Argument::Term(term) => Some(term.clone()),
            _ => None,
        };
        let board = board_of(&parsed, structures);
        let Some(board) = board else {
            // The number of a single fact is 0 or 1.
            let varies = parsed.arguments.iter().any(|argument| fixed(argument).is_none());
            return varies.then(|| Place { object: pattern.to_owned(), place: String::new() });
        };
        let is_axis = |place: usize| board.axes.iter().any(|axis| axis.argument.index() == place);
        let contents: Vec<String> = (parsed.arguments.iter().enumerate())
            .filter(|(place, _)| !is_axis(*place))
            .filter_map(|(_, argument)| fixed(argument))
            .collect();
        let mut places = Vec::new();
        for (number, axis) in board.axes.iter().enumerate() {
            if let Some(term) = parsed.arguments.get(axis.argument.index()).and_then(fixed) {
                places.push(format!("{} {term}", axis_name(number)?));
            }
        }
        let object = match contents.len() {
            0 => "occupied cells".to_owned(),
            _ => contents.join(" "),
        };
        let place = match &places[..] {
            [] => String::new(),
            [one] => format!(" in {one}"),
            _ => format!(" on the cell in {}", places.join(", ")),
        };
        Some(Place { object, place })
    }
}

/// The board of a pattern's fluent.
fn board_of<'s>(pattern: &Pattern, structures: &'s Structures<Kif>) -> Option<&'s FluentFinding<Kif>> {
    let name = pattern.signature();
    structures.fluents.iter().find(|found| found.fluent == name && found.kind == FluentKind::Board)
}

/// The word for a coordinate of a board.
fn axis_word(pattern: &str, argument: usize, structures: &Structures<Kif>) -> Option<&'static str> {
    let board = board_of(&Pattern::parse(pattern).ok()?, structures)?;
    let number = board.axes.iter().position(|axis| axis.argument.index() + 1 == argument)?;
    axis_name(number)
}

fn axis_name(number: usize) -> Option<&'static str> {
    ["column", "row"].get(number).copied()
}
