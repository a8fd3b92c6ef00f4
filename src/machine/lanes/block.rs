//! A block of lanes: random playouts of one game, a different one in every lane, restarted when they end.

use super::draw::draw;
use super::engine::block_slots;
use super::generations::Generations;
use super::program::{Program, Step};
use super::word::{LANES, PARTS, Random, Word};

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
    /// Whether states and moves are looked at: [`Block::bit`], [`Block::state`], [`Block::legal_word`],
    /// [`Block::made`], [`Block::made_word`]. If not, the program saves itself to show them.
    const LOOKS: bool = true;

    /// Every step, when the moves are chosen: the states and moves of all lanes stand in the block.
    fn position(&mut self, _block: &Block<'_>) {}

    /// Every step after that: which playouts end here.
    fn ended(&mut self, block: &Block<'_>, ended: &Ended);
}

/// The lanes of one block. The same seed and number give the same playouts on every processor.
pub struct Block<'a> {
    pub(super) program: &'a Program,
    pub(super) slots: Vec<Word>,
    number: u64,
    random: Random,
    pub(super) active: Word,
    pub(super) generations: Generations,
    max_steps: u32,
    pub(super) step: u64,
    states: u64,
    /// The given state from which each lane's playout started.
    pub(super) origins: Vec<u32>,
}

impl<'a> Block<'a> {
    /// A block at its start.
    pub fn new(program: &'a Program, seed: u64, number: u64, max_steps: u32) -> Block<'a> {
        Block {
            program,
            slots: Vec::new(),
            number,
            random: Random::new(seed, number),
            active: Word::ZERO,
            generations: Generations::default(),
            max_steps,
            step: 0,
            states: 0,
            origins: Vec::new(),
        }
    }

    /// The number that it was made with, by which it can be played again.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Positions evaluated in lanes with a running playout so far, terminal ones included.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Plays so many playouts from the initial state to their ends; `watch` sees each.
    pub fn play<W: Watch>(&mut self, playouts: u64, watch: &mut W) {
        let program = self.program;
        let steps = program.steps(W::LOOKS);
        let period = steps.len() as u64;
        self.slots = block_slots(steps.iter().map(|step| step.slots).max().unwrap_or(0));
        for (bit, &holds) in program.network().initial.iter().enumerate() {
            self.slots[program.layout.bit(bit) as usize] = Word::splat(holds);
        }
        self.step = 0;
        self.active = Word::first(playouts.min(LANES as u64) as usize);
        let mut next_playout = u64::from(self.active.count());
        self.generations.start(0, self.active, 0);
        // All lanes may wait for the period's end with playouts left to start.
        while !self.active.is_zero() || next_playout < playouts {
            let step = &steps[(self.step % period) as usize];
            let ended = self.enter(step, W::LOOKS);
            if W::LOOKS {
                watch.position(self);
            }
            let all = ended.all();
            if !all.is_zero() {
                watch.ended(self, &ended);
                self.active &= !all;
            }
            // Lanes whose playout is over wait for the period's end, and start again all together.
            let restarts = (self.step + 1).is_multiple_of(period);
            let mut started = Word::ZERO;
            if restarts {
                self.slots[program.layout.fresh as usize] = !self.active;
                let left = (playouts - next_playout).min(LANES as u64) as usize;
                started = (!self.active).lowest(left);
            }
            step.go.run(&mut self.slots);
            self.step += 1;
            if !started.is_zero() {
                self.active |= started;
                self.generations.start(self.step, started, next_playout);
                next_playout += u64::from(started.count());
            }
        }
    }

    /// Evaluates the states, and draws the moves; they are chosen as well if they are looked at.
    pub(super) fn enter(&mut self, step: &Step, looks: bool) -> Ended {
        let layout = &self.program.layout;
        step.look.run(&mut self.slots);
        self.states += u64::from(self.active.count());
        let terminal = self.slots[layout.terminal as usize] & self.active;
        let capped = self.generations.aged(self.step, u64::from(self.max_steps)) & self.active & !terminal;
        let moving = self.active & !terminal & !capped;
        self.slots[layout.moving as usize] = moving;
        let mut able = Word::ONES;
        step.some.iter().for_each(|&slot| able &= self.slots[slot as usize]);
        for plan in &step.draws {
            let total = layout.total(plan.role, plan.total_bits);
            let number = layout.number(plan.role, plan.number_bits);
            let (totals, numbers) = self.slots.split_at_mut(number.start);
            draw(&totals[total], moving, &mut self.random, &mut numbers[..plan.number_bits]);
        }
        if looks {
            step.pick.run(&mut self.slots);
        }
        Ended { terminal, capped, stuck: moving & !able }
    }

    /// The lanes whose playout runs.
    pub fn active(&self) -> Word {
        self.active
    }

    /// The number of the playout in a lane, counted in the order in which playouts started, by lane where they
    /// started together.
    ///
    /// # Panics
    /// No playout runs in the lane.
    pub fn playout(&self, lane: usize) -> u64 {
        self.generations.of(lane, self.step).expect("a playout runs in the lane").1
    }

    /// Joint moves of the playout in a lane so far.
    ///
    /// # Panics
    /// No playout runs in the lane.
    pub fn steps(&self, lane: usize) -> u32 {
        self.generations.of(lane, self.step).expect("a playout runs in the lane").0
    }

    /// The numbers of joint moves so far, descending, each with the lanes that made so many.
    pub fn ages(&self) -> impl Iterator<Item = (u32, Word)> {
        self.generations.ages(self.step).map(|(age, lanes)| (age, lanes & self.active))
    }

    /// Counts lanes by the number of joint moves that their playouts made so far, each in sums of 64-bit parts of
    /// words: faster than counting the words of [`ages`](Block::ages).
    pub fn count_ages(&self, lanes: Word, by_age: &mut Vec<[u64; PARTS]>) {
        self.generations.count(self.step, lanes, by_age);
    }

    /// The lanes in which each goal condition holds, in the order of the network's goals, role by role.
    pub fn goal_words(&self) -> &[Word] {
        let goals = &self.program.layout.goals;
        &self.slots[goals.start as usize..goals.end as usize]
    }

    /// The lanes with a running playout that are in a terminal state.
    #[inline]
    pub fn terminal(&self) -> Word {
        self.slots[self.program.layout.terminal as usize] & self.active
    }

    /// The lanes in which a goal condition holds, by its number in the order of the network's goals, role by role.
    #[inline]
    pub fn goal(&self, number: usize) -> Word {
        self.slots[self.program.layout.goals.start as usize + number]
    }

    /// Number of goal conditions.
    pub fn goals(&self) -> usize {
        self.program.layout.goals.len()
    }

    /// The move that a role made in a lane, by its place among the role's moves.
    pub fn made(&self, role: usize, lane: usize) -> Option<usize> {
        let made = &self.program.layout.made[role];
        made.iter().position(|&slot| self.slots[slot as usize].lane(lane))
    }

    /// Number of steps since the block's start; all lanes take them together.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The lanes whose state has a bit.
    #[inline]
    pub fn bit(&self, bit: usize) -> Word {
        self.slots[self.program.layout.bit(bit) as usize]
    }

    /// The lanes in which a move of a role is legal, by its place among the role's moves.
    #[inline]
    pub fn legal_word(&self, role: usize, number: usize) -> Word {
        self.slots[self.program.layout.legal[role].start as usize + number]
    }

    /// The lanes in which a role makes a move, by its place among the role's moves.
    #[inline]
    pub fn made_word(&self, role: usize, number: usize) -> Word {
        self.slots[self.program.layout.made[role][number] as usize]
    }

    /// The state of a lane as the bits of a network machine's state.
    pub fn state(&self, lane: usize) -> Vec<u64> {
        let bits = self.program.layout.bits;
        let mut words = vec![0; bits.div_ceil(64)];
        for bit in 0..bits {
            words[bit / 64] |= u64::from(self.bit(bit).lane(lane)) << (bit % 64);
        }
        words
    }
}
