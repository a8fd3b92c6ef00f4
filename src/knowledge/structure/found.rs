//! What detectors have found so far, with what later ones need to know of it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::gdl::Description;
use crate::gdl::domain::{Domain, Domains};

use super::argument::ArgumentPosition;
use super::evidence::without_samples;
use super::finding::{FluentFinding, FluentKind, PartialOrder, Structures, Turns};
use super::fluent_relations::{FluentRelation, FluentRelations};
use super::fluents::{FactTable, Mask, positions};
use super::known::{BinaryFacts, ChainFinding, Chained, Ordered};
use super::reason::Reason;
use super::role_argument::RolePlaces;
use super::split::{Role, Split, split};
use super::usage::{Slice, Usage};

/// What was found so far.
pub struct Found<'d> {
    description: &'d Description,
    /// The static binary relations, with all their facts.
    pub binary: Vec<BinaryFacts>,
    /// Chains: successor relations, then others.
    pub chains: Vec<Chained>,
    /// Cycles.
    pub cycles: Vec<Chained>,
    /// Order relations.
    pub orders: Vec<Ordered>,
    /// Orders that are not total.
    pub partial_orders: Vec<PartialOrder>,
    /// Where the rules use the relations that were found.
    pub usage: Usage<'d>,
    /// Where they use the cycles.
    pub cycle_usage: Usage<'d>,
    /// All fluent relations, in the order of the rules.
    pub fluents: Vec<Fluent>,
    /// What is said of the game as a whole. Its lists of relations and fluents are filled at the end. Detectors that are not part of
    /// this library add to `custom`.
    pub whole: Structures,
    /// The number of custom findings that rest on the rules alone.
    custom_by_rules: usize,
}

impl<'d> Found<'d> {
    /// Nothing yet.
    pub fn new(description: &'d Description) -> Found<'d> {
        let unknown = || without_samples(&[], Reason::Unknown);
        let roles = description.roles.len();
        Found {
            description,
            binary: Vec::new(),
            chains: Vec::new(),
            cycles: Vec::new(),
            orders: Vec::new(),
            partial_orders: Vec::new(),
            usage: Usage::new(description, &[], Vec::new()),
            cycle_usage: Usage::new(description, &[], Vec::new()),
            fluents: Vec::new(),
            whole: Structures {
                successors: Vec::new(),
                orders: Vec::new(),
                chains: Vec::new(),
                cycles: Vec::new(),
                partial_orders: Vec::new(),
                fluents: Vec::new(),
                teams: description.players().map(|role| vec![role]).collect(),
                teams_evidence: unknown(),
                turns: if roles == 1 { Turns::SinglePlayer } else { Turns::Simultaneous },
                turns_evidence: unknown(),
                zero_sum: false,
                zero_sum_evidence: unknown(),
                noops: BTreeMap::new(),
                noops_evidence: unknown(),
                custom: Vec::new(),
                coverage: None,
                rule_coverage: None,
            },
            custom_by_rules: 0,
        }
    }

    /// Reads anew where the rules use the relations that were found.
    pub fn read_usage(&mut self) {
        self.usage = usage(self.description, &self.chains, &self.orders);
    }

    /// Reads where the rules use the cycles that were found.
    pub fn read_cycle_usage(&mut self) {
        self.cycle_usage = usage(self.description, &self.cycles, &[]);
    }

    /// Ends the reading of the rules: what was found until now stays when fluents are forgotten.
    pub(super) fn end_rules(&mut self) {
        self.custom_by_rules = self.whole.custom.len();
    }

    /// Forgets what is known of fluents, and custom findings by play.
    pub(super) fn begin_fluents(&mut self, relations: &FluentRelations) {
        self.whole.custom.truncate(self.custom_by_rules);
        self.fluents =
            relations.list.iter().enumerate().map(|(number, &of)| Fluent::new(number, of)).collect();
    }

    /// All that was found.
    pub(super) fn finish(self) -> Structures {
        let domains = Domains::of(self.description);
        let (description, places) = (self.description, RolePlaces::new(self.description));
        let with_domains = |mut finding: FluentFinding| {
            finding.domains = finding.fluent.domains(description, &domains);
            let named = |domain: &Domain| domain.terms.iter().any(|term| description.roles.contains(term));
            let arguments = finding.domains.iter().enumerate().filter(|(_, domain)| named(domain));
            let of_roles = arguments.filter(|&(argument, _)| places.has(finding.fluent, argument));
            finding.role_arguments = of_roles.map(|(argument, _)| ArgumentPosition::at(argument)).collect();
            finding
        };
        let mut whole = self.whole;
        whole.cycles = (self.cycles.into_iter())
            .filter_map(|found| match found.finding {
                ChainFinding::Other(_, cycle) => Some(cycle),
                ChainFinding::Successor(_) => None,
            })
            .collect();
        for found in self.chains {
            match found.finding {
                ChainFinding::Successor(successor) => whole.successors.push(successor),
                ChainFinding::Other(_, chain) => whole.chains.push(chain),
            }
        }
        Structures {
            orders: self.orders.into_iter().map(|found| found.finding).collect(),
            partial_orders: self.partial_orders,
            fluents: (self.fluents.into_iter())
                .filter_map(|fluent| fluent.finding)
                .map(with_domains)
                .collect(),
            ..whole
        }
    }
}

/// Where the rules use chains, and orders over them.
fn usage<'d>(description: &'d Description, chains: &[Chained], orders: &[Ordered]) -> Usage<'d> {
    let whole = chains.iter().enumerate().filter(|(_, found)| !found.is_slice());
    let whole = whole.map(|(index, found)| (found.relation, index));
    let orders = orders.iter().filter_map(|found| Some((found.relation, found.over?)));
    let bases: Vec<_> = whole.chain(orders).collect();
    let slices = chains.iter().enumerate().filter_map(|(chain, found)| match &found.finding {
        ChainFinding::Other(_, other) if found.is_slice() => Some(Slice::new(other, chain)),
        _ => None,
    });
    Usage::new(description, &bases, slices.collect())
}

/// A fluent relation and what is known of it.
pub struct Fluent {
    /// Its place among the fluent relations, and so among the samples.
    pub number: usize,
    /// Which.
    pub relation: FluentRelation,
    /// For each argument the chain that orders it, by its place among those found.
    pub orders: Vec<Option<usize>>,
    /// The arguments that name what is on its cells or has a place; empty where there are no such things.
    pub carriers: Mask,
    /// What it is, once a detector says so.
    pub finding: Option<FluentFinding>,
    split: OnceCell<(Vec<Role>, Split)>,
}

impl Fluent {
    fn new(number: usize, relation: FluentRelation) -> Fluent {
        let orders = vec![None; relation.arity];
        Fluent { number, relation, orders, carriers: 0, finding: None, split: OnceCell::new() }
    }

    /// Whether no detector has said yet what it is. Fluents without arguments are flags.
    pub fn is_open(&self) -> bool {
        self.relation.arity > 0 && self.finding.is_none()
    }

    /// What the rules say of its arguments, and how these are split by what was seen.
    pub fn split(&self, usage: &Usage<'_>, table: &FactTable) -> (&[Role], Split) {
        let FluentRelation { name, arity } = self.relation;
        let (roles, split) = self.split.get_or_init(|| {
            let role = |argument: usize| Role {
                ordered: self.orders[argument].is_some(),
                computed: usage.computed(name, arity, argument),
                chosen: usage.chosen(name, arity, argument),
            };
            let roles: Vec<Role> = (0..arity).map(role).collect();
            let mut split = split(table, &roles);
            if table.constant().is_some() {
                // What never changes is no board but a static relation in the guise of a fluent.
                (split.kind, split.carriers) = (FluentKind::Other, 0);
            }
            (roles, split)
        });
        (roles, *split)
    }

    /// A finding that says how the arguments are split, and nothing more yet.
    pub fn of_kind(&self, kind: FluentKind, split: Split) -> FluentFinding {
        FluentFinding {
            fluent: self.relation,
            arity: self.relation.arity,
            inputs: arguments(split.inputs),
            outputs: arguments(split.outputs),
            minimal_keys: Vec::new(),
            kind,
            axes: Vec::new(),
            covered: None,
            adjacency: None,
            constant: None,
            latch: None,
            counter: None,
            quantity: None,
            control: None,
            ordered_outputs: Vec::new(),
            markers: Vec::new(),
            pieces: Vec::new(),
            contents: Vec::new(),
            domains: Vec::new(),
            role_arguments: Vec::new(),
            stamp: None,
            evidence: without_samples(&[], Reason::Unknown),
        }
    }
}

/// The argument positions of a set.
pub fn arguments(mask: Mask) -> Vec<ArgumentPosition> {
    positions(mask).map(ArgumentPosition::at).collect()
}
