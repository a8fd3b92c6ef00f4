//! `ggp eval --serve`: requests and answers as JSON lines, for players in any language. `docs/evaluations.md` describes
//! the protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evaluation::{Document, move_values};
use crate::feature::{Measure, StateEvaluator};
use crate::machine::Machine;
use crate::report::state_values::MoveEvaluation;
use crate::simulate::{StateReader, TraceGoal};

use super::super::{Exit, request_lines};
use super::{mover, role_of};

/// A line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Any JSON value; the answer repeats it.
    #[serde(default)]
    id: Value,
    /// A state in KIF or as a list of atoms; the initial state if absent.
    #[serde(default)]
    state: Option<Value>,
    /// Whether to evaluate the legal moves as well.
    #[serde(default)]
    moves: bool,
    /// The role whose moves are evaluated; see [`mover`] for the default.
    #[serde(default)]
    mover: Option<String>,
}

/// A line of standard output.
#[derive(Serialize)]
struct Answer {
    id: Value,
    value: f64,
    terminal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<TraceGoal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveEvaluation>>,
}

/// Answers requests until standard input ends or standard output is closed.
pub(super) fn run(
    machine: &dyn Machine,
    document: &Document,
    measure: &mut dyn Measure<'_>,
) -> anyhow::Result<Exit> {
    let roles = &machine.description().roles;
    let role = roles.iter().position(|&role| machine.term_text(role) == document.role).unwrap_or(0);
    let mut server = Server {
        machine,
        document,
        measure,
        role,
        reader: StateReader::new(machine),
        state_evaluator: StateEvaluator::new(machine),
    };
    request_lines::serve(|request| server.evaluate(&request))?;
    Ok(Exit::Ok)
}

struct Server<'s, 'm, 'f> {
    machine: &'m dyn Machine,
    document: &'s Document,
    measure: &'s mut dyn Measure<'f>,
    /// The index of the function's role.
    role: usize,
    reader: StateReader<'m>,
    state_evaluator: StateEvaluator<'m>,
}

impl Server<'_, '_, '_> {
    fn evaluate(&mut self, request: &Request) -> anyhow::Result<Answer> {
        let state = match &request.state {
            None => self.machine.initial().clone(),
            Some(Value::String(text)) => self.reader.read(text)?,
            Some(other) => self.reader.from_json(other)?,
        };
        let position = self.state_evaluator.at(&state)?;
        let value = self.measure.value(&position);
        let terminal = position.view.terminal();
        let goal = terminal.then(|| TraceGoal::new(position.view.goals(self.role)));
        let moves = if request.moves {
            let mover = match &request.mover {
                Some(role) => role_of(self.machine, role)?,
                None => mover(self.machine, self.document, position.view),
            };
            let found =
                move_values(self.machine, &self.document.function, &mut *self.measure, mover, &state)?;
            Some(found.iter().map(|value| MoveEvaluation::new(self.machine, value)).collect())
        } else {
            None
        };
        Ok(Answer { id: request.id.clone(), value, terminal, goal, moves })
    }
}
