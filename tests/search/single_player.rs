//! Single-player searches find paths to the best goal value, follow them, and report which values are proved.

use ggp::evaluation::{BuildContext, Function, Parameters, functions};
use ggp::gdl::{Source, read};
use ggp::ground::Limits as GroundLimits;
use ggp::machine::{Backend, Loaded, load};
use ggp::search::{
    AlphaBetaOptions, BestFirstOptions, Deepening, IdaOptions, Limits, Search, SearchContext, SearchResult,
    SingleAgentSearch, Stop,
};

fn load_source(source: &Source, backend: Backend) -> Loaded {
    load(read(source).description.unwrap(), backend, &GroundLimits::default()).unwrap()
}

fn game(name: &str) -> Loaded {
    load_source(&Source::load(format!("games/{name}.kif")).unwrap(), Backend::Auto)
}

/// A game with one replacement in its text.
fn game_with_replacement(name: &str, from: &str, to: &str) -> Source {
    let text = std::fs::read_to_string(format!("games/{name}.kif")).unwrap();
    assert!(text.contains(from));
    Source::from_text(name, text.replace(from, to))
}

/// The fuzzy function of the only role.
fn fuzzy(game: &Loaded) -> Function {
    let machine = &*game.machine;
    let budget = Default::default();
    let structures = ggp::structure::detect(machine, &game.statics, &budget, &Default::default()).unwrap().0;
    let material = BuildContext::new(machine, &structures, &[], &budget);
    let made = functions(&material, &Parameters::default());
    made.list.into_iter().find(|function| function.kind().name() == "fuzzy").unwrap()
}

fn searches<'m>(game: &'m Loaded, function: Option<&Function>) -> [SingleAgentSearch<'m>; 2] {
    let setting = SearchContext::alone(&*game.machine, 0);
    [
        SingleAgentSearch::best_first(setting.clone(), function, BestFirstOptions::default()).unwrap(),
        SingleAgentSearch::ida(setting, function, IdaOptions::default()).unwrap(),
    ]
}

fn run_search(search: &mut dyn Search, game: &Loaded, nodes: u64) -> SearchResult {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    search.search(game.machine.initial(), &limits, &mut |_| {}).unwrap()
}

#[test]
fn paths_to_the_best_goal_are_found_and_followed() {
    for name in ["towers_of_hanoi", "maze", "sokoban", "blocks_world", "buttons_and_lights", "rush_hour"] {
        let game = game(name);
        let function = fuzzy(&game);
        for search in &mut searches(&game, Some(&function)) {
            let found = run_search(search, &game, 300_000);
            assert_eq!((found.value, found.proved, found.stop), (Some(100.0), true, Stop::Solved), "{name}");
            let mut cursor = game.machine.cursor();
            for (step, joint) in found.principal_variation.iter().enumerate() {
                assert!(!cursor.terminal() && cursor.legal(0).contains(&joint[0]), "{name}");
                let state = cursor.state().clone();
                let again = search.search(&state, &Limits::default(), &mut |_| {}).unwrap();
                assert_eq!((again.action, again.nodes), (Some(joint[0]), 0), "{name} {step}");
                assert_eq!(
                    (again.proved, again.principal_variation.len()),
                    (true, found.principal_variation.len() - step),
                    "{name} {step}"
                );
                cursor.advance(joint).unwrap();
            }
            assert!(cursor.terminal(), "{name}");
            assert_eq!(cursor.goals(0), [100], "{name}");
        }
    }
}

#[test]
fn little_memory_suffices() {
    // The memory holds a few hundred of tens of thousands of states. The eight puzzle has 181,440 states, of which a few
    // thousand fit.
    for (name, kib) in [("eight_puzzle", 1024), ("towers_of_hanoi", 24), ("rush_hour", 200)] {
        let game = game(name);
        let function = fuzzy(&game);
        let options = BestFirstOptions { memory: kib << 10, ..BestFirstOptions::default() };
        let setting = SearchContext::alone(&*game.machine, 0);
        let mut search = SingleAgentSearch::best_first(setting.clone(), Some(&function), options).unwrap();
        assert_eq!(run_search(&mut search, &game, 1_000_000).value, Some(100.0), "{name}");
        let options = IdaOptions { table: 100 << 10, ..IdaOptions::default() };
        let mut search = SingleAgentSearch::ida(setting, Some(&function), options).unwrap();
        assert_eq!(run_search(&mut search, &game, 3_000_000).value, Some(100.0), "{name}");
    }
}

#[test]
fn bidirectional_search_visits_few_states() {
    // The shortest solutions have 22, 31 and 7 moves. Search from one side would visit 181,440 / 2, 243 and millions of
    // states.
    for (name, fewest, states) in
        [("eight_puzzle", 22, 60_000), ("towers_of_hanoi", 31, 20_000), ("lights_out", 7, 300_000)]
    {
        let game = game(name);
        let mut search =
            SingleAgentSearch::bidirectional(SearchContext::alone(&*game.machine, 0), 64 << 20).unwrap();
        let found = run_search(&mut search, &game, 1_000_000);
        assert_eq!((found.value, found.stop), (Some(100.0), Stop::Solved), "{name}");
        assert!(
            (fewest..=fewest + 2).contains(&found.principal_variation.len()),
            "{name}: {}",
            found.principal_variation.len()
        );
        assert!(found.nodes <= states, "{name}: {} states", found.nodes);
        let mut cursor = game.machine.cursor();
        for joint in &found.principal_variation {
            assert!(cursor.legal(0).contains(&joint[0]), "{name}");
            cursor.advance(joint).unwrap();
        }
        assert_eq!((cursor.terminal(), cursor.goals(0)), (true, &[100][..]), "{name}");
    }
    // The goal leaves the positions of the other cars and of the queens open.
    for (name, why) in [("rush_hour", "more than 1000"), ("n_queens", "work limit")] {
        let game = game(name);
        let error = SingleAgentSearch::bidirectional(SearchContext::alone(&*game.machine, 0), 1 << 20).err();
        assert!(error.is_some_and(|error| error.to_string().contains(why)), "{name}");
    }
}

/// If the best goal value needs more moves than are left, exhaustive search proves the best remaining value. Merging states
/// that differ only in the clock does not change it.
#[test]
fn values_within_a_depth_equal_those_of_alpha_beta() {
    let mut values = Vec::new();
    for (name, clock, limits, numbers) in [
        ("towers_of_hanoi", "(moves_made 40)", "(moves_made L)", &[5, 26, 27, 28, 30, 31][..]),
        ("maze", "(steps 40)", "(steps L)", &[6, 17, 18, 19, 31, 32]),
        ("blocks_world", "(time 8)", "(time L)", &[1, 2, 3, 4, 5, 6]),
        ("sokoban", "(step 60)", "(step L)", &[4, 6, 8]),
    ] {
        for number in numbers {
            let source = game_with_replacement(name, &format!("terminal (true {clock}"), &{
                format!("terminal (true {}", limits.replace('L', &number.to_string()))
            });
            for backend in [Backend::Auto, Backend::Relational] {
                let game = load_source(&source, backend);
                let setting = SearchContext::alone(&*game.machine, 0);
                let mut wanted = Deepening::plain(setting, AlphaBetaOptions::default());
                let wanted = run_search(&mut wanted, &game, u64::MAX);
                assert!(wanted.proved);
                for (kind, search) in searches(&game, None).iter_mut().enumerate() {
                    let found = run_search(search, &game, u64::MAX);
                    assert_eq!((found.value, found.proved), (wanted.value, true), "{name} {number} {kind}");
                    values.push(found.value.unwrap() as i32);
                }
            }
        }
    }
    values.sort_unstable();
    values.dedup();
    assert_eq!(values, [0, 30, 40, 50, 100]);
}

#[test]
fn the_same_node_limit_gives_the_same_search() {
    let game = game("peg_solitaire");
    let function = fuzzy(&game);
    let [mut first, mut second] = [searches(&game, Some(&function)), searches(&game, Some(&function))];
    for (first, second) in first.iter_mut().zip(&mut second) {
        let (first, second) = (run_search(first, &game, 30_000), run_search(second, &game, 30_000));
        assert_eq!(first.stop, Stop::Nodes);
        let all = |result: &SearchResult| {
            (result.action, result.value, result.nodes, result.depth, result.principal_variation.clone())
        };
        assert_eq!(all(&first), all(&second));
    }
}

#[test]
fn clocks_are_found_if_only_termination_depends_on_them() {
    let last = |name: &str| game(name).machine.clock().map(|clock| clock.last_step());
    assert_eq!(last("eight_puzzle"), Some(60));
    assert_eq!(last("towers_of_hanoi"), Some(40));
    assert_eq!(last("king_rook_endgame"), Some(40));
    // Goal values depend on the number of remaining pegs, or on the visited squares.
    assert_eq!(last("peg_solitaire"), None);
    assert_eq!(last("knights_tour"), None);
    // The rules do not count steps.
    assert_eq!(last("connect_four"), None);
}

#[test]
fn a_clock_gives_the_step_and_can_be_set() {
    let game = game("king_rook_endgame");
    let machine = &*game.machine;
    let clock = machine.clock().unwrap();
    let mut cursor = machine.cursor();
    let mut states = Vec::new();
    while !cursor.terminal() && states.len() < 9 {
        assert_eq!(clock.step(cursor.state()), Some(states.len() as u32));
        states.push(cursor.state().clone());
        let joint = [cursor.legal(0)[0], cursor.legal(1)[0]];
        cursor.advance(&joint).unwrap();
    }
    assert!(states.len() > 5);
    // States are equal apart from the clock only if the same side is to move.
    let mut later = states[2].clone();
    clock.set(&mut later.0, 4);
    assert_eq!(clock.step(&later), Some(4));
    assert!(clock.fits(&states[2].0, 4) && !clock.fits(&states[2].0, 3));
    let bits = |words: &[u64]| -> Vec<u64> { words.iter().zip(clock.mask()).map(|(w, m)| w & !m).collect() };
    assert_eq!(bits(&later.0), bits(&states[2].0));
}
