//! Playouts from given states: the same code as from the initial state, entered at a phase that allows the state.

use super::block::{Block, Watch};
use super::engine::block_slots;
use super::program::Step;
use super::transpose::lanes_into;
use super::walk::Walk;
use super::word::{LANES, Word};
use crate::ground::Interrupted;

/// Lanes that wait until states are loaded again, if there are so many playouts left: loading costs about the same
/// for one lane as for all.
const WAITING: u32 = LANES as u32 / 8;

/// Playouts that can start at one phase, in their order.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// States, by their numbers, each with how many playouts start from it.
    states: Vec<(u32, u32)>,
    /// The place of the state whose turn it is, and how many were started from it.
    at: (usize, u32),
    /// Playouts not started yet.
    left: u64,
}

impl Queue {
    fn put(&mut self, state: u32, playouts: u32) {
        if playouts > 0 {
            self.states.push((state, playouts));
            self.left += u64::from(playouts);
        }
    }

    /// The state of the next playout.
    fn next(&mut self) -> u32 {
        let (place, started) = &mut self.at;
        let (state, playouts) = self.states[*place];
        *started += 1;
        self.left -= 1;
        if *started == playouts {
            (*place, *started) = (*place + 1, 0);
        }
        state
    }
}

impl Block<'_> {
    /// Plays as many playouts from each of some states as `playouts` has for it to their ends; `watch` sees each, and asks
    /// [`origin`](Block::origin) for the state that it started from. A state is the bits of a network machine's
    /// state. Steps are counted from the given states on.
    ///
    /// # Errors
    /// It was interrupted, as in [`play`](Block::play).
    ///
    /// # Panics
    /// A state has too few bits, or the two lists differ in length.
    pub fn play_from<W: Watch>(
        &mut self,
        states: &[&[u64]],
        playouts: &[u32],
        watch: &mut W,
    ) -> Result<(), Interrupted> {
        assert_eq!(states.len(), playouts.len(), "each state needs its number of playouts");
        let program = self.program;
        let phases: Vec<Option<usize>> =
            states.iter().map(|state| program.phase_of(state)).collect::<Result<_, _>>()?;
        let phases: Option<Vec<usize>> = phases.into_iter().collect();
        let steps = match phases.is_some() {
            true if program.automata()?.admit(states) => program.entered(W::LOOKS)?,
            false if program.free_automata()?.admit(states) => program.free(W::LOOKS)?,
            _ => program.plain(W::LOOKS)?,
        };
        let mut queues = vec![Queue::default(); steps.len()];
        for state in 0..states.len() {
            let phase = phases.as_ref().map_or(0, |phases| phases[state]) % steps.len();
            queues[phase].put(state as u32, playouts[state]);
        }
        self.slots = block_slots(steps.iter().map(|step| step.slots).max().unwrap_or(0));
        self.rows = steps[0].walks.iter().map(Walk::empty).collect();
        self.origins = vec![0; LANES];
        self.step = 0;
        let mut started = 0;
        loop {
            let phase = (self.step % steps.len() as u64) as usize;
            let queue = &mut queues[phase];
            let (left, idle) = (queue.left, !self.active());
            if left > 0 && u64::from(idle.count()) >= left.min(WAITING.into()) {
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
            self.keep_time();
            let step = &steps[phase];
            self.prepare();
            self.observe(step);
            let over = self.draw(step, W::LOOKS);
            if W::LOOKS {
                watch.position(self);
            }
            if over {
                self.end(watch);
            }
            step.update.run(&mut self.slots);
            self.walk(step);
            self.step += 1;
        }
    }

    /// Puts their states into lanes.
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

    /// The number of the state that the playout in a lane started from, where states were given.
    pub fn origin(&self, lane: usize) -> usize {
        self.origins[lane] as usize
    }
}
