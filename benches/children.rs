//! Benchmarks of expansion: all children of states from random playouts, computed by the cursor, in lanes, and by the
//! expander that chooses between the two. Run with `cargo bench --bench children`. One iteration expands all states of a
//! game; items are children.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use ggp::gdl::{Source, read};
use ggp::ground::{Limits, ground};
use ggp::machine::lanes::children::LaneExpander;
use ggp::machine::lanes::program::Program;
use ggp::machine::{
    ChildFields, Children, Expander, JointMoves, Machine, MoveId, NetworkMachine, ScalarExpander, State,
};
use ggp::simulate::Choices;

const GAMES: [&str; 11] = [
    "eight_puzzle",
    "tic_tac_toe",
    "connect_four",
    "checkers",
    "reversi",
    "breakthrough",
    "chess",
    "hex",
    "pentago",
    "halma",
    "bidding_tic_tac_toe",
];

/// Games of the open corpus with many moves. They are measured if `GGP_CORPUS` names its folder.
const LARGER: [&str; 3] = ["gomoku_11x11", "amazons_8x8", "amazons"];

/// Limits of the sample of a game: the number of states, and the sum of their legal moves.
const STATES: usize = 100;
const MOVES: usize = 20_000;

fn main() {
    divan::main();
}

/// A game and states sampled from its random playouts.
struct Case {
    game: &'static str,
    machine: NetworkMachine,
    states: Vec<State>,
    children: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:.1} children a state", self.game, self.children as f64 / self.states.len() as f64)
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let corpus = std::env::var_os("GGP_CORPUS").map(|corpus| Path::new(&corpus).join("open"));
    let larger = corpus.map(|folder| LARGER.map(|game| (folder.clone(), game)));
    let games = GAMES.map(|game| (here.clone(), game));
    games.into_iter().chain(larger.into_iter().flatten()).map(|(folder, game)| {
        let source = Source::load(folder.join(game).with_extension("kif")).expect("the game is there");
        let description = Arc::new(read(&source).description.expect("the game has no errors"));
        let network = ground(&description, &Limits::default()).expect("the game has a network");
        let machine = NetworkMachine::new(Arc::new(network));
        let states = states(&machine);
        let mut found = Children::default();
        let mut expander = scalar_expander(&machine);
        let children =
            states.iter().map(|state| expand(&mut expander, state, ChildFields::OUTCOME, &mut found)).sum();
        drop(expander);
        Case { game, machine, states, children }
    })
}

/// Every third state of random playouts, terminal states excluded.
fn states(machine: &dyn Machine) -> Vec<State> {
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let (mut states, mut moves) = (Vec::new(), 0);
    for playout in 0.. {
        let mut choices = Choices::new(1, playout);
        cursor.set(machine.initial()).expect("a network evaluates every state");
        for step in 0..200 {
            if cursor.terminal() {
                break;
            }
            if (step + playout) % 3 == 0 {
                states.push(cursor.state().clone());
                moves += (0..roles).map(|role| cursor.legal(role).len()).sum::<usize>();
                if states.len() == STATES || moves >= MOVES {
                    return states;
                }
            }
            let choose = |role| cursor.legal(role)[choices.below(cursor.legal(role).len())];
            let joint: Vec<MoveId> = (0..roles).map(choose).collect();
            cursor.advance(&joint).expect("a network evaluates every state");
        }
    }
    states
}

fn scalar_expander(machine: &NetworkMachine) -> ScalarExpander<'_> {
    ScalarExpander::new(machine.cursor(), machine.description().roles.len())
}

fn expand(expander: &mut dyn Expander, state: &State, wanted: ChildFields, children: &mut Children) -> usize {
    expander.expand(state, JointMoves::All, wanted, children).expect("states have few joint moves");
    children.len()
}

fn measure(bencher: Bencher<'_, '_>, case: &Case, expander: &mut dyn Expander, wanted: ChildFields) {
    let mut children = Children::default();
    bencher.counter(ItemsCount::new(case.children)).bench_local(|| {
        case.states.iter().map(|state| expand(expander, state, wanted, &mut children)).sum::<usize>()
    });
}

/// All fields of every child, by the cursor.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn cursor(bencher: Bencher<'_, '_>, case: &Case) {
    measure(bencher, case, &mut scalar_expander(&case.machine), ChildFields::ALL);
}

/// All fields of every child, in lanes.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn lanes(bencher: Bencher<'_, '_>, case: &Case) {
    measure(
        bencher,
        case,
        &mut LaneExpander::new(case.machine.lane_program()).expect("nothing interrupts"),
        ChildFields::ALL,
    );
}

/// All fields of every child, by the expander that `NetworkMachine` chooses.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn either(bencher: Bencher<'_, '_>, case: &Case) {
    measure(bencher, case, &mut *case.machine.expander(), ChildFields::ALL);
}

/// Only whether children are terminal, and their goal values; by the cursor.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn cursor_outcomes(bencher: Bencher<'_, '_>, case: &Case) {
    measure(bencher, case, &mut scalar_expander(&case.machine), ChildFields::OUTCOME);
}

/// Only whether children are terminal, and their goal values; in lanes.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn lanes_outcomes(bencher: Bencher<'_, '_>, case: &Case) {
    measure(
        bencher,
        case,
        &mut LaneExpander::new(case.machine.lane_program()).expect("nothing interrupts"),
        ChildFields::OUTCOME,
    );
}

/// Compiles the lane program.
#[divan::bench(args = cases(), sample_count = 3, sample_size = 1)]
fn set_up(bencher: Bencher<'_, '_>, case: &Case) {
    let network = &case.machine.grounded().network;
    bencher.bench_local(|| drop(LaneExpander::new(&Program::new(network))));
}

/// Two children of every state, in lanes: this measures the fixed cost of a pass. Items are passes.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn one_pass(bencher: Bencher<'_, '_>, case: &Case) {
    let mut lanes = LaneExpander::new(case.machine.lane_program()).expect("nothing interrupts");
    let (roles, mut children) = (case.machine.description().roles.len(), Children::default());
    let mut cursor = case.machine.cursor();
    let pairs: Vec<Vec<MoveId>> = (case.states.iter())
        .map(|state| {
            cursor.set(state).expect("a network evaluates every state");
            let joint = |last: bool| {
                let cursor = &cursor;
                (0..roles).map(
                    move |role| if last { cursor.legal(role).last() } else { cursor.legal(role).first() },
                )
            };
            joint(false)
                .chain(joint(true))
                .map(|action| *action.expect("every role has a legal move"))
                .collect()
        })
        .collect();
    bencher.counter(ItemsCount::new(case.states.len())).bench_local(|| {
        for (state, pair) in case.states.iter().zip(&pairs) {
            let expanded = lanes.expand(state, JointMoves::Given(pair), ChildFields::OUTCOME, &mut children);
            expanded.expect("states have few joint moves");
        }
    });
}
