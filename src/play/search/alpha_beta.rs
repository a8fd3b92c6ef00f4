//! # What it does
//! Alpha-beta with iterative deepening: the value of a state for a role, as far as a number of plies tells, one ply more at
//! a time.
//!
//! # How
//! Where only the role's team has a choice a state is worth the best of its children, where only others have it the worst.
//! Where both have, the team chooses and the others answer as if they knew the choice, so that the value is guaranteed;
//! with three or more teams all others are taken to play against the role (paranoid). All children of a state are expanded
//! at once, so those that end the game are seen before any other is searched. Each child after the first is first searched
//! with an empty window (principal variation search, Marsland and Campbell 1982); a transposition table, killer moves and a
//! history of cutoffs order the moves. Where a part of the state is proved to count steps and to decide nothing but the
//! end, and the function does not look at it, the table takes states that differ in it alone for one, as far as nothing
//! known of them rests on that end. A depth begins with a window around the value of the depth before, which grows on
//! the side on which the value lies outside (aspiration). Where lanes can tell the function its weights are rounded, or it is
//! computed in single precision if it is a fuzzy one, and the last ply is valued for many states in one pass, after one reply
//! was tried in all of them. Several threads share a table.
//!
//! # Guarantee
//! The value is that of exhaustive minimax to the same depth; a value called proved rests on terminal states alone.
//!
//! # Cost
//! A state's children are expanded in one pass, in lanes where that is faster. With the best move first it looks at about
//! the square root of the states that exhaustive minimax sees. A value outside the window costs another look, which the
//! table makes short.
//!
//! # Example
//! `alphabeta:fuzzy?depth=6`; `alphabeta:statistical?table=0` leaves the table out.
//!
//! # Source
//! Knuth and Moore 1975; Kuhlmann, Dresner and Stone 2006.

use crate::machine::{ChildFields, Children, Expander, MachineError, MoveId, State};

use super::broods::Broods;
use super::clock_keys::{ClockKeys, Reach, further};
use super::context::SearchContext;
use super::frame::{Frame, Group, choosers, own};
use super::frontier::Frontier;
use super::leaf::{Leaf, copy};
use super::limits::{Halt, Meter};
use super::ordering::Ordering;
use super::score::{INFINITE, MOST_PLIES, Scale};
use super::table::{Bound, TableEntry};
use super::transpositions::{Spot, Transpositions};

/// What a search uses; without them it gives the same values, more slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaOptions {
    /// Bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Whether moves are ordered by cutoffs at the same ply (killer moves).
    pub killers: bool,
    /// Whether children after the first are searched with an empty window first.
    pub null_window: bool,
    /// Whether anything is cut off at all; else every state is looked at.
    pub cutoffs: bool,
    /// Whether the table takes states that differ in the game's clock alone for one, where that is sound.
    pub clock: bool,
}

impl Default for AlphaBetaOptions {
    /// All of them, with a table of 64 MiB.
    fn default() -> Self {
        AlphaBetaOptions { table: 64 << 20, killers: true, null_window: true, cutoffs: true, clock: true }
    }
}

/// A value, from the role's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) score: i32,
    /// Whether no estimate went into it.
    pub(super) proved: bool,
    /// Plies from its state that it rests on.
    pub(super) reach: Reach,
}

/// What one search needs.
pub(super) struct AlphaBeta<'m> {
    pub(super) context: SearchContext<'m>,
    pub(super) options: AlphaBetaOptions,
    pub(super) scale: Scale,
    pub(super) table: Transpositions,
    pub(super) leaf: Leaf<'m>,
    /// The last ply, where it is valued as a whole.
    pub(super) frontier: Frontier<'m>,
    pub(super) broods: Broods,
    pub(super) expander: Box<dyn Expander + 'm>,
    pub(super) ordering: Ordering,
    pub(super) frames: Vec<Frame>,
    /// For every ply the joint moves expected from there, one after the other.
    pub(super) lines: Vec<Vec<MoveId>>,
    /// A place for the moves of a side.
    pub(super) chosen: Vec<MoveId>,
    /// A place for a joint move, and one for the numbers of some children.
    pub(super) joint: Vec<MoveId>,
    pub(super) numbers: Vec<u32>,
    /// The best joint move of the root in the search under way, with its value.
    pub(super) best: Option<(Vec<MoveId>, Found)>,
    /// Whether it is inside a window, not below.
    raised: bool,
    /// A legal move of the role at the root.
    pub(super) any: Option<MoveId>,
    /// Whether a state was looked at in which both sides have a choice.
    pub(super) at_once: bool,
}

impl<'m> AlphaBeta<'m> {
    pub(super) fn new(
        context: SearchContext<'m>,
        mut leaf: Leaf<'m>,
        options: AlphaBetaOptions,
    ) -> AlphaBeta<'m> {
        let machine = context.machine;
        let keys = ClockKeys::new(machine, std::slice::from_mut(&mut leaf), options.clock);
        AlphaBeta {
            scale: Scale::new(context.rewards),
            table: Transpositions::new(options.table, keys),
            frontier: Frontier::new(leaf.take_lanes(), machine),
            broods: Broods::default(),
            leaf,
            expander: machine.expander(),
            ordering: Ordering::default(),
            frames: Vec::new(),
            lines: Vec::new(),
            chosen: Vec::new(),
            joint: Vec::new(),
            numbers: Vec::new(),
            best: None,
            raised: false,
            any: None,
            at_once: false,
            context,
            options,
        }
    }

    /// Begins a search from a state; gives its goal value for the role where it is terminal.
    pub(super) fn begin(&mut self, state: &State) -> Result<Option<i32>, MachineError> {
        if self.leaf.begin(state) {
            self.table.forget();
        }
        let key = self.table.begin(self.context.machine, state);
        self.ordering.grow_old();
        self.forget_best();
        let mut seen = Children::default();
        self.expander.evaluate(&[state], ChildFields::ALL, &mut seen)?;
        if seen.terminal(0) {
            return Ok(Some(self.context.outcome(seen.goals(0, self.context.role))));
        }
        self.any = seen.legal(0, self.context.role).first().copied();
        self.make_frame(0);
        self.frames[0].state = state.clone();
        self.frames[0].key = key;
        self.frames[0].choose = choosers(&self.context, &seen, 0);
        Ok(None)
    }

    /// Before another depth: the best move is to be found anew.
    pub(super) fn forget_best(&mut self) {
        self.best = None;
        self.raised = false;
    }

    fn make_frame(&mut self, ply: usize) {
        while self.frames.len() <= ply {
            self.frames.push(Frame::empty(self.context.machine.initial().clone()));
            self.lines.push(Vec::new());
        }
    }

    /// The value of the state that the search began from.
    pub(super) fn root(
        &mut self,
        depth: u32,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        self.search(0, depth, window, meter)
    }

    /// The joint moves expected from the root.
    pub(super) fn principal_variation(&self) -> Vec<Vec<MoveId>> {
        let roles = self.context.allies.len();
        self.lines.first().map_or(Vec::new(), |line| line.chunks_exact(roles).map(<[_]>::to_vec).collect())
    }

    fn search(
        &mut self,
        ply: usize,
        depth: u32,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        self.lines[ply].clear();
        let spot = Spot { key: self.frames[ply].key, ply, depth };
        match self.known(spot, window) {
            (Some(found), _) => Ok(found),
            (None, first) => self.search_unknown(spot, first, window, meter),
        }
    }

    /// What the table has of a state that suffices in this window, and the move to begin with.
    fn known(&self, spot: Spot, window: (i32, i32)) -> (Option<Found>, Option<u16>) {
        let seen = |known: &TableEntry| self.scale.seen_from_root(known.score, spot.ply as u32);
        let enough = |known: &TableEntry| match known.bound {
            _ if spot.ply == 0 || !self.options.cutoffs => false,
            Bound::Exact => true,
            Bound::AtLeast => seen(known) >= window.1,
            Bound::AtMost => seen(known) <= window.0,
        };
        let (known, first) = self.table.find(spot, enough);
        let found =
            known.map(|known| Found { score: seen(&known), proved: known.proved, reach: known.reach });
        (found, first)
    }

    fn search_unknown(
        &mut self,
        spot: Spot,
        first: Option<u16>,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        let ply = spot.ply;
        self.make_frame(ply + 1);
        // The frame is away while its children use the ones below.
        let away = Frame::empty(State(Box::default()));
        let mut frame = std::mem::replace(&mut self.frames[ply], away);
        let result = self.search_children(&mut frame, first, ply, spot.depth, window, meter);
        self.frames[ply] = frame;
        result
    }

    fn search_children(
        &mut self,
        frame: &mut Frame,
        first: Option<u16>,
        ply: usize,
        depth: u32,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        self.expand(frame, ply, depth, meter)?;
        if frame.children.is_empty() {
            // Nobody can move on: the rules give no value, so the least there is.
            let score = self.scale.proved(self.context.rewards[0], ply as u32);
            return Ok(Found { score, proved: true, reach: 0 });
        }
        let (side, sign) = if frame.choose == [false, true] { (1, -1) } else { (0, 1) };
        self.at_once |= frame.choose == [true, true];
        self.order(frame, first, side, ply);

        // From here on as the side sees it: more is better.
        let (low, high) = facing(sign, window);
        let high = if self.options.cutoffs { high } else { INFINITE };
        let (mut reached, mut best, mut best_child) = (low, -INFINITE, None);
        let (mut proved, mut reach) = (true, 0);
        for number in 0..frame.groups.len() {
            if number == 1 {
                self.order_rest(frame);
            }
            let group = frame.groups[number];
            let from = if self.options.cutoffs { reached } else { -INFINITE };
            let mut found = Found { score: 0, proved: false, reach: 0 };
            let mut narrow = self.options.null_window && self.options.cutoffs && number > 0;
            for _ in 0..2 {
                let to = if narrow { from + 1 } else { high };
                found = self.group(frame, group, ply, depth, facing(sign, (from, to)), meter)?;
                let seen = sign * found.score;
                if !narrow || seen <= from || seen >= high {
                    break;
                }
                narrow = false;
            }
            let seen = sign * found.score;
            let won = found.proved && self.scale.is_win(seen);
            proved &= found.proved;
            reach = reach.max(found.reach);
            if seen > best {
                best = seen;
                best_child = Some(frame.order[group.start as usize]);
                // Where all moves lie below the window, the one that may be best is better than none.
                if ply == 0 && seen <= reached && !self.raised {
                    let joint = frame.children.joint(frame.order[group.start as usize] as usize);
                    self.best = Some((joint.to_vec(), found));
                }
            }
            if seen > reached {
                reached = seen;
                self.raise(frame, group, found, ply);
            }
            if self.options.cutoffs && (reached >= high || won) {
                (proved, reach) = (found.proved, found.reach);
                let child = frame.order[group.start as usize] as usize;
                let joint = frame.children.joint(child);
                self.chosen.clear();
                self.chosen.extend(own(joint, &self.context.allies, side));
                self.ordering.cut(side, &self.chosen, joint, ply, depth);
                break;
            }
        }
        let bound = match best {
            best if best >= high => Bound::AtLeast,
            best if best <= low => Bound::AtMost,
            _ => Bound::Exact,
        };
        let score = sign * best;
        self.table.keep(
            Spot { key: frame.key, ply, depth },
            TableEntry {
                score: self.scale.seen_here(score, ply as u32),
                bound: if sign < 0 { bound.reversed() } else { bound },
                depth: depth.min(u32::from(u8::MAX)) as u8,
                proved,
                best: best_child.and_then(|child| u16::try_from(child).ok()),
                reach,
            },
        );
        Ok(Found { score, proved, reach })
    }

    /// Notes the best child so far: the line goes through it.
    fn raise(&mut self, frame: &Frame, group: Group, found: Found, ply: usize) {
        let child = frame.order[group.start as usize] as usize;
        let (above, below) = self.lines.split_at_mut(ply + 1);
        above[ply].clear();
        above[ply].extend_from_slice(frame.children.joint(child));
        if let Some(below) = below.first() {
            above[ply].extend_from_slice(below);
        }
        if ply == 0 {
            self.best = Some((frame.children.joint(child).to_vec(), found));
            self.raised = true;
        }
    }

    /// The value of a choice: that of its child, or the worst of its children for the role, which is the choosing
    /// side's own where the other side answers.
    fn group(
        &mut self,
        frame: &mut Frame,
        group: Group,
        ply: usize,
        depth: u32,
        (low, high): (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        let (mut worst, mut to, mut proved, mut reach) = (INFINITE, high, true, 0);
        let mut answer = group.start as usize;
        let mut line: Vec<MoveId> = Vec::new();
        let several = group.end - group.start > 1;
        for place in group.start as usize..group.end as usize {
            let child = frame.order[place] as usize;
            meter.count(1)?;
            let from = if self.options.cutoffs { low } else { -INFINITE };
            let found = self.child(frame, child, ply, depth, (from, to), meter)?;
            proved &= found.proved;
            reach = reach.max(found.reach);
            if found.score < worst {
                worst = found.score;
                answer = place;
                if several {
                    line.clone_from(&self.lines[ply + 1]);
                }
                if self.options.cutoffs {
                    to = to.min(worst);
                }
            }
            if self.options.cutoffs && several && worst <= low {
                (proved, reach) = (found.proved, found.reach);
                break;
            }
        }
        if several {
            // The answer stands first next time, and in the line.
            frame.order.swap(group.start as usize, answer);
            self.lines[ply + 1] = line;
        }
        Ok(Found { score: worst, proved, reach })
    }

    fn child(
        &mut self,
        frame: &Frame,
        child: usize,
        ply: usize,
        depth: u32,
        window: (i32, i32),
        meter: &mut Meter<'_>,
    ) -> Result<Found, Halt> {
        let children = &frame.children;
        self.lines[ply + 1].clear();
        if children.terminal(child) {
            let goal = self.context.outcome(children.goals(child, self.context.role));
            return Ok(Found { score: self.scale.proved(goal, ply as u32 + 1), proved: true, reach: 1 });
        }
        if depth <= 1 || ply as u32 + 1 >= MOST_PLIES {
            let share = self.leaf.estimate(children.state(child))?;
            return Ok(Found { score: self.scale.estimated(share), proved: false, reach: 1 });
        }
        let choose = choosers(&self.context, children, child);
        let together = self.frontier.is_open() && frame.choose != [true, true] && choose != [true, true];
        if together
            && depth == 2
            && let Some(found) = self.refuted(frame, child, ply, window, meter)?
        {
            return Ok(Found { reach: further(found.reach), ..found });
        }
        let key = self.table.child_key(frame.key, &frame.state.0, children.state(child));
        let spot = Spot { key, ply: ply + 1, depth: depth - 1 };
        let (known, first) = self.known(spot, window);
        if let Some(found) = known {
            return Ok(Found { reach: further(found.reach), ..found });
        }
        if together {
            self.prepare(frame, child, depth, (ply, window), meter)?;
        }
        let numbered = together && (depth != 3 || self.frontier.trials.has_cousins());
        let below = &mut self.frames[ply + 1];
        below.sibling = numbered.then_some(child as u32);
        below.key = key;
        copy(children.state(child), &mut below.state);
        below.choose = choose;
        let found = match depth == 2 && self.frontier.is_open() && choose != [true, true] {
            true => self.last_ply(spot, window, meter)?,
            false => self.search_unknown(spot, first, window, meter)?,
        };
        Ok(Found { reach: further(found.reach), ..found })
    }
}

/// A window as the other side sees it, where the sign is negative.
pub(super) fn facing(sign: i32, (low, high): (i32, i32)) -> (i32, i32) {
    if sign > 0 { (low, high) } else { (-high, -low) }
}
