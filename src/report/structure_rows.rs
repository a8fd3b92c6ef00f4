//! The findings of an analysis as CSV, one row each.

use serde::Serialize;

use crate::structure::argument::ArgumentPosition;
use crate::structure::evidence::Evidence;
use crate::structure::finding::{
    Axis, FluentFinding, LocatedObject, OtherChain, ProofStatus, Structures, Uncompared,
};
use crate::structure::vocabulary::Kif;

use super::analysis::Analysis;

/// A row of `structures.csv`: one finding. Fields without a meaning for it are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StructureRow {
    /// The game's name.
    pub game: String,
    /// The kind of finding: `successor`, `order`, `chain`, `cycle`, `partial-order`, `board`, `line`, `graph`, `quantity`,
    /// `counter`, `control`, `place`, `flag`, `other`, `marker`, `piece`, `content`, `team`, `turns`, `zero-sum`, `noop` or
    /// `custom`.
    pub finding: String,
    /// The relation or fluent as `name/arity`; the roles of a team, the role of a noop, separated by blanks; the detector of a custom
    /// finding.
    pub name: String,
    /// Argument positions that carry a marker or piece, from 1, separated by blanks.
    pub arguments: String,
    /// The symbol of a marker or piece, the move of a noop, or the terms of a custom finding, as lower-case KIF.
    pub symbol: String,
    /// Further details as `key=value;...`; several values are separated by blanks.
    pub details: String,
    /// The methods of its evidence, separated by blanks.
    pub methods: String,
    /// The evidence, as a sentence.
    pub because: String,
    /// The number of checked states.
    pub states: u64,
    /// The number of checked playouts.
    pub playouts: u64,
    /// The 95 % upper bound on the probability that a random playout contains a counterexample.
    pub counterexample_bound: f64,
    /// `proved` or `open`; empty if no proof was tried.
    pub proof: Option<ProofStatus>,
    /// The depth of the induction in steps; 0 if none was needed.
    pub k: Option<u32>,
}

/// All findings of an analysis, in the order of the document.
pub fn rows(analysis: &Analysis) -> Vec<StructureRow> {
    let Structures { successors, orders, chains, cycles, partial_orders, fluents, teams, noops, .. } =
        &analysis.structures;
    let structures = &analysis.structures;
    let game = &analysis.game.name;
    let row = |finding: &str, name: &str, details: String, evidence: &Evidence<Kif>| StructureRow {
        game: game.clone(),
        finding: finding.to_owned(),
        name: name.to_owned(),
        details,
        methods: methods(evidence, " "),
        because: evidence.reason.clone(),
        states: evidence.states,
        playouts: evidence.playouts,
        counterexample_bound: evidence.counterexample_bound,
        proof: evidence.proof.as_ref().map(|proof| proof.status),
        k: evidence.proof.as_ref().map(|proof| proof.k),
        ..StructureRow::default()
    };
    let mut out = Vec::new();
    for successor in successors {
        let details =
            format!("length={};first={};last={}", successor.length, successor.first, successor.last);
        out.push(row("successor", &successor.relation, details, &successor.evidence));
    }
    for order in orders {
        let mut details =
            format!("over={};strict={};ascending={}", order.over, order.strict, order.ascending);
        if let Some(Uncompared { elements, end }) = order.uncompared {
            details.push_str(&format!(";uncompared={elements};end={end}"));
        }
        out.push(row("order", &order.relation, details, &order.evidence));
    }
    let all = chains.iter().map(|chain| ("chain", chain)).chain(cycles.iter().map(|cycle| ("cycle", cycle)));
    for (finding, chain) in all {
        out.push(row(finding, &chain.pattern, chain_details(chain), &chain.evidence));
    }
    for order in partial_orders {
        let details = format!(
            "strict={};weak={};elements={};height={}",
            order.strict, order.weak, order.elements, order.height
        );
        out.push(row("partial-order", &order.relation, details, &order.evidence));
    }
    for fluent in fluents {
        out.push(row(&fluent.kind.to_string(), &fluent.fluent, fluent_details(fluent), &fluent.evidence));
        let things = |finding: &str, things: &[LocatedObject<Kif>]| {
            let of = |thing: &LocatedObject<Kif>| StructureRow {
                arguments: numbers(&thing.arguments),
                symbol: thing.symbol.join(" "),
                details: format!("cells={};only_at_end={}", thing.cells, thing.only_at_end),
                ..row(finding, &fluent.fluent, String::new(), &fluent.evidence)
            };
            things.iter().map(of).collect::<Vec<_>>()
        };
        out.extend(things("marker", &fluent.markers));
        out.extend(things("piece", &fluent.pieces));
        out.extend(things("content", &fluent.contents));
    }
    for team in teams {
        out.push(row("team", &team.join(" "), String::new(), &structures.teams_evidence));
    }
    out.push(row("turns", "", format!("turns={}", structures.turns), &structures.turns_evidence));
    out.push(row("zero-sum", "", format!("zero_sum={}", structures.zero_sum), &structures.zero_sum_evidence));
    for (role, moves) in noops {
        for noop in moves {
            let symbol = noop.clone();
            out.push(StructureRow { symbol, ..row("noop", role, String::new(), &structures.noops_evidence) });
        }
    }
    for custom in &structures.custom {
        let symbol = custom.terms.join(" ");
        out.push(StructureRow {
            symbol,
            ..row("custom", &custom.detector, custom.text.clone(), &custom.evidence)
        });
    }
    out
}

fn chain_details(chain: &OtherChain<Kif>) -> String {
    let OtherChain { shape, relation, elements, .. } = chain;
    let [first, last] = [elements.first(), elements.last()].map(|end| end.map_or("", String::as_str));
    format!("shape={shape};relation={relation};length={};first={first};last={last}", elements.len())
}

fn fluent_details(fluent: &FluentFinding<Kif>) -> String {
    let mut parts = vec![format!("arity={}", fluent.arity)];
    if !fluent.outputs.is_empty() || !fluent.inputs.is_empty() {
        parts.push(format!("inputs={}", numbers(&fluent.inputs)));
        parts.push(format!("outputs={}", numbers(&fluent.outputs)));
    }
    if !fluent.axes.is_empty() {
        parts.push(format!("axes={}", axes(&fluent.axes)));
    }
    if let Some(covered) = fluent.covered {
        parts.push(format!("covered={covered}"));
    }
    if let Some(adjacency) = &fluent.adjacency {
        parts.push(format!("adjacency={}", adjacency.relation));
    }
    if let Some(stamp) = fluent.stamp {
        parts.push(format!("stamp={stamp}"));
    }
    if !fluent.minimal_keys.is_empty() {
        let keys: Vec<String> = fluent.minimal_keys.iter().map(|key| numbers(key)).collect();
        parts.push(format!("minimal_keys={}", keys.join(", ")));
    }
    if let Some(constant) = fluent.constant {
        parts.push(format!("constant={constant}"));
    }
    if let Some(latch) = fluent.latch {
        parts.push(format!("latch={latch}"));
    }
    if let Some(counter) = &fluent.counter {
        let limit = counter.limit.as_deref().unwrap_or("none");
        let (by, start, direction) = (&counter.by, &counter.start, counter.direction);
        parts.push(format!("by={by};start={start};limit={limit};direction={direction}"));
    }
    if let Some(quantity) = &fluent.quantity {
        let (value, order, presence) = (quantity.value, &quantity.order, quantity.presence);
        parts.push(format!("value={value};order={order};presence={presence}"));
    }
    if let Some(control) = &fluent.control {
        parts.push(format!("argument={}", control.argument));
    }
    if !fluent.ordered_outputs.is_empty() {
        parts.push(format!("ordered_outputs={}", axes(&fluent.ordered_outputs)));
    }
    parts.join(";")
}

fn axes(axes: &[Axis<Kif>]) -> String {
    let axis = |axis: &Axis<Kif>| format!("{}:{}", axis.argument, axis.order.as_deref().unwrap_or("none"));
    axes.iter().map(axis).collect::<Vec<_>>().join(" ")
}

/// The methods of evidence, joined by a separator.
pub(super) fn methods(evidence: &Evidence<Kif>, separator: &str) -> String {
    evidence.methods.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// Argument positions, separated by blanks.
fn numbers(positions: &[ArgumentPosition]) -> String {
    positions.iter().map(ArgumentPosition::to_string).collect::<Vec<_>>().join(" ")
}
