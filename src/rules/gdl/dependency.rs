//! The dependency graph of relations: evaluation order, stratification, and which relations depend on the state or on moves.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::Description;
use super::rule::{Dependence, Literal, RelationId, RelationKind};

/// A use of a relation in the body of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The relation of the body literal.
    pub relation: RelationId,
    /// Whether it is negated.
    pub negative: bool,
    /// The index of the rule in [`Description::rules`].
    pub rule: u32,
}

/// The dependency graph of a description.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// For each relation the uses in its rules, in the order of rules and literals.
    pub uses: Vec<Vec<Use>>,
    /// Strongly connected components, each in ascending order. A component comes after those it depends on.
    pub components: Vec<Vec<RelationId>>,
    /// For each relation the index of its component in `components`.
    pub component_of: Vec<usize>,
}

impl Dependencies {
    /// Builds the dependency graph of a description.
    pub fn of(description: &Description) -> Dependencies {
        let count = description.relations.len();
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, description.rules.len());
        let nodes: Vec<NodeIndex> = (0..count).map(|_| graph.add_node(())).collect();
        let mut uses = vec![Vec::new(); count];
        for (number, rule) in description.rules.iter().enumerate() {
            let head = rule.head.relation.index();
            for literal in &rule.body {
                let (atom, negative) = match literal {
                    Literal::Positive(atom) => (atom, false),
                    Literal::Negative(atom) => (atom, true),
                    Literal::Distinct(..) => continue,
                };
                uses[head].push(Use { relation: atom.relation, negative, rule: number as u32 });
                graph.update_edge(nodes[head], nodes[atom.relation.index()], ());
            }
        }
        // Kosaraju's algorithm, because it needs no recursion. It returns dependencies first.
        let mut components: Vec<Vec<RelationId>> = kosaraju_scc(&graph)
            .into_iter()
            .map(|set| set.into_iter().map(|node| RelationId(node.index() as u32)).collect())
            .collect();
        let mut component_of = vec![0; count];
        for (position, set) in components.iter_mut().enumerate() {
            set.sort_unstable();
            set.iter().for_each(|relation| component_of[relation.index()] = position);
        }
        Dependencies { uses, components, component_of }
    }

    /// Whether two relations are in the same component. A relation is always in its own.
    pub fn mutual(&self, a: RelationId, b: RelationId) -> bool {
        self.component_of[a.index()] == self.component_of[b.index()]
    }

    /// Whether a relation depends on itself through at least one rule.
    pub fn recursive(&self, relation: RelationId) -> bool {
        self.components[self.component_of[relation.index()]].len() > 1
            || self.uses[relation.index()].iter().any(|used| used.relation == relation)
    }

    /// Negative uses inside a component, each with the relation whose rule has it. Empty if the rules are stratified.
    pub fn unstratified(&self) -> Vec<(RelationId, Use)> {
        let mut components = Vec::new();
        for (head, uses) in self.uses.iter().enumerate() {
            let head = RelationId(head as u32);
            components.extend(
                uses.iter().filter(|u| u.negative && self.mutual(head, u.relation)).map(|&u| (head, u)),
            );
        }
        components
    }

    /// A shortest chain of uses from one relation to another in the same component.
    pub fn path(&self, from: RelationId, to: RelationId) -> Vec<Use> {
        let mut came: Vec<Option<(RelationId, Use)>> = vec![None; self.uses.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(relation) = queue.pop_front() {
            if relation == to {
                break;
            }
            for &used in &self.uses[relation.index()] {
                if used.relation != from
                    && came[used.relation.index()].is_none()
                    && self.mutual(from, used.relation)
                {
                    came[used.relation.index()] = Some((relation, used));
                    queue.push_back(used.relation);
                }
            }
        }
        let (mut path, mut at) = (Vec::new(), to);
        while at != from {
            let Some((before, used)) = came[at.index()] else { break };
            path.push(used);
            at = before;
        }
        path.reverse();
        path
    }
}

/// Sets `dependence` and `stratum` of every relation.
pub(crate) fn fill(description: &mut Description) {
    let dependencies = Dependencies::of(description);
    for set in &dependencies.components {
        let (mut dependence, mut stratum) = (Dependence::Static, 0);
        for relation in set {
            dependence = dependence.max(match description.relations[relation.index()].kind {
                RelationKind::True => Dependence::State,
                RelationKind::Does => Dependence::Moves,
                _ => Dependence::Static,
            });
            for used in &dependencies.uses[relation.index()] {
                let other = &description.relations[used.relation.index()];
                dependence = dependence.max(other.dependence);
                if !set.contains(&used.relation) {
                    stratum = stratum.max(other.stratum + u32::from(used.negative));
                }
            }
        }
        for relation in set {
            let relation = &mut description.relations[relation.index()];
            (relation.dependence, relation.stratum) = (dependence, stratum);
        }
    }
}
