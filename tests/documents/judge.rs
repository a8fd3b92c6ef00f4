//! Exact values follow the definition, a right function gets a better verdict than a wrong one, and the same seed
//! gives the same verdict on any number of threads.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::judge::{ExactLimits, Sides, Solver, Unsolved};
use ggp::machine::{Backend, Cursor, Machine, MoveId, State, load};
use ggp::simulate::Choices;
use serde_json::Value;

fn path(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif")
}

fn machine(source: &Source, backend: Backend) -> Box<dyn Machine> {
    load(read(source).description.unwrap(), backend, &Limits::default()).unwrap().machine
}

fn game(name: &str) -> Box<dyn Machine> {
    machine(&Source::load(path(name)).unwrap(), Backend::Network)
}

fn roles(machine: &dyn Machine) -> usize {
    machine.description().roles.len()
}

fn solver(machine: &dyn Machine, sides: Sides) -> Solver<'_> {
    let limits = ExactLimits { states: 1_000_000, ..ExactLimits::default() };
    Solver::new(machine, sides, [0, 100], limits, None)
}

/// The value of the initial state for every role, alone against all others.
fn values(machine: &dyn Machine) -> Vec<Result<i32, Unsolved>> {
    let value = |role| solver(machine, Sides::alone(role, roles(machine))).value(machine.initial());
    (0..roles(machine)).map(value).collect()
}

#[test]
fn initial_states_have_their_known_values() {
    // Tic-tac-toe and four in a row on a 4x4 board are draws. The heaps 1, 3, 5, 7 have the nim-sum 0, so the first player
    // loses. No hand thrown at the same time is safe. The puzzles can be solved.
    let draw = vec![Ok(50), Ok(50)];
    assert_eq!(values(&*game("tic_tac_toe")), draw);
    assert_eq!(values(&*game("connect_four_4x4")), draw);
    assert_eq!(values(&*game("nim")), [Ok(0), Ok(100)]);
    assert_eq!(values(&*game("rock_paper_scissors")), [Ok(0), Ok(0)]);
    for puzzle in ["towers_of_hanoi", "buttons_and_lights", "maze", "blocks_world"] {
        assert_eq!(values(&*game(puzzle)), [Ok(100)], "{puzzle}");
    }
}

#[test]
fn nim_positions_agree_with_boutons_theory() {
    let machine = game("nim");
    let mut solver = solver(&*machine, Sides::alone(0, 2));
    let mut fluents = Vec::new();
    for state in states(&*machine, 60) {
        fluents.clear();
        machine.fluents(&state, &mut fluents);
        let texts: Vec<String> = fluents.iter().map(|&fluent| machine.fluent_text(fluent)).collect();
        let size = |text: &String| {
            let last = text.strip_prefix("(heap ")?.strip_suffix(')')?.split(' ').next_back()?;
            last.parse::<u32>().ok()
        };
        let sum = texts.iter().filter_map(size).fold(0, |sum, size| sum ^ size);
        let to_move = texts.contains(&"(turn left)".to_owned());
        assert_eq!(solver.value(&state), Ok(if (sum != 0) == to_move { 100 } else { 0 }), "{texts:?}");
    }
}

/// The non-terminal states of random playouts.
fn states(machine: &dyn Machine, playouts: u64) -> Vec<State> {
    let mut cursor = machine.cursor();
    let mut found = Vec::new();
    for playout in 0..playouts {
        let mut choices = Choices::new(7, playout);
        cursor.set(machine.initial()).unwrap();
        while !cursor.terminal() {
            found.push(cursor.state().clone());
            let mut draw = |role| cursor.legal(role)[choices.below(cursor.legal(role).len())];
            let joint: Vec<MoveId> = (0..roles(machine)).map(&mut draw).collect();
            cursor.advance(&joint).unwrap();
        }
    }
    found
}

/// The value that the team can force, by the definition and without a table; `None` if the game is longer than `depth`.
fn by_definition(cursor: &mut dyn Cursor, sides: &Sides, depth: u32) -> Option<i32> {
    if cursor.terminal() {
        return Some(cursor.goals(sides.role)[0]);
    }
    let depth = depth.checked_sub(1)?;
    let here = cursor.state().clone();
    let legal: Vec<Vec<MoveId>> = (0..sides.own.len()).map(|role| cursor.legal(role).to_vec()).collect();
    let joints = |wanted: bool| {
        let mut joints: Vec<Vec<Option<MoveId>>> = vec![Vec::new()];
        for (role, moves) in legal.iter().enumerate() {
            let moves: Vec<Option<MoveId>> =
                if sides.own[role] == wanted { moves.iter().map(|&m| Some(m)).collect() } else { vec![None] };
            let longer = |joint: Vec<Option<MoveId>>| {
                moves.iter().map(move |&action| [joint.clone(), vec![action]].concat()).collect::<Vec<_>>()
            };
            joints = joints.into_iter().flat_map(longer).collect();
        }
        joints
    };
    let mut best = i32::MIN;
    for own in joints(true) {
        let mut worst = i32::MAX;
        for others in joints(false) {
            let joint: Vec<MoveId> =
                own.iter().zip(&others).map(|(own, other)| own.or(*other).unwrap()).collect();
            cursor.set(&here).unwrap();
            cursor.advance(&joint).unwrap();
            worst = worst.min(by_definition(cursor, sides, depth)?);
        }
        best = best.max(worst);
    }
    Some(best)
}

#[test]
fn exact_values_follow_the_definition() {
    let mut compared = 0;
    for name in [
        "tic_tac_toe",
        "connect_four_4x4",
        "sum_fifteen",
        "two_against_two",
        "rock_paper_scissors",
        "three_player_race",
        "tic_tic_toe",
        "peg_solitaire",
        "gold_rush",
    ] {
        let machine = game(name);
        let count = roles(&*machine);
        let pairs: Vec<bool> = (0..count).map(|role| role % 2 == 0).collect();
        let teams = if count == 4 { vec![Sides { role: 2, own: pairs }] } else { Vec::new() };
        for sides in (0..count).map(|role| Sides::alone(role, count)).chain(teams) {
            let mut solver = solver(&*machine, sides.clone());
            let mut cursor = machine.cursor();
            // Game trees are small near the end; in wide games only the last states have small ones.
            for state in states(&*machine, 6).iter().rev().take(25) {
                cursor.set(state).unwrap();
                let width: usize = (0..count).map(|role| cursor.legal(role).len()).product();
                let depth = if width > 8 { 2 } else { 6 };
                if let Some(wanted) = by_definition(&mut *cursor, &sides, depth) {
                    assert_eq!(solver.value(state), Ok(wanted), "{name}, {sides:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// A game that can go on for ever: a moves in `here`, and b in `there`. `b` has more rules.
fn endless(b: &str) -> Source {
    let text = format!(
        "(role a) (role b) (init here)
         (<= (legal a stop) (true here)) (<= (legal a go) (true here)) (<= (legal a noop) (not (true here)))
         (<= (legal b noop) (not (true there))) (<= (legal b back) (true there)) {b}
         (<= (next stopped) (does a stop)) (<= (next there) (does a go)) (<= (next here) (does b back))
         (<= (next ended) (does b end))
         (<= terminal (true stopped)) (<= terminal (true ended))
         (<= (goal a 50) (not (true ended))) (<= (goal a 0) (true ended))
         (<= (goal b 50) (not (true ended))) (<= (goal b 100) (true ended))"
    );
    Source::from_bytes("endless", text.into_bytes())
}

#[test]
fn endless_games_have_an_exact_value_or_none() {
    // If b can end the game at 0 for a, a stops at once, for any value of endless play.
    let machine = machine(&endless("(<= (legal b end) (true there))"), Backend::Network);
    assert_eq!(values(&*machine), [Ok(50), Ok(50)]);
    // If b can only go back, a may go on for ever.
    let machine = self::machine(&endless("(<= (legal b wait) (true neither))"), Backend::Network);
    assert_eq!(values(&*machine), [Err(Unsolved::Unsettled), Err(Unsolved::Unsettled)]);
    // A team of all roles has no opponents: it stops, or b ends the game.
    let all = |role| Sides { role, own: vec![true, true] };
    assert_eq!(solver(&*machine, all(0)).value(machine.initial()), Ok(50));
    let machine = self::machine(&endless("(<= (legal b end) (true there))"), Backend::Network);
    assert_eq!(solver(&*machine, all(1)).value(machine.initial()), Ok(100));
}

#[test]
fn a_budget_leaves_some_states_unsolved() {
    let machine = game("connect_four_4x4");
    let limits = ExactLimits { states: 4_000, ..ExactLimits::default() };
    let mut solver = Solver::new(&*machine, Sides::alone(0, 2), [0, 100], limits, None);
    assert_eq!(solver.value(machine.initial()), Err(Unsolved::Budget));
    let late = states(&*machine, 1).pop().unwrap();
    assert!(solver.value(&late).is_ok());
    assert!(solver.listed() <= 4_000);
}

#[test]
fn both_machines_give_the_same_values() {
    let source = Source::load(path("tic_tac_toe")).unwrap();
    let relational = machine(&source, Backend::Relational);
    let late = states(&*relational, 3);
    let network = game("tic_tac_toe");
    let values = |machine: &dyn Machine, states: &[State]| -> Vec<i32> {
        let mut solver = solver(machine, Sides::alone(1, 2));
        states.iter().rev().take(4).map(|state| solver.value(state).unwrap()).collect()
    };
    assert_eq!(values(&*relational, &late), values(&*network, &states(&*network, 3)));
}

fn judge(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("ggp").unwrap().arg("judge").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const SMALL: [&str; 8] = ["--states", "80", "--playouts", "50", "--play", "60", "--guided", "2"];

#[test]
fn results_do_not_depend_on_threads() {
    for game in ["games/tic_tac_toe.kif", "games/gold_rush.kif"] {
        let options = ["--format", "json", "--best", "1", "--exact", "20000"];
        let run = |threads| judge(&[&[game, "--threads", threads], &options[..], &SMALL].concat());
        assert_eq!(run("1"), run("3"));
    }
}

#[test]
fn a_good_function_is_distinguished_from_its_opposite() {
    // In Reversi the player with more discs wins, so counting discs predicts the result near the end, and the negated count
    // does not.
    let text = judge(&[
        "games/reversi.kif",
        "--functions",
        "material",
        "--format",
        "json",
        "--exact=0",
        "--states=300",
        "--playouts=50",
        "--guided=0",
        "--play=0",
    ]);
    let judged: Value = serde_json::from_str(&text).unwrap();
    let functions = judged["functions"].as_array().unwrap();
    let verdict = |wanted: &str| {
        functions
            .iter()
            .find(|f| f["id"].as_str().unwrap().starts_with(wanted) && f["role"] == "black")
            .unwrap()
    };
    let late = |f: &Value| f["random"][3]["pearson"]["value"].as_f64().unwrap();
    let (most, least) =
        (verdict("material.max.material-ahead.black"), verdict("material.min.material-ahead.black"));
    assert!(late(most) > 0.2, "{most:#}");
    assert!((late(most) + late(least)).abs() < 1e-9);
    assert!(judged["roles"][0]["solved"] == 0);
}

#[test]
fn csv_has_one_row_per_function_with_numbers_in_range() {
    let text = judge(&[&["games/nim.kif", "--format", "csv"][..], &SMALL].concat());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(rows.len() > 20);
    for row in &rows {
        for (name, text) in headers.iter().zip(row) {
            let Ok(number) = text.parse::<f64>() else { continue };
            let range = match name {
                name if name.starts_with("tau") || name.contains("pearson") => -1.0..=1.0,
                name if name.starts_with("best") || name == "chance" => 0.0..=1.0,
                "calibration_error" | "play_goal" | "random_goal" => 0.0..=100.0,
                _ => continue,
            };
            assert!(range.contains(&number), "{name}: {number}");
        }
    }
    // All states of nim can be solved, and a random choice is equally often right for all functions of a role.
    assert!(rows.iter().all(|row| &row[5] == "80"));
}

#[test]
fn invalid_names_are_rejected_with_the_expected_names() {
    for (arguments, wanted) in [
        (["--functions", "luck"], &["luck", "kuhlmann"][..]),
        (["--role", "nobody"], &["nobody", "left, right"]),
    ] {
        let output =
            Command::cargo_bin("ggp").unwrap().args(["judge", "games/nim.kif"]).args(arguments).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(wanted.iter().all(|name| text.contains(name)), "{text}");
    }
}
