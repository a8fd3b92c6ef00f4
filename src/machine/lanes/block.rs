//! A block of lanes: random playouts of one game, a different one in every lane, restarted when they end.

use super::choose::{Chooser, choose};
use super::interpret::{run, value};
use super::program::{Operand, Program};
use super::word::{LANES, Random, Word};

/// The lanes whose playouts end in a position, by how they end; no lane is in two of the words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
    /// In a terminal state.
    pub terminal: Word,
    /// After the most steps allowed.
    pub capped: Word,
    /// A role has no legal move.
    pub stuck: Word,
}

impl Ended {
    /// All of them.
    #[inline(always)]
    pub fn all(&self) -> Word {
        self.terminal | self.capped | self.stuck
    }
}

/// Who looks on while a block plays.
pub trait Watch {
    /// Every step, when the moves are chosen: the states and moves of all lanes stand in the block.
    fn position(&mut self, _block: &Block<'_>) {}

    /// Every step after that: which playouts end here.
    fn ended(&mut self, block: &Block<'_>, ended: &Ended);
}

/// The lanes of one block. The same seed and number give the same playouts on every processor.
pub struct Block<'a> {
    program: &'a Program,
    goals: Vec<Operand>,
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
            goals: program.goals.iter().flatten().map(|&(_, when)| when).collect(),
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
            let ended = self.enter(watch).all();
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

    /// Evaluates the states, chooses moves, and reports playouts that end.
    fn enter(&mut self, watch: &mut impl Watch) -> Ended {
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
        let ended = Ended { terminal, capped, stuck };
        watch.ended(self, &ended);
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

    /// Joint moves of the playout in a lane so far.
    #[inline]
    pub fn steps(&self, lane: usize) -> u32 {
        (self.step - self.started[lane]) as u32
    }

    /// The lanes in which a goal condition holds, by its number in the order of the program's goals, role by role.
    #[inline]
    pub fn goal(&self, number: usize) -> Word {
        value(&self.slots, self.goals[number])
    }

    /// Number of goal conditions.
    pub fn goals(&self) -> usize {
        self.goals.len()
    }

    /// The move that a role made in a lane, by its place among the role's moves.
    pub fn made(&self, role: usize, lane: usize) -> Option<usize> {
        self.made[role].iter().position(|word| word.lane(lane))
    }

    /// Number of steps since the block's start; all lanes take them together.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The lanes whose state has a bit.
    #[inline]
    pub fn bit(&self, bit: usize) -> Word {
        self.slots[1 + bit]
    }

    /// The lanes in which a move of a role is legal, by its place among the role's moves.
    #[inline]
    pub fn legal_word(&self, role: usize, number: usize) -> Word {
        self.legal[role][number]
    }

    /// The lanes in which a role makes a move, by its place among the role's moves.
    #[inline]
    pub fn made_word(&self, role: usize, number: usize) -> Word {
        self.made[role][number]
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
