//! Labels are the mean results of random play from a state, in lanes and on the scalar machine.

use std::path::Path;
use std::sync::Arc;

use ggp::gdl::{Source, read};
use ggp::ground::{Limits, ground};
use ggp::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use ggp::machine::{
    ChildFields, Children, Expander, JointMoves, Machine, MoveId, NetworkMachine, ScalarExpander, State,
};
use ggp::simulate::{Budget, Choices, Context, Label, labels, labels_sequential};

fn network(name: &str) -> NetworkMachine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("kif");
    let description = Arc::new(read(&Source::load(&path).unwrap()).description.unwrap());
    NetworkMachine::new(Arc::new(ground(&description, &Limits::default()).unwrap()))
}

/// All states of some random playouts, including terminal ones.
fn states(machine: &dyn Machine, playouts: u64) -> Vec<State> {
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let mut states = Vec::new();
    for playout in 0..playouts {
        let mut choices = Choices::new(5, playout);
        cursor.set(machine.initial()).unwrap();
        loop {
            states.push(cursor.state().clone());
            if cursor.terminal() {
                break;
            }
            let joint: Vec<MoveId> =
                (0..roles).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]).collect();
            cursor.advance(&joint).unwrap();
        }
    }
    states
}

fn budget(playouts: u64) -> Budget {
    Budget { playouts, max_steps: 300, seed: 3, ..Budget::default() }
}

fn label(machine: &dyn Machine, states: &[State], playouts: u64) -> Vec<Label> {
    labels(machine, states, &budget(playouts), &Context::default()).unwrap()
}

/// The allowed error of a mean of `count` values with this variance.
fn error(variance: f64, count: u64) -> f64 {
    5.5 * (variance / count as f64).sqrt() + 1e-9
}

#[test]
fn lane_means_agree_with_scalar_playouts() {
    for name in
        ["tic_tac_toe", "connect_four", "breakthrough", "rock_paper_scissors", "three_player_race", "hex"]
    {
        let machine = network(name);
        let states: Vec<State> = states(&machine, 2).into_iter().step_by(9).collect();
        let playouts = 1_000;
        let lanes = label(&machine, &states, playouts);
        let scalar = labels_sequential(&machine, &states, &budget(playouts), &Context::default()).unwrap();
        for (lanes, scalar) in lanes.iter().zip(&scalar) {
            assert_eq!((lanes.playouts, scalar.playouts), (playouts, playouts));
            assert_eq!((lanes.terminal, lanes.capped), (playouts, 0), "{name}");
            let length = (lanes.mean_length - scalar.mean_length).abs();
            assert!(length <= 0.05 * scalar.mean_length + 0.2, "{name}: {lanes:?} {scalar:?}");
            for (one, other) in lanes.roles.iter().zip(&scalar.roles) {
                assert_eq!(one.scored, other.scored);
                let allowed = error(one.variance + other.variance, playouts) + 0.3;
                assert!((one.mean - other.mean).abs() < allowed, "{name}: {one:?} {other:?}");
            }
        }
    }
}

/// If every successor is terminal, the mean over joint moves is known. If all have the same goals, the label is exact.
#[test]
fn states_one_step_before_the_end_have_exact_labels() {
    for name in ["tic_tac_toe", "connect_four_4x4", "rock_paper_scissors", "nim", "quarto"] {
        let machine = network(name);
        let roles = machine.description().roles.len();
        let mut steps = ScalarExpander::new(machine.cursor(), roles);
        let mut last = Vec::new();
        for state in states(&machine, 60) {
            let mut children = Children::default();
            steps.expand(&state, JointMoves::All, ChildFields::OUTCOME, &mut children).unwrap();
            if !children.is_empty() && (0..children.len()).all(|child| children.terminal(child)) {
                last.push((state, children));
            }
        }
        assert!(last.len() > 5, "{name}: {}", last.len());
        let states: Vec<State> = last.iter().map(|(state, _)| state.clone()).collect();
        for (label, (_, children)) in label(&machine, &states, 3_000).iter().zip(&last) {
            assert_eq!((label.terminal, label.mean_length), (3_000, 1.0), "{name}");
            for role in 0..roles {
                let goal = |child: usize| f64::from(children.goals(child, role)[0]);
                let count = children.len() as f64;
                let mean = (0..children.len()).map(goal).sum::<f64>() / count;
                let variance =
                    (0..children.len()).map(|child| (goal(child) - mean).powi(2)).sum::<f64>() / count;
                let found = label.roles[role];
                assert!((found.mean - mean).abs() <= error(variance, 3_000), "{name}: {found:?}, not {mean}");
                assert_eq!(found.variance == 0.0, variance == 0.0, "{name}");
            }
        }
    }
}

#[test]
fn labels_do_not_depend_on_threads() {
    let machine = network("connect_four");
    let states = states(&machine, 5);
    let label = |threads| {
        let budget = Budget { threads, ..budget(700) };
        labels(&machine, &states, &budget, &Context::default()).unwrap()
    };
    let one = label(1);
    assert_eq!(one, label(2));
    let mut cursor = machine.cursor();
    for (label, state) in one.iter().zip(&states) {
        cursor.set(state).unwrap();
        if cursor.terminal() {
            assert_eq!(label.mean_length, 0.0);
            assert_eq!(label.roles[0].mean, f64::from(cursor.goals(0)[0]));
        } else {
            assert!(label.mean_length >= 1.0);
        }
    }
}

struct Count(Vec<u64>);

impl BlockObserver for Count {
    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        ended.over.lanes().for_each(|lane| self.0[block.origin(lane)] += 1);
    }
}

/// Unreachable states can be played too: one without facts and one with all facts.
#[test]
fn playouts_can_start_in_any_state() {
    let machine = network("tic_tac_toe");
    let reached: Vec<State> = states(&machine, 2);
    let empty = State(vec![0; reached[0].0.len()].into());
    let full = State(reached[0].0.iter().map(|_| !0).collect());
    for strange in [empty, full] {
        let mut all = reached.clone();
        all.push(strange);
        let words: Vec<&[u64]> = all.iter().map(|state| &*state.0).collect();
        let mut count = Count(vec![0; all.len()]);
        // Each state gets the given number of playouts, including none and more than there are lanes.
        let playouts: Vec<u32> = (0..words.len()).map(|state| [77, 0, 600, 1][state % 4]).collect();
        Block::new(machine.lane_program(), 1, 0, 20).play_from(&words, &playouts, &mut count).unwrap();
        let wanted: Vec<u64> = playouts.iter().copied().map(u64::from).collect();
        assert_eq!(count.0, wanted);
    }
}
