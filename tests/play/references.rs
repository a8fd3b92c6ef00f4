//! The reference programs that `ggp bench` compares with our machines play their games correctly and uniformly at
//! random, and count as the machines do.

#[path = "../../benches/reference/mod.rs"]
mod reference;

use std::path::Path;
use std::sync::Arc;

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground::{GroundedGame, Limits, ground};
use ggp::machine::lanes::program::Program;
use ggp::machine::{Cursor, Machine, NetworkMachine};
use ggp::simulate::{Budget, LaneCounts, simulate_lanes};
use reference::{Counts, Reference, breakthrough, connect_four, othello, tic_tac_toe};

/// Each reference program with our description of its game.
const GAMES: [(&Reference, &str); 4] = [
    (&tic_tac_toe::REFERENCE, "tic_tac_toe"),
    (&connect_four::REFERENCE, "connect_four"),
    (&breakthrough::REFERENCE, "breakthrough"),
    (&othello::REFERENCE, "reversi"),
];

fn path(game: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif")
}

fn load(game: &str) -> Arc<GroundedGame> {
    let reading = read(&Source::load(path(game)).unwrap());
    Arc::new(ground(&Arc::new(reading.description.unwrap()), &Limits::default()).unwrap())
}

/// The numbers of tic-tac-toe's move sequences of length 1 to 9. The game has 255,168 complete games.
const TIC_TAC_TOE: [u64; 9] = [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872];

#[test]
fn perft_counts_equal_published_counts() {
    let perft = |reference: &Reference, plies: u32| (1..=plies).map(reference.perft).collect::<Vec<_>>();
    assert_eq!(perft(&tic_tac_toe::REFERENCE, 9), TIC_TAC_TOE);
    assert_eq!(perft(&connect_four::REFERENCE, 8), [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]);
    assert_eq!(perft(&breakthrough::REFERENCE, 4), [22, 484, 11_132, 256_036]);
    assert_eq!(perft(&othello::REFERENCE, 9), [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288]);
}

#[test]
fn tic_tac_toe_has_255168_games() {
    // A game that is not over after n moves has 9 - n continuations.
    let open = |plies: usize| TIC_TAC_TOE.get(plies).map_or(0, |&count| count / (9 - plies as u64));
    let over: u64 = (1..=9).map(|plies| TIC_TAC_TOE[plies - 1] - open(plies)).sum();
    assert_eq!(over, 255_168);
}

/// The number of sequences of joint moves on a machine made from rules.
fn sequences(cursor: &mut dyn Cursor, plies: u32) -> u64 {
    if plies == 0 || cursor.terminal() {
        return u64::from(plies == 0);
    }
    let state = cursor.state().clone();
    let (first, second) = (cursor.legal(0).to_vec(), cursor.legal(1).to_vec());
    let mut count = 0;
    for &a in &first {
        for &b in &second {
            cursor.set(&state).unwrap();
            cursor.advance(&[a, b]).unwrap();
            count += sequences(cursor, plies - 1);
        }
    }
    count
}

#[test]
fn perft_counts_equal_those_of_the_rules() {
    for (reference, game) in GAMES {
        let machine = NetworkMachine::new(load(game));
        for plies in 0..=reference.telling_plies + 1 {
            let mut cursor = machine.cursor();
            assert_eq!(
                (reference.perft)(plies),
                sequences(&mut *cursor, plies),
                "{}, {plies} plies",
                reference.name
            );
        }
    }
}

/// Whether two means differ by at most five standard errors; `variances` is the sum of their variances.
fn agree(a: f64, b: f64, variances: f64) -> bool {
    (a - b).abs() <= 5.0 * variances.sqrt()
}

fn check_outcomes(name: &str, counts: &Counts, shares: [f64; 3], certain: f64) {
    let n = counts.playouts as f64;
    for (count, share) in counts.outcomes.into_iter().zip(shares) {
        let variance = share * (1.0 - share);
        let measured = count as f64 / n;
        assert!(agree(measured, share, variance * (1.0 / n + certain)), "{name}: {measured}, not {share}");
    }
}

/// The expected values come from counting all orders of the nine cells.
#[test]
fn tic_tac_toe_has_its_exact_outcomes_and_lengths() {
    let counts = (tic_tac_toe::REFERENCE.play)(1, 0, 2_000_000);
    check_outcomes("tic-tac-toe", &counts, [737.0 / 1260.0, 8.0 / 63.0, 121.0 / 420.0], 0.0);
    let ended = [1_440.0 / 15_120.0, 5_328.0 / 60_480.0, 47_952.0 / 181_440.0, 0.2, 127_872.0 / 362_880.0];
    let moment = |power| -> f64 {
        ended.iter().zip(5..).map(|(share, moves)| share * f64::from(moves).powi(power)).sum()
    };
    let (mean, n) = (moment(1), counts.playouts as f64);
    let measured = counts.states as f64 / n - 1.0;
    assert!(agree(measured, mean, (moment(2) - mean * mean) / n), "{measured}, not {mean}");
}

/// The playouts that the first role won, that were drawn, and that the second role won.
fn outcomes(lanes: &LaneCounts) -> [u64; 3] {
    let with = |goals: [i32; 2]| {
        let goals: Vec<Vec<i32>> = goals.map(|goal| vec![goal]).into();
        lanes.goals.get(&goals).copied().unwrap_or(0)
    };
    let outcomes = [with([100, 0]), with([50, 50]), with([0, 100])];
    assert_eq!(outcomes.iter().sum::<u64>(), lanes.playouts);
    outcomes
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn references_play_like_the_rules() {
    for (reference, game) in GAMES {
        let lanes = simulate_lanes(
            &Program::new(&load(game).network),
            &Budget { playouts: 100_000, threads: 2, ..Budget::default() },
            None,
        )
        .unwrap();
        let counts = (reference.play)(1, 0, 400_000);
        assert_eq!((counts.playouts, counts.outcomes.iter().sum()), (400_000, 400_000));
        let (n, m) = (counts.playouts as f64, lanes.playouts as f64);
        check_outcomes(game, &counts, outcomes(&lanes).map(|count| count as f64 / m), 1.0 / m);
        let moment = |power| -> f64 {
            let sum = |(&moves, &count): (&u32, &u64)| f64::from(moves).powi(power) * count as f64;
            lanes.lengths.iter().map(sum).sum::<f64>() / m
        };
        let (measured, mean) = (counts.states as f64 / n - 1.0, moment(1));
        let variance = moment(2) - mean * mean;
        assert!(agree(measured, mean, variance * (1.0 / n + 1.0 / m)), "{game}: {measured}, not {mean}");
        // Both count every position of every playout.
        assert_eq!(lanes.states as f64, (mean + 1.0) * m, "{game}");
    }
}

fn bench(game: &Path) -> Vec<serde_json::Value> {
    let output = Command::cargo_bin("ggp")
        .unwrap()
        .args([
            "bench",
            "--seconds-per-machine",
            "0.02",
            "--rounds",
            "2",
            "--machines",
            "reference,lanes",
            "--format",
            "json",
        ])
        .arg(game)
        .output()
        .unwrap();
    assert!(output.status.success());
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    document["rows"].as_array().unwrap().clone()
}

/// The number of move sequences identifies the game of a reference, not a name in the rules.
#[test]
fn bench_finds_the_reference_of_a_game() {
    let folder = tempfile::tempdir().unwrap();
    for (_, game) in GAMES {
        let text = std::fs::read_to_string(path(game)).unwrap();
        let renamed = folder.path().join("unknown.kif");
        std::fs::write(
            &renamed,
            text.replace("control", "baton").replace("drop", "go").replace("place", "go"),
        )
        .unwrap();
        let rows = bench(&renamed);
        let machines: Vec<&str> = rows.iter().map(|row| row["machine"].as_str().unwrap()).collect();
        assert_eq!(machines, ["reference", "lanes"], "{game}");
        for row in rows {
            assert!(
                row["states_per_cpu_second"].as_f64().unwrap()
                    > row["playouts_per_cpu_second"].as_f64().unwrap()
            );
        }
    }
    for game in ["connect_four_4x4", "hex", "rock_paper_scissors"] {
        let machines: Vec<String> = bench(&path(game)).iter().map(|row| row["machine"].to_string()).collect();
        assert_eq!(machines, ["\"lanes\""], "{game}");
    }
}
