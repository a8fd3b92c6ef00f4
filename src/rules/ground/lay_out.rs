//! Lays out a circuit as a network: folds constants, drops unused gates, and sorts gates topologically.

use super::build::{Built, RawFluent, RawMove};
use super::circuit::{Circuit, Lit, Node};
use super::exclusive::Exclusive;
use super::fold::{Constancy, constants};
use super::gate_order::place_gates;
use super::network::{Action, DerivedAtom, Fluent, Network, RoleMove};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{TermId, Terms};

/// Makes the network of a circuit.
pub(super) fn lay_out(built: &Built, roles: usize, terms: &Terms) -> Network {
    Layout::new(built, roles, constants(built)).finish(roles, terms)
}

struct Layout<'a> {
    built: &'a Built,
    value: Vec<Constancy>,
    /// The circuit without constants.
    circuit: Circuit,
    /// The new literal of each old node.
    image: Vec<Lit>,
    /// For each old node, whether an output depends on it.
    used: Vec<bool>,
}

impl<'a> Layout<'a> {
    fn new(built: &'a Built, roles: usize, value: Vec<Constancy>) -> Layout<'a> {
        let old = &built.circuit;
        let mut layout = Layout {
            built,
            value,
            circuit: Circuit::default(),
            image: vec![Lit::FALSE; old.len()],
            used: Vec::new(),
        };
        let used = layout.used();
        let mut exclusive = layout.inputs(roles, &used);
        let mut open = None;
        let mut operands = Vec::new();
        for node in 0..old.len() as u32 {
            if open.is_some_and(|number: u32| old.loops[number as usize].end <= node) {
                layout.close(open.take());
            }
            layout.image[node as usize] = match (layout.value[node as usize], old.node(node)) {
                (Constancy::True, _) => Lit::TRUE,
                (Constancy::False, _) | (_, Node::Constant) => Lit::FALSE,
                (_, Node::Fluent(_) | Node::Move(_)) => layout.image[node as usize],
                _ if !used[node as usize] => Lit::FALSE,
                (_, Node::Feedback(number, _)) => {
                    if open != Some(number) {
                        open = Some(number);
                        let feedback = &old.loops[number as usize].feedback;
                        let nodes = layout.circuit.open_loop(feedback.len());
                        for (&(old_node, _), &new) in feedback.iter().zip(&nodes) {
                            layout.image[old_node as usize] = new;
                        }
                    }
                    layout.image[node as usize]
                }
                (_, Node::And { .. }) => {
                    operands.clear();
                    for &operand in old.operands(node) {
                        operands.push(layout.map(operand));
                    }
                    exclusive.and(&mut operands, &mut layout.circuit)
                }
            };
        }
        layout.close(open);
        layout.used = used;
        layout
    }

    /// Adds the inputs, and records how gates will read moves.
    fn inputs(&mut self, roles: usize, used: &[bool]) -> Exclusive {
        let old = &self.built.circuit;
        let mut exclusive = Exclusive::new(roles);
        let mut moves = Vec::new();
        for node in 0..old.len() as u32 {
            if self.value[node as usize] != Constancy::Unknown {
                continue;
            }
            match old.node(node) {
                kind @ Node::Fluent(_) => self.image[node as usize] = self.circuit.input(kind),
                kind @ Node::Move(number) => {
                    self.image[node as usize] = self.circuit.input(kind);
                    exclusive.add(self.built.moves[number as usize].role, self.image[node as usize]);
                }
                Node::And { .. } if used[node as usize] => {
                    moves.clear();
                    let is_move = |operand: &&Lit| matches!(old.node(operand.node()), Node::Move(_));
                    moves.extend(old.operands(node).iter().filter(is_move).map(|&o| self.map(o)));
                    exclusive.announce(&moves);
                }
                _ => {}
            }
        }
        exclusive
    }

    fn close(&mut self, open: Option<u32>) {
        if let Some(number) = open {
            let definitions: Vec<Lit> = self.built.circuit.loops[number as usize]
                .feedback
                .iter()
                .map(|&(_, definition)| self.map(definition))
                .collect();
            self.circuit.close_loop(&definitions);
        }
    }

    fn map(&self, literal: Lit) -> Lit {
        self.image[literal.node() as usize].negate_if(literal.negated())
    }

    /// Marks the nodes on which an output depends.
    fn used(&self) -> Vec<bool> {
        let old = &self.built.circuit;
        let mut used = vec![false; old.len()];
        let mut stack: Vec<u32> = vec![self.built.terminal.node()];
        stack.extend(self.built.goals.iter().map(|(.., condition)| condition.node()));
        stack.extend(self.built.moves.iter().map(|action| action.legal.node()));
        stack.extend(self.built.fluents.iter().map(|fluent| fluent.next.node()));
        while let Some(node) = stack.pop() {
            if used[node as usize] || self.value[node as usize] != Constancy::Unknown {
                continue;
            }
            used[node as usize] = true;
            stack.extend(old.operands(node).iter().map(|operand| operand.node()));
            if let Node::Feedback(number, _) = old.node(node) {
                // If one node of a loop is used, the whole loop is used.
                for &(feedback, definition) in &old.loops[number as usize].feedback {
                    stack.push(feedback);
                    stack.push(definition.node());
                }
            }
        }
        used
    }

    fn finish(self, roles: usize, terms: &Terms) -> Network {
        let mut network =
            Network { moves: vec![Vec::new(); roles], goals: vec![Vec::new(); roles], ..Network::default() };
        // The network node of each circuit node; node 0 is the constant.
        let mut number = vec![Lit::FALSE; self.circuit.len()];
        let mut next_node = 1;
        let fluents = self.place_fluents(&mut network, &mut number, &mut next_node, terms);
        let moves = self.place_moves(&mut network, &mut number, &mut next_node, terms);
        network.nodes = place_gates(&self.circuit, &mut network, &mut number, next_node);

        let output = |literal: Lit| {
            let image = self.map(literal);
            number[image.node() as usize].negate_if(image.negated())
        };
        let unknown = fluents.iter().filter(|fluent| self.is_unknown(fluent.input));
        network.next = unknown.map(|fluent| output(fluent.next)).collect();
        let mut position = vec![0; roles];
        for action in &moves {
            network.moves[action.role][position[action.role]].legal = output(action.legal);
            position[action.role] += 1;
        }
        network.terminal = output(self.built.terminal);
        for &(role, value, condition) in &self.built.goals {
            let condition = output(condition);
            if condition != Lit::FALSE {
                network.goals[role].push((value, condition));
            }
        }
        network.goals.iter_mut().for_each(|goals| goals.sort_unstable());
        let has_value = |value: Lit| {
            let node = value.node();
            !self.is_unknown(node)
                || self.used[node as usize]
                || matches!(self.built.circuit.node(node), Node::Fluent(_))
        };
        let derived = self.built.derived.iter().filter(|atom| has_value(atom.value)).map(|atom| {
            DerivedAtom { name: atom.name, arguments: atom.arguments.clone(), value: output(atom.value) }
        });
        network.derived = derived.filter(|atom| atom.value != Lit::FALSE).collect();
        network.derived.sort_by(|a, b| compare((a.name, &a.arguments), (b.name, &b.arguments), terms));
        network
    }

    fn is_unknown(&self, node: u32) -> bool {
        self.value[node as usize] == Constancy::Unknown
    }

    /// Adds the fluents that can be true, in order, with a bit for each that is not constant.
    fn place_fluents(
        &self,
        network: &mut Network,
        number: &mut [Lit],
        next_node: &mut u32,
        terms: &Terms,
    ) -> Vec<&RawFluent> {
        let may_hold = |fluent: &&RawFluent| self.value[fluent.input as usize] != Constancy::False;
        let mut fluents: Vec<&RawFluent> = self.built.fluents.iter().filter(may_hold).collect();
        fluents.sort_by(|a, b| compare((a.functor, &a.arguments), (b.functor, &b.arguments), terms));
        for fluent in &fluents {
            let bit = self.is_unknown(fluent.input).then(|| {
                number[self.image[fluent.input as usize].node() as usize] = Lit::of(*next_node);
                *next_node += 1;
                network.bits.push(network.fluents.len() as u32);
                network.initial.push(fluent.initially);
                // Node 0 is the constant, so bits begin at node 1.
                *next_node - 2
            });
            network.fluents.push(Fluent {
                functor: fluent.functor,
                arguments: fluent.arguments.clone(),
                bit,
            });
        }
        fluents
    }

    /// Adds the moves that can be legal, in order, with an input for each role that can make them.
    fn place_moves(
        &self,
        network: &mut Network,
        number: &mut [Lit],
        next_node: &mut u32,
        terms: &Terms,
    ) -> Vec<&RawMove> {
        let unknown = |action: &&RawMove| self.is_unknown(action.input);
        let mut moves: Vec<&RawMove> = self.built.moves.iter().filter(unknown).collect();
        moves.sort_by(|a, b| {
            compare((a.functor, &a.arguments), (b.functor, &b.arguments), terms).then(a.role.cmp(&b.role))
        });
        for action in &moves {
            let known = network.actions.last().is_some_and(|last: &Action| {
                (last.functor, &last.arguments) == (action.functor, &action.arguments)
            });
            if !known {
                network.actions.push(Action { functor: action.functor, arguments: action.arguments.clone() });
            }
            number[self.image[action.input as usize].node() as usize] = Lit::of(*next_node);
            let entry =
                RoleMove { action: network.actions.len() as u32 - 1, input: *next_node, legal: Lit::FALSE };
            network.moves[action.role].push(entry);
            *next_node += 1;
        }
        moves
    }
}

/// The order of fluents, moves and derived atoms: by name, then number of arguments, then arguments.
fn compare(a: (Symbol, &[TermId]), b: (Symbol, &[TermId]), terms: &Terms) -> std::cmp::Ordering {
    a.0.cmp(&b.0).then(a.1.len().cmp(&b.1.len())).then_with(|| {
        let mut pairs = a.1.iter().zip(b.1).map(|(&x, &y)| terms.compare(x, y));
        pairs.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    })
}
