//! The lane program of a game: a network compiled to code over lane words.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::choice::MoveSource;
use super::compile::{self, CompileOptions, Demand, compile};
use super::engine::{Engine, Executable};
use super::fused_step;
use super::lane_automata::{AutomatonTable, Bits, LaneAutomata, drivers, slots_read};
use super::layout::Layout;
use super::phases::{Phases, phases};
use super::schedule::Part;
use super::split_step::{self, SplitStep};
use super::step::Step;
use super::terminal_invariants::false_literals;
use super::value::compiled_sums::CompiledSums;
use crate::ground::{Interrupt, Interrupted, Lit, Network};
use crate::machine::FluentId;
use crate::machine::automata::automata;

/// A lane program, which a [`Block`](super::block::Block) runs.
///
/// It is compiled on first use, separately for playouts whose states and moves are read and for others. Both play the same
/// playouts. The interrupt ends compiling and running playouts.
pub struct Program {
    network: Network,
    engine: Engine,
    pub(super) interrupt: Interrupt,
    /// Locked during compilation, so that nothing is compiled twice.
    compiling: Mutex<()>,
    pub(super) layout: Layout,
    /// Whether a table chooses the moves.
    by_table: bool,
    phases: OnceLock<Phases>,
    phase_words: OnceLock<Vec<Vec<(u64, u64)>>>,
    /// Minimum number of two-input gates of an automaton's next values.
    least_gates: usize,
    automata: OnceLock<LaneAutomata>,
    free_automata: OnceLock<LaneAutomata>,
    impossible: OnceLock<Vec<Vec<Lit>>>,
    /// The code of steps, by [`StepKey::place`].
    codes: [OnceLock<Vec<Step>>; StepKey::PLACES],
    /// Whether a search plays steps in parts.
    splits: OnceLock<bool>,
    /// The compiled sums over atoms of a state.
    pub(super) sums: CompiledSums,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// The use of a step's code. Code is compiled on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKey {
    /// Random playouts; the flag is whether states and moves are read.
    Playouts(Start, bool),
    /// Given states and moves.
    Given(Demand),
}

/// The states from which playouts start. They determine the known values in their code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// The initial state.
    Initial,
    /// States consistent with a phase.
    Phase,
    /// States not consistent with any phase.
    Any,
    /// States in which several bits of an automaton may hold.
    WithoutAutomata,
}

impl StepKey {
    const PLACES: usize = 12;

    fn place(self) -> usize {
        match self {
            StepKey::Playouts(start, shown) => 2 * start as usize + usize::from(shown),
            StepKey::Given(demand) => 8 + demand as usize,
        }
    }
}

/// Maximum number of two-input gates for which lanes are the default. Compiling takes two seconds and 280 MiB per million
/// gates (amazons on 10x10 squares, November 2026).
const MAX_DEFAULT_GATES: usize = 5_000_000;

/// Minimum number of two-input gates, and of moves per role on average, for choosing moves by table. Reading lanes one by
/// one takes about 20 microseconds per step and role. With 96,000 gates (chess) gates were faster by 30 %; with 157,000
/// gates and 1,457 moves (lines of action) by 8 %; with 196,000 and 1,793 (skirmish) the table was faster by 40 % (November
/// 2026).
const TABLE_GATES: usize = 150_000;
const TABLE_MOVES: usize = 1500;

/// Minimum number of two-input gates of an automaton's next values. A pass of 512 lanes takes about 3 microseconds with an
/// automaton, including the rest of a small game; this number of gates takes at least 7 (November 2026).
const AUTOMATON_GATES: usize = 10_000;

impl Program {
    /// Whether the network is small enough for lanes by default.
    pub(in crate::machine) fn suits(network: &Network) -> bool {
        network.two_input_gates() <= MAX_DEFAULT_GATES
    }

    /// The program of a network, on the fastest engine.
    pub fn new(network: &Network) -> Program {
        Program::with_engine(network, Engine::best())
    }

    /// The program of a network, on this engine.
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

    /// The same program with an interrupt.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt) -> Program {
        Program { interrupt, ..self }
    }

    /// The same program, with moves chosen by table or by gates; the playouts are the same. By default only very large
    /// networks use a table.
    #[must_use]
    pub fn choosing_by_table(self, by_table: bool) -> Program {
        Program { by_table, ..self }
    }

    /// The same program, with automata whose next values have at least `least_gates` two-input gates; the playouts are the
    /// same.
    #[must_use]
    pub fn with_automata_from(self, least_gates: usize) -> Program {
        Program { least_gates, ..self }
    }

    /// Number of bits of each automaton in playouts from the initial state.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub fn automata_sizes(&self) -> Result<Vec<usize>, Interrupted> {
        Ok(self.automata()?.list.iter().map(|automaton| automaton.bits.len()).collect())
    }

    /// The slot of a fact; none if the fact never changes.
    pub(super) fn slot_of(&self, fact: FluentId) -> Option<usize> {
        let bit = self.network.fluents[fact.0 as usize].bit?;
        Some(self.layout.bit(bit as usize) as usize)
    }

    /// The engine that runs the program.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The network of the program.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The period of the code in steps; playouts start at multiples of it. It is 1 if nothing depends only on the number of
    /// steps, and 2 in most games of two roles that take turns.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub fn period(&self) -> Result<usize, Interrupted> {
        Ok(self.phases()?.len())
    }

    /// The value of a cell, computed on first use. If two threads compute it at once, one result is dropped.
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

    /// Like [`Program::cell`] for expensive values: one thread computes while others wait.
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

    /// The automata in playouts from states consistent with a phase.
    pub(super) fn automata(&self) -> Result<&LaneAutomata, Interrupted> {
        self.cell(&self.automata, || self.find_automata(self.phases()?))
    }

    /// The automata in playouts from any state.
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

    /// For each phase, the literals that are false in running playouts from the initial state.
    fn false_literals(&self) -> Result<&[Vec<Lit>], Interrupted> {
        let make = || false_literals(&self.network, self.phases()?, &self.interrupt);
        self.cell(&self.impossible, make).map(Vec::as_slice)
    }

    /// Average number of operations of a step, if states and moves are not read.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub fn operations(&self) -> Result<usize, Interrupted> {
        let steps = self.compile(MoveSource::Random, self.false_literals()?)?;
        Ok(steps.iter().map(compile::StepCode::operations).sum::<usize>() / steps.len())
    }

    fn compile(
        &self,
        moves: MoveSource,
        impossible: &[Vec<Lit>],
    ) -> Result<Vec<compile::StepCode>, Interrupted> {
        let (phases, automata) = (self.phases()?, self.automata()?);
        let step = |phase: usize| {
            compile(&CompileOptions {
                network: &self.network,
                layout: &self.layout,
                moves,
                demand: Demand::All,
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

    /// The code of a step, for each phase if phases are used.
    fn code(&self, key: StepKey) -> Result<&[Step], Interrupted> {
        let make = || match key {
            StepKey::Playouts(Start::Initial, false) => {
                let steps = self.compile(MoveSource::Random, self.false_literals()?)?;
                let largest = steps.iter().map(compile::StepCode::operations).max();
                let automata = self.automata()?;
                let separate =
                    self.by_table || !automata.list.is_empty() || largest > Some(fused_step::MAX_OPERATIONS);
                if separate { self.separate(steps, automata, false) } else { self.fused(steps) }
            }
            StepKey::Playouts(Start::Initial, true) => self.separate(
                self.compile(MoveSource::Shown, self.false_literals()?)?,
                self.automata()?,
                true,
            ),
            StepKey::Playouts(Start::Phase, shown) => {
                self.separate(self.compile(drawn(shown), &[])?, self.automata()?, shown)
            }
            StepKey::Playouts(Start::Any, shown) => {
                self.unphased(drawn(shown), Demand::All, self.free_automata()?)
            }
            StepKey::Playouts(Start::WithoutAutomata, shown) => {
                self.unphased(drawn(shown), Demand::All, &LaneAutomata::default())
            }
            StepKey::Given(demand) => self.unphased(MoveSource::Given, demand, &LaneAutomata::default()),
        };
        self.compiled(&self.codes[key.place()], make).map(Vec::as_slice)
    }

    /// The code for playouts from the initial state, for each phase.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub(super) fn steps(&self, shown: bool) -> Result<&[Step], Interrupted> {
        self.code(StepKey::Playouts(Start::Initial, shown))
    }

    /// The code for playouts from these states, for each phase if all states are consistent with one.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub(super) fn steps_from(
        &self,
        states: &[&[u64]],
        phased: bool,
        shown: bool,
    ) -> Result<&[Step], Interrupted> {
        let start = match phased {
            true if self.automata()?.admit(states) => {
                // If the initial state gives no further knowledge, its code is the same.
                let same = shown && self.false_literals()?.iter().all(Vec::is_empty);
                if same { Start::Initial } else { Start::Phase }
            }
            false if self.free_automata()?.admit(states) => Start::Any,
            _ if self.free_automata()?.list.is_empty() => Start::Any,
            _ => Start::WithoutAutomata,
        };
        self.code(StepKey::Playouts(start, shown))
    }

    /// Steps with separate codes, with automata.
    fn separate(
        &self,
        steps: Vec<compile::StepCode>,
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
                let walk =
                    AutomatonTable::new(automaton, phase, bits.clone(), &self.network, step.table.as_mut());
                step.walks.push(walk);
            }
        }
        Ok(steps)
    }

    /// Steps whose moves are fused with the next evaluation.
    fn fused(&self, mut steps: Vec<compile::StepCode>) -> Result<Vec<Step>, Interrupted> {
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
        let mut steps = self.separate(steps, &LaneAutomata::default(), false)?;
        for (step, parts) in steps.iter_mut().zip(&fused_step) {
            step.fused_step = Some(Executable::new(parts, self.engine, slots, &self.interrupt)?);
        }
        Ok(steps)
    }

    /// The code for given states and moves.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub(super) fn given(&self) -> Result<&Step, Interrupted> {
        self.part(Demand::All)
    }

    fn part(&self, demand: Demand) -> Result<&Step, Interrupted> {
        self.code(StepKey::Given(demand)).map(|steps| &steps[0])
    }

    /// Whether the code for given states and moves is compiled.
    pub(in crate::machine) fn takes_moves(&self) -> bool {
        self.codes[StepKey::Given(Demand::All).place()].get().is_some()
    }

    /// The step for given states and moves in parts; none if the parts would save little or take long to compile.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub(super) fn split(&self) -> Result<Option<SplitStep<'_>>, Interrupted> {
        if !self.splits.get_or_init(|| split_step::pays(&self.network)) {
            return Ok(None);
        }
        let part = |demand| self.part(demand);
        Ok(Some(SplitStep {
            legal: part(Demand::Legal)?,
            next: part(Demand::Next)?,
            ends: part(Demand::Ends)?,
        }))
    }

    /// Code without knowledge of the state; no lane starts again.
    fn unphased(
        &self,
        moves: MoveSource,
        demand: Demand,
        automata: &LaneAutomata,
    ) -> Result<Vec<Step>, Interrupted> {
        let nothing = vec![None; self.layout.bits];
        let options = CompileOptions {
            network: &self.network,
            layout: &self.layout,
            moves,
            demand,
            by_table: self.by_table,
            known: &nothing,
            known_next: &nothing,
            impossible: &[],
            left_out: &automata.left_out,
            drivers: &drivers(&automata.list, 0),
            restart: false,
            interrupt: &self.interrupt,
        };
        self.separate(vec![compile(&options)?], automata, moves != MoveSource::Random)
    }

    /// The first phase whose code is correct for a state and its successors: all its known values hold in the state.
    ///
    /// # Errors
    /// The interrupt ended it.
    pub(super) fn phase_of(&self, state: &[u64]) -> Result<Option<usize>, Interrupted> {
        let of_words = |&(mask, value): &(u64, u64), word: u64| word & mask == value;
        Ok(self
            .phase_words()?
            .iter()
            .position(|words| words.iter().zip(state).all(|(known, &word)| of_words(known, word))))
    }

    /// For each phase and state word, the known bits and their values.
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

    fn ready(&self, step: compile::StepCode) -> Result<Step, Interrupted> {
        let ready = |parts: &[Part]| Executable::new(parts, self.engine, step.slots, &self.interrupt);
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

    /// The goal values of every role if exactly these goal conditions hold, in the order of the goals.
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

/// The source of moves in playouts.
fn drawn(shown: bool) -> MoveSource {
    if shown { MoveSource::Shown } else { MoveSource::Random }
}
