//! What documents say of the structures of a game: findings with their relations, terms, roles and moves as text.
//! Names print as lower-case KIF, relations and fluents as `name/arity`, argument positions count from 1.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::Machine;
use crate::structure::argument::ArgumentPosition;
use crate::structure::evidence::{EvidenceDocument, NO_GAME_ENDED};
use crate::structure::finding::{
    Adjacency, Axis, Constant, Counter, Coverage, Direction, Evidence, FluentFinding, FluentKind, Latch,
    LocatedObject, Order, OrderedBy, OtherChain, PartialOrder, RuleCoverage, Structures, Successor, Turns,
};
use crate::structure::presence::Presence;

use super::orders::{ChainDocument, OrderDocument, PartialOrderDocument, SuccessorDocument};

/// A static relation that leads from cell to cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Adjacency")]
pub struct AdjacencyDocument {
    /// `name/arity`.
    pub relation: String,
    /// Its arguments that name a cell, from 1.
    pub from: Vec<usize>,
    /// Those that name a neighbour, from 1.
    pub to: Vec<usize>,
    /// Number of cells that it connects.
    pub cells: usize,
}

/// A coordinate of a board or place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Axis")]
pub struct AxisDocument {
    /// Argument position, from 1.
    pub argument: usize,
    /// What orders it: a successor relation, `name/2`, or the name of another chain or of a cycle; or null.
    pub order: Option<String>,
}

/// A counter's course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Counter")]
pub struct CounterDocument {
    /// The argument that counts, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub argument: usize,
    /// The relation it advances by, `name/arity`.
    pub by: String,
    /// Its first value: that of the initial state, or of the step in which it comes up.
    pub start: String,
    /// The value that ends the game, or null.
    pub limit: Option<String>,
    /// `up` in the direction of the relation, else `down`.
    pub direction: Direction,
}

/// A quantity's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Quantity")]
pub struct QuantityDocument {
    /// The argument that has the value, from 1.
    pub value: usize,
    /// What orders the values: a successor relation, `name/2`, or the name of another chain.
    pub order: String,
    /// When there is a value.
    #[serde(default = "from_start", skip_serializing_if = "is_from_start")]
    pub presence: Presence,
}

fn first() -> usize {
    1
}

fn is_first(argument: &usize) -> bool {
    *argument == 1
}

fn from_start() -> Presence {
    Presence::FromStart
}

fn is_from_start(presence: &Presence) -> bool {
    *presence == Presence::FromStart
}

/// The argument that names who is to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Control")]
pub struct ControlDocument {
    /// Argument position, from 1.
    pub argument: usize,
}

/// Something that stands on a board or has a place: the arguments that carry it and its symbols there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Thing")]
pub struct LocatedObjectDocument {
    /// Argument positions, from 1.
    pub arguments: Vec<usize>,
    /// One symbol an argument.
    pub symbol: Vec<String>,
    /// Number of cells it was seen on.
    #[serde(default)]
    pub cells: usize,
    /// Whether it was seen in terminal states alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_at_end: bool,
}

/// A fluent of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FluentFinding")]
pub struct FluentDocument {
    /// `name/arity`.
    pub fluent: String,
    /// Number of arguments.
    pub arity: usize,
    /// The arguments that determine the others, from 1.
    pub inputs: Vec<usize>,
    /// The arguments that are determined, from 1.
    pub outputs: Vec<usize>,
    /// The smallest sets of arguments that determine all others in every state seen, where several tie for the inputs of a
    /// board, or where nothing says which of the arguments are the inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimal_keys: Vec<Vec<usize>>,
    /// What it is.
    pub kind: FluentKind,
    /// Coordinates, for boards, places, lines and graphs; for other fluents the arguments that are on a cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<AxisDocument>,
    /// Whether every cell has a fact in every state; boards only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<bool>,
    /// What leads from one of its cells to another; boards, lines and graphs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjacency: Option<AdjacencyDocument>,
    /// Whether its facts were the same in all states seen: `never`, no state had one; `always`, every state had the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<Constant>,
    /// How its facts come and go, where they do so in one of these ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latch: Option<Latch>,
    /// Counters, and control fluents that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<CounterDocument>,
    /// Quantities only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<QuantityDocument>,
    /// Control fluents only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlDocument>,
    /// Successor relations of outputs whose values are ordered (cell contents that are quantities).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ordered_outputs: Vec<AxisDocument>,
    /// What is on more than one cell in some state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<LocatedObjectDocument>,
    /// What was on at most one cell in every state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<LocatedObjectDocument>,
    /// What is on a line or graph that the rules treat as no row of cells of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<LocatedObjectDocument>,
    /// For each argument, the terms that can stand there.
    pub domains: Vec<Vec<String>>,
    /// The arguments that hold names of roles, as the rules use them, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub role_arguments: Vec<usize>,
    /// The argument that has the value of a clock at the step in which a fact came up, from 1; of records of the past only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<usize>,
    /// Evidence.
    pub evidence: EvidenceDocument,
}

/// Everything found about a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Structures")]
pub struct StructuresDocument {
    /// Successor relations, in the order of the rules.
    pub successors: Vec<SuccessorDocument>,
    /// Order relations.
    pub orders: Vec<OrderDocument>,
    /// Chains by relations that are no successor relations.
    #[serde(default)]
    pub chains: Vec<ChainDocument>,
    /// Cycles, in which the first element follows the last one.
    #[serde(default)]
    pub cycles: Vec<ChainDocument>,
    /// Orders in which some elements can't be compared.
    #[serde(default)]
    pub partial_orders: Vec<PartialOrderDocument>,
    /// Fluents.
    pub fluents: Vec<FluentDocument>,
    /// Partition of the roles but chance by equal goals in every terminal state seen.
    pub teams: Vec<Vec<String>>,
    /// Evidence for the teams.
    pub teams_evidence: EvidenceDocument,
    /// Who moves when.
    pub turns: Turns,
    /// Evidence for the turns.
    pub turns_evidence: EvidenceDocument,
    /// Whether all roles' goals had one sum in every terminal state seen; false for a single role.
    pub zero_sum: bool,
    /// Evidence for `zero_sum`.
    pub zero_sum_evidence: EvidenceDocument,
    /// Moves that do nothing, by role; roles without one are left out.
    pub noops: BTreeMap<String, Vec<String>>,
    /// Evidence for the noops.
    pub noops_evidence: EvidenceDocument,
    /// How much of what instantiating the rules allows random play saw; null where nobody knows how much there is.
    #[serde(default)]
    pub coverage: Option<Coverage>,
    /// How many of the rules ever applied in random play; null where nobody looked.
    #[serde(default)]
    pub rule_coverage: Option<RuleCoverage>,
}

impl StructuresDocument {
    /// What documents say of structures that were found on a machine.
    pub fn new(structures: &Structures, machine: &dyn Machine) -> StructuresDocument {
        let names = Names { machine, structures };
        let Structures { successors, orders, chains, cycles, partial_orders, fluents, teams, noops, .. } =
            structures;
        let told = noops.iter().enumerate().filter(|(_, moves)| !moves.is_empty());
        StructuresDocument {
            successors: successors.iter().map(|successor| names.successor(successor)).collect(),
            orders: orders.iter().map(|order| names.order(order)).collect(),
            chains: chains.iter().map(|chain| names.chain(chain)).collect(),
            cycles: cycles.iter().map(|cycle| names.chain(cycle)).collect(),
            partial_orders: partial_orders.iter().map(|order| names.partial_order(order)).collect(),
            fluents: fluents.iter().map(|fluent| names.fluent(fluent)).collect(),
            teams: teams.iter().map(|team| team.iter().map(|&role| names.role(role)).collect()).collect(),
            teams_evidence: names.evidence(&structures.teams_evidence),
            turns: structures.turns,
            turns_evidence: names.evidence(&structures.turns_evidence),
            zero_sum: structures.zero_sum,
            zero_sum_evidence: names.evidence(&structures.zero_sum_evidence),
            noops: told
                .map(|(role, moves)| {
                    (names.role(role), moves.iter().map(|&action| machine.move_text(action)).collect())
                })
                .collect(),
            noops_evidence: names.evidence(&structures.noops_evidence),
            coverage: structures.coverage,
            rule_coverage: structures.rule_coverage.clone(),
        }
    }
}

impl StructuresDocument {
    /// Whether any game ended, so that something is known of goal values.
    pub fn has_ends(&self) -> bool {
        self.teams_evidence.code.as_deref() != Some(NO_GAME_ENDED)
    }

    /// The evidence of all findings.
    pub fn all_evidence(&self) -> impl Iterator<Item = &EvidenceDocument> {
        let relations = self.successors.iter().map(|found| &found.evidence);
        let relations = relations.chain(self.orders.iter().map(|found| &found.evidence));
        let relations = relations.chain(self.chains.iter().map(|found| &found.evidence));
        let relations = relations.chain(self.partial_orders.iter().map(|found| &found.evidence));
        let several = self.teams.iter().map(Vec::len).sum::<usize>() > 1;
        let of_goals = [&self.teams_evidence, &self.zero_sum_evidence].into_iter().filter(move |_| several);
        let noops = (!self.noops.is_empty()).then_some(&self.noops_evidence);
        let fluents = self.fluents.iter().map(|found| &found.evidence);
        relations.chain(fluents).chain([&self.turns_evidence]).chain(of_goals).chain(noops)
    }
}

/// The names that a machine has for what findings speak of.
#[derive(Clone, Copy)]
struct Names<'m> {
    machine: &'m dyn Machine,
    structures: &'m Structures,
}

impl Names<'_> {
    fn relation(self, relation: RelationId) -> String {
        self.machine.description().signature(relation)
    }

    fn role(self, role: usize) -> String {
        let description = self.machine.description();
        description.term(description.roles[role])
    }

    fn terms(self, terms: &[TermId]) -> Vec<String> {
        terms.iter().map(|&term| self.machine.term_text(term)).collect()
    }

    fn evidence(self, evidence: &Evidence) -> EvidenceDocument {
        EvidenceDocument::new(evidence, self.machine)
    }

    fn successor(self, successor: &Successor) -> SuccessorDocument {
        let elements = self.terms(&successor.elements);
        SuccessorDocument {
            relation: self.relation(successor.relation),
            length: elements.len(),
            reversed: successor.reversed,
            first: elements.first().cloned().unwrap_or_default(),
            last: elements.last().cloned().unwrap_or_default(),
            elements,
            evidence: self.evidence(&successor.evidence),
        }
    }

    fn order(self, order: &Order) -> OrderDocument {
        OrderDocument {
            relation: self.relation(order.relation),
            over: self.relation(order.over),
            strict: order.strict,
            ascending: order.ascending,
            uncompared: order.uncompared,
            evidence: self.evidence(&order.evidence),
        }
    }

    /// What a chain is called as the order of values: the pattern of its facts, or its relation.
    fn name_of(self, chain: &OtherChain) -> String {
        let description = self.machine.description();
        if chain.fixed.is_empty() {
            return self.relation(chain.relation);
        }
        let relation = &description.relations[chain.relation.index()];
        let argument = |place: usize| match chain.fixed.iter().find(|(argument, _)| argument.index() == place)
        {
            Some((_, value)) => self.machine.term_text(*value),
            None if place == chain.pair[0].index() => "?x".to_owned(),
            None => "?y".to_owned(),
        };
        let arguments: Vec<String> = (0..relation.arity).map(argument).collect();
        format!("({} {})", description.symbols.name(relation.name), arguments.join(" "))
    }

    fn ordered_by(self, order: OrderedBy) -> String {
        match order {
            OrderedBy::Relation(relation) => self.relation(relation),
            OrderedBy::Chain(place) => self.name_of(&self.structures.chains[place]),
            OrderedBy::Cycle(place) => self.name_of(&self.structures.cycles[place]),
        }
    }

    fn chain(self, chain: &OtherChain) -> ChainDocument {
        ChainDocument {
            name: self.name_of(chain),
            relation: self.relation(chain.relation),
            shape: chain.shape,
            elements: self.terms(&chain.elements),
            evidence: self.evidence(&chain.evidence),
        }
    }

    fn partial_order(self, order: &PartialOrder) -> PartialOrderDocument {
        PartialOrderDocument {
            relation: self.relation(order.relation),
            strict: order.strict,
            weak: order.weak,
            elements: order.elements,
            height: order.height,
            evidence: self.evidence(&order.evidence),
        }
    }

    fn adjacency(self, adjacency: &Adjacency) -> AdjacencyDocument {
        AdjacencyDocument {
            relation: self.relation(adjacency.relation),
            from: numbers(&adjacency.from),
            to: numbers(&adjacency.to),
            cells: adjacency.cells,
        }
    }

    fn axes(self, axes: &[Axis]) -> Vec<AxisDocument> {
        let axis = |axis: &Axis| AxisDocument {
            argument: axis.argument.number(),
            order: axis.order.map(|order| self.ordered_by(order)),
        };
        axes.iter().map(axis).collect()
    }

    fn objects(self, objects: &[LocatedObject]) -> Vec<LocatedObjectDocument> {
        let object = |object: &LocatedObject| LocatedObjectDocument {
            arguments: numbers(&object.arguments),
            symbol: self.terms(&object.symbol),
            cells: object.cells,
            only_at_end: object.only_at_end,
        };
        objects.iter().map(object).collect()
    }

    fn counter(self, counter: &Counter) -> CounterDocument {
        CounterDocument {
            argument: counter.argument.number(),
            by: self.relation(counter.by),
            start: self.machine.term_text(counter.start),
            limit: counter.limit.map(|limit| self.machine.term_text(limit)),
            direction: counter.direction,
        }
    }

    fn fluent(self, found: &FluentFinding) -> FluentDocument {
        FluentDocument {
            fluent: found.fluent.signature(&self.machine.description().symbols),
            arity: found.fluent.arity,
            inputs: numbers(&found.inputs),
            outputs: numbers(&found.outputs),
            minimal_keys: found.minimal_keys.iter().map(|key| numbers(key)).collect(),
            kind: found.kind,
            axes: self.axes(&found.axes),
            covered: found.covered,
            counter: found.counter.as_ref().map(|counter| self.counter(counter)),
            quantity: found.quantity.map(|quantity| QuantityDocument {
                value: quantity.value.number(),
                order: self.ordered_by(quantity.order),
                presence: quantity.presence,
            }),
            adjacency: found.adjacency.as_ref().map(|adjacency| self.adjacency(adjacency)),
            constant: found.constant,
            latch: found.latch,
            contents: self.objects(&found.contents),
            control: found.control.map(|control| ControlDocument { argument: control.argument.number() }),
            ordered_outputs: self.axes(&found.ordered_outputs),
            markers: self.objects(&found.markers),
            pieces: self.objects(&found.pieces),
            domains: found.domains.iter().map(|domain| domain.texts(self.machine.description())).collect(),
            role_arguments: numbers(&found.role_arguments),
            stamp: found.stamp.map(ArgumentPosition::number),
            evidence: self.evidence(&found.evidence),
        }
    }
}

fn numbers(positions: &[ArgumentPosition]) -> Vec<usize> {
    positions.iter().map(|position| position.number()).collect()
}
