//! What to write instead of a wrong sentence: remedies that quote the corrected text.

use super::subject::{Position, Subject};
use crate::gdl::keyword::Keyword;
use crate::gdl::statement::{Expression, Sentence, Statement};

/// The remedy for a keyword with the wrong number of arguments.
pub(super) fn for_arity(
    subject: &Subject<'_>,
    (sentence, keyword): (&Sentence, Keyword),
    position: Position,
    statement: &Statement,
) -> String {
    let (word, arguments) = (keyword.name(), &sentence.arguments[..]);
    let text = |term: &Expression| subject.term(term, statement);
    let (whole, arity) = (keyword.whole(), keyword.arity().unwrap_or(0));
    if arguments.is_empty() {
        return match position {
            // A word outside parentheses may be a part of a comment.
            Position::Head => format!("write `{}`, or begin a comment with `;`", keyword.form()),
            Position::Body => format!("write `{}`", keyword.form()),
        };
    }
    let surplus = arguments.get(arity..).unwrap_or_default();
    if statement.body.is_empty()
        && !surplus.is_empty()
        && surplus.iter().all(|term| is_sentence(subject, term))
    {
        let head = subject.application(word, &arguments[..arity], statement);
        let conditions: Vec<String> = surplus.iter().map(text).collect();
        return format!("write `(<= {head} {})`", conditions.join(" "));
    }
    if let Some(last) = arity.checked_sub(1)
        && surplus.first().is_some_and(|term| is_sentence(subject, term))
    {
        return format!("add the missing `)` after `{}`", text(&arguments[last]));
    }
    match (whole, arguments) {
        (Some(whole), all) if all.len() > arity && is_name(&all[whole]) => {
            let mut terms: Vec<String> = all[..whole].iter().map(text).collect();
            let inner: Vec<String> = all[whole..].iter().map(text).collect();
            terms.push(format!("({})", inner.join(" ")));
            format!("write `({word} {})`", terms.join(" "))
        }
        (_, [Expression::Application(name, inner, _)])
            if inner.len() == arity && is_sentence(subject, &arguments[0]) =>
        {
            let inner = subject.application(word, inner, statement);
            format!("write `{inner}`, without `{}`", subject.text.symbols.name(*name))
        }
        (_, [only]) if arity == 2 => format!("add the role: write `({word} ?role {})`", text(only)),
        _ if arity == 0 => format!("write `{word}` without arguments"),
        (_, all) if all.len() > arity => {
            let surplus: Vec<String> = all[arity..].iter().map(|term| format!("`{}`", text(term))).collect();
            format!("remove {}, or close the parenthesis before {}", surplus.join(" and "), surplus[0])
        }
        _ => format!("write `{}`", keyword.form()),
    }
}

/// The remedy for a keyword inside a term: `(next (true (cell ?x)))`, `(true (not (cell ?x)))`.
pub(super) fn for_reserved(
    subject: &Subject<'_>,
    (word, arguments): (&str, &[Expression]),
    parent: &Sentence,
    statement: &Statement,
) -> Option<String> {
    let outer = parent.keyword.filter(|keyword| keyword.whole() == Some(0))?;
    let [inner] = arguments else { return None };
    let inner = subject.term(inner, statement);
    match word {
        "not" => Some(format!("write `(not ({} {inner}))`", outer.name())),
        "true" | "next" | "init" => Some(format!("remove `{word}`: write `({} {inner})`", outer.name())),
        _ => None,
    }
}

/// The remedy for `true` or `does` in a head.
pub(super) fn for_state_in_head(subject: &Subject<'_>, sentence: &Sentence, statement: &Statement) -> String {
    let word = match (sentence.keyword, statement.body.is_empty()) {
        (Some(Keyword::Does), _) => Keyword::Legal,
        (_, true) => Keyword::Init,
        (_, false) => Keyword::Next,
    };
    format!("write `{}`", subject.application(word.name(), &sentence.arguments, statement))
}

/// The remedy for `init` or `next` in a body.
pub(super) fn for_future_in_body(
    subject: &Subject<'_>,
    sentence: &Sentence,
    statement: &Statement,
) -> Option<String> {
    let state = subject.application(Keyword::True.name(), &sentence.arguments, statement);
    match (sentence.keyword, statement.head.keyword) {
        (Some(Keyword::Init), _) => {
            Some(format!("write `{state}`, or use the facts that the initial state is made from"))
        }
        (_, Some(Keyword::Legal | Keyword::Goal | Keyword::Terminal)) => {
            Some(format!("write `{state}`, which refers to the state itself"))
        }
        _ => None,
    }
}

/// The remedy for a relation without rules whose name is an operator of other languages.
pub(super) fn for_operator(name: &str) -> Option<&'static str> {
    match name {
        "&" | "&&" | "," | "^" | "\u{2227}" => Some("remove it: all conditions of a rule must hold"),
        "|" | "||" | "\u{2228}" => Some("write `(or condition condition ...)`"),
        "~" | "!" | "\u{ac}" | "\\+" => Some("write `(not condition)`"),
        "=" | "==" => Some("use the same term in both places; GDL has no `=`"),
        "!=" | "/=" | "<>" | "\\=" | "\u{2260}" => Some("write `(distinct term term)`"),
        "<" | ">" | ">=" | "=<" | "+" | "-" | "*" | "/" | "is" => {
            Some("define a relation by facts, such as `(succ 1 2)`; GDL has no arithmetic")
        }
        _ => None,
    }
}

/// Whether a term is written like a sentence of the language, such as `(true (cell 1))`.
fn is_sentence(subject: &Subject<'_>, term: &Expression) -> bool {
    let Expression::Application(name, arguments, _) = term else { return false };
    let word = subject.text.symbols.name(*name);
    !arguments.is_empty() && Keyword::ALL.iter().any(|keyword| keyword.name() == word)
}

/// Whether a term is a name without arguments.
fn is_name(term: &Expression) -> bool {
    matches!(term, Expression::Application(_, arguments, _) if arguments.is_empty())
}
