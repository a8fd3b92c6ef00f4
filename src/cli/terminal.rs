//! Options for output on the terminal: colour, notes and details.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Args, ColorChoice, ValueEnum};

use crate::report::layout::{self, Colour};

/// 0: errors only; 1: also notes and progress; 2: also details.
static VERBOSITY: AtomicU8 = AtomicU8::new(1);

/// Output options of all commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct TerminalArguments {
    /// When to use colour
    #[arg(long, hide_short_help = true, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    color: When,
    /// No colour, no progress bars, and one line per row of a table: for screen readers and programs
    #[arg(long, hide_short_help = true, global = true)]
    plain: bool,
    /// Print results and errors only, without notes and progress
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print which files were read, and the time and memory used
    #[arg(long, short, global = true)]
    verbose: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always, into files as well
    Always,
    /// Never
    Never,
}

impl TerminalArguments {
    /// Sets the options for the whole process. Call once, before the command runs.
    pub(super) fn settle(&self) {
        let colour = match self.color {
            _ if self.plain => Colour::Never,
            When::Auto => Colour::Auto,
            When::Always => Colour::Always,
            When::Never => Colour::Never,
        };
        layout::settle(colour, self.plain);
        let verbosity = match (self.quiet, self.verbose) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        VERBOSITY.store(verbosity, Ordering::Relaxed);
    }
}

/// Whether notes are printed.
pub(super) fn notes() -> bool {
    VERBOSITY.load(Ordering::Relaxed) > 0
}

/// Whether details are printed.
pub(super) fn verbose() -> bool {
    VERBOSITY.load(Ordering::Relaxed) > 1
}

/// Whether to show progress bars if standard error is a terminal.
pub(super) fn bars() -> bool {
    notes() && !layout::is_plain()
}

/// The colour of help and of command-line errors. Both are printed before clap has parsed the arguments.
pub(super) fn colour_of(words: &[OsString]) -> ColorChoice {
    let choice = |text: &str| match text {
        "always" => Some(ColorChoice::Always),
        "never" => Some(ColorChoice::Never),
        _ => None,
    };
    let mut found = None;
    for (place, word) in words.iter().enumerate().take_while(|(_, word)| *word != "--") {
        match word.to_str() {
            Some("--plain") => return ColorChoice::Never,
            Some("--color") => found = words.get(place + 1).and_then(|word| choice(word.to_str()?)).or(found),
            Some(word) => found = word.strip_prefix("--color=").and_then(choice).or(found),
            None => {}
        }
    }
    found.unwrap_or(ColorChoice::Auto)
}
