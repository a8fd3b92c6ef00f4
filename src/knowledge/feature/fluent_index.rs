//! The fluents of a machine by relation, with their arguments as text, to match patterns against.

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

/// Limit of the names in an error; of others only the number is given.
const MAX_NAMES: usize = 12;

/// A fluent: the index of its relation, and the indices of its arguments' texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedFluent {
    /// The relation.
    pub relation: usize,
    /// For each argument, the index of its text.
    pub arguments: Box<[u32]>,
}

/// The fluents of a machine. On a network all are known in advance; on the relational machine they are added as they
/// occur.
#[derive(Clone)]
pub struct FluentIndex<'m> {
    machine: &'m dyn Machine,
    /// Symbol and arity of each relation of fluents, in the order of the rules.
    relations: IndexSet<(Symbol, usize), FxBuildHasher>,
    /// For each relation its known fluents.
    members: Vec<Vec<FluentId>>,
    /// For each known fluent its parts, by [`FluentId`]; none for a term that is not a fluent.
    decoded: Vec<Option<DecodedFluent>>,
    texts: IndexSet<Box<str>, FxBuildHasher>,
}

impl<'m> FluentIndex<'m> {
    /// The index of the machine's fluents.
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

    /// The machine whose fluents these are.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// Whether all fluents are known, as on a network.
    pub fn is_complete(&self) -> bool {
        self.machine.network().is_some()
    }

    /// The parts of a fluent; none for a term that is not a fluent of the rules.
    pub fn decode(&mut self, fluent: FluentId) -> Option<&DecodedFluent> {
        let index = fluent.0 as usize;
        if self.decoded.len() <= index {
            self.decoded.resize(index + 1, None);
        }
        if self.decoded[index].is_none() {
            let (functor, arguments) = self.machine.fluent(fluent);
            let relation = self.relations.get_index_of(&(functor, arguments.len()))?;
            let mut text = |term| self.texts.insert_full(self.machine.term_text(term).into()).0 as u32;
            let arguments = arguments.into_iter().map(&mut text).collect();
            self.decoded[index] = Some(DecodedFluent { relation, arguments });
            self.members[relation].push(fluent);
        }
        self.decoded[index].as_ref()
    }

    /// The known fluents of a relation, each with its arguments as texts.
    pub fn members(&self, relation: usize) -> impl Iterator<Item = (FluentId, Vec<&str>)> {
        self.members[relation].iter().filter_map(move |&fluent| {
            let decoded = self.decoded[fluent.0 as usize].as_ref()?;
            Some((fluent, decoded.arguments.iter().map(|&text| self.text(text)).collect()))
        })
    }

    /// The arguments of a fluent as texts.
    pub fn arguments(&self, decoded: &DecodedFluent) -> Vec<&str> {
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

    /// The pattern of the facts of an object on a board, or of an object with a place.
    pub fn pattern_of(&self, board: &FluentFinding, object: &LocatedObject) -> Pattern {
        let symbols: Vec<String> = object.symbol.iter().map(|&term| self.machine.term_text(term)).collect();
        let fixed: Vec<(ArgumentPosition, &str)> =
            object.arguments.iter().copied().zip(symbols.iter().map(String::as_str)).collect();
        self.pattern(board.fluent, &fixed)
    }

    /// The fluent relation of a pattern; none if the rules don't have its name.
    pub fn fluent_of(&self, pattern: &Pattern) -> Option<FluentRelation> {
        let name = self.machine.description().symbols.find(&pattern.name)?;
        Some(FluentRelation { name, arity: pattern.arguments.len() })
    }

    /// The index of a pattern's relation.
    ///
    /// # Errors
    /// The game has no such relation.
    pub fn relation(&self, pattern: &Pattern) -> Result<usize, FeatureError> {
        let symbols = &self.machine.description().symbols;
        let relation = symbols.find(&pattern.name);
        let relation =
            relation.and_then(|name| self.relations.get_index_of(&(name, pattern.arguments.len())));
        relation.ok_or_else(|| FeatureError::UnknownFluent {
            fluent: pattern.signature(),
            known: name_list(self.relations()),
        })
    }

    /// The fluents that match a pattern, each with its arguments as texts; on a network at least one.
    ///
    /// # Errors
    /// The game has no such fluent.
    pub fn matching(&self, pattern: &Pattern) -> Result<Vec<(FluentId, Vec<&str>)>, FeatureError> {
        let relation = self.relation(pattern)?;
        let fluents: Vec<_> =
            self.members(relation).filter(|(_, arguments)| pattern.matches(arguments)).collect();
        if fluents.is_empty() && self.is_complete() {
            return Err(self.no_match(pattern, relation));
        }
        Ok(fluents)
    }

    /// An error that names the argument at fault: the first one that no fluent has, otherwise the first fixed one.
    fn no_match(&self, pattern: &Pattern, relation: usize) -> FeatureError {
        let alone = |index: usize| {
            let mut alone = pattern.clone();
            for (other, argument) in alone.arguments.iter_mut().enumerate().filter(|(at, _)| *at != index) {
                *argument = Argument::Variable(format!("other{other}"));
            }
            alone
        };
        let fixed = |&index: &usize| !matches!(pattern.arguments[index], Argument::Variable(_));
        let places = || (0..pattern.arguments.len()).filter(fixed);
        let foreign = |&index: &usize| {
            let alone = alone(index);
            !self.members(relation).any(|(_, arguments)| alone.matches(&arguments))
        };
        let index = places().find(foreign).or_else(|| places().next()).unwrap_or(0);
        let mut known: IndexMap<&str, (), FxBuildHasher> = IndexMap::default();
        for (_, arguments) in self.members(relation) {
            known.extend(arguments.get(index).map(|&text| (text, ())));
        }
        FeatureError::NoMatch {
            pattern: pattern.to_string(),
            argument: index + 1,
            known: name_list(known.keys().map(|text| (*text).to_owned())),
        }
    }

    /// The index of a role.
    ///
    /// # Errors
    /// The game has no such role.
    pub fn role(&self, role: &str) -> Result<usize, FeatureError> {
        let names = || self.machine.description().roles.iter().map(|&role| self.machine.term_text(role));
        names()
            .position(|name| name == role)
            .ok_or_else(|| FeatureError::UnknownRole { role: role.to_owned(), known: name_list(names()) })
    }
}

/// The relations of fluents: those of `init`, `next` and `true`, in the order of the rules.
fn fluent_relations(description: &Description) -> IndexSet<(Symbol, usize), FxBuildHasher> {
    let of_fluents = |kind| matches!(kind, RelationKind::Init | RelationKind::True | RelationKind::Next);
    let relations = description.relations.iter().filter(|relation| of_fluents(relation.kind));
    relations.map(|relation| (relation.name, relation.arity)).collect()
}

/// The first few names, separated by commas.
fn name_list(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    let mut text = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    if text.is_empty() { "none".to_owned() } else { text }
}
