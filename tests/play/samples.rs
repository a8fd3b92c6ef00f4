//! Sequences of states sampled in lanes are parts of the playouts with the same numbers. Their feature statistics agree with
//! those of scalar playouts, and do not depend on the number of threads.

use std::collections::BTreeMap;

use ggp::feature::*;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Loaded, Machine, State, load};
use ggp::simulate::{
    Budget, Context, End, LaneBlock, Observer, Position as Played, SequenceShape, observe_lane_playout,
    sequences,
};
use ggp::structure::detect;

fn load_game(game: &str) -> Loaded {
    let reading = read(&Source::load(format!("games/{game}.kif")).unwrap());
    load(reading.description.unwrap(), Backend::Network, &Limits::default()).unwrap()
}

fn measured_on(machine: &dyn Machine, features: &[Feature], sample: &Sample) -> Vec<MeasuredFeature> {
    let fluent_index = FluentIndex::new(machine);
    measure_features(&fluent_index, features, &sample.sequences, &role_goals(&sample.sequences), 0).unwrap()
}

#[test]
fn lane_samples_agree_with_scalar_samples() {
    for name in ["tic_tac_toe", "connect_four", "gold_rush", "blocks_world", "three_player_race"] {
        let game = load_game(name);
        let machine = &*game.machine;
        let (fluent_index, context) = (FluentIndex::new(machine), Context::default());
        let budget = Budget { playouts: 3000, ..Budget::default() };
        let structures = detect(machine, &game.statics, &budget, &context).unwrap().0;
        let lanes = sample(machine, &fluent_index, &structures, &budget, &context).unwrap();
        let (structures, ownership) = (&structures, &lanes.ownership);
        let made = features(&Sources { fluent_index: &fluent_index, structures, ownership });
        let single = sample_sequential(machine, &fluent_index, structures, &budget, &context).unwrap();
        assert_eq!((lanes.sequences.len(), single.sequences.len()), (3000, 3000), "{name}");
        let states = |sample: &Sample| sample.sequences.iter().map(|s| s.states.len()).sum::<usize>() as f64;
        let share = states(&lanes) / states(&single);
        assert!((share - 1.0).abs() < 0.05, "{name}: {share} times as many states");
        let n = 3000.0_f64;
        // A game makes some hundred comparisons, so the tolerance is five standard errors.
        let pairs = measured_on(machine, &made.list, &lanes);
        let pairs = pairs.into_iter().zip(measured_on(machine, &made.list, &single));
        for (here, there) in pairs {
            let id = &here.feature.id;
            let error = ((here.variance + there.variance) / n).sqrt();
            let apart = (here.mean - there.mean).abs();
            assert!(apart <= 5.0 * error + 1e-9, "{name}: {id} has mean {} and {}", here.mean, there.mean);
            for (one, other) in here.correlations.iter().zip(&there.correlations) {
                if !one.is_supported() || !other.is_supported() {
                    continue;
                }
                let z = |value: Option<f64>| value.unwrap().clamp(-0.9999, 0.9999).atanh();
                let error = |with: &Correlation| (z(with.high) - z(with.low)) / 2.0 / 1.96;
                let apart = (z(one.correlation) - z(other.correlation)).abs();
                assert!(apart < 5.0 * error(one).hypot(error(other)), "{name}: {id} {one:?} {other:?}");
            }
        }
        for (here, there) in lanes.ownership.added.iter().zip(&single.ownership.added) {
            for (&here, &there) in here.iter().zip(there) {
                let (here, there) = (here as f64, there as f64);
                // Facts of one playout depend on each other, so the tolerance is wide.
                assert!((here - there).abs() <= 0.1 * there + 100.0, "{name}: {here} facts and {there}");
            }
        }
        // A sample does not depend on the number of threads.
        let threads = |threads: usize| {
            let budget = Budget { playouts: 2000, threads, ..Budget::default() };
            sample(machine, &fluent_index, structures, &budget, &context).unwrap()
        };
        let (one, three) = (threads(1), threads(3));
        assert_eq!((&one.sequences, &one.ownership), (&three.sequences, &three.ownership), "{name}");
        let with = |threads: usize| {
            let goals = role_goals(&one.sequences);
            measure_features(&fluent_index, &made.list, &one.sequences, &goals, threads).unwrap()
        };
        assert_eq!(with(1), with(3), "{name}");
    }
}

/// The non-terminal states of a playout, and its goal values if it ended.
#[derive(Default)]
struct Course {
    states: Vec<State>,
    goals: Vec<Option<i32>>,
}

impl Observer for Course {
    fn position(&mut self, position: &Played<'_>) {
        if !position.terminal {
            self.states.push(position.state.clone());
        }
    }

    fn ended(&mut self, last: &Played<'_>, end: End) {
        let single = |goals: &Vec<i32>| goals.first().copied().filter(|_| end == End::Terminal);
        self.goals = last.goals.iter().map(single).collect();
    }

    fn merge(&mut self, later: Self) {
        *self = later;
    }
}

#[test]
fn lane_sequences_are_parts_of_their_playouts() {
    for (name, max_steps) in [("connect_four", 1000), ("connect_four", 12), ("blocks_world", 1000)] {
        let game = load_game(name);
        let machine = &*game.machine;
        let (playouts, context) = (600, Context::default());
        let budget = Budget { playouts, max_steps, ..Budget::default() };
        let shape = SequenceShape::default();
        let (_, found) = sequences(machine, shape, &budget, &context).unwrap();
        assert_eq!(found.len(), playouts as usize, "{name}");
        let block = LaneBlock { first: 0, playouts };
        let (mut starts, mut last) = (BTreeMap::new(), 0);
        for playout in (0..playouts).step_by(7) {
            let make = Course::default;
            let (_, course) = observe_lane_playout(machine, block, playout, &budget, &context, make).unwrap();
            let sequence = &found[playout as usize];
            assert_eq!(sequence.goals, course.goals, "{name}: {playout}");
            let position = |state: &State| course.states.iter().position(|other| other == state).unwrap();
            let positions: Vec<usize> = sequence.states.iter().map(position).collect();
            // Connect Four never repeats a state; in the blocks world a block can be put back.
            if name == "connect_four" {
                assert!(
                    positions.windows(2).all(|pair| (1..=2).contains(&(pair[1] - pair[0]))),
                    "{positions:?}"
                );
                let ended = positions.len() == 5 || positions[positions.len() - 1] + 2 >= course.states.len();
                assert!(ended, "{positions:?} of {}", course.states.len());
            }
            *starts.entry(positions[0] * 4 / course.states.len()).or_insert(0) += 1;
            last = last.max(course.states.len());
        }
        // Sequences start about equally often in each quarter of a playout: some 21 of 86.
        let even = starts.values().all(|&count| (5..=50).contains(&count)) && starts.len() == 4;
        assert!(even || name != "connect_four", "{name}: {starts:?}");
        assert!(last <= max_steps as usize + 1, "{name}: {last}");
    }
}
