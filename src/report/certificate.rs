//! The result of checking a certificate, as text and as JSON.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::certificate::{Certificate, Fault, Guarantee, bounds};
use crate::machine::Machine;

use super::layout::{Layout, counted};

/// What a certificate proves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CertificateDocument {
    /// Whether all strategies guarantee the values that they claim.
    pub valid: bool,
    /// The first fault; missing if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// For each role the bounds of its value; empty if the certificate is not valid.
    pub values: IndexMap<String, CertifiedBounds>,
    /// The strategies; empty if the certificate is not valid.
    pub strategies: Vec<CheckedStrategy>,
}

/// The bounds of the value that a role can force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CertifiedBounds {
    /// The value that a strategy of the role alone guarantees, or its least goal value.
    pub at_least: i32,
    /// The greatest value against the strategies of the others, or the greatest goal value of the rules.
    pub at_most: i32,
}

/// A strategy that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckedStrategy {
    /// The roles that follow it.
    pub team: Vec<String>,
    /// The goal value that it guarantees.
    pub value: i32,
    /// The states that it can reach.
    pub states: u64,
}

impl CertificateDocument {
    /// Makes the document of a check.
    pub fn new(
        machine: &dyn Machine,
        certificate: &Certificate,
        result: &Result<Vec<Guarantee>, Fault>,
    ) -> CertificateDocument {
        let guarantees = result.as_deref().unwrap_or(&[]);
        let bounds = if guarantees.is_empty() { Vec::new() } else { bounds(machine, guarantees) };
        let bounds = bounds.iter().map(|of| CertifiedBounds { at_least: of.at_least, at_most: of.at_most });
        let strategies = certificate.strategies.iter().zip(guarantees);
        CertificateDocument {
            valid: result.is_ok(),
            fault: result.as_ref().err().map(ToString::to_string),
            values: certificate.roles.iter().cloned().zip(bounds).collect(),
            strategies: strategies
                .map(|(strategy, guarantee)| CheckedStrategy {
                    team: strategy.claim.team.clone(),
                    value: strategy.claim.value,
                    states: guarantee.states,
                })
                .collect(),
        }
    }

    /// The document, with a line break at the end.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The bounds of each role, or the fault.
    pub fn text(&self, layout: Layout) -> String {
        if let Some(fault) = &self.fault {
            return format!("the certificate proves nothing: {fault}\n");
        }
        let rows = self.values.iter().map(|(role, of)| {
            let exact = if of.at_least == of.at_most { "exact" } else { "" };
            vec![role.clone(), of.at_least.to_string(), of.at_most.to_string(), exact.to_owned()]
        });
        let mut out = layout.table(&["role", "value at least", "at most", ""], rows.collect());
        for strategy in &self.strategies {
            let (team, states) = (strategy.team.join(" and "), counted(strategy.states, "state", "states"));
            let guarantee = match strategy.team.len() {
                1 => format!("at least {}", strategy.value),
                _ => format!("at least {} for each", strategy.value),
            };
            out.push_str(&format!("the strategy of {team} can reach {states}: correct, {guarantee}\n"));
        }
        out
    }
}
