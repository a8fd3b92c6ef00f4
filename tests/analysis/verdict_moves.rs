//! What moves do, from how facts change.

use std::path::Path;

use ggp::analysis::LoadedGame;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{Budget, Context, WorkLimit};
use ggp::structure::detect;
use ggp::verdict::{ChangeKind, MoveKinds, RandomGames, move_kinds};

use crate::listed;
use crate::renaming;

fn moves_of(source: &Source, games: u64) -> Option<MoveKinds> {
    let loaded = load(read(source).description?, Backend::Auto, &Limits::default()).ok()?;
    let game = LoadedGame::new(source.title(), source, loaded);
    let (machine, statics) = (game.machine(), &game.loaded.statics);
    let budget = Budget { playouts: games, ..Budget::default() };
    let (structures, _) = detect(machine, statics, &budget, &Context::default()).ok()?;
    let limit = || WorkLimit::default().limited(Some(5_000_000));
    let random = RandomGames { games, ..RandomGames::default() }.play(&game.game(), &limit());
    Some(move_kinds(&game.game(), &structures, &random, &limit()))
}

fn source(name: &str) -> Source {
    Source::load(Path::new("games").join(name).with_extension("kif")).unwrap()
}

#[test]
fn show() {
    for path in listed::all_games() {
        let source = Source::load(&path).unwrap();
        let begun = std::time::Instant::now();
        let Some(found) = moves_of(&source, 50) else { continue };
        println!("{} {:?}", path.file_stem().unwrap().display(), begun.elapsed());
        for kind in &found.kinds {
            println!(
                "   {} [{}] {:.2} of {}: {}",
                kind.form,
                kind.arguments.join("; "),
                kind.share,
                found.moves,
                kind.sentence
            );
            println!(
                "        {:?} {:?} {:?}",
                kind.changes.iter().map(|c| (c.kind, c.moves)).collect::<Vec<_>>(),
                kind.captures,
                kind.turned
            );
            assert!(kind.sentence.chars().count() <= 100);
        }
    }
    let _ = (source, ChangeKind::Move, renaming::scrambled);
}
