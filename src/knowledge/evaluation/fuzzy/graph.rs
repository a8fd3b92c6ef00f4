//! A [`Formula`] under construction: equal nodes are shared, constants are folded.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::formula::{Family, Formula};
use super::kinds::Node;
use super::mention::Mention;

/// The constant true.
pub(super) const ALWAYS: Mention = 0;
/// The constant false.
pub(super) const NEVER: Mention = Mention::MIN;

/// The most nodes in a list of necessary conditions.
const MOST_NEEDS: usize = 64;

pub(super) fn negate(mention: Mention) -> Mention {
    match mention {
        ALWAYS => NEVER,
        NEVER => ALWAYS,
        other => -other,
    }
}

/// A formula under construction.
#[derive(Default)]
pub(super) struct Graph {
    formula: Formula,
    known: FxHashMap<Node, Mention>,
    families: FxHashMap<String, ()>,
    /// Mentions of nodes, including those of unreachable nodes.
    pub(super) mentions: usize,
}

impl Graph {
    /// Adds a node, if it is new.
    pub(super) fn node(&mut self, node: Node) -> Mention {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let mention = self.fresh(node.clone());
        self.known.insert(node, mention);
        mention
    }

    /// Adds a node even if there is an equal one.
    pub(super) fn fresh(&mut self, node: Node) -> Mention {
        self.mentions += node.mentions().len();
        self.formula.nodes.push(node);
        self.formula.nodes.len() as Mention
    }

    /// Replaces a node.
    pub(super) fn define(&mut self, mention: Mention, node: Node) {
        self.mentions += node.mentions().len();
        self.formula.nodes[mention as usize - 1] = node;
    }

    /// Adds a family, if it is new.
    pub(super) fn family(&mut self, family: &Family) {
        if self.families.insert(family.fluent.clone(), ()).is_none() {
            self.formula.families.push(family.clone());
        }
    }

    pub(super) fn and(&mut self, members: Vec<Mention>) -> Mention {
        match folded(members, ALWAYS) {
            Ok(list) => self.node(Node::And(list)),
            Err(simple) => simple,
        }
    }

    /// A disjunction. The necessary conditions that all cases share become conjuncts of it.
    pub(super) fn or(&mut self, members: Vec<Mention>) -> Mention {
        let list = match folded(members, NEVER) {
            Ok(list) => list,
            Err(simple) => return simple,
        };
        let mut common = self.common(&list);
        if common.is_empty() {
            return self.node(Node::Or(list));
        }
        let rests = list.iter().map(|&case| self.without(case, &common)).collect();
        common.push(self.or(rests));
        self.and(common)
    }

    /// The best of some cases.
    pub(super) fn best(&mut self, mut cases: Vec<Mention>) -> Mention {
        cases.sort_unstable();
        cases.dedup();
        cases.retain(|&case| case != NEVER);
        match cases[..] {
            _ if cases.contains(&ALWAYS) => ALWAYS,
            [] => NEVER,
            [only] => only,
            _ => self.node(Node::Best(cases)),
        }
    }

    /// The necessary conditions that some cases share, without those that follow from others.
    fn common(&self, cases: &[Mention]) -> Vec<Mention> {
        let mut common = self.needs(cases[0]);
        for &case in &cases[1..] {
            if common.is_empty() {
                return common;
            }
            let needs = self.needs(case);
            common.retain(|need| needs.contains(need));
        }
        let inner: Vec<Mention> = common
            .iter()
            .flat_map(|&need| self.needs(need).into_iter().filter(move |&m| m != need))
            .collect();
        common.retain(|need| !inner.contains(need));
        common
    }

    /// Necessary conditions of a mention: itself and those of the members of a conjunction.
    fn needs(&self, mention: Mention) -> Vec<Mention> {
        let mut needs = vec![mention];
        let mut next = 0;
        while next < needs.len() && needs.len() < MOST_NEEDS {
            needs.extend(self.conjuncts(needs[next]).unwrap_or(&[]));
            next += 1;
        }
        needs
    }

    /// The members of a conjunction that is in no loop.
    fn conjuncts(&self, mention: Mention) -> Option<&[Mention]> {
        let number = u32::try_from(mention).ok().filter(|&number| number > 0)?;
        let in_loop = self.formula.loops.iter().any(|&(first, last)| (first..=last).contains(&number));
        let node = &self.formula.nodes[number as usize - 1];
        if let (Node::And(list), false) = (node, in_loop) { Some(list) } else { None }
    }

    /// A mention without some of its necessary conditions.
    fn without(&mut self, mention: Mention, common: &[Mention]) -> Mention {
        if common.contains(&mention) {
            return ALWAYS;
        }
        if !self.needs(mention).iter().any(|need| common.contains(need)) {
            return mention;
        }
        match self.conjuncts(mention).map(<[Mention]>::to_vec) {
            Some(list) => {
                let rest = list.into_iter().map(|member| self.without(member, common)).collect();
                self.and(rest)
            }
            None => mention,
        }
    }

    /// The nodes that some roots reach.
    fn reached(&self, roots: &[Mention]) -> Vec<bool> {
        let mut reached = vec![false; self.formula.nodes.len()];
        let mut stack: Vec<Mention> = roots.to_vec();
        while let Some(mention) = stack.pop() {
            if mention != ALWAYS && mention != NEVER {
                let node = mention.unsigned_abs() as usize - 1;
                if !std::mem::replace(&mut reached[node], true) {
                    stack.extend(self.formula.nodes[node].mentions());
                }
            }
        }
        reached
    }

    /// The number of mentions in the nodes that some roots reach.
    pub(super) fn size(&self, roots: &[Mention]) -> usize {
        let reached = self.reached(roots).into_iter().zip(&self.formula.nodes);
        reached.filter(|(reached, _)| *reached).map(|(_, node)| node.mentions().len()).sum()
    }

    /// Begins a loop: returns the number of the next node. Nodes that are added until [`Graph::close`] belong to the
    /// loop.
    pub(super) fn next(&self) -> u32 {
        self.formula.nodes.len() as u32 + 1
    }

    /// Ends a loop.
    pub(super) fn close(&mut self, first: u32) {
        self.formula.loops.push((first, self.formula.nodes.len() as u32));
    }

    /// The formula that the roots reach, with labels. Constants among the roots become nodes.
    pub(super) fn finish(mut self, roots: &mut [&mut Mention], labels: BTreeMap<u32, String>) -> Formula {
        for root in roots.iter_mut() {
            match **root {
                NEVER => **root = self.node(Node::Or(Vec::new())),
                ALWAYS => **root = self.node(Node::And(Vec::new())),
                _ => {}
            }
        }
        let reached = self.reached(&roots.iter().map(|root| **root).collect::<Vec<_>>());
        let mut numbers = vec![0_u32; reached.len() + 1];
        for (node, &reached) in reached.iter().enumerate() {
            numbers[node + 1] = numbers[node] + u32::from(reached);
        }
        let renumber = |mention: Mention| match mention {
            ALWAYS => ALWAYS,
            other => numbers[other.unsigned_abs() as usize] as Mention * other.signum(),
        };
        for root in roots {
            **root = renumber(**root);
        }
        let mut formula = self.formula;
        let nodes = std::mem::take(&mut formula.nodes).into_iter().zip(&reached);
        formula.nodes =
            nodes.filter(|(_, reached)| **reached).map(|(node, _)| node.renumbered(&renumber)).collect();
        let loops = formula
            .loops
            .iter()
            .map(|&(first, last)| (numbers[first as usize - 1] + 1, numbers[last as usize]));
        formula.loops = loops.filter(|(first, last)| first <= last).collect();
        let kept = labels.into_iter().filter(|(node, _)| reached[*node as usize - 1]);
        formula.labels = kept.map(|(node, label)| (numbers[node as usize], label)).collect();
        formula
    }
}

/// The members of a conjunction or disjunction, sorted and without duplicates. If only a constant or one member
/// remains, it is returned as `Err`.
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

    #[test]
    fn shared_conditions_become_conjuncts() {
        let mut graph = Graph::default();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| graph.node(Node::Fact(name.to_owned())));
        let (ab, ac) = (graph.and(vec![a, b]), graph.and(vec![a, c]));
        let (b_or_c, abd) = (graph.or(vec![b, c]), graph.and(vec![ab, d]));
        assert_eq!(graph.or(vec![ab, ac]), graph.and(vec![a, b_or_c]));
        assert_eq!(graph.or(vec![a, ab]), a);
        assert_eq!(graph.or(vec![ab, abd]), ab);
        let bd = graph.and(vec![b, d]);
        let either = graph.or(vec![bd, c]);
        let mut root = graph.or(vec![abd, ac]);
        assert_eq!(root, graph.and(vec![a, either]));
        let formula = graph.finish(&mut [&mut root], BTreeMap::new());
        // a, b, c, d; b and d; that or c; a and that.
        assert_eq!((formula.nodes.len(), root), (7, 7));
    }
}
