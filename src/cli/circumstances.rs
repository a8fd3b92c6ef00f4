//! What pages say of a run besides its results: the command and the computer.

use crate::report::layout::counted;
use crate::report::study::Circumstances;

/// The command that is running, for a shell, without what only matters to this run; the program by its name alone.
pub(super) fn command_line() -> String {
    let words = std::env::args().skip(1).filter(|word| word != "--fresh");
    let words = ["ggp".to_owned()].into_iter().chain(words);
    let quoted = words.map(|word| shlex::try_quote(&word).map_or(word.clone(), |quoted| quoted.into_owned()));
    quoted.collect::<Vec<_>>().join(" ")
}

/// What a page of a run says that took so long, in words.
pub(super) fn circumstances(command: String, time: String) -> Circumstances {
    Circumstances { command, machine: computer(), time }
}

/// The computer in a few words: processors and their name, where the system tells it.
fn computer() -> String {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let processors = counted(count as u64, "processor", "processors");
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    match name {
        Some((_, name)) => format!("{processors}, {name}, {system}"),
        None => format!("{processors}, {system}"),
    }
}
