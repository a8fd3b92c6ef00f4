//! The half-saturation constants of nodes, for the strict norm: the sum of costs at which a node's value is in the
//! middle of its range.
//!
//! With one constant for all nodes, a disjunction of many alternatives with few parts each would be near its bound in
//! every state. So its constant is half of the sum of its alternatives' values in a state in which no fluent holds;
//! each of these values is (1 - p) to the power of the number of parts. The constant is at least 1 - t, for which few
//! members add up as under the product.

use super::bind::BoundFormula;
use super::kinds::Junction;
use super::mention::Edge;
use super::parameters::FuzzyParameters;

/// Limit of the number of parts; more count as this number.
const MOST_PARTS: f64 = 30.0;

/// The number of leaves that have to hold for a node to fail, and for it to hold.
#[derive(Clone, Copy)]
struct Parts([f64; 2]);

/// The constant of every node.
pub(super) fn half_saturations(bound: &BoundFormula<'_, '_>, parameters: &FuzzyParameters) -> Vec<f64> {
    let least = 1.0 - parameters.threshold;
    // A member of the same loop may come later: it counts as one part.
    let mut parts = vec![Parts([1.0; 2]); bound.count()];
    let mut half_saturations = vec![least; bound.count()];
    for node in 0..bound.nodes.len() {
        let members = bound.members(node);
        // A conjunction fails like a disjunction, and the other way round.
        let any = match bound.junction(node) {
            Some(Junction::All) => 1,
            Some(Junction::Any) => 0,
            None => continue,
        };
        let of = |edge: Edge, truth: usize| parts[(edge >> 1) as usize].0[truth ^ (edge & 1) as usize];
        let alone = members.iter().map(|&edge| of(edge, any)).fold(f64::INFINITY, f64::min);
        let together: f64 = members.iter().map(|&edge| of(edge, 1 - any)).sum();
        let weight: f64 = members.iter().map(|&edge| (1.0 - parameters.p).powf(of(edge, any))).sum();
        let mut constants = [1.0; 2];
        constants[any] = alone.clamp(1.0, MOST_PARTS);
        constants[1 - any] = together.clamp(1.0, MOST_PARTS);
        parts[node] = Parts(constants);
        half_saturations[node] = least.max(weight / 2.0);
    }
    half_saturations
}
