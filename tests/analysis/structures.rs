//! Every kind of structure is found in the games that have it, and not in games that only look similar. The tests
//! use small games, each with a near miss.

use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{self, Backend};
use ggp::simulate::{Budget, Context};
use ggp::structure::argument::ArgumentPosition;
use ggp::structure::detect;
use ggp::structure::finding::{
    Direction, FluentFinding, FluentKind, LocatedObject, Method, Structures, Turns,
};
use ggp::structure::in_kif;
use ggp::structure::vocabulary::Kif;

pub(crate) fn analyse(rules: &str) -> Structures<Kif> {
    let reading = read(&Source::from_text("test", rules));
    let description = reading.description.unwrap_or_else(|| panic!("{:#?}", reading.diagnostics));
    let game = machine::load(description, Backend::Auto, &Limits::default()).unwrap();
    let budget = Budget { playouts: 300, max_steps: 100, ..Budget::default() };
    let (found, _) = detect(&*game.machine, &game.statics, &budget, &Context::default()).unwrap();
    in_kif(&found, &*game.machine)
}

pub(crate) fn fluent<'s>(found: &'s Structures<Kif>, name: &str) -> &'s FluentFinding<Kif> {
    found.fluents.iter().find(|fluent| fluent.fluent == name).unwrap_or_else(|| panic!("no {name}"))
}

/// The numbers of arguments, from 1.
pub(crate) fn numbers(arguments: &[ArgumentPosition]) -> Vec<usize> {
    arguments.iter().map(|argument| argument.number()).collect()
}

pub(crate) fn symbols(things: &[LocatedObject<Kif>]) -> Vec<String> {
    things.iter().map(|thing| thing.symbol.join(" ")).collect()
}

/// One role that waits, and a clock of four steps.
pub(crate) const WAITING: &str = "
    (role a) (legal a wait) (init (step 1)) (<= terminal (true (step 4))) (goal a 100)
    (<= (next (step ?y)) (true (step ?x)) (after ?x ?y)) (after 1 2) (after 2 3) (after 3 4)";

#[test]
fn successors_are_single_chains() {
    let found = analyse(&format!(
        "{WAITING}
        (<= (before ?y ?x) (after ?x ?y))
        (circle 1 2) (circle 2 3) (circle 3 1)
        (two_chains 1 2) (two_chains 2 3) (two_chains 8 9)
        (fork 1 2) (fork 2 3) (fork 2 4)
        (join 1 3) (join 2 3) (join 3 4)
        (pair 1 2)
        (map 1 one) (map 2 two) (map 3 three)
        (stay 1 2) (stay 2 3) (stay 3 3)"
    ));
    let names: Vec<&str> = found.successors.iter().map(|successor| &*successor.relation).collect();
    assert_eq!(names, ["after/2", "before/2"]);
    let [after, before] = found.successors.as_slice() else { panic!() };
    assert_eq!((&*after.first, &*after.last, after.length, after.reversed), ("1", "4", 4, false));
    assert_eq!((&*before.first, &*before.last, before.length, before.reversed), ("1", "4", 4, true));
    assert_eq!(after.evidence.methods, [Method::Syntax, Method::Enumeration]);
    assert_eq!(before.evidence.methods, [Method::Enumeration], "derived facts are not a ground template");
}

#[test]
fn orders_are_closures_of_successors() {
    let found = analyse(&format!(
        "{WAITING}
        (<= (less ?x ?y) (after ?x ?y)) (<= (less ?x ?z) (after ?x ?y) (less ?y ?z))
        (number 1) (number 2) (number 3) (number 4)
        (<= (at_least ?x ?x) (number ?x)) (<= (at_least ?x ?y) (less ?y ?x))
        (<= (near ?x ?y) (after ?x ?y)) (<= (near ?x ?z) (after ?x ?y) (after ?y ?z))
        (<= (differs ?x ?y) (number ?x) (number ?y) (distinct ?x ?y))
        (foreign p q) (foreign q r) (foreign p r)"
    ));
    let orders: Vec<_> =
        found.orders.iter().map(|o| (&*o.relation, &*o.over, o.strict, o.ascending)).collect();
    assert_eq!(orders, [("less/2", "after/2", true, true), ("at_least/2", "after/2", false, false)]);
}

#[test]
fn counters_advance_with_every_move() {
    let found = analyse(&format!(
        "{WAITING} (legal a skip)
        (after 0 1)
        (init (left 4)) (<= (next (left ?y)) (true (left ?x)) (after ?y ?x))
        (init (moves 1)) (<= (next (moves ?y)) (does a wait) (true (moves ?x)) (after ?x ?y))
        (<= (next (moves ?x)) (does a skip) (true (moves ?x)))
        (init (phase day)) (<= (next (phase night)) (true (phase day))) (<= (next (phase day)) (true (phase night)))"
    ));
    let step = fluent(&found, "step/1");
    let counter = step.counter.as_ref().unwrap();
    assert_eq!((&*counter.by, &*counter.start, counter.direction), ("after/2", "1", Direction::Up));
    assert_eq!(counter.limit.as_deref(), Some("4"));
    assert!(step.evidence.methods.contains(&Method::Proof));
    let left = fluent(&found, "left/1").counter.as_ref().unwrap();
    assert_eq!((left.direction, &left.limit), (Direction::Down, &None));
    assert_eq!(fluent(&found, "moves/1").kind, FluentKind::Quantity, "the value depends on the moves");
    assert_eq!(fluent(&found, "phase/1").kind, FluentKind::Other, "it comes round");
}

#[test]
fn a_limit_ends_the_game_without_other_conditions() {
    let found = analyse(
        "(role a) (legal a wait) (legal a win) (goal a 0)
        (init (n 1)) (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (s 1 2) (s 2 3) (s 3 4) (s 4 5)
        (<= (next won) (does a win))
        (<= terminal (true (n 3)) (true won)) (<= terminal over) (<= over (last ?n) (true (n ?n))) (last 5)",
    );
    let counter = fluent(&found, "n/1").counter.clone().unwrap();
    assert_eq!(counter.limit.as_deref(), Some("5"));
}

#[test]
fn a_limit_depends_on_all_conditions_of_its_rule() {
    let limit = |rules: &str| {
        let found = analyse(&format!(
            "(role a) (role b) (legal a wait) (legal b wait) (goal a 0) (goal b 0)
            (init (n 1)) (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6)
            (variant short) (twice 3 4) (twice 5 5) {rules}"
        ));
        fluent(&found, "n/1").counter.clone().unwrap().limit
    };
    assert_eq!(
        limit("(<= terminal (true (n 3)) (variant long)) (<= terminal (true (n 5)) (variant short))"),
        Some("5".to_owned())
    );
    assert_eq!(limit("(<= terminal (true (n 42))) (<= terminal (true (n 6)))"), Some("6".to_owned()));
    assert_eq!(limit("(<= terminal (true (n ?n)) (twice ?n ?n))"), Some("5".to_owned()));
    assert_eq!(limit("(<= terminal (true (n 4)) (variant ?v) (twice ?a ?b))"), None, "not evaluated");
}

/// Two roles take turns to place marks on a board of 4x4 cells, or to walk with `king`.
const BOARD: &str = "
    (role x) (role o) (init (control x)) (goal x 50) (goal o 50)
    (index 1) (index 2) (index 3) (index 4) (next_index 1 2) (next_index 2 3) (next_index 3 4)
    (init (cell king 1 1))
    (<= (legal ?p (mark ?x ?y)) (true (control ?p)) (free ?x ?y))
    (<= (legal ?p (walk ?x ?y)) (true (control ?p)) (true (cell king ?u ?y)) (next_index ?u ?x) (free ?x ?y))
    (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
    (<= (free ?x ?y) (index ?x) (index ?y) (not (taken ?x ?y)))
    (<= (taken ?x ?y) (true (cell ?c ?x ?y)))
    (<= (next (cell ?p ?x ?y)) (does ?p (mark ?x ?y)))
    (<= (next (cell king ?x ?y)) (does ?p (walk ?x ?y)))
    (<= (next (cell ?c ?x ?y)) (true (cell ?c ?x ?y)) (not walks))
    (<= (next (cell ?c ?x ?y)) (true (cell ?c ?x ?y)) walks (distinct ?c king))
    (<= walks (does ?p (walk ?x ?y)))
    (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
    (<= terminal (not any_free)) (<= any_free (free ?x ?y))";

#[test]
fn boards_have_markers_and_pieces() {
    let found = analyse(BOARD);
    let cell = fluent(&found, "cell/3");
    assert_eq!(
        (cell.kind, numbers(&cell.inputs), numbers(&cell.outputs)),
        (FluentKind::Board, vec![2, 3], vec![1])
    );
    assert_eq!(cell.covered, Some(false));
    let axes: Vec<_> = cell.axes.iter().map(|axis| (axis.argument.number(), axis.order.as_deref())).collect();
    assert_eq!(axes, [(2, Some("next_index/2")), (3, None)], "the second coordinate is never compared");
    assert_eq!(symbols(&cell.pieces), ["king"]);
    assert_eq!(symbols(&cell.markers), ["x", "o"]);
    assert_eq!(found.turns, Turns::Alternating);
    assert_eq!(found.noops["x"], ["noop"]);
    assert_eq!(found.teams, [["x"], ["o"]], "values that are always equal show no team");
}

/// Walls between the cells of three columns and two rows, each of brick or glass. Any three coordinates of a wall determine
/// the fourth, and so the kind. Ropes between the same cells have no kind.
const WALLS: &str = "
    (role mason) (goal mason 100) (kind brick) (kind glass)
    (side 1 1 2 1) (side 2 1 3 1) (side 1 2 2 2) (side 2 2 3 2) (side 1 1 1 2) (side 2 1 2 2) (side 3 1 3 2)
    (count 0 1) (count 1 2) (count 2 3) (count 3 4) (count 4 5) (init (built 0))
    (<= (next (built ?n)) (true (built ?m)) (count ?m ?n)) (<= terminal (true (built 5)))
    (<= (legal mason (build ?a ?b ?c ?d ?k)) (side ?a ?b ?c ?d) (kind ?k) (not (standing ?a ?b ?c ?d)))
    (<= (legal mason (tie ?a ?b ?c ?d)) (side ?a ?b ?c ?d) (not (true (rope ?a ?b ?c ?d))))
    (<= (standing ?a ?b ?c ?d) (true (wall ?a ?b ?c ?d ?k)))
    (<= (next (wall ?a ?b ?c ?d ?k)) (does mason (build ?a ?b ?c ?d ?k)))
    (<= (next (wall ?a ?b ?c ?d ?k)) (true (wall ?a ?b ?c ?d ?k)))
    (<= (next (rope ?a ?b ?c ?d)) (does mason (tie ?a ?b ?c ?d)))
    (<= (next (rope ?a ?b ?c ?d)) (true (rope ?a ?b ?c ?d)))";

#[test]
fn tied_keys_make_all_their_arguments_coordinates() {
    let found = analyse(WALLS);
    let wall = fluent(&found, "wall/5");
    assert_eq!(
        (wall.kind, numbers(&wall.inputs), numbers(&wall.outputs)),
        (FluentKind::Board, vec![1, 2, 3, 4], vec![5])
    );
    assert_eq!(symbols(&wall.markers), ["brick", "glass"]);
    assert!(
        wall.minimal_keys.len() > 1 && wall.minimal_keys.iter().any(|key| numbers(key) == [1, 2, 3]),
        "{:?}",
        wall.minimal_keys
    );
    // Ropes have no contents, so there is no board, but the keys are reported.
    let rope = fluent(&found, "rope/4");
    assert_eq!((rope.kind, rope.outputs.len()), (FluentKind::Other, 0));
    assert_eq!(rope.minimal_keys, wall.minimal_keys);
    assert!(!rope.evidence.reason.contains("no set"), "{}", rope.evidence.reason);
}

#[test]
fn a_second_queen_is_found_by_steering() {
    // A pawn walks to the end of its file and becomes a queen. At every step a queen may be given away, so random play
    // rarely has two.
    let found = analyse(
        "(role a) (goal a 0) (file 1) (file 2) (file 3)
        (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6) (s 6 7) (s 7 8) (s 8 9)
        (init (on queen 1 9)) (init (on pawn 2 1)) (init (on pawn 3 1)) (init (on king 1 1))
        (<= (legal a (push ?x ?y ?z)) (true (on pawn ?x ?y)) (s ?y ?z))
        (<= (legal a (give ?x ?y)) (true (on queen ?x ?y)))
        (legal a (king 1)) (legal a (king 2)) (legal a (king 3))
        (<= (next (on pawn ?x ?z)) (does a (push ?x ?y ?z)) (distinct ?z 9))
        (<= (next (on queen ?x 9)) (does a (push ?x 8 9)))
        (<= (next (on king 1 ?n)) (does a (king ?n)))
        (<= (next (on ?c ?x ?y)) (true (on ?c ?x ?y)) (distinct ?c king) (not (left ?x ?y)))
        (<= (next (on king ?x ?y)) (true (on king ?x ?y)) (not king_moves))
        (<= king_moves (does a (king ?n)))
        (<= (left ?x ?y) (does a (push ?x ?y ?z))) (<= (left ?x ?y) (does a (give ?x ?y)))
        (init (t 1)) (<= (next (t ?b)) (true (t ?a)) (tick ?a ?b)) (tick 1 2) (tick 2 3) (<= terminal (true (t 60)))",
    );
    let on = fluent(&found, "on/3");
    assert_eq!(symbols(&on.pieces), ["king"]);
    assert!(symbols(&on.markers).contains(&"queen".to_owned()));
}

#[test]
fn locations_may_have_one_coordinate() {
    let found = analyse(
        "(role a) (role b) (goal a 50) (goal b 50) (s 1 2) (s 2 3) (s 3 4)
        (init (at a 1 1)) (init (at b 1 1)) (init (seen 1 1))
        (init (score a 1)) (init (score b 1))
        (legal a right) (legal a up) (legal b right) (legal b up)
        (<= (next (at ?p ?v ?y)) (does ?p right) (true (at ?p ?x ?y)) (s ?x ?v))
        (<= (next (at ?p ?x ?w)) (does ?p up) (true (at ?p ?x ?y)) (s ?y ?w))
        (<= (next (score ?p ?v)) (does ?p up) (true (score ?p ?n)) (s ?n ?v))
        (<= (next (score ?p ?n)) (does ?p right) (true (score ?p ?n)))
        (<= (next (seen ?x ?y)) (true (at ?p ?x ?y))) (<= (next (seen ?x ?y)) (true (seen ?x ?y)))
        (<= terminal (true (at ?p 4 ?y))) (<= terminal (true (at ?p ?x 4)))",
    );
    let at = fluent(&found, "at/3");
    assert_eq!(
        (at.kind, numbers(&at.inputs), numbers(&at.outputs)),
        (FluentKind::Place, vec![1], vec![2, 3])
    );
    assert_eq!(symbols(&at.pieces), ["a", "b"]);
    let score = fluent(&found, "score/2");
    assert_eq!(
        (score.kind, numbers(&score.inputs), numbers(&score.outputs)),
        (FluentKind::Quantity, vec![1], vec![2])
    );
    assert_eq!(score.quantity.as_ref().unwrap().order, "s/2");
    assert_eq!(fluent(&found, "seen/2").kind, FluentKind::Other, "a set of cells has no contents");
    assert_eq!(found.turns, Turns::Simultaneous);
    assert!(found.noops.is_empty());
}

#[test]
fn a_growing_list_of_past_moves_is_not_a_board() {
    // `played` lists the moves of each role by round, and `last` has the latest move. `claimed` has a number that the move
    // chose. `marked` and `noted` have the number of the round, directly or by another relation.
    let found = analyse(
        "(role a) (role b) (goal a 50) (goal b 50) (init (round 1)) (thing rock) (thing cup)
        (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
        (<= (next (round ?m)) (true (round ?n)) (after ?n ?m)) (<= terminal (true (round 6)))
        (<= (legal ?r (take ?x ?n)) (role ?r) (thing ?x) (after ?n ?m) (not (true (claimed ?n ?r rock))) (not (true (claimed ?n ?r cup))))
        (<= (next (played ?n ?r ?x)) (true (round ?n)) (does ?r (take ?x ?k)))
        (<= (next (played ?n ?r ?x)) (true (played ?n ?r ?x)))
        (<= (next (last ?n ?r ?x)) (true (round ?n)) (does ?r (take ?x ?k)))
        (<= (next (claimed ?k ?r ?x)) (does ?r (take ?x ?k)))
        (<= (next (claimed ?k ?r ?x)) (true (claimed ?k ?r ?x)))
        (<= (now ?n) (true (round ?m)) (after ?m ?n)) (<= (today ?n) (true (round ?n)))
        (<= (next (marked ?n ?x)) (today ?n) (does a (take ?x ?k)))
        (<= (next (marked ?n ?x)) (true (marked ?n ?x)))
        (<= (next (noted ?n ?x)) (true (round ?m)) (after ?m ?n) (does b (take ?x ?k)))
        (<= (next (noted ?n ?x)) (true (noted ?n ?x)))",
    );
    let played = fluent(&found, "played/3");
    assert_eq!((played.kind, played.stamp.map(ArgumentPosition::number)), (FluentKind::Other, Some(1)));
    assert_eq!((numbers(&played.inputs), numbers(&played.outputs)), (vec![1, 2], vec![3]));
    assert!(played.markers.is_empty() && played.pieces.is_empty());
    for name in ["marked/2", "noted/2"] {
        let list = fluent(&found, name);
        assert_eq!(
            (list.kind, list.stamp.map(ArgumentPosition::number)),
            (FluentKind::Other, Some(1)),
            "{name}"
        );
    }
    let claimed = fluent(&found, "claimed/3");
    assert_eq!((claimed.kind, claimed.stamp), (FluentKind::Board, None));
    assert_eq!(fluent(&found, "last/3").stamp, None, "it does not grow");
}

#[test]
fn arguments_name_roles_only_if_joined_with_roles() {
    // Heaps share their names with roles. `points` belong to roles, `crown` names roles as constants, and `hope` names roles
    // that occur inside moves.
    let found = analyse(
        "(role a) (role b) (heap a) (heap b) (heap c) (init (size a 3)) (init (size b 3)) (init (size c 3))
        (init (points a 0)) (init (points b 0)) (s 0 1) (s 1 2) (s 2 3)
        (init (step 0)) (<= (next (step ?m)) (true (step ?n)) (s ?n ?m)) (<= terminal (true (step 3)))
        (<= (legal ?r (take ?h)) (role ?r) (true (size ?h ?n)) (s ?m ?n))
        (<= (legal ?r (bet ?o)) (role ?r) (role ?o))
        (<= (next (size ?h ?m)) (true (size ?h ?n)) (s ?m ?n) (does ?r (take ?h)))
        (<= (next (size ?h ?n)) (true (size ?h ?n)) (heap ?h) (not (taken ?h)))
        (<= (taken ?h) (does ?r (take ?h)))
        (<= (next (points ?r ?m)) (true (points ?r ?n)) (s ?n ?m) (does ?r (take ?h)))
        (<= (next (points ?r ?n)) (true (points ?r ?n)) (does ?r (bet ?o)))
        (<= (next (crown a)) (does a (take c))) (<= (next (crown b)) (does b (take c)))
        (<= (next (hope ?o)) (does ?r (bet ?o)))
        (<= (goal ?r 100) (role ?r) (true (crown ?r))) (<= (goal ?r 0) (role ?r) (not (true (crown ?r))))",
    );
    let roles = |name| numbers(&fluent(&found, name).role_arguments);
    assert_eq!(roles("size/2"), [0; 0]);
    assert_eq!((roles("points/2"), roles("crown/1"), roles("hope/1")), (vec![1], vec![1], vec![1]));
}

#[test]
fn tie_breakers_are_not_control_and_forced_moves_not_noops() {
    // Both bid while `bidding` holds. The winner then takes one of two things while the other waits. The tie-breaker also
    // names a role, and a role without coins must bid 0.
    let found = analyse(
        "(role a) (role b) (other a b) (other b a) (goal a 50) (goal b 50)
        (init bidding) (init (breaker a)) (init (coins a 2)) (init (coins b 1)) (s 0 1) (s 1 2) (s 2 3)
        (init (t 1)) (<= (next (t ?y)) (true (t ?x)) (tick ?x ?y)) (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5)
        (tick 5 6) (tick 6 7) (tick 7 8) (tick 8 9) (<= terminal (true (t 9)))
        (<= (legal ?r (bid 0)) (role ?r) (true bidding)) (<= (legal ?r (bid 1)) (role ?r) (true bidding) (rich ?r))
        (<= (rich ?r) (true (coins ?r ?n)) (s ?m ?n))
        (<= (legal ?r (take ?x)) (true (control ?r)) (thing ?x)) (thing cup) (thing hat)
        (<= (legal ?r wait) (true (control ?o)) (other ?r ?o))
        (<= (next bidding) (true (control ?r)))
        (<= (next (control ?r)) (wins ?r))
        (<= (wins ?r) (does ?r (bid 1)) (other ?r ?o) (does ?o (bid 0)))
        (<= (wins ?r) (true (breaker ?r)) (other ?r ?o) (does ?r (bid ?n)) (does ?o (bid ?n)))
        (<= (next (breaker ?o)) (true (breaker ?r)) (other ?r ?o) (wins ?r))
        (<= (next (breaker ?r)) (true (breaker ?r)) (not (wins ?r)))
        (<= (next (coins ?r ?m)) (wins ?r) (does ?r (bid 1)) (true (coins ?r ?n)) (s ?m ?n))
        (<= (next (coins ?r ?n)) (wins ?r) (does ?r (bid 0)) (true (coins ?r ?n)))
        (<= (next (coins ?r ?n)) (role ?r) (true (coins ?r ?n)) (not (wins ?r)))",
    );
    assert_eq!(fluent(&found, "control/1").kind, FluentKind::Control);
    assert_eq!(fluent(&found, "breaker/1").kind, FluentKind::Other);
    assert_eq!(fluent(&found, "coins/2").kind, FluentKind::Quantity);
    assert_eq!(found.noops["a"], ["wait"]);
    assert_eq!(found.noops["b"], ["wait"]);
}

#[test]
fn a_noop_may_be_legal_at_any_time() {
    let found = analyse(
        "(role a) (role b) (goal a 50) (goal b 50) (init (turn a)) (legal a idle) (legal b idle)
        (<= (legal ?r (go ?n)) (true (turn ?r)) (n ?n)) (n 1) (n 2)
        (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
        (<= (next (went ?n)) (does ?r (go ?n))) (<= (next (went ?n)) (true (went ?n)))
        (<= terminal (true (went 1)) (true (went 2)))",
    );
    assert_eq!(found.noops["a"], ["idle"]);
    assert_eq!(fluent(&found, "turn/1").kind, FluentKind::Control);
}

#[test]
fn equivalent_fluents_are_both_control() {
    // `turn` and `also` both name the role that chooses. `last` names the role that moved last, never the one that chooses.
    let rules = [
        "(init (turn a)) (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))",
        "(init (also a)) (<= (next (also b)) (true (also a))) (<= (next (also a)) (true (also b)))",
        "(init (last b)) (<= (next (last b)) (true (last a))) (<= (next (last a)) (true (last b)))",
        "(role a) (role b) (goal a 50) (goal b 50)
        (<= (legal ?r (go ?n)) (true (turn ?r)) (true (also ?r)) (n ?n)) (n 1) (n 2)
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (went ?n)) (does ?r (go ?n))) (<= (next (went ?n)) (true (went ?n)))
        (<= terminal (true (went 1)) (true (went 2)))",
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]] {
        let found = analyse(&order.map(|part| rules[part]).concat());
        assert_eq!(fluent(&found, "turn/1").kind, FluentKind::Control, "{order:?}");
        assert_eq!(fluent(&found, "also/1").kind, FluentKind::Control, "{order:?}");
        assert_eq!(fluent(&found, "last/1").kind, FluentKind::Other, "{order:?}");
    }
}

#[test]
fn noops_are_found_with_any_frame_rules() {
    // Both roles move at once. Resting keeps the place by its own rule, and `(walk nowhere)` by a table. `rested` records a
    // rest, and `(walk askew)` changes some places: both are not noops.
    let game = |legal: &str, next: &str| {
        let found = analyse(&format!(
            "(role a) (role b) (goal a 50) (goal b 50) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6)
            (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6)
            (step nowhere 1 1) (step nowhere 2 2) (step nowhere 3 3) (step nowhere 4 4) (step nowhere 5 5)
            (step nowhere 6 6) (step askew 1 1) (step askew 2 2) (step askew 3 4)
            (<= (step right ?x ?y) (s ?x ?y)) (<= (step left ?y ?x) (s ?x ?y))
            (init (at a 2)) (init (at b 6)) (init (t 1)) (<= (next (t ?y)) (true (t ?x)) (s ?x ?y))
            (<= terminal (true (t 6)))
            (legal b {legal}) (legal a {legal})
            (<= (legal ?r (walk right)) (true (at ?r ?x)) (s ?x ?y) (distinct ?x 1))
            (<= (legal ?r (walk left)) (true (at ?r ?x)) (s ?y ?x))
            (<= (next (at ?r ?y)) (does ?r (walk ?d)) (true (at ?r ?x)) (step ?d ?x ?y))
            {next}"
        ));
        found.noops.get("a").cloned().unwrap_or_default()
    };
    let stay = "(<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r rest))";
    assert_eq!(game("rest", stay), ["rest"]);
    assert_eq!(game("(walk nowhere)", ""), ["(walk nowhere)"]);
    assert!(game("(walk askew)", "").is_empty());
    assert!(game("rest", &format!("{stay} (<= (next (rested ?r)) (does ?r rest))")).is_empty());
}

#[test]
fn the_direction_does_not_depend_on_rule_order() {
    let reversed = |rules: &str| -> Vec<String> {
        let found = analyse(&format!("{WAITING} {rules}"));
        let reversed = found.successors.iter().filter(|successor| successor.reversed);
        reversed.map(|successor| successor.relation.clone()).collect()
    };
    let chains = ["(n p q) (n q r) (n r s)", "(v s r) (v r q) (v q p)"];
    for [first, second] in [[chains[0], chains[1]], [chains[1], chains[0]]] {
        let used = "(init (at p)) (<= (next (at ?y)) (true (at ?x)) (n ?x ?y))";
        assert_eq!(reversed(&format!("{first} {second} {used}")), ["v/2"]);
        assert_eq!(reversed(&format!("{first} {used} {second}")), ["v/2"]);
        let both = "(<= (near ?x ?y) (n ?x ?y)) (<= (near ?x ?y) (v ?x ?y))";
        assert!(reversed(&format!("{first} {both} {second}")).is_empty(), "mirror images");
        let ends = reversed(&format!("{first} {second} {both} (init (at q))"));
        assert_eq!(ends.len(), 1, "one of them starts next to an end");
        assert_eq!(ends, reversed(&format!("(init (at q)) {second} {both} {first}")));
    }
}

#[test]
fn roles_are_not_cells() {
    let rules = |keys: [&str; 3]| {
        let keys: String = keys.iter().map(|key| format!("(key {key}) (init (stands {key} d1)) ")).collect();
        format!(
            "{WAITING} {keys} (role b) (role c) (legal b wait) (legal c wait)
            (legal a walk) (den d1) (den d2)
            (<= (next (stands ?r d2)) (key ?r) (does a walk))
            (<= (next (stands ?r ?d)) (true (stands ?r ?d)) (not (does a walk)))"
        )
    };
    let of_roles = analyse(&rules(["a", "b", "c"]));
    let stands = fluent(&of_roles, "stands/2");
    assert_eq!((stands.kind, numbers(&stands.inputs)), (FluentKind::Other, vec![1]));
    assert!(stands.markers.is_empty() && stands.contents.is_empty());
    let of_others = analyse(&rules(["x", "y", "z"]));
    assert_eq!(fluent(&of_others, "stands/2").kind, FluentKind::Line, "these might be cells");
}

#[test]
fn roles_with_constant_goals_are_not_a_team() {
    let found = analyse(
        "(role a) (role b) (role c) (role d) (role e)
        (init open) (<= (legal ?r wait) (role ?r)) (<= (legal ?r go) (runs ?r)) (runs a) (runs b)
        (<= (next (went ?r)) (does ?r go)) (<= terminal (not (true open)))
        (<= (goal a 100) (true (went a))) (<= (goal a 0) (not (true (went a))))
        (<= (goal b 100) (true (went b))) (<= (goal b 0) (not (true (went b))))
        (<= (goal c 100) (true (went b))) (<= (goal c 0) (not (true (went b))))
        (goal d 0) (goal e 0)",
    );
    assert_eq!(found.teams, [vec!["a"], vec!["b", "c"], vec!["d"], vec!["e"]]);
}
