//! The findings about a game as rows of tables, by kind, for the terminal and for pages.

use crate::catalog::counted;
use crate::structure::argument::ArgumentPosition;
use crate::structure::evidence::Evidence;
use crate::structure::finding::{
    Axis, ChainShape, Constant, CustomFinding, FluentFinding, FluentKind, Latch, LocatedObject, Order,
    OtherChain, PartialOrder, Structures, Successor,
};
use crate::structure::presence::Presence;
use crate::structure::vocabulary::Kif;

/// The most symbols that a list names. It gives only the number of the others.
const NAMED: usize = 16;

/// The findings of a kind.
pub(super) struct FindingGroup<'f> {
    /// The heading.
    pub(super) title: &'static str,
    /// The column titles. The title of the last column, the evidence, is not included.
    pub(super) columns: &'static [&'static str],
    /// The findings.
    pub(super) findings: Vec<FindingRow<'f>>,
}

/// A finding as a row.
pub(super) struct FindingRow<'f> {
    /// The text of each column.
    pub(super) words: Vec<String>,
    /// The finding's evidence.
    pub(super) evidence: &'f Evidence<Kif>,
}

impl<'f> FindingRow<'f> {
    fn new(words: Vec<String>, evidence: &'f Evidence<Kif>) -> FindingRow<'f> {
        FindingRow { words, evidence }
    }
}

/// All findings by kind; kinds without a finding are left out.
pub(super) fn groups(structures: &Structures<Kif>) -> Vec<FindingGroup<'_>> {
    let mut out = vec![
        FindingGroup {
            title: "Successor relations",
            columns: &["relation", "chain"],
            findings: successors(structures),
        },
        FindingGroup {
            title: "Order relations",
            columns: &["relation", "meaning"],
            findings: orders(structures),
        },
        FindingGroup { title: "Other chains", columns: &["order", "chain"], findings: chains(structures) },
        FindingGroup { title: "Cycles", columns: &["relation", "cycle"], findings: cycles(structures) },
        FindingGroup {
            title: "Partial orders",
            columns: &["relation", "meaning"],
            findings: partial_orders(structures),
        },
    ];
    for (kind, title, columns) in KINDS {
        let fluents = structures.fluents.iter().filter(|fluent| fluent.kind == kind);
        let findings = fluents.map(|fluent| FindingRow::new(fluent_row(fluent), &fluent.evidence)).collect();
        out.push(FindingGroup { title, columns, findings });
    }
    out.push(FindingGroup { title: "Roles", columns: &["", ""], findings: roles(structures) });
    out.push(FindingGroup {
        title: "Custom findings",
        columns: &["detector", "finding"],
        findings: custom(structures),
    });
    out.retain(|group| !group.findings.is_empty());
    out
}

const KINDS: [(FluentKind, &str, &[&str]); 9] = [
    (FluentKind::Board, "Boards", &["fluent", "arguments: cells → contents", "objects"]),
    (FluentKind::Line, "Lines of cells", &["fluent", "arguments: cell → contents", "objects"]),
    (FluentKind::Graph, "Graphs of cells", &["fluent", "arguments: cell → contents", "objects"]),
    (FluentKind::Place, "Placed pieces", &["fluent", "arguments: piece → coordinates", "placed"]),
    (FluentKind::Quantity, "Quantities", &["fluent", "value"]),
    (FluentKind::Counter, "Counters", &["fluent", "values"]),
    (FluentKind::Control, "Control", &["fluent", "meaning"]),
    (FluentKind::Flag, "Flags", &["fluent", "course"]),
    (FluentKind::Other, "Other fluents", &["fluent", "arguments"]),
];

/// The elements from first to last, as `1 → 2 → … → 9`.
fn path(elements: &[String]) -> String {
    match elements {
        [first, second, .., last] if elements.len() > 6 => format!("{first} → {second} → … → {last}"),
        _ => elements.join(" → "),
    }
}

/// The elements from first to last, and their number.
fn chain(elements: &[String]) -> String {
    format!("{} ({} elements)", path(elements), elements.len())
}

fn successors(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let row = |successor: &'_ Successor<Kif>| vec![successor.relation.clone(), chain(&successor.elements)];
    structures
        .successors
        .iter()
        .map(|successor| FindingRow::new(row(successor), &successor.evidence))
        .collect()
}

fn chains(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let row = |other: &OtherChain<Kif>| {
        let stays = if other.shape == ChainShape::Saturating { ", stops at the last element" } else { "" };
        vec![other.pattern.clone(), chain(&other.elements) + stays]
    };
    structures.chains.iter().map(|other| FindingRow::new(row(other), &other.evidence)).collect()
}

fn cycles(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let row = |cycle: &OtherChain<Kif>| {
        let first = cycle.elements.first().map_or("", String::as_str);
        let text = format!("{} → {first} ({} elements)", path(&cycle.elements), cycle.elements.len());
        vec![cycle.pattern.clone(), text]
    };
    structures.cycles.iter().map(|cycle| FindingRow::new(row(cycle), &cycle.evidence)).collect()
}

fn partial_orders(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let row = |order: &PartialOrder<Kif>| {
        let levels = if order.weak { "in levels" } else { "some are not comparable" };
        let meaning = format!(
            "{}, {levels}, at most {} in a chain",
            counted(order.elements as u64, "element", "elements"),
            order.height
        );
        vec![order.relation.clone(), meaning]
    };
    structures.partial_orders.iter().map(|order| FindingRow::new(row(order), &order.evidence)).collect()
}

fn orders(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let row = |order: &Order<Kif>| {
        let which = if order.ascending { "before" } else { "after" };
        let equal = if order.strict { "" } else { ", or equal" };
        let uncompared = order
            .uncompared
            .map(|uncompared| format!("; the {} are not compared with each other", uncompared.sentence()));
        let uncompared = uncompared.unwrap_or_default();
        let meaning = format!("first argument {which} second along {}{equal}{uncompared}", order.over);
        vec![order.relation.clone(), meaning]
    };
    structures.orders.iter().map(|order| FindingRow::new(row(order), &order.evidence)).collect()
}

fn fluent_row(fluent: &FluentFinding<Kif>) -> Vec<String> {
    let name = fluent.fluent.clone();
    match fluent.kind {
        FluentKind::Board | FluentKind::Place | FluentKind::Line | FluentKind::Graph => {
            vec![name, shape(fluent), objects(fluent)]
        }
        FluentKind::Quantity => vec![name, amount(fluent)],
        FluentKind::Flag => {
            let permanence = match fluent.constant {
                Some(Constant::Never) => Some("never holds"),
                Some(Constant::Always) => Some("always holds"),
                None => permanence(fluent),
            };
            vec![name, permanence.unwrap_or("appears and disappears").to_owned()]
        }
        FluentKind::Counter => vec![name, counter_range(fluent)],
        FluentKind::Control => {
            let argument = fluent.control.map_or_else(ArgumentPosition::first, |control| control.argument);
            let counts = fluent
                .counter
                .as_ref()
                .map(|counter| format!(", argument {} counts {}", counter.argument, counter_range(fluent)));
            let counts = counts.unwrap_or_default();
            vec![name, format!("argument {argument} names the role to move{counts}")]
        }
        FluentKind::Other if fluent.constant == Some(Constant::Never) => vec![name, "never holds".to_owned()],
        FluentKind::Other => {
            let permanence = permanence(fluent).map(|text| format!(", {text}")).unwrap_or_default();
            let text = match (fluent.inputs.is_empty(), fluent.outputs.is_empty()) {
                (_, true) if !fluent.minimal_keys.is_empty() => {
                    format!("determined by {}", keys(&fluent.minimal_keys))
                }
                (_, true) => "no dependencies found".to_string(),
                (true, false) => format!("{}: one at a time", arguments(&fluent.outputs)),
                (false, false) => {
                    format!("{} → {}", arguments(&fluent.inputs), arguments(&fluent.outputs))
                }
            };
            let stamp = fluent.stamp.map(|stamp| format!(", a record in which argument {stamp} is the time"));
            let cycles = fluent.axes.iter().filter_map(|axis| {
                let order = axis.order.as_ref()?;
                Some(format!(", argument {} on the cycle {order}", axis.argument))
            });
            vec![name, text + &cycles.collect::<String>() + &permanence + &stamp.unwrap_or_default()]
        }
    }
}

/// Describes a quantity: its value, its keys and other determined arguments.
fn amount(fluent: &FluentFinding<Kif>) -> String {
    let Some(quantity) = &fluent.quantity else { return String::new() };
    let keys = match fluent.inputs.len() {
        0 => String::new(),
        1 => format!(" for each {}", arguments(&fluent.inputs)),
        _ => format!(" for each choice of {}", arguments(&fluent.inputs)),
    };
    let bound: Vec<ArgumentPosition> =
        fluent.outputs.iter().copied().filter(|&argument| argument != quantity.value).collect();
    let bound = match bound.len() {
        0 => String::new(),
        _ => format!(" with {}", arguments(&bound)),
    };
    let when = match quantity.presence {
        Presence::FromStart => "",
        Presence::Sometimes => ", not in every state",
        Presence::AtEnd => ", only in terminal states",
    };
    format!("argument {}{bound}{keys}, ordered by {}{when}", quantity.value, quantity.order)
}

/// Whether a fluent's facts are permanent; none if they appear and disappear.
fn permanence(fluent: &FluentFinding<Kif>) -> Option<&'static str> {
    match (fluent.constant, fluent.latch) {
        (Some(Constant::Never), _) => Some("never holds"),
        (Some(Constant::Always), _) => Some("never changes"),
        (None, Some(Latch::Stays)) => Some("stays once it holds"),
        (None, Some(Latch::NeverReturns)) => Some("never comes back"),
        (None, None) => None,
    }
}

/// The range of a counter, such as `from 1 up by succ/2 to 42, which ends the game`.
fn counter_range(fluent: &FluentFinding<Kif>) -> String {
    let Some(counter) = &fluent.counter else { return String::new() };
    let limit = match &counter.limit {
        Some(limit) => format!("to {limit}, which ends the game"),
        None => "without a limit".to_string(),
    };
    format!("from {} {} by {} {limit}", counter.start, counter.direction, counter.by)
}

/// The arguments that are coordinates and those that are contents, such as `1 (succ/2) × 2 (succ/2) → 3`.
fn shape(fluent: &FluentFinding<Kif>) -> String {
    let axis = |&argument: &ArgumentPosition| {
        let ordered = |axes: &[Axis<Kif>]| {
            axes.iter().find(|axis| axis.argument == argument).and_then(|axis| axis.order.clone())
        };
        match ordered(&fluent.axes).or_else(|| ordered(&fluent.ordered_outputs)) {
            Some(order) => format!("{argument} ({order})"),
            None => argument.to_string(),
        }
    };
    let inputs: Vec<_> = fluent.inputs.iter().map(axis).collect();
    let outputs: Vec<_> = fluent.outputs.iter().map(axis).collect();
    let cover = match fluent.covered {
        Some(true) => ", every cell filled",
        Some(false) => ", cells may be empty",
        None => "",
    };
    let joined =
        fluent.adjacency.as_ref().map(|adjacency| format!(", cells joined by {}", adjacency.relation));
    let joined = joined.unwrap_or_default();
    format!("{} → {}{joined}{cover}", inputs.join(" × "), outputs.join(" × "))
}

/// The markers, pieces and contents of a board, one kind per line.
fn objects(fluent: &FluentFinding<Kif>) -> String {
    let list = |title: &str, objects: &[LocatedObject<Kif>]| {
        let names = objects.iter().map(|object| object.symbol.join(" ") + rarity_remark(object));
        (!objects.is_empty()).then(|| format!("{title}: {}", name_list(names)))
    };
    let contents = list("contents", &fluent.contents);
    let parts = [list("markers", &fluent.markers), list("pieces", &fluent.pieces), contents];
    match parts.into_iter().flatten().collect::<Vec<_>>() {
        parts if parts.is_empty() => "–".to_string(),
        parts => parts.join("\n"),
    }
}

/// A remark if the object is on at most two cells, or only in terminal states.
fn rarity_remark(object: &LocatedObject<Kif>) -> &'static str {
    match (object.only_at_end, object.cells) {
        (true, _) => " (only in terminal states)",
        (false, 1) => " (only on one cell)",
        (false, 2) => " (only on two cells)",
        (false, _) => "",
    }
}

/// The first names, and the number of others.
fn name_list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut text = names.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(", … ({more} more)"));
    }
    text
}

/// Alternative sets of arguments. The first three are listed, the others counted.
fn keys(keys: &[Vec<ArgumentPosition>]) -> String {
    const NAMED: usize = 3;
    let named = keys.iter().take(NAMED).map(|key| arguments(key)).collect::<Vec<_>>().join(", or by ");
    match keys.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}, or by {more} other sets"),
    }
}

fn arguments(positions: &[ArgumentPosition]) -> String {
    let numbers = positions.iter().map(ArgumentPosition::to_string).collect::<Vec<_>>().join(", ");
    match positions.len() {
        1 => format!("argument {numbers}"),
        _ => format!("arguments {numbers}"),
    }
}

fn custom(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let row = |custom: &CustomFinding<Kif>| {
        let terms =
            if custom.terms.is_empty() { String::new() } else { format!(": {}", custom.terms.join(", ")) };
        vec![custom.detector.clone(), format!("{}{terms}", custom.text)]
    };
    structures.custom.iter().map(|custom| FindingRow::new(row(custom), &custom.evidence)).collect()
}

fn roles(structures: &Structures<Kif>) -> Vec<FindingRow<'_>> {
    let teams = structures.teams.iter().map(|team| team.join(" + ")).collect::<Vec<_>>();
    let mut rows =
        vec![FindingRow::new(vec!["turns".into(), structures.turns.to_string()], &structures.turns_evidence)];
    if structures.teams.iter().map(Vec::len).sum::<usize>() > 1 {
        // Teams and sums are unknown if no game ended.
        let known = |word: String| if structures.has_ends() { word } else { "unknown".to_owned() };
        let teams = known(teams.join(" against "));
        rows.push(FindingRow::new(vec!["teams".into(), teams], &structures.teams_evidence));
        let sum = known(if structures.zero_sum { "yes" } else { "no" }.to_owned());
        rows.push(FindingRow::new(vec!["zero-sum".into(), sum], &structures.zero_sum_evidence));
    }
    if !structures.noops.is_empty() {
        let of = |(role, moves): (&String, &Vec<String>)| format!("{role}: {}", moves.join(", "));
        let noops = structures.noops.iter().map(of).collect::<Vec<_>>().join("\n");
        rows.push(FindingRow::new(vec!["noops".into(), noops], &structures.noops_evidence));
    }
    rows
}
