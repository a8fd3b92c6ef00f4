//! Parts of a game that do not influence each other, such as two boards that are played at the same time (Cox et al. 2009;
//! Günther, Schiffel and Thielscher 2009).
//!
//! Two fluents belong together if each is read to compute the other, if the same moves change them, or if a condition that
//! `terminal` or `goal` consists of reads both. The conditions nearest to
//! `terminal` and `goal` that give more than one part are chosen. Fluents that no move changes, such as a step counter or the turn,
//! belong to no part.
//!
//! The next values of a part are computed from its own fluents, fluents of no part, moves, and, if it comes later in a
//! sequence, from few conditions of the parts before it. This follows from the network. That each move acts in one part, or
//! consists of independent moves in several, is checked in random play.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use petgraph::unionfind::UnionFind;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use super::circuit::Lit;
use super::network::{Network, Segment};

/// How far below `terminal` and `goal` the conditions may be.
const DEPTH: usize = 5;

/// Conditions of an earlier part that a later part in a sequence may read.
const SEQUENCE: usize = 4;

/// The fewest fluents of a part.
const FLUENTS: usize = 3;

/// The most parts that are tried, and how often they may be joined.
const PARTS: usize = 256;
const ROUNDS: usize = 64;

/// The limit of all work, in operands of gates; some tenths of a second.
const WORK: u64 = 500_000_000;

/// The states in which effects of moves are compared. More find effects with rarer conditions.
const SAMPLES: usize = 64 * WORDS;
const WORDS: usize = 16;

/// The most steps from the initial state to a sample.
const STEPS: usize = 32;

/// The values of a node in all samples.
type Words = [u64; WORDS];

/// The work to evaluate an operand in all samples.
const OPERANDS: u64 = 4;

/// Any seed works.
const SEED: u64 = 0x7061_7274;

/// A part of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its bits, ascending.
    pub bits: Vec<u32>,
    /// The part before it, by index, if it reads conditions of that part.
    pub after: Option<usize>,
}

/// The parts of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// At least two, each after the one that it reads.
    pub parts: Vec<Part>,
    /// For each bit whether moves change it, directly or by other bits.
    pub moved: Vec<bool>,
}

impl Parts {
    /// Finds the parts; none if there are fewer than two, if recursive atoms prevent it, if the network is too large, or once
    /// `interrupted` returns true, which is called between units of work; the largest take some tens of milliseconds.
    pub fn of(network: &Network, interrupted: &dyn Fn() -> bool) -> Option<Parts> {
        let loops = network.segments.iter().any(|segment| matches!(segment, Segment::Loop { .. }));
        let inputs: usize = network.moves.iter().map(Vec::len).sum();
        // Networks that would take all the work to find the effects of moves are not begun.
        let effects = (inputs as u64).saturating_mul(OPERANDS * network.operands.len() as u64);
        if loops || effects > WORK / 2 || network.bits.len() < 2 * FLUENTS {
            return None;
        }
        let search = Search::new(network, Work { left: Cell::new(WORK), interrupted })?;
        let parts = search.parts()?;
        Some(Parts { parts, moved: search.moved })
    }

    /// The owner of each node. Bits of no part that moves change count as several parts.
    pub fn owners(&self, network: &Network) -> Vec<Owner> {
        let mut bits: Vec<Owner> =
            self.moved.iter().map(|&moved| if moved { Owner::Several } else { Owner::None }).collect();
        for (number, part) in (0..).zip(&self.parts) {
            part.bits.iter().for_each(|&bit| bits[bit as usize] = Owner::Part(number));
        }
        owners(network, bits.into_iter())
    }
}

/// Counts the work of the search.
struct Work<'a> {
    left: Cell<u64>,
    interrupted: &'a dyn Fn() -> bool,
}

impl Work<'_> {
    /// None if the search must stop.
    fn spend(&self, work: usize) -> Option<()> {
        self.left.set(self.left.get().checked_sub(work as u64)?);
        (!(self.interrupted)()).then_some(())
    }
}

/// The dependencies of a network, from which parts follow.
struct Search<'a> {
    network: &'a Network,
    work: Work<'a>,
    /// For each bit the bits that its next value reads, itself excepted.
    reads: Vec<Vec<u32>>,
    /// For each bit whether moves change it.
    moved: Vec<bool>,
    /// For each bit the moves that change it, as input nodes.
    changed_by: Vec<Vec<u32>>,
    /// For each node whether it is a move that was legal in some sample.
    sampled: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, work: Work<'a>) -> Option<Search<'a>> {
        let mut cone = Cone::new(network);
        let mut reads = Vec::with_capacity(network.next.len());
        let mut moved = Vec::with_capacity(network.next.len());
        for (bit, &next) in (0..).zip(&network.next) {
            let (mut read, by_moves) = cone.of(&[next]);
            work.spend(cone.visited)?;
            read.retain(|&other| other != bit);
            reads.push(read);
            moved.push(by_moves);
        }
        // Moves also change a fluent that reads one they change.
        let mut grows = true;
        while std::mem::take(&mut grows) {
            work.spend(reads.iter().map(Vec::len).sum())?;
            for bit in 0..moved.len() {
                if !moved[bit] && reads[bit].iter().any(|&read| moved[read as usize]) {
                    (moved[bit], grows) = (true, true);
                }
            }
        }
        for list in &mut reads {
            list.retain(|&read| moved[read as usize]);
        }
        let (changed_by, sampled) = changes(network, &work)?;
        Some(Search { network, work, reads, moved, changed_by, sampled })
    }

    fn parts(&self) -> Option<Vec<Part>> {
        let blocks = self.blocks()?;
        let goals = self.network.goals.iter().flatten().map(|&(_, condition)| condition);
        let mut conditions: Vec<Lit> = goals.chain([self.network.terminal]).collect();
        let mut rounds = ROUNDS;
        for _ in 0..DEPTH {
            conditions = self.operands(&conditions);
            let (mut joined, read) = self.joined(&blocks, &conditions)?;
            let mut count = roots(&joined, &read).len();
            while count > 1 && count <= PARTS {
                self.work.spend(count * (self.reads.len() + self.network.operands.len() / 4))?;
                let inputs: usize = self.network.moves.iter().map(Vec::len).sum();
                self.work.spend(inputs * self.network.nodes as usize / 4)?;
                match self.close(&joined, &read).and_then(|parts| self.moves_fit(parts)) {
                    Ok(parts) => {
                        let large = parts.iter().all(|part| part.bits.len() >= FLUENTS);
                        return (large && self.few_conditions(&parts)).then_some(parts);
                    }
                    Err(pairs) => pairs.into_iter().for_each(|[one, other]| _ = joined.union(one, other)),
                }
                let left = roots(&joined, &read).len();
                rounds = rounds.checked_sub(1).filter(|_| left < count)?;
                count = left;
            }
        }
        None
    }

    /// Bits that read each other, and bits that the same moves change.
    fn blocks(&self) -> Option<UnionFind<u32>> {
        let mut blocks = UnionFind::new(self.reads.len());
        let edges = (0..).zip(&self.reads).flat_map(|(bit, read)| read.iter().map(move |&read| (bit, read)));
        for component in kosaraju_scc(&DiGraph::<(), (), u32>::from_edges(edges)) {
            for pair in component.windows(2) {
                blocks.union(pair[0].index() as u32, pair[1].index() as u32);
            }
        }
        let mut changed: Vec<Vec<u32>> = vec![Vec::new(); self.network.nodes as usize];
        for (bit, moves) in (0..).zip(&self.changed_by) {
            moves.iter().for_each(|&node| changed[node as usize].push(bit));
        }
        for moves in &self.network.moves {
            let all: Vec<&[u32]> = moves
                .iter()
                .map(|of| &changed[of.input as usize][..])
                .filter(|bits| !bits.is_empty())
                .collect();
            let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
            let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            for bits in &all {
                self.work.spend(10 * bits.len() * bits.len())?;
                for (index, &one) in bits.iter().enumerate() {
                    *counts.entry(one).or_default() += 1;
                    bits[index + 1..].iter().for_each(|&other| *pairs.entry((one, other)).or_default() += 1);
                }
            }
            // If moves consist of a move on each of two boards, a cell of one changes as often with a cell of the other as
            // chance would have it.
            for ((one, other), both) in pairs {
                if 5 * both * all.len() as u64 > 6 * counts[&one] * counts[&other] {
                    blocks.union(one, other);
                }
            }
        }
        Some(blocks)
    }

    /// The operands of all gates among these literals, and those that are no gates.
    fn operands(&self, literals: &[Lit]) -> Vec<Lit> {
        let mut below = Vec::new();
        for literal in literals {
            match literal.node().checked_sub(self.network.first_gate) {
                Some(gate) => below.extend_from_slice(self.network.gate(gate as usize)),
                None => below.push(*literal),
            }
        }
        below.sort_unstable();
        below.dedup();
        below
    }

    /// The blocks, joined where a condition reads several, and the bits that conditions read.
    fn joined(&self, blocks: &UnionFind<u32>, conditions: &[Lit]) -> Option<(UnionFind<u32>, Vec<u32>)> {
        let mut cone = Cone::new(self.network);
        let (mut joined, mut all) = (blocks.clone(), Vec::new());
        for &condition in conditions {
            let read = self.moved_bits(&mut cone, condition);
            self.work.spend(cone.visited)?;
            read.windows(2).for_each(|pair| _ = joined.union(pair[0], pair[1]));
            all.extend(read);
        }
        all.sort_unstable();
        all.dedup();
        Some((joined, all))
    }

    fn moved_bits(&self, cone: &mut Cone<'_>, literal: Lit) -> Vec<u32> {
        let (mut read, _) = cone.of(&[literal]);
        read.retain(|&bit| self.moved[bit as usize]);
        read
    }

    /// The parts with everything that they read. `read` has the bits that conditions read.
    ///
    /// # Errors
    /// Pairs of bits that must be in the same part.
    fn close(&self, joined: &UnionFind<u32>, read: &[u32]) -> Result<Vec<Part>, Vec<[u32; 2]>> {
        let bits = self.reads.len();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); bits];
        for bit in (0..bits as u32).filter(|&bit| self.moved[bit as usize]) {
            members[joined.find(bit) as usize].push(bit);
        }
        let closure = |root: u32| -> Vec<u32> {
            let (mut closed, mut open) = (vec![false; bits], vec![root]);
            while let Some(bit) = open.pop() {
                if closed[bit as usize] {
                    continue;
                }
                for &member in &members[joined.find(bit) as usize] {
                    closed[member as usize] = true;
                    open.extend(&self.reads[member as usize]);
                }
            }
            (0..bits as u32).filter(|&bit| closed[bit as usize]).collect()
        };
        let mut closures: Vec<Vec<u32>> = roots(joined, read).into_iter().map(closure).collect();
        // A part comes after another if it reads that part, and with it all parts before that.
        closures.sort_by_key(Vec::len);
        let mut parts: Vec<Part> = Vec::new();
        let mut part_of: Vec<Option<usize>> = vec![None; bits];
        let mut pairs = Vec::new();
        for of in closures {
            let own: Vec<u32> = of.iter().copied().filter(|&bit| part_of[bit as usize].is_none()).collect();
            let mut before: Vec<usize> = of.iter().filter_map(|&bit| part_of[bit as usize]).collect();
            before.sort_unstable();
            before.dedup();
            let Some(&first) = own.first() else {
                // An earlier part has all of it.
                pairs.push([parts[before[0]].bits[0], of[0]]);
                continue;
            };
            let count = pairs.len();
            for &part in &before {
                let read = &parts[part].bits;
                if read.iter().any(|bit| of.binary_search(bit).is_err())
                    || self.signals(&own, read) > SEQUENCE
                {
                    pairs.push([first, read[0]]);
                    break;
                }
            }
            if pairs.len() == count {
                own.iter().for_each(|&bit| part_of[bit as usize] = Some(parts.len()));
                parts.push(Part { bits: own, after: before.last().copied() });
            }
        }
        if pairs.is_empty() { Ok(parts) } else { Err(pairs) }
    }

    /// The parts, if each move changes and reads one of them, or makes independent moves in several.
    ///
    /// # Errors
    /// Pairs of bits that must be in the same part.
    fn moves_fit(&self, parts: Vec<Part>) -> Result<Vec<Part>, Vec<[u32; 2]>> {
        let part_of = self.part_of(&parts);
        // Bits that no part reads, such as the turn, don't matter for the choice of moves.
        let bits = part_of.iter().map(|part| part.map_or(Owner::None, Owner::Part));
        let owners = owners(self.network, bits);
        let mut pairs: BTreeSet<[u32; 2]> = BTreeSet::new();
        let cones: Vec<Vec<bool>> = (parts.iter())
            .map(|part| {
                self.network.cone(part.bits.iter().map(|&bit| self.network.next[bit as usize]).collect())
            })
            .collect();
        let mut changed: Vec<Vec<u32>> = vec![Vec::new(); self.network.nodes as usize];
        for (bit, moves) in (0..).zip(&self.changed_by).filter(|&(bit, _)| part_of[bit as usize].is_some()) {
            moves.iter().for_each(|&node| changed[node as usize].push(bit));
        }
        for moves in &self.network.moves {
            // For each set of parts the changes in each of them.
            let mut kinds: BTreeMap<Vec<u32>, Vec<BTreeSet<Vec<u32>>>> = BTreeMap::new();
            let mut counts: BTreeMap<Vec<u32>, BTreeSet<&[u32]>> = BTreeMap::new();
            for of in moves {
                let bits = &changed[of.input as usize];
                let mut touched: Vec<u32> = bits.iter().filter_map(|&bit| part_of[bit as usize]).collect();
                touched.sort_unstable();
                touched.dedup();
                if !self.sampled[of.input as usize] {
                    // What the move changes is unknown: all parts that read it count.
                    touched = (0..)
                        .zip(&cones)
                        .filter(|(_, cone)| cone[of.input as usize])
                        .map(|(part, _)| part)
                        .collect();
                    pairs.extend(touched.windows(2).map(|pair| [pair[0], pair[1]]));
                }
                if let Some([one, other]) = self.joint_conditions(of.legal, &owners) {
                    pairs.insert([one, other]);
                }
                if let [only] = touched[..] {
                    let read = conditions(self.network, &[of.legal], &owners);
                    let other = read.iter().find(|of| of.part != only && !before(&parts, of.part, only));
                    if let Some(other) = other {
                        pairs.insert([only, other.part]);
                    }
                }
                if touched.len() > 1 && self.sampled[of.input as usize] {
                    let kind =
                        kinds.entry(touched.clone()).or_insert_with(|| vec![BTreeSet::new(); touched.len()]);
                    for (index, &part) in touched.iter().enumerate() {
                        let own = bits.iter().copied().filter(|&bit| part_of[bit as usize] == Some(part));
                        kind[index].insert(own.collect());
                    }
                    counts.entry(touched).or_default().insert(bits);
                }
            }
            for (touched, kind) in &kinds {
                let product: usize = kind.iter().map(BTreeSet::len).product();
                if product != counts[touched].len() {
                    pairs.insert([touched[0], touched[1]]);
                }
            }
        }
        if pairs.is_empty() {
            return Ok(parts);
        }
        let bit = |part: u32| parts[part as usize].bits[0];
        Err(pairs.into_iter().map(|[one, other]| [bit(one), bit(other)]).collect())
    }

    /// Two parts that a literal reads other than by a conjunction of conditions of one part each.
    fn joint_conditions(&self, literal: Lit, owners: &[Owner]) -> Option<[u32; 2]> {
        if owners[literal.node() as usize] != Owner::Several {
            return None;
        }
        if let (false, Some(gate)) = (literal.negated(), literal.node().checked_sub(self.network.first_gate))
        {
            return self.network.gate(gate as usize).iter().find_map(|&of| self.joint_conditions(of, owners));
        }
        let read = conditions(self.network, &[literal], owners);
        let first = read.first()?.part;
        read.iter().map(|of| of.part).find(|&part| part != first).map(|other| [first, other])
    }

    fn part_of(&self, parts: &[Part]) -> Vec<Option<u32>> {
        let mut part_of = vec![None; self.reads.len()];
        for (number, part) in (0..).zip(parts) {
            part.bits.iter().for_each(|&bit| part_of[bit as usize] = Some(number));
        }
        part_of
    }

    /// The number of conditions of the bits `read` on which the next values of `bits` depend.
    fn signals(&self, bits: &[u32], read: &[u32]) -> usize {
        let mut part_of = vec![None; self.reads.len()];
        read.iter().for_each(|&bit| part_of[bit as usize] = Some(0));
        bits.iter().for_each(|&bit| part_of[bit as usize] = Some(1));
        let next: Vec<Lit> = bits.iter().map(|&bit| self.network.next[bit as usize]).collect();
        conditions(self.network, &next, &self.owners(&part_of)).iter().filter(|of| of.part == 0).count()
    }

    /// Whether `terminal` and `goal` read few conditions of each part. Where they read nearly every fluent, as in a game
    /// whose squares change apart from each other, parts say nothing.
    fn few_conditions(&self, parts: &[Part]) -> bool {
        let goals = self.network.goals.iter().flatten().map(|&(_, condition)| condition);
        let roots: Vec<Lit> = goals.chain([self.network.terminal]).collect();
        let mut counts = vec![0; parts.len()];
        for condition in conditions(self.network, &roots, &self.owners(&self.part_of(parts))) {
            counts[condition.part as usize] += 1;
        }
        parts.iter().zip(counts).all(|(part, count)| 2 * count < part.bits.len())
    }

    /// The owner of each node. Bits of no part that moves change count as another part.
    fn owners(&self, part_of: &[Option<u32>]) -> Vec<Owner> {
        let bits = (0..part_of.len()).map(|bit| match part_of[bit] {
            Some(part) => Owner::Part(part),
            None if self.moved[bit] => Owner::Several,
            None => Owner::None,
        });
        owners(self.network, bits)
    }
}

/// Whether a part comes before another in a sequence.
fn before(parts: &[Part], one: u32, other: u32) -> bool {
    let mut at = parts[other as usize].after;
    while let Some(part) = at {
        if part == one as usize {
            return true;
        }
        at = parts[part].after;
    }
    false
}

/// The part whose fluents a node reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// It reads no part.
    None,
    /// It reads this part alone.
    Part(u32),
    /// It reads several parts, or moves.
    Several,
}

/// The owner of each node, by those of the bits.
pub fn owners(network: &Network, bits: impl Iterator<Item = Owner>) -> Vec<Owner> {
    let mut owners = vec![Owner::None];
    owners.extend(bits);
    owners.resize(network.first_gate as usize, Owner::Several);
    for gate in 0..network.gates() {
        let mut all = Owner::None;
        for operand in network.gate(gate) {
            all = match (all, owners[operand.node() as usize]) {
                (owner, Owner::None) | (Owner::None, owner) => owner,
                (one, other) if one == other => one,
                _ => Owner::Several,
            };
        }
        owners.push(all);
    }
    owners
}

/// A conjunction of nodes of one part that something outside of the part reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// The part.
    pub part: u32,
    /// The operands, ascending.
    pub operands: Vec<Lit>,
}

/// The conditions of parts on which `roots` depend, in order and without repetition.
pub fn conditions(network: &Network, roots: &[Lit], owners: &[Owner]) -> Vec<Condition> {
    let mut found = Vec::new();
    let mut seen = vec![false; network.nodes as usize];
    let mut open: Vec<u32> = Vec::new();
    let mut see = |operands: &[Lit], open: &mut Vec<u32>| {
        let mut of: Vec<(u32, Lit)> = Vec::new();
        for &operand in operands {
            match owners[operand.node() as usize] {
                Owner::None => {}
                Owner::Part(part) => of.push((part, operand)),
                Owner::Several => open.push(operand.node()),
            }
        }
        of.sort_unstable();
        for group in of.chunk_by(|one, other| one.0 == other.0) {
            let operands = group.iter().map(|&(_, operand)| operand).collect();
            found.push(Condition { part: group[0].0, operands });
        }
    };
    roots.iter().for_each(|root| see(&[*root], &mut open));
    while let Some(node) = open.pop() {
        if let Some(gate) = node.checked_sub(network.first_gate)
            && !std::mem::replace(&mut seen[node as usize], true)
        {
            see(network.gate(gate as usize), &mut open);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// For each bit the moves that change it, as input nodes in ascending order: in some of [`SAMPLES`] states of random play
/// the bit changes after the move, but not after another legal move of the role.
/// For each node also whether it is a move that was legal in some of them. None if the search must stop.
fn changes(network: &Network, work: &Work<'_>) -> Option<(Vec<Vec<u32>>, Vec<bool>)> {
    let mut was_legal = vec![false; network.nodes as usize];
    let mut changed_by = vec![Vec::new(); network.next.len()];
    let state_gates = match network.segments[..network.state_segments].last() {
        Some(Segment::Straight(gates) | Segment::Loop { gates, .. }) => gates.end as usize,
        None => 0,
    };
    let sampled = samples(network, state_gates, work)?;
    for moves in &network.moves {
        let mut values = sampled.clone();
        moves.iter().for_each(|of| values[of.input as usize] = [0; WORDS]);
        // For each bit the samples in which some legal move keeps it.
        let mut kept = vec![[0; WORDS]; network.next.len()];
        let mut changes: Vec<Vec<(u32, Words)>> = vec![Vec::new(); network.next.len()];
        for of in moves {
            let legal = value(&sampled, of.legal);
            if legal == [0; WORDS] {
                continue;
            }
            was_legal[of.input as usize] = true;
            work.spend(OPERANDS as usize * network.operands.len())?;
            values[of.input as usize] = [u64::MAX; WORDS];
            evaluate(network, state_gates, &mut values);
            for (bit, &next) in network.next.iter().enumerate() {
                let (next, now, mut changed) = (value(&values, next), sampled[1 + bit], [0; WORDS]);
                for word in 0..WORDS {
                    changed[word] = (next[word] ^ now[word]) & legal[word];
                    kept[bit][word] |= !(next[word] ^ now[word]) & legal[word];
                }
                if changed != [0; WORDS] {
                    changes[bit].push((of.input, changed));
                }
            }
            values[of.input as usize] = [0; WORDS];
        }
        for (bit, changes) in changes.into_iter().enumerate() {
            let kept = kept[bit];
            let chosen =
                changes.iter().filter(|(_, changed)| (0..WORDS).any(|word| changed[word] & kept[word] != 0));
            changed_by[bit].extend(chosen.map(|&(input, _)| input));
        }
    }
    changed_by.iter_mut().for_each(|moves| moves.sort_unstable());
    Some((changed_by, was_legal))
}

/// Values of all nodes in states of random play that are not terminal, with a legal joint move in each. None if the search must
/// stop.
fn samples(network: &Network, state_gates: usize, work: &Work<'_>) -> Option<Vec<Words>> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut values = vec![[0; WORDS]; network.nodes as usize];
    for (bit, &initial) in network.initial.iter().enumerate() {
        values[1 + bit] = [if initial { u64::MAX } else { 0 }; WORDS];
    }
    let inputs: usize = network.moves.iter().map(Vec::len).sum();
    for step in 0..STEPS {
        work.spend(12 * network.operands.len() + SAMPLES * inputs)?;
        choose(network, &mut values, &mut random);
        if step + 1 == STEPS {
            break;
        }
        evaluate(network, state_gates, &mut values);
        let next: Vec<Words> = network.next.iter().map(|&next| value(&values, next)).collect();
        let mut then = values.clone();
        then[1..=next.len()].copy_from_slice(&next);
        evaluate(network, 0, &mut then);
        let over = value(&then, network.terminal);
        // A sample stays in a state of random depth, and before the end.
        let moving: Words = std::array::from_fn(|word| {
            let deep: u64 =
                (0..64).filter(|lane| (word * 64 + lane) % STEPS > step).map(|lane| 1 << lane).sum();
            deep & !over[word]
        });
        for (bit, next) in next.iter().enumerate() {
            for word in 0..WORDS {
                let now = &mut values[1 + bit][word];
                *now = *now & !moving[word] | next[word] & moving[word];
            }
        }
    }
    Some(values)
}

/// Chooses a random legal move for each role in each sample.
fn choose(network: &Network, values: &mut [Words], random: &mut ChaCha8Rng) {
    evaluate(network, 0, values);
    for moves in &network.moves {
        let legal: Vec<Words> = moves.iter().map(|of| value(values, of.legal)).collect();
        moves.iter().for_each(|of| values[of.input as usize] = [0; WORDS]);
        for sample in 0..SAMPLES {
            let (word, lane) = (sample / 64, sample % 64);
            let open: Vec<usize> =
                (0..moves.len()).filter(|&index| legal[index][word] >> lane & 1 == 1).collect();
            if !open.is_empty() {
                let input = moves[open[random.random_range(0..open.len())]].input;
                values[input as usize][word] |= 1 << lane;
            }
        }
    }
}

/// The values of a literal.
fn value(values: &[Words], literal: Lit) -> Words {
    let mut words = values[literal.node() as usize];
    if literal.negated() {
        words.iter_mut().for_each(|word| *word = !*word);
    }
    words
}

/// Computes the gates from a given one on, in a network without loops.
fn evaluate(network: &Network, from: usize, values: &mut [Words]) {
    for gate in from..network.gates() {
        let mut all = [u64::MAX; WORDS];
        for &operand in network.gate(gate) {
            let words = value(values, operand);
            all.iter_mut().zip(words).for_each(|(all, word)| *all &= word);
        }
        values[network.first_gate as usize + gate] = all;
    }
}

/// Finds the bits on which literals depend.
struct Cone<'a> {
    network: &'a Network,
    /// For each node the search that reached it last.
    seen: Vec<u32>,
    number: u32,
    /// The operands that the last search visited.
    visited: usize,
}

impl Cone<'_> {
    fn new(network: &Network) -> Cone<'_> {
        Cone { network, seen: vec![0; network.nodes as usize], number: 0, visited: 0 }
    }

    /// The bits, ascending, and whether moves are read.
    fn of(&mut self, literals: &[Lit]) -> (Vec<u32>, bool) {
        self.number += 1;
        self.visited = 0;
        let bits = self.network.next.len() as u32;
        let mut open: Vec<u32> = literals.iter().map(|literal| literal.node()).collect();
        let (mut read, mut by_moves) = (Vec::new(), false);
        while let Some(node) = open.pop() {
            self.visited += 1;
            if std::mem::replace(&mut self.seen[node as usize], self.number) == self.number {
                continue;
            }
            if let Some(gate) = node.checked_sub(self.network.first_gate) {
                open.extend(self.network.gate(gate as usize).iter().map(|operand| operand.node()));
            } else if node > bits {
                by_moves = true;
            } else if node > 0 {
                read.push(node - 1);
            }
        }
        read.sort_unstable();
        (read, by_moves)
    }
}

/// The representatives of some bits, ascending, without repetition.
fn roots(sets: &UnionFind<u32>, bits: &[u32]) -> Vec<u32> {
    let mut roots: Vec<u32> = bits.iter().map(|&bit| sets.find(bit)).collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}
