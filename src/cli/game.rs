//! A game named on the command line: read, with its faults shown, and loaded into a machine.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use crate::analysis::Memory;
use crate::datalog::Interrupt;
use crate::gdl::diagnostic::Severity;
use crate::gdl::{Description, Source, read};
use crate::ground::Limits;
use crate::machine::{self, Loaded};
use crate::report::diagnostics::{self, Checked};

use super::{interrupt, note};

/// Whether names that differ in case only are different names, in all rules that a command reads.
static CASE_SENSITIVE: AtomicBool = AtomicBool::new(false);

/// Says so once, before the command begins.
pub(super) fn set_case_sensitive(case_sensitive: bool) {
    CASE_SENSITIVE.store(case_sensitive, Ordering::Relaxed);
}

/// Whether names that differ in case only are different names.
pub(super) fn case_sensitive() -> bool {
    CASE_SENSITIVE.load(Ordering::Relaxed)
}

/// Reads the text of a file of rules.
pub(super) fn source(path: &Path) -> std::io::Result<Source> {
    Ok(Source::load(path)?.case_sensitive(case_sensitive()))
}

/// Which machine plays a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// The network, or the relational machine where the network passes its budget
    #[default]
    Auto,
    /// The propositional network, 512 playouts at once
    Lanes,
    /// The propositional network
    Network,
    /// The rules themselves, without instantiation: slower, for games of any size
    Relational,
}

/// The budget of a game's network.
#[derive(Args, Debug)]
pub(super) struct GroundArguments {
    /// Build a network of at most this many atoms
    #[arg(long, value_name = "N", default_value_t = Limits::default().atoms, help_heading = "Machine")]
    ground_limit: usize,
    /// Seconds that building a network may take
    #[arg(long, value_name = "S", default_value_t = Limits::default().seconds, help_heading = "Machine")]
    ground_seconds: f64,
}

impl GroundArguments {
    /// The budget of the network.
    pub(super) fn limits(&self) -> Limits {
        let interrupt = Interrupt::of(Some(interrupt::flag()));
        Limits { atoms: self.ground_limit, seconds: self.ground_seconds, interrupt, ..Limits::default() }
    }

    /// The words of a command line that say the same.
    pub(super) fn words(&self) -> [String; 2] {
        [format!("--ground-limit={}", self.ground_limit), format!("--ground-seconds={}", self.ground_seconds)]
    }
}

/// The part of a limited run in which a network may be built.
const LOADING: f64 = 0.25;

/// The machine of a game and the budget of its network.
#[derive(Args, Debug)]
pub(super) struct MachineArguments {
    /// Which machine plays the game
    #[arg(long, value_enum, default_value_t = Backend::Auto, help_heading = "Machine")]
    backend: Backend,
    #[command(flatten)]
    budget: GroundArguments,
}

impl MachineArguments {
    /// The budget of the network.
    pub(super) fn limits(&self) -> Limits {
        self.budget.limits()
    }

    /// Which machine was asked for.
    pub(super) fn backend(&self) -> Backend {
        self.backend
    }

    /// Loads a game. Says so where it falls back on the relational machine.
    pub(super) fn load(&self, description: Description) -> anyhow::Result<Loaded> {
        self.load_within(description, None, Memory::default())
    }

    /// The same for a run of so many seconds, of which loading takes a part, and in so much memory.
    pub(super) fn load_within(
        &self,
        description: Description,
        seconds: Option<f64>,
        memory: Memory,
    ) -> anyhow::Result<Loaded> {
        let mut limits = Limits { bytes: memory.loading(), ..self.limits() };
        limits.seconds = seconds.map_or(limits.seconds, |seconds| limits.seconds.min(seconds * LOADING));
        let backend = match self.backend {
            Backend::Auto => machine::Backend::Auto,
            Backend::Lanes | Backend::Network => machine::Backend::Network,
            Backend::Relational => machine::Backend::Relational,
        };
        let loaded = interrupt::guarded(|| machine::load(description, backend, &limits))?;
        if let Some(reason) = &loaded.fallback {
            note(&format!("note: the game is played by the relational machine: {reason}\n"))?;
        }
        Ok(loaded)
    }
}

/// Reads a game. Errors of its rules are shown on standard error.
pub(super) fn description(path: &Path) -> anyhow::Result<(Source, Description)> {
    let source = source(path).with_context(|| format!("{} can't be read", path.display()))?;
    let reading = read(&source);
    match reading.description {
        Some(description) => Ok((source, description)),
        None => {
            let errors: Vec<_> =
                reading.diagnostics.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
            let count = errors.len();
            let colour = std::io::IsTerminal::is_terminal(&std::io::stderr());
            note(&diagnostics::text(&[Checked::Read(source, errors)], colour))?;
            let s = if count == 1 { "" } else { "s" };
            bail!("{}: {count} error{s} in the rules", path.display())
        }
    }
}
