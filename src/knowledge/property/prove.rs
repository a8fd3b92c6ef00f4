//! Runs all proofs of a game in order: candidates, induction, findings, properties.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::candidates::candidates;
use super::claim::{Claim, Contradiction, Verdict};
use super::cones::Cones;
use super::evidence::{PlayEvidence, replay};
use super::findings::{FindingId, claims, no_two_goals, one_goal};
use super::guarantee::Guarantee;
use super::induction::Invariants;
use super::lemma::Lemma;
use super::outcomes::{Outcome, Source};
use super::plays::Plays;
use super::proofs::{ProofSummary, Proofs};
use super::properties::{PropertyContext, never_ends_with, playable, properties};
use super::property_name::PropertyName;
use super::ranking::MonotoneMeasures;
use super::reason::{NotSearched, Reason};
use super::solver::Allowance;
use super::statement::Property;
use crate::ground::{Lit, Network, StaticFacts};
use crate::machine::{Machine, MachineError};
use crate::simulate::{Context, Statistics};
use crate::structure::evidence::Evidence;
use crate::structure::finding::{Method, Proof, ProofStatus, Structures, Turns};

/// The most steps that an induction looks back.
const MAX_INDUCTION_DEPTH: u32 = 3;

/// Work that plays may use, in the machine's units.
const PLAY_WORK: u64 = 20_000_000;

/// Work that the search for shorter plays may use, in the machine's units.
const SHORTENING_WORK: u64 = 10_000_000;

/// With this number of operands, a propagated literal takes twice as long as in a small network, which fits
/// in a cache.
const SLOWER: u64 = 1_000_000;

/// The most operands of a network, times frames of the longest induction, for which proofs are tried.
const MAX_OPERANDS: usize = 6_000_000;

/// For each round: whether unproved candidates are tried again after all rounds, and the share of the work
/// that is reserved during the round.
const ROUNDS: [(bool, f64); 5] = [(true, 0.85), (true, 0.5), (false, 0.4), (true, 0.35), (false, 0.3)];

/// Share of the remaining work that is reserved during the proof of monotone measures.
const RESERVED_AFTER_MONOTONE: f64 = 0.7;

/// Share of the remaining work that is reserved during the proof of findings.
const RESERVED_FOR_PROPERTIES: f64 = 0.3;

/// Limits of proofs.
#[derive(Clone, Debug)]
pub struct ProofBudget {
    /// Work of the solver: the number of literals that it propagates and adds (several million per second),
    /// plus 200 for each conflict.
    pub work: u64,
    /// Seed of the random plays.
    pub seed: u64,
    /// Joint moves after which a random play is truncated.
    pub max_steps: u32,
    /// Once true, proofs end with the results so far.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Proves properties of a game, and adds proofs to the evidence of findings. `search` computes the goal
/// values that roles can force.
///
/// # Errors
/// A state can't be evaluated.
pub fn prove(
    machine: &dyn Machine,
    statics: &StaticFacts,
    structures: &mut Structures,
    simulation: &Statistics,
    budget: &ProofBudget,
    search: &dyn Fn() -> Result<Guarantee, NotSearched>,
) -> Result<Proofs, MachineError> {
    Ok(prove_with_invariants(machine, statics, structures, simulation, budget, search)?.0)
}

/// Also returns the invariants that the proofs use; none without a network.
pub(super) fn prove_with_invariants<'m>(
    machine: &'m dyn Machine,
    statics: &StaticFacts,
    structures: &mut Structures,
    simulation: &Statistics,
    budget: &ProofBudget,
    search: &dyn Fn() -> Result<Guarantee, NotSearched>,
) -> Result<(Proofs, Option<Invariants<'m>>), MachineError> {
    let operands = machine.network().map_or(0, |network| network.operands.len() as u64);
    let work = (budget.work as u128 * SLOWER as u128 / (SLOWER + operands) as u128) as u64;
    let allowance = Allowance::new(work, budget.interrupt.as_ref());
    let players: Vec<usize> = machine.description().players().collect();
    // Random play stores no playout in which two roles have a choice at the same time.
    let enough = |plays: &Plays| structures.turns != Turns::Simultaneous || plays.simultaneous.is_some();
    let mut plays = Plays::gather(machine, budget.seed, budget.max_steps, PLAY_WORK, &allowance, &enough)?;
    plays.shorten(machine, SHORTENING_WORK, &allowance);
    let context = Context { interrupt: budget.interrupt.as_ref(), progress: None };
    replay(&mut plays, machine, simulation, &players, &context);
    let network = machine.network().filter(|network| {
        network.operands.len().saturating_mul(MAX_INDUCTION_DEPTH as usize + 1) <= MAX_OPERANDS
    });
    let mut prover = Prover { allowance: Rc::clone(&allowance), summary: ProofSummary::default() };
    let invariants = network.map(|network| {
        let claims = claims(machine, statics, network, structures, &plays);
        let mut extra = properties_of_states(network);
        extra.extend(unseen_goals(network, &plays, simulation).into_iter().map(|(_, _, claim)| claim));
        let invariants =
            prover.invariants(network, &plays, claims.iter().flat_map(|(_, claims)| claims).chain(&extra));
        let left = allowance.left() as f64;
        allowance.reserve((left * RESERVED_AFTER_MONOTONE) as u64);
        let monotone = MonotoneMeasures::of(&invariants, network, &plays.state_paths);
        allowance.reserve((left * RESERVED_FOR_PROPERTIES) as u64);
        for evidence in static_evidence(structures) {
            evidence.proof = Some(Proof { status: ProofStatus::Proved, k: 0, lemmas: 0, open: Vec::new() });
        }
        for (found, claims) in &claims {
            let proof = prove_finding(&invariants, &monotone, claims);
            record_proof(structures, *found, proof);
        }
        allowance.reserve(0);
        (invariants, monotone)
    });
    let (invariants, monotone) = invariants.unzip();
    let turns = structures.turns;
    let evidence = PlayEvidence { plays: &plays, simulation, reached: &[], players: &players, turns };
    let known = PropertyContext {
        machine,
        network,
        simulation,
        plays: &plays,
        evidence: &evidence,
        invariants: invariants.as_ref(),
        monotone: monotone.as_ref(),
    };
    let guarantee: RefCell<Option<Guarantee>> = RefCell::default();
    let search = || -> Result<Guarantee, NotSearched> {
        let found = search()?;
        *guarantee.borrow_mut() = Some(found.clone());
        Ok(found)
    };
    let mut properties = properties(
        &known,
        &|claim| match &invariants {
            Some(invariants) => verdict(invariants, claim),
            None => Verdict::Open,
        },
        &search,
    );
    let withheld = if evidence.has_end() { Vec::new() } else { withhold(&mut properties, simulation) };
    let mut reached = outcomes(&plays);
    reached.extend(guarantee.take().iter().flat_map(|found| guaranteed_outcomes(found, &players)));
    let unattainable = unattainable(invariants.as_ref(), network, &plays, simulation);
    prover.summary.lemmas = invariants.as_ref().map_or(0, |invariants| invariants.proved.len());
    prover.summary.work = allowance.spent();
    (prover.summary.games, prover.summary.states) = (plays.plays, plays.states);
    prover.summary.listed_states = plays.listing.map(|listing| listing.states);
    prover.summary.is_over = network.is_some() && allowance.is_over();
    prover.summary.without = match (machine.network(), network) {
        (None, _) => Some("the game has no network, which proofs need"),
        (Some(_), None) => Some("the game's network is too large for proofs"),
        _ => None,
    };
    let proofs = Proofs { properties, unattainable, reached, withheld, summary: prover.summary };
    Ok((proofs, invariants))
}

/// The outcomes of plays.
fn outcomes(plays: &Plays) -> Vec<Outcome> {
    let ends = plays.ends.iter().map(|(goals, moves)| Outcome {
        source: Source::ProofPlays,
        goals: goals.clone(),
        games: 1,
        moves: Some(moves.clone()),
    });
    // `Plays::ends` is limited; for further wins only the role is known.
    let wins = (0..plays.won.len()).filter(|&role| {
        plays.won[role].is_some() && !plays.ends.keys().any(|goals| goals[role] == Some(100))
    });
    let wins = wins.map(|role| Outcome {
        source: Source::ProofPlays,
        goals: single_goal(plays.won.len(), role, 100),
        games: 1,
        moves: None,
    });
    ends.chain(wins).collect()
}

/// A list of goal values in which only one is known.
fn single_goal(roles: usize, role: usize, value: i32) -> Vec<Option<i32>> {
    (0..roles).map(|other| (other == role).then_some(value)).collect()
}

/// The goal values that roles can force, as outcomes.
fn guaranteed_outcomes(guarantee: &Guarantee, players: &[usize]) -> Vec<Outcome> {
    let of_role = |&role: &usize| {
        let goals = single_goal(guarantee.values.len(), role, guarantee.values[role]?);
        Some(Outcome { source: Source::Guarantee, goals, games: 1, moves: None })
    };
    players.iter().filter_map(of_role).collect()
}

/// Makes properties of ends open if no game ended. Returns the proved properties.
fn withhold(properties: &mut [Property], simulation: &Statistics) -> Vec<Property> {
    let of_ends = |property: &&mut Property| {
        matches!(
            property.name,
            PropertyName::UniqueGoal | PropertyName::ConstantSum | PropertyName::Cooperation
        )
    };
    let withhold = |property: &mut Property| {
        let nothing = Property::open(property.name, property.role);
        let reason = Reason::NoGameEnded { games: simulation.playouts };
        std::mem::replace(property, nothing.left_open(reason))
    };
    properties.iter_mut().filter(of_ends).map(withhold).collect()
}

/// The most goal values of a role that are tested.
const MAX_UNSEEN_GOALS: usize = 32;

/// The goal values of the rules that no play reached, each with the claim that no end gives it.
fn unseen_goals(network: &Network, plays: &Plays, simulation: &Statistics) -> Vec<(usize, i32, Claim)> {
    let seen = |role: usize, value: i32| {
        let counted = &simulation.roles[role].goals;
        counted.iter().any(|goal| goal.value == value && goal.share.count > 0)
            || plays.ends.keys().any(|goals| goals[role] == Some(value))
    };
    let of_role = |(role, goals): (usize, &Vec<(i32, Lit)>)| -> Vec<(usize, i32, Claim)> {
        let open = goals.iter().filter(|&&(value, condition)| condition != Lit::FALSE && !seen(role, value));
        open.take(MAX_UNSEEN_GOALS)
            .map(|&(value, condition)| (role, value, never_ends_with(network, condition)))
            .collect()
    };
    network.goals.iter().enumerate().flat_map(of_role).collect()
}

/// For each role, the goal values that provably no end gives.
fn unattainable(
    invariants: Option<&Invariants<'_>>,
    network: Option<&Network>,
    plays: &Plays,
    simulation: &Statistics,
) -> Vec<Vec<i32>> {
    let mut unattainable = vec![Vec::new(); simulation.roles.len()];
    if let (Some(invariants), Some(network)) = (invariants, network) {
        for (role, value, claim) in unseen_goals(network, plays, simulation) {
            if verdict(invariants, &claim) != Verdict::Open {
                unattainable[role].push(value);
            }
        }
    }
    unattainable
}

/// Claims of properties that can be lemmas.
fn properties_of_states(network: &Network) -> Vec<Claim> {
    let of = |role| [one_goal(network, role, true), no_two_goals(network, role), playable(network, role)];
    (0..network.moves.len()).flat_map(of).collect()
}

/// Proves lemmas and counts.
struct Prover {
    allowance: Rc<Allowance>,
    summary: ProofSummary,
}

impl Prover {
    /// Proves candidates from plays and from claims.
    fn invariants<'n, 'c>(
        &mut self,
        network: &'n Network,
        plays: &Plays,
        claims: impl Iterator<Item = &'c Claim>,
    ) -> Invariants<'n> {
        let all = self.allowance.left();
        self.allowance.reserve(all / 2);
        let mut lemmas = candidates(network, &plays.state_paths, &self.allowance);
        let mut known: BTreeSet<Lemma> = lemmas.iter().cloned().collect();
        for lemma in claims.flat_map(|claim| &claim.never).filter_map(Contradiction::lemma) {
            if known.insert(lemma.clone()) {
                lemmas.push(lemma);
            }
        }
        self.summary.candidates = lemmas.len();
        let mut invariants = Invariants::new(network, &self.allowance);
        let cones = Cones::of(network);
        let mut rounds: [Vec<Lemma>; ROUNDS.len()] = Default::default();
        for lemma in lemmas {
            rounds[round(network, &cones, &lemma)].push(lemma);
        }
        self.allowance.reserve(0);
        let all = self.allowance.left() as f64;
        let mut left = Vec::new();
        for (lemmas, (again, held)) in rounds.into_iter().zip(ROUNDS) {
            self.allowance.reserve((all * held) as u64);
            let open = invariants.prove(lemmas, 1);
            if again {
                left.extend(open);
            }
        }
        for k in 1..=MAX_INDUCTION_DEPTH {
            left = invariants.prove(left, k);
        }
        self.allowance.reserve(0);
        invariants
    }
}

/// The round in which a lemma is tried first. Lemmas with few dependencies come first: small cones, groups
/// of facts, single facts, conditions of rules, pairs of facts.
fn round(network: &Network, cones: &Cones<'_>, lemma: &Lemma) -> usize {
    let bits = network.bits.len() as u32;
    let over_bits = lemma.literals().iter().all(|literal| literal.node() <= bits);
    match lemma {
        _ if lemma.literals().len() == 1 => 2,
        _ if !over_bits => 3,
        Lemma::Clause(literals) if literals.len() == 2 => 4,
        _ if cones.is_small(lemma) => 0,
        _ => 1,
    }
}

/// Proves the claims of a finding.
fn prove_finding(invariants: &Invariants<'_>, monotone: &MonotoneMeasures, claims: &[Claim]) -> Proof {
    let mut proof = Proof { status: ProofStatus::Proved, k: 0, lemmas: 0, open: Vec::new() };
    for claim in claims {
        match verdict(invariants, claim) {
            Verdict::Proved(k) if monotone.never_return(&claim.never_return) => {
                proof.k = proof.k.max(k).max(u32::from(!claim.never_return.is_empty()));
            }
            _ => {
                proof.status = ProofStatus::Open;
                if !proof.open.contains(&claim.text) {
                    proof.open.push(claim.text.clone());
                }
            }
        }
    }
    if proof.k > 0 {
        proof.lemmas = invariants.proved.len();
    }
    proof
}

/// Whether a claim is proved: by matching lemmas, otherwise by the solver.
pub(super) fn verdict(invariants: &Invariants<'_>, claim: &Claim) -> Verdict {
    let (mut deepest, mut open) = (0, Vec::new());
    for never in &claim.never {
        match never.lemma().and_then(|lemma| invariants.depth(&lemma)) {
            Some(k) => deepest = deepest.max(k),
            None => open.push(never.clone()),
        }
    }
    if open.is_empty() {
        return Verdict::Proved(deepest);
    }
    if !invariants.exclude(&open).into_iter().all(|excluded| excluded) {
        return Verdict::Open;
    }
    let all = invariants.proved.iter().map(|proved| proved.k).max();
    Verdict::Proved(deepest.max(all.unwrap_or(1)))
}

/// Adds a proof to the evidence of a finding.
fn record_proof(structures: &mut Structures, finding: FindingId, proof: Proof) {
    let evidence: &mut Evidence = match finding {
        FindingId::Fluent(index) => &mut structures.fluents[index].evidence,
        FindingId::Turns => &mut structures.turns_evidence,
        FindingId::Teams => &mut structures.teams_evidence,
        FindingId::ZeroSum => &mut structures.zero_sum_evidence,
        FindingId::Noops => &mut structures.noops_evidence,
    };
    if proof.status == ProofStatus::Proved && proof.k > 0 {
        evidence.counterexample_bound = 0.0;
        if !evidence.methods.contains(&Method::Proof) {
            evidence.methods.push(Method::Proof);
        }
    }
    evidence.proof = Some(proof);
}

/// The evidence of findings about static facts.
fn static_evidence(structures: &mut Structures) -> impl Iterator<Item = &mut Evidence> {
    let Structures { successors, orders, chains, partial_orders, .. } = structures;
    let successors = successors.iter_mut().map(|finding| &mut finding.evidence);
    let orders = orders.iter_mut().map(|finding| &mut finding.evidence);
    let chains = chains.iter_mut().map(|finding| &mut finding.evidence);
    successors
        .chain(orders)
        .chain(chains)
        .chain(partial_orders.iter_mut().map(|finding| &mut finding.evidence))
}
