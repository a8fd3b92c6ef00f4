//! Budgets of an evaluation: atoms, rule instances, memory and time. Grounding is the one that users set them for, and
//! messages call it by that name.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::growth::Growth;

/// Symbols of a term that rules may derive: terms that grow without end stop here, while their text is still short.
pub const MOST_SYMBOLS: u32 = 1 << 16;

/// How far an evaluation may go.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Atoms that may be derived.
    pub atoms: usize,
    /// Instances of rules that may be made.
    pub instances: usize,
    /// Bytes that tables, instances and network may hold, roughly.
    pub bytes: usize,
    /// Rows that joins may look at: some ten million take a second.
    pub work: u64,
    /// Seconds of wall-clock time; infinite by default, so that what is done depends on work alone.
    pub seconds: f64,
    /// What breaks it off.
    pub interrupt: Interrupt,
}

/// A flag that a caller sets to have an evaluation broken off.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(pub Option<Arc<AtomicBool>>);

impl Interrupt {
    /// The flag of a caller, if it has one.
    pub fn of(flag: Option<&Arc<AtomicBool>>) -> Interrupt {
        Interrupt(flag.cloned())
    }

    /// Whether the end was asked for.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Goes on unless the end was asked for.
    ///
    /// # Errors
    /// It was.
    #[inline]
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_set() { Err(Interrupted) } else { Ok(()) }
    }
}

/// A computation was broken off by its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was interrupted")]
pub struct Interrupted;

impl PartialEq for Interrupt {
    /// The same flag, or none both times.
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

/// Which budget was passed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Exceeded {
    /// More atoms than allowed.
    #[error("more than {0} atoms can be derived")]
    Atoms(usize),
    /// More instances of rules than allowed.
    #[error("the rules have more than {0} instances")]
    Instances(usize),
    /// More memory than allowed.
    #[error("grounding needs more than {0} MiB")]
    Bytes(usize),
    /// Joins over more rows than allowed.
    #[error("the rules' joins look at more than {0} rows")]
    Work(u64),
    /// A larger term than allowed.
    #[error("a term has more than {0} symbols")]
    Symbols(u32),
    /// More time than allowed.
    #[error("grounding takes more than {0} s")]
    Seconds(f64),
    /// More work than it is worth: without a network the game would be played sooner.
    #[error("building a network would take longer than playing by the rules")]
    Slower,
    /// The caller broke it off.
    #[error("it was interrupted")]
    Interrupted,
    /// One of these, and what grew.
    #[error("{0}: {1}")]
    Grown(Box<Exceeded>, Growth),
}

impl Exceeded {
    /// The budget alone, without what grew.
    pub fn limit(&self) -> &Exceeded {
        match self {
            Exceeded::Grown(exceeded, _) => exceeded.limit(),
            exceeded => exceeded,
        }
    }

    /// The same with what grew, where counts were passed: what had grown when the time was over depends on the clock.
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

/// Watches the budgets of a computation. Its clones watch the same one, and count its rows together.
#[derive(Clone, Debug)]
pub struct Guard {
    limits: Limits,
    deadline: Option<Instant>,
    /// Rows looked at.
    spent: Arc<AtomicU64>,
}

impl Guard {
    /// Starts the clock.
    pub fn start(limits: &Limits) -> Guard {
        Guard::started(limits, Duration::ZERO)
    }

    /// A guard whose clock has run for a time already, as work that goes on needs it.
    pub fn started(limits: &Limits, before: Duration) -> Guard {
        let span = Duration::try_from_secs_f64(limits.seconds).ok().map(|span| span.saturating_sub(before));
        let deadline = span.and_then(|span| Instant::now().checked_add(span));
        Guard { limits: limits.clone(), deadline, spent: Arc::default() }
    }

    /// A guard that counts atoms alone, so that passing it never depends on the clock.
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

    /// The same guard with a tighter limit on atoms.
    pub fn with_atoms(&self, atoms: usize) -> Guard {
        let limits = Limits { atoms: atoms.min(self.limits.atoms), ..self.limits.clone() };
        Guard { limits, ..self.clone() }
    }

    /// The same guard with a tighter limit on instances.
    pub fn with_instances(&self, instances: usize) -> Guard {
        let limits = Limits { instances: instances.min(self.limits.instances), ..self.limits.clone() };
        Guard { limits, ..self.clone() }
    }

    /// The same guard with a limit on rows that joins may look at.
    #[must_use]
    pub fn with_work(mut self, work: u64) -> Guard {
        self.limits.work = work;
        self
    }

    /// The same guard, that lets joins look at so many rows more, as far as its own limit allows.
    pub fn with_more_work(&self, more: u64) -> Guard {
        let work = self.spent.load(Ordering::Relaxed).saturating_add(more).min(self.limits.work);
        self.clone().with_work(work)
    }

    /// Rows that joins may look at.
    pub fn work_limit(&self) -> u64 {
        self.limits.work
    }

    /// Counts rows anew.
    pub fn renew(&self) {
        self.spent.store(0, Ordering::Relaxed);
    }

    /// Counts rows that a join looked at.
    ///
    /// # Errors
    /// There were too many.
    #[inline]
    pub fn look(&self, rows: u64) -> Result<(), Exceeded> {
        // One computation is one thread's, so that nothing is lost between the two.
        let spent = self.spent.load(Ordering::Relaxed).saturating_add(rows);
        self.spent.store(spent, Ordering::Relaxed);
        if spent > self.limits.work { Err(Exceeded::Work(self.limits.work)) } else { Ok(()) }
    }

    /// Whether the time is over, or the caller asks for the end.
    ///
    /// # Errors
    /// It is.
    pub fn time(&self) -> Result<(), Exceeded> {
        if self.limits.interrupt.is_set() {
            return Err(Exceeded::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() > deadline => Err(Exceeded::Seconds(self.limits.seconds)),
            _ => Ok(()),
        }
    }

    /// Whether so many atoms, instances and bytes are too many, or the time is over.
    ///
    /// # Errors
    /// One of them is.
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
