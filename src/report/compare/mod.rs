//! Compares two documents of one kind: additions, removals, changes, and estimates that differ significantly.
//!
//! # How
//! A document is split into named facts. Values and counts are equal or changed. An estimate has a 95 % interval; the
//! difference of two estimates is tested as that of two independent normal variables whose standard errors follow from the
//! intervals. Correlations are tested after Fisher's transform. Measurements of the same subjects, such as the seconds of a
//! sweep, are compared in pairs: Student's test of the mean logarithm of their ratios. Holm's correction applies to all
//! p-values together.
//!
//! Equal estimates are not tested: they come from the same random games. Functions with the same name and different
//! weights are different functions, and their estimates are not tested against each other. Weights that were learned with
//! different seeds differ by chance. If the seed is the same, different weights are a real change.
//!
//! Runs with different seeds are independent. Runs with one seed share their random games, so differences by chance are
//! smaller than the test assumes. The test then rejects too rarely, never too often.
//!
//! # Source
//! Fisher's transform: Fisher, "On the probable error of a coefficient of correlation deduced from a small sample", Metron
//! 1, 1921.

mod documents;
mod facts;
mod role_names;
mod verdict_changes;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use documents::DocumentKind;
use facts::{DocumentFacts, FactName, FactValue, p_value};
use role_names::{pair_roles, rename_roles};
pub use verdict_changes::VerdictChange;
use verdict_changes::{to_text, verdict_changes};

use crate::statistics::SIGNIFICANCE;
use crate::statistics::correction::holm;
use crate::statistics::interval;
use crate::statistics::quantile::{student, student_tail};

use super::analysis::with_title;
use super::layout::{Layout, counted, grouped, significant};

/// The number of rows that are shown for each kind of difference.
const SHOWN: usize = 40;

/// The number of characters of a fact that are shown.
const SHOWN_CHARACTERS: usize = 60;

/// The kinds of differences with their headings, in the order of the table.
const HEADINGS: [(ChangeKind, &str); 5] = [
    (ChangeKind::Significant, "Significant differences"),
    (ChangeKind::Changed, "Changed"),
    (ChangeKind::OtherFunction, "Learned with another seed: different functions"),
    (ChangeKind::OnlyInA, "Only in A"),
    (ChangeKind::OnlyInB, "Only in B"),
];

/// The name and version of the document.
pub const SCHEMA: &str = "ggp.comparison/1";

/// The reason why documents can't be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A side is empty.
    #[error("it has no document")]
    Empty,
    /// A document of another kind.
    #[error("a document {0} can't be compared; analyses, judged functions, tournaments and sweeps can")]
    Unknown(String),
    /// Documents of several kinds on one side.
    #[error("it has documents of several kinds; use one kind")]
    Mixed,
    /// The sides are of different kinds.
    #[error("{} can't be compared with {}", .0.name(), .1.name())]
    Kinds(DocumentKind, DocumentKind),
}

/// The kind of a difference between the first document and the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Only the second document has the fact.
    #[serde(rename = "came")]
    OnlyInB,
    /// Only the first document has the fact.
    #[serde(rename = "went")]
    OnlyInA,
    /// The value has changed.
    Changed,
    /// Two functions with the same name have different weights because they were learned with different seeds.
    OtherFunction,
    /// Two estimates differ significantly: p < 0.05 after Holm's correction.
    Significant,
    /// Two estimates differ, perhaps by chance.
    Chance,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// The section of the document.
    pub section: &'static str,
    /// The subject.
    pub name: String,
    /// The aspect of the subject; empty if it is the subject as a whole.
    pub aspect: String,
    /// The kind of difference.
    pub what: ChangeKind,
    /// The value in the first document; null if it has none.
    pub a: Option<String>,
    /// The value in the second document; null if it has none.
    pub b: Option<String>,
    /// The second number minus the first; for measurements the geometric mean of the ratios of the second to the first.
    pub change: Option<f64>,
    /// The p-value: the probability of such a difference, or a greater one, by chance.
    pub p: Option<f64>,
    /// The p-value after Holm's correction.
    pub p_holm: Option<f64>,
}

/// The comparison of two documents. The schema is `ggp.comparison/1`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DocumentComparison {
    /// The name and version of this document.
    pub schema: &'static str,
    /// The kind of the documents.
    pub kind: DocumentKind,
    /// The name of the first document.
    pub a: String,
    /// The name of the second document.
    pub b: String,
    /// If two analyses have different role names: the roles that are compared with each other, each with its name in the
    /// first document and in the second. All else of this document has the names of the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<[String; 2]>,
    /// For two analyses with verdicts, the differences of these; otherwise empty.
    pub verdict: Vec<VerdictChange>,
    /// All differences.
    pub differences: Vec<Difference>,
    /// The number of facts that are equal in both.
    pub same: u64,
    /// The number of estimates that can't be tested: only one document has them, or they belong to different functions.
    pub unpaired: u64,
    /// The number of tested estimates.
    pub tests: u64,
}

/// The JSON Schema of the document, with a line break at the end.
///
/// # Errors
/// Serialization fails; no known input causes this.
pub fn schema() -> Result<String, serde_json::Error> {
    with_title(schemars::schema_for!(DocumentComparison), SCHEMA)
}

impl DocumentComparison {
    /// Compares the documents of two sides, each with its name.
    ///
    /// # Errors
    /// Nothing to compare, or documents of different kinds.
    pub fn new(a: (&str, &[Value]), b: (&str, &[Value])) -> Result<DocumentComparison, CompareError> {
        let roles = match (a.1, b.1) {
            ([one], [other]) => pair_roles(one, other).unwrap_or_default(),
            _ => Vec::new(),
        };
        let renamed: Vec<Value>;
        let mut second = b.1;
        if !roles.is_empty() {
            renamed = second.iter().map(|document| rename_roles(document, &roles)).collect();
            second = &renamed;
        }
        let verdict = match (a.1, second) {
            ([one], [other]) if has_verdict(one) && has_verdict(other) => verdict_changes(one, other),
            _ => Vec::new(),
        };
        let (kind, first) = documents::facts(a.1)?;
        let (other, second) = documents::facts(second)?;
        if kind != other {
            return Err(CompareError::Kinds(kind, other));
        }
        let mut comparison = DocumentComparison {
            schema: SCHEMA,
            kind,
            a: a.0.to_owned(),
            b: b.0.to_owned(),
            roles,
            verdict,
            differences: Vec::new(),
            same: 0,
            unpaired: 0,
            tests: 0,
        };
        let other = comparison.compare_formulas(&first, &second);
        comparison.compare_facts(&first, &second, &other);
        comparison.compare_measurements(&first, &second);
        comparison.correct_p_values();
        Ok(comparison)
    }

    /// Whether the documents differ: an estimate significantly, or any other fact. Functions learned with different seeds
    /// are not compared.
    pub fn differs(&self) -> bool {
        let by_chance = |what| matches!(what, ChangeKind::Chance | ChangeKind::OtherFunction);
        self.differences.iter().any(|difference| !by_chance(difference.what))
    }

    /// The differences of one kind.
    pub fn of(&self, what: ChangeKind) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.what == what)
    }

    /// The document as JSON.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reports the features and functions whose formulas differ, and returns their sections and names.
    fn compare_formulas<'f>(
        &mut self,
        first: &'f DocumentFacts,
        second: &DocumentFacts,
    ) -> HashSet<(&'static str, &'f str)> {
        let mut other = HashSet::new();
        for ((section, name), (formula, learned)) in &first.formulas {
            let Some((there, _)) = second.formulas.get(&(*section, name.clone())) else { continue };
            if formula == there {
                self.same += 1;
                continue;
            }
            let key = FactName { section, name: name.clone(), aspect: "formula".to_owned() };
            let (a, b) = (Some(formula.clone()), Some(there.clone()));
            let anew = *learned && first.seeds != second.seeds;
            let what = if anew { ChangeKind::OtherFunction } else { ChangeKind::Changed };
            self.differences.push(Difference { a, b, ..aspect_difference(&key, what) });
            other.insert((*section, name.as_str()));
        }
        other
    }

    fn compare_facts(
        &mut self,
        first: &DocumentFacts,
        second: &DocumentFacts,
        other: &HashSet<(&'static str, &str)>,
    ) {
        let names = |facts: &DocumentFacts| -> HashSet<(&'static str, String)> {
            facts.facts.keys().map(|key| (key.section, key.name.clone())).collect()
        };
        let (first_subjects, second_subjects) = (names(first), names(second));
        let mut reported = HashSet::new();
        for (key, fact) in &first.facts {
            let subject = (key.section, key.name.clone());
            match second.facts.get(key) {
                Some(FactValue::FactEstimate(_)) if other.contains(&(key.section, key.name.as_str())) => {
                    self.unpaired += 1;
                }
                Some(there) => self.pair(key, fact, there),
                // A missing subject is one difference, whatever its aspects.
                None if !second_subjects.contains(&subject) => {
                    if reported.insert(subject) {
                        self.differences.push(subject_difference(key, ChangeKind::OnlyInA));
                    }
                }
                None => self.one_sided(
                    fact,
                    Difference { a: Some(value_text(fact)), ..aspect_difference(key, ChangeKind::OnlyInA) },
                ),
            }
        }
        for (key, fact) in second.facts.iter().filter(|(key, _)| !first.facts.contains_key(*key)) {
            let subject = (key.section, key.name.clone());
            if first_subjects.contains(&subject) {
                self.one_sided(
                    fact,
                    Difference { b: Some(value_text(fact)), ..aspect_difference(key, ChangeKind::OnlyInB) },
                );
            } else if reported.insert(subject) {
                self.differences.push(subject_difference(key, ChangeKind::OnlyInB));
            }
        }
    }

    /// Handles an aspect that only one side has for a subject of both. A missing estimate is not a difference: some functions
    /// were not tried in play.
    fn one_sided(&mut self, fact: &FactValue, difference: Difference) {
        match fact {
            FactValue::Text(_) => self.differences.push(difference),
            FactValue::FactEstimate(_) => self.unpaired += 1,
        }
    }

    fn pair(&mut self, key: &FactName, a: &FactValue, b: &FactValue) {
        if a == b {
            self.same += 1;
            return;
        }
        let sides = Difference {
            a: Some(value_text(a)),
            b: Some(value_text(b)),
            ..aspect_difference(key, ChangeKind::Changed)
        };
        self.differences.push(match (a, b) {
            (FactValue::FactEstimate(a), FactValue::FactEstimate(b)) => {
                let p = p_value(a, b);
                let what = if p.is_some() { ChangeKind::Chance } else { ChangeKind::Changed };
                Difference { what, change: Some(b.value - a.value), p, ..sides }
            }
            _ => sides,
        });
    }

    /// Compares measurements of the same subjects in pairs.
    fn compare_measurements(&mut self, first: &DocumentFacts, second: &DocumentFacts) {
        for (measure, values) in &first.measured {
            let Some(others) = second.measured.get(measure) else { continue };
            let pairs = values.iter().filter_map(|(name, a)| Some((a, others.get(name)?)));
            let logs: Vec<f64> = pairs.map(|(a, b)| (b / a).ln()).collect();
            let Some(mean) = interval::student(&logs) else { continue };
            let (Some(low), Some(high)) = (mean.low, mean.high) else { continue };
            let freedom = logs.len() as u64 - 1;
            let error = (high - low) / 2.0 / student(freedom);
            let p = if error > 0.0 { 2.0 * student_tail(mean.value.abs() / error, freedom) } else { 1.0 };
            let [low, high] = [low.exp(), high.exp()].map(significant);
            self.differences.push(Difference {
                section: "measured",
                name: measure.clone(),
                aspect: format!("ratio of B to A, mean of {} descriptions", logs.len()),
                what: ChangeKind::Chance,
                a: None,
                b: Some(format!("{} ({low} to {high})", significant(mean.value.exp()))),
                change: Some(mean.value.exp()),
                p: Some(p.min(1.0)),
                p_holm: None,
            });
        }
    }

    /// Applies Holm's correction and marks significant differences.
    fn correct_p_values(&mut self) {
        let tested: Vec<f64> = self.differences.iter().filter_map(|difference| difference.p).collect();
        self.tests = tested.len() as u64;
        let mut corrected = holm(&tested).into_iter();
        for difference in self.differences.iter_mut().filter(|difference| difference.p.is_some()) {
            difference.p_holm = corrected.next();
            if difference.p_holm.is_some_and(|p| p < SIGNIFICANCE) {
                difference.what = ChangeKind::Significant;
            }
        }
    }

    /// The differences of the verdicts as text, each line ended.
    pub fn verdict_table(&self, layout: Layout) -> String {
        let changes = match self.verdict.is_empty() {
            true => "  nothing changed\n".to_owned(),
            false => to_text(&self.verdict, layout),
        };
        let roles = self.roles_note().map_or_else(String::new, |note| layout.paragraph("", &note));
        let note = layout.paragraph("", "All differences of the two analyses: --format json.");
        format!("{}\n  A  {}\n  B  {}\n{changes}\n{roles}{note}", layout.strong("games"), self.a, self.b)
    }

    /// The comparison as text, each line ended.
    pub fn to_table(&self, layout: Layout) -> String {
        let mut out = format!("{}\n  A  {}\n  B  {}\n", layout.strong(self.kind.name()), self.a, self.b);
        out.push_str(&to_text(&self.verdict, layout));
        for (what, heading) in HEADINGS {
            let all: Vec<&Difference> = self.of(what).collect();
            if all.is_empty() {
                continue;
            }
            out.push_str(&format!("\n{}\n", layout.heading(heading)));
            let columns: &[&str] = match what {
                ChangeKind::Significant => &["", "", "", "A", "B", "p (Holm)"],
                _ => &["", "", "", "A", "B"],
            };
            out.push_str(&layout.table(columns, all.iter().take(SHOWN).map(|one| row(one)).collect()));
            if all.len() > SHOWN {
                let more = format!("{} more", grouped((all.len() - SHOWN) as u64));
                out.push_str(&layout.remark(&format!("  {more}: --format json, or --out PAGE.html\n")));
            }
        }
        out.push('\n');
        out.push_str(&layout.paragraph("", &self.closing()));
        out
    }

    /// Which roles are compared, if their names differ.
    fn roles_note(&self) -> Option<String> {
        let pairs: Vec<String> = self.roles.iter().map(|[a, b]| format!("{b} of B with {a} of A")).collect();
        let note = "The roles have different names, so they are compared by their order";
        (!pairs.is_empty()).then(|| format!("{note}: {}. The names are those of A.", pairs.join(", ")))
    }

    /// The closing sentences: the roles compared, and the numbers of equal facts and of insignificant differences.
    pub(in crate::report) fn closing(&self) -> String {
        let chance =
            counted(self.of(ChangeKind::Chance).count() as u64, "estimate differs", "estimates differ");
        let same = counted(self.same, "fact is equal", "facts are equal");
        let tests = counted(self.tests, "test", "tests");
        let roles = self.roles_note().map_or_else(String::new, |note| note + " ");
        format!(
            "{roles}{chance} insignificantly (p ≥ 0.05 after Holm's correction for {tests}); {same} in both."
        )
    }
}

/// Whether a document has a verdict.
fn has_verdict(document: &Value) -> bool {
    document.get("verdict").is_some_and(Value::is_object)
}

fn aspect_difference(key: &FactName, what: ChangeKind) -> Difference {
    Difference {
        section: key.section,
        name: key.name.clone(),
        aspect: key.aspect.clone(),
        what,
        a: None,
        b: None,
        change: None,
        p: None,
        p_holm: None,
    }
}

fn subject_difference(key: &FactName, what: ChangeKind) -> Difference {
    Difference { aspect: String::new(), ..aspect_difference(key, what) }
}

/// The text of a value.
fn value_text(fact: &FactValue) -> String {
    match fact {
        FactValue::Text(text) => text.clone(),
        FactValue::FactEstimate(found) => {
            let [value, low, high] = [found.value, found.low, found.high].map(significant);
            format!("{value} ({low} to {high})")
        }
    }
}

fn row(difference: &Difference) -> Vec<String> {
    let side = |text: &Option<String>| text.as_deref().map_or_else(String::new, cut_text);
    let mut row = vec![
        difference.name.clone(),
        difference.aspect.clone(),
        difference.section.to_owned(),
        side(&difference.a),
        side(&difference.b),
    ];
    if difference.what == ChangeKind::Significant {
        row.push(difference.p_holm.map_or_else(String::new, significant));
    }
    row
}

/// Cuts a long text.
fn cut_text(text: &str) -> String {
    let mut letters = text.chars();
    let begin: String = letters.by_ref().take(SHOWN_CHARACTERS).collect();
    if letters.next().is_some() { begin + "…" } else { begin }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn analysis(seed: u64, mean: f64, kind: &str) -> Value {
        json!({
            "schema": "ggp.analysis/1",
            "game": { "name": "nim", "rules": "abc", "machine": "network" },
            "simulation": {
                "seed": seed,
                "roles": [{ "role": "left", "goal_mean": { "mean": mean, "low": mean - 1.96, "high": mean + 1.96 } }],
            },
            "structures": { "fluents": [{ "fluent": "heap/2", "kind": kind, "evidence": {} }], "turns": "alternating" },
        })
    }

    fn compared(a: Value, b: Value) -> DocumentComparison {
        DocumentComparison::new(("A", &[a]), ("B", &[b])).unwrap()
    }

    #[test]
    fn equal_documents_have_no_difference() {
        let found = compared(analysis(1, 50.0, "quantity"), analysis(1, 50.0, "quantity"));
        assert!(!found.differs() && found.differences.is_empty() && found.same == 5, "{found:?}");
    }

    #[test]
    fn chance_is_distinguished_from_significance() {
        // The difference has the standard error √2: a difference of 2 is 1.41 standard errors, 8 is 5.66.
        let found = compared(analysis(1, 50.0, "quantity"), analysis(2, 52.0, "quantity"));
        let [difference] = &found.differences[..] else { panic!("{found:?}") };
        assert_eq!((difference.what, difference.change), (ChangeKind::Chance, Some(2.0)));
        assert!((difference.p.unwrap() - 0.1573).abs() < 1e-3 && !found.differs(), "{difference:?}");
        let found = compared(analysis(1, 50.0, "quantity"), analysis(2, 58.0, "quantity"));
        assert!(found.differences[0].what == ChangeKind::Significant && found.differs());
    }

    #[test]
    fn findings_change_appear_and_disappear() {
        let found = compared(analysis(1, 50.0, "quantity"), analysis(1, 50.0, "counter"));
        let [difference] = &found.differences[..] else { panic!("{found:?}") };
        assert_eq!((difference.what, difference.b.as_deref()), (ChangeKind::Changed, Some("counter")));
        let mut less = analysis(1, 50.0, "quantity");
        less["structures"]["fluents"] = json!([]);
        let found = compared(analysis(1, 50.0, "quantity"), less.clone());
        assert_eq!(
            found.of(ChangeKind::OnlyInA).map(|gone| gone.name.as_str()).collect::<Vec<_>>(),
            ["heap/2"]
        );
        assert_eq!(compared(less, analysis(1, 50.0, "quantity")).of(ChangeKind::OnlyInB).count(), 1);
    }

    #[test]
    fn functions_with_different_weights_are_different_functions() {
        let learned = |seed: u64, weight: f64, goal: f64| {
            let mut document = analysis(seed, 50.0, "quantity");
            let correlation = json!({ "correlation": goal, "low": goal - 0.01, "high": goal + 0.01 });
            document["evaluations"] = json!([{
                "id": "statistical.left", "kind": "statistical", "formula": format!("50 + {weight} * count (heap ?x ?y)"),
                "quality": { "goal": correlation },
            }]);
            document
        };
        for (seed, what) in [(2, ChangeKind::OtherFunction), (1, ChangeKind::Changed)] {
            let found = compared(learned(1, 0.25, 0.1), learned(seed, 0.5, 0.9));
            let [difference] = &found.differences[..] else { panic!("{found:?}") };
            assert_eq!((difference.what, found.tests, found.unpaired), (what, 0, 1), "{found:?}");
            assert_eq!((difference.section, difference.aspect.as_str()), ("functions", "formula"));
            assert_eq!(found.differs(), seed == 1);
        }
        // With the same weights the estimates are of one function.
        let found = compared(learned(1, 0.25, 0.1), learned(1, 0.25, 0.9));
        assert_eq!((found.tests, found.of(ChangeKind::Significant).count()), (1, 1), "{found:?}");
    }

    #[test]
    fn measurements_are_compared_in_pairs() {
        let rows = |factor: f64| -> Vec<Value> {
            let row = |number: u32| {
                let noise = 1.0 + 0.01 * f64::from(number % 3);
                json!({ "path": format!("{number}.kif"), "verdict": "ok", "timing": { "seconds": factor * noise } })
            };
            (1..=9).map(row).collect()
        };
        let mut slower = rows(2.0);
        // One ratio is changed, so that the ratios vary.
        slower[0]["timing"]["seconds"] = json!(2.2);
        let found = DocumentComparison::new(("A", &rows(1.0)), ("B", &slower)).unwrap();
        let [difference] = &found.differences[..] else { panic!("{found:?}") };
        assert_eq!(difference.what, ChangeKind::Significant);
        assert!((2.0..2.1).contains(&difference.change.unwrap()), "{difference:?}");
    }

    #[test]
    fn documents_of_different_kinds_are_rejected() {
        let row = json!({ "path": "a.kif", "verdict": "ok" });
        let both =
            DocumentComparison::new(("A", &[analysis(1, 1.0, "x")]), ("B", std::slice::from_ref(&row)));
        assert_eq!(both, Err(CompareError::Kinds(DocumentKind::Analyses, DocumentKind::Sweeps)));
        let unknown = json!({ "schema": "ggp.evaluation/1" });
        assert!(matches!(
            DocumentComparison::new(("A", &[unknown]), ("B", &[row])),
            Err(CompareError::Unknown(_))
        ));
    }
}
