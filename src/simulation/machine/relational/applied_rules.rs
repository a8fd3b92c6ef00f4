//! The rules that were applied in random play. A rule that never applied is a part of the game that playouts do not test.
//! The relational machine is always used, because the gates of a network do not show their rules.
//!
//! The stage `analysis/rules.rs` calls it, and `report/coverage.rs` reports the result. `GameProgram::rule_of` maps a clause to
//! its rule. `tests/analysis/rules_used.rs` tests it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::datalog::Interrupt;
use crate::gdl::rule::RelationKind;
use crate::machine::{Cursor, MachineError, MoveId, StateView};

use super::RelationalMachine;
use super::cursor::RelationalCursor;

/// The budget of random play.
#[derive(Clone, Debug)]
pub struct RandomPlayBudget {
    /// Number of playouts.
    pub playouts: u64,
    /// Total number of rows that joins may read; a computer reads about ten million per second.
    pub rows: u64,
    /// Joint moves after which a playout is cut off.
    pub max_steps: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// The caller's interrupt.
    pub interrupt: Interrupt,
}

/// The rules that were applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedRules {
    /// For each rule of the description, whether its body was ever satisfied. None for rules that hold in every state, and
    /// for rules that moves, ends, goals and the next state do not need.
    pub rules: Vec<Option<bool>>,
    /// Number of playouts; the last one may be incomplete. Play ends as soon as every rule was applied.
    pub playouts: u64,
    /// Number of states.
    pub states: u64,
    /// Number of rows that joins read.
    pub rows: u64,
}

impl AppliedRules {
    /// Plays at random and records which rules are applied.
    pub fn from_random_play(machine: &RelationalMachine, play: &RandomPlayBudget) -> AppliedRules {
        let mut applied = AppliedRules { rules: counted(machine), playouts: 0, states: 0, rows: 0 };
        let mut cursor = RelationalCursor::new(machine).with_work(play.rows).with_interrupt(&play.interrupt);
        for playout in 0..play.playouts {
            // A state that exceeds the limits ends the run; rules applied until then count.
            if cursor.set(&machine.initial).is_err() {
                break;
            }
            applied.playouts += 1;
            let mut random = ChaCha8Rng::seed_from_u64(play.seed);
            random.set_stream(playout);
            let going_on = play_on(machine, &mut cursor, &mut random, play, &mut applied.states);
            applied.note(machine, &cursor);
            if !matches!(going_on, Ok(true)) || !applied.rules.contains(&Some(false)) {
                break;
            }
        }
        applied.note(machine, &cursor);
        applied
    }

    /// Adds the rules that the cursor has applied.
    fn note(&mut self, machine: &RelationalMachine, cursor: &RelationalCursor<'_>) {
        let satisfied = cursor.engine.satisfied.iter();
        for (rule, _) in machine.program().rule_of.iter().zip(satisfied).filter(|(_, satisfied)| **satisfied)
        {
            if let Some(Some(applied)) = rule.map(|rule| &mut self.rules[rule as usize]) {
                *applied = true;
            }
        }
        self.rows = cursor.work();
    }
}

/// Marks the rules to observe as not applied.
pub(super) fn counted(machine: &RelationalMachine) -> Vec<Option<bool>> {
    let program = &machine.rules.program;
    let needed = super::needed(program);
    let rule = |rule: &crate::gdl::rule::Rule| {
        let head = rule.head.relation;
        let counts = needed[head.index()]
            && !program.is_static(head)
            && program.relations[head.index()].kind != RelationKind::Init;
        counts.then_some(false)
    };
    machine.rules.description.rules.iter().map(rule).collect()
}

/// Plays until the end; returns whether work remains.
fn play_on(
    machine: &RelationalMachine,
    cursor: &mut RelationalCursor<'_>,
    random: &mut ChaCha8Rng,
    play: &RandomPlayBudget,
    states: &mut u64,
) -> Result<bool, MachineError> {
    let roles = machine.rules.description.roles.len();
    *states += 1;
    for _ in 0..play.max_steps {
        if cursor.work() >= play.rows || play.interrupt.is_set() {
            return Ok(false);
        }
        if cursor.terminal() {
            break;
        }
        let mut choose = |role: usize| {
            let legal = cursor.legal(role);
            (!legal.is_empty()).then(|| legal[random.random_range(0..legal.len())])
        };
        let Some(joint) = (0..roles).map(&mut choose).collect::<Option<Vec<MoveId>>>() else { break };
        cursor.advance(&joint)?;
        *states += 1;
    }
    Ok(true)
}
