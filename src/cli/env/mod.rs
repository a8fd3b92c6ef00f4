//! `ggp env`: gives programs in any language access to a game (states, moves, successors, values and random play) as JSON
//! lines.

mod answer;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde_json::Value;

use super::make_arguments::MakeArguments;
use super::{Exit, eval, interrupt, print, request_lines};
use crate::analysis::{FunctionSelector, LoadedGame};
use crate::evaluation::{Document, Parameters};
use answer::{Request, Server};

/// Use a game from any programming language (JSON lines)
///
/// With --serve it answers requests: a JSON line on standard output for each line on standard input. Otherwise it
/// prints one answer, for the initial state or for --state and --moves.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Answer requests until standard input ends (docs/guide/env.md)
    #[arg(long, conflicts_with_all = ["state", "moves", "successors"])]
    serve: bool,
    /// A function that evaluates the states: a document or a name; can be given several times
    #[arg(long = "functions", value_name = "FUNCTION")]
    selectors: Vec<String>,
    /// The state: atoms in KIF or a JSON list; @FILE reads a file, - standard input [default: the initial state]
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    state: Option<String>,
    /// Moves to play first, in order; if several roles choose at once, a list of the moves of all roles
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    moves: Option<String>,
    /// Also list the successors
    #[arg(long)]
    successors: bool,
    #[command(flatten)]
    make: MakeArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp env tic_tac_toe --moves '(draw 2 2)'
  ggp env games/nim.kif --serve < requests.jsonl
  ggp env games/connect_four.kif --serve --functions fuzzy.red --functions fuzzy.yellow
  ggp env games/tic_tac_toe.kif --successors --moves '(draw 2 2) (draw 1 1)'

Exit status: 0 done, 1 the game, a function, state or moves can't be used, 2 wrong usage.";

/// Answers one request from the command line, or serves requests from standard input.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(parameters) = arguments.make.parameters()? else {
        return Ok(Exit::Usage);
    };
    interrupt::watch()?;
    let game = arguments.make.load(&arguments.game)?;
    let documents = arguments
        .selectors
        .iter()
        .map(|selector| arguments.document(&game, selector, parameters))
        .collect::<anyhow::Result<Vec<Document>>>()?;
    let mut server = Server::new(game.machine(), &documents)?;
    if arguments.serve {
        // A signal may end the process at any time, because there is no unfinished work to save.
        interrupt::guarded(|| request_lines::serve(|request| server.answer(&request)))?;
        return Ok(Exit::Ok);
    }
    let text = |given: &Option<String>| given.as_deref().map(eval::text_of).transpose();
    let request = Request {
        state: text(&arguments.state)?.map(Value::String),
        moves: text(&arguments.moves)?.map(Value::String),
        successors: Some(Value::Bool(arguments.successors)),
        values: !documents.is_empty(),
        ..Request::default()
    };
    print(&(serde_json::to_string(&server.answer(&request)?)? + "\n"))?;
    Ok(Exit::Ok)
}

impl Arguments {
    /// The function that `text` selects: a document, or else a function that is computed first.
    fn document(&self, game: &LoadedGame, text: &str, parameters: Parameters) -> anyhow::Result<Document> {
        let selector: FunctionSelector = text.parse()?;
        if let Some(document) = selector.document(&game.identity, None)? {
            return Ok(document);
        }
        let analysis = self.make.analyze(game, &selector, parameters)?;
        let function = selector.only(&analysis, None).with_context(|| text.to_owned())?;
        let (identity, machine) = (&game.identity, game.machine());
        Ok(Document::new(identity, machine, &analysis.structures, function.clone(), None))
    }
}
