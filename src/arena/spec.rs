//! A player as a line of text: `algorithm`, `algorithm:function`, `algorithm:function?option=number&option=number`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::analysis::{Kinds, Plan};
use crate::catalog::{CatalogEntry, OptionValues, nearest};
use crate::evaluation::Kind;

use super::algorithm::{ALGORITHMS, AlgorithmEntry, FunctionUse};
use super::prepared_game::SUITABLE;
use super::spec_error::SpecError;

/// A player as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// How it finds its moves.
    pub algorithm: &'static AlgorithmEntry,
    /// The evaluation function: a kind, a name, or the file of a document; none where the algorithm takes none.
    pub function: Option<String>,
    /// Options that were given.
    pub options: OptionValues,
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
        let found = ALGORITHMS.iter().find(|entry| entry.name() == name);
        let algorithm = found.ok_or_else(|| SpecError::Algorithm {
            name: name.to_owned(),
            nearest: nearest(name, ALGORITHMS.iter().map(AlgorithmEntry::name)),
        })?;
        let name = algorithm.name();
        let takes_function = algorithm.about().functions == FunctionUse::Named;
        let function = match (takes_function, function) {
            (true, Some(function)) if !function.is_empty() => Some(function.to_owned()),
            (true, _) => return Err(SpecError::Function { name }),
            (false, Some(_)) => return Err(SpecError::NoFunction { name }),
            (false, None) => None,
        };
        let options = match options {
            Some(options) => OptionValues::read(name, &algorithm.options(), options)?,
            None => OptionValues::default(),
        };
        Ok(PlayerSpec { algorithm, function, options })
    }
}

impl PlayerSpec {
    /// The kinds of evaluation functions that have to be made for it; none where it takes none, or a document.
    pub fn kinds(&self) -> Vec<Kind> {
        if self.algorithm.about().functions == FunctionUse::Chosen {
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
}

/// What a plan has to make for the players of some lines: their kinds of functions alone. A line that is no player's of
/// this program needs nothing.
pub fn plan_for<'l>(plan: Plan, lines: impl IntoIterator<Item = &'l str>) -> Plan {
    let mut kinds: BTreeSet<Kind> = BTreeSet::new();
    for spec in lines.into_iter().filter_map(|line| line.parse::<PlayerSpec>().ok()) {
        let of_player = spec.kinds();
        let is_file = |name: &&str| name.ends_with(".json") || name.contains(['/', '\\']);
        if of_player.is_empty() && !spec.function_names().iter().all(is_file) {
            // A name that no function has: whoever says so lists those that there are.
            return plan;
        }
        kinds.extend(of_player);
    }
    Plan { kinds: Kinds::Only(kinds.into_iter().collect()), features: false, ..plan }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm.name())?;
        if let Some(function) = &self.function {
            write!(f, ":{function}")?;
        }
        if self.options.is_empty() { Ok(()) } else { write!(f, "?{}", self.options) }
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
        assert_eq!(error("mtdf:fuzzy?null=0"), "the option `null` of `mtdf` is called `pvs`");
        assert!(error("").contains("no player"));
    }
}
