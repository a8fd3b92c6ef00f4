//! The entry of statistical functions; `statistical/mod.rs` documents them.

use crate::catalog::{CatalogEntry, OptionEntry, OptionValues};

use super::super::build_context::{BuildContext, Functions, Parameters};
use super::super::function::Function;
use super::super::kind::Kind;
use super::super::statistical::{self, StatisticalParameters};
use super::{FunctionKind, OptionConflict};

/// The kind of statistical functions.
pub(super) struct StatisticalKind;

impl CatalogEntry for StatisticalKind {
    fn name(&self) -> &'static str {
        Kind::Statistical.name()
    }

    fn title(&self) -> &'static str {
        "A weighted sum of features, learned from random play"
    }

    fn source(&self) -> &'static str {
        "Walędzik and Mańdziuk 2014"
    }

    fn text(&self) -> &'static str {
        include_str!("../statistical/mod.rs")
    }

    fn options(&self) -> Vec<OptionEntry> {
        StatisticalParameters::options()
    }
}

impl FunctionKind for StatisticalKind {
    fn kind(&self) -> Kind {
        Kind::Statistical
    }

    fn set(&self, given: &OptionValues, parameters: &mut Parameters) -> Result<(), OptionConflict> {
        parameters.statistical = StatisticalParameters::of(given, parameters.statistical.seed);
        Ok(parameters.statistical.validate()?)
    }

    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions) {
        let &BuildContext { machine, features, plan_states, budget, context, .. } = material;
        match statistical::functions(
            machine,
            features,
            plan_states,
            &parameters.statistical,
            budget,
            &context,
        ) {
            Ok(learned) => {
                made.list.extend(learned.functions.into_iter().map(Function::Statistical));
                made.notes.extend(learned.notes);
            }
            Err(error) => made.notes.push(format!("no statistical functions: {error}")),
        }
    }
}
