//! Games with known symmetries, in words.

use crate::gdl::{Source, read};
use crate::ground::Limits;
use crate::machine::{Backend, load};
use crate::simulate::{Budget, Context};
use crate::structure::{DETECTORS, Game, detect_with};

use super::SymmetrySummary;

fn summary(rules: &str, backend: Backend) -> Option<SymmetrySummary> {
    let description = read(&Source::from_text("game", rules)).description.unwrap();
    let loaded = load(description, backend, &Limits::default()).unwrap();
    let game = Game { machine: &*loaded.machine, statics: &loaded.statics };
    let budget = Budget { playouts: 200, ..Budget::default() };
    let detection = detect_with(DETECTORS, &game, &budget, &Context::default()).unwrap();
    SymmetrySummary::new(&*loaded.machine, &detection.structures, None)
}

fn text(game: &str) -> String {
    std::fs::read_to_string(format!("../../games/{game}.kif")).unwrap()
}

#[test]
fn boards_are_mirrored_and_rotated() {
    for (game, images, symmetries, sentences) in [
        ("tic_tac_toe", 8, 16, "The board mark can be mirrored and rotated by quarter turns"),
        ("connect_four", 2, 4, "The board disc can be mirrored along argument 1."),
        ("chess", 1, 2, ""),
    ] {
        let summary = summary(&text(game), Backend::Auto).unwrap();
        assert_eq!((summary.images, summary.symmetries), (Some(images), Some(symmetries)), "{game}");
        assert!(summary.complete);
        assert!(
            summary.sentences.iter().any(|sentence| sentence.starts_with(sentences)),
            "{game} {summary:?}"
        );
    }
    let relational = summary(&text("tic_tac_toe"), Backend::Relational);
    assert_eq!(relational, None, "no network");
}

/// Four lamps, in any order; each can be switched on once.
const LAMPS: &str = "
(role a)
(lamp l1) (lamp l2) (lamp l3) (lamp l4)
(<= (init (off ?l)) (lamp ?l))
(<= (legal a (switch ?l)) (true (off ?l)))
(<= (next (off ?l)) (true (off ?l)) (not (does a (switch ?l))))
(<= (next (on ?l)) (does a (switch ?l)))
(<= (next (on ?l)) (true (on ?l)))
(<= open (true (off ?l)))
(<= terminal (not open))
(<= (goal a 100) (not open))
(<= (goal a 0) open)
";

#[test]
fn alike_objects_are_interchangeable() {
    let summary = summary(LAMPS, Backend::Auto).unwrap();
    assert_eq!(summary.images, Some(24));
    assert_eq!(summary.sentences, ["4 interchangeable objects: l1, l2, l3 and l4."]);
}
