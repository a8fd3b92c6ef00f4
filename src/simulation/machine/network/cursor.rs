//! Event-driven simulation of a network: a move and the fluents that it changes affect only a small part of the gates.
//!
//! Every gate (a conjunction) counts its false operands; it is true if there are none. A node that changes notifies its
//! readers, which increment or decrement their counts. The result does not depend on the order of events, because counting
//! is commutative. A loop is evaluated as a whole after its inputs have settled.

use std::collections::BTreeSet;

use super::automata::Automata;
use super::evaluate::holds;
use super::guards::NONE;
use super::signals::Signals;
use super::wiring::{LOOP, SpecialNode, Wiring};
use crate::ground::Network;
use crate::ground::network::Segment;
use crate::machine::{Cursor, MachineError, MoveId, State, StateView};

/// Minimum work of a position, in units of roughly one nanosecond.
const POSITION_WORK: u64 = 400;

/// Up to this size in bytes, the signals of the initial state are copied; above it, they are restored by propagating changes.
const MAX_COPIED_BYTES: usize = 1 << 17;

/// Marks a change of a gate caused by its guard. Without it, the counted operands changed.
const GUARD_CHANGE: u32 = 1 << 31;

/// A cursor on a network.
pub(super) struct NetworkCursor<'a> {
    network: &'a Network,
    wiring: &'a Wiring,
    automata: &'a Automata,
    /// The state of each automaton, as `Automata::states` computes it.
    automaton_states: Vec<u32>,
    /// A buffer for the bits that a step changes.
    changed_bits: Vec<u32>,
    /// The state at which the cursor began, and its signals.
    initial: (&'a State, &'a Signals),
    signals: Signals,
    state: State,
    /// The input node of each role's last move, or 0 if there is none.
    move_inputs: Vec<u32>,
    /// The event queue, valid up to `queue_length`: `node << 1 | value`, and [`GUARD_CHANGE`].
    queue: Vec<u32>,
    queue_length: usize,
    unsettled: BTreeSet<usize>,
    /// The output words for which `legal` is valid.
    legal_words: Vec<u64>,
    legal: Vec<Vec<MoveId>>,
    /// The output words for which `goals` is valid.
    goal_words: Vec<u64>,
    goals: Vec<Vec<i32>>,
    work: u64,
    /// Changes and notified readers so far, if counting was requested. Counting costs a tenth of a step.
    propagated: Option<u64>,
}

impl<'a> NetworkCursor<'a> {
    pub(super) fn new(
        network: &'a Network,
        wiring: &'a Wiring,
        automata: &'a Automata,
        initial: (&'a State, &'a Signals),
    ) -> NetworkCursor<'a> {
        let roles = network.moves.len();
        let mut cursor = NetworkCursor {
            network,
            wiring,
            automata,
            automaton_states: Vec::new(),
            changed_bits: Vec::new(),
            initial,
            signals: initial.1.clone(),
            state: initial.0.clone(),
            move_inputs: vec![0; roles],
            queue: vec![0; 1024],
            queue_length: 0,
            unsettled: BTreeSet::new(),
            legal_words: vec![0; wiring.places.words],
            legal: vec![Vec::new(); roles],
            goal_words: Vec::new(),
            goals: vec![Vec::new(); roles],
            work: 0,
            propagated: None,
        };
        cursor.read_outputs();
        automata.states(&cursor.state, &mut cursor.automaton_states);
        cursor
    }

    /// Sets the value of an input node.
    fn set_input(&mut self, node: u32, value: bool) {
        self.signals.values[node as usize] = u8::from(value);
        if self.queue_length == self.queue.len() {
            self.queue.resize(self.queue_length * 2, 0);
        }
        self.queue[self.queue_length] = node << 1 | u32::from(value);
        self.queue_length += 1;
    }

    /// Propagates changes until nothing changes.
    fn settle(&mut self) {
        loop {
            self.propagate();
            let Some(number) = self.unsettled.pop_first() else { return };
            self.settle_loop(number);
        }
    }

    /// Propagates the queued changes and their consequences.
    fn propagate(&mut self) {
        match self.propagated {
            None => _ = self.propagate_counting::<false>(),
            Some(before) => self.propagated = Some(before + self.propagate_counting::<true>()),
        }
    }

    /// Like [`NetworkCursor::propagate`]; returns the number of changes and readers if `COUNTING`. It uses
    /// branches instead of arithmetic, so that the processor can speculate past long chains of changes.
    fn propagate_counting<const COUNTING: bool>(&mut self) -> u64 {
        let nodes = &self.wiring.nodes[..];
        let (mut next, mut read) = (0, 0);
        while next < self.queue_length {
            let event = self.queue[next];
            next += 1;
            let node = (event & !GUARD_CHANGE) as usize >> 1;
            let (here, after) = (nodes[node], nodes[node + 1]);
            if here.special != NONE && !self.propagate_special(here.special as usize, event) {
                continue;
            }
            let readers = &self.wiring.readers[here.readers as usize..after.readers as usize];
            if COUNTING {
                read += readers.len();
            }
            let mut queue_length = self.queue_length;
            if queue_length + readers.len() > self.queue.len() {
                self.queue.resize((queue_length + readers.len()) * 2, 0);
            }
            let queue = &mut self.queue[..];
            let false_operands = &mut self.signals.false_operands[..];
            for &reader in readers {
                let count = &mut false_operands[reader as usize >> 1];
                if (reader ^ event) & 1 == 1 {
                    *count = count.wrapping_sub(1);
                    if *count == 0 {
                        queue[queue_length] = reader | 1;
                        queue_length += 1;
                    }
                } else {
                    if *count == 0 {
                        queue[queue_length] = reader & !1;
                        queue_length += 1;
                    }
                    *count = count.wrapping_add(1);
                }
            }
            self.queue_length = queue_length;
        }
        let propagated = (self.queue_length + read) as u64;
        self.queue_length = 0;
        propagated
    }

    /// Handles a change of a node that is not plain; returns whether its readers must be notified. Inlined: half of all
    /// changes reach it, and a call would slow a step by about 6 %.
    #[inline(always)]
    fn propagate_special(&mut self, number: usize, event: u32) -> bool {
        let Signals { values, open, ready, outputs, .. } = &mut self.signals;
        let SpecialNode { guard, ready: bit, output, listeners, row, kept } = self.wiring.specials[number];
        if guard != NONE && event & GUARD_CHANGE == 0 {
            ready[bit as usize / 64] ^= 1 << (bit % 64);
            if open[guard as usize >> 1] ^ (guard & 1) as u8 == 0 {
                return false;
            }
        }
        outputs[output as usize / 64] ^= 1 << (output % 64);
        for &entry in
            &self.wiring.listeners[listeners as usize..self.wiring.specials[number + 1].listeners as usize]
        {
            if entry & LOOP == 0 {
                outputs[entry as usize / 64] ^= 1 << (entry % 64);
            } else {
                self.unsettled.insert((entry & !LOOP) as usize);
            }
        }
        if kept {
            values[(event & !GUARD_CHANGE) as usize >> 1] = (event & 1) as u8;
        }
        if row != NONE {
            self.propagate_guard(row as usize);
        }
        true
    }

    /// Changes the gates that wait only for this guard, and their outputs.
    #[inline(never)]
    fn propagate_guard(&mut self, number: usize) {
        let Signals { open, ready, outputs, .. } = &mut self.signals;
        let guard = &self.wiring.guards.rows[number];
        open[number] ^= 1;
        for &(output, word) in &guard.outputs {
            outputs[output as usize] ^= ready[word as usize];
        }
        if self.queue_length + guard.gates.len() > self.queue.len() {
            self.queue.resize((self.queue_length + guard.gates.len()) * 2, 0);
        }
        let row = &ready[guard.first as usize..];
        for (&word, gates) in row.iter().zip(guard.gates.chunks(64)) {
            let mut left = word;
            while left != 0 {
                let gate = gates[left.trailing_zeros() as usize];
                left &= left - 1;
                self.queue[self.queue_length] =
                    GUARD_CHANGE | gate & !1 | (gate ^ u32::from(open[number])) & 1;
                self.queue_length += 1;
            }
        }
    }

    /// Computes the least fixpoint of a loop whose inputs have settled.
    fn settle_loop(&mut self, number: usize) {
        let Segment::Loop { feedback, .. } = &self.network.segments[self.wiring.loops[number]] else {
            return;
        };
        for &(node, _) in feedback {
            if self.signals.values[node as usize] == 1 {
                self.set_input(node, false);
            }
        }
        self.propagate();
        loop {
            for &(node, definition) in feedback {
                if self.signals.values[node as usize] == 0 && holds(&self.signals.values, definition) {
                    self.set_input(node, true);
                }
            }
            if self.queue_length == 0 {
                return;
            }
            self.propagate();
        }
    }

    /// Goes to the state `target` by changing the fluents that differ.
    fn enter(&mut self, target: impl Fn(&NetworkCursor<'a>, usize) -> u64) {
        let words = self.state.0.len();
        for word in 0..words {
            self.change(word, target(self, word));
        }
        self.settle();
        self.read_outputs();
    }

    /// Changes the fluents of a word that differ.
    #[inline(always)]
    fn change(&mut self, word: usize, new: u64) {
        let mut changed = self.state.0[word] ^ new;
        self.state.0[word] = new;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            changed &= changed - 1;
            self.set_input(1 + word as u32 * 64 + bit, new >> bit & 1 == 1);
        }
    }

    /// Enters the successor if automata determine some of its bits. For these bits the wiring has no gates.
    fn enter_by_automata(&mut self, joint: &[MoveId]) {
        let automata = self.automata;
        let mut changed_bits = std::mem::take(&mut self.changed_bits);
        automata.step(self.network, &self.state, joint, &mut self.automaton_states, &mut changed_bits);
        automata.words().iter().for_each(|&word| self.change(word, self.signals.outputs[word]));
        for bit in changed_bits.drain(..) {
            let word = bit as usize / 64;
            self.change(word, self.state.0[word] ^ 1 << (bit % 64));
        }
        self.changed_bits = changed_bits;
        self.settle();
        self.read_outputs();
    }

    /// Updates legal moves and goals where their output words changed.
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

    /// Counts the work of one position: a quarter of the network's size plus a constant for the position and its observers.
    /// It does not depend on what changed, and therefore not on the previous state.
    fn count(&mut self) {
        self.work += POSITION_WORK + (self.network.gates() as u64 + self.network.bits.len() as u64) / 4;
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
        let (initial, signals) = self.initial;
        if state == initial && signals.bytes() <= MAX_COPIED_BYTES {
            self.signals.copy_from(signals);
            self.state.0.copy_from_slice(&initial.0);
            self.move_inputs.fill(0);
            self.read_outputs();
        } else {
            self.enter(|_, word| state.0[word]);
        }
        self.automata.states(&self.state, &mut self.automaton_states);
        self.count();
        Ok(())
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        // The new inputs come first, so that a disjunction of moves need not change twice.
        for (role, action) in joint.iter().enumerate() {
            let input = self.wiring.inputs[role][action.0 as usize];
            if input != 0 && input != self.move_inputs[role] {
                self.set_input(input, true);
            }
        }
        for (role, action) in joint.iter().enumerate() {
            let input = self.wiring.inputs[role][action.0 as usize];
            let before = std::mem::replace(&mut self.move_inputs[role], input);
            if before != 0 && before != input {
                self.set_input(before, false);
            }
        }
        self.settle();
        if self.automata.is_empty() {
            self.enter(|cursor, word| cursor.signals.outputs[word]);
        } else {
            self.enter_by_automata(joint);
        }
        self.count();
        Ok(())
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn count_touched(&mut self) {
        self.propagated.get_or_insert(0);
    }

    fn touched(&self) -> u64 {
        self.propagated.unwrap_or(0)
    }
}
