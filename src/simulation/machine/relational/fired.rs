//! Which rules ever applied in random play: a rule of which no body was satisfied is a part of the game that play says
//! nothing about. On any machine the rules are evaluated as they stand, as a network has lost them in its gates.
//!
//! The stage `analysis/rules.rs` calls it, and `report/seen.rs` puts the result in words. A clause knows its
//! rule by `GameProgram::rule_of`. `tests/analysis/rules_used.rs` tests it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::datalog::Interrupt;
use crate::gdl::rule::RelationKind;
use crate::machine::{Cursor, MachineError, MoveId, StateView};

use super::RelationalMachine;
use super::cursor::RelationalCursor;

/// How much random play goes on for the rules.
#[derive(Clone, Debug)]
pub struct RulePlay {
    /// Playouts.
    pub playouts: u64,
    /// Rows that joins may look at in all of them, some ten million a second.
    pub rows: u64,
    /// Joint moves after which a playout is truncated.
    pub max_steps: u32,
    /// Seed of all draws.
    pub seed: u64,
    /// What breaks it off.
    pub interrupt: Interrupt,
}

/// Which rules applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesApplied {
    /// For each rule of the description whether its body was ever satisfied; none for rules that hold in every state, and
    /// those that moves, ends, goals and the next state do not need.
    pub rules: Vec<Option<bool>>,
    /// Playouts looked at, the last one maybe in part. Play ends as soon as every rule has applied.
    pub playouts: u64,
    /// States in them.
    pub states: u64,
    /// Rows that joins looked at.
    pub rows: u64,
}

impl RulesApplied {
    /// Plays at random and notes which rules apply.
    pub fn in_random_play(machine: &RelationalMachine, play: &RulePlay) -> RulesApplied {
        let mut applied = RulesApplied { rules: counted(machine), playouts: 0, states: 0, rows: 0 };
        let mut cursor = RelationalCursor::new(machine).with_work(play.rows).with_interrupt(&play.interrupt);
        for playout in 0..play.playouts {
            // A state that can't be derived, or not with the work that is left, ends it; the rules until there count.
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

    /// Takes over what a view has seen.
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

/// The rules that count, none of which has applied.
fn counted(machine: &RelationalMachine) -> Vec<Option<bool>> {
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

/// Plays to the end; says whether there is work left for more.
fn play_on(
    machine: &RelationalMachine,
    cursor: &mut RelationalCursor<'_>,
    random: &mut ChaCha8Rng,
    play: &RulePlay,
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
