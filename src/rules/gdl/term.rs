//! Terms. Ground terms are hash-consed and identified by an index; terms with variables are trees.

use std::cmp::Ordering;

use indexmap::{Equivalent, IndexSet};
use rustc_hash::FxBuildHasher;

use super::symbol::{Symbol, Symbols};

/// The index of a ground term in its table of [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

impl TermId {
    /// The index as `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of a rule, by its index in [`Rule::variables`](super::rule::Rule::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub u32);

impl Variable {
    /// The index as `usize`.
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
    /// Number of symbols of each term.
    sizes: Vec<u32>,
    /// Number of symbols of the largest term.
    largest: u32,
}

/// A key for looking up a term without copying its arguments. It must hash like an entry.
#[derive(Hash)]
struct Key<'a>(Symbol, &'a [TermId]);

impl Equivalent<(Symbol, Box<[TermId]>)> for Key<'_> {
    fn equivalent(&self, entry: &(Symbol, Box<[TermId]>)) -> bool {
        self.0 == entry.0 && *self.1 == *entry.1
    }
}

impl Terms {
    /// Interns the term `functor(arguments...)`.
    pub fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        self.find(functor, arguments).unwrap_or_else(|| {
            let size = size_of_application(arguments, |argument| self.size(argument));
            self.add(functor, arguments, size)
        })
    }

    /// Adds a new term with its number of symbols. Its arguments may be in another table.
    pub fn add(&mut self, functor: Symbol, arguments: &[TermId], size: u32) -> TermId {
        self.sizes.push(size);
        self.largest = self.largest.max(size);
        TermId(self.entries.insert_full((functor, arguments.into())).0 as u32)
    }

    /// Interns the constant `symbol`.
    pub fn constant(&mut self, symbol: Symbol) -> TermId {
        self.intern(symbol, &[])
    }

    /// The term `functor(arguments...)`, if it is in the table.
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

    /// The outermost symbol of a term with its arguments.
    #[inline]
    pub fn entry(&self, term: TermId) -> (Symbol, &[TermId]) {
        let (functor, arguments) = &self.entries[term.index()];
        (*functor, arguments)
    }

    /// Number of symbols of a term, at most [`u32::MAX`]. It bounds the nesting depth.
    pub fn size(&self, term: TermId) -> u32 {
        self.sizes[term.index()]
    }

    /// Number of symbols of the largest term in the table.
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Orders terms by structure: outermost symbol, number of arguments, arguments from left to right.
    /// The order does not depend on the order in which terms were interned.
    pub fn compare(&self, a: TermId, b: TermId) -> Ordering {
        compare_by(a, b, |term| self.entry(term))
    }

    /// Writes a term as lower-case KIF: `noop`, `(mark 1 1)`.
    pub fn write(&self, term: TermId, symbols: &Symbols, out: &mut String) {
        // A stack of the arguments still to be written, because terms that grow in play are too deep for recursion.
        let mut open: Vec<std::slice::Iter<'_, TermId>> = Vec::new();
        let mut next = Some(term);
        loop {
            match next {
                Some(term) => {
                    let arguments = self.arguments(term);
                    if !arguments.is_empty() {
                        out.push('(');
                        open.push(arguments.iter());
                    }
                    out.push_str(symbols.name(self.functor(term)));
                }
                None => {
                    out.push(')');
                    open.pop();
                }
            }
            let Some(arguments) = open.last_mut() else { return };
            next = arguments.next().copied();
            if next.is_some() {
                out.push(' ');
            }
        }
    }

    /// A term as lower-case KIF.
    pub fn display(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(term, symbols, &mut out);
        out
    }
}

/// Number of symbols of a term with these arguments.
pub fn size_of_application(arguments: &[TermId], size: impl Fn(TermId) -> u32) -> u32 {
    arguments.iter().fold(1, |sum: u32, &argument| sum.saturating_add(size(argument)))
}

/// Compares interned terms by structure, see [`Terms::compare`]. The first differing argument decides, so it follows a single
/// path and needs no recursion.
pub fn compare_by<'t>(
    mut a: TermId,
    mut b: TermId,
    entry: impl Fn(TermId) -> (Symbol, &'t [TermId]),
) -> Ordering {
    while a != b {
        let ((functor, left), (other, right)) = (entry(a), entry(b));
        let heads = functor.cmp(&other).then(left.len().cmp(&right.len()));
        if heads.is_ne() {
            return heads;
        }
        match left.iter().zip(right).find(|(x, y)| x != y) {
            Some((&x, &y)) => (a, b) = (x, y),
            None => return Ordering::Equal,
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(s (s ... z))`, and a tree each of whose nodes has the same subtree twice.
    fn grown(symbols: &mut Symbols, terms: &mut Terms, steps: usize) -> [TermId; 2] {
        let [s, t, z] = ["s", "t", "z"].map(|name| symbols.intern(name));
        let zero = terms.constant(z);
        (0..steps).fold([zero; 2], |[counter, tree], _| {
            [terms.intern(s, &[counter]), terms.intern(t, &[tree, tree])]
        })
    }

    #[test]
    fn deep_terms_are_written_and_compared_without_recursion() {
        let (mut symbols, mut terms) = (Symbols::default(), Terms::default());
        let [deep, _] = grown(&mut symbols, &mut terms, 1_000_000);
        let [less, _] = grown(&mut symbols, &mut terms, 999_999);
        // On a stack that a recursive function would overflow.
        let compared = std::thread::Builder::new().stack_size(64 << 10).spawn(move || {
            let text = terms.display(deep, &symbols);
            (terms.size(deep), text.len(), terms.compare(deep, less), terms.compare(less, deep))
        });
        let (size, length, one, other) = compared.unwrap().join().unwrap();
        assert_eq!((size, length), (1_000_001, 4_000_001));
        // Where they differ, `s` meets `z`; `s` was interned first.
        assert_eq!((one, other), (Ordering::Less, Ordering::Greater));
    }

    #[test]
    fn sizes_count_symbols_and_saturate() {
        let (mut symbols, mut terms) = (Symbols::default(), Terms::default());
        let [_, three] = grown(&mut symbols, &mut terms, 3);
        let [_, large] = grown(&mut symbols, &mut terms, 40);
        assert_eq!((terms.size(three), terms.size(large), terms.largest()), (15, u32::MAX, u32::MAX));
        assert_eq!(terms.display(three, &symbols), "(t (t (t z z) (t z z)) (t (t z z) (t z z)))");
    }
}
