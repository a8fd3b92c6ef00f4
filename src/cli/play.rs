//! `ggp play`: a match between players.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use clap::Args;

use super::game;
use super::human::{self, HUMAN, Human, PlaySession, Request};
use super::match_arguments::{MatchArguments, MatchFormat};
use super::playouts::{seconds, seconds_or_zero};
use super::{Exit, interrupt, print, print_note, usage};
use crate::arena::tournament::Thinking;
use crate::arena::{
    Clock, Conditions, Match, MatchError, MatchRecord, OwnPlayers, PlayedStep, Player, PlayerFactory, ready,
};
use crate::machine::{Machine, MoveId, State};
use crate::protocol::Remote;
use crate::report::board::Boards;
use crate::report::layout::{Layout, counted};
use crate::structure::in_kif;

/// Play a match between players, or play yourself
///
/// A player may be the address of a remote player, such as http://localhost:9147. Then this program is the game manager: it
/// sends the rules, keeps the clocks and collects the moves over the GGP protocol. A player that is late, unreachable or
/// answers with an illegal move gets a random move. The record notes this as TO, CE, or IL with the move.
///
/// Exit status: 0 played, also if you resign or quit, 1 the game or a player can't be used, 2 wrong usage, 6 a remote player misbehaved or its match was aborted, 130 interrupted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    pub(super) game: PathBuf,
    /// The player of a role: one of `ggp players`, `human` for you, an address, or recorded:FILE; other roles play at random
    #[arg(
        long = "player",
        value_name = "ROLE=PLAYER",
        long_help = super::players::help(
            "The player of a role; other roles play at random. `human` is you, an address such as http://localhost:9147 is a \
             remote player, and recorded:FILE or recorded:FILE#MATCH plays the moves of a record"
        )
    )]
    pub(super) players: Vec<String>,
    /// Time before the first move, in seconds [default: 1, or 10 with remote players]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) start_clock: Option<f64>,
    /// Time for each move, in seconds [default: 1, or 5 with remote players; no limit with --nodes]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) play_clock: Option<f64>,
    /// Limit of states that a player visits per move, unless its own options set another limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Seconds before the end of its clock at which a player stops; more after a late answer [default: 0.03, but at most a
    /// fifth of the clock]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) margin: Option<f64>,
    /// Network delay allowed beyond each clock, in seconds
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds_or_zero, help_heading = "Remote players")]
    pub(super) grace: f64,
    /// Replace the names in the rules by random ones, chosen with this seed
    #[arg(long, value_name = "K", help_heading = "Remote players")]
    pub(super) scramble: Option<u64>,
    /// In GDL-II games, send percepts without the player's own move, `PLAY ID (PERCEPTS)`, as older managers do
    #[arg(long, hide_short_help = true, help_heading = "Remote players")]
    pub(super) percepts_only: bool,
    /// Identifier of the match [default: the name of the game and the time; `match` and the time with --scramble]
    #[arg(long, value_name = "NAME", value_parser = match_id, help_heading = "Remote players")]
    pub(super) id: Option<String>,
    /// Manage the match over the GGP protocol even if no player is remote
    #[arg(long, hide = true)]
    managed: bool,
    #[command(flatten)]
    pub(super) shown: MatchArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp play tic_tac_toe --player crosses=alphabeta:fuzzy --play-clock 0.2
  ggp play games/connect_four.kif --player red=alphabeta:fuzzy --player yellow=uct
  ggp play games/tic_tac_toe.kif --player crosses=guct:statistical,cutoff=0.2,lanes=0 --out target/match.json
  ggp play games/connect_four.kif --player red=human --player yellow=uct
  ggp play games/tic_tac_toe.kif --player crosses=http://localhost:9147 --player noughts=uct --scramble 1
  ggp play games/connect_four.kif --player red=host1:9147 --player yellow=host2:9147 --start-clock 60 \\
    --play-clock 15 --out match.json
  ggp replay games/tic_tac_toe.kif target/match.json";

/// Default time before the first move, in seconds.
const START_CLOCK: f64 = 1.0;

/// Default time for each move, in seconds, unless `--nodes` is given.
const PLAY_CLOCK: f64 = 1.0;

/// Checks that the name of a match is a single word, as the protocol requires.
fn match_id(text: &str) -> Result<String, String> {
    let is_word =
        !text.is_empty() && text.chars().all(|sign| sign.is_ascii_graphic() && !"();".contains(sign));
    if is_word {
        Ok(text.to_owned())
    } else {
        Err("use a word without spaces, parentheses and semicolons".to_owned())
    }
}

impl Arguments {
    /// Whether the match is managed over the GGP protocol.
    pub(super) fn is_managed(&self) -> bool {
        let needs_manager = |text: &String| {
            text.split_once('=')
                .is_some_and(|(_, player)| Remote::is_address(player) || player.starts_with("recorded:"))
        };
        let has_option = self.scramble.is_some() || self.percepts_only || self.id.is_some();
        self.managed || has_option || self.players.iter().any(needs_manager)
    }

    /// The given clocks and safety margin, with these defaults for the clocks; an error if no time to think is left.
    pub(super) fn thinking(&self, start: f64, play: f64) -> Result<Thinking, String> {
        let (start, play) = (self.start_clock.unwrap_or(start), self.play_clock.unwrap_or(play));
        let thinking = Thinking::by_clock(start, play, self.margin);
        let margin = thinking.margin;
        if play > margin {
            return Ok(thinking);
        }
        Err(format!(
            "--play-clock {play} leaves no time to think, as the safety margin is {margin} s: use a longer clock or a smaller \
             --margin"
        ))
    }
}

#[expect(clippy::too_many_lines, reason = "the steps of a match, one after the other")]
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let start = arguments.start_clock.unwrap_or(START_CLOCK);
    let play = match (arguments.play_clock, arguments.nodes) {
        (None, Some(_)) => None,
        (play, _) => Some(play.unwrap_or(PLAY_CLOCK)),
    };
    let margin = match play.map(|play| arguments.thinking(start, play)).transpose() {
        Ok(thinking) => thinking.map_or(0.0, |thinking| thinking.margin),
        Err(fault) => return usage(&fault),
    };
    let (_, game) = arguments.shown.load(&arguments.game)?;
    let game_path = || arguments.game.display().to_string();
    let (machine, roles) = (game.machine(), game.roles());
    let entrant = |text: &str| Ok(human::entrant(text)?.line);
    let lines = of_roles(&arguments.players, &roles, entrant, || "random".to_owned())?;
    let person = |line: &String| line == HUMAN;
    interrupt::watch()?;

    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let clock = Clock { start: time(start), play: play.map(time), margin: time(margin) };
    let named_players: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (plan, flag) = (arguments.shown.play.match_plan(), interrupt::flag());
    let prepared = interrupt::guarded(|| ready(&game, plan, &named_players, Some(&clock), Some(flag)));
    let prepared = prepared.with_context(game_path)?;
    let session = PlaySession::default();
    let seed = arguments.shown.play.seed();
    let mut players: Vec<Box<dyn Player + '_>> = Vec::new();
    for (role, line) in lines.iter().enumerate() {
        let player: Box<dyn Player + '_> = match line.as_str() {
            HUMAN => {
                Box::new(Human { game: &prepared, role, session: &session, hint_time: clock.play, seed })
            }
            _ => {
                let player = OwnPlayers.player(line, &prepared, role, seed);
                player.with_context(|| format!("--player {}={line}", roles[role]))?
            }
        };
        if let Some(text) = player.note() {
            print_note(&format!("{}: {text}\n", roles[role]))?;
        }
        players.push(player);
    }

    let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let layout = Layout::detect();
    let texts = in_kif(prepared.structures(), machine);
    let boards = Boards::new(&game.game(), prepared.structures(), &texts);
    let has_person = lines.iter().any(person);
    if has_person && arguments.shown.draws_boards() {
        print(&boards.draw_or_list(machine.initial(), layout))?;
    }
    let mut failed = None;
    let mut on_move = |moved: &PlayedStep<'_>| {
        if arguments.shown.format == MatchFormat::Table && failed.is_none() {
            let mut text = line(machine, &roles, moved, has_person);
            if arguments.shown.draws_boards() {
                text.push_str(&match has_person {
                    true => boards.draw_or_list(moved.after, layout),
                    false => boards.draw(moved.after, layout),
                });
            }
            failed = print(&text).err();
        }
    };
    let most_steps = arguments.shown.most_steps();
    let conditions = Conditions { clock, nodes: arguments.nodes, most_steps, seed, opening: Vec::new() };
    let mut on_undo = |state: &State, step: usize| -> anyhow::Result<()> {
        print_note(&format!("the match continues after step {step}\n"))?;
        match arguments.shown.draws_boards() {
            true => print(&boards.draw_or_list(state, layout)),
            false => Ok(()),
        }
    };
    let played_match =
        play_with_undo(machine, &mut players, &conditions, &session, &mut on_move, &mut on_undo)?;
    failed.map_or(Ok(()), Err)?;
    let name = format!("{}.{begun}", machine.description().name);
    let people = lines.iter().map(person).collect();
    let record = MatchRecord::new(machine, &played_match, lines.clone(), &clock, &game_path(), (name, begun));
    let resigned = match session.request.get() {
        Some(Request::Resign(role)) => Some(roles[role].clone()),
        _ => None,
    };
    let record = MatchRecord { is_player_human: people, resigned: resigned.clone(), ..record };
    let json = arguments.shown.keep(&record)?;
    match arguments.shown.format {
        MatchFormat::Json => print(&json)?,
        MatchFormat::Table => match resigned {
            Some(role) => {
                let steps = counted(played_match.moves.len() as u64, "step", "steps");
                print(&format!("{role} resigned after {steps}\n"))?;
            }
            None => print(&verdict(&roles, &lines, &played_match))?,
        },
    }
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}

/// Plays a match. If a person takes moves back, the match continues with the same players from the earlier step, and the
/// result has the line that was played in the end.
fn play_with_undo(
    machine: &dyn Machine,
    players: &mut [Box<dyn Player + '_>],
    conditions: &Conditions,
    session: &PlaySession,
    on_move: &mut dyn FnMut(&PlayedStep<'_>),
    on_undo: &mut dyn FnMut(&State, usize) -> anyhow::Result<()>,
) -> anyhow::Result<Match> {
    let (mut conditions, mut times) = (conditions.clone(), Vec::new());
    loop {
        let begin = conditions.opening.len();
        let mut on_new_move = |moved: &PlayedStep<'_>| {
            if moved.step as usize >= begin {
                session.moves.borrow_mut().push(moved.moves.to_vec());
                on_move(moved);
            }
        };
        let flag = Some(&**interrupt::flag());
        let played: Result<Match, MatchError> =
            Match::play(machine, players, &conditions, flag, &mut on_new_move);
        let mut played = played?;
        // The opening has the moves without their searches, and took no time. An interrupt may have cut it short.
        session.moves.borrow_mut().truncate(played.moves.len());
        played.moves.clone_from(&session.moves.borrow());
        times.truncate(played.moves.len());
        times.extend(played.times.iter().skip(begin));
        played.times.clone_from(&times);
        let Some(Request::Undo(step)) = session.request.get() else { return Ok(played) };
        session.request.set(None);
        session.moves.borrow_mut().truncate(step);
        times.truncate(step);
        let line = session.moves.borrow();
        conditions.opening =
            line.iter().map(|moves| moves.iter().map(|played| played.action).collect()).collect();
        conditions.clock.start = Duration::ZERO;
        on_undo(&played.states[step], step)?;
    }
}

/// The player of every role, from texts of the form ROLE=PLAYER. `read` makes a player of its text; roles without a text get
/// the player `unnamed`.
pub(super) fn of_roles<T>(
    given: &[String],
    roles: &[String],
    read: impl Fn(&str) -> anyhow::Result<T>,
    unnamed: impl Fn() -> T,
) -> anyhow::Result<Vec<T>> {
    let mut players: Vec<Option<T>> = roles.iter().map(|_| None).collect();
    for text in given {
        let Some((role, player)) = text.split_once('=') else {
            bail!("--player {text}: write ROLE=PLAYER, such as {}=random", roles[0]);
        };
        let Some(number) = roles.iter().position(|known| *known == role.to_lowercase()) else {
            bail!("--player {text}: {}", game::no_role(role, roles));
        };
        let player = read(player).with_context(|| format!("--player {text}"))?;
        if players[number].replace(player).is_some() {
            bail!("--player {text}: {role} has a player already; remove one of the two");
        }
    }
    Ok(players.into_iter().map(|player| player.unwrap_or_else(&unnamed)).collect())
}

/// The moves of a step, with a line for each role that had a choice. In matches with persons, searches are not shown: `eval`
/// shows them on request.
fn line(machine: &dyn Machine, roles: &[String], moved: &PlayedStep<'_>, has_person: bool) -> String {
    let mut out = String::new();
    for (role, played) in roles.iter().zip(moved.moves) {
        let action = machine.move_text(played.action);
        let step = moved.step + 1;
        match (&played.result, &played.fault) {
            (None, None) => {}
            (None, Some(fault)) => {
                out.push_str(&format!("{step:>4}  {role}: {action}  ({fault}; drawn at random)\n"))
            }
            (Some(_), _) if has_person => out.push_str(&format!("{step:>4}  {role}: {action}\n")),
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
        let stuck =
            |role: usize| format!("{} has no legal move although the game has not ended", roles[role]);
        let why = played_match.left.clone().or(played_match.outgrown.clone());
        let why = why.or(played_match.stuck.map(stuck)).map_or_else(String::new, |why| format!(": {why}"));
        return format!("not finished after {steps}{why}\n");
    };
    let mut out = format!("the end after {steps}\n");
    for ((role, line), goal) in roles.iter().zip(lines).zip(goals) {
        let goal = goal.map_or_else(|| "no goal value".to_owned(), |goal| goal.to_string());
        out.push_str(&format!("  {role} ({line}): {goal}\n"));
    }
    out
}
