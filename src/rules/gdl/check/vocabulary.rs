//! Reserved words where they may not stand, and numbers of arguments.

use std::collections::BTreeMap;

use super::subject::{Position, Subject};
use super::tolerated::{OVERLOADED, next_in_sees};
use super::{Entry, Group};
use crate::catalog::counted;
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{Dependence, RelationKind};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Formula, Sentence, Statement};
use crate::gdl::symbol::Symbol;

/// A reserved relation with the wrong number of arguments.
pub const KEYWORD_ARITY: Code = Code(15);
/// A literal with another number of arguments than its relation.
pub const RELATION_ARITY: Code = Code(16);
/// A function with several numbers of arguments.
pub const FUNCTION_ARITY: Code = Code(17);
/// `not`, `and`, `or` or `distinct` as the head of a rule.
pub const LOGICAL_HEAD: Code = Code(18);
/// A reserved word as a name within a term.
pub const RESERVED_NAME: Code = Code(19);
/// `role` in the head of a rule.
pub const ROLE_RULE: Code = Code(20);
/// `init` in a body.
pub const INIT_IN_BODY: Code = Code(21);
/// `init` depends on state or moves.
pub const INIT_DEPENDS: Code = Code(22);
/// `true` or `does` in a head.
pub const STATE_IN_HEAD: Code = Code(23);
/// `next` in a body.
pub const NEXT_IN_BODY: Code = Code(24);
/// `legal`, `goal` or `terminal` depends on `does`.
pub const DEPENDS_ON_DOES: Code = Code(25);

pub(super) const GROUP: Group = Group { name: "vocabulary", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: KEYWORD_ARITY,
        severity: Severity::Error,
        title: "reserved word with the wrong number of arguments",
        cause: "`role`, `init`, `true` and `next` take one argument, `does`, `legal` and `goal` two, `terminal` none.",
        example: "(<= terminal (true cell 1 x))",
        mended: "(<= terminal (true (cell 1 x)))",
        remedy: "put the fluent or move into parentheses of its own; give the role where one belongs",
    },
    Entry {
        code: RELATION_ARITY,
        severity: Severity::Error,
        title: "literal with another number of arguments than its relation",
        cause: "A relation has one number of arguments. A literal with another number occurs once, and nothing \
                defines a relation with that number: it is a slip, and could never hold.",
        example: "(succ 1 2)\n(<= (p ?x) (succ ?x))",
        mended: "(succ 1 2)\n(<= (p ?x) (succ ?x ?y))",
        remedy: "add or remove the argument, or name the other relation differently",
    },
    Entry {
        code: FUNCTION_ARITY,
        severity: Severity::Warning,
        title: "function with several numbers of arguments",
        cause: "A fluent, move or function comes with different numbers of arguments. Terms of different size never \
                equal each other; they are kept apart.",
        example: "(init (cell 1 1 b))\n(<= terminal (true (cell 1 b)))",
        mended: "(init (cell 1 1 b))\n(<= terminal (true (cell 1 1 b)))",
        remedy: "add or remove the argument, or use another name",
    },
    Entry {
        code: LOGICAL_HEAD,
        severity: Severity::Error,
        title: "logical word as a head",
        cause: "A rule's head is one sentence: `not`, `and`, `or` and `distinct` have no place there.",
        example: "(<= (and (p 1) (p 2)) (q 1))",
        mended: "(<= (p 1) (q 1))\n(<= (p 2) (q 1))",
        remedy: "write one rule for each sentence that follows",
    },
    Entry {
        code: RESERVED_NAME,
        severity: Severity::Warning,
        title: "reserved word used as a name",
        cause: "A reserved word stands inside a term, where it is a name like any other. Mostly it is a slip: a \
                sentence of the language was put where a fluent, a move or a constant belongs.",
        example: "(<= (next (true ?f)) (true ?f) (p ?f))",
        mended: "(<= (next ?f) (true ?f) (p ?f))",
        remedy: "use another name, or take the word away",
    },
    Entry {
        code: ROLE_RULE,
        severity: Severity::Error,
        title: "role given by a rule",
        cause: "Roles are facts: they are the same in every state, and their order is that of the text.",
        example: "(<= (role ?x) (player ?x))\n(player a)",
        mended: "(role a)\n(player a)",
        remedy: "write `(role name)` for each role",
    },
    Entry {
        code: INIT_IN_BODY,
        severity: Severity::Error,
        title: "`init` in a body",
        cause: "`init` says what holds at the start, in heads alone. No rule may ask for it.",
        example: "(<= (p ?x) (init (cell ?x)))",
        mended: "(<= (p ?x) (true (cell ?x)))",
        remedy: "ask for `true`, or for the relation that the initial facts come from",
    },
    Entry {
        code: INIT_DEPENDS,
        severity: Severity::Warning,
        title: "initial state depends on a state",
        cause: "`init` depends on `true`, `does`, `next`, `legal`, `goal` or `terminal`, which have no meaning \
                before there is a state. It is run with no fluent true and no move made.",
        example: "(<= (init (cell 1)) (not (true (cell 2))))",
        mended: "(init (cell 1))",
        remedy: "let `init` depend on facts and rules that mention no state",
    },
    Entry {
        code: STATE_IN_HEAD,
        severity: Severity::Error,
        title: "`true` or `does` in a head",
        cause: "The state and the moves are given, not derived. What holds next is said by `next`.",
        example: "(<= (true (cell 1)) (p 1))",
        mended: "(<= (next (cell 1)) (p 1))",
        remedy: "write `next` (or `init`), or a relation of your own",
    },
    Entry {
        code: NEXT_IN_BODY,
        severity: Severity::Error,
        title: "`next` in a body",
        cause: "`next` stands in heads alone: no rule may ask for the state to come.",
        example: "(<= terminal (next (cell 1)))",
        mended: "(<= (step 1) (does a b))\n(<= (next (cell 1)) (step 1))",
        remedy: "name the condition by a relation of its own and use that in both rules",
    },
    Entry {
        code: DEPENDS_ON_DOES,
        severity: Severity::Error,
        title: "`legal`, `goal` or `terminal` depends on `does`",
        cause: "Which moves are legal, what a state is worth and whether it ends the game is known before anybody \
                moves.",
        example: "(<= (legal a b) (does a c))",
        mended: "(<= (legal a b) (true (done c)))\n(<= (next (done c)) (does a c))",
        remedy: "remember the move in a fluent, and ask for that",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut relations: Found = BTreeMap::new();
    let mut functions: Found = BTreeMap::new();
    for statement in &subject.text.statements {
        Subject::sentences(statement, &mut |sentence, position| {
            let count = sentence.arguments.len();
            misplaced(sentence, position, statement, subject, diagnostics);
            match sentence.keyword.and_then(Keyword::arity) {
                Some(arity) if arity != count => {
                    let word = sentence.keyword.map_or("", Keyword::name);
                    let arguments = counted(arity as u64, "argument", "arguments");
                    diagnostics
                        .add(
                            KEYWORD_ARITY,
                            sentence.span,
                            format!("`{word}` takes {arguments}, here {count}"),
                        )
                        .expected(format!("`{word}` with {arguments}"));
                }
                _ => {}
            }
            if sentence.keyword.is_none() {
                let found =
                    relations.entry((sentence.name, count)).or_insert(Occurrences::new(sentence.span));
                found.count += 1;
                found.defined |= position == Position::Head;
            }
            sentence.arguments.iter().for_each(|term| walk(term, subject, &mut functions, diagnostics));
        });
        for formula in &statement.body {
            distinct_terms(formula, &mut |term| walk(term, subject, &mut functions, diagnostics));
        }
    }
    let slip = |found: &Occurrences| found.count == 1 && !found.defined;
    let relation_code = |found: &Occurrences| if slip(found) { RELATION_ARITY } else { OVERLOADED };
    clashes(&relations, relation_code, "relation", subject, diagnostics);
    functions.retain(|&(_, count), _| count > 0);
    clashes(&functions, |_| FUNCTION_ARITY, "function", subject, diagnostics);
    dependence(subject, diagnostics);
}

/// A name with a number of arguments.
struct Occurrences {
    first: Span,
    count: usize,
    /// Whether a fact or rule has it as its head.
    defined: bool,
}

impl Occurrences {
    fn new(first: Span) -> Occurrences {
        Occurrences { first, count: 0, defined: false }
    }
}

type Found = BTreeMap<(Symbol, usize), Occurrences>;

/// Reserved words in the wrong half of a rule.
fn misplaced(
    sentence: &Sentence,
    position: Position,
    statement: &Statement,
    subject: &Subject<'_>,
    diagnostics: &mut Diagnostics,
) {
    let Some(keyword) = sentence.keyword else { return };
    let (span, is_rule) = (sentence.span, !statement.body.is_empty());
    let word = keyword.name();
    let (code, message, expected) = match (keyword, position) {
        (Keyword::Not | Keyword::And | Keyword::Or | Keyword::Distinct, Position::Head) => {
            (LOGICAL_HEAD, format!("`{word}` can't be the head of a rule"), "one sentence")
        }
        (Keyword::Role, Position::Head) if is_rule => {
            (ROLE_RULE, "a role is given by a rule".into(), "a fact, `(role name)`")
        }
        (Keyword::True | Keyword::Does, Position::Head) => {
            (STATE_IN_HEAD, format!("`{word}` in a head"), "`next`, `init`, or a relation of its own")
        }
        (Keyword::Init, Position::Body) => {
            (INIT_IN_BODY, "`init` in a body".into(), "`true`, or another relation")
        }
        (Keyword::Next, Position::Body)
            if statement.head.arguments.len() == 2
                && subject.text.symbols.name(statement.head.name) == "sees" =>
        {
            return next_in_sees(diagnostics, span);
        }
        (Keyword::Next, Position::Body) => {
            (NEXT_IN_BODY, "`next` in a body".into(), "`true`, or another relation")
        }
        _ => return,
    };
    diagnostics.add(code, span, message).expected(expected);
}

/// Calls `visit` for the terms of every `distinct`.
fn distinct_terms(formula: &Formula, visit: &mut impl FnMut(&Expression)) {
    match formula {
        Formula::Atom(_) => {}
        Formula::Distinct(a, b) => {
            visit(a);
            visit(b);
        }
        Formula::Not(inner) => distinct_terms(inner, visit),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| distinct_terms(part, visit)),
    }
}

/// Notes the functions of a term, and reserved words among them.
fn walk(term: &Expression, subject: &Subject<'_>, functions: &mut Found, diagnostics: &mut Diagnostics) {
    let Expression::Application(name, arguments, span) = term else { return };
    functions.entry((*name, arguments.len())).or_insert(Occurrences::new(*span));
    let word = subject.text.symbols.name(*name);
    if Keyword::ALL.iter().any(|keyword| keyword.name() == word) {
        diagnostics
            .add(RESERVED_NAME, *span, format!("the reserved word `{word}` stands as a name in a term"))
            .expected("a fluent, a move or a constant");
    }
    arguments.iter().for_each(|argument| walk(argument, subject, functions, diagnostics));
}

/// Names with more than one number of arguments: each number but one is reported at its first place. That one is the first
/// in the text whose code is not an error, or the first.
fn clashes(
    found: &Found,
    code: impl Fn(&Occurrences) -> Code,
    what: &str,
    subject: &Subject<'_>,
    diagnostics: &mut Diagnostics,
) {
    let mut by_name: BTreeMap<Symbol, Vec<(bool, Span, usize, Code)>> = BTreeMap::new();
    for (&(name, count), found) in found {
        let code = code(found);
        by_name.entry(name).or_default().push((code == RELATION_ARITY, found.first, count, code));
    }
    for (name, mut places) in by_name {
        places.sort_unstable();
        let name = subject.text.symbols.name(name);
        let Some((&(_, first, arity, _), others)) = places.split_first() else { continue };
        for &(_, span, count, code) in others {
            let (message, expected) = match code == OVERLOADED {
                true => (
                    format!("`{name}` with {count} arguments is another relation than with {arity}"),
                    "a name of its own for each relation".to_owned(),
                ),
                false => (
                    format!("the {what} `{name}` has {count} arguments here, {arity} elsewhere"),
                    format!("`{name}` with {arity} arguments"),
                ),
            };
            diagnostics
                .add(code, span, message)
                .note(format!("{count} arguments"))
                .expected(expected)
                .label(first, format!("{arity} arguments"));
        }
    }
}

/// What `init`, `legal`, `goal` and `terminal` may not depend on.
fn dependence(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    use RelationKind::{Does, Goal, Init, Legal, Next, Terminal, True};
    for (id, relation) in subject.description.relation_ids() {
        let (code, chain) = match relation.kind {
            Init => {
                let state = |kind| matches!(kind, True | Does | Next | Legal | Goal | Terminal);
                (INIT_DEPENDS, subject.chain(id, state))
            }
            // Only what needs the moves at all is worth a search.
            Legal | Goal | Terminal if relation.dependence == Dependence::Moves => {
                (DEPENDS_ON_DOES, subject.chain(id, |kind| kind == Does))
            }
            _ => continue,
        };
        let Some(chain) = chain else { continue };
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { continue };
        let message = format!("{} depends on {}", subject.title(id), subject.title(last.relation));
        let diagnostic = diagnostics.add(code, subject.place(*first), message);
        diagnostic.note(format!("uses {}", subject.title(first.relation)));
        diagnostic.expected("literals that do not depend on it");
        for used in &chain[1..] {
            diagnostic.label(subject.place(*used), format!("which uses {}", subject.title(used.relation)));
        }
    }
}
