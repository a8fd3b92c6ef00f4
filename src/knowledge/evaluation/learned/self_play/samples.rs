//! Training samples: states of games, each with the share of the goal value that every role can expect.

use std::sync::Arc;

use crate::machine::State;

use super::super::model::Model;
use super::super::model::conjunctions::bits_of;
use super::super::model::none_of::NoneOf;
use super::game::PlayedGame;
use super::turn_facts::TurnFacts;

/// One in this many games is held out: the states of these games are the validation set.
const HELD_OUT: u64 = 10;

/// The number of a game's states that are added (approximately). They share the game's outcome, so more states of one
/// game add less information than states of other games.
const PER_GAME: usize = 16;

/// One in this many of a game's added states is added together with a sibling.
const SIBLINGS: usize = 2;

/// States with targets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// The additional bits of states.
    pub(crate) none_of: Arc<NoneOf>,
    /// The number of words of a state, including these bits.
    width: usize,
    words: Vec<u64>,
    /// For each role the target of each state, 0 to 1.
    targets: Vec<Vec<f32>>,
    /// For each state the number of its game.
    game_of: Vec<u64>,
    /// The indices of the states in the training set.
    pub(crate) training: Vec<u32>,
    /// The indices of the states in the validation set.
    held_out: Vec<u32>,
    /// The facts that show whose turn it is in the first round's games.
    pub(crate) turn_facts: TurnFacts,
}

impl Samples {
    pub(crate) fn new(none_of: Arc<NoneOf>, roles: usize) -> Samples {
        let width = none_of.words();
        Samples { none_of, width, targets: vec![Vec::new(); roles], ..Samples::default() }
    }

    /// The same roles and turn facts, without states, for states with other additional bits.
    pub(crate) fn restarted(&mut self, none_of: Arc<NoneOf>) -> Samples {
        let turn_facts = std::mem::take(&mut self.turn_facts);
        Samples { turn_facts, ..Samples::new(none_of, self.targets.len()) }
    }

    pub(crate) fn len(&self) -> usize {
        self.targets.first().map_or(0, Vec::len)
    }

    /// The number of games that states are from.
    pub(crate) fn games(&self) -> usize {
        self.game_of.chunk_by(|one, other| one == other).count()
    }

    /// The words of a state, with the bits of groups.
    pub(crate) fn state(&self, number: u32) -> &[u64] {
        &self.words[number as usize * self.width..(number as usize + 1) * self.width]
    }

    /// The validation set: the held-out states, or all states if none is held out.
    pub(crate) fn validation(&self) -> &[u32] {
        if self.held_out.is_empty() { &self.training } else { &self.held_out }
    }

    /// The bits among these that are facts of the state.
    pub(crate) fn facts(&self, bits: &[u32]) -> Vec<u32> {
        bits.iter().copied().filter(|&bit| bit < self.none_of.bit_of(0)).collect()
    }

    /// The share of its goal value that a role can expect in a state.
    pub(crate) fn target(&self, role: usize, number: u32) -> f64 {
        f64::from(self.targets[role][number as usize])
    }

    /// Whether all roles are players, and there are two with opposed goals: their targets add up to 1 in every state.
    pub(crate) fn opposed(&self, players: usize) -> bool {
        match &self.targets[..] {
            [one, other] if players == 2 => {
                one.iter().zip(other).all(|(one, other)| (one + other - 1.0).abs() < 1e-4)
            }
            _ => false,
        }
    }

    /// Whether a role's targets are all the same.
    pub(crate) fn constant(&self, role: usize) -> bool {
        self.targets[role].windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-6)
    }

    /// Adds states of a game, with targets by TD(λ) from the values of the models that played it; without models the
    /// target is the outcome. Without an outcome, targets come from values alone. Not every state of a long game is
    /// added.
    ///
    /// Siblings, which were not played, are added as well with their backed-up values: a search visits such states far
    /// more often than those of good games (TreeStrap, Veness et al. 2009).
    pub(crate) fn add(&mut self, game: &PlayedGame, models: Option<&[Model]>, lambda: f64, number: u64) {
        let roles = self.targets.len();
        if models.is_none() {
            self.turn_facts.add(roles, game);
        }
        let values: Option<Vec<Vec<f64>>> =
            models.map(|models| game.states.iter().map(|state| shares_of(models, state)).collect());
        let value = |index: usize, role: usize| values.as_ref().map(|values| values[index][role]);
        let backup = |index: usize| game.backups.get(index).and_then(Option::as_ref);
        let mut targets: Vec<Vec<f64>> = Vec::with_capacity(game.states.len());
        let mut ahead: Option<Vec<f64>> = game.outcome.clone();
        for index in (0..game.states.len()).rev() {
            let mut target = match (&ahead, index + 1 == game.states.len()) {
                (Some(ahead), true) => ahead.clone(),
                (Some(ahead), false) => (0..roles)
                    .map(|role| {
                        let backed_up = backup(index).map(|backup| backup.values[role]);
                        match backed_up.or_else(|| value(index + 1, role)) {
                            Some(next) => (1.0 - lambda) * next + lambda * ahead[role],
                            None => ahead[role],
                        }
                    })
                    .collect(),
                (None, _) => match (0..roles).map(|role| value(index, role)).collect::<Option<Vec<f64>>>() {
                    Some(values) => values,
                    None => return,
                },
            };
            // After a random move, the target is the value of the best move, unless the random move had a better
            // result.
            if let Some((chooser, best)) = &game.forgone[index]
                && best[*chooser] > target[*chooser]
            {
                target.clone_from(best);
            }
            ahead = Some(target.clone());
            targets.push(target);
        }
        let stride = game.states.len().div_ceil(PER_GAME).max(1);
        let first = number as usize % stride;
        for (index, target) in targets.iter().rev().enumerate().skip(first).step_by(stride) {
            self.push(&game.states[index], target, number);
            if let Some((state, target)) = backup(index).and_then(|backup| backup.sibling.as_ref())
                && (index / stride + number as usize).is_multiple_of(SIBLINGS)
            {
                self.push(state, target, number);
            }
        }
    }

    fn push(&mut self, state: &State, target: &[f64], game: u64) {
        let index = self.len() as u32;
        let is_held_out = game % HELD_OUT == HELD_OUT - 1;
        self.game_of.push(game);
        if is_held_out { &mut self.held_out } else { &mut self.training }.push(index);
        self.none_of.extend(&state.0, &mut self.words);
        self.targets.iter_mut().zip(target).for_each(|(all, &one)| all.push(one as f32));
    }

    /// The number of states in which each bit is set.
    pub(crate) fn support(&self) -> Vec<u64> {
        let mut support = vec![0; self.width * 64];
        for state in self.words.chunks_exact(self.width.max(1)) {
            bits_of(state).for_each(|bit| support[bit as usize] += 1);
        }
        support
    }

    /// Removes all but the last `most` states.
    pub(crate) fn keep_last(&mut self, most: usize) {
        let Some(over) = self.len().checked_sub(most).filter(|&over| over > 0) else { return };
        self.words.drain(..over * self.width);
        self.game_of.drain(..over);
        self.targets.iter_mut().for_each(|of_role| drop(of_role.drain(..over)));
        for numbers in [&mut self.training, &mut self.held_out] {
            numbers.retain(|&number| number as usize >= over);
            numbers.iter_mut().for_each(|number| *number -= over as u32);
        }
    }
}

/// Each role's value of a state by its model.
fn shares_of(models: &[Model], state: &State) -> Vec<f64> {
    let mut shares = Vec::with_capacity(models.len());
    for model in models {
        shares.push(match model.is_opposite {
            true => 1.0 - shares[0],
            false => model.share(&model.none_of.extended(&state.0)),
        });
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models without weights: they value every state at a half.
    fn untrained() -> [Model; 2] {
        [(); 2].map(|()| Model::of_conjunctions(&Arc::default(), Vec::new(), &[0; 64]))
    }

    fn game(forgone: Option<(usize, Vec<f64>)>) -> PlayedGame {
        PlayedGame {
            states: (1..=3).map(|word| State(Box::new([word]))).collect(),
            forgone: vec![None, forgone, None],
            outcome: Some(vec![1.0, 0.0]),
            ..PlayedGame::default()
        }
    }

    fn targets(samples: &Samples, role: usize) -> Vec<f64> {
        (0..samples.len() as u32).map(|number| samples.target(role, number)).collect()
    }

    #[test]
    fn without_values_every_state_has_the_outcome() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        samples.add(&game(None), None, 0.5, 0);
        assert_eq!(targets(&samples, 0), [1.0; 3]);
        assert_eq!(targets(&samples, 1), [0.0; 3]);
        assert!(samples.opposed(2));
        assert_eq!((samples.state(2), samples.training.len(), samples.held_out.len()), (&[3][..], 3, 0));
    }

    #[test]
    fn temporal_differences_mix_the_next_value_with_the_rest() {
        let models = untrained();
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        samples.add(&game(None), Some(&models), 0.5, 9);
        // 1; 0.5 * 0.5 + 0.5 * 1; 0.5 * 0.5 + 0.5 * 0.75.
        assert_eq!(targets(&samples, 0), [0.625, 0.75, 1.0]);
        assert_eq!(targets(&samples, 1), [0.375, 0.25, 0.0]);
        assert_eq!((samples.training.len(), samples.held_out.len()), (0, 3));
    }

    #[test]
    fn a_random_move_counts_only_if_it_was_better() {
        let models = untrained();
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        // The second role drew its move; its best move was worth 0.6.
        samples.add(&game(Some((1, vec![0.4, 0.6]))), Some(&models), 0.5, 0);
        assert!(targets(&samples, 0).iter().zip([0.45, 0.4, 1.0]).all(|(a, b)| (a - b).abs() < 1e-6));
        // The first role did, with a better outcome than the 0.6 of its best move.
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        samples.add(&game(Some((0, vec![0.6, 0.4]))), Some(&models), 0.5, 0);
        assert_eq!(targets(&samples, 0), [0.625, 0.75, 1.0]);
    }

    #[test]
    fn the_oldest_states_go_first() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        (8..10).for_each(|number| samples.add(&game(None), None, 1.0, number));
        samples.keep_last(4);
        assert_eq!(
            (samples.len(), &samples.training[..], &samples.held_out[..]),
            (4, &[0][..], &[1, 2, 3][..])
        );
        assert_eq!(samples.state(0), [3]);
        assert_eq!(samples.support()[..2], [3, 3]);
    }
}
