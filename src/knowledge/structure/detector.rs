//! The trait of detectors.

use crate::catalog::CatalogEntry;
use crate::gdl::Description;
use crate::ground::StaticFacts;
use crate::machine::Machine;

use super::findings::Findings;
use super::samples::Samples;

/// The input of detectors that read the rules.
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

/// A detector for one kind of structure. Detectors run in the order of the registry: first all
/// [`read_rules`](Detector::read_rules), then random playouts, then all
/// [`read_samples`](Detector::read_samples). After more playouts, `read_samples` may run again; the results
/// of its previous run are discarded then. A detector adds findings of a new kind to
/// `findings.structures.custom`, as `examples/own_detector.rs` does; reports show them.
pub trait Detector: CatalogEntry + Sync {
    /// Names of the detectors whose findings this one uses; they must run before it. None by default.
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Adds findings from the rules and the facts of static relations.
    fn read_rules<'g>(&self, _game: &Game<'g>, _findings: &mut Findings<'g>) {}

    /// Adds findings from random play.
    fn read_samples<'g>(&self, _game: &Game<'g>, _samples: &Samples<'_>, _findings: &mut Findings<'g>) {}
}
