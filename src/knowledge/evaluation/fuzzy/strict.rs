//! The strict norm: a thresholded product that is nowhere cut, so that no operand's change is lost.
//!
//! # What it does
//! Values a conjunction as T′ does (at least the threshold `t` where all members hold, at most `1 - t` elsewhere), but
//! strictly: any member made better makes it better, however many members there are.
//!
//! # How
//! With costs -ln(value), H the sum over the members that hold, F over those that don't, and the breadth b of the
//! node (see `breadth`):
//! - all hold: 1 - (1-t) · H / (b + H), which falls from 1 towards t;
//! - some don't: e^-c with c = squeezed(F + (-ln t) · H / (b + H)): F alone is at least -ln(1-t), and the members that
//!   hold add less than the threshold's own cost, as the cut of T′ has it.
//!
//! Costs are squeezed beyond e^-16 alone, to 16 + 8 ln(1 + (c - 16) / 8), so that a conjunction of which dozens of
//! members fail is still told from one of which one more does. A disjunction is the negation of the conjunction of
//! negations: of alternatives that all fail it has (1-t) · L / (b + L), with L = the sum of -ln(1 - value), where the
//! product's co-norm would have been cut at 1 - t.
//!
//! At the root, where a condition's value meets goal values and people, odds are made visible: costs of values that are
//! near 0 or 1 become (1-t) / (1 + c - c₀), with c₀ = -ln(1-t) the least they can be. That changes no order.
//!
//! # Guarantee
//! Strictly rising in every member, in double precision for changes of 0.001 among up to 500 members (a test); the
//! bounds of T′; a conjunction is worth no more than its least member where that is worth 1e-7 or more.
//!
//! # Cost
//! A logarithm and an exponential a conjunction.
//!
//! # Example
//! Eight cells, each a tenth of the way to be reached: the product's co-norm gives 0.57, cut to 0.25 for ever; here
//! (b = 0.8) 0.25 · 0.84 / 1.64 = 0.128, and 0.140 when one of them is worth 0.2 more.
//!
//! # Source
//! Our own, after Schiffel and Thielscher 2007, whose norm is chosen by hand so that it does not run into 0 or 1.
//! `reports/telling/README.md` shows how many functions were flat with a norm that is cut, and how many are with this one.

/// A value by the costs of it and of its negation, in nats: of a value near 0 or 1 they tell more than it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Costs {
    /// -ln(value).
    pub(super) value: f64,
    /// -ln(1 - value).
    pub(super) negation: f64,
}

impl Costs {
    /// Of a value strictly between 0 and 1.
    pub(super) fn of(value: f64) -> Costs {
        Costs { value: -value.ln(), negation: -(-value).ln_1p() }
    }

    pub(super) fn to_value(self) -> f64 {
        if self.value < self.negation { -(-self.negation).exp_m1() } else { (-self.value).exp() }
    }
}

/// The strict norm with its threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strict {
    pub(super) threshold: f64,
    /// -ln t.
    pub(super) holding: f64,
    /// -ln(1 - t).
    pub(super) failing: f64,
}

impl Strict {
    /// The least distance from 0 and from 1 of an operand that is not a conjunction.
    pub(super) const MARGIN: f64 = 1.0 / 1024.0;

    /// Costs up to this are kept as they are, in nats.
    pub(super) const PLAIN_COST: f64 = 16.0;
    /// How fast costs beyond are squeezed.
    pub(super) const SQUEEZE: f64 = 8.0;

    pub(super) fn new(threshold: f64) -> Strict {
        Strict { threshold, holding: -threshold.ln(), failing: -(-threshold).ln_1p() }
    }

    /// An operand kept away from 0 and 1, on its side of the threshold.
    pub(super) fn inside(&self, value: f64) -> f64 {
        let room = 1.0 - self.threshold;
        let part = (room - Strict::MARGIN) / room;
        if value > 0.5 {
            self.threshold + (value - self.threshold) * part
        } else {
            Strict::MARGIN + value * part
        }
    }

    /// T′ of members that cost so much in all.
    pub(super) fn conjunction(&self, holds: f64, fails: f64, breadth: f64) -> Costs {
        let share = holds / (breadth + holds);
        if fails == 0.0 {
            let missing = ((1.0 - self.threshold) * share).max(f64::MIN_POSITIVE);
            return Costs { value: -(-missing).ln_1p(), negation: -missing.ln() };
        }
        let cost = squeezed(fails + self.holding * share).max(self.failing);
        Costs { value: cost, negation: -(-(-cost).exp()).ln_1p() }
    }

    /// A condition's value as it is shown, and meets goal values.
    pub(super) fn shown(&self, costs: Costs) -> f64 {
        let low = |cost: f64| {
            let more = (cost - self.failing).max(0.0);
            (1.0 - self.threshold) / (1.0 + more)
        };
        if costs.value < costs.negation { 1.0 - low(costs.negation) } else { low(costs.value) }
    }
}

fn squeezed(cost: f64) -> f64 {
    let (plain, squeeze) = (Strict::PLAIN_COST, Strict::SQUEEZE);
    if cost <= plain { cost } else { plain + squeeze * ((cost - plain) / squeeze).ln_1p() }
}
