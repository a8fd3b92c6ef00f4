//! Instructions into bytes.

use iced_x86::{Code, Encoder, IcedError, Instruction, Register};

/// Registers that hold addresses, the function's argument first (System V ABI); callers expect nothing of any.
pub(super) const BASES: [Register; 9] = {
    use Register::*;
    [RDI, RAX, RCX, RDX, RSI, R8, R9, R10, R11]
};

/// A growing function.
pub(super) struct Writer {
    encoder: Encoder,
    length: u64,
}

impl Writer {
    pub(super) fn new(bytes: usize) -> Writer {
        Writer { encoder: Encoder::try_with_capacity(64, bytes).expect("64 is a bitness"), length: 0 }
    }

    /// Appends an instruction.
    pub(super) fn put(&mut self, instruction: Result<Instruction, IcedError>) {
        let instruction = instruction.expect("the operands fit the code");
        let length =
            self.encoder.encode(&instruction, self.length).expect("the instruction exists in 64-bit mode");
        self.length += length as u64;
    }

    /// The bytes, with a return at the end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(Ok(Instruction::with(Code::Retnq)));
        self.encoder.take_buffer()
    }
}
