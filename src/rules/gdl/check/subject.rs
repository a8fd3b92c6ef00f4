//! What checks look at: the statements as written, the normalised rules, and the way between them.

use crate::gdl::Description;
use crate::gdl::dependency::{Dependencies, Use};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Sentence, Statement, Text};

/// A text under examination.
pub(crate) struct Subject<'a> {
    pub(crate) text: &'a Text,
    /// Its rules; where the text has errors, those of its statements that have none.
    pub(crate) description: &'a Description,
    pub(crate) dependencies: Dependencies,
    /// Whether every statement of the text was read.
    pub(crate) complete: bool,
}

impl<'a> Subject<'a> {
    /// Every sentence of a statement: the head first, then those of the body with whether they are negated.
    pub(crate) fn sentences(statement: &'a Statement, visit: &mut impl FnMut(&'a Sentence, Position)) {
        visit(&statement.head, Position::Head);
        for formula in &statement.body {
            formula.for_each_sentence(false, &mut |sentence, _| visit(sentence, Position::Body));
        }
    }

    /// The statement a normalised rule comes from.
    pub(crate) fn statement(&self, rule: u32) -> &'a Statement {
        &self.text.statements[self.description.rules[rule as usize].origin as usize]
    }

    /// Where a rule uses a relation: the literal, or the whole rule.
    pub(crate) fn place(&self, used: Use) -> Span {
        let statement = self.statement(used.rule);
        let mut found = None;
        Self::sentences(statement, &mut |sentence, position| {
            if position == Position::Body && found.is_none() && self.is_of(sentence, used.relation) {
                found = Some(sentence.span);
            }
        });
        found.unwrap_or(statement.span)
    }

    /// Whether the body of a statement asks for a relation.
    pub(crate) fn asks(&self, statement: &'a Statement, relation: RelationId) -> bool {
        let mut asks = false;
        Self::sentences(statement, &mut |sentence, position| {
            asks |= position == Position::Body && self.is_of(sentence, relation);
        });
        asks
    }

    /// Whether a sentence is of a relation, or can be where a variable stands for the fluent or move.
    pub(crate) fn is_of(&self, sentence: &Sentence, relation: RelationId) -> bool {
        let relation = &self.description.relations[relation.index()];
        let count = sentence.arguments.len();
        if sentence.keyword.map_or(Some(RelationKind::View), Keyword::kind) != Some(relation.kind) {
            return false;
        }
        let Some(whole) = sentence.keyword.and_then(Keyword::whole) else {
            return sentence.name == relation.name && count == relation.arity;
        };
        match sentence.arguments.get(whole) {
            Some(Expression::Variable(..)) => true,
            Some(Expression::Application(functor, inner, _)) => {
                *functor == relation.name && inner.len() + whole == relation.arity
            }
            None => false,
        }
    }

    /// How a relation is called in a message: `(true (cell ...))`, `succ/2`.
    pub(crate) fn title(&self, relation: RelationId) -> String {
        let signature = self.description.signature(relation);
        match self.description.relations[relation.index()].kind {
            RelationKind::Init => format!("init of {signature}"),
            RelationKind::True => format!("true of {signature}"),
            RelationKind::Next => format!("next of {signature}"),
            RelationKind::Does => format!("does of {signature}"),
            RelationKind::Legal => format!("legal of {signature}"),
            _ => signature,
        }
    }

    /// The shortest chain of uses from a relation to one that `is_target` accepts.
    pub(crate) fn chain(
        &self,
        from: RelationId,
        is_target: impl Fn(RelationKind) -> bool,
    ) -> Option<Vec<Use>> {
        let count = self.description.relations.len();
        let mut came: Vec<Option<(RelationId, Use)>> = vec![None; count];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(relation) = queue.pop_front() {
            for &used in &self.dependencies.uses[relation.index()] {
                if used.relation == from || came[used.relation.index()].is_some() {
                    continue;
                }
                came[used.relation.index()] = Some((relation, used));
                if is_target(self.description.relations[used.relation.index()].kind) {
                    let mut chain = Vec::new();
                    let mut at = used.relation;
                    while let Some((before, step)) = came[at.index()] {
                        chain.push(step);
                        at = before;
                    }
                    chain.reverse();
                    return Some(chain);
                }
                queue.push_back(used.relation);
            }
        }
        None
    }
}

/// Where a sentence stands in its statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Head,
    Body,
}
