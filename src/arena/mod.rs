//! Players and their matches. Knows searches and functions, but not how players elsewhere are reached.

mod algorithm;
mod contest;
mod prepared;
mod record;
mod spec;

pub use algorithm::{ALGORITHMS, Algorithm, AlgorithmEntry, OptionEntry};
pub use contest::{Clock, Contest, ContestError, Move, Moved, Player};
pub use prepared::{PrepareError, Prepared};
pub use record::MatchRecord;
pub use spec::{PlayerSpec, SpecError};
