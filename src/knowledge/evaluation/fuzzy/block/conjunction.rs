//! The strict norm for states side by side.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x16};

use super::super::strict::Strict;
use super::super::terms::LEAST_HOLDING;
use super::vector::{cost_of, cost_of_rest, exp_of_negative};

/// Costs beyond this make no difference, see `terms`.
pub(super) const MOST_COST: f32 = 127.0;

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
pub(super) struct Signed<S: Simd> {
    pub(super) value: f32x16<S>,
    pub(super) negation: f32x16<S>,
}

impl<S: Simd> Signed<S> {
    #[inline(always)]
    pub(super) fn splat(simd: S, [value, negation]: [f32; 2]) -> Signed<S> {
        Signed { value: f32x16::splat(simd, value), negation: f32x16::splat(simd, negation) }
    }

    /// This in some lanes, another one elsewhere.
    #[inline(always)]
    pub(super) fn or(self, lanes: <f32x16<S> as SimdBase<S>>::Mask, other: Signed<S>) -> Signed<S> {
        Signed {
            value: lanes.select(self.value, other.value),
            negation: lanes.select(self.negation, other.negation),
        }
    }
}

/// The costs of a conjunction's members: of those that hold, and of the others.
#[derive(Clone, Copy)]
pub(super) struct Costs<S: Simd> {
    pub(super) holds: f32x16<S>,
    pub(super) fails: f32x16<S>,
}

impl<S: Simd> Costs<S> {
    #[inline(always)]
    pub(super) fn none(simd: S) -> Costs<S> {
        Costs { holds: f32x16::splat(simd, 0.0), fails: f32x16::splat(simd, 0.0) }
    }

    /// Adds a member.
    #[inline(always)]
    pub(super) fn add(&mut self, member: f32x16<S>) {
        self.holds += member.max(0.0);
        self.fails -= member.min(0.0);
    }
}

/// Members of a conjunction that is in a loop, added up.
#[derive(Clone, Copy)]
pub(super) struct Summed<S: Simd> {
    pub(super) costs: Costs<S>,
    /// The greatest cost of one of them.
    pub(super) most: f32x16<S>,
}

impl<S: Simd> Summed<S> {
    #[inline(always)]
    pub(super) fn add(&mut self, member: f32x16<S>) {
        self.costs.add(member);
        self.most = self.most.max(member.abs());
    }

    /// Adds a member of the loop, by its cost.
    #[inline(always)]
    pub(super) fn choose(&mut self, norm: &Norm, cost: f32x16<S>) {
        self.add(cost.simd_lt(norm.middle()).select(cost, -cost));
    }

    /// The cost of the conjunction: no squeezing makes it worth more than a member.
    #[inline(always)]
    pub(super) fn cost(&self, simd: S, norm: &Norm, breadth: f32) -> f32x16<S> {
        norm.cost(simd, &self.costs, breadth).max(self.most)
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

    /// The costs of conjunctions of which members fail.
    #[inline(always)]
    pub(super) fn failing_cost<S: Simd>(&self, simd: S, costs: &Costs<S>, breadth: f32x16<S>) -> f32x16<S> {
        self.cost_by_share(simd, costs.fails, costs.holds / (breadth + costs.holds))
    }

    /// The same, by the costs of members that fail, and the share that those which hold have of the range.
    #[inline(always)]
    fn cost_by_share<S: Simd>(&self, simd: S, fails: f32x16<S>, share: f32x16<S>) -> f32x16<S> {
        let mut cost = fails + share * self.holding;
        if cost.simd_gt(Strict::PLAIN_COST as f32).any_true() {
            cost = squeezed(simd, cost);
        }
        cost.max(self.failing).min(MOST_COST)
    }

    /// A cost between those of what holds and those of what does not.
    #[inline(always)]
    pub(super) fn middle(&self) -> f32 {
        (self.holding + self.failing) / 2.0
    }

    /// The costs of conjunctions.
    #[inline(always)]
    pub(super) fn cost<S: Simd>(&self, simd: S, costs: &Costs<S>, breadth: f32) -> f32x16<S> {
        let signed = self.conjunctions(simd, costs, breadth, [true, false]);
        signed.value.abs()
    }

    /// Conjunctions, and whether their values and their negations are wanted; what is not is of no meaning.
    #[inline(always)]
    pub(super) fn conjunctions<S: Simd>(
        &self,
        simd: S,
        costs: &Costs<S>,
        breadth: f32,
        wanted: [bool; 2],
    ) -> Signed<S> {
        let fails = costs.fails.simd_gt(0.0);
        let share = costs.holds / (costs.holds + breadth);
        let cost = match fails.any_true() {
            true => self.cost_by_share(simd, costs.fails, share),
            false => f32x16::splat(simd, 0.0),
        };
        if fails.all_true() {
            // Most often: then the value needs no logarithm.
            let negation = if wanted[1] { cost_of_rest(exp_of_negative(cost)) } else { cost };
            return Signed { value: -cost, negation };
        }
        let missing = (share * self.room).max(f32::MIN_POSITIVE);
        if !wanted[1] {
            return Signed { value: fails.select(-cost, cost_of_rest(missing)), negation: cost };
        }
        let low = match fails.any_true() {
            true => fails.select(exp_of_negative(cost), missing),
            false => missing,
        };
        let rest = cost_of_rest(low);
        // So little is nothing, as in double precision.
        let nothing = costs.holds.simd_lt(LEAST_HOLDING as f32);
        let of_missing = nothing.select(f32x16::splat(simd, MOST_COST), cost_of(missing));
        let cost = -fails.select(cost, of_missing);
        Signed { value: fails.select(cost, rest), negation: fails.select(rest, cost) }
    }

    /// The negations of conjunctions that are worth what a cost says: no more than the least of their members.
    #[inline(always)]
    pub(super) fn negation<S: Simd>(
        &self,
        simd: S,
        costs: &Costs<S>,
        breadth: f32,
        cost: f32x16<S>,
    ) -> f32x16<S> {
        let free = self.conjunctions(simd, costs, breadth, [true; 2]);
        let value = exp_of_negative(cost);
        let rest = (f32x16::splat(simd, 1.0) - value).max(f32::MIN_POSITIVE);
        let held = cost.simd_lt(self.middle()).select(-cost_of(rest), cost_of_rest(value));
        cost.simd_gt(free.value.abs()).select(held, free.negation)
    }

    /// One conjunction, with the sums of its members' costs: what its value and its negation add.
    pub(super) fn conjunction(&self, [holds, fails]: [f32; 2], breadth: f32) -> [f32; 2] {
        dispatch!(Level::new(), simd => {
            let [holds, fails] = [holds, fails].map(|cost| f32x16::splat(simd, cost));
            let signed = self.conjunctions(simd, &Costs { holds, fails }, breadth, [true; 2]);
            [signed.value, signed.negation].map(|lanes| lanes.to_array()[0])
        })
    }

    /// What an operand that is no conjunction adds, between 0 and 1.
    #[inline(always)]
    pub(super) fn operand<S: Simd>(&self, simd: S, value: f32x16<S>) -> Signed<S> {
        const MARGIN: f32 = Strict::MARGIN as f32;
        let part = (self.room - MARGIN) / self.room;
        let inside = value
            .simd_gt(0.5)
            .select((value - self.threshold) * part + self.threshold, value * part + MARGIN);
        let holds = inside.simd_ge(0.5);
        let low = inside.simd_gt(0.5).select(f32x16::splat(simd, 1.0) - inside, inside);
        let (rest, cost) = (cost_of_rest(low), -cost_of(low));
        Signed { value: holds.select(rest, cost), negation: holds.select(cost, rest) }
    }

    /// The value that costs stand for, 0 to 1.
    #[inline(always)]
    pub(super) fn value<S: Simd>(&self, simd: S, signed: &Signed<S>) -> f32x16<S> {
        let held = f32x16::splat(simd, 1.0) - exp_of_negative(signed.negation.abs());
        let missed = exp_of_negative(signed.value.abs());
        signed.value.simd_lt(0.0).select(missed.min(self.room), held.max(self.threshold))
    }
}

/// Costs beyond the plain ones squeezed, see `strict`.
#[inline(always)]
fn squeezed<S: Simd>(simd: S, cost: f32x16<S>) -> f32x16<S> {
    const PLAIN: f32 = Strict::PLAIN_COST as f32;
    const SQUEEZE: f32 = Strict::SQUEEZE as f32;
    let beyond = cost.simd_gt(PLAIN);
    let more = beyond.select((cost - PLAIN) / SQUEEZE + 1.0, f32x16::splat(simd, 1.0));
    beyond.select(-cost_of(more) * SQUEEZE + PLAIN, cost)
}

#[cfg(test)]
mod tests {
    use super::super::super::strict;
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
        // With members that hold, that fail, and of both kinds, up to hundreds.
        for (count, kind) in
            [0, 1, 2, 3, 7, 40, 300].into_iter().flat_map(|count| [(count, 0), (count, 1), (count, 2)])
        {
            let member = |member: usize| -> f64 {
                let cost = 0.02 + 0.003 * ((kind * 7 + member * 13) % 90) as f64;
                match (kind, member % 5) {
                    (1, 0) | (2, _) => -cost - 0.2876,
                    _ => cost,
                }
            };
            let members: Vec<f64> = (0..count).map(member).collect();
            for breadth in [0.25, 0.8, 6.0] {
                let sum = |sign: f32| members.iter().map(|&cost| (cost as f32 * sign).max(0.0)).sum();
                let found = norm.conjunction([sum(1.0), sum(-1.0)], breadth as f32);
                for (found, exact) in found.into_iter().zip(exact(&strict, &members, breadth)) {
                    let found = f64::from(found);
                    assert!((found - exact).abs() <= 1e-5 * exact.abs() + 1e-9, "{count}: {found} {exact}");
                }
            }
        }
    }
}
