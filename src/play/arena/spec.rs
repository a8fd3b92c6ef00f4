//! A player as a line of text: `algorithm`, or `algorithm:function`, then options after commas:
//! `alphabeta:fuzzy,norm=product,depth=4`. An option belongs to the algorithm or to the function, never to both.
//!
//! With several functions, or where a value has a comma, the options of a function are in parentheses, and those of the
//! algorithm may follow a question mark: `guct:fuzzy(norm=product)+mobility?nodes=1000&cutoff=0.1`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::analysis::{FunctionSelector, Kinds, Plan};
use crate::catalog::{CatalogEntry, OptionError, OptionValues, nearest};
use crate::evaluation::Tuning;
use crate::evaluation::{Kind, kinds};

use super::algorithm::{ALGORITHMS, AlgorithmEntry, FunctionUse, LEARN, PREPARE};
use super::prepared_game::SUITABLE;
use super::spec_error::SpecError;

/// A player as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// How it finds its moves.
    pub algorithm: &'static AlgorithmEntry,
    /// The evaluation function: a kind or a name, with its options if it has some, or the file of a document; none where the algorithm takes none.
    pub function: Option<String>,
    /// Options that were given.
    pub options: OptionValues,
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let (rest, after_mark) = match text.split_once('?') {
            Some((rest, options)) => (rest, options.split('&').collect()),
            None => (text, Vec::new()),
        };
        let (rest, after_commas) = split_options(rest);
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
        let entries = algorithm.options();
        let is_own = |option: &&str| entries.iter().any(|entry| Some(entry.name) == option.split('=').next());
        let (mut own, others): (Vec<&str>, Vec<&str>) = after_commas.into_iter().partition(is_own);
        own.extend(after_mark);
        let function = match (takes_function, function) {
            (true, Some(function)) if !function.is_empty() => {
                Some(spelled(&with_options(algorithm, function, &others)?)?)
            }
            (true, _) => return Err(SpecError::Function { name }),
            (false, Some(_)) => return Err(SpecError::NoFunction { name }),
            (false, None) => {
                own.extend(others);
                None
            }
        };
        let options = OptionValues::read_list(name, &entries, own);
        let options = options.map_err(|error| of_function(name, function.as_deref(), error))?;
        Ok(PlayerSpec { algorithm, function, options })
    }
}

impl PlayerSpec {
    /// The time in which a player learns functions and tries them, of such a start clock; none where it does not.
    pub fn learns(&self, clock: Duration) -> Option<Duration> {
        let entry = self.algorithm.options();
        let known = entry.iter().any(|option| option.name == LEARN.name());
        let (share, given) = (self.options.get(&LEARN), self.options.get(&PREPARE));
        let seconds = if given > 0.0 { given } else { clock.as_secs_f64() * share };
        // With a limit of nodes a player is the same on any machine.
        let learns = known && seconds > 0.0 && !self.options.has("nodes");
        Duration::try_from_secs_f64(seconds).ok().filter(|_| learns)
    }

    /// The names of its evaluation functions: those that stand between plus signs, or the file of a document.
    pub fn function_names(&self) -> Vec<&str> {
        self.function.as_deref().map_or_else(Vec::new, names)
    }

    /// What its evaluation functions are.
    fn selectors(&self) -> Vec<FunctionSelector> {
        // They were read when the line was.
        let own = self.function_names().into_iter().filter_map(|name| name.parse().ok());
        // Names in an option may say how often they are meant, and name no function.
        let more =
            self.options.text("functions").split('+').map(|name| name.split('*').next().unwrap_or(name));
        let more =
            more.filter(|name| !["", "exhaustive"].contains(name)).filter_map(|name| name.parse().ok());
        own.chain(more).collect()
    }
}

/// The names that stand between plus signs outside of parentheses, or the file of a document.
fn names(function: &str) -> Vec<&str> {
    if is_file(function) {
        return vec![function];
    }
    let mut depth = 0_usize;
    function
        .split(|sign: char| {
            match sign {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            sign == '+' && depth == 0
        })
        .collect()
}

/// Splits a line at the commas outside of parentheses that an option follows: what comes before the options, and these.
fn split_options(line: &str) -> (&str, Vec<&str>) {
    let mut depth = 0_usize;
    let mut starts = Vec::new();
    for (place, sign) in line.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && is_option(&line[place + 1..]) => starts.push(place),
            _ => {}
        }
    }
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let options = starts.iter().zip(ends).map(|(&start, end)| line[start + 1..end].trim()).collect();
    (&line[..starts.first().copied().unwrap_or(line.len())], options)
}

/// Whether a text begins with the name of an option and an equals sign.
fn is_option(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or("").trim();
    name.len() < text.len()
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// A function with options that follow it after commas and are not the algorithm's.
fn with_options(
    algorithm: &'static AlgorithmEntry,
    function: &str,
    options: &[&str],
) -> Result<String, SpecError> {
    let Some(first) = options.first() else { return Ok(function.to_owned()) };
    let name = |option: &str| option.split('=').next().unwrap_or("").to_owned();
    if names(function).len() > 1 || function.ends_with(')') {
        return Err(SpecError::OptionAfterParentheses { option: name(first), name: algorithm.name() });
    }
    let kind = function.parse::<FunctionSelector>()?.kind();
    let entries = kind.map_or_else(Vec::new, |kind| kinds::entry(kind).options());
    for option in options {
        if !entries.iter().any(|entry| entry.name == name(option)) {
            // The error names the nearest option of both.
            let all: Vec<_> = algorithm.options().into_iter().chain(entries.iter().cloned()).collect();
            OptionValues::read_list(algorithm.name(), &all, [*option])?;
        }
    }
    Ok(format!("{function}({})", options.join(",")))
}

fn is_file(name: &str) -> bool {
    name.ends_with(".json") || name.contains(['/', '\\'])
}

/// Functions as they were said, but for their options, which have one spelling.
fn spelled(function: &str) -> Result<String, SpecError> {
    let mut out = Vec::new();
    for name in names(function) {
        out.push(match name.parse()? {
            tuned @ FunctionSelector::Tuned(..) => tuned.to_string(),
            _ => name.to_owned(),
        });
    }
    Ok(out.join("+"))
}

/// The error of an option that the algorithm does not have: where its function does, it says so.
fn of_function(name: &'static str, function: Option<&str>, error: OptionError) -> SpecError {
    let OptionError::Unknown { option, .. } = &error else { return error.into() };
    let first = function.and_then(|function| names(function).into_iter().next());
    let kind = first.and_then(|function| function.parse::<FunctionSelector>().ok()?.kind());
    let entry = kind.and_then(|kind| kinds::entry(kind).options().into_iter().find(|of| of.name == option));
    match (kind, entry) {
        (Some(kind), Some(of)) => {
            SpecError::OptionOfFunction { name, kind, option: of.name, default: of.default.to_string() }
        }
        _ => error.into(),
    }
}

/// What a plan has to make for the players of some lines: their functions alone. A line that is no player's of this program
/// needs nothing.
pub fn plan_for<'l>(plan: Plan, lines: impl IntoIterator<Item = &'l str>) -> Plan {
    let mut kinds: BTreeSet<Kind> = BTreeSet::new();
    let mut tunings: Vec<Tuning> = Vec::new();
    for spec in lines.into_iter().filter_map(|line| line.parse::<PlayerSpec>().ok()) {
        if spec.algorithm.about().functions == FunctionUse::Chosen {
            kinds.extend(SUITABLE);
        }
        for selector in spec.selectors() {
            match (selector.kind(), selector) {
                (_, FunctionSelector::Document(_)) => {}
                (_, FunctionSelector::Tuned(_, tuning)) if tunings.contains(&tuning) => {}
                (_, FunctionSelector::Tuned(_, tuning)) => tunings.push(tuning),
                (Some(kind), _) => {
                    kinds.insert(kind);
                }
                // A name that no function has: whoever says so lists those that there are.
                (None, _) => return plan,
            }
        }
    }
    Plan {
        kinds: Kinds::Only(kinds.into_iter().collect()),
        tunings,
        features: false,
        rule_playouts: 0,
        ..plan
    }
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
            "maxn:statistical?depth=6",
            "guct:statistical?cutoff=0.1&prior=5",
            "alphabeta:path/to/function.json?depth=6&table=0",
            "uct?nodes=10000",
            "alphabeta:fuzzy(norm=yager:25,threshold=0.75)?depth=4",
            "guct:fuzzy(p=0.9,norm=product)+fuzzy.red(opponents=0)+kuhlmann",
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
        assert_eq!(
            error("alphabeta:fuzzy?null=0"),
            "the option `null` of `alphabeta` is now called `pvs`; use the new name"
        );
        assert!(error("").contains("no player"));
    }

    #[test]
    fn options_of_functions_are_checked_as_the_line_is_read() {
        let error = |text: &str| text.parse::<PlayerSpec>().unwrap_err().to_string();
        assert!(
            error("alphabeta:fuzzy(nrm=yager:25)")
                .contains("`fuzzy` has no option `nrm`; did you mean `norm`?")
        );
        assert!(error("alphabeta:fuzzy(norm=yagr)").contains("one of strict"));
        assert!(error("alphabeta:fuzzy(p=0.8,p=0.9)").contains("twice"));
        assert!(error("alphabeta:fuzzy(p=0.6)").contains("at least the threshold"));
        assert!(error("alphabeta:mobility(p=0.6)").contains("`mobility` has no options"));
        assert!(error("alphabeta:fuzy(p=0.6)").contains("nearest to it is `fuzzy`"));
        assert_eq!(
            error("alphabeta:fuzzy?norm=product"),
            "`norm` is an option of `fuzzy`, not of `alphabeta`: say `alphabeta:fuzzy(norm=strict)`"
        );
    }

    #[test]
    fn options_follow_after_commas() {
        let read = |text: &str| text.parse::<PlayerSpec>().map(|spec| spec.to_string());
        for (text, same) in [
            ("alphabeta:fuzzy,norm=product,depth=4", "alphabeta:fuzzy(norm=product)?depth=4"),
            ("alphabeta:fuzzy,depth=4,norm=product", "alphabeta:fuzzy(norm=product)?depth=4"),
            ("alphabeta:fuzzy,depth=4", "alphabeta:fuzzy?depth=4"),
            ("uct,nodes=10000,seed=3", "uct?nodes=10000&seed=3"),
            ("guct:fuzzy(p=0.9)+mobility,cutoff=0.1", "guct:fuzzy(p=0.9)+mobility?cutoff=0.1"),
            ("alphabeta:a/b,c.json,depth=2", "alphabeta:a/b,c.json?depth=2"),
            ("alphabeta:fuzzy,norm=yager:25?depth=4", "alphabeta:fuzzy(norm=yager:25)?depth=4"),
        ] {
            assert_eq!(read(text), Ok(same.to_owned()), "{text}");
        }
        let error = |text: &str| read(text).unwrap_err();
        assert!(matches!(
            error("uct,node=1"),
            SpecError::Option(OptionError::Unknown { nearest: "nodes", .. })
        ));
        assert!(matches!(
            error("alphabeta:fuzzy,nrm=product"),
            SpecError::Option(OptionError::Unknown { nearest: "norm", .. })
        ));
        assert!(matches!(
            error("guct:fuzzy+mobility,norm=product"),
            SpecError::OptionAfterParentheses { .. }
        ));
        assert!(matches!(
            error("alphabeta:fuzzy,depth=4,depth=5"),
            SpecError::Option(OptionError::Twice("depth"))
        ));
    }

    #[test]
    fn no_option_belongs_to_an_algorithm_and_to_a_function() {
        for algorithm in ALGORITHMS {
            for kind in Kind::ALL {
                for option in kinds::entry(*kind).options() {
                    let both = algorithm.options().iter().any(|other| other.name == option.name);
                    assert!(!both, "`{}` is an option of {} and of {kind}", option.name, algorithm.name());
                }
            }
        }
    }

    #[test]
    fn options_have_one_spelling() {
        let spec: PlayerSpec = "guct:Fuzzy( p=0.90 , norm=yager:2.0)+x1".parse().unwrap();
        assert_eq!(spec.to_string(), "guct:fuzzy(p=0.9,norm=yager:2)+x1");
        assert_eq!(spec.function_names(), ["fuzzy(p=0.9,norm=yager:2)", "x1"]);
        let exponent: PlayerSpec = "guct:fuzzy(p=9e-1)+fuzzy".parse().unwrap();
        assert_eq!(exponent.function_names(), ["fuzzy(p=0.9)", "fuzzy"]);
    }

    #[test]
    fn a_plan_makes_what_the_lines_name() {
        let lines = ["alphabeta:fuzzy(p=0.9)", "greedy:fuzzy(p=0.90)", "greedy:statistical", "uct"];
        let plan = plan_for(Plan::default(), lines);
        assert_eq!(plan.kinds, Kinds::Only(vec![Kind::Statistical]));
        let tunings: Vec<String> = plan.tunings.iter().map(Tuning::to_string).collect();
        assert_eq!(tunings, ["p=0.9"]);
    }
}
