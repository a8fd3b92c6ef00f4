//! The text of a description, and places in it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::encoding::{Utf16, decode_utf8};
pub use super::span::Span;

/// Files larger than this (16 MiB) are refused: the largest public description has 0.2 MB.
pub const MAX_TEXT: usize = 16 << 20;

/// When a negated literal is read that comes before the literal that binds its variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Negation {
    /// After its variables are bound: the order of literals means nothing in GDL.
    #[default]
    Language,
    /// Where it is written, if later literals only name the domain of its variable: "no such thing exists", as some old
    /// descriptions mean it.
    InPlace,
}

impl Negation {
    /// The name that the command line and documents use.
    pub fn name(self) -> &'static str {
        match self {
            Negation::Language => "language",
            Negation::InPlace => "in-place",
        }
    }

    /// The reading with a name.
    pub fn named(name: &str) -> Option<Negation> {
        [Negation::Language, Negation::InPlace].into_iter().find(|negation| negation.name() == name)
    }

    /// Whether it is the language's own.
    pub fn is_language(&self) -> bool {
        *self == Negation::Language
    }
}

/// A description's text as it was read. UTF-16 is decoded. Bytes that are not text are U+FFFD in it and are remembered.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    path: Option<PathBuf>,
    utf16: Option<Utf16>,
    text: String,
    bytes: Vec<u8>,
    invalid: Vec<Span>,
    too_large: bool,
    case_sensitive: bool,
    negation: Negation,
    lines: Vec<u32>,
}

impl Source {
    /// Reads a file. Of a file over [`MAX_TEXT`] nothing is kept but that it is too large.
    ///
    /// # Errors
    /// The operating system's, when the file can't be read.
    pub fn load(path: impl AsRef<Path>) -> std::io::Result<Source> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes)?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut source = Source::from_bytes(name, bytes);
        source.path = Some(path.to_path_buf());
        Ok(source)
    }

    /// A description given as text.
    pub fn from_text(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source::from_bytes(name, text.into().into_bytes())
    }

    /// A description given as bytes, which may be anything.
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Source {
        let mut bytes = bytes.into();
        let too_large = bytes.len() > MAX_TEXT;
        if too_large {
            bytes.clear();
        }
        let (utf16, mut invalid) = (Utf16::of(&bytes), Vec::new());
        let text = match utf16 {
            Some(order) => order.decode(&bytes, &mut invalid),
            None => decode_utf8(&bytes, &mut invalid),
        };
        let lines = line_starts(&text);
        Source {
            name: name.into(),
            path: None,
            utf16,
            text,
            bytes,
            invalid,
            too_large,
            case_sensitive: false,
            negation: Negation::default(),
            lines,
        }
    }

    /// The same text, of which names that differ in case only are different names (see [`Spellings`](super::Spellings)), if
    /// so asked for: the language knows no case, some game managers do.
    #[must_use]
    pub fn case_sensitive(self, case_sensitive: bool) -> Source {
        Source { case_sensitive, ..self }
    }

    /// Whether names that differ in case only are different names.
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// The same text, whose negated literals are read in this way.
    #[must_use]
    pub fn with_negation(self, negation: Negation) -> Source {
        Source { negation, ..self }
    }

    /// When negated literals are read.
    pub fn negation(&self) -> Negation {
        self.negation
    }

    /// The game's name: the file name without its ending, or the name given with the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file it was read from.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// How messages call it: the path, or the name.
    pub fn title(&self) -> String {
        self.path.as_ref().map_or_else(|| self.name.clone(), |path| path.display().to_string())
    }

    /// The text. Spans count its bytes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes as they were read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The byte order of a text that was UTF-16; none of the usual UTF-8.
    pub fn utf16(&self) -> Option<Utf16> {
        self.utf16
    }

    /// The places of bytes that are not text, in ascending order.
    pub fn invalid(&self) -> &[Span] {
        &self.invalid
    }

    /// Whether the text was over [`MAX_TEXT`] and is not kept.
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// Line and column of a byte, both from 1; columns count characters. A line ends with CR, LF or CRLF.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let line = self.lines.partition_point(|&start| start <= offset).max(1);
        let start = self.lines[line - 1] as usize;
        let end = self.text.floor_char_boundary(offset as usize).max(start);
        (line, self.text[start..end].chars().count() + 1)
    }

    /// The first byte of a line, counted from 1; the end of the text past the last line.
    pub fn line_start(&self, line: usize) -> usize {
        self.lines.get(line.wrapping_sub(1)).map_or(self.text.len(), |&start| start as usize)
    }

    /// The text of a line, counted from 1, without its end; empty past the last.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = self.lines.get(line.wrapping_sub(1)) else { return "" };
        let end = self.lines.get(line).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\r', '\n'])
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (index, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
            starts.push(index as u32 + 1);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_under_every_line_end() {
        let source = Source::from_text("t", "a\rbc\r\nd\ne");
        let places: Vec<_> = [0, 2, 3, 6, 8].map(|offset| source.position(offset)).into();
        assert_eq!(places, [(1, 1), (2, 1), (2, 2), (3, 1), (4, 1)]);
        assert_eq!([1, 2, 3, 4, 5].map(|line| source.line(line)), ["a", "bc", "d", "e", ""]);
    }

    #[test]
    fn invalid_bytes_are_remembered() {
        let source = Source::from_bytes("t", b"ab\xffc\xc3".to_vec());
        assert_eq!(source.invalid().len(), 2);
        assert_eq!(source.position(source.invalid()[1].start), (1, 5));
    }
}
