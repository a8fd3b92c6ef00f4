//! Certificates: strategies as text, which prove values of a game to anyone who can replay them.
//!
//! # What it does
//! A certificate has a strategy for some teams of a game. `check` follows each strategy through all states that it can reach,
//! whatever the other roles do, and computes what it guarantees. `search/strategy.rs` writes strategies. The check shares
//! nothing with the searches but the machine and its goal values.
//!
//! # How
//! A certificate is a text in JSON Lines. Its first line is a [`Header`]. Each strategy is a line with a [`Claim`], then a line
//! with a [`Choice`] for each state in which the team has more than one joint move. States are facts in KIF, in the order of
//! [`Machine::fluents`](crate::machine::Machine::fluents).
//!
//! # Guarantee
//! A strategy that passes gives every role of its team at least the claimed value, and other roles at most the greatest value
//! that they have at its ends. A strategy under which play can repeat a state does not pass. For a
//! team of several roles, the value is what they get together; it says nothing about one of them alone.
//!
//! # Cost
//! One step for each joint move that can follow.

mod check;
mod document;

pub use check::{Bounds, CheckLimits, Fault, FaultKind, Guarantee, bounds, check};
pub use document::{Certificate, CertificateError, Choice, Claim, Header, SCHEMA, Strategy, state_text};
