//! What a detector is.

use crate::catalog::CatalogEntry;
use crate::gdl::Description;
use crate::ground::StaticFacts;
use crate::machine::Machine;

use super::found::Found;
use super::samples::Samples;

/// A game as detectors see it before anything is played.
#[derive(Clone, Copy)]
pub struct Game<'g> {
    /// Its machine.
    pub machine: &'g dyn Machine,
    /// The facts of its static relations.
    pub statics: &'g StaticFacts,
}

impl<'g> Game<'g> {
    /// Its rules.
    pub fn description(&self) -> &'g Description {
        self.machine.description()
    }
}

/// A kind of structure that is looked for. Detectors work one after the other, in the order of the registry: all
/// [read](Detector::read), then games are played at random, then all [look](Detector::look). Those who look may be asked
/// again, after more was played; what was found by looking before is forgotten then. A detector adds findings of a new kind to
/// `found.whole.custom`, as `examples/own_detector.rs` does; reports show them.
pub trait Detector: CatalogEntry + Sync {
    /// The detectors, by name, that must have worked before this one, as it uses what they found. None by default.
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Adds what the rules and the facts of static relations tell.
    fn read<'g>(&self, _game: &Game<'g>, _found: &mut Found<'g>) {}

    /// Adds what random play tells.
    fn look<'g>(&self, _game: &Game<'g>, _samples: &Samples<'_>, _found: &mut Found<'g>) {}
}
