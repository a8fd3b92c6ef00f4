//! Playouts that are steered towards a second object of the same kind.
//!
//! Uniformly random play seldom shows a second queen: the first is captured before a pawn is promoted.
//! Objects that look like pieces after the random playouts are therefore tested in steered playouts.
//! Steered playouts avoid joint moves that remove a supposed piece. Now and then they compare a few moves
//! that were seldom legal in the random playouts, as moves that create a piece are. They play the one that
//! leaves most supposed pieces. Every visited state is reachable, so every refutation is certain. These
//! states are not a random sample: only the fact tables see them, and they don't count as evidence.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State};
use crate::simulate::{Budget, Choices, Context};

use super::samples::{Samples, Target};

/// One step in this many plays a rare move.
const RARELY: usize = 4;

/// Rare joint moves that are compared in such a step: a promotion has this many choices.
const RARE: usize = 4;

/// Range of random starting points, much larger than any list of legal moves.
const STARTS: usize = 1 << 16;

/// Random joint moves that are tried in any other step, until one keeps all supposed pieces.
const RANDOM: usize = 3;

/// Most steered playouts. A second queen appears in one of two or three steered games of chess.
const PLAYOUTS: u64 = 32;

/// Work of steered playouts, as a multiple of the work that random ones may use. It suffices for a second
/// queen in the largest descriptions of chess, of which few games can be played.
const WORK: u64 = 2;

/// Work that random playouts may use if the budget has no limit.
const UNLIMITED: u64 = 1_000_000_000;

/// The work that steered playouts may use after random playouts that used `spent`. On a network it is twice
/// the budget, because lanes are cheaper per state than a cursor; otherwise twice `spent`.
pub fn allowance(machine: &dyn Machine, budget: &Budget, spent: u64) -> u64 {
    let random = if machine.network().is_some() { budget.work.unwrap_or(UNLIMITED) } else { spent };
    random.saturating_mul(WORK)
}

/// Plays until no object looks like a piece, or the work is used up, or half of the budget's seconds have
/// passed. Returns the number of playouts.
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
        // Random playouts never use these numbers, so the choices differ.
        let mut choices = Choices::new(budget.seed, u64::MAX - playout);
        let mut game = SteeredPlayout { machine, samples, targets, fluents: Vec::new(), joint: Vec::new() };
        if over(&*cursor) || !game.samples.suspects(targets) {
            return playout;
        }
        if game.play(&mut *cursor, &mut choices, budget.max_steps, &over).is_err() {
            return playout;
        }
    }
    PLAYOUTS.min(budget.playouts)
}

struct SteeredPlayout<'g, 'm> {
    machine: &'g dyn Machine,
    samples: &'g mut Samples<'m>,
    targets: &'g [Target],
    fluents: Vec<FluentId>,
    joint: Vec<MoveId>,
}

impl SteeredPlayout<'_, '_> {
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
            self.observe_state(&state, cursor.terminal())
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
                let score = (!cursor.terminal(), self.observe_state(cursor.state(), cursor.terminal()));
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

    /// Draws a joint move. With a rank, each role plays the move with that rank of rarity; moves of equal
    /// rarity are ordered from the given starting point. False if a role has no move.
    fn choose(&mut self, cursor: &dyn Cursor, choices: &mut Choices, rank: Option<(usize, usize)>) -> bool {
        self.joint.clear();
        for role in 0..self.machine.description().roles.len() {
            let legal = cursor.legal(role);
            let chosen = match rank {
                None => legal.get(choices.below(legal.len())).copied(),
                Some((rank, start)) => {
                    let counts = &self.samples.moves.counts[role];
                    let count = |action: MoveId| counts.get(action.0 as usize).map_or(0, |count| count.legal);
                    // Moves of equal rarity are rotated by the same start for every rank of a step.
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

    /// Adds a state to the fact tables and counts its supposed pieces.
    fn observe_state(&mut self, state: &State, terminal: bool) -> i64 {
        self.fluents.clear();
        self.machine.fluents(state, &mut self.fluents);
        self.samples.observe_state(&self.fluents, terminal, self.targets)
    }
}
