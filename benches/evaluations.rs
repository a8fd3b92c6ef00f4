//! Values of states from random playouts by the fuzzy goal function of the first role, compared with the cost of stepping
//! between them. Run with `cargo bench --bench evaluations`; items are states. `ggp bench --evaluations` measures functions
//! of all kinds.

use std::fmt;
use std::path::Path;

use divan::Bencher;
use divan::counter::ItemsCount;
use ggp::evaluation::fuzzy::{FuzzyFunction, FuzzyParameters, UnrollLimits};
use ggp::feature::{Facts, Measure, ValuedState};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Loaded, MoveId, State, load};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;

const GAMES: [&str; 10] = [
    "tic_tac_toe",
    "connect_four",
    "breakthrough",
    "reversi",
    "checkers",
    "chess",
    "hex",
    "nine_mens_morris",
    "pentago",
    "eight_puzzle",
];

/// The number of states sampled from a game.
const STATES: usize = 1_000;

fn main() {
    divan::main();
}

/// A game with recorded playouts: states, and the joint moves that lead from one to the next.
struct Case {
    game: &'static str,
    loaded: Loaded,
    function: FuzzyFunction,
    plays: Vec<Vec<(Vec<MoveId>, State)>>,
    states: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.game)
    }
}

fn cases() -> impl Iterator<Item = Case> {
    GAMES.into_iter().map(|game| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif");
        let source = Source::load(path).expect("the game is there");
        let description = read(&source).description.expect("the game has no errors");
        let loaded = load(description, Backend::Network, &Limits::default()).expect("the game has a network");
        let machine = &*loaded.machine;
        let budget = Budget { playouts: 100, ..Budget::default() };
        let found = detect(machine, &loaded.statics, &budget, &Context::default());
        let structures = found.expect("the game can be played").0;
        let (parameters, limits) = (FuzzyParameters::default(), UnrollLimits::default());
        let function = FuzzyFunction::new(machine, &structures, 0, parameters, &limits);
        let function = function.expect("the parameters are in their ranges");
        let roles = machine.description().roles.len();
        let (mut plays, mut states) = (Vec::new(), 0);
        for playout in 0.. {
            let (mut cursor, mut choices) = (machine.cursor(), Choices::new(1, playout));
            let mut play = Vec::new();
            while !cursor.terminal() && play.len() < 200 {
                let choose = |role| cursor.legal(role)[choices.below(cursor.legal(role).len())];
                let joint: Vec<MoveId> = (0..roles).map(choose).collect();
                cursor.advance(&joint).expect("a network evaluates every state");
                play.push((joint, cursor.state().clone()));
            }
            states += play.len();
            plays.push(play);
            if states >= STATES {
                break;
            }
        }
        Case { game, loaded, function, plays, states }
    })
}

/// Steps from state to state.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn steps(bencher: Bencher<'_, '_>, case: &Case) {
    let machine = &*case.loaded.machine;
    let mut cursor = machine.cursor();
    bencher.counter(ItemsCount::new(case.states)).bench_local(|| {
        for play in &case.plays {
            cursor.set(machine.initial()).expect("a network evaluates every state");
            for (joint, _) in play {
                cursor.advance(joint).expect("a network evaluates every state");
                std::hint::black_box(cursor.terminal());
            }
        }
    });
}

/// Evaluates the same states: reads their facts and computes the function.
#[divan::bench(args = cases(), sample_count = 20, max_time = 2)]
fn values(bencher: Bencher<'_, '_>, case: &Case) {
    let machine = &*case.loaded.machine;
    let mut bound = case.function.bind(machine).expect("the function is the game's own");
    let (cursor, mut facts) = (machine.cursor(), Facts::new(machine));
    bencher.counter(ItemsCount::new(case.states)).bench_local(|| {
        for (_, state) in case.plays.iter().flatten() {
            facts.fill(machine, state);
            std::hint::black_box(bound.value(&ValuedState { facts: &facts, view: &*cursor }));
        }
    });
}
