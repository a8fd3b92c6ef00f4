//! What a finding rests on, and what documents say of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::{Evidence, Method, Proof, ProofStatus};
use super::reason::Reason;
use crate::machine::Machine;
use crate::statistics::SIGNIFICANCE;

/// The code of what is unknown as no game ended.
pub const NO_GAME_ENDED: &str = "no-game-ended";

/// How a finding was found and how far it was checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evidence")]
#[serde(deny_unknown_fields)]
pub struct EvidenceDocument {
    /// The ways that found it: `syntax` (a template over the rules), `enumeration` (all facts of a static
    /// relation), `simulation` (not refuted by sampled states), `proof` (holds in every reachable state).
    pub methods: Vec<Method>,
    /// What it rests on, in a sentence.
    pub because: String,
    /// What that sentence says of goal values at the end, in kebab case, such as `no-game-ended`; missing for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// States checked; 0 where no state is needed.
    pub states: u64,
    /// Playouts checked; 0 where none is needed.
    pub playouts: u64,
    /// Upper bound, at 95 % confidence, on the chance that a random playout holds a counterexample none of
    /// which was seen: 1 - 0.05^(1/playouts). 0 for what needs no simulation.
    pub counterexample_bound: f64,
    /// Whether it was proved for all reachable states; missing where nobody tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

impl EvidenceDocument {
    /// What is said of it, in the words of the game that `machine` plays.
    pub fn new(evidence: &Evidence, machine: &dyn Machine) -> EvidenceDocument {
        EvidenceDocument {
            methods: evidence.methods.clone(),
            because: evidence.reason.sentence(machine),
            code: evidence.reason.code().map(str::to_owned),
            states: evidence.states,
            playouts: evidence.playouts,
            counterexample_bound: evidence.counterexample_bound,
            proof: evidence.proof.clone(),
        }
    }

    /// Whether it holds in every reachable state, as was proved.
    pub fn is_proved(&self) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Proved)
    }
}

/// Upper bound, at 95 % confidence, on the chance that a random playout holds something that none of `playouts`
/// playouts held: the share p with (1-p)^playouts = 0.05. It is 1 without playouts.
pub fn counterexample_bound(playouts: u64) -> f64 {
    if playouts == 0 { 1.0 } else { 1.0 - SIGNIFICANCE.powf(1.0 / playouts as f64) }
}

/// How much was sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// States looked at, the same state each time it came up.
    pub states: u64,
    /// Playouts they come from.
    pub playouts: u64,
}

impl Extent {
    /// Adds what was sampled elsewhere.
    pub fn add(&mut self, more: Extent) {
        self.states += more.states;
        self.playouts += more.playouts;
    }

    /// Evidence that rests on these samples, and on `others`.
    pub fn evidence(self, others: &[Method], reason: Reason) -> Evidence {
        let mut methods = others.to_vec();
        methods.push(Method::Simulation);
        methods.sort_unstable();
        methods.dedup();
        Evidence {
            methods,
            reason,
            states: self.states,
            playouts: self.playouts,
            counterexample_bound: counterexample_bound(self.playouts),
            proof: None,
        }
    }
}

/// Evidence that needs no samples.
pub fn without_samples(methods: &[Method], reason: Reason) -> Evidence {
    let mut methods = methods.to_vec();
    methods.sort_unstable();
    methods.dedup();
    Evidence { methods, reason, states: 0, playouts: 0, counterexample_bound: 0.0, proof: None }
}

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
