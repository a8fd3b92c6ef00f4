//! A player as a line of text: `algorithm`, `algorithm:function`, `algorithm:function?option=number&option=number`.

use std::fmt;
use std::str::FromStr;

use crate::evaluation::Kind;

use super::algorithm::{ALGORITHMS, Algorithm, OptionEntry};
use super::auto::SUITABLE;

/// A player as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// How it finds its moves.
    pub algorithm: Algorithm,
    /// The evaluation function: a kind, a name, or the file of a document; none where the algorithm takes none.
    pub function: Option<String>,
    /// Options that were given, by name.
    options: Vec<(&'static OptionEntry, f64)>,
}

/// A line that is no player.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// An algorithm that there is not.
    #[error("there is no player `{name}`; nearest to it is `{nearest}` (`ggp players` lists them all)")]
    Algorithm {
        /// What was said.
        name: String,
        /// What may have been meant.
        nearest: &'static str,
    },
    /// A person where nobody sits.
    #[error("`human` plays at the prompt of `ggp play` alone")]
    Human,
    /// A function where none belongs.
    #[error("`{name}` takes no evaluation function, so nothing can stand after `{name}:`")]
    NoFunction {
        /// The algorithm.
        name: &'static str,
    },
    /// No function where one belongs.
    #[error("`{name}` needs an evaluation function: a kind such as `{name}:fuzzy`, or a document's file")]
    Function {
        /// The algorithm.
        name: &'static str,
    },
    /// An option that the algorithm does not have.
    #[error("`{name}` has no option `{option}`; nearest to it is `{nearest}`, and it has {known}")]
    Option {
        /// The algorithm.
        name: &'static str,
        /// What was said.
        option: String,
        /// What may have been meant.
        nearest: &'static str,
        /// All that it has.
        known: String,
    },
    /// An option without a number, or with one out of range.
    #[error(
        "`{option}` is `{value}`; a number from {low} to {high} is expected, such as `{option}={default}`"
    )]
    Value {
        /// The option.
        option: &'static str,
        /// What was said.
        value: String,
        /// The least it can be.
        low: f64,
        /// The greatest.
        high: f64,
        /// What it is where nothing is said.
        default: f64,
    },
    /// The same option twice.
    #[error("`{0}` is there twice")]
    Twice(&'static str),
}

/// The name that is most like a text.
fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> &'n str {
    let like = |name: &&str| strsim::normalized_damerau_levenshtein(text, name);
    names.max_by(|a, b| like(a).total_cmp(&like(b))).unwrap_or("")
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let (rest, options) = match text.split_once('?') {
            Some((rest, options)) => (rest, Some(options)),
            None => (text, None),
        };
        let (name, function) = match rest.split_once(':') {
            Some((name, function)) => (name, Some(function)),
            None => (rest, None),
        };
        if name == "human" {
            return Err(SpecError::Human);
        }
        let entry =
            ALGORITHMS.iter().find(|entry| entry.name == name).ok_or_else(|| SpecError::Algorithm {
                name: name.to_owned(),
                nearest: nearest(name, ALGORITHMS.iter().map(|entry| entry.name)),
            })?;
        let name = entry.name;
        let function = match (entry.takes_function, function) {
            (true, Some(function)) if !function.is_empty() => Some(function.to_owned()),
            (true, _) => return Err(SpecError::Function { name }),
            (false, Some(_)) => return Err(SpecError::NoFunction { name }),
            (false, None) => None,
        };
        let mut spec = PlayerSpec { algorithm: entry.algorithm, function, options: Vec::new() };
        for option in options.into_iter().flat_map(|options| options.split('&')) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            let known = entry.options.iter().find(|known| known.name == key);
            let known = known.ok_or_else(|| SpecError::Option {
                name,
                option: key.to_owned(),
                nearest: nearest(key, entry.options.iter().map(|option| option.name)),
                known: entry.options.iter().map(|option| option.name).collect::<Vec<_>>().join(", "),
            })?;
            if spec.options.iter().any(|(other, _)| other.name == key) {
                return Err(SpecError::Twice(known.name));
            }
            let [low, high] = known.range;
            let number = value.parse().ok().filter(|number| (low..=high).contains(number));
            let number = number.ok_or_else(|| SpecError::Value {
                option: known.name,
                value: value.to_owned(),
                low,
                high,
                default: known.default,
            })?;
            spec.options.push((known, number));
        }
        Ok(spec)
    }
}

impl PlayerSpec {
    /// The kinds of evaluation functions that have to be made for it; none where it takes none, or a document.
    pub fn kinds(&self) -> Vec<Kind> {
        if [Algorithm::Auto, Algorithm::Ensemble].contains(&self.algorithm) {
            return SUITABLE.to_vec();
        }
        let names = self.function_names();
        let named = |name: &&str, kind: &Kind| {
            name.split('.').next() == Some(kind.name()) && !name.ends_with(".json")
        };
        let of = |kind: &&Kind| names.iter().any(|name| named(name, kind));
        Kind::ALL.iter().filter(of).copied().collect()
    }

    /// The names of its evaluation functions: those that stand between plus signs, or the file of a document.
    pub fn function_names(&self) -> Vec<&str> {
        match self.function.as_deref() {
            None => Vec::new(),
            Some(name) if name.ends_with(".json") || name.contains(['/', '\\']) => vec![name],
            Some(names) => names.split('+').collect(),
        }
    }

    /// The same player with the options of another one that were given, as far as it has them.
    pub(super) fn with_options_of(mut self, other: &PlayerSpec) -> PlayerSpec {
        for (given, value) in &other.options {
            let known = self.algorithm.entry().options.iter().find(|option| option.name == given.name);
            self.options.extend(known.map(|option| (option, *value)));
        }
        self
    }

    /// An option of the algorithm: as it was given, else its default.
    ///
    /// # Panics
    /// The algorithm has no such option.
    pub fn option(&self, name: &str) -> f64 {
        let given = self.options.iter().find(|(option, _)| option.name == name);
        let default = || self.algorithm.entry().options.iter().find(|option| option.name == name);
        given.map_or_else(|| default().expect("the algorithm has the option").default, |(_, number)| *number)
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm.entry().name)?;
        if let Some(function) = &self.function {
            write!(f, ":{function}")?;
        }
        for (number, (option, value)) in self.options.iter().enumerate() {
            write!(f, "{}{}={value}", if number == 0 { '?' } else { '&' }, option.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written() {
        for text in [
            "random",
            "alphabeta:fuzzy",
            "mtdf:statistical?depth=6",
            "guct:statistical?cutoff=0.1&prior=5",
            "alphabeta:path/to/function.json?depth=6&table=0",
            "uct?nodes=10000",
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
        let spec: PlayerSpec = "guct:fuzzy?cutoff=0.25".parse().unwrap();
        assert_eq!((spec.option("cutoff"), spec.option("prior")), (0.25, 2.0));
    }

    #[test]
    fn wrong_lines_say_what_is_nearest() {
        let error = |text: &str| text.parse::<PlayerSpec>().unwrap_err().to_string();
        assert!(error("alphabet:fuzzy").contains("`alphabeta`"));
        assert!(error("alphabeta").contains("needs an evaluation function"));
        assert!(error("uct:fuzzy").contains("takes no evaluation function"));
        assert!(error("alphabeta:fuzzy?dept=3").contains("`depth`"));
        assert!(error("guct:fuzzy?cutoff=2").contains("from 0 to 1"));
        assert!(error("guct:fuzzy?cutoff=NaN").contains("a number"));
        assert!(error("uct?nodes=1&nodes=2").contains("twice"));
        assert!(error("").contains("no player"));
    }
}
