//! Decides the properties of a game one by one.

use super::claim::{Claim, Condition, Contradiction, Verdict};
use super::evidence::PlayEvidence;
use super::findings::{alternation, constant_sum, legal, never_falls, one_goal, same_goals};
use super::guarantee::Guarantee;
use super::induction::Invariants;
use super::plays::{OUTCOMES, Plays};
use super::property_name::{ProofMethod, PropertyName};
use super::ranking::MonotoneMeasures;
use super::reason::{Bound, NoProof, NotSearched, Reason};
use super::statement::Property;
use super::weighted::find_growing_sum;
use crate::gdl::information::Information;
use crate::ground::{Lit, Network};
use crate::machine::Machine;
use crate::simulate::Statistics;
use crate::structure::finding::ProofStatus;

use ProofStatus::{Open, Proved, Refuted};

/// The results so far, from which properties are decided.
pub(super) struct PropertyContext<'k, 'n> {
    pub(super) machine: &'k dyn Machine,
    pub(super) network: Option<&'n Network>,
    pub(super) simulation: &'k Statistics,
    pub(super) plays: &'k Plays,
    pub(super) evidence: &'k PlayEvidence<'k>,
    pub(super) invariants: Option<&'k Invariants<'n>>,
    pub(super) monotone: Option<&'k MonotoneMeasures>,
}

/// A role has a legal move in every state that is not terminal.
pub(super) fn playable(network: &Network, role: usize) -> Claim {
    // One list of literals, so that it can be a lemma.
    let stuck = legal(network, role).into_iter().chain([network.terminal]).collect();
    Claim::new(
        "a legal move in every state that is not terminal",
        vec![Contradiction(vec![Condition::None(0, stuck)])],
    )
}

/// No terminal state gives a goal value; `goal` is the literal of its condition.
pub(super) fn never_ends_with(network: &Network, goal: Lit) -> Claim {
    let never = vec![Condition::Holds(0, network.terminal), Condition::Holds(0, goal)];
    Claim::new("no end gives this goal value", vec![Contradiction(never)])
}

/// The games that support an open property.
#[derive(Clone, Copy)]
enum Scope {
    /// All random games.
    Games,
    /// The random games that ended.
    EndedGames,
    /// The games whose states proofs use.
    States,
}

/// All properties, in the order of [`PropertyName`].
pub(super) fn properties(
    context: &PropertyContext<'_, '_>,
    verdict: &dyn Fn(&Claim) -> Verdict,
    search: &dyn Fn() -> Result<Guarantee, NotSearched>,
) -> Vec<Property> {
    let roles = context.machine.description().roles.len();
    // Chance must have moves, but needs no goals.
    let players: Vec<usize> = context.machine.description().players().collect();
    let mut all = Vec::new();
    let longest = termination(context);
    all.push(longest.clone());
    all.push(finite_length(longest));
    for role in 0..roles {
        let claim = |network: &Network| Some(playable(network, role));
        all.push(context.decide((PropertyName::Playability, Some(role)), Scope::Games, claim, verdict));
    }
    for &role in &players {
        let claim = |network: &Network| {
            let (one, falls) = (one_goal(network, role, false), never_falls(network, role));
            let never = one.never.into_iter().chain(falls.never);
            Some(Claim::new(falls.text, never.collect()))
        };
        all.push(context.decide((PropertyName::Monotonicity, Some(role)), Scope::States, claim, verdict));
    }
    for &role in &players {
        let claim = |network: &Network| Some(one_goal(network, role, true));
        all.push(context.decide((PropertyName::UniqueGoal, Some(role)), Scope::EndedGames, claim, verdict));
    }
    let mut weak: Vec<Property> =
        players.iter().map(|&role| weak_winnability(context, role, verdict)).collect();
    let strong = strong_winnability(context, &mut weak, search);
    all.extend(weak);
    all.push(strong);
    all.push(well_formedness(&all));
    if roles > 1 {
        all.extend(turns(context, verdict));
    }
    if players.len() > 1 {
        all.extend(goal_sum_properties(context, &players, verdict));
    }
    all
}

impl PropertyContext<'_, '_> {
    /// Decides a property by evidence from play, if that suffices. Otherwise it decides the claim that `claim` makes
    /// for the network.
    fn decide(
        &self,
        (name, role): (PropertyName, Option<usize>),
        scope: Scope,
        claim: impl FnOnce(&Network) -> Option<Claim>,
        verdict: &dyn Fn(&Claim) -> Verdict,
    ) -> Property {
        let property = Property::open(name, role);
        if let Some(settled) = self.evidence.settle(&property) {
            return settled;
        }
        self.decide_by_claim(property, scope, self.network.and_then(claim), verdict)
    }

    /// Decides a property that no play refuted, by a claim.
    fn decide_by_claim(
        &self,
        property: Property,
        scope: Scope,
        claim: Option<Claim>,
        verdict: &dyn Fn(&Claim) -> Verdict,
    ) -> Property {
        match claim.map_or(Verdict::Open, |claim| verdict(&claim)) {
            Verdict::Proved(k) => self.by_induction(property, k),
            Verdict::Open => self.prove_by_listing(&property).unwrap_or_else(|| self.open(property, scope)),
        }
    }

    /// Proves a property that no state refutes, if all states are listed.
    fn prove_by_listing(&self, property: &Property) -> Option<Property> {
        let listing = self.plays.listing?;
        // Outcomes beyond the stored ones are unknown.
        let of_outcomes = matches!(property.name, PropertyName::ConstantSum | PropertyName::Cooperation);
        if of_outcomes && self.plays.ends.len() >= OUTCOMES {
            return None;
        }
        let reason = Reason::EveryState { states: listing.states };
        Some(property.clone().settled(Proved, ProofMethod::Search, reason))
    }

    fn by_induction(&self, property: Property, k: u32) -> Property {
        let lemmas = self.invariants.map_or(0, |invariants| invariants.proved.len());
        match k {
            0 => property.settled(Proved, ProofMethod::Rules, Reason::Rules),
            steps => {
                let reason = Reason::Induction { steps, lemmas };
                let property = property.settled(Proved, ProofMethod::Induction, reason);
                Property { k: Some(steps), lemmas: Some(lemmas), ..property }
            }
        }
    }

    fn open(&self, property: Property, scope: Scope) -> Property {
        let without = match (self.network, self.machine.network()) {
            (Some(_), _) => None,
            (None, None) => Some(NoProof::NoNetwork),
            (None, Some(_)) => Some(NoProof::NetworkTooLarge),
        };
        let (simulation, plays) = (self.simulation, self.plays);
        let (reason, states) = match scope {
            Scope::Games => {
                let games = simulation.playouts;
                (Reason::NotRefuted { games, ended: false, without }, simulation.states)
            }
            Scope::EndedGames => {
                let games = simulation.terminal.count;
                (Reason::NotRefuted { games, ended: true, without }, games)
            }
            Scope::States => {
                let (games, states) = (plays.plays, plays.states);
                (Reason::NotRefutedByStates { games, states, without }, states)
            }
        };
        Property { states, ..property.left_open(reason) }
    }

    /// A bound on the steps of a game, with the longest random game.
    fn bound(&self, steps: u64) -> Bound {
        Bound { steps, seen: self.simulation.length.map(|length| length.max.into()) }
    }
}

fn termination(context: &PropertyContext<'_, '_>) -> Property {
    let property = Property::open(PropertyName::Termination, None);
    if let Some(settled) = context.evidence.settle(&property) {
        return settled;
    }
    if let Some(listing) = context.plays.listing {
        let states = listing.states;
        let Some(longest) = listing.longest else {
            return property.settled(Refuted, ProofMethod::Search, Reason::ListedReturn { states });
        };
        let reason = Reason::LongestGame { longest, states };
        let property = property.settled(Proved, ProofMethod::Search, reason);
        return Property { longest: Some(longest), is_attained: Some(true), ..property };
    }
    let Some(network) = context.network else { return context.open(property, Scope::States) };
    let bounded = |property: Property, method, bound: Bound, reason| Property {
        longest: Some(bound.steps),
        is_attained: Some(bound.is_attained()),
        ..property.settled(Proved, method, reason)
    };
    if let Some(last) = context.machine.longest_play() {
        let bound = context.bound(last.into());
        return bounded(property, ProofMethod::Clock, bound, Reason::StepCounter(bound));
    }
    let (Some(invariants), Some(monotone)) = (context.invariants, context.monotone) else {
        return context.open(property, Scope::States);
    };
    let lemmas = Some(invariants.proved.len());
    if let Some(longest) = monotone.longest_play(invariants, network) {
        let bound = context.bound(longest);
        let proved = bounded(property, ProofMethod::Ranking, bound, Reason::OneDirection(bound));
        return Property { k: Some(1), lemmas, ..proved };
    }
    if let Some(sum) = find_growing_sum(invariants, network, &context.plays.state_paths) {
        let bound = context.bound(sum.longest);
        let reason = Reason::SumGrows { bound, facts: sum.facts, steps: sum.steps };
        let property = bounded(property, ProofMethod::Ranking, bound, reason);
        return Property { k: Some(sum.steps as u32), lemmas, ..property };
    }
    context.open(property, Scope::States)
}

/// With finitely many states, a game that always ends has a longest play.
pub(super) fn finite_length(termination: Property) -> Property {
    let name = PropertyName::FiniteLength;
    match (termination.status, termination.longest) {
        (Proved, Some(longest)) => Property { name, longest: Some(longest), ..termination },
        (Proved, None) => Property { status: Open, name, ..termination },
        _ => Property { name, ..termination },
    }
}

fn weak_winnability(
    context: &PropertyContext<'_, '_>,
    role: usize,
    verdict: &dyn Fn(&Claim) -> Verdict,
) -> Property {
    let property = Property::open(PropertyName::WeakWinnability, Some(role));
    if let Some(settled) = context.evidence.settle(&property) {
        return settled;
    }
    let refuted_by = |property: Property| Property {
        status: Refuted,
        reason: Reason::NoEndGives { by: Box::new(property.reason) },
        ..property
    };
    let goal = |network: &Network| -> Option<Lit> {
        network.goals[role].iter().find(|(value, _)| *value == 100).map(|&(_, condition)| condition)
    };
    if let Some(network) = context.network {
        let Some(goal) = goal(network) else {
            return property.settled(Refuted, ProofMethod::Rules, Reason::NoRuleGives);
        };
        if let Verdict::Proved(k) = verdict(&never_ends_with(network, goal)) {
            return refuted_by(context.by_induction(property, k));
        }
    }
    if let Some(listed) = context.prove_by_listing(&property) {
        return refuted_by(listed);
    }
    let games = context.simulation.playouts;
    Property { states: context.simulation.states, ..property.left_open(Reason::NoWinSeen { games }) }
}

/// Whether some role can force 100. A role that can force 100 can also get it.
fn strong_winnability(
    context: &PropertyContext<'_, '_>,
    weak: &mut [Property],
    search: &dyn Fn() -> Result<Guarantee, NotSearched>,
) -> Property {
    let property = Property::open(PropertyName::StrongWinnability, None);
    let description = context.machine.description();
    if let ([one], 1) = (&*weak, description.roles.len()) {
        return single_role_winnability(one);
    }
    if weak.iter().all(|weak| weak.status == Refuted) {
        return property.settled(Refuted, ProofMethod::Others, Reason::NoRoleGets);
    }
    let answer = match search() {
        Ok(answer) => answer,
        Err(why) => return property.left_open(Reason::NotSearched(why)),
    };
    let nodes = answer.nodes;
    if let Some(role) = description.players().find(|&role| answer.forces[role] == Some(true)) {
        // The search sees all moves; players may not.
        if Information::of(description).hidden {
            return property.left_open(Reason::HiddenMoves);
        }
        let reason = Reason::Forces { role, nodes };
        for weak in weak.iter_mut().filter(|weak| weak.role == Some(role) && weak.status == Open) {
            *weak = weak.clone().settled(Proved, ProofMethod::Search, reason.clone());
        }
        return property.settled(Proved, ProofMethod::Search, reason);
    }
    if description.players().all(|role| answer.forces[role] == Some(false)) {
        return property.settled(Refuted, ProofMethod::Search, Reason::NoRoleForces { nodes });
    }
    property.left_open(Reason::SearchEnded { by: answer.end, nodes })
}

/// A single role can force whatever it can get.
pub(super) fn single_role_winnability(weak: &Property) -> Property {
    Property { name: PropertyName::StrongWinnability, role: None, ..weak.clone() }
}

pub(super) fn well_formedness(others: &[Property]) -> Property {
    use PropertyName::{Monotonicity, Playability, Termination, WeakWinnability};
    let property = Property::open(PropertyName::WellFormedness, None);
    let is_part =
        |other: &&Property| matches!(other.name, Termination | Playability | Monotonicity | WeakWinnability);
    let parts: Vec<&Property> = others.iter().filter(is_part).collect();
    if let Some(part) = parts.iter().find(|part| part.status == Refuted) {
        let refuted = property.settled(Refuted, ProofMethod::Others, Reason::Lacks(part.name));
        return refuted.shown_by(part.witness.clone());
    }
    if let Some(part) = parts.iter().find(|part| part.status == Open) {
        return property.left_open(Reason::PartOpen(part.name));
    }
    property.settled(Proved, ProofMethod::Others, Reason::AllParts)
}

/// The properties about turns.
fn turns(context: &PropertyContext<'_, '_>, verdict: &dyn Fn(&Claim) -> Verdict) -> [Property; 3] {
    let claim = |network: &Network| Some(alternation(network));
    let alternating = context.decide((PropertyName::Alternation, None), Scope::Games, claim, verdict);
    let simultaneous = Property::open(PropertyName::Simultaneity, None);
    let simultaneous = match (context.evidence.settle(&simultaneous), alternating.status) {
        (Some(settled), _) => settled,
        (None, Proved) => Property {
            name: PropertyName::Simultaneity,
            status: Refuted,
            reason: Reason::TakeTurns,
            ..alternating.clone()
        },
        _ => context.open(simultaneous, Scope::Games),
    };
    let perfect = Property::open(PropertyName::PerfectAlternation, None);
    let perfect = match context.evidence.settle(&perfect) {
        Some(settled) => settled,
        // The position of a role that never had a choice is unknown.
        None if context.plays.after.contains(&None) => context.open(perfect, Scope::States),
        None => {
            let claim = context.network.and_then(|network| in_turn(network, context.plays));
            context.decide_by_claim(perfect, Scope::States, claim, verdict)
        }
    };
    [alternating, perfect, simultaneous]
}

/// After a step in which a role had a choice, only the next role in the order has one.
fn in_turn(network: &Network, plays: &Plays) -> Option<Claim> {
    let mut never = alternation(network).never;
    for (role, after) in plays.after.iter().enumerate() {
        let after = (*after)?;
        for other in (0..plays.after.len()).filter(|&other| other != after) {
            never.push(Contradiction(vec![
                Condition::Two(0, legal(network, role)),
                Condition::Holds(1, !network.terminal),
                Condition::Two(1, legal(network, other)),
            ]));
        }
    }
    Some(Claim::new("roles have a choice one after the other", never))
}

/// The properties about the goal values of all players together.
fn goal_sum_properties(
    context: &PropertyContext<'_, '_>,
    players: &[usize],
    verdict: &dyn Fn(&Claim) -> Verdict,
) -> [Property; 2] {
    let total = context.evidence.sum();
    let claim = |network: &Network| constant_sum(network, players, total?);
    let sum = context.decide((PropertyName::ConstantSum, None), Scope::EndedGames, claim, verdict);
    let sum = match total.filter(|_| sum.status != Refuted) {
        Some(sum_of) => {
            let reason = Reason::Sum { sum: sum_of, by: Box::new(sum.reason) };
            Property { reason, ..sum }
        }
        None => sum,
    };
    let same = Property::open(PropertyName::Cooperation, None);
    let games = context.simulation.terminal.count;
    let same = match context.evidence.settle(&same) {
        Some(settled) => settled,
        None if context.evidence.has_one_outcome() => {
            Property { states: games, ..same.left_open(Reason::OneOutcome { games }) }
        }
        None => {
            let claim = context.network.and_then(|network| same_goals(network, players));
            context.decide_by_claim(same, Scope::EndedGames, claim, verdict)
        }
    };
    [sum, same]
}
