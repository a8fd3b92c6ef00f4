//! Search: the best move of a role in a state, within limits. Knows machines and evaluation functions, but neither
//! files nor networks nor opponents' programs.

mod alphabeta;
mod by_depth;
mod deepening;
mod ensemble;
mod frame;
mod graph;
mod hash;
mod kept;
mod leaf;
mod limits;
mod maxn;
mod mixed;
mod mtdf;
mod ordering;
mod score;
mod setting;
mod single;
mod solve;
mod table;
mod teams;
mod thought;
mod tree;
mod uct;

pub use deepening::{Deepening, Method};
pub use ensemble::{Ensemble, Searcher, Worker};
pub use leaf::Leaf;
pub use limits::{Limits, Stop};
pub use maxn::{Maxn, MaxnOptions};
pub use mixed::{Mixed, MixedOptions};
pub use setting::Setting;
pub use single::{BestFirstOptions, IdaOptions, OneEnd, Puzzle};
pub use solve::{Mean, Solution, Solver, Sure, solve};
pub use teams::Teams;
pub use thought::{Search, SearchError, Thought};
pub use tree::TreeOptions;
pub use uct::{Guide, Uct, UctOptions};
