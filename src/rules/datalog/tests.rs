//! Tests of the engine on programs in Prolog notation.

mod demand;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::gdl::rule::{Atom, Literal, RelationId};
use crate::gdl::symbol::Symbols;
use crate::gdl::term::{Term, TermId, Terms, Variable};

/// A program parsed from text, with its symbols.
#[derive(Default)]
struct Text {
    program: Program,
    names: Vec<String>,
    symbols: Symbols,
    terms: Terms,
}

impl Text {
    /// Parses one clause per line, `head :- literal, literal`. `not` negates, `X \= Y` says that two terms differ, and words
    /// that begin with a capital are variables.
    fn read(text: &str) -> Text {
        let mut read = Text::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (head, body) = line.split_once(" :- ").unwrap_or((line, ""));
            let mut variables = Vec::new();
            let head = read.atom(head, &mut variables);
            let body = parts(body).into_iter().map(|literal| read.literal(literal, &mut variables)).collect();
            read.program.clauses.push(Clause { head, body, variables: variables.len() });
        }
        read
    }

    fn literal(&mut self, text: &str, variables: &mut Vec<String>) -> Literal {
        if let Some((left, right)) = text.split_once(r" \= ") {
            Literal::Distinct(self.term(left, variables), self.term(right, variables))
        } else if let Some(atom) = text.strip_prefix("not ") {
            Literal::Negative(self.atom(atom, variables))
        } else {
            Literal::Positive(self.atom(text, variables))
        }
    }

    fn atom(&mut self, text: &str, variables: &mut Vec<String>) -> Atom {
        let (name, arguments) = split(text);
        let arguments: Box<[Term]> =
            arguments.into_iter().map(|argument| self.term(argument, variables)).collect();
        let known = self.names.iter().position(|other| other == name);
        let relation = known.map_or_else(
            || {
                self.names.push(name.to_owned());
                self.program.add_relation(arguments.len())
            },
            |known| RelationId(known as u32),
        );
        Atom { relation, arguments }
    }

    fn term(&mut self, text: &str, variables: &mut Vec<String>) -> Term {
        let (name, arguments) = split(text);
        if name.starts_with(char::is_uppercase) {
            let known = variables.iter().position(|other| other == name).unwrap_or_else(|| {
                variables.push(name.to_owned());
                variables.len() - 1
            });
            return Term::Variable(Variable(known as u32));
        }
        let symbol = self.symbols.intern(name);
        let arguments: Box<[Term]> =
            arguments.into_iter().map(|argument| self.term(argument, variables)).collect();
        let ground = |term: &Term| match term {
            Term::Ground(id) => Some(*id),
            _ => None,
        };
        match arguments.iter().map(ground).collect::<Option<Vec<TermId>>>() {
            Some(ids) => Term::Ground(self.terms.intern(symbol, &ids)),
            None => Term::Compound(symbol, arguments),
        }
    }

    fn relation(&self, name: &str) -> RelationId {
        let found = self.names.iter().position(|other| other == name);
        RelationId(found.expect("the program has the relation") as u32)
    }

    /// Evaluates every relation.
    fn run(&self, guard: &Guard) -> Result<Engine<Terms>, Exceeded> {
        run(&self.program, &self.terms, guard)
    }

    /// The facts of a relation as text, without repetitions.
    fn facts(&self, engine: &Engine<Terms>, relation: RelationId) -> BTreeSet<String> {
        let facts: Vec<String> = engine
            .facts(relation)
            .map(|row| {
                let terms: Vec<String> =
                    row.iter().map(|&term| engine.terms.display(term, &self.symbols)).collect();
                terms.join(" ")
            })
            .collect();
        let set: BTreeSet<String> = facts.iter().cloned().collect();
        assert_eq!(set.len(), facts.len(), "no fact stands twice");
        set
    }

    /// Evaluates the program and returns the facts of a relation.
    fn derive(&self, relation: &str) -> BTreeSet<String> {
        let engine = self.run(&Guard::atoms(1_000_000)).expect("the program is small");
        self.facts(&engine, self.relation(relation))
    }
}

fn run(program: &Program, terms: &Terms, guard: &Guard) -> Result<Engine<Terms>, Exceeded> {
    let mut engine = Engine::new(program, terms.clone());
    for component in components(program, &|_| true) {
        engine.evaluate(program, &component, guard)?;
    }
    Ok(engine)
}

/// Splits a list at its outermost commas.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn split(text: &str) -> (&str, Vec<&str>) {
    match text.split_once('(') {
        Some((name, rest)) => (name, parts(rest.strip_suffix(')').expect("a closing parenthesis"))),
        None => (text, Vec::new()),
    }
}

fn set(facts: &[&str]) -> BTreeSet<String> {
    facts.iter().map(|&fact| fact.to_owned()).collect()
}

/// The edges of a graph with a cycle, a chain that leaves it, and a separate part.
fn edges() -> Vec<(usize, usize)> {
    let chain = (4..20).map(|node| (node, node + 1));
    [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3), (1, 4), (30, 31)].into_iter().chain(chain).collect()
}

fn with_edges(rules: &str) -> Text {
    let facts = edges().into_iter().map(|(from, to)| format!("edge(n{from}, n{to})\n"));
    Text::read(&(facts.collect::<String>() + rules))
}

/// Paths of at least one edge, by Warshall's algorithm.
fn closure() -> BTreeSet<String> {
    const NODES: usize = 32;
    let mut reach = [[false; NODES]; NODES];
    edges().into_iter().for_each(|(from, to)| reach[from][to] = true);
    for via in 0..NODES {
        for from in 0..NODES {
            for to in 0..NODES {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    let pairs = (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to)));
    pairs.filter(|&(from, to)| reach[from][to]).map(|(from, to)| format!("n{from} n{to}")).collect()
}

#[test]
fn every_form_of_recursion_gives_the_transitive_closure() {
    let linear = "path(X, Y) :- edge(X, Y)
                  path(X, Z) :- path(X, Y), edge(Y, Z)";
    let doubled = "path(X, Y) :- edge(X, Y)
                   path(X, Z) :- path(X, Y), path(Y, Z)";
    let mutual = "path(X, Y) :- edge(X, Y)
                  path(X, Z) :- edge(X, Y), onward(Y, Z)
                  onward(X, Y) :- path(X, Y)";
    for rules in [linear, doubled, mutual] {
        assert_eq!(with_edges(rules).derive("path"), closure(), "{rules}");
    }
}

#[test]
fn negated_relations_are_complete_first() {
    // The clauses are in the wrong order for evaluation.
    let text = with_edges(
        "island(X) :- node(X), not reached(X)
         reached(X) :- start(X)
         reached(Y) :- reached(X), edge(X, Y)
         start(n3)
         node(X) :- edge(X, Y)
         node(Y) :- edge(X, Y)",
    );
    let mut islands: BTreeSet<String> =
        edges().into_iter().flat_map(|(from, to)| [format!("n{from}"), format!("n{to}")]).collect();
    assert!(islands.remove("n3"), "n3 reaches itself alone");
    assert_eq!(text.derive("island"), islands);
}

#[test]
fn terms_are_matched_built_and_compared() {
    let text = Text::read(
        r"holds(pair(a, b))
          holds(pair(b, b))
          holds(pair(c, f(a)))
          holds(c)
          turned(pair(Y, X)) :- holds(pair(X, Y)), X \= Y
          inner(X) :- turned(pair(f(X), Y))
          nothing :- inner(b)
          something :- inner(a)",
    );
    assert_eq!(text.derive("turned"), set(&["(pair b a)", "(pair (f a) c)"]));
    assert_eq!(text.derive("inner"), set(&["a"]));
    assert_eq!(text.derive("something"), set(&[""]));
    assert_eq!(text.derive("nothing"), set(&[]));
}

#[test]
fn an_exceeded_limit_is_an_error() {
    let endless = Text::read(
        "number(zero)
         number(s(X)) :- number(X)",
    );
    assert_eq!(endless.run(&Guard::atoms(50)).err(), Some(Exceeded::Atoms(50)));
    let late = Limits { seconds: 0.0, ..Limits::default() };
    assert_eq!(endless.run(&Guard::start(&late)).err(), Some(Exceeded::Seconds(0.0)));
    let flag = Interrupt(Some(Arc::new(AtomicBool::new(true))));
    let broken_off = Limits { interrupt: flag, ..Limits::default() };
    assert_eq!(endless.run(&Guard::start(&broken_off)).err(), Some(Exceeded::Interrupted));
    // The limit on symbols is reached before the limit on atoms.
    let all = Guard::atoms(usize::MAX);
    assert_eq!(endless.run(&all).err(), Some(Exceeded::Symbols(MOST_SYMBOLS)));
    // The limit stops a product of a thousand rows within one round.
    let digits: String = (0..10).map(|digit| format!("digit(d{digit})\n")).collect();
    let wide = Text::read(&(digits + "code(A, B, C, D) :- digit(A), digit(B), digit(C), digit(D)"));
    assert_eq!(wide.run(&Guard::atoms(500)).err(), Some(Exceeded::Atoms(500)));
    assert!(wide.run(&Guard::atoms(10_010)).is_ok(), "a budget that is just enough");
}

#[test]
fn the_order_of_literals_and_clauses_changes_no_fact() {
    let rules = [
        r"cousin(X, Y) :- edge(A, B), edge(A, C), B \= C, edge(B, X), edge(C, Y), not edge(X, Y)",
        r"cousin(X, Y) :- not edge(X, Y), edge(C, Y), edge(B, X), B \= C, edge(A, C), edge(A, B)",
    ];
    let [one, other] = rules.map(|rules| with_edges(rules).derive("cousin"));
    assert!(!one.is_empty());
    assert_eq!(one, other);
}
