//! Option values given as text: `name=value&name=value`.

use std::fmt;

use super::nearest::nearest;
use super::option::{OptionEntry, TypedOption};
use super::value::{OptionType, OptionValue, Text};

/// Values of options, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionValues {
    list: Vec<(&'static str, OptionValue)>,
}

/// An error in options given as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// The option does not exist.
    #[error("`{owner}` has no option `{option}`; did you mean `{nearest}`? It has {known}")]
    Unknown {
        /// The entry that the options belong to.
        owner: &'static str,
        /// The unknown name.
        option: String,
        /// The most similar name.
        nearest: &'static str,
        /// All names of options, separated by commas.
        known: String,
    },
    /// The entry has no options.
    #[error("`{owner}` has no options; remove `{option}`")]
    NoOptions {
        /// The entry.
        owner: &'static str,
        /// The given name.
        option: String,
    },
    /// The option was renamed.
    #[error("the option `{formerly}` of `{owner}` is now called `{option}`; use the new name")]
    Renamed {
        /// The entry that the option belongs to.
        owner: &'static str,
        /// The former name.
        formerly: &'static str,
        /// The new name.
        option: &'static str,
    },
    /// The value is not of the option's type, or out of range.
    #[error("`{value}` is not a value of `{option}`: use {expected}, such as `{option}={default}`")]
    Value {
        /// The option.
        option: &'static str,
        /// The given value.
        value: String,
        /// The expected values.
        expected: String,
        /// The default value.
        default: String,
    },
    /// The same option is given twice.
    #[error("`{0}` is given twice; remove one")]
    Twice(&'static str),
}

impl OptionValues {
    /// The options of a text such as `name=value&name=value`; an empty text has none.
    pub fn split(text: &str) -> Vec<&str> {
        if text.is_empty() { Vec::new() } else { text.split('&').collect() }
    }

    /// Parses `name=value&name=value`; `entries` declares the options of `owner`.
    ///
    /// # Errors
    /// [`OptionError`]: an unknown or repeated option, or a wrong value.
    pub fn read(
        owner: &'static str,
        entries: &[OptionEntry],
        text: &str,
    ) -> Result<OptionValues, OptionError> {
        OptionValues::read_list(owner, entries, OptionValues::split(text))
    }

    /// Parses options given one by one, each as `name=value`.
    ///
    /// # Errors
    /// [`OptionError`]: an unknown or repeated option, or a wrong value.
    pub fn read_list<'t>(
        owner: &'static str,
        entries: &[OptionEntry],
        list: impl IntoIterator<Item = &'t str>,
    ) -> Result<OptionValues, OptionError> {
        let mut given = OptionValues::default();
        for option in list {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let Some(entry) = entries.iter().find(|entry| entry.name == name) else {
                return Err(unknown(owner, entries, name));
            };
            if given.has(name) {
                return Err(OptionError::Twice(entry.name));
            }
            let wrong = || OptionError::Value {
                option: entry.name,
                value: value.to_owned(),
                expected: entry.kind.expected(),
                default: entry.default.to_string(),
            };
            given.list.push((entry.name, entry.kind.read(value).ok_or_else(wrong)?));
        }
        Ok(given)
    }

    /// Adds or replaces the value of an option. The value must be valid.
    pub fn set(&mut self, entry: &OptionEntry, value: OptionValue) {
        debug_assert!(entry.kind.has(&value), "{} can't be {value}", entry.name);
        self.list.retain(|(name, _)| *name != entry.name);
        self.list.push((entry.name, value));
    }

    /// Whether the option was given.
    pub fn has(&self, name: &str) -> bool {
        self.list.iter().any(|(known, _)| *known == name)
    }

    /// The given value of the option, or its default.
    pub fn get<T: OptionType>(&self, option: &TypedOption<T>) -> T {
        let given = self.list.iter().find(|(name, _)| *name == option.name());
        given.and_then(|(_, value)| T::of(*value)).unwrap_or(option.default())
    }

    /// The value of a text option by its name; empty if it was not given.
    pub fn text(&self, name: &str) -> &'static str {
        let given = self.list.iter().find(|(known, _)| *known == name);
        given.and_then(|(_, value)| Text::of(*value)).map_or("", |text| text.0)
    }

    /// Adds those options of `other` that `entries` declares and that were not given here.
    pub fn fill_from(&mut self, other: &OptionValues, entries: &[OptionEntry]) {
        for (name, value) in &other.list {
            let same = |entry: &OptionEntry| entry.name == *name && entry.kind.has(value);
            if !self.has(name) && entries.iter().any(same) {
                self.list.push((name, *value));
            }
        }
    }

    /// Whether no option was given.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

fn unknown(owner: &'static str, entries: &[OptionEntry], name: &str) -> OptionError {
    if let Some(entry) = entries.iter().find(|entry| entry.formerly == Some(name)) {
        return OptionError::Renamed {
            owner,
            formerly: entry.formerly.unwrap_or_default(),
            option: entry.name,
        };
    }
    let known: Vec<&'static str> = entries.iter().map(|entry| entry.name).collect();
    match known.is_empty() {
        true => OptionError::NoOptions { owner, option: name.to_owned() },
        false => OptionError::Unknown {
            owner,
            option: name.to_owned(),
            nearest: nearest(name, known.iter().copied()),
            known: known.join(", "),
        },
    }
}

impl OptionValues {
    /// The options one by one, each as `name=value`.
    pub fn texts(&self) -> Vec<String> {
        self.list.iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The options as text, separated by `sign`.
    pub fn joined(&self, sign: &str) -> String {
        self.texts().join(sign)
    }
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joined("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Choice, OptionSet};

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Norm {
        Product,
        Minimum,
    }

    impl Choice for Norm {
        const WORDS: &'static [&'static str] = &["product", "minimum"];
        const ALL: &'static [Norm] = &[Norm::Product, Norm::Minimum];
    }

    const PLIES: TypedOption<u64> = TypedOption::integer("plies", 4, [1, 240], "plies", "depth at most");
    const SHARE: TypedOption<f64> = TypedOption::real("share", 0.5, [0.0, 1.0], "", "a share");
    const SORTED: TypedOption<bool> = TypedOption::flag("sorted", true, "sorted first").formerly("order");
    const NORM: TypedOption<Norm> = TypedOption::choice("norm", Norm::Minimum, "the t-norm");

    crate::options! {
        struct TestOptions {
            plies: u64 = PLIES.or(6),
            share: f64 = SHARE,
            sorted: bool = SORTED,
            norm: Norm = NORM,
        }
    }

    fn read(text: &str) -> Result<OptionValues, OptionError> {
        OptionValues::read("test", &TestOptions::entries(), text)
    }

    #[test]
    fn options_are_parsed_with_their_types() {
        let default = TestOptions { plies: 6, share: 0.5, sorted: true, norm: Norm::Minimum };
        assert_eq!(TestOptions::of(&OptionValues::default()), default);
        let given = read("norm=product&plies=1e2&sorted=0&share=0.25").unwrap();
        let expected = TestOptions { plies: 100, share: 0.25, sorted: false, norm: Norm::Product };
        assert_eq!(TestOptions::of(&given), expected);
        assert_eq!(given.to_string(), "norm=product&plies=100&sorted=0&share=0.25");
    }

    #[test]
    fn an_empty_text_has_no_options() {
        assert_eq!(read("").unwrap(), OptionValues::default());
        assert_eq!(OptionValues::read("test", &[], "").unwrap(), OptionValues::default());
    }

    #[test]
    fn defaults_are_parsed_and_printed() {
        for entry in TestOptions::entries() {
            let text = format!("{}={}", entry.name, entry.default);
            assert_eq!(read(&text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_name_the_expected_values() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(error("plys=3").contains("did you mean `plies`? It has plies, share, sorted, norm"));
        assert!(error("plies=0").contains("use a whole number from 1 to 240, such as `plies=6`"));
        for wrong in ["plies=2.5", "plies=", "plies", "plies=NaN", "plies=-1", "plies=1e300"] {
            assert!(error(wrong).contains("a whole number"), "{wrong}");
        }
        for wrong in ["share=1.5", "share=NaN", "share=inf"] {
            assert!(error(wrong).contains("use a number from 0 to 1"), "{wrong}");
        }
        assert!(error("sorted=2").contains("use 0 or 1"));
        assert!(error("norm=max").contains("use one of product, minimum, such as `norm=minimum`"));
        assert_eq!(error("order=1"), "the option `order` of `test` is now called `sorted`; use the new name");
        assert!(error("plies=1&plies=2").contains("twice"));
        let none = OptionValues::read("test", &[], "plies=1").unwrap_err();
        assert_eq!(none.to_string(), "`test` has no options; remove `plies`");
    }

    #[test]
    fn fill_from_takes_only_declared_options_that_were_not_given() {
        let mut given = read("plies=3").unwrap();
        given.fill_from(&read("plies=4&share=0.1&sorted=0").unwrap(), &[PLIES.entry(), SHARE.entry()]);
        assert_eq!(given.to_string(), "plies=3&share=0.1");
    }
}
