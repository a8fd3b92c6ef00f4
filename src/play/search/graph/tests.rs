//! Backward values equal those of alpha-beta, and shortest paths are shortest.

use crate::gdl::{Source, read};
use crate::ground;
use crate::machine::{Backend, Loaded, Machine, load};
use crate::search::alpha_beta::AlphaBetaOptions;
use crate::search::context::SearchContext;
use crate::search::deepening::Deepening;
use crate::search::graph::Classes;
use crate::search::limits::{Limits, Meter};
use crate::search::result::Search;
use crate::search::symmetry::Symmetries;

use super::{GraphError, Values, shortest};

/// A game with a replacement in its text.
fn game(name: &str, from: &str, to: &str) -> Loaded {
    let text = std::fs::read_to_string(format!("../../games/{name}.kif")).unwrap();
    assert!(text.contains(from), "{name} has {from}");
    let source = Source::from_text(name, text.replace(from, to));
    load(read(&source).description.unwrap(), Backend::Auto, &ground::Limits::default()).unwrap()
}

fn proved(machine: &dyn Machine, teams: &[Vec<usize>], role: usize) -> i32 {
    let context = SearchContext::in_team(machine, role, teams);
    let mut search = Deepening::plain(context, AlphaBetaOptions::default());
    let found = search.search(machine.initial(), &Limits::default(), &mut |_| {}).unwrap();
    assert!(found.proved);
    found.value.unwrap().round() as i32
}

fn values(machine: &dyn Machine, teams: &[Vec<usize>], memory: usize) -> Result<Values, GraphError> {
    values_of_classes(machine, teams, Classes::default(), memory)
}

fn values_of_classes(
    machine: &dyn Machine,
    teams: &[Vec<usize>],
    classes: Classes<'_>,
    memory: usize,
) -> Result<Values, GraphError> {
    let mut meter = Meter::new(Limits::default());
    let found = Values::of(machine, teams, machine.initial(), classes, memory, &mut meter);
    found.unwrap_or_else(|_| panic!("no limit"))
}

/// Games with a shortened clock, and without one: alternating, simultaneous, single-player, three roles, and with ends
/// made by the clock that are better than others.
const GAMES: &[(&str, &str, &str)] = &[
    ("tic_tac_toe", "(", "("),
    ("connect_four_4x4", "(", "("),
    ("nim", "(", "("),
    ("sum_fifteen", "(", "("),
    ("king_rook_endgame", "(true (clock 40))", "(true (clock 3))"),
    ("king_rook_endgame", "(true (clock 40))", "(true (clock 6))"),
    ("racetrack_corridor", "(true (ply 40))", "(true (ply 4))"),
    ("rock_paper_scissors", "(", "("),
    ("buttons_and_lights", "(", "("),
    ("blocks_world", "(true (time 8))", "(true (time 4))"),
    ("maze", "(true (steps 40))", "(true (steps 18))"),
    ("towers_of_hanoi", "(true (moves_made 40))", "(true (moves_made 28))"),
    ("towers_of_hanoi", "(true (moves_made 40))", "(true (moves_made 27))"),
    ("sokoban", "(true (step 60))", "(true (step 8))"),
];

#[test]
fn values_are_those_of_alpha_beta() {
    for &(name, from, to) in GAMES {
        let game = game(name, from, to);
        let machine = &*game.machine;
        let roles = machine.description().roles.len();
        let wanted: Vec<i32> = (0..roles).map(|role| proved(machine, &[], role)).collect();
        let symmetries = Symmetries::find(machine, None);
        for symmetries in [None, symmetries.as_ref()] {
            let classes = Classes { symmetries, equivalence: None };
            let found = values_of_classes(machine, &[], classes, 1 << 30)
                .unwrap_or_else(|error| panic!("{name}: {}", error.text()));
            assert_eq!(found.goals, wanted, "{name} {to}");
            // In these games, best play leads to the value if the others' play is the worst for the role.
            let mut cursor = machine.cursor();
            for joint in found.principal_variation.unwrap() {
                for (role, action) in joint.iter().enumerate() {
                    assert!(!cursor.terminal() && cursor.legal(role).contains(action), "{name}");
                }
                cursor.advance(&joint).unwrap();
            }
            assert!(cursor.terminal(), "{name} {to}");
            assert_eq!(cursor.goals(0), [wanted[0]], "{name} {to}");
        }
    }
}

#[test]
fn solutions_are_not_longer_than_those_of_alpha_beta() {
    for &(name, from, to) in GAMES {
        let game = game(name, from, to);
        let machine = &*game.machine;
        if machine.description().roles.len() > 1 {
            continue;
        }
        let mut lengths = Vec::new();
        let symmetries = Symmetries::find(machine, None);
        for symmetries in [symmetries.as_ref(), None] {
            let classes = Classes { symmetries, equivalence: None };
            let mut meter = Meter::new(Limits::default());
            let found = shortest(machine, machine.initial(), classes, 1 << 30, &mut meter);
            let found =
                found.unwrap_or_else(|_| panic!("no limit")).unwrap_or_else(|_| panic!("room for all"));
            lengths.push(found.as_ref().map(|found| found.moves.len()));
            let Some(found) = found else { continue };
            assert_eq!(found.goal, proved(machine, &[], 0), "{name} {to}");
            let mut cursor = machine.cursor();
            for joint in &found.moves {
                assert!(cursor.legal(0).contains(&joint[0]), "{name} {to}");
                cursor.advance(joint).unwrap();
            }
            assert!(cursor.terminal());
            assert_eq!(cursor.goals(0), [found.goal]);
            if found.goal == 100 {
                let context = SearchContext::alone(machine, 0);
                let mut search = Deepening::plain(context, AlphaBetaOptions::default());
                let wanted = search.search(machine.initial(), &Limits::default(), &mut |_| {}).unwrap();
                assert_eq!(found.moves.len(), wanted.principal_variation.len(), "{name} {to}");
            }
        }
        assert_eq!(lengths[0], lengths[1], "{name} {to}");
    }
}

#[test]
fn too_little_memory_is_an_error() {
    let game = game("connect_four_4x4", "(", "(");
    assert_eq!(values(&*game.machine, &[], 100_000).err(), Some(GraphError::Memory));
}

/// Three roles put two stones each, at once; `a` and `c` are not adjacent in the order of roles.
const ALLIES: &str = "
(role a) (role b) (role c)
(init (round 1))
(pick 1) (pick 2) (pick 3)
(<= (legal ?r (take ?n)) (role ?r) (pick ?n))
(<= (next (took ?r ?n)) (does ?r (take ?n)))
(<= (next (kept ?n)) (true (took b ?n)))
(<= (next (round 2)) (true (round 1)))
(<= (next (round 3)) (true (round 2)))
(<= terminal (true (round 3)))
(<= met (true (took a ?n)) (true (took c ?n)) (not (true (took b ?n))))
(<= near (true (took a ?n)) (true (took c ?n)) (true (kept ?n)))
(<= (goal a 100) met near) (<= (goal c 100) met near)
(<= (goal a 60) met (not near)) (<= (goal c 60) met (not near))
(<= (goal a 30) (not met) near) (<= (goal c 30) (not met) near)
(<= (goal a 10) (not met) (not near)) (<= (goal c 10) (not met) (not near))
(<= (goal b 0) met) (<= (goal b 100) (not met))
";

#[test]
fn allies_choose_jointly_in_any_role_order() {
    let source = Source::from_text("allies", ALLIES);
    let game = load(read(&source).description.unwrap(), Backend::Auto, &ground::Limits::default()).unwrap();
    let machine = &*game.machine;
    // A team can agree on a number that `b` took the round before, but not on the one it takes now.
    for (teams, wanted) in [
        (vec![], [10, 0, 10]),
        (vec![vec![0, 2], vec![1]], [30, 0, 30]),
        (vec![vec![0, 1], vec![2]], [10, 100, 10]),
        (vec![vec![0, 1, 2]], [100, 100, 100]),
    ] {
        let found = values(machine, &teams, 1 << 30).unwrap();
        let by_alpha_beta: Vec<i32> = (0..3).map(|role| proved(machine, &teams, role)).collect();
        assert_eq!(found.goals, by_alpha_beta, "{teams:?}");
        assert_eq!(found.goals, wanted, "{teams:?}");
    }
}
