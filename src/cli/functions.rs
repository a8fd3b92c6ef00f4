//! How evaluation functions are made, as options: those that the kinds declare, each named after its kind.

use std::sync::LazyLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::analysis::Kinds;
use crate::catalog::{OptionEntry, OptionKind, OptionValue, OptionValues, nearest};
use crate::evaluation::kinds::{FunctionKind, KINDS};
use crate::evaluation::{Kind, Parameters};

/// A list of kinds from the command line.
pub(super) fn kinds(text: &str) -> Result<Kinds, String> {
    if text == "all" {
        return Ok(Kinds::Only(Kind::ALL.to_vec()));
    }
    let kind = |name: &str| {
        let known = Kind::ALL.iter().copied().find(|kind| kind.name() == name);
        let names = || Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        known.ok_or_else(|| {
            let near = nearest(name, Kind::ALL.iter().map(|kind| kind.name()));
            format!(
                "`{name}` is no kind of evaluation function; nearest to it is `{near}`, and there are {} and all",
                names()
            )
        })
    };
    Ok(Kinds::Only(text.split(',').map(kind).collect::<Result<_, _>>()?))
}

/// An option on the command line, `--KIND-OPTION`.
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
            .help(about);
        match kind {
            OptionKind::Flag => argument.num_args(0..=1).require_equals(true).default_missing_value("1"),
            _ => argument,
        }
    }
}

/// Options of the constructions that were given, by kind.
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
                let said = matches.value_source(&flag.name) == Some(ValueSource::CommandLine);
                // What is configured stands in the default's place.
                let meant = |value: &&OptionValue| said || **value != flag.option.default;
                if let Some(&value) = matches.get_one::<OptionValue>(&flag.name).filter(meant) {
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
    /// What they stand for, with the seed of all random choices; none where they are wrong usage, which is said.
    pub(super) fn parameters(&self, seed: u64) -> anyhow::Result<Option<Parameters>> {
        let mut parameters = Parameters::default();
        parameters.statistical.seed = seed;
        parameters.learned.seed = seed;
        for (kind, given) in KINDS.iter().zip(&self.0) {
            if let Err(error) = kind.set(given, &mut parameters) {
                super::fault(&format!("error: {error}\n"))?;
                return Ok(None);
            }
        }
        Ok(Some(parameters))
    }
}
