//! The description of a run.

use serde::{Deserialize, Serialize};

use crate::gdl::identity::sha256;

/// Number of hexadecimal digits of a run's id. It only has to be unique among some thousands of runs.
const DIGITS: usize = 12;

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// A master is asking for its units.
    Asked,
    /// Its master was interrupted. Results that arrive are stored.
    Interrupted,
    /// All units are done or given up.
    Over,
}

/// A run, as the whole cluster sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The id of the run. It is derived from the request, so that the same command finds its earlier results.
    pub id: String,
    /// The attempt at the run. It changes when the run is started anew, so that old results do not count.
    pub life: String,
    /// The kind of work, such as `tournament`.
    pub kind: String,
    /// The title of the run for status lists.
    pub name: String,
    /// The master: computer and process.
    pub asker: String,
    /// The version of the program.
    pub version: String,
    /// SHA-256 of the body, a file of the run.
    pub body: String,
    /// Maximum number of attempts for each unit.
    pub tries: u32,
    /// Maximum number of units.
    pub units: u64,
    /// The state of the run.
    pub state: RunState,
    /// Units done or given up, when the state was last stored.
    pub done: u64,
    /// Units given up.
    pub failed: u64,
}

impl Manifest {
    /// The run as a part of subjects.
    pub(super) fn token(&self) -> String {
        format!("{}-{}", self.id, self.life)
    }
}

/// The id of a request.
pub(super) fn id_of(identity: &str, version: &str) -> String {
    sha256(format!("{version}\n{identity}").as_bytes())[..DIGITS].to_owned()
}

/// A unique name from the process id and the clock.
pub(super) fn unique_name() -> String {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    sha256(format!("{} {}", std::process::id(), time.as_nanos()).as_bytes())[..8].to_owned()
}

/// This process for people: computer and process id.
pub(super) fn process_name() -> String {
    format!("{}-{}", host(), std::process::id())
}

/// The name of the computer.
pub(super) fn host() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = host.or_else(|| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let name: String = host.as_deref().unwrap_or("host").trim().chars().map(plain).take(40).collect();
    if name.is_empty() { "host".to_owned() } else { name }
}
