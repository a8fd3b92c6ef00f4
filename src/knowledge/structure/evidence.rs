//! The evidence of findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reason::Reason;
use super::vocabulary::{Ids, Kif, TextVocabulary, Vocabulary};
use crate::machine::Machine;
use crate::statistics::SIGNIFICANCE;

/// The methods that support a finding, and the extent of the check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evidence", bound = "V: TextVocabulary")]
#[serde(deny_unknown_fields, bound = "V: TextVocabulary")]
pub struct Evidence<V: Vocabulary = Ids> {
    /// The methods that support it: `syntax` (a template over the rules), `enumeration` (all facts of a
    /// static relation), `simulation` (no sampled state refuted it), `proof` (holds in every reachable
    /// state).
    pub methods: Vec<Method>,
    /// The evidence in a sentence.
    #[serde(rename = "because")]
    pub reason: V::Reason,
    /// The code of a statement about goal values at the end, in kebab case, such as `no-game-ended`;
    /// missing for other statements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// States checked; 0 if the finding needs no states.
    pub states: u64,
    /// Playouts checked; 0 if the finding needs no playouts.
    pub playouts: u64,
    /// Upper bound, at 95 % confidence, on the probability that a random playout contains a counterexample,
    /// if none of the playouts did: 1 - 0.05^(1/playouts). 0 if the finding needs no simulation.
    pub counterexample_bound: f64,
    /// The result of trying to prove it for all reachable states; missing if no proof was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

impl Evidence {
    /// Evidence for a reason and an extent, without a proof.
    pub fn new(methods: &[Method], reason: Reason, extent: Extent, counterexample_bound: f64) -> Evidence {
        let mut methods = methods.to_vec();
        methods.sort_unstable();
        methods.dedup();
        Evidence {
            methods,
            code: reason.code().map(str::to_owned),
            reason,
            states: extent.states,
            playouts: extent.playouts,
            counterexample_bound,
            proof: None,
        }
    }

    /// Withdraws a finding that a later stage refuted, for a reason.
    pub fn refute(&mut self, reason: Reason) {
        self.code = reason.code().map(str::to_owned);
        self.reason = reason;
        self.counterexample_bound = 0.0;
    }

    /// The evidence with its reason as a sentence, as documents store it.
    pub fn in_kif(&self, machine: &dyn Machine) -> Evidence<Kif> {
        Evidence {
            methods: self.methods.clone(),
            reason: self.reason.sentence(machine),
            code: self.code.clone(),
            states: self.states,
            playouts: self.playouts,
            counterexample_bound: self.counterexample_bound,
            proof: self.proof.clone(),
        }
    }
}

impl<V: Vocabulary> Evidence<V> {
    /// Whether it was proved for all reachable states.
    pub fn is_proved(&self) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Proved)
    }
}

/// The result of trying to prove a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether it is proved.
    pub status: ProofStatus,
    /// Number of steps that the induction looks back; 0 if no induction was needed.
    pub k: u32,
    /// Number of lemmas that the proof may use.
    pub lemmas: usize,
    /// The parts that are not proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// The status of a statement about all reachable states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofStatus {
    /// It holds in every reachable state.
    Proved,
    /// It is false.
    Refuted,
    /// Neither proved nor refuted.
    Open,
}

/// A method of finding a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A template over the shape of the rules (Kuhlmann et al. 2006).
    Syntax,
    /// All facts of a static relation were enumerated (Schiffel & Thielscher 2007).
    Enumeration,
    /// A hypothesis that no sampled state refuted (Schiffel & Thielscher 2007).
    Simulation,
    /// Holds in every reachable state, by the ground rules.
    Proof,
}

/// Upper bound, at 95 % confidence, on the probability of an event in a random playout, if it occurred in
/// none of `playouts` playouts: the p with (1-p)^playouts = 0.05. It is 1 without playouts.
pub fn counterexample_bound(playouts: u64) -> f64 {
    if playouts == 0 { 1.0 } else { 1.0 - SIGNIFICANCE.powf(1.0 / playouts as f64) }
}

/// The size of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Visited states, counted at each visit.
    pub states: u64,
    /// Playouts that visited them.
    pub playouts: u64,
}

impl Extent {
    /// Adds the size of another sample.
    pub fn add(&mut self, more: Extent) {
        self.states += more.states;
        self.playouts += more.playouts;
    }

    /// Evidence from these samples and from `others`.
    pub fn evidence(self, others: &[Method], reason: Reason) -> Evidence {
        let methods = [others, &[Method::Simulation]].concat();
        Evidence::new(&methods, reason, self, counterexample_bound(self.playouts))
    }
}

/// Evidence that needs no samples.
pub fn without_samples(methods: &[Method], reason: Reason) -> Evidence {
    Evidence::new(methods, reason, Extent::default(), 0.0)
}

display_as_in_documents!(Method);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_rule_of_three() {
        assert_eq!(counterexample_bound(0), 1.0);
        assert!((counterexample_bound(1) - 0.95).abs() < 1e-12);
        assert!((counterexample_bound(10_000) - 3.0 / 10_000.0).abs() < 1e-6);
        assert!(((1.0 - counterexample_bound(77)).powi(77) - 0.05).abs() < 1e-12);
    }
}
