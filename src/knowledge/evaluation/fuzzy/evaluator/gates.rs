//! A circuit for the truth values of nodes, with a bit for each state.
//!
//! Leaves, counts and comparisons need truth values of other nodes. A gate is the disjunction of two conjunctions of
//! two literals. So a disjunction of conjunctions needs only one gate for each of these. All gates are computed for
//! every group of states: finding the changed ones would take longer.

use rustc_hash::FxHashMap;

use super::super::bind::BoundFormula;
use super::super::comparison::Comparison;
use super::super::kinds::TruthMaker;
use super::super::mention::{Edge, Literal};
use super::demand::Demand;
use super::lanes::Mask;

/// True if the first two literals are true, or the other two.
type Gate = [Literal; 4];

/// A circuit. Signals are the inputs, the constant false, and the gates, in this order.
pub(super) struct Gates {
    /// The number of facts, atoms that rules derive, and nodes of loops.
    inputs: usize,
    gates: Vec<Gate>,
}

impl Gates {
    /// The number of signals.
    pub(super) fn signals(&self) -> usize {
        self.inputs + 1 + self.gates.len()
    }

    /// Computes all gates from the inputs, by their literals.
    #[inline(always)]
    pub(super) fn run(&self, literals: &mut [Mask]) {
        let mut gate = 2 * (self.inputs + 1);
        for &[one, with, other, and] in &self.gates {
            let first = literals[one as usize] & literals[with as usize];
            let value = first | literals[other as usize] & literals[and as usize];
            literals[gate] = value;
            literals[gate + 1] = !value;
            gate += 2;
        }
    }
}

/// Makes the gates of a formula.
pub(super) struct GateBuilder<'b> {
    gates: Gates,
    known: FxHashMap<Gate, Literal>,
    /// For each node the literal of its truth value, if it is needed.
    of: Vec<Literal>,
    /// For each node the facts that make it hold.
    held: &'b dyn Fn(usize) -> &'b [u32],
    /// The signals of derived atoms and of nodes of loops, by nodes.
    inputs: FxHashMap<u32, u32>,
}

impl<'b> GateBuilder<'b> {
    /// For the needed nodes of a formula. Also returns the nodes of loops that are inputs, with their signals.
    pub(super) fn new(
        bound: &BoundFormula<'_, '_>,
        demand: &Demand,
        held: &'b dyn Fn(usize) -> &'b [u32],
    ) -> (GateBuilder<'b>, Vec<(u32, u32)>) {
        let mut inputs = FxHashMap::default();
        let mut next = bound.fluents.ids.len() as u32;
        for &(node, _) in &bound.derived {
            inputs.insert(node, next);
            next += 1;
        }
        let mut of_loops = Vec::new();
        for node in (0..bound.count()).filter(|&node| bound.loop_of[node].is_some() && demand.of[node].truth)
        {
            inputs.insert(node as u32, next);
            of_loops.push((node as u32, next));
            next += 1;
        }
        let gates = Gates { inputs: next as usize, gates: Vec::new() };
        let mut builder = GateBuilder { gates, known: FxHashMap::default(), of: Vec::new(), held, inputs };
        builder.of.resize(bound.count(), builder.never());
        // The constant true is the last node.
        builder.of[bound.nodes.len()] ^= 1;
        for (node, kind) in bound.nodes.iter().enumerate().filter(|(node, _)| demand.of[*node].truth) {
            builder.of[node] = match bound.loop_of[node] {
                Some(_) => builder.derived(node),
                None => kind.truth(node, bound.members(node), &mut builder),
            };
        }
        builder.prune(bound, demand);
        (builder, of_loops)
    }

    /// Removes gates that no computed node depends on.
    fn prune(&mut self, bound: &BoundFormula<'_, '_>, demand: &Demand) {
        let first = self.gates.inputs + 1;
        let mut kept = vec![false; self.gates.signals()];
        for node in demand.valued() {
            for edge in demand.reads(bound, node) {
                kept[(self.edge(edge) >> 1) as usize] = true;
            }
        }
        for (gate, literals) in self.gates.gates.iter().enumerate().rev() {
            if kept[first + gate] {
                literals.iter().for_each(|literal| kept[(literal >> 1) as usize] = true);
            }
        }
        let never = self.never();
        let mut place: Vec<Literal> = (0..first as u32).map(|signal| signal << 1).collect();
        let gates = std::mem::take(&mut self.gates.gates);
        for (gate, kept) in gates.into_iter().zip(&kept[first..]) {
            if *kept {
                place.push(self.gates.signals() as u32 * 2);
                let moved = gate.map(|literal| place[(literal >> 1) as usize] ^ literal & 1);
                self.gates.gates.push(moved);
            } else {
                place.push(never);
            }
        }
        for literal in &mut self.of {
            *literal = place[(*literal >> 1) as usize] ^ *literal & 1;
        }
    }

    /// The gates, and for each node the literal of its truth value.
    pub(super) fn into_parts(self) -> (Gates, Vec<Literal>) {
        (self.gates, self.of)
    }

    fn never(&self) -> Literal {
        (self.gates.inputs as Literal) << 1
    }

    fn and(&mut self, first: Literal, second: Literal) -> Literal {
        let never = self.never();
        let [first, second] = if first < second { [first, second] } else { [second, first] };
        match () {
            () if first == second => return first,
            () if first ^ second == 1 || first == never || second == never => return never,
            () if first == never ^ 1 => return second,
            () if second == never ^ 1 => return first,
            () => {}
        }
        // Neither of two operands holds, and at least one operand is a conjunction.
        if first & second & 1 == 1 {
            let pairs =
                [first ^ 1, second ^ 1].map(|literal| self.conjunction(literal).ok_or([literal, never ^ 1]));
            if pairs.iter().any(Result::is_ok) {
                let [[one, with], [other, and]] = pairs.map(|pair| pair.unwrap_or_else(|alone| alone));
                return self.gate([one, with, other, and]) ^ 1;
            }
        }
        self.gate([first, second, never, never])
    }

    /// Two literals whose conjunction is a literal.
    fn conjunction(&self, literal: Literal) -> Option<[Literal; 2]> {
        let gate = ((literal >> 1) as usize).checked_sub(self.gates.inputs + 1)?;
        let [one, with, other, _] = self.gates.gates[gate];
        (literal & 1 == 0 && other == self.never()).then_some([one, with])
    }

    fn gate(&mut self, gate: Gate) -> Literal {
        let next = self.gates.signals() as Literal;
        let gates = &mut self.gates.gates;
        *self.known.entry(gate).or_insert_with(|| {
            gates.push(gate);
            next << 1
        })
    }
}

impl TruthMaker for GateBuilder<'_> {
    fn held(&mut self, node: usize) -> Literal {
        let facts: Vec<Literal> = (self.held)(node).iter().map(|fact| fact << 1).collect();
        self.any(facts)
    }

    fn derived(&self, node: usize) -> Literal {
        self.inputs[&(node as u32)] << 1
    }

    fn edge(&self, edge: Edge) -> Literal {
        self.of[(edge >> 1) as usize] ^ edge & 1
    }

    fn all(&mut self, literals: Vec<Literal>) -> Literal {
        let always = self.never() ^ 1;
        literals.into_iter().fold(always, |all, literal| self.and(all, literal))
    }

    fn any(&mut self, literals: Vec<Literal>) -> Literal {
        let always = self.never() ^ 1;
        literals.into_iter().fold(always, |none, literal| self.and(none, literal ^ 1)) ^ 1
    }

    fn compare(&mut self, relation: Comparison, [left, right]: [Vec<(u32, Literal)>; 2]) -> Literal {
        use Comparison::{AtLeast, AtMost, Equal, Greater, Less};
        let (mut below, mut above) = match relation {
            Less | AtMost | Equal => (left, right),
            Greater | AtLeast => (right, left),
        };
        let mut pairs = Vec::new();
        above.sort_unstable();
        below.sort_unstable();
        // From the highest places down; `beyond` is true if the other side has a place at or beyond this one.
        let (mut next, mut beyond) = (above.len(), self.never());
        for &(place, literal) in below.iter().rev() {
            if relation == Equal {
                let first = above.partition_point(|(other, _)| *other < place);
                let same = above[first..].iter().take_while(|(other, _)| *other == place);
                beyond = self.any(same.map(|&(_, other)| other).collect::<Vec<_>>());
            } else {
                let strict = u32::from(matches!(relation, Less | Greater));
                while next > 0 && above[next - 1].0 >= place + strict {
                    next -= 1;
                    beyond = self.and(beyond ^ 1, above[next].1 ^ 1) ^ 1;
                }
            }
            pairs.push(self.and(literal, beyond));
        }
        self.any(pairs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FACTS: usize = 6;

    /// A builder with a node for each fact, and a function that evaluates a literal in a state of these facts.
    fn of_facts() -> (GateBuilder<'static>, impl Fn(&Gates, Literal, usize) -> bool) {
        let builder = GateBuilder {
            gates: Gates { inputs: FACTS, gates: Vec::new() },
            known: FxHashMap::default(),
            of: (0..FACTS as Literal).map(|fact| fact << 1).collect(),
            held: &|_| &[],
            inputs: FxHashMap::default(),
        };
        let holds = |gates: &Gates, literal: Literal, state: usize| {
            let mut literals = [0, Mask::MAX].repeat(gates.signals());
            for fact in (0..FACTS).filter(|fact| state >> fact & 1 == 1) {
                literals[2 * fact..2 * fact + 2].copy_from_slice(&[Mask::MAX, 0]);
            }
            gates.run(&mut literals);
            assert_eq!(literals[literal as usize], !literals[(literal ^ 1) as usize]);
            literals[literal as usize] == Mask::MAX
        };
        (builder, holds)
    }

    fn edge_holds(edge: Edge, state: usize) -> bool {
        (state >> (edge >> 1) & 1 == 1) != (edge & 1 == 1)
    }

    proptest! {
        #[test]
        fn comparisons_agree_with_positionwise_comparison(
            left in prop::collection::vec((0..5u32, 0..2 * FACTS as Edge), 0..5),
            right in prop::collection::vec((0..5u32, 0..2 * FACTS as Edge), 0..5),
        ) {
            for (relation, is) in [
                (Comparison::Less, (|one, two| one < two) as fn(u32, u32) -> bool),
                (Comparison::AtMost, |one, two| one <= two),
                (Comparison::Greater, |one, two| one > two),
                (Comparison::AtLeast, |one, two| one >= two),
                (Comparison::Equal, |one, two| one == two),
            ] {
                let (mut builder, holds) = of_facts();
                let literal = builder.compare(relation, [left.clone(), right.clone()]);
                for state in 0..1 << FACTS {
                    let on = |side: &[(u32, Edge)]| -> Vec<u32> {
                        let there = side.iter().filter(|(_, edge)| edge_holds(*edge, state));
                        there.map(|&(place, _)| place).collect()
                    };
                    let expected = on(&left).iter().any(|&one| on(&right).iter().any(|&two| is(one, two)));
                    prop_assert_eq!(holds(&builder.gates, literal, state), expected, "{:?}", relation);
                }
            }
        }

        #[test]
        fn disjunctions_of_conjunctions_take_a_gate_each(
            parts in prop::collection::vec(prop::collection::vec(0..2 * FACTS as Edge, 0..4), 0..6),
        ) {
            let (mut builder, holds) = of_facts();
            let all: Vec<Literal> = parts.iter().map(|part| builder.all(part.clone())).collect();
            let any = builder.any(all);
            for state in 0..1 << FACTS {
                let expected = parts.iter().any(|part| part.iter().all(|&edge| edge_holds(edge, state)));
                prop_assert_eq!(holds(&builder.gates, any, state), expected);
            }
        }
    }
}
