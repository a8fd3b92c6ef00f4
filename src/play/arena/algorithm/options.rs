//! Options of several algorithms.

use crate::catalog::TypedOption;
use crate::search::OpponentModel;

pub(super) const DEPTH: TypedOption<u64> =
    TypedOption::integer("depth", 0, [0, 240], "plies", "search depth at most; 0 for no limit");
pub(super) const NODES: TypedOption<u64> = TypedOption::integer(
    "nodes",
    0,
    [0, 1_000_000_000_000_000],
    "states",
    "limit of states visited for a move; 0 for no limit",
);
pub(super) const TABLE: TypedOption<f64> =
    TypedOption::real("table", 64.0, [0.0, 65536.0], "MiB", "size of the transposition table");
pub(super) const MEMORY: TypedOption<f64> =
    TypedOption::real("memory", 512.0, [1.0, 65536.0], "MiB", "memory for stored states");
pub(super) const SEED: TypedOption<u64> =
    TypedOption::integer("seed", 1, [0, 1_000_000_000_000_000], "", "seed of all random choices");

pub(super) const KILLERS: TypedOption<bool> =
    TypedOption::flag("killers", true, "killer moves: moves that caused cutoffs at the same ply come first");
pub(super) const PVS: TypedOption<bool> = TypedOption::flag(
    "pvs",
    true,
    "principal variation search: children after the first are searched with an empty window first",
)
.formerly("null");

pub(super) const CLOCK: TypedOption<bool> = TypedOption::flag(
    "clock",
    true,
    "states that differ only in the number of steps share a table entry, where that is sound",
);

pub(super) const EXPLORATION: TypedOption<f64> = TypedOption::real(
    "exploration",
    0.4,
    [0.0, 100.0],
    "",
    "weight of exploration (C): higher values prefer moves with few visits",
);
pub(super) const TEMPERATURE: TypedOption<f64> = TypedOption::real(
    "temperature",
    0.25,
    [0.0, 100.0],
    "",
    "temperature of moves in playouts: lower values prefer good moves; 0: all moves equally",
);
pub(super) const LANES: TypedOption<u64> = TypedOption::integer(
    "lanes",
    0,
    [0, 512],
    "playouts",
    "at once from a new state and its children; 0: one at a time, with MAST",
);

pub(super) const LEAVES: TypedOption<u64> = TypedOption::integer(
    "leaves",
    1,
    [1, 512],
    "states",
    "new states that share a pass of lanes; fewer by the clock if playouts are short",
);

pub(super) const ALL_FIRST: TypedOption<u64> = TypedOption::integer(
    "all_first",
    100,
    [0, 1_000_000],
    "moves",
    "number of moves up to which each is tried once first; beyond it, an untried move counts as the mean",
);

pub(super) const OPPONENT: TypedOption<OpponentModel> = TypedOption::choice(
    "opponent",
    OpponentModel::Search,
    "assumed opponents: `search`, `greedy` (the best move by their function) or `random`",
);

/// Most threads of one search.
const MOST_THREADS: u64 = 256;

/// Threads of a minimax search.
pub(super) const SHARING_THREADS: TypedOption<u64> = TypedOption::integer(
    "threads",
    1,
    [1, MOST_THREADS],
    "",
    "threads that share the table and the nodes; with more than one, a search is not repeatable",
);

/// Threads of a Monte Carlo search.
pub(super) const TREE_THREADS: TypedOption<u64> = TypedOption::integer(
    "threads",
    1,
    [1, MOST_THREADS],
    "",
    "threads, each with its own tree and its share of nodes and memory",
);

/// Converts MiB to bytes.
pub(super) fn bytes(mebibytes: f64) -> usize {
    (mebibytes * f64::from(1 << 20)) as usize
}
