//! A proved property holds in every reachable state, a refuted property has a game that shows it, and all other
//! properties are open.

use ggp::analysis::{AnalysisContext, GameAnalysis, LoadedGame, Plan, analyze};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Cursor, Machine, MoveId, load};
use ggp::property::{Property, PropertyName};
use ggp::structure::finding::{FluentKind, ProofStatus, Structures};

use ProofStatus::{Open, Proved, Refuted};
use PropertyName::*;

fn with_analysis<T>(text: &str, check: impl FnOnce(&GameAnalysis, &dyn Machine) -> T) -> T {
    let source = Source::from_text("game", text);
    let description = read(&source).description.expect("the rules are right");
    let loaded = load(description, Backend::Auto, &Limits::default()).expect("the game can be played");
    let game = LoadedGame::new("game".to_owned(), &source, loaded);
    let (kinds, proof_work) = (ggp::analysis::Kinds::NONE, Plan::full().proof_work);
    let plan = Plan { playouts: Some(500), kinds, features: false, proof_work, ..Plan::default() };
    let context = AnalysisContext::default();
    let analysis = analyze(&game.game(), &plan, &context).expect("the game can be analysed");
    check(&analysis, game.machine())
}

fn with_game<T>(name: &str, check: impl FnOnce(&GameAnalysis, &dyn Machine) -> T) -> T {
    with_analysis(&std::fs::read_to_string(format!("games/{name}.kif")).unwrap(), check)
}

fn property(analysis: &GameAnalysis, name: PropertyName, role: Option<usize>) -> &Property {
    let properties = &analysis.proofs.as_ref().expect("the plan has properties to prove").properties;
    properties.iter().find(|property| property.name == name && property.role == role).expect("it is listed")
}

fn status(analysis: &GameAnalysis, name: PropertyName) -> ProofStatus {
    property(analysis, name, None).status
}

/// The cursor after these joint moves, all of which must be legal.
fn after<'m>(machine: &'m dyn Machine, moves: &[Vec<MoveId>]) -> Box<dyn Cursor + 'm> {
    let mut cursor = machine.cursor();
    for joint in moves {
        assert!(!cursor.terminal());
        for (role, action) in joint.iter().enumerate() {
            assert!(cursor.legal(role).contains(action), "a witness is played by legal moves");
        }
        cursor.advance(joint).unwrap();
    }
    cursor
}

#[test]
fn known_properties_of_small_games_are_proved() {
    with_game("tic_tac_toe", |found, _| {
        let longest = property(found, Termination, None);
        assert_eq!((longest.status, longest.longest), (Proved, Some(9)));
        for name in [FiniteLength, Alternation, PerfectAlternation, ConstantSum] {
            assert_eq!(status(found, name), Proved, "{name:?}");
        }
        for role in [0, 1] {
            for name in [Playability, UniqueGoal, WeakWinnability] {
                assert_eq!(property(found, name, Some(role)).status, Proved, "{name:?}");
            }
            // The goal value falls from 50 before the end to 0 at the end.
            assert_eq!(property(found, Monotonicity, Some(role)).status, Refuted);
        }
        for name in [Simultaneity, Cooperation, StrongWinnability, WellFormedness] {
            assert_eq!(status(found, name), Refuted, "{name:?}");
        }
    });
    with_game("nim", |found, _| {
        // Sixteen objects, and every move takes at least one. The second player wins (Bouton 1901).
        assert_eq!(property(found, Termination, None).longest, Some(16));
        assert_eq!(status(found, StrongWinnability), Proved);
    });
    with_game("rock_paper_scissors", |found, _| {
        assert_eq!((status(found, Simultaneity), status(found, Alternation)), (Proved, Refuted));
    });
    with_game("towers_of_hanoi", |found, _| {
        assert_eq!(property(found, Termination, None).longest, Some(40));
        assert_eq!(property(found, Playability, Some(0)).status, Proved);
    });
}

#[test]
fn boards_have_one_value_per_cell_by_induction() {
    with_game("connect_four", |found, _| {
        let boards = found.structures.fluents.iter().filter(|fluent| fluent.kind == FluentKind::Board);
        let proofs: Vec<_> = boards.map(|board| board.evidence.proof.as_ref().unwrap()).collect();
        assert!(!proofs.is_empty());
        assert!(proofs.iter().all(|proof| (proof.status, proof.k) == (Proved, 1) && proof.lemmas > 42));
    });
}

#[test]
fn witnesses_demonstrate_the_refuted_property() {
    for name in ["tic_tac_toe", "rock_paper_scissors", "three_player_race", "gold_rush"] {
        with_game(name, |found, machine| {
            for property in &found.proofs.as_ref().unwrap().properties {
                let Some(moves) = &property.witness else { continue };
                let end = after(machine, moves);
                let role = property.role.unwrap_or(0);
                match property.name {
                    WeakWinnability => {
                        assert!(end.terminal());
                        assert_eq!(end.goals(role), [100], "{name}");
                    }
                    Simultaneity | Alternation if property.role.is_none() => {
                        let choosing =
                            (0..found.simulation.roles.len()).filter(|&role| end.legal(role).len() > 1);
                        assert!(choosing.count() > 1, "{name}");
                    }
                    Monotonicity => {
                        let before = after(machine, &moves[..moves.len().saturating_sub(1)]);
                        let falls = before.goals(role).first() > end.goals(role).first();
                        assert!(end.goals(role).len() != 1 || falls, "{name}");
                    }
                    Cooperation => assert_ne!(end.goals(0), end.goals(1), "{name}"),
                    _ => {}
                }
            }
        });
    }
}

/// Forty-one middle doors in a row light two lamps at once, which random play never sees.
fn late() -> String {
    let steps: String = (0..45).map(|step| format!("(succ {step} {})", step + 1)).collect();
    format!(
        "(role walker) (init (depth 0)) (init (lamp red)) (init (step 0)) {steps}
         (<= (legal walker (door ?d)) (colour ?d)) (colour left) (colour middle) (colour right)
         (<= (next (depth ?n)) (true (depth ?m)) (succ ?m ?n) (does walker (door middle)))
         (<= (next (depth 0)) (does walker (door left)))
         (<= (next (depth 0)) (does walker (door right)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (next (lamp red)) (true (lamp red)) (not (true (lamp green))))
         (<= (next (lamp green)) (true (lamp blue)))
         (<= (next (lamp blue)) (true (lamp red)) (true (depth 41)))
         (<= (next (went ?n ?d)) (does walker (door ?d)) (true (step ?n)))
         (<= (next (went ?n ?d)) (true (went ?n ?d)))
         (<= (next (lamp red)) (true (depth 41)))
         (<= terminal (true (step 45)))
         (<= bright (true (lamp red)) (true (lamp blue)))
         (<= (goal walker 100) bright) (<= (goal walker 0) (not bright))"
    )
}

#[test]
fn late_violations_are_not_proved() {
    with_analysis(&late(), |found, machine| {
        // Random play saw at most one lamp in every state, and never 100 points.
        let lamp = machine.fluent(machine.fluent_named("(lamp red)").unwrap()).0;
        let lamps = found.structures.fluents.iter().find(|fluent| fluent.fluent.name == lamp).unwrap();
        assert_eq!(lamps.outputs.len(), 1);
        assert_eq!(property(found, WeakWinnability, Some(0)).status, Open);
        assert_eq!(property(found, UniqueGoal, Some(0)).status, Proved);
        // Two lamps can be lit: these moves lead there.
        let middle = machine
            .cursor()
            .legal(0)
            .iter()
            .copied()
            .find(|&action| machine.move_text(action) == "(door middle)");
        let way = vec![vec![middle.unwrap()]; 42];
        let mut fluents = Vec::new();
        machine.fluents(after(machine, &way).state(), &mut fluents);
        let lamps =
            fluents.iter().filter(|&&fluent| machine.fluent_text(fluent).starts_with("(lamp")).count();
        assert_eq!(lamps, 2);
        assert!(proved_groups_hold(found, &*after(machine, &way), machine));
    });
}

/// Whether the state has at most one value per key, for every fluent for which this is proved.
fn proved_groups_hold(found: &GameAnalysis, cursor: &dyn Cursor, machine: &dyn Machine) -> bool {
    let mut fluents = Vec::new();
    machine.fluents(cursor.state(), &mut fluents);
    let Structures { fluents: findings, .. } = &found.structures;
    findings.iter().all(|finding| {
        let proved =
            finding.evidence.proof.as_ref().is_some_and(|proof| proof.status == Proved && proof.k > 0);
        let determined = !matches!(finding.kind, FluentKind::Place | FluentKind::Flag);
        if !proved || !determined || finding.outputs.is_empty() {
            return true;
        }
        let of_it = fluents.iter().map(|&fluent| machine.fluent(fluent));
        let of_it = of_it.filter(|(name, arguments)| {
            *name == finding.fluent.name && arguments.len() == finding.fluent.arity
        });
        let keys: Vec<Vec<_>> = of_it
            .map(|(_, arguments)| finding.inputs.iter().map(|position| arguments[position.index()]).collect())
            .collect();
        let different: std::collections::BTreeSet<&Vec<_>> = keys.iter().collect();
        different.len() == keys.len()
    })
}

/// A game that can return to an earlier state.
const CYCLE: &str = "(role ann) (role bob) (init (at 1))
    (<= (legal ?r (go ?x)) (role ?r) (place ?x)) (place 1) (place 2) (place 3)
    (<= (next (at ?x)) (does ann (go ?x)))
    (<= terminal (true (at 3)))
    (<= (goal ann 100) (true (at 3))) (<= (goal ann 50) (not (true (at 3))))
    (<= (goal bob 0) (true (at 3))) (<= (goal bob 50) (not (true (at 3))))";

#[test]
fn a_cycle_of_play_refutes_termination() {
    with_analysis(CYCLE, |found, machine| {
        let property = property(found, Termination, None);
        assert_eq!(property.status, Refuted);
        let moves = property.witness.as_ref().unwrap();
        let last = after(machine, moves).state().clone();
        assert!((0..moves.len()).any(|step| *after(machine, &moves[..step]).state() == last));
        assert_eq!(status(found, FiniteLength), Refuted);
    });
}

/// Both roles always get the same goal value, which varies from game to game.
const SAME: &str = "(role ann) (role bob) (init (at 0)) (succ 0 1) (succ 1 2)
    (<= (legal ?r push) (role ?r)) (<= (legal ?r wait) (role ?r))
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does ann push) (does bob push))
    (<= (next tried) (true (at 0)))
    (<= (next (at ?x)) (true (at ?x)) (not both))
    (<= both (does ann push) (does bob push))
    (<= terminal (true tried))
    (<= (goal ?r 100) (role ?r) (true (at 1))) (<= (goal ?r 0) (role ?r) (not (true (at 1))))";

#[test]
fn cooperating_roles_are_proved_to_be_one_team() {
    with_analysis(SAME, |found, _| {
        assert_eq!(found.structures.teams, [[0, 1]]);
        assert_eq!(found.structures.teams_evidence.proof.as_ref().unwrap().status, Proved);
        assert_eq!((status(found, Cooperation), status(found, ConstantSum)), (Proved, Refuted));
        assert_eq!(property(found, WeakWinnability, Some(0)).status, Proved);
        // No role can force 100 points against the other.
        assert_eq!(status(found, StrongWinnability), Refuted);
    });
}

#[test]
fn induction_needs_a_work_budget() {
    let source = Source::load("games/tic_tac_toe.kif").unwrap();
    let description = read(&source).description.unwrap();
    let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
    let game = LoadedGame::new("game".to_owned(), &source, loaded);
    let kinds = ggp::analysis::Kinds::NONE;
    let plan = Plan { playouts: Some(100), kinds, features: false, proof_work: 1, ..Plan::default() };
    let context = AnalysisContext::default();
    let analysis = analyze(&game.game(), &plan, &context).unwrap();
    assert_eq!(status(&analysis, Alternation), Open);
    assert_eq!(property(&analysis, WeakWinnability, Some(0)).status, Proved);
    let stage = analysis.stages.iter().find(|stage| stage.name == ggp::analysis::Stage::Prove).unwrap();
    assert!(!stage.complete);
}

/// Two flags, one of which is up; `swap` exchanges them.
const FLAGS: &str = "
(role r) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (init (up a)) (init (step 0)) (other a b) (other b a)
(legal r swap) (legal r stay)
(<= (next (up ?x)) (true (up ?x)) (does r stay)) (<= (next (up ?y)) (true (up ?x)) (other ?x ?y) (does r swap))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal r 100) (true (up a)) (true (up b))) (<= (goal r 60) (true (up a)) (not (true (up b))))
(<= (goal r 20) (true (up b)) (not (true (up a)))) (<= (goal r 0) (not (true (up a))) (not (true (up b))))";

#[test]
fn goal_values_proved_unreachable_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let (game, out) = (folder.path().join("flags.kif"), folder.path().join("out"));
    std::fs::write(&game, FLAGS).unwrap();
    let mut command = assert_cmd::Command::cargo_bin("ggp").unwrap();
    command.args(["analyze", "--playouts", "500", "--format", "json", "--out"]).arg(&out).arg(&game);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["goals"][0]["unattainable"], serde_json::json!([0, 100]), "{}", document["goals"]);
    let mut functions = Vec::new();
    let mut folders = vec![out];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                let text = std::fs::read_to_string(&path).unwrap();
                functions.push(serde_json::from_str::<serde_json::Value>(&text).unwrap());
            }
        }
    }
    let of_kind = |kind: &str| functions.iter().filter(|one| one["kind"] == kind).collect::<Vec<_>>();
    // Functions of one feature use the range of the two values that can occur.
    let novelty = of_kind("novelty");
    assert!(!novelty.is_empty());
    for function in novelty {
        assert_eq!(function["rewards"], serde_json::json!([20, 60]));
        assert_eq!(function["function"]["feature"]["rewards_by"], "proved");
    }
    // Fuzzy functions combine only these two values.
    for function in of_kind("fuzzy") {
        let goals = function["function"]["fuzzy"]["goals"].as_array().unwrap();
        let values: Vec<_> = goals.iter().map(|goal| goal["value"].as_i64().unwrap()).collect();
        assert_eq!(values, [20, 60]);
    }
}

#[test]
fn a_strategy_that_answers_wins_strongly() {
    // The guesser wins by naming the side that the hider chose before: a strategy, but no sequence of moves fixed in
    // advance, wins whatever the hider does.
    let rules = "(role hider) (role guesser) (side left) (side right) (init (turn hider))
         (<= (legal ?r ?s) (true (turn ?r)) (side ?s))
         (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
         (<= (next (turn guesser)) (true (turn hider)))
         (<= (next (hidden ?s)) (does hider ?s) (side ?s))
         (<= (next (hidden ?s)) (true (hidden ?s)))
         (<= (next (named ?s)) (does guesser ?s) (side ?s))
         (<= terminal (true (named ?s)))
         (<= found (true (hidden ?s)) (true (named ?s)))
         (<= (goal guesser 100) found) (<= (goal guesser 0) (not found))
         (<= (goal hider 0) found) (<= (goal hider 100) (not found))";
    with_analysis(rules, |found, _| {
        assert_eq!(status(found, StrongWinnability), Proved);
        assert_eq!(property(found, WeakWinnability, Some(0)).status, Proved);
    });
}
