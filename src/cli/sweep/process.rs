//! A command in a process of its own, with limits on its time and memory.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::super::{interrupt, memory};

/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Time after which a process is killed that was asked to end.
const GRACE: Duration = Duration::from_secs(5);

/// Bytes of what it wrote that are read at most.
const OUTPUT: u64 = 64 << 20;

/// How far a process may go.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessLimits {
    /// Seconds after which it is asked to end.
    pub(super) seconds: f64,
    /// MiB of memory at which it is killed.
    pub(super) memory_mib: f64,
}

/// How a process ended.
#[derive(Debug)]
pub(super) enum End {
    /// The process ended normally.
    Exited(ExitStatus),
    /// Asked to, as its time was over; whether it had to be killed.
    TimedOut {
        /// Whether it did not end when it was asked.
        killed: bool,
    },
    /// Killed, as it passed the limit on memory.
    OutOfMemory,
    /// The whole run was interrupted.
    Interrupted,
}

/// What is left of a process.
#[derive(Debug)]
pub(super) struct Ended {
    /// How it ended.
    pub(super) end: End,
    /// What it wrote to standard output.
    pub(super) output: Vec<u8>,
    /// What it wrote to standard error.
    pub(super) errors: String,
    /// Seconds of wall-clock time.
    pub(super) seconds: f64,
    /// Most memory that it was seen to hold, in MiB.
    pub(super) peak_mib: Option<f64>,
}

/// Runs a command to its end, or to its limits.
pub(super) fn run(mut command: Command, limits: ProcessLimits) -> std::io::Result<Ended> {
    let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?).spawn()?;
    let mut peak_mib: Option<f64> = None;
    let end = loop {
        if let Some(status) = child.try_wait()? {
            // A terminal's Ctrl-C goes to all processes, and this one may hear of it last.
            let interrupted = status.code() == Some(interrupt::STATUS.into());
            if interrupted {
                thread::sleep(2 * LOOK);
            }
            break if interrupted && interrupt::asked() { End::Interrupted } else { End::Exited(status) };
        }
        if interrupt::asked() {
            end_soon(&mut child)?;
            break End::Interrupted;
        }
        if let Some(peak) = memory::peak_mib_of(child.id()) {
            peak_mib = Some(peak_mib.map_or(peak, |known| known.max(peak)));
            if peak > limits.memory_mib {
                child.kill()?;
                child.wait()?;
                break End::OutOfMemory;
            }
        }
        if start.elapsed().as_secs_f64() > limits.seconds {
            break End::TimedOut { killed: end_soon(&mut child)? };
        }
        thread::sleep(LOOK);
    };
    let seconds = start.elapsed().as_secs_f64();
    let output = written(&mut output)?;
    let errors = String::from_utf8_lossy(&written(&mut errors)?).into_owned();
    Ok(Ended { end, output, errors, seconds, peak_mib })
}

/// Asks a process to end, and kills it where it does not; says whether it had to.
fn end_soon(child: &mut Child) -> std::io::Result<bool> {
    ask(child)?;
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        thread::sleep(LOOK);
    }
    child.kill()?;
    child.wait()?;
    Ok(true)
}

#[cfg(unix)]
fn ask(child: &Child) -> std::io::Result<()> {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    // It may have ended since.
    let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
    Ok(())
}

#[cfg(not(unix))]
fn ask(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}

fn written(file: &mut File) -> std::io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(OUTPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
