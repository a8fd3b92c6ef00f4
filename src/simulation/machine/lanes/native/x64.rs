//! Gates on 128-bit registers (a quarter of a lane word): and, and-not, or and exclusive or of SSE2, which every x86-64
//! processor has. Results overwrite an operand.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::super::table::{AND, OR, XOR};
use super::allocate::{Assembler, Operand};
use super::assembler::{BASES, CodeWriter};
use super::lower::{AND_NOT, NOT_AND};

/// Writes SSE2 instructions.
pub(super) struct X64 {
    writer: CodeWriter,
}

const XMM: [Register; 15] = {
    use Register::*;
    [XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7, XMM8, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14]
};

/// The register with all bits set.
const ONES: Register = Register::XMM15;

fn xmm(register: u8) -> Register {
    XMM[register as usize]
}

fn memory(slot: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ_size(BASES[0], i64::from(slot) * 64, 1)
}

impl X64 {
    pub(super) fn new(gates: usize) -> X64 {
        let mut writer = CodeWriter::new(8 * gates);
        writer.put(Instruction::with2(Code::Pcmpeqd_xmm_xmmm128, ONES, ONES));
        X64 { writer }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.writer.finish()
    }

    /// `target := target op source`, or `target := source` for a move.
    fn apply(&mut self, code: Code, target: u8, source: Operand) {
        self.writer.put(match source {
            Operand::Register(source) => Instruction::with2(code, xmm(target), xmm(source)),
            Operand::Slot(slot) => Instruction::with2(code, xmm(target), memory(slot)),
        });
    }

    fn bring(&mut self, target: u8, source: Operand) {
        if source != Operand::Register(target) {
            self.apply(Code::Movdqa_xmm_xmmm128, target, source);
        }
    }

    /// A commutative operation.
    fn commutative(&mut self, code: Code, target: u8, [x, y]: [Operand; 2]) {
        if y == Operand::Register(target) {
            self.apply(code, target, x);
        } else {
            self.bring(target, x);
            self.apply(code, target, y);
        }
    }

    /// `plain` and not `negated`.
    fn and_not(&mut self, target: u8, plain: Operand, negated: Operand) {
        if plain == Operand::Register(target) {
            self.apply(Code::Por_xmm_xmmm128, target, negated);
            self.apply(Code::Pxor_xmm_xmmm128, target, negated);
        } else {
            self.bring(target, negated);
            self.apply(Code::Pandn_xmm_xmmm128, target, plain);
        }
    }
}

impl Assembler for X64 {
    fn registers(&self) -> usize {
        XMM.len()
    }

    fn load(&mut self, register: u8, slot: u32) {
        self.apply(Code::Movdqa_xmm_xmmm128, register, Operand::Slot(slot));
    }

    fn store(&mut self, slot: u32, register: u8) {
        self.writer.put(Instruction::with2(Code::Movdqa_xmmm128_xmm, memory(slot), xmm(register)));
    }

    fn constant(&mut self, register: u8, value: bool) {
        let code = if value { Code::Pcmpeqd_xmm_xmmm128 } else { Code::Pxor_xmm_xmmm128 };
        self.apply(code, register, Operand::Register(register));
    }

    fn gate(&mut self, table: u8, target: u8, sources: &[Operand]) {
        match (table, sources) {
            (AND, &[x, y]) => self.commutative(Code::Pand_xmm_xmmm128, target, [x, y]),
            (OR, &[x, y]) => self.commutative(Code::Por_xmm_xmmm128, target, [x, y]),
            (XOR, &[x, y]) => self.commutative(Code::Pxor_xmm_xmmm128, target, [x, y]),
            (AND_NOT, &[x, y]) => self.and_not(target, x, y),
            (NOT_AND, &[x, y]) => self.and_not(target, y, x),
            (_, &[only]) => {
                self.bring(target, only);
                self.writer.put(Instruction::with2(Code::Pxor_xmm_xmmm128, xmm(target), ONES));
            }
            _ => unreachable!("gates were lowered to these operations"),
        }
    }
}
