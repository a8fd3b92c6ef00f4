//! The states on which conditions are checked: states of random play, and, if these lack wins, constructed ones.
//!
//! A constructed state is a state of play into which the facts of one alternative of the goal are written, or from which
//! one of these facts is then taken away. Facts that exclude each other stay exclusive. It need not be reachable, so it is
//! used only if play has too few states with or without the goal value.

use rustc_hash::FxHashSet;

use super::cubes::{Cube, Leaves};
use super::facts::FactTable;
use super::state_set::StateSet;
use crate::analysis::Game;
use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId, State};
use crate::simulate::{Choices, WorkLimit};
use crate::structure::finding::{FluentKind, Structures, Turns};

/// The number of states with and without a goal value on which a condition is checked.
pub(super) const ENOUGH: usize = 100;

/// Limits of random play: playouts, terminal states, steps of a playout, and work of the cursor.
const MAX_PLAYOUTS: u64 = 1_500;
const MAX_ENDS: usize = 1_200;
const MAX_STEPS: usize = 1_000;
const MAX_WORK: u64 = 25_000_000;

/// The most work to find which roles can move.
const MAX_MOBILITY_WORK: u64 = 40_000_000;

/// States before the end that are taken from each playout, and from all together.
const BEFORE_END: usize = 2;
const MAX_BEFORE_END: usize = 1_000;

/// States that are constructed at most for each role and outcome.
const MAX_CONSTRUCTED: usize = 150;

/// Streams of random numbers, after those of playouts.
const CONSTRUCTION: u64 = 1 << 40;
const THINNING: u64 = 2 << 40;

/// States from which most facts of one content are removed.
const MAX_THINNED: usize = 240;

/// A state with its sampled properties.
struct SampledState {
    state: State,
    terminal: bool,
    /// The goal value of each role, if it has exactly one.
    goals: Vec<Option<i32>>,
    /// Whether it was reached in play.
    reached: bool,
}

/// Collects states.
pub(super) struct Sampler<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    best: Vec<Option<i32>>,
    /// The roles that are not chance.
    players: Vec<usize>,
    seed: u64,
    known: FxHashSet<State>,
    list: Vec<SampledState>,
}

/// The states, and for each fact the states in which it holds.
pub(super) struct StateTable<'m> {
    machine: &'m dyn Machine,
    states: Vec<State>,
    holds: Vec<StateSet>,
    none: StateSet,
    /// States that were reached in play.
    pub(super) reached: StateSet,
    pub(super) terminal: StateSet,
    /// For each role the states in which it gets its best goal value.
    pub(super) best: Vec<StateSet>,
    /// For each role its goal value in each state, if it has exactly one.
    pub(super) goals: Vec<Vec<Option<i32>>>,
}

/// Which roles can move.
pub(super) struct Mobility {
    /// For each role the states in which it could only wait if it were its turn.
    pub(super) stuck: Vec<StateSet>,
    /// The states that were examined.
    pub(super) known: StateSet,
}

impl<'m> Sampler<'m> {
    /// `best` is the best goal value of each role.
    pub(super) fn new(machine: &'m dyn Machine, best: Vec<Option<i32>>, seed: u64) -> Sampler<'m> {
        let (known, list) = (FxHashSet::default(), Vec::new());
        let players = machine.description().players().collect();
        Sampler { machine, cursor: machine.cursor(), best, players, seed, known, list }
    }

    /// Records the state of the cursor; returns whether it is new. A state that was not reached is left out if a player
    /// has several goal values there, or none at the end.
    fn record(&mut self, reached: bool) -> bool {
        let least = usize::from(self.cursor.terminal());
        let sound = |&role: &usize| (least..=1).contains(&self.cursor.goals(role).len());
        if !reached && !self.players.iter().all(sound) {
            return false;
        }
        let state = self.cursor.state().clone();
        if !self.known.insert(state.clone()) {
            return false;
        }
        let goal = |role| if let [goal] = self.cursor.goals(role) { Some(*goal) } else { None };
        let goals = (0..self.best.len()).map(goal).collect();
        self.list.push(SampledState { state, terminal: self.cursor.terminal(), goals, reached });
        true
    }

    fn set(&mut self, state: &State) -> bool {
        self.cursor.set(state).is_ok()
    }

    /// Adds given states.
    pub(super) fn add(&mut self, states: &[State], limit: &WorkLimit<'_>) {
        for state in states {
            if limit.check().is_err() {
                break;
            }
            if !self.known.contains(state) && self.set(state) {
                self.record(true);
            }
        }
    }

    /// The best goal value of a role: as given, or the best one of a terminal state.
    pub(super) fn best(&self, role: usize) -> Option<i32> {
        let ends = self.list.iter().filter(|of| of.terminal && of.reached);
        self.best[role].or_else(|| ends.filter_map(|of| of.goals[role]).max())
    }

    /// The number of terminal states in which a role has its best value, and of all other terminal states.
    fn ends(&self, role: usize) -> [usize; 2] {
        let ends = self.list.iter().filter(|of| of.terminal && of.reached);
        let best = self.best(role);
        let with = ends.clone().filter(|of| best.is_some() && of.goals[role] == best).count();
        [with, ends.count() - with]
    }

    /// Plays at random until there are enough terminal states.
    pub(super) fn play(&mut self, limit: &WorkLimit<'_>) {
        let roles = self.best.len();
        let before = self.cursor.work();
        for number in 0..MAX_PLAYOUTS {
            let enough = |role| self.ends(role).iter().all(|&count| count >= ENOUGH * 3 / 2);
            let spent = self.cursor.work() - before;
            if spent > MAX_WORK || is_over(limit, spent) || number % 16 == 0 && (0..roles).all(enough) {
                break;
            }
            if self.playout(number).is_err() || self.list.iter().filter(|of| of.terminal).count() >= MAX_ENDS
            {
                break;
            }
        }
        limit.add(self.cursor.work() - before);
    }

    fn playout(&mut self, number: u64) -> Result<(), MachineError> {
        let mut choices = Choices::new(self.seed, number);
        let initial = self.machine.initial().clone();
        self.cursor.set(&initial)?;
        let mut earlier: Vec<State> = Vec::new();
        for step in 0..MAX_STEPS {
            if self.cursor.terminal() {
                self.record(true);
                break;
            }
            if earlier.len() < BEFORE_END {
                earlier.push(self.cursor.state().clone());
            } else if let place @ ..BEFORE_END = choices.below(step + 1) {
                earlier[place] = self.cursor.state().clone();
            }
            let joint: Option<Vec<MoveId>> = (0..self.best.len())
                .map(|role| {
                    let legal = self.cursor.legal(role);
                    legal.get(choices.below(legal.len())).copied()
                })
                .collect();
            let Some(joint) = joint else { break };
            self.cursor.advance(&joint)?;
        }
        let before_end = self.list.iter().filter(|of| !of.terminal).count();
        for state in earlier.into_iter().take(MAX_BEFORE_END.saturating_sub(before_end)) {
            self.cursor.set(&state)?;
            self.record(true);
        }
        Ok(())
    }

    /// Dissolves groups of facts that don't exclude each other in all states of play.
    pub(super) fn check_groups(&self, facts: &mut FactTable<'_>, limit: &WorkLimit<'_>) {
        let table: &FactTable<'_> = facts;
        let reached = self.list.iter().filter(|of| of.reached);
        let states: Vec<Vec<usize>> = (reached.take_while(|_| limit.check().is_ok()))
            .map(|of| {
                let mut held = Vec::new();
                self.machine.fluents(&of.state, &mut held);
                held.into_iter().filter_map(|fluent| table.index(fluent)).collect()
            })
            .collect();
        facts.check_groups(states.into_iter());
    }

    /// Constructs states in which a role gets its best value, and states that miss it narrowly, if play has too few.
    pub(super) fn construct(
        &mut self,
        role: usize,
        cubes: &[Cube],
        leaves: &Leaves,
        facts: &FactTable<'_>,
        limit: &WorkLimit<'_>,
    ) {
        let [with, without] = self.ends(role);
        let before = self.cursor.work();
        let sources: Vec<State> =
            self.list.iter().filter(|of| of.reached).map(|of| of.state.clone()).collect();
        if cubes.is_empty() || sources.is_empty() || with >= ENOUGH && without >= ENOUGH {
            return;
        }
        let mut choices = Choices::new(self.seed, CONSTRUCTION + role as u64);
        let mut made = [0, 0];
        for _ in 0..4 * MAX_CONSTRUCTED {
            let spent = self.cursor.work() - before;
            let enough = made.iter().all(|&count| count >= MAX_CONSTRUCTED);
            if enough || spent > MAX_WORK / 2 || is_over(limit, spent) {
                break;
            }
            let cube = &cubes[choices.below(cubes.len())];
            let source = &sources[choices.below(sources.len())];
            let mut held = Vec::new();
            self.machine.fluents(source, &mut held);
            let mut held: Vec<usize> = held.into_iter().filter_map(|fluent| facts.index(fluent)).collect();
            write(cube, leaves, facts, &mut held, &mut choices);
            if made[0] < MAX_CONSTRUCTED && self.constructed(&held, facts) {
                made[0] += 1;
            }
            let Some(literal) = cube.get(choices.below(cube.len())) else { continue };
            spoil(*literal, leaves, facts, &mut held, &mut choices);
            if made[1] < MAX_CONSTRUCTED && self.constructed(&held, facts) {
                made[1] += 1;
            }
        }
        limit.add(self.cursor.work() - before);
    }

    /// Constructs states in which few facts of one content are left, because play seldom reaches states without moves.
    pub(super) fn thin(&mut self, facts: &FactTable<'_>, limit: &WorkLimit<'_>) {
        let before = self.cursor.work();
        let sources: Vec<State> =
            self.list.iter().filter(|of| of.reached).map(|of| of.state.clone()).collect();
        let mut choices = Choices::new(self.seed, THINNING);
        let mut made = 0;
        for _ in 0..2 * MAX_THINNED {
            let spent = self.cursor.work() - before;
            if made >= MAX_THINNED || sources.is_empty() || spent > MAX_WORK / 2 || is_over(limit, spent) {
                break;
            }
            let source = &sources[choices.below(sources.len())];
            let mut held = Vec::new();
            self.machine.fluents(source, &mut held);
            let mut held: Vec<usize> = held.into_iter().filter_map(|fluent| facts.index(fluent)).collect();
            let on_cells = |fact: &usize| facts.families[facts.list[*fact].family].kind().has_cells();
            let movable: Vec<usize> = held.iter().copied().filter(on_cells).collect();
            let Some(&example) = movable.get(choices.below(movable.len())) else { continue };
            let (family, content) = (facts.list[example].family, facts.content(example));
            let mut own: Vec<usize> = (movable.into_iter())
                .filter(|&fact| facts.list[fact].family == family && facts.content(fact) == content)
                .collect();
            for _ in 0..choices.below(4).saturating_sub(1).min(own.len()) {
                own.swap_remove(choices.below(own.len()));
            }
            for fact in own {
                held.retain(|&other| other != fact);
                if let Some(blank) = facts.blank(fact) {
                    add(blank, facts, &mut held);
                }
            }
            made += usize::from(self.constructed(&held, facts));
        }
        limit.add(self.cursor.work() - before);
    }

    fn constructed(&mut self, held: &[usize], facts: &FactTable<'_>) -> bool {
        let fluents: Vec<FluentId> = held.iter().map(|&fact| facts.list[fact].fluent).collect();
        let state = self.machine.state_of(&fluents);
        !self.known.contains(&state) && self.set(&state) && self.record(false)
    }

    /// The fluents that hold in any of the states.
    pub(super) fn fluents(&self) -> Vec<FluentId> {
        let mut all = Vec::new();
        for sampled in &self.list {
            self.machine.fluents(&sampled.state, &mut all);
            if all.len() > 1 << 20 {
                all.sort_unstable();
                all.dedup();
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The states so far.
    pub(super) fn table(&self, facts: &FactTable<'_>) -> StateTable<'m> {
        let count = self.list.len();
        let mut holds = vec![StateSet::empty(count); facts.list.len()];
        let mut fluents = Vec::new();
        for (number, sampled) in self.list.iter().enumerate() {
            fluents.clear();
            self.machine.fluents(&sampled.state, &mut fluents);
            for fact in fluents.iter().filter_map(|&fluent| facts.index(fluent)) {
                holds[fact].insert(number);
            }
        }
        StateTable {
            machine: self.machine,
            states: self.list.iter().map(|of| of.state.clone()).collect(),
            holds,
            none: StateSet::empty(count),
            reached: StateSet::of(count, |state| self.list[state].reached),
            terminal: StateSet::of(count, |state| self.list[state].terminal),
            goals: (0..self.best.len())
                .map(|role| self.list.iter().map(|of| of.goals[role]).collect())
                .collect(),
            best: (0..self.best.len())
                .map(|role| {
                    let best = self.best(role);
                    StateSet::of(count, |state| best.is_some() && self.list[state].goals[role] == best)
                })
                .collect(),
        }
    }
}

/// Whether a computation that has done some work, which the limit doesn't count yet, must end.
fn is_over(limit: &WorkLimit<'_>, work: u64) -> bool {
    limit.left().is_some_and(|left| left < work) || limit.check().is_err()
}

/// Makes the literals of a cube true.
fn write(cube: &Cube, leaves: &Leaves, facts: &FactTable<'_>, held: &mut Vec<usize>, choices: &mut Choices) {
    for literal in cube {
        let own = leaves.facts(literal.leaf);
        if literal.negated {
            spoil(*literal, leaves, facts, held, choices);
        } else if !own.iter().any(|fact| held.contains(fact)) {
            let fact = own[choices.below(own.len())];
            add(fact, facts, held);
        }
    }
}

fn add(fact: usize, facts: &FactTable<'_>, held: &mut Vec<usize>) {
    let group = facts.list[fact].group;
    held.retain(|&other| other != fact && (group.is_none() || facts.list[other].group != group));
    held.push(fact);
}

/// Removes the facts of a literal. A group that always has a fact gets another one.
fn spoil(
    literal: super::cubes::Literal,
    leaves: &Leaves,
    facts: &FactTable<'_>,
    held: &mut Vec<usize>,
    choices: &mut Choices,
) {
    let own = leaves.facts(literal.leaf);
    held.retain(|fact| !own.contains(fact));
    let Some(group) = facts.list[own[0]].group else { return };
    if facts.complete[group] || choices.below(2) == 0 {
        let others: Vec<usize> =
            facts.groups[group].iter().copied().filter(|fact| !own.contains(fact)).collect();
        if !others.is_empty() {
            add(others[choices.below(others.len())], facts, held);
        }
    }
}

impl StateTable<'_> {
    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The states in which a fact holds.
    pub(super) fn holds(&self, fact: usize) -> &StateSet {
        self.holds.get(fact).unwrap_or(&self.none)
    }

    /// For each role the states in which it could only wait if it were its turn, as far as the limit of work allows.
    pub(super) fn mobility(
        &self,
        game: &Game<'_>,
        structures: &Structures,
        facts: &FactTable<'_>,
        limit: &WorkLimit<'_>,
    ) -> Mobility {
        let roles = game.machine.description().roles.clone();
        let mut control = facts.families.iter().enumerate().filter_map(|(family, of)| {
            let found = of.finding.filter(|found| found.kind == FluentKind::Control)?;
            Some((family, found.control?.argument.index()))
        });
        let control = control.next().filter(|_| structures.turns == Turns::Alternating);
        let mut cursor = self.machine.cursor();
        let mut stuck = vec![StateSet::empty(self.len()); roles.len()];
        let mut known = StateSet::empty(self.len());
        let mut fluents = Vec::new();
        for (number, state) in self.states.iter().enumerate() {
            if is_over(limit, cursor.work()) || cursor.work() > MAX_MOBILITY_WORK {
                break;
            }
            fluents.clear();
            self.machine.fluents(state, &mut fluents);
            for (role, &name) in roles.iter().enumerate() {
                let mut changed = fluents.clone();
                if let Some((family, argument)) = control {
                    for fluent in &mut changed {
                        let Some(fact) = facts.index(*fluent).map(|fact| &facts.list[fact]) else { continue };
                        if fact.family == family {
                            let mut arguments = fact.arguments.clone();
                            arguments[argument] = name;
                            let functor = facts.families[family].relation.name;
                            if let Some(found) = facts.named(functor, &arguments) {
                                *fluent = facts.list[found].fluent;
                            }
                        }
                    }
                }
                let state = if changed == fluents { state.clone() } else { self.machine.state_of(&changed) };
                if cursor.set(&state).is_err() {
                    return Mobility { stuck, known };
                }
                let noops = structures.noops.get(&role).map_or(&[][..], Vec::as_slice);
                if cursor.legal(role).iter().all(|action| noops.contains(action)) {
                    stuck[role].insert(number);
                }
            }
            known.insert(number);
        }
        limit.add(cursor.work());
        Mobility { stuck, known }
    }
}
