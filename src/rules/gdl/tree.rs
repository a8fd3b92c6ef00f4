//! Parses text into words and lists: an arena of nodes with spans, built without recursion. A word may contain any character
//! except white space, parentheses and `;`.

use rustc_hash::FxHashSet;

use super::check::{lint, syntax, words};
use super::diagnostic::{Code, Diagnostics};
use super::keyword::Keyword;
use super::missing_parenthesis;
use super::source::{Source, Span};
use super::spelling::Spellings;
use super::symbol::{Symbol, Symbols};

/// Maximum nesting depth of lists. It bounds every recursion over terms and formulas.
pub const MAX_DEPTH: usize = 500;

/// The index of a node in [`Tree::nodes`].
pub type NodeId = u32;

/// The kind of a node.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A name, by its index in [`Tree::symbols`].
    Word(Symbol),
    /// A variable, by the index of its name in [`Tree::variables`].
    Variable(Symbol),
    /// A list, by its range of [`Tree::children`].
    List {
        /// The index of its first child.
        first: u32,
        /// The number of children.
        count: u32,
    },
}

/// A word, a variable or a list, with its place in the text.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its kind.
    pub kind: Kind,
    /// Its place in the text.
    pub span: Span,
}

/// The words and lists of a text. Names of variables have their own table, so that the order of symbols does not depend on
/// them.
#[derive(Debug, Default)]
pub struct Tree {
    /// Names that are not variables.
    pub symbols: Symbols,
    /// Names of variables.
    pub variables: Symbols,
    /// All nodes.
    pub nodes: Vec<Node>,
    /// The outermost lists and words, in the order of the text, without [`Tree::unclosed`].
    pub roots: Vec<NodeId>,
    /// Outermost lists that lack a `)`. Their structure is uncertain, so they are not read.
    pub unclosed: Vec<NodeId>,
    /// Whether the text was read to its end.
    pub complete: bool,
    /// The names of words in several spellings, if the text is read case-sensitively.
    pub spellings: Spellings,
    children: Vec<NodeId>,
}

impl Tree {
    /// The children of a list.
    pub fn children(&self, first: u32, count: u32) -> &[NodeId] {
        &self.children[first as usize..(first + count) as usize]
    }

    /// Adds the names in a list or word.
    pub(super) fn add_names(&self, node: NodeId, names: &mut FxHashSet<Symbol>) {
        match self.nodes[node as usize].kind {
            Kind::Word(symbol) => {
                names.insert(symbol);
            }
            Kind::Variable(_) => {}
            Kind::List { first, count } => {
                self.children(first, count).iter().for_each(|&child| self.add_names(child, names));
            }
        }
    }
}

pub(super) enum Token {
    Open,
    Close,
    Word,
}

/// Splits text into tokens.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0 }
    }

    /// Skips the rest of the line.
    pub(super) fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find(['\r', '\n']).unwrap_or(rest.len());
    }

    pub(super) fn next(&mut self, comments: &mut Vec<Span>) -> Option<(Token, Span)> {
        loop {
            let rest = &self.text[self.at..];
            let character = rest.chars().next()?;
            let start = self.at;
            let token = match character {
                '(' => Token::Open,
                ')' => Token::Close,
                ';' => {
                    self.skip_line();
                    comments.push(span(start, self.at));
                    continue;
                }
                _ if is_space(character) => {
                    self.at += character.len_utf8();
                    continue;
                }
                _ => {
                    let end =
                        rest.find(|c| matches!(c, '(' | ')' | ';') || is_space(c)).unwrap_or(rest.len());
                    self.at += end;
                    return Some((Token::Word, span(start, self.at)));
                }
            };
            self.at += 1;
            return Some((token, span(start, self.at)));
        }
    }
}

/// White space; a byte order mark counts as such.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// Parses a text, and reports everything that is not KIF.
pub fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Tree {
    if source.is_too_large() {
        diagnostics.add(syntax::TOO_LARGE, Span::default(), "the file is larger than 16 MiB");
        return Tree::default();
    }
    let spellings = match source.is_case_sensitive() {
        true => spellings(source.text()),
        false => Spellings::default(),
    };
    let mut attempt = Parser::new(source.text(), &spellings, false);
    attempt.run();
    if (!attempt.open.is_empty() || attempt.may_miss_closing) && !attempt.stopped {
        // A `)` may be missing, although one too many may follow: parse again with `recover`, which closes all lists before
        // a statement at the start of a line.
        attempt = Parser::new(source.text(), &spellings, true);
        attempt.run();
    }
    attempt.close_all();
    for Fault { code, span, message, remedy } in std::mem::take(&mut attempt.faults) {
        let diagnostic = diagnostics.add(code, span, message);
        match remedy {
            Remedy::OfCode => {}
            Remedy::Close(place, text) => {
                diagnostic.note("begins here").label(place, text);
            }
            Remedy::Remove => {
                diagnostic.help("remove this `(`, or add the missing `)`");
            }
        }
    }
    for &(first, second) in &attempt.spellings {
        let word = |span: Span| &source.text()[span.start as usize..span.end as usize];
        diagnostics
            .add(
                lint::SPELLINGS,
                second,
                format!("`{}` and `{}` are the same name in GDL", word(first), word(second)),
            )
            .note("another spelling")
            .help(format!("write `{}`", word(first)))
            .label(first, "first spelling");
    }
    for &span in &attempt.with_punctuation {
        words::punctuation(diagnostics, span, &source.text()[span.start as usize..span.end as usize]);
    }
    report_bytes(source, &attempt.comments, diagnostics);
    let mut tree = attempt.tree;
    tree.complete = !attempt.stopped;
    tree.spellings = spellings;
    tree
}

/// Maps the words of a case-sensitive text to names.
pub fn spellings(text: &str) -> Spellings {
    let (mut tokens, mut comments) = (Tokens::of(text), Vec::new());
    let mut words = Vec::new();
    while let Some((token, span)) = tokens.next(&mut comments) {
        if matches!(token, Token::Word) {
            words.push(&text[span.start as usize..span.end as usize]);
        }
    }
    Spellings::of(words.into_iter())
}

/// Reports bytes that are not UTF-8, and control characters.
fn report_bytes(source: &Source, comments: &[Span], diagnostics: &mut Diagnostics) {
    let in_comment = |at: u32| {
        let after = comments.partition_point(|comment| comment.start <= at);
        after > 0 && at < comments[after - 1].end
    };
    let (commented, others): (Vec<Span>, Vec<Span>) =
        source.invalid().iter().partition(|span| in_comment(span.start));
    let controls =
        source.text().char_indices().filter(|&(_, character)| character.is_control() && !is_space(character));
    let controls: Vec<(char, Span)> =
        controls.map(|(at, character)| (character, span(at, at + character.len_utf8()))).collect();
    // A binary file has thousands of them, so each kind is reported once.
    if let Some(&first) = commented.first() {
        let message = format!("bytes in a comment that are not UTF-8{}", and_more(commented.len()));
        diagnostics.add(syntax::INVALID_UTF8_IN_COMMENT, first, message);
    }
    if let Some(&first) = others.first() {
        let message = format!("bytes that are not UTF-8{}", and_more(others.len()));
        diagnostics.add(syntax::INVALID_UTF8, first, message);
    }
    if let Some(&(character, place)) = controls.first() {
        let message = format!("control character U+{:04X}{}", character as u32, and_more(controls.len()));
        diagnostics.add(syntax::CONTROL_CHARACTER, place, message);
    }
}

/// ` (and 3 more)`: the number of further places with the same fault.
fn and_more(places: usize) -> String {
    match places {
        1 => String::new(),
        places => format!(" (and {} more)", places - 1),
    }
}

/// A fault found while parsing.
struct Fault {
    code: Code,
    span: Span,
    message: String,
    remedy: Remedy,
}

/// The correction of a fault.
enum Remedy {
    /// The remedy of its code.
    OfCode,
    /// Add a `)` at this place; the text labels it.
    Close(Span, &'static str),
    /// Remove the `(`.
    Remove,
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    names: &'a Spellings,
    tree: Tree,
    comments: Vec<Span>,
    /// Open lists: the place of the parenthesis, and the index of the first child in `pending`.
    open: Vec<(Span, usize)>,
    pending: Vec<NodeId>,
    faults: Vec<Fault>,
    /// For each symbol, its first place. `None` for reserved words, and once a second spelling was recorded.
    first: Vec<Option<Span>>,
    /// Two places of one name in different spellings.
    spellings: Vec<(Span, Span)>,
    /// First places of names that contain a character of [`words::MARKS`].
    with_punctuation: Vec<Span>,
    recover: bool,
    /// Whether a rule begins at the start of a line inside another statement, so that a `)` may be missing.
    may_miss_closing: bool,
    stopped: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, spellings: &'a Spellings, recover: bool) -> Parser<'a> {
        Parser {
            tokens: Tokens::of(text),
            names: spellings,
            tree: Tree::default(),
            comments: Vec::new(),
            open: Vec::new(),
            pending: Vec::new(),
            faults: Vec::new(),
            first: Vec::new(),
            spellings: Vec::new(),
            with_punctuation: Vec::new(),
            recover,
            may_miss_closing: false,
            stopped: false,
        }
    }

    fn run(&mut self) {
        // Whether an unmatched `)` is an error depends on what follows it.
        let mut extra = None;
        while let Some((token, span)) = self.tokens.next(&mut self.comments) {
            if let (Some(place), Token::Open | Token::Word) = (extra, &token) {
                self.fault(syntax::EXTRA_CLOSING, place, "this `)` has no matching `(`");
                extra = None;
            }
            match token {
                Token::Open => {
                    let inside = self.open.len() > self.wrappers();
                    if inside && (self.recover || !self.may_miss_closing) && self.begins_statement() {
                        self.may_miss_closing |=
                            self.tokens.text[self.tokens.at..].trim_start().starts_with("<=");
                        if self.recover {
                            self.close_statement();
                        }
                    }
                    if self.open.len() >= MAX_DEPTH {
                        let message =
                            format!("parentheses nested more than {MAX_DEPTH} deep: the rest is not read");
                        self.fault(syntax::TOO_DEEP, span, &message);
                        self.stopped = true;
                        return;
                    }
                    self.open.push((span, self.pending.len()));
                }
                Token::Close => match self.open.pop() {
                    Some((start, from)) => self.list(start.to(span), from),
                    None => extra = extra.or(Some(span)),
                },
                Token::Word => {
                    let kind = self.word(span);
                    self.push(Node { kind, span });
                }
            }
        }
        if let Some(place) = extra {
            self.fault(syntax::EXTRA_CLOSING_AT_END, place, "this `)` has no matching `(`");
        }
    }

    /// Whether the parenthesis just read is the first character of its line, with `<=` or `init` after it.
    fn begins_statement(&self) -> bool {
        let at = self.tokens.at - 1;
        let before = self.tokens.text[..at].chars().next_back();
        let after = self.tokens.text[at + 1..].trim_start();
        let word = after.split(|c| matches!(c, '(' | ')') || is_space(c)).next().unwrap_or("");
        matches!(before, None | Some('\r' | '\n')) && (word == "<=" || word.eq_ignore_ascii_case("init"))
    }

    /// Interns a word under its normalised spelling, and records a second spelling.
    fn word(&mut self, span: Span) -> Kind {
        let text = |span: Span| &self.tokens.text[span.start as usize..span.end as usize];
        let word = self.names.name(text(span));
        if let Some(variable) = word.strip_prefix('?') {
            return Kind::Variable(self.tree.variables.intern(variable));
        }
        let symbol = self.tree.symbols.intern(&word);
        if symbol.index() == self.first.len() {
            let reserved = Keyword::ALL.iter().any(|keyword| keyword.name() == word);
            self.first.push((!reserved).then_some(span));
            if word.contains(words::MARKS) {
                self.with_punctuation.push(span);
            }
        } else if let Some(first) = self.first[symbol.index()]
            && text(first) != text(span)
        {
            self.spellings.push((first, span));
            self.first[symbol.index()] = None;
        }
        Kind::Word(symbol)
    }

    fn fault(&mut self, code: Code, span: Span, message: &str) {
        self.faults.push(Fault { code, span, message: message.into(), remedy: Remedy::OfCode });
    }

    /// The number of open lists around statements: 1 if the outermost open list begins with a list, otherwise 0. All rules
    /// of a file may be in one such list.
    fn wrappers(&self) -> usize {
        let Some(&(_, from)) = self.open.first() else { return 0 };
        let first = self.pending.get(from).map(|&node| self.tree.nodes[node as usize].kind);
        // The first child of an open list may itself be open.
        let is_own = self.open.get(1).is_none_or(|&(_, next)| next > from);
        match first {
            Some(Kind::Word(_) | Kind::Variable(_)) if is_own => 0,
            _ => 1,
        }
    }

    fn push(&mut self, node: Node) {
        let id = self.tree.nodes.len() as NodeId;
        self.tree.nodes.push(node);
        if self.open.is_empty() {
            self.tree.roots.push(id);
        } else {
            self.pending.push(id);
        }
    }

    fn list(&mut self, span: Span, from: usize) {
        let first = self.tree.children.len() as u32;
        let count = (self.pending.len() - from) as u32;
        self.tree.children.extend(self.pending.drain(from..));
        self.push(Node { kind: Kind::List { first, count }, span });
    }

    /// The end of the text that was read, without opening parentheses.
    fn end(&self) -> u32 {
        self.tokens.text[..self.tokens.at].trim_end_matches('(').trim_end().len() as u32
    }

    /// Closes the open lists of a statement, with one fault for all of them.
    fn close_statement(&mut self) {
        let wrappers = self.wrappers();
        let Some(&(start, _)) = self.open.get(wrappers) else { return };
        let message = match self.open.len() - wrappers {
            1 => "this `(` has no matching `)`".to_owned(),
            missing => format!("this `(` has no matching `)`: {missing} closing parentheses are missing"),
        };
        let (end, text) = (self.end(), self.tokens.text);
        let statement = self.close_lists(wrappers);
        let likely = statement.and_then(|root| missing_parenthesis::place(&self.tree, root, text));
        let remedy = match likely {
            Some(place) => Remedy::Close(place, "a `)` is probably missing here"),
            None => Remedy::Close(
                span(end.saturating_sub(1) as usize, end as usize),
                "add the `)` here or earlier",
            ),
        };
        self.faults.push(Fault { code: syntax::UNCLOSED, span: start, message, remedy });
        if wrappers == 0 {
            self.tree.unclosed.extend(self.tree.roots.pop());
        }
    }

    /// Closes all open lists but the outermost `kept` ones, and returns the last list closed.
    fn close_lists(&mut self, kept: usize) -> Option<NodeId> {
        let (end, before) = (self.end(), self.open.len());
        while self.open.len() > kept
            && let Some((start, from)) = self.open.pop()
        {
            self.list(Span { start: start.start, end: end.max(start.end) }, from);
        }
        (before > kept).then(|| self.tree.nodes.len() as NodeId - 1)
    }

    /// Closes all open lists. If parsing stopped early, they are dropped. Statements in a wrapper that is not closed are read
    /// as if its `(` were not there.
    fn close_all(&mut self) {
        if self.stopped {
            self.open.clear();
            return;
        }
        if self.wrappers() == 0 {
            self.close_statement();
            return;
        }
        let Some(&(start, from)) = self.open.first() else { return };
        let last = self.close_lists(1);
        let message = "this `(` has no matching `)`".to_owned();
        self.faults.push(Fault { code: syntax::UNCLOSED, span: start, message, remedy: Remedy::Remove });
        self.open.clear();
        self.tree.roots.extend(self.pending.drain(from..));
        if last.is_some() {
            self.tree.unclosed.extend(self.tree.roots.pop());
        }
    }
}
