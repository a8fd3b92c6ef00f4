//! The value of a comparison.

use super::bind::Valued;
use super::evaluate::Evaluator;
use super::formula::Comparison;
use super::parameters::FuzzyParameters;

impl Evaluator<'_> {
    /// The value of a comparison of an order with so many elements.
    pub(super) fn compare(
        &self,
        relation: Comparison,
        left: &[Valued],
        right: &[Valued],
        length: f64,
    ) -> f64 {
        let FuzzyParameters { p, threshold, .. } = self.parameters;
        match self.lead(relation, left, right) {
            None => 0.0,
            Some((true, _)) if relation == Comparison::Equal => p,
            Some((true, steps)) => threshold + (1.0 - threshold) * steps / length,
            Some((false, steps)) => (1.0 - threshold) * (1.0 - steps / length),
        }
    }

    /// Whether a comparison holds, and by how many steps it does or does not; nothing where a side has no value.
    fn lead(&self, relation: Comparison, left: &[Valued], right: &[Valued]) -> Option<(bool, f64)> {
        let held = |list: &[Valued]| {
            let mut places = list.iter().filter(|&&(_, edge)| self.edge_holds(edge)).map(|&(place, _)| place);
            let first = places.next()?;
            Some(places.fold((first, first), |(low, high), place| (low.min(place), high.max(place))))
        };
        let (a, b) = (held(left)?, held(right)?);
        let steps = match relation {
            Comparison::Less | Comparison::AtMost => i64::from(b.1) - i64::from(a.0),
            Comparison::Greater | Comparison::AtLeast => i64::from(a.1) - i64::from(b.0),
            Comparison::Equal => {
                let of = |list: &[Valued]| {
                    let held = list.iter().filter(|&&(_, edge)| self.edge_holds(edge));
                    held.map(|&(place, _)| place).collect::<Vec<_>>()
                };
                let others = of(right);
                let nearest =
                    of(left).into_iter().flat_map(|a| others.iter().map(move |&b| a.abs_diff(b))).min()?;
                return Some((nearest == 0, f64::from(nearest)));
            }
        };
        let holds = match relation {
            Comparison::Less | Comparison::Greater => steps > 0,
            _ => steps >= 0,
        };
        Some((holds, steps.unsigned_abs() as f64))
    }
}
