//! Encodes instructions.

use iced_x86::{Code, Encoder, IcedError, Instruction, Register};

/// Registers for addresses; the first is the function's argument (System V ABI). Callers do not rely on their values.
pub(super) const BASES: [Register; 9] = {
    use Register::*;
    [RDI, RAX, RCX, RDX, RSI, R8, R9, R10, R11]
};

/// Encodes the instructions of a function.
pub(super) struct CodeWriter {
    encoder: Encoder,
    length: u64,
}

impl CodeWriter {
    pub(super) fn new(bytes: usize) -> CodeWriter {
        CodeWriter { encoder: Encoder::try_with_capacity(64, bytes).expect("64 is a bitness"), length: 0 }
    }

    /// Appends an instruction.
    pub(super) fn put(&mut self, instruction: Result<Instruction, IcedError>) {
        let instruction = instruction.expect("the operands fit the code");
        let length =
            self.encoder.encode(&instruction, self.length).expect("the instruction exists in 64-bit mode");
        self.length += length as u64;
    }

    /// The machine code, with a final return.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(Ok(Instruction::with(Code::Retnq)));
        self.encoder.take_buffer()
    }
}
