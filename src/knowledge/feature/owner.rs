//! Who owns what: roles, and teams whose members share their things.

use rustc_hash::FxHashMap;

use crate::structure::finding::{FluentFinding, LocatedObject};

use super::ownership::LocatedObjects;
use super::pattern::{Argument, Pattern};
use super::sources::Sources;

/// Who owns a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A role, by its number.
    Role(usize),
    /// Several roles of a team, by its number.
    Team(usize),
}

/// The things of a game with their owners.
pub(super) struct Owners<'s, 'a> {
    sources: &'s Sources<'a>,
    objects: LocatedObjects<'a>,
    owners: Vec<Option<Owner>>,
    /// The places of things by their patterns.
    places: FxHashMap<Pattern, usize>,
}

impl<'s, 'a> Owners<'s, 'a> {
    /// The owners of all things on boards and places: the role whose steps bring a thing's facts up, or the team whose
    /// steps do; or else the role that its symbol names.
    pub(super) fn new(sources: &'s Sources<'a>) -> Owners<'s, 'a> {
        let objects = LocatedObjects::new(sources.fluent_index, sources.structures);
        let (roles, random) = (sources.roles(), sources.machine().description().random_role());
        let owner = |object: usize| {
            // What chance brings up is not its own.
            let player = |role: &usize| random != Some(*role);
            let named = || named(sources, objects.pattern(object), &roles).filter(player).map(Owner::Role);
            let by_play = sources.ownership.owner(object).filter(player).map(Owner::Role);
            let team = || sources.ownership.team(object, &sources.structures.teams).map(Owner::Team);
            by_play.or_else(named).or_else(team)
        };
        let owners = (0..objects.len()).map(owner).collect();
        let places = (0..objects.len()).map(|place| (objects.pattern(place).clone(), place)).collect();
        Owners { sources, objects, owners, places }
    }

    /// The things, by number.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, Option<Owner>)> {
        self.owners.iter().copied().enumerate()
    }

    /// The pattern of a thing's facts.
    pub(super) fn pattern(&self, object: usize) -> &Pattern {
        self.objects.pattern(object)
    }

    /// The patterns of the things that roles own, with the role of each, by its number.
    pub(super) fn by_pattern(&self) -> Vec<(Pattern, usize)> {
        let owned = |(object, owner): (usize, Option<Owner>)| match owner {
            Some(Owner::Role(role)) => Some((self.objects.pattern(object).clone(), role)),
            _ => None,
        };
        self.all().filter_map(owned).collect()
    }

    /// The role that owns something on a board.
    pub(super) fn role(&self, board: &FluentFinding, object: &LocatedObject) -> Option<usize> {
        let pattern = self.sources.fluent_index.pattern_of(board, object);
        match self.owners[*self.places.get(&pattern)?] {
            Some(Owner::Role(role)) => Some(role),
            _ => None,
        }
    }
}

/// The role that a symbol names, if it names one. An argument that holds other names, some of which roles share, names
/// none.
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
