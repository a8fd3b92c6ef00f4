//! Reads the JSON values of a file one by one. A value is on one line or on several; the file is plain or gzipped, UTF-8 or
//! UTF-16.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use crate::gdl::Utf16;

/// Maximum size of a value in bytes. The steps of the largest games take tens of kilobytes.
const MAX_VALUE_BYTES: u64 = 256 << 20;

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why a value can't be read.
#[derive(Debug)]
pub enum ValueError {
    /// The file can't be read.
    Io(io::Error),
    /// This line, from 1, is not JSON, or the value is too large.
    Line(usize, String),
}

/// An iterator over JSON values.
pub struct JsonValues {
    reader: Box<dyn BufRead>,
    line: usize,
    bytes: Vec<u8>,
}

impl JsonValues {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<JsonValues> {
        let mut reader = BufReader::new(File::open(path)?);
        let gzip = reader.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn Read> =
            if gzip { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) };
        let mut reader = BufReader::new(reader);
        let Some(order) = Utf16::of(reader.fill_buf()?) else { return Ok(JsonValues::of(Box::new(reader))) };
        let mut bytes = Vec::new();
        reader.take(MAX_VALUE_BYTES).read_to_end(&mut bytes)?;
        let text = order.decode(&bytes, &mut Vec::new());
        Ok(JsonValues::of(Box::new(Cursor::new(text.into_bytes()))))
    }

    /// Reads values from UTF-8 text.
    pub fn of(reader: Box<dyn BufRead>) -> JsonValues {
        JsonValues { reader, line: 0, bytes: Vec::new() }
    }

    /// The line that was read last, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The next value; none at the end of the file.
    pub fn next_value(&mut self) -> Result<Option<Value>, ValueError> {
        self.bytes.clear();
        let (mut first, mut depth) = (0, 0_i64);
        loop {
            let (from, left) =
                (self.bytes.len(), (MAX_VALUE_BYTES + 1).saturating_sub(self.bytes.len() as u64));
            let read = (&mut self.reader).take(left).read_until(b'\n', &mut self.bytes);
            let read = read.map_err(ValueError::Io)?;
            self.line += usize::from(read > 0);
            if self.bytes.len() as u64 > MAX_VALUE_BYTES {
                let message = format!("one record is larger than {} MiB", MAX_VALUE_BYTES >> 20);
                return Err(ValueError::Line(self.line, message));
            }
            if self.line == 1 && self.bytes.starts_with(BYTE_ORDER_MARK) {
                self.bytes.drain(..BYTE_ORDER_MARK.len());
            }
            if self.bytes.trim_ascii().is_empty() {
                if read == 0 {
                    return Ok(None);
                }
                self.bytes.clear();
                continue;
            }
            first = if first == 0 { self.line } else { first };
            // Most values are on one line.
            depth += open_lists(&self.bytes[from.min(self.bytes.len())..]);
            if depth > 0 && read > 0 {
                continue;
            }
            let value = serde_json::from_slice(&self.bytes);
            return value.map(Some).map_err(|error| fault(&error, first));
        }
    }
}

/// Converts an error. A value that is not closed is reported at the line where it begins.
fn fault(error: &serde_json::Error, first: usize) -> ValueError {
    let text = error.to_string();
    // serde_json counts lines from the beginning of the value.
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    if error.is_eof() {
        return ValueError::Line(first, what.to_owned());
    }
    let line = first + error.line().saturating_sub(1);
    ValueError::Line(line, format!("{what} (column {})", error.column()))
}

/// The number of lists and objects that a line opens minus the number it closes. A JSON string can't continue on the next
/// line.
fn open_lists(line: &[u8]) -> i64 {
    let (mut depth, mut quoted, mut index) = (0, false, 0);
    while let Some(&byte) = line.get(index) {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => index += 1,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth -= 1,
            _ => {}
        }
        index += 1;
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<Value>, (usize, String)> {
        let mut values = JsonValues::of(Box::new(Cursor::new(text.as_bytes().to_vec())));
        let mut all = Vec::new();
        loop {
            match values.next_value() {
                Ok(Some(value)) => all.push(value),
                Ok(None) => return Ok(all),
                Err(ValueError::Line(line, message)) => return Err((line, message)),
                Err(ValueError::Io(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn values_may_span_lines() {
        let list = [serde_json::json!({"a": ["}{\"[", 1, {}]}), serde_json::json!([[], "\\"]), 3.into()];
        let lines: Vec<String> = list.iter().map(Value::to_string).collect();
        let pretty: Vec<String> =
            list.iter().map(|value| serde_json::to_string_pretty(value).unwrap()).collect();
        for text in [lines.join("\n"), pretty.join("\n"), format!("\u{feff}\r\n{}\n\n", pretty.join("\r\n"))]
        {
            assert_eq!(values(&text).unwrap(), list, "{text}");
        }
        assert_eq!(values("").unwrap(), Vec::<Value>::new());
    }

    #[test]
    fn errors_have_line_numbers() {
        for (text, line) in [("{}\n{\n\"a\": x\n}", 3), ("{}\n{", 2), ("{}\n\n}", 3), ("1\n{} x\n", 2)] {
            assert_eq!(values(text).unwrap_err().0, line, "{text}");
        }
    }
}
