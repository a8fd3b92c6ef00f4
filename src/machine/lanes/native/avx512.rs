//! Gates on 512-bit registers: any gate of three inputs is one `vpternlogq`.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::super::table::{self, AND, INPUT, OR, XOR};
use super::allocate::{Assembler, Source};
use super::assembler::{BASES, Writer};
use super::lower::NOT_AND;

/// Writes AVX-512 instructions.
pub(super) struct Avx512 {
    writer: Writer,
}

const ZMM: [Register; 32] = {
    use Register::*;
    [
        ZMM0, ZMM1, ZMM2, ZMM3, ZMM4, ZMM5, ZMM6, ZMM7, ZMM8, ZMM9, ZMM10, ZMM11, ZMM12, ZMM13, ZMM14, ZMM15,
        ZMM16, ZMM17, ZMM18, ZMM19, ZMM20, ZMM21, ZMM22, ZMM23, ZMM24, ZMM25, ZMM26, ZMM27, ZMM28, ZMM29,
        ZMM30, ZMM31,
    ]
};

/// The tables of the three operands of `vpternlogq`, the target first, are those of a gate's inputs.
const OPERANDS: [u8; 3] = INPUT;
/// Slots that a compressed one-byte displacement reaches from a base in their middle.
const WINDOW: u32 = 256;

fn zmm(register: u8) -> Register {
    ZMM[register as usize]
}

/// A slot, from the base register in the middle of its window: displacements of one byte count whole words, so
/// every slot of the first windows takes the short form.
fn memory(slot: u32) -> MemoryOperand {
    let window = (slot / WINDOW).min(BASES.len() as u32 - 1);
    let from_base = i64::from(slot) - i64::from(window * WINDOW + WINDOW / 2);
    MemoryOperand::with_base_displ_size(BASES[window as usize], from_base * 64, 1)
}

impl Avx512 {
    pub(super) fn new(slots: u32, gates: usize) -> Avx512 {
        let mut writer = Writer::new(10 * gates);
        let windows = (slots.div_ceil(WINDOW) as usize).clamp(1, BASES.len());
        // The first base is the argument itself, so it moves last.
        for window in (0..windows).rev() {
            let offset = (window as u32 * WINDOW + WINDOW / 2) * 64;
            let from_argument = MemoryOperand::with_base_displ_size(BASES[0], i64::from(offset), 1);
            writer.put(Instruction::with2(Code::Lea_r64_m, BASES[window], from_argument));
        }
        Avx512 { writer }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.writer.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        self.writer.finish()
    }

    fn ternary(&mut self, target: u8, second: u8, third: Source, table: u8) {
        let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        let (target, second, table) = (zmm(target), zmm(second), u32::from(table));
        self.writer.put(match third {
            Source::Register(third) => Instruction::with4(code, target, second, zmm(third), table),
            Source::Slot(slot) => Instruction::with4(code, target, second, memory(slot), table),
        });
    }

    fn binary(&mut self, table: u8, target: u8, first: u8, second: Source) {
        let code = match table {
            AND => Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
            NOT_AND => Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
            OR => Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
            XOR => Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
            _ => {
                let table = table::apply(table, [OPERANDS[1], OPERANDS[2], 0]);
                return self.ternary(target, first, second, table);
            }
        };
        self.writer.put(match second {
            Source::Register(second) => Instruction::with3(code, zmm(target), zmm(first), zmm(second)),
            Source::Slot(slot) => Instruction::with3(code, zmm(target), zmm(first), memory(slot)),
        });
    }
}

impl Assembler for Avx512 {
    fn registers(&self) -> usize {
        32
    }

    fn load(&mut self, register: u8, slot: u32) {
        let code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
        self.writer.put(Instruction::with2(code, zmm(register), memory(slot)));
    }

    fn store(&mut self, slot: u32, register: u8) {
        let code = Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm;
        self.writer.put(Instruction::with2(code, memory(slot), zmm(register)));
    }

    fn constant(&mut self, register: u8, value: bool) {
        let table = u8::from(value).wrapping_neg();
        self.ternary(register, register, Source::Register(register), table);
    }

    fn gate(&mut self, table: u8, target: u8, sources: &[Source]) {
        match *sources {
            [Source::Register(only)] => {
                let table = table::apply(table, [OPERANDS[2], 0, 0]);
                self.ternary(target, only, Source::Register(only), table);
            }
            [Source::Register(first), second] => self.binary(table, target, first, second),
            [first, Source::Register(second)] => {
                self.binary(table::apply(table, [OPERANDS[1], OPERANDS[0], 0]), target, second, first);
            }
            [a, b, c] => {
                // The first operand is the target: an input that is there already, else one that is brought
                // there, best the one that has to be read from memory.
                let sources = [a, b, c];
                let there = sources.iter().position(|&source| source == Source::Register(target));
                let slot = sources.iter().position(|source| matches!(source, Source::Slot(_)));
                let destroyed = there.or(slot).unwrap_or(0);
                if there.is_none() {
                    match sources[destroyed] {
                        Source::Slot(slot) => self.load(target, slot),
                        Source::Register(register) => {
                            let code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
                            self.writer.put(Instruction::with2(code, zmm(target), zmm(register)));
                        }
                    }
                }
                let mut others = [(destroyed + 1) % 3, (destroyed + 2) % 3];
                if matches!(sources[others[0]], Source::Slot(_)) {
                    others.swap(0, 1);
                }
                let mut inner = [0; 3];
                inner[destroyed] = OPERANDS[0];
                inner[others[0]] = OPERANDS[1];
                inner[others[1]] = OPERANDS[2];
                let Source::Register(second) = sources[others[0]] else {
                    unreachable!("at most one source is a slot")
                };
                self.ternary(target, second, sources[others[1]], table::apply(table, inner));
            }
            _ => unreachable!("a gate has one to three sources, a single one in a register"),
        }
    }
}
