//! Writes traces: the observer [`Recorder`] and its file [`TraceFile`].

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::machine::{Machine, MoveId};

use super::observer::{End, Observer, Position};
use super::text::AtomTexts;
use super::trace::{TraceEnd, TraceGame, TraceGoal, TraceLine, TraceReason, TraceStep};

/// Bytes of lines that are buffered before they are written.
const BUFFER: usize = 1 << 20;

/// A trace file that is being written. It has a temporary name in the same folder until it is complete.
pub struct TraceFile {
    path: PathBuf,
    sink: Mutex<Sink>,
}

enum Sink {
    Plain(BufWriter<NamedTempFile>),
    Gzip(GzEncoder<BufWriter<NamedTempFile>>),
}

impl TraceFile {
    /// Creates a trace file; it is gzipped if the name ends in `.gz`.
    pub fn create(path: &Path, game: TraceGame) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = BufWriter::new(NamedTempFile::new_in(folder)?);
        let gzip = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
        let mut sink = match gzip {
            true => Sink::Gzip(GzEncoder::new(temporary, Compression::default())),
            false => Sink::Plain(temporary),
        };
        let mut line = Vec::new();
        write_line(&mut line, &TraceLine::Game(game));
        sink.write_all(&line)?;
        Ok(TraceFile { path: path.to_owned(), sink: Mutex::new(sink) })
    }

    /// An observer that writes to this file.
    pub fn recorder<'a>(&'a self, machine: &'a dyn Machine) -> Recorder<'a> {
        Recorder { file: self, machine, texts: AtomTexts::default(), lines: Vec::new(), written: Ok(()) }
    }

    /// Renames the complete file to its final name.
    pub fn finish(self) -> io::Result<()> {
        let temporary = match self.sink.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Sink::Plain(writer) => writer.into_inner()?,
            Sink::Gzip(encoder) => encoder.finish()?.into_inner()?,
        };
        readable_by_all(temporary.as_file())?;
        temporary.persist(&self.path)?;
        Ok(())
    }

    fn write(&self, lines: &[u8]) -> io::Result<()> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner).write_all(lines)
    }
}

/// A temporary file is readable by its owner only; the result gets the usual permissions.
#[cfg(unix)]
fn readable_by_all(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_file: &File) -> io::Result<()> {
    Ok(())
}

impl Sink {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(writer) => writer.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
        }
    }
}

/// Writes playouts in the trace format.
pub struct Recorder<'a> {
    file: &'a TraceFile,
    machine: &'a dyn Machine,
    texts: AtomTexts,
    lines: Vec<u8>,
    written: io::Result<()>,
}

impl Recorder<'_> {
    /// Writes the buffered lines and returns the first error. Call it on the merged recorder of the whole run.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.written
    }

    fn flush(&mut self) {
        if self.written.is_ok() {
            self.written = self.file.write(&self.lines);
        }
        self.lines.clear();
    }

    fn state(&mut self, position: &Position<'_>) -> Vec<String> {
        self.texts.cache_fluents(self.machine, position.fluents);
        self.texts.sorted_fluents(position.fluents).into_iter().map(str::to_owned).collect()
    }
}

impl Observer for Recorder<'_> {
    fn moved(&mut self, before: &Position<'_>, joint: &[MoveId], _after: &Position<'_>) {
        let state = self.state(before);
        before.legal.iter().for_each(|moves| self.texts.cache_moves(self.machine, moves));
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        let step = TraceStep {
            playout: before.playout,
            step: before.step,
            state,
            legal: before.legal.iter().map(|moves| owned(self.texts.sorted_moves(moves))).collect(),
            joint: joint.iter().map(|&action| self.texts.action(action).to_owned()).collect(),
        };
        write_line(&mut self.lines, &TraceLine::Step(step));
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        let reason = match end {
            End::Terminal => TraceReason::Terminal,
            End::Cap => TraceReason::Cap,
            End::NoLegalMove { .. } => TraceReason::NoLegalMove,
            End::Failed => TraceReason::Failed,
            End::Stopped => TraceReason::TimeLimit,
        };
        let goals = last.goals.iter().map(|values| TraceGoal::new(values)).collect();
        let end = TraceEnd {
            playout: last.playout,
            step: last.step,
            state: self.state(last),
            terminal: last.terminal,
            goals: (end != End::Stopped).then_some(goals),
            reason,
        };
        write_line(&mut self.lines, &TraceLine::End(end));
    }

    // Only the recorder of the whole run merges others, in order, so it may write to the file.
    fn merge(&mut self, later: Self) {
        self.lines.extend_from_slice(&later.lines);
        if self.lines.len() >= BUFFER {
            self.flush();
        }
    }
}

fn write_line(out: &mut Vec<u8>, line: &TraceLine) {
    serde_json::to_writer(&mut *out, line).expect("lines of text and numbers are always JSON");
    out.push(b'\n');
}
