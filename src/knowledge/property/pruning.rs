//! The greatest set of candidates that support each other: those that may fail are dropped until none is left that may.
//! A model of the solver has one fail; walks that go on from it have more ([`walks`](super::walks)).

use std::collections::BTreeSet;

use batsat::Lit as Literal;

use super::induction::{LEAST, solve_any};
use super::lemma::Lemma;
use super::solver::Answer;
use super::unrolling::Unrolling;
use super::walks::Walks;

/// A part of the work that is left, which a question about all candidates may take.
const PART: u64 = 12;

/// Candidates that are looked at in a model in the time that a literal takes to be propagated.
const LOOKED_AT: u64 = 8;

/// Candidates, of which those may be dropped that fail in a frame where the others hold in the frames before.
pub(super) struct CandidatePruner<'d, 'n> {
    steps: &'d mut Unrolling<'n>,
    frame: usize,
    lemmas: &'d [Lemma],
    /// For every candidate what says that it holds in the frames before; none where nothing is taken to hold.
    hypotheses: &'d [Literal],
    violations: Vec<Literal>,
    /// For every candidate that was seen not to fail, the candidates that this rests on.
    rests_on: Vec<Option<Vec<usize>>>,
    /// For every candidate those that were seen to rest on it; some may have been asked again since.
    supports: Vec<Vec<usize>>,
    /// Open candidates of which nothing was seen, or nothing that still counts.
    unsettled: BTreeSet<usize>,
    /// What goes on from counterexamples.
    walks: Option<Walks<'n, 'd>>,
}

impl<'d, 'n> CandidatePruner<'d, 'n> {
    /// With literals of [`Solver::wanted`](super::solver::Solver::wanted), one for each candidate, that were made before
    /// all else, so that a model has as many fail as can.
    pub(super) fn new(
        steps: &'d mut Unrolling<'n>,
        frame: usize,
        lemmas: &'d [Lemma],
        hypotheses: &'d [Literal],
        wanted: Vec<Literal>,
    ) -> CandidatePruner<'d, 'n> {
        for (lemma, &violated) in lemmas.iter().zip(&wanted) {
            // A candidate without its violation can't be shown to hold.
            if steps.solver.allowance.is_interrupted() {
                break;
            }
            steps.violate(frame, lemma, violated);
        }
        let violations = wanted;
        let rests_on = vec![None; lemmas.len()];
        let supports = vec![Vec::new(); lemmas.len()];
        CandidatePruner {
            steps,
            frame,
            lemmas,
            hypotheses,
            violations,
            rests_on,
            supports,
            unsettled: BTreeSet::new(),
            walks: None,
        }
    }

    /// Goes on from counterexamples by random moves, to find what else fails.
    pub(super) fn with_walks(self, walks: Walks<'n, 'd>) -> CandidatePruner<'d, 'n> {
        CandidatePruner { walks: Some(walks), ..self }
    }

    /// Closes those that may fail. Those left open don't, whatever the work that was left.
    pub(super) fn run(mut self, open: &mut [bool]) {
        let most = self.steps.solver.allowance.left() / PART;
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
        self.unsettled = (0..open.len()).filter(|&place| open[place]).collect();
        self.one_by_one(open);
        // What was not settled is dropped, with all that rests on it.
        while let Some(&place) = self.unsettled.first() {
            self.close(place, open);
        }
    }

    /// Asks for each candidate alone, and remembers on which others the answer rests.
    fn one_by_one(&mut self, open: &mut [bool]) {
        while let Some(&place) = self.unsettled.first() {
            let allowance = &self.steps.solver.allowance;
            if allowance.is_over() {
                return;
            }
            let most = allowance.left() / 2 / (1 + self.unsettled.len() as u64);
            let mut assumed = vec![self.violations[place]];
            assumed.extend(self.assumed(open));

            match self.steps.solver.solve(&assumed, most.max(LEAST)) {
                Answer::Unsatisfiable => {
                    let solver = &self.steps.solver;
                    let rests: Vec<usize> = (0..self.hypotheses.len())
                        .filter(|&other| open[other] && solver.is_in_core(self.hypotheses[other]))
                        .collect();
                    rests.iter().for_each(|&other| self.supports[other].push(place));
                    self.rests_on[place] = Some(rests);
                    self.unsettled.remove(&place);
                }
                Answer::Satisfiable => {
                    if !self.drop_failing(open) {
                        self.close(place, open);
                    }
                }
                Answer::Unknown => self.close(place, open),
            }
        }
    }

    /// What says that those left hold in the frames before.
    fn assumed(&self, open: &[bool]) -> Vec<Literal> {
        let left = self.hypotheses.iter().zip(open).filter(|(_, open)| **open);
        left.map(|(&hypothesis, _)| hypothesis).collect()
    }

    /// Drops those that fail in the model found last; whether there is one.
    fn drop_failing(&mut self, open: &mut [bool]) -> bool {
        self.steps.solver.allowance.spend(self.lemmas.len() as u64 / LOOKED_AT);
        let failing: Vec<usize> = (0..self.lemmas.len())
            .filter(|&place| open[place] && !self.steps.holds(self.frame, &self.lemmas[place]))
            .collect();
        failing.iter().for_each(|&place| self.close(place, open));
        if let Some(walks) = &mut self.walks {
            let state = self.steps.state(self.frame - 1);
            let (more, work) = walks.failing(&state, self.lemmas, open);
            self.steps.solver.allowance.spend(work);
            more.into_iter().for_each(|place| self.close(place, open));
        }
        !failing.is_empty()
    }

    /// Drops one; what rests on it has to be asked again.
    fn close(&mut self, place: usize, open: &mut [bool]) {
        open[place] = false;
        self.unsettled.remove(&place);
        for other in std::mem::take(&mut self.supports[place]) {
            let rests = &mut self.rests_on[other];
            if rests.as_ref().is_some_and(|others| others.contains(&place)) {
                *rests = None;
                if open[other] {
                    self.unsettled.insert(other);
                }
            }
        }
    }
}
