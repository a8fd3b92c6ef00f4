//! Recognises games that are sums of impartial parts in normal play.
//!
//! # What it proves
//! Two roles move in turn. Each move changes exactly one part, and the moves of a part, with the states to which they lead,
//! depend on the state of the part alone and not on the role. The game ends exactly if no part has a move, and
//! then each role gets more if it moved last.
//!
//! # How
//! Fluents are in one part if one is read to compute the other, or if a move reads both. The fluents that decide whose turn
//! it is, and those that no move depends on, belong to no part. All states of each part are then found from its own gates, for
//! each role to move. In each, the moves of other parts must keep it. `terminal` and `goal` are evaluated with
//! three values for the combinations of what they read of each part.
//!
//! # Guarantee
//! Sound: nothing depends on samples. States of a part that no game reaches may prevent the proof.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::information::Information;
use crate::ground::network::{RoleMove, Segment};
use crate::ground::parts::Owner;
use crate::ground::{Lit, Network};
use crate::machine::{Machine, MoveId, State};

use super::budget::{Budget, Failure, ensure};
use super::division::{Division, NONE};
use super::joint_gates::JointGates;
use super::local_circuit::{Codes, Evaluation, Leaf, LocalCircuit};

/// A proved sum.
pub(super) struct ProvedSum {
    pub(super) parts: Vec<SumPart>,
    /// The bits that decide whose turn it is.
    pub(super) turn: Vec<u32>,
    /// The values of these bits with the role to move.
    pub(super) turns: Vec<(Vec<bool>, usize)>,
    /// For each role the move that it makes if it is not its turn.
    pub(super) noops: [MoveId; 2],
    /// For each role the goal value if it moved last, and if the other role did.
    pub(super) goals: [(i32, i32); 2],
}

/// A part of a sum.
pub(super) struct SumPart {
    pub(super) bits: Vec<u32>,
    /// The moves of each role in it.
    pub(super) moves: [Vec<MoveId>; 2],
    pub(super) states: Rc<PartStates>,
}

/// What matters for the end of a game of a state of a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Class {
    /// The values of the conditions that `terminal` and `goal` read.
    conditions: Vec<bool>,
    has_options: bool,
}

/// The options of a state, each with a move, and its class.
type Row = (Vec<(u32, u32)>, Class);

/// The states of a part; the first is that of the initial state.
#[derive(Default)]
pub(super) struct PartStates {
    /// The bits of each state, packed.
    states: Vec<Box<[u64]>>,
    ids: FxHashMap<Box<[u64]>, u32>,
    /// For each state the start of its options, and one more entry.
    starts: Vec<u32>,
    /// The states to which moves lead, ascending for each state.
    options: Vec<u32>,
    /// For each role a move that leads to each option, by index among its moves of the part.
    moves: [Vec<u32>; 2],
    /// For each turn the classes of the states, each once.
    classes: Vec<Vec<Class>>,
}

impl PartStates {
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn id(&self, words: &[u64]) -> Option<u32> {
        self.ids.get(words).copied()
    }

    /// The options of a state, each with a move of a role.
    pub(super) fn options(&self, id: u32, role: usize) -> impl ExactSizeIterator<Item = (u32, u32)> {
        let range = self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize;
        self.options[range.clone()].iter().copied().zip(self.moves[role][range].iter().copied())
    }

    fn add(&mut self, words: &[u64]) -> u32 {
        if let Some(&id) = self.ids.get(words) {
            return id;
        }
        let id = self.states.len() as u32;
        self.states.push(words.into());
        self.ids.insert(words.into(), id);
        id
    }

    fn bytes(&self) -> usize {
        let words = self.states.first().map_or(0, |words| 8 * words.len());
        self.states.len() * (2 * words + 60) + self.options.len() * 12
    }
}

/// The bits of some positions of a state, packed.
pub(super) fn packed(bits: &[u32], state: &State) -> Box<[u64]> {
    let mut words = vec![0; bits.len().div_ceil(64)];
    for (index, &bit) in bits.iter().enumerate() {
        words[index / 64] |= (state.0[bit as usize / 64] >> (bit % 64) & 1) << (index % 64);
    }
    words.into()
}

/// Whose turn it is.
struct Turn {
    mover: usize,
    /// The values of the bits of the turn.
    bits: Vec<bool>,
    /// The values of all nodes that read no part.
    values: Vec<bool>,
}

/// Proves that a game is a sum of at least two impartial parts in normal play, from a state that is not terminal.
///
/// # Errors
/// [`Failure`]: this is not proved, or a limit is reached.
pub(super) fn prove(
    machine: &dyn Machine,
    state: &State,
    memory: usize,
    budget: &mut Budget<'_, '_>,
) -> Result<ProvedSum, Failure> {
    let network = machine.network().ok_or(Failure::NotProved)?;
    let loops = network.segments.iter().any(|segment| matches!(segment, Segment::Loop { .. }));
    let description = machine.description();
    ensure(!loops && network.moves.len() == 2 && description.random_role().is_none())?;
    ensure(!Information::of(description).hidden)?;
    budget.spend(8 * network.operands.len())?;
    let (mover, noops) = noops(machine, state)?;
    let division = Division::new(network, noops, budget)?;
    let mut prover = Prover {
        network,
        owners: division.owners(network),
        turns: Vec::new(),
        first_mover: mover,
        opening: false,
        noops,
        codes: Codes::new(network),
        roots: [network.terminal]
            .into_iter()
            .chain(network.goals.iter().flatten().map(|&(_, goal)| goal))
            .collect(),
        division,
        budget,
    };
    prover.budget.spend(4 * network.operands.len())?;
    prover.find_turns(state, mover)?;
    let joint = JointGates::new(network, &prover.owners, &prover.roots, prover.division.parts.len());
    prover.budget.spend(network.operands.len())?;
    let parts = prover.explore(&joint, state, memory)?;
    let goals = prover.goals(&joint, &parts)?;
    Ok(ProvedSum {
        parts,
        turns: prover.turns.into_iter().map(|turn| (turn.bits, turn.mover)).collect(),
        turn: prover.division.turn,
        noops: [0, 1].map(|role: usize| MoveId(noops[role].action)),
        goals,
    })
}

/// The role to move, and the move of each role if it is not its turn, from the first two states of a game. What follows does
/// not rely on them, but proves nothing if they are wrong.
fn noops(machine: &dyn Machine, state: &State) -> Result<(usize, [RoleMove; 2]), Failure> {
    let network = machine.network().ok_or(Failure::NotProved)?;
    let mut cursor = machine.cursor();
    cursor.set(state)?;
    ensure(!cursor.terminal())?;
    let mover = match (cursor.legal(0).len(), cursor.legal(1).len()) {
        (2.., 1) => 0,
        (1, 2..) => 1,
        _ => return Err(Failure::NotProved),
    };
    let mut noops = [cursor.legal(0)[0], cursor.legal(1)[0]];
    let first = noops;
    cursor.advance(&first)?;
    ensure(cursor.legal(mover).len() == 1)?;
    noops[mover] = cursor.legal(mover)[0];
    let found = |role: usize| network.moves[role].iter().find(|of| of.action == noops[role].0).copied();
    match (found(0), found(1)) {
        (Some(one), Some(other)) => Ok((mover, [one, other])),
        _ => Err(Failure::NotProved),
    }
}

struct Prover<'a, 'b, 'm> {
    network: &'a Network,
    division: Division,
    owners: Vec<Owner>,
    /// The turns in order.
    turns: Vec<Turn>,
    first_mover: usize,
    /// Whether the first turn never returns, so that it is that of the initial state alone.
    opening: bool,
    noops: [RoleMove; 2],
    codes: Codes,
    /// `terminal`, and the conditions of goal values.
    roots: Vec<Lit>,
    budget: &'a mut Budget<'b, 'm>,
}

impl Prover<'_, '_, '_> {
    /// Finds the turns: the roles move alternately, whatever they move.
    fn find_turns(&mut self, state: &State, mut mover: usize) -> Result<(), Failure> {
        let bit = |&bit: &u32| state.0[bit as usize / 64] >> (bit % 64) & 1 == 1;
        let mut bits: Vec<bool> = self.division.turn.iter().map(bit).collect();
        loop {
            let turn = self.turn(mover, bits);
            let of_no_part = |role: usize| {
                let moves = self.network.moves[role].iter().zip(&self.division.part_of_move[role]);
                moves.filter(|&(_, &part)| part == NONE).map(|(of, _)| of)
            };
            for role in [0, 1] {
                for of in of_no_part(role) {
                    let legal = turn.values[of.legal.node() as usize] != of.legal.negated();
                    ensure(legal == (role != mover && of.action == self.noops[role].action))?;
                }
                ensure(of_no_part(role).any(|of| of.action == self.noops[role].action))?;
            }
            bits = self.next_turn(&turn)?;
            self.turns.push(turn);
            mover = 1 - mover;
            match self.turns.iter().position(|turn| turn.bits == bits) {
                Some(first) => {
                    self.opening = first == 1;
                    return ensure(self.turns.len() == first + 2 && first <= 1);
                }
                None => ensure(self.turns.len() < 3)?,
            }
        }
    }

    fn turn(&self, mover: usize, bits: Vec<bool>) -> Turn {
        let network = self.network;
        let mut values = vec![false; network.nodes as usize];
        self.division.turn.iter().zip(&bits).for_each(|(&bit, &value)| values[1 + bit as usize] = value);
        for gate in 0..network.gates() {
            let node = network.first_gate as usize + gate;
            if self.owners[node] == Owner::None {
                values[node] = network.gate(gate).iter().all(|of| values[of.node() as usize] != of.negated());
            }
        }
        Turn { mover, bits, values }
    }

    /// The bits of the turn after a move of any part.
    fn next_turn(&mut self, turn: &Turn) -> Result<Vec<bool>, Failure> {
        self.budget.spend(2 * self.network.operands.len())?;
        let roots =
            self.division.turn.iter().map(|&bit| std::slice::from_ref(&self.network.next[bit as usize]));
        let roots: Vec<&[Lit]> = roots.collect();
        let circuit = self.circuit(turn, NONE, &[], &[], &roots)?;
        let mut evaluation = Evaluation::new(&circuit);
        evaluation.set(&[]);
        let base: Vec<bool> = (0..circuit.roots).map(|root| evaluation.root(root)).collect();
        let unread = self.division.moves_in_parts[turn.mover] > circuit.other_moves as usize;
        let mut found = unread.then(|| base.clone());
        for input in circuit.kinds_of_other_moves() {
            let mut bits = base.clone();
            for root in evaluation.changed_roots(input, circuit.roots) {
                bits[root as usize] = !bits[root as usize];
            }
            ensure(found.is_none() || found.as_ref() == Some(&bits))?;
            found = Some(bits);
            self.budget.spend_on_evaluation(evaluation.work)?;
            evaluation.work = 0;
        }
        found.ok_or(Failure::NotProved)
    }

    /// The circuit of a part at a turn.
    fn circuit(
        &mut self,
        turn: &Turn,
        part: u32,
        bits: &[u32],
        moves: &[u32],
        roots: &[&[Lit]],
    ) -> Result<LocalCircuit, Failure> {
        let (network, owners, inputs) = (self.network, &self.owners, &self.division.inputs);
        let noop = self.noops[1 - turn.mover].input;
        let leaf = |node: u32| {
            if owners[node as usize] == Owner::None {
                return Leaf::Constant(turn.values[node as usize]);
            }
            if node >= network.first_gate {
                return Leaf::Gate;
            }
            if node as usize <= network.next.len() {
                return Leaf::Foreign;
            }
            let (role, of) = inputs[node as usize];
            match usize::from(role) == turn.mover && of != NONE && of != part {
                true => Leaf::OtherMove,
                false => Leaf::Constant(node == noop),
            }
        };
        let circuit = LocalCircuit::new(network, (bits, moves), roots, &mut self.codes, leaf);
        self.budget.spend(std::mem::take(&mut self.codes.work))?;
        circuit.ok_or(Failure::NotProved)
    }

    /// For each part the moves of each role.
    fn moves_of_parts(&self) -> Vec<[Vec<RoleMove>; 2]> {
        let mut of_parts = vec![[Vec::new(), Vec::new()]; self.division.parts.len()];
        for (role, moves) in self.network.moves.iter().enumerate() {
            for (of, &part) in moves.iter().zip(&self.division.part_of_move[role]) {
                if part != NONE {
                    of_parts[part as usize][role].push(*of);
                }
            }
        }
        of_parts
    }

    /// Finds the states of all parts.
    fn explore(&mut self, joint: &JointGates, state: &State, memory: usize) -> Result<Vec<SumPart>, Failure> {
        let turns = std::mem::take(&mut self.turns);
        let mut parts: Vec<SumPart> = Vec::new();
        let mut before: Option<(Vec<Layout>, Box<[u64]>)> = None;
        let mut memory = memory;
        for (number, moves) in self.moves_of_parts().into_iter().enumerate() {
            let layouts = turns.iter().map(|turn| self.layout(joint, number, turn, &moves));
            let layouts: Vec<Layout> = layouts.collect::<Result<_, _>>()?;
            let bits = self.division.parts[number].clone();
            let first = packed(&bits, state);
            let again = before.as_ref().is_some_and(|(of, state)| *of == layouts && *state == first);
            let states = match parts.last().filter(|_| again) {
                Some(part) => part.states.clone(),
                None => {
                    let found = self.states(&layouts, &first, memory)?;
                    memory -= found.bytes();
                    Rc::new(found)
                }
            };
            before = Some((layouts, first));
            let moves = moves.map(|moves| moves.iter().map(|of| MoveId(of.action)).collect());
            parts.push(SumPart { bits, moves, states });
        }
        self.turns = turns;
        Ok(parts)
    }

    fn layout(
        &mut self,
        joint: &JointGates,
        number: usize,
        turn: &Turn,
        moves: &[Vec<RoleMove>; 2],
    ) -> Result<Layout, Failure> {
        let network = self.network;
        let bits: Vec<u32> = self.division.parts[number].iter().map(|&bit| 1 + bit).collect();
        let inputs: Vec<u32> = moves[turn.mover].iter().map(|of| of.input).collect();
        let next = bits.iter().map(|&node| std::slice::from_ref(&network.next[node as usize - 1]));
        let legal = [turn.mover, 1 - turn.mover].map(|role| moves[role].iter());
        let legal = legal.into_iter().flatten().map(|of| std::slice::from_ref(&of.legal));
        let conditions = joint.of_part(number).map(|of| &of.operands[..]);
        let roots: Vec<&[Lit]> = next.chain(legal).chain(conditions).collect();
        let circuit = self.circuit(turn, number as u32, &bits, &inputs, &roots)?;
        Ok(Layout {
            bits: bits.len(),
            counts: [moves[turn.mover].len(), moves[1 - turn.mover].len()],
            unread_move: self.division.moves_in_parts[turn.mover]
                > inputs.len() + circuit.other_moves as usize,
            other_moves: circuit.kinds_of_other_moves(),
            circuit,
        })
    }

    /// Finds the states of a part.
    fn states(&mut self, layouts: &[Layout], first: &[u64], memory: usize) -> Result<PartStates, Failure> {
        let classes = vec![Vec::new(); layouts.len()];
        let mut found = PartStates { starts: vec![0], classes, ..PartStates::default() };
        found.add(first);
        // The first of these turns finds the states. A turn that never returns comes last, and has one state.
        let order: &[usize] = if self.opening { &[1, 2, 0] } else { &[0, 1] };
        for (at, &turn) in order.iter().enumerate() {
            let (layout, mover) = (&layouts[turn], self.mover(turn));
            if at == 1 && *layout == layouts[order[0]] {
                found.moves[mover] = found.moves[1 - mover].clone();
                found.classes[turn] = found.classes[order[0]].clone();
                continue;
            }
            let mut evaluation = Evaluation::new(&layout.circuit);
            let mut known = FxHashSet::default();
            let mut id = 0;
            while id < if at == 2 { 1 } else { found.len() } {
                let (row, class) = layout.row(&mut evaluation, &mut found, (id, at == 0))?;
                self.budget.spend_on_evaluation(std::mem::take(&mut evaluation.work))?;
                if at == 0 {
                    self.budget.meter.count(1)?;
                    found.options.extend(row.iter().map(|option| option.0));
                    found.starts.push(found.options.len() as u32);
                    ensure(found.bytes() <= memory && found.options.len() < NONE as usize)?;
                }
                if at < 2 {
                    found.moves[mover].extend(row.iter().map(|option| option.1));
                }
                // Both roles have the same options; in the first turn, a role has the moves that it has later.
                let options = found.starts[id + 1] - found.starts[id];
                ensure(options as usize == row.len())?;
                ensure(found.options(id as u32, mover).eq(row))?;
                if known.insert(class.clone()) {
                    found.classes[turn].push(class);
                }
                id += 1;
            }
        }
        Ok(found)
    }

    /// The role to move at a turn: the roles alternate.
    fn mover(&self, turn: usize) -> usize {
        (self.first_mover + turn) % 2
    }

    /// For each role the goal value if it moved last, and if the other role did.
    fn goals(&mut self, joint: &JointGates, parts: &[SumPart]) -> Result<[(i32, i32); 2], Failure> {
        let mut goals = Goals::default();
        for turn in usize::from(self.opening)..self.turns.len() {
            self.combine(joint, (parts, turn), &mut Vec::new(), &mut goals)?;
        }
        let of = |role: usize| {
            let [lost, won] = goals[role];
            let (won, lost) = won.zip(lost).ok_or(Failure::NotProved)?;
            ensure(won > lost).map(|()| (won, lost))
        };
        Ok([of(0)?, of(1)?])
    }

    /// Completes a choice of classes for the first parts in all ways, unless it determines that the game is not over, as one of them
    /// has options.
    fn combine<'p>(
        &mut self,
        joint: &JointGates,
        (parts, turn): (&'p [SumPart], usize),
        chosen: &mut Vec<&'p Class>,
        goals: &mut Goals,
    ) -> Result<(), Failure> {
        self.budget.spend(64 + joint.work() + 2 * parts.len())?;
        let mut read: Vec<Option<&[bool]>> = vec![None; parts.len()];
        read.iter_mut().zip(&*chosen).for_each(|(read, class)| *read = Some(&class.conditions));
        let Turn { mover, values: fixed, .. } = &self.turns[turn];
        let values = joint.evaluate(&read, |of| Some(fixed[of.node() as usize] != of.negated()));
        let values = &values[joint.first_root..];
        if chosen.iter().any(|class| class.has_options) {
            match values[0] {
                Some(false) => return Ok(()),
                Some(true) => return Err(Failure::NotProved),
                None => {}
            }
        } else if chosen.len() == parts.len() {
            ensure(values[0] == Some(true))?;
            let mut at = 1;
            for (role, of) in self.network.goals.iter().enumerate() {
                let conditions = &values[at..at + of.len()];
                at += of.len();
                let holding: Vec<usize> =
                    (0..of.len()).filter(|&index| conditions[index] != Some(false)).collect();
                ensure(holding.len() == 1 && conditions[holding[0]] == Some(true))?;
                let goal = of[holding[0]].0;
                let known = goals[role][usize::from(role != *mover)].get_or_insert(goal);
                ensure(*known == goal)?;
            }
            return Ok(());
        }
        let part = parts.get(chosen.len()).ok_or(Failure::NotProved)?;
        for class in &part.states.classes[turn] {
            chosen.push(class);
            self.combine(joint, (parts, turn), chosen, goals)?;
            chosen.pop();
        }
        Ok(())
    }
}

/// For each role the goal value if the other role moved last, and if it did.
type Goals = [[Option<i32>; 2]; 2];

/// A circuit of a part at a turn. Its roots are the next values of the bits, the legality of the moves of the role to move
/// and of those of the other role, and the conditions that `terminal` and `goal` read.
#[derive(PartialEq, Eq)]
struct Layout {
    bits: usize,
    /// The number of moves in the part of the role to move, and of the other role.
    counts: [usize; 2],
    /// Whether the role to move has a move in another part that the circuit does not read.
    unread_move: bool,
    /// Inputs of the circuit that stand for all moves of other parts that it reads.
    other_moves: Vec<u32>,
    circuit: LocalCircuit,
}

impl Layout {
    /// The row of a state. Adds its options to the states if `adds`.
    fn row(
        &self,
        evaluation: &mut Evaluation<'_>,
        found: &mut PartStates,
        (id, adds): (usize, bool),
    ) -> Result<Row, Failure> {
        let state = found.states[id].clone();
        evaluation.set(&state);
        let mut next = vec![0; state.len()];
        let toggle = |words: &mut [u64], bit: u32| words[bit as usize / 64] ^= 1 << (bit % 64);
        let bits = self.bits as u32;
        (0..bits).filter(|&bit| evaluation.root(bit)).for_each(|bit| toggle(&mut next, bit));
        evaluation.work += self.bits + self.counts[0] + self.counts[1];
        // Moves of other parts keep the state.
        ensure(!self.unread_move || next[..] == state[..])?;
        for &input in &self.other_moves {
            let changed = evaluation.changed_roots(input, bits);
            changed.iter().for_each(|&bit| toggle(&mut next, bit));
            ensure(next[..] == state[..])?;
            changed.iter().for_each(|&bit| toggle(&mut next, bit));
        }
        let first_legal = bits + self.counts[0] as u32;
        let first_condition = first_legal + self.counts[1] as u32;
        ensure(!(first_legal..first_condition).any(|root| evaluation.root(root)))?;
        let mut row = Vec::new();
        for number in 0..self.counts[0] {
            if evaluation.root(bits + number as u32) {
                let changed = evaluation.changed_roots(self.circuit.input(number), bits);
                changed.iter().for_each(|&bit| toggle(&mut next, bit));
                let option = if adds { Some(found.add(&next)) } else { found.id(&next) };
                row.push((option.ok_or(Failure::NotProved)?, number as u32));
                changed.iter().for_each(|&bit| toggle(&mut next, bit));
            }
        }
        row.sort_unstable();
        row.dedup_by_key(|option| option.0);
        let conditions = (first_condition..self.circuit.roots).map(|root| evaluation.root(root)).collect();
        let class = Class { conditions, has_options: !row.is_empty() };
        Ok((row, class))
    }
}
