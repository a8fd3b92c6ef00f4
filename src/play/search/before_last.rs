//! What alpha-beta does for many children at once: two and three plies before its depth, and for their children before.

use crate::machine::lanes::word::LANES;
use crate::machine::{ChildFields, JointMoves};

use super::alpha_beta::{AlphaBeta, Found};
use super::frame::{Frame, choosers, own};
use super::last_ply::{View, score};
use super::limits::{Halt, Meter};
use super::replies::Reply;
use super::transpositions::Spot;
use super::trials::Turn;

/// Children of a state from which on those of its children are not made together: two of these would hardly go into a pass.
const MANY: usize = LANES / 3;

impl AlphaBeta<'_> {
    /// Makes the children of a state so many plies before the depth.
    pub(super) fn expand(
        &mut self,
        frame: &mut Frame,
        ply: usize,
        depth: u32,
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let AlphaBeta { context, frontier, broods, expander, ordering, .. } = self;
        let (state, children, until) = (&frame.state, &mut frame.children, meter.until());
        let made = if depth == 2 && frontier.is_open() && frame.choose != [true, true] {
            let killers = ordering.killers(ply + 1);
            let state = (frame.sibling, state);
            frontier.expand(until, context.machine, state, killers, &mut **expander, children)?
        } else {
            match depth {
                2 => frontier.forget(),
                3 => frontier.forget_cousins(),
                _ => {}
            }
            broods.forget(ply);
            if let Some(number) = frame.sibling
                && broods.take(ply - 1, number, children)
            {
                return Ok(());
            }
            let wanted = ChildFields { choices: depth > 1, ..ChildFields::PLIES };
            expander.expand_until(until, state, JointMoves::All, wanted, children)?;
            children.len()
        };
        meter.made(made);
        Ok(())
    }

    /// Makes ready what a child needs in this window together with what the siblings after it will need, unless it is the
    /// first. Counts that as made, not as visited.
    pub(super) fn prepare(
        &mut self,
        frame: &Frame,
        child: usize,
        depth: u32,
        (ply, window): (usize, (i32, i32)),
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let children = &frame.children;
        let is_ready = match depth {
            2 => self.frontier.is_prepared(child as u32),
            3 => self.frontier.trials.cousin(child as u32).is_some(),
            _ => children.len() > MANY || self.broods.has(ply, child as u32),
        };
        let number = if is_ready { 0 } else { frame.number(child) };
        if number == 0 {
            return Ok(());
        }
        let until = meter.until_late();
        if depth == 2 {
            let mut numbers = std::mem::take(&mut self.numbers);
            numbers.clear();
            let left = alone(frame, number, &self.context);
            numbers.extend(left.filter(|&child| !self.is_cut(frame, child, (ply, window))));
            let made = self.frontier.prepare(until, self.context.machine, (&numbers, children));
            self.numbers = numbers;
            meter.made(made?);
            return Ok(());
        }
        let AlphaBeta { frontier, broods, context, ordering, .. } = self;
        let siblings = (alone(frame, number, context), children);
        if depth == 3 {
            meter.made(frontier.expand_cousins(
                until,
                context.machine,
                ordering.killers(ply + 2),
                siblings,
            )?);
            let places = self.first_of_cousins(frame, (ply, window));
            meter.made(self.frontier.prepare_early(until, places)?);
        } else if let (Some(lanes), _) = frontier.lanes(context.machine) {
            meter.made(broods.make(until, (ply, lanes), siblings)?);
        }
        Ok(())
    }

    /// Whether a reply cuts off a child one ply before the depth, as far as it was tried in lanes.
    fn is_cut(&self, frame: &Frame, child: u32, (ply, window): (usize, (i32, i32))) -> bool {
        let AlphaBeta { frontier, context, leaf, scale, options, .. } = self;
        [Turn::First, Turn::Second].into_iter().any(|turn| {
            frontier.trials.tried(turn, child).is_some_and(|reply| {
                let choose = choosers(context, &frame.children, child as usize);
                let view = View::new(choose, window, options.cutoffs);
                view.cuts(*scale, view.sign * score(*scale, context, leaf, &reply, ply + 2), reply.terminal)
            })
        })
    }

    /// Of each cousin the child that is likely to be looked at first, but where a reply cuts that off.
    fn first_of_cousins(&self, frame: &Frame, (ply, window): (usize, (i32, i32))) -> Vec<u32> {
        let AlphaBeta { frontier, context, leaf, scale, options, ordering, .. } = self;
        let cousins = frontier.trials.cousins();
        let is_left = |&child: &usize| {
            let choose = choosers(context, cousins, child);
            let view = View::new(choose, window, options.cutoffs);
            let cuts = |reply: Reply<'_>| {
                let seen = view.sign * score(*scale, context, leaf, &reply, ply + 3);
                view.cuts(*scale, seen, reply.terminal)
            };
            choose != [true, true] && !frontier.trials.of_cousin(child).is_some_and(cuts)
        };
        let first = |(number, range): (u32, std::ops::Range<usize>)| {
            let choose = choosers(context, &frame.children, number as usize);
            let side = usize::from(choose == [false, true]);
            let state = frame.children.state(number as usize);
            let key = self.table.child_key(frame.key, &frame.state.0, state);
            let best = self.table.find(Spot { key, ply: ply + 1, depth: 2 }, |_| false).1;
            let is_open = |&child: &usize| !cousins.terminal(child);
            // Nothing comes before the table's.
            let of_table = best.map(|best| range.start + usize::from(best));
            let of_table = of_table.filter(|child| range.contains(child) && is_open(child));
            let rank = |&child: &usize| {
                let joint = cousins.joint(child);
                let own = own(joint, &context.allies, side);
                let rank = ordering.rank(self.rank(false), side, own, joint, ply + 1);
                (rank, std::cmp::Reverse(ordering.among_equals((child - range.start) as u32)))
            };
            let first = of_table.or_else(|| range.clone().filter(is_open).max_by_key(rank));
            first.filter(is_left).map(|child| child as u32)
        };
        let of_cousins = frontier.trials.of_cousins();
        let mut places = Vec::with_capacity(of_cousins.size_hint().1.unwrap_or(0));
        places.extend(of_cousins.filter_map(first));
        places
    }

    /// The value of a child one ply before the depth that one reply cuts off, if one that is tried does.
    pub(super) fn refuted(
        &mut self,
        frame: &Frame,
        child: usize,
        ply: usize,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Option<Found>, Halt> {
        let view = View::new(choosers(&self.context, &frame.children, child), window, self.options.cutoffs);
        let sibling = (child as u32, frame.children.state(child));
        for turn in [Turn::First, Turn::Second] {
            if turn == Turn::Second {
                self.try_again(frame, child, (ply, window), meter);
            }
            let AlphaBeta { context, scale, frontier, expander, leaf, .. } = self;
            let Some(reply) = frontier.trials.reply(turn, sibling, &mut **expander, leaf)? else { continue };
            let seen = view.sign * score(*scale, context, leaf, &reply, ply + 2);
            if !view.cuts(*scale, seen, reply.terminal) {
                continue;
            }
            let proved = reply.terminal;
            let line = &mut self.lines[ply + 1];
            line.clear();
            line.extend_from_slice(reply.joint);
            meter.count(1)?;
            self.chosen.clear();
            self.chosen.extend(own(line, &context.allies, view.side));
            self.ordering.cut(view.side, &self.chosen, line, ply + 1, 1);
            frontier.trials.recent.note(line);
            return Ok(Some(Found { score: view.sign * seen, proved, reach: 1 }));
        }
        Ok(None)
    }

    /// Where very many children are left by the first reply, a second one is tried in them.
    fn try_again(&mut self, frame: &Frame, child: usize, spot: (usize, (i32, i32)), meter: &mut Meter<'_>) {
        let children = &frame.children;
        self.frontier.trials.note_left(children.len());
        if !self.frontier.trials.tries_again() {
            return;
        }
        let left = alone(frame, frame.number(child), &self.context)
            .filter(|&child| !self.is_cut(frame, child, spot));
        let left: Vec<u32> = left.collect();
        let AlphaBeta { frontier, context, ordering, .. } = self;
        let killers = ordering.killers(spot.0 + 1);
        meter.made(frontier.try_again(context.machine, killers, (&left, children)));
    }
}

/// The children from a number on that are searched and in which one side has a choice at most.
fn alone<'f>(
    frame: &'f Frame,
    number: usize,
    context: &'f super::context::SearchContext<'_>,
) -> impl Iterator<Item = u32> + 'f {
    let children = &frame.children;
    let next = frame.groups[number..].iter().map(|group| frame.order[group.start as usize]);
    next.filter(move |&child| {
        !children.terminal(child as usize) && choosers(context, children, child as usize) != [true, true]
    })
}
