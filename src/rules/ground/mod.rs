//! Grounding: instantiates the rules of a description over its reachable atoms, and builds a propositional network. The room
//! does not depend on how states are stored.

mod build;
mod circuit;
mod dot;
mod exclusive;
mod fold;
mod frozen;
mod gate_order;
mod lay_out;
pub mod network;
mod order;
pub mod parts;
pub mod program;
mod project;
mod relax;
mod statics;
pub mod symmetry;
mod translate;

use std::sync::Arc;
use std::time::Instant;

pub use circuit::Lit;
pub use dot::dot;
pub use network::Network;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use statics::EVALUATIONS;
pub use statics::{EvaluatedRules, StaticFacts};

pub use crate::datalog::{Exceeded, Guard, Interrupt, Interrupted, Limits, MOST_SYMBOLS};
use crate::gdl::Description;
use crate::gdl::term::Terms;

/// A stage of grounding with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The name of the stage.
    pub name: &'static str,
    /// Seconds of wall-clock time.
    pub seconds: f64,
}

/// Counts of grounding, by name.
pub type Metrics = Vec<(&'static str, u64)>;

/// A grounded game.
#[derive(Clone, Debug)]
pub struct GroundedGame {
    /// The rules, with their static relations evaluated.
    pub rules: Arc<EvaluatedRules>,
    /// The description that was grounded.
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

/// Grounds a description.
///
/// # Errors
/// A limit is exceeded. The relational machine can still play the game.
pub fn ground(description: &Arc<Description>, limits: &Limits) -> Result<GroundedGame, Exceeded> {
    ground_evaluated(&EvaluatedRules::new(description.clone(), limits)?, limits)
}

/// Grounds rules whose static relations are evaluated. The time of that evaluation counts towards the limit.
///
/// # Errors
/// A limit is exceeded. The relational machine can still play the game.
pub fn ground_evaluated(rules: &Arc<EvaluatedRules>, limits: &Limits) -> Result<GroundedGame, Exceeded> {
    ground_if_cheaper(rules, limits, &|| None)
}

/// [`ground_evaluated`] with a limit on work for large games. `work_limit` returns the maximum number of rows that
/// joins may examine. It is called only if the rules have many instances.
///
/// # Errors
/// A limit is exceeded, or grounding costs more than `work_limit`.
pub fn ground_if_cheaper(
    rules: &Arc<EvaluatedRules>,
    limits: &Limits,
    work_limit: &dyn Fn() -> Option<u64>,
) -> Result<GroundedGame, Exceeded> {
    let guard = Guard::started(limits, rules.time);
    let EvaluatedRules { description, program, .. } = &**rules;
    let (mut stages, mut metrics) = (rules.stages.clone(), rules.metrics.clone());
    let mut clock = Instant::now();
    let mut end_stage = |name: &'static str, stages: &mut Vec<Stage>| {
        stages.push(Stage { name, seconds: clock.elapsed().as_secs_f64() });
        clock = Instant::now();
    };

    let (instances, smaller) = instances(rules, &guard, work_limit)?;
    let program = smaller.as_ref().unwrap_or(program);
    metrics.push(("reachable atoms", instances.atoms.len() as u64));
    metrics.push(("rule instances", instances.len() as u64));
    end_stage("instantiate", &mut stages);

    let built = build::build(program, &instances, &description.roles, &description.symbols, &guard)?;
    metrics.push(("gates before folding", built.circuit.len() as u64));
    end_stage("build gates", &mut stages);

    let network = lay_out::lay_out(&built, description.roles.len(), &instances.terms);
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
    end_stage("fold constants and order", &mut stages);

    let (rules, description) = (rules.clone(), description.clone());
    Ok(GroundedGame { rules, description, terms: instances.terms, network, stages, metrics })
}

/// If more atoms than this are reachable, deriving large relations on demand is tried.
const LARGE_ATOMS: usize = 150_000;
/// If the rules have more instances than this, deriving large relations on demand is tried.
const LARGE_INSTANCES: usize = 500_000;

/// Rows of a relation beyond which it is derived on demand, unless it belongs to the state or to moves.
const LARGE_RELATION: u32 = 10_000;

/// The instances of the rules. If there are many, large relations are derived on demand; then the rewritten program is
/// returned as well.
fn instances(
    rules: &EvaluatedRules,
    guard: &Guard,
    work_limit: &dyn Fn() -> Option<u64>,
) -> Result<(relax::Instances, Option<program::GameProgram>), Exceeded> {
    let EvaluatedRules { description, statics, program, .. } = rules;
    let instantiate = |program: &program::GameProgram, guard: &Guard| {
        relax::instantiate(program, statics, &description.roles, guard)
    };
    let small_guard = guard.with_atoms(LARGE_ATOMS).with_instances(LARGE_INSTANCES);
    let mut large = program::LargeRelations::new(program, LARGE_RELATION);
    let mut smaller: Option<program::GameProgram> = None;
    loop {
        match instantiate(smaller.as_ref().unwrap_or(program), &small_guard) {
            Ok(instances) => return Ok((instances, smaller)),
            Err(relax::LimitExceeded { rows, .. }) => {
                guard.time()?;
                let Some(still_smaller) = large.avoided(&rows) else { break };
                smaller = Some(still_smaller);
            }
        }
    }
    let work_guard = work_limit().map_or_else(|| guard.clone(), |rows| guard.with_more_work(rows));
    let instances = instantiate(smaller.as_ref().unwrap_or(program), &work_guard);
    match instances {
        Ok(instances) => Ok((instances, smaller)),
        Err(passed) => Err(match passed.exceeded {
            Exceeded::Work(limit) if limit < guard.work_limit() => Exceeded::Slower,
            exceeded => exceeded.grown(|| {
                let program = smaller.as_ref().unwrap_or(program);
                let dynamic = program.rules.relations().filter(|&relation| !program.is_static(relation));
                program.growth(
                    dynamic,
                    |relation| u64::from(passed.rows[relation.index()]),
                    &description.symbols,
                )
            }),
        }),
    }
}
