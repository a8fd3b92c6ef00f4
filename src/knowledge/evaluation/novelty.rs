//! The option of novelty functions: the reference state.

use crate::catalog::{Choice, OptionEntry, OptionValues, TypedOption};
use crate::feature::{Feature, Spec};

/// The reference state of novelty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoveltySince {
    /// The initial state.
    #[default]
    Initial,
    /// The state from which a search begins.
    Root,
}

impl Choice for NoveltySince {
    const WORDS: &'static [&'static str] = &["initial", "root"];
    const ALL: &'static [NoveltySince] = &[NoveltySince::Initial, NoveltySince::Root];
}

const SINCE: TypedOption<NoveltySince> = TypedOption::choice(
    "since",
    NoveltySince::Initial,
    "reference state: the initial one, or the one from which a search begins",
);

impl NoveltySince {
    pub(super) fn options() -> Vec<OptionEntry> {
        vec![SINCE.entry()]
    }

    /// The reference that options set.
    pub(super) fn of(given: &OptionValues) -> NoveltySince {
        given.get(&SINCE)
    }

    /// A feature of novelty with this reference.
    pub(super) fn apply(self, feature: Feature) -> Feature {
        match (self, feature.spec) {
            (NoveltySince::Root, Spec::Changed { since, without, .. }) => {
                let spec = Spec::Changed { since, without, since_root: true };
                let (id, formula) = (format!("{}-since-root", feature.id), spec.to_string());
                Feature { id, formula, spec, ..feature }
            }
            (_, spec) => Feature { spec, ..feature },
        }
    }
}
