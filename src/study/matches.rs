//! A study of playing strength: one tournament for each clock and each limit of nodes.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use crate::arena::OwnPlayers;
use crate::arena::tournament::{Entrants, Plan, PlanGame, PlayedMatch, Summary, Thinking};
use crate::statistics::Sprt;

use super::file_error::FileError;

/// The conditions of the tournaments.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchStudy {
    /// The players.
    pub entrants: Entrants,
    /// The pairings, by the players' numbers.
    pub pairings: Vec<[usize; 2]>,
    /// The limits of players: clocks or numbers of nodes. One tournament is played with each.
    pub thinking: Vec<Thinking>,
    /// Limit of rounds.
    pub rounds: u32,
    /// Random joint moves before players begin.
    pub opening: u32,
    /// Joint moves after which a match is aborted.
    pub most_steps: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// The sequential test that ends a pairing in a game.
    pub sprt: Option<Sprt>,
    /// Hours after which a run begins no more matches.
    pub most_hours: Option<f64>,
}

/// The results of one tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResults {
    /// The limits of players.
    pub thinking: Thinking,
    /// The results.
    pub summary: Summary,
    /// The sum of the durations of all matches, in seconds.
    pub seconds: f64,
    /// Seconds in which at least one match was running.
    pub elapsed: f64,
}

/// The table `matches` of a study file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMatches {
    #[serde(default)]
    players: Vec<Spanned<String>>,
    #[serde(default)]
    against: Vec<Spanned<String>>,
    #[serde(default)]
    pairings: Vec<[Spanned<String>; 2]>,
    #[serde(default)]
    nodes: Vec<NonZeroU64>,
    /// Seconds before the first move and for each move.
    #[serde(default)]
    clocks: Vec<Spanned<[f64; 2]>>,
    margin: Option<f64>,
    rounds: NonZeroU32,
    #[serde(default = "opening")]
    opening: u32,
    #[serde(default = "most_steps")]
    max_steps: NonZeroU32,
    sprt: Option<Spanned<Sprt>>,
    most_hours: Option<Spanned<f64>>,
}

/// The default number of random joint moves, as in `ggp tournament`.
fn opening() -> u32 {
    2
}

fn most_steps() -> NonZeroU32 {
    const { NonZeroU32::new(1000).expect("1000 is not 0") }
}

impl MatchStudy {
    /// Reads the table.
    pub(super) fn read(raw: Spanned<RawMatches>, seed: u64) -> Result<MatchStudy, FileError> {
        let table = raw.span();
        let raw = raw.into_inner();
        let fault = |message: &str, place: &std::ops::Range<usize>, help: &str| FileError {
            message: message.to_owned(),
            place: Some(place.clone()),
            help: Some(help.to_owned()),
        };
        let mut entrants = Entrants::default();
        let mut enter = |line: &Spanned<String>| {
            entrants.enter(&OwnPlayers, line.as_ref()).map_err(|error| {
                fault(&error.to_string(), &line.span(), "expected a player, such as `alphabeta:fuzzy`")
            })
        };
        let mut enter_all =
            |lines: &[Spanned<String>]| lines.iter().map(&mut enter).collect::<Result<Vec<_>, _>>();
        let players = enter_all(&raw.players)?;
        let against = enter_all(&raw.against)?;
        let explicit = raw.pairings.iter().map(|pair| Ok([enter(&pair[0])?, enter(&pair[1])?]));
        let explicit = explicit.collect::<Result<Vec<_>, _>>()?;
        let pairings = match (explicit.is_empty(), players.is_empty(), against.is_empty()) {
            (false, true, true) => explicit,
            (true, false, true) => Plan::all_pairs(&players),
            (true, false, false) => {
                players.iter().flat_map(|&one| against.iter().map(move |&other| [one, other])).collect()
            }
            _ => {
                let help =
                    "use `players`, which all meet each other; `players` and `against`; or only `pairings`";
                let what = if explicit.is_empty() {
                    "the pairings are missing"
                } else {
                    "the pairings are given twice"
                };
                return Err(fault(what, &table, help));
            }
        };
        if let Some(&[one, _]) = pairings.iter().find(|[one, other]| one == other) {
            let line = &entrants.players[one].line;
            return Err(fault(
                &format!("`{line}` would play against itself"),
                &table,
                "expected two players",
            ));
        }
        let clocks = raw.clocks.iter().map(|clock| {
            let [start, play] = *clock.as_ref();
            let thinking = Thinking::by_clock(start, play, raw.margin);
            let fits = start >= 0.0 && start.is_finite() && play.is_finite() && play > thinking.margin;
            let help = "expected seconds before the first move and for each move, such as [1, 0.05]";
            if fits { Ok(thinking) } else { Err(fault("no clock", &clock.span(), help)) }
        });
        let mut thinking: Vec<Thinking> =
            raw.nodes.iter().map(|&nodes| Thinking::by_nodes(nodes.into())).collect();
        thinking.extend(clocks.collect::<Result<Vec<_>, _>>()?);
        if thinking.is_empty() {
            let help = "expected `nodes` or `clocks`, such as nodes = [10_000]";
            return Err(fault("players have no limit", &table, help));
        }
        if let Some(sprt) = raw.sprt.as_ref().filter(|sprt| !sprt.as_ref().is_sound()) {
            let help = "expected elo0 < elo1, both from -2000 to 2000, and alpha + beta < 1, both above 0";
            return Err(fault("a sequential test that decides nothing", &sprt.span(), help));
        }
        let is_duration = |hours: f64| Duration::try_from_secs_f64(hours * 3600.0).is_ok();
        if let Some(hours) = raw.most_hours.as_ref().filter(|hours| !is_duration(*hours.as_ref())) {
            let help = "expected a number of hours of at least 0, such as most_hours = 2";
            return Err(fault("a time limit that is no duration", &hours.span(), help));
        }
        Ok(MatchStudy {
            entrants,
            pairings,
            thinking,
            rounds: raw.rounds.into(),
            opening: raw.opening,
            most_steps: raw.max_steps.into(),
            seed,
            sprt: raw.sprt.map(Spanned::into_inner),
            most_hours: raw.most_hours.map(Spanned::into_inner),
        })
    }

    /// The plan of one of its tournaments.
    pub fn plan(&self, thinking: Thinking, games: Vec<PlanGame>) -> Plan {
        Plan {
            games,
            players: self.entrants.players.clone(),
            pairings: self.pairings.clone(),
            thinking,
            rounds: self.rounds,
            opening: self.opening,
            most_steps: self.most_steps,
            seed: self.seed,
            sprt: self.sprt,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// The folder of one of its tournaments: `nodes-10000`, `clock-1-0.05`.
pub fn folder(thinking: &Thinking) -> String {
    let Thinking { start, play, nodes, .. } = thinking;
    let nodes = nodes.map(|nodes| format!("nodes-{nodes}"));
    let clock = play.map(|play| format!("clock-{start}-{play}"));
    nodes.into_iter().chain(clock).collect::<Vec<_>>().join("-")
}

impl MatchResults {
    /// The results of a tournament.
    pub fn new<'p>(
        thinking: Thinking,
        summary: Summary,
        played: impl Iterator<Item = &'p PlayedMatch>,
    ) -> MatchResults {
        let times = played.map(|played| {
            let start = played.begun as f64 / 1e3;
            (start, start + played.seconds)
        });
        let mut times: Vec<(f64, f64)> = times.collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut seconds, mut elapsed, mut until) = (0.0, 0.0, f64::NEG_INFINITY);
        for (begin, end) in times {
            seconds += end - begin;
            elapsed += (end - begin.max(until)).max(0.0);
            until = until.max(end);
        }
        MatchResults { thinking, summary, seconds, elapsed }
    }
}
