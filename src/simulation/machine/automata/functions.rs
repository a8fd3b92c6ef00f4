//! Gates as functions of an automaton's state and a move.
//!
//! At most one bit of an automaton holds, so a gate is a function of the index of that bit (or none) and of the move. The
//! function is stored as a default set of moves, and a set for each bit that differs. Such functions are closed under
//! conjunction and negation.

use super::components::Dependence;
use super::move_sets::{ALL, MoveSets, NONE, SetId};
use super::transitions::Transitions;
use super::{Automaton, transitions};
use crate::ground::{Interrupt, Interrupted, Lit, Network};
use crate::machine::lanes::phases::Evaluation;

/// The moves for which a gate is true, by the bit that holds.
#[derive(Clone, Copy, Debug)]
struct GateFunction {
    /// For bits without an exception, and if no bit holds.
    default: SetId,
    /// The range of the exceptions in `entries`.
    start: u32,
    end: u32,
}

/// The functions of the gates in a phase.
pub(super) struct GateFunctions<'a> {
    network: &'a Network,
    values: &'a Evaluation<'a>,
    reads: &'a [Dependence],
    sets: MoveSets,
    /// For each bit, its index in its automaton, if any.
    index_in_automaton: Vec<Option<u32>>,
    /// By node; none if the node is not such a function.
    functions: Vec<Option<GateFunction>>,
    /// The exceptions: the index of a bit and a set of moves, ascending for each function.
    entries: Vec<(u32, SetId)>,
    work: usize,
}

impl<'a> GateFunctions<'a> {
    pub(super) fn new(
        network: &'a Network,
        values: &'a Evaluation<'a>,
        reads: &'a [Dependence],
        automata: &[Automaton],
        work: usize,
    ) -> GateFunctions<'a> {
        let possible = |moves: &Vec<_>| -> Vec<bool> {
            let possible = |m: &crate::ground::network::RoleMove| values.value(Lit::of(m.input)).is_none();
            moves.iter().map(possible).collect()
        };
        let possible: Vec<Vec<bool>> = network.moves.iter().map(possible).collect();
        let mut places = vec![None; network.next.len()];
        for automaton in automata {
            for (index, &bit) in automaton.bits.iter().enumerate() {
                places[bit as usize] = Some(index as u32);
            }
        }
        GateFunctions {
            network,
            values,
            reads,
            sets: MoveSets::new(&possible),
            index_in_automaton: places,
            functions: vec![None; network.nodes as usize],
            entries: Vec::new(),
            work,
        }
    }

    /// The remaining work.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Computes the functions of all gates that next values need.
    pub(super) fn evaluate(&mut self, interrupt: &Interrupt) -> Result<(), Interrupted> {
        let network = self.network;
        for (bit, &index) in self.index_in_automaton.iter().enumerate() {
            if let Some(index) = index {
                let start = self.entries.len() as u32;
                self.entries.push((index, ALL));
                self.functions[1 + bit] = Some(GateFunction { default: NONE, start, end: start + 1 });
            }
        }
        for (role, moves) in network.moves.iter().enumerate() {
            for (number, m) in moves.iter().enumerate() {
                if self.reads[m.input as usize] == Dependence::Moves {
                    let single = self.sets.single(role, number);
                    self.functions[m.input as usize] =
                        single.map(|default| GateFunction { default, start: 0, end: 0 });
                }
            }
        }
        let mut gathered = Vec::new();
        for gate in 0..network.gates() {
            let node = network.first_gate as usize + gate;
            if self.reads[node] != Dependence::Nothing {
                interrupt.check()?;
                self.functions[node] = self.conjunction(network.gate(gate), &mut gathered);
            }
        }
        Ok(())
    }

    /// The function of a literal. If the literal is constant in this phase, its negation is applied;
    /// otherwise this is the function of its node, and the caller applies the negation. None if the node has
    /// no function.
    fn literal(&self, literal: Lit) -> Option<GateFunction> {
        match self.values.value(literal) {
            Some(value) => Some(GateFunction { default: SetId::from(value), start: 0, end: 0 }),
            None => self.functions[literal.node() as usize],
        }
    }

    /// The set or its complement.
    fn set(&mut self, set: SetId, negated: bool) -> Option<SetId> {
        if negated { self.sets.complement(set) } else { Some(set) }
    }

    /// The set of moves for which a conjunction is true, if no operand has exceptions. `Some(None)`: an
    /// operand has exceptions. `None`: an operand has no function, or a limit was reached.
    fn conjunction_of_moves(&mut self, operands: &[Lit]) -> Option<Option<SetId>> {
        let mut sets = Vec::with_capacity(operands.len());
        for &operand in operands {
            let function = self.literal(operand)?;
            if function.start < function.end {
                return Some(None);
            }
            let negated = operand.negated() && self.values.value(operand).is_none();
            sets.push(self.set(function.default, negated)?);
        }
        self.work = self.work.checked_sub(self.sets.words_of(&sets))?;
        self.sets.all(&sets).map(Some)
    }

    /// The function of a conjunction. `gathered` is a buffer for exceptions: the index of the bit, the index of the default
    /// set that the exception replaces, and the set.
    fn conjunction(
        &mut self,
        operands: &[Lit],
        gathered: &mut Vec<(u32, usize, SetId)>,
    ) -> Option<GateFunction> {
        gathered.clear();
        if let Some(default) = self.conjunction_of_moves(operands)? {
            let start = self.entries.len() as u32;
            return Some(GateFunction { default, start, end: start });
        }
        // The operands' default sets with their frequencies.
        let mut defaults: Vec<(SetId, usize)> = Vec::new();
        let mut default = ALL;
        for &operand in operands {
            let function = self.literal(operand)?;
            let known = self.values.value(operand).is_some();
            let negated = operand.negated() && !known;
            let set = self.set(function.default, negated)?;
            default = self.sets.both(default, set)?;
            let (count, known_defaults) = ((function.end - function.start) as usize, defaults.len());
            self.work = self.work.checked_sub(1 + count + known_defaults)?;
            let index = defaults.iter().position(|&(other, _)| other == set).unwrap_or(known_defaults);
            if index == known_defaults {
                defaults.push((set, 0));
            }
            defaults[index].1 += 1;
            for entry in function.start..function.end {
                let (bit, set) = self.entries[entry as usize];
                gathered.push((bit, index, self.set(set, negated)?));
            }
        }
        gathered.sort_unstable();
        let start = self.entries.len() as u32;
        for here in gathered.chunk_by(|a, b| a.0 == b.0) {
            let mut set = ALL;
            for &(_, _, other) in here {
                set = self.sets.both(set, other)?;
            }
            for (index, &(other, count)) in defaults.iter().enumerate() {
                if here.iter().filter(|entry| entry.1 == index).count() < count {
                    set = self.sets.both(set, other)?;
                }
            }
            self.work = self.work.checked_sub(here.len() * defaults.len())?;
            if set != default {
                self.entries.push((here[0].0, set));
            }
        }
        Some(GateFunction { default, start, end: self.entries.len() as u32 })
    }

    /// The transitions of an automaton; none if its bits do not form an automaton in this phase.
    pub(super) fn transitions(&mut self, automaton: &Automaton) -> Option<Transitions> {
        let mut nexts = Vec::with_capacity(automaton.bits.len());
        let mut entries = Vec::new();
        for &bit in &automaton.bits {
            let next = self.network.next[bit as usize];
            let function = self.literal(next)?;
            let negated = next.negated() && self.values.value(next).is_none();
            let start = entries.len();
            for entry in function.start..function.end {
                let (place, set) = self.entries[entry as usize];
                entries.push((place, self.set(set, negated)?));
            }
            nexts.push((self.set(function.default, negated)?, start..entries.len()));
        }
        transitions::transitions(self.network, &self.sets, &nexts, &entries, &mut self.work)
    }
}
