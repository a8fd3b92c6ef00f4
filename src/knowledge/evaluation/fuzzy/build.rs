//! Makes the nodes of a graph from atoms and their shapes.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::datalog::Exceeded;
use crate::gdl::rule::{RelationId, RelationKind};

use super::beneficiaries::beneficiaries;
use super::capture::captured;
use super::condition_atoms::ConditionAtoms;
use super::draft::GraphDraft;
use super::goal_locations::demote_unsought_leaves;
use super::graph::{ALWAYS, NEVER};
use super::instances::AtomLiteral;
use super::kinds::Node;
use super::mention::Mention;
use super::regression::GoalRegression;
use super::shape::Shape;
use super::unroll_context::{STRIDE, UnrollContext};

/// Makes the nodes of all atoms that the roots reach.
///
/// # Errors
/// It is interrupted.
pub(super) fn build(
    context: &UnrollContext<'_>,
    roots: &ConditionAtoms,
    lifted: &BTreeSet<RelationId>,
) -> Result<GraphDraft, Exceeded> {
    let mut numbers: FxHashMap<u32, NodeIndex> = FxHashMap::default();
    let mut graph: DiGraph<u32, ()> = DiGraph::new();
    let mut shapes: Vec<Shape> = Vec::new();
    let mut starts: Vec<u32> = roots.all().collect();
    starts.reverse();
    for &atom in &starts {
        numbers.entry(atom).or_insert_with(|| graph.add_node(atom));
    }
    let mut next = 0;
    while next < graph.node_count() {
        if next % STRIDE == 0 && context.interrupt.is_set() {
            return Err(Exceeded::Interrupted);
        }
        let node = NodeIndex::new(next);
        next += 1;
        let shape = Shape::of(context, graph[node], lifted);
        for atom in shape.atoms(context, graph[node]) {
            let other = *numbers.entry(atom).or_insert_with(|| graph.add_node(atom));
            graph.update_edge(node, other, ());
        }
        shapes.push(shape);
    }
    demote_unsought_leaves(context, &starts, &graph, &numbers, &mut shapes);
    let mut draft = GraphDraft::default();
    draft.memo.beneficiaries = beneficiaries(context, roots);
    let mut builder = GraphBuilder { context, draft: &mut draft };
    let mut weights: BTreeMap<RelationId, usize> = BTreeMap::new();
    for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
        if number % STRIDE == 0 && context.interrupt.is_set() {
            return Err(Exceeded::Interrupted);
        }
        let before = builder.draft.graph.mentions;
        let (first, atom) = (component[0], graph[component[0]]);
        let owner = context.rules.owners[context.relation(atom).index()];
        if component.len() > 1 || graph.find_edge(first, first).is_some() {
            let atoms: Vec<u32> = component.iter().map(|&node| graph[node]).collect();
            builder.add_loop(&atoms);
        } else {
            let shape = &shapes[first.index()];
            let mention = builder.node(atom, shape);
            builder.draft.mentions.insert(atom, mention);
            if let Shape::Derived = shape {
                builder.draft.lifted.insert(owner);
            }
        }
        *weights.entry(owner).or_default() += builder.draft.graph.mentions - before;
        component.iter().for_each(|&node| builder.label(graph[node]));
    }
    draft.heaviest = weights
        .into_iter()
        .filter(|(relation, _)| !lifted.contains(relation))
        .filter(|(relation, _)| context.rules.relations[relation.index()].kind != RelationKind::True)
        .max_by_key(|&(relation, weight)| (weight, std::cmp::Reverse(relation)));
    Ok(draft)
}

struct GraphBuilder<'a> {
    context: &'a UnrollContext<'a>,
    draft: &'a mut GraphDraft,
}

impl GraphBuilder<'_> {
    fn node(&mut self, atom: u32, shape: &Shape) -> Mention {
        let context = self.context;
        match shape {
            Shape::Fact => self.fluent(atom),
            Shape::Derived => self.draft.graph.node(Node::Derived(context.text(atom))),
            Shape::Measured(node) => self.draft.measured(context, atom, node.clone()),
            Shape::Compare(sides) => self.draft.comparison(sides, &mut |draft, atom| draft.mentions[&atom]),
            Shape::Anywhere => {
                let facts = context.instances.of(atom).flatten();
                let cases = facts.map(|&(fact, _)| self.fluent(fact)).collect();
                self.alternatives(atom, cases)
            }
            Shape::Rules => {
                let mut cases = Vec::new();
                for instance in context.instances.of(atom) {
                    let members = instance.iter().map(|&literal| self.member(literal)).collect();
                    cases.push(self.draft.graph.and(members));
                }
                self.alternatives(atom, cases)
            }
        }
    }

    fn fluent(&mut self, fluent: u32) -> Mention {
        let context = self.context;
        GoalRegression { context, draft: self.draft }.fluent(fluent, context.regression.steps)
    }

    /// The node of an atom with these cases. It is a `Node::Best` if fluents look back and the atom needs any one of several
    /// fluents that are initially false: a disjunction of hundreds of distant fluents hardly changes.
    fn alternatives(&mut self, atom: u32, cases: Vec<Mention>) -> Mention {
        let context = self.context;
        let is_sought = || {
            let fluents = context.alternatives(atom, usize::MAX);
            fluents.is_some_and(|fluents| !fluents.iter().any(|&fluent| context.is_initial(fluent)))
        };
        match context.regression.steps > 0 && cases.len() > 1 && is_sought() {
            true => self.draft.graph.best(cases),
            false => self.draft.graph.or(cases),
        }
    }

    /// Adds the nodes of atoms that depend on each other.
    fn add_loop(&mut self, atoms: &[u32]) {
        let context = self.context;
        let inside: BTreeSet<u32> = atoms.iter().copied().collect();
        let is_base = |instance: &&[AtomLiteral]| instance.iter().all(|(other, _)| !inside.contains(other));
        // Instances that need no atom of the loop are ordinary conjunctions before it.
        let mut bases: Vec<Vec<Mention>> = Vec::new();
        for &atom in atoms {
            let mut cases = Vec::new();
            for instance in context.instances.of(atom).filter(is_base) {
                let members = self.members(instance);
                cases.push(self.draft.graph.and(members));
            }
            cases.retain(|&case| case != NEVER);
            bases.push(cases);
        }
        let first = self.draft.graph.next();
        for &atom in atoms {
            let node = self.draft.graph.fresh(Node::Best(Vec::new()));
            self.draft.mentions.insert(atom, node);
        }
        for (&atom, mut cases) in atoms.iter().zip(bases) {
            for instance in context.instances.of(atom).filter(|instance| !is_base(instance)) {
                let mut members = self.members(instance);
                members.retain(|&member| member != ALWAYS);
                members.sort_unstable();
                members.dedup();
                if members.contains(&NEVER) || members.contains(&self.draft.mentions[&atom]) {
                    continue;
                }
                cases.push(match members[..] {
                    [single] => single,
                    _ => self.draft.graph.fresh(Node::And(members)),
                });
            }
            cases.sort_unstable();
            cases.dedup();
            self.draft.graph.define(self.draft.mentions[&atom], Node::Best(cases));
        }
        self.draft.graph.close(first);
    }

    fn members(&self, instance: &[AtomLiteral]) -> Vec<Mention> {
        instance.iter().map(|&(atom, negated)| self.draft.mention(atom, negated)).collect()
    }

    /// A member of a condition; the absence of a piece is valued by how nearly it is captured.
    fn member(&mut self, (atom, negated): AtomLiteral) -> Mention {
        let captured = if negated { captured(self.context, self.draft, atom) } else { None };
        captured.unwrap_or_else(|| self.draft.mention(atom, negated))
    }

    /// Labels the node of an atom of the description's own relations.
    fn label(&mut self, atom: u32) {
        let relation = self.context.description.relations.get(self.context.relation(atom).index());
        let named = matches!(
            relation.map(|relation| relation.kind),
            Some(RelationKind::View | RelationKind::Goal | RelationKind::Terminal)
        );
        let mention = self.draft.mentions[&atom];
        if named && mention > 0 {
            self.draft.labels.push((mention as u32, atom));
        }
    }
}
