//! The conditions of rules of `terminal`, in few words.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::analysis::Game;
use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, Relation, RelationId, RelationKind, Rule};
use crate::gdl::term::{Term, Variable};
use crate::structure::finding::{FluentFinding, Structures};
use crate::structure::fluent_relations::FluentRelation;

use super::super::board_facts::coordinates;
use super::ending_rule::{EndingKind, EndingRule};
use super::full_board::FullBoards;

/// The most parts of a disjunction that are separate causes.
const MAX_PARTS: usize = 4;

/// The most literals in a text.
const MAX_LITERALS: usize = 3;

/// The most characters of a text.
const MAX_CHARACTERS: usize = 80;

/// The most definitions that are unfolded.
const MAX_DEPTH: usize = 6;

/// The last states in which a rule of `terminal` holds.
#[derive(Clone, Copy, Debug)]
struct LastStates {
    /// The least and the greatest number of moves before them.
    shortest: usize,
    longest: usize,
    /// Whether no role had a legal move except noops in any of them.
    idle: bool,
}

/// The conditions of the rules of `terminal`.
pub(super) struct Conditions<'a> {
    description: &'a Description,
    structures: &'a Structures,
    /// For each rule, the relations that the conditions of moves use.
    legal: BTreeSet<RelationId>,
    seen: FxHashMap<usize, LastStates>,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(game: &Game<'a>, structures: &'a Structures) -> Conditions<'a> {
        let description = game.machine.description();
        let kind = |relation: RelationId| description.relations[relation.index()].kind;
        let mut legal = BTreeSet::new();
        for rule in description.rules.iter().filter(|rule| kind(rule.head.relation) == RelationKind::Legal) {
            legal.insert(rule.head.relation);
            let used = rule.body.iter().filter_map(Literal::atom).map(|atom| atom.relation);
            legal.extend(used.filter(|&relation| is_defined(kind(relation))));
        }
        Conditions { description, structures, legal, seen: FxHashMap::default() }
    }

    /// Replaces parts of large disjunctions by their first part. Sorts, and removes repetitions.
    pub(super) fn first_parts(&self, rules: &[usize]) -> Vec<usize> {
        let first = |&index: &usize| {
            let parts = self.parts(index);
            if parts.len() <= MAX_PARTS { index } else { parts[0] }
        };
        let first: BTreeSet<usize> = rules.iter().map(first).collect();
        first.into_iter().collect()
    }

    /// The parts of the disjunction to which a rule belongs.
    fn parts(&self, index: usize) -> Vec<usize> {
        let rule = &self.description.rules[index];
        let of = &self.description.rules_of[rule.head.relation.index()];
        let is_part = |other: &usize| self.description.rules[*other].origin == rule.origin;
        of.iter().map(|&other| other as usize).filter(is_part).collect()
    }

    /// Notes a last state in which a rule holds.
    pub(super) fn note(&mut self, rule: usize, moves: usize, idle: bool) {
        let seen = self.seen.entry(rule).or_insert(LastStates { shortest: moves, longest: moves, idle });
        seen.shortest = seen.shortest.min(moves);
        seen.longest = seen.longest.max(moves);
        seen.idle &= idle;
    }

    /// A rule with its condition.
    pub(super) fn ending_rule(&self, index: usize, boards: &FullBoards<'_>) -> EndingRule {
        let rule = &self.description.rules[index];
        let (kind, text) = self.recognize(index, boards).unwrap_or_else(|| {
            let text = self.text(rule);
            let others = self.parts(index).len() - 1;
            let text = if others < MAX_PARTS { text } else { format!("{text} or one of {others} others") };
            (EndingKind::Condition, text)
        });
        EndingRule { span: rule.span, line: 0, kind, text }
    }

    /// The type of a condition that has its own words.
    fn recognize(&self, index: usize, boards: &FullBoards<'_>) -> Option<(EndingKind, String)> {
        let (rule, seen) = (&self.description.rules[index], self.seen.get(&index)?);
        if seen.shortest == seen.longest && self.is_step_limit(rule) {
            return Some((EndingKind::StepLimit, format!("step limit ({} moves)", seen.shortest)));
        }
        let mut negated = BTreeSet::new();
        for literal in &rule.body {
            match literal {
                Literal::Negative(atom) => self.reach(atom.relation, &mut negated),
                Literal::Positive(atom) if self.is_alias(atom) => self.reach_negated(atom, &mut negated),
                _ => {}
            }
        }
        if boards.full(index).iter().any(|board| self.is_occupancy(&negated, board)) {
            return Some((EndingKind::BoardFull, "board full".to_owned()));
        }
        let no_move = seen.idle && negated.iter().any(|relation| self.legal.contains(relation));
        no_move.then(|| (EndingKind::NoMove, "no move left".to_owned()))
    }

    /// Whether a rule depends on counters only.
    fn is_step_limit(&self, rule: &Rule) -> bool {
        let mut reached = BTreeSet::new();
        for atom in rule.body.iter().filter_map(Literal::atom) {
            self.reach(atom.relation, &mut reached);
        }
        let mut fluents = reached.iter().map(|relation| &self.description.relations[relation.index()]);
        let is_counter = |relation: &Relation| {
            let fluent = FluentRelation { name: relation.name, arity: relation.arity };
            relation.kind != RelationKind::True
                || self.structures.fluent(fluent).is_some_and(|finding| finding.counter.is_some())
        };
        let has_fluent = fluents.clone().any(|relation| relation.kind == RelationKind::True);
        has_fluent && fluents.all(is_counter)
    }

    /// Whether relations depend only on which cells of a board are occupied: they use no other fluent, and ignore which object
    /// is on a cell, except for comparing it with constants.
    fn is_occupancy(&self, relations: &BTreeSet<RelationId>, board: &FluentFinding) -> bool {
        let Some(holds) = self.description.relation(RelationKind::True, board.fluent.name, board.arity)
        else {
            return false;
        };
        let coordinates = coordinates(board);
        let kind = |relation: RelationId| self.description.relations[relation.index()].kind;
        let other = |&relation: &RelationId| kind(relation) == RelationKind::True && relation != holds;
        let ignores_object = |rule: &Rule| {
            let mut counts = vec![0; rule.variables.len()];
            let mut count = |variable: Variable| counts[variable.index()] += 1;
            rule.head.for_each_variable(&mut count);
            rule.body.iter().for_each(|literal| literal.for_each_variable(&mut count));
            let atoms = rule.body.iter().filter_map(Literal::atom).filter(|atom| atom.relation == holds);
            let terms = atoms.flat_map(|atom| atom.arguments.iter().enumerate());
            terms.filter(|(argument, _)| !coordinates.contains(argument)).all(|(_, term)| match term {
                Term::Variable(variable) => counts[variable.index()] == 1,
                Term::Ground(_) => true,
                Term::Compound(..) => false,
            })
        };
        let rules = relations.iter().flat_map(|relation| &self.description.rules_of[relation.index()]);
        relations.contains(&holds)
            && !relations.iter().any(other)
            && rules.into_iter().all(|&rule| ignores_object(&self.description.rules[rule as usize]))
    }

    /// Adds a relation and all relations that its definition uses.
    fn reach(&self, from: RelationId, reached: &mut BTreeSet<RelationId>) {
        let mut open = vec![from];
        while let Some(relation) = open.pop() {
            if !reached.insert(relation) {
                continue;
            }
            for &rule in &self.description.rules_of[relation.index()] {
                let body = &self.description.rules[rule as usize].body;
                open.extend(body.iter().filter_map(Literal::atom).map(|atom| atom.relation));
            }
        }
    }

    /// Adds what the negative literals in the only rule of a relation use.
    fn reach_negated(&self, atom: &Atom, reached: &mut BTreeSet<RelationId>) {
        let rule = self.description.rules_of[atom.relation.index()][0];
        for literal in &self.description.rules[rule as usize].body {
            if let Literal::Negative(atom) = literal {
                self.reach(atom.relation, reached);
            }
        }
    }

    /// Whether a relation without arguments has one rule: another name of its body.
    fn is_alias(&self, atom: &Atom) -> bool {
        let relation = &self.description.relations[atom.relation.index()];
        let rules = &self.description.rules_of[atom.relation.index()];
        relation.arity == 0 && is_defined(relation.kind) && rules.len() == 1
    }

    fn depends_on_state(&self, literal: &Literal) -> bool {
        let dependence = |atom: &Atom| self.description.relations[atom.relation.index()].dependence;
        literal.atom().is_some_and(|atom| dependence(atom) != Dependence::Static)
    }

    /// The condition of a rule as shortened KIF, which is true whenever the rule applies.
    fn text(&self, rule: &Rule) -> String {
        let mut rule = rule;
        for _ in 0..MAX_DEPTH {
            match self.definition(rule) {
                Some(definition) => rule = definition,
                None => break,
            }
        }
        let is_role = |literal: &Literal| {
            let of = |atom: &Atom| self.description.relations[atom.relation.index()].kind;
            literal.atom().is_some_and(|atom| of(atom) == RelationKind::Role)
        };
        let literals: Vec<&Literal> = rule.body.iter().filter(|literal| !is_role(literal)).collect();
        let mut text = String::new();
        for (number, literal) in literals.iter().enumerate() {
            let next = self.literal(literal, rule);
            let full = number == MAX_LITERALS || text.len() + next.len() + 5 > MAX_CHARACTERS;
            if number > 0 && full {
                text.push_str(&format!(" and {} more", literals.len() - number));
                break;
            }
            let joint = if number > 0 { " and " } else { "" };
            text.push_str(joint);
            text.push_str(&next);
        }
        if text.chars().count() > MAX_CHARACTERS + 20 {
            text = text.chars().take(MAX_CHARACTERS).chain("...".chars()).collect();
        }
        text
    }

    /// The only rule of the relation to which the body of a rule amounts.
    fn definition(&self, rule: &Rule) -> Option<&'a Rule> {
        let mut of_state = rule.body.iter().filter(|literal| self.depends_on_state(literal));
        let (Some(Literal::Positive(atom)), None) = (of_state.next(), of_state.next()) else { return None };
        let has_distinct = |rule: &Rule| rule.body.iter().any(|literal| literal.atom().is_none());
        let description = self.description;
        let &[only] = &*description.rules_of[atom.relation.index()] else { return None };
        if !is_defined(description.relations[atom.relation.index()].kind) || has_distinct(rule) {
            return None;
        }
        let definition = &description.rules[only as usize];
        if rule.body.len() == 1 && atom.arguments.is_empty() && definition.body.len() <= MAX_LITERALS {
            return Some(definition);
        }
        let mut variables = BTreeSet::new();
        let is_new_variable =
            |term: &Term| matches!(term, Term::Variable(variable) if variables.insert(variable.0));
        let renames = atom.arguments.iter().all(is_new_variable) && definition.body.len() == 1;
        (renames && !has_distinct(definition)).then_some(definition)
    }

    fn literal(&self, literal: &Literal, rule: &Rule) -> String {
        match literal {
            Literal::Positive(atom) => self.atom(atom, rule),
            Literal::Negative(atom) => match self.negated_definition(atom) {
                Some((inner, definition)) => format!("no {}", self.atom(inner, definition)),
                None => format!("not {}", self.atom(atom, rule)),
            },
            Literal::Distinct(..) => {
                let shown = Rule { body: vec![literal.clone()], ..rule.clone() };
                let text = self.description.display_rule(&shown);
                // The text is `(<= head (distinct a b))`.
                let start = text.rfind("(distinct").unwrap_or(0);
                text[start..text.len() - 1].to_owned()
            }
        }
    }

    /// The only literal of the only rule of a relation without arguments, if the literal has variables: the relation does not
    /// hold if no such atom holds.
    fn negated_definition(&self, atom: &Atom) -> Option<(&'a Atom, &'a Rule)> {
        let description = self.description;
        if !self.is_alias(atom) {
            return None;
        }
        let rule = &description.rules[description.rules_of[atom.relation.index()][0] as usize];
        let [Literal::Positive(inner)] = &*rule.body else { return None };
        let mut variables = 0;
        inner.for_each_variable(&mut |_| variables += 1);
        (variables > 0).then_some((inner, rule))
    }

    /// An atom as KIF, without `true`.
    fn atom(&self, atom: &Atom, rule: &Rule) -> String {
        let mut text = String::new();
        self.description.write_atom(atom, rule, &mut text);
        let inner = text.strip_prefix("(true ").and_then(|inner| inner.strip_suffix(')'));
        match self.description.relations[atom.relation.index()].kind {
            RelationKind::True => inner.map_or(text.clone(), str::to_owned),
            _ => text,
        }
    }
}

/// Whether a relation of this kind is defined by rules.
fn is_defined(kind: RelationKind) -> bool {
    matches!(kind, RelationKind::View | RelationKind::Auxiliary)
}
