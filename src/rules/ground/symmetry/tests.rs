//! Tests with small games whose symmetry groups are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::gdl::{Source, read};
use crate::ground::network::Segment;
use crate::ground::{Limits, Lit, ground};

fn symmetries(name: &str, rules: &str) -> (Network, BTreeSet<Symmetry>) {
    let description = read(&Source::from_text(name, rules)).description.unwrap();
    let network = ground(&Arc::new(description), &Limits::default()).unwrap().network;
    let roles = network.moves.len();
    let generators = super::symmetries(&network, &vec![0; roles], &mut |_| true);
    assert!(!generators.cut_short);
    let order = generators.order();
    // The group that the generators generate.
    let mut all = BTreeSet::from([Symmetry::identity(network.next.len(), roles)]);
    let mut new: Vec<Symmetry> = all.iter().cloned().collect();
    while let Some(one) = new.pop() {
        for generator in &generators.found {
            let next = one.then(generator);
            if all.insert(next.clone()) {
                new.push(next);
            }
        }
    }
    assert_eq!(order, Some(all.len() as u64), "{name}");
    (network, all)
}

fn of_game(file: &str) -> (Network, BTreeSet<Symmetry>) {
    let path = format!("{}/../../games/{file}.kif", env!("CARGO_MANIFEST_DIR"));
    symmetries(file, &std::fs::read_to_string(path).unwrap())
}

#[test]
fn tic_tac_toe_has_eight_symmetries_and_an_exchange_of_colours() {
    let (_, all) = of_game("tic_tac_toe");
    assert_eq!(all.len(), 16);
    assert_eq!(all.iter().filter(|symmetry| symmetry.keeps_roles()).count(), 8);
}

#[test]
fn known_boards_have_their_known_groups() {
    // Reflections of the columns, exchange of left and right, and exchange of inner and outer squares, each with or without
    // exchange of colours.
    for (file, all, of_roles) in
        [("connect_four", 4, 2), ("breakthrough", 4, 2), ("nine_mens_morris", 32, 16), ("chess", 2, 1)]
    {
        let (_, found) = of_game(file);
        assert_eq!(found.len(), all, "{file}");
        assert_eq!(found.iter().filter(|symmetry| symmetry.keeps_roles()).count(), of_roles, "{file}");
    }
    for (file, all) in [("knights_tour", 8), ("lights_out", 8), ("maze", 1), ("sokoban", 1)] {
        assert_eq!(of_game(file).1.len(), all, "{file}");
    }
}

/// Lines that are derived cell by cell have a direction, which flat gates don't have.
#[test]
fn flat_gates_have_more_symmetries() {
    for (file, own, flat) in [("connect_four_4x4", 1, 2), ("pentago", 1, 8), ("tic_tac_toe", 8, 8)] {
        let path = format!("{}/../../games/{file}.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let description = read(&Source::from_text(file, text)).description.unwrap();
        let network = ground(&Arc::new(description), &Limits::default()).unwrap().network;
        assert_eq!(super::symmetries(&network, &[0, 1], &mut |_| true).order(), Some(own), "{file}");
        assert_eq!(symmetries_of_flat(&network, &[0, 1], &mut |_| true).order(), Some(flat), "{file}");
    }
}

/// Three players who take turns can be rotated, but no two of them can be exchanged.
#[test]
fn three_players_have_a_rotation_symmetry() {
    let (_, all) = of_game("three_player_race");
    let roles: BTreeSet<Vec<u32>> = all.iter().map(|symmetry| symmetry.roles.to_vec()).collect();
    assert_eq!(roles, BTreeSet::from([vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1]]));
}

/// In random games, a state and its image have images of each other's successors, ends and goals.
#[test]
fn the_image_of_a_game_is_a_game() {
    for file in ["connect_four", "breakthrough", "gold_rush", "two_against_two"] {
        let (network, all) = of_game(file);
        let machine = Evaluated::new(&network);
        for symmetry in all {
            machine.compare(&symmetry, 60);
        }
    }
}

/// A network, evaluated one gate after the other.
struct Evaluated<'a> {
    network: &'a Network,
}

impl Evaluated<'_> {
    fn new(network: &Network) -> Evaluated<'_> {
        assert!(network.segments.iter().all(|segment| matches!(segment, Segment::Straight(_))));
        Evaluated { network }
    }

    /// The value of every node for these true fluents and this move of each role.
    fn values(&self, state: &[bool], moves: &[Option<u32>]) -> Vec<bool> {
        let network = self.network;
        let mut values = vec![false; network.nodes as usize];
        values[1..=state.len()].copy_from_slice(state);
        moves.iter().flatten().for_each(|&input| values[input as usize] = true);
        for gate in 0..network.gates() {
            let holds =
                network.gate(gate).iter().all(|operand| values[operand.node() as usize] != operand.negated());
            values[network.first_gate as usize + gate] = holds;
        }
        values
    }

    /// Plays at random, and compares legal moves, goals and successors of each state with those of its image.
    fn compare(&self, symmetry: &Symmetry, steps: u64) {
        let network = self.network;
        let image = |state: &[bool]| {
            let mut image = vec![false; state.len()];
            state.iter().zip(&symmetry.bits).for_each(|(&holds, &bit)| image[bit as usize] = holds);
            image
        };
        let of = |values: &[bool], literal: Lit| values[literal.node() as usize] != literal.negated();
        let mut state = network.initial.clone();
        let mut draw = 1_u64;
        for _ in 0..steps {
            let here = self.values(&state, &vec![None; network.moves.len()]);
            let there = self.values(&image(&state), &vec![None; network.moves.len()]);
            assert_eq!(of(&here, network.terminal), of(&there, network.terminal));
            let mut made = Vec::new();
            for (role, &other) in symmetry.roles.iter().enumerate() {
                let goals = |values: &[bool], role: usize| -> Vec<i32> {
                    network.goals[role].iter().filter(|goal| of(values, goal.1)).map(|goal| goal.0).collect()
                };
                assert_eq!(goals(&here, role), goals(&there, other as usize));
                let legal = |values: &[bool], role: usize| -> Vec<u32> {
                    network.moves[role]
                        .iter()
                        .filter(|made| of(values, made.legal))
                        .map(|made| made.input)
                        .collect()
                };
                let (mine, theirs) = (legal(&here, role), legal(&there, other as usize));
                assert_eq!(mine.len(), theirs.len());
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                made.push((!mine.is_empty()).then(|| mine[(draw >> 33) as usize % mine.len()]));
            }
            if of(&here, network.terminal) || made.contains(&None) {
                state.clone_from(&network.initial);
                continue;
            }
            // Some joint move leads from the image of the state to the image of the successor.
            let next = |state: &[bool], made: &[Option<u32>]| -> Vec<bool> {
                let values = self.values(state, made);
                network.next.iter().map(|&next| of(&values, next)).collect()
            };
            let after = next(&state, &made);
            let wanted = image(&after);
            let choices: Vec<Vec<u32>> = (0..made.len())
                .map(|role| {
                    network.moves[role].iter().filter(|m| of(&there, m.legal)).map(|m| m.input).collect()
                })
                .collect();
            let mut joint: Vec<Vec<Option<u32>>> = vec![Vec::new()];
            for choices in choices {
                joint = joint
                    .into_iter()
                    .flat_map(|made| choices.iter().map(move |&one| [made.clone(), vec![Some(one)]].concat()))
                    .collect();
            }
            assert!(joint.iter().any(|made| next(&image(&state), made) == wanted));
            state = after;
        }
    }
}

#[test]
fn a_stopped_search_returns_its_generators() {
    let path = format!("{}/../../games/nine_mens_morris.kif", env!("CARGO_MANIFEST_DIR"));
    let description =
        read(&Source::from_text("m", std::fs::read_to_string(path).unwrap())).description.unwrap();
    let network = ground(&Arc::new(description), &Limits::default()).unwrap().network;
    let mut whole = 0;
    let all = super::symmetries(&network, &[0, 0], &mut |work| {
        whole += work;
        true
    });
    for share in [0, 2, 6, 9] {
        let mut left = whole * share / 10;
        let found = super::symmetries(&network, &[0, 0], &mut |work| match left.checked_sub(work) {
            Some(less) => {
                left = less;
                true
            }
            None => false,
        });
        assert!(found.cut_short && found.found.len() <= all.found.len());
        assert_eq!(found.found[..], all.found[..found.found.len()]);
    }
    // Roles of different kinds are not exchanged.
    assert!(super::symmetries(&network, &[0, 1], &mut |_| true).found.iter().all(Symmetry::keeps_roles));
}
