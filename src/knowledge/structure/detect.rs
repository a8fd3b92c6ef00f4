//! All detectors in a line.

use crate::ground::{Interrupt, Interrupted, StaticFacts};
use crate::machine::Machine;
use crate::simulate::{Budget, Context, SimulateError, Statistics};

use super::detector::{Detector, Game};
use super::falsify;
use super::finding::{Coverage, Structures};
use super::fluent_relations::FluentRelations;
use super::fluents::FactTable;
use super::found::Found;
use super::gather::gather;
use super::moves::MoveCount;
use super::registry::DETECTORS;
use super::samples::{Samples, Target};

/// Why structures could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// Finds what a game is made of, with the playouts that the budget allows, and gives their statistics too.
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
/// let (found, _) = detect(&*game.machine, &game.statics, &budget, &Context::default())?;
/// assert!(found.zero_sum);
/// let board = found.fluents.iter().find(|fluent| fluent.kind == FluentKind::Board).expect("it has one");
/// // Every finding says what it rests on.
/// assert_eq!(board.evidence.playouts, 200);
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
    let Detected { structures, statistics, .. } =
        detect_with(DETECTORS, &Game { machine, statics }, budget, context)?;
    Ok((structures, statistics))
}

/// What detectors found.
pub struct Detected {
    /// What the game is made of.
    pub structures: Structures,
    /// What was played for it.
    pub statistics: Statistics,
    /// The detectors that an interrupt left no time for, by name.
    pub left_out: Vec<&'static str>,
}

/// The same with some detectors, in their order.
///
/// # Errors
/// Nothing could be played.
pub fn detect_with(
    detectors: &[&dyn Detector],
    game: &Game<'_>,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Detected, DetectError> {
    let relations = FluentRelations::new(game.description());
    let mut found = Found::new(game.description());
    for detector in detectors {
        detector.read(game, &mut found);
    }
    found.end_rules();
    let (statistics, mut samples) = gather(game.machine, &relations, budget, context)?;
    let interrupt = Interrupt::of(context.interrupt);
    let mut left_out = look(detectors, game, &relations, &samples, &mut found, &interrupt);
    let targets = targets(&found, &samples);
    if !targets.is_empty() && !interrupt.is_set() {
        let work = falsify::allowance(game.machine, budget, statistics.work);
        falsify::refute(game.machine, &mut samples, &targets, work, budget, context);
        left_out = look(detectors, game, &relations, &samples, &mut found, &interrupt);
    }
    found.whole.coverage = coverage(game.machine, &samples);
    Ok(Detected { structures: found.finish(), statistics, left_out })
}

/// How much of a network's fluents and moves was seen.
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

/// Lets all detectors look at what was played, from the start. Gives those that an interrupt left no time for.
fn look<'g>(
    detectors: &[&dyn Detector],
    game: &Game<'g>,
    relations: &FluentRelations,
    samples: &Samples<'_>,
    found: &mut Found<'g>,
    interrupt: &Interrupt,
) -> Vec<&'static str> {
    found.begin_fluents(relations);
    let mut left_out = Vec::new();
    for detector in detectors {
        match interrupt.check() {
            Ok(()) => detector.look(game, samples, found),
            Err(Interrupted) => left_out.push(detector.name()),
        }
    }
    left_out
}

/// Where something looks like a piece.
fn targets(found: &Found<'_>, samples: &Samples<'_>) -> Vec<Target> {
    let suspected = found.fluents.iter().filter_map(|fluent| {
        let carriers = fluent.finding.as_ref()?.pieces.first()?.arguments.iter();
        let carriers = carriers.fold(0, |set, argument| set | 1 << argument.index());
        let hypothesis = samples.facts[fluent.number].hypothesis(carriers)?;
        Some(Target { relation: fluent.number, hypothesis })
    });
    suspected.collect()
}
