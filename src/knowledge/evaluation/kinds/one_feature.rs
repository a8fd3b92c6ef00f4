//! Kinds of functions that scale one feature to a role's goal values: one kind for each suitable family.

use crate::catalog::{CatalogEntry, OptionEntry, OptionValues};
use crate::feature::{Family, Feature};

use super::super::build_context::{BuildContext, Functions, Parameters};
use super::super::function::Function;
use super::super::kind::Kind;
use super::super::novelty::NoveltySince;
use super::super::scaled_feature;
use super::{FunctionKind, OptionConflict};

/// A kind of functions of one feature.
pub(super) struct OneFeatureKind {
    kind: Kind,
    family: Family,
    title: &'static str,
    source: &'static str,
}

pub(super) static KUHLMANN: OneFeatureKind = OneFeatureKind {
    kind: Kind::Kuhlmann,
    family: Family::Kuhlmann,
    title: "One coordinate, distance, count or quantity, scaled",
    source: "Kuhlmann, Dresner and Stone 2006",
};
pub(super) static MOBILITY: OneFeatureKind = OneFeatureKind {
    kind: Kind::Mobility,
    family: Family::Mobility,
    title: "One number of legal moves, scaled",
    source: "Clune 2007; Genesereth and Thielscher 2014",
};
pub(super) static NOVELTY: OneFeatureKind = OneFeatureKind {
    kind: Kind::Novelty,
    family: Family::Novelty,
    title: "The share of changed facts, scaled",
    source: "Genesereth and Thielscher 2014",
};
pub(super) static MATERIAL: OneFeatureKind = OneFeatureKind {
    kind: Kind::Material,
    family: Family::Material,
    title: "The material of a role, scaled",
    source: "Draper and Rose 2014",
};

pub(super) static ORDER: OneFeatureKind = OneFeatureKind {
    kind: Kind::Order,
    family: Family::Order,
    title: "One sum or extreme along an order, scaled",
    source: "Kuhlmann, Dresner and Stone 2006",
};

impl CatalogEntry for OneFeatureKind {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn text(&self) -> &'static str {
        include_str!("../scaled_feature.rs")
    }

    fn options(&self) -> Vec<OptionEntry> {
        if self.kind == Kind::Novelty { NoveltySince::options() } else { Vec::new() }
    }
}

impl FunctionKind for OneFeatureKind {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn family(&self) -> Option<Family> {
        Some(self.family)
    }

    fn set(&self, given: &OptionValues, parameters: &mut Parameters) -> Result<(), OptionConflict> {
        if self.kind == Kind::Novelty {
            parameters.novelty = NoveltySince::of(given);
        }
        Ok(())
    }

    fn make(&self, material: &BuildContext<'_>, parameters: &Parameters, made: &mut Functions) {
        let own = material.features.iter().filter(|feature| feature.family == self.family);
        let own: Vec<Feature> = own.cloned().map(|feature| parameters.novelty.apply(feature)).collect();
        let scaled =
            scaled_feature::functions(material.machine, &material.structures.teams, &own, material.goals);
        made.list.extend(scaled.into_iter().map(Function::Feature));
    }
}
