//! Conditions that ask whose turn it is.
//!
//! # What it does
//! Says what such a condition is after the next move. A goal as "a line, and the other one is to move" is won by who moves
//! last: in a state before the end the turn that counts is not the one that is, as the end comes after a move at the
//! soonest. A line that lacks one stone is good for who is to move.
//!
//! # How
//! Where in a few random playouts every fact of a control fluent is followed by the same other one, the condition is
//! copied with each such fact in it read as the one before it.
//!
//! # Guarantee
//! In a state whose successors are ends the copy says what holds there, as far as it depends on the turn alone. Terminal
//! states are valued by the condition itself.
//!
//! # Cost
//! Up to twice the nodes of conditions that mention whose turn it is.
//!
//! # Example
//! Nim: who took the last counter is not to move. With one heap left it is the one who is to move that wins.
//!
//! # Source
//! Our own; `reports/telling/README.md` shows what it brings.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::datalog::Interrupt;
use crate::gdl::symbol::Symbol;
use crate::machine::{FluentId, Machine};
use crate::structure::finding::Structures;

use super::random_walk::walk;

/// Playouts looked at.
const PLAYOUTS: u64 = 30;

/// For each fact of a control fluent the one that holds one move before it does.
pub(super) type Before = BTreeMap<String, String>;

/// What precedes the facts that say whose turn it is; nothing where that is not the same in all playouts.
pub(super) fn before(machine: &dyn Machine, structures: &Structures, interrupt: &Interrupt) -> Before {
    let controls: Vec<(Symbol, usize)> = structures
        .fluents
        .iter()
        .filter(|finding| finding.control.is_some())
        .map(|finding| (finding.fluent.name, finding.fluent.arity))
        .collect();
    if controls.is_empty() {
        return Before::new();
    }
    let is_control = |fluent: FluentId| {
        let (name, arguments) = machine.fluent(fluent);
        controls.contains(&(name, arguments.len()))
    };
    let mut known: FxHashMap<FluentId, bool> = FxHashMap::default();
    let mut follows: BTreeMap<FluentId, FluentId> = BTreeMap::new();
    let (mut last, mut facts): (Option<FluentId>, Vec<FluentId>) = (None, Vec::new());
    let mut single = true;
    walk(machine, PLAYOUTS, interrupt, &mut |cursor, first| {
        facts.clear();
        machine.fluents(cursor.state(), &mut facts);
        facts.retain(|&fluent| *known.entry(fluent).or_insert_with(|| is_control(fluent)));
        // Several of them at once, or none, say nothing of this kind.
        let &[now] = &facts[..] else {
            single = cursor.terminal();
            last = None;
            return single;
        };
        if let Some(before) = last.filter(|_| !first) {
            single &= before != now && *follows.entry(before).or_insert(now) == now;
        }
        last = Some(now);
        single
    });
    let mut before = Before::new();
    for (&fluent, &next) in &follows {
        single &= before.insert(machine.fluent_text(next), machine.fluent_text(fluent)).is_none();
    }
    if single { before } else { Before::new() }
}
