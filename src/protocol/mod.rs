//! The GGP protocol: a player that game managers elsewhere can ask, and a game manager for players elsewhere. Knows
//! players, but not how they search.
//!
//! A manager sends each message on a connection of its own, over HTTP, and waits for the answer.

mod client;
mod elsewhere;
mod examination;
mod expression;
mod host;
mod http;
mod message;
mod player;
mod scramble;
mod server;
mod session;
mod spelling;

pub use client::{AskError, Remote, RemoteError};
pub use elsewhere::AllPlayers;
pub use examination::{Finding, examine};
pub use expression::ExpressionError;
pub use host::{At, Lapse, Managed, Seat, Terms, manage};
pub use message::{LONGEST_CLOCK, Message, MessageError, Start};
pub use player::{Record, Settings};
pub use scramble::Scramble;
pub use server::{Server, Service};
pub use session::{Reply, Session, Step};
pub use spelling::Spelling;
