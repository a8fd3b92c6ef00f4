//! The properties of a game, one by one.

use std::collections::BTreeSet;

use super::claim::{Claim, Condition, Contradiction};
use super::findings::{alternation, legal, never_falls, one_goal, same_goals, sum_is};
use super::induction::Invariants;
use super::plays::{Moves, Plays};
use super::prove::{Guarantee, Verdict};
use super::ranking::OneWay;
use super::statement::{ProofMethod, Property, PropertyName};
use super::weighted::growing;
use crate::catalog::{counted, plural};
use crate::ground::{Lit, Network};
use crate::machine::Machine;
use crate::simulate::Statistics;
use crate::structure::finding::{ProofStatus, Structures, Turns};

use ProofStatus::{Open, Proved, Refuted};

/// What is known of a game.
pub(super) struct Known<'k, 'n> {
    pub(super) machine: &'k dyn Machine,
    pub(super) network: Option<&'n Network>,
    pub(super) structures: &'k Structures,
    pub(super) simulation: &'k Statistics,
    pub(super) plays: &'k Plays,
    pub(super) invariants: Option<&'k Invariants<'n>>,
    pub(super) one_way: Option<&'k OneWay>,
}

/// Whether plays show all that random play saw before.
pub(super) fn wanted(
    plays: &Plays,
    machine: &dyn Machine,
    structures: &Structures,
    simulation: &Statistics,
) -> bool {
    let players: Vec<usize> = machine.description().players().collect();
    let won = |&role: &usize| {
        let goals = &simulation.roles[role].goals;
        plays.won[role].is_some() || !goals.iter().any(|goal| goal.value == 100 && goal.share.count > 0)
    };
    let sums: BTreeSet<i64> = plays.ends.keys().map(|goals| sum_over(goals, &players)).collect();
    players.iter().all(won)
        && (players.len() < 2 || structures.zero_sum || sums.len() > 1)
        && (structures.turns != Turns::Simultaneous || plays.at_once.is_some())
}

/// The sum of these roles' goal values.
fn sum_over(goals: &[i32], roles: &[usize]) -> i64 {
    roles.iter().map(|&role| i64::from(goals[role])).sum()
}

/// In a state that is not terminal a role has a legal move.
pub(super) fn playable(network: &Network, role: usize) -> Claim {
    // As one list of literals, so that it may be a lemma.
    let stuck = legal(network, role).into_iter().chain([network.terminal]).collect();
    Claim::new(
        "a legal move in every state that is not terminal",
        vec![Contradiction(vec![Condition::None(0, stuck)])],
    )
}

/// No end gives a goal value, by its condition.
pub(super) fn never_ends_with(network: &Network, goal: Lit) -> Claim {
    let never = vec![Condition::Holds(0, network.terminal), Condition::Holds(0, goal)];
    Claim::new("a goal value at no end", vec![Contradiction(never)])
}

/// All properties, in the order of [`PropertyName`].
pub(super) fn properties(
    known: &Known<'_, '_>,
    verdict: &dyn Fn(&Claim) -> Verdict,
    search: &dyn Fn() -> Option<Guarantee>,
) -> Vec<Property> {
    let roles = known.machine.description().roles.len();
    // Chance has to have moves, and no goals.
    let players: Vec<usize> = known.machine.description().players().collect();
    let mut all = Vec::new();
    let longest = termination(known);
    all.push(longest.clone());
    all.push(finite_length(longest));
    for role in 0..roles {
        let claim = known.network.map(|network| playable(network, role));
        let property = Property::open(PropertyName::Playability, Some(role));
        all.push(match &known.plays.stuck[role] {
            Some(moves) => refuted(property, moves, "it has no legal move after the play shown"),
            None => known.induced(property, claim, verdict),
        });
    }
    for &role in &players {
        all.push(monotonicity(known, role, verdict));
    }
    for &role in &players {
        let property = Property::open(PropertyName::UniqueGoal, Some(role));
        let claim = known.network.map(|network| one_goal(network, role, true));
        all.push(match &known.plays.odd_end[role] {
            Some(moves) => {
                refuted(property, moves, "no goal value, or several, at the end of the play shown")
            }
            None => known.induced(property, claim, verdict),
        });
    }
    for &role in &players {
        all.push(weak_winnability(known, role, verdict));
    }
    all.push(strong_winnability(known, &all, search));
    all.push(well_formedness(&all));
    if roles > 1 {
        all.extend(turns(known, verdict));
    }
    if players.len() > 1 {
        all.extend(ends(known, &players, verdict));
    }
    for property in all.iter_mut().filter(|property| property.status == Open) {
        property.states = known.plays.states.max(known.simulation.states);
    }
    all
}

fn refuted(property: Property, moves: &Moves, because: &str) -> Property {
    property.settled(Refuted, ProofMethod::Play, because).shown_by(Some(moves.clone()))
}

fn shown(property: Property, moves: &Moves, because: &str) -> Property {
    property.settled(Proved, ProofMethod::Play, because).shown_by(Some(moves.clone()))
}

impl Known<'_, '_> {
    /// A property that no play refuted, by a claim.
    fn induced(
        &self,
        property: Property,
        claim: Option<Claim>,
        verdict: &dyn Fn(&Claim) -> Verdict,
    ) -> Property {
        let Some(claim) = claim else { return self.open(property) };
        match verdict(&claim) {
            Verdict::Proved(k) => self.by_induction(property, k),
            Verdict::Open => self.open(property),
        }
    }

    fn by_induction(&self, property: Property, k: u32) -> Property {
        let lemmas = self.invariants.map_or(0, |invariants| invariants.proved.len());
        let (method, because) = match k {
            0 => (ProofMethod::Rules, "the instantiated rules leave nothing else".to_owned()),
            1 => (
                ProofMethod::Induction,
                format!(
                    "by induction over a step, with {lemmas} {}",
                    plural(lemmas as u64, "lemma", "lemmas")
                ),
            ),
            k => (
                ProofMethod::Induction,
                format!(
                    "by induction over {k} steps, with {lemmas} {}",
                    plural(lemmas as u64, "lemma", "lemmas")
                ),
            ),
        };
        let property = property.settled(Proved, method, because);
        if k == 0 { property } else { Property { k: Some(k), lemmas: Some(lemmas), ..property } }
    }

    fn open(&self, property: Property) -> Property {
        let because = match self.network {
            None => "the game has no network to prove it over, or one that is too large".to_owned(),
            Some(_) => format!("no play of {} refuted it", self.plays.plays.max(self.simulation.playouts)),
        };
        Property { because, ..property }
    }
}

fn termination(known: &Known<'_, '_>) -> Property {
    let property = Property::open(PropertyName::Termination, None);
    if let Some(moves) = &known.plays.circle {
        return refuted(property, moves, "the play shown comes to a state a second time, and so on for ever");
    }
    let Some(network) = known.network else { return known.open(property) };
    if let Some(last) = known.machine.longest_play() {
        let because = format!("the state counts the steps, and every play ends by step {last}");
        let property = property.settled(Proved, ProofMethod::Clock, because);
        return Property { longest: Some(last.into()), ..property };
    }
    let (Some(invariants), Some(one_way)) = (known.invariants, known.one_way) else {
        return known.open(property);
    };
    let lemmas = invariants.proved.len();
    let by_ranking = |longest: u64, k: u32, why: &str| {
        let because =
            format!("no play is longer than {longest} {}, as {why}", plural(longest, "step", "steps"));
        let property = property.clone().settled(Proved, ProofMethod::Ranking, because);
        Property { longest: Some(longest), k: Some(k), lemmas: Some(lemmas), ..property }
    };
    if let Some(longest) = one_way.longest_play(invariants, network) {
        return by_ranking(longest, 1, "each changes what changes in one direction alone");
    }
    if let Some(found) = growing(invariants, network, &known.plays.kept) {
        let when = match found.steps {
            1 => "in each".to_owned(),
            steps => format!("in every {steps}"),
        };
        let facts = counted(found.facts as u64, "fact", "facts");
        return by_ranking(
            found.longest,
            found.steps as u32,
            &format!("a weighted sum of {facts} grows {when}"),
        );
    }
    known.open(property)
}

/// A game of finitely many states ends in every play only if there is a longest one.
fn finite_length(termination: Property) -> Property {
    let name = PropertyName::FiniteLength;
    match (termination.status, termination.longest) {
        (Proved, Some(longest)) => Property {
            name,
            because: format!("no play is longer than {longest} {}", plural(longest, "step", "steps")),
            ..termination
        },
        (Proved, None) => Property { status: Open, name, ..termination },
        _ => Property { name, ..termination },
    }
}

fn monotonicity(known: &Known<'_, '_>, role: usize, verdict: &dyn Fn(&Claim) -> Verdict) -> Property {
    let property = Property::open(PropertyName::Monotonicity, Some(role));
    if let Some(moves) = &known.plays.odd_goal[role] {
        let because = match moves.len() {
            0 => "it has no goal value, or several, in the initial state",
            _ => "it has no goal value, or several, after the play shown",
        };
        return refuted(property, moves, because);
    }
    if let Some(moves) = &known.plays.fall[role] {
        return refuted(property, moves, "its goal value falls in the last step of the play shown");
    }
    let claim = known.network.map(|network| {
        let (one, falls) = (one_goal(network, role, false), never_falls(network, role));
        let never = one.never.into_iter().chain(falls.never);
        Claim::new(falls.says, never.collect())
    });
    known.induced(property, claim, verdict)
}

fn weak_winnability(known: &Known<'_, '_>, role: usize, verdict: &dyn Fn(&Claim) -> Verdict) -> Property {
    let property = Property::open(PropertyName::WeakWinnability, Some(role));
    if let Some(moves) = &known.plays.won[role] {
        return shown(property, moves, "the play shown ends with 100");
    }
    let Some(network) = known.network else { return known.open(property) };
    let goal: Option<Lit> =
        network.goals[role].iter().find(|(value, _)| *value == 100).map(|&(_, condition)| condition);
    let Some(goal) = goal else {
        return property.settled(Refuted, ProofMethod::Rules, "the instantiated rules never give 100");
    };
    match verdict(&never_ends_with(network, goal)) {
        Verdict::Proved(k) => {
            let property = known.by_induction(property, k);
            Property {
                status: Refuted,
                because: "no end that can be reached gives 100".to_owned(),
                ..property
            }
        }
        Verdict::Open => Property {
            because: format!(
                "no play of {} ended with 100",
                known.plays.plays.max(known.simulation.playouts)
            ),
            ..property
        },
    }
}

fn strong_winnability(
    known: &Known<'_, '_>,
    others: &[Property],
    search: &dyn Fn() -> Option<Guarantee>,
) -> Property {
    let property = Property::open(PropertyName::StrongWinnability, None);
    let weak: Vec<&Property> =
        others.iter().filter(|other| other.name == PropertyName::WeakWinnability).collect();
    let description = known.machine.description();
    if let [one] = weak[..]
        && description.roles.len() == 1
    {
        // Alone, who can win can force it.
        return match one.status {
            Open => Property { because: one.because.clone(), ..property },
            _ => Property { name: property.name, role: None, ..one.clone() },
        };
    }
    if weak.iter().all(|weak| weak.status == Refuted) {
        return property.settled(Refuted, ProofMethod::Others, "no role can get 100");
    }
    let Some(found) = search() else {
        return Property { because: "the game is too large to be searched".to_owned(), ..property };
    };
    if let Some(role) = description.players().find(|&role| found.values[role] == Some(100)) {
        let name = known.machine.term_text(description.roles[role]);
        let because = format!("{name} can force it, by search");
        return property.settled(Proved, ProofMethod::Search, because);
    }
    if description.players().all(|role| found.values[role].is_some()) {
        return property.settled(Refuted, ProofMethod::Search, "no role can force 100, by search");
    }
    Property { because: "the search did not come to an end".to_owned(), ..property }
}

fn well_formedness(others: &[Property]) -> Property {
    use PropertyName::{Monotonicity, Playability, Termination, WeakWinnability};
    let property = Property::open(PropertyName::WellFormedness, None);
    let of_it =
        |other: &&Property| matches!(other.name, Termination | Playability | Monotonicity | WeakWinnability);
    let parts: Vec<&Property> = others.iter().filter(of_it).collect();
    if let Some(part) = parts.iter().find(|part| part.status == Refuted) {
        let because = format!("it lacks {}", part.name.name());
        return property.settled(Refuted, ProofMethod::Others, because).shown_by(part.witness.clone());
    }
    if let Some(part) = parts.iter().find(|part| part.status == Open) {
        return Property { because: format!("{} is open", part.name.name()), ..property };
    }
    property.settled(Proved, ProofMethod::Others, "it has all four properties")
}

/// Who chooses when.
fn turns(known: &Known<'_, '_>, verdict: &dyn Fn(&Claim) -> Verdict) -> [Property; 3] {
    let [alternating, perfect, at_once] =
        [PropertyName::Alternation, PropertyName::PerfectAlternation, PropertyName::Simultaneity]
            .map(|name| Property::open(name, None));
    let plays = known.plays;
    if let Some(moves) = &plays.at_once {
        let because = "two roles have a choice after the play shown";
        return [
            refuted(alternating, moves, because),
            refuted(perfect, moves, because),
            shown(at_once, moves, because),
        ];
    }
    if known.structures.turns == Turns::Simultaneous {
        let because = "random play came to a state in which two roles have a choice";
        return [
            alternating.settled(Refuted, ProofMethod::Play, because),
            perfect.settled(Refuted, ProofMethod::Play, because),
            at_once.settled(Proved, ProofMethod::Play, because),
        ];
    }
    let alternating = known.induced(alternating, known.network.map(alternation), verdict);
    let at_once = match alternating.status {
        Proved => Property {
            status: Refuted,
            because: "the roles are proved to take turns".to_owned(),
            ..Property { name: PropertyName::Simultaneity, ..alternating.clone() }
        },
        _ => known.open(at_once),
    };
    let perfect = match &plays.out_of_turn {
        Some(moves) => refuted(perfect, moves, "the choice after the play shown is out of turn"),
        None => known.induced(perfect, known.network.and_then(|network| in_turn(network, plays)), verdict),
    };
    [alternating, perfect, at_once]
}

/// After a step in which a role had a choice only the next one in the order has.
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
    Some(Claim::new("roles choose one after the other", never))
}

/// What the goal values of all players have to do with each other.
fn ends(known: &Known<'_, '_>, players: &[usize], verdict: &dyn Fn(&Claim) -> Verdict) -> [Property; 2] {
    let [sum, same] =
        [PropertyName::ConstantSum, PropertyName::Cooperation].map(|name| Property::open(name, None));
    let ends = &known.plays.ends;
    let sum_of = |goals: &Vec<i32>| sum_over(goals, players);
    let Some((first, _)) = ends.iter().next() else { return [known.open(sum), known.open(same)] };
    let total = sum_of(first);
    let sum = match ends.iter().find(|(goals, _)| sum_of(goals) != total) {
        Some((goals, moves)) => {
            let because =
                format!("the sum is {} after the play shown, and {total} after others", sum_of(goals));
            refuted(sum, moves, &because)
        }
        None if !known.structures.zero_sum => {
            sum.settled(Refuted, ProofMethod::Play, "random play came to ends of different sums")
        }
        None => {
            let sum = known.induced(
                sum,
                known.network.and_then(|network| sum_is(network, players, total)),
                verdict,
            );
            Property { because: format!("the sum is {total}; {}", sum.because), ..sum }
        }
    };
    let differ = |goals: &Vec<i32>| players.iter().any(|&role| goals[role] != goals[players[0]]);
    let same = match ends.iter().find(|(goals, _)| differ(goals)) {
        Some((_, moves)) => refuted(same, moves, "roles have different goal values after the play shown"),
        None if ends.keys().map(|goals| goals[players[0]]).collect::<BTreeSet<_>>().len() < 2 => {
            Property { because: "all plays ended with the same goal values".to_owned(), ..same }
        }
        None => known.induced(same, known.network.and_then(|network| same_goals(network, players)), verdict),
    };
    [sum, same]
}
