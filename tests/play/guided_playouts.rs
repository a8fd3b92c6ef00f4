//! Promise: in playouts guided in lanes roles make the best of a few moves drawn, by functions of their own and by ends; every
//! state is one of the game, and the same seed plays the same.

use crate::sampled::{loaded, loaded_from, sampled};
use ggp::gdl::Source;
use ggp::judge::{ExactLimits, Sides, Solver};
use ggp::machine::lanes::block::{Block, Ended, Watch};
use ggp::machine::lanes::guided::LaneGuides;
use ggp::machine::lanes::program::Program;
use ggp::machine::lanes::value::{Atom, LaneValue, Sum};
use ggp::machine::lanes::word::Word;
use ggp::machine::{ChildFields, Children, JointMoves, Machine, MoveId, State};
use ggp::simulate::{Budget, Context, labels, labels_guided};

/// One role picks a number, then bob may lower it by half; it counts for ann, what is missing to 8 for bob.
const PICK: &str = "
(role ann) (role bob)
(init (turn ann))
(number 1) (number 2) (number 3) (number 4) (number 5) (number 6) (number 7) (number 8)
(<= (legal ann (pick ?n)) (number ?n) (true (turn ann)))
(<= (legal ann wait) (true (turn bob)))
(<= (legal bob wait) (true (turn ann)))
(<= (legal bob spare) (true (turn bob))) (<= (legal bob rob) (true (turn bob)))
(<= (next (turn bob)) (true (turn ann)))
(<= (next (picked ?n)) (does ann (pick ?n)))
(<= (next (picked ?n)) (true (picked ?n)))
(<= (next robbed) (does bob rob))
(<= (next over) (true (turn bob)))
(<= terminal (true over))
(<= (goal ann 0) (true robbed))
(<= (goal ann ?g) (true (picked ?n)) (worth ?n ?g) (not (true robbed)))
(<= (goal bob 100) (true robbed)) (<= (goal bob 0) (not (true robbed)))
(worth 1 10) (worth 2 20) (worth 3 30) (worth 4 40) (worth 5 50) (worth 6 60) (worth 7 70) (worth 8 80)";

/// What playouts end with: for each its number, origin, and goal conditions; and how many states were looked at.
#[derive(Default, PartialEq, Debug)]
struct Ends(Vec<(u64, usize, Vec<bool>, Vec<u64>)>);

impl Watch for Ends {
    fn ended(&mut self, block: &Block<'_>, ended: &Ended) {
        for lane in (ended.over & ended.terminal).lanes() {
            let goals = (0..block.goals()).map(|goal| block.goal(goal).lane(lane)).collect();
            self.0.push((block.playout(lane), block.origin(lane), goals, block.state(lane)));
        }
    }
}

/// A function that weighs facts.
fn weighing(machine: &dyn Machine, weights: &[(String, f64)]) -> LaneValue {
    let atom = |(fact, weight): &(String, f64)| (Atom::Fact(machine.fluent_named(fact).unwrap()), *weight);
    LaneValue::of(Sum { constant: 0.0, weights: weights.iter().map(atom).collect() }, 0.0)
}

fn played(
    program: &Program,
    functions: Vec<Option<LaneValue>>,
    sampled: usize,
    states: &[&[u64]],
    each: u64,
) -> (Ends, u64) {
    let mut guides = LaneGuides::new(program, functions, |_, goal| f64::from(goal) - 50.0, sampled).unwrap();
    let mut block = Block::new(program, 7, 3, 50);
    let mut ends = Ends::default();
    block.play_guided(states, each, &mut guides, &mut ends).unwrap();
    ends.0.sort();
    (ends, block.states())
}

#[test]
fn the_best_of_the_moves_drawn_is_made() {
    let game = loaded_from(&Source::from_text("pick", PICK));
    let machine = &*game.machine;
    let program = machine.lanes().unwrap();
    let weights: Vec<(String, f64)> = (1..=8).map(|n| (format!("(picked {n})"), f64::from(n))).collect();
    let likes = |sign: f64| {
        let signed: Vec<(String, f64)> = weights.iter().map(|(fact, n)| (fact.clone(), sign * n)).collect();
        weighing(machine, &signed)
    };
    let initial: &[u64] = &machine.initial().0;
    for sampled in [1, 2, 3, 4, 8] {
        for sign in [1.0, -1.0] {
            let each = 20_000;
            let functions = vec![Some(likes(sign)), Some(likes(0.0))];
            let (ends, states) = played(program, functions, sampled, &[initial], each);
            assert_eq!(ends.0.len() as u64, each);
            // A playout has three states, each in all its lanes.
            assert_eq!(states, 3 * each * sampled as u64);
            let share = |fact: &str| {
                let words = machine.state_of(&[machine.fluent_named(fact).unwrap()]).0;
                let (word, bit) =
                    words.iter().enumerate().find(|(_, word)| **word != 0).map(|(n, w)| (n, *w)).unwrap();
                ends.0.iter().filter(|end| end.3[word] & bit == bit).count() as f64 / each as f64
            };
            // The best of so many draws is not the best of all if none of the draws is; a worst move needs them all.
            let [best, worst] =
                if sign > 0.0 { ["(picked 8)", "(picked 1)"] } else { ["(picked 1)", "(picked 8)"] };
            let wanted = 1.0 - (7.0_f64 / 8.0).powi(sampled as i32);
            let error = 4.0 * (wanted * (1.0 - wanted) / each as f64).sqrt();
            assert!((share(best) - wanted).abs() < error, "{sampled}: {} for {wanted}", share(best));
            let wanted = (1.0_f64 / 8.0).powi(sampled as i32);
            let error = 4.0 * (wanted / each as f64).sqrt() + 1e-9;
            assert!((share(worst) - wanted).abs() < error, "{sampled}: {} for {wanted}", share(worst));
            // Ends count as what they give to who chooses: bob robs unless he draws `spare` alone.
            let wanted = 1.0 - 0.5_f64.powi(sampled as i32);
            let error = 4.0 * (wanted * (1.0 - wanted) / each as f64).sqrt();
            assert!((share("robbed") - wanted).abs() < error, "{sampled}: {} for {wanted}", share("robbed"));
        }
    }
}

/// Goes along with all playouts: every state of the first lanes is one that a legal joint move led to.
struct Follow<'m> {
    machine: &'m dyn Machine,
    before: Vec<Option<State>>,
    positions: usize,
}

impl Watch for Follow<'_> {
    fn ended(&mut self, block: &Block<'_>, ended: &Ended) {
        for lane in ended.over.lanes() {
            let mut cursor = self.machine.cursor();
            cursor.set(&State(block.state(lane).into())).unwrap();
            assert_eq!(cursor.terminal(), ended.terminal.lane(lane));
            let roles = self.machine.description().roles.len();
            let goals = (0..roles).flat_map(|role| cursor.goals(role).to_vec()).count();
            assert!(!cursor.terminal() || goals >= roles);
        }
    }

    fn position(&mut self, block: &Block<'_>) {
        for lane in (block.active() & Word::first(64)).lanes() {
            let now = State(block.state(lane).into());
            if let Some(before) = &self.before[lane] {
                let mut expander = self.machine.expander();
                let mut children = Children::default();
                expander.expand(before, JointMoves::All, ChildFields::SUCCESSORS, &mut children).unwrap();
                let mut successors = (0..children.len()).map(|child| children.state(child));
                assert!(successors.any(|state| *state == *now.0), "no move leads there");
            }
            self.positions += 1;
            self.before[lane] = Some(now);
        }
    }
}

#[test]
fn every_state_of_a_guided_playout_comes_of_a_legal_move() {
    for name in ["tic_tac_toe", "connect_four", "three_player_race", "pentago"] {
        let game = loaded(name);
        let machine = &*game.machine;
        let program = machine.lanes().unwrap();
        let nothing = |_| Some(LaneValue::of(Sum { constant: 0.5, ..Sum::default() }, 0.0));
        let roles = machine.description().roles.len();
        let functions = (0..roles).map(nothing).collect();
        let mut guides = LaneGuides::new(program, functions, |_, goal| goal.into(), 8).unwrap();
        let start = sampled(machine, 3, 6);
        let mut follow = Follow { machine, before: vec![None; 64], positions: 0 };
        Block::new(program, 1, 1, 60).play_guided(&[&start.0], 64, &mut guides, &mut follow).unwrap();
        assert!(follow.positions > 128, "{name}: {}", follow.positions);
    }
}

#[test]
fn the_same_seed_plays_the_same_and_states_may_be_of_several_phases() {
    let game = loaded("connect_four");
    let machine = &*game.machine;
    let program = machine.lanes().unwrap();
    let mut cursor = machine.cursor();
    let after_one = {
        let joint: Vec<MoveId> = (0..2).map(|role| cursor.legal(role)[0]).collect();
        cursor.advance(&joint).unwrap();
        cursor.state().clone()
    };
    let states: [&[u64]; 2] = [&machine.initial().0, &after_one.0];
    let nothing = || vec![Some(LaneValue::of(Sum::default(), 0.0)), Some(LaneValue::of(Sum::default(), 0.0))];
    let once = played(program, nothing(), 2, &states, 300);
    assert_eq!(once.0.0.len(), 600);
    assert_eq!(
        (0..2).map(|from| once.0.0.iter().filter(|end| end.1 == from).count()).collect::<Vec<_>>(),
        [300; 2]
    );
    assert_eq!(once, played(program, nothing(), 2, &states, 300));
    assert_ne!(once, played(program, nothing(), 3, &states, 300));
}

/// What play that takes an end it likes, of a few moves drawn, comes to is nearer to what a state is worth than what random play
/// comes to.
#[test]
fn guided_labels_are_nearer_to_exact_values_than_random_ones() {
    let game = loaded("tic_tac_toe");
    let machine = &*game.machine;
    let program = machine.lanes().unwrap();
    let states: Vec<State> = (0..40).map(|seed| sampled(machine, seed, 3)).collect();
    let budget = Budget { playouts: 400, seed: 5, threads: 2, ..Budget::default() };
    let context = Context { interrupt: None, progress: None };
    let worth = |_, goal: i32| if goal == 50 { 0.0 } else { f64::from(goal - 50) * f64::INFINITY };
    let nothing = || vec![Some(LaneValue::of(Sum::default(), 0.0)), Some(LaneValue::of(Sum::default(), 0.0))];
    let guides = || LaneGuides::new(program, nothing(), worth, 4);
    let guided = labels_guided(machine, program, &states, &budget, &context, &guides).unwrap();
    let alone = Budget { threads: 1, ..budget.clone() };
    assert_eq!(guided, labels_guided(machine, program, &states, &alone, &context, &guides).unwrap());
    let random = labels(machine, &states, &budget, &context).unwrap();
    let limits = ExactLimits { states: 100_000, ..ExactLimits::default() };
    let mut solver = Solver::new(machine, Sides::alone(0, 2), [0, 100], limits, None);
    let mut far = [0.0; 2];
    for ((state, guided), random) in states.iter().zip(&guided).zip(&random) {
        assert_eq!((guided.playouts, random.playouts), (400, 400));
        let exact = f64::from(solver.value(state).unwrap());
        far[0] += (guided.roles[0].mean - exact).abs();
        far[1] += (random.roles[0].mean - exact).abs();
    }
    assert!(far[0] < 0.9 * far[1], "{far:?}");
}
