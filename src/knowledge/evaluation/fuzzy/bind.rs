//! Binds a formula to a machine: checks every part, and resolves mentions to edges and leaves to fluents.

use rustc_hash::FxHashMap;

use crate::machine::{CompressedRows, Machine};

use super::bind_error::{BindError, MOST_MEMBERS};
use super::fluents::{Fluents, GoalLocation};
use super::formula::Formula;
use super::kinds::{ExplainedKind, Junction, LeafBinder, Node};
use super::mention::{Edge, Mention, Steps};

/// A checked formula. The constant true is a node after all others.
pub(super) struct BoundFormula<'f, 'm> {
    pub(super) nodes: &'f [Node],
    /// For each node its members.
    members: CompressedRows<Edge>,
    /// For each node its loop.
    pub(super) loop_of: Vec<Option<u32>>,
    /// First and last node of every loop.
    pub(super) loops: Vec<(u32, u32)>,
    /// For each node the fluents that make it hold, by their numbers in `fluents`.
    pub(super) held: CompressedRows<u32>,
    /// The goal locations of measured nodes.
    pub(super) measured: FxHashMap<u32, GoalLocation>,
    /// The nodes of derived atoms, and these atoms.
    pub(super) derived: Vec<(u32, String)>,
    pub(super) fluents: Fluents<'m>,
}

impl<'f, 'm> BoundFormula<'f, 'm> {
    /// Checks a formula.
    pub(super) fn new(
        machine: &'m dyn Machine,
        formula: &'f Formula,
    ) -> Result<BoundFormula<'f, 'm>, BindError> {
        let count = formula.nodes.len();
        let mut bound = BoundFormula {
            nodes: &formula.nodes,
            members: CompressedRows::default(),
            loop_of: vec![None; count + 1],
            loops: Vec::new(),
            held: CompressedRows::default(),
            measured: FxHashMap::default(),
            derived: Vec::new(),
            fluents: Fluents::new(machine, &formula.families)?,
        };
        bound.read_loops(formula)?;
        for (index, node) in formula.nodes.iter().enumerate() {
            let mentions = node.mentions();
            if mentions.len() > MOST_MEMBERS {
                return Err(BindError::Members { node: index + 1, members: mentions.len() });
            }
            for mention in mentions {
                let edge = bound.edge(index, mention, count)?;
                bound.members.items_mut().push(edge);
            }
            bound.members.end_row();
            let mut binding = Binding { bound: &mut bound, node: index };
            node.bind(&mut binding)?;
            bound.held.end_row();
        }
        bound.members.end_row();
        bound.held.end_row();
        Ok(bound)
    }

    fn read_loops(&mut self, formula: &Formula) -> Result<(), BindError> {
        for (index, &(first, last)) in formula.loops.iter().enumerate() {
            let wrong = |what| BindError::Loop { first, last, what };
            if first == 0 || last < first || last as usize > formula.nodes.len() {
                return Err(wrong("there are no such nodes"));
            }
            for node in first - 1..last {
                if !formula.nodes[node as usize].kind().in_loops() {
                    return Err(wrong("only `and` and `best` can stand in a loop"));
                }
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

    /// The number of nodes, including the constant true.
    pub(super) fn count(&self) -> usize {
        self.nodes.len() + 1
    }

    /// The kind of a node; `None` for the constant true.
    pub(super) fn kind(&self, node: usize) -> Option<ExplainedKind> {
        self.nodes.get(node).map(Node::kind)
    }

    pub(super) fn members(&self, node: usize) -> &[Edge] {
        self.members.row(node)
    }

    /// How a node combines its members; `None` for a leaf.
    pub(super) fn junction(&self, node: usize) -> Option<Junction> {
        self.kind(node)?.junction()
    }
}

/// Binds one node.
struct Binding<'b, 'f, 'm> {
    bound: &'b mut BoundFormula<'f, 'm>,
    /// The index of the node.
    node: usize,
}

impl LeafBinder for Binding<'_, '_, '_> {
    fn node(&self) -> usize {
        self.node
    }

    fn fact(&mut self, atom: &str) -> Result<(), BindError> {
        let fact = self.bound.fluents.fact(atom)?;
        self.bound.held.items_mut().extend(fact);
        Ok(())
    }

    fn near(&mut self, pattern: &str, steps: Steps) -> Result<(), BindError> {
        let (held, place) = self.bound.fluents.near(pattern, steps)?;
        self.bound.held.items_mut().extend(held);
        self.bound.measured.insert(self.node as u32, place);
        Ok(())
    }

    fn derived(&mut self, atom: &str) {
        self.bound.derived.push((self.node as u32, atom.to_owned()));
    }
}
