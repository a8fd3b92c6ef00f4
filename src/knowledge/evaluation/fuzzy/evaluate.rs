//! Evaluating a formula in state after state: only what changed is computed anew.
//!
//! A conjunction keeps the sums of its members' terms, of those that hold and of the others; a disjunction is one of
//! negations, negated. A member that changes is taken out of the sums and put in again, and nodes whose sums changed
//! are settled in order. Sums are of whole numbers, so a value is the same to the last bit whatever was evaluated
//! before. Where all members are fluents their number says all (a tally), and nodes that are needed for nothing but
//! their truth (the sides of comparisons) count members that fail.

use crate::feature::Facts;
use crate::machine::{FluentId, Machine};

use super::bind::{Bound, Edge, Step};
use super::bind_error::BindError;
use super::breadth::breadths;
use super::count_tables::CountTables;
use super::distances::Distances;
use super::fluent_dependents::FluentDependents;
use super::formula::{Formula, Mention};
use super::lifted::Deriver;
use super::loop_work::LoopWork;
use super::norm::Norm;
use super::parameters::FuzzyParameters;
use super::terms::{Graded, Memo, Scale, Sum};
use super::wiring::{Kind, Wiring};

/// How near a fluent is of which a move can bring about all that is needed, and how much of that is left for each step
/// more.
pub(super) const ONE_STEP: f64 = 0.9;

/// A formula at a state.
pub struct Evaluator<'m> {
    pub(super) bound: Bound<'m>,
    pub(super) wiring: Wiring,
    pub(super) parameters: FuzzyParameters,
    pub(super) scale: Scale,
    pub(super) memo: Memo,
    counted: CountTables,
    /// How much the members of each node add by its shape.
    pub(super) breadths: Vec<f64>,
    /// Whether nodes hold.
    truth: Vec<bool>,
    /// The values of graded nodes, but for fluents and tallies.
    pub(super) now: Vec<Graded>,
    sums: Vec<Sum>,
    /// Of a measured or derived leaf, the facts that make it hold; of a tally, the members that hold; of a node that
    /// is not graded, the members that don't.
    count: Vec<u32>,
    distances: Distances,
    /// Nodes to be settled, as bits.
    pub(super) dirty: Vec<u64>,
    words: Vec<u64>,
    pub(super) dependents: FluentDependents,
    deriver: Option<Deriver<'m>>,
    truths: Vec<bool>,
    /// What a fluent is worth that does not hold, and one that does.
    fact: [Graded; 2],
    /// What a fluent that comes adds to conjunctions of it, and of its negation.
    coming: [Sum; 2],
    pub(super) loop_work: LoopWork,
    /// Nodes settled so far.
    pub(super) work: u64,
}

impl<'m> Evaluator<'m> {
    /// Makes a formula ready for a machine. The values of `roots` are wanted.
    ///
    /// # Errors
    /// The formula does not fit the game.
    pub fn new(
        machine: &'m dyn Machine,
        formula: &Formula,
        roots: &[Mention],
        parameters: FuzzyParameters,
    ) -> Result<Evaluator<'m>, BindError> {
        let bound = Bound::new(machine, formula)?;
        for &mention in roots {
            if mention == 0 || mention.unsigned_abs() as usize > formula.nodes.len() {
                return Err(BindError::Mention { node: formula.nodes.len() + 1, mention });
            }
        }
        let wiring = Wiring::new(&bound, roots);
        let atoms: Vec<&str> = bound.derived.iter().map(|(_, atom)| atom.as_str()).collect();
        let deriver = if atoms.is_empty() { None } else { Some(Deriver::new(machine, &atoms)?) };
        let count = bound.steps.len();
        let scale = Scale::new(parameters.norm, parameters.threshold);
        let breadths = breadths(&bound, &parameters);
        let fact = [1.0 - parameters.p, parameters.p].map(|value| scale.grade(scale.operand(value)));
        let mut evaluator = Evaluator {
            memo: Memo::new(scale),
            counted: CountTables::new(&bound, &wiring, &scale, fact, &breadths),
            breadths,
            truth: vec![false; count],
            now: vec![scale.nothing(); count],
            sums: vec![Sum::default(); count],
            count: vec![0; count],
            distances: Distances::new(&bound.fluents.groups),
            dirty: vec![0; count.div_ceil(64)],
            words: Vec::new(),
            dependents: FluentDependents::new(machine, &bound),
            truths: vec![false; bound.derived.len()],
            deriver,
            fact,
            coming: fact[0].change(&fact[1]),
            loop_work: LoopWork::new(count),
            parameters,
            scale,
            wiring,
            bound,
            work: 0,
        };
        evaluator.begin();
        Ok(evaluator)
    }

    /// Gives every node its value where no fluent holds. From there on changes alone are told.
    fn begin(&mut self) {
        // What always holds stands last, and others look at it.
        let always = self.wiring.kinds.len() - 1;
        for node in std::iter::once(always).chain(0..always) {
            if self.wiring.kinds[node] != Kind::Loop {
                let now = self.settle(node);
                self.now[node] = now;
                self.truth[node] = now.holds();
                self.introduce(node, &now);
                continue;
            }
            let number = self.loop_of(node);
            let (first, last) = self.bound.loops[number];
            if node == first as usize {
                for node in first as usize..=last as usize {
                    self.introduce(node, &self.scale.nothing());
                    self.mark(node);
                }
                self.run_loop(number);
            }
        }
        self.dirty.fill(0);
    }

    /// Tells the nodes that mention a node of its first value.
    fn introduce(&mut self, node: usize, now: &Graded) {
        for &edge in self.wiring.counted(node) {
            self.count[(edge >> 1) as usize] += u32::from(now.holds() != (edge & 1 == 1));
        }
        for &edge in self.wiring.graded(node) {
            self.sums[(edge >> 1) as usize].add(now.adds[(edge & 1) as usize], true);
        }
        for &edge in self.wiring.plain(node) {
            self.count[(edge >> 1) as usize] += u32::from(now.holds() == (edge & 1 == 1));
        }
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
                self.flip(FluentId(index as u32 * 64 + bit), after >> bit & 1 == 1);
            }
        }
        self.derive(facts);
        self.sweep();
    }

    /// The value of a mention at the state; of a node that is needed for its truth alone 1 or 0.
    pub fn value(&self, mention: Mention) -> f64 {
        let value = self.of(mention.unsigned_abs() as usize - 1).value;
        if mention < 0 { 1.0 - value } else { value }
    }

    /// Whether a mention holds at the state.
    pub fn holds(&self, mention: Mention) -> bool {
        mention == 0 || self.value(mention) > 0.5
    }

    /// The fluents that values depend on; none where rules are followed, which may look at any.
    pub(super) fn reads(&self) -> Option<Vec<FluentId>> {
        self.dependents.touching().filter(|_| self.deriver.is_none())
    }

    /// Nodes settled so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The value of a node.
    fn of(&self, node: usize) -> Graded {
        match self.wiring.kinds[node] {
            Kind::Fact => self.fact[usize::from(self.truth[node])],
            Kind::Counted => self.counted.value(node, self.count[node]),
            Kind::PlainAnd | Kind::PlainOr => truth(self.truth[node]),
            _ => self.now[node],
        }
    }

    /// Takes note of a fluent that has come or gone.
    fn flip(&mut self, fluent: FluentId, holds: bool) {
        let Some(touch) = self.dependents.of(fluent, &self.bound) else { return };
        for at in touch.nodes() {
            let (node, is_fact) = self.dependents.node(at);
            if is_fact {
                self.flip_fact(node, holds);
            } else {
                let count = &mut self.count[node];
                *count = if holds { *count + 1 } else { *count - 1 };
                self.mark(node);
            }
        }
        if let Some(group) = touch.group() {
            self.distances.flip(group, self.dependents.places(touch), holds);
            for &leaf in &self.bound.fluents.groups[group].leaves {
                self.dirty[leaf as usize / 64] |= 1 << (leaf % 64);
            }
        }
    }

    fn flip_fact(&mut self, node: usize, holds: bool) {
        self.truth[node] = holds;
        for position in self.wiring.tallies_at(node) {
            let edge = self.wiring.edge(position);
            let (counted, up) = ((edge >> 1) as usize, holds != (edge & 1 == 1));
            let count = self.count[counted];
            self.count[counted] = if up { count + 1 } else { count - 1 };
            let lower = count.min(self.count[counted]);
            let rise = self.counted.rise(counted, lower);
            for &edge in self.wiring.graded(counted) {
                let (parent, change) = ((edge >> 1) as usize, rise[(edge & 1) as usize]);
                self.sums[parent].add(change, up);
                self.dirty[parent / 64] |= 1 << (parent % 64);
            }
            if self.counted.tips(counted, lower) {
                self.truth[counted] = !self.truth[counted];
                self.tell_truth(counted, self.truth[counted]);
            }
        }
        for &edge in self.wiring.graded(node) {
            let (parent, change) = ((edge >> 1) as usize, self.coming[(edge & 1) as usize]);
            self.sums[parent].add(change, holds);
            self.dirty[parent / 64] |= 1 << (parent % 64);
        }
        self.tell_truth(node, holds);
    }

    /// Rows that lifted rules derived so far.
    pub(super) fn derived(&self) -> u64 {
        self.deriver.as_ref().map_or(0, Deriver::work)
    }

    /// Derives the atoms that are not unrolled.
    fn derive(&mut self, facts: &Facts) {
        let Some(deriver) = &mut self.deriver else { return };
        let mut fluents = Vec::new();
        facts.for_each(|fluent| fluents.push(fluent));
        let before = std::mem::take(&mut self.truths);
        let mut truths = Vec::with_capacity(before.len());
        if deriver.derive(&fluents, &mut truths).is_err() {
            truths = vec![false; before.len()];
        }
        for (index, &(node, _)) in self.bound.derived.iter().enumerate() {
            if before[index] != truths[index] {
                self.dirty[node as usize / 64] |= 1 << (node % 64);
            }
            self.count[node as usize] = u32::from(truths[index]);
        }
        self.truths = truths;
    }

    /// A node is to be settled.
    fn mark(&mut self, node: usize) {
        self.dirty[node / 64] |= 1 << (node % 64);
    }

    /// Settles the marked nodes, in order.
    fn sweep(&mut self) {
        for index in 0..self.dirty.len() {
            while self.dirty[index] != 0 {
                let node = index * 64 + self.dirty[index].trailing_zeros() as usize;
                if self.wiring.kinds[node] == Kind::Loop {
                    self.run_loop(self.loop_of(node));
                    continue;
                }
                self.dirty[index] &= self.dirty[index] - 1;
                let now = self.settle(node);
                if let Kind::PlainAnd | Kind::PlainOr = self.wiring.kinds[node] {
                    let is = now.holds();
                    if is != self.truth[node] {
                        self.truth[node] = is;
                        self.tell_truth(node, is);
                    }
                } else {
                    let before = std::mem::replace(&mut self.now[node], now);
                    if before != now {
                        self.propagate(node, &before, &now);
                    }
                }
            }
        }
    }

    fn loop_of(&self, node: usize) -> usize {
        self.bound.loop_of[node].map_or(0, |number| number as usize)
    }

    /// Tells the nodes that mention a node that its value has changed.
    pub(super) fn propagate(&mut self, node: usize, before: &Graded, now: &Graded) {
        let changes = before.change(now);
        for &edge in self.wiring.graded(node) {
            let (parent, change) = ((edge >> 1) as usize, changes[(edge & 1) as usize]);
            self.sums[parent].add(change, true);
            self.dirty[parent / 64] |= 1 << (parent % 64);
        }
        let is = now.holds();
        if before.holds() != is {
            self.truth[node] = is;
            self.tell_truth(node, is);
        }
    }

    /// Tells the nodes that want to know no more of a node whether it holds now.
    fn tell_truth(&mut self, node: usize, is: bool) {
        for &edge in self.wiring.plain(node) {
            let (parent, fails) = ((edge >> 1) as usize, is == (edge & 1 == 1));
            let before = self.count[parent];
            let after = if fails { before + 1 } else { before - 1 };
            self.count[parent] = after;
            // What matters is whether there are any.
            self.dirty[parent / 64] |= u64::from(before.min(after) == 0) << (parent % 64);
        }
        for &edge in self.wiring.comparisons(node) {
            let parent = (edge >> 1) as usize;
            self.dirty[parent / 64] |= 1 << (parent % 64);
        }
    }

    /// Whether a member holds.
    pub(super) fn edge_holds(&self, edge: Edge) -> bool {
        self.truth[(edge >> 1) as usize] != (edge & 1 == 1)
    }

    /// The value of a member.
    pub(super) fn member(&self, edge: Edge) -> Graded {
        let now = self.of((edge >> 1) as usize);
        if edge & 1 == 1 { now.negated() } else { now }
    }

    /// What a node that is in no loop is worth.
    fn settle(&mut self, node: usize) -> Graded {
        self.work += 1;
        match self.wiring.kinds[node] {
            Kind::And => self.conjunction(node, false),
            Kind::Or => self.conjunction(node, true).negated(),
            Kind::PlainAnd => truth(self.count[node] == 0),
            Kind::PlainOr => truth(self.count[node] != 0),
            Kind::Counted => self.counted.value(node, self.count[node]),
            Kind::Leaf | Kind::Fact | Kind::Loop => self.settle_leaf(node),
        }
    }

    fn settle_leaf(&mut self, node: usize) -> Graded {
        let held = self.fact[usize::from(self.count[node] > 0)];
        match &self.bound.steps[node] {
            Step::Near(wanted) if self.count[node] == 0 && self.wiring.wanted[node] => {
                let closeness = self.distances.closeness(wanted);
                let value = (1.0 - self.parameters.threshold) * closeness;
                self.memo.grade(self.scale.operand(value))
            }
            Step::Soon if self.count[node] == 0 && self.wiring.wanted[node] => {
                self.soon(self.bound.members(node)[0])
            }
            Step::Toward if self.edge_holds(self.bound.members(node)[0]) => self.fact[1],
            Step::Toward if self.wiring.wanted[node] => self.soon(self.bound.members(node)[1]),
            Step::Compare { relation, left, right, length } => {
                let value = self.compare(*relation, left, right, *length);
                if self.wiring.wanted[node] {
                    self.memo.grade(self.scale.operand(value))
                } else {
                    truth(value > 0.5)
                }
            }
            Step::Always => self.scale.grade(self.scale.operand(1.0)),
            Step::Best => self.best(node),
            _ => held,
        }
    }

    /// The value of what does not hold, of which this is the best way to come about.
    fn soon(&mut self, way: Edge) -> Graded {
        let (next, room) = (self.member(way).value, 1.0 - self.parameters.threshold);
        let near = match next > 0.5 {
            true => ONE_STEP + (1.0 - ONE_STEP) * (next - self.parameters.threshold) / room,
            false => ONE_STEP * next / room,
        };
        self.memo.grade(self.scale.operand(room * near))
    }

    /// T′ of a node's members, all of them negated if so asked.
    fn conjunction(&mut self, node: usize, flipped: bool) -> Graded {
        if self.parameters.norm != Norm::Minimum {
            return self.settle_sum(node, self.sums[node]);
        }
        let members = self.bound.members(node).iter();
        let least = self.scale.least(members.map(|&edge| self.member(edge ^ u32::from(flipped)).value));
        self.memo.grade(least)
    }

    /// The best of a node's members.
    pub(super) fn best(&mut self, node: usize) -> Graded {
        let members = self.bound.members(node).iter().map(|&edge| self.member(edge).value);
        let best = members.fold(0.0, f64::max);
        self.memo.grade(best)
    }

    /// T′ of a node's members with these sums.
    pub(super) fn settle_sum(&mut self, node: usize, sum: Sum) -> Graded {
        self.memo.settle(sum, self.breadths[node])
    }

    /// A condition's value as it meets goal values; 0 to 1.
    pub(super) fn shown(&self, condition: &Graded) -> f64 {
        self.scale.shown(condition)
    }

    /// The value of a mention, with what it adds.
    pub(super) fn graded(&self, mention: Mention) -> Graded {
        let node = self.of(mention.unsigned_abs() as usize - 1);
        if mention < 0 { node.negated() } else { node }
    }

    /// T′ of two values.
    pub(super) fn both(&self, a: &Graded, b: &Graded) -> Graded {
        self.scale.both(a, b)
    }
}

/// The value of a node that is needed for its truth alone.
fn truth(holds: bool) -> Graded {
    Graded { value: f64::from(u8::from(holds)), adds: [Sum::default(); 2] }
}
