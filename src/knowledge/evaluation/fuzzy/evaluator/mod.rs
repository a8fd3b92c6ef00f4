//! Values of formulas in one state, or in a block of up to 32 states.
//!
//! # How
//! Nodes are evaluated one after the other over vectors with a number in single precision for each state (see
//! `state_group`). Vectors have four numbers for a single state (only the first is used), and sixteen for blocks.
//! `demand` finds which values, negations and truth values are needed, `gates` computes truth values as bits of words,
//! and `planning` orders the nodes. A node keeps the operands that its value and its negation add to a conjunction (see
//! `norm`). `kinds` has the kernel of each kind of node, `loops` computes the least values of recursive nodes, and
//! `aggregate` the value of all goals.
//!
//! # Guarantee
//! A value depends only on the state, to the last bit, on every processor and for every number of states. It differs by
//! [`ERROR`] at most from the value in double precision. This is not proved; tests compare it with `oracle`, a
//! recursive evaluation in double precision, for all norms.
//!
//! # Limits
//! A block needs the strict norm and a network, and has no atoms that rules derive. Its formula has a limited size
//! (`MOST_WORK`), so that a player is not late. A single state has no such limits.
//!
//! # Cost
//! With vectors of 512 bits: 0.5 to 1 ns for each node and state of a block.

mod aggregate;
pub(super) mod demand;
mod gates;
pub(super) mod lanes;
mod loop_planning;
mod loops;
#[cfg(test)]
pub(super) mod oracle;
pub(super) mod plan;
mod planning;
mod state_group;
pub(super) mod tables;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::feature::Facts;
use crate::machine::lanes::value::{BlockEvaluator, BlockFunction, STATES};
use crate::machine::{FluentId, Machine};

use self::demand::Roots;
use self::lanes::{BlockRow, Mask, SingleRow, WIDTH};
use self::plan::{Arithmetic, Plan};
use self::planning::plan;
use self::state_group::StateGroup;
use super::bind::BoundFormula;
use super::bind_error::BindError;
use super::formula::Formula;
use super::lifted::Deriver;
use super::mention::Mention;
use super::parameters::FuzzyParameters;

/// The greatest difference of a value (0 to 1) from the one in double precision.
pub const ERROR: f64 = 1.0 / 4096.0;

/// The most work for a value in blocks, in nodes: 512 states take 30 ms, with vectors of 512 bits.
const MOST_WORK: usize = 1 << 16;

/// The most distances in blocks, over all measured nodes.
const MOST_DISTANCES: usize = 8 * MOST_WORK;

/// Evaluates a formula in single states.
pub struct Evaluator<'m> {
    plan: Arc<Plan>,
    group: StateGroup<SingleRow>,
    /// The numbers of the facts that the formula reads.
    numbers: Arc<FxHashMap<FluentId, u32>>,
    /// The facts of the state.
    words: Vec<u64>,
    deriver: Option<Deriver<'m>>,
    on_network: bool,
}

impl<'m> Evaluator<'m> {
    /// An evaluator for the values of `roots`.
    ///
    /// # Errors
    /// The formula does not fit the game.
    pub fn new(
        machine: &'m dyn Machine,
        formula: &Formula,
        roots: &[Mention],
        parameters: FuzzyParameters,
    ) -> Result<Evaluator<'m>, BindError> {
        Evaluator::of(machine, formula, &Roots { values: roots, ..Roots::default() }, &parameters)
    }

    /// An evaluator for roots and for goals, which have one value together.
    pub(super) fn of(
        machine: &'m dyn Machine,
        formula: &Formula,
        roots: &Roots<'_>,
        parameters: &FuzzyParameters,
    ) -> Result<Evaluator<'m>, BindError> {
        let bound = BoundFormula::new(machine, formula)?;
        let goals = roots.goals.iter().copied().flatten().map(|goal| goal.condition);
        for mention in roots.values.iter().copied().chain(goals).chain(roots.terminal) {
            if mention == 0 || mention.unsigned_abs() as usize > formula.nodes.len() {
                return Err(BindError::Mention { node: formula.nodes.len() + 1, mention });
            }
        }
        let plan = Arc::new(plan(&bound, roots, parameters)?);
        let atoms: Vec<&str> = plan.derived.iter().map(String::as_str).collect();
        let deriver = if atoms.is_empty() { None } else { Some(Deriver::new(machine, &atoms)?) };
        let numbers = Arc::new(plan.facts.iter().copied().zip(0..).collect());
        let group = StateGroup::new(Arc::clone(&plan));
        let on_network = machine.network().is_some();
        Ok(Evaluator { plan, group, numbers, words: Vec::new(), deriver, on_network })
    }

    /// Another evaluator of the same formula; none if rules derive some of its atoms.
    pub(super) fn fresh(&self) -> Option<Evaluator<'m>> {
        self.deriver.is_none().then(|| Evaluator {
            plan: Arc::clone(&self.plan),
            group: StateGroup::new(Arc::clone(&self.plan)),
            numbers: Arc::clone(&self.numbers),
            words: Vec::new(),
            deriver: None,
            on_network: self.on_network,
        })
    }

    /// The function for blocks of states; none beyond the limits above.
    pub(super) fn blocks(&self) -> Option<FuzzyBlocks> {
        debug_assert_eq!(STATES, WIDTH);
        let fits = matches!(self.plan.norm, Arithmetic::Strict(_))
            && self.deriver.is_none()
            && self.on_network
            && self.plan.distances() <= MOST_DISTANCES
            && self.plan.work() <= MOST_WORK;
        fits.then(|| FuzzyBlocks(Arc::clone(&self.plan)))
    }

    /// Computes all values in a state.
    pub fn update(&mut self, facts: &Facts) {
        let new = facts.words();
        if self.words.len() < new.len() {
            self.words.resize(new.len(), 0);
        }
        for index in 0..self.words.len() {
            let after = new.get(index).copied().unwrap_or(0);
            let mut changed = after ^ std::mem::replace(&mut self.words[index], after);
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                if let Some(&number) = self.numbers.get(&FluentId(index as u32 * 64 + bit)) {
                    self.group.set(2 * number, after >> bit & 1 == 1);
                }
            }
        }
        self.derive(facts);
        self.group.compute();
    }

    /// Derives the atoms that are not unrolled. If that takes too long, all of them count as false.
    fn derive(&mut self, facts: &Facts) {
        let Some(deriver) = &mut self.deriver else { return };
        let (mut fluents, mut truths) = (Vec::new(), Vec::new());
        facts.for_each(|fluent| fluents.push(fluent));
        if deriver.derive(&fluents, &mut truths).is_err() {
            truths = vec![false; self.plan.derived.len()];
        }
        for (number, truth) in truths.into_iter().enumerate() {
            self.group.set(self.plan.derived_literal(number), truth);
        }
    }

    /// The value of a root.
    pub fn value(&self, mention: Mention) -> f64 {
        self.read(mention)[0]
    }

    /// Whether a root holds.
    pub fn holds(&self, mention: Mention) -> bool {
        mention == 0 || self.value(mention) > 0.5
    }

    /// The value of a root, and its displayed value.
    pub(super) fn read(&self, mention: Mention) -> [f64; 2] {
        self.plan.norm.read(self.operand(mention))
    }

    /// The operands of a root and of its negation.
    fn operand(&self, mention: Mention) -> [f32; 2] {
        let node = mention.unsigned_abs() - 1;
        let index = self.plan.roots.binary_search_by_key(&node, |(node, _)| *node).expect("it is a root");
        let [value, negation] = self.plan.roots[index].1.map(|vector| self.group.number(vector));
        if mention < 0 { [negation, value] } else { [value, negation] }
    }

    /// The value of all goals together in a state.
    pub(super) fn value_at(&mut self, facts: &Facts) -> f64 {
        self.update(facts);
        f64::from(self.group.value())
    }

    /// h(gv, z) of a root and the terminal condition, see `value`.
    pub(super) fn coupled(&self, goal: Mention, end: Mention) -> f64 {
        let [value, negation] = self.operand(goal);
        let (holds, open) = (self.holds(goal), self.operand(end)[1]);
        let low = self.plan.norm.shown_of_two([if holds { negation } else { value }, open]);
        if holds { 1.0 - low } else { low }
    }

    /// The fluents that values depend on; `None` without a network, or if rules are evaluated, which may read any
    /// fluent.
    pub(super) fn reads(&self) -> Option<Vec<FluentId>> {
        (self.deriver.is_none() && self.on_network).then(|| self.plan.facts.clone())
    }

    /// Nodes computed so far.
    pub fn work(&self) -> u64 {
        self.group.work()
    }

    /// Rows that lifted rules derived so far.
    pub(super) fn derived(&self) -> u64 {
        self.deriver.as_ref().map_or(0, Deriver::work)
    }
}

/// A function for blocks of states.
pub(super) struct FuzzyBlocks(Arc<Plan>);

impl BlockFunction for FuzzyBlocks {
    fn reads(&self) -> &[FluentId] {
        &self.0.facts
    }

    fn size(&self) -> usize {
        self.0.work()
    }

    fn evaluator(&self) -> Box<dyn BlockEvaluator> {
        Box::new(StateGroup::<BlockRow>::new(Arc::clone(&self.0)))
    }
}

impl BlockEvaluator for StateGroup<BlockRow> {
    fn values(&mut self, facts: &[Mask], wanted: Mask, out: &mut Vec<f64>) {
        let values = StateGroup::values(self, facts.iter().copied(), wanted);
        out.extend(values.iter().copied().map(f64::from));
    }
}
