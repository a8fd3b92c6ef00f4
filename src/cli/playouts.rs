//! How much a command plays at random.

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::machine::Machine;
use crate::simulate::Budget;

/// Playouts of a game unless told otherwise, where they are played in lanes.
pub(super) const IN_LANES: u64 = 100_000;

/// Playouts of a game unless told otherwise, where they are played one by one.
pub(super) const ONE_BY_ONE: u64 = 10_000;

/// Work (the network's size a position, tuples joined) after which the default number of playouts is cut short, so that the
/// largest games end within tens of seconds. Counted, never timed: the same seed stops at the same playout.
const WORK: u64 = 1_000_000_000;

/// Playouts for the statistics of features, if there are so many, in lanes and one by one.
const SAMPLE_IN_LANES: u64 = 10_000;
const SAMPLE: u64 = 1_000;

/// Work that these may take on a network.
const SAMPLE_WORK: u64 = 1_000_000_000;

/// Work that they may take where there is none: tuples joined take longer than gates.
const RELATIONAL_WORK: u64 = 200_000_000;

/// Playouts, seed, threads.
#[derive(Args, Debug)]
pub(super) struct PlayoutArguments {
    /// Random playouts of a game [default: 100000 in lanes, 10000 one by one, fewer for very large games]
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Play for so many seconds instead; results then depend on the computer
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Joint moves after which a playout is cut off, or a match [default: 1000, of a match 10000]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
}

/// A number of seconds from the command line.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0 is expected, such as 2.5".into()),
    }
}

/// A number of seconds from the command line, or none.
pub(super) fn some_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds is expected, such as 0.5, or 0".into()),
    }
}

impl PlayoutArguments {
    /// The budget they stand for; `untold` playouts where they don't say how many.
    pub(super) fn budget(&self, untold: u64) -> Budget {
        let most = if self.seconds.is_some() { u64::MAX } else { untold };
        let untold = self.playouts.is_none() && self.seconds.is_none();
        Budget {
            playouts: self.playouts.unwrap_or(most),
            max_steps: self.most_steps(Budget::default().max_steps),
            seed: self.seed,
            threads: self.threads,
            seconds: self.seconds,
            work: untold.then_some(WORK),
            ..Budget::default()
        }
    }

    /// Joint moves at most, where nothing was said so many.
    pub(super) fn most_steps(&self, untold: u32) -> u32 {
        self.max_steps.unwrap_or(untold)
    }

    /// The seed of all random choices.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// The budget for the statistics of features.
    pub(super) fn sample(&self, machine: &dyn Machine) -> Budget {
        let most = if machine.suits_lanes() { SAMPLE_IN_LANES } else { SAMPLE };
        Budget {
            playouts: self.playouts.unwrap_or(most).min(most),
            seconds: None,
            work: Some(if machine.network().is_some() { SAMPLE_WORK } else { RELATIONAL_WORK }),
            ..self.budget(most)
        }
    }

    /// The number of playouts, where the run ends by it.
    pub(super) fn counted(&self, untold: u64) -> Option<u64> {
        self.seconds.is_none().then(|| self.playouts.unwrap_or(untold))
    }

    /// A bar over the playouts; hidden where nothing says how many there will be.
    pub(super) fn bar(&self, untold: u64) -> ProgressBar {
        self.counted(untold).map_or_else(ProgressBar::hidden, |playouts| bar(playouts, "playouts"))
    }
}

/// A progress bar on standard error, where that is a terminal.
pub(super) fn bar(length: u64, what: &str) -> ProgressBar {
    let template = format!("{{bar:30}} {{human_pos}}/{{human_len}} {what}, {{eta}} left  {{wide_msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}
