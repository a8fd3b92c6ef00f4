//! A block of lanes: random playouts of one game, one per lane; a lane starts the next playout when one ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use multiversion::multiversion;

use super::draw::draw;
use super::engine::block_slots;
use super::generations::Generations;
use super::lane_automata::{AutomatonTable, LaneRows};
use super::move_table::ChoiceState;
use super::program::Program;
use super::random::Random;
use super::start_queue::StartQueue;
use super::step::Step;
use super::transpose::lanes_into;
use super::word::{Count, LANES, Word};
use crate::ground::Interrupted;

/// The lanes whose playouts end in a position. The first three words are disjoint.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndedLanes {
    /// In a terminal state.
    pub terminal: Word,
    /// At the step limit.
    pub capped: Word,
    /// In a state in which a role has no legal move.
    pub stuck: Word,
    /// All of these.
    pub over: Word,
}

/// The observer of a block.
pub trait BlockObserver {
    /// Whether states and moves are read: [`Block::bit`], [`Block::state`], [`Block::legal_word`], [`Block::made`],
    /// [`Block::made_word`]. If false, the program does not compute them.
    const LOOKS: bool = true;

    /// Called in every step after the moves are chosen. The block has the states and moves of all lanes.
    fn position(&mut self, _block: &Block<'_>) {}

    /// Called in every step after `position`, with the playouts that end here.
    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes);
}

/// Number of idle lanes at which states are loaded, if enough playouts remain: loading costs about the same for one lane as
/// for all.
const MIN_IDLE: u32 = LANES as u32 / 8;

/// The lanes of one block. The same seed and number give the same playouts on every processor.
pub struct Block<'a> {
    pub(super) program: &'a Program,
    pub(super) slots: Vec<Word>,
    number: u64,
    random: Random,
    pub(super) choosing: ChoiceState,
    /// For each automaton, the table row of each lane.
    pub(super) rows: Vec<LaneRows>,
    pub(super) generations: Generations,
    max_steps: u32,
    pub(super) step: u64,
    states: Count,
    /// The given state from which each lane's playout started.
    pub(super) origins: Vec<u32>,
    /// The deadline of playouts from given states, and the number of steps between two checks of the clock.
    deadline: Option<(Instant, u64)>,
    /// Ends playouts from given states like the deadline.
    stop: Option<&'a AtomicBool>,
}

impl<'a> Block<'a> {
    /// A block before its first playout.
    pub fn new(program: &'a Program, seed: u64, number: u64, max_steps: u32) -> Block<'a> {
        Block {
            program,
            slots: Vec::new(),
            number,
            random: Random::new(seed, number),
            choosing: ChoiceState::default(),
            rows: Vec::new(),
            generations: Generations::default(),
            max_steps,
            step: 0,
            states: Count::default(),
            origins: Vec::new(),
            deadline: None,
            stop: None,
        }
    }

    /// Sets a deadline for playouts from given states. Playouts that reach it end as if at the step limit.
    #[must_use]
    pub fn until(self, deadline: Option<Instant>) -> Block<'a> {
        /// Gate operands between two checks of the clock: well below a millisecond.
        const OPERANDS: usize = 1 << 17;
        let every = (OPERANDS / self.program.network().operands.len().max(1)).max(1) as u64;
        Block { deadline: deadline.map(|deadline| (deadline, every)), ..self }
    }

    /// Sets a flag that ends playouts from given states, like a deadline.
    #[must_use]
    pub fn stopped_by(self, stop: Option<&'a AtomicBool>) -> Block<'a> {
        Block { stop, ..self }
    }

    /// Ends all playouts after the deadline, or once the flag is set.
    #[inline]
    pub(super) fn check_deadline(&mut self) {
        if let Some((deadline, every)) = self.deadline
            && self.step.is_multiple_of(every)
            && Instant::now() >= deadline
        {
            self.max_steps = 0;
        }
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.max_steps = 0;
        }
    }

    /// The number of the block; with the seed it identifies the playouts.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Positions evaluated in lanes with a running playout, including terminal ones.
    pub fn states(&self) -> u64 {
        self.states.sum()
    }

    /// Plays this number of playouts from the initial state to their ends and reports them to `observer`.
    ///
    /// # Errors
    /// The interrupt ended it. `observer` has seen some of the playouts; short games are over-represented among them.
    pub fn play<W: BlockObserver>(&mut self, playouts: u64, observer: &mut W) -> Result<(), Interrupted> {
        let program = self.program;
        let steps = program.steps(W::LOOKS)?;
        self.slots = block_slots(steps.iter().map(|step| step.slots).max().unwrap_or(0));
        for (bit, &holds) in program.network().initial.iter().enumerate() {
            self.slots[program.layout.bit(bit) as usize] = Word::splat(holds);
        }
        self.rows = steps[0].walks.iter().map(AutomatonTable::begin).collect();
        self.step = 0;
        run(self, steps, playouts, observer)
    }

    /// Plays `playouts[i]` playouts from each `states[i]` to their ends and reports them to `observer`, which finds their start
    /// with [`origin`](Block::origin). A state is the bits of a network machine's state. Steps are counted from the given
    /// states.
    ///
    /// # Errors
    /// The interrupt ended it, as in [`play`](Block::play).
    ///
    /// # Panics
    /// A state has too few bits, or the lists differ in length.
    pub fn play_from<W: BlockObserver>(
        &mut self,
        states: &[&[u64]],
        playouts: &[u32],
        observer: &mut W,
    ) -> Result<(), Interrupted> {
        assert_eq!(states.len(), playouts.len(), "each state needs its number of playouts");
        let program = self.program;
        let phases: Vec<Option<usize>> =
            states.iter().map(|state| program.phase_of(state)).collect::<Result<_, _>>()?;
        let phases: Option<Vec<usize>> = phases.into_iter().collect();
        let steps = program.steps_from(states, phases.is_some(), W::LOOKS)?;
        let mut queues = vec![StartQueue::default(); steps.len()];
        for state in 0..states.len() {
            let phase = phases.as_ref().map_or(0, |phases| phases[state]) % steps.len();
            queues[phase].put(state as u32, playouts[state]);
        }
        self.slots = block_slots(steps.iter().map(|step| step.slots).max().unwrap_or(0));
        self.rows = steps[0].walks.iter().map(AutomatonTable::empty).collect();
        self.origins = vec![0; LANES];
        self.step = 0;
        let mut started = 0;
        loop {
            let phase = (self.step % steps.len() as u64) as usize;
            let queue = &mut queues[phase];
            let (left, idle) = (queue.left, !self.active());
            if left > 0 && u64::from(idle.count()) >= left.min(MIN_IDLE.into()) {
                let lanes = idle.lowest(left.min(LANES as u64) as usize);
                lanes.lanes().for_each(|lane| self.origins[lane] = queue.next());
                self.load(steps, states, lanes);
                self.start(&lanes, started);
                started += u64::from(lanes.count());
            }
            if self.active().is_zero() {
                if queues.iter().all(|queue| queue.left == 0) {
                    return Ok(());
                }
                self.step += 1;
                continue;
            }
            program.interrupt.check()?;
            self.check_deadline();
            let step = &steps[phase];
            self.prepare();
            self.observe(step);
            let over = self.draw(step, W::LOOKS);
            if W::LOOKS {
                observer.position(self);
            }
            if over {
                self.end(observer);
            }
            step.update.run(&mut self.slots);
            self.walk(step);
            self.step += 1;
        }
    }

    /// Loads states into lanes, each the state of the lane's origin.
    pub(super) fn load(&mut self, steps: &[Step], states: &[&[u64]], lanes: Word) {
        let layout = &self.program.layout;
        let bits = layout.bit(0) as usize..layout.bit(0) as usize + layout.bits;
        let origins = &self.origins;
        let rows = lanes.lanes().map(|lane| (lane, states[origins[lane] as usize]));
        lanes_into(rows, &mut self.slots[bits]);
        for (walk, rows) in steps[0].walks.iter().zip(&mut self.rows) {
            lanes.lanes().for_each(|lane| walk.enter(states[origins[lane] as usize], lane, rows));
        }
    }

    /// Starts playouts in lanes with the next step, numbered from `first`.
    #[inline(always)]
    pub(super) fn start(&mut self, lanes: &Word, first: u64) {
        let layout = &self.program.layout;
        self.generations.start(self.step, *lanes, first);
        self.slots[layout.active as usize] |= *lanes;
        self.slots[layout.aged as usize] = Word::ZERO;
    }

    /// Prepares the evaluation: marks the playouts at the step limit.
    #[inline(always)]
    pub(super) fn prepare(&mut self) {
        if self.generations.oldest(self.step) >= u64::from(self.max_steps) {
            let aged = self.generations.aged(self.step, u64::from(self.max_steps));
            self.slots[self.program.layout.aged as usize] = aged;
        }
    }

    /// Evaluates the states.
    #[inline(always)]
    pub(super) fn observe(&mut self, step: &Step) {
        match &step.table {
            Some(table) => table.observe(&step.observe, &mut self.slots, &mut self.choosing),
            None => step.observe.run(&mut self.slots),
        }
    }

    /// Draws the moves of the evaluated states, and selects them if an observer `looks` at them. Returns whether a
    /// playout ends here.
    #[inline(always)]
    pub(super) fn draw(&mut self, step: &Step, looks: bool) -> bool {
        let layout = &self.program.layout;
        self.states.add(&self.slots[layout.active as usize]);
        if let Some(table) = &step.table {
            table.choose(layout, &mut self.slots, &mut self.random, &mut self.choosing);
        }
        for plan in &step.draws {
            let total = layout.total(plan.role, plan.total_bits);
            let number = layout.number(plan.role, plan.number_bits);
            let (head, numbers) = self.slots.split_at_mut(number.start);
            let moving = &head[layout.moving as usize];
            draw(&head[total], moving, &mut self.random, &mut numbers[..plan.number_bits]);
        }
        if looks {
            step.select.run(&mut self.slots);
        }
        !self.slots[layout.ended[3] as usize].is_zero()
    }

    /// Updates the automata's bits after the other bits of the next state.
    #[inline(always)]
    pub(super) fn walk(&mut self, step: &Step) {
        for (walk, rows) in step.walks.iter().zip(&mut self.rows) {
            let active = self.slots[self.program.layout.active as usize];
            walk.step(&mut self.slots, active, &self.choosing, rows);
        }
    }

    /// Resets the automata's bits in the lanes that start again.
    #[inline(always)]
    fn restart(&mut self, step: &Step) {
        for (walk, rows) in step.walks.iter().zip(&mut self.rows) {
            let fresh = self.slots[self.program.layout.fresh as usize];
            walk.restart(&mut self.slots, fresh, rows);
        }
    }

    /// Reports the playouts that end, and removes them from the running ones.
    #[inline(always)]
    pub(super) fn end<W: BlockObserver>(&mut self, observer: &mut W) {
        let [terminal, capped, stuck, over] = self.program.layout.ended.map(|slot| self.slots[slot as usize]);
        observer.ended(self, &EndedLanes { terminal, capped, stuck, over });
        let layout = &self.program.layout;
        let (head, ended) = self.slots.split_at_mut(layout.ended[0] as usize);
        head[layout.active as usize] &= !ended[(layout.ended[3] - layout.ended[0]) as usize];
    }

    /// The lanes with a running playout.
    pub fn active(&self) -> Word {
        self.slots[self.program.layout.active as usize]
    }

    /// The number of the playout in a lane. Playouts are numbered in the order of their start, and by lane if they started
    /// together.
    ///
    /// # Panics
    /// No playout runs in the lane.
    pub fn playout(&self, lane: usize) -> u64 {
        self.generations.of(lane, self.step).expect("a playout runs in the lane").1
    }

    /// The index of the given state from which the playout in a lane started.
    pub fn origin(&self, lane: usize) -> usize {
        self.origins[lane] as usize
    }

    /// Joint moves of the playout in a lane so far.
    ///
    /// # Panics
    /// No playout runs in the lane.
    pub fn steps(&self, lane: usize) -> u32 {
        self.generations.of(lane, self.step).expect("a playout runs in the lane").0
    }

    /// The numbers of joint moves so far, ascending, each with its lanes.
    pub fn ages(&self) -> impl Iterator<Item = (u32, Word)> {
        self.generations.ages(self.step).map(|(age, lanes)| (age, lanes & self.active()))
    }

    /// Counts lanes by the number of joint moves of their playouts. This is faster than counting the words of
    /// [`ages`](Block::ages).
    pub fn count_ages(&self, lanes: &Word, by_age: &mut Vec<Count>) {
        self.generations.count(self.step, lanes, by_age);
    }

    /// The lanes in which each goal condition holds, in the order of the network's goals, role by role.
    pub fn goal_words(&self) -> &[Word] {
        let goals = &self.program.layout.goals;
        &self.slots[goals.start as usize..goals.end as usize]
    }

    /// The lanes with a running playout in a terminal state.
    #[inline]
    pub fn terminal(&self) -> Word {
        self.slots[self.program.layout.terminal as usize] & self.active()
    }

    /// The lanes in which a goal condition holds, by its index in the network's goals, role by role.
    #[inline]
    pub fn goal(&self, number: usize) -> Word {
        self.slots[self.program.layout.goals.start as usize + number]
    }

    /// Number of goal conditions.
    pub fn goals(&self) -> usize {
        self.program.layout.goals.len()
    }

    /// The move that a role made in a lane, as an index of the role's moves.
    pub fn made(&self, role: usize, lane: usize) -> Option<usize> {
        let made = &self.program.layout.made[role];
        made.iter().position(|&slot| self.slots[slot as usize].lane(lane))
    }

    /// Number of steps since the block's start, which is the same for all lanes.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The lanes whose state has this bit set.
    #[inline]
    pub fn bit(&self, bit: usize) -> Word {
        self.slots[self.program.layout.bit(bit) as usize]
    }

    /// The lanes in which a move is legal; `number` is its index among the role's moves.
    #[inline]
    pub fn legal_word(&self, role: usize, number: usize) -> Word {
        self.slots[self.program.layout.legal[role].start as usize + number]
    }

    /// The lanes in which a role makes a move; `number` is its index among the role's moves.
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

/// Plays this number of playouts. All lanes must be at the initial state.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq", "x86_64+avx+avx2"))]
fn run<W: BlockObserver>(
    block: &mut Block<'_>,
    steps: &[Step],
    playouts: u64,
    observer: &mut W,
) -> Result<(), Interrupted> {
    if playouts == 0 {
        return Ok(());
    }
    let fresh = block.program.layout.fresh as usize;
    let mut next_playout = playouts.min(LANES as u64);
    block.start(&Word::first(next_playout as usize), 0);
    block.prepare();
    block.observe(&steps[0]);
    let mut phase = 0;
    loop {
        let step = &steps[phase];
        let over = block.draw(step, W::LOOKS);
        if W::LOOKS {
            observer.position(block);
        }
        if over {
            block.end(observer);
        }
        block.step += 1;
        // Lanes that wait for the end of the period may be all inactive although playouts remain, so both are checked.
        if next_playout == playouts && block.active().is_zero() {
            return Ok(());
        }
        block.program.interrupt.check()?;
        // Idle lanes wait for the end of the period and start together.
        phase += 1;
        if phase == steps.len() {
            phase = 0;
            let mut idle = !block.active();
            block.slots[fresh] = idle;
            if playouts - next_playout < LANES as u64 {
                idle = idle.lowest((playouts - next_playout) as usize);
            }
            let count = u64::from(idle.count());
            if count > 0 {
                block.start(&idle, next_playout);
                next_playout += count;
            }
        }
        block.prepare();
        match &step.fused_step {
            Some(fused_step) => fused_step.run(&mut block.slots),
            None => {
                step.update.run(&mut block.slots);
                block.walk(step);
                if phase == 0 {
                    block.restart(step);
                }
                block.observe(&steps[phase]);
            }
        }
    }
}
