//! `ggp tournament`: many matches between players, and their ratings.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::circumstances::{circumstances, command_line, command_without_cluster};
use super::cluster::{ClusterArguments, DEALT_TWICE};
#[cfg(feature = "cluster")]
use super::cluster::{ClusterRun, GatherResult, play};
use super::game::{self, MachineArguments};
use super::playouts::{seconds, seconds_or_zero};
use super::progress::{set_length, spinner};
use super::{Exit, interrupt, print, print_note, usage};
use crate::analysis::LoadedGame;
use crate::arena::tournament::{
    Ending, Entrants, Fixture, MergeResult, Plan, PlanError, PlanGame, PlayedMatch, RunConditions, Summary,
    Thinking, Tournament, TournamentError, Watcher,
};
use crate::arena::{MatchRecord, Part};
use crate::protocol::{AllPlayers, Remote};
use crate::report::files::write_whole;
use crate::report::html::{TournamentResults, tournament_page};
use crate::report::layout::{Layout, counted, grouped};
use crate::report::strength::time;
use crate::report::tournament::{json, pairings_csv, results_csv, roles_csv, standings_csv, text};
use crate::statistics::Sprt;
use crate::study::MatchResults;

/// File name of the log in the folder of results.
pub(super) const LOG: &str = "log.jsonl";

/// Play many matches between players and compute ratings
///
/// In each round, two players play each game once for each assignment of roles that gives both of them a role. In games
/// of one role, each player plays alone. A single player, or one that is named twice, plays against itself, which
/// compares the roles. Each match is written to log.jsonl when it ends; the same command resumes an interrupted
/// tournament.
///
/// The folder also gets results.csv, standings.csv, pairings.csv, roles.csv, tournament.json and report.html, a page
/// for a browser.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The games: files of rules in GDL (prefix KIF), or names that `ggp games` lists
    #[arg(long, value_name = "GAME", num_args = 1.., required = true)]
    games: Vec<PathBuf>,
    /// The players (`ggp players` lists them), remote ones by their addresses, such as http://localhost:9147
    #[arg(
        long,
        value_name = "PLAYER",
        num_args = 1..,
        required = true,
        long_help = super::players::help(
            "The players; remote ones by their addresses, such as http://localhost:9147"
        )
    )]
    players: Vec<String>,
    /// Opponents; the players then meet these instead of each other
    #[arg(long, value_name = "PLAYER", num_args = 1..)]
    against: Vec<String>,
    /// Number of rounds; in each, two players play every game once in each assignment of roles
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Time before the first move, in seconds [default: 1]
    #[arg(long, value_name = "S", value_parser = seconds_or_zero, requires = "play_clock")]
    start_clock: Option<f64>,
    /// Time for each move, in seconds; required without --nodes
    #[arg(long, value_name = "S", value_parser = seconds, required_unless_present = "nodes")]
    play_clock: Option<f64>,
    /// Limit of states that a player visits per move, unless its own options set another limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Seconds before the end of its clock at which a player stops; more after a late answer [default: 0.03, but at most a
    /// fifth of the clock]
    #[arg(long, value_name = "S", value_parser = seconds_or_zero, requires = "play_clock")]
    margin: Option<f64>,
    /// Random joint moves before the players think, the same for both assignments; games of one role have none
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 2)]
    opening: u32,
    /// Abort a match without a result after this many joint moves
    #[arg(long, hide_short_help = true, value_name = "M", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: u32,
    /// Stop the matches of two players in a game once a sequential test decides between two Elo differences; ALPHA and BETA
    /// are its error rates
    #[arg(long, value_name = "ELO0,ELO1,ALPHA,BETA", value_parser = sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Matches at the same time [default: as many as the processors allow]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Play even if there are fewer processors than threads
    #[arg(long, hide_short_help = true)]
    force: bool,
    /// Write the record of every match to the subfolder matches
    #[arg(long, hide_short_help = true)]
    records: bool,
    /// Write the log and the results to this folder
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Discard the results of an earlier run
    #[arg(long, hide_short_help = true)]
    fresh: bool,
    /// Play only part K of N, into part-K-of-N.jsonl; parts can run on different computers, and --merge combines them
    #[arg(long, hide_short_help = true, value_name = "K/N")]
    part: Option<Part>,
    /// Combine the logs of parts without playing; give the other options of the parts
    #[arg(long, hide_short_help = true, value_name = "LOG", num_args = 1.., conflicts_with = "part")]
    merge: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    machine: MachineArguments,
    #[command(flatten)]
    cluster: ClusterArguments,
}

/// Seconds before the first move, if only the time for each move is given.
const START_CLOCK: f64 = 1.0;

const EXAMPLES: &str = "\
Examples:
  ggp tournament --games tic_tac_toe --players random uct --rounds 2 --nodes 100 --out target/first
  ggp tournament --games games/tic_tac_toe.kif games/nim.kif --players random uct alphabeta:fuzzy \\
    --rounds 20 --nodes 1000 --out target/small
  ggp tournament --games games/*.kif --players alphabeta:fuzzy guct:statistical --against uct \\
    --start-clock 1 --play-clock 0.1 --sprt 0,100,0.05,0.05 --rounds 200 --out target/strength
  ggp tournament --games connect_four --players uct --nodes 200 --rounds 20 --out target/roles

The higher goal value wins. With more than two roles, the mean rank of a player's roles counts. \
The sequential test decides, for each player, between a lead of ELO0 and one of ELO1, with error \
rates ALPHA and BETA. Intervals have 95 % confidence; those of pairings that ended early are \
somewhat too narrow.

Exit status: 0 played; 1 a game or a player can't be used, or the log is of another tournament; \
2 wrong usage; 130 interrupted (the results so far are printed; the same command resumes).";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Standings, pairings game by game, and results by role
    Table,
    /// The document, as in tournament.json
    Json,
    /// A row for each player, as in standings.csv
    Csv,
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let parts: Vec<f64> = text.split(',').map_while(number).collect();
    match parts[..] {
        [elo0, elo1, alpha, beta] => Ok(Sprt { elo0, elo1, alpha, beta }),
        _ => Err("four numbers are expected, such as 0,100,0.05,0.05".into()),
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let games = arguments.games.iter().map(|path| load(path, &arguments.machine));
    let games = games.collect::<anyhow::Result<Vec<LoadedGame>>>()?;
    if let Some(fault) = arguments.misuse() {
        return usage(&fault);
    }
    let (entrants, pairings) = arguments.entrants(&games)?;
    let threads = match seats(arguments.threads, entrants.threads, arguments.force) {
        Ok(threads) => threads,
        Err(fault) => return usage(&fault),
    };
    let plan = arguments.plan(&games, entrants, pairings);
    let out = &arguments.out;
    let log = arguments.part.map_or_else(|| LOG.into(), |part| part.log());
    let opened = Tournament::open(plan, &out.join(log), arguments.fresh);
    let mut tournament = match opened {
        Err(TournamentError::Plan(
            fault @ (PlanError::NoTime(..) | PlanError::Sprt { .. } | PlanError::SprtAlone(_)),
        )) => {
            return usage(&fault.to_string());
        }
        opened => opened?,
    };
    let conditions = RunConditions {
        games: &games,
        source: &AllPlayers,
        threads,
        interrupt: Some(interrupt::flag()),
        until: None,
        records: arguments.records,
        part: arguments.part,
    };
    #[cfg_attr(not(feature = "cluster"), allow(unused_mut, reason = "all is played here"))]
    let mut given_up = 0;
    let ending = match arguments.merge[..] {
        #[cfg(feature = "cluster")]
        [] if arguments.cluster.is_asked() => {
            let dealing = ClusterRun {
                arguments: &arguments.cluster,
                machine: Some(&arguments.machine),
                records: arguments.records,
                fresh: arguments.fresh,
            };
            let gathered = play_elsewhere(&mut tournament, &games, &dealing, out)?;
            given_up = gathered.given_up;
            gathered.ending
        }
        [] => play_on(&mut tournament, &conditions, out)?,
        _ => {
            print_note(&put_together(tournament.merge(&arguments.merge)?))?;
            Ending::Done
        }
    };
    if let Some(part) = arguments.part {
        let count = tournament.played().count() as u64;
        print(&format!("part {part}: {}\n", counted(count, "match", "matches")))?;
        return if ending == Ending::Interrupted { interrupted() } else { Ok(Exit::Ok) };
    }
    let summary = tournament.summary();
    let unwritten = || format!("{} can't be written", out.display());
    write_files(&tournament, &summary, out).with_context(unwritten)?;
    write_page(&tournament, &summary, out).with_context(unwritten)?;
    print(&match arguments.format {
        Format::Table => text(tournament.plan(), &summary, Layout::detect()),
        Format::Json => json(tournament.plan(), &summary)?,
        Format::Csv => standings_csv(&summary)?,
    })?;
    match ending {
        Ending::Interrupted => interrupted(),
        _ if given_up > 0 => Ok(Exit::Findings),
        _ => Ok(Exit::Ok),
    }
}

impl Arguments {
    /// The error for options that can't be used together.
    fn misuse(&self) -> Option<String> {
        let mut lines = self.players.iter().chain(&self.against);
        match lines.find(|line| Remote::is_address(line)) {
            Some(line) if self.play_clock.is_none() => {
                Some(format!("--players {line}: a remote player needs a clock; set --play-clock"))
            }
            Some(line) if self.cluster.is_asked() => {
                Some(format!("{line} plays where it is, and not at the workers of a cluster"))
            }
            _ if self.cluster.is_asked() && (self.part.is_some() || !self.merge.is_empty()) => {
                Some(DEALT_TWICE.to_owned())
            }
            _ => None,
        }
    }

    /// The players and the pairings. A single player plays against itself in games of several roles.
    fn entrants(&self, games: &[LoadedGame]) -> anyhow::Result<(Entrants, Vec<[usize; 2]>)> {
        let mut entrants = Entrants::default();
        let mut enter =
            |line: &String| entrants.enter(&AllPlayers, line).with_context(|| format!("player {line}"));
        let met: Vec<usize> = self.players.iter().map(&mut enter).collect::<anyhow::Result<_>>()?;
        let pairings = if self.against.is_empty() {
            match met[..] {
                [player] if games.iter().any(has_several_roles) => vec![[player; 2]],
                _ => Plan::all_pairs(&met),
            }
        } else {
            let others = self.against.iter().map(&mut enter);
            let others: Vec<usize> = others.collect::<anyhow::Result<_>>()?;
            met.iter().flat_map(|&one| others.iter().map(move |&other| [one, other])).collect()
        };
        Ok((entrants, pairings))
    }

    fn plan(&self, games: &[LoadedGame], entrants: Entrants, pairings: Vec<[usize; 2]>) -> Plan {
        let start = self.start_clock.unwrap_or(START_CLOCK);
        let clocked = self.play_clock.map(|play| Thinking::by_clock(start, play, self.margin));
        let thinking = clocked.unwrap_or(Thinking::by_nodes(0));
        Plan {
            games: games.iter().map(planned).collect(),
            players: entrants.players,
            pairings,
            thinking: Thinking { nodes: self.nodes, ..thinking },
            rounds: self.rounds,
            opening: self.opening,
            most_steps: self.max_steps,
            seed: self.seed,
            sprt: self.sprt,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Whether several roles have players.
fn has_several_roles(game: &LoadedGame) -> bool {
    let chance = game.machine().description().random_role();
    game.roles().len() - usize::from(chance.is_some()) > 1
}

/// Prints the command that resumes the tournament.
fn interrupted() -> anyhow::Result<Exit> {
    print_note(&format!("interrupted; to resume:\n  {}\n", command_line()))?;
    Ok(Exit::Interrupted)
}

/// The report on a merge of parts.
pub(super) fn put_together(merged: MergeResult) -> String {
    let MergeResult { added, known, decided, missing } = merged;
    let mut text = format!("{} added", counted(added, "match", "matches"));
    for (count, what) in [
        (known, "known before"),
        (decided, "left out, as their pairings were decided"),
        (missing, "missing: the command without --merge plays them"),
    ] {
        if count > 0 {
            text += &format!("; {} {what}", grouped(count));
        }
    }
    text + "\n"
}

/// Reads a game and loads its machine.
fn load(path: &Path, machine: &MachineArguments) -> anyhow::Result<LoadedGame> {
    let (source, description) = game::description(path)?;
    let shown = path.display().to_string();
    let loaded = machine.load(description).with_context(|| shown.clone())?;
    Ok(LoadedGame::new(shown, &source, loaded))
}

/// The entry of a game in a tournament plan.
pub(super) fn planned(game: &LoadedGame) -> PlanGame {
    PlanGame {
        name: game.identity.name.clone(),
        rules: game.identity.rules.clone(),
        negation: game.identity.negation,
        roles: game.roles(),
        chance: game.machine().description().random_role(),
    }
}

/// The number of matches at the same time: `asked`, or by default as many as the processors allow with `each` threads per
/// match. Only one player of a match thinks at a time.
pub(super) fn seats(asked: usize, each: usize, force: bool) -> Result<usize, String> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let each = each.max(1);
    let wanted = if asked == 0 { (processors / each).max(1) } else { asked };
    if wanted * each > processors && !force {
        return Err(format!(
            "{wanted} matches at once on {each} threads each are more than the {processors} processors here, and \
             players would have less time than their clocks say; --force plays all the same"
        ));
    }
    Ok(wanted)
}

/// Plays the remaining matches, with a progress bar.
pub(super) fn play_on(
    tournament: &mut Tournament,
    conditions: &RunConditions<'_>,
    out: &Path,
) -> anyhow::Result<Ending> {
    let bar = resumed(tournament)?;
    let ending = tournament.run(conditions, &Progress { bar: &bar, matches: &out.join("matches") });
    bar.finish_and_clear();
    Ok(ending?)
}

/// Plays the remaining matches on the workers of a cluster, with a progress bar.
#[cfg(feature = "cluster")]
pub(super) fn play_elsewhere(
    tournament: &mut Tournament,
    games: &[LoadedGame],
    dealing: &ClusterRun<'_>,
    out: &Path,
) -> anyhow::Result<GatherResult> {
    let bar = resumed(tournament)?;
    play(dealing, tournament, games, out, &bar)
}

/// Prints notes about an earlier run of the tournament, and returns its progress bar.
fn resumed(tournament: &Tournament) -> anyhow::Result<ProgressBar> {
    if tournament.dropped() > 0 {
        let bytes = grouped(tournament.dropped() as u64);
        print_note(&format!("the last line of the log was cut short: {bytes} bytes dropped\n"))?;
    }
    let played = tournament.played().count() as u64;
    if played > 0 {
        let were = if played == 1 { "match was" } else { "matches were" };
        print_note(&format!("{} {were} played already\n", grouped(played)))?;
    }
    let left = tournament.summary().left;
    Ok(spinner(format!("{} to play", counted(left, "match", "matches"))))
}

/// Updates the progress bar and writes the match records.
struct Progress<'a> {
    bar: &'a ProgressBar,
    matches: &'a Path,
}

impl Watcher for Progress<'_> {
    fn preparing(&self, game: &str, ready: usize, games: usize) {
        self.bar.set_message(format!("preparing game {} of {games}: {game}", ready + 1));
    }

    fn begun(&self, played: u64, left: u64) {
        set_length(self.bar, played + left, "matches");
        // Matches of an earlier run took no time in this one, so the estimate must not include them.
        self.bar.set_position(played);
        self.bar.reset_eta();
    }

    fn record(&self, fixture: &Fixture, record: &MatchRecord) -> std::io::Result<()> {
        let json = serde_json::to_string(record)? + "\n";
        write_whole(&self.matches.join(format!("{:06}.json", fixture.number)), &json)
    }

    fn played(&self, played: &PlayedMatch, left: u64) {
        self.bar.inc(1);
        self.bar.set_length(self.bar.position() + left);
        self.bar.set_message(format!("{}: {}", played.game, played.players.join(", ")));
    }
}

/// The subfolder for match records in the folder of results.
const RECORDS: &str = "matches/";

/// The content of a tournament page. `folder` is the folder of the tables, relative to the page.
pub(super) fn shown<'t>(
    tournament: &'t Tournament,
    summary: &'t Summary,
    out: &Path,
    folder: String,
) -> TournamentResults<'t> {
    TournamentResults {
        plan: tournament.plan(),
        summary,
        courses: tournament.courses(),
        played: tournament.counted().collect(),
        records: out.join(RECORDS).is_dir().then(|| format!("{folder}{RECORDS}")),
        folder,
    }
}

/// Writes the page of a tournament.
fn write_page(tournament: &Tournament, summary: &Summary, out: &Path) -> anyhow::Result<()> {
    let results = MatchResults::new(tournament.plan().thinking, summary.clone(), tournament.played());
    let about = circumstances(command_without_cluster(), time(&results));
    let page = tournament_page(None, &[shown(tournament, summary, out, String::new())], &about)?;
    Ok(write_whole(&out.join("report.html"), &page)?)
}

/// The tables of a tournament by file name.
pub(super) fn tables(
    tournament: &Tournament,
    summary: &Summary,
) -> anyhow::Result<[(&'static str, String); 5]> {
    Ok([
        ("results.csv", results_csv(tournament.counted())?),
        ("standings.csv", standings_csv(summary)?),
        ("pairings.csv", pairings_csv(summary)?),
        ("roles.csv", roles_csv(summary)?),
        ("tournament.json", json(tournament.plan(), summary)?),
    ])
}

/// Writes the results of a tournament.
pub(super) fn write_files(tournament: &Tournament, summary: &Summary, out: &Path) -> anyhow::Result<()> {
    for (name, text) in tables(tournament, summary)? {
        write_whole(&out.join(name), &text)?;
    }
    Ok(())
}
