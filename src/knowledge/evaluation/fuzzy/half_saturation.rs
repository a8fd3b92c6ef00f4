//! How much the members of a node add by its shape alone, for the strict norm.
//!
//! A disjunction of many alternatives, each of few parts, is near its bound whatever the state; one of few alternatives
//! of many parts is not. The half_saturation of a node says where the middle of its range lies: half of what its alternatives
//! add up to where no fluent helps, each worth (1 - p) to the power of its parts, and 1 - t at least, with which few
//! members add as they do under the product.

use super::bind::BoundFormula;
use super::kinds::Junction;
use super::mention::Edge;
use super::parameters::FuzzyParameters;

/// More parts than these make no difference.
const MOST_PARTS: f64 = 30.0;

/// Leaves that have to hold for a node to hold, and for it not to.
#[derive(Clone, Copy)]
struct Parts([f64; 2]);

/// The half_saturation of every node.
pub(super) fn half_saturations(bound: &BoundFormula<'_, '_>, parameters: &FuzzyParameters) -> Vec<f64> {
    let least = 1.0 - parameters.threshold;
    // A mention within a loop may come before what it mentions: one part then.
    let mut parts = vec![Parts([1.0; 2]); bound.count()];
    let mut half_saturations = vec![least; bound.count()];
    for node in 0..bound.nodes.len() {
        let members = bound.members(node);
        // What makes a conjunction fail is a disjunction, and the other way round.
        let any = match bound.junction(node) {
            Some(Junction::All) => 1,
            Some(Junction::Any) => 0,
            None => continue,
        };
        let of = |edge: Edge, truth: usize| parts[(edge >> 1) as usize].0[truth ^ (edge & 1) as usize];
        let alone = members.iter().map(|&edge| of(edge, any)).fold(f64::INFINITY, f64::min);
        let together: f64 = members.iter().map(|&edge| of(edge, 1 - any)).sum();
        let weight: f64 = members.iter().map(|&edge| (1.0 - parameters.p).powf(of(edge, any))).sum();
        let mut found = [1.0; 2];
        found[any] = alone.clamp(1.0, MOST_PARTS);
        found[1 - any] = together.clamp(1.0, MOST_PARTS);
        parts[node] = Parts(found);
        half_saturations[node] = least.max(weight / 2.0);
    }
    half_saturations
}
