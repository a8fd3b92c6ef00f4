//! Stepping a network by its changes: a move and the fluents it changes touch a small part of the gates.
//!
//! Every gate (a conjunction) counts its false operands; it is true when there is none. A node that changes
//! tells its readers, which count up or down. Counting is commutative, so the order of events does not matter
//! for where they end. A loop is evaluated as a whole when what it reads has settled.

use std::collections::BTreeSet;

use super::evaluate::holds;
use super::guards::NONE;
use super::signals::Signals;
use super::walk::Automata;
use super::wiring::{LOOP, Special, Wiring};
use crate::ground::Network;
use crate::ground::network::Segment;
use crate::machine::{Cursor, MachineError, MoveId, State, StateView};

/// What a position costs at least, in units of work (about a nanosecond each).
const POSITION: u64 = 400;

/// Signals of the initial state are copied up to so many bytes, and reached by changes beyond.
const COPIED: usize = 1 << 17;

/// Marks the change of a gate that its guard has let through; without it, the operands that are counted changed.
const SHOWN: u32 = 1 << 31;

/// One thread's view of a network.
pub(super) struct NetworkCursor<'a> {
    network: &'a Network,
    wiring: &'a Wiring,
    automata: &'a Automata,
    /// The place of the bit of each automaton that holds, and those that change.
    places: Vec<u32>,
    flips: Vec<u32>,
    /// Where the cursor began, and its signals.
    beginning: (&'a State, &'a Signals),
    signals: Signals,
    state: State,
    /// The input node of each role's last move, or 0.
    made: Vec<u32>,
    /// Changes to tell, in order, up to `queued`: `node << 1 | value`, and [`SHOWN`].
    queue: Vec<u32>,
    queued: usize,
    unsettled: BTreeSet<usize>,
    /// The words that `legal` was read from.
    legal_words: Vec<u64>,
    legal: Vec<Vec<MoveId>>,
    /// The words that `goals` was read from.
    goal_words: Vec<u64>,
    goals: Vec<Vec<i32>>,
    work: u64,
    /// Changes told so far, and their readers, once somebody wants to know: counting costs a tenth of a step.
    touched: Option<u64>,
}

impl<'a> NetworkCursor<'a> {
    pub(super) fn new(
        network: &'a Network,
        wiring: &'a Wiring,
        automata: &'a Automata,
        beginning: (&'a State, &'a Signals),
    ) -> NetworkCursor<'a> {
        let roles = network.moves.len();
        let mut cursor = NetworkCursor {
            network,
            wiring,
            automata,
            places: Vec::new(),
            flips: Vec::new(),
            beginning,
            signals: beginning.1.clone(),
            state: beginning.0.clone(),
            made: vec![0; roles],
            queue: vec![0; 1024],
            queued: 0,
            unsettled: BTreeSet::new(),
            legal_words: vec![0; wiring.places.words],
            legal: vec![Vec::new(); roles],
            goal_words: Vec::new(),
            goals: vec![Vec::new(); roles],
            work: 0,
            touched: None,
        };
        cursor.read_outputs();
        automata.places(&cursor.state, &mut cursor.places);
        cursor
    }

    /// Gives an input node a value.
    fn turn(&mut self, node: u32, value: bool) {
        self.signals.values[node as usize] = u8::from(value);
        if self.queued == self.queue.len() {
            self.queue.resize(self.queued * 2, 0);
        }
        self.queue[self.queued] = node << 1 | u32::from(value);
        self.queued += 1;
    }

    /// Tells all changes until nothing changes any more.
    fn settle(&mut self) {
        loop {
            self.propagate();
            let Some(number) = self.unsettled.pop_first() else { return };
            self.settle_loop(number);
        }
    }

    /// Tells the queued changes and those that follow from them.
    fn propagate(&mut self) {
        match self.touched {
            None => _ = self.propagate_counting::<false>(),
            Some(before) => self.touched = Some(before + self.propagate_counting::<true>()),
        }
    }

    /// The same; changes and their readers where these are to be counted. (Two branches where arithmetic would do: in
    /// long chains of changes the processor then runs ahead of what it waits for.)
    fn propagate_counting<const COUNTING: bool>(&mut self) -> u64 {
        let nodes = &self.wiring.nodes[..];
        let (mut next, mut read) = (0, 0);
        while next < self.queued {
            let event = self.queue[next];
            next += 1;
            let node = (event & !SHOWN) as usize >> 1;
            let (here, after) = (nodes[node], nodes[node + 1]);
            if here.special != NONE && !self.special(here.special as usize, event) {
                continue;
            }
            let readers = &self.wiring.readers[here.readers as usize..after.readers as usize];
            if COUNTING {
                read += readers.len();
            }
            let mut queued = self.queued;
            if queued + readers.len() > self.queue.len() {
                self.queue.resize((queued + readers.len()) * 2, 0);
            }
            let queue = &mut self.queue[..];
            let false_operands = &mut self.signals.false_operands[..];
            for &reader in readers {
                let count = &mut false_operands[reader as usize >> 1];
                if (reader ^ event) & 1 == 1 {
                    *count = count.wrapping_sub(1);
                    if *count == 0 {
                        queue[queued] = reader | 1;
                        queued += 1;
                    }
                } else {
                    if *count == 0 {
                        queue[queued] = reader & !1;
                        queued += 1;
                    }
                    *count = count.wrapping_add(1);
                }
            }
            self.queued = queued;
        }
        let touched = (self.queued + read) as u64;
        self.queued = 0;
        touched
    }

    /// What a node that is not plain does on a change; whether its readers have to be told. (Half of all changes come here:
    /// a call would cost a sixteenth of a step.)
    #[inline(always)]
    fn special(&mut self, number: usize, event: u32) -> bool {
        let Signals { values, open, ready, outputs, .. } = &mut self.signals;
        let Special { guard, ready: bit, output, told, row, kept } = self.wiring.specials[number];
        if guard != NONE && event & SHOWN == 0 {
            ready[bit as usize / 64] ^= 1 << (bit % 64);
            if open[guard as usize >> 1] ^ (guard & 1) as u8 == 0 {
                return false;
            }
        }
        outputs[output as usize / 64] ^= 1 << (output % 64);
        for &entry in &self.wiring.told[told as usize..self.wiring.specials[number + 1].told as usize] {
            if entry & LOOP == 0 {
                outputs[entry as usize / 64] ^= 1 << (entry % 64);
            } else {
                self.unsettled.insert((entry & !LOOP) as usize);
            }
        }
        if kept {
            values[(event & !SHOWN) as usize >> 1] = (event & 1) as u8;
        }
        if row != NONE {
            self.let_through(row as usize);
        }
        true
    }

    /// Changes the gates that only wait for a guard, and their outputs.
    #[inline(never)]
    fn let_through(&mut self, number: usize) {
        let Signals { open, ready, outputs, .. } = &mut self.signals;
        let guard = &self.wiring.guards.rows[number];
        open[number] ^= 1;
        for &(output, word) in &guard.outputs {
            outputs[output as usize] ^= ready[word as usize];
        }
        if self.queued + guard.gates.len() > self.queue.len() {
            self.queue.resize((self.queued + guard.gates.len()) * 2, 0);
        }
        let row = &ready[guard.first as usize..];
        for (&word, gates) in row.iter().zip(guard.gates.chunks(64)) {
            let mut left = word;
            while left != 0 {
                let gate = gates[left.trailing_zeros() as usize];
                left &= left - 1;
                self.queue[self.queued] = SHOWN | gate & !1 | (gate ^ u32::from(open[number])) & 1;
                self.queued += 1;
            }
        }
    }

    /// The least fixpoint of a loop whose inputs have settled: all its atoms false, then those that follow.
    fn settle_loop(&mut self, number: usize) {
        let Segment::Loop { feedback, .. } = &self.network.segments[self.wiring.loops[number]] else {
            return;
        };
        for &(node, _) in feedback {
            if self.signals.values[node as usize] == 1 {
                self.turn(node, false);
            }
        }
        self.propagate();
        loop {
            for &(node, definition) in feedback {
                if self.signals.values[node as usize] == 0 && holds(&self.signals.values, definition) {
                    self.turn(node, true);
                }
            }
            if self.queued == 0 {
                return;
            }
            self.propagate();
        }
    }

    /// Turns the fluents that differ from `target`, and stands there.
    fn enter(&mut self, target: impl Fn(&NetworkCursor<'a>, usize) -> u64) {
        let words = self.state.0.len();
        for word in 0..words {
            self.change(word, target(self, word));
        }
        self.settle();
        self.read_outputs();
    }

    /// Turns the fluents of a word that differ.
    #[inline(always)]
    fn change(&mut self, word: usize, new: u64) {
        let mut changed = self.state.0[word] ^ new;
        self.state.0[word] = new;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            changed &= changed - 1;
            self.turn(1 + word as u32 * 64 + bit, new >> bit & 1 == 1);
        }
    }

    /// Enters the successor, where tables say some of its bits; what gates say of these is that they stay.
    fn enter_by_tables(&mut self, joint: &[MoveId]) {
        let automata = self.automata;
        let mut flips = std::mem::take(&mut self.flips);
        automata.step(self.network, &self.state, joint, &mut self.places, &mut flips);
        automata.words().iter().for_each(|&word| self.change(word, self.signals.outputs[word]));
        for bit in flips.drain(..) {
            let word = bit as usize / 64;
            self.change(word, self.state.0[word] ^ 1 << (bit % 64));
        }
        self.flips = flips;
        self.settle();
        self.read_outputs();
    }

    /// Lists legal moves and goals anew where they changed.
    fn read_outputs(&mut self) {
        let places = &self.wiring.places;
        let outputs = &self.signals.outputs;
        for (role, moves) in self.network.moves.iter().enumerate() {
            let range = places.legal[role]..places.legal[role] + moves.len().div_ceil(64);
            if self.legal_words[range.clone()] == outputs[range.clone()] && !self.legal[role].is_empty() {
                continue;
            }
            self.legal_words[range.clone()].copy_from_slice(&outputs[range.clone()]);
            let legal = &mut self.legal[role];
            legal.clear();
            for (index, &word) in outputs[range].iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    let number = index * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    legal.push(MoveId(moves[number].action));
                }
            }
        }
        let words = &outputs[places.first_goal..places.terminal];
        if self.goal_words == words {
            return;
        }
        self.goal_words.clear();
        self.goal_words.extend_from_slice(words);
        for (role, goals) in self.network.goals.iter().enumerate() {
            let held = &mut self.goals[role];
            held.clear();
            for (number, &(value, _)) in goals.iter().enumerate() {
                if outputs[places.goals[role] + number / 64] >> (number % 64) & 1 == 1 {
                    held.push(value);
                }
            }
            held.dedup();
        }
    }

    /// The work of one position: a quarter of the network, whatever changed, so that it does not depend on
    /// where the cursor stood before, and what a position costs at least, its observers included.
    fn count(&mut self) {
        self.work += POSITION + (self.network.gates() as u64 + self.network.bits.len() as u64) / 4;
    }
}

impl StateView for NetworkCursor<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.signals.outputs[self.wiring.places.terminal] & 1 == 1
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }
}

impl Cursor for NetworkCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        let (initial, signals) = self.beginning;
        if state == initial && signals.bytes() <= COPIED {
            self.signals.copy_from(signals);
            self.state.0.copy_from_slice(&initial.0);
            self.made.fill(0);
            self.read_outputs();
        } else {
            self.enter(|_, word| state.0[word]);
        }
        self.automata.places(&self.state, &mut self.places);
        self.count();
        Ok(())
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        // First the new ones, so that "some move of these" need not change twice.
        for (role, action) in joint.iter().enumerate() {
            let input = self.wiring.inputs[role][action.0 as usize];
            if input != 0 && input != self.made[role] {
                self.turn(input, true);
            }
        }
        for (role, action) in joint.iter().enumerate() {
            let input = self.wiring.inputs[role][action.0 as usize];
            let before = std::mem::replace(&mut self.made[role], input);
            if before != 0 && before != input {
                self.turn(before, false);
            }
        }
        self.settle();
        if self.automata.is_empty() {
            self.enter(|cursor, word| cursor.signals.outputs[word]);
        } else {
            self.enter_by_tables(joint);
        }
        self.count();
        Ok(())
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn count_touched(&mut self) {
        self.touched.get_or_insert(0);
    }

    fn touched(&self) -> u64 {
        self.touched.unwrap_or(0)
    }
}
