//! The entry of learned functions; `learned/mod.rs` documents them.

use crate::catalog::{CatalogEntry, OptionEntry, OptionValues};

use super::super::build_context::{BuildContext, Functions, Parameters};
use super::super::function::Function;
use super::super::kind::Kind;
use super::super::learned::{self, LearnedParameters};
use super::{FunctionKind, OptionConflict};

/// The kind of learned functions.
pub(super) struct LearnedKind;

impl CatalogEntry for LearnedKind {
    fn name(&self) -> &'static str {
        Kind::Learned.name()
    }

    fn title(&self) -> &'static str {
        "Weighted conjunctions of facts, learned from self-play"
    }

    fn source(&self) -> &'static str {
        "Samuel 1959; Tesauro 1995; Buro 1998"
    }

    fn text(&self) -> &'static str {
        include_str!("../learned/mod.rs")
    }

    fn options(&self) -> Vec<OptionEntry> {
        LearnedParameters::options()
    }
}

impl FunctionKind for LearnedKind {
    fn kind(&self) -> Kind {
        Kind::Learned
    }

    fn is_made_of_features(&self) -> bool {
        false
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn set(&self, given: &OptionValues, parameters: &mut Parameters) -> Result<(), OptionConflict> {
        parameters.learned = LearnedParameters::of(given, parameters.learned.seed);
        Ok(parameters.learned.validate()?)
    }

    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions) {
        let &BuildContext { machine, plan_states, budget, context, .. } = material;
        match learned::learn(machine, plan_states, &parameters.learned, budget, &context, material.on_round) {
            Ok(learned) => {
                made.list.extend(learned.functions.into_iter().map(Function::Learned));
                made.notes.extend(learned.notes);
            }
            Err(error) => made.notes.push(format!("no learned functions: {error}")),
        }
    }
}
