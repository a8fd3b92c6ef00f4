//! The types of options, and the conversion of their values from and to text.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The type and the range of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// On or off, written 1 and 0.
    Flag,
    /// An integer.
    Integer {
        /// Least and greatest value.
        range: [u64; 2],
        /// The unit; empty if there is none.
        unit: &'static str,
    },
    /// A floating-point number.
    Real {
        /// Least and greatest value.
        range: [f64; 2],
        /// The unit; empty if there is none.
        unit: &'static str,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words; some of them take a number, as in `yager:4`.
    Family(&'static [Member]),
    /// Any text. The string describes the expected form.
    Text(&'static str),
}

/// A word of [`OptionKind::Family`], optionally with a number after a colon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The word itself.
    pub name: &'static str,
    /// Least and greatest number; none if the word takes no number.
    pub number: Option<[f64; 2]>,
}

/// A value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionValue {
    /// On or off.
    Flag(bool),
    /// An integer.
    Integer(u64),
    /// A floating-point number.
    Real(f64),
    /// A word.
    Choice(&'static str),
    /// A word, and its number if it takes one.
    Member(&'static str, Option<f64>),
    /// A text.
    Text(Text),
}

/// The value of a text option. Each distinct text is interned and lives as long as the program, so that options are `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text(pub &'static str);

impl Text {
    /// Interns a text.
    fn intern(text: &str) -> Text {
        static INTERNED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut interned = INTERNED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = interned.get(text) {
            return Text(known);
        }
        let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
        interned.insert(new);
        Text(new)
    }
}

/// Maximum length of a text in bytes.
const MAX_TEXT_BYTES: usize = 2_000;

/// 2^53: `f64` represents every integer up to this one exactly, so integers may also be written as `1e6`.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

impl OptionKind {
    /// Parses a value; none if the text is not a value of this kind or is out of range.
    pub fn read(&self, text: &str) -> Option<OptionValue> {
        let value = match self {
            OptionKind::Flag => match text {
                "0" | "false" => OptionValue::Flag(false),
                "1" | "true" => OptionValue::Flag(true),
                _ => return None,
            },
            OptionKind::Integer { .. } => {
                let whole =
                    |number: &f64| (0.0..=MAX_EXACT_INTEGER).contains(number) && number.fract() == 0.0;
                let exponent = || text.parse().ok().filter(whole).map(|number| number as u64);
                OptionValue::Integer(text.parse().ok().or_else(exponent)?)
            }
            OptionKind::Real { .. } => OptionValue::Real(text.parse().ok()?),
            OptionKind::Choice(words) => OptionValue::Choice(words.iter().find(|word| **word == text)?),
            OptionKind::Family(members) => {
                let (word, number) = text.split_once(':').map_or((text, None), |(word, q)| (word, Some(q)));
                let member = members.iter().find(|member| member.name == word)?;
                OptionValue::Member(member.name, number.map(str::parse).transpose().ok()?)
            }
            OptionKind::Text(_) => OptionValue::Text(Text::intern(text)),
        };
        self.has(&value).then_some(value)
    }

    /// Whether the value is of this kind and in range.
    pub fn has(&self, value: &OptionValue) -> bool {
        match (*self, *value) {
            (OptionKind::Flag, OptionValue::Flag(_)) => true,
            (OptionKind::Integer { range: [low, high], .. }, OptionValue::Integer(number)) => {
                (low..=high).contains(&number)
            }
            (OptionKind::Real { range: [low, high], .. }, OptionValue::Real(number)) => {
                (low..=high).contains(&number)
            }
            (OptionKind::Choice(words), OptionValue::Choice(word)) => words.contains(&word),
            (OptionKind::Family(members), OptionValue::Member(word, number)) => {
                members.iter().any(|member| match (member.number, number) {
                    (Some([low, high]), Some(number)) => {
                        member.name == word && (low..=high).contains(&number)
                    }
                    (range, number) => member.name == word && range.is_none() && number.is_none(),
                })
            }
            (OptionKind::Text(_), OptionValue::Text(text)) => text.0.len() <= MAX_TEXT_BYTES,
            _ => false,
        }
    }

    /// The unit; empty if there is none.
    pub fn unit(&self) -> &'static str {
        match *self {
            OptionKind::Integer { unit, .. } | OptionKind::Real { unit, .. } => unit,
            OptionKind::Flag | OptionKind::Choice(_) | OptionKind::Family(_) | OptionKind::Text(_) => "",
        }
    }

    /// The allowed values, as shown in tables.
    pub fn range(&self) -> String {
        match self {
            OptionKind::Flag => "0 or 1".to_owned(),
            OptionKind::Integer { range: [low, high], .. } => format!("{low} to {high}"),
            OptionKind::Real { range: [low, high], .. } => format!("{low} to {high}"),
            OptionKind::Choice(words) => words.join(", "),
            OptionKind::Family(members) => {
                let words: Vec<String> = members.iter().map(Member::text).collect();
                words.join(", ")
            }
            OptionKind::Text(form) => (*form).to_owned(),
        }
    }

    /// The expected values, as shown in error messages.
    pub fn expected(&self) -> String {
        match self {
            OptionKind::Flag => self.range(),
            OptionKind::Integer { range: [low, high], .. } => format!("a whole number from {low} to {high}"),
            OptionKind::Real { range: [low, high], .. } => format!("a number from {low} to {high}"),
            OptionKind::Choice(_) | OptionKind::Family(_) => format!("one of {}", self.range()),
            OptionKind::Text(form) => (*form).to_owned(),
        }
    }
}

impl Member {
    /// The word, with the range of its number.
    fn text(&self) -> String {
        match self.number {
            None => self.name.to_owned(),
            Some([low, high]) => format!("{}:Q (Q from {low} to {high})", self.name),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Flag(on) => write!(f, "{}", u8::from(*on)),
            OptionValue::Integer(number) => write!(f, "{number}"),
            OptionValue::Real(number) => write!(f, "{number}"),
            OptionValue::Choice(word) | OptionValue::Member(word, None) => f.write_str(word),
            OptionValue::Member(word, Some(number)) => write!(f, "{word}:{number}"),
            OptionValue::Text(text) => f.write_str(text.0),
        }
    }
}

/// A Rust type that an option can have.
pub trait OptionType: Copy + 'static {
    /// Converts to an [`OptionValue`].
    fn value(self) -> OptionValue;

    /// Converts from an [`OptionValue`]; none if the value is of another kind.
    fn of(value: OptionValue) -> Option<Self>;
}

impl OptionType for bool {
    fn value(self) -> OptionValue {
        OptionValue::Flag(self)
    }

    fn of(value: OptionValue) -> Option<bool> {
        if let OptionValue::Flag(on) = value { Some(on) } else { None }
    }
}

impl OptionType for u64 {
    fn value(self) -> OptionValue {
        OptionValue::Integer(self)
    }

    fn of(value: OptionValue) -> Option<u64> {
        if let OptionValue::Integer(number) = value { Some(number) } else { None }
    }
}

impl OptionType for f64 {
    fn value(self) -> OptionValue {
        OptionValue::Real(self)
    }

    fn of(value: OptionValue) -> Option<f64> {
        if let OptionValue::Real(number) = value { Some(number) } else { None }
    }
}

impl OptionType for Text {
    fn value(self) -> OptionValue {
        OptionValue::Text(self)
    }

    fn of(value: OptionValue) -> Option<Text> {
        if let OptionValue::Text(text) = value { Some(text) } else { None }
    }
}

/// An enum whose variants are written as words.
pub trait Choice: Copy + PartialEq + 'static {
    /// The words of all variants.
    const WORDS: &'static [&'static str];
    /// All variants, in the order of [`Choice::WORDS`].
    const ALL: &'static [Self];
}

impl<T: Choice> OptionType for T {
    fn value(self) -> OptionValue {
        let index = T::ALL.iter().position(|other| *other == self);
        OptionValue::Choice(T::WORDS[index.expect("a choice lists all its values")])
    }

    fn of(value: OptionValue) -> Option<T> {
        let OptionValue::Choice(word) = value else { return None };
        let index = T::WORDS.iter().position(|other| *other == word)?;
        T::ALL.get(index).copied()
    }
}
