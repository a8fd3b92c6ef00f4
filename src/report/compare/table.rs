//! A comparison for reading.

use super::{Comparison, Difference, What};
use crate::report::layout::{Layout, counted, significant};

/// Rows of a kind of differences that are shown.
const SHOWN: usize = 40;

/// Letters of a fact that are shown.
const LETTERS: usize = 60;

/// The kinds of differences in the order they are told in, with their headings.
const HEADINGS: [(What, &str); 5] = [
    (What::Significant, "Differs by more than chance"),
    (What::Changed, "Changed"),
    (What::OtherFunction, "Learned with another seed: different functions"),
    (What::Went, "Only in A"),
    (What::Came, "Only in B"),
];

impl Comparison {
    /// The whole as text, each line ended.
    pub fn to_table(&self, layout: Layout) -> String {
        let mut out = format!("{}\n  A  {}\n  B  {}\n", layout.strong(self.kind.name()), self.a, self.b);
        for (what, heading) in HEADINGS {
            let all: Vec<&Difference> = self.of(what).collect();
            if all.is_empty() {
                continue;
            }
            out.push_str(&format!("\n{}\n", layout.heading(heading)));
            let columns: &[&str] = match what {
                What::Significant => &["", "", "", "A", "B", "p (Holm)"],
                _ => &["", "", "", "A", "B"],
            };
            out.push_str(&layout.table(columns, all.iter().take(SHOWN).map(|one| row(one)).collect()));
            if all.len() > SHOWN {
                let more = counted((all.len() - SHOWN) as u64, "more", "more");
                out.push_str(&layout.remark(&format!("  {more}: --format json, or --out PAGE.html\n")));
            }
        }
        out.push('\n');
        out.push_str(&layout.paragraph("", &self.closing()));
        out
    }

    /// How much is alike.
    pub(in crate::report) fn closing(&self) -> String {
        let chance = counted(self.of(What::Chance).count() as u64, "estimate differs", "estimates differ");
        let same = counted(self.same, "fact is the same", "facts are the same");
        let tests = counted(self.tests, "test", "tests");
        format!("{chance} by no more than chance has it (p < 0.05 after Holm over {tests}); {same} in both.")
    }
}

fn row(found: &Difference) -> Vec<String> {
    let side = |text: &Option<String>| text.as_deref().map_or_else(String::new, short);
    let mut row = vec![
        found.name.clone(),
        found.aspect.clone(),
        found.section.to_owned(),
        side(&found.a),
        side(&found.b),
    ];
    if found.what == What::Significant {
        row.push(found.p_holm.map_or_else(String::new, significant));
    }
    row
}

/// The beginning of a long text.
fn short(text: &str) -> String {
    let mut letters = text.chars();
    let begin: String = letters.by_ref().take(LETTERS).collect();
    if letters.next().is_some() { begin + "…" } else { begin }
}
