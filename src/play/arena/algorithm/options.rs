//! Options that several algorithms have.

use crate::catalog::TypedOption;
use crate::search::OpponentModel;

pub(super) const DEPTH: TypedOption<u64> =
    TypedOption::integer("depth", 0, [0, 240], "plies", "search depth at most; 0 for no limit");
pub(super) const NODES: TypedOption<u64> = TypedOption::integer(
    "nodes",
    0,
    [0, 1_000_000_000_000_000],
    "states",
    "visited for a move at most; 0 for no limit",
);
pub(super) const TABLE: TypedOption<f64> =
    TypedOption::real("table", 64.0, [0.0, 65536.0], "MiB", "of the transposition table");
pub(super) const MEMORY: TypedOption<f64> =
    TypedOption::real("memory", 512.0, [1.0, 65536.0], "MiB", "of the states kept");
pub(super) const SEED: TypedOption<u64> =
    TypedOption::integer("seed", 1, [0, 1_000_000_000_000_000], "", "seed of all random choices");

pub(super) const KILLERS: TypedOption<bool> =
    TypedOption::flag("killers", true, "moves that cut off at the same ply come first");
pub(super) const PVS: TypedOption<bool> = TypedOption::flag(
    "pvs",
    true,
    "principal variation search: children after the first are searched with an empty window first",
)
.formerly("null");

pub(super) const CLOCK: TypedOption<bool> = TypedOption::flag(
    "clock",
    true,
    "the table takes states for one that differ in nothing but the steps made, where that is sound",
);

pub(super) const EXPLORATION: TypedOption<f64> =
    TypedOption::real("exploration", 0.4, [0.0, 100.0], "", "how much rare moves are preferred (C)");
pub(super) const TEMPERATURE: TypedOption<f64> = TypedOption::real(
    "temperature",
    0.25,
    [0.0, 100.0],
    "",
    "how little good moves are preferred in playouts; 0: all alike",
);
pub(super) const LANES: TypedOption<u64> = TypedOption::integer(
    "lanes",
    0,
    [0, 512],
    "playouts",
    "at once from a new state and its children, in lanes; 0: one at a time, by averages of moves",
);

pub(super) const LEAVES: TypedOption<u64> = TypedOption::integer(
    "leaves",
    1,
    [1, 512],
    "states",
    "that are new and share a pass of lanes, each with its part of the playouts; by the clock fewer, where playouts are quick",
);

pub(super) const ALL_FIRST: TypedOption<u64> = TypedOption::integer(
    "all_first",
    100,
    [0, 1_000_000],
    "moves",
    "of a state up to which all are tried before any is tried twice; of more, those not tried count as the others on average",
);

pub(super) const OPPONENT: TypedOption<OpponentModel> = TypedOption::choice(
    "opponent",
    OpponentModel::Search,
    "what opponents are taken to do in known states: to search alike, to make the move that their function likes best, or to \
     draw it",
);

/// Threads of one search, at most.
pub(super) const MOST_THREADS: u64 = 256;

/// Bytes of a number of MiB.
pub(super) fn bytes(mebibytes: f64) -> usize {
    (mebibytes * f64::from(1 << 20)) as usize
}
