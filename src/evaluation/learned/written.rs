//! What was learned as documents have it: facts in the words of the rules.

use crate::machine::FluentId;

use super::function::{LearnedCourse, LearnedFact, LearnedFunction, LearnedTerm};
use super::learn::Learner;

/// Weights that change nobody's mind are left out.
const LEAST_WEIGHT: f64 = 1e-4;

/// States that tell how often a term holds: the last ones, few enough not to keep who interrupted waiting.
const TOLD_BY: usize = 10_000;

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
        let first = self.samples.len().saturating_sub(TOLD_BY) as u32;
        let total = (self.samples.len().min(TOLD_BY)).max(1) as f64;
        let mut functions = Vec::new();
        for &role in &self.players {
            let (policy, name) = (&policies[role], &names[role]);
            if self.samples.constant(role) {
                notes.push(format!("no learned function for {name}: its goal value was always the same"));
                continue;
            }
            let mut support = vec![0_u64; policy.conjunctions.len()];
            for state in first..self.samples.len() as u32 {
                policy.conjunctions.each(self.samples.state(state), |number| support[number as usize] += 1);
            }
            let fact = |bit: u32| self.machine.fluent_text(FluentId(network.bits[bit as usize]));
            let none_of = &policy.none_of;
            let mut terms: Vec<LearnedTerm> = Vec::new();
            for (number, (bits, support)) in policy.conjunctions.list().iter().zip(support).enumerate() {
                let weight = policy.weights[number];
                let gain = policy.course.as_ref().map_or(0.0, |course| course.gains[number]);
                if weight.abs().max((weight + gain).abs()) >= LEAST_WEIGHT {
                    let (mut facts, mut none) = (Vec::new(), Vec::new());
                    for &bit in bits {
                        match none_of.group(bit) {
                            Some(group) => none.extend(group.iter().map(|&bit| fact(bit))),
                            None => facts.push(fact(bit)),
                        }
                    }
                    let support = support as f64 / total;
                    terms.push(LearnedTerm { weight, gain, support, facts, none });
                }
            }
            let course = policy.course.as_ref().map(|course| {
                let facts = course.phase.facts.list().iter().zip(&course.phase.weights);
                let facts = facts.map(|(bits, &weight)| LearnedFact { fact: fact(bits[0]), weight });
                LearnedCourse {
                    constant: course.phase.constant,
                    facts: facts.collect(),
                    gain: course.constant,
                }
            });
            if terms.is_empty() {
                notes.push(format!(
                    "no learned function for {name}: no fact told anything of its goal value before the end"
                ));
                continue;
            }
            let effect = |term: &LearnedTerm| {
                let weight = term.weight.abs().max((term.weight + term.gain).abs());
                weight * (term.support * (1.0 - term.support)).sqrt()
            };
            terms.sort_by(|a, b| effect(b).total_cmp(&effect(a)));
            functions.push(LearnedFunction {
                role: name.clone(),
                parameters: *self.parameters,
                rewards: self.rewards[role],
                rounds: self.rounds.clone(),
                constant: policy.constant,
                course,
                terms,
            });
        }
        functions
    }
}
