//! The facts of a document: named values by which two documents are compared.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;

use crate::statistics::quantile::{normal, student_tail};

/// The name of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FactName {
    /// The section of the document.
    pub(super) section: &'static str,
    /// The subject: a finding, a feature, a function, a player or a description.
    pub(super) name: String,
    /// The aspect of the subject; empty if there is only one.
    pub(super) aspect: String,
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FactValue {
    /// A value that is equal or changed.
    Text(String),
    /// A number with a 95 % interval, which varies by chance.
    FactEstimate(FactEstimate),
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FactEstimate {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether it is a correlation, whose errors are nearly normal only after Fisher's transform.
    pub(super) correlation: bool,
}

/// Kinds of functions whose weights are learned from play.
const LEARNED: [&str; 2] = ["statistical", "learned"];

/// The keys that documents use for the number of an interval.
const NUMBERS: [&str; 7] = ["value", "mean", "correlation", "share", "score", "elo", "goal"];

impl FactEstimate {
    /// Reads a number and its interval; `None` if a part is missing.
    pub(super) fn of(value: &Value) -> Option<FactEstimate> {
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        let (named, found) = NUMBERS.iter().find_map(|key| Some((*key, number(key)?)))?;
        let correlation = named == "correlation";
        Some(FactEstimate { value: found, low: number("low")?, high: number("high")?, correlation })
    }
}

/// All facts of a document, or of several documents of one kind.
#[derive(Debug, Default)]
pub(super) struct DocumentFacts {
    pub(super) facts: IndexMap<FactName, FactValue>,
    /// The formula of each feature and function with its weights, by section and name; and whether the weights were learned
    /// from play.
    pub(super) formulas: IndexMap<(&'static str, String), (String, bool)>,
    /// The random seeds.
    pub(super) seeds: BTreeSet<u64>,
    /// Measurements, such as seconds, by measure and subject; two documents are compared in pairs.
    pub(super) measured: IndexMap<String, IndexMap<String, f64>>,
    /// The prefix of each name, if several games are read.
    pub(super) prefix: String,
}

impl DocumentFacts {
    fn key(&self, section: &'static str, name: &str, aspect: &str) -> FactName {
        FactName { section, name: format!("{}{name}", self.prefix), aspect: aspect.to_owned() }
    }

    /// Adds a value, unless it is null.
    pub(super) fn text(&mut self, section: &'static str, name: &str, aspect: &str, value: &Value) {
        if !value.is_null() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.facts.insert(self.key(section, name, aspect), FactValue::Text(text));
        }
    }

    /// Adds the formula of a feature or function, if the document has it.
    pub(super) fn formula(&mut self, section: &'static str, value: &Value) {
        let [name, formula, kind] =
            ["id", "formula", "kind"].map(|key| value[key].as_str().unwrap_or_default());
        if !formula.is_empty() {
            let name = format!("{}{name}", self.prefix);
            self.formulas.insert((section, name), (formula.to_owned(), LEARNED.contains(&kind)));
        }
    }

    /// Adds a random seed.
    pub(super) fn seed(&mut self, value: &Value) {
        self.seeds.extend(value.as_u64());
    }

    /// Adds a number with its interval, if both exist.
    pub(super) fn estimate(&mut self, section: &'static str, name: &str, aspect: &str, value: &Value) {
        self.estimate_of(section, name, aspect, FactEstimate::of(value));
    }

    /// Adds a correlation that a document stores under `value`, if it has an interval.
    pub(super) fn correlation(&mut self, section: &'static str, name: &str, aspect: &str, value: &Value) {
        let found = FactEstimate::of(value).map(|found| FactEstimate { correlation: true, ..found });
        self.estimate_of(section, name, aspect, found);
    }

    fn estimate_of(&mut self, section: &'static str, name: &str, aspect: &str, found: Option<FactEstimate>) {
        if let Some(found) = found {
            self.facts.insert(self.key(section, name, aspect), FactValue::FactEstimate(found));
        }
    }

    /// Adds a measurement, if it is a positive number.
    pub(super) fn measure(&mut self, measure: &str, name: &str, value: &Value) {
        if let Some(value) = value.as_f64().filter(|&value| value > 0.0) {
            self.measured.entry(measure.to_owned()).or_default().insert(name.to_owned(), value);
        }
    }
}

/// The p-value of the difference of two estimates; `None` if an interval has no usable standard error.
pub(super) fn p_value(a: &FactEstimate, b: &FactEstimate) -> Option<f64> {
    let scaled = |found: &FactEstimate| {
        let on =
            |value: f64| if found.correlation { value.clamp(-0.999_999, 0.999_999).atanh() } else { value };
        (on(found.value), (on(found.high) - on(found.low)) / 2.0 / normal())
    };
    let ((first, first_error), (second, second_error)) = (scaled(a), scaled(b));
    let error = first_error.hypot(second_error);
    let z = (second - first).abs() / error;
    // With this many degrees of freedom, Student's distribution is the normal one.
    (error > 0.0 && z.is_finite()).then(|| (2.0 * student_tail(z, u64::MAX)).min(1.0))
}
