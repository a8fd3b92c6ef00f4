//! Statistical functions predict outcomes better than chance, and do not depend on threads, names or the order of
//! rules. A game with nothing to learn from gives a constant function or a note.

use std::collections::BTreeMap;

use ggp::evaluation::statistical::*;
use ggp::feature::*;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Loaded, Machine, MoveId, State, load};
use ggp::simulate::{Budget, Choices, Context, SequenceShape, labels, sequences};
use ggp::structure::detect;
use ggp::structure::finding::Structures;

use crate::lines::{has_line, numbers};
use crate::renaming::{renamed_text, scrambled};
use crate::reordered::Reordered;

fn load_text(text: &str) -> Loaded {
    let reading = read(&Source::from_text("game", text));
    load(reading.description.unwrap(), Backend::Auto, &Limits::default()).unwrap()
}

fn text_of(game: &str) -> String {
    std::fs::read_to_string(format!("games/{game}.kif")).unwrap()
}

fn features_of(game: &Loaded) -> (Structures, Vec<Feature>) {
    let budget = Budget { playouts: 1000, ..Budget::default() };
    let machine = &*game.machine;
    let (structures, _) = detect(machine, &game.statics, &budget, &Context::default()).unwrap();
    let fluent_index = FluentIndex::new(machine);
    let sample = sample(machine, &fluent_index, &structures, &budget, &Context::default()).unwrap();
    let sources =
        Sources { fluent_index: &fluent_index, structures: &structures, ownership: &sample.ownership };
    let made = features(&sources);
    (structures, made.list)
}

fn learn(
    machine: &dyn Machine,
    features: &[Feature],
    parameters: &StatisticalParameters,
) -> StatisticalFunctions {
    functions(machine, features, &[], parameters, &Budget::default(), &Context::default()).unwrap()
}

/// The correlation of a function's values with the mean results of fresh playouts from the same states.
fn predictive_correlation(machine: &dyn Machine, function: &StatisticalFunction, role: usize) -> f64 {
    let (seed, context) = (977, Context::default());
    let shape = SequenceShape { length: 1, gap: 1 };
    let budget = Budget { playouts: 600, seed, ..Budget::default() };
    let (_, sequences) = sequences(machine, shape, &budget, &context).unwrap();
    let states: Vec<State> = sequences.into_iter().map(|sequence| sequence.states[0].clone()).collect();
    let budget = Budget { playouts: 64, seed: seed + 1, ..Budget::default() };
    let labels = labels(machine, &states, &budget, &context).unwrap();
    let mut measure = function.bind(machine).unwrap();
    let mut values = Vec::new();
    let each = |position: &ggp::feature::ValuedState<'_>| {
        values.push(measure.value(position));
        std::ops::ControlFlow::Continue(())
    };
    BatchEvaluator::new(machine).each(states.iter(), each).unwrap();
    let pairs: Vec<(f64, f64)> =
        values.iter().zip(&labels).map(|(&value, label)| (value, label.roles[role].mean)).collect();
    let n = pairs.len() as f64;
    let centre = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |product: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|p| product(p.0 - centre.0, p.1 - centre.1)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

#[test]
fn functions_predict_outcomes() {
    for (name, least) in [("connect_four", 0.2), ("reversi", 0.2), ("checkers", 0.5)] {
        let game = load_text(&text_of(name));
        let machine = &*game.machine;
        let (_, features) = features_of(&game);
        for seed in [1, 2] {
            let parameters = StatisticalParameters { seed, ..StatisticalParameters::default() };
            let learned = learn(machine, &features, &parameters);
            assert_eq!(learned.functions.len(), 2, "{name}");
            // The only notes are about features left out of the components.
            let of_components = |note: &String| note.contains("left out");
            assert!(learned.notes.iter().all(of_components), "{name}: {:?}", learned.notes);
            for (role, function) in learned.functions.iter().enumerate() {
                assert!(function.terms.len() >= 20, "{name}: {} terms", function.terms.len());
                let found = predictive_correlation(machine, function, role);
                assert!(found > least, "{name}, seed {seed}, {}: {found}", function.role);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    for name in ["tic_tac_toe", "gold_rush", "three_player_race"] {
        let game = load_text(&text_of(name));
        let (_, features) = features_of(&game);
        let with = |threads: usize| {
            let parameters = StatisticalParameters { all_features: true, ..StatisticalParameters::default() };
            let budget = Budget { threads, ..Budget::default() };
            functions(&*game.machine, &features, &[], &parameters, &budget, &Context::default()).unwrap()
        };
        let one = with(1);
        assert_eq!(one, with(3), "{name}");
        assert!(one.functions.iter().all(|function| !function.terms.is_empty()), "{name}");
        // A function reads back unchanged from its document.
        let text = serde_json::to_string(&one.functions).unwrap();
        assert_eq!(serde_json::from_str::<Vec<StatisticalFunction>>(&text).unwrap(), one.functions, "{name}");
    }
}

#[test]
fn values_equal_the_weighted_sum_of_terms() {
    for (name, scaling) in [("connect_four", Scaling::Fitted), ("gold_rush", Scaling::None)] {
        let game = load_text(&text_of(name));
        let machine = &*game.machine;
        let (_, features) = features_of(&game);
        for all_features in [false, true] {
            let parameters =
                StatisticalParameters { all_features, scaling, ..StatisticalParameters::default() };
            for function in learn(machine, &features, &parameters).functions {
                let used: Vec<Feature> = function.terms.iter().map(|term| term.feature.clone()).collect();
                let mut batch = FeatureBatch::new(&used, &FluentIndex::new(machine)).unwrap();
                let mut measure = function.bind(machine).unwrap();
                assert!(all_features || measure.linear().is_some(), "{name}: components are sums over facts");
                let (mut state_evaluator, mut row) = (StateEvaluator::new(machine), Vec::new());
                let [low, high] = function.range();
                let (mut cursor, mut choices) = (machine.cursor(), Choices::new(3, 0));
                while !cursor.terminal() {
                    let position = state_evaluator.at(cursor.state()).unwrap();
                    batch.values(&position, &mut row);
                    let wanted = match scaling {
                        Scaling::None => {
                            let parts = function.terms.iter().zip(&row);
                            function.constant + parts.map(|(term, value)| term.weight * value).sum::<f64>()
                        }
                        Scaling::Fitted => {
                            let parts = function
                                .terms
                                .iter()
                                .zip(&row)
                                .map(|(term, value)| term.weight * (value - term.mean) / term.deviation);
                            function.constant + function.scale * parts.sum::<f64>()
                        }
                    };
                    let found = measure.value(&position);
                    assert!((found - wanted).abs() < 1e-4, "{name}: {found} instead of {wanted}");
                    assert!((low - 1e-4..=high + 1e-4).contains(&found), "{name}: {found} in {low}..{high}");
                    let together = function.constant + function.contributions(&row).iter().sum::<f64>();
                    assert!((together - wanted).abs() < 1e-9, "{name}: {together} instead of {wanted}");
                    let roles = machine.description().roles.len();
                    let joint: Vec<MoveId> = (0..roles)
                        .map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())])
                        .collect();
                    cursor.advance(&joint).unwrap();
                }
            }
        }
    }
}

#[test]
fn values_do_not_depend_on_names_or_order() {
    for name in ["tic_tac_toe", "connect_four", "gold_rush", "three_player_race"] {
        let plain = load_text(&text_of(name));
        let other = load_text(&scrambled(&text_of(name)));
        let network = plain.machine.network().unwrap();
        let moves: Vec<String> =
            (0..network.actions.len() as u32).map(|number| plain.machine.move_text(MoveId(number))).collect();
        let renamed: BTreeMap<String, usize> =
            moves.iter().enumerate().map(|(rank, text)| (renamed_text(text), rank)).collect();
        let ranks = (0..moves.len() as u32).map(|number| renamed[&other.machine.move_text(MoveId(number))]);
        let here = Reordered { inner: &*plain.machine, ranks: (0..moves.len()).collect() };
        let there = Reordered { inner: &*other.machine, ranks: ranks.collect() };
        let parameters = StatisticalParameters { sequences: 60, ..StatisticalParameters::default() };
        let wanted = learn(&here, &features_of(&plain).1, &parameters).functions;
        let found = learn(&there, &features_of(&other).1, &parameters).functions;
        assert_eq!(wanted.len(), found.len(), "{name}");
        for (wanted, found) in wanted.iter().zip(&found) {
            assert_eq!(renamed_text(&wanted.role), found.role, "{name}");
            assert_eq!((wanted.constant, wanted.scale), (found.constant, found.scale), "{name}");
            let worth = |function: &StatisticalFunction| -> Vec<(f64, f64)> {
                function.terms.iter().map(|term| (term.stability, term.correlation.abs())).collect()
            };
            assert_eq!(worth(wanted), worth(found), "{name}");
            let (mut one, mut two) =
                (wanted.bind(&*plain.machine).unwrap(), found.bind(&*other.machine).unwrap());
            let (mut state_evaluator, mut other_evaluator) =
                (StateEvaluator::new(&*plain.machine), StateEvaluator::new(&*other.machine));
            let (mut cursor, mut other_cursor) = (here.cursor(), there.cursor());
            let mut choices = Choices::new(5, 0);
            while !cursor.terminal() {
                let wanted = one.value(&state_evaluator.at(cursor.state()).unwrap());
                let found = two.value(&other_evaluator.at(other_cursor.state()).unwrap());
                assert_eq!(wanted, found, "{name}");
                let roles = here.description().roles.len();
                let picks: Vec<usize> =
                    (0..roles).map(|role| choices.below(cursor.legal(role).len())).collect();
                for cursor in [&mut cursor, &mut other_cursor] {
                    let joint: Vec<MoveId> =
                        picks.iter().enumerate().map(|(role, &pick)| cursor.legal(role)[pick]).collect();
                    cursor.advance(&joint).unwrap();
                }
            }
        }
    }
}

/// The functions of a game given as text, and their values in the initial state.
fn at_start(text: &str, parameters: &StatisticalParameters) -> (StatisticalFunctions, Vec<f64>) {
    let game = load_text(text);
    let (_, features) = features_of(&game);
    let budget = Budget { max_steps: 20, ..Budget::default() };
    let machine = &*game.machine;
    let learned = functions(machine, &features, &[], parameters, &budget, &Context::default()).unwrap();
    let value = |function: &StatisticalFunction| {
        let value = function
            .bind(machine)
            .unwrap()
            .value(&StateEvaluator::new(machine).at(machine.initial()).unwrap());
        assert!(value.is_finite());
        value
    };
    let values = learned.functions.iter().map(value).collect();
    (learned, values)
}

const SIDES: &str = "
    (role chooser) (init start)
    (<= (legal chooser left) (true start)) (<= (legal chooser right) (true start))
    (<= (legal chooser wait) (not (true start)))
    (<= (next (side left)) (does chooser left)) (<= (next (side right)) (does chooser right))
    (<= (next (side ?x)) (true (side ?x))) (<= (next over) (true (side ?x)))
    (<= terminal (true over))";

#[test]
fn a_single_decisive_choice_is_found() {
    let goals = "(<= (goal chooser 100) (true (side left))) (<= (goal chooser 20) (true (side right)))";
    let parameters = StatisticalParameters { sequences: 400, ..StatisticalParameters::default() };
    let (learned, values) = at_start(&format!("{SIDES} {goals}"), &parameters);
    let [function] = &learned.functions[..] else { panic!("{learned:?}") };
    assert!((function.constant - 60.0).abs() < 4.0, "{function:?}");
    let best = &function.terms[0];
    assert!(best.correlation.abs() > 0.9, "{best:?}");
    assert!((values[0] - 60.0).abs() < 10.0, "{values:?}");
}

#[test]
fn games_without_information_give_constants_or_notes() {
    let parameters = StatisticalParameters::default();
    // Every game has the same result.
    let (learned, values) = at_start(&format!("{SIDES} (goal chooser 70)"), &parameters);
    assert_eq!((learned.functions[0].terms.len(), &values[..]), (0, &[70.0][..]));
    assert_eq!(learned.functions[0].range(), [70.0, 70.0]);
    // Both roles have the same result.
    let both = SIDES.to_owned()
        + "(role other) (legal other wait)
        (<= (goal ?r 100) (role ?r) (true (side left))) (<= (goal ?r 0) (role ?r) (true (side right)))";
    let (learned, values) = at_start(&both, &parameters);
    assert_eq!(learned.functions[0].terms, learned.functions[1].terms);
    assert_eq!(values[0], values[1]);
    // The initial state is terminal.
    let (learned, _) = at_start(
        "(role nobody) (init here) (legal nobody stay) (<= terminal (true here)) (<= (next here) (true here))
         (goal nobody 100)",
        &parameters,
    );
    assert!(learned.functions.is_empty());
    let [note] = &learned.notes[..] else { panic!("{:?}", learned.notes) };
    assert!(has_line(note, &["nobody"]) && numbers(note) == [0], "{note}");
    // No game ends.
    let (learned, _) = at_start(
        "(role one) (init (at 1)) (legal one stay) (legal one go) (<= (next (at 2)) (does one go))
         (<= (next (at 1)) (does one stay)) (<= terminal (true (at 3))) (init (never 1)) (goal one 100)",
        &parameters,
    );
    assert!(learned.functions.is_empty());
    let [note] = &learned.notes[..] else { panic!("{:?}", learned.notes) };
    assert!(has_line(note, &["one"]) && numbers(note) == [1000], "{note}");
}

#[test]
fn little_work_gives_few_playouts_and_a_note() {
    let game = load_text(&text_of("tic_tac_toe"));
    let (_, features) = features_of(&game);
    let budget = Budget { work: Some(1), ..Budget::default() };
    let parameters = StatisticalParameters::default();
    let learned =
        functions(&*game.machine, &features, &[], &parameters, &budget, &Context::default()).unwrap();
    assert!(learned.functions.iter().all(|function| function.playouts == 0), "{learned:?}");
    assert!(learned.notes[0].contains("the result of its own playout"), "{:?}", learned.notes);
}

#[test]
fn edited_functions_are_validated() {
    let game = load_text(&text_of("tic_tac_toe"));
    let machine = &*game.machine;
    let (_, features) = features_of(&game);
    let function = learn(machine, &features, &StatisticalParameters::default()).functions.remove(0);
    let error = |edit: &dyn Fn(&mut StatisticalFunction)| {
        let mut edited = function.clone();
        edit(&mut edited);
        edited.bind(machine).err()
    };
    let found = error(&|function| function.role = "nobody".into());
    let Some(StatisticalError::Feature(FeatureError::UnknownRole { role, .. })) = found else {
        panic!("{found:?}")
    };
    assert_eq!(role, "nobody");
    // For numbers that cannot be used, the error has their place and value.
    let number = |edit: &dyn Fn(&mut StatisticalFunction)| match error(edit) {
        Some(StatisticalError::Number { place, value, .. }) => format!("{place} {value:e}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(number(&|function| function.constant = f64::NAN), "`constant` NaN");
    assert_eq!(number(&|function| function.scale = f64::INFINITY), "`scale` inf");
    assert_eq!(number(&|function| function.terms[1].weight = f64::NAN), "`weight` of term 2 NaN");
    assert_eq!(number(&|function| function.terms[0].deviation = 0.0), "`deviation` of term 1 0e0");
    assert_eq!(number(&|function| function.terms[0].weight = 1e300), "`weight` of term 1 1e300");
    let length = error(&|function| function.parameters.length = 0);
    assert!(matches!(length, Some(StatisticalError::Parameters(_))), "{length:?}");
    assert!(length.unwrap().to_string().starts_with("`length`"));
    let unknown = Spec::Count { pattern: "(cell ?x ?y q)".into() };
    let term = error(&|function| function.terms[2].feature.spec = unknown.clone());
    assert!(matches!(term, Some(StatisticalError::Term { number: 3, .. })), "{term:?}");
    assert_eq!(error(&|function| function.terms.truncate(1)), None);
    let text = serde_json::to_string(&function).unwrap().replacen("\"weight\"", "\"wait\"", 1);
    assert!(serde_json::from_str::<StatisticalFunction>(&text).unwrap_err().to_string().contains("wait"));
}
