//! Tests of the demand transformation: it derives no more than is called for, and the answers stay the same.

use std::collections::BTreeSet;

use super::super::*;
use super::{Text, run, set, with_edges};
use crate::gdl::rule::RelationId;

fn demand<'a>(
    read: &'a dyn Fn(RelationId) -> bool,
    layer: &'a dyn Fn(RelationId) -> usize,
) -> Demand<'a, usize> {
    Demand { propagates: &|_| true, read, layer }
}

#[test]
fn only_called_rows_are_derived() {
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         path(X, Z) :- edge(X, Y), path(Y, Z)
         from(n15)
         answer(Y) :- from(X), path(X, Y)",
    );
    let (path, answer) = (text.relation("path"), text.relation("answer"));
    let propagates = |relation: RelationId| relation != answer;
    let asked = Demand { propagates: &propagates, read: &|relation| relation == answer, layer: &|_| 0 };
    let rewritten = on_demand(&text.program, &[path], &asked).expect("nothing is negated");
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(10_000)).expect("small");
    let answers = text.facts(&engine, answer);
    assert_eq!(answers, set(&["n16", "n17", "n18", "n19", "n20"]));
    assert_eq!(answers, text.derive("answer"));
    assert_eq!(engine.facts(path).count(), 0, "the relation itself is not written out");

    // One version with the first argument bound: its answers and its calls.
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
fn calling_layers_have_their_own_versions() {
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         path(X, Z) :- edge(X, Y), path(Y, Z)
         early(Y) :- path(n19, Y)
         late(Y) :- early(X), path(Y, X)",
    );
    let (path, late) = (text.relation("path"), text.relation("late"));
    let asked = Demand {
        propagates: &|relation| relation == path,
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
fn a_relation_called_with_no_bound_argument_is_complete() {
    let free = demand(&|_| false, &|_| 0);
    let open = with_edges(
        "path(X, Y) :- edge(X, Y)
         pair(X, Y) :- path(X, Y)",
    );
    let propagates = |relation| relation == open.relation("path");
    let asked = Demand { propagates: &propagates, ..free };
    assert!(
        on_demand(&open.program, &[open.relation("path")], &asked).is_none(),
        "it is asked with nothing bound"
    );
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         out(Y) :- path(n3, Y)",
    );
    let (path, out) = (text.relation("path"), text.relation("out"));
    let propagates = |relation| relation == path;
    let read = |relation| relation == out;
    assert!(
        on_demand(&text.program, &[path], &Demand { propagates: &propagates, read: &read, layer: &|_| 0 })
            .is_some()
    );
    let read = |relation| relation == path;
    let read_itself = Demand { propagates: &propagates, read: &read, layer: &|_| 0 };
    assert!(on_demand(&text.program, &[path], &read_itself).is_none());
}

/// Rewrites a program so that some relations are derived on demand, and returns the facts of another one.
fn derived_on_demand(text: &Text, large: &[&str], wanted: &str) -> (BTreeSet<String>, usize) {
    let wanted = text.relation(wanted);
    let large: Vec<RelationId> = large.iter().map(|name| text.relation(name)).collect();
    let propagates = |relation: RelationId| relation != wanted;
    let asked = Demand { propagates: &propagates, read: &|relation| relation == wanted, layer: &|_| 0 };
    let rewritten = on_demand(&text.program, &large, &asked).expect("something is bound");
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(100_000)).expect("small");
    (text.facts(&engine, wanted), engine.rows())
}

#[test]
fn negated_literals_make_calls() {
    // There are 32,768 triples, and two are called for.
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
fn a_version_answers_calls_that_bind_more() {
    let text = with_edges(
        "path(X, Y) :- edge(X, Y)
         path(X, Z) :- edge(X, Y), path(Y, Z)
         answer(Y) :- edge(n14, X), path(X, Y)
         answer(X) :- edge(n15, X), edge(X, Y), path(X, Y)",
    );
    let (answer, path) = (text.relation("answer"), text.relation("path"));
    let propagates = |relation: RelationId| relation == path;
    let asked = Demand { propagates: &propagates, read: &|relation| relation == answer, layer: &|_| 0 };
    let rewritten = on_demand(&text.program, &[path], &asked).expect("the first argument is bound");
    assert_eq!(rewritten.added.len(), 2, "one version with its calls");
    let engine = run(&rewritten.program, &text.terms, &Guard::atoms(10_000)).expect("small");
    assert_eq!(text.facts(&engine, answer), text.derive("answer"));
}

#[test]
fn calls_keep_the_program_stratified() {
    // The call of `bad` depends on `good`, and `good` is what is not `bad`.
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

/// A random stratified program: base relations `e` and `b`, and `p0` to `p4`. The rules of each use base relations, itself
/// and earlier relations; only earlier ones are negated.
fn any_program(mut seed: u64) -> Text {
    let mut below = |count: u64| {
        // Knuth's linear congruential generator; its high bits are used.
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
    fn demand_changes_no_answer(seed: u64, chosen in 1u8..32, border in 0usize..8) {
        let text = any_program(seed);
        let answer = text.relation("answer");
        let large: Vec<RelationId> =
            (0..5).filter(|bit| chosen >> bit & 1 == 1).map(|number| text.relation(&format!("p{number}"))).collect();
        // Relations are in the order of their definitions, so no layer depends on a later one.
        let layer = |relation: RelationId| usize::from(relation.index() >= border);
        let asked = Demand { propagates: &|relation| relation != answer, read: &|relation| relation == answer, layer: &layer };
        if let Some(rewritten) = on_demand(&text.program, &large, &asked) {
            let engine = run(&rewritten.program, &text.terms, &Guard::atoms(100_000)).expect("small");
            proptest::prop_assert_eq!(text.facts(&engine, answer), text.derive("answer"));
        }
    }
}
