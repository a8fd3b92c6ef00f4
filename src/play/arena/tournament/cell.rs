//! The results of two players in one game, round by round, and whether they suffice.
//!
//! Rounds count in their order, whichever was played first, so that a decision does not depend on the number of threads.
//! Matches of later rounds that were played before the decision do not count.

use std::collections::BTreeMap;

use crate::statistics::{Sequential, SprtVerdict};

use super::plan::Plan;
use super::played::PlayedMatch;
use super::schedule::{Fixture, Place, Schedule};

/// A pairing in a game.
struct Cell {
    test: Option<Sequential>,
    /// The likelihood ratios of the test after each round.
    course: Vec<[f64; 2]>,
    /// Matches of a round.
    size: usize,
    /// The first incomplete round, and the scores known from there on.
    next: u32,
    known: BTreeMap<u32, Vec<Option<f64>>>,
    /// The round that decided the test.
    decided: Option<u32>,
}

/// All pairings in all games.
pub(super) struct Cells {
    pairings: usize,
    cells: Vec<Cell>,
}

impl Cells {
    pub(super) fn new(plan: &Plan, schedule: &Schedule<'_>) -> Cells {
        let cell = |game, pairing| Cell {
            test: plan.sprt.map(Sequential::new),
            course: Vec::new(),
            size: schedule.assignments(game, pairing),
            next: 0,
            known: BTreeMap::new(),
            decided: None,
        };
        let pairings = plan.pairings.len();
        let of_game = |game| (0..pairings).map(move |pairing| cell(game, pairing));
        let cells = (0..plan.games.len()).flat_map(of_game).collect();
        Cells { pairings, cells }
    }

    /// Adds a match.
    pub(super) fn add(&mut self, plan: &Plan, fixture: &Fixture, played: &PlayedMatch) {
        let Some(pairing) = fixture.place.pairing else { return };
        let score = played.score(fixture, plan.pairings[pairing][0]);
        let cell = &mut self.cells[fixture.place.game * self.pairings + pairing];
        let Some(test) = &mut cell.test else { return };
        cell.known.entry(fixture.place.round).or_default().push(score);
        while let Some(round) = cell.known.get(&cell.next).filter(|round| round.len() == cell.size) {
            let mut scores: Vec<f64> = round.iter().copied().flatten().collect();
            // The sum must not depend on the order in which matches were played.
            scores.sort_by(f64::total_cmp);
            if !scores.is_empty() && cell.decided.is_none() {
                test.add(scores.iter().sum::<f64>() / scores.len() as f64);
                cell.course.push(test.ratios);
                if test.verdict() != SprtVerdict::Open {
                    cell.decided = Some(cell.next);
                }
            }
            cell.known.remove(&cell.next);
            cell.next += 1;
        }
    }

    /// Whether a match counts: not if a round before it decided the test.
    pub(super) fn counts(&self, place: &Place) -> bool {
        let Some(pairing) = place.pairing else { return true };
        let decided = self.cells[place.game * self.pairings + pairing].decided;
        decided.is_none_or(|round| place.round <= round)
    }

    pub(super) fn test(&self, game: usize, pairing: usize) -> Option<&Sequential> {
        self.cells[game * self.pairings + pairing].test.as_ref()
    }

    /// The likelihood ratios of the test, round by round.
    pub(super) fn course(&self, game: usize, pairing: usize) -> &[[f64; 2]] {
        &self.cells[game * self.pairings + pairing].course
    }
}
