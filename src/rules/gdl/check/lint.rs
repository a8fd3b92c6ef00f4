//! Rules that GDL allows but that are usually mistakes.

use rustc_hash::FxHashMap;

use super::misspelling::variables_resemble;
use super::subject::Subject;
use super::{Entry, Group};
use crate::gdl::diagnostic::{Code, Diagnostics, Severity};
use crate::gdl::source::Span;
use crate::gdl::statement::{Expression, Formula, Sentence, Statement};

/// A variable that occurs once in its rule.
pub const VARIABLE_ONCE: Code = Code(40);
/// A repeated fact or rule.
pub const DUPLICATE: Code = Code(41);
/// A name in upper and lower case.
pub const SPELLINGS: Code = Code(42);

pub(super) const GROUP: Group = Group { name: "likely mistakes", entries: ENTRIES, check };

const ENTRIES: &[Entry] = &[
    Entry {
        code: VARIABLE_ONCE,
        severity: Severity::Warning,
        title: "variable used once",
        cause: "A variable that occurs once in a rule matches anything. That is often intended, and sometimes a misspelt \
                name. A variable that resembles another variable of its rule gets its own warning. All others of the file \
                are counted in one line; `ggp check --all` shows each.",
        example: "(<= (p ?x) (q ?x ?col) (r ?coll) (s ?coll))",
        corrected: "(<= (p ?x) (q ?x ?col) (r ?col) (s ?col))",
        remedy: "if any value is intended, ignore this; otherwise check the spelling",
    },
    Entry {
        code: DUPLICATE,
        severity: Severity::Warning,
        title: "repeated rule",
        cause: "The fact or rule repeats an earlier one, perhaps with other names of variables. It adds nothing.",
        example: "(<= (p ?x) (q ?x))\n(<= (p ?y) (q ?y))",
        corrected: "(<= (p ?x) (q ?x))",
        remedy: "remove one of them",
    },
    Entry {
        code: SPELLINGS,
        severity: Severity::Warning,
        title: "name in upper and lower case",
        cause: "GDL does not distinguish upper and lower case, so these spellings are one name. Some programs do \
                distinguish them, and play the game differently.",
        example: "(role Alice)\n(legal alice b)",
        corrected: "(role alice)\n(legal alice b)",
        remedy: "use one spelling",
    },
];

fn check(subject: &Subject<'_>, diagnostics: &mut Diagnostics) {
    let mut plain = Vec::new();
    for statement in &subject.text.statements {
        once(statement, subject, &mut plain, diagnostics);
    }
    if let Some(((span, name), rest)) = plain.split_first() {
        let message = match rest.len() {
            0 => format!("{name} occurs only once in its rule"),
            others => format!("{} variables occur only once in their rules", others + 1),
        };
        let diagnostic = diagnostics.add(VARIABLE_ONCE, *span, message);
        diagnostic.note(name.clone());
        rest.iter().for_each(|(span, name)| {
            diagnostic.label(*span, name.clone());
        });
        diagnostic.folded = true;
    }
    duplicates(subject, diagnostics);
}

/// Finds variables that occur once in a rule, in a positive literal; [`super::safety`] reports those in other literals. A
/// variable that resembles another variable of the rule is reported; the others are added to `plain`.
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
    let is_single = |variable: usize| places[variable].len() == 1 && positive[variable];
    for variable in (0..places.len()).filter(|&variable| is_single(variable)) {
        let (span, own) = (places[variable][0], name(variable));
        let similar = (0..places.len()).find(|&other| variables_resemble(own, name(other)));
        // If two variables resemble each other, one report is enough: `safety` reports an unbound one, and otherwise the
        // later one is reported here.
        if similar.is_some_and(|other| !positive[other] || other > variable && is_single(other)) {
            continue;
        }
        let Some(other) = similar else {
            plain.push((span, format!("?{own}")));
            continue;
        };
        diagnostics
            .add(VARIABLE_ONCE, span, format!("?{own} occurs only once; did you mean ?{}?", name(other)))
            .note("occurs once")
            .help(format!("write `?{}` if it is misspelt; ignore this if any value is intended", name(other)))
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
                    .add(DUPLICATE, statement.span, format!("this {what} repeats an earlier one"))
                    .note("repeated here")
                    .label(first, "first here");
            }
            None => {
                seen.insert(key.text, statement.span);
            }
        }
    }
}

/// A statement as text in which variables are numbered by first occurrence, so that renamed copies are equal.
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
