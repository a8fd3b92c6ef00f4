//! The absence of a piece, valued by how nearly it is captured.
//!
//! A piece such as a king that may be taken is on some cell in every state before the end. So the condition "it is
//! gone" would have the same value in all of these states.
//!
//! # How
//! A negated atom is the absence of a piece if it is the disjunction of the fluents of that piece. Then, for the cell
//! with the piece, the value is that of the best instance of `next` that puts another fluent on the cell (see
//! `regression`). Instances that are impossible while the piece is there are omitted, such as moves of its own side to
//! its cell.
//!
//! # Guarantee
//! The condition holds if the piece is gone. Otherwise its value is at most 1 - t.
//!
//! # Example
//! Chess where kings are taken: an attack on the king has the greatest value.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::term::TermId;

use super::draft::GraphDraft;
use super::graph::{NEVER, negate};
use super::instances::AtomLiteral;
use super::kinds::{Node, Toward};
use super::mention::Mention;
use super::pieces::Piece;
use super::regression::{GoalRegression, MOST_ALTERNATIVES};
use super::unroll_context::{MOST_RULES, UnrollContext};

/// The node of the absence of a piece, if that is the meaning of an atom's negation.
pub(super) fn captured(context: &UnrollContext<'_>, draft: &mut GraphDraft, atom: u32) -> Option<Mention> {
    if context.regression.steps == 0 || context.pieces.is_empty() || draft.memo.cut {
        return None;
    }
    if let Some(&known) = draft.memo.captured.get(&atom) {
        return known;
    }
    let found = capture(context, draft, atom);
    draft.memo.captured.insert(atom, found);
    found
}

fn capture(context: &UnrollContext<'_>, draft: &mut GraphDraft, atom: u32) -> Option<Mention> {
    let fluents = context.alternatives(atom, MOST_ALTERNATIVES)?;
    let relation = context.relation(*fluents.first()?);
    let is_of = |piece: &&Piece| {
        piece.relation == relation
            && fluents.iter().all(|&fluent| {
                let arguments = context.instances.arguments(fluent);
                context.relation(fluent) == relation
                    && piece.symbol.iter().all(|(index, name)| context.term(arguments[*index]) == *name)
            })
    };
    let piece = context.pieces.iter().find(is_of)?;
    let own: FxHashSet<u32> = fluents.iter().copied().collect();
    let cell = |arguments: &[TermId]| -> Vec<TermId> {
        piece.inputs.iter().map(|&index| arguments[index]).collect()
    };
    let mut others: FxHashMap<Vec<TermId>, Vec<u32>> = FxHashMap::default();
    for row in context.instances.database.table(relation).iter() {
        let other = context.instances.atom(relation, row).filter(|other| !own.contains(other));
        others.entry(cell(row)).or_default().extend(other);
    }
    let mut cases = Vec::new();
    for &fluent in &fluents {
        if context.interrupt.is_set() || draft.memo.cut {
            break;
        }
        let mut exclusion = Exclusion { context, fluent, known: FxHashMap::default() };
        let mut bodies = Vec::new();
        for &other in others.get(&cell(context.instances.arguments(fluent))).into_iter().flatten() {
            let Some(next) = context.next_of(other) else { continue };
            let changes = |body: &&[AtomLiteral]| !body.contains(&(other, false));
            let possible = context.instances.of(next).filter(changes);
            bodies.extend(possible.filter(|body| !exclusion.rules_out(body, MOST_RULES)));
        }
        let achiever =
            GoalRegression { context, draft }.best_of(bodies.into_iter(), context.regression.steps - 1);
        let is_there = draft.fact(context, fluent);
        cases.push(draft.graph.and(vec![is_there, achiever]));
    }
    let next = draft.graph.best(cases);
    if next == NEVER {
        return None;
    }
    let holds = negate(draft.any_fact(context, &fluents));
    Some(draft.graph.node(Node::Toward(Toward { holds, next })))
}

/// Finds atoms that can't hold together with a fluent, following at most [`MOST_RULES`] rules.
struct Exclusion<'a> {
    context: &'a UnrollContext<'a>,
    fluent: u32,
    known: FxHashMap<u32, bool>,
}

impl Exclusion<'_> {
    fn rules_out(&mut self, body: &[AtomLiteral], depth: usize) -> bool {
        body.iter().any(|&(atom, negated)| match negated {
            true => self.follows(atom, depth),
            false => self.excludes(atom, depth),
        })
    }

    /// Whether all instances of an atom are ruled out.
    fn excludes(&mut self, atom: u32, depth: usize) -> bool {
        let context = self.context;
        let Some(depth) = depth.checked_sub(1) else { return false };
        if context.is_fluent(atom) || context.regression.lifted.contains(&context.relation(atom)) {
            return false;
        }
        if let Some(&known) = self.known.get(&atom) {
            return known;
        }
        // An instance that leads back to the atom is not ruled out.
        self.known.insert(atom, false);
        let mut bodies = context.instances.of(atom).peekable();
        let excluded = bodies.peek().is_some() && bodies.all(|body| self.rules_out(body, depth));
        self.known.insert(atom, excluded);
        excluded
    }

    /// Whether the fluent alone implies an atom.
    fn follows(&self, atom: u32, depth: usize) -> bool {
        if atom == self.fluent {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let mut bodies = self.context.instances.of(atom);
        bodies.any(|body| matches!(body, &[(only, false)] if self.follows(only, depth)))
    }
}
