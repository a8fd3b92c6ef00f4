//! How a role wins, in words, from the rules of `goal` and `terminal`.
//!
//! # How
//! The goal of a role is a gate of the network. `cubes.rs` lists the alternatives under which it is true, and
//! `recognise.rs` finds what they have in common: lines, rows, a meeting on one cell. `explain.rs` splits gates that have
//! too many alternatives into parts. `hypotheses.rs` proposes conditions that don't follow from alternatives: a role that
//! can't move, comparisons of counts and quantities, chains of cells. Each condition is evaluated on the facts of states
//! (`condition.rs`) and compared with the goal values that the machine computes (`states.rs`). `words.rs` writes the
//! sentences.
//!
//! # What is compared
//! A condition is compared with *terminal, and the role has its best goal value* in all states. If it agrees, it says when
//! the game is won. Otherwise it is compared with the goal value alone: in all states, or else in terminal states only; the
//! condition then says what decides at the end.
//!
//! # Guarantee
//! A sentence is exact if it agrees in all compared states, and at least [`ENOUGH`](states::ENOUGH) of them
//! have the goal value and as many don't, or if the alternatives of the goal rule are listed completely. If no condition
//! agrees, a simplified rule is given instead. If the best goal value is rare and the goal value grows with a number, that number is
//! named.

mod condition;
mod connected_edges;
mod connection;
mod cubes;
mod explain;
mod facts;
mod form;
mod gates;
mod hypotheses;
mod measure;
mod measure_conditions;
mod recognise;
mod simplified_rule;
mod state_set;
mod states;
mod words;

use std::cmp::Reverse;
use std::mem::{Discriminant, discriminant};

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::condition::{Condition, Shape};
use self::cubes::CubeMaker;
use self::explain::{Evidence, Explainer, Explanation};
use self::facts::FactTable;
use self::gates::GateValues;
use self::hypotheses::hypotheses;
use self::measure::Measure;
use self::state_set::StateSet;
use self::states::{ENOUGH, Sampler, StateTable};
use self::words::Words;
use crate::analysis::Game;
use crate::gdl::Span;
use crate::gdl::term::TermId;
use crate::ground::Lit;
use crate::machine::{FluentId, State};
use crate::simulate::WorkLimit;
use crate::structure::finding::{FluentKind, Structures};

pub use connected_edges::ConnectedEdges;
pub use form::WinningForm;

/// The seed of random play.
const SEED: u64 = 0x7769_6e6e;

/// Games with more fluents are not examined by alternatives of their goals.
const MAX_FLUENTS: usize = 30_000;

/// The most characters of a condition.
const MAX_TEXT: usize = 150;

/// How a role gets its best goal value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WinningCondition {
    /// The role, counted from 0.
    pub role: usize,
    /// The best goal value of the role.
    pub goal: i32,
    /// Alternatives: each of them wins. For points, the text names the number that raises the goal value.
    pub sentences: Vec<WinningSentence>,
    /// When the condition decides.
    pub when: WinningTime,
    /// Whether the sentences hold exactly where the role has the goal value; otherwise they are a simplified rule, or say what
    /// the goal value grows with.
    pub exact: bool,
    /// The states on which the sentences were checked.
    pub check: ConditionCheck,
    /// The rules for this goal value.
    #[serde(skip)]
    #[schemars(skip)]
    pub rules: Vec<Span>,
}

/// One condition in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WinningSentence {
    /// The condition, as a noun phrase or a clause.
    pub text: String,
    /// Its form.
    pub form: WinningForm,
    /// The edges of a board that it requires to be connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<ConnectedEdges>,
}

/// When a condition decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WinningTime {
    /// The game ends and is won when the condition becomes true.
    AtOnce,
    /// The condition decides when the game has ended for any reason.
    AtEnd,
}

/// The states on which a condition was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionCheck {
    /// Different states with the goal value.
    pub with: usize,
    /// Different states without it.
    pub without: usize,
    /// The number of these states that were constructed from the rules and may be unreachable.
    pub constructed: usize,
    /// Whether the condition also follows from the instantiated rules.
    pub derived: bool,
}

/// Finds how each player gets its best goal value. `states` are states from good play, if there are any.
pub fn winning_conditions(
    game: &Game<'_>,
    structures: &Structures,
    states: &[State],
    limit: &WorkLimit<'_>,
) -> Vec<WinningCondition> {
    winning_conditions_from(SEED, game, structures, states, limit)
}

/// [`winning_conditions`] with another seed of random play.
pub fn winning_conditions_from(
    seed: u64,
    game: &Game<'_>,
    structures: &Structures,
    states: &[State],
    limit: &WorkLimit<'_>,
) -> Vec<WinningCondition> {
    let description = game.machine.description();
    let roles = description.roles.clone();
    let players: Vec<usize> = description.players().collect();
    let network = game.machine.network().filter(|network| network.fluents.len() <= MAX_FLUENTS);
    let goal_of = |role: usize| {
        let goals = game.machine.network()?.goals[role].iter();
        goals.filter(|(_, condition)| *condition != Lit::FALSE).max_by_key(|(value, _)| *value).copied()
    };
    let best = (0..roles.len())
        .map(|role| match game.machine.network() {
            Some(_) => goal_of(role).map(|(value, _)| value),
            None => simplified_rule::best_value(description, role),
        })
        .collect();
    let mut sampler = Sampler::new(game.machine, best, seed);
    sampler.play(limit);
    sampler.add(states, limit);
    let fluents: Vec<FluentId> = match network {
        Some(network) => (0..network.fluents.len() as u32).map(FluentId).collect(),
        None => sampler.fluents().into_iter().take(MAX_FLUENTS).collect(),
    };
    let mut facts = FactTable::new(game, structures, fluents.into_iter());
    sampler.check_groups(&mut facts, limit);
    let mut maker = network.map(|network| CubeMaker::new(network, &facts));
    if let Some(maker) = &mut maker {
        for &role in &players {
            let Some((_, condition)) = goal_of(role) else { continue };
            if let Some(cubes) = maker.partial_cubes(condition) {
                sampler.construct(role, &cubes, &maker.leaves, &facts, limit);
            }
        }
    }
    sampler.thin(&facts, limit);
    let table = sampler.table(&facts);
    let mut evidence = Evidence {
        table: &table,
        mobility: table.mobility(game, structures, &facts, limit),
        measures: measure::measures(&table, &facts, &roles),
        connections: Vec::new(),
    };
    let outputs: Vec<Lit> = players.iter().filter_map(|&role| goal_of(role)).map(|(_, goal)| goal).collect();
    let end = network.map(|network| network.terminal);
    let outputs: Vec<Lit> = outputs.into_iter().chain(end).collect();
    let values = network.and_then(|network| GateValues::new(network, &outputs, &table));
    let mut results = Results { game, facts: &facts, roles: &roles, players: players.len(), limit };
    match (network, maker, values) {
        (Some(network), Some(maker), Some(values)) => {
            let explainer =
                Explainer { network, facts: &facts, maker, values, evidence, roles: &roles, gates: 0 };
            let goals: Vec<(usize, i32, Lit)> =
                players.iter().filter_map(|&role| goal_of(role).map(|(goal, at)| (role, goal, at))).collect();
            results.by_network(explainer, &goals)
        }
        (_, maker, _) => {
            let leaves = maker.map_or_else(|| cubes::Leaves::new(facts.list.len()), |maker| maker.leaves);
            evidence.connections = connection::connections(game, &facts, &table, limit);
            let goals: Vec<(usize, i32)> =
                players.iter().filter_map(|&role| Some((role, sampler.best(role)?))).collect();
            results.by_states(&goals, &evidence, &leaves)
        }
    }
}

/// Makes the results.
struct Results<'a, 's> {
    game: &'a Game<'a>,
    facts: &'a FactTable<'s>,
    roles: &'a [TermId],
    players: usize,
    limit: &'a WorkLimit<'a>,
}

/// A condition with what it agrees with.
struct Verified {
    explanation: Explanation,
    when: WinningTime,
    check: ConditionCheck,
}

impl<'a, 's> Results<'a, 's> {
    fn by_network<'m>(
        &mut self,
        mut explainer: Explainer<'a, 's, 'm>,
        goals: &[(usize, i32, Lit)],
    ) -> Vec<WinningCondition> {
        let mut found: Vec<Option<Verified>> =
            goals.iter().map(|&(role, _, goal)| self.verified(&mut explainer, role, goal)).collect();
        let unclear = |found: &Option<Verified>| {
            found.as_ref().is_none_or(|found| found.explanation.cost >= recognise::COMBINATIONS)
        };
        if found.iter().any(unclear) {
            let table = explainer.evidence.table;
            explainer.evidence.connections =
                connection::connections(self.game, self.facts, table, self.limit);
            for (found, &(role, _, goal)) in found.iter_mut().zip(goals) {
                if unclear(found) {
                    *found = self.verified(&mut explainer, role, goal).or(found.take());
                }
            }
        }
        let values: Vec<(usize, i32)> = goals.iter().map(|&(role, goal, _)| (role, goal)).collect();
        self.drop_contradictions(&values, &mut found);
        let leaves = &explainer.maker.leaves;
        let conditions = goals.iter().zip(found);
        let Evidence { table, measures, .. } = &explainer.evidence;
        let points = |role: usize| measure::points(table, measures, role);
        conditions
            .map(|(&(role, goal, _), found)| self.condition(role, goal, found, points(role), leaves))
            .collect()
    }

    /// Drops the conditions of roles that win by the same rules, but whose conditions have different forms or are not all known. The states that were
    /// compared then lack rare ones, unless all conditions follow from the rules.
    fn drop_contradictions(&self, goals: &[(usize, i32)], found: &mut [Option<Verified>]) {
        let rules: Vec<Vec<Span>> = (goals.iter())
            .map(|&(role, goal)| simplified_rule::rules(self.game.machine, role, goal).0)
            .collect();
        // Alternatives are in the order of how many games they decide.
        let forms = |verified: &Verified| -> FxHashSet<Discriminant<WinningForm>> {
            match &verified.explanation.condition {
                Condition::Any(parts) => parts.iter().map(|part| discriminant(&part.form())).collect(),
                one => FxHashSet::from_iter([discriminant(&one.form())]),
            }
        };
        for first in 0..goals.len() {
            let same: Vec<usize> = (first..goals.len()).filter(|&of| rules[of] == rules[first]).collect();
            let known: Vec<&Verified> = same.iter().filter_map(|&of| found[of].as_ref()).collect();
            let agree =
                known.len() == same.len() && known.windows(2).all(|pair| forms(pair[0]) == forms(pair[1]));
            if !agree && known.iter().any(|of| !of.check.derived) {
                same.into_iter().for_each(|of| found[of] = None);
            }
        }
    }

    /// The best condition for a role.
    fn verified(&self, explainer: &mut Explainer<'_, 's, '_>, role: usize, goal: Lit) -> Option<Verified> {
        let table = explainer.evidence.table;
        let everywhere = StateSet::full(table.len());
        let won = table.best[role].intersection(&table.terminal);
        let mut candidates: Vec<Explanation> = explainer.explain(goal).into_iter().collect();
        if candidates.iter().any(|of| self.says_only_turn(&of.condition, explainer)) {
            let end = explainer.explain(explainer.network.terminal);
            let turn = candidates[0].clone();
            candidates.extend(end.map(|end| Explanation {
                cost: end.cost + turn.cost,
                derived: end.derived && turn.derived,
                condition: recognise::all(vec![end.condition, turn.condition]),
            }));
        }
        let checker = explainer.checker();
        for (condition, cost) in hypotheses(&checker, &won, &everywhere, self.roles) {
            if !is_consequence(&condition, role) {
                candidates.push(Explanation { condition, cost, derived: false });
            }
        }
        let verified = candidates.into_iter().filter_map(|of| self.check(of, role, &checker));
        let mut best = verified.min_by_key(|of| (of.when == WinningTime::AtEnd, of.explanation.cost))?;
        // Alternatives that decide most games come first; some may never occur in play.
        if let Condition::Any(parts) = &mut best.explanation.condition {
            let seen = table.best[role].intersection(&table.reached);
            parts.sort_by_cached_key(|part| Reverse(checker.states(part).intersection(&seen).count()));
        }
        Some(best)
    }

    /// Whether a condition says nothing but whose turn it is.
    fn says_only_turn(&self, condition: &Condition, explainer: &Explainer<'_, 's, '_>) -> bool {
        let Condition::Pattern { cubes, shape: Shape::Fact | Shape::SomeCell | Shape::Row { .. } } =
            condition
        else {
            return false;
        };
        cubes.iter().flatten().all(|literal| {
            let fact = explainer.maker.leaves.facts(literal.leaf)[0];
            self.facts.families[self.facts.list[fact].family].kind() == FluentKind::Control
        })
    }

    /// Compares a condition with the goal of a role.
    fn check(
        &self,
        explanation: Explanation,
        role: usize,
        checker: &condition::Checker<'_, '_, '_>,
    ) -> Option<Verified> {
        let table: &StateTable<'_> = checker.table;
        let everywhere = StateSet::full(table.len());
        let best = &table.best[role];
        let won = best.intersection(&table.terminal);
        let states = checker.states(&explanation.condition);
        let comparisons = [
            (&won, &everywhere, WinningTime::AtOnce),
            (best, &everywhere, WinningTime::AtEnd),
            (best, &table.terminal, WinningTime::AtEnd),
        ];
        for (target, within, when) in comparisons {
            let mut among = hypotheses::domain(checker, target, within);
            if explanation.condition.is_about_moves() {
                among = among.intersection(&checker.mobility.known);
            }
            let with = target.intersection(&among).count();
            let without = among.count() - with;
            let constructed = among.intersection(&table.reached.complement()).count();
            let enough =
                with >= ENOUGH && without >= ENOUGH || explanation.derived && with > 0 && without > 0;
            // Many conditions coincide at the end by chance.
            let only_ends = within != &everywhere;
            if enough && (explanation.derived || !only_ends) && states.agrees(target, &among) {
                let check = ConditionCheck { with, without, constructed, derived: explanation.derived };
                return Some(Verified { explanation, when, check });
            }
        }
        None
    }

    /// The conditions for goal values of roles, without a network.
    fn by_states(
        &self,
        goals: &[(usize, i32)],
        evidence: &Evidence<'_, '_>,
        leaves: &cubes::Leaves,
    ) -> Vec<WinningCondition> {
        let Evidence { table, mobility, measures, connections } = evidence;
        let checker =
            condition::Checker { table, facts: self.facts, leaves, mobility, measures, connections };
        let everywhere = StateSet::full(table.len());
        let first = |role: usize| {
            let won = table.best[role].intersection(&table.terminal);
            let goals =
                [(&won, &everywhere), (&table.best[role], &everywhere), (&table.best[role], &table.terminal)];
            goals.into_iter().find_map(|(target, within)| {
                let conditions = hypotheses(&checker, target, within, self.roles).into_iter();
                let explanations = conditions
                    .filter(|(condition, _)| !is_consequence(condition, role))
                    .map(|(condition, cost)| Explanation { condition, cost, derived: false });
                explanations.into_iter().find_map(|of| self.check(of, role, &checker))
            })
        };
        let mut found: Vec<Option<Verified>> = goals.iter().map(|&(role, _)| first(role)).collect();
        self.drop_contradictions(goals, &mut found);
        let points = |role: usize| measure::points(table, measures, role);
        let conditions = goals.iter().zip(found);
        conditions
            .map(|(&(role, goal), found)| self.condition(role, goal, found, points(role), leaves))
            .collect()
    }

    fn condition(
        &self,
        role: usize,
        goal: i32,
        found: Option<Verified>,
        points: Option<&Measure>,
        leaves: &cubes::Leaves,
    ) -> WinningCondition {
        let machine = self.game.machine;
        let (rules, rule) = simplified_rule::rules(machine, role, goal);
        let words = |brief| Words {
            machine,
            facts: self.facts,
            leaves,
            roles: self.roles,
            players: self.players,
            role,
            brief,
        };
        let write = |brief| {
            let words = words(brief);
            let sentence = |condition: &Condition| WinningSentence {
                text: words.sentence(condition),
                form: condition.form(),
                edges: words.edges(condition),
            };
            let sentences: Vec<WinningSentence> = match &found.as_ref()?.explanation.condition {
                Condition::Any(parts) => parts.iter().map(sentence).collect(),
                one => vec![sentence(one)],
            };
            let length: usize = sentences.iter().map(|sentence| sentence.text.chars().count()).sum();
            (length <= MAX_TEXT).then_some(sentences)
        };
        let inexact = |text: String, form: WinningForm| WinningCondition {
            role,
            goal,
            sentences: vec![WinningSentence { text, form, edges: None }],
            when: WinningTime::AtEnd,
            exact: false,
            check: ConditionCheck::default(),
            rules: rules.clone(),
        };
        // How points grow says more than the condition for the most points, which play may never see.
        if let Some(measure) = points {
            return inexact(words(false).points(measure), WinningForm::Points);
        }
        let sentences = write(false).or_else(|| write(true));
        match (found, sentences) {
            (Some(Verified { when, check, .. }), Some(sentences)) => {
                WinningCondition { role, goal, sentences, when, exact: true, check, rules }
            }
            _ => inexact(rule, WinningForm::Rule),
        }
    }
}

/// Whether a condition follows from winning: the winner often can't move any more because it has reached its aim, and keeps
/// the turn if it moved last.
fn is_consequence(condition: &Condition, role: usize) -> bool {
    let stuck = Condition::Stuck { role };
    match condition {
        Condition::All(parts) => parts.contains(&stuck),
        one => *one == stuck,
    }
}
