//! Alpha-beta one ply before its depth, where all children are valued at once.

use crate::machine::MoveId;

use super::alpha_beta::{AlphaBeta, Found, facing};
use super::context::SearchContext;
use super::frame::own;
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use super::replies::Reply;
use super::score::{INFINITE, Scale};
use super::table::{Bound, TableEntry};
use super::transpositions::Spot;

/// A window as the side that chooses sees it.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// 1 where the role's side chooses, else -1.
    pub(super) sign: i32,
    pub(super) side: usize,
    pub(super) low: i32,
    high: i32,
}

impl View {
    pub(super) fn new(choose: [bool; 2], window: (i32, i32), cutoffs: bool) -> View {
        let side = usize::from(choose == [false, true]);
        let sign = if side == 0 { 1 } else { -1 };
        let (low, high) = facing(sign, window);
        View { sign, side, low, high: if cutoffs { high } else { INFINITE } }
    }

    /// Whether a child ends the search of its siblings.
    pub(super) fn cuts(self, scale: Scale, seen: i32, terminal: bool) -> bool {
        seen >= self.high || terminal && self.high < INFINITE && scale.is_win(seen)
    }
}

/// The value of a child so many plies from the root.
#[inline]
pub(super) fn score(
    scale: Scale,
    context: &SearchContext<'_>,
    leaf: &Leaf<'_>,
    reply: &Reply<'_>,
    ply: usize,
) -> i32 {
    match reply.terminal {
        true => scale.proved(context.outcome(reply.goals(context.role)), ply as u32),
        false => scale.estimated(leaf.share(reply.value)),
    }
}

impl AlphaBeta<'_> {
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
        let visited = if cut { 1 } else { range.len() as u64 };
        let mut joint = std::mem::take(&mut self.joint);
        joint.clear();
        joint.extend_from_slice(reply.joint);
        let number = u16::try_from(best_child - range.start).ok();
        let found = meter.count(visited).map(|()| self.seen(spot, view, best, proved, (&joint, number)));
        self.joint = joint;
        Ok(found?)
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
            self.frontier.trials.recent.note(joint);
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
