//! Which arguments of a relation are bound whenever a rule asks for it, read from left to right.
//!
//! A prover that works from the question down has the values of such arguments before it looks at the body. So a
//! negated literal with the head's variable stands behind what binds it, though only a later literal of its own
//! body does: `(<= (pick ?d ?v) (not (level ?d)) (upright ?d ?v))`, asked for only with `?d` known, says that this
//! `?d` is not level, not that nothing is.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Clause, Literal};
use crate::gdl::statement::Sentence;
use crate::gdl::symbol::Symbol;

/// For every relation with rules, by name and number of arguments, the arguments that are bound in every call.
pub(super) struct Calls {
    bound: FxHashMap<(Symbol, usize), Vec<bool>>,
}

impl Calls {
    /// The calls in some clauses: the largest assignment that agrees with all of them.
    pub(super) fn new(clauses: &[Clause]) -> Calls {
        let mut calls = Calls { bound: FxHashMap::default() };
        let mut clauses_of: FxHashMap<(Symbol, usize), Vec<usize>> = FxHashMap::default();
        for (number, Clause { head, .. }) in clauses.iter().enumerate() {
            if head.keyword.is_none() {
                calls.bound.insert(key(head), vec![true; head.arguments.len()]);
                clauses_of.entry(key(head)).or_default().push(number);
            }
        }
        let mut pending: Vec<usize> = (0..clauses.len()).collect();
        while let Some(number) = pending.pop() {
            for changed in calls.look_at(&clauses[number]) {
                pending.extend(clauses_of.get(&changed).into_iter().flatten());
            }
        }
        calls
    }

    /// Variables of a clause's head that have their values in every call.
    pub(super) fn known(&self, clause: &Clause) -> FxHashSet<u32> {
        let mut known = FxHashSet::default();
        // What the machine itself asks for (`legal`, `next`, ...) it asks for openly.
        if clause.head.keyword.is_none()
            && let Some(bound) = self.bound.get(&key(&clause.head))
        {
            for (argument, _) in clause.head.arguments.iter().zip(bound).filter(|&(_, &bound)| bound) {
                argument.for_each_variable(&mut |variable, _| {
                    known.insert(variable);
                });
            }
        }
        known
    }

    /// Takes the calls in a clause into account; gives the relations that are now called with less.
    fn look_at(&mut self, clause: &Clause) -> Vec<(Symbol, usize)> {
        let mut known = self.known(clause);
        let mut changed = Vec::new();
        for literal in &clause.body {
            let (Literal::Positive(sentence) | Literal::Negative(sentence)) = literal else { continue };
            if let Some(bound) = self.bound.get_mut(&key(sentence)).filter(|_| sentence.keyword.is_none()) {
                let mut fewer = false;
                for (argument, bound) in sentence.arguments.iter().zip(bound).filter(|(_, bound)| **bound) {
                    argument.for_each_variable(&mut |variable, _| *bound &= known.contains(&variable));
                    fewer |= !*bound;
                }
                if fewer {
                    changed.push(key(sentence));
                }
            }
            if matches!(literal, Literal::Positive(_)) {
                sentence.for_each_variable(&mut |variable, _| {
                    known.insert(variable);
                });
            }
        }
        changed
    }
}

fn key(sentence: &Sentence) -> (Symbol, usize) {
    (sentence.name, sentence.arguments.len())
}

#[cfg(test)]
mod tests {
    use crate::gdl::{Source, read};

    /// The rules of `pick` as they were normalised, with a caller.
    fn pick(caller: &str) -> Vec<String> {
        let text = format!(
            "(role r) (init (at 1)) (direction n) (direction e) (level e) (upright n up)
             (<= (pick ?d ?v) (not (level ?d)) (upright ?d ?v))
             {caller}
             (<= (next (at ?x)) (does r ?x)) (<= terminal (true (at up))) (goal r 100)"
        );
        let reading = read(&Source::from_text("pick", text));
        let description = reading.description.expect("the rules have no error");
        let rules = description.rules.iter().map(|rule| description.display_rule(rule));
        rules.filter(|rule| rule.starts_with("(<= (pick")).collect()
    }

    #[test]
    fn a_variable_that_callers_bind_is_bound_under_negation() {
        let rules = pick("(<= (legal r ?v) (direction ?d) (pick ?d ?v))");
        assert_eq!(rules, ["(<= (pick ?d ?v) (not (level ?d)) (upright ?d ?v))"]);
        let through = "(<= (legal r ?v) (direction ?d) (choose ?d ?v)) (<= (choose ?a ?b) (pick ?a ?b))";
        assert_eq!(pick(through), rules);
    }

    #[test]
    fn one_open_call_leaves_it_open() {
        let open = "(<= (legal r ?v) (direction ?d) (pick ?d ?v)) (<= (legal r ?d) (pick ?d ?v))";
        for rules in [pick(open), pick("(<= (legal r ?v) (pick ?d ?v) (direction ?d))")] {
            assert_eq!(rules, ["(<= (pick ?d ?v) (not aux_1) (upright ?d ?v))"]);
        }
    }
}
