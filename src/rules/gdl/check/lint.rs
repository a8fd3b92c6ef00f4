//! What is allowed and still mostly a slip.

use rustc_hash::FxHashMap;

use super::misspelling::variables_resemble;
use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Formula, Sentence, Statement};

/// A variable that a rule has only once.
pub const VARIABLE_ONCE: Code = Code(40);
/// A rule that stands twice.
pub const DUPLICATE: Code = Code(41);
/// One name in several spellings.
pub const SPELLINGS: Code = Code(42);

pub(super) const GROUP: Group = Group { name: "slips", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: VARIABLE_ONCE,
        severity: Severity::Warning,
        title: "variable used once",
        cause: "A rule has a variable once, so it means no more than \"anything\". That is often right, and sometimes a \
                misspelt name. A variable that resembles another one of its rule is a warning of its own; all others of \
                the file are one line, and `ggp check --all` shows the place of each.",
        example: "(<= (p ?x) (q ?x ?col) (r ?coll) (s ?coll))",
        mended: "(<= (p ?x) (q ?x ?col) (r ?col) (s ?col))",
        remedy: "check the spelling; where anything is meant, leave it",
    },
    Entry {
        code: DUPLICATE,
        severity: Severity::Warning,
        title: "rule that stands twice",
        cause: "The same fact or rule, but for the names of its variables, stands in the text before. It adds nothing.",
        example: "(<= (p ?x) (q ?x))\n(<= (p ?y) (q ?y))",
        mended: "(<= (p ?x) (q ?x))",
        remedy: "remove one of them",
    },
    Entry {
        code: SPELLINGS,
        severity: Severity::Warning,
        title: "one name in several spellings",
        cause: "The language does not tell upper from lower case, so these spellings are one name. Some readers tell \
                them apart and play the game differently.",
        example: "(role Alice)\n(legal alice b)",
        mended: "(role alice)\n(legal alice b)",
        remedy: "write the name in one way",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut plain = Vec::new();
    for statement in &subject.text.statements {
        once(statement, subject, &mut plain, diagnostics);
    }
    if let Some(((span, name), rest)) = plain.split_first() {
        let message = match rest.len() {
            0 => format!("{name} is used once"),
            others => format!("{} variables are used once", others + 1),
        };
        let diagnostic = diagnostics.add(VARIABLE_ONCE, *span, message);
        diagnostic.note(name.clone()).expected(format!("{name} in a second place, or any term there"));
        rest.iter().for_each(|(span, name)| {
            diagnostic.label(*span, name.clone());
        });
        diagnostic.folded = true;
    }
    duplicates(subject, diagnostics);
}

/// Variables that a rule has once, in a positive literal: elsewhere safety has its say. One that resembles another variable
/// of the rule is reported; the others are added to `plain`.
fn once(
    statement: &Statement,
    subject: &Subject<'_>,
    plain: &mut Vec<(Span, String)>,
    diagnostics: &mut Diagnostics,
) {
    let mut places: Vec<Vec<Span>> = vec![Vec::new(); statement.variables.len()];
    let mut note = |variable: u32, span| places[variable as usize].push(span);
    statement.head.for_each_variable(&mut note);
    statement.body.iter().for_each(|formula| formula.for_each_variable(&mut note));
    let mut positive = vec![false; statement.variables.len()];
    for formula in &statement.body {
        formula.for_each_sentence(false, &mut |sentence, negated| {
            sentence.for_each_variable(&mut |variable, _| positive[variable as usize] |= !negated);
        });
    }
    let name = |variable: usize| subject.text.variables.name(statement.variables[variable]);
    for variable in (0..places.len()).filter(|&variable| places[variable].len() == 1 && positive[variable]) {
        let (span, own) = (places[variable][0], name(variable));
        let similar = (0..places.len()).find(|&other| variables_resemble(own, name(other)));
        let Some(other) = similar else {
            plain.push((span, format!("?{own}")));
            continue;
        };
        diagnostics
            .add(VARIABLE_ONCE, span, format!("?{own} is used once; did you mean ?{}?", name(other)))
            .note("once")
            .expected(format!("?{}, or ?{own} in a second place", name(other)))
            .label(places[other][0], format!("?{}", name(other)));
    }
}

fn duplicates(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut seen: FxHashMap<String, Span> = FxHashMap::default();
    for statement in &subject.text.statements {
        let mut key = Key { text: String::new(), numbers: FxHashMap::default() };
        key.sentence(&statement.head);
        statement.body.iter().for_each(|formula| key.formula(formula));
        match seen.get(&key.text) {
            Some(&first) => {
                let what = if statement.body.is_empty() { "fact" } else { "rule" };
                diagnostics
                    .add(DUPLICATE, statement.span, format!("this {what} stands in the text before"))
                    .note("again")
                    .expected("each rule once")
                    .label(first, "first here");
            }
            None => {
                seen.insert(key.text, statement.span);
            }
        }
    }
}

/// A statement as text, its variables numbered by their first place.
struct Key {
    text: String,
    numbers: FxHashMap<u32, usize>,
}

impl Key {
    fn formula(&mut self, formula: &Formula) {
        let (word, parts) = match formula {
            Formula::Atom(sentence) => return self.sentence(sentence),
            Formula::Distinct(a, b) => {
                self.text.push_str(" (distinct");
                self.term(a);
                self.term(b);
                return self.text.push(')');
            }
            Formula::Not(inner) => (" (not", std::slice::from_ref(&**inner)),
            Formula::And(parts) => (" (and", &parts[..]),
            Formula::Or(parts) => (" (or", &parts[..]),
        };
        self.text.push_str(word);
        parts.iter().for_each(|part| self.formula(part));
        self.text.push(')');
    }

    fn sentence(&mut self, sentence: &Sentence) {
        self.text += &format!(" ({}", sentence.name.0);
        sentence.arguments.iter().for_each(|argument| self.term(argument));
        self.text.push(')');
    }

    fn term(&mut self, term: &Expression) {
        match term {
            Expression::Variable(variable, _) => {
                let next = self.numbers.len();
                let number = *self.numbers.entry(*variable).or_insert(next);
                self.text += &format!(" ?{number}");
            }
            Expression::Application(name, arguments, _) => {
                self.text += &format!(" ({}", name.0);
                arguments.iter().for_each(|argument| self.term(argument));
                self.text.push(')');
            }
        }
    }
}
