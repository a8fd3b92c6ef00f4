//! The results of proofs.

use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::PlayEvidence;
use super::outcomes::Outcome;
use super::properties::{finite_length, single_role_winnability, well_formedness};
use super::property_name::PropertyName;
use super::statement::Property;
use crate::structure::finding::ProofStatus;

/// Counts of proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProofSummary {
    /// Candidates for lemmas: statements that random play did not refute.
    pub candidates: usize,
    /// Candidates that were proved for every reachable state.
    pub lemmas: usize,
    /// Work of the solver, in literals propagated and added.
    pub work: u64,
    /// Whether the work or the time was used up before everything was tried.
    pub is_over: bool,
    /// Random games whose states were all checked.
    pub games: u64,
    /// States in them.
    pub states: u64,
    /// Number of reachable states, including terminal ones; null if there are too many to list.
    pub listed_states: Option<u64>,
    /// The reason why nothing could be proved over a network, if so.
    pub without: Option<&'static str>,
}

/// The results of proofs.
#[derive(Clone, Debug, PartialEq)]
pub struct Proofs {
    /// Properties of the game.
    pub properties: Vec<Property>,
    /// For every role, the goal values in the rules that no reachable end gives.
    pub unattainable: Vec<Vec<i32>>,
    /// Outcomes that plays of proofs and the search reached.
    pub reached: Vec<Outcome>,
    /// Proved properties of ends, withheld as long as no game ended.
    pub(super) withheld: Vec<Property>,
    /// Counts.
    pub summary: ProofSummary,
}

impl Proofs {
    /// Settles open properties by play, restores withheld ones if a game ended, and updates what follows.
    pub(super) fn update(&mut self, evidence: &PlayEvidence<'_>, roles: usize) {
        if evidence.has_end() {
            for known in std::mem::take(&mut self.withheld) {
                let same =
                    |property: &&mut Property| (property.name, property.role) == (known.name, known.role);
                if let Some(property) = self.properties.iter_mut().find(same) {
                    *property = known.clone();
                }
            }
        }
        for property in self.properties.iter_mut().filter(|property| property.status == ProofStatus::Open) {
            if let Some(settled) = evidence.settle(property) {
                *property = settled;
            }
        }
        let find = |name| self.properties.iter().find(|property: &&Property| property.name == name).cloned();
        let follows = |property: &Property| match property.name {
            PropertyName::FiniteLength => find(PropertyName::Termination).map(finite_length),
            PropertyName::StrongWinnability if roles == 1 => {
                find(PropertyName::WeakWinnability).as_ref().map(single_role_winnability)
            }
            _ => None,
        };
        let following: Vec<Option<Property>> = self.properties.iter().map(follows).collect();
        for (property, following) in self.properties.iter_mut().zip(following) {
            if let Some(following) = following {
                *property = following;
            }
        }
        let whole = well_formedness(&self.properties);
        let of_it = |property: &&mut Property| property.name == PropertyName::WellFormedness;
        if let Some(property) = self.properties.iter_mut().find(of_it) {
            *property = whole;
        }
    }
}
