//! Evaluation order of atoms: strongly connected components of a large graph, dependencies first.
//!
//! Tarjan's algorithm without recursion over a compact adjacency list. The algorithms of petgraph need their own graph,
//! which takes several times the memory for millions of atoms and instances.

/// Edges from each node to its dependencies.
pub(super) struct Dependencies {
    /// For each node the start of its edges, and one more entry.
    pub(super) starts: Vec<u32>,
    /// The targets of the edges.
    pub(super) targets: Vec<u32>,
}

/// Nodes grouped by component, dependencies first.
pub(super) struct Components {
    nodes: Vec<u32>,
    starts: Vec<u32>,
}

impl Components {
    /// The components in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.nodes[pair[0] as usize..pair[1] as usize])
    }
}

pub(super) fn components(graph: &Dependencies) -> Components {
    const UNSEEN: u32 = 0;
    const DONE: u32 = u32::MAX;
    let count = graph.starts.len() - 1;
    let mut low = vec![UNSEEN; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32, u32)> = Vec::new(); // node, its index, next edge
    let mut result = Components { nodes: Vec::with_capacity(count), starts: vec![0] };
    let mut counter = 0;
    for root in 0..count as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        counter += 1;
        low[root as usize] = counter;
        stack.push(root);
        path.push((root, counter, graph.starts[root as usize]));
        while let Some(&mut (node, index, ref mut edge)) = path.last_mut() {
            if *edge < graph.starts[node as usize + 1] {
                let target = graph.targets[*edge as usize];
                *edge += 1;
                if low[target as usize] == UNSEEN {
                    counter += 1;
                    low[target as usize] = counter;
                    stack.push(target);
                    path.push((target, counter, graph.starts[target as usize]));
                } else if low[target as usize] != DONE {
                    low[node as usize] = low[node as usize].min(low[target as usize]);
                }
                continue;
            }
            path.pop();
            let reached = low[node as usize];
            if reached == index {
                loop {
                    let member = stack.pop().expect("the component's root is on the stack");
                    low[member as usize] = DONE;
                    result.nodes.push(member);
                    if member == node {
                        break;
                    }
                }
                result.starts.push(result.nodes.len() as u32);
            }
            if let Some(&(parent, ..)) = path.last()
                && reached != index
            {
                low[parent as usize] = low[parent as usize].min(reached);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_first_and_cycles_stay_together() {
        // 0 -> 1 -> 2 -> 1, 3 -> 0
        let graph = Dependencies { starts: vec![0, 1, 2, 3, 4], targets: vec![1, 2, 1, 0] };
        let result = components(&graph);
        let mut groups: Vec<Vec<u32>> = result.iter().map(<[u32]>::to_vec).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        assert_eq!(groups, [vec![1, 2], vec![0], vec![3]]);
    }
}
