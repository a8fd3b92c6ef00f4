//! Option values from the environment and from configuration files. The command line takes precedence; built-in defaults
//! come last.
//!
//! `Layers::apply` replaces clap's defaults by the configured values. Help therefore shows them, clap checks them like
//! values on the command line, and no other code has to look them up. A configuration crate would need a second parser
//! for every type.

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use toml::{Table, Value};

use super::functions;
use super::old_names::{self, OldPlace};
use crate::catalog::nearest;
use crate::evaluation::Kind;

/// The name of a configuration file.
const FILE: &str = "ggp.toml";

/// The key for folders with games. No option has this name.
const FOLDERS: &str = "game-folders";

/// The table that contains one table of options per kind of evaluation function.
const FUNCTIONS: &str = "functions";

/// Options that can't be configured: they end the program or select the configuration.
const NOT_CONFIGURABLE: [&str; 4] = ["help", "version", "config", "no-config"];

/// A configured value and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerValue {
    /// The values as on the command line; several for options that take a list.
    pub(super) values: Vec<String>,
    /// The name of the environment variable, or the path of the file.
    pub(super) from: String,
}

/// The environment and the configuration files, highest precedence first.
#[derive(Debug, Default)]
pub(super) struct Layers {
    environment: bool,
    files: Vec<(PathBuf, Table)>,
}

impl Layers {
    /// Reads the configuration files. `--config FILE` names the only file; `--no-config` ignores all files and the
    /// environment. By default the files are the nearest `ggp.toml`, in the current folder or in a parent folder, and
    /// then the user's own.
    ///
    /// # Errors
    /// A file can't be read or is not valid TOML.
    pub(super) fn find(words: &[OsString]) -> anyhow::Result<Layers> {
        let (named, none) = config_arguments(words);
        if none {
            return Ok(Layers::default());
        }
        let paths = match named {
            Some(path) => vec![path],
            None => nearest_file().into_iter().chain(users_file()).collect(),
        };
        let mut files: Vec<(PathBuf, Table)> = Vec::new();
        for path in paths {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("the configuration {} can't be read", path.display()))?;
            let table = text.parse().with_context(|| format!("{} is not valid TOML", path.display()))?;
            files.push((path, table));
        }
        Ok(Layers { environment: true, files })
    }

    /// The files that were read, highest precedence first.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// The configured value of an option of `command`, or of a global option if `command` is `None`. In the environment
    /// and in each file, a value for one command takes precedence over a value for all commands.
    pub(super) fn value(&self, command: Option<&str>, option: &str) -> Option<LayerValue> {
        let old = command.map_or_else(Vec::new, |command| old_names::old_places(command, option));
        let negated = |value: String| match value.as_str() {
            "true" => "false".to_owned(),
            "false" => "true".to_owned(),
            _ => value,
        };
        let part = |found: LayerValue, place: &OldPlace| match place.part {
            None if place.is_negated => {
                LayerValue { values: found.values.into_iter().map(negated).collect(), ..found }
            }
            Some(number) => {
                let text = found.values.join(",");
                let value = text.split(',').nth(number).map(str::to_owned);
                LayerValue { values: value.into_iter().collect(), ..found }
            }
            None => found,
        };
        let in_environment = |command: Option<&str>, option: &str| {
            let name = variable(command, option);
            let value = env::var(&name).ok().filter(|_| self.environment)?;
            Some(LayerValue { values: vec![value], from: name })
        };
        let in_file = |(path, table): &(PathBuf, Table), command: Option<&str>, option: &str| {
            let value = match command {
                Some(command) => table.get(command)?.as_table()?.get(option)?,
                None => match functions::kind_and_option(option) {
                    Some((kind, name)) => table.get(FUNCTIONS)?.get(kind)?.get(name)?,
                    None => table.get(option).filter(|value| !value.is_table())?,
                },
            };
            Some(LayerValue { values: words(value), from: path.display().to_string() })
        };
        // A value for one command precedes a value for all commands, and a new name precedes an old one.
        let in_layer = |lookup: &dyn Fn(Option<&str>, &str) -> Option<LayerValue>| {
            let own = command.and_then(|command| lookup(Some(command), option));
            let old_own = || {
                old.iter().find_map(|place| Some(part(lookup(Some(place.command), &place.option)?, place)))
            };
            let common = old.iter().filter(|place| place.is_common);
            let old_common =
                || common.clone().find_map(|place| Some(part(lookup(None, &place.option)?, place)));
            own.or_else(old_own).or_else(|| lookup(None, option)).or_else(old_common)
        };
        let found = in_layer(&in_environment).or_else(|| {
            self.files.iter().find_map(|file| in_layer(&|command, name| in_file(file, command, name)))
        })?;
        let renamed = |value: String| old_names::new_value(option, &value).map_or(value, str::to_owned);
        Some(LayerValue { values: found.values.into_iter().map(renamed).collect(), ..found })
    }

    /// Notes about old names in the environment and in the files.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.environment {
            notes.extend(old_names::variable_notes());
            for entry in old_names::OPTIONS {
                let commands = entry.commands.iter().map(|command| Some(*command));
                let common = (!entry.is_name_in_use).then_some(None);
                for command in commands.chain(common) {
                    let old = variable(command, entry.old);
                    if env::var_os(&old).is_some() {
                        let new = entry.replacement(|new| variable(command, new));
                        notes.push(old_names::note(&old, &new));
                    }
                }
            }
        }
        for (path, table) in &self.files {
            let in_file = |note: String| note.replacen("note: ", &format!("note: {}: ", path.display()), 1);
            for (key, value) in table {
                let of_command = |option: &str| old_names::option_note(key, option, "").map(in_file);
                match value {
                    Value::Table(_) if old_names::new_command(key).is_some() => {
                        let new = old_names::new_command(key).unwrap_or_default();
                        notes.push(in_file(old_names::note(&format!("[{key}]"), &format!("[{new}]"))));
                    }
                    Value::Table(inner) => notes.extend(inner.keys().filter_map(|option| of_command(option))),
                    _ => notes.extend(old_names::common_note(key).map(in_file)),
                }
            }
        }
        notes
    }

    /// The configured game folders, from the environment or else from a file. Paths in a file are relative to that file.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        if let Some(Some(folders)) = self.environment.then(|| env::var_os("GGP_GAME_FOLDERS")) {
            return env::split_paths(&folders).collect();
        }
        let found = self.files.iter().find_map(|(path, table)| Some((path, table.get(FOLDERS)?)));
        found.map_or_else(Vec::new, |(path, value)| {
            let here = path.parent().unwrap_or(Path::new(""));
            words(value).into_iter().map(|folder| here.join(folder)).collect()
        })
    }

    /// Returns the command with the configured values as defaults. An option that conflicts with one given on the command
    /// line keeps its built-in default, because the command line takes precedence.
    pub(super) fn apply(&self, command: Command, words: &[OsString]) -> Command {
        if !self.environment {
            return command;
        }
        let excluded = excluded(&command, words);
        let set = |arg: Arg, name: Option<&str>| {
            let option = arg.get_long().filter(|long| !NOT_CONFIGURABLE.contains(long));
            let is_allowed = !excluded.contains(arg.get_id().as_str());
            match option.filter(|_| is_allowed).and_then(|option| self.value(name, option)) {
                Some(found) => arg.default_values(found.values).required(false),
                None => arg,
            }
        };
        let command = command.mut_args(|arg| set(arg, None));
        command.mut_subcommands(|sub| {
            let name = sub.get_name().to_owned();
            sub.mut_args(|arg| set(arg, Some(&name)))
        })
    }

    /// Checks that every key of the files is an option. Returns notes about old names.
    ///
    /// # Errors
    /// A key is not an option. The message suggests the nearest one.
    pub(super) fn check(&self, command: &Command) -> anyhow::Result<Vec<String>> {
        let long_options = |command: &Command| -> Vec<String> {
            let long = command.get_arguments().filter_map(|arg| arg.get_long());
            long.filter(|long| !NOT_CONFIGURABLE.contains(long)).map(str::to_owned).collect()
        };
        let common = long_options(command);
        let subs: Vec<(&str, Vec<String>)> =
            command.get_subcommands().map(|sub| (sub.get_name(), long_options(sub))).collect();
        for (path, table) in &self.files {
            for (key, value) in table {
                let unknown = |fault: &str, key: &str, known: &[&str]| {
                    let near = nearest(key, known.iter().copied());
                    format!("{}: {fault}; did you mean `{near}`?", path.display())
                };
                if let (FUNCTIONS, Value::Table(kinds)) = (key.as_str(), value) {
                    check_functions(kinds).with_context(|| path.display().to_string())?;
                } else if let Value::Table(inner) = value {
                    let new = old_names::new_command(key).unwrap_or(key);
                    let Some((name, options)) = subs.iter().find(|(name, _)| *name == new) else {
                        let known: Vec<&str> = subs.iter().map(|(name, _)| *name).collect();
                        bail!("{}", unknown(&format!("there is no command `{key}`"), key, &known));
                    };
                    let known: Vec<&str> = options.iter().map(String::as_str).collect();
                    let is_known = |option: &str| {
                        known.contains(&option) || old_names::option_note(key, option, "").is_some()
                    };
                    if let Some(wrong) = inner.keys().find(|option| !is_known(option)) {
                        bail!("{}", unknown(&format!("`ggp {name}` has no option `{wrong}`"), wrong, &known));
                    }
                } else {
                    let all = common.iter().chain(subs.iter().flat_map(|(_, options)| options));
                    let known: Vec<&str> = all.map(String::as_str).chain([FOLDERS]).collect();
                    if !known.contains(&key.as_str()) && old_names::common_note(key).is_none() {
                        bail!("{}", unknown(&format!("there is no option `{key}`"), key, &known));
                    }
                }
            }
        }
        Ok(self.notes())
    }

    /// The environment variable or file that contains the value which clap rejected; `None` if the value is from the
    /// command line.
    pub(super) fn origin(&self, error: &clap::Error, words: &[OsString]) -> Option<String> {
        use clap::error::{ContextKind, ContextValue};
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let (arg, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
        let option = arg.split([' ', '=', '[']).next()?.strip_prefix("--")?;
        let names_option = |word: &OsString| {
            let word = word.to_string_lossy();
            word == format!("--{option}") || word.starts_with(&format!("--{option}="))
        };
        if words.iter().any(names_option) {
            return None;
        }
        let command =
            words.iter().skip(1).find_map(|word| word.to_str().filter(|word| !word.starts_with('-')));
        let found = self.value(command, option)?;
        found.values.iter().any(|known| known == value).then_some(found.from)
    }
}

/// The file given by `--config`, and whether `--no-config` is given. Words after `--` are ignored.
fn config_arguments(words: &[OsString]) -> (Option<PathBuf>, bool) {
    let (mut named, mut none) = (None, false);
    let mut words = words.iter().skip(1).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--no-config") => none = true,
            Some("--config") => named = words.next().map(PathBuf::from),
            Some(word) => named = word.strip_prefix("--config=").map(PathBuf::from).or(named),
            None => {}
        }
    }
    (named, none)
}

/// The nearest configuration file, in the current folder or in a parent folder.
fn nearest_file() -> Option<PathBuf> {
    if Path::new(FILE).is_file() {
        return Some(PathBuf::from(FILE));
    }
    let here = env::current_dir().ok()?;
    here.ancestors().skip(1).map(|folder| folder.join(FILE)).find(|path| path.is_file())
}

/// The user's own configuration file, in the XDG configuration folder
/// (<https://specifications.freedesktop.org/basedir-spec/latest/>).
fn users_file() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(folder.join("ggp").join(FILE)).filter(|path| path.is_file())
}

/// Checks the kinds and the options in the `[functions]` table.
fn check_functions(kinds: &Table) -> anyhow::Result<()> {
    for (kind, options) in kinds {
        let Some(known) = functions::options_of_kind(kind) else {
            let near = nearest(kind, Kind::ALL.iter().map(|kind| kind.name()));
            bail!(
                "[{FUNCTIONS}.{kind}]: there is no such kind of evaluation function; did you mean `{near}`?"
            );
        };
        let options = options.as_table().with_context(|| {
            format!("{FUNCTIONS}.{kind}: write a table [{FUNCTIONS}.{kind}] with an option in each line")
        })?;
        if let Some(wrong) = options.keys().find(|option| !known.contains(&option.as_str())) {
            let near = nearest(wrong, known.iter().copied());
            bail!("[{FUNCTIONS}.{kind}]: there is no option `{wrong}`; did you mean `{near}`?");
        }
    }
    Ok(())
}

/// The environment variable for an option of one command, or of all commands if `command` is `None`.
fn variable(command: Option<&str>, option: &str) -> String {
    let command = command.map_or_else(String::new, |command| format!("{command}_"));
    format!("GGP_{command}{option}").to_uppercase().replace('-', "_")
}

/// A TOML value as arguments of a command line.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(words).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

/// The ids of the options that conflict with an option given on the command line.
fn excluded(command: &Command, words: &[OsString]) -> HashSet<String> {
    let mut command = command.clone().ignore_errors(true);
    command.build();
    let Ok(matches) = command.clone().try_get_matches_from(words) else { return HashSet::new() };
    let Some((name, matches)) = matches.subcommand() else { return HashSet::new() };
    let Some(sub) = command.find_subcommand(name) else { return HashSet::new() };
    let is_on_command_line = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let given: Vec<&Arg> = sub.get_arguments().filter(is_on_command_line).collect();
    let mut found = HashSet::new();
    for arg in sub.get_arguments() {
        let conflicting = sub.get_arg_conflicts_with(arg);
        for other in &given {
            let conflicts = conflicting.iter().any(|against| against.get_id() == other.get_id())
                || sub.get_arg_conflicts_with(other).iter().any(|against| against.get_id() == arg.get_id());
            if conflicts {
                found.insert(arg.get_id().as_str().to_owned());
            }
        }
    }
    found
}
