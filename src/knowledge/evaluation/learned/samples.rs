//! States of games with what each role is to expect of them.

use std::sync::Arc;

use crate::machine::State;

use super::none_of::NoneOf;
use super::policy::Policy;
use super::self_play::Played;

/// One game in so many is kept back to tell when a fit stops to help.
const HELD_OUT: u64 = 10;

/// States of a game that are kept, about: more of one game tell less than those of others, as they share its outcome.
const OF_A_GAME: usize = 16;

/// Of so many states of a game one is accompanied by a state beside the game.
const ASIDES: usize = 2;

/// States with targets.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// What states are given bits for besides their own.
    pub(super) none_of: Arc<NoneOf>,
    /// Words of a state with these bits.
    width: usize,
    words: Vec<u64>,
    /// For each role one for each state, 0 to 1.
    targets: Vec<Vec<f32>>,
    /// For each state the number of its game.
    of_game: Vec<u64>,
    /// The numbers of the states to fit to, and of those kept back.
    pub(super) fitted: Vec<u32>,
    pub(super) held_out: Vec<u32>,
}

impl Samples {
    /// No states yet, for so many roles.
    pub(super) fn new(none_of: Arc<NoneOf>, roles: usize) -> Samples {
        let width = none_of.words();
        Samples { none_of, width, targets: vec![Vec::new(); roles], ..Samples::default() }
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.targets.first().map_or(0, Vec::len)
    }

    /// Number of games that they are from.
    pub(super) fn games(&self) -> usize {
        self.of_game.chunk_by(|one, other| one == other).count()
    }

    /// The words of a state, with the bits of groups.
    pub(super) fn state(&self, number: u32) -> &[u64] {
        &self.words[number as usize * self.width..(number as usize + 1) * self.width]
    }

    /// Those of some bits that stand for facts.
    pub(super) fn facts(&self, bits: &[u32]) -> Vec<u32> {
        bits.iter().copied().filter(|&bit| bit < self.none_of.bit_of(0)).collect()
    }

    /// What a role is to expect of a state.
    pub(super) fn target(&self, role: usize, number: u32) -> f64 {
        f64::from(self.targets[role][number as usize])
    }

    /// Whether two roles always share the whole, whatever one of them gets.
    pub(super) fn opposed(&self) -> bool {
        match &self.targets[..] {
            [one, other] => one.iter().zip(other).all(|(one, other)| (one + other - 1.0).abs() < 1e-4),
            _ => false,
        }
    }

    /// Whether a role's targets are all the same.
    pub(super) fn constant(&self, role: usize) -> bool {
        self.targets[role].windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-6)
    }

    /// Adds the states of a game, with targets by TD(λ) from the values of those who played it; without them by its
    /// outcome. A game without an outcome counts only as far as values tell. Of a long game not every state is added.
    ///
    /// States after moves that were not played are added as well, with what the answers to them left: a search looks at such states
    /// far more often than at those of good games (TreeStrap, Veness et al. 2009).
    pub(super) fn add(&mut self, game: &Played, policies: Option<&[Policy]>, lambda: f64, number: u64) {
        let roles = self.targets.len();
        // For each state what each role has of it by its policy.
        let values: Option<Vec<Vec<f64>>> = policies.map(|policies| {
            let of_state = |state| {
                let mut shares = Vec::with_capacity(roles);
                for policy in policies {
                    let share = match policy.is_opposite {
                        true => 1.0 - shares[0],
                        false => policy.share_of(state),
                    };
                    shares.push(share);
                }
                shares
            };
            game.states.iter().map(of_state).collect()
        });
        let value = |place: usize, role: usize| values.as_ref().map(|values| values[place][role]);
        let backed =
            |place: usize, role: usize| game.backed.get(place)?.as_ref().map(|backed| backed.values[role]);
        let mut targets: Vec<Vec<f64>> = Vec::with_capacity(game.states.len());
        let mut ahead: Option<Vec<f64>> = game.outcome.clone();
        for place in (0..game.states.len()).rev() {
            // What the rest of the game gave, seen from the next state.
            let mut target = match (&ahead, place + 1 == game.states.len()) {
                (Some(ahead), true) => ahead.clone(),
                (Some(ahead), false) => (0..roles)
                    .map(|role| match backed(place, role).or_else(|| value(place + 1, role)) {
                        Some(next) => (1.0 - lambda) * next + lambda * ahead[role],
                        None => ahead[role],
                    })
                    .collect(),
                (None, _) => match (0..roles).map(|role| value(place, role)).collect::<Option<Vec<f64>>>() {
                    Some(values) => values,
                    None => return,
                },
            };
            if let Some((chooser, best)) = &game.missed[place]
                && best[*chooser] > target[*chooser]
            {
                target.clone_from(best);
            }
            ahead = Some(target.clone());
            targets.push(target);
        }
        let stride = game.states.len().div_ceil(OF_A_GAME).max(1);
        let first = number as usize % stride;
        for (place, target) in targets.iter().rev().enumerate().skip(first).step_by(stride) {
            self.push(&game.states[place], target, number);
            let aside = game.backed.get(place).and_then(|backed| backed.as_ref()?.aside.as_ref());
            if let Some((state, target)) = aside
                && (place / stride + number as usize).is_multiple_of(ASIDES)
            {
                self.push(state, target, number);
            }
        }
    }

    /// Adds a state of a game, with what each role is to expect of it.
    fn push(&mut self, state: &State, target: &[f64], game: u64) {
        let index = self.len() as u32;
        let kept = game % HELD_OUT == HELD_OUT - 1;
        self.of_game.push(game);
        if kept { &mut self.held_out } else { &mut self.fitted }.push(index);
        self.none_of.extend(&state.0, &mut self.words);
        self.targets.iter_mut().zip(target).for_each(|(all, &one)| all.push(one as f32));
    }

    /// How often each bit holds.
    pub(super) fn support(&self) -> Vec<u64> {
        let mut support = vec![0; self.width * 64];
        for state in self.words.chunks_exact(self.width.max(1)) {
            super::conjunctions::bits_of(state).for_each(|bit| support[bit as usize] += 1);
        }
        support
    }

    /// Keeps the last states alone, at most so many.
    pub(super) fn keep_last(&mut self, most: usize) {
        let Some(over) = self.len().checked_sub(most).filter(|&over| over > 0) else { return };
        self.words.drain(..over * self.width);
        self.of_game.drain(..over);
        self.targets.iter_mut().for_each(|of_role| drop(of_role.drain(..over)));
        for numbers in [&mut self.fitted, &mut self.held_out] {
            numbers.retain(|&number| number as usize >= over);
            numbers.iter_mut().for_each(|number| *number -= over as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::conjunctions::Conjunctions;
    use super::*;

    /// Those who know nothing value every state at a half.
    fn ignorant() -> [Policy; 2] {
        let conjunctions = Arc::new(Conjunctions::new(Vec::new(), &[0; 64]));
        [(); 2].map(|()| Policy { conjunctions: Arc::clone(&conjunctions), ..Policy::default() })
    }

    fn game(missed: Option<(usize, Vec<f64>)>) -> Played {
        Played {
            states: (1..=3).map(|word| State(Box::new([word]))).collect(),
            missed: vec![None, missed, None],
            outcome: Some(vec![1.0, 0.0]),
            ..Played::default()
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
        assert!(samples.opposed());
        assert_eq!((samples.state(2), samples.fitted.len(), samples.held_out.len()), (&[3][..], 3, 0));
    }

    #[test]
    fn temporal_differences_mix_the_next_value_with_the_rest() {
        let policies = ignorant();
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        samples.add(&game(None), Some(&policies), 0.5, 9);
        // 1; 0.5 * 0.5 + 0.5 * 1; 0.5 * 0.5 + 0.5 * 0.75.
        assert_eq!(targets(&samples, 0), [0.625, 0.75, 1.0]);
        assert_eq!(targets(&samples, 1), [0.375, 0.25, 0.0]);
        assert_eq!((samples.fitted.len(), samples.held_out.len()), (0, 3));
    }

    #[test]
    fn a_random_move_counts_only_where_it_was_better() {
        let policies = ignorant();
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        // The second role drew its move, and would have got 0.6.
        samples.add(&game(Some((1, vec![0.4, 0.6]))), Some(&policies), 0.5, 0);
        assert!(targets(&samples, 0).iter().zip([0.45, 0.4, 1.0]).all(|(a, b)| (a - b).abs() < 1e-6));
        // The first role did, and it came out better than the 0.6 that it gave up.
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        samples.add(&game(Some((0, vec![0.6, 0.4]))), Some(&policies), 0.5, 0);
        assert_eq!(targets(&samples, 0), [0.625, 0.75, 1.0]);
    }

    #[test]
    fn the_oldest_states_go_first() {
        let mut samples = Samples::new(Arc::new(NoneOf::new(1, Vec::new())), 2);
        (8..10).for_each(|number| samples.add(&game(None), None, 1.0, number));
        samples.keep_last(4);
        assert_eq!(
            (samples.len(), &samples.fitted[..], &samples.held_out[..]),
            (4, &[0][..], &[1, 2, 3][..])
        );
        assert_eq!(samples.state(0), [3]);
        assert_eq!(samples.support()[..2], [3, 3]);
    }
}
