//! Making a formula ready for a machine: fluents become numbers, nodes a flat list, after checking every part of it.

use rustc_hash::FxHashMap;

use crate::ground::Exceeded;
use crate::machine::{FluentId, Machine};

use super::formula::{Comparison, Formula, Mention, Node};
use super::kif::split;

/// Why a formula does not fit a game, or is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// An atom that the game does not have.
    #[error("the game has no atom `{atom}`")]
    UnknownAtom {
        /// The atom.
        atom: String,
    },
    /// A fluent that is measured without saying by what order.
    #[error(
        "`{atom}` is measured, but the families have no `{fluent}`, or not with elements such as its own"
    )]
    NoFamily {
        /// The atom or pattern.
        atom: String,
        /// Its fluent as `name/arity`.
        fluent: String,
    },
    /// A family with a wrong argument or order.
    #[error("the family `{fluent}`: {what}")]
    Family {
        /// The fluent as `name/arity`.
        fluent: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A mention of a node that is not there, or not yet.
    #[error(
        "node {node} mentions {mention}; a node is made of nodes before it, or of its own loop, counted from 1"
    )]
    Mention {
        /// The node that mentions it.
        node: usize,
        /// The mention.
        mention: Mention,
    },
    /// A loop that is none.
    #[error("the loop from node {first} to node {last}: {what}")]
    Loop {
        /// Its first node.
        first: u32,
        /// Its last node.
        last: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// A comparison with places outside its order.
    #[error("node {node} compares places outside 0 to {length}, its length not included, or nothing at all")]
    Places {
        /// The node.
        node: usize,
        /// The number of places.
        length: u32,
    },
    /// The static rules pass the budget of grounding.
    #[error("the rules that hold in every state can't be evaluated: {0}")]
    Statics(Exceeded),
}

/// An edge to a node: its number, times two, plus one where it is negated.
pub(super) type Edge = u32;

/// A place in an order, and what holds when a value has it.
pub(super) type Valued = (u32, Edge);

/// A node as it is evaluated.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// What always holds.
    Always,
    /// A fluent.
    Fact,
    /// A measured fluent: its group and the wanted places, axis by axis.
    Near { group: u32, wanted: Vec<Option<u32>> },
    /// An atom of a lifted relation, by its number among them.
    Derived,
    /// A comparison.
    Compare { relation: Comparison, left: Vec<Valued>, right: Vec<Valued>, length: f64 },
    /// A conjunction of edges.
    And,
    /// A disjunction.
    Or,
    /// A disjunction in a loop.
    Best,
}

/// Facts that agree in all but their places.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Sizes of the axes.
    pub(super) sizes: Vec<f64>,
    /// The nodes that measure by it.
    pub(super) leaves: Vec<u32>,
}

/// What a fluent touches.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// The leaves that hold where it does.
    pub(super) nodes: Vec<u32>,
    /// Its group and places.
    pub(super) place: Option<(u32, Vec<u32>)>,
}

/// A formula ready to run.
pub(super) struct Bound<'m> {
    machine: &'m dyn Machine,
    /// The nodes, with [`Step::Always`] last.
    pub(super) steps: Vec<Step>,
    /// Edges of conjunctions and disjunctions, node by node.
    pub(super) edges: Vec<Edge>,
    pub(super) starts: Vec<u32>,
    /// The nodes that mention a node.
    pub(super) parents: Vec<u32>,
    pub(super) parent_starts: Vec<u32>,
    /// The loop of a node.
    pub(super) loop_of: Vec<Option<u32>>,
    pub(super) loops: Vec<(u32, u32)>,
    pub(super) groups: Vec<Group>,
    /// The lifted atoms, and their nodes.
    pub(super) derived: Vec<(u32, String)>,
    families: Vec<Axes>,
    by_signature: FxHashMap<String, usize>,
    group_of: FxHashMap<(usize, Vec<String>), u32>,
    facts: FxHashMap<String, u32>,
    nears: FxHashMap<Vec<String>, u32>,
    masks: Vec<Vec<Vec<usize>>>,
}

/// A family with the places of its elements: argument (from 0) of every axis.
struct Axes {
    arity: usize,
    list: Vec<(usize, FxHashMap<String, u32>)>,
}

impl<'m> Bound<'m> {
    /// Checks a formula and makes it ready.
    pub(super) fn new(machine: &'m dyn Machine, formula: &Formula) -> Result<Bound<'m>, BindError> {
        let mut bound = Bound {
            machine,
            steps: Vec::with_capacity(formula.nodes.len() + 1),
            edges: Vec::new(),
            starts: vec![0],
            parents: Vec::new(),
            parent_starts: Vec::new(),
            loop_of: vec![None; formula.nodes.len() + 1],
            loops: Vec::new(),
            groups: Vec::new(),
            derived: Vec::new(),
            families: Vec::new(),
            by_signature: FxHashMap::default(),
            group_of: FxHashMap::default(),
            facts: FxHashMap::default(),
            nears: FxHashMap::default(),
            masks: vec![Vec::new(); formula.families.len()],
        };
        bound.read_families(formula)?;
        bound.read_loops(formula)?;
        for (index, node) in formula.nodes.iter().enumerate() {
            bound.read_node(index, node, formula.nodes.len())?;
        }
        bound.steps.push(Step::Always);
        bound.starts.push(bound.edges.len() as u32);
        bound.check_loops()?;
        bound.link();
        bound.check_atoms()?;
        Ok(bound)
    }

    fn read_families(&mut self, formula: &Formula) -> Result<(), BindError> {
        for (index, family) in formula.families.iter().enumerate() {
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

    fn read_loops(&mut self, formula: &Formula) -> Result<(), BindError> {
        for (index, &(first, last)) in formula.loops.iter().enumerate() {
            let wrong = |what| BindError::Loop { first, last, what };
            if first == 0 || last < first || last as usize > formula.nodes.len() {
                return Err(wrong("there are no such nodes"));
            }
            for node in first - 1..last {
                if self.loop_of[node as usize].replace(index as u32).is_some() {
                    return Err(wrong("another loop has one of its nodes"));
                }
            }
            self.loops.push((first - 1, last - 1));
        }
        Ok(())
    }

    /// The edge of a mention by a node.
    fn edge(&self, node: usize, mention: Mention, count: usize) -> Result<Edge, BindError> {
        if mention == 0 {
            return Ok((count as u32) << 1);
        }
        let target = mention.unsigned_abs() as usize - 1;
        let same_loop = target < count
            && self.loop_of[node].is_some()
            && self.loop_of[target] == self.loop_of[node]
            && mention > 0;
        if target < node && self.loop_of[target].is_none_or(|other| self.loop_of[node] != Some(other))
            || same_loop
        {
            return Ok((target as u32) << 1 | u32::from(mention < 0));
        }
        Err(BindError::Mention { node: node + 1, mention })
    }

    fn read_node(&mut self, index: usize, node: &Node, count: usize) -> Result<(), BindError> {
        let step = match node {
            Node::Fact(atom) => {
                self.facts.insert(atom.clone(), index as u32);
                Step::Fact
            }
            Node::Near(pattern) => self.read_near(index, pattern)?,
            Node::Derived(atom) => {
                self.derived.push((index as u32, atom.clone()));
                Step::Derived
            }
            Node::Compare(compare) => {
                let side = |list: &[(u32, Mention)]| -> Result<Vec<Valued>, BindError> {
                    if list.is_empty() || list.iter().any(|&(place, _)| place >= compare.length) {
                        return Err(BindError::Places { node: index + 1, length: compare.length });
                    }
                    list.iter()
                        .map(|&(place, mention)| Ok((place, self.edge(index, mention, count)?)))
                        .collect()
                };
                Step::Compare {
                    relation: compare.relation,
                    left: side(&compare.left)?,
                    right: side(&compare.right)?,
                    length: f64::from(compare.length),
                }
            }
            Node::And(list) | Node::Or(list) | Node::Best(list) => {
                for &mention in list {
                    let edge = self.edge(index, mention, count)?;
                    self.edges.push(edge);
                }
                match node {
                    Node::And(_) => Step::And,
                    Node::Or(_) => Step::Or,
                    _ => Step::Best,
                }
            }
        };
        self.steps.push(step);
        self.starts.push(self.edges.len() as u32);
        Ok(())
    }

    fn read_near(&mut self, index: usize, pattern: &str) -> Result<Step, BindError> {
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
        let sizes = axes.list.iter().map(|(_, places)| places.len() as f64).collect();
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
        self.nears.insert(key, index as u32);
        Ok(Step::Near { group, wanted })
    }

    /// Every loop is made of conjunctions and best cases.
    fn check_loops(&self) -> Result<(), BindError> {
        for &(first, last) in &self.loops {
            let allowed = |node: u32| matches!(self.steps[node as usize], Step::And | Step::Best);
            if !(first..=last).all(allowed) {
                let what = "only `and` and `best` can stand in a loop";
                return Err(BindError::Loop { first: first + 1, last: last + 1, what });
            }
        }
        Ok(())
    }

    /// The edges of a node, those of comparisons included.
    pub(super) fn below(&self, node: usize) -> impl Iterator<Item = Edge> + '_ {
        let (left, right): (&[Valued], &[Valued]) = match &self.steps[node] {
            Step::Compare { left, right, .. } => (left, right),
            _ => (&[], &[]),
        };
        let range = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.edges[range].iter().copied().chain(left.iter().chain(right).map(|&(_, edge)| edge))
    }

    fn link(&mut self) {
        let count = self.steps.len();
        let mut counts = vec![0_u32; count + 1];
        for node in 0..count {
            for edge in self.below(node) {
                counts[(edge >> 1) as usize + 1] += 1;
            }
        }
        for index in 0..count {
            counts[index + 1] += counts[index];
        }
        let mut next = counts.clone();
        let mut parents = vec![0; counts[count] as usize];
        for node in 0..count {
            for edge in self.below(node) {
                let slot = &mut next[(edge >> 1) as usize];
                parents[*slot as usize] = node as u32;
                *slot += 1;
            }
        }
        self.parents = parents;
        self.parent_starts = counts;
    }

    /// Every fluent of the formula can hold in the game.
    fn check_atoms(&self) -> Result<(), BindError> {
        let mut missing: Vec<bool> =
            self.steps.iter().map(|step| matches!(step, Step::Fact | Step::Near { .. })).collect();
        if let Some(network) = self.machine.network() {
            for number in 0..network.fluents.len() as u32 {
                self.slot(FluentId(number)).nodes.iter().for_each(|&node| missing[node as usize] = false);
            }
            let named = self.facts.iter().map(|(atom, &node)| (node, atom.clone()));
            let patterns = self.nears.iter().map(|(key, &node)| (node, key[1..].join(" ")));
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
        let mut facts: Vec<_> = self.facts.iter().map(|(atom, &node)| (node, atom)).collect();
        facts.sort();
        for (node, atom) in facts {
            if !split(atom).is_some_and(|(name, arguments)| known(&name, &arguments)) {
                note(node, atom.clone());
            }
        }
        let mut nears: Vec<_> = self.nears.iter().map(|(key, &node)| (node, key)).collect();
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
        slot.nodes.extend(self.facts.get(&text));
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
            slot.nodes.extend(self.nears.get(&key));
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
