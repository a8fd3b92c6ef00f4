//! Prepares code for running: as machine code if the processor and the system allow it, else for the interpreter.

use super::code::{Code, Execute};
use super::interpret::{InterpretedCode, SCRATCH};
use super::native::{self, Level};
use super::schedule::{Netlist, Part, schedule};
use super::word::Word;
use crate::ground::{Interrupt, Interrupted};

/// An engine that runs the code of lanes. All engines compute the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter, on any processor.
    Interpreter,
    /// Machine code of this level.
    Native(Level),
}

impl Engine {
    /// The fastest available engine.
    pub fn best() -> Engine {
        Level::best().map_or(Engine::Interpreter, Engine::Native)
    }

    /// All available engines.
    pub fn available() -> Vec<Engine> {
        let native = Level::ALL.into_iter().filter(|level| level.available()).map(Engine::Native);
        std::iter::once(Engine::Interpreter).chain(native).collect()
    }

    /// Prepares code; `scratch` is the first of some slots that the code does not use.
    fn ready(self, code: &Code, scratch: u32) -> Box<dyn Execute> {
        if let Engine::Native(level) = self
            && code.ops.len() <= level.most_operations()
            && let Ok(native) = native::compile(code, level)
        {
            return Box::new(native);
        }
        Box::new(InterpretedCode::new(code, scratch))
    }
}

/// Code in parts, prepared for running.
pub(super) struct Executable {
    parts: Vec<ExecutablePart>,
}

enum ExecutablePart {
    Straight(Box<dyn Execute>),
    Loop { sweeps: [Box<dyn Execute>; 2], feedback: Vec<u32>, changed: u32 },
}

impl Executable {
    /// Prepares parts that use slots below `slots`. They need [`SCRATCH`] more slots.
    ///
    /// # Errors
    /// The interrupt came between two parts. A part of a million operations takes a tenth of a second.
    pub(super) fn new(
        parts: &[Part],
        engine: Engine,
        slots: u32,
        interrupt: &Interrupt,
    ) -> Result<Executable, Interrupted> {
        let part = |part: &Part| {
            interrupt.check().map(|()| match part {
                Part::Straight(code) => ExecutablePart::Straight(engine.ready(code, slots)),
                Part::Loop { sweeps, feedback, changed } => ExecutablePart::Loop {
                    sweeps: sweeps.each_ref().map(|code| engine.ready(code, slots)),
                    feedback: feedback.clone(),
                    changed: *changed,
                },
            })
        };
        Ok(Executable { parts: parts.iter().map(part).collect::<Result<_, _>>()? })
    }

    /// Schedules the roots of a netlist as one piece and prepares it. Returns it with the number of slots that it uses.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub(super) fn of_netlist(
        netlist: &Netlist<'_>,
        engine: Engine,
        interrupt: &Interrupt,
    ) -> Result<(Executable, u32), Interrupted> {
        let (pieces, slots) = schedule(netlist, &[0], interrupt)?;
        Ok((Executable::new(&pieces[0], engine, slots, interrupt)?, slots))
    }

    pub(super) fn run(&self, slots: &mut [Word]) {
        self.run_each(slots, |_, _| ());
    }

    /// Runs the parts, and calls `after` with the index of each.
    #[inline]
    pub(super) fn run_each(&self, slots: &mut [Word], mut after: impl FnMut(usize, &mut [Word])) {
        for (number, part) in self.parts.iter().enumerate() {
            match part {
                ExecutablePart::Straight(code) => code.run(slots),
                ExecutablePart::Loop { sweeps, feedback, changed } => {
                    feedback.iter().for_each(|&slot| slots[slot as usize] = Word::ZERO);
                    for sweep in sweeps.iter().cycle() {
                        sweep.run(slots);
                        if slots[*changed as usize].is_zero() {
                            break;
                        }
                    }
                }
            }
            after(number, slots);
        }
    }
}

/// The slots of a block for code that uses slots below `slots`.
pub(super) fn block_slots(slots: u32) -> Vec<Word> {
    vec![Word::ZERO; slots as usize + SCRATCH]
}
