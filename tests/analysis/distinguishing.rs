//! Functions distinguish states even if no fluent of the goal changes before the end. Constant functions are omitted and
//! reported. One-ply games show which function is best.

use std::path::PathBuf;

use ggp::analysis::{AnalysisContext, GameAnalysis, Kinds, LoadedGame, Plan, Stage, analyze};
use ggp::evaluation::{Function, Kind};
use ggp::feature::{GoalValueSource, StateEvaluator};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::judge::{ExactLimits, Sides, Solver};
use ggp::machine::{Backend, Machine, State, load};
use ggp::report::goals::goals;

/// A runner in rooms without numeric order. The runner wins by grabbing the prize, and holds it in terminal states only.
const PRIZE: &str = "
    (role runner) (role keeper)
    (init (in runner hall)) (init (turn runner)) (init (left 9))
    (door hall den) (door den attic) (door attic vault) (door hall yard) (door yard shed) (door shed hall)
    (before 9 8) (before 8 7) (before 7 6) (before 6 5) (before 5 4) (before 4 3) (before 3 2) (before 2 1) (before 1 0)
    (<= (way ?a ?b) (door ?a ?b))
    (<= (way ?a ?b) (door ?b ?a))
    (<= (legal runner (go ?b)) (true (turn runner)) (true (in runner ?a)) (way ?a ?b))
    (<= (legal runner grab) (true (turn runner)) (true (in runner vault)))
    (<= (legal keeper wait) (true (turn runner)))
    (<= (legal keeper tick) (true (turn keeper)))
    (<= (legal runner rest) (true (turn keeper)))
    (<= (next (turn keeper)) (true (turn runner)))
    (<= (next (turn runner)) (true (turn keeper)))
    (<= (next (in runner ?b)) (does runner (go ?b)))
    (<= (next (in runner ?a)) (true (in runner ?a)) (true (turn keeper)))
    (<= (next (in runner ?a)) (true (in runner ?a)) (does runner grab))
    (<= (next (holds runner prize)) (does runner grab))
    (<= (next (left ?b)) (true (left ?a)) (before ?a ?b))
    (<= terminal (true (holds runner prize)))
    (<= terminal (true (left 0)))
    (<= (goal runner 100) (true (holds runner prize)))
    (<= (goal runner 0) (not (true (holds runner prize))))
    (<= (goal keeper 100) (not (true (holds runner prize))))
    (<= (goal keeper 0) (true (holds runner prize)))";

fn with_analysis(text: &str, plan: &Plan, check: impl FnOnce(&GameAnalysis, &dyn Machine)) {
    let source = Source::from_text("rooms", text);
    let loaded =
        load(read(&source).description.expect("no errors"), Backend::Auto, &Limits::default()).unwrap();
    let game = LoadedGame::new("rooms".to_owned(), &source, loaded);
    check(&analyze(&game.game(), plan, &AnalysisContext::default()).unwrap(), game.machine());
}

#[test]
fn the_fuzzy_value_rises_towards_the_prize() {
    let plan = Plan { playouts: Some(2_000), proof_work: 0, ..Plan::full() };
    with_analysis(PRIZE, &plan, |analysis, machine| {
        let fuzzy = analysis.functions.list.iter().find(|function| function.id() == "fuzzy.runner").unwrap();
        let Function::Fuzzy(made) = fuzzy else { panic!("it is fuzzy") };
        assert!(made.parameters.regression > 0, "the prize alone does not distinguish states before the end");
        assert!(
            analysis
                .functions
                .notes
                .iter()
                .any(|note| note.contains("fuzzy.runner") && note.contains("look back"))
        );
        let mut bound = fuzzy.bind(machine).unwrap();
        let mut evaluator = StateEvaluator::new(machine);
        let mut cursor = machine.cursor();
        let mut values = Vec::new();
        for step in 0..6 {
            if step % 2 == 0 {
                values.push(bound.value(&evaluator.at(cursor.state()).unwrap()));
            }
            let wanted = ["(go den)", "rest", "(go attic)", "rest", "(go vault)", "rest"][step];
            let joint: Vec<_> = (0..2)
                .map(|role| {
                    let legal = cursor.legal(role);
                    *legal.iter().find(|&&action| machine.move_text(action) == wanted).unwrap_or(&legal[0])
                })
                .collect();
            cursor.advance(&joint).unwrap();
        }
        values.push(bound.value(&evaluator.at(cursor.state()).unwrap()));
        assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    });
}

#[test]
fn constant_functions_are_omitted_and_reported() {
    let plan = Plan { playouts: Some(2_000), proof_work: 0, ..Plan::full() };
    with_analysis(PRIZE, &plan, |analysis, _| {
        for (function, of) in analysis.functions.list.iter().zip(&analysis.statistics) {
            let [low, high] = of.observed.unwrap();
            assert!(low < high || function.kind() == Kind::Fuzzy, "{}", function.id());
        }
        let is_constant_note = |note: &String| note.contains("the same in every sampled state");
        assert!(analysis.functions.notes.iter().any(is_constant_note), "{:?}", analysis.functions.notes);
    });
}

#[test]
fn one_ply_results_do_not_depend_on_threads() {
    let plan = |threads| Plan { playouts: Some(1_000), threads, proof_work: 0, ..Plan::full() };
    let mut found = Vec::new();
    for threads in [1, 3] {
        with_analysis(PRIZE, &plan(threads), |analysis, _| {
            assert!(analysis.stages.iter().any(|stage| stage.name == Stage::OnePly && stage.complete));
            found.push(analysis.one_ply.clone());
        });
    }
    assert_eq!(found[0], found[1]);
    let goal = |fuzzy: bool| {
        let is_expected = |index: usize| fuzzy == (index < usize::MAX);
        let played = found[0].iter().filter(|played| played.role == 0);
        played
            .filter(|played| is_expected(played.function.unwrap_or(usize::MAX)))
            .map(|played| played.goal.mean)
            .fold(0.0, f64::max)
    };
    assert!(goal(true) > goal(false) + 20.0, "{:?}", found[0]);
}

#[test]
fn undecided_comparisons_get_more_playouts() {
    let plan = Plan { playouts: Some(1_000), proof_work: 0, ..Plan::full() };
    let text = std::fs::read_to_string("games/tic_tac_toe.kif").unwrap();
    with_analysis(&text, &plan, |analysis, _| {
        let mut longer = 0;
        for played in &analysis.one_ply {
            let Some(over) = played.over_ends else { continue };
            let settled = over.low.unwrap() > 0.0 || over.high.unwrap() < 0.0;
            assert!(settled || played.playouts >= 800, "{played:?}");
            longer += usize::from(settled && played.playouts > plan.one_ply);
        }
        assert!(longer > 0, "{:?}", analysis.one_ply);
    });
}

#[test]
fn states_from_guided_games_are_measured() {
    let text = std::fs::read_to_string("games/connect_four.kif").unwrap();
    let mut found = Vec::new();
    for threads in [1, 3] {
        let plan = Plan { playouts: Some(500), threads, proof_work: 0, ..Plan::full() };
        with_analysis(&text, &plan, |analysis, _| {
            let guided = analysis.guided.clone().expect("some function is better than ends");
            assert_eq!(guided.correlations.len(), analysis.functions.list.len());
            assert!(guided.sequences >= 100 && guided.states > guided.sequences);
            let best = analysis.one_ply.iter().find(|played| played.function == Some(guided.function));
            assert!(best.and_then(|best| best.over_ends?.low).unwrap() > 0.0);
            // Features with the same values are measured once, under the simplest name.
            let features = analysis.features.features.iter().filter(|measured| measured.alias_of.is_none());
            assert!(features.clone().all(|measured| measured.guided.len() == 2));
            found.push((guided, features.map(|measured| measured.guided.clone()).collect::<Vec<_>>()));
        });
    }
    assert_eq!(found[0], found[1]);
}

#[test]
fn unrolling_of_a_long_recursion_ends() {
    let links: String = (0..5_000).map(|link| format!("(after n{link} n{})", link + 1)).collect();
    let text = format!(
        "(role runner) (init (turn odd)) (init (key a)) {links}
        (<= (legal runner (turn_key ?k)) (true (key ?k)))
        (<= (legal runner take) (open n5000))
        (<= (open n0) (true (key b)))
        (<= (open ?b) (open ?a) (after ?a ?b))
        (<= (next (key b)) (does runner (turn_key a)))
        (<= (next (key a)) (does runner (turn_key b)))
        (<= (next (held prize)) (does runner take))
        (<= terminal (true (held prize)))
        (<= (goal runner 100) (true (held prize)))
        (<= (goal runner 0) (not (true (held prize))))"
    );
    let plan = Plan { playouts: Some(100), proof_work: 0, ..Plan::full() };
    with_analysis(&text, &plan, |analysis, _| {
        assert!(analysis.functions.list.iter().any(|function| function.id() == "fuzzy.runner"));
    });
}

/// A lock of thirty digits, each 0 or 1, that only one sequence opens. The goal requires that the thief reaches position
/// `last`.
fn lock(last: u32) -> String {
    let digits: String = (0..30)
        .map(|place| format!("(key {place} {}) (after {place} {}) ", (place * 7 % 3) % 2, place + 1))
        .collect();
    format!(
        "(role thief) (init (at 0)) {digits} (digit 0) (digit 1)
        (<= (legal thief (turn ?d)) (digit ?d))
        (<= (next (at ?m)) (true (at ?n)) (does thief (turn ?d)) (key ?n ?d) (after ?n ?m))
        (<= (next (at caught)) (true (at ?n)) (does thief (turn ?d)) (digit ?e) (key ?n ?e) (distinct ?d ?e))
        (<= terminal (true (at caught))) (<= terminal (true (at 30)))
        (<= (goal thief 100) (true (at {last}))) (<= (goal thief 0) (not (true (at {last}))))"
    )
}

#[test]
fn unreached_goals_are_searched_for() {
    let plan = Plan { playouts: Some(500), proof_work: 0, ..Plan::full() };
    with_analysis(&lock(30), &plan, |analysis, machine| {
        let plan = analysis.best_plan.as_ref().expect("it was searched");
        assert_eq!((plan.goal, plan.moves.len(), plan.proved), (Some(100), 30, true));
        let goals_found = goals(machine, analysis);
        assert_eq!(goals_found[0].search.as_ref().unwrap().moves[0], "(turn 0)");
    });
    // A game never ends at position 29.
    with_analysis(&lock(29), &plan, |analysis, _| {
        let plan = analysis.best_plan.as_ref().expect("it was searched");
        assert_eq!((plan.goal, plan.proved), (Some(0), true));
    });
}

/// A walk of thirty steps with two spare steps, which random play never finishes.
fn walk() -> String {
    let next = |name: &str, last: u32| -> String {
        (0..last).map(|place| format!("({name} {place} {}) ", place + 1)).collect()
    };
    format!(
        "(role walker) (init (at 0)) (init (clock 0)) {} {}
        (<= (legal walker on) (true (at ?p))) (<= (legal walker back) (true (at ?p)))
        (<= (next (at ?q)) (true (at ?p)) (does walker on) (right ?p ?q))
        (<= (next (at ?p)) (true (at ?q)) (does walker back) (right ?p ?q))
        (<= (next (at 0)) (true (at 0)) (does walker back))
        (<= (next (clock ?u)) (true (clock ?t)) (later ?t ?u))
        (<= terminal (true (at 30))) (<= terminal (true (clock 32)))
        (<= (goal walker 100) (true (at 30))) (<= (goal walker 0) (not (true (at 30))))",
        next("right", 30),
        next("later", 32)
    )
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn functions_are_learned_from_states_of_a_solution() {
    let plan =
        Plan { playouts: Some(1_000), kinds: Kinds::Only(Kind::ALL.to_vec()), proof_work: 0, ..Plan::full() };
    let mut found = Vec::new();
    for threads in [1, 2] {
        with_analysis(&walk(), &Plan { threads, ..plan.clone() }, |analysis, machine| {
            assert_eq!(analysis.best_plan.as_ref().and_then(|plan| plan.goal), Some(100));
            assert!(
                analysis.simulation.roles[0]
                    .goals
                    .iter()
                    .all(|goal| goal.value == 0 || goal.share.count == 0)
            );
            let extent = &analysis.features.extent;
            assert_eq!(2 * extent.along_way, extent.sequences);
            let sequences = &analysis.features.sequences;
            assert!(sequences.iter().any(|sequence| sequence.goals == [Some(100)]));
            // A later place on the walk is better; the correlation shows this also among states of the same step.
            let mut evaluator = StateEvaluator::new(machine);
            let states = [sequences[0].states[0].clone(), state_after(machine, 20)];
            for kind in [Kind::Statistical, Kind::Learned] {
                let of_kind = |function: &&Function| function.kind() == kind;
                let function = analysis.functions.list.iter().find(of_kind).expect("one was learned");
                let mut bound = function.bind(machine).unwrap();
                let [before, after] =
                    states.each_ref().map(|state| bound.value(&evaluator.at(state).unwrap()));
                assert!(before < after, "{}: {before}, {after}", function.id());
                let index = analysis.functions.list.iter().position(|other| other.kind() == kind).unwrap();
                let worth = analysis.statistics[index].goal.correlation.unwrap();
                assert!(worth > 0.1, "{}: {worth}", function.id());
                found.push(worth);
            }
        });
    }
    assert_eq!(found[..2], found[2..]);
}

/// The state after `steps` moves `on`.
fn state_after(machine: &dyn Machine, steps: usize) -> State {
    let mut cursor = machine.cursor();
    for _ in 0..steps {
        let on = cursor.legal(0).iter().copied().find(|&action| machine.move_text(action) == "on").unwrap();
        cursor.advance(&[on]).unwrap();
    }
    cursor.state().clone()
}

#[test]
fn small_games_have_correlations_with_exact_values() {
    let plan = Plan { playouts: Some(1_000), proof_work: 0, ..Plan::full() };
    let text = |name: &str| std::fs::read_to_string(format!("games/{name}.kif")).unwrap();
    with_analysis(&text("nim"), &plan, |analysis, machine| {
        assert_eq!(analysis.features.extent.values, GoalValueSource::Exact);
        assert_eq!(analysis.guided, None, "exact values say more");
        for sequence in analysis.features.sequences.iter().take(50) {
            let last = sequence.states.last().unwrap();
            for role in 0..2 {
                let sides = Sides::alone(role, 2);
                let mut solver = Solver::new(machine, sides, [0, 100], ExactLimits::default(), None);
                assert_eq!(sequence.goals[role], Some(solver.value(last).unwrap()));
            }
        }
    });
    with_analysis(&text("connect_four"), &plan, |analysis, _| {
        assert_eq!(analysis.features.extent.values, GoalValueSource::Outcomes, "it has too many states");
    });
}

/// Twenty moves, each of which may take a coin; 3 to 11 coins win. Random play rarely takes 12 coins, so it only shows that
/// coins help.
fn greed() -> String {
    let succ: String = (0..20).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
    let bad: String = (0..3).chain(12..21).map(|n| format!("(bad {n}) ")).collect();
    format!(
        "(role miser) (init (coins 0)) (init (turn 0)) {succ} {bad}
        (idle a) (idle b) (idle c) (idle d) (idle e)
        (<= (legal miser ?m) (idle ?m)) (legal miser take)
        (<= (next (coins ?n)) (true (coins ?m)) (does miser take) (succ ?m ?n))
        (<= (next (coins ?n)) (true (coins ?n)) (does miser ?m) (idle ?m))
        (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))
        (<= terminal (true (turn 20)))
        (<= lost (true (coins ?n)) (bad ?n))
        (<= (goal miser 100) (not lost)) (<= (goal miser 0) lost)"
    )
}

#[test]
fn functions_losing_to_random_play_are_learned_again() {
    let kinds = Kinds::Only(vec![Kind::Statistical]);
    let plan = Plan { playouts: Some(2_000), kinds, proof_work: 0, ..Plan::full() };
    with_analysis(&greed(), &plan, |analysis, _| {
        let notes = &analysis.functions.notes;
        assert!(notes.iter().any(|note| note.starts_with("statistical.miser: ")), "{notes:?}");
        let random = analysis.simulation.roles[0].goal_mean.unwrap().mean;
        let played =
            analysis.one_ply.iter().find(|played| played.function.is_some()).expect("it is followed");
        assert!(!played.worse_than_random && played.goal.low.unwrap() > random, "{played:?}");
    });
}

/// Random play seldom wins these games, so 24 lost games do not show that a function is worse than random play.
#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn losing_functions_of_rarely_won_games_are_learned_again_or_constant() {
    let corpus = PathBuf::from(std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus"));
    for (game, role) in [("asteroids", "ship"), ("bomberman2p", "bomberman")] {
        let rules = std::fs::read_to_string(corpus.join(format!("open/{game}.kif"))).unwrap();
        let kinds = Kinds::Only(vec![Kind::Statistical]);
        let plan = Plan { kinds, proof_work: 0, ..Plan::full() };
        with_analysis(&rules, &plan, |analysis, _| {
            let notes = &analysis.functions.notes;
            let begin = format!("statistical.{role}: ");
            assert!(notes.iter().any(|note| note.starts_with(&begin)), "{notes:?}");
            assert!(
                analysis.one_ply.iter().all(|played| !played.worse_than_random),
                "{:?}",
                analysis.one_ply
            );
        });
    }
}
