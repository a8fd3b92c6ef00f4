//! Features add up the positions of a role's things along an order, compare these sums between roles, and count
//! flags and latches. For its owner, a lost piece has a lower value than a piece at any place.

use crate::sampled::{load_game, load_source};
use ggp::evaluation::GoalEvidence;
use ggp::evaluation::scaled_feature::{Aim, functions};
use ggp::feature::{Family, Feature, FluentIndex, Sources, Spec, StateEvaluator, features, sample};
use ggp::gdl::Source;
use ggp::machine::{Loaded, State};
use ggp::simulate::{Budget, Context, StateReader};
use ggp::structure::detect;
use ggp::structure::finding::Structures;

const PROMOTION: &str = "
    (role white) (role black) (init (control white))
    (init (pawn white a 1)) (init (pawn white b 1)) (init (pawn black a 8)) (init (pawn black b 8))
    (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6) (up 6 7) (up 7 8)
    (<= (forward white ?x ?y) (up ?x ?y)) (<= (forward black ?x ?y) (up ?y ?x)) (last white 8) (last black 1)
    (<= (legal ?r (step ?f ?x ?y)) (true (control ?r)) (true (pawn ?r ?f ?x)) (forward ?r ?x ?y))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))
    (<= (next (pawn ?r ?f ?y)) (does ?r (step ?f ?x ?y)) (not (last ?r ?y)))
    (<= (next (queen ?r ?f)) (does ?r (step ?f ?x ?y)) (last ?r ?y))
    (<= (next (pawn ?r ?f ?x)) (true (pawn ?r ?f ?x)) (not (moved ?r ?f ?x)))
    (<= (moved ?r ?f ?x) (does ?r (step ?f ?x ?y)))
    (<= (next started) (does white ?m)) (<= (next started) (true started))
    (<= terminal (true (queen ?r ?f))) (<= (goal ?r 100) (true (queen ?r ?f)))
    (<= (goal ?r 0) (role ?r) (true (queen ?o ?f)) (distinct ?r ?o))";

/// The structures of a game, and its features.
fn make_features(game: &Loaded) -> (Structures, Vec<Feature>) {
    let budget = Budget { playouts: 300, ..Budget::default() };
    let machine = &*game.machine;
    let (structures, _) = detect(machine, &game.statics, &budget, &Context::default()).unwrap();
    let fluent_index = FluentIndex::new(machine);
    let sampled = sample(machine, &fluent_index, &structures, &budget, &Context::default()).unwrap();
    let sources =
        Sources { fluent_index: &fluent_index, structures: &structures, ownership: &sampled.ownership };
    let list = features(&sources).list;
    (structures, list)
}

/// The state with these facts; it need not be reachable.
fn state(game: &Loaded, facts: &str) -> State {
    StateReader::new(&*game.machine).read(facts).unwrap()
}

fn value(game: &Loaded, spec: &Spec, facts: &str) -> f64 {
    let mut measure = spec.bind(&*game.machine).unwrap();
    let mut evaluator = StateEvaluator::new(&*game.machine);
    measure.value(&evaluator.at(&state(game, facts)).unwrap())
}

#[test]
fn positions_of_men_are_summed() {
    let game = load_source(&Source::from_text("promotion", PROMOTION));
    let (_, list) = make_features(&game);
    let facts = "(control white) (pawn white a 3) (pawn white b 6) (pawn black a 7) started";
    let feature_value = |id: &str| {
        let feature = list.iter().find(|feature| feature.id == id);
        let feature = feature
            .unwrap_or_else(|| panic!("no {id}: {:?}", list.iter().map(|f| &f.id).collect::<Vec<_>>()));
        value(&game, &feature.spec, facts)
    };
    assert_eq!(feature_value("sum.pawn.3.white"), 2.0 + 5.0);
    assert_eq!(feature_value("greatest.pawn.3.white"), 5.0);
    assert_eq!(feature_value("least.pawn.3.white"), 2.0);
    assert_eq!(feature_value("least.pawn.3.black"), 6.0);
    assert_eq!(feature_value("sum-ahead.pawn.3.white"), 1.0);
    assert_eq!(feature_value("holds.started"), 1.0);
    let order = list.iter().filter(|feature| feature.family == Family::Order);
    for feature in order {
        let empty = value(&game, &feature.spec, "(control white)");
        let [low, high] = feature.range;
        assert!((low..=high).contains(&empty), "{}: {empty} of {low} to {high}", feature.id);
    }
}

#[test]
fn a_lost_piece_has_a_lower_value_than_a_living_one() {
    let game = load_game("king_rook_endgame");
    let (structures, list) = make_features(&game);
    let mut seen = 0;
    for function in functions(&*game.machine, &structures.teams, &list, &GoalEvidence::default()) {
        let Spec::Index { absent, ref order, .. } = function.feature.spec else { continue };
        let (Some(owner), Aim::Maximise | Aim::Minimise) = (&function.feature.role, function.aim) else {
            continue;
        };
        let living = (0..order.len()).map(|index| function.scaled(index as f64));
        let lost = function.scaled(absent);
        seen += 1;
        let worst = living.clone().fold(f64::INFINITY, f64::min);
        let best = living.fold(f64::NEG_INFINITY, f64::max);
        match *owner == function.role {
            true => assert!(lost < worst, "{}: {lost} beside {worst}", function.id()),
            false => assert!(lost > best, "{}: {lost} beside {best}", function.id()),
        }
    }
    assert!(seen > 0, "no piece has an owner");
}
