//! Ground terms and patterns as KIF text.

use crate::gdl::symbol::{Symbol, Symbols};
use crate::gdl::term::{TermId, Terms};

/// Words and parentheses.
fn tokens(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')']) {
            if at > 0 {
                list.push(&rest[..at]);
            }
            list.push(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            list.push(rest);
        }
    }
    list
}

/// The outermost word of an expression and its arguments as texts; none if the parentheses do not match.
pub(super) fn split(text: &str) -> Option<(String, Vec<String>)> {
    let list = tokens(text);
    if let [word] = list[..] {
        return (word != "(" && word != ")").then(|| (word.to_owned(), Vec::new()));
    }
    let [first, name, inner @ .., last] = &list[..] else { return None };
    if (*first, *last) != ("(", ")") || *name == "(" || *name == ")" {
        return None;
    }
    let (mut arguments, mut depth): (Vec<String>, usize) = (Vec::new(), 0);
    let mut fresh = true;
    for &token in inner {
        if depth == 0 {
            arguments.push(String::new());
            fresh = true;
        }
        if token == ")" {
            depth = depth.checked_sub(1)?;
        }
        let argument = arguments.last_mut()?;
        if !fresh && token != ")" {
            argument.push(' ');
        }
        argument.push_str(token);
        fresh = token == "(";
        if token == "(" {
            depth += 1;
        }
        if token == ")" && depth == 0 && !argument.starts_with('(') {
            return None;
        }
    }
    (depth == 0).then(|| (name.to_string(), arguments))
}

/// A ground term; all of its words must occur in the game.
pub(super) fn ground(text: &str, symbols: &Symbols, terms: &mut Terms) -> Option<TermId> {
    let mut stack: Vec<(Option<Symbol>, Vec<TermId>)> = vec![(None, Vec::new())];
    for token in tokens(text) {
        match token {
            "(" => stack.push((None, Vec::new())),
            ")" => {
                let (functor, arguments) = stack.pop()?;
                let term = terms.intern(functor?, &arguments);
                stack.last_mut()?.1.push(term);
            }
            word => {
                let symbol = symbols.find(word)?;
                let bottom = stack.len() == 1;
                let top = stack.last_mut()?;
                if top.0.is_none() && !bottom {
                    top.0 = Some(symbol);
                } else {
                    top.1.push(terms.constant(symbol));
                }
            }
        }
    }
    let (None, list) = stack.pop()? else { return None };
    match (stack.is_empty(), &list[..]) {
        (true, [term]) => Some(*term),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_an_expression_are_split() {
        let of = |text: &str| split(text).map(|(name, list)| format!("{name}|{}", list.join("|")));
        assert_eq!(of("step").as_deref(), Some("step|"));
        assert_eq!(of("(cell 1 ?  (f (g a) b))").as_deref(), Some("cell|1|?|(f (g a) b)"));
        for wrong in ["", "(", ")", "(a", "(a))", "(a ) b)", "((a) b)", "a b"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
