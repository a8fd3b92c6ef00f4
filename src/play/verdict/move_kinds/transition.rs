//! What changes from one state of a game to the next, and whose move changed it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::analysis::Game;
use crate::gdl::term::TermId;
use crate::machine::{Cursor, FluentId, Machine, MoveId, State};
use crate::simulate::WorkLimit;
use crate::structure::finding::{FluentFinding, FluentKind, Structures};

use super::super::board_facts::{BoardFact, BoardFacts};
use super::super::played_game::PlayedGame;

/// The contents of a cell before and after a move; none if the cell has no fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) struct CellChange {
    pub(in crate::verdict) board: usize,
    pub(in crate::verdict) cell: usize,
    pub(in crate::verdict) old: Option<usize>,
    pub(in crate::verdict) new: Option<usize>,
}

/// The change of a fluent that is not on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FluentChange {
    /// A quantity changes by this number of steps in its order.
    Quantity(i64),
    /// Facts appear.
    Added,
    /// Facts disappear.
    Removed,
    /// Facts appear and others disappear.
    Replaced,
}

/// One joint move and its effect.
#[derive(Clone, Debug)]
pub(in crate::verdict) struct Transition {
    /// The game, and the step before the move.
    pub(in crate::verdict) game: usize,
    pub(in crate::verdict) step: usize,
    /// The roles whose moves are not noops, with their moves.
    pub(in crate::verdict) moves: Vec<(usize, MoveId)>,
    /// The changes of boards, by board and cell.
    pub(in crate::verdict) cells: Vec<CellChange>,
    /// The changes of other fluents, by their place in the findings.
    pub(super) fluents: Vec<(usize, FluentChange)>,
}

impl Transition {
    /// The role whose move it is, if only one role has one.
    pub(in crate::verdict) fn mover(&self) -> Option<usize> {
        match *self.moves {
            [(role, _)] => Some(role),
            _ => None,
        }
    }
}

/// A fact of a fluent that is not on a board.
#[derive(Clone, Debug)]
struct OtherFact {
    /// The place of the fluent in the findings.
    fluent: usize,
    /// For a quantity its other arguments, and the position of its value in the order.
    quantity: Option<(Vec<TermId>, i64)>,
}

/// Reads the transitions of games.
pub(in crate::verdict) struct TransitionReader<'a> {
    machine: &'a dyn Machine,
    structures: &'a Structures,
    pub(in crate::verdict) boards: BoardFacts<'a>,
    others: FxHashMap<FluentId, Option<OtherFact>>,
    /// Makes the states after other moves.
    cursor: Box<dyn Cursor + 'a>,
}

/// The number of other moves whose effects are compared with those of a move.
const ALTERNATIVES: usize = 3;

impl<'a> TransitionReader<'a> {
    pub(in crate::verdict) fn new(game: &Game<'a>, structures: &'a Structures) -> TransitionReader<'a> {
        let boards = BoardFacts::new(game.machine, structures);
        let cursor = game.machine.cursor();
        TransitionReader { machine: game.machine, structures, boards, others: FxHashMap::default(), cursor }
    }

    /// The transitions of games in which some role does not play a noop. Stops at the limit; a unit of work is a fact of a
    /// state.
    pub(in crate::verdict) fn read(
        &mut self,
        games: &[PlayedGame],
        limit: &WorkLimit<'_>,
    ) -> Vec<Transition> {
        let mut transitions = Vec::new();
        for (number, played) in games.iter().enumerate() {
            let mut before = Vec::new();
            for (step, state) in played.states.iter().enumerate() {
                let after = self.fluents(state);
                if limit.spend(after.len() as u64 + 1).is_err() {
                    return transitions;
                }
                if let Some(joint) = step.checked_sub(1).and_then(|last| played.moves.get(last)) {
                    let moves = self.moves(joint);
                    if !moves.is_empty() {
                        let mut transition = self.transition((number, step - 1), moves, &before, &after);
                        if let [(role, action)] = transition.moves[..] {
                            let others =
                                self.after_other_moves(&played.states[step - 1], joint, (role, action));
                            if limit.spend(others.iter().map(|after| after.len() as u64 + 1).sum()).is_err() {
                                return transitions;
                            }
                            self.remove_other_movement(&mut transition, &before, &others);
                        }
                        transitions.push(transition);
                    }
                }
                before = after;
            }
        }
        transitions
    }

    /// The legal moves of a role in a state; empty if it can't be evaluated.
    pub(super) fn legal(&mut self, state: &State, role: usize) -> &[MoveId] {
        if self.cursor.set(state).is_err() { &[] } else { self.cursor.legal(role) }
    }

    /// The fluents after a joint move, sorted by number; none if a state can't be evaluated.
    pub(super) fn after(&mut self, before: &State, joint: &[MoveId]) -> Option<Vec<FluentId>> {
        self.cursor.set(before).ok()?;
        self.cursor.advance(joint).ok()?;
        let state = self.cursor.state().clone();
        Some(self.fluents(&state))
    }

    /// The changes of cells between two states, given by their sorted fluents.
    pub(super) fn changed_cells(&mut self, before: &[FluentId], after: &[FluentId]) -> Vec<CellChange> {
        let (removed, added) = difference(before, after);
        self.cells(&removed, &added)
    }

    /// The fluents of a state, sorted by number.
    pub(super) fn fluents(&self, state: &State) -> Vec<FluentId> {
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        fluents.sort_unstable();
        fluents
    }

    /// The moves that are not noops.
    fn moves(&self, joint: &[MoveId]) -> Vec<(usize, MoveId)> {
        let is_noop = |role: usize, action: MoveId| {
            self.structures.noops.get(&role).is_some_and(|noops| noops.contains(&action))
        };
        let random = self.machine.description().random_role();
        let moves = joint.iter().copied().enumerate();
        moves.filter(|&(role, action)| Some(role) != random && !is_noop(role, action)).collect()
    }

    /// The fluents after some other moves of the role, with the same moves of all others. Empty if it has no other move or a
    /// state can't be evaluated.
    fn after_other_moves(
        &mut self,
        before: &State,
        joint: &[MoveId],
        (role, action): (usize, MoveId),
    ) -> Vec<Vec<FluentId>> {
        let others: Vec<MoveId> =
            self.legal(before, role).iter().copied().filter(|&other| other != action).collect();
        let stride = others.len().div_ceil(ALTERNATIVES).max(1);
        let after_other = |&other: &MoveId| {
            let mut joint = joint.to_vec();
            joint[role] = other;
            self.after(before, &joint)
        };
        others.iter().step_by(stride).map(after_other).collect::<Option<_>>().unwrap_or_default()
    }

    /// Removes the movement of objects that happens whatever the role plays: an object leaves one cell and appears on another
    /// after every move. It belongs to the rules of the game, not to the move.
    fn remove_other_movement(
        &mut self,
        transition: &mut Transition,
        before: &[FluentId],
        others: &[Vec<FluentId>],
    ) {
        if others.is_empty() {
            return;
        }
        let mut common = transition.cells.clone();
        for after in others {
            let cells = self.changed_cells(before, after);
            common.retain(|change| cells.contains(change));
        }
        let moves = |change: &CellChange| {
            let leaves = |object| common.iter().any(|other| other != change && other.old == Some(object));
            let arrives = |object| common.iter().any(|other| other != change && other.new == Some(object));
            change.new.is_some_and(leaves) || change.old.is_some_and(arrives)
        };
        transition.cells.retain(|change| !(common.contains(change) && moves(change)));
    }

    fn transition(
        &mut self,
        (game, step): (usize, usize),
        moves: Vec<(usize, MoveId)>,
        before: &[FluentId],
        after: &[FluentId],
    ) -> Transition {
        let (removed, added) = difference(before, after);
        let cells = self.cells(&removed, &added);
        let fluents = self.other_changes(&removed, &added);
        Transition { game, step, moves, cells, fluents }
    }

    /// The changes of cells. If a cell loses and gains several objects, they are paired in the order of their numbers.
    fn cells(&mut self, removed: &[&FluentId], added: &[&FluentId]) -> Vec<CellChange> {
        let mut facts = |fluents: &[&FluentId]| -> Vec<BoardFact> {
            let mut facts: Vec<_> = fluents.iter().filter_map(|&&fluent| self.boards.fact(fluent)).collect();
            facts.sort_unstable();
            facts
        };
        let (old, new) = (facts(removed), facts(added));
        let change = |fact: BoardFact, old, new| CellChange { board: fact.board, cell: fact.cell, old, new };
        let mut changes = Vec::new();
        let mut new = new.into_iter().peekable();
        for fact in old {
            let place = (fact.board, fact.cell);
            while let Some(only) = new.next_if(|other| (other.board, other.cell) < place) {
                changes.push(change(only, None, Some(only.object)));
            }
            let same = new.next_if(|other| (other.board, other.cell) == place).map(|other| other.object);
            changes.push(change(fact, Some(fact.object), same));
        }
        changes.extend(new.map(|only| change(only, None, Some(only.object))));
        changes
    }

    fn other_changes(&mut self, removed: &[&FluentId], added: &[&FluentId]) -> Vec<(usize, FluentChange)> {
        let mut facts = |fluents: &[&FluentId]| -> Vec<OtherFact> {
            fluents.iter().filter_map(|&&fluent| self.other(fluent)).collect()
        };
        let (old, new) = (facts(removed), facts(added));
        let mut changes: Vec<(usize, FluentChange)> = Vec::new();
        let numbers = old.iter().chain(&new).map(|fact| fact.fluent);
        let numbers: BTreeSet<usize> = numbers.collect();
        for number in numbers {
            let of = |facts: &'_ [OtherFact]| -> Vec<OtherFact> {
                facts.iter().filter(|fact| fact.fluent == number).cloned().collect()
            };
            let (old, new) = (of(&old), of(&new));
            let value = |facts: &[OtherFact], key: &[TermId]| {
                let of_key = |fact: &OtherFact| fact.quantity.clone().filter(|(other, _)| other == key);
                facts.iter().find_map(of_key).map(|(_, value)| value)
            };
            let pairs: Option<Vec<i64>> = old
                .iter()
                .map(|fact| {
                    let (key, before) = fact.quantity.as_ref()?;
                    Some(value(&new, key)? - before)
                })
                .collect();
            match pairs {
                Some(pairs) if !pairs.is_empty() && pairs.len() == new.len() => {
                    changes.extend(pairs.into_iter().map(|step| (number, FluentChange::Quantity(step))));
                }
                _ => changes.push((
                    number,
                    match (old.is_empty(), new.is_empty()) {
                        (true, _) => FluentChange::Added,
                        (_, true) => FluentChange::Removed,
                        _ => FluentChange::Replaced,
                    },
                )),
            }
        }
        changes
    }

    /// A fact that is not on a board and does not belong to a counter or a control fluent.
    fn other(&mut self, fluent: FluentId) -> Option<OtherFact> {
        if let Some(known) = self.others.get(&fluent) {
            return known.clone();
        }
        let fact = self.read_other(fluent);
        self.others.insert(fluent, fact.clone());
        fact
    }

    fn read_other(&self, fluent: FluentId) -> Option<OtherFact> {
        let (name, arguments) = self.machine.fluent(fluent);
        let of = |finding: &FluentFinding| finding.fluent.name == name && finding.arity == arguments.len();
        let place = self.structures.fluents.iter().position(of)?;
        let finding = &self.structures.fluents[place];
        if finding.kind.has_cells() || matches!(finding.kind, FluentKind::Counter | FluentKind::Control) {
            return None;
        }
        let quantity = finding.quantity.and_then(|quantity| {
            let value = quantity.value.index();
            let elements = self.structures.elements(quantity.order)?;
            let position = elements.iter().position(|&element| element == arguments[value])?;
            let key = arguments.iter().enumerate().filter(|(argument, _)| *argument != value);
            Some((key.map(|(_, &term)| term).collect(), position as i64))
        });
        Some(OtherFact { fluent: place, quantity })
    }
}

/// The fluents that only the first list has, and those that only the second has; both are sorted.
fn difference<'f>(before: &'f [FluentId], after: &'f [FluentId]) -> (Vec<&'f FluentId>, Vec<&'f FluentId>) {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        match (old.peek(), new.peek()) {
            (Some(a), Some(b)) if a == b => {
                old.next();
                new.next();
            }
            (Some(a), Some(b)) if a < b => removed.extend(old.next()),
            (Some(_), None) => removed.extend(old.next()),
            (_, Some(_)) => added.extend(new.next()),
            (None, None) => break,
        }
    }
    (removed, added)
}
