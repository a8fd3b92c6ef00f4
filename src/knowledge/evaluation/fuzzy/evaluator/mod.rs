//! Values of formulas: of one state, or of up to thirty-two at once.
//!
//! # What it does
//! The graph of formulas is evaluated over vectors of numbers in single precision, one number for each state, node by node: all of it,
//! or as far as anything differs from the states before (see `state_group`). The same code values a single state, with vectors of four of
//! which one number counts, and the children of a search, with vectors of sixteen.
//!
//! # How
//! `demand` finds what is needed of each node, `gates` where nodes hold as bits of words, and `planning` puts the nodes in order. A node
//! keeps for its value and for its negation what these add to a conjunction, see `norm`; what is not needed, most often one of the two,
//! is not computed. `kinds` has what each kind of node computes. Loops of formulas rise to their least values in all states together
//! (see `loops`), and `aggregate` makes one value of all goals.
//!
//! # Guarantee
//! A value depends on the state alone, to the last bit, on every processor and for every number of states. It differs from the one in
//! double precision by [`ERROR`] at most: not proved, but held against a plain recursive evaluation in double precision, `oracle`, over
//! random formulas and the functions of games, for all norms.
//!
//! # Limits
//! Blocks of states are valued by the strict norm alone, on a network, without atoms that rules derive, and if a pass of lanes can be
//! valued in the time that a player may be late (`MOST_WORK`). A single state has no such limits.
//!
//! # Cost
//! With vectors of 512 bits half a nanosecond to one for each node and state of a block.

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

/// By how much a value differs at most from the one in double precision; values go from 0 to 1.
pub const ERROR: f64 = 1.0 / 4096.0;

/// Work of a value in blocks at most, in nodes: 512 states take 30 ms then, with vectors of 512 bits.
const MOST_WORK: usize = 1 << 16;

/// Facts by which nodes are measured in blocks at most, added up over the nodes.
const MOST_DISTANCES: usize = 8 * MOST_WORK;

/// A formula at a state.
pub struct Evaluator<'m> {
    plan: Arc<Plan>,
    group: StateGroup<SingleRow>,
    /// The numbers of the facts that the formula looks at.
    numbers: Arc<FxHashMap<FluentId, u32>>,
    /// The facts of the state.
    words: Vec<u64>,
    deriver: Option<Deriver<'m>>,
    on_network: bool,
}

impl<'m> Evaluator<'m> {
    /// Makes a formula ready for a machine. The values of `roots` can be asked for.
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

    /// The same with goals, which come to one value together.
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

    /// Another one for the same formula, at no state; none if it follows rules.
    pub(super) fn again(&self) -> Option<Evaluator<'m>> {
        self.deriver.is_none().then(|| Evaluator {
            plan: Arc::clone(&self.plan),
            group: StateGroup::new(Arc::clone(&self.plan)),
            numbers: Arc::clone(&self.numbers),
            words: Vec::new(),
            deriver: None,
            on_network: self.on_network,
        })
    }

    /// What values blocks of states; none beyond the limits above.
    pub(super) fn blocks(&self) -> Option<FuzzyBlocks> {
        debug_assert_eq!(STATES, WIDTH);
        let fits = matches!(self.plan.norm, Arithmetic::Strict(_))
            && self.deriver.is_none()
            && self.on_network
            && self.plan.distances() <= MOST_DISTANCES
            && self.plan.work() <= MOST_WORK;
        fits.then(|| FuzzyBlocks(Arc::clone(&self.plan)))
    }

    /// Goes to a state.
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
        self.group.settle_single();
    }

    /// Derives the atoms that are not unrolled; where that takes too long none holds.
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

    /// The value of a root at the state.
    pub fn value(&self, mention: Mention) -> f64 {
        self.read(mention)[0]
    }

    /// Whether a root holds at the state.
    pub fn holds(&self, mention: Mention) -> bool {
        mention == 0 || self.value(mention) > 0.5
    }

    /// The value of a root, and the same as it meets goal values.
    pub(super) fn read(&self, mention: Mention) -> [f64; 2] {
        self.plan.norm.read(self.operand(mention))
    }

    /// A root's operand, and that of its negation.
    fn operand(&self, mention: Mention) -> [f32; 2] {
        let node = mention.unsigned_abs() - 1;
        let place = self.plan.roots.binary_search_by_key(&node, |(node, _)| *node).expect("it is a root");
        let [value, negation] = self.plan.roots[place].1.map(|vector| self.group.first(vector));
        if mention < 0 { [negation, value] } else { [value, negation] }
    }

    /// The value of all goals together at a state.
    pub(super) fn value_at(&mut self, facts: &Facts) -> f64 {
        self.update(facts);
        f64::from(self.group.total())
    }

    /// h(gv, z) of a root and the end, see `value`.
    pub(super) fn coupled(&self, goal: Mention, end: Mention) -> f64 {
        let [value, negation] = self.operand(goal);
        let (holds, open) = (self.holds(goal), self.operand(end)[1]);
        let low = self.plan.norm.shown_of_two([if holds { negation } else { value }, open]);
        if holds { 1.0 - low } else { low }
    }

    /// The fluents that values depend on; none if rules are evaluated, which may read any fluent, and without a network.
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

/// A function ready for blocks of states.
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
