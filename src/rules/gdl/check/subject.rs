//! The input of the checks: statements as written, normalised rules, and the mapping between them.

use crate::gdl::Description;
use crate::gdl::dependency::{Dependencies, Use};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{Relation, RelationId, RelationKind};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Sentence, Statement, Text};

/// A text with its normalised rules.
pub(crate) struct Subject<'a> {
    pub(crate) text: &'a Text,
    /// The rules of all statements without errors.
    pub(crate) description: &'a Description,
    pub(crate) dependencies: Dependencies,
    /// Whether every statement of the text was read.
    pub(crate) complete: bool,
}

impl<'a> Subject<'a> {
    /// Calls `visit` for the head of a statement, then for every sentence of its body.
    pub(crate) fn sentences(statement: &'a Statement, visit: &mut impl FnMut(&'a Sentence, Position)) {
        visit(&statement.head, Position::Head);
        for formula in &statement.body {
            formula.for_each_sentence(false, &mut |sentence, _| visit(sentence, Position::Body));
        }
    }

    /// The statement from which a normalised rule was made.
    pub(crate) fn statement(&self, rule: u32) -> &'a Statement {
        &self.text.statements[self.description.rules[rule as usize].origin as usize]
    }

    /// The literal by which a rule uses a relation, or the whole rule if normalisation made the literal.
    pub(crate) fn place(&self, used: Use) -> Span {
        self.literal_of(used).map_or(self.statement(used.rule).span, |(sentence, _)| sentence.span)
    }

    /// The literal by which a rule uses a relation, with its statement; `None` if normalisation made the literal.
    pub(crate) fn literal_of(&self, used: Use) -> Option<(&'a Sentence, &'a Statement)> {
        let (statement, mut literal) = (self.statement(used.rule), None);
        Self::sentences(statement, &mut |sentence, position| {
            if position == Position::Body && literal.is_none() && self.is_of(sentence, used.relation) {
                literal = Some((sentence, statement));
            }
        });
        literal
    }

    /// The literal by which a rule uses a relation as it is written, with backquotes.
    pub(crate) fn written(&self, used: Use) -> String {
        match self.literal_of(used) {
            Some((sentence, statement)) => format!("`{}`", self.sentence(sentence, statement)),
            None => self.title(used.relation),
        }
    }

    /// A sentence as text.
    pub(crate) fn sentence(&self, sentence: &Sentence, statement: &Statement) -> String {
        self.application(self.text.symbols.name(sentence.name), &sentence.arguments, statement)
    }

    /// Whether the body of a statement uses a relation.
    pub(crate) fn asks(&self, statement: &'a Statement, relation: RelationId) -> bool {
        let mut asks = false;
        Self::sentences(statement, &mut |sentence, position| {
            asks |= position == Position::Body && self.is_of(sentence, relation);
        });
        asks
    }

    /// Whether a sentence is an atom of a relation, or can become one because a variable stands for its fluent or move.
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

    /// The name of a relation in messages, with backquotes: `` `(true (cell ...))` ``, `` `succ/2` ``, `` `terminal` ``.
    pub(crate) fn title(&self, relation: RelationId) -> String {
        let Relation { kind, name, arity, .. } = self.description.relations[relation.index()];
        let name = self.description.symbols.name(name);
        let term = |roles| if arity == roles { name.to_owned() } else { format!("({name} ...)") };
        match kind {
            RelationKind::Init => format!("`(init {})`", term(0)),
            RelationKind::True => format!("`(true {})`", term(0)),
            RelationKind::Next => format!("`(next {})`", term(0)),
            RelationKind::Does => format!("`(does role {})`", term(1)),
            RelationKind::Legal => format!("`(legal role {})`", term(1)),
            RelationKind::Role | RelationKind::Goal | RelationKind::Terminal => format!("`{name}`"),
            RelationKind::View | RelationKind::Auxiliary => {
                format!("`{}`", self.description.signature(relation))
            }
        }
    }

    /// A term of a statement as text.
    pub(crate) fn term(&self, term: &Expression, statement: &Statement) -> String {
        match term {
            Expression::Variable(variable, _) => {
                format!("?{}", self.text.variables.name(statement.variables[*variable as usize]))
            }
            Expression::Application(name, arguments, _) => {
                self.application(self.text.symbols.name(*name), arguments, statement)
            }
        }
    }

    /// A name with arguments as text: `name`, or `(name argument ...)`.
    pub(crate) fn application(&self, name: &str, arguments: &[Expression], statement: &Statement) -> String {
        if arguments.is_empty() {
            return name.to_owned();
        }
        let arguments: Vec<String> =
            arguments.iter().map(|argument| self.term(argument, statement)).collect();
        format!("({name} {})", arguments.join(" "))
    }

    /// A shortest chain of uses from a relation to one whose kind `is_target` accepts.
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

/// The part of a statement that a sentence is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Head,
    Body,
}
