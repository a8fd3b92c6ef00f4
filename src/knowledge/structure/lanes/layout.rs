//! Maps the words of a block to fluent relations, and groups facts that share a projection.

use crate::ground::Network;
use crate::machine::{CompressedRows, FluentId};

use super::super::fluent_relations::FluentRelations;
use super::super::fluents::{FactTable, Mask};

/// The fluents of a network by relation.
#[derive(Debug)]
pub(in super::super) struct Layout<'n> {
    pub(super) network: &'n Network,
    /// The role of chance.
    pub(super) chance: Option<usize>,
    /// For each fluent relation, its facts.
    pub(super) relations: Vec<RelationLayout>,
}

/// The facts of one fluent relation in the network.
#[derive(Debug)]
pub(super) struct RelationLayout {
    /// Number of arguments.
    pub(super) arity: usize,
    /// For each fact that changes, its fluent and its bit in a state.
    pub(super) facts: Vec<(FluentId, u32)>,
    /// Facts that hold in every reachable state.
    pub(super) constant: Vec<FluentId>,
    /// For each fact that changes, whether it holds initially.
    pub(super) initial: Vec<bool>,
    /// Facts that share a projection.
    pub(super) groups: Groups,
}

/// Groups of facts that share a projection under a hypothesis, for all groups of two or more.
///
/// A group's parents are the groups that contain it under the hypotheses with one argument less. While a
/// parent has no two facts in one state, the group has none. So a group is tested only after all its
/// parents had two.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// For each group, the last of its facts, as in [`RelationLayout::fluents`], and the hypothesis.
    pub(super) names: Vec<(u32, u32)>,
    /// For each group, the bits of its facts.
    bits: CompressedRows<u32>,
    /// For each group, the number of its facts that hold in every state.
    pub(super) constants: Vec<u32>,
    /// For each group, the number of its parents, without the set of all facts.
    pub(super) parents: Vec<u32>,
    /// For each group, its children.
    children: CompressedRows<u32>,
}

impl<'n> Layout<'n> {
    /// The layout of a network with these fluent relations; `chance` is the role of chance, if there is
    /// one.
    pub(in super::super) fn new(
        network: &'n Network,
        relations: &FluentRelations,
        chance: Option<usize>,
    ) -> Layout<'n> {
        let relation = |relation: &super::super::fluent_relations::FluentRelation| RelationLayout {
            arity: relation.arity,
            facts: Vec::new(),
            constant: Vec::new(),
            initial: Vec::new(),
            groups: Groups::default(),
        };
        let mut layout = Layout { network, chance, relations: relations.list.iter().map(relation).collect() };
        for (number, fluent) in network.fluents.iter().enumerate() {
            let known = relations.position(fluent.functor, fluent.arguments.len());
            let Some(relation) = known.map(|position| &mut layout.relations[position]) else { continue };
            let id = FluentId(number as u32);
            match fluent.bit {
                None => relation.constant.push(id),
                Some(bit) => {
                    relation.facts.push((id, bit));
                    relation.initial.push(network.initial[bit as usize]);
                }
            }
        }
        for relation in &mut layout.relations {
            relation.groups = Groups::new(relation, network);
        }
        layout
    }
}

impl RelationLayout {
    /// The fluents of all facts: facts that change, then constant facts.
    pub(super) fn fluents(&self) -> impl Iterator<Item = FluentId> {
        self.facts.iter().map(|&(fluent, _)| fluent).chain(self.constant.iter().copied())
    }
}

impl Groups {
    fn new(relation: &RelationLayout, network: &Network) -> Groups {
        let mut table = FactTable::new(relation.arity);
        let hypotheses = table.hypotheses().len();
        if hypotheses == 0 {
            return Groups::default();
        }
        for fluent in relation.fluents() {
            table.add(fluent, &network.fluents[fluent.0 as usize].arguments);
        }
        // The number of facts of each projection.
        let mut sizes = vec![0_u32; table.projections()];
        let pairs =
            || (0..table.len()).flat_map(|index| (0..hypotheses).map(move |hypothesis| (index, hypothesis)));
        pairs().for_each(|(index, hypothesis)| sizes[table.projection(index, hypothesis)] += 1);
        let mut group_of = vec![u32::MAX; sizes.len()];
        let mut groups = Groups::default();
        for (index, hypothesis) in pairs() {
            let projection = table.projection(index, hypothesis);
            if sizes[projection] > 1 && group_of[projection] == u32::MAX {
                group_of[projection] = groups.names.len() as u32;
                groups.names.push((index as u32, hypothesis as u32));
            } else if sizes[projection] > 1 {
                groups.names[group_of[projection] as usize].0 = index as u32;
            }
        }
        let count = groups.names.len();
        groups.constants = vec![0; count];
        let mut members = vec![Vec::new(); count];
        for (index, hypothesis) in pairs() {
            let group = group_of[table.projection(index, hypothesis)];
            match (group, relation.facts.get(index)) {
                (u32::MAX, _) => {}
                (group, Some(&(_, bit))) => members[group as usize].push(bit),
                (group, None) => groups.constants[group as usize] += 1,
            }
        }
        members.into_iter().for_each(|bits| groups.bits.push(bits));

        let mut children = vec![Vec::new(); count];
        groups.parents = vec![0; count];
        for (group, &(index, hypothesis)) in groups.names.iter().enumerate() {
            let mask: Mask = table.hypotheses()[hypothesis as usize];
            let fewer = super::super::fluents::positions(mask).map(|position| mask & !(1 << position));
            for parent in fewer.filter_map(|mask| table.hypothesis(mask)) {
                let parent = group_of[table.projection(index as usize, parent)];
                children[parent as usize].push(group as u32);
                groups.parents[group] += 1;
            }
        }
        children.into_iter().for_each(|of| groups.children.push(of));
        groups
    }

    /// The bits of a group's facts.
    #[inline(always)]
    pub(super) fn bits(&self, group: usize) -> &[u32] {
        self.bits.row(group)
    }

    /// The children of a group.
    pub(super) fn children(&self, group: usize) -> &[u32] {
        self.children.row(group)
    }
}
