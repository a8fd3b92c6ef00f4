//! What states that differ in the game's clock alone tell each other in UCT's tree.
//!
//! # How
//! Such states have the same legal moves, which lead to states of which the same is true, and playouts from them come to
//! different means as far as the clock ends them. So each stays a state of its own, with its own proofs and statistics;
//! besides there is the sum of what came of every move in all of them. A move counts as having been tried so many more
//! times as its kin tried it, but no more often than an option says, with the mean that these had: what is seen of the
//! state itself counts for more the more there is of it, so in the end the answer rests on that alone.
//!
//! # Source
//! The remove-counter transformation of Kuhlmann, Dresner and Stone 2006; shared statistics that fade, as of RAVE: Gelly
//! and Silver 2007.

use rustc_hash::FxHashMap;

use crate::machine::{Clock, State};

use super::tree::{Choice, Node};

/// States that differ in the clock alone, by their number.
pub(super) type KinId = u32;

/// Visits and the sum of values, 0 to 1 each.
#[derive(Clone, Copy, Default)]
struct Tally {
    visits: u32,
    sum: f64,
}

/// What came of moves in states that differ in the clock alone.
pub(super) struct Kin {
    clock: Clock,
    /// Visits of others that count for a move at most.
    most: u32,
    known: FxHashMap<State, KinId>,
    /// For each such set of states, for all moves of all roles.
    tallies: Vec<Box<[Tally]>>,
}

impl Kin {
    /// Nothing seen yet, of a game with this clock.
    pub(super) fn new(clock: Clock, most: u32) -> Kin {
        Kin { clock, most, known: FxHashMap::default(), tallies: Vec::new() }
    }

    /// The same, with nothing seen.
    pub(super) fn emptied(&self) -> Kin {
        Kin::new(self.clock.clone(), self.most)
    }

    /// Finds a state's kin, to which it is added if it is the first; none for ends. Gives about how many bytes that takes,
    /// too.
    pub(super) fn of(&mut self, node: &Node) -> (Option<KinId>, usize) {
        let moves: usize = node.choices.iter().map(Vec::len).sum();
        if moves == 0 {
            return (None, 0);
        }
        let words = node.state.0.iter().zip(self.clock.mask()).map(|(word, mask)| word & !mask);
        let state = State(words.collect());
        let bytes = 2 * state.0.len() * 8 + moves * size_of::<Tally>() + 64;
        let next = self.tallies.len() as KinId;
        let id = *self.known.entry(state).or_insert(next);
        if id == next {
            self.tallies.push(vec![Tally::default(); moves].into());
            return (Some(id), bytes);
        }
        // Only a state that play can't come to has other moves.
        (Some(id).filter(|&id| self.tallies[id as usize].len() == moves), 0)
    }

    /// Adds all that is known of a state's moves.
    pub(super) fn join(&mut self, node: &Node) {
        let Some(id) = node.kin else { return };
        for (tally, choice) in self.tallies[id as usize].iter_mut().zip(node.choices.iter().flatten()) {
            tally.visits = tally.visits.saturating_add(choice.visits);
            tally.sum += choice.sum;
        }
    }

    /// Adds what came of a joint move, given the place of each role's move.
    pub(super) fn add(&mut self, node: &Node, places: &[usize], values: &[f64]) {
        let Some(id) = node.kin else { return };
        let (tallies, mut first) = (&mut self.tallies[id as usize], 0);
        for ((choices, &place), value) in node.choices.iter().zip(places).zip(values) {
            let tally = &mut tallies[first + place];
            tally.visits = tally.visits.saturating_add(1);
            tally.sum += value;
            first += choices.len();
        }
    }

    /// What a role's moves in a state count for: for each its visits and mean, with those of its kin.
    pub(super) fn with_kin(
        &self,
        node: &Node,
        role: usize,
    ) -> Option<impl Iterator<Item = (u32, f64)> + Clone> {
        let first: usize = node.choices[..role].iter().map(Vec::len).sum();
        let tallies = &self.tallies[node.kin? as usize][first..];
        let counted = |(choice, tally): (&Choice, &Tally)| {
            let others = tally.visits.saturating_sub(choice.visits);
            let counted = others.min(self.most);
            if counted == 0 {
                return (choice.visits, choice.mean());
            }
            let mean = (tally.sum - choice.sum) / f64::from(others);
            let visits = choice.visits + counted;
            (visits, (choice.sum + mean * f64::from(counted)) / f64::from(visits))
        };
        Some(node.choices[role].iter().zip(tallies).map(counted))
    }
}
