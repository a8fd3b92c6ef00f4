//! Sums of impartial parts in normal play get Grundy numbers, and no other game is taken for one.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use ggp::gdl::Source;
use ggp::machine::{Cursor, Machine, State};
use ggp::search::{Limits, Solution, Solver, solve};
use proptest::prelude::{Just, ProptestConfig, prop_oneof, proptest};

use super::sampled::load_source;

/// How the heaps are written in the rules.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coding {
    /// `(heap a 3)`, and moves name the counters taken.
    Taken,
    /// `(heap a 3)`, and moves name the counters left.
    Left,
    /// `(counter a 3)` is true if the heap has at least three counters.
    Unary,
    /// As `Taken`; a heap keeps its counters if the move names another heap.
    OtherHeap,
}

/// Who gets 100 at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Winner {
    /// The role that moved last, by the turn.
    Last,
    /// The role that moved last, by a fluent that remembers it.
    Remembered,
    /// The role that can't move.
    Misere,
}

/// Rules of a game in which the role to move takes a number of counters from one heap.
struct Heaps<'a> {
    sizes: &'a [u32],
    takes: &'a BTreeSet<u32>,
    coding: Coding,
    winner: Winner,
    /// Whether the move passes the turn, instead of the turn itself.
    turn_by_move: bool,
    /// Further rules.
    more: &'a str,
    /// A condition of all moves, in terms of `?p`, `?h`, `?k` (counters taken) and `?n` (size of the heap).
    condition: &'a str,
}

fn takes(numbers: &[u32]) -> BTreeSet<u32> {
    numbers.iter().copied().collect()
}

impl Heaps<'_> {
    fn rules(&self) -> String {
        let mut text =
            "(role left) (role right) (init (control left)) (other left right) (other right left)\n"
                .to_owned();
        let most = self.sizes.iter().max().copied().unwrap_or(0);
        (0..most).for_each(|number| write!(text, "(succ {number} {})", number + 1).unwrap());
        self.takes.iter().for_each(|number| write!(text, "(amount {number})").unwrap());
        for (index, size) in self.sizes.iter().enumerate() {
            write!(text, "(name h{index})").unwrap();
            match self.coding {
                Coding::Unary => {
                    (1..=*size).for_each(|at| write!(text, "(init (counter h{index} {at}))").unwrap())
                }
                _ => write!(text, "(init (heap h{index} {size}))").unwrap(),
            }
        }
        text += "
            (number 0) (<= (number ?b) (succ ?a ?b))
            (<= (sum ?a 0 ?a) (number ?a))
            (<= (sum ?a ?k ?n) (sum ?a ?j ?m) (succ ?j ?k) (succ ?m ?n))
            (<= (size ?h ?n) (true (heap ?h ?n)))
            (<= (can ?p ?h ?k) (size ?h ?n) (amount ?k) (sum ?m ?k ?n) (true (control ?p)) CONDITION)
            (<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
            (<= can_move (size ?h ?n) (amount ?k) (sum ?m ?k ?n))
            (<= terminal (not can_move))
            (<= (next (control ?q)) (true (control ?p)) (other ?p ?q) BY_MOVE)
            (<= (goal ?p 100) (true WINNER) (other ?p ?q))
            (<= (goal ?p 0) (true LOSER) (other ?p ?q))
            ";
        text += match self.coding {
            Coding::Left => {
                "(<= (legal ?p (leave ?h ?m)) (can ?p ?h ?k) (size ?h ?n) (sum ?m ?k ?n))
                 (<= (next (heap ?h ?m)) (does ?p (leave ?h ?m)))
                 (<= (moved ?p ?h) (does ?p (leave ?h ?m)))"
            }
            _ => {
                "(<= (legal ?p (take ?h ?k)) (can ?p ?h ?k))
                 (<= (moved ?p ?h) (does ?p (take ?h ?k)))"
            }
        };
        text += match self.coding {
            Coding::Unary => {
                "(<= (taken ?h ?i) (does ?p (take ?h ?k)) (size ?h ?n) (sum ?m ?k ?n) (sum ?m ?j ?i) (distinct ?j 0))
                 (<= (next (counter ?h ?i)) (true (counter ?h ?i)) (not (taken ?h ?i)))
                 (<= (size ?h ?n) (true (counter ?h ?n)) (succ ?n ?o) (not (true (counter ?h ?o))))
                 (<= (size ?h ?n) (true (counter ?h ?n)) (not (smaller ?n)))
                 (<= (smaller ?n) (succ ?n ?o))"
            }
            Coding::OtherHeap => {
                "(<= (next (heap ?h ?m)) (does ?p (take ?h ?k)) (true (heap ?h ?n)) (sum ?m ?k ?n))
                 (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (does ?p (take ?g ?k)) (distinct ?g ?h))"
            }
            Coding::Taken => {
                "(<= (next (heap ?h ?m)) (does ?p (take ?h ?k)) (true (heap ?h ?n)) (sum ?m ?k ?n))
                 (<= (touched ?h) (moved ?p ?h))
                 (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))"
            }
            Coding::Left => {
                "(<= (touched ?h) (moved ?p ?h))
                 (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))"
            }
        };
        let (winner, loser) = match self.winner {
            Winner::Last => ("(control ?q)", "(control ?p)"),
            Winner::Remembered => ("(last_mover ?p)", "(last_mover ?q)"),
            Winner::Misere => ("(control ?p)", "(control ?q)"),
        };
        if self.winner == Winner::Remembered {
            text += "(<= (next (last_mover ?p)) (moved ?p ?h))";
        }
        text.replace("WINNER", winner)
            .replace("LOSER", loser)
            .replace("BY_MOVE", if self.turn_by_move { "(moved ?p ?h)" } else { "" })
            .replace("CONDITION", self.condition)
            + self.more
    }
}

/// The solution, which agrees with minimax over all states and whose line ends the game.
fn solved(rules: &str) -> Solution {
    let game = load_source(&Source::from_text("heaps", rules));
    let machine = &*game.machine;
    let limits = Limits { nodes: Some(10_000_000), ..Limits::default() };
    let solution = solve(machine, &[], machine.initial(), 64 << 20, &limits, &mut |_, _| {}).unwrap();
    let mut values = HashMap::new();
    let exact = minimax(machine, &mut *machine.cursor(), machine.initial(), &mut values);
    assert_eq!(solution.roles.iter().map(|role| role.value).collect::<Vec<_>>(), exact.map(Some), "{rules}");
    let mut cursor = machine.cursor();
    for joint in &solution.principal_variation {
        assert!(!cursor.terminal() && (0..2).all(|role| cursor.legal(role).contains(&joint[role])));
        cursor.advance(joint).unwrap();
    }
    assert!(cursor.terminal());
    assert_eq!([cursor.goals(0)[0], cursor.goals(1)[0]], exact);
    solution
}

/// The values of a state in which one role has a choice, and the sum of the goal values is constant.
fn minimax(
    machine: &dyn Machine,
    cursor: &mut dyn Cursor,
    state: &State,
    known: &mut HashMap<State, [i32; 2]>,
) -> [i32; 2] {
    if let Some(&values) = known.get(state) {
        return values;
    }
    cursor.set(state).unwrap();
    let values = if cursor.terminal() {
        [cursor.goals(0)[0], cursor.goals(1)[0]]
    } else {
        let moves = [cursor.legal(0).to_vec(), cursor.legal(1).to_vec()];
        let mover = usize::from(moves[1].len() > 1 || machine.move_text(moves[0][0]) == "noop");
        let children = moves[mover].iter().map(|&action| {
            let mut joint = [moves[0][0], moves[1][0]];
            joint[mover] = action;
            cursor.set(state).unwrap();
            cursor.advance(&joint).unwrap();
            let next = cursor.state().clone();
            minimax(machine, cursor, &next, known)
        });
        children.max_by_key(|values| values[mover]).unwrap()
    };
    known.insert(state.clone(), values);
    values
}

/// The Grundy number of a heap.
fn grundy(size: u32, takes: &BTreeSet<u32>) -> u32 {
    let mut numbers: Vec<u32> = Vec::new();
    for size in 0..=size {
        let of = |take: &u32| size.checked_sub(*take).map(|rest| numbers[rest as usize]);
        let options: BTreeSet<u32> = takes.iter().filter_map(of).collect();
        numbers.push((0..).find(|number| !options.contains(number)).unwrap());
    }
    numbers[size as usize]
}

fn plain<'a>(sizes: &'a [u32], takes: &'a BTreeSet<u32>) -> Heaps<'a> {
    Heaps {
        sizes,
        takes,
        coding: Coding::Taken,
        winner: Winner::Last,
        turn_by_move: false,
        more: "",
        condition: "",
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn heaps_have_the_values_of_minimax(
        sizes in proptest::collection::vec(1..6_u32, 2..4),
        amounts in proptest::collection::btree_set(1..5_u32, 1..4),
        coding in prop_oneof![Just(Coding::Taken), Just(Coding::Left), Just(Coding::Unary), Just(Coding::OtherHeap)],
        winner in prop_oneof![Just(Winner::Last), Just(Winner::Remembered)],
        turn_by_move in proptest::bool::ANY,
    ) {
        let rules = Heaps { coding, winner, turn_by_move, ..plain(&sizes, &amounts) }.rules();
        let least = *amounts.first().unwrap();
        if sizes.iter().any(|&size| size >= least) {
            let solution = solved(&rules);
            // A heap from which nothing can be taken is not a part.
            let open = sizes.iter().filter(|&&size| size >= least);
            let numbers: Vec<u32> = open.map(|&size| grundy(size, &amounts)).collect();
            if numbers.len() > 1 {
                let found = solution.nim_sum.expect("the game is a sum");
                proptest::prop_assert_eq!(found.nim_sum, numbers.iter().fold(0, |sum, number| sum ^ number));
                proptest::prop_assert_eq!(found.grundy_numbers, numbers);
            }
        }
    }
}

#[test]
fn large_heaps_take_the_sum_of_their_states() {
    let all: BTreeSet<u32> = (1..=60).collect();
    for sizes in [[60, 60, 60, 60, 60, 60], [60, 51, 47, 33, 20, 10]] {
        let rules = Heaps { coding: Coding::Left, ..plain(&sizes, &all) }.rules();
        let game = load_source(&Source::from_text("nim", rules));
        let machine = &*game.machine;
        let solution =
            solve(machine, &[], machine.initial(), 64 << 20, &Limits::default(), &mut |_, _| {}).unwrap();
        let found = solution.nim_sum.unwrap();
        let nim_sum = sizes.iter().fold(0, |sum, size| sum ^ size);
        assert_eq!((found.grundy_numbers, found.nim_sum), (sizes.to_vec(), nim_sum));
        assert_eq!(solution.roles[0].value, Some(if nim_sum == 0 { 0 } else { 100 }));
        assert!(solution.nodes <= sizes.iter().map(|&size| u64::from(size) + 1).sum());
    }
}

#[test]
fn rows_of_kayles_have_their_published_numbers() {
    // A ball knocks down one pin or two neighbours: 0, 1, 2, 3, 1, 4, 3, ... (Guy and Smith 1956).
    let mut rules =
        "(role left) (role right) (other left right) (other right left) (init (control left))".to_owned();
    for (row, pins) in [("a", 3), ("b", 4), ("c", 5)] {
        (1..=pins).for_each(|pin| write!(rules, "(init (pin {row} {pin}))").unwrap());
    }
    rules += "
        (next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 5)
        (<= (legal ?p (hit ?r ?i ?i)) (true (control ?p)) (true (pin ?r ?i)))
        (<= (legal ?p (hit ?r ?i ?j)) (true (control ?p)) (true (pin ?r ?i)) (next_to ?i ?j) (true (pin ?r ?j)))
        (<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
        (<= (down ?r ?i) (does ?p (hit ?r ?i ?j)))
        (<= (down ?r ?j) (does ?p (hit ?r ?i ?j)))
        (<= (next (pin ?r ?i)) (true (pin ?r ?i)) (not (down ?r ?i)))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= some_pin (true (pin ?r ?i)))
        (<= terminal (not some_pin))
        (<= (goal ?p 100) (true (control ?q)) (other ?p ?q))
        (<= (goal ?p 0) (true (control ?p)))";
    let found = solved(&rules).nim_sum.unwrap();
    assert_eq!((found.grundy_numbers, found.nim_sum), (vec![3, 1, 4], 6));
}

#[test]
fn games_that_are_not_such_sums_keep_their_values() {
    let some = takes(&[1, 2, 3]);
    let base = || plain(&[3, 2, 4], &some);
    let games = [
        ("misère", Heaps { winner: Winner::Misere, ..base() }),
        // Right may not take three counters.
        (
            "partisan",
            Heaps {
                condition: "(may ?p ?k)",
                more: "(may left 1) (may left 2) (may left 3) (may right 1) (may right 2)",
                ..base()
            },
        ),
        (
            "pass",
            Heaps {
                // Once in the game, by either role.
                more: "(init may_pass) (<= (legal ?p pass) (true (control ?p)) (true may_pass))
            (<= passed (does ?p pass)) (<= (next may_pass) (true may_pass) (not passed))",
                ..base()
            },
        ),
        (
            "step limit",
            Heaps {
                more: "(init (step 0)) (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b)) (<= terminal (true (step 4)))",
                ..base()
            },
        ),
        // Nothing may be taken from the heap of the move before.
        (
            "last heap",
            Heaps {
                condition: "(not (true (last ?h)))",
                more: "(<= (next (last ?h)) (moved ?p ?h))
            (<= stuck (true (last h0)) (not (true (heap h0 0))) (true (heap h1 0)) (true (heap h2 0)))
            (<= stuck (true (last h1)) (not (true (heap h1 0))) (true (heap h0 0)) (true (heap h2 0)))
            (<= stuck (true (last h2)) (not (true (heap h2 0))) (true (heap h0 0)) (true (heap h1 0)))
            (<= terminal stuck)",
                ..base()
            },
        ),
        // The game is over when one heap is empty.
        ("first empty heap", Heaps { more: "(<= terminal (true (heap ?h 0)))", ..base() }),
        // A move adds a counter to another heap, which then has two sizes.
        (
            "two heaps",
            Heaps {
                coding: Coding::OtherHeap,
                more: "(<= (next (heap h1 1)) (does ?p (take h0 3)))",
                ..base()
            },
        ),
    ];
    for (name, game) in games {
        assert_ne!(solved(&game.rules()).solver, Solver::GrundyNumbers, "{name}");
    }
}
