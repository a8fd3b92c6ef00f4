//! Symbols: interned words in lower case.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A word of a description: a constant, a name of a relation or function, or a name of a variable without its `?`.
///
/// Symbols are ordered by first appearance in the text, so a consistent renaming of a description keeps their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The index as `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of symbols of one description.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Symbols {
    /// Interns `name`, which must be in lower case.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(index as u32);
        }
        Symbol(self.names.insert_full(name.into()).0 as u32)
    }

    /// The symbol of `name`, if the description has it.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(index as u32))
    }

    /// The word itself.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// Number of symbols.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
