//! Search: the best move of a role in a state, within limits. Knows machines and evaluation functions, but neither
//! files nor networks nor opponents' programs.
//!
//! All searches of players implement [`Search`]; each file or folder that players use begins with its method,
//! guarantee and sources.
//! - Two teams: `alpha_beta.rs` looks to a depth, `aspiration.rs` sets its window, `deepening.rs` increases the
//!   depth (with `iterative_deepening.rs`, which other searches share). `frontier.rs`, `before_last.rs`,
//!   `last_ply.rs` and `trials.rs` value the last plies in lanes.
//! - Moves at the same time: `simultaneous/`. Three and more teams: `maxn/`. Chance: `chance.rs`.
//! - One player: `single_agent/`. Monte Carlo: `uct/`. Several searches at once: `ensemble.rs`, `lazy_smp.rs`.
//! - Proofs: `solve.rs`, with all states that can be reached in `graph/`.
//! - Shared: `limits.rs` (when to stop), `leaf.rs` (estimates), `score.rs` (proved values before estimates),
//!   `table.rs` and `clock_keys.rs` (tables that ignore the steps made).
//!
//! `tests/search/` has a module for each; `tests/search/search.rs` compares with exhaustive minimax.

mod alpha_beta;
mod aspiration;
mod before_last;
mod broods;
mod bucket_pages;
mod chance;
mod child_order;
mod clock_keys;
mod context;
mod deepening;
mod ensemble;
mod frame;
mod frontier;
mod graph;
mod greedy;
mod guarantee;
mod hash;
mod iterative_deepening;
mod last_ply;
mod lazy_smp;
mod leaf;
mod limits;
mod maxn;
mod ordering;
mod random;
mod replies;
mod result;
mod row_table;
mod score;
mod shared_table;
mod simultaneous;
mod single_agent;
mod solve;
mod table;
mod teams;
mod transpositions;
mod trials;
mod uct;
mod valued_leaves;
mod way;

pub use alpha_beta::AlphaBetaOptions;
pub use chance::ChanceSearch;
pub use context::SearchContext;
pub use deepening::Deepening;
pub use ensemble::{Ensemble, Worker};
pub use greedy::Greedy;
pub use guarantee::guarantee;
pub use lazy_smp::LazySmp;
pub use leaf::Leaf;
pub use limits::{Limits, Stop};
pub use maxn::{Maxn, MaxnOptions};
pub use random::RandomMoves;
pub use result::{Search, SearchError, SearchResult};
pub use simultaneous::{SimultaneousOptions, SimultaneousSearch};
pub use single_agent::{BackwardSearchError, BestFirstOptions, IdaOptions, SingleAgentSearch};
pub use solve::{GuaranteedValue, Mean, Solution, Solver, solve};
pub use teams::Teams;
pub use uct::{Guide, OpponentModel, RootTrees, Uct, UctOptions};
pub use way::{Way, way};
