//! A tournament on a cluster. A unit is the number of a match in the schedule.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, ensure};
use indicatif::ProgressBar;
use self_cell::self_cell;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::super::game::MachineArguments;
use super::super::progress::set_length;
use super::ClusterArguments;
use super::game_file::{GameFile, MachineSetting};
use super::gather::{Call, GatherResult, Units, gather, rules};
use crate::analysis::LoadedGame;
use crate::arena::tournament::{
    DistributedTournament, MatchEnvironment, Plan, PlayedMatch, Schedule, Tournament, ready_for, try_players,
};
use crate::arena::{Entrant, OwnPlayers, Player, PlayerError, PlayerFactory, PlayerSpec, PreparedGame};
use crate::cluster::{Files, Task, UnitError, UnitResult};
use crate::gdl::identity::sha256;
use crate::report::files::write_whole;

/// The body of a tournament's run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TournamentBody {
    plan: Plan,
    /// The games of the plan, in its order.
    games: Vec<GameFile>,
    machine: MachineSetting,
    /// SHA-256 of the documents of players, by their paths in the players' lines.
    documents: BTreeMap<String, String>,
    /// Whether match records are written.
    records: bool,
}

/// The result of a unit.
#[derive(Serialize, Deserialize)]
struct MatchResult {
    played: PlayedMatch,
    /// The match record as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<String>,
}

/// Options of a tournament on a cluster.
pub(in crate::cli) struct ClusterRun<'a> {
    pub(in crate::cli) arguments: &'a ClusterArguments,
    pub(in crate::cli) machine: Option<&'a MachineArguments>,
    /// Whether match records are written.
    pub(in crate::cli) records: bool,
    /// Whether the results of an earlier run are discarded.
    pub(in crate::cli) fresh: bool,
}

/// Plays the remaining matches of a tournament on a cluster.
pub(in crate::cli) fn play(
    run: &ClusterRun<'_>,
    tournament: &mut Tournament,
    games: &[LoadedGame],
    out: &Path,
    bar: &ProgressBar,
) -> anyhow::Result<GatherResult> {
    let &ClusterRun { arguments, machine, records, fresh } = run;
    let plan = tournament.plan().clone();
    let mut files = Vec::new();
    let mut game_files = Vec::new();
    for game in games {
        let source = rules(Path::new(&game.path))?;
        game_files.push(GameFile::new(game.path.clone(), &source));
        files.push(source.bytes().to_vec());
    }
    let mut documents = BTreeMap::new();
    for player in plan.players.iter().filter(|player| player.document.is_some()) {
        let spec: PlayerSpec = player.line.parse()?;
        let path = spec.function.with_context(|| format!("the player {} names no document", player.line))?;
        let bytes = std::fs::read(&path).with_context(|| format!("{path} can't be read"))?;
        documents.insert(path, sha256(&bytes));
        files.push(bytes);
    }
    let body = TournamentBody {
        plan: plan.clone(),
        games: game_files,
        machine: MachineSetting::new(machine),
        documents,
        records,
    };
    let names: Vec<&str> = plan.games.iter().map(|game| game.name.as_str()).collect();
    let mut dealt = DistributedTournament::new(tournament, &plan);
    let units = dealt.left();
    let played = dealt.played();
    set_length(bar, played + units, "matches");
    bar.set_position(played);
    bar.reset_eta();
    let call = Call {
        kind: "tournament",
        name: names.join(", "),
        folder: out,
        body: &body,
        files,
        units,
        fresh,
        decides: plan.sprt.is_some(),
    };
    if units == 0 {
        return Ok(GatherResult { ending: crate::arena::tournament::Ending::Done, given_up: 0 });
    }
    let mut matches = Matches {
        dealt: &mut dealt,
        plan: &plan,
        left: units,
        records: records.then(|| out.join("matches")),
    };
    gather(arguments, call, &mut matches, bar)
}

/// The remaining matches of a tournament.
struct Matches<'a, 't, 'p> {
    dealt: &'a mut DistributedTournament<'t, 'p>,
    plan: &'p Plan,
    left: u64,
    records: Option<PathBuf>,
}

impl Units for Matches<'_, '_, '_> {
    fn next(&mut self) -> Option<u64> {
        self.dealt.deal()
    }

    fn wants(&self, unit: u64) -> bool {
        self.dealt.needs(unit)
    }

    fn take(&mut self, unit: u64, bytes: &[u8]) -> anyhow::Result<()> {
        let found: MatchResult = serde_json::from_slice(bytes).context("a worker's result can't be read")?;
        ensure!(found.played.number == unit, "a worker's result is of another match");
        if let (Some(folder), Some(record)) = (&self.records, &found.record) {
            write_whole(&folder.join(format!("{unit:06}.json")), record)?;
        }
        ensure!(self.dealt.take(found.played), "a worker's result is of another tournament");
        Ok(())
    }

    fn given_up(&mut self, unit: u64, _error: &str) {
        self.dealt.give_up(unit);
    }

    fn keep(&mut self) -> anyhow::Result<u64> {
        let kept = self.dealt.keep()?;
        self.left = match self.plan.sprt {
            // The sequential test may have ended a pairing, whose other matches are then not needed.
            Some(_) => self.dealt.left(),
            None => self.left.saturating_sub(kept.len() as u64),
        };
        Ok(self.left.saturating_sub(self.dealt.waiting() as u64 * u64::from(self.plan.sprt.is_none())))
    }

    fn named(&self, unit: u64) -> String {
        let fixture = Schedule::new(self.plan).fixture(unit);
        let line = |player: &Option<usize>| player.map_or("random", |player| &self.plan.players[player].line);
        let players: Vec<&str> = fixture.players.iter().map(line).collect();
        format!("match {unit} ({}: {})", self.plan.games[fixture.place.game].name, players.join(", "))
    }
}

type PreparedFor<'g> = PreparedGame<'g>;

self_cell!(
    /// A game with the analysis that players need.
    struct ReadyGame {
        owner: LoadedGame,
        #[covariant]
        dependent: PreparedFor,
    }
);

/// Plays matches of a tournament on a worker.
pub(super) struct TournamentTask {
    body: TournamentBody,
    files: Arc<dyn Files>,
    threads: usize,
    /// The games of the plan. Each is prepared before its first match.
    ready: Vec<OnceLock<Result<ReadyGame, String>>>,
    players: ReceivedPlayers,
}

impl TournamentTask {
    /// Checks the plan, and fetches the documents of players.
    pub(super) fn new(
        body: TournamentBody,
        files: Arc<dyn Files>,
        threads: usize,
    ) -> Result<TournamentTask, String> {
        if body.games.len() != body.plan.games.len() {
            return Err("the run has a different number of games than its plan".to_owned());
        }
        body.plan.check().map_err(|error| error.to_string())?;
        let ready = body.games.iter().map(|_| OnceLock::new()).collect();
        let players = ReceivedPlayers::new(&body.documents, &*files)?;
        Ok(TournamentTask { body, files, threads, ready, players })
    }

    fn ready(&self, game: usize, interrupt: &Arc<AtomicBool>) -> &Result<ReadyGame, String> {
        self.ready[game].get_or_init(|| {
            let plan = &self.body.plan;
            let loaded = self.body.machine.load(&self.body.games[game], &*self.files)?;
            if loaded.identity.rules != plan.games[game].rules {
                return Err(format!("the rules of {} are not those of the plan", plan.games[game].name));
            }
            let ready = ReadyGame::try_new(loaded, |loaded| {
                ready_for(plan, loaded, self.threads, Some(interrupt)).map_err(|error| error.to_string())
            })?;
            let prepared = ready.borrow_dependent();
            try_players(plan, &Schedule::new(plan), &self.players, game, prepared)
                .map_err(|error| error.to_string())?;
            Ok(ready)
        })
    }
}

impl Task for TournamentTask {
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        let plan = &self.body.plan;
        let schedule = Schedule::new(plan);
        if unit >= schedule.len() {
            return Err(UnitError::Run(format!("the plan has no match {unit}")));
        }
        let fixture = schedule.fixture(unit);
        let ready = self.ready(fixture.place.game, interrupt);
        if interrupt.load(Ordering::Relaxed) {
            return Err(UnitError::Interrupted);
        }
        let ready = ready.as_ref().map_err(|error| UnitError::Run(error.clone()))?;
        let table = MatchEnvironment { plan, source: &self.players, interrupt: Some(interrupt) };
        let found =
            table.play(&fixture, ready.borrow_owner(), Some(ready.borrow_dependent()), self.body.records);
        if interrupt.load(Ordering::Relaxed) {
            // The interrupt also shortened the last searches, so the result does not count.
            return Err(UnitError::Interrupted);
        }
        let failed = |error: &dyn std::fmt::Display| UnitError::Unit(error.to_string());
        let found = found.map_err(|error| failed(&error))?;
        let record =
            found.record.as_ref().map(serde_json::to_string).transpose().map_err(|error| failed(&error))?;
        let record = record.map(|record| self.players.restore_paths(record) + "\n");
        let bytes = serde_json::to_vec(&MatchResult { played: found.played, record })
            .map_err(|error| failed(&error))?;
        Ok(UnitResult { bytes, states: Some(found.states) })
    }
}

/// Makes players from documents that were sent with the run.
struct ReceivedPlayers {
    _folder: TempDir,
    /// Paths of the documents on this computer, by their paths in the players' lines.
    places: BTreeMap<String, String>,
}

impl ReceivedPlayers {
    fn new(documents: &BTreeMap<String, String>, files: &dyn Files) -> Result<ReceivedPlayers, String> {
        let failed = |error: std::io::Error| format!("a document of the run can't be written: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut places = BTreeMap::new();
        for (number, (name, hash)) in documents.iter().enumerate() {
            let place = folder.path().join(format!("{number}.json"));
            std::fs::write(&place, files.get(hash)?).map_err(failed)?;
            places.insert(name.clone(), place.display().to_string());
        }
        Ok(ReceivedPlayers { _folder: folder, places })
    }

    /// Replaces paths on this computer by those of the players' lines.
    fn restore_paths(&self, text: String) -> String {
        self.places.iter().fold(text, |text, (name, place)| text.replace(place, name))
    }
}

impl PlayerFactory for ReceivedPlayers {
    fn entrant(&self, line: &str) -> Result<Entrant, PlayerError> {
        OwnPlayers.entrant(line)
    }

    fn player<'m>(
        &self,
        line: &str,
        game: &PreparedGame<'m>,
        role: usize,
        seed: u64,
    ) -> Result<Box<dyn Player + 'm>, PlayerError> {
        let mut spec: PlayerSpec = line.parse()?;
        if let Some(place) = spec.function.as_ref().and_then(|function| self.places.get(function)) {
            spec.function = Some(place.clone());
        }
        OwnPlayers.player(&spec.to_string(), game, role, seed)
    }
}
