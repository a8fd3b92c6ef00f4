//! A game named on the command line: read, with its faults shown, and loaded into a machine.

use std::path::Path;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use crate::datalog::Interrupt;
use crate::gdl::diagnostic::Severity;
use crate::gdl::{Description, Source, read};
use crate::ground::Limits;
use crate::machine::{self, Loaded};
use crate::report::diagnostics::{self, Checked};

use super::{interrupt, note};

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
    /// Atoms up to which a game is made into a network
    #[arg(long, value_name = "N", default_value_t = Limits::default().atoms, help_heading = "Machine")]
    ground_limit: usize,
    /// Seconds up to which a game is made into a network
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
        let backend = match self.backend {
            Backend::Auto => machine::Backend::Auto,
            Backend::Lanes | Backend::Network => machine::Backend::Network,
            Backend::Relational => machine::Backend::Relational,
        };
        let loaded = interrupt::guarded(|| machine::load(description, backend, &self.limits()))?;
        if let Some(reason) = &loaded.fallback {
            note(&format!("note: the game is played by the relational machine: {reason}\n"))?;
        }
        Ok(loaded)
    }
}

/// Reads a game. Errors of its rules are shown on standard error.
pub(super) fn description(path: &Path) -> anyhow::Result<(Source, Description)> {
    let source = Source::load(path).with_context(|| format!("{} can't be read", path.display()))?;
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
