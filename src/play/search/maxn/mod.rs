//! # What it does
//! Max^n: looks ahead where three or more teams play, each of which wants its own goal values and nothing else.
//!
//! # How
//! A state is worth a goal value to every team. Where a team has a choice it takes the child that is worth most to it;
//! of those as good the first one looked at. Moves made at the same time are serialised: the role's own team chooses
//! first, and each team knows the choices of those before it. Every team has an evaluation function.
//!
//! A team that is sure of the most there is looks no further (immediate pruning). Where the goal values of all teams
//! always have one sum S, a team that is sure of b leaves at most S - b to the one that chose before it: where that is
//! no more than this one has already, the rest is not looked at (shallow pruning). That there is such a sum is what
//! random play showed, not a proof; a terminal state that says otherwise ends this pruning, and the depth is done again.
//! The greatest goal values of the rules give a sum, too, but one that shallow pruning can do nothing with. Deep pruning
//! is not sound in max^n. The table leaves out what only counts steps, as that of `alphabeta` does.
//!
//! # Guarantee
//! A value called proved rests on terminal states alone. It is what comes of play in which each team looks for its own
//! good and takes the others to do so, not what the role is sure of; where teams are indifferent other values are as
//! good. With two teams and goal values of constant sum it is the value of minimax.
//!
//! # Cost
//! Far more states than alpha-beta: at best the power (sqrt(4 b - 3) + 1) / 2 instead of sqrt b, at worst nothing is
//! pruned.
//!
//! # Example
//! `maxn:fuzzy`, in a race of three players: each is taken to look for its own place, not to stop the others.
//!
//! # Source
//! Luckhardt and Irani, "An Algorithmic Solution of N-Person Games", AAAI 1986; Korf, "Multi-Player Alpha-Beta Pruning",
//! Artificial Intelligence 1991.

mod search;

use std::ops::Range;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MachineError, MoveId, State};

use crate::search::clock_keys::{ClockKeys, Kept, Reach, further, is_free};
use crate::search::leaf::{Leaf, copy};
use crate::search::limits::{Halt, Meter};
use crate::search::row_table::RowTable;
use crate::search::score::MOST_PLIES;
use crate::search::teams::Teams;
use crate::search::valued_leaves::ValuedLeaves;

/// What a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxnOptions {
    /// Bytes of the table of states; 0 for none.
    pub table: usize,
    /// Whether anything is pruned; else every state is looked at, with the same value.
    pub cutoffs: bool,
    /// Whether moves come first that end the game well or were best before; where teams are indifferent this decides
    /// between values.
    pub ordering: bool,
    /// Whether the table takes states that differ in the game's clock alone for one, where that is sound.
    pub clock: bool,
}

impl Default for MaxnOptions {
    /// All of them, with a table of 64 MiB.
    fn default() -> Self {
        MaxnOptions { table: 64 << 20, cutoffs: true, ordering: true, clock: true }
    }
}

/// Goal points are counted in millionths, so that sums are exact.
const POINT: i64 = 1_000_000;

/// What a state is worth to every team.
#[derive(Clone)]
struct Value {
    goals: Vec<i64>,
    /// Whether no estimate went into it.
    proved: bool,
    /// Whether the rest was not looked at, because the team that chose before would not go here.
    cut: bool,
    /// Plies from its state that it rests on.
    reach: Reach,
}

/// A team that chose before, and what it has already.
#[derive(Clone, Copy)]
struct Had {
    team: usize,
    goal: i64,
}

/// A state under search.
struct Node {
    state: State,
    key: u64,
    children: Children,
    /// Teams that have a choice, in the order in which they choose.
    choosers: Vec<usize>,
    /// The children by the choices of these, one after the other.
    order: Vec<u32>,
    /// The child that was best before.
    first: Option<u32>,
    /// What the function of each team makes of each child; nothing where children have their states instead.
    values: Vec<Vec<f64>>,
}

/// Where in the tree a search is.
#[derive(Clone, Copy)]
struct At {
    ply: usize,
    depth: u32,
}

impl At {
    /// Whether children are not looked beyond.
    fn is_last(self) -> bool {
        self.depth <= 1 || self.ply as u32 + 1 >= MOST_PLIES
    }
}

/// Max^n for one role.
pub struct Maxn<'m> {
    machine: &'m dyn Machine,
    role: usize,
    teams: Teams,
    options: MaxnOptions,
    /// The sum of all teams' goal values, where there is one.
    sum: Option<i64>,
    refuted: bool,
    /// For every team.
    leaves: Vec<Leaf<'m>>,
    last_ply: ValuedLeaves<'m>,
    expander: Box<dyn Expander + 'm>,
    keys: ClockKeys,
    table: RowTable,
    nodes: Vec<Option<Node>>,
    lines: Vec<Vec<Vec<MoveId>>>,
    best: Option<(Vec<MoveId>, Value)>,
}

impl<'m> Maxn<'m> {
    /// A search with an evaluation function for every team, of the role that stands for it.
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

    /// A search that knows nothing of states that are not terminal.
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
            expander: machine.expander(),
            keys: ClockKeys::new(machine, &mut leaves, options.clock),
            last_ply: ValuedLeaves::new(&mut leaves),
            leaves,
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
        self.table.grow_old();
        let mut seen = Children::default();
        self.expander.evaluate(&[state], ChildFields::ALL, &mut seen)?;
        let goal = seen.terminal(0).then(|| self.teams.outcome(self.teams.of(self.role), &seen, 0));
        self.make_node(0);
        let key = self.keys.begin(self.machine, state);
        let root = self.nodes[0].as_mut().expect("no search is under way");
        (root.state, root.key) = (state.clone(), key);
        Ok((seen, goal))
    }

    fn make_node(&mut self, ply: usize) {
        while self.nodes.len() <= ply {
            self.nodes.push(Some(Node {
                state: self.machine.initial().clone(),
                key: 0,
                children: Children::default(),
                choosers: Vec::new(),
                order: Vec::new(),
                first: None,
                values: Vec::new(),
            }));
            self.lines.push(Vec::new());
        }
    }

    /// A row of the table: it has the goals, then whether proved, the reach, the best child, and the depth.
    fn read(row: &[u64]) -> Option<(Value, u32, u32)> {
        let (&last, goals) = row.split_last()?;
        let goals = goals.iter().map(|&word| word as i64).collect();
        let value = Value { goals, proved: last >> 63 == 1, cut: false, reach: (last >> 48) as u8 };
        Some((value, last as u32 & 0xffff, (last >> 16) as u32))
    }

    /// What the table has of a state's value as deep as it is looked at, and the child that was best before.
    fn known(&self, key: u64, at: At) -> (Option<Value>, Option<u32>) {
        // A proof that takes more plies than there are here does not count, so that wins are not put off.
        let as_deep = |value: &Value, depth: u32| {
            at.ply > 0 && if value.proved { depth <= at.depth } else { depth >= at.depth }
        };
        let mut deepest: Option<(u32, u32)> = None;
        if let Some(left) = self.keys.left(at.ply) {
            for (row, old) in self.table.all(key) {
                let Some((value, depth, best)) = Maxn::read(row) else { continue };
                let fits = match old {
                    true => as_deep(&value, depth),
                    false if value.proved => u32::from(value.reach) <= at.depth,
                    false => depth == at.depth,
                };
                if at.ply > 0 && fits && is_free(value.reach, left) {
                    return (Some(value), Some(best));
                }
                if deepest.is_none_or(|(before, _)| depth > before) {
                    deepest = Some((depth, best));
                }
            }
        }
        let alone = self.keys.alone(key, at.ply).and_then(|key| Maxn::read(self.table.get(key)?));
        let best = alone.as_ref().map(|(_, _, best)| *best).or(deepest.map(|(_, best)| best));
        (alone.filter(|(value, depth, _)| as_deep(value, *depth)).map(|(value, ..)| value), best)
    }

    fn search_node(&mut self, at: At, had: Option<Had>, meter: &mut Meter<'_>) -> Result<Value, Halt> {
        self.make_node(at.ply + 1);
        self.lines[at.ply].clear();
        let mut node = self.nodes[at.ply].take().expect("a state is searched once at a time");
        let (known, best) = self.known(node.key, at);
        node.first = best.filter(|_| self.options.ordering);
        let result = match known {
            Some(value) => Ok(value),
            None => self.search_children(&mut node, at, had, meter),
        };
        self.nodes[at.ply] = Some(node);
        result
    }

    fn search_children(
        &mut self,
        node: &mut Node,
        at: At,
        had: Option<Had>,
        meter: &mut Meter<'_>,
    ) -> Result<Value, Halt> {
        let Node { state, children, values, .. } = &mut *node;
        let valued =
            at.is_last() && self.last_ply.expand(self.machine, meter.until(), state, children, values)?;
        if !valued {
            values.clear();
            let wanted = ChildFields::SUCCESSORS;
            self.expander.expand_until(meter.until(), state, JointMoves::All, wanted, children)?;
        }
        meter.made(node.children.len());
        if node.children.is_empty() {
            // Nobody can move on: the rules give no value, so the least there is.
            let goals = (0..self.teams.len()).map(|team| i64::from(self.teams.rewards(team)[0]) * POINT);
            return Ok(Value { goals: goals.collect(), proved: true, cut: false, reach: 0 });
        }
        self.arrange(node);
        let (value, best) = self.choose(node, 0..node.order.len(), 0, at, had, meter)?;
        if !value.cut {
            let flags = u64::from(value.proved) << 63
                | u64::from(value.reach) << 48
                | u64::from(best) << 16
                | u64::from(at.depth & 0xffff);
            let row = value.goals.iter().map(|&goal| goal as u64).chain([flags]);
            let depth = at.depth.min(255) as u8;
            match self.keys.keep(node.key, at.ply, value.reach) {
                Kept::Alone(key) => self.table.put(key, depth, row),
                Kept::Shared(key) => self.table.put_depth(key, depth, row),
            }
        }
        Ok(value)
    }

    /// Who chooses, and the children in the order of these choices.
    fn arrange(&self, node: &mut Node) {
        let Node { children, choosers, order, .. } = node;
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

    /// The choice of one team after the other among children that have the choices before in common; gives the child it
    /// comes to as well.
    fn choose(
        &mut self,
        node: &Node,
        among: Range<usize>,
        level: usize,
        at: At,
        had: Option<Had>,
        meter: &mut Meter<'_>,
    ) -> Result<(Value, u32), Halt> {
        let Some(&team) = node.choosers.get(level) else {
            let child = node.order[among.start];
            return Ok((self.child(node, child as usize, at, had, meter)?, child));
        };
        let most = i64::from(self.teams.rewards(team)[1]) * POINT;
        let mut best: Option<(Value, u32)> = None;
        let mut line = Vec::new();
        let (mut proved, mut reach) = (true, 0);
        for group in self.groups(node, among, team) {
            let has = best.as_ref().map(|(value, _)| Had { team, goal: value.goals[team] });
            let (value, child) = self.choose(node, group, level + 1, at, has, meter)?;
            proved &= value.proved;
            reach = reach.max(value.reach);
            if value.cut || has.is_some_and(|has| value.goals[team] <= has.goal) {
                continue;
            }
            let goal = value.goals[team];
            std::mem::swap(&mut line, &mut self.lines[at.ply + 1]);
            if at.ply == 0 && level == 0 {
                self.best = Some((node.children.joint(child as usize).to_vec(), value.clone()));
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
                return Ok((Value { cut: true, proved: sure.0, ..value }, child));
            }
        }
        let (value, child) = best.expect("a choice has a child");
        if level == 0 {
            self.lines[at.ply] = line;
            self.lines[at.ply].push(node.children.joint(child as usize).to_vec());
        } else {
            self.lines[at.ply + 1] = line;
        }
        Ok((Value { proved, reach, ..value }, child))
    }

    /// What a team gets at most where another one gets so much; none where there is no sum of all goals.
    fn left(&self, team: usize, other: usize, goal: i64) -> Option<i64> {
        let rest = (0..self.teams.len()).filter(|&third| third != team && third != other);
        let rest: i64 = rest.map(|third| i64::from(self.teams.rewards(third)[0]) * POINT).sum();
        self.sum.map(|sum| sum - goal - rest)
    }

    /// Children in groups with the same choice of a team; first those that end the game well, then what was best before.
    fn groups(&self, node: &Node, among: Range<usize>, team: usize) -> Vec<Range<usize>> {
        let moves = |place: usize| self.teams.moves(team, node.children.joint(node.order[place] as usize));
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
                let ends = group.len() == 1 && node.children.terminal(child);
                let wins = ends && self.teams.outcome(team, &node.children, child) == most;
                let before = node.first.is_some_and(|first| node.order[group.clone()].contains(&first));
                (!wins, !before, group.start)
            });
        }
        groups
    }

    fn child(
        &mut self,
        node: &Node,
        child: usize,
        at: At,
        had: Option<Had>,
        meter: &mut Meter<'_>,
    ) -> Result<Value, Halt> {
        meter.count(1)?;
        let children = &node.children;
        self.lines[at.ply + 1].clear();
        if children.terminal(child) {
            let goals = (0..self.teams.len())
                .map(|team| i64::from(self.teams.outcome(team, children, child)) * POINT);
            let goals: Vec<i64> = goals.collect();
            self.refuted |= self.sum.is_some_and(|sum| goals.iter().sum::<i64>() > sum);
            return Ok(Value { goals, proved: true, cut: false, reach: 1 });
        }
        if at.is_last() {
            let shares = (0..self.leaves.len()).map(|team| match node.values.get(team) {
                Some(values) => Ok(self.leaves[team].share(values[child])),
                None => self.leaves[team].estimate(children.state(child)),
            });
            let shares = shares.collect::<Result<Vec<f64>, MachineError>>()?;
            return Ok(Value { goals: self.estimates(&shares), proved: false, cut: false, reach: 1 });
        }
        let words = children.state(child);
        let key = self.keys.update(node.key, &node.state.0, words);
        let below = self.nodes[at.ply + 1].as_mut().expect("a state is searched once at a time");
        below.key = key;
        copy(words, &mut below.state);
        let value = self.search_node(At { ply: at.ply + 1, depth: at.depth - 1 }, had, meter)?;
        Ok(Value { reach: further(value.reach), ..value })
    }
}
