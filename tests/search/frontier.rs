//! A search has the same results and counts if lanes evaluate the last ply. An expansion stops at its deadline.

use std::sync::atomic::AtomicBool;

use ggp::evaluation::{BuildContext, Kind, Parameters, functions};
use ggp::feature::{FluentIndex, Ownership, Sources, features};
use ggp::gdl::source::Source;
use ggp::machine::lanes::children::LaneExpander;
use ggp::machine::lanes::children_with_replies::ChildrenWithReplies;
use ggp::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use ggp::machine::{ExpansionLimits, Machine, MachineError, State};
use ggp::search::{AlphaBetaOptions, Deepening, Limits, Search, SearchContext, SearchResult};
use ggp::simulate::{Budget, Context};
use ggp::structure::detect;

use crate::sampled::{load_game, load_source, sample_state};

/// The result as text, without the time that it took.
fn without_time(result: &SearchResult) -> String {
    let SearchResult { action, value, proved, depth, nodes, principal_variation, .. } = result;
    format!("{action:?} {value:?} {proved} {depth} {nodes} {principal_variation:?}")
}

/// The results of searches from some states with functions of several kinds.
fn searches(name: &str, machine: &dyn Machine, lanes: bool) -> Vec<String> {
    if lanes {
        // The search uses lanes once they are compiled for given moves.
        LaneExpander::new(machine.program().unwrap()).unwrap();
        assert!(machine.lanes_for_moves().is_some());
    }
    let (playouts, context) = (Budget { playouts: 200, ..Budget::default() }, Context::default());
    let structures = detect(machine, &load_game(name).statics, &playouts, &context).unwrap().0;
    let (fluent_index, ownership) = (FluentIndex::new(machine), Ownership::default());
    let sources = Sources { fluent_index: &fluent_index, structures: &structures, ownership: &ownership };
    let features = features(&sources);
    let material = BuildContext::new(machine, &structures, &features.list, &playouts);
    let made = functions(&material, &Parameters::default()).list;
    let mut all = Vec::new();
    for kind in [Kind::Statistical, Kind::Mobility, Kind::Novelty, Kind::Fuzzy] {
        let Some(function) = made.iter().find(|function| function.kind() == kind) else { continue };
        let roles = machine.description().roles.iter().map(|&role| machine.term_text(role));
        let role = roles.into_iter().position(|role| role == function.role()).unwrap();
        for cutoffs in [true, false] {
            let options = AlphaBetaOptions { cutoffs, table: 1 << 18, ..AlphaBetaOptions::default() };
            let context = SearchContext::alone(machine, role);
            let mut search = Deepening::new(context, function, options).unwrap();
            for from_end in [12, 5] {
                let limits = Limits { nodes: Some(800), ..Limits::default() };
                let result =
                    search.search(&sample_state(machine, 5, from_end), &limits, &mut |_| {}).unwrap();
                all.push(without_time(&result));
            }
        }
    }
    all
}

#[test]
fn lanes_and_single_states_give_the_same_search() {
    for name in
        ["tic_tac_toe", "connect_four", "breakthrough", "nim", "chess", "three_player_race", "gold_rush"]
    {
        let (one, other) = (load_game(name), load_game(name));
        assert_eq!(searches(name, &*one.machine, false), searches(name, &*other.machine, true), "{name}");
    }
}

/// Two roles with forty moves each: 1,600 joint moves, four passes of lanes.
const WIDE: &str = "
    (role a) (role b) (init (at 0)) (num 0)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
    (<= (num ?y) (num ?x) (succ ?x ?y))
    (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
    (<= (legal ?r (pick ?x ?y)) (role ?r) (num ?x) (digit ?y))
    (<= (next (at ?x)) (does a (pick ?x ?y)))
    (<= terminal (true (at 7))) (<= (goal ?r 50) (role ?r))";

#[test]
fn expansion_of_many_children_stops_at_the_deadline() {
    let game = load_source(&Source::from_text("wide", WIDE));
    let mut lanes = LaneFrontier::new(game.machine.program().unwrap(), Vec::new()).unwrap();
    let initial: State = game.machine.initial().clone();
    let (mut valued, mut tried) = (ValuedChildren::default(), ChildrenWithReplies::default());
    let interrupt = AtomicBool::new(true);
    let now = ExpansionLimits { interrupt: Some(&interrupt), ..ExpansionLimits::UNLIMITED };
    let stopped = |done: Result<usize, MachineError>| {
        assert!(matches!(done, Err(MachineError::Stopped { interrupted: true })), "{done:?}");
    };
    stopped(lanes.expand_each(now, &[&initial.0], 64, &mut valued));
    stopped(lanes.expand_tried(now, &[&initial.0], 64, &[], &mut tried));
    assert_eq!((valued.children.len(), tried.children.len()), (512, 512));
    assert_eq!(lanes.expand_each(ExpansionLimits::UNLIMITED, &[&initial.0], 64, &mut valued).unwrap(), 1);
    assert_eq!((valued.children.len(), valued.of(0)), (1_600, 0..1_600));
}
