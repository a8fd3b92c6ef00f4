//! A run in the cluster as commands see it: asked for, shown on a bar, and what was given up said at the end.

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

/// Most units on the stream at once, so that many workers have some in advance.
const WINDOW: usize = 16_384;

/// The same where results decide which units there are.
const SHORT_WINDOW: usize = 256;

/// After this time without a result, a note says that no worker is active.
const LONELY: Duration = Duration::from_secs(4);

/// What a command asks of a cluster.
pub(super) struct Call<'a, B> {
    pub(super) kind: &'static str,
    /// What is shown of it.
    pub(super) name: String,
    /// The folder of the log: the same command from there is the same run.
    pub(super) folder: &'a Path,
    pub(super) body: &'a B,
    pub(super) files: Vec<Vec<u8>>,
    pub(super) units: u64,
    pub(super) fresh: bool,
    /// Whether results decide which units there are.
    pub(super) decides: bool,
}

/// Knows the units of a command and what to do with their results.
pub(super) trait Units {
    /// The next unit; each once.
    fn next(&mut self) -> Option<u64>;

    /// Whether a result is still wanted.
    fn wants(&self, _unit: u64) -> bool {
        true
    }

    /// Takes a result.
    fn take(&mut self, unit: u64, bytes: &[u8]) -> anyhow::Result<()>;

    /// Hears that a unit was given up.
    fn given_up(&mut self, unit: u64, error: &str);

    /// Keeps what was taken, and says how many units are left at most.
    fn keep(&mut self) -> anyhow::Result<u64>;

    /// What a unit is, for people.
    fn named(&self, unit: u64) -> String;
}

/// Has a run done, with a bar; what was given up is said at the end.
pub(super) fn gather<B: Serialize>(
    arguments: &ClusterArguments,
    call: Call<'_, B>,
    units: &mut dyn Units,
    bar: &ProgressBar,
) -> anyhow::Result<GatherResult> {
    let address = arguments.address().context("no cluster was named")?;
    let body = serde_json::to_vec(call.body)?;
    // The folder may not be there yet, and may be named in several ways.
    let folder = std::path::absolute(call.folder)?;
    let order = RunRequest {
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
    let mut asked = Asked { units, bar, begun: Instant::now(), told: false, address: address.shown() };
    let ended = match cluster::ask(&address, &order, &mut asked, interrupt::flag()) {
        Err(ClusterError::Interrupted) => {
            return Ok(GatherResult { ending: Ending::Interrupted, given_up: 0 });
        }
        ended => ended?,
    };
    bar.finish_and_clear();
    let mut given_up = ended.given_up;
    given_up.sort();
    if !given_up.is_empty() {
        let mut text = format!("{} given up:\n", counted(given_up.len() as u64, "unit was", "units were"));
        for (unit, error) in &given_up {
            text += &format!("  {}: {}\n", asked.units.named(*unit), plain(error));
        }
        print_error(&text)?;
    }
    let ending = if ended.interrupted { Ending::Interrupted } else { Ending::Done };
    Ok(GatherResult { ending, given_up: given_up.len() })
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct GatherResult {
    pub(in crate::cli) ending: Ending,
    /// Units that were given up.
    pub(in crate::cli) given_up: usize,
}

/// Words of others, without what a terminal would take for more than words.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A command's units with their bar.
struct Asked<'a> {
    units: &'a mut dyn Units,
    bar: &'a ProgressBar,
    begun: Instant,
    told: bool,
    address: String,
}

impl UnitSource for Asked<'_> {
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
        let own: Vec<&WorkerState> = workers.iter().filter(|worker| worker.version == VERSION).collect();
        let units: f64 = own.iter().map(|worker| worker.units_per_second).sum();
        let states: Option<f64> = own.iter().map(|worker| worker.states_per_second).sum();
        let speed = match states.filter(|&states| states > 0.0) {
            Some(states) => format!("{} states a second", grouped(states as u64)),
            None => format!("{units:.1} units a second"),
        };
        self.bar.set_message(format!("{}, {speed}", counted(own.len() as u64, "worker", "workers")));
        if own.is_empty() && !self.told && self.begun.elapsed() > LONELY {
            self.told = true;
            let others = match workers.len() {
                0 => String::new(),
                others => format!(
                    " (there are {others} of other versions: {})",
                    plain(
                        &workers.iter().map(|worker| worker.version.as_str()).collect::<Vec<_>>().join(", ")
                    )
                ),
            };
            // A failure means that standard error is closed.
            let _ = print_note(&format!(
                "no worker of version {VERSION} is at {0}{others}; `ggp worker --cluster {0}` starts one, anywhere\n",
                self.address
            ));
        }
    }
}

/// The bytes of a game's rules.
pub(super) fn rules(path: &Path) -> anyhow::Result<Source> {
    anyhow::ensure!(
        path != Path::new("-"),
        "rules from standard input can't be handed to a cluster: name a file"
    );
    game::source(path).map_err(|error| {
        anyhow::anyhow!("{} can't be read: {}", path.display(), game::unreadable(path, &error))
    })
}
