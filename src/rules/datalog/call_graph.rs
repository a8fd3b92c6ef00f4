//! Decides which literals may be conditions of a call, so that the program rewritten by `demand.rs` stays stratified.
//!
//! If a call of `p` has the condition `q`, the answers of `p` depend on those of `q`. If `q` depends on the negation of `p`,
//! the program would no longer be stratified. Then `q` is not a condition of the call, and `p` is called with fewer bound
//! arguments.

use rustc_hash::FxHashMap;

use super::program::Program;
use crate::gdl::rule::{Literal, RelationId};

/// Dependencies between relations, with two nodes for each relation: its answers and its calls.
pub(super) struct CallGraph {
    /// For each node its dependencies, and whether each is negative.
    depends: Vec<Vec<(usize, bool)>>,
    /// The reversed edges, without the sign.
    users: Vec<Vec<usize>>,
    /// Results of [`CallGraph::may_depend`] so far.
    known: FxHashMap<(RelationId, RelationId, bool), bool>,
}

fn answers(relation: RelationId) -> usize {
    2 * relation.index()
}

fn calls(relation: RelationId) -> usize {
    2 * relation.index() + 1
}

impl CallGraph {
    /// Builds the graph of a program in which some relations are called.
    pub(super) fn new(program: &Program, called: &dyn Fn(RelationId) -> bool) -> CallGraph {
        let nodes = 2 * program.arities.len();
        let mut graph = CallGraph {
            depends: vec![Vec::new(); nodes],
            users: vec![Vec::new(); nodes],
            known: FxHashMap::default(),
        };
        for clause in &program.clauses {
            let head = clause.head.relation;
            if called(head) {
                graph.add(answers(head), calls(head), false);
            }
            for literal in &clause.body {
                let (atom, negative) = match literal {
                    Literal::Positive(atom) => (atom, false),
                    Literal::Negative(atom) => (atom, true),
                    Literal::Distinct(..) => continue,
                };
                graph.add(answers(head), answers(atom.relation), negative);
                if called(head) && called(atom.relation) {
                    graph.add(calls(atom.relation), calls(head), false);
                }
            }
        }
        graph
    }

    fn add(&mut self, from: usize, to: usize, negative: bool) {
        if !self.depends[from].contains(&(to, negative)) {
            self.depends[from].push((to, negative));
            self.users[to].push(from);
        }
    }

    /// Whether calls of a relation may depend on the answers of another one. If so, the dependency is added to the graph.
    pub(super) fn may_depend(&mut self, called: RelationId, on: RelationId, negative: bool) -> bool {
        if let Some(&known) = self.known.get(&(called, on, negative)) {
            return known;
        }
        let (from, to) = (calls(called), answers(on));
        let forward =
            reached(to, |node| self.depends[node].iter().map(|&(next, _)| next), self.depends.len());
        let mut may = true;
        if forward[from] {
            // All nodes on a path back would be in one component with this edge.
            let back = reached(from, |node| self.users[node].iter().copied(), self.users.len());
            let within = |node: usize| forward[node] && back[node];
            let crossed = |node: usize| self.depends[node].iter().any(|&(next, sign)| sign && within(next));
            may = !negative && !(0..self.depends.len()).any(|node| within(node) && crossed(node));
        }
        if may {
            self.add(from, to, negative);
        }
        self.known.insert((called, on, negative), may);
        may
    }
}

/// The nodes that are reachable from a node, including itself.
fn reached<I: Iterator<Item = usize>>(from: usize, next: impl Fn(usize) -> I, nodes: usize) -> Vec<bool> {
    let mut seen = vec![false; nodes];
    let mut stack = vec![from];
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            stack.extend(next(node));
        }
    }
    seen
}
