//! Argument domains: the terms that can occur at each argument of each relation.
//!
//! This is an over-approximation from the dependency graph of argument positions (Schiffel and Thielscher 2007). A position
//! of a head depends on the positions of the body with the same variable, and constants flow along these edges. The domain
//! of `true` is that of `init` and `next`; the domain of `does` is that of `legal`. A variable at several positions of
//! positive literals takes the values that all of them have.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Description;
use super::flow::Flow;
use super::rule::{Atom, Literal, RelationId, RelationKind};
use super::symbol::Symbol;
use super::term::{Term, TermId, Variable};

/// The terms that can occur at one position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Ground terms of the text, in structural order.
    pub terms: Vec<TermId>,
    /// Functions with variables in their arguments, as symbol and number of arguments, in order of symbols. Their instances
    /// arise only in play.
    pub functors: Vec<(Symbol, usize)>,
}

impl Domain {
    /// The number of terms; a function counts as one.
    pub fn len(&self) -> usize {
        self.terms.len() + self.functors.len()
    }

    /// Whether no term can occur there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The domain as text for documents: terms as KIF, then functions as `name/arity`.
    pub fn texts(&self, description: &Description) -> Vec<String> {
        let terms = self.terms.iter().map(|&term| description.term(term));
        let name = |symbol| description.symbols.name(symbol);
        terms
            .chain(self.functors.iter().map(|&(symbol, arity)| format!("{}/{arity}", name(symbol))))
            .collect()
    }
}

/// The argument domains of a description.
#[derive(Clone, Debug)]
pub struct Domains {
    of: Vec<Vec<Domain>>,
    inner: FxHashMap<(Symbol, usize, usize), Domain>,
}

impl Domains {
    /// The domain of an argument of a relation, counted from 0. The role of `does` and `legal` is argument 0.
    pub fn argument(&self, relation: RelationId, argument: usize) -> &Domain {
        &self.of[relation.index()][argument]
    }

    /// The domain of an argument of a function, over all places of the function.
    pub fn inner(&self, functor: Symbol, arity: usize, argument: usize) -> Option<&Domain> {
        self.inner.get(&(functor, arity, argument))
    }

    /// Computes the domains of all arguments of all relations.
    pub fn of(description: &Description) -> Domains {
        let mut positions = Positions::new(description);
        for rule in &description.rules {
            for (index, term) in rule.head.arguments.iter().enumerate() {
                let place = positions.base[rule.head.relation.index()] + index as u32;
                positions.constants(term, place);
            }
            let mut sources = Vec::new();
            for literal in &rule.body {
                if let Literal::Positive(atom) = literal {
                    positions.occurrences(atom, &mut sources);
                }
            }
            let mut targets = Vec::new();
            positions.occurrences(&rule.head, &mut targets);
            for (variable, target) in targets {
                let from = sources.iter().filter(|(other, _)| *other == variable).map(|&(_, place)| place);
                positions.flow.transfer(target, from.collect());
            }
        }
        positions.connect();
        positions.flow.solve(usize::MAX);
        positions.finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Term(TermId),
    Functor(Symbol, usize),
}

struct Positions<'a> {
    description: &'a Description,
    flow: Flow,
    /// For each relation the place of its first argument in `flow`.
    base: Vec<u32>,
    inner: FxHashMap<(Symbol, usize, usize), u32>,
    values: IndexSet<Value, FxBuildHasher>,
}

impl<'a> Positions<'a> {
    fn new(description: &'a Description) -> Positions<'a> {
        let mut flow = Flow::default();
        let mut next = 0;
        let mut base = Vec::with_capacity(description.relations.len());
        for relation in &description.relations {
            base.push(next);
            (0..relation.arity).for_each(|_| next = flow.place() + 1);
        }
        Positions { description, flow, base, inner: FxHashMap::default(), values: IndexSet::default() }
    }

    fn inner(&mut self, functor: Symbol, arity: usize, argument: usize) -> u32 {
        *self.inner.entry((functor, arity, argument)).or_insert_with(|| self.flow.place())
    }

    fn constants(&mut self, term: &Term, place: u32) {
        match term {
            Term::Variable(_) => {}
            Term::Ground(term) => self.ground(*term, place),
            Term::Compound(functor, arguments) => {
                let value = self.values.insert_full(Value::Functor(*functor, arguments.len())).0;
                self.flow.value(place, value as u32);
                for (index, argument) in arguments.iter().enumerate() {
                    let inner = self.inner(*functor, arguments.len(), index);
                    self.constants(argument, inner);
                }
            }
        }
    }

    fn ground(&mut self, term: TermId, place: u32) {
        let value = self.values.insert_full(Value::Term(term)).0;
        self.flow.value(place, value as u32);
        let terms = &self.description.terms;
        let arguments = terms.arguments(term);
        for (index, &argument) in arguments.iter().enumerate() {
            let inner = self.inner(terms.functor(term), arguments.len(), index);
            self.ground(argument, inner);
        }
    }

    /// Collects each variable of an atom with its places.
    fn occurrences(&mut self, atom: &Atom, out: &mut Vec<(Variable, u32)>) {
        for (index, term) in atom.arguments.iter().enumerate() {
            let place = self.base[atom.relation.index()] + index as u32;
            self.inner_occurrences(term, place, out);
        }
    }

    fn inner_occurrences(&mut self, term: &Term, place: u32, out: &mut Vec<(Variable, u32)>) {
        match term {
            Term::Variable(variable) => out.push((*variable, place)),
            Term::Ground(_) => {}
            Term::Compound(functor, arguments) => {
                for (index, argument) in arguments.iter().enumerate() {
                    let inner = self.inner(*functor, arguments.len(), index);
                    self.inner_occurrences(argument, inner, out);
                }
            }
        }
    }

    fn connect(&mut self) {
        let description = self.description;
        for (target, relation) in description.relation_ids() {
            let givers: &[RelationKind] = match relation.kind {
                RelationKind::True => &[RelationKind::Init, RelationKind::Next],
                RelationKind::Does => &[RelationKind::Legal],
                _ => &[],
            };
            for &kind in givers {
                let Some(giver) = description.relation(kind, relation.name, relation.arity) else { continue };
                for index in 0..relation.arity as u32 {
                    let source = self.base[giver.index()] + index;
                    self.flow.transfer(self.base[target.index()] + index, vec![source]);
                }
            }
        }
    }

    fn domain(&self, index: u32) -> Domain {
        let mut domain = Domain::default();
        for value in self.flow.values(index) {
            match self.values[value as usize] {
                Value::Term(term) => domain.terms.push(term),
                Value::Functor(functor, arity) => domain.functors.push((functor, arity)),
            }
        }
        domain.terms.sort_by(|&a, &b| self.description.terms.compare(a, b));
        domain.functors.sort_unstable();
        domain
    }

    fn finish(self) -> Domains {
        let of = self.description.relations.iter().zip(&self.base).map(|(relation, &base)| {
            (0..relation.arity as u32).map(|index| self.domain(base + index)).collect()
        });
        let of = of.collect();
        #[allow(clippy::iter_over_hash_type, reason = "a map into a map: the order is lost again")]
        let inner = self.inner.iter().map(|(&key, &place)| (key, self.domain(place))).collect();
        Domains { of, inner }
    }
}
