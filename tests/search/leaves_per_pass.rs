//! UCT can evaluate several leaves in one pass of lanes. Proved values are correct. The same seed and node limit give the
//! same result. With equally many nodes, several leaves per pass play better than one.

use crate::sampled::load_game;
use ggp::machine::{Machine, State};
use ggp::search::{
    AlphaBetaOptions, Deepening, Limits, Search, SearchContext, SearchResult, Stop, Uct, UctOptions,
};
use ggp::simulate::Choices;

fn nodes(nodes: u64) -> Limits<'static> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn uct(machine: &dyn Machine, role: usize, leaves: u32) -> Uct<'_> {
    let options =
        UctOptions { exploration: 0.2, lanes: 512, leaves, memory: 64 << 20, ..UctOptions::default() };
    Uct::plain(SearchContext::alone(machine, role), options)
}

/// The result without its time.
fn timeless(result: SearchResult) -> SearchResult {
    SearchResult { took: std::time::Duration::ZERO, ..result }
}

/// The state after `moves` random joint moves, or a terminal state before.
fn after(machine: &dyn Machine, moves: u32, seed: u64) -> State {
    let (mut cursor, mut choices) = (machine.cursor(), Choices::new(seed, 0));
    for _ in 0..moves {
        if cursor.terminal() {
            break;
        }
        let joint: Vec<_> = (0..machine.description().roles.len())
            .map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())])
            .collect();
        cursor.advance(&joint).unwrap();
    }
    cursor.state().clone()
}

#[test]
fn proved_values_are_correct() {
    // The number of leaves per pass, and the number of random moves before the search.
    for (name, leaves, moves) in
        [("tic_tac_toe", 8, 3), ("nim", 64, 3), ("connect_four_4x4", 16, 9), ("sum_fifteen", 512, 3)]
    {
        let game = load_game(name);
        let machine = &*game.machine;
        let mut solved = 0;
        for (seed, role) in (1..=4).flat_map(|seed| [(seed, 0), (seed, 1)]) {
            let state = after(machine, moves, seed);
            let found = uct(machine, role, leaves).search(&state, &nodes(400_000), &mut |_| {}).unwrap();
            if found.stop != Stop::Solved {
                continue;
            }
            solved += 1;
            let setting = SearchContext::alone(machine, role);
            let mut exact = Deepening::plain(setting, AlphaBetaOptions::default());
            let wanted = exact.search(&state, &Limits::default(), &mut |_| {}).unwrap();
            assert_eq!(found.value, wanted.value, "{name} {seed} {role}");
        }
        assert!(solved > 0, "{name}: nothing was proved");
    }
}

/// This includes games with simultaneous moves and with three roles.
#[test]
fn the_same_seed_and_node_limit_give_the_same_search() {
    for name in ["connect_four", "rock_paper_scissors", "three_player_race"] {
        let game = load_game(name);
        let machine = &*game.machine;
        let think = |leaves: u32| {
            let mut search = uct(machine, 0, leaves);
            let first = timeless(search.search(machine.initial(), &nodes(60_000), &mut |_| {}).unwrap());
            // The second search continues with the tree of the first one. No path may still count as lost.
            let second = timeless(search.search(machine.initial(), &nodes(60_000), &mut |_| {}).unwrap());
            (first, second)
        };
        assert_eq!(think(16), think(16), "{name}");
        assert!(think(16).0.action.is_some(), "{name}");
    }
}

/// Without memory for more nodes, playouts still start from new states.
#[test]
fn memory_is_bounded() {
    let game = load_game("reversi");
    let machine = &*game.machine;
    let options = UctOptions { memory: 1 << 18, lanes: 512, leaves: 16, ..UctOptions::default() };
    let mut uct = Uct::plain(SearchContext::alone(machine, 0), options);
    let found = uct.search(machine.initial(), &nodes(1_000_000), &mut |_| {}).unwrap();
    assert_eq!(found.stop, Stop::Nodes);
    assert!(found.action.is_some() && found.value.is_some_and(|value| (5.0..95.0).contains(&value)));
}

/// In Hex, another leaf helps more than another playout. In a longer run, 16 leaves won all 16 matches; the test plays 4.
#[test]
fn sixteen_leaves_per_pass_beat_one() {
    let game = load_game("hex");
    let machine = &*game.machine;
    let mut won = 0;
    for number in 0..4 {
        let role = number % 2;
        let (many, one) = (uct(machine, role, 16), uct(machine, 1 - role, 1));
        let mut players = if role == 0 { [many, one] } else { [one, many] };
        let mut cursor = machine.cursor();
        cursor.set(&after(machine, 2, number as u64 / 2)).unwrap();
        while !cursor.terminal() {
            let mut joint = Vec::new();
            for (role, player) in players.iter_mut().enumerate() {
                joint.push(match cursor.legal(role) {
                    &[only] => only,
                    _ => player.search(cursor.state(), &nodes(200_000), &mut |_| {}).unwrap().action.unwrap(),
                });
            }
            cursor.advance(&joint).unwrap();
        }
        won += usize::from(cursor.goals(role) == [100]);
    }
    assert!(won >= 3, "{won} of 4");
}
