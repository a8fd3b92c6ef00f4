//! State machines: initial state, legal moves, successor, terminal and goals. The trait [`Machine`] has two back ends: the
//! propositional network and the relational machine.
//!
//! - `load.rs` chooses the back end; `cost.rs` estimates the cost of random playouts on each.
//! - A [`Cursor`] steps from state to state; an [`Expander`] makes all children of a state.
//! - A [`StateView`] reads a state, of a cursor or of a batch.
//! - [`Machine::suits_lanes`] decides whether a game is played in lanes by default. All callers use it, so that they agree.
//! - [`Machine::clock`] gives the bits of a state that only count steps.

mod automata;
mod children;
mod clock;
mod compressed_rows;
mod cost;
mod expander;
mod expansion_limits;
mod goal_states;
pub mod lanes;
mod load;
mod network;
mod relational;
mod scalar_expander;

pub use children::{ChildFields, Children, JointMoves, MAX_JOINT_MOVES};
pub use clock::{Clock, fixed_bits};
pub use compressed_rows::CompressedRows;
pub use expander::Expander;
pub use expansion_limits::ExpansionLimits;
pub use goal_states::{GoalStatesError, goal_states};
pub use load::{Backend, LoadError, Loaded, load, load_evaluated};
pub use network::NetworkMachine;
pub use relational::{AppliedRules, RandomPlayBudget, RelationalMachine, RuleObserver};
pub use scalar_expander::ScalarExpander;

use std::sync::Arc;
use std::time::Duration;

use crate::catalog::grouped;
use crate::datalog::Growth;
use crate::gdl::Description;
use crate::gdl::symbol::{Symbol, Symbols};
use crate::gdl::term::{TermId, Terms};
use crate::ground::{EvaluatedRules, Network};

/// The number of a fluent in a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FluentId(pub u32);

/// The number of a move in a machine. Equal terms of different roles share a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveId(pub u32);

/// A state of one machine. Equal states are equal values. Only the machine can interpret the words; use
/// [`Machine::fluents`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub Box<[u64]>);

/// Why a machine can't evaluate a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// A state derives too many atoms, for example because the rules build ever larger terms.
    #[error(
        "one state derives more than {} atoms: {growth}; bind its arguments in the rule bodies that use it, and bound its terms",
        grouped(*.limit as u64)
    )]
    TooManyAtoms {
        /// The limit.
        limit: usize,
        /// The relation with most of these atoms.
        growth: Growth,
    },
    /// A state needs too many rows of joins.
    #[error(
        "one state reads more than {} rows in the rules of {growth}; bind the variables of their literals in earlier literals",
        grouped(*.limit)
    )]
    TooMuchWork {
        /// The limit.
        limit: u64,
        /// The largest relation of the rules that exceeded it.
        growth: Growth,
    },
    /// A term exceeds the maximum size.
    #[error(
        "the rules of `{relation}` derive a term of more than {} symbols; bound the growth of terms from state to state",
        grouped((*.limit).into())
    )]
    TermTooLarge {
        /// The limit.
        limit: u32,
        /// The relation, as `name/arity`.
        relation: String,
    },
    /// The states visited have more terms than fit into memory.
    #[error(
        "the states visited have more than {} terms; bound the growth of terms from state to state",
        grouped(*.limit as u64)
    )]
    TooManyTerms {
        /// The limit.
        limit: usize,
    },
    /// The children of a state exceed the memory limit.
    #[error("the successors of one state take more than {mebibytes} MiB")]
    ChildrenTooLarge {
        /// The limit.
        mebibytes: usize,
    },
    /// A state has more children than [`ExpansionLimits::children`] allows.
    #[error("a state has more than {most} successors")]
    TooManyChildren {
        /// The limit.
        most: usize,
    },
    /// The deadline or an interrupt came before all children of a state were computed.
    #[error("time was up before all successors of a state were computed")]
    Stopped {
        /// Whether it was an interrupt, not the deadline.
        interrupted: bool,
    },
    /// A state has too many joint moves.
    #[error("a state has more than {limit} joint moves")]
    TooManyJointMoves {
        /// The limit.
        limit: usize,
    },
}

impl MachineError {
    /// Whether the cause is the size of one state or its terms, so that other states of the game can still be evaluated.
    pub fn is_of_growth(&self) -> bool {
        match self {
            MachineError::TooManyAtoms { .. }
            | MachineError::TooMuchWork { .. }
            | MachineError::TermTooLarge { .. }
            | MachineError::TooManyTerms { .. } => true,
            MachineError::ChildrenTooLarge { .. }
            | MachineError::TooManyChildren { .. }
            | MachineError::Stopped { .. }
            | MachineError::TooManyJointMoves { .. } => false,
        }
    }
}

/// A game that can be played. Threads share it, and each plays through its own [`Cursor`].
pub trait Machine: Send + Sync {
    /// The rules with their evaluated static part, which all machines and functions of a game share.
    fn rules(&self) -> &Arc<EvaluatedRules>;

    /// The description of the game.
    fn description(&self) -> &Description {
        &self.rules().description
    }

    /// The name of the back end: `network` or `relational`.
    fn backend(&self) -> &'static str;

    /// The network of the game, if there is one. Its fluents and moves have the machine's numbers.
    fn network(&self) -> Option<&Network> {
        None
    }

    /// The machine itself, if it is the relational machine.
    fn relational(&self) -> Option<&RelationalMachine> {
        None
    }

    /// The clock of the game, if it has a network and a clock is proved. It is computed on first use.
    fn clock(&self) -> Option<&Clock> {
        None
    }

    /// The step, counted from the initial state, at which every playout has ended, if the game has a network and the bound
    /// follows without a search ([`Clock::longest_play`]). It is computed on first use.
    fn longest_play(&self) -> Option<u32> {
        None
    }

    /// The initial state.
    fn initial(&self) -> &State;

    /// A new cursor at the initial state.
    fn cursor(&self) -> Box<dyn Cursor + '_>;

    /// Whether playouts in lanes pay off: the game has a network that compiles fast enough. All code that plays at random or
    /// evaluates many states at once follows this answer, unless the user chose a back end.
    fn suits_lanes(&self) -> bool {
        false
    }

    /// The lane program if the game [suits lanes](Machine::suits_lanes), compiled on first use.
    fn lanes(&self) -> Option<&lanes::program::Program> {
        if self.suits_lanes() { self.program() } else { None }
    }

    /// The lane program of any game with a network, however large, for callers that request lanes explicitly.
    fn program(&self) -> Option<&lanes::program::Program> {
        None
    }

    /// The lane program if it is already compiled for given moves, which computing successors in lanes needs.
    fn lanes_for_moves(&self) -> Option<&lanes::program::Program> {
        None
    }

    /// Compiles the lanes for given moves if they suit the game and compiling is expected to take at most `within`. Call it
    /// before a clock starts if successors of many states will be computed.
    fn compile_for_moves(&self, _within: Duration) {}

    /// The machine's fastest expander.
    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ScalarExpander::new(self.cursor(), self.description().roles.len()))
    }

    /// Appends the fluents that hold in a state to `out`, in structural order of their terms (see
    /// [`Terms::compare`](crate::gdl::term::Terms::compare)).
    fn fluents(&self, state: &State, out: &mut Vec<FluentId>);

    /// A fluent as functor and arguments.
    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>);

    /// A move as functor and arguments.
    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>);

    /// A fluent as lower-case KIF.
    fn fluent_text(&self, fluent: FluentId) -> String;

    /// The fluent with this text, as written by [`Machine::fluent_text`]; none if the rules can't make it hold.
    fn fluent_named(&self, text: &str) -> Option<FluentId>;

    /// The state in which these fluents hold, together with those that hold in every reachable state. The state need not be
    /// reachable.
    fn state_of(&self, fluents: &[FluentId]) -> State;

    /// A move as lower-case KIF.
    fn move_text(&self, action: MoveId) -> String;

    /// A ground term of this machine as lower-case KIF. Terms that are not in the rules can occur in play.
    fn term_text(&self, term: TermId) -> String;
}

/// Reads one state: the current state of a [`Cursor`], or a state of a batch.
pub trait StateView {
    /// The state. [`Machine::fluents`] gives its fluents.
    fn state(&self) -> &State;

    /// The legal moves of a role (from 0), in structural order of their terms. All back ends give the same order.
    fn legal(&self, role: usize) -> &[MoveId];

    /// Whether the state is terminal.
    fn terminal(&self) -> bool;

    /// The goal values of a role, ascending: none, one or several.
    fn goals(&self, role: usize) -> &[i32];
}

/// One thread's position in a game, which can be set and advanced.
///
/// # Example
///
/// A random playout:
///
/// ```
/// # mod ggp { pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, MoveId, load};
/// use ggp::simulate::Choices;
///
/// let rules = read(&Source::load("games/nim.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &Limits::default())?;
/// let mut cursor = game.machine.cursor();
/// let mut choices = Choices::new(1, 0); // seed and number of the playout
/// let mut steps = 0;
/// while !cursor.terminal() {
///     let joint: Vec<MoveId> = (0..2)
///         .map(|role| {
///             let legal = cursor.legal(role);
///             legal[choices.below(legal.len())]
///         })
///         .collect();
///     cursor.advance(&joint)?;
///     steps += 1;
/// }
/// assert!(steps <= 16, "there are 16 pieces to take");
/// // The player that took the last piece has won.
/// assert_eq!(cursor.goals(0)[0] + cursor.goals(1)[0], 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Cursor: StateView + Send {
    /// Moves to a state of the same machine.
    ///
    /// # Errors
    /// [`MachineError`]: the state exceeds a limit.
    fn set(&mut self, state: &State) -> Result<(), MachineError>;

    /// Plays a joint move (one move per role, in role order) and moves to the successor. Every move must be a move of the
    /// machine, but need not be legal.
    ///
    /// # Errors
    /// [`MachineError`]: the successor exceeds a limit.
    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError>;

    /// Work of this cursor since it was created. The units (network size per position, tuples joined) depend only on the
    /// rules and the states, never on the clock.
    fn work(&self) -> u64;

    /// Starts counting for [`touched`](Cursor::touched).
    fn count_touched(&mut self) {}

    /// Cost of the steps since [`count_touched`](Cursor::count_touched): nodes that changed and the gates that were
    /// notified, or rows that joins read. On a network it depends on the state at which each step began.
    fn touched(&self) -> u64 {
        self.work()
    }
}

/// `functor` applied to ground terms, as lower-case KIF.
fn application_text(symbols: &Symbols, terms: &Terms, functor: Symbol, arguments: &[TermId]) -> String {
    if arguments.is_empty() {
        return symbols.name(functor).to_owned();
    }
    let mut out = format!("({}", symbols.name(functor));
    for &argument in arguments {
        out.push(' ');
        terms.write(argument, symbols, &mut out);
    }
    out.push(')');
    out
}
