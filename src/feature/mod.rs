//! Named numbers of a state, made from what a game is made of.
//!
//! A [`Feature`] is described by its [`Spec`] in KIF terms alone, so that a document can carry it. [`Spec::bind`]
//! makes it a [`Measure`] for one machine, which gives the value of a [`ValuedState`].

mod batch_evaluator;
mod count;
mod definition;
mod distance;
mod error;
pub mod expression;
mod facts;
mod feature_batch;
mod fluent_index;
pub mod goal_progress;
pub mod kuhlmann;
mod lane_ownership;
pub mod material;
mod measure;
pub mod mobility;
pub mod novelty;
mod ownership;
mod pattern;
mod range;
mod registry;
mod sample;
mod sequence_statistics;
mod shape;
mod spec;
mod statistics;

pub use batch_evaluator::BatchEvaluator;
pub use count::Masks;
pub use definition::{Family, Feature};
pub use error::FeatureError;
pub use facts::Facts;
pub use feature_batch::FeatureBatch;
pub use fluent_index::{Decoded, FluentIndex};
pub use measure::{Linear, Measure, StateEvaluator, ValuedState};
pub use ownership::{Ownership, Things};
pub use pattern::{Argument, Pattern};
pub use registry::{FAMILIES, FamilyEntry, Features, Sources, features};
pub use sample::{Sample, sample, sample_sequential};
pub use sequence_statistics::{
    AllSequenceStatistics, Correlation, RoleGoals, SequenceStatistics, Valuer, sequence_statistics, stability,
};
pub use spec::{Coordinate, Spec, Term};
pub use statistics::{
    FeatureReport, MeasureError, MeasuredFeature, SampleExtent, goals_of, holm, measure, measure_sample,
    measured, measured_within,
};
