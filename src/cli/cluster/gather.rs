//! Requests a run on the cluster, shows progress, and reports units that failed on every attempt.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use indicatif::ProgressBar;
use serde::Serialize;

use super::super::{game, interrupt, print_error, print_note};
use super::ClusterArguments;
use crate::arena::tournament::Ending;
use crate::cluster::{self, ClusterError, RunRequest, UnitSource, VERSION, WorkerState};
use crate::gdl::Source;
use crate::report::layout::{counted, grouped};

/// Maximum number of units on the stream at once. It is large so that many workers can fetch units in advance.
const WINDOW: usize = 16_384;

/// The same limit for runs whose next units depend on earlier results; few units are then chosen without the latest
/// results.
const SHORT_WINDOW: usize = 256;

/// Time after the start of a run after which a note reports that no worker of this version is connected.
const NO_WORKER_DELAY: Duration = Duration::from_secs(4);

/// A run that a command requests from a cluster.
pub(super) struct Call<'a, B> {
    pub(super) kind: &'static str,
    /// Shown by `ggp cluster status`.
    pub(super) name: String,
    /// The folder of the log. It is part of the identity of a run: the same command with the same folder resumes the run.
    pub(super) folder: &'a Path,
    pub(super) body: &'a B,
    pub(super) files: Vec<Vec<u8>>,
    pub(super) units: u64,
    pub(super) fresh: bool,
    /// Whether the next units depend on earlier results.
    pub(super) decides: bool,
}

/// The units of a command and the handling of their results.
pub(super) trait Units {
    /// The next unit. Returns each unit once.
    fn next(&mut self) -> Option<u64>;

    /// Whether the result of a unit is still needed.
    fn wants(&self, _unit: u64) -> bool {
        true
    }

    /// Called with the result of a unit.
    fn take(&mut self, unit: u64, bytes: &[u8]) -> anyhow::Result<()>;

    /// Called when a unit has failed on every attempt.
    fn given_up(&mut self, unit: u64, error: &str);

    /// Saves the results so far. Returns an upper bound on the remaining units.
    fn keep(&mut self) -> anyhow::Result<u64>;

    /// Describes a unit for messages to the user.
    fn named(&self, unit: u64) -> String;
}

/// Runs `units` on the cluster and shows progress on `bar`. Prints the units that failed on every attempt.
pub(super) fn gather<B: Serialize>(
    arguments: &ClusterArguments,
    call: Call<'_, B>,
    units: &mut dyn Units,
    bar: &ProgressBar,
) -> anyhow::Result<GatherResult> {
    let address = arguments.address().context("the address of the cluster is missing: give --cluster URL")?;
    let body = serde_json::to_vec(call.body)?;
    // The identity of the run must not depend on the current folder. The folder of the log may not exist yet, so
    // `canonicalize` would fail.
    let folder = std::path::absolute(call.folder)?;
    let request = RunRequest {
        kind: call.kind.to_owned(),
        name: call.name,
        identity: format!("{}\n{}\n{}", call.kind, folder.display(), String::from_utf8_lossy(&body)),
        body,
        files: call.files,
        units: call.units,
        fresh: call.fresh,
        version: VERSION.to_owned(),
        tries: arguments.tries(),
        lease: arguments.lease(),
        window: if call.decides { SHORT_WINDOW } else { WINDOW },
    };
    let mut progress =
        RunProgress { units, bar, start: Instant::now(), note_printed: false, address: address.shown() };
    let outcome = match cluster::run(&address, &request, &mut progress, interrupt::flag()) {
        Err(ClusterError::Interrupted) => {
            return Ok(GatherResult { ending: Ending::Interrupted, given_up: 0 });
        }
        outcome => outcome?,
    };
    bar.finish_and_clear();
    let mut given_up = outcome.given_up;
    given_up.sort();
    if !given_up.is_empty() {
        let mut text =
            format!("{} failed on every attempt:\n", counted(given_up.len() as u64, "unit", "units"));
        for (unit, error) in &given_up {
            text += &format!("  {}: {}\n", progress.units.named(*unit), plain(error));
        }
        print_error(&text)?;
    }
    let ending = if outcome.interrupted { Ending::Interrupted } else { Ending::Done };
    Ok(GatherResult { ending, given_up: given_up.len() })
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct GatherResult {
    pub(in crate::cli) ending: Ending,
    /// The number of units that failed on every attempt.
    pub(in crate::cli) given_up: usize,
}

/// Text from another computer, with control characters replaced.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Passes events of a run to the units of a command, and updates the progress bar.
struct RunProgress<'a> {
    units: &'a mut dyn Units,
    bar: &'a ProgressBar,
    start: Instant,
    /// Whether the note that no worker is connected was printed.
    note_printed: bool,
    address: String,
}

impl UnitSource for RunProgress<'_> {
    fn next(&mut self) -> Option<u64> {
        self.units.next()
    }

    fn wants(&self, unit: u64) -> bool {
        self.units.wants(unit)
    }

    fn take(&mut self, unit: u64, bytes: &[u8]) -> Result<(), String> {
        self.bar.inc(1);
        self.units.take(unit, bytes).map_err(|error| format!("{error:#}"))
    }

    fn given_up(&mut self, unit: u64, error: &str) {
        self.units.given_up(unit, error);
    }

    fn keep(&mut self) -> Result<(), String> {
        let left = self.units.keep().map_err(|error| format!("{error:#}"))?;
        self.bar.set_length(self.bar.position() + left);
        Ok(())
    }

    fn at_work(&mut self, workers: &[WorkerState]) {
        let same_version: Vec<&WorkerState> =
            workers.iter().filter(|worker| worker.version == VERSION).collect();
        let units: f64 = same_version.iter().map(|worker| worker.units_per_second).sum();
        let states: Option<f64> = same_version.iter().map(|worker| worker.states_per_second).sum();
        let speed = match states.filter(|&states| states > 0.0) {
            Some(states) => format!("{} states a second", grouped(states as u64)),
            None => format!("{units:.1} units a second"),
        };
        self.bar.set_message(format!("{}, {speed}", counted(same_version.len() as u64, "worker", "workers")));
        if same_version.is_empty() && !self.note_printed && self.start.elapsed() > NO_WORKER_DELAY {
            self.note_printed = true;
            let others = match workers.len() {
                0 => String::new(),
                others => format!(
                    " (there are {others} of other versions: {})",
                    plain(
                        &workers.iter().map(|worker| worker.version.as_str()).collect::<Vec<_>>().join(", ")
                    )
                ),
            };
            // Printing fails only if standard error is closed, and the run goes on without it.
            let note = format!(
                "no worker of version {VERSION} is connected to {0}{others}; start one on any computer with `ggp worker --cluster {0}`\n",
                self.address
            );
            let _ = self.bar.suspend(|| print_note(&note));
        }
    }
}

/// Reads the rules of a game.
pub(super) fn rules(path: &Path) -> anyhow::Result<Source> {
    anyhow::ensure!(
        path != Path::new("-"),
        "a run on a cluster can't read rules from standard input: name a file"
    );
    game::source(path).map_err(|error| {
        anyhow::anyhow!("{} can't be read: {}", path.display(), game::unreadable(path, &error))
    })
}
