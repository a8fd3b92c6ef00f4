//! Options of `ggp eval` and `ggp env` for computing functions that are given by name.

use std::path::Path;

use clap::Args;

use super::functions::{FunctionArguments, FunctionList};
use super::game::{self, MachineArguments};
use super::interrupt;
use super::playouts::PlayoutArguments;
use crate::analysis::{AnalysisContext, FunctionSelector, GameAnalysis, LoadedGame, Plan, analyze};
use crate::evaluation::Parameters;

/// Options for functions that are not read from a document.
#[derive(Args, Debug)]
pub(super) struct MakeArguments {
    #[command(flatten)]
    functions: FunctionArguments,
    #[command(flatten, next_help_heading = "Random play, if a function is given by name")]
    play: PlayoutArguments,
    #[command(flatten)]
    machine: MachineArguments,
}

impl MakeArguments {
    /// The parameters of functions. Prints an error and returns `None` if the options are wrong.
    pub(super) fn parameters(&self) -> anyhow::Result<Option<Parameters>> {
        self.functions.parameters(self.play.seed(), &FunctionList::default())
    }

    /// Reads and loads a game.
    pub(super) fn load(&self, path: &Path) -> anyhow::Result<LoadedGame> {
        let (source, description) = game::description(path)?;
        let loaded = self.machine.load(description)?;
        Ok(LoadedGame::new(path.display().to_string(), &source, loaded))
    }

    /// Analyses the game by random play and makes the functions that `selector` may select.
    pub(super) fn analyze(
        &self,
        game: &LoadedGame,
        selector: &FunctionSelector,
        parameters: Parameters,
    ) -> anyhow::Result<GameAnalysis> {
        let plan = Plan {
            parameters,
            features: false,
            function_statistics: false,
            // No work limit, because few states are evaluated.
            value_steps: f64::INFINITY,
            ..self.play.plan()
        };
        let plan = selector.plan(plan);
        let context = AnalysisContext { interrupt: Some(interrupt::flag()), ..AnalysisContext::default() };
        Ok(interrupt::guarded(|| analyze(&game.game(), &plan, &context))?)
    }
}
