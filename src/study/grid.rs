//! A grid of parameters for fuzzy functions.

use serde::Deserialize;

use crate::evaluation::fuzzy::{FuzzyParameters, Norm};

/// Parameters to be tried: every combination of the listed values. Parameters without a list have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grid {
    /// Fuzzy values of a fluent that holds.
    pub p: Vec<f64>,
    /// Thresholds.
    pub threshold: Vec<f64>,
    /// T-norms.
    pub norm: Vec<Norm>,
    /// Whether comparisons are fuzzy.
    pub comparisons: Vec<bool>,
    /// Whether boards are fuzzy.
    pub boards: Vec<bool>,
    /// Whether quantities are fuzzy.
    pub quantities: Vec<bool>,
    /// Whether goals of opponents count.
    pub opponents: Vec<bool>,
    /// Steps of regression of fluents.
    pub regression: Vec<u64>,
}

fn listed<T: Copy>(values: &[T], default: T) -> Vec<T> {
    if values.is_empty() { vec![default] } else { values.to_vec() }
}

impl Grid {
    /// All combinations; the first list changes slowest. Impossible ones, with p below the threshold, are left out.
    pub fn settings(&self) -> Vec<FuzzyParameters> {
        let base = FuzzyParameters::default();
        let mut settings = vec![base];
        let mut each = |change: &dyn Fn(FuzzyParameters) -> Vec<FuzzyParameters>| {
            settings = settings.iter().flat_map(|&setting| change(setting)).collect();
        };
        each(&|setting| listed(&self.p, base.p).iter().map(|&p| FuzzyParameters { p, ..setting }).collect());
        each(&|setting| {
            let listed = listed(&self.threshold, base.threshold);
            listed.iter().map(|&threshold| FuzzyParameters { threshold, ..setting }).collect()
        });
        each(&|setting| {
            listed(&self.norm, base.norm).iter().map(|&norm| FuzzyParameters { norm, ..setting }).collect()
        });
        each(&|setting| {
            let listed = listed(&self.comparisons, base.comparisons);
            listed.iter().map(|&comparisons| FuzzyParameters { comparisons, ..setting }).collect()
        });
        each(&|setting| {
            let listed = listed(&self.boards, base.boards);
            listed.iter().map(|&boards| FuzzyParameters { boards, ..setting }).collect()
        });
        each(&|setting| {
            let listed = listed(&self.quantities, base.quantities);
            listed.iter().map(|&quantities| FuzzyParameters { quantities, ..setting }).collect()
        });
        each(&|setting| {
            let listed = listed(&self.opponents, base.opponents);
            listed.iter().map(|&opponents| FuzzyParameters { opponents, ..setting }).collect()
        });
        each(&|setting| {
            let listed = listed(&self.regression, base.regression);
            listed.iter().map(|&regression| FuzzyParameters { regression, ..setting }).collect()
        });
        settings.retain(|setting| setting.validate().is_ok());
        settings
    }

    /// The first value outside its range, in a sentence.
    pub fn fault(&self) -> Option<String> {
        let base = FuzzyParameters { p: 0.999_999, ..FuzzyParameters::default() };
        let thresholds = self.threshold.iter().map(|&threshold| FuzzyParameters { threshold, ..base });
        let norms = self.norm.iter().map(|&norm| FuzzyParameters { norm, ..base });
        let values = self.p.iter().map(|&p| FuzzyParameters { p, threshold: 0.500_001, ..base });
        let fault = thresholds.chain(norms).chain(values).find_map(|setting| setting.validate().err());
        match fault {
            Some(fault) => Some(fault.to_string()),
            None if self.settings().is_empty() => {
                Some("every p of it is below every threshold, so nothing can be tried".to_owned())
            }
            None => None,
        }
    }
}

/// A short text that distinguishes a combination from others.
pub(super) fn label(setting: &FuzzyParameters) -> String {
    let FuzzyParameters { p, threshold, norm, comparisons, boards, quantities, opponents, regression } =
        *setting;
    let norm = match norm {
        Norm::Yager { q } => format!("yager {q}"),
        Norm::Strict => "strict".to_owned(),
        Norm::Product => "product".to_owned(),
        Norm::Minimum => "minimum".to_owned(),
        Norm::Lukasiewicz => "lukasiewicz".to_owned(),
        Norm::Drastic => "drastic".to_owned(),
    };
    let mut label = format!("p {p}, t {threshold}, {norm}");
    let without = [
        (comparisons, "comparisons"),
        (boards, "boards"),
        (quantities, "quantities"),
        (opponents, "opponents"),
    ];
    for (_, leaf) in without.iter().filter(|(on, _)| !on) {
        label.push_str(&format!(", no {leaf}"));
    }
    if regression > 0 {
        label.push_str(&format!(", regression {regression}"));
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_combinations_are_omitted() {
        let grid = Grid { p: vec![0.6, 0.9], threshold: vec![0.55, 0.8], ..Grid::default() };
        let labels: Vec<String> = grid.settings().iter().map(label).collect();
        let pairs: Vec<&str> = labels.iter().map(|label| &label[..12]).collect();
        assert_eq!(pairs, ["p 0.6, t 0.5", "p 0.9, t 0.5", "p 0.9, t 0.8"]);
        assert_eq!(grid.fault(), None);
        assert_eq!(Grid::default().settings(), [FuzzyParameters::default()]);
    }

    #[test]
    fn out_of_range_values_are_named() {
        let fault = |grid: Grid| grid.fault().unwrap_or_default();
        assert!(fault(Grid { threshold: vec![0.4], ..Grid::default() }).contains("the threshold is 0.4"));
        assert!(fault(Grid { p: vec![1.5], ..Grid::default() }).contains("p is 1.5"));
        assert!(fault(Grid { norm: vec![Norm::Yager { q: -1.0 }], ..Grid::default() }).contains("q is -1"));
        let low = Grid { p: vec![0.6], threshold: vec![0.8], ..Grid::default() };
        assert!(fault(low).contains("below every threshold"));
    }
}
