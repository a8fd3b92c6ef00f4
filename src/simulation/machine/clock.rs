//! The clock of a game: the part of a state that tells the number of steps made, and of which nothing but the end of
//! the game depends.
//!
//! # What it finds
//! Bits of a network's states that go the same course in every play, whatever is played, and that neither legal moves
//! nor goal values nor any other bit depends on; and the step at which they end every play. States that differ in
//! these bits alone are one state with more or less time left.
//!
//! # How
//! The bits whose successors depend on no move and on no bit but such ones are the greatest set that is closed under
//! "depends on" in the network. Of these, what the rest of the rules reads is left out (whose turn it is, say). The
//! course is followed from the initial state, with all else unknown (three-valued), until the end is certain.
//!
//! # Guarantee
//! Sound: it holds for all joint moves in all states, by the ground rules. Rules that count in a roundabout way have a
//! clock that isn't found.
//!
//! # Source
//! The remove-counter transformation of Kuhlmann, Dresner and Stone 2006, with conditions under which it is right.

use crate::ground::Network;
use crate::ground::network::Segment;

use super::lanes::phases::Evaluation;
use super::{FluentId, State};

/// Steps followed at most.
const LONGEST: usize = 4096;
/// Operands of gates and bits of states looked at, at most, to follow the course.
const WORK: usize = 200_000_000;

/// The clock of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The bits that only the clock is made of.
    mask: Box<[u64]>,
    /// All bits that go the same course in every play, and their values step by step, up to the last step.
    course_mask: Box<[u64]>,
    course: Vec<Box<[u64]>>,
}

impl Clock {
    /// The clock of a network's game; none where it has none. [`Machine::clock`](super::Machine::clock) has it ready.
    pub fn of(network: &Network) -> Option<Clock> {
        let fixed = fixed_course(network)?;
        if !fixed.contains(&true) {
            return None;
        }
        let outputs = network.moves.iter().flatten().map(|m| m.legal.node());
        let goals = network.goals.iter().flatten().map(|(_, condition)| condition.node());
        let others =
            network.next.iter().zip(&fixed).filter(|(_, fixed)| !**fixed).map(|(next, _)| next.node());
        let mut read = cone(network, outputs.chain(goals).chain(others));
        // What decides bits that are read is read as well.
        loop {
            let needed = (0..fixed.len()).filter(|&bit| read[1 + bit]).map(|bit| network.next[bit].node());
            let more = cone(network, needed);
            let before = read.iter().filter(|&&read| read).count();
            read.iter_mut().zip(more).for_each(|(read, more)| *read |= more);
            if read.iter().filter(|&&read| read).count() == before {
                break;
            }
        }
        let own: Vec<bool> = (0..fixed.len()).map(|bit| fixed[bit] && !read[1 + bit]).collect();
        if !own.contains(&true) {
            return None;
        }
        let ending = cone(network, [network.terminal.node()].into_iter());
        let of_end: Vec<usize> = (0..own.len()).filter(|&bit| own[bit] && ending[1 + bit]).collect();
        let course = course(network, &fixed, &of_end)?;
        Some(Clock { mask: words(&own), course_mask: words(&fixed), course })
    }

    /// The step, counted from the initial state, at which every play ends that hasn't ended before, by bits that go the
    /// same course in every play, whoever else reads them; none where that can't be told.
    pub fn longest_play(network: &Network) -> Option<u32> {
        let fixed = fixed_course(network)?;
        if !fixed.contains(&true) {
            return None;
        }
        u32::try_from(course(network, &fixed, &[])?.len() - 1).ok()
    }

    /// The bits of the clock, in words of a state.
    pub fn mask(&self) -> &[u64] {
        &self.mask
    }

    /// The step, counted from the initial state, at which every play ends that hasn't ended before.
    pub fn last_step(&self) -> u32 {
        self.course.len() as u32 - 1
    }

    /// Steps from the initial state to this one; none where it can't be reached.
    pub fn step(&self, state: &State) -> Option<u32> {
        let bits = || state.0.iter().zip(&*self.course_mask).map(|(word, mask)| word & mask);
        let step = self.course.iter().position(|course| bits().eq(course.iter().copied()))?;
        u32::try_from(step).ok()
    }

    /// Whether one of these fluents of the clock's network tells steps apart: two states that are no end yet may differ
    /// in it by their clocks alone.
    pub fn shows_in(&self, network: &Network, fluents: &[FluentId]) -> bool {
        let before_end = &self.course[..self.course.len() - 1];
        let changes = |word: usize, bit: u32| {
            let holds = |course: &[u64]| course[word] >> bit & 1;
            before_end.iter().any(|course| holds(course) != holds(&before_end[0]))
        };
        let mut bits = fluents.iter().filter_map(|fluent| network.fluents.get(fluent.0 as usize)?.bit);
        bits.any(|bit| {
            let (word, bit) = (bit as usize / 64, bit % 64);
            self.mask[word] >> bit & 1 == 1 && changes(word, bit)
        })
    }

    /// Sets a state's clock to a step, 0 to [`last_step`](Clock::last_step).
    ///
    /// # Panics
    /// The step is later.
    pub fn set(&self, words: &mut [u64], step: u32) {
        for ((word, mask), course) in words.iter_mut().zip(&self.mask).zip(&self.course[step as usize]) {
            *word = *word & !mask | course & mask;
        }
    }

    /// Whether the bits that go the same course in every play, but for the clock itself, are as at a step.
    pub fn fits(&self, words: &[u64], step: u32) -> bool {
        let masks = self.mask.iter().zip(&self.course_mask).map(|(own, all)| all & !own);
        let course = &self.course[step as usize];
        words.iter().zip(masks).zip(course).all(|((word, mask), course)| word & mask == course & mask)
    }
}

fn words(bits: &[bool]) -> Box<[u64]> {
    let word = |bits: &[bool]| (0..).zip(bits).fold(0, |word, (place, &bit)| word | u64::from(bit) << place);
    bits.chunks(64).map(word).collect()
}

/// The bits that go the same course in every play; none where finding them takes too long.
fn fixed_course(network: &Network) -> Option<Vec<bool>> {
    let mut fixed = vec![true; network.next.len()];
    let mut work = 0;
    loop {
        work += network.operands.len() + network.nodes as usize;
        if work > WORK {
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

/// The nodes that depend on a move, or on a bit that isn't fixed.
fn depends_on_play(network: &Network, fixed: &[bool]) -> Vec<bool> {
    let mut depends = vec![true; network.nodes as usize];
    depends[0] = false;
    depends[1..=fixed.len()].iter_mut().zip(fixed).for_each(|(depends, fixed)| *depends = !fixed);
    let look = |depends: &mut Vec<bool>, gates: std::ops::Range<u32>| {
        for gate in gates {
            let any = network.gate(gate as usize).iter().any(|operand| depends[operand.node() as usize]);
            depends[(network.first_gate + gate) as usize] = any;
        }
    };
    for segment in &network.segments {
        match segment {
            Segment::Straight(gates) => look(&mut depends, gates.clone()),
            Segment::Loop { gates, feedback } => {
                feedback.iter().for_each(|&(node, _)| depends[node as usize] = false);
                // Each round finds one more or is the last.
                for _ in 0..=feedback.len() {
                    look(&mut depends, gates.clone());
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

/// The nodes that these depend on within one step, themselves included.
fn cone(network: &Network, roots: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut definition = vec![None; network.nodes as usize];
    for segment in &network.segments {
        if let Segment::Loop { feedback, .. } = segment {
            feedback.iter().for_each(|&(node, literal)| definition[node as usize] = Some(literal.node()));
        }
    }
    let mut seen = vec![false; network.nodes as usize];
    let mut stack: Vec<u32> = roots.collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        stack.extend(definition[node as usize]);
        if let Some(gate) = node.checked_sub(network.first_gate) {
            stack.extend(network.gate(gate as usize).iter().map(|operand| operand.node()));
        }
    }
    seen
}

/// The values of fixed bits step by step, up to the step at which the end is certain; none where there is no such step,
/// or where the bits that the end depends on change before.
fn course(network: &Network, fixed: &[bool], of_end: &[usize]) -> Option<Vec<Box<[u64]>>> {
    let mut now: Vec<bool> = network.initial.iter().zip(fixed).map(|(&bit, &fixed)| bit && fixed).collect();
    let first: Vec<bool> = of_end.iter().map(|&bit| now[bit]).collect();
    let gates = course_gates(network, fixed);
    let operands: usize = gates.iter().map(|&gate| network.gate(gate as usize).len()).sum();
    let mut evaluation = Evaluation::new(network);
    let mut course = Vec::new();
    let longest = LONGEST.min(WORK / (operands + fixed.len()).max(1));
    for _ in 0..=longest {
        course.push(words(&now));
        let known: Vec<Option<bool>> =
            now.iter().zip(fixed).map(|(&bit, &fixed)| fixed.then_some(bit)).collect();
        evaluation.gates(&known, &gates);
        if evaluation.value(network.terminal) == Some(true) {
            return Some(course);
        }
        if !of_end.iter().map(|&bit| now[bit]).eq(first.iter().copied()) {
            return None;
        }
        let next = network.next.iter().zip(fixed);
        let next: Option<Vec<bool>> =
            next.map(|(&next, &fixed)| if fixed { evaluation.value(next) } else { Some(false) }).collect();
        now = next?;
    }
    None
}

/// The gates that determine the successors of fixed bits and `terminal`, in the order of evaluation.
/// A gate that no fixed bit reaches has no known value at any step and is left out.
fn course_gates(network: &Network, fixed: &[bool]) -> Vec<u32> {
    let next = network.next.iter().zip(fixed).filter(|(_, fixed)| **fixed).map(|(next, _)| next.node());
    let read = cone(network, next.chain([network.terminal.node()]));
    let mut reached = vec![false; network.nodes as usize];
    reached[0] = true;
    reached[1..=fixed.len()].copy_from_slice(fixed);
    let mut kept = Vec::new();
    for segment in &network.segments {
        let (Segment::Straight(gates) | Segment::Loop { gates, .. }) = segment;
        for gate in gates.clone() {
            let node = (network.first_gate + gate) as usize;
            let operands = network.gate(gate as usize);
            reached[node] =
                operands.is_empty() || operands.iter().any(|operand| reached[operand.node() as usize]);
            if reached[node] && read[node] {
                kept.push(gate);
            }
        }
    }
    kept
}
