//! The findings of a run so far, and the intermediate results that later detectors need.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::gdl::Description;
use crate::gdl::domain::{Domain, Domains};

use super::argument::ArgumentPosition;
use super::evidence::without_samples;
use super::finding::{FluentFinding, FluentKind, PartialOrder, Structures, Turns};
use super::fluent_relations::{FluentRelation, FluentRelations};
use super::fluents::{FactTable, Mask, positions};
use super::reason::Reason;
use super::role_argument::RolePositions;
use super::split::{ArgumentUse, Split, split};
use super::static_relations::{BinaryFacts, ChainFinding, DetectedChain, DetectedOrder};
use super::usage::{Slice, Usage};

/// The findings so far, by numbers of the machine.
pub struct Findings<'d> {
    description: &'d Description,
    /// Static binary relations with all their facts.
    pub binary: Vec<BinaryFacts>,
    /// Successor relations, followed by other chains.
    pub chains: Vec<DetectedChain>,
    /// Cycles.
    pub cycles: Vec<DetectedChain>,
    /// Order relations.
    pub orders: Vec<DetectedOrder>,
    /// Orders in which some elements can't be compared.
    pub partial_orders: Vec<PartialOrder>,
    /// Uses of `chains` and `orders` in the rules.
    pub usage: Usage<'d>,
    /// Uses of `cycles` in the rules.
    pub cycle_usage: Usage<'d>,
    /// All fluent relations, in the order of the rules.
    pub fluents: Vec<Fluent>,
    /// Findings about the whole game. `Findings::finish` fills its lists of relations and fluents.
    /// Detectors that are not part of this library add to `custom`.
    pub structures: Structures,
    /// Number of custom findings that detectors read from the rules.
    custom_by_rules: usize,
}

impl<'d> Findings<'d> {
    /// No findings yet.
    pub fn new(description: &'d Description) -> Findings<'d> {
        let unknown = || without_samples(&[], Reason::Unknown);
        let roles = description.roles.len();
        Findings {
            description,
            binary: Vec::new(),
            chains: Vec::new(),
            cycles: Vec::new(),
            orders: Vec::new(),
            partial_orders: Vec::new(),
            usage: Usage::new(description, &[], Vec::new()),
            cycle_usage: Usage::new(description, &[], Vec::new()),
            fluents: Vec::new(),
            structures: Structures {
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

    /// Updates `usage` after `chains` or `orders` have changed.
    pub fn read_usage(&mut self) {
        self.usage = usage(self.description, &self.chains, &self.orders);
    }

    /// Updates `cycle_usage` after `cycles` have changed.
    pub fn read_cycle_usage(&mut self) {
        self.cycle_usage = usage(self.description, &self.cycles, &[]);
    }

    /// Marks the end of `read_rules`: [`Findings::begin_fluents`] keeps the custom findings so far.
    pub(super) fn end_rules(&mut self) {
        self.custom_by_rules = self.structures.custom.len();
    }

    /// Discards all findings about fluents, and custom findings from samples.
    pub(super) fn begin_fluents(&mut self, relations: &FluentRelations) {
        self.structures.custom.truncate(self.custom_by_rules);
        self.fluents =
            relations.list.iter().enumerate().map(|(number, &of)| Fluent::new(number, of)).collect();
    }

    /// Assembles the structures, with domains and role arguments for all fluents.
    pub(super) fn finish(self) -> Structures {
        let domains = Domains::of(self.description);
        let (description, places) = (self.description, RolePositions::new(self.description));
        let with_domains = |mut finding: FluentFinding| {
            finding.domains = finding.fluent.domains(description, &domains);
            let named = |domain: &Domain| domain.terms.iter().any(|term| description.roles.contains(term));
            let arguments = finding.domains.iter().enumerate().filter(|(_, domain)| named(domain));
            let of_roles = arguments.filter(|&(argument, _)| places.has(finding.fluent, argument));
            finding.role_arguments = of_roles.map(|(argument, _)| ArgumentPosition::at(argument)).collect();
            finding
        };
        let mut structures = self.structures;
        structures.cycles = (self.cycles.into_iter())
            .filter_map(|found| match found.finding {
                ChainFinding::Other(_, cycle) => Some(cycle),
                ChainFinding::Successor(_) => None,
            })
            .collect();
        for found in self.chains {
            match found.finding {
                ChainFinding::Successor(successor) => structures.successors.push(successor),
                ChainFinding::Other(_, chain) => structures.chains.push(chain),
            }
        }
        Structures {
            orders: self.orders.into_iter().map(|order| order.finding).collect(),
            partial_orders: self.partial_orders,
            fluents: (self.fluents.into_iter())
                .filter_map(|fluent| fluent.finding)
                .map(with_domains)
                .collect(),
            ..structures
        }
    }
}

/// The uses of chains, and of orders over them, in the rules.
fn usage<'d>(description: &'d Description, chains: &[DetectedChain], orders: &[DetectedOrder]) -> Usage<'d> {
    let unsliced = chains.iter().enumerate().filter(|(_, chain)| !chain.is_slice());
    let unsliced = unsliced.map(|(index, chain)| (chain.relation, index));
    let orders = orders.iter().filter_map(|order| Some((order.relation, order.over?)));
    let bases: Vec<_> = unsliced.chain(orders).collect();
    let slices = chains.iter().enumerate().filter_map(|(chain, found)| match &found.finding {
        ChainFinding::Other(_, other) if found.is_slice() => Some(Slice::new(other, chain)),
        _ => None,
    });
    Usage::new(description, &bases, slices.collect())
}

/// A fluent relation with its intermediate results.
pub struct Fluent {
    /// Its index in [`FluentRelations::list`] and in the samples.
    pub number: usize,
    /// The relation.
    pub relation: FluentRelation,
    /// For each argument, the index in [`Findings::chains`] of the chain that orders it.
    pub orders: Vec<Option<usize>>,
    /// The arguments that name the objects on its cells; empty if there are no objects.
    pub carriers: Mask,
    /// The finding, once a detector has classified the fluent.
    pub finding: Option<FluentFinding>,
    split: OnceCell<(Vec<ArgumentUse>, Split)>,
}

impl Fluent {
    fn new(number: usize, relation: FluentRelation) -> Fluent {
        let orders = vec![None; relation.arity];
        Fluent { number, relation, orders, carriers: 0, finding: None, split: OnceCell::new() }
    }

    /// Whether no detector has classified it yet. Fluents without arguments are flags and never open.
    pub fn is_open(&self) -> bool {
        self.relation.arity > 0 && self.finding.is_none()
    }

    /// The uses of its arguments in the rules, and the split of the arguments by the samples. Computed
    /// once.
    pub fn split(&self, usage: &Usage<'_>, table: &FactTable) -> (&[ArgumentUse], Split) {
        let FluentRelation { name, arity } = self.relation;
        let (roles, split) = self.split.get_or_init(|| {
            let role = |argument: usize| ArgumentUse {
                ordered: self.orders[argument].is_some(),
                computed: usage.is_computed(name, arity, argument),
                chosen: usage.is_chosen(name, arity, argument),
            };
            let roles: Vec<ArgumentUse> = (0..arity).map(role).collect();
            let mut split = split(table, &roles);
            if table.constant().is_some() {
                // A fluent that never changes is a static relation in disguise.
                (split.kind, split.carriers) = (FluentKind::Other, 0);
            }
            (roles, split)
        });
        (roles, *split)
    }

    /// A finding with a kind and the split of the arguments; everything else is empty.
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
