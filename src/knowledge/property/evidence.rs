//! Proves or refutes properties by play: by a stored play that shows it, or by the counts of any stage of the run.

use std::collections::BTreeSet;

use super::outcomes::Outcome;
use super::plays::{Moves, Plays};
use super::property_name::{ProofMethod, PropertyName};
use super::reason::{Reason, Sighting};
use super::statement::Property;
use crate::machine::Machine;
use crate::simulate::{Budget, Context, Fault, FaultKind, LaneBlock, Statistics, moves_of_playout};
use crate::structure::finding::{ProofStatus, Turns};

use ProofStatus::{Proved, Refuted};

/// The maximum number of playouts that are replayed.
const MAX_REPLAYS: usize = 32;

/// All results of play in a run.
pub(super) struct PlayEvidence<'e> {
    /// Stored plays and their observations.
    pub(super) plays: &'e Plays,
    /// Counts of random play.
    pub(super) simulation: &'e Statistics,
    /// Outcomes of other stages.
    pub(super) reached: &'e [Outcome],
    /// All roles except `random`.
    pub(super) players: &'e [usize],
    /// The turns in the states of random play.
    pub(super) turns: Turns,
}

/// The name of a fault in documents.
fn fault_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::NoLegalMove => "no-legal-move",
        FaultKind::NoGoal => "no-goal",
        FaultKind::SeveralGoals => "several-goals",
        FaultKind::GoalFell => "goal-fell",
        FaultKind::Failed => "failed",
    }
}

/// A fault of a role in random play.
fn fault(simulation: &Statistics, kind: FaultKind, role: usize) -> Option<&Fault> {
    let name = simulation.roles.get(role)?.role.as_str();
    simulation.faults.iter().find(|fault| fault.kind == kind && fault.role.as_deref() == Some(name))
}

fn by_play(status: ProofStatus, property: &Property, moves: &Moves, reason: Reason) -> Option<Property> {
    Some(property.clone().settled(status, ProofMethod::Play, reason).shown_by(Some(moves.clone())))
}

impl PlayEvidence<'_> {
    /// The property with its status and the reason, if the evidence proves or refutes it.
    pub(super) fn settle(&self, property: &Property) -> Option<Property> {
        let plays = self.plays;
        let refuted = |moves: &Option<Moves>, reason| by_play(Refuted, property, moves.as_ref()?, reason);
        match (property.name, property.role) {
            (PropertyName::Termination, _) => refuted(&plays.repetition, Reason::StateReturns),
            (PropertyName::Playability, Some(role)) => refuted(&plays.stuck[role], Reason::NoLegalMove)
                .or_else(|| self.counted(property, &[FaultKind::NoLegalMove], role)),
            (PropertyName::Monotonicity, Some(role)) => {
                refuted(&plays.no_single_goal[role], Reason::NoSingleGoal)
                    .or_else(|| refuted(&plays.goal_fall[role], Reason::GoalFalls))
                    .or_else(|| self.counted(property, &[FaultKind::GoalFell], role))
            }
            (PropertyName::UniqueGoal, Some(role)) => {
                refuted(&plays.no_single_goal_at_end[role], Reason::NoSingleGoalAtEnd)
                    .or_else(|| self.counted(property, &[FaultKind::NoGoal, FaultKind::SeveralGoals], role))
            }
            (PropertyName::WeakWinnability, Some(role)) => self.wins(property, role),
            (PropertyName::Alternation, _) => refuted(&plays.simultaneous, Reason::TwoChoose)
                .or_else(|| self.simultaneous(property, Refuted)),
            (PropertyName::PerfectAlternation, _) => refuted(&plays.simultaneous, Reason::TwoChoose)
                .or_else(|| self.simultaneous(property, Refuted))
                .or_else(|| refuted(&plays.out_of_turn, Reason::OutOfTurn)),
            (PropertyName::Simultaneity, _) => {
                let shown = plays.simultaneous.as_ref();
                shown
                    .and_then(|moves| by_play(Proved, property, moves, Reason::TwoChoose))
                    .or_else(|| self.simultaneous(property, Proved))
            }
            (PropertyName::ConstantSum, _) => {
                self.no_single_goal_at_end(property).or_else(|| self.sums(property))
            }
            (PropertyName::Cooperation, _) => {
                let differ = |goals: &Vec<i32>| goals.iter().any(|goal| *goal != goals[0]);
                self.no_single_goal_at_end(property)
                    .or_else(|| self.refuted_at_end(property, differ, |_| Reason::GoalsDiffer))
            }
            _ => None,
        }
    }

    /// Refutes a property by faults that random play counted.
    fn counted(&self, property: &Property, kinds: &[FaultKind], role: usize) -> Option<Property> {
        let fault = kinds.iter().find_map(|&kind| fault(self.simulation, kind, role))?;
        let what = Sighting::Fault(fault_name(fault.kind));
        let reason = Reason::Counted { what, games: fault.playouts };
        Some(property.clone().settled(Refuted, ProofMethod::Play, reason))
    }

    fn simultaneous(&self, property: &Property, status: ProofStatus) -> Option<Property> {
        (self.turns == Turns::Simultaneous)
            .then(|| property.clone().settled(status, ProofMethod::Play, Reason::TwoChooseInPlay))
    }

    fn wins(&self, property: &Property, role: usize) -> Option<Property> {
        if let Some(moves) = &self.plays.won[role] {
            return by_play(Proved, property, moves, Reason::ReachesGoal(100));
        }
        let mut goals = self.simulation.roles[role].goals.iter();
        if let Some(goal) = goals.find(|goal| goal.value == 100 && goal.share.count > 0) {
            let reason = Reason::Counted { what: Sighting::Goal(100), games: goal.share.count };
            return Some(property.clone().settled(Proved, ProofMethod::Play, reason));
        }
        let by = self.reached.iter().filter(|outcome| outcome.goals[role] == Some(100)).map(|of| of.source);
        let by = by.min()?;
        let of_it = self.reached.iter().filter(|of| of.source == by && of.goals[role] == Some(100));
        let reason = Reason::ReachedBy { goal: 100, by, games: of_it.map(|outcome| outcome.games).sum() };
        Some(property.clone().settled(Proved, by.method(), reason))
    }

    /// The goal values of all players, if each has one.
    pub(super) fn of_players(&self, goals: &[Option<i32>]) -> Option<Vec<i32>> {
        self.players.iter().map(|&role| goals[role]).collect()
    }

    /// The goal values of all outcomes in which each player has one goal value. Outcomes with a stored play come first.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = (Vec<i32>, Option<&Moves>)> {
        let plays = self.plays.ends.iter().map(|(goals, moves)| (goals, Some(moves)));
        let counted = self.simulation.outcomes.iter().map(|outcome| (&outcome.goals, None));
        let reached = self.reached.iter().map(|outcome| (&outcome.goals, None));
        let all = plays.chain(counted).chain(reached);
        all.filter_map(|(goals, moves)| Some((self.of_players(goals)?, moves)))
    }

    /// Whether any game of the run ended.
    pub(super) fn has_end(&self) -> bool {
        self.simulation.terminal.count > 0 || !self.plays.ends.is_empty() || !self.reached.is_empty()
    }

    /// The sum of the players' goal values in the outcome of random play with the lowest playout number; without such
    /// an outcome, in any other one.
    pub(super) fn sum(&self) -> Option<i64> {
        let counted = self.simulation.outcomes.iter();
        let counted = counted.filter_map(|outcome| Some((outcome.first, self.of_players(&outcome.goals)?)));
        let first = counted.min_by_key(|(first, _)| *first).map(|(_, goals)| goals);
        first.or_else(|| self.outcomes().next().map(|(goals, _)| goals)).map(|goals| total(&goals))
    }

    /// Refutes a property by a terminal state in which a player has no goal value, or several.
    fn no_single_goal_at_end(&self, property: &Property) -> Option<Property> {
        let lacks_single_goal = |goals: &Vec<Option<i32>>| self.of_players(goals).is_none();
        if let Some((_, moves)) = self.plays.ends.iter().find(|(goals, _)| lacks_single_goal(goals)) {
            return by_play(Refuted, property, moves, Reason::NoSingleGoalAtEnd);
        }
        let is_seen = self.simulation.outcomes.iter().any(|outcome| lacks_single_goal(&outcome.goals));
        is_seen.then(|| property.clone().settled(Refuted, ProofMethod::Play, Reason::NoSingleGoalAtEnd))
    }

    fn sums(&self, property: &Property) -> Option<Property> {
        let other = self.sum()?;
        self.refuted_at_end(
            property,
            |goals| total(goals) != other,
            |goals| Reason::SumsDiffer { sum: total(goals), other },
        )
    }

    fn refuted_at_end(
        &self,
        property: &Property,
        refutes: impl Fn(&Vec<i32>) -> bool,
        reason: impl Fn(&[i32]) -> Reason,
    ) -> Option<Property> {
        let (goals, moves) = self.outcomes().find(|(goals, _)| refutes(goals))?;
        let refuted = property.clone().settled(Refuted, ProofMethod::Play, reason(&goals));
        Some(refuted.shown_by(moves.cloned()))
    }

    /// Whether the players' goal values were the same in all terminal states, so that they are not evidence.
    pub(super) fn has_one_outcome(&self) -> bool {
        self.outcomes().map(|(goals, _)| goals).collect::<BTreeSet<_>>().len() < 2
    }
}

fn total(goals: &[i32]) -> i64 {
    goals.iter().map(|&goal| i64::from(goal)).sum()
}

/// Replays playouts of random play to obtain witnesses: one for each role and fault, and one for each role that gets
/// 100. Two more show a sum of goal values that differs, and players with different goal values.
pub(super) fn replay(
    plays: &mut Plays,
    machine: &dyn Machine,
    simulation: &Statistics,
    players: &[usize],
    context: &Context<'_>,
) {
    let budget = Budget { seed: simulation.seed, max_steps: simulation.max_steps, ..Budget::default() };
    // One playout may give several witnesses.
    let mut played: BTreeSet<u64> = BTreeSet::new();
    while played.len() < MAX_REPLAYS {
        let next = without_witness(plays, simulation, players).find(|one| !played.contains(&one.0));
        let Some((playout, block)) = next else { return };
        played.insert(playout);
        // A playout that can't be replayed leaves no witness.
        if let Ok(moves) = moves_of_playout(machine, playout, block, &budget, context) {
            plays.follow(machine, &moves);
        }
    }
}

/// Playouts with an observation that has no witness yet.
fn without_witness<'s>(
    plays: &'s Plays,
    simulation: &'s Statistics,
    players: &'s [usize],
) -> impl Iterator<Item = (u64, Option<LaneBlock>)> + 's {
    let faults = (0..plays.won.len()).flat_map(move |role| {
        let of = |known: bool, kind| fault(simulation, kind, role).filter(|_| !known);
        let falls = plays.goal_fall[role].is_some() || plays.no_single_goal[role].is_some();
        let kinds = [
            of(plays.stuck[role].is_some(), FaultKind::NoLegalMove),
            of(plays.no_single_goal_at_end[role].is_some(), FaultKind::NoGoal),
            of(plays.no_single_goal_at_end[role].is_some(), FaultKind::SeveralGoals),
            of(falls, FaultKind::GoalFell),
        ];
        kinds.into_iter().flatten().filter_map(|fault| Some((*fault.first.first()?, fault.block)))
    });
    let evidence = PlayEvidence { plays, simulation, reached: &[], players, turns: Turns::SinglePlayer };
    let of_players = move |goals: &[Option<i32>]| -> Option<Vec<i32>> {
        players.iter().map(|&role| goals[role]).collect()
    };
    let sum = evidence.sum();
    let known: Vec<Vec<i32>> = plays.ends.keys().filter_map(|goals| of_players(goals)).collect();
    let other_sum = known.iter().any(|goals| Some(total(goals)) != sum);
    let differ = |goals: &[i32]| goals.iter().any(|goal| *goal != goals[0]);
    let differs = known.iter().any(|goals| differ(goals));
    let outcomes = simulation.outcomes.iter().filter(move |outcome| {
        let wins = players.iter().any(|&role| outcome.goals[role] == Some(100) && plays.won[role].is_none());
        let goals = of_players(&outcome.goals);
        wins || goals
            .is_some_and(|goals| (!other_sum && Some(total(&goals)) != sum) || (!differs && differ(&goals)))
    });
    faults.chain(outcomes.map(|outcome| (outcome.first, outcome.block)))
}
