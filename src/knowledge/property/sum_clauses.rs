//! Clauses for a weighted sum of facts that does not grow over some steps.
//!
//! Groups of facts add amounts to the sum and subtract others. Both are counted separately, as literals "at
//! least this amount" that a totalizer combines pairwise (Bailleux and Boufkhad 2003; with weights as in
//! Joshi, Martins and Manquinho 2015). Additions are bounded from below and subtractions from above, so
//! missing clauses are sound: a state in which the sum does not grow satisfies the rest.

use std::collections::{BTreeMap, BTreeSet};

use batsat::Lit as Literal;

use super::lemma::of_bit;
use super::unrolling::Unrolling;

/// Facts with weights whose sum is claimed to grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WeightedSum {
    /// Groups of facts, as bits and weights other than 0; at most one fact of a group holds.
    pub(super) groups: Vec<Vec<(u32, i64)>>,
    /// Largest amount that is counted, for additions and for subtractions.
    pub(super) cap: u64,
}

/// Literals "at least this amount", ascending. The cap represents all greater amounts.
type Levels = Vec<(u64, Literal)>;

/// Adds clauses for a literal that implies: the sum after some steps is not greater than in the first
/// frame, or some amount exceeds the cap. Returns the literals that say that a group subtracts something.
pub(super) fn not_grown(
    frames: &mut Unrolling<'_>,
    sum: &WeightedSum,
    steps: usize,
    if_: Literal,
) -> Vec<Literal> {
    let mut totalizer = Totalizer { frames, cap: sum.cap };
    let (mut added, mut taken) = (Vec::new(), Vec::new());
    for group in &sum.groups {
        let (more, less) = totalizer.levels_of(group, steps);
        added.push(more);
        taken.push(less);
    }
    let losses = taken.iter().flatten().map(|&(_, literal)| literal).collect();
    let added = totalizer.total(added, Totalizer::at_least);
    let taken = totalizer.total(taken, Totalizer::at_most);
    for (value, reached) in added {
        let enough = taken.iter().find(|(other, _)| *other >= value).map(|&(_, literal)| literal);
        let clause: Vec<Literal> = [!if_, !reached].into_iter().chain(enough).collect();
        frames.solver.clause(&clause);
    }
    losses
}

/// Adds the clauses of sums to frames.
struct Totalizer<'u, 'n> {
    frames: &'u mut Unrolling<'n>,
    /// Greater amounts are counted as this one.
    cap: u64,
}

impl Totalizer<'_, '_> {
    /// The amounts that a group adds to the sum over some steps, and those that it subtracts.
    fn levels_of(&mut self, group: &[(u32, i64)], steps: usize) -> (Levels, Levels) {
        let [before, after] = [0, steps].map(|frame| self.values_of(group, frame));
        let differences = || before.keys().flat_map(|from| after.keys().map(move |to| to - from));
        let cap = self.cap;
        let clamped = |value: i64| value.unsigned_abs().min(cap);
        let [more, less] = [1, -1].map(|sign| -> BTreeSet<u64> {
            differences().filter(|difference| difference * sign > 0).map(clamped).collect()
        });
        let more = self.levels(more);
        let less = self.levels(less);
        // Missing clauses are sound: if the work is used up, the question has no answer.
        for (from, was) in &before {
            if self.frames.solver.allowance.is_over() {
                break;
            }
            for (to, is) in &after {
                let (add, take) = (clamped((to - from).max(0)), clamped((from - to).max(0)));
                if let Some((_, reached)) = more.iter().find(|&&(value, _)| value == add) {
                    self.frames.solver.clause(&[!*was, !*is, *reached]);
                }
                if take < cap
                    && let Some((_, above)) = less.iter().find(|&&(value, _)| value > take)
                {
                    self.frames.solver.clause(&[!*was, !*is, !*above]);
                }
            }
        }
        self.name_changes(group, steps, &less);
        (more, less)
    }

    /// For each value that a group can have (0 if no fact holds), a literal that holds if it has that
    /// value.
    fn values_of(&mut self, group: &[(u32, i64)], frame: usize) -> BTreeMap<i64, Literal> {
        let facts: Vec<(i64, Literal)> =
            group.iter().map(|&(bit, weight)| (weight, self.frames.literal(frame, of_bit(bit)))).collect();
        let mut by_value: BTreeMap<i64, Vec<Literal>> = BTreeMap::new();
        for &(weight, fact) in &facts {
            by_value.entry(weight).or_default().push(fact);
        }
        let mut values = BTreeMap::new();
        for (value, of_value) in by_value {
            let literal = match of_value[..] {
                [one] => one,
                _ => {
                    let some = self.frames.solver.variable();
                    of_value.iter().for_each(|&fact| self.frames.solver.clause(&[!fact, some]));
                    some
                }
            };
            values.insert(value, literal);
        }
        let none = match facts[..] {
            [(_, one)] => !one,
            _ => {
                let none = self.frames.solver.variable();
                let clause: Vec<Literal> = facts.iter().map(|&(_, fact)| fact).chain([none]).collect();
                self.frames.solver.clause(&clause);
                none
            }
        };
        values.insert(0, none);
        values
    }

    /// New literals for some levels; a higher level implies all lower ones.
    fn levels(&mut self, values: BTreeSet<u64>) -> Levels {
        let levels: Levels = values.into_iter().map(|value| (value, self.frames.solver.variable())).collect();
        for pair in levels.windows(2) {
            self.frames.solver.clause(&[!pair[1].1, pair[0].1]);
        }
        levels
    }

    /// A group subtracts nothing unless a fact with a positive weight disappears or one with a negative
    /// weight appears. Often the moves alone decide that, which spares the solver the values of the group.
    fn name_changes(&mut self, group: &[(u32, i64)], steps: usize, less: &Levels) {
        let Some(&(_, least)) = less.first() else { return };
        let mut clause = vec![!least];
        for frame in 0..steps {
            for &(bit, weight) in group {
                let next = self.frames.next_given(frame, bit, weight > 0);
                clause.push(if weight > 0 { !next } else { next });
            }
        }
        self.frames.solver.clause(&clause);
    }

    /// The sum of some levels, combined pairwise.
    fn total(
        &mut self,
        mut levels: Vec<Levels>,
        put: impl Fn(&mut Self, &Levels, &Levels) -> Levels,
    ) -> Levels {
        levels.retain(|levels| !levels.is_empty());
        while levels.len() > 1 {
            let pairs: Vec<Levels> = levels
                .chunks(2)
                .map(|pair| match pair {
                    [one, other] => put(self, one, other),
                    _ => pair[0].clone(),
                })
                .collect();
            levels = pairs;
        }
        levels.pop().unwrap_or_default()
    }

    /// Levels of a sum that hold if those of its parts imply it.
    fn at_least(&mut self, one: &Levels, other: &Levels) -> Levels {
        let cap = self.cap;
        let sums = self.levels(sums(one, other, cap));
        let nothing = [(0, None)];
        let with = |levels: &Levels| -> Vec<(u64, Option<Literal>)> {
            nothing.into_iter().chain(levels.iter().map(|&(value, level)| (value, Some(level)))).collect()
        };
        for &(a, first) in &with(one) {
            if self.frames.solver.allowance.is_over() {
                break;
            }
            for &(b, second) in &with(other) {
                let value = (a + b).min(cap);
                if let Some(&(_, reached)) = sums.iter().find(|(sum, _)| *sum == value) {
                    let clause: Vec<Literal> =
                        first.iter().chain(&second).map(|&level| !level).chain([reached]).collect();
                    self.frames.solver.clause(&clause);
                }
            }
        }
        sums
    }

    /// Levels of a sum that hold only if those of its parts imply it.
    fn at_most(&mut self, one: &Levels, other: &Levels) -> Levels {
        let cap = self.cap;
        let sums = self.levels(sums(one, other, cap));
        // For each level, its value if the next one does not hold, and the literal of the next one.
        let with = |levels: &Levels| -> Vec<(u64, Option<Literal>)> {
            let values = [0].into_iter().chain(levels.iter().map(|&(value, _)| value));
            let next = levels.iter().map(|&(_, level)| Some(level)).chain([None]);
            values.zip(next).filter(|&(value, next)| value < cap || next.is_some()).collect()
        };
        for &(a, first) in &with(one) {
            if self.frames.solver.allowance.is_over() {
                break;
            }
            for &(b, second) in &with(other) {
                if let Some(&(_, above)) = sums.iter().find(|(sum, _)| *sum > a + b) {
                    let clause: Vec<Literal> = first.into_iter().chain(second).chain([!above]).collect();
                    self.frames.solver.clause(&clause);
                }
            }
        }
        sums
    }
}

/// The possible sums of two levels.
fn sums(one: &Levels, other: &Levels, cap: u64) -> BTreeSet<u64> {
    let with = |levels: &Levels| -> Vec<u64> {
        [0].into_iter().chain(levels.iter().map(|&(value, _)| value)).collect()
    };
    let others = with(other);
    let all =
        with(one).into_iter().flat_map(|a| others.iter().map(move |b| (a + b).min(cap)).collect::<Vec<_>>());
    all.filter(|&value| value > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::solver::{Allowance, Answer};
    use super::super::unrolling::StartState;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, load};

    /// Three lamps that are switched on and off, and a dial; one step may change all of them.
    const LAMPS: &str = "(role r) (lamp a) (lamp b) (lamp c) (init (on a)) (init (dial 0))
        (mark 0) (mark 1) (mark 2)
        (<= (legal r (set ?a ?b ?c ?n)) (way ?a) (way ?b) (way ?c) (mark ?n)) (way yes) (way no)
        (<= (next (on a)) (does r (set yes ?b ?c ?n))) (<= (next (on b)) (does r (set ?a yes ?c ?n)))
        (<= (next (on c)) (does r (set ?a ?b yes ?n))) (<= (next (dial ?n)) (does r (set ?a ?b ?c ?n)))
        (<= terminal (true (on a)) (true (on b)) (true (on c)) (true (dial 2))) (goal r 0)";

    /// For all pairs of states and all caps, the clauses agree with the sum as far as it is counted.
    #[test]
    fn the_clauses_agree_with_the_sum() {
        let rules = read(&Source::from_text("lamps", LAMPS)).description.unwrap();
        let game = load(rules, Backend::Auto, &Limits::default()).unwrap();
        let network = game.machine.network().unwrap();
        let bit = |text: &str| -> u32 {
            let found = (0..network.bits.len() as u32).find(|&bit| {
                let fluent = network.bits[bit as usize];
                game.machine.fluent_text(crate::machine::FluentId(fluent)) == text
            });
            found.unwrap()
        };
        let lamps = ["(on a)", "(on b)", "(on c)"].map(bit);
        let dial = ["(dial 0)", "(dial 1)", "(dial 2)"].map(bit);
        let groups = vec![
            vec![(lamps[0], 3)],
            vec![(lamps[1], -1)],
            vec![(lamps[2], 1)],
            vec![(dial[1], 2), (dial[2], -2)],
        ];
        let weight = |lamp: [bool; 3], mark: usize| {
            let lamps = 3 * i64::from(lamp[0]) - i64::from(lamp[1]) + i64::from(lamp[2]);
            lamps + [0, 2, -2][mark]
        };
        let all = || (0..24).map(|number| ([1, 2, 4].map(|one| number & one > 0), number / 8));
        for cap in [1, 3, 20] {
            let allowance = Allowance::new(u64::MAX, None);
            let mut frames = Unrolling::new(network, StartState::Anywhere, &allowance);
            frames.step();
            let comes = frames.solver.variable();
            let sum = WeightedSum { groups: groups.clone(), cap };
            not_grown(&mut frames, &sum, 1, comes);
            let mut state = |frame: usize, (lamp, mark): ([bool; 3], usize)| -> Vec<Literal> {
                let on = lamps.iter().zip(lamp).map(|(&bit, on)| of_bit(bit).negate_if(!on));
                let at = dial.iter().enumerate().map(|(index, &bit)| of_bit(bit).negate_if(index != mark));
                on.chain(at).map(|literal| frames.literal(frame, literal)).collect()
            };
            let mut questions = Vec::new();
            for before in all().filter(|&(lamp, mark)| lamp != [true; 3] || mark != 2) {
                for after in all() {
                    let assumed: Vec<Literal> =
                        [comes].into_iter().chain(state(0, before)).chain(state(1, after)).collect();
                    questions.push((
                        assumed,
                        weight(after.0, after.1) > weight(before.0, before.1),
                        before,
                        after,
                    ));
                }
            }
            let mut grown = 0;
            for (assumed, grows, before, after) in questions {
                let answer = frames.solver.solve(&assumed, u64::MAX);
                if cap == 20 {
                    assert_eq!(answer == Answer::Unsatisfiable, grows, "{before:?} {after:?}");
                } else {
                    // Amounts above the cap are not claimed to grow.
                    assert!(grows || answer == Answer::Satisfiable, "{before:?} {after:?}");
                }
                grown += usize::from(answer == Answer::Unsatisfiable);
            }
            assert!(grown > 0);
        }
    }
}
