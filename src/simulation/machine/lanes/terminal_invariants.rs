//! Invariants of running playouts: conditions that are known to be false, because they would have ended the game earlier.
//!
//! The end of a game often depends on one side only, such as a player's line, which the moves of the others can't complete.
//! If a disjunct of the terminal condition can't become true in a step, it is false after that step in every running
//! playout, because the state before was not terminal. Code for that phase does not need its gates.

use super::phases::{Evaluation, Phases};
use crate::ground::network::Segment;
use crate::ground::{Interrupt, Interrupted, Lit, Network};

/// Maximum number of literals to visit when checking an implication.
const MAX_VISITED_LITERALS: usize = 256;

/// For each phase, the literals of gates that are false in running playouts from the initial state.
///
/// # Errors
/// The interrupt was set.
pub(super) fn false_literals(
    network: &Network,
    phases: &Phases,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<Lit>>, Interrupted> {
    let initial: Vec<Option<bool>> = network.initial.iter().map(|&bit| Some(bit)).collect();
    let start = Evaluation::of(network, &initial);
    let count = phases.len();
    let values: Vec<Evaluation<'_>> = phases.iter().map(|known| Evaluation::of(network, known)).collect();
    let phase = |phase: usize| {
        let step =
            Monotonicity::new(network, &values[(phase + count - 1) % count], &values[phase], interrupt)?;
        let mut literals = Vec::new();
        let mut stack = vec![(network.terminal, false)];
        while let Some((literal, inherited)) = stack.pop() {
            let Some(gate) = literal.node().checked_sub(network.first_gate) else { continue };
            // Playouts start in the first phase.
            let false_at_start = || phase > 0 || start.value(literal) == Some(false);
            let never = inherited || step.falls(literal) && false_at_start();
            if never && values[phase].value(literal).is_none() {
                literals.push(literal);
            }
            if literal.negated() {
                stack.extend(network.gate(gate as usize).iter().map(|&operand| (!operand, never)));
            }
        }
        literals.sort_unstable();
        literals.dedup();
        Ok(literals)
    };
    (0..count).map(phase).collect()
}

/// Monotonicity of nodes in the step to a phase.
struct Monotonicity<'a> {
    network: &'a Network,
    before: &'a Evaluation<'a>,
    after: &'a Evaluation<'a>,
    /// Whether each node is true after the step only if it was true before.
    falls: Vec<bool>,
    /// Whether each node is true after the step if it was true before.
    rises: Vec<bool>,
}

impl<'a> Monotonicity<'a> {
    fn new(
        network: &'a Network,
        before: &'a Evaluation<'a>,
        after: &'a Evaluation<'a>,
        interrupt: &Interrupt,
    ) -> Result<Monotonicity<'a>, Interrupted> {
        let nodes = network.nodes as usize;
        let mut step =
            Monotonicity { network, before, after, falls: vec![false; nodes], rises: vec![false; nodes] };
        (step.falls[0], step.rises[0]) = (true, true);
        for (bit, &next) in network.next.iter().enumerate() {
            interrupt.check()?;
            let here = Lit::of(1 + bit as u32);
            step.note(here, step.implies(next, here, &mut MAX_VISITED_LITERALS.clone()), |step| {
                step.implies(!next, !here, &mut MAX_VISITED_LITERALS.clone())
            });
        }
        for segment in &network.segments[..network.state_segments] {
            // Recursive nodes may change in any direction.
            let Segment::Straight(gates) = segment else { continue };
            interrupt.check()?;
            for gate in gates.clone() {
                let operands = network.gate(gate as usize);
                let falls = operands.iter().all(|&operand| step.falls(operand));
                step.note(Lit::of(network.first_gate + gate), falls, |step| {
                    operands.iter().all(|&operand| step.falls(!operand))
                });
            }
        }
        Ok(step)
    }

    /// Records the monotonicity of a node, including what follows from known values.
    fn note(&mut self, node: Lit, falls: bool, rises: impl Fn(&Monotonicity<'a>) -> bool) {
        let (before, after) = (self.before.value(node), self.after.value(node));
        let rises = rises(self);
        self.falls[node.node() as usize] = falls || before == Some(true) || after == Some(false);
        self.rises[node.node() as usize] = rises || before == Some(false) || after == Some(true);
    }

    /// Whether a state literal is true after the step only if it was true before.
    fn falls(&self, literal: Lit) -> bool {
        let node = literal.node() as usize;
        if literal.negated() { self.rises[node] } else { self.falls[node] }
    }

    /// Whether one literal provably implies another before the step.
    fn implies(&self, from: Lit, to: Lit, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if from == to || self.before.value(from) == Some(false) || self.before.value(to) == Some(true) {
            return true;
        }
        let Some(gate) = from.node().checked_sub(self.network.first_gate) else { return false };
        let mut operands = self.network.gate(gate as usize).iter();
        if from.negated() {
            operands.all(|&operand| self.implies(!operand, to, left))
        } else {
            operands.any(|&operand| self.implies(operand, to, left))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::phases::phases;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::{Limits, ground};

    /// Two roles take turns to mark one of three cells; two adjacent equal marks end the game.
    fn invariants_of(moves: &str) -> Vec<usize> {
        let text = format!(
            "(role a) (role b) (init (control a)) (cell 1) (cell 2) (cell 3) (succ 1 2) (succ 2 3)
            (<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
            (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
            (<= (next (on ?c ?s)) (true (on ?c ?s))) (<= (taken ?c) (true (on ?c ?s)))
            (<= (two ?s) (true (on ?c ?s)) (succ ?c ?d) (true (on ?d ?s))) (<= full (taken 1) (taken 2) (taken 3))
            (<= terminal (two a)) (<= terminal (two b)) (<= terminal full)
            (<= (goal a 100) (two a)) (<= (goal b 100) (two b)) {moves}"
        );
        let description = read(&Source::from_text("marks", text)).description.expect("a game");
        let network = &ground(&description.into(), &Limits::default()).expect("a small game").network;
        let phases = phases(network, &Interrupt::default()).expect("nothing interrupts");
        assert_eq!(phases.len(), 2);
        let found = false_literals(network, &phases, &Interrupt::default()).expect("nothing interrupts");
        found.iter().map(Vec::len).collect()
    }

    #[test]
    fn marks_of_the_other_role_cannot_end_the_game() {
        let own = invariants_of(
            "(<= (legal ?r (mark ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
            (<= (next (on ?c ?r)) (does ?r (mark ?c)))",
        );
        assert!(own.iter().all(|&count| count > 0), "{own:?}");
        let any = invariants_of(
            "(<= (legal ?r (mark ?c ?s)) (true (control ?r)) (role ?s) (cell ?c) (not (taken ?c)))
            (<= (next (on ?c ?s)) (does ?r (mark ?c ?s)))",
        );
        assert_eq!(any, [0, 0], "each role may put both kinds");
    }
}
