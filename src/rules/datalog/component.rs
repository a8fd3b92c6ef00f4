//! Evaluation order: strongly connected components of relations, dependencies first.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::program::Program;
use crate::gdl::rule::RelationId;

/// Relations that depend on each other, with their clauses. All other relations in the clauses come earlier.
#[derive(Clone, Debug)]
pub struct Component {
    /// The clauses, in the order of the program.
    pub clauses: Vec<usize>,
    /// Its relations.
    pub relations: Vec<RelationId>,
    /// Whether a clause has a relation of the component in its body.
    pub recursive: bool,
}

/// The components of the relations that `wanted` selects, each after those it depends on.
pub fn components(program: &Program, wanted: &dyn Fn(RelationId) -> bool) -> Vec<Component> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in &program.arities {
        graph.add_node(());
    }
    let mut clauses_of = vec![Vec::new(); program.arities.len()];
    for (number, clause) in program.clauses.iter().enumerate() {
        let head = clause.head.relation;
        if !wanted(head) {
            continue;
        }
        clauses_of[head.index()].push(number);
        for relation in clause.atoms().map(|atom| atom.relation) {
            if wanted(relation) {
                graph.update_edge(NodeIndex::new(head.index()), NodeIndex::new(relation.index()), ());
            }
        }
    }
    let mut components = Vec::new();
    for nodes in kosaraju_scc(&graph) {
        let mut relations: Vec<RelationId> =
            nodes.iter().map(|node| RelationId(node.index() as u32)).collect();
        relations.sort();
        let mut clauses: Vec<usize> =
            relations.iter().flat_map(|relation| clauses_of[relation.index()].iter().copied()).collect();
        clauses.sort_unstable();
        if clauses.is_empty() {
            continue;
        }
        let recursive = relations.len() > 1 || graph.find_edge(nodes[0], nodes[0]).is_some();
        components.push(Component { clauses, relations, recursive });
    }
    components
}
