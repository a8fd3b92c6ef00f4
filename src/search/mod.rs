//! Search: the best move of a role in a state, within limits. Knows machines and evaluation functions, but neither
//! files nor networks nor opponents' programs.

mod alphabeta;
mod deepening;
mod frame;
mod hash;
mod leaf;
mod limits;
mod mtdf;
mod ordering;
mod score;
mod setting;
mod solve;
mod table;
mod thought;
mod tree;
mod uct;

pub use deepening::{Deepening, Method};
pub use leaf::Leaf;
pub use limits::{Limits, Stop};
pub use setting::Setting;
pub use solve::{Solution, Sure, solve};
pub use thought::{Search, SearchError, Thought};
pub use tree::TreeOptions;
pub use uct::{Guide, Uct, UctOptions};
