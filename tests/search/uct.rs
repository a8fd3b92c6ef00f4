//! UCT proves values, plays well, and gives the same result for the same seed and node limit.

use crate::sampled::{load_game, load_source};
use ggp::evaluation::learned::{LearnedFunction, LearnedTerm};
use ggp::evaluation::{BuildContext, Calibration, Function, Kind, Parameters, functions};
use ggp::gdl::Source;
use ggp::search::{
    AlphaBetaOptions, Deepening, Guide, Limits, OpponentModel, Search, SearchContext, Stop, Uct, UctOptions,
};
use ggp::simulate::{Budget, Choices, Context, SequenceShape, sequences};

fn nodes(nodes: u64) -> Limits<'static> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

#[test]
fn proved_values_equal_those_of_alpha_beta() {
    for name in ["tic_tac_toe", "nim", "connect_four_4x4", "sum_fifteen", "three_player_race"] {
        let game = load_game(name);
        let machine = &*game.machine;
        let mut solved = 0;
        for seed in 1..=6 {
            // The state is a few moves after the start of a random playout.
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
                let mut exact = Deepening::plain(setting, AlphaBetaOptions::default());
                let wanted = exact.search(cursor.state(), &Limits::default(), &mut |_| {}).unwrap();
                assert_eq!(found.value, wanted.value, "{name} {seed} {role}");
            }
        }
        assert!(solved > 0 || name == "three_player_race", "{name}: nothing was proved");
    }
}

#[test]
fn the_same_seed_and_node_limit_give_the_same_search() {
    let game = load_game("tic_tic_toe");
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
fn uct_beats_random_play_with_and_without_a_guide() {
    let game = load_game("connect_four");
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
    let guides = [
        Guide { replace: 0.5, cutoff: 0.0, ..Guide::default() },
        Guide::default(),
        Guide { cutoff: 0.0, order: true, ..Guide::default() },
        Guide { cutoff: 0.0, prior: 5, ..Guide::default() },
    ];
    for guide in std::iter::once(None).chain(guides.map(Some)) {
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
    let game = load_game("reversi");
    let machine = &*game.machine;
    let options = UctOptions { memory: 1 << 18, ..UctOptions::default() };
    let mut uct = Uct::plain(SearchContext::alone(machine, 0), options);
    let found = uct.search(machine.initial(), &nodes(20_000), &mut |_| {}).unwrap();
    assert_eq!(found.stop, Stop::Nodes);
    assert!(found.action.is_some());
}

/// Ann goes left or right; right gives 80. On the left, Bob chooses between 70 for Ann and a fork. At the fork two of Ann's
/// three moves lose and one wins.
const FORK: &str = "
(role ann) (role bob)
(init (at start))
(way ann start left) (way ann start right)
(way bob left fork) (way bob left safe)
(way ann fork trap) (way ann fork pit) (way ann fork gate)
(<= (legal ?r (go ?y)) (way ?r ?x ?y) (true (at ?x)))
(<= (moves ?r) (way ?r ?x ?y) (true (at ?x)))
(<= (legal ?r wait) (role ?r) (not (moves ?r)))
(<= (next (at ?y)) (does ?r (go ?y)))
(end right 80 20) (end safe 70 30) (end trap 0 100) (end pit 0 100) (end gate 100 0)
(<= terminal (true (at ?x)) (end ?x ?a ?b))
(<= (goal ann ?a) (true (at ?x)) (end ?x ?a ?b))
(<= (goal bob ?b) (true (at ?x)) (end ?x ?a ?b))";

/// A function of a role that is high if a fact holds.
fn function_for_fact(role: &str, fact: &str) -> Function {
    let term =
        LearnedTerm { weight: 1.0, gain: 0.0, support: 0.2, facts: vec![fact.to_owned()], none: Vec::new() };
    Function::Learned(LearnedFunction {
        role: role.to_owned(),
        parameters: Default::default(),
        rewards: [0, 100],
        rounds: Vec::new(),
        constant: 0.0,
        turn: None,
        terms: vec![term],
    })
}

#[test]
fn opponent_models_change_the_value() {
    let game = load_source(&Source::from_text("fork", FORK));
    let machine = &*game.machine;
    let (_, sequences) =
        sequences(machine, SequenceShape::default(), &Budget::default(), &Context::default()).unwrap();
    let guide = |(role, name): (usize, &str)| {
        let function = function_for_fact(name, "(at fork)");
        let meaning = Calibration::fit(machine, &function, role, &sequences).unwrap();
        vec![(function, meaning)]
    };
    let guides: Vec<Vec<(Function, Calibration)>> = [(0, "ann"), (1, "bob")].map(guide).into();
    let found = |opponent: OpponentModel, lanes: u32| {
        let guide = Guide { cutoff: 0.0, ..Guide::default() };
        let options = UctOptions { opponent, lanes, guide, ..UctOptions::default() };
        let mut uct = Uct::guided(SearchContext::alone(machine, 0), &guides, options).unwrap();
        let found = uct.search(machine.initial(), &nodes(50_000), &mut |_| {}).unwrap();
        let action = machine.move_text(found.action.unwrap());
        (action, found.value.unwrap().round() as i32, found.proved, found.stop)
    };
    for lanes in [0, 512] {
        let right = ("(go right)".to_owned(), 80, true, Stop::Solved);
        assert_eq!(found(OpponentModel::Search, lanes), right);
        // At the fork Ann takes the gate, worth 100; the mean of this and the safe 70 is 85.
        let left = |value: i32| ("(go left)".to_owned(), value, false, Stop::Solved);
        assert_eq!(found(OpponentModel::Random, lanes), left(85));
        assert_eq!(found(OpponentModel::Greedy, lanes), left(100));
    }
}

/// Ann has a thousand moves. After a tenth of them a random throw wins with probability 3/4, after the others with 1/4.
const WIDE: &str = "
(role ann) (role random) (init (step 1))
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(side 1) (side 2) (side 3) (side 4)
(<= (legal ann (take ?a ?b ?c)) (true (step 1)) (digit ?a) (digit ?b) (digit ?c))
(<= (legal random wait) (true (step 1)))
(<= (legal ann wait) (true (step 2)))
(<= (legal random (throw ?side)) (true (step 2)) (side ?side))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (next lucky) (does ann (take ?a ?b 0)))
(<= (next lucky) (true lucky))
(<= (next (thrown ?side)) (does random (throw ?side)))
(<= terminal (true (step 3)))
(<= won (true (thrown 1)))
(<= won (true lucky) (true (thrown ?side)) (distinct ?side 4))
(<= (goal ann 100) won)
(<= (goal ann 0) (not won))
(goal random 0)";

#[test]
fn a_good_move_is_found_among_a_thousand() {
    let game = load_source(&Source::from_text("wide", WIDE));
    let machine = &*game.machine;
    let lucky = |all_first: u32, lanes: u32, limit: u64| {
        (1..=20)
            .filter(|&seed| {
                let options = UctOptions { all_first, lanes, leaves: 16, seed, ..UctOptions::default() };
                let mut uct = Uct::plain(SearchContext::alone(machine, 0), options);
                let found = uct.search(machine.initial(), &nodes(limit), &mut |_| {}).unwrap();
                machine.move_text(found.action.unwrap()).ends_with(" 0)")
            })
            .count()
    };
    // The limit allows at most one try per move.
    let (usual, all) = (lucky(UctOptions::default().all_first, 0, 800), lucky(1000, 0, 800));
    assert!(usual >= 18 && all < usual, "{usual} and {all} of 20");
    let usual = lucky(UctOptions::default().all_first, 512, 5000);
    assert!(usual >= 18, "{usual} of 20 in lanes");
}
