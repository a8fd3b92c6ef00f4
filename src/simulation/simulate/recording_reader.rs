//! Reads recordings from files of traces or match records.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::host_record::HostRecord;
use super::json_values::{JsonValues, ValueError};
use super::recording::{RecordedPosition, Recording};
use super::text::canonical;
use super::trace::{TraceEnd, TraceGoal, TraceLine, TraceReason, TraceStep, goal_values};

/// A match record with `match_id`, and with the name of the rules file in `kif`.
#[derive(Debug, Deserialize)]
struct MatchRecord {
    match_id: String,
    kif: String,
    #[serde(default)]
    roles: Vec<String>,
    moves: Vec<Vec<String>>,
    #[serde(default)]
    goals: Option<Vec<TraceGoal>>,
    #[serde(default)]
    states: Option<Vec<Vec<String>>>,
    #[serde(default)]
    final_state: Option<Vec<String>>,
    #[serde(default)]
    status: Option<String>,
}

/// Why a recording can't be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file can't be opened or read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
    /// A value is not as the format requires.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The error message.
        message: String,
    },
}

/// An iterator over the recordings of a file, plain or gzipped. Traces and match records are distinguished by their
/// contents.
pub struct Recordings {
    path: PathBuf,
    kif: String,
    values: JsonValues,
    roles: Vec<String>,
    open: Option<Recording>,
    failed: bool,
}

impl Recordings {
    /// Opens a file of recordings. Match records of other rules files than `kif` are skipped. A trace has no such check: it
    /// is assumed to be of the game on which it is replayed.
    pub fn open(path: &Path, kif: &str) -> Result<Self, RecordingError> {
        let values = JsonValues::open(path);
        let values = values.map_err(|error| RecordingError::Io { path: path.to_owned(), error })?;
        Ok(Self::from_values(path, kif, values))
    }

    /// Reads recordings from text. `path` is only the name in messages and in [`Recording::source`].
    pub fn from_reader(path: &Path, kif: &str, reader: Box<dyn BufRead>) -> Self {
        Self::from_values(path, kif, JsonValues::of(reader))
    }

    fn from_values(path: &Path, kif: &str, values: JsonValues) -> Self {
        let (path, kif) = (path.to_owned(), kif.to_owned());
        Recordings { path, kif, values, roles: Vec::new(), open: None, failed: false }
    }

    fn read_next(&mut self) -> Result<Option<Recording>, RecordingError> {
        loop {
            let value = self.values.next_value().map_err(|error| match error {
                ValueError::Io(error) => RecordingError::Io { path: self.path.clone(), error },
                ValueError::Line(line, message) => {
                    RecordingError::Line { path: self.path.clone(), line, message }
                }
            })?;
            let Some(value) = value else { return Ok(self.open.take()) };
            match self.take(value) {
                Ok(None) => {}
                Ok(Some(recording)) => return Ok(Some(recording)),
                Err(message) => {
                    let line = self.values.line();
                    return Err(RecordingError::Line { path: self.path.clone(), line, message });
                }
            }
        }
    }

    /// Adds a JSON value; returns a recording if it completes one.
    fn take(&mut self, value: Value) -> Result<Option<Recording>, String> {
        if value.get("matchId").is_some() {
            let record = HostRecord::deserialize(value).map_err(|error| error.to_string())?;
            return if record.is_of(&self.kif) { record.recording().map(Some) } else { Ok(None) };
        }
        if value.get("type").is_none() && value.get("match_id").is_none() {
            return Err(
                "expected a line of a trace (with `type`) or a match's record (with `matchId`, or with \
                        `match_id` and `kif`)"
                    .to_owned(),
            );
        }
        if value.get("type").is_none() {
            let record = MatchRecord::deserialize(value).map_err(|error| error.to_string())?;
            return if record.kif == self.kif { record.recording().map(Some) } else { Ok(None) };
        }
        match TraceLine::deserialize(value).map_err(|error| error.to_string())? {
            TraceLine::Game(game) => {
                self.roles = game.roles.iter().map(|role| canonical(role)).collect();
                Ok(self.open.take())
            }
            TraceLine::Step(step) => {
                let (playout, number) = (step.playout, step.step);
                self.append(playout, number, step_position(step))
            }
            TraceLine::End(end) => {
                let (playout, number) = (end.playout, end.step);
                // If an earlier playout without an end is returned now, this one is returned by the next call.
                Ok(self.append(playout, number, end_position(end)?)?.or_else(|| self.open.take()))
            }
        }
    }

    /// Adds a position to the open playout. If the position belongs to another playout, that one is opened, and the
    /// previous one is returned.
    fn append(
        &mut self,
        playout: u64,
        step: u32,
        position: RecordedPosition,
    ) -> Result<Option<Recording>, String> {
        let earlier = match &self.open {
            Some(open) if open.playout == playout => None,
            _ => {
                let source = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let new = Recording { source, playout, roles: self.roles.clone(), positions: Vec::new() };
                self.open.replace(new)
            }
        };
        let open = self.open.as_mut().expect("a playout was opened above");
        if step as usize != open.positions.len() {
            return Err(format!(
                "playout {playout}: expected step {}, found step {step}",
                open.positions.len()
            ));
        }
        open.positions.push(position);
        Ok(earlier)
    }
}

impl Iterator for Recordings {
    type Item = Result<Recording, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.read_next().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}

impl MatchRecord {
    fn recording(self) -> Result<Recording, String> {
        let last = self.moves.len();
        let mut positions: Vec<RecordedPosition> = (self.moves.iter())
            .map(|joint| RecordedPosition {
                terminal: Some(false),
                joint: Some(joint.iter().map(|action| canonical(action)).collect()),
                ..RecordedPosition::default()
            })
            .collect();
        positions.push(RecordedPosition {
            state: self.final_state.as_deref().map(canonical_sorted),
            // A match that was aborted may have stopped in any state.
            terminal: self.status.is_none_or(|status| status == "ok").then_some(true),
            goals: self.goals.as_deref().map(goal_values).transpose()?,
            ..RecordedPosition::default()
        });
        if let Some(states) = &self.states {
            if states.len() != last + 1 {
                return Err(format!("{} states for {last} joint moves", states.len()));
            }
            for (position, state) in positions.iter_mut().zip(states) {
                position.state = position.state.take().or_else(|| Some(canonical_sorted(state)));
            }
        }
        let roles = self.roles.iter().map(|role| canonical(role)).collect();
        Ok(Recording { source: self.match_id, playout: 0, roles, positions })
    }
}

fn step_position(step: TraceStep) -> RecordedPosition {
    RecordedPosition {
        state: Some(canonical_sorted(&step.state)),
        legal: Some(step.legal.iter().map(|moves| canonical_sorted(moves)).collect()),
        terminal: Some(false),
        goals: None,
        joint: Some(step.joint.iter().map(|action| canonical(action)).collect()),
    }
}

fn end_position(end: TraceEnd) -> Result<RecordedPosition, String> {
    // A playout that was stopped has no goal values.
    let goals = end.goals.filter(|_| end.reason != TraceReason::TimeLimit);
    Ok(RecordedPosition {
        state: Some(canonical_sorted(&end.state)),
        terminal: Some(end.terminal),
        goals: goals.as_deref().map(goal_values).transpose()?,
        ..RecordedPosition::default()
    })
}

/// The atoms in canonical spelling, sorted and without duplicates (two may have differed in case only).
fn canonical_sorted(atoms: &[String]) -> Vec<String> {
    let mut atoms: Vec<String> = atoms.iter().map(|atom| canonical(atom)).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}
