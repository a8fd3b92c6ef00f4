//! Promise: where a derivation passes its budget, the error names the relation that grew, how large it was, and which of
//! its arguments nothing bound.

use std::sync::Arc;

use ggp::gdl::{Description, Source, read};
use ggp::ground::{Limits, ground};
use ggp::machine::{Backend, load};

/// Six numbers four times over: 1,296 rows of `quad/4`, whose last argument is always the same in `flat/3`.
const LARGE: &str = "(role r) (init (at 1)) (legal r go) (legal r stay)
    (num 1) (num 2) (num 3) (num 4) (num 5) (num 6)
    (<= (seen ?a) (true (at ?a))) (<= (seen ?a) (num ?a) (true (at ?b)))
    (<= (flat ?a ?b same) (seen ?a) (seen ?b))
    (<= (quad ?a ?b ?c ?d) (seen ?a) (seen ?b) (seen ?c) (seen ?d))
    (<= (next (at ?a)) (does r go) (quad ?a ?b ?c ?d) (distinct ?a ?b))
    (<= (goal r 100) (flat ?a ?b same) (distinct ?a ?b)) (<= terminal (true (at 6)))";

fn description(rules: &str) -> Description {
    read(&Source::from_text("large", rules)).description.expect("no errors")
}

#[test]
fn grounding_names_what_grew() {
    let limits = Limits { atoms: 500, ..Limits::default() };
    let said = ground(&Arc::new(description(LARGE)), &limits).expect_err("more than 500").to_string();
    assert!(said.starts_with("more than 500 atoms can be derived: `quad/4` had "), "{said}");
    assert!(said.ends_with("and nothing binds its arguments 1, 2, 3 and 4"), "{said}");
}

#[test]
fn an_argument_that_is_always_the_same_is_bound() {
    let limits = Limits { atoms: 30, ..Limits::default() };
    let quad = "(<= (quad ?a ?b ?c ?d) (seen ?a) (seen ?b) (seen ?c) (seen ?d))";
    let rules = LARGE.replace(quad, "").replace("(quad ?a ?b ?c ?d)", "(flat ?a ?b same)");
    let said = ground(&Arc::new(description(&rules)), &limits).expect_err("more than 30").to_string();
    assert!(
        said.contains("`flat/3` had ") && said.ends_with("nothing binds its arguments 1 and 2"),
        "{said}"
    );
}

#[test]
fn a_state_that_is_too_large_names_what_grew() {
    let limits = Limits { bytes: 700 * 300, ..Limits::default() };
    let failed = load(description(LARGE), Backend::Relational, &limits).err().expect("more than 300 atoms");
    let said = failed.to_string();
    assert!(said.contains("more than 300 atoms in one state: `quad/4` had "), "{said}");
    assert!(!said.contains("infinite"), "{said}");
}

#[test]
fn static_rules_name_what_grew() {
    let rules = LARGE.replace("(true (at ?a))", "(num ?a)").replace("(num ?a) (true (at ?b))", "(num ?a)");
    let limits = Limits { atoms: 500, ..Limits::default() };
    let failed = load(description(&rules), Backend::Auto, &limits).err().expect("more than 500 facts");
    assert!(failed.to_string().contains("`quad/4` had "), "{failed}");
}

#[test]
fn a_relation_of_terms_without_end_is_derived_where_it_is_asked_for() {
    for step in ["(s ?x)", "(t ?x ?x)"] {
        let rules = format!(
            "(role r) (init (at z)) (number z) (<= (number {step}) (number ?x))
            (<= (legal r go) (true (at ?x)) (number ?x)) (<= (next (at {step})) (true (at ?x)))
            (<= terminal (true (at (s (s ?x))))) (<= terminal (true (at (t (t ?x ?x) ?y)))) (goal r 0)"
        );
        let game = load(description(&rules), Backend::Auto, &Limits::default()).unwrap();
        let mut cursor = game.machine.cursor();
        for steps in 0..2 {
            let legal = cursor.legal(0).to_vec();
            assert_eq!((legal.len(), cursor.terminal()), (1, false), "{step} after {steps} steps");
            cursor.advance(&legal).unwrap();
        }
        assert!(cursor.terminal(), "{step}");
    }
}
