//! # What it does
//! Best-first search for a path to the best end: always expands the state with the best rank.
//!
//! # How
//! A state's rank is its distance from the best value of an evaluation function, plus a small cost for each ply. The
//! state of the lowest rank is expanded. Every few expansions, the best of the deepest states is expanded instead, which
//! escapes from regions where the function is constant.
//!
//! When memory is full, the leaf of the greatest rank is dropped (the least deep of several), and its rank is stored at
//! its parent. The parent is expanded again when it has lost all children and that rank is the lowest. States whose
//! successors were all tried are dropped too, except for their hash. Of states that differ only in the step counter,
//! only the one with the most steps left is kept.
//!
//! # Guarantee
//! Every path that is found is legal. A goal value is called proved if it is the greatest possible, or if all states were
//! seen. The path is not always the shortest.
//!
//! # Cost
//! A value of the function and memory for each state. If memory is full, states may be expanded several times.
//!
//! # Example
//! `bestfirst:fuzzy,memory=2048` in a sliding puzzle.
//!
//! # Source
//! Russell 1992 (SMA*), with children made all at once (Kaindl and Khorsand 1994), and a queue of its own for deep states.

use crate::machine::{Children, MoveId, State};
use crate::search::leaf::copy;
use crate::search::limits::{Halt, Meter, Stop};

use super::exhausted::Exhausted;
use super::finder::Finder;
use super::memory::{Id, Memory, NONE, PathNode, ROOT};
use super::path_search::{Child, PathSearch, state_of};

/// Options of best-first search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestFirstOptions {
    /// Limit of memory for states, in bytes.
    pub memory: usize,
    /// The cost of a ply, as a share of the function's range.
    pub ply: f64,
    /// One of this many expansions goes to the best of the deepest states; 0 for none.
    pub deep: u32,
}

impl Default for BestFirstOptions {
    /// 256 MiB, a thousandth for each ply, every other expansion for deep states.
    fn default() -> Self {
        BestFirstOptions { memory: 256 << 20, ply: 0.001, deep: 2 }
    }
}

/// Ranks between the best and the worst value of a function.
const RANKS: f64 = 1e6;

/// The memory for exhausted states is 1 / `EXHAUSTED` of all.
const EXHAUSTED: usize = 4;

/// Freeing this many states takes almost no time.
const LITTLE: usize = 10_000;

/// Symbols, beyond those of the root, that cost as much as a node. On the relational machine, a step takes as long as
/// copying about a thousand symbols.
const SYMBOLS_OF_A_NODE: u64 = 1_000;

/// A best-first search.
pub(super) struct BestFirst {
    options: BestFirstOptions,
}

impl BestFirst {
    pub(super) fn new(options: BestFirstOptions) -> BestFirst {
        BestFirst { options }
    }

    fn rank(&self, share: f64, plies: u32) -> u32 {
        (((1.0 - share) * RANKS) as u32).saturating_add(self.ply_ranks(plies)).min(NONE - 1)
    }

    fn ply_ranks(&self, plies: u32) -> u32 {
        (self.options.ply * RANKS * f64::from(plies)) as u32
    }
}

impl Finder for BestFirst {
    fn find(
        &mut self,
        paths: &mut PathSearch<'_>,
        root: &State,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<u32, Halt> {
        let Some(share) = paths.estimate(&root.0)? else { return Ok(0) };
        let key = paths.keys.hash(&root.0);
        let exhausted = self.options.memory / EXHAUSTED;
        let memory = self.options.memory - exhausted;
        let mut run = BestFirstRun {
            memory: Memory::new(memory, root.clone(), key, self.rank(share, 0)),
            exhausted: Exhausted::new(exhausted),
            options: self,
            symbols: paths.symbols(root),
            paths,
            plies: 0,
        };
        let mut children = Children::default();
        let mut turn = 0;
        let mut done = Ok(());
        while let Some(id) = run.next(turn) {
            turn += 1;
            done = run.expand(id, &mut children, meter, better);
            if done.is_err() || run.paths.is_done() {
                break;
            }
        }
        let (plies, memory, exhausted) = (run.plies, run.memory, run.exhausted);
        // Freeing millions of states could make a move late.
        if memory.len() > LITTLE {
            std::thread::spawn(move || drop((memory, exhausted)));
        }
        done.map(|()| plies)
    }
}

struct BestFirstRun<'r, 'm> {
    options: &'r BestFirst,
    paths: &'r mut PathSearch<'m>,
    /// Symbols of the root's terms.
    symbols: u64,
    memory: Memory,
    exhausted: Exhausted,
    /// The greatest search depth so far, in plies.
    plies: u32,
}

impl BestFirstRun<'_, '_> {
    fn next(&self, turn: u64) -> Option<Id> {
        let deep = u64::from(self.options.options.deep);
        if deep > 0 && turn % deep == deep - 1 { self.memory.deepest() } else { self.memory.best() }
    }

    fn expand(
        &mut self,
        id: Id,
        children: &mut Children,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<(), Halt> {
        self.memory.close(id);
        let node = self.memory.node_mut(id);
        node.lowest_dropped = NONE;
        let (key, plies) = (node.key, node.plies + 1);
        let state = node.state.clone();
        self.paths.expand(meter.expansion_limits(), &state, children)?;
        // Each child copies its parent's terms, which grow with every step in some games.
        let grown = self.paths.symbols(&state).saturating_sub(self.symbols);
        meter.charge(children.len() as u64 * (grown / SYMBOLS_OF_A_NODE));
        self.plies = self.plies.max(plies);
        for child in 0..children.len() {
            meter.count(1)?;
            let key = match self.paths.classify(key, &state, children, child) {
                Child::End(goal) => {
                    self.end(id, children.joint(child)[0], goal, meter, better)?;
                    continue;
                }
                Child::Open(key) => key,
            };
            if plies >= self.paths.most_plies {
                self.paths.cut = Some(Stop::Depth);
                continue;
            }
            if let Some(known) = self.exhausted.plies(key)
                && known <= plies
            {
                self.paths.passed_over |= known < plies;
                continue;
            }
            if let Some(known) = self.memory.find(key) {
                self.again(known, id, plies, children, child);
                continue;
            }
            let Some(share) = self.paths.estimate(children.state(child))? else { continue };
            let action = children.joint(child)[0];
            let first = || self.memory.path(id).first().copied().or(Some(action));
            self.paths.hope_for(share, first);
            let (floor, rank) = (self.memory.node(id).floor, self.options.rank(share, plies));
            self.memory.node_mut(id).stored_children += 1;
            self.memory.add(PathNode {
                state: state_of(children, child),
                key,
                parent: id,
                action,
                plies,
                rank: rank.max(floor),
                floor: if rank < floor { floor } else { 0 },
                stored_children: 0,
                lowest_dropped: NONE,
            });
        }
        self.settle(id);
        self.make_room();
        Ok(())
    }

    /// Records a path to an end.
    fn end(
        &mut self,
        id: Id,
        action: MoveId,
        goal: i32,
        meter: &Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<(), Halt> {
        if self.paths.plan.as_ref().is_none_or(|plan| goal > plan.goal) {
            let mut moves = self.memory.path(id);
            moves.push(action);
            if self.paths.arrive(&moves)? {
                better(self.paths, meter.nodes);
            }
        }
        Ok(())
    }

    /// A stored state is reached again from another one.
    fn again(&mut self, known: Id, parent: Id, plies: u32, children: &Children, child: usize) {
        let node = self.memory.node(known);
        let before = (node.parent, node.plies);
        if before.1 <= plies {
            self.paths.passed_over |= before.1 < plies;
            return;
        }
        // With more time left, all descendants may be worth more.
        let was_open = self.memory.close(known);
        let sooner = self.options.ply_ranks(before.1 - plies);
        let node = self.memory.node_mut(known);
        node.parent = parent;
        node.plies = plies;
        node.action = children.joint(child)[0];
        node.rank = node.rank.saturating_sub(sooner).max(node.floor);
        copy(children.state(child), &mut node.state);
        if was_open || self.paths.clock.is_some() {
            self.memory.open(known);
        }
        self.memory.node_mut(parent).stored_children += 1;
        self.memory.node_mut(before.0).stored_children -= 1;
        if before.0 != parent {
            self.settle(before.0);
        }
    }

    /// Updates a state that lost a child or was expanded. Without children it is exhausted, or must be expanded again if
    /// some were dropped.
    fn settle(&mut self, mut id: Id) {
        while self.memory.node(id).stored_children == 0 && !self.memory.is_open(id) {
            let node = self.memory.node_mut(id);
            if node.lowest_dropped != NONE {
                (node.rank, node.floor) = (node.lowest_dropped, node.lowest_dropped);
                self.memory.open(id);
                return;
            }
            if id == ROOT {
                return;
            }
            let parent = node.parent;
            self.exhausted.add(node.key, node.plies);
            self.memory.remove(id);
            id = parent;
        }
    }

    /// Drops the worst leaves.
    fn make_room(&mut self) {
        while self.memory.is_full() {
            let Some(worst) = self.memory.worst().filter(|&worst| worst != ROOT) else { return };
            let node = self.memory.node(worst);
            let (parent, rank) = (node.parent, node.rank);
            if node.stored_children > 0 {
                // The state was to be expanded again, with more time left.
                self.memory.close(worst);
                self.paths.cut = Some(Stop::Memory);
                continue;
            }
            if self.memory.open_count() > 1 {
                let lowest_dropped = &mut self.memory.node_mut(parent).lowest_dropped;
                *lowest_dropped = rank.min(*lowest_dropped);
            } else {
                // Memory does not suffice for its children.
                self.exhausted.add(node.key, node.plies);
                self.paths.cut = Some(Stop::Memory);
            }
            self.memory.remove(worst);
            self.settle(parent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::machine::{Backend, load};
    use crate::search::context::SearchContext;
    use crate::search::leaf::Leaf;
    use crate::search::limits::Limits;

    #[test]
    fn stored_states_fit_into_memory() {
        let description = read(&Source::load("../../games/eight_puzzle.kif").unwrap()).description.unwrap();
        let loaded = load(description, Backend::Auto, &crate::ground::Limits::default()).unwrap();
        let (machine, root) = (&*loaded.machine, loaded.machine.initial());
        for bytes in [10_000, 30_000, 100_000] {
            let mut paths = PathSearch::new(SearchContext::alone(machine, 0), Leaf::none(machine));
            paths.begin(root, &Limits::default());
            let key = paths.keys.hash(&root.0);
            let search = BestFirst::new(BestFirstOptions::default());
            let mut run = BestFirstRun {
                memory: Memory::new(bytes, root.clone(), key, 0),
                exhausted: Exhausted::new(bytes),
                options: &search,
                symbols: paths.symbols(root),
                paths: &mut paths,
                plies: 0,
            };
            let (mut children, mut meter) = (Children::default(), Meter::new(Limits::default()));
            let mut dropped = false;
            for turn in 0..20_000 {
                let Some(id) = run.next(turn) else { break };
                assert!(run.expand(id, &mut children, &mut meter, &mut |_, _| {}).is_ok());
                assert!(!run.memory.is_full(), "{bytes} {turn}");
                dropped |= run.memory.len() + 2 >= bytes / 300;
            }
            assert!(dropped, "memory was never full: {bytes}");
        }
    }
}
