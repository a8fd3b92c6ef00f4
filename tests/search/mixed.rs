//! With simultaneous moves, every variant of the search finds the value by backward induction over matrix games, and plays a
//! mixed strategy that guarantees it.

use std::collections::HashMap;

use crate::sampled::{load_game, load_source, sample_state};
use ggp::gdl::Source;
use ggp::machine::{Loaded, MoveId, State};
use ggp::search::{Limits, Search, SearchContext, SimultaneousOptions, SimultaneousSearch, Stop};

fn load_rules(rules: &str) -> Loaded {
    load_source(&Source::from_text("rules", rules))
}

/// The value of a matrix game by the simplex method. The bounds that the two mixed strategies guarantee check it.
fn matrix_value(rows: &[Vec<f64>]) -> f64 {
    let (m, n) = (rows.len(), rows[0].len());
    // If all payoffs are above 0, the maximum sum of y with A y <= 1 is 1 / value, and the slack variables are a basis.
    let shift = 1.0 - rows.iter().flatten().fold(f64::INFINITY, |least, &cell| least.min(cell));
    let mut tableau: Vec<Vec<f64>> = (0..m)
        .map(|row| {
            let slack = (0..m).map(|other| f64::from(u8::from(other == row)));
            rows[row].iter().map(|cell| cell + shift).chain(slack).chain([1.0]).collect()
        })
        .collect();
    let mut costs: Vec<f64> = (0..n + m + 1).map(|index| if index < n { -1.0 } else { 0.0 }).collect();
    let mut basis: Vec<usize> = (n..n + m).collect();
    // Bland's rule takes the first suitable column and row, so the method terminates.
    while let Some(enters) = (0..n + m).find(|&index| costs[index] < -1e-12) {
        let ratio = |row: usize| tableau[row][n + m] / tableau[row][enters];
        let leaves = (0..m)
            .filter(|&row| tableau[row][enters] > 1e-12)
            .min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])))
            .unwrap();
        let pivot = tableau[leaves][enters];
        tableau[leaves].iter_mut().for_each(|cell| *cell /= pivot);
        let line = tableau[leaves].clone();
        for (_, cells) in tableau.iter_mut().enumerate().filter(|(row, _)| *row != leaves) {
            let factor = cells[enters];
            cells.iter_mut().zip(&line).for_each(|(cell, pivot)| *cell -= factor * pivot);
        }
        let factor = costs[enters];
        costs.iter_mut().zip(&line).for_each(|(cell, pivot)| *cell -= factor * pivot);
        basis[leaves] = enters;
    }
    let total = costs[n + m];
    let ours: Vec<f64> = (0..m).map(|row| costs[n + row] / total).collect();
    let mut theirs = vec![0.0; n];
    basis
        .iter()
        .zip(&tableau)
        .filter(|(index, _)| **index < n)
        .for_each(|(&index, row)| theirs[index] = row[n + m] / total);
    let lower_bound = (0..n)
        .map(|column| (0..m).map(|row| ours[row] * rows[row][column]).sum())
        .fold(f64::INFINITY, f64::min);
    let upper_bound = rows.iter().map(|row| row.iter().zip(&theirs).map(|(cell, share)| cell * share).sum());
    let upper_bound = upper_bound.fold(f64::NEG_INFINITY, f64::max);
    assert!((lower_bound - upper_bound).abs() < 1e-7, "{lower_bound} {upper_bound} {rows:?}");
    lower_bound
}

/// The value by the definition: backward induction over the matrix game of each state. `None` if more than `most` states are
/// needed.
fn induction(
    setting: &SearchContext<'_>,
    state: &State,
    most: usize,
    known: &mut HashMap<State, f64>,
) -> Option<f64> {
    if let Some(&value) = known.get(state) {
        return Some(value);
    }
    if known.len() > most {
        return None;
    }
    let machine = setting.machine;
    let mut cursor = machine.cursor();
    cursor.set(state).unwrap();
    let value = if cursor.terminal() {
        f64::from(setting.outcome(cursor.goals(setting.role)))
    } else {
        let legal: Vec<Vec<MoveId>> =
            (0..setting.allies.len()).map(|role| cursor.legal(role).to_vec()).collect();
        let side = |allies: bool| {
            let mut lists: Vec<Vec<Option<MoveId>>> = vec![Vec::new()];
            for (moves, &ally) in legal.iter().zip(&setting.allies) {
                let choices =
                    if ally == allies { moves.iter().copied().map(Some).collect() } else { vec![None] };
                let longer = |list: Vec<Option<MoveId>>| {
                    choices.iter().map(|&choice| [list.as_slice(), &[choice]].concat()).collect::<Vec<_>>()
                };
                lists = lists.into_iter().flat_map(longer).collect();
            }
            lists
        };
        let (ours, theirs) = (side(true), side(false));
        let mut rows = Vec::new();
        for own in &ours {
            let mut row = Vec::new();
            for other in &theirs {
                let joint: Vec<MoveId> =
                    own.iter().zip(other).map(|(own, other)| own.or(*other).unwrap()).collect();
                cursor.set(state).unwrap();
                cursor.advance(&joint).unwrap();
                let next = cursor.state().clone();
                row.push(induction(setting, &next, most, known)?);
            }
            rows.push(row);
        }
        matrix_value(&rows)
    };
    known.insert(state.clone(), value);
    Some(value)
}

fn option_sets() -> Vec<SimultaneousOptions> {
    let all = SimultaneousOptions { table: 1 << 20, ..SimultaneousOptions::default() };
    let none = SimultaneousOptions {
        table: 0,
        cutoffs: false,
        serialised: false,
        dominance: false,
        clock: false,
        seed: 1,
    };
    vec![
        all,
        SimultaneousOptions { table: 1 << 14, ..all },
        SimultaneousOptions { table: 0, ..all },
        SimultaneousOptions { serialised: false, ..all },
        SimultaneousOptions { dominance: false, ..all },
        SimultaneousOptions { cutoffs: false, ..all },
        SimultaneousOptions { cutoffs: true, ..none },
        none,
    ]
}

#[test]
fn all_options_agree_with_backward_induction() {
    let games = [
        ("tic_tic_toe", 3),
        ("rock_paper_scissors", 3),
        ("bidding_tic_tac_toe", 5),
        ("tic_tac_toe", 5),
        ("connect_four_4x4", 6),
        ("nim", 4),
        ("sum_fifteen", 4),
        ("dots_and_boxes", 4),
        ("two_against_two", 3),
        ("three_player_race", 4),
        ("king_rook_endgame", 2),
        ("gold_rush", 3),
    ];
    for (name, from_end) in games {
        let game = load_game(name);
        let machine = &*game.machine;
        let (mut looked, mut between) = (0, 0);
        let roles = machine.description().roles.len();
        for (seed, role) in (1..=8).flat_map(|seed| (0..roles).map(move |role| (seed, role))) {
            let setting = SearchContext::alone(machine, role);
            let state = sample_state(machine, seed, from_end);
            let mut known = HashMap::new();
            let Some(wanted) = induction(&setting, &state, 2_000, &mut known) else { continue };
            for options in option_sets() {
                // A search without a table visits a state once per path to it.
                if options.table == 0 && known.len() > if options.cutoffs { 300 } else { 60 } {
                    continue;
                }
                let mut search = SimultaneousSearch::plain(setting.clone(), options);
                let found = search.search(&state, &Limits::default(), &mut |_| {}).unwrap();
                assert!(
                    found.proved && found.stop == Stop::Solved,
                    "{name} {seed} {role} {options:?} {found:?}"
                );
                let value = found.value.unwrap();
                assert!(
                    (value - wanted).abs() < 1e-5,
                    "{name} {seed} {role} {options:?}: {value}, not {wanted}"
                );
                looked += 1;
                between += usize::from((value.round() - value).abs() > 1e-3);
            }
        }
        assert!(looked >= 20, "{name}: {looked}");
        assert!(between > 0 || name != "rock_paper_scissors");
    }
}

#[test]
fn tic_tic_toe_has_the_value_of_backward_induction() {
    let game = load_game("tic_tic_toe");
    let machine = &*game.machine;
    let mut known = HashMap::new();
    let wanted =
        induction(&SearchContext::alone(machine, 0), machine.initial(), usize::MAX, &mut known).unwrap();
    let mut search =
        SimultaneousSearch::plain(SearchContext::alone(machine, 0), SimultaneousOptions::default());
    let found = search.search(machine.initial(), &Limits::default(), &mut |_| {}).unwrap();
    assert!(found.proved && (found.value.unwrap() - wanted).abs() < 1e-5, "{wanted}: {found:?}");
    // Later states have their values too, including states whose value needs a mixed strategy.
    let mut states: Vec<(&State, f64)> = known.iter().map(|(state, &value)| (state, value)).collect();
    states.sort_by(|a, b| a.0.cmp(b.0));
    let between = |value: f64| [0.0, 50.0, 100.0].iter().all(|goal: &f64| (goal - value).abs() > 1e-3);
    let mixed: Vec<_> = states.iter().copied().filter(|(_, value)| between(*value)).collect();
    assert!(mixed.len() > 100, "{}", mixed.len());
    for (state, wanted) in states.into_iter().step_by(997).chain(mixed.into_iter().step_by(97)) {
        let value = search.search(state, &Limits::default(), &mut |_| {}).unwrap().value.unwrap();
        assert!((value - wanted).abs() < 1e-5, "{value}, not {wanted}");
    }
    // The mixed strategy guarantees the value: its mean is at least as high against every answer.
    let mut cursor = machine.cursor();
    let answers = cursor.legal(1).to_vec();
    for answer in answers {
        let mut mean = 0.0;
        for &(action, share) in &found.mixture {
            cursor.set(machine.initial()).unwrap();
            cursor.advance(&[action, answer]).unwrap();
            mean += share * known[cursor.state()];
        }
        assert!(mean > wanted - 1e-5, "{mean} {wanted}");
    }
}

/// A game of one simultaneous choice with these goal values for the first player; the second player gets 100 minus this.
fn matrix_game(rows: &[&[u32]]) -> Loaded {
    let mut rules = String::from("(role one) (role two) (init open) (<= terminal (not (true open)))\n");
    for (row, goals) in rows.iter().enumerate() {
        rules += &format!("(<= (legal one (up {row})) (true open))\n");
        for (column, goal) in goals.iter().enumerate() {
            if row == 0 {
                rules += &format!("(<= (legal two (across {column})) (true open))\n");
            }
            rules +=
                &format!("(<= (next (met {goal})) (does one (up {row})) (does two (across {column})))\n");
        }
    }
    let mut all: Vec<u32> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    for goal in all {
        rules += &format!("(<= (goal one {goal}) (true (met {goal})))\n");
        rules += &format!("(<= (goal two {}) (true (met {goal})))\n", 100 - goal);
    }
    load_rules(&rules)
}

fn search_result(game: &Loaded, role: usize, seed: u64) -> ggp::search::SearchResult {
    let setting = SearchContext::alone(&*game.machine, role);
    let mut search =
        SimultaneousSearch::plain(setting, SimultaneousOptions { seed, ..SimultaneousOptions::default() });
    search.search(game.machine.initial(), &Limits::default(), &mut |_| {}).unwrap()
}

#[test]
fn known_matrix_games_have_their_values() {
    // The value is (a d - b c) / (a + d - b - c). The first row has the probability (d - c) / (a + d - b - c).
    let game = matrix_game(&[&[100, 0], &[30, 60]]);
    let found = search_result(&game, 0, 1);
    assert!((found.value.unwrap() - 6000.0 / 130.0).abs() < 1e-5 && found.proved, "{found:?}");
    let share = |action: &str| {
        let entry = found.mixture.iter().find(|(known, _)| game.machine.move_text(*known) == action);
        entry.map_or(0.0, |(_, share)| *share)
    };
    assert!((share("(up 0)") - 3.0 / 13.0).abs() < 1e-6 && (share("(up 1)") - 10.0 / 13.0).abs() < 1e-6);
    let other = search_result(&game, 1, 1);
    assert!((other.value.unwrap() - (100.0 - 6000.0 / 130.0)).abs() < 1e-5);

    // Rock, paper, scissors is symmetric.
    let found = search_result(&matrix_game(&[&[50, 0, 100], &[100, 50, 0], &[0, 100, 50]]), 0, 1);
    assert_eq!(found.value, Some(50.0));
    assert!(
        found.mixture.len() == 3 && found.mixture.iter().all(|(_, share)| (share - 1.0 / 3.0).abs() < 1e-6)
    );

    // A saddle point needs no mixed strategy.
    let found = search_result(&matrix_game(&[&[10, 20], &[30, 40]]), 0, 1);
    assert_eq!((found.value, found.mixture.len()), (Some(30.0), 1));
}

#[test]
fn moves_are_drawn_with_the_probabilities_of_the_mixture() {
    let game = matrix_game(&[&[100, 0], &[30, 60]]);
    let first = game.machine.cursor().legal(0)[0];
    let drawn = (0..400).filter(|&seed| search_result(&game, 0, seed).action == Some(first)).count();
    // The expected number is 400 * 3 / 13 = 92, with a standard deviation of 8.4.
    assert!((60..=125).contains(&drawn), "{drawn}");
    assert_eq!(search_result(&game, 0, 7).action, search_result(&game, 0, 7).action);

    // A second search of the same state draws a new move. The two sides draw independently.
    let game = matrix_game(&[&[50, 0, 100], &[100, 50, 0], &[0, 100, 50]]);
    let setting = |role| SearchContext::alone(&*game.machine, role);
    let mut sides =
        [0, 1].map(|role| SimultaneousSearch::plain(setting(role), SimultaneousOptions::default()));
    let mut series = [Vec::new(), Vec::new()];
    for _ in 0..20 {
        for (role, side) in sides.iter_mut().enumerate() {
            let action = side.search(game.machine.initial(), &Limits::default(), &mut |_| {}).unwrap().action;
            let index = game.machine.cursor().legal(role).iter().position(|&legal| Some(legal) == action);
            series[role].push(index.unwrap());
        }
    }
    assert!(series.iter().all(|series| (0..3).all(|index| series.contains(&index))), "{series:?}");
    assert_ne!(series[0], series[1]);
}

#[test]
fn the_same_seed_and_node_limit_give_the_same_search() {
    let game = load_game("bidding_tic_tac_toe");
    let run_search = || {
        let mut search = SimultaneousSearch::plain(
            SearchContext::alone(&*game.machine, 0),
            SimultaneousOptions::default(),
        );
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        let found = search.search(game.machine.initial(), &limits, &mut |_| {}).unwrap();
        (found.action, found.value, found.nodes, found.depth, found.mixture, found.stop)
    };
    assert_eq!(run_search(), run_search());
    assert_eq!(run_search().5, Stop::Nodes);
}

#[test]
fn a_certain_win_is_not_delayed() {
    // The first player can always wait, but the search chooses the fastest win.
    let rules = "(role one) (role two) (init (at 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal one go) (true (at ?x))) (<= (legal one stay) (true (at ?x)))
        (<= (legal two nod) (true (at ?x))) (<= (legal two frown) (true (at ?x)))
        (<= (next (at ?y)) (does one go) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does one stay) (true (at ?x)))
        (<= terminal (true (at 4))) (<= (goal one 100) (true (at 4))) (<= (goal one 0) (not (true (at 4))))
        (goal two 0)";
    let game = load_rules(rules);
    let mut search =
        SimultaneousSearch::plain(SearchContext::alone(&*game.machine, 0), SimultaneousOptions::default());
    let mut cursor = game.machine.cursor();
    for left in (1..=4).rev() {
        let state = cursor.state().clone();
        let found = search.search(&state, &Limits::default(), &mut |_| {}).unwrap();
        assert_eq!((found.value, found.proved, found.depth), (Some(100.0), true, left), "{found:?}");
        let nod = cursor.legal(1)[0];
        cursor.advance(&[found.action.unwrap(), nod]).unwrap();
    }
    assert!(cursor.terminal());
}
