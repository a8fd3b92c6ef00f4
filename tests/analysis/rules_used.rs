//! An analysis lists the rules that random play never used.

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, analyze};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::structure::finding::RuleCoverage;

/// A ladder of ten steps, each of which may fail. The last rules apply only if all steps succeed.
const LADDER: &str = "
    (role climber)
    (init (at 0)) (init (left 10))
    (up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6) (up 6 7) (up 7 8) (up 8 9) (up 9 10)
    (rung 1) (rung 2) (rung 3) (rung 4) (rung 5) (rung 6) (rung 7) (rung 8) (rung 9) (rung 10) (rung 11) (rung 12)
    (<= (legal climber (hold ?rung)) (rung ?rung))
    (<= (next (at ?b)) (true (at ?a)) (up ?a ?b) (does climber (hold ?b)))
    (<= (next (at ?a)) (true (at ?a)) (not moved))
    (<= moved (true (at ?a)) (up ?a ?b) (does climber (hold ?b)))
    (<= (next (left ?a)) (true (left ?b)) (up ?a ?b))
    (<= on_top (true (at 10)))
    (<= (unused ?a) (true (at ?a)))
    (<= terminal (true (left 0)))
    (<= terminal on_top)
    (<= (goal climber 100) on_top)
    (<= (goal climber 0) (not on_top))";

fn coverage(text: &str, backend: Backend, plan: &Plan) -> Option<RuleCoverage> {
    let source = Source::from_text("ladder", text);
    let loaded = load(read(&source).description.expect("no errors"), backend, &Limits::default()).unwrap();
    let game = LoadedGame::new("ladder".to_owned(), &source, loaded);
    analyze(&game.game(), plan, &AnalysisContext::default()).unwrap().structures.rule_coverage
}

#[test]
fn unused_rules_are_listed() {
    let plan = Plan { playouts: Some(300), kinds: Kinds::NONE, features: false, ..Plan::default() };
    for backend in [Backend::Network, Backend::Relational] {
        let found = coverage(LADDER, backend, &plan).expect("it was looked at");
        let never = ["(<= on_top (true (at 10)))", "(<= terminal on_top)", "(<= (goal climber 100) on_top)"];
        assert_eq!(found.never, never);
        // The rules for legal moves and `unused` are not counted: the moves never change, and nothing uses `unused`.
        assert_eq!((found.applied, found.rules), (6, 9));
        assert_eq!(found.playouts, 300);
        assert_eq!(found.states, 300 * 11);
    }
}

#[test]
fn play_stops_once_every_rule_was_used() {
    let text = LADDER.replace("(init (at 0))", "(init (at 8))");
    let plan = Plan { playouts: Some(5_000), kinds: Kinds::NONE, features: false, ..Plan::default() };
    let found = coverage(&text, Backend::Auto, &plan).expect("it was looked at");
    assert!(found.never.is_empty() && found.applied == found.rules && found.playouts < 1_000, "{found:?}");
    assert_eq!(coverage(&text, Backend::Auto, &Plan { rule_playouts: 0, ..plan }), None);
}
