//! What was learned as documents have it: facts in the words of the rules.

use crate::machine::FluentId;

use super::function::{LearnedFunction, LearnedTerm, LearnedTurn};
use super::learn::Learner;
use super::lightened::{rounded, support};
use super::policy::{Policy, effect};

/// Weights that change nobody's mind are left out.
const LEAST_WEIGHT: f64 = 1e-4;

impl Learner<'_> {
    /// The functions as documents have them.
    pub(super) fn functions(&self, notes: &mut Vec<String>) -> Vec<LearnedFunction> {
        let Some(network) = self.machine.network() else { return Vec::new() };
        let names: Vec<String> =
            self.machine.description().roles.iter().map(|&role| self.machine.term_text(role)).collect();
        let Some(policies) = &self.policies else {
            let because = match self.watch.stopped() {
                Some(_) => "no round was played to its end",
                None => "no game came to a goal value",
            };
            notes.push(format!("no learned functions: {because}"));
            return Vec::new();
        };
        let of_bits = self.samples.support();
        let mut light: Option<(Policy, Vec<f64>)> = None;
        let mut functions = Vec::new();
        for &role in &self.players {
            let (policy, name) = (&policies[role], &names[role]);
            if self.samples.constant(role) {
                notes.push(format!("no learned function for {name}: its goal value was always the same"));
                continue;
            }
            light = match light {
                Some((first, support)) if policy.is_opposite => Some((first.opposite(), support)),
                _ => {
                    let samples = &self.samples;
                    let light = rounded(&self.lightened(role, policy, &of_bits), samples, role, &of_bits);
                    let support = support(&light, samples);
                    Some((light, support))
                }
            };
            let Some((policy, support)) = &light else { continue };
            let fact = |bit: u32| self.machine.fluent_text(FluentId(network.bits[bit as usize]));
            let none_of = &policy.none_of;
            let mut terms: Vec<LearnedTerm> = Vec::new();
            for (number, (bits, &support)) in policy.conjunctions.list().iter().zip(support).enumerate() {
                let weight = policy.weights[number];
                let gain = policy.turn.as_ref().map_or(0.0, |turn| turn.gains[number]);
                if weight.abs().max((weight + gain).abs()) >= LEAST_WEIGHT {
                    let (mut facts, mut none) = (Vec::new(), Vec::new());
                    for &bit in bits {
                        match none_of.group(bit) {
                            Some(group) => none.extend(group.iter().map(|&bit| fact(bit))),
                            None => facts.push(fact(bit)),
                        }
                    }
                    // Groups may share facts.
                    none.sort_unstable();
                    none.dedup();
                    terms.push(LearnedTerm { weight, gain, support, facts, none });
                }
            }
            let turn = policy.turn.as_ref();
            let turn = turn.map(|turn| LearnedTurn { fact: fact(turn.bit), gain: turn.constant });
            if terms.is_empty() {
                notes.push(format!(
                    "no learned function for {name}: no fact told anything of its goal value before the end"
                ));
                continue;
            }
            let effect = |term: &LearnedTerm| effect(term.weight, term.gain, term.support);
            terms.sort_by(|a, b| effect(b).total_cmp(&effect(a)));
            functions.push(LearnedFunction {
                role: name.clone(),
                parameters: *self.parameters,
                rewards: self.rewards[role],
                rounds: self.rounds.clone(),
                constant: policy.constant,
                turn,
                terms,
            });
        }
        functions
    }
}
