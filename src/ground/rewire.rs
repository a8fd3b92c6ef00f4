//! A network laid out anew with nodes replaced by others and operands left out.

use rustc_hash::FxHashMap;

use super::circuit::Lit;
use super::network::{Network, Segment};

impl Network {
    /// The same inputs and outputs with every node replaced by its image, and gates with the operands given for them; an
    /// image stands before its node. Gates outside loops that come to be alike become one, and those that nothing needs go.
    pub fn rewired(&self, image: &[Lit], gates: &[Vec<Lit>]) -> Network {
        let first = self.first_gate;
        // Over the old numbers: what a literal is now, and the operands of what is left.
        let mut now: Vec<Lit> = Vec::with_capacity(self.nodes as usize);
        let mut operands: Vec<Vec<Lit>> = vec![Vec::new(); self.gates()];
        let mut known: FxHashMap<Vec<Lit>, Lit> = FxHashMap::default();
        let map = |now: &[Lit], literal: Lit| now[literal.node() as usize].negate_if(literal.negated());
        for node in 0..first {
            let to = image[node as usize];
            now.push(if to.node() == node { Lit::of(node) } else { map(&now, to) });
        }
        for segment in &self.segments {
            let (range, in_loop) = match segment {
                Segment::Straight(range) => (range, false),
                Segment::Loop { gates, .. } => (gates, true),
            };
            for gate in range.clone() {
                let node = first + gate;
                let to = image[node as usize];
                if to.node() != node {
                    let to = map(&now, to);
                    now.push(to);
                    continue;
                }
                let mut own: Vec<Lit> =
                    gates[gate as usize].iter().map(|&operand| map(&now, operand)).collect();
                if !in_loop {
                    own.sort_unstable();
                    own.dedup();
                    own.retain(|&operand| operand != Lit::TRUE);
                    let never =
                        own.first() == Some(&Lit::FALSE) || own.windows(2).any(|pair| pair[0] == !pair[1]);
                    let same = match own[..] {
                        _ if never => Some(Lit::FALSE),
                        [] => Some(Lit::TRUE),
                        [one] => Some(one),
                        _ => known.get(&own).copied(),
                    };
                    if let Some(same) = same {
                        now.push(same);
                        continue;
                    }
                    known.insert(own.clone(), Lit::of(node));
                }
                operands[gate as usize] = own;
                now.push(Lit::of(node));
            }
        }
        self.laid_out(&now, &operands)
    }

    fn laid_out(&self, now: &[Lit], operands: &[Vec<Lit>]) -> Network {
        let first = self.first_gate;
        let map = |literal: Lit| now[literal.node() as usize].negate_if(literal.negated());
        let mut used = vec![false; self.nodes as usize];
        let mut stack: Vec<Lit> = self.outputs(|_| false).into_iter().map(map).collect();
        for segment in &self.segments {
            if let Segment::Loop { gates, .. } = segment {
                stack.extend(gates.clone().map(|gate| Lit::of(first + gate)));
            }
        }
        while let Some(literal) = stack.pop() {
            if !std::mem::replace(&mut used[literal.node() as usize], true)
                && let Some(gate) = literal.node().checked_sub(first)
            {
                stack.extend(&operands[gate as usize]);
            }
        }
        let mut number: Vec<u32> = (0..first).collect();
        let mut next_node = first;
        let mut new = Network { starts: vec![0], operands: Vec::new(), segments: Vec::new(), ..self.clone() };
        let place = |number: &[u32], literal: Lit| {
            Lit::of(number[literal.node() as usize]).negate_if(literal.negated())
        };
        let mut state_segments = 0;
        for (place_of, segment) in self.segments.iter().enumerate() {
            if place_of == self.state_segments {
                state_segments = new.segments.len();
            }
            let (range, in_loop) = match segment {
                Segment::Straight(range) => (range, false),
                Segment::Loop { gates, .. } => (gates, true),
            };
            let start = next_node - first;
            for gate in range.clone() {
                let node = first + gate;
                let kept = used[node as usize] && now[node as usize] == Lit::of(node);
                number.push(if kept { next_node } else { u32::MAX });
                if kept {
                    new.operands
                        .extend(operands[gate as usize].iter().map(|&operand| place(&number, operand)));
                    new.starts.push(new.operands.len() as u32);
                    next_node += 1;
                }
            }
            let end = next_node - first;
            match segment {
                Segment::Straight(_) if start < end => new.segments.push(Segment::Straight(start..end)),
                Segment::Loop { feedback, .. } if in_loop => {
                    let feedback = feedback
                        .iter()
                        .map(|&(node, definition)| (node, place(&number, map(definition))))
                        .collect();
                    new.segments.push(Segment::Loop { gates: start..end, feedback });
                }
                _ => {}
            }
        }
        if self.state_segments >= self.segments.len() {
            state_segments = new.segments.len();
        }
        new.state_segments = state_segments;
        new.nodes = next_node;
        let output = |literal: Lit| place(&number, map(literal));
        new.next.iter_mut().for_each(|next| *next = output(*next));
        new.terminal = output(new.terminal);
        new.moves.iter_mut().flatten().for_each(|action| action.legal = output(action.legal));
        new.goals.iter_mut().flatten().for_each(|(_, condition)| *condition = output(*condition));
        new
    }
}
