//! The analysis document: what `ggp analyze` writes as JSON. Its JSON Schema is `docs/analysis.schema.json`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::feature::{FeatureReport, MeasuredFeature, SampleExtent};
use crate::machine::Machine;
use crate::simulate::Statistics;
use crate::structure::finding::Structures;

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
    /// What random play gave. All but `timing` follows from the rules, the seed and the budget.
    pub simulation: Statistics,
    /// What the game is made of.
    pub structures: Structures,
    /// Named numbers of a state, and what they are worth.
    pub features: Vec<MeasuredFeature>,
    /// How much the statistics of the features rest on.
    pub feature_sample: SampleExtent,
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
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// Which machine played it: `lanes`, `network` or `relational`.
    pub machine: String,
}

impl Game {
    /// A game that was read from a file and is played by a machine.
    pub fn new(path: &Path, bytes: &[u8], machine: &dyn Machine) -> Self {
        let description = machine.description();
        Game {
            name: description.name.clone(),
            path: path.display().to_string(),
            sha256: sha256(bytes),
            roles: description.roles.iter().map(|&role| machine.term_text(role)).collect(),
            machine: machine.backend().to_string(),
        }
    }
}

impl Analysis {
    /// The document of a game.
    pub fn new(game: Game, simulation: Statistics, structures: Structures, measured: FeatureReport) -> Self {
        let FeatureReport { features, extent: feature_sample } = measured;
        Analysis { schema: SCHEMA, game, simulation, structures, features, feature_sample }
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
    let mut schema = schemars::schema_for!(Analysis);
    schema.insert("title".into(), SCHEMA.into());
    serde_json::to_string_pretty(&schema).map(|text| text + "\n")
}

/// SHA-256 of a file's bytes, in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_sha256() {
        // Of the empty text, from FIPS 180-4's examples.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(super::sha256(b""), empty);
    }
}
