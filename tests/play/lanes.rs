//! Playouts in lanes are playouts of the game, state by state, with the same distribution as those of the scalar
//! machine.

use std::path::Path;
use std::sync::Arc;

use crate::listed::{own_and_large_games, real_games_named};
use ggp::gdl::{Source, read};
use ggp::ground::{GroundedGame, Limits, ground};
use ggp::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use ggp::machine::lanes::engine::Engine;
use ggp::machine::lanes::machine::LanesMachine;
use ggp::machine::lanes::program::Program;
use ggp::machine::{Cursor, Machine, MoveId, NetworkMachine, State};
use ggp::simulate::{
    Budget, Context, FaultKind, GoalCount, cross_check, labels, labels_sequential, observe_lanes, simulate,
    simulate_lanes,
};
use proptest::prelude::*;

pub(crate) fn load(path: &Path) -> Arc<GroundedGame> {
    let reading = read(&Source::load(path).unwrap());
    Arc::new(ground(&Arc::new(reading.description.unwrap()), &Limits::default()).unwrap())
}

/// Repeats the playouts of some lanes on the scalar machine and compares them.
pub(crate) struct Follow<'a> {
    pub(crate) network: &'a GroundedGame,
    pub(crate) program: &'a Program,
    pub(crate) cursors: Vec<(usize, u64, Box<dyn Cursor + 'a>)>,
    pub(crate) initial: State,
    pub(crate) positions: u64,
}

impl BlockObserver for Follow<'_> {
    fn position(&mut self, block: &Block<'_>) {
        for (lane, playout, cursor) in &mut self.cursors {
            if !block.active().lane(*lane) {
                continue;
            }
            if block.playout(*lane) != *playout {
                *playout = block.playout(*lane);
                cursor.set(&self.initial).unwrap();
            }
            self.positions += 1;
            assert_eq!(block.state(*lane), cursor.state().0.to_vec(), "lane {lane}, playout {playout}");
            let joint: Vec<Option<MoveId>> = (0..self.network.network.moves.len())
                .map(|role| {
                    let number = block.made(role, *lane)?;
                    Some(MoveId(self.network.network.moves[role][number].action))
                })
                .collect();
            if let Some(joint) = joint.into_iter().collect::<Option<Vec<_>>>() {
                assert!(!cursor.terminal());
                for (role, action) in joint.iter().enumerate() {
                    assert!(cursor.legal(role).contains(action), "lane {lane}, role {role}");
                }
                cursor.advance(&joint).unwrap();
            }
        }
    }

    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        for (lane, playout, cursor) in &mut self.cursors {
            if !ended.over.lane(*lane) {
                continue;
            }
            assert_eq!(*playout, block.playout(*lane));
            assert_eq!(ended.terminal.lane(*lane), cursor.terminal());
            let holds: Vec<bool> = (0..block.goals()).map(|number| block.goal(number).lane(*lane)).collect();
            for (role, goals) in self.program.goal_values(&holds).iter().enumerate() {
                assert_eq!(goals, cursor.goals(role), "lane {lane}");
            }
        }
    }
}

#[test]
fn states_moves_and_goals_equal_the_scalar_machine() {
    for path in own_and_large_games() {
        let game = load(&path);
        let machine = NetworkMachine::new(game.clone());
        let program = Program::new(&game.network);
        let lanes = [0, 1, 63, 64, 130, 511];
        let cursors = lanes.iter().map(|&lane| (lane, lane as u64, machine.cursor())).collect();
        let mut follow = Follow {
            network: &game,
            program: &program,
            cursors,
            initial: machine.initial().clone(),
            positions: 0,
        };
        let mut block = Block::new(&program, 3, 5, 40);
        block.play(1300, &mut follow).unwrap();
        assert!(follow.positions >= 6, "{}", path.display());
    }
}

struct Goals<'a> {
    program: &'a Program,
    sums: Vec<f64>,
    steps: u64,
    ended: Vec<u64>,
}

impl BlockObserver for Goals<'_> {
    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        for lane in ended.over.lanes() {
            let holds: Vec<bool> = (0..block.goals()).map(|number| block.goal(number).lane(lane)).collect();
            for (sum, goals) in self.sums.iter_mut().zip(self.program.goal_values(&holds)) {
                *sum += goals.into_iter().map(f64::from).sum::<f64>();
            }
            self.steps += u64::from(block.steps(lane));
            self.ended.push(block.playout(lane));
        }
    }
}

/// The number of playouts on each side of the comparison with the scalar machine.
const PLAYOUTS: u64 = 100_000;

/// Means of lengths, goals and legal moves are over all started playouts, so that short games are not over-represented.
#[test]
fn means_agree_with_the_scalar_machine() {
    let games = [
        "tic_tac_toe",
        "connect_four",
        "connect_four_4x4",
        "nim",
        "gold_rush",
        "three_player_race",
        "two_against_two",
        "sum_fifteen",
        "rock_paper_scissors",
        "quarto",
    ];
    for name in games {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("kif");
        let game = load(&path);
        let machine = NetworkMachine::new(game.clone());
        let budget = |seed| Budget { playouts: PLAYOUTS, seed, ..Budget::default() };
        let context = Context::default();
        let (lanes, ()) = observe_lanes(&machine, &budget(1), &context, || ()).unwrap();
        let scalar = simulate(&machine, &budget(9), &context).unwrap();
        assert_eq!((lanes.playouts, scalar.playouts), (PLAYOUTS, PLAYOUTS));
        // Five standard errors of the difference between two means of `PLAYOUTS` values.
        let errors = 5.0 * (2.0 / PLAYOUTS as f64).sqrt();
        let assert_close = |what: &str, one: f64, other: f64, deviation: f64| {
            assert!((one - other).abs() <= errors * deviation + 1e-9, "{name}: {what} {one}, not {other}");
        };
        let (length, expected) = (lanes.length.unwrap(), scalar.length.unwrap());
        assert_close("length", length.mean, expected.mean, f64::from(expected.p95 - expected.p5) / 3.0 + 0.5);
        let quantiles = [length.p25, length.median, length.p75];
        for (one, other) in quantiles.into_iter().zip([expected.p25, expected.median, expected.p75]) {
            assert!(one.abs_diff(other) <= 1, "{name}: {length:?}, not {expected:?}");
        }
        assert_close("draws", lanes.draws.share, scalar.draws.share, 0.5);
        for (one, other) in lanes.roles.iter().zip(&scalar.roles) {
            assert_close("wins", one.wins.share, other.wins.share, 0.5);
            assert_close("legal moves", one.branching.mean, other.branching.mean, one.branching.mean);
            assert_close("choices", one.branching.choice_share, other.branching.choice_share, 0.5);
            for goal in &other.goals {
                let share = |goal: &GoalCount| goal.share.share;
                let found = one.goals.iter().find(|found| found.value == goal.value).map_or(0.0, share);
                let deviation = (share(goal) * (1.0 - share(goal))).sqrt();
                assert_close("share of a goal", found, share(goal), deviation.max(0.01));
            }
        }
    }
}

#[test]
fn every_started_playout_ends_once() {
    for (name, playouts) in [("nim", 5_001), ("breakthrough", 2_000), ("three_player_race", 700), ("hex", 3)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("kif");
        let game = load(&path);
        let program = Program::new(&game.network);
        let roles = game.network.goals.len();
        let mut goals = Goals { program: &program, sums: vec![0.0; roles], steps: 0, ended: Vec::new() };
        Block::new(&program, 1, 0, 1000).play(playouts, &mut goals).unwrap();
        goals.ended.sort_unstable();
        assert_eq!(goals.ended, (0..playouts).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_block_is_determined_by_seed_and_number() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/connect_four.kif");
    let program = Program::new(&load(&path).network);
    let play = |seed, number| {
        let mut goals = Goals { program: &program, sums: vec![0.0; 2], steps: 0, ended: Vec::new() };
        Block::new(&program, seed, number, 1000).play(2000, &mut goals).unwrap();
        (goals.steps, goals.ended)
    };
    assert_eq!(play(1, 0), play(1, 0));
    assert_ne!(play(1, 0).1, play(1, 1).1);
    assert_ne!(play(1, 0).1, play(2, 0).1);
}

/// The blocks of a run are merged in order, on any number of threads.
#[test]
fn counts_do_not_depend_on_threads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/nim.kif");
    let program = Program::new(&load(&path).network);
    let counts = |threads| {
        simulate_lanes(&program, &Budget { playouts: 100_000, seed: 4, threads, ..Budget::default() }, None)
            .unwrap()
    };
    let one = counts(1);
    assert_eq!(one, counts(2));
    assert_eq!(one.playouts, one.goals.values().sum::<u64>());
    assert_eq!(one.goals.keys().map(Vec::len).collect::<std::collections::BTreeSet<_>>(), [2].into());
}

/// Steps from given states with given moves: the lanes as a machine, compared with the network machine.
#[test]
fn lanes_step_given_states_like_the_network() {
    for path in own_and_large_games() {
        let network = NetworkMachine::new(load(&path));
        let lanes = LanesMachine::new(network.clone());
        let budget = Budget { playouts: 20, max_steps: 60, threads: 1, ..Budget::default() };
        let found = cross_check(&network, &lanes, &budget).unwrap();
        assert_eq!((found.playouts, found.differences), (20, 0), "{}: {:?}", path.display(), found.first);
    }
}

/// A playout without a legal move at the step limit counts as stuck on all machines.
#[test]
fn playouts_without_moves_at_the_step_limit_are_stuck() {
    let text = "(role a) (init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (legal a up) (true (n ?n)) (distinct ?n 4)) (<= terminal (true (n 5))) (goal a 50)
        (<= (next (n ?m)) (does a up) (true (n ?n)) (succ ?n ?m))";
    let description = read(&Source::from_text("dead end", text)).description.unwrap();
    let game = Arc::new(ground(&Arc::new(description), &Limits::default()).unwrap());
    let machine = NetworkMachine::new(game.clone());
    let context = Context::default();
    for (max_steps, stuck) in [(2, false), (3, true), (4, true)] {
        let budget = Budget { playouts: 600, max_steps, threads: 1, ..Budget::default() };
        let sequential = simulate(&machine, &budget, &context).unwrap();
        let in_lanes = observe_lanes(&machine, &budget, &context, || ()).unwrap().0;
        for statistics in [sequential, in_lanes] {
            let without_move = statistics.faults.iter().filter(|fault| fault.kind == FaultKind::NoLegalMove);
            let without_move: u64 = without_move.map(|fault| fault.playouts).sum();
            assert_eq!((without_move == 600, statistics.cut_off.count == 600), (stuck, !stuck));
        }
        let counts = simulate_lanes(
            machine.lane_program(),
            &Budget { playouts: 1, threads: 1, max_steps, ..Budget::default() },
            None,
        )
        .unwrap();
        assert_eq!((counts.stuck == counts.playouts, counts.capped == counts.playouts), (stuck, !stuck));
        let states = [machine.initial().clone()];
        for label in [
            labels(&machine, &states, &budget, &context).unwrap(),
            labels_sequential(&machine, &states, &budget, &context).unwrap(),
        ] {
            assert_eq!((label[0].playouts, label[0].capped == 600), (600, !stuck));
        }
    }
}

/// The lanes whose playouts end and the goal conditions that hold, by step.
pub(crate) type EndsFound = Vec<(u64, Vec<usize>, Vec<bool>)>;

/// All ends of playouts in a block, with the goal conditions that hold.
#[derive(Default)]
pub(crate) struct Ends<const LOOKS: bool>(pub(crate) EndsFound);

impl<const LOOKS: bool> BlockObserver for Ends<LOOKS> {
    const LOOKS: bool = LOOKS;

    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        let kinds = [ended.terminal, ended.capped, ended.stuck, ended.over];
        let lanes = kinds.map(|word| word.lanes().collect::<Vec<_>>()).concat();
        // Goals are defined only if a playout ends in a terminal state.
        let holds = (0..block.goals()).flat_map(|number| {
            let goal = block.goal(number) & ended.terminal;
            (0..512).step_by(37).map(move |lane| goal.lane(lane))
        });
        self.0.push((block.step(), lanes, holds.collect()));
    }
}

/// The ends of a block's playouts, with and without `LOOKS`.
pub(crate) fn ends(program: &Program, max_steps: u32) -> [EndsFound; 2] {
    let (mut seen, mut unseen) = (Ends::<true>::default(), Ends::<false>::default());
    Block::new(program, 6, 2, max_steps).play(900, &mut seen).unwrap();
    Block::new(program, 6, 2, max_steps).play(900, &mut unseen).unwrap();
    [seen.0, unseen.0]
}

/// After a role's move only its own marks can complete a line, so no step reads the marks of the other role. The lanes must
/// keep them.
#[test]
fn temporarily_unread_facts_are_kept() {
    let text = "(role a) (role b) (init (control a)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
        (index 1) (index 2) (index 3) (index 4) (index 5) (index 6) (<= (init (cell ?c blank)) (index ?c))
        (<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
        (<= (legal ?r (mark ?c)) (true (control ?r)) (true (cell ?c blank)))
        (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
        (<= (next (cell ?c ?r)) (does ?r (mark ?c)))
        (<= (next (cell ?c ?r)) (true (cell ?c ?r)) (distinct ?r blank))
        (<= (next (cell ?c blank)) (true (cell ?c blank)) (does ?r (mark ?d)) (distinct ?c ?d))
        (<= (line ?r) (true (cell ?c ?r)) (succ ?c ?d) (true (cell ?d ?r)) (succ ?d ?e) (true (cell ?e ?r)))
        (<= open (true (cell ?c blank))) (<= terminal (line a)) (<= terminal (line b)) (<= terminal (not open))
        (<= (goal ?r 100) (role ?r) (line ?r)) (<= (goal ?r 0) (role ?r) (not (line ?r)))";
    let description = read(&Source::from_text("marks in a row", text)).description.unwrap();
    let game = Arc::new(ground(&Arc::new(description), &Limits::default()).unwrap());
    let machine = NetworkMachine::new(game.clone());
    for engine in Engine::available() {
        let program = Program::with_engine(&game.network, engine);
        let [seen, unseen] = ends(&program, 100);
        assert!(seen == unseen, "{engine:?}");
    }
    let budget = Budget { playouts: 20_000, ..Budget::default() };
    let scalar = simulate(&machine, &budget, &Context::default()).unwrap();
    let unseen = simulate_lanes(
        machine.lane_program(),
        &Budget { playouts: 20_000, threads: 1, max_steps: 100, ..Budget::default() },
        None,
    )
    .unwrap();
    let states = [(scalar.states, scalar.playouts), (unseen.states, unseen.playouts)];
    let [expected, found] = states.map(|(states, playouts)| states as f64 / playouts as f64);
    assert!((found - expected).abs() < 0.05, "{found} states a playout, not {expected}");
}

#[test]
fn observers_do_not_change_playouts() {
    let games = [own_and_large_games(), real_games_named(&["tic_tac_toe"])].concat();
    for path in games {
        let program = Program::new(&load(&path).network);
        // Some playouts end; others are cut off.
        for max_steps in [7, 60] {
            let [seen, unseen] = ends(&program, max_steps);
            assert!(!seen.is_empty());
            assert!(seen == unseen, "{}, {max_steps} steps", path.display());
        }
    }
}

/// The programs of small games of every kind, on every engine of this machine, with moves chosen by gates and by table.
fn programs() -> &'static [Vec<Program>] {
    static PROGRAMS: std::sync::OnceLock<Vec<Vec<Program>>> = std::sync::OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let names = ["tic_tac_toe", "connect_four", "rock_paper_scissors", "nim", "three_player_race", "hex"];
        let on_every_engine = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("kif");
            let game = load(&path);
            let engines = Engine::available().into_iter();
            let by_gates_and_table = |engine| {
                [false, true]
                    .map(|table| Program::with_engine(&game.network, engine).choosing_by_table(table))
            };
            engines.flat_map(by_gates_and_table).collect()
        };
        names.into_iter().map(on_every_engine).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A block is the same on every engine, with and without `LOOKS`, and for both methods of choosing moves.
    #[test]
    fn a_block_is_the_same_on_every_engine(
        game in 0..6usize,
        seed: u64,
        number: u64,
        playouts in 0..1500u64,
        max_steps in 1..60u32,
    ) {
        let mut expected = None;
        for program in &programs()[game] {
            let mut unseen = Ends::<false>::default();
            Block::new(program, seed, number, max_steps).play(playouts, &mut unseen).unwrap();
            let mut seen = Ends::<true>::default();
            Block::new(program, seed, number, max_steps).play(playouts, &mut seen).unwrap();
            prop_assert_eq!(&unseen.0, &seen.0);
            let expected = expected.get_or_insert_with(|| unseen.0.clone());
            prop_assert_eq!(expected, &unseen.0);
        }
    }
}

/// A table chooses the same moves as gates, from the initial state and from others, with and without `LOOKS`. Every state
/// equals that of the scalar machine.
#[test]
#[ignore = "takes a quarter of a minute"]
fn move_tables_choose_like_gates() {
    for path in own_and_large_games() {
        let game = load(&path);
        let machine = NetworkMachine::new(game.clone());
        let [by_gates, by_table] =
            [false, true].map(|table| Program::new(&game.network).choosing_by_table(table));
        for max_steps in [5, 60] {
            let expected = ends(&by_gates, max_steps);
            assert!(ends(&by_table, max_steps) == expected, "{}, {max_steps} steps", path.display());
        }
        let mut cursor = machine.cursor();
        let mut states = vec![machine.initial().clone()];
        for number in 0..5 {
            let legal = |role| cursor.legal(role).get(number).or(cursor.legal(role).first()).copied();
            let joint: Option<Vec<MoveId>> = (0..game.network.moves.len()).map(legal).collect();
            let Some(joint) = joint.filter(|_| !cursor.terminal()) else { break };
            cursor.advance(&joint).unwrap();
            states.push(cursor.state().clone());
        }
        let states: Vec<&[u64]> = states.iter().map(|state| &*state.0).collect();
        let from = |program: &Program| {
            let mut ends = Ends::<false>::default();
            let playouts: Vec<u32> = (0..states.len() as u32).map(|state| 150 - 20 * state).collect();
            Block::new(program, 1, 1, 30).play_from(&states, &playouts, &mut ends).unwrap();
            ends.0
        };
        assert!(from(&by_table) == from(&by_gates), "{}", path.display());
        let cursors = [0, 70, 511].iter().map(|&lane| (lane, lane as u64, machine.cursor())).collect();
        let mut follow = Follow {
            network: &game,
            program: &by_table,
            cursors,
            initial: machine.initial().clone(),
            positions: 0,
        };
        Block::new(&by_table, 3, 5, 40).play(600, &mut follow).unwrap();
        assert!(follow.positions >= 3, "{}", path.display());
    }
}

/// Machine code of every level and the interpreter play the same playouts, with and without `LOOKS`.
#[test]
#[ignore = "takes a quarter of a minute"]
fn every_engine_plays_the_same_playouts() {
    for name in ["tic_tac_toe", "connect_four", "hex", "breakthrough", "three_player_race", "checkers"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("kif");
        let network = &load(&path).network;
        let programs: Vec<Program> =
            Engine::available().into_iter().map(|engine| Program::with_engine(network, engine)).collect();
        let count = |program: &Program| {
            simulate_lanes(
                program,
                &Budget { playouts: 1, seed: 4, threads: 1, max_steps: 60, ..Budget::default() },
                None,
            )
            .unwrap()
        };
        let expected = count(&programs[0]);
        for program in &programs {
            assert_eq!(count(program), expected, "{name}, {:?}", program.engine());
            let mut goals =
                Goals { program, sums: vec![0.0; network.goals.len()], steps: 0, ended: Vec::new() };
            Block::new(program, 4, 0, 60).play(expected.playouts, &mut goals).unwrap();
            let steps: u64 = expected.lengths.iter().map(|(&length, &count)| u64::from(length) * count).sum();
            assert_eq!(goals.steps, steps, "{name}, {:?}: looked at", program.engine());
        }
    }
}
