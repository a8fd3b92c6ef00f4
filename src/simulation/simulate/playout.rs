//! A single playout: uniformly random joint moves from the initial state to the end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State};

use super::choice::Choices;
use super::observer::{End, Observer, Position};
use super::playout_counts::PlayoutCounts;

/// What can end a playout early. It is checked before every step.
#[derive(Clone, Copy, Default)]
pub(super) struct Stop<'a> {
    pub(super) interrupt: Option<&'a AtomicBool>,
    pub(super) deadline: Option<Instant>,
    /// Maximum work of this playout.
    pub(super) work: Option<u64>,
}

impl Stop<'_> {
    /// Whether the caller's interrupt is set or the deadline has passed.
    pub(super) fn now(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A position that owns its data and reuses its buffers.
pub(super) struct Snapshot {
    pub(super) step: u32,
    pub(super) state: State,
    pub(super) fluents: Vec<FluentId>,
    pub(super) legal: Vec<Vec<MoveId>>,
    pub(super) terminal: bool,
    pub(super) goals: Vec<Vec<i32>>,
}

impl Snapshot {
    pub(super) fn new(roles: usize) -> Self {
        let (legal, goals) = (vec![Vec::new(); roles], vec![Vec::new(); roles]);
        Snapshot { step: 0, state: State(Box::default()), fluents: Vec::new(), legal, terminal: false, goals }
    }

    /// Copies the cursor's position; state and fluents only if `watched`.
    fn take(&mut self, step: u32, machine: &dyn Machine, cursor: &dyn Cursor, watched: bool) {
        self.step = step;
        if watched {
            self.state.0.clone_from(&cursor.state().0);
            self.fluents.clear();
            machine.fluents(&self.state, &mut self.fluents);
        }
        self.terminal = cursor.terminal();
        for (role, legal) in self.legal.iter_mut().enumerate() {
            legal.clear();
            if !self.terminal {
                legal.extend_from_slice(cursor.legal(role));
            }
        }
        for (role, goals) in self.goals.iter_mut().enumerate() {
            goals.clear();
            goals.extend_from_slice(cursor.goals(role));
        }
    }

    pub(super) fn position(&self, playout: u64) -> Position<'_> {
        let Snapshot { step, state, fluents, legal, terminal, goals } = self;
        Position { playout, step: *step, state, fluents, legal, terminal: *terminal, goals }
    }
}

/// Plays playouts on one machine, one after the other, and reuses the buffers.
pub(super) struct PlayoutRunner<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    before: Snapshot,
    after: Snapshot,
    joint: Vec<MoveId>,
}

impl<'m> PlayoutRunner<'m> {
    pub(super) fn new(machine: &'m dyn Machine) -> Self {
        let roles = machine.description().roles.len();
        let (before, after) = (Snapshot::new(roles), Snapshot::new(roles));
        PlayoutRunner { machine, cursor: machine.cursor(), before, after, joint: Vec::with_capacity(roles) }
    }

    /// The work of all playouts so far.
    pub(super) fn work(&self) -> u64 {
        self.cursor.work()
    }

    /// Plays one playout, and reports it to the counts and the observer.
    pub(super) fn play<O: Observer>(
        &mut self,
        (seed, playout): (u64, u64),
        max_steps: u32,
        stop: Stop<'_>,
        counts: &mut PlayoutCounts,
        observer: &mut O,
    ) {
        let mut choices = Choices::new(seed, playout);
        let enough = stop.work.map(|work| self.cursor.work().saturating_add(work));
        counts.begin();
        if self.cursor.set(self.machine.initial()).is_err() {
            counts.end(playout, 0, None, End::Failed);
            return;
        }
        self.before.take(0, self.machine, &*self.cursor, O::WATCHES);
        counts.position(&self.before.legal, self.before.terminal, &self.before.goals);
        if O::WATCHES {
            observer.position(&self.before.position(playout));
        }
        let end = loop {
            let here = &self.before;
            if here.terminal {
                break End::Terminal;
            }
            if let Some(role) = here.legal.iter().position(Vec::is_empty) {
                break End::NoLegalMove { role };
            }
            if here.step >= max_steps {
                break End::Cap;
            }
            if stop.now() || enough.is_some_and(|enough| self.cursor.work() >= enough) {
                break End::Stopped;
            }
            self.joint.clear();
            self.joint.extend(here.legal.iter().map(|moves| moves[choices.below(moves.len())]));
            if self.step(playout, counts, observer).is_err() {
                break End::Failed;
            }
        };
        counts.end(playout, self.before.step, Some(&self.before.goals), end);
        if O::WATCHES {
            observer.ended(&self.before.position(playout), end);
        }
    }

    /// Plays the chosen joint move. Afterwards `before` is the new position.
    fn step<O: Observer>(
        &mut self,
        playout: u64,
        counts: &mut PlayoutCounts,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        self.cursor.advance(&self.joint)?;
        self.after.take(self.before.step + 1, self.machine, &*self.cursor, O::WATCHES);
        counts.position(&self.after.legal, self.after.terminal, &self.after.goals);
        if O::WATCHES {
            let after = self.after.position(playout);
            observer.position(&after);
            observer.moved(&self.before.position(playout), &self.joint, &after);
        }
        std::mem::swap(&mut self.before, &mut self.after);
        Ok(())
    }
}
