//! Values in lanes equal, bit for bit, those of single states with rounded weights. Rounding changes a value by at most the
//! stated error.

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, analyze};
use ggp::evaluation::fuzzy::{FuzzyFunction, FuzzyParameters, UnrollLimits};
use ggp::evaluation::learned::{LearnedParameters, LearnedTurn, learn};
use ggp::evaluation::{Function, Kind};
use ggp::feature::{Measure, QuantizedMeasure, StateEvaluator};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::lanes::states::LaneStates;
use ggp::machine::lanes::value::LaneValuer;
use ggp::machine::lanes::word::LANES;
use ggp::machine::{Backend, Machine, MoveId, State, load};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;

use crate::listed::{own_games, real_games};

/// States of random playouts, including terminal ones.
fn states(machine: &dyn Machine) -> Vec<State> {
    let roles = machine.description().roles.len();
    let mut states = vec![machine.initial().clone()];
    let mut cursor = machine.cursor();
    for playout in 0.. {
        let mut choices = Choices::new(11, playout);
        cursor.set(machine.initial()).unwrap();
        while !cursor.terminal() {
            let mut choose = |role| {
                let legal = cursor.legal(role);
                (!legal.is_empty()).then(|| legal[choices.below(legal.len())])
            };
            let Some(joint) = (0..roles).map(&mut choose).collect::<Option<Vec<MoveId>>>() else { break };
            cursor.advance(&joint).unwrap();
            states.push(cursor.state().clone());
            if states.len() == LANES {
                return states;
            }
        }
        if playout as usize > LANES {
            return states;
        }
    }
    states
}

/// Compares all functions, and returns the number of functions that lanes can evaluate.
fn compare(name: &str, machine: &dyn Machine, functions: &[Function]) -> usize {
    compare_in(&states(machine), name, machine, functions)
}

/// Compares all functions in these states, and returns the number of functions that lanes can evaluate.
fn compare_in(states: &[State], name: &str, machine: &dyn Machine, functions: &[Function]) -> usize {
    let mut evaluator = StateEvaluator::new(machine);
    let mut values = |measure: &mut dyn Measure<'_>| -> Vec<f64> {
        states.iter().map(|state| measure.value(&evaluator.at(state).unwrap())).collect()
    };
    let (mut ids, mut lane_values, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for function in functions {
        let mut measure = function.bind(machine).unwrap();
        let before = values(&mut *measure);
        let Some(QuantizedMeasure { measure: mut quantized, lanes }) = measure.quantize() else { continue };
        let (rounded, exact) = (values(&mut *quantized), values(&mut *measure));
        assert_eq!(before, exact, "{name}, {}: `quantize` changes no value", function.id());
        for (rounded, exact) in rounded.iter().zip(&exact) {
            let most = lanes.error() + 1e-9 * (1.0 + exact.abs());
            assert!((rounded - exact).abs() <= most, "{name}, {}: {rounded}, {exact}", function.id());
        }
        ids.push(function.id());
        lane_values.push(lanes);
        alone.push(rounded);
    }
    let program = machine.program().unwrap();
    let mut valuer = LaneValuer::new(program, lane_values).unwrap();
    let mut lanes = LaneStates::new(program).unwrap();
    let mut found = vec![Vec::new(); ids.len()];
    // The values are computed from observed states, and must not change the data of a step.
    lanes.load(&states.iter().map(|state| &*state.0).collect::<Vec<_>>());
    lanes.observe();
    valuer.values(&mut lanes, &mut found);
    for ((id, found), alone) in ids.iter().zip(&found).zip(&alone) {
        assert_eq!(found, alone, "{name}, {id}");
    }
    ids.len()
}

#[test]
#[ignore = "takes half a minute"]
fn functions_have_the_same_values_in_lanes() {
    let kinds = Kind::ALL.iter().copied().filter(|&kind| kind != Kind::Fuzzy && kind != Kind::Learned);
    let plan = Plan {
        playouts: Some(200),
        kinds: Kinds::Only(kinds.collect()),
        function_statistics: false,
        exact: false,
        best_plan: false,
        one_ply: 0,
        proof_work: 1,
        ..Plan::default()
    };
    let (mut in_lanes, mut all) = (0, 0);
    for path in own_games() {
        let source = Source::load(&path).unwrap();
        let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
        if loaded.machine.network().is_none() {
            continue;
        }
        let game = LoadedGame::new(path.display().to_string(), &source, loaded);
        let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
        let functions = &analysis.functions.list;
        in_lanes += compare(&game.path, game.machine(), functions);
        all += functions.len();
    }
    println!("{in_lanes} of {all} functions can be evaluated in lanes");
    assert!(in_lanes * 10 > all * 8, "{in_lanes} of {all}");
}

#[test]
#[ignore = "takes a minute"]
fn fuzzy_functions_have_the_same_values_in_lanes() {
    // Other parameters, with and without regression.
    let usual = FuzzyParameters::default();
    let tuned = [
        usual,
        FuzzyParameters { regression: 2, ..usual },
        FuzzyParameters { threshold: 0.6, p: 0.7, opponents: false, ..usual },
    ];
    let (mut in_lanes, mut all) = (0, 0);
    // Fuzzy functions are expensive for single states, so only some states of each playout are compared, and fewer for
    // corpus games.
    let own = own_games().into_iter().map(|path| (path, &tuned[..], 8));
    let real = real_games().into_iter().map(|path| (path, &tuned[..1], 24));
    for (path, tuned, every) in own.chain(real) {
        let source = Source::load(&path).unwrap();
        let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
        let machine = &*loaded.machine;
        if machine.network().is_none() {
            continue;
        }
        let budget = Budget { playouts: 100, work: Some(20_000_000), ..Budget::default() };
        let structures = detect(machine, &loaded.statics, &budget, &Context::default()).unwrap().0;
        let roles = 0..machine.description().roles.len();
        let made = |(role, parameters)| {
            FuzzyFunction::new(machine, &structures, role, parameters, &UnrollLimits::default()).unwrap()
        };
        let each = roles.flat_map(|role| tuned.iter().map(move |&parameters| (role, parameters)));
        let functions: Vec<Function> = each.map(made).map(Function::Fuzzy).collect();
        let states: Vec<State> = states(machine).into_iter().step_by(every).collect();
        in_lanes += compare_in(&states, &path.display().to_string(), machine, &functions);
        all += functions.len();
    }
    println!("{in_lanes} of {all} fuzzy functions can be evaluated in lanes");
    // With regression, the functions of large games are too large for lanes.
    assert!(in_lanes * 3 > all * 2, "{in_lanes} of {all}");
}

#[test]
fn learned_functions_have_the_same_values_in_lanes() {
    for name in ["connect_four", "tic_tac_toe", "three_player_race"] {
        let source = Source::load(format!("games/{name}.kif")).unwrap();
        let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
        let machine = &*loaded.machine;
        let parameters = LearnedParameters { work: 1, rounds: 4, ..LearnedParameters::default() };
        let learned =
            learn(machine, &[], &parameters, &Budget::default(), &Context::default(), None).unwrap();
        // These functions are small enough for searches to use lanes.
        for function in &learned.functions {
            let size = function.bind(machine).unwrap().quantize().unwrap().lanes.size();
            assert!((1..16_000).contains(&size), "{name}: {size}");
        }
        // The functions are compared unchanged, and with weights that depend on a fact.
        let changing = learned.functions.iter().cloned().map(|mut function| {
            let single = function.terms.iter().find(|term| term.facts.len() == 1).unwrap();
            function.turn = Some(LearnedTurn { fact: single.facts[0].clone(), gain: 0.3 });
            function.terms.iter_mut().for_each(|term| term.gain = 0.4 - 1.7 * term.weight);
            function
        });
        let changing: Vec<Function> = changing.map(Function::Learned).collect();
        let functions: Vec<Function> =
            learned.functions.into_iter().map(Function::Learned).chain(changing).collect();
        assert!(functions.len() > 2);
        assert_eq!(compare(name, machine, &functions), functions.len());
    }
}
