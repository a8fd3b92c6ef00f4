//! Alpha-beta one ply before its depth, where all children are valued at once.

use crate::machine::MoveId;

use super::alpha_beta::{AlphaBeta, Found, facing};
use super::context::SearchContext;
use super::frame::{Frame, choosers, own};
use super::frontier::{Frontier, Reply};
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use super::score::{INFINITE, Scale};
use super::table::{Bound, TableEntry};
use super::transpositions::Spot;

/// A window as the side that chooses sees it.
#[derive(Clone, Copy)]
struct View {
    /// 1 where the role's side chooses, else -1.
    sign: i32,
    side: usize,
    low: i32,
    high: i32,
}

impl View {
    fn new(choose: [bool; 2], window: (i32, i32), cutoffs: bool) -> View {
        let side = usize::from(choose == [false, true]);
        let sign = if side == 0 { 1 } else { -1 };
        let (low, high) = facing(sign, window);
        View { sign, side, low, high: if cutoffs { high } else { INFINITE } }
    }

    /// Whether a child ends the search of its siblings.
    fn cuts(self, scale: Scale, seen: i32, terminal: bool) -> bool {
        seen >= self.high || terminal && self.high < INFINITE && scale.is_win(seen)
    }
}

/// The value of a child so many plies from the root.
fn score(scale: Scale, context: &SearchContext<'_>, leaf: &Leaf<'_>, reply: &Reply<'_>, ply: usize) -> i32 {
    match reply.terminal {
        true => scale.proved(context.outcome(reply.goals(context.role)), ply as u32),
        false => scale.estimated(leaf.share(reply.value)),
    }
}

impl AlphaBeta<'_> {
    /// Makes the children of a child two plies before the depth ready, with those of the siblings that come after it, but
    /// for those that a reply cuts off in this window. Counts them as made, not as visited.
    pub(super) fn prepare(
        &mut self,
        frame: &Frame,
        number: usize,
        (ply, window): (usize, (i32, i32)),
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let AlphaBeta { frontier, context, leaf, scale, options, ordering, .. } = self;
        let (children, context, leaf, scale) = (&frame.children, &*context, &*leaf, *scale);
        let choose = |child: u32| choosers(context, children, child as usize);
        let alone = |child: &u32| !children.terminal(*child as usize) && choose(*child) != [true, true];
        let next = frame.groups[number..].iter().map(|group| frame.order[group.start as usize]);
        let siblings = next.filter(alone).map(|child| (child, children.state(child as usize)));
        if !frontier.tries() {
            frontier.begin_trial(context.machine, ordering.killers(ply + 1), siblings.clone());
            meter.made(frame.groups.len() - number);
        }
        let is_cut = |frontier: &Frontier<'_>, child: u32| {
            let view = View::new(choose(child), window, options.cutoffs);
            frontier.tried(child).is_some_and(|reply| {
                let seen = view.sign * score(scale, context, leaf, &reply, ply + 2);
                view.cuts(scale, seen, reply.terminal)
            })
        };
        let first = frame.order[frame.groups[number].start as usize];
        if children.terminal(first as usize) || frontier.prepared(first).is_some() || is_cut(frontier, first)
        {
            return Ok(());
        }
        let left: Vec<(u32, &[u64])> = siblings.filter(|&(child, _)| !is_cut(frontier, child)).collect();
        let made = frontier.prepare(context.machine, left.into_iter())?;
        meter.made(made);
        Ok(())
    }

    /// The value of a state whose children are not looked beyond, where one side has a choice at most. A child that cuts
    /// off is the only one visited; it is known at once.
    pub(super) fn last_ply(
        &mut self,
        spot: Spot,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        let ply = spot.ply;
        let AlphaBeta { context, options, scale, frontier, expander, leaf, frames, .. } = self;
        let frame = &frames[ply];
        let view = View::new(frame.choose, window, options.cutoffs);
        if let Some(sibling) = frame.sibling
            && let Some(reply) = frontier.reply(sibling, &frame.state, &mut **expander, leaf)?
        {
            let seen = view.sign * score(*scale, context, leaf, &reply, ply + 1);
            if view.cuts(*scale, seen, reply.terminal) {
                let (joint, proved) = (reply.joint.to_vec(), reply.terminal);
                meter.count(1)?;
                return Ok(self.seen(spot, view, seen, proved, (&joint, None)));
            }
        }
        let (valued, range, made) = frontier.children(
            meter.until(),
            context.machine,
            frame.sibling,
            &frame.state,
            &mut **expander,
            leaf,
        )?;
        meter.made(made);
        if range.is_empty() {
            // Nobody can move on: the rules give no value, so the least there is.
            let score = scale.proved(context.rewards[0], ply as u32);
            return Ok(Found { score, proved: true, reach: 0 });
        }
        let (mut best, mut best_child, mut all_ended) = (-INFINITE, range.start, true);
        for child in range.clone() {
            let reply = Reply::of(valued, child);
            let seen = view.sign * score(*scale, context, leaf, &reply, ply + 1);
            all_ended &= reply.terminal;
            if seen > best {
                (best, best_child) = (seen, child);
            }
        }
        let reply = Reply::of(valued, best_child);
        let cut = view.cuts(*scale, best, reply.terminal);
        let proved = if cut { reply.terminal } else { all_ended };
        let joint = reply.joint.to_vec();
        meter.count(if cut { 1 } else { range.len() as u64 })?;
        Ok(self.seen(spot, view, best, proved, (&joint, u16::try_from(best_child - range.start).ok())))
    }

    /// Keeps what was found of a state by its best child, which is a joint move with its number, if that is known.
    fn seen(
        &mut self,
        spot: Spot,
        view: View,
        best: i32,
        proved: bool,
        (joint, number): (&[MoveId], Option<u16>),
    ) -> Found {
        let ply = spot.ply;
        if best > view.low {
            self.lines[ply].clear();
            self.lines[ply].extend_from_slice(joint);
        }
        let bound = match best {
            best if best >= view.high => Bound::AtLeast,
            best if best <= view.low => Bound::AtMost,
            _ => Bound::Exact,
        };
        if view.cuts(self.scale, best, proved) {
            self.chosen.clear();
            self.chosen.extend(own(joint, &self.context.allies, view.side));
            self.ordering.cut(view.side, &self.chosen, joint, ply, spot.depth);
            self.frontier.note(joint);
        }
        let score = view.sign * best;
        self.table.keep(
            spot,
            TableEntry {
                score: self.scale.seen_here(score, ply as u32),
                bound: if view.sign < 0 { bound.reversed() } else { bound },
                depth: spot.depth as u8,
                proved,
                best: number,
                reach: 1,
            },
        );
        Found { score, proved, reach: 1 }
    }
}
