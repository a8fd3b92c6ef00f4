//! What a finding rests on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reason::Reason;
use super::vocabulary::{Ids, Kif, TextVocabulary, Vocabulary};
use crate::machine::Machine;
use crate::statistics::SIGNIFICANCE;

/// How a finding was found and how far it was checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evidence", bound = "V: TextVocabulary")]
#[serde(deny_unknown_fields, bound = "V: TextVocabulary")]
pub struct Evidence<V: Vocabulary = Ids> {
    /// The ways that found it: `syntax` (a template over the rules), `enumeration` (all facts of a static
    /// relation), `simulation` (not refuted by sampled states), `proof` (holds in every reachable state).
    pub methods: Vec<Method>,
    /// What it rests on, in a sentence.
    #[serde(rename = "because")]
    pub reason: V::Reason,
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

impl Evidence {
    /// Evidence with its reason and the number of states and playouts; nothing is proved yet.
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

    /// Takes a finding back: a later stage refuted it, for a reason.
    pub fn refute(&mut self, reason: Reason) {
        self.code = reason.code().map(str::to_owned);
        self.reason = reason;
        self.counterexample_bound = 0.0;
    }

    /// The same as documents have it.
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
    /// Whether it holds in every reachable state, as was proved.
    pub fn is_proved(&self) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.status == ProofStatus::Proved)
    }
}

/// What trying to prove a finding came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether it is proved.
    pub status: ProofStatus,
    /// How many steps the induction looks back; 0 where none was needed.
    pub k: u32,
    /// How many lemmas were proved together, of which the proof makes use.
    pub lemmas: usize,
    /// What of it is not proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// Whether something is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofStatus {
    /// It holds in every reachable state.
    Proved,
    /// It is false.
    Refuted,
    /// Neither is known.
    Open,
}

/// A way of finding a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A template over the shape of the rules (Kuhlmann et al. 2006).
    Syntax,
    /// All facts of a static relation were looked at (Schiffel & Thielscher 2007).
    Enumeration,
    /// A hypothesis that no sampled state refuted (Schiffel & Thielscher 2007).
    Simulation,
    /// Holds in every reachable state, by the ground rules.
    Proof,
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
