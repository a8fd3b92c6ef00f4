//! Playouts steered towards two of a kind.
//!
//! Uniformly random play seldom shows a second queen: the first is taken before a pawn gets through. What looks
//! like a piece after the random playouts is therefore put to a harder test: playouts in which joint moves that
//! take a supposed piece away are avoided, and in which now and then, of a few moves that were seldom legal in
//! the random playouts, as what makes a new piece is, the one is played that leaves most of them. Every state met
//! is reachable, so whatever it refutes is refuted; the states are looked at by the fact tables alone and don't
//! count as evidence, since they are no random sample.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State};
use crate::simulate::{Budget, Choices, Context};

use super::samples::{Samples, Target};

/// One step in so many is of rare moves.
const RARELY: usize = 4;

/// Joint moves of rare moves that are looked at in such a step: promotions have as many choices.
const RARE: usize = 4;

/// A number of starting points that no list of legal moves has many times over.
const STARTS: usize = 1 << 16;

/// Random joint moves looked at in any other step, until one takes none of the supposed pieces away.
const RANDOM: usize = 3;

/// Steered playouts at most. A second queen comes up in one steered game of chess in two or three.
const PLAYOUTS: u64 = 32;

/// Work of steered playouts, as a multiple of that which random ones may take: enough for a second queen in the
/// largest descriptions of chess, of which few games can be played.
const WORK: u64 = 2;

/// Work that random playouts may take, where it is not limited.
const UNLIMITED: u64 = 1_000_000_000;

/// The work that steered playouts may take, after random ones that took `spent`: on a network, whose lanes play for
/// less than its single states, twice what the budget allows, else twice what was spent.
pub fn allowance(machine: &dyn Machine, budget: &Budget, spent: u64) -> u64 {
    let random = if machine.network().is_some() { budget.work.unwrap_or(UNLIMITED) } else { spent };
    random.saturating_mul(WORK)
}

/// Plays until nothing that looks like a piece is left, or the work is done and, where the budget counts seconds,
/// half as many of them are over. Gives the number of playouts.
pub fn refute(
    machine: &dyn Machine,
    samples: &mut Samples<'_>,
    targets: &[Target],
    work: u64,
    budget: &Budget,
    context: &Context<'_>,
) -> u64 {
    let deadline = (budget.seconds)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0) / 2.0).ok())
        .and_then(|seconds| Instant::now().checked_add(seconds));
    let over = |cursor: &dyn Cursor| {
        cursor.work() >= work
            || context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    };
    let mut cursor = machine.cursor();
    for playout in 0..PLAYOUTS.min(budget.playouts) {
        // Numbers that random playouts never reach, so that the choices are others.
        let mut choices = Choices::new(budget.seed, u64::MAX - playout);
        let mut game = Steered { machine, samples, targets, fluents: Vec::new(), joint: Vec::new() };
        if over(&*cursor) || !game.samples.suspects(targets) {
            return playout;
        }
        if game.play(&mut *cursor, &mut choices, budget.max_steps, &over).is_err() {
            return playout;
        }
    }
    PLAYOUTS.min(budget.playouts)
}

struct Steered<'g, 'm> {
    machine: &'g dyn Machine,
    samples: &'g mut Samples<'m>,
    targets: &'g [Target],
    fluents: Vec<FluentId>,
    joint: Vec<MoveId>,
}

impl Steered<'_, '_> {
    fn play(
        &mut self,
        cursor: &mut dyn Cursor,
        choices: &mut Choices,
        max_steps: u32,
        over: &dyn Fn(&dyn Cursor) -> bool,
    ) -> Result<(), MachineError> {
        let mut state = self.machine.initial().clone();
        let mut present = {
            cursor.set(&state)?;
            self.look(&state, cursor.terminal())
        };
        for _ in 0..max_steps {
            if cursor.terminal() || over(cursor) || !self.samples.suspects(self.targets) {
                return Ok(());
            }
            let rare = choices.below(RARELY) == 0;
            let start = choices.below(STARTS);
            let mut best: Option<((bool, i64), State)> = None;
            for look in 0..if rare { RARE } else { RANDOM } {
                if look > 0 {
                    cursor.set(&state)?;
                }
                if !self.choose(cursor, choices, rare.then_some((look, start))) {
                    return Ok(());
                }
                cursor.advance(&self.joint)?;
                let score = (!cursor.terminal(), self.look(cursor.state(), cursor.terminal()));
                if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                    best = Some((score, cursor.state().clone()));
                }
                if !rare && score >= (true, present) {
                    break;
                }
            }
            let Some(((_, score), chosen)) = best else { return Ok(()) };
            present = score;
            if *cursor.state() != chosen {
                cursor.set(&chosen)?;
            }
            state = chosen;
        }
        Ok(())
    }

    /// Draws a joint move; where a rank is given, with that rank of rareness among the moves of each role, equals
    /// in an order that starts at the number beside it. False where a role has no move.
    fn choose(&mut self, cursor: &dyn Cursor, choices: &mut Choices, rank: Option<(usize, usize)>) -> bool {
        self.joint.clear();
        for role in 0..self.machine.description().roles.len() {
            let legal = cursor.legal(role);
            let chosen = match rank {
                None => legal.get(choices.below(legal.len())).copied(),
                Some((rank, start)) => {
                    let counts = &self.samples.moves.counts[role];
                    let count = |action: MoveId| counts.get(action.0 as usize).map_or(0, |count| count.legal);
                    // Equals in an order that starts anywhere, the same for every rank of one step.
                    let start = start % legal.len().max(1);
                    let mut moves: Vec<MoveId> =
                        legal[start..].iter().chain(&legal[..start]).copied().collect();
                    moves.sort_by_key(|&action| count(action));
                    moves.get(rank % moves.len().max(1)).copied()
                }
            };
            let Some(action) = chosen else { return false };
            self.joint.push(action);
        }
        true
    }

    /// Shows a state to the fact tables and counts the supposed pieces on it.
    fn look(&mut self, state: &State, terminal: bool) -> i64 {
        self.fluents.clear();
        self.machine.fluents(state, &mut self.fluents);
        self.samples.look(&self.fluents, terminal, self.targets)
    }
}
