//! State machines: initial state, legal moves, successor, terminal and goals, behind one trait with two back
//! ends, the propositional network and the relational machine.
//!
//! - `load.rs` chooses the back end; `cost.rs` estimates what random playouts cost on each.
//! - A [`Cursor`] steps from state to state; an [`Expander`] makes all children of a state.
//! - A [`StateView`] reads a state, whether a cursor is there or it is one of a batch.
//! - [`Machine::suits_lanes`] decides whether a game is played in lanes by default. All callers ask it, so that
//!   they agree.
//! - [`Machine::clock`] gives the bits of a state that only count steps.

mod automata;
mod children;
mod clock;
mod compressed_rows;
mod cost;
mod expander;
mod goal_states;
pub mod lanes;
mod load;
mod network;
mod relational;
mod scalar_expander;
mod until;

pub use children::{ChildFields, Children, JointMoves, MOST_JOINT_MOVES};
pub use clock::Clock;
pub use compressed_rows::CompressedRows;
pub use expander::Expander;
pub use goal_states::{NoGoalStates, goal_states};
pub use load::{Backend, LoadError, Loaded, load, load_evaluated};
pub use network::NetworkMachine;
pub use relational::{RelationalMachine, RulePlay, RulesApplied};
pub use scalar_expander::ScalarExpander;
pub use until::Until;

use std::sync::Arc;
use std::time::Duration;

use crate::datalog::Growth;
use crate::gdl::Description;
use crate::gdl::symbol::{Symbol, Symbols};
use crate::gdl::term::{TermId, Terms};
use crate::ground::{EvaluatedRules, Network};

/// A fluent of a machine, by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FluentId(pub u32);

/// A move of a machine, by its number there. Moves of different roles with the same term share a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveId(pub u32);

/// A state of one machine: equal states are equal values. What the words mean is the machine's own affair;
/// ask [`Machine::fluents`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub Box<[u64]>);

/// Why a machine could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// A derivation passed its budget, as rules that make ever larger terms do.
    #[error(
        "the rules derive more than {limit} atoms in one state: {growth}; bind its arguments before it is asked for, and see that its terms don't grow"
    )]
    TooManyAtoms {
        /// The budget.
        limit: usize,
        /// The relation that has most of them.
        growth: Growth,
    },
    /// A derivation looks at more rows than its budget allows.
    #[error(
        "deriving one state looks at more than {limit} rows, in the rules of {growth}; bind the variables of their literals by others before them"
    )]
    TooMuchWork {
        /// The budget.
        limit: u64,
        /// The largest relation of the rules that passed it.
        growth: Growth,
    },
    /// A term grew beyond its budget.
    #[error(
        "the rules of `{relation}` derive a term of more than {limit} symbols; bound how far terms grow from state to state"
    )]
    TermTooLarge {
        /// The budget.
        limit: u32,
        /// The relation, as `name/arity`.
        relation: String,
    },
    /// Play brought up more terms than there is memory for.
    #[error("the states seen have more than {limit} terms; bound how far terms grow from state to state")]
    TooManyTerms {
        /// The budget.
        limit: usize,
    },
    /// The children of a state take too much memory.
    #[error("the successors of a state take more than {mebibytes} MiB")]
    ChildrenTooLarge {
        /// What they may take.
        mebibytes: usize,
    },
    /// A state has more children than were wanted.
    #[error("a state has more than {most} successors")]
    TooManyChildren {
        /// Children that were wanted.
        most: usize,
    },
    /// It was time to stop before all children of a state were made.
    #[error("the time was over before all successors of a state were known")]
    Stopped {
        /// By an interrupt, not by the clock.
        interrupted: bool,
    },
    /// A state has too many joint moves to list.
    #[error("a state has more than {limit} joint moves")]
    TooManyJointMoves {
        /// The most listed.
        limit: usize,
    },
}

impl MachineError {
    /// Whether a state, or its terms, outgrew a budget: others of the game can still be evaluated.
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

/// A game that can be played: shared between threads, each of which steps it through a [`Cursor`] of its own.
pub trait Machine: Send + Sync {
    /// The rules behind it, their static part evaluated: once, however many machines and functions are made from them.
    fn rules(&self) -> &Arc<EvaluatedRules>;

    /// The rules as they are described.
    fn description(&self) -> &Description {
        &self.rules().description
    }

    /// Which back end this is: `network` or `relational`.
    fn backend(&self) -> &'static str;

    /// The network of the game, where it has one; fluents and moves have its numbers.
    fn network(&self) -> Option<&Network> {
        None
    }

    /// The machine itself, where it runs on the rules as they stand.
    fn relational(&self) -> Option<&RelationalMachine> {
        None
    }

    /// The clock of the game, where it has a network and a clock is proved; found when first asked for.
    fn clock(&self) -> Option<&Clock> {
        None
    }

    /// The step, counted from the initial state, at which every play ends that hasn't ended before, where the game has
    /// a network that tells it without a search ([`Clock::longest_play`]); found when first asked for.
    fn longest_play(&self) -> Option<u32> {
        None
    }

    /// The initial state.
    fn initial(&self) -> &State;

    /// A new view of the game, standing at the initial state.
    fn cursor(&self) -> Box<dyn Cursor + '_>;

    /// Whether playouts in lanes are worth it here: the game has a network, and one that compiles fast enough.
    /// Everything that plays at random or looks at many states at once goes by this answer, unless the user named
    /// a back end.
    fn suits_lanes(&self) -> bool {
        false
    }

    /// The program for playouts in lanes where the game [suits them](Machine::suits_lanes), made when first asked for.
    fn lanes(&self) -> Option<&lanes::program::Program> {
        if self.suits_lanes() { self.program() } else { None }
    }

    /// The program for playouts in lanes of any game with a network, however large: for those who ask for lanes by
    /// name.
    fn program(&self) -> Option<&lanes::program::Program> {
        None
    }

    /// The program for lanes, where it is compiled for given moves: whoever looks at successors in lanes has had that done.
    fn lanes_for_moves(&self) -> Option<&lanes::program::Program> {
        None
    }

    /// Compiles the lanes for given moves, where they suit the game and that is likely to take no longer than this: for those
    /// who will look at the successors of many states, before a clock runs.
    fn compile_for_moves(&self, _within: Duration) {}

    /// A way to look at many successors at once, the fastest one that the machine has.
    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ScalarExpander::new(self.cursor(), self.description().roles.len()))
    }

    /// The fluents that hold in a state, in structural order of their terms (see
    /// [`Terms::compare`](crate::gdl::term::Terms::compare)), appended to `out`.
    fn fluents(&self, state: &State, out: &mut Vec<FluentId>);

    /// A fluent as a functor with its argument terms.
    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>);

    /// A move as a functor with its argument terms.
    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>);

    /// A fluent as lower-case KIF.
    fn fluent_text(&self, fluent: FluentId) -> String;

    /// The fluent with a text, as [`Machine::fluent_text`] writes it; none where the rules can't make it hold.
    fn fluent_named(&self, text: &str) -> Option<FluentId>;

    /// The state in which these fluents of the machine hold, and those that hold in every state that can be reached.
    /// Whether it can be reached itself is not asked.
    fn state_of(&self, fluents: &[FluentId]) -> State;

    /// A move as lower-case KIF.
    fn move_text(&self, action: MoveId) -> String;

    /// A ground term of this machine as lower-case KIF (terms that are not in the text can come up in play).
    fn term_text(&self, term: TermId) -> String;
}

/// What the rules say of one state, for reading: what a [`Cursor`] shows of the state that it stands at, and what
/// batches of states show of each.
pub trait StateView {
    /// The state; its fluents are told by [`Machine::fluents`].
    fn state(&self) -> &State;

    /// The legal moves of a role (counted from 0) here, in structural order of their terms; every back end
    /// gives the same order.
    fn legal(&self, role: usize) -> &[MoveId];

    /// Whether the state is terminal.
    fn terminal(&self) -> bool;

    /// The goal values of a role that hold here, ascending: none, one or several.
    fn goals(&self, role: usize) -> &[i32];
}

/// One thread's view of a game, standing at a state, from which it can go on.
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
/// // Whoever took the last piece has won.
/// assert_eq!(cursor.goals(0)[0] + cursor.goals(1)[0], 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Cursor: StateView + Send {
    /// Goes to a state of the same machine.
    ///
    /// # Errors
    /// The rules pass a budget in this state.
    fn set(&mut self, state: &State) -> Result<(), MachineError>;

    /// Plays a joint move, one a role in role order, and stands at the successor. The moves need not be
    /// legal, only known.
    ///
    /// # Errors
    /// The rules pass a budget in the successor.
    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError>;

    /// Work done by this cursor since it was made, in units that depend on the rules and the states alone
    /// (the size of the network a position, tuples joined), never on the clock.
    fn work(&self) -> u64;

    /// From now on the cursor counts what [`touched`](Cursor::touched) tells.
    fn count_touched(&mut self) {}

    /// What the steps of this cursor took to make since [`count_touched`](Cursor::count_touched): nodes that changed with
    /// the gates that were told, or rows that joins looked at. On a network it depends on the state that each began at.
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
