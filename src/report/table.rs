//! The analysis of a game as a table for reading: the game, its play, and every kind of structure with its
//! evidence in short.

use crate::analysis::{Stage, StageReport};
use crate::structure::finding::{Coverage, Direction, Evidence, FluentKind, Latch, Presence};

use super::analysis::Analysis;
use super::evaluations;
use super::features;
use super::goals;
use super::layout::{Layout, grouped, percent};
use super::orders::{ChainDocument, OrderDocument, PartialOrderDocument, SuccessorDocument};
use super::play;
use super::properties;
use super::rows::{method_name, turns_name};
use super::structures::{AxisDocument, FluentDocument, LocatedObjectDocument, StructuresDocument};

/// Symbols named before the rest is only counted.
const NAMED: usize = 16;

/// The whole table, each line ended.
pub fn render(analysis: &Analysis, layout: Layout) -> String {
    let mut out = header(analysis, layout);
    let found = &analysis.structures;
    out.push_str(&format!("\n{}\n", layout.heading("Random play")));
    out.push_str(&play::render(&analysis.simulation, layout));
    for sentence in goals::sentences(&analysis.goals, &analysis.simulation) {
        out.push_str(&layout.paragraph("  ", &sentence));
    }
    section(&mut out, layout, "Successor relations", &["relation", "chain", "evidence"], successors(found));
    section(&mut out, layout, "Order relations", &["relation", "meaning", "evidence"], orders(found));
    section(&mut out, layout, "Other chains", &["order", "chain", "evidence"], chains(found));
    section(&mut out, layout, "Partial orders", &["relation", "meaning", "evidence"], partial_orders(found));
    for (kind, title, columns) in KINDS {
        let rows = found.fluents.iter().filter(|fluent| fluent.kind == kind).map(fluent_row);
        section(&mut out, layout, title, columns, rows.collect());
    }
    section(&mut out, layout, "Roles", &["", "", "evidence"], roles(found));
    let rows = properties::table(&analysis.properties);
    section(&mut out, layout, "Properties", &["property", "", "because"], rows);
    let (columns, best) = features::best(&analysis.features, &analysis.structures);
    if !best.is_empty() {
        section(&mut out, layout, "Best features", columns, best);
        out.push_str(&features::remark(&analysis.features, &analysis.feature_sample, layout));
    }
    if !analysis.evaluations.is_empty() {
        let (columns, best) = evaluations::best(&analysis.evaluations, &analysis.ends);
        match best.is_empty() {
            true => out.push_str(&format!("\n{}\n", layout.heading("Evaluation functions"))),
            false => section(&mut out, layout, "Evaluation functions", columns, best),
        }
        let remark = evaluations::remark(&analysis.evaluations, analysis.timing.evaluations_seconds);
        out.push_str(&layout.remark(&format!("  {remark}")));
        out.push('\n');
        analysis.evaluation_notes.iter().for_each(|note| out.push_str(&layout.paragraph("", note)));
    }
    let cut: Vec<Vec<String>> = analysis.stages.iter().filter_map(cut_short).collect();
    section(&mut out, layout, "Cut short", &["stage", "what was done"], cut);
    out.push('\n');
    out.push_str(&closing(found, layout));
    out
}

const KINDS: [(FluentKind, &str, &[&str]); 9] = [
    (FluentKind::Board, "Boards", &["fluent", "arguments: cells → contents", "on it", "evidence"]),
    (FluentKind::Line, "Lines of cells", &["fluent", "arguments: cell → contents", "on it", "evidence"]),
    (FluentKind::Graph, "Graphs of cells", &["fluent", "arguments: cell → contents", "on it", "evidence"]),
    (FluentKind::Place, "Placed pieces", &["fluent", "arguments: piece → coordinates", "placed", "evidence"]),
    (FluentKind::Quantity, "Quantities", &["fluent", "value", "evidence"]),
    (FluentKind::Counter, "Counters", &["fluent", "values", "evidence"]),
    (FluentKind::Control, "Control", &["fluent", "meaning", "evidence"]),
    (FluentKind::Flag, "Flags", &["fluent", "course", "evidence"]),
    (FluentKind::Other, "Other fluents", &["fluent", "arguments", "evidence"]),
];

fn section(out: &mut String, layout: Layout, title: &str, columns: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    out.push('\n');
    out.push_str(&layout.heading(title));
    out.push('\n');
    out.push_str(&layout.table(columns, rows));
}

/// A stage that left something out; random play says so itself.
fn cut_short(stage: &StageReport) -> Option<Vec<String>> {
    let note = stage.note.as_ref().filter(|_| stage.name != Stage::Detect)?;
    Some(vec![stage.name.name().to_owned(), note.clone()])
}

fn header(analysis: &Analysis, layout: Layout) -> String {
    let game = &analysis.game;
    let name = layout.strong(&game.name);
    let chance = match (game.information.random_role, game.information.hidden) {
        (_, true) => "  GDL-II, with hidden moves",
        (true, false) => "  GDL-II: `random` draws its moves",
        (false, false) => "",
    };
    let about = format!("{}  {} machine{chance}", game.path, game.machine);
    format!("{name}  {}\n", layout.remark(&about))
}

/// The methods and the sentence.
fn found_by(evidence: &Evidence) -> String {
    let methods = evidence.methods.iter().map(|&method| method_name(method)).collect::<Vec<_>>().join(" + ");
    match evidence.because.as_str() {
        "" => methods,
        because => format!("{methods}: {because}"),
    }
}

/// Elements from first to last, and how many there are.
fn chain(elements: &[String]) -> String {
    let shown = match elements {
        [first, second, .., last] if elements.len() > 6 => format!("{first} → {second} → … → {last}"),
        _ => elements.join(" → "),
    };
    format!("{shown} ({} elements)", elements.len())
}

fn successors(found: &StructuresDocument) -> Vec<Vec<String>> {
    let row = |successor: &SuccessorDocument| {
        vec![successor.relation.clone(), chain(&successor.elements), found_by(&successor.evidence)]
    };
    found.successors.iter().map(row).collect()
}

fn chains(found: &StructuresDocument) -> Vec<Vec<String>> {
    let row =
        |other: &ChainDocument| vec![other.name.clone(), chain(&other.elements), found_by(&other.evidence)];
    found.chains.iter().map(row).collect()
}

fn partial_orders(found: &StructuresDocument) -> Vec<Vec<String>> {
    let row = |order: &PartialOrderDocument| {
        let levels = if order.weak { "in levels" } else { "some without comparison" };
        let meaning = format!("{} elements, {levels}, at most {} in a chain", order.elements, order.height);
        vec![order.relation.clone(), meaning, found_by(&order.evidence)]
    };
    found.partial_orders.iter().map(row).collect()
}

fn orders(found: &StructuresDocument) -> Vec<Vec<String>> {
    let row = |order: &OrderDocument| {
        let which = if order.ascending { "before" } else { "after" };
        let equal = if order.strict { "" } else { ", or equal" };
        let meaning = format!("first argument {which} second along {}{equal}", order.over);
        vec![order.relation.clone(), meaning, found_by(&order.evidence)]
    };
    found.orders.iter().map(row).collect()
}

fn fluent_row(fluent: &FluentDocument) -> Vec<String> {
    let evidence = found_by(&fluent.evidence);
    let name = fluent.fluent.clone();
    match fluent.kind {
        FluentKind::Board | FluentKind::Place | FluentKind::Line | FluentKind::Graph => {
            vec![name, shape(fluent), things(fluent), evidence]
        }
        FluentKind::Quantity => vec![name, amount(fluent), evidence],
        FluentKind::Flag => {
            vec![name, course_of_facts(fluent).unwrap_or("comes and goes").to_owned(), evidence]
        }
        FluentKind::Counter => vec![name, course(fluent), evidence],
        FluentKind::Control => {
            let argument = fluent.control.as_ref().map_or(1, |control| control.argument);
            let counts = fluent
                .counter
                .as_ref()
                .map(|counter| format!(", argument {} counts {}", counter.argument, course(fluent)));
            let counts = counts.unwrap_or_default();
            vec![name, format!("argument {argument} says who is to move{counts}"), evidence]
        }
        FluentKind::Other => {
            let course = course_of_facts(fluent).map(|course| format!(", {course}")).unwrap_or_default();
            let text = match (fluent.inputs.is_empty(), fluent.outputs.is_empty()) {
                (_, true) => "any".to_string(),
                (true, false) => format!("{}: one at a time", arguments(&fluent.outputs)),
                (false, false) => {
                    format!("{} → {}", arguments(&fluent.inputs), arguments(&fluent.outputs))
                }
            };
            vec![name, text + &course, evidence]
        }
    }
}

/// The value of a quantity, its keys and what else is determined.
fn amount(fluent: &FluentDocument) -> String {
    let Some(quantity) = &fluent.quantity else { return String::new() };
    let keys = match fluent.inputs.len() {
        0 => String::new(),
        1 => format!(" for each {}", arguments(&fluent.inputs)),
        _ => format!(" for each choice of {}", arguments(&fluent.inputs)),
    };
    let bound: Vec<usize> =
        fluent.outputs.iter().copied().filter(|&argument| argument != quantity.value).collect();
    let bound = match bound.len() {
        0 => String::new(),
        _ => format!(" with {}", arguments(&bound)),
    };
    let when = match quantity.presence {
        Presence::FromStart => "",
        Presence::Sometimes => ", not always there",
        Presence::AtEnd => ", in terminal states alone",
    };
    format!("argument {}{bound}{keys}, ordered by {}{when}", quantity.value, quantity.order)
}

/// How facts come and go, where there is something to say.
fn course_of_facts(fluent: &FluentDocument) -> Option<&'static str> {
    fluent.latch.map(|latch| match latch {
        Latch::Stays => "stays once it holds",
        Latch::NeverReturns => "never comes back",
    })
}

/// The course of a counter: `1, 2, .. by succ/2; ends the game at 42`.
fn course(fluent: &FluentDocument) -> String {
    let Some(counter) = &fluent.counter else { return String::new() };
    let way = match counter.direction {
        Direction::Up => "up",
        Direction::Down => "down",
    };
    let limit = match &counter.limit {
        Some(limit) => format!("to {limit}, which ends the game"),
        None => "without a limit".to_string(),
    };
    format!("from {} {way} {} {limit}", counter.start, counter.by)
}

/// Coordinates and contents: `1 (succ/2) × 2 (succ/2) → 3`.
fn shape(fluent: &FluentDocument) -> String {
    let axis = |&argument: &usize| {
        let ordered = |axes: &[AxisDocument]| {
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
    let joined = fluent.adjacency.as_ref().map(|found| format!(", cells joined by {}", found.relation));
    let joined = joined.unwrap_or_default();
    format!("{} → {}{joined}{cover}", inputs.join(" × "), outputs.join(" × "))
}

fn things(fluent: &FluentDocument) -> String {
    let list = |title: &str, things: &[LocatedObjectDocument]| {
        let names = things.iter().map(|thing| thing.symbol.join(" ") + seldom(thing));
        (!things.is_empty()).then(|| format!("{title}: {}", listed(names)))
    };
    let contents = list("contents", &fluent.contents);
    let parts = [list("markers", &fluent.markers), list("pieces", &fluent.pieces), contents];
    match parts.into_iter().flatten().collect::<Vec<_>>() {
        parts if parts.is_empty() => "–".to_string(),
        parts => parts.join("\n"),
    }
}

/// What is to be said of a thing that is hardly ever anywhere.
fn seldom(thing: &LocatedObjectDocument) -> &'static str {
    match (thing.only_at_end, thing.cells) {
        (true, _) => " (in terminal states alone)",
        (false, 1) => " (on one cell alone)",
        (false, 2) => " (on two cells alone)",
        (false, _) => "",
    }
}

/// The first names, and how many more there are.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut text = names.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(", … ({more} more)"));
    }
    text
}

fn arguments(positions: &[usize]) -> String {
    let numbers = positions.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    match positions.len() {
        1 => format!("argument {numbers}"),
        _ => format!("arguments {numbers}"),
    }
}

fn roles(found: &StructuresDocument) -> Vec<Vec<String>> {
    let teams = found.teams.iter().map(|team| team.join(" + ")).collect::<Vec<_>>();
    let mut rows =
        vec![vec!["turns".into(), turns_name(found.turns).into(), found_by(&found.turns_evidence)]];
    if found.teams.iter().map(Vec::len).sum::<usize>() > 1 {
        rows.push(vec!["teams".into(), teams.join(" against "), found_by(&found.teams_evidence)]);
        let sum = if found.zero_sum { "yes" } else { "no" };
        rows.push(vec!["zero-sum".into(), sum.into(), found_by(&found.zero_sum_evidence)]);
    }
    if !found.noops.is_empty() {
        let of = |(role, moves): (&String, &Vec<String>)| format!("{role}: {}", moves.join(", "));
        let noops = found.noops.iter().map(of).collect::<Vec<_>>().join("\n");
        rows.push(vec!["noops".into(), noops, found_by(&found.noops_evidence)]);
    }
    rows
}

/// How much of the game that sentence is about.
fn share_seen(coverage: Coverage) -> String {
    let of = |seen: usize, all: usize, what: &str| match seen == all {
        true => format!("all {} {what}", grouped(all as u64)),
        false => format!("{} of {} {what}", grouped(seen as u64), grouped(all as u64)),
    };
    let fluents = of(coverage.fluents_seen, coverage.fluents, "fluents");
    let moves = of(coverage.moves_seen, coverage.moves, "moves");
    format!(" It saw {fluents} and {moves} that instantiating the rules allows.")
}

/// What the evidence is worth, and where to read more.
fn closing(found: &StructuresDocument, layout: Layout) -> String {
    let evidence = found.fluents.iter().map(|fluent| &fluent.evidence).chain([&found.turns_evidence]);
    let mut out = String::new();
    // Of findings over as many playouts, one that a playout could still refute: that roles once moved together is certain.
    let width = |a: &&Evidence, b: &&Evidence| {
        a.playouts.cmp(&b.playouts).then(a.counterexample_bound.total_cmp(&b.counterexample_bound))
    };
    if let Some(widest) = evidence.max_by(width).filter(|e| e.playouts > 0) {
        let (states, playouts) = (grouped(widest.states), grouped(widest.playouts));
        let bound = percent(widest.counterexample_bound);
        let text = format!(
            "Simulation looked at {states} states of {playouts} random playouts. What it did not refute fails in at \
             most {bound} of random playouts (95 % confidence).{}",
            found.coverage.map(share_seen).unwrap_or_default()
        );
        out.push_str(&layout.paragraph("", &text));
    }
    out.push_str(
        &layout.paragraph("", "Everything found, with domains and evidence: --format json, or csv."),
    );
    out
}
