//! Boards whose cells are all occupied in the last states of games.

use std::collections::BTreeMap;

use crate::analysis::Game;
use crate::machine::State;
use crate::simulate::WorkLimit;
use crate::structure::finding::{FluentFinding, Structures};

use super::super::board_facts::BoardFacts;
use super::super::move_kinds::{EmptyObjects, Owners, TransitionReader};
use super::super::played_game::PlayedGame;

/// A board with fewer cells does not become full.
const FEWEST_CELLS: usize = 4;

/// The most facts that are read to infer which objects mark empty cells.
const MAX_FACTS: u64 = 200_000;

/// The least number of occupied cells of a board in the last states for a rule, and the largest number in states before.
#[derive(Clone, Copy, Debug)]
struct Occupied {
    least: usize,
    before: usize,
}

/// The number of occupied cells of each board.
pub(super) struct FullBoards<'a> {
    facts: BoardFacts<'a>,
    empty: EmptyObjects,
    /// For each rule of `terminal`, the occupied cells of each board.
    by_rule: BTreeMap<usize, Vec<Occupied>>,
}

impl<'a> FullBoards<'a> {
    /// Reads some games, to infer which objects mark empty cells.
    pub(super) fn new(
        game: &Game<'a>,
        structures: &'a Structures,
        games: &[PlayedGame],
        limit: &WorkLimit<'_>,
    ) -> FullBoards<'a> {
        let mut reader = TransitionReader::new(game, structures);
        let transitions = reader.read(games, &limit.part(Some(MAX_FACTS)));
        let owners = Owners::new(game.machine.description(), &reader.boards, &transitions);
        let empty = EmptyObjects::new(&reader.boards, &transitions, &owners);
        FullBoards { facts: reader.boards, empty, by_rule: BTreeMap::default() }
    }

    /// Number of occupied cells of each board.
    pub(super) fn occupied(&mut self, state: &State) -> Vec<usize> {
        let mut counts = vec![0; self.facts.boards.len()];
        for fact in self.facts.facts(state) {
            counts[fact.board] += usize::from(!self.empty.contains(fact));
        }
        counts
    }

    /// Notes a last state in which a rule of `terminal` holds.
    pub(super) fn note(&mut self, rule: usize, occupied: &[usize]) {
        let all = occupied.iter().map(|&least| Occupied { least, before: 0 });
        let known = self.by_rule.entry(rule).or_insert_with(|| all.collect());
        for (known, &now) in known.iter_mut().zip(occupied) {
            known.least = known.least.min(now);
        }
    }

    /// Reads the states before the last ones, in which no board may be full.
    pub(super) fn read_inner_states<'g>(
        &mut self,
        games: impl Iterator<Item = &'g PlayedGame>,
        limit: &WorkLimit<'_>,
    ) {
        let may_be_full = |known: &Vec<Occupied>| {
            let boards = known.iter().enumerate();
            boards
                .into_iter()
                .any(|(board, occupied)| occupied.least >= self.facts.cells_of(board).max(FEWEST_CELLS))
        };
        if !self.by_rule.values().any(may_be_full) {
            return self.by_rule.clear();
        }
        let mut most = vec![0; self.facts.boards.len()];
        for played in games {
            for state in played.states.iter().rev().skip(1) {
                let occupied = self.occupied(state);
                most.iter_mut().zip(occupied).for_each(|(most, now)| *most = now.max(*most));
            }
            if limit.check().is_err() {
                return self.by_rule.clear();
            }
        }
        for known in self.by_rule.values_mut() {
            known.iter_mut().zip(&most).for_each(|(known, &before)| known.before = before);
        }
    }

    /// The boards that are full in all last states in which a rule holds, and in no state before.
    pub(super) fn full(&self, rule: usize) -> Vec<&'a FluentFinding> {
        let Some(known) = self.by_rule.get(&rule) else { return Vec::new() };
        let is_full = |(board, occupied): &(usize, &Occupied)| {
            let cells = self.facts.cells_of(*board);
            cells >= FEWEST_CELLS && occupied.least == cells && occupied.before < cells
        };
        let full = known.iter().enumerate().filter(is_full);
        full.map(|(board, _)| self.facts.boards[board]).collect()
    }
}
