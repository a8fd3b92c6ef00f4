//! Measures the speed of players' searches, compared with bare expansions on the same machine in the same run.
//!
//! The bare expansions start from recorded states (`recorded.rs`). The signature of a search changes if the search visits
//! other states (`tests/search/signature.rs`). `report/search_speed.rs` prints the result;
//! `reports/speed/search.md` has measurements.

use std::path::Path;

use anyhow::Context as _;
use cpu_time::ProcessTime;

use crate::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
use crate::arena::{PlayerSpec, PreparedGame, Turn, make_player, plan_for};
use crate::ground::Limits;
use crate::machine::{self, Backend, Machine, State};
use crate::report::search_speed::{ClockSaving, SearchSpeed, SearchSpeeds};

use super::super::{game, interrupt};
use super::recorded::RecordedWalk;

/// The number of states from which every player searches. The first is the initial state.
const STATES: usize = 6;
/// Maximum number of states that a search visits.
const NODES: u64 = 20_000;
/// Random playouts for the analysis that finds structures and features.
const PLAYOUTS: u64 = 500;
/// Work limit of the analysis.
const WORK: u64 = 200_000_000;
const SEED: u64 = 1;

/// Measures the searches of players in several rounds. The fastest round counts.
pub(super) fn speeds(
    paths: &[impl AsRef<Path>],
    players: &[PlayerSpec],
    rounds: u32,
    limits: &Limits,
) -> anyhow::Result<SearchSpeeds> {
    let mut all = SearchSpeeds::default();
    for path in paths {
        let path = path.as_ref();
        if interrupt::asked() {
            break;
        }
        of_game(path, players, rounds, limits, &mut all).with_context(|| path.display().to_string())?;
    }
    Ok(all)
}

fn of_game(
    path: &Path,
    players: &[PlayerSpec],
    rounds: u32,
    limits: &Limits,
    all: &mut SearchSpeeds,
) -> anyhow::Result<()> {
    let (source, description) = game::description(path)?;
    let name = description.name.clone();
    let loaded = machine::load(description, Backend::Auto, limits)?;
    let game = LoadedGame::new(path.display().to_string(), &source, loaded);
    let machine = game.machine();
    let lines: Vec<String> = players.iter().map(PlayerSpec::to_string).collect();
    let plan = Plan { playouts: Some(PLAYOUTS), work: Some(WORK), seed: SEED, ..Plan::default() };
    let plan = plan_for(plan, lines.iter().map(String::as_str));
    let context = AnalysisContext { interrupt: Some(interrupt::flag()), ..AnalysisContext::default() };
    let prepared = PreparedGame::new(machine, interrupt::guarded(|| analyze(&game.game(), &plan, &context))?);
    let recorded = RecordedWalk::play(machine)?;
    let states = choose_states(machine, &recorded)?;
    let children = recorded.children_per_second(machine)?;
    let single = recorded.single_children_per_second(machine)?;
    for spec in players {
        let mut searched = SearchRound::default();
        let mut seconds = f64::INFINITY;
        for _ in 0..rounds.max(1) {
            let (round, took) = search(&prepared, spec, &states)?;
            searched = round;
            seconds = seconds.min(took);
            if interrupt::asked() {
                return Ok(());
            }
        }
        let clock = match without_clock(spec).filter(|_| machine.clock().is_some()) {
            Some(other) => Some(saving(&searched, &search(&prepared, &other, &states)?.0)),
            None => None,
        };
        all.push(SearchSpeed {
            game: name.clone(),
            machine: machine.backend().to_owned(),
            player: spec.to_string(),
            nodes: searched.nodes,
            signature: searched.signature(),
            depth: f64::from(searched.depths) / states.len().max(1) as f64,
            clock,
            nodes_per_cpu_second: searched.nodes as f64 / seconds.max(1e-9),
            children_per_cpu_second: children,
            single_children_per_cpu_second: single,
        });
    }
    Ok(())
}

/// The initial state and states spread over random play, each with the role that has the most legal moves.
fn choose_states(machine: &dyn Machine, recorded: &RecordedWalk) -> anyhow::Result<Vec<(State, usize)>> {
    let mut cursor = machine.cursor();
    let every = (recorded.states.len() / STATES).max(1);
    let later = recorded.states.iter().skip(every / 2).step_by(every);
    let mut chosen = Vec::new();
    for state in std::iter::once(machine.initial()).chain(later) {
        cursor.set(state)?;
        let roles = 0..machine.description().roles.len();
        let role = roles.rev().max_by_key(|&role| cursor.legal(role).len());
        if let Some(role) = role.filter(|_| !cursor.terminal()) {
            chosen.push((state.clone(), role));
        }
        if chosen.len() == STATES {
            break;
        }
    }
    Ok(chosen)
}

/// The same player with an option that treats states that differ only in a step counter as different; `None` if the
/// player has no such option or already uses it.
fn without_clock(spec: &PlayerSpec) -> Option<PlayerSpec> {
    let sign = if spec.options.is_empty() { '?' } else { '&' };
    format!("{spec}{sign}clock=0").parse().ok()
}

/// Compares the states visited by two rounds. For each search, counts up to the greatest depth that both completed.
fn saving(with: &SearchRound, without: &SearchRound) -> ClockSaving {
    let mut saving = ClockSaving { nodes: 0, nodes_without: 0 };
    for (with, without) in with.nodes_by_depth.iter().zip(&without.nodes_by_depth) {
        let Some(depth) = with.len().min(without.len()).checked_sub(1) else { continue };
        saving.nodes += with[depth];
        saving.nodes_without += without[depth];
    }
    saving
}

/// The results of the searches in one round.
#[derive(Clone, Default)]
struct SearchRound {
    nodes: u64,
    /// For each search, the number of states visited up to each completed depth.
    nodes_by_depth: Vec<Vec<u64>>,
    depths: u32,
}

impl SearchRound {
    /// The number of states visited up to the last completed depth, over all searches.
    fn signature(&self) -> u64 {
        self.nodes_by_depth.iter().filter_map(|depths| depths.last()).sum()
    }
}

/// Runs one round: a search from each state with a new player. Also returns the seconds of processor time.
fn search(
    prepared: &PreparedGame<'_>,
    spec: &PlayerSpec,
    states: &[(State, usize)],
) -> anyhow::Result<(SearchRound, f64)> {
    let mut searched = SearchRound::default();
    let mut seconds = 0.0;
    for (state, role) in states {
        let mut player = make_player(prepared, spec, *role, SEED)?;
        let turn = Turn { nodes: Some(NODES), interrupt: Some(interrupt::flag()), ..Turn::default() };
        let mut nodes_by_depth = Vec::new();
        let begin = ProcessTime::now();
        let result = player.search(state, &turn, &mut |result| nodes_by_depth.push(result.nodes))?;
        seconds += begin.elapsed().as_secs_f64();
        searched.nodes += result.nodes;
        searched.nodes_by_depth.push(nodes_by_depth);
        searched.depths += result.depth;
    }
    Ok((searched, seconds))
}
