//! The solution of a state, as text and as JSON.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Number;

use crate::analysis::nim_sum_sentence;
use crate::gdl::Negation;
use crate::machine::Machine;
use crate::search::{Solution, Solver, Stop};
use crate::structure::evidence::Evidence;
use crate::structure::finding::Structures;
use crate::structure::vocabulary::Kif;

use super::layout::{Layout, counted, significant};

/// A solution, with roles and moves as the rules write them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolutionDocument {
    /// How negated literals of the rules are evaluated: `language` or `in-place` (`--negation`).
    pub negation: Negation,
    /// Whether the value of every role is proved.
    pub proved: bool,
    /// The meaning of the values.
    pub kind: ValueKind,
    /// For each role, in the order of the rules, the goal value that it can force; null if it is not proved.
    #[serde(serialize_with = "write_without_fraction")]
    pub values: IndexMap<String, Option<f64>>,
    /// Only with `mixed` values: for each role the goal value that it can force without random choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pure: Option<IndexMap<String, Option<i32>>>,
    /// Only with `mixed` values: for each role the probabilities of its first moves in best play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixtures: Option<IndexMap<String, Vec<MoveShare>>>,
    /// Teams of several roles, which choose together: roles with equal goal values in all random games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<Vec<String>>,
    /// The evidence for the teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teams_evidence: Option<Evidence<Kif>>,
    /// Joint moves of best play, a move for every role in the order of the rules.
    pub line: Vec<Vec<String>>,
    /// Whether it is proved that no shorter line reaches this value; only in single-player games.
    pub shortest: bool,
    /// The number of visited states.
    pub nodes: u64,
    /// The solver: `alpha-beta`, `all-states` (backward induction), `bounds` (proofs of bounds), `grundy-numbers` (of
    /// the parts of a sum), `parts`, `breadth-first`, `relaxed` (best-first by delete relaxation), `best-first`,
    /// `mixed`, or `chance` (alpha-beta with random moves).
    pub solver: Solver,
    /// Only with the solver `grundy-numbers`: the Grundy number of each part in the initial state. The role to move wins if their
    /// exclusive or, `nim_sum`, is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grundy_numbers: Option<Vec<u32>>,
    /// Only with the solver `grundy-numbers`: the exclusive or of `grundy_numbers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nim_sum: Option<u32>,
    /// The reasons why other solvers did not succeed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// For each role without a proved value, why the search ended.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stopped: BTreeMap<String, Stop>,
    /// The time that the solver took.
    pub timing: SolutionTiming,
}

/// The meaning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// The goal value that a role can force. If moves are simultaneous, the role can force it even if the others know
    /// its choices.
    Pure,
    /// The expected goal value that a role can force by random choices.
    Mixed,
    /// The expected goal value that a role can force if `random` draws its moves.
    Chance,
}

/// The probability of a move.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MoveShare {
    /// The move.
    #[serde(rename = "move")]
    pub action: String,
    /// The probability, from 0 to 1.
    pub share: f64,
}

/// Writes whole numbers without a fraction.
fn write_without_fraction<S: Serializer>(
    values: &IndexMap<String, Option<f64>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(values.iter().map(|(role, value)| {
        let whole = value.filter(|value| value.fract() == 0.0).map(|value| (value as i64).into());
        (role, whole.or_else(|| value.and_then(Number::from_f64)))
    }))
}

/// The time that the solver took. It depends on the computer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolutionTiming {
    /// The time in seconds.
    pub seconds: f64,
}

impl SolutionDocument {
    /// Makes the document of a solution, with the teams if they are known.
    pub fn new(
        machine: &dyn Machine,
        structures: Option<&Structures>,
        solution: &Solution,
    ) -> SolutionDocument {
        let names: Vec<String> =
            machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        let teams = structures.iter().flat_map(|structures| &structures.teams).filter(|team| team.len() > 1);
        let teams: Vec<Vec<String>> =
            teams.map(|team| team.iter().map(|&role| names[role].clone()).collect()).collect();
        let mixed = solution.roles.iter().any(|role| role.mixed.is_some());
        // The value of each role, and why the search for it ended.
        let ends = solution.roles.iter().map(|role| match &role.mixed {
            Some(mixed) => (mixed.value, mixed.stop),
            // A value that holds even if the others know the moves also holds for mixed strategies.
            None => (role.value.map(f64::from), role.stop),
        });
        let ends: Vec<(Option<f64>, Stop)> = ends.collect();
        let named = || names.iter().cloned();
        let open = named().zip(&ends).filter(|(_, (value, _))| value.is_none());
        let text = |joint: &Vec<_>| joint.iter().map(|&action| machine.move_text(action)).collect();
        let shares = solution.roles.iter().map(|role| {
            let moves = role.mixed.iter().flat_map(|mixed| &mixed.mixture);
            moves.map(|&(action, share)| MoveShare { action: machine.move_text(action), share }).collect()
        });
        SolutionDocument {
            negation: machine.description().negation,
            proved: solution.proved(),
            kind: match solution.solver {
                Solver::Chance => ValueKind::Chance,
                _ if mixed => ValueKind::Mixed,
                _ => ValueKind::Pure,
            },
            stopped: open.map(|(name, (_, stop))| (name, *stop)).collect(),
            values: named().zip(ends.iter().map(|(value, _)| *value)).collect(),
            pure: (mixed && solution.solver != Solver::Chance)
                .then(|| named().zip(solution.roles.iter().map(|role| role.value)).collect()),
            mixtures: mixed.then(|| named().zip(shares).collect()),
            teams_evidence: structures
                .filter(|_| !teams.is_empty())
                .map(|structures| structures.teams_evidence.in_kif(machine)),
            teams,
            line: solution.principal_variation.iter().map(text).collect(),
            shortest: solution.shortest,
            nodes: solution.nodes,
            solver: solution.solver,
            grundy_numbers: solution.nim_sum.as_ref().map(|of| of.grundy_numbers.clone()),
            nim_sum: solution.nim_sum.as_ref().map(|of| of.nim_sum),
            notes: solution.notes.clone(),
            timing: SolutionTiming { seconds: solution.took.as_secs_f64() },
        }
    }

    /// The document, with a line break at the end.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The values, and the line of play with a row per step.
    pub fn text(&self, layout: Layout) -> String {
        let mut out = self.values_text(layout);
        let drawn = self.mixtures.iter().flatten().filter(|(_, moves)| moves.len() > 1);
        let drawn = drawn.flat_map(|(role, moves)| {
            moves.iter().map(|first| {
                vec![role.clone(), first.action.clone(), format!("{:.2} %", 100.0 * first.share)]
            })
        });
        let drawn: Vec<Vec<String>> = drawn.collect();
        if !drawn.is_empty() {
            out.push_str("Best first moves, with their probabilities\n");
            out.push_str(&layout.table(&["role", "move", "probability"], drawn));
        }
        if !self.line.is_empty() {
            out.push_str(&self.line_text(layout));
        }
        for team in &self.teams {
            let because = self.teams_evidence.iter().map(|evidence| format!(": {}", evidence.reason));
            out.push_str(&format!("{} are a team{}\n", team.join(" and "), because.collect::<String>()));
        }
        if let (Some(numbers), Some(sum)) = (&self.grundy_numbers, self.nim_sum) {
            out.push_str(&format!("{}\n", nim_sum_sentence(numbers, sum)));
        }
        for note in &self.notes {
            out.push_str(&format!("{note}\n"));
        }
        let (states, seconds) = (counted(self.nodes, "state", "states"), self.timing.seconds);
        out.push_str(&format!("{states} in {seconds:.2} s, by {}\n", self.solver_name()));
        out
    }

    /// The name of the solver.
    fn solver_name(&self) -> &'static str {
        match self.solver {
            Solver::AlphaBeta => "alpha-beta",
            Solver::AllStates => "backward induction over all states",
            Solver::Bounds => "proofs of bounds",
            Solver::GrundyNumbers => "Grundy numbers of each part",
            Solver::Parts => "breadth-first search of each part alone",
            Solver::BreadthFirst => "breadth-first search",
            Solver::Relaxed => "best-first search by delete relaxation",
            Solver::BestFirst => "best-first search",
            Solver::Mixed => "mixed strategies",
            Solver::Chance => "alpha-beta with chance",
        }
    }

    /// Whether a role's value assumes that several other roles play against it together.
    fn is_against_several(&self) -> bool {
        let one_team = self.teams.iter().any(|team| team.len() == self.values.len());
        self.values.len() > 2 && !one_team
    }

    /// The opponents of a role, in words.
    fn others(&self) -> &'static str {
        if self.teams.is_empty() { "all others" } else { "all other teams" }
    }

    /// The value of each role, and the best first moves in games with chance.
    fn values_text(&self, layout: Layout) -> String {
        let rows = self.values.iter().map(|(role, value)| {
            let shown = value.map_or_else(|| "not proved".to_owned(), significant);
            let why = self.stopped.get(role).map_or("proved", |stop| match stop {
                Stop::Time => "time limit reached",
                Stop::Nodes => "node limit reached",
                Stop::Memory => "memory limit reached",
                Stop::Interrupted => "interrupted",
                Stop::Solved if self.kind == ValueKind::Chance => "moves at random",
                Stop::Depth | Stop::Solved => "depth limit reached",
            });
            let pure = self
                .pure
                .iter()
                .map(|pure| pure[role].map_or("not proved".to_owned(), |value| value.to_string()));
            [role.clone(), shown].into_iter().chain(pure).chain([why.to_owned()]).collect()
        });
        let mut out = match self.kind {
            ValueKind::Pure if self.is_against_several() => layout
                .table(&["role", &format!("guaranteed value against {}", self.others()), ""], rows.collect()),
            ValueKind::Pure => layout.table(&["role", "guaranteed value", ""], rows.collect()),
            ValueKind::Chance => layout.table(&["role", "guaranteed on average", ""], rows.collect()),
            ValueKind::Mixed => layout.table(
                &["role", "guaranteed on average", "guaranteed without random choices", ""],
                rows.collect(),
            ),
        };
        if self.kind == ValueKind::Chance {
            let firsts = self
                .mixtures
                .iter()
                .flatten()
                .filter_map(|(role, moves)| Some(vec![role.clone(), moves.first()?.action.clone()]));
            out.push_str("Best first moves\n");
            out.push_str(&layout.table(&["role", "move"], firsts.collect()));
        }
        out
    }

    /// The line of play, with a row per step.
    fn line_text(&self, layout: Layout) -> String {
        let last = match self.proved {
            true if self.shortest => "to the end by a shortest path",
            true => "to the end",
            false => "as far as the search went",
        };
        let first = self.values.keys().next().map_or("", String::as_str);
        let kind = match self.kind {
            _ if self.is_against_several() => {
                format!("Best play of {first} with {} against it", self.others())
            }
            ValueKind::Mixed => "Most probable moves of best play".to_owned(),
            ValueKind::Pure | ValueKind::Chance => "Best play".to_owned(),
        };
        let columns: Vec<&str> =
            std::iter::once("step").chain(self.values.keys().map(String::as_str)).collect();
        let rows = self.line.iter().enumerate();
        let rows = rows.map(|(step, joint)| {
            std::iter::once((step + 1).to_string()).chain(joint.iter().cloned()).collect()
        });
        format!("{kind}, {last}\n{}", layout.table(&columns, rows.collect()))
    }
}
