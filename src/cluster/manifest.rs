//! What a run is.

use serde::{Deserialize, Serialize};

use crate::gdl::identity::sha256;

/// Hexadecimal digits of a run's name: it is no secret, and has to be told from some thousands of others.
const DIGITS: usize = 12;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Somebody asks for its units.
    Asked,
    /// Who asked was interrupted; results that come in meanwhile are kept.
    Interrupted,
    /// All is done, or given up.
    Over,
}

/// A run, as all of a cluster know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Tells the run from all others: made from what is asked, so that the same command finds what was done of it.
    pub id: String,
    /// Tells results from those of a run of the same name that was begun anew.
    pub life: String,
    /// Which work it is, such as `tournament`.
    pub kind: String,
    /// What is shown of it.
    pub name: String,
    /// Who asked: computer and process.
    pub asker: String,
    /// The program's version.
    pub version: String,
    /// SHA-256 of the body, a file of the run.
    pub body: String,
    /// How often a unit is begun at most.
    pub tries: u32,
    /// Units in all, at most.
    pub units: u64,
    /// How it stands.
    pub state: RunState,
    /// Units done and given up, when that was last written down.
    pub done: u64,
    /// Units given up.
    pub failed: u64,
}

impl Manifest {
    /// The run as subjects name it.
    pub(super) fn token(&self) -> String {
        format!("{}-{}", self.id, self.life)
    }
}

/// The name of what is asked.
pub(super) fn id_of(identity: &str, version: &str) -> String {
    sha256(format!("{version}\n{identity}").as_bytes())[..DIGITS].to_owned()
}

/// A name that nobody else has: of the process and the clock.
pub(super) fn new_life() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    sha256(format!("{} {}", std::process::id(), since.as_nanos()).as_bytes())[..8].to_owned()
}

/// This process, for people: computer and number.
pub(super) fn whoami() -> String {
    format!("{}-{}", host(), std::process::id())
}

/// The computer's name.
pub(super) fn host() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let name: String = told.as_deref().unwrap_or("host").trim().chars().map(plain).take(40).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}
