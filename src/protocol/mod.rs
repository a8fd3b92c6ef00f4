//! The GGP protocol: a player for remote managers, and a game manager for remote players. Uses players, but does not
//! depend on how they search.
//!
//! A manager sends each message over HTTP on a separate connection, and waits for the answer.

mod case_map;
mod client;
mod conformance;
mod expression;
mod host;
mod http;
mod message;
mod percepts;
mod player;
mod remote_player;
mod scramble;
mod server;
mod session;

pub use case_map::CaseMap;
pub use client::{AskError, Remote, RemoteError};
pub use conformance::{Finding, check_conformance};
pub use expression::ExpressionError;
pub use host::{ManageError, ManagedMatch, MatchMoment, MatchTerms, Seat, Violation, manage};
pub use message::{LONGEST_CLOCK, LastStep, Message, MessageError, Start};
pub use player::{Record, Settings};
pub use remote_player::AllPlayers;
pub use scramble::Scramble;
pub use server::{Server, Service};
pub use session::{Reply, Session, Step};
