//! What an analysis makes and may take: one set of defaults for all who ask for one.

use std::time::Instant;

use crate::evaluation::{Kind, Parameters, Tuning, kinds};
use crate::machine::Machine;
use crate::simulate::{Budget, StepLimit};

use super::memory::Memory;
use super::stage::Stage;

/// Random playouts that structures are found in, in lanes and one at a time.
const PLAYOUTS: [u64; 2] = [100_000, 10_000];

/// Sequences of states for statistics, each of another playout, in lanes and one at a time.
const SEQUENCES: [u64; 2] = [10_000, 1_000];

/// Work (see [`Cursor::work`](crate::machine::Cursor::work)) after which the default number of playouts is cut short, so
/// that the largest games end within tens of seconds, and that of the playouts that sequences are taken from.
const WORK: u64 = 1_000_000_000;

/// The same where the game has no network, first for structures, then for sequences: rows that joins look at, some twenty
/// million a second.
const RELATIONAL_WORK: [u64; 2] = [120_000_000, 50_000_000];

/// Playouts by each function that is followed.
const ONE_PLY: u64 = 100;

/// Work of proofs: literals that a SAT solver propagates and writes down, some millions a second.
const PROOF_WORK: u64 = 45_000_000;

/// States that a search of the game visits at most.
const SEARCH_NODES: u64 = 2_000_000;

/// Random playouts in which it is noted which rules apply: one that applies in a hundredth of them is met.
const RULE_PLAYOUTS: u64 = 1_000;

/// Steps that a value of a fuzzy function may cost: who searches sees more by looking ahead that far.
const VALUE_STEPS: f64 = 100.0;

/// The part of the time left to a deadline that a stage may take, and the least and the most of it in seconds.
const PART: f64 = 0.25;
const LEAST: f64 = 0.1;
const MOST: f64 = 10.0;

/// What an analysis makes and may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Random playouts that structures are found in, and at most so many sequences for statistics [default: 100,000 in
    /// lanes, 10,000 one at a time, and a tenth of these].
    pub playouts: Option<u64>,
    /// Work of the playouts [default: a billion where `playouts` is left open, else no limit; the sequences always have
    /// one].
    pub work: Option<u64>,
    /// Whether a clock limits it as well.
    pub clock: Clock,
    /// Joint moves after which a playout is truncated; none for as many as [`StepLimit::of`] the game.
    pub max_steps: Option<u32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Threads; 0 for as many as the computer runs at once.
    pub threads: usize,
    /// Kinds of evaluation functions that are made.
    pub kinds: Kinds,
    /// Whether features are measured even where no function needs them.
    pub features: bool,
    /// Whether functions are measured.
    pub function_statistics: bool,
    /// Playouts by each function that is followed one move ahead; 0 for none.
    pub one_ply: u64,
    /// Whether sampled states are valued exactly in small games.
    pub exact: bool,
    /// Work of proofs of findings and properties, in literals that a SAT solver propagates and writes down; 0 for none.
    pub proof_work: u64,
    /// Random playouts in which it is noted which rules apply, at most; 0 for none.
    pub rule_playouts: u64,
    /// Whether a game for one is searched where random play did not reach its best goal value.
    pub way: bool,
    /// States that a search of the game may visit, at most.
    pub search_nodes: u64,
    /// What functions are tuned by.
    pub parameters: Parameters,
    /// Functions that are made besides, by other parameters.
    pub tunings: Vec<Tuning>,
    /// The most steps of the machine that a value of a fuzzy function may cost; one that costs more is left out.
    pub value_steps: f64,
    /// What may be held in memory.
    pub memory: Memory,
}

/// The clock of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Clock {
    /// None: all limits count work, and the same seed gives the same result on any computer.
    #[default]
    Counted,
    /// The analysis takes so many seconds at most: random play a part of them instead of a number of playouts, every later
    /// stage a part of what is left at most.
    Seconds(f64),
    /// Every stage takes a quarter of the time that is left until then, beside the limits that count.
    Deadline(Instant),
}

/// Kinds of evaluation functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// All kinds that are made unasked.
    #[default]
    Usual,
    /// These alone.
    Only(Vec<Kind>),
}

impl Kinds {
    /// No kind at all.
    pub const NONE: Kinds = Kinds::Only(Vec::new());

    /// All that are made unasked, and these.
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

    /// Whether one of them is made of features.
    pub(super) fn need_features(&self) -> bool {
        match self {
            Kinds::Usual => true,
            Kinds::Only(kinds) => kinds.iter().any(|&kind| kinds::entry(kind).is_made_of_features()),
        }
    }
}

impl Default for Plan {
    /// What players need, by counted work, with seed 1 on all threads: structures, features and functions with their
    /// statistics. Nothing is proved, searched or tried out in play.
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
            way: false,
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
        Plan { one_ply: ONE_PLY, exact: true, proof_work: PROOF_WORK, way: true, ..Plan::default() }
    }

    /// Whether functions are made.
    pub(super) fn makes_functions(&self) -> bool {
        !self.kinds.is_empty() || !self.tunings.is_empty()
    }

    /// Whether features are measured, for themselves or for functions.
    pub(super) fn needs_features(&self) -> bool {
        let tuned = self.tunings.iter().any(|tuning| kinds::entry(tuning.kind()).is_made_of_features());
        self.features || self.kinds.need_features() || tuned
    }

    /// What is played at random to find out what a game is made of.
    pub(super) fn detection(&self, machine: &dyn Machine, begun: Instant) -> Budget {
        let mut budget = self.random_play(machine, one_at_a_time(machine) == 0);
        if machine.network().is_none() && self.work.is_none() {
            budget.work = budget.work.map(|_| RELATIONAL_WORK[0]);
        }
        Budget { seconds: self.stage_seconds(Stage::Detect, begun), ..budget }
    }

    /// What is played at random, in lanes or one playout at a time, by whoever does nothing else.
    pub fn random_play(&self, machine: &dyn Machine, lanes: bool) -> Budget {
        let counted = self.playouts.unwrap_or(PLAYOUTS[usize::from(!lanes)]);
        let work = self.work.or(self.playouts.is_none().then_some(WORK));
        let (playouts, work, seconds) = match self.clock {
            Clock::Counted | Clock::Deadline(_) => (counted, work, None),
            Clock::Seconds(seconds) => (self.playouts.unwrap_or(u64::MAX), self.work, Some(seconds)),
        };
        Budget { playouts, work, seconds, ..self.base(machine) }
    }

    /// Sequences of states that are wanted, memory allowing.
    pub(super) fn sequences(&self, machine: &dyn Machine) -> u64 {
        let most = SEQUENCES[one_at_a_time(machine)];
        self.playouts.unwrap_or(most).min(most)
    }

    /// What is played at random for sequences of states.
    pub(super) fn sampling(&self, machine: &dyn Machine, begun: Instant) -> Budget {
        let work = if machine.network().is_some() { WORK } else { RELATIONAL_WORK[1] };
        Budget {
            playouts: self.sequences(machine).min(self.memory.sequences(machine)),
            work: Some(self.work.unwrap_or(work)),
            seconds: self.stage_seconds(Stage::Sample, begun),
            ..self.base(machine)
        }
    }

    /// Seconds that a stage of an analysis that began then may take at most, from now on.
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

    /// A budget of that many moves, with the seed and the threads.
    pub(super) fn base(&self, machine: &dyn Machine) -> Budget {
        let &Plan { max_steps, seed, threads, .. } = self;
        let StepLimit { steps: max_steps, because: max_steps_because } = StepLimit::of(machine, max_steps);
        Budget { max_steps, max_steps_because, seed, threads, ..Budget::default() }
    }
}

/// 0 for games that are played in lanes, 1 for those that are played one state at a time.
fn one_at_a_time(machine: &dyn Machine) -> usize {
    usize::from(!machine.suits_lanes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_are_not_usual_are_made_where_they_are_named() {
        assert_eq!(Kinds::usual_and([]), Kinds::Usual);
        assert_eq!(Kinds::usual_and([Kind::Fuzzy, Kind::Material]), Kinds::Usual);
        assert!(!Kinds::Usual.contains(Kind::Learned));
        let kinds = Kinds::usual_and([Kind::Learned]);
        assert!(Kind::ALL.iter().all(|&kind| kinds.contains(kind)));
    }
}
