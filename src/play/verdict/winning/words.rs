//! Sentences for conditions. Names are those of the rules; all other words are ours.

use std::collections::BTreeSet;

use super::condition::{Condition, Shape};
use super::connected_edges::ConnectedEdges;
use super::connection::Connection;
use super::cubes::{Cube, Leaves, Literal};
use super::facts::FactTable;
use super::measure::{Measure, same_but_role};
use crate::catalog::grouped;
use crate::gdl::term::TermId;
use crate::machine::Machine;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::FluentKind;

/// Facts that a sentence lists by name.
const LISTED: usize = 3;

/// Puts conditions for one role into words.
pub(super) struct Words<'a, 's> {
    pub(super) machine: &'a dyn Machine,
    pub(super) facts: &'a FactTable<'s>,
    pub(super) leaves: &'a Leaves,
    pub(super) roles: &'a [TermId],
    /// The number of roles that are not chance.
    pub(super) players: usize,
    /// The role that wins.
    pub(super) role: usize,
    /// Whether to count facts instead of listing them.
    pub(super) brief: bool,
}

/// Words joined as `a, b and c`.
fn listed(parts: &[String], last: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// The plural of our word for a thing; names of the rules are not changed.
fn plural(thing: String) -> String {
    let word = thing.split(' ').any(|word| word == "piece");
    if word { thing.replacen("piece", "pieces", 1) } else { thing }
}

impl Words<'_, '_> {
    /// A condition in words.
    pub(super) fn sentence(&self, condition: &Condition) -> String {
        match condition {
            Condition::Pattern { cubes, shape } => self.pattern(cubes, shape),
            Condition::NoPattern { cubes, shape } => self.no_pattern(cubes, shape),
            Condition::Compare { more, less, by } => self.comparison(more, less, *by),
            Condition::Range { measure, least, most } => self.range(measure, *least, *most),
            Condition::Stuck { role } => format!("{} cannot move", self.side(*role)),
            Condition::Mobile { role } => format!("{} can move", self.side(*role)),
            Condition::Connected(connection) => self.connection(connection),
            Condition::Disconnected(connection) if connection.axis.is_none() => {
                format!("not {}", self.connection(connection))
            }
            Condition::Disconnected(connection) => self.connection(connection).replacen("an", "no", 1),
            Condition::All(parts) => self.all(parts),
            Condition::Any(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.sentence(part)).collect();
                listed(&parts, "or")
            }
        }
    }

    fn all(&self, parts: &[Condition]) -> String {
        let of = |part: &Condition| match part {
            Condition::Compare { more, less, by } => Some((more.clone(), less.clone(), *by)),
            _ => None,
        };
        let compared: Option<Vec<_>> = parts.iter().map(of).collect();
        if let Some(compared) = compared
            && compared.len() > 1
            && compared.iter().all(|(more, _, by)| (more, by) == (&compared[0].0, &compared[0].2))
        {
            let than = "than every other role";
            let as_any = "as every other role";
            return self.more(&compared[0].0, compared[0].2, than, as_any);
        }
        if let [Condition::Pattern { cubes, shape: Shape::Fact }, Condition::Stuck { role }] = parts
            && self.turn(cubes[0][0]) == Some(*role)
        {
            return format!("{} is to move and cannot", self.side(*role));
        }
        let parts: Vec<String> = parts
            .iter()
            .map(|part| match part {
                Condition::Any(_) => format!("({})", self.sentence(part)),
                _ => self.sentence(part),
            })
            .collect();
        listed(&parts, "and")
    }

    fn term(&self, term: TermId) -> String {
        self.machine.term_text(term)
    }

    fn quoted(&self, term: TermId) -> String {
        format!("`{}`", self.term(term))
    }

    /// A role as subject.
    fn side(&self, role: usize) -> String {
        if role == self.role {
            "the winner".to_owned()
        } else if self.players == 2 {
            "the other side".to_owned()
        } else {
            self.quoted(self.roles[role])
        }
    }

    /// A role as owner.
    fn owner(&self, role: usize) -> String {
        if role == self.role {
            "own".to_owned()
        } else if self.players == 2 {
            "the other side's".to_owned()
        } else {
            format!("{}'s", self.term(self.roles[role]))
        }
    }

    fn functor(&self, family: usize) -> String {
        let name = self.facts.families[family].relation.name;
        format!("`{}`", self.machine.description().symbols.name(name))
    }

    /// The names of the fluents in combinations of facts; a number if there are more than [`LISTED`].
    fn functors(&self, cubes: &[Cube]) -> String {
        let family = |literal: &Literal| self.facts.list[self.leaves.facts(literal.leaf)[0]].family;
        let families: BTreeSet<usize> = cubes.iter().flatten().map(family).collect();
        match families.len() {
            1..=LISTED => {
                let names: Vec<String> = families.into_iter().map(|family| self.functor(family)).collect();
                listed(&names, "and")
            }
            number => format!("{number} fluents"),
        }
    }

    fn role_of(&self, term: TermId) -> Option<usize> {
        self.roles.iter().position(|&role| role == term)
    }

    /// Names for a thing: its owner and its other symbols, or else the fluent.
    fn thing(&self, family: usize, terms: &[TermId]) -> String {
        let owner = terms.iter().find_map(|&term| self.role_of(term));
        let names: Vec<String> =
            terms.iter().filter(|&&term| self.role_of(term).is_none()).map(|&term| self.term(term)).collect();
        let name = match names.is_empty() {
            false => format!("`{}`", names.join(" ")),
            true if self.facts.families[family].kind() == FluentKind::Board => "piece".to_owned(),
            true => self.functor(family),
        };
        match owner {
            Some(role) if self.facts.families[family].kind() == FluentKind::Place && names.is_empty() => {
                self.quoted(self.roles[role])
            }
            Some(role) => self.owned(role, &name),
            None => name,
        }
    }

    /// A thing with its owner.
    fn owned(&self, role: usize, name: &str) -> String {
        if role == self.role {
            format!("own {name}")
        } else if self.players == 2 {
            format!("{name} of the other side")
        } else {
            format!("{name} of {}", self.term(self.roles[role]))
        }
    }

    /// The contents of a literal's facts.
    fn content(&self, literal: Literal) -> String {
        let facts = self.leaves.facts(literal.leaf);
        let family = self.facts.list[facts[0]].family;
        let mut contents: Vec<Vec<TermId>> = facts.iter().map(|&fact| self.facts.content(fact)).collect();
        contents.sort_unstable();
        contents.dedup();
        if contents.len() > LISTED {
            return format!("one of {} contents of {}", contents.len(), self.functor(family));
        }
        let names: Vec<String> = contents.iter().map(|content| self.thing(family, content)).collect();
        listed(&names, "or")
    }

    fn cell(&self, fact: usize) -> String {
        let place: Vec<String> = self.facts.place(fact).iter().map(|&term| self.term(term)).collect();
        if place.len() == 1 { format!("`{}`", place[0]) } else { format!("({})", place.join(" ")) }
    }

    /// The role whose turn a literal says it is.
    fn turn(&self, literal: Literal) -> Option<usize> {
        let fact = &self.facts.list[*self.leaves.facts(literal.leaf).first()?];
        let control = self.facts.families[fact.family].kind() == FluentKind::Control;
        let found = self.facts.families[fact.family].finding?.control.filter(|_| control)?;
        self.role_of(fact.arguments[found.argument.index()])
    }

    /// A literal as a clause.
    fn fact(&self, literal: Literal, negated: bool) -> String {
        let holds = literal.negated == negated;
        let not = if holds { "" } else { "not " };
        if let Some(role) = self.turn(literal) {
            let whose = if role == self.role { "the winner's".to_owned() } else { self.owner(role) };
            return format!("it is {not}{whose} turn");
        }
        let facts = self.leaves.facts(literal.leaf);
        let fact = &self.facts.list[facts[0]];
        let family = &self.facts.families[fact.family];
        if let Some((argument, order)) = family.value {
            let others = (0..fact.arguments.len()).filter(|&of| of != argument);
            let key: Vec<TermId> = others.map(|of| fact.arguments[of]).collect();
            let value = self.value(&facts, argument, order);
            return format!("{} is {not}{value}", self.keyed(fact.family, &key));
        }
        if family.kind().has_cells() {
            let no = if holds { "" } else { "no " };
            return format!("{no}{} on {}", self.content(literal), self.cell(facts[0]));
        }
        if facts.len() > 1 {
            return format!("{not}one of {} facts of {}", facts.len(), self.functor(fact.family));
        }
        let text = self.machine.fluent_text(fact.fluent);
        format!("{not}`{text}`")
    }

    /// The name of a value.
    fn keyed(&self, family: usize, key: &[TermId]) -> String {
        let others: Vec<String> =
            key.iter().filter(|&&term| self.role_of(term).is_none()).map(|&term| self.quoted(term)).collect();
        let name = [vec![self.functor(family)], others].concat().join(" ");
        let role = key.iter().find_map(|&term| self.role_of(term));
        role.map_or_else(|| name.clone(), |role| self.owned(role, &name))
    }

    /// The values of facts: one, or a range at one end of their order.
    fn value(&self, facts: &[usize], argument: usize, order: &[TermId]) -> String {
        let terms: Vec<TermId> =
            facts.iter().map(|&fact| self.facts.list[fact].arguments[argument]).collect();
        let mut places: Vec<usize> =
            terms.iter().filter_map(|term| order.iter().position(|of| of == term)).collect();
        places.sort_unstable();
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
            return self.quoted(terms[0]);
        };
        let family = self.facts.list[facts[0]].family;
        let possible = |place: usize| {
            let of =
                |fact: &super::facts::Fact| fact.family == family && fact.arguments[argument] == order[place];
            self.facts.list.iter().any(of)
        };
        let consecutive = (first..=last).all(|place| !possible(place) || places.contains(&place));
        let [low, high] = [first, last].map(|place| self.quoted(order[place]));
        if first == last {
            low
        } else if !consecutive {
            format!("one of {} values", places.len())
        } else if (last + 1..order.len()).all(|place| !possible(place)) {
            format!("{low} or more")
        } else if (0..first).all(|place| !possible(place)) {
            format!("{high} or less")
        } else {
            format!("from {low} to {high}")
        }
    }

    fn row(&self, fact: usize, axis: usize) -> String {
        let value = self.term(self.facts.place(fact)[axis]);
        match (self.facts.list[fact].family, self.facts.place(fact).len(), axis) {
            (_, 2, 0) => format!("column {value}"),
            (_, 2, 1) => format!("row {value}"),
            _ => format!("a cell with `{value}` as coordinate {}", axis + 1),
        }
    }

    /// How many lines of how many cells.
    fn lines(&self, cubes: &[Cube], cells: usize, straight: bool) -> String {
        let noun = if straight { "lines" } else { "sets" };
        format!("{cells} cells of one of {} {noun}", grouped(cubes.len() as u64))
    }

    fn pattern(&self, cubes: &[Cube], shape: &Shape) -> String {
        let first = cubes[0][0];
        let content = || self.content(first);
        let fact = self.leaves.facts(first.leaf)[0];
        let count = grouped(cubes.len() as u64);
        let cells = self.facts.families[self.facts.list[fact].family].kind().has_cells();
        match shape {
            Shape::Fact => self.fact(first, false),
            Shape::Facts => self.together(&cubes[0]),
            Shape::Anywhere if cells => format!("{} on the board", content()),
            Shape::Anywhere => format!("any {}", content()),
            Shape::Row { axis } => format!("{} on {}", content(), self.row(fact, *axis)),
            Shape::SomeCell if cubes.len() <= LISTED && cells => {
                let facts = cubes.iter().map(|cube| self.leaves.facts(cube[0].leaf)[0]);
                let cells: Vec<String> = facts.map(|fact| self.cell(fact)).collect();
                format!("{} on {}", content(), listed(&cells, "or"))
            }
            Shape::SomeCell if cells => format!("{} on one of {count} cells", content()),
            Shape::SomeCell => format!("one of {count} facts of {}", content()),
            Shape::Lines { cells: number, straight: true, exactly: true } => {
                format!("{} on exactly {number} cells in a row", plural(content()))
            }
            Shape::Lines { cells: number, straight, .. } if cells => {
                format!("{} on {}", plural(content()), self.lines(cubes, *number, *straight))
            }
            Shape::Lines { cells: number, .. } => {
                format!("one of {count} sets of {number} facts of {}", content())
            }
            Shape::Meeting => {
                let other = self.content(cubes[0][1]);
                format!("{} and {other} on one cell", content())
            }
            Shape::Without => {
                let [on, without] = if first.negated { [cubes[0][1], first] } else { [first, cubes[0][1]] };
                format!("{} on a cell without {}", self.content(on), self.content(without))
            }
            Shape::Combinations { facts, sets, straight: true } => {
                let sets = grouped(*sets as u64);
                format!("one of {count} combinations of {facts} contents on one of {sets} lines")
            }
            Shape::Combinations { facts, .. } => {
                let fluents = self.functors(cubes);
                // Several facts can meet a condition, such as pieces that share a trait.
                let several = cubes.iter().flatten().any(|literal| self.leaves.facts(literal.leaf).len() > 1);
                let what = if several { "conditions on" } else { "facts of" };
                format!("one of {count} combinations of {facts} {what} {fluents}")
            }
        }
    }

    fn no_pattern(&self, cubes: &[Cube], shape: &Shape) -> String {
        let first = cubes[0][0];
        let fact = self.leaves.facts(first.leaf)[0];
        match shape {
            Shape::Fact => self.fact(first, true),
            Shape::Facts if self.one_thing(&cubes[0]) => {
                let number = cubes[0].len();
                let cells: Vec<String> =
                    cubes[0].iter().map(|literal| self.cell(self.leaves.facts(literal.leaf)[0])).collect();
                match self.brief || number > LISTED {
                    true => format!("no {} on all of {number} given cells", self.content(first)),
                    false => format!("no {} on all of {}", self.content(first), listed(&cells, "and")),
                }
            }
            Shape::Facts => format!("not ({})", self.together(&cubes[0])),
            Shape::Lines { cells: 2, straight: false, .. } => {
                let count = grouped(cubes.len() as u64);
                format!("no two {} on any of {count} pairs of cells", self.content(first))
            }
            Shape::Anywhere => format!("no {}", self.content(first)),
            Shape::Lines { cells, straight, .. } => {
                let noun = if *straight { "lines" } else { "sets" };
                let count = grouped(cubes.len() as u64);
                format!("no {} on all {cells} cells of any of {count} {noun}", self.content(first))
            }
            Shape::Row { axis } => format!("no {} on {}", self.content(first), self.row(fact, *axis)),
            Shape::Meeting => {
                let other = self.content(cubes[0][1]);
                format!("{} and {other} on different cells", self.content(first))
            }
            Shape::SomeCell | Shape::Combinations { .. } | Shape::Without => {
                let text = self.pattern(cubes, shape);
                match text.strip_prefix("one of ") {
                    Some(rest) => format!("none of {rest}"),
                    None => format!("no {text}"),
                }
            }
        }
    }

    /// Whether all facts of a conjunction have the same contents, on cells.
    fn one_thing(&self, cube: &Cube) -> bool {
        let on_cells = |literal: &Literal| {
            let fact = &self.facts.list[self.leaves.facts(literal.leaf)[0]];
            self.facts.families[fact.family].kind().has_cells() && !literal.negated
        };
        cube.iter().all(|literal| on_cells(literal) && self.content(*literal) == self.content(cube[0]))
    }

    /// Several facts that hold together.
    fn together(&self, cube: &Cube) -> String {
        let first = &self.facts.list[self.leaves.facts(cube[0].leaf)[0]];
        let family = first.family;
        let of = &self.facts.families[family];
        let one_family =
            cube.iter().all(|literal| self.facts.list[self.leaves.facts(literal.leaf)[0]].family == family);
        let contents: Vec<String> = cube.iter().map(|&literal| self.content(literal)).collect();
        let number = cube.len();
        let facts = self.facts.list.iter().enumerate().filter(|(_, fact)| fact.family == family);
        let mut places: Vec<Vec<TermId>> = facts.map(|(fact, _)| self.facts.place(fact)).collect();
        places.sort_unstable();
        places.dedup();
        let cells = of.kind().has_cells();
        if one_family && number > 2 && contents.iter().all(|content| *content == contents[0]) {
            let what = &contents[0];
            return match (cells, of.value, places.len() == number) {
                (true, _, true) => format!("{what} on all {number} cells"),
                (true, _, false) if number > LISTED || self.brief => {
                    format!("{what} on {number} given cells")
                }
                (_, Some((argument, order)), true) => {
                    let value = self.value(&self.leaves.facts(cube[0].leaf), argument, order);
                    format!("all {number} {} are {value}", self.functor(family))
                }
                (false, None, true) => format!("all {number} {what}"),
                _ => self.listed_facts(cube),
            };
        }
        if one_family && cells && number > LISTED {
            let shown: Vec<String> = cube.iter().take(2).map(|&literal| self.fact(literal, false)).collect();
            let of_cells = if places.len() == number { "all" } else { "" };
            let text = format!("a given arrangement on {of_cells} {number} cells, with {}", shown.join(", "));
            return text.replace("  ", " ");
        }
        self.listed_facts(cube)
    }

    fn listed_facts(&self, cube: &Cube) -> String {
        if self.brief && cube.len() > LISTED {
            return format!("{} given facts", cube.len());
        }
        let shown = if cube.len() <= LISTED { cube.len() } else { LISTED - 1 };
        let facts: Vec<String> = cube.iter().take(shown).map(|&literal| self.fact(literal, false)).collect();
        match cube.len() - shown {
            0 => listed(&facts, "and"),
            more => format!("{} and {more} more facts", facts.join(", ")),
        }
    }

    fn measured(&self, measure: &Measure) -> String {
        match measure {
            Measure::Count { family, content } => {
                let terms: Vec<TermId> = content.iter().copied().flatten().collect();
                self.thing(*family, &terms)
            }
            Measure::Value { family, key } => self.keyed(*family, key),
        }
    }

    /// The measure with an owner removed, for comparisons with others.
    fn unowned(&self, measure: &Measure) -> String {
        let rest = |terms: &[TermId]| -> Vec<TermId> {
            terms.iter().copied().filter(|&term| self.role_of(term).is_none()).collect()
        };
        match measure {
            Measure::Count { family, content } => {
                let terms: Vec<TermId> = content.iter().copied().flatten().collect();
                self.thing(*family, &rest(&terms))
            }
            Measure::Value { family, key } => self.keyed(*family, &rest(key)),
        }
    }

    fn owned_by(&self, measure: &Measure) -> Option<usize> {
        match measure {
            Measure::Count { content, .. } => content.iter().flatten().find_map(|&term| self.role_of(term)),
            Measure::Value { key, .. } => key.iter().find_map(|&term| self.role_of(term)),
        }
    }

    fn more(&self, measure: &Measure, by: i32, than: &str, as_much: &str) -> String {
        let what = self.unowned(measure);
        let count = matches!(measure, Measure::Count { .. });
        match (by, count) {
            (1, true) => format!("more {} {than}", plural(what)),
            (1, false) => format!("a higher {what} {than}"),
            (0, true) => format!("at least as many {} {as_much}", plural(what)),
            (0, false) => format!("at least the same {what} {as_much}"),
            (by @ 2.., true) => format!("at least {by} more {} {than}", plural(what)),
            (by @ 2.., false) => format!("a {what} higher by at least {by} {than}"),
            (by, _) => format!("a {what} lower by at most {} {than}", -by),
        }
    }

    fn comparison(&self, more: &Measure, less: &Measure, by: i32) -> String {
        if same_but_role(more, less, self.roles) && self.players == 2 {
            if self.owned_by(more) == Some(self.role) {
                return self.more(more, by, "than the other side", "as the other side");
            }
            let (what, count) = (self.unowned(more), matches!(more, Measure::Count { .. }));
            match (by, count) {
                (1, true) => return format!("fewer {} than the other side", plural(what)),
                (1, false) => return format!("a lower {what} than the other side"),
                (0, true) => return format!("at most as many {} as the other side", plural(what)),
                (0, false) => return format!("at most the same {what} as the other side"),
                _ => {}
            }
        }
        let (more, less) = (self.measured(more), self.measured(less));
        match by {
            1 => format!("more {more} than {less}"),
            0 => format!("at least as much {more} as {less}"),
            by @ 2.. => format!("at least {by} more {more} than {less}"),
            by => format!("at most {} fewer {more} than {less}", -by),
        }
    }

    /// What a role needs as much of as possible.
    pub(super) fn points(&self, measure: &Measure) -> String {
        let what = self.measured(measure);
        match measure {
            Measure::Count { .. } => {
                format!("as many {} as possible; the goal value rises with them", plural(what))
            }
            Measure::Value { .. } => format!("{what} as high as possible; the goal value rises with it"),
        }
    }

    fn range(&self, measure: &Measure, least: Option<i32>, most: Option<i32>) -> String {
        let what = self.measured(measure);
        let value = |of: i32| match measure {
            Measure::Value { family, .. } => {
                let order = self.facts.families[*family].value.map_or(&[][..], |(_, order)| order);
                let term = usize::try_from(of).ok().and_then(|place| order.get(place));
                term.map_or_else(|| of.to_string(), |&term| self.quoted(term))
            }
            Measure::Count { .. } => of.to_string(),
        };
        let count = matches!(measure, Measure::Count { .. });
        match (least, most, count) {
            (None, Some(0), true) => format!("no {what}"),
            (Some(1), None, true) => format!("at least one {what}"),
            (Some(least), None, true) => format!("at least {} {what}", value(least)),
            (None, Some(most), true) => format!("at most {} {what}", value(most)),
            (Some(least), None, false) => format!("{what} is {} or more", value(least)),
            (None, Some(most), false) => format!("{what} is {} or less", value(most)),
            (Some(least), Some(most), _) => format!("{what} is from {} to {}", value(least), value(most)),
            (None, None, _) => format!("any {what}"),
        }
    }

    fn connection(&self, connection: &Connection) -> String {
        let what = plural(self.thing(connection.family, &connection.content));
        let Some(axis) = connection.axis else { return format!("all {what} connected") };
        match self.ends(connection.family, axis) {
            Some(ends) => {
                let [from, to] = ends.map(|fact| self.row(fact, axis));
                format!("an unbroken chain of {what} from {from} to {to}")
            }
            None => format!("an unbroken chain of {what}"),
        }
    }

    /// A fact on a first cell along an axis, and one on a last cell.
    fn ends(&self, family: usize, axis: usize) -> Option<[usize; 2]> {
        let order = self.facts.families[family].orders[axis].unwrap_or_default();
        let along = |fact: usize| order.iter().position(|&term| term == self.facts.place(fact)[axis]);
        let facts = self.facts.list.iter().enumerate().filter(|(_, fact)| fact.family == family);
        let mut ends: Vec<(Option<usize>, usize)> = facts.map(|(fact, _)| (along(fact), fact)).collect();
        ends.sort_unstable();
        Some([ends.first()?.1, ends.last()?.1])
    }

    /// The edges that a condition requires the role to connect; none if the pieces are another role's.
    pub(super) fn edges(&self, condition: &Condition) -> Option<ConnectedEdges> {
        let connection = match condition {
            Condition::Connected(connection) => connection,
            Condition::All(parts) => return parts.iter().find_map(|part| self.edges(part)),
            _ => return None,
        };
        let (family, axis) = (&self.facts.families[connection.family], connection.axis?);
        if connection.content.iter().any(|&term| self.role_of(term).is_some_and(|role| role != self.role)) {
            return None;
        }
        let ends = self.ends(connection.family, axis)?;
        Some(ConnectedEdges {
            fluent: family.relation.signature(&self.machine.description().symbols),
            argument: ArgumentPosition::at(family.place[axis]),
            ends: ends.map(|fact| self.term(self.facts.place(fact)[axis])),
        })
    }
}
