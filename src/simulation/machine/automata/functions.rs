//! What gates make of an automaton's bits and a move.
//!
//! As at most one bit holds, a gate is a function of which one that is (or that none is) and of the move. It is kept as a set of
//! moves for most bits, and one for each of the others; such functions are closed under conjunction and negation.

use super::components::Reads;
use super::move_sets::{ALL, MoveSets, NONE, SetId};
use super::transitions::Transitions;
use super::{Automaton, transitions};
use crate::ground::{Interrupt, Interrupted, Lit, Network};
use crate::machine::lanes::phases::Evaluation;

/// The moves by which a gate is true, by the bit that holds.
#[derive(Clone, Copy, Debug)]
struct Function {
    /// Where none of the exceptions holds.
    default: SetId,
    /// Where the exceptions stand in `entries`.
    start: u32,
    end: u32,
}

/// The functions of a phase's gates.
pub(super) struct Functions<'a> {
    network: &'a Network,
    values: &'a Evaluation<'a>,
    reads: &'a [Reads],
    sets: MoveSets,
    /// For each bit its place in its automaton, if it is in one.
    places: Vec<Option<u32>>,
    /// By node; nothing where it is no such function.
    functions: Vec<Option<Function>>,
    /// The exceptions: a bit's place, and a set of moves. A function's are ascending.
    entries: Vec<(u32, SetId)>,
    work: usize,
}

impl<'a> Functions<'a> {
    pub(super) fn new(
        network: &'a Network,
        values: &'a Evaluation<'a>,
        reads: &'a [Reads],
        automata: &[Automaton],
        work: usize,
    ) -> Functions<'a> {
        let possible = |moves: &Vec<_>| -> Vec<bool> {
            let possible = |m: &crate::ground::network::RoleMove| values.value(Lit::of(m.input)).is_none();
            moves.iter().map(possible).collect()
        };
        let possible: Vec<Vec<bool>> = network.moves.iter().map(possible).collect();
        let mut places = vec![None; network.next.len()];
        for automaton in automata {
            for (place, &bit) in automaton.bits.iter().enumerate() {
                places[bit as usize] = Some(place as u32);
            }
        }
        Functions {
            network,
            values,
            reads,
            sets: MoveSets::new(&possible),
            places,
            functions: vec![None; network.nodes as usize],
            entries: Vec::new(),
            work,
        }
    }

    /// What is left of the work.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    /// Makes the functions of all gates that next values need.
    pub(super) fn evaluate(&mut self, interrupt: &Interrupt) -> Result<(), Interrupted> {
        let network = self.network;
        for (bit, &place) in self.places.iter().enumerate() {
            if let Some(place) = place {
                let start = self.entries.len() as u32;
                self.entries.push((place, ALL));
                self.functions[1 + bit] = Some(Function { default: NONE, start, end: start + 1 });
            }
        }
        for (role, moves) in network.moves.iter().enumerate() {
            for (number, m) in moves.iter().enumerate() {
                if self.reads[m.input as usize] == Reads::Moves {
                    let single = self.sets.single(role, number);
                    self.functions[m.input as usize] =
                        single.map(|default| Function { default, start: 0, end: 0 });
                }
            }
        }
        let mut gathered = Vec::new();
        for gate in 0..network.gates() {
            let node = network.first_gate as usize + gate;
            if self.reads[node] != Reads::Nothing {
                interrupt.check()?;
                self.functions[node] = self.conjunction(network.gate(gate), &mut gathered);
            }
        }
        Ok(())
    }

    /// The sets of a literal: the default one, and where the exceptions of its node stand.
    fn literal(&self, literal: Lit) -> Option<Function> {
        match self.values.value(literal) {
            Some(value) => Some(Function { default: SetId::from(value), start: 0, end: 0 }),
            None => self.functions[literal.node() as usize],
        }
    }

    /// The set, or its complement.
    fn set(&mut self, set: SetId, negated: bool) -> Option<SetId> {
        if negated { self.sets.complement(set) } else { Some(set) }
    }

    /// The set of moves by which a conjunction is true, where none of its operands has exceptions.
    fn of_moves_alone(&mut self, operands: &[Lit]) -> Option<Option<SetId>> {
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

    /// The function of a conjunction. `gathered` is a place for exceptions: the place, the number of the default set that is
    /// not to be taken there, and the set.
    fn conjunction(&mut self, operands: &[Lit], gathered: &mut Vec<(u32, usize, SetId)>) -> Option<Function> {
        gathered.clear();
        if let Some(default) = self.of_moves_alone(operands)? {
            let start = self.entries.len() as u32;
            return Some(Function { default, start, end: start });
        }
        // The operands' default sets, and how many have each.
        let mut defaults: Vec<(SetId, usize)> = Vec::new();
        let mut default = ALL;
        for &operand in operands {
            let function = self.literal(operand)?;
            let known = self.values.value(operand).is_some();
            let negated = operand.negated() && !known;
            let set = self.set(function.default, negated)?;
            default = self.sets.both(default, set)?;
            let (count, look) = ((function.end - function.start) as usize, defaults.len());
            self.work = self.work.checked_sub(1 + count + look)?;
            let place = defaults.iter().position(|&(other, _)| other == set).unwrap_or(look);
            if place == look {
                defaults.push((set, 0));
            }
            defaults[place].1 += 1;
            for entry in function.start..function.end {
                let (bit, set) = self.entries[entry as usize];
                gathered.push((bit, place, self.set(set, negated)?));
            }
        }
        gathered.sort_unstable();
        let start = self.entries.len() as u32;
        for here in gathered.chunk_by(|a, b| a.0 == b.0) {
            let mut set = ALL;
            for &(_, _, other) in here {
                set = self.sets.both(set, other)?;
            }
            for (place, &(other, count)) in defaults.iter().enumerate() {
                if here.iter().filter(|entry| entry.1 == place).count() < count {
                    set = self.sets.both(set, other)?;
                }
            }
            self.work = self.work.checked_sub(here.len() * defaults.len())?;
            if set != default {
                self.entries.push((here[0].0, set));
            }
        }
        Some(Function { default, start, end: self.entries.len() as u32 })
    }

    /// What is next of an automaton's bits, if it is an automaton in this phase.
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
