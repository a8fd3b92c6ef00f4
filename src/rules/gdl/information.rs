//! What players see and what chance decides: the words `sees` and `random` of GDL-II (Thielscher 2010).
//!
//! Where no rule has `sees`, all players see all moves, as in GDL. Where one has, nothing is hidden if every role but
//! `random` sees every move of every other role: a rule gives it something that holds all that tells the move from others.
//!
//! `search/chance.rs` is alpha-beta with means over draws. `arena/making.rs` refuses games with chance or hidden
//! moves to algorithms that can't play them.

use std::collections::BTreeSet;

use super::Description;
use super::rule::{Atom, Literal, RelationKind, Rule};
use super::symbol::Symbol;
use super::term::{Term, TermId, Variable};

/// What a description says of chance and of what players see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Information {
    /// The role that draws its moves, counted from 0.
    pub random_role: Option<usize>,
    /// Whether rules say what players see.
    pub sees: bool,
    /// Whether a player may not see a move of another one.
    pub hidden: bool,
}

impl Description {
    /// The role that draws its moves, counted from 0, if one does.
    pub fn random_role(&self) -> Option<usize> {
        self.roles.iter().position(|&role| self.term(role) == "random")
    }

    /// The roles that choose their moves, counted from 0: all but chance.
    pub fn players(&self) -> impl Iterator<Item = usize> + use<> {
        let random = self.random_role();
        (0..self.roles.len()).filter(move |&role| Some(role) != random)
    }

    /// What it says of chance and of what players see.
    pub fn information(&self) -> Information {
        let random_role = self.random_role();
        let rules = self.sees_rules();
        let sees = !rules.is_empty();
        let all_seen = |role: usize| {
            let mut others = (0..self.roles.len()).filter(|&other| other != role);
            others.all(|other| self.sees_all(&rules, self.roles[role], self.roles[other]))
        };
        Information { random_role, sees, hidden: sees && !self.players().all(all_seen) }
    }

    /// The rules that say what players see.
    fn sees_rules(&self) -> Vec<&Rule> {
        let relations = self.relation_ids().filter(|(_, relation)| {
            relation.kind == RelationKind::View
                && relation.arity == 2
                && self.symbols.name(relation.name) == "sees"
        });
        relations
            .flat_map(|(id, _)| &self.rules_of[id.index()])
            .map(|&rule| &self.rules[rule as usize])
            .collect()
    }

    /// Whether a role is told every move of another by rules that ask for nothing else, each in words of its own. One move
    /// alone may be told by saying nothing.
    fn sees_all(&self, rules: &[&Rule], role: TermId, other: TermId) -> bool {
        let moves = self.relation_ids().filter(|(id, relation)| {
            relation.kind == RelationKind::Legal && self.may_move(id.index(), other)
        });
        let (mut words, mut untold) = (BTreeSet::new(), 0);
        for (_, legal) in moves {
            let told = rules.iter().find_map(|rule| self.told(rule, role, other, legal.name, legal.arity));
            match told {
                Some(word) if words.insert(word) => {}
                None if legal.arity == 1 && untold == 0 => untold += 1,
                _ => return false,
            }
        }
        // Something that is told in a variable's place can't be told from anything else.
        words.len() < 2 || !words.contains(&None)
    }

    /// Whether a rule may make a move legal for a role.
    fn may_move(&self, relation: usize, role: TermId) -> bool {
        let mut rules = self.rules_of[relation].iter().map(|&rule| &self.rules[rule as usize]);
        rules.any(|rule| is_or_may_be(rule.head.arguments.first(), role))
    }

    /// The word by which a rule tells a role a move of another one, where it asks for nothing else and holds all that the
    /// move does; a word of none where a variable stands in its place.
    fn told(
        &self,
        rule: &Rule,
        role: TermId,
        other: TermId,
        name: Symbol,
        arity: usize,
    ) -> Option<Option<(Symbol, usize)>> {
        let [watcher, percept] = &rule.head.arguments[..] else { return None };
        let mut does: Option<&Atom> = None;
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) => {
                    let relation = &self.relations[atom.relation.index()];
                    match relation.kind {
                        RelationKind::Does if does.is_none() => {
                            if (relation.name, relation.arity) != (name, arity) {
                                return None;
                            }
                            does = Some(atom);
                        }
                        RelationKind::Role => {}
                        _ => return None,
                    }
                }
                // That the two roles differ.
                Literal::Distinct(Term::Variable(_), Term::Variable(_)) => {}
                _ => return None,
            }
        }
        let (mover, parts) = does?.arguments.split_first()?;
        if !is_or_may_be(Some(watcher), role) || !is_or_may_be(Some(mover), other) {
            return None;
        }
        let mut held = BTreeSet::new();
        percept.for_each_variable(&mut |variable: Variable| {
            held.insert(variable.index());
        });
        let mut different = BTreeSet::new();
        let all = parts.iter().all(|part| match part {
            Term::Variable(variable) => {
                held.contains(&variable.index()) && different.insert(variable.index())
            }
            _ => false,
        });
        all.then(|| match percept {
            Term::Variable(_) => None,
            Term::Ground(term) => Some((self.terms.functor(*term), self.terms.arguments(*term).len())),
            Term::Compound(name, arguments) => Some((*name, arguments.len())),
        })
    }
}

fn is_or_may_be(term: Option<&Term>, role: TermId) -> bool {
    match term {
        Some(Term::Variable(_)) => true,
        Some(Term::Ground(term)) => *term == role,
        _ => false,
    }
}
