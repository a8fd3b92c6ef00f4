//! The t-norms that are cut, and T′, their thresholded form; the default is in `strict`.
//!
//! # What it does
//! Values a conjunction by the values of its members, so that one that holds is worth at least the threshold `t`
//! and one that does not at most `1 - t`, however many members it has.
//!
//! # How
//! T′(a, b) = max(T(a, b), t) where min(a, b) > 0.5, else T(a, b); S′(a, b) = 1 - T′(1 - a, 1 - b). T′ is not
//! associative, so *which* members meet first matters; here they meet by descending value. Then the members that
//! hold come first, and what they give is held up at `t` before the others pull it down: the fold is
//! T(max(T(those that hold), t), those that don't), with T associative. So two sums of terms are all that a
//! conjunction needs, of the members that hold and of the others: of logarithms for the product, of (1 - a)^q for
//! Yager's family, of ones and values for the drastic product, which asks how many members are below 1 and, where it is
//! one, which. Terms are whole numbers of a small unit, so a sum is the same to the last bit in whatever order it
//! came about, and a member that changes is taken out and put in again (see `evaluate`).
//!
//! # Guarantee
//! If every member that holds is worth at least `t` and every other at most `1 - t`, the same is true of the result:
//! members that hold alone give max(.., t); with one that does not, T(a, b) <= min(a, b). The second half needs nothing
//! but that T is a t-norm, the first needs p >= t. Values are exact to about 1e-10 of themselves.
//!
//! # Cost
//! Two additions a member; a power, or a logarithm and its inverse, a conjunction.
//!
//! # Example
//! Seven of eight literals hold, p = 0.8, t = 0.75, product: max(0.8^7, 0.75) * 0.2 = 0.15; six: 0.03.
//!
//! # Source
//! Schiffel and Thielscher 2007. The lectures after it show T′ as a picture; what is said of it (a threshold above
//! which values count as true, the two bounds, that it is not associative) leaves little else, and the bounds were
//! checked here for the whole family. S(a, b) = (a^q + b^q)^(1/q) is cut at 1, as in Yager's definition: without
//! that T is below 0.
//! Values of p, t and q are not in the lectures: `reports/fuzzy_parameters/README.md` compares them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{Member, OptionType, OptionValue};

/// A t-norm: a conjunction over values in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Norm {
    /// 1 - min(1, ((1-a)^q + (1-b)^q)^(1/q)). Low q drives a conjunction to 0 for several members that don't hold;
    /// high q comes near the minimum.
    Yager {
        /// The exponent.
        q: f64,
    },
    /// The product, nowhere cut: a change of any member changes the conjunction, see `strict`.
    Strict,
    /// a * b.
    Product,
    /// The smaller of the two: how many members don't hold is not told.
    Minimum,
    /// max(0, a + b - 1), which is Yager's with q = 1.
    Lukasiewicz,
    /// The drastic product, the least of all t-norms: the other one where one of the two is 1, else 0. Its dual, the drastic
    /// sum, is the other one where one is 0, else 1.
    Drastic,
}

impl OptionType for Norm {
    fn value(self) -> OptionValue {
        match self {
            Norm::Yager { q } => OptionValue::Member("yager", Some(q)),
            Norm::Strict => OptionValue::Member("strict", None),
            Norm::Product => OptionValue::Member("product", None),
            Norm::Minimum => OptionValue::Member("minimum", None),
            Norm::Lukasiewicz => OptionValue::Member("lukasiewicz", None),
            Norm::Drastic => OptionValue::Member("drastic", None),
        }
    }

    fn of(value: OptionValue) -> Option<Norm> {
        match value {
            OptionValue::Member("yager", Some(q)) => Some(Norm::Yager { q }),
            OptionValue::Member("strict", None) => Some(Norm::Strict),
            OptionValue::Member("product", None) => Some(Norm::Product),
            OptionValue::Member("minimum", None) => Some(Norm::Minimum),
            OptionValue::Member("lukasiewicz", None) => Some(Norm::Lukasiewicz),
            OptionValue::Member("drastic", None) => Some(Norm::Drastic),
            _ => None,
        }
    }
}

impl Norm {
    /// All families, as options name them.
    pub(super) const MEMBERS: &'static [Member] = &[
        Member { name: "strict", number: None },
        Member { name: "product", number: None },
        Member { name: "minimum", number: None },
        Member { name: "lukasiewicz", number: None },
        Member { name: "drastic", number: None },
        Member { name: "yager", number: Some([Norm::LEAST_EXPONENT, Norm::GREATEST_EXPONENT]) },
    ];

    /// Least exponent of Yager's family that a user may ask for; conjunctions are 0 almost everywhere long before.
    pub const LEAST_EXPONENT: f64 = 0.01;

    /// Greatest exponent of Yager's family: 0.5^q must not vanish among terms. The family has come near the minimum
    /// long before.
    pub const GREATEST_EXPONENT: f64 = 40.0;

    /// T′ of two values, by the norms that are cut.
    pub(super) fn conjunction_of_two(self, a: f64, b: f64, threshold: f64) -> f64 {
        let value = match self {
            Norm::Strict | Norm::Product => a * b,
            Norm::Minimum => a.min(b),
            Norm::Lukasiewicz => a + b - 1.0,
            // A value that is 1 leaves the other as it is.
            Norm::Drastic if a.max(b) < 1.0 => 0.0,
            Norm::Drastic => a.min(b),
            Norm::Yager { q } => 1.0 - ((1.0 - a).powf(q) + (1.0 - b).powf(q)).powf(1.0 / q),
        };
        if a > 0.5 && b > 0.5 { value.max(threshold) } else { value.max(0.0) }
    }

    /// S′ of two values.
    pub(super) fn disjunction_of_two(self, a: f64, b: f64, threshold: f64) -> f64 {
        1.0 - self.conjunction_of_two(1.0 - a, 1.0 - b, threshold)
    }
}
