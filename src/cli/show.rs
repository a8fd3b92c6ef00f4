//! `ggp show`: draws a state of a game, or writes a page for stepping through a match.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use crate::analysis::{AnalysisContext, LoadedGame, Play, analyze};
use crate::machine::{Machine, MoveId, State};
use crate::report::board::Boards;
use crate::report::files::{check_place, write_whole};
use crate::report::html::{PageMaterial, play_page};
use crate::report::layout::{Layout, counted};
use crate::report::player_values::thoughts;
use crate::simulate::{MoveReader, Recordings, StateReader};
use crate::structure::in_kif;

use super::eval::text_of;
use super::game::{self, MachineArguments};
use super::playouts::PlayoutArguments;
use super::{Exit, interrupt, print, print_note};

/// Draw a state, or make a page of a match
///
/// Draws the initial state, the state after --moves, or the last state of RECORD: a record of `ggp play --out`, or a
/// trace. Boards are found from the rules and by random play, whatever names the rules use.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// A match record, or a trace of `ggp simulate --trace`
    #[arg(value_name = "RECORD", conflicts_with_all = ["moves", "state"])]
    record: Option<PathBuf>,
    /// Number of the match in RECORD, from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "record", value_parser = clap::value_parser!(u64).range(1..))]
    number: u64,
    /// The state to begin with: atoms in KIF, a JSON list, or a line of a trace; @FILE reads a file, - standard input
    /// [default: the initial state]
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    state: Option<String>,
    /// Moves to play in order; if several roles choose at once, a list of the moves of all roles; @FILE and - as for
    /// --state
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    moves: Option<String>,
    /// Write an HTML page to this file, to step through the moves in a browser
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Random play, in which boards are found")]
    play: PlayoutArguments,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp show hex
  ggp show games/tic_tac_toe.kif --moves '(draw 2 2) (draw 1 1)'
  ggp show games/tic_tac_toe.kif --moves @moves.txt --out target/play.html
  ggp show games/tic_tac_toe.kif target/match.json --out target/match.html

Exit status: 0 done, 1 the game, the moves or the record can't be used, 2 wrong usage.";

/// The start state and the moves to show.
struct Shot {
    /// A description that can begin a sentence.
    title: String,
    from: State,
    path: Vec<(Vec<MoveId>, State)>,
}

/// Draws the state, or writes the page of `--out`.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    if let Some(out) = &arguments.out {
        check_place(out).with_context(|| format!("{} can't be written", out.display()))?;
    }
    let (source, description) = game::description(&arguments.game)?;
    let loaded = arguments.machine.load(description)?;
    let game = LoadedGame::new(arguments.game.display().to_string(), &source, loaded);
    let machine = game.machine();
    let shot = arguments.shot(machine)?;
    let plan = arguments.play.boards_plan();
    let context = AnalysisContext { interrupt: Some(interrupt::flag()), ..AnalysisContext::default() };
    let analysis = interrupt::guarded(|| analyze(&game.game(), &plan, &context))?;
    let structures = in_kif(&analysis.structures, machine);
    let play = Play::along(machine, &shot.from, &shot.path)?;
    match &arguments.out {
        None => {
            let boards = Boards::new(&game.game(), &analysis.structures, &structures);
            print(&draw_state(machine, &boards, &play, &shot)?)?;
        }
        Some(out) => {
            let mut material =
                PageMaterial::of_play(&game.game(), &analysis.structures, &play, shot.title.clone())?;
            if let Some(record) = &arguments.record {
                material = material.with_thoughts(thoughts(record, arguments.number, &game.roles()));
            }
            let page = play_page(&machine.description().name, &structures, &material)?;
            write_whole(out, &page).with_context(|| format!("{} can't be written", out.display()))?;
            print_note(&format!("written to {}\n", out.display()))?;
        }
    }
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}

impl Arguments {
    /// The moves of RECORD, or those given by `--state` and `--moves`.
    fn shot(&self, machine: &dyn Machine) -> anyhow::Result<Shot> {
        if self.state.as_deref() == Some("-") && self.moves.as_deref() == Some("-") {
            bail!("only one of --state and --moves can be read from standard input");
        }
        let reader = MoveReader::new(machine);
        if let Some(record) = &self.record {
            let recording = self.recording(record)?;
            let describe_source = || format!("{}: {}", record.display(), recording.source);
            let path = reader.path_of(&recording).with_context(describe_source)?;
            let title = format!("The play {} of {}", recording.source, record.display());
            return Ok(Shot { title, from: machine.initial().clone(), path });
        }
        let from = match &self.state {
            Some(text) => StateReader::new(machine).read(&text_of(text)?).context("--state")?,
            None => machine.initial().clone(),
        };
        let path = match &self.moves {
            Some(text) => reader.path(&text_of(text)?, &from).context("--moves")?,
            None => Vec::new(),
        };
        let moves = counted(path.len() as u64, "joint move", "joint moves");
        let begin = if self.state.is_some() { "the state given" } else { "the initial state" };
        Ok(Shot { title: format!("A play of {moves} from {begin} on"), from, path })
    }

    /// The match of RECORD that `--number` selects.
    fn recording(&self, record: &Path) -> anyhow::Result<crate::simulate::Recording> {
        let kif = self.game.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut count = 0;
        for recording in Recordings::open(record, &kif)? {
            let recording = recording?;
            count += 1;
            if count == self.number {
                return Ok(recording);
            }
        }
        let game = self.game.display();
        bail!(
            "{} has {} of {game}, and number {} was asked for: records name the file of their rules; --number says which",
            record.display(),
            counted(count, "play", "plays"),
            self.number
        )
    }
}

/// The last state of a play as a picture, with a heading.
fn draw_state(
    machine: &dyn Machine,
    boards: &Boards<'_>,
    play: &Play,
    shot: &Shot,
) -> anyhow::Result<String> {
    let layout = Layout::detect();
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let state = shot.path.last().map_or(&shot.from, |step| &step.1);
    let name = layout.strong(&machine.description().name);
    let moves = match shot.path.len() {
        0 => String::new(),
        moves => format!("after {}, ", counted(moves as u64, "joint move", "joint moves")),
    };
    let choosing: Vec<&str> =
        play.choosing.last().into_iter().flatten().map(|&role| roles[role].as_str()).collect();
    let now = match (&play.goals, &choosing[..]) {
        (Some(goals), _) => {
            let goal = |(role, values): (&String, &Vec<i32>)| {
                let values: Vec<String> = values.iter().map(i32::to_string).collect();
                format!("{role} {}", if values.is_empty() { "none".to_owned() } else { values.join(" and ") })
            };
            let goals: Vec<String> = roles.iter().zip(goals).map(goal).collect();
            format!("the game is over: {}", goals.join(", "))
        }
        (None, []) => "no role has a choice".to_owned(),
        (None, [role]) => format!("{role} is to move"),
        (None, several) => format!("{} choose at once", several.join(" and ")),
    };
    let heading = format!("{name}  {}\n", layout.remark(&format!("{moves}{now}")));
    Ok(heading + &boards.draw_or_list(state, layout))
}
