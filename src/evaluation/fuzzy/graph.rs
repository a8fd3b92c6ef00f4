//! Building a [`Formula`]: equal nodes are made once, constants fold away.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::formula::{Family, Formula, Mention, Node};

/// What always holds.
pub(super) const ALWAYS: Mention = 0;
/// What never holds.
pub(super) const NEVER: Mention = Mention::MIN;

/// The negation of a mention.
pub(super) fn negate(mention: Mention) -> Mention {
    match mention {
        ALWAYS => NEVER,
        NEVER => ALWAYS,
        other => -other,
    }
}

/// A formula in the making.
#[derive(Default)]
pub(super) struct Graph {
    formula: Formula,
    known: FxHashMap<Node, Mention>,
    families: FxHashMap<String, ()>,
    /// Mentions made.
    pub(super) mentions: usize,
}

impl Graph {
    /// A node, made if it is new.
    pub(super) fn node(&mut self, node: Node) -> Mention {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let mention = self.fresh(node.clone());
        self.known.insert(node, mention);
        mention
    }

    /// A new node.
    pub(super) fn fresh(&mut self, node: Node) -> Mention {
        self.mentions += node.mentions().count();
        self.formula.nodes.push(node);
        self.formula.nodes.len() as Mention
    }

    /// Says what a node that was made fresh is.
    pub(super) fn define(&mut self, mention: Mention, node: Node) {
        self.mentions += node.mentions().count();
        self.formula.nodes[mention as usize - 1] = node;
    }

    /// Makes sure that a family is there.
    pub(super) fn family(&mut self, family: &Family) {
        if self.families.insert(family.fluent.clone(), ()).is_none() {
            self.formula.families.push(family.clone());
        }
    }

    /// A conjunction.
    pub(super) fn and(&mut self, members: Vec<Mention>) -> Mention {
        match folded(members, ALWAYS) {
            Ok(list) => self.node(Node::And(list)),
            Err(simple) => simple,
        }
    }

    /// A disjunction.
    pub(super) fn or(&mut self, members: Vec<Mention>) -> Mention {
        match folded(members, NEVER) {
            Ok(list) => self.node(Node::Or(list)),
            Err(simple) => simple,
        }
    }

    /// Nodes from here on, to [`Graph::close`], are a loop.
    pub(super) fn next(&self) -> u32 {
        self.formula.nodes.len() as u32 + 1
    }

    /// Ends a loop.
    pub(super) fn close(&mut self, first: u32) {
        self.formula.loops.push((first, self.formula.nodes.len() as u32));
    }

    /// The formula, with what is worth saying of its nodes. Constants among the roots become nodes.
    pub(super) fn finish(mut self, roots: &mut [&mut Mention], labels: BTreeMap<u32, String>) -> Formula {
        for root in roots {
            match **root {
                NEVER => **root = self.node(Node::Or(Vec::new())),
                ALWAYS => **root = self.node(Node::And(Vec::new())),
                _ => {}
            }
        }
        self.formula.labels = labels;
        self.formula
    }
}

/// The members of a fold with a neutral element: each once, in order, or what they come to.
fn folded(mut members: Vec<Mention>, neutral: Mention) -> Result<Vec<Mention>, Mention> {
    let absorbing = negate(neutral);
    if members.contains(&absorbing) {
        return Err(absorbing);
    }
    members.retain(|&member| member != neutral);
    members.sort_unstable_by_key(|&member| (member.unsigned_abs(), member < 0));
    members.dedup();
    if members.windows(2).any(|pair| pair[0] == -pair[1]) {
        return Err(absorbing);
    }
    match members[..] {
        [] => Err(neutral),
        [single] => Err(single),
        _ => Ok(members),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_fold_away() {
        let mut graph = Graph::default();
        let a = graph.node(Node::Fact("a".to_owned()));
        let b = graph.node(Node::Fact("b".to_owned()));
        assert_eq!(graph.and(vec![]), ALWAYS);
        assert_eq!(graph.or(vec![ALWAYS, a]), ALWAYS);
        assert_eq!(graph.and(vec![a, NEVER]), NEVER);
        assert_eq!(graph.and(vec![a, a, ALWAYS]), a);
        assert_eq!(graph.or(vec![b, -a, a]), ALWAYS);
        assert_eq!(graph.and(vec![a, -a]), NEVER);
        assert_eq!(graph.and(vec![b, a]), graph.and(vec![a, b, a]));
        assert_eq!(graph.node(Node::Fact("a".to_owned())), a);
    }
}
