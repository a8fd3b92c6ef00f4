//! `ggp play`: a match between players.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use clap::Args;

use super::game;
use super::human::{AtTerminal, HUMAN};
use super::match_arguments::{MatchArguments, MatchFormat};
use super::playouts::seconds;
use super::{Exit, interrupt, note, print, usage};
use crate::arena::tournament::Thinking;
use crate::arena::{Clock, Conditions, Match, MatchRecord, PlayedStep, Player, PlayerFactory, ready};
use crate::machine::{Machine, MoveId};
use crate::report::board::Boards;
use crate::report::layout::{Layout, counted};
use crate::structure::in_kif;

/// Play a match between players, or play yourself
///
/// Exit status: 0 played, 1 the game or a player can't be used, 2 wrong usage, 130 interrupted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rules of the game, in GDL (prefix KIF)
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Who plays a role (ROLE=PLAYER); other roles play at random (`ggp players` lists players, `human` is you)
    #[arg(
        long = "player",
        value_name = "ROLE=PLAYER",
        long_help = super::players::help("Who plays a role (ROLE=PLAYER); other roles play at random, `human` is you")
    )]
    players: Vec<String>,
    /// Time before the first move, in seconds
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    start_clock: f64,
    /// Time for each move, in seconds [default: 1, or none with --nodes]
    #[arg(long, value_name = "S", value_parser = seconds)]
    play_clock: Option<f64>,
    /// Most states that a player visits per move, unless its own options set another limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Safety margin per move, in seconds; it grows after a late answer [default: 0.03, or a fifth of a short clock]
    #[arg(long, value_name = "S", value_parser = seconds)]
    margin: Option<f64>,
    #[command(flatten)]
    shown: MatchArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp play tic_tac_toe --player crosses=alphabeta:fuzzy --play-clock 0.2
  ggp play games/connect_four.kif --player red=alphabeta:fuzzy --player yellow=uct
  ggp play games/tic_tac_toe.kif --player crosses=guct:statistical,cutoff=0.2,lanes=0 --out target/match.json
  ggp play games/connect_four.kif --player red=human --player yellow=uct
  ggp replay games/tic_tac_toe.kif target/match.json";

/// Seconds for each move, unless a limit of states is given instead.
const PLAY_CLOCK: f64 = 1.0;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let start = arguments.start_clock;
    let play = match (arguments.play_clock, arguments.nodes) {
        (None, Some(_)) => None,
        (play, _) => Some(play.unwrap_or(PLAY_CLOCK)),
    };
    let margin = play.map_or(0.0, |play| Thinking::by_clock(start, play, arguments.margin).margin);
    if let Some(play) = play.filter(|&play| play <= margin) {
        return usage(&format!(
            "--play-clock {play} leaves no time to think, as the safety margin is {margin} s: use a longer clock or a smaller \
             --margin"
        ));
    }
    let (_, game) = arguments.shown.load(&arguments.game)?;
    let named = || arguments.game.display().to_string();
    let (machine, roles) = (game.machine(), game.roles());
    let lines = lines(&arguments.players, &roles)?;
    let person = |line: &String| line == HUMAN;
    interrupt::watch()?;

    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let clock = Clock { start: time(start), play: play.map(time), margin: time(margin) };
    let named_players: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (plan, flag) = (arguments.shown.play.match_plan(), interrupt::flag());
    let prepared = interrupt::guarded(|| ready(&game, plan, &named_players, Some(&clock), Some(flag)));
    let prepared = prepared.with_context(named)?;
    let mut players: Vec<Box<dyn Player + '_>> = Vec::new();
    for (role, line) in lines.iter().enumerate() {
        let player = AtTerminal.player(line, &prepared, role, arguments.shown.play.seed());
        let player = player.with_context(|| format!("--player {}={line}", roles[role]))?;
        if let Some(text) = player.note() {
            note(&format!("{}: {text}\n", roles[role]))?;
        }
        players.push(player);
    }

    let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let layout = Layout::detect();
    let texts = in_kif(prepared.structures(), machine);
    let boards = Boards::new(machine, prepared.structures(), &texts);
    if lines.iter().any(person) && arguments.shown.draws_boards() {
        print(&boards.draw_or_list(machine.initial(), layout))?;
    }
    let mut failed = None;
    let mut on_move = |moved: &PlayedStep<'_>| {
        if arguments.shown.format == MatchFormat::Table && failed.is_none() {
            let mut text = line(machine, &roles, moved);
            if arguments.shown.draws_boards() {
                text.push_str(&boards.draw(moved.after, layout));
            }
            failed = print(&text).err();
        }
    };
    let flag = Some(&**flag);
    let seed = arguments.shown.play.seed();
    let most_steps = arguments.shown.most_steps();
    let conditions = Conditions { clock, nodes: arguments.nodes, most_steps, seed, opening: Vec::new() };
    let played_match = Match::play(machine, &mut players, &conditions, flag, &mut on_move)?;
    failed.map_or(Ok(()), Err)?;
    let name = format!("{}.{begun}", machine.description().name);
    let people = lines.iter().map(person).collect();
    let record = MatchRecord::new(machine, &played_match, lines.clone(), &clock, &named(), (name, begun));
    let record = MatchRecord { is_player_human: people, ..record };
    let json = arguments.shown.keep(&record)?;
    match arguments.shown.format {
        MatchFormat::Json => print(&json)?,
        MatchFormat::Table => print(&verdict(&roles, &lines, &played_match))?,
    }
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}

/// The player of every role.
fn lines(given: &[String], roles: &[String]) -> anyhow::Result<Vec<String>> {
    let mut lines: Vec<Option<String>> = vec![None; roles.len()];
    for text in given {
        let Some((role, line)) = text.split_once('=') else {
            bail!("--player {text}: ROLE=PLAYER is expected, such as {}=random", roles[0]);
        };
        let Some(number) = roles.iter().position(|known| *known == role.to_lowercase()) else {
            bail!("--player {text}: {}", game::no_role(role, roles));
        };
        let entrant = AtTerminal.entrant(line).with_context(|| format!("--player {text}"))?;
        if lines[number].replace(entrant.line).is_some() {
            bail!("--player {text}: {role} has a player already");
        }
    }
    Ok(lines.into_iter().map(|line| line.unwrap_or_else(|| "random".to_owned())).collect())
}

/// A step as a line for each role that chose.
fn line(machine: &dyn Machine, roles: &[String], moved: &PlayedStep<'_>) -> String {
    let mut out = String::new();
    for (role, played) in roles.iter().zip(moved.moves) {
        let action = machine.move_text(played.action);
        let step = moved.step + 1;
        match (&played.result, &played.fault) {
            (None, None) => {}
            (None, Some(fault)) => {
                out.push_str(&format!("{step:>4}  {role}: {action}  ({fault}; drawn at random)\n"))
            }
            (Some(result), _) => {
                let value = result.value.map_or(String::new(), |value| format!("  value {value:.2}"));
                let proved = if result.proved { " proved" } else { "" };
                let depth =
                    if result.depth > 0 { format!("  depth {}", result.depth) } else { String::new() };
                let nodes = match result.nodes {
                    0 => String::new(),
                    nodes => {
                        let states = counted(nodes, "state", "states");
                        format!("  {states} in {:.2} s", result.took.as_secs_f64())
                    }
                };
                out.push_str(&format!("{step:>4}  {role}: {action}{value}{proved}{depth}{nodes}\n"));
                if let Some(by) = &result.by {
                    out.push_str(&format!("      by {by}\n"));
                }
                if result.mixture.len() > 1 {
                    let share = |(action, share): &(MoveId, f64)| {
                        format!("{} {:.1} %", machine.move_text(*action), 100.0 * share)
                    };
                    let shares: Vec<String> = result.mixture.iter().map(share).collect();
                    out.push_str(&format!("      drawn from {}\n", shares.join(", ")));
                }
            }
        }
    }
    out
}

fn verdict(roles: &[String], lines: &[String], played_match: &Match) -> String {
    let steps = counted(played_match.moves.len() as u64, "step", "steps");
    let Some(goals) = &played_match.goals else {
        let why = played_match.left.as_ref().or(played_match.outgrown.as_ref());
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        return format!("not finished after {steps}{why}\n");
    };
    let mut out = format!("the end after {steps}\n");
    for ((role, line), goal) in roles.iter().zip(lines).zip(goals) {
        let goal = goal.map_or_else(|| "no goal value".to_owned(), |goal| goal.to_string());
        out.push_str(&format!("  {role} ({line}): {goal}\n"));
    }
    out
}
