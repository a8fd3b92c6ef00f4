//! If a derivation exceeds its budget, the error names the growing relation, its size, and its unbound arguments.

use std::sync::Arc;

use ggp::datalog::Growth;
use ggp::gdl::{Description, Source, read};
use ggp::ground::{Exceeded, Limits, ground};
use ggp::machine::{Backend, LoadError, MachineError, load};

/// Four arguments with six numbers each make 1,296 rows of `quad/4`. The last argument of `flat/3` is constant.
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

/// Checks that the number of atoms exceeded its limit, the relation that grew, and its unbound arguments.
#[track_caller]
fn check_atoms(exceeded: &Exceeded, atoms: usize, relation: &str, unbound: &[usize]) {
    let Exceeded::Grown(limit, growth) = exceeded else { panic!("{exceeded}") };
    assert_eq!(**limit, Exceeded::Atoms(atoms), "{exceeded}");
    check_growth(growth, relation, unbound, &exceeded.to_string());
}

/// Checks the relation that grew and its unbound arguments, and that the error names the relation.
#[track_caller]
fn check_growth(growth: &Growth, relation: &str, unbound: &[usize], error: &str) {
    assert_eq!((&*growth.relation, &growth.free[..]), (relation, unbound), "{error}");
    assert!(growth.rows > 0 && error.contains(&format!("`{relation}`")), "{error}");
    assert!(!error.contains("infinite"), "{error}");
}

#[test]
fn grounding_errors_name_the_growing_relation() {
    let limits = Limits { atoms: 500, ..Limits::default() };
    let exceeded = ground(&Arc::new(description(LARGE)), &limits).expect_err("more than 500");
    check_atoms(&exceeded, 500, "quad/4", &[1, 2, 3, 4]);
}

#[test]
fn constant_arguments_count_as_bound() {
    let limits = Limits { atoms: 30, ..Limits::default() };
    let quad = "(<= (quad ?a ?b ?c ?d) (seen ?a) (seen ?b) (seen ?c) (seen ?d))";
    let rules = LARGE.replace(quad, "").replace("(quad ?a ?b ?c ?d)", "(flat ?a ?b same)");
    let exceeded = ground(&Arc::new(description(&rules)), &limits).expect_err("more than 30");
    check_atoms(&exceeded, 30, "flat/3", &[1, 2]);
}

#[test]
fn state_errors_name_the_growing_relation() {
    let limits = Limits { bytes: 700 * 300, ..Limits::default() };
    let failed = load(description(LARGE), Backend::Relational, &limits).err().expect("more than 300 atoms");
    let LoadError::Machine(MachineError::TooManyAtoms { limit: 300, growth }) = &failed else {
        panic!("{failed}")
    };
    check_growth(growth, "quad/4", &[1, 2, 3, 4], &failed.to_string());
}

#[test]
fn static_rule_errors_name_the_growing_relation() {
    let rules = LARGE.replace("(true (at ?a))", "(num ?a)").replace("(num ?a) (true (at ?b))", "(num ?a)");
    let limits = Limits { atoms: 500, ..Limits::default() };
    let failed = load(description(&rules), Backend::Auto, &limits).err().expect("more than 500 facts");
    let LoadError::Statics(exceeded) = &failed else { panic!("{failed}") };
    check_atoms(exceeded, 500, "quad/4", &[1, 2, 3, 4]);
}

#[test]
fn infinite_relations_are_derived_on_demand() {
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
