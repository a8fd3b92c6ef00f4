//! Terms: ground terms are hash-consed and named by a number; terms with variables are small trees.

use std::cmp::Ordering;

use indexmap::{Equivalent, IndexSet};
use rustc_hash::FxBuildHasher;

use super::symbol::{Symbol, Symbols};

/// A ground term, by its number in a table of [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

impl TermId {
    /// Position in the table of terms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of a rule, by its position in [`Rule::variables`](super::rule::Rule::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub u32);

impl Variable {
    /// Position among the rule's variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A variable.
    Variable(Variable),
    /// A term without variables.
    Ground(TermId),
    /// A function term with at least one variable in it.
    Compound(Symbol, Box<[Term]>),
}

impl Term {
    /// Calls `visit` for every variable in the term, from left to right, with repetitions.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Term::Variable(variable) => visit(*variable),
            Term::Ground(_) => {}
            Term::Compound(_, arguments) => arguments.iter().for_each(|term| term.for_each_variable(visit)),
        }
    }
}

/// The table of ground terms. A constant is a term without arguments.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    entries: IndexSet<(Symbol, Box<[TermId]>), FxBuildHasher>,
}

/// A term that is looked up without a copy of its arguments; hashed as an entry is.
#[derive(Hash)]
struct Key<'a>(Symbol, &'a [TermId]);

impl Equivalent<(Symbol, Box<[TermId]>)> for Key<'_> {
    fn equivalent(&self, entry: &(Symbol, Box<[TermId]>)) -> bool {
        self.0 == entry.0 && *self.1 == *entry.1
    }
}

impl Terms {
    /// The term `functor(arguments...)`, made if it is new.
    pub fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        self.find(functor, arguments)
            .unwrap_or_else(|| TermId(self.entries.insert_full((functor, arguments.into())).0 as u32))
    }

    /// The constant `symbol`.
    pub fn constant(&mut self, symbol: Symbol) -> TermId {
        self.intern(symbol, &[])
    }

    /// The term `functor(arguments...)`, if it is known.
    pub fn find(&self, functor: Symbol, arguments: &[TermId]) -> Option<TermId> {
        self.entries.get_index_of(&Key(functor, arguments)).map(|index| TermId(index as u32))
    }

    /// The outermost symbol of a term.
    pub fn functor(&self, term: TermId) -> Symbol {
        self.entries[term.index()].0
    }

    /// The arguments of a term; empty for a constant.
    pub fn arguments(&self, term: TermId) -> &[TermId] {
        &self.entries[term.index()].1
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Orders terms by structure: outermost symbol, number of arguments, arguments from left to right.
    /// It does not depend on the order in which terms were made.
    pub fn compare(&self, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (left, right) = (&self.entries[a.index()], &self.entries[b.index()]);
        left.0.cmp(&right.0).then(left.1.len().cmp(&right.1.len())).then_with(|| {
            let pairs = left.1.iter().zip(right.1.iter());
            pairs.map(|(&x, &y)| self.compare(x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        })
    }

    /// Writes a term as lower-case KIF: `noop`, `(mark 1 1)`.
    pub fn write(&self, term: TermId, symbols: &Symbols, out: &mut String) {
        let (functor, arguments) = &self.entries[term.index()];
        if arguments.is_empty() {
            out.push_str(symbols.name(*functor));
            return;
        }
        out.push('(');
        out.push_str(symbols.name(*functor));
        for &argument in arguments {
            out.push(' ');
            self.write(argument, symbols, out);
        }
        out.push(')');
    }

    /// A term as lower-case KIF.
    pub fn display(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(term, symbols, &mut out);
        out
    }
}
