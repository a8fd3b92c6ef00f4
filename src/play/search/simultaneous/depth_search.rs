//! A search to one depth, inside a window.

use crate::machine::{ChildFields, MachineError, MoveId, State};
use crate::search::child_source::ChildSource;
use crate::search::clock_keys::{ClockKeys, Reach};
use crate::search::context::SearchContext;
use crate::search::hash::Keys;
use crate::search::lane_source::child_source;
use crate::search::leaf::{Leaf, copy};
use crate::search::limits::{Halt, Meter};

use super::interval::{Interval, NARROW, ValueBounds};
use super::interval_table::IntervalTable;
use super::matrix_node::MatrixNode;
use super::options::SimultaneousOptions;
use super::payoffs::{Optimum, Payoffs};
use super::tree_position::{Order, TreePosition};

/// Cells of a matrix whose solution costs as much time as a node.
const CELLS_OF_A_NODE: usize = 1 << 8;

/// The state of one search.
pub(super) struct DepthSearch<'m> {
    pub(super) context: SearchContext<'m>,
    pub(super) options: SimultaneousOptions,
    memory: IntervalTable,
    source: Box<dyn ChildSource<'m> + 'm>,
    /// The hash of the root, and the keys for it.
    root: (u64, Keys),
    nodes: Vec<MatrixNode>,
    /// Bounds of every cell of the root.
    cells: Vec<ValueBounds>,
    /// A legal move of the role at the root.
    pub(super) any: Option<MoveId>,
}

impl<'m> DepthSearch<'m> {
    pub(super) fn new(
        context: SearchContext<'m>,
        mut leaf: Leaf<'m>,
        options: SimultaneousOptions,
    ) -> DepthSearch<'m> {
        let machine = context.machine;
        let keys = ClockKeys::new(machine, std::slice::from_mut(&mut leaf), options.clock);
        DepthSearch {
            memory: IntervalTable::new(options.table, keys),
            source: child_source(machine, vec![leaf]),
            root: (0, Keys::new(machine)),
            nodes: Vec::new(),
            cells: Vec::new(),
            any: None,
            context,
            options,
        }
    }

    /// The interval of all goal values.
    fn all(&self) -> Interval {
        let [least, most] = self.context.rewards.map(f64::from);
        Interval { low: least, high: most }
    }

    /// Begins a search from a state; returns the role's goal value if it is terminal.
    pub(super) fn begin(&mut self, state: &State) -> Result<Option<i32>, MachineError> {
        let key = self.memory.begin(self.context.machine, state);
        self.root.0 = self.root.1.hash(&state.0);
        let seen = self.source.scalar().evaluate(state)?;
        if seen.terminal(0) {
            return Ok(Some(self.context.outcome(seen.goals(0, self.context.role))));
        }
        self.any = seen.legal(0, self.context.role).first().copied();
        self.make_node(0);
        self.nodes[0].state = state.clone();
        self.nodes[0].key = key;
        Ok(None)
    }

    /// The hash of the root.
    pub(super) fn key(&self) -> u64 {
        self.root.0
    }

    /// The value of the root.
    pub(super) fn root(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<ValueBounds, Halt> {
        let window = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        self.search(TreePosition { ply: 0, depth, order: Order::AtOnce }, window, meter)
    }

    /// The best mixed strategies at the root, of the role's side and of the other: joint moves, each with its
    /// probability.
    pub(super) fn mixtures(&self, proved: bool) -> [Vec<(Vec<MoveId>, f64)>; 2] {
        let node = &self.nodes[0];
        let of = |cell: &ValueBounds| if proved { cell.sure } else { cell.here };
        let ours = Payoffs::new(node.rows, node.columns, self.cells.iter().map(|cell| of(cell).low));
        let theirs = Payoffs::new(node.rows, node.columns, self.cells.iter().map(|cell| of(cell).high));
        let joints = |optimum: Optimum, cell: &dyn Fn(usize) -> usize| {
            let likely = optimum.mixture.iter().enumerate().filter(|(_, share)| **share > 0.0);
            likely.map(|(number, &share)| (node.joint(cell(number)).to_vec(), share)).collect()
        };
        [
            joints(ours.optimum(self.options.dominance), &|row| row * node.columns),
            joints(theirs.turned().optimum(self.options.dominance), &|column| column),
        ]
    }

    fn make_node(&mut self, ply: usize) {
        while self.nodes.len() <= ply {
            self.nodes.push(MatrixNode::empty(self.context.machine.initial().clone()));
        }
    }

    fn search(
        &mut self,
        at: TreePosition,
        window: Interval,
        meter: &mut Meter<'_>,
    ) -> Result<ValueBounds, Halt> {
        let ply = at.ply;
        let key = self.nodes[ply].key;
        let before = self.memory.recall(key, at, self.all());
        if let Some(bounds) = before.filter(|_| ply > 0)
            && (bounds.here.is_narrow() || bounds.here.low >= window.high || bounds.here.high <= window.low)
        {
            return Ok(bounds);
        }
        self.make_node(ply + 1);
        // The node is taken out so that its children can use the nodes of deeper plies.
        let mut node = std::mem::replace(&mut self.nodes[ply], MatrixNode::empty(State(Box::default())));
        let result = self.value(&mut node, at, window, meter);
        self.nodes[ply] = node;
        let mut bounds = result?;
        if let Some(before) = before {
            bounds.sure = bounds.sure.and(before.sure);
            bounds.here = bounds.here.and(bounds.sure);
            bounds.reach = bounds.reach.max(before.reach);
        }
        self.memory.keep(key, at, bounds);
        Ok(bounds)
    }

    fn value(
        &mut self,
        node: &mut MatrixNode,
        at: TreePosition,
        window: Interval,
        meter: &mut Meter<'_>,
    ) -> Result<ValueBounds, Halt> {
        let MatrixNode { state, successors, .. } = &mut *node;
        match at.is_last() {
            true => self.source.expand_leaves(state, meter, successors)?,
            false => self.source.expand(state, ChildFields::PLIES, meter, &mut successors.children)?,
        }
        if successors.children.is_empty() {
            // No joint move is legal: the rules give no value, so the state gets the lowest one.
            return Ok(ValueBounds::proved(self.all().low, 0));
        }
        node.arrange(&self.context.allies);
        let at_once = at.order == Order::AtOnce && node.rows > 1 && node.columns > 1;
        let mut cells = self.cells(node, at, meter)?;
        let bounds = if at_once {
            self.matrix(node, &mut cells, at, window, meter)
        } else {
            self.serial(node, &mut cells, at, window, meter)
        }?;
        let reach: Reach = cells.iter().map(|cell| cell.reach).fold(bounds.reach, Reach::max);
        if at.ply == 0 {
            self.cells = cells;
        }
        Ok(ValueBounds { reach, ..bounds })
    }

    /// Bounds of the children before any is searched: from the goal values of terminal ones, and from the table.
    fn cells(
        &self,
        node: &MatrixNode,
        at: TreePosition,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<ValueBounds>, Halt> {
        let unknown = ValueBounds::any(self.all());
        let children = &node.successors.children;
        let mut cells = Vec::with_capacity(node.order.len());
        for &child in &node.order {
            let child = child as usize;
            cells.push(if children.terminal(child) {
                meter.count(1)?;
                ValueBounds::proved(self.context.outcome(children.goals(child, self.context.role)).into(), 1)
            } else if at.is_last() {
                unknown
            } else {
                let key = self.memory.child_key(node.key, &node.state.0, children.state(child));
                self.memory.recall_child(key, at, self.all()).unwrap_or(unknown)
            });
        }
        Ok(cells)
    }

    /// Bounds of a cell after its child was searched.
    fn refined(
        &mut self,
        node: &MatrixNode,
        cell: usize,
        at: TreePosition,
        window: Interval,
        meter: &mut Meter<'_>,
    ) -> Result<ValueBounds, Halt> {
        meter.count(1)?;
        let TreePosition { ply, depth, order } = at;
        let child = node.order[cell] as usize;
        if at.is_last() {
            let share = self.source.leaf_share(0, &node.successors, child)?;
            return Ok(ValueBounds {
                here: Interval::point(self.estimate(share)),
                sure: self.all(),
                reach: 1,
            });
        }
        let words = node.successors.children.state(child);
        let below = &mut self.nodes[ply + 1];
        below.key = self.memory.child_key(node.key, &node.state.0, words);
        copy(words, &mut below.state);
        let at = TreePosition { ply: ply + 1, depth: depth - 1, order };
        Ok(self.search(at, window, meter)?.of_child())
    }

    /// Scales a leaf's value from 0 to 1 to goal points. The result is at least 1 above the lowest goal value and 1 below the
    /// greatest, so that an estimate differs from the value of a win and of a loss.
    fn estimate(&self, share: f64) -> f64 {
        let Interval { low, high } = self.all();
        if high - low < 2.0 { (low + high) / 2.0 } else { low + 1.0 + share * (high - low - 2.0) }
    }

    /// Alpha-beta, for nodes in which only one side chooses or the sides choose one after the other.
    fn serial(
        &mut self,
        node: &MatrixNode,
        cells: &mut [ValueBounds],
        at: TreePosition,
        window: Interval,
        meter: &mut Meter<'_>,
    ) -> Result<ValueBounds, Halt> {
        let (rows, columns) = (node.rows, node.columns);
        let by_rows = at.order != Order::WeKnow;
        let (firsts, seconds) = if by_rows { (rows, columns) } else { (columns, rows) };
        let cell = |first: usize, second: usize| {
            if by_rows { first * columns + second } else { second * columns + first }
        };
        // From the point of view of the side that chooses first: more is better.
        let sign = if by_rows { 1.0 } else { -1.0 };
        let asked = window.facing(sign);
        let answer = |cells: &[ValueBounds], first: usize| {
            let seen = (0..seconds).map(|second| cells[cell(first, second)].facing(sign));
            seen.reduce(|a, b| a.either(b, f64::min)).expect("a choice has a child")
        };
        let mut best =
            (0..firsts).map(|first| answer(cells, first).here.low).fold(f64::NEG_INFINITY, f64::max);
        let mut choices: Vec<(f64, usize)> =
            (0..firsts).map(|first| (middle(answer(cells, first).here), first)).collect();
        choices.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, first) in choices {
            let floor = if self.options.cutoffs { asked.low.max(best) } else { f64::NEG_INFINITY };
            if floor >= asked.high && self.options.cutoffs {
                break;
            }
            let mut answers: Vec<(f64, usize)> = (0..seconds)
                .map(|second| (middle(cells[cell(first, second)].here.facing(sign)), second))
                .collect();
            answers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut ceiling = answer(cells, first).here.high;
            for (_, second) in answers {
                let index = cell(first, second);
                let seen = cells[index].here.facing(sign);
                let to = if self.options.cutoffs { asked.high.min(ceiling) } else { f64::INFINITY };
                if self.options.cutoffs && ceiling <= floor {
                    break;
                }
                if seen.is_narrow() || (self.options.cutoffs && seen.low >= to) {
                    continue;
                }
                let window = Interval { low: floor, high: to }.facing(sign);
                cells[index] = cells[index].and(self.refined(node, index, at, window, meter)?);
                ceiling = ceiling.min(cells[index].here.facing(sign).high);
            }
            best = best.max(answer(cells, first).here.low);
        }
        let all = (0..firsts).map(|first| answer(cells, first)).reduce(|a, b| a.either(b, f64::max));
        Ok(all.expect("a choice has a child").facing(sign))
    }

    /// If both sides choose at once: the matrix game of the children's values.
    fn matrix(
        &mut self,
        node: &MatrixNode,
        cells: &mut [ValueBounds],
        at: TreePosition,
        window: Interval,
        meter: &mut Meter<'_>,
    ) -> Result<ValueBounds, Halt> {
        let mut known = ValueBounds::any(self.all());
        if self.options.serialised && at.depth > 1 {
            let [low, high] = self.serialised(node, cells, at, window, meter)?;
            known.here = Interval { low: low.here.low, high: high.here.high.max(low.here.low) };
            known.sure = Interval { low: low.sure.low, high: high.sure.high.max(low.sure.low) };
        }
        let payoffs = |cells: &[ValueBounds], of: fn(&ValueBounds) -> f64| {
            Payoffs::new(node.rows, node.columns, cells.iter().map(of))
        };
        let dominance = self.options.dominance;
        let mut done = vec![false; cells.len()];
        if !self.options.cutoffs {
            for cell in 0..cells.len() {
                if !cells[cell].here.is_narrow() {
                    cells[cell] = cells[cell].and(self.refined(node, cell, at, self.all(), meter)?);
                }
                done[cell] = true;
            }
        }
        // Only cells matter whose row has a positive probability in our optimistic mixture and whose column has one in the
        // others' pessimistic mixture.
        loop {
            let outside = known.here.low >= window.high || known.here.high <= window.low;
            if self.options.cutoffs && (outside || known.here.is_narrow()) {
                break;
            }
            if let weight @ 1.. = (cells.len() / CELLS_OF_A_NODE) as u64 {
                meter.count(weight)?;
                meter.glance()?;
            }
            let hopes = payoffs(cells, |cell| cell.here.high).optimum(dominance);
            let fears = payoffs(cells, |cell| cell.here.low).turned().optimum(dominance);
            let low = -fears.high;
            known.here = known.here.and(Interval { low, high: hopes.high.max(low) });
            let likely = |optimum: &Optimum| -> Vec<usize> {
                (0..optimum.mixture.len()).filter(|&number| optimum.mixture[number] > 0.0).collect()
            };
            let columns = likely(&fears);
            let cell = |row: usize| columns.iter().map(move |column| row * node.columns + column);
            let mut open: Vec<usize> = likely(&hopes).into_iter().flat_map(cell).collect();
            open.retain(|&cell| !done[cell] && !cells[cell].here.is_narrow());
            if open.is_empty() {
                break;
            }
            for cell in open {
                cells[cell] = cells[cell].and(self.refined(node, cell, at, cells[cell].here, meter)?);
                done[cell] = true;
            }
        }
        let all = self.all();
        if cells.iter().all(|cell| cell.sure == cell.here) {
            known.sure = known.sure.and(known.here);
        } else if cells.iter().any(|cell| cell.sure != all) {
            let low = payoffs(cells, |cell| cell.sure.low).optimum(dominance).low;
            let high = -payoffs(cells, |cell| cell.sure.high).turned().optimum(dominance).low;
            known.sure = known.sure.and(Interval { low, high: high.max(low) });
        }
        Ok(ValueBounds { here: known.here.and(known.sure), ..known })
    }

    /// The value for the role's side if the others know its choices, and if it knows theirs (pessimistic and optimistic
    /// serialisation). The second is computed only as far as needed to see whether it is greater. Both improve the bounds
    /// of cells.
    fn serialised(
        &mut self,
        node: &MatrixNode,
        cells: &mut [ValueBounds],
        at: TreePosition,
        window: Interval,
        meter: &mut Meter<'_>,
    ) -> Result<[ValueBounds; 2], Halt> {
        let all = self.all();
        let at = TreePosition { order: Order::OthersKnow, ..at };
        let mut known = self.cells(node, at, meter)?;
        let low = self.serial(node, &mut known, at, window, meter)?;
        for (cell, known) in cells.iter_mut().zip(&known) {
            let from = |low: f64| Interval { low, ..all };
            *cell =
                cell.and(ValueBounds { here: from(known.here.low), sure: from(known.sure.low), ..*known });
        }
        if low.here.low >= window.high {
            return Ok([low, ValueBounds::any(all)]);
        }
        let at = TreePosition { order: Order::WeKnow, ..at };
        let mut known = self.cells(node, at, meter)?;
        let floor = low.here.low.max(window.low);
        let high = self.serial(node, &mut known, at, Interval { low: floor, high: floor + NARROW }, meter)?;
        for (cell, known) in cells.iter_mut().zip(&known) {
            let to = |high: f64| Interval { high, ..all };
            *cell = cell.and(ValueBounds { here: to(known.here.high), sure: to(known.sure.high), ..*known });
        }
        Ok([low, high])
    }
}

fn middle(interval: Interval) -> f64 {
    (interval.low + interval.high) / 2.0
}
