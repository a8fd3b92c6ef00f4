//! The interface between features, evaluation functions and the callers that need values.
//!
//! [`Measure::reads`] lists the fluents that a value depends on, so that a search may leave the game's clock out of
//! its tables. [`Measure::begin`] passes on the state where a search begins, for functions that compare with it
//! ([`Spec::is_since_root`](super::Spec::is_since_root)).

use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{Cursor, FluentId, Machine, MachineError, State, StateView};

use super::facts::Facts;

/// A state to be evaluated.
#[derive(Clone, Copy)]
pub struct ValuedState<'a> {
    /// The facts of the state.
    pub facts: &'a Facts,
    /// Legal moves, the end of the game and goal values, which facts alone don't show.
    pub view: &'a dyn StateView,
}

/// A feature or an evaluation function, bound to one machine.
///
/// A value depends on the state alone, and for a few measures on the state where a search began; it never depends on
/// earlier calls, and `&mut` is for caches. An implementation needs only [`value`](Measure::value). The unit is free;
/// a higher value is better for the role that the measure is used for.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_knowledge::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// # use ggp::gdl::{Source, read};
/// # use ggp::ground::Limits;
/// # use ggp::machine::{Backend, load};
/// use ggp::feature::{Measure, StateEvaluator, ValuedState};
///
/// /// The number of legal moves of a role.
/// struct Moves(usize);
///
/// impl Measure<'_> for Moves {
///     fn value(&mut self, state: &ValuedState<'_>) -> f64 {
///         state.view.legal(self.0).len() as f64
///     }
/// }
///
/// # let rules = read(&Source::load("games/nim.kif")?).description.expect("the rules have no errors");
/// # let game = load(rules, Backend::Auto, &Limits::default())?;
/// let machine = &*game.machine;
/// let mut evaluator = StateEvaluator::new(machine);
/// assert_eq!(Moves(0).value(&evaluator.at(machine.initial())?), 16.0); // the pieces of all heaps
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Measure<'m>: Send {
    /// The value of a state.
    fn value(&mut self, position: &ValuedState<'_>) -> f64;

    /// Starts a search from a state with these facts. Returns whether values may change.
    fn begin(&mut self, _root: &Facts) -> bool {
        false
    }

    /// Whether the facts alone determine the value, so that the caller need not compute legal moves.
    fn facts_suffice(&self) -> bool {
        self.linear().is_some()
    }

    /// The work of all values so far, as far as it differs between states, in the units of
    /// [`Cursor::work`](crate::machine::Cursor::work); 0 if every value costs about the same.
    fn work(&self) -> u64 {
        0
    }

    /// The fluents that the value depends on, in any order; repetitions and unneeded ones are allowed. The value may
    /// also depend on legal moves: states with the same legal moves that agree in these fluents have the same value.
    /// None if the fluents aren't known, as without a network.
    fn reads(&mut self) -> Option<Vec<FluentId>> {
        None
    }

    /// The measure in the form that lanes compute, on a network; none if they can't compute it.
    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        None
    }

    /// The value as a sum over facts, if it is one and the numbers of fluents are fixed, as on a network.
    fn linear(&self) -> Option<&LinearForm> {
        None
    }
}

/// A measure in the form that lanes compute. Lanes need rounded weights, and both parts have the same ones.
pub struct QuantizedMeasure<'m> {
    /// The measure with rounded weights: its values equal those of lanes, bit for bit. [`LaneValue::error`] bounds
    /// the difference from the original measure.
    pub measure: Box<dyn Measure<'m> + 'm>,
    /// The program for lanes.
    pub lanes: LaneValue,
}

/// A sum over the facts of a state: `constant` plus the weight of each fluent that holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearForm {
    /// The value if no fluent with a weight holds.
    pub constant: f64,
    /// Fluents with their weights: ascending, each once, no weight 0.
    pub weights: Vec<(FluentId, f64)>,
}

impl LinearForm {
    /// The sum with weights rounded for lanes, and its program for lanes.
    pub fn quantized(&self) -> (LinearForm, LaneValue) {
        let atom = |&(fluent, weight): &(FluentId, f64)| (Atom::Fact(fluent), weight);
        let sum = Sum { constant: self.constant, weights: self.weights.iter().map(atom).collect() };
        let (sum, error) = sum.rounded();
        let fluent = |(atom, weight): &(Atom, f64)| match atom {
            Atom::Fact(fluent) => Some((*fluent, *weight)),
            _ => None,
        };
        let weights = sum.weights.iter().filter_map(fluent).collect();
        (LinearForm { constant: sum.constant, weights }, LaneValue::of(sum, error))
    }

    /// The fluents that have a weight.
    pub fn fluents(&self) -> impl Iterator<Item = FluentId> {
        self.weights.iter().map(|&(fluent, _)| fluent)
    }
}

/// A view of a machine that evaluates states: a cursor, and the facts of its state.
pub struct StateEvaluator<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    facts: Facts,
}

impl<'m> StateEvaluator<'m> {
    /// An evaluator at the initial state.
    pub fn new(machine: &'m dyn Machine) -> StateEvaluator<'m> {
        StateEvaluator { machine, cursor: machine.cursor(), facts: Facts::new(machine) }
    }

    /// Moves the cursor to a state, and returns the state with its view.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub fn at(&mut self, state: &State) -> Result<ValuedState<'_>, MachineError> {
        self.cursor.set(state)?;
        self.facts.fill(self.machine, state);
        Ok(ValuedState { facts: &self.facts, view: &*self.cursor })
    }

    /// Work done so far, see [`Cursor::work`].
    pub fn work(&self) -> u64 {
        self.cursor.work()
    }

    /// The facts of a state, for measures that need nothing else (see [`Measure::facts_suffice`]). The cursor does
    /// not move, so `view` still shows the previous state.
    pub fn facts_of(&mut self, state: &State) -> ValuedState<'_> {
        self.facts.fill(self.machine, state);
        ValuedState { facts: &self.facts, view: &*self.cursor }
    }
}
