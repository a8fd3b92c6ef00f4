//! Patterns: fluents with variables, written in KIF and matched against the fluents of a game.

use std::fmt;

use crate::gdl::Source;
use crate::gdl::diagnostic::Diagnostics;
use crate::structure::argument::ArgumentPosition;

use super::error::FeatureError;

/// The deepest nesting of terms; without a limit a document could overflow the stack.
const MAX_DEPTH: usize = 64;

/// An argument of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Argument {
    /// A variable by its name without `?`. If it occurs twice, both places hold the same term.
    Variable(String),
    /// A term without variables, as lower-case KIF.
    Term(String),
    /// A function term that contains a variable.
    Function(String, Vec<Argument>),
}

/// A fluent with variables: `(cell ?x 1 b)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    /// The outermost symbol.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// The text is not a single atom in KIF.
    pub fn parse(text: &str) -> Result<Pattern, FeatureError> {
        match read(text)? {
            Argument::Variable(_) => Err(wrong(text, "it is a variable")),
            Argument::Function(name, arguments) => Ok(Pattern { name, arguments }),
            Argument::Term(term) => {
                let (name, arguments) = split(&term).ok_or_else(|| wrong(text, "a name is missing"))?;
                let arguments = arguments.into_iter().map(|part| Argument::Term(part.to_owned())).collect();
                Ok(Pattern { name: name.to_owned(), arguments })
            }
        }
    }

    /// `name/arity`.
    pub fn signature(&self) -> String {
        format!("{}/{}", self.name, self.arguments.len())
    }

    /// Whether a fluent with these arguments (lower-case KIF) matches.
    pub fn matches(&self, arguments: &[&str]) -> bool {
        let mut bound = Vec::new();
        self.arguments.len() == arguments.len()
            && self.arguments.iter().zip(arguments).all(|(pattern, text)| pattern.matches(text, &mut bound))
    }

    /// The pattern with its variables renamed in the order of their occurrence.
    pub fn normalised(&self) -> Pattern {
        let mut names: Vec<&str> = Vec::new();
        let arguments = self.arguments.iter().map(|argument| argument.renamed(&mut names)).collect();
        Pattern { name: self.name.clone(), arguments }
    }

    /// The pattern of a fluent with some arguments fixed and variables elsewhere.
    pub fn with(name: &str, arity: usize, fixed: &[(ArgumentPosition, &str)]) -> Pattern {
        let argument = |index: usize| match fixed.iter().find(|(argument, _)| argument.index() == index) {
            Some((_, term)) => Argument::Term((*term).to_owned()),
            None => Argument::Variable(format!("{index}")),
        };
        Pattern { name: name.to_owned(), arguments: (0..arity).map(argument).collect() }.normalised()
    }
}

/// The name of a variable by its number, without `?`.
fn variable_name(number: usize) -> String {
    const NAMES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];
    NAMES.get(number).map_or_else(|| format!("x{}", number + 1), |name| (*name).to_owned())
}

impl Argument {
    fn renamed<'p>(&'p self, names: &mut Vec<&'p str>) -> Argument {
        match self {
            Argument::Term(term) => Argument::Term(term.clone()),
            Argument::Variable(name) => {
                let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                Argument::Variable(variable_name(number))
            }
            Argument::Function(name, arguments) => {
                let arguments = arguments.iter().map(|argument| argument.renamed(names)).collect();
                Argument::Function(name.clone(), arguments)
            }
        }
    }

    fn matches<'p>(&'p self, text: &'p str, bound: &mut Vec<(&'p str, &'p str)>) -> bool {
        match self {
            Argument::Term(term) => term == text,
            Argument::Variable(name) => match bound.iter().find(|(known, _)| known == name) {
                Some((_, value)) => *value == text,
                None => {
                    bound.push((name, text));
                    true
                }
            },
            Argument::Function(name, arguments) => {
                let Some((functor, parts)) = split(text) else { return false };
                functor == name
                    && parts.len() == arguments.len()
                    && arguments.iter().zip(parts).all(|(pattern, part)| pattern.matches(part, bound))
            }
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Variable(name) => write!(f, "?{name}"),
            Argument::Term(term) => f.write_str(term),
            Argument::Function(name, arguments) => application(f, name, arguments),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        application(f, &self.name, &self.arguments)
    }
}

fn application(f: &mut fmt::Formatter<'_>, name: &str, arguments: &[Argument]) -> fmt::Result {
    if arguments.is_empty() {
        return f.write_str(name);
    }
    write!(f, "({name}")?;
    for argument in arguments {
        write!(f, " {argument}")?;
    }
    f.write_str(")")
}

fn wrong(text: &str, reason: &'static str) -> FeatureError {
    FeatureError::Syntax { text: text.to_owned(), reason }
}

/// Splits a ground term (lower-case KIF) into its name and its arguments.
fn split(term: &str) -> Option<(&str, Vec<&str>)> {
    let Some(inside) = term.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return (!term.is_empty()).then_some((term, Vec::new()));
    };
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, character) in inside.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    let arguments = parts.split_off(1);
    parts.pop().map(|name| (name, arguments))
}

/// Parses one term with variables.
fn read(text: &str) -> Result<Argument, FeatureError> {
    use crate::gdl::tree::{Kind, NodeId, Tree, parse};

    let mut diagnostics = Diagnostics::default();
    let tree = parse(&Source::from_text("pattern", text), &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(wrong(text, "parentheses or words are wrong"));
    }
    let &[root] = &tree.roots[..] else { return Err(wrong(text, "one term is expected")) };
    fn build(tree: &Tree, node: NodeId, depth: usize) -> Result<Argument, &'static str> {
        match tree.nodes[node as usize].kind {
            Kind::Word(symbol) => Ok(Argument::Term(tree.symbols.name(symbol).to_owned())),
            Kind::Variable(symbol) => Ok(Argument::Variable(tree.variables.name(symbol).to_owned())),
            Kind::List { .. } if depth >= MAX_DEPTH => Err("terms are nested too deep"),
            Kind::List { first, count } => {
                let mut parts = Vec::new();
                for &child in tree.children(first, count) {
                    parts.push(build(tree, child, depth + 1)?);
                }
                let mut parts = parts.into_iter();
                let Some(Argument::Term(name)) = parts.next() else { return Err("a name is missing") };
                if name.starts_with('(') {
                    return Err("a list is in the place of a name");
                }
                let arguments: Vec<Argument> = parts.collect();
                let ground = arguments.iter().all(|argument| matches!(argument, Argument::Term(_)));
                let function = Argument::Function(name, arguments);
                Ok(if ground { Argument::Term(function.to_string()) } else { function })
            }
        }
    }
    build(&tree, root, 0).map_err(|reason| wrong(text, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, arguments: &[&str]) -> bool {
        Pattern::parse(pattern).unwrap().matches(arguments)
    }

    #[test]
    fn patterns_match() {
        assert!(matches("(cell ?x 1 b)", &["3", "1", "b"]));
        assert!(!matches("(cell ?x 1 b)", &["3", "2", "b"]));
        assert!(!matches("(cell ?x ?x b)", &["3", "2", "b"]));
        assert!(matches("(Cell ?x ?x B)", &["2", "2", "b"]));
        assert!(matches("(at (pos ?x 1) ?t)", &["(pos (s z) 1)", "tree"]));
        assert!(matches("(at (pos ?x ?x) ?x)", &["(pos a a)", "a"]));
        assert!(!matches("(at (pos ?x ?x) ?x)", &["(pos a a)", "b"]));
        assert!(matches("over", &[]));
    }

    #[test]
    fn patterns_print_as_they_are_read() {
        for text in ["(cell ?x 1 b)", "over", "(at (pos ?x (s z)) (f g))"] {
            assert_eq!(Pattern::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "?x", "(cell ?x", "a b", "((a b) c)", "(?x b)", "()"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
