//! If a weighted sum of facts grows in every step, or in every few steps, termination is proved with a bound that
//! no game exceeds. If a step breaks every such sum, termination stays open.

use ggp::analysis::{AnalysisContext, Kinds, LoadedGame, Plan, analyze};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::property::{ProofMethod, Property, PropertyName, Reason};
use ggp::structure::finding::ProofStatus;

fn termination(text: &str) -> Property {
    let source = Source::from_text("game", text);
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let game = LoadedGame::new("game".to_owned(), &source, loaded);
    let kinds = Kinds::NONE;
    let proof_work = Plan::full().proof_work;
    let plan = Plan { playouts: Some(300), kinds, features: false, proof_work, ..Plan::default() };
    let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
    let proofs = analysis.proofs.unwrap();
    let is_it = |property: &&Property| property.name == PropertyName::Termination;
    proofs.properties.iter().find(is_it).unwrap().clone()
}

/// Stones on a row. A stone moves to the next place if that is free, or jumps over another stone and removes it. Facts come
/// and go repeatedly, and nothing is counted. Each move also makes one of eighteen marks, so there are too many states to
/// list.
const STONES: &str = "
    (role r) (init (stone 1)) (init (stone 2)) (init (stone 3)) (on 1 2) (on 2 3) (on 3 4) (on 4 5) (on 5 6)
    (mark 1) (mark 2) (mark 3) (mark 4) (mark 5) (mark 6) (mark 7) (mark 8) (mark 9) (mark 10) (mark 11) (mark 12)
    (mark 13) (mark 14) (mark 15) (mark 16) (mark 17) (mark 18)
    (<= (free ?b) (on ?a ?b) (not (true (stone ?b))))
    (<= (goes ?a ?b) (true (stone ?a)) (on ?a ?b) (free ?b))
    (<= (jumps ?a ?b ?c) (true (stone ?a)) (on ?a ?b) (true (stone ?b)) (on ?b ?c) (free ?c))
    (<= (legal r (go ?a ?b ?m)) (goes ?a ?b) (mark ?m))
    (<= (legal r (jump ?a ?b ?c ?m)) (jumps ?a ?b ?c) (mark ?m))
    (<= (next (made ?m)) (does r (go ?a ?b ?m))) (<= (next (made ?m)) (does r (jump ?a ?b ?c ?m)))
    (<= (next (made ?m)) (true (made ?m)))
    (<= (next (stone ?b)) (does r (go ?a ?b ?m))) (<= (next (stone ?c)) (does r (jump ?a ?b ?c ?m)))
    (<= (left ?a) (does r (go ?a ?b ?m)))
    (<= (left ?a) (does r (jump ?a ?b ?c ?m))) (<= (left ?b) (does r (jump ?a ?b ?c ?m)))
    (<= (next (stone ?a)) (true (stone ?a)) (not (left ?a)))
    (<= able (goes ?a ?b)) (<= able (jumps ?a ?b ?c))
    (<= terminal (not able)) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))";

#[test]
fn advancing_and_captured_pawns_prove_termination() {
    let found = termination(&std::fs::read_to_string("games/breakthrough.kif").unwrap());
    assert_eq!((found.status, found.method), (ProofStatus::Proved, Some(ProofMethod::Ranking)));
    // Sixteen pawns on each side. No pawn moves more than six rows before it wins.
    let longest = found.longest.unwrap();
    assert!((30..=200).contains(&longest), "{longest}");
}

#[test]
fn advancing_stones_prove_termination() {
    let found = termination(STONES);
    assert_eq!((found.status, found.method), (ProofStatus::Proved, Some(ProofMethod::Ranking)));
    // Without a jump, three stones move three places each.
    let longest = found.longest.unwrap();
    assert!((9..=20).contains(&longest), "{longest}");
    assert!(matches!(found.reason, Reason::SumGrows { .. }), "{:?}", found.reason);
}

/// Thirty times, one of three doors is right and a wrong one ends the game; then everything begins again. Moves also make
/// marks of four kinds, so there are too many states to list.
const DOORS: &str = "
    (role r) (init (depth 0)) (door left) (door middle) (door right) (mark a) (mark b) (mark c) (mark d)
    (<= (legal r (go ?d ?m)) (door ?d) (mark ?m))
    (<= (next (depth ?n)) (true (depth ?m)) (succ ?m ?n) (does r (go middle ?k)))
    (<= (next (made ?m ?k)) (true (depth ?m)) (does r (go middle ?k)) (distinct ?m 29))
    (<= (next (made ?m ?k)) (true (made ?m ?k)) (not again))
    (<= again (true (depth 29)))
    (<= (next (depth 0)) (true (depth 29)) (does r (go middle ?k)))
    (<= (next over) (does r (go left ?k))) (<= (next over) (does r (go right ?k)))
    (<= terminal (true over)) (<= (goal r 0) (true over)) (<= (goal r 100) (not (true over)))";

#[test]
fn cycles_missed_by_play_prevent_a_proof() {
    let successors: String = (0..29).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let found = termination(&format!("{successors} {DOORS}"));
    assert_eq!((found.status, found.longest), (ProofStatus::Open, None));
    // Without marks the cycle is found, although random play rarely opens ten right doors in a row.
    let without = DOORS.replace("(mark b) (mark c) (mark d)", "");
    let found = termination(&format!("{successors} {without}"));
    assert_eq!(found.status, ProofStatus::Refuted);
    assert_eq!(found.witness.unwrap().len(), 30);
}
