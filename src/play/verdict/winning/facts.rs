//! The facts of a game: where each is, what it says there, and which facts exclude each other.

use rustc_hash::FxHashMap;

use crate::analysis::Game;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::machine::FluentId;
use crate::structure::finding::{FluentFinding, FluentKind, Structures};
use crate::structure::fluent_relations::FluentRelation;
use crate::structure::presence::Presence;

/// The facts of one fluent relation.
pub(super) struct Family<'s> {
    pub(super) relation: FluentRelation,
    /// What detectors found.
    pub(super) finding: Option<&'s FluentFinding>,
    /// The arguments that name the place of a fact: coordinates, or else the inputs that are not roles.
    pub(super) place: Vec<usize>,
    /// All other arguments.
    pub(super) content: Vec<usize>,
    /// For each argument of `place`, its values in order, if they are ordered.
    pub(super) orders: Vec<Option<&'s [TermId]>>,
    /// For a fluent with one ordered value, the argument with the value and the order.
    pub(super) value: Option<(usize, &'s [TermId])>,
}

/// A fact.
pub(super) struct Fact {
    pub(super) fluent: FluentId,
    /// The index of its family in [`FactTable::families`].
    pub(super) family: usize,
    pub(super) arguments: Vec<TermId>,
    /// The group: facts of the same group exclude each other. None if the fact excludes no other fact.
    pub(super) group: Option<usize>,
}

/// The facts of a game by index.
pub(super) struct FactTable<'s> {
    pub(super) list: Vec<Fact>,
    pub(super) families: Vec<Family<'s>>,
    /// The facts of each group.
    pub(super) groups: Vec<Vec<usize>>,
    /// For each group, whether one of its facts holds in every sampled state.
    pub(super) complete: Vec<bool>,
    by_fluent: FxHashMap<FluentId, usize>,
    by_name: FxHashMap<(Symbol, Vec<TermId>), usize>,
}

impl<'s> Family<'s> {
    fn new(relation: FluentRelation, structures: &'s Structures) -> Family<'s> {
        let finding = structures.fluent(relation);
        let all = 0..relation.arity;
        let Some(found) = finding else {
            let place = all.collect();
            let orders = vec![None; relation.arity];
            return Family { relation, finding, place, content: Vec::new(), orders, value: None };
        };
        let axes = Vec::from_iter(found.axes.iter().map(|axis| axis.argument.index()));
        let place: Vec<usize> = if found.kind.has_cells() && !axes.is_empty() {
            axes
        } else {
            let role = |argument: &usize| found.role_arguments.iter().any(|of| of.index() == *argument);
            let output = |argument: &usize| found.outputs.iter().any(|of| of.index() == *argument);
            all.clone().filter(|argument| !role(argument) && !output(argument)).collect()
        };
        let order = |argument: &usize| {
            let axis = found.axes.iter().find(|axis| axis.argument.index() == *argument)?;
            structures.elements(axis.order?)
        };
        let orders: Vec<Option<&[TermId]>> = place.iter().map(order).collect();
        let content = all.filter(|argument| !place.contains(argument)).collect();
        let quantity = found.quantity.and_then(|of| Some((of.value.index(), structures.elements(of.order)?)));
        let counter = || {
            let of = found.counter?;
            Some((of.argument.index(), &structures.successor(of.by)?.elements[..]))
        };
        let track = || match (&place[..], &orders[..]) {
            (&[argument], &[Some(order)]) => {
                let output = found.outputs.iter().any(|of| of.index() == argument);
                output.then_some((argument, order))
            }
            _ => None,
        };
        let value = quantity.or_else(counter).or_else(track);
        Family { relation, finding, place, content, orders, value }
    }

    /// The kind of the fluent relation.
    pub(super) fn kind(&self) -> FluentKind {
        self.finding.map_or(FluentKind::Other, |found| found.kind)
    }
}

impl<'s> FactTable<'s> {
    /// The facts of these fluents.
    pub(super) fn new(
        game: &Game<'_>,
        structures: &'s Structures,
        fluents: impl Iterator<Item = FluentId>,
    ) -> FactTable<'s> {
        let mut table = FactTable {
            list: Vec::new(),
            families: Vec::new(),
            groups: Vec::new(),
            complete: Vec::new(),
            by_fluent: FxHashMap::default(),
            by_name: FxHashMap::default(),
        };
        let mut group_of: FxHashMap<(usize, Vec<TermId>), usize> = FxHashMap::default();
        for fluent in fluents {
            let (name, arguments) = game.machine.fluent(fluent);
            let relation = FluentRelation { name, arity: arguments.len() };
            let known = table.families.iter().position(|family| family.relation == relation);
            let family = known.unwrap_or_else(|| {
                table.families.push(Family::new(relation, structures));
                table.families.len() - 1
            });
            let mut group = None;
            if let Some(found) = table.families[family].finding
                && !found.outputs.is_empty()
            {
                let key = found.inputs.iter().map(|input| arguments[input.index()]).collect();
                let number = *group_of.entry((family, key)).or_insert_with(|| {
                    let always = found.covered == Some(true)
                        || found.quantity.is_some_and(|of| of.presence == Presence::FromStart);
                    table.groups.push(Vec::new());
                    table.complete.push(always);
                    table.groups.len() - 1
                });
                table.groups[number].push(table.list.len());
                group = Some(number);
            }
            table.by_fluent.insert(fluent, table.list.len());
            table.by_name.insert((name, arguments.clone()), table.list.len());
            table.list.push(Fact { fluent, family, arguments, group });
        }
        table
    }

    /// Checks the groups against `states`, each a list of facts. If a state has two facts of one group, all groups of
    /// that family are dissolved. At the end of a game, for instance, a piece may enter an occupied cell. If a state
    /// has no fact of a group, the group is not complete.
    pub(super) fn check_groups(&mut self, states: impl Iterator<Item = Vec<usize>>) {
        let mut shared = vec![false; self.families.len()];
        let mut count = vec![0_u32; self.groups.len()];
        for held in states {
            count.fill(0);
            for &fact in &held {
                let Some(group) = self.list[fact].group else { continue };
                count[group] += 1;
                shared[self.list[fact].family] |= count[group] > 1;
            }
            self.complete.iter_mut().zip(&count).for_each(|(complete, &count)| *complete &= count > 0);
        }
        let dissolved = self.list.iter_mut().filter(|fact| shared[fact.family]);
        dissolved.for_each(|fact| fact.group = None);
    }

    /// The fact that says that the cell of `fact` is empty: the one whose content is the marker that was seen on most
    /// cells. None if the group is not complete.
    pub(super) fn blank(&self, fact: usize) -> Option<usize> {
        let group = self.list[fact].group.filter(|&group| self.complete[group])?;
        let finding = self.families[self.list[fact].family].finding?;
        let most = finding.markers.iter().max_by_key(|marker| marker.cells)?;
        let is_blank = |of: &usize| self.content(*of) == most.symbol;
        self.groups[group].iter().copied().find(is_blank)
    }

    /// The index of the fact with this fluent.
    pub(super) fn index(&self, fluent: FluentId) -> Option<usize> {
        self.by_fluent.get(&fluent).copied()
    }

    /// The index of a fact by name.
    pub(super) fn named(&self, name: Symbol, arguments: &[TermId]) -> Option<usize> {
        self.by_name.get(&(name, arguments.to_vec())).copied()
    }

    /// The place of a fact.
    pub(super) fn place(&self, fact: usize) -> Vec<TermId> {
        let Fact { family, ref arguments, .. } = self.list[fact];
        self.families[family].place.iter().map(|&argument| arguments[argument]).collect()
    }

    /// The contents of a fact: its arguments that do not name a place.
    pub(super) fn content(&self, fact: usize) -> Vec<TermId> {
        let Fact { family, ref arguments, .. } = self.list[fact];
        self.families[family].content.iter().map(|&argument| arguments[argument]).collect()
    }

    /// The place of a fact as numbers along the axes, if all axes are ordered.
    pub(super) fn coordinates(&self, fact: usize) -> Option<Vec<i32>> {
        let Fact { family, ref arguments, .. } = self.list[fact];
        let Family { place, orders, .. } = &self.families[family];
        let along = |(&argument, order): (&usize, &Option<&[TermId]>)| {
            let found = order.as_ref()?.iter().position(|&term| term == arguments[argument])?;
            i32::try_from(found).ok()
        };
        place.iter().zip(orders).map(along).collect()
    }
}
