//! Phases: state bits that depend only on the number of steps, for example with one value at every even and one at every odd
//! step. In most games this includes whose turn it is.
//!
//! Three-valued simulation from the initial state finds them; moves and all values that depend on moves are unknown. A
//! bit that has one known value at all steps of a phase is a constant there, so code for this phase is smaller.

use crate::ground::network::{RoleMove, Segment};
use crate::ground::{Interrupt, Interrupted, Lit, Network};

/// Maximum period.
const MAX_PERIOD: usize = 6;
/// Number of rounds after which only values that differ between phases are tracked.
const PATIENCE: usize = 12;
/// A longer period must save at least 1/`SAVING` of the choices, because it needs more code.
const SAVING: usize = 20;
/// Maximum number of gates to evaluate.
const MAX_WORK: usize = 50_000_000;

/// For each phase (step modulo the period), the known values of the state bits.
pub(super) type Phases = Vec<Vec<Option<bool>>>;

/// The period with the fewest moves to choose from, and its known values; a single phase without known values if no period
/// saves any. It counts moves, not gates: if the same rules are in another order, their gates differ, but their playouts
/// must not.
///
/// # Errors
/// The computation was interrupted.
pub(super) fn phases(network: &Network, interrupt: &Interrupt) -> Result<Phases, Interrupted> {
    let mut best = vec![vec![None; network.next.len()]];
    let mut least = Evaluation::new(network).choices(&best[0]);
    for period in 2..=MAX_PERIOD {
        if network.operands.len() * period * 2 * PATIENCE > MAX_WORK && period > network.moves.len() {
            break;
        }
        let mut evaluation = Evaluation::new(network);
        let known = evaluation.fixpoint(period, interrupt)?;
        if known.iter().flatten().all(Option::is_none) {
            continue;
        }
        let choices: usize = known.iter().map(|known| evaluation.choices(known)).sum();
        if choices * best.len() * SAVING < least * period * (SAVING - 1) {
            (best, least) = (known, choices);
        }
    }
    Ok(best)
}

/// Three-valued values of a network's nodes.
pub(in crate::machine) struct Evaluation<'a> {
    network: &'a Network,
    values: Vec<Option<bool>>,
}

impl<'a> Evaluation<'a> {
    pub(in crate::machine) fn new(network: &'a Network) -> Evaluation<'a> {
        Evaluation { network, values: vec![None; network.nodes as usize] }
    }

    /// The values for partially known state bits. Moves that are known to be illegal are not made.
    pub(in crate::machine) fn of(network: &'a Network, state: &[Option<bool>]) -> Evaluation<'a> {
        let mut evaluation = Evaluation::new(network);
        evaluation.start(state);
        evaluation.segments(&network.segments[..network.state_segments]);
        for m in network.moves.iter().flatten() {
            if evaluation.value(m.legal) == Some(false) {
                evaluation.values[m.input as usize] = Some(false);
            }
        }
        evaluation.segments(&network.segments[network.state_segments..]);
        evaluation
    }

    /// The value of a literal, if known.
    pub(in crate::machine) fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.node() as usize].map(|value| value ^ literal.negated())
    }

    /// Evaluates all gates for a state; moves and recursive atoms are unknown.
    fn evaluate(&mut self, state: &[Option<bool>]) {
        self.start(state);
        self.segments(&self.network.segments);
    }

    fn start(&mut self, state: &[Option<bool>]) {
        self.values.fill(None);
        self.values[0] = Some(false);
        self.values[1..=state.len()].copy_from_slice(state);
    }

    /// Evaluates these gates for a state, in this order. The other gates keep their values.
    pub(in crate::machine) fn gates(&mut self, state: &[Option<bool>], gates: &[u32]) {
        self.values[0] = Some(false);
        self.values[1..=state.len()].copy_from_slice(state);
        gates.iter().for_each(|&gate| self.gate(gate));
    }

    fn gate(&mut self, gate: u32) {
        let mut all = Some(true);
        for &operand in self.network.gate(gate as usize) {
            match self.value(operand) {
                Some(true) => {}
                Some(false) => {
                    all = Some(false);
                    break;
                }
                None => all = None,
            }
        }
        self.values[(self.network.first_gate + gate) as usize] = all;
    }

    fn segments(&mut self, segments: &[Segment]) {
        for segment in segments {
            let gates = match segment {
                Segment::Straight(gates) | Segment::Loop { gates, .. } => gates.clone(),
            };
            gates.for_each(|gate| self.gate(gate));
        }
    }

    /// The values that are known at all steps of each phase.
    fn fixpoint(&mut self, period: usize, interrupt: &Interrupt) -> Result<Phases, Interrupted> {
        let network = self.network;
        let bits = network.next.len();
        let mut known: Vec<Option<Vec<Option<bool>>>> = vec![None; period];
        known[0] = Some(network.initial.iter().map(|&bit| Some(bit)).collect());
        let mut dirty = vec![false; period];
        dirty[0] = true;
        let (mut phase, mut rounds) = (0, 0);
        while dirty.contains(&true) {
            interrupt.check()?;
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
                forget_equal_phases(&mut known);
                dirty = vec![true; period];
            }
            if rounds > 3 * PATIENCE {
                return Ok(vec![vec![None; bits]; period]);
            }
        }
        Ok(known.into_iter().map(|known| known.unwrap_or_else(|| vec![None; bits])).collect())
    }

    /// The number of moves among which roles choose, for a partially known state.
    fn choices(&mut self, state: &[Option<bool>]) -> usize {
        self.evaluate(state);
        let possible =
            |moves: &Vec<RoleMove>| moves.iter().filter(|m| self.value(m.legal) != Some(false)).count();
        self.network.moves.iter().map(possible).filter(|&possible| possible > 1).sum()
    }
}

/// Makes bits unknown that have the same known value in all phases, such as later bits of a counter that are not reached
/// yet.
fn forget_equal_phases(known: &mut [Option<Vec<Option<bool>>>]) {
    let bits = known.iter().flatten().map(Vec::len).max().unwrap_or(0);
    for bit in 0..bits {
        let has = |value: bool| known.iter().flatten().any(|known| known[bit] == Some(value));
        if !(has(true) && has(false)) {
            known.iter_mut().flatten().for_each(|known| known[bit] = None);
        }
    }
}
