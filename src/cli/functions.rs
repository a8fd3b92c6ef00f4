//! Options of evaluation functions: in the text of a function such as `fuzzy(norm=product)`, and as the hidden options
//! `--KIND-OPTION` of earlier versions. The values of `[functions.KIND]` in ggp.toml are applied to these hidden options.

use std::sync::LazyLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::analysis::Kinds;
use crate::catalog::{OptionEntry, OptionKind, OptionValue, OptionValues, nearest};
use crate::evaluation::kinds::{self, FunctionKind, KINDS};
use crate::evaluation::{Kind, Parameters};

/// Kinds of evaluation functions to make, with options of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionList {
    pub(super) kinds: Kinds,
    options: Vec<(Kind, OptionValues)>,
}

/// Reads kinds from the command line, such as `fuzzy(norm=product),statistical` or `fuzzy,norm=product`.
pub(super) fn function_list(text: &str) -> Result<FunctionList, String> {
    if text == "all" {
        return Ok(FunctionList { kinds: Kinds::Only(Kind::ALL.to_vec()), ..FunctionList::default() });
    }
    let mut named: Vec<(&str, Vec<&str>)> = Vec::new();
    for part in split_at_commas(text) {
        match (part.split_once('('), named.last_mut()) {
            (None, Some((_, options))) if part.contains('=') => options.push(part),
            (Some((name, options)), _) => {
                let options =
                    options.strip_suffix(')').ok_or_else(|| format!("`{part}` needs a closing `)`"))?;
                named.push((name, options.split(',').map(str::trim).collect()));
            }
            (None, _) => named.push((part, Vec::new())),
        }
    }
    let mut list = FunctionList::default();
    let mut kinds = Vec::new();
    for (name, options) in named {
        let kind = kind_of_name(name)?;
        kinds.push(kind);
        if !options.is_empty() {
            let entries = kinds::entry(kind).options();
            let values = OptionValues::read_list(kind.name(), &entries, options);
            list.options.push((kind, values.map_err(|error| error.to_string())?));
        }
    }
    list.kinds = Kinds::Only(kinds);
    Ok(list)
}

/// The parts of a text between commas outside of parentheses.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (place, sign) in text.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn kind_of_name(name: &str) -> Result<Kind, String> {
    let known = || Kind::ALL.iter().map(|kind| kind.name());
    let found = Kind::ALL.iter().copied().find(|kind| kind.name() == name);
    found.ok_or_else(|| {
        let near = nearest(name, known());
        let names = known().collect::<Vec<_>>().join(", ");
        format!("`{name}` is not a kind of evaluation function; did you mean `{near}`? Use {names} or all")
    })
}

/// The kind and the option of a flag `--KIND-OPTION`.
pub(super) fn kind_and_option(flag: &str) -> Option<(&'static str, &'static str)> {
    let found = FLAGS.iter().find(|known| known.name == flag)?;
    Some((found.kind.name(), found.option.name))
}

/// The options of a kind; none if there is no such kind.
pub(super) fn options_of_kind(name: &str) -> Option<Vec<&'static str>> {
    let kind = KINDS.iter().find(|kind| kind.name() == name)?;
    Some(kind.options().into_iter().map(|option| option.name).collect())
}

/// The hidden option `--KIND-OPTION` of earlier versions. Options are now in the text of a function and in ggp.toml.
struct Flag {
    kind: &'static dyn FunctionKind,
    option: OptionEntry,
    name: String,
    value_name: String,
}

static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| {
    let flags = KINDS.iter().flat_map(|kind| kind.options().into_iter().map(move |option| (*kind, option)));
    let flag = |(kind, option): (&'static dyn FunctionKind, OptionEntry)| {
        let value_name = match option.kind {
            OptionKind::Flag => "0|1".to_owned(),
            OptionKind::Integer { .. } => "N".to_owned(),
            OptionKind::Real { .. } => "X".to_owned(),
            OptionKind::Choice(_) | OptionKind::Family(_) | OptionKind::Text(_) => option.name.to_uppercase(),
        };
        Flag { kind, option, name: format!("{}-{}", kind.name(), option.name), value_name }
    };
    flags.map(flag).collect()
});

impl Flag {
    fn argument(&'static self) -> Arg {
        let (kind, unit) = (self.option.kind, self.option.kind.unit());
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let parse = move |text: &str| -> Result<OptionValue, String> {
            kind.read(text).ok_or_else(|| format!("{} is expected", kind.expected()))
        };
        let about = format!("{}: {}; {}{unit}", self.kind.name(), self.option.help, kind.range());
        let argument = Arg::new(self.name.as_str())
            .long(self.name.as_str())
            .value_name(self.value_name.as_str())
            .value_parser(parse)
            .default_value(self.option.default.to_string())
            .help_heading("Evaluation functions")
            .hide(true)
            .help(about);
        match kind {
            OptionKind::Flag => argument.num_args(0..=1).require_equals(true).default_missing_value("1"),
            _ => argument,
        }
    }
}

/// The options given, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionArguments(Vec<OptionValues>);

impl Args for FunctionArguments {
    fn augment_args(command: Command) -> Command {
        FLAGS.iter().fold(command, |command, flag| command.arg(flag.argument()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        FunctionArguments::augment_args(command)
    }
}

impl FromArgMatches for FunctionArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FunctionArguments, clap::Error> {
        let of = |kind: &&'static dyn FunctionKind| {
            let mut given = OptionValues::default();
            for flag in FLAGS.iter().filter(|flag| flag.kind.kind() == kind.kind()) {
                let is_given = matches.value_source(&flag.name) == Some(ValueSource::CommandLine);
                // `Layers::apply` puts configured values in the place of the default.
                let is_set = |value: &&OptionValue| is_given || **value != flag.option.default;
                if let Some(&value) = matches.get_one::<OptionValue>(&flag.name).filter(is_set) {
                    given.set(&flag.option, value);
                }
            }
            given
        };
        Ok(FunctionArguments(KINDS.iter().map(of).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FunctionArguments::from_arg_matches(matches)?;
        Ok(())
    }
}

impl FunctionArguments {
    /// The parameters of functions, with the seed of all random choices. The options in `list` take precedence. Prints an
    /// error and returns `None` if options can't be used together.
    pub(super) fn parameters(&self, seed: u64, list: &FunctionList) -> anyhow::Result<Option<Parameters>> {
        let mut parameters = Parameters::default();
        parameters.statistical.seed = seed;
        parameters.learned.seed = seed;
        for (kind, given) in KINDS.iter().zip(&self.0) {
            let of_list = list.options.iter().find(|(of, _)| *of == kind.kind());
            let mut all = of_list.map(|(_, options)| options.clone()).unwrap_or_default();
            all.fill_from(given, &kind.options());
            if let Err(error) = kind.set(&all, &mut parameters) {
                super::print_error(&format!("error: {}: {error}\n", kind.name()))?;
                return Ok(None);
            }
        }
        Ok(Some(parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_their_function() {
        for text in ["fuzzy,norm=product,statistical", "fuzzy(norm=product),statistical"] {
            let list = function_list(text).expect("the text is right");
            assert_eq!(list.kinds, Kinds::Only(vec![Kind::Fuzzy, Kind::Statistical]), "{text}");
            assert_eq!(list.options.len(), 1);
        }
        for (text, message) in [
            ("fuzy", "did you mean `fuzzy`?"),
            ("fuzzy(nrom=product)", "`norm`"),
            ("fuzzy(norm=product", "closing"),
        ] {
            let error = function_list(text).expect_err("the text is wrong");
            assert!(error.contains(message), "{error}");
        }
    }
}
