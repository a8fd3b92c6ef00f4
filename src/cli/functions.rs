//! How evaluation functions are made, as options.

use clap::Args;

use super::note;
use crate::evaluation::Parameters;
use crate::evaluation::fuzzy::{FuzzyParameters, Norm};
use crate::evaluation::statistical::{Scaling, StatisticalParameters};

/// Options of the constructions.
#[derive(Args, Debug)]
#[command(next_help_heading = "Evaluation functions")]
pub(super) struct FunctionArguments {
    /// Value of a fluent that holds, in fuzzy goal functions; at least the threshold, less than 1
    #[arg(long, value_name = "P", default_value_t = FuzzyParameters::default().p)]
    fuzzy_p: f64,
    /// Least value of a condition that holds, in fuzzy goal functions; more than 0.5, less than 1
    #[arg(long, value_name = "T", default_value_t = FuzzyParameters::default().threshold)]
    fuzzy_threshold: f64,
    /// Their t-norm: product, minimum, lukasiewicz, or yager:Q with an exponent Q above 0
    #[arg(long, value_name = "NORM", default_value_t = Named(FuzzyParameters::default().norm), value_parser = norm)]
    fuzzy_norm: Named,
    /// Sequences of positions that statistical functions are learned from
    #[arg(long, value_name = "N", default_value_t = StatisticalParameters::default().sequences)]
    statistical_sequences: u32,
    /// Positions of a sequence at most
    #[arg(long, value_name = "N", default_value_t = StatisticalParameters::default().length)]
    statistical_length: u32,
    /// Joint moves between two positions of a sequence at most
    #[arg(long, value_name = "N", default_value_t = StatisticalParameters::default().gap)]
    statistical_gap: u32,
    /// Playouts that label a sequence
    #[arg(long, value_name = "N", default_value_t = StatisticalParameters::default().playouts)]
    statistical_playouts: u32,
    /// Components that a statistical function keeps at most
    #[arg(long, value_name = "N", default_value_t = StatisticalParameters::default().components)]
    statistical_components: u32,
    /// How often the variance within sequences counts in their stability
    #[arg(long, value_name = "X", default_value_t = StatisticalParameters::default().within)]
    statistical_within: f64,
    /// Add up components as they are, as in the source, instead of dividing them by their deviations
    #[arg(long)]
    statistical_unscaled: bool,
    /// Take features of all families as components, not only expressions of the rules
    #[arg(long)]
    statistical_all_features: bool,
}

/// A t-norm with its name on the command line.
#[derive(Clone, Copy, Debug)]
struct Named(Norm);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Norm::Yager { q } => write!(f, "yager:{q}"),
            Norm::Product => f.write_str("product"),
            Norm::Minimum => f.write_str("minimum"),
            Norm::Lukasiewicz => f.write_str("lukasiewicz"),
        }
    }
}

fn norm(text: &str) -> Result<Named, String> {
    let exponent = text.strip_prefix("yager:").and_then(|q| q.parse().ok());
    Ok(Named(match (text, exponent) {
        ("product", _) => Norm::Product,
        ("minimum", _) => Norm::Minimum,
        ("lukasiewicz", _) => Norm::Lukasiewicz,
        (_, Some(q)) => Norm::Yager { q },
        _ => return Err("product, minimum, lukasiewicz or yager:Q is expected, such as yager:4".into()),
    }))
}

impl FunctionArguments {
    /// What they stand for, with the seed of all random choices; none where they are wrong usage, which is said.
    pub(super) fn parameters(&self, seed: u64) -> anyhow::Result<Option<Parameters>> {
        match self.checked(seed) {
            Ok(parameters) => Ok(Some(parameters)),
            Err(error) => {
                note(&format!("error: {error}\n"))?;
                Ok(None)
            }
        }
    }

    fn checked(&self, seed: u64) -> Result<Parameters, String> {
        let defaults = Parameters::default();
        let fuzzy = FuzzyParameters {
            p: self.fuzzy_p,
            threshold: self.fuzzy_threshold,
            norm: self.fuzzy_norm.0,
            ..defaults.fuzzy
        };
        fuzzy.validate().map_err(|error| error.to_string())?;
        let statistical = StatisticalParameters {
            sequences: self.statistical_sequences,
            length: self.statistical_length,
            gap: self.statistical_gap,
            playouts: self.statistical_playouts,
            components: self.statistical_components,
            within: self.statistical_within,
            scaling: if self.statistical_unscaled { Scaling::None } else { Scaling::Fitted },
            all_features: self.statistical_all_features,
            seed,
        };
        statistical.validate().map_err(|error| error.to_string())?;
        Ok(Parameters { fuzzy, statistical })
    }
}
