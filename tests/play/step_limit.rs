//! A game whose rules count steps is played to its end at any length, unless the user sets a limit.

use std::fmt::Write as _;

use crate::sampled::{load_game, load_source};
use ggp::analysis::Plan;
use ggp::gdl::Source;
use ggp::machine::Loaded;
use ggp::search::{Limits, Search, SearchContext, Uct, UctOptions};
use ggp::simulate::{Budget, Context, Statistics, StepLimit, StepLimitReason, observe_lanes, simulate};

/// One role turns a switch or leaves it, for `steps` steps. It wins if the switch is on at the end.
fn switch(steps: u32) -> Loaded {
    let mut rules = String::from(
        "(role one) (init (off)) (init (step 0))
         (legal one turn) (legal one leave)
         (<= (next (on)) (does one turn) (true (off)))
         (<= (next (on)) (does one leave) (true (on)))
         (<= (next (off)) (does one turn) (true (on)))
         (<= (next (off)) (does one leave) (true (off)))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (goal one 100) (true (on)))
         (<= (goal one 0) (true (off)))\n",
    );
    writeln!(rules, "(<= terminal (true (step {steps})))").unwrap();
    for step in 0..steps {
        writeln!(rules, "(succ {step} {})", step + 1).unwrap();
    }
    load_source(&Source::from_text("switch", rules))
}

/// Random play by a plan, one by one and in lanes.
fn played(game: &Loaded, max_steps: Option<u32>) -> [Statistics; 2] {
    let machine = &*game.machine;
    let plan = Plan { playouts: Some(40), max_steps, ..Plan::default() };
    let budget: Budget = plan.random_play(machine, false);
    let one_by_one = simulate(machine, &budget, &Context::default()).unwrap();
    let budget = plan.random_play(machine, true);
    [one_by_one, observe_lanes(machine, &budget, &Context::default(), || ()).unwrap().0]
}

#[test]
fn long_games_are_played_to_their_end() {
    let game = switch(1500);
    for seen in played(&game, None) {
        assert_eq!((seen.max_steps, seen.max_steps_because), (1500, StepLimitReason::LongestPlay));
        assert_eq!((seen.cut_off.count, seen.terminal.count), (0, seen.playouts));
        assert_eq!(seen.length.map(|length| (length.min, length.max)), Some((1500, 1500)));
        assert!(seen.warnings.is_empty());
    }
    for seen in played(&game, Some(1000)) {
        assert_eq!((seen.max_steps, seen.max_steps_because), (1000, StepLimitReason::Named));
        assert_eq!((seen.cut_off.count, seen.terminal.count), (seen.playouts, 0));
    }
}

#[test]
fn a_limit_equal_to_the_longest_game_truncates_nothing() {
    for name in ["eight_puzzle", "king_rook_endgame"] {
        let game = load_game(name);
        let steps = StepLimit::of(&*game.machine, None);
        assert_eq!(steps.because, StepLimitReason::LongestPlay, "{name}");
        let (known, far) = (played(&game, None), played(&game, Some(1000)));
        for (known, far) in known.into_iter().zip(far) {
            assert_eq!((known.cut_off.count, far.cut_off.count), (0, 0), "{name}");
            assert_eq!((known.states, &known.roles, &known.length), (far.states, &far.roles, &far.length));
        }
    }
}

#[test]
fn games_without_a_counter_have_the_default_limit() {
    let game = load_game("connect_four");
    assert_eq!(StepLimit::of(&*game.machine, None), StepLimit::DEFAULT);
}

#[test]
fn uct_playouts_reach_the_end() {
    let game = switch(1200);
    let machine = &*game.machine;
    let mut search = Uct::plain(SearchContext::alone(machine, 0), UctOptions::default());
    let limits = Limits { nodes: Some(60_000), ..Limits::default() };
    let found = search.search(machine.initial(), &limits, &mut |_| {}).unwrap();
    // A playout that is cut off counts as 50.
    assert_ne!(found.value, Some(50.0));
}
