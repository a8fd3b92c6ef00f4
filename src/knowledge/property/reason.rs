//! Reasons why a property holds, fails or is open: a code, numbers, and the sentence in documents.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcomes::Source;
use super::property_name::PropertyName;
use crate::catalog::{counted, grouped};
use crate::machine::Machine;

/// The data of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The code of the statement, in kebab case.
    pub code: String,
    /// Numbers by name.
    #[serde(default)]
    pub numbers: BTreeMap<String, i64>,
    /// The keys of these numbers in the document, by the same names: `simulation.playouts`, or
    /// `simulation.roles[role=white].goals[value=100].count`. For a key of a list, the number is its
    /// length.
    #[serde(default)]
    pub counts: BTreeMap<String, String>,
}

impl Record {
    /// A record with a code only.
    pub fn new(code: &str) -> Record {
        Record { code: code.to_owned(), ..Record::default() }
    }

    /// Adds a number.
    #[must_use]
    pub fn number(mut self, name: &str, number: impl TryInto<i64>) -> Record {
        self.numbers.insert(name.to_owned(), number.try_into().unwrap_or(i64::MAX));
        self
    }

    /// Adds a number that the document has under a key.
    #[must_use]
    pub fn count(mut self, name: &str, number: impl TryInto<i64>, key: impl Into<String>) -> Record {
        self.counts.insert(name.to_owned(), key.into());
        self.number(name, number)
    }
}

/// Why there was no search for the goal values that roles can force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSearched {
    /// The network has too many gates.
    NetworkTooLarge {
        /// Gates of the network.
        gates: usize,
        /// Most gates for a search.
        limit: usize,
    },
    /// A step costs more than the limit of the search.
    StepTooExpensive,
    /// A state could not be evaluated.
    Failed,
    /// The search was interrupted, or out of time, before it began.
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
                "not searched: the network has {} gates, more than the limit of {}",
                grouped(gates as u64),
                grouped(limit as u64)
            ),
            NotSearched::StepTooExpensive => {
                "not searched: one step costs more than the limit of the search".to_owned()
            }
            NotSearched::Failed => "not searched: a state could not be evaluated".to_owned(),
            NotSearched::Interrupted => "not searched: the time was over".to_owned(),
        }
    }
}

/// The limit that ended a search before it proved its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The limit of states, or of their successors.
    Nodes,
    /// The limit of memory, or of the joint moves of a state.
    Memory,
    /// The limit of time.
    Time,
    /// The caller.
    Interrupted,
    /// The limit of depth.
    Depth,
    /// No limit: the values do not decide the question, because of chance or simultaneous moves.
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
            SearchEnd::Nodes => "reached its limit of states or of their successors",
            SearchEnd::Memory => "reached its limit of memory or of joint moves",
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
    /// The game has no network.
    NoNetwork,
    /// The network is too large.
    NetworkTooLarge,
}

/// An observation in random play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// A fault of a kind, by its name in documents.
    Fault(&'static str),
    /// A goal value.
    Goal(i32),
}

impl Sighting {
    /// The record for a number of games with this observation for a role.
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
    /// The property has not been decided yet.
    Unknown,
    /// The witness visits a state twice.
    StateReturns,
    /// After the witness the role has no legal move.
    NoLegalMove,
    /// After the witness the role does not have exactly one goal value.
    NoSingleGoal,
    /// The same at an end of the game.
    NoSingleGoalAtEnd,
    /// The role's goal value falls in the last step of the witness.
    GoalFalls,
    /// The witness ends with this goal value.
    ReachesGoal(i32),
    /// After the witness two roles have a choice.
    TwoChoose,
    /// After the witness a role has a choice out of turn.
    OutOfTurn,
    /// The sum of the goal values differs between the witness and another game.
    SumsDiffer {
        /// The sum after the witness.
        sum: i64,
        /// The other one.
        other: i64,
    },
    /// Roles have different goal values at the end of the witness.
    GoalsDiffer,
    /// Random play counted it; there is no witness.
    Counted {
        /// The observation.
        what: Sighting,
        /// Games in which it was seen.
        games: u64,
    },
    /// Two roles had a choice in sampled states; there is no witness.
    TwoChooseInPlay,
    /// Games of a stage ended with this goal value; there is no witness.
    ReachedBy {
        /// The goal value.
        goal: i32,
        /// The stage.
        by: Source,
        /// Games.
        games: u64,
    },
    /// It follows from the instantiated rules alone.
    Rules,
    /// Proved by induction.
    Induction {
        /// Number of steps that it looks back.
        steps: u32,
        /// Number of lemmas that the proof may use.
        lemmas: usize,
    },
    /// All reachable states were listed, and it holds in all of them.
    EveryState {
        /// States.
        states: u64,
    },
    /// The goal values of every end have this sum.
    Sum {
        /// The sum.
        sum: i64,
        /// The reason, or the extent of the check.
        by: Box<Reason>,
    },
    /// No reachable end gives 100.
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
        /// Number of steps in which it grows at least once.
        steps: usize,
    },
    /// All reachable states were listed, so the longest game is known.
    LongestGame {
        /// Joint moves of the longest game.
        longest: u64,
        /// States.
        states: u64,
    },
    /// All reachable states were listed, and a state can repeat.
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
    /// Roles provably take turns.
    TakeTurns,
    /// One of its parts fails.
    Lacks(PropertyName),
    /// One of its parts is open.
    PartOpen(PropertyName),
    /// All four parts hold.
    AllParts,
    /// No random game refuted it.
    NotRefuted {
        /// Games.
        games: u64,
        /// Whether only games that ended count.
        ended: bool,
        /// The reason why it can't be proved.
        without: Option<NoProof>,
    },
    /// No state of the random games that proofs use refuted it.
    NotRefutedByStates {
        /// Games.
        games: u64,
        /// States in them.
        states: u64,
        /// The reason why it can't be proved.
        without: Option<NoProof>,
    },
    /// No game of the run ended with 100.
    NoWinSeen {
        /// Random games.
        games: u64,
    },
    /// All games ended with the same goal values, so they show nothing.
    OneOutcome {
        /// Random games that ended.
        games: u64,
    },
    /// No game of the run ended.
    NoGameEnded {
        /// Random games.
        games: u64,
    },
    /// There was no search for the goal values that roles can force.
    NotSearched(NotSearched),
    /// A search for the goal values that roles can force ended early.
    SearchEnded {
        /// The limit that ended it.
        by: SearchEnd,
        /// States that the search visited.
        nodes: u64,
    },
    /// A search that sees all moves found that a role can force 100, but players do not see all moves.
    HiddenMoves,
}

/// An upper bound on the steps of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The bound.
    pub steps: u64,
    /// Joint moves of the longest random game; none without games.
    pub seen: Option<u64>,
}

impl Bound {
    /// Whether some game reached the bound.
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
            Some(seen) if seen >= self.steps => format!("the longest games have {steps}, because {why}"),
            Some(seen) => {
                format!("at most {steps}, because {why}; the longest random game has {}", grouped(seen))
            }
            None => format!("at most {steps}, because {why}"),
        }
    }
}

/// The subject of a reason: the words in the keys of its counts.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The property.
    pub name: PropertyName,
    /// The role as text; none for the game as a whole.
    pub role: Option<&'s str>,
    /// The role whose counts are used; for the whole game only if it has one role.
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

    /// The sentence, without a capital letter and a full stop.
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
            Reason::StateReturns => format!("a state repeats {play}, so play can go on for ever"),
            Reason::NoLegalMove => format!("it has no legal move {play}"),
            Reason::NoSingleGoal => format!("it does not have exactly one goal value {play}"),
            Reason::NoSingleGoalAtEnd => {
                let who = if subject.role.is_some() { "it" } else { "a role" };
                format!("the game ends {play}, and {who} does not have exactly one goal value")
            }
            Reason::GoalFalls => format!("its goal value falls in the last step of a play of {}", {
                counted(subject.steps.unwrap_or_default() as u64, "step", "steps")
            }),
            Reason::ReachesGoal(goal) => format!("it reaches goal {goal} {play}"),
            Reason::TwoChoose => format!("two roles have a choice {play}"),
            Reason::OutOfTurn => format!("a role has a choice out of turn {play}"),
            Reason::SumsDiffer { sum, other } => match subject.steps {
                Some(_) => format!("the sum is {sum} {play}, and {other} at the end of other games"),
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
            Reason::Rules => "it follows from the instantiated rules".to_owned(),
            Reason::Induction { steps, lemmas } => {
                let over = if *steps == 1 { String::new() } else { format!(" over {steps} steps") };
                let lemmas = counted(*lemmas as u64, "lemma", "lemmas");
                format!("it holds in every reachable state (induction{over}, {lemmas})")
            }
            Reason::EveryState { states } => {
                format!("it was checked in all {}", counted(*states, "reachable state", "reachable states"))
            }
            Reason::Sum { sum, by } => format!("the sum is {sum}; {}", by.sentence(subject, machine)),
            Reason::NoEndGives { by } => {
                format!("no reachable end gives 100; {}", by.sentence(subject, machine))
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
                "the longest game has {}; all {} were checked",
                counted(*longest, "step", "steps"),
                counted(*states, "reachable state", "reachable states")
            ),
            Reason::ListedReturn { .. } => "a state can repeat, so play can go on for ever".to_owned(),
            Reason::Forces { role, .. } => {
                let role = machine.term_text(machine.description().roles[*role]);
                format!("a search proved that {role} can force 100")
            }
            Reason::NoRoleForces { .. } => "a search proved that no role can force 100".to_owned(),
            Reason::NoRoleGets => "no role can get 100".to_owned(),
            Reason::TakeTurns => "it is proved that roles take turns".to_owned(),
            Reason::Lacks(part) => format!("it lacks {}", part.words()),
            Reason::PartOpen(part) => format!("{} is neither proved nor refuted", part.words()),
            Reason::AllParts => "termination, playability, monotonicity and weak winnability hold".to_owned(),
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
                "a search that sees all moves proves a win, but players do not see all moves".to_owned()
            }
        }
    }
}

fn without_proof(without: Option<NoProof>) -> &'static str {
    match without {
        None => "",
        Some(NoProof::NoNetwork) => "; it can't be proved because the game has no network",
        Some(NoProof::NetworkTooLarge) => "; the network is too large for a proof",
    }
}
