//! If a game ends when a piece is taken, a fuzzy function measures how close a capture is.

use ggp::evaluation::fuzzy::{
    BoundFuzzy, FuzzyFunction, FuzzyMaker, FuzzyParameters, UnrollLimits, make_distinguishing,
};
use ggp::feature::{Measure, StateEvaluator};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::simulate::{Budget, Context};
use ggp::structure::detect;

/// Two hunters and their towers on a ring of ten rooms without numeric order. A role wins by taking the other's tower.
/// Towers move like hunters, and a role may not move onto its own things.
const HUNT: &str = "
    (role red) (role blue)
    (door a b) (door b c) (door c d) (door d e) (door e f) (door f g) (door g h) (door h i) (door i j) (door j a)
    (init (in a red tower)) (init (in c red hunter)) (init (in f blue tower)) (init (in h blue hunter))
    (init (turn red)) (init (left 30))
    (before 30 29) (before 29 28) (before 28 27) (before 27 26) (before 26 25) (before 25 24) (before 24 23)
    (before 23 22) (before 22 21) (before 21 20) (before 20 19) (before 19 18) (before 18 17) (before 17 16)
    (before 16 15) (before 15 14) (before 14 13) (before 13 12) (before 12 11) (before 11 10) (before 10 9) (before 9 8)
    (before 8 7) (before 7 6) (before 6 5) (before 5 4) (before 4 3) (before 3 2) (before 2 1) (before 1 0)
    (other red blue) (other blue red)
    (<= (way ?a ?b) (door ?a ?b))
    (<= (way ?a ?b) (door ?b ?a))
    (<= (own ?who ?room) (true (in ?room ?who ?thing)))
    (<= (legal ?who (go ?thing ?a ?b)) (true (turn ?who)) (true (in ?a ?who ?thing)) (way ?a ?b) (not (own ?who ?b)))
    (<= (legal ?who rest) (true (turn ?who)))
    (<= (legal ?who wait) (role ?who) (not (true (turn ?who))))
    (<= (next (turn ?other)) (true (turn ?who)) (other ?who ?other))
    (<= (next (left ?b)) (true (left ?a)) (before ?a ?b))
    (<= (next (in ?b ?who ?thing)) (does ?who (go ?thing ?a ?b)))
    (<= (next (in ?room ?who ?thing)) (true (in ?room ?who ?thing)) (not (touched ?room)))
    (<= (touched ?a) (does ?who (go ?thing ?a ?b)))
    (<= (touched ?b) (does ?who (go ?thing ?a ?b)))
    (<= (stands ?who) (true (in ?room ?who tower)))
    (<= terminal (role ?who) (not (stands ?who)))
    (<= terminal (true (left 0)))
    (<= (goal ?who 100) (role ?who) (stands ?who) (other ?who ?other) (not (stands ?other)))
    (<= (goal ?who 50) (role ?who) (stands ?who) (other ?who ?other) (stands ?other))
    (<= (goal ?who 0) (role ?who) (not (stands ?who)))";

fn with_red(check: impl FnOnce(&FuzzyFunction, BoundFuzzy<'_>, &dyn Machine)) {
    let source = Source::from_text("hunt", HUNT);
    let description = read(&source).description.expect("no errors");
    let loaded = load(description, Backend::Auto, &Limits::default()).expect("it can be played");
    let machine = &*loaded.machine;
    let budget = Budget { playouts: 1_000, ..Budget::default() };
    let (structures, _) =
        detect(machine, &loaded.statics, &budget, &Context::default()).expect("it is played");
    let mut maker = FuzzyMaker::new(machine, &structures, UnrollLimits::default());
    let (function, _) = make_distinguishing(&mut maker, 0, FuzzyParameters::default()).expect("it is made");
    let bound = function.bind(machine).expect("it fits");
    check(&function, bound, machine);
}

/// The value of a state in which these facts hold, with fixed facts for turn and clock.
fn value(bound: &mut BoundFuzzy<'_>, machine: &dyn Machine, facts: &[&str]) -> f64 {
    let clock = ["(turn blue)", "(left 20)"];
    let fluents: Vec<_> = facts
        .iter()
        .chain(&clock)
        .map(|text| machine.fluent_named(text).unwrap_or_else(|| panic!("{text} is not a fluent")))
        .collect();
    let state = machine.state_of(&fluents);
    bound.value(&StateEvaluator::new(machine).at(&state).expect("it can be valued"))
}

#[test]
fn attacked_towers_have_a_high_capture_value() {
    with_red(|function, mut bound, machine| {
        assert!(function.parameters.regression > 0, "both towers stand in every state before the end");
        let mut value_of = |red: &str, blue: &str| {
            let (red, blue) = (format!("(in {red} red hunter)"), format!("(in {blue} blue hunter)"));
            value(&mut bound, machine, &["(in a red tower)", "(in f blue tower)", &red, &blue])
        };
        let (far, near) = (value_of("c", "h"), value_of("e", "h"));
        assert!(near > far, "an attack on the other tower is good: {near} after {far}");
        let attacked = value_of("c", "j");
        assert!(attacked < far, "an attack on the own tower is bad: {attacked} after {far}");
        // A hunter that guards its own tower is not an attack.
        let guarded = value_of("c", "g");
        assert!(guarded >= far, "a hunter next to its own tower does not attack it: {guarded} after {far}");
    });
}
