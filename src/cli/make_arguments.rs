//! What `ggp eval` and `ggp env` have in common: functions that are made on the spot.

use std::path::Path;

use clap::Args;

use super::functions::{FunctionArguments, FunctionList};
use super::game::{self, MachineArguments};
use super::interrupt;
use super::playouts::PlayoutArguments;
use crate::analysis::{AnalysisContext, FunctionSelector, GameAnalysis, LoadedGame, Plan, analyze};
use crate::evaluation::Parameters;

/// How functions are made that no document holds.
#[derive(Args, Debug)]
pub(super) struct MakeArguments {
    #[command(flatten)]
    functions: FunctionArguments,
    #[command(flatten, next_help_heading = "Random play, where functions are made on the spot")]
    play: PlayoutArguments,
    #[command(flatten)]
    machine: MachineArguments,
}

impl MakeArguments {
    /// The parameters of functions; none if the options are wrong, which is said then.
    pub(super) fn parameters(&self) -> anyhow::Result<Option<Parameters>> {
        self.functions.parameters(self.play.seed(), &FunctionList::default())
    }

    /// The game of a file.
    pub(super) fn load(&self, path: &Path) -> anyhow::Result<LoadedGame> {
        let (source, description) = game::description(path)?;
        let loaded = self.machine.load(description)?;
        Ok(LoadedGame::new(path.display().to_string(), &source, loaded))
    }

    /// What random play shows of the game, and the functions that may be meant.
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
            // A single state is worth waiting for.
            value_steps: f64::INFINITY,
            ..self.play.plan()
        };
        let plan = selector.plan(plan);
        let context = AnalysisContext { interrupt: Some(interrupt::flag()), ..AnalysisContext::default() };
        Ok(interrupt::guarded(|| analyze(&game.game(), &plan, &context))?)
    }
}
