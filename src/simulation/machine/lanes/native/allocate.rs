//! Register and memory allocation in one pass over the gates.
//!
//! One backward pass computes the next read of every value. If a register is needed, the value whose next read is furthest
//! in the future is evicted (Belady 1966). A value is stored in memory only if it is evicted while it is still needed, or if
//! a kept slot needs it. In the second case it is stored as soon as the slot's old value has been read for the last time,
//! and then read from there. Other values go to the most recently freed slot, which is still in the cache.

use super::values::{ValueGate, Values};

/// An input of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Register(u8),
    Slot(u32),
}

/// Writes instructions for one kind of processor.
pub(super) trait Assembler {
    /// Number of registers, at most 32.
    fn registers(&self) -> usize;
    /// Loads a slot into a register.
    fn load(&mut self, register: u8, slot: u32);
    /// Stores a register in a slot.
    fn store(&mut self, slot: u32, register: u8);
    /// Sets all lanes of a register.
    fn constant(&mut self, register: u8, value: bool);
    /// A gate with one input per source. At most one source is a slot, and only if there are others. The target may be one
    /// of the sources; other sources do not change.
    fn gate(&mut self, table: u8, target: u8, sources: &[Operand]);
}

const NONE: u32 = u32::MAX;
const NEVER: u32 = u32::MAX;
/// No gate reads the value, but a kept slot still needs it.
const AT_END: u32 = u32::MAX - 1;
const NOWHERE: u8 = u8::MAX;

/// There was no free slot for an evicted value.
#[derive(Debug)]
pub(super) struct OutOfSlots;

/// The state of a value.
#[derive(Clone, Copy)]
struct ValueState {
    /// The next gate that reads it, or [`AT_END`] or [`NEVER`].
    next: u32,
    /// The slot that contains it.
    home: u32,
    /// Number of kept slots that still need it.
    waiting: u32,
    register: u8,
}

struct Allocator<'a, A> {
    assembler: &'a mut A,
    values: Vec<ValueState>,
    /// The value in each register.
    held: [u32; 32],
    registers: usize,
    /// The live value in each slot.
    owner: Vec<u32>,
    /// The value that each slot must contain at the end.
    awaits: Vec<u32>,
    /// Slots that may not be written: they already have their final value, or are not available.
    settled: Vec<bool>,
    /// The slots that need each value: for value `v` they are `wanted[wants[v]..wants[v + 1]]`.
    wanted: Vec<u32>,
    wants: Vec<u32>,
    /// Free slots, most recently freed on top; and free slots that still wait for their value, as a reserve.
    free: Vec<u32>,
    reserve: Vec<u32>,
    /// Whether kept slots get their values only at the end.
    late: bool,
}

/// Writes the instructions that evaluate the gates and store the final values in the slots. `scratch` are the slots that may
/// be written, ascending.
///
/// # Errors
///
/// [`OutOfSlots`], never if `late`.
pub(super) fn allocate(
    values: &Values,
    scratch: &[u32],
    late: bool,
    assembler: &mut impl Assembler,
) -> Result<(), OutOfSlots> {
    let (first, next) = next_reads(values);
    let mut allocator = Allocator::new(values, &first, scratch, late, assembler);
    for (index, gate) in values.gates.iter().enumerate() {
        let result = values.slots + index as u32;
        allocator.gate(gate, &next[index], result, first[result as usize])?;
    }
    allocator.finish(values)
}

/// For every value, the first gate that reads it; for every input of every gate, the next gate that reads the same value.
fn next_reads(values: &Values) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut upcoming = vec![NEVER; values.len()];
    let mut next = vec![[NEVER; 3]; values.gates.len()];
    for (index, gate) in values.gates.iter().enumerate().rev() {
        for (input, next) in gate.inputs[..gate.arity as usize].iter().zip(&mut next[index]) {
            *next = std::mem::replace(&mut upcoming[*input as usize], index as u32);
        }
    }
    (upcoming, next)
}

impl<'a, A: Assembler> Allocator<'a, A> {
    fn new(values: &Values, first: &[u32], scratch: &[u32], late: bool, assembler: &'a mut A) -> Self {
        let slots = values.slots as usize;
        let mut wants = vec![0; values.len() + 1];
        values.finals.iter().for_each(|&(_, value)| wants[value as usize + 1] += 1);
        for value in 0..values.len() {
            wants[value + 1] += wants[value];
        }
        let mut wanted = vec![NONE; values.finals.len()];
        let mut awaits = vec![NONE; slots];
        let mut filled = wants.clone();
        for &(slot, value) in &values.finals {
            wanted[filled[value as usize] as usize] = slot;
            filled[value as usize] += 1;
            awaits[slot as usize] = value;
        }
        let states = (0..values.len())
            .map(|value| {
                let waiting = wants[value + 1] - wants[value];
                let next = if first[value] == NEVER && waiting > 0 { AT_END } else { first[value] };
                let home = if value < slots && next != NEVER { value as u32 } else { NONE };
                ValueState { next, home, waiting, register: NOWHERE }
            })
            .collect::<Vec<_>>();
        let owner = states[..slots].iter().map(|state| state.home).collect::<Vec<_>>();
        let mut allocator = Allocator {
            registers: assembler.registers(),
            assembler,
            values: states,
            held: [NONE; 32],
            owner,
            awaits,
            settled: vec![true; slots],
            wanted,
            wants,
            free: Vec::new(),
            reserve: Vec::new(),
            late,
        };
        // A constant is written at the very end, so its slot is available until then.
        let unchanged = |slot: &u32| values.unchanged.binary_search(slot).is_ok();
        for &slot in scratch.iter().rev().filter(|slot| !unchanged(slot)) {
            allocator.settled[slot as usize] = false;
            if allocator.owner[slot as usize] == NONE {
                allocator.put_back(slot);
            }
        }
        allocator
    }

    fn put_back(&mut self, slot: u32) {
        if self.awaits[slot as usize] == NONE {
            self.free.push(slot);
        } else {
            self.reserve.push(slot);
        }
    }

    /// Takes a free slot.
    fn take_slot(&mut self) -> Result<u32, OutOfSlots> {
        if let Some(slot) = self.free.pop() {
            return Ok(slot);
        }
        while let Some(slot) = self.reserve.pop() {
            if self.owner[slot as usize] == NONE && !self.settled[slot as usize] {
                return Ok(slot);
            }
        }
        Err(OutOfSlots)
    }

    /// Takes a free register, or evicts the value that is read last among those that are not `pinned`.
    fn take_register(&mut self, pinned: u32) -> Result<u8, OutOfSlots> {
        let (register, _) = self.victim(pinned);
        self.empty(register)?;
        Ok(register)
    }

    /// The register to evict, and the next read of its value.
    fn victim(&self, pinned: u32) -> (u8, u32) {
        let mut best = (NOWHERE, 0, false);
        for register in 0..self.registers {
            if pinned >> register & 1 == 1 {
                continue;
            }
            let (next, stored) = match self.held[register] {
                NONE => return (register as u8, NEVER),
                value => {
                    let ValueState { next, home, .. } = self.values[value as usize];
                    (next, home != NONE)
                }
            };
            if best.0 == NOWHERE || (next, stored) > (best.1, best.2) {
                best = (register as u8, next, stored);
            }
        }
        debug_assert!(best.0 != NOWHERE, "a gate pins at most three registers");
        (best.0, best.1)
    }

    /// Stores a register's value elsewhere if it is still needed.
    fn empty(&mut self, register: u8) -> Result<(), OutOfSlots> {
        let value = std::mem::replace(&mut self.held[register as usize], NONE);
        if value == NONE {
            return Ok(());
        }
        if self.values[value as usize].home == NONE && self.values[value as usize].next != NEVER {
            let slot = self.take_slot()?;
            self.assembler.store(slot, register);
            self.owner[slot as usize] = value;
            self.values[value as usize].home = slot;
        }
        self.values[value as usize].register = NOWHERE;
        Ok(())
    }

    fn hold(&mut self, register: u8, value: u32) {
        self.held[register as usize] = value;
        self.values[value as usize].register = register;
    }

    fn load(&mut self, value: u32, pinned: u32) -> Result<u8, OutOfSlots> {
        let register = self.take_register(pinned)?;
        self.assembler.load(register, self.values[value as usize].home);
        self.hold(register, value);
        Ok(register)
    }

    fn gate(&mut self, gate: &ValueGate, next: &[u32; 3], result: u32, first: u32) -> Result<(), OutOfSlots> {
        let arity = gate.arity as usize;
        let inputs = &gate.inputs[..arity];
        let mut pinned = 0u32;
        let mut missing: Option<(u32, usize)> = None;
        for (index, (&input, &next)) in inputs.iter().zip(next).enumerate() {
            let state = &mut self.values[input as usize];
            state.next = if next == NEVER && state.waiting > 0 { AT_END } else { next };
            if state.register != NOWHERE {
                pinned |= 1 << state.register;
            } else if missing.is_none_or(|(furthest, _)| state.next > furthest) {
                missing = Some((state.next, index));
            }
        }
        let mut sources = [Operand::Register(NOWHERE); 3];
        for (index, &input) in inputs.iter().enumerate() {
            let ValueState { register, home, .. } = self.values[input as usize];
            sources[index] = if register != NOWHERE {
                Operand::Register(register)
            } else if arity > 1
                && let Some((next, last)) = missing
                && last == index
                && (next >= AT_END || self.victim(pinned).1 <= next)
            {
                Operand::Slot(home)
            } else {
                let register = self.load(input, pinned)?;
                pinned |= 1 << register;
                Operand::Register(register)
            };
        }
        // Inputs are read before the target is written, so the target may be any register.
        let target = self.target(&sources[..arity])?;
        self.assembler.gate(gate.table, target, &sources[..arity]);
        for &input in inputs {
            let ValueState { next, waiting, register, .. } = self.values[input as usize];
            if next == NEVER {
                self.drop_value(input);
            } else if waiting > 0 && register != NOWHERE {
                self.store_finals(input);
            }
        }
        let state = &mut self.values[result as usize];
        state.next = if first == NEVER && state.waiting > 0 { AT_END } else { first };
        self.hold(target, result);
        self.store_finals(result);
        Ok(())
    }

    /// The register for a result: that of an input that is read for the last time, if any.
    fn target(&mut self, sources: &[Operand]) -> Result<u8, OutOfSlots> {
        for source in sources {
            if let Operand::Register(register) = *source
                && self.values[self.held[register as usize] as usize].next == NEVER
            {
                self.values[self.held[register as usize] as usize].register = NOWHERE;
                self.held[register as usize] = NONE;
                return Ok(register);
            }
        }
        self.take_register(0)
    }

    /// Removes a value that is not needed any more.
    fn drop_value(&mut self, value: u32) {
        let ValueState { home, register, .. } = self.values[value as usize];
        if register != NOWHERE {
            self.held[register as usize] = NONE;
            self.values[value as usize].register = NOWHERE;
        }
        if home != NONE && !self.settled[home as usize] {
            self.values[value as usize].home = NONE;
            self.owner[home as usize] = NONE;
            self.freed(home);
        }
    }

    /// Reuses a slot whose value is not needed any more: stores the value that it waits for, if available, or frees it.
    fn freed(&mut self, slot: u32) {
        let mut slot = slot;
        loop {
            let value = self.awaits[slot as usize];
            if value == NONE || self.late || self.values[value as usize].register == NOWHERE {
                self.put_back(slot);
                return;
            }
            match self.store_final(value, slot) {
                Some(other) => slot = other,
                None => return,
            }
        }
    }

    /// Stores a register's value in a free kept slot that needs it. Returns the value's previous slot if it is not needed
    /// any more.
    fn store_final(&mut self, value: u32, slot: u32) -> Option<u32> {
        let ValueState { register, home, .. } = self.values[value as usize];
        self.assembler.store(slot, register);
        self.settled[slot as usize] = true;
        self.awaits[slot as usize] = NONE;
        self.owner[slot as usize] = value;
        let state = &mut self.values[value as usize];
        state.home = slot;
        state.waiting -= 1;
        if state.waiting == 0 && state.next == AT_END {
            state.next = NEVER;
            state.register = NOWHERE;
            self.held[register as usize] = NONE;
        }
        if home == NONE || self.settled[home as usize] {
            return None;
        }
        self.owner[home as usize] = NONE;
        Some(home)
    }

    /// Stores a newly computed value in all free kept slots that need it.
    fn store_finals(&mut self, value: u32) {
        if self.late {
            return;
        }
        for index in self.wants[value as usize]..self.wants[value as usize + 1] {
            let slot = self.wanted[index as usize];
            if self.awaits[slot as usize] == value
                && self.owner[slot as usize] == NONE
                && self.values[value as usize].register != NOWHERE
                && let Some(other) = self.store_final(value, slot)
            {
                self.freed(other);
            }
        }
    }

    /// Fills the kept slots that still wait for their values: first the free ones, and each store may free another. The rest
    /// are cycles; each is broken by loading one value into a register.
    fn finish(mut self, values: &Values) -> Result<(), OutOfSlots> {
        self.late = true;
        let is_free = |this: &Self, slot: u32| {
            let owner = this.owner[slot as usize];
            owner == NONE || owner == this.awaits[slot as usize]
        };
        let mut ready: Vec<u32> =
            values.finals.iter().map(|&(slot, _)| slot).filter(|&slot| is_free(&self, slot)).collect();
        let mut at = 0;
        loop {
            while let Some(slot) = ready.pop() {
                let value = self.awaits[slot as usize];
                if value == NONE || !is_free(&self, slot) {
                    continue;
                }
                if self.values[value as usize].home == slot {
                    // It was evicted to the slot that needs it.
                    self.settled[slot as usize] = true;
                    self.awaits[slot as usize] = NONE;
                    let state = &mut self.values[value as usize];
                    state.waiting -= 1;
                    if state.waiting == 0 {
                        state.next = NEVER;
                    }
                    continue;
                }
                if self.values[value as usize].register == NOWHERE {
                    self.load(value, 0)?;
                    if !is_free(&self, slot) {
                        continue; // The evicted value was stored here; it is moved later.
                    }
                }
                if let Some(other) = self.store_final(value, slot) {
                    self.put_back(other);
                    ready.push(other);
                }
            }
            let Some(&(slot, _)) = values.finals[at..].iter().find(|&&(slot, _)| {
                at += 1;
                self.awaits[slot as usize] != NONE
            }) else {
                break;
            };
            // The slot's live value must be moved: load it into a register.
            let owner = self.owner[slot as usize];
            if self.values[owner as usize].register == NOWHERE {
                self.load(owner, 0)?;
            }
            self.values[owner as usize].home = NONE;
            self.owner[slot as usize] = NONE;
            ready.push(slot);
        }
        for value in [false, true] {
            if values.constants.iter().any(|&(_, constant)| constant == value) {
                let register = self.take_register(0)?;
                self.assembler.constant(register, value);
                let slots = values.constants.iter().filter(|&&(_, constant)| constant == value);
                slots.for_each(|&(slot, _)| self.assembler.store(slot, register));
            }
        }
        Ok(())
    }
}
