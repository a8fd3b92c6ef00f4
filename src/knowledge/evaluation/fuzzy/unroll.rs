//! Unrolling the goal and terminal conditions of a role to formulas over fluents.
//!
//! # What it does
//! Gives, for the end and for every goal value of a role, a node of one shared graph.
//!
//! # How
//! The rules that goals and the end need are instantiated over the fluents that can hold (see `rewrite` and
//! `instances`). Every atom that the roots reach becomes a node once: a disjunction of its instances, which are
//! conjunctions; static literals are gone. Literals and comparisons that can be measured become leaves (see `leaf`).
//! - *Common conditions.* What all cases of a disjunction need stands once beside it: to have the move, and some way to
//!   move. It is the same condition, its value tells more, and less of the graph changes with the move.
//! - *Recursion.* Atoms that depend on themselves through others (the stones of a chain that joins two edges) become
//!   a loop: a disjunction there is worth as much as its best member (the maximum, which is the disjunction of the
//!   minimum norm), and the loop has its least values. That is the value of the best derivation, so a chain that
//!   lacks two stones is worth more than one that lacks three, and none props itself up. A recursive relation whose
//!   atoms have no cycle (a count down a column) is unrolled as any other.
//! - *Too large.* A relation that passes its budget is kept lifted: its atoms are leaves whose truth the rules derive
//!   in every state. While the formula is larger than its budget, the relation with the most mentions is lifted.
//!   Each is listed as a [`Lifted`] with the reason.
//!
//! # Guarantee
//! A node holds in a state exactly where its atom does: sound and complete for the states that can be reached.
//!
//! # Cost
//! That of grounding the rules of goals and the end; counted, never timed.
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
use crate::gdl::term::{Term, TermId};
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::candidates::candidates;
use super::formula::{Formula, Goal};
use super::graph::NEVER;
use super::instances::{Instances, State, instantiate};
use super::leaf::Leaves;
use super::limits::UnrollLimits;
use super::mention::Mention;
use super::parameters::FuzzyParameters;
use super::pieces::pieces;
use super::rewrite::{Ordered, Rules};
use super::unroller::{GraphDraft, Regression, Roots, Unroller};

/// Labels kept, those nearest the roots first.
const MOST_LABELS: usize = 1000;

/// Mentions of nodes beyond which leaves look back only one step, because every value costs time.
const REGRESSED: usize = 30_000;

/// The factor by which a formula that looks back one step may exceed the limit of mentions: without it the function is flat.
const LARGER: usize = 2;

/// Attempts to instantiate the rules without the relations that were too large before.
const MOST_REDUCTIONS: usize = 3;

/// Steps that leaves look back at most.
const MOST_STEPS: u64 = 8;

/// A relation whose atoms are leaves that the rules decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lifted {
    /// `name/arity`.
    pub relation: String,
    /// Why it is not unrolled.
    pub reason: String,
}

/// The conditions of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The graph.
    pub formula: Formula,
    /// The end.
    pub terminal: Mention,
    /// Goal values, ascending, with their conditions.
    pub goals: Vec<Goal>,
    /// Those of the opponents, where what they get the role does not.
    pub against: Vec<Goal>,
    /// What is kept lifted.
    pub lifted: Vec<Lifted>,
}

/// The role that stands for the opponents of one: the first of the other team, where there are two and what one gets
/// the other does not.
fn opponent(structures: &Structures, role: usize) -> Option<usize> {
    let [a, b] = &structures.teams[..] else { return None };
    let others = if a.contains(&role) { b } else { a };
    structures.zero_sum.then(|| others.first().copied()).flatten()
}

/// Unrolls the conditions of a role (counted from 0). `wanted` picks the goal values.
///
/// # Errors
/// It is interrupted.
pub fn unroll(
    machine: &dyn Machine,
    structures: &Structures,
    role: usize,
    wanted: &dyn Fn(i32) -> bool,
    parameters: &FuzzyParameters,
    limits: &UnrollLimits,
) -> Result<Conditions, Exceeded> {
    FuzzyMaker::new(machine, structures, limits.clone()).unroll(role, wanted, parameters)
}

/// The relations to lift instead of this one. For `legal`, which may have thousands of atoms, also those whose rules use it.
fn asking(description: &Description, relation: RelationId) -> Vec<RelationId> {
    if description.relations[relation.index()].kind != RelationKind::Legal {
        return vec![relation];
    }
    let asks =
        |rule: &&Rule| rule.body.iter().filter_map(Literal::atom).any(|atom| atom.relation == relation);
    let asking = description.rules.iter().filter(asks).map(|rule| rule.head.relation);
    std::iter::once(relation).chain(asking).collect()
}

/// What the conditions of all roles are unrolled from.
struct Instantiated {
    /// The parameters that it was made for, but for how far facts look back.
    parameters: FuzzyParameters,
    rules: Rules,
    instances: Instances,
    leaves: Leaves,
    /// Why relations are not unrolled.
    reasons: BTreeMap<RelationId, String>,
}

impl Instantiated {
    fn new(
        machine: &dyn Machine,
        structures: &Structures,
        parameters: FuzzyParameters,
        limits: &UnrollLimits,
    ) -> Result<Instantiated, Exceeded> {
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
            if instances.states[relation.index()] != State::Unrolled {
                let most = match instances.out_of_memory {
                    true => format!("{} MiB", limits.bytes >> 20),
                    false => format!("{} instances", limits.instances),
                };
                let reason = format!("its rules, or those of a part of them, pass {most}");
                for relation in asking(description, relation) {
                    reasons.insert(relation, reason.clone());
                }
            }
        }
        Ok(Instantiated { parameters, rules, instances, leaves, reasons })
    }
}

/// Unrolls the conditions of the roles of a game, whose rules are instantiated once for all of them.
pub struct FuzzyMaker<'m> {
    pub(super) machine: &'m dyn Machine,
    structures: &'m Structures,
    pub(super) limits: UnrollLimits,
    /// For each role goal values that do not count, as no end gives them.
    without: Vec<Vec<i32>>,
    /// What was instantiated, without rules of moves and with them, as far as both fit into memory.
    made: Vec<Instantiated>,
}

impl<'m> FuzzyMaker<'m> {
    /// Nothing yet.
    pub fn new(machine: &'m dyn Machine, structures: &'m Structures, limits: UnrollLimits) -> FuzzyMaker<'m> {
        FuzzyMaker { machine, structures, limits, without: Vec::new(), made: Vec::new() }
    }

    /// The same without goal values that no end gives, for each role.
    #[must_use]
    pub fn without(self, values: Vec<Vec<i32>>) -> FuzzyMaker<'m> {
        FuzzyMaker { without: values, ..self }
    }

    fn instantiated(&mut self, parameters: &FuzzyParameters) -> Result<&mut Instantiated, Exceeded> {
        let wanted = FuzzyParameters { regression: u64::from(parameters.regression > 0), ..*parameters };
        if let Some(place) = self.made.iter().position(|made| made.parameters == wanted) {
            return Ok(&mut self.made[place]);
        }
        let made = Instantiated::new(self.machine, self.structures, wanted, &self.limits)?;
        let bytes = made.instances.bytes();
        self.made.retain(|kept| kept.instances.bytes() + bytes <= self.limits.bytes);
        // One that is kept beside it is all that is ever asked for.
        self.made.truncate(1);
        self.made.push(made);
        let last = self.made.len() - 1;
        Ok(&mut self.made[last])
    }

    /// Unrolls the conditions of a role (counted from 0). `wanted` picks the goal values.
    ///
    /// # Errors
    /// It is interrupted.
    pub fn unroll(
        &mut self,
        role: usize,
        wanted: &dyn Fn(i32) -> bool,
        parameters: &FuzzyParameters,
    ) -> Result<Conditions, Exceeded> {
        let (machine, structures) = (self.machine, self.structures);
        let limits = self.limits.clone();
        let without = self.without.clone();
        let wanted = |role: usize, value: i32| {
            wanted(value) && !without.get(role).is_some_and(|values| values.contains(&value))
        };
        let Instantiated { rules, instances, leaves, reasons, .. } = self.instantiated(parameters)?;
        let (description, mut reasons) = (machine.description(), reasons.clone());
        let interrupt = &limits.interrupt;
        let statics = &machine.rules().statics;
        let most = |steps: u64| match steps {
            0 | 1 => LARGER * limits.mentions,
            _ => limits.mentions.min(REGRESSED),
        };
        let regression = Regression {
            steps: parameters.regression.min(MOST_STEPS) as u32,
            mentions: most(parameters.regression),
            lifted: reasons.keys().copied().collect(),
        };
        let pieces = pieces(machine, structures);
        let pieces = &pieces;
        let team = structures.team_of(role).unwrap_or_default();
        let is_own = |&other: &usize| other == role || team.contains(&other);
        let own: Vec<TermId> =
            (0..description.roles.len()).filter(is_own).map(|role| description.roles[role]).collect();
        let own = &own;
        let mut unroller =
            Unroller { description, statics, rules, instances, leaves, interrupt, regression, pieces, own };
        let opponent = parameters.opponents.then(|| opponent(structures, role)).flatten();
        let roots = unroller.roots(role, opponent, &wanted);
        // Relations that are too large without looking back are lifted first.
        let mut steps = std::mem::take(&mut unroller.regression.steps);
        loop {
            let lifted: BTreeSet<RelationId> = reasons.keys().copied().collect();
            unroller.regression.lifted.clone_from(&lifted);
            let made = unroller.build(&roots, &lifted)?;
            let size = made.graph.size(&roots.mentions(&made));
            let back = unroller.regression.steps;
            let too_large = back == 0 && size > limits.mentions;
            if back > 1 && made.regressed.cut {
                // Fewer steps for all leaves distinguish more states than more steps for some; a last step may be cut.
                unroller.regression.steps -= 1;
                unroller.regression.mentions = most(u64::from(unroller.regression.steps));
                continue;
            }
            match made.heaviest.filter(|_| too_large) {
                Some((relation, mentions)) => {
                    let reason = format!(
                        "the formula has {size} mentions of nodes, most of them in its rules ({mentions}); the budget is {}",
                        limits.mentions
                    );
                    for relation in asking(description, relation) {
                        reasons.insert(relation, reason.clone());
                    }
                }
                None if steps > 0 => unroller.regression.steps = std::mem::take(&mut steps),
                None => return Ok(unroller.conditions(made, &roots, reasons)),
            }
        }
    }
}

impl Roots {
    /// Their nodes.
    fn mentions(&self, made: &GraphDraft) -> Vec<Mention> {
        self.atoms().map(|atom| made.mentions[&atom]).collect()
    }
}

impl Unroller<'_> {
    fn roots(&mut self, role: usize, opponent: Option<usize>, wanted: &dyn Fn(usize, i32) -> bool) -> Roots {
        let mut roots = Roots { terminal: None, goals: Vec::new(), against: Vec::new() };
        let description = self.description;
        let constant =
            |term: TermId| description.symbols.name(description.terms.functor(term)).parse::<i32>().ok();
        for (relation, of) in description.relation_ids() {
            let opaque = self.instances.states[relation.index()] == State::Opaque;
            match of.kind {
                RelationKind::Terminal if opaque => {
                    roots.terminal = Some(self.instances.mention(relation, &[]))
                }
                RelationKind::Terminal => roots.terminal = self.instances.atom(relation, &[]),
                RelationKind::Goal => {
                    let mut rows: Vec<Vec<TermId>> =
                        self.instances.database.table(relation).iter().map(<[TermId]>::to_vec).collect();
                    if opaque {
                        let heads = description.rules_of[relation.index()].iter();
                        let values = heads.filter_map(|&rule| {
                            match description.rules[rule as usize].head.arguments[1] {
                                Term::Ground(value) => Some(value),
                                _ => None,
                            }
                        });
                        let values: Vec<TermId> = values.collect();
                        for role in std::iter::once(role).chain(opponent) {
                            rows.extend(values.iter().map(|&value| vec![description.roles[role], value]));
                        }
                    }
                    for row in &rows {
                        let own = row[0] == description.roles[role];
                        let of = if own { Some(role) } else { opponent };
                        let Some(of) = of.filter(|&of| row[0] == description.roles[of]) else { continue };
                        let value =
                            if row[1].index() < description.terms.len() { constant(row[1]) } else { None };
                        if let Some(value) = value.filter(|&value| wanted(of, value)) {
                            let atom = self.instances.mention(relation, row);
                            if own { &mut roots.goals } else { &mut roots.against }.push((value, atom));
                        }
                    }
                }
                _ => {}
            }
        }
        for goals in [&mut roots.goals, &mut roots.against] {
            goals.sort_unstable();
            goals.dedup();
        }
        roots
    }

    fn conditions(
        &self,
        made: GraphDraft,
        roots: &Roots,
        reasons: BTreeMap<RelationId, String>,
    ) -> Conditions {
        let mut terminal = roots.terminal.map_or(NEVER, |atom| made.mentions[&atom]);
        let of = |goals: &[(i32, u32)]| -> Vec<Goal> {
            let goal = |&(value, atom): &(i32, u32)| Goal { value, condition: made.mentions[&atom] };
            goals.iter().map(goal).collect()
        };
        let (mut goals, mut against) = (of(&roots.goals), of(&roots.against));
        let mut labels: BTreeMap<u32, String> = BTreeMap::new();
        for &(node, atom) in made.labels.iter().rev() {
            if labels.len() < MOST_LABELS {
                labels.entry(node).or_insert_with(|| self.text(atom));
            }
        }
        let mut ends: Vec<&mut Mention> = vec![&mut terminal];
        ends.extend(goals.iter_mut().chain(&mut against).map(|goal| &mut goal.condition));
        let formula = made.graph.finish(&mut ends, labels);
        let lifted = reasons
            .into_iter()
            .filter(|(relation, _)| made.lifted.contains(relation))
            .map(|(relation, reason)| Lifted { relation: self.description.signature(relation), reason })
            .collect();
        Conditions { formula, terminal, goals, against, lifted }
    }
}
