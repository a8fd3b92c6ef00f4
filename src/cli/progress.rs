//! Progress on standard error: bars where the amount of work is known, spinners elsewhere. Nothing is drawn if standard
//! error is not a terminal, or with `--quiet` or `--plain`.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::terminal;
use crate::analysis::{Stage, StageProgress};
use crate::simulate::Budget;

/// Interval at which spinners and times are redrawn.
const TICK: Duration = Duration::from_millis(120);

/// The template of a line for work of unknown amount.
const SPINNER: &str = "{spinner} {elapsed_precise}  {wide_msg}";

/// The template of a line for a stage of an analysis whose amount of work is known.
const STAGE_BAR: &str = "{spinner} {elapsed_precise}  {msg} {bar:16} {percent} %";

/// The template of two lines: one for all games, and one for the current game.
const GAMES: &str =
    "{bar:16} {human_pos} of {human_len} games, {elapsed_precise}{left}\n{spinner} {prefix}{wide_msg}";

/// Makes a style from a template. `{left}` is the estimate of the remaining time, with a comma before it.
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let left = state.eta().as_secs();
        // There is no estimate before the first unit is done.
        if state.pos() > 0 && left > 0 {
            let _ = write!(out, ", {left} s left");
        }
    })
}

fn bar_style(what: &str) -> ProgressStyle {
    style(&format!(
        "{{bar:16}} {{human_pos}} of {{human_len}} {what}, {{elapsed_precise}}{{left}}  {{wide_msg}}"
    ))
}

/// Draws the bar in this style, or hides it if progress is not shown.
fn show_or_hide(bar: ProgressBar, style: ProgressStyle) -> ProgressBar {
    let bar = bar.with_style(style);
    if !terminal::bars() || bar.is_hidden() {
        return ProgressBar::hidden();
    }
    bar.enable_steady_tick(TICK);
    bar
}

/// A bar for a known number of units.
pub(super) fn bar(length: u64, what: &str) -> ProgressBar {
    show_or_hide(ProgressBar::new(length), bar_style(what))
}

/// A bar for a known number of units, with its message in a line of its own.
pub(super) fn bar_with_line(length: u64, what: &str) -> ProgressBar {
    let template = format!(
        "{{bar:16}} {{human_pos}} of {{human_len}} {what}, {{elapsed_precise}}{{left}}\n  {{wide_msg}}"
    );
    show_or_hide(ProgressBar::new(length), style(&template))
}

/// A spinner with a message, for work of unknown amount.
pub(super) fn spinner(message: impl Into<String>) -> ProgressBar {
    let spinner = show_or_hide(ProgressBar::new_spinner(), style(SPINNER));
    spinner.set_message(message.into());
    spinner
}

/// Turns a spinner into a bar, because the number of units is known now.
pub(super) fn set_length(spinner: &ProgressBar, length: u64, what: &str) {
    // The style comes last, as each of these draws the line.
    spinner.set_length(length);
    spinner.set_message("");
    spinner.set_style(bar_style(what));
}

/// The progress of the playouts of a budget.
pub(super) fn playout_bar(budget: &Budget) -> ProgressBar {
    match budget.playouts {
        u64::MAX => show_or_hide(
            ProgressBar::new_spinner(),
            style("{spinner} {elapsed_precise}  {human_pos} playouts"),
        ),
        playouts => bar(playouts, "playouts"),
    }
}

/// The progress of analyses: the stage of the current game, and with several games the number of finished games.
pub(super) struct AnalysisBar {
    bar: ProgressBar,
    is_of_several: bool,
    /// Whether the amount of work of the current stage is known.
    is_amount_known: AtomicBool,
}

impl AnalysisBar {
    /// The progress of this number of games.
    pub(super) fn new(games: usize) -> AnalysisBar {
        let is_of_several = games > 1;
        let bar = match is_of_several {
            true => show_or_hide(ProgressBar::new(games as u64), style(GAMES)),
            false => show_or_hide(ProgressBar::new_spinner(), style(SPINNER)),
        };
        AnalysisBar { bar, is_of_several, is_amount_known: AtomicBool::new(false) }
    }

    pub(super) fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    /// Shows that this game is analysed now.
    pub(super) fn begin(&self, game: &Path) {
        if self.is_of_several {
            self.bar.set_message(format!("  {}", game.display()));
        }
        self.work("reading the rules");
    }

    /// Shows a description of work of unknown amount.
    pub(super) fn work(&self, what: impl Into<String>) {
        match self.is_of_several {
            true => self.bar.set_prefix(what.into()),
            false => {
                if self.is_amount_known.swap(false, Ordering::Relaxed) {
                    self.bar.set_style(style(SPINNER));
                }
                self.bar.set_message(what.into());
            }
        }
    }

    /// Shows the progress of a stage; `stages` has all stages of the plan.
    pub(super) fn stage(&self, stages: &[Stage], progress: StageProgress) {
        let StageProgress { stage, done, total } = progress;
        let number = stages.iter().position(|&other| other == stage).map_or(1, |index| index + 1);
        let text = format!("stage {number} of {}: {}", stages.len(), stage.title().to_lowercase());
        match total.filter(|&total| total > 0) {
            None => self.work(text),
            Some(total) if self.is_of_several => {
                self.work(format!("{text}, {} %", 100 * done.min(total) / total));
            }
            Some(total) => {
                self.bar.set_length(total);
                self.bar.set_position(done);
                self.bar.set_message(text);
                if !self.is_amount_known.swap(true, Ordering::Relaxed) {
                    self.bar.set_style(style(STAGE_BAR));
                }
            }
        }
    }
}
