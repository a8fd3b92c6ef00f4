//! The rules that random play uses: if it never used a rule, it says nothing about conclusions from the rule.
//! `machine/relational/applied_rules.rs` runs the rules, and `report/coverage.rs` presents the result.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::datalog::Interrupt;
use crate::machine::{AppliedRules, RandomPlayBudget, RelationalMachine};
use crate::simulate::{StopReason, TimedInterrupt};
use crate::structure::finding::RuleCoverage;

use super::game_analysis::GameAnalysis;
use super::run::Run;
use super::stage::{Stage, because};

/// The most rows that joins visit. They take about a second.
const MAX_ROWS: u64 = 6_000_000;

/// The most bytes of a state.
const MAX_STATE_BYTES: usize = 256 << 20;

/// The most rules in the report.
const MAX_RULES: usize = 100;

/// Records which rules apply in a few random playouts, if the relational machine can play the game.
pub(super) fn apply_rules(run: &mut Run<'_, '_>, analysis: &mut GameAnalysis) {
    let start = Instant::now();
    let machine = run.game.machine;
    let timed_interrupt = run.timed_interrupt(Stage::Rules);
    let interrupt = timed_interrupt.as_ref().map(TimedInterrupt::flag).or(run.context.interrupt);
    let made;
    let relational = match machine.relational() {
        Some(relational) => relational,
        None => match RelationalMachine::new(Arc::clone(machine.rules()), MAX_STATE_BYTES) {
            Ok(relational) => {
                made = relational;
                &made
            }
            Err(error) => return run.ended(Stage::Rules, 0, Some(error.to_string()), start),
        },
    };
    let play = RandomPlayBudget {
        playouts: run.plan.playouts.unwrap_or(u64::MAX).min(run.plan.rule_playouts),
        rows: MAX_ROWS,
        max_steps: run.plan.max_steps(machine),
        seed: run.plan.seed,
        interrupt: Interrupt::of(interrupt),
    };
    let applied = AppliedRules::from_random_play(relational, &play);
    let description = machine.description();
    let of = |wanted: bool| applied.rules.iter().filter(move |rule| **rule == Some(wanted)).count();
    let rules = description.rules.iter().zip(&applied.rules);
    let never = rules.filter(|(_, applied)| **applied == Some(false)).take(MAX_RULES);
    analysis.structures.rule_coverage = Some(RuleCoverage {
        applied: of(true),
        rules: of(true) + of(false),
        playouts: applied.playouts,
        states: applied.states,
        never: never.map(|(rule, _)| description.display_rule(rule)).collect(),
    });
    let stopped = match interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        true if run.interrupted() => Some(StopReason::Interrupted),
        true => Some(StopReason::Seconds),
        false => None,
    };
    let note = stopped.map(|reason| format!("{} playouts: {}", applied.playouts, because(reason)));
    run.ended(Stage::Rules, applied.rows, note, start);
}
