//! A network's steps as clauses. A frame has the state, the values of gates, and the moves made there.
//!
//! A gate is encoded on demand, with all that it reads. Recursive atoms may have any values that their
//! definitions allow; the least of these are the right ones. So proofs are sound, but a model need not be a
//! state of the game.

use std::rc::Rc;

use batsat::Lit as Literal;
use rustc_hash::FxHashMap;

use super::lemma::Lemma;
use super::solver::{Allowance, Answer, Solver};
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// The number of nodes between two checks of the limits.
const NODES_PER_CHECK: u32 = 1 << 12;

/// The depth down to which `given` replaces a bit in the definition of its next value.
const MAX_GIVEN_DEPTH: u32 = 6;

/// The most operands that `given` visits.
const MAX_GIVEN_OPERANDS: u32 = 400;

/// Least work for a question about one candidate.
pub(super) const LEAST: u64 = 20_000;

/// A frame: the literals of encoded nodes.
struct Frame {
    nodes: Vec<Literal>,
    /// For every role, a literal for each of its moves, if the frame has a successor.
    moves: Option<Vec<Vec<Literal>>>,
}

/// The state of the first frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartState {
    /// Any state.
    Anywhere,
    /// The initial state.
    Initial,
}

/// Frames of a network, one step apart.
pub(super) struct Unrolling<'n> {
    network: &'n Network,
    /// The definitions of recursive atoms, by node.
    feedback: FxHashMap<u32, Lit>,
    pub(super) solver: Solver,
    frames: Vec<Frame>,
    constant: Literal,
    from: StartState,
}

impl<'n> Unrolling<'n> {
    /// Frames with one state.
    pub(super) fn new(network: &'n Network, from: StartState, allowance: &Rc<Allowance>) -> Unrolling<'n> {
        Unrolling::with(network, from, Solver::new(allowance))
    }

    /// The same with a solver without clauses.
    pub(super) fn with(network: &'n Network, from: StartState, mut solver: Solver) -> Unrolling<'n> {
        let loops = network.segments.iter().filter_map(|segment| match segment {
            Segment::Loop { feedback, .. } => Some(feedback.iter().copied()),
            Segment::Straight(_) => None,
        });
        let feedback = loops.flatten().collect();
        let constant = solver.variable();
        solver.clause(&[constant]);
        let mut unrolling = Unrolling { network, feedback, solver, frames: Vec::new(), constant, from };
        unrolling.add_frame();
        unrolling
    }

    fn add_frame(&mut self) {
        let nodes = vec![Literal::UNDEF; self.network.nodes as usize];
        self.frames.push(Frame { nodes, moves: None });
    }

    /// Adds a frame after the last one: the last state is not terminal, and every role makes one of its
    /// legal moves.
    pub(super) fn step(&mut self) {
        let last = self.frames.len() - 1;
        let terminal = self.literal(last, self.network.terminal);
        self.solver.clause(&[!terminal]);
        let mut moves = Vec::with_capacity(self.network.moves.len());
        'roles: for role in 0..self.network.moves.len() {
            let mut made = Vec::with_capacity(self.network.moves[role].len());
            for index in 0..self.network.moves[role].len() {
                // Missing clauses are sound: they only allow more models.
                if self.solver.allowance.is_interrupted() {
                    moves.push(made);
                    continue 'roles;
                }
                let choice = self.network.moves[role][index];
                let makes = self.solver.variable();
                self.frames[last].nodes[choice.input as usize] = makes;
                let legal = self.literal(last, choice.legal);
                self.solver.clause(&[!makes, legal]);
                made.push(makes);
            }
            self.solver.clause(&made);
            self.forbid_two(&made, None);
            moves.push(made);
        }
        self.frames[last].moves = Some(moves);
        self.add_frame();
    }

    /// A literal of the network in a frame.
    pub(super) fn literal(&mut self, frame: usize, literal: Lit) -> Literal {
        let known = self.encoded(frame, literal);
        if known == Literal::UNDEF {
            self.encode(frame, literal.node());
            return self.encoded(frame, literal);
        }
        known
    }

    /// The literal if it is encoded, otherwise `Literal::UNDEF`.
    fn encoded(&self, frame: usize, literal: Lit) -> Literal {
        let known = match literal.node() {
            0 => !self.constant,
            node => self.frames[frame].nodes[node as usize],
        };
        if known != Literal::UNDEF && literal.negated() { !known } else { known }
    }

    /// Encodes a node with all that it reads.
    fn encode(&mut self, frame: usize, node: u32) {
        let mut stack = vec![(frame, node)];
        // Recursive atoms whose definitions are not yet encoded.
        let mut open: Vec<(usize, u32)> = Vec::new();
        let mut steps = 0_u32;
        loop {
            while let Some(&(frame, node)) = stack.last() {
                steps += 1;
                let allowance = &self.solver.allowance;
                if steps.is_multiple_of(NODES_PER_CHECK) && allowance.is_over()
                    || steps == 1 && allowance.is_interrupted()
                {
                    // Nodes that are not encoded may have any value. That is sound when these frames are
                    // used again with more work.
                    for (frame, node) in stack {
                        if self.frames[frame].nodes[node as usize] == Literal::UNDEF {
                            self.frames[frame].nodes[node as usize] = self.solver.variable();
                        }
                    }
                    return;
                }
                if self.frames[frame].nodes[node as usize] == Literal::UNDEF {
                    self.encode_top(&mut stack, &mut open);
                } else {
                    stack.pop();
                }
            }
            let Some(&(frame, node)) = open.last() else { return };
            let definition = self.feedback[&node];
            let value = self.encoded(frame, definition);
            if value == Literal::UNDEF {
                stack.push((frame, definition.node()));
                continue;
            }
            open.pop();
            let here = self.frames[frame].nodes[node as usize];
            self.solver.clause(&[!here, value]);
            self.solver.clause(&[here, !value]);
        }
    }

    /// Encodes the node on top of a stack, or pushes the missing nodes that it reads.
    fn encode_top(&mut self, stack: &mut Vec<(usize, u32)>, open: &mut Vec<(usize, u32)>) {
        let Some(&(frame, node)) = stack.last() else { return };
        let bits = self.network.bits.len() as u32;
        let gate = node.checked_sub(self.network.first_gate);
        let reads: &[Lit] = match gate {
            Some(gate) => self.network.gate(gate as usize),
            None if node <= bits && frame > 0 => &self.network.next[node as usize - 1..node as usize],
            None => &[],
        };
        let read = if gate.is_some() { frame } else { frame.saturating_sub(1) };
        let before = stack.len();
        let missing = reads.iter().filter(|&&operand| self.encoded(read, operand) == Literal::UNDEF);
        stack.extend(missing.map(|operand| (read, operand.node())));
        if stack.len() > before {
            return;
        }
        stack.pop();
        let operands: Vec<Literal> = reads.iter().map(|&operand| self.encoded(read, operand)).collect();
        let value = if !operands.is_empty() {
            self.conjunction(&operands)
        } else if gate.is_none() && node <= bits && self.from == StartState::Initial {
            if self.network.initial[node as usize - 1] { self.constant } else { !self.constant }
        } else {
            if self.feedback.contains_key(&node) {
                open.push((frame, node));
            }
            self.solver.variable()
        };
        self.frames[frame].nodes[node as usize] = value;
    }

    /// A literal that is equivalent to the conjunction of these.
    fn conjunction(&mut self, operands: &[Literal]) -> Literal {
        if let [one] = operands {
            return *one;
        }
        let all = self.solver.variable();
        let mut backwards = Vec::with_capacity(operands.len() + 1);
        backwards.push(all);
        for &operand in operands {
            self.solver.clause(&[!all, operand]);
            backwards.push(!operand);
        }
        self.solver.clause(&backwards);
        all
    }

    /// A literal that is the next value of a bit if the bit has the given value now, and arbitrary
    /// otherwise. The current value is substituted near the top of the definition, where frame axioms are,
    /// so that often the moves alone determine the change.
    pub(super) fn next_given(&mut self, frame: usize, bit: u32, holds: bool) -> Literal {
        let next = self.network.next[bit as usize];
        let (mut left, value) = (MAX_GIVEN_OPERANDS, if holds { self.constant } else { !self.constant });
        let given = self.given(frame, next, (1 + bit, value), MAX_GIVEN_DEPTH, &mut left);
        given.unwrap_or_else(|| self.literal(frame, next))
    }

    /// A literal of a frame in which a node that it reads has a given value; none if no such node was
    /// found.
    fn given(
        &mut self,
        frame: usize,
        literal: Lit,
        given: (u32, Literal),
        depth: u32,
        left: &mut u32,
    ) -> Option<Literal> {
        let negate = |value: Literal| if literal.negated() { !value } else { value };
        if literal.node() == given.0 {
            return Some(negate(given.1));
        }
        let gate = literal.node().checked_sub(self.network.first_gate)?;
        let network = self.network;
        let operands = network.gate(gate as usize);
        if depth == 0 || *left < operands.len() as u32 {
            return None;
        }
        *left -= operands.len() as u32;
        let values: Vec<Option<Literal>> =
            operands.iter().map(|&operand| self.given(frame, operand, given, depth - 1, left)).collect();
        if values.iter().all(Option::is_none) {
            return None;
        }
        let mut all = Vec::with_capacity(operands.len());
        for (&operand, value) in operands.iter().zip(values) {
            let value = value.unwrap_or_else(|| self.literal(frame, operand));
            if value == !self.constant {
                return Some(negate(value));
            }
            if value != self.constant {
                all.push(value);
            }
        }
        let value = if all.is_empty() { self.constant } else { self.conjunction(&all) };
        Some(negate(value))
    }

    /// The moves of all roles in the first frames of the latest model.
    pub(super) fn chosen_moves(&self, frames: usize) -> Vec<Literal> {
        let moves = self.frames[..frames].iter().filter_map(|frame| frame.moves.as_ref());
        moves.flatten().flatten().copied().filter(|&makes| self.solver.holds(makes)).collect()
    }

    /// At most one of these literals holds, if `unless` holds.
    fn forbid_two(&mut self, literals: &[Literal], unless: Option<Literal>) {
        let with = |clause: &[Literal]| -> Vec<Literal> {
            clause.iter().copied().chain(unless.map(|unless| !unless)).collect()
        };
        if let [a, b] = literals {
            self.solver.clause(&with(&[!*a, !*b]));
            return;
        }
        // Whether one of the previous literals holds.
        let mut before: Option<Literal> = None;
        for (index, &literal) in literals.iter().enumerate() {
            if let Some(before) = before {
                self.solver.clause(&with(&[!before, !literal]));
            }
            if index + 1 == literals.len() {
                break;
            }
            before = Some(match before {
                None => literal,
                Some(before) => {
                    let here = self.solver.variable();
                    self.solver.clause(&[!before, here]);
                    self.solver.clause(&[!literal, here]);
                    here
                }
            });
        }
    }

    /// Adds a lemma in a frame; with a literal, only if the literal holds.
    pub(super) fn assume(&mut self, frame: usize, lemma: &Lemma, where_: Option<Literal>) {
        let mut literals = self.literals(frame, lemma);
        match lemma {
            Lemma::Clause(_) => {
                literals.extend(where_.map(|literal| !literal));
                self.solver.clause(&literals);
            }
            Lemma::AtMostOne(_) => self.forbid_two(&literals, where_),
        }
    }

    /// A literal that implies that a lemma fails in a frame.
    pub(super) fn violation(&mut self, frame: usize, lemma: &Lemma) -> Literal {
        let violated = self.solver.variable();
        self.violate(frame, lemma, violated);
        violated
    }

    /// Makes a literal imply that a lemma fails in a frame.
    pub(super) fn violate(&mut self, frame: usize, lemma: &Lemma, violated: Literal) {
        let literals = self.literals(frame, lemma);
        match lemma {
            Lemma::Clause(_) => {
                literals.iter().for_each(|&literal| self.solver.clause(&[!violated, !literal]));
            }
            Lemma::AtMostOne(_) => {
                // The first of two literals that hold is before an index, the second at it.
                let mut pairs = vec![!violated];
                let mut before: Option<Literal> = None;
                for &literal in &literals {
                    if let Some(before) = before {
                        let pair = self.solver.variable();
                        self.solver.clause(&[!pair, literal]);
                        self.solver.clause(&[!pair, before]);
                        pairs.push(pair);
                    }
                    before = Some(match before {
                        None => literal,
                        Some(before) => {
                            let here = self.solver.variable();
                            self.solver.clause(&[!here, before, literal]);
                            here
                        }
                    });
                }
                self.solver.clause(&pairs);
            }
        }
    }

    pub(super) fn literals(&mut self, frame: usize, lemma: &Lemma) -> Vec<Literal> {
        lemma.literals().iter().map(|&literal| self.literal(frame, literal)).collect()
    }

    /// The bits of a frame's state in the latest model; bits that are not encoded are as in the initial
    /// state.
    pub(super) fn state(&self, frame: usize) -> Vec<bool> {
        let bit = |(bit, &initial): (usize, &bool)| {
            let known = self.frames[frame].nodes[1 + bit];
            if known == Literal::UNDEF { initial } else { self.solver.holds(known) }
        };
        self.network.initial.iter().enumerate().map(bit).collect()
    }

    /// Whether an encoded literal holds in a frame of the latest model.
    pub(super) fn holds_in_model(&self, frame: usize, literal: Lit) -> bool {
        self.solver.holds(self.encoded(frame, literal))
    }

    /// Whether a lemma with encoded literals holds in a frame of the latest model.
    pub(super) fn holds(&self, frame: usize, lemma: &Lemma) -> bool {
        lemma.holds(|literal| self.holds_in_model(frame, literal))
    }
}

/// Whether one of some literals can hold together with all literals of `others`.
pub(super) fn solve_any(
    steps: &mut Unrolling<'_>,
    literals: impl Iterator<Item = Literal>,
    others: &[Literal],
    most: u64,
) -> Answer {
    let wanted = steps.solver.variable();
    let mut clause = vec![!wanted];
    clause.extend(literals);
    if clause.len() == 1 {
        return Answer::Unsatisfiable;
    }
    steps.solver.clause(&clause);
    let mut assumptions = vec![wanted];
    assumptions.extend_from_slice(others);
    let answer = steps.solver.solve(&assumptions, most);
    steps.solver.clause(&[!wanted]);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, load};

    /// If the work ends while gates are encoded, the remaining nodes are unconstrained.
    #[test]
    fn partial_frame_clauses_exclude_no_state() {
        let rules = read(&Source::load("../../games/chess.kif").unwrap()).description.unwrap();
        let game = load(rules, Backend::Auto, &Limits::default()).unwrap();
        let network = game.machine.network().unwrap();
        let allowance = Allowance::new(u64::MAX, None);
        let mut steps = Unrolling::new(network, StartState::Anywhere, &allowance);
        allowance.reserve(u64::MAX);
        let nodes: Vec<Lit> =
            (0..network.gates() as u32).map(|gate| Lit::of(network.first_gate + gate)).collect();
        let gates: Vec<Literal> = nodes.iter().map(|&node| steps.literal(0, node)).collect();
        allowance.reserve(0);
        // The values of the initial state must remain possible.
        assert!(!game.machine.cursor().terminal());
        let bits = network.initial.iter().zip(0_u32..);
        let state: Vec<Literal> =
            bits.map(|(&holds, bit)| steps.literal(0, Lit::of(1 + bit).negate_if(!holds))).collect();
        let terminal = steps.literal(0, network.terminal);
        let assumed: Vec<Literal> = state.into_iter().chain([!terminal]).collect();
        assert_eq!(steps.solver.solve(&assumed, u64::MAX), Answer::Satisfiable);
        assert_eq!(gates.len(), network.gates());
    }
}
