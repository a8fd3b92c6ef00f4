//! A SAT solver with a limit of work.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::{Callbacks, ClauseKind, Lit, Solver as BatSolver, SolverInterface, SolverOpts, lbool};

/// Work of a conflict, in propagated literals: the cost of its analysis in addition to propagation.
const CONFLICT_WORK: u64 = 200;

/// Prior estimate of the propagated literals per conflict.
const PRIOR_PROPAGATIONS: u64 = 2_000;

/// The number of conflicts that have the same weight as this estimate.
const PRIOR_CONFLICTS: u64 = 20;

/// The least number of conflicts for a question.
const MIN_CONFLICTS: u64 = 5;

/// The longest clause in the solver; longer ones are split. When a watched literal becomes false, the solver searches
/// for another from the beginning of the clause, so a clause costs the square of its length.
const MAX_CLAUSE: usize = 128;

/// Searches in long learnt clauses that cost as much as one propagated literal; few of them happen in a
/// conflict.
const SEARCHES_PER_LITERAL: u64 = 1 << 13;

/// After more consecutive conflicts than this without a call of `stop`, the solver is abandoned if a limit is reached.
const MAX_CONFLICTS_WITHOUT_STOP: u64 = 16;

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a model.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// The work or the time was used up.
    Unknown,
}

/// Work that all questions together may use, in propagated literals.
#[derive(Debug)]
pub(super) struct Allowance {
    left: Cell<u64>,
    /// Work that is reserved for later.
    reserved: Cell<u64>,
    spent: Cell<u64>,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Allowance {
    pub(super) fn new(work: u64, interrupt: Option<&Arc<AtomicBool>>) -> Rc<Allowance> {
        Rc::new(Allowance {
            left: Cell::new(work),
            reserved: Cell::new(0),
            spent: Cell::new(0),
            interrupt: interrupt.cloned(),
        })
    }

    /// Uses work.
    pub(super) fn spend(&self, work: u64) {
        self.left.set(self.left.get().saturating_sub(work));
        self.spent.set(self.spent.get() + work);
    }

    /// The work used so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// The remaining work that is not reserved.
    pub(super) fn left(&self) -> u64 {
        self.left.get().saturating_sub(self.reserved.get())
    }

    /// Reserves work for later, and releases what was reserved before.
    pub(super) fn reserve(&self, work: u64) {
        self.reserved.set(work);
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether no work is left, or the proofs were interrupted.
    pub(super) fn is_over(&self) -> bool {
        self.left() == 0 || self.is_interrupted()
    }
}

/// Ends a question after its conflicts or its work, or on an interrupt.
struct WorkLimit {
    allowance: Rc<Allowance>,
    conflicts: u64,
    /// Limit of the conflicts of this question.
    max_conflicts: u64,
    /// The squared lengths of the long clauses learnt so far, summed over all questions. They estimate the cost of
    /// searches.
    squared_lengths: u64,
    /// The work of searches in long clauses in this question.
    search_work: u64,
    /// The limit of this work.
    max_search_work: u64,
    /// Conflicts since the solver last called `stop`.
    conflicts_since_stop: Cell<u64>,
}

/// Panic payload that leaves a solver which does not call `stop`.
struct AbandonSignal;

impl WorkLimit {
    fn is_over(&self) -> bool {
        self.conflicts > self.max_conflicts
            || self.search_work > self.max_search_work
            || self.allowance.is_interrupted()
    }
}

impl Callbacks for WorkLimit {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.search_work = 0;
        self.conflicts_since_stop.set(0);
    }

    fn on_new_clause(&mut self, literals: &[Lit], kind: ClauseKind) {
        if !matches!(kind, ClauseKind::Learnt) {
            return;
        }
        self.conflicts += 1;
        if literals.len() > MAX_CLAUSE {
            self.squared_lengths += (literals.len() as u64).pow(2);
        }
        self.search_work += self.squared_lengths / SEARCHES_PER_LITERAL;
        // Between consecutive conflicts the solver does not call `stop`.
        self.conflicts_since_stop.set(self.conflicts_since_stop.get() + 1);
        if self.conflicts_since_stop.get() > MAX_CONFLICTS_WITHOUT_STOP && self.is_over() {
            resume_unwind(Box::new(AbandonSignal));
        }
    }

    fn stop(&self) -> bool {
        self.conflicts_since_stop.set(0);
        self.is_over()
    }
}

/// Clauses, and questions whether they are satisfiable. The same questions in the same order have the same
/// answers and models on any computer.
pub(super) struct Solver {
    solver: BatSolver<WorkLimit>,
    clause: Vec<Lit>,
    pub(super) allowance: Rc<Allowance>,
    /// All clauses in the format of another solver, if they are recorded.
    #[cfg(test)]
    recorded: Option<Vec<Vec<i32>>>,
    /// Whether it was abandoned during a question and can't be used again.
    is_abandoned: bool,
}

impl Solver {
    pub(super) fn new(allowance: &Rc<Allowance>) -> Solver {
        let allowance = Rc::clone(allowance);
        let stop = WorkLimit {
            allowance: Rc::clone(&allowance),
            conflicts: 0,
            max_conflicts: 0,
            squared_lengths: 0,
            search_work: 0,
            max_search_work: 0,
            conflicts_since_stop: Cell::new(0),
        };
        Solver {
            solver: BatSolver::new(SolverOpts::default(), stop),
            clause: Vec::new(),
            allowance,
            #[cfg(test)]
            recorded: None,
            is_abandoned: false,
        }
    }

    /// Records all clauses from now on.
    #[cfg(test)]
    pub(super) fn record(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// The recorded clauses, in the numbers of the DIMACS format.
    #[cfg(test)]
    pub(super) fn take_recorded(&mut self) -> Vec<Vec<i32>> {
        self.recorded.take().unwrap_or_default()
    }

    /// A new variable, as a literal.
    pub(super) fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// New variables that the solver tries to make true first.
    pub(super) fn preferred_variables(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| Lit::new(self.solver.new_var(lbool::TRUE, true), true)).collect()
    }

    /// Adds a clause: at least one of these literals holds.
    pub(super) fn clause(&mut self, literals: &[Lit]) {
        if self.is_abandoned {
            return;
        }
        if literals.len() > MAX_CLAUSE {
            return self.long_clause(literals);
        }
        self.clause.clear();
        self.clause.extend_from_slice(literals);
        self.allowance.spend(literals.len() as u64);
        #[cfg(test)]
        if let Some(recorded) = &mut self.recorded {
            let number = |literal: &Lit| {
                let variable = literal.var().idx() as i32 + 1;
                if literal.sign() { variable } else { -variable }
            };
            recorded.push(literals.iter().map(number).collect());
        }
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Adds a long clause in parts: one part holds, and a part that holds has a literal that holds.
    fn long_clause(&mut self, literals: &[Lit]) {
        let mut part = Vec::with_capacity(MAX_CLAUSE);
        let part_literals: Vec<Lit> = literals
            .chunks(MAX_CLAUSE - 1)
            .map(|literals| {
                let holds = self.variable();
                part.clear();
                part.push(!holds);
                part.extend_from_slice(literals);
                self.clause(&part);
                holds
            })
            .collect();
        self.clause(&part_literals);
    }

    /// Whether the clauses are satisfiable together with these literals, within the given and the remaining
    /// work.
    pub(super) fn solve(&mut self, assumptions: &[Lit], max_work: u64) -> Answer {
        if self.is_abandoned || self.allowance.is_over() {
            return Answer::Unknown;
        }
        let before = [self.solver.num_propagations(), self.solver.num_conflicts()];
        let conflict = CONFLICT_WORK
            + (before[0] + PRIOR_CONFLICTS * PRIOR_PROPAGATIONS) / (before[1] + PRIOR_CONFLICTS);
        let max_work = max_work.min(self.allowance.left());
        let stop = self.solver.cb_mut();
        (stop.max_conflicts, stop.max_search_work) = ((max_work / conflict).max(MIN_CONFLICTS), max_work);
        let solver = &mut self.solver;
        let answer = catch_unwind(AssertUnwindSafe(|| solver.solve_limited(assumptions)));
        let answer = answer.unwrap_or_else(|reason| {
            if !reason.is::<AbandonSignal>() {
                resume_unwind(reason);
            }
            self.is_abandoned = true;
            lbool::UNDEF
        });
        let propagations = self.solver.num_propagations() - before[0];
        let conflicts = self.solver.num_conflicts() - before[1];
        let search_work = self.solver.cb().search_work;
        self.allowance
            .spend(propagations + conflicts * CONFLICT_WORK + search_work + assumptions.len() as u64);
        match answer {
            answer if answer == lbool::TRUE => Answer::Satisfiable,
            answer if answer == lbool::FALSE => Answer::Unsatisfiable,
            _ => Answer::Unknown,
        }
    }

    /// Whether an assumption is in the unsatisfiable core of the last answer.
    pub(super) fn is_in_core(&self, assumption: Lit) -> bool {
        self.solver.unsat_core_contains_var(assumption.var())
    }

    /// Whether a literal holds in the latest model.
    pub(super) fn holds(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_clauses_are_equivalent_to_short_ones() {
        let allowance = Allowance::new(1 << 30, None);
        let mut solver = Solver::new(&allowance);
        let literals: Vec<Lit> = (0..1_000).map(|_| solver.variable()).collect();
        solver.clause(&literals);
        let all_but = |index: usize| -> Vec<Lit> {
            let others = literals.iter().enumerate().filter(|&(other, _)| other != index);
            others.map(|(_, &literal)| !literal).collect()
        };
        for index in [0, 126, 127, 500, 999] {
            assert_eq!(solver.solve(&all_but(index), 1 << 20), Answer::Satisfiable);
            assert!(solver.holds(literals[index]));
        }
        let none: Vec<Lit> = literals.iter().map(|&literal| !literal).collect();
        assert_eq!(solver.solve(&none, 1 << 20), Answer::Unsatisfiable);
    }

    /// The pigeonhole principle: any proof takes many conflicts.
    fn pigeons(solver: &mut Solver, holes: usize) {
        let sits: Vec<Vec<Lit>> =
            (0..=holes).map(|_| (0..holes).map(|_| solver.variable()).collect()).collect();
        sits.iter().for_each(|places| solver.clause(places));
        for (number, one) in sits.iter().enumerate() {
            for other in &sits[..number] {
                one.iter().zip(other).for_each(|(&one, &other)| solver.clause(&[!one, !other]));
            }
        }
    }

    #[test]
    fn queries_end_at_the_work_limit_and_the_solver_stays_usable() {
        let allowance = Allowance::new(1 << 40, None);
        let mut solver = Solver::new(&allowance);
        pigeons(&mut solver, 12);
        let other = solver.variable();
        let before = allowance.spent();
        assert_eq!(solver.solve(&[other], 1 << 20), Answer::Unknown);
        assert!((allowance.spent() - before) >> 20 <= 2, "{}", allowance.spent() - before);
        assert_eq!(solver.solve(&[other], 1 << 20), Answer::Unknown);
    }

    #[test]
    fn a_solver_without_progress_checks_is_abandoned() {
        let allowance = Allowance::new(1 << 40, None);
        let mut solver = Solver::new(&allowance);
        solver.variable();
        let stop = solver.solver.cb_mut();
        stop.on_start();
        let conflict = [Lit::UNDEF];
        let left = catch_unwind(AssertUnwindSafe(|| {
            (0..100).for_each(|_| stop.on_new_clause(&conflict, ClauseKind::Learnt));
        }));
        assert!(left.is_err_and(|reason| reason.is::<AbandonSignal>()));
        // A solver that calls `stop` now and then is not abandoned.
        let stop = solver.solver.cb_mut();
        stop.on_start();
        for _ in 0..100 {
            stop.on_new_clause(&conflict, ClauseKind::Learnt);
            assert!(stop.stop());
        }
    }
}
