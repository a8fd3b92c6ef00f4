//! A game's program for random playouts: a network compiled to code over lane words, ready to run.

use std::sync::OnceLock;

use super::compile::{self, CompileOptions, Draw, Moves, compile};
use super::engine::{Engine, Ready};
use super::fused_step;
use super::layout::Layout;
use super::phases::{Phases, phases};
use super::schedule::Part;
use super::terminal_invariants::impossible;
use crate::ground::{Lit, Network};

/// A program for random playouts of a game; a [`Block`](super::block::Block) runs it.
///
/// It is compiled when it is first run, once for playouts that nobody looks into and once for those whose states
/// and moves are looked at. Both make the same playouts.
pub struct Program {
    network: Network,
    engine: Engine,
    pub(super) layout: Layout,
    phases: OnceLock<Phases>,
    impossible: OnceLock<Vec<Vec<Lit>>>,
    /// For playouts from the initial state, unseen and shown.
    started: [OnceLock<Vec<Step>>; 2],
    /// For playouts from given states.
    entered: [OnceLock<Vec<Step>>; 2],
    given: OnceLock<Step>,
    /// Without phases, unseen and shown.
    free: [OnceLock<Step>; 2],
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// The code of the steps of one phase, ready to run.
pub(super) struct Step {
    pub(super) observe: Ready,
    pub(super) select: Ready,
    pub(super) update: Ready,
    /// `update`, then `observe` of the next phase; where it is there, only the first phase has a `observe` of its own.
    pub(super) fused_step: Option<Ready>,
    pub(super) draws: Vec<Draw>,
    pub(super) slots: u32,
}

/// Two-input gates of the largest network that is played in lanes unasked. Compiling takes two seconds and 280 MiB a
/// million gates (amazons on 10x10 squares, November 2026); what is larger was never seen to be grounded within its
/// budget.
const LARGEST: usize = 2_000_000;

impl Program {
    /// Whether a network is small enough to be played in lanes unasked.
    pub(in crate::machine) fn suits(network: &Network) -> bool {
        network.two_input_gates() <= LARGEST
    }

    /// The program of a network, on the fastest engine.
    pub fn new(network: &Network) -> Program {
        Program::with_engine(network, Engine::best())
    }

    /// The program of a network on an engine.
    pub fn with_engine(network: &Network, engine: Engine) -> Program {
        Program {
            engine,
            layout: Layout::new(network),
            phases: OnceLock::new(),
            impossible: OnceLock::new(),
            network: network.clone(),
            started: Default::default(),
            entered: Default::default(),
            given: OnceLock::new(),
            free: Default::default(),
        }
    }

    /// What runs the program.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The network whose program this is.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Steps after which the code repeats: playouts start at multiples of it. 1 where the number of steps decides
    /// nothing, 2 in most games of two roles that take turns.
    pub fn period(&self) -> usize {
        self.phases().len()
    }

    fn phases(&self) -> &Phases {
        self.phases.get_or_init(|| phases(&self.network))
    }

    /// By phase, literals that are false in running playouts from the initial state.
    fn impossible(&self) -> &[Vec<Lit>] {
        self.impossible.get_or_init(|| impossible(&self.network, self.phases()))
    }

    /// Number of operations of a step on average, if nobody looks into it.
    pub fn operations(&self) -> usize {
        let steps = self.compile(Moves::Random, self.impossible());
        steps.iter().map(compile::Step::operations).sum::<usize>() / steps.len()
    }

    fn compile(&self, moves: Moves, impossible: &[Vec<Lit>]) -> Vec<compile::Step> {
        let period = self.phases().len();
        let step = |phase: usize| {
            compile(&CompileOptions {
                network: &self.network,
                layout: &self.layout,
                moves,
                known: &self.phases()[phase],
                known_next: &self.phases()[(phase + 1) % period],
                impossible: impossible.get(phase).map_or(&[], Vec::as_slice),
                restart: phase + 1 == period,
            })
        };
        (0..period).map(step).collect()
    }

    /// The code for playouts from the initial state, phase by phase.
    pub(super) fn steps(&self, shown: bool) -> &[Step] {
        let cell = &self.started[usize::from(shown)];
        if shown {
            return cell.get_or_init(|| self.apart(self.compile(Moves::Shown, self.impossible())));
        }
        cell.get_or_init(|| {
            let steps = self.compile(Moves::Random, self.impossible());
            let largest = steps.iter().map(compile::Step::operations).max();
            if largest > Some(fused_step::MOST) { self.apart(steps) } else { self.fused(steps) }
        })
    }

    /// The code for playouts from states that a phase allows, whatever held before.
    pub(super) fn entered(&self, shown: bool) -> &[Step] {
        if shown && self.impossible().iter().all(Vec::is_empty) {
            return self.steps(shown);
        }
        let moves = if shown { Moves::Shown } else { Moves::Random };
        self.entered[usize::from(shown)].get_or_init(|| self.apart(self.compile(moves, &[])))
    }

    /// Steps whose codes run one by one.
    fn apart(&self, steps: Vec<compile::Step>) -> Vec<Step> {
        steps.into_iter().map(|step| self.ready(step)).collect()
    }

    /// Steps whose moves run together with the next look.
    fn fused(&self, mut steps: Vec<compile::Step>) -> Vec<Step> {
        let period = steps.len();
        let mut fused_step: Vec<Vec<Part>> = (0..period)
            .map(|phase| fused_step::join(&steps[phase].update, &steps[(phase + 1) % period].observe))
            .collect();
        let bits = self.layout.bit(0)..self.layout.bit(self.layout.bits);
        for phase in 0..period {
            let next = fused_step[(phase + 1) % period].clone();
            fused_step::keep_read(&mut fused_step[phase], &next, bits.clone());
        }
        let slots = steps.iter().map(|step| step.slots).max().unwrap_or(0);
        for (phase, step) in steps.iter_mut().enumerate() {
            step.update.clear();
            step.slots = slots;
            if phase > 0 {
                step.observe.clear();
            }
        }
        let mut steps = self.apart(steps);
        for (step, parts) in steps.iter_mut().zip(&fused_step) {
            step.fused_step = Some(Ready::new(parts, self.engine, slots));
        }
        steps
    }

    /// The code for given states and moves.
    pub(super) fn given(&self) -> &Step {
        self.given.get_or_init(|| self.unphased(Moves::Given))
    }

    /// The code for playouts from states that no phase allows.
    pub(super) fn free(&self, shown: bool) -> &[Step] {
        let moves = if shown { Moves::Shown } else { Moves::Random };
        std::slice::from_ref(self.free[usize::from(shown)].get_or_init(|| self.unphased(moves)))
    }

    /// Code for which nothing is known of the state, and no lane starts again.
    fn unphased(&self, moves: Moves) -> Step {
        let nothing = vec![None; self.layout.bits];
        let options = CompileOptions {
            network: &self.network,
            layout: &self.layout,
            moves,
            known: &nothing,
            known_next: &nothing,
            impossible: &[],
            restart: false,
        };
        self.ready(compile(&options))
    }

    /// The first phase whose code is right for a state, and for all that can follow it: all that is known there
    /// holds in the state.
    pub(super) fn phase_of(&self, state: &[u64]) -> Option<usize> {
        let holds = |bit: usize| state[bit / 64] >> (bit % 64) & 1 == 1;
        self.phases().iter().position(|known| {
            known.iter().enumerate().all(|(bit, known)| known.is_none_or(|known| known == holds(bit)))
        })
    }

    fn ready(&self, step: compile::Step) -> Step {
        Step {
            observe: Ready::new(&step.observe, self.engine, step.slots),
            select: Ready::new(&step.select, self.engine, step.slots),
            update: Ready::new(&step.update, self.engine, step.slots),
            fused_step: None,
            draws: step.draws,
            slots: step.slots,
        }
    }

    /// The goal values of every role where just these goal conditions hold, in the order of the goals.
    pub fn goal_values(&self, holds: &[bool]) -> Vec<Vec<i32>> {
        let mut holds = holds.iter();
        let mut values = Vec::with_capacity(self.network.goals.len());
        for goals in &self.network.goals {
            let held = goals.iter().zip(holds.by_ref()).filter(|(_, holds)| **holds);
            let mut held: Vec<i32> = held.map(|(&(value, _), _)| value).collect();
            held.dedup();
            values.push(held);
        }
        values
    }
}
