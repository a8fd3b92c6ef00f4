//! Functions learned from self-play play better than random, do not depend on the number of threads, and can be read back
//! from their documents. A note reports games in which nothing can be learned.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ggp::evaluation::learned::{
    LearnedError, LearnedFunction, LearnedFunctions, LearnedParameters, LearnedTerm, LearnedTurn, learn,
};
use ggp::evaluation::{Document, Explanation, ExplanationLimits, Function, GameIdentity, explain};
use ggp::feature::{FeatureError, Measure, QuantizedMeasure, StateEvaluator};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::lanes::states::LaneStates;
use ggp::machine::lanes::value::LaneValuer;
use ggp::machine::{Backend, Loaded, Machine, State, load};
use ggp::report::evaluation_files::to_json;
use ggp::simulate::{Budget, Context, StateReader};
use ggp::structure::detect;
use ggp::structure::finding::Structures;

fn source(name: &str) -> Source {
    Source::load(Path::new("games").join(name).with_extension("kif")).unwrap()
}

fn load_game(name: &str, backend: Backend) -> Loaded {
    load(read(&source(name)).description.unwrap(), backend, &Limits::default()).unwrap()
}

fn parameters(work: u64) -> LearnedParameters {
    LearnedParameters { work, rounds: 4, ..LearnedParameters::default() }
}

fn learn_functions(name: &str, work: u64, threads: usize) -> LearnedFunctions {
    let game = load_game(name, Backend::Auto);
    let budget = Budget { threads, ..Budget::default() };
    learn(&*game.machine, &[], &parameters(work), &budget, &Context::default(), None).unwrap()
}

#[test]
fn learned_functions_beat_random_play() {
    for name in ["tic_tac_toe", "three_player_race", "rock_paper_scissors", "buttons_and_lights"] {
        let learned = learn_functions(name, 1, 0);
        assert!(!learned.functions.is_empty(), "{name}: {:?}", learned.notes);
        let rounds = &learned.functions[0].rounds;
        let errors: Vec<f64> =
            rounds.iter().map(|round| round.gain / round.standard_error.max(1e-9)).collect();
        match name {
            // The other player's choice cannot be predicted.
            "rock_paper_scissors" => assert!(errors.iter().all(|errors| errors.abs() < 4.0), "{rounds:?}"),
            _ => assert!(errors.iter().any(|&errors| errors > 4.0), "{name}: {rounds:?}"),
        }
    }
}

/// In tic-tac-toe all corners have the same weight. The weights of the two sides may differ, because crosses begin.
#[test]
fn symmetric_terms_have_equal_weights() {
    let learned = learn_functions("tic_tac_toe", 2, 0);
    let crosses = learned.functions.iter().find(|function| function.role == "crosses").unwrap();
    // Weights depend on the turn: first of crosses, then of noughts.
    let holds_for_crosses = crosses.turn.as_ref().map(|turn| turn.fact.contains("crosses"));
    let weights = |cell: &str, sign: &str| {
        let fact = format!("(mark {cell} {sign})");
        let term = crosses.terms.iter().find(|term| term.facts == [fact.clone()] && term.none.is_empty());
        let (plain, other) = term.map_or((0.0, 0.0), |term| (term.weight, term.weight + term.gain));
        match holds_for_crosses {
            None => [plain; 2],
            Some(true) => [other, plain],
            Some(false) => [plain, other],
        }
    };
    for cells in [&["1 1", "1 3", "3 1", "3 3"][..], &["1 2", "2 1", "2 3", "3 2"], &["2 2"]] {
        for sign in ["cross", "nought"] {
            let first = weights(cells[0], sign);
            for cell in cells {
                assert_eq!(weights(cell, sign), first, "{cell} {sign}");
            }
        }
    }
    assert!(weights("2 2", "cross")[0] > 0.0, "{:?}", weights("2 2", "cross"));
    // Without symmetries, each weight is learned separately.
    let game = load_game("tic_tac_toe", Backend::Auto);
    let alone = LearnedParameters { symmetries: false, ..parameters(2) };
    let alone = learn(&*game.machine, &[], &alone, &Budget::default(), &Context::default(), None).unwrap();
    assert_ne!(alone.functions[0].terms, learned.functions[0].terms);
}

#[test]
fn immediate_wins_have_winning_values() {
    let game = load_game("tic_tac_toe", Backend::Auto);
    let learned = learn_functions("tic_tac_toe", 2, 0);
    let crosses = learned.functions.iter().find(|function| function.role == "crosses").unwrap();
    let mut measure = crosses.bind(&*game.machine).unwrap();
    let states = StateReader::new(&*game.machine);
    let mut seat = StateEvaluator::new(&*game.machine);
    let mut value = |rows: [&str; 3], mover: &str| {
        let mut text = format!("(to_move {mover})");
        for (row, marks) in (1..).zip(rows) {
            for (column, mark) in (1..).zip(marks.chars()) {
                let mark = match mark {
                    'x' => "cross",
                    'o' => "nought",
                    _ => "empty",
                };
                text.push_str(&format!(" (mark {row} {column} {mark})"));
            }
        }
        measure.value(&seat.at(&states.read(&text).unwrap()).unwrap())
    };
    let own = value(["xx.", "o..", "..o"], "crosses");
    let other = value(["oo.", "x.x", "..x"], "noughts");
    assert!(own > 90.0 && other < 50.0, "{own} with an own row, {other} with a row of the opponent");
}

#[test]
fn results_do_not_depend_on_threads() {
    let one = learn_functions("tic_tac_toe", 1, 1);
    assert_eq!(one, learn_functions("tic_tac_toe", 1, 2));
    let other = LearnedParameters { seed: 2, ..parameters(1) };
    let game = load_game("tic_tac_toe", Backend::Auto);
    let other = learn(&*game.machine, &[], &other, &Budget::default(), &Context::default(), None).unwrap();
    assert_ne!(one.functions[0].terms, other.functions[0].terms);
}

#[test]
fn functions_survive_a_document_round_trip() {
    check_round_trip("tic_tac_toe");
    // In this game, mutually exclusive rows and columns share a cell.
    check_round_trip("gold_rush");
}

fn check_round_trip(name: &str) {
    let source = source(name);
    let game = load_game(name, Backend::Auto);
    let machine = &*game.machine;
    let budget = Budget { playouts: 60, ..Budget::default() };
    let structures = detect(machine, &game.statics, &budget, &Context::default()).unwrap().0;
    check_documents(&source, machine, &structures, learn_functions(name, 1, 0).functions);
}

fn check_documents(
    source: &Source,
    machine: &dyn Machine,
    structures: &Structures,
    functions: Vec<LearnedFunction>,
) {
    let identity = GameIdentity::new(source.bytes(), machine.description());
    for learned in functions {
        let function = Function::Learned(learned.clone());
        let document = Document::new(&identity, machine, structures, function.clone(), None);
        let read = Document::parse(to_json(&document).unwrap().as_bytes()).unwrap();
        assert_eq!(read.function, function);
        assert_eq!(read.id, format!("learned.{}", learned.role));

        let mut seat = StateEvaluator::new(machine);
        let position = seat.at(machine.initial()).unwrap();
        let value = learned.bind(machine).unwrap().value(&position);
        let explanation =
            explain(machine, &function, &position, ExplanationLimits { depth: 3, members: 4 }).unwrap();
        let Explanation::Learned(explanation) = explanation else { panic!("{explanation:?}") };
        let terms = explanation.terms.iter().map(|term| term.weight).sum::<f64>();
        let sum = explanation.constant + explanation.rest + terms;
        assert!(
            (explanation.value - value).abs() < 1e-3 && (explanation.sum - sum).abs() < 1e-9,
            "{explanation:?}, not {value}"
        );
    }
}

/// If the fact of the turn holds, the gain of a term is added to its weight, for single states and in lanes.
#[test]
fn weights_depend_on_the_turn() {
    let game = load_game("tic_tac_toe", Backend::Lanes);
    let machine = &*game.machine;
    let term = LearnedTerm {
        weight: 1.0,
        gain: 2.0,
        support: 0.1,
        facts: vec!["(mark 2 2 cross)".to_owned()],
        none: vec![],
    };
    let function = LearnedFunction {
        role: "crosses".to_owned(),
        parameters: LearnedParameters::default(),
        rewards: [0, 100],
        rounds: Vec::new(),
        constant: -1.0,
        turn: Some(LearnedTurn { fact: "(to_move noughts)".to_owned(), gain: -0.5 }),
        terms: vec![term],
    };
    let mut measure = function.bind(machine).unwrap();
    let states = StateReader::new(machine);
    let mut seat = StateEvaluator::new(machine);
    let cases = [
        ("(to_move crosses) (mark 2 2 cross)", -1.0 + 1.0),
        ("(to_move noughts) (mark 2 2 cross)", -1.0 - 0.5 + 1.0 + 2.0),
        ("(to_move noughts) (mark 3 3 cross)", -1.0 - 0.5),
        ("(to_move crosses) (mark 1 2 nought)", -1.0),
    ];
    let read: Vec<State> = cases.iter().map(|(state, _)| states.read(state).unwrap()).collect();
    let goal = |log_odds: f64| 100.0 / (1.0 + f64::exp(-log_odds));
    for (state, (text, log_odds)) in read.iter().zip(cases) {
        let position = seat.at(state).unwrap();
        assert!((measure.value(&position) - goal(log_odds)).abs() < 1e-4, "{text}");
        let explanation = explain(
            machine,
            &Function::Learned(function.clone()),
            &position,
            ExplanationLimits { depth: 1, members: 4 },
        );
        let Explanation::Learned(explanation) = explanation.unwrap() else {
            panic!("not a learned function")
        };
        assert!((explanation.sum - log_odds).abs() < 1e-9, "{explanation:?}");
        assert_eq!(explanation.turn, Some(text.contains("(to_move noughts)")));
    }
    // A block of lanes has states of one side, or of both.
    let program = machine.lanes().unwrap();
    let mut valuer = LaneValuer::new(program, vec![measure.quantize().unwrap().lanes]).unwrap();
    let mut lanes = LaneStates::new(program).unwrap();
    for chosen in [&[0, 3][..], &[1, 2], &[0, 1, 2, 3, 1]] {
        let words: Vec<&[u64]> = chosen.iter().map(|&case| &*read[case].0).collect();
        lanes.load(&words);
        lanes.observe();
        let mut out = [Vec::new()];
        valuer.values(&mut lanes, &mut out);
        for (value, &case) in out[0].iter().zip(chosen) {
            assert!((value - goal(cases[case].1)).abs() < 1e-3, "{chosen:?}: {out:?}");
        }
    }
    let elsewhere = LearnedTurn { fact: "(to_move circles)".to_owned(), gain: 0.0 };
    let wrong = LearnedFunction { turn: Some(elsewhere), ..function };
    let error = wrong.bind(machine).err().unwrap();
    assert_eq!(error, LearnedError::Turn("(to_move circles)".to_owned()));
}

/// If an empty cell has no fact, a term requires that no disc is on it. Lanes give the same values.
#[test]
fn terms_may_require_empty_cells() {
    let game = load_game("connect_four", Backend::Lanes);
    let machine = &*game.machine;
    let facts = |list: &[&str]| list.iter().map(|fact| (*fact).to_owned()).collect::<Vec<_>>();
    let term = |weight: f64, there: &[&str], none: &[&str]| LearnedTerm {
        weight,
        gain: 0.0,
        support: 0.1,
        facts: facts(there),
        none: facts(none),
    };
    let [second, third] = [["(disc 2 1 red)", "(disc 2 1 yellow)"], ["(disc 3 1 red)", "(disc 3 1 yellow)"]];
    let both = [second, third].concat();
    let six: Vec<String> = (1..=6).map(|row| format!("(disc 7 {row} red)")).collect();
    let six: Vec<&str> = six.iter().map(String::as_str).collect();
    let function = LearnedFunction {
        role: "red".to_owned(),
        parameters: LearnedParameters::default(),
        rewards: [0, 100],
        rounds: Vec::new(),
        constant: 0.0,
        turn: None,
        terms: vec![
            term(1.0, &["(disc 1 1 red)"], &second),
            term(0.25, &["(disc 1 1 red)"], &both),
            term(-0.5, &[], &third),
            // The largest number of facts, and two groups.
            term(8.0, &six, &both),
        ],
    };
    let QuantizedMeasure { mut measure, lanes: value } = function.bind(machine).unwrap().quantize().unwrap();
    let program = machine.lanes().unwrap();
    let mut valuer = LaneValuer::new(program, vec![value]).unwrap();
    let mut lanes = LaneStates::new(program).unwrap();
    let (states, mut seat) = (StateReader::new(machine), StateEvaluator::new(machine));
    let full = six.join(" ");
    for (discs, log_odds) in [
        ("", -0.5),
        ("(disc 1 1 red)", 1.0 + 0.25 - 0.5),
        ("(disc 1 1 red) (disc 2 1 yellow)", -0.5),
        ("(disc 1 1 red) (disc 3 1 red)", 1.0),
        (&full, 8.0 - 0.5),
        (&format!("{full} (disc 3 1 red)"), 0.0),
    ] {
        let state = states.read(&format!("(control yellow) {discs}")).unwrap();
        let wanted = 100.0 / (1.0 + f64::exp(-log_odds));
        assert!((measure.value(&seat.at(&state).unwrap()) - wanted).abs() < 1e-9, "{discs}");
        lanes.load(&[&state.0]);
        lanes.observe();
        let mut values = [Vec::new()];
        valuer.values(&mut lanes, &mut values);
        assert!((values[0][0] - wanted).abs() < 1e-9, "{discs} in lanes: {values:?}");
    }
    let wrong =
        LearnedFunction { terms: vec![term(1.0, &["(disc 1 1 red)"], &["(disc 1 1 red)"])], ..function };
    assert!(wrong.bind(machine).err().unwrap().to_string().contains("all must be different"));
}

#[test]
fn terms_with_empty_cells_are_learned() {
    let learned = learn_functions("connect_four", 2, 0);
    let red = learned.functions.iter().find(|function| function.role == "red").unwrap();
    // Three discs in a row, and an empty fourth cell.
    let open = red.terms.iter().filter(|term| term.facts.len() == 3 && term.none.len() == 2);
    assert!(open.count() > 20, "{:?}", learned.notes);
}

#[test]
fn unlearnable_games_are_reported() {
    let game = load_game("tic_tac_toe", Backend::Relational);
    let learn = |parameters: &LearnedParameters, context: &Context<'_>| {
        learn(&*game.machine, &[], parameters, &Budget::default(), context, None).unwrap()
    };
    let none = learn(&parameters(1), &Context::default());
    assert!(none.functions.is_empty() && none.notes[0].contains("without a network"), "{none:?}");

    let game = load_game("tic_tac_toe", Backend::Auto);
    let flag = Arc::new(AtomicBool::new(true));
    let context = Context { interrupt: Some(&flag), progress: None };
    let none = ggp::evaluation::learned::learn(
        &*game.machine,
        &[],
        &parameters(1),
        &Budget::default(),
        &context,
        None,
    )
    .unwrap();
    assert!(none.functions.is_empty() && none.notes[0].contains("interrupted"), "{none:?}");
}

#[test]
fn terminal_initial_states_teach_nothing() {
    let rules = "(role a) (role b) (init over) (legal a wait) (legal b wait) (<= (next over) (true over)) \
                 (<= terminal (true over)) (goal a 100) (goal b 0)";
    let description = read(&Source::from_text("over", rules)).description.unwrap();
    let game = load(description, Backend::Network, &Limits::default()).unwrap();
    let learned =
        learn(&*game.machine, &[], &parameters(1), &Budget::default(), &Context::default(), None).unwrap();
    assert!(learned.functions.is_empty() && !learned.notes.is_empty(), "{learned:?}");
}

#[test]
fn functions_of_other_games_are_rejected() {
    let game = load_game("tic_tac_toe", Backend::Auto);
    let mut function = learn_functions("tic_tac_toe", 1, 0).functions.remove(0);
    let refused = |function: &LearnedFunction| function.bind(&*game.machine).err().unwrap();
    function.terms[0].facts = vec!["(mark 1 1 circle)".to_owned()];
    let error = refused(&function);
    assert!(
        matches!(&error, LearnedError::Term { number: 1, error: FeatureError::NoMatch { argument: 3, .. } }),
        "{error:?}"
    );
    function.terms[0].facts = vec!["(mark ?x 1 cross)".to_owned()];
    assert_eq!(refused(&function), LearnedError::Facts { number: 1 }, "a variable");
    function.terms[0] = LearnedTerm { facts: vec![], none: vec![], ..function.terms[0].clone() };
    assert_eq!(refused(&function), LearnedError::Facts { number: 1 }, "no facts");
    function.constant = f64::INFINITY;
    let error = refused(&function);
    assert!(matches!(&error, LearnedError::Number { place, .. } if place == "`constant`"), "{error:?}");
}
