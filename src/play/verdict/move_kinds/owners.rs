//! The roles to which objects on boards belong.

use rustc_hash::FxHashMap;

use crate::gdl::Description;
use crate::gdl::term::TermId;

use super::super::board_facts::BoardFacts;
use super::transition::Transition;

/// The roles to which objects belong: the role that an object names, else the only role whose moves put it on a cell.
#[derive(Clone, Debug, Default)]
pub(in crate::verdict) struct Owners {
    /// The role of an object; none if several roles put it on cells.
    roles: FxHashMap<usize, Option<usize>>,
    /// The role that an object names.
    named: FxHashMap<usize, usize>,
    /// Whether there is only one role with moves.
    single: bool,
}

impl Owners {
    /// The owners of objects by the transitions in which one role moves.
    pub(in crate::verdict) fn new(
        description: &Description,
        boards: &BoardFacts<'_>,
        transitions: &[Transition],
    ) -> Owners {
        let mut roles: FxHashMap<usize, Option<usize>> = FxHashMap::default();
        for transition in transitions {
            let Some(mover) = transition.mover() else { continue };
            for new in transition.cells.iter().filter_map(|change| change.new) {
                let known = roles.entry(new).or_insert(Some(mover));
                if *known != Some(mover) {
                    *known = None;
                }
            }
        }
        let mut named = FxHashMap::default();
        for object in 0..boards.objects() {
            let is_named = |role: &TermId| boards.symbols(object).contains(role);
            if let Some(role) = description.roles.iter().position(is_named) {
                roles.insert(object, Some(role));
                named.insert(object, role);
            }
        }
        Owners { roles, named, single: description.players().count() < 2 }
    }

    /// The role to which an object belongs.
    pub(in crate::verdict) fn owner(&self, object: usize) -> Option<usize> {
        self.roles.get(&object).copied().flatten()
    }

    /// The role that an object names.
    pub(in crate::verdict) fn named(&self, object: usize) -> Option<usize> {
        self.named.get(&object).copied()
    }

    /// Whether the object belongs to another role than the mover. With a single role, every object is like one of an
    /// opponent: a move that removes it takes it.
    pub(in crate::verdict) fn is_other(&self, object: usize, mover: Option<usize>) -> bool {
        self.single || self.owner(object).is_some_and(|owner| Some(owner) != mover)
    }
}
