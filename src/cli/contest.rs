//! `ggp play`: a match between players.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::eval::boards;
use super::game::{self, MachineArguments};
use super::play::{IN_LANES, ONE_BY_ONE, PlayArguments, seconds};
use super::{Exit, interrupt, note, print};
use crate::arena::{Clock, Contest, MatchRecord, Moved, Player, PlayerSpec, Prepared};
use crate::evaluation::GameIdentity;
use crate::feature;
use crate::machine::Machine;
use crate::report::files::write_whole;
use crate::report::layout::{Layout, grouped};
use crate::simulate::{Context, suits_lanes};
use crate::structure;

/// Play a match between players
///
/// Exit status: 0 played, 1 the game or a player can't be used, 2 wrong usage, 130 interrupted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rules of the game, in GDL (prefix KIF)
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Who plays a role (ROLE=PLAYER); other roles play at random (`ggp players` lists players)
    #[arg(long = "player", value_name = "ROLE=PLAYER")]
    players: Vec<String>,
    /// Seconds before the first move, besides its own
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    startclock: f64,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    playclock: f64,
    /// Seconds that a player leaves of its clock
    #[arg(long, value_name = "S", default_value_t = 0.02, value_parser = seconds)]
    margin: f64,
    /// Write the record of the match there
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Leave out the pictures of boards
    #[arg(long)]
    no_boards: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    play: PlayArguments,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp play games/connect_four.kif --player red=alphabeta:fuzzy --player yellow=uct
  ggp play games/tic_tac_toe.kif --player crosses=guct:statistical?cutoff=0.2 --out target/match.json
  ggp replay games/tic_tac_toe.kif target/match.json";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Every move, and the goal values at the end
    Text,
    /// The record of the match
    Json,
}

/// A match is broken off after so many steps.
const MOST_STEPS: u32 = 10_000;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let (source, description) = game::description(&arguments.game)?;
    let named = || arguments.game.display().to_string();
    let loaded = arguments.machine.load(description).with_context(named)?;
    let machine = &*loaded.machine;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let specs = specs(&arguments.players, &roles)?;

    let context = Context { interrupt: Some(interrupt::flag()), progress: None };
    let untold = if machine.network().is_some_and(suits_lanes) { IN_LANES } else { ONE_BY_ONE };
    let budget = arguments.play.budget(untold);
    let (structures, _) =
        structure::detect(machine, &loaded.statics, &budget, &context).with_context(named)?;
    let sample = arguments.play.sample(machine);
    let features = feature::measure(machine, &structures, &sample, &context).with_context(named)?;
    let identity = GameIdentity::new(source.bytes(), machine.description());
    let sequences = &features.sequences;
    let prepared = Prepared::new(machine, identity, structures, &features, sequences, &sample, context)?;
    let mut players: Vec<Player<'_>> = Vec::new();
    for (role, spec) in specs.iter().enumerate() {
        let player = prepared.player(spec, role, arguments.play.seed());
        players.push(player.with_context(|| format!("--player {}={spec}", roles[role]))?);
    }

    let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let clock = Clock {
        start: time(arguments.startclock),
        play: Some(time(arguments.playclock)),
        margin: time(arguments.margin),
    };
    let layout = Layout::detect();
    let mut failed = None;
    let mut tell = |moved: &Moved<'_>| {
        if arguments.format == Format::Text && failed.is_none() {
            let mut text = line(machine, &roles, moved);
            if !arguments.no_boards {
                text.push_str(&boards(machine, prepared.structures(), moved.after, layout));
            }
            failed = print(&text).err();
        }
    };
    let flag = Some(interrupt::flag());
    let contest =
        Contest::play(machine, &mut players, &clock, MOST_STEPS, arguments.play.seed(), flag, &mut tell)?;
    failed.map_or(Ok(()), Err)?;
    let names = specs.iter().map(PlayerSpec::to_string).collect();
    let name = format!("{}.{begun}", machine.description().name);
    let record = MatchRecord::new(machine, &contest, names, &clock, &named(), name, begun);
    let json = serde_json::to_string(&record)? + "\n";
    if let Some(out) = &arguments.out {
        write_whole(out, &json).with_context(|| format!("{} can't be written", out.display()))?;
        note(&format!("written to {}\n", out.display()))?;
    }
    match arguments.format {
        Format::Json => print(&json)?,
        Format::Text => print(&verdict(&roles, &specs, &contest))?,
    }
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}

/// The player of every role.
fn specs(given: &[String], roles: &[String]) -> anyhow::Result<Vec<PlayerSpec>> {
    let mut specs: Vec<Option<PlayerSpec>> = vec![None; roles.len()];
    for text in given {
        let Some((role, spec)) = text.split_once('=') else {
            bail!("--player {text}: ROLE=PLAYER is expected, such as {}=random", roles[0]);
        };
        let Some(number) = roles.iter().position(|known| *known == role.to_lowercase()) else {
            bail!("--player {text}: the game has no role `{role}`; it has {}", roles.join(", "));
        };
        let spec = spec.parse().with_context(|| format!("--player {text}"))?;
        if specs[number].replace(spec).is_some() {
            bail!("--player {text}: {role} has a player already");
        }
    }
    let random = || "random".parse().expect("a player there is");
    Ok(specs.into_iter().map(|spec| spec.unwrap_or_else(random)).collect())
}

/// A step as a line for each role that chose.
fn line(machine: &dyn Machine, roles: &[String], moved: &Moved<'_>) -> String {
    let mut out = String::new();
    for (role, played) in roles.iter().zip(moved.moves) {
        let action = machine.move_text(played.action);
        let step = moved.step + 1;
        match (&played.thought, played.error.as_str()) {
            (None, "") => {}
            (None, error) => {
                out.push_str(&format!("{step:>4}  {role}: {action}  ({error}; drawn at random)\n"))
            }
            (Some(thought), _) => {
                let value = thought.value.map_or(String::new(), |value| format!("  value {value:.2}"));
                let proved = if thought.proved { " proved" } else { "" };
                let depth =
                    if thought.depth > 0 { format!("  depth {}", thought.depth) } else { String::new() };
                let nodes = match thought.nodes {
                    0 => String::new(),
                    nodes => format!("  {} states in {:.2} s", grouped(nodes), thought.took.as_secs_f64()),
                };
                out.push_str(&format!("{step:>4}  {role}: {action}{value}{proved}{depth}{nodes}\n"));
            }
        }
    }
    out
}

fn verdict(roles: &[String], specs: &[PlayerSpec], contest: &Contest) -> String {
    let Some(goals) = &contest.goals else {
        return format!("not finished after {} steps\n", contest.moves.len());
    };
    let mut out = format!("the end after {} steps\n", contest.moves.len());
    for ((role, spec), goal) in roles.iter().zip(specs).zip(goals) {
        let goal = goal.map_or_else(|| "no goal value".to_owned(), |goal| goal.to_string());
        out.push_str(&format!("  {role} ({spec}): {goal}\n"));
    }
    out
}
