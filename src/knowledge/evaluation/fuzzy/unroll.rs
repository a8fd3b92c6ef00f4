//! Unrolls the conditions of a role (the terminal condition and that of every goal value) to nodes of one graph over
//! fluents.
//!
//! # How
//! The rules that goals and the end need are instantiated over the fluents that can hold (see `rewrite` and
//! `instances`). Every atom that the roots reach becomes a node: a disjunction of its instances, which are
//! conjunctions, without static literals. Literals and comparisons that can be measured become leaves (see `leaf`).
//! - *Common conditions.* A condition that all cases of a disjunction share becomes a conjunct next to it (see
//!   `graph`).
//! - *Recursion.* Atoms that depend on themselves, such as the stones of a chain from edge to edge, become a loop. Its
//!   nodes have the value of their best derivation. A recursive relation whose atoms have no cycle is unrolled like any
//!   other.
//! - *Budgets.* A relation that exceeds its budget is kept lifted: its atoms are leaves that the rules derive in every
//!   state. While the formula exceeds its budget, the relation with the most mentions is lifted. Each is listed as a
//!   [`Lifted`].
//!
//! # Guarantee
//! A node holds in a reachable state if and only if its atom does.
//!
//! # Example
//! `(goal white 100)` of Racetrack Corridor is the one leaf `(cell wlane e ? white)`.
//!
//! # Source
//! Schiffel and Thielscher 2007; least values by best derivations: Knuth 1977.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::datalog::{Exceeded, Table};
use crate::gdl::Description;
use crate::gdl::rule::{Literal, RelationId, RelationKind, Rule};
use crate::gdl::term::TermId;
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::build::build;
use super::candidates::candidates;
use super::condition_atoms::ConditionAtoms;
use super::draft::GraphDraft;
use super::formula::{Formula, Goal};
use super::graph::NEVER;
use super::instances::{Instances, RelationStatus, instantiate};
use super::leaf::Leaves;
use super::limits::UnrollLimits;
use super::mention::Mention;
use super::parameters::FuzzyParameters;
use super::pieces::pieces;
use super::rewrite::{Ordered, Rules};
use super::unroll_context::{RegressionLimits, UnrollContext};

/// Limit of the labels; those nearest to the roots are kept.
const MOST_LABELS: usize = 1000;

/// Limit of a formula's mentions of nodes if leaves look back several steps. A formula that exceeds it looks back fewer
/// steps, because larger formulas take longer to evaluate.
const MAX_MENTIONS_LOOKING_BACK: usize = 30_000;

/// The factor by which a formula may exceed the limit of mentions if its leaves look back at most one step. If its
/// leaves did not look back, some functions would be constant.
const ONE_STEP_FACTOR: usize = 2;

/// Attempts to instantiate the rules without the relations that were too large before.
const MOST_REDUCTIONS: usize = 3;

/// Limit of the steps that leaves look back.
const MOST_STEPS: u64 = 8;

/// A relation whose atoms are leaves that the rules derive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lifted {
    /// `name/arity`.
    pub relation: String,
    /// The reason why it is not unrolled.
    pub reason: String,
}

/// The conditions of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The graph.
    pub formula: Formula,
    /// The terminal condition.
    pub terminal: Mention,
    /// Goal values, ascending, with their conditions.
    pub goals: Vec<Goal>,
    /// Those of the opponents in a zero-sum game.
    pub against: Vec<Goal>,
    /// The relations that are kept lifted.
    pub lifted: Vec<Lifted>,
}

/// The role that represents the opponents of one: the first of the other team, if the game is zero-sum and has two
/// teams.
fn opponent(structures: &Structures, role: usize) -> Option<usize> {
    let [a, b] = &structures.teams[..] else { return None };
    let others = if a.contains(&role) { b } else { a };
    structures.zero_sum.then(|| others.first().copied()).flatten()
}

/// Unrolls the conditions of a role (counted from 0). `counts` selects the goal values.
///
/// # Errors
/// It is interrupted.
pub fn unroll(
    machine: &dyn Machine,
    structures: &Structures,
    role: usize,
    counts: &dyn Fn(i32) -> bool,
    parameters: &FuzzyParameters,
    limits: &UnrollLimits,
) -> Result<Conditions, Exceeded> {
    FuzzyMaker::new(machine, structures, limits.clone()).unroll(role, counts, parameters)
}

/// The relations to lift if this one is too large: itself, and for `legal`, which may have thousands of atoms, also the
/// relations whose rules use it.
fn relations_to_lift(description: &Description, relation: RelationId) -> Vec<RelationId> {
    if description.relations[relation.index()].kind != RelationKind::Legal {
        return vec![relation];
    }
    let uses =
        |rule: &&Rule| rule.body.iter().filter_map(Literal::atom).any(|atom| atom.relation == relation);
    let users = description.rules.iter().filter(uses).map(|rule| rule.head.relation);
    std::iter::once(relation).chain(users).collect()
}

/// The instances from which the conditions of all roles are unrolled.
struct RuleInstances {
    /// Their parameters; `regression` is 0 or 1.
    parameters: FuzzyParameters,
    rules: Rules,
    instances: Instances,
    leaves: Leaves,
    /// The reasons why relations are not unrolled.
    reasons: BTreeMap<RelationId, String>,
}

impl RuleInstances {
    fn new(
        machine: &dyn Machine,
        structures: &Structures,
        parameters: FuzzyParameters,
        limits: &UnrollLimits,
    ) -> Result<RuleInstances, Exceeded> {
        let description = machine.description();
        let mut start = candidates(machine, limits);
        let looking_back = parameters.regression > 0;
        let leaves =
            Leaves::new(machine, structures, &mut start.terms, &start.tables, &parameters, &limits.interrupt);
        let ordered = Ordered { orders: &leaves.orders, quantities: &leaves.quantities };
        let instances_of = |too_large: &FxHashSet<RelationId>| {
            let rules = Rules::new(description, &machine.rules().program, &ordered, looking_back, too_large);
            let (mut tables, mut unknown) = (start.tables.clone(), start.unknown.clone());
            for relation in &rules.relations[tables.len()..] {
                tables.push(Table::new(relation.arity));
                unknown.push(false);
            }
            let instances = instantiate(&rules, start.terms.clone(), tables, &unknown, limits);
            match limits.interrupt.is_set() {
                true => Err(Exceeded::Interrupted),
                false => Ok((rules, instances)),
            }
        };
        let mut too_large = FxHashSet::default();
        let (mut rules, mut instances) = instances_of(&too_large)?;
        // The remaining relations may exceed the limits again.
        for _ in 0..if looking_back { MOST_REDUCTIONS } else { 0 } {
            let before = too_large.len();
            let owners = instances.too_large.iter().map(|relation| rules.owners[relation.index()]);
            too_large
                .extend(owners.filter(|of| description.relations[of.index()].kind == RelationKind::View));
            if too_large.len() == before {
                break;
            }
            drop((rules, instances));
            (rules, instances) = instances_of(&too_large)?;
        }
        let mut reasons: BTreeMap<RelationId, String> = BTreeMap::new();
        let instantiated =
            |&(relation, _): &(RelationId, _)| rules.is_derived(relation) || rules.varies(relation);
        for (relation, _) in description.relation_ids().filter(instantiated) {
            if instances.states[relation.index()] != RelationStatus::Unrolled {
                let most = match instances.out_of_memory {
                    true => format!("{} MiB", limits.bytes >> 20),
                    false => format!("{} instances", limits.instances),
                };
                let reason = format!("its rules, or those of a part of them, pass {most}");
                for relation in relations_to_lift(description, relation) {
                    reasons.insert(relation, reason.clone());
                }
            }
        }
        Ok(RuleInstances { parameters, rules, instances, leaves, reasons })
    }
}

/// Unrolls the conditions of the roles of a game, whose rules are instantiated once for all of them.
pub struct FuzzyMaker<'m> {
    pub(super) machine: &'m dyn Machine,
    structures: &'m Structures,
    pub(super) limits: UnrollLimits,
    /// For each role the goal values that no terminal state gives.
    without: Vec<Vec<i32>>,
    /// Instances without and with the rules that looking back needs; both are kept if they fit into memory.
    cache: Vec<RuleInstances>,
}

impl<'m> FuzzyMaker<'m> {
    /// A maker for a game.
    pub fn new(machine: &'m dyn Machine, structures: &'m Structures, limits: UnrollLimits) -> FuzzyMaker<'m> {
        FuzzyMaker { machine, structures, limits, without: Vec::new(), cache: Vec::new() }
    }

    /// A maker that omits, for each role, the goal values that no terminal state gives.
    #[must_use]
    pub fn without(self, values: Vec<Vec<i32>>) -> FuzzyMaker<'m> {
        FuzzyMaker { without: values, ..self }
    }

    fn instantiated(&mut self, parameters: &FuzzyParameters) -> Result<&mut RuleInstances, Exceeded> {
        let wanted = FuzzyParameters { regression: u64::from(parameters.regression > 0), ..*parameters };
        if let Some(index) = self.cache.iter().position(|made| made.parameters == wanted) {
            return Ok(&mut self.cache[index]);
        }
        let made = RuleInstances::new(self.machine, self.structures, wanted, &self.limits)?;
        let bytes = made.instances.bytes();
        self.cache.retain(|kept| kept.instances.bytes() + bytes <= self.limits.bytes);
        self.cache.truncate(1);
        self.cache.push(made);
        let last = self.cache.len() - 1;
        Ok(&mut self.cache[last])
    }

    /// Unrolls the conditions of a role (counted from 0). `counts` selects the goal values.
    ///
    /// # Errors
    /// It is interrupted.
    pub fn unroll(
        &mut self,
        role: usize,
        counts: &dyn Fn(i32) -> bool,
        parameters: &FuzzyParameters,
    ) -> Result<Conditions, Exceeded> {
        let (machine, structures) = (self.machine, self.structures);
        let limits = self.limits.clone();
        let without = self.without.clone();
        let counts = |role: usize, value: i32| {
            counts(value) && !without.get(role).is_some_and(|values| values.contains(&value))
        };
        let RuleInstances { rules, instances, leaves, reasons, .. } = self.instantiated(parameters)?;
        let (description, mut reasons) = (machine.description(), reasons.clone());
        let most = |steps: u64| match steps {
            0 | 1 => ONE_STEP_FACTOR * limits.mentions,
            _ => limits.mentions.min(MAX_MENTIONS_LOOKING_BACK),
        };
        let team = structures.team_of(role).unwrap_or_default();
        let is_own = |&other: &usize| other == role || team.contains(&other);
        let team: Vec<TermId> =
            (0..description.roles.len()).filter(is_own).map(|role| description.roles[role]).collect();
        let opponent = parameters.opponents.then(|| opponent(structures, role)).flatten();
        let atoms = ConditionAtoms::new(description, instances, role, opponent, &counts);
        let mut context = UnrollContext {
            description,
            statics: &machine.rules().statics,
            rules,
            instances,
            leaves,
            interrupt: &limits.interrupt,
            // Relations that are too large without looking back are lifted first.
            regression: RegressionLimits {
                steps: 0,
                mentions: most(parameters.regression),
                lifted: BTreeSet::new(),
            },
            pieces: &pieces(machine, structures),
            team: &team,
        };
        let mut steps = parameters.regression.min(MOST_STEPS) as u32;
        loop {
            let lifted: BTreeSet<RelationId> = reasons.keys().copied().collect();
            context.regression.lifted.clone_from(&lifted);
            let draft = build(&context, &atoms, &lifted)?;
            let mentions: Vec<Mention> = atoms.all().map(|atom| draft.mentions[&atom]).collect();
            let size = draft.graph.size(&mentions);
            let back = context.regression.steps;
            let too_large = back == 0 && size > limits.mentions;
            if back > 1 && draft.memo.cut {
                // Fewer steps for all leaves distinguish more states than more steps for some of them. Only a draft
                // that looks back one step may be incomplete.
                context.regression.steps -= 1;
                context.regression.mentions = most(u64::from(context.regression.steps));
                continue;
            }
            match draft.heaviest.filter(|_| too_large) {
                Some((relation, mentions)) => {
                    let reason = format!(
                        "the formula has {size} mentions of nodes, most of them in its rules ({mentions}); the budget is {}",
                        limits.mentions
                    );
                    for relation in relations_to_lift(description, relation) {
                        reasons.insert(relation, reason.clone());
                    }
                }
                None if steps > 0 => context.regression.steps = std::mem::take(&mut steps),
                None => return Ok(conditions(&context, draft, &atoms, reasons)),
            }
        }
    }
}

/// The conditions of a finished draft.
fn conditions(
    context: &UnrollContext<'_>,
    draft: GraphDraft,
    atoms: &ConditionAtoms,
    reasons: BTreeMap<RelationId, String>,
) -> Conditions {
    let mut terminal = atoms.terminal.map_or(NEVER, |atom| draft.mentions[&atom]);
    let of = |goals: &[(i32, u32)]| -> Vec<Goal> {
        let goal = |&(value, atom): &(i32, u32)| Goal { value, condition: draft.mentions[&atom] };
        goals.iter().map(goal).collect()
    };
    let (mut goals, mut against) = (of(&atoms.goals), of(&atoms.against));
    let mut labels: BTreeMap<u32, String> = BTreeMap::new();
    for &(node, atom) in draft.labels.iter().rev() {
        if labels.len() < MOST_LABELS {
            labels.entry(node).or_insert_with(|| context.text(atom));
        }
    }
    let mut ends: Vec<&mut Mention> = vec![&mut terminal];
    ends.extend(goals.iter_mut().chain(&mut against).map(|goal| &mut goal.condition));
    let formula = draft.graph.finish(&mut ends, labels);
    let lifted = reasons
        .into_iter()
        .filter(|(relation, _)| draft.lifted.contains(relation))
        .map(|(relation, reason)| Lifted { relation: context.description.signature(relation), reason })
        .collect();
    Conditions { formula, terminal, goals, against, lifted }
}
