//! The likeliest place of a missing `)` in a statement whose lists were closed at its end.

use super::keyword::Keyword;
use super::source::Span;
use super::tree::{Kind, NodeId, Tree};

/// The most bytes of a line before a list that [`column`] reads.
const LONGEST_INDENTATION: usize = 1_000;

/// The character after which a `)` is probably missing in an outermost list: where a condition is an argument of a term or
/// of a keyword that has all its arguments, or where a line is indented less than the list that it continues. `None` if only
/// the end of the statement is possible.
pub(super) fn place(tree: &Tree, root: NodeId, text: &str) -> Option<Span> {
    let end = within(tree, root, root, text)?;
    let last = text[..end as usize].chars().next_back().map_or(0, char::len_utf8);
    Some(Span { start: end - last as u32, end })
}

/// The end of the argument after which a `)` is missing in `list`. Its depth is at most that of the tree.
fn within(tree: &Tree, root: NodeId, list: NodeId, text: &str) -> Option<u32> {
    let children = children(tree, list);
    let keyword = keyword(tree, list);
    let most = match keyword {
        Some(Keyword::Not) => Some(1),
        Some(Keyword::Distinct) => Some(2),
        _ => keyword.and_then(Keyword::arity),
    };
    let joins = matches!(keyword, Some(Keyword::Arrow | Keyword::And | Keyword::Or));
    for (index, pair) in children.windows(2).enumerate() {
        let (before, child) = (tree.nodes[pair[0] as usize].span, pair[1]);
        let is_list = matches!(tree.nodes[child as usize].kind, Kind::List { .. });
        // The first pair consists of the name of the list and its first argument.
        if is_list && index > 0 && list != root {
            let is_extra = most.is_some_and(|most| index >= most);
            let is_condition = !joins && self::keyword(tree, child).is_some();
            if is_extra || is_condition || !joins && is_outdented(tree, list, child, text) {
                return Some(before.end);
            }
        }
        if let Some(end) = within(tree, root, child, text) {
            return Some(end);
        }
    }
    None
}

fn children(tree: &Tree, node: NodeId) -> &[NodeId] {
    match tree.nodes[node as usize].kind {
        Kind::List { first, count } => tree.children(first, count),
        Kind::Word(_) | Kind::Variable(_) => &[],
    }
}

/// The keyword with which a list begins.
fn keyword(tree: &Tree, list: NodeId) -> Option<Keyword> {
    let &first = children(tree, list).first()?;
    let Kind::Word(symbol) = tree.nodes[first as usize].kind else { return None };
    let name = tree.symbols.name(symbol);
    Keyword::ALL.into_iter().find(|keyword| keyword.name() == name)
}

/// Whether a list is the first text of its line, and begins no further to the right than the list that contains it.
fn is_outdented(tree: &Tree, outer: NodeId, inner: NodeId, text: &str) -> bool {
    let [outer, inner] = [outer, inner].map(|node| tree.nodes[node as usize].span.start as usize);
    let indentation = text[..inner].chars().rev().take_while(|sign| matches!(sign, ' ' | '\t')).count();
    let begins_line = matches!(text[..inner - indentation].chars().next_back(), None | Some('\r' | '\n'));
    begins_line && column(text, outer).is_some_and(|column| indentation <= column)
}

/// The number of bytes between the start of a line and a place in it; `None` if it is more than [`LONGEST_INDENTATION`].
fn column(text: &str, at: usize) -> Option<usize> {
    let line = text.as_bytes()[..at].iter().rev().take(LONGEST_INDENTATION + 1);
    let column = line.take_while(|byte| !matches!(byte, b'\r' | b'\n')).count();
    (column <= LONGEST_INDENTATION).then_some(column)
}
