//! Options of `ggp play` for the game, the output and the record of a match.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};

use super::game::{self, MachineArguments};
use super::playouts::PlayoutArguments;
use super::print_note;
use crate::analysis::LoadedGame;
use crate::arena::MatchRecord;
use crate::gdl::Source;
use crate::report::files::{check_place, write_whole};

/// The default number of joint moves after which a match is aborted.
const MAX_STEPS: u32 = 10_000;

/// Options for the output and the record of a match, and for loading its game.
#[derive(Args, Debug)]
pub(super) struct MatchArguments {
    /// Write the record of the match to this file
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Do not draw boards
    #[arg(long)]
    no_boards: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = MatchFormat::Table)]
    pub(super) format: MatchFormat,
    #[command(flatten, next_help_heading = "Random play")]
    pub(super) play: PlayoutArguments,
    #[command(flatten)]
    machine: MachineArguments,
}

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatchFormat {
    /// Every move, and the goal values at the end
    Table,
    /// The record of the match
    Json,
}

impl MatchArguments {
    /// Checks that the record can be written, and then reads the game of a file.
    pub(super) fn load(&self, path: &Path) -> anyhow::Result<(Source, LoadedGame)> {
        if let Some(out) = &self.out {
            let shown = out.display();
            ensure!(!out.is_dir(), "--out {shown} can't be written: it is a folder; name a file in it");
            check_place(out).with_context(|| format!("{} can't be written", out.display()))?;
        }
        let (source, description) = game::description(path)?;
        let path_text = || path.display().to_string();
        let loaded = self.machine.load(description).with_context(path_text)?;
        let game = LoadedGame::new(path_text(), &source, loaded);
        Ok((source, game))
    }

    /// Whether boards are drawn.
    pub(super) fn draws_boards(&self) -> bool {
        self.format == MatchFormat::Table && !self.no_boards
    }

    /// The number of joint moves after which a match is aborted.
    pub(super) fn most_steps(&self) -> u32 {
        self.play.most_steps(MAX_STEPS)
    }

    /// Writes the record of a match to the file of `--out`, if there is one. Returns it as JSON.
    pub(super) fn keep(&self, record: &MatchRecord) -> anyhow::Result<String> {
        let json = serde_json::to_string(record)? + "\n";
        if let Some(out) = &self.out {
            write_whole(out, &json).with_context(|| format!("{} can't be written", out.display()))?;
            print_note(&format!("written to {}\n", out.display()))?;
        }
        Ok(json)
    }
}
