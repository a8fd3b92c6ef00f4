//! What was found: the structures of a game, each with its evidence.
//!
//! Findings name relations, terms, roles and moves by the numbers that the machine they were found on has for them.
//! What documents say of them, such as `disc/3`, is written by the room of reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gdl::domain::Domain;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::MoveId;

use super::argument::ArgumentPosition;
use super::fluent_relations::FluentRelation;
use super::presence::Presence;
use super::reason::Reason;

/// How a finding was found and how far it was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The ways that found it.
    pub methods: Vec<Method>,
    /// What it rests on.
    pub reason: Reason,
    /// States checked; 0 where no state is needed.
    pub states: u64,
    /// Playouts checked; 0 where none is needed.
    pub playouts: u64,
    /// Upper bound, at 95 % confidence, on the chance that a random playout holds a counterexample none of
    /// which was seen: 1 - 0.05^(1/playouts). 0 for what needs no simulation.
    pub counterexample_bound: f64,
    /// Whether it was proved for all reachable states; missing where nobody tried.
    pub proof: Option<Proof>,
}

/// What trying to prove a finding came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether it is proved.
    pub status: ProofStatus,
    /// How many steps the induction looks back; 0 where none was needed.
    pub k: u32,
    /// How many lemmas were proved together, of which the proof makes use.
    pub lemmas: usize,
    /// What of it is not proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// Whether something is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofStatus {
    /// It holds in every reachable state.
    Proved,
    /// It is false.
    Refuted,
    /// Neither is known.
    Open,
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
#[derive(Clone, Debug, PartialEq)]
pub struct Successor {
    /// The relation, of two arguments.
    pub relation: RelationId,
    /// Whether it takes its elements in the order opposite to that of another one found, which gives the
    /// direction: then a fact leads from an element to the one before it.
    pub reversed: bool,
    /// The elements from first to last.
    pub elements: Vec<TermId>,
    /// Evidence.
    pub evidence: Evidence,
}

/// An order relation: transitive and antisymmetric, the closure of a successor relation, or of one that branches at
/// one end.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The relation, of two arguments.
    pub relation: RelationId,
    /// The relation it is the closure of.
    pub over: RelationId,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether the first argument is the smaller one, in the successor's direction.
    pub ascending: bool,
    /// The elements at one end that are not compared with each other; none for a total order.
    pub uncompared: Option<Uncompared>,
    /// Evidence.
    pub evidence: Evidence,
}

/// The elements at one end of an order that are not compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uncompared {
    /// Their number, at least 2.
    pub elements: usize,
    /// Where they are, in the direction of the relation that the order is the closure of.
    pub end: End,
}

/// An end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Before all other elements.
    First,
    /// After all other elements.
    Last,
}

/// What makes facts of a relation a chain that is no successor relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainShape {
    /// Some arguments of a relation are fixed, as the rules do: `(plus 1 ?x ?y)`.
    Slice,
    /// The relation's facts form several paths, of which this is one.
    Path,
    /// The relation compares every two elements one way round, and no successor relation has them in this order.
    TotalOrder,
    /// An element at one end follows itself: a value that stays at its limit.
    Saturating,
    /// The first element follows the last one.
    Cycle,
}

/// A chain or cycle of elements by a relation that is not a successor relation.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherChain {
    /// The relation.
    pub relation: RelationId,
    /// The arguments that are fixed, with what they are; empty for a binary relation.
    pub fixed: Vec<(ArgumentPosition, TermId)>,
    /// The arguments that hold an element and a later one.
    pub pair: [ArgumentPosition; 2],
    /// What makes it a chain.
    pub shape: ChainShape,
    /// The elements from first to last; a cycle begins with the element that the rules name first.
    pub elements: Vec<TermId>,
    /// Evidence.
    pub evidence: Evidence,
}

/// An order in which some elements can't be compared: transitive, antisymmetric, and not total.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialOrder {
    /// The relation, of two arguments.
    pub relation: RelationId,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether elements that can't be compared form levels, each of which is below or above every other.
    pub weak: bool,
    /// Number of elements.
    pub elements: usize,
    /// Number of elements of its longest chain.
    pub height: usize,
    /// Evidence.
    pub evidence: Evidence,
}

/// What gives values their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderedBy {
    /// A relation: a successor relation, or the one that a counter advances by.
    Relation(RelationId),
    /// Another chain, by its place in [`Structures::chains`].
    Chain(usize),
    /// A cycle, by its place in [`Structures::cycles`]: the coordinate has neighbours but neither a first nor a last value.
    Cycle(usize),
}

/// What a fluent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FluentKind {
    /// At least two inputs (coordinates) determine the outputs (contents).
    Board,
    /// A board of one dimension: one coordinate determines the contents of a cell.
    Line,
    /// Cells that a static relation connects; one argument names the cell and determines its contents.
    Graph,
    /// One value at a time (for every key), from an ordered domain, that depends on play.
    Quantity,
    /// Advances by one in every step, whatever is played.
    Counter,
    /// Says who is to move.
    Control,
    /// Gives the coordinates of each of several named things.
    Place,
    /// No arguments: it holds or not.
    Flag,
    /// None of these.
    Other,
}

impl FluentKind {
    /// Whether it has cells that things stand on, or things that have places.
    pub fn has_cells(self) -> bool {
        matches!(self, FluentKind::Board | FluentKind::Place | FluentKind::Line | FluentKind::Graph)
    }
}

/// What the facts of a fluent were in all states seen alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Constant {
    /// No state had a fact.
    Never,
    /// Every state had the same facts, one at least.
    Always,
}

/// How the facts of a fluent come and go within a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Latch {
    /// Facts come up, and what holds once holds for good.
    Stays,
    /// What has gone never comes back.
    NeverReturns,
}

/// A static relation that leads from cell to cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// The relation.
    pub relation: RelationId,
    /// Its arguments that name a cell.
    pub from: Vec<ArgumentPosition>,
    /// Those that name a neighbour.
    pub to: Vec<ArgumentPosition>,
    /// Number of cells that it connects.
    pub cells: usize,
}

/// A coordinate of a board or place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The argument.
    pub argument: ArgumentPosition,
    /// What orders it, if anything does.
    pub order: Option<OrderedBy>,
}

/// A counter's course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The argument that counts.
    pub argument: ArgumentPosition,
    /// The relation it advances by.
    pub by: RelationId,
    /// Its first value: that of the initial state, or of the step in which it comes up.
    pub start: TermId,
    /// The value that ends the game, if one does.
    pub limit: Option<TermId>,
    /// `Up` in the direction of the relation.
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

/// A quantity's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The argument that has the value. Other outputs say what the value is bound to, such as who leads.
    pub value: ArgumentPosition,
    /// What orders the values.
    pub order: OrderedBy,
    /// When there is a value.
    pub presence: Presence,
}

/// The argument that names who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// The argument.
    pub argument: ArgumentPosition,
}

/// Something that stands on a board or has a place: the arguments that carry it and its symbols there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedObject {
    /// The arguments.
    pub arguments: Vec<ArgumentPosition>,
    /// One term an argument.
    pub symbol: Vec<TermId>,
    /// Number of cells it was seen on.
    pub cells: usize,
    /// Whether it was seen in terminal states alone.
    pub only_at_end: bool,
}

/// A fluent of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct FluentFinding {
    /// The fluent.
    pub fluent: FluentRelation,
    /// The arguments that determine the others.
    pub inputs: Vec<ArgumentPosition>,
    /// The arguments that are determined.
    pub outputs: Vec<ArgumentPosition>,
    /// The smallest sets of arguments that determine all others in every state seen, where several tie for the inputs of a
    /// board, or where nothing says which of the arguments are the inputs.
    pub minimal_keys: Vec<Vec<ArgumentPosition>>,
    /// What it is.
    pub kind: FluentKind,
    /// Coordinates, for boards, places, lines and graphs; for other fluents the arguments that are on a cycle.
    pub axes: Vec<Axis>,
    /// Whether every cell has a fact in every state; boards only.
    pub covered: Option<bool>,
    /// What leads from one of its cells to another; boards, lines and graphs only.
    pub adjacency: Option<Adjacency>,
    /// Whether its facts were the same in all states seen.
    pub constant: Option<Constant>,
    /// How its facts come and go, where they do so in one of these ways.
    pub latch: Option<Latch>,
    /// Counters, and control fluents that count.
    pub counter: Option<Counter>,
    /// Quantities only.
    pub quantity: Option<Quantity>,
    /// Control fluents only.
    pub control: Option<Control>,
    /// Outputs whose values a successor relation orders (cell contents that are quantities).
    pub ordered_outputs: Vec<Axis>,
    /// What is on more than one cell in some state.
    pub markers: Vec<LocatedObject>,
    /// What was on at most one cell in every state.
    pub pieces: Vec<LocatedObject>,
    /// What is on a line or graph that the rules treat as no row of cells of their own.
    pub contents: Vec<LocatedObject>,
    /// For each argument, what can stand there.
    pub domains: Vec<Domain>,
    /// The arguments that hold names of roles, as the rules use them. A name that a role shares with something else is not
    /// enough.
    pub role_arguments: Vec<ArgumentPosition>,
    /// The argument that has the value of a clock at the step in which a fact came up; of records of the past only.
    pub stamp: Option<ArgumentPosition>,
    /// Evidence.
    pub evidence: Evidence,
}

impl FluentFinding {
    /// What stands on its cells or has a place.
    pub fn objects(&self) -> impl Iterator<Item = &LocatedObject> {
        self.markers.iter().chain(&self.pieces).chain(&self.contents)
    }
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

/// How much of what instantiating the rules allows was seen in random play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Fluents that held in some state seen.
    pub fluents_seen: usize,
    /// Fluents of the network.
    pub fluents: usize,
    /// Moves that were seen to be legal, those of each role counted apart.
    pub moves_seen: usize,
    /// Moves of the network.
    pub moves: usize,
}

/// How many of the rules that play needs ever applied in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleCoverage {
    /// Rules whose body was satisfied in some state, or by some joint move.
    pub applied: usize,
    /// Rules that moves, ends, goals and next states need and that depend on the state or on moves; one with a disjunction
    /// counts once for each of its ways.
    pub rules: usize,
    /// Random playouts looked at, rule by rule; they end as soon as every rule has applied.
    pub playouts: u64,
    /// States in them.
    pub states: u64,
    /// Rules that never applied, the first hundred.
    pub never: Vec<String>,
}

/// Everything found about a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Structures {
    /// Successor relations, in the order of the rules.
    pub successors: Vec<Successor>,
    /// Order relations.
    pub orders: Vec<Order>,
    /// Chains by relations that are no successor relations.
    pub chains: Vec<OtherChain>,
    /// Cycles.
    pub cycles: Vec<OtherChain>,
    /// Orders that are not total.
    pub partial_orders: Vec<PartialOrder>,
    /// Fluents.
    pub fluents: Vec<FluentFinding>,
    /// Partition of the roles but chance, counted from 0, by equal goals in every terminal state seen.
    pub teams: Vec<Vec<usize>>,
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
    /// For each role the moves that do nothing, in the order of their texts.
    pub noops: Vec<Vec<MoveId>>,
    /// Evidence for the noops.
    pub noops_evidence: Evidence,
    /// How much of the game random play saw; none for a game without a network, where nobody knows how much there is.
    pub coverage: Option<Coverage>,
    /// How many of the rules random play used; none where nobody looked.
    pub rule_coverage: Option<RuleCoverage>,
}

impl Structures {
    /// What was found about a fluent.
    pub fn fluent(&self, fluent: FluentRelation) -> Option<&FluentFinding> {
        self.fluents.iter().find(|finding| finding.fluent == fluent)
    }

    /// What was found about a relation, where it is a successor relation.
    pub fn successor(&self, relation: RelationId) -> Option<&Successor> {
        self.successors.iter().find(|successor| successor.relation == relation)
    }

    /// The elements from first to last of what gives values their order; none for a cycle.
    pub fn elements(&self, order: OrderedBy) -> Option<&[TermId]> {
        match order {
            OrderedBy::Cycle(_) => None,
            OrderedBy::Relation(relation) => Some(&self.successor(relation)?.elements),
            OrderedBy::Chain(place) => Some(&self.chains.get(place)?.elements),
        }
    }

    /// The team of a role.
    pub fn team_of(&self, role: usize) -> Option<&[usize]> {
        self.teams.iter().map(Vec::as_slice).find(|team| team.contains(&role))
    }
}
