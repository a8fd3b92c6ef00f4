//! `ggp ground`: instantiate a game's rules and say what came of it.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::Exit;
use super::game::{self, GroundArguments};
use crate::ground::{dot, ground};

/// Instantiate a game's rules into a propositional network
///
/// Prints each stage with its time, then each count, one a line. Exit status: 0 done, 1 the rules have errors or
/// a budget is passed, 2 wrong usage.
#[derive(Args)]
pub(super) struct Arguments {
    /// Game description (KIF file)
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Print the network as a graph in the DOT language instead
    #[arg(long)]
    dot: bool,
    #[command(flatten)]
    budget: GroundArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let (_, description) = game::description(&arguments.game)?;
    let grounded = ground(&Arc::new(description), &arguments.budget.limits()).map_err(|exceeded| {
        anyhow::anyhow!(
            "{}: {exceeded}; raise --ground-limit or --ground-seconds, or run the game with --backend relational",
            arguments.game.display()
        )
    })?;
    if arguments.dot {
        super::print(&dot(&grounded))?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    // Writing to a string can't fail, so the results of `writeln!` carry nothing.
    for stage in &grounded.stages {
        let _ = writeln!(text, "stage {}: {:.4} s", stage.name, stage.seconds);
    }
    let total: f64 = grounded.stages.iter().map(|stage| stage.seconds).sum();
    let _ = writeln!(text, "total: {total:.4} s");
    for (name, count) in &grounded.metrics {
        let _ = writeln!(text, "{name}: {count}");
    }
    super::print(&text)?;
    Ok(Exit::Ok)
}
