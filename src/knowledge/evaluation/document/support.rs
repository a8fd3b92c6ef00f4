//! The structures that a function is built from, with their evidence, and notes on what was left out.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::feature::{Coordinate, Pattern, Spec};
use crate::machine::Machine;
use crate::structure::evidence::Evidence;
use crate::structure::finding::{FluentFinding, FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::super::function::Function;
use super::super::fuzzy::{FuzzyFunction, Node};

/// A structure that a function is built from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Support {
    /// The kind of structure: `board`, `line`, `graph`, `place`, `quantity`, `counter`, `control`, `flag`, `fluent`,
    /// `successor`, `chain`, `order` or `noops`.
    pub structure: String,
    /// The fluent or relation, `name/arity`; for noops the role.
    pub name: String,
    /// Its evidence.
    pub evidence: Evidence<Kif>,
}

/// The symbols that a function uses.
#[derive(Default)]
struct UsedSymbols {
    /// Fluents, `name/arity`.
    fluents: Vec<String>,
    /// Lists of elements along an order.
    orders: Vec<Vec<String>>,
    /// Roles whose moves are counted.
    movers: Vec<String>,
    /// Relations that compare values, by name.
    comparisons: Vec<String>,
}

/// The structures that a function is built from, each once: fluents, then orders, then noops.
pub(super) fn of(function: &Function, structures: &Structures, machine: &dyn Machine) -> Vec<Support> {
    let description = machine.description();
    let mut mentioned = UsedSymbols::default();
    function.specs().into_iter().for_each(|spec| mentioned.spec(spec));
    if let Function::Fuzzy(fuzzy) = function {
        mentioned.fuzzy(fuzzy);
    }
    let mut support: Vec<Support> = Vec::new();
    let mut add = |structure: &str, name: &str, evidence: &Evidence| {
        if !support.iter().any(|known| known.structure == structure && known.name == name) {
            let (structure, name) = (structure.to_owned(), name.to_owned());
            support.push(Support { structure, name, evidence: evidence.in_kif(machine) });
        }
    };
    let named: Vec<(String, &FluentFinding)> = structures
        .fluents
        .iter()
        .map(|finding| (finding.fluent.signature(&description.symbols), finding))
        .collect();
    for fluent in &mentioned.fluents {
        if let Some((name, finding)) = named.iter().find(|(name, _)| name == fluent) {
            add(&kind(finding), name, &finding.evidence);
        }
    }
    let successors = structures.successors.iter();
    let successors = successors
        .map(|successor| ("successor", successor.relation, &successor.elements, &successor.evidence));
    let chains = structures.chains.iter();
    let chains = chains.map(|chain| ("chain", chain.relation, &chain.elements, &chain.evidence));
    for (structure, relation, elements, evidence) in successors.chain(chains) {
        let elements: Vec<String> = elements.iter().map(|&term| machine.term_text(term)).collect();
        let along = |order: &Vec<String>| {
            !order.is_empty() && elements.windows(order.len()).any(|window| window == &order[..])
        };
        if mentioned.orders.iter().any(along) {
            add(structure, &description.signature(relation), evidence);
        }
    }
    for order in &structures.orders {
        let name = description.symbols.name(description.relations[order.relation.index()].name);
        if mentioned.comparisons.iter().any(|known| known == name) {
            add("order", &description.signature(order.relation), &order.evidence);
        }
    }
    let idle = |name: &&String| {
        structures.noops.keys().any(|&role| description.term(description.roles[role]) == **name)
    };
    for role in mentioned.movers.iter().filter(idle) {
        add("noops", role, &structures.noops_evidence);
    }
    support
}

fn kind(finding: &FluentFinding) -> String {
    match finding.kind {
        FluentKind::Other => "fluent".to_owned(),
        kind => kind.to_string(),
    }
}

impl UsedSymbols {
    fn pattern(&mut self, pattern: &str) {
        if let Ok(pattern) = Pattern::parse(pattern) {
            self.fluents.push(pattern.signature());
        }
    }

    fn spec(&mut self, spec: &Spec) {
        match spec {
            Spec::Count { pattern } => self.pattern(pattern),
            Spec::Index { pattern, order, .. } | Spec::Along { pattern, order, .. } => {
                self.pattern(pattern);
                self.orders.push(order.clone());
            }
            Spec::Extreme { patterns, order, .. } => {
                patterns.iter().for_each(|pattern| self.pattern(pattern));
                self.orders.push(order.clone());
            }
            Spec::Sum { terms } => terms.iter().for_each(|term| self.pattern(&term.pattern)),
            Spec::Distance { pieces, axes, .. } => {
                pieces.iter().for_each(|piece| self.pattern(piece));
                self.orders.extend(axes.iter().map(|Coordinate { order, .. }| order.clone()));
            }
            Spec::Moves { role, .. } => self.movers.push(role.clone()),
            Spec::Changed { .. } | Spec::GoalProgress { .. } => {}
            Spec::Total { of } => of.iter().for_each(|part| self.spec(part)),
            Spec::Difference { first, second } => {
                self.spec(first);
                self.spec(second);
            }
            Spec::Inverse { of } => self.spec(of),
        }
    }

    fn fuzzy(&mut self, fuzzy: &FuzzyFunction) {
        for family in &fuzzy.formula.families {
            self.fluents.push(family.fluent.clone());
            self.orders.extend(family.axes.iter().map(|axis| axis.order.clone()));
        }
        let mut known = BTreeSet::new();
        for node in &fuzzy.formula.nodes {
            if let Node::Compare(compare) = node {
                let words = compare.text.split(['(', ')', ' ']).filter(|word| !word.is_empty());
                self.comparisons.extend(words.map(str::to_owned));
            }
            // Formulas have thousands of atoms of a few fluents.
            if let Node::Fact(atom) = node
                && known.insert(atom.split(' ').next())
            {
                self.pattern(atom);
            }
        }
    }
}

/// Sentences on what was left out of a function.
pub(super) fn notes(function: &Function) -> Vec<String> {
    match function {
        Function::Fuzzy(fuzzy) => {
            let of = |lifted: &super::super::fuzzy::Lifted| {
                format!(
                    "{} is not unrolled; the rules are evaluated in every state: {}",
                    lifted.relation, lifted.reason
                )
            };
            fuzzy.lifted.iter().map(of).collect()
        }
        Function::Statistical(statistical) => {
            let (kept, of) = (statistical.terms.len(), statistical.candidates);
            let cut = of > kept as u64;
            let text =
                format!("{kept} of the {of} components that change and correlate with the outcome are kept");
            Vec::from_iter(cut.then_some(text))
        }
        _ => Vec::new(),
    }
}
