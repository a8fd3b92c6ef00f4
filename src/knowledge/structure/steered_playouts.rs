//! Playouts that are steered towards a second object of the same kind.
//!
//! In uniformly random games of chess a second queen is rare: the first queen is captured before a pawn
//! is promoted. Objects that look like pieces after the random playouts are therefore tested in steered
//! playouts. Steered playouts avoid joint moves that remove a supposed piece. In one of
//! `RARE_MOVE_INTERVAL` steps they compare a few moves that were seldom legal in the random playouts,
//! because moves that create a piece are seldom legal. They play the move after which the state has most
//! supposed pieces. Every visited state is reachable, so every refutation is certain. These states are
//! not a random sample: only the fact tables include them, and they don't count as evidence.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State};
use crate::simulate::{Budget, Choices, Context};

use super::samples::{Samples, Target};

/// Average number of steps per step in which a rare move is played.
const RARE_MOVE_INTERVAL: usize = 4;

/// Rare joint moves that are compared in such a step. A promotion in chess has this number of choices.
const RARE_ATTEMPTS: usize = 4;

/// Range of the random offset at which a list of legal moves begins, much larger than any such list.
const OFFSET_RANGE: usize = 1 << 16;

/// The most random joint moves that are tried in any other step. The first that keeps all supposed
/// pieces is played.
const RANDOM_ATTEMPTS: usize = 3;

/// The most steered playouts. A second queen appears in a third to a half of the steered games of chess.
const PLAYOUTS: u64 = 32;

/// Work of steered playouts, as a multiple of the work that random playouts may use. It suffices to find
/// a second queen even in the largest descriptions of chess, with which few games can be played.
const WORK_FACTOR: u64 = 2;

/// Work that random playouts may use if the budget has no limit.
const DEFAULT_WORK: u64 = 1_000_000_000;

/// The work that steered playouts may use after random playouts that used `spent`: `WORK_FACTOR` times
/// the budget on a network, because lanes need less work per state than a cursor, and otherwise
/// `WORK_FACTOR` times `spent`.
pub fn allowance(machine: &dyn Machine, budget: &Budget, spent: u64) -> u64 {
    let random = if machine.network().is_some() { budget.work.unwrap_or(DEFAULT_WORK) } else { spent };
    random.saturating_mul(WORK_FACTOR)
}

/// Plays until no object looks like a piece, or the work is used up, or half of the budget's seconds
/// have passed. Returns the number of playouts.
pub fn play_steered(
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
            let rare = choices.below(RARE_MOVE_INTERVAL) == 0;
            let offset = choices.below(OFFSET_RANGE);
            let mut best: Option<((bool, i64), State)> = None;
            for attempt in 0..if rare { RARE_ATTEMPTS } else { RANDOM_ATTEMPTS } {
                if attempt > 0 {
                    cursor.set(&state)?;
                }
                if !self.choose(cursor, choices, rare.then_some((attempt, offset))) {
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

    /// Draws a joint move. If a rank and an offset are given, each role plays the move with this rank of
    /// rarity; moves of equal rarity are ordered as in the list of legal moves, rotated by the offset.
    /// Returns false if a role has no move.
    fn choose(&mut self, cursor: &dyn Cursor, choices: &mut Choices, rank: Option<(usize, usize)>) -> bool {
        self.joint.clear();
        for role in 0..self.machine.description().roles.len() {
            let legal = cursor.legal(role);
            let chosen = match rank {
                None => legal.get(choices.below(legal.len())).copied(),
                Some((rank, offset)) => {
                    let counts = &self.samples.moves.counts[role];
                    let count = |action: MoveId| counts.get(action.0 as usize).map_or(0, |count| count.legal);
                    // The offset is the same for every rank of a step, so that each rank selects another
                    // move.
                    let offset = offset % legal.len().max(1);
                    let mut moves: Vec<MoveId> =
                        legal[offset..].iter().chain(&legal[..offset]).copied().collect();
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
