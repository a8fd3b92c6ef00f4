//! Certificates prove the values of solutions, and every change of one is found.

use assert_cmd::Command;
use ggp::certificate::{Certificate, CheckLimits, Choice, Fault, FaultKind, Guarantee, bounds, check};
use ggp::gdl::{Source, read};
use ggp::ground;
use ggp::machine::{Backend, Loaded, load};
use ggp::search::{Limits, certify, solve};
use serde_json::{Value, json};

fn game(path: &str) -> Loaded {
    load_text(&Source::load(path).unwrap())
}

fn load_text(source: &Source) -> Loaded {
    let description = read(source).description.unwrap();
    load(description, Backend::Auto, &ground::Limits::default()).unwrap()
}

const ANY: CheckLimits<'_> = CheckLimits { steps: 10_000_000, memory: 1 << 30, interrupt: None };

fn certificate(game: &Loaded) -> Certificate {
    let machine = &*game.machine;
    let limits = Limits::default();
    let solution = solve(machine, &[], machine.initial(), 16 << 20, &limits, &mut |_, _| {}).unwrap();
    let certificate = certify(machine, &[], &solution, 16 << 20, &limits).unwrap();
    // The text has all of it.
    let again = Certificate::read(&certificate.to_text().unwrap()).unwrap();
    assert_eq!(again.to_text().unwrap(), certificate.to_text().unwrap());
    again
}

fn checked(game: &Loaded, certificate: &Certificate) -> Result<Vec<Guarantee>, Fault> {
    check(&*game.machine, certificate, &ANY)
}

/// The values of all roles, which the certificate must prove to be exact.
fn values(path: &str) -> Vec<i32> {
    let game = game(path);
    let guarantees = checked(&game, &certificate(&game)).unwrap();
    let bounds = bounds(&*game.machine, &guarantees);
    let exact = bounds.iter().map(|of| {
        assert_eq!(of.at_least, of.at_most, "{path}");
        of.at_most
    });
    exact.collect()
}

#[test]
fn certificates_prove_both_bounds() {
    assert_eq!(values("games/tic_tac_toe.kif"), [50, 50]);
    // The second player wins.
    assert_eq!(values("games/nim.kif"), [0, 100]);
    // A puzzle.
    assert_eq!(values("games/blocks_world.kif"), [100]);
}

/// Both roles count up by 1 or 2 in turn; the role that reaches 7 wins, so the first player does.
fn race() -> Loaded {
    let successors = (0..8).map(|n| format!("(succ {n} {})\n", n + 1)).collect::<String>();
    let rules = "(role a) (role b) (init (at 0)) (init (turn a))
        (step 1) (step 2) (other a b) (other b a)
        (<= (legal ?r (add ?n)) (true (turn ?r)) (step ?n))
        (<= (legal ?r wait) (other ?r ?s) (true (turn ?s)))
        (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
        (<= (next (at ?y)) (does ?r (add 1)) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?z)) (does ?r (add 2)) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
        (over 7) (over 8)
        (<= terminal (true (at ?x)) (over ?x))
        (<= (goal ?r 100) (true (turn ?s)) (other ?r ?s))
        (<= (goal ?r 0) (true (turn ?r)))\n";
    load_text(&Source::from_text("race.kif", rules.to_owned() + &successors))
}

/// The certificate with other moves of the first strategy.
fn with_choices(whole: &Certificate, change: impl Fn(&mut Vec<(usize, Choice)>)) -> Certificate {
    let mut certificate = whole.clone();
    change(&mut certificate.strategies[0].choices);
    certificate
}

#[test]
fn every_change_is_found() {
    let game = race();
    let whole = certificate(&game);
    let guarantees = checked(&game, &whole).unwrap();
    assert_eq!((guarantees[0].ends[0], guarantees[0].ends[1]), ([100, 100], [0, 0]));
    let fault = |certificate: &Certificate| checked(&game, certificate).unwrap_err().kind;
    for index in 0..whole.strategies[0].choices.len() {
        let changed = |change: fn(&mut Vec<(usize, Choice)>, usize)| {
            fault(&with_choices(&whole, |choices| change(choices, index)))
        };
        let missing = changed(|choices, index| _ = choices.remove(index));
        assert!(matches!(missing, FaultKind::Missing(_)), "{missing}");
        let twice = changed(|choices, index| choices.push(choices[index].clone()));
        assert_eq!(twice, FaultKind::Twice);
        let illegal = changed(|choices, index| choices[index].1.moves = vec!["wait".to_owned()]);
        assert_eq!(illegal, FaultKind::Illegal("wait".to_owned()));
        let several = changed(|choices, index| choices[index].1.moves.push("wait".to_owned()));
        assert_eq!(several, FaultKind::Moves(2, 1));
        let other = changed(|choices, index| choices[index].1.state.push_str(" (at 5)"));
        assert!(matches!(other, FaultKind::Missing(_)), "{other}");
        if whole.strategies[0].choices[index].1.state.contains("(at 6)") {
            // Both moves win.
            continue;
        }
        // Only one move keeps the win, so the other one leads to states without moves or to a loss.
        let worse = changed(|choices, index| {
            let action = &mut choices[index].1.moves[0];
            *action = if action == "(add 1)" { "(add 2)".to_owned() } else { "(add 1)".to_owned() };
        });
        assert!(
            matches!(worse, FaultKind::Missing(_) | FaultKind::Unused | FaultKind::Value { .. }),
            "{worse}"
        );
    }
    for value in [0, 99, 101] {
        let mut certificate = whole.clone();
        certificate.strategies[0].claim.value = value;
        assert_eq!(fault(&certificate), FaultKind::Value { claimed: value, guaranteed: 100 });
    }
    let mut certificate = whole.clone();
    certificate.strategies[0].claim.team = vec!["c".to_owned()];
    assert_eq!(fault(&certificate), FaultKind::Team);
    certificate.strategies.clear();
    assert_eq!(fault(&certificate), FaultKind::Empty);
    let limits = CheckLimits { steps: 3, ..ANY };
    assert_eq!(check(&*game.machine, &whole, &limits).unwrap_err().kind, FaultKind::Steps(3));
}

#[test]
fn play_that_never_ends_is_no_strategy() {
    let rules = "(role a) (init (at 0)) (succ 0 1) (succ 1 2)
        (<= (legal a stay) (true (at ?x)))
        (<= (legal a go) (true (at ?x)))
        (<= (next (at ?x)) (does a stay) (true (at ?x)))
        (<= (next (at ?y)) (does a go) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 2)))
        (<= (goal a 100) (true (at 2)))
        (<= (goal a 0) (true (at 0)))";
    let game = load_text(&Source::from_text("walk.kif", rules.to_owned()));
    let mut certificate = certificate(&game);
    assert!(checked(&game, &certificate).is_ok());
    certificate.strategies[0].choices[1].1.moves = vec!["stay".to_owned()];
    let fault = checked(&game, &certificate).unwrap_err();
    assert_eq!((&fault.kind, fault.path), (&FaultKind::Repetition, vec!["go".to_owned(), "stay".to_owned()]));
}

#[test]
fn the_command_writes_and_checks_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nim.jsonl");
    let path = file.to_str().unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(run(&["solve", "games/nim.kif", "--certificate", path]).0, 0);
    let check = ["check", "games/nim.kif", "--certificate", path, "--format", "json"];
    let (status, found) = run(&check);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((status, &found["valid"]), (0, &json!(true)));
    assert_eq!(found["values"]["right"], json!({"at_least": 100, "at_most": 100}));
    let text = std::fs::read_to_string(&file).unwrap();
    let without_last = text.trim_end().rsplit_once('\n').unwrap().0;
    std::fs::write(&file, without_last).unwrap();
    let (status, found) = run(&check);
    assert!(status == 1 && found.contains("no moves for the state"), "{found}");
    // The file belongs to another game.
    assert_eq!(run(&["check", "games/tic_tac_toe.kif", "--certificate", path]).0, 1);
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(run(&check).0, 1);
}
