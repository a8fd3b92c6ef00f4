//! Search: the best move of a role in a state, within limits. Uses machines and evaluation functions, but no files,
//! networks or programs of opponents.
//!
//! All searches of players implement [`Search`]. The file or folder of each search begins with its method, guarantee and
//! sources.
//! - Two teams: `alpha_beta.rs` searches to a depth, `aspiration.rs` or `mtdf.rs` sets its window, `deepening.rs`
//!   increases the depth (with `iterative_deepening.rs`, which other searches share).
//! - Moves at the same time: `simultaneous/`. Three and more teams: `maxn.rs`. Chance: `chance.rs`.
//! - One player: `single_agent/`. Monte Carlo: `uct/`. Several searches at once: `ensemble.rs`, `lazy_smp.rs`.
//! - Proofs: `solve.rs`, with all states that can be reached in `graph/`, independent parts of a game in `parts/`, and one
//!   of all images of a state in `symmetry/`; bounds of values in `proof/`.
//! - Children of states and values of leaves: `child_source.rs`, in lanes (`lane_source.rs`) or one by one
//!   (`scalar_source.rs`).
//! - Shared: `limits.rs` (when to stop), `leaf.rs` (estimates), `score.rs` (proved values before estimates),
//!   `table.rs` and `clock_keys.rs` (tables that ignore the steps made).
//!
//! `tests/search/` has a module for each; `tests/search/search.rs` compares with exhaustive minimax.

mod alpha_beta;
mod aspiration;
mod best_known_plan;
mod bucket_pages;
mod candidates;
mod chance;
mod child_source;
mod clock_keys;
mod context;
mod deepening;
mod ensemble;
mod graph;
mod greedy;
mod guarantee;
mod hash;
mod iterative_deepening;
mod knowledge;
mod lane_source;
mod lazy_smp;
mod leaf;
mod limits;
mod maxn;
mod mtdf;
mod node;
mod ordering;
mod parts;
mod proof;
mod random;
mod refutation_probe;
mod result;
mod row_table;
mod scalar_source;
mod score;
mod shared_table;
mod sibling_batch;
mod simultaneous;
mod single_agent;
mod solve;
mod strategy;
mod symmetry;
mod table;
mod teams;
mod transpositions;
mod uct;
mod valued_child;
mod window;

pub use alpha_beta::AlphaBetaOptions;
pub use best_known_plan::{BestKnownPlan, best_known_plan};
pub use chance::ChanceSearch;
pub use context::SearchContext;
pub use deepening::Deepening;
pub use ensemble::{Ensemble, Worker};
pub use graph::{CountEnd, DepthCount, StateCount, count_states};
pub use greedy::Greedy;
pub use guarantee::guarantee;
pub use lazy_smp::LazySmp;
pub use leaf::Leaf;
pub use limits::{Limits, Stop};
pub use maxn::{Maxn, MaxnOptions};
pub(crate) use parts::ImpartialSum;
pub use parts::NimSum;
pub use random::RandomMoves;
pub use result::{Search, SearchError, SearchResult};
pub use simultaneous::{SimultaneousOptions, SimultaneousSearch};
pub use single_agent::{BackwardSearchError, BestFirstOptions, IdaOptions, SingleAgentSearch};
pub(crate) use solve::solve_without_symmetry;
pub use solve::{GuaranteedValue, Mean, Solution, Solver, solve};
pub use strategy::{StrategyError, certify};
pub(crate) use symmetry::first_images;
pub use teams::Teams;
pub use uct::{Guide, OpponentModel, RootTrees, Uct, UctOptions};
