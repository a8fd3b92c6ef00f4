//! Properties of the reader: descriptions read back unchanged, and damaged games cause no panic.

use std::fs;

use crate::listed::all_games;
use ggp::gdl::domain::Domains;
use ggp::gdl::{Description, Source, read};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

fn description(text: &str) -> Description {
    let reading = read(&Source::from_text("text", text));
    reading.description.unwrap_or_else(|| panic!("{:#?}\n{text}", reading.diagnostics))
}

#[test]
fn every_game_reads_without_errors_and_prints_back() {
    for path in all_games() {
        let reading = read(&Source::load(&path).expect("a file"));
        let description =
            reading.description.unwrap_or_else(|| panic!("{}: {:#?}", path.display(), reading.diagnostics));
        assert_eq!(description.kif(), self::description(&description.kif()).kif(), "{}", path.display());
    }
}

/// A printed description reads back unchanged, even if rules were left out because their variables cannot have values.
#[test]
fn descriptions_with_omitted_rules_read_back() {
    let game = "(role a) (init (step 1)) (<= (next (step 2)) (does a go)) (<= terminal (true (step 2))) (goal a 100)";
    for rules in [
        "(legal a go) (<= (legal a ?m) (extra ?m))",
        "(<= (legal a ?m) (extra ?m))",
        "(<= (legal a go) (extra ?m))",
        "(<= (legal a go) (distinct a a))",
        "(legal a go) (<= (next ?f) (kept ?f))",
    ] {
        let reading = read(&Source::from_text("text", format!("{game} {rules}")));
        assert!(!reading.diagnostics.is_empty(), "{rules}");
        if let Some(found) = reading.description {
            assert_eq!(found.kif(), description(&found.kif()).kif(), "{rules}");
        }
    }
}

/// Truncated and changed games get a verdict. `GGP_MUTATIONS` sets the number of mutations per game.
#[test]
fn damaged_games_cause_no_panic() {
    let count = std::env::var("GGP_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    all_games().par_iter().enumerate().for_each(|(number, path)| {
        let bytes = fs::read(path).expect("a file");
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        for _ in 0..count {
            let mut damaged = bytes.clone();
            if random.random_bool(0.5) {
                damaged.truncate(random.random_range(0..bytes.len()));
            } else {
                for _ in 0..random.random_range(1..20) {
                    let at = random.random_range(0..bytes.len());
                    damaged[at] =
                        *b"() ;?<=\nx1\0\xff".get(random.random_range(0..16)).unwrap_or(&random.random());
                }
            }
            let reading = read(&Source::from_bytes("damaged", damaged));
            if let Some(description) = reading.description {
                Domains::of(&description);
            }
        }
    });
}

/// A formula over `p/1`, `q/2` and `cell/2` with a few variables, all of which `dom` binds before.
fn formula() -> impl Strategy<Value = String> {
    let term = prop_oneof![
        "[abc]",
        "\\?[xyz]",
        ("[fg]", "[ab]|\\?[xy]").prop_map(|(functor, argument)| format!("({functor} {argument})")),
    ];
    let atom = prop_oneof![
        term.clone().prop_map(|a| format!("(p {a})")),
        (term.clone(), term.clone()).prop_map(|(a, b)| format!("(q {a} {b})")),
        (term.clone(), term.clone()).prop_map(|(a, b)| format!("(true (cell {a} {b}))")),
        (term.clone(), term).prop_map(|(a, b)| format!("(distinct {a} {b})")),
    ];
    atom.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|part| format!("(not {part})")),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(and {})", parts.join(" "))),
            prop::collection::vec(inner, 1..4).prop_map(|parts| format!("(or {})", parts.join("\n"))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_descriptions_read_back(bodies in prop::collection::vec(prop::collection::vec(formula(), 0..4), 1..6)) {
        let mut text = String::from(
            "(role a)(init (cell a b))(dom a)(dom b)(p a)(q a b)(legal a (go b))(goal a 100)(<= terminal (p c))
             (<= (next ?f) (true ?f) (not (gone ?f)))(<= (gone (cell ?x ?y)) (does a (go ?x)) (dom ?y))",
        );
        for (number, body) in bodies.iter().enumerate() {
            let body = body.join(" ");
            text += &format!("(<= (Rule{number} ?x ?y ?z) (dom ?x) (dom ?y) (dom ?z) {body})\n");
        }
        let first = description(&text);
        let printed = first.kif();
        let second = description(&printed);
        prop_assert_eq!(&second.kif(), &printed);
        prop_assert_eq!(first.rules.len(), second.rules.len());
        prop_assert_eq!(first.roles.len(), second.roles.len());
    }

    #[test]
    fn any_text_gives_a_verdict(text in "[()?<= a-c;\n\"|]{0,200}") {
        let reading = read(&Source::from_text("any", text));
        prop_assert!(reading.description.is_some() || !reading.diagnostics.is_empty());
    }
}
