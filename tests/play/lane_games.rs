//! Games that are stepped in lanes by given actions follow the rules, state by state. Their legal actions, ends and
//! rewards are those of the scalar machine.

use std::path::Path;
use std::sync::Arc;

use crate::listed::own_games;
use ggp::gdl::{Source, read};
use ggp::ground::{Limits, ground};
use ggp::machine::lanes::games::{Actions, AutoReset, GamesError, GamesOptions, GamesView, LaneGames, Rows};
use ggp::machine::lanes::program::Program;
use ggp::machine::{Cursor, Machine, MoveId, NetworkMachine};

fn load(path: &Path) -> NetworkMachine {
    let reading = read(&Source::load(path).unwrap());
    NetworkMachine::new(Arc::new(
        ground(&Arc::new(reading.description.unwrap()), &Limits::default()).unwrap(),
    ))
}

fn game(name: &str) -> NetworkMachine {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name).with_extension("kif"))
}

fn options(actions: Actions) -> GamesOptions {
    GamesOptions { actions, auto_reset: AutoReset::NextStep, max_steps: None, seed: 3 }
}

struct Arrays {
    observations: Vec<u64>,
    masks: Vec<u64>,
    rewards: Vec<f32>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
    turns: Vec<i8>,
}

impl Arrays {
    fn new(games: &LaneGames, roles: usize) -> Arrays {
        let count = games.games();
        Arrays {
            observations: vec![!0; count * games.observation().words()],
            masks: vec![!0; count * games.mask().groups * games.mask().words()],
            rewards: vec![7.0; count * roles],
            terminated: vec![7; count],
            truncated: vec![7; count],
            turns: vec![7; count],
        }
    }

    fn view(&mut self) -> GamesView<'_> {
        GamesView {
            observations: Rows::Packed(&mut self.observations),
            masks: Rows::Packed(&mut self.masks),
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            turns: &mut self.turns,
        }
    }
}

fn holds(rows: &[u64], words: usize, row: usize, bit: usize) -> bool {
    rows[row * words + bit / 64] >> (bit % 64) & 1 == 1
}

/// Compares the arrays of one game with its machine.
fn compare(
    arrays: &Arrays,
    games: &LaneGames,
    machine: &NetworkMachine,
    cursor: &dyn Cursor,
    number: usize,
    joint: bool,
) {
    let network = machine.network().unwrap();
    let roles = network.moves.len();
    let words = games.observation().words();
    assert_eq!(&arrays.observations[number * words..(number + 1) * words], &*cursor.state().0);
    assert_eq!(arrays.terminated[number] == 1, cursor.terminal());
    assert_eq!(arrays.truncated[number], 0);
    for role in 0..roles {
        let goal = if cursor.terminal() { cursor.goals(role).last().copied().unwrap_or(0) } else { 0 };
        assert_eq!(arrays.rewards[number * roles + role], goal as f32);
    }
    let choosing: Vec<usize> =
        (0..roles).filter(|&role| !cursor.terminal() && cursor.legal(role).len() > 1).collect();
    let turn = if let [role] = choosing[..] { role as i8 } else { -1 };
    assert_eq!(arrays.turns[number], turn);
    let legal = |role: usize, action: u32| !cursor.terminal() && cursor.legal(role).contains(&MoveId(action));
    let mask_words = games.mask().words();
    if joint {
        for (role, moves) in network.moves.iter().enumerate() {
            for bit in 0..games.mask().bits {
                let expected = moves.get(bit).is_some_and(|m| legal(role, m.action));
                assert_eq!(holds(&arrays.masks, mask_words, number * roles + role, bit), expected);
            }
        }
    } else {
        let meant: Vec<usize> = if choosing.is_empty() { (0..roles).collect() } else { choosing };
        for action in 0..network.actions.len() {
            let expected = meant.iter().any(|&role| legal(role, action as u32));
            assert_eq!(holds(&arrays.masks, mask_words, number, action), expected, "action {action}");
        }
    }
}

/// The joint move that the actions encode.
fn joint_move(machine: &NetworkMachine, cursor: &dyn Cursor, actions: &[i32], joint: bool) -> Vec<MoveId> {
    let network = machine.network().unwrap();
    let chooses = (0..network.moves.len()).any(|role| cursor.legal(role).len() > 1);
    let move_of = |role: usize| {
        let legal = cursor.legal(role);
        if joint {
            return match actions[role] {
                -1 => legal[0],
                number => MoveId(network.moves[role][number as usize].action),
            };
        }
        if legal.len() > 1 || !chooses && legal.contains(&MoveId(actions[0] as u32)) {
            MoveId(actions[0] as u32)
        } else {
            legal[0]
        }
    };
    (0..network.moves.len()).map(move_of).collect()
}

/// Follows some games of a run on the scalar machine.
fn follow(machine: &NetworkMachine, actions: Actions, count: usize, steps: usize) {
    let roles = machine.network().unwrap().moves.len();
    let joint = actions == Actions::Joint;
    let program = machine.lane_program();
    let mut games = LaneGames::new(program, count, options(actions)).unwrap();
    let mut arrays = Arrays::new(&games, roles);
    games.show(arrays.view()).unwrap();
    let numbers: Vec<usize> =
        [0, 1, 63, 64, 511, 512, 700].into_iter().filter(|&number| number < count).collect();
    let mut cursors: Vec<_> = numbers.iter().map(|_| machine.cursor()).collect();
    let each = games.actions_each();
    let mut given = vec![0; count * each];
    for step in 0..steps {
        for (cursor, &number) in cursors.iter().zip(&numbers) {
            compare(&arrays, &games, machine, &**cursor, number, joint);
        }
        games.sample(&mut given);
        if joint && step % 2 == 0 {
            // A role with a single move may give -1.
            for (cursor, &number) in cursors.iter().zip(&numbers) {
                for role in (0..roles).filter(|&role| cursor.legal(role).len() == 1) {
                    given[number * each + role] = -1;
                }
            }
        }
        games.step(program, &given, Some(arrays.view()), None).unwrap().unwrap();
        for (cursor, &number) in cursors.iter_mut().zip(&numbers) {
            if cursor.terminal() {
                cursor.set(machine.initial()).unwrap();
            } else {
                let moves = joint_move(machine, &**cursor, &given[number * each..(number + 1) * each], joint);
                cursor.advance(&moves).unwrap();
            }
        }
    }
}

#[test]
fn states_masks_and_rewards_equal_those_of_the_machine() {
    for path in own_games() {
        let machine = load(&path);
        if !machine.suits_lanes() {
            continue;
        }
        let large = machine.network().unwrap().gates() > 20_000;
        let (count, steps) = if large { (70, 30) } else { (701, 60) };
        follow(&machine, Actions::Joint, count, steps);
        if LaneGames::one_chooses(machine.lane_program(), 40, 1).unwrap() {
            follow(&machine, Actions::Turns, count, steps);
        }
    }
}

#[test]
fn alternating_games_need_one_action() {
    for (name, enough) in
        [("tic_tac_toe", true), ("chess", true), ("eight_puzzle", true), ("rock_paper_scissors", false)]
    {
        let machine = game(name);
        assert_eq!(LaneGames::one_chooses(machine.lane_program(), 40, 1).unwrap(), enough, "{name}");
    }
}

#[test]
fn invalid_actions_are_rejected_without_effect() {
    let machine = game("tic_tac_toe");
    let program = machine.lane_program();
    let mut games = LaneGames::new(program, 600, options(Actions::Turns)).unwrap();
    let mut actions = vec![0; 600];
    games.sample(&mut actions);
    for wrong in [-2, 99, i32::MAX, i32::MIN] {
        let mut bad = actions.clone();
        bad[530] = wrong;
        let error = games.step(program, &bad, None, None).unwrap().unwrap_err();
        assert_eq!(error, GamesError::NotLegal { game: 530, role: None, action: wrong });
        assert_eq!(games.state(3), machine.initial().0.to_vec());
    }
    assert!(matches!(
        games.step(program, &actions[1..], None, None).unwrap(),
        Err(GamesError::Length { what: "actions", expected: 600, given: 599 })
    ));
    games.step(program, &actions, None, None).unwrap().unwrap();
    assert_ne!(games.state(3), machine.initial().0.to_vec());

    let machine = game("rock_paper_scissors");
    let program = machine.lane_program();
    let mut games = LaneGames::new(program, 5, options(Actions::Turns)).unwrap();
    let error = games.step(program, &[0; 5], None, None).unwrap().unwrap_err();
    assert_eq!(error, GamesError::SeveralChoose { game: 0 });
    let mut games = LaneGames::new(program, 5, options(Actions::Joint)).unwrap();
    let error = games.step(program, &[-1; 10], None, None).unwrap().unwrap_err();
    assert_eq!(error, GamesError::NotLegal { game: 0, role: Some(0), action: -1 });
}

/// The three modes of `AutoReset`, with sampled actions.
#[test]
fn games_reset_according_to_auto_reset() {
    let machine = game("tic_tac_toe");
    let program = machine.lane_program();
    for auto_reset in [AutoReset::NextStep, AutoReset::SameStep, AutoReset::Never] {
        let given = GamesOptions { auto_reset, ..options(Actions::Turns) };
        let mut games = LaneGames::new(program, 512, given).unwrap();
        let mut arrays = Arrays::new(&games, 2);
        let mut actions = vec![0; 512];
        let (mut ended, mut rewards) = (0, 0.0);
        let mut over = vec![false; 512];
        for step in 0..30 {
            games.sample(&mut actions);
            games.step(program, &actions, Some(arrays.view()), None).unwrap().unwrap();
            let words = games.observation().words();
            for (number, over) in over.iter_mut().enumerate() {
                let state = &arrays.observations[number * words..(number + 1) * words];
                let initial = state == &*machine.initial().0;
                let terminated = arrays.terminated[number] == 1;
                let reward: f32 = arrays.rewards[2 * number..2 * number + 2].iter().sum();
                match auto_reset {
                    AutoReset::NextStep => assert_eq!(initial, *over, "step {step}"),
                    AutoReset::SameStep => assert_eq!(initial, terminated, "step {step}"),
                    AutoReset::Never => assert!(!initial && (!*over || terminated)),
                }
                let fresh = terminated && (auto_reset != AutoReset::Never || !*over);
                assert_eq!(reward, if fresh { 100.0 } else { 0.0 });
                *over = terminated;
                ended += usize::from(fresh);
                rewards += reward;
            }
        }
        assert_eq!(rewards, 100.0 * ended as f32);
        match auto_reset {
            AutoReset::Never => assert_eq!(ended, 512),
            _ => assert!(ended > 3 * 512),
        }
        games.reset_some(program, &[1; 512]).unwrap();
        assert_eq!(games.state(511), machine.initial().0.to_vec());
    }
}

/// A game with the action -1 does not change, even after its end, and gets no second reward.
#[test]
fn held_games_do_not_change() {
    let machine = game("tic_tac_toe");
    let program = machine.lane_program();
    let mut games = LaneGames::new(program, 512, options(Actions::Turns)).unwrap();
    let mut arrays = Arrays::new(&games, 2);
    let mut actions = vec![0; 512];
    let mut rewards = 0.0;
    for _ in 0..9 {
        games.sample(&mut actions);
        actions.iter_mut().zip(&arrays.terminated).for_each(|(action, &over)| {
            if over == 1 {
                *action = -1;
            }
        });
        actions[7] = -1;
        games.step(program, &actions, Some(arrays.view()), None).unwrap().unwrap();
        rewards += arrays.rewards.iter().sum::<f32>();
    }
    assert_eq!(games.state(7), machine.initial().0.to_vec());
    assert_eq!(rewards, 100.0 * 511.0);
    assert_eq!(arrays.terminated.iter().filter(|&&over| over == 1).count(), 511);
}

#[test]
fn long_games_are_truncated() {
    let machine = game("connect_four");
    let program = machine.lane_program();
    let given = GamesOptions { max_steps: Some(3), ..options(Actions::Turns) };
    let mut games = LaneGames::new(program, 10, given).unwrap();
    let mut arrays = Arrays::new(&games, 2);
    let mut actions = vec![0; 10];
    let mut seen = Vec::new();
    for _ in 0..8 {
        games.sample(&mut actions);
        games.step(program, &actions, Some(arrays.view()), None).unwrap().unwrap();
        seen.push((arrays.truncated[9], arrays.masks[9] == 0));
        assert_eq!((arrays.terminated[9], arrays.rewards[18]), (0, 0.0));
    }
    let (goes, cut) = ((0, false), (1, true));
    assert_eq!(seen, [goes, goes, cut, goes, goes, goes, cut, goes]);
}

/// The numbers of threads and games do not matter, nor do bytes in place of bits.
#[test]
fn results_do_not_depend_on_threads_or_layout() {
    let machine = game("breakthrough");
    let program: &Program = machine.lane_program();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let run = |count: usize, pool: Option<&rayon::ThreadPool>| {
        let mut games = LaneGames::new(program, count, options(Actions::Turns)).unwrap();
        let mut arrays = Arrays::new(&games, 2);
        let (bits, mask) = (games.observation().bits, games.mask().bits);
        let (mut bytes, mut mask_bytes) = (vec![9; count * bits], vec![9; count * mask]);
        let mut actions = vec![0; count];
        for _ in 0..70 {
            games.sample(&mut actions);
            games.step(program, &actions, Some(arrays.view()), pool).unwrap().unwrap();
        }
        let view = GamesView {
            observations: Rows::Bytes(&mut bytes),
            masks: Rows::Bytes(&mut mask_bytes),
            ..arrays.view()
        };
        games.show(view).unwrap();
        for number in (0..count).step_by(37) {
            for bit in 0..bits {
                let packed = holds(&arrays.observations, games.observation().words(), number, bit);
                assert_eq!(bytes[number * bits + bit], u8::from(packed));
            }
            for bit in 0..mask {
                let packed = holds(&arrays.masks, games.mask().words(), number, bit);
                assert_eq!(mask_bytes[number * mask + bit], u8::from(packed));
            }
        }
        (arrays.observations, arrays.terminated)
    };
    let (alone, ends) = run(1600, None);
    assert_eq!((alone.clone(), ends), run(1600, Some(&pool)));
    let few = run(1100, None).0;
    assert_eq!(alone[..few.len()], few);
}

/// Sampled actions are uniform: a chi-square test of the first moves of many games.
#[test]
fn sampled_actions_are_uniform() {
    let machine = game("tic_tac_toe");
    let mut games = LaneGames::new(machine.lane_program(), 512, options(Actions::Turns)).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    let mut actions = vec![0; 512];
    for _ in 0..100 {
        games.sample(&mut actions);
        actions.iter().for_each(|&action| *counts.entry(action).or_insert(0u32) += 1);
    }
    assert_eq!(counts.len(), 9);
    let expected = 51_200.0 / 9.0;
    let chi_square: f64 = counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    assert!(chi_square < 30.0, "{chi_square}");
}
