//! Choosing a machine for a description: its network where grounding stays within its budget and is worth it, else
//! the relational machine. `cost.rs` estimates what random playouts cost on each machine; [`Limits`] is the
//! budget of grounding.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Machine;
use super::cost::{self, Playouts};
use super::lanes::machine::LanesMachine;
use super::network::NetworkMachine;
use super::relational::RelationalMachine;
use crate::gdl::Description;
use crate::ground::{EvaluatedRules, Exceeded, Grounded, Limits, StaticFacts, ground_if_worth};

/// Which back end to run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The network, or the relational machine when grounding passes its budget.
    #[default]
    Auto,
    /// The network.
    Network,
    /// The lanes of the network, all at the same state: slower, to compare them with recordings.
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
    /// The grounded game, when it runs on its network.
    pub grounded: Option<Arc<Grounded>>,
    /// Why the game does not run on its network though that was wanted or allowed.
    pub fallback: Option<Exceeded>,
    /// What was done without, for want of memory: the network, or lanes.
    pub left_out: Option<String>,
}

/// Why a game could not be loaded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// The caller broke it off.
    #[error("the game was not loaded: it was interrupted")]
    Interrupted,
    /// The static rules alone pass the budget: no machine can run them.
    #[error("the rules that hold in every state can't be evaluated: {0}")]
    Statics(Exceeded),
    /// The network was asked for and can't be had.
    #[error(
        "grounding failed: {0}; run the game with `--backend relational`, or raise `--ground-limit` or `--ground-seconds`"
    )]
    Grounding(Exceeded),
    /// The initial state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] super::MachineError),
}

impl LoadError {
    /// What it means that a budget was passed: the caller's interrupt is one of them.
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
/// A game runs on its propositional network, or on its rules where that would pass the limits:
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
/// A budget is passed where there is nothing to fall back on.
pub fn load(description: Description, backend: Backend, limits: &Limits) -> Result<Loaded, LoadError> {
    let rules = EvaluatedRules::new(Arc::new(description), limits)
        .map_err(|exceeded| LoadError::or_interrupted(exceeded, LoadError::Statics))?;
    load_evaluated(&rules, backend, limits)
}

/// Loads a game whose static rules are evaluated; several machines of one game share them.
///
/// # Errors
/// A budget is passed where there is nothing to fall back on.
pub fn load_evaluated(
    rules: &Arc<EvaluatedRules>,
    backend: Backend,
    limits: &Limits,
) -> Result<Loaded, LoadError> {
    let statics = rules.statics.clone();
    // Made, and played a little, where it is asked what its playouts cost.
    let (relational, costs) = (OnceCell::new(), OnceCell::new());
    let made = || RelationalMachine::new(rules.clone(), limits.bytes);
    let cost = || {
        let machine = relational.get_or_init(made);
        *costs.get_or_init(|| machine.as_ref().ok().and_then(cost::playouts))
    };
    // A network has all terms that play could ever make.
    let grow = || matches!(relational.get(), Some(Ok(machine)) if machine.terms_grow());
    let worth = || match backend {
        Backend::Auto => match cost().map(Playouts::rows_worth_grounding) {
            _ if grow() => Some(0),
            rows => rows,
        },
        _ => None,
    };
    let fallback = match backend {
        Backend::Relational => None,
        Backend::Auto | Backend::Network | Backend::Lanes => match ground_if_worth(rules, limits, &worth) {
            Ok(grounded) if matches!(costs.get(), Some(Some(cost)) if cost.is_less_than_with(&grounded.network)) => {
                Some(Exceeded::Slower)
            }
            Ok(grounded) => {
                let grounded = Arc::new(grounded);
                let network = NetworkMachine::interruptible(grounded.clone(), &limits.interrupt)
                    .with_lanes_up_to(cost::gates_made_within(limits.seconds));
                let fitting = cost::gates_made_in(limits.bytes);
                let too_large = network.suits_lanes() && grounded.network.two_input_gates() > fitting;
                let left_out = too_large.then(|| {
                    format!(
                        "playing in lanes needs more than {} MiB: games are played singly",
                        limits.bytes >> 20
                    )
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
        fallback.as_ref().filter(out_of_memory).map(|reason| format!("{reason}: there is no network"));
    Ok(Loaded { machine: Box::new(machine), statics, grounded: None, fallback, left_out })
}
