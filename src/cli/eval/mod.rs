//! `ggp eval`: the value of states and moves by an evaluation function.

mod serve;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};

use crate::analysis::{FunctionSelector, GameAnalysis, LoadedGame};
use crate::evaluation::{Document, ExplanationLimits, Parameters, explain, move_values};
use crate::feature::{Measure, StateEvaluator};
use crate::machine::{Machine, State, StateView};
use crate::report::board::Boards;
use crate::report::explanations;
use crate::report::facts::{Fact, facts};
use crate::report::layout::Layout;
use crate::report::state_values::{MoveEvaluation, StateEvaluation, moves_to_csv, moves_to_table};
use crate::simulate::{MoveReader, StateReader, TraceGoal};
use crate::structure::in_kif;

use super::game;
use super::make_arguments::MakeArguments;
use super::{Exit, interrupt, print, print_note};

/// Compute the value of a state, or of each move
///
/// FUNCTION is a document that `ggp analyze GAME --out DIR` writes to DIR/evaluations, or the name of a function, or
/// the start of a name, such as `fuzzy` or `kuhlmann.max`. A function given by name is computed first, as by
/// `ggp analyze --proof-work 0`.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// A JSON file of a function, or the name of a function, with options as in `fuzzy(norm=product)`
    #[arg(value_name = "FUNCTION")]
    function: String,
    /// The role that the function is for, if its name does not say so
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// The state: atoms in KIF, a JSON list, or a line of a trace; @FILE reads a file, - standard input [default: the
    /// initial state]
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    state: Option<String>,
    /// Moves to play first, in order; if several roles choose at once, a list of the moves of all roles; @FILE and - as
    /// for --state
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    moves: Option<String>,
    /// Compute the value after each legal move instead, best first
    #[arg(long, conflicts_with_all = ["explain", "serve"])]
    all_moves: bool,
    /// The role whose moves --all-moves lists [default: the role to move; of several, the role of the function]
    #[arg(long, value_name = "ROLE", requires = "all_moves")]
    mover: Option<String>,
    /// Print the contribution of each part, with a picture of the board
    #[arg(long, conflicts_with = "serve")]
    explain: bool,
    /// Depth of nested parts that --explain prints
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 3, requires = "explain")]
    depth: usize,
    /// Members of a part that --explain prints
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 4, requires = "explain")]
    members: usize,
    /// Answer requests: a JSON line on standard output for each line on standard input (docs/evaluations.md)
    #[arg(long, conflicts_with_all = ["state", "moves", "format"])]
    serve: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    make: MakeArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp eval tic_tac_toe fuzzy --role crosses --moves '(draw 2 2)' --explain
  ggp eval games/connect_four.kif target/c4/evaluations/fuzzy.red.json --all-moves
  ggp eval games/connect_four.kif fuzzy.red --state '((disc 4 1 red) (control yellow))'
  ggp eval games/nim.kif fuzzy.left --state @state.json --format json
  ggp eval games/nim.kif fuzzy.left --serve < requests.jsonl

Exit status: 0 done, 1 the game, function, state or moves can't be used, 2 wrong usage.";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for reading
    Table,
    /// JSON
    Json,
    /// A row for the state, or for each move
    Csv,
}

/// Evaluates the state or its moves, and prints the result.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(parameters) = arguments.make.parameters()? else {
        return Ok(Exit::Usage);
    };
    interrupt::watch()?;
    let game = arguments.make.load(&arguments.game)?;
    let (document, analysis) = arguments.function(&game, parameters)?;
    let machine = game.machine();
    let mut measure = document.function.bind(machine).with_context(|| arguments.function.clone())?;
    if arguments.serve {
        return serve::run(machine, &document, &mut *measure);
    }
    let state = arguments.position(machine)?;
    if arguments.all_moves {
        return arguments.all_moves(machine, &document, &mut *measure, &state);
    }
    let mut found = evaluated(machine, &document, &mut *measure, &state)?;
    let layout = Layout::detect();
    if !arguments.explain {
        print(&match arguments.format {
            Format::Table => found.to_table(layout),
            Format::Json => serde_json::to_string(&found)? + "\n",
            Format::Csv => found.to_csv()?,
        })?;
        return Ok(Exit::Ok);
    }
    let mut state_evaluator = StateEvaluator::new(machine);
    let detail = ExplanationLimits { depth: arguments.depth, members: arguments.members };
    let explanation = explain(machine, &document.function, &state_evaluator.at(&state)?, detail)?;
    match arguments.format {
        Format::Table => {
            let structures = match analysis {
                Some(analysis) => analysis.structures,
                None => {
                    let selector = arguments.function.parse()?;
                    arguments.make.analyze(&game, &selector, Parameters::default())?.structures
                }
            };
            let texts = in_kif(&structures, machine);
            let picture = Boards::new(&game.game(), &structures, &texts).draw_or_list(&state, layout);
            let tree = explanations::tree(&explanation).render(layout);
            print(&format!("{}\n{picture}\n{tree}", found.to_table(layout)))?;
        }
        Format::Json => {
            found.explanation = Some(explanation);
            print(&(serde_json::to_string(&found)? + "\n"))?;
        }
        Format::Csv => bail!("--explain prints a tree: use --format table or json"),
    }
    Ok(Exit::Ok)
}

impl Arguments {
    /// The selected function. If it had to be computed, also returns the analysis that computed it.
    fn function(
        &self,
        game: &LoadedGame,
        parameters: Parameters,
    ) -> anyhow::Result<(Document, Option<GameAnalysis>)> {
        let machine = game.machine();
        let selector: FunctionSelector = self.function.parse()?;
        if let Some(document) = selector.document(&game.identity, self.role.as_deref())? {
            if document.edited {
                let path = &self.function;
                print_note(&format!(
                    "note: {path} was edited after it was made (its checksum is another)\n"
                ))?;
            }
            return Ok((document, None));
        }
        let role = match &self.role {
            Some(role) => Some(machine.term_text(machine.description().roles[role_of(machine, role)?])),
            None => None,
        };
        let analysis = self.make.analyze(game, &selector, parameters)?;
        let function = selector.only(&analysis, role.as_deref()).map_err(|error| {
            let (error, game) = (anyhow::Error::new(error), self.game.display());
            anyhow!(
                "{error:#} (`ggp analyze {game} --out DIR` lists all functions in DIR/evaluations/index.json)"
            )
        })?;
        let document = Document::new(&game.identity, machine, &analysis.structures, function.clone(), None);
        Ok((document, Some(analysis)))
    }

    /// The state to evaluate.
    fn position(&self, machine: &dyn Machine) -> anyhow::Result<State> {
        if self.state.as_deref() == Some("-") && self.moves.as_deref() == Some("-") {
            bail!("only one of --state and --moves can be read from standard input");
        }
        let start = match &self.state {
            Some(text) => StateReader::new(machine).read(&text_of(text)?).context("--state")?,
            None => machine.initial().clone(),
        };
        match &self.moves {
            Some(text) => MoveReader::new(machine).play(&text_of(text)?, &start).context("--moves"),
            None => Ok(start),
        }
    }

    fn all_moves(
        &self,
        machine: &dyn Machine,
        document: &Document,
        measure: &mut dyn Measure<'_>,
        state: &State,
    ) -> anyhow::Result<Exit> {
        let mut cursor = machine.cursor();
        cursor.set(state)?;
        let mover = match &self.mover {
            Some(role) => role_of(machine, role)?,
            None => mover(machine, document, &*cursor),
        };
        let values = move_values(machine, &document.function, measure, mover, state)?;
        if values.is_empty() {
            print_note("note: the state is terminal: there are no moves\n")?;
        }
        let moves: Vec<MoveEvaluation> =
            values.iter().map(|value| MoveEvaluation::new(machine, value)).collect();
        print(&match self.format {
            Format::Table => {
                let others = values.first().map_or(1.0, |value| value.all_replies);
                let name = machine.term_text(machine.description().roles[mover]);
                moves_to_table(document, &name, &moves, others, Layout::detect())
            }
            Format::Json => serde_json::to_string(&moves)? + "\n",
            Format::Csv => moves_to_csv(&moves)?,
        })?;
        Ok(Exit::Ok)
    }
}

/// The index of a role.
fn role_of(machine: &dyn Machine, role: &str) -> anyhow::Result<usize> {
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let lower = role.to_lowercase();
    roles
        .iter()
        .position(|known| *known == lower)
        .with_context(|| format!("the game has no role `{role}`; it has {}", roles.join(", ")))
}

/// The role whose moves are listed: the role with a choice. If several have one, the role of the function is preferred.
fn mover(machine: &dyn Machine, document: &Document, view: &dyn StateView) -> usize {
    let roles = &machine.description().roles;
    let own = roles.iter().position(|&role| machine.term_text(role) == document.role).unwrap_or(0);
    let chooses = |role: &usize| view.legal(*role).len() > 1;
    std::iter::once(own).chain(0..roles.len()).find(chooses).unwrap_or(own)
}

/// The argument itself, or the text of the file (`@FILE`) or of standard input (`-`).
pub(super) fn text_of(argument: &str) -> anyhow::Result<String> {
    if argument == "-" {
        let mut text = String::new();
        let mut input = game::take_standard_input()?;
        input.read_to_string(&mut text).context("standard input can't be read")?;
        return Ok(text);
    }
    match argument.strip_prefix('@') {
        Some(path) => {
            std::fs::read_to_string(Path::new(path)).with_context(|| format!("{path} can't be read"))
        }
        None => Ok(argument.to_owned()),
    }
}

/// Evaluates a state.
fn evaluated(
    machine: &dyn Machine,
    document: &Document,
    measure: &mut dyn Measure<'_>,
    state: &State,
) -> anyhow::Result<StateEvaluation> {
    let mut state_evaluator = StateEvaluator::new(machine);
    let position = state_evaluator.at(state)?;
    let value = measure.value(&position);
    let view = position.view;
    let roles = &machine.description().roles;
    let own = roles.iter().position(|&role| machine.term_text(role) == document.role).unwrap_or(0);
    let to_move = (0..roles.len()).filter(|&role| !view.terminal() && view.legal(role).len() > 1);
    Ok(StateEvaluation {
        game: machine.description().name.clone(),
        id: document.id.clone(),
        kind: document.kind.to_string(),
        role: document.role.clone(),
        edited: document.edited,
        value,
        range: document.range,
        terminal: view.terminal(),
        goal: view.terminal().then(|| TraceGoal::new(view.goals(own))),
        to_move: to_move.map(|role| machine.term_text(roles[role])).collect(),
        state: facts(machine, state).iter().map(Fact::to_string).collect(),
        explanation: None,
    })
}
