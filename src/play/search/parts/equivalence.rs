//! Equivalent states of a part.
//!
//! # How
//! All states of a part that reads no other part are found from its own fluents. Two of them are equivalent if the rest of
//! the game reads the same conditions in both, and every joint move that may be legal leads to equivalent states: the
//! coarsest such partition, by refinement in rounds (Moore 1956). When the first of two boards in a sequence is full,
//! for instance, only its result matters.
//!
//! # Guarantee
//! Replacing the fluents of a part by those of an equivalent state changes no legal move, no end and no goal value, now and
//! later.

use rustc_hash::FxHashMap;

use crate::ground::parts::{Condition, Owner, Part, Parts, conditions, owners};
use crate::ground::{Lit, Network};
use crate::machine::{Machine, MoveId, State};
use crate::search::limits::{Halt, Meter};

/// The most states of a part, and the most joint moves played in them.
const STATES: usize = 100_000;
const JOINT_MOVES: usize = 2_000_000;

/// The most joint moves read to refine the partition.
const REFINEMENT: usize = 20_000_000;

/// The most gate operands read to evaluate the states.
const WORK: usize = 400_000_000;

/// For each part that reads no other part, the representative of each of its states.
pub(in crate::search) struct Equivalence {
    parts: Vec<Representatives>,
}

/// The representatives of the states of a part.
struct Representatives {
    /// The bits of the part.
    mask: Box<[u64]>,
    /// For the bits of each state, without all others, those of the first equivalent state.
    of: FxHashMap<Box<[u64]>, Box<[u64]>>,
}

impl Equivalence {
    /// Finds equivalent states; none if no part has two equivalent states, or all parts that read no other are too
    /// large.
    ///
    /// # Errors
    /// A state can't be evaluated, or a limit is reached.
    pub(in crate::search) fn find(
        machine: &dyn Machine,
        state: &State,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Equivalence>, Halt> {
        let Some(network) = machine.network() else { return Ok(None) };
        let Some(parts) = Parts::of(network, &|| meter.interrupted()) else { return Ok(None) };
        let mut found = Vec::new();
        for part in parts.parts.iter().filter(|part| part.after.is_none()) {
            if let Some(states) =
                PartStates::new(machine, network, &parts, part, state).explore(state, meter)?
            {
                found.extend(states.representatives(meter)?);
            }
        }
        Ok((!found.is_empty()).then_some(Equivalence { parts: found }))
    }

    /// Replaces the bits of each part by those of its representative.
    pub(in crate::search) fn replace(&self, words: &mut [u64]) {
        for part in &self.parts {
            let own: Box<[u64]> = words.iter().zip(&part.mask).map(|(word, mask)| word & mask).collect();
            if let Some(first) = part.of.get(&own) {
                for ((word, mask), first) in words.iter_mut().zip(&part.mask).zip(first) {
                    *word = *word & !mask | first;
                }
            }
        }
    }
}

/// The states of a part, with all joint moves that may be legal in them.
struct PartStates<'m> {
    machine: &'m dyn Machine,
    network: &'m Network,
    /// The bits of the part, and of the turn.
    bits: Vec<u32>,
    mask: Box<[u64]>,
    /// The conditions that the rest of the game reads.
    read: Vec<Condition>,
    states: Vec<Box<[u64]>>,
    ids: FxHashMap<Box<[u64]>, u32>,
    /// For each state the conditions that hold.
    seen: Vec<Vec<bool>>,
    /// For each state the joint moves, by number, with the successors.
    next: Vec<Vec<(u32, u32)>>,
}

impl<'m> PartStates<'m> {
    fn new(
        machine: &'m dyn Machine,
        network: &'m Network,
        parts: &Parts,
        part: &Part,
        state: &State,
    ) -> PartStates<'m> {
        let bits = with_turn(network, parts, part);
        let mut own = vec![Owner::Several; network.next.len()];
        let mut mask = vec![0; state.0.len()].into_boxed_slice();
        for &bit in &bits {
            own[bit as usize] = Owner::Part(0);
            mask[bit as usize / 64] |= 1 << (bit % 64);
        }
        let others = (0..network.next.len()).filter(|&bit| own[bit] == Owner::Several);
        let roots: Vec<Lit> = (others.map(|bit| network.next[bit]))
            .chain(network.goals.iter().flatten().map(|&(_, goal)| goal))
            .chain(network.moves.iter().flatten().map(|of| of.legal))
            .chain([network.terminal])
            .collect();
        let read = conditions(network, &roots, &owners(network, own.into_iter()));
        PartStates {
            machine,
            network,
            bits,
            mask,
            read,
            states: Vec::new(),
            ids: FxHashMap::default(),
            seen: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Finds the states; none if they are too many.
    fn explore(mut self, first: &State, meter: &mut Meter<'_>) -> Result<Option<Self>, Halt> {
        let mut cursor = self.machine.cursor();
        let mut numbers: FxHashMap<Vec<MoveId>, u32> = FxHashMap::default();
        let mut played = 0;
        self.add(&first.0);
        while self.next.len() < self.states.len() {
            let at = self.next.len();
            if at * self.network.operands.len() > WORK || self.states.len() > STATES || played > JOINT_MOVES {
                return Ok(None);
            }
            meter.count(1)?;
            let words = self.states[at].clone();
            let values = self.values(&words);
            let conditions =
                self.read.iter().map(|of| of.operands.iter().all(|&of| known(&values, of) == Some(true)));
            self.seen.push(conditions.collect());
            let mut next = Vec::new();
            if known(&values, self.network.terminal) != Some(true) {
                let mut state = first.clone();
                for ((word, mask), own) in state.0.iter_mut().zip(&self.mask).zip(&words) {
                    *word = *word & !mask | own;
                }
                let possible: Vec<Vec<MoveId>> = (self.network.moves.iter())
                    .map(|moves| {
                        let may = moves.iter().filter(|of| known(&values, of.legal) != Some(false));
                        may.map(|of| MoveId(of.action)).collect()
                    })
                    .collect();
                let joints = possible.iter().try_fold(1_usize, |all, of| all.checked_mul(of.len()));
                let Some(joints) = joints.filter(|joints| played + joints <= JOINT_MOVES) else {
                    return Ok(None);
                };
                played += joints;
                for mut number in 0..joints {
                    let joint: Vec<MoveId> = (possible.iter())
                        .map(|moves| {
                            let chosen = moves[number % moves.len()];
                            number /= moves.len();
                            chosen
                        })
                        .collect();
                    meter.made(1);
                    meter.count(0)?;
                    cursor.set(&state)?;
                    cursor.advance(&joint)?;
                    let successor = self.add(&cursor.state().0);
                    let count = numbers.len() as u32;
                    next.push((*numbers.entry(joint).or_insert(count), successor));
                }
            }
            next.sort_unstable();
            self.next.push(next);
        }
        Ok(Some(self))
    }

    fn add(&mut self, words: &[u64]) -> u32 {
        let own: Box<[u64]> = words.iter().zip(&self.mask).map(|(word, mask)| word & mask).collect();
        let count = self.states.len() as u32;
        let id = *self.ids.entry(own.clone()).or_insert(count);
        if id == count {
            self.states.push(own);
        }
        id
    }

    /// The values of all nodes, as far as the part determines them.
    fn values(&self, words: &[u64]) -> Vec<Option<bool>> {
        let network = self.network;
        let mut values = vec![None; network.nodes as usize];
        values[0] = Some(false);
        for &bit in &self.bits {
            values[1 + bit as usize] = Some(words[bit as usize / 64] >> (bit % 64) & 1 == 1);
        }
        for gate in 0..network.gates() {
            let mut all = Some(true);
            for &operand in network.gate(gate) {
                match known(&values, operand) {
                    Some(false) => {
                        all = Some(false);
                        break;
                    }
                    Some(true) => {}
                    None => all = None,
                }
            }
            values[network.first_gate as usize + gate] = all;
        }
        values
    }

    /// The representatives; none if no two states are equivalent.
    fn representatives(self, meter: &mut Meter<'_>) -> Result<Option<Representatives>, Halt> {
        let mut classes = numbered(self.seen.iter());
        let mut count = 0;
        let edges: usize = self.next.iter().map(Vec::len).sum();
        let mut work = 0;
        while count < classes.iter().max().map_or(0, |&most| most as usize + 1) {
            count = classes.iter().max().map_or(0, |&most| most as usize + 1);
            work += edges + self.states.len();
            meter.made(edges + self.states.len());
            meter.count(0)?;
            if work > REFINEMENT {
                return Ok(None);
            }
            let signatures: Vec<(u32, Vec<(u32, u32)>)> = (classes.iter().zip(&self.next))
                .map(|(&class, next)| {
                    (class, next.iter().map(|&(joint, id)| (joint, classes[id as usize])).collect())
                })
                .collect();
            classes = numbered(signatures.iter());
        }
        if count == self.states.len() {
            return Ok(None);
        }
        let mut first: Vec<Option<usize>> = vec![None; count];
        let mut of = FxHashMap::default();
        for (id, &class) in classes.iter().enumerate() {
            let representative = *first[class as usize].get_or_insert(id);
            if representative != id {
                of.insert(self.states[id].clone(), self.states[representative].clone());
            }
        }
        Ok(Some(Representatives { mask: self.mask, of }))
    }
}

/// The bits of a part, and the bits that decide which moves may change it, such as the turn, unless these read another part.
/// Without the turn, both players could move at once.
fn with_turn(network: &Network, parts: &Parts, part: &Part) -> Vec<u32> {
    let bits = network.next.len();
    let mut other = vec![false; bits];
    for part in parts.parts.iter().filter(|other| *other != part) {
        part.bits.iter().for_each(|&bit| other[bit as usize] = true);
    }
    // The bits that literals read, with the bits from which these are computed.
    let closed = |literals: Vec<Lit>| -> Vec<u32> {
        let mut read = vec![false; bits];
        let mut open = literals;
        loop {
            let cone = network.cone(open);
            let new: Vec<usize> = (0..bits).filter(|&bit| cone[1 + bit] && !read[bit]).collect();
            if new.is_empty() {
                return (0..bits as u32).filter(|&bit| read[bit as usize]).collect();
            }
            new.iter().for_each(|&bit| read[bit] = true);
            open = new.into_iter().map(|bit| network.next[bit]).collect();
        }
    };
    let changed = network.cone(part.bits.iter().map(|&bit| network.next[bit as usize]).collect());
    let legal = network.moves.iter().flatten().filter(|of| changed[of.input as usize]).map(|of| of.legal);
    let read = network.cone(legal.collect());
    let mut all = closed(part.bits.iter().map(|&bit| network.next[bit as usize]).collect());
    all.extend(&part.bits);
    for bit in (0..bits as u32).filter(|&bit| read[1 + bit as usize] && !other[bit as usize]) {
        let mut more = closed(vec![network.next[bit as usize]]);
        if !more.iter().any(|&read| other[read as usize]) {
            more.push(bit);
            all.extend(more);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The value of a literal, if it is known.
fn known(values: &[Option<bool>], literal: Lit) -> Option<bool> {
    values[literal.node() as usize].map(|value| value != literal.negated())
}

/// For each item the number of the first item that equals it, without gaps.
fn numbered<T: Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Vec<u32> {
    let mut numbers: FxHashMap<T, u32> = FxHashMap::default();
    items
        .map(|item| {
            let count = numbers.len() as u32;
            *numbers.entry(item).or_insert(count)
        })
        .collect()
}
