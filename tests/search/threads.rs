//! A search with several threads finds the values of a single thread. Separate trees are deterministic. A shared table is
//! not, and the result is marked as not repeatable.

use std::convert::Infallible;

use crate::sampled::load_game;
use ggp::machine::{Machine, State};
use ggp::search::{
    AlphaBetaOptions, Deepening, LazySmp, Limits, RootTrees, Search, SearchContext, SearchResult, Stop, Uct,
    UctOptions,
};
use ggp::simulate::{Choices, StateReader};

fn nodes(nodes: u64) -> Limits<'static> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn trees(machine: &dyn Machine, count: u64, lanes: u32) -> RootTrees<'_> {
    let tree = |number: u64| {
        let options = UctOptions { seed: 1 + number, lanes, memory: 64 << 20, ..UctOptions::default() };
        Uct::plain(SearchContext::alone(machine, 0), options)
    };
    RootTrees::new((0..count).map(tree).collect())
}

fn smp(machine: &dyn Machine, role: usize, count: u64, is_mtdf: bool) -> LazySmp<'_> {
    let options = AlphaBetaOptions { table: 1 << 22, ..AlphaBetaOptions::default() };
    let search = |options| {
        let search = Deepening::plain(SearchContext::alone(machine, role), options);
        Ok::<_, Infallible>(if is_mtdf { search.by_empty_windows() } else { search })
    };
    LazySmp::of_threads(count, options, search).unwrap_or_else(|never| match never {})
}

/// The result without its time.
fn timeless(result: SearchResult) -> SearchResult {
    SearchResult { took: std::time::Duration::ZERO, ..result }
}

#[test]
fn root_parallel_trees_are_deterministic() {
    for (name, lanes) in [("connect_four", 0), ("connect_four", 512), ("rock_paper_scissors", 0)] {
        let game = load_game(name);
        let machine = &*game.machine;
        let think = |count: u64| {
            let mut search = trees(machine, count, lanes);
            timeless(search.search(machine.initial(), &nodes(20_000), &mut |_| {}).unwrap())
        };
        let (one, four) = (think(1), think(4));
        assert_eq!(four, think(4), "{name}");
        assert!(four.repeatable && four.action.is_some());
        let mut alone = Uct::plain(
            SearchContext::alone(machine, 0),
            UctOptions { lanes, memory: 64 << 20, ..UctOptions::default() },
        );
        let alone = timeless(alone.search(machine.initial(), &nodes(20_000), &mut |_| {}).unwrap());
        assert_eq!((one.action, one.nodes), (alone.action, alone.nodes), "{name}: one tree is one search");
        // Each tree stops at its share of the nodes. Lanes count hundreds of states at once, so a tree may stop late.
        assert!(four.nodes >= 20_000 && four.nodes < 20_000 + 4 * 20_000, "{}", four.nodes);
    }
}

fn position(machine: &dyn Machine) -> State {
    let text = "(mark 1 1 cross) (mark 1 2 cross) (mark 1 3 empty) (mark 2 1 nought) (mark 2 2 nought)
                (mark 2 3 empty) (mark 3 1 empty) (mark 3 2 empty) (mark 3 3 empty) (to_move crosses)";
    StateReader::new(machine).read(text).unwrap()
}

#[test]
fn a_proof_of_one_tree_is_final() {
    let game = load_game("tic_tac_toe");
    let machine = &*game.machine;
    let found = trees(machine, 3, 0).search(&position(machine), &nodes(100_000), &mut |_| {}).unwrap();
    assert_eq!((found.value, found.proved, found.stop), (Some(100.0), true, Stop::Solved));
    assert_eq!(machine.move_text(found.action.unwrap()), "(draw 1 3)");
}

/// Proofs with a shared table agree with those of one thread, in states after a few random moves.
#[test]
fn proofs_with_a_shared_table_are_correct() {
    let mut proved = 0;
    for name in ["tic_tac_toe", "nim", "connect_four_4x4", "sum_fifteen"] {
        let game = load_game(name);
        let machine = &*game.machine;
        for seed in 1..=4 {
            let (mut cursor, mut choices) = (machine.cursor(), Choices::new(seed, 0));
            for _ in 0..5 {
                if !cursor.terminal() {
                    let joint: Vec<_> = (0..2)
                        .map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())])
                        .collect();
                    cursor.advance(&joint).unwrap();
                }
            }
            for role in 0..2 {
                let setting = SearchContext::alone(machine, role);
                let mut exact = Deepening::plain(setting, AlphaBetaOptions::default());
                let wanted = exact.search(cursor.state(), &Limits::default(), &mut |_| {}).unwrap();
                for is_mtdf in [false, true] {
                    let mut reports = 0;
                    let mut search = smp(machine, role, 4, is_mtdf);
                    let found = search
                        .search(cursor.state(), &Limits::default(), &mut |found| {
                            assert!(!found.repeatable);
                            reports += 1;
                        })
                        .unwrap();
                    assert!(!found.repeatable && found.proved, "{name} {seed} {role}");
                    assert_eq!(found.value, wanted.value, "{name} {seed} {role}");
                    assert!(cursor.terminal() || reports > 0 || found.depth > 0);
                    proved += 1;
                }
            }
        }
    }
    assert_eq!(proved, 64);
}

#[test]
fn threads_respect_the_node_limit() {
    let game = load_game("connect_four");
    let machine = &*game.machine;
    let mut search = smp(machine, 0, 3, false);
    let found = search.search(machine.initial(), &nodes(3_000), &mut |_| {}).unwrap();
    // Each thread stops at its share of the nodes, or after the seven children of a state, which are counted together.
    assert!(found.nodes <= 3_000 + 3 * 7 && found.action.is_some(), "{}", found.nodes);
    let deadline = std::time::Instant::now() + std::time::Duration::from_millis(300);
    let limits = Limits { deadline: Some(deadline), ..Limits::default() };
    let found = search.search(machine.initial(), &limits, &mut |_| {}).unwrap();
    assert!(found.action.is_some() && deadline.elapsed().as_millis() < 1_000);
    let interrupt = std::sync::atomic::AtomicBool::new(true);
    let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
    let found = search.search(machine.initial(), &limits, &mut |_| {}).unwrap();
    assert_eq!(found.stop, Stop::Interrupted);
    let found = search
        .search(machine.initial(), &Limits { depth: Some(4), ..Limits::default() }, &mut |_| {})
        .unwrap();
    assert_eq!((found.depth, found.stop), (4, Stop::Depth));
}
