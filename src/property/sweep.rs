//! SAT sweeping of a network under the proved lemmas, tried to see what it saves (Kuehlmann and Krohm 1997; Mishchenko et al.
//! 2005; `scorr` of ABC): nodes that random play and counterexamples do not tell apart are proved to be alike.
#![allow(missing_docs)]

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use batsat::Lit as Literal;

use super::induction::Invariants;
use super::lemma::Lemma;
use super::plays::Plays;
use super::prove::{PLAY, lemmas_for};
use super::solver::{Allowance, Answer};
use super::unrolling::{From, Unrolling};
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};
use crate::machine::{Machine, MachineError};
use crate::simulate::Choices;

/// Words of 64 samples evaluated.
pub struct Samples {
    /// Per batch: value words per input node, mask of non-terminal samples with moves, mask of all samples.
    batches: Vec<(Vec<u64>, u64, u64)>,
    pub states: usize,
}

impl Samples {
    pub fn play(
        machine: &dyn Machine,
        network: &Network,
        batches: usize,
        max_steps: u32,
        work: u64,
    ) -> Result<Samples, MachineError> {
        let roles = network.moves.len();
        let inputs = network.first_gate as usize;
        let mut made: Vec<(Vec<u64>, u64, u64)> = Vec::new();
        let mut cursor = machine.cursor();
        let mut states = 0;
        let by_action: Vec<HashMap<u32, u32>> =
            network.moves.iter().map(|moves| moves.iter().map(|m| (m.action, m.input)).collect()).collect();
        let mut play = 0;
        'all: loop {
            let mut choices = Choices::new(77, play);
            play += 1;
            cursor.set(machine.initial())?;
            for step in 0.. {
                if states % 64 == 0 {
                    if made.len() == batches || cursor.work() > work {
                        break 'all;
                    }
                    made.push((vec![0; inputs], 0, 0));
                }
                let lane = states % 64;
                states += 1;
                let (values, going, all) = made.last_mut().unwrap();
                *all |= 1 << lane;
                for bit in 0..network.bits.len() {
                    values[1 + bit] |= (cursor.state().0[bit / 64] >> (bit % 64) & 1) << lane;
                }
                if cursor.terminal()
                    || (0..roles).any(|role| cursor.legal(role).is_empty())
                    || step >= max_steps
                {
                    break;
                }
                *going |= 1 << lane;
                let joint: Vec<_> = (0..roles)
                    .map(|role| {
                        let legal = cursor.legal(role);
                        legal[choices.below(legal.len())]
                    })
                    .collect();
                for (role, action) in joint.iter().enumerate() {
                    values[by_action[role][&action.0] as usize] |= 1 << lane;
                }
                cursor.advance(&joint)?;
            }
        }
        Ok(Samples { batches: made, states })
    }
}

fn word(values: &[u64], literal: Lit) -> u64 {
    values[literal.node() as usize] ^ if literal.negated() { !0 } else { 0 }
}

fn evaluate(network: &Network, values: &mut Vec<u64>) {
    values.resize(network.nodes as usize, 0);
    let first = network.first_gate as usize;
    for segment in &network.segments {
        match segment {
            Segment::Straight(gates) => {
                for gate in gates.clone() {
                    values[first + gate as usize] =
                        network.gate(gate as usize).iter().fold(!0, |all, &o| all & word(values, o));
                }
            }
            Segment::Loop { gates, feedback } => {
                feedback.iter().for_each(|&(node, _)| values[node as usize] = 0);
                loop {
                    for gate in gates.clone() {
                        values[first + gate as usize] =
                            network.gate(gate as usize).iter().fold(!0, |all, &o| all & word(values, o));
                    }
                    let mut changed = 0;
                    for &(node, definition) in feedback {
                        let value = word(values, definition);
                        changed |= std::mem::replace(&mut values[node as usize], value) ^ value;
                    }
                    if changed == 0 {
                        break;
                    }
                }
            }
        }
    }
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Signatures of nodes.
struct Signatures {
    phase: Vec<u64>,
    full: Vec<u64>,
    going: Vec<u64>,
    /// By operand, whether no sample shows it needed.
    redundant: Vec<bool>,
}

impl Signatures {
    fn of(network: &Network, samples: &Samples, at_end: &[bool]) -> Signatures {
        let nodes = network.nodes as usize;
        let mut signatures = Signatures {
            phase: Vec::new(),
            full: vec![0; nodes],
            going: vec![0; nodes],
            redundant: vec![true; network.operands.len()],
        };
        for (inputs, going, all) in &samples.batches {
            let mut values = inputs.clone();
            evaluate(network, &mut values);
            if signatures.phase.is_empty() {
                signatures.phase = values.iter().map(|value| 0u64.wrapping_sub(value & 1)).collect();
            }
            signatures.note(&values, *going, *all);
            for gate in 0..network.gates() {
                let range = network.starts[gate] as usize..network.starts[gate + 1] as usize;
                let care = if at_end[network.first_gate as usize + gate] { *all } else { *going };
                let mut before = care;
                let operands = &network.operands[range.clone()];
                let mut after = vec![care; operands.len()];
                for place in (0..operands.len().saturating_sub(1)).rev() {
                    after[place] = after[place + 1] & word(&values, operands[place + 1]);
                }
                for (place, &operand) in operands.iter().enumerate() {
                    let value = word(&values, operand);
                    if before & after[place] & !value != 0 {
                        signatures.redundant[range.start + place] = false;
                    }
                    before &= value;
                }
            }
        }
        signatures
    }

    fn note(&mut self, values: &[u64], going: u64, all: u64) {
        for (node, value) in values.iter().enumerate() {
            let value = value ^ self.phase[node];
            self.full[node] = mix(self.full[node], value & all);
            self.going[node] = mix(self.going[node], value & going);
        }
    }
}

pub struct Figures {
    pub gates: usize,
    pub two_input: usize,
}

impl Figures {
    pub fn of(network: &Network) -> Figures {
        Figures { gates: network.gates(), two_input: network.two_input_gates() }
    }
}

/// What a node may be replaced by.
fn replaceable(network: &Network) -> Vec<bool> {
    let mut yes = vec![true; network.nodes as usize];
    for segment in &network.segments {
        if let Segment::Loop { gates, feedback } = segment {
            gates.clone().for_each(|gate| yes[(network.first_gate + gate) as usize] = false);
            feedback.iter().for_each(|&(node, _)| yes[node as usize] = false);
        }
    }
    yes[0] = false;
    yes
}

/// Nodes whose values count in terminal states.
fn at_end(network: &Network) -> Vec<bool> {
    let goals = network.goals.iter().flatten().map(|&(_, condition)| condition);
    let legal = network.moves.iter().flatten().map(|m| m.legal);
    let loops = network.segments.iter().flat_map(|segment| match segment {
        Segment::Loop { feedback, .. } => &feedback[..],
        Segment::Straight(_) => &[],
    });
    // Loops are kept as they are; what feeds them counts everywhere.
    let definitions = loops.map(|&(_, definition)| definition);
    network.cone(goals.chain(legal).chain(definitions).chain([network.terminal]).collect())
}

/// What the network would be if all that samples show were so.
pub fn optimistic(network: &Network, samples: &Samples, drop: bool) -> Network {
    let at_end = at_end(network);
    let signatures = Signatures::of(network, samples, &at_end);
    let replaceable = replaceable(network);
    let mut image: Vec<Lit> = (0..network.nodes).map(Lit::of).collect();
    let mut by_going: HashMap<u64, Lit> = HashMap::new();
    let mut by_full: HashMap<(u64, u64), Lit> = HashMap::new();
    for node in 0..network.nodes {
        let n = node as usize;
        let own = Lit::of(node).negate_if(signatures.phase[n] != 0);
        let found = if at_end[n] {
            by_full.get(&(signatures.going[n], signatures.full[n]))
        } else {
            by_going.get(&signatures.going[n])
        };
        let is_bit_or_gate = replaceable[n];
        match found {
            Some(&to) if is_bit_or_gate => image[n] = to.negate_if(own.negated()),
            _ => {
                by_going.entry(signatures.going[n]).or_insert(own);
                by_full.entry((signatures.going[n], signatures.full[n])).or_insert(own);
            }
        }
    }
    let mut gates: Vec<Vec<Lit>> = (0..network.gates()).map(|gate| network.gate(gate).to_vec()).collect();
    if drop {
        // One at a time, by samples: the first words alone.
        let mut values: Vec<Vec<u64>> = Vec::new();
        let few: Vec<&(Vec<u64>, u64, u64)> = samples.batches.iter().take(64).collect();
        for (inputs, ..) in &few {
            let mut of = inputs.clone();
            evaluate(network, &mut of);
            values.push(of);
        }
        for gate in 0..network.gates() {
            let node = network.first_gate as usize + gate;
            if !replaceable[node] || image[node] != Lit::of(node as u32) {
                continue;
            }
            let start = network.starts[gate] as usize;
            let mut kept = network.gate(gate).to_vec();
            for place in (0..kept.len()).rev() {
                if !signatures.redundant[start + place] || kept.len() == 1 {
                    continue;
                }
                let needed = few.iter().zip(&values).any(|((_, going, all), values)| {
                    let care = if at_end[node] { *all } else { *going };
                    let rest = kept.iter().enumerate().filter(|(other, _)| *other != place);
                    rest.fold(care, |rest, (_, &o)| rest & word(values, o)) & !word(values, kept[place]) != 0
                });
                if !needed {
                    kept.remove(place);
                }
            }
            gates[gate] = kept;
        }
    }
    network.rewired(&image, &gates)
}

/// What came of a sweep.
#[derive(Default, Debug)]
pub struct Swept {
    pub network: Network,
    /// The same with merges alone.
    pub merged: Network,
    pub candidates: usize,
    pub proved: usize,
    pub refuted: usize,
    pub unknown: usize,
    pub drops_tried: usize,
    pub dropped: usize,
    pub lemmas: usize,
    pub lemma_seconds: f64,
    pub lemma_cpu: f64,
    pub sweep_seconds: f64,
    pub drop_seconds: f64,
    pub work: u64,
    pub is_over: bool,
}

/// Proves what it can.
pub fn sweep(
    machine: &dyn Machine,
    samples: &Samples,
    lemma_work: u64,
    work: u64,
    induct: bool,
    anywhere: bool,
) -> Result<Swept, MachineError> {
    let network = machine.network().expect("a network");
    let clock = Instant::now();
    let allowance = Allowance::new(lemma_work, None);
    let plays = Plays::gather(machine, 1, 500, PLAY, &allowance, &|_| true)?;
    let mut invariants = if anywhere {
        Invariants::new(network, &allowance, false)
    } else {
        lemmas_for(network, &plays, &allowance)
    };
    let mut swept = Swept {
        lemmas: invariants.proved.len(),
        lemma_seconds: clock.elapsed().as_secs_f64(),
        ..Swept::default()
    };
    let clock = Instant::now();
    let allowance = Allowance::new(work, None);
    let at_end = if anywhere { vec![true; network.nodes as usize] } else { at_end(network) };
    let mut signatures = Signatures::of(network, samples, &at_end);
    let replaceable = replaceable(network);
    if induct {
        let lemmas = equal_as_lemmas(network, &signatures, &replaceable, &at_end);
        invariants.prove(lemmas, 1);
        swept.lemmas = invariants.proved.len();
    }
    let mut image: Vec<Lit> = (0..network.nodes).map(Lit::of).collect();
    let mut frames = Frames::new(network, &invariants, &allowance);
    if anywhere {
        frames.any.one_move_each();
    }
    // Classes by what is seen of states that go on.
    let mut classes: HashMap<u64, Vec<u32>> = HashMap::new();
    let initial = signatures.going.clone();
    for node in 0..network.nodes {
        let n = node as usize;
        let class = classes.entry(initial[n]).or_default();
        let mut tried = 0;
        if replaceable[n] && !class.is_empty() {
            swept.candidates += 1;
            for &other in class.iter() {
                let o = other as usize;
                let same = signatures.going[o] == signatures.going[n]
                    && (!at_end[n] || signatures.full[o] == signatures.full[n]);
                if !same || (at_end[n] && !at_end[o] && o != 0) {
                    continue;
                }
                tried += 1;
                let negated = signatures.phase[o] != signatures.phase[n];
                let to = Lit::of(other).negate_if(negated);
                match frames.equal(Lit::of(node), to, at_end[n]) {
                    Answer::Unsatisfiable => {
                        swept.proved += 1;
                        image[n] = to;
                        break;
                    }
                    Answer::Satisfiable => {
                        swept.refuted += 1;
                        if let Some((values, going, all)) = frames.refined() {
                            signatures.note(&values, going, all);
                        }
                    }
                    Answer::Unknown => {
                        swept.unknown += 1;
                    }
                }
                if tried >= 4 || allowance.is_over() {
                    break;
                }
            }
        }
        if image[n] == Lit::of(node) {
            class.push(node);
        }
        if allowance.is_over() {
            swept.is_over = true;
            break;
        }
    }
    let mut gates: Vec<Vec<Lit>> = (0..network.gates()).map(|gate| network.gate(gate).to_vec()).collect();
    swept.merged = network.rewired(&image, &gates);
    swept.sweep_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    // Operands that others imply.
    for gate in 0..network.gates() {
        let node = network.first_gate as usize + gate;
        if !replaceable[node] || image[node] != Lit::of(node as u32) {
            continue;
        }
        let start = network.starts[gate] as usize;
        let mut kept = network.gate(gate).to_vec();
        for place in (0..kept.len()).rev() {
            if !signatures.redundant[start + place] || kept.len() == 1 {
                continue;
            }
            if allowance.is_over() {
                swept.is_over = true;
                break;
            }
            swept.drops_tried += 1;
            let mut rest = kept.clone();
            let operand = rest.remove(place);
            if frames.implies(&rest, operand, at_end[node]) == Answer::Unsatisfiable {
                swept.dropped += 1;
                kept = rest;
            }
        }
        gates[gate] = kept;
    }
    swept.drop_seconds = clock.elapsed().as_secs_f64();
    swept.network = network.rewired(&image, &gates);
    swept.work = allowance.spent();
    Ok(swept)
}

/// That nodes of the state are alike, as candidates for an induction.
fn equal_as_lemmas(
    network: &Network,
    signatures: &Signatures,
    replaceable: &[bool],
    at_end: &[bool],
) -> Vec<Lemma> {
    let state_gates: u32 = network.segments[..network.state_segments]
        .iter()
        .map(|segment| match segment {
            Segment::Straight(gates) | Segment::Loop { gates, .. } => gates.end,
        })
        .max()
        .unwrap_or(0);
    let bits = network.bits.len() as u32;
    let mut first: HashMap<(u64, u64), u32> = HashMap::new();
    let mut lemmas = Vec::new();
    for node in (0..=bits).chain(network.first_gate..network.first_gate + state_gates) {
        let n = node as usize;
        if !at_end[n] && node > bits {
            continue;
        }
        let other = *first.entry((signatures.going[n], signatures.full[n])).or_insert(node);
        if other != node && replaceable[n] {
            let to = Lit::of(other).negate_if(signatures.phase[other as usize] != signatures.phase[n]);
            let own = Lit::of(node);
            if other == 0 {
                lemmas.push(Lemma::Clause(vec![if to == Lit::TRUE { own } else { !own }]));
            } else {
                lemmas.push(Lemma::Clause(vec![own, !to]));
                lemmas.push(Lemma::Clause(vec![!own, to]));
            }
        }
    }
    lemmas
}

struct Frames<'n> {
    network: &'n Network,
    /// Any state; a state from which a step is made.
    any: Unrolling<'n>,
    going: Unrolling<'n>,
    pending: Vec<(Vec<bool>, bool)>,
}

const PENDING: usize = 16;
const QUESTION: u64 = 200_000;

impl<'n> Frames<'n> {
    fn new(network: &'n Network, invariants: &Invariants<'_>, allowance: &Rc<Allowance>) -> Frames<'n> {
        let mut any = Unrolling::new(network, From::Anywhere, allowance);
        let mut going = Unrolling::new(network, From::Anywhere, allowance);
        for proved in &invariants.proved {
            any.assume(0, &proved.lemma, None);
            going.assume(0, &proved.lemma, None);
        }
        going.step();
        Frames { network, any, going, pending: Vec::new() }
    }

    fn equal(&mut self, one: Lit, other: Lit, at_end: bool) -> Answer {
        let frames = if at_end { &mut self.any } else { &mut self.going };
        let [a, b] = [one, other].map(|literal| frames.literal(0, literal));
        if a == b {
            return Answer::Unsatisfiable;
        }
        for question in [[a, !b], [!a, b]] {
            match frames.solver.solve(&question, QUESTION) {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable => {
                    let inputs: Vec<bool> = (0..self.network.first_gate)
                        .map(|node| frames.holds_if_written(0, Lit::of(node)))
                        .collect();
                    self.pending.push((inputs, !at_end));
                    return Answer::Satisfiable;
                }
                Answer::Unknown => return Answer::Unknown,
            }
        }
        // What holds in all states holds where a step is made.
        for (place, frames) in [&mut self.going, &mut self.any].into_iter().enumerate() {
            if (place == 0 || at_end) && frames.is_written(0, one) && frames.is_written(0, other) {
                let [a, b] = [one, other].map(|literal| frames.literal(0, literal));
                frames.solver.clause(&[a, !b]);
                frames.solver.clause(&[!a, b]);
            }
        }
        Answer::Unsatisfiable
    }

    fn implies(&mut self, rest: &[Lit], operand: Lit, at_end: bool) -> Answer {
        let frames = if at_end { &mut self.any } else { &mut self.going };
        let mut question: Vec<Literal> = rest.iter().map(|&literal| frames.literal(0, literal)).collect();
        let operand = frames.literal(0, operand);
        question.push(!operand);
        frames.solver.solve(&question, QUESTION)
    }

    /// The values of all nodes in the models found, once there are enough.
    fn refined(&mut self) -> Option<(Vec<u64>, u64, u64)> {
        if self.pending.len() < PENDING {
            return None;
        }
        let mut values = vec![0u64; self.network.first_gate as usize];
        let (mut going, mut all) = (0, 0);
        for (lane, (inputs, goes)) in self.pending.drain(..).enumerate() {
            all |= 1 << lane;
            going |= u64::from(goes) << lane;
            for (value, &holds) in values.iter_mut().zip(&inputs) {
                *value |= u64::from(holds) << lane;
            }
        }
        evaluate(self.network, &mut values);
        Some((values, going, all))
    }
}
