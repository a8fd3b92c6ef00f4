//! Checks the positions of reserved words and the numbers of arguments.

use std::collections::BTreeMap;

use super::subject::{Position, Subject};
use super::tolerated::{OVERLOADED, next_in_sees};
use super::{Entry, Group, suggestion, words};
use crate::catalog::counted;
use crate::gdl::dependency::Use;
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::keyword::Keyword;
use crate::gdl::rule::{Dependence, RelationKind};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Formula, Sentence, Statement};
use crate::gdl::symbol::Symbol;

/// A reserved relation with the wrong number of arguments.
pub const KEYWORD_ARITY: Code = Code(15);
/// A literal whose number of arguments differs from that of its relation.
pub const RELATION_ARITY: Code = Code(16);
/// A function with several numbers of arguments.
pub const FUNCTION_ARITY: Code = Code(17);
/// `not`, `and`, `or` or `distinct` as the head of a rule.
pub const LOGICAL_HEAD: Code = Code(18);
/// A reserved word used as a name inside a term.
pub const RESERVED_NAME: Code = Code(19);
/// `role` in the head of a rule.
pub const ROLE_RULE: Code = Code(20);
/// `init` in a body.
pub const INIT_IN_BODY: Code = Code(21);
/// `init` depends on the state or on moves.
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
        cause: "`role`, `init`, `true` and `next` take one argument; `does`, `legal` and `goal` take two; `terminal` takes none.",
        example: "(<= terminal (true cell 1 x))",
        corrected: "(<= terminal (true (cell 1 x)))",
        remedy: "write the fluent or move in its own parentheses, and the role before it where one is required",
    },
    Entry {
        code: RELATION_ARITY,
        severity: Severity::Error,
        title: "literal with the wrong number of arguments",
        cause: "A relation has the same number of arguments everywhere. This literal has another number, and no fact or rule \
                defines a relation with that number, so it could never hold.",
        example: "(succ 1 2)\n(<= (p ?x) (succ ?x))",
        corrected: "(succ 1 2)\n(<= (p ?x) (succ ?x ?y))",
        remedy: "add or remove arguments, or rename one of the relations",
    },
    Entry {
        code: FUNCTION_ARITY,
        severity: Severity::Warning,
        title: "function with several numbers of arguments",
        cause: "A fluent, move or function has different numbers of arguments in different places. Such terms are never \
                equal.",
        example: "(init (cell 1 1 b))\n(<= terminal (true (cell 1 b)))",
        corrected: "(init (cell 1 1 b))\n(<= terminal (true (cell 1 1 b)))",
        remedy: "add or remove arguments, or rename one of the functions",
    },
    Entry {
        code: LOGICAL_HEAD,
        severity: Severity::Error,
        title: "logical word as the head of a rule",
        cause: "The head of a rule is one sentence. `not`, `and`, `or` and `distinct` are allowed only in bodies.",
        example: "(<= (and (p 1) (p 2)) (q 1))",
        corrected: "(<= (p 1) (q 1))\n(<= (p 2) (q 1))",
        remedy: "write one rule for each sentence; a sentence that no rule derives is false",
    },
    Entry {
        code: RESERVED_NAME,
        severity: Severity::Warning,
        title: "reserved word used as a name",
        cause: "Inside a term a reserved word is an ordinary name. Usually this is a mistake: a sentence was written where a \
                fluent, a move or a constant is required.",
        example: "(<= (next (true ?f)) (true ?f) (p ?f))",
        corrected: "(<= (next ?f) (true ?f) (p ?f))",
        remedy: "remove the word, or use another name",
    },
    Entry {
        code: ROLE_RULE,
        severity: Severity::Error,
        title: "role defined by a rule",
        cause: "Roles are facts, because they are the same in every state. They are ordered as their facts are in the text.",
        example: "(<= (role ?x) (player ?x))\n(player a)",
        corrected: "(role a)\n(player a)",
        remedy: "write `(role name)` for each role",
    },
    Entry {
        code: INIT_IN_BODY,
        severity: Severity::Error,
        title: "`init` in a body",
        cause: "`init` defines the initial state. It is allowed only in heads.",
        example: "(<= (p ?x) (init (cell ?x)))",
        corrected: "(<= (p ?x) (true (cell ?x)))",
        remedy: "write `true`, or use the facts that the initial state is made from",
    },
    Entry {
        code: INIT_DEPENDS,
        severity: Severity::Warning,
        title: "initial state depends on the state",
        cause: "`init` depends on `true`, `does`, `next`, `legal`, `goal` or `terminal`, which have no meaning before the \
                initial state exists. `ggp` evaluates it with no fluent true and no move made.",
        example: "(<= (init (cell 1)) (not (true (cell 2))))",
        corrected: "(init (cell 1))",
        remedy: "use conditions that do not depend on the state",
    },
    Entry {
        code: STATE_IN_HEAD,
        severity: Severity::Error,
        title: "`true` or `does` in a head",
        cause: "The state and the moves are inputs of the rules. Rules derive `init`, `next` and `legal`.",
        example: "(<= (true (cell 1)) (p 1))",
        corrected: "(<= (next (cell 1)) (p 1))",
        remedy: "write `next`, `init` or `legal`",
    },
    Entry {
        code: NEXT_IN_BODY,
        severity: Severity::Error,
        title: "`next` in a body",
        cause: "`next` is allowed only in heads. Rules can't refer to the next state.",
        example: "(<= terminal (next (cell 1)))",
        corrected: "(<= (step 1) (does a b))\n(<= (next (cell 1)) (step 1))",
        remedy: "define the condition as a relation, and use it in both rules",
    },
    Entry {
        code: DEPENDS_ON_DOES,
        severity: Severity::Error,
        title: "`legal`, `goal` or `terminal` depends on `does`",
        cause: "`legal`, `goal` and `terminal` are evaluated in a state before the roles move, so they can't depend on \
                moves.",
        example: "(<= (legal a b) (does a c))",
        corrected: "(<= (legal a b) (true (done c)))\n(<= (next (done c)) (does a c))",
        remedy: "store the move in a fluent by a rule for `next`, and use that fluent",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut relations = Occurrences::new();
    let mut functions = Occurrences::new();
    for statement in &subject.text.statements {
        Subject::sentences(statement, &mut |sentence, position| {
            let count = sentence.arguments.len();
            report_misplaced(sentence, position, statement, subject, diagnostics);
            match sentence.keyword.and_then(|keyword| Some((keyword, keyword.arity()?))) {
                Some((keyword, arity)) if arity != count => {
                    let message =
                        format!("`{}` takes {}, but has {count} here", keyword.name(), arguments(arity));
                    let help = suggestion::for_arity(subject, (sentence, keyword), position, statement);
                    let diagnostic = diagnostics.add(KEYWORD_ARITY, sentence.span, message);
                    if !help.contains(keyword.form()) {
                        diagnostic.expected(format!("`{}`", keyword.form()));
                    }
                    diagnostic.help(help);
                }
                Some(_) | None => {}
            }
            if sentence.keyword.is_none() {
                let occurrence =
                    relations.entry((sentence.name, count)).or_insert(Occurrence::new(sentence.span));
                occurrence.count += 1;
                occurrence.defined |= position == Position::Head;
            }
            for term in &sentence.arguments {
                let place = TermContext { parent: Some(sentence), statement };
                collect_functions(term, place, subject, &mut functions, diagnostics);
            }
        });
        for formula in &statement.body {
            terms_of_distinct(formula, &mut |term| {
                let place = TermContext { parent: None, statement };
                collect_functions(term, place, subject, &mut functions, diagnostics);
            });
        }
    }
    let undefined = |occurrence: &Occurrence| occurrence.count == 1 && !occurrence.defined;
    let relation_code =
        |occurrence: &Occurrence| if undefined(occurrence) { RELATION_ARITY } else { OVERLOADED };
    report_arity_clashes(&relations, relation_code, "relation", subject, diagnostics);
    functions.retain(|&(_, count), _| count > 0);
    report_arity_clashes(&functions, |_| FUNCTION_ARITY, "function", subject, diagnostics);
    check_dependence(subject, diagnostics);
}

/// `1 argument`, `2 arguments`.
fn arguments(count: usize) -> String {
    counted(count as u64, "argument", "arguments")
}

/// The occurrences of a name with a number of arguments.
struct Occurrence {
    first: Span,
    count: usize,
    /// Whether a fact or rule has it as its head.
    defined: bool,
}

impl Occurrence {
    fn new(first: Span) -> Occurrence {
        Occurrence { first, count: 0, defined: false }
    }
}

/// Occurrences by name and number of arguments.
type Occurrences = BTreeMap<(Symbol, usize), Occurrence>;

/// Reports reserved words that are not allowed in this part of a rule.
fn report_misplaced(
    sentence: &Sentence,
    position: Position,
    statement: &Statement,
    subject: &Subject<'_>,
    diagnostics: &mut Diagnostics,
) {
    let Some(keyword) = sentence.keyword else { return };
    let (span, is_rule) = (sentence.span, !statement.body.is_empty());
    let word = keyword.name();
    let (code, message, help) = match (keyword, position) {
        (Keyword::Not | Keyword::And | Keyword::Or | Keyword::Distinct, Position::Head) => {
            (LOGICAL_HEAD, format!("`{word}` can't be the head of a rule"), None)
        }
        (Keyword::Role, Position::Head) if is_rule => {
            (ROLE_RULE, "a role must be a fact, not a rule".into(), None)
        }
        (Keyword::True | Keyword::Does, Position::Head) => {
            let help = suggestion::for_state_in_head(subject, sentence, statement);
            (STATE_IN_HEAD, format!("`{word}` is not allowed in a head"), Some(help))
        }
        (Keyword::Next, Position::Body)
            if statement.head.arguments.len() == 2
                && subject.text.symbols.name(statement.head.name) == "sees" =>
        {
            return next_in_sees(diagnostics, span);
        }
        (Keyword::Init | Keyword::Next, Position::Body) => {
            let code = if keyword == Keyword::Init { INIT_IN_BODY } else { NEXT_IN_BODY };
            let help = suggestion::for_future_in_body(subject, sentence, statement);
            (code, format!("`{word}` is not allowed in a body"), help)
        }
        _ => return,
    };
    let diagnostic = diagnostics.add(code, span, message);
    if let Some(help) = help {
        diagnostic.help(help);
    }
}

/// Calls `visit` for the terms of every `distinct`.
fn terms_of_distinct(formula: &Formula, visit: &mut impl FnMut(&Expression)) {
    match formula {
        Formula::Atom(_) => {}
        Formula::Distinct(a, b) => {
            visit(a);
            visit(b);
        }
        Formula::Not(inner) => terms_of_distinct(inner, visit),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| terms_of_distinct(part, visit))
        }
    }
}

/// The context of a term.
#[derive(Clone, Copy)]
struct TermContext<'a> {
    /// The sentence that has this term as an argument; `None` inside terms and `distinct`.
    parent: Option<&'a Sentence>,
    statement: &'a Statement,
}

/// Collects the functions of a term and reports reserved words among them.
fn collect_functions(
    term: &Expression,
    place: TermContext<'_>,
    subject: &Subject<'_>,
    functions: &mut Occurrences,
    diagnostics: &mut Diagnostics,
) {
    let Expression::Application(name, arguments, span) = term else { return };
    functions.entry((*name, arguments.len())).or_insert(Occurrence::new(*span));
    let word = subject.text.symbols.name(*name);
    if arguments.len() == 2 && words::is_operator(word) {
        words::arithmetic(diagnostics, *span, word);
    }
    if Keyword::ALL.iter().any(|keyword| keyword.name() == word) {
        let message = format!("the reserved word `{word}` is used as a name inside a term");
        let suggestion =
            |parent| suggestion::for_reserved(subject, (word, arguments), parent, place.statement);
        let diagnostic = diagnostics.add(RESERVED_NAME, *span, message);
        match place.parent.and_then(suggestion) {
            Some(help) => diagnostic.help(help),
            None => diagnostic.expected("a fluent, a move or a constant"),
        };
    }
    for argument in arguments {
        collect_functions(argument, TermContext { parent: None, ..place }, subject, functions, diagnostics);
    }
}

/// Reports names with several numbers of arguments. The first occurrence without an error (or the first of all) is the
/// reference; each other number is reported at its first occurrence.
fn report_arity_clashes(
    found: &Occurrences,
    code: impl Fn(&Occurrence) -> Code,
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
                    format!(
                        "`{name}` with {} and `{name}` with {} are two relations",
                        arguments(count),
                        arguments(arity)
                    ),
                    String::new(),
                ),
                false => (
                    format!(
                        "the {what} `{name}` has {} in one place, but {arity} elsewhere",
                        arguments(count)
                    ),
                    format!("`{name}` with {}", arguments(arity)),
                ),
            };
            diagnostics
                .add(code, span, message)
                .note(arguments(count))
                .expected(expected)
                .label(first, arguments(arity));
        }
    }
}

/// Reports relations that depend on the state or on moves although GDL forbids it.
fn check_dependence(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    use RelationKind::{Does, Goal, Init, Legal, Next, Terminal, True};
    for (id, relation) in subject.description.relation_ids() {
        let (code, chain) = match relation.kind {
            Init => {
                let state = |kind| matches!(kind, True | Does | Next | Legal | Goal | Terminal);
                (INIT_DEPENDS, subject.chain(id, state))
            }
            // Relations that do not depend on moves need no search.
            Legal | Goal | Terminal if relation.dependence == Dependence::Moves => {
                (DEPENDS_ON_DOES, subject.chain(id, |kind| kind == Does))
            }
            _ => continue,
        };
        let Some(chain) = chain else { continue };
        // The dependence follows from `next` in a body, which is already reported.
        let kind = |used: &Use| subject.description.relations[used.relation.index()].kind;
        if diagnostics.has(NEXT_IN_BODY) && chain.iter().any(|used| kind(used) == Next) {
            continue;
        }
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { continue };
        let rule = subject.statement(first.rule);
        let head = subject.sentence(&rule.head, rule);
        let why = match relation.kind {
            Legal => ", but legal moves are computed before the players move",
            Goal => ", but goal values depend on the state alone",
            Terminal => ", but the end depends on the state alone",
            _ => "",
        };
        let message = format!("`{head}` depends on {}{why}", subject.written(*last));
        let diagnostic = diagnostics.add(code, subject.place(*first), message);
        diagnostic.note(format!("uses {}", subject.written(*first)));
        for used in &chain[1..] {
            diagnostic.label(subject.place(*used), format!("uses {}", subject.written(*used)));
        }
    }
}
