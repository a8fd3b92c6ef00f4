//! Every search finds the value of exhaustive minimax, with any combination of its optimisations.

use std::collections::HashMap;

use crate::sampled::{load_game, sample_state};
use ggp::evaluation::{BuildContext, Function, Parameters, functions};
use ggp::machine::{Cursor, MoveId, State};
use ggp::search::{AlphaBetaOptions, Deepening, Limits, Search, SearchContext, Stop};

/// The maximum number of states for exhaustive minimax.
const MOST_STATES: usize = 2_000;

/// The value by the definition, without pruning or move ordering. A role gets what it can guarantee: with simultaneous
/// moves, the other side knows its move. `None` if more than [`MOST_STATES`] states are needed.
pub(crate) fn minimax(
    setting: &SearchContext<'_>,
    state: &State,
    known: &mut HashMap<State, i32>,
) -> Option<i32> {
    if let Some(&value) = known.get(state) {
        return Some(value);
    }
    if known.len() > MOST_STATES {
        return None;
    }
    let machine = setting.machine;
    let mut cursor = machine.cursor();
    cursor.set(state).unwrap();
    let value = if cursor.terminal() {
        setting.outcome(cursor.goals(setting.role))
    } else {
        let ours = joints(&*cursor, setting, true);
        let theirs = joints(&*cursor, setting, false);
        let worst = |own: &Vec<Option<MoveId>>, known: &mut HashMap<State, i32>| {
            let answers = theirs.iter().map(|other| {
                let joint: Vec<MoveId> =
                    own.iter().zip(other).map(|(own, other)| own.or(*other).unwrap()).collect();
                let mut next = machine.cursor();
                next.set(state).unwrap();
                next.advance(&joint).unwrap();
                next.state().clone()
            });
            let answers: Vec<State> = answers.collect();
            answers.iter().map(|state| minimax(setting, state, known)).collect::<Option<Vec<_>>>()
        };
        let values: Option<Vec<_>> = ours
            .iter()
            .map(|own| worst(own, known).map(|values| values.into_iter().min().unwrap()))
            .collect();
        values?.into_iter().max().unwrap()
    };
    known.insert(state.clone(), value);
    Some(value)
}

/// The joint moves of one side; the roles of the other side have `None`.
fn joints(cursor: &dyn Cursor, setting: &SearchContext<'_>, allies: bool) -> Vec<Vec<Option<MoveId>>> {
    let mut lists = vec![Vec::new()];
    for (role, &ally) in setting.allies.iter().enumerate() {
        let moves: Vec<Option<MoveId>> = match ally == allies {
            true => cursor.legal(role).iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let longer = lists.iter().flat_map(|list: &Vec<Option<MoveId>>| {
            moves.iter().map(|&action| [list.as_slice(), &[action]].concat()).collect::<Vec<_>>()
        });
        lists = longer.collect();
    }
    lists
}

/// All optimisations on, each one off, and all off.
fn option_sets() -> Vec<AlphaBetaOptions> {
    let all = AlphaBetaOptions { table: 1 << 20, ..AlphaBetaOptions::default() };
    let none = AlphaBetaOptions { table: 0, killers: false, null_window: false, clock: false, ..all };
    vec![
        all,
        AlphaBetaOptions { table: 0, ..all },
        AlphaBetaOptions { table: 1 << 16, ..all },
        AlphaBetaOptions { killers: false, ..all },
        AlphaBetaOptions { null_window: false, ..all },
        AlphaBetaOptions { clock: false, ..all },
        none,
        AlphaBetaOptions { cutoffs: false, ..none },
    ]
}

#[test]
fn all_options_agree_with_minimax() {
    let games = [
        "tic_tac_toe",
        "connect_four_4x4",
        "connect_four",
        "nim",
        "king_rook_endgame",
        "sum_fifteen",
        "dots_and_boxes",
        "three_player_race",
        "two_against_two",
        "tic_tic_toe",
        "rock_paper_scissors",
        "bidding_tic_tac_toe",
        "buttons_and_lights",
        "gold_rush",
    ];
    for name in games {
        let game = load_game(name);
        let machine = &*game.machine;
        let mut looked = 0;
        for (seed, role) in
            (1..=4).flat_map(|seed| (0..machine.description().roles.len()).map(move |role| (seed, role)))
        {
            let setting = SearchContext::alone(machine, role);
            // Takes the earliest state of a random playout that exhaustive minimax can solve.
            let mut known = HashMap::new();
            let (mut state, mut wanted) = (sample_state(machine, seed, 1), None);
            for from_end in 1..=10 {
                let further = sample_state(machine, seed, from_end);
                known.clear();
                let Some(value) = minimax(&setting, &further, &mut known) else { break };
                (state, wanted) = (further, Some(f64::from(value)));
            }
            let Some(wanted) = wanted else { continue };
            known.clear();
            minimax(&setting, &state, &mut known);
            for options in option_sets() {
                // A search without a table visits a state once per path to it.
                if options.table == 0 && known.len() > if options.cutoffs { 500 } else { 100 } {
                    continue;
                }
                let search = || Deepening::plain(setting.clone(), options);
                for mut search in [search(), search().by_empty_windows()] {
                    let found = search.search(&state, &Limits::default(), &mut |_| {}).unwrap();
                    assert!(found.proved && found.stop == Stop::Solved, "{name} {seed} {options:?}");
                    assert_eq!(found.value, Some(wanted), "{name} {seed} {role} {options:?}");
                }
                looked += 1;
            }
        }
        assert!(looked >= 10, "{name}");
    }
}

#[test]
fn the_best_move_leads_to_the_value() {
    for name in ["tic_tac_toe", "connect_four_4x4", "nim"] {
        let game = load_game(name);
        let machine = &*game.machine;
        let setting = SearchContext::alone(machine, 0);
        let mut search = Deepening::plain(setting.clone(), AlphaBetaOptions::default());
        let found = search.search(machine.initial(), &Limits::default(), &mut |_| {}).unwrap();
        let mut cursor = machine.cursor();
        assert_eq!(found.principal_variation[0][0], found.action.unwrap());
        for joint in &found.principal_variation {
            for (role, action) in joint.iter().enumerate() {
                assert!(cursor.legal(role).contains(action), "{name}");
            }
            cursor.advance(joint).unwrap();
        }
        let mut again = Deepening::plain(setting, AlphaBetaOptions::default());
        let rest = again.search(cursor.state(), &Limits::default(), &mut |_| {}).unwrap();
        assert_eq!(rest.value, found.value, "{name}");
    }
}

#[test]
fn values_at_a_depth_agree_with_minimax() {
    for name in ["connect_four", "breakthrough", "reversi", "checkers"] {
        let game = load_game(name);
        let machine = &*game.machine;
        let structures =
            ggp::structure::detect(machine, &game.statics, &Default::default(), &Default::default())
                .unwrap()
                .0;
        let budget = Default::default();
        let material = BuildContext::new(machine, &structures, &[], &budget);
        let made = functions(&material, &Parameters::default());
        let has_first_role =
            |function: &&Function| function.role() == machine.term_text(machine.description().roles[0]);
        let function = made.list.iter().find(has_first_role).unwrap();
        let state = sample_state(machine, 5, 12);
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let mut values = Vec::new();
        for options in option_sets() {
            // A table can contain a result of a deeper search, which may have another value.
            let options = AlphaBetaOptions { table: 0, ..options };
            let search = || Deepening::new(SearchContext::alone(machine, 0), function, options).unwrap();
            for mut search in [search(), search().by_empty_windows()] {
                values.push(search.search(&state, &limits, &mut |_| {}).unwrap().value);
            }
        }
        assert!(values.iter().all(|value| *value == values[0]), "{name}: {values:?}");
    }
}

#[test]
fn the_same_seed_and_node_limit_give_the_same_search() {
    let game = load_game("breakthrough");
    let machine = &*game.machine;
    let run_search = || {
        let mut search = Deepening::plain(SearchContext::alone(machine, 0), AlphaBetaOptions::default());
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        search.search(machine.initial(), &limits, &mut |_| {}).unwrap()
    };
    let (one, other) = (run_search(), run_search());
    assert_eq!(one.stop, Stop::Nodes);
    assert_eq!(
        (one.action, one.value, one.nodes, one.depth),
        (other.action, other.value, other.nodes, other.depth)
    );
}

#[test]
fn lost_states_still_get_a_move() {
    let game = load_game("nim");
    let machine = &*game.machine;
    let mut search = Deepening::plain(SearchContext::alone(machine, 0), AlphaBetaOptions::default());
    for limits in [Limits::default(), Limits { nodes: Some(1), ..Limits::default() }] {
        let found = search.search(machine.initial(), &limits, &mut |_| {}).unwrap();
        let mut cursor = machine.cursor();
        cursor.set(machine.initial()).unwrap();
        assert!(cursor.legal(0).contains(&found.action.unwrap()), "{limits:?}");
    }
}
