//! Proof by induction over the steps of a network.
//!
//! The hypothesis is that all candidates hold in a state that is not terminal, and every role makes a legal move.
//! Candidates that may fail in the successor are dropped until none fails (Houdini, Flanagan and Leino 2001). The
//! remaining candidates hold in the initial state, and therefore in every reachable state. Dropped candidates are tried
//! again with hypotheses about the last two and three states, together with the lemmas proved so far. For these, the
//! first states of all plays are checked too.

use std::cell::RefCell;
use std::rc::Rc;

use batsat::Lit as Literal;
use rustc_hash::FxHashMap;

use super::claim::{Condition, Contradiction};
use super::lemma::{Lemma, ProvedLemma};
use super::pruning::CandidatePruner;
use super::solver::{Allowance, Answer};
use super::unrolling::{StartState, Unrolling, solve_any};
use super::walks::Walks;
use crate::ground::Network;

/// Maximum number of steps that a contradiction spans.
pub(super) const MOST_STEPS: usize = 3;

/// Lemmas that hold in every reachable state.
pub(super) struct Invariants<'n> {
    network: &'n Network,
    allowance: Rc<Allowance>,
    pub(super) proved: Vec<ProvedLemma>,
    known: FxHashMap<Lemma, u32>,
    /// By number of steps: frames with all proved lemmas.
    frame_cache: RefCell<FrameCache<'n>>,
    /// Proved claims that are not lemmas, which another solver rechecks.
    #[cfg(test)]
    pub(super) claims: RefCell<super::recheck::ProvedClaims>,
}

type FrameCache<'n> = [Option<Unrolling<'n>>; MOST_STEPS + 1];

/// A question about many contradictions may use the remaining work divided by this number.
const QUESTION_DIVISOR: u64 = 12;

impl<'n> Invariants<'n> {
    /// No lemmas yet.
    pub(super) fn new(network: &'n Network, allowance: &Rc<Allowance>) -> Invariants<'n> {
        Invariants {
            network,
            allowance: Rc::clone(allowance),
            proved: Vec::new(),
            known: FxHashMap::default(),
            frame_cache: RefCell::default(),
            #[cfg(test)]
            claims: RefCell::default(),
        }
    }

    pub(super) fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Number of steps that the induction of a lemma looks back, if exactly this lemma is proved.
    pub(super) fn depth(&self, lemma: &Lemma) -> Option<u32> {
        self.known.get(lemma).copied()
    }

    /// Proves candidates by induction over `k` steps. Returns those that are not proved; all of them if the
    /// work was used up before.
    pub(super) fn prove(&mut self, candidates: Vec<Lemma>, k: u32) -> Vec<Lemma> {
        let mut open = vec![true; candidates.len()];
        if candidates.is_empty() {
            return candidates;
        }
        self.check_first_states(&candidates, &mut open, k);
        let mut steps = Unrolling::new(self.network, StartState::Anywhere, &self.allowance);
        let wanted = steps.solver.preferred_variables(candidates.len());
        let depth = k as usize;
        let hypotheses: Vec<Literal> = candidates.iter().map(|_| steps.solver.variable()).collect();
        for frame in 0..depth {
            self.assume(&mut steps, frame);
            for (candidate, &hypothesis) in candidates.iter().zip(&hypotheses) {
                if self.allowance.is_interrupted() {
                    return candidates;
                }
                steps.assume(frame, candidate, Some(hypothesis));
            }
            steps.step();
        }
        self.assume(&mut steps, depth);
        let walks = Walks::new(self.network, &self.proved);
        CandidatePruner::new(&mut steps, depth, &candidates, &hypotheses, wanted)
            .with_walks(walks)
            .run(&mut open);
        self.frame_cache = RefCell::default();
        let mut left = Vec::new();
        for (lemma, holds) in candidates.into_iter().zip(open) {
            if holds {
                self.known.insert(lemma.clone(), k);
                self.proved.push(ProvedLemma { lemma, k });
            } else {
                left.push(lemma);
            }
        }
        left
    }

    /// Sets `open` to false for candidates that may fail in the initial state, or in a state fewer than `k` steps after
    /// it.
    fn check_first_states(&self, candidates: &[Lemma], open: &mut [bool], k: u32) {
        let mut steps = Unrolling::new(self.network, StartState::Initial, &self.allowance);
        for depth in 0..k as usize {
            if depth > 0 {
                steps.step();
                self.assume(&mut steps, depth);
            }
            let wanted = steps.solver.preferred_variables(candidates.len());
            CandidatePruner::new(&mut steps, depth, candidates, &[], wanted).run(open);
        }
    }

    fn assume(&self, steps: &mut Unrolling<'_>, frame: usize) {
        for proved in &self.proved {
            steps.assume(frame, &proved.lemma, None);
        }
    }

    /// Discards the cached frames; they are built again when needed.
    pub(super) fn drop_frames(&self) {
        self.frame_cache.take();
    }

    /// Cached frames of `count` steps with all proved lemmas.
    fn frames<'a>(&self, frame_cache: &'a mut FrameCache<'n>, count: usize) -> &'a mut Unrolling<'n> {
        frame_cache[count].get_or_insert_with(|| {
            let mut steps = Unrolling::new(self.network, StartState::Anywhere, &self.allowance);
            self.assume(&mut steps, 0);
            for frame in 1..=count {
                steps.step();
                self.assume(&mut steps, frame);
            }
            steps
        })
    }

    /// Calls a function with frames of `count` steps and all proved lemmas.
    pub(super) fn with_frames<T>(&self, count: usize, question: impl FnOnce(&mut Unrolling<'n>) -> T) -> T {
        question(self.frames(&mut self.frame_cache.borrow_mut(), count))
    }

    /// Whether each contradiction is impossible in reachable states.
    pub(super) fn exclude(&self, contradictions: &[Contradiction]) -> Vec<bool> {
        let mut excluded = vec![false; contradictions.len()];
        for count in 0..=MOST_STEPS {
            let some: Vec<usize> =
                (0..contradictions.len()).filter(|&index| contradictions[index].steps() == count).collect();
            if some.is_empty() {
                continue;
            }
            let mut frame_cache = self.frame_cache.borrow_mut();
            let steps = self.frames(&mut frame_cache, count);
            let mut comes: Vec<(usize, Literal)> = Vec::with_capacity(some.len());
            for index in some {
                if self.allowance.is_interrupted() {
                    return excluded;
                }
                comes.push((index, contradiction_literal(steps, &contradictions[index])));
            }
            let most = self.allowance.left() / QUESTION_DIVISOR;
            loop {
                match solve_any(steps, comes.iter().map(|&(_, comes)| comes), &[], most) {
                    Answer::Satisfiable => comes.retain(|&(_, comes)| !steps.solver.holds(comes)),
                    Answer::Unsatisfiable => {
                        comes.iter().for_each(|&(index, _)| excluded[index] = true);
                        break;
                    }
                    Answer::Unknown => {
                        solve_separately(steps, &comes, most, &mut excluded);
                        break;
                    }
                }
            }
        }
        #[cfg(test)]
        for (contradiction, _) in contradictions.iter().zip(&excluded).filter(|(_, excluded)| **excluded) {
            self.claims.borrow_mut().contradictions.push(contradiction.clone());
        }
        excluded
    }
}

/// Tests for each literal separately whether it can hold, with a common limit of work.
fn solve_separately(steps: &mut Unrolling<'_>, comes: &[(usize, Literal)], most: u64, excluded: &mut [bool]) {
    let begin = steps.solver.allowance.spent();
    for (number, &(index, comes_literal)) in comes.iter().enumerate() {
        let left = most.saturating_sub(steps.solver.allowance.spent() - begin);
        if left == 0 {
            return;
        }
        let alone = left / (comes.len() - number) as u64;
        excluded[index] = steps.solver.solve(&[comes_literal], alone) == Answer::Unsatisfiable;
    }
}

/// A literal that implies all conditions of a contradiction.
pub(super) fn contradiction_literal(steps: &mut Unrolling<'_>, contradiction: &Contradiction) -> Literal {
    let comes = steps.solver.variable();
    for condition in &contradiction.0 {
        match condition {
            &Condition::Holds(frame, literal) => {
                let literal = steps.literal(frame, literal);
                steps.solver.clause(&[!comes, literal]);
            }
            Condition::None(frame, literals) => {
                for &literal in literals {
                    let literal = steps.literal(*frame, literal);
                    steps.solver.clause(&[!comes, !literal]);
                }
            }
            Condition::Some(frame, literals) => {
                let mut clause = vec![!comes];
                clause.extend(literals.iter().map(|&literal| steps.literal(*frame, literal)));
                steps.solver.clause(&clause);
            }
            Condition::Two(frame, literals) => {
                let two = steps.violation(*frame, &Lemma::AtMostOne(literals.clone()));
                steps.solver.clause(&[!comes, two]);
            }
            Condition::Unchanged(count, bits) => {
                for &bit in bits {
                    // One implication suffices: only `comes` implies the condition.
                    let [before, after] =
                        [0, *count].map(|frame| steps.literal(frame, super::lemma::of_bit(bit)));
                    steps.solver.clause(&[!comes, !before, after]);
                    steps.solver.clause(&[!comes, before, !after]);
                }
            }
        }
    }
    comes
}
