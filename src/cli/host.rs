//! `ggp host`: a match between remote players and here, managed by this program.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use clap::Args;

use super::game;
use super::match_arguments::{MatchArguments, MatchFormat};
use super::playouts::{seconds, some_seconds};
use super::{Exit, fault, interrupt, print};
use crate::analysis::Plan;
use crate::arena::{Clock, MatchRecord, OwnPlayers, PlayedStep, PlayerFactory, PreparedGame, ready};
use crate::machine::Machine;
use crate::protocol::{LONGEST_CLOCK, ManagedMatch, MatchMoment, MatchTerms, Remote, Seat, manage};
use crate::report::board::Boards;
use crate::report::layout::{Layout, counted};
use crate::simulate::{Recordings, canonical};
use crate::structure::in_kif;

/// Manage a match between remote and local players
///
/// Remote players are asked over the GGP protocol, all at the same time. Who is late, can't be reached or gives no legal
/// move has a random move played for it; the record says so as other managers' records do: TO, CE, or IL and the move.
///
/// Exit status: 0 every player behaved, 1 the game or a player can't be used, 2 wrong usage, 6 a player did not behave,
/// 130 interrupted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rules of the game, in GDL (prefix KIF)
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Who plays a role (ROLE=WHO): an address such as http://localhost:9147, a player of this program, or
    /// recorded:FILE or recorded:FILE#MATCH for the moves of a record; other roles play at random
    #[arg(long = "role", value_name = "ROLE=WHO")]
    roles: Vec<String>,
    /// Seconds before the first move
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    start_clock: f64,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    play_clock: f64,
    /// Seconds of network delay allowed beyond each clock
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = some_seconds)]
    grace: f64,
    /// Scramble the names in the rules that players get, with this seed
    #[arg(long, value_name = "K")]
    scramble: Option<u64>,
    /// In games that say what players see (GDL-II), send the percepts alone, `PLAY ID (PERCEPTS)`, as older managers do
    #[arg(long)]
    percepts_only: bool,
    /// Identifier of the match [default: the game's name and the time; `match` and the time with --scramble]
    #[arg(long, value_name = "NAME", value_parser = id)]
    id: Option<String>,
    #[command(flatten)]
    shown: MatchArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp host tic_tac_toe --role noughts=uct --start-clock 1 --play-clock 0.5
  ggp host games/tic_tac_toe.kif --role crosses=http://localhost:9147 --role noughts=uct --scramble 1
  ggp host games/connect_four.kif --role red=host1:9147 --role yellow=host2:9147 --start-clock 60 --play-clock 15 \\
    --out match.json
  ggp host games/connect_four.kif --role red=recorded:match.json --role yellow=recorded:match.json";

/// Times of the same fault that are listed.
const TIMES: usize = 5;

/// Seconds of its clock that a player of this program leaves.
const MARGIN: f64 = 0.05;

/// The name of a match: a word of the protocol.
fn id(text: &str) -> Result<String, String> {
    let word = !text.is_empty() && text.chars().all(|sign| sign.is_ascii_graphic() && !"();".contains(sign));
    if word { Ok(text.to_owned()) } else { Err("a word without parentheses is expected".to_owned()) }
}

/// Who plays, as it was asked for.
enum Who {
    Remote(Remote),
    Recorded(PathBuf, Option<String>),
    Own(String),
    Random,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let (source, game) = arguments.shown.load(&arguments.game)?;
    let named = || arguments.game.display().to_string();
    let (machine, roles) = (game.machine(), game.roles());
    let (names, players) = players(&arguments.roles, &roles)?;
    let own: Vec<&str> = players
        .iter()
        .filter_map(|player| if let Who::Own(line) = player { Some(line.as_str()) } else { None })
        .collect();
    let drawn = arguments.shown.draws_boards();
    let plan = match own.is_empty() {
        true => drawn.then(|| Plan { max_steps: None, ..arguments.shown.play.boards_plan() }),
        false => Some(arguments.shown.play.match_plan()),
    };
    let clock = arguments.clock();
    let readied =
        |plan| interrupt::guarded(|| ready(&game, plan, &own, Some(&clock), Some(interrupt::flag())));
    let prepared = plan.map(readied).transpose().with_context(named)?;
    let found = prepared.as_ref().map(|prepared| prepared.structures());
    let texts = found.map(|found| in_kif(found, machine));
    let boards = found.zip(texts.as_ref()).map(|(found, texts)| Boards::new(machine, found, texts));
    let mut seats = arguments.seats(players, prepared.as_ref(), &roles)?;

    let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let terms = arguments.terms(&machine.description().name, clock, begun);
    let layout = Layout::detect();
    let mut failed = None;
    let mut on_move = |moved: &PlayedStep<'_>| {
        if arguments.shown.format == MatchFormat::Table && failed.is_none() {
            let mut text = line(machine, moved);
            if let Some(boards) = boards.as_ref().filter(|_| drawn) {
                text.push_str(&boards.draw(moved.after, layout));
            }
            failed = print(&text).err();
        }
    };
    let managed = manage(machine, &source, &mut seats, &terms, Some(interrupt::flag()), &mut on_move)?;
    failed.map_or(Ok(()), Err)?;
    let MatchTerms { id, clock, .. } = terms;
    let mut record =
        MatchRecord::new(machine, &managed.played_match, names.clone(), &clock, &named(), (id, begun));
    record.errors.clone_from(&managed.errors);
    record.scrambled = arguments.scramble.is_some();
    let json = arguments.shown.keep(&record)?;
    match arguments.shown.format {
        MatchFormat::Json => {
            print(&json)?;
            fault(&conduct(&roles, &managed))?;
        }
        MatchFormat::Table => print(&(verdict(&roles, &names, &managed) + &conduct(&roles, &managed)))?,
    }
    Ok(match managed.violations.is_empty() && managed.broken.is_none() {
        _ if interrupt::asked() => Exit::Interrupted,
        true => Exit::Ok,
        false => Exit::Misbehaved,
    })
}

impl Arguments {
    fn clock(&self) -> Clock {
        Clock {
            start: clock_time(self.start_clock),
            play: Some(clock_time(self.play_clock)),
            margin: clock_time(MARGIN.min(self.play_clock / 5.0)),
        }
    }

    /// The terms of a match of a game, which began at a time in milliseconds.
    fn terms(&self, game: &str, clock: Clock, begun: u64) -> MatchTerms {
        let plain =
            |sign: char| if sign.is_ascii_alphanumeric() || "._-".contains(sign) { sign } else { '_' };
        let name: String = match self.scramble {
            // The file's name would reveal the game to the players.
            Some(_) => "match".to_owned(),
            None => game.chars().map(plain).collect(),
        };
        MatchTerms {
            id: self.id.clone().unwrap_or_else(|| format!("{name}.{begun}")),
            clock,
            grace: clock_time(self.grace),
            most_steps: self.shown.most_steps(),
            seed: self.shown.play.seed(),
            scramble: self.scramble,
            percepts_only: self.percepts_only,
        }
    }

    /// The players in the seats of their roles.
    fn seats<'m>(
        &self,
        players: Vec<Who>,
        prepared: Option<&PreparedGame<'m>>,
        roles: &[String],
    ) -> anyhow::Result<Vec<Seat<'m>>> {
        let seat = |(role, player): (usize, Who)| {
            Ok(match player {
                Who::Remote(remote) => Seat::Remote(remote),
                Who::Random => Seat::Random,
                Who::Recorded(path, id) => {
                    Seat::Recorded(recorded(&path, id.as_deref(), &self.game, &roles[role], role)?)
                }
                Who::Own(line) => {
                    let prepared = prepared.expect("the game is prepared if a local player plays");
                    let player = OwnPlayers.player(&line, prepared, role, self.shown.play.seed());
                    Seat::Local(player.with_context(|| format!("--role {}={line}", roles[role]))?)
                }
            })
        };
        players.into_iter().enumerate().map(seat).collect()
    }
}

/// A number of seconds as a clock has it.
fn clock_time(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_CLOCK).min(LONGEST_CLOCK)
}

/// The player of every role with its name.
fn players(given: &[String], roles: &[String]) -> anyhow::Result<(Vec<String>, Vec<Who>)> {
    let mut players: Vec<Option<(String, Who)>> = roles.iter().map(|_| None).collect();
    for text in given {
        let Some((role, who)) = text.split_once('=') else {
            bail!("--role {text}: ROLE=WHO is expected, such as {}=http://localhost:9147", roles[0]);
        };
        let Some(number) = roles.iter().position(|known| *known == role.to_lowercase()) else {
            bail!("--role {text}: {}", game::no_role(role, roles));
        };
        let player = match who.strip_prefix("recorded:") {
            Some(file) => {
                let (path, id) =
                    file.split_once('#').map_or((file, None), |(path, id)| (path, Some(id.to_owned())));
                Who::Recorded(path.into(), id)
            }
            None if Remote::is_address(who) => {
                Who::Remote(Remote::new(who).with_context(|| format!("--role {text}"))?)
            }
            None if who == "random" => Who::Random,
            None => Who::Own(OwnPlayers.entrant(who).with_context(|| format!("--role {text}"))?.line),
        };
        if players[number].replace((who.to_owned(), player)).is_some() {
            bail!("--role {text}: {role} has a player already");
        }
    }
    Ok(players.into_iter().map(|player| player.unwrap_or_else(|| ("random".to_owned(), Who::Random))).unzip())
}

/// The moves of a role in a record: the first of the file, or the one of a name.
fn recorded(
    path: &Path,
    id: Option<&str>,
    game: &Path,
    role: &str,
    number: usize,
) -> anyhow::Result<Vec<String>> {
    let kif = game.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for recording in Recordings::open(path, &kif)? {
        let recording = recording?;
        if id.is_some_and(|id| id != recording.source) {
            continue;
        }
        let column = recording.roles.iter().position(|known| *known == canonical(role)).unwrap_or(number);
        let joints = recording.positions.iter().filter_map(|position| position.joint.as_ref());
        let moves = joints.map(|joint| joint.get(column).cloned());
        return moves.collect::<Option<_>>().with_context(|| {
            format!("{}: match {} has no moves of {role}", path.display(), recording.source)
        });
    }
    match id {
        Some(id) => bail!("{} has no match {id} of {kif}", path.display()),
        None => bail!("{} has no match of {kif}", path.display()),
    }
}

/// A step on a line.
fn line(machine: &dyn Machine, moved: &PlayedStep<'_>) -> String {
    let moves = moved.moves.iter().map(|played| {
        let action = machine.move_text(played.action);
        match &played.fault {
            None => action,
            Some(fault) => format!("{action} ({fault}; drawn at random)"),
        }
    });
    format!("{:>4}  {}\n", moved.step + 1, moves.collect::<Vec<_>>().join("  "))
}

fn verdict(roles: &[String], names: &[String], managed: &ManagedMatch) -> String {
    let steps = counted(managed.played_match.moves.len() as u64, "step", "steps");
    let mut out = match &managed.broken {
        None => format!("the end after {steps}\n"),
        Some(why) => format!("aborted after {steps}: {why}\n"),
    };
    let goals = managed.played_match.goals.iter().flatten();
    for ((role, name), goal) in roles.iter().zip(names).zip(goals) {
        let goal = goal.map_or_else(|| "no goal value".to_owned(), |goal| goal.to_string());
        out.push_str(&format!("  {role} ({name}): {goal}\n"));
    }
    out
}

/// Who did what wrong, and when.
fn conduct(roles: &[String], managed: &ManagedMatch) -> String {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for violation in &managed.violations {
        let line = format!("{}: {} ({})", roles[violation.role], violation.why, violation.what);
        let at = match violation.at {
            MatchMoment::Start => "START".to_owned(),
            MatchMoment::Play(step) => format!("step {step}"),
            MatchMoment::Stop => "STOP".to_owned(),
            MatchMoment::Abort => "ABORT".to_owned(),
        };
        match lines.iter_mut().find(|(other, _)| *other == line) {
            Some((_, when)) => when.push(at),
            None => lines.push((line, vec![at])),
        }
    }
    let shown = |(line, when): (String, Vec<String>)| {
        let more = when.len().saturating_sub(TIMES);
        let rest = if more > 0 { format!(" and {more} more times") } else { String::new() };
        format!("{line} at {}{rest}\n", when[..when.len() - more].join(", "))
    };
    lines.into_iter().map(shown).collect()
}
