//! # What it does
//! IDA*: search for a path to the best end, in memory that does not grow with the length of the path.
//!
//! # How
//! A depth-first search visits states whose plies so far plus the estimated remaining distance are within a threshold.
//! Then it is repeated with a greater threshold. The distance is the difference between the function's value and its
//! best value, scaled to plies. Thresholds grow so that each search visits about twice as many states (Sarkar et al.
//! 1991). A table of fixed size skips states that were already searched as far; children with the best values come
//! first. Of states that differ only in the step counter, only the one with the most steps left counts.
//!
//! # Guarantee
//! The function may overestimate the distance, so the path is not always the shortest. A goal value is called proved if
//! it is the greatest possible, or if a search was not cut off by its threshold.
//!
//! # Cost
//! About twice the states of the last threshold, as each search visits about twice as many as the one before. Memory is
//! that of the table.
//!
//! # Example
//! `ida:fuzzy,scale=50`: the whole range of the function counts as 50 plies.
//!
//! # Source
//! Korf 1985 (IDA*); Reinefeld and Marsland 1994 (the table); Sarkar, Chakrabarti, Ghose and de Sarkar 1991 (thresholds).

use crate::machine::{Children, MoveId, State};
use crate::search::limits::{Halt, Meter, Stop};

use super::finder::Finder;
use super::path_search::{Child, PathSearch, state_of};

/// Options of IDA*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdaOptions {
    /// Bytes of the table.
    pub table: usize,
    /// The plies that the whole range of the function counts as.
    pub scale: f64,
}

impl Default for IdaOptions {
    /// 64 MiB, and 100 plies for the range.
    fn default() -> Self {
        IdaOptions { table: 64 << 20, scale: 100.0 }
    }
}

/// Parts of a ply in which costs are counted.
const PLY: u32 = 16;

/// Greatest search depth in plies, which bounds the depth of the stack.
const DEEPEST: u32 = 4096;

/// Size of the histogram of costs beyond the threshold, in parts of a ply.
const BEYOND: usize = 4096;

/// IDA* for one role.
pub(super) struct Ida {
    options: IdaOptions,
    /// For each entry the hash of a state, the cost that was left when it was last searched + 1, and the number of that
    /// search.
    table: Vec<(u64, u32, u32)>,
    searches: u32,
    /// A buffer for children.
    made: Children,
}

/// A state on the path with its children, best first.
#[derive(Default)]
struct Step {
    children: Vec<Next>,
    place: usize,
}

struct Next {
    action: MoveId,
    state: State,
    key: u64,
    distance: u32,
}

impl Ida {
    pub(super) fn new(options: IdaOptions) -> Ida {
        let entries = (options.table / size_of::<(u64, u32, u32)>()).max(1);
        Ida { options, table: vec![(0, 0, 0); entries], searches: 0, made: Children::default() }
    }

    /// Whether this search already searched the state with at least this cost left; otherwise records it.
    fn tried(&mut self, key: u64, left: u32) -> bool {
        let index = ((u128::from(key) * self.table.len() as u128) >> 64) as usize;
        let entry = &mut self.table[index];
        if entry.0 == key && entry.2 == self.searches && entry.1 > left {
            return true;
        }
        *entry = (key, left + 1, self.searches);
        false
    }

    fn distance(&self, share: f64) -> u32 {
        ((1.0 - share) * self.options.scale * f64::from(PLY)).round() as u32
    }

    /// The children of a state that are not terminal, best first.
    fn children(
        &mut self,
        paths: &mut PathSearch<'_>,
        (state, key): (&State, u64),
        line: &mut Vec<MoveId>,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<Step, Halt> {
        let mut children = std::mem::take(&mut self.made);
        paths.expand(meter.expansion_limits(), state, &mut children)?;
        let mut step = Step::default();
        for child in 0..children.len() {
            meter.count(1)?;
            let action = children.joint(child)[0];
            match paths.classify(key, state, &children, child) {
                Child::End(goal) => {
                    if paths.plan.as_ref().is_none_or(|plan| goal > plan.goal) {
                        line.push(action);
                        if paths.arrive(line)? {
                            better(paths, meter.nodes);
                        }
                        line.pop();
                    }
                }
                Child::Open(key) => {
                    let Some(share) = paths.estimate(children.state(child))? else { continue };
                    paths.hope_for(share, || line.first().copied().or(Some(action)));
                    let (state, distance) = (state_of(&children, child), self.distance(share));
                    step.children.push(Next { action, state, key, distance });
                }
            }
        }
        step.children.sort_by_key(|next| next.distance);
        self.made = children;
        Ok(step)
    }
}

impl Finder for Ida {
    fn find(
        &mut self,
        paths: &mut PathSearch<'_>,
        root: &State,
        meter: &mut Meter<'_>,
        better: &mut dyn FnMut(&PathSearch<'_>, u64),
    ) -> Result<u32, Halt> {
        let root_key = paths.keys.hash(&root.0);
        let Some(share) = paths.estimate(&root.0)? else { return Ok(0) };
        let mut threshold = self.distance(share);
        let mut plies = 0;
        loop {
            self.searches = self.searches.wrapping_add(1).max(1);
            let (mut beyond, mut inside) = (vec![0u64; BEYOND], 0u64);
            let mut line = Vec::new();
            let at_root = (root, root_key);
            let mut steps = vec![self.children(paths, at_root, &mut line, meter, better)?];
            while let Some(step) = steps.last_mut() {
                if paths.is_done() {
                    return Ok(plies.max(line.len() as u32 + 1));
                }
                let Some(next) = step.children.get(step.place) else {
                    steps.pop();
                    line.pop();
                    continue;
                };
                step.place += 1;
                let made = line.len() as u32 + 1;
                plies = plies.max(made);
                let cost = made * PLY + next.distance;
                if cost > threshold {
                    beyond[((cost - threshold) as usize - 1).min(BEYOND - 1)] += 1;
                    continue;
                }
                inside += 1;
                if made >= paths.most_plies.min(DEEPEST) {
                    paths.cut = Some(Stop::Depth);
                    continue;
                }
                if self.tried(next.key, threshold - made * PLY) {
                    paths.passed_over |= paths.clock.is_some();
                    continue;
                }
                let (state, key) = (next.state.clone(), next.key);
                line.push(next.action);
                let place = (&state, key);
                let below = self.children(paths, place, &mut line, meter, better)?;
                steps.push(below);
            }
            if beyond.iter().all(|&count| count == 0) {
                return Ok(plies);
            }
            // The next threshold includes about as many new states as this search visited, and at least the closest one.
            let mut more = 0;
            let enough = beyond.iter().position(|&count| {
                more += count;
                more > inside
            });
            let last = beyond.iter().rposition(|&count| count > 0).unwrap_or(0);
            threshold = threshold.saturating_add(enough.unwrap_or(last) as u32 + 1);
        }
    }
}
