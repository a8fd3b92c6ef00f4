//! # What it does
//! Alpha-beta with iterative deepening: minimax search to a growing number of plies.
//!
//! # How
//! If only the role's team has a choice, a state has the value of its best child; if only other roles have one, that of
//! its worst. If both have a choice, the team chooses and the others answer as if they knew the choice, so the value is
//! guaranteed. With three or more teams, all others are assumed to play against the role (paranoid search).
//!
//! All children of a state are expanded at once, so terminal children are seen before any other is searched. Each child
//! after the first is first searched with an empty window (principal variation search, Marsland and Campbell 1982). A
//! transposition table, killer moves and a history of cutoffs order the moves.
//!
//! Some games have a step counter that is proved to affect only the end. If the function ignores the counter, the table
//! treats states that differ only in it as equal. It does so only if the counter ends none of the lines on which the
//! stored value depends.
//!
//! Each depth begins with a window around the value of the depth before. The window grows on the side on which the
//! value lies outside (aspiration). If lanes can compute the function, its weights are rounded; a fuzzy function is
//! computed in single precision. Several threads share a table.
//!
//! # Guarantee
//! The value is that of exhaustive minimax to the same depth. A value is called proved only if it depends on terminal
//! states alone.
//!
//! # Cost
//! A state's children are expanded in one pass, in lanes if that is faster. With perfect move ordering, the search
//! visits about the square root of the states that exhaustive minimax visits. A value outside the window costs a second
//! search, which the table shortens.
//!
//! # Example
//! `alphabeta:fuzzy,depth=6`; `alphabeta:statistical,table=0` uses no transposition table.
//!
//! # Source
//! Knuth and Moore 1975; Kuhlmann, Dresner and Stone 2006.

use crate::machine::{MachineError, MoveId, State};

use super::child_source::{ChildSource, NodeSearch};
use super::clock_keys::ClockKeys;
use super::context::SearchContext;
use super::knowledge::{NodeValue, SearchKnowledge};
use super::lane_source::child_source;
use super::leaf::{Leaf, copy};
use super::limits::{Halt, Meter};
use super::node::{BOTH, Group, Node, choosers};
use super::ordering::Ordering;
use super::score::{INFINITE, Scale};
use super::transpositions::{Transpositions, Visit};
use super::window::{SideWindow, Window};

/// Parts of the search that can be switched off. The values stay the same, but the search takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaOptions {
    /// Bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Whether moves are ordered by cutoffs at the same ply (killer moves).
    pub killers: bool,
    /// Whether children after the first are searched with an empty window first.
    pub null_window: bool,
    /// Whether branches are cut off; otherwise every state is visited.
    pub cutoffs: bool,
    /// Whether states that differ only in the game's clock share a table entry where that is sound.
    pub clock: bool,
}

impl Default for AlphaBetaOptions {
    /// Everything switched on, with a table of 64 MiB.
    fn default() -> Self {
        AlphaBetaOptions { table: 64 << 20, killers: true, null_window: true, cutoffs: true, clock: true }
    }
}

/// The best move so far of a search to one depth, for the state from which it began.
#[derive(Default)]
struct RootMoves {
    /// The best joint move in the search under way, with its value.
    best: Option<(Vec<MoveId>, NodeValue)>,
    /// Whether its value is inside the window instead of below it.
    raised: bool,
}

/// A search to a depth.
pub(super) struct AlphaBeta<'m> {
    pub(super) knowledge: SearchKnowledge<'m>,
    source: Box<dyn ChildSource<'m> + 'm>,
    /// Whether children after the first are searched with an empty window first.
    null_window: bool,
    nodes: Vec<Node>,
    /// The principal variation from each ply on.
    lines: Vec<Vec<MoveId>>,
    root: RootMoves,
    /// Whether a state was searched in which both sides have a choice.
    pub(super) both_chose: bool,
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
            knowledge: SearchKnowledge {
                scale: Scale::new(context.rewards),
                cutoffs: options.cutoffs,
                table: Transpositions::new(options.table, keys),
                ordering: Ordering::new(options.killers),
                context,
            },
            source: child_source(machine, vec![leaf]),
            null_window: options.null_window && options.cutoffs,
            nodes: Vec::new(),
            lines: Vec::new(),
            root: RootMoves::default(),
            both_chose: false,
        }
    }

    /// Begins a search from a state. Returns the role's goal value if the state is terminal, and otherwise a legal move
    /// if there is one.
    pub(super) fn begin(&mut self, state: &State) -> Result<(Option<i32>, Option<MoveId>), MachineError> {
        let AlphaBeta { knowledge: SearchKnowledge { context, table, ordering, .. }, .. } = self;
        if self.source.scalar().begin(state) {
            table.forget();
        }
        let key = table.begin(context.machine, state);
        ordering.decay();
        let seen = self.source.scalar().evaluate(state)?;
        if seen.terminal(0) {
            return Ok((Some(context.outcome(seen.goals(0, context.role))), None));
        }
        let choose = choosers(context, &seen, 0);
        let any = seen.legal(0, context.role).first().copied();
        self.make_node(0);
        let root = &mut self.nodes[0];
        (root.state, root.visit.key, root.choose) = (state.clone(), key, choose);
        Ok((None, any))
    }

    /// Computes the value of the root, and a new best move.
    pub(super) fn root(
        &mut self,
        depth: u32,
        window: Window,
        meter: &mut Meter<'_>,
    ) -> Result<NodeValue, Halt> {
        let visit = Visit { depth, ..self.nodes[0].visit };
        let first = self.knowledge.lookup(visit, window).1;
        self.search(visit, first, window, meter)
    }

    /// Forgets the best move before another depth begins.
    pub(super) fn forget_best(&mut self) {
        self.root = RootMoves::default();
    }

    /// The best joint move of the root in the search under way, with its value.
    pub(super) fn best(&self) -> Option<(&[MoveId], NodeValue)> {
        self.root.best.as_ref().map(|(joint, value)| (joint.as_slice(), *value))
    }

    /// The joint moves expected from the root.
    pub(super) fn principal_variation(&self) -> Vec<Vec<MoveId>> {
        let roles = self.knowledge.context.allies.len();
        self.lines.first().map_or(Vec::new(), |line| line.chunks_exact(roles).map(<[_]>::to_vec).collect())
    }

    /// The moves of the expected joint moves, one after another.
    pub(super) fn root_line(&self) -> Vec<MoveId> {
        self.lines.first().cloned().unwrap_or_default()
    }

    /// Sets the expected joint moves if there are none.
    pub(super) fn set_root_line(&mut self, line: Vec<MoveId>) {
        if let Some(known) = self.lines.first_mut().filter(|known| known.is_empty()) {
            *known = line;
        }
    }

    fn make_node(&mut self, ply: usize) {
        while self.nodes.len() <= ply {
            self.nodes.push(Node::empty(self.knowledge.context.machine.initial().clone()));
            self.lines.push(Vec::new());
        }
    }

    /// The value of a state that the table does not have, with the child to begin with if one is known.
    fn search(
        &mut self,
        visit: Visit,
        first: Option<u16>,
        window: Window,
        meter: &mut Meter<'_>,
    ) -> Result<NodeValue, Halt> {
        self.lines[visit.ply].clear();
        self.make_node(visit.ply + 1);
        // The node is taken out so that its children can use the nodes of deeper plies.
        let placeholder = Node::empty(State(Box::default()));
        let mut node = std::mem::replace(&mut self.nodes[visit.ply], placeholder);
        node.visit = visit;
        let result = self.search_children(&mut node, first, window, meter);
        self.nodes[visit.ply] = node;
        result
    }

    fn search_children(
        &mut self,
        node: &mut Node,
        first: Option<u16>,
        window: Window,
        meter: &mut Meter<'_>,
    ) -> Result<NodeValue, Halt> {
        self.source.expand_node(node, &self.knowledge, meter)?;
        let (visit, cutoffs) = (node.visit, self.knowledge.cutoffs);
        if node.children.is_empty() {
            // No joint move is legal: the rules give no value, so the state gets the lowest one.
            let score = self.knowledge.end_score(&[], visit.ply);
            return Ok(NodeValue { score, proved: true, reach: 0 });
        }
        // From here on, values are those of the side that chooses: more is better.
        let window = SideWindow::new(node.choose, window, cutoffs);
        self.both_chose |= node.choose == BOTH;
        let children = (&node.children, 0..node.children.len());
        let first =
            first.and_then(|code| self.knowledge.table.coded_child(visit, &node.state.0, code, children));
        self.knowledge.arrange(node, first, window.side);
        let (mut reached, mut best, mut best_child) = (window.low, -INFINITE, None);
        let (mut proved, mut reach) = (true, 0);
        let mut classes = Vec::new();
        for number in 0..node.groups.len() {
            if number == 1 {
                self.knowledge.arrange_rest(node);
            }
            if self.is_image_of_sibling(node, number, &mut classes) {
                continue;
            }
            let from = if cutoffs { reached } else { -INFINITE };
            let value = self.group_in_window(node, number, (from, window), meter)?;
            let score = window.sign * value.score;
            let child = node.first_of(node.groups[number]);
            proved &= value.proved;
            reach = reach.max(value.reach);
            if score > best {
                best = score;
                best_child = Some(child);
                // If all moves lie below the window, the best of these bounds is still a better guess than no move.
                if visit.ply == 0 && score <= reached && !self.root.raised {
                    self.root.best = Some((node.children.joint(child).to_vec(), value));
                }
            }
            if score > reached {
                reached = score;
                self.raise(node, child, value);
            }
            let won = value.proved && self.knowledge.scale.is_win(score);
            if cutoffs && (reached >= window.high || won) {
                (proved, reach) = (value.proved, value.reach);
                self.knowledge.note_cutoff(window.side, node.children.joint(child), (visit.ply, visit.depth));
                break;
            }
        }
        let value = NodeValue { score: window.sign * best, proved, reach };
        let code = best_child.and_then(|child| {
            let joint = node.children.joint(child);
            self.knowledge.table.child_code(visit, &node.state.0, joint, u16::try_from(child).ok())
        });
        self.knowledge.store(visit, window, value, code);
        Ok(value)
    }

    /// Whether the child of a group is an image of an earlier sibling by a symmetry, so that it has the same value. The keys
    /// of the siblings are added to `classes`.
    fn is_image_of_sibling(&self, node: &Node, number: usize, classes: &mut Vec<u64>) -> bool {
        let table = &self.knowledge.table;
        let group = node.groups[number];
        let child = node.first_of(group);
        if node.visit.is_last() || group.end - group.start > 1 || node.children.terminal(child) {
            return false;
        }
        let Some(key) = table.class(node.children.state(child), node.visit.depth - 1) else { return false };
        let is_known = classes.contains(&key);
        classes.push(key);
        is_known
    }

    /// The child is better than its siblings before it: it becomes part of the principal variation.
    fn raise(&mut self, node: &Node, child: usize, value: NodeValue) {
        let (ply, joint) = (node.visit.ply, node.children.joint(child));
        let (above, below) = self.lines.split_at_mut(ply + 1);
        above[ply].clear();
        above[ply].extend_from_slice(joint);
        if let Some(below) = below.first() {
            above[ply].extend_from_slice(below);
        }
        if ply == 0 {
            self.root.best = Some((joint.to_vec(), value));
            self.root.raised = true;
        }
    }

    /// The value of a group. Groups after the first are searched in an empty window first.
    fn group_in_window(
        &mut self,
        node: &mut Node,
        number: usize,
        (from, window): (i32, SideWindow),
        meter: &mut Meter<'_>,
    ) -> Result<NodeValue, Halt> {
        let group = node.groups[number];
        if self.null_window && number > 0 {
            let value = self.group(node, group, window.for_role(from, from + 1), meter)?;
            let score = window.sign * value.score;
            if score <= from || score >= window.high {
                return Ok(value);
            }
        }
        self.group(node, group, window.for_role(from, window.high), meter)
    }

    /// The value of a choice: that of its child, or the worst of its children for the role if the other side answers.
    fn group(
        &mut self,
        node: &mut Node,
        group: Group,
        (low, high): Window,
        meter: &mut Meter<'_>,
    ) -> Result<NodeValue, Halt> {
        let (cutoffs, several) = (self.knowledge.cutoffs, group.end - group.start > 1);
        let (mut worst, mut to, mut proved, mut reach) = (INFINITE, high, true, 0);
        let mut answer = group.start as usize;
        let mut line: Vec<MoveId> = Vec::new();
        let below = node.visit.ply + 1;
        for index in group.start as usize..group.end as usize {
            meter.count(1)?;
            let from = if cutoffs { low } else { -INFINITE };
            let value = self.child(node, node.order[index] as usize, (from, to), meter)?;
            proved &= value.proved;
            reach = reach.max(value.reach);
            if value.score < worst {
                worst = value.score;
                answer = index;
                if several {
                    line.clone_from(&self.lines[below]);
                }
                if cutoffs {
                    to = to.min(worst);
                }
            }
            if cutoffs && several && worst <= low {
                (proved, reach) = (value.proved, value.reach);
                break;
            }
        }
        if several {
            // The refuting answer is searched first next time, and is part of the principal variation.
            node.order.swap(group.start as usize, answer);
            self.lines[below] = line;
        }
        Ok(NodeValue { score: worst, proved, reach })
    }

    fn child(
        &mut self,
        node: &Node,
        child: usize,
        window: Window,
        meter: &mut Meter<'_>,
    ) -> Result<NodeValue, Halt> {
        let AlphaBeta { knowledge, source, nodes, lines, .. } = self;
        let (children, Visit { ply, depth, .. }) = (&node.children, node.visit);
        let below = ply + 1;
        lines[below].clear();
        if children.terminal(child) {
            let score = knowledge.end_score(children.goals(child, knowledge.context.role), below);
            return Ok(NodeValue { score, proved: true, reach: 1 });
        }
        if node.visit.is_last() {
            let score = knowledge.scale.estimated(source.scalar().leaves[0].estimate(children.state(child))?);
            return Ok(NodeValue { score, proved: false, reach: 1 });
        }
        if let Some(reply) = source.refute(NodeSearch { node, window, knowledge }, child, meter)? {
            lines[below].extend_from_slice(reply.joint);
            knowledge.note_cutoff(reply.side, reply.joint, (below, depth - 1));
            return Ok(NodeValue { score: reply.score, proved: reply.proved, reach: 1 }.for_parent());
        }
        let key = knowledge.table.child_key(node.visit, &node.state.0, children.state(child));
        let visit = Visit { key, ply: below, depth: depth - 1 };
        let (value, first) = knowledge.lookup(visit, window);
        if let Some(value) = value {
            return Ok(value.for_parent());
        }
        source.enter(NodeSearch { node, window, knowledge }, child, meter)?;
        let next = &mut nodes[below];
        copy(children.state(child), &mut next.state);
        (next.visit, next.choose) = (visit, choosers(&knowledge.context, children, child));
        let at_horizon = if visit.depth == 1 { self.best_leaf(visit, window, meter)? } else { None };
        let value = match at_horizon {
            Some(value) => value,
            None => self.search(visit, first, window, meter)?,
        };
        Ok(value.for_parent())
    }

    /// The value of a state whose children are leaves, if the source values these together.
    fn best_leaf(
        &mut self,
        visit: Visit,
        window: Window,
        meter: &mut Meter<'_>,
    ) -> Result<Option<NodeValue>, Halt> {
        let AlphaBeta { knowledge, source, nodes, lines, .. } = self;
        let node = &nodes[visit.ply];
        let search = NodeSearch { node, window, knowledge };
        let Some(leaf) = source.best_leaf(search, meter)? else { return Ok(None) };
        if leaf.joint.is_empty() {
            // No joint move is legal.
            return Ok(Some(NodeValue { score: leaf.score, proved: true, reach: 0 }));
        }
        let window = SideWindow::new(node.choose, window, knowledge.cutoffs);
        if window.sign * leaf.score > window.low {
            lines[visit.ply].extend_from_slice(leaf.joint);
        }
        if leaf.cuts {
            knowledge.note_cutoff(leaf.side, leaf.joint, (visit.ply, visit.depth));
        }
        let value = NodeValue { score: leaf.score, proved: leaf.proved, reach: 1 };
        let code = knowledge.table.child_code(visit, &node.state.0, leaf.joint, leaf.number);
        knowledge.store(visit, window, value, code);
        Ok(Some(value))
    }
}
