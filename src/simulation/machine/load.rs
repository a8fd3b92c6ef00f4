//! Chooses the machine for a description: the network if grounding stays within its limits and pays off, else the relational
//! machine. `cost.rs` estimates the cost of random playouts on each machine; [`Limits`] limits grounding.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Machine;
use super::cost::{self, PlayoutCost};
use super::lanes::machine::LanesMachine;
use super::network::NetworkMachine;
use super::relational::RelationalMachine;
use crate::gdl::Description;
use crate::ground::{EvaluatedRules, Exceeded, GroundedGame, Limits, StaticFacts, ground_if_cheaper};

/// The back end to run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The network, or the relational machine if grounding exceeds its limits or would make playouts slower.
    #[default]
    Auto,
    /// The network.
    Network,
    /// The lanes of the network, with all lanes in the same state. This is slow and serves to compare lanes with recordings.
    Lanes,
    /// The relational machine.
    Relational,
}

/// A loaded game.
pub struct Loaded {
    /// The machine.
    pub machine: Box<dyn Machine>,
    /// The static facts of the rules.
    pub statics: Arc<StaticFacts>,
    /// The grounded game, if it runs on its network.
    pub grounded: Option<Arc<GroundedGame>>,
    /// Why the game does not run on its network, if the back end was [`Backend::Auto`].
    pub fallback: Option<Exceeded>,
    /// What was omitted for lack of memory: the network or the lanes.
    pub left_out: Option<String>,
}

/// Why a game can't be loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// The caller interrupted loading.
    #[error("loading was interrupted")]
    Interrupted,
    /// The static rules alone exceed the limits, so no machine can run the game.
    #[error("the rules that do not depend on the state can't be evaluated: {0}")]
    Statics(Exceeded),
    /// The network was requested, but grounding exceeds its limits.
    #[error(
        "grounding failed: {0}; run the game with `--backend relational`, or raise `--ground-limit` or `--ground-seconds`"
    )]
    Grounding(Exceeded),
    /// The initial state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] super::MachineError),
}

impl LoadError {
    /// The error for an exceeded limit; the caller's interrupt is reported as such.
    fn or_interrupted(exceeded: Exceeded, otherwise: fn(Exceeded) -> LoadError) -> LoadError {
        match exceeded {
            Exceeded::Interrupted => LoadError::Interrupted,
            exceeded => otherwise(exceeded),
        }
    }
}

/// Loads a game.
///
/// # Example
///
/// A game runs on its propositional network, or on its rules if the network would exceed the limits:
///
/// ```
/// # mod ggp { pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, load};
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules.clone(), Backend::Auto, &Limits::default())?;
/// assert_eq!(game.machine.backend(), "network");
///
/// let few = Limits { atoms: 100, ..Limits::default() };
/// let game = load(rules, Backend::Auto, &few)?;
/// assert_eq!(game.machine.backend(), "relational");
/// let reason = game.fallback.expect("the network is too large").to_string();
/// assert!(reason.starts_with("more than 100 atoms can be derived: `"), "{reason}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LoadError`]: a limit is exceeded and no other back end is allowed.
pub fn load(description: Description, backend: Backend, limits: &Limits) -> Result<Loaded, LoadError> {
    let rules = EvaluatedRules::new(Arc::new(description), limits)
        .map_err(|exceeded| LoadError::or_interrupted(exceeded, LoadError::Statics))?;
    load_evaluated(&rules, backend, limits)
}

/// Loads a game whose static rules are evaluated already; several machines of a game can share them.
///
/// # Errors
/// [`LoadError`]: a limit is exceeded and no other back end is allowed.
pub fn load_evaluated(
    rules: &Arc<EvaluatedRules>,
    backend: Backend,
    limits: &Limits,
) -> Result<Loaded, LoadError> {
    let statics = rules.statics.clone();
    // Created and sampled only if the cost is needed.
    let (relational, costs) = (OnceCell::new(), OnceCell::new());
    let made = || RelationalMachine::new(rules.clone(), limits.bytes);
    let cost = || {
        let machine = relational.get_or_init(made);
        *costs.get_or_init(|| machine.as_ref().ok().and_then(cost::estimate))
    };
    // A network must contain all terms that can occur, so it is impossible if terms grow.
    let grow = || matches!(relational.get(), Some(Ok(machine)) if machine.terms_grow());
    let worth = || match backend {
        Backend::Auto => match cost().map(PlayoutCost::max_grounding_rows) {
            _ if grow() => Some(0),
            rows => rows,
        },
        _ => None,
    };
    let fallback = match backend {
        Backend::Relational => None,
        Backend::Auto | Backend::Network | Backend::Lanes => match ground_if_cheaper(rules, limits, &worth) {
            Ok(grounded) if matches!(costs.get(), Some(Some(cost)) if cost.is_less_than_with(&grounded.network)) => {
                Some(Exceeded::Slower)
            }
            Ok(grounded) => {
                let grounded = Arc::new(grounded);
                let network = NetworkMachine::interruptible(grounded.clone(), &limits.interrupt)
                    .with_lanes_up_to(cost::max_gates_for_time(limits.seconds));
                let fitting = cost::max_gates_for_memory(limits.bytes);
                let too_large = network.suits_lanes() && grounded.network.two_input_gates() > fitting;
                let left_out = too_large.then(|| {
                    format!("lanes need more than {} MiB, so games are played one by one", limits.bytes >> 20)
                });
                let network = if too_large { network.with_lanes_up_to(fitting) } else { network };

                let machine: Box<dyn Machine> = match backend {
                    Backend::Lanes => Box::new(LanesMachine::new(network)),
                    _ => Box::new(network),
                };
                return Ok(Loaded { machine, statics, grounded: Some(grounded), fallback: None, left_out });
            }
            Err(exceeded) if backend == Backend::Auto && exceeded != Exceeded::Interrupted => Some(exceeded),
            Err(exceeded) => return Err(LoadError::or_interrupted(exceeded, LoadError::Grounding)),
        },
    };
    let machine = relational.into_inner().unwrap_or_else(made)?;
    let out_of_memory = |exceeded: &&Exceeded| matches!(exceeded.limit(), Exceeded::Bytes(_));
    let left_out =
        fallback.as_ref().filter(out_of_memory).map(|reason| format!("{reason}, so there is no network"));
    Ok(Loaded { machine: Box::new(machine), statics, grounded: None, fallback, left_out })
}
