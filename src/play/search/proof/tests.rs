//! Proved values equal those of backward evaluation: in random games by a fixed point, in others over all states.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::gdl::{Source, read};
use crate::ground;
use crate::machine::{Backend, Loaded, Machine, load};
use crate::search::context::SearchContext;
use crate::search::graph::{Classes, Values};
use crate::search::limits::{Limits, Meter, Stop};
use crate::search::symmetry::Symmetries;

use super::{Progress, Prover};

fn loaded(name: &str, text: &str) -> Loaded {
    let description = read(&Source::from_text(name, text.to_owned())).description;
    load(description.expect("the rules are valid"), Backend::Auto, &ground::Limits::default()).unwrap()
}

fn game(name: &str) -> Loaded {
    loaded(name, &std::fs::read_to_string(format!("../../games/{name}.kif")).unwrap())
}

/// A game on a graph: in each node without a payoff one role chooses the next node.
struct GraphGame {
    roles: usize,
    owners: Vec<usize>,
    edges: Vec<Vec<usize>>,
    payoffs: Vec<Vec<i32>>,
}

impl GraphGame {
    fn random(seed: u64, roles: usize, circles: bool) -> GraphGame {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (inner, all) = (14, 22);
        let mut below = |most: usize| random.random_range(0..most);
        let owners = (0..inner).map(|_| below(roles)).collect();
        let edges = (0..inner).map(|node| {
            let first = if circles { 1 } else { node + 1 };
            (0..1 + below(3)).map(|_| first + below(all - first)).collect()
        });
        let edges = edges.collect();
        let payoffs = (inner..all).map(|_| (0..roles).map(|_| 25 * below(5) as i32).collect()).collect();
        GraphGame { roles, owners, edges, payoffs }
    }

    fn rules(&self) -> String {
        let mut out: String = (0..self.roles).map(|role| format!("(role r{role})")).collect();
        for (node, edges) in self.edges.iter().enumerate() {
            out += &format!("(owner n{node} r{})", self.owners[node]);
            edges.iter().enumerate().for_each(|(at, to)| out += &format!("(edge n{node} m{at} n{to})"));
        }
        for (index, payoffs) in self.payoffs.iter().enumerate() {
            let node = self.edges.len() + index;
            let payoffs = payoffs.iter().enumerate();
            payoffs.for_each(|(role, value)| out += &format!("(payoff n{node} r{role} {value})"));
        }
        out + "(init (at n0))
            (<= (legal ?r ?m) (role ?r) (true (at ?n)) (owner ?n ?r) (edge ?n ?m ?k))
            (<= (legal ?r wait) (role ?r) (true (at ?n)) (owner ?n ?o) (distinct ?r ?o))
            (<= (next (at ?k)) (true (at ?n)) (owner ?n ?o) (does ?o ?m) (edge ?n ?m ?k))
            (<= terminal (true (at ?n)) (payoff ?n r0 ?v))
            (<= (goal ?r ?v) (true (at ?n)) (payoff ?n ?r ?v))"
    }

    /// Whether allies can force that a role gets at least `least`, or with `at_least` false, others that it gets less.
    fn forced(&self, (role, allies): (usize, &[bool]), least: i32, at_least: bool) -> bool {
        let inner = self.edges.len();
        let mut won = vec![false; inner];
        won.extend(self.payoffs.iter().map(|payoffs| (payoffs[role] >= least) == at_least));
        loop {
            let before = won.clone();
            for node in 0..inner {
                let own = allies[self.owners[node]] == at_least;
                let mut edges = self.edges[node].iter();
                won[node] = if own { edges.any(|&to| before[to]) } else { edges.all(|&to| before[to]) };
            }
            if won == before {
                return won[0];
            }
        }
    }

    /// The value of a role; none if play can go on forever. No end has a value outside of `rewards`.
    fn value(&self, role: usize, allies: &[bool], [least, most]: [i32; 2]) -> Option<i32> {
        let values = || [0, 25, 50, 75, 100].into_iter();
        let low = values().rfind(|&value| value <= least || self.forced((role, allies), value, true))?;
        let beaten = values().find(|&value| value > most || self.forced((role, allies), value, false));
        (values().find(|&value| value > low) == beaten).then_some(low)
    }
}

/// Plays the line and returns the goal value of the first role.
fn end_of(machine: &dyn Machine, prover: &Prover<'_, '_>) -> i32 {
    let mut cursor = machine.cursor();
    for joint in &prover.line {
        let legal = |(role, action)| cursor.legal(role).contains(action);
        assert!(!cursor.terminal() && joint.iter().enumerate().all(legal));
        cursor.advance(joint).unwrap();
    }
    assert!(cursor.terminal());
    cursor.goals(0)[0]
}

fn check_random(seed: u64, roles: usize, teams: &[Vec<usize>], circles: bool) -> Progress {
    let rules = GraphGame::random(seed, roles, circles);
    let game = loaded("random", &rules.rules());
    let machine = &*game.machine;
    let mut prover = Prover::new((machine, teams), machine.initial(), None, 1 << 20);
    let progress = prover.advance(&Limits::default()).unwrap();
    for (role, &value) in prover.values.iter().enumerate() {
        let context = SearchContext::in_team(machine, role, teams);
        if value.is_some() {
            let known = rules.value(role, &context.allies, context.rewards);
            assert_eq!(value, known, "seed {seed}, role {role}");
        }
    }
    if progress == Progress::Proved && !circles {
        assert_eq!(Some(end_of(machine, &prover)), prover.values[0], "seed {seed}");
    }
    progress
}

#[test]
fn values_of_random_games_are_those_of_a_fixed_point() {
    for seed in 0..20 {
        assert_eq!(check_random(seed, 2, &[], false), Progress::Proved);
        assert_eq!(check_random(seed, 3, &[], false), Progress::Proved);
        assert_eq!(check_random(seed, 3, &[vec![0, 2]], false), Progress::Proved);
    }
}

#[test]
fn nothing_is_proved_of_games_that_may_not_end() {
    let ends: Vec<Progress> = (0..40).map(|seed| check_random(seed, 2, &[], true)).collect();
    assert!(ends.contains(&Progress::Proved) && ends.contains(&Progress::Unsuitable));
}

#[test]
fn values_are_those_of_all_states() {
    for name in
        ["tic_tac_toe", "connect_four_4x4", "nim", "sum_fifteen", "tic_tic_toe", "rock_paper_scissors"]
    {
        let game = game(name);
        let machine = &*game.machine;
        let mut meter = Meter::new(Limits::default());
        let all = Values::of(machine, &[], machine.initial(), Classes::default(), 1 << 30, &mut meter);
        let Ok(Ok(all)) = all else { panic!("{name} has few states") };
        let symmetries = Symmetries::find(machine, None).map(Arc::new);
        for symmetries in [None, symmetries.as_ref()] {
            let mut prover = Prover::new((machine, &[]), machine.initial(), symmetries, 1 << 22);
            match prover.advance(&Limits::default()).unwrap() {
                Progress::Proved => {
                    assert!(!all.both_choose, "{name}");
                    assert!(prover.values().eq(all.goals.iter().copied()), "{name}");
                    assert_eq!(end_of(machine, &prover), all.goals[0], "{name}");
                }
                progress => assert_eq!((progress, all.both_choose), (Progress::Unsuitable, true), "{name}"),
            }
        }
    }
}

#[test]
fn limits_stop_a_proof_which_can_be_continued() {
    let game = game("connect_four_4x4");
    let machine = &*game.machine;
    let mut prover = Prover::new((machine, &[]), machine.initial(), None, 1 << 22);
    let limits = Limits { nodes: Some(1000), ..Limits::default() };
    assert_eq!(prover.advance(&limits).unwrap(), Progress::Stopped(Stop::Nodes));
    assert!((900..1100).contains(&prover.nodes), "{}", prover.nodes);
    while prover.advance(&Limits { nodes: Some(20_000), ..Limits::default() }).unwrap() != Progress::Proved {}
    assert_eq!(prover.values, [Some(50), Some(50)]);
}
