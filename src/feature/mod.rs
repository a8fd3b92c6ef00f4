//! Named numbers of a state, made from what a game is made of.
//!
//! A [`Feature`] is described by its [`Spec`] in KIF terms alone, so that a document can carry it. [`Spec::bind`]
//! makes it a [`Measure`] for one machine, which gives the value of a [`Position`].

mod count;
mod definition;
mod distance;
mod error;
pub mod expression;
mod facts;
pub mod kuhlmann;
pub mod material;
mod measure;
pub mod mobility;
pub mod novelty;
mod ownership;
mod panel;
mod pattern;
mod range;
mod registry;
mod sample;
mod shape;
mod spec;
mod statistics;
mod vocabulary;

pub use count::Masks;
pub use definition::{Family, Feature};
pub use error::FeatureError;
pub use facts::Facts;
pub use measure::{Linear, Measure, Position, Seat};
pub use ownership::{Ownership, Things};
pub use panel::Panel;
pub use pattern::{Argument, Pattern};
pub use registry::{FAMILIES, FamilyEntry, Features, Sources, features};
pub use sample::{Sample, Sequence, sample};
pub use spec::{Coordinate, Spec, Term};
pub use statistics::{
    Correlation, FeatureReport, MeasuredFeature, SampleExtent, Spread, correlation, holm, measure, spread,
};
pub use vocabulary::{Decoded, Vocabulary};
