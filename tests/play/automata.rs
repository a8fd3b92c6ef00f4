//! State bits that form a finite automaton are stepped by a table, with the same results as by gates. Other bits are never
//! treated as an automaton.

use std::fmt::Write;
use std::sync::Arc;

use crate::lanes::{Ends, EndsFound, Follow, ends, load};
use crate::listed::own_and_large_games;
use ggp::gdl::{Source, read};
use ggp::ground::{GroundedGame, Limits, ground};
use ggp::machine::lanes::block::Block;
use ggp::machine::lanes::engine::Engine;
use ggp::machine::lanes::program::Program;
use ggp::machine::{FluentId, Machine, MoveId, NetworkMachine};

fn game(text: &str) -> Arc<GroundedGame> {
    let description = read(&Source::from_text("automaton", text.to_owned())).description.unwrap();
    Arc::new(ground(&Arc::new(description), &Limits::default()).unwrap())
}

/// A term for each order of five things, of which a move reverses the first few. A second role has a lamp. `more` is added
/// to the rules.
fn orders(more: &str) -> String {
    let mut text = "(role turner) (role keeper) (init (order 3 1 5 2 4)) (init (step 0)) (init (lamp off))
        (thing 2) (thing 3) (thing 4) (thing 5) (<= (legal turner (turn ?n)) (thing ?n))
        (legal keeper wait) (<= (legal keeper press) (true (step ?n)) (even ?n))
        (even 0) (even 2) (even 4) (even 6) (even 8) (even 10)
        (<= (next (lamp on)) (does keeper press) (true (lamp off)))
        (<= (next (lamp off)) (does keeper press) (true (lamp on)))
        (<= (next (lamp ?l)) (does keeper wait) (true (lamp ?l)))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 12))) (<= terminal (true (order 1 2 3 4 5)) (true (lamp on)))
        (<= (goal turner 100) (true (order 1 2 3 4 5))) (<= (goal turner 30) (true (order 1 ?b ?c ?d ?e)))
        (<= (goal turner 0) (true (order ?a ?b ?c ?d 1))) (goal keeper 50)"
        .to_owned();
    for n in 0..12 {
        write!(text, "(succ {n} {})", n + 1).unwrap();
    }
    let names = ["?a", "?b", "?c", "?d", "?e"];
    for n in 2..=5 {
        let mut turned = names;
        turned[..n].reverse();
        let [from, to] = [names, turned].map(|names| names.join(" "));
        write!(text, "(<= (next (order {to})) (does turner (turn {n})) (true (order {from})))").unwrap();
    }
    text + more
}

/// A token on a path of nine cells that can fall off at either end and can be put back on the middle cell. `rules` add the
/// other moves.
fn token(rules: &str) -> String {
    let mut text = "(role mover) (role other) (init (at 5)) (init (step 0)) (init (gate open))
        (legal mover left) (legal mover right) (legal mover stay) (legal mover enter) (legal other noop) (legal other shut)
        (<= (next (gate shut)) (does other shut)) (<= (next (gate ?g)) (does other noop) (true (gate ?g)))
        (<= (next (at ?y)) (does mover right) (true (at ?x)) (succ ?x ?y))
        (<= (next (at 5)) (does mover enter))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 9)))
        (<= (held) (true (at ?x)))
        (<= (goal mover 100) (true (at 9))) (<= (goal mover 0) (not held)) (<= (goal mover 40) held (not (true (at 9))))
        (<= (goal other 100) (true (gate shut))) (<= (goal other 0) (true (gate open)))"
        .replace("(<= (held)", "(<= held");
    for n in 0..9 {
        write!(text, "(succ {n} {})", n + 1).unwrap();
    }
    text + rules
}

/// Rules for going left and for staying, with which the bits of the token form an automaton.
const PLAIN: &str = "(<= (next (at ?x)) (does mover left) (true (at ?y)) (cell ?x) (succ ?x ?y))
    (<= (next (at ?x)) (does mover stay) (true (at ?x)))
    (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (cell 7) (cell 8) (cell 9)";

/// The sizes of all automata found, including small ones.
fn found(text: &str) -> Vec<usize> {
    let mut sizes = Program::new(&game(text).network).with_automata_from(1).automata_sizes().unwrap();
    sizes.sort_unstable();
    sizes
}

/// Playouts from given states, with and without `LOOKS`.
fn from_states(program: &Program, states: &[&[u64]]) -> [EndsFound; 2] {
    let (mut seen, mut unseen) = (Ends::<true>::default(), Ends::<false>::default());
    Block::new(program, 1, 1, 30).play_from(states, &vec![150; states.len()], &mut seen).unwrap();
    Block::new(program, 1, 1, 30).play_from(states, &vec![150; states.len()], &mut unseen).unwrap();
    [seen.0, unseen.0]
}

/// Plays a game with and without automata, by gates and by table, on these engines. The playouts and states must be the
/// same, and equal those of the network machine.
fn check_playouts(game: &Arc<GroundedGame>, engines: &[Engine], name: &str) {
    let machine = NetworkMachine::new(game.clone());
    let mut states = vec![machine.initial().0.to_vec()];
    let mut cursor = machine.cursor();
    for number in 0..4 {
        let legal = |role| cursor.legal(role).get(number).or(cursor.legal(role).last()).copied();
        let joint: Option<Vec<_>> = (0..game.network.moves.len()).map(legal).collect();
        let Some(joint) = joint.filter(|_| !cursor.terminal()) else { break };
        cursor.advance(&joint).unwrap();
        states.push(cursor.state().0.to_vec());
    }
    let states: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
    for &engine in engines {
        for by_table in [false, true] {
            let program = |least| {
                let program = Program::with_engine(&game.network, engine).choosing_by_table(by_table);
                program.with_automata_from(least)
            };
            let (by_gates, by_automata) = (program(usize::MAX), program(1));
            for max_steps in [5, 60] {
                let found = ends(&by_automata, max_steps);
                assert!(found == ends(&by_gates, max_steps), "{name}, {engine:?}, {max_steps} steps");
            }
            let found = from_states(&by_automata, &states);
            assert!(found == from_states(&by_gates, &states), "{name}, {engine:?}: from states");
            let cursors = [0, 70, 511].iter().map(|&lane| (lane, lane as u64, machine.cursor())).collect();
            let mut follow = Follow {
                network: game,
                program: &by_automata,
                cursors,
                initial: machine.initial().clone(),
                positions: 0,
            };
            Block::new(&by_automata, 3, 5, 40).play(1300, &mut follow).unwrap();
            assert!(follow.positions >= 3, "{name}");
        }
    }
}

#[test]
fn permutations_form_an_automaton_of_one_role() {
    let text = orders("");
    assert_eq!(found(&text), [2, 120], "the lamp and the orders; the steps have no gates");
    check_playouts(&game(&text), &Engine::available(), "orders");
}

#[test]
fn an_automaton_may_become_empty_and_be_entered_again() {
    let text = token(PLAIN);
    assert_eq!(found(&text), [9]);
    check_playouts(&game(&text), &Engine::available(), "token");
}

/// Roles take turns to turn the things: in each phase the moves of another role decide.
#[test]
fn the_driving_role_may_change_with_the_phase() {
    let text = orders("").replace("turner", "keeper2");
    let text = text.replace("(<= (legal keeper2 (turn ?n)) (thing ?n))", "");
    let text = text.replace("(legal keeper wait)", "").replace("(does keeper2 (turn", "(does ?r (turn");
    let turns = "(init (control keeper)) (<= (next (control keeper)) (true (control keeper2)))
        (<= (next (control keeper2)) (true (control keeper)))
        (<= (legal ?r (turn ?n)) (true (control ?r)) (thing ?n))
        (<= (legal ?r wait) (role ?r) (not (true (control ?r))))";
    let text = (text + turns).replace("(<= (legal keeper press) (true (step ?n)) (even ?n))", "");
    assert!(found(&text).contains(&120), "{:?}", found(&text));
    check_playouts(&game(&text), &[Engine::best()], "turns");
}

#[test]
fn other_bits_stay_gates() {
    let misses = [
        (
            "two successors",
            "(<= (next (at ?x)) (does mover stay) (true (at ?x)))
            (<= (next (at 6)) (does mover stay) (true (at 7)))",
        ),
        (
            "a condition on another fluent",
            "(<= (next (at ?x)) (does mover stay) (true (at ?x)) (true (gate open)))",
        ),
        ("two bits initially", "(init (at 7)) (<= (next (at ?x)) (does mover stay) (true (at ?x)))"),
        ("two roles", "(<= (next (at ?x)) (does mover stay) (does other shut) (true (at ?x)))"),
        (
            "a bit that is set when no bit of the token holds",
            "(<= (next (at 6)) (does mover stay) (not held))
            (<= (next (at 7)) (does mover stay) (not (true (at 7))))",
        ),
    ];
    for (why, rules) in misses {
        let text = token(rules);
        assert_eq!(found(&text), [0; 0], "{why}");
        check_playouts(&game(&text), &[Engine::best()], why);
    }
    let one = token("(<= (next (at ?x)) (does mover stay) (true (at ?x)))");
    assert_eq!(found(&one), [5], "none of these");
}

/// A given state may have several bits of an automaton, which no reachable state does, or none. Gates play such states.
#[test]
fn unreachable_states_are_played_by_gates() {
    for text in [token(PLAIN), orders("")] {
        let game = game(&text);
        let machine = NetworkMachine::new(game.clone());
        let [mut two, mut none] = [machine.initial().0.to_vec(), machine.initial().0.to_vec()];
        let text = |bit: usize| machine.fluent_text(FluentId(game.network.bits[bit]));
        let position = |&bit: &usize| text(bit).starts_with("(at ") || text(bit).starts_with("(order ");
        let positions: Vec<usize> = (0..game.network.bits.len()).filter(position).collect();
        for &bit in &positions {
            none[bit / 64] &= !(1 << (bit % 64));
        }
        positions.iter().take(3).for_each(|bit| two[bit / 64] |= 1 << (bit % 64));
        let program = |least| Program::new(&game.network).with_automata_from(least);
        for states in [vec![&two[..]], vec![&none[..]], vec![&machine.initial().0[..], &two[..], &none[..]]] {
            let found = from_states(&program(1), &states);
            assert!(found == from_states(&program(usize::MAX), &states));
        }
    }
}

#[test]
#[ignore = "takes half a minute"]
fn automata_of_any_size_keep_the_playouts() {
    for path in own_and_large_games() {
        check_playouts(&load(&path), &[Engine::best()], &path.display().to_string());
    }
}

/// Steps the machines with tables and with gates from any state, and compares all that they compute.
fn check_steps(game: &Arc<GroundedGame>, name: &str) {
    let by_gates = NetworkMachine::with_automata_from(game.clone(), usize::MAX);
    let by_automata = NetworkMachine::with_automata_from(game.clone(), 1);
    let (mut expected, mut cursor) = (by_gates.cursor(), by_automata.cursor());
    let bits = game.network.bits.len();
    let mut random = 7u64;
    for step in 0..2000 {
        assert_eq!(cursor.state(), expected.state(), "{name}, step {step}");
        assert_eq!(cursor.terminal(), expected.terminal(), "{name}, step {step}");
        for role in 0..game.network.moves.len() {
            assert_eq!(cursor.legal(role), expected.legal(role), "{name}, step {step}");
            assert_eq!(cursor.goals(role), expected.goals(role), "{name}, step {step}");
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choose = |role: usize| {
            let legal: &[MoveId] = expected.legal(role);
            legal.get((random >> (34 + 5 * role)) as usize % legal.len().max(1)).copied()
        };
        let joint: Option<Vec<MoveId>> = (0..game.network.moves.len()).map(choose).collect();
        match joint {
            Some(joint) if random >> 60 > 0 && !expected.terminal() => {
                cursor.advance(&joint).unwrap();
                expected.advance(&joint).unwrap();
            }
            _ => {
                // Continues from the initial state, or from it with one bit changed, so that an automaton has several bits
                // or none.
                let mut state = by_gates.initial().clone();
                if random >> 32 & 1 == 1 {
                    let bit = (random >> 40) as usize % bits;
                    state.0[bit / 64] ^= 1 << (bit % 64);
                }
                cursor.set(&state).unwrap();
                expected.set(&state).unwrap();
            }
        }
    }
}

#[test]
fn automata_keep_single_steps() {
    for (name, text) in [("orders", orders("")), ("token", token(PLAIN))] {
        check_steps(&game(&text), name);
    }
    for path in own_and_large_games() {
        check_steps(&load(&path), &path.display().to_string());
    }
}
