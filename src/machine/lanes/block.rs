//! A block of lanes: random playouts of one game, a different one in every lane, restarted when they end.

use super::choose::{Chooser, choose};
use super::interpret::{run, value};
use super::program::Program;
use super::word::{LANES, Random, Word};

/// How a playout in a lane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneEnd {
    /// In a terminal state.
    Terminal,
    /// After the most steps allowed.
    Cap,
    /// A role had no legal move.
    NoLegalMove,
}

/// A playout that ended.
pub struct Finished<'a> {
    /// Its number in the block, from 0, in the order of starting.
    pub playout: u64,
    /// The lane it ran in.
    pub lane: usize,
    /// Number of joint moves.
    pub steps: u32,
    /// Why it ended.
    pub end: LaneEnd,
    block: &'a Block<'a>,
}

impl Finished<'_> {
    /// The goal values of a role that hold at the end, ascending.
    pub fn goals(&self, role: usize) -> impl Iterator<Item = i32> + '_ {
        let holds =
            |&&(_, when): &&(i32, super::program::Operand)| value(&self.block.slots, when).lane(self.lane);
        self.block.program.goals[role].iter().filter(holds).map(|&(goal, _)| goal)
    }
}

impl Finished<'_> {
    /// Which goal conditions hold at the end, as bits in the order of the program's goals.
    #[inline]
    pub fn outcome(&self, bits: &mut Vec<u64>) {
        bits.clear();
        for (number, &(_, when)) in self.block.program.goals.iter().flatten().enumerate() {
            if number % 64 == 0 {
                bits.push(0);
            }
            let holds = self.block.slots[when.slot()].lane(self.lane) ^ when.negated();
            bits[number / 64] |= u64::from(holds) << (number % 64);
        }
    }
}

/// Who looks on while a block plays.
pub trait Watch {
    /// Every step, when the moves are chosen: the states and moves of all lanes stand in the block.
    fn position(&mut self, _block: &Block<'_>) {}

    /// Every playout that ended, after the position in which it did.
    fn finished(&mut self, finished: &Finished<'_>);
}

/// The lanes of one block. The same seed and number give the same playouts on every processor.
pub struct Block<'a> {
    program: &'a Program,
    slots: Vec<Word>,
    random: Random,
    choosers: Vec<Chooser>,
    legal: Vec<Vec<Word>>,
    made: Vec<Vec<Word>>,
    next: Vec<Word>,
    active: Word,
    /// For each lane the step at which its playout started, and the playout's number.
    started: Vec<u64>,
    playouts: Vec<u64>,
    /// The lanes whose running playout started at a step, by step modulo one more than the cap.
    starts: Vec<Word>,
    step: u64,
    /// Positions evaluated in lanes with a running playout.
    states: u64,
}

impl<'a> Block<'a> {
    /// A block at its start: every lane in the initial state.
    pub fn new(program: &'a Program, seed: u64, number: u64, max_steps: u32) -> Block<'a> {
        let mut slots = vec![Word::ZERO; program.slots];
        for (bit, &holds) in program.initial.iter().enumerate() {
            slots[1 + bit] = Word::splat(holds);
        }
        let words = |moves: &Vec<_>| vec![Word::ZERO; moves.len()];
        Block {
            program,
            slots,
            random: Random::new(seed, number),
            choosers: program.legal.iter().map(|moves| Chooser::new(moves.len())).collect(),
            legal: program.legal.iter().map(words).collect(),
            made: program.legal.iter().map(words).collect(),
            next: vec![Word::ZERO; program.next.len()],
            active: Word::ZERO,
            started: vec![0; LANES],
            playouts: vec![0; LANES],
            starts: vec![Word::ZERO; max_steps as usize + 1],
            step: 0,
            states: 0,
        }
    }

    /// Positions evaluated so far, terminal ones included.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Plays so many playouts to their ends; `watch` sees each.
    pub fn play(&mut self, playouts: u64, watch: &mut impl Watch) {
        let mut next_playout = 0;
        for lane in 0..LANES.min(playouts as usize) {
            self.active.set(lane);
            self.started[lane] = self.step;
            self.playouts[lane] = next_playout;
            next_playout += 1;
        }
        let ring = self.starts.len() as u64;
        self.starts[(self.step % ring) as usize] = self.active;
        while !self.active.is_zero() {
            let ended = self.enter(watch);
            let mut restarted = Word::ZERO;
            for lane in ended.lanes() {
                self.clear_start(lane);
                if next_playout < playouts {
                    restarted.set(lane);
                    self.started[lane] = self.step + 1;
                    self.playouts[lane] = next_playout;
                    next_playout += 1;
                }
            }
            self.active = self.active & !ended | restarted;
            self.advance(ended);
            self.step += 1;
            self.starts[(self.step % ring) as usize] = restarted;
        }
    }

    fn clear_start(&mut self, lane: usize) {
        let ring = self.starts.len() as u64;
        let start = &mut self.starts[(self.started[lane] % ring) as usize];
        start.0[lane / 64] &= !(1 << (lane % 64));
    }

    /// Evaluates the states, chooses moves, and reports playouts that ended; returns their lanes.
    fn enter(&mut self, watch: &mut impl Watch) -> Word {
        run(&self.program.state, &mut self.slots);
        self.states += u64::from(self.active.count());
        let terminal = value(&self.slots, self.program.terminal) & self.active;
        let ring = self.starts.len() as u64;
        let capped = self.starts[((self.step + 1) % ring) as usize] & self.active & !terminal;
        let moving = self.active & !terminal & !capped;
        let mut stuck = Word::ZERO;
        for (role, moves) in self.program.legal.iter().enumerate() {
            for (word, &(_, legal)) in self.legal[role].iter_mut().zip(moves) {
                *word = value(&self.slots, legal);
            }
            stuck |= choose(
                &mut self.choosers[role],
                &self.legal[role],
                moving,
                &mut self.random,
                &mut self.made[role],
            );
            for (&word, &(input, _)) in self.made[role].iter().zip(moves) {
                self.slots[input as usize] = word;
            }
        }
        watch.position(self);
        let ended = terminal | capped | stuck;
        for (lanes, end) in
            [(terminal, LaneEnd::Terminal), (capped, LaneEnd::Cap), (stuck, LaneEnd::NoLegalMove)]
        {
            for lane in lanes.lanes() {
                watch.finished(&Finished {
                    playout: self.playouts[lane],
                    lane,
                    steps: (self.step - self.started[lane]) as u32,
                    end,
                    block: self,
                });
            }
        }
        ended
    }

    /// Goes to the successors; the lanes of `ended` go back to the initial state.
    fn advance(&mut self, ended: Word) {
        run(&self.program.moves, &mut self.slots);
        for ((word, &next), &initially) in
            self.next.iter_mut().zip(&self.program.next).zip(&self.program.initial)
        {
            let value = value(&self.slots, next);
            *word = if initially { value | ended } else { value & !ended };
        }
        self.slots[1..=self.next.len()].copy_from_slice(&self.next);
    }

    /// The lanes whose playout runs.
    pub fn active(&self) -> Word {
        self.active
    }

    /// The number of the playout in a lane.
    pub fn playout(&self, lane: usize) -> u64 {
        self.playouts[lane]
    }

    /// The move that a role made in a lane, by its place among the role's moves.
    pub fn made(&self, role: usize, lane: usize) -> Option<usize> {
        self.made[role].iter().position(|word| word.lane(lane))
    }

    /// The state of a lane as the bits of a network machine's state.
    pub fn state(&self, lane: usize) -> Vec<u64> {
        let mut words = vec![0; self.next.len().div_ceil(64)];
        for bit in 0..self.next.len() {
            words[bit / 64] |= u64::from(self.slots[1 + bit].lane(lane)) << (bit % 64);
        }
        words
    }
}
