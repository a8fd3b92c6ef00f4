//! Counts of the effects of the moves of one relation.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::analysis::Game;
use crate::gdl::rule::{RelationKind, Rule};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId};
use crate::machine::{Machine, MoveId};
use crate::structure::finding::{Latch, Structures};

use super::super::board_facts::BoardFacts;
use super::arrivals::{Arrivals, is_destination_of};
use super::change::{BoardChange, board_change};
use super::destination::Destination;
use super::empty_cells::EmptyObjects;
use super::move_kind::{CaptureCount, ChangeCount, ChangeKind, MoveKind, Permanence, TurnCount};
use super::owners::Owners;
use super::sentence::sentence;
use super::transition::{CellChange, FluentChange, Transition};

/// Moves switch cells if one in this many puts a piece on a cell, and one in this many removes a piece.
const SWITCH: u64 = 50;

/// A relation is described by its moves that do nothing only if at most one in this many does something.
const RARELY: u64 = 20;

/// The most values of an argument that are listed.
const MAX_VALUES: usize = 4;

/// The effects of the moves of one relation.
pub(super) struct RelationCounts {
    name: Symbol,
    pub(super) moves: u64,
    /// The values of each argument.
    values: Vec<BTreeSet<TermId>>,
    pub(super) changes: BTreeMap<ChangeKind, u64>,
    pub(super) captures: CaptureCount,
    pub(super) turned: TurnCount,
    /// The least and the greatest number of pieces by which moves of a kind changed a board, and their sum.
    pub(super) pieces: BTreeMap<ChangeKind, (usize, usize, usize)>,
    /// The least and the greatest number of changed cells of a board, and their sum, over the moves that changed some.
    pub(super) cells: (usize, usize, usize),
    pub(super) steps: Option<[i64; 2]>,
    /// The fluents that are not on a board with their changes, and the number of moves.
    pub(super) fluents: IndexMap<(usize, &'static str), u64>,
    /// The board that most moves change.
    board: Option<usize>,
    pub(super) arrivals: Arrivals,
    /// Where pieces arrive; set when all moves are counted.
    pub(super) destination: Option<Destination>,
    /// The objects that move only forward if others do not; set when all moves are counted.
    pub(super) only_forward: BTreeSet<usize>,
}

impl Transition {
    /// The changes of one board.
    pub(in crate::verdict) fn of_board(&self, board: usize) -> Vec<CellChange> {
        self.cells.iter().copied().filter(|change| change.board == board).collect()
    }

    /// The changes of one board that are due to a role: all if no other role moves, else those of its own objects. None if
    /// some change can't be attributed to a role.
    fn of_role(
        &self,
        board: usize,
        role: usize,
        owners: &Owners,
        empty: &EmptyObjects,
    ) -> Option<Vec<CellChange>> {
        let cells = self.of_board(board);
        if self.moves.len() == 1 {
            return Some(cells);
        }
        let marker = empty.among(&cells);
        let mut own = Vec::new();
        for change in cells {
            let objects = [change.old, change.new];
            let mut filled = objects.into_iter().flatten().filter(|&object| Some(object) != marker);
            let owner = filled.next().map(|object| owners.named(object))?;
            if filled.any(|object| owners.named(object) != owner) {
                return None;
            }
            if owner? == role {
                own.push(change);
            }
        }
        Some(own)
    }
}

/// The effects of moves, by relation.
pub(super) fn by_relation(
    game: &Game<'_>,
    boards: &BoardFacts<'_>,
    transitions: &[Transition],
    owners: &Owners,
    empty: &EmptyObjects,
) -> Vec<RelationCounts> {
    let mut relations: IndexMap<(Symbol, usize), RelationCounts> = IndexMap::new();
    // The boards that the moves of each relation change, in the order of `relations`.
    let mut changed: Vec<Vec<usize>> = Vec::new();
    let mut actions: FxHashMap<MoveId, usize> = FxHashMap::default();
    for transition in transitions {
        let touched: BTreeSet<usize> = transition.cells.iter().map(|change| change.board).collect();
        for &(_, action) in &transition.moves {
            let index = *actions.entry(action).or_insert_with(|| {
                let (name, arguments) = game.machine.action(action);
                let entry = relations.entry((name, arguments.len()));
                let index = entry.index();
                let counts = entry.or_insert_with(|| RelationCounts::new(name));
                counts.values.resize(arguments.len(), BTreeSet::new());
                for (values, term) in counts.values.iter_mut().zip(arguments) {
                    values.insert(term);
                }
                index
            });
            relations[index].moves += 1;
            if changed.len() <= index {
                changed.resize(index + 1, vec![0; boards.boards.len()]);
            }
            touched.iter().for_each(|&board| changed[index][board] += 1);
        }
    }
    for (counts, changed) in relations.values_mut().zip(&changed) {
        // Boards that change equally often are compared by their sizes, because their order in the rules has no meaning.
        // Pieces are of fewer kinds than numbers, such as those of groups.
        let objects = |board: usize| std::cmp::Reverse(boards.objects_of(board));
        let size = |board: usize| (changed[board], boards.cells_of(board), objects(board));
        let touched = (0..boards.boards.len()).filter(|&board| changed[board] > 0);
        counts.board = touched.max_by_key(|&board| (size(board), std::cmp::Reverse(board)));
    }
    for (number, transition) in transitions.iter().enumerate() {
        for &(role, action) in &transition.moves {
            let counts = &mut relations[actions[&action]];
            let board = counts.board.filter(|&board| !transition.of_board(board).is_empty()).or_else(|| {
                let first = transition.cells.first();
                first.map(|change| change.board)
            });
            let mut cells_changed = 0;
            let change = match board.map(|board| transition.of_role(board, role, owners, empty)) {
                Some(None) => {
                    counts.count(ChangeKind::Joint);
                    continue;
                }
                Some(Some(cells)) => {
                    cells_changed = cells.len();
                    let marker = empty.among(&cells);
                    let change = board_change(&cells, marker, Some(role), owners);
                    if let Some(change) = &change {
                        counts.arrivals.add((number, role), &cells, marker, change, boards);
                    }
                    change
                }
                None => None,
            };
            match change {
                Some(change) => {
                    counts.add_board_change(&change, cells_changed);
                    transition
                        .fluents
                        .iter()
                        .for_each(|&(fluent, change)| counts.note_fluent(fluent, change));
                }
                None if transition.moves.len() > 1 => counts.count(ChangeKind::Joint),
                None => counts.add_fluent_changes(&transition.fluents),
            }
        }
    }
    relations.into_values().collect()
}

/// For each board whether some move removed a piece from it.
pub(super) fn removes_pieces(
    boards: &BoardFacts<'_>,
    transitions: &[Transition],
    empty: &EmptyObjects,
) -> Vec<bool> {
    let mut removes = vec![false; boards.boards.len()];
    for transition in transitions {
        for (board, removes) in removes.iter_mut().enumerate() {
            let cells = transition.of_board(board);
            let marker = empty.among(&cells);
            let filled = |object: Option<usize>| object.is_some() && object != marker;
            *removes |= cells.iter().any(|change| filled(change.old) && !filled(change.new));
        }
    }
    removes
}

impl RelationCounts {
    fn new(name: Symbol) -> RelationCounts {
        RelationCounts {
            name,
            moves: 0,
            values: Vec::new(),
            changes: BTreeMap::new(),
            captures: CaptureCount::default(),
            turned: TurnCount::default(),
            pieces: BTreeMap::new(),
            cells: (usize::MAX, 0, 0),
            steps: None,
            fluents: IndexMap::new(),
            board: None,
            arrivals: Arrivals::default(),
            destination: None,
            only_forward: BTreeSet::new(),
        }
    }

    fn count(&mut self, kind: ChangeKind) {
        *self.changes.entry(kind).or_default() += 1;
    }

    fn add_board_change(&mut self, change: &BoardChange, cells: usize) {
        self.count(change.kind);
        self.cells = (self.cells.0.min(cells), self.cells.1.max(cells), self.cells.2 + cells);
        let pieces = self.pieces.entry(change.kind).or_insert((usize::MAX, 0, 0));
        *pieces = (pieces.0.min(change.pieces), pieces.1.max(change.pieces), pieces.2 + change.pieces);
        let (landing, elsewhere) = (change.captured_landing > 0, change.captured_elsewhere > 0);
        self.captures.moves += u64::from(landing || elsewhere);
        self.captures.landing += u64::from(landing);
        self.captures.elsewhere += u64::from(elsewhere);
        self.turned.moves += u64::from(change.turned > 0);
        self.turned.cells += change.turned as u64;
        self.turned.own += if change.turned > 0 { change.turned_own as u64 } else { 0 };
    }

    fn note_fluent(&mut self, fluent: usize, change: FluentChange) {
        let name = match change {
            FluentChange::Added => "adds",
            FluentChange::Removed => "removes",
            FluentChange::Quantity(_) | FluentChange::Replaced => "changes",
        };
        *self.fluents.entry((fluent, name)).or_default() += 1;
    }

    fn add_fluent_changes(&mut self, changes: &[(usize, FluentChange)]) {
        let mut has_quantity = false;
        for &(fluent, change) in changes {
            if let FluentChange::Quantity(step) = change {
                has_quantity = true;
                let [least, most] = self.steps.unwrap_or([step, step]);
                self.steps = Some([least.min(step), most.max(step)]);
            }
            self.note_fluent(fluent, change);
        }
        let only_quantities = changes.iter().all(|(_, change)| matches!(change, FluentChange::Quantity(_)));
        self.count(match changes.is_empty() {
            true => ChangeKind::Pass,
            false if has_quantity && only_quantities => ChangeKind::Quantity,
            false => ChangeKind::Other,
        });
    }

    /// Replaces the effects on a board by flips if the moves put pieces on cells and remove them: a move switches cells.
    pub(super) fn merge_switches(&mut self) {
        let of = |kind: ChangeKind| self.changes.get(&kind).copied().unwrap_or(0);
        if of(ChangeKind::Place).min(of(ChangeKind::Remove)) * SWITCH < self.moves {
            return;
        }
        let switches = [
            ChangeKind::Place,
            ChangeKind::Move,
            ChangeKind::Swap,
            ChangeKind::Remove,
            ChangeKind::Flip,
            ChangeKind::Promote,
        ];
        let moves = switches.into_iter().filter_map(|kind| self.changes.remove(&kind)).sum();
        self.changes.insert(ChangeKind::Flip, moves);
        self.pieces.insert(ChangeKind::Flip, self.cells);
        (self.captures, self.turned) = (CaptureCount::default(), TurnCount::default());
    }

    /// Whether a move belongs to the relation.
    pub(super) fn contains(&self, machine: &dyn Machine, action: MoveId) -> bool {
        let (name, arguments) = machine.action(action);
        name == self.name && arguments.len() == self.values.len()
    }

    /// The counts as a row of the result.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the game that the counts refer to")]
    pub(super) fn move_kind(
        &self,
        game: &Game<'_>,
        structures: &Structures,
        boards: &BoardFacts<'_>,
        removed: &[bool],
        all: u64,
        empty: &EmptyObjects,
    ) -> MoveKind {
        let description = game.machine.description();
        let mut changes: Vec<ChangeCount> =
            self.changes.iter().map(|(&kind, &moves)| ChangeCount { kind, moves }).collect();
        changes.sort_by_key(|count| (std::cmp::Reverse(count.moves), count.kind));
        let kind = changes.first().map_or(ChangeKind::Pass, |count| count.kind);
        let kind = match changes.get(1) {
            Some(second) if kind == ChangeKind::Pass && second.moves * RARELY > self.moves => second.kind,
            _ => kind,
        };
        let permanence = self.board.filter(|&board| kind == ChangeKind::Place && !removed[board]);
        let permanence = permanence.map(|board| {
            let finding = boards.boards[board];
            let latch = match empty.of_board(board, boards) {
                true => Latch::NeverReturns,
                false => Latch::Stays,
            };
            Permanence { proved: finding.latch == Some(latch) && finding.evidence.is_proved(), moves: all }
        });
        let arguments: Vec<String> =
            self.values.iter().map(|values| self.values_text(game, structures, values)).collect();
        let fluents = |fluent: usize| structures.fluents[fluent].fluent.name;
        let fluents: Vec<(String, &'static str, u64)> = self
            .fluents
            .iter()
            .map(|(&(fluent, change), &moves)| {
                (description.symbols.name(fluents(fluent)).to_owned(), change, moves)
            })
            .collect();
        let own = MoveKind {
            relation: format!("{}/{}", description.symbols.name(self.name), self.values.len()),
            form: self.form(game, structures),
            arguments,
            kind,
            changes,
            captures: self.captures,
            turned: self.turned,
            steps: self.steps.filter(|_| kind == ChangeKind::Quantity),
            permanence,
            destination: self.destination.filter(|&of| is_destination_of(of, kind)),
            only_forward: self.forward_names(game, boards),
            sentence: String::new(),
            moves: self.moves,
            share: self.moves as f64 / all.max(1) as f64,
        };
        let single = description.players().count() < 2;
        MoveKind { sentence: sentence(&own, &self.pieces, &fluents, single), ..own }
    }

    /// The names of the objects that move only forward. If they differ only in symbols that are roles, it is one name without
    /// them.
    fn forward_names(&self, game: &Game<'_>, boards: &BoardFacts<'_>) -> Vec<String> {
        let roles = &game.machine.description().roles;
        let name = |symbols: &mut dyn Iterator<Item = TermId>| {
            let words: Vec<String> = symbols.map(|symbol| game.machine.term_text(symbol)).collect();
            format!("`{}`", words.join(" "))
        };
        let objects = || self.only_forward.iter().map(|&object| boards.symbols(object).iter().copied());
        let common: BTreeSet<String> =
            objects().map(|symbols| name(&mut symbols.filter(|symbol| !roles.contains(symbol)))).collect();
        match common.first() {
            Some(only) if common.len() == 1 && only != "``" => vec![only.clone()],
            _ => objects().map(|mut symbols| name(&mut symbols)).collect(),
        }
    }

    /// The elements of the order that has all values, from the first value to the last, if no other value is between them.
    fn range(&self, structures: &Structures, values: &BTreeSet<TermId>) -> Option<[TermId; 2]> {
        let chains = structures.successors.iter().map(|found| &found.elements);
        let chains = chains.chain(structures.chains.iter().map(|found| &found.elements));
        chains.into_iter().find_map(|elements| {
            let places: Option<BTreeSet<usize>> =
                values.iter().map(|value| elements.iter().position(|element| element == value)).collect();
            let places = places?;
            let (first, last) = (*places.first()?, *places.last()?);
            (last - first + 1 == places.len() && last > first).then(|| [elements[first], elements[last]])
        })
    }

    fn values_text(&self, game: &Game<'_>, structures: &Structures, values: &BTreeSet<TermId>) -> String {
        if let Some([first, last]) = self.range(structures, values) {
            return format!("{} to {}", game.machine.term_text(first), game.machine.term_text(last));
        }
        let mut texts: Vec<String> = values.iter().map(|&value| game.machine.term_text(value)).collect();
        let numbers: Option<Vec<i64>> = texts.iter().map(|text| text.parse().ok()).collect();
        if let Some(mut numbers) = numbers {
            numbers.sort_unstable();
            if let (&[first, .., last], true) =
                (&*numbers, numbers.windows(2).all(|pair| pair[1] == pair[0] + 1))
            {
                return format!("{first} to {last}");
            }
        }
        texts.sort();
        match texts.len() {
            0..=MAX_VALUES if texts.iter().all(|text| text.len() <= 12) => texts.join(", "),
            1 => "1 value".to_owned(),
            count => format!("{count} values"),
        }
    }

    /// The form of the moves: the first and the last of a range, or the terms of the rules for legal moves.
    fn form(&self, game: &Game<'_>, structures: &Structures) -> String {
        let name = game.machine.description().symbols.name(self.name);
        if let [values] = &*self.values {
            let text = self.values_text(game, structures, values);
            if let Some((first, last)) = text.split_once(" to ") {
                return format!("({name} {first}) to ({name} {last})");
            }
        }
        match self.values.is_empty() {
            true => name.to_owned(),
            false => format!("({name} {})", self.head_arguments(game).join(" ")),
        }
    }

    /// The arguments in the heads of the rules for legal moves. The first rule with most variables gives their names; other
    /// arguments are terms if all moves seen have the same, else the place of the argument, `?2`.
    fn head_arguments(&self, game: &Game<'_>) -> Vec<String> {
        let description = game.machine.description();
        let legal = description.relation(RelationKind::Legal, self.name, self.values.len() + 1);
        let rules = legal.map_or(&[][..], |legal| &description.rules_of[legal.index()]);
        let rules = rules.iter().map(|&rule| &description.rules[rule as usize]);
        let variables = |rule: &&Rule| {
            let names = rule.head.arguments[1..].iter().filter_map(|term| match term {
                Term::Variable(variable) => Some(variable.0),
                _ => None,
            });
            names.collect::<BTreeSet<u32>>().len()
        };
        let rule = rules.rev().max_by_key(variables);
        let mut named = BTreeSet::new();
        let argument = |(place, values): (usize, &BTreeSet<TermId>)| {
            if let (Some(&only), 1) = (values.first(), values.len()) {
                return game.machine.term_text(only);
            }
            match rule.map(|rule| (rule, &rule.head.arguments[place + 1])) {
                Some((rule, Term::Variable(variable))) if named.insert(variable.0) => {
                    format!("?{}", description.symbols.name(rule.variables[variable.index()]))
                }
                _ => format!("?{}", place + 1),
            }
        };
        self.values.iter().enumerate().map(argument).collect()
    }
}
