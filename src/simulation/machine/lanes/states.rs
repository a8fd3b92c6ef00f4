//! Given states in lanes, advanced by given moves, for searches and evaluation functions. (A [`Block`](super::block::Block)
//! chooses moves itself.)

use std::ops::Range;

use multiversion::multiversion;

use super::engine::block_slots;
use super::program::Program;
use super::split_step::SplitStep;
use super::step::Step;
use super::transpose::{lanes_into, lanes_of};
use super::word::{LANES, Word};
use crate::ground::Interrupted;

/// The lanes that are set in more than one word.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn several(words: &[Word]) -> Word {
    let (mut one, mut several) = (Word::ZERO, Word::ZERO);
    for &word in words {
        several |= one & word;
        one |= word;
    }
    several
}

/// The outputs of the states in lanes that are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EvaluationLevel {
    Nothing,
    Legal,
    /// Ends and goals.
    Ends,
    All,
}

/// Up to 512 states, one in each of the first lanes.
///
/// Load states with [`splat`](LaneStates::splat) or [`load`](LaneStates::load). After [`observe`](LaneStates::observe),
/// terminal, goals and legal moves can be read. [`make`](LaneStates::make) sets moves, and [`advance`](LaneStates::advance)
/// plays them.
pub struct LaneStates<'a> {
    program: &'a Program,
    step: &'a Step,
    /// The step in parts, if it is used.
    split: Option<SplitStep<'a>>,
    slots: Vec<Word>,
    lanes: usize,
    observed: EvaluationLevel,
    /// The slots in which moves are set.
    made: Vec<u32>,
}

impl<'a> LaneStates<'a> {
    /// Creates it without states. Compiles the program for given moves if necessary.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    pub fn new(program: &'a Program) -> Result<LaneStates<'a>, Interrupted> {
        LaneStates::with_slots(program, 0)
    }

    /// Like [`LaneStates::new`], with memory for code that uses slots below `slots`.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    pub(super) fn with_slots(program: &'a Program, slots: u32) -> Result<LaneStates<'a>, Interrupted> {
        let step = program.given()?;
        Ok(LaneStates {
            program,
            step,
            split: None,
            slots: block_slots(step.slots.max(slots)),
            lanes: 0,
            observed: EvaluationLevel::Nothing,
            made: Vec::new(),
        })
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Number of lanes in use.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Number of 64-bit words of a state.
    pub fn state_words(&self) -> usize {
        self.program.layout.bits.div_ceil(64)
    }

    /// Loads one state into the first `lanes` lanes. `state` is the bits of a network machine's state.
    ///
    /// # Panics
    /// `lanes` exceeds [`LANES`], or the state has too few bits.
    pub fn splat(&mut self, state: &[u64], lanes: usize) {
        self.begin(lanes);
        for bit in 0..self.program.layout.bits {
            let holds = state[bit / 64] >> (bit % 64) & 1 == 1;
            self.slots[self.program.layout.bit(bit) as usize] = Word::splat(holds);
        }
    }

    /// Loads a state into each of the first lanes.
    ///
    /// # Panics
    /// There are more than [`LANES`] states, or one has too few bits.
    pub fn load(&mut self, states: &[&[u64]]) {
        self.begin(states.len());
        let first = self.program.layout.bit(0) as usize;
        let bits = first..first + self.program.layout.bits;
        lanes_into(states.iter().copied().enumerate(), &mut self.slots[bits]);
    }

    /// Like [`LaneStates::load`], from an iterator.
    pub(super) fn load_from<'s>(&mut self, states: impl ExactSizeIterator<Item = &'s [u64]> + Clone) {
        self.begin(states.len());
        let first = self.program.layout.bit(0) as usize;
        let bits = first..first + self.program.layout.bits;
        lanes_into(states.enumerate(), &mut self.slots[bits]);
    }

    /// Loads each of a few states into a range of lanes, beginning with the first lane. Nothing is transposed.
    pub(super) fn load_runs<'s>(&mut self, runs: impl Iterator<Item = (&'s [u64], Range<usize>)>) {
        self.begin(LANES);
        let first = self.program.layout.bit(0) as usize;
        let bits = &mut self.slots[first..first + self.program.layout.bits];
        bits.fill(Word::ZERO);
        let mut used = 0;
        for (state, lanes) in runs {
            used = lanes.end;
            for (part, mask) in Word::parts_of(lanes) {
                for (bits, &row) in bits.chunks_mut(64).zip(state) {
                    let mut left = row;
                    while left != 0 {
                        bits[left.trailing_zeros() as usize].0[part] |= mask;
                        left &= left - 1;
                    }
                }
            }
        }
        self.use_first(used);
    }

    fn begin(&mut self, lanes: usize) {
        assert!(lanes <= LANES, "{lanes} lanes asked for");
        self.lanes = lanes;
        self.observed = EvaluationLevel::Nothing;
        self.forget_moves();
    }

    /// Reduces the number of lanes in use.
    ///
    /// # Panics
    /// `lanes` exceeds the number of lanes in use.
    pub fn use_first(&mut self, lanes: usize) {
        assert!(lanes <= self.lanes, "{lanes} lanes asked for, {} in use", self.lanes);
        self.lanes = lanes;
    }

    /// Removes the moves that were set.
    pub fn forget_moves(&mut self) {
        self.made.drain(..).for_each(|slot| self.slots[slot as usize] = Word::ZERO);
    }

    /// Evaluates the states.
    pub fn observe(&mut self) {
        if std::mem::replace(&mut self.observed, EvaluationLevel::All) != EvaluationLevel::All {
            self.step.observe.run(&mut self.slots);
        }
    }

    /// Uses the parts of a step from now on, if the program has them. There must be memory for their slots.
    pub(super) fn use_split(&mut self, split: Option<SplitStep<'a>>) {
        self.split = split;
    }

    /// Evaluates at least the legal moves, but not necessarily whether the state is terminal.
    pub(super) fn observe_legal(&mut self) {
        match self.split {
            Some(split) if !matches!(self.observed, EvaluationLevel::Legal | EvaluationLevel::All) => {
                split.legal.observe.run(&mut self.slots);
                self.observed = EvaluationLevel::Legal;
            }
            Some(_) => {}
            None => self.observe(),
        }
    }

    /// Evaluates at least ends and goals.
    pub(super) fn observe_ends(&mut self) {
        match self.split {
            Some(split) if !matches!(self.observed, EvaluationLevel::Ends | EvaluationLevel::All) => {
                split.ends.observe.run(&mut self.slots);
                self.observed = EvaluationLevel::Ends;
            }
            Some(_) => {}
            None => self.observe(),
        }
    }

    /// Sets a role's move in a lane; `number` is its index among the role's moves.
    #[inline]
    pub fn make(&mut self, lane: usize, role: usize, number: usize) {
        self.make_in(lane, self.program.layout.made[role][number]);
    }

    /// Sets a move in a lane by its input node in the network.
    #[inline]
    pub(crate) fn make_in(&mut self, lane: usize, input: u32) {
        let part = &mut self.slots[input as usize].0[lane / 64];
        // One entry per part; duplicates are harmless.
        if *part == 0 {
            self.made.push(input);
        }
        *part |= 1 << (lane % 64);
    }

    /// Sets a move in a range of lanes by its input node in the network.
    #[inline]
    pub(super) fn make_in_row(&mut self, lanes: Range<usize>, input: u32) {
        for (part, mask) in Word::parts_of(lanes) {
            let part = &mut self.slots[input as usize].0[part];
            if *part == 0 {
                self.made.push(input);
            }
            *part |= mask;
        }
    }

    /// Sets a move in these lanes by its input node in the network.
    #[inline]
    pub(super) fn make_in_all(&mut self, lanes: Word, input: u32) {
        self.made.push(input);
        self.slots[input as usize] |= lanes;
    }

    /// Sets a role's move in every lane; `number` is its index among the role's moves.
    pub fn make_everywhere(&mut self, role: usize, number: usize) {
        let input = self.program.layout.made[role][number];
        self.slots[input as usize] = Word::ONES;
        self.made.push(input);
    }

    /// Plays the moves that were set. Every lane then has its successor, not evaluated yet, and no moves are set.
    pub fn advance(&mut self) {
        match self.split {
            Some(split) if self.observed != EvaluationLevel::All => {
                split.next.observe.run(&mut self.slots);
                split.next.update.run(&mut self.slots);
            }
            _ => {
                self.observe();
                self.step.update.run(&mut self.slots);
            }
        }
        self.observed = EvaluationLevel::Nothing;
        self.forget_moves();
    }

    /// The lanes in use with a terminal state.
    pub fn terminal(&self) -> Word {
        debug_assert!(
            matches!(self.observed, EvaluationLevel::Ends | EvaluationLevel::All),
            "states are evaluated before they are read"
        );
        self.slots[self.program.layout.terminal as usize] & Word::first(self.lanes)
    }

    /// The lanes whose state has this bit set.
    #[inline]
    pub fn bit(&self, bit: usize) -> Word {
        self.slots[self.program.layout.bit(bit) as usize]
    }

    /// The lanes in which a goal condition holds, by its index in the network's goals, role by role.
    #[inline]
    pub fn goal(&self, number: usize) -> Word {
        self.slots[self.program.layout.goals.start as usize + number]
    }

    /// The lanes in which a move is legal; `number` is its index among the role's moves.
    #[inline]
    pub fn legal_word(&self, role: usize, number: usize) -> Word {
        debug_assert!(
            matches!(self.observed, EvaluationLevel::Legal | EvaluationLevel::All),
            "legal moves are evaluated before they are read"
        );
        self.slots[self.program.layout.legal[role].start as usize + number]
    }

    /// The words of all moves of a role, see [`LaneStates::legal_word`].
    #[inline]
    pub(super) fn legal_words(&self, role: usize) -> &[Word] {
        debug_assert!(
            matches!(self.observed, EvaluationLevel::Legal | EvaluationLevel::All),
            "legal moves are evaluated before they are read"
        );
        let legal = &self.program.layout.legal[role];
        &self.slots[legal.start as usize..legal.end as usize]
    }

    /// The lanes in which a role has more than one legal move.
    pub fn choice_word(&self, role: usize) -> Word {
        let legal = &self.program.layout.legal[role];
        several(&self.slots[legal.start as usize..legal.end as usize])
    }

    /// Appends the states of all lanes to `out`, one after the other, each in [`state_words`](LaneStates::state_words)
    /// words.
    pub fn states(&self, out: &mut Vec<u64>) {
        let first = self.program.layout.bit(0) as usize;
        self.rows(first..first + self.program.layout.bits, out);
    }

    /// Appends for every lane the legal moves of a role as bits, in one word per 64 moves.
    pub fn legal_rows(&self, role: usize, out: &mut Vec<u64>) {
        let legal = &self.program.layout.legal[role];
        self.rows(legal.start as usize..legal.end as usize, out);
    }

    /// Appends for every lane the goal conditions as bits.
    pub fn goal_rows(&self, out: &mut Vec<u64>) {
        let goals = &self.program.layout.goals;
        self.rows(goals.start as usize..goals.end as usize, out);
    }

    /// The slots after evaluation, for code that reads them.
    pub(super) fn observed_slots(&mut self) -> &mut Vec<Word> {
        debug_assert!(
            matches!(self.observed, EvaluationLevel::Ends | EvaluationLevel::All),
            "states are evaluated before they are read"
        );
        &mut self.slots
    }

    fn rows(&self, slots: Range<usize>, out: &mut Vec<u64>) {
        let start = out.len();
        out.resize(start + self.lanes * slots.len().div_ceil(64), 0);
        lanes_of(&self.slots[slots], self.lanes, &mut out[start..]);
    }
}
