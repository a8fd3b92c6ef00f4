//! From words and lists to facts and rules, with a fault for what is neither.

use rustc_hash::FxHashMap;

use super::check::syntax;
use super::diagnostic::Diagnostics;
use super::keyword::Keyword;
use super::source::Span;
use super::statement::{Expression, Formula, Sentence, Statement, Text};
use super::symbol::Symbol;
use super::tree::{Kind, Node, NodeId, Tree};

/// Turns a tree into statements. What is no statement is reported and left out.
pub(crate) fn statements(tree: Tree, diagnostics: &mut Diagnostics) -> Text {
    let keywords = Keyword::ALL
        .into_iter()
        .filter_map(|keyword| Some((tree.symbols.find(keyword.name())?, keyword)))
        .collect();
    let mut builder =
        Builder { tree: &tree, keywords, diagnostics, locals: FxHashMap::default(), names: Vec::new() };
    let statements = tree.roots.iter().filter_map(|&root| builder.statement(root)).collect();
    Text { statements, left_out: Vec::new(), symbols: tree.symbols, variables: tree.variables }
}

struct Builder<'a> {
    tree: &'a Tree,
    keywords: FxHashMap<Symbol, Keyword>,
    diagnostics: &'a mut Diagnostics,
    /// The variables of the statement at hand.
    locals: FxHashMap<Symbol, u32>,
    names: Vec<Symbol>,
}

impl<'a> Builder<'a> {
    fn statement(&mut self, root: NodeId) -> Option<Statement> {
        self.locals.clear();
        self.names.clear();
        let span = self.tree.nodes[root as usize].span;
        let (head, body) = match self.split(root) {
            Some((name, _, operands)) if self.keywords.get(&name) == Some(&Keyword::Arrow) => {
                let Some((&head, body)) = operands.split_first() else {
                    self.diagnostics
                        .add(syntax::MISPLACED_ARROW, span, "a rule without a head")
                        .expected("`(<= head body ...)`");
                    return None;
                };
                // Read all of it, so that every fault of the rule is reported.
                let head = self.sentence(head);
                let body: Vec<_> = body.iter().map(|&part| self.formula(part)).collect();
                (head?, body.into_iter().collect::<Option<Vec<_>>>()?)
            }
            _ => (self.sentence(root)?, Vec::new()),
        };
        Some(Statement { head, body, variables: self.names.clone(), span })
    }

    /// The name in front of a list and the rest, or a word alone. `None` for what has no name in front.
    fn split(&self, node: NodeId) -> Option<(Symbol, Span, &'a [NodeId])> {
        match self.tree.nodes[node as usize].kind {
            Kind::Word(name) => Some((name, self.tree.nodes[node as usize].span, &[])),
            Kind::Variable(_) => None,
            Kind::List { first, count } => {
                let (&name, rest) = self.tree.children(first, count).split_first()?;
                match self.tree.nodes[name as usize] {
                    Node { kind: Kind::Word(symbol), span } => Some((symbol, span, rest)),
                    _ => None,
                }
            }
        }
    }

    /// As [`Builder::split`], with a fault for what has no name in front.
    fn named(&mut self, node: NodeId, wanted: &str) -> Option<(Symbol, Span, &'a [NodeId])> {
        let split = self.split(node);
        if split.is_none() {
            let span = self.tree.nodes[node as usize].span;
            let diagnostic = match self.tree.nodes[node as usize].kind {
                Kind::List { count: 0, .. } => {
                    self.diagnostics.add(syntax::EMPTY_LIST, span, "empty parentheses")
                }
                Kind::List { .. } => {
                    self.diagnostics.add(syntax::NO_NAME, span, "these parentheses have no name in front")
                }
                _ => self.diagnostics.add(syntax::VARIABLE_SENTENCE, span, "a variable is no sentence"),
            };
            diagnostic.expected(wanted);
        }
        split
    }

    fn arrow(&mut self, name: Symbol, span: Span) -> bool {
        let arrow = self.keywords.get(&name) == Some(&Keyword::Arrow);
        if arrow {
            self.diagnostics
                .add(syntax::MISPLACED_ARROW, span, "`<=` inside a rule or sentence")
                .note("a `)` is probably missing before this")
                .expected("a sentence or a term");
        }
        arrow
    }

    fn formula(&mut self, node: NodeId) -> Option<Formula> {
        let (name, name_span, operands) =
            self.named(node, "a literal: a relation, `not`, `or`, `and`, `distinct`")?;
        let span = self.tree.nodes[node as usize].span;
        let keyword = self.keywords.get(&name).copied();
        let count = operands.len();
        let wrong = match keyword {
            Some(Keyword::Not) if count != 1 => "`not` takes one formula",
            Some(Keyword::And) if count == 0 => "`and` takes at least one formula",
            Some(Keyword::Or) if count == 0 => "`or` takes at least one formula",
            Some(Keyword::Distinct) if count != 2 => "`distinct` takes two terms",
            _ => "",
        };
        if !wrong.is_empty() {
            self.diagnostics
                .add(syntax::OPERANDS, span, format!("{wrong}, here it has {count}"))
                .expected(wrong);
            return None;
        }
        match keyword {
            Some(Keyword::Not) => Some(Formula::Not(Box::new(self.formula(operands[0])?))),
            Some(Keyword::And | Keyword::Or) => {
                let parts: Vec<_> = operands.iter().map(|&part| self.formula(part)).collect();
                let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
                Some(if keyword == Some(Keyword::And) { Formula::And(parts) } else { Formula::Or(parts) })
            }
            Some(Keyword::Distinct) => {
                let (a, b) = (self.expression(operands[0]), self.expression(operands[1]));
                Some(Formula::Distinct(a?, b?))
            }
            _ if self.arrow(name, name_span) => None,
            _ => Some(Formula::Atom(self.application(name, operands, span)?)),
        }
    }

    fn sentence(&mut self, node: NodeId) -> Option<Sentence> {
        let (name, name_span, operands) = self.named(node, "a sentence: `name` or `(name argument ...)`")?;
        if self.arrow(name, name_span) {
            return None;
        }
        self.application(name, operands, self.tree.nodes[node as usize].span)
    }

    fn application(&mut self, name: Symbol, operands: &[NodeId], span: Span) -> Option<Sentence> {
        let arguments: Vec<_> = operands.iter().map(|&operand| self.expression(operand)).collect();
        let arguments = arguments.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Sentence { name, keyword: self.keywords.get(&name).copied(), arguments, span })
    }

    fn expression(&mut self, node: NodeId) -> Option<Expression> {
        let span = self.tree.nodes[node as usize].span;
        if let Kind::Variable(name) = self.tree.nodes[node as usize].kind {
            let names = &mut self.names;
            let local = *self.locals.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() as u32 - 1
            });
            return Some(Expression::Variable(local, span));
        }
        let (name, name_span, operands) =
            self.named(node, "a term: `name`, `?variable` or `(name argument ...)`")?;
        if self.arrow(name, name_span) {
            return None;
        }
        let arguments: Vec<_> = operands.iter().map(|&operand| self.expression(operand)).collect();
        Some(Expression::Application(name, arguments.into_iter().collect::<Option<Vec<_>>>()?, span))
    }
}
