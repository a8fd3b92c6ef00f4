//! What was found: the structures of a game, each with its evidence. Names print as lower-case KIF, relations
//! and fluents as `name/arity`, argument positions count from 1.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a finding was found and how far it was checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The ways that found it: `syntax` (a template over the rules), `enumeration` (all facts of a static
    /// relation), `simulation` (not refuted by sampled states), `proof` (holds in every reachable state).
    pub methods: Vec<Method>,
    /// What it rests on, in a sentence.
    pub because: String,
    /// States checked; 0 where no state is needed.
    pub states: u64,
    /// Playouts checked; 0 where none is needed.
    pub playouts: u64,
    /// Upper bound, at 95 % confidence, on the chance that a random playout holds a counterexample none of
    /// which was seen: 1 - 0.05^(1/playouts). 0 for what needs no simulation.
    pub counterexample_bound: f64,
}

/// A way of finding a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A template over the shape of the rules (Kuhlmann et al. 2006).
    Syntax,
    /// All facts of a static relation were looked at (Schiffel & Thielscher 2007).
    Enumeration,
    /// A hypothesis that no sampled state refuted (Schiffel & Thielscher 2007).
    Simulation,
    /// Holds in every reachable state, by the ground rules.
    Proof,
}

/// A successor relation: static facts that form one chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Successor {
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
pub struct Order {
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

/// What a fluent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FluentKind {
    /// At least two inputs (coordinates) determine the outputs (contents).
    Board,
    /// One value at a time (for every key), from an ordered domain, that depends on play.
    Quantity,
    /// Advances by one in every step, whatever is played.
    Counter,
    /// Says who is to move.
    Control,
    /// Gives the coordinates of each of several named things.
    Place,
    /// None of these.
    Other,
}

/// A coordinate of a board or place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// Argument position, from 1.
    pub argument: usize,
    /// The successor relation that orders it, `name/2`, or null.
    pub order: Option<String>,
}

/// A counter's course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counter {
    /// The relation it advances by, `name/arity`.
    pub by: String,
    /// Its value in the initial state.
    pub start: String,
    /// The value that ends the game, or null.
    pub limit: Option<String>,
    /// `up` in the direction of the relation, else `down`.
    pub direction: Direction,
}

/// The direction of a counter along its successor relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From first towards last.
    Up,
    /// From last towards first.
    Down,
}

/// The order of a quantity's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quantity {
    /// The successor relation, `name/2`.
    pub order: String,
}

/// The argument that names who is to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// Argument position, from 1.
    pub argument: usize,
}

/// Something that stands on a board or has a place: the arguments that carry it and its symbols there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Thing {
    /// Argument positions, from 1.
    pub arguments: Vec<usize>,
    /// One symbol an argument.
    pub symbol: Vec<String>,
}

/// A fluent of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FluentFinding {
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
    pub axes: Vec<Axis>,
    /// Whether every cell has a fact in every state; boards only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<bool>,
    /// Counters only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<Counter>,
    /// Quantities only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// Control fluents only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Successor relations of outputs whose values are ordered (cell contents that are quantities).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ordered_outputs: Vec<Axis>,
    /// What is on more than one cell in some state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Thing>,
    /// What was on at most one cell in every state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<Thing>,
    /// For each argument, the terms that can stand there.
    pub domains: Vec<Vec<String>>,
    /// Evidence.
    pub evidence: Evidence,
}

/// Who moves when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    /// At most one role has a choice in any state.
    Alternating,
    /// Two or more roles had a choice in one state.
    Simultaneous,
    /// One role.
    SinglePlayer,
}

/// Everything found about a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Structures {
    /// Successor relations, in the order of the rules.
    pub successors: Vec<Successor>,
    /// Order relations.
    pub orders: Vec<Order>,
    /// Fluents of arity 1 and more.
    pub fluents: Vec<FluentFinding>,
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
