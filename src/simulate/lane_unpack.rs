//! For tests: a block of lanes taken apart into playouts, to be shown to what looks at playouts one by one.

use std::collections::BTreeMap;

use crate::gdl::{Source, read};
use crate::ground::Limits;
use crate::machine::lanes::block::Block;
use crate::machine::lanes::program::Program;
use crate::machine::{self, Backend, Loaded, Machine, MoveId, State};

use super::budget::{StepLimitReason, StopReason};
use super::lane_counter::LaneCounter;
use super::lane_observer::{LaneObserver, LaneStep};
use super::observer::{End, Observer, Position};
use super::playout_counts::PlayoutCounts;
use super::statistics::{Settings, Statistics, Timing};

/// A game of the folder `games`.
pub(crate) fn game(name: &str) -> Loaded {
    let path = format!("{}/games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let description = read(&Source::load(std::path::Path::new(&path)).unwrap()).description.unwrap();
    machine::load(description, Backend::Network, &Limits::default()).unwrap()
}

/// Plays one block, and gives its counts and its observer.
pub(super) fn play<O: LaneObserver>(
    machine: &dyn Machine,
    playouts: u64,
    max_steps: u32,
    observer: O,
) -> (PlayoutCounts, O) {
    let network = machine.network().unwrap();
    let program = Program::new(network);
    let mut block = Block::new(&program, 9, 4, max_steps);
    let mut counts = LaneCounter::new(network, 100, observer);
    block.play(playouts, &mut counts).expect("nothing interrupts");
    counts.finish(playouts, block.states(), 0)
}

/// The observer of one block.
pub(crate) fn observe_block<O: LaneObserver>(
    machine: &dyn Machine,
    playouts: u64,
    max_steps: u32,
    observer: O,
) -> O {
    play(machine, playouts, max_steps, observer).1
}

/// Takes lanes apart.
pub(crate) struct LaneUnpack<'m> {
    machine: &'m dyn Machine,
    playouts: BTreeMap<u64, Vec<Seen>>,
}

struct Seen {
    state: State,
    legal: Vec<Vec<MoveId>>,
    terminal: bool,
    goals: Vec<Vec<i32>>,
}

impl<'m> LaneUnpack<'m> {
    pub(crate) fn new(machine: &'m dyn Machine) -> Self {
        LaneUnpack { machine, playouts: BTreeMap::new() }
    }

    /// Shows the playouts one by one, in the order of their numbers.
    pub(crate) fn show(&self, observer: &mut impl Observer) {
        for (&playout, seen) in &self.playouts {
            let fluents: Vec<_> = seen.iter().map(|seen| self.fluents(&seen.state)).collect();
            let position = |step: usize| {
                let Seen { state, legal, terminal, goals } = &seen[step];
                let (step, fluents) = (step as u32, &*fluents[step]);
                Position { playout, step, state, fluents, legal, terminal: *terminal, goals }
            };
            (0..seen.len()).for_each(|step| observer.position(&position(step)));
            let last = position(seen.len() - 1);
            let end = match last.legal.iter().position(Vec::is_empty) {
                _ if last.terminal => End::Terminal,
                Some(role) => End::NoLegalMove { role },
                None => End::Cap,
            };
            observer.ended(&last, end);
        }
    }

    fn fluents(&self, state: &State) -> Vec<machine::FluentId> {
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        fluents
    }
}

impl LaneObserver for LaneUnpack<'_> {
    fn step(&mut self, step: &LaneStep<'_>) {
        let (block, network) = (step.block, self.machine.network().unwrap());
        for lane in step.active.lanes() {
            let terminal = step.terminal.lane(lane);
            let role_moves = |(role, moves): (usize, &Vec<_>)| {
                let legal = |number: &usize| !terminal && block.legal_word(role, *number).lane(lane);
                let moves: &Vec<crate::ground::network::RoleMove> = moves;
                (0..moves.len()).filter(legal).map(|number| MoveId(moves[number].action)).collect()
            };
            let mut condition = 0;
            let mut values = |goals: &Vec<(i32, _)>| {
                let mut held = Vec::new();
                for &(value, _) in goals {
                    if block.goal(condition).lane(lane) {
                        held.push(value);
                    }
                    condition += 1;
                }
                held.dedup();
                held
            };
            let seen = Seen {
                state: State(block.state(lane).into()),
                legal: network.moves.iter().enumerate().map(role_moves).collect(),
                terminal,
                goals: network.goals.iter().map(&mut values).collect(),
            };
            let playout = self.playouts.entry(block.playout(lane)).or_default();
            assert_eq!(step.first.lane(lane), playout.is_empty());
            playout.push(seen);
        }
    }

    fn outcome(&mut self, _goals: &[Vec<i32>], _playouts: u64) {}
    fn over(&mut self, _playouts: u64, _states: u64) {}
    fn merge(&mut self, _later: Self) {}
}

/// Two observers of the same blocks.
impl<A: LaneObserver, B: LaneObserver> LaneObserver for (A, B) {
    fn step(&mut self, step: &LaneStep<'_>) {
        self.0.step(step);
        self.1.step(step);
    }
    fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64) {
        self.0.outcome(goals, playouts);
        self.1.outcome(goals, playouts);
    }
    fn over(&mut self, playouts: u64, states: u64) {
        self.0.over(playouts, states);
        self.1.over(playouts, states);
    }
    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }
}

/// Counts playouts one by one.
struct Counted(PlayoutCounts);

impl Observer for Counted {
    fn position(&mut self, position: &Position<'_>) {
        if position.step == 0 {
            self.0.begin();
        }
        self.0.position(position.legal, position.terminal, position.goals);
    }
    fn ended(&mut self, last: &Position<'_>, end: End) {
        self.0.end(100 + last.playout, last.step, Some(last.goals), end);
    }
    fn merge(&mut self, _later: Self) {}
}

#[test]
fn lanes_are_counted_as_playouts_one_by_one_are() {
    let text = "
        (role a) (role b) (init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 1)
        (<= (legal a up) (true (n ?n))) (<= (legal a stay) (true (n 1))) (<= (legal b wait) (not (true (n 4))))
        (<= (legal b (jump ?m)) (true (n 2)) (succ ?m ?k))
        (<= (next (n ?m)) (true (n ?n)) (does a up) (succ ?n ?m) (does b wait))
        (<= (next (n ?n)) (true (n ?n)) (does a stay)) (<= (next (n ?m)) (does b (jump ?m)))
        (<= terminal (true (n 3)) ) (<= (goal a 60) (true (n 1))) (<= (goal a 20) (true (n 2)))
        (<= (goal a 50) (true (n 3))) (<= (goal a 70) (true (n 3))) (<= (goal b 10) (true (n 1)))";
    let description = read(&Source::from_text("odd", text)).description.unwrap();
    let odd = machine::load(description, Backend::Network, &Limits::default()).unwrap();
    let games = ["tic_tac_toe", "bidding_tic_tac_toe", "rock_paper_scissors", "three_player_race", "nim"];
    let games = games.iter().map(|name| game(name)).chain([odd, game("sokoban")]);
    for loaded in games {
        let machine = &*loaded.machine;
        let (counts, unpacked) = play(machine, 1300, 6, LaneUnpack::new(machine));
        let roles: Vec<String> =
            machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        let mut counted = Counted(PlayoutCounts::new(roles.len()));
        unpacked.show(&mut counted);
        let statistics = |counts: &PlayoutCounts| {
            let settings = Settings {
                seed: 0,
                first: 0,
                max_steps: 6,
                max_steps_because: StepLimitReason::Named,
                stopped: StopReason::Playouts,
            };
            Statistics::new(settings, counts, &roles, Timing::default())
        };
        let [lanes, sequential] = [&counts, &counted.0].map(|counts| {
            let mut statistics = statistics(counts);
            // Which examples are kept hangs on the order, and only those in lanes have a block.
            for fault in &mut statistics.faults {
                fault.first.clear();
                fault.block = None;
            }
            for outcome in &mut statistics.outcomes {
                (outcome.first, outcome.block) = (0, None);
            }
            statistics
        });
        assert_eq!(lanes, sequential);
        assert_eq!(counts.playouts, 1300);
    }
}
