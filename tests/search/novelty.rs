//! With the option `since_root`, novelty compares a state with the root of the search. A new root invalidates the entries of
//! the table.

use assert_cmd::Command;
use ggp::evaluation::scaled_feature::{Aim, ScaledFeature};
use ggp::evaluation::{Function, RewardSource};
use ggp::feature::{Facts, Family, Feature, Spec, StateEvaluator};
use ggp::machine::{Machine, MoveId, State};
use ggp::search::{AlphaBetaOptions, Deepening, Limits, Search, SearchContext};

use crate::lines::has_line;
use crate::sampled::load_game;

/// A function that measures the share of facts that changed since the root, or since an empty state.
fn novelty(since_root: bool) -> Function {
    let spec = Spec::Changed { since: Vec::new(), without: vec!["(to_move ?x)".to_owned()], since_root };
    let feature = Feature {
        id: "novelty".to_owned(),
        family: Family::Novelty,
        role: None,
        formula: spec.to_string(),
        range: [0.0, 1.0],
        beyond_source: false,
        spec,
    };
    let (role, rewards_by) = ("crosses".to_owned(), RewardSource::Rules);
    Function::Feature(ScaledFeature { role, aim: Aim::Maximise, rewards: [0, 100], rewards_by, feature })
}

/// The state after `steps` joint moves, each the first legal one.
fn after(machine: &dyn Machine, steps: usize) -> State {
    let mut cursor = machine.cursor();
    for _ in 0..steps {
        let joint: Vec<MoveId> = (0..2).map(|role| cursor.legal(role)[0]).collect();
        cursor.advance(&joint).unwrap();
    }
    cursor.state().clone()
}

#[test]
fn novelty_is_relative_to_the_root_of_the_search() {
    let game = load_game("tic_tac_toe");
    let machine = &*game.machine;
    let (initial, root, later) = (after(machine, 0), after(machine, 2), after(machine, 4));
    let mut evaluator = StateEvaluator::new(machine);
    let mut facts = Facts::new(machine);
    facts.fill(machine, &root);
    let mut measure = novelty(true).bind(machine).unwrap();
    // Compared with an empty state, all facts are new.
    assert_eq!(measure.value(&evaluator.at(&root).unwrap()), 99.0);
    assert!(measure.begin(&facts), "another reference");
    assert!(!measure.begin(&facts), "the same one");
    assert_eq!(measure.value(&evaluator.at(&root).unwrap()), 1.0);
    // Two of nine cells differ: 7 facts hold in both states, 11 in at least one.
    for state in [&initial, &later] {
        let wanted = 1.0 + 98.0 * 4.0 / 11.0;
        assert!((measure.value(&evaluator.at(state).unwrap()) - wanted).abs() < 1e-9);
    }
    let mut fixed = novelty(false).bind(machine).unwrap();
    assert!(!fixed.begin(&facts));
    assert_eq!(fixed.value(&evaluator.at(&root).unwrap()), 99.0);
}

#[test]
fn a_new_root_invalidates_table_entries() {
    let game = load_game("tic_tac_toe");
    let machine = &*game.machine;
    let limits = Limits { depth: Some(2), ..Limits::default() };
    let search = || {
        let context = SearchContext::alone(machine, 0);
        Deepening::new(context, &novelty(true), AlphaBetaOptions::default()).unwrap()
    };
    let mut one = search();
    for steps in [0, 2, 4] {
        let state = after(machine, steps);
        let again = one.search(&state, &limits, &mut |_| {}).unwrap();
        let fresh = search().search(&state, &limits, &mut |_| {}).unwrap();
        assert_eq!((again.value, again.proved), (fresh.value, fresh.proved), "{steps} steps");
    }
}

#[test]
fn player_lines_choose_the_reference_state() {
    let play = |player: &str| {
        let line = format!("crosses={player}");
        let arguments = ["play", "games/tic_tac_toe.kif", "--playouts", "300", "--play-clock", "60"];
        let mut command = Command::cargo_bin("ggp").unwrap();
        let output = command.args(arguments).args(["--format", "json", "--player", &line]).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), errors)
    };
    for player in ["alphabeta:novelty(since=root)?depth=2", "greedy:novelty(since=root)"] {
        let (status, record, errors) = play(player);
        assert_eq!(status, Some(0), "{errors}");
        assert!(record.contains("novelty,since=root"), "{record}");
    }
    for player in
        ["maxn:novelty(since=root)?depth=1", "guct:novelty(since=root)", "mixed:novelty(since=root)?depth=1"]
    {
        let (status, _, errors) = play(player);
        let name = player.split(':').next().unwrap();
        assert_eq!(status, Some(1), "{player}");
        assert!(has_line(&errors, &[name, "novelty(since=root)", "alphabeta", "greedy"]), "{errors}");
    }
    let (status, _, errors) = play("alphabeta:novelty(since=yesterday)");
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.contains("initial, root"), "{errors}");
}
