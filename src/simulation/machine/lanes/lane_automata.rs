//! [Automata](crate::machine::automata) in lanes: each lane has a row of a transition table instead of gates for the next
//! bits.
//!
//! A step also updates one bit of the lane's state, so that the state can be read. Bits that no code reads are not updated
//! unless states are shown.

use std::sync::Arc;

use super::compile;
use super::layout::Layout;
use super::move_table::{ChoiceState, MoveTable};
use super::schedule::Part;
use super::word::{LANES, Word};
use crate::ground::Network;
use crate::machine::automata::Automaton;

/// Flag of a row whose bit is read.
const READ: u32 = 1 << 31;

/// The source of the lanes' moves.
#[derive(Clone, Debug)]
enum Driver {
    /// The transitions do not depend on moves.
    None,
    /// For each move of the role, the slot that has a bit for each lane that plays it, and its class.
    Words(Vec<(u32, u32)>),
    /// A role whose moves a table chooses, with the classes of its moves.
    Table(usize, Vec<u32>),
}

/// The automata of a network, and the bits that gates need not compute.
#[derive(Debug, Default)]
pub(super) struct LaneAutomata {
    pub(super) list: Vec<Automaton>,
    /// For each bit, whether it is in an automaton; empty if there are no automata.
    pub(super) left_out: Vec<bool>,
}

impl LaneAutomata {
    /// Whether each state has at most one bit of each automaton.
    pub(super) fn admit(&self, states: &[&[u64]]) -> bool {
        admit(&self.list, states)
    }
}

/// An automaton in the lanes of a program, with its transition table in one phase.
#[derive(Clone, Debug)]
pub(super) struct AutomatonTable {
    driver: Driver,
    /// The next row by row and class, with the flag [`READ`]. Rows are multiples of the number of classes rounded up to a
    /// power of two.
    next: Vec<u32>,
    /// The row of the bit that holds initially.
    initial: u32,
    /// The row of states in which no bit of the automaton holds.
    none: u32,
    /// The binary logarithm of the length of a row.
    shift: u32,
    bits: Arc<Bits>,
}

/// The bits of an automaton in the slots of a program.
#[derive(Debug)]
pub(super) struct Bits {
    /// The slot of each bit, by index of the bit.
    slots: Vec<u32>,
    /// For each bit, whether code reads its slot.
    read: Vec<bool>,
    /// The bits by words of a state, ascending: the word, its bits, and the index of the first one.
    words: Vec<(u32, u64, u32)>,
}

impl Bits {
    pub(super) fn new(automaton: &Automaton, layout: &Layout, read: impl Fn(u32) -> bool) -> Bits {
        let mut words: Vec<(u32, u64, u32)> = Vec::new();
        for (index, &bit) in automaton.bits.iter().enumerate() {
            if words.last().is_none_or(|&(word, ..)| word != bit / 64) {
                words.push((bit / 64, 0, index as u32));
            }
            words.last_mut().expect("pushed just now").1 |= 1 << (bit % 64);
        }
        Bits {
            slots: automaton.bits.iter().map(|&bit| layout.bit(bit as usize)).collect(),
            read: automaton.bits.iter().map(|&bit| read(layout.bit(bit as usize))).collect(),
            words,
        }
    }

    /// The indices of the automaton's bits that a state has, ascending.
    fn places(&self, state: &[u64]) -> impl Iterator<Item = u32> {
        self.words.iter().flat_map(move |&(word, bits, first)| {
            let mut left = state[word as usize] & bits;
            std::iter::from_fn(move || {
                let bit = left.checked_ilog2().map(|_| left.trailing_zeros())?;
                left &= left - 1;
                Some(first + (bits & ((1 << bit) - 1)).count_ones())
            })
        })
    }
}

/// The roles whose moves determine transitions of these automata in a phase.
pub(super) fn drivers(automata: &[Automaton], phase: usize) -> Vec<usize> {
    automata.iter().filter_map(|automaton| automaton.transitions[phase].role).collect()
}

/// Whether each state has at most one bit of each automaton.
pub(super) fn admit(automata: &[Automaton], states: &[&[u64]]) -> bool {
    let has = |state: &[u64], bit: u32| state[bit as usize / 64] >> (bit % 64) & 1 == 1;
    automata.iter().all(|automaton| {
        states.iter().all(|state| automaton.bits.iter().filter(|&&bit| has(state, bit)).count() <= 1)
    })
}

/// For each slot below `end`, whether the code of these steps reads it.
pub(super) fn slots_read(steps: &[compile::StepCode], end: u32) -> Vec<bool> {
    let mut read = vec![false; end as usize];
    let parts = steps.iter().flat_map(|step| step.observe.iter().chain(&step.select).chain(&step.update));
    let codes = parts.flat_map(|part| match part {
        Part::Straight(code) => std::slice::from_ref(code),
        Part::Loop { sweeps, .. } => &sweeps[..],
    });
    for slot in codes.flat_map(|code| &code.ops).flat_map(|op| op.inputs) {
        if let Some(read) = read.get_mut(slot as usize) {
            *read = true;
        }
    }
    read
}

/// The row of each lane in an automaton.
pub(super) type LaneRows = Vec<u32>;

impl AutomatonTable {
    /// An automaton in one phase; `table` is the table that chooses the moves, if any.
    pub(super) fn new(
        automaton: &Automaton,
        phase: usize,
        bits: Arc<Bits>,
        network: &Network,
        table: Option<&mut MoveTable>,
    ) -> AutomatonTable {
        let widest = automaton.transitions.iter().map(|transitions| transitions.width).max().unwrap_or(1);
        let shift = widest.next_power_of_two().ilog2();
        let row = |index: u32| {
            let read = bits.read.get(index as usize).is_some_and(|&read| read);
            index << shift | if read { READ } else { 0 }
        };
        let transitions = &automaton.transitions[phase];
        let mut next = vec![0; (automaton.bits.len() + 1) << shift];
        for (rows, places) in next.chunks_mut(1 << shift).zip(transitions.next.chunks(transitions.width)) {
            rows.iter_mut().zip(places).for_each(|(next, &index)| *next = row(index));
        }
        let driver = match (transitions.role, table) {
            (None, _) => Driver::None,
            (Some(role), Some(table)) => {
                table.roles[role].keeps = true;
                let moves = &table.roles[role].moves;
                Driver::Table(role, moves.iter().map(|&m| transitions.classes[m as usize]).collect())
            }
            (Some(role), None) => {
                let moves = network.moves[role].iter().zip(&transitions.classes);
                Driver::Words(moves.map(|(m, &class)| (m.input, class)).collect())
            }
        };
        let (initial, none) = (row(automaton.initial), row(automaton.bits.len() as u32));
        AutomatonTable { driver, next, initial, none, shift, bits }
    }

    /// All lanes at the initial row.
    pub(super) fn begin(&self) -> LaneRows {
        vec![self.initial; LANES]
    }

    /// All lanes at the row of no bit.
    pub(super) fn empty(&self) -> LaneRows {
        vec![self.none; LANES]
    }

    /// Resets lanes to the initial row.
    pub(super) fn restart(&self, slots: &mut [Word], lanes: Word, rows: &mut LaneRows) {
        lanes.lanes().for_each(|lane| self.set_row(slots, rows, lane, self.initial));
    }

    /// Sets the row of a lane to that of a given state.
    pub(super) fn enter(&self, state: &[u64], lane: usize, rows: &mut LaneRows) {
        rows[lane] = match self.bits.places(state).next() {
            Some(index) => index << self.shift | if self.bits.read[index as usize] { READ } else { 0 },
            None => self.none,
        };
    }

    /// Plays the moves of the lanes.
    #[inline]
    pub(super) fn step(&self, slots: &mut [Word], active: Word, choosing: &ChoiceState, rows: &mut LaneRows) {
        match &self.driver {
            Driver::None => active.lanes().for_each(|lane| self.advance_lane(slots, rows, lane, 0)),
            Driver::Words(moves) => {
                for &(slot, class) in moves {
                    slots[slot as usize].lanes().for_each(|lane| self.advance_lane(slots, rows, lane, class));
                }
            }
            Driver::Table(role, classes) => {
                for &(lane, index) in choosing.moves(*role) {
                    self.advance_lane(slots, rows, lane as usize, classes[index as usize]);
                }
            }
        }
    }

    #[inline(always)]
    fn advance_lane(&self, slots: &mut [Word], rows: &mut LaneRows, lane: usize, class: u32) {
        let next = self.next[((rows[lane] & !READ) | class) as usize];
        self.set_row(slots, rows, lane, next);
    }

    #[inline(always)]
    fn set_row(&self, slots: &mut [Word], rows: &mut LaneRows, lane: usize, next: u32) {
        let before = std::mem::replace(&mut rows[lane], next);
        if (before | next) & READ != 0 {
            if before & READ != 0 {
                slots[self.slot(before)].clear(lane);
            }
            if next & READ != 0 {
                slots[self.slot(next)].set(lane);
            }
        }
    }

    #[inline(always)]
    fn slot(&self, row: u32) -> usize {
        self.bits.slots[((row & !READ) >> self.shift) as usize] as usize
    }
}
