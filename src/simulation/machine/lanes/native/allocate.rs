//! Registers and memory for values: one pass over the gates, each value as long in a register as pays.
//!
//! The next read of every value is known (one pass backwards), so the register whose value is read furthest in
//! the future is given up first (Belady 1966). A value goes to memory only if it is given up while it is still
//! needed, or if a kept slot wants it: then it is stored there as soon as the slot's older value has been read
//! for the last time, and lives there as well. Other values go where memory was freed last, which is still in
//! the cache.

use super::values::{Gate, Values};

/// Where an input of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(u8),
    Slot(u32),
}

/// A writer of instructions for one kind of processor.
pub(super) trait Assembler {
    /// Number of registers, at most 32.
    fn registers(&self) -> usize;
    /// Register from slot.
    fn load(&mut self, register: u8, slot: u32);
    /// Slot from register.
    fn store(&mut self, slot: u32, register: u8);
    /// Every lane of a register.
    fn constant(&mut self, register: u8, value: bool);
    /// A gate of as many inputs as there are sources; at most one of them is a slot, and not the only one. The
    /// target may be one of the sources; other sources stay as they are.
    fn gate(&mut self, table: u8, target: u8, sources: &[Source]);
}

const NONE: u32 = u32::MAX;
const NEVER: u32 = u32::MAX;
/// Read by nothing more, but a kept slot still waits for it.
const AT_END: u32 = u32::MAX - 1;
const NOWHERE: u8 = u8::MAX;

/// No slot was left for a value that had to leave its register.
#[derive(Debug)]
pub(super) struct OutOfSlots;

/// What is known about a value.
#[derive(Clone, Copy)]
struct State {
    /// The gate that reads it next; [`AT_END`] or [`NEVER`] if none does.
    next: u32,
    /// The slot that has it.
    home: u32,
    /// Kept slots that wait for it.
    waiting: u32,
    register: u8,
}

struct Allocator<'a, A> {
    assembler: &'a mut A,
    values: Vec<State>,
    /// The value in each register.
    held: [u32; 32],
    registers: usize,
    /// The value needed in each slot.
    owner: Vec<u32>,
    /// The value each slot waits for.
    awaits: Vec<u32>,
    /// Slots that may not be written any more: they have what they have to hold at the end, or aren't ours.
    settled: Vec<bool>,
    /// The slots waiting for each value: value `v` has `wanted[wants[v]..wants[v + 1]]`.
    wanted: Vec<u32>,
    wants: Vec<u32>,
    /// Slots free for any value, the last freed on top, and those among them that are waiting, as a reserve.
    free: Vec<u32>,
    reserve: Vec<u32>,
    /// Whether kept slots get their values only at the end.
    late: bool,
}

/// Writes the instructions that run the gates and leave their final values in the slots. `scratch` are the slots
/// that may be written, ascending.
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

/// For every value the first gate that reads it; for every input of every gate the next gate that reads it.
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
                State { next, home, waiting, register: NOWHERE }
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
        // A constant is written at the very end, so until then its slot is as good as any.
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

    /// A slot nobody needs.
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

    /// Makes a register free: one that is, or the one whose value is read last among those not `pinned`.
    fn take_register(&mut self, pinned: u32) -> Result<u8, OutOfSlots> {
        let (register, _) = self.victim(pinned);
        self.empty(register)?;
        Ok(register)
    }

    /// The register to give up, and when its value is read next.
    fn victim(&self, pinned: u32) -> (u8, u32) {
        let mut best = (NOWHERE, 0, false);
        for register in 0..self.registers {
            if pinned >> register & 1 == 1 {
                continue;
            }
            let (next, stored) = match self.held[register] {
                NONE => return (register as u8, NEVER),
                value => {
                    let State { next, home, .. } = self.values[value as usize];
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

    /// Sees to it that a register's value isn't lost with it.
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

    fn gate(&mut self, gate: &Gate, next: &[u32; 3], result: u32, first: u32) -> Result<(), OutOfSlots> {
        let arity = gate.arity as usize;
        let inputs = &gate.inputs[..arity];
        let mut pinned = 0u32;
        let mut missing: Option<(u32, usize)> = None;
        for (place, (&input, &next)) in inputs.iter().zip(next).enumerate() {
            let state = &mut self.values[input as usize];
            state.next = if next == NEVER && state.waiting > 0 { AT_END } else { next };
            if state.register != NOWHERE {
                pinned |= 1 << state.register;
            } else if missing.is_none_or(|(furthest, _)| state.next > furthest) {
                missing = Some((state.next, place));
            }
        }
        let mut sources = [Source::Register(NOWHERE); 3];
        for (place, &input) in inputs.iter().enumerate() {
            let State { register, home, .. } = self.values[input as usize];
            sources[place] = if register != NOWHERE {
                Source::Register(register)
            } else if arity > 1
                && let Some((next, last)) = missing
                && last == place
                && (next >= AT_END || self.victim(pinned).1 <= next)
            {
                Source::Slot(home)
            } else {
                let register = self.load(input, pinned)?;
                pinned |= 1 << register;
                Source::Register(register)
            };
        }
        // Inputs are read before the target is written, so the target may be any register.
        let target = self.target(&sources[..arity])?;
        self.assembler.gate(gate.table, target, &sources[..arity]);
        for &input in inputs {
            let State { next, waiting, register, .. } = self.values[input as usize];
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

    /// The register for a result: that of an input read for the last time if there is one.
    fn target(&mut self, sources: &[Source]) -> Result<u8, OutOfSlots> {
        for source in sources {
            if let Source::Register(register) = *source
                && self.values[self.held[register as usize] as usize].next == NEVER
            {
                self.values[self.held[register as usize] as usize].register = NOWHERE;
                self.held[register as usize] = NONE;
                return Ok(register);
            }
        }
        self.take_register(0)
    }

    /// Forgets a value that nothing needs.
    fn drop_value(&mut self, value: u32) {
        let State { home, register, .. } = self.values[value as usize];
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

    /// Gives a slot nobody needs any more to the value it waits for, if that is at hand, or back.
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

    /// Stores a value in registers in a kept slot that waits for it and is free. The value's other slot, if it
    /// had one that isn't needed any more.
    fn store_final(&mut self, value: u32, slot: u32) -> Option<u32> {
        let State { register, home, .. } = self.values[value as usize];
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

    /// Stores a value that came into a register in all kept slots that wait for it and are free.
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

    /// Fills the kept slots still waiting: first those that are free, and each store may free another; what is
    /// left then goes round in circles, each opened by taking one value into a register.
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
                    // Spilled to the very slot that waits for it.
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
                        continue; // What left the register went there; it will be moved on.
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
            // The slot's owner still has to go elsewhere: into a register with it.
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
