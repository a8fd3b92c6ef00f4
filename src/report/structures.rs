//! What documents say of the structures of a game: findings with their relations, terms, roles and moves as text.
//! Names print as lower-case KIF, relations and fluents as `name/arity`, argument positions count from 1.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::Machine;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{
    Axis, Counter, Direction, Evidence, FluentFinding, FluentKind, LocatedObject, Order, Structures,
    Successor, Turns,
};

/// A successor relation: static facts that form one chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Successor")]
pub struct SuccessorDocument {
    /// `name/2`.
    pub relation: String,
    /// Number of elements of the chain.
    pub length: usize,
    /// Whether it takes its elements in the order opposite to that of another one found, which gives the
    /// direction: then a fact leads from an element to the one before it.
    #[serde(default)]
    pub reversed: bool,
    /// Its first element.
    pub first: String,
    /// Its last element.
    pub last: String,
    /// The elements from first to last.
    pub elements: Vec<String>,
    /// Evidence.
    pub evidence: Evidence,
}

/// An order relation: transitive and antisymmetric, the closure of a successor relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Order")]
pub struct OrderDocument {
    /// `name/2`.
    pub relation: String,
    /// The successor relation it is the closure of, `name/2`.
    pub over: String,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether the first argument is the smaller one, in the successor's direction.
    pub ascending: bool,
    /// Evidence.
    pub evidence: Evidence,
}

/// A coordinate of a board or place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Axis")]
pub struct AxisDocument {
    /// Argument position, from 1.
    pub argument: usize,
    /// The successor relation that orders it, `name/2`, or null.
    pub order: Option<String>,
}

/// A counter's course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Counter")]
pub struct CounterDocument {
    /// The relation it advances by, `name/arity`.
    pub by: String,
    /// Its value in the initial state.
    pub start: String,
    /// The value that ends the game, or null.
    pub limit: Option<String>,
    /// `up` in the direction of the relation, else `down`.
    pub direction: Direction,
}

/// The order of a quantity's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Quantity")]
pub struct QuantityDocument {
    /// The successor relation, `name/2`.
    pub order: String,
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
    /// What it is.
    pub kind: FluentKind,
    /// Coordinates, for boards and places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<AxisDocument>,
    /// Whether every cell has a fact in every state; boards only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<bool>,
    /// Counters only.
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
    /// For each argument, the terms that can stand there.
    pub domains: Vec<Vec<String>>,
    /// Evidence.
    pub evidence: Evidence,
}

/// Everything found about a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Structures")]
pub struct StructuresDocument {
    /// Successor relations, in the order of the rules.
    pub successors: Vec<SuccessorDocument>,
    /// Order relations.
    pub orders: Vec<OrderDocument>,
    /// Fluents of arity 1 and more.
    pub fluents: Vec<FluentDocument>,
    /// Partition of the roles by equal goals in every terminal state seen.
    pub teams: Vec<Vec<String>>,
    /// Evidence for the teams.
    pub teams_evidence: Evidence,
    /// Who moves when.
    pub turns: Turns,
    /// Evidence for the turns.
    pub turns_evidence: Evidence,
    /// Whether all roles' goals had one sum in every terminal state seen; false for a single role.
    pub zero_sum: bool,
    /// Evidence for `zero_sum`.
    pub zero_sum_evidence: Evidence,
    /// Moves that do nothing, by role; roles without one are left out.
    pub noops: BTreeMap<String, Vec<String>>,
    /// Evidence for the noops.
    pub noops_evidence: Evidence,
}

impl StructuresDocument {
    /// What documents say of structures that were found on a machine.
    pub fn new(structures: &Structures, machine: &dyn Machine) -> StructuresDocument {
        let names = Names { machine };
        let Structures { successors, orders, fluents, teams, noops, .. } = structures;
        let told = noops.iter().enumerate().filter(|(_, moves)| !moves.is_empty());
        StructuresDocument {
            successors: successors.iter().map(|successor| names.successor(successor)).collect(),
            orders: orders.iter().map(|order| names.order(order)).collect(),
            fluents: fluents.iter().map(|fluent| names.fluent(fluent)).collect(),
            teams: teams.iter().map(|team| team.iter().map(|&role| names.role(role)).collect()).collect(),
            teams_evidence: structures.teams_evidence.clone(),
            turns: structures.turns,
            turns_evidence: structures.turns_evidence.clone(),
            zero_sum: structures.zero_sum,
            zero_sum_evidence: structures.zero_sum_evidence.clone(),
            noops: told
                .map(|(role, moves)| {
                    (names.role(role), moves.iter().map(|&action| machine.move_text(action)).collect())
                })
                .collect(),
            noops_evidence: structures.noops_evidence.clone(),
        }
    }
}

/// The names that a machine has for what findings speak of.
#[derive(Clone, Copy)]
struct Names<'m> {
    machine: &'m dyn Machine,
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

    fn successor(self, successor: &Successor) -> SuccessorDocument {
        let elements = self.terms(&successor.elements);
        SuccessorDocument {
            relation: self.relation(successor.relation),
            length: elements.len(),
            reversed: successor.reversed,
            first: elements.first().cloned().unwrap_or_default(),
            last: elements.last().cloned().unwrap_or_default(),
            elements,
            evidence: successor.evidence.clone(),
        }
    }

    fn order(self, order: &Order) -> OrderDocument {
        OrderDocument {
            relation: self.relation(order.relation),
            over: self.relation(order.over),
            strict: order.strict,
            ascending: order.ascending,
            evidence: order.evidence.clone(),
        }
    }

    fn axes(self, axes: &[Axis]) -> Vec<AxisDocument> {
        let axis = |axis: &Axis| AxisDocument {
            argument: axis.argument.number(),
            order: axis.order.map(|order| self.relation(order)),
        };
        axes.iter().map(axis).collect()
    }

    fn objects(self, objects: &[LocatedObject]) -> Vec<LocatedObjectDocument> {
        let object = |object: &LocatedObject| LocatedObjectDocument {
            arguments: numbers(&object.arguments),
            symbol: self.terms(&object.symbol),
        };
        objects.iter().map(object).collect()
    }

    fn counter(self, counter: &Counter) -> CounterDocument {
        CounterDocument {
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
            kind: found.kind,
            axes: self.axes(&found.axes),
            covered: found.covered,
            counter: found.counter.as_ref().map(|counter| self.counter(counter)),
            quantity: found
                .quantity
                .map(|quantity| QuantityDocument { order: self.relation(quantity.order) }),
            control: found.control.map(|control| ControlDocument { argument: control.argument.number() }),
            ordered_outputs: self.axes(&found.ordered_outputs),
            markers: self.objects(&found.markers),
            pieces: self.objects(&found.pieces),
            domains: found.domains.iter().map(|domain| domain.texts(self.machine.description())).collect(),
            evidence: found.evidence.clone(),
        }
    }
}

fn numbers(positions: &[ArgumentPosition]) -> Vec<usize> {
    positions.iter().map(|position| position.number()).collect()
}
