//! The colours that words of the rules name. Boards show the contents `red` in red; nothing else depends on these words.

/// A colour that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Paint {
    Red,
    Yellow,
    White,
    Black,
    Blue,
    Green,
    Orange,
    Purple,
    Pink,
    Brown,
    Gray,
}

impl Paint {
    /// All colours, with the word that names each.
    pub(super) const ALL: [(Paint, &'static str); 11] = [
        (Paint::Red, "red"),
        (Paint::Yellow, "yellow"),
        (Paint::White, "white"),
        (Paint::Black, "black"),
        (Paint::Blue, "blue"),
        (Paint::Green, "green"),
        (Paint::Orange, "orange"),
        (Paint::Purple, "purple"),
        (Paint::Pink, "pink"),
        (Paint::Brown, "brown"),
        (Paint::Gray, "gray"),
    ];

    /// The colour's word.
    pub(super) fn name(self) -> &'static str {
        Paint::ALL.iter().find(|(paint, _)| *paint == self).map_or("", |(_, name)| name)
    }

    /// The colour that a whole word names.
    fn of_word(word: &str) -> Option<Paint> {
        let word = if word.eq_ignore_ascii_case("grey") { "gray" } else { word };
        Paint::ALL.iter().find(|(_, name)| word.eq_ignore_ascii_case(name)).map(|(paint, _)| *paint)
    }

    /// The only colour that a symbol names, as a whole or by a part: `red`, `disc_red`, `(white king)`.
    pub(super) fn of_symbol(symbol: &str) -> Option<Paint> {
        let parts = symbol.split(|part: char| !part.is_alphanumeric());
        only(parts.filter_map(Paint::of_word))
    }

    /// The only colour that the contents of a cell name.
    pub(super) fn of_contents(contents: &[String]) -> Option<Paint> {
        only(contents.iter().filter_map(|symbol| Paint::of_symbol(symbol)))
    }
}

/// The paint of an iterator whose items are all equal.
fn only(mut found: impl Iterator<Item = Paint>) -> Option<Paint> {
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_parts_of_symbols_name_colours() {
        let of = Paint::of_symbol;
        assert_eq!(
            [of("red"), of("Grey"), of("disc_yellow")],
            [Paint::Red, Paint::Gray, Paint::Yellow].map(Some)
        );
        assert_eq!(of("(piece white king)"), Some(Paint::White));
        assert_eq!([of("r"), of("bored"), of("redder"), of("black-white"), of("")], [None; 5]);
        let contents = |words: &[&str]| {
            Paint::of_contents(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(contents(&["white", "pawn"]), Some(Paint::White));
        assert_eq!(contents(&["white", "black"]), None);
        assert!(
            Paint::ALL
                .iter()
                .all(|(paint, name)| Paint::of_symbol(name) == Some(*paint) && paint.name() == *name)
        );
    }
}
