//! An append-only log of JSON lines: a header, written with the first result, then a line for each result. While
//! something runs, the results are stored only here; everything else is computed from the log. Each line is on the disk
//! before the next one begins. If the program was killed, an incomplete last line is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The first line of a log.
pub trait LogHeader: Serialize + DeserializeOwned {
    /// The kind of results in the log, in one word.
    const KIND: &'static str;

    /// The difference between this header of a log and the requested one, as a clause; none if the log's results are
    /// valid for the request.
    fn change(&self, wanted: &Self) -> Option<String>;
}

/// Why a log can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The operating system can't write it.
    #[error("{path} can't be written: {error}")]
    Io {
        /// The log.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The operating system can't read it.
    #[error("{path} can't be read: {error}")]
    Unread {
        /// The log.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// It has other results.
    #[error("{path} has results of another {kind}: {what}; use --fresh to drop them and start again")]
    Changed {
        /// The log.
        path: String,
        /// The kind of results.
        kind: &'static str,
        /// The difference.
        what: String,
    },
    /// It is not a log.
    #[error(
        "{path}:{line}: this is not a line of the log of a {kind} ({reason}); use --fresh to start again"
    )]
    Damaged {
        /// The log.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The expected content.
        kind: &'static str,
        /// Why.
        reason: String,
    },
    /// Another run is writing it.
    #[error("{path} is being written by another run")]
    Locked {
        /// The log.
        path: String,
    },
}

/// A log, open for writing.
#[derive(Debug)]
pub struct Log<E> {
    path: PathBuf,
    file: File,
    kind: &'static str,
    /// The header until it is written: a log without results has none, so that any run can use it.
    first: Option<Vec<u8>>,
    /// The results.
    pub entries: Vec<E>,
    /// Bytes of an incomplete last line, which is dropped.
    pub dropped: usize,
}

impl<E: Serialize + DeserializeOwned> Log<E> {
    /// Opens the log at `path`, or begins a new one; `fresh` drops its results. Returns its header as well.
    ///
    /// # Errors
    /// The log can't be used; it is then unchanged.
    pub fn open<H: LogHeader>(path: &Path, header: H, fresh: bool) -> Result<(Log<E>, H), LogError> {
        let shown = path.display().to_string();
        let failed = |error: io::Error| LogError::Io { path: shown.clone(), error };
        let damaged = |line: usize, error: &dyn std::fmt::Display| LogError::Damaged {
            path: shown.clone(),
            line,
            kind: H::KIND,
            reason: error.to_string(),
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(failed)?;
        if file.try_lock().is_err() {
            return Err(LogError::Locked { path: shown });
        }
        let mut bytes = Vec::new();
        if !fresh {
            file.read_to_end(&mut bytes).map_err(failed)?;
        }
        let first = line(&header).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 && !first.starts_with(&bytes) {
            return Err(damaged(1, &"it has no whole line"));
        }
        let dropped = bytes.len() - whole;
        bytes.truncate(whole);
        let text = String::from_utf8(bytes).map_err(|error| damaged(1, &error))?;
        let mut lines = text.lines();
        let known: Option<H> =
            lines.next().map(serde_json::from_str).transpose().map_err(|error| damaged(1, &error))?;
        if let Some(what) = known.as_ref().and_then(|known| known.change(&header)) {
            return Err(LogError::Changed { path: shown, kind: H::KIND, what });
        }
        let read = |(number, line)| serde_json::from_str(line).map_err(|error| damaged(number + 2, &error));
        let entries = lines.enumerate().map(read).collect::<Result<Vec<E>, _>>()?;
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let first = known.is_none().then_some(first);
        let log = Log { path: path.to_owned(), file, kind: H::KIND, first, entries, dropped };
        Ok((log, known.unwrap_or(header)))
    }

    /// Adds a result.
    ///
    /// # Errors
    /// It can't be written.
    pub fn add(&mut self, entry: E) -> Result<(), LogError> {
        let line = line(&entry).map_err(|error| self.failed(error))?;
        if let Some(first) = self.first.take() {
            self.write(&first)?;
        }
        self.write(&line)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Adds several results, with one sync to the disk.
    ///
    /// # Errors
    /// They can't be written.
    pub fn add_all(&mut self, entries: Vec<E>) -> Result<(), LogError> {
        let mut bytes = Vec::new();
        for entry in &entries {
            bytes.extend(line(entry).map_err(|error| self.failed(error))?);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(first) = self.first.take() {
            self.write(&first)?;
        }
        self.write(&bytes)?;
        self.entries.extend(entries);
        Ok(())
    }

    /// The error for an entry, counted from 0, that does not belong in the log.
    pub fn damaged(&self, entry: usize, reason: &str) -> LogError {
        let path = self.path.display().to_string();
        LogError::Damaged { path, line: entry + 2, kind: self.kind, reason: reason.to_owned() }
    }

    fn failed(&self, error: io::Error) -> LogError {
        LogError::Io { path: self.path.display().to_string(), error }
    }

    fn write(&mut self, line: &[u8]) -> Result<(), LogError> {
        let written = self.file.write_all(line).and_then(|()| self.file.sync_data());
        written.map_err(|error| self.failed(error))
    }
}

fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Header {
        of: String,
    }

    impl LogHeader for Header {
        const KIND: &'static str = "trial";

        fn change(&self, wanted: &Header) -> Option<String> {
            (self.of != wanted.of).then(|| format!("it is of {}", self.of))
        }
    }

    fn open(path: &Path, subject: &str, fresh: bool) -> Result<Log<String>, LogError> {
        Log::open(path, Header { of: subject.to_owned() }, fresh).map(|(log, _)| log)
    }

    #[test]
    fn complete_lines_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/log.jsonl");
        let mut log = open(&path, "this", false).unwrap();
        log.add("a".to_owned()).unwrap();
        log.add("b".to_owned()).unwrap();
        drop(log);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut log = open(&path, "this", false).unwrap();
            let lines = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
            let last = whole[..cut].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            assert_eq!(
                (log.entries.len(), log.dropped),
                (lines.saturating_sub(1), cut - last),
                "cut at {cut}"
            );
            for missing in ["a", "b"].iter().skip(log.entries.len()).copied().collect::<Vec<_>>() {
                log.add(missing.to_owned()).unwrap();
            }
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn foreign_files_are_rejected_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let mut log = open(&path, "this", false).unwrap();
        assert!(matches!(open(&path, "this", false), Err(LogError::Locked { .. })));
        log.add("a".to_owned()).unwrap();
        drop(log);
        let error = open(&path, "that", false).unwrap_err().to_string();
        assert!(error.contains("another trial: it is of this"), "{error}");
        let text = std::fs::read_to_string(&path).unwrap();
        for (damaged, line) in [(format!("{text}nonsense\n\"b\"\n"), 3), ("my diary".to_owned(), 1)] {
            std::fs::write(&path, &damaged).unwrap();
            let error = open(&path, "this", false).unwrap_err().to_string();
            assert!(
                error.contains(&format!("log.jsonl:{line}: this is not a line of the log of a trial")),
                "{error}"
            );
            assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
        }
        assert!(open(&path, "that", true).unwrap().entries.is_empty());
    }
}
