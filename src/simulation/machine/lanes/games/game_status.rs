//! Gates over the program's slots for additional outputs: whose turn it is, and which games are over.

use std::ops::Range;

use super::Actions;
use crate::ground::Interrupted;
use crate::machine::lanes::engine::Executable;
use crate::machine::lanes::gates::{Gates, Signal};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::schedule::{Netlist, Root};
use crate::machine::lanes::word::Word;

/// The gates, to run after the program's evaluation of the states.
pub(super) struct GameStatus {
    ready: Executable,
    /// The code uses only slots below this one.
    pub(super) end: u32,
    /// For every role, the lanes in which it has several legal moves.
    pub(super) choice: Range<usize>,
    /// For every role, the lanes in which an action may be its move: it has a choice, or no role has one.
    pub(super) turns: Range<usize>,
    /// Lanes whose state is terminal, is at the step limit, or has a role without a legal move.
    pub(super) over: usize,
    /// Lanes in which several roles have a choice.
    pub(super) clash: usize,
}

/// A circuit over existing slots.
struct CircuitBuilder {
    gates: Gates,
    inputs: Vec<(u32, u32)>,
}

impl CircuitBuilder {
    fn slot(&mut self, slot: u32) -> Signal {
        let signal = self.gates.input(0);
        self.inputs.push((signal.node(), slot));
        signal
    }

    /// The lanes in which at least one, and at least two, of the signals are true. It takes three signals at a time, as a
    /// gate does.
    fn count(&mut self, signals: &[Signal]) -> (Signal, Signal) {
        let at = |signals: &[Signal], index: usize| signals.get(index).copied().unwrap_or(Signal::FALSE);
        let (mut some, mut several) = (signals.to_vec(), Vec::new());
        while some.len() > 1 {
            several.extend(some.chunks(3).filter(|of| of.len() > 1).map(|of| {
                // Two of three: the carry of a full adder.
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

impl GameStatus {
    /// Compiles the gates; their slots come after those of the program's code for given moves.
    ///
    /// # Errors
    /// The compilation was interrupted.
    pub(super) fn new(program: &Program, actions: Actions) -> Result<GameStatus, Interrupted> {
        let layout = &program.layout;
        let mut builder = CircuitBuilder { gates: Gates::new(), inputs: Vec::new() };
        let terminal = builder.slot(layout.terminal);
        let aged = builder.slot(layout.aged);
        let legal: Vec<Vec<Signal>> =
            layout.legal.iter().map(|slots| slots.clone().map(|slot| builder.slot(slot)).collect()).collect();
        let counts: Vec<(Signal, Signal)> = legal.iter().map(|legal| builder.count(legal)).collect();
        let choices: Vec<Signal> = counts.iter().map(|&(_, several)| several).collect();
        let (any_choice, clash) = builder.count(&choices);
        let gates = &mut builder.gates;
        let able = counts.iter().fold(Signal::TRUE, |able, &(some, _)| gates.and(able, some));
        let ended = gates.or(terminal, aged);
        let over = gates.or(ended, !able);
        let turns: Vec<Signal> = choices
            .iter()
            .map(|&choice| match actions {
                Actions::Turns => {
                    let acts = gates.or(choice, !any_choice);
                    gates.and(acts, !over)
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
        let (ready, end) = Executable::of_netlist(&netlist, program.engine(), &program.interrupt)?;
        Ok(GameStatus { ready, end, choice, turns, over, clash })
    }

    /// Evaluates the gates. The states must be evaluated before.
    pub(super) fn run(&self, slots: &mut [Word]) {
        self.ready.run(slots);
    }
}
