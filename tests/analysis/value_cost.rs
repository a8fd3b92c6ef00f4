//! A fuzzy function is left out and named if one value costs more game steps than the plan allows. The cost is
//! counted work, not time.

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, Stage, analyze};
use ggp::evaluation::fuzzy::{FuzzyFunction, FuzzyParameters, UnrollLimits};
use ggp::evaluation::{Kind, StepCost};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{Budget, Context};
use ggp::structure::detect;

#[test]
fn expensive_functions_are_omitted() {
    let source = Source::load("games/tic_tac_toe.kif").unwrap();
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let game = LoadedGame::new("games/tic_tac_toe.kif".to_owned(), &source, loaded);
    let kinds = Kinds::Only(vec![Kind::Fuzzy]);
    let plan = Plan { playouts: Some(50), kinds, features: false, ..Plan::default() };
    let made = |value_steps: f64| {
        let plan = Plan { value_steps, ..plan.clone() };
        let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
        let stage = analysis.stages.iter().find(|stage| stage.name == Stage::Functions).unwrap().clone();
        (analysis.functions.list.len(), stage.note.unwrap_or_default())
    };
    assert_eq!(made(Plan::default().value_steps), (2, String::new()));
    let (left, note) = made(0.1);
    assert_eq!(left, 0);
    assert!(note.contains("more than 0.1 steps") && note.contains("fuzzy.crosses ("), "{note}");
}

#[test]
fn interpreted_values_cost_more_than_a_network_step() {
    let source = Source::load("games/connect_four.kif").unwrap();
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let machine = &*loaded.machine;
    let (budget, context) = (Budget { playouts: 50, ..Budget::default() }, Context::default());
    let structures = detect(machine, &loaded.statics, &budget, &context).unwrap().0;
    let cost = StepCost::new(machine, None).unwrap().expect("there are steps");
    let steps = |mentions: usize| {
        let limits = UnrollLimits { mentions, ..UnrollLimits::default() };
        let made = FuzzyFunction::new(machine, &structures, 0, FuzzyParameters::default(), &limits).unwrap();
        assert_eq!(made.lifted.is_empty(), mentions > 0);
        cost.of(&made, 100.0).unwrap()
    };
    let (unrolled, lifted) = (steps(150_000), steps(0));
    assert!(unrolled < 5.0 && lifted > 20.0, "{unrolled} and {lifted} steps");
}
