//! Collects facts about boards that are not among the findings: the possible facts, the joined and the marked cells,
//! and a few random playouts.

use crate::analysis::Game;
use crate::gdl::term::TermId;
use crate::machine::{FluentId, Machine, MoveId, State};
use crate::simulate::{Budget, Context, Observer, Position, observe};
use crate::structure;
use crate::structure::adjacency::board_adjacency;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{Axis, Structures};

use super::cell_marks::{CellMarks, cell_marks};
use super::facts::{Fact, FactReader};
use super::orientation::SampledState;

/// The most fluents of a network that are searched for cells.
const FLUENTS: usize = 200_000;

/// The random playouts that show how a board is turned, and the most joint moves of each.
const PLAYOUTS: u64 = 8;
const STEPS: u32 = 100;

/// The most facts of all states of these playouts.
const FACTS: usize = 200_000;

/// Two cells, given by positions in the domains, in the order of the axes.
pub(super) type CellPair = [Vec<Option<usize>>; 2];

/// The sources of the boards of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct BoardSources {
    /// The possible facts, as far as they are known; they determine the cells.
    pub(super) known: Vec<Fact>,
    /// For each fluent, by index in `Structures::fluents`, the joined cells.
    pub(super) joined: Vec<(usize, Vec<CellPair>)>,
    /// The static relations that mark cells.
    pub(super) marks: Vec<CellMarks>,
    /// Random playouts from the initial state.
    pub(super) playouts: Vec<Vec<SampledState>>,
}

impl BoardSources {
    /// Collects the sources; without random playouts if the game can't be played.
    pub(super) fn new(game: &Game<'_>, structures: &Structures, reader: &FactReader<'_>) -> BoardSources {
        if !structures.fluents.iter().any(|finding| finding.kind.has_cells()) {
            return BoardSources::default();
        }
        let rules = structure::Game { machine: game.machine, statics: game.statics };
        let joined = structures.fluents.iter().enumerate().filter_map(|(fluent, finding)| {
            let of_board = || board_adjacency(&rules, structures, finding);
            let adjacency = finding.adjacency.clone().or_else(of_board)?;
            let cell = |fact: &[TermId], arguments: &[ArgumentPosition]| {
                let coordinates = finding.axes.iter().zip(arguments);
                let position = |(axis, argument): (&Axis, &ArgumentPosition)| {
                    reader.position(fluent, axis.argument.index(), fact[argument.index()])
                };
                coordinates.map(position).collect()
            };
            let pair = |fact: &[TermId]| [cell(fact, &adjacency.from), cell(fact, &adjacency.to)];
            Some((fluent, game.statics.tuples(adjacency.relation).map(pair).collect()))
        });
        BoardSources {
            known: possible_facts(game.machine, reader),
            joined: joined.collect(),
            marks: cell_marks(game, structures, reader),
            playouts: playouts(game.machine, reader),
        }
    }
}

/// The facts of a network's fluents; empty for a relational machine.
fn possible_facts(machine: &dyn Machine, reader: &FactReader<'_>) -> Vec<Fact> {
    let fluents = machine.network().map_or(0, |network| network.fluents.len());
    match fluents <= FLUENTS {
        true => (0..fluents as u32).map(|number| reader.fact(FluentId(number))).collect(),
        false => Vec::new(),
    }
}

/// Plays a few playouts at random.
fn playouts(machine: &dyn Machine, reader: &FactReader<'_>) -> Vec<Vec<SampledState>> {
    let budget = Budget { playouts: PLAYOUTS, max_steps: STEPS, threads: 1, ..Budget::default() };
    let observed = observe(machine, &budget, &Context::default(), StateList::default);
    let mut facts = 0;
    let mut read = |(state, mover): (State, Option<usize>)| {
        let state = SampledState { facts: reader.facts(&state), mover };
        facts += state.facts.len();
        (facts <= FACTS).then_some(state)
    };
    let playouts = observed.map_or(Vec::new(), |(_, StateList(playouts))| playouts);
    playouts.into_iter().map(|states| states.into_iter().map_while(&mut read).collect()).collect()
}

/// The states of playouts, each with the only role that had a choice.
#[derive(Default)]
struct StateList(Vec<Vec<(State, Option<usize>)>>);

impl Observer for StateList {
    fn position(&mut self, position: &Position<'_>) {
        if position.step == 0 {
            self.0.push(Vec::new());
        }
        let mut choosing = (0..position.legal.len()).filter(|&role| position.legal[role].len() > 1);
        let mover = choosing.next().filter(|_| choosing.next().is_none());
        if let Some(states) = self.0.last_mut() {
            states.push((position.state.clone(), mover));
        }
    }

    fn moved(&mut self, _before: &Position<'_>, _joint: &[MoveId], _after: &Position<'_>) {}

    fn merge(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}
