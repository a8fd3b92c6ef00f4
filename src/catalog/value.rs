//! The types that options have, and their values as text.

use std::fmt;

/// What an option can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// On or off, written 1 and 0.
    Flag,
    /// A whole number.
    Integer {
        /// The least and the greatest.
        range: [u64; 2],
        /// Its unit; empty where it has none.
        unit: &'static str,
    },
    /// A number.
    Real {
        /// The least and the greatest.
        range: [f64; 2],
        /// Its unit; empty where it has none.
        unit: &'static str,
    },
    /// One of some words.
    Choice(&'static [&'static str]),
}

/// A value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionValue {
    /// On or off.
    Flag(bool),
    /// A whole number.
    Integer(u64),
    /// A number.
    Real(f64),
    /// A word.
    Choice(&'static str),
}

/// Whole numbers that a floating-point number can tell apart, so that `1e6` may be said as well.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl OptionKind {
    /// Reads a value; none where it is no value of this kind, or one out of range.
    pub fn read(&self, text: &str) -> Option<OptionValue> {
        let value = match self {
            OptionKind::Flag => match text {
                "0" | "false" => OptionValue::Flag(false),
                "1" | "true" => OptionValue::Flag(true),
                _ => return None,
            },
            OptionKind::Integer { .. } => {
                let whole = |number: &f64| (0.0..=EXACT).contains(number) && number.fract() == 0.0;
                let exponent = || text.parse().ok().filter(whole).map(|number| number as u64);
                OptionValue::Integer(text.parse().ok().or_else(exponent)?)
            }
            OptionKind::Real { .. } => OptionValue::Real(text.parse().ok()?),
            OptionKind::Choice(words) => OptionValue::Choice(words.iter().find(|word| **word == text)?),
        };
        self.has(&value).then_some(value)
    }

    /// Whether a value is one of these.
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
            _ => false,
        }
    }

    /// The unit; empty where there is none.
    pub fn unit(&self) -> &'static str {
        match *self {
            OptionKind::Integer { unit, .. } | OptionKind::Real { unit, .. } => unit,
            OptionKind::Flag | OptionKind::Choice(_) => "",
        }
    }

    /// What it can be, as a table says it.
    pub fn range(&self) -> String {
        match self {
            OptionKind::Flag => "0 or 1".to_owned(),
            OptionKind::Integer { range: [low, high], .. } => format!("{low} to {high}"),
            OptionKind::Real { range: [low, high], .. } => format!("{low} to {high}"),
            OptionKind::Choice(words) => words.join(", "),
        }
    }

    /// What is expected, as an error says it.
    pub fn expected(&self) -> String {
        match self {
            OptionKind::Flag => self.range(),
            OptionKind::Integer { range: [low, high], .. } => format!("a whole number from {low} to {high}"),
            OptionKind::Real { range: [low, high], .. } => format!("a number from {low} to {high}"),
            OptionKind::Choice(words) => format!("one of {}", words.join(", ")),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Flag(on) => write!(f, "{}", u8::from(*on)),
            OptionValue::Integer(number) => write!(f, "{number}"),
            OptionValue::Real(number) => write!(f, "{number}"),
            OptionValue::Choice(word) => f.write_str(word),
        }
    }
}

/// A type that an option can have in the program.
pub trait OptionType: Copy + 'static {
    /// The value as it is kept.
    fn value(self) -> OptionValue;

    /// The value that was kept; none where it is of another kind.
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

/// A type of a few values that each have a word.
pub trait Choice: Copy + PartialEq + 'static {
    /// The words of all values.
    const WORDS: &'static [&'static str];
    /// All values, in the order of their words.
    const ALL: &'static [Self];
}

impl<T: Choice> OptionType for T {
    fn value(self) -> OptionValue {
        let place = T::ALL.iter().position(|other| *other == self);
        OptionValue::Choice(T::WORDS[place.expect("a choice lists all its values")])
    }

    fn of(value: OptionValue) -> Option<T> {
        let OptionValue::Choice(word) = value else { return None };
        let place = T::WORDS.iter().position(|other| *other == word)?;
        T::ALL.get(place).copied()
    }
}
