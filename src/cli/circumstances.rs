//! The command and the computer of a run, for the pages of its results.

use super::old_names;
use crate::report::layout::counted;
use crate::report::study::Circumstances;

/// The running command, quoted for a shell. The program is `ggp`, without its path. `--fresh` is left out, because it only
/// matters to this run.
pub(super) fn command_line() -> String {
    let words = old_names::words().iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words = words.filter(|word| word != "--fresh");
    let words = ["ggp".to_owned()].into_iter().chain(words);
    let quoted = words.map(|word| shlex::try_quote(&word).map_or(word.clone(), |quoted| quoted.into_owned()));
    quoted.collect::<Vec<_>>().join(" ")
}

/// The running command without its `--cluster` options, for pages. Addresses may contain passwords, and the results do
/// not depend on the cluster.
pub(super) fn command_without_cluster() -> String {
    let words = shlex::split(&command_line()).unwrap_or_default();
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word.split_once('=') {
            _ if !word.starts_with("--cluster") => kept.push(word),
            Some(_) => {}
            None => drop(words.next()),
        }
    }
    shlex::try_join(kept).unwrap_or_default()
}

/// The circumstances of a run, with its duration in words.
pub(super) fn circumstances(command: String, time: String) -> Circumstances {
    Circumstances { command, machine: computer(), time }
}

/// A short description of the computer: the number of processors, their name if the system reports it, and the system.
fn computer() -> String {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let processors = counted(count as u64, "processor", "processors");
    let cpu_info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu_info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    match name {
        Some((_, name)) => format!("{processors}, {name}, {system}"),
        None => format!("{processors}, {system}"),
    }
}
