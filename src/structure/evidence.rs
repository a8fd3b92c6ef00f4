//! Making [`Evidence`].

use super::finding::{Evidence, Method};
use crate::statistics::SIGNIFICANCE;

/// Upper bound, at 95 % confidence, on the chance that a random playout holds something that none of `playouts`
/// playouts held: the share p with (1-p)^playouts = 0.05. It is 1 without playouts.
pub fn counterexample_bound(playouts: u64) -> f64 {
    if playouts == 0 { 1.0 } else { 1.0 - SIGNIFICANCE.powf(1.0 / playouts as f64) }
}

/// How much was sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// States looked at, the same state each time it came up.
    pub states: u64,
    /// Playouts they come from.
    pub playouts: u64,
}

impl Extent {
    /// Adds what was sampled elsewhere.
    pub fn add(&mut self, more: Extent) {
        self.states += more.states;
        self.playouts += more.playouts;
    }

    /// Evidence that rests on these samples, and on `others`.
    pub fn evidence(self, others: &[Method], because: String) -> Evidence {
        let mut methods = others.to_vec();
        methods.push(Method::Simulation);
        methods.sort_unstable();
        methods.dedup();
        Evidence {
            methods,
            because,
            states: self.states,
            playouts: self.playouts,
            counterexample_bound: counterexample_bound(self.playouts),
            proof: None,
        }
    }
}

/// Evidence that needs no samples.
pub fn without_samples(methods: &[Method], because: String) -> Evidence {
    let mut methods = methods.to_vec();
    methods.sort_unstable();
    methods.dedup();
    Evidence { methods, because, states: 0, playouts: 0, counterexample_bound: 0.0, proof: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_rule_of_three() {
        assert_eq!(counterexample_bound(0), 1.0);
        assert!((counterexample_bound(1) - 0.95).abs() < 1e-12);
        assert!((counterexample_bound(10_000) - 3.0 / 10_000.0).abs() < 1e-6);
        assert!(((1.0 - counterexample_bound(77)).powi(77) - 0.05).abs() < 1e-12);
    }
}
