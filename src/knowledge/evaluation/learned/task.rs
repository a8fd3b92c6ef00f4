//! The inputs of learning: the game, its players, the parameters, and the limit of work.

use crate::ground::Network;
use crate::machine::Machine;
use crate::simulate::WorkLimit;

use super::super::scaled_feature::rewards;
use super::parameters::LearnedParameters;

/// A game whose functions are learned.
pub(super) struct Task<'a> {
    pub(super) machine: &'a dyn Machine,
    pub(super) network: &'a Network,
    pub(super) parameters: &'a LearnedParameters,
    /// The roles that choose their moves: all except `random`.
    pub(super) players: Vec<usize>,
    /// The least and the greatest goal value of every role.
    pub(super) rewards: Vec<[i32; 2]>,
    pub(super) work_limit: &'a WorkLimit<'a>,
}

impl<'a> Task<'a> {
    /// The task of learning a game; none if the game is played without a network.
    pub(super) fn new(
        machine: &'a dyn Machine,
        parameters: &'a LearnedParameters,
        work_limit: &'a WorkLimit<'a>,
    ) -> Option<Task<'a>> {
        let players = machine.description().players().collect();
        let roles = 0..machine.description().roles.len();
        let rewards = roles.map(|role| rewards(machine, role)).collect();
        Some(Task { machine, network: machine.network()?, parameters, players, rewards, work_limit })
    }
}
