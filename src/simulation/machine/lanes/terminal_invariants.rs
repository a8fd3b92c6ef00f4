//! Conditions that can't hold while a playout goes on, because they would have ended it before.
//!
//! What ends a game often depends on one side alone: the line of a player, say, which no move of the others can make.
//! Where a disjunct of the terminal condition can only become false in a step (it holds afterwards only if it held
//! before), it is false in every playout that took the step: the state before wasn't terminal. A program for that
//! phase needs none of its gates.

use super::phases::{Evaluation, Phases};
use crate::ground::network::Segment;
use crate::ground::{Interrupt, Interrupted, Lit, Network};

/// Literals looked at to find whether one implies another.
const SEARCH: usize = 256;

/// By phase, gates' literals that are false in running playouts that began in the initial state.
///
/// # Errors
/// It was interrupted.
pub(super) fn impossible(
    network: &Network,
    phases: &Phases,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<Lit>>, Interrupted> {
    let initial: Vec<Option<bool>> = network.initial.iter().map(|&bit| Some(bit)).collect();
    let start = Evaluation::of(network, &initial);
    let count = phases.len();
    let values: Vec<Evaluation<'_>> = phases.iter().map(|known| Evaluation::of(network, known)).collect();
    let phase = |phase: usize| {
        let step = Step::new(network, &values[(phase + count - 1) % count], &values[phase], interrupt)?;
        let mut found = Vec::new();
        let mut stack = vec![(network.terminal, false)];
        while let Some((literal, inherited)) = stack.pop() {
            let Some(gate) = literal.node().checked_sub(network.first_gate) else { continue };
            // Playouts start in the first phase.
            let false_at_start = || phase > 0 || start.value(literal) == Some(false);
            let never = inherited || step.falls(literal) && false_at_start();
            if never && values[phase].value(literal).is_none() {
                found.push(literal);
            }
            if literal.negated() {
                stack.extend(network.gate(gate as usize).iter().map(|&operand| (!operand, never)));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    };
    (0..count).map(phase).collect()
}

/// Which nodes can change in which direction in the step to a phase.
struct Step<'a> {
    network: &'a Network,
    before: &'a Evaluation<'a>,
    after: &'a Evaluation<'a>,
    /// Nodes that hold after the step only if they held before, and those that hold after it if they held before.
    falls: Vec<bool>,
    rises: Vec<bool>,
}

impl<'a> Step<'a> {
    fn new(
        network: &'a Network,
        before: &'a Evaluation<'a>,
        after: &'a Evaluation<'a>,
        interrupt: &Interrupt,
    ) -> Result<Step<'a>, Interrupted> {
        let nodes = network.nodes as usize;
        let mut step = Step { network, before, after, falls: vec![false; nodes], rises: vec![false; nodes] };
        (step.falls[0], step.rises[0]) = (true, true);
        for (bit, &next) in network.next.iter().enumerate() {
            interrupt.check()?;
            let here = Lit::of(1 + bit as u32);
            step.note(here, step.implies(next, here, &mut SEARCH.clone()), |step| {
                step.implies(!next, !here, &mut SEARCH.clone())
            });
        }
        for segment in &network.segments[..network.state_segments] {
            // What is recursive is taken to change in any direction.
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

    /// Notes how a node changes; what is known of it counts as well.
    fn note(&mut self, node: Lit, falls: bool, rises: impl Fn(&Step<'a>) -> bool) {
        let (before, after) = (self.before.value(node), self.after.value(node));
        let rises = rises(self);
        self.falls[node.node() as usize] = falls || before == Some(true) || after == Some(false);
        self.rises[node.node() as usize] = rises || before == Some(false) || after == Some(true);
    }

    /// Whether a literal of the state holds after the step only if it held before.
    fn falls(&self, literal: Lit) -> bool {
        let node = literal.node() as usize;
        if literal.negated() { self.rises[node] } else { self.falls[node] }
    }

    /// Whether it can be seen that one literal implies another before the step.
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

    /// Two roles take turns to put a mark on one of three cells; two marks of one kind beside each other end the game.
    fn beside(moves: &str) -> Vec<usize> {
        let text = format!(
            "(role a) (role b) (init (control a)) (cell 1) (cell 2) (cell 3) (succ 1 2) (succ 2 3)
            (<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
            (<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
            (<= (next (on ?c ?s)) (true (on ?c ?s))) (<= (taken ?c) (true (on ?c ?s)))
            (<= (two ?s) (true (on ?c ?s)) (succ ?c ?d) (true (on ?d ?s))) (<= full (taken 1) (taken 2) (taken 3))
            (<= terminal (two a)) (<= terminal (two b)) (<= terminal full)
            (<= (goal a 100) (two a)) (<= (goal b 100) (two b)) {moves}"
        );
        let description = read(&Source::from_text("beside", text)).description.expect("a game");
        let network = &ground(&description.into(), &Limits::default()).expect("a small game").network;
        let phases = phases(network, &Interrupt::default()).expect("nothing interrupts");
        assert_eq!(phases.len(), 2);
        let found = impossible(network, &phases, &Interrupt::default()).expect("nothing interrupts");
        found.iter().map(Vec::len).collect()
    }

    #[test]
    fn two_marks_that_the_other_role_can_not_have_put_there_ended_the_game_before() {
        let own = beside(
            "(<= (legal ?r (mark ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
            (<= (next (on ?c ?r)) (does ?r (mark ?c)))",
        );
        assert!(own.iter().all(|&count| count > 0), "{own:?}");
        let any = beside(
            "(<= (legal ?r (mark ?c ?s)) (true (control ?r)) (role ?s) (cell ?c) (not (taken ?c)))
            (<= (next (on ?c ?s)) (does ?r (mark ?c ?s)))",
        );
        assert_eq!(any, [0, 0], "each role may put both kinds");
    }
}
