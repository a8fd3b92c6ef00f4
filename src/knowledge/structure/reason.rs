//! What the evidence of a finding rests on, by the numbers and relations of the game; documents say it in a sentence.

use crate::catalog::{counted, plural};
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::Machine;

use super::argument::ArgumentPosition;
use super::constant::Constant;
use super::presence::Presence;
use super::uncompared::Uncompared;

/// The code of what is unknown as no game ended.
pub const NO_GAME_ENDED: &str = "no-game-ended";

/// What a finding rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// Nothing was looked at yet.
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
        /// Whether they stand in the rules; else rules derive them.
        ground: bool,
        /// The first element and the last one.
        ends: [TermId; 2],
    },
    /// The facts of a static relation, with some arguments as the rules ask for them, form one chain.
    Slice {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
    },
    /// The facts of a static relation form one chain, whose element at one end follows itself.
    Saturating {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Whether they are those with some arguments as the rules ask for them.
        slice: bool,
    },
    /// The facts of a static relation form cycles.
    Cycle {
        /// The relation.
        relation: RelationId,
        /// Number of facts.
        facts: usize,
        /// Whether they are those with some arguments as the rules ask for them.
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
    /// The facts of a static relation compare every two elements one way round.
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
    /// The facts of a static relation are the closure of a successor relation, or of one that branches at one end.
    Closure {
        /// The successor relation.
        base: RelationId,
        /// Number of facts of the closure.
        facts: usize,
        /// Whether they go in the direction of the successor relation.
        ascending: bool,
        /// Whether no element is related to itself; else every one is.
        strict: bool,
        /// The elements at one end that are not compared with each other.
        uncompared: Option<Uncompared>,
    },
    /// Roles choose only while an argument names them.
    NamesWhoMoves {
        /// The argument.
        argument: ArgumentPosition,
        /// States with a choice in which it named who chooses.
        covered: u64,
        /// States with a choice.
        with_choice: u64,
    },
    /// A value advances in every step.
    Advances {
        /// The relation by which it does.
        by: RelationId,
        /// Whether it is there from the first state on.
        from_start: bool,
    },
    /// There is a value from an ordered domain that depends on play.
    ValueOfPlay {
        /// When there is one.
        presence: Presence,
        /// For how many keys.
        keys: usize,
        /// The relation that orders the values.
        order: RelationId,
    },
    /// Which arguments of a fluent determine the others.
    Split {
        /// Which, and what it says of the fluent.
        split: SplitReason,
        /// The fewest facts in a state, the most, and those of all states together.
        facts: [usize; 3],
        /// Whether it ever changed.
        changes: bool,
    },
    /// A fluent without arguments holds or not.
    Flag {
        /// Whether no state or every state had it.
        constant: Option<Constant>,
        /// Whether terminal states alone had it.
        only_at_end: bool,
    },
    /// Moves that do nothing while others choose.
    Waiting,
    /// There is one role.
    OneRole,
    /// There is one player.
    OnePlayer,
    /// Several roles chose at the same time, or never did.
    ChoosersAtOnce {
        /// States in which several had several moves.
        simultaneous: u64,
        /// States looked at.
        states: u64,
    },
    /// All terminal states had the same goal values.
    OneOutcome {
        /// Terminal states.
        terminal: u64,
    },
    /// Roles had the same goal values, which varied.
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
    /// The sum of goal values varied.
    NoConstantSum {
        /// Terminal states.
        terminal: u64,
    },
    /// No playout ended, so that nothing is known of goal values.
    NoGameEnded {
        /// Playouts.
        playouts: u64,
    },
    /// The sum was the same in random play alone.
    OtherSumLater,
    /// Roles had the same goal values in random play alone.
    GoalsDifferLater,
}

/// Which arguments of a fluent determine the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitReason {
    /// No sampled state has a fact.
    NoFacts,
    /// No set of arguments does.
    None,
    /// No set of arguments was looked at: there is one argument, or there are too many.
    Unexamined,
    /// Each of these sets does, and nothing says which are the inputs.
    Keys(Vec<Vec<ArgumentPosition>>),
    /// Arguments name things, of which one moves about alone.
    Things(Vec<ArgumentPosition>),
    /// There is at most one fact.
    OneFact,
    /// Facts that agree on the first ones agree on the others.
    Determines {
        /// The first ones.
        inputs: Vec<ArgumentPosition>,
        /// The others.
        outputs: Vec<ArgumentPosition>,
        /// Whether terminal states are an exception.
        but_terminal: bool,
    },
}

impl Reason {
    /// A code for what is said of goal values at the end of games; none for other reasons.
    pub fn code(&self) -> Option<&'static str> {
        Some(match self {
            Reason::OneOutcome { .. } => "one-outcome",
            Reason::SameGoals { .. } => "same-goals",
            Reason::ConstantSum { .. } => "constant-sum",
            Reason::NoConstantSum { .. } => "no-constant-sum",
            Reason::NoGameEnded { .. } => NO_GAME_ENDED,
            Reason::OtherSumLater => "other-sum-later",
            Reason::GoalsDifferLater => "goals-differ-later",
            _ => return None,
        })
    }

    /// The sentence, with relations as `name/arity`; empty where nothing is known.
    #[expect(clippy::too_many_lines, reason = "one arm for each reason")]
    pub fn sentence(&self, machine: &dyn Machine) -> String {
        let name = |relation: &RelationId| machine.description().signature(*relation);
        match self {
            Reason::Unknown => String::new(),
            Reason::Custom(sentence) => sentence.clone(),
            Reason::OneChain { relation, facts, ground, ends: [first, last] } => format!(
                "the {facts} {} of {} join into one path from {} to {}",
                if *ground { "ground facts" } else { "derived facts" },
                name(relation),
                machine.term_text(*first),
                machine.term_text(*last)
            ),
            Reason::Slice { relation, facts } => {
                format!("the {facts} facts of {} with these arguments join into one path", name(relation))
            }
            Reason::Saturating { relation, facts, slice } => format!(
                "the {facts} facts of {}{} join into one path with an end that follows itself",
                name(relation),
                if *slice { " with these arguments" } else { "" }
            ),
            Reason::Cycle { relation, facts, slice, cycles } => format!(
                "the {facts} facts of {}{} join into {}",
                name(relation),
                if *slice { " with these arguments" } else { "" },
                match cycles {
                    1 => "one cycle".to_owned(),
                    _ => format!("{cycles} cycles; this is one of them"),
                }
            ),
            Reason::OneOfPaths { relation, facts, paths } => {
                format!(
                    "the {facts} facts of {} join into {paths} paths; this is one of them",
                    name(relation)
                )
            }
            Reason::TotalOrder { relation, facts, elements } => format!(
                "the {facts} facts of {} compare every two of {elements} elements one way round",
                name(relation)
            ),
            Reason::PartialOrder { relation, facts, elements } => format!(
                "the {facts} facts of {} are antisymmetric and transitive over {elements} elements",
                name(relation)
            ),
            Reason::Closure { base, facts, ascending, strict, uncompared } => format!(
                "its {facts} facts relate every two of its elements one way round{}, {} {}, {}",
                uncompared.map(|found| format!(" but the {}", found.sentence())).unwrap_or_default(),
                if *ascending { "along" } else { "against" },
                name(base),
                if *strict { "and none to itself" } else { "and each to itself" },
            ),
            Reason::NamesWhoMoves { argument, covered, with_choice } => format!(
                "roles have several legal moves only while argument {argument} names them, in {covered} of \
                 {with_choice} {} with a choice",
                plural(*with_choice, "state", "states")
            ),
            Reason::Advances { by, from_start } => format!(
                "it has one value {}, and the next one by {} in every step",
                if *from_start { "in every state" } else { "in every state from some step on" },
                name(by)
            ),
            Reason::ValueOfPlay { presence, keys, order } => {
                let when = match presence {
                    Presence::FromStart => "one value at a time",
                    Presence::Sometimes => "at most one value at a time",
                    Presence::AtEnd => "one value at most, in terminal states alone,",
                };
                let keys = if *keys == 1 { String::new() } else { format!(" for each of {keys} keys") };
                format!(
                    "{when}{keys}, ordered by {}, different between playouts at the same step",
                    name(order)
                )
            }
            Reason::Split { split, facts, changes } => split.sentence(*facts, *changes),
            Reason::Flag { constant, only_at_end } => match (constant, only_at_end) {
                (Some(Constant::Never), _) => "no sampled state has it",
                (Some(Constant::Always), _) => "every sampled state has it",
                (None, true) => "terminal states alone have it",
                (None, false) => "some sampled states have it, others do not",
            }
            .to_owned(),
            Reason::Waiting => {
                "moves that were a role's only legal one while others chose, and that are never one of \
                                several or have no effect of their own"
                    .to_owned()
            }
            Reason::OneRole => "there is one role".to_owned(),
            Reason::OnePlayer => "there is one player".to_owned(),
            Reason::ChoosersAtOnce { simultaneous, states } => format!(
                "in {} {states} {} two {}roles had several legal moves",
                if *simultaneous == 0 { "none of".to_owned() } else { format!("{simultaneous} of") },
                plural(*states, "state", "states"),
                if *simultaneous == 0 { "" } else { "or more " },
            ),
            Reason::OneOutcome { terminal } => {
                format!("{} had the same goal values, so nothing is known", all_terminal(*terminal))
            }
            Reason::SameGoals { terminal, outcomes } => {
                let different = match outcomes {
                    1 => "one outcome".to_owned(),
                    _ => format!("{outcomes} different outcomes"),
                };
                let seen = all_terminal(*terminal);
                format!("roles whose goal values were the same in {seen}, which had {different}")
            }
            Reason::ConstantSum { sum, terminal } => {
                format!("the goal values had the sum {sum} in {}", all_terminal(*terminal))
            }
            Reason::NoConstantSum { terminal } => format!(
                "the goal values had no constant sum in {}",
                all_terminal(*terminal).trim_start_matches("all ")
            ),
            Reason::NoGameEnded { playouts } => {
                format!("none of {} ended", counted(*playouts, "random game", "random games"))
            }
            Reason::OtherSumLater => {
                "the sum was constant in random play, and another one in games of a later stage".to_owned()
            }
            Reason::GoalsDifferLater => {
                "goal values that were the same in random play differ in games of a later stage".to_owned()
            }
        }
    }
}

impl SplitReason {
    fn sentence(&self, [fewest, most, all]: [usize; 3], changes: bool) -> String {
        let list = |positions: &[ArgumentPosition]| {
            positions.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ")
        };
        let at_a_time = match (fewest, most) {
            (1, 1) => "1 fact".to_owned(),
            _ if fewest == most => format!("{most} facts"),
            _ => format!("{fewest} to {most} facts"),
        };
        let facts = format!("{at_a_time} at a time, {all} in all");
        let constant = if changes { "" } else { "; never changes" };
        match self {
            SplitReason::NoFacts => "no sampled state has a fact of it".to_owned(),
            SplitReason::None => format!("no set of arguments determines the others; {facts}{constant}"),
            SplitReason::Unexamined => format!("{facts}{constant}"),
            SplitReason::Keys(keys) => format!("{}; {facts}{constant}", determining(keys)),
            SplitReason::Things(inputs) => {
                format!("argument {} names things, of which one moves about alone; {facts}", list(inputs))
            }
            SplitReason::OneFact => format!("at most one fact at a time; {facts}{constant}"),
            SplitReason::Determines { inputs, outputs, but_terminal } => format!(
                "no sampled state{} has two facts that agree on {} and differ on {}; {facts}{constant}",
                if *but_terminal { " but terminal ones" } else { "" },
                list(inputs),
                list(outputs)
            ),
        }
    }
}

/// The sets of arguments that determine the others, the first of them by name.
fn determining(keys: &[Vec<ArgumentPosition>]) -> String {
    /// Sets that are named.
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

/// The states that goal values were seen in.
fn all_terminal(number: u64) -> String {
    match number {
        1 => "the one terminal state seen".to_owned(),
        _ => format!("all {number} terminal states seen"),
    }
}
