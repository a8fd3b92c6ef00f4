//! The text of a description and its lines.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::encoding::{Utf16, decode_utf8};
pub use super::span::Span;

/// The maximum size of a file in bytes (16 MiB). The largest public description has 0.2 MB.
pub const MAX_TEXT: usize = 16 << 20;

/// How to read a negated literal that comes before the literal that binds its variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Negation {
    /// Evaluate it after its variables are bound, because the order of literals has no meaning in GDL.
    #[default]
    Language,
    /// If later literals only give the domain of its variable, read it as "no such thing exists". Some old descriptions rely
    /// on this.
    InPlace,
}

impl Negation {
    /// The name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Negation::Language => "language",
            Negation::InPlace => "in-place",
        }
    }

    /// Parses a name, `language` or `in-place`.
    pub fn named(name: &str) -> Option<Negation> {
        [Negation::Language, Negation::InPlace].into_iter().find(|negation| negation.name() == name)
    }

    /// Whether it is the reading that GDL prescribes.
    pub fn is_language(&self) -> bool {
        *self == Negation::Language
    }
}

/// The text of a description. UTF-16 is decoded. Invalid bytes are U+FFFD in the text, and [`Source::invalid`] has their
/// places.
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
    /// Reads a file. The contents of a file over [`MAX_TEXT`] are dropped; see [`Source::is_too_large`].
    ///
    /// # Errors
    /// The error of the operating system if the file can't be read.
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

    /// A description given as arbitrary bytes.
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

    /// Sets whether names that differ only in case are different names (see [`Spellings`](super::Spellings)). GDL does not
    /// distinguish them, but some game managers do.
    #[must_use]
    pub fn case_sensitive(self, case_sensitive: bool) -> Source {
        Source { case_sensitive, ..self }
    }

    /// Whether names that differ only in case are different names.
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// Sets how negated literals are read.
    #[must_use]
    pub fn with_negation(self, negation: Negation) -> Source {
        Source { negation, ..self }
    }

    /// How negated literals are read.
    pub fn negation(&self) -> Negation {
        self.negation
    }

    /// The name of the game: the file name without its ending, or the given name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file, if the text was read from one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The path, or the name, for messages.
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

    /// The byte order if the text was UTF-16; `None` for UTF-8.
    pub fn utf16(&self) -> Option<Utf16> {
        self.utf16
    }

    /// The places of invalid bytes, in ascending order.
    pub fn invalid(&self) -> &[Span] {
        &self.invalid
    }

    /// Whether the text was over [`MAX_TEXT`] and was dropped.
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

    /// The first byte of a line, counted from 1. After the last line, the end of the text.
    pub fn line_start(&self, line: usize) -> usize {
        self.lines.get(line.wrapping_sub(1)).map_or(self.text.len(), |&start| start as usize)
    }

    /// The text of a line, counted from 1, without its line break. Empty after the last line.
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
    fn positions_are_correct_for_every_line_ending() {
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
