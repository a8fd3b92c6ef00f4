//! Promise: whether the last ply is valued in lanes or state by state changes nothing of what a search finds or counts.

use ggp::evaluation::{BuildContext, Kind, Parameters, functions};
use ggp::feature::{FluentIndex, Ownership, Sources, features};
use ggp::machine::Machine;
use ggp::machine::lanes::children::LaneExpander;
use ggp::search::{AlphaBetaOptions, Deepening, Limits, Method, Search, SearchContext, SearchResult};
use ggp::simulate::{Budget, Context};
use ggp::structure::detect;

use crate::sampled::{loaded, sampled};

/// What is not the clock's.
fn told(result: &SearchResult) -> String {
    let SearchResult { action, value, proved, depth, nodes, principal_variation, .. } = result;
    format!("{action:?} {value:?} {proved} {depth} {nodes} {principal_variation:?}")
}

/// Searches from some states by functions of several kinds.
fn searches(name: &str, machine: &dyn Machine, lanes: bool) -> Vec<String> {
    if lanes {
        // As soon as they are compiled for given moves they are used.
        LaneExpander::new(machine.program().unwrap()).unwrap();
        assert!(machine.lanes_for_moves().is_some());
    }
    let (playouts, context) = (Budget { playouts: 200, ..Budget::default() }, Context::default());
    let structures = detect(machine, &loaded(name).statics, &playouts, &context).unwrap().0;
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
        for (method, cutoffs) in [(Method::Aspiration, true), (Method::Mtdf, true), (Method::Full, false)] {
            let options = AlphaBetaOptions { cutoffs, table: 1 << 18, ..AlphaBetaOptions::default() };
            let context = SearchContext::alone(machine, role);
            let mut search = Deepening::new(context, function, method, options).unwrap();
            for from_end in [12, 5] {
                let limits = Limits { nodes: Some(1_500), ..Limits::default() };
                let result = search.search(&sampled(machine, 5, from_end), &limits, &mut |_| {}).unwrap();
                all.push(told(&result));
            }
        }
    }
    all
}

#[test]
fn lanes_change_nothing() {
    for name in
        ["tic_tac_toe", "connect_four", "breakthrough", "nim", "chess", "three_player_race", "gold_rush"]
    {
        let (one, other) = (loaded(name), loaded(name));
        assert_eq!(searches(name, &*one.machine, false), searches(name, &*other.machine, true), "{name}");
    }
}
