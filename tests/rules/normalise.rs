//! Rules have the documented normal form.

use ggp::gdl::dependency::Dependencies;
use ggp::gdl::domain::Domains;
use ggp::gdl::rule::{Dependence, RelationKind};
use ggp::gdl::{Description, Negation, Source, read};

const REST: &str =
    "(role a) (init (cell 1 b)) (init (cell 2 x)) (init (step 1)) (legal a noop) (legal a (mark 2))
(<= terminal (true (step 3))) (goal a 100) (<= (next (cell ?x ?y)) (true (cell ?x ?y)))
(succ 1 2) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))\n";

fn description_under(negation: Negation, rules: &str) -> Description {
    let source = Source::from_text("text", format!("{REST}{rules}")).with_negation(negation);
    let reading = read(&source);
    reading.description.unwrap_or_else(|| panic!("{:#?}", reading.diagnostics))
}

fn description(rules: &str) -> Description {
    description_under(Negation::Language, rules)
}

/// The normal form of rules, without the rest of the game.
fn normalised_under(negation: Negation, rules: &str) -> Vec<String> {
    let rest = description("").rules.len();
    description_under(negation, rules).kif().lines().skip(rest).map(str::to_owned).collect()
}

fn normalised(rules: &str) -> Vec<String> {
    normalised_under(Negation::Language, rules)
}

#[test]
fn de_morgan_keeps_the_order_of_literals() {
    assert_eq!(
        normalised("(<= (p ?x) (succ ?x ?y) (not (and (q ?x) (or (not (r ?x)) (distinct ?x ?y)))))"),
        [
            "(<= (p ?x) (succ ?x ?y) (not (q ?x)))",
            // The alternative with `x = y` becomes a rule with one variable.
            "(<= (p ?y) (succ ?y ?y) (r ?y))",
        ]
    );
}

#[test]
fn a_body_can_be_empty_and_parentheses_can_be_left_out() {
    assert_eq!(
        normalised("(<= (p 1)) (Gameover) (<= q (GAMEOVER))"),
        ["(p 1)", "gameover", "(<= q gameover)"]
    );
}

#[test]
fn negations_move_behind_the_binders_of_their_variables() {
    for waiting in [
        "(<= (p ?x) (succ ?x ?z) (not (true (cell ?x ?y))) (true (cell ?z ?y)))",
        "(<= (p ?x) (not (q ?x)) (domain ?x))",
        "(<= (p ?x) (not (true (at ?y ?x))) (q ?y) (q ?x) (distinct ?y 1))",
        "(<= (p ?x) (q ?x) (not (r ?x ?y)) (not (s ?y)) (q ?y))",
        // The literal after the negation names only the domain of its variable.
        "(<= (clear ?x) (wide ?x ?z) (not (true (on ?y ?x))) (disc ?y))",
        "(<= over (not (has ?p)) (role ?p))",
    ] {
        assert_eq!(normalised(waiting), [waiting]);
    }
    // The option affects only the last two rules.
    let head = "(<= (p ?x) (not (q ?x)) (domain ?x))";
    assert_eq!(normalised_under(Negation::InPlace, head), [head]);
}

#[test]
fn in_place_negations_quantify_unbound_variables() {
    let domains = ["(disc ?y)", "(true (disc ?y))", "(true (disc ?y)) (role ?y)"];
    for domain in domains {
        assert_eq!(
            normalised_under(
                Negation::InPlace,
                &format!("(<= (clear ?x) (not (true (on ?y ?x))) (wide ?x ?z) {domain})")
            ),
            [
                format!("(<= (clear ?x) (not (aux_1 ?x)) (wide ?x ?z) {domain})"),
                "(<= (aux_1 ?x) (true (on ?y ?x)))".to_owned(),
            ]
        );
    }
    let bound = "(<= (clear ?x) (disc ?y) (not (true (on ?y ?x))) (wide ?x ?z))";
    assert_eq!(normalised_under(Negation::InPlace, bound), [bound]);
}

#[test]
fn in_place_reading_changes_the_game_identity() {
    let read_in = "(<= (clear ?x) (disc ?x) (not (true (on ?y ?x))) (disc ?y))";
    let fingerprint = |negation, rules| description_under(negation, rules).fingerprint;
    assert_ne!(fingerprint(Negation::Language, read_in), fingerprint(Negation::InPlace, read_in));
    assert_eq!(fingerprint(Negation::Language, ""), fingerprint(Negation::InPlace, ""));
    assert_eq!(description_under(Negation::InPlace, "").negation, Negation::InPlace);
}

#[test]
fn negations_quantify_unbound_variables() {
    let text = "(<= (p ?x) (succ ?x ?z) (not (true (cell ?y ?y)))) (<= (q 1) (not (true (cell ?w ?w))))";
    assert_eq!(
        normalised(text),
        ["(<= (p ?x) (succ ?x ?z) (not aux_1))", "(<= aux_1 (true (cell ?y ?y)))", "(<= (q 1) (not aux_1))",]
    );
}

#[test]
fn distinct_moves_behind_its_binders_or_is_dropped() {
    assert_eq!(
        normalised("(<= (p ?x) (distinct ?x 1) (succ ?x ?y)) (<= (q ?x) (succ ?x ?y) (distinct ?x ?w))"),
        ["(<= (p ?x) (distinct ?x 1) (succ ?x ?y))", "(<= (q ?x) (succ ?x ?y))"]
    );
}

#[test]
fn fluent_variables_expand_to_one_rule_per_functor() {
    assert_eq!(
        normalised("(<= (can ?m) (legal a ?m) (distinct ?m noop)) (<= (some ?m) (does a ?m) (role ?r))"),
        [
            "(<= (can (mark ?m)) (legal a (mark ?m)))",
            "(<= (some noop) (does a noop) (role ?r))",
            "(<= (some (mark ?m)) (does a (mark ?m)) (role ?r))",
        ]
    );
    assert_eq!(
        normalised("(<= (next (was ?f)) (true ?f) (distinct ?f (step 1)))"),
        [
            "(<= (next (was (cell ?f ?f_2))) (true (cell ?f ?f_2)))",
            "(<= (next (was (step ?f))) (true (step ?f)) (distinct (step ?f) (step 1)))",
            "(<= (next (was (was ?f))) (true (was ?f)))",
        ]
    );
}

#[test]
fn disjunctions_above_the_budget_are_named() {
    let or = |n: usize| format!("(or (succ ?x {n}) (succ {n} ?x) (succ ?x ?x))");
    let body: String = (0..12).map(or).collect();
    let rules = normalised(&format!("(<= (p ?x) (succ 1 ?x) {body})"));
    assert!(rules.len() < 1100, "{}", rules.len());
    assert!(rules.iter().any(|rule| rule.starts_with("(<= (aux_1 ?x) (succ 1 ?x)")), "{rules:#?}");
}

#[test]
fn negative_cycles_broken_by_a_constant_are_split() {
    let text = "(<= (win ?r 0) (role ?r) (true (step 1))) (<= (win ?r 50) (role ?r) (not (win ?r 0)))
(<= (seen ?v) (win a ?v))";
    assert_eq!(
        normalised(text),
        [
            "(<= (win ?x1 0) (aux_1 ?x1))",
            "(<= (aux_1 ?r) (role ?r) (true (step 1)))",
            "(<= (win ?x1 50) (aux_2 ?x1))",
            "(<= (aux_2 ?r) (role ?r) (not (aux_1 ?r)))",
            "(<= (seen ?v) (win a ?v))",
        ]
    );
}

#[test]
fn dependencies_determine_the_strata() {
    let description = description(
        "(<= (free ?x) (succ ?x ?y) (not (taken ?x))) (<= (taken ?x) (true (cell ?x x)))
         (<= (moved ?x) (does a (mark ?x)) (free ?x))",
    );
    let stratum = |name: &str, arity| {
        let name = description.symbols.find(name).expect("the name is in the text");
        let id = description.relation(RelationKind::View, name, arity).expect("a relation");
        let relation = &description.relations[id.index()];
        (relation.dependence, relation.stratum)
    };
    assert_eq!(stratum("succ", 2), (Dependence::Static, 0));
    assert_eq!(stratum("taken", 1), (Dependence::State, 0));
    assert_eq!(stratum("free", 1), (Dependence::State, 1));
    assert_eq!(stratum("moved", 1), (Dependence::Moves, 1));
    let dependencies = Dependencies::of(&description);
    assert!(dependencies.unstratified().is_empty());
    let position = |id: usize| dependencies.component_of[id];
    for (head, uses) in dependencies.uses.iter().enumerate() {
        assert!(uses.iter().all(|used| position(used.relation.index()) <= position(head)));
    }
}

#[test]
fn domains_follow_shared_variables() {
    let description = description("(<= (near ?x ?y) (succ ?x ?y)) (<= (init (cell ?y o)) (near ?x ?y))");
    let domains = Domains::of(&description);
    let cell = description.symbols.find("cell").expect("a fluent");
    let cell = description.relation(RelationKind::True, cell, 2).expect("a relation");
    let words = |argument| {
        let terms = &domains.argument(cell, argument).terms;
        terms.iter().map(|&term| description.term(term)).collect::<Vec<_>>()
    };
    assert_eq!(words(0), ["1", "2"]);
    assert_eq!(words(1), ["b", "x", "o"]);
}

#[test]
fn symbol_order_does_not_depend_on_variable_names() {
    let first = description("(<= (p ?v) (succ ?v ?w)) (q w)");
    let second = description("(<= (p ?b) (succ ?b ?other)) (q w)");
    let order = |description: &Description| description.symbols.find("w");
    assert_eq!(order(&first), order(&second));
}
