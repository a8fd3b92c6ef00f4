//! A circuit of gates with up to three inputs. Structural hashing makes each gate once, and constants are folded.

use rustc_hash::FxHashMap;

use super::table::{self, AND, CARRY, CHOOSE, OR, SUM, XOR};

/// A literal of the circuit: a node, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Signal(u32);

impl Signal {
    pub(super) const FALSE: Signal = Signal(0);
    pub(super) const TRUE: Signal = Signal(1);

    pub(super) fn of(node: u32) -> Signal {
        Signal(node << 1)
    }

    pub(super) fn node(self) -> u32 {
        self.0 >> 1
    }

    pub(super) fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn negate_if(self, negate: bool) -> Signal {
        Signal(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// Maximum length of a chain of conjunctions.
pub(super) const PIECE: usize = 32;

/// The stage in which a node's value becomes available. Stages are evaluated in order. Odd stages are loops, which are evaluated repeatedly.
pub(super) type Stage = u16;

/// A gate or an input. Unused inputs are node 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub(super) inputs: [u32; 3],
    /// Number of used inputs, which come first; 0 for the constant and for inputs of the circuit.
    pub(super) arity: u8,
    pub(super) table: u8,
    pub(super) stage: Stage,
}

/// A circuit. Node 0 is false, and every node comes after its inputs.
pub(super) struct Gates {
    pub(super) nodes: Vec<Gate>,
    known: FxHashMap<([u32; 3], u8), u32>,
    /// The loop stage in which gates are created now.
    inside: Option<Stage>,
}

impl Gates {
    pub(super) fn new() -> Gates {
        let mut gates = Gates { nodes: Vec::new(), known: FxHashMap::default(), inside: None };
        gates.input(0);
        gates
    }

    /// A new input of the circuit, available from this stage on.
    pub(super) fn input(&mut self, stage: Stage) -> Signal {
        self.nodes.push(Gate { inputs: [0; 3], arity: 0, table: 0, stage });
        Signal::of(self.nodes.len() as u32 - 1)
    }

    /// Begins creating gates in a loop stage, or ends it (none).
    pub(super) fn enter_loop(&mut self, stage: Option<Stage>) {
        self.inside = stage;
    }

    /// The first stage, other than a loop's, in which a node's value can be read.
    fn readable(&self, node: u32) -> Stage {
        let stage = self.nodes[node as usize].stage;
        stage + u16::from(stage % 2 == 1 && self.inside != Some(stage))
    }

    /// The gate with this truth table.
    pub(super) fn gate(&mut self, signals: [Signal; 3], mut table: u8) -> Signal {
        let mut inputs = signals.map(Signal::node);
        for (input, signal) in signals.into_iter().enumerate() {
            if signal.negated() {
                table = table::negate(table, input);
            }
            if inputs[input] == 0 {
                table = table::restrict(table, input, false);
            }
        }
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            if inputs[first] == inputs[second] && inputs[first] != 0 {
                let mut tables = table::INPUT;
                tables[second] = tables[first];
                table = table::apply(table, tables);
            }
        }
        for (input, node) in inputs.iter_mut().enumerate() {
            if !table::depends(table, input) {
                *node = 0;
            }
        }
        // Used inputs come first, in descending order.
        for (first, second) in [(0, 1), (1, 2), (0, 1)] {
            if inputs[first] < inputs[second] {
                inputs.swap(first, second);
                table = table::swap(table, first, second);
            }
        }
        let negated = table & 1 == 1;
        if negated {
            table = !table;
        }
        if table == 0 {
            return Signal::FALSE.negate_if(negated);
        }
        if table == table::INPUT[0] {
            return Signal::of(inputs[0]).negate_if(negated);
        }
        let node = match self.known.get(&(inputs, table)) {
            Some(&node) => node,
            None => {
                let arity = inputs.iter().filter(|&&node| node != 0).count() as u8;
                let stage = inputs.iter().map(|&node| self.readable(node)).max().unwrap_or(0);
                self.nodes.push(Gate { inputs, arity, table, stage });
                let node = self.nodes.len() as u32 - 1;
                self.known.insert((inputs, table), node);
                node
            }
        };
        Signal::of(node).negate_if(negated)
    }

    pub(super) fn and(&mut self, a: Signal, b: Signal) -> Signal {
        self.gate([a, b, Signal::FALSE], AND)
    }

    pub(super) fn or(&mut self, a: Signal, b: Signal) -> Signal {
        self.gate([a, b, Signal::FALSE], OR)
    }

    pub(super) fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        self.gate([a, b, Signal::FALSE], XOR)
    }

    /// A multiplexer: `yes` where `condition` is true, else `no`.
    pub(super) fn choose(&mut self, condition: Signal, yes: Signal, no: Signal) -> Signal {
        self.gate([condition, yes, no], CHOOSE)
    }

    /// A full adder: (sum, carry).
    pub(super) fn add(&mut self, a: Signal, b: Signal, c: Signal) -> (Signal, Signal) {
        (self.gate([a, b, c], SUM), self.gate([a, b, c], CARRY))
    }

    /// The conjunction of all signals. It reuses existing gates for pairs.
    pub(super) fn and_all(&mut self, signals: &mut Vec<Signal>) -> Signal {
        signals.sort_unstable();
        signals.dedup();
        if signals.first() == Some(&Signal::FALSE) || signals.windows(2).any(|w| w[0] == !w[1]) {
            return Signal::FALSE;
        }
        while signals.len() > 2 {
            let Some((i, j, joined)) = self.joined(signals) else { break };
            signals[i] = joined;
            signals.remove(j);
        }
        // Long conjunctions are trees of pieces, because long chains are slow to run and to map.
        while signals.len() > PIECE {
            let pieces = signals.chunks(PIECE).map(|piece| self.and_chain(piece)).collect();
            *signals = pieces;
        }
        self.and_chain(signals)
    }

    fn and_chain(&mut self, signals: &[Signal]) -> Signal {
        signals.iter().copied().reduce(|a, b| self.and(a, b)).unwrap_or(Signal::TRUE)
    }

    /// Two of the signals, by index, whose conjunction already exists.
    fn joined(&self, signals: &[Signal]) -> Option<(usize, usize, Signal)> {
        if signals.len() > 12 {
            return None;
        }
        for j in 1..signals.len() {
            for i in 0..j {
                let (x, y) = (signals[i].max(signals[j]), signals[i].min(signals[j]));
                let mut table = AND;
                if x.negated() {
                    table = table::negate(table, 0);
                }
                if y.negated() {
                    table = table::negate(table, 1);
                }
                let negated = table & 1 == 1;
                let key = ([x.node(), y.node(), 0], if negated { !table } else { table });
                if let Some(&node) = self.known.get(&key) {
                    return Some((i, j, Signal::of(node).negate_if(negated)));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_folded_and_shared() {
        let mut gates = Gates::new();
        let [a, b, c] = [gates.input(0), gates.input(0), gates.input(2)];
        assert_eq!(gates.and(a, a), a);
        assert_eq!(gates.and(a, !a), Signal::FALSE);
        assert_eq!(gates.or(a, Signal::TRUE), Signal::TRUE);
        assert_eq!(gates.xor(a, Signal::TRUE), !a);
        assert_eq!(gates.and(a, b), gates.and(b, a));
        assert_eq!(gates.or(!a, !b), !gates.and(b, a));
        assert_eq!(gates.choose(a, b, b), b);
        assert_eq!(gates.choose(a, b, c), gates.choose(!a, c, b));
        let (sum, carry) = gates.add(a, b, Signal::FALSE);
        assert_eq!((sum, carry), (gates.xor(b, a), gates.and(a, b)));
        let with_c = gates.and(c, a);
        assert_eq!(gates.nodes[with_c.node() as usize].stage, 2);
        let d = gates.input(0);
        let before = gates.nodes.len();
        assert_eq!(gates.and_all(&mut vec![d, c, a]), gates.and(with_c, d));
        assert_eq!(gates.nodes.len(), before + 1);
        assert_eq!(gates.and_all(&mut vec![]), Signal::TRUE);
        assert_eq!(gates.and_all(&mut vec![a, b, !a]), Signal::FALSE);
    }

    #[test]
    fn readers_of_a_loop_come_after_it_unless_inside() {
        let mut gates = Gates::new();
        let (a, b) = (gates.input(0), gates.input(0));
        let feedback = gates.input(1);
        gates.enter_loop(Some(1));
        let inside = gates.and(a, feedback);
        gates.enter_loop(None);
        let outside = gates.and(b, feedback);
        assert_eq!([inside, outside].map(|s| gates.nodes[s.node() as usize].stage), [1, 2]);
    }
}
