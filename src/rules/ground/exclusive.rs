//! Shrinks conjunctions over the moves of a role, because a role makes exactly one move in a step.
//!
//! A frame axiom says that a cell keeps its value unless a move changes it. It is written as the negation of "a move that
//! changes the cell was made", so for each cell it reads nearly every move. Let *a* mean that the role makes a move that
//! such rules read, and *t* that this move is one of the few that this rule does not read. A role makes at most one move,
//! so "none of the moves that the rule reads" is `not a or t`. This reduces the usual rules of Breakthrough from 20,000
//! two-input gates to 2,000.
//!
//! With two roles the condition is `(not a1 or t1) and (not a2 or t2)`. Since each *t* implies its *a*, it multiplies out
//! to: neither *a*, or *t1* without *a2*, or *t2* without *a1*, or both *t*. Few of these change in a step in which *a1* and
//! *a2* alternate.

use super::circuit::{Circuit, Lit};

/// The value for a node that is not a move.
const NO_ROLE: u32 = u32::MAX;

/// Conjunctions that negate fewer moves of a role are not changed.
const FEWEST: usize = 4;

/// The moves of one role.
#[derive(Clone, Debug, Default)]
struct Moves {
    all: Vec<Lit>,
    /// Whether each move, in the order of `all`, is negated by some conjunction that negates most moves.
    denied: Vec<bool>,
    /// The disjunction of the moves that are negated this way.
    active: Option<Lit>,
}

/// The move inputs of a circuit, by role.
#[derive(Clone, Debug, Default)]
pub(super) struct Exclusive {
    /// For each of the first nodes of the circuit, the role and index of its move.
    role_of: Vec<(u32, u32)>,
    moves: Vec<Moves>,
    /// For each role, the number of moves that the current conjunction negates, and a move that it requires, if any.
    counts: Vec<(usize, Option<Lit>)>,
}

impl Exclusive {
    /// An empty table for this number of roles.
    pub(super) fn new(roles: usize) -> Exclusive {
        Exclusive {
            role_of: Vec::new(),
            moves: vec![Moves::default(); roles],
            counts: vec![(0, None); roles],
        }
    }

    /// Records a move of a role.
    pub(super) fn add(&mut self, role: usize, literal: Lit) {
        let moves = &mut self.moves[role];
        self.role_of.resize(literal.node() as usize, (NO_ROLE, 0));
        self.role_of.push((role as u32, moves.all.len() as u32));
        moves.all.push(literal);
        moves.denied.push(false);
    }

    /// Records a conjunction that will be made.
    pub(super) fn announce(&mut self, literals: &[Lit]) {
        if self.count(literals) {
            for literal in literals {
                if let Some((role, number)) = self.role(*literal)
                    && self.is_most(role)
                {
                    self.moves[role].denied[number] = true;
                }
            }
        }
    }

    /// The role and index of the move of a literal, if it is one.
    fn role(&self, literal: Lit) -> Option<(usize, usize)> {
        let &(role, number) = self.role_of.get(literal.node() as usize)?;
        (role != NO_ROLE).then_some((role as usize, number as usize))
    }

    /// Counts the moves in a conjunction. Returns whether there are any.
    fn count(&mut self, literals: &[Lit]) -> bool {
        self.counts.fill((0, None));
        let mut any = false;
        for &literal in literals {
            let Some((role, _)) = self.role(literal) else { continue };
            any = true;
            if literal.negated() {
                self.counts[role].0 += 1;
            } else {
                self.counts[role].1 = Some(literal);
            }
        }
        any
    }

    /// Whether the counted conjunction negates most moves of a role.
    fn is_most(&self, role: usize) -> bool {
        let (denied, needed) = self.counts[role];
        needed.is_none() && denied >= FEWEST && 2 * denied > self.moves[role].all.len() + 2
    }

    /// A conjunction that is equal to that of the literals if no role makes two moves. Sorts and rewrites
    /// `literals`.
    pub(super) fn and(&mut self, literals: &mut Vec<Lit>, circuit: &mut Circuit) -> Lit {
        if !self.count(literals) {
            return circuit.and(literals);
        }
        literals.sort_unstable();
        literals.dedup();
        let mut parts: Vec<(Lit, Lit)> = Vec::new();
        for role in 0..self.moves.len() {
            if let Some(made) = self.counts[role].1 {
                let others =
                    |l: &Lit| self.role(*l).is_some_and(|(r, _)| r == role) && l.node() != made.node();
                if literals.iter().any(|literal| others(literal) && !literal.negated()) {
                    return Lit::FALSE;
                }
                literals.retain(|literal| !others(literal));
            } else if self.is_most(role)
                && let Some(few) = self.few(role, literals)
            {
                literals.retain(|&literal| self.role(literal).is_none_or(|(of, _)| of != role));
                parts.push((self.active(role, circuit), circuit.or(&mut few.clone())));
            }
        }
        if let [(a1, t1), (a2, t2)] = parts[..] {
            let cases =
                [[!a1, !a2], [t1, !a2], [t2, !a1], [t1, t2]].map(|case| circuit.and(&mut case.to_vec()));
            literals.push(circuit.or(&mut cases.to_vec()));
        } else {
            literals.extend(parts.iter().map(|&(active, few)| !circuit.and(&mut vec![active, !few])));
        }
        circuit.and(literals)
    }

    /// The moves of a role that other conjunctions negate and this one does not. `None` if only this one negates some move.
    fn few(&self, role: usize, literals: &[Lit]) -> Option<Vec<Lit>> {
        let Moves { all, denied, .. } = &self.moves[role];
        let mut few = Vec::new();
        for (&action, &elsewhere) in all.iter().zip(denied) {
            match (literals.binary_search(&!action).is_ok(), elsewhere) {
                (true, false) => return None,
                (false, true) => few.push(action),
                _ => {}
            }
        }
        Some(few)
    }

    fn active(&mut self, role: usize, circuit: &mut Circuit) -> Lit {
        let Moves { all, denied, active } = &mut self.moves[role];
        *active.get_or_insert_with(|| {
            let chosen = all.iter().zip(denied).filter(|(_, denied)| **denied);
            circuit.or(&mut chosen.map(|(&action, _)| action).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::circuit::Node;
    use super::*;

    /// The value of a literal if these moves are made.
    fn value(circuit: &Circuit, literal: Lit, made: &[u32]) -> bool {
        let mut values = vec![false; circuit.len()];
        for node in 0..circuit.len() as u32 {
            let holds = |literal: &Lit| values[literal.node() as usize] != literal.negated();
            values[node as usize] = match circuit.node(node) {
                Node::Move(number) => made.contains(&number),
                Node::And { .. } => circuit.operands(node).iter().all(holds),
                _ => false,
            };
        }
        values[literal.node() as usize] != literal.negated()
    }

    /// Two roles with 15 moves each, and conjunctions that omit some of each.
    #[test]
    fn negations_of_most_moves_are_shared() {
        for left_out in [[0, 0], [1, 0], [2, 1], [3, 3], [1, 15], [15, 2]] {
            let mut circuit = Circuit::default();
            let mut exclusive = Exclusive::new(2);
            let moves: Vec<Lit> = (0..30).map(|number| circuit.input(Node::Move(number))).collect();
            moves.iter().enumerate().for_each(|(number, &literal)| exclusive.add(number / 15, literal));
            let denied = |number: usize, from: usize| number % 15 >= left_out[number / 15] + from;
            let conjunction =
                |from| (0..30).filter(|&number| denied(number, from)).map(|number| !moves[number]).collect();
            let conjunctions: [Vec<Lit>; 2] = [conjunction(0), conjunction(1)];
            conjunctions.iter().for_each(|literals| exclusive.announce(literals));
            for (from, mut literals) in conjunctions.into_iter().enumerate() {
                let none = exclusive.and(&mut literals, &mut circuit);
                for (one, two) in (0..16).flat_map(|one| (0..16).map(move |two| (one, two))) {
                    // Index 15 is not a move.
                    let one = Some(one).filter(|&number| number < 15);
                    let two = Some(two + 15).filter(|&number| number < 30);
                    let made: Vec<u32> = one.into_iter().chain(two).collect();
                    let expected = made.iter().all(|&number| !denied(number as usize, from));
                    assert_eq!(value(&circuit, none, &made), expected, "{left_out:?} {made:?}");
                }
            }
        }
    }

    #[test]
    fn a_move_excludes_the_others_of_its_role() {
        let mut circuit = Circuit::default();
        let mut exclusive = Exclusive::new(2);
        let moves: Vec<Lit> = (0..4).map(|number| circuit.input(Node::Move(number))).collect();
        moves.iter().enumerate().for_each(|(number, &literal)| exclusive.add(number / 3, literal));
        let mut and = |literals: &[Lit]| exclusive.and(&mut literals.to_vec(), &mut circuit);
        assert_eq!(and(&[moves[0], moves[1]]), Lit::FALSE);
        assert_eq!(and(&[moves[0], !moves[1], !moves[2]]), moves[0]);
        assert_eq!(and(&[moves[0], !moves[0]]), Lit::FALSE);
        let both = and(&[moves[0], moves[3]]);
        assert_eq!(circuit.operands(both.node()).len(), 2);
    }
}
