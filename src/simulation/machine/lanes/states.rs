//! Given states in lanes, stepped by given moves: what a search or an evaluation asks for, where a
//! [`Block`](super::block::Block) chooses for itself.

use std::ops::Range;

use multiversion::multiversion;

use super::engine::block_slots;
use super::program::Program;
use super::split_step::SplitStep;
use super::step::Step;
use super::transpose::{lanes_into, lanes_of};
use super::word::{LANES, Word};
use crate::ground::Interrupted;

/// The lanes that more than one of the words have.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn several(words: &[Word]) -> Word {
    let (mut one, mut several) = (Word::ZERO, Word::ZERO);
    for &word in words {
        several |= one & word;
        one |= word;
    }
    several
}

/// What was evaluated of the states in lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Observed {
    Nothing,
    Legal,
    /// Ends and goals.
    Ends,
    All,
}

/// Up to 512 states, one in each of the first lanes.
///
/// Load them with [`splat`](LaneStates::splat) or [`load`](LaneStates::load); [`observe`](LaneStates::observe) evaluates
/// them: terminal, goals and legal moves can be read then. [`make`](LaneStates::make) notes moves,
/// [`advance`](LaneStates::advance) plays them.
pub struct LaneStates<'a> {
    program: &'a Program,
    step: &'a Step,
    /// The step in parts, where it is to be used.
    split: Option<SplitStep<'a>>,
    slots: Vec<Word>,
    lanes: usize,
    observed: Observed,
    /// The slots in which moves are noted.
    made: Vec<u32>,
}

impl<'a> LaneStates<'a> {
    /// No states yet. The program is compiled for given moves when this is done first.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn new(program: &'a Program) -> Result<LaneStates<'a>, Interrupted> {
        LaneStates::with_slots(program, 0)
    }

    /// The same with room for code that names fewer than so many slots.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn with_slots(program: &'a Program, slots: u32) -> Result<LaneStates<'a>, Interrupted> {
        let step = program.given()?;
        Ok(LaneStates {
            program,
            step,
            split: None,
            slots: block_slots(step.slots.max(slots)),
            lanes: 0,
            observed: Observed::Nothing,
            made: Vec::new(),
        })
    }

    /// The program that runs.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Number of lanes in use.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// 64-bit words of a state.
    pub fn state_words(&self) -> usize {
        self.program.layout.bits.div_ceil(64)
    }

    /// Puts one state into so many lanes. `state` is the bits of a network machine's state.
    ///
    /// # Panics
    /// More lanes are asked for than a word has, or the state has too few bits.
    pub fn splat(&mut self, state: &[u64], lanes: usize) {
        self.begin(lanes);
        for bit in 0..self.program.layout.bits {
            let holds = state[bit / 64] >> (bit % 64) & 1 == 1;
            self.slots[self.program.layout.bit(bit) as usize] = Word::splat(holds);
        }
    }

    /// Puts a state into each of the first lanes.
    ///
    /// # Panics
    /// There are more states than a word has lanes, or one has too few bits.
    pub fn load(&mut self, states: &[&[u64]]) {
        self.begin(states.len());
        let first = self.program.layout.bit(0) as usize;
        let bits = first..first + self.program.layout.bits;
        lanes_into(states.iter().copied().enumerate(), &mut self.slots[bits]);
    }

    /// The same for states that are listed one by one.
    pub(super) fn load_from<'s>(&mut self, states: impl ExactSizeIterator<Item = &'s [u64]> + Clone) {
        self.begin(states.len());
        let first = self.program.layout.bit(0) as usize;
        let bits = first..first + self.program.layout.bits;
        lanes_into(states.enumerate(), &mut self.slots[bits]);
    }

    /// The same where each of a few states goes into many lanes in a row, from the first lane on: nothing is transposed.
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
        self.observed = Observed::Nothing;
        self.forget_moves();
    }

    /// Uses only so many of the lanes in use.
    ///
    /// # Panics
    /// There are fewer.
    pub fn use_first(&mut self, lanes: usize) {
        assert!(lanes <= self.lanes, "{lanes} lanes asked for, {} in use", self.lanes);
        self.lanes = lanes;
    }

    /// Forgets the moves noted.
    pub fn forget_moves(&mut self) {
        self.made.drain(..).for_each(|slot| self.slots[slot as usize] = Word::ZERO);
    }

    /// Evaluates the states.
    pub fn observe(&mut self) {
        if std::mem::replace(&mut self.observed, Observed::All) != Observed::All {
            self.step.observe.run(&mut self.slots);
        }
    }

    /// From now on what is asked of states is told by parts of the step, if the program has them; there has to be room for
    /// their slots.
    pub(super) fn use_split(&mut self, split: Option<SplitStep<'a>>) {
        self.split = split;
    }

    /// Evaluates which moves are legal, if nothing else; whether the state is terminal is not asked.
    pub(super) fn observe_legal(&mut self) {
        match self.split {
            Some(split) if !matches!(self.observed, Observed::Legal | Observed::All) => {
                split.legal.observe.run(&mut self.slots);
                self.observed = Observed::Legal;
            }
            Some(_) => {}
            None => self.observe(),
        }
    }

    /// Evaluates ends and goals, if nothing else.
    pub(super) fn observe_ends(&mut self) {
        match self.split {
            Some(split) if !matches!(self.observed, Observed::Ends | Observed::All) => {
                split.ends.observe.run(&mut self.slots);
                self.observed = Observed::Ends;
            }
            Some(_) => {}
            None => self.observe(),
        }
    }

    /// Notes that a role makes a move in a lane, by its place among the role's moves.
    #[inline]
    pub fn make(&mut self, lane: usize, role: usize, number: usize) {
        self.make_in(lane, self.program.layout.made[role][number]);
    }

    /// Notes a move in a lane by its input node in the network.
    #[inline]
    pub(crate) fn make_in(&mut self, lane: usize, input: u32) {
        let part = &mut self.slots[input as usize].0[lane / 64];
        // Once for each part: noted twice is forgotten twice.
        if *part == 0 {
            self.made.push(input);
        }
        *part |= 1 << (lane % 64);
    }

    /// Notes a move in lanes in a row by its input node in the network.
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

    /// Notes a move in some lanes by its input node in the network.
    #[inline]
    pub(super) fn make_in_all(&mut self, lanes: Word, input: u32) {
        self.made.push(input);
        self.slots[input as usize] |= lanes;
    }

    /// Notes that a role makes a move in every lane, by its place among the role's moves.
    pub fn make_everywhere(&mut self, role: usize, number: usize) {
        let input = self.program.layout.made[role][number];
        self.slots[input as usize] = Word::ONES;
        self.made.push(input);
    }

    /// Plays the moves noted: every lane stands at its successor, which isn't evaluated yet, and no move is noted.
    pub fn advance(&mut self) {
        match self.split {
            Some(split) if self.observed != Observed::All => {
                split.next.observe.run(&mut self.slots);
                split.next.update.run(&mut self.slots);
            }
            _ => {
                self.observe();
                self.step.update.run(&mut self.slots);
            }
        }
        self.observed = Observed::Nothing;
        self.forget_moves();
    }

    /// The lanes in use whose state is terminal.
    pub fn terminal(&self) -> Word {
        debug_assert!(
            matches!(self.observed, Observed::Ends | Observed::All),
            "states are evaluated before they are read"
        );
        self.slots[self.program.layout.terminal as usize] & Word::first(self.lanes)
    }

    /// The lanes whose state has a bit.
    #[inline]
    pub fn bit(&self, bit: usize) -> Word {
        self.slots[self.program.layout.bit(bit) as usize]
    }

    /// The lanes in which a goal condition holds, by its number in the order of the network's goals, role by role.
    #[inline]
    pub fn goal(&self, number: usize) -> Word {
        self.slots[self.program.layout.goals.start as usize + number]
    }

    /// The lanes in which a move of a role is legal, by its place among the role's moves.
    #[inline]
    pub fn legal_word(&self, role: usize, number: usize) -> Word {
        debug_assert!(
            matches!(self.observed, Observed::Legal | Observed::All),
            "legal moves are evaluated before they are read"
        );
        self.slots[self.program.layout.legal[role].start as usize + number]
    }

    /// The same of all moves of a role, in their places.
    #[inline]
    pub(super) fn legal_words(&self, role: usize) -> &[Word] {
        debug_assert!(
            matches!(self.observed, Observed::Legal | Observed::All),
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

    /// The states of all lanes, one after the other, each in [`state_words`](LaneStates::state_words) words;
    /// appended to `out`.
    pub fn states(&self, out: &mut Vec<u64>) {
        let first = self.program.layout.bit(0) as usize;
        self.rows(first..first + self.program.layout.bits, out);
    }

    /// For every lane the legal moves of a role as bits, appended to `out`: each lane has a word for 64 moves.
    pub fn legal_rows(&self, role: usize, out: &mut Vec<u64>) {
        let legal = &self.program.layout.legal[role];
        self.rows(legal.start as usize..legal.end as usize, out);
    }

    /// For every lane the goal conditions as bits, appended to `out`.
    pub fn goal_rows(&self, out: &mut Vec<u64>) {
        let goals = &self.program.layout.goals;
        self.rows(goals.start as usize..goals.end as usize, out);
    }

    /// The slots, for code that reads what was looked at.
    pub(super) fn observed_slots(&mut self) -> &mut Vec<Word> {
        debug_assert!(
            matches!(self.observed, Observed::Ends | Observed::All),
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
