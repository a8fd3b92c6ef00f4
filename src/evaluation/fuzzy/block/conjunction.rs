//! The strict norm for states side by side.

use super::super::strict::Strict;
use super::super::terms::LEAST_HOLDING;
use super::vector::{Vector, cost_of, cost_of_rest, exp_of_negative};

/// Costs beyond this make no difference, see `terms`.
const MOST_COST: f32 = 127.0;

/// What the strict norm computes with, in single precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Norm {
    /// 1 - t.
    pub(super) room: f32,
    /// t.
    pub(super) threshold: f32,
    /// -ln t.
    holding: f32,
    /// -ln(1 - t).
    pub(super) failing: f32,
}

/// A value, as it adds to a conjunction that it is a member of, and its negation: the cost where it holds, else the negative
/// of the cost. One of the two is negative in every lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signed<const W: usize> {
    pub(super) value: Vector<W>,
    pub(super) negation: Vector<W>,
}

/// The costs of a conjunction's members: of those that hold, and of the others.
#[derive(Clone, Copy)]
pub(super) struct Costs<const W: usize> {
    holds: Vector<W>,
    fails: Vector<W>,
}

impl<const W: usize> Costs<W> {
    #[inline(always)]
    pub(super) fn none() -> Costs<W> {
        Costs { holds: Vector::splat(0.0), fails: Vector::splat(0.0) }
    }

    /// Adds a member.
    #[inline(always)]
    pub(super) fn add(&mut self, member: &Vector<W>) {
        self.holds = self.holds.zip(*member, |sum, cost| sum + if cost > 0.0 { cost } else { 0.0 });
        self.fails = self.fails.zip(*member, |sum, cost| sum - if cost < 0.0 { cost } else { 0.0 });
    }
}

impl Norm {
    pub(super) fn new(strict: &Strict) -> Norm {
        Norm {
            room: (1.0 - strict.threshold) as f32,
            threshold: strict.threshold as f32,
            holding: strict.holding as f32,
            failing: strict.failing as f32,
        }
    }

    /// The cost of a conjunction of which members fail, in all lanes.
    #[inline(always)]
    pub(super) fn failing_cost<const W: usize>(&self, costs: &Costs<W>, breadth: f32) -> Vector<W> {
        let share = costs.holds.map(|holds| holds / (breadth + holds));
        let mut cost = costs.fails.zip(share, |fails, share| fails + self.holding * share);
        if cost.more_than(Strict::PLAIN_COST as f32).0 {
            cost = squeezed(cost);
        }
        cost.map(|cost| {
            let cost = if cost > self.failing { cost } else { self.failing };
            if cost < MOST_COST { cost } else { MOST_COST }
        })
    }

    /// A conjunction, and whether its value and its negation are wanted; what is not is of no meaning.
    #[inline(always)]
    pub(super) fn conjunction<const W: usize>(
        &self,
        costs: &Costs<W>,
        breadth: f32,
        wanted: [bool; 2],
    ) -> Signed<W> {
        let failed = costs.fails.map(|fails| -fails);
        let (some_fail, all_fail) = costs.fails.more_than(0.0);
        let cost = if some_fail { self.failing_cost(costs, breadth) } else { Vector::splat(0.0) };
        if all_fail {
            // Most often: then the value needs no logarithm.
            let rest = || cost_of_rest(exp_of_negative(cost));
            let negation = if wanted[1] { rest() } else { Vector::splat(0.0) };
            return Signed { value: cost.map(|cost| -cost), negation };
        }
        let missing = costs.holds.map(|holds| {
            let missing = self.room * (holds / (breadth + holds));
            if missing > f32::MIN_POSITIVE { missing } else { f32::MIN_POSITIVE }
        });
        let low = match some_fail {
            false => missing,
            true => missing.or_where_negative(failed, exp_of_negative(cost)),
        };
        let rest = cost_of_rest(low);
        let of_missing = cost_of(missing).zip(costs.holds, |cost, holds| {
            // So little is nothing, as in double precision.
            if holds < LEAST_HOLDING as f32 { MOST_COST } else { cost }
        });
        let cost = of_missing.or_where_negative(failed, cost).map(|cost| -cost);
        Signed { value: rest.or_where_negative(failed, cost), negation: cost.or_where_negative(failed, rest) }
    }

    /// What an operand that is no conjunction adds, between 0 and 1.
    #[inline(always)]
    pub(super) fn operand<const W: usize>(&self, value: Vector<W>) -> Signed<W> {
        let part = (self.room - Strict::MARGIN as f32) / self.room;
        let inside = value.map(|value| match value > 0.5 {
            true => self.threshold + (value - self.threshold) * part,
            false => Strict::MARGIN as f32 + value * part,
        });
        let low = inside.map(|value| if value > 0.5 { 1.0 - value } else { value });
        let (rest, cost) = (cost_of_rest(low), cost_of(low).map(|cost| -cost));
        let fails = inside.map(|value| value - 0.5);
        Signed { value: rest.or_where_negative(fails, cost), negation: cost.or_where_negative(fails, rest) }
    }

    /// The value that costs stand for, 0 to 1.
    #[inline(always)]
    pub(super) fn value<const W: usize>(&self, signed: &Signed<W>) -> Vector<W> {
        let held = exp_of_negative(signed.negation.map(f32::abs)).map(|low| 1.0 - low);
        let missed = exp_of_negative(signed.value.map(f32::abs));
        let held = held.map(|value| if value > self.threshold { value } else { self.threshold });
        let missed = missed.map(|value| if value < self.room { value } else { self.room });
        held.or_where_negative(signed.value, missed)
    }
}

/// Costs beyond the plain ones squeezed, see `strict`.
#[inline(always)]
fn squeezed<const W: usize>(cost: Vector<W>) -> Vector<W> {
    const PLAIN: f32 = Strict::PLAIN_COST as f32;
    const SQUEEZE: f32 = Strict::SQUEEZE as f32;
    let more = cost.map(|cost| if cost > PLAIN { 1.0 + (cost - PLAIN) / SQUEEZE } else { 1.0 });
    let logarithm = cost_of(more).map(|cost| -cost);
    cost.zip(logarithm, |cost, logarithm| if cost > PLAIN { PLAIN + SQUEEZE * logarithm } else { cost })
}

#[cfg(test)]
mod tests {
    use super::super::super::strict;
    use super::super::vector::WIDTH;
    use super::*;

    /// Signed costs as double precision has them.
    fn exact(strict: &Strict, members: &[f64], breadth: f64) -> [f64; 2] {
        let (mut holds, mut fails) = (0.0, 0.0);
        for &member in members {
            *(if member > 0.0 { &mut holds } else { &mut fails }) += member.abs();
        }
        let strict::Costs { value, negation } = strict.conjunction(holds, fails, breadth);
        let [value, negation] = [value, negation].map(|cost| cost.min(127.0));
        if fails > 0.0 { [-value, negation] } else { [value, -negation] }
    }

    #[test]
    fn conjunctions_are_those_of_double_precision() {
        let strict = Strict::new(0.75);
        let norm = Norm::new(&strict);
        // Lanes with members that hold, that fail, and of both kinds, up to hundreds.
        for count in [0, 1, 2, 3, 7, 40, 300] {
            let member = |lane: usize, member: usize| -> f64 {
                let cost = 0.02 + 0.003 * ((lane * 7 + member * 13) % 90) as f64;
                match (lane % 3, member % 5) {
                    (1, 0) | (2, _) => -cost - 0.2876,
                    _ => cost,
                }
            };
            for breadth in [0.25, 0.8, 6.0] {
                let mut costs = Costs::<WIDTH>::none();
                for number in 0..count {
                    costs.add(&Vector(std::array::from_fn(|lane| member(lane, number) as f32)));
                }
                let found = norm.conjunction(&costs, breadth as f32, [true; 2]);
                for lane in 0..WIDTH {
                    let members: Vec<f64> = (0..count).map(|number| member(lane, number)).collect();
                    let exact = exact(&strict, &members, breadth);
                    for (found, exact) in [found.value, found.negation].iter().zip(exact) {
                        let found = f64::from(found.0[lane]);
                        assert!(
                            (found - exact).abs() <= 2e-6 * exact.abs() + 1e-9,
                            "{count}: {found} {exact}"
                        );
                    }
                }
            }
        }
    }
}
