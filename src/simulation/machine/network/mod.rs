//! The network machine. A state has a bit per fluent of the network; a step evaluates only the gates that change.
//!
//! - `cursor` steps one state at a time. Each gate counts its false operands, and a step propagates only
//!   changes.
//! - `guards` makes gates wait for the operand that changes most often.
//! - `automata` plays finite automata from a table.
//! - `expander` makes all children of a state, by the cursor or in lanes, whichever is faster.

mod activity;
mod automata;
mod cursor;
mod evaluate;
mod expander;
mod guards;
mod places;
mod signals;
mod wiring;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::lanes::children::LaneExpander;
use super::lanes::program::Program;
use super::{Clock, Cursor, Expander, FluentId, Machine, MoveId, State};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::{EvaluatedRules, GroundedGame, Interrupt, Network};
use automata::{Automata, LEAST_GATES};
use cursor::NetworkCursor;
use expander::NetworkExpander;
use signals::Signals;
use wiring::Wiring;

/// Compile time of the lanes per gate operand, on a slow computer.
const COMPILE_OPERAND: Duration = Duration::from_nanos(1_000);

/// A game that runs on its propositional network.
#[derive(Clone, Debug)]
pub struct NetworkMachine {
    grounded: Arc<GroundedGame>,
    initial: State,
    /// The fluents that hold in every reachable state.
    constant: Vec<FluentId>,
    wiring: Arc<Wiring>,
    automata: Arc<Automata>,
    /// The signals of the initial state, where every cursor starts.
    signals: Arc<Signals>,
    /// The lane program, compiled on first use.
    program: Arc<OnceLock<Program>>,
    interrupt: Interrupt,
    /// Maximum number of two-input gates for which lanes are the default.
    max_lane_gates: usize,
    /// Fluents by text, computed on first use.
    fluents_by_text: Arc<OnceLock<FxHashMap<String, FluentId>>>,
    /// The clock and the longest playout, computed on first use.
    clock: Arc<OnceLock<Option<Clock>>>,
    longest_play: Arc<OnceLock<Option<u32>>>,
}

impl NetworkMachine {
    /// A machine for a grounded game.
    pub fn new(grounded: Arc<GroundedGame>) -> NetworkMachine {
        NetworkMachine::with_automata_from(grounded, LEAST_GATES)
    }

    /// Like [`NetworkMachine::new`]; the interrupt ends the search for automata and later compilation.
    pub(super) fn interruptible(grounded: Arc<GroundedGame>, interrupt: &Interrupt) -> NetworkMachine {
        NetworkMachine::build(grounded, LEAST_GATES, interrupt).interrupted_by(interrupt.clone())
    }

    /// A machine that plays automata from tables if their next values have at least `least_gates` two-input gates.
    pub fn with_automata_from(grounded: Arc<GroundedGame>, least_gates: usize) -> NetworkMachine {
        NetworkMachine::build(grounded, least_gates, &Interrupt::default())
    }

    fn build(grounded: Arc<GroundedGame>, least_gates: usize, interrupt: &Interrupt) -> NetworkMachine {
        let network = &grounded.network;
        let automata = Automata::new(network, least_gates, interrupt);
        let mut words = vec![0u64; network.bits.len().div_ceil(64)];
        for (bit, _) in network.initial.iter().enumerate().filter(|(_, holds)| **holds) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        let always = network.fluents.iter().enumerate().filter(|(_, fluent)| fluent.bit.is_none());
        let constant = always.map(|(number, _)| FluentId(number as u32)).collect();
        let rest = (!automata.is_empty()).then(|| automata.without(network));
        let wired = rest.as_ref().unwrap_or(network);
        let wiring = Wiring::new(wired);
        let initial = State(words.into());
        let signals = Signals::new(wired, &wiring, &initial);
        NetworkMachine {
            initial,
            constant,
            wiring: Arc::new(wiring),
            automata: Arc::new(automata),
            signals: Arc::new(signals),
            program: Arc::default(),
            interrupt: Interrupt::default(),
            max_lane_gates: usize::MAX,
            fluents_by_text: Arc::default(),
            clock: Arc::default(),
            longest_play: Arc::default(),
            grounded,
        }
    }

    /// The same machine; the interrupt ends compiling and playing in lanes.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt) -> NetworkMachine {
        NetworkMachine { interrupt, program: Arc::default(), ..self }
    }

    /// The same machine; lanes are the default only up to `max_lane_gates` two-input gates.
    #[must_use]
    pub(super) fn with_lanes_up_to(self, max_lane_gates: usize) -> NetworkMachine {
        NetworkMachine { max_lane_gates, ..self }
    }

    /// The grounded game.
    pub fn grounded(&self) -> &Arc<GroundedGame> {
        &self.grounded
    }

    /// The lane program, compiled on first use.
    pub fn lane_program(&self) -> &Program {
        let make = || Program::new(&self.grounded.network).interrupted_by(self.interrupt.clone());
        self.program.get_or_init(make)
    }

    /// Estimated time to compile the lanes for given moves, on a slow computer.
    fn compiling(&self) -> Duration {
        COMPILE_OPERAND * u32::try_from(self.grounded.network.operands.len()).unwrap_or(u32::MAX)
    }

    /// Whether the lane program exists.
    fn has_lanes(&self) -> bool {
        self.program.get().is_some()
    }

    fn write(&self, functor: Symbol, arguments: &[TermId]) -> String {
        super::application_text(&self.grounded.description.symbols, &self.grounded.terms, functor, arguments)
    }
}

impl Machine for NetworkMachine {
    fn rules(&self) -> &Arc<EvaluatedRules> {
        &self.grounded.rules
    }

    fn backend(&self) -> &'static str {
        "network"
    }

    fn network(&self) -> Option<&Network> {
        Some(&self.grounded.network)
    }

    fn clock(&self) -> Option<&Clock> {
        self.clock.get_or_init(|| Clock::of(&self.grounded.network)).as_ref()
    }

    fn longest_play(&self) -> Option<u32> {
        *self.longest_play.get_or_init(|| Clock::longest_play(&self.grounded.network))
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn cursor(&self) -> Box<dyn Cursor + '_> {
        let beginning = (&self.initial, &*self.signals);
        Box::new(NetworkCursor::new(&self.grounded.network, &self.wiring, &self.automata, beginning))
    }

    fn suits_lanes(&self) -> bool {
        let network = &self.grounded.network;
        Program::suits(network) && network.two_input_gates() <= self.max_lane_gates
    }

    fn program(&self) -> Option<&Program> {
        Some(self.lane_program())
    }

    fn lanes_for_moves(&self) -> Option<&Program> {
        self.program.get().filter(|program| program.takes_moves())
    }

    fn compile_for_moves(&self, within: Duration) {
        if self.suits_lanes() && self.compiling() <= within {
            // A caller that interrupts compiling does not need successors.
            let _ = LaneExpander::new(self.lane_program());
        }
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(NetworkExpander::new(self))
    }

    fn fluents(&self, state: &State, out: &mut Vec<FluentId>) {
        let start = out.len();
        for (word, &bits) in state.0.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                out.push(FluentId(self.grounded.network.bits[word * 64 + left.trailing_zeros() as usize]));
                left &= left - 1;
            }
        }
        if !self.constant.is_empty() {
            out.extend_from_slice(&self.constant);
            out[start..].sort_unstable();
        }
    }

    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>) {
        let fluent = &self.grounded.network.fluents[fluent.0 as usize];
        (fluent.functor, fluent.arguments.clone())
    }

    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>) {
        let action = &self.grounded.network.actions[action.0 as usize];
        (action.functor, action.arguments.clone())
    }

    fn fluent_named(&self, text: &str) -> Option<FluentId> {
        let name = |number: u32| (self.fluent_text(FluentId(number)), FluentId(number));
        let fluents_by_text = self
            .fluents_by_text
            .get_or_init(|| (0..self.grounded.network.fluents.len() as u32).map(name).collect());
        fluents_by_text.get(text).copied()
    }

    fn state_of(&self, fluents: &[FluentId]) -> State {
        let network = &self.grounded.network;
        let mut words = vec![0u64; network.bits.len().div_ceil(64)];
        for bit in fluents.iter().filter_map(|fluent| network.fluents[fluent.0 as usize].bit) {
            words[bit as usize / 64] |= 1 << (bit % 64);
        }
        State(words.into())
    }

    fn fluent_text(&self, fluent: FluentId) -> String {
        let fluent = &self.grounded.network.fluents[fluent.0 as usize];
        self.write(fluent.functor, &fluent.arguments)
    }

    fn move_text(&self, action: MoveId) -> String {
        let action = &self.grounded.network.actions[action.0 as usize];
        self.write(action.functor, &action.arguments)
    }

    fn term_text(&self, term: TermId) -> String {
        self.grounded.terms.display(term, &self.grounded.description.symbols)
    }
}
