//! A player as a line of text: `algorithm` or `algorithm:function`, then options after commas:
//! `alphabeta:fuzzy,norm=product,depth=4`. An option belongs to the algorithm or to the function, never to both.
//!
//! With several functions, or if a value contains a comma, the options of a function are in parentheses, and the options
//! of the algorithm follow a question mark: `guct:fuzzy(norm=product)+mobility?nodes=1000&cutoff=0.1`. Both forms can always
//! be read; `Display` writes the first one where it can.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::analysis::{FunctionSelector, Kinds, Plan};
use crate::catalog::{CatalogEntry, OptionError, OptionValues, nearest};
use crate::evaluation::Tuning;
use crate::evaluation::{Kind, kinds};

use super::algorithm::{ALGORITHMS, AlgorithmEntry, FunctionUse, LEARN, PREPARE};
use super::prepared_game::{REPEATS, SUITABLE};
use super::spec_error::SpecError;

/// A player as a user describes it: an algorithm, its evaluation functions and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// The search algorithm.
    pub algorithm: &'static AlgorithmEntry,
    /// The evaluation functions, joined by `+`: kinds or names, options in parentheses, or the file of a document. None if
    /// the algorithm takes no function.
    pub function: Option<String>,
    /// The given options of the algorithm.
    pub options: OptionValues,
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let (rest, after_mark) = match text.split_once('?') {
            Some((rest, options)) => (rest, OptionValues::split(options)),
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
                Some(canonical_functions(&with_options(algorithm, function, &others)?)?)
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
    /// The part of the start clock `clock` in which the player learns functions and tests them; none if it doesn't learn.
    pub fn learns(&self, clock: Duration) -> Option<Duration> {
        let entry = self.algorithm.options();
        let known = entry.iter().any(|option| option.name == LEARN.name());
        let (share, given) = (self.options.get(&LEARN), self.options.get(&PREPARE));
        let seconds = if given > 0.0 { given } else { clock.as_secs_f64() * share };
        // A player with a limit of nodes must play the same moves on any computer, and learning depends on the time.
        let learns = known && seconds > 0.0 && !self.options.has("nodes");
        Duration::try_from_secs_f64(seconds).ok().filter(|_| learns)
    }

    /// The evaluation functions one by one: names with their options, or the file of a document.
    pub fn function_names(&self) -> Vec<&str> {
        self.function.as_deref().map_or_else(Vec::new, function_names)
    }

    /// All evaluation functions that the line names, including those of the option `functions`.
    fn selectors(&self) -> Vec<FunctionSelector> {
        // `from_str` has parsed these names before, so that none fails here.
        let own = self.function_names().into_iter().filter_map(|name| name.parse().ok());
        // The option may repeat a function (`fuzzy:2`), and has words that are not functions.
        let more =
            self.options.text("functions").split('+').map(|name| name.split(REPEATS).next().unwrap_or(name));
        let more =
            more.filter(|name| !["", "exhaustive"].contains(name)).filter_map(|name| name.parse().ok());
        own.chain(more).collect()
    }

    /// The form with parentheses and a question mark, which has no exceptions: `alphabeta:fuzzy(norm=product)?depth=4`. Seeds of
    /// matches are made from it, so it must not change.
    fn unambiguous(&self) -> String {
        let function = self.function.as_ref().map_or_else(String::new, |function| format!(":{function}"));
        let options = if self.options.is_empty() { String::new() } else { format!("?{}", self.options) };
        format!("{}{function}{options}", self.algorithm.name())
    }

    /// The form with commas; none with several functions, or if a comma would be ambiguous.
    fn with_commas(&self) -> Option<String> {
        let mut parts = vec![self.algorithm.name().to_owned()];
        if let Some(function) = &self.function {
            if function_names(function).len() > 1 {
                return None;
            }
            let (name, options) = match function.parse().ok()? {
                FunctionSelector::Tuned(of, tuning) => (of.to_string(), tuning.options().texts()),
                _ => (function.clone(), Vec::new()),
            };
            parts[0] = format!("{}:{name}", parts[0]);
            parts.extend(options);
        }
        parts.extend(self.options.texts());
        let is_clear = parts.iter().skip(1).all(|option| !option.contains([',', '?', '(', ')']));
        is_clear.then(|| parts.join(","))
    }
}

/// The canonical spelling of a player's line, as `Display` writes it. A line that can't be parsed, such as one of another
/// [`PlayerFactory`](super::PlayerFactory), stays as it is.
pub fn canonical_line(line: &str) -> String {
    line.parse().map_or_else(|_| line.to_owned(), |spec: PlayerSpec| spec.to_string())
}

/// The text of a player's line that seeds are made from: [`PlayerSpec::unambiguous`], so that seeds don't depend on the
/// spelling. A line that can't be parsed stays as it is.
pub(super) fn seed_text(line: &str) -> String {
    line.parse().map_or_else(|_| line.to_owned(), |spec: PlayerSpec| spec.unambiguous())
}

/// The functions between plus signs outside of parentheses, or the file of a document.
fn function_names(function: &str) -> Vec<&str> {
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

/// Splits a line at each comma outside of parentheses that an option follows. Returns the text before the options, and the
/// options.
fn split_options(line: &str) -> (&str, Vec<&str>) {
    let mut depth = 0_usize;
    let mut starts = Vec::new();
    for (index, sign) in line.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && is_option(&line[index + 1..]) => starts.push(index),
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

/// Writes the options of a function, which follow after commas, in parentheses.
fn with_options(
    algorithm: &'static AlgorithmEntry,
    function: &str,
    options: &[&str],
) -> Result<String, SpecError> {
    let Some(first) = options.first() else { return Ok(function.to_owned()) };
    let name = |option: &str| option.split('=').next().unwrap_or("").to_owned();
    if function_names(function).len() > 1 || function.ends_with(')') {
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

/// Writes the options of functions in one spelling (`p=0.90` as `p=0.9`).
fn canonical_functions(function: &str) -> Result<String, SpecError> {
    let mut out = Vec::new();
    for name in function_names(function) {
        out.push(match name.parse()? {
            tuned @ FunctionSelector::Tuned(..) => tuned.to_string(),
            _ => name.to_owned(),
        });
    }
    Ok(out.join("+"))
}

/// Replaces the error of an unknown option if the function has an option of this name.
fn of_function(name: &'static str, function: Option<&str>, error: OptionError) -> SpecError {
    let OptionError::Unknown { option, .. } = &error else { return error.into() };
    let first = function.and_then(|function| function_names(function).into_iter().next());
    let kind = first.and_then(|function| function.parse::<FunctionSelector>().ok()?.kind());
    let entry = kind.and_then(|kind| kinds::entry(kind).options().into_iter().find(|of| of.name == option));
    match (kind, entry) {
        (Some(kind), Some(of)) => {
            let option = of.name;
            let example = match function {
                Some(function) if function_names(function).len() > 1 => {
                    format!("{kind}({option}={})", of.default)
                }
                _ => format!("{name}:{kind},{option}={}", of.default),
            };
            SpecError::OptionOfFunction { name, kind, option, example }
        }
        _ => error.into(),
    }
}

/// Restricts a plan to the functions of some players. Lines that name no player of [`ALGORITHMS`] need no functions.
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
                // The name may be of any kind. If no function has it, the error lists all names.
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
        f.write_str(&self.with_commas().unwrap_or_else(|| self.unambiguous()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::OptionEntry;

    #[test]
    fn player_lines_are_parsed_and_printed() {
        for text in [
            "random",
            "alphabeta:fuzzy",
            "maxn:statistical,depth=6",
            "guct:statistical,cutoff=0.1,prior=5",
            "alphabeta:path/to/function.json,depth=6,table=0",
            "uct,nodes=10000",
            "alphabeta:fuzzy,norm=yager:25,threshold=0.75,depth=4",
            "guct:fuzzy(p=0.9,norm=product)+fuzzy.red(opponents=0)+kuhlmann",
            "guct:fuzzy+mobility?cutoff=0.1&prior=5",
            "ensemble?functions=learned(work=12,seed=2)+fuzzy",
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
    }

    /// Values of an option that a user may write.
    fn values(option: &OptionEntry) -> Vec<String> {
        let default = option.default.to_string();
        if default.is_empty() { vec!["fuzzy*2+statistical".to_owned()] } else { vec![default] }
    }

    #[test]
    fn every_option_of_every_player_and_function_is_written_as_it_is_read() {
        let round = |text: &str| {
            let spec: PlayerSpec = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()), "{text}");
            assert_eq!(spec.unambiguous().parse(), Ok(spec.clone()), "{text}");
            assert_eq!(canonical_line(&spec.unambiguous()), spec.to_string());
            spec.to_string()
        };
        let one = |options: &[OptionEntry]| -> Vec<String> {
            let text = |option: &OptionEntry, value: &String| format!(",{}={value}", option.name);
            let texts = options.iter().flat_map(|option| {
                values(option).iter().map(|value| text(option, value)).collect::<Vec<_>>()
            });
            texts.chain([String::new()]).collect()
        };
        for algorithm in ALGORITHMS {
            let own = one(&algorithm.options());
            if algorithm.about().functions != FunctionUse::Named {
                for option in &own {
                    let line = format!("{}{option}", algorithm.name());
                    assert_eq!(round(&line), line);
                }
                continue;
            }
            for kind in Kind::ALL {
                for (tuning, option) in one(&kinds::entry(*kind).options()).iter().zip(own.iter().cycle()) {
                    let line = format!("{}:{kind}{tuning}{option}", algorithm.name());
                    assert_eq!(round(&line), line);
                    round(&format!("{}:{kind}+fuzzy(p=0.9){option}", algorithm.name()));
                }
            }
            for option in &own {
                round(&format!("{}:fuzzy{option}", algorithm.name()));
            }
        }
    }

    #[test]
    fn invalid_lines_suggest_the_nearest_name() {
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
    fn function_options_are_checked_while_parsing() {
        let error = |text: &str| text.parse::<PlayerSpec>().unwrap_err().to_string();
        assert!(
            error("alphabeta:fuzzy(nrm=yager:25)")
                .contains("`fuzzy` has no option `nrm`; did you mean `norm`?")
        );
        assert!(error("alphabeta:fuzzy(norm=yagr)").contains("one of strict"));
        assert!(error("alphabeta:fuzzy(p=0.8,p=0.9)").contains("twice"));
        assert!(error("alphabeta:fuzzy(p=0.6)").contains("at least the threshold"));
        assert!(error("alphabeta:mobility(p=0.6)").contains("`mobility` has no options"));
        assert!(error("alphabeta:fuzy(p=0.6)").contains("`fuzzy`"));
        assert_eq!(
            error("alphabeta:fuzzy?norm=product"),
            "`norm` is an option of `fuzzy`, not of `alphabeta`: write `alphabeta:fuzzy,norm=strict`"
        );
    }

    #[test]
    fn options_may_follow_commas() {
        let read = |text: &str| text.parse::<PlayerSpec>().map(|spec| spec.unambiguous());
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
    fn a_plan_makes_the_named_functions() {
        let lines = ["alphabeta:fuzzy(p=0.9)", "greedy:fuzzy(p=0.90)", "greedy:statistical", "uct"];
        let plan = plan_for(Plan::default(), lines);
        assert_eq!(plan.kinds, Kinds::Only(vec![Kind::Statistical]));
        let tunings: Vec<String> = plan.tunings.iter().map(Tuning::to_string).collect();
        assert_eq!(tunings, ["p=0.9"]);
    }
}
