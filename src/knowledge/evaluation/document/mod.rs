//! Evaluation functions as documents.
//!
//! # What it does
//! A [`Document`] carries one evaluation function with everything that is needed to run it on the same game, and what
//! is known of it: the structures that it rests on, and what random play says it is worth. `docs/evaluations.md`
//! describes it for those who write players.
//!
//! # How
//! As JSON, by [`Document::parse`] and the report of this crate. The game is recognised by its rules (see
//! [`identity`](crate::gdl::identity)), so a copy of them with another layout is the same game. A checksum over all that
//! a document says tells whether it was edited after it was made.
//!
//! # Guarantee
//! What was read has been checked part by part: no number is infinite, no range the wrong way round, role, kind,
//! parameters and goal values say what the function itself says. Whether fluents and moves are the game's is checked
//! by [`Function::bind`].

mod checksum;
mod error;
mod parse;
mod support;

pub use error::{DocumentError, LoadError, Place};
pub use support::Support;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::gdl::identity::sha256;
use crate::gdl::{Description, Negation};
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::function::Function;
use super::function_statistics::FunctionStatistics;
use super::kind::Kind;
use super::kuhlmann::rewards;

/// The name and version of the document; it changes when a key changes its meaning or goes away.
pub const SCHEMA: &str = "ggp.evaluation/1";

/// Files larger than this (64 MiB) are refused.
pub const MAX_BYTES: usize = 64 << 20;

/// An evaluation function with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "An evaluation function with all that is known of it.")]
pub struct Document {
    /// Always `ggp.evaluation/1`.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Its name among the functions of the game.
    pub id: String,
    /// How it is made.
    pub kind: Kind,
    /// The role whose goal value is estimated, as the rules write it.
    pub role: String,
    /// The game.
    pub game: GameIdentity,
    /// What is computed, in KIF terms; for reading only.
    pub formula: String,
    /// What it was tuned by; the same as in `function`.
    pub parameters: Map<String, Value>,
    /// The least and the greatest value that it can have.
    pub range: [f64; 2],
    /// The least and the greatest goal value that the role can end with.
    pub rewards: [i32; 2],
    /// The structures that it is built from, each with its evidence.
    pub evidence: Vec<Support>,
    /// What was left out or could not be unrolled, in sentences.
    pub notes: Vec<String>,
    /// What random play says it is worth; null where it was not measured.
    pub quality: Option<FunctionStatistics>,
    /// The function itself, part by part.
    pub function: Function,
    /// SHA-256 over everything else, by which an edited document is recognised.
    pub checksum: String,
    /// Whether the checksum is another: the document was edited after it was made.
    #[serde(skip)]
    pub edited: bool,
}

/// Which game a function is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameIdentity {
    /// Its name: the file's name without its ending. It decides nothing.
    pub name: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// SHA-256 of the rules in one spelling: the same for another layout, other comments, another order of rules and
    /// other names of variables.
    pub rules: String,
    /// When negated literals of the rules are read; left out where that is as the language says.
    #[serde(default, skip_serializing_if = "Negation::is_language")]
    pub negation: Negation,
}

impl GameIdentity {
    /// The identity of a game that was read from these bytes.
    pub fn new(bytes: &[u8], description: &Description) -> GameIdentity {
        GameIdentity {
            name: description.name.clone(),
            sha256: sha256(bytes),
            rules: description.fingerprint.clone(),
            negation: description.negation,
        }
    }

    /// Whether the two have the same rules.
    pub fn is_same(&self, other: &GameIdentity) -> bool {
        self.rules == other.rules || self.sha256 == other.sha256 && self.negation == other.negation
    }
}

impl Document {
    /// The document of a function that was made for a game.
    pub fn new(
        game: &GameIdentity,
        machine: &dyn Machine,
        structures: &Structures,
        function: Function,
        quality: Option<FunctionStatistics>,
    ) -> Document {
        let evidence = support::of(&function, structures, machine);
        Document::with_evidence(game, machine, evidence, function, quality)
    }

    /// The document of a function that others made, of whose structures nothing is known.
    pub fn of_others(game: &GameIdentity, machine: &dyn Machine, function: Function) -> Document {
        Document::with_evidence(game, machine, Vec::new(), function, None)
    }

    fn with_evidence(
        game: &GameIdentity,
        machine: &dyn Machine,
        evidence: Vec<Support>,
        function: Function,
        quality: Option<FunctionStatistics>,
    ) -> Document {
        let roles = &machine.description().roles;
        let number = roles.iter().position(|&role| machine.term_text(role) == function.role());
        let mut document = Document {
            schema: SCHEMA.to_owned(),
            id: function.id(),
            kind: function.kind(),
            role: function.role().to_owned(),
            game: game.clone(),
            formula: function.formula(),
            parameters: function.parameters(),
            range: function.range(),
            rewards: function.rewards().unwrap_or_else(|| rewards(machine, number.unwrap_or(0))),
            evidence,
            notes: support::notes(&function),
            quality,
            function,
            checksum: String::new(),
            edited: false,
        };
        document.checksum = document.computed_checksum();
        document
    }

    /// Whether it is for a game.
    ///
    /// # Errors
    /// It is for another; the error names both.
    pub fn is_for(&self, game: &GameIdentity) -> Result<(), DocumentError> {
        if self.game.is_same(game) {
            return Ok(());
        }
        Err(DocumentError::OtherGame { of: Box::new(self.game.clone()), game: Box::new(game.clone()) })
    }
}
