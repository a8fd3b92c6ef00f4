//! Things whose absence is wanted: how nearly are they captured?
//!
//! # What it does
//! Gives the condition "no such piece is left", as of a king that may be taken, a value by what can come to its cell. The
//! piece stands somewhere in every state until the end, so that without this the condition is worth the same in all of
//! them.
//!
//! # How
//! Where an atom is no more than "the piece is on some cell" and stands negated, each cell is worth what the best way is worth
//! to bring something else there, while the piece is there: an instance of `next` that looks back as in `regression`. Ways
//! that the piece's being there rules out are left out, as its own side may not move to its cell.
//!
//! # Guarantee
//! The condition holds where the piece is gone; else it is worth at most 1 - t.
//!
//! # Cost
//! Nodes for every move that leads to a cell where the piece can be.
//!
//! # Example
//! Chess where kings are taken: an attack on the king is worth most, else how near attackers are to cells from which they
//! would reach it.
//!
//! # Source
//! Our own, by the means of `regression`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::rule::RelationKind;
use crate::gdl::term::TermId;

use super::graph::{NEVER, negate};
use super::kinds::{Node, Toward};
use super::mention::Mention;
use super::pieces::Piece;
use super::unroller::{GraphDraft, Unroller};

/// Rules between an atom and the facts that it is about.
const DEEP: usize = 6;

/// Facts that an atom may be about.
const MOST_FACTS: usize = 1_000;

impl Unroller<'_> {
    /// The node of the absence of a piece, where that is what the negation of an atom says.
    pub(super) fn captured(&self, atom: u32, made: &mut GraphDraft) -> Option<Mention> {
        if self.regression.steps == 0 || self.pieces.is_empty() || made.regressed.cut {
            return None;
        }
        if let Some(&known) = made.regressed.captured.get(&atom) {
            return known;
        }
        let found = self.captures(atom, made);
        made.regressed.captured.insert(atom, found);
        found
    }

    fn captures(&self, atom: u32, made: &mut GraphDraft) -> Option<Mention> {
        let facts = self.some_fact(atom)?;
        let (relation, _) = self.instances.atoms[*facts.first()? as usize];
        let is_of = |piece: &&Piece| {
            piece.relation == relation
                && facts.iter().all(|&fact| {
                    let arguments = self.instances.arguments(fact);
                    self.instances.atoms[fact as usize].0 == relation
                        && piece.symbol.iter().all(|(place, name)| self.term(arguments[*place]) == *name)
                })
        };
        let piece = self.pieces.iter().find(is_of)?;
        let own: FxHashSet<u32> = facts.iter().copied().collect();
        let cell = |arguments: &[TermId]| -> Vec<TermId> {
            piece.inputs.iter().map(|&place| arguments[place]).collect()
        };
        let mut others: FxHashMap<Vec<TermId>, Vec<u32>> = FxHashMap::default();
        for row in self.instances.database.table(relation).iter() {
            let other = self.instances.atom(relation, row).filter(|other| !own.contains(other));
            others.entry(cell(row)).or_default().extend(other);
        }
        let mut cases = Vec::new();
        for &fact in &facts {
            if self.interrupt.is_set() || made.regressed.cut {
                break;
            }
            let there = others.get(&cell(self.instances.arguments(fact)));
            let mut ruled_out = FxHashMap::default();
            let mut ways = Vec::new();
            for &other in there.into_iter().flatten() {
                let Some(next) = self.next_of(other) else { continue };
                let leads = |body: &&[(u32, bool)]| !body.contains(&(other, false));
                for body in self.instances.of(next).filter(leads) {
                    if !self.is_ruled_out(body, fact, DEEP, &mut ruled_out) {
                        ways.push(body.to_vec());
                    }
                }
            }
            let way = self.best_of(&ways, self.regression.steps - 1, made);
            let is_there = made.graph.node(Node::Fact(self.text(fact)));
            cases.push(made.graph.and(vec![is_there, way]));
        }
        let next = made.graph.best(cases);
        if next == NEVER {
            return None;
        }
        let there = facts.iter().map(|&fact| made.graph.node(Node::Fact(self.text(fact)))).collect();
        let holds = negate(made.graph.or(there));
        Some(made.graph.node(Node::Toward(Toward { holds, next })))
    }

    /// The facts of which an atom says no more than that one of them holds.
    pub(super) fn some_fact(&self, atom: u32) -> Option<Vec<u32>> {
        self.some_fact_of(atom, MOST_FACTS)
    }

    /// The same for at most `most` facts.
    pub(super) fn some_fact_of(&self, atom: u32, most: usize) -> Option<Vec<u32>> {
        let mut facts = Vec::new();
        self.add_facts(atom, DEEP, most, &mut facts)?;
        facts.sort_unstable();
        facts.dedup();
        Some(facts)
    }

    fn add_facts(&self, atom: u32, deep: usize, most: usize, facts: &mut Vec<u32>) -> Option<()> {
        let (relation, _) = self.instances.atoms[atom as usize];
        if self.rules.relations[relation.index()].kind == RelationKind::True {
            facts.push(atom);
            return (facts.len() <= most).then_some(());
        }
        let deep = deep.checked_sub(1).filter(|_| !self.regression.lifted.contains(&relation))?;
        for body in self.instances.of(atom) {
            let &[(only, false)] = body else { return None };
            self.add_facts(only, deep, most, facts)?;
        }
        Some(())
    }

    /// Whether a body can't hold while a fact does, as far as that is easily seen.
    fn is_ruled_out(
        &self,
        body: &[(u32, bool)],
        fact: u32,
        deep: usize,
        known: &mut FxHashMap<u32, bool>,
    ) -> bool {
        body.iter().any(|&(atom, negated)| match negated {
            true => self.follows(atom, fact, deep),
            false => self.never_beside(atom, fact, deep, known),
        })
    }

    /// Whether no way to an atom can hold while a fact does.
    fn never_beside(&self, atom: u32, fact: u32, deep: usize, known: &mut FxHashMap<u32, bool>) -> bool {
        let (relation, _) = self.instances.atoms[atom as usize];
        let Some(deep) = deep.checked_sub(1) else { return false };
        if self.rules.relations[relation.index()].kind == RelationKind::True
            || self.regression.lifted.contains(&relation)
        {
            return false;
        }
        if let Some(&never) = known.get(&atom) {
            return never;
        }
        // A way that leads back to itself is none.
        known.insert(atom, false);
        let mut bodies = self.instances.of(atom).peekable();
        let never = bodies.peek().is_some() && bodies.all(|body| self.is_ruled_out(body, fact, deep, known));
        known.insert(atom, never);
        never
    }

    /// Whether an atom holds wherever a fact does, as one of its rules asks for nothing else.
    fn follows(&self, atom: u32, fact: u32, deep: usize) -> bool {
        if atom == fact {
            return true;
        }
        let Some(deep) = deep.checked_sub(1) else { return false };
        let mut bodies = self.instances.of(atom);
        bodies.any(|body| matches!(body, &[(only, false)] if self.follows(only, fact, deep)))
    }
}
