//! The analysis document: what `ggp analyze` writes as JSON. Its JSON Schema is `docs/analysis.schema.json`.

use crate::gdl::information::Information;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{GameAnalysis, Stage, StageReport};
use crate::evaluation::{Document, GameIdentity};
use crate::feature::{MeasuredFeature, SampleExtent};
use crate::gdl::Negation;
use crate::machine::Machine;
use crate::property::ProofSummary;
use crate::simulate::Statistics;
use crate::structure::finding::Structures;
use crate::structure::in_kif;
use crate::structure::vocabulary::Kif;

use super::evaluations::EvaluationSummary;
use super::goals::{GoalsSummary, goals};
use super::one_ply::{self, EndsSummary, GuidedPlaySummary};
use super::properties::{PropertySummary, summaries};

/// The name and version of the document; it changes when a key changes its meaning or goes away.
pub const SCHEMA: &str = "ggp.analysis/1";

/// What is known of one game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Analysis {
    /// Always `ggp.analysis/1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    /// Which game.
    pub game: Game,
    /// What chance decides, and what players see (GDL-II).
    pub information: InformationSummary,
    /// What random play gave. All but `timing` follows from the rules, the seed and the budget.
    pub simulation: Statistics,
    /// Properties of the game: proved, refuted by a play, or neither; empty where nothing was to be proved.
    pub properties: Vec<PropertySummary>,
    /// What was proved, in numbers; null where nothing was to be.
    pub proofs: Option<ProofSummary>,
    /// Which goal values each role can have, and which of them random play reached.
    pub goals: Vec<GoalsSummary>,
    /// What the game is made of.
    pub structures: Structures<Kif>,
    /// Named numbers of a state, and what they are worth; numbers with the same values in all sampled states are one feature
    /// with `aliases`.
    pub features: Vec<MeasuredFeature>,
    /// How much the statistics of the features rest on.
    pub feature_sample: SampleExtent,
    /// Evaluation functions, and what they are worth.
    pub evaluations: Vec<EvaluationSummary>,
    /// What players bring their roles that see ends alone, to compare `one_ply` of evaluation functions with; empty where
    /// nothing was played.
    pub ends: Vec<EndsSummary>,
    /// The games by which `guided` says how features and functions go with goal values in good play; null where none were
    /// played.
    pub guided_play: Option<GuidedPlaySummary>,
    /// Evaluation functions that could not be made, or were left out, with the reason.
    pub evaluation_notes: Vec<String>,
    /// The stages of the analysis, in order: how much each did, and what it left out.
    pub stages: Vec<StageReport>,
    /// How long the stages took.
    pub timing: StageTiming,
}

/// What depends on the computer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct StageTiming {
    /// Seconds for reading the rules and making the machine.
    pub loading_seconds: f64,
    /// Seconds for drawing sequences, and for making features and measuring them.
    pub features_seconds: f64,
    /// Seconds for making evaluation functions, measuring them and playing by them.
    pub evaluations_seconds: f64,
    /// Seconds of each stage.
    pub stages: Vec<StageSeconds>,
    /// Most memory that the program held after loading and after each stage, in MiB; empty where the system doesn't say.
    pub peak_mib: Vec<f64>,
}

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageSeconds {
    /// Which.
    pub name: Stage,
    /// Seconds.
    pub seconds: f64,
}

impl StageTiming {
    /// What stages took.
    pub fn new(stages: &[StageReport]) -> StageTiming {
        let sum = |wanted: &[Stage]| {
            let seconds =
                stages.iter().filter(|stage| wanted.contains(&stage.name)).map(|stage| stage.seconds);
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

/// Which game was analysed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Game {
    /// The file's name without its ending.
    pub name: String,
    /// The file, as it was named on the command line.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// SHA-256 of the rules in one spelling: the same for another layout, other comments, another order of rules and
    /// other names of variables.
    pub rules: String,
    /// When negated literals of the rules are read: `language` or `in-place` (`--negation`).
    pub negation: Negation,
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// Which machine played it: `lanes`, `network` or `relational`.
    pub machine: String,
    /// What chance decides, and what players see (GDL-II); a key of the analysis itself.
    #[serde(skip)]
    pub information: InformationSummary,
}

/// What chance decides in a game, and what players see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InformationSummary {
    /// Whether it has the role `random`, which draws its moves.
    pub random_role: bool,
    /// Whether rules say what players see.
    pub sees: bool,
    /// Whether a player may not see a move of another one.
    pub hidden: bool,
}

impl Game {
    /// A game that was read from a file and is played by a machine.
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
    /// What an analysis found in the game of a file, with the documents of its functions.
    pub fn new(path: &Path, found: &GameAnalysis, documents: &[Document], machine: &dyn Machine) -> Self {
        let game = Game::new(path, &found.identity, machine);
        let function = |(place, document): (usize, &Document)| EvaluationSummary {
            one_ply: one_ply::of_function(&found.one_ply, place),
            guided: found.guided.as_ref().map(|guided| guided.correlations[place].clone()),
            ..EvaluationSummary::new(document)
        };
        let proofs = found.proofs.as_ref();
        let features = found.features.features.iter().filter(|feature| feature.alias_of.is_none());
        Analysis {
            schema: SCHEMA,
            information: game.information.clone(),
            simulation: found.simulation.clone(),
            properties: proofs.map_or(Vec::new(), |proofs| summaries(&proofs.properties, machine)),
            proofs: proofs.map(|proofs| proofs.summary),
            goals: goals(machine, found),
            structures: in_kif(&found.structures, machine),
            features: features.cloned().collect(),
            feature_sample: found.features.extent.clone(),
            evaluations: documents.iter().enumerate().map(function).collect(),
            ends: one_ply::ends(&found.one_ply, &game.roles),
            guided_play: one_ply::guided_play(found),
            evaluation_notes: found.functions.notes.clone(),
            timing: StageTiming::new(&found.stages),
            stages: found.stages.clone(),
            game,
        }
    }

    /// The document as JSON, on several lines with a line break at the end.
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
    titled(schemars::schema_for!(Analysis), SCHEMA)
}

/// A JSON Schema under the name of its document, with a line break at the end.
pub(super) fn titled(mut schema: schemars::Schema, name: &str) -> Result<String, serde_json::Error> {
    schema.insert("title".into(), name.into());
    serde_json::to_string_pretty(&schema).map(|text| text + "\n")
}
