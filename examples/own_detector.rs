//! A detector of your own: it finds relations that always have the same number of facts, such as pieces that stay.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use ggp::{Budget, CatalogEntry, DETECTORS, Detector, DetectorFindings, DetectorGame, LoadedGame};
use ggp::{Samples, SimulationContext, detect_with};
use std::sync::Mutex;

/// The findings: relations, such as `man/3`, with the number of their facts.
#[derive(Default)]
struct SameNumber(Mutex<Vec<(String, usize)>>);

impl CatalogEntry for SameNumber {
    fn name(&self) -> &'static str {
        "same-number"
    }
}

impl Detector for SameNumber {
    fn look<'g>(&self, game: &DetectorGame<'g>, samples: &Samples<'_>, found: &mut DetectorFindings<'g>) {
        let fixed = found.fluents.iter().filter_map(|fluent| {
            let facts = &samples.facts[fluent.number]; // all facts of this relation that random play saw
            let name = fluent.relation.signature(&game.description().symbols);
            (facts.fewest() == facts.most()).then(|| (name, facts.most()))
        });
        *self.0.lock().expect("no detector panicked") = fixed.collect();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (game, own) = (LoadedGame::open("games/halma.kif")?, SameNumber::default());
    let detectors = [DETECTORS, &[&own as &dyn Detector]].concat();
    let input = DetectorGame { machine: game.machine(), statics: &game.loaded.statics };
    let budget = Budget { playouts: 1_000, ..Budget::default() };
    let detected = detect_with(&detectors, &input, &budget, &SimulationContext::default())?;
    println!("Facts whose number is the same in all {} states of random games:", detected.statistics.states);
    own.0.into_inner()?.iter().for_each(|(relation, facts)| println!("{relation}: {facts}"));
    Ok(())
}
