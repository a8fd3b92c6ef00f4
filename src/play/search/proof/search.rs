//! The search for a proof that a value is at least a threshold, or less.

use std::ops::Range;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

use crate::evaluation::goal_values::goal_values;
use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MoveId, State};
use crate::search::context::SearchContext;
use crate::search::graph::list_joint_moves;
use crate::search::hash::Keys;
use crate::search::leaf::copy;
use crate::search::limits::{Halt, Meter};
use crate::search::score::MOST_PLIES;
use crate::search::symmetry::Symmetries;

use super::bounds::{Bounds, ChildBounds};
use super::bounds_table::BoundsTable;
use super::seen_ends::SeenEnds;
use super::success_rates::{EffectCode, SuccessRates};

/// Joint moves played together to look at the replies to children.
const TOGETHER: usize = 256;

/// The most joint moves of a state.
const MOST_REPLIES: usize = 1 << 12;

const FIELDS: ChildFields =
    ChildFields { states: true, goals: false, ends: true, legal: true, choices: false };

/// Any seed works, except those of other keys.
const SEED: u64 = 0x71d6_0a83;

/// Why a search ended without an answer.
#[derive(Debug)]
pub(super) enum Abort {
    /// A limit is reached, or a state can't be evaluated.
    Halt(Halt),
    /// Play can repeat a state, both sides have a choice at the same time, or games are too long.
    Unsuitable,
}

impl<T: Into<Halt>> From<T> for Abort {
    fn from(halt: T) -> Abort {
        Abort::Halt(halt.into())
    }
}

/// A state whose children are known.
#[derive(Clone)]
struct ProofNode<'s> {
    state: &'s [u64],
    key: u64,
    ply: usize,
    /// Its children, by number in a list.
    children: Range<usize>,
    /// Whether the role's side chooses.
    own: bool,
    /// What the joint move that leads to it changed.
    code: EffectCode,
}

/// A child whose value is not known yet.
#[derive(Clone)]
struct OpenChild {
    index: usize,
    key: u64,
    /// What the joint move that leads to it changes.
    code: EffectCode,
    /// Children of higher rank are searched first.
    rank: f32,
    /// Whether the role's side chooses.
    own: bool,
    replies: Range<usize>,
    /// Whether the replies decide it.
    is_decided: bool,
}

/// The question whether the value of a state is at least a threshold, as far as it is answered.
struct Question {
    /// The bounds of the decided children.
    choice: ChildBounds,
    /// The best child, by bits of its key; 0 if unknown.
    best: u16,
    threshold: i32,
}

impl Question {
    /// Adds the bounds of a child if they answer the question. Returns whether the child cuts off the others.
    fn add(&mut self, bounds: Bounds, key: u64) -> bool {
        let Some(answer) = bounds.answer(self.threshold) else { return false };
        self.choice.add(bounds);
        let cuts = answer == self.choice.own;
        if cuts {
            self.best = key as u16;
        }
        cuts
    }
}

/// Buffers of a ply.
#[derive(Default)]
struct Frame {
    /// The replies to open children.
    replies: Children,
    /// The keys of the children; 0 for ends.
    keys: Vec<u64>,
    open: Vec<OpenChild>,
    states: Vec<State>,
    joints: Vec<MoveId>,
    from: Vec<usize>,
}

/// Searches for proofs, for one role. All share a table of bounds.
pub(super) struct ProofSearch<'m> {
    pub(super) context: SearchContext<'m>,
    expander: Box<dyn Expander + 'm>,
    keys: Keys,
    /// Keys of what joint moves change, without the clock.
    effects: Keys,
    symmetries: Option<Arc<Symmetries>>,
    /// For each ply a number that is added to keys that leave out the clock.
    clock: Vec<u64>,
    table: BoundsTable,
    rates: SuccessRates,
    frames: Vec<Frame>,
    /// The keys of the states from the root on.
    path: FxHashSet<u64>,
    pub(super) ends: SeenEnds,
    /// The goal values of an end.
    goals: Vec<i32>,
    /// The role's goal values, ascending.
    values: Vec<i32>,
    /// For each role its lowest goal value.
    least: Vec<i32>,
}

impl<'m> ProofSearch<'m> {
    pub(super) fn new(
        context: SearchContext<'m>,
        symmetries: Option<&Arc<Symmetries>>,
        memory: usize,
    ) -> ProofSearch<'m> {
        let machine = context.machine;
        let roles = context.allies.len();
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let clock = symmetries
            .and(machine.clock())
            .map_or_else(Vec::new, |_| (0..=MOST_PLIES).map(|_| random.random()).collect());
        ProofSearch {
            expander: machine.expander(),
            keys: Keys::new(machine),
            effects: machine
                .clock()
                .map_or_else(|| Keys::new(machine), |clock| Keys::without(machine, clock)),
            symmetries: symmetries.cloned(),
            clock,
            table: BoundsTable::new(memory),
            rates: SuccessRates::new(),
            frames: Vec::new(),
            path: FxHashSet::default(),
            ends: SeenEnds::default(),
            goals: Vec::new(),
            values: values_of(machine, context.role),
            least: (0..roles).map(|role| SearchContext::alone(machine, role).rewards[0]).collect(),
            context,
        }
    }

    /// All values are within these bounds.
    pub(super) fn widest(&self) -> Bounds {
        let [low, high] = self.context.rewards;
        Bounds { low, high }
    }

    fn key(&self, words: &[u64], ply: usize) -> u64 {
        match &self.symmetries {
            Some(symmetries) => symmetries.hash(words) ^ self.clock.get(ply).copied().unwrap_or(0),
            None => self.keys.hash(words),
        }
    }

    /// Bounds of a state's value that answer whether it is at least `threshold`. `ply` is the number of plies since the
    /// state from which the first search began.
    pub(super) fn prove(
        &mut self,
        (state, ply): (&State, usize),
        threshold: i32,
        meter: &mut Meter<'_>,
    ) -> Result<Bounds, Abort> {
        // The table has 16 bits for a value.
        if self.context.rewards.iter().any(|&value| i16::try_from(value).is_err()) {
            return Err(Abort::Unsuitable);
        }
        let mut list = Children::default();
        self.expander.evaluate(&[state], FIELDS, &mut list)?;
        if list.terminal(0) {
            return Ok(Bounds::exact(self.end(&list, 0)));
        }
        let own = self.chooser(&list, 0)?;
        self.expander.expand_within(meter.expansion_limits(), state, JointMoves::All, FIELDS, &mut list)?;
        let key = self.key(&state.0, ply);
        let node = ProofNode { state: &state.0, key, ply, children: 0..list.len(), own, code: 0 };
        self.path.clear();
        self.visit(&list, &node, threshold, meter)
    }

    /// The threshold to search for next, between these bounds: the middle goal value, or the lower one of two. A proof that
    /// the value is less answers the question for the other one too.
    pub(super) fn threshold(&self, bounds: Bounds) -> i32 {
        let open = || self.values.iter().copied().filter(|&value| bounds.answer(value).is_none());
        open().nth(open().count().saturating_sub(1) / 2).unwrap_or(bounds.high)
    }

    /// The value of a role in another context, if it follows from the proofs for this role's value.
    ///
    /// The proof that the value is at least `value` is a strategy all of whose ends were seen, and so is the proof that it is
    /// not greater. Each strategy therefore bounds the goal values of all roles.
    pub(super) fn implied(&self, other: &SearchContext<'_>, value: i32) -> Option<i32> {
        let [least, most] = self.context.rewards;
        let (of, role) = (other.role, self.context.role);
        let allied = other.allies == self.context.allies;
        let opposed = other.allies.iter().zip(&self.context.allies).all(|(one, other)| one != other);
        // A bound that holds for all values was not proved by a strategy.
        let at_least = (value > least).then(|| self.ends.range(of, (role, value..=i32::MAX))).flatten();
        let at_most = (value < most).then(|| self.ends.range(of, (role, i32::MIN..=value))).flatten();
        let (low, high) = match (allied, opposed) {
            (true, _) => (at_least, at_most),
            (_, true) => (at_most, at_least),
            _ => return None,
        };
        let low = low.map_or(other.rewards[0], |[low, _]| low);
        let high = high.map_or(other.rewards[1], |[_, high]| high);
        (low == high).then_some(low)
    }

    /// Adds the joint moves of best play from a state of this value to `line`, up to the first state that would repeat an
    /// earlier one.
    pub(super) fn line(
        &mut self,
        state: &State,
        value: i32,
        meter: &mut Meter<'_>,
        line: &mut Vec<Vec<MoveId>>,
    ) -> Result<(), Abort> {
        let mut state = state.clone();
        let mut seen = FxHashSet::default();
        while seen.insert(state.clone()) {
            let mut list = Children::default();
            self.expander.evaluate(&[&state], FIELDS, &mut list)?;
            if list.terminal(0) {
                return Ok(());
            }
            let own = self.chooser(&list, 0)?;
            self.expander.expand_within(
                meter.expansion_limits(),
                &state,
                JointMoves::All,
                FIELDS,
                &mut list,
            )?;
            let Some(best) = self.best_child(&list, (line.len() + 1, own), value, meter)? else {
                return Ok(());
            };
            line.push(list.joint(best).to_vec());
            copy(list.state(best), &mut state);
        }
        Ok(())
    }

    /// The number of a child with the value of its parent, by the table if possible.
    fn best_child(
        &mut self,
        list: &Children,
        (ply, own): (usize, bool),
        value: i32,
        meter: &mut Meter<'_>,
    ) -> Result<Option<usize>, Abort> {
        let threshold = if own { value } else { value + 1 };
        for search in [false, true] {
            for child in 0..list.len() {
                let bounds = if list.terminal(child) {
                    Bounds::exact(self.end(list, child))
                } else if search {
                    self.prove((&State(list.state(child).into()), ply), threshold, meter)?
                } else {
                    let key = self.key(list.state(child), ply);
                    self.table.get(key).map_or(self.widest(), |(bounds, _)| bounds)
                };
                if bounds.answer(threshold) == Some(own) {
                    return Ok(Some(child));
                }
            }
        }
        Ok(None)
    }

    /// The value of a terminal child.
    fn end(&mut self, list: &Children, child: usize) -> i32 {
        self.goals.clear();
        for (role, &least) in self.least.iter().enumerate() {
            self.goals.push(list.goals(child, role).first().copied().unwrap_or(least));
        }
        self.ends.note(&self.goals);
        let [low, high] = self.context.rewards;
        self.goals[self.context.role].clamp(low, high)
    }

    /// The bounds of a state without legal joint moves: the rules give no value, so it has the lowest one.
    fn stuck(&mut self) -> Bounds {
        self.ends.note(&self.least);
        Bounds::exact(self.context.rewards[0])
    }

    /// Whether the role's side chooses in a state.
    fn chooser(&self, list: &Children, child: usize) -> Result<bool, Abort> {
        let chooses = |side: bool| {
            let roles = self.context.allies.iter().enumerate().filter(|(_, ally)| **ally == side);
            roles.clone().any(|(role, _)| list.legal(child, role).len() > 1)
        };
        match (chooses(true), chooses(false)) {
            (true, true) => Err(Abort::Unsuitable),
            (_, other) => Ok(!other),
        }
    }

    /// The bounds of a state that was not found in the table.
    fn visit(
        &mut self,
        list: &Children,
        node: &ProofNode<'_>,
        threshold: i32,
        meter: &mut Meter<'_>,
    ) -> Result<Bounds, Abort> {
        if node.ply >= MOST_PLIES as usize || !self.path.insert(node.key) {
            return Err(Abort::Unsuitable);
        }
        if self.frames.len() <= node.ply {
            self.frames.resize_with(node.ply + 1, Frame::default);
        }
        let mut frame = std::mem::take(&mut self.frames[node.ply]);
        let before = meter.nodes;
        let mut question = Question {
            choice: ChildBounds::new(node.own),
            best: self.table.get(node.key).map_or(0, |(_, best)| best),
            threshold,
        };
        let found = self.search_children(list, node, &mut frame, &mut question, meter);
        self.frames[node.ply] = frame;
        self.path.remove(&node.key);
        let Bounds { low, high } = self.widest();
        let bounds = match (found?, question.choice.bounds()) {
            // Other children may be better.
            (Some(child), _) if node.own => Bounds { low: child.low, high },
            (Some(child), _) => Bounds { low, high: child.high },
            (None, Some(bounds)) => bounds,
            (None, None) => self.stuck(),
        };
        self.table.put(node.key, bounds, question.best, meter.nodes - before);
        Ok(bounds)
    }

    /// The bounds of a child that cuts off the others, if there is one.
    fn search_children(
        &mut self,
        list: &Children,
        node: &ProofNode<'_>,
        frame: &mut Frame,
        question: &mut Question,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Bounds>, Abort> {
        meter.count(node.children.len().max(1) as u64)?;
        if let Some(bounds) = self.list_open(list, node, frame, question) {
            return Ok(Some(bounds));
        }
        let mut begin = 0;
        while begin < frame.open.len() {
            let end = self.reply(list, frame, begin, meter)?;
            for number in begin..end {
                let bounds = self.by_replies(frame, number);
                if question.add(bounds, frame.open[number].key) {
                    return Ok(Some(bounds));
                }
                frame.open[number].is_decided = bounds.answer(question.threshold).is_some();
            }
            for number in begin..end {
                let OpenChild { index, key, own, replies, code, is_decided, .. } = frame.open[number].clone();
                if is_decided {
                    continue;
                }
                let before = meter.nodes;
                // An earlier sibling may have led to the same state.
                let known = self.table.get(key).map(|(bounds, _)| bounds);
                let bounds = match known.filter(|bounds| bounds.answer(question.threshold).is_some()) {
                    Some(bounds) => bounds,
                    None => {
                        let state = list.state(index);
                        let child = ProofNode { state, key, ply: node.ply + 1, children: replies, own, code };
                        self.visit(&frame.replies, &child, question.threshold, meter)?
                    }
                };
                let cut = question.add(bounds, key);
                let (side, work) = (usize::from(!node.own), meter.nodes - before);
                self.rates.note(side, (node.code, code), cut, work);
                if cut {
                    return Ok(Some(bounds));
                }
            }
            begin = end;
        }
        Ok(None)
    }

    /// Lists the children whose bounds in the table don't answer the question, the most promising first. Returns the bounds of
    /// a child that cuts off the others, if there is one.
    fn list_open(
        &mut self,
        list: &Children,
        node: &ProofNode<'_>,
        frame: &mut Frame,
        question: &mut Question,
    ) -> Option<Bounds> {
        frame.open.clear();
        // The processor reads the table for several keys at the same time if all of them are known.
        frame.keys.clear();
        frame.keys.extend(node.children.clone().map(|index| match list.terminal(index) {
            true => 0,
            false => self.key(list.state(index), node.ply + 1),
        }));
        for (position, index) in node.children.clone().enumerate() {
            let key = frame.keys[position];
            let bounds = match list.terminal(index) {
                true => Bounds::exact(self.end(list, index)),
                false => self.table.get(key).map_or(self.widest(), |(bounds, _)| bounds),
            };
            if question.add(bounds, key) {
                return Some(bounds);
            }
            let is_decided = bounds.answer(question.threshold).is_some();
            if is_decided || frame.open.iter().any(|other| other.key == key) {
                continue;
            }
            let code = folded(self.effects.update(0, node.state, list.state(index)));
            let rank = match key as u16 == question.best {
                true => f32::INFINITY,
                false => self.rates.rate(usize::from(!node.own), node.code, code),
            };
            frame.open.push(OpenChild { index, key, code, rank, own: true, replies: 0..0, is_decided });
        }
        frame.open.sort_by(|one, other| other.rank.total_cmp(&one.rank));
        None
    }

    /// The bounds of an open child by the ends among the replies to it.
    fn by_replies(&mut self, frame: &Frame, number: usize) -> Bounds {
        let child = &frame.open[number];
        let mut choice = ChildBounds::new(child.own);
        for reply in child.replies.clone() {
            choice.add(match frame.replies.terminal(reply) {
                true => Bounds::exact(self.end(&frame.replies, reply)),
                false => self.widest(),
            });
        }
        choice.bounds().unwrap_or_else(|| self.stuck())
    }

    /// Plays all replies to open children, from the one with number `begin` on; returns the number of the first child
    /// for which there was no room.
    fn reply(
        &mut self,
        list: &Children,
        frame: &mut Frame,
        begin: usize,
        meter: &mut Meter<'_>,
    ) -> Result<usize, Abort> {
        let roles = self.context.allies.len();
        frame.joints.clear();
        frame.from.clear();
        let mut end = begin;
        while end < frame.open.len() && (end == begin || frame.from.len() < TOGETHER) {
            let index = frame.open[end].index;
            let counts = (0..roles).map(|role| list.legal(index, role).len());
            if counts.fold(1, usize::saturating_mul) > MOST_REPLIES {
                return Err(Abort::Unsuitable);
            }
            let own = self.chooser(list, index)?;
            let first = frame.from.len();
            list_joint_moves(list, index, roles, &mut frame.joints)?;
            let slot = end - begin;
            frame.from.resize(frame.joints.len() / roles, slot);
            frame.open[end].replies = first..frame.from.len();
            frame.open[end].own = own;
            match frame.states.get_mut(slot) {
                Some(state) => copy(list.state(index), state),
                None => frame.states.push(State(list.state(index).into())),
            }
            end += 1;
        }
        let parents: Vec<&State> = frame.from.iter().map(|&slot| &frame.states[slot]).collect();
        self.expander.advance(&parents, &frame.joints, FIELDS, &mut frame.replies)?;
        meter.made(parents.len());
        Ok(end)
    }
}

/// The goal values of a role, ascending.
fn values_of(machine: &dyn Machine, role: usize) -> Vec<i32> {
    let mut values = goal_values(machine, role);
    values.sort_unstable();
    values.dedup();
    values
}

/// The hash of a difference of states as a number of it. Different ones of a state rarely have the same number.
fn folded(hash: u64) -> EffectCode {
    (hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48) as EffectCode
}
