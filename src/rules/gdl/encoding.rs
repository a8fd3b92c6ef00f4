//! Decodes bytes: UTF-8, and UTF-16, which some editors and shells on Windows write.

use super::span::Span;

/// The byte order of a text in UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf16 {
    /// The low byte comes first.
    LittleEndian,
    /// The high byte comes first.
    BigEndian,
}

impl Utf16 {
    /// Detects UTF-16 by its byte order mark, or by zeros in one byte of at least nine tenths of the byte pairs, as in Latin
    /// text.
    pub fn of(bytes: &[u8]) -> Option<Utf16> {
        match bytes {
            [0xff, 0xfe, ..] => return Some(Utf16::LittleEndian),
            [0xfe, 0xff, ..] => return Some(Utf16::BigEndian),
            _ => {}
        }
        let pairs = || bytes.chunks_exact(2).take(LOOKED_AT);
        let zeros = |index: usize| pairs().filter(|pair| pair[index] == 0).count();
        let (count, high_first, low_first) = (pairs().count(), zeros(0), zeros(1));
        let nearly_all = |zeros: usize, others: usize| zeros * 10 >= count * 9 && others * 10 <= count;
        if count < 2 {
            None
        } else if nearly_all(low_first, high_first) {
            Some(Utf16::LittleEndian)
        } else {
            nearly_all(high_first, low_first).then_some(Utf16::BigEndian)
        }
    }

    /// Decodes UTF-16. Invalid units become U+FFFD, and their places are added to `invalid`.
    pub fn decode(self, bytes: &[u8], invalid: &mut Vec<Span>) -> String {
        let unit = |pair: &[u8]| match self {
            Utf16::LittleEndian => u16::from_le_bytes([pair[0], pair[1]]),
            Utf16::BigEndian => u16::from_be_bytes([pair[0], pair[1]]),
        };
        let mut text = String::with_capacity(bytes.len() / 2);
        let units = char::decode_utf16(bytes.chunks_exact(2).map(unit));
        let half = (bytes.len() % 2 == 1).then_some(None);
        for character in units.map(Result::ok).chain(half) {
            let start = text.len() as u32;
            text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
            if character.is_none() {
                invalid.push(Span { start, end: text.len() as u32 });
            }
        }
        text
    }
}

/// The number of byte pairs that [`Utf16::of`] examines in a text without a byte order mark.
const LOOKED_AT: usize = 4096;

/// Decodes UTF-8. Invalid bytes become U+FFFD, and their places are added to `invalid`.
pub(super) fn decode_utf8(bytes: &[u8], invalid: &mut Vec<Span>) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            let start = text.len() as u32;
            text.push(char::REPLACEMENT_CHARACTER);
            invalid.push(Span { start, end: text.len() as u32 });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::Source;

    #[test]
    fn utf_16_is_decoded_with_and_without_a_mark() {
        for text in ["\u{feff}(role caf\u{e9})\n", "(role \u{1f600})\n(init (step 1))"] {
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for (bytes, order) in [(&little, Utf16::LittleEndian), (&big, Utf16::BigEndian)] {
                let source = Source::from_bytes("t", bytes.clone());
                assert_eq!((source.utf16(), source.text()), (Some(order), text));
                assert_eq!(source.bytes(), bytes);
            }
            let cut = Source::from_bytes("t", [&little[..], b"x"].concat());
            assert_eq!(cut.invalid().len(), 1);
        }
        for other in [&b""[..], b"a", b"\0\0\0\0", b"(role a)", b"\xef\xbb\xbf(role a)", b"(p \0)\0\0"] {
            assert_eq!(Utf16::of(other), None, "{other:?}");
        }
    }
}
