//! From a description to a propositional network: the rules are instantiated once, over the atoms that can be
//! reached. Knows nothing of how a state is stored.

mod build;
mod circuit;
mod dot;
mod exclusive;
mod fold;
mod frozen;
pub mod network;
mod order;
pub(crate) mod program;
mod project;
mod relax;
mod statics;

use std::sync::Arc;
use std::time::Instant;

pub use circuit::Lit;
pub use dot::dot;
pub use network::Network;
pub use statics::StaticFacts;

pub use crate::datalog::{Exceeded, Guard, Interrupt, Limits};
use crate::gdl::Description;
use crate::gdl::term::Terms;
use program::GameProgram;

/// A stage of grounding and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What was done.
    pub name: &'static str,
    /// Seconds of wall-clock time.
    pub seconds: f64,
}

/// What grounding counted, a name and a number each.
pub type Metrics = Vec<(&'static str, u64)>;

/// A grounded game.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// The rules.
    pub description: Arc<Description>,
    /// The ground terms of the text and of grounding.
    pub terms: Terms,
    /// The network.
    pub network: Network,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// The counts, in order.
    pub metrics: Metrics,
}

/// The facts of all static relations of a description.
///
/// # Errors
/// A budget is passed.
pub fn static_facts(description: &Description, limits: &Limits) -> Result<StaticFacts, Exceeded> {
    Ok(prepare(description, limits)?.1)
}

/// The program of a description, and its static facts.
pub(crate) fn prepare(
    description: &Description,
    limits: &Limits,
) -> Result<(GameProgram, StaticFacts), Exceeded> {
    let mut program = GameProgram::new(description);
    let statics = StaticFacts::new(&mut program, &description.terms, &Guard::start(limits))?;
    Ok((program, statics))
}

/// Grounds a description.
///
/// # Errors
/// A budget is passed; the relational machine can still run the game.
pub fn ground(description: &Arc<Description>, limits: &Limits) -> Result<Grounded, Exceeded> {
    let guard = Guard::start(limits);
    let mut stages = Vec::new();
    let mut metrics = Metrics::new();
    let mut clock = Instant::now();
    let mut done = |name: &'static str, stages: &mut Vec<Stage>| {
        stages.push(Stage { name, seconds: clock.elapsed().as_secs_f64() });
        clock = Instant::now();
    };

    let mut program = GameProgram::new(description);
    metrics.push(("rules", description.rules.len() as u64));
    metrics.push(("clauses", program.rules.clauses.len() as u64));
    metrics.push(("relations", program.relations.len() as u64));
    done("split rules", &mut stages);

    let statics = StaticFacts::new(&mut program, &description.terms, &guard)?;
    metrics.push(("static facts", statics.tables.iter().map(|table| u64::from(table.len())).sum()));
    done("static facts", &mut stages);

    let instances = relax::instantiate(&program, statics, &description.roles, &guard)?;
    metrics.push(("reachable atoms", instances.atoms.len() as u64));
    metrics.push(("rule instances", instances.len() as u64));
    done("instantiate", &mut stages);

    let built = build::build(&program, &instances, &description.roles, &description.symbols, &guard)?;
    metrics.push(("gates before folding", built.circuit.len() as u64));
    done("build gates", &mut stages);

    let network = Network::new(&built, description.roles.len(), &instances.terms);
    guard.time()?;
    metrics.push(("fluents", network.fluents.len() as u64));
    metrics.push(("state bits", network.bits.len() as u64));
    metrics.push(("moves", network.moves.iter().map(|moves| moves.len() as u64).sum()));
    metrics.push(("gates", network.gates() as u64));
    metrics.push(("two-input gates", network.two_input_gates() as u64));
    metrics.push((
        "loops",
        network.segments.iter().filter(|s| matches!(s, network::Segment::Loop { .. })).count() as u64,
    ));
    done("fold constants and order", &mut stages);

    Ok(Grounded { description: description.clone(), terms: instances.terms, network, stages, metrics })
}
