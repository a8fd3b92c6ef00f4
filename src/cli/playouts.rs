//! Options for random play.

use std::time::Instant;

use clap::{Arg, Args};

use crate::analysis::{Clock, Kinds, Plan};

/// Options of commands that play at random.
#[derive(Args, Debug)]
pub(super) struct PlayoutArguments {
    /// Number of random playouts [default: 100000 if the game suits lanes, which play 512 games at
    /// once, else 10000; fewer for very large games]
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Time limit of the whole command, in seconds, instead of --playouts; results then depend on the computer
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Truncate a random playout after this many joint moves [default: the longest possible game if the rules bound it, or
    /// 1000]; in `play`, abort the match [default: 10000]
    #[arg(long, hide_short_help = true, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
}

/// Renames `--seconds` for `ggp play`, where it limits only the analysis before the match, not the whole
/// command.
pub(super) fn rename_seconds(seconds: Arg) -> Arg {
    seconds.long("analysis-seconds").help("Time limit of the analysis before the match, in seconds")
}

/// A number of seconds from the command line.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0 is expected, such as 2.5".into()),
    }
}

/// A number of seconds from the command line; 0 is allowed.
pub(super) fn seconds_or_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds is expected, such as 0.5, or 0".into()),
    }
}

impl PlayoutArguments {
    /// The analysis plan of these options. It makes the default kinds of functions, with default parameters.
    pub(super) fn plan(&self) -> Plan {
        let plan = Plan::default();
        Plan {
            playouts: self.playouts,
            clock: self.seconds.map_or(Clock::Counted, Clock::Seconds),
            max_steps: self.max_steps,
            seed: self.seed,
            threads: self.threads,
            ..plan
        }
    }

    /// The analysis plan for the players of a match. Here `--max-steps` limits the match, not the playouts.
    pub(super) fn match_plan(&self) -> Plan {
        Plan { max_steps: None, ..self.plan() }
    }

    /// An analysis plan without features and evaluation functions, for commands that only draw boards.
    pub(super) fn boards_plan(&self) -> Plan {
        Plan { kinds: Kinds::NONE, features: false, function_statistics: false, ..self.plan() }
    }

    /// The plan of a complete analysis that began at `begun`. The time since then counts towards `--seconds`.
    pub(super) fn full_plan_since(&self, begun: Instant) -> Plan {
        let left = |seconds: f64| Clock::Seconds((seconds - begun.elapsed().as_secs_f64()).max(0.0));
        let Plan { playouts, max_steps, seed, threads, .. } = self.plan();
        let clock = self.seconds.map_or(Clock::Counted, left);
        Plan { playouts, clock, max_steps, seed, threads, ..Plan::full() }
    }

    /// The value of `--seconds`, if it is given.
    pub(super) fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// Limit of joint moves; `usual` without `--max-steps`.
    pub(super) fn most_steps(&self, usual: u32) -> u32 {
        self.max_steps.unwrap_or(usual)
    }

    /// The seed of all random choices.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }
}
