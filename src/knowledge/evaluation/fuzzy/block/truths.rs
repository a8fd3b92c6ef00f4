//! Where nodes hold, as far as somebody wants to know: gates over states that are bits of a word.
//!
//! Comparisons, tallies and what is to hold before it is looked how near it is ask where some nodes hold, not how far they
//! do. What tells that is made of gates for two conjunctions, of which one is to hold, each once: so a disjunction of conjunctions,
//! as it counts what holds in two parts of a board, takes one for each of these. All are computed in every group: a few
//! operations each, fewer than it takes to find out whether anything has changed.

use rustc_hash::FxHashMap;

use crate::machine::CompressedRows;

use super::super::bind::{Edge, Step};
use super::super::formula::Comparison;
use super::vector::Mask;
use super::wants::{Wants, is_tally};

/// A signal, times two, plus one where it is negated.
pub(super) type Literal = u32;

/// What is true where the first two literals are, or the other two.
type Gate = [Literal; 4];

/// The gates; signals are the facts that a function looks at, one that is nowhere true, and the gates, in this order.
pub(super) struct Truths {
    facts: usize,
    gates: Vec<Gate>,
}

impl Truths {
    /// How many signals there are.
    pub(super) fn signals(&self) -> usize {
        self.facts + 1 + self.gates.len()
    }

    /// Computes all gates from the facts, by their literals.
    #[inline(always)]
    pub(super) fn run(&self, literals: &mut [Mask]) {
        let mut gate = 2 * (self.facts + 1);
        for &[one, with, other, and] in &self.gates {
            let first = literals[one as usize] & literals[with as usize];
            let value = first | literals[other as usize] & literals[and as usize];
            literals[gate] = value;
            literals[gate + 1] = !value;
            gate += 2;
        }
    }
}

/// Makes gates.
pub(super) struct Builder {
    truths: Truths,
    known: FxHashMap<Gate, Literal>,
    /// For each node what is true where it holds, if somebody wants to know.
    of: Vec<Literal>,
}

impl Builder {
    /// For all that is wanted of a formula; `held` lists for each node the facts that make it hold.
    pub(super) fn new(wants: &Wants<'_, '_>, held: &CompressedRows<u32>, facts: usize) -> Builder {
        let steps = &wants.evaluator.bound.steps;
        let mut builder = Builder::empty(facts);
        builder.of.resize(steps.len(), builder.never());
        // What always holds stands last, and others look at it.
        if let Some(always) = builder.of.last_mut() {
            *always ^= 1;
        }
        for node in (0..steps.len()).filter(|&node| wants.of[node].truth) {
            builder.of[node] = builder.node(wants, held, node);
        }
        builder.keep_what_is_asked_for(wants);
        builder
    }

    fn empty(facts: usize) -> Builder {
        Builder { truths: Truths { facts, gates: Vec::new() }, known: FxHashMap::default(), of: Vec::new() }
    }

    /// Leaves out gates that nothing looks at.
    fn keep_what_is_asked_for(&mut self, wants: &Wants<'_, '_>) {
        let bound = &wants.evaluator.bound;
        let first = self.truths.facts + 1;
        let mut kept = vec![false; self.truths.signals()];
        for node in (0..bound.steps.len()).filter(|&node| wants.of[node].graded()) {
            let mut ask = |edge: Edge| kept[(self.edge(edge) >> 1) as usize] = true;
            match &bound.steps[node] {
                Step::And | Step::Or if is_tally(bound, node) => {
                    bound.members(node).iter().for_each(|&edge| ask(edge));
                }
                Step::Toward => ask(bound.members(node)[0]),
                Step::Compare { .. } => bound.below(node).for_each(ask),
                _ => {}
            }
        }
        for (gate, literals) in self.truths.gates.iter().enumerate().rev() {
            if kept[first + gate] {
                literals.iter().for_each(|literal| kept[(literal >> 1) as usize] = true);
            }
        }
        let never = self.never();
        let mut place: Vec<Literal> = (0..first as u32).map(|signal| signal << 1).collect();
        let gates = std::mem::take(&mut self.truths.gates);
        for (gate, kept) in gates.into_iter().zip(&kept[first..]) {
            if *kept {
                place.push(self.truths.signals() as u32 * 2);
                let moved = gate.map(|literal| place[(literal >> 1) as usize] ^ literal & 1);
                self.truths.gates.push(moved);
            } else {
                place.push(never);
            }
        }
        for literal in &mut self.of {
            *literal = place[(*literal >> 1) as usize] ^ *literal & 1;
        }
    }

    fn never(&self) -> Literal {
        (self.truths.facts as Literal) << 1
    }

    /// What is true where an edge's node holds, or does not where it is negated.
    pub(super) fn edge(&self, edge: Edge) -> Literal {
        self.of[(edge >> 1) as usize] ^ edge & 1
    }

    /// The gates.
    pub(super) fn into_truths(self) -> Truths {
        self.truths
    }

    fn node(&mut self, wants: &Wants<'_, '_>, held: &CompressedRows<u32>, node: usize) -> Literal {
        let bound = &wants.evaluator.bound;
        let members = bound.members(node);
        match &bound.steps[node] {
            Step::Always => self.never() ^ 1,
            Step::Fact | Step::Near(_) | Step::Soon => {
                let facts = held.row(node).iter().map(|fact| fact << 1);
                self.any(facts.collect::<Vec<_>>())
            }
            Step::Toward => self.edge(members[0]),
            Step::And => self.all(members.iter().map(|&edge| self.edge(edge)).collect::<Vec<_>>()),
            Step::Or => self.any(members.iter().map(|&edge| self.edge(edge)).collect::<Vec<_>>()),
            Step::Compare { relation, left, right, .. } => self.compare(*relation, [left, right]),
            Step::Derived | Step::Best => unreachable!("such formulas are not planned"),
        }
    }

    /// Some place of one side that has one of the other beyond it, or at it.
    fn compare(&mut self, relation: Comparison, [left, right]: [&[(u32, Edge)]; 2]) -> Literal {
        use Comparison::{AtLeast, AtMost, Equal, Greater, Less};
        let (below, above) = match relation {
            Less | AtMost | Equal => (left, right),
            Greater | AtLeast => (right, left),
        };
        let mut pairs = Vec::new();
        let mut above: Vec<(u32, Literal)> =
            above.iter().map(|&(place, edge)| (place, self.edge(edge))).collect();
        let mut below: Vec<(u32, Literal)> =
            below.iter().map(|&(place, edge)| (place, self.edge(edge))).collect();
        above.sort_unstable();
        below.sort_unstable();
        // From the highest places down: what stands at or beyond each.
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

    fn all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        let always = self.never() ^ 1;
        literals.into_iter().fold(always, |all, literal| self.and(all, literal))
    }

    fn any(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        let always = self.never() ^ 1;
        literals.into_iter().fold(always, |none, literal| self.and(none, literal ^ 1)) ^ 1
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
        // Neither of two is to hold, of which one is a conjunction at least.
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

    /// The two literals of which one is the conjunction.
    fn conjunction(&self, literal: Literal) -> Option<[Literal; 2]> {
        let gate = ((literal >> 1) as usize).checked_sub(self.truths.facts + 1)?;
        let [one, with, other, _] = self.truths.gates[gate];
        (literal & 1 == 0 && other == self.never()).then_some([one, with])
    }

    fn gate(&mut self, gate: Gate) -> Literal {
        let next = self.truths.signals() as Literal;
        let gates = &mut self.truths.gates;
        *self.known.entry(gate).or_insert_with(|| {
            gates.push(gate);
            next << 1
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FACTS: usize = 6;

    /// One with a node for each fact, and what it says of a literal in all states of these facts.
    fn of_facts() -> (Builder, impl Fn(&Truths, Literal, usize) -> bool) {
        let mut builder = Builder::empty(FACTS);
        builder.of.extend((0..FACTS as Literal).map(|fact| fact << 1));
        let holds = |truths: &Truths, literal: Literal, state: usize| {
            let mut literals = [0, Mask::MAX].repeat(truths.signals());
            for fact in (0..FACTS).filter(|fact| state >> fact & 1 == 1) {
                literals[2 * fact..2 * fact + 2].copy_from_slice(&[Mask::MAX, 0]);
            }
            truths.run(&mut literals);
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
        fn comparisons_hold_where_some_places_do(
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
                let literal = builder.compare(relation, [&left, &right]);
                for state in 0..1 << FACTS {
                    let on = |side: &[(u32, Edge)]| -> Vec<u32> {
                        let there = side.iter().filter(|(_, edge)| edge_holds(*edge, state));
                        there.map(|&(place, _)| place).collect()
                    };
                    let expected = on(&left).iter().any(|&one| on(&right).iter().any(|&two| is(one, two)));
                    prop_assert_eq!(holds(&builder.truths, literal, state), expected, "{:?}", relation);
                }
            }
        }

        #[test]
        fn disjunctions_of_conjunctions_take_a_gate_each(
            parts in prop::collection::vec(prop::collection::vec(0..2 * FACTS as Edge, 0..4), 0..6),
        ) {
            let (mut builder, holds) = of_facts();
            let all: Vec<Literal> = parts.iter().map(|part| builder.all(part.iter().copied())).collect();
            let any = builder.any(all);
            for state in 0..1 << FACTS {
                let expected = parts.iter().any(|part| part.iter().all(|&edge| edge_holds(edge, state)));
                prop_assert_eq!(holds(&builder.truths, any, state), expected);
            }
        }
    }
}
