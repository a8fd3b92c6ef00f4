//! The entry of statistical functions; what they are is documented in `statistical/mod.rs`.

use crate::catalog::{CatalogEntry, OptionEntry, TypedOption};

use super::super::construct::{BuildContext, Functions, Parameters};
use super::super::function::{Function, Kind};
use super::super::statistical;
use super::FunctionKind;

const SEQUENCES: TypedOption<u64> =
    TypedOption::integer("sequences", 1_000, [4, 1_000_000], "", "sequences of states to learn from");
const LENGTH: TypedOption<u64> =
    TypedOption::integer("length", 5, [1, 100], "states", "states of a sequence at most");
const GAP: TypedOption<u64> = TypedOption::integer(
    "gap",
    2,
    [1, 100],
    "joint moves",
    "from one state of a sequence to the next at most",
);
const PLAYOUTS: TypedOption<u64> =
    TypedOption::integer("playouts", 10, [1, 10_000], "", "playouts that label a sequence");
const COMPONENTS: TypedOption<u64> =
    TypedOption::integer("components", 30, [1, 1_000], "", "features that a function keeps at most");
const WITHIN: TypedOption<f64> = TypedOption::real(
    "within",
    10.0,
    [0.0, 1e9],
    "",
    "weight of the variance within sequences in the stability",
);

/// Weighted sums of features, learned from random play.
pub(super) struct Statistical;

impl CatalogEntry for Statistical {
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
        vec![
            SEQUENCES.entry(),
            LENGTH.entry(),
            GAP.entry(),
            PLAYOUTS.entry(),
            COMPONENTS.entry(),
            WITHIN.entry(),
        ]
    }
}

impl FunctionKind for Statistical {
    fn kind(&self) -> Kind {
        Kind::Statistical
    }

    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions) {
        let &BuildContext { machine, features, budget, context, .. } = material;
        match statistical::functions(machine, features, &parameters.statistical, budget, &context) {
            Ok(learned) => {
                made.list.extend(learned.functions.into_iter().map(Function::Statistical));
                made.notes.extend(learned.notes);
            }
            Err(error) => made.notes.push(format!("no statistical functions: {error}")),
        }
    }
}
