//! Options of a kind of evaluation functions, as they stand behind its name: `fuzzy(norm=yager:25,threshold=0.75)`.

use std::fmt;

use super::{Function, FunctionStatistics, Functions, Kind, Parameters, kinds};
use crate::catalog::{OptionError, OptionValues};

/// Other parameters for the functions of a kind than the plan has. What is not named has its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    kind: Kind,
    options: OptionValues,
}

/// Options that functions can't be made with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// An option that the kind does not have, or a value that it can't have.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Values that can't be used together.
    #[error("{kind}: {fault}")]
    Values {
        /// The kind.
        kind: Kind,
        /// What is wrong.
        fault: String,
    },
    /// Options of something that is no kind.
    #[error(
        "`{name}` is no kind of evaluation functions, so that it has no options; nearest to it is `{nearest}`"
    )]
    Kind {
        /// What was said.
        name: String,
        /// The kind that may have been meant.
        nearest: &'static str,
    },
}

impl Tuning {
    /// Reads `name=value,name=value` as options of a kind.
    ///
    /// # Errors
    /// The kind has no such option, or it can't have this value, or not together with the others.
    pub fn read(kind: Kind, text: &str) -> Result<Tuning, TuningError> {
        let list = text.split(',').map(str::trim);
        let options = OptionValues::read_list(kind.name(), &kinds::entry(kind).options(), list)?;
        let tuning = Tuning { kind, options };
        match tuning.set(&mut Parameters::default()) {
            Ok(()) => Ok(tuning),
            Err(fault) => Err(TuningError::Values { kind, fault }),
        }
    }

    /// The kind whose functions are meant.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The given options.
    pub fn options(&self) -> &OptionValues {
        &self.options
    }

    /// Sets the parameters that its functions are made by.
    ///
    /// # Errors
    /// Values that can't be used together.
    pub fn set(&self, parameters: &mut Parameters) -> Result<(), String> {
        kinds::entry(self.kind).set(&self.options, parameters).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Tuning {
    /// The options as they stand between the parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.options.joined(","))
    }
}

/// Functions that were made by other parameters than the plan has.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedFunctions {
    /// Which.
    pub tuning: Tuning,
    /// The functions.
    pub functions: Functions,
    /// What the sequences say of each; empty where nobody asked.
    pub statistics: Vec<FunctionStatistics>,
}

impl TunedFunctions {
    /// How a function of these is called.
    pub fn name(&self, function: &Function) -> String {
        format!("{}({})", function.id(), self.tuning)
    }
}
