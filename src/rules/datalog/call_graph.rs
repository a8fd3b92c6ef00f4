//! Which literals may stand in the conditions of a call, so that the rewritten program is still stratified.
//!
//! A call of `p` that is made after `q` was answered makes the answers of `p` depend on those of `q`. Where `q` depends
//! on `p` under a negation, there would be no order of evaluation: such a `q` is left out of the call's conditions, and
//! `p` is asked more openly.

use rustc_hash::FxHashMap;

use super::program::Program;
use crate::gdl::rule::{Literal, RelationId};

/// What depends on what: for every relation its answers and its calls.
pub(super) struct CallGraph {
    /// For every node what it depends on, and whether under a negation.
    depends: Vec<Vec<(usize, bool)>>,
    /// The same backwards, without the sign.
    users: Vec<Vec<usize>>,
    /// What was asked before, with the answer.
    known: FxHashMap<(RelationId, RelationId, bool), bool>,
}

fn answers(relation: RelationId) -> usize {
    2 * relation.index()
}

fn calls(relation: RelationId) -> usize {
    2 * relation.index() + 1
}

impl CallGraph {
    /// The graph of a program in which some relations are to be called.
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

    /// Whether calls of a relation may depend on the answers of another one; if so, they do from now on.
    pub(super) fn may_depend(&mut self, called: RelationId, on: RelationId, negative: bool) -> bool {
        if let Some(&known) = self.known.get(&(called, on, negative)) {
            return known;
        }
        let (from, to) = (calls(called), answers(on));
        let forward =
            reached(to, |node| self.depends[node].iter().map(|&(next, _)| next), self.depends.len());
        let mut may = true;
        if forward[from] {
            // All that lies on a way back would be evaluated together.
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

/// The nodes that can be reached from one, with itself.
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
