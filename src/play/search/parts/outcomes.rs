//! The results that combinations of states of all parts can have.

use rustc_hash::FxHashMap;

use crate::ground::parts::{Condition, Owner};
use crate::ground::{Lit, Network};
use crate::search::limits::{Halt, Meter};

use super::joint_gates::JointGates;
use super::steps::Steps;

/// The most combinations whose plans are tried, for each goal value and step.
const TRIED: usize = 64;

/// How `terminal` and `goal` depend on the conditions of the parts.
pub(super) struct Outcomes {
    gates: JointGates,
    /// For each goal value the index of its gate, ascending.
    goals: Vec<(i32, usize)>,
    /// The index of the gate of `terminal`.
    terminal: usize,
    /// For each step the values of the nodes that read no part.
    fixed: Vec<Vec<bool>>,
    /// For each part the values of its conditions, by class.
    classes: Vec<Vec<Vec<bool>>>,
    numbers: Vec<FxHashMap<Vec<bool>, u32>>,
}

impl Outcomes {
    pub(super) fn new(network: &Network, owners: &[Owner], steps: &Steps, parts: usize) -> Outcomes {
        let roots = network.goals[0].iter().map(|&(_, goal)| goal).chain([network.terminal]);
        let gates = JointGates::new(network, owners, &roots.collect::<Vec<Lit>>(), parts);
        let goals = (gates.first_root..).zip(&network.goals[0]).map(|(index, &(goal, _))| (goal, index));
        Outcomes {
            goals: goals.collect(),
            terminal: gates.len() - 1,
            gates,
            fixed: steps.words.iter().map(|words| fixed(network, owners, words, steps)).collect(),
            classes: vec![Vec::new(); parts],
            numbers: vec![FxHashMap::default(); parts],
        }
    }

    /// The class of a state of a part, by the values of its nodes, and whether it ends the game in any case.
    pub(super) fn class(&mut self, part: u32, values: &[bool]) -> (u32, bool) {
        let part = part as usize;
        let of = |of: &Condition| of.operands.iter().all(|&operand| holds(values, operand));
        let values: Vec<bool> = self.gates.of_part(part).map(of).collect();
        let (classes, numbers) = (&mut self.classes[part], &mut self.numbers[part]);
        let class = *numbers.entry(values.clone()).or_insert_with(|| {
            classes.push(values);
            classes.len() as u32 - 1
        });
        let mut chosen = vec![None; self.classes.len()];
        chosen[part] = Some(class);
        let over = self.evaluate(&chosen, None);
        (class, over[self.terminal] == Some(true))
    }

    /// The values of all gates, as far as the chosen classes and the step determine them.
    fn evaluate(&self, chosen: &[Option<u32>], step: Option<usize>) -> Vec<Option<bool>> {
        let mut values: Vec<Option<&[bool]>> = vec![None; self.classes.len()];
        for ((value, classes), class) in values.iter_mut().zip(&self.classes).zip(chosen) {
            *value = class.map(|class| &classes[class as usize][..]);
        }
        self.gates.evaluate(&values, |literal| step.map(|step| holds(&self.fixed[step], literal)))
    }

    /// The gates of the goal values, the greatest value first.
    pub(super) fn goals(&self) -> impl Iterator<Item = (i32, usize)> + use<> {
        self.goals.clone().into_iter().rev()
    }

    /// The combinations of classes in which the game is over at a step with the value of a gate, at most [`TRIED`].
    pub(super) fn ends(
        &self,
        classes: &[Vec<u32>],
        step_and_goal: (usize, usize),
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Vec<u32>>, Halt> {
        let (mut chosen, mut ends) = (Vec::new(), Vec::new());
        self.combine(classes, step_and_goal, &mut chosen, &mut ends, meter)?;
        Ok(ends)
    }

    /// Completes a choice of classes for the first parts in all ways.
    fn combine(
        &self,
        classes: &[Vec<u32>],
        (step, goal): (usize, usize),
        chosen: &mut Vec<Option<u32>>,
        ends: &mut Vec<Vec<u32>>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        if ends.len() == TRIED {
            return Ok(());
        }
        // A combination of up to a thousand gates costs about as much as a state.
        let work = 1 + self.gates.len() / 1000;
        meter.charge(work as u64);
        meter.made(work);
        meter.count(0)?;
        let values = self.evaluate(chosen, Some(step));
        if values[self.terminal] == Some(false) || values[goal] == Some(false) {
            return Ok(());
        }
        let Some(of_part) = classes.get(chosen.len()) else {
            ends.push(chosen.iter().flatten().copied().collect());
            return Ok(());
        };
        for &class in of_part {
            chosen.push(Some(class));
            self.combine(classes, (step, goal), chosen, ends, meter)?;
            chosen.pop();
        }
        Ok(())
    }
}

/// The values of the nodes that read no part, from the words of a state.
fn fixed(network: &Network, owners: &[Owner], words: &[u64], steps: &Steps) -> Vec<bool> {
    let mut values = vec![false; network.nodes as usize];
    for bit in (0..network.next.len()).filter(|&bit| steps.has(bit)) {
        values[1 + bit] = words[bit / 64] >> (bit % 64) & 1 == 1;
    }
    for gate in 0..network.gates() {
        let node = network.first_gate as usize + gate;
        if owners[node] == Owner::None {
            values[node] = network.gate(gate).iter().all(|&operand| holds(&values, operand));
        }
    }
    values
}

/// Whether a literal holds.
pub(super) fn holds(values: &[bool], literal: Lit) -> bool {
    values[literal.node() as usize] != literal.negated()
}
