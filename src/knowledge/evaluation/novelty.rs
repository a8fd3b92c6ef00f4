//! What functions of novelty are tuned by: the state that others are compared with.

use crate::catalog::{Choice, OptionEntry, OptionValues, TypedOption};
use crate::feature::{Feature, Spec};

/// What a state is compared with.
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
    "the state compared with: the initial one, or that from which a search begins",
);

impl NoveltySince {
    /// The options that set it.
    pub(super) fn options() -> Vec<OptionEntry> {
        vec![SINCE.entry()]
    }

    /// What options say.
    pub(super) fn of(given: &OptionValues) -> NoveltySince {
        given.get(&SINCE)
    }

    /// A feature of novelty as it is compared with this.
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
