//! The disjunctive normal form of a gate: the alternatives, each a conjunction of facts, under which it is true.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::facts::FactTable;
use crate::ground::{Lit, Network};

/// Limits: alternatives of a gate, facts of an alternative, gates on a path, and literals written in all.
const MAX_CUBES: usize = 3_000;
const MAX_FACTS: usize = 128;
const MAX_DEPTH: usize = 300;
const MAX_WORK: usize = 3_000_000;

/// With more alternatives, those that follow from others are not removed.
const MAX_ABSORPTION: usize = 600;

/// A fact, or one of several facts that exclude each other, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal {
    /// The number in [`Leaves`].
    pub(super) leaf: u32,
    pub(super) negated: bool,
}

/// A conjunction of literals, in ascending order.
pub(super) type Cube = Vec<Literal>;

/// The leaves of formulas: facts by their index, then sets of facts that exclude each other.
pub(super) struct Leaves {
    facts: usize,
    classes: Vec<Vec<usize>>,
    by_class: FxHashMap<Vec<usize>, u32>,
}

impl Leaves {
    /// A leaf for each of this number of facts.
    pub(super) fn new(facts: usize) -> Leaves {
        Leaves { facts, classes: Vec::new(), by_class: FxHashMap::default() }
    }

    fn class(&mut self, mut facts: Vec<usize>) -> u32 {
        facts.sort_unstable();
        facts.dedup();
        if let [fact] = facts[..] {
            return fact as u32;
        }
        let Leaves { classes, by_class, .. } = self;
        let number = (self.facts + classes.len()) as u32;
        *by_class.entry(facts).or_insert_with_key(|facts| {
            classes.push(facts.clone());
            number
        })
    }

    /// The facts of a leaf; at least one must hold.
    pub(super) fn facts(&self, leaf: u32) -> Vec<usize> {
        match (leaf as usize).checked_sub(self.facts) {
            Some(class) => self.classes[class].clone(),
            None => vec![leaf as usize],
        }
    }
}

/// Computes the alternatives of gates.
pub(super) struct CubeMaker<'a, 's> {
    network: &'a Network,
    facts: &'a FactTable<'s>,
    pub(super) leaves: Leaves,
    known: FxHashMap<Lit, Option<Rc<Vec<Cube>>>>,
    work: usize,
}

impl<'a, 's> CubeMaker<'a, 's> {
    pub(super) fn new(network: &'a Network, facts: &'a FactTable<'s>) -> CubeMaker<'a, 's> {
        let leaves = Leaves::new(facts.list.len());
        CubeMaker { network, facts, leaves, known: FxHashMap::default(), work: 0 }
    }

    /// The alternatives of a literal of the network; none if there are too many.
    pub(super) fn cubes(&mut self, literal: Lit) -> Option<Rc<Vec<Cube>>> {
        let found = self.expand(literal, 0)?;
        Some(Rc::new(absorb(&found)))
    }

    /// The alternatives of a literal. If there are too many, those of the parts of a conjunction that have few: then they
    /// are necessary, but not sufficient.
    pub(super) fn partial_cubes(&mut self, literal: Lit) -> Option<Rc<Vec<Cube>>> {
        let all = self.cubes(literal);
        let gate = literal.node().checked_sub(self.network.first_gate);
        let Some(gate) = gate.filter(|_| all.is_none() && !literal.negated()) else { return all };
        let network = self.network;
        let mut product = vec![Vec::new()];
        for &operand in network.gate(gate as usize) {
            if let Some(cubes) = self.cubes(operand)
                && let Some(found) = self.conjunction(&product, &cubes)
            {
                product = found;
            }
        }
        product.retain(|cube| !cube.is_empty());
        Some(Rc::new(product))
    }

    /// The alternatives in which one of each of two sets holds.
    pub(super) fn conjunction(&mut self, a: &[Cube], b: &[Cube]) -> Option<Vec<Cube>> {
        let mut product = Vec::new();
        for left in a {
            for right in b {
                self.work += left.len() + right.len();
                if product.len() >= MAX_CUBES || self.work > MAX_WORK {
                    return None;
                }
                product.extend(self.simplified(left.iter().chain(right).copied().collect()));
                if product.last().is_some_and(|cube: &Cube| cube.len() > MAX_FACTS) {
                    return None;
                }
            }
        }
        product.sort_unstable();
        product.dedup();
        Some(product)
    }

    fn expand(&mut self, literal: Lit, depth: usize) -> Option<Rc<Vec<Cube>>> {
        if let Some(known) = self.known.get(&literal) {
            return known.clone();
        }
        let found =
            if depth < MAX_DEPTH && self.work <= MAX_WORK { self.expand_new(literal, depth) } else { None };
        let found = found.map(Rc::new);
        self.known.insert(literal, found.clone());
        found
    }

    fn expand_new(&mut self, literal: Lit, depth: usize) -> Option<Vec<Cube>> {
        let (node, negated) = (literal.node(), literal.negated());
        if node == 0 {
            return Some(if negated { vec![Vec::new()] } else { Vec::new() });
        }
        if let Some(fact) = fact_of(self.network, node) {
            let cube = self.simplified(vec![Literal { leaf: fact as u32, negated }]);
            return Some(cube.into_iter().collect());
        }
        let network = self.network;
        let operands = network.gate(node.checked_sub(network.first_gate)? as usize);
        if let Some(class) = self.class(operands) {
            let leaf = self.leaves.class(class);
            let cube = self.simplified(vec![Literal { leaf, negated: !negated }]);
            return Some(cube.into_iter().collect());
        }
        if negated {
            let mut all = Vec::new();
            for &operand in operands {
                let found = self.expand(operand.negate_if(true), depth + 1)?;
                self.work += found.iter().map(Vec::len).sum::<usize>();
                all.extend(found.iter().cloned());
                if all.len() > 2 * MAX_CUBES {
                    return None;
                }
            }
            all.sort_unstable();
            all.dedup();
            return (all.len() <= MAX_CUBES).then_some(all);
        }
        let mut factors = Vec::new();
        for &operand in operands {
            factors.push(self.expand(operand, depth + 1)?);
        }
        factors.sort_by_key(|factor| factor.len());
        let mut product = vec![Vec::new()];
        for factor in factors {
            product = self.conjunction(&product, &factor)?;
        }
        Some(product)
    }

    /// The facts of a gate that is true if none of several facts of one group holds.
    fn class(&self, operands: &[Lit]) -> Option<Vec<usize>> {
        let mut facts = Vec::new();
        for operand in operands {
            facts.push(fact_of(self.network, operand.node()).filter(|_| operand.negated())?);
        }
        let group = self.facts.list[*facts.first()?].group?;
        facts.iter().all(|&fact| self.facts.list[fact].group == Some(group)).then_some(facts)
    }

    fn group(&self, leaf: u32) -> Option<usize> {
        let fact = *self.leaves.facts(leaf).first()?;
        self.facts.list[fact].group
    }

    /// Removes literals that follow from others; none if the literals contradict each other.
    fn simplified(&mut self, mut cube: Cube) -> Option<Cube> {
        cube.sort_unstable();
        cube.dedup();
        if cube.windows(2).any(|pair| pair[0].leaf == pair[1].leaf) {
            return None;
        }
        // If a group always has one fact, excluding some of them leaves the others.
        for literal in &mut cube {
            let Some(group) = self.group(literal.leaf).filter(|_| literal.negated) else { continue };
            if self.facts.complete[group] {
                let excluded = self.leaves.facts(literal.leaf);
                let others = self.facts.groups[group].iter().copied().filter(|fact| !excluded.contains(fact));
                let others: Vec<usize> = others.collect();
                if others.is_empty() {
                    return None;
                }
                *literal = Literal { leaf: self.leaves.class(others), negated: false };
            }
        }
        let mut positive: Vec<(usize, Vec<usize>)> = Vec::new();
        for literal in cube.iter().filter(|literal| !literal.negated) {
            let Some(group) = self.group(literal.leaf) else { continue };
            let facts = self.leaves.facts(literal.leaf);
            match positive.iter_mut().find(|(of, _)| *of == group) {
                Some((_, common)) => common.retain(|fact| facts.contains(fact)),
                None => positive.push((group, facts)),
            }
        }
        for literal in cube.iter().filter(|literal| literal.negated) {
            let Some(group) = self.group(literal.leaf) else { continue };
            if let Some((_, common)) = positive.iter_mut().find(|(of, _)| *of == group) {
                let excluded = self.leaves.facts(literal.leaf);
                common.retain(|fact| !excluded.contains(fact));
            }
        }
        if positive.iter().any(|(_, facts)| facts.is_empty()) {
            return None;
        }
        let group = |literal: &Literal| self.group(literal.leaf);
        cube.retain(|literal| group(literal).is_none_or(|of| positive.iter().all(|(other, _)| *other != of)));
        for (_, facts) in positive {
            cube.push(Literal { leaf: self.leaves.class(facts), negated: false });
        }
        cube.sort_unstable();
        cube.dedup();
        Some(cube)
    }
}

/// The fact of a node, by its index; none for other nodes.
pub(super) fn fact_of(network: &Network, node: u32) -> Option<usize> {
    let bit = (node as usize).checked_sub(1)?;
    network.bits.get(bit).map(|&fluent| fluent as usize)
}

/// Removes alternatives that follow from others.
fn absorb(cubes: &[Cube]) -> Vec<Cube> {
    if cubes.len() > MAX_ABSORPTION {
        return cubes.to_vec();
    }
    let implies = |of: &Cube, by: &Cube| {
        by.len() < of.len() && by.iter().all(|literal| of.binary_search(literal).is_ok())
    };
    cubes.iter().filter(|cube| !cubes.iter().any(|other| implies(cube, other))).cloned().collect()
}
