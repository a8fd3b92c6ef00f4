//! Games in which roles follow what they have learned, many side by side.

use rayon::prelude::*;

use crate::ground::Interrupted;
use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::{ChildFields, Children, Expander, Machine, MoveId, State};
use crate::simulate::{Choices, Watch};

use super::answers::Backed;
use super::error::LearningError;
use super::policy::Policy;
use super::table::{GRAINS, Look, Table};

/// Games that go on side by side.
const TABLES: usize = 64;

/// Successors valued in lanes that take as long as one that is valued alone, about.
const IN_LANES: u64 = 32;

/// Successors looked at between two looks at the interrupt.
const STRIDE: usize = 4096;

/// A difference in value that makes one move e times as likely as another.
const TEMPERATURE: f64 = 0.02;

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner<'a> {
    /// What each role follows; one without draws its moves at random.
    pub(super) seats: &'a [Option<&'a Policy>],
    /// States after each number of joint moves on a way; where there are some every second game begins at one of them.
    pub(super) way: &'a [State],
    /// Joint moves at the beginning that are drawn at random, at most.
    pub(super) opening: u32,
    /// The chance of a random move later.
    pub(super) noise: f64,
    /// Joint moves after which a game is cut off.
    pub(super) max_steps: u32,
    /// The least and the greatest goal value of every role.
    pub(super) rewards: &'a [[i32; 2]],
    /// Seed of all draws.
    pub(super) seed: u64,
    /// Whether states are kept.
    pub(super) kept: bool,
    /// Whether roles look at the answers to their best moves, in a game of one player or of two of whom one gets what the other
    /// does not.
    pub(super) answered: bool,
}

/// A game that was played.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Played {
    /// Its states from the end of its opening on, but for the terminal one.
    pub(super) states: Vec<State>,
    /// For each state the roles that choose among several moves, a bit for each of the first 64.
    pub(super) choosers: Vec<u64>,
    /// Where the only role with a choice drew its move at random: the role, and what each role would have had of the best.
    pub(super) missed: Vec<Option<(usize, Vec<f64>)>>,
    /// Where the answers to its best moves were looked at: what they tell.
    pub(super) backed: Vec<Option<Backed>>,
    /// Each role's share of its goal values, 0 to 1; none where the game was cut off, or goal values are missing.
    pub(super) outcome: Option<Vec<f64>>,
}

/// Games that one thread plays.
const BLOCK: u64 = 128;

/// Plays games with these numbers on all threads; the games are those of [`play`].
///
/// # Errors
/// A state can't be evaluated, or it has to end.
pub(super) fn play_all(
    machine: &dyn Machine,
    manner: &Manner<'_>,
    numbers: std::ops::Range<u64>,
    watch: &Watch<'_>,
) -> Result<Vec<Played>, LearningError> {
    let blocks: Vec<u64> = numbers.clone().step_by(BLOCK as usize).collect();
    let played: Vec<Result<Vec<Played>, LearningError>> = blocks
        .into_par_iter()
        .map(|first| play(machine, manner, first..numbers.end.min(first + BLOCK), watch))
        .collect();
    let mut all = Vec::new();
    for block in played {
        all.extend(block?);
    }
    Ok(all)
}

/// Plays games with these numbers. Counts every state that is looked at as a unit of work.
///
/// # Errors
/// A state can't be evaluated, or it has to end.
fn play(
    machine: &dyn Machine,
    manner: &Manner<'_>,
    numbers: std::ops::Range<u64>,
    watch: &Watch<'_>,
) -> Result<Vec<Played>, LearningError> {
    let mut room = Room {
        machine,
        manner,
        watch,
        expander: machine.expander(),
        children: Children::default(),
        values: Vec::new(),
        frontiers: frontiers(machine, manner)?,
        valued: ValuedChildren::default(),
        looked: 0,
    };
    room.play(numbers)
}

/// For every role that follows a policy, lanes that value successors by it, where the game suits them.
fn frontiers<'a>(
    machine: &'a dyn Machine,
    manner: &Manner<'_>,
) -> Result<Vec<Option<LaneFrontier<'a>>>, Interrupted> {
    let frontier = |seat: &Option<&Policy>| match (seat, machine.lanes()) {
        (Some(policy), Some(program)) => {
            LaneFrontier::new(program, vec![policy.in_lanes(program.network())]).map(Some)
        }
        _ => Ok(None),
    };
    manner.seats.iter().map(frontier).collect()
}

pub(super) struct Room<'a> {
    machine: &'a dyn Machine,
    pub(super) manner: &'a Manner<'a>,
    pub(super) watch: &'a Watch<'a>,
    pub(super) expander: Box<dyn Expander + 'a>,
    pub(super) children: Children,
    /// Of every successor looked at what the role that looks has of it.
    pub(super) values: Vec<f64>,
    /// For each role what values successors in lanes.
    pub(super) frontiers: Vec<Option<LaneFrontier<'a>>>,
    pub(super) valued: ValuedChildren,
    /// Successors looked at in lanes that are not counted as work yet.
    looked: u64,
}

impl Room<'_> {
    fn play(&mut self, numbers: std::ops::Range<u64>) -> Result<Vec<Played>, LearningError> {
        let roles = self.manner.seats.len();
        // The initial state first.
        let begins: Vec<&State> = [self.machine.initial()].into_iter().chain(self.manner.way).collect();
        self.expander.evaluate(&begins, ChildFields::ALL, &mut self.children)?;
        let legal_at = |place: usize| -> Vec<Vec<MoveId>> {
            (0..roles).map(|role| self.children.legal(place, role).to_vec()).collect()
        };
        let legal: Vec<Vec<Vec<MoveId>>> = (0..begins.len()).map(legal_at).collect();
        let over = |(place, legal): (usize, &Vec<Vec<MoveId>>)| {
            self.children.terminal(place) || legal.iter().any(Vec::is_empty)
        };
        if legal.iter().enumerate().any(over) {
            return Ok(Vec::new());
        }
        let mut done: Vec<Option<Played>> = vec![None; (numbers.end - numbers.start) as usize];
        let first = numbers.start;
        let mut waiting = numbers;
        let mut tables: Vec<Table> = Vec::with_capacity(TABLES);
        loop {
            while tables.len() < TABLES
                && let Some(number) = waiting.next()
            {
                let mut choices = Choices::new(self.manner.seed, number);
                let opening = choices.below(self.manner.opening as usize + 1) as u32;
                let on_way = begins.len() > 1 && choices.below(2) == 1;
                let steps = if on_way { choices.below(begins.len() - 1) } else { 0 };
                let place = steps + usize::from(on_way);
                let (state, legal) = (begins[place].clone(), legal[place].clone());
                tables.push(Table {
                    number,
                    state,
                    legal,
                    choices,
                    opening,
                    steps: steps as u32,
                    played: Played::default(),
                });
            }
            if tables.is_empty() {
                break;
            }
            self.step(&mut tables)?;
            tables.retain_mut(|table| {
                let over = table.legal.is_empty();
                if over {
                    done[(table.number - first) as usize] = Some(std::mem::take(&mut table.played));
                }
                !over
            });
        }
        Ok(done.into_iter().flatten().collect())
    }

    /// Plays a joint move at every table; where the game is over its legal moves are gone.
    fn step(&mut self, tables: &mut [Table]) -> Result<(), LearningError> {
        let roles = self.manner.seats.len();
        let mut joints: Vec<MoveId> = Vec::with_capacity(tables.len() * roles);
        let mut looks = Vec::new();
        let in_lanes: Vec<bool> = self.frontiers.iter().map(Option::is_some).collect();
        for (number, table) in tables.iter_mut().enumerate() {
            for role in 0..roles {
                joints.push(table.legal[role][table.choices.below(table.legal[role].len())]);
            }
            table.looks(number, self.manner, &in_lanes, &mut looks);
            if table.opening == 0 && self.manner.kept {
                table.played.choosers.push(choosers(&table.legal));
                table.played.states.push(table.state.clone());
                table.played.missed.push(None);
                table.played.backed.push(None);
            }
        }
        looks.sort_by_key(|look| look.role);
        self.value(tables, &joints, &mut looks)?;
        looks.sort_by_key(|look| (look.table, look.role));
        for look in &looks {
            self.choose(look, &mut tables[look.table], &mut joints[look.table * roles..]);
        }

        let states: Vec<&State> = tables.iter().map(|table| &table.state).collect();
        self.expander.advance(&states, &joints, ChildFields::ALL, &mut self.children)?;
        self.watch.spend(tables.len() as u64)?;
        for (child, table) in tables.iter_mut().enumerate() {
            table.steps += 1;
            table.opening = table.opening.saturating_sub(1);
            table.state.0.copy_from_slice(self.children.state(child));
            for role in 0..roles {
                table.legal[role].clear();
                table.legal[role].extend_from_slice(self.children.legal(child, role));
            }
            let stuck = table.legal.iter().any(Vec::is_empty);
            if self.children.terminal(child) {
                table.played.outcome = shares(&self.children, child, self.manner.rewards);
            }
            if stuck || table.steps >= self.manner.max_steps {
                table.legal.clear();
            }
        }
        Ok(())
    }

    /// Values the successors of all moves that are looked at.
    fn value(
        &mut self,
        tables: &mut [Table],
        joints: &[MoveId],
        looks: &mut [Look],
    ) -> Result<(), LearningError> {
        let roles = self.manner.seats.len();
        self.values.clear();
        let wanted = ChildFields::SUCCESSORS;
        let mut from = 0;
        while from < looks.len() {
            let (mut moves, mut owners) = (Vec::new(), Vec::new());
            let mut to = from;
            // One role at a time: each follows a function of its own.
            while to < looks.len() && owners.len() < STRIDE && looks[to].role == looks[from].role {
                let look = &mut looks[to];
                look.first = self.values.len() + owners.len();
                let table = &mut tables[look.table];
                // The log-odds before the move.
                let sum = self.manner.seats[look.role].map_or(0.0, |policy| policy.sum_of(&table.state));
                let mut joint = joints[look.table * roles..(look.table + 1) * roles].to_vec();
                for _ in 0..look.answers {
                    // What others choose at the same time is not to be known: they are given other moves than they make.
                    if look.answers > 1 {
                        for role in (0..roles).filter(|&role| role != look.role) {
                            joint[role] = table.legal[role][table.choices.below(table.legal[role].len())];
                        }
                    }
                    for &action in &look.moves {
                        joint[look.role] = action;
                        moves.extend_from_slice(&joint);
                        owners.push((look.table, look.role, sum));
                    }
                }
                to += 1;
            }
            let states: Vec<&State> = owners.iter().map(|&(table, ..)| &tables[table].state).collect();
            match self.frontiers[looks[from].role].is_some() {
                true => self.value_in_lanes(&states, &moves, looks[from].role)?,
                false => {
                    self.expander.advance(&states, &moves, wanted, &mut self.children)?;
                    self.watch.spend(owners.len() as u64)?;
                    for (child, &(table, role, sum)) in owners.iter().enumerate() {
                        let value = match (self.children.terminal(child), self.manner.seats[role]) {
                            (false, Some(policy)) => {
                                policy.share_after(sum, &tables[table].state.0, self.children.state(child))
                            }
                            _ => self.worth(child, role),
                        };
                        self.values.push(value);
                    }
                }
            }
            let backed = match self.manner.answered {
                true => self.look_at_answers(&states, &moves, &looks[from..to])?,
                false => Vec::new(),
            };
            // What each role would have had of the best move, where a random one is played.
            let exploring: Vec<&Look> = looks[from..to].iter().filter(|look| look.explores).collect();
            let best = |look: &&Look| {
                let values = &self.values[look.first..look.first + look.moves.len()];
                let best = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)));
                look.first - looks[from].first + best.unwrap_or(0)
            };
            let missed: Vec<usize> = exploring.iter().map(best).collect();
            let best_states: Vec<&State> = missed.iter().map(|&child| states[child]).collect();
            let best_moves: Vec<MoveId> =
                missed.iter().flat_map(|&child| moves[child * roles..(child + 1) * roles].to_vec()).collect();
            self.expander.advance(&best_states, &best_moves, wanted, &mut self.children)?;
            self.watch.spend(missed.len() as u64)?;
            for (look, backed) in looks[from..to].iter().zip(backed) {
                if let Some(last) = tables[look.table].played.backed.last_mut() {
                    *last = backed;
                }
            }
            for (child, look) in exploring.iter().enumerate() {
                let of_all = (0..roles).map(|role| self.worth(child, role)).collect();
                let played = &mut tables[look.table].played;
                let of_all = played
                    .backed
                    .last()
                    .and_then(|backed| Some(backed.as_ref()?.values.clone()))
                    .unwrap_or(of_all);
                if let Some(missed) = played.missed.last_mut() {
                    *missed = Some((look.role, of_all));
                }
            }
            from = to;
        }
        Ok(())
    }

    /// The same in lanes, for one role's looks.
    fn value_in_lanes(
        &mut self,
        states: &[&State],
        moves: &[MoveId],
        role: usize,
    ) -> Result<(), LearningError> {
        let Some(frontier) = &mut self.frontiers[role] else { return Ok(()) };
        let words: Vec<&[u64]> = states.iter().map(|state| &*state.0).collect();
        frontier.advance(&words, moves, &mut self.valued);
        self.spend(words.len() as u64)?;
        for child in 0..self.valued.children.len() {
            self.values.push(worth(&self.valued, child, role, self.manner.rewards));
        }
        Ok(())
    }

    /// Counts successors looked at in lanes.
    pub(super) fn spend(&mut self, successors: u64) -> Result<(), LearningError> {
        self.looked += successors;
        self.watch.spend(self.looked / IN_LANES)?;
        self.looked %= IN_LANES;
        Ok(())
    }

    /// What a role has of a successor, 0 to 1.
    fn worth(&self, child: usize, role: usize) -> f64 {
        if self.children.terminal(child) {
            return match shares(&self.children, child, self.manner.rewards) {
                Some(shares) => shares[role],
                None => 0.0,
            };
        }
        self.manner.seats[role]
            .map_or(0.5, |policy| policy.share(&policy.none_of.extended(self.children.state(child))))
    }

    /// Draws a role's move by the values of what comes after.
    fn choose(&self, look: &Look, table: &mut Table, joint: &mut [MoveId]) {
        if look.explores {
            return;
        }
        let count = look.moves.len();
        let mean = |place: usize| {
            let sum: f64 =
                (0..look.answers).map(|answer| self.values[look.first + answer * count + place]).sum();
            sum / look.answers as f64
        };
        let means: Vec<f64> = (0..count).map(mean).collect();
        let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = means.iter().map(|mean| ((mean - best) / TEMPERATURE).exp()).collect();
        let total: f64 = odds.iter().sum();
        let mut left = total * table.choices.below(GRAINS) as f64 / GRAINS as f64;
        let mut chosen = count - 1;
        for (place, odds) in odds.iter().enumerate() {
            if left < *odds {
                chosen = place;
                break;
            }
            left -= odds;
        }
        joint[look.role] = look.moves[chosen];
    }
}

/// The roles that have several moves, a bit for each of the first 64.
fn choosers(legal: &[Vec<MoveId>]) -> u64 {
    let several = legal.iter().take(64).enumerate().filter(|(_, legal)| legal.len() > 1);
    several.fold(0, |choosers, (role, _)| choosers | 1 << role)
}

/// What a role has of a successor that lanes valued for it, 0 to 1.
pub(super) fn worth(valued: &ValuedChildren, child: usize, role: usize, rewards: &[[i32; 2]]) -> f64 {
    match valued.children.terminal(child) {
        true => shares(&valued.children, child, rewards).map_or(0.0, |shares| shares[role]),
        false => valued.values[0][child],
    }
}

/// The roles' shares of their goal values at an end; none where one has not one value.
fn shares(children: &Children, child: usize, rewards: &[[i32; 2]]) -> Option<Vec<f64>> {
    let share = |(role, &rewards): (usize, &[i32; 2])| match *children.goals(child, role) {
        [goal] => Some(share_of(goal, rewards)),
        _ => None,
    };
    rewards.iter().enumerate().map(share).collect()
}

/// A goal value as a share of what lies between the least and the greatest.
pub(super) fn share_of(goal: i32, [least, most]: [i32; 2]) -> f64 {
    if most > least { f64::from(goal - least) / f64::from(most - least) } else { 0.5 }
}
