//! Making the nodes of a graph from atoms and what becomes of them.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::datalog::Exceeded;
use crate::gdl::rule::{RelationId, RelationKind};

use super::graph::{ALWAYS, Graph, NEVER, negate};
use super::kinds::{Compare, Node};
use super::mention::Mention;
use super::rewrite::Part;
use super::shape::{Shape, Sides};
use super::unroller::{GraphDraft, Regressed, Roots, STRIDE, Unroller};

impl Unroller<'_> {
    /// Makes the nodes of all atoms that the roots reach.
    ///
    /// # Errors
    /// It is interrupted.
    pub(super) fn build(&self, roots: &Roots, lifted: &BTreeSet<RelationId>) -> Result<GraphDraft, Exceeded> {
        let mut numbers: FxHashMap<u32, NodeIndex> = FxHashMap::default();
        let mut graph: DiGraph<u32, ()> = DiGraph::new();
        let mut shapes: Vec<Shape> = Vec::new();
        let mut stack: Vec<u32> = roots.atoms().collect();
        stack.reverse();
        let starts = stack.clone();
        for &atom in &starts {
            numbers.entry(atom).or_insert_with(|| graph.add_node(atom));
        }
        let mut next = 0;
        while next < graph.node_count() {
            if next % STRIDE == 0 && self.interrupt.is_set() {
                return Err(Exceeded::Interrupted);
            }
            let node = NodeIndex::new(next);
            next += 1;
            let shape = self.shape(graph[node], lifted);
            for atom in self.below(graph[node], &shape) {
                let other = *numbers.entry(atom).or_insert_with(|| graph.add_node(atom));
                graph.update_edge(node, other, ());
            }
            shapes.push(shape);
        }
        self.keep_goal_locations(&starts, &graph, &numbers, &mut shapes);
        let mut made = GraphDraft {
            graph: Graph::default(),
            mentions: FxHashMap::default(),
            lifted: BTreeSet::new(),
            heaviest: None,
            regressed: Regressed::new(self.wanted_by(roots)),
            labels: Vec::new(),
        };
        let mut weights: BTreeMap<RelationId, usize> = BTreeMap::new();
        for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
            if number % STRIDE == 0 && self.interrupt.is_set() {
                return Err(Exceeded::Interrupted);
            }
            let before = made.graph.mentions;
            let owner = self.owner(graph[component[0]]);
            let recursive = component.len() > 1 || graph.find_edge(component[0], component[0]).is_some();
            if recursive {
                let atoms: Vec<u32> = component.iter().map(|&node| graph[node]).collect();
                self.build_loop(&atoms, &mut made);
            } else {
                let atom = graph[component[0]];
                let shape = &shapes[component[0].index()];
                let mention = self.build_atom(atom, shape, &mut made);
                made.mentions.insert(atom, mention);
                if let Shape::Derived = shapes[component[0].index()] {
                    made.lifted.insert(owner);
                }
            }
            *weights.entry(owner).or_default() += made.graph.mentions - before;
            for &node in &component {
                self.label(graph[node], &mut made);
            }
        }
        made.heaviest = weights
            .into_iter()
            .filter(|(relation, _)| !lifted.contains(relation))
            .filter(|(relation, _)| self.rules.relations[relation.index()].kind != RelationKind::True)
            .max_by_key(|&(relation, weight)| (weight, std::cmp::Reverse(relation)));
        Ok(made)
    }

    fn build_atom(&self, atom: u32, shape: &Shape, made: &mut GraphDraft) -> Mention {
        match shape {
            Shape::Fact => self.looking_back(atom, self.regression.steps, made),
            Shape::Derived => made.graph.node(Node::Derived(self.text(atom))),
            Shape::Measured(node) => {
                self.add_family(atom, made);
                made.graph.node(node.clone())
            }
            Shape::Compare(sides) => {
                self.comparison_node(sides, made, &mut |made, atom| made.mentions[&atom])
            }
            Shape::Anywhere => {
                let facts = self.instances.of(atom).flatten();
                let cases = facts.map(|&(fact, _)| self.looking_back(fact, self.regression.steps, made));
                let cases = cases.collect();
                self.some(atom, cases, made)
            }
            Shape::Rules => {
                let mut cases = Vec::new();
                for instance in self.instances.of(atom) {
                    let members = instance.iter().map(|&(atom, negated)| self.member(made, atom, negated));
                    let members = members.collect();
                    cases.push(made.graph.and(members));
                }
                self.some(atom, cases, made)
            }
        }
    }

    /// The node of an atom with these cases. If the atom needs any one of several facts, all of these are initially false, and facts
    /// look back, it is a `Node::Best`: a disjunction of hundreds of distant facts hardly changes.
    fn some(&self, atom: u32, cases: Vec<Mention>, made: &mut GraphDraft) -> Mention {
        let is_sought = || {
            let facts = self.some_fact_of(atom, usize::MAX);
            facts.is_some_and(|facts| !facts.iter().any(|&fact| self.holds_at_first(fact)))
        };
        match self.regression.steps > 0 && cases.len() > 1 && is_sought() {
            true => made.graph.best(cases),
            false => made.graph.or(cases),
        }
    }

    /// Whether a fluent holds in the initial state.
    fn holds_at_first(&self, fluent: u32) -> bool {
        let of = &self.rules.relations[self.instances.atoms[fluent as usize].0.index()];
        let init = self.description.relation(RelationKind::Init, of.name, of.arity);
        init.is_some_and(|init| self.statics.holds(init, self.instances.arguments(fluent)))
    }

    /// The node of a comparison, whose values are given by atoms with the nodes that `node_of` returns.
    pub(super) fn comparison_node(
        &self,
        sides: &Sides,
        made: &mut GraphDraft,
        node_of: &mut dyn FnMut(&mut GraphDraft, u32) -> Mention,
    ) -> Mention {
        let mut find = |list: &[(u32, Option<u32>)]| -> Vec<(u32, Mention)> {
            let mentions =
                list.iter().map(|&(rank, atom)| (rank, atom.map_or(ALWAYS, |atom| node_of(made, atom))));
            mentions.filter(|&(_, mention)| mention != NEVER).collect()
        };
        let (left, right) = (find(&sides.left), find(&sides.right));
        if left.is_empty() || right.is_empty() {
            return NEVER;
        }
        made.graph.node(Node::Compare(Compare {
            text: sides.text.clone(),
            relation: sides.relation,
            left,
            right,
            length: sides.length,
        }))
    }

    /// Atoms that depend on each other.
    fn build_loop(&self, atoms: &[u32], made: &mut GraphDraft) {
        let inside: BTreeSet<u32> = atoms.iter().copied().collect();
        // Instances that need nothing of the loop are ordinary conjunctions before it.
        let mut bases: Vec<Vec<Mention>> = Vec::new();
        for &atom in atoms {
            let mut cases = Vec::new();
            for instance in self.instances.of(atom) {
                if instance.iter().all(|(other, _)| !inside.contains(other)) {
                    let members =
                        instance.iter().map(|&(atom, negated)| mention(made, atom, negated)).collect();
                    cases.push(made.graph.and(members));
                }
            }
            cases.retain(|&case| case != NEVER);
            bases.push(cases);
        }
        let first = made.graph.next();
        for &atom in atoms {
            let node = made.graph.fresh(Node::Best(Vec::new()));
            made.mentions.insert(atom, node);
        }
        for (&atom, mut cases) in atoms.iter().zip(bases) {
            for instance in self.instances.of(atom) {
                if instance.iter().all(|(other, _)| !inside.contains(other)) {
                    continue;
                }
                let mut members: Vec<Mention> =
                    instance.iter().map(|&(atom, negated)| mention(made, atom, negated)).collect();
                members.retain(|&member| member != ALWAYS);
                members.sort_unstable();
                members.dedup();
                if members.contains(&NEVER) || members.contains(&made.mentions[&atom]) {
                    continue;
                }
                cases.push(match members[..] {
                    [single] => single,
                    _ => made.graph.fresh(Node::And(members)),
                });
            }
            cases.sort_unstable();
            cases.dedup();
            made.graph.define(made.mentions[&atom], Node::Best(cases));
        }
        made.graph.close(first);
    }

    /// A member of a condition; the absence of a piece is valued by how nearly it is captured.
    fn member(&self, made: &mut GraphDraft, atom: u32, negated: bool) -> Mention {
        let captured = if negated { self.captured(atom, made) } else { None };
        captured.unwrap_or_else(|| mention(made, atom, negated))
    }

    pub(super) fn add_family(&self, atom: u32, made: &mut GraphDraft) {
        let (relation, _) = self.instances.atoms[atom as usize];
        let fluent = match self.rules.parts[relation.index()] {
            Part::Own => Some(relation),
            _ => {
                let clause =
                    self.rules.program.clauses.iter().find(|clause| clause.head.relation == relation);
                clause.and_then(|clause| clause.body[0].atom()).map(|atom| atom.relation)
            }
        };
        if let Some(measured) = fluent.and_then(|fluent| self.leaves.measured.get(&fluent)) {
            made.graph.family(&measured.family);
        }
    }

    /// Notes what a node says, if it is an atom of the rules' own.
    fn label(&self, atom: u32, made: &mut GraphDraft) {
        let (relation, _) = self.instances.atoms[atom as usize];
        let named = matches!(
            self.description.relations.get(relation.index()).map(|relation| relation.kind),
            Some(RelationKind::View | RelationKind::Goal | RelationKind::Terminal)
        );
        let mention = made.mentions[&atom];
        if named && mention > 0 && mention != NEVER {
            made.labels.push((mention as u32, atom));
        }
    }
}

fn mention(made: &GraphDraft, atom: u32, negated: bool) -> Mention {
    let mention = made.mentions[&atom];
    if negated { negate(mention) } else { mention }
}
