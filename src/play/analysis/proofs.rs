//! Proofs of findings and of properties of the game. The room `property` proves them, and `report/properties.rs` presents
//! them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::ground::Network;
use crate::property::{NotSearched, ProofBudget, prove};
use crate::search::guarantee;
use crate::simulate::{StopReason, TimedInterrupt};

use super::error::AnalysisError;
use super::game_analysis::GameAnalysis;
use super::plan_search::{MEMORY, affordable_nodes};
use super::run::Run;
use super::stage::{Stage, because};

/// Limit of the time for searching the values that roles can guarantee, in nanoseconds for each role and method, by
/// counts.
const NANOSECONDS: f64 = 3e8;

/// The most gates of a network for which a search is made.
const MAX_SEARCHED_GATES: usize = 60_000;

/// Whether proofs can begin.
pub(super) fn begins_proofs(run: &mut Run<'_, '_>) -> bool {
    run.plan.proof_work > 0 && run.begins(Stage::Prove)
}

pub(super) fn prove_findings(
    run: &mut Run<'_, '_>,
    analysis: &mut GameAnalysis,
) -> Result<(), AnalysisError> {
    let start = Instant::now();
    let timed_interrupt = run.timed_interrupt(Stage::Prove);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let machine = run.game.machine;
    let budget = ProofBudget {
        work: run.plan.proof_work,
        seed: run.plan.seed,
        max_steps: run.plan.max_steps(machine),
        interrupt: interrupt.cloned(),
    };
    let search = || {
        // Searching many states together needs compiled code, which takes long for a large network.
        let gates = machine.network().map_or(0, Network::gates);
        if gates > MAX_SEARCHED_GATES {
            return Err(NotSearched::NetworkTooLarge { gates, limit: MAX_SEARCHED_GATES });
        }
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(NotSearched::Interrupted);
        }
        let nodes = affordable_nodes(machine, NANOSECONDS, interrupt).ok_or(NotSearched::StepTooExpensive)?;
        let nodes = nodes.min(run.plan.search_nodes);
        guarantee(machine, nodes, MEMORY, interrupt.map(Arc::as_ref)).map_err(|_| NotSearched::Failed)
    };
    let proofs =
        prove(machine, run.game.statics, &mut analysis.structures, &analysis.simulation, &budget, &search)?;
    let stopped = if run.interrupted() {
        Some(StopReason::Interrupted)
    } else if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        Some(StopReason::Seconds)
    } else if proofs.summary.is_over {
        Some(StopReason::Work)
    } else {
        None
    };
    let note = match stopped {
        Some(reason) => {
            let (lemmas, candidates) = (proofs.summary.lemmas, proofs.summary.candidates);
            Some(format!("{lemmas} of {candidates} lemmas are proved: {}", because(reason)))
        }
        None => proofs.summary.without.map(str::to_owned),
    };
    let work = proofs.summary.work;
    let reached = proofs.reached.clone();
    analysis.proofs = Some(proofs);
    analysis.reach(machine, reached);
    run.ended(Stage::Prove, work, note, start);
    Ok(())
}
