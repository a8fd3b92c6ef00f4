//! Chance and hidden information: the words `random` and `sees` of GDL-II (Thielscher 2010).
//!
//! Without rules for `sees`, all players see all moves, as in GDL. With such rules, no move is hidden if every role but
//! `random` sees every move of every other role: a rule gives it a percept that identifies the move.
//!
//! `search/chance.rs` is expectimax with alpha-beta pruning. `arena/making.rs` refuses games with chance or hidden moves for
//! algorithms that can't play them.

use std::collections::BTreeSet;

use super::Description;
use super::rule::{Atom, Literal, Relation, RelationKind, Rule};
use super::symbol::Symbol;
use super::term::{Term, TermId, Variable};

/// Chance and hidden information of a description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Information {
    /// The index of the role `random`.
    pub random_role: Option<usize>,
    /// Whether there are rules for `sees`.
    pub sees: bool,
    /// Whether a move of one role can be hidden from another player.
    pub hidden: bool,
}

impl Information {
    /// Determines chance and hidden information of a description.
    pub fn of(description: &Description) -> Information {
        let (random_role, roles) = (description.random_role(), &description.roles);
        let percepts = Percepts::of(description);
        let sees = !percepts.rules.is_empty();
        let all_seen = |role: usize| {
            let mut others = (0..roles.len()).filter(|&other| other != role);
            others.all(|other| percepts.show_all(roles[role], roles[other]))
        };
        Information { random_role, sees, hidden: sees && !description.players().all(all_seen) }
    }
}

/// The `sees` rules of a description.
struct Percepts<'d> {
    description: &'d Description,
    rules: Vec<&'d Rule>,
}

impl<'d> Percepts<'d> {
    fn of(description: &'d Description) -> Percepts<'d> {
        let relations = description.relation_ids().filter(|(_, relation)| {
            relation.kind == RelationKind::View
                && relation.arity == 2
                && description.symbols.name(relation.name) == "sees"
        });
        let rules = relations
            .flat_map(|(id, _)| &description.rules_of[id.index()])
            .map(|&rule| &description.rules[rule as usize]);
        Percepts { description, rules: rules.collect() }
    }

    /// Whether unconditional rules show a role every move of another role, with a different functor for each kind of move.
    /// One move without arguments may have no percept: the absence of percepts identifies it.
    fn show_all(&self, role: TermId, other: TermId) -> bool {
        let moves = self.description.relation_ids().filter(|(id, relation)| {
            relation.kind == RelationKind::Legal && self.may_move(id.index(), other)
        });
        let (mut functors, mut unseen) = (BTreeSet::new(), 0);
        for (_, legal) in moves {
            let shown = self.rules.iter().find_map(|rule| self.shown_by(rule, [role, other], legal));
            match shown {
                Some(functor) if functors.insert(functor) => {}
                None if legal.arity == 1 && unseen == 0 => unseen += 1,
                _ => return false,
            }
        }
        // A percept that is a variable can be equal to any other percept.
        functors.len() < 2 || !functors.contains(&None)
    }

    /// Whether a rule may make a move legal for a role.
    fn may_move(&self, relation: usize, role: TermId) -> bool {
        let rules = &self.description.rules_of[relation];
        let mut rules = rules.iter().map(|&rule| &self.description.rules[rule as usize]);
        rules.any(|rule| is_or_may_be(rule.head.arguments.first(), role))
    }

    /// The functor of the percept by which a rule shows the first role a move of the second. `None` if the rule has other
    /// conditions, or if the percept lacks an argument of the move. `Some(None)` if the percept is a variable.
    fn shown_by(
        &self,
        rule: &Rule,
        [role, other]: [TermId; 2],
        legal: &Relation,
    ) -> Option<Option<(Symbol, usize)>> {
        let [watcher, percept] = &rule.head.arguments[..] else { return None };
        let (mut does, mut restricted): (Option<&Atom>, Vec<&Term>) = (None, Vec::new());
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) => {
                    let relation = &self.description.relations[atom.relation.index()];
                    match relation.kind {
                        RelationKind::Does if does.is_none() => {
                            if (relation.name, relation.arity) != (legal.name, legal.arity) {
                                return None;
                            }
                            does = Some(atom);
                        }
                        RelationKind::Role => restricted.extend(atom.arguments.iter()),
                        _ => return None,
                    }
                }
                Literal::Distinct(a @ Term::Variable(_), b @ Term::Variable(_)) if a != b => {
                    restricted.extend([a, b]);
                }
                _ => return None,
            }
        }
        let (mover, parts) = does?.arguments.split_first()?;
        let both = [watcher, mover];
        // One variable for both shows a role its own moves only. Other terms of `role` and `distinct` restrict the move.
        if watcher == mover || !restricted.iter().all(|term| both.contains(term)) {
            return None;
        }
        if !is_or_may_be(Some(watcher), role) || !is_or_may_be(Some(mover), other) {
            return None;
        }
        let mut contained = BTreeSet::new();
        percept.for_each_variable(&mut |variable: Variable| {
            contained.insert(variable.index());
        });
        let mut different = BTreeSet::new();
        let all = parts.iter().all(|part| match part {
            Term::Variable(variable) => {
                !both.contains(&part)
                    && contained.contains(&variable.index())
                    && different.insert(variable.index())
            }
            _ => false,
        });
        all.then(|| self.description.functor(percept))
    }
}

fn is_or_may_be(term: Option<&Term>, role: TermId) -> bool {
    match term {
        Some(Term::Variable(_)) => true,
        Some(Term::Ground(term)) => *term == role,
        _ => false,
    }
}
