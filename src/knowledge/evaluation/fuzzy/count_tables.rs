//! Conjunctions and disjunctions of fluents alone: how many members hold says what they are worth.

use super::bind::{Bound, Step};
use super::terms::{Graded, Scale, Sum};
use super::wiring::{Kind, Wiring};

/// The values of tallies by the number of members that hold.
pub(super) struct CountTables {
    /// Where the values of a node begin.
    starts: Vec<u32>,
    /// How many members it has.
    sizes: Vec<u32>,
    values: Vec<Graded>,
    /// What one more member that holds changes, for conjunctions of the tally and of its negation.
    rises: Vec<[Sum; 2]>,
}

impl CountTables {
    /// The tallies of a formula. `fact` is what a fluent is worth that does not hold, and one that does.
    pub(super) fn new(
        bound: &Bound<'_>,
        wiring: &Wiring,
        scale: &Scale,
        fact: [Graded; 2],
        breadths: &[f64],
    ) -> CountTables {
        let mut counted = CountTables {
            starts: vec![0; bound.steps.len()],
            sizes: vec![0; bound.steps.len()],
            values: Vec::new(),
            rises: Vec::new(),
        };
        let mut known: Vec<(usize, bool, u64, u32)> = Vec::new();
        for (node, step) in bound.steps.iter().enumerate() {
            if wiring.kinds[node] != Kind::Counted {
                continue;
            }
            let (members, is_or) = (bound.members(node).len(), matches!(step, Step::Or));
            counted.sizes[node] = members as u32;
            let breadth = breadths[node];
            let key = (members, is_or, breadth.to_bits());
            let same = known.iter().find(|&&(of, or, breadth, _)| (of, or, breadth) == key);
            counted.starts[node] = match same {
                Some(&(.., start)) => start,
                None => {
                    let start = counted.values.len() as u32;
                    known.push((key.0, key.1, key.2, start));
                    counted.add(members as i64, is_or, scale, fact, breadth);
                    start
                }
            };
        }
        counted
    }

    fn add(&mut self, members: i64, is_or: bool, scale: &Scale, fact: [Graded; 2], breadth: f64) {
        let value = |held: i64| {
            // Members are fluents or negations of them: one that holds is worth p either way.
            let (holds, fails) = (fact[1].adds[0].holds, fact[0].adds[0].fails);
            let sum = Sum { holds: held * holds, fails: (members - held) * fails };
            let of = [(members - held) > 0, held > 0];
            let values = [fact[0].value, fact[1].value].into_iter().zip(of).filter(|(_, some)| *some);
            let value = scale.fold(sum, breadth, values.map(|(value, _)| value));
            if is_or { value.negated() } else { value }
        };
        let start = self.values.len();
        self.values.extend((0..=members).map(value));
        for held in start..self.values.len() {
            let next = self.values[(held + 1).min(self.values.len() - 1)];
            self.rises.push(self.values[held].change(&next));
        }
    }

    /// The value of a tally of whose members, as those of a conjunction, so many hold.
    pub(super) fn value(&self, node: usize, held: u32) -> Graded {
        self.values[(self.starts[node] + held) as usize]
    }

    /// Whether the tally holds with so many members and not with one more, or the other way round.
    pub(super) fn tips(&self, node: usize, held: u32) -> bool {
        self.sizes[node] == held + 1
    }

    /// What changes from so many members that hold to one more.
    pub(super) fn rise(&self, node: usize, held: u32) -> &[Sum; 2] {
        &self.rises[(self.starts[node] + held) as usize]
    }
}
