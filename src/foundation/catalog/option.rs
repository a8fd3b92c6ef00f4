//! Declarations of options. The program, its help and its documents all use the same declaration.

use super::value::{Choice, Member, OptionKind, OptionType, OptionValue, Text};

/// The declaration of an option whose value has type `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedOption<T> {
    name: &'static str,
    formerly: Option<&'static str>,
    default: T,
    kind: OptionKind,
    help: &'static str,
}

/// The declaration of an option without its Rust type, for lists, help and parsing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionEntry {
    /// The option's name.
    pub name: &'static str,
    /// The former name, if the option was renamed. Using it is an error that reports the new name.
    pub formerly: Option<&'static str>,
    /// The value if none is given.
    pub default: OptionValue,
    /// The allowed values and their unit.
    pub kind: OptionKind,
    /// The help text: a few words.
    pub help: &'static str,
}

impl TypedOption<bool> {
    /// A flag: on or off.
    pub const fn flag(name: &'static str, default: bool, help: &'static str) -> TypedOption<bool> {
        TypedOption { name, formerly: None, default, kind: OptionKind::Flag, help }
    }
}

impl TypedOption<u64> {
    /// An integer option.
    ///
    /// # Panics
    /// Panics if the default is out of range.
    pub const fn integer(
        name: &'static str,
        default: u64,
        range: [u64; 2],
        unit: &'static str,
        help: &'static str,
    ) -> TypedOption<u64> {
        assert!(range[0] <= default && default <= range[1], "the default is out of range");
        TypedOption { name, formerly: None, default, kind: OptionKind::Integer { range, unit }, help }
    }
}

impl TypedOption<f64> {
    /// A floating-point option.
    ///
    /// # Panics
    /// Panics if the default is out of range.
    pub const fn real(
        name: &'static str,
        default: f64,
        range: [f64; 2],
        unit: &'static str,
        help: &'static str,
    ) -> TypedOption<f64> {
        assert!(range[0] <= default && default <= range[1], "the default is out of range");
        TypedOption { name, formerly: None, default, kind: OptionKind::Real { range, unit }, help }
    }
}

impl TypedOption<Text> {
    /// A text option; `form` describes the expected text. The default is the empty text.
    pub const fn text(name: &'static str, form: &'static str, help: &'static str) -> TypedOption<Text> {
        TypedOption { name, formerly: None, default: Text(""), kind: OptionKind::Text(form), help }
    }
}

impl<T: Choice> TypedOption<T> {
    /// An option with one of the words of `T`.
    ///
    /// # Panics
    /// Panics if `T` has unequal numbers of words and values.
    pub const fn choice(name: &'static str, default: T, help: &'static str) -> TypedOption<T> {
        assert!(T::WORDS.len() == T::ALL.len(), "every value has a word");
        TypedOption { name, formerly: None, default, kind: OptionKind::Choice(T::WORDS), help }
    }
}

impl<T: OptionType> TypedOption<T> {
    /// An option with one of several words; some of the words take a number.
    pub const fn family(
        name: &'static str,
        default: T,
        members: &'static [Member],
        help: &'static str,
    ) -> TypedOption<T> {
        TypedOption { name, formerly: None, default, kind: OptionKind::Family(members), help }
    }

    /// The same option with another default.
    #[must_use]
    pub const fn or(self, default: T) -> TypedOption<T> {
        TypedOption { default, ..self }
    }

    /// The same option with a former name.
    #[must_use]
    pub const fn formerly(self, name: &'static str) -> TypedOption<T> {
        TypedOption { formerly: Some(name), ..self }
    }

    /// The option's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The value if none is given.
    pub const fn default(&self) -> T {
        self.default
    }

    /// Whether the option accepts this value.
    pub fn allows(&self, value: T) -> bool {
        self.kind.has(&value.value())
    }

    /// The expected values, in the wording of error messages.
    pub fn expected(&self) -> String {
        self.kind.expected()
    }

    /// The same declaration without the type `T`.
    pub fn entry(&self) -> OptionEntry {
        let TypedOption { name, formerly, default, kind, help } = *self;
        OptionEntry { name, formerly, default: default.value(), kind, help }
    }
}
