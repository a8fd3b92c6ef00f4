//! Gates on 512-bit registers: any gate of three inputs is one `vpternlogq`.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::super::table::{self, AND, INPUT, OR, XOR};
use super::allocate::{Assembler, Operand};
use super::assembler::{BASES, CodeWriter};
use super::lower::NOT_AND;

/// Writes AVX-512 instructions.
pub(super) struct Avx512 {
    writer: CodeWriter,
    windows: SlotWindows,
}

const ZMM: [Register; 32] = {
    use Register::*;
    [
        ZMM0, ZMM1, ZMM2, ZMM3, ZMM4, ZMM5, ZMM6, ZMM7, ZMM8, ZMM9, ZMM10, ZMM11, ZMM12, ZMM13, ZMM14, ZMM15,
        ZMM16, ZMM17, ZMM18, ZMM19, ZMM20, ZMM21, ZMM22, ZMM23, ZMM24, ZMM25, ZMM26, ZMM27, ZMM28, ZMM29,
        ZMM30, ZMM31,
    ]
};

/// The tables of the operands of `vpternlogq`, beginning with the target, are the tables of a gate's inputs.
const OPERANDS: [u8; 3] = INPUT;

/// Number of slots that a compressed one-byte displacement can address from a base register.
const WINDOW: u32 = 256;

/// The windows of slots around the base registers. One-byte displacements count whole words, so an instruction with a slot
/// in a window is three bytes shorter; this matters because large code is fetched from memory like its data. The first base
/// is fixed, and the others move: large code uses the slots of some windows often for a while, and then not for long.
struct SlotWindows {
    /// The window of each base, and the time of its last use.
    held: Vec<(u32, u32)>,
    /// The time of the last use of each window.
    named: Vec<u32>,
    /// Number of slot accesses so far.
    time: u32,
}

impl SlotWindows {
    fn new(slots: u32) -> SlotWindows {
        let windows = slots.div_ceil(WINDOW).max(1);
        let held = (0..windows.min(BASES.len() as u32)).map(|window| (window, 0)).collect();
        SlotWindows { held, named: vec![0; windows as usize], time: 0 }
    }

    /// The base for a slot: an existing one, or one to move to the slot's window.
    fn base(&mut self, slot: u32) -> BaseAccess {
        let window = slot / WINDOW;
        self.time += 1;
        let before = std::mem::replace(&mut self.named[window as usize], self.time);
        if let Some(base) = self.held.iter().position(|held| held.0 == window) {
            self.held[base].1 = self.time;
            return BaseAccess::Existing(base);
        }
        // Moving a base pays off after two accesses, unless the base was used since the first of them.
        let oldest = (1..self.held.len()).min_by_key(|&base| self.held[base].1);
        match oldest.filter(|&base| before > self.held[base].1) {
            Some(base) => {
                self.held[base] = (window, self.time);
                BaseAccess::Moved(base)
            }
            None => BaseAccess::Absolute,
        }
    }
}

/// How a slot is addressed.
enum BaseAccess {
    /// From a base whose window contains it.
    Existing(usize),
    /// From a base that must be moved first.
    Moved(usize),
    /// From the first base, with a four-byte displacement.
    Absolute,
}

/// The address of the middle of a window, relative to the first base.
fn middle(window: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ_size(BASES[0], i64::from(window) * i64::from(WINDOW) * 64, 1)
}

fn zmm(register: u8) -> Register {
    ZMM[register as usize]
}

impl Avx512 {
    pub(super) fn new(slots: u32, gates: usize) -> Avx512 {
        let mut writer = CodeWriter::new(10 * gates);
        let windows = SlotWindows::new(slots);
        let to_middle = MemoryOperand::with_base_displ_size(BASES[0], i64::from(WINDOW / 2) * 64, 1);
        writer.put(Instruction::with2(Code::Lea_r64_m, BASES[0], to_middle));
        for (base, &(window, _)) in windows.held.iter().enumerate().skip(1) {
            writer.put(Instruction::with2(Code::Lea_r64_m, BASES[base], middle(window)));
        }
        Avx512 { writer, windows }
    }

    /// The address of a slot, from the best base register.
    fn memory(&mut self, slot: u32) -> MemoryOperand {
        let from_middle = |window: u32| (i64::from(slot) - i64::from(window * WINDOW + WINDOW / 2)) * 64;
        let base = match self.windows.base(slot) {
            BaseAccess::Absolute => return MemoryOperand::with_base_displ_size(BASES[0], from_middle(0), 1),
            BaseAccess::Existing(base) => base,
            BaseAccess::Moved(base) => {
                self.writer.put(Instruction::with2(Code::Lea_r64_m, BASES[base], middle(slot / WINDOW)));
                base
            }
        };
        MemoryOperand::with_base_displ_size(BASES[base], from_middle(slot / WINDOW), 1)
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.writer.put(Ok(Instruction::with(Code::VEX_Vzeroupper)));
        self.writer.finish()
    }

    fn ternary(&mut self, target: u8, second: u8, third: Operand, table: u8) {
        let code = Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8;
        let (target, second, table) = (zmm(target), zmm(second), u32::from(table));
        let instruction = match third {
            Operand::Register(third) => Instruction::with4(code, target, second, zmm(third), table),
            Operand::Slot(slot) => Instruction::with4(code, target, second, self.memory(slot), table),
        };
        self.writer.put(instruction);
    }

    fn binary(&mut self, table: u8, target: u8, first: u8, second: Operand) {
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
        let instruction = match second {
            Operand::Register(second) => Instruction::with3(code, zmm(target), zmm(first), zmm(second)),
            Operand::Slot(slot) => Instruction::with3(code, zmm(target), zmm(first), self.memory(slot)),
        };
        self.writer.put(instruction);
    }
}

impl Assembler for Avx512 {
    fn registers(&self) -> usize {
        32
    }

    fn load(&mut self, register: u8, slot: u32) {
        let code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
        let memory = self.memory(slot);
        self.writer.put(Instruction::with2(code, zmm(register), memory));
    }

    fn store(&mut self, slot: u32, register: u8) {
        let code = Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm;
        let memory = self.memory(slot);
        self.writer.put(Instruction::with2(code, memory, zmm(register)));
    }

    fn constant(&mut self, register: u8, value: bool) {
        let table = u8::from(value).wrapping_neg();
        self.ternary(register, register, Operand::Register(register), table);
    }

    fn gate(&mut self, table: u8, target: u8, sources: &[Operand]) {
        match *sources {
            [Operand::Register(only)] => {
                let table = table::apply(table, [OPERANDS[2], 0, 0]);
                self.ternary(target, only, Operand::Register(only), table);
            }
            [Operand::Register(first), second] => self.binary(table, target, first, second),
            [first, Operand::Register(second)] => {
                self.binary(table::apply(table, [OPERANDS[1], OPERANDS[0], 0]), target, second, first);
            }
            [a, b, c] => {
                // The first operand is the target: an input that is already there, else one that is moved there, preferably
                // one that is read from memory.
                let sources = [a, b, c];
                let there = sources.iter().position(|&source| source == Operand::Register(target));
                let slot = sources.iter().position(|source| matches!(source, Operand::Slot(_)));
                let destroyed = there.or(slot).unwrap_or(0);
                if there.is_none() {
                    match sources[destroyed] {
                        Operand::Slot(slot) => self.load(target, slot),
                        Operand::Register(register) => {
                            let code = Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
                            self.writer.put(Instruction::with2(code, zmm(target), zmm(register)));
                        }
                    }
                }
                let mut others = [(destroyed + 1) % 3, (destroyed + 2) % 3];
                if matches!(sources[others[0]], Operand::Slot(_)) {
                    others.swap(0, 1);
                }
                let mut inner = [0; 3];
                inner[destroyed] = OPERANDS[0];
                inner[others[0]] = OPERANDS[1];
                inner[others[1]] = OPERANDS[2];
                let Operand::Register(second) = sources[others[0]] else {
                    unreachable!("at most one source is a slot")
                };
                self.ternary(target, second, sources[others[1]], table::apply(table, inner));
            }
            _ => unreachable!("a gate has one to three sources, a single one in a register"),
        }
    }
}
