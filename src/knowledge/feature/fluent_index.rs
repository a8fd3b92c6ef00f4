//! The fluents of a machine by relation, with their arguments as text: what patterns are matched against.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use crate::gdl::Description;
use crate::gdl::rule::RelationKind;
use crate::gdl::symbol::Symbol;
use crate::machine::{FluentId, Machine};
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, LocatedObject};
use crate::structure::fluent_relations::FluentRelation;

use super::error::FeatureError;
use super::pattern::{Argument, Pattern};

/// How many names an error lists.
const NAMED: usize = 12;

/// A fluent: its relation, by its place in the vocabulary, and its arguments, by their places among the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The relation.
    pub relation: usize,
    /// One text an argument.
    pub arguments: Box<[u32]>,
}

/// The fluents of a machine. On a network all are known from the start; on the relational machine they are learned as
/// they come up.
#[derive(Clone)]
pub struct FluentIndex<'m> {
    machine: &'m dyn Machine,
    /// Symbol and arity of every relation of fluents, in the order of the rules.
    relations: IndexSet<(Symbol, usize), FxBuildHasher>,
    /// For every relation its fluents known so far.
    members: Vec<Vec<FluentId>>,
    /// For every fluent known, by its number.
    decoded: Vec<Option<Decoded>>,
    texts: IndexSet<Box<str>, FxBuildHasher>,
}

impl<'m> FluentIndex<'m> {
    /// The vocabulary of a machine.
    pub fn new(machine: &'m dyn Machine) -> FluentIndex<'m> {
        let relations = fluent_relations(machine.description());
        let members = vec![Vec::new(); relations.len()];
        let mut fluent_index =
            FluentIndex { machine, relations, members, decoded: Vec::new(), texts: IndexSet::default() };
        if let Some(network) = machine.network() {
            (0..network.fluents.len() as u32).for_each(|number| {
                fluent_index.decode(FluentId(number));
            });
        }
        fluent_index
    }

    /// The machine.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// Whether all fluents are known, as on a network.
    pub fn is_complete(&self) -> bool {
        self.machine.network().is_some()
    }

    /// A fluent in parts; none for what is no fluent of the rules.
    pub fn decode(&mut self, fluent: FluentId) -> Option<&Decoded> {
        let index = fluent.0 as usize;
        if self.decoded.len() <= index {
            self.decoded.resize(index + 1, None);
        }
        if self.decoded[index].is_none() {
            let (functor, arguments) = self.machine.fluent(fluent);
            let relation = self.relations.get_index_of(&(functor, arguments.len()))?;
            let mut text = |term| self.texts.insert_full(self.machine.term_text(term).into()).0 as u32;
            let arguments = arguments.into_iter().map(&mut text).collect();
            self.decoded[index] = Some(Decoded { relation, arguments });
            self.members[relation].push(fluent);
        }
        self.decoded[index].as_ref()
    }

    /// The fluents of a relation that are known, each with its arguments as texts.
    pub fn members(&self, relation: usize) -> impl Iterator<Item = (FluentId, Vec<&str>)> {
        self.members[relation].iter().filter_map(move |&fluent| {
            let decoded = self.decoded[fluent.0 as usize].as_ref()?;
            Some((fluent, decoded.arguments.iter().map(|&text| self.text(text)).collect()))
        })
    }

    /// The arguments of a fluent as texts.
    pub fn arguments(&self, decoded: &Decoded) -> Vec<&str> {
        decoded.arguments.iter().map(|&text| self.text(text)).collect()
    }

    fn text(&self, text: u32) -> &str {
        &self.texts[text as usize]
    }

    /// The relations of fluents as `name/arity`, in the order of the rules.
    pub fn relations(&self) -> impl Iterator<Item = String> {
        let symbols = &self.machine.description().symbols;
        self.relations.iter().map(move |&(name, arity)| format!("{}/{arity}", symbols.name(name)))
    }

    /// The pattern of a fluent's facts with some arguments fixed.
    pub fn pattern(&self, fluent: FluentRelation, fixed: &[(ArgumentPosition, &str)]) -> Pattern {
        Pattern::with(self.machine.description().symbols.name(fluent.name), fluent.arity, fixed)
    }

    /// The pattern of the facts of what stands on a board or has a place.
    pub fn pattern_of(&self, board: &FluentFinding, object: &LocatedObject) -> Pattern {
        let symbols: Vec<String> = object.symbol.iter().map(|&term| self.machine.term_text(term)).collect();
        let fixed: Vec<(ArgumentPosition, &str)> =
            object.arguments.iter().copied().zip(symbols.iter().map(String::as_str)).collect();
        self.pattern(board.fluent, &fixed)
    }

    /// The fluent relation of a pattern; none where the rules don't have its name.
    pub fn fluent_of(&self, pattern: &Pattern) -> Option<FluentRelation> {
        let name = self.machine.description().symbols.find(&pattern.name)?;
        Some(FluentRelation { name, arity: pattern.arguments.len() })
    }

    /// The relation of a pattern, by its place.
    ///
    /// # Errors
    /// There is none.
    pub fn relation(&self, pattern: &Pattern) -> Result<usize, FeatureError> {
        let symbols = &self.machine.description().symbols;
        let found = symbols.find(&pattern.name);
        let found = found.and_then(|name| self.relations.get_index_of(&(name, pattern.arguments.len())));
        found.ok_or_else(|| FeatureError::UnknownFluent {
            fluent: pattern.signature(),
            known: listed(self.relations()),
        })
    }

    /// The fluents that match a pattern, each with its arguments as texts; on a network at least one.
    ///
    /// # Errors
    /// The game has no such fluent.
    pub fn matching(&self, pattern: &Pattern) -> Result<Vec<(FluentId, Vec<&str>)>, FeatureError> {
        let relation = self.relation(pattern)?;
        let found: Vec<_> =
            self.members(relation).filter(|(_, arguments)| pattern.matches(arguments)).collect();
        if found.is_empty() && self.is_complete() {
            return Err(self.no_match(pattern, relation));
        }
        Ok(found)
    }

    /// Says which argument is to blame: the first that no fluent has, or else the first that is fixed.
    fn no_match(&self, pattern: &Pattern, relation: usize) -> FeatureError {
        let alone = |place: usize| {
            let mut alone = pattern.clone();
            for (other, argument) in alone.arguments.iter_mut().enumerate().filter(|(at, _)| *at != place) {
                *argument = Argument::Variable(format!("other{other}"));
            }
            alone
        };
        let fixed = |&place: &usize| !matches!(pattern.arguments[place], Argument::Variable(_));
        let places = || (0..pattern.arguments.len()).filter(fixed);
        let foreign = |&place: &usize| {
            let alone = alone(place);
            !self.members(relation).any(|(_, arguments)| alone.matches(&arguments))
        };
        let place = places().find(foreign).or_else(|| places().next()).unwrap_or(0);
        let mut known: IndexMap<&str, (), FxBuildHasher> = IndexMap::default();
        for (_, arguments) in self.members(relation) {
            known.extend(arguments.get(place).map(|&text| (text, ())));
        }
        FeatureError::NoMatch {
            pattern: pattern.to_string(),
            argument: place + 1,
            known: listed(known.keys().map(|text| (*text).to_owned())),
        }
    }

    /// A role by its number.
    ///
    /// # Errors
    /// There is no such role.
    pub fn role(&self, role: &str) -> Result<usize, FeatureError> {
        let names = || self.machine.description().roles.iter().map(|&role| self.machine.term_text(role));
        names()
            .position(|name| name == role)
            .ok_or_else(|| FeatureError::UnknownRole { role: role.to_owned(), known: listed(names()) })
    }
}

/// The relations of fluents: those of `init`, `next` and `true`, in the order of the rules.
fn fluent_relations(description: &Description) -> IndexSet<(Symbol, usize), FxBuildHasher> {
    let of_fluents = |kind| matches!(kind, RelationKind::Init | RelationKind::True | RelationKind::Next);
    let relations = description.relations.iter().filter(|relation| of_fluents(relation.kind));
    relations.map(|relation| (relation.name, relation.arity)).collect()
}

/// Names separated by commas, the first few.
fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let mut text = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    if text.is_empty() { "none".to_owned() } else { text }
}
