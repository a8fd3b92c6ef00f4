//! Runs a command in a separate process, with limits on time and memory.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::super::{interrupt, memory};

/// Time between two checks of the process.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time that a process is given to end before it is killed.
const KILL_DELAY: Duration = Duration::from_secs(5);

/// Maximum number of bytes that are read of standard output, and of standard error.
const MAX_OUTPUT: u64 = 64 << 20;

/// Limits on a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessLimits {
    /// Seconds after which the process is asked to end.
    pub(super) seconds: f64,
    /// MiB of memory above which the process is killed.
    pub(super) memory_mib: f64,
}

/// Why a process ended.
#[derive(Debug)]
pub(super) enum ExitReason {
    /// The process ended on its own or by a signal that `run` did not send.
    Exited(ExitStatus),
    /// The process reached its time limit and was asked to end.
    TimedOut {
        /// Whether the process did not end within `KILL_DELAY` and was killed.
        killed: bool,
    },
    /// The process exceeded its memory limit and was killed.
    OutOfMemory,
    /// The user interrupted this program.
    Interrupted,
}

/// The result of a process.
#[derive(Debug)]
pub(super) struct ProcessResult {
    pub(super) reason: ExitReason,
    /// Standard output.
    pub(super) output: Vec<u8>,
    /// Standard error.
    pub(super) errors: String,
    /// Seconds of wall-clock time.
    pub(super) seconds: f64,
    /// Peak memory in MiB; `None` if it could not be measured.
    pub(super) peak_mib: Option<f64>,
}

/// Runs a command until it ends or reaches a limit.
pub(super) fn run(mut command: Command, limits: ProcessLimits) -> std::io::Result<ProcessResult> {
    let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?).spawn()?;
    let mut peak_mib: Option<f64> = None;
    let reason = loop {
        if let Some(status) = child.try_wait()? {
            // Ctrl-C in a terminal interrupts both processes, and this one may receive the signal later.
            let interrupted = status.code() == Some(interrupt::STATUS.into());
            if interrupted {
                thread::sleep(2 * POLL_INTERVAL);
            }
            break if interrupted && interrupt::asked() {
                ExitReason::Interrupted
            } else {
                ExitReason::Exited(status)
            };
        }
        if interrupt::asked() {
            end_or_kill(&mut child)?;
            break ExitReason::Interrupted;
        }
        if let Some(peak) = memory::peak_mib_of(child.id()) {
            peak_mib = Some(peak_mib.map_or(peak, |known| known.max(peak)));
            if peak > limits.memory_mib {
                child.kill()?;
                child.wait()?;
                break ExitReason::OutOfMemory;
            }
        }
        if start.elapsed().as_secs_f64() > limits.seconds {
            break ExitReason::TimedOut { killed: end_or_kill(&mut child)? };
        }
        thread::sleep(POLL_INTERVAL);
    };
    let seconds = start.elapsed().as_secs_f64();
    let output = read_output(&mut output)?;
    let errors = String::from_utf8_lossy(&read_output(&mut errors)?).into_owned();
    Ok(ProcessResult { reason, output, errors, seconds, peak_mib })
}

/// Asks a process to end, and kills it after `KILL_DELAY`. Returns whether it was killed.
fn end_or_kill(child: &mut Child) -> std::io::Result<bool> {
    request_end(child)?;
    let start = Instant::now();
    while start.elapsed() < KILL_DELAY {
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        thread::sleep(POLL_INTERVAL);
    }
    child.kill()?;
    child.wait()?;
    Ok(true)
}

#[cfg(unix)]
fn request_end(child: &Child) -> std::io::Result<()> {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    // An error is ignored: the process may have ended in the meantime.
    let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
    Ok(())
}

#[cfg(not(unix))]
fn request_end(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}

fn read_output(file: &mut File) -> std::io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MAX_OUTPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
