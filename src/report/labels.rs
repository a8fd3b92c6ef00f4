//! Reads the true structures of a game from the TOML file next to its rules, and compares findings with them.
//! `games/NAME.toml` has those of the project's games.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, FluentKind, LocatedObject, Structures, Turns};
use crate::structure::vocabulary::Kif;

use crate::study::{GameEntry, StructureStudy};

use super::csv_text::to_csv;

/// The true structures of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLabels {
    /// The title of the game.
    pub title: String,
    /// The author or source of the game.
    pub origin: String,
    /// The number of joint moves of the longest game.
    pub max_steps: u32,
    /// Its roles, in the order of the rules.
    pub roles: Vec<String>,
    /// The turn order.
    pub turns: Turns,
    /// Whether goal values have a constant sum.
    pub zero_sum: bool,
    /// The teams.
    pub teams: Vec<Vec<String>>,
    /// The noops of each role.
    #[serde(default)]
    pub noops: BTreeMap<String, Vec<String>>,
    /// The successor relations.
    #[serde(default)]
    pub successors: Vec<SuccessorLabel>,
    /// The order relations.
    #[serde(default)]
    pub orders: Vec<OrderLabel>,
    /// The boards.
    #[serde(default)]
    pub boards: Vec<BoardLabel>,
    /// The fluents of placed pieces.
    #[serde(default)]
    pub places: Vec<BoardLabel>,
    /// The quantities.
    #[serde(default)]
    pub quantities: Vec<QuantityLabel>,
    /// The step counters.
    #[serde(default)]
    pub counters: Vec<CounterLabel>,
    /// The control fluents.
    #[serde(default)]
    pub controls: Vec<ControlLabel>,
    /// Fluents and relations whose findings are not compared.
    #[serde(default)]
    pub doubtful: Vec<DoubtfulLabel>,
    /// Known numbers of move sequences.
    #[serde(default)]
    pub perft: Vec<Perft>,
}

/// A successor relation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuccessorLabel {
    relation: String,
    first: String,
    last: String,
}

/// An order relation over a successor relation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderLabel {
    relation: String,
    over: String,
    strict: bool,
}

/// A fluent whose inputs are coordinates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardLabel {
    fluent: String,
    inputs: BTreeSet<usize>,
    outputs: BTreeSet<usize>,
    cover: Option<String>,
    #[serde(default)]
    axes: BTreeMap<String, String>,
    #[serde(default)]
    markers: BTreeSet<LocatedObject<Kif>>,
    #[serde(default)]
    pieces: BTreeSet<LocatedObject<Kif>>,
}

/// A quantity.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantityLabel {
    fluent: String,
    inputs: BTreeSet<usize>,
    outputs: BTreeSet<usize>,
    order: String,
}

/// A step counter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterLabel {
    fluent: String,
    by: String,
    start: String,
    limit: Option<String>,
    direction: String,
}

/// A control fluent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlLabel {
    fluent: String,
    argument: usize,
}

/// A fluent or relation whose findings are neither right nor false.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoubtfulLabel {
    fluent: Option<String>,
    relation: Option<String>,
    #[serde(rename = "note")]
    _note: String,
}

/// A number of sequences of joint moves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Perft {
    /// The length of the sequences.
    pub depth: u32,
    /// The number of sequences of this length from the initial state.
    pub count: u64,
    /// The source of the number.
    pub source: String,
}

impl GameLabels {
    /// Reads the text of a label file.
    ///
    /// # Errors
    /// The text is not valid TOML, or has unknown or missing keys.
    pub fn read(text: &str) -> Result<GameLabels, toml::de::Error> {
        toml::from_str(text)
    }
}

/// The number of findings of one kind that agree with labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Findings equal to a label.
    pub right: u64,
    /// Labels without an equal finding.
    pub missed: u64,
    /// Findings without an equal label.
    pub unwanted: u64,
}

/// The comparison of a game's findings with its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelComparison {
    /// The counts by kind, in the order of comparison.
    pub kinds: Vec<(String, Agreement)>,
    /// The differences, one line each.
    pub differences: Vec<String>,
}

impl LabelComparison {
    fn kind(&mut self, kind: &str) -> &mut Agreement {
        let index = self.kinds.iter().position(|(known, _)| known == kind);
        let index = index.unwrap_or_else(|| {
            self.kinds.push((kind.to_owned(), Agreement::default()));
            self.kinds.len() - 1
        });
        &mut self.kinds[index].1
    }
}

/// Compares lists of findings by name, then their details.
fn compare<T: PartialEq + Debug>(
    kind: &str,
    found: ByName<T>,
    expected: ByName<T>,
    out: &mut LabelComparison,
) {
    // A property of the whole game has an empty name.
    let of = |name: &String| if name.is_empty() { kind.to_owned() } else { format!("{kind} {name}") };
    for (name, details) in &expected {
        match found.get(name) {
            None => {
                out.kind(kind).missed += 1;
                out.differences.push(format!("missed {} {details:?}", of(name)));
            }
            Some(other) if other != details => {
                out.kind(kind).missed += 1;
                out.kind(kind).unwanted += 1;
                out.differences.push(format!("{} is {other:?} and should be {details:?}", of(name)));
            }
            Some(_) => out.kind(kind).right += 1,
        }
    }
    for (name, details) in found.iter().filter(|(name, _)| !expected.contains_key(*name)) {
        out.kind(kind).unwanted += 1;
        out.differences.push(format!("false {} {details:?}", of(name)));
    }
}

type ByName<T> = BTreeMap<String, T>;

/// Compares findings with labels, except doubtful fluents and relations.
pub fn compare_with_labels(
    structures: &Structures<Kif>,
    roles: &[String],
    label: &GameLabels,
) -> LabelComparison {
    let mut out = LabelComparison::default();
    let doubtful: BTreeSet<&String> =
        label.doubtful.iter().flat_map(|d| d.fluent.iter().chain(&d.relation)).collect();
    let clear = |name: &String| !doubtful.contains(name);
    let of = |kind: FluentKind| structures.fluents.iter().filter(move |f| f.kind == kind && clear(&f.fluent));
    if roles != label.roles {
        out.differences.push(format!("roles are {roles:?} and should be {:?}", label.roles));
    }
    let chain = |relation: &String, first: &String, last: &String| {
        clear(relation).then(|| (relation.clone(), [first.clone(), last.clone()]))
    };
    compare(
        "successor",
        structures.successors.iter().filter_map(|s| chain(&s.relation, &s.first, &s.last)).collect(),
        label.successors.iter().filter_map(|s| chain(&s.relation, &s.first, &s.last)).collect(),
        &mut out,
    );
    let order = |relation: &String, over: &String, strict: bool| {
        clear(relation).then(|| (relation.clone(), (over.clone(), strict)))
    };
    compare(
        "order",
        structures.orders.iter().filter_map(|o| order(&o.relation, &o.over, o.strict)).collect(),
        label.orders.iter().filter_map(|o| order(&o.relation, &o.over, o.strict)).collect(),
        &mut out,
    );
    for (kind, name, expected) in
        [(FluentKind::Board, "board", &label.boards), (FluentKind::Place, "place", &label.places)]
    {
        let findings: Vec<&FluentFinding<Kif>> = of(kind).collect();
        let expected: Vec<&BoardLabel> = expected.iter().filter(|board| clear(&board.fluent)).collect();
        boards(name, &findings, &expected, &mut out);
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
            .map(|(fluent, c)| (fluent, (c.by, c.start, c.limit, c.direction.to_string())))
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
        of(FluentKind::Control).map(|f| (f.fluent.clone(), f.control.map(|c| c.argument.number()))).collect(),
        (label.controls.iter().filter(|c| clear(&c.fluent)))
            .map(|c| (c.fluent.clone(), Some(c.argument)))
            .collect(),
        &mut out,
    );
    game_as_a_whole(structures, label, &mut out);
    out
}

/// Compares teams, turns, sums of goal values and noops.
fn game_as_a_whole(structures: &Structures<Kif>, label: &GameLabels, out: &mut LabelComparison) {
    let partition = |teams: &[Vec<String>]| {
        teams.iter().map(|team| team.iter().cloned().collect()).collect::<BTreeSet<BTreeSet<String>>>()
    };
    let mut same = |what: &str, found: String, expected: String| {
        let of = |text: String| BTreeMap::from([(String::new(), text)]);
        compare(what, of(found), of(expected), out);
    };
    same("teams", format!("{:?}", partition(&structures.teams)), format!("{:?}", partition(&label.teams)));
    same("turns", format!("{:?}", structures.turns), format!("{:?}", label.turns));
    same("zero_sum", structures.zero_sum.to_string(), label.zero_sum.to_string());
    let moves = |noops: &BTreeMap<String, Vec<String>>| {
        let sorted = |moves: &Vec<String>| moves.iter().cloned().collect::<BTreeSet<_>>();
        format!("{:?}", noops.iter().map(|(role, moves)| (role, sorted(moves))).collect::<Vec<_>>())
    };
    same("noops", moves(&structures.noops), moves(&label.noops));
}

/// Compares boards or places, with what is on them.
fn boards(kind: &str, found: &[&FluentFinding<Kif>], expected: &[&BoardLabel], out: &mut LabelComparison) {
    compare(
        kind,
        found.iter().map(|f| (f.fluent.clone(), shape(f, expected))).collect(),
        expected.iter().map(|board| (board.fluent.clone(), board.shape())).collect(),
        out,
    );
    for board in expected {
        let Some(finding) = found.iter().find(|f| f.fluent == board.fluent) else { continue };
        things(&board.fluent, "marker", &finding.markers, &board.markers, out);
        things(&board.fluent, "piece", &finding.pieces, &board.pieces, out);
        let cover = finding.covered.map(|full| if full { "full" } else { "partial" });
        if let Some(expected) = board.cover.as_deref() {
            let of = |cover: Option<&str>| BTreeMap::from([(board.fluent.clone(), cover.map(str::to_owned))]);
            compare("cover", of(cover), of(Some(expected)), out);
        }
    }
}

fn set(positions: &[ArgumentPosition]) -> BTreeSet<usize> {
    positions.iter().map(|position| position.number()).collect()
}

/// Inputs, outputs, ordered axes.
type BoardShape = (BTreeSet<usize>, BTreeSet<usize>, BTreeMap<String, String>);

/// The shape of a finding. The label of a place may leave out the axes, which are not compared then.
fn shape(finding: &FluentFinding<Kif>, expected: &[&BoardLabel]) -> BoardShape {
    let silent = |board: &&&BoardLabel| board.fluent == finding.fluent && board.axes.is_empty();
    if finding.kind == FluentKind::Place && expected.iter().any(|board| silent(&board)) {
        return (set(&finding.inputs), set(&finding.outputs), BTreeMap::new());
    }
    let ordered =
        finding.axes.iter().filter_map(|a| a.order.clone().map(|order| (a.argument.to_string(), order)));
    (set(&finding.inputs), set(&finding.outputs), ordered.collect())
}

impl BoardLabel {
    fn shape(&self) -> BoardShape {
        (self.inputs.clone(), self.outputs.clone(), self.axes.clone())
    }
}

fn things(
    fluent: &str,
    kind: &str,
    found: &[LocatedObject<Kif>],
    expected: &BTreeSet<LocatedObject<Kif>>,
    out: &mut LabelComparison,
) {
    // Labels don't have the number of cells.
    let bare = |thing: &LocatedObject<Kif>| LocatedObject { cells: 0, only_at_end: false, ..thing.clone() };
    let found: BTreeSet<LocatedObject<Kif>> = found.iter().map(bare).collect();
    let name = |thing: &LocatedObject<Kif>| (format!("{fluent} {:?}", thing.symbol.join(" ")), ());
    compare(kind, found.iter().map(name).collect(), expected.iter().map(name).collect(), out);
}

/// A row of `structures.csv`: the counts of one kind in a game.
#[derive(Serialize)]
struct AgreementRow<'a> {
    game: &'a str,
    kind: &'a str,
    right: u64,
    missed: u64,
    unwanted: u64,
}

/// The comparisons as CSV, a row per game and kind.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn csv(entries: &[GameEntry<LabelComparison>]) -> Result<String, csv::Error> {
    let rows = entries.iter().flat_map(|entry| {
        entry.found.iter().flat_map(|found| &found.kinds).map(|(kind, of)| AgreementRow {
            game: &entry.path,
            kind,
            right: of.right,
            missed: of.missed,
            unwanted: of.unwanted,
        })
    });
    to_csv(&rows.collect::<Vec<_>>())
}

/// The results of a study as one JSON document.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn json(
    study: &str,
    plan: &StructureStudy,
    entries: &[GameEntry<LabelComparison>],
    hashes: &[String],
) -> Result<String, serde_json::Error> {
    let game = |(entry, hash): (&GameEntry<LabelComparison>, &String)| json!({ "path": entry.path, "sha256": hash, "broken": entry.broken, "compared": entry.found });
    let games: Vec<_> = entries.iter().zip(hashes).map(game).collect();
    let document = json!({
        "schema": "ggp.structures-study/1",
        "study": study,
        "version": env!("CARGO_PKG_VERSION"),
        "seed": plan.seed,
        "playouts": plan.playouts,
        "games": games,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
