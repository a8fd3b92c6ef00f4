//! The part of `ggp play` that is a game manager: a match with remote players over the GGP protocol.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};

use super::human::HUMAN;
use super::match_arguments::MatchFormat;
use super::play::{Arguments, of_roles};
use super::{Exit, interrupt, print, print_error, usage};
use crate::analysis::Plan;
use crate::arena::tournament::Thinking;
use crate::arena::{Clock, MatchRecord, OwnPlayers, PlayedStep, PlayerFactory, PreparedGame, ready};
use crate::machine::Machine;
use crate::protocol::{LONGEST_CLOCK, ManagedMatch, MatchMoment, MatchTerms, Remote, Seat, manage};
use crate::report::board::Boards;
use crate::report::layout::{Layout, counted};
use crate::simulate::{Recordings, canonical};
use crate::structure::in_kif;

/// Maximum number of steps that are listed for one fault.
const MAX_LISTED_STEPS: usize = 5;

/// Default time before the first move, in seconds, with remote players.
const START_CLOCK: f64 = 10.0;

/// Default time for each move, in seconds, with remote players.
const PLAY_CLOCK: f64 = 5.0;

/// The player of a role.
enum RolePlayer {
    Remote(Remote),
    Recorded(PathBuf, Option<String>),
    Own(String),
    Random,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.nodes.is_some() {
        return usage(
            "--nodes does not limit remote players: use --play-clock, or a player with its own limit such as uct?nodes=1000",
        );
    }
    if let Some(text) = arguments.players.iter().find(|text| text.ends_with(&format!("={HUMAN}"))) {
        return usage(&format!(
            "--player {text}: a person can't play against remote or recorded players, or with --id, --scramble and \
             --percepts-only, because moves could not be taken back there: name another player"
        ));
    }
    let thinking = match arguments.thinking(START_CLOCK, PLAY_CLOCK) {
        Ok(thinking) => thinking,
        Err(fault) => return usage(&fault),
    };
    interrupt::watch()?;
    let (source, game) = arguments.shown.load(&arguments.game)?;
    let named = || arguments.game.display().to_string();
    let (machine, roles) = (game.machine(), game.roles());
    let unnamed = || ("random".to_owned(), RolePlayer::Random);
    let (names, players): (Vec<String>, Vec<RolePlayer>) =
        of_roles(&arguments.players, &roles, player, unnamed)?.into_iter().unzip();
    let own: Vec<&str> = players
        .iter()
        .filter_map(|player| if let RolePlayer::Own(line) = player { Some(line.as_str()) } else { None })
        .collect();
    let drawn = arguments.shown.draws_boards();
    let plan = match own.is_empty() {
        true => drawn.then(|| Plan { max_steps: None, ..arguments.shown.play.boards_plan() }),
        false => Some(arguments.shown.play.match_plan()),
    };
    let clock = managed_clock(&thinking);
    let readied =
        |plan| interrupt::guarded(|| ready(&game, plan, &own, Some(&clock), Some(interrupt::flag())));
    let prepared = plan.map(readied).transpose().with_context(named)?;
    let found = prepared.as_ref().map(|prepared| prepared.structures());
    let texts = found.map(|found| in_kif(found, machine));
    let boards = found.zip(texts.as_ref()).map(|(found, texts)| Boards::new(&game.game(), found, texts));
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
            print_error(&violations_text(&roles, &managed))?;
        }
        MatchFormat::Table => {
            print(&(verdict(&roles, &names, &managed) + &violations_text(&roles, &managed)))?
        }
    }
    Ok(match managed.violations.is_empty() && managed.broken.is_none() {
        _ if interrupt::asked() => Exit::Interrupted,
        true => Exit::Ok,
        false => Exit::Misbehaved,
    })
}

/// The clock of a managed match.
fn managed_clock(thinking: &Thinking) -> Clock {
    Clock {
        start: clock_time(thinking.start),
        play: thinking.play.map(clock_time),
        margin: clock_time(thinking.margin),
    }
}

impl Arguments {
    /// The terms of a match that began at `begun`, in milliseconds since 1970.
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
        players: Vec<RolePlayer>,
        prepared: Option<&PreparedGame<'m>>,
        roles: &[String],
    ) -> anyhow::Result<Vec<Seat<'m>>> {
        let seat = |(role, player): (usize, RolePlayer)| {
            Ok(match player {
                RolePlayer::Remote(remote) => Seat::Remote(remote),
                RolePlayer::Random => Seat::Random,
                RolePlayer::Recorded(path, id) => {
                    Seat::Recorded(recorded(&path, id.as_deref(), &self.game, &roles[role], role)?)
                }
                RolePlayer::Own(line) => {
                    let prepared = prepared.expect("the game is prepared if a local player plays");
                    let player = OwnPlayers.player(&line, prepared, role, self.shown.play.seed());
                    Seat::Local(player.with_context(|| format!("--player {}={line}", roles[role]))?)
                }
            })
        };
        players.into_iter().enumerate().map(seat).collect()
    }
}

/// Converts seconds to a duration of at most `LONGEST_CLOCK`.
fn clock_time(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_CLOCK).min(LONGEST_CLOCK)
}

/// The name and the player that a text describes.
fn player(text: &str) -> anyhow::Result<(String, RolePlayer)> {
    let player = match text.strip_prefix("recorded:") {
        Some(file) => {
            let (path, id) =
                file.split_once('#').map_or((file, None), |(path, id)| (path, Some(id.to_owned())));
            RolePlayer::Recorded(path.into(), id)
        }
        None if Remote::is_address(text) => RolePlayer::Remote(Remote::new(text)?),
        None if text == "random" => RolePlayer::Random,
        None => RolePlayer::Own(OwnPlayers.entrant(text)?.line),
    };
    let name = if let RolePlayer::Own(line) = &player { line } else { text };
    Ok((name.to_owned(), player))
}

/// The moves of a role in a recorded match: the match `id`, or the first one in the file.
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

/// One line with the moves of a step.
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

/// Lists the faults of each player, with their steps.
fn violations_text(roles: &[String], managed: &ManagedMatch) -> String {
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
        let more = when.len().saturating_sub(MAX_LISTED_STEPS);
        let rest = match more {
            0 => String::new(),
            more => format!(" and {}", counted(more as u64, "more time", "more times")),
        };
        format!("{line} at {}{rest}\n", when[..when.len() - more].join(", "))
    };
    lines.into_iter().map(shown).collect()
}
