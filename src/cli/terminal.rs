//! Options for output on the terminal: colour, notes and details.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Args, ColorChoice, ValueEnum};

use crate::report::layout::{self, Colour};

/// 0: errors only; 1: also notes and progress; 2: also details.
static LOUDNESS: AtomicU8 = AtomicU8::new(1);

/// How results and notes are written, in all commands.
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

/// When there is colour.
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
    /// Says so, once, before the command begins.
    pub(super) fn settle(&self) {
        let colour = match self.color {
            _ if self.plain => Colour::Never,
            When::Auto => Colour::Auto,
            When::Always => Colour::Always,
            When::Never => Colour::Never,
        };
        layout::settle(colour, self.plain);
        let loudness = match (self.quiet, self.verbose) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        LOUDNESS.store(loudness, Ordering::Relaxed);
    }
}

/// Whether notes are written.
pub(super) fn notes() -> bool {
    LOUDNESS.load(Ordering::Relaxed) > 0
}

/// Whether details are printed.
pub(super) fn verbose() -> bool {
    LOUDNESS.load(Ordering::Relaxed) > 1
}

/// Whether there are progress bars, where standard error is a terminal.
pub(super) fn bars() -> bool {
    notes() && !layout::is_plain()
}

/// The colour of help and of faults in the words themselves, which are written before the words are understood.
pub(super) fn colour_of(words: &[OsString]) -> ColorChoice {
    let said = |text: &str| match text {
        "always" => Some(ColorChoice::Always),
        "never" => Some(ColorChoice::Never),
        _ => None,
    };
    let mut found = None;
    for (place, word) in words.iter().enumerate().take_while(|(_, word)| *word != "--") {
        match word.to_str() {
            Some("--plain") => return ColorChoice::Never,
            Some("--color") => found = words.get(place + 1).and_then(|word| said(word.to_str()?)).or(found),
            Some(word) => found = word.strip_prefix("--color=").and_then(said).or(found),
            None => {}
        }
    }
    found.unwrap_or(ColorChoice::Auto)
}
