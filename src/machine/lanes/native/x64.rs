//! Gates on general registers, an eighth of a lane word: and, or, exclusive or and not of any x86-64 processor.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::allocate::{Assembler, Source};
use super::assembler::{BASES, Writer};
use super::lower::{AND, AND_NOT, NOT_AND, OR, XOR};

/// Writes instructions on 64-bit words.
pub(super) struct X64 {
    writer: Writer,
}

/// The registers that hold values: all but the stack pointer and the argument.
const GENERAL: [Register; 14] = {
    use Register::*;
    [RAX, RCX, RDX, RSI, R8, R9, R10, R11, RBX, RBP, R12, R13, R14, R15]
};

/// Those among them that the caller wants back (System V ABI).
const SAVED: [Register; 6] = {
    use Register::*;
    [RBX, RBP, R12, R13, R14, R15]
};

fn general(register: u8) -> Register {
    GENERAL[register as usize]
}

fn memory(slot: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ_size(BASES[0], i64::from(slot) * 64, 1)
}

impl X64 {
    pub(super) fn new(gates: usize) -> X64 {
        let mut writer = Writer::new(8 * gates);
        SAVED.iter().for_each(|&register| writer.put(Instruction::with1(Code::Push_r64, register)));
        X64 { writer }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        SAVED.iter().rev().for_each(|&register| self.writer.put(Instruction::with1(Code::Pop_r64, register)));
        self.writer.finish()
    }

    /// `target := target op source`, or with a move `target := source`.
    fn apply(&mut self, code: Code, target: u8, source: Source) {
        self.writer.put(match source {
            Source::Register(source) => Instruction::with2(code, general(target), general(source)),
            Source::Slot(slot) => Instruction::with2(code, general(target), memory(slot)),
        });
    }

    fn negate(&mut self, target: u8) {
        self.writer.put(Instruction::with1(Code::Not_rm64, general(target)));
    }

    /// An operation that doesn't mind the order of its operands.
    fn commutative(&mut self, code: Code, target: u8, [x, y]: [Source; 2]) {
        let there = Source::Register(target);
        if y == there {
            return self.apply(code, target, x);
        }
        if x != there {
            self.apply(Code::Mov_r64_rm64, target, x);
        }
        self.apply(code, target, y);
    }

    /// `plain` and not `negated`.
    fn and_not(&mut self, target: u8, plain: Source, negated: Source) {
        let there = Source::Register(target);
        if plain == there {
            self.apply(Code::Or_r64_rm64, target, negated);
            return self.apply(Code::Xor_r64_rm64, target, negated);
        }
        if negated != there {
            self.apply(Code::Mov_r64_rm64, target, negated);
        }
        self.negate(target);
        self.apply(Code::And_r64_rm64, target, plain);
    }
}

impl Assembler for X64 {
    fn registers(&self) -> usize {
        GENERAL.len()
    }

    fn load(&mut self, register: u8, slot: u32) {
        self.apply(Code::Mov_r64_rm64, register, Source::Slot(slot));
    }

    fn store(&mut self, slot: u32, register: u8) {
        self.writer.put(Instruction::with2(Code::Mov_rm64_r64, memory(slot), general(register)));
    }

    fn constant(&mut self, register: u8, value: bool) {
        self.apply(Code::Xor_r64_rm64, register, Source::Register(register));
        if value {
            self.negate(register);
        }
    }

    fn gate(&mut self, table: u8, target: u8, sources: &[Source]) {
        match (table, sources) {
            (AND, &[x, y]) => self.commutative(Code::And_r64_rm64, target, [x, y]),
            (OR, &[x, y]) => self.commutative(Code::Or_r64_rm64, target, [x, y]),
            (XOR, &[x, y]) => self.commutative(Code::Xor_r64_rm64, target, [x, y]),
            (AND_NOT, &[x, y]) => self.and_not(target, x, y),
            (NOT_AND, &[x, y]) => self.and_not(target, y, x),
            (_, &[only]) => {
                if only != Source::Register(target) {
                    self.apply(Code::Mov_r64_rm64, target, only);
                }
                self.negate(target);
            }
            _ => unreachable!("gates were lowered to these operations"),
        }
    }
}
