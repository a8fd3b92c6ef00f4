//! The cost of evaluation functions compared with play, as a table and as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::layout::Layout;

/// The cost of one function of a game.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvaluationSpeed {
    /// The game.
    pub game: String,
    /// The machine that plays it: `network` or `relational`.
    pub machine: String,
    /// The function.
    pub function: String,
    /// Its kind.
    pub kind: String,
    /// The number of functions of this kind. Except for fuzzy functions, only the slowest one of a kind is reported.
    pub functions: usize,
    /// Evaluations per second of processor time, including reading the facts.
    pub evaluations_per_cpu_second: f64,
    /// Steps per second of processor time: successor, legal moves, terminal and goals.
    pub steps_per_cpu_second: f64,
    /// Evaluations in the time of one step, at most [`EvaluationSpeed::MOST_RATIO`].
    pub ratio: f64,
    /// Children per second of processor time if all children of a state are made together, in lanes if that is faster.
    pub children_per_cpu_second: f64,
    /// Evaluations of children in lanes per second of processor time; null if lanes can't compute the function or don't suit
    /// the game.
    pub in_lanes_per_cpu_second: Option<f64>,
    /// States loaded into lanes and evaluated by the rules per second of processor time, which comes before the evaluation.
    pub loaded_per_cpu_second: Option<f64>,
    /// The number of evaluated states, from random playouts.
    pub states: usize,
}

impl EvaluationSpeed {
    /// The greatest ratio that is reported; above it, an evaluation is too cheap to measure.
    pub const MOST_RATIO: f64 = 100.0;
}

/// The document of `ggp bench --evaluations`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EvaluationSpeeds {
    /// The functions, sorted by `ratio`, lowest first.
    pub rows: Vec<EvaluationSpeed>,
}

/// The line below the table that explains its columns.
const CAPTION: &str = "evaluations, steps, children, in lanes, loaded: per second of processor time. x step, x child: \
                       evaluations in the time of one step or child. in lanes: evaluations of states that are in lanes \
                       already. loaded: states that are put into lanes and evaluated by the rules. Except for fuzzy \
                       functions, only the slowest function of a kind is listed.";

/// Formats a number per second.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e3 => format!("{:.1} k", v / 1e3),
        v => format!("{v:.1}"),
    }
}

fn times(ratio: f64) -> String {
    match ratio {
        r if r >= EvaluationSpeed::MOST_RATIO => "100+".to_owned(),
        r if r >= 10.0 => format!("{r:.0}"),
        r => format!("{r:.2}"),
    }
}

impl EvaluationSpeeds {
    /// Sorts the rows by ratio, lowest first.
    pub fn sort(&mut self) {
        self.rows.sort_by(|a, b| {
            let name = |row: &EvaluationSpeed| (row.game.clone(), row.function.clone());
            a.ratio.total_cmp(&b.ratio).then_with(|| name(a).cmp(&name(b)))
        });
    }

    /// The rows as a table.
    pub fn table(&self, layout: &Layout) -> String {
        let cells = |row: &EvaluationSpeed| {
            vec![
                row.game.clone(),
                row.function.clone(),
                short(row.evaluations_per_cpu_second),
                short(row.steps_per_cpu_second),
                times(row.ratio),
                short(row.children_per_cpu_second),
                times(row.evaluations_per_cpu_second / row.children_per_cpu_second),
                row.in_lanes_per_cpu_second.map(short).unwrap_or_default(),
                row.loaded_per_cpu_second.map(short).unwrap_or_default(),
            ]
        };
        let header = [
            "game",
            "function",
            "evaluations",
            "steps",
            "x step",
            "children",
            "x child",
            "in lanes",
            "loaded",
        ];
        let mut out = layout.table(&header, self.rows.iter().map(cells).collect());
        out.push_str(&format!("\n{}", layout.paragraph("  ", CAPTION)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_is_first() {
        let row = |function: &str, ratio: f64| EvaluationSpeed {
            game: "game".to_owned(),
            machine: "network".to_owned(),
            function: function.to_owned(),
            kind: "fuzzy".to_owned(),
            functions: 2,
            evaluations_per_cpu_second: 1e6 * ratio,
            steps_per_cpu_second: 1e6,
            ratio,
            children_per_cpu_second: 5e6,
            in_lanes_per_cpu_second: Some(300e6),
            loaded_per_cpu_second: Some(40e6),
            states: 2000,
        };
        let mut speeds =
            EvaluationSpeeds { rows: vec![row("quick", 100.0), row("slow", 0.5), row("fair", 2.0)] };
        speeds.sort();
        let table = speeds.table(&Layout::plain());
        let functions: Vec<&str> =
            table.lines().skip(1).take(3).map(|line| line.split_whitespace().nth(1).unwrap()).collect();
        assert_eq!(functions, ["slow", "fair", "quick"]);
        assert!(table.contains("100+") && table.contains("0.50") && table.contains("500.0 k"), "{table}");
    }
}
