//! How the program writes: whether in colour, and how much beside the results.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Args, ColorChoice, ValueEnum};

use crate::report::layout::{self, Colour};

/// How much is told beside results: 0 errors alone, 1 notes and progress, 2 what is done besides.
static LOUDNESS: AtomicU8 = AtomicU8::new(1);

/// How results and notes are written, in all commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct TerminalArguments {
    /// When there is colour: on a terminal unless NO_COLOR is set, always, or never
    #[arg(long, hide_short_help = true, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    color: When,
    /// Neither colour nor progress bars, and a line for each row of a table however long: for screen readers and other
    /// programs
    #[arg(long, hide_short_help = true, global = true)]
    plain: bool,
    /// Write results and errors alone: no notes, no progress
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also report which files were read, and at the end the time and the memory used
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

/// Whether it is told what is done.
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
