//! On corpus games, every back end agrees with recorded states, legal moves, ends and goals. The reference prover and the
//! organisers of competitions made the recordings.
//!
//! The recordings are in `open/`, `traces/` and `matches/` of the folder that `GGP_CORPUS` names. Without it these tests are
//! ignored. `GGP_CORPUS_SECONDS` limits the replay of one game on one back end (default 120).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::listed::real_games;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, LoadError, load};
use ggp::simulate::{Comparison, Recordings, Replay};
use rayon::prelude::*;

fn corpus() -> PathBuf {
    std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus").into()
}

fn seconds() -> f64 {
    std::env::var("GGP_CORPUS_SECONDS").map_or(120.0, |text| text.parse().unwrap())
}

/// Replays all recordings of a game. The result has a summary and the comparison, or an error.
fn replay(corpus: &Path, game: &Path, backend: Backend) -> Result<(String, Comparison), String> {
    let name = game.file_stem().unwrap().to_string_lossy().into_owned();
    let started = Instant::now();
    let reading = read(&Source::load(game).unwrap());
    let description = reading.description.ok_or(format!("{name}: {:?}", reading.diagnostics))?;
    let loaded = match load(description, backend, &Limits::default()) {
        Ok(loaded) => loaded,
        Err(LoadError::Grounding(reason)) => {
            return Ok((format!("{name}: not on the network: {reason}"), Comparison::default()));
        }
        Err(error) => return Err(format!("{name}: {error}")),
    };
    if backend == Backend::Lanes && !loaded.machine.suits_lanes() {
        return Ok((format!("{name}: too large for lanes"), Comparison::default()));
    }
    let loading = started.elapsed().as_secs_f64();
    let until = Some(Instant::now() + Duration::from_secs_f64(seconds()));
    let mut found = Comparison::default();
    let mut replay = Replay::new(&*loaded.machine);
    let files = [corpus.join(format!("traces/{name}.jsonl.gz")), corpus.join("matches/verified.jsonl.gz")];
    for file in files.iter().filter(|file| file.exists()) {
        for recording in Recordings::open(file, &format!("{name}.kif")).map_err(|error| error.to_string())? {
            replay.play(&recording.map_err(|error| error.to_string())?, until, &mut found);
        }
    }
    let backend = loaded.machine.backend();
    let all = started.elapsed().as_secs_f64();
    let Comparison { playouts, unfinished, steps, differences, first, .. } = &found;
    let line = format!(
        "{name}: {backend}, {playouts} playouts ({unfinished} unfinished), {steps} steps, {differences} differences, \
         loaded in {loading:.2} s, all in {all:.2} s"
    );
    if *differences > 0 {
        return Err(format!("{line}\n  {:?}", &first[..first.len().min(3)]));
    }
    if *playouts == 0 {
        return Err(format!("{line}: nothing was recorded of it"));
    }
    Ok((line, found))
}

fn replay_all(backend: Backend) {
    let corpus = corpus();
    let games = real_games();
    let results: Vec<_> = games.par_iter().map(|game| replay(&corpus, game, backend)).collect();
    let mut all = Comparison::default();
    let mut faults = Vec::new();
    for result in results {
        match result {
            Ok((line, found)) => {
                println!("{line}");
                all.merge(found);
            }
            Err(fault) => faults.push(fault),
        }
    }
    println!("{} games, {} playouts, {} steps", games.len() - faults.len(), all.playouts, all.steps);
    assert!(faults.is_empty(), "{} games differ:\n{}", faults.len(), faults.join("\n"));
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn the_network_agrees_with_recordings() {
    replay_all(Backend::Network);
}

#[test]
#[ignore = "takes a quarter of a minute, and needs the corpus"]
fn the_lanes_agree_with_recordings() {
    replay_all(Backend::Lanes);
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn the_relational_machine_agrees_with_recordings() {
    replay_all(Backend::Relational);
}
