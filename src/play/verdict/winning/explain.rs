//! Explains a gate of the network: finds a condition that holds in the same states.

use super::condition::{Checker, Condition};
use super::connection::Connection;
use super::cubes::{Cube, CubeMaker, Literal};
use super::facts::FactTable;
use super::gates::GateValues;
use super::hypotheses::hypotheses;
use super::measure::Measure;
use super::recognise::{MAX_ALTERNATIVES, Recogniser, all, any};
use super::state_set::StateSet;
use super::states::{Mobility, StateTable};
use crate::gdl::term::TermId;
use crate::ground::{Lit, Network};

/// Limits: nesting of explanations, and gates to explain for one role.
const MAX_DEPTH: usize = 5;
const MAX_GATES: usize = 40;

/// An explanation that costs at most this much is accepted without looking for a simpler one.
const CLEAR: usize = 4;

/// The most parts of a conjunction.
const MAX_PARTS: usize = 3;

/// A condition that holds where a gate is true.
#[derive(Clone, Debug)]
pub(super) struct Explanation {
    pub(super) condition: Condition,
    /// How hard it is to understand.
    pub(super) cost: usize,
    /// Whether it follows from the rules, not only from states.
    pub(super) derived: bool,
}

impl Explanation {
    fn negation(self) -> Explanation {
        Explanation { condition: self.condition.negation(), cost: self.cost + 1, ..self }
    }
}

/// Conditions and numbers that were computed for the states of a table.
pub(super) struct Evidence<'a, 'm> {
    pub(super) table: &'a StateTable<'m>,
    pub(super) mobility: Mobility,
    pub(super) measures: Vec<(Measure, Vec<i32>)>,
    pub(super) connections: Vec<(Connection, StateSet)>,
}

/// Explains gates.
pub(super) struct Explainer<'a, 's, 'm> {
    pub(super) network: &'a Network,
    pub(super) facts: &'a FactTable<'s>,
    pub(super) maker: CubeMaker<'a, 's>,
    pub(super) values: GateValues,
    pub(super) evidence: Evidence<'a, 'm>,
    pub(super) roles: &'a [TermId],
    pub(super) gates: usize,
}

impl<'a, 's, 'm> Explainer<'a, 's, 'm> {
    /// Evaluates conditions.
    pub(super) fn checker(&self) -> Checker<'_, 's, 'm> {
        let Evidence { table, mobility, measures, connections } = &self.evidence;
        Checker { table, facts: self.facts, leaves: &self.maker.leaves, mobility, measures, connections }
    }

    /// A condition that holds in the states in which a literal of the network is true.
    pub(super) fn explain(&mut self, literal: Lit) -> Option<Explanation> {
        self.gates = 0;
        self.explain_gate(literal, 0)
    }

    fn explain_gate(&mut self, literal: Lit, depth: usize) -> Option<Explanation> {
        self.gates += 1;
        if depth > MAX_DEPTH || self.gates > MAX_GATES {
            return None;
        }
        let mut found: Vec<Explanation> = Vec::new();
        if let Some(cubes) = self.maker.cubes(literal) {
            found.extend(self.recognised(&cubes));
        }
        if found.iter().all(|of| of.cost > CLEAR)
            && let Some(cubes) = self.maker.cubes(literal.negate_if(true))
        {
            found.extend(self.recognised(&cubes).map(Explanation::negation));
        }
        let target = self.values.states(literal);
        found.retain(|of| {
            let states = self.checker().states(&of.condition);
            states.agrees(&target, &self.evidence.table.reached)
        });
        if found.iter().all(|of| of.cost > CLEAR) {
            let everywhere = StateSet::full(self.evidence.table.len());
            let hypotheses = hypotheses(&self.checker(), &target, &everywhere, self.roles);
            let explanation = |(condition, cost)| Explanation { condition, cost, derived: false };
            // The parts of the goal are more reliable than a condition that agrees with all of them by chance.
            let parts = if depth == 0 && !hypotheses.is_empty() { self.parts(literal) } else { None };
            match parts {
                Some(parts) => found.push(parts),
                None => found.extend(hypotheses.into_iter().map(explanation)),
            }
        }
        if found.iter().all(|of| of.cost > CLEAR) {
            found.extend(self.split(literal, depth));
        }
        found.into_iter().min_by_key(|of| of.cost)
    }

    fn recognised(&self, cubes: &[Cube]) -> Option<Explanation> {
        let recogniser = Recogniser { facts: self.facts, leaves: &self.maker.leaves };
        let (condition, cost) = recogniser.condition(cubes)?;
        Some(Explanation { condition, cost, derived: true })
    }

    /// Explains the parts of a conjunction of few parts.
    fn parts(&mut self, literal: Lit) -> Option<Explanation> {
        let gate = literal.node().checked_sub(self.network.first_gate).filter(|_| !literal.negated())?;
        let operands = self.network.gate(gate as usize).to_vec();
        if operands.len() > MAX_PARTS {
            return None;
        }
        self.conjunction(gate, &operands, 0)
    }

    /// Explains the parts of a conjunction or disjunction.
    fn split(&mut self, literal: Lit, depth: usize) -> Option<Explanation> {
        let gate = literal.node().checked_sub(self.network.first_gate)?;
        // First the parts as the rules have them, then those of nested conjunctions.
        for operands in [self.network.gate(gate as usize).to_vec(), self.operands(gate)] {
            let found = match literal.negated() {
                true => self.disjunction(&operands, depth),
                false => self.conjunction(gate, &operands, depth),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The operands of nested conjunctions.
    fn operands(&self, gate: u32) -> Vec<Lit> {
        let mut operands = Vec::new();
        let mut queue = vec![gate];
        while let Some(gate) = queue.pop() {
            for &operand in self.network.gate(gate as usize) {
                match operand.node().checked_sub(self.network.first_gate) {
                    Some(inner) if !operand.negated() && queue.len() < MAX_GATES => queue.push(inner),
                    _ => operands.push(operand),
                }
            }
        }
        operands.sort_unstable();
        operands.dedup();
        operands
    }

    fn conjunction(&mut self, gate: u32, operands: &[Lit], depth: usize) -> Option<Explanation> {
        let mut facts: Vec<Literal> = Vec::new();
        let mut absent: Vec<Cube> = Vec::new();
        let mut others = Vec::new();
        for &operand in operands {
            if let Some([cube]) = self.maker.cubes(operand).as_deref().map(Vec::as_slice) {
                facts.extend(cube);
                continue;
            }
            match self.maker.cubes(operand.negate_if(true)).as_deref().map(Vec::as_slice) {
                Some([cube]) => absent.push(cube.clone()),
                _ => others.push(operand),
            }
        }
        let mut parts = Vec::new();
        if !facts.is_empty() {
            facts.sort_unstable();
            facts.dedup();
            parts.push(self.recognised(&[facts])?);
        }
        if !absent.is_empty() {
            absent.sort_unstable();
            absent.dedup();
            parts.push(self.recognised(&absent)?.negation());
        }
        if others.len() > 2 * MAX_PARTS {
            return None;
        }
        for operand in others {
            parts.push(self.explain_gate(operand, depth + 1)?);
        }
        // Parts that follow from others.
        let target = self.values.states(Lit::of(self.network.first_gate + gate));
        let together = |parts: &[Explanation]| all(parts.iter().map(|part| part.condition.clone()).collect());
        let mut derived = parts.iter().all(|part| part.derived);
        parts.sort_by_key(|part| part.cost);
        let mut at = parts.len();
        while at > 0 && parts.len() > 1 {
            at -= 1;
            let mut fewer = parts.clone();
            fewer.remove(at);
            let everywhere = StateSet::full(self.evidence.table.len());
            let needed = parts.len() <= MAX_PARTS;
            if !needed && self.checker().states(&together(&fewer)).agrees(&target, &everywhere) {
                parts = fewer;
                derived = false;
            }
        }
        self.joined(parts, derived, true)
    }

    fn joined(&self, mut parts: Vec<Explanation>, derived: bool, conjunction: bool) -> Option<Explanation> {
        let most = if conjunction { MAX_PARTS } else { MAX_ALTERNATIVES };
        if parts.is_empty() || parts.len() > most {
            return None;
        }
        if parts.len() == 1 {
            return Some(Explanation { derived, ..parts.remove(0) });
        }
        let cost = parts.iter().map(|part| part.cost).sum();
        let conditions = parts.into_iter().map(|part| part.condition).collect();
        let condition = if conjunction { all(conditions) } else { any(conditions) };
        Some(Explanation { condition, cost, derived })
    }

    fn disjunction(&mut self, operands: &[Lit], depth: usize) -> Option<Explanation> {
        let operands: Vec<Lit> = operands.iter().map(|operand| operand.negate_if(true)).collect();
        let (mut pooled, mut others) = (Vec::new(), Vec::new());
        for &operand in &operands {
            match self.maker.cubes(operand) {
                Some(cubes) => pooled.extend(cubes.iter().cloned()),
                None => others.push(operand),
            }
        }
        pooled.sort_unstable();
        pooled.dedup();
        let mut parts = Vec::new();
        if !pooled.is_empty() {
            match self.recognised(&pooled) {
                Some(found) => parts.push(found),
                None if operands.len() <= MAX_ALTERNATIVES => others = operands,
                None => return None,
            }
        }
        if others.len() > MAX_ALTERNATIVES {
            return None;
        }
        for operand in others {
            parts.push(self.explain_gate(operand, depth + 1)?);
        }
        let derived = parts.iter().all(|part| part.derived);
        self.joined(parts, derived, false)
    }
}
