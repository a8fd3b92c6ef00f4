//! Promise: UCT finds what is proved, plays well, and is the same for the same seed and number of nodes.

use crate::sampled::loaded;
use ggp::evaluation::{BuildContext, Calibration, Function, Kind, Parameters, functions};
use ggp::search::{
    AlphaBetaOptions, Deepening, Guide, Limits, Method, Search, SearchContext, Stop, Uct, UctOptions,
};
use ggp::simulate::{Budget, Choices, Context, SequenceShape, sequences};

fn nodes(nodes: u64) -> Limits<'static> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

#[test]
fn proved_values_are_those_of_alpha_beta() {
    for name in ["tic_tac_toe", "nim", "connect_four_4x4", "sum_fifteen", "three_player_race"] {
        let game = loaded(name);
        let machine = &*game.machine;
        let mut solved = 0;
        for seed in 1..=6 {
            // A state a few moves into a random playout.
            let (mut cursor, mut choices) = (machine.cursor(), Choices::new(seed, 0));
            for _ in 0..6 {
                let joint: Vec<_> = (0..machine.description().roles.len())
                    .map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())])
                    .collect();
                if !cursor.terminal() {
                    cursor.advance(&joint).unwrap();
                }
            }
            if machine.description().roles.len() > 2 {
                continue;
            }
            for role in 0..2 {
                let setting = SearchContext::alone(machine, role);
                let mut uct = Uct::plain(setting.clone(), UctOptions::default());
                let found = uct.search(cursor.state(), &nodes(300_000), &mut |_| {}).unwrap();
                if !found.proved {
                    continue;
                }
                solved += 1;
                assert_eq!(found.stop, Stop::Solved);
                let mut exact = Deepening::plain(setting, Method::Full, AlphaBetaOptions::default());
                let wanted = exact.search(cursor.state(), &Limits::default(), &mut |_| {}).unwrap();
                assert_eq!(found.value, wanted.value, "{name} {seed} {role}");
            }
        }
        assert!(solved > 0 || name == "three_player_race", "{name}: nothing was proved");
    }
}

#[test]
fn nodes_and_seed_give_the_same_search() {
    let game = loaded("tic_tic_toe");
    let machine = &*game.machine;
    let run_search = |seed| {
        let options = UctOptions { seed, ..UctOptions::default() };
        let mut uct = Uct::plain(SearchContext::alone(machine, 0), options);
        let found = uct.search(machine.initial(), &nodes(50_000), &mut |_| {}).unwrap();
        (found.action, found.value, found.nodes, found.principal_variation)
    };
    assert_eq!(run_search(1), run_search(1));
    assert_ne!(run_search(1).1, run_search(2).1);
}

#[test]
fn it_wins_against_random_moves_guided_or_not() {
    let game = loaded("connect_four");
    let machine = &*game.machine;
    let (budget, context) = (Budget::default(), Context::default());
    let structures = ggp::structure::detect(machine, &game.statics, &budget, &context).unwrap().0;
    let material = BuildContext::new(machine, &structures, &[], &budget);
    let made = functions(&material, &Parameters::default());
    let fuzzy = made.list.iter().filter(|function| function.kind() == Kind::Fuzzy);
    let (_, sequences) = sequences(machine, SequenceShape::default(), &budget, &context).unwrap();
    let meaning = |role, function| Calibration::fit(machine, function, role, &sequences).unwrap();
    let fuzzy: Vec<Vec<(Function, Calibration)>> =
        fuzzy.enumerate().map(|(role, function)| vec![(function.clone(), meaning(role, function))]).collect();
    let ways = [
        Guide { replace: 0.5, cutoff: 0.0, ..Guide::default() },
        Guide::default(),
        Guide { cutoff: 0.0, order: true, ..Guide::default() },
        Guide { cutoff: 0.0, prior: 5, ..Guide::default() },
    ];
    for guide in std::iter::once(None).chain(ways.map(Some)) {
        let options = UctOptions { guide: guide.unwrap_or_default(), ..UctOptions::default() };
        let mut won = 0;
        for seed in 1..=5 {
            let setting = SearchContext::alone(machine, 1);
            let mut uct = match guide {
                Some(_) => Uct::guided(setting, &fuzzy, options).unwrap(),
                None => Uct::plain(setting, options),
            };
            let (mut cursor, mut choices) = (machine.cursor(), Choices::new(seed, 7));
            while !cursor.terminal() {
                let found = uct.search(cursor.state(), &nodes(10_000), &mut |_| {}).unwrap();
                let random = cursor.legal(0)[choices.below(cursor.legal(0).len())];
                assert!(cursor.legal(1).contains(&found.action.unwrap()));
                cursor.advance(&[random, found.action.unwrap()]).unwrap();
            }
            won += usize::from(cursor.goals(1) == [100]);
        }
        assert!(won >= 4, "{guide:?}: {won} of 5");
    }
}

#[test]
fn memory_is_bounded() {
    let game = loaded("reversi");
    let machine = &*game.machine;
    let options = UctOptions { memory: 1 << 18, ..UctOptions::default() };
    let mut uct = Uct::plain(SearchContext::alone(machine, 0), options);
    let found = uct.search(machine.initial(), &nodes(20_000), &mut |_| {}).unwrap();
    assert_eq!(found.stop, Stop::Nodes);
    assert!(found.action.is_some());
}
