//! Children computed in lanes equal the successors on the scalar machine, in the same order: states, ends, goal values and
//! legal moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::listed::own_and_large_games;
use ggp::gdl::{Source, read};
use ggp::ground::{Limits, ground};
use ggp::machine::lanes::children::LaneExpander;
use ggp::machine::lanes::engine::Engine;
use ggp::machine::lanes::program::Program;
use ggp::machine::{
    Backend, ChildFields, Children, Expander, ExpansionLimits, JointMoves, Machine, MachineError, MoveId,
    NetworkMachine, ScalarExpander, State, load,
};
use ggp::simulate::Choices;
use rayon::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games")
}

fn network(path: &Path) -> NetworkMachine {
    let reading = read(&Source::load(path).unwrap());
    let description = Arc::new(reading.description.unwrap());
    NetworkMachine::new(Arc::new(ground(&description, &Limits::default()).unwrap()))
}

/// Non-terminal states of random playouts, at every `every`-th step.
fn states(machine: &dyn Machine, playouts: u64, every: usize) -> Vec<State> {
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let mut states = Vec::new();
    for playout in 0..playouts {
        let mut choices = Choices::new(11, playout);
        cursor.set(machine.initial()).unwrap();
        for step in 0..60 {
            if cursor.terminal() || (0..roles).any(|role| cursor.legal(role).is_empty()) {
                break;
            }
            if step % every == playout as usize % every {
                states.push(cursor.state().clone());
            }
            let joint: Vec<MoveId> =
                (0..roles).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]).collect();
            cursor.advance(&joint).unwrap();
        }
    }
    states
}

fn scalar_expander(machine: &dyn Machine) -> ScalarExpander<'_> {
    ScalarExpander::new(machine.cursor(), machine.description().roles.len())
}

fn expand(expander: &mut dyn Expander, state: &State, joints: JointMoves<'_>) -> Option<Children> {
    let mut children = Children::default();
    match expander.expand(state, joints, ChildFields::ALL, &mut children) {
        Ok(()) => Some(children),
        Err(MachineError::TooManyJointMoves { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn children_equal_the_scalar_successors() {
    let compared: usize = own_and_large_games()
        .par_iter()
        .map(|path| {
            let machine = network(path);
            let roles = machine.description().roles.len();
            let mut lanes = LaneExpander::new(machine.lane_program()).unwrap();
            let (mut steps, mut either) = (scalar_expander(&machine), machine.expander());
            let mut compared = 0;
            for state in states(&machine, 2, 9) {
                for role in 0..roles {
                    let mut cursor = machine.cursor();
                    cursor.set(&state).unwrap();
                    let joint: Vec<MoveId> = (0..roles).map(|role| cursor.legal(role)[0]).collect();
                    let joints = JointMoves::OfRole { role, joint: &joint };
                    let expected = expand(&mut steps, &state, joints).unwrap();
                    assert_eq!(expected.len(), cursor.legal(role).len());
                    assert_eq!(expand(&mut lanes, &state, joints).unwrap(), expected, "{}", path.display());
                    assert_eq!(expand(&mut *either, &state, joints).unwrap(), expected);
                    compared += expected.len();
                }
                let all = expand(&mut lanes, &state, JointMoves::All);
                if let Some(all) = all.filter(|all| all.len() < 2_000) {
                    assert_eq!(
                        expand(&mut steps, &state, JointMoves::All).unwrap(),
                        all,
                        "{}",
                        path.display()
                    );
                    assert_eq!(expand(&mut *either, &state, JointMoves::All).unwrap(), all);
                    compared += all.len();
                }
            }
            assert!(compared > 0, "{}", path.display());
            compared
        })
        .sum();
    assert!(compared > 5_000, "{compared}");
}

/// Compares with a cursor too, because expanders compared only with each other could share an error.
#[test]
fn children_equal_the_steps_of_a_cursor() {
    for name in ["tic_tac_toe", "checkers", "rock_paper_scissors", "three_player_race"] {
        let machine = network(&folder().join(name).with_extension("kif"));
        let roles = machine.description().roles.len();
        let mut lanes = LaneExpander::new(machine.lane_program()).unwrap();
        let mut cursor = machine.cursor();
        for state in states(&machine, 3, 4) {
            let children = expand(&mut lanes, &state, JointMoves::All).unwrap();
            let mut before: Option<Vec<MoveId>> = None;
            for child in 0..children.len() {
                let joint = children.joint(child).to_vec();
                assert!(before.is_none_or(|before| before < joint), "joint moves come in order");
                cursor.set(&state).unwrap();
                assert!((0..roles).all(|role| cursor.legal(role).contains(&joint[role])));
                cursor.advance(&joint).unwrap();
                assert_eq!(children.state(child), &*cursor.state().0);
                assert_eq!(children.terminal(child), cursor.terminal());
                for role in 0..roles {
                    assert_eq!(children.goals(child, role), cursor.goals(role));
                    let legal = if cursor.terminal() { &[] } else { cursor.legal(role) };
                    assert_eq!(children.legal(child, role), legal);
                }
                before = Some(joint);
            }
        }
    }
}

/// More children than lanes, on every engine and on the relational machine.
#[test]
fn many_children_take_several_passes() {
    let path = folder().join("rock_paper_scissors.kif");
    let machine = network(&path);
    let state = machine.initial().clone();
    let mut cursor = machine.cursor();
    cursor.set(&state).unwrap();
    let one: Vec<MoveId> = (0..2).map(|role| cursor.legal(role)[0]).collect();
    let other: Vec<MoveId> = (0..2).map(|role| *cursor.legal(role).last().unwrap()).collect();
    let joints: Vec<MoveId> =
        (0..1300).flat_map(|n| if n % 3 == 0 { one.clone() } else { other.clone() }).collect();
    let expected = expand(&mut scalar_expander(&machine), &state, JointMoves::Given(&joints)).unwrap();
    assert_eq!(expected.len(), 1300);
    for engine in Engine::available() {
        let program = Program::with_engine(machine.lane_program().network(), engine);
        let mut lanes = LaneExpander::new(&program).unwrap();
        assert!(expand(&mut lanes, &state, JointMoves::Given(&joints)).unwrap() == expected, "{engine:?}");
    }
    let reading = read(&Source::load(&path).unwrap());
    let relational =
        load(reading.description.unwrap(), Backend::Relational, &Limits::default()).unwrap().machine;
    let children = expand(&mut *relational.expander(), relational.initial(), JointMoves::All).unwrap();
    let all =
        expand(&mut LaneExpander::new(machine.lane_program()).unwrap(), &state, JointMoves::All).unwrap();
    assert_eq!(children.len(), all.len());
    for child in 0..all.len() {
        let texts = |machine: &dyn Machine, children: &Children| -> Vec<String> {
            children.joint(child).iter().map(|&action| machine.move_text(action)).collect()
        };
        assert_eq!(texts(&*relational, &children), texts(&machine, &all));
        assert_eq!(children.goals(child, 0), all.goals(child, 0));
        assert_eq!(children.legal(child, 1).len(), all.legal(child, 1).len());
    }
}

/// Many different states at once: each is evaluated, and then advanced with a move of its own.
#[test]
fn lanes_hold_different_states() {
    for name in ["breakthrough", "hex", "three_player_race"] {
        let machine = network(&folder().join(name).with_extension("kif"));
        let roles = machine.description().roles.len();
        let states = states(&machine, 40, 2);
        assert!(states.len() > 100, "{name}: {}", states.len());
        let many: Vec<&State> = states.iter().cycle().take(700).collect();
        let mut cursor = machine.cursor();
        let mut joints = Vec::new();
        for (number, state) in many.iter().enumerate() {
            cursor.set(state).unwrap();
            joints.extend((0..roles).map(|role| cursor.legal(role)[number % cursor.legal(role).len()]));
        }
        let mut lanes = LaneExpander::new(machine.lane_program()).unwrap();
        let (mut steps, mut either) = (scalar_expander(&machine), machine.expander());
        let mut children = [(); 3].map(|()| Children::default());
        let mut expanders: [&mut dyn Expander; 3] = [&mut steps, &mut lanes, &mut *either];
        for (expander, children) in expanders.iter_mut().zip(&mut children) {
            expander.evaluate(&many, ChildFields::ALL, children).unwrap();
        }
        assert_eq!(children[0].len(), 700);
        assert_eq!(children[0].state(9), &*many[9].0);
        assert!(children[1] == children[0] && children[2] == children[0], "{name}");
        for (expander, children) in expanders.iter_mut().zip(&mut children) {
            expander.advance(&many, &joints, ChildFields::ALL, children).unwrap();
        }
        assert!(children[1] == children[0] && children[2] == children[0], "{name}");
        assert_eq!(children[0].joint(699), &joints[699 * roles..]);
    }
}

/// A game in which `roles` roles say yes or no at the same time.
fn voters(roles: usize) -> String {
    let mut rules = String::from(
        "(<= (legal ?r yes) (role ?r)) (<= (legal ?r no) (role ?r)) (<= (next (said ?r)) (does ?r yes))
         (<= terminal (true (said ?r))) (<= (goal ?r 100) (true (said ?r)))
         (<= (goal ?r 0) (role ?r) (not (true (said ?r))))",
    );
    (0..roles).for_each(|role| rules.push_str(&format!("(role v{role})")));
    rules
}

#[test]
fn expansion_stops_at_the_requested_number_of_children() {
    let description = read(&Source::from_text("voters", voters(16))).description.unwrap();
    for backend in [Backend::Lanes, Backend::Network, Backend::Relational] {
        let game = load(description.clone(), backend, &Limits::default()).unwrap();
        let machine = &*game.machine;
        let mut expander = machine.expander();
        let mut made = |limits: ExpansionLimits<'_>| {
            let mut children = Children::default();
            let wanted = ChildFields::SUCCESSORS;
            let result =
                expander.expand_within(limits, machine.initial(), JointMoves::All, wanted, &mut children);
            (result.err(), children.len())
        };
        let (error, children) = made(ExpansionLimits { children: Some(1_000), ..ExpansionLimits::UNLIMITED });
        assert!(
            matches!(error, Some(MachineError::TooManyChildren { most: 1_000 })),
            "{backend:?}: {error:?}"
        );
        // An expander that works in blocks completes the last one.
        assert!(children < 4_000, "{backend:?}: {children}");

        let flag = AtomicBool::new(true);
        let (error, children) =
            made(ExpansionLimits { interrupt: Some(&flag), ..ExpansionLimits::UNLIMITED });
        assert!(matches!(error, Some(MachineError::Stopped { interrupted: true })), "{backend:?}: {error:?}");
        assert!(children < 4_000, "{backend:?}: {children}");

        let (error, _) =
            made(ExpansionLimits { deadline: Some(Instant::now()), ..ExpansionLimits::UNLIMITED });
        assert!(
            matches!(error, Some(MachineError::Stopped { interrupted: false })),
            "{backend:?}: {error:?}"
        );
        assert_eq!(made(ExpansionLimits::UNLIMITED).1, 1 << 16, "{backend:?}");
    }
}
