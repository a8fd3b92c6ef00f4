//! The claims of findings about all reachable states.

use std::collections::BTreeMap;

use super::claim::{Claim, Condition, Contradiction};
use super::lemma::{bit_holds, of_bit};
use super::plays::Plays;
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;
use crate::ground::{Lit, Network};
use crate::machine::Machine;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, FluentKind, Latch, LocatedObject, Method, Structures, Turns};
use crate::structure::noop;
use crate::structure::presence::Presence;
use crate::structure::reason::Reason;

/// The most combinations of goal values for a claim about their sum.
const MAX_COMBINATIONS: usize = 10_000;

/// The most goal values of a role for which each pair is a separate contradiction.
const MAX_PAIRED_GOALS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindingId {
    /// A fluent, by its index.
    Fluent(usize),
    /// Turns.
    Turns,
    Teams,
    /// Whether the sum of goal values is constant.
    ZeroSum,
    /// Moves that do nothing.
    Noops,
}

/// A fact of a fluent: its arguments and its literal.
struct Fact<'n> {
    arguments: &'n [TermId],
    literal: Lit,
    initially: bool,
}

fn facts<'n>(network: &'n Network, finding: &FluentFinding) -> Vec<Fact<'n>> {
    let of_fluent = network.fluents.iter().filter(|fluent| {
        fluent.functor == finding.fluent.name && fluent.arguments.len() == finding.fluent.arity
    });
    of_fluent
        .map(|fluent| Fact {
            arguments: &fluent.arguments,
            literal: fluent.bit.map_or(Lit::TRUE, of_bit),
            initially: fluent.bit.is_none_or(|bit| network.initial[bit as usize]),
        })
        .collect()
}

/// Groups facts by the values of some arguments.
fn by_key<'f, 'n>(
    facts: impl IntoIterator<Item = &'f Fact<'n>>,
    key: &[ArgumentPosition],
) -> BTreeMap<Vec<TermId>, Vec<&'f Fact<'n>>>
where
    'n: 'f,
{
    let mut groups: BTreeMap<Vec<TermId>, Vec<&Fact<'n>>> = BTreeMap::new();
    for fact in facts {
        let values = key.iter().map(|position| fact.arguments[position.index()]).collect();
        groups.entry(values).or_default().push(fact);
    }
    groups
}

fn literals(facts: &[&Fact<'_>]) -> Vec<Lit> {
    facts.iter().map(|fact| fact.literal).collect()
}

fn never_two<'f, 'n: 'f>(groups: impl IntoIterator<Item = &'f Vec<&'f Fact<'n>>>) -> Vec<Contradiction> {
    let several = groups.into_iter().filter(|group| group.len() > 1);
    several.map(|group| Contradiction(vec![Condition::Two(0, literals(group))])).collect()
}

/// A key that has a fact in the initial state has a fact in every state.
fn never_none<'f, 'n: 'f>(groups: impl IntoIterator<Item = &'f Vec<&'f Fact<'n>>>) -> Vec<Contradiction> {
    let there = groups.into_iter().filter(|group| group.iter().any(|fact| fact.initially));
    there.map(|group| Contradiction(vec![Condition::None(0, literals(group))])).collect()
}

/// The claims of each finding that plays have not refuted. A finding has no claims if it is certain by the rules
/// alone or by the samples.
pub(super) fn claims(
    machine: &dyn Machine,
    statics: &StaticFacts,
    network: &Network,
    structures: &Structures,
    plays: &Plays,
) -> Vec<(FindingId, Vec<Claim>)> {
    let roles_of_sum = structures.roles_of_sum();
    let sum_of = |goals: &Vec<Option<i32>>| roles_of_sum.iter().map(|&role| goals[role].map(i64::from)).sum();
    let sum: Option<i64> = plays.ends.keys().find_map(sum_of);
    let mut all: Vec<(FindingId, Vec<Claim>)> = Vec::new();
    let turns = if structures.turns == Turns::Alternating { vec![alternation(network)] } else { Vec::new() };
    all.push((FindingId::Turns, turns));
    // If no game ended, nothing is claimed about teams.
    if !matches!(structures.teams_evidence.reason, Reason::NoGameEnded { .. }) {
        let teams = structures.teams.iter().filter(|team| team.len() > 1);
        all.push((FindingId::Teams, teams.flat_map(|team| same_goals(network, team)).collect()));
    }
    if let Some(sum) = sum.filter(|_| structures.zero_sum) {
        all.push((FindingId::ZeroSum, Vec::from_iter(constant_sum(network, &roles_of_sum, sum))));
    }
    if !structures.noops.is_empty() {
        all.push((FindingId::Noops, noops(machine, statics, network, structures)));
    }
    // Simple claims come first, because the work may not suffice for all claims.
    let mut fluents: Vec<usize> = (0..structures.fluents.len()).collect();
    let simple =
        |kind: FluentKind| matches!(kind, FluentKind::Control | FluentKind::Counter | FluentKind::Flag);
    fluents.sort_by_key(|&index| !simple(structures.fluents[index].kind));
    for index in fluents {
        let finding = &structures.fluents[index];
        all.push((FindingId::Fluent(index), fluent_claims(network, structures, finding, plays)));
    }
    all
}

fn fluent_claims(
    network: &Network,
    structures: &Structures,
    finding: &FluentFinding,
    plays: &Plays,
) -> Vec<Claim> {
    let facts = facts(network, finding);
    let mut claims = Vec::new();
    // The objects of a `FluentKind::Place` that are pieces have claims of their own, see below.
    let determined = match finding.kind {
        FluentKind::Board | FluentKind::Line | FluentKind::Graph => true,
        FluentKind::Quantity | FluentKind::Counter | FluentKind::Control => true,
        FluentKind::Other => true,
        FluentKind::Place | FluentKind::Flag => false,
    };
    if determined && !finding.outputs.is_empty() {
        let groups = by_key(&facts, &finding.inputs);
        claims.push(Claim::new("at most one value", never_two(groups.values())));
        let there = finding.covered == Some(true)
            || finding.kind == FluentKind::Counter
            || finding.quantity.is_some_and(|quantity| quantity.presence == Presence::FromStart);
        if there {
            claims.push(Claim::new("always a value", never_none(groups.values())));
        }
    }
    for piece in &finding.pieces {
        let own: Vec<&Fact<'_>> = facts.iter().filter(|fact| is_of_object(fact, piece)).collect();
        claims.push(Claim::new("a piece on at most one cell", never_two([&own])));
    }
    if let Some(control) = finding.control {
        claims.push(only_named_role_chooses(network, &facts, control.argument, plays));
    }
    if let Some(counter) = finding.counter
        && !finding.evidence.methods.contains(&Method::Proof)
    {
        let position = counter.argument.index();
        let successor = structures.successor(counter.by);
        let mut elements = successor.map(|found| found.elements.clone()).unwrap_or_default();
        if counter.direction == crate::structure::finding::Direction::Down {
            elements.reverse();
        }
        let with = |value: TermId| facts.iter().filter(move |fact| fact.arguments[position] == value);
        let mut steps = Vec::new();
        for pair in elements.windows(2) {
            let next: Vec<Lit> = with(pair[1]).map(|fact| fact.literal).collect();
            for fact in with(pair[0]) {
                steps.push(Contradiction(vec![
                    Condition::Holds(0, fact.literal),
                    Condition::None(1, next.clone()),
                ]));
            }
        }
        if successor.is_none() {
            // Without a successor relation, the claim can't be proved: an empty contradiction is never
            // excluded.
            steps.push(Contradiction(Vec::new()));
        }
        claims.push(Claim::new("the next value in every step", steps));
    }
    match finding.latch {
        Some(Latch::Stays) => {
            let goes = facts.iter().map(|fact| {
                Contradiction(vec![Condition::Holds(0, fact.literal), Condition::Holds(1, !fact.literal)])
            });
            claims.push(Claim::new("a fact that holds once holds until the end", goes.collect()));
        }
        Some(Latch::NeverReturns) => {
            let bits = facts.iter().filter_map(|fact| fact.literal.node().checked_sub(1));
            let never_return = bits.collect();
            claims
                .push(Claim { never_return, ..Claim::new("a fact that is gone never returns", Vec::new()) });
        }
        None => {}
    }
    claims
}

/// For each value of a control fluent: in a state with this value, only the roles have a choice that had one in plays
/// with this value.
fn only_named_role_chooses(
    network: &Network,
    facts: &[Fact<'_>],
    argument: ArgumentPosition,
    plays: &Plays,
) -> Claim {
    let mut choosing: BTreeMap<TermId, u64> = BTreeMap::new();
    for fact in facts {
        let states = plays.state_paths.iter().flatten().zip(plays.choosing.iter().flatten());
        let holding = states.filter(|(state, _)| bit_holds(state, fact.literal));
        let mask = holding.fold(0, |all, (_, mask)| all | mask);
        *choosing.entry(fact.arguments[argument.index()]).or_default() |= mask;
    }
    let mut never = Vec::new();
    for fact in facts {
        let mask = choosing[&fact.arguments[argument.index()]];
        for role in (0..network.moves.len()).filter(|&role| mask >> role.min(63) & 1 == 0) {
            never.push(Contradiction(vec![
                Condition::Holds(0, !network.terminal),
                Condition::Holds(0, fact.literal),
                Condition::Two(0, legal(network, role)),
            ]));
        }
    }
    Claim::new("only a role that it names has a choice", never)
}

fn is_of_object(fact: &Fact<'_>, object: &LocatedObject) -> bool {
    let mut pairs = object.arguments.iter().zip(&object.symbol);
    pairs.all(|(position, &symbol)| fact.arguments[position.index()] == symbol)
}

/// The conditions under which the moves of a role are legal.
pub(super) fn legal(network: &Network, role: usize) -> Vec<Lit> {
    network.moves[role].iter().map(|choice| choice.legal).collect()
}

/// No two roles have a choice in a state that is not terminal.
pub(super) fn alternation(network: &Network) -> Claim {
    let roles = network.moves.len();
    let mut never = Vec::new();
    for first in 0..roles {
        for second in first + 1..roles {
            never.push(Contradiction(vec![
                Condition::Holds(0, !network.terminal),
                Condition::Two(0, legal(network, first)),
                Condition::Two(0, legal(network, second)),
            ]));
        }
    }
    Claim::new("at most one role has a choice", never)
}

/// All roles of a team have the same goal value in every terminal state.
pub(super) fn same_goals(network: &Network, team: &[usize]) -> Option<Claim> {
    let (&first, others) = team.split_first()?;
    let mut never = Vec::new();
    for &other in others {
        for (one, two) in [(first, other), (other, first)] {
            for &(value, condition) in &network.goals[one] {
                let same = network.goals[two].iter().filter(|(goal, _)| *goal == value);
                let mut conditions =
                    vec![Condition::Holds(0, network.terminal), Condition::Holds(0, condition)];
                conditions.push(Condition::None(0, same.map(|&(_, condition)| condition).collect()));
                never.push(Contradiction(conditions));
            }
        }
    }
    Some(Claim::new("the roles of a team have the same goal value at every end", never))
}

/// A role has exactly one goal value in every state, or in every terminal state.
pub(super) fn one_goal(network: &Network, role: usize, at_end: bool) -> Claim {
    let goals: Vec<Lit> = network.goals[role].iter().map(|&(_, condition)| condition).collect();
    let with = |conditions: Vec<Condition>| {
        let end = at_end.then_some(Condition::Holds(0, network.terminal));
        Contradiction(end.into_iter().chain(conditions).collect())
    };
    let mut never = vec![with(vec![Condition::None(0, goals.clone())])];
    if goals.len() > MAX_PAIRED_GOALS {
        never.push(with(vec![Condition::Two(0, goals)]));
    } else {
        for (index, &first) in goals.iter().enumerate() {
            let two = |&second: &Lit| with(vec![Condition::Holds(0, first), Condition::Holds(0, second)]);
            never.extend(goals[index + 1..].iter().map(two));
        }
    }
    Claim::new(
        if at_end { "exactly one goal value at every end" } else { "exactly one goal value in every state" },
        never,
    )
}

/// A role never has two goal values, whether a state is terminal or not.
pub(super) fn no_two_goals(network: &Network, role: usize) -> Claim {
    let goals = network.goals[role].iter().map(|&(_, condition)| condition).collect();
    Claim::new("no two goal values", vec![Contradiction(vec![Condition::Two(0, goals)])])
}

/// A role's goal value never falls.
pub(super) fn never_falls(network: &Network, role: usize) -> Claim {
    let goals = &network.goals[role];
    let mut never = Vec::new();
    for (index, &(_, high)) in goals.iter().enumerate() {
        let lower: Vec<Lit> = goals[..index].iter().map(|&(_, condition)| condition).collect();
        if !lower.is_empty() {
            never.push(Contradiction(vec![Condition::Holds(0, high), Condition::Some(1, lower)]));
        }
    }
    Claim::new("the goal value never falls", never)
}

/// The goal values of all players have this sum; none if there are too many combinations.
pub(super) fn constant_sum(network: &Network, players: &[usize], sum: i64) -> Option<Claim> {
    let of_players = || players.iter().map(|&role| &network.goals[role]);
    let combinations = of_players().try_fold(1_usize, |all, goals| all.checked_mul(goals.len()))?;
    if combinations > MAX_COMBINATIONS {
        return None;
    }
    let mut never: Vec<Contradiction> =
        players.iter().flat_map(|&role| one_goal(network, role, true).never).collect();
    for number in 0..combinations {
        let (mut rest, mut total) = (number, 0);
        let mut conditions = vec![Condition::Holds(0, network.terminal)];
        for goals in of_players() {
            let (value, condition) = goals[rest % goals.len()];
            rest /= goals.len();
            total += i64::from(value);
            conditions.push(Condition::Holds(0, condition));
        }
        if total != sum {
            never.push(Contradiction(conditions));
        }
    }
    Some(Claim::new("the sum of the goal values is the same at every end", never))
}

fn noops(
    machine: &dyn Machine,
    statics: &StaticFacts,
    network: &Network,
    structures: &Structures,
) -> Vec<Claim> {
    let mut never = Vec::new();
    for (&role, moves) in &structures.noops {
        for &action in moves {
            if noop::has_no_effect(machine, statics, machine.description(), role, action) {
                continue;
            }
            let is_it = |choice: &&crate::ground::network::RoleMove| choice.action == action.0;
            let own = network.moves[role].iter().filter(is_it).map(|choice| choice.legal);
            let others = network.moves[role].iter().filter(|choice| !is_it(choice));
            let others: Vec<Lit> = others.map(|choice| choice.legal).collect();
            for own in own {
                never.push(Contradiction(vec![
                    Condition::Holds(0, !network.terminal),
                    Condition::Holds(0, own),
                    Condition::Some(0, others.clone()),
                ]));
            }
        }
    }
    vec![Claim::new("never one of several moves", never)]
}
