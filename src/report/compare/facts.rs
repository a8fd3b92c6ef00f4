//! What a document says, taken apart: facts with a name, which two documents can be compared by.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The part of the document.
    pub(super) section: &'static str,
    /// The thing: a finding, a feature, a function, a player, a description.
    pub(super) name: String,
    /// What of it; empty where there is one thing to say.
    pub(super) aspect: String,
}

/// A fact.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fact {
    /// What is found or not, or counted: it is the same or it has changed.
    Text(String),
    /// A number with an interval at 95 %, which chance moves.
    Estimate(Estimate),
}

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether it is a correlation, whose errors are alike after Fisher's transform alone.
    pub(super) correlation: bool,
}

/// Kinds of functions whose weights are learned from play.
const LEARNED: [&str; 2] = ["statistical", "learned"];

/// The keys under which documents have the number of an interval.
const NUMBERS: [&str; 7] = ["value", "mean", "correlation", "share", "score", "elo", "goal"];

impl Estimate {
    /// A number and its interval, as documents have them; none where one of them is missing.
    pub(super) fn of(value: &Value) -> Option<Estimate> {
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        let (named, found) = NUMBERS.iter().find_map(|key| Some((*key, number(key)?)))?;
        let correlation = named == "correlation";
        Some(Estimate { value: found, low: number("low")?, high: number("high")?, correlation })
    }
}

/// All that a document, or several of one kind, say.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) facts: IndexMap<Key, Fact>,
    /// What each feature and function computes, weights included, by section and name; and whether it was learned from play.
    pub(super) formulas: IndexMap<(&'static str, String), (String, bool)>,
    /// The seeds of the play.
    pub(super) seeds: BTreeSet<u64>,
    /// Measurements that two documents have of the same things, such as seconds: by measure and thing.
    pub(super) measured: IndexMap<String, IndexMap<String, f64>>,
    /// Stands before each name, where several games come together.
    pub(super) prefix: String,
}

impl Facts {
    fn key(&self, section: &'static str, name: &str, aspect: &str) -> Key {
        Key { section, name: format!("{}{name}", self.prefix), aspect: aspect.to_owned() }
    }

    /// Adds what is found, if anything is.
    pub(super) fn text(&mut self, section: &'static str, name: &str, aspect: &str, value: &Value) {
        if !value.is_null() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.facts.insert(self.key(section, name, aspect), Fact::Text(text));
        }
    }

    /// Adds what a feature or function computes, if the document says it.
    pub(super) fn formula(&mut self, section: &'static str, of: &Value) {
        let [name, formula, kind] = ["id", "formula", "kind"].map(|key| of[key].as_str().unwrap_or_default());
        if !formula.is_empty() {
            let name = format!("{}{name}", self.prefix);
            self.formulas.insert((section, name), (formula.to_owned(), LEARNED.contains(&kind)));
        }
    }

    /// Adds the seed of the play.
    pub(super) fn seed(&mut self, value: &Value) {
        self.seeds.extend(value.as_u64());
    }

    /// Adds an estimate, if it is one.
    pub(super) fn estimate(&mut self, section: &'static str, name: &str, aspect: &str, value: &Value) {
        self.estimate_of(section, name, aspect, Estimate::of(value));
    }

    /// Adds a correlation that a document has as a value, if it is one.
    pub(super) fn correlation(&mut self, section: &'static str, name: &str, aspect: &str, value: &Value) {
        let found = Estimate::of(value).map(|found| Estimate { correlation: true, ..found });
        self.estimate_of(section, name, aspect, found);
    }

    fn estimate_of(&mut self, section: &'static str, name: &str, aspect: &str, found: Option<Estimate>) {
        if let Some(found) = found {
            self.facts.insert(self.key(section, name, aspect), Fact::Estimate(found));
        }
    }

    /// Adds a measurement, if it is a positive number.
    pub(super) fn measure(&mut self, measure: &str, name: &str, value: &Value) {
        if let Some(value) = value.as_f64().filter(|&value| value > 0.0) {
            self.measured.entry(measure.to_owned()).or_default().insert(name.to_owned(), value);
        }
    }
}
