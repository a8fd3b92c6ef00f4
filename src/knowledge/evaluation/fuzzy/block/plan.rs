//! A formula made ready for many states at once: what is computed of each node, from where, and who wants to know.

use std::ops::Range;

use crate::machine::{CompressedRows, FluentId};

use super::super::bind::Step;
use super::super::evaluate::Evaluator;
use super::super::formula::Comparison;
use super::super::norm;
use super::super::value::FuzzyFunction;
use super::conjunction::Norm;
use super::loop_planning::Loop;
use super::planning::Planning;
use super::truths::{Builder, Literal, Truths};
use super::wants::Wants;

/// No vector.
pub(super) const NONE: u32 = u32::MAX;

/// Work of a value at most, in nodes: 512 states take 30 ms then, with vectors of 512 bits.
pub(super) const MOST_WORK: usize = 1 << 16;

/// Members, facts that are measured, and pairs of places that are compared which take as long as a node.
const PARTS_OF_A_NODE: usize = 8;

/// Facts by which leaves are measured at most, added up over the leaves: more would be too much work.
const MOST_DISTANCES: usize = PARTS_OF_A_NODE * MOST_WORK;

/// What is computed of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// It always holds.
    Always,
    /// It holds where one of its facts does.
    Fact,
    /// A conjunction or disjunction of few facts: how many of its literals are true, by the place of these.
    Tally(u32),
    /// A conjunction.
    And,
    /// A disjunction.
    Or,
    /// It holds where one of its facts does, else it is worth as much as its place among measured leaves says.
    Near(u32),
    /// It holds where one of its facts does, else it is worth as much as its one member is near.
    Soon,
    /// It holds where a literal is true, else it is worth as much as its one member is near.
    Toward(Literal),
    /// A comparison, by its place among them.
    Compare(u32),
    /// What is in a loop.
    Loop,
}

/// How nodes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Never anew.
    Always,
    /// By facts: what holds, how many hold, what is measured or compared.
    Leaf,
    /// By their members.
    Members,
    /// With all of a loop, by its place among them.
    Loop(u32),
}

/// Nodes side by side that are computed in the same way, and of which none looks at another.
pub(super) struct Segment {
    pub(super) kind: Kind,
    pub(super) nodes: Range<usize>,
}

/// A node as it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    pub(super) operation: Operation,
    /// The vectors of its value and of its negation, see [`Signed`](super::conjunction::Signed); [`NONE`] where nobody wants
    /// it.
    pub(super) vectors: [u32; 2],
    pub(super) breadth: f32,
}

/// A comparison of two values.
pub(super) struct Compared {
    pub(super) relation: Comparison,
    /// For each side its places, and what is true where it has them.
    pub(super) sides: [Vec<(u32, Literal)>; 2],
    pub(super) length: f32,
}

/// A goal value with its condition: the vectors of its value and of its negation.
pub(super) struct Wanted {
    pub(super) share: f32,
    pub(super) condition: [u32; 2],
}

/// A function made ready.
pub(super) struct Plan {
    /// The facts that it looks at.
    pub(super) facts: Vec<FluentId>,
    /// What is true in a state, from facts on.
    pub(super) truths: Truths,
    /// The signals that nodes look at, and for each of them these nodes.
    pub(super) watched: Vec<u32>,
    pub(super) watchers: CompressedRows<u32>,
    /// The nodes that tell the function's value: members stand before those that look at them.
    pub(super) nodes: Vec<Planned>,
    pub(super) segments: Vec<Segment>,
    /// For each node the vectors that it adds up, or the facts that make it hold.
    pub(super) operands: CompressedRows<u32>,
    /// For each node the members by whose values its own is told.
    pub(super) members: CompressedRows<u32>,
    /// For each node those of which it is such a member.
    pub(super) parents: CompressedRows<u32>,
    /// The literals that are counted, tally by tally.
    pub(super) tallied: CompressedRows<u32>,
    /// For each tally what it and its negation add, by how many of its literals are true.
    pub(super) counted: Vec<Vec<[f32; 2]>>,
    pub(super) measured: Vec<Vec<(u32, f32)>>,
    pub(super) compared: Vec<Compared>,
    pub(super) loops: Vec<Loop>,
    pub(super) vectors: usize,
    pub(super) norm: Norm,
    /// What a fact adds that does not hold, and one that does: of its value and of its negation.
    pub(super) fact: [[f32; 2]; 2],
    /// The same of what always holds.
    pub(super) always: [f32; 2],
    /// The value of a fact that holds.
    pub(super) held: f32,
    /// The vector of the negation of the end.
    pub(super) open: u32,
    pub(super) goals: Vec<Wanted>,
    pub(super) against: Vec<Wanted>,
}

impl Plan {
    /// Makes a function ready; none for norms that are cut, rules that are followed, loops of which the truth alone is wanted, and
    /// what is too large.
    pub(super) fn new(function: &FuzzyFunction, evaluator: &Evaluator<'_>) -> Option<Plan> {
        let (bound, parameters) = (&evaluator.bound, &function.parameters);
        let nodes = bound.steps.iter().zip(&bound.loop_of);
        let odd = |(step, of): (&Step, &Option<u32>)| match step {
            Step::Best => of.is_none(),
            step => matches!(step, Step::Derived),
        };
        if parameters.norm != norm::Norm::Strict || nodes.into_iter().any(odd) {
            return None;
        }
        let facts = evaluator.reads()?;
        let wants = Wants::new(function, evaluator);
        if wants.of.iter().zip(&bound.loop_of).any(|(want, of)| want.truth && of.is_some()) {
            return None;
        }
        let read = ReadFacts::new(&wants, &facts)?;
        let truths = Builder::new(&wants, &read.held, facts.len());
        let plan = Planning::new(wants, read, truths, parameters).plan(function, facts)?;
        if plan.work() > MOST_WORK {
            return None;
        }
        Some(plan)
    }

    /// What a value takes at most, in nodes.
    pub(super) fn work(&self) -> usize {
        let measured: usize = self.measured.iter().map(Vec::len).sum();
        let compared = self.compared.iter().map(|compared| {
            let [left, right] = compared.sides.each_ref().map(Vec::len);
            if compared.relation == Comparison::Equal { left.saturating_mul(right) } else { left + right }
        });
        let lists = [&self.operands, &self.members, &self.tallied].map(|lists| lists.total());
        let parts = lists.iter().sum::<usize>() + measured + self.truths.signals();
        let loops: usize = self.loops.iter().map(Loop::work).sum();
        self.nodes.len() + loops + compared.fold(parts, usize::saturating_add) / PARTS_OF_A_NODE
    }
}

/// The facts that nodes look at.
pub(super) struct ReadFacts {
    /// For each node those that make it hold.
    pub(super) held: CompressedRows<u32>,
    /// For each node those by which it is measured, with their distances, in parts of the axes.
    pub(super) measured: Vec<Vec<(u32, f32)>>,
}

impl ReadFacts {
    /// None where distances to too many facts are asked for.
    fn new(wants: &Wants<'_, '_>, facts: &[FluentId]) -> Option<ReadFacts> {
        let Evaluator { bound, dependents, .. } = wants.evaluator;
        let mut held: Vec<(u32, u32)> = Vec::new();
        let mut groups: Vec<Vec<(u32, &[u32])>> = vec![Vec::new(); bound.fluents.groups.len()];
        for (number, &fluent) in (0..).zip(facts) {
            let touch = dependents.on_network(fluent)?;
            held.extend(touch.nodes().map(|at| (dependents.node(at).0 as u32, number)));
            if let Some(group) = touch.group() {
                groups[group].push((number, dependents.places(touch)));
            }
        }
        held.sort_unstable();
        let mut measured = vec![Vec::new(); bound.steps.len()];
        let mut distances = 0;
        for (node, step) in bound.steps.iter().enumerate() {
            let Step::Near(wanted) = step else { continue };
            if wants.of[node].graded() {
                let group = wanted.group as usize;
                distances += groups[group].len();
                if distances > MOST_DISTANCES {
                    return None;
                }
                let sizes = &bound.fluents.groups[group].sizes;
                let of = |&(fact, places): &(u32, &[u32])| (fact, distance(&wanted.places, places, sizes));
                measured[node].extend(groups[group].iter().map(of));
            }
        }
        Some(ReadFacts { held: CompressedRows::of_pairs(&held, bound.steps.len()), measured })
    }
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
