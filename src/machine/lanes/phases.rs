//! What the number of steps alone decides: bits of the state that have one value at every even step and one at
//! every odd step, say, as whose turn it is has in most games.
//!
//! Three-valued evaluation, with the moves and all that depends on them unknown, from the initial state on: a bit
//! that is known at all steps of the same remainder is a constant there, and a program made for that remainder
//! alone is smaller.

use crate::ground::network::{RoleMove, Segment};
use crate::ground::{Lit, Network};

/// Most steps in a period.
const LONGEST: usize = 6;
/// Rounds after which only what tells phases apart is kept.
const PATIENCE: usize = 12;
/// One part in this many has to be saved by a longer period.
const SAVING: usize = 20;
/// What choosing costs for every possible move, in operands of gates.
const CHOICE: usize = 8;
/// What drawing a number for a role costs.
const DRAW: usize = 150;
/// Gates evaluated at most to find a period.
const WORK: usize = 50_000_000;

/// By step modulo their number, what is known of each bit of the state.
pub(super) type Phases = Vec<Vec<Option<bool>>>;

/// The period that saves most, and what is known in it; one phase with nothing known if none saves.
pub(super) fn phases(network: &Network) -> Phases {
    let mut best = vec![vec![None; network.next.len()]];
    let mut least = Evaluation::new(network).cost(&best[0]);
    for period in 2..=LONGEST {
        if network.operands.len() * period * 2 * PATIENCE > WORK && period > network.moves.len() {
            break;
        }
        let mut evaluation = Evaluation::new(network);
        let known = evaluation.fixpoint(period);
        if known.iter().flatten().all(Option::is_none) {
            continue;
        }
        let cost: usize = known.iter().map(|known| evaluation.cost(known)).sum();
        // A longer period has to save a good part, as there is more code.
        if cost / period < least - least / SAVING {
            (best, least) = (known, cost / period);
        }
    }
    best
}

struct Evaluation<'a> {
    network: &'a Network,
    values: Vec<Option<bool>>,
}

impl<'a> Evaluation<'a> {
    fn new(network: &'a Network) -> Evaluation<'a> {
        Evaluation { network, values: vec![None; network.nodes as usize] }
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.node() as usize].map(|value| value ^ literal.negated())
    }

    /// Evaluates everything for a state; moves and recursive atoms are unknown.
    fn evaluate(&mut self, state: &[Option<bool>]) {
        let network = self.network;
        self.values.fill(None);
        self.values[0] = Some(false);
        self.values[1..=state.len()].copy_from_slice(state);
        for segment in &network.segments {
            let gates = match segment {
                Segment::Straight(gates) | Segment::Loop { gates, .. } => gates.clone(),
            };
            for gate in gates {
                let mut all = Some(true);
                for &operand in network.gate(gate as usize) {
                    match self.value(operand) {
                        Some(true) => {}
                        Some(false) => {
                            all = Some(false);
                            break;
                        }
                        None => all = None,
                    }
                }
                self.values[(network.first_gate + gate) as usize] = all;
            }
        }
    }

    /// What is known at all steps of each remainder.
    fn fixpoint(&mut self, period: usize) -> Phases {
        let network = self.network;
        let bits = network.next.len();
        let mut known: Vec<Option<Vec<Option<bool>>>> = vec![None; period];
        known[0] = Some(network.initial.iter().map(|&bit| Some(bit)).collect());
        let mut dirty = vec![false; period];
        dirty[0] = true;
        let (mut phase, mut rounds) = (0, 0);
        while dirty.contains(&true) {
            let after = (phase + 1) % period;
            if std::mem::take(&mut dirty[phase])
                && let Some(state) = known[phase].clone()
            {
                self.evaluate(&state);
                let next: Vec<Option<bool>> = network.next.iter().map(|&lit| self.value(lit)).collect();
                dirty[after] |= match &mut known[after] {
                    None => {
                        known[after] = Some(next);
                        true
                    }
                    Some(old) => {
                        let mut changed = false;
                        for (old, new) in old.iter_mut().zip(next) {
                            if old.is_some() && *old != new {
                                *old = None;
                                changed = true;
                            }
                        }
                        changed
                    }
                };
            }
            phase = after;
            rounds += usize::from(phase == 0);
            if phase == 0 && rounds == PATIENCE {
                forget_the_same(&mut known);
                dirty = vec![true; period];
            }
            if rounds > 3 * PATIENCE {
                return vec![vec![None; bits]; period];
            }
        }
        known.into_iter().map(|known| known.unwrap_or_else(|| vec![None; bits])).collect()
    }

    /// Operands of gates that are left where a state is known so far, and what the choice of moves costs.
    fn cost(&mut self, state: &[Option<bool>]) -> usize {
        self.evaluate(state);
        let network = self.network;
        let mut needed = vec![false; network.nodes as usize];
        let outputs = network.next.iter().copied().chain([network.terminal]);
        let outputs = outputs.chain(network.goals.iter().flatten().map(|&(_, condition)| condition));
        let mut stack: Vec<Lit> = outputs.chain(network.moves.iter().flatten().map(|m| m.legal)).collect();
        let mut operands = 0;
        while let Some(literal) = stack.pop() {
            let node = literal.node();
            let open = self.value(literal).is_none() && !std::mem::replace(&mut needed[node as usize], true);
            if let (true, Some(gate)) = (open, node.checked_sub(network.first_gate)) {
                let before = stack.len();
                let open = |operand: &&Lit| self.value(**operand).is_none();
                stack.extend(network.gate(gate as usize).iter().filter(open));
                operands += stack.len() - before;
            }
        }
        let possible =
            |moves: &Vec<RoleMove>| moves.iter().filter(|m| self.value(m.legal) != Some(false)).count();
        let choice = |moves| match possible(moves) {
            0 | 1 => 0,
            possible => DRAW + CHOICE * possible,
        };
        operands + network.moves.iter().map(choice).sum::<usize>()
    }
}

/// Takes as unknown what has, as far as it is known, the same value in all phases, as a counter's later values have
/// that aren't reached yet.
fn forget_the_same(known: &mut [Option<Vec<Option<bool>>>]) {
    let bits = known.iter().flatten().map(Vec::len).max().unwrap_or(0);
    for bit in 0..bits {
        let has = |value: bool| known.iter().flatten().any(|known| known[bit] == Some(value));
        if !(has(true) && has(false)) {
            known.iter_mut().flatten().for_each(|known| known[bit] = None);
        }
    }
}
