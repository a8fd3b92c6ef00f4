//! How many solutions conjunctions have in a state: atoms of fluents, of facts and of what rules derive, with variables in
//! common.
//!
//! # How
//! The conjunction is solved once over all atoms of the network. Each solution is then a conjunction of literals of the
//! network, and those that rules derive are gates, made from the facts of a state: only the gates that are needed, each
//! once for all features that are told together.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ground::{Lit, Network};
use crate::machine::FluentId;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};

use super::error::FeatureError;
use super::facts::Facts;
use super::fluent_index::FluentIndex;
use super::ground_atoms::{GroundAtoms, Slot, Solved, TableLiteral};
use super::measure::{Measure, ValuedState};
use super::pattern::{Argument, Pattern};
use super::spec::Spec;

/// Operands of gates that the count of one conjunction may look at, at most.
pub(super) const OPERANDS: usize = 20_000;

impl Spec {
    /// The spec as a sum of counts of solutions, where it is one: each with its weight and its literals.
    pub fn as_solutions(&self) -> Option<Vec<(f64, &[String])>> {
        match self {
            Spec::Solutions { of } => Some(vec![(1.0, of)]),
            Spec::Difference { first, second } => {
                let mut parts = first.as_solutions()?;
                parts.extend(second.as_solutions()?.into_iter().map(|(weight, of)| (-weight, of)));
                Some(parts)
            }
            _ => None,
        }
    }
}

/// Solves the conjunction of literals as documents have them.
///
/// # Errors
/// A literal is none, the game has no such relation, or there are too many solutions.
pub(super) fn solved(atoms: &mut GroundAtoms<'_>, literals: &[String]) -> Result<Solved, FeatureError> {
    let mut names: Vec<String> = Vec::new();
    let mut read: Vec<TableLiteral> = Vec::with_capacity(literals.len());
    for text in literals {
        let pattern = Pattern::parse(text)?;
        let (fluent, name, arguments) = match (&*pattern.name, &pattern.arguments[..]) {
            ("true", [Argument::Function(name, arguments)]) => (true, name.clone(), arguments.clone()),
            ("true", [Argument::Term(term)]) => {
                let inner = Pattern::parse(term)?;
                (true, inner.name, inner.arguments)
            }
            _ => (false, pattern.name, pattern.arguments),
        };
        let table = atoms.table(fluent, &name, arguments.len())?;
        let slot = |argument: Argument| match argument {
            Argument::Term(term) => Ok(Slot::Term(atoms.term(&term))),
            Argument::Variable(name) => {
                Ok(Slot::Variable(names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                })))
            }
            Argument::Function(..) => Err(FeatureError::Syntax {
                text: text.clone(),
                reason: "a variable stands inside a function",
            }),
        };
        read.push((table, arguments.into_iter().map(slot).collect::<Result<_, _>>()?));
    }
    atoms.solve(&read, &vec![None; names.len()])
}

/// The gates that literals depend on, in the order of their evaluation, with what they read of the state.
pub(super) struct Cone {
    /// The fluent of each input.
    inputs: Vec<FluentId>,
    /// Where the operands of each gate end.
    ends: Vec<u32>,
    /// Values by number, inputs first, doubled; odd where it is negated.
    operands: Vec<u32>,
    /// The number of each node.
    number: FxHashMap<u32, u32>,
    values: Vec<bool>,
}

impl Cone {
    /// The cone of literals, with so many operands at most.
    ///
    /// # Errors
    /// It is too large, or rules define it through itself.
    pub(super) fn new(
        network: &Network,
        literals: impl Iterator<Item = Lit>,
        most: usize,
    ) -> Result<Cone, FeatureError> {
        let mut nodes: BTreeSet<u32> = BTreeSet::new();
        let mut open: Vec<u32> = literals.map(Lit::node).collect();
        let mut operands = 0;
        let first_feedback = 1 + network.bits.len() as u32;
        while let Some(node) = open.pop() {
            if !nodes.insert(node) {
                continue;
            }
            match node.checked_sub(network.first_gate) {
                Some(gate) => {
                    let below = network.gate(gate as usize);
                    operands += below.len();
                    open.extend(below.iter().map(|operand| operand.node()));
                }
                None if node >= first_feedback => return Err(FeatureError::Recursive),
                None => {}
            }
            if operands > most {
                return Err(FeatureError::TooManySolutions { limit: most });
            }
        }
        nodes.remove(&0);
        let number: FxHashMap<u32, u32> =
            nodes.iter().zip(0..).map(|(&node, number): (&u32, u32)| (node, number)).collect();
        let mut cone = Cone {
            inputs: Vec::new(),
            ends: Vec::new(),
            operands: Vec::new(),
            number,
            values: vec![false; nodes.len()],
        };
        for &node in &nodes {
            let Some(gate) = node.checked_sub(network.first_gate) else {
                cone.inputs.push(FluentId(network.bits[node as usize - 1]));
                continue;
            };
            for operand in network.gate(gate as usize) {
                let operand = cone.code(*operand);
                cone.operands.push(operand);
            }
            cone.ends.push(cone.operands.len() as u32);
        }
        Ok(cone)
    }

    /// A literal as it stands among operands.
    fn code(&self, literal: Lit) -> u32 {
        2 * self.number[&literal.node()] + u32::from(literal.negated())
    }

    /// Looks at a state.
    fn look(&mut self, facts: &Facts) {
        for (value, &fluent) in self.values.iter_mut().zip(&self.inputs) {
            *value = facts.contains(fluent);
        }
        let (mut start, first) = (0, self.inputs.len());
        for (gate, &end) in self.ends.iter().enumerate() {
            let operands = &self.operands[start..end as usize];
            self.values[first + gate] = operands.iter().all(|&code| holds(&self.values, code));
            start = end as usize;
        }
    }

    /// Operands of its gates.
    fn size(&self) -> usize {
        self.operands.len()
    }
}

fn holds(values: &[bool], code: u32) -> bool {
    values[code as usize >> 1] != (code & 1 == 1)
}

/// Counts of the solutions of several conjunctions, told together.
pub(super) struct Counts {
    cone: Cone,
    /// For every conjunction how many solutions hold in every state, and where its others end.
    parts: Vec<(f64, u32)>,
    /// Where the literals of each solution end.
    ends: Vec<u32>,
    literals: Vec<u32>,
    /// The same as literals of the network.
    told: Vec<Lit>,
    /// For every count asked for its conjunction.
    of: Vec<usize>,
    /// The counts of a state, conjunction by conjunction.
    counted: Vec<f64>,
}

impl Counts {
    /// Counts of conjunctions as documents have them.
    ///
    /// # Errors
    /// One of them does not fit the game, or there is no network.
    pub(super) fn new<'s>(
        parts: impl Iterator<Item = &'s [String]>,
        fluent_index: &FluentIndex<'_>,
    ) -> Result<Counts, FeatureError> {
        let mut atoms = GroundAtoms::new(fluent_index.machine()).ok_or(FeatureError::NoNetwork)?;
        // Differences have the same conjunctions again and again.
        let mut known: FxHashMap<&[String], usize> = FxHashMap::default();
        let (mut different, mut of) = (Vec::new(), Vec::new());
        for part in parts {
            let place = match known.get(part) {
                Some(&place) => place,
                None => {
                    different.push(solved(&mut atoms, part)?);
                    known.insert(part, different.len() - 1);
                    different.len() - 1
                }
            };
            of.push(place);
        }
        Ok(Counts { of, ..Counts::of(atoms.network(), &different)? })
    }

    /// Counts of conjunctions that were solved.
    ///
    /// # Errors
    /// Their gates are too many, or rules define one through itself.
    pub(super) fn of(network: &Network, parts: &[Solved]) -> Result<Counts, FeatureError> {
        let all = || parts.iter().flat_map(|part| &part.solutions).flat_map(|(_, held)| held);
        let cone = Cone::new(network, all().copied(), OPERANDS.saturating_mul(parts.len()))?;
        let mut counts = Counts {
            literals: all().map(|&literal| cone.code(literal)).collect(),
            told: all().copied().collect(),
            cone,
            parts: Vec::with_capacity(parts.len()),
            ends: Vec::new(),
            of: (0..parts.len()).collect(),
            counted: Vec::new(),
        };
        let mut end = 0;
        for part in parts {
            let mut always = 0.0;
            for (_, held) in &part.solutions {
                if held.is_empty() {
                    always += 1.0;
                    continue;
                }
                end += held.len() as u32;
                counts.ends.push(end);
            }
            counts.parts.push((always, counts.ends.len() as u32));
        }
        Ok(counts)
    }

    /// The counts in a state, into a list.
    pub(super) fn counts(&mut self, facts: &Facts, out: &mut Vec<f64>) {
        self.cone.look(facts);
        self.counted.clear();
        let (mut solution, mut start) = (0, 0);
        for &(always, end) in &self.parts {
            let mut count = 0_u32;
            while solution < end as usize {
                let literals = &self.literals[start..self.ends[solution] as usize];
                count += u32::from(literals.iter().all(|&code| holds(&self.cone.values, code)));
                start = self.ends[solution] as usize;
                solution += 1;
            }
            self.counted.push(always + f64::from(count));
        }
        out.clear();
        out.extend(self.of.iter().map(|&place| self.counted[place]));
    }

    /// Operands of gates that are looked at.
    pub(super) fn size(&self) -> usize {
        self.cone.size()
    }

    /// The most that each count can be.
    pub(super) fn most(&self) -> Vec<f64> {
        let mut start = 0;
        let most = self.parts.iter().map(|&(always, end)| {
            let most = always + f64::from(end - start);
            start = end;
            most
        });
        let most: Vec<f64> = most.collect();
        self.of.iter().map(|&place| most[place]).collect()
    }
}

/// A weighted sum of counts of solutions, told together.
pub struct Solutions {
    counts: Counts,
    weights: Vec<f64>,
    values: Vec<f64>,
}

impl Solutions {
    /// The sum of counts of conjunctions as documents have them.
    ///
    /// # Errors
    /// One of them does not fit the game.
    pub fn new(
        parts: &[(f64, &[String])],
        fluent_index: &FluentIndex<'_>,
    ) -> Result<Solutions, FeatureError> {
        let counts = Counts::new(parts.iter().map(|(_, of)| *of), fluent_index)?;
        Ok(Solutions {
            counts,
            weights: parts.iter().map(|(weight, _)| *weight).collect(),
            values: Vec::new(),
        })
    }
}

impl Measure for Solutions {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.counts.counts(position.facts, &mut self.values);
        self.values.iter().zip(&self.weights).map(|(count, weight)| count * weight).sum()
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some(self.counts.cone.inputs.clone())
    }

    fn in_lanes(&mut self) -> Option<LaneValue> {
        let Counts { cone, parts, ends, told, of, .. } = &self.counts;
        // Each gate counts once, with the first solution.
        let mut size = cone.size();
        let mut sum = Sum::default();
        for (&place, &weight) in of.iter().zip(&self.weights) {
            let (_, end) = parts[place];
            let begin = place.checked_sub(1).map_or(0, |before| parts[before].1);
            for solution in begin as usize..end as usize {
                let start = solution.checked_sub(1).map_or(0, |before| ends[before]);
                let held = &told[start as usize..ends[solution] as usize];
                let atoms =
                    held.iter().map(|&literal| Atom::Gate { literal, size: std::mem::take(&mut size) });
                sum.weights.push((Atom::All(atoms.collect()), weight));
            }
        }
        // On the grid of the weights counts add up without rounding, here as there.
        let unit = Sum::unit(sum.weights.iter().map(|&(_, weight)| weight));
        self.weights.iter_mut().for_each(|weight| *weight = (*weight / unit).round() * unit);
        let (mut sum, error) = sum.rounded();
        sum.constant = of.iter().zip(&self.weights).map(|(&place, weight)| parts[place].0 * weight).sum();
        Some(LaneValue::of(sum, error))
    }
}
