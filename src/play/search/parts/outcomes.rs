//! The results that combinations of states of all parts can have.

use rustc_hash::FxHashMap;

use crate::ground::parts::{Condition, Owner};
use crate::ground::{Lit, Network};
use crate::search::limits::{Halt, Meter};

use super::steps::Steps;

/// The most combinations whose plans are tried, for each goal value and step.
const TRIED: usize = 64;

/// A gate that reads several parts.
struct JointGate {
    /// Conditions of one part each, by index.
    conditions: Vec<usize>,
    /// Operands that read no part.
    fixed: Vec<Lit>,
    /// Operands that read several parts.
    joint: Vec<Lit>,
}

/// How `terminal` and `goal` depend on the conditions of the parts.
pub(super) struct Outcomes {
    conditions: Vec<Condition>,
    /// The gates on which the roots depend, ascending; the roots themselves come last as gates of one operand.
    gates: Vec<JointGate>,
    /// The index of the gate of each node that reads several parts.
    gate_of: FxHashMap<u32, usize>,
    /// For each goal value the index of its gate, ascending.
    goals: Vec<(i32, usize)>,
    /// The index of the gate of `terminal`.
    terminal: usize,
    /// For each step the values of the nodes that read no part.
    fixed: Vec<Vec<bool>>,
    /// For each part the values of its conditions, by class.
    classes: Vec<Vec<Vec<bool>>>,
    numbers: Vec<FxHashMap<Vec<bool>, u32>>,
    /// For each part its conditions, by index.
    of_part: Vec<Vec<usize>>,
}

impl Outcomes {
    pub(super) fn new(
        network: &Network,
        owners: &[Owner],
        conditions: Vec<Condition>,
        steps: &Steps,
        parts: usize,
    ) -> Outcomes {
        let roots = network.goals[0].iter().map(|&(_, goal)| goal).chain([network.terminal]);
        let roots: Vec<Lit> = roots.collect();
        let (mut needed, mut seen): (Vec<u32>, _) = (Vec::new(), vec![false; owners.len()]);
        let mut open: Vec<u32> = roots.iter().map(|root| root.node()).collect();
        while let Some(node) = open.pop() {
            if owners[node as usize] == Owner::Several
                && node >= network.first_gate
                && !std::mem::replace(&mut seen[node as usize], true)
            {
                needed.push(node);
                let operands = network.gate((node - network.first_gate) as usize);
                open.extend(operands.iter().map(|operand| operand.node()));
            }
        }
        needed.sort_unstable();
        let gate = |operands: &[Lit]| {
            let owner = |operand: &&Lit| owners[operand.node() as usize];
            let mut own: Vec<(u32, Lit)> = Vec::new();
            for operand in operands {
                if let Owner::Part(part) = owner(&operand) {
                    own.push((part, *operand));
                }
            }
            own.sort_unstable();
            let groups = own.chunk_by(|one, other| one.0 == other.0).map(|group| Condition {
                part: group[0].0,
                operands: group.iter().map(|&(_, operand)| operand).collect(),
            });
            let indices = groups.filter_map(|group| conditions.binary_search(&group).ok()).collect();
            let of = |wanted| operands.iter().filter(|operand| owner(operand) == wanted).copied().collect();
            JointGate { conditions: indices, fixed: of(Owner::None), joint: of(Owner::Several) }
        };
        let mut gates: Vec<JointGate> =
            needed.iter().map(|&node| gate(network.gate((node - network.first_gate) as usize))).collect();
        let gate_of = needed.iter().enumerate().map(|(index, &node)| (node, index)).collect();
        let first = gates.len();
        gates.extend(roots.iter().map(|&root| gate(&[root])));
        let goals =
            network.goals[0].iter().enumerate().map(|(index, &(goal, _))| (goal, first + index)).collect();
        let of_part = |part: usize| {
            (0..conditions.len()).filter(|&index| conditions[index].part as usize == part).collect()
        };
        Outcomes {
            of_part: (0..parts).map(of_part).collect(),
            conditions,
            terminal: gates.len() - 1,
            gates,
            gate_of,
            goals,
            fixed: steps.words.iter().map(|words| fixed(network, owners, words, steps)).collect(),
            classes: vec![Vec::new(); parts],
            numbers: vec![FxHashMap::default(); parts],
        }
    }

    /// The class of a state of a part, by the values of its nodes, and whether it ends the game in any case.
    pub(super) fn class(&mut self, part: u32, values: &[bool]) -> (u32, bool) {
        let part = part as usize;
        let of =
            |&index: &usize| self.conditions[index].operands.iter().all(|&operand| holds(values, operand));
        let values: Vec<bool> = self.of_part[part].iter().map(of).collect();
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
        let mut of_condition: Vec<Option<bool>> = vec![None; self.conditions.len()];
        for (part, class) in chosen.iter().enumerate() {
            let Some(class) = class else { continue };
            let values = &self.classes[part][*class as usize];
            for (&index, &value) in self.of_part[part].iter().zip(values) {
                of_condition[index] = Some(value);
            }
        }
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let of_parts = gate.conditions.iter().map(|&index| of_condition[index]);
            let fixed = gate.fixed.iter().map(|&literal| step.map(|step| holds(&self.fixed[step], literal)));
            let joint = gate.joint.iter().map(|literal| {
                let index = self.gate_of.get(&literal.node())?;
                values[*index].map(|value| value != literal.negated())
            });
            let mut all = Some(true);
            for value in of_parts.chain(fixed).chain(joint) {
                match value {
                    Some(false) => {
                        all = Some(false);
                        break;
                    }
                    Some(true) => {}
                    None => all = None,
                }
            }
            values.push(all);
        }
        values
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
