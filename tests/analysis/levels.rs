//! Promise: learned functions whose goal has several values say level by level what a sum stands for, in documents, one by one and in
//! lanes; levels are learned where they are asked for, and else documents say nothing of them.

use ggp::evaluation::learned::{LearnedFunction, LearnedParameters, LearnedTerm, Level, Levels, learn};
use ggp::feature::{Measure, StateEvaluator};
use ggp::machine::Backend;
use ggp::machine::lanes::states::LaneStates;
use ggp::machine::lanes::value::LaneValuer;
use ggp::simulate::{Budget, Context, StateReader};
use ggp::structure::detect;

use crate::learned::{come_back, loaded, parameters, source};

/// A goal of several values is passed level by level, each from another sum on: one by one, in lanes, in documents, in formulas and
/// where values are explained.
#[test]
fn levels_say_what_sums_stand_for() {
    let source = source("tic_tac_toe");
    let game = loaded("tic_tac_toe", Backend::Lanes);
    let machine = &*game.machine;
    let term = |fact: &str, weight: f64| LearnedTerm {
        weight,
        gain: 0.0,
        support: 0.1,
        facts: vec![fact.to_owned()],
        none: vec![],
    };
    let level = |threshold: f64| Level { share: 0.5, threshold };
    let function = LearnedFunction {
        role: "crosses".to_owned(),
        parameters: LearnedParameters::default(),
        rewards: [0, 100],
        rounds: Vec::new(),
        constant: 0.25,
        turn: None,
        levels: Levels(vec![level(-2.0), level(2.5)]),
        terms: vec![term("(mark 2 2 cross)", 3.0), term("(mark 1 1 nought)", -5.0)],
        features: Vec::new(),
    };
    let formula = function.formula();
    let begin = "0 + 100 * (0.500 * sigmoid(z + 2.000) + 0.500 * sigmoid(z - 2.500)), z = 0.250 + 3.000 * (mark 2 2 cross)";
    assert!(formula.starts_with(begin), "{formula}");
    let sigmoid = |sum: f64| 1.0 / (1.0 + f64::exp(-sum));
    let mut measure = function.bind(machine).unwrap();
    let (states, mut seat) = (StateReader::new(machine), StateEvaluator::new(machine));
    let program = machine.lanes().unwrap();
    let mut valuer = LaneValuer::new(program, vec![measure.in_lanes().unwrap()]).unwrap();
    let mut lanes = LaneStates::new(program).unwrap();
    for (state, sum) in [
        ("(to_move crosses)", 0.25),
        ("(to_move crosses) (mark 2 2 cross)", 3.25),
        ("(to_move noughts) (mark 2 2 cross) (mark 1 1 nought)", -1.75),
    ] {
        let state = states.read(state).unwrap();
        let wanted = 50.0 * (sigmoid(sum + 2.0) + sigmoid(sum - 2.5));
        assert!((function.goal(sum) - wanted).abs() < 1e-9);
        let value = measure.value(&seat.at(&state).unwrap());
        assert!((value - wanted).abs() < 1e-9, "{value} is not {wanted}");
        lanes.load(&[&state.0]);
        lanes.observe();
        let mut values = [Vec::new()];
        valuer.values(&mut lanes, &mut values);
        assert_eq!(values[0][0].to_bits(), value.to_bits());
    }
    let budget = Budget { playouts: 60, ..Budget::default() };
    let structures = detect(machine, &game.statics, &budget, &Context::default()).unwrap().0;
    come_back(&source, machine, &structures, vec![function.clone()]);
    let wrong = LearnedFunction { levels: Levels(vec![level(2.0), level(-2.0)]), ..function };
    let error = wrong.bind(machine).err().unwrap().to_string();
    assert_eq!(error, "`threshold` of level 2 is -2; it must be no less than that of the level before");
}

/// Where it is asked for, a game that is often drawn teaches levels: the same on any number of threads, and for one role the opposite of the
/// other's. Else documents say nothing of levels.
#[test]
fn levels_are_learned_where_they_are_asked_for() {
    let source = source("tic_tac_toe");
    let game = loaded("tic_tac_toe", Backend::Auto);
    let made = |levels: bool, threads: usize| {
        let (asked, budget) =
            (LearnedParameters { levels, ..parameters(1) }, Budget { threads, ..Budget::default() });
        learn(&*game.machine, &[], &[], &asked, &budget, &Context::default(), None).unwrap().functions
    };
    let functions = made(true, 1);
    assert_eq!(functions, made(true, 2));
    let [crosses, noughts] = &functions[..] else { panic!("{functions:?}") };
    assert_eq!(crosses.levels, noughts.levels.opposite());
    let [low, high] = crosses.levels.0[..] else { panic!("{:?}", crosses.levels) };
    assert!((low.share - 0.5).abs() < 1e-6 && high.threshold - low.threshold > 0.5, "{:?}", crosses.levels);
    let budget = Budget { playouts: 60, ..Budget::default() };
    let structures = detect(&*game.machine, &game.statics, &budget, &Context::default()).unwrap().0;
    come_back(&source, &*game.machine, &structures, functions);
    for function in made(false, 1) {
        let text = serde_json::to_string(&function).unwrap();
        assert!(function.levels.is_none() && !text.contains("levels"), "{text}");
    }
}
