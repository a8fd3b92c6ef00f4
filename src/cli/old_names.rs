//! Old names of options and their new ones. The command line, ggp.toml, the environment and CHANGELOG.md follow this table.
//!
//! An old name still works and prints a note. `new_words` rewrites the command line before clap reads it, so the rest of the
//! program knows only new names.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use super::functions;

/// An option that has a new name.
#[derive(Debug)]
pub(super) struct OldOption {
    /// The subcommands that had it.
    pub(super) commands: &'static [&'static str],
    /// The old name, without dashes.
    pub(super) old: &'static str,
    /// The new names; several if the old option took values with commas between them.
    pub(super) new: &'static [&'static str],
    /// Whether other subcommands still have an option of the old name.
    pub(super) is_name_in_use: bool,
    /// Whether the old option switched on what is now the default. The new option switches it off.
    pub(super) is_default: bool,
}

impl OldOption {
    /// What replaces it, if `spelled` writes the names of options.
    pub(super) fn replacement(&self, spelled: impl Fn(&str) -> String) -> String {
        let new: Vec<String> = self.new.iter().map(|new| spelled(new)).collect();
        let new = new.join(" and ");
        if self.is_default { format!("the default; {new} turns it off") } else { new }
    }
}

/// An option that was renamed in all subcommands that had it.
const fn renamed(
    commands: &'static [&'static str],
    old: &'static str,
    new: &'static [&'static str],
) -> OldOption {
    OldOption { commands, old, new, is_name_in_use: false, is_default: false }
}

/// An option that was renamed in these subcommands; others still have an option of the old name.
const fn renamed_only_in(
    commands: &'static [&'static str],
    old: &'static str,
    new: &'static [&'static str],
) -> OldOption {
    OldOption { commands, old, new, is_name_in_use: true, is_default: false }
}

/// A switch that is now on by default, and the one that switches it off.
const fn now_default(
    commands: &'static [&'static str],
    old: &'static str,
    new: &'static [&'static str],
) -> OldOption {
    OldOption { commands, old, new, is_name_in_use: false, is_default: true }
}

/// All options with new names.
pub(super) const OPTIONS: &[OldOption] = &[
    renamed(&["play", "host", "check-player"], "startclock", &["start-clock"]),
    renamed(&["play", "host", "check-player"], "playclock", &["play-clock"]),
    renamed(&["tournament"], "clock", &["start-clock", "play-clock"]),
    renamed(&["judge", "env"], "function", &["functions"]),
    renamed(&["serve"], "log", &["out"]),
    now_default(&["serve"], "ponder", &["no-ponder"]),
    renamed(&["host"], "role", &["player"]),
    renamed_only_in(&["play", "host"], "seconds", &["analysis-seconds"]),
    renamed_only_in(&["sweep"], "seconds", &["seconds-per-game"]),
    renamed_only_in(&["bench"], "seconds", &["seconds-per-machine"]),
];

/// An old subcommand that is now part of another one.
#[derive(Debug)]
pub(super) struct OldCommand {
    old: &'static str,
    /// The subcommand, with options that are always given.
    new: &'static [&'static str],
    /// The option that takes the place of the positional argument.
    positional: Option<&'static str>,
    /// The form in the note and in CHANGELOG.md.
    form: &'static str,
}

/// All subcommands that are part of other ones.
pub(super) const COMMANDS: &[OldCommand] = &[
    OldCommand {
        old: "explain",
        new: &["check"],
        positional: Some("--explain"),
        form: "ggp check --explain",
    },
    OldCommand { old: "ground", new: &["check", "--ground"], positional: None, form: "ggp check --ground" },
    OldCommand {
        old: "check-player",
        new: &["check"],
        positional: Some("--player"),
        form: "ggp check --player",
    },
    OldCommand { old: "host", new: &["play", "--managed"], positional: None, form: "ggp play" },
];

/// The subcommand that now contains an old one.
pub(super) fn new_command(old: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|command| command.old == old).map(|command| command.new[0])
}

/// Notes about variables of the environment for old subcommands.
pub(super) fn variable_notes() -> Vec<String> {
    let mut notes = Vec::new();
    for command in COMMANDS {
        let prefix = |name: &str| format!("GGP_{}_", name.to_uppercase().replace('-', "_"));
        let (old, new) = (prefix(command.old), prefix(command.new[0]));
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let mut found: Vec<String> = names.filter(|name| name.starts_with(&old)).collect();
        found.sort();
        notes.extend(found.iter().map(|name| note(name, &format!("{new}{}", &name[old.len()..]))));
    }
    notes
}

/// Values of options with new names: the option, the old value, the new one.
pub(super) const VALUES: &[(&str, &str, &str)] = &[("format", "text", "table")];

/// A place where an earlier version looked for the value of an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OldPlace {
    pub(super) command: &'static str,
    pub(super) option: String,
    /// The index of the value in a comma-separated list.
    pub(super) part: Option<usize>,
    /// Whether a setting for all subcommands may use the old name.
    pub(super) is_common: bool,
    /// Whether the value means the opposite.
    pub(super) is_negated: bool,
}

/// The old places of an option of a subcommand.
pub(super) fn old_places(command: &str, option: &str) -> Vec<OldPlace> {
    let mut places = Vec::new();
    let of_options = |command: &str, places: &mut Vec<OldPlace>| {
        for entry in OPTIONS {
            let Some(command) = entry.commands.iter().find(|known| **known == command) else { continue };
            let Some(number) = entry.new.iter().position(|new| *new == option) else { continue };
            let part = (entry.new.len() > 1).then_some(number);
            let (is_common, is_negated) = (!entry.is_name_in_use, entry.is_default);
            places.push(OldPlace { command, option: entry.old.to_owned(), part, is_common, is_negated });
        }
    };
    of_options(command, &mut places);
    for old in COMMANDS.iter().filter(|old| old.new[0] == command) {
        let (command, part) = (old.old, None);
        let (is_common, is_negated) = (false, false);
        places.push(OldPlace { command, option: option.to_owned(), part, is_common, is_negated });
        of_options(command, &mut places);
    }
    places
}

/// The entry of an option of a subcommand, if its name is old.
fn entry(command: &str, option: &str) -> Option<&'static OldOption> {
    OPTIONS.iter().find(|entry| entry.old == option && entry.commands.contains(&command))
}

/// The new name of a value.
pub(super) fn new_value(option: &str, value: &str) -> Option<&'static str> {
    VALUES.iter().find(|(name, old, _)| *name == option && *old == value).map(|(_, _, new)| *new)
}

/// The note about an old name.
pub(super) fn note(old: &str, new: &str) -> String {
    format!("note: {old} is now {new}\n")
}

/// The note about an old option of a subcommand, with a prefix such as `--`; none if its name is not old.
pub(super) fn option_note(command: &str, option: &str, prefix: &str) -> Option<String> {
    let replacement = entry(command, option)?.replacement(|new| format!("{prefix}{new}"));
    Some(note(&format!("{prefix}{option}"), &replacement))
}

/// The note about an old option in a setting for all subcommands; none if the name is not old.
pub(super) fn common_note(option: &str) -> Option<String> {
    let entry = OPTIONS.iter().find(|entry| entry.old == option && !entry.is_name_in_use)?;
    option_note(entry.commands[0], option, "")
}

/// The words of the command line with new names.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// The words of the command line, with new names.
pub(super) fn words() -> &'static [OsString] {
    WORDS.get_or_init(|| new_words(&std::env::args_os().collect::<Vec<_>>()).0)
}

/// Global options that take a value, which may precede the subcommand.
const GLOBAL: [&str; 3] = ["--config", "--color", "--negation"];

/// The index of the subcommand in the command line.
fn place_of_command(words: &[OsString]) -> Option<usize> {
    let mut place = 1;
    while let Some(word) = words.get(place) {
        match word.to_str() {
            Some("--") => return None,
            Some(word) if GLOBAL.contains(&word) => place += 2,
            Some(word) if word.starts_with('-') => place += 1,
            _ => return Some(place),
        }
    }
    None
}

/// A command line with new names, and a note about each old one.
pub(super) fn new_words(words: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let Some(mut place) = place_of_command(words) else { return (words.to_vec(), Vec::new()) };
    // `ggp config COMMAND` shows the options of another command.
    if words[place] == "config" && words.get(place + 1).is_some_and(|next| entry_exists(next)) {
        place += 1;
    }
    let mut notes = Vec::new();
    let mut words = words.to_vec();
    let command = words[place].to_string_lossy().into_owned();
    if let Some(old) = COMMANDS.iter().find(|old| old.old == command) {
        notes.push(note(&format!("ggp {command}"), old.form));
        let rest = words.split_off(place + 1);
        words.truncate(place);
        words.extend(old.new.iter().map(OsString::from));
        words.extend(with_option(old.positional, rest));
    }
    let mut out = words[..=place].to_vec();
    let mut rest = words[place + 1..].iter();
    while let Some(word) = rest.next() {
        let text = word.to_str();
        if text == Some("--") {
            out.push(word.clone());
            out.extend(rest.by_ref().cloned());
            break;
        }
        let Some(given) = text.and_then(|word| word.strip_prefix("--")) else {
            out.push(word.clone());
            continue;
        };
        let (name, value) = given.split_once('=').map_or((given, None), |(name, value)| (name, Some(value)));
        match entry(&command, name) {
            None if VALUES.iter().any(|(option, ..)| *option == name) => {
                let value = value.map(str::to_owned).or_else(|| Some(rest.next()?.to_string_lossy().into()));
                let Some(value) = value else {
                    out.push(word.clone());
                    continue;
                };
                let new = new_value(name, &value);
                notes.extend(new.map(|new| note(&format!("--{name} {value}"), &format!("--{name} {new}"))));
                out.push(format!("--{name}={}", new.unwrap_or(&value)).into());
            }
            None => {
                let function = functions::kind_and_option(name);
                notes.extend(function.map(|(kind, option)| {
                    note(&format!("--{name}"), &format!("an option of the function: {kind}({option}=...)"))
                }));
                out.push(word.clone());
            }
            Some(entry) => {
                notes.extend(option_note(&command, name, "--"));
                if entry.is_default {
                    continue;
                }
                if let [new] = entry.new {
                    let value = value.map_or_else(String::new, |value| format!("={value}"));
                    out.push(format!("--{new}{value}").into());
                } else {
                    let next = || Some(rest.next()?.to_string_lossy().into_owned());
                    let value = value.map(str::to_owned).or_else(next).unwrap_or_default();
                    let parts = entry.new.iter().zip(value.splitn(entry.new.len(), ','));
                    out.extend(parts.map(|(new, part)| OsString::from(format!("--{new}={part}"))));
                }
            }
        }
    }
    (out, notes)
}

/// The options that take a value, in subcommands whose positional argument has become an option.
const WITH_VALUE: [&str; 7] =
    ["--config", "--color", "--negation", "--startclock", "--playclock", "--start-clock", "--play-clock"];

/// Replaces the first positional argument by an option with its value.
fn with_option(option: Option<&str>, words: Vec<OsString>) -> Vec<OsString> {
    let Some(option) = option else { return words };
    let mut place = 0;
    while let Some(word) = words.get(place) {
        match word.to_str() {
            Some(word) if WITH_VALUE.contains(&word) => place += 2,
            Some(word) if word.starts_with('-') => place += 1,
            _ => break,
        }
    }
    let mut words = words;
    match words.get_mut(place) {
        Some(word) => {
            let mut text = OsString::from(format!("{option}="));
            text.push(&*word);
            *word = text;
        }
        None => words.insert(0, OsString::from(option)),
    }
    words
}

/// Whether a word is a subcommand with old options, or an old subcommand.
fn entry_exists(word: &OsStr) -> bool {
    if COMMANDS.iter().any(|command| word == command.old) {
        return true;
    }
    OPTIONS.iter().any(|entry| entry.commands.iter().any(|command| word == *command))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &str) -> (String, String) {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (words, notes) = new_words(&words);
        let words: Vec<String> =
            words.into_iter().map(|word| word.into_string().unwrap_or_default()).collect();
        (words.join(" "), notes.concat())
    }

    #[test]
    fn old_options_get_new_names_and_a_note() {
        for (old, new) in [
            ("ggp play nim --startclock 1", "ggp play nim --start-clock 1"),
            ("ggp --config c.toml play --playclock=2 nim", "ggp --config c.toml play --play-clock=2 nim"),
            ("ggp tournament --clock 1,0.5", "ggp tournament --start-clock=1 --play-clock=0.5"),
            ("ggp check nim --format text", "ggp check nim --format=table"),
            ("ggp config play --startclock 1", "ggp config play --start-clock 1"),
            ("ggp explain GDL007", "ggp check --explain=GDL007"),
            ("ggp explain --plain", "ggp check --explain --plain"),
            ("ggp ground nim --dot", "ggp check --ground nim --dot"),
            ("ggp check-player --startclock 1 host:1", "ggp check --start-clock 1 --player=host:1"),
            ("ggp host nim --role left=uct", "ggp play --managed nim --player left=uct"),
            ("ggp serve --ponder --port 0", "ggp serve --port 0"),
        ] {
            let (words, notes) = rewritten(old);
            assert_eq!(words, new);
            assert!(notes.starts_with("note: ") && notes.contains(" is now "), "{notes}");
        }
    }

    /// A row of the table in CHANGELOG.md.
    fn row(commands: &[&str], old: &str, new: &str) -> String {
        let commands: Vec<String> = commands.iter().map(|command| format!("`{command}`")).collect();
        let commands = if commands.is_empty() { "all".to_owned() } else { commands.join(", ") };
        format!("  | `{old}` | {new} | {commands} |")
    }

    #[test]
    fn the_changelog_has_the_same_table() {
        let mut rows: Vec<String> = OPTIONS
            .iter()
            .map(|entry| {
                let new = entry.replacement(|new| format!("`--{new}`"));
                row(entry.commands, &format!("--{}", entry.old), &new)
            })
            .collect();
        rows.extend(VALUES.iter().map(|(option, old, new)| {
            row(&[], &format!("--{option} {old}"), &format!("`--{option} {new}`"))
        }));
        rows.extend(
            COMMANDS
                .iter()
                .map(|command| row(&[], &format!("ggp {}", command.old), &format!("`{}`", command.form))),
        );
        let page = std::fs::read_to_string("CHANGELOG.md").unwrap_or_default();
        let table = page.split("  | old | new | subcommands |\n  |---|---|---|\n").nth(1).unwrap_or_default();
        let found: Vec<&str> = table.lines().take_while(|line| line.starts_with("  |")).collect();
        assert!(found == rows, "CHANGELOG.md needs these rows:\n{}", rows.join("\n"));
    }

    #[test]
    fn other_words_stay() {
        for line in ["ggp analyze nim --seconds 1", "ggp play nim -- --startclock", "ggp --version", "ggp"] {
            assert_eq!(rewritten(line), (line.to_owned(), String::new()));
        }
    }

    #[test]
    fn old_places_of_an_option_are_known() {
        let place = OldPlace {
            command: "tournament",
            option: "clock".to_owned(),
            part: Some(1),
            is_common: true,
            is_negated: false,
        };
        assert_eq!(old_places("tournament", "play-clock"), [place]);
        let [ponder] = &old_places("serve", "no-ponder")[..] else { panic!("one old place") };
        assert!(ponder.option == "ponder" && ponder.is_negated);
        assert_eq!(old_places("analyze", "seconds"), []);
    }
}
