//! Leaves that look back through the rules: the number of steps to a fluent whose distance no order measures.
//!
//! # How
//! The rules of `next` and `legal` are instantiated like those of goals. Every `does` is read as the `legal` of the
//! same move, and negated literals on moves are omitted (a relaxation). A fluent's value comes from its best achiever:
//! the instance of its `next` rules with the greatest value. Fluents in this conjunction look back in turn, for at most
//! `regression` steps. Instances that need the fluent itself are omitted.
//!
//! *Forced moves.* A role makes a move that achieves a fluent against its interest (see `beneficiaries`) only if it has
//! no other move. So the instance gets the conjunct "the role has no move", whose value is greater if the role has
//! fewer moves.
//!
//! # Guarantee
//! A leaf holds if its fluent does. Otherwise its value is at most 1 - t, and it is lower if more steps are needed.
//!
//! # Cost
//! Instances of the game's rules, within the budget of the conditions; nodes for every fluent and number of steps.
//!
//! # Example
//! Two knight's moves from the last row: 0.9 · 0.9 · (1 - t), one move: 0.9 · (1 - t).
//!
//! # Source
//! Regression of goals: Waldinger 1977; a relaxation in which a conjunction costs as much as its most expensive member:
//! Bonet and Geffner 2001. Not in Schiffel and Thielscher 2007; `reports/telling/README.md` lists functions that are
//! constant without it.

use crate::gdl::rule::RelationKind;
use crate::gdl::term::TermId;

use super::beneficiaries::Beneficiaries;
use super::draft::GraphDraft;
use super::graph::{ALWAYS, NEVER, negate};
use super::instances::AtomLiteral;
use super::kinds::{Node, Soon};
use super::mention::Mention;
use super::shape::Shape;
use super::unroll_context::UnrollContext;

/// Limit of nested rules, so that recursion can't overflow the stack.
const MOST_DEPTH: usize = 200;

/// Limit of the alternatives of a negated atom.
pub(super) const MOST_ALTERNATIVES: usize = 1_000;

/// Limit of a role's moves for the node of "it has no move".
const MOST_MOVES: usize = 2_000;

/// The pass that adds leaves which look back to a graph.
pub(super) struct GoalRegression<'a> {
    pub(super) context: &'a UnrollContext<'a>,
    pub(super) draft: &'a mut GraphDraft,
}

impl GoalRegression<'_> {
    /// The leaf of a fluent that looks back at most `steps` steps.
    pub(super) fn fluent(&mut self, fluent: u32, steps: u32) -> Mention {
        let context = self.context;
        self.draft.memo.cut |= self.draft.graph.mentions > context.regression.mentions;
        if steps == 0 || self.draft.memo.cut || context.interrupt.is_set() {
            return self.draft.fact(context, fluent);
        }
        let key = (fluent, steps);
        if let Some(&known) = self.draft.memo.nodes.get(&key) {
            return known;
        }
        // `next` has fewer steps, so the recursion ends.
        let next = context.next_of(fluent).map_or(NEVER, |next| {
            let changes = |body: &&[AtomLiteral]| !body.contains(&(fluent, false));
            let bodies = context.instances.of(next).filter(changes);
            let beneficiaries = self.draft.memo.beneficiaries.get(&fluent).copied();
            self.best_achiever(bodies, steps - 1, beneficiaries)
        });
        let mention = match next {
            NEVER | ALWAYS => self.draft.fact(context, fluent),
            next => self.draft.graph.node(Node::Soon(Soon { fact: context.text(fluent), next })),
        };
        self.draft.memo.nodes.insert(key, mention);
        mention
    }

    /// The node of the best conjunction.
    pub(super) fn best_of<'b>(
        &mut self,
        bodies: impl Iterator<Item = &'b [AtomLiteral]>,
        steps: u32,
    ) -> Mention {
        self.best_achiever(bodies, steps, None)
    }

    /// The node of the best conjunction, if they achieve a fluent with these beneficiaries.
    fn best_achiever<'b>(
        &mut self,
        bodies: impl Iterator<Item = &'b [AtomLiteral]>,
        steps: u32,
        beneficiaries: Option<Beneficiaries>,
    ) -> Mention {
        let mut cases = Vec::new();
        for body in bodies {
            let members = body.iter().map(|&(atom, negated)| match negated {
                false => self.atom(atom, steps),
                true => self.negated_atom(atom),
            });
            let mut members: Vec<Mention> = members.collect();
            members.extend(beneficiaries.and_then(|sides| self.forced_move(body, sides)));
            match self.draft.graph.and(members) {
                NEVER => {}
                ALWAYS => return ALWAYS,
                case => cases.push(case),
            }
        }
        self.draft.graph.best(cases)
    }

    /// The node of an atom whose fluents look back at most `steps` steps.
    fn atom(&mut self, atom: u32, steps: u32) -> Mention {
        let context = self.context;
        match Shape::of(context, atom, &context.regression.lifted) {
            Shape::Fact => self.fluent(atom, steps),
            Shape::Measured(node) => self.draft.measured(context, atom, node),
            // Rules that are not unrolled give no distance.
            Shape::Derived => NEVER,
            Shape::Compare(sides) => match self.draft.mentions.get(&atom) {
                Some(&mention) => mention,
                None => {
                    let mut node_of =
                        |draft: &mut GraphDraft, atom| GoalRegression { context, draft }.atom(atom, 0);
                    self.draft.comparison(&sides, &mut node_of)
                }
            },
            Shape::Anywhere | Shape::Rules => {
                let key = (atom, steps);
                if let Some(&known) = self.draft.memo.nodes.get(&key) {
                    return known;
                }
                if self.draft.memo.cut
                    || context.interrupt.is_set()
                    || self.draft.memo.stack.len() >= MOST_DEPTH
                    || context.is_fluent(atom)
                    || !self.draft.memo.stack.insert(key)
                {
                    return NEVER;
                }
                let mention = self.best_of(context.instances.of(atom), steps);
                self.draft.memo.stack.remove(&key);
                self.draft.memo.nodes.insert(key, mention);
                mention
            }
        }
    }

    /// The node of a negated atom: a fluent, an atom of the conditions, or a disjunction of fluents. Other atoms are
    /// omitted.
    fn negated_atom(&mut self, atom: u32) -> Mention {
        let context = self.context;
        if context.is_fluent(atom) {
            return negate(self.draft.fact(context, atom));
        }
        match (self.draft.mentions.get(&atom), context.alternatives(atom, MOST_ALTERNATIVES)) {
            (Some(&mention), _) => negate(mention),
            (None, Some(fluents)) => negate(self.draft.any_fact(context, &fluents)),
            (None, None) => ALWAYS,
        }
    }

    /// The node of "it has no move" for the role that makes the move of a body, unless the role benefits.
    fn forced_move(&mut self, body: &[AtomLiteral], sides: Beneficiaries) -> Option<Mention> {
        let context = self.context;
        let is_move =
            |&&(atom, negated): &&AtomLiteral| !negated && context.kind(atom) == RelationKind::Legal;
        let benefits = |role: &TermId| if context.team.contains(role) { sides.own } else { sides.others };
        let movers = body.iter().filter(is_move).map(|&(atom, _)| context.instances.arguments(atom)[0]);
        let mover = movers.into_iter().find(|role| !benefits(role))?;
        if let Some(&known) = self.draft.memo.no_move.get(&mover) {
            return known;
        }
        let blocked = self.no_move(mover);
        self.draft.memo.no_move.insert(mover, blocked);
        blocked
    }

    /// The node of "it has no move" for a role.
    fn no_move(&mut self, role: TermId) -> Option<Mention> {
        let context = self.context;
        let legal = context.description.relation_ids().filter(|(_, of)| of.kind == RelationKind::Legal);
        let mut moves: Vec<u32> = Vec::new();
        for (relation, _) in legal {
            let rows = context.instances.database.table(relation).iter().filter(|row| row[0] == role);
            moves.extend(rows.filter_map(|row| context.instances.atom(relation, row)));
            if moves.len() > MOST_MOVES {
                return None;
            }
        }
        let cases = moves.into_iter().map(|atom| self.atom(atom, 0)).collect();
        match negate(self.draft.graph.or(cases)) {
            ALWAYS | NEVER => None,
            none => Some(none),
        }
    }
}
