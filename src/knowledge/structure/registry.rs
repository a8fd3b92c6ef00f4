//! The list of detectors.

use super::axis::AxisDetector;
use super::board::BoardDetector;
use super::control::ControlDetector;
use super::counter::CounterDetector;
use super::cycle::CycleDetector;
use super::detector::Detector;
use super::latch::LatchDetector;
use super::line::LineDetector;
use super::noop::NoopDetector;
use super::order::OrderDetector;
use super::other_chain::ChainDetector;
use super::partial_order::PartialOrderDetector;
use super::piece::PieceDetector;
use super::quantity::QuantityDetector;
use super::successor::SuccessorDetector;
use super::team::TeamDetector;
use super::turns::TurnDetector;

/// All detectors, in the order in which they run. If several could classify a fluent, the first one does.
pub const DETECTORS: &[&dyn Detector] = &[
    &SuccessorDetector,
    &OrderDetector,
    &ChainDetector,
    &PartialOrderDetector,
    &AxisDetector,
    &CounterDetector,
    &ControlDetector,
    &QuantityDetector,
    &BoardDetector,
    &PieceDetector,
    &LineDetector,
    &CycleDetector,
    &LatchDetector,
    &TurnDetector,
    &NoopDetector,
    &TeamDetector,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::headings;

    #[test]
    fn every_detector_has_all_headings_in_order() {
        let wanted = ["What it finds", "How", "Guarantee", "Cost", "Example", "Source"];
        for detector in DETECTORS {
            assert_eq!(headings(&detector.documentation()), wanted, "{}", detector.name());
        }
    }

    #[test]
    fn every_detector_follows_its_dependencies() {
        for (index, detector) in DETECTORS.iter().enumerate() {
            for needed in detector.needs() {
                let before = DETECTORS[..index].iter().any(|other| other.name() == *needed);
                assert!(before, "{} needs {needed}, which does not work before it", detector.name());
            }
        }
    }
}
