//! What the fluents of a machine touch: the leaves that hold where they do, and the groups that measured leaves are
//! measured by.

use rustc_hash::FxHashMap;

use crate::machine::{FluentId, Machine};

use super::bind_error::BindError;
use super::formula::Family;
use super::kif::split;

/// Facts that agree in all but their places.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Sizes of the axes.
    pub(super) sizes: Vec<u32>,
    /// The nodes that measure by it.
    pub(super) leaves: Vec<u32>,
}

/// What a measured fluent is near to.
#[derive(Clone, Debug)]
pub(super) struct GoalLocation {
    /// The group of its like.
    pub(super) group: u32,
    /// The wanted place of every axis, if there is one.
    pub(super) places: Vec<Option<u32>>,
}

/// What a fluent touches.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// The leaves that hold where it does.
    pub(super) nodes: Vec<u32>,
    /// Its group and places.
    pub(super) place: Option<(u32, Vec<u32>)>,
}

/// The leaves of a formula, by what they say.
pub(super) struct Fluents<'m> {
    machine: &'m dyn Machine,
    pub(super) groups: Vec<Group>,
    families: Vec<Axes>,
    by_signature: FxHashMap<String, usize>,
    group_of: FxHashMap<(usize, Vec<String>), u32>,
    facts: FxHashMap<String, Vec<u32>>,
    nears: FxHashMap<Vec<String>, Vec<u32>>,
    /// For every family the sets of arguments that some pattern leaves open.
    masks: Vec<Vec<Vec<usize>>>,
    /// Numbers of nodes up to which leaves are known.
    nodes: usize,
}

/// A family with the places of its elements: argument (from 0) of every axis.
struct Axes {
    arity: usize,
    list: Vec<(usize, FxHashMap<String, u32>)>,
}

impl<'m> Fluents<'m> {
    /// No leaves yet, over these families.
    pub(super) fn new(machine: &'m dyn Machine, families: &[Family]) -> Result<Fluents<'m>, BindError> {
        let mut fluents = Fluents {
            machine,
            groups: Vec::new(),
            families: Vec::new(),
            by_signature: FxHashMap::default(),
            group_of: FxHashMap::default(),
            facts: FxHashMap::default(),
            nears: FxHashMap::default(),
            masks: vec![Vec::new(); families.len()],
            nodes: 0,
        };
        fluents.read(families)?;
        Ok(fluents)
    }

    /// Takes up a node that is a fluent.
    pub(super) fn fact(&mut self, index: usize, atom: &str) {
        self.facts.entry(atom.to_owned()).or_default().push(index as u32);
        self.nodes = self.nodes.max(index + 1);
    }

    fn read(&mut self, families: &[Family]) -> Result<(), BindError> {
        for (index, family) in families.iter().enumerate() {
            let wrong = |what| BindError::Family { fluent: family.fluent.clone(), what };
            let arity = family.fluent.rsplit_once('/').and_then(|(_, arity)| arity.parse::<usize>().ok());
            let arity = arity.ok_or_else(|| wrong("a fluent is given as `name/arity`"))?;
            if family.axes.is_empty() {
                return Err(wrong("it has no axis"));
            }
            let mut list = Vec::new();
            for scale in &family.axes {
                let argument = scale.argument.checked_sub(1).filter(|&argument| argument < arity);
                let argument = argument.ok_or_else(|| wrong("an axis names an argument it does not have"))?;
                let places: FxHashMap<String, u32> = scale
                    .order
                    .iter()
                    .enumerate()
                    .map(|(place, element)| (element.clone(), place as u32))
                    .collect();
                if places.len() != scale.order.len() || places.is_empty() {
                    return Err(wrong("an order is a list of different elements"));
                }
                if list.iter().any(|(other, _)| *other == argument) {
                    return Err(wrong("two axes name one argument"));
                }
                list.push((argument, places));
            }
            if self.by_signature.insert(family.fluent.clone(), index).is_some() {
                return Err(wrong("it stands twice"));
            }
            self.families.push(Axes { arity, list });
        }
        Ok(())
    }

    /// Takes up a node that measures a fluent, or a pattern with `?` for coordinates that may be anything.
    pub(super) fn near(&mut self, index: usize, pattern: &str) -> Result<GoalLocation, BindError> {
        let unknown = || BindError::UnknownAtom { atom: pattern.to_owned() };
        let (name, arguments) = split(pattern).ok_or_else(unknown)?;
        let fluent = format!("{name}/{}", arguments.len());
        let none = || BindError::NoFamily { atom: pattern.to_owned(), fluent: fluent.clone() };
        let family = *self.by_signature.get(&fluent).ok_or_else(none)?;
        let axes = &self.families[family];
        let mut wanted = Vec::new();
        for (argument, places) in &axes.list {
            match arguments[*argument].as_str() {
                "?" => wanted.push(None),
                element => wanted.push(Some(*places.get(element).ok_or_else(none)?)),
            }
        }
        let group = group_key(axes, &arguments);
        if wanted.iter().all(Option::is_none) || group.iter().any(|argument| argument == "?") {
            return Err(none());
        }
        let sizes = axes.list.iter().map(|(_, places)| places.len() as u32).collect();
        let groups = &mut self.groups;
        let group = *self.group_of.entry((family, group)).or_insert_with(|| {
            groups.push(Group { sizes, leaves: Vec::new() });
            groups.len() as u32 - 1
        });
        self.groups[group as usize].leaves.push(index as u32);
        let free: Vec<usize> = (0..arguments.len()).filter(|&argument| arguments[argument] == "?").collect();
        if !self.masks[family].contains(&free) {
            self.masks[family].push(free);
        }
        let mut key = vec![fluent];
        key.extend(arguments);
        self.nears.entry(key).or_default().push(index as u32);
        self.nodes = self.nodes.max(index + 1);
        Ok(GoalLocation { group, places: wanted })
    }

    /// Every fluent of the formula can hold in the game.
    pub(super) fn check(&self) -> Result<(), BindError> {
        let mut missing = vec![true; self.nodes];
        if let Some(network) = self.machine.network() {
            for number in 0..network.fluents.len() as u32 {
                self.slot(FluentId(number)).nodes.iter().for_each(|&node| missing[node as usize] = false);
            }
            let named = self.facts.iter().map(|(atom, nodes)| (nodes[0], atom.clone()));
            let patterns = self.nears.iter().map(|(key, nodes)| (nodes[0], key[1..].join(" ")));
            let absent = named.chain(patterns).filter(|(node, _)| missing[*node as usize]).min();
            return match absent {
                Some((_, atom)) => Err(BindError::UnknownAtom { atom }),
                None => Ok(()),
            };
        }
        // Fluents are numbered as they come up: their names and words must be the game's.
        let description = self.machine.description();
        let mut terms = description.terms.clone();
        let mut known = |name: &str, arguments: &[String]| {
            description.symbols.find(name).is_some_and(|symbol| {
                description
                    .relation_ids()
                    .any(|(_, relation)| relation.name == symbol && relation.arity == arguments.len())
            }) && arguments.iter().all(|text| {
                text == "?" || super::kif::ground(text, &description.symbols, &mut terms).is_some()
            })
        };
        let mut absent: Option<(u32, String)> = None;
        let mut note = |node: u32, atom: String| {
            if absent.as_ref().is_none_or(|(other, _)| node < *other) {
                absent = Some((node, atom));
            }
        };
        let mut facts: Vec<_> = self.facts.iter().map(|(atom, nodes)| (nodes[0], atom)).collect();
        facts.sort();
        for (node, atom) in facts {
            if !split(atom).is_some_and(|(name, arguments)| known(&name, &arguments)) {
                note(node, atom.clone());
            }
        }
        let mut nears: Vec<_> = self.nears.iter().map(|(key, nodes)| (nodes[0], key)).collect();
        nears.sort();
        for (node, key) in nears {
            let name = key[0].rsplit_once('/').map_or("", |(name, _)| name);
            if !known(name, &key[1..]) {
                note(node, key[1..].join(" "));
            }
        }
        absent.map_or(Ok(()), |(_, atom)| Err(BindError::UnknownAtom { atom }))
    }

    /// What a fluent of the machine touches.
    pub(super) fn slot(&self, fluent: FluentId) -> Slot {
        let text = self.machine.fluent_text(fluent);
        let mut slot = Slot::default();
        slot.nodes.extend(self.facts.get(&text).into_iter().flatten());
        let Some((name, arguments)) = split(&text) else { return slot };
        let fluent = format!("{name}/{}", arguments.len());
        let Some(&family) = self.by_signature.get(&fluent) else { return slot };
        let axes = &self.families[family];
        debug_assert_eq!(axes.arity, arguments.len());
        for free in &self.masks[family] {
            let mut key = vec![fluent.clone()];
            key.extend(arguments.iter().enumerate().map(|(argument, text)| {
                if free.contains(&argument) { "?".to_owned() } else { text.clone() }
            }));
            slot.nodes.extend(self.nears.get(&key).into_iter().flatten());
        }
        let places: Option<Vec<u32>> =
            axes.list.iter().map(|(argument, places)| places.get(&arguments[*argument]).copied()).collect();
        if let (Some(places), Some(&group)) =
            (places, self.group_of.get(&(family, group_key(axes, &arguments))))
        {
            slot.place = Some((group, places));
        }
        slot
    }
}

/// The arguments that are no places.
fn group_key(axes: &Axes, arguments: &[String]) -> Vec<String> {
    let is_axis = |argument: usize| axes.list.iter().any(|(axis, _)| *axis == argument);
    (0..arguments.len())
        .filter(|&argument| !is_axis(argument))
        .map(|argument| arguments[argument].clone())
        .collect()
}
