//! Rewrites the rules of goals and of the terminal condition: parts of their bodies with a separate value become
//! auxiliary relations.
//!
//! There are three kinds of parts, which are split off in this order. The order of literals does not matter.
//! 1. *Projections*: a literal with variables that occur nowhere else in the rule, such as `?x` in `(true (cell wlane e
//!   ?x white))`.
//! 2. *Comparisons*: a literal of an order relation with the two literals that give its values, if the values occur
//!    nowhere
//!    else: `(true (purse a ?m)) (true (purse b ?n)) (less ?n ?m)`. Two quantities that share a variable are compared for
//!    equality.
//! 3. *Groups*: literals connected by variables that the head does not have. Otherwise a rule would have the product of
//!    the
//!    instances of independent parts.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::datalog::{Clause, Program};
use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, Relation, RelationId, RelationKind};
use crate::gdl::term::{Term, Variable};
use crate::ground::program::GameProgram;

/// The kind of a relation of the rewritten rules.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// A relation of the description.
    Own,
    Projection,
    Comparison(SplitComparison),
    Group,
}

/// A comparison in a rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SplitComparison {
    /// The order relation; none for equality.
    pub(super) relation: Option<RelationId>,
    pub(super) negated: bool,
    pub(super) sides: [Side; 2],
}

/// A value of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Side {
    /// An argument (from 0) of a literal of the part's body.
    Argument {
        /// Position of the literal in the body.
        literal: usize,
        argument: usize,
    },
    Constant(crate::gdl::term::TermId),
}

/// The relations that can be compared.
pub(super) struct Ordered<'a> {
    pub(super) orders: &'a FxHashSet<RelationId>,
    /// `true` of quantities: relation and the argument (from 0) that holds the value.
    pub(super) quantities: &'a FxHashSet<(RelationId, usize)>,
}

/// The rewritten rules.
pub(super) struct Rules {
    /// The clauses; the first relations are those of the description.
    pub(super) program: Program,
    pub(super) relations: Vec<Relation>,
    pub(super) parts: Vec<Part>,
    /// For each relation the relation of the description from which it was first split off.
    pub(super) owners: Vec<RelationId>,
    splits: FxHashMap<(Vec<Literal>, usize, u8), RelationId>,
}

impl Rules {
    /// The rules that goals and the end need, over the relations of a prepared program. If leaves look back, also those
    /// of `next` and `legal`, without frame rules and without relations that are `too_large` to be unrolled (see
    /// [`reduce`]).
    pub(super) fn new(
        description: &Description,
        prepared: &GameProgram,
        ordered: &Ordered<'_>,
        looking_back: bool,
        too_large: &FxHashSet<RelationId>,
    ) -> Rules {
        let count = description.relations.len();
        let mut rules = Rules {
            program: Program::over(prepared.rules.arities[..count].to_vec()),
            relations: prepared.relations[..count].to_vec(),
            parts: vec![Part::Own; count],
            owners: (0..count as u32).map(RelationId).collect(),
            splits: FxHashMap::default(),
        };
        let above = above(description, too_large);
        let needed = needed(description, prepared, looking_back, (too_large, &above));
        // Goals and `terminal` need exact relations, so reduced rules have relations of their own.
        let mut reduced: FxHashMap<RelationId, RelationId> = FxHashMap::default();
        for &(relation, of) in &needed {
            let kind = description.relations[relation.index()].kind;
            if of == Reading::Reduced && matches!(kind, RelationKind::Legal | RelationKind::View) {
                reduced
                    .insert(relation, rules.program.add_relation(prepared.rules.arities[relation.index()]));
                rules.relations.push(rules.relations[relation.index()].clone());
                rules.parts.push(Part::Own);
                rules.owners.push(relation);
            }
        }
        for (relation, reading) in needed {
            let is_next = description.relations[relation.index()].kind == RelationKind::Next;
            for &number in &description.rules_of[relation.index()] {
                let rule = &description.rules[number as usize];
                if is_next && is_frame_rule(description, &rule.head, &rule.body) {
                    continue;
                }
                let Some(mut body) = relaxed(description, prepared, &rule.body) else { continue };
                let mut head = rule.head.clone();
                if reading == Reading::Reduced {
                    if !reduce(&mut body, too_large, &above, &reduced) {
                        continue;
                    }
                    head.relation = reduced.get(&relation).copied().unwrap_or(relation);
                }
                rules.add(Clause { head, body, variables: rule.variables.len() }, ordered);
            }
        }
        rules
    }

    /// Whether a relation depends on the state.
    pub(super) fn varies(&self, relation: RelationId) -> bool {
        self.relations[relation.index()].dependence != Dependence::Static
    }

    /// Whether a relation's atoms are unrolled to instances of its rules: it depends on the state, or is `goal` or
    /// `terminal`.
    pub(super) fn is_derived(&self, relation: RelationId) -> bool {
        match self.relations[relation.index()].kind {
            RelationKind::True => false,
            RelationKind::Goal | RelationKind::Terminal => true,
            _ => self.varies(relation),
        }
    }

    fn add(&mut self, mut clause: Clause, ordered: &Ordered<'_>) {
        self.project(&mut clause);
        self.compare(&mut clause, ordered);
        self.group(&mut clause);
        self.program.clauses.push(clause);
    }

    /// Splits off literals with variables that occur nowhere else.
    fn project(&mut self, clause: &mut Clause) {
        let counts = occurrences(clause);
        for index in 0..clause.body.len() {
            let Literal::Positive(atom) = &clause.body[index] else { continue };
            if !self.varies(atom.relation) {
                continue;
            }
            let mine = variables(&clause.body[index]);
            let boundary: Vec<usize> = mine.iter().copied().filter(|&v| counts[v] > 1).collect();
            if boundary.len() < mine.len() {
                self.split(clause, vec![index], boundary, Part::Projection);
            }
        }
    }

    /// Splits off comparisons.
    fn compare(&mut self, clause: &mut Clause, ordered: &Ordered<'_>) {
        while let Some((literals, compared)) = self.find_comparison(clause, ordered) {
            let mut boundary: Vec<usize> = Vec::new();
            for &index in &literals {
                boundary.extend(variables(&clause.body[index]));
            }
            let mut seen = Vec::new();
            boundary.retain(|&v| {
                let term = Term::Variable(Variable(v as u32));
                let value = compared.sides.iter().any(|side| match side {
                    Side::Argument { literal, argument } => {
                        let atom = clause.body[literals[*literal]].atom();
                        atom.is_some_and(|atom| atom.arguments[*argument] == term)
                    }
                    Side::Constant(_) => false,
                });
                let keep = !value && !seen.contains(&v);
                seen.push(v);
                keep
            });
            self.split(clause, literals, boundary, Part::Comparison(compared));
        }
    }

    /// A comparison in the body, with its literals: first those that give the values.
    fn find_comparison(
        &self,
        clause: &Clause,
        ordered: &Ordered<'_>,
    ) -> Option<(Vec<usize>, SplitComparison)> {
        let counts = occurrences(clause);
        // The literal and the argument that give a variable its value, if the variable occurs there and in one other
        // literal.
        let giver = |variable: Variable| -> Option<(usize, usize)> {
            if counts[variable.index()] != 2 {
                return None;
            }
            clause.body.iter().enumerate().find_map(|(index, literal)| {
                let Literal::Positive(atom) = literal else { return None };
                let place = atom.arguments.iter().position(|term| *term == Term::Variable(variable))?;
                self.varies(atom.relation).then_some((index, place))
            })
        };
        for (index, literal) in clause.body.iter().enumerate() {
            let (atom, negated) = match literal {
                Literal::Positive(atom) => (atom, false),
                Literal::Negative(atom) => (atom, true),
                Literal::Distinct(..) => continue,
            };
            if !ordered.orders.contains(&atom.relation) {
                continue;
            }
            let mut literals = Vec::new();
            let mut side = |term: &Term| match term {
                Term::Ground(constant) => Some(Side::Constant(*constant)),
                Term::Variable(variable) => {
                    let (literal, argument) = giver(*variable)?;
                    literals.push(literal);
                    Some(Side::Argument { literal: literals.len() - 1, argument })
                }
                Term::Compound(..) => None,
            };
            let (Some(left), Some(right)) = (side(&atom.arguments[0]), side(&atom.arguments[1])) else {
                continue;
            };
            if literals.is_empty() || literals.len() == 2 && literals[0] == literals[1] {
                continue;
            }
            literals.push(index);
            return Some((
                literals,
                SplitComparison { relation: Some(atom.relation), negated, sides: [left, right] },
            ));
        }
        for variable in (0..clause.variables).filter(|&v| counts[v] == 2) {
            let term = Term::Variable(Variable(variable as u32));
            let places: Vec<(usize, usize)> = clause
                .body
                .iter()
                .enumerate()
                .filter_map(|(index, literal)| {
                    let Literal::Positive(atom) = literal else { return None };
                    let place = atom.arguments.iter().position(|argument| *argument == term)?;
                    ordered.quantities.contains(&(atom.relation, place)).then_some((index, place))
                })
                .collect();
            if let [(first, left), (second, right)] = places[..] {
                let sides = [
                    Side::Argument { literal: 0, argument: left },
                    Side::Argument { literal: 1, argument: right },
                ];
                return Some((
                    vec![first, second],
                    SplitComparison { relation: None, negated: false, sides },
                ));
            }
        }
        None
    }

    /// Splits off groups.
    fn group(&mut self, clause: &mut Clause) {
        let mut local = vec![true; clause.variables];
        clause.head.for_each_variable(&mut |variable| local[variable.index()] = false);
        loop {
            let lists: Vec<Vec<usize>> = clause.body.iter().map(variables).collect();
            let found = (0..clause.body.len()).find_map(|seed| {
                let members = connected(&lists, &local, seed);
                (members.first() == Some(&seed) && self.may_split(clause, &lists, &local, &members))
                    .then_some(members)
            });
            let Some(members) = found else { return };
            let mut boundary: Vec<usize> = Vec::new();
            for &v in members.iter().flat_map(|&member| &lists[member]) {
                if !local[v] && !boundary.contains(&v) {
                    boundary.push(v);
                }
            }
            self.split(clause, members, boundary, Part::Group);
        }
    }

    /// Whether some literals may become a separate relation: the body has other literals, one of these depends on the
    /// state, and the literals bind all of their variables.
    fn may_split(&self, clause: &Clause, lists: &[Vec<usize>], local: &[bool], members: &[usize]) -> bool {
        let has_local = lists[members[0]].iter().any(|&v| local[v]);
        let varying =
            |&index: &usize| clause.body[index].atom().is_some_and(|atom| self.varies(atom.relation));
        let mut bound: Vec<usize> = Vec::new();
        for &member in members {
            if matches!(clause.body[member], Literal::Positive(_)) {
                bound.extend(&lists[member]);
            }
        }
        let safe = members.iter().flat_map(|&member| &lists[member]).all(|v| bound.contains(v));
        has_local && members.len() < clause.body.len() && members.iter().any(varying) && safe
    }

    /// Moves literals of a clause into a new clause; `boundary` are the arguments of its head.
    fn split(&mut self, clause: &mut Clause, members: Vec<usize>, boundary: Vec<usize>, part: Part) {
        let mut renamed = vec![None; clause.variables];
        let mut count = 0;
        for &variable in &boundary {
            renamed[variable] = Some(count);
            count += 1;
        }
        let body: Vec<Literal> = members
            .iter()
            .map(|&index| {
                clause.body[index].renamed(&mut |variable| {
                    *renamed[variable].get_or_insert_with(|| {
                        count += 1;
                        count - 1
                    })
                })
            })
            .collect();
        let kind = match part {
            Part::Own => 0,
            Part::Projection => 1,
            Part::Comparison(_) => 2,
            Part::Group => 3,
        };
        let key = (body, boundary.len(), kind);
        let relation = match self.splits.get(&key) {
            Some(&relation) => relation,
            None => {
                let relation = self.program.add_relation(boundary.len());
                let owner = self.owners[clause.head.relation.index()];
                self.relations.push(Relation {
                    kind: RelationKind::Auxiliary,
                    name: self.relations[owner.index()].name,
                    arity: boundary.len(),
                    dependence: Dependence::State,
                    stratum: self.relations[owner.index()].stratum,
                });
                self.owners.push(owner);
                self.parts.push(part);
                let arguments = (0..boundary.len()).map(|i| Term::Variable(Variable(i as u32))).collect();
                let head = Atom { relation, arguments };
                self.program.clauses.push(Clause { head, body: key.0.clone(), variables: count });
                self.splits.insert(key, relation);
                relation
            }
        };
        let arguments = boundary.iter().map(|&v| Term::Variable(Variable(v as u32))).collect();
        let first = members[0];
        clause.body[first] = Literal::Positive(Atom { relation, arguments });
        let mut position = 0;
        clause.body.retain(|_| {
            position += 1;
            position - 1 == first || !members.contains(&(position - 1))
        });
    }
}

/// The method of rewriting the rules of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    Exact,
    /// Without relations that are too large.
    Reduced,
}

/// Whether a rule of `next` is a frame rule: its body has the same fluent.
fn is_frame_rule(description: &Description, head: &Atom, body: &[Literal]) -> bool {
    let of = &description.relations[head.relation.index()];
    let fluent = description.relation(RelationKind::True, of.name, of.arity);
    body.iter().any(|literal| match literal {
        Literal::Positive(atom) => Some(atom.relation) == fluent && atom.arguments == head.arguments,
        _ => false,
    })
}

/// The relations and those that depend on them. `does` depends on `legal`.
fn above(description: &Description, relations: &FxHashSet<RelationId>) -> FxHashSet<RelationId> {
    let mut found = relations.clone();
    let legal = |relation: RelationId| {
        let of = &description.relations[relation.index()];
        let legal = (of.kind == RelationKind::Does)
            .then(|| description.relation(RelationKind::Legal, of.name, of.arity));
        legal.flatten().unwrap_or(relation)
    };
    loop {
        let before = found.len();
        for rule in &description.rules {
            if rule.body.iter().filter_map(Literal::atom).any(|atom| found.contains(&legal(atom.relation))) {
                found.insert(rule.head.relation);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Relaxes a body: removes negated literals on relations in `above`, and replaces relations of positive literals by
/// their reduced ones. Returns false if a positive literal is on a relation in `too_large`.
fn reduce(
    body: &mut Vec<Literal>,
    too_large: &FxHashSet<RelationId>,
    above: &FxHashSet<RelationId>,
    reduced: &FxHashMap<RelationId, RelationId>,
) -> bool {
    let of = |literal: &Literal| literal.atom().map(|atom| atom.relation);
    let is_positive = |literal: &Literal| matches!(literal, Literal::Positive(_));
    if body
        .iter()
        .any(|literal| is_positive(literal) && of(literal).is_some_and(|of| too_large.contains(&of)))
    {
        return false;
    }
    body.retain(|literal| is_positive(literal) || of(literal).is_none_or(|of| !above.contains(&of)));
    for literal in body {
        if let Literal::Positive(atom) = literal {
            atom.relation = reduced.get(&atom.relation).copied().unwrap_or(atom.relation);
        }
    }
    true
}

/// A body with `legal` instead of `does`, and without negated literals on moves; `None` if the game has no such
/// `legal`.
fn relaxed(description: &Description, program: &GameProgram, body: &[Literal]) -> Option<Vec<Literal>> {
    let mut relaxed = Vec::with_capacity(body.len());
    for literal in body {
        match literal {
            Literal::Negative(atom) if program.dependence(atom.relation) == Dependence::Moves => {}
            Literal::Positive(atom) => {
                let mut atom = atom.clone();
                let of = &description.relations[atom.relation.index()];
                if of.kind == RelationKind::Does {
                    atom.relation = description.relation(RelationKind::Legal, of.name, of.arity)?;
                }
                relaxed.push(Literal::Positive(atom));
            }
            other => relaxed.push(other.clone()),
        }
    }
    Some(relaxed)
}

/// The relations that depend on the state and that goals and the end need, in the order of the description; if leaves
/// look back, also `next` and `legal`, where relations in `above` are reduced.
fn needed(
    description: &Description,
    program: &GameProgram,
    looking_back: bool,
    (too_large, above): (&FxHashSet<RelationId>, &FxHashSet<RelationId>),
) -> Vec<(RelationId, Reading)> {
    let mut found: BTreeSet<(RelationId, Reading)> = BTreeSet::new();
    let mut stack: Vec<(RelationId, Reading)> = description
        .relation_ids()
        .filter(|(_, relation)| matches!(relation.kind, RelationKind::Goal | RelationKind::Terminal))
        .map(|(id, _)| (id, Reading::Exact))
        .collect();
    while let Some((relation, reading)) = stack.pop() {
        let of = &description.relations[relation.index()];
        let source = match of.kind {
            RelationKind::True if looking_back => Some(RelationKind::Next),
            RelationKind::Does => Some(RelationKind::Legal),
            _ => None,
        };
        let source = source.and_then(|kind| description.relation(kind, of.name, of.arity));
        let how = |relation: RelationId| match above.contains(&relation) {
            true => Reading::Reduced,
            false => Reading::Exact,
        };
        stack.extend(source.map(|source| (source, how(source))));
        if of.kind == RelationKind::True || !found.insert((relation, reading)) {
            continue;
        }
        for &rule in &description.rules_of[relation.index()] {
            let rule = &description.rules[rule as usize];
            if of.kind == RelationKind::Next && is_frame_rule(description, &rule.head, &rule.body) {
                continue;
            }
            let used = rule.body.iter().filter_map(|literal| Some((literal.atom()?.relation, literal)));
            let used = used.filter(|(other, _)| !program.is_static(*other));
            if reading == Reading::Exact {
                stack.extend(used.map(|(other, _)| (other, Reading::Exact)));
                continue;
            }
            let is_positive = |literal: &Literal| matches!(literal, Literal::Positive(_));
            let mut needs = rule.body.iter().filter(|literal| is_positive(literal)).filter_map(Literal::atom);
            if needs.any(|atom| too_large.contains(&atom.relation)) {
                continue;
            }
            let kept = used.filter(|(other, literal)| is_positive(literal) || !above.contains(other));
            stack.extend(kept.map(|(other, _)| (other, how(other))));
        }
    }
    found.into_iter().collect()
}

/// The literals connected with one by local variables, ascending.
fn connected(lists: &[Vec<usize>], local: &[bool], seed: usize) -> Vec<usize> {
    let mut members = vec![seed];
    let mut next = 0;
    while next < members.len() {
        let member = members[next];
        next += 1;
        for &variable in lists[member].iter().filter(|&&v| local[v]) {
            for (other, list) in lists.iter().enumerate() {
                if list.contains(&variable) && !members.contains(&other) {
                    members.push(other);
                }
            }
        }
    }
    members.sort_unstable();
    members
}

/// The variables of a literal, each once.
fn variables(literal: &Literal) -> Vec<usize> {
    let mut list = Vec::new();
    literal.for_each_variable(&mut |variable| {
        if !list.contains(&variable.index()) {
            list.push(variable.index());
        }
    });
    list
}

/// The number of occurrences of each variable in a clause; those in the head count twice.
fn occurrences(clause: &Clause) -> Vec<usize> {
    let mut counts = vec![0; clause.variables];
    for literal in &clause.body {
        literal.for_each_variable(&mut |variable| counts[variable.index()] += 1);
    }
    clause.head.for_each_variable(&mut |variable| counts[variable.index()] += 2);
    counts
}
