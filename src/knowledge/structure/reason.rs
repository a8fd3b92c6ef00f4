//! Reasons for findings, by the numbers and relations of the game; documents contain them as sentences.

use crate::catalog::{counted, grouped, plural};
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::Machine;

use super::argument::ArgumentPosition;
use super::constant::Constant;
use super::presence::Presence;
use super::uncompared::Uncompared;

/// The code for teams and sums that are unknown because no game ended.
pub const NO_GAME_ENDED: &str = "no-game-ended";

/// The reason for a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// No detector has run yet.
    #[default]
    Unknown,
    /// The sentence of a detector that is not part of this library.
    Custom(String),
    /// The facts of a static relation form one chain.
    OneChain {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Whether they are written in the rules; otherwise rules derive them.
        ground: bool,
        /// The first element and the last one.
        ends: [TermId; 2],
    },
    /// The facts of a static relation that match a use with fixed arguments form one chain.
    Slice {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
    },
    /// The facts of a static relation form one chain, and the element at one end follows itself.
    Saturating {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Whether these are only the facts that match a use with fixed arguments.
        slice: bool,
    },
    /// The facts of a static relation form cycles.
    Cycle {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Whether these are only the facts that match a use with fixed arguments.
        slice: bool,
        /// Number of cycles.
        cycles: usize,
    },
    /// The facts of a static relation form several chains.
    OneOfPaths {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Number of chains.
        paths: usize,
    },
    /// The facts of a static relation compare every two elements in one direction.
    TotalOrder {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Number of elements.
        elements: usize,
    },
    /// The facts of a static relation are antisymmetric and transitive.
    PartialOrder {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Number of elements.
        elements: usize,
    },
    /// The facts of a static relation are the closure of a successor relation, or of a relation that
    /// branches at one end.
    Closure {
        /// The successor relation.
        base: RelationId,
        /// Number of facts of the closure.
        facts: usize,
        /// Whether they follow the direction of the successor relation.
        ascending: bool,
        /// Whether no element is related to itself; otherwise every element is.
        strict: bool,
        /// The elements at one end that can't be compared with each other.
        uncompared: Option<Uncompared>,
    },
    /// Roles have a choice only while an argument names them.
    NamesWhoMoves {
        /// The argument.
        argument: ArgumentPosition,
        /// States with a choice in which it named the choosing role.
        covered: u64,
        /// States with a choice.
        with_choice: u64,
    },
    /// A value advances in every step.
    Advances {
        /// The relation by which it advances.
        by: RelationId,
        /// Whether it has a value from the first state on.
        from_start: bool,
    },
    /// The fluent has a value from an ordered domain that depends on play.
    ValueOfPlay {
        /// The times at which it has a value.
        presence: Presence,
        /// Number of keys.
        keys: usize,
        /// The relation that orders the values.
        order: RelationId,
    },
    /// The arguments of a fluent that determine the others.
    Split {
        /// The split of the arguments.
        split: SplitReason,
        /// The fewest facts in a state, the most, and the number of different facts in all states.
        facts: [usize; 3],
        /// Whether the facts ever changed.
        changes: bool,
    },
    /// A fluent without arguments.
    Flag {
        /// Whether it held in no state or in every state.
        constant: Option<Constant>,
        /// Whether it held only in terminal states.
        only_at_end: bool,
    },
    /// Moves that do nothing while another role has a choice.
    Waiting,
    /// The game has one role.
    OneRole,
    /// The game has one player.
    OnePlayer,
    /// Whether several roles had a choice at the same time.
    ChoosersAtOnce {
        /// States in which two or more roles had several legal moves.
        simultaneous: u64,
        /// Number of states.
        states: u64,
    },
    /// All terminal states had the same goal values.
    OneOutcome {
        /// Terminal states.
        terminal: u64,
    },
    /// The roles of each team had the same goal values, which varied.
    SameGoals {
        /// Terminal states.
        terminal: u64,
        /// Different goal values, of all roles together.
        outcomes: usize,
    },
    /// The sum of goal values was the same in all terminal states.
    ConstantSum {
        /// The sum.
        sum: i64,
        /// Terminal states.
        terminal: u64,
    },
    /// The sum of goal values, one for each team, was the same in all terminal states; that of all roles was not.
    ConstantTeamSum {
        /// The sum.
        sum: i64,
        /// Terminal states.
        terminal: u64,
    },
    /// The sum of goal values varied.
    NoConstantSum {
        /// Terminal states.
        terminal: u64,
    },
    /// No playout ended, so goal values are unknown.
    NoGameEnded {
        /// Playouts.
        playouts: u64,
    },
    /// The sum was constant in random play, but not in a later stage.
    OtherSumLater,
    /// Roles had the same goal values in random play, but not in a later stage.
    GoalsDifferLater,
}

/// The arguments of a fluent that determine the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitReason {
    /// No sampled state has a fact.
    NoFacts,
    /// No set of arguments determines the others.
    None,
    /// No set of arguments was tested: there is one argument, or there are too many.
    Unexamined,
    /// Each of these sets determines the others, and nothing decides which are the inputs.
    Keys(Vec<Vec<ArgumentPosition>>),
    /// Arguments name objects; one object moves, and is on one cell at a time.
    Objects(Vec<ArgumentPosition>),
    /// There is at most one fact.
    OneFact,
    /// Facts that agree on the first ones agree on the others.
    Determines {
        /// The arguments that determine the others.
        inputs: Vec<ArgumentPosition>,
        /// The arguments that are determined.
        outputs: Vec<ArgumentPosition>,
        /// Whether terminal states are an exception.
        but_terminal: bool,
    },
}

impl Reason {
    /// The code of a reason about goal values at the end of games; none for other reasons.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Reason::OneOutcome { .. } => Some("one-outcome"),
            Reason::SameGoals { .. } => Some("same-goals"),
            Reason::ConstantSum { .. } => Some("constant-sum"),
            Reason::ConstantTeamSum { .. } => Some("constant-team-sum"),
            Reason::NoConstantSum { .. } => Some("no-constant-sum"),
            Reason::NoGameEnded { .. } => Some(NO_GAME_ENDED),
            Reason::OtherSumLater => Some("other-sum-later"),
            Reason::GoalsDifferLater => Some("goals-differ-later"),
            Reason::Unknown
            | Reason::Custom(_)
            | Reason::OneChain { .. }
            | Reason::Slice { .. }
            | Reason::Saturating { .. }
            | Reason::Cycle { .. }
            | Reason::OneOfPaths { .. }
            | Reason::TotalOrder { .. }
            | Reason::PartialOrder { .. }
            | Reason::Closure { .. }
            | Reason::NamesWhoMoves { .. }
            | Reason::Advances { .. }
            | Reason::ValueOfPlay { .. }
            | Reason::Split { .. }
            | Reason::Flag { .. }
            | Reason::Waiting
            | Reason::OneRole
            | Reason::OnePlayer
            | Reason::ChoosersAtOnce { .. } => None,
        }
    }

    /// The sentence, with relations as `name/arity`; empty if unknown.
    #[expect(clippy::too_many_lines, reason = "one arm for each reason")]
    pub fn sentence(&self, machine: &dyn Machine) -> String {
        let name = |relation: &RelationId| machine.description().signature(*relation);
        match self {
            Reason::Unknown => String::new(),
            Reason::Custom(sentence) => sentence.clone(),
            Reason::OneChain { relation, facts, ground, ends: [first, last] } => format!(
                "the {} facts of {}{} form one chain from {} to {}",
                grouped(*facts as u64),
                name(relation),
                if *ground { "" } else { " that rules derive" },
                machine.term_text(*first),
                machine.term_text(*last)
            ),
            Reason::Slice { relation, facts } => {
                format!(
                    "the {} facts of {} with these arguments form one chain",
                    grouped(*facts as u64),
                    name(relation)
                )
            }
            Reason::Saturating { relation, facts, slice } => format!(
                "the {} facts of {}{} form one chain, and the element at one end follows itself",
                grouped(*facts as u64),
                name(relation),
                if *slice { " with these arguments" } else { "" }
            ),
            Reason::Cycle { relation, facts, slice, cycles } => format!(
                "the {} facts of {}{} form {}",
                grouped(*facts as u64),
                name(relation),
                if *slice { " with these arguments" } else { "" },
                match cycles {
                    1 => "one cycle".to_owned(),
                    _ => format!("{cycles} cycles; this is one of them"),
                }
            ),
            Reason::OneOfPaths { relation, facts, paths } => {
                format!(
                    "the {} facts of {} form {paths} chains; this is one of them",
                    grouped(*facts as u64),
                    name(relation)
                )
            }
            Reason::TotalOrder { relation, facts, elements } => format!(
                "the {} facts of {} compare every two of {elements} elements in one direction",
                grouped(*facts as u64),
                name(relation)
            ),
            Reason::PartialOrder { relation, facts, elements } => format!(
                "the {} facts of {} are antisymmetric and transitive over {elements} elements",
                grouped(*facts as u64),
                name(relation)
            ),
            Reason::Closure { base, facts, ascending, strict, uncompared } => format!(
                "its {} facts compare every two elements{}, {} the direction of {}; {}",
                grouped(*facts as u64),
                uncompared
                    .map(|uncompared| format!(" except the {}", uncompared.sentence()))
                    .unwrap_or_default(),
                if *ascending { "in" } else { "against" },
                name(base),
                if *strict { "no element is related to itself" } else { "each element is related to itself" },
            ),
            Reason::NamesWhoMoves { argument, covered, with_choice } => format!(
                "roles have several legal moves only while argument {argument} names them; it did in {} of {} \
                 {} with a choice",
                grouped(*covered),
                grouped(*with_choice),
                plural(*with_choice, "state", "states")
            ),
            Reason::Advances { by, from_start } => format!(
                "it has one value in every state{}, and advances by {} in every step",
                if *from_start { "" } else { " from some step on" },
                name(by)
            ),
            Reason::ValueOfPlay { presence, keys, order } => {
                let when = match presence {
                    Presence::FromStart => "it has one value at a time",
                    Presence::Sometimes => "it has at most one value at a time",
                    Presence::AtEnd => "it has at most one value, only in terminal states,",
                };
                let keys = if *keys == 1 { String::new() } else { format!(" for each of {keys} keys") };
                let order = name(order);
                format!(
                    "{when}{keys}; {order} orders the values, which differ between games at the same step"
                )
            }
            Reason::Split { split, facts, changes } => split.sentence(*facts, *changes),
            Reason::Flag { constant, only_at_end } => match (constant, only_at_end) {
                (Some(Constant::Never), _) => "it holds in no sampled state",
                (Some(Constant::Always), _) => "it holds in every sampled state",
                (None, true) => "it holds only in terminal states",
                (None, false) => "it holds in some sampled states, but not in all",
            }
            .to_owned(),
            Reason::Waiting => {
                "each was the only legal move of a role while another role had a choice; it is \
                                never one of several moves, or it has no effect"
                    .to_owned()
            }
            Reason::OneRole => "the game has one role".to_owned(),
            Reason::OnePlayer => "the game has one player".to_owned(),
            Reason::ChoosersAtOnce { simultaneous: 0, states } => {
                let states = counted(*states, "sampled state", "sampled states");
                format!("at most one role had several legal moves in each of {states}")
            }
            Reason::ChoosersAtOnce { simultaneous, states } => format!(
                "two or more roles had several legal moves in {} of {}",
                grouped(*simultaneous),
                counted(*states, "sampled state", "sampled states")
            ),
            Reason::OneOutcome { terminal } => {
                format!("{} had the same goal values, so the teams are unknown", all_terminal(*terminal))
            }
            Reason::SameGoals { terminal, outcomes } => {
                let different = match outcomes {
                    1 => "one outcome".to_owned(),
                    _ => format!("{outcomes} different outcomes"),
                };
                let seen = all_terminal(*terminal);
                format!("roles belong to one team if their goal values were equal in {seen} ({different})")
            }
            Reason::ConstantSum { sum, terminal } => {
                format!("the sum of the goal values was {sum} in {}", all_terminal(*terminal))
            }
            Reason::ConstantTeamSum { sum, terminal } => {
                format!(
                    "the sum of the goal values, one for each team, was {sum} in {}",
                    all_terminal(*terminal)
                )
            }
            Reason::NoConstantSum { terminal } => format!(
                "the goal values had no constant sum in {}",
                all_terminal(*terminal).trim_start_matches("all ")
            ),
            Reason::NoGameEnded { playouts } => {
                format!("none of {} ended", counted(*playouts, "random game", "random games"))
            }
            Reason::OtherSumLater => {
                "the sum was constant in random play, but a game of a later stage had another sum".to_owned()
            }
            Reason::GoalsDifferLater => {
                "goal values that were equal in random play differed in a game of a later stage".to_owned()
            }
        }
    }
}

impl SplitReason {
    fn sentence(&self, [fewest, most, all]: [usize; 3], changes: bool) -> String {
        let list = |positions: &[ArgumentPosition]| {
            positions.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
        };
        let named = |positions: &[ArgumentPosition]| {
            format!("{} {}", plural(positions.len() as u64, "argument", "arguments"), list(positions))
        };
        let each = match (fewest, most) {
            (1, 1) => "each state has 1 fact".to_owned(),
            _ if fewest == most => format!("each state has {most} facts"),
            _ => format!("each state has {fewest} to {most} facts"),
        };
        let facts = if changes {
            format!("{each}, {} in all", counted(all as u64, "different fact", "different facts"))
        } else {
            format!("{each}, the same in all sampled states")
        };
        match self {
            SplitReason::NoFacts => "no sampled state has a fact of it".to_owned(),
            SplitReason::None => format!("no set of arguments determines the others; {facts}"),
            SplitReason::Unexamined => facts,
            SplitReason::Keys(keys) => format!("{}; {facts}", determining(keys)),
            SplitReason::Objects(inputs) => format!(
                "argument {} names objects, and one of them is on one cell at a time and moves; {facts}",
                list(inputs)
            ),
            SplitReason::OneFact => format!("no sampled state has two facts; {facts}"),
            SplitReason::Determines { inputs, outputs, but_terminal } => format!(
                "no sampled state{} has two facts that agree on {} and differ on {}; {facts}",
                if *but_terminal { " except terminal ones" } else { "" },
                named(inputs),
                named(outputs)
            ),
        }
    }
}

/// The sets of arguments that determine the others; the first ones are listed.
fn determining(keys: &[Vec<ArgumentPosition>]) -> String {
    /// Most sets that are listed.
    const NAMED: usize = 6;
    let set = |key: &Vec<ArgumentPosition>| {
        let numbers: Vec<String> = key.iter().map(ToString::to_string).collect();
        format!("{{{}}}", numbers.join(", "))
    };
    let named = keys.iter().take(NAMED).map(set).collect::<Vec<_>>().join(", ");
    match keys.len() {
        1 => format!("the set of arguments {named} determines the others"),
        count if count > NAMED => {
            format!("each of {count} sets of arguments determines the others, among them {named}")
        }
        _ => format!("each of these sets of arguments determines the others: {named}"),
    }
}

/// The number of terminal states seen, in words.
fn all_terminal(number: u64) -> String {
    match number {
        1 => "the one terminal state seen".to_owned(),
        _ => format!("all {} terminal states seen", grouped(number)),
    }
}
