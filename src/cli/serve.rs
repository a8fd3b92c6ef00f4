//! `ggp serve`: a player for remote game managers.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use super::playouts::seconds;
use super::{Exit, game, interrupt, print, print_note};
use crate::arena::{MatchRecord, PlayerSpec};
use crate::protocol::{Server, Service, Settings};
use crate::report::files::write_whole;

/// Offer a player to remote game managers (GGP protocol)
///
/// Answers INFO, PREVIEW, START, PLAY, STOP, ABORT and PING over HTTP until Ctrl-C.
///
/// Exit status: 1 the address or the player can't be used, 2 wrong usage, 130 interrupted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The player (`ggp players` lists all)
    #[arg(
        long,
        value_name = "PLAYER",
        default_value = "uct",
        long_help = super::players::help("The player")
    )]
    player: String,
    /// Port; 0 for any free port
    #[arg(long, value_name = "N", default_value_t = 9147)]
    port: u16,
    /// Address to listen on; 0.0.0.0 accepts managers on other computers
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Time of each clock reserved for network delay, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500)]
    margin: u64,
    /// Do not search while others choose
    ///
    /// By default, the player continues its search while others choose (pondering): until the next message, until the value
    /// is proved, or for two play clocks. Use this option if another player runs on the same processor. Players with a limit
    /// of depth or nodes never ponder. With several matches, a match ponders only if every search has its own processor.
    #[arg(long)]
    no_ponder: bool,
    /// Limit of matches at the same time; further ones are answered with `busy`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    matches: u32,
    /// Write a record of every match to this folder
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Name that the player reports
    #[arg(long, value_name = "NAME", default_value = "ggp", value_parser = name)]
    name: String,
    /// Time limit for receiving a message, in seconds
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    patience: f64,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  ggp serve --player alphabeta:fuzzy
  ggp serve --player uct --port 9148 --bind 0.0.0.0 --out matches";

/// Checks that a name is a single word, as the protocol requires.
fn name(text: &str) -> Result<String, String> {
    let word = !text.is_empty() && text.chars().all(|sign| sign.is_ascii_graphic() && !"();".contains(sign));
    if word { Ok(text.to_owned()) } else { Err("a word without parentheses is expected".to_owned()) }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    give_memory_back();
    interrupt::watch()?;
    let spec: PlayerSpec =
        arguments.player.parse().with_context(|| format!("--player {}", arguments.player))?;
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    }
    let folder = arguments.out.clone();
    let settings = Settings {
        player: spec.to_string(),
        factory: None,
        margin: Duration::from_millis(arguments.margin),
        ponder: !arguments.no_ponder,
        seed: arguments.seed,
        case_sensitive: game::case_sensitive(),
        negation: game::negation(),
        note: Box::new(say),
        record: folder.map(|folder| -> crate::protocol::Record {
            Box::new(move |record| {
                if let Err(error) = write_record(&folder, record) {
                    say(&format!("match {}: its record can't be written: {error}", record.match_id));
                }
            })
        }),
    };
    let service = Service {
        name: arguments.name.clone(),
        matches: arguments.matches as usize,
        patience: Duration::try_from_secs_f64(arguments.patience).unwrap_or(Duration::MAX),
    };
    let address = (arguments.bind, arguments.port);
    let server = Server::bind(address, service, settings)
        .with_context(|| format!("{} port {} can't be listened at", arguments.bind, arguments.port))?;
    print(&format!("{} listens at http://{}\n", arguments.player, server.address()?))?;
    server.run(interrupt::flag())?;
    Ok(Exit::Interrupted)
}

/// Configures glibc to return the memory of finished matches to the system. By default it retains more memory with every
/// match that runs on other threads. It reads its settings only at program start, so the program executes itself again
/// with them. If that fails, the program continues with the default settings.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_memory_back() {
    use std::os::unix::process::CommandExt;

    /// Sizes in bytes above which a block is allocated directly from the system, and above which free memory is returned.
    /// These are the initial values of glibc, which raises them unless they are set.
    const SETTINGS: [(&str, &str); 2] =
        [("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "131072")];
    if SETTINGS.iter().any(|(name, _)| std::env::var_os(name).is_some()) {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let _ =
            std::process::Command::new(program).args(&super::old_names::words()[1..]).envs(SETTINGS).exec();
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_memory_back() {}

/// Prints a line to standard error. The player continues if standard error is closed.
fn say(what: &str) {
    let _ = print_note(&format!("{what}\n"));
}

/// Writes the record of a match to a new file. The match name comes from the manager and is not trusted.
fn write_record(folder: &Path, record: &MatchRecord) -> anyhow::Result<()> {
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || "._-".contains(sign) { sign } else { '_' };
    let name: String = record.match_id.chars().take(100).map(plain).collect();
    let name = name.trim_start_matches('.');
    let names = std::iter::once(format!("{name}.json")).chain((2..).map(|n| format!("{name}.{n}.json")));
    let path = names.map(|name| folder.join(name)).find(|path| !path.exists()).expect("names don't end");
    write_whole(&path, &(serde_json::to_string(record)? + "\n"))?;
    Ok(())
}
