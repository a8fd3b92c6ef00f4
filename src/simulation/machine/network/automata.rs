//! Plays the [automata](crate::machine::automata) of a network one state at a time: a table gives their next bits, and the
//! wiring omits the gates for these bits.

use super::evaluate::{evaluate, holds};
use crate::ground::{Interrupt, Lit, Network};
use crate::machine::automata::{Automaton, NO_CLASS, automata};
use crate::machine::{MoveId, State};

/// Minimum number of two-input gates of an automaton's next values. Finding automata takes about as long as a hundred steps.
pub(super) const LEAST_GATES: usize = 50_000;

/// The state of an automaton if several of its bits hold; this never happens in a reachable state.
const SEVERAL: u32 = u32::MAX;

/// The automata of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Automata {
    list: Vec<Automaton>,
    /// For each automaton its bits, as masks of state words.
    masks: Vec<Vec<(usize, u64)>>,
    /// The words of a state that have bits outside the automata.
    words: Vec<usize>,
    /// For each automaton the class of every move of the deciding role; empty if no role decides.
    classes: Vec<Vec<u32>>,
}

impl Automata {
    /// The automata whose next values have at least `least` two-input gates; none if the search is interrupted.
    pub(super) fn new(network: &Network, least: usize, interrupt: &Interrupt) -> Automata {
        let nothing = vec![None; network.next.len()];
        let list = automata(network, &[nothing], least, interrupt).unwrap_or_default();
        let masks = list.iter().map(|automaton| {
            let mut masks: Vec<(usize, u64)> = Vec::new();
            for &bit in &automaton.bits {
                let word = bit as usize / 64;
                if masks.last().is_none_or(|&(last, _)| last != word) {
                    masks.push((word, 0));
                }
                masks.last_mut().expect("pushed just now").1 |= 1 << (bit % 64);
            }
            masks
        });
        let classes = list.iter().map(|automaton| {
            let transitions = &automaton.transitions[0];
            let Some(role) = transitions.role else { return Vec::new() };
            let mut classes = vec![NO_CLASS; network.actions.len()];
            for (m, &class) in network.moves[role].iter().zip(&transitions.classes) {
                classes[m.action as usize] = class;
            }
            classes
        });
        let (masks, classes): (Vec<Vec<_>>, Vec<_>) = (masks.collect(), classes.collect());
        let mut others = vec![0u64; network.bits.len().div_ceil(64)];
        (0..network.bits.len()).for_each(|bit| others[bit / 64] |= 1 << (bit % 64));
        masks.iter().flatten().for_each(|&(word, mask)| others[word] &= !mask);
        let words = (0..others.len()).filter(|&word| others[word] != 0).collect();
        Automata { masks, words, classes, list }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The words of a state that have bits outside the automata.
    pub(super) fn words(&self) -> &[usize] {
        &self.words
    }

    /// The network without the gates for the automata's bits; the next value of each such bit is the bit itself.
    pub(super) fn without(&self, network: &Network) -> Network {
        let mut rest = network.clone();
        for &bit in self.list.iter().flat_map(|automaton| &automaton.bits) {
            rest.next[bit as usize] = Lit::of(1 + bit);
        }
        let needed = network.cone(rest.outputs(|_| false));
        (rest.starts, rest.operands) = (vec![0], Vec::new());
        for gate in 0..network.gates() {
            if needed[network.first_gate as usize + gate] {
                rest.operands.extend_from_slice(network.gate(gate));
            }
            rest.starts.push(rest.operands.len() as u32);
        }
        rest
    }

    /// Computes the state of each automaton: the index of its bit that holds, the number of its bits if none holds, or
    /// [`SEVERAL`].
    pub(super) fn states(&self, state: &State, states: &mut Vec<u32>) {
        states.clear();
        states.extend(self.list.iter().zip(&self.masks).map(|(automaton, masks)| {
            let mut current = automaton.bits.len() as u32;
            for &(word, mask) in masks {
                let here = state.0[word] & mask;
                if here == 0 {
                    continue;
                }
                if here & (here - 1) != 0 || (current as usize) < automaton.bits.len() {
                    return SEVERAL;
                }
                let bit = word as u32 * 64 + here.trailing_zeros();
                current = automaton.bits.binary_search(&bit).expect("a bit of the automaton") as u32;
            }
            current
        }));
    }

    /// Plays a joint move; returns in `flips` the bits of the state that change.
    pub(super) fn step(
        &self,
        network: &Network,
        state: &State,
        joint: &[MoveId],
        states: &mut Vec<u32>,
        flips: &mut Vec<u32>,
    ) {
        let unknown = |number: usize| {
            let role = self.list[number].transitions[0].role;
            let class = role.map(|role| self.classes[number][joint[role].0 as usize]);
            states[number] == SEVERAL || class == Some(NO_CLASS)
        };
        if (0..self.list.len()).any(unknown) {
            return self.step_by_gates(network, state, joint, states, flips);
        }
        for (number, automaton) in self.list.iter().enumerate() {
            let transitions = &automaton.transitions[0];
            let class = transitions.role.map_or(0, |role| self.classes[number][joint[role].0 as usize]);
            let next = transitions.next[states[number] as usize * transitions.width + class as usize];
            let before = std::mem::replace(&mut states[number], next);
            if before != next {
                flips.extend([before, next].iter().filter_map(|&state| automaton.bits.get(state as usize)));
            }
        }
    }

    /// Like [`Automata::step`], by evaluating the whole network: for unreachable states and impossible moves.
    #[cold]
    fn step_by_gates(
        &self,
        network: &Network,
        state: &State,
        joint: &[MoveId],
        states: &mut Vec<u32>,
        flips: &mut Vec<u32>,
    ) {
        let mut values = vec![0; network.nodes as usize];
        for bit in 0..network.bits.len() {
            values[1 + bit] = (state.0[bit / 64] >> (bit % 64) & 1) as u8;
        }
        for (moves, action) in network.moves.iter().zip(joint) {
            let made = moves.iter().filter(|m| m.action == action.0);
            made.for_each(|m| values[m.input as usize] = 1);
        }
        evaluate(network, &mut values);
        let mut after = state.clone();
        for &bit in self.list.iter().flat_map(|automaton| &automaton.bits) {
            if holds(&values, network.next[bit as usize]) != (values[1 + bit as usize] == 1) {
                flips.push(bit);
                after.0[bit as usize / 64] ^= 1 << (bit % 64);
            }
        }
        self.states(&after, states);
    }
}
