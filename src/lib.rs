//! `ggp` reads the rules of a game that it has never seen and works out how to play it well.
//!
//! The list of types, functions and traits on this page is the interface of the library. Everything else in its modules serves
//! the program `ggp` and may change with any version.
//!
//! | to | begin with |
//! |---|---|
//! | read rules and load a game | [`LoadedGame::open`], or [`read`] and [`load`] with options of your own |
//! | step through a game | [`Machine`] and its [`Cursor`]; [`LaneGames`] steps 512 games at once; [`simulate()`] plays at random |
//! | find out what a game is made of | [`analyze`] with a [`Plan`]; [`detect_with`] runs a [`Detector`] of your own |
//! | value states | [`Function`], read from a [`Document`]; a function of your own is a [`Measure`] |
//! | find a move | [`Deepening`] (alpha-beta), [`Uct`], [`solve`]; a search of your own is a [`Search`] |
//! | play matches | [`Match::play`]; a player of your own is a [`Player`] |
//! | play over the GGP protocol | [`Server`] |
//!
//! Rules are text in GDL, the Game Description Language. Roles are counted from 0 in the order of the rules, and goal values go
//! from 0 to 100. Steps are joint moves: one move of every role. Anything that draws random numbers takes a seed; the same game,
//! seed and limits give the same result on any number of threads, unless a clock or an interrupt is the limit.
//!
//! # From a file to a move
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ggp::{AlphaBetaOptions, AnalysisContext, Deepening, LoadedGame, Plan, Search};
//! use ggp::{SearchContext, SearchLimits, StateReader, analyze};
//!
//! // The rules become a machine, and each thread steps it through a cursor of its own.
//! let game = LoadedGame::open("games/tic_tac_toe.kif")?;
//! let machine = game.machine();
//! let mut cursor = machine.cursor();
//! assert_eq!((cursor.legal(0).len(), cursor.legal(1).len()), (9, 1)); // crosses begins, noughts waits
//! let joint = [cursor.legal(0)[4], cursor.legal(1)[0]];
//! assert_eq!(machine.move_text(joint[0]), "(draw 2 2)");
//! cursor.advance(&joint)?;
//! assert!(!cursor.terminal());
//!
//! // Random play and proofs show what the game is made of; evaluation functions come from that.
//! let plan = Plan { playouts: Some(500), ..Plan::default() };
//! let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;
//! assert!(analysis.structures.zero_sum);
//! let function = analysis.functions.list.iter().find(|function| function.id() == "fuzzy.crosses");
//!
//! // Alpha-beta looks ahead with a function. A proved value comes before an estimate.
//! let context = SearchContext::of(machine, &analysis.structures, 0);
//! let options = AlphaBetaOptions { table: 1 << 20, ..AlphaBetaOptions::default() }; // 1 MiB
//! let mut search = Deepening::new(context, function.expect("crosses has a fuzzy function"), options)?;
//! let state = StateReader::new(machine).read(
//!     "(mark 1 1 cross) (mark 1 2 empty) (mark 1 3 empty)
//!      (mark 2 1 nought) (mark 2 2 empty) (mark 2 3 empty)
//!      (mark 3 1 empty) (mark 3 2 empty) (mark 3 3 empty) (to_move crosses)",
//! )?;
//! let limits = SearchLimits { nodes: Some(10_000), ..SearchLimits::default() };
//! let result = search.search(&state, &limits, &mut |_| {})?;
//! println!("{}", machine.move_text(result.action.expect("crosses has moves")));
//! assert_eq!((result.value, result.proved), (Some(100.0), true)); // crosses can force a win
//! # Ok(())
//! # }
//! ```
//!
//! `examples/` has five programs of at most 40 lines: `analyze`, `own_function`, `own_detector`, `many_games` and
//! `serve_own_player`.

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
pub use ggp_play::{analysis, arena, certificate, judge, search, verdict};
#[doc(inline)]
pub use ggp_rules::{datalog, gdl, ground};
#[doc(inline)]
pub use ggp_simulation::{machine, simulate};

// The interface, in the order of the table above. Aliases keep types of the same name apart.

// Game.
#[doc(inline)]
pub use {
    analysis::{LoadedGame, OpenError},
    gdl::{Description, Reading, Source, diagnostic::Diagnostic, read},
    ground::Limits as GroundingLimits,
    machine::{Backend, LoadError, Loaded, load},
};

// Machine.
#[doc(inline)]
pub use {
    machine::lanes::games::{Actions, AutoReset, GamesArrays, GamesOptions, LaneGames},
    machine::{Cursor, FluentId, Machine, MachineError, MoveId, State, StateView},
    simulate::{Budget, Choices, Context as SimulationContext, Statistics, simulate},
    simulate::{MoveReader, StateReader},
};

// Analysis.
#[doc(inline)]
pub use {
    analysis::{AnalysisContext, AnalysisError, GameAnalysis, Plan, analyze},
    catalog::CatalogEntry,
    structure::finding::{CustomFinding, Structures},
    structure::{DETECTORS, Detector, Game as DetectorGame, detect_with},
    structure::{findings::Findings as DetectorFindings, reason::Reason as FindingReason, samples::Samples},
};

// Features and functions.
#[doc(inline)]
pub use {
    evaluation::{Document, Function, FunctionError, Kind},
    feature::{Facts, Measure, StateEvaluator, ValuedState},
};

// Search.
#[doc(inline)]
pub use search::{
    AlphaBetaOptions, Deepening, Limits as SearchLimits, RandomMoves, Search, SearchContext, SearchError,
    SearchResult, Solution, Uct, UctOptions, solve,
};

// Players and matches.
#[doc(inline)]
pub use arena::{
    Clock as MatchClock, Conditions, Match, MatchError, OwnPlayers, Player, PlayerError, PlayerFactory,
    PlayerResult, PreparedGame, SearchPlayer, Turn, TurnError,
};

// GGP protocol.
#[doc(inline)]
pub use protocol::{Server, Service, Settings as ServerSettings};

/// The program of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/extend.md")]
pub struct Guide;
