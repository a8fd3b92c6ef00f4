//! Search: the best move of a role in a state, within limits. Knows machines and evaluation functions, but neither
//! files nor networks nor opponents' programs.

mod alpha_beta;
mod aspiration;
mod context;
mod deepening;
mod ensemble;
mod frame;
mod graph;
mod greedy;
mod guarantee;
mod hash;
mod iterative_deepening;
mod leaf;
mod limits;
mod maxn;
mod mtdf;
mod ordering;
mod random;
mod result;
mod row_table;
mod score;
mod simultaneous;
mod single_agent;
mod solve;
mod table;
mod teams;
mod uct;
mod way;

pub use alpha_beta::AlphaBetaOptions;
pub use context::SearchContext;
pub use deepening::{Deepening, Method};
pub use ensemble::{Ensemble, Searcher, Worker};
pub use greedy::Greedy;
pub use guarantee::guarantee;
pub use leaf::Leaf;
pub use limits::{Limits, Stop};
pub use maxn::{Maxn, MaxnOptions};
pub use random::RandomMoves;
pub use result::{Search, SearchError, SearchResult};
pub use simultaneous::{SimultaneousOptions, SimultaneousSearch};
pub use single_agent::{BackwardSearchError, BestFirstOptions, IdaOptions, SingleAgentSearch};
pub use solve::{GuaranteedValue, Mean, Solution, Solver, solve};
pub use teams::Teams;
pub use uct::{Guide, Uct, UctOptions};
pub use way::way;
