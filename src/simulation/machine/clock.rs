//! The clock of a game: the bits of a state that count steps and affect only the end of the game.
//!
//! # What it finds
//! It finds bits of a network's states that have the same values at a given step of every playout. Legal moves, goal values
//! and other bits do not depend on them. It also finds the step at which they end every playout. States that differ only in
//! these bits are one state with more or less time left.
//!
//! # How
//! The candidate bits are the largest set of bits whose successors depend on no move and on no bit outside the set. Bits
//! that the rest of the rules reads (such as whose turn it is) are removed. The values of the bits are then simulated step by step from
//! the initial state with three-valued logic, with all other bits unknown, until the end is certain.
//!
//! # Guarantee
//! Sound: the result holds for all joint moves in all states of the ground rules. Not complete: some rules have a clock that
//! is not found.
//!
//! # Source
//! The remove-counter transformation of Kuhlmann, Dresner and Stone 2006, with conditions under which it is correct.

use crate::ground::Network;
use crate::ground::network::Segment;

use super::lanes::phases::Evaluation;
use super::{FluentId, State};

/// Maximum number of steps to simulate.
const MAX_STEPS: usize = 4096;
/// Maximum number of gate operands and state bits to evaluate.
const MAX_WORK: usize = 200_000_000;

/// The clock of a game, see the module documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The bits of the clock.
    mask: Box<[u64]>,
    /// All bits with the same values at each step of every playout.
    trajectory_mask: Box<[u64]>,
    /// The values of these bits at each step up to the last.
    trajectory: Vec<Box<[u64]>>,
}

impl Clock {
    /// Finds the clock of a network's game; none if it has no clock. [`Machine::clock`](super::Machine::clock) caches it.
    pub fn of(network: &Network) -> Option<Clock> {
        let fixed = fixed_bits(network)?;
        if !fixed.contains(&true) {
            return None;
        }
        let outputs = network.moves.iter().flatten().map(|m| m.legal.node());
        let goals = network.goals.iter().flatten().map(|(_, condition)| condition.node());
        let others =
            network.next.iter().zip(&fixed).filter(|(_, fixed)| !**fixed).map(|(next, _)| next.node());
        let mut read = cone(network, outputs.chain(goals).chain(others));
        // Bits that determine a bit that is read are read as well.
        loop {
            let needed = (0..fixed.len()).filter(|&bit| read[1 + bit]).map(|bit| network.next[bit].node());
            let more = cone(network, needed);
            let before = read.iter().filter(|&&read| read).count();
            read.iter_mut().zip(more).for_each(|(read, more)| *read |= more);
            if read.iter().filter(|&&read| read).count() == before {
                break;
            }
        }
        let clock_bits: Vec<bool> = (0..fixed.len()).map(|bit| fixed[bit] && !read[1 + bit]).collect();
        if !clock_bits.contains(&true) {
            return None;
        }
        let ending = cone(network, [network.terminal.node()].into_iter());
        let end_bits: Vec<usize> =
            (0..clock_bits.len()).filter(|&bit| clock_bits[bit] && ending[1 + bit]).collect();
        let trajectory = trajectory(network, &fixed, &end_bits)?;
        Some(Clock { mask: words(&clock_bits), trajectory_mask: words(&fixed), trajectory })
    }

    /// The step, counted from the initial state, at which every playout has ended. It uses all bits with a fixed trajectory,
    /// including bits that the rules read. None if these bits do not end the game.
    pub fn longest_play(network: &Network) -> Option<u32> {
        let fixed = fixed_bits(network)?;
        if !fixed.contains(&true) {
            return None;
        }
        u32::try_from(trajectory(network, &fixed, &[])?.len() - 1).ok()
    }

    /// The bits of the clock, as a mask of a state's words.
    pub fn mask(&self) -> &[u64] {
        &self.mask
    }

    /// Whether a bit has the same values at each step of every playout. The clock consists of such bits.
    pub fn is_fixed(&self, bit: usize) -> bool {
        self.trajectory_mask[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The step, counted from the initial state, at which every playout has ended.
    pub fn last_step(&self) -> u32 {
        self.trajectory.len() as u32 - 1
    }

    /// Steps from the initial state to this one; none if its bits match no step; the state is then unreachable.
    pub fn step(&self, state: &State) -> Option<u32> {
        let bits = || state.0.iter().zip(&*self.trajectory_mask).map(|(word, mask)| word & mask);
        let step = self.trajectory.iter().position(|trajectory| bits().eq(trajectory.iter().copied()))?;
        u32::try_from(step).ok()
    }

    /// Whether one of these fluents belongs to the clock and changes before the end, so that two nonterminal states may
    /// differ in it only by their clocks.
    pub fn shows_in(&self, network: &Network, fluents: &[FluentId]) -> bool {
        let before_end = &self.trajectory[..self.trajectory.len() - 1];
        let changes = |word: usize, bit: u32| {
            let holds = |trajectory: &[u64]| trajectory[word] >> bit & 1;
            before_end.iter().any(|trajectory| holds(trajectory) != holds(&before_end[0]))
        };
        let mut bits = fluents.iter().filter_map(|fluent| network.fluents.get(fluent.0 as usize)?.bit);
        bits.any(|bit| {
            let (word, bit) = (bit as usize / 64, bit % 64);
            self.mask[word] >> bit & 1 == 1 && changes(word, bit)
        })
    }

    /// Sets the clock of a state to a step, from 0 to [`last_step`](Clock::last_step).
    ///
    /// # Panics
    /// The step is after [`last_step`](Clock::last_step).
    pub fn set(&self, words: &mut [u64], step: u32) {
        for ((word, mask), trajectory) in
            words.iter_mut().zip(&self.mask).zip(&self.trajectory[step as usize])
        {
            *word = *word & !mask | trajectory & mask;
        }
    }

    /// The state without its clock: equal for states that differ in nothing else.
    pub fn without(&self, state: &State) -> State {
        State(state.0.iter().zip(&self.mask).map(|(word, mask)| word & !mask).collect())
    }

    /// Whether the bits with a fixed trajectory that are not in the clock have the values of this step.
    pub fn fits(&self, words: &[u64], step: u32) -> bool {
        let masks = self.mask.iter().zip(&self.trajectory_mask).map(|(own, all)| all & !own);
        let trajectory = &self.trajectory[step as usize];
        words
            .iter()
            .zip(masks)
            .zip(trajectory)
            .all(|((word, mask), trajectory)| word & mask == trajectory & mask)
    }
}

fn words(bits: &[bool]) -> Box<[u64]> {
    let word = |bits: &[bool]| (0..).zip(bits).fold(0, |word, (place, &bit)| word | u64::from(bit) << place);
    bits.chunks(64).map(word).collect()
}

/// The bits with the same trajectory in every playout; none if the search exceeds a limit of work.
pub fn fixed_bits(network: &Network) -> Option<Vec<bool>> {
    let mut fixed = vec![true; network.next.len()];
    let mut work = 0;
    loop {
        work += network.operands.len() + network.nodes as usize;
        if work > MAX_WORK {
            return None;
        }
        let depends = depends_on_play(network, &fixed);
        let mut same = true;
        for (fixed, next) in fixed.iter_mut().zip(&network.next) {
            let stays = *fixed && !depends[next.node() as usize];
            same &= stays == *fixed;
            *fixed = stays;
        }
        if same {
            return Some(fixed);
        }
    }
}

/// The nodes that depend on a move or on a bit without a fixed trajectory.
fn depends_on_play(network: &Network, fixed: &[bool]) -> Vec<bool> {
    let mut depends = vec![true; network.nodes as usize];
    depends[0] = false;
    depends[1..=fixed.len()].iter_mut().zip(fixed).for_each(|(depends, fixed)| *depends = !fixed);
    let evaluate = |depends: &mut Vec<bool>, gates: std::ops::Range<u32>| {
        for gate in gates {
            let any = network.gate(gate as usize).iter().any(|operand| depends[operand.node() as usize]);
            depends[(network.first_gate + gate) as usize] = any;
        }
    };
    for segment in &network.segments {
        match segment {
            Segment::Straight(gates) => evaluate(&mut depends, gates.clone()),
            Segment::Loop { gates, feedback } => {
                feedback.iter().for_each(|&(node, _)| depends[node as usize] = false);
                // Each round finds at least one more node or is the last.
                for _ in 0..=feedback.len() {
                    evaluate(&mut depends, gates.clone());
                    let mut same = true;
                    for &(node, definition) in feedback {
                        let now = depends[definition.node() as usize];
                        same &= depends[node as usize] == now;
                        depends[node as usize] = now;
                    }
                    if same {
                        break;
                    }
                }
            }
        }
    }
    depends
}

/// The cone of influence: the nodes on which `roots` depend within one step, including themselves.
fn cone(network: &Network, roots: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut definition = vec![None; network.nodes as usize];
    for segment in &network.segments {
        if let Segment::Loop { feedback, .. } = segment {
            feedback.iter().for_each(|&(node, literal)| definition[node as usize] = Some(literal.node()));
        }
    }
    let mut in_cone = vec![false; network.nodes as usize];
    let mut stack: Vec<u32> = roots.collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut in_cone[node as usize], true) {
            continue;
        }
        stack.extend(definition[node as usize]);
        if let Some(gate) = node.checked_sub(network.first_gate) {
            stack.extend(network.gate(gate as usize).iter().map(|operand| operand.node()));
        }
    }
    in_cone
}

/// The values of the fixed bits at each step until the end is certain. None if there is no such step, or if the bits
/// `end_bits` change earlier.
fn trajectory(network: &Network, fixed: &[bool], end_bits: &[usize]) -> Option<Vec<Box<[u64]>>> {
    let mut now: Vec<bool> = network.initial.iter().zip(fixed).map(|(&bit, &fixed)| bit && fixed).collect();
    let first: Vec<bool> = end_bits.iter().map(|&bit| now[bit]).collect();
    let gates = course_gates(network, fixed);
    let operands: usize = gates.iter().map(|&gate| network.gate(gate as usize).len()).sum();
    let mut evaluation = Evaluation::new(network);
    let mut trajectory = Vec::new();
    let longest = MAX_STEPS.min(MAX_WORK / (operands + fixed.len()).max(1));
    for _ in 0..=longest {
        trajectory.push(words(&now));
        let known: Vec<Option<bool>> =
            now.iter().zip(fixed).map(|(&bit, &fixed)| fixed.then_some(bit)).collect();
        evaluation.gates(&known, &gates);
        if evaluation.value(network.terminal) == Some(true) {
            return Some(trajectory);
        }
        if !end_bits.iter().map(|&bit| now[bit]).eq(first.iter().copied()) {
            return None;
        }
        let next = network.next.iter().zip(fixed);
        let next: Option<Vec<bool>> =
            next.map(|(&next, &fixed)| if fixed { evaluation.value(next) } else { Some(false) }).collect();
        now = next?;
    }
    None
}

/// The gates that determine the successors of fixed bits and `terminal`, in the order of evaluation. Gates that no fixed bit
/// reaches are omitted, because their values are unknown at every step.
fn course_gates(network: &Network, fixed: &[bool]) -> Vec<u32> {
    let next = network.next.iter().zip(fixed).filter(|(_, fixed)| **fixed).map(|(next, _)| next.node());
    let read = cone(network, next.chain([network.terminal.node()]));
    let mut reached = vec![false; network.nodes as usize];
    reached[0] = true;
    reached[1..=fixed.len()].copy_from_slice(fixed);
    let mut course = Vec::new();
    for segment in &network.segments {
        let (Segment::Straight(gates) | Segment::Loop { gates, .. }) = segment;
        for gate in gates.clone() {
            let node = (network.first_gate + gate) as usize;
            let operands = network.gate(gate as usize);
            reached[node] =
                operands.is_empty() || operands.iter().any(|operand| reached[operand.node() as usize]);
            if reached[node] && read[node] {
                course.push(gate);
            }
        }
    }
    course
}
