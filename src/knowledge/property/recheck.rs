//! Promise: another solver and random play confirm all proofs.
//!
//! splr shares no code with the solver of the proofs. It checks that the lemmas hold initially and are
//! inductive, and that with them no contradiction of a claim can occur. Random play in lanes looks for a
//! state in which a lemma fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use batsat::Lit as Literal;
use splr::{Certificate, Config, SolveIF, Solver as OtherSolver, SolverError};

use super::claim::Contradiction;
use super::induction::{Invariants, MOST_STEPS, contradiction_literal};
use super::lemma::{Lemma, ProvedLemma};
use super::prove::{ProofBudget, prove_with_invariants};
use super::reason::NotSearched;
use super::solver::{Allowance, Solver};
use super::sum_clauses::{WeightedSum, not_grown};
use super::unrolling::{StartState, Unrolling};
use crate::gdl::{Source, read};
use crate::ground::{Limits, Lit, Network};
use crate::machine::lanes::word::Word;
use crate::machine::{Backend, Machine, load};
use crate::simulate::{Budget, Context, LaneObserver, LaneStep, observe_lanes};
use crate::structure::detect;

/// States of random play in which lemmas are tested.
const STATES: u64 = 10_000_000;

/// Contradictions that one question combines.
const TOGETHER: usize = 200;

/// Most seconds for a question of the other solver. A machine may be busy.
const SECONDS: f64 = 600.0;

#[test]
fn another_solver_and_random_play_confirm_proofs() {
    for name in ["tic_tac_toe", "nim", "dots_and_boxes", "three_player_race", "breakthrough"] {
        let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let rules = read(&Source::load(path).unwrap()).description.unwrap();
        let game = load(rules, Backend::Auto, &Limits::default()).unwrap();
        let machine = &*game.machine;
        let (play, context) = (Budget { playouts: 200, ..Budget::default() }, Context::default());
        let (mut structures, simulation) = detect(machine, &game.statics, &play, &context).unwrap();
        let budget = ProofBudget { work: 45_000_000, seed: 1, max_steps: play.max_steps, interrupt: None };
        let search = || Err(NotSearched::StepTooExpensive);
        let statics = &game.statics;
        let (_, invariants) =
            prove_with_invariants(machine, statics, &mut structures, &simulation, &budget, &search).unwrap();
        let network = machine.network().unwrap();
        let checked = recheck(&invariants.unwrap(), network, machine, &play, &context).unwrap();
        assert_eq!(checked.unanswered, 0, "{name}");
        assert!(checked.questions >= 2 && checked.states >= STATES, "{name}: {checked:?}");
    }
}

/// Proofs of a game beyond its lemmas.
#[derive(Default)]
pub(super) struct ProvedClaims {
    /// Contradictions that were excluded.
    pub(super) contradictions: Vec<Contradiction>,
    /// Sums that grow within a number of steps.
    pub(super) sums: Vec<(usize, WeightedSum)>,
}

/// The result of the recheck.
#[derive(Debug, Default)]
struct Recheck {
    /// Questions with the same answer from the other solver: about lemmas, and about claims.
    questions: usize,
    /// Questions that the other solver could not answer in time.
    unanswered: usize,
    /// States of random play in which all lemmas over facts held.
    states: u64,
}

/// Rechecks all lemmas and claims. The error is a sentence that says which one fails.
fn recheck(
    invariants: &Invariants<'_>,
    network: &Network,
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Recheck, String> {
    let mut checked = Recheck::default();
    let deepest = invariants.proved.iter().map(|proved| proved.k).max().unwrap_or(0);
    for k in 1..=deepest {
        for clauses in questions(&invariants.proved, network, k) {
            match unsatisfiable(clauses) {
                Some(true) => checked.questions += 1,
                Some(false) => return Err(format!("another solver does not prove the lemmas of {k} steps")),
                None => checked.unanswered += 1,
            }
        }
    }
    let ProvedClaims { contradictions, sums } = &*invariants.claims.borrow();
    let mut claims = Vec::new();
    for count in 0..=MOST_STEPS {
        let of_steps: Vec<&Contradiction> =
            contradictions.iter().filter(|one| one.steps() == count).collect();
        claims.extend(of_steps.chunks(TOGETHER).map(|some| {
            let write = |steps: &mut Unrolling<'_>| {
                some.iter().map(|one| contradiction_literal(steps, one)).collect()
            };
            (count, coming(&invariants.proved, network, count, write))
        }));
    }
    claims.extend(sums.iter().map(|(count, sum)| {
        let write = |steps: &mut Unrolling<'_>| {
            let fails = steps.solver.variable();
            not_grown(steps, sum, *count, fails);
            vec![fails]
        };
        (*count, coming(&invariants.proved, network, *count, write))
    }));
    for (count, clauses) in claims {
        match unsatisfiable(clauses) {
            Some(true) => checked.questions += 1,
            Some(false) => return Err(format!("another solver does not prove a claim of {count} steps")),
            None => checked.unanswered += 1,
        }
    }
    checked.states = played(invariants, machine, budget, context)?;
    Ok(checked)
}

/// Clauses for two impossible situations: lemmas of depth `k` fail in a state near the initial one, or they
/// fail after `k` steps in which all hold.
fn questions(proved: &[ProvedLemma], network: &Network, k: u32) -> Vec<Vec<Vec<i32>>> {
    let allowance = Allowance::new(u64::MAX, None);
    let own = || proved.iter().filter(|proved| proved.k == k).map(|proved| &proved.lemma);
    if own().next().is_none() {
        return Vec::new();
    }
    let mut questions = Vec::new();
    for depth in 0..k as usize {
        let mut steps = recorded(network, StartState::Initial, &allowance);
        (0..depth).for_each(|_| steps.step());
        questions.push(failing(steps, depth, own()));
    }
    let mut steps = recorded(network, StartState::Anywhere, &allowance);
    let depth = k as usize;
    for frame in 0..depth {
        proved.iter().filter(|proved| proved.k <= k).for_each(|of| steps.assume(frame, &of.lemma, None));
        steps.step();
    }
    proved.iter().filter(|proved| proved.k < k).for_each(|of| steps.assume(depth, &of.lemma, None));
    questions.push(failing(steps, depth, own()));
    questions
}

/// Clauses for one of some literals holding in `count` steps in which all lemmas hold.
fn coming(
    proved: &[ProvedLemma],
    network: &Network,
    count: usize,
    write: impl FnOnce(&mut Unrolling<'_>) -> Vec<Literal>,
) -> Vec<Vec<i32>> {
    let allowance = Allowance::new(u64::MAX, None);
    let mut steps = recorded(network, StartState::Anywhere, &allowance);
    for frame in 0..=count {
        proved.iter().for_each(|of| steps.assume(frame, &of.lemma, None));
        if frame < count {
            steps.step();
        }
    }
    let comes = write(&mut steps);
    steps.solver.clause(&comes);
    steps.solver.take_recorded()
}

fn recorded<'n>(network: &'n Network, from: StartState, allowance: &Rc<Allowance>) -> Unrolling<'n> {
    let mut solver = Solver::new(allowance);
    solver.record();
    Unrolling::with(network, from, solver)
}

/// The clauses of some frames in which a lemma fails in the last.
fn failing<'l>(
    mut steps: Unrolling<'_>,
    frame: usize,
    lemmas: impl Iterator<Item = &'l Lemma>,
) -> Vec<Vec<i32>> {
    let violated: Vec<Literal> = lemmas.map(|lemma| steps.violation(frame, lemma)).collect();
    steps.solver.clause(&violated);
    steps.solver.take_recorded()
}

/// Whether splr finds the clauses unsatisfiable; none if it ran out of time or failed internally.
fn unsatisfiable(clauses: Vec<Vec<i32>>) -> Option<bool> {
    if clauses.iter().any(Vec::is_empty) {
        return Some(true);
    }
    // Eliminating variables fails an assertion of splr 0.17 on some clauses.
    let config =
        Config { quiet_mode: true, c_timeout: SECONDS, enable_eliminator: false, ..Config::default() };
    // splr reports immediate contradictions as errors.
    let contradicts = |error: &SolverError| {
        matches!(
            error,
            SolverError::EmptyClause | SolverError::Inconsistent | SolverError::RootLevelConflict(_)
        )
    };
    let ask = || match OtherSolver::try_from((config, &clauses[..])) {
        Ok(mut solver) => solver.solve(),
        Err(answer) => answer,
    };
    match catch_unwind(AssertUnwindSafe(ask)).ok()? {
        Ok(Certificate::UNSAT) => Some(true),
        Ok(Certificate::SAT(_)) => Some(false),
        Err(error) => contradicts(&error).then_some(true),
    }
}

/// Tests lemmas over bits of a state in lanes.
struct LemmaObserver<'l> {
    lemmas: &'l [&'l Lemma],
    /// The first lemma that failed.
    failed: Option<usize>,
    states: u64,
}

impl LaneObserver for LemmaObserver<'_> {
    fn step(&mut self, step: &LaneStep<'_>) {
        let word = |literal: Lit| {
            let holds = match literal.node().checked_sub(1) {
                Some(bit) => step.block.bit(bit as usize),
                None => Word::ZERO,
            };
            if literal.negated() { !holds } else { holds }
        };
        for (index, lemma) in self.lemmas.iter().enumerate() {
            let (mut one, mut two) = (Word::ZERO, Word::ZERO);
            for &literal in lemma.literals() {
                let holds = word(literal);
                two |= one & holds;
                one |= holds;
            }
            let fails = match lemma {
                Lemma::Clause(_) => !one,
                Lemma::AtMostOne(_) => two,
            };
            if !(fails & step.active).is_zero() {
                self.failed = Some(self.failed.map_or(index, |known| known.min(index)));
            }
        }
    }

    fn outcome(&mut self, _: &[Vec<i32>], _: u64) {}

    fn over(&mut self, _: u64, states: u64) {
        self.states += states;
    }

    fn merge(&mut self, later: Self) {
        self.failed = [self.failed, later.failed].into_iter().flatten().min();
        self.states += later.states;
    }
}

/// The number of states of random play in which all lemmas over bits hold.
fn played(
    invariants: &Invariants<'_>,
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<u64, String> {
    let bits = machine.network().map_or(0, |network| network.bits.len() as u32);
    let over_bits = |lemma: &&Lemma| lemma.literals().iter().all(|literal| literal.node() <= bits);
    let lemmas: Vec<&Lemma> =
        invariants.proved.iter().map(|proved| &proved.lemma).filter(over_bits).collect();
    let mut states = 0;
    let mut round = 0;
    while states < STATES {
        round += 1;
        let budget = Budget { playouts: 20_000, seed: budget.seed + round, ..budget.clone() };
        let looking = || LemmaObserver { lemmas: &lemmas, failed: None, states: 0 };
        let Ok((_, seen)) = observe_lanes(machine, &budget, context, looking) else {
            return Ok(states);
        };
        if let Some(index) = seen.failed {
            return Err(format!("a state of random play contradicts lemma {index}, {:?}", lemmas[index]));
        }
        if seen.states == 0 {
            return Ok(states);
        }
        states += seen.states;
    }
    Ok(states)
}
