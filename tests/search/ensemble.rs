//! A master plays a proved move of one of its workers, otherwise the move of the deepest search. It names the worker, and
//! its move does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::sampled::load_game;
use ggp::evaluation::{BuildContext, Function, Functions, Parameters, functions};
use ggp::machine::{Loaded, Machine, MoveId, State};
use ggp::search::{
    AlphaBetaOptions, Deepening, Ensemble, Limits, Search, SearchContext, SearchError, SearchResult, Stop,
    Worker,
};

/// A search with a fixed answer.
struct Scripted {
    answer: SearchResult,
}

impl Search for Scripted {
    fn search(
        &mut self,
        _: &State,
        _: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        on_progress(&SearchResult { depth: 1, proved: false, ..self.answer.clone() });
        Ok(self.answer.clone())
    }
}

fn answers(name: &'static str, action: u32, depth: u32, proved: bool) -> (&'static str, SearchResult) {
    let answer =
        SearchResult { action: Some(MoveId(action)), depth, proved, nodes: 10, ..SearchResult::nothing() };
    (name, answer)
}

fn choose(workers: Vec<(&'static str, SearchResult)>) -> (u32, String) {
    let game = load_game("tic_tac_toe");
    let mut both = Vec::new();
    for threads in [1, 8] {
        let workers = workers.iter().map(|(name, answer)| {
            let search = Box::new(Scripted { answer: answer.clone() });
            Worker { name: (*name).to_owned(), search, exhaustive: *name == "ends" }
        });
        let mut master = Ensemble::new(workers.collect(), threads);
        let limits = Limits { nodes: Some(100), ..Limits::default() };
        let found = master.search(game.machine.initial(), &limits, &mut |_| {}).unwrap();
        both.push((found.action.unwrap().0, found.by.unwrap()));
    }
    assert_eq!(both[0], both[1]);
    both.remove(0)
}

#[test]
fn the_master_prefers_proofs_then_depth_then_order() {
    let (action, by) =
        choose(vec![answers("a", 1, 9, false), answers("b", 2, 3, true), answers("ends", 3, 9, false)]);
    assert_eq!((action, by.as_str()), (2, "b, proved of 3"));
    let (action, by) =
        choose(vec![answers("a", 1, 4, false), answers("b", 2, 6, false), answers("c", 3, 6, false)]);
    assert_eq!((action, by.as_str()), (2, "b, the deepest of 3"));
    // A worker without an evaluation function has no result before its proof.
    assert_eq!(choose(vec![answers("a", 1, 2, false), answers("ends", 3, 9, false)]).0, 1);
    assert_eq!(choose(vec![answers("a", 1, 2, false), answers("ends", 3, 9, true)]).0, 3);
    // The shorter of two proofs has precedence.
    assert_eq!(choose(vec![answers("a", 1, 8, true), answers("b", 2, 3, true)]).0, 2);
}

#[test]
fn random_ties_depend_on_the_seed_alone() {
    let game = load_game("tic_tac_toe");
    let state = game.machine.initial();
    let moves = |seed: u64| {
        let worker = |(name, answer): (&str, SearchResult)| {
            Worker::new(name.to_owned(), Box::new(Scripted { answer }))
        };
        let workers = vec![answers("a", 1, 6, false), answers("b", 2, 6, false), answers("c", 3, 5, false)];
        let workers = workers.into_iter().map(worker).collect();
        let mut master = Ensemble::new(workers, 2).with_random_ties(seed);
        let mut search = || master.search(state, &Limits::default(), &mut |_| {}).unwrap().action.unwrap().0;
        (0..40).map(|_| search()).collect::<Vec<u32>>()
    };
    // Both deepest workers are followed, and never the third one.
    let first = moves(1);
    assert!((5..=35).contains(&first.iter().filter(|&&action| action == 1).count()));
    assert!(first.iter().all(|&action| action < 3));
    assert_eq!(moves(1), first);
    assert_ne!(moves(2), first);
}

fn make_functions(game: &Loaded) -> Functions {
    let machine = &*game.machine;
    let detected = ggp::structure::detect(machine, &game.statics, &Default::default(), &Default::default());
    let (structures, budget) = (detected.unwrap().0, Default::default());
    let material = BuildContext::new(machine, &structures, &[], &budget);
    functions(&material, &Parameters::default())
}

fn master<'m>(machine: &'m dyn Machine, functions: &Functions, threads: usize) -> Ensemble<'m> {
    let setting = || SearchContext::alone(machine, 0);
    let options = AlphaBetaOptions { table: 1 << 22, ..AlphaBetaOptions::default() };
    let own = |function: &&Function| function.role() == machine.term_text(machine.description().roles[0]);
    let mut workers: Vec<Worker<'m>> = Vec::new();
    for function in functions.list.iter().filter(own).take(3) {
        let search = Deepening::new(setting(), function, options).unwrap();
        workers.push(Worker::new(function.id(), Box::new(search)));
    }
    assert!(!workers.is_empty());
    let plain = Deepening::plain(setting(), options);
    workers.push(Worker::exhaustive(Box::new(plain)));
    Ensemble::new(workers, threads)
}

#[test]
fn the_move_does_not_depend_on_the_number_of_threads() {
    let game = load_game("connect_four");
    let functions = make_functions(&game);
    let machine = &*game.machine;
    let run_search = |threads: usize| {
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let mut reports = 0;
        let mut master = master(machine, &functions, threads);
        let found = master.search(machine.initial(), &limits, &mut |_| reports += 1).unwrap();
        assert!(reports > 0);
        (found.action, found.value, found.depth, found.nodes, found.by, found.principal_variation)
    };
    let one = run_search(1);
    for threads in [1, 2, 8, 8] {
        assert_eq!(run_search(threads), one, "{threads}");
    }
}

#[test]
fn a_proof_stops_all_workers() {
    let game = load_game("tic_tac_toe");
    let functions = make_functions(&game);
    for threads in [1, 4] {
        // Without an early stop the search would take an hour.
        let limits =
            Limits { deadline: Some(Instant::now() + Duration::from_secs(3600)), ..Limits::default() };
        let mut master = master(&*game.machine, &functions, threads);
        let found = master.search(game.machine.initial(), &limits, &mut |_| {}).unwrap();
        assert_eq!((found.value, found.proved, found.stop), (Some(50.0), true, Stop::Solved));
        assert!(found.by.unwrap().contains("proved"));
    }
}

#[test]
fn an_interrupt_stops_all_workers() {
    let game = load_game("connect_four");
    let functions = make_functions(&game);
    let flag = AtomicBool::new(false);
    let limits = Limits { interrupt: Some(&flag), ..Limits::default() };
    let mut master = master(&*game.machine, &functions, 4);
    // The search has no other limit.
    let mut on_progress = |_: &SearchResult| flag.store(true, Ordering::Relaxed);
    let found = master.search(game.machine.initial(), &limits, &mut on_progress).unwrap();
    assert!(found.action.is_some() && found.stop == Stop::Interrupted);
}
