//! The role `random` is chance. `ggp solve` and players that support chance treat its moves as equally likely. Other players
//! reject such games by name, and all players reject hidden moves.

use assert_cmd::Command;
use ggp::gdl::{Source, read};
use ggp::ground;
use ggp::machine::{Backend, Cursor, Machine, State, load};
use ggp::search::{ChanceSearch, Limits, Search, SearchContext};
use serde_json::{Value, json};

use crate::lines::has_line;

/// A bet on one throw of a die, whose face is visible.
const DICE: &str = "
(role ann) (role random)
(init start)
(face 1) (face 2) (face 3) (face 4) (face 5) (face 6)
(wins low 1) (wins low 2)
(wins high 2) (wins high 3) (wins high 4) (wins high 5) (wins high 6)
(<= (legal random (roll ?f)) (face ?f) (true start))
(<= (legal ann (bet low)) (true start))
(<= (legal ann (bet high)) (true start))
(<= (next (rolled ?f)) (does random (roll ?f)))
(<= (next (betted ?b)) (does ann (bet ?b)))
(<= (sees ann ?f) (does random (roll ?f)))
(<= over (true (rolled ?f)))
(<= won (true (rolled ?f)) (true (betted ?b)) (wins ?b ?f))
(<= terminal over)
(<= (goal ann 100) won) (<= (goal ann 0) (not won))
(<= (goal random 50) (role random))";

/// Two players take turns to push a token; a coin decides whether it moves. There are several steps, so bounds matter.
const COIN: &str = "
(role ann) (role bob) (role random)
(init (at 3)) (init (turn ann)) (init (step 1))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(other ann bob) (other bob ann)
(way ann up) (way ann far) (way bob down) (way bob far) (side heads) (side tails)
(<= (legal ?r ?w) (true (turn ?r)) (way ?r ?w))
(<= (legal ?r wait) (role ?r) (distinct ?r random) (not (true (turn ?r))))
(<= (legal random (flip ?s)) (side ?s))
(<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= up (does ann up)) (<= up (does ann far) (does random (flip heads)))
(<= up (does bob far) (does random (flip heads)))
(<= down (does bob down) (does random (flip heads)))
(<= down (does bob far) (does random (flip tails)))
(<= down (does ann far) (does random (flip tails)))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) up)
(<= (next (at ?y)) (true (at ?x)) (succ ?y ?x) down)
(<= (next (at ?x)) (true (at ?x)) (not up) (not down))
(<= terminal (true (step 7)))
(<= terminal (true (at 0))) (<= terminal (true (at 7)))
(worth 0 0) (worth 1 10) (worth 2 35) (worth 3 40) (worth 4 70) (worth 5 75) (worth 6 80) (worth 7 100)
(lost 0 100) (lost 1 90) (lost 2 65) (lost 3 60) (lost 4 30) (lost 5 25) (lost 6 20) (lost 7 0)
(<= (goal ann ?g) (true (at ?x)) (worth ?x ?g))
(<= (goal bob ?g) (true (at ?x)) (lost ?x ?g))
(<= (goal random ?n) (true (at ?n)))";

fn in_file<T>(rules: &str, then: impl FnOnce(&str) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.kif");
    std::fs::write(&path, rules).unwrap();
    then(path.to_str().unwrap())
}

fn run(arguments: &[&str]) -> (i32, Value, String) {
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    let document = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), document, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_bet_has_its_expected_value() {
    in_file(DICE, |path| {
        let (status, found, _) = run(&["solve", path, "--format", "json"]);
        assert_eq!((status, &found["kind"], &found["proved"]), (0, &json!("chance"), &json!(true)));
        assert!((found["values"]["ann"].as_f64().unwrap() - 500.0 / 6.0).abs() < 1e-6, "{found}");
        assert_eq!(found["mixtures"]["ann"][0]["move"], "(bet high)");
        let (_, analysis, _) = run(&["analyze", path, "--format", "json", "--playouts", "200"]);
        let wanted = json!({"random_role": true, "sees": true, "hidden": false});
        assert_eq!(analysis["information"], wanted);
        for player in ["alphabeta:fuzzy", "uct", "guct:fuzzy", "greedy:fuzzy", "auto"] {
            let own = format!("ann={player}");
            let play =
                ["play", path, "--format", "json", "--playouts", "300", "--play-clock", "0.1", "--player"];
            let (status, record, errors) = run(&[&play[..], &[&own]].concat());
            assert_eq!(status, 0, "{player}: {errors}");
            // A player that searches one ply includes the throw of the same step.
            if player != "greedy:fuzzy" {
                assert_eq!(record["moves"][0][0], "(bet high)", "{player}");
            }
        }
        for player in ["ensemble", "mixed:fuzzy", "maxn:fuzzy"] {
            let own = format!("ann={player}");
            let (status, _, errors) = run(&["play", path, "--playouts", "300", "--player", &own]);
            assert_eq!(status, 1, "{player}");
            let name = player.split(':').next().unwrap();
            assert!(has_line(&errors, &[name, "random"]), "{errors}");
        }
    });
}

/// The value of a state for Ann, by exhaustive search.
fn exhaustive(machine: &dyn Machine, state: &State) -> f64 {
    let mut cursor = machine.cursor();
    cursor.set(state).unwrap();
    if cursor.terminal() {
        return f64::from(cursor.goals(0)[0]);
    }
    let legal = |cursor: &dyn Cursor, role| cursor.legal(role).to_vec();
    let (own, others, draws) = (legal(&*cursor, 0), legal(&*cursor, 1), legal(&*cursor, 2));
    let mut best = f64::NEG_INFINITY;
    for &first in &own {
        let mut worst = f64::INFINITY;
        for &second in &others {
            let mut sum = 0.0;
            for &draw in &draws {
                cursor.set(state).unwrap();
                cursor.advance(&[first, second, draw]).unwrap();
                sum += exhaustive(machine, &cursor.state().clone());
            }
            worst = worst.min(sum / draws.len() as f64);
        }
        best = best.max(worst);
    }
    best
}

#[test]
fn values_equal_exhaustive_search() {
    let source = Source::from_text("coin", COIN);
    let game = load(read(&source).description.unwrap(), Backend::Auto, &ground::Limits::default()).unwrap();
    let machine = &*game.machine;
    let wanted = exhaustive(machine, machine.initial());
    for table in [0, 1 << 20] {
        let mut search = ChanceSearch::plain(SearchContext::alone(machine, 0), table).unwrap();
        let found = search.search(machine.initial(), &Limits::default(), &mut |_| {}).unwrap();
        assert!(found.proved);
        assert!((found.value.unwrap() - wanted).abs() < 1e-6, "{:?} {wanted}", found.value);
    }
}

#[test]
fn chance_is_not_a_player() {
    for (rules, teams) in [(DICE, json!([["ann"]])), (COIN, json!([["ann"], ["bob"]]))] {
        in_file(rules, |path| {
            let (status, found, errors) = run(&["analyze", path, "--format", "json", "--playouts", "500"]);
            assert_eq!(status, 0, "{errors}");
            assert_eq!(found["structures"]["teams"], teams);
            assert_eq!(found["structures"]["zero_sum"], json!(teams.as_array().unwrap().len() > 1));
            let roles = |list: &Value| -> Vec<Value> {
                list.as_array().unwrap().iter().map(|one| one["role"].clone()).collect()
            };
            let functions = roles(&found["evaluations"]);
            assert!(
                functions.contains(&json!("ann")) && !functions.contains(&json!("random")),
                "{functions:?}"
            );
            let features = roles(&found["features"]);
            assert!(features.contains(&json!("ann")) && !features.contains(&json!("random")), "{features:?}");
            let properties = found["properties"].as_array().unwrap();
            let of_chance: Vec<&Value> = properties
                .iter()
                .filter(|property| property["role"] == "random")
                .map(|property| &property["name"])
                .collect();
            assert_eq!(of_chance, ["playability"], "chance has to have moves, and no goals");
            let property = |name: &str| properties.iter().find(|property| property["name"] == name);
            // No player can force a throw.
            assert_ne!(property("strong-winnability").unwrap()["status"], "proved");
            assert_eq!(property("constant-sum").is_some(), teams.as_array().unwrap().len() > 1);
        });
    }
}

#[test]
fn chance_and_single_states_are_not_learned() {
    let learned = |rules: &str| {
        in_file(rules, |path| {
            let arguments = ["learn", path, "--work", "1", "--format", "json"];
            let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
            let documents = String::from_utf8(output.stdout).unwrap();
            let roles: Vec<Value> = documents
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()["role"].clone())
                .collect();
            (output.status.code(), roles, String::from_utf8(output.stderr).unwrap())
        })
    };
    let (status, roles, notes) = learned(COIN);
    assert_eq!((status, roles), (Some(0), vec![json!("ann"), json!("bob")]), "{notes}");
    assert!(!notes.contains("random"), "{notes}");
    // Only the initial state is not terminal.
    let (status, roles, notes) = learned(DICE);
    assert_eq!((status, roles.len()), (Some(1), 0), "{notes}");
    assert!(has_line(&notes, &["learned", "ann"]), "{notes}");
}

#[test]
fn tournaments_reserve_the_role_of_chance() {
    let folder = tempfile::tempdir().unwrap();
    let (coin, dice, out) =
        (folder.path().join("coin.kif"), folder.path().join("dice.kif"), folder.path().join("out"));
    std::fs::write(&coin, COIN).unwrap();
    std::fs::write(&dice, DICE).unwrap();
    let mut command = Command::cargo_bin("ggp").unwrap();
    command.arg("tournament").arg("--games").args([&coin, &dice]).arg("--out").arg(&out);
    let options = ["--players", "alphabeta:fuzzy", "uct", "--nodes", "100", "--rounds", "2"];
    let output = command.args(options).output().unwrap();
    let (stdout, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{errors}");
    assert!(has_line(&stdout, &["coin", "random"]), "{stdout}");
    let text = std::fs::read_to_string(out.join("tournament.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["plan"]["games"][0]["chance"], json!(2));
    // The game of the coin has two assignments of its two roles. The game of the die has one role for players.
    assert_eq!(document["summary"]["matches"], json!(2 * (2 + 2)));
    assert_eq!(document["summary"]["pairings"][0]["score"]["matches"], json!(4));
    assert_eq!(document["summary"]["alone"].as_array().unwrap().len(), 2);
    let rows = std::fs::read_to_string(out.join("results.csv")).unwrap();
    assert!(rows.contains(",alphabeta:fuzzy uct random,") && rows.contains(",uct random,"), "{rows}");
}

#[test]
fn hidden_moves_are_rejected_by_name() {
    // The die is thrown first, and Ann does not see its face.
    let hidden = DICE.replace(
        "(<= (sees ann ?f) (does random (roll ?f)))",
        "(<= (sees ann thrown) (does random (roll ?f)))",
    );
    in_file(&hidden, |path| {
        let (status, _, errors) = run(&["solve", path]);
        assert!(status == 1 && errors.contains("`sees`"), "{errors}");
        let (status, _, errors) = run(&["play", path, "--playouts", "100", "--player", "ann=uct"]);
        assert!(status == 1 && has_line(&errors, &["uct", "GDL-II", "random"]), "{errors}");
        let (status, ..) = run(&["play", path, "--playouts", "100", "--player", "ann=random"]);
        assert_eq!(status, 0);
    });
}

/// Both roles move at the same time, and `sees` shows the moves of one role or of both.
#[test]
fn percepts_show_all_moves_or_some_are_hidden() {
    let rules = |sees: &str| {
        format!(
            "(role a) (role b) (init open) (choice x) (choice y) (<= (legal ?r (m ?c)) (role ?r) (choice ?c))
            (<= (next (done)) (does a (m x))) (<= terminal (not (true open)))
            (<= (goal ?r 50) (role ?r)) {sees}"
        )
    };
    for (sees, hidden) in [
        ("(<= (sees ?r (did ?x)) (role ?r) (does ?o (m ?x)) (distinct ?r ?o))", false),
        ("(<= (sees ?r (did ?o ?x)) (role ?r) (does ?o (m ?x)))", false),
        // Each role sees only its own move, or only moves that are not the name of the role or of its opponent.
        ("(<= (sees ?r (did ?x)) (does ?r (m ?x)))", true),
        ("(<= (sees ?r (did ?x)) (role ?r) (does ?o (m ?x)) (distinct ?x ?o))", true),
        ("(<= (sees ?r (did ?x)) (role ?r) (role ?x) (does ?o (m ?x)))", true),
    ] {
        in_file(&rules(sees), |path| {
            let (_, analysis, errors) =
                run(&["analyze", path, "--format", "json", "--playouts", "10", "--effort", "0"]);
            assert_eq!(analysis["information"]["hidden"], json!(hidden), "{sees} {errors}");
        });
    }
}

#[test]
fn check_reports_gdl_ii() {
    in_file(DICE, |path| {
        let output = Command::cargo_bin("ggp").unwrap().args(["check", path]).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success() && text.contains("GDL045"), "{text}");
        assert!(!text.contains("no rule uses sees"), "{text}");
    });
}
