//! Who wants a fact: the roles whose goals are nearer where it holds.
//!
//! # What it does
//! Tells facts that a role brings about for itself from those that it is driven to, as to eat the poisoned piece when
//! nothing else is left.
//!
//! # How
//! From the role's goals and from its opponents' the atoms are followed that stand under an even number of negations. Where
//! facts look back through the rules (see `regression`), a way by the move of a role that does not want the fact is as near
//! as that role is short of moves: a conjunction with the negation of "it has some move", worth more the fewer there are.
//!
//! # Guarantee
//! As for every way, at most 1 - t where the fact does not hold.
//!
//! # Cost
//! One visit an atom, and a node for each move of such a role.
//!
//! # Example
//! Chomp: a square less for the other one to bite into brings him nearer to the last.
//!
//! # Source
//! Our own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::rule::RelationKind;
use crate::gdl::term::TermId;

use super::graph::{ALWAYS, NEVER, negate};
use super::mention::Mention;
use super::unroller::{GraphDraft, Roots, STRIDE, Unroller, Wanted};

/// Moves of a role that are looked at.
const MOST_MOVES: usize = 2_000;

impl Unroller<'_> {
    /// Who wants the atoms that goals are made of; nothing where there is no opponent.
    pub(super) fn wanted_by(&self, roots: &Roots) -> FxHashMap<u32, Wanted> {
        let mut found: FxHashMap<u32, Wanted> = FxHashMap::default();
        if self.regression.steps == 0 || roots.against.is_empty() {
            return found;
        }
        for (own, goals) in [(true, &roots.goals), (false, &roots.against)] {
            let mut seen: FxHashSet<(u32, bool)> = FxHashSet::default();
            let mut stack: Vec<(u32, bool)> = goals.iter().map(|&(_, atom)| (atom, true)).collect();
            while let Some((atom, wanted)) = stack.pop() {
                // Whoever interrupts it throws away what is made of it.
                if seen.len().is_multiple_of(STRIDE) && self.interrupt.is_set() {
                    return found;
                }
                if !seen.insert((atom, wanted)) {
                    continue;
                }
                if wanted {
                    let of = found.entry(atom).or_default();
                    *(if own { &mut of.own } else { &mut of.others }) = true;
                }
                let literals = self.instances.of(atom).flatten();
                stack.extend(literals.map(|&(other, negated)| (other, wanted != negated)));
            }
        }
        found
    }

    /// What makes the role that has to move in a way do so though it does not want the fact: that it has few moves.
    pub(super) fn driven(
        &self,
        body: &[(u32, bool)],
        wanted: Wanted,
        made: &mut GraphDraft,
    ) -> Option<Mention> {
        let movers = body.iter().filter(|&&(atom, negated)| !negated && self.is_legal(atom));
        let unwilling = |mover: TermId| match (self.own.contains(&mover), wanted) {
            (true, Wanted { own, .. }) => !own,
            (false, Wanted { others, .. }) => !others,
        };
        let mut movers =
            movers.map(|&(atom, _)| self.instances.arguments(atom)[0]).filter(|&of| unwilling(of));
        let mover = movers.next()?;
        if let Some(&known) = made.regressed.without_move.get(&mover) {
            return known;
        }
        let found = self.without_move(mover, made);
        made.regressed.without_move.insert(mover, found);
        found
    }

    fn is_legal(&self, atom: u32) -> bool {
        let (relation, _) = self.instances.atoms[atom as usize];
        self.rules.relations[relation.index()].kind == RelationKind::Legal
    }

    /// That a role has no move.
    fn without_move(&self, role: TermId, made: &mut GraphDraft) -> Option<Mention> {
        let legal = self.description.relation_ids().filter(|(_, of)| of.kind == RelationKind::Legal);
        let mut moves: Vec<u32> = Vec::new();
        for (relation, _) in legal {
            let rows = self.instances.database.table(relation).iter().filter(|row| row[0] == role);
            moves.extend(rows.filter_map(|row| self.instances.atom(relation, row)));
            if moves.len() > MOST_MOVES {
                return None;
            }
        }
        let cases = moves.into_iter().map(|atom| self.possible(atom, 0, made)).collect();
        match negate(made.graph.or(cases)) {
            ALWAYS | NEVER => None,
            none => Some(none),
        }
    }
}
