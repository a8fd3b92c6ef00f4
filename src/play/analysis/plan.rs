//! The plan of an analysis: its stages and limits, with common defaults.

use std::time::Instant;

use crate::evaluation::{Kind, Parameters, Tuning, kinds};
use crate::machine::Machine;
use crate::simulate::{Budget, StepLimit};

use super::memory::Memory;
use super::stage::Stage;

/// Random playouts for finding structures, in lanes and one at a time.
const PLAYOUTS: [u64; 2] = [100_000, 10_000];

/// Sequences of states for statistics, each from another playout, in lanes and one at a time.
const SEQUENCES: [u64; 2] = [10_000, 1_000];

/// Limit of the work (see [`Cursor::work`](crate::machine::Cursor::work)) of the default number of playouts, so that the
/// largest games end within tens of seconds; and the limit for playouts of sequences.
const WORK: u64 = 1_000_000_000;

/// The same limits on the relational machine, for structures and for sequences: rows that joins visit, about twenty
/// million a second.
const RELATIONAL_WORK: [u64; 2] = [120_000_000, 50_000_000];

/// Playouts of each function that is followed.
const ONE_PLY: u64 = 100;

/// Work of proofs: literals that a SAT solver propagates and writes, some millions a second.
const PROOF_WORK: u64 = 45_000_000;

/// Limit of states that a search of the game visits.
const SEARCH_NODES: u64 = 2_000_000;

/// Random playouts that record which rules apply: they find a rule that applies in a hundredth of them.
const RULE_PLAYOUTS: u64 = 1_000;

/// Limit of steps for a value of a fuzzy function: with more, a search sees more by looking ahead.
const VALUE_STEPS: f64 = 100.0;

/// The share of the remaining time for a stage, with the least and the greatest number of seconds.
const PART: f64 = 0.25;
const LEAST: f64 = 0.1;
const MOST: f64 = 10.0;

/// The stages and limits of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Random playouts for finding structures, and the greatest number of sequences for statistics [default: 100,000 in
    /// lanes, 10,000 one at a time, and a tenth of these].
    pub playouts: Option<u64>,
    /// Limit of the playouts' work [default: a billion if `playouts` is not set, otherwise none; the sequences always
    /// have one].
    pub work: Option<u64>,
    /// Whether a clock is an additional limit.
    pub clock: Clock,
    /// Joint moves after which a playout is truncated; none for [`StepLimit::of`] the game.
    pub max_steps: Option<u32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Threads; 0 for the number of processors.
    pub threads: usize,
    /// Kinds of evaluation functions that are made.
    pub kinds: Kinds,
    /// Whether features are measured even if no function needs them.
    pub features: bool,
    /// Whether functions are measured.
    pub function_statistics: bool,
    /// Playouts of each function that is followed one move ahead; 0 for none.
    pub one_ply: u64,
    /// Whether exact values of sampled states are computed in small games.
    pub exact: bool,
    /// Work of proofs of findings and properties, in literals that a SAT solver propagates and writes; 0 for none.
    pub proof_work: u64,
    /// Limit of random playouts that record which rules apply; 0 for none.
    pub rule_playouts: u64,
    /// Whether a single-player game is searched if random play did not reach its best goal value.
    pub best_plan: bool,
    /// Limit of states that a search of the game visits.
    pub search_nodes: u64,
    /// The parameters of functions.
    pub parameters: Parameters,
    /// Additional functions with other parameters.
    pub tunings: Vec<Tuning>,
    /// Limit of the machine's steps for a value of a fuzzy function; more expensive functions are left out.
    pub value_steps: f64,
    /// The memory limit.
    pub memory: Memory,
}

/// The clock of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Clock {
    /// None: all limits count work, and the same seed gives the same result on any computer.
    #[default]
    Counted,
    /// At most this number of seconds. Random play gets a share of them instead of a number of playouts; every later
    /// stage gets at most a share of the rest.
    Seconds(f64),
    /// Every stage gets a quarter of the time that is left until then, in addition to the counted limits.
    Deadline(Instant),
}

/// Kinds of evaluation functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// All kinds that are made by default.
    #[default]
    Usual,
    /// Only these.
    Only(Vec<Kind>),
}

impl Kinds {
    /// No kind at all.
    pub const NONE: Kinds = Kinds::Only(Vec::new());

    /// All kinds that are made by default, and these.
    pub fn usual_and(more: impl IntoIterator<Item = Kind>) -> Kinds {
        let more: Vec<Kind> = more.into_iter().filter(|&kind| !Kinds::Usual.contains(kind)).collect();
        let meant = |kind: &Kind| more.contains(kind) || Kinds::Usual.contains(*kind);
        match more.is_empty() {
            true => Kinds::Usual,
            false => Kinds::Only(Kind::ALL.iter().copied().filter(meant).collect()),
        }
    }

    /// Whether a kind is among them.
    pub fn contains(&self, kind: Kind) -> bool {
        match self {
            Kinds::Usual => kinds::entry(kind).is_usual(),
            Kinds::Only(kinds) => kinds.contains(&kind),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Kinds::Only(kinds) if kinds.is_empty())
    }

    /// Whether one of them uses features.
    pub(super) fn need_features(&self) -> bool {
        match self {
            Kinds::Usual => true,
            Kinds::Only(kinds) => kinds.iter().any(|&kind| kinds::entry(kind).is_made_of_features()),
        }
    }
}

impl Default for Plan {
    /// The needs of players: structures, features and functions with their statistics, by counted work, with seed 1 on
    /// all threads. No proofs, searches or trials.
    fn default() -> Plan {
        Plan {
            playouts: None,
            work: None,
            clock: Clock::Counted,
            max_steps: None,
            seed: 1,
            threads: 0,
            kinds: Kinds::Usual,
            features: true,
            function_statistics: true,
            one_ply: 0,
            exact: false,
            proof_work: 0,
            rule_playouts: RULE_PLAYOUTS,
            best_plan: false,
            search_nodes: SEARCH_NODES,
            parameters: Parameters::default(),
            tunings: Vec::new(),
            value_steps: VALUE_STEPS,
            memory: Memory::default(),
        }
    }
}

impl Plan {
    /// Everything that `ggp analyze` reports, by counted work, with seed 1 on all threads.
    pub fn full() -> Plan {
        Plan { one_ply: ONE_PLY, exact: true, proof_work: PROOF_WORK, best_plan: true, ..Plan::default() }
    }

    /// Whether functions are made.
    pub(super) fn makes_functions(&self) -> bool {
        !self.kinds.is_empty() || !self.tunings.is_empty()
    }

    /// Whether features are measured, for their own sake or for functions.
    pub(super) fn needs_features(&self) -> bool {
        let tuned = self.tunings.iter().any(|tuning| kinds::entry(tuning.kind()).is_made_of_features());
        self.features || self.kinds.need_features() || tuned
    }

    /// The stages that can run in a game, in their order. An analysis skips a stage if its findings leave nothing to do.
    pub fn stages(&self, machine: &dyn Machine) -> Vec<Stage> {
        let (functions, features) = (self.makes_functions(), self.needs_features());
        let measures_functions = self.function_statistics && functions;
        let draws_sample = features || measures_functions;
        let is_alone = machine.description().roles.len() == 1;
        let [solves, knows_values] = [self.best_plan && is_alone, self.exact && !is_alone];
        [
            (Stage::Detect, true),
            (Stage::Rules, self.rule_playouts > 0),
            (Stage::Prove, self.proof_work > 0),
            (Stage::Solve, solves),
            (Stage::Sample, draws_sample),
            (Stage::ExactValues, draws_sample && knows_values && machine.network().is_some()),
            (Stage::Features, features),
            (Stage::Functions, functions),
            (Stage::FunctionStatistics, measures_functions),
            (Stage::OnePly, measures_functions && self.one_ply > 0),
            (Stage::GuidedStates, measures_functions),
        ]
        .into_iter()
        .filter_map(|(stage, runs)| runs.then_some(stage))
        .collect()
    }

    /// The budget of random play for finding structures.
    pub(super) fn detection(&self, machine: &dyn Machine, begun: Instant) -> Budget {
        let mut budget = self.random_play(machine, one_at_a_time(machine) == 0);
        if machine.network().is_none() && self.work.is_none() {
            budget.work = budget.work.map(|_| RELATIONAL_WORK[0]);
        }
        Budget { seconds: self.stage_seconds(Stage::Detect, begun), ..budget }
    }

    /// The budget of random play in lanes or one playout at a time, for commands that do nothing else.
    pub fn random_play(&self, machine: &dyn Machine, lanes: bool) -> Budget {
        let counted = self.playouts.unwrap_or(PLAYOUTS[usize::from(!lanes)]);
        let work = self.work.or(self.playouts.is_none().then_some(WORK));
        let (playouts, work, seconds) = match self.clock {
            Clock::Counted | Clock::Deadline(_) => (counted, work, None),
            Clock::Seconds(seconds) => (self.playouts.unwrap_or(u64::MAX), self.work, Some(seconds)),
        };
        Budget { playouts, work, seconds, ..self.base(machine) }
    }

    /// The number of sequences of states, within the memory limit.
    pub(super) fn sequences(&self, machine: &dyn Machine) -> u64 {
        let most = SEQUENCES[one_at_a_time(machine)];
        self.playouts.unwrap_or(most).min(most)
    }

    /// The budget of random play for sequences of states.
    pub(super) fn sampling(&self, machine: &dyn Machine, begun: Instant) -> Budget {
        let work = if machine.network().is_some() { WORK } else { RELATIONAL_WORK[1] };
        Budget {
            playouts: self.sequences(machine).min(self.memory.sequences(machine)),
            work: Some(self.work.unwrap_or(work)),
            seconds: self.stage_seconds(Stage::Sample, begun),
            ..self.base(machine)
        }
    }

    /// Limit of the seconds of a stage from now on, in an analysis that began at `begun`.
    pub(super) fn stage_seconds(&self, stage: Stage, begun: Instant) -> Option<f64> {
        match self.clock {
            Clock::Counted => None,
            Clock::Seconds(seconds) => {
                let part = match stage {
                    Stage::Detect => 0.45,
                    Stage::Rules => 0.05,
                    Stage::Prove => 0.2,
                    Stage::Sample => 0.35,
                    Stage::ExactValues => 0.2,
                    Stage::Features => 0.4,
                    Stage::Functions if !self.features && !self.function_statistics => 0.95,
                    Stage::Functions => 0.6,
                    Stage::FunctionStatistics => 0.6,
                    Stage::OnePly => 0.7,
                    Stage::GuidedStates => 0.7,
                    Stage::Solve => 1.0,
                };
                Some(part * (seconds - begun.elapsed().as_secs_f64()).max(0.0))
            }
            Clock::Deadline(end) => {
                let left = end.saturating_duration_since(Instant::now()).as_secs_f64();
                Some((PART * left).clamp(LEAST, MOST))
            }
        }
    }

    /// Joint moves after which a playout is truncated.
    pub(super) fn max_steps(&self, machine: &dyn Machine) -> u32 {
        StepLimit::of(machine, self.max_steps).steps
    }

    /// A budget of `max_steps` joint moves, with the seed and the threads.
    pub(super) fn base(&self, machine: &dyn Machine) -> Budget {
        let &Plan { max_steps, seed, threads, .. } = self;
        let StepLimit { steps: max_steps, because: max_steps_because } = StepLimit::of(machine, max_steps);
        Budget { max_steps, max_steps_because, seed, threads, ..Budget::default() }
    }
}

/// An index into constants: 0 for games in lanes, 1 for others.
fn one_at_a_time(machine: &dyn Machine) -> usize {
    usize::from(!machine.suits_lanes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_kinds_are_made_only_by_name() {
        assert_eq!(Kinds::usual_and([]), Kinds::Usual);
        assert_eq!(Kinds::usual_and([Kind::Fuzzy, Kind::Material]), Kinds::Usual);
        assert!(!Kinds::Usual.contains(Kind::Learned));
        let kinds = Kinds::usual_and([Kind::Learned]);
        assert!(Kind::ALL.iter().all(|&kind| kinds.contains(kind)));
    }
}
