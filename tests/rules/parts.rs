//! Parts of games that do not influence each other.

use std::sync::Arc;

use ggp::gdl::{Source, read};
use ggp::ground::parts::Parts;
use ggp::ground::{Limits, ground};

/// For each part the number of its fluents and the part before it.
fn parts(source: &Source) -> Vec<(usize, Option<usize>)> {
    let description = read(source).description.expect("the rules have no errors");
    let network = ground(&Arc::new(description), &Limits::default()).expect("the game is small").network;
    let found = Parts::of(&network, &|| false).map(|found| found.parts).unwrap_or_default();
    found.into_iter().map(|part| (part.bits.len(), part.after)).collect()
}

fn of_corpus(file: &str) -> Vec<(usize, Option<usize>)> {
    let corpus = std::env::var("GGP_CORPUS").expect("GGP_CORPUS names the corpus");
    parts(&Source::load(format!("{corpus}/parts/{file}.kif")).expect("it is there"))
}

#[test]
fn games_with_one_board_have_no_parts() {
    for name in ["tic_tac_toe", "connect_four_4x4", "hex", "breakthrough", "nine_mens_morris", "eight_puzzle"]
    {
        assert_eq!(parts(&Source::load(format!("games/{name}.kif")).unwrap()), [], "{name}");
    }
}

#[test]
fn dials_that_are_turned_apart_are_parts() {
    let dials = |legal: &str| {
        format!(
            "(role solo) (dial a) (dial b) (next_value 0 1) (next_value 1 2) (next_value 2 3) (next_value 3 0)
             (init (at a 0)) (init (at b 0))
             (<= (legal solo (turn ?d)) (dial ?d) {legal})
             (<= (next (at ?d ?y)) (does solo (turn ?d)) (true (at ?d ?x)) (next_value ?x ?y))
             (<= (next (at ?d ?x)) (true (at ?d ?x)) (does solo (turn ?e)) (distinct ?d ?e))
             (<= terminal (true (at a 3)) (true (at b 2)))
             (<= (goal solo 100) (true (at a 3)) (true (at b 2)))
             (<= (goal solo 0) (not (true (at a 3))))
             (<= (goal solo 0) (not (true (at b 2))))"
        )
    };
    let of = |legal: &str| parts(&Source::from_text("dials", dials(legal)));
    assert_eq!(of(""), [(4, None), (4, None)]);
    // Each dial can be turned only if the other shows the same or less.
    let blocked = "(true (at ?d ?x)) (dial ?e) (distinct ?d ?e) (true (at ?e ?x))";
    assert_eq!(of(blocked), []);
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn parts_of_public_games_are_found() {
    for (name, count) in [
        ("tic_tac_toe_parallel", 2),
        ("double_tictactoe_dengji", 2),
        ("asteroids_parallel", 2),
        ("blocks_world_parallel", 2),
        ("lights_on_parallel", 4),
        ("counters_9", 9),
    ] {
        let found = of_corpus(name);
        assert_eq!((found.len(), found.iter().all(|&(_, after)| after.is_none())), (count, true), "{name}");
    }
    assert_eq!(of_corpus("twelve_switches"), []);
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn parts_in_a_sequence_are_in_order() {
    let found = of_corpus("tic_tac_toe_serial");
    assert_eq!(found.iter().map(|&(_, after)| after).collect::<Vec<_>>(), [None, Some(0)]);
}
