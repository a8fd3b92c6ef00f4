//! What the moves of a relation do, in a sentence of at most 150 characters without a subject.

use std::collections::BTreeMap;

use super::destination::Destination;
use super::move_kind::{ChangeKind, MoveKind};

/// The most characters of a sentence.
const MAX_CHARACTERS: usize = 150;

/// A kind is called the main one without a restriction if it has this share of the moves.
const NEARLY_ALL: f64 = 0.95;

/// If the main kind has a smaller share, the second kind is named as well.
const MOST: f64 = 0.75;

/// The sentence of a relation. `pieces` has the least, the greatest and the total number of pieces for each effect, `fluents`
/// the changed fluents that are not on a board; `single` says that the game has one player. Parts that do not fit are left
/// out.
pub(super) fn sentence(
    kind: &MoveKind,
    pieces: &BTreeMap<ChangeKind, (usize, usize, usize)>,
    fluents: &[(String, &'static str, u64)],
    single: bool,
) -> String {
    let of = |wanted: ChangeKind| moves_of(kind, wanted);
    // Other objects move by the rules, perhaps by those of a move that has no arguments to choose them.
    let idle = of(ChangeKind::Pass);
    if kind.arguments.is_empty() && kind.kind != ChangeKind::Pass && 2 * idle >= kind.moves {
        let share = share_of_moves(idle, kind.moves);
        return format!("{} in {share}", effect(ChangeKind::Pass, kind, pieces, fluents, single));
    }
    let same = if kind.kind == ChangeKind::Move { of(ChangeKind::Promote) } else { 0 };
    // Joint moves may have the same effect as the others.
    let joint = if kind.kind == ChangeKind::Joint { 0 } else { of(ChangeKind::Joint) };
    let main = of(kind.kind) + same;
    let share = main as f64 / (kind.moves - joint).max(1) as f64;
    let part = |of: ChangeKind| effect(of, kind, pieces, fluents, single);
    let second = kind.changes.iter().find(|count| {
        let is_same = same > 0 && count.kind == ChangeKind::Promote;
        count.kind != kind.kind && !is_same && !(joint > 0 && count.kind == ChangeKind::Joint)
    });
    let mut text = part(kind.kind);
    match second {
        _ if kind.kind == ChangeKind::Joint || share >= NEARLY_ALL => {}
        // The other facts change as well if a board does.
        Some(second) if kind.kind == ChangeKind::Other && always_changes(fluents, kind.moves) => {
            text = format!("{text}; {} in {}", part(second.kind), share_of_moves(second.moves, kind.moves));
        }
        Some(second) if share < MOST => {
            let shares = [main, second.moves].map(|moves| percent(moves, kind.moves));
            text = format!("{text} ({}) or {} ({})", shares[0], part(second.kind), shares[1]);
        }
        _ => text = format!("mostly {text}"),
    }
    if text.chars().count() > MAX_CHARACTERS {
        text = format!("mostly {}", part(kind.kind));
    }
    let mut add = |part: String| {
        if text.chars().count() + part.chars().count() <= MAX_CHARACTERS {
            text.push_str(&part);
        }
    };
    let captures = &kind.captures;
    if captures.moves > 0 && kind.kind != ChangeKind::Remove {
        let place = match (captures.landing, captures.elsewhere) {
            (_, 0) if single => " by landing on them",
            (_, 0) => " by landing on a piece",
            (0, _) => " on other cells",
            _ => "",
        };
        let jumps =
            captures.landing == 0 && matches!(kind.destination, Some(Destination::Steps { jumps: true, .. }));
        let verb = match (single, jumps) {
            (true, true) => "removes the piece that it jumps over",
            (true, false) => "removes pieces",
            (false, true) => "captures the piece that it jumps over",
            (false, false) => "captures",
        };
        let place = if jumps { "" } else { place };
        let share = match captures.moves == kind.moves && jumps {
            true => String::new(),
            false => format!(" in {}", share_of_moves(captures.moves, kind.moves)),
        };
        add(format!("; {verb}{place}{share}"));
        if let Some(states) = captures.mandatory {
            add(format!("; captures are mandatory ({0} of {0} states)", grouped(states)));
        }
    }
    if kind.turned.moves > 0 && kind.kind != ChangeKind::Flip {
        let mean = kind.turned.cells as f64 / kind.moves as f64;
        add(match kind.turned.own == kind.turned.cells {
            true => format!("; turns {mean:.1} opposing pieces on average"),
            false => format!("; changes {mean:.1} other cells on average"),
        });
    }
    if same > 0 {
        add(format!("; promotes a piece in {}", share_of_moves(same, kind.moves)));
    }
    match kind.permanence {
        Some(permanence) if permanence.proved => add("; pieces are never removed".to_owned()),
        Some(permanence) => add(format!("; none was removed in {} moves", grouped(permanence.moves))),
        None => {}
    }
    text
}

/// Whether a fluent that is not on a board changes in nearly all moves.
fn always_changes(fluents: &[(String, &'static str, u64)], moves: u64) -> bool {
    fluents.iter().any(|&(_, _, changed)| changed as f64 >= NEARLY_ALL * moves as f64)
}

/// An effect in words.
fn effect(
    of: ChangeKind,
    kind: &MoveKind,
    pieces: &BTreeMap<ChangeKind, (usize, usize, usize)>,
    fluents: &[(String, &'static str, u64)],
    single: bool,
) -> String {
    let (least, most, sum) = pieces.get(&of).copied().unwrap_or((0, 0, 0));
    let pieces = match (least, most) {
        (1, 1) => "one piece".to_owned(),
        (least, most) if least == most => format!("{least} pieces"),
        (least, most) => format!("{least} to {most} pieces"),
    };
    let main = moves_of(kind, of).max(1);
    match of {
        ChangeKind::Place if most == 1 => {
            let cell = match kind.destination {
                Some(Destination::AnyEmpty) => "any empty cell",
                Some(Destination::FirstEmpty) => "the lowest empty cell of a column",
                _ => "an empty cell",
            };
            format!("puts one piece on {cell}")
        }
        ChangeKind::Place => format!("puts {pieces} on empty cells"),
        ChangeKind::Move => {
            let words = kind.destination.and_then(Destination::of_moved_words);
            let words = words.map_or_else(String::new, |words| format!(" {words}"));
            let forward = match &kind.only_forward[..] {
                [] => String::new(),
                names => format!(", {} only forward", names.join(" and ")),
            };
            format!("moves {pieces}{words}{forward}")
        }
        ChangeKind::Swap => "swaps two pieces".to_owned(),
        ChangeKind::Remove if !single && kind.captures.moves == main && most == 1 => {
            "removes one opposing piece".to_owned()
        }
        ChangeKind::Remove => format!("removes {pieces}"),
        ChangeKind::Flip if most == 1 => "changes the contents of one cell".to_owned(),
        ChangeKind::Flip if least == most => format!("changes the contents of {most} cells"),
        ChangeKind::Flip => {
            format!("changes the contents of {:.1} cells on average", sum as f64 / main as f64)
        }
        ChangeKind::Promote => "replaces one piece by another".to_owned(),
        ChangeKind::Quantity => quantity(kind, fluents),
        ChangeKind::Other => others(fluents),
        ChangeKind::Pass => "changes nothing but turn and step counters".to_owned(),
        ChangeKind::Joint => "made at the same time as other moves; own effect not measured".to_owned(),
    }
}

/// `lowers "heap" by 1 to 7`.
fn quantity(kind: &MoveKind, fluents: &[(String, &'static str, u64)]) -> String {
    let names = most_frequent(fluents).join(" and ");
    let range = |least: i64, most: i64| match least == most {
        true => least.to_string(),
        false => format!("{least} to {most}"),
    };
    match kind.steps {
        Some([least, most]) if most < 0 => format!("lowers {names} by {}", range(-most, -least)),
        Some([least, most]) if least > 0 => format!("raises {names} by {}", range(least, most)),
        _ => format!("changes {names}"),
    }
}

/// `adds facts of "drawn"`.
fn others(fluents: &[(String, &'static str, u64)]) -> String {
    let Some((_, change, _)) = fluents.iter().max_by_key(|(_, _, moves)| *moves) else {
        return "changes other facts".to_owned();
    };
    let same: Vec<_> = fluents.iter().filter(|(_, other, _)| other == change).cloned().collect();
    format!("{change} facts of {}", most_frequent(&same).join(" and "))
}

/// The names of at most two fluents that change most often.
fn most_frequent(fluents: &[(String, &'static str, u64)]) -> Vec<String> {
    let mut list: Vec<_> = fluents.iter().collect();
    list.sort_by_key(|(_, _, moves)| std::cmp::Reverse(*moves));
    let mut names: Vec<String> = Vec::new();
    for (name, _, _) in list {
        let name = format!("`{name}`");
        if name.len() <= 30 && !names.contains(&name) && names.len() < 2 {
            names.push(name);
        }
    }
    if names.is_empty() { vec!["a quantity".to_owned()] } else { names }
}

/// `6 % of moves`.
fn share_of_moves(part: u64, all: u64) -> String {
    if part == all { "all moves".to_owned() } else { format!("{} of moves", percent(part, all)) }
}

/// A share as text.
fn percent(part: u64, all: u64) -> String {
    let share = 100.0 * part as f64 / all.max(1) as f64;
    match share {
        share if share < 1.0 => "under 1 %".to_owned(),
        share if part < all && share > 99.0 => "over 99 %".to_owned(),
        share => format!("{share:.0} %"),
    }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The number of moves with an effect.
fn moves_of(kind: &MoveKind, wanted: ChangeKind) -> u64 {
    kind.changes.iter().find(|count| count.kind == wanted).map_or(0, |count| count.moves)
}
