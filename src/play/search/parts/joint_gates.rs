//! Gates that read several parts, over the conditions of each part.

use rustc_hash::FxHashMap;

use crate::ground::parts::{Condition, Owner, conditions};
use crate::ground::{Lit, Network};

/// A gate that reads several parts.
struct JointGate {
    /// Conditions of one part each, by index.
    conditions: Vec<usize>,
    /// Operands that read no part.
    fixed: Vec<Lit>,
    /// Operands that read several parts.
    joint: Vec<Lit>,
}

/// How some literals, the roots, depend on the conditions of the parts.
pub(super) struct JointGates {
    conditions: Vec<Condition>,
    /// The gates on which the roots depend, ascending; the roots themselves come last as gates of one operand.
    gates: Vec<JointGate>,
    /// The index of the gate of each node that reads several parts.
    gate_of: FxHashMap<u32, usize>,
    /// The index of the gate of the first root; those of the others follow.
    pub(super) first_root: usize,
    /// For each part its conditions, by index.
    of_part: Vec<Vec<usize>>,
}

impl JointGates {
    /// The gates on which `roots` depend.
    pub(super) fn new(network: &Network, owners: &[Owner], roots: &[Lit], parts: usize) -> JointGates {
        let conditions = conditions(network, roots, owners);
        let (mut needed, mut visited): (Vec<u32>, _) = (Vec::new(), vec![false; owners.len()]);
        let mut open: Vec<u32> = roots.iter().map(|root| root.node()).collect();
        while let Some(node) = open.pop() {
            if owners[node as usize] == Owner::Several
                && node >= network.first_gate
                && !std::mem::replace(&mut visited[node as usize], true)
            {
                needed.push(node);
                let operands = network.gate((node - network.first_gate) as usize);
                open.extend(operands.iter().map(|operand| operand.node()));
            }
        }
        needed.sort_unstable();
        let gate = |operands: &[Lit]| {
            let owner = |operand: &&Lit| owners[operand.node() as usize];
            let mut part_operands: Vec<(u32, Lit)> = Vec::new();
            for operand in operands {
                if let Owner::Part(part) = owner(&operand) {
                    part_operands.push((part, *operand));
                }
            }
            part_operands.sort_unstable();
            let groups = part_operands.chunk_by(|one, other| one.0 == other.0).map(|group| Condition {
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
        let first_root = gates.len();
        gates.extend(roots.iter().map(|&root| gate(&[root])));
        let mut of_part = vec![Vec::new(); parts];
        for (index, condition) in conditions.iter().enumerate() {
            of_part[condition.part as usize].push(index);
        }
        JointGates { conditions, gates, gate_of, first_root, of_part }
    }

    /// The number of gates.
    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }

    /// The work to evaluate them, in operands.
    pub(super) fn work(&self) -> usize {
        let of = |gate: &JointGate| 1 + gate.conditions.len() + gate.fixed.len() + gate.joint.len();
        self.conditions.len() + self.gates.iter().map(of).sum::<usize>()
    }

    /// The conditions of a part.
    pub(super) fn of_part(&self, part: usize) -> impl ExactSizeIterator<Item = &Condition> {
        self.of_part[part].iter().map(|&index| &self.conditions[index])
    }

    /// The values of all gates, as far as they are determined by the values of the conditions of each part, and by those of
    /// literals that read no part.
    pub(super) fn evaluate(
        &self,
        chosen: &[Option<&[bool]>],
        fixed: impl Fn(Lit) -> Option<bool>,
    ) -> Vec<Option<bool>> {
        let mut condition_values: Vec<Option<bool>> = vec![None; self.conditions.len()];
        for (part, values) in chosen.iter().enumerate() {
            let Some(values) = values else { continue };
            for (&index, &value) in self.of_part[part].iter().zip(*values) {
                condition_values[index] = Some(value);
            }
        }
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let of_parts = gate.conditions.iter().map(|&index| condition_values[index]);
            let fixed = gate.fixed.iter().map(|&literal| fixed(literal));
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
}
