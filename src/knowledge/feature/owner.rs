//! Owners of objects: roles, or teams whose members share their objects.

use rustc_hash::FxHashMap;

use crate::structure::finding::{FluentFinding, LocatedObject};

use super::ownership::LocatedObjects;
use super::pattern::{Argument, Pattern};
use super::sources::Sources;

/// The owner of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A role, by number.
    Role(usize),
    /// Several roles of a team, by the number of the team.
    Team(usize),
}

/// The objects of a game with their owners.
pub(super) struct Owners<'s, 'a> {
    sources: &'s Sources<'a>,
    objects: LocatedObjects<'a>,
    owners: Vec<Option<Owner>>,
    /// The numbers of objects by their patterns.
    places: FxHashMap<Pattern, usize>,
}

impl<'s, 'a> Owners<'s, 'a> {
    /// Assigns objects on boards and places to owners: to the role whose steps add the object's facts, otherwise to
    /// such a team, otherwise to the role that its symbol names.
    pub(super) fn new(sources: &'s Sources<'a>) -> Owners<'s, 'a> {
        let objects = LocatedObjects::new(sources.fluent_index, sources.structures);
        let (roles, random) = (sources.roles(), sources.machine().description().random_role());
        let owner = |object: usize| {
            // Facts that `random` adds don't make it an owner.
            let player = |role: &usize| random != Some(*role);
            let named = || named(sources, objects.pattern(object), &roles).filter(player).map(Owner::Role);
            let by_play = sources.ownership.owner(object).filter(player).map(Owner::Role);
            let team = || sources.ownership.team(object, &sources.structures.teams).map(Owner::Team);
            by_play.or_else(named).or_else(team)
        };
        let owners = (0..objects.len()).map(owner).collect();
        let places = (0..objects.len()).map(|index| (objects.pattern(index).clone(), index)).collect();
        Owners { sources, objects, owners, places }
    }

    /// All objects, by number.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, Option<Owner>)> {
        self.owners.iter().copied().enumerate()
    }

    /// The pattern of an object's facts.
    pub(super) fn pattern(&self, object: usize) -> &Pattern {
        self.objects.pattern(object)
    }

    /// The patterns of the objects that roles own, each with the number of the role.
    pub(super) fn by_pattern(&self) -> Vec<(Pattern, usize)> {
        let owned = |(object, owner): (usize, Option<Owner>)| match owner {
            Some(Owner::Role(role)) => Some((self.objects.pattern(object).clone(), role)),
            _ => None,
        };
        self.all().filter_map(owned).collect()
    }

    /// The role that owns an object on a board.
    pub(super) fn role(&self, board: &FluentFinding, object: &LocatedObject) -> Option<usize> {
        let pattern = self.sources.fluent_index.pattern_of(board, object);
        match self.owners[*self.places.get(&pattern)?] {
            Some(Owner::Role(role)) => Some(role),
            _ => None,
        }
    }
}

/// The role that a symbol names. An argument that also holds names that are not roles, or a name that several roles
/// share, names none.
fn named(sources: &Sources<'_>, pattern: &Pattern, roles: &[String]) -> Option<usize> {
    let finding = sources.finding(pattern)?;
    let arguments =
        finding.role_arguments.iter().filter_map(|argument| pattern.arguments.get(argument.index()));
    let mut named = arguments.filter_map(|argument| match argument {
        Argument::Term(term) => roles.iter().position(|role| role == term),
        _ => None,
    });
    named.next().filter(|_| named.next().is_none())
}
