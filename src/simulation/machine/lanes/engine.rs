//! Making code ready: by machine code where the processor and the system allow it, else for the interpreter.

use super::code::{Code, Execute};
use super::interpret::{Interpreted, SCRATCH};
use super::native::{self, Level};
use super::schedule::{Netlist, Part, schedule};
use super::word::Word;
use crate::ground::{Interrupt, Interrupted};

/// What runs the code of lanes; all of them give the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Operation by operation, on any processor.
    Interpreter,
    /// Machine code of a kind.
    Native(Level),
}

impl Engine {
    /// The fastest one here.
    pub fn best() -> Engine {
        Level::best().map_or(Engine::Interpreter, Engine::Native)
    }

    /// All that run here.
    pub fn available() -> Vec<Engine> {
        let native = Level::ALL.into_iter().filter(|level| level.available()).map(Engine::Native);
        std::iter::once(Engine::Interpreter).chain(native).collect()
    }

    /// Code made ready; `scratch` is the first of some slots that it doesn't name.
    fn ready(self, code: &Code, scratch: u32) -> Box<dyn Execute> {
        if let Engine::Native(level) = self
            && code.ops.len() <= level.most_operations()
            && let Ok(native) = native::compile(code, level)
        {
            return Box::new(native);
        }
        Box::new(Interpreted::new(code, scratch))
    }
}

/// Parts that are ready to run.
pub(super) struct Ready {
    parts: Vec<ReadyPart>,
}

enum ReadyPart {
    Straight(Box<dyn Execute>),
    Loop { sweeps: [Box<dyn Execute>; 2], feedback: Vec<u32>, changed: u32 },
}

impl Ready {
    /// Makes parts ready that name fewer than so many slots. They need `SCRATCH` more.
    ///
    /// # Errors
    /// It was interrupted between two parts; a part of a million operations takes a tenth of a second.
    pub(super) fn new(
        parts: &[Part],
        engine: Engine,
        slots: u32,
        interrupt: &Interrupt,
    ) -> Result<Ready, Interrupted> {
        let part = |part: &Part| {
            interrupt.check().map(|()| match part {
                Part::Straight(code) => ReadyPart::Straight(engine.ready(code, slots)),
                Part::Loop { sweeps, feedback, changed } => ReadyPart::Loop {
                    sweeps: sweeps.each_ref().map(|code| engine.ready(code, slots)),
                    feedback: feedback.clone(),
                    changed: *changed,
                },
            })
        };
        Ok(Ready { parts: parts.iter().map(part).collect::<Result<_, _>>()? })
    }

    /// Makes ready what computes the roots of a netlist in one piece, and gives the number of slots that it names.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn of_netlist(
        netlist: &Netlist<'_>,
        engine: Engine,
        interrupt: &Interrupt,
    ) -> Result<(Ready, u32), Interrupted> {
        let (pieces, slots) = schedule(netlist, &[0], interrupt)?;
        Ok((Ready::new(&pieces[0], engine, slots, interrupt)?, slots))
    }

    pub(super) fn run(&self, slots: &mut [Word]) {
        self.run_each(slots, |_, _| ());
    }

    /// Runs the parts, and tells after each, by its number.
    #[inline]
    pub(super) fn run_each(&self, slots: &mut [Word], mut after: impl FnMut(usize, &mut [Word])) {
        for (number, part) in self.parts.iter().enumerate() {
            match part {
                ReadyPart::Straight(code) => code.run(slots),
                ReadyPart::Loop { sweeps, feedback, changed } => {
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

/// The slots of a block for code that names fewer than so many.
pub(super) fn block_slots(slots: u32) -> Vec<Word> {
    vec![Word::ZERO; slots as usize + SCRATCH]
}
