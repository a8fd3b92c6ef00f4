//! Finds the greatest inductive set of candidates (Houdini, Flanagan and Leino 2001): candidates that may
//! fail are dropped until none may. A model of the solver refutes one candidate; walks from that model
//! refute more ([`walks`](super::walks)).

use std::collections::BTreeSet;

use batsat::Lit as Literal;

use super::lemma::Lemma;
use super::solver::Answer;
use super::unrolling::{LEAST, Unrolling, solve_any};
use super::walks::Walks;

/// A question about all candidates may use the remaining work divided by this number.
const QUESTION_DIVISOR: u64 = 12;

/// The number of candidates whose evaluation in a model costs as much as one propagated literal.
const CANDIDATES_PER_LITERAL: u64 = 8;

/// Drops candidates that fail in a frame although the remaining ones hold in the previous frames.
pub(super) struct CandidatePruner<'d, 'n> {
    steps: &'d mut Unrolling<'n>,
    frame: usize,
    lemmas: &'d [Lemma],
    /// For every candidate, the literal that assumes it in the previous frames; empty if nothing is
    /// assumed.
    hypotheses: &'d [Literal],
    /// For every candidate, the literal that implies its violation in `frame`.
    violations: Vec<Literal>,
    /// For every candidate that was shown not to fail, the candidates in its unsatisfiable core.
    core_of: Vec<Option<Vec<usize>>>,
    /// For every candidate, the candidates whose core contains it; some entries may be outdated.
    supports: Vec<Vec<usize>>,
    /// Open candidates that have not been shown to hold, or whose proof used a candidate that was dropped
    /// later.
    unsettled: BTreeSet<usize>,
    /// Random walks that start from counterexamples.
    walks: Option<Walks<'n, 'd>>,
}

impl<'d, 'n> CandidatePruner<'d, 'n> {
    /// `violations` has one literal of
    /// [`Solver::preferred_variables`](super::solver::Solver::preferred_variables) for each candidate. They
    /// were created before all other variables, so that a model refutes as many candidates as possible.
    pub(super) fn new(
        steps: &'d mut Unrolling<'n>,
        frame: usize,
        lemmas: &'d [Lemma],
        hypotheses: &'d [Literal],
        violations: Vec<Literal>,
    ) -> CandidatePruner<'d, 'n> {
        for (lemma, &violated) in lemmas.iter().zip(&violations) {
            // Stopping early is safe: the solver proves no candidate whose violation is not encoded.
            if steps.solver.allowance.is_interrupted() {
                break;
            }
            steps.violate(frame, lemma, violated);
        }
        let core_of = vec![None; lemmas.len()];
        let supports = vec![Vec::new(); lemmas.len()];
        CandidatePruner {
            steps,
            frame,
            lemmas,
            hypotheses,
            violations,
            core_of,
            supports,
            unsettled: BTreeSet::new(),
            walks: None,
        }
    }

    /// Adds random walks from counterexamples, which refute more candidates.
    pub(super) fn with_walks(self, walks: Walks<'n, 'd>) -> CandidatePruner<'d, 'n> {
        CandidatePruner { walks: Some(walks), ..self }
    }

    /// Drops candidates that may fail: sets their entries of `open` to false. The remaining ones are proved,
    /// even if the work was used up.
    pub(super) fn run(mut self, open: &mut [bool]) {
        let most = self.steps.solver.allowance.left() / QUESTION_DIVISOR;
        loop {
            let assumed = self.assumed(open);
            let violations = self.violations.iter().zip(&*open).filter(|(_, open)| **open);
            let violations: Vec<Literal> = violations.map(|(&violation, _)| violation).collect();

            match solve_any(self.steps, violations.into_iter(), &assumed, most) {
                Answer::Unsatisfiable => return,
                Answer::Satisfiable => {
                    self.drop_failing(open);
                }
                Answer::Unknown => break,
            }
        }
        self.unsettled = (0..open.len()).filter(|&index| open[index]).collect();
        self.solve_separately(open);
        // Unsettled candidates are dropped, with all candidates that depend on them.
        while let Some(&index) = self.unsettled.first() {
            self.drop_candidate(index, open);
        }
    }

    /// Tests each candidate separately and records its core.
    fn solve_separately(&mut self, open: &mut [bool]) {
        while let Some(&index) = self.unsettled.first() {
            let allowance = &self.steps.solver.allowance;
            if allowance.is_over() {
                return;
            }
            let most = allowance.left() / 2 / (1 + self.unsettled.len() as u64);
            let mut assumed = vec![self.violations[index]];
            assumed.extend(self.assumed(open));

            match self.steps.solver.solve(&assumed, most.max(LEAST)) {
                Answer::Unsatisfiable => {
                    let solver = &self.steps.solver;
                    let rests: Vec<usize> = (0..self.hypotheses.len())
                        .filter(|&other| open[other] && solver.is_in_core(self.hypotheses[other]))
                        .collect();
                    rests.iter().for_each(|&other| self.supports[other].push(index));
                    self.core_of[index] = Some(rests);
                    self.unsettled.remove(&index);
                }
                Answer::Satisfiable => {
                    if !self.drop_failing(open) {
                        self.drop_candidate(index, open);
                    }
                }
                Answer::Unknown => self.drop_candidate(index, open),
            }
        }
    }

    /// The literals that assume the open candidates in the previous frames.
    fn assumed(&self, open: &[bool]) -> Vec<Literal> {
        let left = self.hypotheses.iter().zip(open).filter(|(_, open)| **open);
        left.map(|(&hypothesis, _)| hypothesis).collect()
    }

    /// Drops candidates that fail in the latest model. Returns whether there was one.
    fn drop_failing(&mut self, open: &mut [bool]) -> bool {
        self.steps.solver.allowance.spend(self.lemmas.len() as u64 / CANDIDATES_PER_LITERAL);
        let failing: Vec<usize> = (0..self.lemmas.len())
            .filter(|&index| open[index] && !self.steps.holds(self.frame, &self.lemmas[index]))
            .collect();
        failing.iter().for_each(|&index| self.drop_candidate(index, open));
        if let Some(walks) = &mut self.walks {
            let state = self.steps.state(self.frame - 1);
            let (more, work) = walks.failing(&state, self.lemmas, open);
            self.steps.solver.allowance.spend(work);
            more.into_iter().for_each(|index| self.drop_candidate(index, open));
        }
        !failing.is_empty()
    }

    /// Drops a candidate and reopens those whose core contains it.
    fn drop_candidate(&mut self, index: usize, open: &mut [bool]) {
        open[index] = false;
        self.unsettled.remove(&index);
        for other in std::mem::take(&mut self.supports[index]) {
            let rests = &mut self.core_of[other];
            if rests.as_ref().is_some_and(|others| others.contains(&index)) {
                *rests = None;
                if open[other] {
                    self.unsettled.insert(other);
                }
            }
        }
    }
}
