//! Parses memory sizes and measures the peak memory of a process.

use crate::analysis::Memory;

/// Parses a size: a number of MiB, or a number with a unit.
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

/// Resets the peak memory of this process (Linux only; does nothing on other systems).
pub(super) fn forget_peak() {
    // If the reset fails, `peak_mib` returns the peak of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak memory of this process since [`forget_peak`], in MiB, if the system reports it.
pub(super) fn peak_mib() -> Option<f64> {
    peak_in("self")
}

/// The peak memory of another process, by its id, in MiB, if the system reports it.
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
