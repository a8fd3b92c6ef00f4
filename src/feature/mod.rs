//! Named numbers of a state, made from what a game is made of.
//!
//! A [`Feature`] is described by its [`Spec`] in KIF terms alone, so that a document can carry it. [`Spec::bind`]
//! makes it a [`Measure`] for one machine, which gives the value of a [`Position`].

mod count;
mod distance;
mod error;
mod facts;
mod feature;
mod measure;
pub mod mobility;
pub mod novelty;
mod pattern;
mod shape;
mod spec;
mod vocabulary;

pub use count::Masks;
pub use error::FeatureError;
pub use facts::Facts;
pub use feature::{Family, Feature};
pub use measure::{Linear, Measure, Position, Seat};
pub use pattern::{Argument, Pattern};
pub use spec::{Coordinate, Spec, Term};
pub use vocabulary::{Decoded, Vocabulary};
