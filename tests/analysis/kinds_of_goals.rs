//! Fuzzy functions show which role is ahead for goals of these kinds: compare counts, add up cells, remove all things of a
//! kind, leave the other role without a move, survive.

use ggp::evaluation::fuzzy::{
    BoundFuzzy, FuzzyFunction, FuzzyMaker, FuzzyParameters, Node, Norm, UnrollLimits, distinguishes_states,
    make_distinguishing,
};
use ggp::feature::{Measure, StateEvaluator, ValuedState};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::simulate::{Budget, Context};
use ggp::structure::detect;

/// Builds the fuzzy function of the first role. `check` gets it and a closure that computes the value of the state with
/// given facts.
fn with_function(text: &str, check: impl FnOnce(&FuzzyFunction, &mut dyn FnMut(&[&str]) -> f64)) {
    with_function_within(text, UnrollLimits::default(), check);
}

fn with_function_within(
    text: &str,
    limits: UnrollLimits,
    check: impl FnOnce(&FuzzyFunction, &mut dyn FnMut(&[&str]) -> f64),
) {
    let source = Source::from_text("small", text);
    let description = read(&source).description.expect("no errors");
    let loaded = load(description, Backend::Auto, &Limits::default()).expect("it can be played");
    let machine = &*loaded.machine;
    let budget = Budget { playouts: 1_000, ..Budget::default() };
    let (structures, _) =
        detect(machine, &loaded.statics, &budget, &Context::default()).expect("it is played");
    let mut maker = FuzzyMaker::new(machine, &structures, limits);
    let (function, _) = make_distinguishing(&mut maker, 0, FuzzyParameters::default()).expect("it is made");
    assert!(distinguishes_states(&function, &maker), "it is the same in all states");
    let mut bound = function.bind(machine).expect("it fits");
    check(&function, &mut |facts| value(&mut bound, machine, facts));
}

fn value(bound: &mut BoundFuzzy<'_>, machine: &dyn Machine, facts: &[&str]) -> f64 {
    let fluents: Vec<_> = facts
        .iter()
        .map(|text| machine.fluent_named(text).unwrap_or_else(|| panic!("{text} is not a fluent")))
        .collect();
    let state = machine.state_of(&fluents);
    bound.value(&StateEvaluator::new(machine).at(&state).expect("it can be valued"))
}

/// Nine cells in a row that the roles paint in turn. Painting a cell also takes over the next cell if that is painted.
fn paint(goals: &str) -> String {
    let order: String = (0..9).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
    let free: String = (1..10).map(|n| format!("(index {n}) (init (free {n})) ")).collect();
    format!(
        "(role red) (role blue) (other red blue) (other blue red) (init (turn red)) {order} {free}
        (<= (legal ?p (paint ?c)) (true (turn ?p)) (true (free ?c)))
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
        (<= (painted ?c) (does ?p (paint ?c)))
        (<= (taken ?d) (does ?p (paint ?c)) (succ ?c ?d))
        (<= (next (free ?c)) (true (free ?c)) (not (painted ?c)))
        (<= (next (own ?c ?p)) (does ?p (paint ?c)))
        (<= (next (own ?d ?p)) (does ?p (paint ?c)) (succ ?c ?d) (true (own ?d ?q)))
        (<= (next (own ?c ?p)) (true (own ?c ?p)) (not (taken ?c)))
        (<= any_free (true (free ?c)))
        (<= terminal (not any_free))
        (<= (sum ?p 0 0) (role ?p))
        (<= (sum ?p ?d ?n) (sum ?p ?c ?n) (succ ?c ?d) (not (true (own ?d ?p))))
        (<= (sum ?p ?d ?m) (sum ?p ?c ?n) (succ ?c ?d) (true (own ?d ?p)) (succ ?n ?m))
        {goals}"
    )
}

/// A state of `paint` with six painted cells, of which the first `red` cells are red.
fn painted(red: usize) -> Vec<String> {
    let own = (1..7).map(|cell| format!("(own {cell} {})", if cell <= red { "red" } else { "blue" }));
    let free = (7..10).map(|cell| format!("(free {cell})"));
    own.chain(free).chain(["(turn red)".to_owned()]).collect()
}

fn rises_with_cells(goals: &str) {
    with_function(&paint(goals), |_, value| {
        let values: Vec<f64> = (0..7)
            .map(|red| {
                let facts = painted(red);
                value(&facts.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect();
        assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    });
}

#[test]
fn recursive_counts_are_compared() {
    rises_with_cells(
        "(<= (greater ?a ?b) (succ ?b ?a)) (<= (greater ?a ?c) (greater ?a ?b) (succ ?c ?b))
        (<= (ahead ?p) (other ?p ?q) (sum ?p 9 ?n) (sum ?q 9 ?m) (greater ?n ?m))
        (<= (goal ?p 100) (ahead ?p)) (<= (goal ?p 0) (role ?p) (not (ahead ?p)))",
    );
}

#[test]
fn cells_summed_by_goals_are_counted() {
    rises_with_cells(
        "(worth 0 0) (worth 1 10) (worth 2 20) (worth 3 30) (worth 4 40) (worth 5 60) (worth 6 70) (worth 7 80)
        (worth 8 90) (worth 9 100)
        (<= (goal ?p ?v) (sum ?p 9 ?n) (worth ?n ?v))",
    );
}

#[test]
fn a_majority_counted_at_the_end_is_predicted() {
    let goals = "(<= (greater ?a ?b) (succ ?b ?a)) (<= (greater ?a ?c) (greater ?a ?b) (succ ?c ?b))
        (<= (next (won ?p)) (not any_free) (other ?p ?q) (sum ?p 9 ?n) (sum ?q 9 ?m) (greater ?n ?m))
        (<= (legal ?p noop) (true (turn ?p)) (not any_free))
        (<= over (true (won ?p)))
        (<= (goal ?p 100) (true (won ?p)))
        (<= (goal ?p 0) (other ?p ?q) (true (won ?q)))
        (<= (goal ?p 50) (role ?p) (not over))";
    let text = paint(goals).replace("(<= terminal (not any_free))", "(<= terminal over)");
    with_function(&text, |_, value| {
        let mut value_of = |red: usize| {
            let facts = painted(red);
            value(&facts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let values: Vec<f64> = (0..7).map(&mut value_of).collect();
        assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    });
}

/// Pawns on three files that capture diagonally. A pawn that reaches the last row becomes a queen and ends the game. A game
/// without a queen is a draw.
fn promotion(goals: &str) -> String {
    let cell = |file: char, rank: u32| match rank {
        1 => format!("(init (cell {file} 1 wp)) "),
        6 => format!("(init (cell {file} 6 bp)) "),
        _ => format!("(init (cell {file} {rank} b)) "),
    };
    let cells: String =
        ['a', 'b', 'c'].iter().flat_map(|&file| (1..7).map(move |rank| cell(file, rank))).collect();
    format!(
        "(role white) (role black) (init (control white)) {cells}
        (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6) (next_file a b) (next_file b c)
        (pawn white wp) (pawn black bp) (queen white 6 wq) (queen black 1 bq) (other white black) (other black white)
        (<= (forward white ?x ?y) (up ?x ?y)) (<= (forward black ?x ?y) (up ?y ?x))
        (<= (beside ?f ?g) (next_file ?f ?g)) (<= (beside ?f ?g) (next_file ?g ?f))
        (<= (legal ?r (move ?f ?x ?f ?y)) (true (control ?r)) (pawn ?r ?p) (true (cell ?f ?x ?p)) (forward ?r ?x ?y)
            (true (cell ?f ?y b)))
        (<= (legal ?r (move ?f ?x ?g ?y)) (true (control ?r)) (pawn ?r ?p) (true (cell ?f ?x ?p)) (forward ?r ?x ?y)
            (beside ?f ?g) (other ?r ?o) (pawn ?o ?q) (true (cell ?g ?y ?q)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
        (<= (next (cell ?f ?x b)) (does ?r (move ?f ?x ?g ?y)))
        (<= (next (cell ?g ?y ?p)) (does ?r (move ?f ?x ?g ?y)) (pawn ?r ?p) (not (last ?r ?y)))
        (<= (next (cell ?g ?y ?q)) (does ?r (move ?f ?x ?g ?y)) (queen ?r ?y ?q))
        (<= (last ?r ?y) (queen ?r ?y ?q))
        (<= (changed ?f ?x) (does ?r (move ?f ?x ?g ?y))) (<= (changed ?g ?y) (does ?r (move ?f ?x ?g ?y)))
        (<= (next (cell ?f ?x ?p)) (true (cell ?f ?x ?p)) (not (changed ?f ?x)))
        (<= (crowned ?r) (queen ?r ?y ?q) (true (cell ?f ?x ?q)))
        (<= over (crowned ?r)) (<= can_move (legal ?r (move ?f ?x ?g ?y)))
        (<= terminal over) (<= terminal (not can_move))
        {goals}"
    )
}

/// White's values with its pawn of the first file on each rank, after black's pawn of this file was taken.
fn advancing(text: &str, limits: UnrollLimits) -> Vec<f64> {
    let mut values = Vec::new();
    with_function_within(text, limits, |_, value| {
        for pawn in 1..6 {
            let mut facts = vec!["(control white)".to_owned()];
            for file in ["a", "b", "c"] {
                for rank in 1..7 {
                    let content = match (file, rank) {
                        ("a", _) if rank == pawn => "wp",
                        ("b" | "c", 1) => "wp",
                        ("b" | "c", 6) => "bp",
                        _ => "b",
                    };
                    facts.push(format!("(cell {file} {rank} {content})"));
                }
            }
            values.push(value(&facts.iter().map(String::as_str).collect::<Vec<_>>()));
        }
    });
    values
}

#[test]
fn terminal_pieces_are_predicted_from_their_origin() {
    let wins = "(<= (goal ?r 100) (crowned ?r)) (<= (goal ?r 0) (other ?r ?o) (crowned ?o))";
    let draw = "(<= (goal ?r 50) (role ?r) (not over))";
    let values = advancing(&promotion(&format!("{wins} {draw}")), UnrollLimits::default());
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    // If a queen loses the game, the values fall towards it.
    let loses = "(<= (goal ?r 0) (crowned ?r)) (<= (goal ?r 100) (other ?r ?o) (crowned ?o))
        (<= (goal ?r 50) (role ?r) (not over))";
    let values = advancing(&promotion(loses), UnrollLimits::default());
    assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
}

/// The rule for a move to an empty cell excludes `obstacle` for every other fact, which exceeds `UnrollLimits::instances`.
#[test]
fn large_moves_are_relaxed_without_their_obstacles() {
    let wins = "(<= (goal ?r 100) (crowned ?r)) (<= (goal ?r 0) (other ?r ?o) (crowned ?o))";
    let obstacle =
        "(<= (obstacle ?k ?l ?z ?f ?y) (true (cell ?k ?l ?z)) (true (cell ?f ?y ?c)) (distinct ?c b)
        (distinct ?c ?z))";
    let text = promotion(&format!("{wins} {obstacle}")).replacen(
        "(true (cell ?f ?y b)))",
        "(true (cell ?f ?y b)) (true (cell ?k ?l ?z)) (not (obstacle ?k ?l ?z ?f ?y)))",
        1,
    );
    let values = advancing(&text, UnrollLimits { instances: 600, ..UnrollLimits::default() });
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
}

/// Stones on eight squares in a ring. A stone that moves onto a stone of the other role takes it; a role without stones
/// loses.
const RING: &str = "
    (role red) (role blue) (other red blue) (other blue red) (init (turn red)) (init (left 30))
    (after a b) (after b c) (after c d) (after d e) (after e f) (after f g) (after g h) (after h a)
    (init (at a red)) (init (at b red)) (init (at c red)) (init (at e blue)) (init (at f blue)) (init (at g blue))
    (square a) (square b) (square c) (square d) (square e) (square f) (square g) (square h)
    (<= (way ?a ?b) (after ?a ?b)) (<= (way ?a ?b) (after ?b ?a))
    (<= (legal ?p (go ?a ?b)) (true (turn ?p)) (true (at ?a ?p)) (way ?a ?b) (not (true (at ?b ?p))))
    (<= (legal ?p rest) (true (turn ?p)))
    (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= (touched ?a) (does ?p (go ?a ?b))) (<= (touched ?b) (does ?p (go ?a ?b)))
    (<= (next (at ?b ?p)) (does ?p (go ?a ?b)))
    (<= (next (at ?a ?p)) (true (at ?a ?p)) (not (touched ?a)))
    (<= (next (left ?b)) (true (left ?a)) (before ?a ?b))
    (<= (stands ?p) (true (at ?a ?p)))
    (<= terminal (role ?p) (not (stands ?p)))
    (<= terminal (true (left 0)))
    (<= (goal ?p 100) (other ?p ?q) (not (stands ?q)))
    (<= (goal ?p 50) (other ?p ?q) (stands ?p) (stands ?q))
    (<= (goal ?p 0) (role ?p) (not (stands ?p)))";

#[test]
fn fewer_pieces_are_better_if_the_goal_removes_them() {
    let clock: String = (0..30).map(|n| format!("(before {} {n}) ", n + 1)).collect();
    with_function(&format!("{RING} {clock}"), |_, value| {
        let mut value_of = |red: &[&str], blue: &[&str]| {
            let red = red.iter().map(|square| format!("(at {square} red)"));
            let blue = blue.iter().map(|square| format!("(at {square} blue)"));
            let all: Vec<String> = red.chain(blue).collect();
            let mut facts: Vec<&str> = all.iter().map(String::as_str).collect();
            facts.extend(["(turn blue)", "(left 20)"]);
            value(&facts)
        };
        let (even, ahead, further) = (
            value_of(&["a", "b"], &["e", "f"]),
            value_of(&["a", "b"], &["e"]),
            value_of(&["a", "b", "c"], &["e"]),
        );
        assert!(even < ahead && ahead < further, "{even} {ahead} {further}");
        assert!(value_of(&["a"], &["e", "f"]) < even);
    });
}

/// Two walkers in ten rooms that may each be entered only once. A walker who cannot move loses.
const WALK: &str = "
    (role red) (role blue) (other red blue) (other blue red) (init (turn red))
    (door a b) (door b c) (door c d) (door d e) (door e f) (door f g) (door g h) (door h i) (door i j) (door j a)
    (door a f) (door c h) (door b i) (door d j) (door e g)
    (<= (way ?a ?b) (door ?a ?b)) (<= (way ?a ?b) (door ?b ?a))
    (init (in red a)) (init (in blue h)) (init (been a)) (init (been h))
    (<= (legal ?p (go ?b)) (true (turn ?p)) (true (in ?p ?a)) (way ?a ?b) (not (true (been ?b))))
    (<= (legal ?p noop) (true (turn ?q)) (other ?p ?q))
    (<= (legal ?p stay) (true (turn ?p)) (stuck ?p))
    (<= (free ?p) (true (in ?p ?a)) (way ?a ?b) (not (true (been ?b))))
    (<= (stuck ?p) (role ?p) (not (free ?p)))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= (next (been ?b)) (true (been ?b)))
    (<= (next (been ?b)) (does ?p (go ?b)))
    (<= (next (in ?p ?b)) (does ?p (go ?b)))
    (<= (next (in ?p ?a)) (true (in ?p ?a)) (not (true (turn ?p))))
    (<= terminal (true (turn ?p)) (stuck ?p))
    (<= (goal ?p 100) (other ?p ?q) (true (turn ?q)) (stuck ?q))
    (<= (goal ?q 0) (true (turn ?q)) (stuck ?q))
    (<= (goal ?p 50) (role ?p) (true (turn ?q)) (free ?q))";

#[test]
fn few_moves_mean_a_risk_of_being_stuck() {
    with_function(WALK, |_, value| {
        let mut value_of = |been: &[&str]| {
            let been: Vec<String> = been.iter().map(|room| format!("(been {room})")).collect();
            let mut facts: Vec<&str> = been.iter().map(String::as_str).collect();
            facts.extend(["(been a)", "(been h)", "(in red a)", "(in blue h)", "(turn blue)"]);
            value(&facts)
        };
        // Blue can go to c, g and i; red can go to b, f and j.
        let (even, good, bad) = (value_of(&["d"]), value_of(&["c"]), value_of(&["b"]));
        assert!(bad < even && even < good, "{bad} {even} {good}");
    });
}

/// A row of squares. To eat a square is to eat all squares behind it too; the role that eats the first square loses.
const POISON: &str = "
    (role red) (role blue) (other red blue) (other blue red) (init (turn red))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
    (init (square 1)) (init (square 2)) (init (square 3)) (init (square 4)) (init (square 5)) (init (square 6))
    (init (square 7)) (init (square 8))
    (<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
    (<= (legal ?p (eat ?n)) (true (turn ?p)) (true (square ?n)))
    (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= (next (square ?m)) (does ?p (eat ?n)) (true (square ?m)) (less ?m ?n))
    (<= (next (ill ?p)) (does ?p (eat 1)))
    (<= terminal (true (ill ?p)))
    (<= (goal ?p 100) (other ?p ?q) (true (ill ?q)))
    (<= (goal ?p 0) (true (ill ?p)))";

#[test]
fn forced_losing_moves_lower_the_value() {
    with_function(POISON, |_, value| {
        let squares: Vec<String> = (1..9).map(|n| format!("(square {n})")).collect();
        let mut value_of = |left: usize| {
            let facts = squares[..left].iter().map(String::as_str).chain(["(turn blue)"]);
            value(&facts.collect::<Vec<_>>())
        };
        let values: Vec<f64> = [1, 3, 5, 7].map(&mut value_of).to_vec();
        assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
    });
}

/// Two runners on a track of ten fields that closes to a ring, one or two fields a move, forwards or backwards.
const TRACK: &str = "
    (role red) (role blue) (other red blue) (other blue red)
    (next_to p0 p1) (next_to p1 p2) (next_to p2 p3) (next_to p3 p4) (next_to p4 p5) (next_to p5 p6) (next_to p6 p7)
    (next_to p7 p8) (next_to p8 p9) (next_to p9 p0)
    (init (at red p0)) (init (at blue p5)) (init (turn red))
    (<= (legal ?who (run ?there)) (true (turn ?who)) (true (at ?who ?here)) (next_to ?here ?there))
    (<= (legal ?who (run ?there)) (true (turn ?who)) (true (at ?who ?here)) (next_to ?there ?here))
    (<= (legal ?who wait) (role ?who) (not (true (turn ?who))))
    (<= (next (turn ?other)) (true (turn ?who)) (other ?who ?other))
    (<= (next (at ?who ?there)) (does ?who (run ?there)))
    (<= (next (at ?who ?here)) (true (at ?who ?here)) (not (true (turn ?who))))
    (<= terminal (true (at red p7)))
    (<= terminal (true (at blue p2)))
    (<= (goal red 100) (true (at red p7)))
    (<= (goal red 0) (not (true (at red p7))))
    (<= (goal blue 100) (true (at blue p2)))
    (<= (goal blue 0) (not (true (at blue p2))))";

/// The distance on a ring is that of the shorter direction: p7 is three fields from p0, and five from p2.
#[test]
fn ring_distances_use_the_shorter_direction() {
    let description = read(&Source::from_text("track", TRACK)).description.expect("no errors");
    let loaded = load(description, Backend::Auto, &Limits::default()).expect("it can be played");
    let machine = &*loaded.machine;
    let budget = Budget { playouts: 200, ..Budget::default() };
    let (structures, _) =
        detect(machine, &loaded.statics, &budget, &Context::default()).expect("it is played");
    let parameters = FuzzyParameters { norm: Norm::Product, opponents: false, ..FuzzyParameters::default() };
    let function = FuzzyFunction::new(machine, &structures, 0, parameters, &UnrollLimits::default());
    let function = function.expect("it is made");
    let is_around = |node: &Node| *node == Node::Around("(at red p7)".to_owned());
    assert!(function.formula.nodes.iter().any(is_around), "{:?}", function.formula);
    let mut bound = function.bind(machine).expect("it fits");
    let mut evaluator = StateEvaluator::new(machine);
    let steps = [(0, 3.0), (1, 4.0), (2, 5.0), (3, 4.0), (5, 2.0), (6, 1.0), (8, 1.0), (9, 2.0)];
    for (place, steps) in steps {
        let fluents = [format!("(at red p{place})"), "(at blue p5)".to_owned(), "(turn red)".to_owned()];
        let fluents = fluents.map(|text| machine.fluent_named(&text).expect("it is one"));
        let position = evaluator.at(&machine.state_of(&fluents)).expect("it can be valued").facts.clone();
        let view = machine.cursor();
        let position = ValuedState { facts: &position, view: &*view };
        let (_, goals) = bound.conditions(&position);
        let value = 0.25 * (1.0 - steps / 10.0);
        assert!((goals[0].1 - value).abs() < 1e-6, "p{place}: {goals:?}, not {value}");
    }
}
