//! Distances from a goal by delete relaxation, a heuristic of planning, computed from the propositional network.
//!
//! # What it does
//! Estimates the number of moves from a state to a terminal state with a great goal value. It also finds states from
//! which no such terminal state can be reached.
//!
//! # How
//! Each literal of the network, positive or negative, is an atom. In the relaxation, an atom that was reached stays
//! reached, so a fluent can be both true and false, and no move makes a reached atom unreached. The cost of an atom is
//! that of its cheapest support: a gate costs the sum of its operands, a negated gate its cheapest operand, a fluent
//! its next value, and a move one more than its condition (h_add). The estimate is the number of different moves in the
//! supports of the goal (h_FF).
//!
//! Fluents that have the same values at each step of every game, such as a step counter, are free. So are the negations of
//! moves, and of recursive atoms.
//!
//! # Guarantee
//! A terminal state that the relaxation can't reach can't be reached in the game. The estimate may be too great.
//!
//! # Cost
//! Linear in the part of the network on which the goal depends, for each state.
//!
//! # Source
//! Bonet and Geffner 2001 (h_add); Hoffmann and Nebel 2001 (h_FF); Keyder and Geffner 2008 (supports by h_add). Thiébaux,
//! Hoffmann and Nebel 2005 (derived atoms).

use crate::ground::network::Segment;
use crate::ground::{Lit, Network};
use crate::machine::{Machine, fixed_bits};

/// Networks with more operands are not relaxed: one state would take longer than an interrupt may wait.
const MOST_OPERANDS: usize = 500_000;

/// Greater costs count as this one.
const MOST_COST: u32 = 4095;

/// The distance that is added for each greater goal value that can't be reached.
const LESSER_GOAL: u32 = 512;

/// Greater distances count as this one.
const MOST_MOVES: u32 = 1 << 12;

/// The cost of an atom that was not reached.
const NEVER: u32 = u32::MAX;

/// The index of an atom.
type Atom = u32;

/// The relaxed rules of a game, as atoms and their conditions.
pub(super) struct Relaxation {
    /// For each atom the number of its conditions if it needs all; 0 if one suffices.
    needed: Vec<u32>,
    /// The conditions of each atom.
    conditions: Lists,
    /// For each atom, the atoms that it is a condition for.
    uses: Lists,
    /// Whether an atom is a move.
    is_move: Vec<bool>,
    /// Atoms that are always reached.
    free: Vec<Atom>,
    /// Atoms of fluents: the atom, the bit, and the value of the bit for which the atom holds.
    fluents: Vec<(Atom, u32, bool)>,
    /// The goal values that the relaxation may reach, the greatest first, each with its atom.
    goals: Vec<(i32, Atom)>,
    /// The contents of [`Scratch::reached`] before an evaluation.
    unreached: Vec<Reached>,
    /// The number of moves on which the goals depend, at least 1.
    moves: u32,
    scratch: Scratch,
}

/// Lists of atoms, one after another.
#[derive(Default)]
struct Lists {
    starts: Vec<u32>,
    atoms: Vec<Atom>,
}

impl Lists {
    fn get(&self, index: Atom) -> &[Atom] {
        &self.atoms[self.starts[index as usize] as usize..self.starts[index as usize + 1] as usize]
    }

    /// For each of the same atoms the lists that contain it.
    fn inverse(&self) -> Lists {
        let count = self.starts.len() - 1;
        let mut starts = vec![0; count + 1];
        self.atoms.iter().for_each(|&atom| starts[atom as usize + 1] += 1);
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut place = starts.clone();
        let mut atoms = vec![0; self.atoms.len()];
        for index in 0..count as u32 {
            for &atom in self.get(index) {
                atoms[place[atom as usize] as usize] = index;
                place[atom as usize] += 1;
            }
        }
        Lists { starts, atoms }
    }
}

/// An atom during an evaluation.
#[derive(Clone, Copy)]
struct Reached {
    /// Its cost, or the sum of the costs of its reached conditions.
    cost: u32,
    /// The conditions that are not reached yet, if it needs all; or [`DONE`] or [`VISITED`].
    left: u32,
    /// Its cheapest condition, if one suffices.
    support: Atom,
}

/// The cost is final.
const DONE: u32 = u32::MAX;

/// The atom is in the supports of the goal.
const VISITED: u32 = u32::MAX - 1;

/// Buffers of an evaluation.
struct Scratch {
    reached: Vec<Reached>,
    /// Atoms by their cost.
    queue: Vec<Vec<Atom>>,
    open: Vec<Atom>,
    /// The number of moves that are legal.
    legal: u32,
}

/// Numbers the atoms on which the goals depend.
struct Builder<'a> {
    network: &'a Network,
    /// For each node the definition of a recursive atom.
    definitions: Vec<Option<Lit>>,
    /// For each node the legality of a move.
    legal: Vec<Option<Lit>>,
    fixed: Vec<bool>,
    /// For each literal its atom.
    atoms: Vec<Option<Atom>>,
    /// The literal of each atom.
    literals: Vec<Lit>,
}

impl Builder<'_> {
    fn atom(&mut self, literal: Lit) -> Atom {
        let known = &mut self.atoms[literal.0 as usize];
        *known.get_or_insert_with(|| {
            self.literals.push(literal);
            self.literals.len() as Atom - 1
        })
    }

    /// The conditions of a literal, and whether it needs all of them. None if it is free.
    fn conditions(&self, literal: Lit) -> Option<(Vec<Lit>, bool)> {
        let (node, network) = (literal.node(), self.network);
        if literal == Lit::TRUE {
            return None;
        }
        if literal == Lit::FALSE {
            return Some((Vec::new(), false));
        }
        if let Some(gate) = node.checked_sub(network.first_gate) {
            let operands = network.gate(gate as usize);
            if literal.negated() {
                return Some((operands.iter().map(|&operand| !operand).collect(), false));
            }
            return if operands.is_empty() { None } else { Some((operands.to_vec(), true)) };
        }
        if let Some(&next) = network.next.get(node as usize - 1) {
            let next = next.negate_if(literal.negated());
            return if self.fixed[node as usize - 1] { None } else { Some((vec![next], false)) };
        }
        if literal.negated() {
            return None;
        }
        let support = self.definitions[node as usize].or(self.legal[node as usize]);
        Some((support.into_iter().collect(), false))
    }
}

impl Relaxation {
    /// The relaxation of a game for one player; none without a network, or if it is too large.
    pub(super) fn new(machine: &dyn Machine) -> Option<Relaxation> {
        let network = machine.network().filter(|network| network.operands.len() <= MOST_OPERANDS)?;
        let nodes = network.nodes as usize;
        let (mut definitions, mut legal) = (vec![None; nodes], vec![None; nodes]);
        for segment in &network.segments {
            if let Segment::Loop { feedback, .. } = segment {
                feedback.iter().for_each(|&(node, literal)| definitions[node as usize] = Some(literal));
            }
        }
        network.moves[0].iter().for_each(|of| legal[of.input as usize] = Some(of.legal));
        let fixed = fixed_bits(network)?;
        let mut builder = Builder {
            network,
            definitions,
            legal,
            fixed,
            atoms: vec![None; 2 * nodes],
            literals: Vec::new(),
        };
        let over = builder.atom(network.terminal);
        let ends: Vec<(i32, Atom)> =
            network.goals[0].iter().rev().map(|&(goal, literal)| (goal, builder.atom(literal))).collect();
        let (mut conditions, mut needed) = (Lists { starts: vec![0], atoms: Vec::new() }, Vec::new());
        let (mut free, mut fluents, mut is_move) = (Vec::new(), Vec::new(), Vec::new());
        let mut number = 0;
        while let Some(&literal) = builder.literals.get(number) {
            let (of, all) = builder.conditions(literal).unwrap_or_else(|| {
                free.push(number as Atom);
                (Vec::new(), false)
            });
            needed.push(if all { of.len() as u32 } else { 0 });
            conditions.atoms.extend(of.into_iter().map(|condition| builder.atom(condition)));
            conditions.starts.push(conditions.atoms.len() as u32);
            is_move.push(!literal.negated() && builder.legal[literal.node() as usize].is_some());
            let bit = literal.node().checked_sub(1).filter(|&bit| (bit as usize) < network.next.len());
            fluents.extend(bit.map(|bit| (number as Atom, bit, !literal.negated())));
            number += 1;
        }
        let mut goals = Vec::new();
        for (goal, end) in ends {
            goals.push((goal, needed.len() as Atom));
            needed.push(2);
            conditions.atoms.extend([over, end]);
            conditions.starts.push(conditions.atoms.len() as u32);
            is_move.push(false);
        }
        let moves = is_move.iter().filter(|&&is_move| is_move).count().max(1) as u32;
        let uses = conditions.inverse();
        let unreached = needed.iter().map(|&left| Reached { cost: NEVER, left, support: 0 }).collect();
        let queue = vec![Vec::new(); MOST_COST as usize + 1];
        let scratch = Scratch { reached: Vec::new(), queue, open: Vec::new(), legal: 0 };
        Some(Relaxation {
            needed,
            conditions,
            uses,
            is_move,
            free,
            fluents,
            goals,
            unreached,
            moves,
            scratch,
        })
    }

    /// The greatest goal value that the relaxation reaches from a state; none if it reaches no terminal state.
    pub(super) fn greatest_goal(&mut self, words: &[u64]) -> Option<i32> {
        let index = self.reach(words, self.goals.len())?;
        Some(self.goals[index].0)
    }

    /// The estimate of a state, from 0 to 1, by the number of moves to a terminal state whose goal value is above a
    /// bound; none if there is no such state. Of states with equal distances, the one with fewer legal moves is better.
    pub(super) fn estimate(&mut self, words: &[u64], above: Option<i32>) -> Option<f64> {
        let goal_count =
            self.goals.iter().take_while(|(goal, _)| above.is_none_or(|above| *goal > above)).count();
        let index = self.reach(words, goal_count)?;
        let moves = self.support_moves(self.goals[index].1) + LESSER_GOAL * index as u32;
        let share = f64::from(self.scratch.legal) / f64::from(self.moves + 1);
        Some(1.0 - (f64::from(moves.min(MOST_MOVES - 1)) + share) / f64::from(MOST_MOVES))
    }

    /// Computes the costs of atoms until the first goal is reached, or all atoms; returns the best of the first `goal_count`
    /// goals that was reached.
    fn reach(&mut self, words: &[u64], goal_count: usize) -> Option<usize> {
        let first = self.goals[..goal_count].first()?.1;
        let Scratch { reached, queue, legal, .. } = &mut self.scratch;
        *legal = 0;
        reached.clone_from(&self.unreached);
        let holds = |bit: u32| words[bit as usize / 64] >> (bit % 64) & 1 == 1;
        let now = self.fluents.iter().filter(|&&(_, bit, value)| holds(bit) == value);
        for atom in now.map(|&(atom, ..)| atom).chain(self.free.iter().copied()) {
            reached[atom as usize].cost = 0;
            queue[0].push(atom);
        }
        let (mut cost, mut most) = (0, 0);
        while cost <= most {
            let Some(atom) = queue[cost as usize].pop() else {
                cost += 1;
                continue;
            };
            let entry = &mut reached[atom as usize];
            if std::mem::replace(&mut entry.left, DONE) == DONE {
                continue;
            }
            if atom == first {
                break;
            }
            let sum = entry.cost;
            for &user in self.uses.get(atom) {
                let user_entry = &mut reached[user as usize];
                if user_entry.left == DONE {
                    continue;
                }
                if self.needed[user as usize] == 0 {
                    let is_move = self.is_move[user as usize];
                    let sum = (sum + u32::from(is_move)).min(MOST_COST);
                    if sum >= user_entry.cost {
                        continue;
                    }
                    *legal += u32::from(is_move && sum == 1);
                    (user_entry.cost, user_entry.support) = (sum, atom);
                } else {
                    user_entry.cost =
                        if user_entry.cost == NEVER { sum } else { (user_entry.cost + sum).min(MOST_COST) };
                    user_entry.left -= 1;
                    if user_entry.left > 0 {
                        continue;
                    }
                }
                most = most.max(user_entry.cost);
                queue[user_entry.cost as usize].push(user);
            }
        }
        queue[..=most as usize].iter_mut().for_each(Vec::clear);
        self.goals[..goal_count].iter().position(|&(_, goal)| reached[goal as usize].left == DONE)
    }

    /// The number of different moves that support an atom.
    fn support_moves(&mut self, atom: Atom) -> u32 {
        let Scratch { reached, open, .. } = &mut self.scratch;
        let mut moves = 0;
        open.clear();
        open.push(atom);
        while let Some(atom) = open.pop() {
            let entry = &mut reached[atom as usize];
            if entry.cost == 0 || std::mem::replace(&mut entry.left, VISITED) == VISITED {
                continue;
            }
            moves += u32::from(self.is_move[atom as usize]);
            if self.needed[atom as usize] == 0 {
                open.push(entry.support);
            } else {
                open.extend(self.conditions.get(atom));
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;
    use crate::gdl::{Source, read};
    use crate::machine::{Backend, State, load};

    /// All reachable states with the moves to the nearest end of goal value 100, if it can be reached.
    fn distances(machine: &dyn Machine) -> Vec<(State, Option<u32>)> {
        let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
        let (mut states, mut parents) = (vec![machine.initial().clone()], vec![Vec::new()]);
        numbers.insert(states[0].clone(), 0);
        let (mut cursor, mut layer, mut number) = (machine.cursor(), Vec::new(), 0);
        while let Some(state) = states.get(number).cloned() {
            cursor.set(&state).unwrap();
            if cursor.terminal() {
                if cursor.goals(0) == [100] {
                    layer.push(number);
                }
                number += 1;
                continue;
            }
            for action in cursor.legal(0).to_vec() {
                cursor.set(&state).unwrap();
                cursor.advance(&[action]).unwrap();
                let next = *numbers.entry(cursor.state().clone()).or_insert_with_key(|next| {
                    states.push(next.clone());
                    parents.push(Vec::new());
                    states.len() - 1
                });
                parents[next].push(number);
            }
            number += 1;
        }
        let mut distances = vec![None; states.len()];
        for distance in 0.. {
            layer.retain(|&number| distances[number].is_none());
            layer.iter().for_each(|&number| distances[number] = Some(distance));
            layer = layer.iter().flat_map(|&number| parents[number].iter().copied()).collect();
            if layer.is_empty() {
                break;
            }
        }
        states.into_iter().zip(distances).collect()
    }

    #[test]
    fn no_state_that_leads_to_the_goal_counts_as_a_dead_end() {
        let mut dead = 0;
        for game in ["blocks_world", "maze", "sokoban"] {
            let source = Source::load(format!("../../games/{game}.kif")).unwrap();
            let loaded =
                load(read(&source).description.unwrap(), Backend::Auto, &crate::ground::Limits::default());
            let machine = &*loaded.unwrap().machine;
            let mut relaxation = Relaxation::new(machine).unwrap();
            for (state, distance) in distances(machine) {
                let estimate = relaxation.estimate(&state.0, Some(99));
                assert!(estimate.is_some() || distance.is_none(), "{game}");
                assert!(distance.is_none() || relaxation.greatest_goal(&state.0) == Some(100), "{game}");
                dead += u32::from(estimate.is_none());
            }
        }
        assert!(dead > 0, "no dead end was found");
    }
}
