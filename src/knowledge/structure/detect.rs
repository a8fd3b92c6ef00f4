//! Runs all detectors in order.

use crate::ground::{Interrupt, Interrupted, StaticFacts};
use crate::machine::Machine;
use crate::simulate::{Budget, Context, SimulateError, Statistics};

use super::detector::{Detector, Game};
use super::finding::{Coverage, Structures};
use super::findings::Findings;
use super::fluent_relations::FluentRelations;
use super::fluents::FactTable;
use super::gather::gather;
use super::moves::MoveCount;
use super::registry::DETECTORS;
use super::samples::{Samples, Target};
use super::steered_playouts;

/// Errors of detection.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// Finds the structures of a game, with as many playouts as the budget allows. Returns the statistics of
/// these playouts too.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_knowledge::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, load};
/// use ggp::simulate::{Budget, Context};
/// use ggp::structure::detect;
/// use ggp::structure::finding::FluentKind;
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &Limits::default())?;
/// let budget = Budget { playouts: 200, ..Budget::default() };
/// let (structures, _) = detect(&*game.machine, &game.statics, &budget, &Context::default())?;
/// assert!(structures.zero_sum);
/// let board = structures.fluents.iter().find(|fluent| fluent.kind == FluentKind::Board).expect("it has one");
/// // Every finding has its evidence.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Nothing could be played.
pub fn detect(
    machine: &dyn Machine,
    statics: &StaticFacts,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<(Structures, Statistics), DetectError> {
    let Detection { structures, statistics, .. } =
        detect_with(DETECTORS, &Game { machine, statics }, budget, context)?;
    Ok((structures, statistics))
}

/// The result of running detectors.
pub struct Detection {
    /// The structures of the game.
    pub structures: Structures,
    /// Statistics of the playouts.
    pub statistics: Statistics,
    /// Names of the detectors that an interrupt prevented from running.
    pub left_out: Vec<&'static str>,
}

/// Runs the given detectors in their order.
///
/// # Errors
/// Nothing could be played.
pub fn detect_with(
    detectors: &[&dyn Detector],
    game: &Game<'_>,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Detection, DetectError> {
    let relations = FluentRelations::new(game.description());
    let mut findings = Findings::new(game.description());
    for detector in detectors {
        detector.read_rules(game, &mut findings);
    }
    findings.end_rules();
    let (statistics, mut samples) = gather(game.machine, &relations, budget, context)?;
    let interrupt = Interrupt::of(context.interrupt);
    let mut left_out = run_detectors(detectors, game, &relations, &samples, &mut findings, &interrupt);
    let targets = targets(&findings, &samples);
    if !targets.is_empty() && !interrupt.is_set() {
        let work = steered_playouts::allowance(game.machine, budget, statistics.work);
        steered_playouts::play_steered(game.machine, &mut samples, &targets, work, budget, context);
        left_out = run_detectors(detectors, game, &relations, &samples, &mut findings, &interrupt);
    }
    findings.structures.coverage = coverage(game.machine, &samples);
    Ok(Detection { structures: findings.finish(), statistics, left_out })
}

/// The share of a network's fluents and moves that occurred in the samples.
fn coverage(machine: &dyn Machine, samples: &Samples<'_>) -> Option<Coverage> {
    let network = machine.network()?;
    let seen = |count: &&MoveCount| count.legal > 0 || count.one_of_several;
    Some(Coverage {
        fluents_seen: samples.facts.iter().map(FactTable::len).sum(),
        fluents: network.fluents.len(),
        moves_seen: samples.moves.counts.iter().flatten().filter(seen).count(),
        moves: network.moves.iter().map(Vec::len).sum(),
    })
}

/// Runs `read_samples` of all detectors from scratch. Returns the names of those that an interrupt
/// prevented from running.
fn run_detectors<'g>(
    detectors: &[&dyn Detector],
    game: &Game<'g>,
    relations: &FluentRelations,
    samples: &Samples<'_>,
    findings: &mut Findings<'g>,
    interrupt: &Interrupt,
) -> Vec<&'static str> {
    findings.begin_fluents(relations);
    let mut left_out = Vec::new();
    for detector in detectors {
        match interrupt.check() {
            Ok(()) => detector.read_samples(game, samples, findings),
            Err(Interrupted) => left_out.push(detector.name()),
        }
    }
    left_out
}

/// The fluents and hypotheses under which some object looks like a piece.
fn targets(findings: &Findings<'_>, samples: &Samples<'_>) -> Vec<Target> {
    let suspected = findings.fluents.iter().filter_map(|fluent| {
        let carriers = fluent.finding.as_ref()?.pieces.first()?.arguments.iter();
        let carriers = carriers.fold(0, |set, argument| set | 1 << argument.index());
        let hypothesis = samples.facts[fluent.number].hypothesis(carriers)?;
        Some(Target { relation: fluent.number, hypothesis })
    });
    suspected.collect()
}
