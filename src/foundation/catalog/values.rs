//! Options as they were given: `name=value&name=value`.

use std::fmt;

use super::nearest::nearest;
use super::option::{OptionEntry, TypedOption};
use super::value::{OptionType, OptionValue, Text};

/// Options that were given, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionValues {
    list: Vec<(&'static str, OptionValue)>,
}

/// Options that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no such option.
    #[error("`{owner}` has no option `{option}`; nearest to it is `{nearest}`, and it has {known}")]
    Unknown {
        /// Whose options they are.
        owner: &'static str,
        /// What was said.
        option: String,
        /// What may have been meant.
        nearest: &'static str,
        /// All that there are.
        known: String,
    },
    /// There are no options at all.
    #[error("`{owner}` has no options, and `{option}` is given")]
    NoOptions {
        /// Whose they would be.
        owner: &'static str,
        /// What was said.
        option: String,
    },
    /// The option has another name now.
    #[error("the option `{formerly}` of `{owner}` is called `{option}`")]
    Renamed {
        /// Whose options they are.
        owner: &'static str,
        /// What was said.
        formerly: &'static str,
        /// Its name.
        option: &'static str,
    },
    /// A value that the option can't have.
    #[error("`{option}` is `{value}`; {expected} is expected, such as `{option}={default}`")]
    Value {
        /// The option.
        option: &'static str,
        /// What was said.
        value: String,
        /// What it can be.
        expected: String,
        /// What it is where nothing is said.
        default: String,
    },
    /// The same option twice.
    #[error("`{0}` is there twice")]
    Twice(&'static str),
}

impl OptionValues {
    /// Reads `name=value&name=value`, the options of an owner that has these.
    ///
    /// # Errors
    /// An option that there is not, or a value that it can't have.
    pub fn read(
        owner: &'static str,
        entries: &[OptionEntry],
        text: &str,
    ) -> Result<OptionValues, OptionError> {
        OptionValues::read_list(owner, entries, text.split('&'))
    }

    /// Reads options one by one, each as `name=value`.
    ///
    /// # Errors
    /// An option that there is not, or a value that it can't have.
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

    /// Adds an option with a value that it can have.
    pub fn set(&mut self, entry: &OptionEntry, value: OptionValue) {
        debug_assert!(entry.kind.has(&value), "{} can't be {value}", entry.name);
        self.list.retain(|(name, _)| *name != entry.name);
        self.list.push((entry.name, value));
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.list.iter().any(|(known, _)| *known == name)
    }

    /// An option as it was given, else its default.
    pub fn get<T: OptionType>(&self, option: &TypedOption<T>) -> T {
        let given = self.list.iter().find(|(name, _)| *name == option.name());
        given.and_then(|(_, value)| T::of(*value)).unwrap_or(option.default())
    }

    /// An option that is a text, by its name; empty where it was not given.
    pub fn text(&self, name: &str) -> &'static str {
        let given = self.list.iter().find(|(known, _)| *known == name);
        given.and_then(|(_, value)| Text::of(*value)).map_or("", |text| text.0)
    }

    /// Adds those of another owner that this one, who has these, has as well and was not given.
    pub fn add(&mut self, other: &OptionValues, entries: &[OptionEntry]) {
        for (name, value) in &other.list {
            let same = |entry: &OptionEntry| entry.name == *name && entry.kind.has(value);
            if !self.has(name) && entries.iter().any(same) {
                self.list.push((name, *value));
            }
        }
    }

    /// Whether none was given.
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
    /// The options as text, with a sign between them.
    pub fn joined(&self, sign: &str) -> String {
        let texts: Vec<String> = self.list.iter().map(|(name, value)| format!("{name}={value}")).collect();
        texts.join(sign)
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
        struct Told {
            plies: u64 = PLIES.or(6),
            share: f64 = SHARE,
            sorted: bool = SORTED,
            norm: Norm = NORM,
        }
    }

    fn read(text: &str) -> Result<OptionValues, OptionError> {
        OptionValues::read("test", &Told::entries(), text)
    }

    #[test]
    fn options_are_read_with_their_types() {
        let default = Told { plies: 6, share: 0.5, sorted: true, norm: Norm::Minimum };
        assert_eq!(Told::of(&OptionValues::default()), default);
        let given = read("norm=product&plies=1e2&sorted=0&share=0.25").unwrap();
        let wanted = Told { plies: 100, share: 0.25, sorted: false, norm: Norm::Product };
        assert_eq!(Told::of(&given), wanted);
        assert_eq!(given.to_string(), "norm=product&plies=100&sorted=0&share=0.25");
    }

    #[test]
    fn every_default_can_be_said() {
        for entry in Told::entries() {
            let text = format!("{}={}", entry.name, entry.default);
            assert_eq!(read(&text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_options_say_what_is_expected() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(error("plys=3").contains("nearest to it is `plies`, and it has plies, share, sorted, norm"));
        assert!(error("plies=0").contains("a whole number from 1 to 240 is expected, such as `plies=6`"));
        for wrong in ["plies=2.5", "plies=", "plies", "plies=NaN", "plies=-1", "plies=1e300"] {
            assert!(error(wrong).contains("a whole number"), "{wrong}");
        }
        for wrong in ["share=1.5", "share=NaN", "share=inf"] {
            assert!(error(wrong).contains("a number from 0 to 1 is expected"), "{wrong}");
        }
        assert!(error("sorted=2").contains("0 or 1 is expected"));
        assert!(error("norm=max").contains("one of product, minimum is expected, such as `norm=minimum`"));
        assert_eq!(error("order=1"), "the option `order` of `test` is called `sorted`");
        assert!(error("plies=1&plies=2").contains("twice"));
        let none = OptionValues::read("test", &[], "plies=1").unwrap_err();
        assert_eq!(none.to_string(), "`test` has no options, and `plies` is given");
    }

    #[test]
    fn options_of_another_are_taken_where_they_fit() {
        let mut given = read("plies=3").unwrap();
        given.add(&read("plies=4&share=0.1&sorted=0").unwrap(), &[PLIES.entry(), SHARE.entry()]);
        assert_eq!(given.to_string(), "plies=3&share=0.1");
    }
}
