//! Options of a kind of evaluation functions, as written after its name: `fuzzy(norm=yager:25,threshold=0.75)`.

use std::fmt;

use super::{Function, FunctionStatistics, Functions, Kind, Parameters, kinds};
use crate::catalog::{OptionError, OptionValues};

/// The options of a kind that differ from those of the plan. Options that are not named have their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    kind: Kind,
    options: OptionValues,
}

/// The reason why options can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// The kind has no such option, or the value is invalid.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The values can't be used together.
    #[error("{kind}: {fault}")]
    Values {
        /// The kind.
        kind: Kind,
        /// The fault.
        fault: String,
    },
    /// The name is not a kind.
    #[error(
        "`{name}` is not a kind of evaluation functions, so it has no options; did you mean `{nearest}`?"
    )]
    Kind {
        /// The name.
        name: String,
        /// The most similar kind.
        nearest: &'static str,
    },
}

impl Tuning {
    /// Parses `name=value,name=value` as options of a kind.
    ///
    /// # Errors
    /// The kind has no such option, a value is invalid, or values can't be used together.
    pub fn read(kind: Kind, text: &str) -> Result<Tuning, TuningError> {
        let list = text.split(',').map(str::trim);
        let options = OptionValues::read_list(kind.name(), &kinds::entry(kind).options(), list)?;
        let tuning = Tuning { kind, options };
        match tuning.set(&mut Parameters::default()) {
            Ok(()) => Ok(tuning),
            Err(fault) => Err(TuningError::Values { kind, fault }),
        }
    }

    /// The kind that the options belong to.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The given options.
    pub fn options(&self) -> &OptionValues {
        &self.options
    }

    /// Sets the parameters of the kind.
    ///
    /// # Errors
    /// The values can't be used together.
    pub fn set(&self, parameters: &mut Parameters) -> Result<(), String> {
        kinds::entry(self.kind).set(&self.options, parameters).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Tuning {
    /// The options as written between the parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.options.joined(","))
    }
}

/// Functions that were made with other parameters than those of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedFunctions {
    /// The options.
    pub tuning: Tuning,
    /// The functions.
    pub functions: Functions,
    /// The statistics of each function; empty if they were not requested.
    pub statistics: Vec<FunctionStatistics>,
}

impl TunedFunctions {
    /// The name of one of these functions.
    pub fn name(&self, function: &Function) -> String {
        format!("{}({})", function.id(), self.tuning)
    }
}
