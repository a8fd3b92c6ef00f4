//! # What it does
//! Max^n: search for three or more teams. Each team maximises its own goal value.
//!
//! # How
//! A state has a value for each team. The team that chooses takes the child with its greatest value; ties go to the
//! first child. Simultaneous moves are serialised: the role's own team chooses first, and each team knows the choices
//! of those before it. Each team has its own evaluation function.
//!
//! A team that reached the greatest possible value searches no further (immediate pruning). Shallow pruning applies if
//! the goal values of all teams always have the same sum S. If a team is sure of b, the team that chose before it gets
//! at most S - b. If that team has as much already, the remaining moves are skipped.
//!
//! Random play suggests the constant sum, but does not prove it. A terminal state with another sum switches this
//! pruning off, and the depth is repeated. Deep pruning is not sound in max^n. As in `alphabeta`, the table ignores
//! step counters.
//!
//! # Guarantee
//! A value is called proved only if it depends on terminal states alone. It is the result if each team maximises its
//! own value and expects the same of the others; the role can't always force it. If teams are indifferent, other values
//! are equally justified. With two teams and a constant sum it is the value of minimax.
//!
//! # Cost
//! It visits far more states than alpha-beta. With b moves in each state, the branching factor is (sqrt(4 b - 3) + 1) /
//! 2 at best, instead of sqrt b. At worst nothing is pruned.
//!
//! # Example
//! `maxn:fuzzy`, in a race of three players: each player wants to be first, not to stop the others.
//!
//! # Source
//! Luckhardt and Irani, "An Algorithmic Solution of N-Person Games", AAAI 1986; Korf, "Multi-Player Alpha-Beta
//! Pruning", Artificial Intelligence 1991.

use std::ops::Range;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{ChildFields, Children, Machine, MachineError, MoveId, State};

use super::child_source::{ChildSource, Successors};
use super::clock_keys::{ClockKeys, Reach, StoreKey, further, is_free};
use super::iterative_deepening::DepthLimited;
use super::lane_source::child_source;
use super::leaf::{Leaf, copy};
use super::limits::{Halt, Meter};
use super::result::SearchResult;
use super::row_table::RowTable;
use super::teams::Teams;
use super::transpositions::Visit;

/// Options of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxnOptions {
    /// Bytes of the table of states; 0 for none.
    pub table: usize,
    /// Whether branches are pruned; the value is the same without pruning.
    pub cutoffs: bool,
    /// Whether winning ends and the best move of the last depth come first. If teams are indifferent, this order
    /// decides between values.
    pub ordering: bool,
    /// Whether states that differ only in the game's clock share a table entry where that is sound.
    pub clock: bool,
}

impl Default for MaxnOptions {
    /// Everything switched on, with a table of 64 MiB.
    fn default() -> Self {
        MaxnOptions { table: 64 << 20, cutoffs: true, ordering: true, clock: true }
    }
}

/// Goal points are counted in millionths, so that sums are exact.
const POINT: i64 = 1_000_000;

/// The value of a state for each team.
#[derive(Clone)]
struct TeamValues {
    goals: Vec<i64>,
    /// Whether no estimate went into it.
    proved: bool,
    /// Whether the remaining moves were skipped because the team that chose before would not come here.
    cut: bool,
    /// The number of plies after its state that it depends on.
    reach: Reach,
}

/// A team that chose before, with its best value so far.
#[derive(Clone, Copy)]
struct Rival {
    team: usize,
    goal: i64,
}

/// Children that share the choices of the first teams.
struct Branch {
    /// The range of their indices in the node's order.
    places: Range<usize>,
    /// The number of teams that have chosen.
    level: usize,
}

/// A state under search.
struct MaxnNode {
    state: State,
    successors: Successors,
    /// Teams that have a choice, in the order in which they choose.
    choosers: Vec<usize>,
    /// The children sorted by these choices.
    order: Vec<u32>,
    /// The best child of an earlier search.
    first: Option<u32>,
}

/// Max^n for one role.
pub struct Maxn<'m> {
    machine: &'m dyn Machine,
    role: usize,
    teams: Teams,
    options: MaxnOptions,
    /// The sum of all teams' goal values, if it is constant.
    sum: Option<i64>,
    refuted: bool,
    /// With the function of every team.
    source: Box<dyn ChildSource<'m> + 'm>,
    keys: ClockKeys,
    root_key: u64,
    table: RowTable,
    nodes: Vec<Option<MaxnNode>>,
    lines: Vec<Vec<Vec<MoveId>>>,
    best: Option<(Vec<MoveId>, TeamValues)>,
}

impl<'m> Maxn<'m> {
    /// A search with an evaluation function for each team, of the role that represents it.
    ///
    /// # Errors
    /// A function does not fit the game.
    pub fn new(
        machine: &'m dyn Machine,
        role: usize,
        teams: Teams,
        functions: &[&Function],
        options: MaxnOptions,
    ) -> Result<Maxn<'m>, FunctionError> {
        let leaves = functions.iter().map(|function| Leaf::in_lanes(machine, function));
        Ok(Maxn::with(machine, role, teams, leaves.collect::<Result<_, _>>()?, options))
    }

    /// A search without an evaluation function.
    pub fn plain(machine: &'m dyn Machine, role: usize, teams: Teams, options: MaxnOptions) -> Maxn<'m> {
        let leaves = (0..teams.len()).map(|_| Leaf::none(machine)).collect();
        Maxn::with(machine, role, teams, leaves, options)
    }

    fn with(
        machine: &'m dyn Machine,
        role: usize,
        teams: Teams,
        mut leaves: Vec<Leaf<'m>>,
        options: MaxnOptions,
    ) -> Maxn<'m> {
        Maxn {
            sum: teams.sum.map(|sum| i64::from(sum) * POINT),
            refuted: false,
            keys: ClockKeys::new(machine, &mut leaves, options.clock),
            root_key: 0,
            source: child_source(machine, leaves),
            table: RowTable::new(options.table, teams.len() + 1),
            nodes: Vec::new(),
            lines: Vec::new(),
            best: None,
            machine,
            role,
            teams,
            options,
        }
    }

    fn start(&mut self, state: &State) -> Result<(Children, Option<i32>), MachineError> {
        self.table.start_generation();
        let seen = self.source.scalar().evaluate(state)?;
        let goal = seen.terminal(0).then(|| self.teams.outcome(self.teams.of(self.role), &seen, 0));
        self.make_node(0);
        let key = self.keys.begin(self.machine, state);
        let root = self.nodes[0].as_mut().expect("no search is under way");
        root.state = state.clone();
        self.root_key = key;
        Ok((seen, goal))
    }

    fn make_node(&mut self, ply: usize) {
        while self.nodes.len() <= ply {
            self.nodes.push(Some(MaxnNode {
                state: self.machine.initial().clone(),
                successors: Successors::default(),
                choosers: Vec::new(),
                order: Vec::new(),
                first: None,
            }));
            self.lines.push(Vec::new());
        }
    }

    /// Decodes a row of the table: the goal values, whether proved, the reach, the best child, and the depth.
    fn read(row: &[u64]) -> Option<(TeamValues, u32, u32)> {
        let (&last, goals) = row.split_last()?;
        let goals = goals.iter().map(|&word| word as i64).collect();
        let value = TeamValues { goals, proved: last >> 63 == 1, cut: false, reach: (last >> 48) as u8 };
        Some((value, last as u32 & 0xffff, (last >> 16) as u32))
    }

    /// The state's value from the table if it is deep enough, and the best child of an earlier search.
    fn known(&self, visit: Visit) -> (Option<TeamValues>, Option<u32>) {
        // A proof that needs more plies than are left here does not count, so that wins are not delayed.
        let as_deep = |value: &TeamValues, depth: u32| {
            visit.ply > 0 && if value.proved { depth <= visit.depth } else { depth >= visit.depth }
        };
        let mut deepest: Option<(u32, u32)> = None;
        if let Some(left) = self.keys.left(visit.ply) {
            for (row, old) in self.table.all(visit.key) {
                let Some((value, depth, best)) = Maxn::read(row) else { continue };
                let fits = match old {
                    true => as_deep(&value, depth),
                    false if value.proved => u32::from(value.reach) <= visit.depth,
                    false => depth == visit.depth,
                };
                if visit.ply > 0 && fits && is_free(value.reach, left) {
                    return (Some(value), Some(best));
                }
                if deepest.is_none_or(|(before, _)| depth > before) {
                    deepest = Some((depth, best));
                }
            }
        }
        let alone = self.keys.alone(visit.key, visit.ply).and_then(|key| Maxn::read(self.table.get(key)?));
        let best = alone.as_ref().map(|(_, _, best)| *best).or(deepest.map(|(_, best)| best));
        (alone.filter(|(value, depth, _)| as_deep(value, *depth)).map(|(value, ..)| value), best)
    }

    fn search_node(
        &mut self,
        visit: Visit,
        had: Option<Rival>,
        meter: &mut Meter<'_>,
    ) -> Result<TeamValues, Halt> {
        self.make_node(visit.ply + 1);
        self.lines[visit.ply].clear();
        let mut node = self.nodes[visit.ply].take().expect("a state is searched once at a time");
        let (known, best) = self.known(visit);
        node.first = best.filter(|_| self.options.ordering);
        let result = match known {
            Some(value) => Ok(value),
            None => self.search_children(&mut node, visit, had, meter),
        };
        self.nodes[visit.ply] = Some(node);
        result
    }

    fn search_children(
        &mut self,
        node: &mut MaxnNode,
        visit: Visit,
        had: Option<Rival>,
        meter: &mut Meter<'_>,
    ) -> Result<TeamValues, Halt> {
        let MaxnNode { state, successors, .. } = &mut *node;
        match visit.is_last() {
            true => self.source.expand_leaves(state, meter, successors)?,
            false => self.source.expand(state, ChildFields::PLIES, meter, &mut successors.children)?,
        }
        if successors.children.is_empty() {
            // No joint move is legal: the rules give no value, so the state gets the lowest one.
            let goals = (0..self.teams.len()).map(|team| i64::from(self.teams.rewards(team)[0]) * POINT);
            return Ok(TeamValues { goals: goals.collect(), proved: true, cut: false, reach: 0 });
        }
        self.arrange(node);
        let (value, best) =
            self.choose(node, Branch { places: 0..node.order.len(), level: 0 }, visit, had, meter)?;
        if !value.cut {
            let flags = u64::from(value.proved) << 63
                | u64::from(value.reach) << 48
                | u64::from(best) << 16
                | u64::from(visit.depth & 0xffff);
            let row = value.goals.iter().map(|&goal| goal as u64).chain([flags]);
            let depth = visit.depth.min(255) as u8;
            match self.keys.keep(visit.key, visit.ply, value.reach) {
                StoreKey::Alone(key) => self.table.put(key, depth, row),
                StoreKey::Shared(key) => self.table.put_depth(key, depth, row),
            }
        }
        Ok(value)
    }

    /// Determines who chooses, and sorts the children by these choices.
    fn arrange(&self, node: &mut MaxnNode) {
        let MaxnNode { successors: Successors { children, .. }, choosers, order, .. } = node;
        let own = self.teams.of(self.role);
        let first = children.joint(0);
        let chooses = |&team: &usize| {
            (1..children.len())
                .any(|child| !self.teams.moves(team, children.joint(child)).eq(self.teams.moves(team, first)))
        };
        let others = (0..self.teams.len()).filter(|&team| team != own);
        choosers.clear();
        choosers.extend([own].into_iter().chain(others).filter(chooses));
        order.clear();
        order.extend(0..children.len() as u32);
        let key = |child: u32| {
            let joint = children.joint(child as usize);
            choosers.iter().flat_map(move |&team| self.teams.moves(team, joint))
        };
        order.sort_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
    }

    /// Lets one team after the other choose among children that share the earlier choices. Returns the chosen child as
    /// well.
    fn choose(
        &mut self,
        node: &MaxnNode,
        Branch { places, level }: Branch,
        visit: Visit,
        had: Option<Rival>,
        meter: &mut Meter<'_>,
    ) -> Result<(TeamValues, u32), Halt> {
        let Some(&team) = node.choosers.get(level) else {
            let child = node.order[places.start];
            return Ok((self.child(node, child as usize, visit, had, meter)?, child));
        };
        let most = i64::from(self.teams.rewards(team)[1]) * POINT;
        let mut best: Option<(TeamValues, u32)> = None;
        let mut line = Vec::new();
        let (mut proved, mut reach) = (true, 0);
        for places in self.groups(node, places, team) {
            let has = best.as_ref().map(|(value, _)| Rival { team, goal: value.goals[team] });
            let (value, child) = self.choose(node, Branch { places, level: level + 1 }, visit, has, meter)?;
            proved &= value.proved;
            reach = reach.max(value.reach);
            if value.cut || has.is_some_and(|has| value.goals[team] <= has.goal) {
                continue;
            }
            let goal = value.goals[team];
            std::mem::swap(&mut line, &mut self.lines[visit.ply + 1]);
            if visit.ply == 0 && level == 0 {
                self.best = Some((node.successors.children.joint(child as usize).to_vec(), value.clone()));
            }
            let sure = (value.proved, value.reach);
            best = Some((value, child));
            if !self.options.cutoffs {
                continue;
            }
            if goal >= most {
                (proved, reach) = sure;
                break;
            }
            if let Some(had) = had.filter(|had| had.team != team)
                && self.left(had.team, team, goal).is_some_and(|left| left <= had.goal)
            {
                let (value, child) = best.expect("it was just found");
                return Ok((TeamValues { cut: true, proved: sure.0, ..value }, child));
            }
        }
        let (value, child) = best.expect("a choice has a child");
        if level == 0 {
            self.lines[visit.ply] = line;
            self.lines[visit.ply].push(node.successors.children.joint(child as usize).to_vec());
        } else {
            self.lines[visit.ply + 1] = line;
        }
        Ok((TeamValues { proved, reach, ..value }, child))
    }

    /// The most that a team can get if another one gets `goal`; none if the sum is not constant.
    fn left(&self, team: usize, other: usize, goal: i64) -> Option<i64> {
        let rest = (0..self.teams.len()).filter(|&third| third != team && third != other);
        let rest: i64 = rest.map(|third| i64::from(self.teams.rewards(third)[0]) * POINT).sum();
        self.sum.map(|sum| sum - goal - rest)
    }

    /// Groups the children by a team's choice: winning ends first, then the best of an earlier search.
    fn groups(&self, node: &MaxnNode, among: Range<usize>, team: usize) -> Vec<Range<usize>> {
        let moves =
            |place: usize| self.teams.moves(team, node.successors.children.joint(node.order[place] as usize));
        let mut groups: Vec<Range<usize>> = Vec::new();
        for place in among {
            match groups.last_mut() {
                Some(last) if moves(last.start).eq(moves(place)) => last.end = place + 1,
                _ => groups.push(place..place + 1),
            }
        }
        if self.options.ordering {
            let most = self.teams.rewards(team)[1];
            groups.sort_by_key(|group| {
                let child = node.order[group.start] as usize;
                let ends = group.len() == 1 && node.successors.children.terminal(child);
                let wins = ends && self.teams.outcome(team, &node.successors.children, child) == most;
                let before = node.first.is_some_and(|first| node.order[group.clone()].contains(&first));
                (!wins, !before, group.start)
            });
        }
        groups
    }

    fn child(
        &mut self,
        node: &MaxnNode,
        child: usize,
        visit: Visit,
        had: Option<Rival>,
        meter: &mut Meter<'_>,
    ) -> Result<TeamValues, Halt> {
        meter.count(1)?;
        let children = &node.successors.children;
        self.lines[visit.ply + 1].clear();
        if children.terminal(child) {
            let goals = (0..self.teams.len())
                .map(|team| i64::from(self.teams.outcome(team, children, child)) * POINT);
            let goals: Vec<i64> = goals.collect();
            self.refuted |= self.sum.is_some_and(|sum| goals.iter().sum::<i64>() > sum);
            return Ok(TeamValues { goals, proved: true, cut: false, reach: 1 });
        }
        if visit.is_last() {
            let shares =
                (0..self.teams.len()).map(|team| self.source.leaf_share(team, &node.successors, child));
            let shares = shares.collect::<Result<Vec<f64>, MachineError>>()?;
            return Ok(TeamValues { goals: self.estimates(&shares), proved: false, cut: false, reach: 1 });
        }
        let words = children.state(child);
        let key = self.keys.update(visit.key, &node.state.0, words);
        let below = self.nodes[visit.ply + 1].as_mut().expect("a state is searched once at a time");
        copy(words, &mut below.state);
        let value =
            self.search_node(Visit { key, ply: visit.ply + 1, depth: visit.depth - 1 }, had, meter)?;
        Ok(TeamValues { reach: further(value.reach), ..value })
    }

    /// The value at a depth. If the constant sum was refuted during the search, the depth is repeated.
    fn sound(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<TeamValues, Halt> {
        loop {
            self.best = None;
            let visit = Visit { key: self.root_key, ply: 0, depth };
            let searched = self.search_node(visit, None, meter);
            let refuted = std::mem::take(&mut self.refuted);
            if refuted {
                self.sum = None;
                self.table = RowTable::new(self.options.table, self.teams.len() + 1);
            }
            let value = searched?;
            if !refuted {
                return Ok(value);
            }
        }
    }

    /// The estimated value for each team from shares of its goal values: between the lowest one + 1 and the greatest -
    /// 1, scaled to the constant sum if there is one.
    fn estimates(&self, shares: &[f64]) -> Vec<i64> {
        let mut goals = Vec::with_capacity(shares.len());
        let (mut sum, mut above) = (0, 0);
        for (team, &share) in shares.iter().enumerate() {
            let [least, most] = self.teams.rewards(team).map(i64::from);
            let width = ((most - least - 2).max(0) * POINT) as f64;
            let base = if most - least < 2 { (least + most) * POINT / 2 } else { (least + 1) * POINT };
            let more = (share * width) as i64;
            (sum, above) = (sum + base, above + more);
            goals.push((base, more, width as i64));
        }
        let factor = match self.sum {
            Some(all) if above > 0 => ((all - sum) as f64 / above as f64).max(0.0),
            _ => 1.0,
        };
        let goal = |&(base, more, width): &(i64, i64, i64)| base + ((more as f64 * factor) as i64).min(width);
        goals.iter().map(goal).collect()
    }
}

impl DepthLimited for Maxn<'_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        let (seen, goal) = self.start(state)?;
        if goal.is_none() {
            result.action = seen.legal(0, self.role).first().copied();
        }
        Ok(goal)
    }

    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt> {
        let own = self.teams.of(self.role);
        let least = i64::from(self.teams.rewards(own)[0]) * POINT;
        let searched = self.sound(depth, meter);
        // An interrupted depth counts if it began with the best move of the last one.
        if let Some((joint, found)) = self.best.take().filter(|_| searched.is_ok() || self.options.ordering) {
            let lost = found.goals[own] <= least && depth > 1;
            if !lost {
                result.action = Some(joint[self.role]);
                result.principal_variation = vec![joint];
            }
            result.value = Some(found.goals[own] as f64 / POINT as f64);
        }
        let value = searched?;
        if result.principal_variation.first() == self.lines[0].last() {
            result.principal_variation = self.lines[0].iter().rev().cloned().collect();
        }
        result.proved = value.proved;
        result.value = Some(value.goals[own] as f64 / POINT as f64);
        Ok(())
    }
}
