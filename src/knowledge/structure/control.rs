//! Control fluents.
//!
//! # What it finds
//! Fluents that say whose turn it is. The values of one argument are roles, or represent groups of roles,
//! and roles have a choice of moves only while the fluent names them.
//!
//! # How
//! In all sampled states with one fact of the fluent, the detector records for each value of each argument
//! which roles have several legal moves. A fluent is a candidate if it never has more than one fact, and
//! roles choose under at least two values. No role may choose under two values. If a value is a role under
//! which roles choose, this role must be among them. The candidate that holds in most states with a choice
//! is taken. Ties are broken by the number of named roles, then by the number of groups. Another candidate
//! is added in two cases. First: it never holds together with one taken (placing and rotating may each have
//! their own). Second: it holds in the same states and distinguishes the same groups (two boards played at
//! once may each have their own). A fluent that merely holds a role (the last bidder, the role in check) is
//! rejected. It names roles that choose under other values too, or it holds together with a candidate that
//! covers more states.
//!
//! # Guarantee
//! An estimate: a role that can choose out of turn may not have done so in the sample.
//!
//! # Cost
//! One check of each fluent relation and role in every sampled state.
//!
//! # Example
//! `(control white)` in states where white has several moves and black has only `noop`, and `(control
//! black)` in the opposite case.
//!
//! # Source
//! Own definition; turn taking: Kuhlmann, Dresner and Stone 2006.

use std::collections::BTreeMap;

use crate::catalog_entry;
use crate::gdl::term::TermId;

use super::argument::ArgumentPosition;
use super::control_samples::ControlSamples;
use super::counter::{CounterArgument, detect as detect_counter};
use super::detector::{Detector, Game};
use super::finding::{Control, FluentFinding, FluentKind};
use super::findings::Findings;
use super::fluents::FactTable;
use super::reason::Reason;
use super::samples::Samples;

catalog_entry!(ControlDetector, "control", "Control fluents", "Kuhlmann, Dresner and Stone 2006");

impl Detector for ControlDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["counter"]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { chains, usage, fluents, .. } = findings;
        let eligible = |relation: usize| fluents[relation].finding.is_none();
        for control in detect(&samples.control, &samples.facts, &game.description().roles, eligible) {
            let fluent = &mut fluents[control.relation];
            let (table, trajectory) = (&samples.facts[fluent.number], samples.trajectories.of(fluent.number));
            let (_, split) = fluent.split(usage, table);
            let reason = Reason::NamesWhoMoves {
                argument: control.control.argument,
                covered: control.covered,
                with_choice: samples.control.with_choice,
            };
            let others =
                (0..fluent.relation.arity).filter(|&index| index != control.control.argument.index());
            let counting = |argument| CounterArgument { fluent: fluent.relation, argument };
            let counter = others
                .filter_map(|argument| detect_counter(game, counting(argument), table, trajectory, chains));
            let counter = counter.map(|(counter, _)| counter).next();
            fluent.finding = Some(FluentFinding {
                control: Some(control.control),
                counter,
                evidence: samples.extent.evidence(&[], reason),
                ..fluent.of_kind(FluentKind::Control, split)
            });
        }
    }
}

/// A control fluent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlFluent {
    /// The index of its relation.
    pub relation: usize,
    /// The finding.
    pub control: Control,
    /// Number of states with a choice in which it held.
    pub covered: u64,
}

/// A fluent that satisfies the conditions alone; it may still conflict with other candidates.
struct Candidate {
    fluent: ControlFluent,
    /// Number of its values that are roles.
    role_values: usize,
    /// For each value under which some role chooses, the set of these roles; ascending.
    groups: Vec<u64>,
}

/// The argument of a relation that distinguishes the choosing roles, the number of its values that are
/// roles, and the groups of roles. An argument whose values are roles is preferred.
fn argument(table: &FactTable, choosers: &[u64], roles: &[TermId]) -> Option<(usize, usize, Vec<u64>)> {
    let groups_by = |argument: usize| {
        let mut groups: BTreeMap<TermId, u64> = BTreeMap::new();
        for index in 0..table.len() {
            let choosing = choosers.get(index).copied().unwrap_or(0);
            *groups.entry(table.arguments(index)[argument]).or_default() |= choosing;
        }
        let (mut assigned, mut role_values) = (0_u64, 0);
        for (value, &group) in &groups {
            let role = roles.iter().position(|role| role == value);
            if group & assigned != 0 || role.is_some_and(|role| group != 0 && group >> role.min(63) & 1 == 0)
            {
                return None;
            }
            assigned |= group;
            role_values += usize::from(role.is_some());
        }
        let mut choosing: Vec<u64> = groups.into_values().filter(|&group| group != 0).collect();
        choosing.sort_unstable();
        (choosing.len() >= 2).then_some((argument, role_values, choosing))
    };
    (0..table.arity())
        .filter_map(groups_by)
        .max_by_key(|&(argument, role_values, _)| (role_values, std::cmp::Reverse(argument)))
}

/// Finds the control fluents among relations for which `eligible` holds.
pub fn detect(
    samples: &ControlSamples,
    facts: &[FactTable],
    roles: &[TermId],
    eligible: impl Fn(usize) -> bool,
) -> Vec<ControlFluent> {
    if roles.len() < 2 {
        return Vec::new();
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for (relation, table) in facts.iter().enumerate() {
        if table.most() > 1 || table.is_empty() || !eligible(relation) {
            continue;
        }
        if let Some((argument, role_values, groups)) = argument(table, samples.choosers(relation), roles) {
            let control = Control { argument: ArgumentPosition::at(argument) };
            let fluent = ControlFluent { relation, control, covered: samples.covered(relation) };
            candidates.push(Candidate { fluent, role_values, groups });
        }
    }
    let preference = |candidate: &Candidate| {
        let Candidate { fluent, role_values, groups } = candidate;
        (std::cmp::Reverse((fluent.covered, *role_values, groups.len())), groups.clone(), fluent.relation)
    };
    candidates.sort_by_cached_key(preference);
    let mut taken: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let fits = |other: &Candidate| {
            let (here, there) = (candidate.fluent.relation, other.fluent.relation);
            let same = candidate.groups == other.groups && samples.always_together(here, there);
            same || samples.never_together(here, there)
        };
        if taken.iter().all(fits) {
            taken.push(candidate);
        }
    }
    let mut taken: Vec<ControlFluent> = taken.into_iter().map(|candidate| candidate.fluent).collect();
    taken.sort_by_key(|fluent| fluent.relation);
    taken
}
