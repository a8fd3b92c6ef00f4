//! A game's program for random playouts: a network compiled to code over lane words, ready to run.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::choice::Moves;
use super::compile::{self, Asked, CompileOptions, compile};
use super::engine::{Engine, Ready};
use super::fused_step;
use super::layout::Layout;
use super::phases::{Phases, phases};
use super::schedule::Part;
use super::split_step::{self, SplitStep};
use super::step::Step;
use super::terminal_invariants::impossible;
use super::value::compiled_sums::CompiledSums;
use super::walk::{Bits, LaneAutomata, Walk, drivers, slots_read};
use crate::ground::{Interrupt, Interrupted, Lit, Network};
use crate::machine::FluentId;
use crate::machine::automata::automata;

/// A program for random playouts of a game; a [`Block`](super::block::Block) runs it.
///
/// It is compiled when it is first run, once for playouts that nobody looks into and once for those whose states
/// and moves are looked at. Both make the same playouts. An interrupt ends compiling, and playouts that run.
pub struct Program {
    network: Network,
    engine: Engine,
    pub(super) interrupt: Interrupt,
    /// Held by whoever compiles, so that nothing is compiled twice.
    compiling: Mutex<()>,
    pub(super) layout: Layout,
    /// Whether moves are chosen by table.
    by_table: bool,
    phases: OnceLock<Phases>,
    phase_words: OnceLock<Vec<Vec<(u64, u64)>>>,
    /// Two-input gates that the next values of an automaton's bits take at least.
    least_gates: usize,
    automata: OnceLock<LaneAutomata>,
    free_automata: OnceLock<LaneAutomata>,
    impossible: OnceLock<Vec<Vec<Lit>>>,
    /// The code of steps, by [`StepKey::place`].
    codes: [OnceLock<Vec<Step>>; StepKey::PLACES],
    /// Whether a search plays steps in parts.
    splits: OnceLock<bool>,
    /// Sums over what holds in a state.
    pub(super) sums: CompiledSums,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// What the code of a step is for. Code is made when it is first asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKey {
    /// Random playouts; whether their states and moves are looked at.
    Playouts(Start, bool),
    /// Given states and moves.
    Given(Asked),
}

/// The states from which playouts start, which decide what is known when their code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// The initial state.
    Initial,
    /// States that a phase allows.
    Phase,
    /// States that no phase allows.
    Any,
    /// Also states where several bits of an automaton hold.
    WithoutAutomata,
}

impl StepKey {
    const PLACES: usize = 12;

    fn place(self) -> usize {
        match self {
            StepKey::Playouts(start, shown) => 2 * start as usize + usize::from(shown),
            StepKey::Given(asked) => 8 + asked as usize,
        }
    }
}

/// Two-input gates of the largest network that is played in lanes unasked. Compiling takes two seconds and 280 MiB a
/// million gates (amazons on 10x10 squares, November 2026).
const LARGEST: usize = 5_000_000;

/// Two-input gates, and moves of a role on average, from which on moves are chosen by table. Looking at lanes one by one takes
/// some 20 microseconds a step and role: with 96,000 gates (chess) the gates were faster by 30 %, with 157,000 gates and
/// 1,457 moves (lines of action) by 8 %, with 196,000 and 1,793 (skirmish) the table is by 40 % (November 2026).
const TABLE_GATES: usize = 150_000;
const TABLE_MOVES: usize = 1500;

/// Two-input gates of the next values of some bits from which on an automaton has them. A pass of 512 lanes
/// takes some 3 microseconds with one, the rest of a small game included, and so many gates 7 or more (November 2026).
const AUTOMATON_GATES: usize = 10_000;

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
        let moves: usize = network.moves.iter().map(Vec::len).sum();
        Program {
            engine,
            by_table: network.two_input_gates() >= TABLE_GATES && moves >= TABLE_MOVES * network.moves.len(),
            interrupt: Interrupt::default(),
            compiling: Mutex::default(),
            layout: Layout::new(network),
            phases: OnceLock::new(),
            phase_words: OnceLock::new(),
            least_gates: AUTOMATON_GATES,
            automata: OnceLock::new(),
            free_automata: OnceLock::new(),
            impossible: OnceLock::new(),
            network: network.clone(),
            codes: Default::default(),
            splits: OnceLock::new(),
            sums: CompiledSums::default(),
        }
    }

    /// The same program, ended by an interrupt.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt) -> Program {
        Program { interrupt, ..self }
    }

    /// The same program, with moves chosen by table or by gates; the playouts are the same. Networks that are very large
    /// have a table unasked.
    #[must_use]
    pub fn choosing_by_table(self, by_table: bool) -> Program {
        Program { by_table, ..self }
    }

    /// The same program, where bits of the state are finite automata if their next values take so many two-input gates or more;
    /// the playouts are the same.
    #[must_use]
    pub fn with_automata_from(self, least_gates: usize) -> Program {
        Program { least_gates, ..self }
    }

    /// The numbers of bits of the automata in playouts from the initial state.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn automata_sizes(&self) -> Result<Vec<usize>, Interrupted> {
        Ok(self.automata()?.list.iter().map(|automaton| automaton.bits.len()).collect())
    }

    /// The slot of a fact that varies.
    pub(super) fn slot_of(&self, fact: FluentId) -> Option<usize> {
        let bit = self.network.fluents[fact.0 as usize].bit?;
        Some(self.layout.bit(bit as usize) as usize)
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
    ///
    /// # Errors
    /// It was interrupted.
    pub fn period(&self) -> Result<usize, Interrupted> {
        Ok(self.phases()?.len())
    }

    /// What a cell holds, made when it is first asked for. Two threads may make it at once; one of the two is kept.
    fn cell<'c, T>(
        &self,
        cell: &'c OnceLock<T>,
        make: impl FnOnce() -> Result<T, Interrupted>,
    ) -> Result<&'c T, Interrupted> {
        if let Some(made) = cell.get() {
            return Ok(made);
        }
        let made = make()?;
        Ok(cell.get_or_init(|| made))
    }

    /// The same for what takes long, and is made by one thread while others wait.
    pub(super) fn compiled<'c, T>(
        &self,
        cell: &'c OnceLock<T>,
        make: impl FnOnce() -> Result<T, Interrupted>,
    ) -> Result<&'c T, Interrupted> {
        if let Some(made) = cell.get() {
            return Ok(made);
        }
        let _alone = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        self.cell(cell, make)
    }

    fn phases(&self) -> Result<&Phases, Interrupted> {
        self.cell(&self.phases, || phases(&self.network, &self.interrupt))
    }

    /// The automata in playouts from states that a phase allows.
    pub(super) fn automata(&self) -> Result<&LaneAutomata, Interrupted> {
        self.cell(&self.automata, || self.find_automata(self.phases()?))
    }

    /// The automata where nothing is known of the state.
    pub(super) fn free_automata(&self) -> Result<&LaneAutomata, Interrupted> {
        let nothing = || vec![vec![None; self.layout.bits]];
        self.cell(&self.free_automata, || self.find_automata(&nothing()))
    }

    fn find_automata(&self, known: &[Vec<Option<bool>>]) -> Result<LaneAutomata, Interrupted> {
        let list = automata(&self.network, known, self.least_gates, &self.interrupt)?;
        let mut left_out = vec![false; if list.is_empty() { 0 } else { self.layout.bits }];
        list.iter().flat_map(|automaton| &automaton.bits).for_each(|&bit| left_out[bit as usize] = true);
        Ok(LaneAutomata { list, left_out })
    }

    /// By phase, literals that are false in running playouts from the initial state.
    fn impossible(&self) -> Result<&[Vec<Lit>], Interrupted> {
        let make = || impossible(&self.network, self.phases()?, &self.interrupt);
        self.cell(&self.impossible, make).map(Vec::as_slice)
    }

    /// Number of operations of a step on average, if nobody looks into it.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn operations(&self) -> Result<usize, Interrupted> {
        let steps = self.compile(Moves::Random, self.impossible()?)?;
        Ok(steps.iter().map(compile::Step::operations).sum::<usize>() / steps.len())
    }

    fn compile(&self, moves: Moves, impossible: &[Vec<Lit>]) -> Result<Vec<compile::Step>, Interrupted> {
        let (phases, automata) = (self.phases()?, self.automata()?);
        let step = |phase: usize| {
            compile(&CompileOptions {
                network: &self.network,
                layout: &self.layout,
                moves,
                asked: Asked::All,
                by_table: self.by_table,
                known: &phases[phase],
                known_next: &phases[(phase + 1) % phases.len()],
                impossible: impossible.get(phase).map_or(&[], Vec::as_slice),
                left_out: &automata.left_out,
                drivers: &drivers(&automata.list, phase),
                restart: phase + 1 == phases.len(),
                interrupt: &self.interrupt,
            })
        };
        (0..phases.len()).map(step).collect()
    }

    /// The code of a step, phase by phase where phases are known.
    fn code(&self, key: StepKey) -> Result<&[Step], Interrupted> {
        let make = || match key {
            StepKey::Playouts(Start::Initial, false) => {
                let steps = self.compile(Moves::Random, self.impossible()?)?;
                let largest = steps.iter().map(compile::Step::operations).max();
                let automata = self.automata()?;
                let apart = self.by_table || !automata.list.is_empty() || largest > Some(fused_step::MOST);
                if apart { self.apart(steps, automata, false) } else { self.fused(steps) }
            }
            StepKey::Playouts(Start::Initial, true) => {
                self.apart(self.compile(Moves::Shown, self.impossible()?)?, self.automata()?, true)
            }
            StepKey::Playouts(Start::Phase, shown) => {
                self.apart(self.compile(drawn(shown), &[])?, self.automata()?, shown)
            }
            StepKey::Playouts(Start::Any, shown) => {
                self.unphased(drawn(shown), Asked::All, self.free_automata()?)
            }
            StepKey::Playouts(Start::WithoutAutomata, shown) => {
                self.unphased(drawn(shown), Asked::All, &LaneAutomata::default())
            }
            StepKey::Given(asked) => self.unphased(Moves::Given, asked, &LaneAutomata::default()),
        };
        self.compiled(&self.codes[key.place()], make).map(Vec::as_slice)
    }

    /// The code for playouts from the initial state, phase by phase.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn steps(&self, shown: bool) -> Result<&[Step], Interrupted> {
        self.code(StepKey::Playouts(Start::Initial, shown))
    }

    /// The code for playouts from some states, phase by phase where a phase allows all of them.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn steps_from(
        &self,
        states: &[&[u64]],
        phased: bool,
        shown: bool,
    ) -> Result<&[Step], Interrupted> {
        let start = match phased {
            true if self.automata()?.admit(states) => {
                // Nothing is known from the initial state alone, so its code serves.
                let same = shown && self.impossible()?.iter().all(Vec::is_empty);
                if same { Start::Initial } else { Start::Phase }
            }
            false if self.free_automata()?.admit(states) => Start::Any,
            _ if self.free_automata()?.list.is_empty() => Start::Any,
            _ => Start::WithoutAutomata,
        };
        self.code(StepKey::Playouts(start, shown))
    }

    /// Steps whose codes run one by one, with automata.
    fn apart(
        &self,
        steps: Vec<compile::Step>,
        automata: &LaneAutomata,
        shown: bool,
    ) -> Result<Vec<Step>, Interrupted> {
        let walking = !automata.list.is_empty() && !shown;
        let read = walking.then(|| slots_read(&steps, self.layout.bit(self.layout.bits)));
        let steps: Result<Vec<Step>, Interrupted> = steps.into_iter().map(|step| self.ready(step)).collect();
        let mut steps = steps?;
        let is_read = |slot: u32| read.as_ref().is_none_or(|read| read[slot as usize]);
        for automaton in &automata.list {
            let bits = Arc::new(Bits::new(automaton, &self.layout, is_read));
            for (phase, step) in steps.iter_mut().enumerate() {
                let walk = Walk::new(automaton, phase, bits.clone(), &self.network, step.table.as_mut());
                step.walks.push(walk);
            }
        }
        Ok(steps)
    }

    /// Steps whose moves run together with the next look.
    fn fused(&self, mut steps: Vec<compile::Step>) -> Result<Vec<Step>, Interrupted> {
        let period = steps.len();
        let mut fused_step: Vec<Vec<Part>> = (0..period)
            .map(|phase| fused_step::join(&steps[phase].update, &steps[(phase + 1) % period].observe))
            .collect();
        let bits = self.layout.bit(0)..self.layout.bit(self.layout.bits);
        fused_step::keep_read(&mut fused_step, bits);
        let slots = steps.iter().map(|step| step.slots).max().unwrap_or(0);
        for (phase, step) in steps.iter_mut().enumerate() {
            step.update.clear();
            step.slots = slots;
            if phase > 0 {
                step.observe.clear();
            }
        }
        let mut steps = self.apart(steps, &LaneAutomata::default(), false)?;
        for (step, parts) in steps.iter_mut().zip(&fused_step) {
            step.fused_step = Some(Ready::new(parts, self.engine, slots, &self.interrupt)?);
        }
        Ok(steps)
    }

    /// The code for given states and moves.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn given(&self) -> Result<&Step, Interrupted> {
        self.part(Asked::All)
    }

    fn part(&self, asked: Asked) -> Result<&Step, Interrupted> {
        self.code(StepKey::Given(asked)).map(|steps| &steps[0])
    }

    /// Whether the code for given states and moves is there.
    pub(in crate::machine) fn takes_moves(&self) -> bool {
        self.codes[StepKey::Given(Asked::All).place()].get().is_some()
    }

    /// The step for given states and moves in parts; none where that would spare little, or take long to make.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn split(&self) -> Result<Option<SplitStep<'_>>, Interrupted> {
        if !self.splits.get_or_init(|| split_step::pays(&self.network)) {
            return Ok(None);
        }
        let part = |asked| self.part(asked);
        Ok(Some(SplitStep { legal: part(Asked::Legal)?, next: part(Asked::Next)?, ends: part(Asked::Ends)? }))
    }

    /// Code for which nothing is known of the state, and no lane starts again.
    fn unphased(
        &self,
        moves: Moves,
        asked: Asked,
        automata: &LaneAutomata,
    ) -> Result<Vec<Step>, Interrupted> {
        let nothing = vec![None; self.layout.bits];
        let options = CompileOptions {
            network: &self.network,
            layout: &self.layout,
            moves,
            asked,
            by_table: self.by_table,
            known: &nothing,
            known_next: &nothing,
            impossible: &[],
            left_out: &automata.left_out,
            drivers: &drivers(&automata.list, 0),
            restart: false,
            interrupt: &self.interrupt,
        };
        self.apart(vec![compile(&options)?], automata, moves != Moves::Random)
    }

    /// The first phase whose code is right for a state, and for all that can follow it: all that is known there
    /// holds in the state.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn phase_of(&self, state: &[u64]) -> Result<Option<usize>, Interrupted> {
        let of_words = |&(mask, value): &(u64, u64), word: u64| word & mask == value;
        Ok(self
            .phase_words()?
            .iter()
            .position(|words| words.iter().zip(state).all(|(known, &word)| of_words(known, word))))
    }

    /// By phase, for each word of a state the bits that are known, and what they are.
    fn phase_words(&self) -> Result<&[Vec<(u64, u64)>], Interrupted> {
        let word = |known: &[Option<bool>]| {
            let bits = |wanted: fn(&Option<bool>) -> bool| {
                known.iter().rev().fold(0, |bits, known| bits << 1 | u64::from(wanted(known)))
            };
            (bits(Option::is_some), bits(|known| *known == Some(true)))
        };
        let make = || {
            let phases = self.phases()?;
            Ok(phases.iter().map(|known| known.chunks(64).map(word).collect()).collect())
        };
        self.cell(&self.phase_words, make).map(Vec::as_slice)
    }

    fn ready(&self, step: compile::Step) -> Result<Step, Interrupted> {
        let ready = |parts: &[Part]| Ready::new(parts, self.engine, step.slots, &self.interrupt);
        Ok(Step {
            observe: ready(&step.observe)?,
            select: ready(&step.select)?,
            update: ready(&step.update)?,
            fused_step: None,
            draws: step.draws,
            table: step.table,
            walks: Vec::new(),
            slots: step.slots,
        })
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

/// How moves come about in playouts.
fn drawn(shown: bool) -> Moves {
    if shown { Moves::Shown } else { Moves::Random }
}
