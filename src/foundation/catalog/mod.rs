//! Registry entries: their documentation, and their options, each declared once with type, unit, range and default. This
//! module does not depend on games.
//!
//! An entry (a detector, a feature family, a kind of evaluation function, a search algorithm, a report) is a
//! [`CatalogEntry`]. Its options are one [`OptionSet`], written with [`options!`](crate::options):
//!
//! ```
//! # use ggp_foundation as ggp;
//! use ggp::catalog::{OptionSet, OptionValues, TypedOption};
//!
//! const PLIES: TypedOption<u64> = TypedOption::integer("plies", 4, [1, 240], "plies", "search depth at most");
//! const NOISE: TypedOption<f64> = TypedOption::real("noise", 0.0, [0.0, 1.0], "", "chance of a random move");
//!
//! ggp::options! {
//!     /// Options of a player.
//!     pub struct PlayerOptions {
//!         /// Search depth at most.
//!         plies: u64 = PLIES,
//!         /// Chance of a random move.
//!         noise: f64 = NOISE,
//!     }
//! }
//!
//! let given = OptionValues::read("player", &PlayerOptions::entries(), "plies=6")?;
//! assert_eq!(PlayerOptions::of(&given), PlayerOptions { plies: 6, noise: 0.0 });
//! # Ok::<(), ggp::catalog::OptionError>(())
//! ```

mod counted;
mod documentation;
mod nearest;
mod option;
mod set;
mod value;
mod values;

pub use counted::{counted, grouped, plural};
pub use documentation::{CatalogEntry, HEADINGS, headings, module_documentation, page};
pub use nearest::nearest;
pub use option::{OptionEntry, TypedOption};
pub use set::OptionSet;
pub use value::{Choice, Member, OptionKind, OptionType, OptionValue, Text};
pub use values::{OptionError, OptionValues};
