//! Leaves that look back through the rules: how far off is a fact that nothing measures?
//!
//! # What it does
//! Gives a fluent that does not hold a value by what would bring it about: a piece without ordered coordinates by the
//! moves that lead to its cell, a queen by the pawn that may become one, a thing that is held by the way to it.
//!
//! # How
//! The rules of `next` and `legal` are instantiated as those of goals are, with every `does` read as the `legal` of the
//! same move, and negated literals on moves left out (a relaxation: the best move is free). A fluent's leaf then is as
//! near as its best instance of `next`, a conjunction in which other fluents look back in turn, as many steps as
//! `regression` says. Instances that need the fluent itself (what stays as it is) are left out.
//!
//! # Guarantee
//! A leaf holds where its fluent does; else it is worth at most 1 - t, and less the more steps are needed.
//!
//! # Cost
//! Instances of the game's rules, within the budget of the conditions; nodes for every fluent and number of steps.
//!
//! # Example
//! Two knight's moves from the last row: 0.9 · 0.9 · (1 - t), one move: 0.9 · (1 - t).
//!
//! # Source
//! Regression of goals: Waldinger 1977; a relaxation whose preconditions cost what the dearest of them does: Bonet and
//! Geffner 2001. Not in
//! Schiffel and Thielscher 2007; `reports/telling/README.md` shows the functions that were flat before.

use crate::gdl::rule::RelationKind;

use super::graph::{ALWAYS, NEVER, negate};
use super::kinds::{Node, Soon};
use super::mention::Mention;
use super::shape::Shape;
use super::unroller::{GraphDraft, Unroller, Wanted};

/// Rules that lead from one atom to the next before a way is given up: nobody's recursion may fill the stack.
const DEEPEST: usize = 200;

impl Unroller<'_> {
    /// The leaf of a fluent, that may look back so many steps.
    pub(super) fn looking_back(&self, fluent: u32, steps: u32, made: &mut GraphDraft) -> Mention {
        let plain = Node::Fact(self.text(fluent));
        made.regressed.cut |= made.graph.mentions > self.regression.mentions;
        if steps == 0 || made.regressed.cut || self.interrupt.is_set() {
            return made.graph.node(plain);
        }
        let key = (fluent, steps);
        if let Some(&known) = made.regressed.nodes.get(&key) {
            return known;
        }
        // The rules of `next` never lead back to the same leaf with as many steps, so this ends.
        let next = self.next_of(fluent).map_or(NEVER, |next| {
            let without = |body: &&[(u32, bool)]| !body.contains(&(fluent, false));
            let bodies: Vec<Vec<(u32, bool)>> =
                self.instances.of(next).filter(without).map(<[_]>::to_vec).collect();
            let wanted = made.regressed.wanted.get(&fluent).copied();
            self.best_way(&bodies, steps - 1, wanted, made)
        });
        let node = match next {
            NEVER | ALWAYS => plain,
            next => Node::Soon(Soon { fact: self.text(fluent), next }),
        };
        let mention = made.graph.node(node);
        made.regressed.nodes.insert(key, mention);
        mention
    }

    /// The atom that says that a fluent holds in the next state.
    pub(super) fn next_of(&self, fluent: u32) -> Option<u32> {
        let (relation, _) = self.instances.atoms[fluent as usize];
        let of = &self.rules.relations[relation.index()];
        let next = self.description.relation(RelationKind::Next, of.name, of.arity)?;
        self.instances.atom(next, self.instances.arguments(fluent))
    }

    /// The best of some conjunctions.
    pub(super) fn best_of(&self, bodies: &[Vec<(u32, bool)>], steps: u32, made: &mut GraphDraft) -> Mention {
        self.best_way(bodies, steps, None, made)
    }

    /// The best of some conjunctions that bring about what is wanted by these.
    fn best_way(
        &self,
        bodies: &[Vec<(u32, bool)>],
        steps: u32,
        wanted: Option<Wanted>,
        made: &mut GraphDraft,
    ) -> Mention {
        let mut cases = Vec::new();
        for body in bodies {
            let members = body.iter().map(|&(atom, negated)| match negated {
                false => self.possible(atom, steps, made),
                true => self.absent(atom, made),
            });
            let mut members: Vec<Mention> = members.collect();
            members.extend(wanted.and_then(|wanted| self.driven(body, wanted, made)));
            match made.graph.and(members) {
                NEVER => {}
                ALWAYS => return ALWAYS,
                case => cases.push(case),
            }
        }
        made.graph.best(cases)
    }

    /// The node of an atom that is wanted, where fluents may look back so many steps.
    pub(super) fn possible(&self, atom: u32, steps: u32, made: &mut GraphDraft) -> Mention {
        let (relation, _) = self.instances.atoms[atom as usize];
        match self.shape(atom, &self.regression.lifted) {
            Shape::Fact => self.looking_back(atom, steps, made),
            Shape::Measured(node) => {
                self.add_family(atom, made);
                made.graph.node(node)
            }
            // Rules that were not unrolled can't say how near a move is.
            Shape::Derived => NEVER,
            Shape::Compare(sides) => match made.mentions.get(&atom) {
                Some(&mention) => mention,
                None => self.comparison_node(&sides, made, &mut |made, atom| self.possible(atom, 0, made)),
            },
            Shape::Anywhere | Shape::Rules => {
                let key = (atom, steps);
                if let Some(&known) = made.regressed.nodes.get(&key) {
                    return known;
                }
                let ended = made.regressed.cut || self.interrupt.is_set();
                if ended
                    || made.regressed.under_way.len() >= DEEPEST
                    || self.rules.relations[relation.index()].kind == RelationKind::True
                    || !made.regressed.under_way.insert(key)
                {
                    return NEVER;
                }
                let bodies: Vec<Vec<(u32, bool)>> = self.instances.of(atom).map(<[_]>::to_vec).collect();
                let mention = self.best_of(&bodies, steps, made);
                made.regressed.under_way.remove(&key);
                made.regressed.nodes.insert(key, mention);
                mention
            }
        }
    }

    /// The node of an atom that must not hold: a fluent, what the conditions have anyway, or that none of some fluents does.
    fn absent(&self, atom: u32, made: &mut GraphDraft) -> Mention {
        let (relation, _) = self.instances.atoms[atom as usize];
        match self.rules.relations[relation.index()].kind {
            RelationKind::True => negate(made.graph.node(Node::Fact(self.text(atom)))),
            _ => match (made.mentions.get(&atom), self.some_fact(atom)) {
                (Some(&mention), _) => negate(mention),
                (None, Some(facts)) => {
                    let facts =
                        facts.iter().map(|&fact| made.graph.node(Node::Fact(self.text(fact)))).collect();
                    negate(made.graph.or(facts))
                }
                (None, None) => ALWAYS,
            },
        }
    }
}
