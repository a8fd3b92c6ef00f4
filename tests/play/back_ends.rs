//! The network and the relational machine play the same game, state by state.
//!
//! Random playouts of every game in `games/` run on both machines. If `GGP_CORPUS` names a folder, so do the games in its
//! `open/`. `GGP_PLAYOUTS` is the number of playouts per game (default 5). `GGP_CORPUS_SECONDS` limits the time per game
//! (default 20).

use std::path::Path;

use crate::listed::all_games;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, LoadError, load};
use ggp::simulate::{Budget, Comparison, cross_check};

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Plays a game on both machines; `None` if it has no network.
fn compare(game: &Path) -> Result<Option<Comparison>, String> {
    let reading = read(&Source::load(game).unwrap());
    let description = reading.description.ok_or(format!("{:?}", reading.diagnostics))?;
    let network = match load(description.clone(), Backend::Network, &Limits::default()) {
        Ok(network) => network,
        Err(LoadError::Grounding(reason)) => {
            println!("{}: no network: {reason}", game.display());
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    let relational = load(description, Backend::Relational, &Limits::default()).map_err(|e| e.to_string())?;
    let budget = Budget {
        playouts: setting("GGP_PLAYOUTS", 5),
        max_steps: 500,
        seconds: Some(setting("GGP_CORPUS_SECONDS", 20.0)),
        ..Budget::default()
    };
    let found =
        cross_check(&*network.machine, &*relational.machine, &budget).map_err(|error| error.to_string())?;
    match found.differences {
        0 => Ok(Some(found)),
        count => Err(format!("{count} differences: {:?}", &found.first[..found.first.len().min(3)])),
    }
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn both_back_ends_play_the_same() {
    let (mut all, mut faults) = (Comparison::default(), Vec::new());
    let games = all_games();
    for game in &games {
        match compare(game) {
            Ok(Some(found)) => {
                let Comparison { playouts, unfinished, steps, .. } = found;
                println!("{}: {playouts} playouts ({unfinished} unfinished), {steps} steps", game.display());
                all.merge(found);
            }
            Ok(None) => {}
            Err(fault) => faults.push(format!("{}: {fault}", game.display())),
        }
    }
    println!(
        "{} games, {} playouts, {} steps, {} faults",
        games.len(),
        all.playouts,
        all.steps,
        faults.len()
    );
    assert!(faults.is_empty(), "{} games differ:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn setting_the_current_state_derives_nothing() {
    let description = read(&Source::load(Path::new("games/nim.kif")).unwrap()).description.unwrap();
    let machine = load(description, Backend::Relational, &Limits::default()).unwrap().machine;
    let mut cursor = machine.cursor();
    let begun = cursor.work();
    cursor.set(machine.initial()).unwrap();
    assert_eq!(cursor.work(), begun);
    let joint: Vec<_> = (0..2).map(|role| cursor.legal(role)[0]).collect();
    cursor.advance(&joint).unwrap();
    let (after, moves) = (cursor.state().clone(), [0, 1].map(|role| cursor.legal(role).to_vec()));
    let gone = cursor.work();
    assert!(gone > begun);
    cursor.set(&after).unwrap();
    assert_eq!((cursor.work(), [0, 1].map(|role| cursor.legal(role).to_vec())), (gone, moves));
    // Another state is derived again, and has the same moves as before.
    cursor.set(machine.initial()).unwrap();
    assert!(cursor.work() > gone);
    let again: Vec<_> = (0..2).map(|role| cursor.legal(role)[0]).collect();
    assert_eq!(again, joint);
}
