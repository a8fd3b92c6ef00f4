//! `ggp eval --serve`: requests and answers as JSON lines, for players in any language. `docs/evaluations.md` describes
//! the protocol.

use std::io::{BufRead, ErrorKind, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evaluation::{Document, move_values};
use crate::feature::{Measure, StateEvaluator};
use crate::machine::Machine;
use crate::report::evaluated::EvaluatedMove;
use crate::simulate::{StateReader, TraceGoal};

use super::super::Exit;
use super::{mover, role_of};

/// Bytes of a line, at most (16 MiB). A longer one is skipped and answered by an error.
const LONGEST: usize = 16 << 20;

/// A line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Comes back with the answer; anything.
    #[serde(default)]
    id: Value,
    /// The state: KIF, a list of atoms, or left out for the initial state.
    #[serde(default)]
    state: Option<Value>,
    /// Whether the legal moves are to be valued, too.
    #[serde(default)]
    moves: bool,
    /// Whose moves.
    #[serde(default)]
    mover: Option<String>,
}

/// A line of standard output.
#[derive(Default, Serialize)]
struct Answer {
    id: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<TraceGoal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<EvaluatedMove>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Answers requests until standard input ends, or nobody reads the answers any more.
pub(super) fn run(
    machine: &dyn Machine,
    document: &Document,
    measure: &mut dyn Measure,
) -> anyhow::Result<Exit> {
    let roles = &machine.description().roles;
    let own = roles.iter().position(|&role| machine.term_text(role) == document.role).unwrap_or(0);
    let mut server = Server {
        machine,
        document,
        measure,
        own,
        reader: StateReader::new(machine),
        state_evaluator: StateEvaluator::new(machine),
    };
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        let answer = match read_line(&mut input, &mut line)? {
            Line::End => return Ok(Exit::Ok),
            Line::TooLong => {
                let error = format!("the line has more than {} MiB", LONGEST >> 20);
                Answer { error: Some(error), ..Answer::default() }
            }
            Line::Whole if line.trim_ascii().is_empty() => continue,
            Line::Whole => server.answer(&line),
        };
        let mut text = serde_json::to_vec(&answer)?;
        text.push(b'\n');
        match output.write_all(&text).and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Ok),
            result => result?,
        }
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line; of one that is too long nothing is kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Line> {
    line.clear();
    let mut too_long = false;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            let nothing = line.is_empty() && !too_long;
            return Ok(if nothing {
                Line::End
            } else if too_long {
                Line::TooLong
            } else {
                Line::Whole
            });
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        too_long |= line.len() + taken > LONGEST;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(&buffer[..taken]);
        }
        input.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

struct Server<'s, 'm> {
    machine: &'m dyn Machine,
    document: &'s Document,
    measure: &'s mut dyn Measure,
    /// The function's role, by its number.
    own: usize,
    reader: StateReader<'m>,
    state_evaluator: StateEvaluator<'m>,
}

impl Server<'_, '_> {
    fn answer(&mut self, line: &[u8]) -> Answer {
        let request: Request = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => {
                // What can be read of it tells whose error it is.
                let id = serde_json::from_slice::<Value>(line).map(|value| value.get("id").cloned());
                return Answer {
                    id: id.ok().flatten().unwrap_or_default(),
                    error: Some(format!("this is no request: {error}")),
                    ..Answer::default()
                };
            }
        };
        let id = request.id.clone();
        self.evaluate(&request).unwrap_or_else(|error| Answer {
            error: Some(format!("{error:#}")),
            id,
            ..Answer::default()
        })
    }

    fn evaluate(&mut self, request: &Request) -> anyhow::Result<Answer> {
        let state = match &request.state {
            None => self.machine.initial().clone(),
            Some(Value::String(text)) => self.reader.read(text)?,
            Some(other) => self.reader.from_json(other)?,
        };
        let position = self.state_evaluator.at(&state)?;
        let value = self.measure.value(&position);
        let terminal = position.view.terminal();
        let goal = terminal.then(|| TraceGoal::new(position.view.goals(self.own)));
        let moves = if request.moves {
            let mover = match &request.mover {
                Some(role) => role_of(self.machine, role)?,
                None => mover(self.machine, self.document, position.view),
            };
            let found =
                move_values(self.machine, &self.document.function, &mut *self.measure, mover, &state)?;
            Some(found.iter().map(|value| EvaluatedMove::new(self.machine, value)).collect())
        } else {
            None
        };
        Ok(Answer {
            id: request.id.clone(),
            value: Some(value),
            terminal: Some(terminal),
            goal,
            moves,
            error: None,
        })
    }
}
