//! `ggp` reads the rules of a game that it has never seen and works out how to play it well.
//!
//! The rules come in as text in GDL, the Game Description Language. From there a game passes through the modules of this
//! crate in the order in which they build on each other; most of them are in crates of their own, so that a change compiles
//! little. This page walks the whole way for tic-tac-toe, from a file to a
//! move; each step is a function that can be used on its own.
//!
//! # From text to rules
//!
//! [`gdl::read`] parses and checks a text. It reports all faults of the text at once; where none is an error there is a
//! [`Description`](gdl::Description), the checked rules.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ggp::gdl::{Source, read};
//!
//! let source = Source::load("games/tic_tac_toe.kif")?;
//! let rules = read(&source).description.expect("the rules have no errors");
//! # Ok(())
//! # }
//! ```
//!
//! # From rules to a machine
//!
//! [`machine::load`] makes them a [`Machine`](machine::Machine), which can be played: as a propositional network where
//! that is small enough ([`ground`]), else from the rules themselves. Each thread steps it through a
//! [`Cursor`](machine::Cursor) of its own.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use ggp::gdl::{Source, read};
//! # let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
//! use ggp::ground;
//! use ggp::machine::{Backend, load};
//!
//! let game = load(rules, Backend::Auto, &ground::Limits::default())?;
//! let machine = &*game.machine;
//! let mut cursor = machine.cursor();
//! assert_eq!((cursor.legal(0).len(), cursor.legal(1).len()), (9, 1)); // crosses begins, noughts waits
//! let joint = [cursor.legal(0)[4], cursor.legal(1)[0]];
//! assert_eq!(machine.move_text(joint[0]), "(draw 2 2)");
//! cursor.advance(&joint)?;
//! assert!(!cursor.terminal());
//! # Ok(())
//! # }
//! ```
//!
//! # From a machine to what the game is made of
//!
//! [`analysis::analyze`] is the whole way from a game to its evaluation functions, in stages that can also be called one by
//! one: random play ([`simulate`]); what the game is made of, each finding with its evidence ([`structure`]); numbers of a
//! state and how they go with the goal values at the end ([`feature`]); functions from a state to a value
//! ([`evaluation`]).
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use ggp::gdl::{Source, read};
//! # use ggp::ground;
//! # use ggp::machine::{Backend, load};
//! # let source = Source::load("games/tic_tac_toe.kif")?;
//! # let rules = read(&source).description.expect("the rules have no errors");
//! # let loaded = load(rules, Backend::Auto, &ground::Limits::default())?;
//! use ggp::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
//!
//! let game = LoadedGame::new("games/tic_tac_toe.kif".to_owned(), &source, loaded);
//! let plan = Plan { playouts: Some(500), ..Plan::default() };
//! let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;
//! assert!(analysis.structures.zero_sum);
//! for function in &analysis.functions.list {
//!     println!("{} for {}", function.id(), function.role());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # From there to a move
//!
//! [`search`] looks ahead with an evaluation function: here with the goal conditions in fuzzy logic. What is proved comes
//! before what is estimated: in this position crosses can force a win, whatever the function says.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use ggp::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
//! # use ggp::gdl::{Source, read};
//! # use ggp::ground;
//! # use ggp::machine::{Backend, load};
//! # let source = Source::load("games/tic_tac_toe.kif")?;
//! # let rules = read(&source).description.expect("the rules have no errors");
//! # let loaded = load(rules, Backend::Auto, &ground::Limits::default())?;
//! # let game = LoadedGame::new("games/tic_tac_toe.kif".to_owned(), &source, loaded);
//! # let plan = Plan { playouts: Some(500), ..Plan::default() };
//! # let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;
//! use ggp::search::{AlphaBetaOptions, Deepening, Limits, Search, SearchContext};
//! use ggp::simulate::StateReader;
//!
//! let machine = game.machine();
//! let crosses = 0; // the first role
//! let function = analysis.functions.list.iter().find(|function| function.id() == "fuzzy.crosses");
//! let context = SearchContext::of(machine, &analysis.structures, crosses);
//! let options = AlphaBetaOptions { table: 1 << 20, ..AlphaBetaOptions::default() }; // a transposition table of 1 MiB
//! let mut search = Deepening::new(context, function.expect("it is made"), options)?;
//! let state = StateReader::new(machine).read(
//!     "(mark 1 1 cross) (mark 1 2 empty) (mark 1 3 empty)
//!      (mark 2 1 nought) (mark 2 2 empty) (mark 2 3 empty)
//!      (mark 3 1 empty) (mark 3 2 empty) (mark 3 3 empty) (to_move crosses)",
//! )?;
//! let limits = Limits { nodes: Some(10_000), ..Limits::default() };
//! let found = search.search(&state, &limits, &mut |_| {})?;
//! println!("{}", machine.move_text(found.action.expect("crosses has moves")));
//! assert_eq!((found.value, found.proved), (Some(100.0), true));
//! # Ok(())
//! # }
//! ```
//!
//! # What else there is
//!
//! - [`judge`] says what an evaluation function is worth, beside exact values and outcomes of play.
//! - [`arena`] lets players meet: matches, tournaments, ratings.
//! - [`protocol`] plays and manages matches over the GGP protocol, with programs that others wrote.
//! - `cluster`, a feature, shares work with other machines over NATS.
//! - [`study`] runs one analysis over many games, and resumes.
//! - [`report`] writes any of it down: JSON, CSV and tables. [`cli`] is the program `ggp`.
//!
//! # Determinism
//!
//! Whatever draws random numbers takes a seed. The same game, seed and limits give the same result on any number of
//! threads; only clocks and interrupts make it depend on the computer.

#[cfg(feature = "cli")]
pub mod cli;
pub mod protocol;
pub mod report;
pub mod study;

#[cfg(feature = "cluster")]
#[doc(inline)]
pub use ggp_cluster as cluster;
#[doc(inline)]
pub use ggp_foundation::{catalog, statistics};
#[doc(inline)]
pub use ggp_knowledge::{evaluation, feature, property, structure};
#[doc(inline)]
pub use ggp_play::{analysis, arena, judge, search};
#[doc(inline)]
pub use ggp_rules::{datalog, gdl, ground};
#[doc(inline)]
pub use ggp_simulation::{machine, simulate};

/// The program of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/extend.md")]
pub struct Guide;
