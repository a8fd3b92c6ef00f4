//! Random walks from counterexamples to induction: what else fails after a state in which all candidates hold.
//!
//! # How
//! A model of the solver is a state in which all candidates hold, and a step after which one fails. The state need not be
//! one that play can come to, so what fails there is not refuted; but it is not proved by induction over the others either,
//! and the solver would have to find a model for it. So 64 walks go on from the state, each with legal moves drawn at
//! random. What fails in a state on the way is dropped, whereupon all that is left holds in it, and the walk goes on. It ends
//! in a terminal state, and where something that was proved before does not hold. Gates are looked at a word at a time.

use super::induction::ProvedLemma;
use super::lemma::Lemma;
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};
use crate::simulate::Choices;

/// Steps of a walk.
const STEPS: u32 = 16;

/// Walks without a find after which as many counterexamples are passed over before the next, doubled each time.
const PATIENCE: u32 = 4;

/// Operands of gates and literals of lemmas that a walk may look at: beyond it ends, within some milliseconds.
const MOST: u64 = 8_000_000;

/// Gates and literals looked at in the time that a literal of the solver takes to be propagated.
const LOOKED_AT: u64 = 20;

/// Any seed does.
const SEED: u64 = 0x77a1_6b05;

/// Walks over the states of a network.
pub(super) struct Walks<'n, 'p> {
    network: &'n Network,
    proved: &'p [ProvedLemma],
    /// For every node the walks in which it holds.
    values: Vec<u64>,
    /// Walks so far.
    number: u64,
    /// Operands and literals that this walk may still look at.
    left: u64,
    /// Walks one after another that found nothing, and counterexamples to be passed over.
    in_vain: u32,
    passing: u32,
}

impl<'n, 'p> Walks<'n, 'p> {
    /// Walks of a network's game, in whose states this is proved.
    pub(super) fn new(network: &'n Network, proved: &'p [ProvedLemma]) -> Walks<'n, 'p> {
        let values = vec![0; network.nodes as usize];
        Walks { network, proved, values, number: 0, left: 0, in_vain: 0, passing: 0 }
    }

    /// Walks from a state, given by its bits, in which all open lemmas hold, as well as in those that came before it; gives
    /// those that fail on the way, and about what that costs.
    pub(super) fn failing(&mut self, state: &[bool], lemmas: &[Lemma], open: &[bool]) -> (Vec<usize>, u64) {
        if self.passing > 0 {
            self.passing -= 1;
            return (Vec::new(), 0);
        }
        self.number += 1;
        let mut choices = Choices::new(SEED, self.number);
        let mut left: Vec<usize> = (0..lemmas.len()).filter(|&place| open[place]).collect();
        let literals: usize = left.iter().map(|&place| lemmas[place].literals().len()).sum();
        let of_proved: usize = self.proved.iter().map(|proved| proved.lemma.literals().len()).sum();
        let (mut found, mut alive) = (Vec::new(), u64::MAX);
        self.left = MOST;
        for (value, &holds) in self.values[1..].iter_mut().zip(state) {
            *value = if holds { u64::MAX } else { 0 };
        }
        for step in 0..STEPS {
            self.left = self.left.saturating_sub((literals + of_proved) as u64);
            if !self.look(0..self.network.state_segments) {
                break;
            }
            alive &= !self.value(self.network.terminal);
            for proved in self.proved {
                alive &= !self.violations(&proved.lemma);
            }
            let failing = |&place: &usize| self.violations(&lemmas[place]) & alive != 0;
            let (failing, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|place| failing(place));
            if step == 0 && !failing.is_empty() {
                // The solver takes recursive atoms for what they are not: this is no state of the game.
                break;
            }
            found.extend(failing);
            left = rest;
            if step + 1 == STEPS || left.is_empty() {
                break;
            }
            alive &= self.choose(&mut choices, alive);
            if alive == 0 {
                break;
            }
            if !self.look(self.network.state_segments..self.network.segments.len()) {
                break;
            }
            let next: Vec<u64> = self.network.next.iter().map(|&next| self.value(next)).collect();
            self.values[1..=next.len()].copy_from_slice(&next);
        }
        match found.is_empty() {
            false => self.in_vain = 0,
            true => {
                self.in_vain += 1;
                self.passing = 1_u32.checked_shl(self.in_vain / PATIENCE).map_or(u32::MAX, |more| more - 1);
            }
        }
        (found, (MOST - self.left) / LOOKED_AT)
    }

    fn value(&self, literal: Lit) -> u64 {
        let value = self.values[literal.node() as usize];
        if literal.negated() { !value } else { value }
    }

    /// Looks at the gates of some segments; whether the walk's work lasted for it.
    fn look(&mut self, segments: std::ops::Range<usize>) -> bool {
        let network = self.network;
        for segment in &network.segments[segments] {
            match segment {
                Segment::Straight(gates) => self.gates(gates.clone()),
                Segment::Loop { gates, feedback } => {
                    feedback.iter().for_each(|&(node, _)| self.values[node as usize] = 0);
                    while self.left > 0 {
                        self.gates(gates.clone());
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
        self.left > 0
    }

    fn gates(&mut self, gates: std::ops::Range<u32>) {
        let starts = [gates.start, gates.end].map(|gate| self.network.starts[gate as usize]);
        self.left = self.left.saturating_sub(1 + u64::from(starts[1] - starts[0]));
        for gate in gates {
            let operands = self.network.gate(gate as usize).iter();
            let holds = operands.fold(u64::MAX, |holds, &operand| holds & self.value(operand));
            self.values[(self.network.first_gate + gate) as usize] = holds;
        }
    }

    /// The walks in which a lemma does not hold.
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

    /// Has every role make one of its legal moves; gives the walks in which each role has one.
    fn choose(&mut self, choices: &mut Choices, alive: u64) -> u64 {
        let mut moving = alive;
        for moves in &self.network.moves {
            let mut counts = [0_u32; 64];
            let mut made = [u32::MAX; 64];
            for (place, chosen) in moves.iter().enumerate() {
                self.values[chosen.input as usize] = 0;
                let mut legal = self.value(chosen.legal) & moving;
                while legal != 0 {
                    let walk = legal.trailing_zeros() as usize;
                    legal &= legal - 1;
                    counts[walk] += 1;
                    // Each as likely as the others.
                    if choices.below(counts[walk] as usize) == 0 {
                        made[walk] = place as u32;
                    }
                }
            }
            for (walk, place) in made.into_iter().enumerate() {
                match moves.get(place as usize) {
                    Some(chosen) => self.values[chosen.input as usize] |= 1 << walk,
                    None => moving &= !(1 << walk),
                }
            }
        }
        moving
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
    fn what_fails_steps_later_is_found_and_proofs_are_kept_to() {
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
        assert_eq!(found, [0], "it wanders to the fourth, and can't come to the ninth");
        assert_eq!(Walks::new(network, &[]).failing(&state, &lemmas, &[false, true, true]).0, [0_usize; 0]);
        let proved = [ProvedLemma { lemma: never("(lit 3)"), k: 1 }];
        assert_eq!(Walks::new(network, &proved).failing(&state, &lemmas, &[true; 3]).0, [0_usize; 0]);
    }

    /// A light wanders from place to place up to the eighth while somebody lets it; the ninth is lit from the start on.
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
