//! Unrolling the goal and terminal conditions of a role to formulas over fluents.
//!
//! # What it does
//! Gives, for the end and for every goal value of a role, a node of one shared graph.
//!
//! # How
//! The rules that goals and the end need are instantiated over the fluents that can hold (see `rewrite` and
//! `instances`). Every atom that the roots reach becomes a node once: a disjunction of its instances, which are
//! conjunctions; static literals are gone. Literals and comparisons that can be measured become leaves (see `leaf`).
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

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gdl::Description;
use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::term::{Term, TermId};
use crate::ground::{Exceeded, StaticFacts};
use crate::machine::Machine;
use crate::structure::finding::Structures;

use super::candidates::candidates;
use super::formula::{Compare, Comparison, Formula, Mention, Node};
use super::graph::{ALWAYS, Graph, NEVER, negate};
use super::instances::{Instances, State, instantiate};
use super::leaf::Leaves;
use super::limits::UnrollLimits;
use super::parameters::FuzzyParameters;
use super::rewrite::{Compared, Ordered, Part, Rules, Side};

/// Labels kept, those nearest the roots first.
const MOST_LABELS: usize = 1000;

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
    pub goals: Vec<(i32, Mention)>,
    /// What is kept lifted.
    pub lifted: Vec<Lifted>,
}

/// Unrolls the conditions of a role (counted from 0). `wanted` picks the goal values.
///
/// # Errors
/// The static rules pass the budget of grounding.
pub fn unroll(
    machine: &dyn Machine,
    structures: &Structures,
    role: usize,
    wanted: &dyn Fn(i32) -> bool,
    parameters: &FuzzyParameters,
    limits: &UnrollLimits,
) -> Result<Conditions, Exceeded> {
    let description = machine.description();
    let mut start = candidates(machine, limits)?;
    let leaves = Leaves::new(machine, structures, &mut start.terms, &start.tables, parameters);
    let ordered = Ordered { orders: &leaves.orders, quantities: &leaves.quantities };
    let rules = Rules::new(description, &start.program, &ordered);
    let mut tables = start.tables;
    let mut unknown = start.unknown;
    for relation in &rules.program.relations[tables.len()..] {
        tables.push(crate::ground::table::Table::new(relation.arity));
        unknown.push(false);
    }
    let instances = instantiate(&rules, start.terms, tables, &unknown, limits);
    let mut reasons: BTreeMap<RelationId, String> = BTreeMap::new();
    for (relation, _) in description.relation_ids().filter(|&(relation, _)| rules.varies(relation)) {
        if instances.states[relation.index()] != State::Unrolled {
            let reason =
                format!("its rules, or those of a part of them, pass {} instances", limits.instances);
            reasons.insert(relation, reason);
        }
    }
    let mut unroller = Unroller { description, statics: &start.statics, rules: &rules, instances, leaves };
    let roots = unroller.roots(role, wanted);
    loop {
        let lifted: BTreeSet<RelationId> = reasons.keys().copied().collect();
        let made = unroller.build(&roots, &lifted);
        match made.heaviest.filter(|_| made.graph.mentions > limits.mentions) {
            Some((relation, mentions)) => {
                let reason = format!(
                    "the formula has {} mentions of nodes, {mentions} of them in its rules; the budget is {}",
                    made.graph.mentions, limits.mentions
                );
                reasons.insert(relation, reason);
            }
            None => return Ok(unroller.conditions(made, &roots, reasons)),
        }
    }
}

/// The atoms that are unrolled.
struct Roots {
    terminal: Option<u32>,
    goals: Vec<(i32, u32)>,
}

/// A graph with the nodes of its atoms.
struct Made {
    graph: Graph,
    mentions: FxHashMap<u32, Mention>,
    /// The atoms that are leaves of lifted relations.
    lifted: BTreeSet<RelationId>,
    /// The relation with the most mentions, of those that can still be lifted.
    heaviest: Option<(RelationId, usize)>,
    labels: Vec<(u32, u32)>,
}

struct Unroller<'a> {
    description: &'a Description,
    statics: &'a StaticFacts,
    rules: &'a Rules,
    instances: Instances,
    leaves: Leaves,
}

/// How an atom becomes a node.
enum Shape {
    Leaf(Node),
    Compare(Box<Sides>),
    Rules,
}

/// A comparison with the atoms of its values.
struct Sides {
    relation: Comparison,
    text: String,
    left: Vec<(u32, Option<u32>)>,
    right: Vec<(u32, Option<u32>)>,
    length: u32,
}

impl Unroller<'_> {
    fn roots(&mut self, role: usize, wanted: &dyn Fn(i32) -> bool) -> Roots {
        let mut roots = Roots { terminal: None, goals: Vec::new() };
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
                        self.instances.tables[relation.index()].iter().map(<[TermId]>::to_vec).collect();
                    if opaque {
                        let heads = description.rules_of[relation.index()].iter();
                        let values = heads.filter_map(|&rule| {
                            match description.rules[rule as usize].head.arguments[1] {
                                Term::Ground(value) => Some(vec![description.roles[role], value]),
                                _ => None,
                            }
                        });
                        rows.extend(values);
                    }
                    for row in rows.iter().filter(|row| row[0] == description.roles[role]) {
                        let value =
                            if row[1].index() < description.terms.len() { constant(row[1]) } else { None };
                        if let Some(value) = value.filter(|&value| wanted(value)) {
                            roots.goals.push((value, self.instances.mention(relation, row)));
                        }
                    }
                }
                _ => {}
            }
        }
        roots.goals.sort_unstable();
        roots.goals.dedup();
        roots
    }

    /// What an atom becomes.
    fn shape(&self, atom: u32, lifted: &BTreeSet<RelationId>) -> Shape {
        let (relation, _) = self.instances.atoms[atom as usize];
        if lifted.contains(&relation) {
            return Shape::Leaf(match self.rules.program.relations[relation.index()].kind {
                RelationKind::True => Node::Fact(self.text(atom)),
                _ => Node::Derived(self.text(atom)),
            });
        }
        if self.rules.program.relations[relation.index()].kind == RelationKind::True {
            let text = self.text(atom);
            let measured = self.leaves.measured.get(&relation).is_some_and(|family| family.measures(&text));
            return Shape::Leaf(if measured { Node::Near(text) } else { Node::Fact(text) });
        }
        match &self.rules.parts[relation.index()] {
            Part::Projection => self.projection(atom, relation).map_or(Shape::Rules, Shape::Leaf),
            Part::Comparison(compared) => self
                .comparison(atom, relation, compared)
                .map_or(Shape::Rules, |sides| Shape::Compare(Box::new(sides))),
            _ => Shape::Rules,
        }
    }

    /// A measured fluent with coordinates that may be anything.
    fn projection(&self, atom: u32, relation: RelationId) -> Option<Node> {
        let clause = self.rules.program.clauses.iter().find(|clause| clause.head.relation == relation)?;
        let literal = crate::ground::program::atom_of(&clause.body[0])?;
        let measured = self.leaves.measured.get(&literal.relation)?;
        let row = self.instances.arguments(atom);
        let mut free = 0;
        let mut text = String::new();
        for (argument, term) in literal.arguments.iter().enumerate() {
            text.push(' ');
            match term {
                Term::Variable(variable) if variable.index() >= row.len() => {
                    measured.axes.iter().find(|(axis, _)| *axis == argument)?;
                    free += 1;
                    text.push('?');
                }
                Term::Variable(variable) => text.push_str(&self.term(row[variable.index()])),
                Term::Ground(value) => text.push_str(&self.term(*value)),
                Term::Compound(..) => return None,
            }
        }
        let name = self.description.symbols.name(self.description.relations[literal.relation.index()].name);
        let text = format!("({name}{text})");
        (free < measured.axes.len() && measured.measures(&text)).then_some(Node::Near(text))
    }

    /// A comparison, with all values that its sides can have.
    fn comparison(&self, atom: u32, relation: RelationId, compared: &Compared) -> Option<Sides> {
        let clause = self.rules.program.clauses.iter().find(|clause| clause.head.relation == relation)?;
        let row = self.instances.arguments(atom);
        let (comparison, chain) = match compared.relation {
            Some(order) => *self.leaves.comparisons.get(&order)?,
            None => (Comparison::Equal, self.shared_chain(clause, compared)?),
        };
        let comparison = match (compared.negated, comparison) {
            (false, other) => other,
            (true, Comparison::Less) => Comparison::AtLeast,
            (true, Comparison::AtMost) => Comparison::Greater,
            (true, Comparison::Greater) => Comparison::AtMost,
            (true, Comparison::AtLeast) => Comparison::Less,
            (true, Comparison::Equal) => return None,
        };
        let ranks = &self.leaves.chains[chain];
        let mut texts = Vec::new();
        let mut side = |side: &Side| -> Option<Vec<(TermId, u32, Option<u32>)>> {
            match side {
                Side::Constant(value) => {
                    texts.push(self.term(*value));
                    Some(vec![(*value, *ranks.get(value)?, None)])
                }
                Side::Argument { literal, argument } => {
                    let giver = crate::ground::program::atom_of(&clause.body[*literal])?;
                    let pattern: Option<Vec<Option<TermId>>> = giver
                        .arguments
                        .iter()
                        .enumerate()
                        .map(|(place, term)| match term {
                            _ if place == *argument => Some(None),
                            Term::Variable(variable) => row.get(variable.index()).map(|&value| Some(value)),
                            Term::Ground(value) => Some(Some(*value)),
                            Term::Compound(..) => None,
                        })
                        .collect();
                    let pattern = pattern?;
                    texts.push(self.pattern_text(giver.relation, &pattern));
                    let table = &self.instances.tables[giver.relation.index()];
                    let matching = table.iter().filter(|row| {
                        row.iter()
                            .zip(&pattern)
                            .all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value))
                    });
                    let mut values: Vec<(TermId, u32, Option<u32>)> = matching
                        .map(|row| {
                            let number = self.instances.atom(giver.relation, row)?;
                            Some((row[*argument], *ranks.get(&row[*argument])?, Some(number)))
                        })
                        .collect::<Option<_>>()?;
                    values.sort_unstable_by_key(|&(_, rank, number)| (rank, number));
                    Some(values)
                }
            }
        };
        let (left, right) = (side(&compared.sides[0])?, side(&compared.sides[1])?);
        // The places decide exactly where the facts do, or the comparison is unrolled like any other rule.
        let agrees = left.iter().all(|&(a, low, _)| {
            right.iter().all(|&(b, high, _)| {
                let holds = compared
                    .relation
                    .is_none_or(|order| self.statics.holds(order, &[a, b]) != compared.negated);
                let holds = if compared.relation.is_none() { a == b } else { holds };
                holds == comparison.holds(low, high)
            })
        });
        let strip = |list: Vec<(TermId, u32, Option<u32>)>| {
            list.into_iter().map(|(_, rank, atom)| (rank, atom)).collect()
        };
        agrees.then(|| Sides {
            relation: comparison,
            text: match compared.relation {
                Some(order) => {
                    let name = self.description.symbols.name(self.description.relations[order.index()].name);
                    let text = format!("({name} {})", texts.join(" "));
                    if compared.negated { format!("(not {text})") } else { text }
                }
                None => format!("(= {})", texts.join(" ")),
            },
            left: strip(left),
            right: strip(right),
            length: self.leaves.length(chain),
        })
    }

    /// The shortest chain that has all values of both sides of an equality.
    fn shared_chain(&self, clause: &crate::ground::program::Clause, compared: &Compared) -> Option<usize> {
        let covers = |chain: usize| {
            compared.sides.iter().all(|side| match side {
                Side::Argument { literal, argument } => {
                    let giver = crate::ground::program::atom_of(&clause.body[*literal]);
                    giver.is_some_and(|giver| {
                        let mut rows = self.instances.tables[giver.relation.index()].iter();
                        rows.all(|row| self.leaves.chains[chain].contains_key(&row[*argument]))
                    })
                }
                Side::Constant(value) => self.leaves.chains[chain].contains_key(value),
            })
        };
        (0..self.leaves.chains.len())
            .filter(|&chain| covers(chain))
            .min_by_key(|&chain| self.leaves.length(chain))
    }

    /// The atoms that an atom's node is made of.
    fn below(&self, atom: u32, shape: &Shape) -> Vec<u32> {
        match shape {
            Shape::Leaf(_) => Vec::new(),
            Shape::Compare(sides) => {
                sides.left.iter().chain(&sides.right).filter_map(|&(_, atom)| atom).collect()
            }
            Shape::Rules => self.instances.of(atom).flatten().map(|&(atom, _)| atom).collect(),
        }
    }

    /// Makes the nodes of all atoms that the roots reach.
    fn build(&self, roots: &Roots, lifted: &BTreeSet<RelationId>) -> Made {
        let mut numbers: FxHashMap<u32, NodeIndex> = FxHashMap::default();
        let mut graph: DiGraph<u32, ()> = DiGraph::new();
        let mut shapes: Vec<Shape> = Vec::new();
        let mut stack: Vec<u32> =
            roots.terminal.into_iter().chain(roots.goals.iter().map(|&(_, atom)| atom)).collect();
        stack.reverse();
        let starts = stack.clone();
        for atom in starts {
            numbers.entry(atom).or_insert_with(|| graph.add_node(atom));
        }
        let mut next = 0;
        while next < graph.node_count() {
            let node = NodeIndex::new(next);
            next += 1;
            let shape = self.shape(graph[node], lifted);
            for atom in self.below(graph[node], &shape) {
                let other = *numbers.entry(atom).or_insert_with(|| graph.add_node(atom));
                graph.update_edge(node, other, ());
            }
            shapes.push(shape);
        }
        let mut made = Made {
            graph: Graph::default(),
            mentions: FxHashMap::default(),
            lifted: BTreeSet::new(),
            heaviest: None,
            labels: Vec::new(),
        };
        let mut weights: BTreeMap<RelationId, usize> = BTreeMap::new();
        for component in kosaraju_scc(&graph) {
            let before = made.graph.mentions;
            let owner = self.owner(graph[component[0]]);
            let recursive = component.len() > 1 || graph.find_edge(component[0], component[0]).is_some();
            if recursive {
                let atoms: Vec<u32> = component.iter().map(|&node| graph[node]).collect();
                self.build_loop(&atoms, &mut made);
            } else {
                let atom = graph[component[0]];
                let mention = self.build_atom(atom, &shapes[component[0].index()], &mut made);
                made.mentions.insert(atom, mention);
                if let Shape::Leaf(Node::Derived(_)) = shapes[component[0].index()] {
                    made.lifted.insert(owner);
                }
            }
            *weights.entry(owner).or_default() += made.graph.mentions - before;
            for &node in &component {
                self.label(graph[node], &mut made);
            }
        }
        made.heaviest = weights
            .into_iter()
            .filter(|(relation, _)| !lifted.contains(relation))
            .filter(|(relation, _)| self.rules.program.relations[relation.index()].kind != RelationKind::True)
            .max_by_key(|&(relation, weight)| (weight, std::cmp::Reverse(relation)));
        made
    }

    fn build_atom(&self, atom: u32, shape: &Shape, made: &mut Made) -> Mention {
        match shape {
            Shape::Leaf(node) => {
                if let Node::Near(_) = node {
                    self.add_family(atom, made);
                }
                made.graph.node(node.clone())
            }
            Shape::Compare(sides) => {
                let find = |list: &[(u32, Option<u32>)]| -> Vec<(u32, Mention)> {
                    let mentions = list
                        .iter()
                        .map(|&(rank, atom)| (rank, atom.map_or(ALWAYS, |atom| made.mentions[&atom])));
                    mentions.filter(|&(_, mention)| mention != NEVER).collect()
                };
                let (left, right) = (find(&sides.left), find(&sides.right));
                if left.is_empty() || right.is_empty() {
                    return NEVER;
                }
                made.graph.node(Node::Compare(Compare {
                    text: sides.text.clone(),
                    relation: sides.relation,
                    left,
                    right,
                    length: sides.length,
                }))
            }
            Shape::Rules => {
                let mut cases = Vec::new();
                for instance in self.instances.of(atom) {
                    let members =
                        instance.iter().map(|&(atom, negated)| mention(made, atom, negated)).collect();
                    cases.push(made.graph.and(members));
                }
                made.graph.or(cases)
            }
        }
    }

    /// Atoms that depend on each other.
    fn build_loop(&self, atoms: &[u32], made: &mut Made) {
        let inside: BTreeSet<u32> = atoms.iter().copied().collect();
        // Instances that need nothing of the loop are ordinary conjunctions before it.
        let mut bases: Vec<Vec<Mention>> = Vec::new();
        for &atom in atoms {
            let mut cases = Vec::new();
            for instance in self.instances.of(atom) {
                if instance.iter().all(|(other, _)| !inside.contains(other)) {
                    let members =
                        instance.iter().map(|&(atom, negated)| mention(made, atom, negated)).collect();
                    cases.push(made.graph.and(members));
                }
            }
            cases.retain(|&case| case != NEVER);
            bases.push(cases);
        }
        let first = made.graph.next();
        for &atom in atoms {
            let node = made.graph.fresh(Node::Best(Vec::new()));
            made.mentions.insert(atom, node);
        }
        for (&atom, mut cases) in atoms.iter().zip(bases) {
            for instance in self.instances.of(atom) {
                if instance.iter().all(|(other, _)| !inside.contains(other)) {
                    continue;
                }
                let mut members: Vec<Mention> =
                    instance.iter().map(|&(atom, negated)| mention(made, atom, negated)).collect();
                members.retain(|&member| member != ALWAYS);
                members.sort_unstable();
                members.dedup();
                if members.contains(&NEVER) || members.contains(&made.mentions[&atom]) {
                    continue;
                }
                cases.push(match members[..] {
                    [single] => single,
                    _ => made.graph.fresh(Node::And(members)),
                });
            }
            cases.sort_unstable();
            cases.dedup();
            made.graph.define(made.mentions[&atom], Node::Best(cases));
        }
        made.graph.close(first);
    }

    fn add_family(&self, atom: u32, made: &mut Made) {
        let (relation, _) = self.instances.atoms[atom as usize];
        let fluent = match self.rules.parts[relation.index()] {
            Part::Own => Some(relation),
            _ => {
                let clause =
                    self.rules.program.clauses.iter().find(|clause| clause.head.relation == relation);
                clause
                    .and_then(|clause| crate::ground::program::atom_of(&clause.body[0]))
                    .map(|atom| atom.relation)
            }
        };
        if let Some(measured) = fluent.and_then(|fluent| self.leaves.measured.get(&fluent)) {
            made.graph.family(&measured.family);
        }
    }

    /// Notes what a node says, if it is an atom of the rules' own.
    fn label(&self, atom: u32, made: &mut Made) {
        let (relation, _) = self.instances.atoms[atom as usize];
        let named = matches!(
            self.description.relations.get(relation.index()).map(|relation| relation.kind),
            Some(RelationKind::View | RelationKind::Goal | RelationKind::Terminal)
        );
        let mention = made.mentions[&atom];
        if named && mention > 0 && mention != NEVER {
            made.labels.push((mention as u32, atom));
        }
    }

    /// The relation of the description that an atom belongs to.
    fn owner(&self, atom: u32) -> RelationId {
        self.rules.owners[self.instances.atoms[atom as usize].0.index()]
    }

    fn conditions(&self, made: Made, roots: &Roots, reasons: BTreeMap<RelationId, String>) -> Conditions {
        let mut terminal = roots.terminal.map_or(NEVER, |atom| made.mentions[&atom]);
        let mut goals: Vec<(i32, Mention)> =
            roots.goals.iter().map(|(value, atom)| (*value, made.mentions[atom])).collect();
        let mut labels: BTreeMap<u32, String> = BTreeMap::new();
        for &(node, atom) in made.labels.iter().rev() {
            if labels.len() < MOST_LABELS {
                labels.entry(node).or_insert_with(|| self.text(atom));
            }
        }
        let mut ends: Vec<&mut Mention> = vec![&mut terminal];
        ends.extend(goals.iter_mut().map(|(_, mention)| mention));
        let formula = made.graph.finish(&mut ends, labels);
        let lifted = reasons
            .into_iter()
            .filter(|(relation, _)| made.lifted.contains(relation))
            .map(|(relation, reason)| Lifted { relation: self.description.signature(relation), reason })
            .collect();
        Conditions { formula, terminal, goals, lifted }
    }

    fn term(&self, term: TermId) -> String {
        self.instances.terms.display(term, &self.description.symbols)
    }

    /// An atom as KIF; a fluent without `true` around it.
    fn text(&self, atom: u32) -> String {
        let (relation, _) = self.instances.atoms[atom as usize];
        let pattern: Vec<Option<TermId>> =
            self.instances.arguments(atom).iter().map(|&term| Some(term)).collect();
        self.pattern_text(relation, &pattern)
    }

    fn pattern_text(&self, relation: RelationId, pattern: &[Option<TermId>]) -> String {
        let name = self.description.symbols.name(self.rules.program.relations[relation.index()].name);
        if pattern.is_empty() {
            return name.to_owned();
        }
        let arguments: Vec<String> =
            pattern.iter().map(|term| term.map_or("?".to_owned(), |term| self.term(term))).collect();
        format!("({name} {})", arguments.join(" "))
    }
}

fn mention(made: &Made, atom: u32, negated: bool) -> Mention {
    let mention = made.mentions[&atom];
    if negated { negate(mention) } else { mention }
}
