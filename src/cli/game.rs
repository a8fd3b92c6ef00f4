//! Reads a game named on the command line, prints errors in its rules, and loads it into a machine.

use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};

use crate::analysis::Memory;
use crate::catalog::{counted, nearest};
use crate::datalog::Interrupt;
use crate::gdl::diagnostic::Severity;
use crate::gdl::{Description, Negation, Source, read};
use crate::ground::Limits;
use crate::machine::{self, Loaded};
use crate::report::diagnostics::{self, CheckedFile};
use crate::report::layout;

use super::{interrupt, library, print_detail, print_error, print_note};

/// Set by `--case-sensitive`; see [`RuleArguments`].
static CASE_SENSITIVE: AtomicBool = AtomicBool::new(false);

/// Set by `--negation in-place`; see [`RuleArguments`].
static NEGATION_IN_PLACE: AtomicBool = AtomicBool::new(false);

/// Options for reading rules, in all commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleArguments {
    /// Treat `Red` and `red` as different names (GDL treats them as one)
    #[arg(long, hide_short_help = true, global = true)]
    case_sensitive: bool,
    /// How to read a `not` that comes before the condition that gives its variable a value
    #[arg(long, hide_short_help = true, global = true, value_name = "WHEN", value_enum, default_value_t = When::Language)]
    negation: When,
}

/// When a negated literal is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// After the conditions that bind its variables, wherever it is written
    Language,
    /// Where it is written: if `?x` has no value there, `(not (p ?x))` means that `p` holds for no value (some old rules)
    InPlace,
}

impl RuleArguments {
    /// Sets the options for the whole process. Call once, before the command runs.
    pub(super) fn settle(&self) {
        CASE_SENSITIVE.store(self.case_sensitive, Ordering::Relaxed);
        NEGATION_IN_PLACE.store(self.negation == When::InPlace, Ordering::Relaxed);
    }
}

/// The reading of negated literals given by `--negation`.
pub(super) fn negation() -> Negation {
    if NEGATION_IN_PLACE.load(Ordering::Relaxed) { Negation::InPlace } else { Negation::Language }
}

/// The command-line arguments with which another process reads rules in the same way; empty for the default reading.
pub(super) fn rule_words() -> Vec<String> {
    let in_place = (!negation().is_language()).then(|| format!("--negation={}", negation().name()));
    case_sensitive().then(|| "--case-sensitive".to_owned()).into_iter().chain(in_place).collect()
}

/// Whether names that differ in case only are different names.
pub(super) fn case_sensitive() -> bool {
    CASE_SENSITIVE.load(Ordering::Relaxed)
}

/// The name of a game from standard input.
const STANDARD_INPUT: &str = "stdin";

/// Reads rules from a file, from standard input (`-`), or from a built-in game.
pub(super) fn source(path: &Path) -> std::io::Result<Source> {
    let source = match library::embedded(path).filter(|_| !path.exists()) {
        _ if path == Path::new("-") => {
            let mut bytes = Vec::new();
            let most = crate::gdl::source::MAX_TEXT as u64 + 1;
            take_standard_input()?.take(most).read_to_end(&mut bytes)?;
            Source::from_bytes(STANDARD_INPUT, bytes)
        }
        Some(text) => Source::from_text(path.file_stem().unwrap_or_default().to_string_lossy(), text),
        None => Source::load(path)?,
    };
    let from = match source.path() {
        Some(path) => path.display().to_string(),
        None if path == Path::new("-") => "standard input".to_owned(),
        None => "built in".to_owned(),
    };
    // Printing fails only if standard error is closed.
    let _ = print_detail(&format!("game {}: {from}\n", source.name()));
    Ok(source.case_sensitive(case_sensitive()).with_negation(negation()))
}

/// Locks standard input. Only one argument of a command line can be read from it.
///
/// # Errors
/// Standard input was taken before.
pub(super) fn take_standard_input() -> std::io::Result<std::io::StdinLock<'static>> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err(std::io::Error::other("standard input (-) is given twice and can be read once"));
    }
    Ok(std::io::stdin().lock())
}

/// The error message for a game that can't be read, with a remedy.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let hint = match error.kind() {
        std::io::ErrorKind::NotFound => library::hint(path),
        std::io::ErrorKind::IsADirectory => "; name a file in this folder".to_owned(),
        _ => String::new(),
    };
    format!("{error}{hint}")
}

/// Which machine plays a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// Lanes for random play and the network otherwise, or the relational machine if the network exceeds a limit
    #[default]
    Auto,
    /// The propositional network, 512 playouts at once
    Lanes,
    /// The propositional network
    Network,
    /// The rules themselves, without a network: slower, for games of any size
    Relational,
}

/// Limits for building the propositional network.
#[derive(Args, Debug)]
pub(super) struct GroundArguments {
    /// Limit of atoms in the propositional network
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = Limits::default().atoms, help_heading = "Machine")]
    ground_limit: usize,
    /// Time limit for building the network, in seconds [default: only the work is limited]
    #[arg(long, hide_short_help = true, value_name = "S", value_parser = super::playouts::seconds, help_heading = "Machine")]
    ground_seconds: Option<f64>,
}

impl GroundArguments {
    /// The default limits.
    pub(super) fn standard() -> GroundArguments {
        GroundArguments { ground_limit: Limits::default().atoms, ground_seconds: None }
    }

    /// The limits for building the network.
    pub(super) fn limits(&self) -> Limits {
        let interrupt = Interrupt::of(Some(interrupt::flag()));
        let limits = Limits { atoms: self.ground_limit, interrupt, ..Limits::default() };
        Limits { seconds: self.ground_seconds.unwrap_or(limits.seconds), ..limits }
    }

    /// The command-line arguments that give the same options.
    pub(super) fn words(&self) -> Vec<String> {
        let seconds = self.ground_seconds.map(|seconds| format!("--ground-seconds={seconds}"));
        std::iter::once(format!("--ground-limit={}", self.ground_limit)).chain(seconds).collect()
    }
}

/// The share of `--seconds` that building the network may take.
const LOADING_SHARE: f64 = 0.25;

/// Options for the machine that plays a game.
#[derive(Args, Debug)]
pub(super) struct MachineArguments {
    /// Machine that plays the game
    #[arg(long, value_enum, default_value_t = Backend::Auto, help_heading = "Machine")]
    backend: Backend,
    #[command(flatten)]
    budget: GroundArguments,
}

impl MachineArguments {
    /// The limits for building the network.
    pub(super) fn limits(&self) -> Limits {
        self.budget.limits()
    }

    /// The back end of the library.
    pub(super) fn machine(&self) -> machine::Backend {
        match self.backend {
            Backend::Auto => machine::Backend::Auto,
            Backend::Lanes | Backend::Network => machine::Backend::Network,
            Backend::Relational => machine::Backend::Relational,
        }
    }

    /// The command-line arguments that give the same options.
    #[cfg(feature = "cluster")]
    pub(super) fn words(&self) -> Vec<String> {
        let backend =
            self.backend.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        [format!("--backend={backend}")].into_iter().chain(self.budget.words()).collect()
    }

    /// The value of `--backend`.
    pub(super) fn backend(&self) -> Backend {
        self.backend
    }

    /// Loads a game. Prints a note if it falls back to the relational machine.
    pub(super) fn load(&self, description: Description) -> anyhow::Result<Loaded> {
        self.load_within(description, None, Memory::default())
    }

    /// Loads a game for a run with a time limit and a memory limit. Loading may take [`LOADING_SHARE`] of the time.
    pub(super) fn load_within(
        &self,
        description: Description,
        seconds: Option<f64>,
        memory: Memory,
    ) -> anyhow::Result<Loaded> {
        let mut limits = Limits { bytes: memory.loading(), ..self.limits() };
        limits.seconds =
            seconds.map_or(limits.seconds, |seconds| limits.seconds.min(seconds * LOADING_SHARE));
        let loaded = interrupt::guarded(|| machine::load(description, self.machine(), &limits))?;
        if let Some(reason) = &loaded.fallback {
            print_note(&format!("note: the game is played by the relational machine: {reason}\n"))?;
        }
        Ok(loaded)
    }
}

/// Reads a game. Errors in its rules are printed to standard error.
pub(super) fn description(path: &Path) -> anyhow::Result<(Source, Description)> {
    let source = source(path)
        .map_err(|error| anyhow!("{} can't be read: {}", path.display(), unreadable(path, &error)))?;
    let reading = read(&source);
    match reading.description {
        Some(description) => Ok((source, description)),
        None => {
            let errors: Vec<_> =
                reading.diagnostics.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
            let count = errors.len();
            let colour = layout::colour_of_errors();
            print_error(&diagnostics::text(&[CheckedFile::Read(source, errors)], colour))?;
            bail!("{}: {} in the rules", path.display(), counted(count as u64, "error", "errors"))
        }
    }
}

/// The error for a role that the game does not have.
pub(super) fn no_role(role: &str, known: &[String]) -> String {
    let near = nearest(&role.to_lowercase(), known.iter().map(String::as_str));
    format!("the game has no role `{role}`; did you mean `{near}`? Its roles are {}", known.join(", "))
}
