//! Detectors find orders and cells of every shape and name the shape: slices of relations, several chains, total
//! and partial orders, lines and graphs of cells, flags and latches, late and bound numbers.

use crate::structures::{WAITING, analyse, fluent, numbers, symbols};
use ggp::structure::finding::{ChainShape, Constant, End, FluentKind, Latch, Uncompared};
use ggp::structure::presence::Presence;

#[test]
fn chains_of_other_relations_are_found() {
    let found = analyse(&format!(
        "{WAITING}
        (plus 1 1 2) (plus 1 2 3) (plus 1 3 4) (plus 2 1 3) (plus 2 2 4) (turn left 1 2) (turn left 2 1)
        (<= (legal a (step ?y)) (true (step ?x)) (plus 1 ?x ?y))
        (<= (legal a (jump ?y)) (true (step ?x)) (plus 2 ?x ?y))
        (<= (legal a (face ?y)) (true (step ?x)) (turn left ?x ?y))
        (both 1 2) (both 2 3) (both a b) (both b c) (short 1 2) (short 2 3) (short p q) (map 1 one) (map 2 two) (map 3 three)
        (foreign p q) (foreign q r) (foreign p r)
        (smaller d1 d2) (smaller d1 p1) (smaller d1 p2) (smaller d2 p1) (smaller d2 p2)
        (beats 1 2) (beats 2 3) (beats 3 1)
        (covers t l) (covers t r) (covers t m) (covers l m) (covers t x)"
    ));
    let chains: Vec<_> =
        found.chains.iter().map(|chain| (&*chain.pattern, chain.shape, chain.elements.join(" "))).collect();
    let chain = |name, shape, elements: &str| (name, shape, elements.to_owned());
    assert_eq!(
        chains,
        [
            chain("(plus 1 ?x ?y)", ChainShape::Slice, "1 2 3 4"),
            chain("both/2", ChainShape::Path, "a b c"),
            chain("both/2", ChainShape::Path, "1 2 3"),
            chain("foreign/2", ChainShape::TotalOrder, "p q r"),
        ]
    );
    let cycles: Vec<_> =
        found.cycles.iter().map(|cycle| (&*cycle.pattern, cycle.elements.join(" "))).collect();
    assert_eq!(cycles, [("beats/2", "1 2 3".to_owned())], "a turn to the left and back has two elements");
    let orders: Vec<_> = found.partial_orders.iter().map(|o| (&*o.relation, o.weak, o.height)).collect();
    assert_eq!(orders, [("smaller/2", true, 3), ("covers/2", false, 3)]);
    assert_eq!(found.successors.len(), 1);
}

#[test]
fn reflexive_last_elements_still_order_values() {
    // `up` and `add` map their last element to itself, so the speed stays at 3 or 0. `skips` maps a middle element to
    // itself, and `ends` both ends.
    let found = analyse(
        "(role a) (goal a 100) (legal a faster) (legal a slower) (init (speed 1)) (init (step 1))
        (s 1 2) (s 2 3) (s 3 4) (s 4 5) (<= (next (step ?m)) (true (step ?n)) (s ?n ?m)) (<= terminal (true (step 5)))
        (up 0 1) (up 1 2) (up 2 3) (up 3 3)
        (<= (next (speed ?m)) (true (speed ?n)) (does a faster) (up ?n ?m))
        (<= (next (speed ?m)) (true (speed ?n)) (does a slower) (add ?n minus ?m))
        (add 3 minus 2) (add 2 minus 1) (add 1 minus 0) (add 0 minus 0)
        (skips 1 2) (skips 2 2) (skips 2 3) (ends 1 1) (ends 1 2) (ends 2 3) (ends 3 3)",
    );
    let chains: Vec<_> =
        found.chains.iter().map(|chain| (&*chain.pattern, chain.shape, chain.elements.join(" "))).collect();
    let stays = |name, elements: &str| (name, ChainShape::Saturating, elements.to_owned());
    assert_eq!(chains, [stays("(add ?x minus ?y)", "3 2 1 0"), stays("up/2", "0 1 2 3")]);
    assert_eq!(found.successors.iter().map(|found| &*found.relation).collect::<Vec<_>>(), ["s/2"]);
    let speed = fluent(&found, "speed/1");
    let order = speed.quantity.as_ref().map(|quantity| &*quantity.order);
    assert!(chains.iter().any(|(name, ..)| Some(*name) == order), "{speed:?}");
}

/// A token and a rock on a ring of six cells, a view in one of four directions, and a floor that `swap` changes.
const RING: &str = "
    (role a) (goal a 100) (legal a go) (legal a turn) (legal a lift) (init (at token c1)) (init (looks north)) (init (floor low))
    (init (step 1)) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6) (s 6 7) (s 7 8) (s 8 9)
    (<= (next (step ?m)) (true (step ?n)) (s ?n ?m)) (<= terminal (true (step 9)))
    (ring c1 c2) (ring c2 c3) (ring c3 c4) (ring c4 c5) (ring c5 c6) (ring c6 c1)
    (right north east) (right east south) (right south west) (right west north)
    (init (angle a0)) (init (speed 3)) (<= (next (speed ?n)) (true (speed ?n)))
    (<= (next (angle ?b)) (true (angle ?a)) (true (speed ?n)) (add ?a ?n ?b))
    (swap low high) (swap high low) (loose c1 c2) (loose c2 c3) (loose c3 c1) (loose c4 c1)
    (<= (next (at token ?d)) (true (at token ?c)) (does a go) (ring ?c ?d))
    (<= (next (at token ?c)) (true (at token ?c)) (not (does a go)))
    (<= (next (at rock c3)) (true (at rock c3))) (init (at rock c3))
    (<= (next (looks ?e)) (true (looks ?d)) (does a turn) (right ?d ?e))
    (<= (next (looks ?d)) (true (looks ?d)) (not (does a turn)))
    (<= (next (floor ?g)) (true (floor ?f)) (does a lift) (swap ?f ?g))
    (<= (next (floor ?f)) (true (floor ?f)) (not (does a lift)))";

#[test]
fn cycles_are_axes() {
    // Seven angles. Speed 1 turns by two of them, speed 3 by one.
    let turned = |n: usize| {
        [(0, 0), (1, 2), (3, 1)].map(|(speed, by)| format!("(add a{n} {speed} a{})", (n + by) % 7))
    };
    let add: String = (0..7).flat_map(turned).collect();
    let found = analyse(&format!("{RING} {add}"));
    let cycles: Vec<_> =
        found.cycles.iter().map(|cycle| (&*cycle.pattern, cycle.elements.join(" "))).collect();
    let cycle = |name, elements: &str| (name, elements.to_owned());
    let angles = cycle("(add ?x 3 ?y)", "a0 a1 a2 a3 a4 a5 a6");
    assert_eq!(
        cycles,
        [cycle("ring/2", "c1 c2 c3 c4 c5 c6"), cycle("right/2", "north east south west"), angles]
    );
    assert!(found.chains.is_empty());
    let axes = |name| -> Vec<_> {
        fluent(&found, name).axes.iter().map(|axis| (axis.argument.number(), axis.order.clone())).collect()
    };
    assert_eq!(axes("looks/1"), [(1, Some("right/2".to_owned()))]);
    assert_eq!(axes("at/2"), [(2, Some("ring/2".to_owned()))]);
    assert_eq!(axes("angle/1"), [(1, Some("(add ?x 3 ?y)".to_owned()))]);
    assert_eq!(axes("floor/1"), [], "two elements are any pair");
    for name in ["looks/1", "at/2"] {
        assert_ne!(
            fluent(&found, name).kind,
            FluentKind::Quantity,
            "{name}: a position on a cycle is not an amount"
        );
    }
}

#[test]
fn orders_may_leave_one_end_without_comparison() {
    let found = analyse(&format!(
        "{WAITING}
        (under d1 d2) (under d2 d3) (under d3 p1) (under d3 p2) (under d3 p3)
        (<= (smaller ?x ?y) (under ?x ?y)) (<= (smaller ?x ?z) (under ?x ?y) (smaller ?y ?z))
        (minus 3 2) (minus 2 1) (minus 1 0) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
        (<= (greater ?x ?y) (minus ?x ?y)) (<= (greater ?x ?z) (greater ?y ?z) (succ ?y ?x))
        (fork e1 e2) (fork e2 e3) (fork e1 e4) (fork e4 e5)
        (<= (below ?x ?y) (fork ?x ?y)) (<= (below ?x ?z) (fork ?x ?y) (below ?y ?z))
        (split f1 f2) (split f1 f3) (split f2 f4) (split f3 f4) (split f1 f4) (split f4 f5) (split f1 f5) (split f2 f5) (split f3 f5)"
    ));
    let orders: Vec<_> = (found.orders.iter())
        .map(|order| (&*order.relation, &*order.over, order.strict, order.ascending, order.uncompared))
        .collect();
    let last = |elements| Some(Uncompared { elements, end: End::Last });
    assert_eq!(
        orders,
        [
            ("smaller/2", "under/2", true, true, last(3)),
            // `minus` ends at 3, so 4, 5 and 6 are greater than 0, 1 and 2 only, as 3 is.
            ("greater/2", "succ/2", true, false, last(4)),
        ]
    );
    let partial: Vec<&str> = found.partial_orders.iter().map(|order| &*order.relation).collect();
    assert_eq!(partial, ["below/2", "split/2"], "two branches, and elements in the middle");
}

#[test]
fn an_axis_may_be_ordered_by_a_slice() {
    let found = analyse(
        "(role a) (goal a 100) (init (at 1 1)) (n 1) (n 2) (n 3)
        (plus 1 1 2) (plus 1 2 3) (plus 2 1 3) (plus 0 1 1) (plus 0 2 2) (plus 0 3 3)
        (<= (legal a (right ?z)) (true (at ?x ?y)) (plus 1 ?x ?z))
        (<= (legal a (up ?z)) (true (at ?x ?y)) (plus 1 ?y ?z)) (legal a wait)
        (<= (next (at ?z ?y)) (does a (right ?z)) (true (at ?x ?y)))
        (<= (next (at ?x ?z)) (does a (up ?z)) (true (at ?x ?y)))
        (<= (next (at ?x ?y)) (does a wait) (true (at ?x ?y)))
        (init (seen 1 1 gold)) (<= (next (seen ?x ?y gold)) (true (at ?x ?y)))
        (<= (next (seen ?x ?y gold)) (true (seen ?x ?y gold)))
        (<= (legal a (dig ?u)) (true (seen ?x ?y gold)) (plus 1 ?x ?u) (true (seen ?u ?y gold)))
        (<= (legal a (dig ?u)) (true (seen ?x ?y gold)) (plus 1 ?y ?u) (true (seen ?x ?u gold)))
        (<= terminal (true (at 3 3)))",
    );
    assert_eq!(fluent(&found, "at/2").kind, FluentKind::Other, "a position is not an amount");
    let seen = fluent(&found, "seen/3");
    assert_eq!(seen.kind, FluentKind::Board);
    let orders: Vec<_> = seen.axes.iter().map(|axis| axis.order.as_deref()).collect();
    assert_eq!(orders, [Some("(plus 1 ?x ?y)"); 2]);
    assert_eq!(seen.latch, Some(Latch::Stays));
}

/// Named cells, some of which are neighbours (`joined`), and a row of numbered posts.
const WEB: &str = "
    (role a) (role b) (goal a 50) (goal b 50) (init (turn a)) (<= terminal (not (true (on c5 nobody))))
    (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (init (on c1 nobody)) (init (on c2 nobody)) (init (on c3 nobody)) (init (on c4 nobody)) (init (on c5 nobody))
    (<= (legal ?r (put ?c)) (true (turn ?r)) (true (on ?c nobody)) (free_beside ?c))
    (<= (free_beside ?c) (joined ?c ?d) (true (on ?d nobody)))
    (<= (legal ?r pass) (true (turn ?r)))
    (<= (next (on ?c ?r)) (does ?r (put ?c)))
    (<= (next (on ?c ?x)) (true (on ?c ?x)) (not (put_at ?c)))
    (<= (put_at ?c) (does ?r (put ?c)))
    (joined c1 c2) (joined c2 c3) (joined c3 c4) (joined c4 c5) (joined c5 c1) (joined c1 c3)
    (init (post 1 low)) (init (post 2 low)) (init (post 3 low))
    (<= (next (post ?n ?h)) (true (post ?n ?h)) (not (raised ?n)))
    (<= (next (post ?n high)) (raised ?n))
    (<= (raised ?n) (does ?r pass) (true (post ?n low)) (follows ?m ?n) (true (post ?m high)))
    (<= (raised 1) (does ?r pass))
    (follows 1 2) (follows 2 3)
    (<= (next passed) (does ?r pass)) (<= (next passed) (true passed))
    (<= (next idle) (not idle_no_more)) (<= idle_no_more (true passed))";

#[test]
fn cells_may_be_a_graph_or_a_line() {
    let found = analyse(WEB);
    let on = fluent(&found, "on/2");
    assert_eq!((on.kind, numbers(&on.inputs), numbers(&on.outputs)), (FluentKind::Graph, vec![1], vec![2]));
    let joined = on.adjacency.as_ref().unwrap();
    assert_eq!((&*joined.relation, joined.cells), ("joined/2", 5));
    let mut things = symbols(&on.markers);
    things.sort_unstable();
    assert_eq!(things, ["a", "b", "nobody"]);
    let post = fluent(&found, "post/2");
    assert_eq!((post.kind, post.axes[0].order.as_deref()), (FluentKind::Line, Some("follows/2")));
    assert_eq!(fluent(&found, "turn/1").kind, FluentKind::Control);
}

#[test]
fn flags_and_latches_are_named() {
    let found = analyse(WEB);
    let passed = fluent(&found, "passed/0");
    assert_eq!((passed.kind, passed.latch), (FluentKind::Flag, Some(Latch::Stays)));
    let idle = fluent(&found, "idle/0");
    assert_eq!((idle.kind, idle.latch), (FluentKind::Flag, Some(Latch::NeverReturns)));
    assert_eq!((passed.constant, idle.constant), (None, None), "they change");
    assert_eq!(fluent(&found, "on/2").latch, Some(Latch::NeverReturns));
    assert_eq!(fluent(&found, "turn/1").latch, None);
}

#[test]
fn constant_fluents_are_reported() {
    // `lamp` always holds, and `dark` never does. `first` holds only in the initial state, `wall/1` in all states.
    let found = analyse(&format!(
        "{WAITING} (init lamp) (<= (next lamp) (true lamp)) (<= (next dark) (true dark) (does a wait))
        (init first) (init (wall 1)) (init (wall 2)) (<= (next (wall ?n)) (true (wall ?n)))
        (init (gate 1)) (<= (next (gate 2)) (true (gate 1))) (<= (next (gate 1)) (true (gate 2)))"
    ));
    let constant = |name| fluent(&found, name).constant;
    assert_eq!(constant("lamp/0"), Some(Constant::Always));
    assert_eq!(constant("dark/0"), Some(Constant::Never));
    assert_eq!(constant("wall/1"), Some(Constant::Always));
    assert_eq!((constant("first/0"), fluent(&found, "first/0").latch), (None, Some(Latch::NeverReturns)));
    assert_eq!(constant("gate/1"), None, "one fact at a time, but not the same");
}

#[test]
fn late_and_bound_numbers_are_quantities() {
    let found = analyse(
        "(role red) (role blue) (goal red 50) (goal blue 50) (other red blue) (other blue red)
        (legal red grab) (legal red rest) (legal blue grab) (legal blue rest)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (init (go red 0)) (<= (next (go ?o ?m)) (true (go ?r ?n)) (other ?r ?o) (succ ?n ?m))
        (<= (next (since 0)) (true (go ?r 2))) (<= (next (since ?m)) (true (since ?n)) (succ ?n ?m))
        (init (lead red 0))
        (<= even (does red ?m) (does blue ?m))
        (<= (gains ?r) (does ?r grab) (other ?r ?o) (does ?o rest))
        (<= (next (lead ?r ?n)) (true (lead ?r ?n)) even)
        (<= (next (lead ?r ?m)) (gains ?r) (true (lead ?r ?n)) (succ ?n ?m))
        (<= (next (lead ?r ?n)) (gains ?o) (other ?o ?r) (true (lead ?r ?m)) (succ ?n ?m))
        (<= (next (lead ?r 1)) (gains ?r) (other ?o ?r) (true (lead ?o 0)))
        (<= (next (score ?n)) (true (go ?r 6)) (true (lead ?o ?n)))
        (<= (legal red (claim ?n)) (true (score ?n)) (succ ?n ?m))
        (<= terminal (true (go ?r 7)))",
    );
    let lead = fluent(&found, "lead/2");
    assert_eq!(
        (lead.kind, numbers(&lead.inputs), numbers(&lead.outputs)),
        (FluentKind::Quantity, vec![], vec![2, 1])
    );
    let score = fluent(&found, "score/1");
    assert_eq!(score.kind, FluentKind::Quantity);
    assert_eq!(score.quantity.as_ref().unwrap().presence, Presence::AtEnd);
    let since = fluent(&found, "since/1");
    assert_eq!(since.counter.as_ref().map(|counter| &*counter.start), Some("0"), "{:?}", since.evidence);
}

#[test]
fn terminal_only_fluents_are_reported() {
    let found = analyse(
        "(role a) (goal a 100) (s 1 2) (s 2 3) (s 3 4)
        (init (cell 1 1 man)) (init (cell 2 2 rock)) (init (cell 3 3 rock)) (init (cell 3 1 rock))
        (<= (legal a (go ?y)) (true (cell ?x 1 man)) (s ?x ?y)) (<= (legal a (up ?y)) (true (cell 1 ?x man)) (s ?x ?y))
        (<= (next (cell ?y 1 man)) (does a (go ?y)) (distinct ?y 4))
        (<= (next (cell ?x ?y rock)) (true (cell ?x ?y rock)))
        (<= (next (cell 4 1 king)) (does a (go 4)))
        (<= terminal (true (cell ?x ?y king))) (<= terminal (true (cell ?x 2 man)))",
    );
    let cell = fluent(&found, "cell/3");
    let king = cell.pieces.iter().find(|piece| piece.symbol == ["king"]).unwrap();
    assert!(king.only_at_end && king.cells == 1);
    let man = cell.pieces.iter().find(|piece| piece.symbol == ["man"]).unwrap();
    assert!(!man.only_at_end);
}
