//! What values a state: the contract between features, evaluation functions and those who ask for values.
//!
//! [`Measure::reads`] names the fluents that a value depends on, so that a search may leave the game's clock
//! out of its tables. [`Measure::begin`] reports the state where a search begins, for functions that compare
//! with it ([`Spec::is_since_root`](super::Spec::is_since_root)).

use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{Cursor, FluentId, Machine, MachineError, State, StateView};

use super::facts::Facts;

/// A state to be valued.
#[derive(Clone, Copy)]
pub struct ValuedState<'a> {
    /// The facts of the state.
    pub facts: &'a Facts,
    /// What the facts don't tell: legal moves, the end, goal values.
    pub view: &'a dyn StateView,
}

/// A feature or an evaluation function made ready for one machine.
///
/// A value depends on the state alone, not on what was valued before, and for a few on the state from which a search began;
/// `&mut` is for caches. A measure of your own needs [`value`](Measure::value) alone; its unit is free, and a higher value is
/// better for the role that it is used for.
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

    /// A search begins from a state, whose facts these are. Whether values may be other ones from now on.
    fn begin(&mut self, _root: &Facts) -> bool {
        false
    }

    /// Whether the facts alone tell the value, so that nobody need stand at the state to ask for it.
    fn facts_suffice(&self) -> bool {
        self.linear().is_some()
    }

    /// Work of all values so far that depends on the states, in the units of
    /// [`Cursor::work`](crate::machine::Cursor::work); 0 where a value always takes much the same.
    fn work(&self) -> u64 {
        0
    }

    /// All fluents that the value depends on, but for what legal moves tell, which it may depend on, too: in states with
    /// the same legal moves that agree in these fluents it is the same. They come in no order, some perhaps twice or in
    /// vain; none where they can't be told, as off the network.
    fn reads(&mut self) -> Option<Vec<FluentId>> {
        None
    }

    /// The function in the form that lanes compute, on a network; none if they can't compute it.
    fn quantize(&self) -> Option<Quantized<'m>> {
        None
    }

    /// The same value as a sum over facts, where it is one and the fluents are numbered once and for all, as on a
    /// network.
    fn linear(&self) -> Option<&Linear> {
        None
    }
}

/// A measure in the form that lanes compute. Lanes need rounded weights; both parts have the same ones.
pub struct Quantized<'m> {
    /// The measure with rounded weights: its values are those of lanes, bit for bit. By how much they may differ from those
    /// of the measure that was quantized says [`LaneValue::error`].
    pub measure: Box<dyn Measure<'m> + 'm>,
    /// What lanes compute.
    pub lanes: LaneValue,
}

/// A sum over the facts of a state: `constant` and the weight of every fluent that holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// The value where no weighed fluent holds.
    pub constant: f64,
    /// Fluents with their weights, by ascending number, each once, none of weight 0.
    pub weights: Vec<(FluentId, f64)>,
}

impl Linear {
    /// The sum with weights rounded as lanes need them, and what lanes compute.
    pub fn quantized(&self) -> (Linear, LaneValue) {
        let atom = |&(fluent, weight): &(FluentId, f64)| (Atom::Fact(fluent), weight);
        let sum = Sum { constant: self.constant, weights: self.weights.iter().map(atom).collect() };
        let (sum, error) = sum.rounded();
        let fluent = |(atom, weight): &(Atom, f64)| match atom {
            Atom::Fact(fluent) => Some((*fluent, *weight)),
            _ => None,
        };
        let weights = sum.weights.iter().filter_map(fluent).collect();
        (Linear { constant: sum.constant, weights }, LaneValue::of(sum, error))
    }

    /// The fluents that are weighed.
    pub fn fluents(&self) -> impl Iterator<Item = FluentId> {
        self.weights.iter().map(|&(fluent, _)| fluent)
    }
}

/// A view of a machine from which states are valued: a cursor and the facts where it stands.
pub struct StateEvaluator<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    facts: Facts,
}

impl<'m> StateEvaluator<'m> {
    /// A seat at the initial state.
    pub fn new(machine: &'m dyn Machine) -> StateEvaluator<'m> {
        StateEvaluator { machine, cursor: machine.cursor(), facts: Facts::new(machine) }
    }

    /// Goes to a state and gives its position.
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

    /// The position of a state for what asks for its facts alone (see [`Measure::facts_suffice`]): the view stays
    /// where it was.
    pub fn facts_of(&mut self, state: &State) -> ValuedState<'_> {
        self.facts.fill(self.machine, state);
        ValuedState { facts: &self.facts, view: &*self.cursor }
    }
}
