//! Memory on the command line: a size as text, and the most that this process held, counted anew where that is wanted.

use crate::analysis::Memory;

/// A size from the command line: MiB, or a number with its unit.
pub(super) fn size(text: &str) -> Result<Memory, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "m" | "mib" => Some(20),
        "g" | "gib" => Some(30),
        _ => None,
    };
    let bytes = shift.and_then(|shift| number.parse::<usize>().ok()?.checked_mul(1 << shift));
    match bytes.filter(|&bytes| bytes > 0) {
        Some(bytes) => Ok(Memory::of_bytes(bytes)),
        None => Err("a number of MiB is expected, or one with its unit, such as 512MiB or 4GiB".into()),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, mib) in [("64", 64), ("64MiB", 64), ("64 mib", 64), ("2GiB", 2048), ("1g", 1024)] {
            assert_eq!(size(text), Ok(Memory::of_bytes(mib << 20)), "{text}");
        }
        for text in ["", "0", "-1", "1.5GiB", "4GB", "GiB", "99999999999999999999", "99999999999999GiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
