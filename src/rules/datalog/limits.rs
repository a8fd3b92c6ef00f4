//! Limits of an evaluation: atoms, rule instances, rows, memory and time. Messages say "grounding", because users set the
//! limits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::catalog::grouped;

use super::growth::Growth;

/// Maximum number of symbols of a derived term. It stops terms that grow without end while their text is still short.
pub const MOST_SYMBOLS: u32 = 1 << 16;

/// The limits of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Maximum number of derived atoms.
    pub atoms: usize,
    /// Maximum number of rule instances.
    pub instances: usize,
    /// Approximate maximum memory of tables, instances and network, in bytes.
    pub bytes: usize,
    /// Maximum number of rows that joins examine; about ten million per second.
    pub work: u64,
    /// Maximum wall-clock time in seconds. Infinite by default, so that results depend only on counted work.
    pub seconds: f64,
    /// Interrupts the evaluation.
    pub interrupt: Interrupt,
}

/// A flag by which a caller interrupts an evaluation.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(pub Option<Arc<AtomicBool>>);

impl Interrupt {
    /// An interrupt with the flag of a caller, if it has one.
    pub fn of(flag: Option<&Arc<AtomicBool>>) -> Interrupt {
        Interrupt(flag.cloned())
    }

    /// Whether the caller set the flag.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Checks the flag.
    ///
    /// # Errors
    /// The flag is set.
    #[inline]
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_set() { Err(Interrupted) } else { Ok(()) }
    }
}

/// The caller interrupted a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was interrupted")]
pub struct Interrupted;

impl PartialEq for Interrupt {
    /// Whether both are the same flag, or both none.
    fn eq(&self, other: &Interrupt) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            atoms: 4_000_000,
            instances: 20_000_000,
            bytes: 2 << 30,
            work: 120_000_000,
            seconds: f64::INFINITY,
            interrupt: Interrupt::default(),
        }
    }
}

/// The limit that an evaluation exceeded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Exceeded {
    /// Too many atoms.
    #[error("more than {} atoms can be derived", grouped(*.0 as u64))]
    Atoms(usize),
    /// Too many instances of rules.
    #[error("the rules have more than {} instances", grouped(*.0 as u64))]
    Instances(usize),
    /// Too much memory.
    #[error("grounding needs more than {} MiB", grouped(*.0 as u64))]
    Bytes(usize),
    /// Too many rows examined by joins.
    #[error("joins examine more than {} rows", grouped(*.0))]
    Work(u64),
    /// A term with too many symbols.
    #[error("a term has more than {} symbols", grouped((*.0).into()))]
    Symbols(u32),
    /// Too much time.
    #[error("grounding takes more than {0} s")]
    Seconds(f64),
    /// Building the network would take longer than playing without it.
    #[error("building a network would take longer than playing by the rules")]
    Slower,
    /// The caller interrupted the evaluation.
    #[error("it was interrupted")]
    Interrupted,
    /// Another limit, with the relation that grew.
    #[error("{0}: {1}")]
    Grown(Box<Exceeded>, Growth),
}

impl Exceeded {
    /// The limit without the relation that grew.
    pub fn limit(&self) -> &Exceeded {
        match self {
            Exceeded::Grown(exceeded, _) => exceeded.limit(),
            exceeded => exceeded,
        }
    }

    /// Adds the relation that grew, but only to limits on counts: with a time limit it would depend on the clock.
    #[must_use]
    pub fn grown(self, growth: impl FnOnce() -> Option<Growth>) -> Exceeded {
        match self {
            Exceeded::Atoms(_)
            | Exceeded::Instances(_)
            | Exceeded::Bytes(_)
            | Exceeded::Work(_)
            | Exceeded::Symbols(_) => match growth() {
                Some(growth) => Exceeded::Grown(Box::new(self), growth),
                None => self,
            },
            exceeded => exceeded,
        }
    }
}

/// Checks the limits of a computation. Clones share one count of rows.
#[derive(Clone, Debug)]
pub struct Guard {
    limits: Limits,
    deadline: Option<Instant>,
    /// Rows examined so far.
    spent: Arc<AtomicU64>,
}

impl Guard {
    /// A guard whose clock starts now.
    pub fn start(limits: &Limits) -> Guard {
        Guard::started(limits, Duration::ZERO)
    }

    /// A guard whose clock started earlier, for a computation that continues.
    pub fn started(limits: &Limits, before: Duration) -> Guard {
        let span = Duration::try_from_secs_f64(limits.seconds).ok().map(|span| span.saturating_sub(before));
        let deadline = span.and_then(|span| Instant::now().checked_add(span));
        Guard { limits: limits.clone(), deadline, spent: Arc::default() }
    }

    /// A guard that limits only atoms, so that results do not depend on the clock.
    pub fn atoms(limit: usize) -> Guard {
        let limits = Limits {
            atoms: limit,
            instances: usize::MAX,
            bytes: usize::MAX,
            work: u64::MAX,
            seconds: f64::INFINITY,
            interrupt: Interrupt::default(),
        };
        Guard { limits, deadline: None, spent: Arc::default() }
    }

    /// The same guard with another interrupt.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Guard {
        self.limits.interrupt = interrupt.clone();
        self
    }

    /// The same guard with a lower limit on atoms.
    pub fn with_atoms(&self, atoms: usize) -> Guard {
        let limits = Limits { atoms: atoms.min(self.limits.atoms), ..self.limits.clone() };
        Guard { limits, ..self.clone() }
    }

    /// The same guard with a lower limit on instances.
    pub fn with_instances(&self, instances: usize) -> Guard {
        let limits = Limits { instances: instances.min(self.limits.instances), ..self.limits.clone() };
        Guard { limits, ..self.clone() }
    }

    /// The same guard with a limit on rows.
    #[must_use]
    pub fn with_work(mut self, work: u64) -> Guard {
        self.limits.work = work;
        self
    }

    /// The same guard that allows this many more rows, up to its own limit.
    pub fn with_more_work(&self, more: u64) -> Guard {
        let work = self.spent.load(Ordering::Relaxed).saturating_add(more).min(self.limits.work);
        self.clone().with_work(work)
    }

    /// Maximum number of rows that joins examine.
    pub fn work_limit(&self) -> u64 {
        self.limits.work
    }

    /// Resets the count of rows.
    pub fn renew(&self) {
        self.spent.store(0, Ordering::Relaxed);
    }

    /// Counts rows that a join examined.
    ///
    /// # Errors
    /// The limit on rows is exceeded.
    #[inline]
    pub fn count(&self, rows: u64) -> Result<(), Exceeded> {
        // One thread uses a computation's guard, so no count is lost between the two operations.
        let spent = self.spent.load(Ordering::Relaxed).saturating_add(rows);
        self.spent.store(spent, Ordering::Relaxed);
        if spent > self.limits.work { Err(Exceeded::Work(self.limits.work)) } else { Ok(()) }
    }

    /// Checks the clock and the interrupt.
    ///
    /// # Errors
    /// The time has passed, or the caller interrupted.
    pub fn time(&self) -> Result<(), Exceeded> {
        if self.limits.interrupt.is_set() {
            return Err(Exceeded::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() > deadline => Err(Exceeded::Seconds(self.limits.seconds)),
            _ => Ok(()),
        }
    }

    /// Checks numbers of atoms, instances and bytes, the clock and the interrupt.
    ///
    /// # Errors
    /// One of the limits is exceeded.
    pub fn check(&self, atoms: usize, instances: usize, bytes: usize) -> Result<(), Exceeded> {
        if atoms > self.limits.atoms {
            return Err(Exceeded::Atoms(self.limits.atoms));
        }
        if instances > self.limits.instances {
            return Err(Exceeded::Instances(self.limits.instances));
        }
        if bytes > self.limits.bytes {
            return Err(Exceeded::Bytes(self.limits.bytes.div_ceil(1 << 20)));
        }
        self.time()
    }
}
