//! Making a formula ready for a machine: nodes become a flat list, after checking every part of it.

use crate::machine::Machine;

use super::bind_error::BindError;
use super::fluents::{Fluents, GoalLocation};
use super::formula::{Comparison, Formula, Mention, Node};
use super::terms::MOST_MEMBERS;

/// An edge to a node: its number, times two, plus one where it is negated.
pub(super) type Edge = u32;

/// A place in an order, and what holds when a value has it.
pub(super) type Valued = (u32, Edge);

/// A node as it is evaluated.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// What always holds.
    Always,
    /// A fluent.
    Fact,
    /// A measured fluent.
    Near(GoalLocation),
    /// A fluent that looks back through the rules, at its one edge.
    Soon,
    /// What is to hold, and what brings it about, at its two edges.
    Toward,
    /// An atom of a lifted relation, by its number among them.
    Derived,
    Compare {
        relation: Comparison,
        left: Vec<Valued>,
        right: Vec<Valued>,
        length: f64,
    },
    /// A conjunction of edges.
    And,
    /// A disjunction.
    Or,
    /// A disjunction in a loop.
    Best,
}

/// A formula ready to run.
pub(super) struct Bound<'m> {
    /// The nodes, with [`Step::Always`] last.
    pub(super) steps: Vec<Step>,
    /// Edges of conjunctions and disjunctions, node by node.
    pub(super) edges: Vec<Edge>,
    starts: Vec<u32>,
    /// The loop of a node.
    pub(super) loop_of: Vec<Option<u32>>,
    /// First and last node of every loop.
    pub(super) loops: Vec<(u32, u32)>,
    /// The lifted atoms, and their nodes.
    pub(super) derived: Vec<(u32, String)>,
    /// What the machine's fluents touch.
    pub(super) fluents: Fluents<'m>,
}

impl<'m> Bound<'m> {
    /// Checks a formula and makes it ready.
    pub(super) fn new(machine: &'m dyn Machine, formula: &Formula) -> Result<Bound<'m>, BindError> {
        let mut bound = Bound {
            steps: Vec::with_capacity(formula.nodes.len() + 1),
            edges: Vec::new(),
            starts: vec![0],
            loop_of: vec![None; formula.nodes.len() + 1],
            loops: Vec::new(),
            derived: Vec::new(),
            fluents: Fluents::new(machine, &formula.families)?,
        };
        bound.read_loops(formula)?;
        for (index, node) in formula.nodes.iter().enumerate() {
            bound.read_node(index, node, formula.nodes.len())?;
        }
        bound.steps.push(Step::Always);
        bound.starts.push(bound.edges.len() as u32);
        bound.check_loops()?;
        bound.fluents.check()?;
        Ok(bound)
    }

    fn read_loops(&mut self, formula: &Formula) -> Result<(), BindError> {
        for (index, &(first, last)) in formula.loops.iter().enumerate() {
            let wrong = |what| BindError::Loop { first, last, what };
            if first == 0 || last < first || last as usize > formula.nodes.len() {
                return Err(wrong("there are no such nodes"));
            }
            for node in first - 1..last {
                if self.loop_of[node as usize].replace(index as u32).is_some() {
                    return Err(wrong("another loop has one of its nodes"));
                }
            }
            self.loops.push((first - 1, last - 1));
        }
        Ok(())
    }

    fn edge(&self, node: usize, mention: Mention, count: usize) -> Result<Edge, BindError> {
        if mention == 0 {
            return Ok((count as u32) << 1);
        }
        let target = mention.unsigned_abs() as usize - 1;
        let same_loop = target < count
            && self.loop_of[node].is_some()
            && self.loop_of[target] == self.loop_of[node]
            && mention > 0;
        if target < node && self.loop_of[target].is_none_or(|other| self.loop_of[node] != Some(other))
            || same_loop
        {
            return Ok((target as u32) << 1 | u32::from(mention < 0));
        }
        Err(BindError::Mention { node: node + 1, mention })
    }

    fn read_node(&mut self, index: usize, node: &Node, count: usize) -> Result<(), BindError> {
        let members = node.mentions().count();
        if members > MOST_MEMBERS {
            return Err(BindError::Members { node: index + 1, members });
        }
        let step = match node {
            Node::Fact(atom) => {
                self.fluents.fact(index, atom);
                Step::Fact
            }
            Node::Near(pattern) => Step::Near(self.fluents.near(index, pattern)?),
            Node::Soon { fact, next } => {
                self.fluents.fact(index, fact);
                let edge = self.edge(index, *next, count)?;
                self.edges.push(edge);
                Step::Soon
            }
            Node::Toward { holds, next } => {
                for mention in [*holds, *next] {
                    let edge = self.edge(index, mention, count)?;
                    self.edges.push(edge);
                }
                Step::Toward
            }
            Node::Derived(atom) => {
                self.derived.push((index as u32, atom.clone()));
                Step::Derived
            }
            Node::Compare(compare) => {
                let side = |list: &[(u32, Mention)]| -> Result<Vec<Valued>, BindError> {
                    if list.is_empty() || list.iter().any(|&(place, _)| place >= compare.length) {
                        return Err(BindError::Places { node: index + 1, length: compare.length });
                    }
                    list.iter()
                        .map(|&(place, mention)| Ok((place, self.edge(index, mention, count)?)))
                        .collect()
                };
                Step::Compare {
                    relation: compare.relation,
                    left: side(&compare.left)?,
                    right: side(&compare.right)?,
                    length: f64::from(compare.length),
                }
            }
            Node::And(list) | Node::Or(list) | Node::Best(list) => {
                for &mention in list {
                    let edge = self.edge(index, mention, count)?;
                    self.edges.push(edge);
                }
                match node {
                    Node::And(_) => Step::And,
                    Node::Or(_) => Step::Or,
                    _ => Step::Best,
                }
            }
        };
        self.steps.push(step);
        self.starts.push(self.edges.len() as u32);
        Ok(())
    }

    /// Every loop is made of conjunctions and best cases.
    fn check_loops(&self) -> Result<(), BindError> {
        for &(first, last) in &self.loops {
            let allowed = |node: u32| matches!(self.steps[node as usize], Step::And | Step::Best);
            if !(first..=last).all(allowed) {
                let what = "only `and` and `best` can stand in a loop";
                return Err(BindError::Loop { first: first + 1, last: last + 1, what });
            }
        }
        Ok(())
    }

    /// The edges of a conjunction or disjunction.
    pub(super) fn members(&self, node: usize) -> &[Edge] {
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The edges of a node, those of comparisons included.
    pub(super) fn below(&self, node: usize) -> impl Iterator<Item = Edge> + '_ {
        let (left, right): (&[Valued], &[Valued]) = match &self.steps[node] {
            Step::Compare { left, right, .. } => (left, right),
            _ => (&[], &[]),
        };
        self.members(node).iter().copied().chain(left.iter().chain(right).map(|&(_, edge)| edge))
    }
}
