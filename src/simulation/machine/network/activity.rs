//! Estimates how often the nodes of a network change, from a short random walk.

use super::evaluate::{evaluate, holds};
use crate::ground::Network;

/// Number of gates evaluated on the walk, within the bounds of [`STEPS`].
const GATES: usize = 1 << 20;

/// Minimum and maximum number of steps.
const STEPS: (usize, usize) = (32, 256);

/// The number of steps, and the changes of every node on the walk. Deterministic for a network; only speed depends on it.
pub(super) fn activity(network: &Network) -> (usize, Vec<u32>) {
    let steps = (GATES / network.gates().max(1)).clamp(STEPS.0, STEPS.1);
    let mut walk = RandomWalk { network, values: vec![0; network.nodes as usize], random: 1 };
    walk.begin();
    let mut before = walk.values.clone();
    let mut changes = vec![0; network.nodes as usize];
    for _ in 0..steps {
        if !walk.choose() {
            walk.begin();
            if !walk.choose() {
                break;
            }
        }
        for ((changes, before), &value) in changes.iter_mut().zip(&mut before).zip(&walk.values) {
            *changes += u32::from(std::mem::replace(before, value) != value);
        }
        walk.step();
    }
    (steps, changes)
}

struct RandomWalk<'a> {
    network: &'a Network,
    values: Vec<u8>,
    random: u64,
}

impl RandomWalk<'_> {
    /// Goes to the initial state.
    fn begin(&mut self) {
        self.values.fill(0);
        for (value, &holds) in self.values[1..].iter_mut().zip(&self.network.initial) {
            *value = u8::from(holds);
        }
        evaluate(self.network, &mut self.values);
    }

    /// Chooses a move for every role; false if the walk has ended.
    fn choose(&mut self) -> bool {
        if holds(&self.values, self.network.terminal) {
            return false;
        }
        let mut chosen = Vec::new();
        for moves in &self.network.moves {
            let legal: Vec<u32> =
                moves.iter().filter(|m| holds(&self.values, m.legal)).map(|m| m.input).collect();
            // The constants of Knuth's MMIX; the low bits are weak.
            self.random =
                self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(&input) = legal.get((self.random >> 33) as usize % legal.len().max(1)) else {
                return false;
            };
            chosen.push(input);
        }
        chosen.iter().for_each(|&input| self.values[input as usize] = 1);
        evaluate(self.network, &mut self.values);
        true
    }

    /// Plays the chosen moves.
    fn step(&mut self) {
        let next: Vec<u8> =
            self.network.next.iter().map(|&next| u8::from(holds(&self.values, next))).collect();
        self.values[1..=next.len()].copy_from_slice(&next);
        let inputs = self.network.moves.iter().flatten().map(|action| action.input as usize);
        inputs.for_each(|input| self.values[input] = 0);
        evaluate(self.network, &mut self.values);
    }
}
