//! States for statistics: a short sequence from each of some random playouts, with the goal values at its end.

use crate::machine::{Machine, State};
use crate::simulate::{
    Budget, Choices, Context, End, Observer, Position, SimulateError, Statistics, observe,
};
use crate::structure::finding::Structures;

use super::ownership::{Ownership, OwnershipWatch, Things};
use super::vocabulary::Vocabulary;

/// States of a sequence at most.
const LENGTH: usize = 5;

/// Steps between two states of a sequence at most.
const GAP: usize = 2;

/// Keeps the choice of states apart from the choice of moves.
const STREAM: u64 = 0x005e_9ce5;

/// Some states of a playout, in its order, none of them terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The states.
    pub states: Vec<State>,
    /// For each role its goal value at the end of the playout; none where it did not end, or has none or several.
    pub goals: Vec<Option<i32>>,
}

/// Sequences of random playouts, and what else was seen in these.
#[derive(Clone, Debug)]
pub struct Sample {
    /// One for each playout that has a state that is not terminal.
    pub sequences: Vec<Sequence>,
    /// Whose symbols are whose.
    pub ownership: Ownership,
    /// The playouts.
    pub statistics: Statistics,
}

/// Plays at random and takes a sequence from each playout: it starts anywhere, and goes one or two steps at a time.
///
/// # Errors
/// Nothing could be played.
pub fn sample(
    machine: &dyn Machine,
    vocabulary: &Vocabulary<'_>,
    structures: &Structures,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Sample, SimulateError> {
    let things = Things::new(vocabulary, structures);
    let make = || Watch {
        seed: budget.seed ^ STREAM,
        playout: Vec::new(),
        sequences: Vec::new(),
        ownership: OwnershipWatch::new(things.clone()),
    };
    // What is shared between threads is what a vocabulary is made of; each watch has its own.
    let (statistics, seen) = observe(machine, budget, context, make)?;
    Ok(Sample { sequences: seen.sequences, ownership: seen.ownership.finish(), statistics })
}

struct Watch<'m> {
    seed: u64,
    /// The states of the playout under way that are not terminal.
    playout: Vec<State>,
    sequences: Vec<Sequence>,
    ownership: OwnershipWatch<'m>,
}

impl Observer for Watch<'_> {
    fn position(&mut self, position: &Position<'_>) {
        if position.step == 0 {
            self.playout.clear();
        }
        if !position.terminal {
            self.playout.push(position.state.clone());
        }
    }

    fn moved(&mut self, before: &Position<'_>, _joint: &[crate::machine::MoveId], after: &Position<'_>) {
        self.ownership.moved(before, after);
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        if matches!(end, End::Stopped | End::Failed) || self.playout.is_empty() {
            return;
        }
        let mut choices = Choices::new(self.seed, last.playout);
        let mut at = choices.below(self.playout.len());
        let mut states = Vec::with_capacity(LENGTH);
        while at < self.playout.len() && states.len() < LENGTH {
            states.push(self.playout[at].clone());
            at += 1 + choices.below(GAP);
        }
        let goal = |goals: &Vec<i32>| match goals[..] {
            [goal] if end == End::Terminal => Some(goal),
            _ => None,
        };
        self.sequences.push(Sequence { states, goals: last.goals.iter().map(goal).collect() });
    }

    fn merge(&mut self, later: Self) {
        self.sequences.extend(later.sequences);
        self.ownership.merge(later.ownership);
    }
}
