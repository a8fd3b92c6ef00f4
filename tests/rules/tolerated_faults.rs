//! Some rules that GDL forbids are played with a warning, because their meaning is clear: mistakes in unused
//! declarations, one name for relations of different arity, and `next` in rules for `sees`.

use ggp::gdl::check::tolerated::{DECLARATION, NEXT_IN_SEES, OVERLOADED, SEEN_BY_ALL};
use ggp::gdl::check::vocabulary::{NEXT_IN_BODY, RELATION_ARITY};
use ggp::gdl::diagnostic::{Code, Severity};
use ggp::gdl::{Reading, Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};

const LAMPS: &str = "(role solo) (place 1) (place 2) (init (lamp 1 off)) (init (lamp 2 off))
(<= (legal solo (flip ?x)) (place ?x))
(<= (next (lamp ?x on)) (does solo (flip ?x)) (true (lamp ?x off)))
(<= (next (lamp ?x ?c)) (true (lamp ?x ?c)) (not (does solo (flip ?x))))
(<= terminal (true (lamp 1 on)) (true (lamp 2 on)))
(<= (goal solo 100) terminal) (<= (goal solo 0) (not terminal))\n";

fn reading(text: &str) -> Reading {
    read(&Source::from_text("text", text))
}

fn codes(reading: &Reading, severity: Severity) -> Vec<Code> {
    let faults = reading.diagnostics.iter().filter(|fault| fault.severity == severity);
    faults.map(|fault| fault.code).collect()
}

/// The legal moves in the initial state, on which both machines must agree.
fn first_moves(reading: Reading) -> Vec<String> {
    let description = reading.description.unwrap_or_else(|| panic!("{:#?}", reading.diagnostics));
    let moves = |backend| {
        let machine = load(description.clone(), backend, &Limits::default()).unwrap().machine;
        let cursor = machine.cursor();
        let legal = cursor.legal(0).iter();
        let mut moves: Vec<String> = legal.map(|&action| machine.move_text(action)).collect();
        moves.sort();
        moves
    };
    let network = moves(Backend::Network);
    assert_eq!(network, moves(Backend::Relational));
    network
}

#[test]
fn mistakes_in_unused_declarations_are_warnings() {
    for declaration in [
        // Unsafe declarations, a list of values, other arities, `next` and `init` in bodies, and cycles.
        "(base (lamp ?place ?colour))",
        "(base lamp (place 1 2) (colour on off)) (base (lamp ?place ?colour))",
        "(<= (base (lamp ?x ?c)) (next (lamp ?x ?c)))",
        "(<= (base (lamp ?x ?c)) (init (lamp ?x ?c)))",
        "(<= (input solo (flip ?x)) (place ?x ?y))",
        "(<= (base ?f) (not (base ?f)) (true ?f))",
        "(<= (base ?f) (input solo ?f)) (input solo ?f)",
    ] {
        let text = format!("{LAMPS}{declaration}");
        let found = reading(&text);
        assert_eq!(codes(&found, Severity::Error), [], "{declaration}");
        let places = found.diagnostics.iter().filter(|fault| fault.code == DECLARATION);
        assert!(places.into_iter().all(|fault| fault.span().start as usize >= LAMPS.len()), "{declaration}");
        assert!(codes(&found, Severity::Warning).contains(&DECLARATION), "{declaration}");
        assert_eq!(first_moves(found), ["(flip 1)", "(flip 2)"], "{declaration}");
    }
}

#[test]
fn mistakes_in_declarations_that_rules_use_are_errors() {
    for rule in [
        "(<= (legal solo ?m) (input solo ?m))",
        "(<= (known ?m) (input solo ?m)) (<= (input solo ?m) (base ?m))",
    ] {
        let found = reading(&format!("{LAMPS}(input solo (flip ?place)){rule}"));
        assert!(found.description.is_none(), "{rule}");
    }
    // Errors of other rules remain errors.
    assert!(reading(&format!("{LAMPS}(base ?f)(known ?x)")).description.is_none());
}

#[test]
fn any_number_of_faulty_declarations_is_omitted() {
    let many: String = (0..1000).map(|number| format!("(base (f{number} ?x))\n")).collect();
    let found = reading(&format!("{LAMPS}{many}"));
    assert_eq!(codes(&found, Severity::Error), []);
    assert_eq!(first_moves(found).len(), 2);
}

#[test]
fn names_with_two_arities_are_two_relations() {
    let sums = "(role solo) (num 0) (num 1) (num 2)
        (sum 0 0 0) (sum 0 1 1) (sum 1 0 1) (sum 1 1 2) (sum 0 2 2) (sum 2 0 2)
        (<= (sum ?a ?b ?c ?d) (sum ?a ?b ?x) (sum ?x ?c ?d))
        (<= (legal solo (tip ?a ?b)) (sum ?a ?b 1 2) (sum ?a ?b ?c)) (init (step 1))
        (<= terminal (true (step 2))) (<= (next (step 2)) (true (step 1))) (goal solo 100)";
    let found = reading(sums);
    assert_eq!(codes(&found, Severity::Error), []);
    assert!(codes(&found, Severity::Warning).contains(&OVERLOADED));
    assert_eq!(first_moves(found), ["(tip 0 1)", "(tip 1 0)"]);
}

#[test]
fn literals_with_an_unusual_arity_are_errors() {
    let found = reading(&format!(
        "{LAMPS}(succ 1 2) (succ 1 2 3) (<= (p ?x) (succ ?x ?y) (succ ?x ?y ?z)) (<= (q ?x) (succ ?x))"
    ));
    assert_eq!(codes(&found, Severity::Error), [RELATION_ARITY]);
    let error = found.diagnostics.iter().find(|fault| fault.code == RELATION_ARITY).unwrap();
    assert_eq!(error.labels.len(), 2);
    // An arity that occurs twice is not taken for a slip.
    let twice = "(succ 1 2) (<= (p ?x) (place ?x) (not (succ ?x))) (<= (q ?x) (place ?x) (not (succ ?x)))";
    assert_eq!(codes(&reading(&format!("{LAMPS}{twice}")), Severity::Error), []);
}

const CHASE: &str = "(role hunter) (role hare) (init (at hunter 1)) (init (at hare 3)) (way 1 2) (way 2 3) (way 3 1)
(<= (legal ?r (go ?y)) (true (at ?r ?x)) (way ?x ?y)) (<= (legal ?r stay) (role ?r))
(<= (next (at ?r ?y)) (does ?r (go ?y))) (<= (next (at ?r ?x)) (does ?r stay) (true (at ?r ?x)))
(<= caught (true (at hunter ?x)) (true (at hare ?x))) (<= terminal caught)
(<= (goal hunter 100) caught) (<= (goal hunter 0) (not caught)) (<= (goal hare 0) caught) (<= (goal hare 100) (not caught))\n";

#[test]
fn percepts_may_refer_to_the_next_state() {
    let found = reading(&format!(
        "{CHASE}(<= (sees ?r (near ?x)) (role ?r) (next (at hunter ?x)) (next (at hare ?x)))"
    ));
    assert_eq!(codes(&found, Severity::Error), []);
    assert!(codes(&found, Severity::Warning).contains(&NEXT_IN_SEES));
    let rules = found.description.as_ref().unwrap().kif();
    assert!(
        rules.contains("(<= (sees ?r (near ?x)) (role ?r) (at_next hunter ?x) (at_next hare ?x))"),
        "{rules}"
    );
    assert!(rules.contains("(<= (at_next ?r ?y) (does ?r (go ?y)))"), "{rules}");
    assert_eq!(first_moves(found), ["(go 2)", "stay"]);
    // The printed rules read back without errors.
    assert_eq!(codes(&reading(&rules), Severity::Error), []);
    for forbidden in ["(<= (look ?x) (next (at hunter ?x)))", "(<= (sees ?x) (next (at hunter ?x)))"] {
        let found = reading(&format!("{CHASE}{forbidden}"));
        assert_eq!(codes(&found, Severity::Error), [NEXT_IN_BODY], "{forbidden}");
    }
}

#[test]
fn percepts_without_a_role_are_for_all_roles() {
    let found = reading(&format!("{CHASE}(<= (sees ?everyone (at ?x)) (true (at hare ?x))) (sees ?r begun)"));
    assert_eq!(codes(&found, Severity::Error), []);
    assert_eq!(codes(&found, Severity::Warning).iter().filter(|&&code| code == SEEN_BY_ALL).count(), 2);
    let rules = found.description.as_ref().unwrap().kif();
    assert!(rules.contains("(<= (sees ?everyone (at ?x)) (role ?everyone) (true (at hare ?x)))"), "{rules}");
    assert!(rules.contains("(<= (sees ?r begun) (role ?r))"), "{rules}");
    // The variables of a percept must be bound.
    assert!(reading(&format!("{CHASE}(<= (sees hare ?x) (true (at hare 1)))")).description.is_none());
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn small_corpus_cases_are_read_as_expected() {
    let cases = crate::corpus().join("cases");
    for (name, code) in
        [("base_declaration", DECLARATION), ("arity_overload", OVERLOADED), ("sees_next", NEXT_IN_SEES)]
    {
        let found = read(&Source::load(cases.join(name).with_extension("kif")).unwrap());
        assert_eq!(codes(&found, Severity::Error), [], "{name}");
        assert!(codes(&found, Severity::Warning).contains(&code), "{name}");
        assert!(!first_moves(found).is_empty(), "{name}");
    }
}
