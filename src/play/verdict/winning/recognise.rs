//! Recognises what the alternatives of a goal have in common: lines, rows, meetings.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::{Condition, Shape};
use super::cubes::{Cube, Leaves, Literal};
use super::facts::FactTable;
use crate::gdl::term::TermId;

/// The most alternatives in a sentence.
pub(super) const MAX_ALTERNATIVES: usize = 3;

/// The cost of a pattern that says only how many combinations there are.
pub(super) const COMBINATIONS: usize = 8;

/// The family and the contents of a literal.
type Kind = (usize, Vec<Vec<TermId>>, bool);

/// Recognises shapes of alternatives.
pub(super) struct Recogniser<'a, 's> {
    pub(super) facts: &'a FactTable<'s>,
    pub(super) leaves: &'a Leaves,
}

impl Recogniser<'_, '_> {
    /// A condition for these alternatives, with its cost; none if their forms are not recognised.
    pub(super) fn condition(&self, cubes: &[Cube]) -> Option<(Condition, usize)> {
        let first = cubes.first()?;
        if cubes.iter().any(Vec::is_empty) {
            return None;
        }
        let common: Cube = (first.iter().copied())
            .filter(|literal| cubes.iter().all(|cube| cube.binary_search(literal).is_ok()))
            .collect();
        if cubes.len() > 1 && !common.is_empty() {
            let rest = |cube: &Cube| -> Cube {
                cube.iter().copied().filter(|literal| common.binary_search(literal).is_err()).collect()
            };
            let rest: Vec<Cube> = cubes.iter().map(rest).collect();
            if rest.iter().any(Vec::is_empty) {
                return self.condition(&[common]);
            }
            let (always, cost) = self.conjunction(&common)?;
            let (sometimes, more) = self.condition(&rest)?;
            return Some((all(vec![always, sometimes]), cost + more));
        }
        let fine = self.clusters(cubes, |cube| self.kinds(cube));
        let coarse = self.clusters(cubes, |cube| self.families(cube));
        let candidates = [fine, coarse].into_iter().filter_map(|clusters| self.alternatives(&clusters));
        candidates.min_by_key(|(_, cost)| *cost)
    }

    fn alternatives(&self, clusters: &[Vec<Cube>]) -> Option<(Condition, usize)> {
        if clusters.len() > MAX_ALTERNATIVES {
            return None;
        }
        let parts: Vec<(Condition, usize)> =
            clusters.iter().map(|cubes| self.alternative(cubes)).collect::<Option<_>>()?;
        let cost = parts.iter().map(|(_, cost)| cost).sum();
        Some((any(parts.into_iter().map(|(condition, _)| condition).collect()), cost))
    }

    fn alternative(&self, cubes: &[Cube]) -> Option<(Condition, usize)> {
        if let [cube] = cubes {
            return self.conjunction(cube);
        }
        if cubes.iter().all(|cube| cube.len() == 1 && cube[0].negated) {
            // One of several facts does not hold.
            let together: Cube = cubes.iter().map(|cube| Literal { negated: false, ..cube[0] }).collect();
            let (condition, cost) = self.conjunction(&together)?;
            return Some((condition.negation(), cost + 1));
        }
        let shape = self.shape(cubes)?;
        let cost = cost(&shape);
        Some((Condition::Pattern { cubes: cubes.to_vec(), shape }, cost))
    }

    /// A condition for literals that hold together.
    fn conjunction(&self, cube: &Cube) -> Option<(Condition, usize)> {
        let positive: Cube = cube.iter().copied().filter(|literal| !literal.negated).collect();
        let mut absent: BTreeMap<Kind, Vec<Cube>> = BTreeMap::new();
        for &literal in cube.iter().filter(|literal| literal.negated) {
            let fact = Literal { negated: false, ..literal };
            absent.entry(self.kind(fact)).or_default().push(vec![fact]);
        }
        let mut parts = Vec::new();
        let mut cost = 0;
        if !positive.is_empty() {
            let shape = if positive.len() == 1 { Shape::Fact } else { Shape::Facts };
            cost += match positive.len() {
                1 => 1,
                number if self.same_thing(&positive) => {
                    number.min(2 + 2 * (self.kind(positive[0]).1.len() - 1))
                }
                number => number.min(6),
            };
            parts.push(Condition::Pattern { cubes: vec![positive], shape });
        }
        for cubes in absent.into_values() {
            let shape = if cubes.len() == 1 { Shape::Fact } else { self.cells(&cubes)? };
            cost += if cubes.len() == 1 { 1 } else { self::cost(&shape) };
            parts.push(Condition::NoPattern { cubes, shape });
        }
        Some((all(parts), cost))
    }

    /// Whether all literals have the same family and contents.
    fn same_thing(&self, cube: &Cube) -> bool {
        cube.iter().all(|&literal| self.kind(literal) == self.kind(cube[0]))
    }

    fn families(&self, cube: &Cube) -> Vec<Kind> {
        let family = |&literal: &Literal| {
            let (family, _, negated) = self.kind(literal);
            (family, Vec::new(), negated)
        };
        let mut families: Vec<Kind> = cube.iter().map(family).collect();
        families.sort_unstable();
        families
    }

    fn clusters(&self, cubes: &[Cube], key: impl Fn(&Cube) -> Vec<Kind>) -> Vec<Vec<Cube>> {
        let mut clusters: BTreeMap<Vec<Kind>, Vec<Cube>> = BTreeMap::new();
        for cube in cubes {
            clusters.entry(key(cube)).or_default().push(cube.clone());
        }
        clusters.into_values().collect()
    }

    fn kind(&self, literal: Literal) -> Kind {
        let facts = self.leaves.facts(literal.leaf);
        let family = self.facts.list[facts[0]].family;
        let contents: BTreeSet<Vec<TermId>> = facts.iter().map(|&fact| self.facts.content(fact)).collect();
        (family, contents.into_iter().collect(), literal.negated)
    }

    /// The kinds of a cube's literals. Negated literals of a content that the cube also requires are left out: they are the
    /// ends of lines.
    fn kinds(&self, cube: &Cube) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = cube.iter().map(|&literal| self.kind(literal)).collect();
        kinds.sort_unstable();
        let positive: Vec<Kind> = kinds.iter().filter(|kind| !kind.2).cloned().collect();
        kinds.retain(|kind| {
            let required = |of: &Kind| of.0 == kind.0 && of.1 == kind.1;
            !kind.2 || !positive.iter().any(required)
        });
        kinds
    }

    fn place(&self, literal: Literal) -> Vec<TermId> {
        self.facts.place(self.leaves.facts(literal.leaf)[0])
    }

    /// What these alternatives have in common.
    fn shape(&self, cubes: &[Cube]) -> Option<Shape> {
        let first = &cubes[0];
        if cubes.iter().all(|cube| cube.len() == 1) {
            return self.cells(cubes);
        }
        let kinds = self.kinds(first);
        let same = cubes.iter().all(|cube| self.kinds(cube) == kinds);
        if same && kinds.iter().all(|kind| *kind == kinds[0] && !kind.2) {
            return self.lines(cubes);
        }
        let meets = |cube: &Cube| cube.len() == 2 && self.place(cube[0]) == self.place(cube[1]);
        if same && kinds.iter().all(|kind| !kind.2) && cubes.iter().all(meets) {
            return Some(Shape::Meeting);
        }
        let without = |cube: &Cube| meets(cube) && cube[0].negated != cube[1].negated;
        if same && cubes.iter().all(without) {
            return Some(Shape::Without);
        }
        if first.iter().any(|literal| literal.negated) || cubes.iter().any(|cube| cube.len() != first.len()) {
            return None;
        }
        let places =
            |cube: &Cube| -> BTreeSet<Vec<TermId>> { cube.iter().map(|&of| self.place(of)).collect() };
        let sets: BTreeSet<BTreeSet<Vec<TermId>>> = cubes.iter().map(places).collect();
        let straight = cubes.iter().all(|cube| self.straight(cube).is_some());
        Some(Shape::Combinations { facts: first.len(), sets: sets.len(), straight })
    }

    fn cells(&self, cubes: &[Cube]) -> Option<Shape> {
        let kind = self.kind(cubes[0][0]);
        if kind.2 || cubes.iter().any(|cube| self.kind(cube[0]) != kind) {
            return None;
        }
        let own: BTreeSet<Vec<TermId>> = cubes.iter().map(|cube| self.place(cube[0])).collect();
        let facts = self.facts.list.iter().enumerate().filter(|(_, fact)| fact.family == kind.0);
        let possible: BTreeSet<Vec<TermId>> = facts
            .filter(|(fact, _)| kind.1.contains(&self.facts.content(*fact)))
            .map(|(fact, _)| self.facts.place(fact))
            .collect();
        if own == possible {
            return Some(Shape::Anywhere);
        }
        for axis in 0..self.facts.families[kind.0].place.len() {
            let Some(value) = own.iter().next().map(|cell| cell[axis]) else { continue };
            let row: BTreeSet<Vec<TermId>> =
                possible.iter().filter(|cell| cell[axis] == value).cloned().collect();
            if own == row {
                return Some(Shape::Row { axis });
            }
        }
        Some(Shape::SomeCell)
    }

    fn lines(&self, cubes: &[Cube]) -> Option<Shape> {
        let positive =
            |cube: &Cube| -> Cube { cube.iter().copied().filter(|literal| !literal.negated).collect() };
        let cells = positive(&cubes[0]).len();
        let bare: Vec<Cube> = cubes.iter().map(positive).collect();
        let straight = bare.iter().all(|cube| self.straight(cube).is_some());
        let exactly = cubes.iter().any(|cube| cube.len() > cells);
        if exactly {
            // Every negated literal must be the next cell at one end.
            let ends = |cube: &Cube| {
                let Some((line, step)) = self.straight(&positive(cube)) else { return false };
                let next = |cell: &[i32], sign: i32| -> Vec<i32> {
                    cell.iter().zip(&step).map(|(at, step)| at + sign * step).collect()
                };
                let (Some(first), Some(last)) = (line.first(), line.last()) else { return false };
                let ends = [next(first, -1), next(last, 1)];
                let negated = cube.iter().filter(|literal| literal.negated);
                negated.into_iter().all(|literal| {
                    let at = self.facts.coordinates(self.leaves.facts(literal.leaf)[0]);
                    at.is_some_and(|at| ends.contains(&at))
                })
            };
            if !cubes.iter().all(ends) {
                return None;
            }
        }
        Some(Shape::Lines { cells, straight, exactly })
    }

    /// The cells of a cube in order along a straight line, and the step between them.
    fn straight(&self, cube: &Cube) -> Option<(Vec<Vec<i32>>, Vec<i32>)> {
        let at = |literal: &Literal| self.facts.coordinates(self.leaves.facts(literal.leaf)[0]);
        let mut cells: Vec<Vec<i32>> = cube.iter().map(at).collect::<Option<_>>()?;
        cells.sort_unstable();
        let step =
            |pair: &[Vec<i32>]| -> Vec<i32> { pair[1].iter().zip(&pair[0]).map(|(b, a)| b - a).collect() };
        let first = step(cells.get(..2)?);
        let unit = first.iter().any(|&of| of != 0) && first.iter().all(|of| of.abs() <= 1);
        let even = cells.windows(2).all(|pair| step(pair) == first);
        (unit && even && !cells[0].is_empty()).then_some((cells, first))
    }
}

/// How hard the shape of several alternatives is to understand; lower is better.
fn cost(shape: &Shape) -> usize {
    match shape {
        Shape::Fact | Shape::Anywhere | Shape::Row { .. } => 1,
        Shape::Lines { straight: true, .. } | Shape::Meeting | Shape::Without | Shape::Facts => 2,
        Shape::Lines { .. } | Shape::SomeCell => 4,
        Shape::Combinations { .. } => COMBINATIONS,
    }
}

/// A condition that holds if one of its parts does.
pub(super) fn any(parts: Vec<Condition>) -> Condition {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Condition::Any(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Condition::Any(flat) }
}

/// A condition that holds if all its parts do.
pub(super) fn all(parts: Vec<Condition>) -> Condition {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Condition::All(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Condition::All(flat) }
}
