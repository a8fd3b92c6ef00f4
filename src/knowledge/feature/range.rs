//! The range of a feature that the domains of the rules allow.

use std::collections::BTreeSet;

use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;

use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, FluentKind};

use super::pattern::{Argument, Pattern};
use super::sources::Sources;
use super::spec::Spec;

/// The least and greatest value; none if the spec does not fit the game.
pub(super) fn range(spec: &Spec, sources: &Sources<'_>) -> Option<[f64; 2]> {
    Some(match spec {
        Spec::Count { pattern } => [0.0, max_facts(&Pattern::parse(pattern).ok()?, sources)?],
        Spec::Index { order, absent, .. } => [absent.min(0.0), absent.max(order.len() as f64 - 1.0)],
        Spec::Sum { terms } => {
            let mut sum = [0.0, 0.0];
            for term in terms {
                let most = max_facts(&Pattern::parse(&term.pattern).ok()?, sources)? * term.weight;
                sum[usize::from(most > 0.0)] += most;
            }
            sum
        }
        Spec::Along { pattern, order, .. } => {
            [0.0, max_facts(&Pattern::parse(pattern).ok()?, sources)? * (order.len() as f64 - 1.0)]
        }
        Spec::Extreme { patterns, order, absent, .. } => {
            patterns.iter().try_for_each(|text| max_facts(&Pattern::parse(text).ok()?, sources).map(drop))?;
            [absent.min(0.0), absent.max(order.len() as f64 - 1.0)]
        }
        Spec::Distance { pieces, axes, absent } => {
            let farthest: f64 = axes.iter().map(|axis| axis.order.len() as f64 - 1.0).sum();
            let pairs = (pieces.len() * pieces.len().saturating_sub(1) / 2) as f64;
            [0.0, pairs * farthest.max(*absent)]
        }
        Spec::Moves { role, noops } => [0.0, moves(sources, role, noops)?],
        Spec::Changed { .. } => [0.0, 1.0],
        Spec::Total { of } => {
            let mut sum = [0.0, 0.0];
            for part in of {
                let part = range(part, sources)?;
                sum = [sum[0] + part[0], sum[1] + part[1]];
            }
            sum
        }
        Spec::Difference { first, second } => {
            let (first, second) = (range(first, sources)?, range(second, sources)?);
            [first[0] - second[1], first[1] - second[0]]
        }
        Spec::GoalProgress { .. } => [0.0, 1.0],
        Spec::Inverse { of } => {
            let [least, most] = range(of, sources)?;
            [1.0 / (1.0 + most.max(0.0)), 1.0 / (1.0 + least.max(0.0))]
        }
    })
}

/// An upper bound on the number of facts of a pattern that hold in one state: one for each combination of the arguments
/// that determine the others. None if no fluent matches.
fn max_facts(pattern: &Pattern, sources: &Sources<'_>) -> Option<f64> {
    let finding = sources.finding(pattern);
    // In a fluent of kind `Place`, each piece has one place, but a marker can have several.
    let holds = |finding: &&FluentFinding| finding.kind != FluentKind::Place || finding.markers.is_empty();
    let determined = finding.filter(|finding| !finding.outputs.is_empty()).filter(holds);
    if sources.fluent_index.is_complete() {
        let matching = sources.fluent_index.matching(pattern).ok()?;
        let Some(finding) = determined else { return Some(matching.len() as f64) };
        let inputs: BTreeSet<Vec<&str>> = (matching.iter())
            .map(|(_, arguments)| finding.inputs.iter().map(|input| arguments[input.index()]).collect())
            .collect();
        return Some(inputs.len() as f64);
    }
    sources.fluent_index.relation(pattern).ok()?;
    let Some(finding) = finding else { return Some(1.0) };
    let free = |index: &usize| match &pattern.arguments[*index] {
        Argument::Variable(name) => {
            let before = &pattern.arguments[..*index];
            !before.iter().any(|other| matches!(other, Argument::Variable(known) if known == name))
        }
        Argument::Term(_) => false,
        Argument::Function(..) => true,
    };
    let is_counted = |index: &usize| {
        determined.is_none_or(|finding| finding.inputs.contains(&ArgumentPosition::at(*index)))
    };
    let places = (0..pattern.arguments.len()).filter(free).filter(is_counted);
    Some(places.map(|index| finding.domains[index].len().max(1) as f64).product())
}

/// An upper bound on the number of legal moves of a role, without its noops.
fn moves(sources: &Sources<'_>, role: &str, noops: &[String]) -> Option<f64> {
    let machine = sources.fluent_index.machine();
    let number = sources.fluent_index.role(role).ok()?;
    if let Some(network) = machine.network() {
        let role_moves = network.moves.get(number)?;
        let is_noop = |text: String| noops.contains(&text);
        let idle = role_moves
            .iter()
            .filter(|chosen| is_noop(machine.move_text(crate::machine::MoveId(chosen.action))));
        return Some((role_moves.len() - idle.count()) as f64);
    }
    let description = machine.description();
    let domains = Domains::of(description);
    let legal = description.relation_ids().filter(|(_, relation)| relation.kind == RelationKind::Legal);
    let counts = legal.map(|(id, relation)| -> f64 {
        let sizes = (1..relation.arity).map(|argument| {
            let domain = domains.argument(id, argument);
            (domain.terms.len() + domain.functors.len()).max(1) as f64
        });
        sizes.product()
    });
    Some(counts.sum())
}
