//! The effects of moves, from how facts change.

use ggp::gdl::Source;
use ggp::machine::Backend;
use ggp::simulate::WorkLimit;
use ggp::verdict::ChangeKind::{self, Flip, Joint, Move, Other, Place, Promote, Quantity, Remove};
use ggp::verdict::{Destination, MoveKind, MoveKinds, move_kinds};

use crate::listed;
use crate::renaming;
use crate::verdict_endings::{detected, loaded, random, source};

/// Facts of states that are read.
const FACTS: u64 = 5_000_000;

fn moves_of(source: &Source, playouts: u64) -> Option<MoveKinds> {
    let game = loaded(source, Backend::Auto)?;
    let games = random(&game, playouts, 1);
    let limit = WorkLimit::default().limited(Some(FACTS));
    Some(move_kinds(&game.game(), &detected(&game, playouts), &games, &limit))
}

fn kinds(name: &str) -> Vec<MoveKind> {
    moves_of(&source(name), 50).unwrap().kinds
}

/// The only relation of moves.
fn only(name: &str) -> MoveKind {
    let mut kinds = kinds(name);
    assert_eq!(kinds.len(), 1, "{name}");
    kinds.pop().unwrap()
}

#[test]
fn pieces_are_placed() {
    let kind = only("tic_tac_toe");
    assert_eq!((kind.kind, kind.captures.moves, kind.turned.moves), (Place, 0, 0));
    assert_eq!(
        (&*kind.form, &*kind.arguments),
        ("(draw ?row ?column)", &["1 to 3", "1 to 3"].map(str::to_owned)[..])
    );
    assert!(kind.permanence.is_some_and(|permanence| !permanence.proved && permanence.moves == kind.moves));
    let kind = only("connect_four");
    assert_eq!((kind.kind, &*kind.form), (Place, "(drop 1) to (drop 7)"));
    assert!(kind.permanence.is_some());
    let kind = only("reversi");
    assert_eq!((kind.kind, kind.turned.moves), (Place, kind.moves));
    assert!(kind.turned.own == kind.turned.cells && kind.turned.cells > kind.moves);
    let [set, pass] = &kinds("go_5x5")[..] else { panic!("two relations") };
    assert_eq!((set.kind, pass.kind), (Place, Other));
    assert!(set.captures.elsewhere > 0 && set.captures.landing == 0 && set.permanence.is_none());
}

#[test]
fn pieces_move_and_capture() {
    let kind = only("breakthrough");
    assert_eq!((kind.kind, &*kind.form, kind.captures.elsewhere), (Move, "(move ?f ?r ?g ?s)", 0));
    assert!(kind.captures.landing > 0 && kind.captures.landing * 2 < kind.moves);
    let [slide, jump] = &kinds("checkers")[..] else { panic!("two relations") };
    assert_eq!((slide.kind, slide.captures.moves), (Move, 0));
    assert_eq!((jump.kind, jump.captures.landing), (Move, 0));
    assert_eq!((jump.captures.moves, jump.captures.elsewhere), (jump.moves, jump.moves));
    assert!(jump.changes.iter().any(|count| count.kind == Promote));
    let [glide, put, take] = &kinds("nine_mens_morris")[..] else { panic!("three relations") };
    assert_eq!((glide.kind, put.kind, take.kind), (Move, Place, Remove));
    assert_eq!((take.captures.moves, glide.captures.moves, put.captures.moves), (take.moves, 0, 0));
    assert_eq!(take.sentence, "removes one opposing piece");
    let kind = only("king_rook_endgame");
    assert_eq!((kind.kind, &*kind.form), (Move, "(move ?1 ?f ?r)"));
    let kind = only("peg_solitaire");
    assert_eq!((kind.kind, kind.captures.elsewhere), (Move, kind.moves));
    let kind = only("eight_puzzle");
    assert_eq!((kind.kind, kind.captures.moves, kind.turned.moves), (Move, 0, 0));
    assert_eq!(kind.sentence, "moves one piece one step along a row or column");
}

#[test]
fn destinations_hold_for_all_moves_that_were_seen() {
    let of = |name: &str| kinds(name)[0].destination;
    let steps = |[least, most]: [i64; 2], [straight, diagonal, forward, jumps]: [bool; 4]| {
        Some(Destination::Steps { least, most, straight, diagonal, forward, jumps })
    };
    assert_eq!(of("tic_tac_toe"), Some(Destination::AnyEmpty));
    assert_eq!(of("hex"), Some(Destination::AnyEmpty));
    assert_eq!(of("connect_four"), Some(Destination::FirstEmpty));
    assert_eq!(of("breakthrough"), steps([1, 1], [true, true, true, false]));
    assert_eq!(of("eight_puzzle"), steps([1, 1], [true, false, false, false]));
    assert_eq!(of("peg_solitaire"), steps([2, 2], [true, false, false, true]));
    // Pieces of several kinds, restricted cells, a board of lines, and squares that are named by one symbol.
    for name in ["chess", "reversi", "nine_mens_morris", "knights_tour"] {
        assert_eq!(of(name), None, "{name}");
    }
    let [slide, jump] = &kinds("checkers")[..] else { panic!("two relations") };
    assert_eq!(slide.destination, steps([1, 1], [false, true, false, false]));
    assert_eq!(jump.destination, steps([2, 2], [false, true, false, true]));
    assert_eq!([&slide.only_forward, &jump.only_forward], [&["`man`"]; 2]);
    assert_eq!(kinds("chess")[0].only_forward, ["`pawn`"]);
    assert!(
        only("breakthrough").only_forward.is_empty() && kinds("nine_mens_morris")[0].only_forward.is_empty()
    );
}

/// Checkers without the rule that a player who can capture must do so, and games in which captures are optional.
#[test]
fn captures_are_mandatory_only_if_the_rules_say_so() {
    let mandatory = |kinds: &[MoveKind]| kinds.iter().map(|kind| kind.captures.mandatory).collect::<Vec<_>>();
    assert!(matches!(mandatory(&kinds("checkers"))[..], [None, Some(100..=200)]));
    let rules = source("checkers").text().replacen("(not (must_hop ?p))", "", 1);
    let optional = moves_of(&Source::from_text("optional", rules), 50).unwrap().kinds;
    assert!(optional[1].captures.moves > 0);
    assert_eq!(mandatory(&optional), [None; 2]);
    assert_eq!(mandatory(&kinds("breakthrough")), [None]);
    assert!(kinds("chess").iter().all(|kind| kind.captures.mandatory.is_none()));
    assert_eq!(mandatory(&kinds("peg_solitaire")), [None]);
}

#[test]
fn moves_without_a_board_have_other_effects() {
    let kind = only("nim");
    assert_eq!((kind.kind, kind.steps), (Quantity, Some([-7, -1])));
    assert_eq!(kind.sentence, "lowers `heap` by 1 to 7");
    assert_eq!(only("lights_out").kind, Flip);
    assert_eq!(only("rock_paper_scissors").kind, Joint);
    assert_eq!(only("buttons_and_lights").kind, Other);
}

#[test]
fn names_and_the_order_of_rules_do_not_matter() {
    for name in
        ["tic_tac_toe", "breakthrough", "checkers", "reversi", "nim", "peg_solitaire", "nine_mens_morris"]
    {
        let plain = source(name);
        let other = Source::from_text(name, renaming::scrambled(plain.text()));
        let kinds = |source: &Source| {
            let found = moves_of(source, 50).unwrap().kinds;
            let row = |kind: MoveKind| {
                let captures = [
                    kind.captures.landing > 0,
                    kind.captures.elsewhere > 0,
                    kind.captures.mandatory.is_some(),
                ];
                (
                    kind.kind,
                    captures,
                    kind.turned.moves > 0,
                    kind.permanence.is_some(),
                    kind.only_forward.len(),
                )
            };
            let mut rows: Vec<(ChangeKind, [bool; 3], bool, bool, usize)> =
                found.into_iter().map(row).collect();
            rows.sort();
            rows
        };
        assert_eq!(kinds(&plain), kinds(&other), "{name}");
    }
}

#[test]
#[ignore = "takes two minutes"]
fn every_game_has_short_sentences() {
    for path in listed::all_games() {
        let Some(found) = moves_of(&Source::load(&path).unwrap(), 10) else { continue };
        let mut share = 0.0;
        for kind in &found.kinds {
            println!("{}: {} {:.2}: {}", path.display(), kind.form, kind.share, kind.sentence);
            assert!((1..=150).contains(&kind.sentence.chars().count()), "{}", kind.sentence);
            assert_eq!(kind.changes.iter().map(|count| count.moves).sum::<u64>(), kind.moves);
            share += kind.share;
        }
        assert!(share < 1.0 + 1e-9 && (found.others > 0 || found.moves == 0 || share > 1.0 - 1e-9));
    }
}
