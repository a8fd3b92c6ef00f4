//! Terminal states with a given goal value: the targets of a bidirectional search.
//!
//! # What it finds
//! The terminal states in which a role has a goal value, if there are few.
//!
//! # How
//! A backward search through the network. It traces the terminal and goal conditions back to fluents, and tries
//! alternatives in turn. A group is a set of fluents that differ in one argument and of which exactly one held in
//! every sample (a cell's contents, a position). One fluent of each group is made true, and all other fluents are false. The
//! machine then checks each state.
//!
//! # Guarantee
//! Each state found is terminal and has the goal value. It may be unreachable, and the list may be incomplete.
//!
//! # Source
//! Justification as in test generation for circuits (Roth 1966).

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

use super::{Clock, Machine, MachineError, State};

/// Why goal states can't be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GoalStatesError {
    /// The game does not run on a network.
    #[error("the game does not run on a network; raise the limits of grounding")]
    NoNetwork,
    /// The search exceeded its limit of work.
    #[error("the search for goal states exceeded its work limit")]
    TooMuchWork,
    /// The goal leaves too many fluents undetermined.
    #[error("the goal does not determine states like the samples")]
    Underdetermined,
    /// There are too many goal states.
    #[error("more than {most} states have the goal value")]
    TooMany {
        /// The maximum.
        most: usize,
    },
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// Maximum number of requirements to process.
const MAX_WORK: usize = 2_000_000;

/// Lists the terminal states in which a role has a goal value. Fails if there are more than `most`, or if one is unlike
/// the samples. Their clocks
/// are set to the initial step.
///
/// # Errors
/// [`GoalStatesError`]: they can't be listed.
pub fn goal_states(
    machine: &dyn Machine,
    role: usize,
    goal: i32,
    samples: &[State],
    most: usize,
) -> Result<Vec<State>, GoalStatesError> {
    let network = machine.network().ok_or(GoalStatesError::NoNetwork)?;
    let clock = machine.clock();
    let mut listing = GoalStateSearch {
        network,
        definition: definitions(network),
        groups: groups(network, samples, clock),
        found: BTreeSet::new(),
        most,
        work: 0,
    };
    for (_, condition) in network.goals[role].iter().filter(|(value, _)| *value == goal) {
        let mut values = vec![None; network.nodes as usize];
        values[0] = Some(false);
        listing.require(vec![*condition, network.terminal], values, Vec::new())?;
    }
    let counts = counts(network, samples);
    let mut cursor = machine.cursor();
    let (mut states, mut strange) = (Vec::new(), false);
    for words in listing.found {
        let mut state = State(words);
        if let Some(clock) = clock {
            clock.set(&mut state.0, 0);
        }
        cursor.set(&state)?;
        if !cursor.terminal() || cursor.goals(role) != [goal] {
            continue;
        }
        let own = count(network, &state);
        let known = |(functor, number): (&usize, &usize)| {
            counts.get(functor).is_some_and(|[least, most]| (least..=most).contains(&number))
        };
        if own.iter().all(known)
            && counts.iter().all(|(functor, [least, _])| *least == 0 || own.contains_key(functor))
        {
            states.push(state);
        } else {
            strange = true;
        }
    }
    states.dedup();
    if states.is_empty() || strange {
        return Err(GoalStatesError::Underdetermined);
    }
    Ok(states)
}

struct GoalStateSearch<'n> {
    network: &'n Network,
    /// The definitions of feedback nodes (recursive atoms).
    definition: Vec<Option<Lit>>,
    groups: Vec<Vec<usize>>,
    found: BTreeSet<Box<[u64]>>,
    most: usize,
    work: usize,
}

impl GoalStateSearch<'_> {
    /// Requires the literals in `queue` to be true and the gates in `open` to be false; stores the states in which this holds.
    fn require(
        &mut self,
        mut queue: Vec<Lit>,
        mut values: Vec<Option<bool>>,
        mut open: Vec<u32>,
    ) -> Result<(), GoalStatesError> {
        while let Some(literal) = queue.pop() {
            self.work += 1;
            if self.work > MAX_WORK {
                return Err(GoalStatesError::TooMuchWork);
            }
            let (node, wanted) = (literal.node(), !literal.negated());
            match values[node as usize] {
                Some(value) if value == wanted => continue,
                Some(_) => return Ok(()),
                None => values[node as usize] = Some(wanted),
            }
            if let Some(definition) = self.definition[node as usize] {
                queue.push(definition.negate_if(!wanted));
            } else if let Some(gate) = node.checked_sub(self.network.first_gate) {
                match wanted {
                    true => queue.extend_from_slice(self.network.gate(gate as usize)),
                    false => open.push(gate),
                }
            }
        }
        let value = |literal: Lit| values[literal.node() as usize].map(|value| value ^ literal.negated());
        open.retain(|&gate| {
            !self.network.gate(gate as usize).iter().any(|&operand| value(operand) == Some(false))
        });
        let Some(gate) = open.pop() else { return self.complete(&values, 0) };
        for &operand in self.network.gate(gate as usize) {
            if value(operand).is_none() {
                self.work += values.len() / 64 + 1;
                self.require(vec![operand.negate_if(true)], values.clone(), open.clone())?;
            }
        }
        Ok(())
    }

    /// Assigns the undetermined fluents, group by group, and stores the state.
    fn complete(&mut self, values: &[Option<bool>], from: usize) -> Result<(), GoalStatesError> {
        for number in from..self.groups.len() {
            let group = &self.groups[number];
            if group.iter().any(|&bit| values[1 + bit] == Some(true)) {
                continue;
            }
            let open: Vec<usize> = group.iter().copied().filter(|&bit| values[1 + bit].is_none()).collect();
            for bit in open {
                self.work += values.len() / 64 + 1;
                if self.work > MAX_WORK {
                    return Err(GoalStatesError::TooMuchWork);
                }
                let mut values = values.to_vec();
                values[1 + bit] = Some(true);
                self.complete(&values, number + 1)?;
            }
            return Ok(());
        }
        let bits = self.network.next.len();
        let mut words = vec![0u64; bits.div_ceil(64)];
        for bit in (0..bits).filter(|&bit| values[1 + bit] == Some(true)) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        self.found.insert(words.into());
        if self.found.len() > self.most {
            return Err(GoalStatesError::TooMany { most: self.most });
        }
        Ok(())
    }
}

fn definitions(network: &Network) -> Vec<Option<Lit>> {
    let mut definitions = vec![None; network.nodes as usize];
    for segment in &network.segments {
        if let Segment::Loop { feedback, .. } = segment {
            feedback.iter().for_each(|&(node, literal)| definitions[node as usize] = Some(literal));
        }
    }
    definitions
}

fn holds(state: &State, bit: usize) -> bool {
    state.0[bit / 64] >> (bit % 64) & 1 == 1
}

/// Groups of bits whose fluents differ in one argument and of which exactly one holds in all samples, without the clock's
/// bits.
fn groups(network: &Network, samples: &[State], clock: Option<&Clock>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for fluent in &network.fluents {
        let Some(bit) = fluent.bit else { continue };
        let bit = bit as usize;
        if clock.is_some_and(|clock| clock.mask()[bit / 64] >> (bit % 64) & 1 == 1) {
            continue;
        }
        for position in 0..fluent.arguments.len() {
            let mut others = fluent.arguments.clone();
            others.remove(position);
            groups.entry((fluent.functor, position, others)).or_default().push(bit);
        }
    }
    let one = |group: &Vec<usize>| {
        samples.iter().all(|state| group.iter().filter(|&&bit| holds(state, bit)).count() == 1)
    };
    groups.into_values().filter(one).collect()
}

/// The number of facts of each functor in a state.
fn count(network: &Network, state: &State) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for (_, &fluent) in network.bits.iter().enumerate().filter(|(bit, _)| holds(state, *bit)) {
        *counts.entry(network.fluents[fluent as usize].functor.index()).or_insert(0) += 1;
    }
    counts
}

/// The minimum and maximum number of facts of each functor in the samples.
fn counts(network: &Network, samples: &[State]) -> BTreeMap<usize, [usize; 2]> {
    let all: Vec<BTreeMap<usize, usize>> = samples.iter().map(|state| count(network, state)).collect();
    let functors: BTreeSet<usize> = all.iter().flat_map(|counts| counts.keys().copied()).collect();
    let of = |functor: usize| all.iter().map(move |counts| counts.get(&functor).copied().unwrap_or(0));
    let range = |functor: usize| [of(functor).min().unwrap_or(0), of(functor).max().unwrap_or(0)];
    functors.into_iter().map(|functor| (functor, range(functor))).collect()
}
