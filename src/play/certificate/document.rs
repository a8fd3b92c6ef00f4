//! The text of a certificate.

use serde::{Deserialize, Serialize};

use crate::machine::{Machine, State};

/// The schema of certificates.
pub const SCHEMA: &str = "ggp.certificate/1";

/// The first line of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// `ggp.certificate/1`.
    pub schema: String,
    /// The roles of the game, in the order of the rules.
    pub roles: Vec<String>,
}

/// The line that begins a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The roles that follow the strategy.
    pub team: Vec<String>,
    /// The goal value that each of them gets at least.
    pub value: i32,
}

/// A line of a strategy: the moves in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The facts of the state, in KIF.
    pub state: String,
    /// A move for each role of the team.
    pub moves: Vec<String>,
}

/// A strategy of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// The team and its value.
    pub claim: Claim,
    /// The line of the claim in the text, from 1; 0 if the strategy was not read from a text.
    pub line: usize,
    /// The moves, each with its line in the text.
    pub choices: Vec<(usize, Choice)>,
}

/// Strategies that prove values of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The roles of the game, in the order of the rules.
    pub roles: Vec<String>,
    /// The strategies.
    pub strategies: Vec<Strategy>,
}

/// Why a text is not a certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The first line is missing or is not a header.
    #[error("line 1: not the header of a certificate: expected {{\"schema\":\"{SCHEMA}\",\"roles\":[...]}}")]
    Header,
    /// A line is neither a claim nor a choice.
    #[error(
        "line {line}: {error}; expected {{\"team\":[...],\"value\":...}} or {{\"state\":...,\"moves\":[...]}}"
    )]
    Line {
        /// The line, from 1.
        line: usize,
        /// The error of the JSON reader.
        error: serde_json::Error,
    },
    /// A choice comes before the first claim.
    #[error("line {line}: moves of no strategy; a line {{\"team\":[...],\"value\":...}} must come first")]
    NoClaim {
        /// The line, from 1.
        line: usize,
    },
}

/// A line after the first.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Claim(Claim),
    Choice(Choice),
}

impl Certificate {
    /// Reads a certificate.
    ///
    /// # Errors
    /// [`CertificateError`]: a line can't be read.
    pub fn read(text: &str) -> Result<Certificate, CertificateError> {
        let mut lines = (1..).zip(text.lines());
        let header = lines.next().and_then(|(_, line)| serde_json::from_str::<Header>(line).ok());
        let header = header.filter(|header| header.schema == SCHEMA).ok_or(CertificateError::Header)?;
        let mut strategies: Vec<Strategy> = Vec::new();
        for (line, text) in lines {
            match serde_json::from_str(text).map_err(|error| CertificateError::Line { line, error })? {
                Line::Claim(claim) => strategies.push(Strategy { claim, line, choices: Vec::new() }),
                Line::Choice(choice) => {
                    let strategy = strategies.last_mut().ok_or(CertificateError::NoClaim { line })?;
                    strategy.choices.push((line, choice));
                }
            }
        }
        Ok(Certificate { roles: header.roles, strategies })
    }

    /// The text, with a line break at the end.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let header = Header { schema: SCHEMA.to_owned(), roles: self.roles.clone() };
        let mut text = serde_json::to_string(&header)? + "\n";
        for strategy in &self.strategies {
            text.push_str(&serde_json::to_string(&strategy.claim)?);
            text.push('\n');
            for (_, choice) in &strategy.choices {
                text.push_str(&serde_json::to_string(choice)?);
                text.push('\n');
            }
        }
        Ok(text)
    }
}

/// The facts of a state, in KIF.
pub fn state_text(machine: &dyn Machine, state: &State) -> String {
    let mut fluents = Vec::new();
    machine.fluents(state, &mut fluents);
    let facts: Vec<String> = fluents.into_iter().map(|fluent| machine.fluent_text(fluent)).collect();
    facts.join(" ")
}
