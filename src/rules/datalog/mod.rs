//! A Datalog engine with bottom-up evaluation. Grounding, the relational machine and the fuzzy goal functions evaluate their
//! rules with it. The room does not depend on networks or states.
//!
//! # The language
//! A [`Program`] is a list of [`Clause`]s over relations, which are identified by number and have a number of arguments.
//! Bodies are conjunctions of positive and negative atoms and of disequalities. Terms may be nested, so a program can derive
//! new terms without end; the limits of a [`Guard`] stop it. The caller makes sure that negation is stratified and that
//! every variable of a clause occurs in a positive literal of its body ([`crate::gdl`] checks both).
//!
//! # Evaluation
//! - *Components.* [`components`] computes the strongly connected components of relations, dependencies first. A negated
//!   relation is therefore complete before it is used: the result is the perfect model.
//! - *Semi-naive evaluation.* [`Engine::evaluate`] applies the clauses of a component until nothing new follows. From
//!   the second round on, one recursive literal at a time ranges over the rows of the last round. Literals before it
//!   range over older rows, and literals after it over all rows. So no instance of a body is found twice.
//! - *Indexed joins.* A plan orders the literals of a clause by their expected number of matches, estimated from table sizes
//!   and numbers of distinct values. Each literal is looked up in a hash index on its bound columns; checks run as soon as
//!   their variables are bound. The join backtracks through the plan without recursion and without intermediate tables.
//! - *Demand.* A large relation is derived only for the arguments with which it is called: the magic-set transformation
//!   (`demand.rs`), a rewriting of the program before evaluation.
//!
//! Facts of a relation are numbered in the order of derivation. The order depends only on the program and on the order
//! of the given facts, so the same input gives the same tables.
//!
//! # Example
//! ```
//! # use ggp_rules as ggp;
//! use ggp::datalog::{Clause, Engine, Guard, Program, components};
//! use ggp::gdl::rule::{Atom, Literal};
//! use ggp::gdl::symbol::Symbols;
//! use ggp::gdl::term::{Term, Terms, Variable};
//!
//! // path(X, Y) :- edge(X, Y).    path(X, Z) :- path(X, Y), edge(Y, Z).
//! let mut program = Program::default();
//! let (edge, path) = (program.add_relation(2), program.add_relation(2));
//! let atom = |relation, a, b| {
//!     let variable = |number| Term::Variable(Variable(number));
//!     Atom { relation, arguments: [variable(a), variable(b)].into() }
//! };
//! let positive = |relation, a, b| Literal::Positive(atom(relation, a, b));
//! program.clauses = vec![
//!     Clause { head: atom(path, 0, 1), body: vec![positive(edge, 0, 1)], variables: 2 },
//!     Clause { head: atom(path, 0, 2), body: vec![positive(path, 0, 1), positive(edge, 1, 2)], variables: 3 },
//! ];
//!
//! let (mut symbols, mut terms) = (Symbols::default(), Terms::default());
//! let [a, b, c] = ["a", "b", "c"].map(|name| terms.constant(symbols.intern(name)));
//! let mut engine = Engine::new(&program, terms);
//! engine.insert(edge, &[a, b]);
//! engine.insert(edge, &[b, c]);
//! engine.seal(edge);
//! for component in components(&program, &|relation| relation == path) {
//!     engine.evaluate(&program, &component, &Guard::atoms(1000))?;
//! }
//! let paths: Vec<_> = engine.facts(path).collect();
//! assert_eq!(paths, [[a, b], [b, c], [a, c]]);
//! # Ok::<(), ggp::datalog::Exceeded>(())
//! ```
//!
//! # Sources
//! Semi-naive evaluation: Bancilhon and Ramakrishnan, "An amateur's introduction to recursive query processing
//! strategies", SIGMOD 1986. Magic sets: Beeri and Ramakrishnan, "On the power of magic", Journal of Logic Programming
//! 10, 1991. Stratified programs and their meaning: Abiteboul, Hull and Vianu, *Foundations of Databases*, 1995,
//! chapters 13 to 15.

mod call_graph;
mod component;
mod database;
mod demand;
mod engine;
mod growth;
mod join;
mod limits;
mod plan;
mod program;
mod seminaive;
mod table;
#[cfg(test)]
mod tests;

pub use component::{Component, components};
pub use database::{Database, PlansKept};
pub use demand::{Added, Demand, Part, Rewritten, on_demand};
pub use engine::Engine;
pub use growth::Growth;
pub use join::Interner;
pub use join::build;
pub use limits::{Exceeded, Guard, Interrupt, Interrupted, Limits, MOST_SYMBOLS};
pub use plan::{Purpose, is_bound};
pub use program::{Clause, Program};
pub use seminaive::{Consequences, saturate};
pub use table::Table;
