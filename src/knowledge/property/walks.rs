//! Random walks from counterexamples to induction, which refute more candidates.
//!
//! # How
//! A model of the solver consists of a state in which all candidates hold, and of a step after which one
//! candidate fails. The state may be unreachable, so the model does not refute the candidate. It shows only that the
//! candidate does not follow by induction from all candidates. The solver would have to find a model for each such
//! candidate, which is expensive. Therefore a batch of 64 walks with random legal moves starts from the state of
//! the model, and candidates that fail in a visited state are dropped. A walk ends in a terminal state, or in a
//! state in which a proved lemma does not hold. Gates are evaluated for all walks of a batch at once.

use super::lemma::{Lemma, ProvedLemma};
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};
use crate::simulate::Choices;

/// The most steps of a walk.
const STEPS: u32 = 16;

/// After this number of consecutive batches without a result, counterexamples are skipped. After each further
/// [`PATIENCE`] batches the number of skipped counterexamples doubles.
const PATIENCE: u32 = 4;

/// The most operands of gates and literals of lemmas that a batch evaluates, which takes some milliseconds.
const MAX_EVALUATIONS: u64 = 8_000_000;

/// The number of operands and literals whose evaluation costs as much as one propagated literal of the solver.
const EVALUATIONS_PER_LITERAL: u64 = 20;

const SEED: u64 = 0x77a1_6b05;

/// Batches of 64 walks over the states of a network.
pub(super) struct Walks<'n, 'p> {
    network: &'n Network,
    proved: &'p [ProvedLemma],
    /// For every node, a bit for each walk: 1 if the node holds in it.
    values: Vec<u64>,
    /// Number of batches so far.
    number: u64,
    /// Operands and literals that this batch may still evaluate.
    operands_left: u64,
    /// Consecutive batches without a result.
    failures: u32,
    /// Counterexamples to skip.
    skips: u32,
}

impl<'n, 'p> Walks<'n, 'p> {
    /// Walks over a network's states. They end in a state in which one of the `proved` lemmas fails.
    pub(super) fn new(network: &'n Network, proved: &'p [ProvedLemma]) -> Walks<'n, 'p> {
        let values = vec![0; network.nodes as usize];
        Walks { network, proved, values, number: 0, operands_left: 0, failures: 0, skips: 0 }
    }

    /// A batch of walks from a state, given by its bits. In the solver's model, all open lemmas hold in this state.
    /// Returns the indices of the open lemmas that fail in a visited state, and the work.
    pub(super) fn failing(&mut self, state: &[bool], lemmas: &[Lemma], open: &[bool]) -> (Vec<usize>, u64) {
        if self.skips > 0 {
            self.skips -= 1;
            return (Vec::new(), 0);
        }
        self.number += 1;
        let mut choices = Choices::new(SEED, self.number);
        let mut undecided: Vec<usize> = (0..lemmas.len()).filter(|&index| open[index]).collect();
        let literals: usize = undecided.iter().map(|&index| lemmas[index].literals().len()).sum();
        let of_proved: usize = self.proved.iter().map(|proved| proved.lemma.literals().len()).sum();
        let (mut found, mut alive) = (Vec::new(), u64::MAX);
        self.operands_left = MAX_EVALUATIONS;
        for (value, &holds) in self.values[1..].iter_mut().zip(state) {
            *value = if holds { u64::MAX } else { 0 };
        }
        for step in 0..STEPS {
            self.operands_left = self.operands_left.saturating_sub((literals + of_proved) as u64);
            if !self.evaluate(0..self.network.state_segments) {
                break;
            }
            alive &= !self.value(self.network.terminal);
            for proved in self.proved {
                alive &= !self.violations(&proved.lemma);
            }
            let failing = |&index: &usize| self.violations(&lemmas[index]) & alive != 0;
            let (failing, rest): (Vec<usize>, Vec<usize>) =
                undecided.iter().partition(|index| failing(index));
            if step == 0 && !failing.is_empty() {
                // The solver's model can have wrong values for recursive atoms. Then the lemmas do not hold in the
                // state, contrary to the model, and the walks prove nothing.
                break;
            }
            found.extend(failing);
            undecided = rest;
            if step + 1 == STEPS || undecided.is_empty() {
                break;
            }
            alive &= self.choose(&mut choices, alive);
            if alive == 0 {
                break;
            }
            if !self.evaluate(self.network.state_segments..self.network.segments.len()) {
                break;
            }
            let next: Vec<u64> = self.network.next.iter().map(|&next| self.value(next)).collect();
            self.values[1..=next.len()].copy_from_slice(&next);
        }
        match found.is_empty() {
            false => self.failures = 0,
            true => {
                self.failures += 1;
                self.skips = 1_u32.checked_shl(self.failures / PATIENCE).map_or(u32::MAX, |more| more - 1);
            }
        }
        (found, (MAX_EVALUATIONS - self.operands_left) / EVALUATIONS_PER_LITERAL)
    }

    fn value(&self, literal: Lit) -> u64 {
        let value = self.values[literal.node() as usize];
        if literal.negated() { !value } else { value }
    }

    /// Evaluates the gates of some segments. Returns false if the batch has no evaluations left.
    fn evaluate(&mut self, segments: std::ops::Range<usize>) -> bool {
        let network = self.network;
        for segment in &network.segments[segments] {
            match segment {
                Segment::Straight(gates) => self.evaluate_gates(gates.clone()),
                Segment::Loop { gates, feedback } => {
                    feedback.iter().for_each(|&(node, _)| self.values[node as usize] = 0);
                    while self.operands_left > 0 {
                        self.evaluate_gates(gates.clone());
                        let mut same = true;
                        for &(node, definition) in feedback {
                            let now = self.value(definition);
                            same &= self.values[node as usize] == now;
                            self.values[node as usize] = now;
                        }
                        if same {
                            break;
                        }
                    }
                }
            }
        }
        self.operands_left > 0
    }

    fn evaluate_gates(&mut self, gates: std::ops::Range<u32>) {
        let starts = [gates.start, gates.end].map(|gate| self.network.starts[gate as usize]);
        self.operands_left = self.operands_left.saturating_sub(1 + u64::from(starts[1] - starts[0]));
        for gate in gates {
            let operands = self.network.gate(gate as usize).iter();
            let holds = operands.fold(u64::MAX, |holds, &operand| holds & self.value(operand));
            self.values[(self.network.first_gate + gate) as usize] = holds;
        }
    }

    /// The walks in which a lemma fails, as bits.
    fn violations(&self, lemma: &Lemma) -> u64 {
        let mut literals = lemma.literals().iter().map(|&literal| self.value(literal));
        match lemma {
            Lemma::Clause(_) => !literals.fold(0, |any, value| any | value),
            Lemma::AtMostOne(_) => {
                let (mut one, mut two) = (0, 0);
                literals.by_ref().for_each(|value| {
                    two |= one & value;
                    one |= value;
                });
                two
            }
        }
    }

    /// Draws a legal move for every role in every walk. Returns the walks in which every role has a legal move.
    fn choose(&mut self, choices: &mut Choices, alive: u64) -> u64 {
        let mut can_move = alive;
        for moves in &self.network.moves {
            let mut counts = [0_u32; 64];
            let mut drawn = [u32::MAX; 64];
            for (index, chosen) in moves.iter().enumerate() {
                self.values[chosen.input as usize] = 0;
                let mut legal = self.value(chosen.legal) & can_move;
                while legal != 0 {
                    let walk = legal.trailing_zeros() as usize;
                    legal &= legal - 1;
                    counts[walk] += 1;
                    // Reservoir sampling: all legal moves are equally likely.
                    if choices.below(counts[walk] as usize) == 0 {
                        drawn[walk] = index as u32;
                    }
                }
            }
            for (walk, index) in drawn.into_iter().enumerate() {
                match moves.get(index as usize) {
                    Some(chosen) => self.values[chosen.input as usize] |= 1 << walk,
                    None => can_move &= !(1 << walk),
                }
            }
        }
        can_move
    }
}

#[cfg(test)]
mod tests {
    use super::super::lemma::of_bit;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, Loaded, load};

    #[test]
    fn walks_find_late_violations_and_respect_proofs() {
        let game = counted();
        let machine = &*game.machine;
        let network = machine.network().unwrap();
        let bit = |name: &str| {
            let fluent = machine.fluent_named(name).unwrap();
            network.fluents[fluent.0 as usize].bit.unwrap()
        };
        let never = |name: &str| Lemma::Clause(vec![!of_bit(bit(name))]);
        let lemmas = [
            never("(lit 4)"),
            never("(lit 9)"),
            Lemma::AtMostOne(vec![of_bit(bit("(lit 1)")), of_bit(bit("(lit 2)"))]),
        ];
        let mut state = vec![false; network.bits.len()];
        state[bit("(lit 1)") as usize] = true;
        let found = Walks::new(network, &[]).failing(&state, &lemmas, &[true; 3]).0;
        assert_eq!(found, [0], "the light reaches position 4 and never returns to position 9");
        assert_eq!(Walks::new(network, &[]).failing(&state, &lemmas, &[false, true, true]).0, [0_usize; 0]);
        let proved = [ProvedLemma { lemma: never("(lit 3)"), k: 1 }];
        assert_eq!(Walks::new(network, &proved).failing(&state, &lemmas, &[true; 3]).0, [0_usize; 0]);
    }

    /// A light moves from position to position up to the eighth when `go` is played; the ninth is lit from
    /// the start on.
    fn counted() -> Loaded {
        let text = "(role r) (legal r go) (legal r stay)
                    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
                    (init (lit 9)) (<= (next (lit 9)) (true (lit 9)) (does r stay))
                    (<= (next (lit ?n)) (true (lit ?m)) (succ ?m ?n) (does r go))
                    (<= (next (lit ?n)) (true (lit ?n)) (does r stay) (distinct ?n 9))
                    (<= (next (lit 1)) (true (lit 9)) (does r go))
                    (<= terminal (true (lit 8))) (goal r 0)";
        let description = read(&Source::from_text("counted", text)).description.unwrap();
        load(description, Backend::Network, &Limits::default()).unwrap()
    }
}
