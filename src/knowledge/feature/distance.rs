//! Manhattan distances of pieces.

use rustc_hash::FxHashMap;

use crate::machine::FluentId;

use super::error::FeatureError;
use super::facts::Facts;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, ValuedState};
use super::pattern::Pattern;
use super::spec::{Coordinate, argument_of, index_of};

/// The pattern of a piece, its relation, and the argument (from 0) of each coordinate.
struct Piece {
    pattern: Pattern,
    relation: usize,
    places: Vec<usize>,
}

/// The sum of the Manhattan distances of all pairs of pieces.
pub(super) struct Distances<'m> {
    fluent_index: FluentIndex<'m>,
    pieces: Vec<Piece>,
    orders: Vec<indexmap::IndexMap<String, usize, rustc_hash::FxBuildHasher>>,
    /// The distance of a pair if one of its pieces is gone.
    absent: f64,
    /// On a network: for each piece the words and masks of its fluents.
    masks: Option<Vec<Vec<(u32, u64)>>>,
    /// For each decoded fluent, the pieces that it places, each with the index in `coordinates` of its first
    /// coordinate.
    placements: FxHashMap<FluentId, Vec<(u32, u32)>>,
    coordinates: Vec<u32>,
    /// For each piece the index in `coordinates` of its place in the current state; none if it is gone.
    located: Vec<Option<u32>>,
}

impl<'m> Distances<'m> {
    pub(super) fn new(
        pieces: &[String],
        axes: &[Coordinate],
        absent: f64,
        fluent_index: &FluentIndex<'m>,
    ) -> Result<Distances<'m>, FeatureError> {
        let orders = axes.iter().map(|axis| index_of(&axis.order)).collect::<Result<_, _>>()?;
        let piece = |text: &String| {
            let pattern = Pattern::parse(text)?;
            let places =
                axes.iter().map(|axis| argument_of(&pattern, axis.argument)).collect::<Result<_, _>>()?;
            Ok(Piece { relation: fluent_index.relation(&pattern)?, pattern, places })
        };
        let mut distances = Distances {
            fluent_index: fluent_index.clone(),
            pieces: pieces.iter().map(piece).collect::<Result<_, FeatureError>>()?,
            orders,
            absent,
            masks: None,
            placements: FxHashMap::default(),
            coordinates: Vec::new(),
            located: vec![None; pieces.len()],
        };
        if fluent_index.is_complete() {
            let mut masks = Vec::new();
            for piece in &distances.pieces {
                let mut fluents: Vec<FluentId> =
                    fluent_index.matching(&piece.pattern)?.into_iter().map(|(fluent, _)| fluent).collect();
                fluents.sort_unstable();
                let mut words: Vec<(u32, u64)> = Vec::new();
                for fluent in fluents {
                    let (word, bit) = (fluent.0 / 64, 1 << (fluent.0 % 64));
                    match words.last_mut() {
                        Some((last, mask)) if *last == word => *mask |= bit,
                        _ => words.push((word, bit)),
                    }
                }
                masks.push(words);
            }
            distances.masks = Some(masks);
        }
        Ok(distances)
    }

    /// The pieces that a fluent places, each with the index of its coordinates.
    fn pieces_of(&mut self, fluent: FluentId) -> &[(u32, u32)] {
        if !self.placements.contains_key(&fluent) {
            let mut placed = Vec::new();
            if let Some(decoded) = self.fluent_index.decode(fluent).cloned() {
                let arguments = self.fluent_index.arguments(&decoded);
                for (number, piece) in self.pieces.iter().enumerate() {
                    if piece.relation != decoded.relation || !piece.pattern.matches(&arguments) {
                        continue;
                    }
                    let at = piece.places.iter().zip(&self.orders);
                    let at: Option<Vec<u32>> =
                        at.map(|(&index, order)| order.get(arguments[index]).map(|&at| at as u32)).collect();
                    if let Some(at) = at {
                        placed.push((number as u32, self.coordinates.len() as u32));
                        self.coordinates.extend(at);
                    }
                }
            }
            self.placements.insert(fluent, placed);
        }
        &self.placements[&fluent]
    }

    /// Locates the pieces in a state. If a piece has several facts, the first one counts.
    fn locate(&mut self, facts: &Facts) {
        self.located.fill(None);
        match self.masks.take() {
            Some(masks) => {
                for (piece, words) in masks.iter().enumerate() {
                    let held = |&&(word, mask): &&(u32, u64)| facts.words()[word as usize] & mask != 0;
                    let Some(&(word, mask)) = words.iter().find(held) else { continue };
                    let fluent = FluentId(word * 64 + (facts.words()[word as usize] & mask).trailing_zeros());
                    let at = self.pieces_of(fluent).iter().find(|(number, _)| *number as usize == piece);
                    self.located[piece] = at.map(|&(_, at)| at);
                }
                self.masks = Some(masks);
            }
            None => {
                let mut found = std::mem::take(&mut self.located);
                facts.for_each(|fluent| {
                    for &(number, at) in self.pieces_of(fluent) {
                        found[number as usize].get_or_insert(at);
                    }
                });
                self.located = found;
            }
        }
    }
}

impl<'m> Measure<'m> for Distances<'m> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        self.locate(position.facts);
        let axes = self.orders.len();
        let mut absent = 0_u32;
        let mut sum = 0_u64;
        for (index, one) in self.located.iter().enumerate() {
            for other in &self.located[index + 1..] {
                let (Some(one), Some(other)) = (one, other) else {
                    absent += 1;
                    continue;
                };
                let from = |at: &u32| &self.coordinates[*at as usize..*at as usize + axes];
                let steps = from(one).iter().zip(from(other)).map(|(&a, &b)| u64::from(a.abs_diff(b)));
                sum += steps.sum::<u64>();
            }
        }
        sum as f64 + self.absent * f64::from(absent)
    }

    fn facts_suffice(&self) -> bool {
        true
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let words = self.masks.as_ref()?.iter().flatten();
        let of = |&(word, mask): &(u32, u64)| {
            (0..64).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| FluentId(word * 64 + bit))
        };
        Some(words.flat_map(of).collect())
    }
}
