//! Chains: pairs of terms that join into one path, the shape of a successor relation.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::term::TermId;

/// Fewest elements of a chain: any pair would be a chain of two.
pub const SHORTEST: usize = 3;

/// The elements of a successor relation from first to last, with the rank of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    elements: Vec<TermId>,
    ranks: FxHashMap<TermId, usize>,
}

/// Why pairs do not form a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAChain {
    /// Fewer than [`SHORTEST`] elements.
    #[error("it has fewer than {SHORTEST} elements")]
    TooShort,
    /// An element is related to itself.
    #[error("an element follows itself")]
    Reflexive,
    /// An element has two successors.
    #[error("an element has two successors")]
    NotFunctional,
    /// An element has two predecessors.
    #[error("an element has two predecessors")]
    NotInjective,
    /// Some elements form a cycle.
    #[error("its elements form a circle")]
    Cyclic,
    /// There is more than one path.
    #[error("its facts form several paths")]
    SeveralPaths,
}

/// The paths that pairs form, in the order of their first pairs. Every element has at most one successor
/// and one predecessor, no element follows itself, and there are no cycles.
pub fn paths(pairs: impl IntoIterator<Item = (TermId, TermId)>) -> Result<Vec<Vec<TermId>>, NotAChain> {
    let (mut after, mut before) = (FxHashMap::default(), FxHashMap::default());
    let mut sources = Vec::new();
    for (a, b) in pairs {
        if a == b {
            return Err(NotAChain::Reflexive);
        }
        match after.insert(a, b) {
            None => sources.push(a),
            Some(other) if other == b => continue,
            Some(_) => return Err(NotAChain::NotFunctional),
        }
        if before.insert(b, a).is_some() {
            return Err(NotAChain::NotInjective);
        }
    }
    let path = |&first: &TermId| {
        let mut elements = vec![first];
        let mut last = first;
        while let Some(&next) = after.get(&last) {
            elements.push(next);
            last = next;
        }
        elements
    };
    let paths: Vec<Vec<TermId>> = sources.iter().filter(|&a| !before.contains_key(a)).map(path).collect();
    let joined: usize = paths.iter().map(|path| path.len() - 1).sum();
    if joined == sources.len() { Ok(paths) } else { Err(NotAChain::Cyclic) }
}

/// The path of pairs in which the first or the last element also follows itself, such as a speed that stays
/// at its limit. No other element may follow itself.
pub fn saturating(pairs: &[(TermId, TermId)]) -> Option<Chain> {
    let mut loops = pairs.iter().filter(|(a, b)| a == b).map(|&(a, _)| a);
    let limit = loops.next()?;
    if loops.any(|other| other != limit) {
        return None;
    }
    let chain = Chain::of_pairs(pairs.iter().copied().filter(|(a, b)| a != b)).ok()?;
    let [first, .., last] = chain.elements() else { return None };
    (limit == *first || limit == *last).then_some(chain)
}

/// The cycles that pairs form, each starting at the element whose pair comes first. Every element has one
/// successor and one predecessor, and each cycle has at least [`SHORTEST`] elements.
pub fn cycles(pairs: &[(TermId, TermId)]) -> Option<Vec<Vec<TermId>>> {
    let (mut after, mut followed) = (FxHashMap::default(), FxHashSet::default());
    let mut sources = Vec::new();
    for &(a, b) in pairs {
        match after.insert(a, b) {
            None if followed.insert(b) => sources.push(a),
            Some(other) if other == b => {}
            _ => return None,
        }
    }
    let mut seen = FxHashSet::default();
    let mut chains = Vec::new();
    for first in sources {
        let mut cycle = Vec::new();
        let mut element = first;
        while seen.insert(element) {
            cycle.push(element);
            element = *after.get(&element)?;
        }
        match cycle.len() {
            0 => {}
            1..SHORTEST => return None,
            _ => chains.push(cycle),
        }
    }
    (!chains.is_empty()).then_some(chains)
}

impl Chain {
    /// The chain of pairs, in any order and possibly repeated. Every element has at most one successor and
    /// one predecessor, no element follows itself, and one path contains all pairs. (Such pairs are
    /// antisymmetric and acyclic.)
    pub fn of_pairs(pairs: impl IntoIterator<Item = (TermId, TermId)>) -> Result<Chain, NotAChain> {
        let mut paths = paths(pairs)?;
        match paths.len() {
            1 if paths[0].len() >= SHORTEST => Ok(Chain::of_elements(paths.remove(0))),
            0 | 1 => Err(NotAChain::TooShort),
            _ => Err(NotAChain::SeveralPaths),
        }
    }

    /// The chain of distinct elements from first to last.
    pub fn of_elements(elements: Vec<TermId>) -> Chain {
        let ranks = elements.iter().enumerate().map(|(rank, &element)| (element, rank)).collect();
        Chain { elements, ranks }
    }

    /// The elements from first to last.
    pub fn elements(&self) -> &[TermId] {
        &self.elements
    }

    /// Number of elements before this one, if it belongs to the chain.
    pub fn rank(&self, element: TermId) -> Option<usize> {
        self.ranks.get(&element).copied()
    }

    /// Whether all these terms belong to the chain.
    pub fn covers(&self, terms: impl IntoIterator<Item = TermId>) -> bool {
        terms.into_iter().all(|term| self.ranks.contains_key(&term))
    }

    /// Whether two chains share at least [`SHORTEST`] elements, all in opposite orders.
    pub fn opposes(&self, other: &Chain) -> bool {
        let shared: Vec<usize> = self.elements.iter().filter_map(|&element| other.rank(element)).collect();
        shared.len() >= SHORTEST && shared.windows(2).all(|pair| pair[0] > pair[1])
    }

    /// The agreement of two chains on the direction of shared elements: the number of neighbours in the
    /// same order, minus the number in the opposite order.
    pub fn agreement(&self, other: &Chain) -> i64 {
        let shared: Vec<usize> = self.elements.iter().filter_map(|&element| other.rank(element)).collect();
        shared.windows(2).map(|pair| if pair[0] < pair[1] { 1 } else { -1 }).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(u32, u32)]) -> Result<Vec<u32>, NotAChain> {
        let pairs = pairs.iter().map(|&(a, b)| (TermId(a), TermId(b)));
        Chain::of_pairs(pairs).map(|chain| chain.elements().iter().map(|term| term.0).collect())
    }

    #[test]
    fn chains_may_be_unordered_and_repeated() {
        assert_eq!(of(&[(7, 2), (1, 7), (7, 2), (2, 9)]), Ok(vec![1, 7, 2, 9]));
    }

    #[test]
    fn near_misses_are_rejected() {
        assert_eq!(of(&[]), Err(NotAChain::TooShort));
        assert_eq!(of(&[(1, 2)]), Err(NotAChain::TooShort));
        assert_eq!(of(&[(1, 2), (2, 3), (3, 3)]), Err(NotAChain::Reflexive));
        assert_eq!(of(&[(1, 2), (2, 3), (2, 4)]), Err(NotAChain::NotFunctional));
        assert_eq!(of(&[(1, 2), (2, 3), (4, 3)]), Err(NotAChain::NotInjective));
        assert_eq!(of(&[(1, 2), (2, 3), (3, 1)]), Err(NotAChain::Cyclic));
        assert_eq!(of(&[(1, 2), (2, 3), (7, 8), (8, 9), (9, 7)]), Err(NotAChain::Cyclic));
        assert_eq!(of(&[(1, 2), (2, 3), (7, 8)]), Err(NotAChain::SeveralPaths));
        // A one-to-one map between two sets is one path for each pair.
        assert_eq!(of(&[(1, 11), (2, 12), (3, 13)]), Err(NotAChain::SeveralPaths));
    }

    fn terms(pairs: &[(u32, u32)]) -> Vec<(TermId, TermId)> {
        pairs.iter().map(|&(a, b)| (TermId(a), TermId(b))).collect()
    }

    #[test]
    fn a_limit_may_follow_itself() {
        let of = |pairs: &[(u32, u32)]| {
            saturating(&terms(pairs)).map(|chain| chain.elements().iter().map(|term| term.0).collect())
        };
        assert_eq!(of(&[(1, 2), (2, 3), (3, 3)]), Some(vec![1, 2, 3]));
        assert_eq!(of(&[(1, 1), (1, 2), (2, 3)]), Some(vec![1, 2, 3]));
        assert_eq!(of(&[(1, 2), (2, 3)]), None, "no limit");
        assert_eq!(of(&[(1, 2), (2, 2), (2, 3)]), None, "a loop in the middle");
        assert_eq!(of(&[(1, 1), (1, 2), (2, 3), (3, 3)]), None, "two loops");
        assert_eq!(of(&[(1, 2), (2, 3), (3, 1), (3, 3)]), None, "a cycle");
        assert_eq!(of(&[(1, 2), (2, 2)]), None, "two elements");
    }

    #[test]
    fn cycles_have_at_least_three_elements() {
        let of = |pairs: &[(u32, u32)]| {
            let numbers = |cycle: Vec<TermId>| cycle.iter().map(|term| term.0).collect::<Vec<u32>>();
            Some(cycles(&terms(pairs))?.into_iter().map(numbers).collect::<Vec<_>>())
        };
        assert_eq!(of(&[(1, 2), (2, 3), (3, 1)]), Some(vec![vec![1, 2, 3]]));
        let two = [(1, 2), (2, 3), (3, 1), (7, 8), (8, 9), (9, 7)];
        assert_eq!(of(&two), Some(vec![vec![1, 2, 3], vec![7, 8, 9]]));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(1, 2), (2, 1)]), None, "a pair and its opposite");
        assert_eq!(of(&[(1, 2), (2, 3), (3, 2)]), None, "a path into a cycle");
        assert_eq!(of(&[(1, 2), (2, 3), (3, 1), (4, 5)]), None, "a path beside a cycle");
        assert_eq!(of(&[(1, 2), (2, 3), (3, 1), (1, 1)]), None, "two successors");
    }

    #[test]
    fn chains_agree_or_disagree_in_direction() {
        let chain = |terms: &[u32]| {
            Chain::of_pairs(terms.windows(2).map(|pair| (TermId(pair[0]), TermId(pair[1])))).unwrap()
        };
        let up = chain(&[0, 1, 2, 3, 4]);
        assert_eq!(chain(&[1, 2, 3]).agreement(&up), 2);
        assert_eq!(chain(&[3, 2, 1]).agreement(&up), -2);
        assert_eq!(chain(&[7, 8, 9]).agreement(&up), 0);
    }
}
