//! A formula made ready for many states at once: what is computed of each node, from where, and who wants to know.

use crate::machine::FluentId;

use super::super::bind::{Bound, Edge, Step};
use super::super::evaluate::Evaluator;
use super::super::formula::{Comparison, Mention};
use super::super::norm;
use super::super::strict::{self, Strict};
use super::super::value::{FuzzyFunction, Goal};
use super::conjunction::Norm;

/// No vector.
pub(super) const NONE: u32 = u32::MAX;

/// Work of a value at most, in nodes: 512 states take 30 ms then, with vectors of 512 bits.
const MOST_WORK: usize = 1 << 16;

/// Members, facts that are measured, and pairs of places that are compared which take as long as a node.
const PARTS_OF_A_NODE: usize = 8;

/// Facts by which leaves are measured at most, added up over the leaves: more would be too much work.
const MOST_DISTANCES: usize = PARTS_OF_A_NODE * MOST_WORK;

/// Lists of numbers, one after the other.
#[derive(Default)]
pub(super) struct Lists {
    numbers: Vec<u32>,
    ends: Vec<u32>,
}

impl Lists {
    fn push(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.numbers.extend(numbers);
        self.ends.push(self.numbers.len() as u32);
    }

    /// Lists by the first of each pair, which are sorted.
    fn of(pairs: &[(u32, u32)], count: usize) -> Lists {
        let mut lists = Lists::default();
        let mut at = 0;
        for number in 0..count as u32 {
            let of = pairs[at..].iter().take_while(|(first, _)| *first == number);
            let end = at + of.count();
            lists.push(pairs[at..end].iter().map(|&(_, second)| second));
            at = end;
        }
        lists
    }

    #[inline(always)]
    pub(super) fn get(&self, list: usize) -> &[u32] {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        &self.numbers[start as usize..self.ends[list] as usize]
    }
}

/// What is computed of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Nothing.
    Nothing,
    /// It always holds.
    Always,
    /// It holds where one of its facts does.
    Fact,
    /// The same, else it is worth as much as its place among measured leaves says.
    Near(u32),
    /// It holds where one of its facts does, else it is worth as much as its one member is near.
    Soon,
    /// It holds where its first member does, else it is worth as much as its second one is near.
    Toward,
    /// A comparison, by its place among them.
    Compare(u32),
    /// A conjunction or disjunction of few facts, by the place of its values.
    Tally(u32),
    /// A conjunction.
    And,
    /// A disjunction.
    Or,
}

/// Facts that are tallied at most.
pub(super) const MOST_TALLIED: usize = 8;

/// Values by the number of members that hold.
#[derive(PartialEq)]
pub(super) struct Tally {
    /// What the node and its negation add, where none of the members holds, one, two...
    pub(super) values: Vec<[f32; 2]>,
    /// From how many members on it holds.
    pub(super) least: usize,
}

/// A node as it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    pub(super) operation: Operation,
    /// The vectors of its value and of its negation, see [`Signed`](super::conjunction::Signed); [`NONE`] where nobody wants
    /// it.
    pub(super) vectors: [u32; 2],
    /// Whether somebody wants to know where it holds.
    pub(super) truth: bool,
    pub(super) breadth: f32,
}

/// A measured leaf: the facts by which it is, with their distances, in parts of the axes.
pub(super) struct Distances(pub(super) Vec<(u32, f32)>);

/// A comparison of two values.
pub(super) struct Compared {
    pub(super) relation: Comparison,
    /// For each side its places, and what holds where it has them.
    pub(super) sides: [Vec<(u32, Edge)>; 2],
    pub(super) length: f32,
}

/// A goal value with its condition: the vectors of its value and of its negation.
pub(super) struct Wanted {
    pub(super) share: f32,
    pub(super) condition: [u32; 2],
    /// Before the end.
    pub(super) open: [u32; 2],
}

/// A function made ready.
pub(super) struct Plan {
    /// The facts that it looks at.
    pub(super) facts: Vec<FluentId>,
    /// For each of them the nodes that look at it.
    pub(super) readers: Lists,
    pub(super) nodes: Vec<Planned>,
    /// For each node the vectors that it adds up, or the facts that make it hold.
    pub(super) operands: Lists,
    /// For each node its members.
    pub(super) members: Lists,
    /// For each node those that look at it.
    pub(super) parents: Lists,
    pub(super) measured: Vec<Distances>,
    pub(super) compared: Vec<Compared>,
    pub(super) vectors: usize,
    pub(super) tallies: Vec<Tally>,
    pub(super) norm: Norm,
    /// What a fact adds that does not hold, and one that does: of its value and of its negation.
    pub(super) fact: [[f32; 2]; 2],
    /// What adds that always holds: its value, and its negation.
    pub(super) always: [f32; 2],
    /// The value of a fact that holds.
    pub(super) held: f32,
    /// The vector of the negation of the end.
    pub(super) open: u32,
    pub(super) goals: Vec<Wanted>,
    pub(super) against: Vec<Wanted>,
    /// The nodes whose values tell the function's.
    pub(super) roots: Vec<u32>,
}

impl Plan {
    /// Makes a function ready; none for norms that are cut, loops, rules that are followed, and what is too large.
    pub(super) fn new(function: &FuzzyFunction, evaluator: &Evaluator<'_>) -> Option<Plan> {
        let (bound, parameters) = (&evaluator.bound, &function.parameters);
        let odd = |step: &Step| matches!(step, Step::Best | Step::Derived);
        if parameters.norm != norm::Norm::Strict || !bound.loops.is_empty() || bound.steps.iter().any(odd) {
            return None;
        }
        let facts = evaluator.reads()?;
        let strict = Strict::new(parameters.threshold);
        let [missing, held, always] = [1.0 - parameters.p, parameters.p, 1.0].map(|value| {
            let strict::Costs { value, negation } = strict::Costs::of(strict.inside(value));
            let [value, negation] = [value as f32, negation as f32];
            if value < negation { [value, -negation] } else { [-value, negation] }
        });
        let mut planning = Planning { evaluator, wanted: vec![Want::default(); bound.steps.len()] };
        planning.want(function);
        let mut plan = Plan {
            readers: Lists::default(),
            nodes: Vec::with_capacity(bound.steps.len()),
            operands: Lists::default(),
            members: Lists::default(),
            parents: Lists::default(),
            measured: Vec::new(),
            compared: Vec::new(),
            vectors: 0,
            tallies: Vec::new(),
            norm: Norm::new(&strict),
            fact: [missing, held],
            always,
            held: parameters.p as f32,
            open: NONE,
            goals: Vec::new(),
            against: Vec::new(),
            roots: planning.roots(function),
            facts,
        };
        plan.read_facts(&planning)?;
        plan.read_nodes(&planning);
        if plan.work() > MOST_WORK {
            return None;
        }
        let wanted = |goal: &Goal| Wanted {
            share: goal.value as f32 / 100.0,
            condition: plan.of(goal.condition),
            open: plan.of(goal.after_move.unwrap_or(goal.condition)),
        };
        let (goals, against) =
            (function.goals.iter().map(wanted).collect(), function.against.iter().map(wanted).collect());
        plan.open = plan.of(function.terminal)[1];
        (plan.goals, plan.against) = (goals, against);
        Some(plan)
    }

    /// What a value takes at most, in nodes.
    pub(super) fn work(&self) -> usize {
        let nodes = self.nodes.iter().filter(|node| node.operation != Operation::Nothing).count();
        let measured: usize = self.measured.iter().map(|measured| measured.0.len()).sum();
        let compared = self.compared.iter().map(|compared| {
            let [left, right] = compared.sides.each_ref().map(Vec::len);
            if compared.relation == Comparison::Equal { left.saturating_mul(right) } else { left + right }
        });
        let parts = self.operands.numbers.len() + self.members.numbers.len() + measured;
        nodes + compared.fold(parts, usize::saturating_add) / PARTS_OF_A_NODE
    }

    /// The vectors of a mention's value and negation.
    fn of(&self, mention: Mention) -> [u32; 2] {
        let [value, negation] = self.nodes[mention.unsigned_abs() as usize - 1].vectors;
        if mention < 0 { [negation, value] } else { [value, negation] }
    }

    /// Notes which nodes look at which facts; none where distances to too many are asked for.
    fn read_facts(&mut self, planning: &Planning<'_, '_>) -> Option<()> {
        let Evaluator { bound, dependents, .. } = planning.evaluator;
        let mut held: Vec<(u32, u32)> = Vec::new();
        let mut groups: Vec<Vec<(u32, &[u32])>> = vec![Vec::new(); bound.fluents.groups.len()];
        for (number, &fluent) in (0..).zip(&self.facts) {
            let touch = dependents.on_network(fluent)?;
            held.extend(touch.nodes().map(|at| (dependents.node(at).0 as u32, number)));
            if let Some(group) = touch.group() {
                groups[group].push((number, dependents.places(touch)));
            }
        }
        held.retain(|&(node, _)| planning.wanted[node as usize].any());
        held.sort_unstable();
        self.operands = Lists::of(&held, bound.steps.len());
        let mut readers: Vec<(u32, u32)> = held.iter().map(|&(node, fact)| (fact, node)).collect();
        let mut distances = 0;
        for (node, step) in bound.steps.iter().enumerate() {
            let Step::Near(wanted) = step else { continue };
            let mut measured = Vec::new();
            if planning.wanted[node].graded() {
                let group = wanted.group as usize;
                distances += groups[group].len();
                if distances > MOST_DISTANCES {
                    return None;
                }
                let sizes = &bound.fluents.groups[group].sizes;
                let of = |&(fact, places): &(u32, &[u32])| (fact, distance(&wanted.places, places, sizes));
                measured.extend(groups[group].iter().map(of));
                readers.extend(groups[group].iter().map(|&(fact, _)| (fact, node as u32)));
            }
            self.measured.push(Distances(measured));
        }
        readers.sort_unstable();
        readers.dedup();
        self.readers = Lists::of(&readers, self.facts.len());
        Some(())
    }

    /// The values of a conjunction, or disjunction, of so many facts.
    fn tally(&mut self, members: usize, is_or: bool, breadth: f64) -> u32 {
        let mut tally = Tally { values: Vec::new(), least: if is_or { 1 } else { members } };
        for held in 0..=members {
            // A disjunction is the negation of a conjunction of negations.
            let part = usize::from(is_or);
            let mut sums = [0.0; 2];
            for member in 0..members {
                let cost = self.fact[usize::from(member < held)][part];
                sums[usize::from(cost < 0.0)] += cost.abs();
            }
            let [value, negation] = self.norm.conjunction(sums, breadth as f32);
            tally.values.push(if is_or { [negation, value] } else { [value, negation] });
        }
        let known = self.tallies.iter().position(|known| *known == tally);
        known.unwrap_or_else(|| {
            self.tallies.push(tally);
            self.tallies.len() - 1
        }) as u32
    }

    fn read_nodes(&mut self, planning: &Planning<'_, '_>) {
        let Evaluator { bound, breadths, .. } = planning.evaluator;
        let held = std::mem::take(&mut self.operands);
        let (mut measured, mut parents) = (0, Vec::new());
        let mut vector = |wanted: bool| {
            self.vectors += usize::from(wanted);
            if wanted { self.vectors as u32 - 1 } else { NONE }
        };
        let vectors: Vec<[u32; 2]> =
            planning.wanted.iter().map(|want| want.values.map(&mut vector)).collect();
        for (node, step) in bound.steps.iter().enumerate() {
            let want = planning.wanted[node];
            let near = measured;
            measured += u32::from(matches!(step, Step::Near(_)));
            let operation = match step {
                _ if !want.any() => Operation::Nothing,
                Step::Always => Operation::Always,
                Step::Fact => Operation::Fact,
                Step::Near(_) => Operation::Near(near),
                Step::Soon => Operation::Soon,
                Step::Toward => Operation::Toward,
                Step::Compare { relation, left, right, length } => {
                    let (sides, length) = ([left.clone(), right.clone()], *length as f32);
                    self.compared.push(Compared { relation: *relation, sides, length });
                    Operation::Compare(self.compared.len() as u32 - 1)
                }
                Step::And | Step::Or if want.graded() && is_tally(bound, node) => {
                    let tally =
                        self.tally(bound.members(node).len(), matches!(step, Step::Or), breadths[node]);
                    Operation::Tally(tally)
                }
                Step::And => Operation::And,
                Step::Or => Operation::Or,
                Step::Derived | Step::Best => unreachable!("such formulas are not planned"),
            };
            let (breadth, truth) = (breadths[node] as f32, want.truth);
            self.nodes.push(Planned { operation, vectors: vectors[node], truth, breadth });
            let members = if want.any() { bound.members(node) } else { &[] };
            self.members.push(members.iter().copied());
            match operation {
                Operation::And | Operation::Or if want.graded() => {
                    let flip = u32::from(operation == Operation::Or);
                    self.operands.push(
                        members
                            .iter()
                            .map(|&edge| vectors[(edge >> 1) as usize][((edge & 1) ^ flip) as usize]),
                    );
                }
                _ => self.operands.push(held.get(node).iter().copied()),
            }
            if want.any() {
                parents.extend(bound.below(node).map(|edge| (edge >> 1, node as u32)));
            }
        }
        parents.sort_unstable();
        parents.dedup();
        self.parents = Lists::of(&parents, bound.steps.len());
    }
}

/// Whether a conjunction or disjunction is told by the number of its members that hold.
fn is_tally(bound: &Bound<'_>, node: usize) -> bool {
    let members = bound.members(node);
    let fact = |edge: &Edge| matches!(bound.steps[(edge >> 1) as usize], Step::Fact);
    members.len() <= MOST_TALLIED && members.iter().all(fact)
}

/// The distance of a fact to the wanted places: the mean over the axes that are wanted, in parts of these.
fn distance(wanted: &[Option<u32>], places: &[u32], sizes: &[u32]) -> f32 {
    let (mut steps, mut axes) = (0.0, 0.0);
    for ((wanted, place), size) in wanted.iter().zip(places).zip(sizes) {
        if let Some(wanted) = wanted {
            steps += f64::from(wanted.abs_diff(*place)) / f64::from(*size);
            axes += 1.0;
        }
    }
    (steps / axes) as f32
}

/// What others want of a node: its value, its negation, where it holds.
#[derive(Clone, Copy, Default)]
struct Want {
    values: [bool; 2],
    truth: bool,
}

impl Want {
    fn graded(self) -> bool {
        self.values[0] || self.values[1]
    }

    fn any(self) -> bool {
        self.truth || self.graded()
    }
}

/// What is wanted of every node.
struct Planning<'e, 'm> {
    evaluator: &'e Evaluator<'m>,
    wanted: Vec<Want>,
}

impl Planning<'_, '_> {
    fn roots(&self, function: &FuzzyFunction) -> Vec<u32> {
        let goals = function.goals.iter().chain(&function.against).flat_map(Goal::conditions);
        goals.chain([function.terminal]).map(|mention| mention.unsigned_abs() - 1).collect()
    }

    /// Goes from the roots down. Members stand before those that mention them, but for what always holds.
    fn want(&mut self, function: &FuzzyFunction) {
        for goal in function.goals.iter().chain(&function.against) {
            for mention in goal.conditions() {
                self.wanted[mention.unsigned_abs() as usize - 1].values = [true; 2];
            }
        }
        let terminal = function.terminal;
        self.wanted[terminal.unsigned_abs() as usize - 1].values[usize::from(terminal > 0)] = true;
        let Evaluator { bound, .. } = self.evaluator;
        for node in (0..bound.steps.len()).rev() {
            let want = self.wanted[node];
            if !want.any() {
                continue;
            }
            let graded = want.graded();
            let mut ask = |edge: Edge, value: bool, negation: bool, truth: bool| {
                let asked = &mut self.wanted[(edge >> 1) as usize];
                let [value, negation] = if edge & 1 == 1 { [negation, value] } else { [value, negation] };
                asked.values[0] |= value;
                asked.values[1] |= negation;
                asked.truth |= truth;
            };
            let members = bound.members(node);
            match &bound.steps[node] {
                Step::And | Step::Or if graded && is_tally(bound, node) => {
                    members.iter().for_each(|&edge| ask(edge, false, false, true));
                }
                Step::And => members.iter().for_each(|&edge| ask(edge, graded, false, want.truth)),
                Step::Or => members.iter().for_each(|&edge| ask(edge, false, graded, want.truth)),
                Step::Soon => members.iter().for_each(|&edge| ask(edge, graded, graded, false)),
                Step::Toward => {
                    ask(members[0], false, false, true);
                    ask(members[1], graded, graded, false);
                }
                Step::Compare { .. } => bound.below(node).for_each(|edge| ask(edge, false, false, true)),
                _ => {}
            }
        }
    }
}
