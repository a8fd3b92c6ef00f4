//! Parses words and lists into facts and rules.

use rustc_hash::{FxHashMap, FxHashSet};

use super::check::syntax;
use super::diagnostic::Diagnostics;
use super::keyword::Keyword;
use super::source::Span;
use super::statement::{Expression, Formula, Sentence, Statement, Text};
use super::symbol::Symbol;
use super::tree::{Kind, Node, NodeId, Tree};

/// Parses all statements of a tree. Lists that are not statements are reported and left out.
pub(crate) fn statements(tree: Tree, diagnostics: &mut Diagnostics) -> Text {
    let keywords = Keyword::ALL
        .into_iter()
        .filter_map(|keyword| Some((tree.symbols.find(keyword.name())?, keyword)))
        .collect();
    let mut parser = StatementParser {
        tree: &tree,
        keywords,
        diagnostics,
        locals: FxHashMap::default(),
        names: Vec::new(),
    };
    let (mut statements, mut unread) = (Vec::new(), FxHashSet::default());
    for &root in &tree.roots {
        match parser.statement(root) {
            Some(statement) => statements.push(statement),
            None => tree.add_names(root, &mut unread),
        }
    }
    tree.unclosed.iter().for_each(|&root| tree.add_names(root, &mut unread));
    Text { statements, left_out: Vec::new(), unread, symbols: tree.symbols, variables: tree.variables }
}

struct StatementParser<'a> {
    tree: &'a Tree,
    keywords: FxHashMap<Symbol, Keyword>,
    diagnostics: &'a mut Diagnostics,
    /// The variables of the current statement.
    locals: FxHashMap<Symbol, u32>,
    names: Vec<Symbol>,
}

impl<'a> StatementParser<'a> {
    fn statement(&mut self, root: NodeId) -> Option<Statement> {
        self.locals.clear();
        self.names.clear();
        let span = self.tree.nodes[root as usize].span;
        let (head, body) = match self.split(root) {
            Some((name, _, operands)) if self.keywords.get(&name) == Some(&Keyword::Arrow) => {
                let Some((&head, body)) = operands.split_first() else {
                    let message = match self.tree.nodes[root as usize].kind {
                        Kind::List { .. } => "this rule has no head",
                        Kind::Word(_) | Kind::Variable(_) => "this `<=` is outside parentheses",
                    };
                    self.diagnostics
                        .add(syntax::MISPLACED_ARROW, span, message)
                        .help("write `(<= head condition ...)`");
                    return None;
                };
                // Parse the whole body, so that all faults of the rule are reported.
                let head = self.sentence(head);
                let body: Vec<_> = body.iter().map(|&part| self.formula(part)).collect();
                (head?, body.into_iter().collect::<Option<Vec<_>>>()?)
            }
            Some((_, _, operands)) if operands.first().is_some_and(|&second| self.is_arrow(second)) => {
                let span = self.tree.nodes[operands[0] as usize].span;
                self.diagnostics
                    .add(syntax::MISPLACED_ARROW, span, "`<=` is not the first word of the rule")
                    .help("write `<=` directly after the `(`: `(<= head condition ...)`");
                return None;
            }
            Some(_) | None => (self.sentence(root)?, Vec::new()),
        };
        Some(Statement { head, body, variables: self.names.clone(), span })
    }

    /// The first word of a list and its operands, or a word without operands. `None` if the first element is not a word.
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

    /// [`StatementParser::split`] that reports a node without a name.
    fn named(&mut self, node: NodeId, expected: &str) -> Option<(Symbol, Span, &'a [NodeId])> {
        let split = self.split(node);
        if split.is_none() {
            let span = self.tree.nodes[node as usize].span;
            let diagnostic = match self.tree.nodes[node as usize].kind {
                Kind::List { count: 0, .. } => {
                    self.diagnostics.add(syntax::EMPTY_LIST, span, "empty parentheses")
                }
                Kind::List { first, count } => {
                    let diagnostic =
                        self.diagnostics.add(syntax::NO_NAME, span, "this list has no name after its `(`");
                    // Children of a root are statements if they are lists.
                    let children = self.tree.children(first, count);
                    let is_list =
                        |&child: &NodeId| matches!(self.tree.nodes[child as usize].kind, Kind::List { .. });
                    if count == 1 || children.iter().all(is_list) {
                        diagnostic.help("remove the outer parentheses");
                    }
                    diagnostic
                }
                Kind::Variable(name) => {
                    let name = self.tree.variables.name(name);
                    self.diagnostics
                        .add(
                            syntax::VARIABLE_SENTENCE,
                            span,
                            format!("the variable `?{name}` can't be a condition"),
                        )
                        .help(format!("write a relation around it, such as `(true ?{name})`"))
                }
                Kind::Word(_) => return split,
            };
            diagnostic.expected(expected);
        }
        split
    }

    fn is_arrow(&self, node: NodeId) -> bool {
        matches!(self.tree.nodes[node as usize].kind, Kind::Word(name)
            if self.keywords.get(&name) == Some(&Keyword::Arrow))
    }

    /// Reports `<=` inside a rule. Returns whether `name` is `<=`.
    fn report_arrow(&mut self, name: Symbol, span: Span) -> bool {
        let arrow = self.keywords.get(&name) == Some(&Keyword::Arrow);
        if arrow {
            self.diagnostics
                .add(syntax::MISPLACED_ARROW, span, "`<=` inside a rule")
                .note("a `)` may be missing before this")
                .help("end the rule before this `<=` with `)`, or remove the `<=`");
        }
        arrow
    }

    fn formula(&mut self, node: NodeId) -> Option<Formula> {
        let (name, name_span, operands) =
            self.named(node, "a condition: `name`, `(name argument ...)` or `(not condition)`")?;
        let span = self.tree.nodes[node as usize].span;
        let keyword = self.keywords.get(&name).copied();
        let count = operands.len();
        let wrong = match keyword {
            Some(Keyword::Not) if count != 1 => Some("`not` takes one condition"),
            Some(Keyword::And) if count == 0 => Some("`and` takes at least one condition"),
            Some(Keyword::Or) if count == 0 => Some("`or` takes at least one condition"),
            Some(Keyword::Distinct) if count != 2 => Some("`distinct` takes two terms"),
            Some(_) | None => None,
        };
        if let (Some(wrong), Some(keyword)) = (wrong, keyword) {
            let help = match keyword {
                Keyword::And if count == 0 => "remove `and`: all conditions of a rule must hold".to_owned(),
                Keyword::Not if count > 1 => "write `(not condition)` for each condition".to_owned(),
                _ => format!("write `{}`", keyword.form()),
            };
            self.diagnostics.add(syntax::OPERANDS, span, format!("{wrong}, here {count}")).help(help);
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
            _ if self.report_arrow(name, name_span) => None,
            _ => Some(Formula::Atom(self.application(name, operands, span)?)),
        }
    }

    fn sentence(&mut self, node: NodeId) -> Option<Sentence> {
        let (name, name_span, operands) = self.named(node, "a sentence: `name` or `(name argument ...)`")?;
        if self.report_arrow(name, name_span) {
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
        if self.report_arrow(name, name_span) {
            return None;
        }
        let arguments: Vec<_> = operands.iter().map(|&operand| self.expression(operand)).collect();
        Some(Expression::Application(name, arguments.into_iter().collect::<Option<Vec<_>>>()?, span))
    }
}
