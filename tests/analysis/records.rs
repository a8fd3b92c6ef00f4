//! An analysis prints properties and goals from records. Their numbers equal the counts of the document, and no
//! part of a document contradicts another.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, Stage, StageProgress, analyze};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::report::analysis::Analysis;
use ggp::simulate::{Budget, Choices, Context, simulate};
use serde_json::{Value, json};

use crate::listed::{own_games, real_games};

/// The number of states that searches visit in most of these tests.
const NODES: u64 = 500;

/// The work of proofs in most of these tests.
const WORK: u64 = 100_000;

fn quick() -> Plan {
    Plan {
        playouts: Some(100),
        kinds: Kinds::NONE,
        features: false,
        proof_work: WORK,
        rule_playouts: 0,
        threads: 1,
        exact: false,
        ..Plan::full()
    }
}

/// The document of a game; `None` if the rules have errors or the game cannot be played.
fn document(source: &Source, plan: &Plan, nodes: u64) -> Option<Value> {
    let description = read(source).description?;
    let loaded = load(description, Backend::Auto, &Limits::default()).ok()?;
    let game = LoadedGame::new("game.kif".to_owned(), source, loaded);
    let machine = game.machine();
    let plan = Plan { search_nodes: nodes.min(plan.search_nodes), ..plan.clone() };
    let found = analyze(&game.game(), &plan, &AnalysisContext::default()).ok()?;
    let documents = found.documents(machine);
    let analysis = Analysis::new(Path::new("game.kif"), &found, &documents, machine);
    serde_json::to_value(&analysis).ok()
}

fn of_text(text: &str, plan: &Plan) -> Value {
    document(&Source::from_text("game", text), plan, u64::MAX).expect("the game can be analysed")
}

/// The number at a key such as `a.b[name=value,...].c`; for a list, its length.
fn count(document: &Value, key: &str) -> i64 {
    let mut here = document;
    for part in key.split_inclusive(['.', ']']) {
        let part = part.trim_end_matches(['.', ']']);
        let (name, wanted) = part.split_once('[').unwrap_or((part, ""));
        if !name.is_empty() {
            here = &here[name];
        }
        if !wanted.is_empty() {
            let is_it = |entry: &&Value| {
                wanted.split(',').all(|pair| {
                    let (name, value) = pair.split_once('=').expect("a name and a value");
                    entry[name].as_str().map_or_else(|| entry[name].to_string(), str::to_owned) == value
                })
            };
            here = here.as_array().and_then(|list| list.iter().find(is_it)).unwrap_or(&Value::Null);
        }
    }
    match here {
        Value::Array(list) => list.len() as i64,
        number => number.as_i64().unwrap_or_else(|| panic!("{key} is {number}")),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Compares all records of a document with its counts, and its parts with each other. Returns the number of records.
fn compare(name: &str, document: &Value) -> usize {
    let reasons = list(&document["properties"]).iter().map(|property| &property["reason"]);
    let remarks = list(&document["goals"]).iter().flat_map(|goals| list(&goals["remarks"]));
    let records: Vec<&Value> = reasons.chain(remarks.map(|remark| &remark["reason"])).collect();
    for record in &records {
        assert!(record["code"].as_str().is_some_and(|code| code != "unknown"), "{name}: {record}");
        for (number, key) in record["counts"].as_object().into_iter().flatten() {
            let key = key.as_str().unwrap();
            assert_eq!(
                Some(count(document, key)),
                record["numbers"][number].as_i64(),
                "{name}: {key}, {record}"
            );
        }
    }
    for goals in list(&document["goals"]) {
        compare_goals(name, document, goals);
    }
    for property in list(&document["properties"]) {
        compare_property(name, document, property);
    }
    compare_findings(name, document);
    records.len()
}

fn compare_goals(name: &str, document: &Value, goals: &Value) {
    let role = goals["role"].as_str().unwrap();
    let reached_by = list(&goals["reached_by"]);
    let counted = list(&document["simulation"]["roles"]).iter().find(|entry| entry["role"] == *role).unwrap();
    for goal in list(&counted["goals"]) {
        let wanted = json!({"value": goal["value"], "by": "random-play", "games": goal["count"]});
        assert!(reached_by.contains(&wanted), "{name}: {wanted} is not among {reached_by:?}");
    }
    if let Some(goal) = goals["search"]["goal"].as_i64() {
        assert!(reached_by.iter().any(|reach| reach["value"] == goal && reach["by"] == "search"), "{name}");
    }
    let unattainable = list(&goals["unattainable"]);
    assert!(reached_by.iter().all(|reach| !unattainable.contains(&reach["value"])), "{name}: {goals}");
    for remark in list(&goals["remarks"]) {
        let is_only = |reach: &Value| reach["value"] == remark["reason"]["numbers"]["goal"];
        let better = |reach: &Value| reach["value"].as_i64() > remark["reason"]["numbers"]["goal"].as_i64();
        match remark["reason"]["code"].as_str().unwrap() {
            "only-goal-by-rules" | "only-goal-proved" => assert!(reached_by.iter().all(is_only), "{name}"),
            "best-goal-by-search" => assert!(!reached_by.iter().any(better), "{name}: {goals}"),
            "one-goal-in-random-play" => {
                let random = reached_by.iter().filter(|reach| reach["by"] == "random-play");
                assert!(random.clone().all(is_only) && random.count() == 1, "{name}: {goals}");
            }
            "goal-beyond-random-play" => {
                let random = |reach: &Value| reach["by"] == "random-play" && is_only(reach);
                assert!(!reached_by.iter().any(random), "{name}: {goals}");
            }
            _ => {}
        }
    }
}

fn compare_property(name: &str, document: &Value, property: &Value) {
    let (kind, status) = (property["name"].as_str().unwrap(), property["status"].as_str().unwrap());
    let code = property["reason"]["code"].as_str().unwrap();
    let shown = format!("{name}: {property}");
    let role = &property["role"];
    let goals = list(&document["goals"]).iter().filter(|goals| role.is_null() || goals["role"] == *role);
    let reached: Vec<&Value> = goals.flat_map(|goals| list(&goals["reached_by"])).collect();
    let won = reached.iter().any(|reach| reach["value"] == 100);
    let faults = |kinds: &[&str]| {
        let of_it =
            |fault: &&Value| fault["role"] == *role && kinds.contains(&fault["kind"].as_str().unwrap());
        list(&document["simulation"]["faults"]).iter().filter(of_it).count()
    };
    let holds_not_refuted = status != "refuted";
    match kind {
        "weak-winnability" => assert_eq!(won, status == "proved", "{shown}"),
        "strong-winnability" => {
            assert!(status != "proved" || won, "{shown}");
            assert!(code != "goal-not-seen" || !won, "{shown}");
        }
        "playability" if holds_not_refuted => assert_eq!(faults(&["no-legal-move"]), 0, "{shown}"),
        "monotonicity" if holds_not_refuted => assert_eq!(faults(&["goal-fell"]), 0, "{shown}"),
        "unique-goal" if holds_not_refuted => {
            assert_eq!(faults(&["no-goal", "several-goals"]), 0, "{shown}");
        }
        "alternation" | "perfect-alternation" if holds_not_refuted => {
            assert_ne!(document["structures"]["turns"], "simultaneous", "{shown}");
        }
        "simultaneity" if status != "proved" => {
            assert_ne!(document["structures"]["turns"], "simultaneous", "{shown}");
        }
        "termination" => {
            if let Some(longest) = property["longest"].as_u64() {
                let seen = document["simulation"]["length"]["max"].as_u64();
                assert!(seen <= Some(longest), "{shown}: a playout has {seen:?} steps");
                let exact = seen == Some(longest) || code == "longest-game";
                assert_eq!(property["longest_attained"], exact, "{shown}");
            }
        }
        "constant-sum" => {
            let sums: BTreeSet<i64> = outcomes(document).iter().map(|goals| goals.iter().sum()).collect();
            assert!(sums.len() < 2 || status == "refuted", "{shown}: {sums:?}");
            // If only searches reached an end, random play has no sum.
            let found = &document["structures"];
            let unknown = found["zero_sum_evidence"]["code"] == "no-game-ended";
            assert!(unknown || (found["zero_sum"] == true) == holds_not_refuted, "{shown}");
            if let (Some(sum), Some(&seen)) = (property["reason"]["numbers"]["sum"].as_i64(), sums.first()) {
                assert!(!holds_not_refuted || sum == seen, "{shown}: {sums:?}");
            }
        }
        "cooperation" => {
            let outcomes = outcomes(document);
            let differ = outcomes.iter().any(|goals| goals.iter().any(|goal| *goal != goals[0]));
            assert!(!differ || status == "refuted", "{shown}");
            assert!(code != "one-outcome" || outcomes.len() == 1, "{shown}: {outcomes:?}");
        }
        _ => {}
    }
    if code == "no-game-ended" {
        assert_eq!(count(document, "simulation.terminal.count"), 0, "{shown}");
        let reached = list(&document["goals"]).iter().map(|goals| list(&goals["reached_by"]).len());
        assert_eq!(reached.sum::<usize>(), 0, "{shown}");
    } else if ["unique-goal", "constant-sum", "cooperation"].contains(&kind) {
        let reached = list(&document["goals"]).iter().any(|goals| !list(&goals["reached_by"]).is_empty());
        let ended = count(document, "simulation.terminal.count") > 0 || reached;
        assert!(ended || faults(&["no-goal", "several-goals"]) > 0, "{shown}");
    }
}

/// The outcomes of random play in which every player has exactly one goal value.
fn outcomes(document: &Value) -> Vec<Vec<i64>> {
    let chance = document["information"]["random_role"] == true;
    let is_player = |role: &usize| !chance || document["game"]["roles"][role] != "random";
    let players: Vec<usize> = (0..list(&document["game"]["roles"]).len()).filter(is_player).collect();
    let goals = |outcome: &Value| players.iter().map(|&role| outcome["goals"][role].as_i64()).collect();
    list(&document["simulation"]["outcomes"]).iter().filter_map(goals).collect()
}

fn compare_findings(name: &str, document: &Value) {
    let (simulation, found) = (&document["simulation"], &document["structures"]);
    let listed: u64 =
        list(&simulation["outcomes"]).iter().map(|outcome| outcome["playouts"].as_u64().unwrap()).sum();
    let others = simulation["other_outcomes"].as_u64().unwrap();
    assert_eq!(Some(listed + others), simulation["terminal"]["count"].as_u64(), "{name}");
    let roles = list(&document["game"]["roles"]);
    for evidence in ["teams_evidence", "zero_sum_evidence"] {
        assert_eq!(found[evidence]["states"], simulation["terminal"]["count"], "{name}: {evidence}");
        let unknown = found[evidence]["code"] == "no-game-ended";
        if evidence == "teams_evidence" || unknown {
            assert_eq!(unknown, simulation["terminal"]["count"] == 0, "{name}: {evidence}");
        }
    }
    for team in list(&found["teams"]) {
        let members: Vec<usize> =
            list(team).iter().map(|role| roles.iter().position(|other| other == role).unwrap()).collect();
        for outcome in list(&simulation["outcomes"]) {
            let first = &outcome["goals"][members[0]];
            assert!(members.iter().all(|&role| outcome["goals"][role] == *first), "{name}: {team}");
        }
    }
}

/// Compares all games of a list; returns the number of records.
fn compare_all(games: &[PathBuf]) -> usize {
    let records = |path: &PathBuf| {
        let source = Source::load(path).unwrap();
        let name = path.display().to_string();
        document(&source, &quick(), NODES).map_or(0, |document| compare(&name, &document))
    };
    games.iter().map(records).sum()
}

#[test]
fn records_agree_with_the_counts() {
    let compared = compare_all(&own_games());
    println!("{compared} records compared in {} own games", own_games().len());
    assert!(compared > 400);
}

#[test]
#[ignore = "takes two minutes, and needs the corpus"]
fn records_agree_with_the_counts_in_the_corpus() {
    let corpus = std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus");
    let more = std::fs::read_dir(Path::new(&corpus).join("more").join("games")).unwrap();
    let mut games: Vec<PathBuf> = more.map(|entry| entry.unwrap().path()).collect();
    games.retain(|path| path.extension().is_some_and(|ending| ending == "kif"));
    games.sort();
    games.extend(real_games());
    let compared = compare_all(&games);
    println!("{compared} records compared in {} games of the corpus", games.len());
    assert!(compared > 800);
}

/// A random game of walks on a graph. It has one to three roles, simultaneous moves or turns, and optionally an end, a limit
/// of steps, forks and goal values for some ends.
fn drawn(number: u64) -> String {
    let mut choices = Choices::new(0x6472_6177, number);
    let (roles, places) = (1 + choices.below(3), 3 + choices.below(6));
    let turns = roles > 1 && choices.below(2) == 0;
    let mut text = String::new();
    for role in 0..roles {
        text += &format!("(role r{role}) (init (at r{role} p{}))\n", choices.below(places));
        text += &format!("(after r{role} r{})\n", (role + 1) % roles);
    }
    for place in 0..places {
        // A place without outgoing edges leaves no legal move.
        let edges = if choices.below(12) == 0 { 0 } else { 1 + choices.below(3) };
        (0..edges).for_each(|_| text += &format!("(way p{place} p{})\n", choices.below(places)));
    }
    text += "(<= (stays ?r) (role ?r) (not (goes ?r)))
             (<= (goes ?r) (does ?r (go ?x)))
             (<= (next (at ?r ?y)) (does ?r (go ?y)))
             (<= (next (at ?r ?x)) (true (at ?r ?x)) (stays ?r))\n";
    if turns {
        text += "(init (control r0))
                 (<= (next (control ?s)) (true (control ?r)) (after ?r ?s))
                 (<= (legal ?r (go ?y)) (true (control ?r)) (true (at ?r ?x)) (way ?x ?y))
                 (<= (legal ?r wait) (role ?r) (not (true (control ?r))))\n";
    } else {
        text += "(<= (legal ?r (go ?y)) (true (at ?r ?x)) (way ?x ?y))\n";
    }
    let limit = 2 + choices.below(9);
    if choices.below(3) > 0 {
        (0..limit).for_each(|step| text += &format!("(succ {step} {})\n", step + 1));
        text += "(init (step 0)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n";
        text += &format!("(<= terminal (true (step {limit})))\n");
    }
    // The number may exceed `places`. Then no move reaches the place, and the rule ends no game.
    text += &format!("(<= terminal (true (at r0 p{})))\n", choices.below(places + 2));
    for role in 0..roles {
        let (place, other) = (choices.below(places), choices.below(roles));
        let value = [0, 50, 75, 100][choices.below(4)];
        text += &format!("(<= (wins r{role}) (true (at r{other} p{place})))\n");
        text += &format!("(<= (goal r{role} {value}) (wins r{role}))\n");
        if choices.below(8) > 0 {
            let value = [0, 25, 100][choices.below(3)];
            text += &format!("(<= (goal r{role} {value}) (not (wins r{role})))\n");
        }
    }
    text
}

#[test]
fn records_agree_with_the_counts_in_random_games() {
    let (mut compared, mut endless, mut whole) = (0, 0, 0);
    for number in 0..100 {
        let text = drawn(number);
        // Every tenth game goes through all stages.
        let plan = match number % 10 {
            0 => Plan {
                playouts: Some(100),
                one_ply: 20,
                rule_playouts: 0,
                threads: 1,
                exact: false,
                ..Plan::full()
            },
            _ => quick(),
        };
        let Some(document) = document(&Source::from_text("drawn", &text), &plan, NODES) else { continue };
        whole += 1;
        endless += usize::from(count(&document, "simulation.terminal.count") == 0);
        compared += compare(&format!("game {number}:\n{text}"), &document);
    }
    println!("{compared} records compared in {whole} of 100 drawn games, of which {endless} never ended");
    assert!(compared > 800 && endless > 2 && whole > 80, "{compared}, {endless}, {whole}");
}

/// Twenty rounds in which each of two players opens one of three doors. A player wins by opening door 1 at least sixteen
/// times, if the other does not.
fn rare() -> String {
    let up: String = (0..20).map(|n| format!("(up {n} {}) ", n + 1)).collect();
    let enough: String = (16..=20).map(|n| format!("(enough {n}) ")).collect();
    format!(
        "(role white) (role black) (rival white black) (rival black white) (door 1) (door 2) (door 3) {up} {enough}
         (init (round 0)) (init (score white 0)) (init (score black 0))
         (<= (legal ?r (open ?d)) (role ?r) (door ?d))
         (<= (next (round ?n)) (true (round ?m)) (up ?m ?n))
         (<= (next (score ?r ?n)) (true (score ?r ?m)) (does ?r (open 1)) (up ?m ?n))
         (<= (next (score ?r ?m)) (true (score ?r ?m)) (does ?r (open ?d)) (distinct ?d 1))
         (<= terminal (true (round 20)))
         (<= (wins ?r) (true (score ?r ?m)) (enough ?m) (rival ?r ?s) (true (score ?s ?k)) (not (enough ?k)))
         (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (rival ?r ?s) (wins ?s))
         (<= (goal ?r 50) (role ?r) (not (wins white)) (not (wins black)))"
    )
}

fn property<'d>(document: &'d Value, name: &str, role: &str) -> &'d Value {
    let role = if role.is_empty() { Value::Null } else { role.into() };
    let is_it = |property: &&Value| property["name"] == name && property["role"] == role;
    list(&document["properties"]).iter().find(is_it).unwrap()
}

#[test]
fn rare_outcomes_are_reported() {
    let document = of_text(&rare(), &Plan { playouts: Some(300_000), ..quick() });
    compare("rare", &document);
    assert_eq!(count(&document, "simulation.outcomes"), 3);
    for role in ["white", "black"] {
        let weak = property(&document, "weak-winnability", role);
        let rare = count(&document, &format!("simulation.roles[role={role}].goals[value=100].count"));
        assert!((1..100).contains(&rare), "{role} won {rare} games");
        assert_eq!((&weak["status"], list(&weak["witness"]).len()), (&json!("proved"), 20), "{weak}");
        // A player's goal value falls from 50 to 0 when the other wins.
        assert_eq!(property(&document, "monotonicity", role)["status"], "refuted");
    }
    assert_eq!(property(&document, "cooperation", "")["status"], "refuted");
    assert_ne!(property(&document, "constant-sum", "")["status"], "refuted");
    assert_eq!(document["structures"]["teams"], json!([["white"], ["black"]]));
}

#[test]
fn outcomes_of_searches_are_not_denied() {
    let source = Source::load("games/peg_solitaire.kif").unwrap();
    let plan = Plan { proof_work: Plan::full().proof_work, ..quick() };
    let document = document(&source, &plan, u64::MAX).unwrap();
    compare("peg_solitaire", &document);
    assert_eq!(document["goals"][0]["search"]["goal"], 100);
    for (name, role) in [("weak-winnability", "hermit"), ("strong-winnability", "")] {
        let found = property(&document, name, role);
        assert_eq!((&found["status"], list(&found["witness"]).len()), (&json!("proved"), 31), "{found}");
    }
    // The weighted sum allows 32 steps, but no game is that long.
    let length = property(&document, "termination", "");
    assert_eq!((&length["longest"], &length["longest_attained"]), (&json!(32), &json!(false)));
}

/// The game would end at place 4, but no move leads there.
const ENDLESS: &str = "(role red) (role blue) (init (at 1)) (place 1) (place 2) (place 3)
    (<= (legal ?r (go ?x)) (role ?r) (place ?x)) (<= (next (at ?x)) (does red (go ?x)))
    (<= terminal (true (at 4)))
    (<= (goal red 100) (true (at 3))) (<= (goal red 0) (not (true (at 3))))
    (<= (goal blue 0) (true (at 3))) (<= (goal blue 100) (not (true (at 3))))";

#[test]
fn endless_games_have_no_results() {
    let document = of_text(ENDLESS, &quick());
    compare("endless", &document);
    for (name, role) in [("unique-goal", "red"), ("constant-sum", ""), ("cooperation", "")] {
        let found = property(&document, name, role);
        assert_eq!((&found["status"], &found["reason"]["code"]), (&json!("open"), &json!("no-game-ended")));
    }
    for evidence in ["teams_evidence", "zero_sum_evidence"] {
        assert_eq!(document["structures"][evidence]["code"], "no-game-ended");
    }
    assert_eq!(document["simulation"]["warnings"], json!(["never-ended"]));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("endless.kif");
    std::fs::write(&file, ENDLESS).unwrap();
    for command in ["analyze", "simulate"] {
        let mut run = assert_cmd::Command::cargo_bin("ggp").unwrap();
        let output = run.args([command, "--playouts", "20"]).arg(&file).assert().success();
        let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        assert!(text.lines().next().unwrap().contains("no game ended"), "{text}");
    }
}

/// The number of steps of the longest game, by exhaustive search.
fn longest(machine: &dyn Machine) -> u64 {
    fn after(cursor: &mut dyn ggp::machine::Cursor) -> u64 {
        if cursor.terminal() {
            return 0;
        }
        let state = cursor.state().clone();
        let moves = cursor.legal(0).to_vec();
        let mut steps = 0;
        for action in moves {
            cursor.set(&state).unwrap();
            cursor.advance(&[action]).unwrap();
            steps = steps.max(1 + after(cursor));
        }
        steps
    }
    after(&mut *machine.cursor())
}

/// Stones move along a row, or jump over another stone and remove it. A weighted sum grows and so bounds the number of
/// steps.
const STONES: &str = "
    (role r) (init (stone 1)) (init (stone 2)) (init (stone 3)) (on 1 2) (on 2 3) (on 3 4) (on 4 5) (on 5 6)
    (<= (free ?b) (on ?a ?b) (not (true (stone ?b))))
    (<= (goes ?a ?b) (true (stone ?a)) (on ?a ?b) (free ?b))
    (<= (jumps ?a ?b ?c) (true (stone ?a)) (on ?a ?b) (true (stone ?b)) (on ?b ?c) (free ?c))
    (<= (legal r (go ?a ?b)) (goes ?a ?b)) (<= (legal r (jump ?a ?b ?c)) (jumps ?a ?b ?c))
    (<= (next (stone ?b)) (does r (go ?a ?b))) (<= (next (stone ?c)) (does r (jump ?a ?b ?c)))
    (<= (left ?a) (does r (go ?a ?b)))
    (<= (left ?a) (does r (jump ?a ?b ?c))) (<= (left ?b) (does r (jump ?a ?b ?c)))
    (<= (next (stone ?a)) (true (stone ?a)) (not (left ?a)))
    (<= able (goes ?a ?b)) (<= able (jumps ?a ?b ?c))
    (<= terminal (not able)) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))";

#[test]
fn enumeration_gives_the_length_of_the_longest_game() {
    let source = Source::from_text("stones", STONES);
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let document = of_text(STONES, &Plan { playouts: Some(1), ..quick() });
    compare("stones", &document);
    let found = property(&document, "termination", "");
    assert_eq!(found["longest"], longest(&*loaded.machine));
    assert_eq!(
        (&found["longest_attained"], &found["reason"]["code"]),
        (&json!(true), &json!("longest-game"))
    );
}

#[test]
fn branching_is_averaged_over_turns_with_a_choice() {
    let source = Source::load("games/breakthrough.kif").unwrap();
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let machine = &*loaded.machine;
    let budget = Budget { playouts: 200, ..Budget::default() };
    let seen = simulate(machine, &budget, &Context::default()).unwrap();
    for role in &seen.roles {
        let branching = role.branching;
        let mean = branching.turn_mean.unwrap();
        assert!((25.0..26.5).contains(&mean), "{} has {mean}", role.role);
        // A state without a choice has one legal move.
        let all = branching.choice_share * mean + (1.0 - branching.choice_share);
        assert!((all - branching.mean).abs() < 1e-9);
    }
    let alone = Source::load("games/peg_solitaire.kif").unwrap();
    let loaded = load(read(&alone).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let seen = simulate(&*loaded.machine, &budget, &Context::default()).unwrap();
    assert_eq!(seen.roles[0].branching.turn_mean, Some(seen.roles[0].branching.mean));
}

#[test]
fn stages_begin_in_the_order_of_the_plan() {
    for game in ["tic_tac_toe", "nim", "eight_puzzle", "connect_four"] {
        let loaded = LoadedGame::open(format!("games/{game}.kif")).unwrap();
        let full = Plan {
            playouts: Some(50),
            proof_work: 10_000,
            search_nodes: NODES,
            one_ply: 10,
            threads: 1,
            ..Plan::full()
        };
        let small = Plan { kinds: Kinds::NONE, features: false, function_statistics: false, ..full.clone() };
        for plan in [full, small] {
            let begun = Mutex::new(Vec::new());
            let report = |progress: StageProgress| {
                let mut begun = begun.lock().unwrap();
                if begun.last() != Some(&progress.stage) {
                    begun.push(progress.stage);
                }
            };
            let context = AnalysisContext { progress: Some(&report), ..AnalysisContext::default() };
            let analysis = analyze(&loaded.game(), &plan, &context).unwrap();
            let stages = plan.stages(loaded.machine());
            let place = |stage: &Stage| stages.iter().position(|of| of == stage).unwrap();
            let places: Vec<usize> = begun.lock().unwrap().iter().map(place).collect();
            assert!(places[0] == 0 && places.is_sorted_by(|a, b| a < b), "{game}: {places:?} of {stages:?}");
            let reported: Vec<Stage> = analysis.stages.iter().map(|stage| stage.name).collect();
            assert_eq!(reported.iter().map(place).collect::<Vec<_>>(), places, "{game}");
        }
    }
}
