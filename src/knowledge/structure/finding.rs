//! The types of findings: the structures of a game, each with its evidence.
//!
//! A finding is generic over the [`Vocabulary`] by which it names relations, terms, roles and moves.
//! Detectors, features and functions use [`Ids`]: the numbers of the machine. Documents use
//! [`Kif`](super::vocabulary::Kif), the same names as text; `names.rs` converts. Argument positions count
//! from 1 in documents.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::ArgumentPosition;
pub use super::constant::Constant;
pub use super::evidence::{Evidence, Method, Proof, ProofStatus};
use super::fluent_relations::FluentRelation;
use super::presence::Presence;
use super::reason::{NO_GAME_ENDED, Reason};
pub use super::uncompared::{End, Uncompared};
pub use super::vocabulary::OrderedBy;
use super::vocabulary::{Ids, TextVocabulary, Vocabulary};
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

/// A successor relation: static facts that form one chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Successor", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Successor<V: Vocabulary = Ids> {
    /// `name/2`.
    pub relation: V::Relation,
    /// Number of elements of the chain.
    pub length: usize,
    /// Whether its facts go against the direction that other chains give: a fact leads from an element to
    /// the previous one.
    #[serde(default)]
    pub reversed: bool,
    /// Its first element.
    pub first: V::Term,
    /// Its last element.
    pub last: V::Term,
    /// The elements from first to last.
    pub elements: Vec<V::Term>,
    /// Evidence.
    pub evidence: Evidence<V>,
}

/// A transitive and antisymmetric relation: the closure of a successor relation, or of a relation that
/// branches at one end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Order", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Order<V: Vocabulary = Ids> {
    /// `name/2`.
    pub relation: V::Relation,
    /// The relation whose closure it is, `name/2`.
    pub over: V::Relation,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether the first argument is the smaller one, in the successor's direction.
    pub ascending: bool,
    /// The elements at one end that can't be compared with each other; missing for a total order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncompared: Option<Uncompared>,
    /// Evidence.
    pub evidence: Evidence<V>,
}

/// The shape of a chain that is not a successor relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainShape {
    /// The facts in which some arguments have fixed values, as a rule uses them: `(plus 1 ?x ?y)`.
    Slice,
    /// One of several paths that the facts form.
    Path,
    /// The relation compares every two elements in one direction, and no successor relation gives this
    /// order.
    TotalOrder,
    /// An element at one end is its own successor: a value that stays at its limit.
    Saturating,
    /// The first element follows the last one.
    Cycle,
}

/// A chain or cycle of a relation that is not a successor relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Chain", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct OtherChain<V: Vocabulary = Ids> {
    /// Its name as an order: `name/2`, or the pattern of a slice, `(plus 1 ?x ?y)`.
    #[serde(rename = "name")]
    pub pattern: V::Pattern,
    /// The relation, `name/arity`.
    pub relation: V::Relation,
    /// Its shape.
    pub shape: ChainShape,
    /// The elements from first to last; a cycle begins with the element that the rules name first.
    pub elements: Vec<V::Term>,
    /// Evidence.
    pub evidence: Evidence<V>,
}

/// An order in which some elements can't be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PartialOrder", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct PartialOrder<V: Vocabulary = Ids> {
    /// `name/2`.
    pub relation: V::Relation,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether elements that can't be compared form levels, so that any two levels can be compared.
    pub weak: bool,
    /// Number of elements.
    pub elements: usize,
    /// Number of elements of its longest chain.
    pub height: usize,
    /// Evidence.
    pub evidence: Evidence<V>,
}

/// The kind of a fluent.
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
    /// Advances by one in every step, whatever the roles play.
    Counter,
    /// Names the role whose turn it is.
    Control,
    /// Gives the coordinates of each of several named things.
    Place,
    /// Has no arguments: it holds or does not.
    Flag,
    /// None of these.
    Other,
}

impl FluentKind {
    /// Whether it has cells with objects on them, or objects with coordinates.
    pub fn has_cells(self) -> bool {
        matches!(self, FluentKind::Board | FluentKind::Place | FluentKind::Line | FluentKind::Graph)
    }
}

/// A restriction on how the facts of a fluent change within a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Latch {
    /// A fact that holds once holds until the end.
    Stays,
    /// A fact that has disappeared never holds again.
    NeverReturns,
}

/// A static relation between neighbouring cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Adjacency", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Adjacency<V: Vocabulary = Ids> {
    /// `name/arity`.
    pub relation: V::Relation,
    /// Its arguments that name a cell, from 1.
    pub from: Vec<ArgumentPosition>,
    /// The arguments that name a neighbour, from 1.
    pub to: Vec<ArgumentPosition>,
    /// Number of cells that it connects.
    pub cells: usize,
}

/// A coordinate of a board or place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Axis", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Axis<V: Vocabulary = Ids> {
    /// Argument position, from 1.
    pub argument: ArgumentPosition,
    /// The order of its values: a successor relation, `name/2`, or the name of another chain or of a cycle;
    /// null if none.
    pub order: Option<V::Order>,
}

impl Copy for Axis {}

/// The values of a counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Counter", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Counter<V: Vocabulary = Ids> {
    /// The argument that counts, from 1.
    #[serde(default = "ArgumentPosition::first", skip_serializing_if = "ArgumentPosition::is_first")]
    pub argument: ArgumentPosition,
    /// The relation it advances by, `name/arity`.
    pub by: V::Relation,
    /// Its first value: in the initial state, or in the step in which its first fact appears.
    pub start: V::Term,
    /// The value that ends the game, or null.
    pub limit: Option<V::Term>,
    /// `up` in the direction of the relation, else `down`.
    pub direction: Direction,
}

impl Copy for Counter {}

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Quantity", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Quantity<V: Vocabulary = Ids> {
    /// The argument that has the value, from 1.
    // Other outputs say what the value belongs to, such as the role in the lead.
    pub value: ArgumentPosition,
    /// The order of the values: a successor relation, `name/2`, or the name of another chain.
    pub order: V::Order,
    /// When there is a value.
    #[serde(default = "Presence::from_start", skip_serializing_if = "Presence::is_from_start")]
    pub presence: Presence,
}

impl Copy for Quantity {}

/// The argument that names the role whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// Argument position, from 1.
    pub argument: ArgumentPosition,
}

/// An object on a board, or with a place: the arguments that name it, and its symbols there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Thing", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct LocatedObject<V: Vocabulary = Ids> {
    /// Argument positions, from 1.
    pub arguments: Vec<ArgumentPosition>,
    /// One symbol for each argument.
    pub symbol: Vec<V::Term>,
    /// Number of cells it was seen on.
    #[serde(default)]
    pub cells: usize,
    /// Whether it was seen only in terminal states.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_at_end: bool,
}

/// A fluent of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FluentFinding", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct FluentFinding<V: Vocabulary = Ids> {
    /// `name/arity`.
    pub fluent: V::Fluent,
    /// Number of arguments.
    pub arity: usize,
    /// The arguments that determine the others, from 1.
    pub inputs: Vec<ArgumentPosition>,
    /// The arguments that are determined, from 1.
    pub outputs: Vec<ArgumentPosition>,
    /// The smallest sets of arguments that determine all others in every state seen. Given if several sets
    /// tie for the inputs of a board, or if nothing decides which arguments are the inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimal_keys: Vec<Vec<ArgumentPosition>>,
    /// Its kind.
    pub kind: FluentKind,
    /// The coordinates of boards, places, lines and graphs; for other fluents the arguments that a cycle
    /// orders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis<V>>,
    /// Whether every cell has a fact in every state; boards only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<bool>,
    /// The relation between neighbouring cells; boards, lines and graphs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjacency: Option<Adjacency<V>>,
    /// Whether its facts were the same in all states seen: `never`, no state had a fact; `always`, every
    /// state had the same facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<Constant>,
    /// The restriction on how its facts change, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latch: Option<Latch>,
    /// Counters, and control fluents that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<Counter<V>>,
    /// Quantities only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity<V>>,
    /// Control fluents only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Successor relations of outputs whose values are ordered (cell contents that are quantities).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ordered_outputs: Vec<Axis<V>>,
    /// Objects that were on more than one cell in some state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<LocatedObject<V>>,
    /// Objects that were on at most one cell in every state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<LocatedObject<V>>,
    /// Objects on a line or graph that the rules do not treat as a row of cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<LocatedObject<V>>,
    /// For each argument, the terms that can occur there.
    pub domains: Vec<V::Domain>,
    /// The arguments that name roles, as the rules use them, from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub role_arguments: Vec<ArgumentPosition>,
    /// The argument with the value of a clock at the step in which a fact appeared, from 1; only for
    /// records of the past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<ArgumentPosition>,
    /// Evidence.
    pub evidence: Evidence<V>,
}

impl<V: Vocabulary> FluentFinding<V> {
    /// The objects on its cells, or with a place.
    pub fn objects(&self) -> impl Iterator<Item = &LocatedObject<V>> {
        self.markers.iter().chain(&self.pieces).chain(&self.contents)
    }
}

/// Which roles have a choice of moves at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    /// At most one role has a choice in any state.
    Alternating,
    /// Two or more roles had a choice in one state.
    Simultaneous,
    /// The game has one role.
    SinglePlayer,
}

/// The part of the instantiated rules that random play reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Fluents that held in some state seen.
    pub fluents_seen: usize,
    /// Fluents of the network.
    pub fluents: usize,
    /// Moves that were legal in some state seen, counted for each role.
    pub moves_seen: usize,
    /// Moves of the network.
    pub moves: usize,
}

/// The number of rules that applied in random play.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleCoverage {
    /// Rules whose body was true in some state, or with some joint move.
    pub applied: usize,
    /// Rules for moves, ends, goals and next states that depend on the state or on moves. A rule with a
    /// disjunction counts once for each alternative.
    pub rules: usize,
    /// Random playouts in which rules were evaluated one by one; they stop once every rule has applied.
    pub playouts: u64,
    /// States in them.
    pub states: u64,
    /// Rules that never applied, the first hundred.
    pub never: Vec<String>,
}

/// A finding of a detector that is not part of this library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CustomFinding", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct CustomFinding<V: Vocabulary = Ids> {
    /// The detector's name.
    pub detector: String,
    /// The finding, as a sentence or a name.
    pub text: String,
    /// The ground terms that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<V::Term>,
    /// Evidence.
    pub evidence: Evidence<V>,
}

/// All findings about a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Structures", bound = "V: TextVocabulary")]
#[serde(bound = "V: TextVocabulary")]
pub struct Structures<V: Vocabulary = Ids> {
    /// Successor relations, in the order of the rules.
    pub successors: Vec<Successor<V>>,
    /// Order relations.
    pub orders: Vec<Order<V>>,
    /// Chains of relations that are not successor relations.
    #[serde(default)]
    pub chains: Vec<OtherChain<V>>,
    /// Cycles, in which the first element follows the last one.
    #[serde(default)]
    pub cycles: Vec<OtherChain<V>>,
    /// Orders in which some elements can't be compared.
    #[serde(default)]
    pub partial_orders: Vec<PartialOrder<V>>,
    /// Fluents.
    pub fluents: Vec<FluentFinding<V>>,
    /// The players in groups with equal goal values in every terminal state seen; chance is not a player.
    pub teams: Vec<Vec<V::Role>>,
    /// Evidence for the teams.
    pub teams_evidence: Evidence<V>,
    /// Which roles have a choice of moves at the same time.
    pub turns: Turns,
    /// Evidence for the turns.
    pub turns_evidence: Evidence<V>,
    /// Whether the goal values of all roles, or one for each team, had the same sum in every terminal state seen; false
    /// for a single role.
    pub zero_sum: bool,
    /// Evidence for `zero_sum`.
    pub zero_sum_evidence: Evidence<V>,
    /// Moves that do nothing, by role; roles without such moves are left out.
    pub noops: BTreeMap<V::Role, Vec<V::Move>>,
    /// Evidence for the noops.
    pub noops_evidence: Evidence<V>,
    /// Findings of detectors that are not part of this library, in the order of the detectors; missing if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomFinding<V>>,
    /// The number of fluents and moves that random play saw, and the number that the instantiated rules allow; null if the rules are not instantiated.
    #[serde(default)]
    pub coverage: Option<Coverage>,
    /// The number of rules that applied in random play; null if it was not measured.
    #[serde(default)]
    pub rule_coverage: Option<RuleCoverage>,
}

impl Structures {
    /// The finding about a fluent.
    pub fn fluent(&self, fluent: FluentRelation) -> Option<&FluentFinding> {
        self.fluents.iter().find(|finding| finding.fluent == fluent)
    }

    /// The finding about a successor relation; none for other relations.
    pub fn successor(&self, relation: RelationId) -> Option<&Successor> {
        self.successors.iter().find(|successor| successor.relation == relation)
    }

    /// The elements of an order from first to last; none for a cycle.
    pub fn elements(&self, order: OrderedBy) -> Option<&[TermId]> {
        match order {
            OrderedBy::Cycle(_) => None,
            OrderedBy::Relation(relation) => Some(&self.successor(relation)?.elements),
            OrderedBy::Chain(index) => Some(&self.chains.get(index)?.elements),
        }
    }

    /// Whether the constant sum is that of the goal values of the teams, not of all roles.
    pub fn sum_is_of_teams(&self) -> bool {
        matches!(self.zero_sum_evidence.reason, Reason::ConstantTeamSum { .. })
    }

    /// The roles whose goal values have a constant sum, in a zero-sum game: all players, or the first role of each team.
    pub fn roles_of_sum(&self) -> Vec<usize> {
        let most = if self.sum_is_of_teams() { 1 } else { usize::MAX };
        let mut roles: Vec<usize> =
            self.teams.iter().flat_map(|team| team.iter().take(most).copied()).collect();
        roles.sort_unstable();
        roles
    }

    /// The team of a role.
    pub fn team_of(&self, role: usize) -> Option<&[usize]> {
        self.teams.iter().map(Vec::as_slice).find(|team| team.contains(&role))
    }
}

impl<V: Vocabulary> Structures<V> {
    /// Whether any game ended, so that goal values were seen.
    pub fn has_ends(&self) -> bool {
        self.teams_evidence.code.as_deref() != Some(NO_GAME_ENDED)
    }

    /// The evidence of all findings.
    pub fn all_evidence(&self) -> impl Iterator<Item = &Evidence<V>> {
        let relations = self.successors.iter().map(|finding| &finding.evidence);
        let relations = relations.chain(self.orders.iter().map(|finding| &finding.evidence));
        let relations = relations.chain(self.chains.iter().map(|finding| &finding.evidence));
        let relations = relations.chain(self.partial_orders.iter().map(|finding| &finding.evidence));
        let several = self.teams.iter().map(Vec::len).sum::<usize>() > 1;
        let of_goals = [&self.teams_evidence, &self.zero_sum_evidence].into_iter().filter(move |_| several);
        let noops = (!self.noops.is_empty()).then_some(&self.noops_evidence);
        let fluents = self.fluents.iter().map(|finding| &finding.evidence);
        let custom = self.custom.iter().map(|finding| &finding.evidence);
        relations.chain(fluents).chain([&self.turns_evidence]).chain(of_goals).chain(noops).chain(custom)
    }
}

display_as_in_documents!(ChainShape, FluentKind, Latch, Direction, Turns);
