//! The subcommands by purpose, as `ggp --help` lists them. Clap has headings for options only, so the list is part of a
//! help template.

use clap::Command;

/// The groups of subcommands in the order of `ggp --help`. The ten common subcommands come first.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("Understand a game", &["games", "check", "analyze", "show", "simulate", "eval", "solve"]),
    ("Play", &["play", "players", "tournament", "serve"]),
    ("Compare", &["judge", "compare", "replay", "bench"]),
    ("Build on it", &["env", "learn"]),
    ("Run at scale", &["study", "sweep", "cluster", "worker"]),
    ("Housekeeping", &["guide", "config", "schema", "completions", "man"]),
];

/// Width of the column of names, in characters.
const NAME_WIDTH: usize = 14;

/// The ANSI codes of clap's headings and names: bold and underlined, bold, reset.
const STYLES: [&str; 3] = ["\u{1b}[1m\u{1b}[4m", "\u{1b}[1m", "\u{1b}[0m"];

/// The help template of `ggp`: the groups in place of the automatic list.
pub(super) fn help_template(command: &Command) -> String {
    let [heading, literal, reset] = STYLES;
    let mut out = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        out.push_str(&format!("\n{heading}{title}:{reset}\n"));
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            out.push_str(&format!("  {literal}{name:<NAME_WIDTH$}{reset}{about}\n"));
        }
    }
    out + &format!("\n{heading}Options:{reset}\n{{options}}{{after-help}}")
}
