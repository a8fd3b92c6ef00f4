//! The list of detectors, with the documentation that stands in their files.

/// A detector.
#[derive(Clone, Copy, Debug)]
pub struct Detector {
    /// Its name, that of its file.
    pub name: &'static str,
    /// What it finds, in a few words.
    pub title: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Its file; the lines that start with `//!` are its documentation.
    pub text: &'static str,
}

const KUHLMANN: &str = "Kuhlmann, Dresner and Stone 2006";
const SCHIFFEL: &str = "Schiffel and Thielscher 2007";

macro_rules! detector {
    ($name:literal, $title:literal, $source:expr) => {
        Detector { name: $name, title: $title, source: $source, text: include_str!(concat!($name, ".rs")) }
    };
}

/// All detectors, in the order in which they work.
pub const DETECTORS: &[Detector] = &[
    detector!("successor", "Successor relations", KUHLMANN),
    detector!("order", "Order relations", SCHIFFEL),
    detector!("axis", "The order of coordinates and values", KUHLMANN),
    detector!("counter", "Counters", KUHLMANN),
    detector!("control", "Control fluents", KUHLMANN),
    detector!("quantity", "Quantities", SCHIFFEL),
    detector!("board", "Boards and places", SCHIFFEL),
    detector!("thing", "Markers and pieces", KUHLMANN),
    detector!("turns", "Turns", KUHLMANN),
    detector!("noop", "Noops", KUHLMANN),
    detector!("team", "Teams and zero sums", KUHLMANN),
];

impl Detector {
    /// Its documentation, as Markdown.
    pub fn documentation(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//!"));
        lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_has_all_headings_in_order() {
        let headings = ["What it finds", "How", "Guarantee", "Cost", "Example", "Source"];
        for detector in DETECTORS {
            let text = detector.documentation();
            let found: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
            assert_eq!(found, headings, "{}", detector.name);
        }
    }
}
