//! The analysis document: what `ggp analyze` writes as JSON. Its JSON Schema is `docs/analysis.schema.json`.

use crate::gdl::information::Information;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{GameAnalysis, PartsSummary, Stage, StageReport, SymmetrySummary};
use crate::evaluation::{Document, GameIdentity};
use crate::feature::{MeasuredFeature, SampleExtent};
use crate::gdl::Negation;
use crate::machine::Machine;
use crate::property::ProofSummary;
use crate::simulate::Statistics;
use crate::structure::finding::Structures;
use crate::structure::in_kif;
use crate::structure::vocabulary::Kif;
use crate::verdict::Verdict;

use super::evaluations::EvaluationSummary;
use super::goals::{GoalsSummary, goals};
use super::one_ply::{self, EndsSummary, GuidedPlaySummary};
use super::properties::{PropertySummary, summaries};

/// The name and version of the document; it changes when a key changes its meaning or goes away.
pub const SCHEMA: &str = "ggp.analysis/1";

/// The analysis of one game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Analysis {
    /// Always `ggp.analysis/1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// The game.
    pub game: Game,
    /// Whether the game has chance and hidden information (GDL-II).
    pub information: InformationSummary,
    /// The verdict: who wins, whether skill counts, first moves; null if it was not asked for.
    pub verdict: Option<Verdict>,
    /// The statistics of random play. Everything except `timing` follows from the rules, the seed and the budget.
    pub simulation: Statistics,
    /// Properties of the game: proved, refuted by an example, or open; empty if proofs were off.
    pub properties: Vec<PropertySummary>,
    /// Counts of what was proved; null if proofs were off.
    pub proofs: Option<ProofSummary>,
    /// The possible goal values of each role, and those that random play reached.
    pub goals: Vec<GoalsSummary>,
    /// The structures of the game.
    pub structures: Structures<Kif>,
    /// The parts of the game that do not influence each other; null if fewer than two were found.
    pub parts: Option<PartsSummary>,
    /// The symmetries of the game, in numbers and in words; null if the game has no network.
    pub symmetry: Option<SymmetrySummary>,
    /// The features with their statistics; features with equal values in all sampled states are one feature with `aliases`.
    pub features: Vec<MeasuredFeature>,
    /// The size of the sample behind the statistics of the features.
    pub feature_sample: SampleExtent,
    /// The evaluation functions with their statistics.
    pub evaluations: Vec<EvaluationSummary>,
    /// The results of a player that sees only moves that end the game, for comparison with `one_ply`; empty if nothing was
    /// played.
    pub ends: Vec<EndsSummary>,
    /// The games of good play on which the `guided` correlations were measured; null if none were played.
    pub guided_play: Option<GuidedPlaySummary>,
    /// Evaluation functions that were left out or could not be made, with the reason.
    pub evaluation_notes: Vec<String>,
    /// The stages of the analysis, in order, with their work and what they left out.
    pub stages: Vec<StageReport>,
    /// The times of the stages.
    pub timing: StageTiming,
}

/// Times and memory, which depend on the computer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct StageTiming {
    /// Seconds to read the rules and build the machine.
    pub loading_seconds: f64,
    /// Seconds to sample sequences, and to make and measure features.
    pub features_seconds: f64,
    /// Seconds to make and measure evaluation functions, and to play with them.
    pub evaluations_seconds: f64,
    /// Seconds of each stage.
    pub stages: Vec<StageSeconds>,
    /// Peak memory in MiB after loading and after each stage; empty if the system doesn't report it.
    pub peak_mib: Vec<f64>,
}

/// The time of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageSeconds {
    /// The stage.
    pub name: Stage,
    /// Seconds.
    pub seconds: f64,
}

impl StageTiming {
    /// The times of some stages.
    pub fn new(stages: &[StageReport]) -> StageTiming {
        let sum = |names: &[Stage]| {
            let seconds =
                stages.iter().filter(|stage| names.contains(&stage.name)).map(|stage| stage.seconds);
            seconds.sum()
        };
        StageTiming {
            loading_seconds: 0.0,
            peak_mib: Vec::new(),
            features_seconds: sum(&[Stage::Sample, Stage::Features]),
            evaluations_seconds: sum(&[
                Stage::Functions,
                Stage::FunctionStatistics,
                Stage::OnePly,
                Stage::GuidedStates,
            ]),
            stages: stages
                .iter()
                .map(|stage| StageSeconds { name: stage.name, seconds: stage.seconds })
                .collect(),
        }
    }
}

/// The game that was analysed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Game {
    /// The file's name without its ending.
    pub name: String,
    /// The file, as it was named on the command line.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// SHA-256 of the normalised rules: it ignores layout, comments, the order of rules and the names of variables.
    pub rules: String,
    /// How negated literals of the rules are evaluated: `language` or `in-place` (`--negation`).
    pub negation: Negation,
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// The machine that played it: `lanes`, `network` or `relational`.
    pub machine: String,
    /// Whether the game has chance and hidden information. Documents write this as a key of the analysis itself.
    #[serde(skip)]
    pub information: InformationSummary,
}

/// Chance and hidden information of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InformationSummary {
    /// Whether the game has the role `random`, whose moves are drawn by chance.
    pub random_role: bool,
    /// Whether the rules define `sees`.
    pub sees: bool,
    /// Whether a move of a player may be hidden from another player.
    pub hidden: bool,
}

impl Game {
    /// Describes a game that was loaded from a file.
    pub fn new(path: &Path, identity: &GameIdentity, machine: &dyn Machine) -> Self {
        let description = machine.description();
        let information = Information::of(description);
        Game {
            name: identity.name.clone(),
            path: path.display().to_string(),
            sha256: identity.sha256.clone(),
            rules: identity.rules.clone(),
            negation: identity.negation,
            roles: description.roles.iter().map(|&role| machine.term_text(role)).collect(),
            machine: machine.backend().to_string(),
            information: InformationSummary {
                random_role: information.random_role.is_some(),
                sees: information.sees,
                hidden: information.hidden,
            },
        }
    }
}

impl Analysis {
    /// The roles that a player has, by index: all but `random`.
    pub fn players(&self) -> Vec<usize> {
        let roles = &self.game.roles;
        let plays = |role: &usize| self.structures.teams.iter().flatten().any(|name| *name == roles[*role]);
        (0..roles.len()).filter(plays).collect()
    }

    /// The document of an analysis, with the documents of its functions.
    pub fn new(path: &Path, analysis: &GameAnalysis, documents: &[Document], machine: &dyn Machine) -> Self {
        let game = Game::new(path, &analysis.identity, machine);
        let function = |(index, document): (usize, &Document)| EvaluationSummary {
            one_ply: one_ply::function_result(&analysis.one_ply, index),
            guided: analysis.guided.as_ref().map(|guided| guided.correlations[index].clone()),
            ..EvaluationSummary::new(document)
        };
        let proofs = analysis.proofs.as_ref();
        let features = analysis.features.features.iter().filter(|feature| feature.alias_of.is_none());
        Analysis {
            schema: SCHEMA,
            information: game.information.clone(),
            verdict: None,
            simulation: analysis.simulation.clone(),
            properties: proofs.map_or(Vec::new(), |proofs| summaries(&proofs.properties, machine)),
            proofs: proofs.map(|proofs| proofs.summary),
            goals: goals(machine, analysis),
            structures: in_kif(&analysis.structures, machine),
            parts: analysis.parts.clone(),
            symmetry: analysis.symmetry.clone(),
            features: features.cloned().collect(),
            feature_sample: analysis.features.extent.clone(),
            evaluations: documents.iter().enumerate().map(function).collect(),
            ends: one_ply::ends(&analysis.one_ply, &game.roles),
            guided_play: one_ply::guided_play(analysis),
            evaluation_notes: analysis.functions.notes.clone(),
            timing: StageTiming::new(&analysis.stages),
            stages: analysis.stages.clone(),
            game,
        }
    }

    /// The document as indented JSON, with a line break at the end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The document as JSON on one line, with a line break at the end.
    pub fn to_json_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

/// The JSON Schema of the document, with a line break at the end.
pub fn schema() -> Result<String, serde_json::Error> {
    with_title(schemars::schema_for!(Analysis), SCHEMA)
}

/// A JSON Schema with the name of its document as title, and a line break at the end.
pub(super) fn with_title(mut schema: schemars::Schema, name: &str) -> Result<String, serde_json::Error> {
    schema.insert("title".into(), name.into());
    serde_json::to_string_pretty(&schema).map(|text| text + "\n")
}
