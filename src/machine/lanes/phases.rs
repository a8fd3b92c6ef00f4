//! What the number of steps alone decides: bits of the state that have one value at every even step and one at
//! every odd step, say, as whose turn it is has in most games.
//!
//! Three-valued evaluation, with the moves and all that depends on them unknown, from the initial state on: a bit
//! that is known at all steps of the same remainder is a constant there, and a program made for that remainder
//! alone is smaller.

use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// Most steps in a period.
const LONGEST: usize = 6;
/// Rounds after which what still changes is taken as unknown.
const PATIENCE: usize = 12;
/// Gates evaluated at most to find a period.
const WORK: usize = 50_000_000;

/// By step modulo their number, what is known of each bit of the state.
pub(super) type Phases = Vec<Vec<Option<bool>>>;

/// The period that saves most, and what is known in it; one phase with nothing known if none saves.
pub(super) fn phases(network: &Network) -> Phases {
    let mut best = vec![vec![None; network.next.len()]];
    let mut least = network.operands.len();
    for period in 2..=LONGEST {
        if network.operands.len() * period * 2 * PATIENCE > WORK && period > network.moves.len() {
            break;
        }
        let mut evaluation = Evaluation::new(network);
        let known = evaluation.fixpoint(period);
        if known.iter().flatten().all(Option::is_none) {
            continue;
        }
        let operands: usize = known.iter().map(|known| evaluation.open_operands(known)).sum();
        // A longer period has to save another tenth.
        if operands / period < least - least / 10 {
            (best, least) = (known, operands / period);
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

    fn fixpoint(&mut self, period: usize) -> Phases {
        let bits = self.network.next.len();
        let mut known: Vec<Option<Vec<Option<bool>>>> = vec![None; period];
        known[0] = Some(self.network.initial.iter().map(|&bit| Some(bit)).collect());
        let mut dirty = vec![false; period];
        dirty[0] = true;
        let (mut phase, mut rounds) = (0, 0);
        while dirty.contains(&true) {
            if rounds > 4 * PATIENCE {
                return vec![vec![None; bits]; period];
            }
            let after = (phase + 1) % period;
            if std::mem::take(&mut dirty[phase]) {
                let state = known[phase].clone().unwrap_or_else(|| vec![None; bits]);
                self.evaluate(&state);
                let next: Vec<Option<bool>> = self.network.next.iter().map(|&lit| self.value(lit)).collect();
                match &mut known[after] {
                    None => {
                        known[after] = Some(next);
                        dirty[after] = true;
                    }
                    Some(old) => {
                        let mut changed = Vec::new();
                        for (bit, (old, new)) in old.iter_mut().zip(next).enumerate() {
                            if old.is_some() && *old != new {
                                *old = None;
                                changed.push(bit);
                            }
                        }
                        dirty[after] |= !changed.is_empty();
                        if rounds > PATIENCE {
                            // What changes this late, as a counter of steps does, is unknown everywhere.
                            for (other, known) in known.iter_mut().enumerate() {
                                for &bit in &changed {
                                    if let Some(known) = known {
                                        dirty[other] |= known[bit].take().is_some();
                                    }
                                }
                            }
                        }
                    }
                }
            }
            phase = after;
            rounds += usize::from(phase == 0);
        }
        known.into_iter().map(|known| known.unwrap_or_else(|| vec![None; bits])).collect()
    }

    /// Operands of gates that are left where a state is known so far.
    fn open_operands(&mut self, state: &[Option<bool>]) -> usize {
        self.evaluate(state);
        let network = self.network;
        let mut operands = 0;
        for gate in 0..network.gates() {
            if self.values[network.first_gate as usize + gate].is_none() {
                let open = network.gate(gate).iter().filter(|operand| self.value(**operand).is_none());
                operands += open.count();
            }
        }
        operands
    }
}
