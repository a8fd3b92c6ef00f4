//! The room by itself, on programs written as Prolog has them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::gdl::rule::{Atom, Literal, RelationId};
use crate::gdl::symbol::Symbols;
use crate::gdl::term::{Term, TermId, Terms, Variable};

/// A program read from text, with its words.
#[derive(Default)]
struct Text {
    program: Program,
    names: Vec<String>,
    symbols: Symbols,
    terms: Terms,
}

impl Text {
    /// Clauses one a line, `head :- literal, literal`; `not` negates, `X \= Y` says that two terms differ, words that
    /// begin with a capital are variables.
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

    /// Every relation evaluated.
    fn run(&self, guard: &Guard) -> Result<Engine<Terms>, Exceeded> {
        run(&self.program, &self.terms, guard)
    }

    /// The facts of a relation as text, each once.
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

    /// Evaluates all and gives the facts of a relation.
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

/// The parts of a list at its outermost commas.
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

/// Edges of a graph with a cycle, a chain that leads away from it and a part that hangs together with nothing else.
fn edges() -> Vec<(usize, usize)> {
    let chain = (4..20).map(|node| (node, node + 1));
    [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3), (1, 4), (30, 31)].into_iter().chain(chain).collect()
}

fn with_edges(rules: &str) -> Text {
    let facts = edges().into_iter().map(|(from, to)| format!("edge(n{from}, n{to})\n"));
    Text::read(&(facts.collect::<String>() + rules))
}

/// Paths of one edge or more, by Warshall's algorithm.
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
fn transitive_closure_by_any_recursion() {
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
fn what_is_negated_is_complete_first() {
    // Clauses stand in the order that would be wrong.
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
fn terms_are_taken_apart_made_and_told_apart() {
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
fn a_budget_that_is_passed_is_an_error() {
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
    // A product of a thousand rows within one round is seen before it is all there.
    let digits: String = (0..10).map(|digit| format!("digit(d{digit})\n")).collect();
    let wide = Text::read(&(digits + "code(A, B, C, D) :- digit(A), digit(B), digit(C), digit(D)"));
    assert_eq!(wide.run(&Guard::atoms(500)).err(), Some(Exceeded::Atoms(500)));
    assert!(wide.run(&Guard::atoms(10_010)).is_ok(), "a budget that is just enough");
}

fn demand<'a>(
    read: &'a dyn Fn(RelationId) -> bool,
    layer: &'a dyn Fn(RelationId) -> usize,
) -> Demand<'a, usize> {
    Demand { follows: &|_| true, read, layer }
}

#[test]
fn with_arguments_bound_only_what_is_asked_for_is_derived() {
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         path(X, Z) :- edge(X, Y), path(Y, Z)
         from(n15)
         answer(Y) :- from(X), path(X, Y)",
    );
    let (path, answer) = (text.relation("path"), text.relation("answer"));
    let follows = |relation: RelationId| relation != answer;
    let asked = Demand { follows: &follows, read: &|relation| relation == answer, layer: &|_| 0 };
    let rewritten = on_demand(&text.program, &[path], &asked).expect("nothing is negated");
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(10_000)).expect("small");
    let answers = text.facts(&engine, answer);
    assert_eq!(answers, set(&["n16", "n17", "n18", "n19", "n20"]));
    assert_eq!(answers, text.derive("answer"));
    assert_eq!(engine.facts(path).count(), 0, "the relation itself is not written out");

    // One version, asked with the first argument: its answers and its calls.
    let original = text.program.arities.len();
    let parts = [Part::Answers, Part::Calls].map(|part| Added { of: path, part, layer: 0 });
    assert_eq!(rewritten.added, parts);
    assert_eq!(rewritten.program.arities[original..], [2, 1]);
    let derived = engine.facts(RelationId(original as u32)).count();
    assert_eq!(derived, 5 + 4 + 3 + 2 + 1, "paths from n15 and from what it leads to");
    let calls = text.facts(&engine, RelationId(original as u32 + 1));
    assert_eq!(calls, set(&["n15", "n16", "n17", "n18", "n19", "n20"]));
}

#[test]
fn layers_that_ask_have_versions_of_their_own() {
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         path(X, Z) :- edge(X, Y), path(Y, Z)
         early(Y) :- path(n19, Y)
         late(Y) :- early(X), path(Y, X)",
    );
    let (path, late) = (text.relation("path"), text.relation("late"));
    let asked = Demand {
        follows: &|relation| relation == path,
        read: &|_| false,
        layer: &|relation| usize::from(relation == late),
    };
    let rewritten = on_demand(&text.program, &[path], &asked).expect("nothing is negated");
    let layers: BTreeSet<usize> = rewritten.added.iter().map(|added| added.layer).collect();
    assert_eq!(layers, BTreeSet::from([0, 1]));
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(10_000)).expect("small");
    for relation in ["early", "late"] {
        assert_eq!(text.facts(&engine, text.relation(relation)), text.derive(relation), "{relation}");
    }
    let early = rewritten.program.needed([text.relation("early")]);
    let mut added = rewritten.program.relations().skip(text.program.arities.len()).zip(&rewritten.added);
    assert!(added.all(|(relation, added)| added.layer == 0 || !early[relation.index()]));
}

#[test]
fn what_must_be_known_in_full_is_not_derived_on_demand() {
    let free = demand(&|_| false, &|_| 0);
    let open = with_edges(
        "path(X, Y) :- edge(X, Y)
         pair(X, Y) :- path(X, Y)",
    );
    let follows = |relation| relation == open.relation("path");
    let asked = Demand { follows: &follows, ..free };
    assert!(
        on_demand(&open.program, &[open.relation("path")], &asked).is_none(),
        "it is asked with nothing bound"
    );
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         out(Y) :- path(n3, Y)",
    );
    let (path, out) = (text.relation("path"), text.relation("out"));
    let follows = |relation| relation == path;
    let read = |relation| relation == out;
    assert!(
        on_demand(&text.program, &[path], &Demand { follows: &follows, read: &read, layer: &|_| 0 })
            .is_some()
    );
    let read = |relation| relation == path;
    let read_itself = Demand { follows: &follows, read: &read, layer: &|_| 0 };
    assert!(on_demand(&text.program, &[path], &read_itself).is_none());
}

/// Rewrites a program so that some relations are derived on demand, and gives the facts of another one by it.
fn derived_on_demand(text: &Text, large: &[&str], wanted: &str) -> (BTreeSet<String>, usize) {
    let wanted = text.relation(wanted);
    let large: Vec<RelationId> = large.iter().map(|name| text.relation(name)).collect();
    let follows = |relation: RelationId| relation != wanted;
    let asked = Demand { follows: &follows, read: &|relation| relation == wanted, layer: &|_| 0 };
    let rewritten = on_demand(&text.program, &large, &asked).expect("something is bound");
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(100_000)).expect("small");
    (text.facts(&engine, wanted), engine.rows())
}

#[test]
fn what_is_negated_is_asked_for_as_well() {
    // All triples are 32,768 rows; two of them are asked for.
    let numbers: String = (0..32).map(|number| format!("number(n{number})\n")).collect();
    let text = Text::read(
        &(numbers
            + r"sorted(X, Y, Z) :- number(X), number(Y), number(Z), X \= Y
                some(n1, n2, n3)
                some(n4, n4, n5)
                wrong(X) :- some(X, Y, Z), not sorted(X, Y, Z)"),
    );
    let (wrong, rows) = derived_on_demand(&text, &["sorted"], "wrong");
    assert_eq!(wrong, set(&["n4"]));
    assert!(rows < 100, "{rows}");
}

#[test]
fn a_version_that_binds_less_serves_calls_that_bind_more() {
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         path(X, Z) :- edge(X, Y), path(Y, Z)
         answer(Y) :- edge(n14, X), path(X, Y)
         answer(X) :- edge(n15, X), edge(X, Y), path(X, Y)",
    );
    let (answer, path) = (text.relation("answer"), text.relation("path"));
    let follows = |relation: RelationId| relation == path;
    let asked = Demand { follows: &follows, read: &|relation| relation == answer, layer: &|_| 0 };
    let rewritten = on_demand(&text.program, &[path], &asked).expect("the first argument is bound");
    assert_eq!(rewritten.added.len(), 2, "one version with its calls");
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(10_000)).expect("small");
    assert_eq!(text.facts(&engine, answer), text.derive("answer"));
}

#[test]
fn a_call_never_waits_for_what_depends_on_its_negation() {
    // Who asks `bad` first asks `good`, and that is what is not bad.
    let text = with_edges(
        "bad(X, Y) :- edge(X, Y), edge(Y, X)
         bad(X, Y) :- edge(X, Z), edge(Z, Y), edge(Y, X)
         good(X, Y) :- edge(X, Y), not bad(X, Y)
         both(X, Y) :- good(X, Z), bad(Z, Y)
         answer(Y) :- edge(n0, X), both(X, Y)
         answer(Y) :- edge(n1, X), good(X, Y)",
    );
    for large in [&["good"][..], &["both"], &["bad", "good", "both"]] {
        let (answer, _) = derived_on_demand(&text, large, "answer");
        assert_eq!(answer, text.derive("answer"), "{large:?}");
    }
}

/// A stratified program made from a number: base relations `e` and `b`, and `p0` to `p4`, each by rules over base
/// relations, itself and those before it, negated only those before it.
fn any_program(mut seed: u64) -> Text {
    let mut below = |count: u64| {
        // Knuth's linear congruential generator; its high bits.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % count
    };
    let mut text = String::new();
    for node in 0..5 {
        text += &format!("e(n{node}, n{})\ne(n{}, n{node})\nb(n{})\n", below(5), below(5), below(5));
    }
    let term = |below: &mut dyn FnMut(u64) -> u64| match below(6) {
        0 => format!("n{}", below(5)),
        variable => format!("V{}", variable % 4),
    };
    for head in 0..5u64 {
        for _ in 0..1 + below(3) {
            let mut body = Vec::new();
            for _ in 0..1 + below(3) {
                let (one, two) = (term(&mut below), term(&mut below));
                body.push(match below(3 + head) {
                    0 | 1 => format!("e({one}, {two})"),
                    2 => format!("b({one})"),
                    before => format!("p{}({one}, {two})", before - 2),
                });
            }
            let bound: Vec<String> = (0..4)
                .map(|number| format!("V{number}"))
                .filter(|name| body.join(" ").contains(name))
                .collect();
            let mut any = || match bound.len() as u64 {
                0 => "n0".to_owned(),
                count => bound[below(count) as usize].clone(),
            };
            let (one, two, three, four) = (any(), any(), any(), any());
            match below(3) {
                0 if head > 0 => body.push(format!("not p{}({one}, {two})", below(head))),
                1 => body.push(format!("not e({one}, {two})")),
                _ => {}
            }
            text += &format!("p{head}({three}, {four}) :- {}\n", body.join(", "));
        }
    }
    text += "answer(X, Y) :- b(X), p4(X, Y)\nanswer(X, Y) :- e(X, Y), p3(Y, X), not p2(X, Y)\n";
    Text::read(&text)
}

proptest::proptest! {
    #[test]
    fn what_is_derived_on_demand_is_what_follows(seed: u64, chosen in 1u8..32, border in 0usize..8) {
        let text = any_program(seed);
        let answer = text.relation("answer");
        let large: Vec<RelationId> =
            (0..5).filter(|bit| chosen >> bit & 1 == 1).map(|number| text.relation(&format!("p{number}"))).collect();
        // Relations are in the order of their definitions, so that no layer depends on a later one.
        let layer = |relation: RelationId| usize::from(relation.index() >= border);
        let asked = Demand { follows: &|relation| relation != answer, read: &|relation| relation == answer, layer: &layer };
        if let Some(rewritten) = on_demand(&text.program, &large, &asked) {
            let engine = run(&rewritten.program, &text.terms, &Guard::atoms(100_000)).expect("small");
            proptest::prop_assert_eq!(text.facts(&engine, answer), text.derive("answer"));
        }
    }
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
