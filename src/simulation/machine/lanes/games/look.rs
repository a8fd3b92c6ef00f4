//! What is asked of every state beyond the rules' own answers, as gates over their slots: whose turn it is, which games are
//! over.

use std::ops::Range;

use super::Actions;
use crate::ground::Interrupted;
use crate::machine::lanes::engine::Ready;
use crate::machine::lanes::gates::{Gates, Signal};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::schedule::{Netlist, Root};
use crate::machine::lanes::word::Word;

/// The gates, ready to run after the program's look at the states.
pub(super) struct Look {
    ready: Ready,
    /// Slots that the code names are fewer than this.
    pub(super) end: u32,
    /// For every role, in which lanes it has several legal moves.
    pub(super) choice: Range<usize>,
    /// For every role, in which lanes an action may be its move: it has a choice, or nobody has one.
    pub(super) turns: Range<usize>,
    /// Lanes whose state is terminal, has lasted too long, or leaves a role without a move.
    pub(super) over: usize,
    /// Lanes in which several roles have a choice.
    pub(super) clash: usize,
}

/// Signals over slots that are there before.
struct Builder {
    gates: Gates,
    inputs: Vec<(u32, u32)>,
}

impl Builder {
    fn slot(&mut self, slot: u32) -> Signal {
        let signal = self.gates.input(0);
        self.inputs.push((signal.node(), slot));
        signal
    }

    /// Where one of the signals holds, and where several do: three at a time, as many as a gate takes.
    fn count(&mut self, signals: &[Signal]) -> (Signal, Signal) {
        let at = |signals: &[Signal], place: usize| signals.get(place).copied().unwrap_or(Signal::FALSE);
        let (mut some, mut several) = (signals.to_vec(), Vec::new());
        while some.len() > 1 {
            several.extend(some.chunks(3).filter(|of| of.len() > 1).map(|of| {
                // Two of three: the carry of their sum.
                self.gates.add(of[0], of[1], at(of, 2)).1
            }));
            some = self.any_of_three(&some);
        }
        while several.len() > 1 {
            several = self.any_of_three(&several);
        }
        (at(&some, 0), at(&several, 0))
    }

    fn any_of_three(&mut self, signals: &[Signal]) -> Vec<Signal> {
        let mut any =
            |of: &[Signal]| of.iter().fold(Signal::FALSE, |any, &signal| self.gates.or(any, signal));
        signals.chunks(3).map(&mut any).collect()
    }
}

impl Look {
    /// Compiles the gates; what they need stands after the slots of the program's code for given moves.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn new(program: &Program, actions: Actions) -> Result<Look, Interrupted> {
        let layout = &program.layout;
        let mut builder = Builder { gates: Gates::new(), inputs: Vec::new() };
        let terminal = builder.slot(layout.terminal);
        let aged = builder.slot(layout.aged);
        let legal: Vec<Vec<Signal>> =
            layout.legal.iter().map(|slots| slots.clone().map(|slot| builder.slot(slot)).collect()).collect();
        let counts: Vec<(Signal, Signal)> = legal.iter().map(|legal| builder.count(legal)).collect();
        let choices: Vec<Signal> = counts.iter().map(|&(_, several)| several).collect();
        let (somebody, clash) = builder.count(&choices);
        let gates = &mut builder.gates;
        let able = counts.iter().fold(Signal::TRUE, |able, &(some, _)| gates.and(able, some));
        let ended = gates.or(terminal, aged);
        let over = gates.or(ended, !able);
        let turns: Vec<Signal> = choices
            .iter()
            .map(|&choice| match actions {
                Actions::Turns => {
                    let meant = gates.or(choice, !somebody);
                    gates.and(meant, !over)
                }
                Actions::Joint => !over,
            })
            .collect();
        let mut next = program.given()?.slots;
        let mut roots = Vec::new();
        let mut place = |signals: &[Signal]| {
            let start = next as usize;
            for &signal in signals {
                roots.push(Root { signal, slot: next, stage: 0 });
                next += 1;
            }
            start..next as usize
        };
        let (choice, turns) = (place(&choices), place(&turns));
        let clash = builder.gates.and(clash, !over);
        let (over, clash) = (place(&[over]).start, place(&[clash]).start);
        let netlist = Netlist {
            gates: &builder.gates,
            inputs: &builder.inputs,
            roots,
            loops: Vec::new(),
            first_free: next,
        };
        let (ready, end) = Ready::of_netlist(&netlist, program.engine(), &program.interrupt)?;
        Ok(Look { ready, end, choice, turns, over, clash })
    }

    /// Evaluates the gates; the states have to be observed.
    pub(super) fn run(&self, slots: &mut [Word]) {
        self.ready.run(slots);
    }
}
