//! An option as it is declared, once for the program, its help and its documents.

use super::value::{Choice, Member, OptionKind, OptionType, OptionValue, Text};

/// An option of a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedOption<T> {
    name: &'static str,
    formerly: Option<&'static str>,
    default: T,
    kind: OptionKind,
    help: &'static str,
}

/// An option as it is listed and read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionEntry {
    /// Its name.
    pub name: &'static str,
    /// What it was called once: whoever says so is told the name.
    pub formerly: Option<&'static str>,
    /// What it is where nothing is said.
    pub default: OptionValue,
    /// What it can be, with its unit.
    pub kind: OptionKind,
    /// What it says, in a few words.
    pub help: &'static str,
}

impl TypedOption<bool> {
    /// An option that is on or off.
    pub const fn flag(name: &'static str, default: bool, help: &'static str) -> TypedOption<bool> {
        TypedOption { name, formerly: None, default, kind: OptionKind::Flag, help }
    }
}

impl TypedOption<u64> {
    /// A whole number.
    ///
    /// # Panics
    /// The default is out of range.
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
    /// A number.
    ///
    /// # Panics
    /// The default is out of range.
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
    /// A text of this form; none where it is empty.
    pub const fn text(name: &'static str, form: &'static str, help: &'static str) -> TypedOption<Text> {
        TypedOption { name, formerly: None, default: Text(""), kind: OptionKind::Text(form), help }
    }
}

impl<T: Choice> TypedOption<T> {
    /// One of a few words.
    ///
    /// # Panics
    /// The type lists more words than values, or fewer.
    pub const fn choice(name: &'static str, default: T, help: &'static str) -> TypedOption<T> {
        assert!(T::WORDS.len() == T::ALL.len(), "every value has a word");
        TypedOption { name, formerly: None, default, kind: OptionKind::Choice(T::WORDS), help }
    }
}

impl<T: OptionType> TypedOption<T> {
    /// One of a few words, of which some take a number.
    pub const fn family(
        name: &'static str,
        default: T,
        members: &'static [Member],
        help: &'static str,
    ) -> TypedOption<T> {
        TypedOption { name, formerly: None, default, kind: OptionKind::Family(members), help }
    }

    /// The same with another default.
    #[must_use]
    pub const fn or(self, default: T) -> TypedOption<T> {
        TypedOption { default, ..self }
    }

    /// The same, which was called otherwise once.
    #[must_use]
    pub const fn formerly(self, name: &'static str) -> TypedOption<T> {
        TypedOption { formerly: Some(name), ..self }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it is where nothing is said.
    pub const fn default(&self) -> T {
        self.default
    }

    /// Whether it may have a value.
    pub fn allows(&self, value: T) -> bool {
        self.kind.has(&value.value())
    }

    /// What it may be, as an error says it.
    pub fn expected(&self) -> String {
        self.kind.expected()
    }

    /// As it is listed and read.
    pub fn entry(&self) -> OptionEntry {
        let TypedOption { name, formerly, default, kind, help } = *self;
        OptionEntry { name, formerly, default: default.value(), kind, help }
    }
}
