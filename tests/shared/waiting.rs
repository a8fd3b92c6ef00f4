//! Waits for an event instead of a fixed time; each function fails the test after [`DEADLINE`].

#![allow(dead_code, reason = "each test uses a part of it")]

use std::time::{Duration, Instant};

/// Much longer than any event should take, so that a busy machine makes no test fail.
const DEADLINE: Duration = Duration::from_secs(120);

/// Waits until a condition holds; `what` is the message of the failure.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a process has a handler for SIGINT. Before that, the signal would kill it without an exit status.
#[cfg(target_os = "linux")]
pub(crate) fn wait_for_handler(process: u32) {
    /// The bit of SIGINT in the masks of proc(5).
    const SIGINT: u64 = 1 << 1;
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    };
    wait_until("a handler for SIGINT", || caught().is_some_and(|mask| mask & SIGINT != 0));
}

/// Waits a second, because other systems do not show the handlers of a process.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_for_handler(_: u32) {
    std::thread::sleep(Duration::from_secs(1));
}

/// Waits until a process and its children have used this much more processor time. This does not depend on other processes.
pub(crate) fn wait_for_work(process: u32, time: Duration) {
    let Some(before) = processor_time(process) else {
        // Waits for this time if the system does not show processor time.
        return std::thread::sleep(time);
    };
    let used = || {
        let processes = std::iter::once(process).chain(children(process));
        processes.filter_map(processor_time).sum::<Duration>()
    };
    wait_until(&format!("{time:?} of processor time used"), || used() >= before + time);
}

/// The running child processes of a process; empty if the system does not show them.
fn children(process: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let of_task = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).ok();
    let lists: Vec<String> = tasks.flatten().filter_map(of_task).collect();
    lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|id| id.parse().ok()).collect()
}

/// The processor time that a process has used; `None` if the system does not show it.
pub(crate) fn processor_time(process: u32) -> Option<Duration> {
    /// Linux counts processor time in hundredths of a second (proc(5)).
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses that may contain anything. Fields 14 and 15 are the user and system time.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: u32 = fields.get(11)?.parse::<u32>().ok()? + fields.get(12)?.parse::<u32>().ok()?;
    Some(TICK * ticks)
}
