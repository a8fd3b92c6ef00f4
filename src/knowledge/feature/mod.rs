//! Named numbers of a state, derived from the structures of a game.
//!
//! A [`Feature`] is described by its [`Spec`] in KIF terms alone, so that a document can carry it. [`Spec::bind`]
//! makes it a [`Measure`] for one machine, which computes the value of a [`ValuedState`].
//!
//! Each family has a file, whose module doc says what it computes; [`FAMILIES`] lists them, and `docs/features.md` is
//! generated from the module docs. `sources.rs` has the data that features are made from. `bind.rs` makes a [`Spec`]
//! runnable: sums over facts become masks in `fact_sum.rs`, and `feature_batch.rs` computes many features of one state
//! together. `statistics.rs` reports how well features predict results. `tests/analysis/features.rs` and, for sums
//! along orders and owners, `tests/analysis/sums.rs` test them.

mod batch_evaluator;
mod bind;
mod composite;
mod definition;
mod distance;
mod error;
mod expression;
mod extreme;
mod fact_sum;
mod facts;
mod family;
mod feature_batch;
mod features;
mod fluent_index;
mod goal_progress;
mod kuhlmann;
mod lane_ownership;
mod latch;
mod material;
mod measure;
mod mobility;
mod novelty;
mod order;
mod owner;
mod ownership;
mod pattern;
mod range;
mod registry;
mod sample;
mod sequence_statistics;
mod signature;
mod sources;
mod spec;
mod statistics;
mod stratum;

pub use batch_evaluator::BatchEvaluator;
pub use definition::{Family, Feature};
pub use error::FeatureError;
pub use fact_sum::MaskedSum;
pub use facts::Facts;
pub use family::{FeatureFamily, Origin};
pub use feature_batch::FeatureBatch;
pub use features::Features;
pub use fluent_index::{DecodedFluent, FluentIndex};
pub use measure::{LinearForm, Measure, QuantizedMeasure, StateEvaluator, ValuedState};
pub use ownership::{LocatedObjects, Ownership};
pub use pattern::{Argument, Pattern};
pub use registry::{FAMILIES, features, features_of_goal_function};
pub use sample::{Sample, sample, sample_sequential};
pub use sequence_statistics::{
    AllSequenceStatistics, Correlation, NoCorrelation, RoleGoals, SequenceStatistics, Valuer,
    sequence_statistics, stability,
};
pub use signature::Signature;
pub use sources::Sources;
pub use spec::{Coordinate, Spec, Term};
pub use statistics::{
    FeatureReport, GoalValueSource, MeasureError, MeasuredFeature, SampleExtent, holm, measure,
    measure_features, measure_features_within, measure_sample, role_goals,
};
