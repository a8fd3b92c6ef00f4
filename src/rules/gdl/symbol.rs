//! Symbols: the words of a description, folded to lower case and interned.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A word of a description (a constant, a relation or function name, a variable name without its `?`).
///
/// Symbols order by their first appearance in the text, so an order over symbols is the same for every
/// consistent renaming of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// Position in the table of symbols.
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
    /// The symbol of `name`, which must be in lower case already.
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
