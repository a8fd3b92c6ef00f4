//! The true structures of a game, `games/NAME.toml`, and how findings differ from them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;

use ggp::report::structures::{FluentDocument, LocatedObjectDocument, StructuresDocument};
use ggp::structure::finding::{FluentKind, Turns};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "title, origin and notes are for readers")]
pub(crate) struct Label {
    pub(crate) title: String,
    pub(crate) origin: String,
    pub(crate) max_steps: u32,
    pub(crate) roles: Vec<String>,
    pub(crate) turns: Turns,
    pub(crate) zero_sum: bool,
    pub(crate) teams: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) noops: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) successors: Vec<Successor>,
    #[serde(default)]
    pub(crate) orders: Vec<Order>,
    #[serde(default)]
    pub(crate) boards: Vec<Board>,
    #[serde(default)]
    pub(crate) places: Vec<Board>,
    #[serde(default)]
    pub(crate) quantities: Vec<Quantity>,
    #[serde(default)]
    pub(crate) counters: Vec<Counter>,
    #[serde(default)]
    pub(crate) controls: Vec<Control>,
    #[serde(default)]
    pub(crate) doubtful: Vec<Doubtful>,
    #[serde(default)]
    pub(crate) perft: Vec<Perft>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Successor {
    relation: String,
    first: String,
    last: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    relation: String,
    over: String,
    strict: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Board {
    fluent: String,
    inputs: BTreeSet<usize>,
    outputs: BTreeSet<usize>,
    cover: Option<String>,
    #[serde(default)]
    axes: BTreeMap<String, String>,
    #[serde(default)]
    markers: BTreeSet<LocatedObjectDocument>,
    #[serde(default)]
    pieces: BTreeSet<LocatedObjectDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quantity {
    fluent: String,
    inputs: BTreeSet<usize>,
    outputs: BTreeSet<usize>,
    order: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counter {
    fluent: String,
    by: String,
    start: String,
    limit: Option<String>,
    direction: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    fluent: String,
    argument: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the note is for readers")]
pub(crate) struct Doubtful {
    fluent: Option<String>,
    relation: Option<String>,
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Perft {
    pub(crate) depth: u32,
    pub(crate) count: u64,
    pub(crate) source: String,
}

impl Label {
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }
}

/// Compares lists of findings by name, then detail by detail.
fn compare<T: PartialEq + Debug>(kind: &str, found: Named<T>, wanted: Named<T>, out: &mut Vec<String>) {
    for (name, details) in &wanted {
        match found.get(name) {
            None => out.push(format!("missed {kind} {name} {details:?}")),
            Some(other) if other != details => {
                out.push(format!("{kind} {name} is {other:?} and should be {details:?}"));
            }
            Some(_) => {}
        }
    }
    for (name, details) in &found {
        if !wanted.contains_key(name) {
            out.push(format!("false {kind} {name} {details:?}"));
        }
    }
}

type Named<T> = BTreeMap<String, T>;

/// What differs, one line each; nothing about doubtful fluents and relations.
pub(crate) fn differences(found: &StructuresDocument, roles: &[String], label: &Label) -> Vec<String> {
    let mut out = Vec::new();
    let doubtful: BTreeSet<&String> =
        label.doubtful.iter().flat_map(|d| d.fluent.iter().chain(&d.relation)).collect();
    let clear = |name: &String| !doubtful.contains(name);
    let of = |kind: FluentKind| found.fluents.iter().filter(move |f| f.kind == kind && clear(&f.fluent));
    if roles != label.roles {
        out.push(format!("roles are {roles:?} and should be {:?}", label.roles));
    }
    let chain = |relation: &String, first: &String, last: &String| {
        clear(relation).then(|| (relation.clone(), [first.clone(), last.clone()]))
    };
    compare(
        "successor",
        found.successors.iter().filter_map(|s| chain(&s.relation, &s.first, &s.last)).collect(),
        label.successors.iter().filter_map(|s| chain(&s.relation, &s.first, &s.last)).collect(),
        &mut out,
    );
    let order = |relation: &String, over: &String, strict: bool| {
        clear(relation).then(|| (relation.clone(), (over.clone(), strict)))
    };
    compare(
        "order",
        found.orders.iter().filter_map(|o| order(&o.relation, &o.over, o.strict)).collect(),
        label.orders.iter().filter_map(|o| order(&o.relation, &o.over, o.strict)).collect(),
        &mut out,
    );
    for (kind, name, wanted) in
        [(FluentKind::Board, "board", &label.boards), (FluentKind::Place, "place", &label.places)]
    {
        let wanted: Vec<&Board> = wanted.iter().filter(|board| clear(&board.fluent)).collect();
        compare(
            name,
            of(kind).map(|f| (f.fluent.clone(), shape(f, &wanted))).collect(),
            wanted.iter().map(|board| (board.fluent.clone(), board.shape())).collect(),
            &mut out,
        );
        for board in wanted {
            let Some(finding) = of(kind).find(|f| f.fluent == board.fluent) else { continue };
            things(&board.fluent, "marker", &finding.markers, &board.markers, &mut out);
            things(&board.fluent, "piece", &finding.pieces, &board.pieces, &mut out);
            let cover = finding.covered.map(|full| if full { "full" } else { "partial" });
            if board.cover.is_some() && board.cover.as_deref() != cover {
                out.push(format!("cover of {} is {cover:?} and should be {:?}", board.fluent, board.cover));
            }
        }
    }
    compare(
        "quantity",
        of(FluentKind::Quantity)
            .map(|f| {
                (f.fluent.clone(), (set(&f.inputs), set(&f.outputs), f.quantity.clone().map(|q| q.order)))
            })
            .collect(),
        (label.quantities.iter().filter(|q| clear(&q.fluent)))
            .map(|q| (q.fluent.clone(), (q.inputs.clone(), q.outputs.clone(), Some(q.order.clone()))))
            .collect(),
        &mut out,
    );
    compare(
        "counter",
        of(FluentKind::Counter)
            .filter_map(|f| f.counter.clone().map(|c| (f.fluent.clone(), c)))
            .map(|(fluent, c)| {
                (fluent, (c.by, c.start, c.limit, format!("{:?}", c.direction).to_lowercase()))
            })
            .collect(),
        (label.counters.iter().filter(|c| clear(&c.fluent)))
            .map(|c| {
                (c.fluent.clone(), (c.by.clone(), c.start.clone(), c.limit.clone(), c.direction.clone()))
            })
            .collect(),
        &mut out,
    );
    compare(
        "control",
        of(FluentKind::Control).map(|f| (f.fluent.clone(), f.control.as_ref().map(|c| c.argument))).collect(),
        (label.controls.iter().filter(|c| clear(&c.fluent)))
            .map(|c| (c.fluent.clone(), Some(c.argument)))
            .collect(),
        &mut out,
    );
    let partition = |teams: &[Vec<String>]| {
        teams.iter().map(|team| team.iter().cloned().collect()).collect::<BTreeSet<BTreeSet<String>>>()
    };
    let mut same = |what: &str, found: String, wanted: String| {
        if found != wanted {
            out.push(format!("{what}: {found}, should be {wanted}"));
        }
    };
    same("teams", format!("{:?}", partition(&found.teams)), format!("{:?}", partition(&label.teams)));
    same("turns", format!("{:?}", found.turns), format!("{:?}", label.turns));
    same("zero_sum", found.zero_sum.to_string(), label.zero_sum.to_string());
    let moves = |noops: &BTreeMap<String, Vec<String>>| {
        let sorted = |moves: &Vec<String>| moves.iter().cloned().collect::<BTreeSet<_>>();
        format!("{:?}", noops.iter().map(|(role, moves)| (role, sorted(moves))).collect::<Vec<_>>())
    };
    same("noops", moves(&found.noops), moves(&label.noops));
    out
}

fn set(positions: &[usize]) -> BTreeSet<usize> {
    positions.iter().copied().collect()
}

/// Inputs, outputs, ordered axes.
type Shape = (BTreeSet<usize>, BTreeSet<usize>, BTreeMap<String, String>);

/// The shape of a finding; without axes where the label of a place leaves them out, as it may.
fn shape(finding: &FluentDocument, wanted: &[&Board]) -> Shape {
    let silent = |board: &&&Board| board.fluent == finding.fluent && board.axes.is_empty();
    if finding.kind == FluentKind::Place && wanted.iter().any(|board| silent(&board)) {
        return (set(&finding.inputs), set(&finding.outputs), BTreeMap::new());
    }
    let ordered =
        finding.axes.iter().filter_map(|a| a.order.clone().map(|order| (a.argument.to_string(), order)));
    (set(&finding.inputs), set(&finding.outputs), ordered.collect())
}

impl Board {
    fn shape(&self) -> Shape {
        (self.inputs.clone(), self.outputs.clone(), self.axes.clone())
    }
}

fn things(
    fluent: &str,
    kind: &str,
    found: &[LocatedObjectDocument],
    wanted: &BTreeSet<LocatedObjectDocument>,
    out: &mut Vec<String>,
) {
    // Labels say what there is, not on how many cells it was seen.
    let bare = |thing: &LocatedObjectDocument| LocatedObjectDocument {
        cells: 0,
        only_at_end: false,
        ..thing.clone()
    };
    let found: BTreeSet<LocatedObjectDocument> = found.iter().map(bare).collect();
    let name = |thing: &LocatedObjectDocument| format!("{fluent} {:?}", thing.symbol.join(" "));
    out.extend(wanted.difference(&found).map(|thing| format!("missed {kind} {}", name(thing))));
    out.extend(found.difference(wanted).map(|thing| format!("false {kind} {}", name(thing))));
}
