//! Promise: lanes yield the same samples as their states processed one by one.

use std::collections::BTreeSet;

use crate::machine::Machine;
use crate::simulate::{Budget, Context, LaneObserver, LaneStep, Observer, observe_lanes};

use super::super::fluent_relations::FluentRelations;
use super::super::fluents::StateScope;
use super::super::samples::Samples;
use super::{LaneSamples, Layout};

#[path = "../../../simulation/simulate/lane_unpack.rs"]
mod lane_unpack;

use lane_unpack::{LaneUnpack, game};

/// Most joint moves of a playout; no more than the steps in which all moves are counted.
const MAX_STEPS: u32 = 25;

/// Two observers of the same blocks.
struct TwoObservers<A, B>(A, B);

impl<A: LaneObserver, B: LaneObserver> LaneObserver for TwoObservers<A, B> {
    fn step(&mut self, step: &LaneStep<'_>) {
        self.0.step(step);
        self.1.step(step);
    }
    fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64) {
        self.0.outcome(goals, playouts);
        self.1.outcome(goals, playouts);
    }
    fn over(&mut self, playouts: u64, states: u64) {
        self.0.over(playouts, states);
        self.1.over(playouts, states);
    }
    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }
}

/// Plays in lanes and returns the observer.
fn observed<O: LaneObserver>(
    machine: &dyn Machine,
    playouts: u64,
    max_steps: u32,
    make: impl Fn() -> O + Sync,
) -> O {
    let budget = Budget { playouts, max_steps, ..Budget::default() };
    observe_lanes(machine, &budget, &Context::default(), make).expect("the game can be played").1
}

/// The samples of the same playouts: in lanes, and one by one.
fn both<'m>(machine: &'m dyn Machine, relations: &'m FluentRelations) -> [Samples<'m>; 2] {
    let network = machine.network().unwrap();
    let layout = Layout::new(network, relations, None);
    let observers = || TwoObservers(LaneSamples::new(&layout), LaneUnpack::new(machine));
    let TwoObservers(seen, unpacked) = observed(machine, 700, MAX_STEPS, observers);
    let mut lanes = Samples::new(machine, relations);
    seen.record_into(&mut lanes);
    let mut states = Samples::new(machine, relations);
    unpacked.show(&mut states);
    let mut merged = Samples::new(machine, relations);
    merged.merge(states);
    [lanes, merged]
}

/// All values that detectors read from the samples of a relation, by fluents.
fn summary(samples: &Samples<'_>, relation: usize) -> String {
    let (table, trajectory) = (&samples.facts[relation], samples.trajectories.of(relation));
    let mut lines = BTreeSet::new();
    let fluent = |index: usize| table.fluent(index).0;
    for index in 0..table.len() {
        let shared: Vec<_> =
            (0..table.hypotheses().len()).map(|hypothesis| table.is_shared(index, hypothesis)).collect();
        lines.insert(format!("fact {} shared {shared:?}", fluent(index)));
    }
    lines.insert(format!("{} {}, {} at first", table.fewest(), table.most(), table.full_at_first(0)));
    lines.insert(format!("{:?} {:?}", table.keys(StateScope::All), table.keys(StateScope::NotTerminal)));
    lines.insert(format!("varies {} constant {:?}", trajectory.varies, table.constant()));
    lines.insert(format!("starts with {:?}", trajectory.start.map(fluent)));
    if table.arity() == 1 && table.fewest() == 1 && table.most() == 1 {
        lines.insert(format!("branches {}", trajectory.branches));
        if !trajectory.branches {
            let steps: BTreeSet<_> = trajectory.steps().map(|(a, b)| (fluent(a), fluent(b))).collect();
            lines.insert(format!("steps {steps:?}"));
        }
    }
    if table.arity() > 0 && table.most() <= 1 {
        for index in 0..table.len() {
            let (choosers, covered) = samples.control.choosers_and_states(relation, index);
            lines.insert(format!("{} chosen under by {choosers:b}, {covered}", fluent(index)));
        }
        for other in (0..samples.facts.len()).filter(|&other| other != relation) {
            if samples.facts[other].most() <= 1 && samples.facts[other].arity() > 0 {
                let (apart, equal) = samples.control.pair(relation, other);
                lines.insert(format!("with {other}: apart {apart} equal {equal}"));
            }
        }
    }
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

#[test]
fn lane_samples_equal_scalar_samples() {
    let games = [
        "tic_tac_toe",
        "bidding_tic_tac_toe",
        "blocks_world",
        "breakthrough",
        "eight_puzzle",
        "gold_rush",
        "king_rook_endgame",
        "nim",
        "nine_mens_morris",
        "rock_paper_scissors",
        "rush_hour",
        "sokoban",
        "three_player_race",
        "two_against_two",
    ];
    for name in games {
        let loaded = game(name);
        let machine = &*loaded.machine;
        let relations = FluentRelations::new(machine.description());
        let [lanes, states] = both(machine, &relations);
        for relation in 0..relations.list.len() {
            assert_eq!(summary(&lanes, relation), summary(&states, relation), "{name}, relation {relation}");
        }
        assert_eq!(lanes.extent, states.extent, "{name}");
        assert_eq!(lanes.control.with_choice, states.control.with_choice, "{name}");
        let (moves, others) = (&lanes.moves, &states.moves);
        assert_eq!((moves.states, moves.simultaneous), (others.states, others.simultaneous), "{name}");
        assert_eq!(moves.waiting.len(), others.waiting.len());
        for (counts, others) in moves.counts.iter().zip(&others.counts) {
            for index in 0..counts.len().max(others.len()) {
                let several = |counts: &[super::super::moves::MoveCount]| {
                    counts.get(index).is_some_and(|count| count.one_of_several)
                };
                assert_eq!(several(counts), several(others), "{name}, move {index}");
            }
        }
        let goals = |samples: &Samples<'_>| {
            let roles = 0..machine.description().roles.len();
            let equal: Vec<bool> = roles.map(|role| samples.goals.equal(0, role)).collect();
            (samples.goals.terminal, equal, samples.goals.constant_sum())
        };
        assert_eq!(goals(&lanes), goals(&states), "{name}");
    }
}

#[test]
fn moves_are_counted_in_the_first_steps() {
    // No playout is longer, and no lane plays two.
    let loaded = game("tic_tac_toe");
    let relations = FluentRelations::new(loaded.machine.description());
    let network = loaded.machine.network().unwrap();
    let layout = Layout::new(network, &relations, None);
    let observers = || TwoObservers(LaneSamples::new(&layout), LaneUnpack::new(&*loaded.machine));
    let TwoObservers(seen, unpacked) = observed(&*loaded.machine, 512, 10, observers);
    let mut lanes = Samples::new(&*loaded.machine, &relations);
    seen.record_into(&mut lanes);
    let mut states = Samples::new(&*loaded.machine, &relations);
    unpacked.show(&mut states);
    let mut merged = Samples::new(&*loaded.machine, &relations);
    merged.merge(states);
    assert_eq!(lanes.moves.waiting, merged.moves.waiting);
    assert_eq!(lanes.moves.counts, merged.moves.counts);
}

#[test]
fn merged_blocks_equal_a_single_block() {
    let loaded = game("nine_mens_morris");
    let machine = &*loaded.machine;
    let relations = FluentRelations::new(machine.description());
    let layout = Layout::new(machine.network().unwrap(), &relations, None);
    let play = |playouts| observed(machine, playouts, MAX_STEPS, || LaneSamples::new(&layout));
    let mut merged = LaneSamples::new(&layout);
    merged.merge(play(600));
    let mut one = Samples::new(machine, &relations);
    play(600).record_into(&mut one);
    let mut all = Samples::new(machine, &relations);
    merged.record_into(&mut all);
    for relation in 0..relations.list.len() {
        assert_eq!(summary(&one, relation), summary(&all, relation));
    }
}
