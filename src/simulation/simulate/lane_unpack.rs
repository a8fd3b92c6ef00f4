//! Test support: splits a block of lanes into playouts and shows them to an [`Observer`].

use std::collections::BTreeMap;

use crate::gdl::{Source, read};
use crate::ground::Limits;
use crate::machine::{self, Backend, Loaded, Machine, MoveId, State};
use crate::simulate::{End, LaneObserver, LaneStep, Observer, Position};

/// Loads a game from the folder `games`.
pub(crate) fn game(name: &str) -> Loaded {
    let path = format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let description = read(&Source::load(std::path::Path::new(&path)).unwrap()).description.unwrap();
    machine::load(description, Backend::Network, &Limits::default()).unwrap()
}

/// Splits lanes into playouts.
pub(crate) struct LaneUnpack<'m> {
    machine: &'m dyn Machine,
    playouts: BTreeMap<u64, Vec<UnpackedPosition>>,
}

struct UnpackedPosition {
    state: State,
    legal: Vec<Vec<MoveId>>,
    terminal: bool,
    goals: Vec<Vec<i32>>,
}

impl<'m> LaneUnpack<'m> {
    pub(crate) fn new(machine: &'m dyn Machine) -> Self {
        LaneUnpack { machine, playouts: BTreeMap::new() }
    }

    /// Shows the playouts one by one, in the order of their numbers.
    pub(crate) fn show(&self, observer: &mut impl Observer) {
        for (&playout, seen) in &self.playouts {
            let fluents: Vec<_> = seen.iter().map(|seen| self.fluents(&seen.state)).collect();
            let position = |step: usize| {
                let UnpackedPosition { state, legal, terminal, goals } = &seen[step];
                let (step, fluents) = (step as u32, &*fluents[step]);
                Position { playout, step, state, fluents, legal, terminal: *terminal, goals }
            };
            (0..seen.len()).for_each(|step| observer.position(&position(step)));
            let last = position(seen.len() - 1);
            let end = match last.legal.iter().position(Vec::is_empty) {
                _ if last.terminal => End::Terminal,
                Some(role) => End::NoLegalMove { role },
                None => End::Cap,
            };
            observer.ended(&last, end);
        }
    }

    fn fluents(&self, state: &State) -> Vec<machine::FluentId> {
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        fluents
    }
}

impl LaneObserver for LaneUnpack<'_> {
    fn step(&mut self, step: &LaneStep<'_>) {
        let (block, network) = (step.block, self.machine.network().unwrap());
        for lane in step.active.lanes() {
            let terminal = step.terminal.lane(lane);
            let role_moves = |(role, moves): (usize, &Vec<_>)| {
                let legal = |number: &usize| !terminal && block.legal_word(role, *number).lane(lane);
                let moves: &Vec<crate::ground::network::RoleMove> = moves;
                (0..moves.len()).filter(legal).map(|number| MoveId(moves[number].action)).collect()
            };
            let mut condition = 0;
            let mut values = |goals: &Vec<(i32, _)>| {
                let mut held = Vec::new();
                for &(value, _) in goals {
                    if block.goal(condition).lane(lane) {
                        held.push(value);
                    }
                    condition += 1;
                }
                held.dedup();
                held
            };
            let seen = UnpackedPosition {
                state: State(block.state(lane).into()),
                legal: network.moves.iter().enumerate().map(role_moves).collect(),
                terminal,
                goals: network.goals.iter().map(&mut values).collect(),
            };
            let playout = self.playouts.entry(block.playout(lane)).or_default();
            assert_eq!(step.first.lane(lane), playout.is_empty());
            playout.push(seen);
        }
    }

    fn outcome(&mut self, _goals: &[Vec<i32>], _playouts: u64) {}
    fn over(&mut self, _playouts: u64, _states: u64) {}
    fn merge(&mut self, mut later: Self) {
        self.playouts.append(&mut later.playouts);
    }
}
