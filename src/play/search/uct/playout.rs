//! Playouts of UCT: moves with good results in other states are likelier.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::machine::{Cursor, MoveId};

/// For each role the mean goal value, from 0 to 1, of playouts in which it played a move (MAST: Finnsson and Björnsson
/// 2008).
pub(super) struct Averages {
    roles: Vec<Vec<(u32, f64)>>,
    temperature: Option<f64>,
    /// The role that moves at random, if any.
    random: Option<usize>,
}

impl Averages {
    pub(super) fn new(roles: usize, temperature: Option<f64>, random: Option<usize>) -> Averages {
        Averages { roles: vec![Vec::new(); roles], temperature, random }
    }

    /// The mean after a move; 1 if it was never played, so that it will be.
    pub(super) fn of(&self, role: usize, action: MoveId) -> f64 {
        match self.roles[role].get(action.0 as usize) {
            Some(&(visits, sum)) if visits > 0 => sum / f64::from(visits),
            _ => 1.0,
        }
    }

    pub(super) fn add(&mut self, role: usize, action: MoveId, value: f64) {
        let of_role = &mut self.roles[role];
        let index = action.0 as usize;
        if of_role.len() <= index {
            of_role.resize(index + 1, (0, 0.0));
        }
        of_role[index].0 += 1;
        of_role[index].1 += value;
    }

    /// Draws a joint move: for each role by the Gibbs distribution over its averages, exp(mean / temperature); uniformly
    /// without a temperature, and for the role `random`. False if a role has no legal move.
    pub(super) fn draw(
        &self,
        cursor: &dyn Cursor,
        chance: &mut Chance,
        weights: &mut Vec<f64>,
        joint: &mut Vec<MoveId>,
    ) -> bool {
        joint.clear();
        for role in 0..self.roles.len() {
            let legal = cursor.legal(role);
            let index = match legal {
                [] => return false,
                [_] => 0,
                _ => {
                    weights.clear();
                    let weight =
                        |&action: &MoveId| match self.temperature.filter(|_| Some(role) != self.random) {
                            Some(temperature) => (self.of(role, action) / temperature).exp(),
                            None => 1.0,
                        };
                    weights.extend(legal.iter().map(weight));
                    chance.weighted(weights)
                }
            };
            joint.push(legal[index]);
        }
        true
    }
}

/// Random choices of a search: each simulation has its own stream.
pub(super) struct Chance(ChaCha8Rng);

impl Chance {
    pub(super) fn new(seed: u64, simulation: u64) -> Chance {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(simulation);
        Chance(generator)
    }

    /// A number from 0 to below 1.
    pub(super) fn share(&mut self) -> f64 {
        self.0.random::<f64>()
    }

    /// An index with a probability proportional to its weight; the weights are positive.
    pub(super) fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.share() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        weights.len().saturating_sub(1)
    }
}
