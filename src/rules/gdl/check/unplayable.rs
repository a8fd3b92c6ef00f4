//! Games that can't begin. `simulate::run_trial` finds these faults, because they show only in play.

use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Severity};

/// A role without a legal move in the initial state.
pub const NO_FIRST_MOVE: Code = Code(61);

pub(super) const GROUP: Group =
    Group { name: "unplayable", entries: ENTRIES, check: super::found_while_reading };

const ENTRIES: &[Entry] = &[Entry {
    code: NO_FIRST_MOVE,
    severity: Severity::Error,
    title: "role without a legal move in the initial state",
    cause: "All roles move in every step. This role has no legal move in the initial state, which is not terminal, so the \
            game can't begin. A condition of its rules for `legal` may be misspelt or may not hold yet. A role whose turn \
            it is not needs a move such as `noop`.",
    example: "(role a)\n(init (step 1))\n(<= (legal a go) (true (step 2)))\n(<= (next (step 2)) (true (step 1)))\n\
              (<= terminal (true (step 2)))\n(goal a 100)",
    corrected: "(role a)\n(init (step 1))\n(<= (legal a go) (true (step 1)))\n(<= (next (step 2)) (true (step 1)))\n\
                (<= terminal (true (step 2)))\n(goal a 100)",
    remedy: "add a rule for `legal` that holds in the initial state; a role that waits needs a move such as `noop`",
}];
