//! Why a property holds, fails or is open: by code and numbers, with the sentence that documents print.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcomes::Source;
use super::statement::PropertyName;
use crate::catalog::{counted, grouped};
use crate::machine::Machine;

/// What a sentence is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What the sentence says, in kebab case.
    pub code: String,
    /// Its numbers by their names.
    #[serde(default)]
    pub numbers: BTreeMap<String, i64>,
    /// Where the document has these numbers, by the same names: `simulation.playouts`, or
    /// `simulation.roles[role=white].goals[value=100].count`. A key that leads to a list means its length.
    #[serde(default)]
    pub counts: BTreeMap<String, String>,
}

impl Record {
    /// A record of a code.
    pub fn new(code: &str) -> Record {
        Record { code: code.to_owned(), ..Record::default() }
    }

    /// The same with a number.
    #[must_use]
    pub fn number(mut self, name: &str, number: impl TryInto<i64>) -> Record {
        self.numbers.insert(name.to_owned(), number.try_into().unwrap_or(i64::MAX));
        self
    }

    /// The same with a number that the document has under a key.
    #[must_use]
    pub fn count(mut self, name: &str, number: impl TryInto<i64>, key: impl Into<String>) -> Record {
        self.counts.insert(name.to_owned(), key.into());
        self.number(name, number)
    }
}

/// Why no search says what roles can force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSearched {
    /// The network has more gates than a search is begun with.
    NetworkTooLarge {
        /// Gates of the network.
        gates: usize,
        /// Gates at most.
        limit: usize,
    },
    /// A step costs more than the search may take.
    StepTooExpensive,
    /// A state could not be evaluated.
    Failed,
    /// It was interrupted, or its time was over, before it began.
    Interrupted,
}

impl NotSearched {
    fn record(self) -> Record {
        match self {
            NotSearched::NetworkTooLarge { gates, limit } => {
                Record::new("not-searched-network-too-large").number("gates", gates).number("limit", limit)
            }
            NotSearched::StepTooExpensive => Record::new("not-searched-step-too-expensive"),
            NotSearched::Failed => Record::new("not-searched-state-failed"),
            NotSearched::Interrupted => Record::new("not-searched-interrupted"),
        }
    }

    fn sentence(self) -> String {
        match self {
            NotSearched::NetworkTooLarge { gates, limit } => format!(
                "not searched: the network has {} gates, and searches here take {} at most",
                grouped(gates as u64),
                grouped(limit as u64)
            ),
            NotSearched::StepTooExpensive => {
                "not searched: one step costs more than the search may take".to_owned()
            }
            NotSearched::Failed => "not searched: a state could not be evaluated".to_owned(),
            NotSearched::Interrupted => "not searched: the time was over".to_owned(),
        }
    }
}

/// What ended a search before it had proved its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The states that it may visit.
    Nodes,
    /// Its memory.
    Memory,
    /// The time.
    Time,
    /// The caller.
    Interrupted,
    /// The length of the game.
    Depth,
    /// Nothing: the values that it found do not decide it, as chance or moves at the same time do.
    Undecided,
}

impl SearchEnd {
    fn code(self) -> &'static str {
        match self {
            SearchEnd::Nodes => "search-nodes-used-up",
            SearchEnd::Memory => "search-memory-used-up",
            SearchEnd::Time => "search-time-over",
            SearchEnd::Interrupted => "search-interrupted",
            SearchEnd::Depth => "search-depth-reached",
            SearchEnd::Undecided => "search-undecided",
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            SearchEnd::Nodes => "reached its limit of states",
            SearchEnd::Memory => "used up its memory",
            SearchEnd::Time => "ran out of time",
            SearchEnd::Interrupted => "was interrupted",
            SearchEnd::Depth => "reached its greatest depth",
            SearchEnd::Undecided => "did not decide it",
        }
    }
}

/// Why nothing can be proved over a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProof {
    /// There is none.
    NoNetwork,
    /// It is too large.
    NetworkTooLarge,
}

/// Something that random play showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// A fault of a kind, by its name in documents.
    Fault(&'static str),
    /// A goal value.
    Goal(i32),
}

impl Sighting {
    /// The record of a number of games that showed it for a role.
    fn record(&self, role: &str, games: u64) -> Record {
        let (record, key) = match self {
            Sighting::Fault(kind) => {
                let key = format!("simulation.faults[kind={kind},role={role}].playouts");
                (Record::new("seen-in-play"), key)
            }
            Sighting::Goal(goal) => {
                let key = format!("simulation.roles[role={role}].goals[value={goal}].count");
                (Record::new("reaches-goal").number("goal", *goal), key)
            }
        };
        record.count("games", games, key)
    }

    fn phrase(&self) -> String {
        match self {
            Sighting::Fault(_) => "showed the opposite".to_owned(),
            Sighting::Goal(goal) => format!("ended with goal {goal}"),
        }
    }
}

/// Why a property holds, fails or is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing was looked at yet.
    Unknown,
    /// The witness comes to a state twice.
    StateReturns,
    /// After the witness the role has no legal move.
    NoLegalMove,
    /// After the witness the role has no goal value, or several.
    NoSingleGoal,
    /// The same, at an end.
    NoSingleGoalAtEnd,
    /// The role's goal value falls in the last step of the witness.
    GoalFalls,
    /// The witness ends with this goal value.
    ReachesGoal(i32),
    /// After the witness two roles have a choice.
    TwoChoose,
    /// After the witness a role has a choice out of turn.
    OutOfTurn,
    /// The goal values at the end of the witness have one sum, those of another game another one.
    SumsDiffer {
        /// The sum after the witness.
        sum: i64,
        /// The other one.
        other: i64,
    },
    /// Roles have different goal values at the end of the witness.
    GoalsDiffer,
    /// Random play showed it so often; no play is kept.
    Counted {
        /// What.
        what: Sighting,
        /// Games in which it was seen.
        games: u64,
    },
    /// The number of sampled states in which two roles had a choice; no play is kept.
    TwoChooseInPlay,
    /// Games of a stage ended with this goal value; no play is kept.
    ReachedBy {
        /// The goal value.
        goal: i32,
        /// The stage.
        by: Source,
        /// Games.
        games: u64,
    },
    /// The instantiated rules leave nothing else.
    Rules,
    /// By induction.
    Induction {
        /// Steps that it looks back.
        steps: u32,
        /// Lemmas that were proved with it.
        lemmas: usize,
    },
    /// All states that can be reached were listed, and it holds in all of them.
    EveryState {
        /// States.
        states: u64,
    },
    /// All goal values have this sum.
    Sum {
        /// The sum.
        sum: i64,
        /// Why no other one is reached, or how far that was looked at.
        by: Box<Reason>,
    },
    /// No end that can be reached gives 100.
    NoEndGives {
        /// Why.
        by: Box<Reason>,
    },
    /// The instantiated rules never give 100.
    NoRuleGives,
    /// The state counts the steps.
    StepCounter(Bound),
    /// Every step changes a fact that never changes back.
    OneDirection(Bound),
    /// A weighted sum of facts grows.
    SumGrows {
        /// The bound that follows.
        bound: Bound,
        /// Facts.
        facts: usize,
        /// Steps in which it grows.
        steps: usize,
    },
    /// All states that can be reached were listed, and so the longest game is known.
    LongestGame {
        /// Joint moves of the longest game.
        longest: u64,
        /// States.
        states: u64,
    },
    /// All states that can be reached were listed, and play can come back to one.
    ListedReturn {
        /// States.
        states: u64,
    },
    /// A role can force 100, by search.
    Forces {
        /// The role, counted from 0.
        role: usize,
        /// States that the search visited.
        nodes: u64,
    },
    /// No role can force 100, by search.
    NoRoleForces {
        /// States that the search visited.
        nodes: u64,
    },
    /// No role can get 100.
    NoRoleGets,
    /// Roles are proved to take turns.
    TakeTurns,
    /// A part of it fails.
    Lacks(PropertyName),
    /// A part of it is open.
    PartOpen(PropertyName),
    /// All four parts hold.
    AllParts,
    /// No random game refuted it.
    NotRefuted {
        /// Games.
        games: u64,
        /// Whether these are all random games, or those that came to an end.
        ended: bool,
        /// Why it can't be proved.
        without: Option<NoProof>,
    },
    /// No random game refuted it, of those that proofs look at state by state.
    NotRefutedByStates {
        /// Games.
        games: u64,
        /// States in them.
        states: u64,
        /// Why it can't be proved.
        without: Option<NoProof>,
    },
    /// No game of the run ended with 100.
    NoWinSeen {
        /// Random games.
        games: u64,
    },
    /// All ended with the same goal value for every role, so that nothing is known.
    OneOutcome {
        /// Random games that ended.
        games: u64,
    },
    /// No game of the run ended.
    NoGameEnded {
        /// Random games.
        games: u64,
    },
    /// What roles can force was not searched.
    NotSearched(NotSearched),
    /// A search for what roles can force ended early.
    SearchEnded {
        /// What ended it.
        by: SearchEnd,
        /// States that it visited.
        nodes: u64,
    },
    /// A search that sees all moves says that a role can force 100, but a player does not see them all.
    HiddenMoves,
}

/// A number of steps that no game exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The bound.
    pub steps: u64,
    /// Joint moves of the longest random game; none if there was no game.
    pub seen: Option<u64>,
}

impl Bound {
    /// Whether a game is as long as the bound.
    pub fn is_attained(self) -> bool {
        self.seen == Some(self.steps)
    }

    fn record(self, code: &str) -> Record {
        let record = Record::new(code).number("bound", self.steps);
        match self.seen {
            Some(seen) => record.count("longest", seen, "simulation.length.max"),
            None => record,
        }
    }

    fn sentence(self, why: &str) -> String {
        let steps = counted(self.steps, "step", "steps");
        match self.seen {
            Some(seen) if seen >= self.steps => format!("the longest games have {steps}: {why}"),
            Some(seen) => format!("bound: {steps}, as {why}; the longest random game has {}", grouped(seen)),
            None => format!("bound: {steps}, as {why}"),
        }
    }
}

/// What a reason is said of: the words that its keys name.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The property.
    pub name: PropertyName,
    /// The role as text; none for the game as a whole.
    pub role: Option<&'s str>,
    /// The role whose counts are meant: the only one for the game of one role as a whole.
    pub player: Option<&'s str>,
    /// Joint moves of the witness.
    pub steps: Option<usize>,
}

impl Subject<'_> {
    fn key(&self) -> String {
        let role = self.role.map_or(String::new(), |role| format!(",role={role}"));
        format!("properties[name={}{role}]", self.name)
    }

    fn player(&self) -> &str {
        self.player.unwrap_or_default()
    }

    fn shown(&self, code: &str) -> Record {
        match self.steps {
            Some(steps) => Record::new(code).count("steps", steps, format!("{}.witness", self.key())),
            None => Record::new(code),
        }
    }
}

impl Reason {
    /// The code, the numbers and the keys of the counts.
    pub fn record(&self, subject: &Subject<'_>) -> Record {
        let (role, shown) = (subject.player(), |code: &str| subject.shown(code));
        match self {
            Reason::Unknown => Record::new("unknown"),
            Reason::StateReturns => shown("state-returns"),
            Reason::NoLegalMove => shown("no-legal-move"),
            Reason::NoSingleGoal => shown("no-single-goal"),
            Reason::NoSingleGoalAtEnd => shown("no-single-goal-at-end"),
            Reason::GoalFalls => shown("goal-falls"),
            Reason::ReachesGoal(goal) => shown("reaches-goal").number("goal", *goal),
            Reason::TwoChoose => shown("two-choose"),
            Reason::OutOfTurn => shown("out-of-turn"),
            Reason::SumsDiffer { sum, other } => {
                shown("sums-differ").number("sum", *sum).number("other", *other)
            }
            Reason::GoalsDiffer => shown("goals-differ"),
            Reason::Counted { what, games } => what.record(role, *games),
            Reason::TwoChooseInPlay => Record::new("two-choose"),
            Reason::ReachedBy { goal, by, games } => {
                let key = format!("goals[role={role}].reached_by[value={goal},by={by}].games");
                Record::new("reaches-goal").number("goal", *goal).count("games", *games, key)
            }
            Reason::Rules => Record::new("rules"),
            Reason::Induction { steps, lemmas } => {
                Record::new("induction").number("k", *steps).count("lemmas", *lemmas, "proofs.lemmas")
            }
            Reason::EveryState { states } => {
                Record::new("every-state").count("states", *states, "proofs.listed_states")
            }
            Reason::Sum { sum, by } => by.record(subject).number("sum", *sum),
            Reason::NoEndGives { by } => {
                let record = by.record(subject).number("goal", 100);
                Record { code: format!("no-end-gives-goal-by-{}", record.code), ..record }
            }
            Reason::NoRuleGives => Record::new("no-rule-gives-goal").number("goal", 100),
            Reason::StepCounter(bound) => bound.record("step-counter"),
            Reason::OneDirection(bound) => bound.record("one-direction"),
            Reason::SumGrows { bound, facts, steps } => {
                bound.record("sum-grows").number("facts", *facts).number("steps", *steps)
            }
            Reason::LongestGame { longest, states } => Record::new("longest-game")
                .count("longest", *longest, format!("{}.longest", subject.key()))
                .count("states", *states, "proofs.listed_states"),
            Reason::ListedReturn { states } => {
                Record::new("state-returns").count("states", *states, "proofs.listed_states")
            }
            Reason::Forces { role, nodes } => {
                Record::new("forces-goal").number("role", *role).number("goal", 100).number("nodes", *nodes)
            }
            Reason::NoRoleForces { nodes } => {
                Record::new("no-role-forces-goal").number("goal", 100).number("nodes", *nodes)
            }
            Reason::NoRoleGets => Record::new("no-role-gets-goal").number("goal", 100),
            Reason::TakeTurns => Record::new("take-turns"),
            Reason::Lacks(part) => Record::new(&format!("lacks-{part}")),
            Reason::PartOpen(part) => Record::new(&format!("open-{part}")),
            Reason::AllParts => Record::new("all-parts"),
            Reason::NotRefuted { games, ended, .. } => {
                let key = if *ended { "simulation.terminal.count" } else { "simulation.playouts" };
                Record::new("not-refuted").count("games", *games, key)
            }
            Reason::NotRefutedByStates { games, states, .. } => Record::new("not-refuted")
                .count("games", *games, "proofs.games")
                .count("states", *states, "proofs.states"),
            Reason::NoWinSeen { games } => {
                Record::new("goal-not-seen").number("goal", 100).count("games", *games, "simulation.playouts")
            }
            Reason::OneOutcome { games } => {
                Record::new("one-outcome").count("games", *games, "simulation.terminal.count")
            }
            Reason::NoGameEnded { games } => {
                Record::new("no-game-ended").count("games", *games, "simulation.playouts")
            }
            Reason::NotSearched(why) => why.record(),
            Reason::SearchEnded { by, nodes } => Record::new(by.code()).number("nodes", *nodes),
            Reason::HiddenMoves => Record::new("hidden-moves"),
        }
    }

    /// The sentence.
    #[expect(clippy::too_many_lines, reason = "one arm for each reason")]
    pub fn sentence(&self, subject: &Subject<'_>, machine: &dyn Machine) -> String {
        let play = match subject.steps {
            Some(0) => "in the initial state".to_owned(),
            Some(steps) => format!("after a play of {}", counted(steps as u64, "step", "steps")),
            None => "in play".to_owned(),
        };
        let games = |count: u64| counted(count, "random game", "random games");
        let visited = |nodes: u64| counted(nodes, "state", "states");
        match self {
            Reason::Unknown => String::new(),
            Reason::StateReturns => format!("{play} a state comes a second time, so play can go on for ever"),
            Reason::NoLegalMove => format!("it has no legal move {play}"),
            Reason::NoSingleGoal => format!("it has no goal value, or several, {play}"),
            Reason::NoSingleGoalAtEnd => {
                let who = if subject.role.is_some() { "it" } else { "a role" };
                format!("the game ends {play}, and {who} has no goal value, or several")
            }
            Reason::GoalFalls => format!("its goal value falls in the last step of a play of {}", {
                counted(subject.steps.unwrap_or_default() as u64, "step", "steps")
            }),
            Reason::ReachesGoal(goal) => format!("it has goal {goal} {play}"),
            Reason::TwoChoose => format!("two roles have a choice {play}"),
            Reason::OutOfTurn => format!("a role has a choice out of turn {play}"),
            Reason::SumsDiffer { sum, other } => match subject.steps {
                Some(_) => format!("the sum is {sum} {play}, and {other} after others"),
                None => {
                    format!("the sum is {sum} at the end of some games, and {other} at the end of others")
                }
            },
            Reason::GoalsDiffer => match subject.steps {
                Some(_) => format!("roles have different goal values {play}"),
                None => "roles have different goal values at the end of some games".to_owned(),
            },
            Reason::Counted { what, games: count } => format!("{} {}", games(*count), what.phrase()),
            Reason::TwoChooseInPlay => "two roles have a choice in a state of random play".to_owned(),
            Reason::ReachedBy { goal, by, games } => by.sentence(*goal, *games),
            Reason::Rules => "the instantiated rules leave nothing else".to_owned(),
            Reason::Induction { steps, lemmas } => {
                let over = if *steps == 1 { "a step".to_owned() } else { format!("{steps} steps") };
                format!("by induction over {over}, with {}", counted(*lemmas as u64, "lemma", "lemmas"))
            }
            Reason::EveryState { states } => {
                format!("all states that can be reached were looked at: {}", grouped(*states))
            }
            Reason::Sum { sum, by } => format!("the sum is {sum}; {}", by.sentence(subject, machine)),
            Reason::NoEndGives { by } => {
                format!("no end that can be reached gives 100; {}", by.sentence(subject, machine))
            }
            Reason::NoRuleGives => "the instantiated rules never give 100".to_owned(),
            Reason::StepCounter(bound) => bound.sentence("the state counts the steps"),
            Reason::OneDirection(bound) => {
                bound.sentence("every step changes a fact that never changes back")
            }
            Reason::SumGrows { bound, facts, steps } => {
                let facts = counted(*facts as u64, "fact", "facts");
                let when = if *steps == 1 { "every step".to_owned() } else { format!("every {steps} steps") };
                bound.sentence(&format!("a weighted sum of {facts} grows in {when}"))
            }
            Reason::LongestGame { longest, states } => format!(
                "the longest game has {}; all {} that can be reached were looked at",
                counted(*longest, "step", "steps"),
                counted(*states, "state", "states")
            ),
            Reason::ListedReturn { .. } => "play can come back to a state, and so go on for ever".to_owned(),
            Reason::Forces { role, .. } => {
                let role = machine.term_text(machine.description().roles[*role]);
                format!("{role} can force 100, by search")
            }
            Reason::NoRoleForces { .. } => "no role can force 100, by search".to_owned(),
            Reason::NoRoleGets => "no role can get 100".to_owned(),
            Reason::TakeTurns => "the roles are proved to take turns".to_owned(),
            Reason::Lacks(part) => format!("it lacks {}", part.words()),
            Reason::PartOpen(part) => format!("{} is open", part.words()),
            Reason::AllParts => "it has all four properties".to_owned(),
            Reason::NotRefuted { games: count, ended, without } => {
                let ended = if *ended { " that ended" } else { "" };
                format!("none of {}{ended} refuted it{}", games(*count), without_proof(*without))
            }
            Reason::NotRefutedByStates { games: count, states, without } => format!(
                "none of {} with {} refuted it{}",
                games(*count),
                visited(*states),
                without_proof(*without)
            ),
            Reason::NoWinSeen { games: count } => format!("none of {} ended with 100", games(*count)),
            Reason::OneOutcome { games: count } => {
                format!("all {} ended with the same goal values", games(*count))
            }
            Reason::NoGameEnded { games: count } => {
                format!("no game ended ({} were played)", games(*count))
            }
            Reason::NotSearched(why) => why.sentence(),
            Reason::SearchEnded { by, nodes } => {
                format!("a search of {} {}", visited(*nodes), by.phrase())
            }
            Reason::HiddenMoves => {
                "a search with all moves in sight is won, but players do not see all moves".to_owned()
            }
        }
    }
}

fn without_proof(without: Option<NoProof>) -> &'static str {
    match without {
        None => "",
        Some(NoProof::NoNetwork) => "; without a network it can't be proved",
        Some(NoProof::NetworkTooLarge) => "; the network is too large for a proof",
    }
}
