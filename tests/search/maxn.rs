//! Max^n finds the values of its definition, with and without pruning. With two teams they equal those of minimax.

use std::collections::{BTreeMap, HashMap};

use crate::sampled::{load_game, load_source, sample_state};
use ggp::gdl::Source;
use ggp::machine::{Loaded, Machine, MoveId, State};
use ggp::search::{
    AlphaBetaOptions, Deepening, Limits, Maxn, MaxnOptions, Search, SearchContext, SearchResult, Stop, Teams,
};
use ggp::simulate::Choices;

/// The legal moves of every role, and the state after a joint move.
fn legal(machine: &dyn Machine, state: &State) -> Vec<Vec<MoveId>> {
    let mut cursor = machine.cursor();
    cursor.set(state).unwrap();
    (0..machine.description().roles.len()).map(|role| cursor.legal(role).to_vec()).collect()
}

fn after(machine: &dyn Machine, state: &State, joint: &[MoveId]) -> State {
    let mut cursor = machine.cursor();
    cursor.set(state).unwrap();
    cursor.advance(joint).unwrap();
    cursor.state().clone()
}

fn goals(machine: &dyn Machine, state: &State) -> Option<Vec<i32>> {
    let mut cursor = machine.cursor();
    cursor.set(state).unwrap();
    cursor
        .terminal()
        .then(|| (0..machine.description().roles.len()).map(|role| cursor.goals(role)[0]).collect())
}

/// Minimax for one of two roles; with simultaneous moves this role chooses first. `None` if it visits too many states.
fn minimax(
    machine: &dyn Machine,
    role: usize,
    state: &State,
    known: &mut HashMap<State, i32>,
) -> Option<i32> {
    if let Some(&value) = known.get(state) {
        return Some(value);
    }
    if known.len() > 2_000 {
        return None;
    }
    let value = match goals(machine, state) {
        Some(goals) => goals[role],
        None => {
            let legal = legal(machine, state);
            let mut best = i32::MIN;
            for &own in &legal[role] {
                let mut worst = i32::MAX;
                for &other in &legal[1 - role] {
                    let joint = if role == 0 { [own, other] } else { [other, own] };
                    worst = worst.min(minimax(machine, role, &after(machine, state, &joint), known)?);
                }
                best = best.max(worst);
            }
            best
        }
    };
    known.insert(state.clone(), value);
    Some(value)
}

fn run_search(
    machine: &dyn Machine,
    role: usize,
    teams: Teams,
    options: MaxnOptions,
    state: &State,
) -> SearchResult {
    let mut search = Maxn::plain(machine, role, teams, options);
    search.search(state, &Limits::default(), &mut |_| {}).unwrap()
}

const SMALL: MaxnOptions = MaxnOptions { table: 1 << 20, cutoffs: true, ordering: true, clock: true };

fn option_sets() -> [MaxnOptions; 5] {
    [
        SMALL,
        MaxnOptions { ordering: false, ..SMALL },
        MaxnOptions { cutoffs: false, ..SMALL },
        MaxnOptions { table: 1 << 12, ..SMALL },
        MaxnOptions { table: 0, ..SMALL },
    ]
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn max_n_with_two_roles_equals_minimax() {
    // In all these games the goal values have the sum 100.
    let games = [
        "tic_tac_toe",
        "connect_four_4x4",
        "connect_four",
        "nim",
        "sum_fifteen",
        "dots_and_boxes",
        "tic_tic_toe",
        "rock_paper_scissors",
        "bidding_tic_tac_toe",
        "hex",
        "reversi",
        "suicide_reversi",
        "pentago",
    ];
    for name in games {
        let game = load_game(name);
        let machine = &*game.machine;
        let mut looked = 0;
        for (seed, role) in (1..=4).flat_map(|seed| [(seed, 0), (seed, 1)]) {
            // Takes the earliest state of a random playout that minimax can solve.
            let mut far = None;
            for from_end in 1..=8 {
                let (state, mut known) = (sample_state(machine, seed, from_end), HashMap::new());
                let Some(value) = minimax(machine, role, &state, &mut known) else { break };
                far = Some((state, value, known.len()));
            }
            let Some((state, wanted, states)) = far else { continue };
            for (options, sum) in
                option_sets().into_iter().flat_map(|options| [(options, None), (options, Some(100))])
            {
                if (options.table < SMALL.table || !options.cutoffs) && states > 150 {
                    continue;
                }
                let found = run_search(machine, role, Teams::alone(machine).with_sum(sum), options, &state);
                assert!(
                    found.proved && found.stop == Stop::Solved,
                    "{name} {seed} {role} {options:?}: {found:?}"
                );
                assert_eq!(found.value, Some(f64::from(wanted)), "{name} {seed} {role} {options:?} {sum:?}");
                looked += 1;
            }
        }
        assert!(looked >= 8, "{name}: {looked}");
    }
}

#[test]
fn max_n_equals_minimax_in_all_states_of_tic_tac_toe() {
    let game = load_game("tic_tac_toe");
    let machine = &*game.machine;
    let mut all: BTreeMap<State, ()> = BTreeMap::new();
    let mut open = vec![machine.initial().clone()];
    while let Some(state) = open.pop() {
        if goals(machine, &state).is_some() || all.insert(state.clone(), ()).is_some() {
            continue;
        }
        let legal = legal(machine, &state);
        for &one in &legal[0] {
            open.extend(legal[1].iter().map(|&other| after(machine, &state, &[one, other])));
        }
    }
    // The number of reachable positions that are not terminal.
    assert_eq!(all.len(), 4520);
    let teams = Teams::alone(machine).with_sum(Some(100));
    let mut known = HashMap::new();
    let mut search = Maxn::plain(machine, 0, teams, SMALL);
    let wanted: Vec<i32> = all.keys().rev().map(|state| minimax_all(machine, state, &mut known)).collect();
    for (state, wanted) in all.keys().rev().zip(wanted) {
        let found = search.search(state, &Limits::default(), &mut |_| {}).unwrap();
        assert_eq!((found.value, found.proved), (Some(f64::from(wanted)), true));
    }
}

/// Minimax for the first role, with any number of states.
fn minimax_all(machine: &dyn Machine, state: &State, known: &mut HashMap<State, i32>) -> i32 {
    if let Some(&value) = known.get(state) {
        return value;
    }
    let value = goals(machine, state).map_or_else(
        || {
            let legal = legal(machine, state);
            let mut rows = legal[0].iter().map(|&one| {
                let answers = legal[1].iter().map(|&other| after(machine, state, &[one, other]));
                answers.map(|state| minimax_all(machine, &state, known)).min().unwrap()
            });
            let first = rows.next().unwrap();
            rows.fold(first, i32::max)
        },
        |goals| goals[0],
    );
    known.insert(state.clone(), value);
    value
}

/// Max^n by its definition to a depth, for games in which one role chooses at a time. Of equally good moves it takes the
/// first. States at the depth limit have the value 50 for every role.
fn maxn(machine: &dyn Machine, state: &State, depth: u32) -> Vec<i32> {
    if let Some(goals) = goals(machine, state) {
        return goals;
    }
    let legal = legal(machine, state);
    if depth == 0 {
        return vec![50; legal.len()];
    }
    let role = (0..legal.len()).find(|&role| legal[role].len() > 1).unwrap_or(0);
    let mut best: Option<Vec<i32>> = None;
    for &action in &legal[role] {
        let joint: Vec<MoveId> = legal
            .iter()
            .enumerate()
            .map(|(other, moves)| if other == role { action } else { moves[0] })
            .collect();
        let value = maxn(machine, &after(machine, state, &joint), depth - 1);
        if best.as_ref().is_none_or(|best| value[role] > best[role]) {
            best = Some(value);
        }
    }
    best.unwrap()
}

/// All values that max^n can have, for any choice among equally good moves.
fn all_maxn(machine: &dyn Machine, state: &State) -> Vec<Vec<i32>> {
    if let Some(goals) = goals(machine, state) {
        return vec![goals];
    }
    let legal = legal(machine, state);
    let role = (0..legal.len()).find(|&role| legal[role].len() > 1).unwrap_or(0);
    let children: Vec<Vec<Vec<i32>>> = legal[role]
        .iter()
        .map(|&action| {
            let joint: Vec<MoveId> = legal
                .iter()
                .enumerate()
                .map(|(other, moves)| if other == role { action } else { moves[0] })
                .collect();
            all_maxn(machine, &after(machine, state, &joint))
        })
        .collect();
    // A value can be chosen if every other child has a value that is not better.
    let mut values: Vec<Vec<i32>> = Vec::new();
    for value in children.iter().flatten() {
        let can = children
            .iter()
            .all(|child| child.contains(value) || child.iter().any(|other| other[role] <= value[role]));
        if can && !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

/// A game in which three roles take turns for `plies` plies, with three moves each. Goal values are random; with `summed`
/// their sum is 100.
fn random_game(seed: u64, plies: u32, summed: bool) -> Loaded {
    let mut choices = Choices::new(seed, 7);
    let mut rules = String::from("(role r0) (role r1) (role r2) (init (at 0))\n");
    let (mut first, mut count) = (0, 1);
    for ply in 0..plies {
        for node in first..first + count {
            for branch in 0..3 {
                let child = first + count + 3 * (node - first) + branch;
                rules += &format!("(<= (legal r{0} m{branch}) (true (at {node})))\n", ply % 3);
                rules +=
                    &format!("(<= (next (at {child})) (does r{0} m{branch}) (true (at {node})))\n", ply % 3);
            }
            for role in (0..3).filter(|role| *role != ply % 3) {
                rules += &format!("(<= (legal r{role} wait) (true (at {node})))\n");
            }
        }
        (first, count) = (first + count, 3 * count);
    }
    for node in first..first + count {
        let one = choices.below(101);
        let two = choices.below(if summed { 101 - one } else { 101 });
        let three = if summed { 100 - one - two } else { choices.below(101) };
        rules += &format!("(<= terminal (true (at {node})))\n");
        for (role, goal) in [one, two, three].into_iter().enumerate() {
            rules += &format!("(<= (goal r{role} {goal}) (true (at {node})))\n");
        }
    }
    load_source(&Source::from_text("random", rules))
}

#[test]
fn pruning_keeps_max_n_values() {
    let mut nodes = [0; 2];
    for (seed, summed) in (1..=12).flat_map(|seed| [(seed, true), (seed, false)]) {
        let game = random_game(seed, 5, summed);
        let machine = &*game.machine;
        for role in 0..3 {
            let sum = summed.then_some(100);
            for (which, cutoffs) in [true, false].into_iter().enumerate() {
                // Move ordering would change which of equally good moves is taken.
                let options = MaxnOptions { table: 0, cutoffs, ordering: false, clock: false };
                let teams = Teams::alone(machine).with_sum(sum);
                let found = run_search(machine, role, teams, options, machine.initial());
                let wanted = maxn(machine, machine.initial(), 5)[role];
                assert_eq!(
                    (found.value, found.proved),
                    (Some(f64::from(wanted)), true),
                    "{seed} {summed} {role}"
                );
                nodes[which] += if summed { found.nodes } else { 0 };
            }
            let found =
                run_search(machine, role, Teams::alone(machine).with_sum(sum), SMALL, machine.initial());
            let may = all_maxn(machine, machine.initial());
            assert!(
                may.iter().any(|value| found.value == Some(f64::from(value[role]))),
                "{seed} {summed} {role}"
            );
        }
    }
    assert!(20 * nodes[0] < 19 * nodes[1], "pruning saves nodes: {nodes:?}");
}

#[test]
fn max_n_values_are_correct_at_every_depth() {
    let game = load_game("three_player_race");
    let machine = &*game.machine;
    for (seed, from_end) in (1..=6).flat_map(|seed| [(seed, 3), (seed, 6), (seed, 12)]) {
        let state = sample_state(machine, seed, from_end);
        for (role, cutoffs) in (0..3).flat_map(|role| [(role, true), (role, false)]) {
            let options = MaxnOptions { table: 0, cutoffs, ordering: false, clock: false };
            let mut search = Maxn::plain(machine, role, Teams::alone(machine).with_sum(Some(150)), options);
            let limits = Limits { depth: Some(6), ..Limits::default() };
            let mut depths = Vec::new();
            search.search(&state, &limits, &mut |result| depths.push((result.depth, result.value))).unwrap();
            assert!(!depths.is_empty());
            for (depth, value) in depths {
                let wanted = f64::from(maxn(machine, &state, depth)[role]);
                assert_eq!(value, Some(wanted), "{seed} {from_end} {role} {cutoffs} {depth}");
            }
        }
        if from_end == 3 {
            let found = run_search(machine, 0, Teams::alone(machine).with_sum(Some(150)), SMALL, &state);
            let may = all_maxn(machine, &state);
            assert!(may.iter().any(|value| found.value == Some(f64::from(value[0]))), "{seed}");
        }
    }
}

#[test]
fn members_of_a_team_cooperate() {
    let game = load_game("two_against_two");
    let machine = &*game.machine;
    let detected = ggp::structure::detect(machine, &game.statics, &Default::default(), &Default::default());
    let structures = detected.unwrap().0;
    for (seed, role) in (1..=3).flat_map(|seed| (0..4).map(move |role| (seed, role))) {
        let state = sample_state(machine, seed, 5);
        let teams = Teams::from_structures(machine, &structures, role).unwrap();
        assert_eq!((teams.len(), teams.representative(teams.of(role))), (2, role));
        let found = run_search(machine, role, teams, SMALL, &state);
        let setting = SearchContext::of(machine, &structures, role);
        let mut other = Deepening::plain(setting, AlphaBetaOptions::default());
        let wanted = other.search(&state, &Limits::default(), &mut |_| {}).unwrap();
        assert_eq!((found.value, found.proved), (wanted.value, true), "{seed} {role}");
    }
}

#[test]
fn a_violated_sum_bound_is_dropped() {
    for seed in 1..=6 {
        let game = random_game(seed, 4, false);
        let machine = &*game.machine;
        for role in 0..3 {
            let options = MaxnOptions { ordering: false, ..SMALL };
            // Three goal values of up to 100 have a sum above 20 in nearly all terminal states.
            let found = run_search(
                machine,
                role,
                Teams::alone(machine).with_sum(Some(20)),
                options,
                machine.initial(),
            );
            let wanted = f64::from(maxn(machine, machine.initial(), 4)[role]);
            assert_eq!((found.value, found.proved), (Some(wanted), true), "{seed} {role}");
        }
    }
}

#[test]
fn the_same_node_limit_gives_the_same_search() {
    let game = load_game("three_player_race");
    let run_search = || {
        let mut search = Maxn::plain(&*game.machine, 0, Teams::alone(&*game.machine), SMALL);
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        let found = search.search(game.machine.initial(), &limits, &mut |_| {}).unwrap();
        (found.action, found.value, found.nodes, found.depth, found.principal_variation, found.stop)
    };
    assert_eq!(run_search(), run_search());
    assert_eq!(run_search().5, Stop::Nodes);
}
