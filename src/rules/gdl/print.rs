//! A description as text.

use super::Description;
use super::symbol::Symbol;
use super::term::Term;

impl Description {
    /// The whole description as lower-case KIF, one fact or rule a line. Reading it gives the same rules (a
    /// relation made by normalisation comes back as one of the description's own).
    pub fn kif(&self) -> String {
        self.rules.iter().fold(String::new(), |mut out, rule| {
            out.push_str(&self.display_rule(rule));
            out.push('\n');
            out
        })
    }

    /// The outermost symbol and number of arguments of a term; nothing for a variable.
    pub fn functor(&self, term: &Term) -> Option<(Symbol, usize)> {
        match term {
            Term::Variable(_) => None,
            Term::Ground(term) => Some((self.terms.functor(*term), self.terms.arguments(*term).len())),
            Term::Compound(functor, arguments) => Some((*functor, arguments.len())),
        }
    }
}
