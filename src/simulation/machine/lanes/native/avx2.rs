//! Gates on 256-bit registers (half of a lane word): and, and-not, or, exclusive or; negation is exclusive or with ones.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::super::table::{AND, OR, XOR};
use super::allocate::{Assembler, Operand};
use super::assembler::{BASES, CodeWriter};
use super::lower::{AND_NOT, NOT_AND};

/// Writes AVX2 instructions.
pub(super) struct Avx2 {
    writer: CodeWriter,
}

const YMM: [Register; 15] = {
    use Register::*;
    [YMM0, YMM1, YMM2, YMM3, YMM4, YMM5, YMM6, YMM7, YMM8, YMM9, YMM10, YMM11, YMM12, YMM13, YMM14]
};

/// The register with all bits set.
const ONES: Register = Register::YMM15;

fn ymm(register: u8) -> Register {
    YMM[register as usize]
}

fn memory(slot: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ_size(BASES[0], i64::from(slot) * 64, 1)
}

impl Avx2 {
    pub(super) fn new(gates: usize) -> Avx2 {
        let mut writer = CodeWriter::new(8 * gates);
        writer.put(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ONES, ONES, ONES));
        Avx2 { writer }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.writer.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        self.writer.finish()
    }

    fn binary(&mut self, code: Code, target: u8, first: u8, second: Operand) {
        self.writer.put(match second {
            Operand::Register(second) => Instruction::with3(code, ymm(target), ymm(first), ymm(second)),
            Operand::Slot(slot) => Instruction::with3(code, ymm(target), ymm(first), memory(slot)),
        });
    }

    /// A commutative operation.
    fn commutative(&mut self, code: Code, target: u8, sources: [Operand; 2]) {
        match sources {
            [Operand::Register(first), second] | [second, Operand::Register(first)] => {
                self.binary(code, target, first, second);
            }
            _ => unreachable!("at most one source is a slot"),
        }
    }

    /// `plain` and not `negated`.
    fn and_not(&mut self, target: u8, plain: Operand, negated: Operand) {
        match (plain, negated) {
            (plain, Operand::Register(negated)) => {
                self.binary(Code::VEX_Vpandn_ymm_ymm_ymmm256, target, negated, plain);
            }
            (Operand::Register(plain), negated) if plain == target => {
                self.binary(Code::VEX_Vpor_ymm_ymm_ymmm256, target, plain, negated);
                self.binary(Code::VEX_Vpxor_ymm_ymm_ymmm256, target, target, negated);
            }
            (plain, Operand::Slot(negated)) => {
                self.load(target, negated);
                self.binary(Code::VEX_Vpandn_ymm_ymm_ymmm256, target, target, plain);
            }
        }
    }
}

impl Assembler for Avx2 {
    fn registers(&self) -> usize {
        YMM.len()
    }

    fn load(&mut self, register: u8, slot: u32) {
        self.writer.put(Instruction::with2(Code::VEX_Vmovdqa_ymm_ymmm256, ymm(register), memory(slot)));
    }

    fn store(&mut self, slot: u32, register: u8) {
        self.writer.put(Instruction::with2(Code::VEX_Vmovdqa_ymmm256_ymm, memory(slot), ymm(register)));
    }

    fn constant(&mut self, register: u8, value: bool) {
        let code = if value { Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 } else { Code::VEX_Vpxor_ymm_ymm_ymmm256 };
        self.binary(code, register, register, Operand::Register(register));
    }

    fn gate(&mut self, table: u8, target: u8, sources: &[Operand]) {
        match (table, sources) {
            (AND, &[x, y]) => self.commutative(Code::VEX_Vpand_ymm_ymm_ymmm256, target, [x, y]),
            (OR, &[x, y]) => self.commutative(Code::VEX_Vpor_ymm_ymm_ymmm256, target, [x, y]),
            (XOR, &[x, y]) => self.commutative(Code::VEX_Vpxor_ymm_ymm_ymmm256, target, [x, y]),
            (AND_NOT, &[x, y]) => self.and_not(target, x, y),
            (NOT_AND, &[x, y]) => self.and_not(target, y, x),
            (_, &[Operand::Register(only)]) => {
                let code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
                self.writer.put(Instruction::with3(code, ymm(target), ymm(only), ONES));
            }
            _ => unreachable!("gates were lowered to these operations"),
        }
    }
}
