//! A detector of your own: it finds relations that always have the same number of facts, such as pieces that stay.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use ggp::{Budget, CatalogEntry, CustomFinding, DETECTORS, Detector, DetectorFindings as Findings};
use ggp::{DetectorGame as Game, FindingReason, LoadedGame, Samples, SimulationContext, detect_with};

/// Finds relations, such as `man/3`, with the number of their facts.
struct SameNumber;

impl CatalogEntry for SameNumber {
    fn name(&self) -> &'static str {
        "same-number"
    }
}

impl Detector for SameNumber {
    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, found: &mut Findings<'g>) {
        for fluent in &found.fluents {
            let facts = &samples.facts[fluent.number]; // all facts of this relation that random play saw
            if facts.fewest() == facts.most() {
                let relation = fluent.relation.signature(&game.description().symbols);
                let reason = FindingReason::Custom("its number of facts never changed".to_owned());
                let (detector, text) = (self.name().to_owned(), format!("{relation}: {}", facts.most()));
                let evidence = samples.extent.evidence(&[], reason);
                found.structures.custom.push(CustomFinding { detector, text, terms: Vec::new(), evidence });
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = LoadedGame::open("games/halma.kif")?;
    let input = Game { machine: game.machine(), statics: &game.loaded.statics };
    let detectors = [DETECTORS, &[&SameNumber as &dyn Detector]].concat();
    let budget = Budget { playouts: 1_000, ..Budget::default() };
    let structures = detect_with(&detectors, &input, &budget, &SimulationContext::default())?.structures;
    structures.custom.iter().for_each(|found| println!("{}, {} states", found.text, found.evidence.states));
    Ok(())
}
