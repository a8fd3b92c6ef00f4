//! The values of loops: the least ones that fit.
//!
//! A node of a loop is worth what its best derivation is: a conjunction is worth no more than its least member, so
//! nothing is gained by going round, and nodes can be settled by descending value, each from settled ones (Knuth
//! 1977). When something changes, first what rests on a value that fell is taken back to 0 (all that could: a
//! conjunction with the member, a best case of the member's old value). What is left is no more than the least
//! values, and rises to them from where it is.

use std::cmp::Reverse;

use super::bind::{Edge, Step};
use super::evaluate::Evaluator;
use super::norm::Norm;
use super::terms::{Graded, Sum};

impl Evaluator<'_> {
    /// Brings a loop to its least values.
    pub(super) fn run_loop(&mut self, number: usize) {
        let (first, last) = self.bound.loops[number];
        let (first, last) = (first as usize, last as usize);
        self.take_marks(first, last);
        self.fall(first, last);
        self.rise(first, last);
        let mut changed = std::mem::take(&mut self.loop_work.changed);
        for (node, before) in changed.drain(..) {
            let node = node as usize;
            self.loop_work.is_changed[node] = false;
            let now = self.now[node];
            if now != before {
                self.propagate(node, &before, &now);
            }
        }
        self.loop_work.changed = changed;
        // What was told stays inside, where all is settled, or goes to nodes after the loop.
        self.take_marks(first, last);
        self.loop_work.marked.clear();
    }

    /// Takes the marks of a loop's nodes off them.
    fn take_marks(&mut self, first: usize, last: usize) {
        for index in first / 64..=last / 64 {
            let from = if index == first / 64 { u64::MAX << (first % 64) } else { u64::MAX };
            let to = if index == last / 64 { u64::MAX >> (63 - last % 64) } else { u64::MAX };
            let mut bits = self.dirty[index] & from & to;
            self.dirty[index] &= !bits;
            while bits != 0 {
                self.loop_work.marked.push((index * 64) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    /// Takes back to 0 what may rest on a value that fell.
    fn fall(&mut self, first: usize, last: usize) {
        let mut stack = std::mem::take(&mut self.loop_work.stack);
        for index in 0..self.loop_work.marked.len() {
            let node = self.loop_work.marked[index];
            let now = self.now[node as usize].value;
            if now > 0.0 && self.supported(node as usize, first, last) < now {
                stack.push(node);
            }
        }
        while let Some(node) = stack.pop() {
            let node = node as usize;
            let old = self.now[node].value;
            if old == 0.0 {
                continue;
            }
            self.change(node, self.scale.nothing());
            self.loop_work.marked.push(node as u32);
            for &edge in self.wiring.graded(node) {
                let parent = (edge >> 1) as usize;
                if (first..=last).contains(&parent) && self.now[parent].value > 0.0 {
                    let rests =
                        !matches!(self.bound.steps[parent], Step::Best) || self.now[parent].value <= old;
                    if rests {
                        stack.push(parent as u32);
                    }
                }
            }
        }
        self.loop_work.stack = stack;
    }

    /// What a node is worth whatever it is itself: a best case by its members outside the loop alone, as those inside may rest on
    /// it.
    fn supported(&mut self, node: usize, first: usize, last: usize) -> f64 {
        if !matches!(self.bound.steps[node], Step::Best) {
            return self.candidate(node).value;
        }
        let outside = |edge: &&Edge| !(first..=last).contains(&((*edge >> 1) as usize));
        let values = self.bound.members(node).iter().filter(outside).map(|&edge| self.member(edge).value);
        values.fold(0.0, f64::max)
    }

    /// Lets values rise to the least ones that fit.
    fn rise(&mut self, first: usize, last: usize) {
        let mut heap = std::mem::take(&mut self.loop_work.heap);
        for index in 0..self.loop_work.marked.len() {
            let node = self.loop_work.marked[index];
            let value = self.candidate(node as usize).value;
            if value > self.now[node as usize].value {
                heap.push((value.to_bits(), Reverse(node)));
            }
        }
        while let Some((_, Reverse(node))) = heap.pop() {
            let node = node as usize;
            let now = self.candidate(node);
            if now.value <= self.now[node].value {
                continue;
            }
            self.change(node, now);
            for position in 0..self.wiring.graded(node).len() {
                let parent = (self.wiring.graded(node)[position] >> 1) as usize;
                if !(first..=last).contains(&parent) || self.now[parent].value >= now.value {
                    continue;
                }
                let value = match self.bound.steps[parent] {
                    Step::Best => now.value,
                    _ => self.candidate(parent).value,
                };
                if value > self.now[parent].value {
                    heap.push((value.to_bits(), Reverse(parent as u32)));
                }
            }
        }
        self.loop_work.heap = heap;
    }

    /// Gives a node of a loop a value, and remembers the one that it had before.
    fn change(&mut self, node: usize, now: Graded) {
        self.work += 1;
        let before = std::mem::replace(&mut self.now[node], now);
        if !std::mem::replace(&mut self.loop_work.is_changed[node], true) {
            self.loop_work.changed.push((node as u32, before));
        }
    }

    /// What a node of a loop is worth by its members' values as they are.
    fn candidate(&mut self, node: usize) -> Graded {
        if let Step::Best = self.bound.steps[node] {
            return self.best(node);
        }
        let (mut sum, mut least) = (Sum::default(), 1.0_f64);
        for &edge in self.bound.members(node) {
            let member = self.member(edge);
            least = least.min(member.value);
            sum.add(member.adds[0], true);
        }
        let now = match self.parameters.norm {
            Norm::Minimum => {
                let value = self.scale.least(std::iter::once(least));
                self.memo.grade(value)
            }
            _ => self.settle_sum(node, sum),
        };
        // No rounding may make it worth more than a member, or values would creep up round a loop.
        if now.value > least { self.memo.grade(least) } else { now }
    }
}
