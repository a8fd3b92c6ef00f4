//! Counts over the states of playouts, which all detectors share. `lanes/` collects them from 512 games at
//! once. If there is no network or it is very large, this file and those that it uses collect them state by
//! state. A new count must be added to both.

use crate::gdl::Description;
use crate::machine::{FluentId, Machine, MoveId};
use crate::simulate::{End, Observer, Position};

use super::control_samples::ControlSamples;
use super::decoder::Decoder;
use super::diff::difference;
use super::evidence::Extent;
use super::fact_changes::FactChanges;
use super::fluent_relations::FluentRelations;
use super::fluents::FactTable;
use super::goals::GoalSamples;
use super::moves::MoveSamples;
use super::trajectory::Trajectories;

/// The samples that detectors read.
pub struct Samples<'m> {
    machine: &'m dyn Machine,
    relations: &'m FluentRelations,
    decoder: Decoder,
    /// For each fluent relation, its facts in the states seen.
    pub facts: Vec<FactTable>,
    /// For each fluent relation, how its only fact changes, and whether it depends on play.
    pub trajectories: Trajectories,
    /// For each fluent relation, whether facts appeared, disappeared and returned.
    pub changes: Vec<FactChanges>,
    /// For each fact, the roles that have a choice while it holds.
    pub control: ControlSamples,
    /// Legal moves.
    pub moves: MoveSamples,
    /// Goal values at the end.
    pub goals: GoalSamples,
    /// The size of the sample.
    pub extent: Extent,
    /// The fluents of the latest state.
    latest: Vec<FluentId>,
    /// For each fluent, the latest state whose changed part contains it, and whether `facts` counts it.
    seen: Vec<(u32, bool)>,
    /// For each fluent, the latest playout in which it disappeared, from 1.
    went: Vec<u32>,
    playout: u32,
    state: u32,
}

impl<'m> Samples<'m> {
    /// Empty samples.
    pub fn new(machine: &'m dyn Machine, relations: &'m FluentRelations) -> Samples<'m> {
        let description: &Description = machine.description();
        let roles = description.roles.len();
        Samples {
            machine,
            relations,
            decoder: Decoder::default(),
            facts: relations.list.iter().map(|relation| FactTable::new(relation.arity)).collect(),
            trajectories: Trajectories::new(relations.list.len()),
            changes: vec![FactChanges::default(); relations.list.len()],
            control: ControlSamples::new(relations.list.len()),
            moves: MoveSamples::new(roles),
            goals: GoalSamples::new(roles, description.random_role()),
            extent: Extent::default(),
            latest: Vec::new(),
            seen: Vec::new(),
            went: Vec::new(),
            playout: 0,
            state: 0,
        }
    }
}

/// A fluent relation, and the hypothesis of its fact table whose projections name the objects on its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The index of the relation.
    pub relation: usize,
    /// The hypothesis.
    pub hypothesis: usize,
}

impl Samples<'_> {
    /// The index of a fluent in the table of its relation; a new fluent is added.
    pub(super) fn place(&mut self, fluent: FluentId) -> Option<usize> {
        let known = self.decoder.decode(fluent, self.machine, self.relations, &mut self.facts);
        known.map(|(_, place)| place)
    }

    /// Adds a reachable state to the fact tables only. Returns how many of its facts name an object that
    /// was never seen on two cells at once.
    pub fn observe_state(&mut self, fluents: &[FluentId], terminal: bool, targets: &[Target]) -> i64 {
        self.follow(fluents, terminal, false);
        self.facts.iter_mut().for_each(|table| table.end(u32::MAX));
        let mut suspects = 0;
        for &fluent in fluents {
            let known = self.decoder.decode(fluent, self.machine, self.relations, &mut self.facts);
            let Some((relation, index)) = known else { continue };
            for target in targets.iter().filter(|target| target.relation == relation) {
                suspects += i64::from(!self.facts[relation].is_shared(index, target.hypothesis));
            }
        }
        suspects
    }

    /// Makes this the current state. Only the changed part is processed: fluents have a fixed order, so
    /// unchanged fluents are mostly at both ends of the lists. `next` says whether it is the next state of
    /// a playout.
    fn follow(&mut self, fluents: &[FluentId], terminal: bool, next: bool) {
        if self.facts.iter().any(FactTable::needs_clear) {
            self.clear();
        }
        self.state += 1;
        self.facts.iter_mut().for_each(|table| table.begin(terminal));
        let (first, old, new) = difference(&self.latest, fluents);
        for fluent in new {
            let index = fluent.0 as usize;
            if self.seen.len() <= index {
                self.seen.resize(index + 1, (0, false));
            }
            self.seen[index].0 = self.state;
        }
        for &fluent in old {
            let (state, counted) = &mut self.seen[fluent.0 as usize];
            if *state == self.state {
                continue;
            }
            *counted = false;
            let known = self.decoder.decode(fluent, self.machine, self.relations, &mut self.facts);
            if let Some((relation, place)) = known {
                self.facts[relation].remove(place);
                self.trajectories.remove(relation, fluent);
                if next {
                    self.changes[relation].went = true;
                    let index = fluent.0 as usize;
                    if self.went.len() <= index {
                        self.went.resize(index + 1, 0);
                    }
                    self.went[index] = self.playout;
                }
            }
        }
        for &fluent in new {
            let (_, counted) = &mut self.seen[fluent.0 as usize];
            if std::mem::replace(counted, true) {
                continue;
            }
            let known = self.decoder.decode(fluent, self.machine, self.relations, &mut self.facts);
            if let Some((relation, place)) = known {
                self.facts[relation].insert(place);
                self.trajectories.insert(relation, fluent);
                if next {
                    let returned = self.went.get(fluent.0 as usize) == Some(&self.playout);
                    self.changes[relation].add(FactChanges { came: true, went: false, returned });
                }
            }
        }
        self.latest.truncate(first);
        self.latest.extend_from_slice(&fluents[first..]);
    }

    /// Resets the current state.
    fn clear(&mut self) {
        self.facts.iter_mut().for_each(FactTable::clear);
        self.trajectories.clear();
        self.latest.clear();
        self.seen.fill((0, false));
    }

    /// Whether some object was never seen on two cells at once.
    pub fn suspects(&self, targets: &[Target]) -> bool {
        targets.iter().any(|target| {
            let table = &self.facts[target.relation];
            (0..table.len()).any(|index| !table.is_shared(index, target.hypothesis))
        })
    }
}

impl Observer for Samples<'_> {
    fn position(&mut self, position: &Position<'_>) {
        self.extent.states += 1;
        let first = position.step == 0;
        self.playout += u32::from(first);
        self.follow(position.fluents, position.terminal, !first);
        self.facts.iter_mut().for_each(|table| table.end(position.step));
        self.trajectories.end(position.step, &self.facts);
        if !position.terminal {
            self.moves.state(position.legal);
            self.control.add_state(position.legal, &self.facts);
        }
    }

    fn moved(&mut self, _before: &Position<'_>, _joint: &[MoveId], _after: &Position<'_>) {}

    fn ended(&mut self, last: &Position<'_>, _end: End) {
        self.extent.playouts += 1;
        if last.terminal {
            self.goals.end(last.goals, 1);
        }
    }

    fn merge(&mut self, later: Self) {
        let Samples { machine, relations, decoder, .. } = self;
        let mut places = Vec::with_capacity(self.facts.len());
        for relation in 0..later.facts.len() {
            let mut known = Vec::with_capacity(later.facts[relation].len());
            for index in 0..later.facts[relation].len() {
                let fluent = later.facts[relation].fluent(index);
                let here = decoder.decode(fluent, *machine, relations, &mut self.facts);
                known.push(here.map_or(0, |(_, index)| index));
            }
            self.facts[relation].merge(&later.facts[relation], &known);
            places.push(known);
        }
        self.clear();
        self.trajectories.merge(later.trajectories, &places);
        self.changes.iter_mut().zip(later.changes).for_each(|(changes, later)| changes.add(later));
        self.control.merge(later.control, &places);
        self.moves.merge(later.moves);
        self.goals.merge(later.goals);
        self.extent.add(later.extent);
    }
}
