//! What goes into the document of an analysis.

use super::analysis::Findings;
use super::evaluations::EvaluationSummary;
use super::goals::goals;
use super::one_ply;
use super::properties::summaries;
use crate::analysis::GameAnalysis;
use crate::evaluation::Document;
use crate::machine::Machine;

impl Findings {
    /// What an analysis found, with the documents of its functions.
    pub fn of(found: GameAnalysis, documents: &[Document], machine: &dyn Machine) -> Findings {
        let roles: Vec<String> =
            machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        let goals = goals(machine, &found);
        Findings {
            goals,
            evaluations: documents
                .iter()
                .enumerate()
                .map(|(place, document)| EvaluationSummary {
                    one_ply: one_ply::of_function(&found.one_ply, place),
                    guided: found.guided.as_ref().map(|guided| guided.correlations[place].clone()),
                    ..EvaluationSummary::new(document)
                })
                .collect(),
            ends: one_ply::ends(&found.one_ply, &roles),
            guided_play: one_ply::guided_play(&found),
            evaluation_notes: found.functions.notes,
            properties: found
                .proofs
                .iter()
                .flat_map(|proofs| summaries(&proofs.properties, machine))
                .collect(),
            proofs: found.proofs.as_ref().map(|proofs| proofs.summary),
            simulation: found.simulation,
            structures: found.structures.in_kif(machine),
            features: found.features,
            stages: found.stages,
        }
    }
}
