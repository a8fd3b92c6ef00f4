//! Judges all functions of a game: first the cheap comparisons, then play by the functions with the best correlations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::machine::{Machine, State};
use crate::simulate::{Budget, Context, labels};
use crate::structure::finding::Structures;

use super::candidate::Candidate;
use super::error::JudgeError;
use super::limits::{JudgeLimits, affordable};
use super::role::{Ground, best, follow, judge_role};
use super::sample::{PHASES, sample};
use super::verdict::{Judgement, Verdict};

/// Changes the seed for the sampled states, so that they differ from the states that functions were learned from.
const STATES: u64 = 0x7374_6174;
/// Changes the seed for the playouts from each sampled state.
const LABELS: u64 = 0x6c61_6265;
/// Changes the seed for the playouts from the initial state.
const FROM_THE_START: u64 = 0x7374_6172;

/// Limits the work of the playouts that states are sampled from, and of the playouts from these states. Fewer playouts
/// are run if they would need more.
const MAX_WORK: u64 = 2_000_000_000;

/// Work is counted as for single playouts. Playouts in lanes are faster than that by this factor.
const LANE_SPEEDUP: u64 = 300;

/// The number of playouts from the initial state, for the mean goal value of random play, per playout against random
/// play. They are fast.
const RANDOM_PLAYOUT_FACTOR: u64 = 10;

/// What the caller provides: an interrupt flag, a progress callback, and a `Follower`.
#[derive(Clone, Copy, Default)]
pub struct JudgeContext<'a> {
    /// Once true, judging returns its results so far.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// Called with the number of functions followed so far, and their total.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Runs the play by functions elsewhere; none to run it here, on all threads.
    pub follower: Option<&'a dyn Follower>,
}

/// Distributes the play by functions, which is most of the work of judging.
pub trait Follower {
    /// Runs the play by some functions, given by index. `follow` runs one of them in this process; it may be called
    /// repeatedly and on any thread. Returns the results; missing ones are judged without play.
    ///
    /// # Errors
    /// A function can't be followed.
    fn follow(
        &self,
        functions: &[usize],
        follow: &(dyn Fn(usize) -> Result<Judgement, JudgeError> + Sync),
    ) -> Result<Vec<(usize, Judgement)>, JudgeError>;
}

/// Judges candidates; those of one role are compared with each other. The result does not depend on the number of
/// threads.
///
/// # Errors
/// Nothing could be played, or a function does not fit the game.
pub fn judge(
    machine: &dyn Machine,
    structures: &Structures,
    candidates: &[Candidate],
    limits: &JudgeLimits,
    context: &JudgeContext<'_>,
) -> Result<Verdict, JudgeError> {
    let interrupt = context.interrupt;
    let is_interrupted = || interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(limits.threads).build()?;
    let budget = Budget {
        playouts: limits.states,
        max_steps: limits.max_steps(machine),
        seed: limits.seed ^ STATES,
        threads: limits.threads,
        work: Some(affordable(machine, MAX_WORK)),
        ..Budget::default()
    };
    let playing = Context { interrupt, progress: None };
    let (sample, work_of_one) = sample(machine, &budget, &playing)?;
    let states: Vec<State> = sample.iter().map(|sampled| sampled.state.clone()).collect();
    let lanes = if machine.suits_lanes() { LANE_SPEEDUP } else { 1 };
    let most = (affordable(machine, MAX_WORK) * lanes / work_of_one.max(1)).max(1);
    let playouts = limits.playouts.min((most / limits.states.max(1)).max(1));
    let budget = Budget { playouts, seed: limits.seed ^ LABELS, ..budget };
    let state_labels = labels(machine, &states, &budget, &playing)?;
    let playouts_per_state = playouts;
    let playouts = limits.play.saturating_mul(RANDOM_PLAYOUT_FACTOR).min(most);
    let budget = Budget { playouts, seed: limits.seed ^ FROM_THE_START, ..budget };
    let start_labels = labels(machine, std::slice::from_ref(machine.initial()), &budget, &playing)?;

    let description = machine.description();
    let names: Vec<String> = description.roles.iter().map(|&role| machine.term_text(role)).collect();
    let ground = Ground {
        machine,
        structures,
        names: &names,
        sample: &sample,
        labels: &state_labels,
        start: &start_labels[0],
        limits,
        interrupt: interrupt.map(|flag| &**flag),
    };
    let of_role = |role: usize| -> Vec<&Candidate> {
        candidates.iter().filter(|candidate| candidate.role == role).collect()
    };
    let roles: Vec<(usize, Vec<&Candidate>)> = (0..names.len())
        .map(|role| (role, of_role(role)))
        .filter(|(_, candidates)| !candidates.is_empty())
        .collect();
    let judged = pool.install(|| {
        let judged = roles.par_iter().map(|(role, candidates)| judge_role(&ground, *role, candidates));
        judged.collect::<Result<Vec<_>, JudgeError>>()
    })?;

    let (mut of_roles, mut functions) = (Vec::new(), Vec::new());
    for ((_, candidates), (role, judgements)) in roles.into_iter().zip(judged) {
        let followed = best(&judgements, limits.best);
        of_roles.push(role);
        functions.extend(candidates.into_iter().zip(judgements).zip(followed));
    }
    let played = follow_best(&ground, &functions, &pool, context)?;
    let mut functions: Vec<Judgement> = functions.into_iter().map(|((_, judgement), _)| judgement).collect();
    for (number, judgement) in played {
        functions[number] = judgement;
    }
    sort(&mut functions, &names);
    let in_phase = |phase| sample.iter().filter(|sampled| sampled.phase == phase).count() as u64;
    Ok(Verdict {
        seed: limits.seed,
        states: sample.len() as u64,
        phases: (0..PHASES).map(in_phase).collect(),
        playouts: playouts_per_state,
        guided: limits.guided,
        play: limits.play,
        roles: of_roles,
        functions,
        notes: notes(limits, sample.len(), playouts_per_state, is_interrupted()),
    })
}

/// Runs play by the best functions; returns each judgement with the index of its function.
fn follow_best(
    ground: &Ground<'_>,
    functions: &[((&Candidate, Judgement), bool)],
    pool: &rayon::ThreadPool,
    context: &JudgeContext<'_>,
) -> Result<Vec<(usize, Judgement)>, JudgeError> {
    let JudgeContext { interrupt, progress, follower } = *context;
    let all: Vec<usize> = functions
        .iter()
        .enumerate()
        .filter(|(_, (_, followed))| *followed)
        .map(|(number, _)| number)
        .collect();
    let done = AtomicUsize::new(0);
    let one = |number: usize| {
        let ((candidate, judgement), _) = &functions[number];
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(judgement.clone());
        }
        let judgement = follow(ground, candidate, judgement.clone())?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = progress {
            progress(done, all.len());
        }
        Ok(judgement)
    };
    match follower {
        Some(follower) => follower.follow(&all, &one),
        None => pool.install(|| {
            let played = all.par_iter().map(|&number| Ok((number, one(number)?)));
            played.collect()
        }),
    }
}

/// Sorts by role, in the order of the roles; within a role the best in play first, then the others by correlation.
fn sort(functions: &mut [Judgement], roles: &[String]) {
    let place = |judgement: &Judgement| roles.iter().position(|name| *name == judgement.role);
    let quality = |judgement: &Judgement| {
        [judgement.goal(), judgement.correlation()].map(|number| number.unwrap_or(f64::NEG_INFINITY))
    };
    functions.sort_by(|a, b| {
        let (first, second) = (quality(a), quality(b));
        let by_quality = second[0].total_cmp(&first[0]).then(second[1].total_cmp(&first[1]));
        place(a).cmp(&place(b)).then(by_quality)
    });
}

/// Notes about reduced limits.
fn notes(limits: &JudgeLimits, states: usize, playouts_per_state: u64, interrupted: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if playouts_per_state < limits.playouts {
        notes.push(format!(
            "{playouts_per_state} playouts from each state, not {}: play is slow",
            limits.playouts
        ));
    }
    if (states as u64) < limits.states {
        notes.push(format!("{} states, not {}: play is slow, or ends at once", states, limits.states));
    }
    if interrupted {
        notes.push("interrupted: some of it was not judged".to_owned());
    }
    notes
}
