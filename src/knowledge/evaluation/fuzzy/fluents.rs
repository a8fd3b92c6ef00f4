//! Numbers the fluents of a machine that a formula reads, and groups the fluents that measured nodes use.

use rustc_hash::FxHashMap;

use crate::machine::{FluentId, Machine};

use super::bind_error::BindError;
use super::formula::Family;
use super::kif::{ground, split};
use super::mention::Steps;

/// The most fluents of a group.
const MOST_OF_A_GROUP: usize = 1 << 20;

/// Fluents that agree in all arguments but the ordered ones.
pub(super) struct FluentGroup {
    /// The number of places on every axis.
    pub(super) sizes: Vec<u32>,
    /// The numbers of the fluents, each with its place on every axis.
    pub(super) facts: Vec<(u32, Vec<u32>)>,
}

impl FluentGroup {
    /// The distances of its fluents to a location: for each fluent, the mean over the axes with a goal, each as a share
    /// of the axis's length.
    pub(super) fn distances(&self, to: &GoalLocation) -> Vec<(u32, f32)> {
        let mut found = Vec::with_capacity(self.facts.len());
        for (fact, places) in &self.facts {
            let (mut far, mut axes) = (0.0, 0.0);
            for ((wanted, place), &size) in to.places.iter().zip(places).zip(&self.sizes) {
                if let Some(wanted) = wanted {
                    far += f64::from((to.steps)(wanted.abs_diff(*place), size)) / f64::from(size);
                    axes += 1.0;
                }
            }
            found.push((*fact, (far / axes) as f32));
        }
        found
    }
}

/// The location to which distances are measured.
pub(super) struct GoalLocation {
    /// The group whose fluents are measured.
    pub(super) group: u32,
    /// The goal on every axis, if there is one.
    pub(super) places: Vec<Option<u32>>,
    pub(super) steps: Steps,
}

/// The fluents of a formula.
pub(super) struct Fluents<'m> {
    machine: &'m dyn Machine,
    pub(super) ids: Vec<FluentId>,
    numbers: FxHashMap<FluentId, u32>,
    pub(super) groups: Vec<FluentGroup>,
    families: Vec<Axes>,
    by_signature: FxHashMap<String, usize>,
    group_of: FxHashMap<Vec<String>, u32>,
}

/// A family with its axes: argument (from 0) and elements of each.
struct Axes {
    list: Vec<(usize, Vec<String>)>,
}

impl<'m> Fluents<'m> {
    /// No fluents yet, over these families.
    pub(super) fn new(machine: &'m dyn Machine, families: &[Family]) -> Result<Fluents<'m>, BindError> {
        let mut fluents = Fluents {
            machine,
            ids: Vec::new(),
            numbers: FxHashMap::default(),
            groups: Vec::new(),
            families: Vec::new(),
            by_signature: FxHashMap::default(),
            group_of: FxHashMap::default(),
        };
        families.iter().try_for_each(|family| fluents.read(family))?;
        Ok(fluents)
    }

    fn read(&mut self, family: &Family) -> Result<(), BindError> {
        let wrong = |what| BindError::Family { fluent: family.fluent.clone(), what };
        let arity = family.fluent.rsplit_once('/').and_then(|(_, arity)| arity.parse::<usize>().ok());
        let arity = arity.ok_or_else(|| wrong("a fluent is given as `name/arity`"))?;
        if family.axes.is_empty() {
            return Err(wrong("it has no axis"));
        }
        let mut list: Vec<(usize, Vec<String>)> = Vec::new();
        for scale in &family.axes {
            let argument = scale.argument.checked_sub(1).filter(|&argument| argument < arity);
            let argument = argument.ok_or_else(|| wrong("an axis names an argument it does not have"))?;
            let mut sorted: Vec<&String> = scale.order.iter().collect();
            sorted.sort_unstable();
            if sorted.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(wrong("an order is a list of different elements"));
            }
            if list.iter().any(|(other, _)| *other == argument) {
                return Err(wrong("two axes name one argument"));
            }
            list.push((argument, scale.order.clone()));
        }
        if self.by_signature.insert(family.fluent.clone(), self.families.len()).is_some() {
            return Err(wrong("it is there twice"));
        }
        self.families.push(Axes { list });
        Ok(())
    }

    /// The number of a fluent; `None` if no state can contain it.
    fn number(&mut self, text: &str) -> Option<u32> {
        let id = self.machine.fluent_named(text)?;
        let next = self.ids.len() as u32;
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.ids.push(id);
        }
        Some(number)
    }

    /// [`Self::number`], or an error if the game does not have the fluent.
    pub(super) fn fact(&mut self, atom: &str) -> Result<Option<u32>, BindError> {
        let number = self.number(atom);
        if number.is_none() && !self.is_known(atom) {
            return Err(BindError::UnknownAtom { atom: atom.to_owned() });
        }
        Ok(number)
    }

    /// Whether the game may have a fluent or pattern without a number. This is possible without a network, if the game
    /// has all of its words.
    fn is_known(&self, text: &str) -> bool {
        let description = self.machine.description();
        let Some((name, arguments)) = split(text) else { return false };
        let Some(symbol) = description.symbols.find(&name) else { return false };
        let mut relations = description.relation_ids();
        let mut terms = description.terms.clone();
        self.machine.network().is_none()
            && relations.any(|(_, relation)| relation.name == symbol && relation.arity == arguments.len())
            && arguments
                .iter()
                .all(|text| text == "?" || ground(text, &description.symbols, &mut terms).is_some())
    }

    /// The fluents that fit a measured fluent or a pattern (`?` stands for any coordinate), and its goal location.
    pub(super) fn near(
        &mut self,
        pattern: &str,
        steps: Steps,
    ) -> Result<(Vec<u32>, GoalLocation), BindError> {
        let unknown = || BindError::UnknownAtom { atom: pattern.to_owned() };
        let (name, arguments) = split(pattern).ok_or_else(unknown)?;
        let fluent = format!("{name}/{}", arguments.len());
        let none = || BindError::NoFamily { atom: pattern.to_owned(), fluent: fluent.clone() };
        let family = *self.by_signature.get(&fluent).ok_or_else(none)?;
        let mut places = Vec::new();
        // The fluents of the group without their places.
        let mut key = arguments.clone();
        for (argument, elements) in &self.families[family].list {
            key[*argument] = "?".to_owned();
            places.push(match arguments[*argument].as_str() {
                "?" => None,
                wanted => {
                    Some(elements.iter().position(|element| element == wanted).ok_or_else(none)? as u32)
                }
            });
        }
        let free = key.iter().filter(|argument| *argument == "?").count();
        if places.iter().all(Option::is_none) || free != places.len() {
            return Err(none());
        }
        key.push(name);
        let group = match self.group_of.get(&key) {
            Some(&group) => group,
            None => self.add_group(family, &key, none)?,
        };
        let fits =
            |at: &[u32]| places.iter().zip(at).all(|(wanted, at)| wanted.is_none_or(|wanted| wanted == *at));
        let facts = self.groups[group as usize].facts.iter();
        let held: Vec<u32> = facts.filter(|(_, at)| fits(at)).map(|&(fact, _)| fact).collect();
        if held.is_empty() && !self.is_known(pattern) {
            return Err(unknown());
        }
        self.group_of.insert(key, group);
        Ok((held, GoalLocation { group, places, steps }))
    }

    /// Adds a group. `key` has the arguments, `?` for ordered ones, and the fluent's name at the end.
    fn add_group(
        &mut self,
        family: usize,
        key: &[String],
        too_many: impl Fn() -> BindError,
    ) -> Result<u32, BindError> {
        let axes = &self.families[family].list;
        let sizes: Vec<u32> = axes.iter().map(|(_, elements)| elements.len() as u32).collect();
        let all = sizes.iter().try_fold(1usize, |all, &size| all.checked_mul(size as usize));
        let all = all.filter(|&all| all <= MOST_OF_A_GROUP).ok_or_else(too_many)?;
        let mut texts = Vec::with_capacity(all);
        let mut arguments = key[..key.len() - 1].to_vec();
        for number in 0..all {
            let (mut left, mut at) = (number, Vec::with_capacity(axes.len()));
            for (argument, elements) in axes {
                let index = left % elements.len();
                left /= elements.len();
                arguments[*argument].clone_from(&elements[index]);
                at.push(index as u32);
            }
            texts.push((format!("({} {})", key[key.len() - 1], arguments.join(" ")), at));
        }
        let found = texts.into_iter().filter_map(|(text, at)| Some((self.number(&text)?, at)));
        let facts: Vec<(u32, Vec<u32>)> = found.collect();
        self.groups.push(FluentGroup { sizes, facts });
        Ok(self.groups.len() as u32 - 1)
    }
}
