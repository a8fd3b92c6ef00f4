//! Counts over the states of playouts, which all detectors share. `lanes/` collects them from 512 games at once; this file
//! and those that it uses collect them state by state if there is no network or it is very large. A new count needs both.

use crate::gdl::Description;
use crate::machine::{FluentId, Machine, MoveId};
use crate::simulate::{End, Observer, Position};

use super::comings::Comings;
use super::control_samples::ControlSamples;
use super::decoder::Decoder;
use super::diff::between;
use super::evidence::Extent;
use super::fluent_relations::FluentRelations;
use super::fluents::FactTable;
use super::goals::GoalSamples;
use super::moves::MoveSamples;
use super::trajectory::Trajectories;

/// What was seen in playouts, by all detectors.
pub struct Samples<'m> {
    machine: &'m dyn Machine,
    relations: &'m FluentRelations,
    decoder: Decoder,
    /// For each fluent relation what the states say about it.
    pub facts: Vec<FactTable>,
    /// How fluents with one fact at a time change, and which fluents depend on play.
    pub trajectories: Trajectories,
    /// For each fluent relation how its facts came and went.
    pub comings: Vec<Comings>,
    /// Who has a choice while a fluent holds.
    pub control: ControlSamples,
    /// Legal moves.
    pub moves: MoveSamples,
    /// Goal values at the end.
    pub goals: GoalSamples,
    /// How much was seen.
    pub extent: Extent,
    /// The fluents of the latest state.
    latest: Vec<FluentId>,
    /// For each fluent the latest state whose changed part has it, and whether it is counted in `facts`.
    seen: Vec<(u32, bool)>,
    /// For each fluent the latest playout in which it went, from 1.
    went: Vec<u32>,
    playout: u32,
    state: u32,
}

impl<'m> Samples<'m> {
    /// Nothing seen yet.
    pub fn new(machine: &'m dyn Machine, relations: &'m FluentRelations) -> Samples<'m> {
        let description: &Description = machine.description();
        let roles = description.roles.len();
        Samples {
            machine,
            relations,
            decoder: Decoder::default(),
            facts: relations.list.iter().map(|relation| FactTable::new(relation.arity)).collect(),
            trajectories: Trajectories::new(relations.list.len()),
            comings: vec![Comings::default(); relations.list.len()],
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

/// A fluent relation, by position, and the hypothesis of its fact table whose projections name what is on its
/// cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The relation.
    pub relation: usize,
    /// The hypothesis.
    pub hypothesis: usize,
}

impl Samples<'_> {
    /// The place of a fluent in the table of its relation; it is added where it is new.
    pub(super) fn place(&mut self, fluent: FluentId) -> Option<usize> {
        let known = self.decoder.decode(fluent, self.machine, self.relations, &mut self.facts);
        known.map(|(_, place)| place)
    }

    /// Shows a reachable state to the fact tables alone, and counts the facts in it of what was never seen on
    /// two cells at once.
    pub fn look(&mut self, fluents: &[FluentId], terminal: bool, targets: &[Target]) -> i64 {
        self.follow(fluents, terminal, false);
        self.facts.iter_mut().for_each(|table| table.end(u32::MAX));
        let mut suspects = 0;
        for &fluent in fluents {
            let known = self.decoder.decode(fluent, self.machine, self.relations, &mut self.facts);
            let Some((relation, place)) = known else { continue };
            for target in targets.iter().filter(|target| target.relation == relation) {
                suspects += i64::from(!self.facts[relation].is_shared(place, target.hypothesis));
            }
        }
        suspects
    }

    /// Makes this the state under way: only what changed is looked at. Fluents come in one order, so that much
    /// of what stays is found at both ends of the lists. `next` says whether it is the next state of a playout.
    fn follow(&mut self, fluents: &[FluentId], terminal: bool, next: bool) {
        if self.facts.iter().any(FactTable::is_spent) {
            self.clear();
        }
        self.state += 1;
        self.facts.iter_mut().for_each(|table| table.begin(terminal));
        let (first, old, new) = between(&self.latest, fluents);
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
                    self.comings[relation].went = true;
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
                self.facts[relation].fact(place);
                self.trajectories.fact(relation, fluent);
                if next {
                    let returned = self.went.get(fluent.0 as usize) == Some(&self.playout);
                    self.comings[relation].add(Comings { came: true, went: false, returned });
                }
            }
        }
        self.latest.truncate(first);
        self.latest.extend_from_slice(&fluents[first..]);
    }

    /// Forgets the state under way.
    fn clear(&mut self) {
        self.facts.iter_mut().for_each(FactTable::clear);
        self.trajectories.clear();
        self.latest.clear();
        self.seen.fill((0, false));
    }

    /// Whether anything is left that was never seen on two cells at once.
    pub fn suspects(&self, targets: &[Target]) -> bool {
        targets.iter().any(|target| {
            let table = &self.facts[target.relation];
            (0..table.len()).any(|place| !table.is_shared(place, target.hypothesis))
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
            self.control.state(position.legal, &self.facts);
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
            for place in 0..later.facts[relation].len() {
                let fluent = later.facts[relation].fluent(place);
                let here = decoder.decode(fluent, *machine, relations, &mut self.facts);
                known.push(here.map_or(0, |(_, place)| place));
            }
            self.facts[relation].merge(&later.facts[relation], &known);
            places.push(known);
        }
        self.clear();
        self.trajectories.merge(later.trajectories, &places);
        self.comings.iter_mut().zip(later.comings).for_each(|(comings, later)| comings.add(later));
        self.control.merge(later.control, &places);
        self.moves.merge(later.moves);
        self.goals.merge(later.goals);
        self.extent.add(later.extent);
    }
}
