//! The list of all reachable states, if there are few: their number, and the length of the longest game.

/// The result of listing all reachable states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listing {
    /// Number of states, including terminal ones.
    pub(super) states: u64,
    /// Joint moves of the longest game; none if a state can repeat.
    pub(super) longest: Option<u64>,
}

/// The successors of a state that is not terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct Successors {
    /// Indices of successors that are not terminal, possibly repeated.
    pub(super) others: Vec<u32>,
    /// Whether some successor is terminal.
    pub(super) ends: bool,
}

/// Number of steps of the longest path from state 0; none if there is a cycle. All states are reachable
/// from state 0.
pub(super) fn longest_path(mut successors: Vec<Successors>) -> Option<u64> {
    let mut arrivals = vec![0_u32; successors.len()];
    for state in &mut successors {
        state.others.sort_unstable();
        state.others.dedup();
        state.others.iter().for_each(|&other| arrivals[other as usize] += 1);
    }
    if arrivals.first().is_some_and(|&count| count > 0) {
        return None;
    }
    // A state is settled once all paths to it are (topological order).
    let (mut steps, mut settled) = (vec![0_u64; successors.len()], vec![0_usize]);
    let (mut longest, mut next) = (0, 0);
    while let Some(&state) = settled.get(next) {
        next += 1;
        longest = longest.max(steps[state] + u64::from(successors[state].ends));
        for &other in &successors[state].others {
            let other = other as usize;
            steps[other] = steps[other].max(steps[state] + 1);
            arrivals[other] -= 1;
            if arrivals[other] == 0 {
                settled.push(other);
            }
        }
    }
    (settled.len() == successors.len()).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(states: &[(&[u32], bool)]) -> Vec<Successors> {
        states.iter().map(|&(others, ends)| Successors { others: others.to_vec(), ends }).collect()
    }

    #[test]
    fn the_longest_path_counts_the_step_to_the_end() {
        // 0 to 1 to 2 to an end is longer than 0 to 2.
        assert_eq!(longest_path(graph(&[(&[1, 2, 1], false), (&[2], true), (&[], true)])), Some(3));
        // A state without successors ends play as well.
        assert_eq!(longest_path(graph(&[(&[1], true), (&[], false)])), Some(1));
    }

    #[test]
    fn a_cycle_has_no_longest_path() {
        assert_eq!(longest_path(graph(&[(&[0], true)])), None);
        // In addition to the path there.
        assert_eq!(longest_path(graph(&[(&[1, 2], false), (&[2], true), (&[1], true)])), None);
    }
}
