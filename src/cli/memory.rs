//! The most memory that this process held, counted anew where that is wanted.

/// Starts the count of the peak anew, where the system can (Linux); elsewhere nothing happens.
pub(super) fn forget_peak() {
    // What can't be forgotten is counted on; the figure is then that of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory this process held since then, in MiB, where the system says.
pub(super) fn peak_mib() -> Option<f64> {
    peak_in("self")
}

/// The most memory another process held, by its number, in MiB, where the system says.
pub(super) fn peak_mib_of(process: u32) -> Option<f64> {
    peak_in(&process.to_string())
}

fn peak_in(process: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
