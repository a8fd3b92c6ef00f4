//! Plays many games at once in which roles follow their models, so that their states are evaluated together.
//!
//! A role evaluates the states after its moves, and draws a move by these values. If replies are examined, the best
//! moves are evaluated again by the best reply to each. Without replies, both sides overlook all threats that need one
//! move, and the outcomes of such games say little about the states.

use std::ops::Range;

use rayon::prelude::*;

use crate::ground::Interrupted;
use crate::machine::lanes::frontier::{LaneFrontier, ValuedChildren};
use crate::machine::{ChildFields, Children, Expander, ExpansionLimits, Machine, MoveId, State};
use crate::simulate::{Choices, WorkLimit};

use super::super::error::LearningError;
use super::super::model::Model;
use super::game::{Backup, Decision, OngoingGame, PlaySettings, PlayedGame, draw_share, share_of};

/// Games that one thread plays, and those of them that go on at the same time.
const BATCH: u64 = 128;
const SIDE_BY_SIDE: usize = 64;

/// The number of successors in lanes that take as long as one that is evaluated alone (an estimate).
const IN_LANES: u64 = 32;

/// Successors that are valued between two checks of the interrupt.
const STRIDE: usize = 4096;

/// The temperature of the softmax: a move is `e` times as likely as one whose value is less by this share.
const TEMPERATURE: f64 = 0.02;

/// The most moves of a role whose replies are examined, and the most replies to all moves of a state (approximately).
const REPLIED_MOVES: usize = 8;
const REPLIES: usize = 128;

/// Replies that are valued together (approximately).
const REPLIES_TOGETHER: usize = 4096;

/// The number of replies that take as long as a successor in lanes (an estimate); all replies of a state are in one
/// pass.
const REPLIES_PER_SUCCESSOR: u64 = 4;

/// For each move the number of its decision and the index of its value. Also the states after the moves that were
/// evaluated by replies, by the number of the move, ascending.
type RepliedMoves = (Vec<(usize, usize)>, Vec<(usize, State)>);

/// Plays the games with these numbers on all threads.
pub(crate) fn play_games(
    machine: &dyn Machine,
    settings: &PlaySettings<'_>,
    numbers: Range<u64>,
    work_limit: &WorkLimit<'_>,
) -> Result<Vec<PlayedGame>, LearningError> {
    let batches: Vec<u64> = numbers.clone().step_by(BATCH as usize).collect();
    let played: Vec<Result<Vec<PlayedGame>, LearningError>> = batches
        .into_par_iter()
        .map(|first| Batch::new(machine, settings, work_limit)?.play(first..numbers.end.min(first + BATCH)))
        .collect();
    let mut all = Vec::new();
    for batch in played {
        all.extend(batch?);
    }
    Ok(all)
}

/// Games that one thread plays side by side. Each state that is valued counts as a unit of work.
struct Batch<'a> {
    machine: &'a dyn Machine,
    settings: &'a PlaySettings<'a>,
    work_limit: &'a WorkLimit<'a>,
    expander: Box<dyn Expander + 'a>,
    children: Children,
    /// The value of every successor for the role that decides.
    values: Vec<f64>,
    /// For each role the lanes that value successors by its model, if the game suits lanes.
    frontiers: Vec<Option<LaneFrontier<'a>>>,
    valued: ValuedChildren,
    /// Successors in lanes that are not counted as work yet.
    uncounted: u64,
}

impl<'a> Batch<'a> {
    fn new(
        machine: &'a dyn Machine,
        settings: &'a PlaySettings<'a>,
        work_limit: &'a WorkLimit<'a>,
    ) -> Result<Batch<'a>, Interrupted> {
        let frontier = |model: &Option<&Model>| match (model, machine.lanes()) {
            (Some(model), Some(program)) => {
                LaneFrontier::new(program, vec![model.in_lanes(program.network())]).map(Some)
            }
            _ => Ok(None),
        };
        Ok(Batch {
            machine,
            settings,
            work_limit,
            expander: machine.expander(),
            children: Children::default(),
            values: Vec::new(),
            frontiers: settings.models.iter().map(frontier).collect::<Result<_, Interrupted>>()?,
            valued: ValuedChildren::default(),
            uncounted: 0,
        })
    }

    fn roles(&self) -> usize {
        self.settings.models.len()
    }

    fn play(&mut self, numbers: Range<u64>) -> Result<Vec<PlayedGame>, LearningError> {
        // The initial state first.
        let begins: Vec<&State> = [self.machine.initial()].into_iter().chain(self.settings.plan).collect();
        self.expander.evaluate(&begins, ChildFields::ALL, &mut self.children)?;
        let mut legal = Vec::with_capacity(begins.len());
        for index in 0..begins.len() {
            let of_role = |role: usize| self.children.legal(index, role).to_vec();
            let of_roles: Vec<Vec<MoveId>> = (0..self.roles()).map(of_role).collect();
            if self.children.terminal(index) || of_roles.iter().any(Vec::is_empty) {
                return Ok(Vec::new());
            }
            legal.push(of_roles);
        }
        let first = numbers.start;
        let mut done: Vec<Option<PlayedGame>> = vec![None; (numbers.end - first) as usize];
        let mut waiting = numbers;
        let mut games: Vec<OngoingGame> = Vec::with_capacity(SIDE_BY_SIDE);
        loop {
            while games.len() < SIDE_BY_SIDE
                && let Some(number) = waiting.next()
            {
                let mut choices = Choices::new(self.settings.seed, number);
                let opening = choices.below(self.settings.opening as usize + 1) as u32;
                let on_plan = begins.len() > 1 && choices.below(2) == 1;
                let steps = if on_plan { choices.below(begins.len() - 1) } else { 0 };
                let index = steps + usize::from(on_plan);
                let (state, legal) = (begins[index].clone(), legal[index].clone());
                let (steps, record) = (steps as u32, PlayedGame::default());
                games.push(OngoingGame { number, state, legal, choices, opening, steps, record });
            }
            if games.is_empty() {
                break;
            }
            self.step(&mut games)?;
            games.retain_mut(|game| {
                let over = game.legal.is_empty();
                if over {
                    done[(game.number - first) as usize] = Some(std::mem::take(&mut game.record));
                }
                !over
            });
        }
        Ok(done.into_iter().flatten().collect())
    }

    /// Plays a joint move in every game.
    fn step(&mut self, games: &mut [OngoingGame]) -> Result<(), LearningError> {
        let roles = self.roles();
        let mut joints: Vec<MoveId> = Vec::with_capacity(games.len() * roles);
        let mut decisions = Vec::new();
        let in_lanes: Vec<bool> = self.frontiers.iter().map(Option::is_some).collect();
        for (number, game) in games.iter_mut().enumerate() {
            joints.extend(game.legal.iter().map(|legal| legal[game.choices.below(legal.len())]));
            game.push_decisions(number, self.settings, &in_lanes, &mut decisions);
            if game.opening == 0 && self.settings.records_states {
                game.record_state();
            }
        }
        decisions.sort_by_key(|decision| decision.role);
        self.value(games, &joints, &mut decisions)?;
        decisions.sort_by_key(|decision| (decision.game, decision.role));
        for decision in decisions.iter().filter(|decision| !decision.explores) {
            let chosen = self.choose(decision, &mut games[decision.game].choices);
            joints[decision.game * roles + decision.role] = chosen;
        }

        let states: Vec<&State> = games.iter().map(|game| &game.state).collect();
        self.expander.advance(&states, &joints, ChildFields::ALL, &mut self.children)?;
        self.work_limit.spend(games.len() as u64)?;
        for (child, game) in games.iter_mut().enumerate() {
            game.steps += 1;
            game.opening = game.opening.saturating_sub(1);
            game.state.0.copy_from_slice(self.children.state(child));
            for role in 0..roles {
                game.legal[role].clear();
                game.legal[role].extend_from_slice(self.children.legal(child, role));
            }
            let stuck = game.legal.iter().any(Vec::is_empty);
            if self.children.terminal(child) {
                game.record.outcome = shares(&self.children, child, self.settings.rewards);
            }
            if stuck || game.steps >= self.settings.max_steps {
                game.legal.clear();
            }
        }
        Ok(())
    }

    /// Values the successors of all moves under consideration.
    fn value(
        &mut self,
        games: &mut [OngoingGame],
        joints: &[MoveId],
        decisions: &mut [Decision],
    ) -> Result<(), LearningError> {
        self.values.clear();
        let mut from = 0;
        while from < decisions.len() {
            let (mut successors, mut moves) = (0, Vec::new());
            let mut to = from;
            // One role at a time: each follows a model of its own.
            while to < decisions.len() && successors < STRIDE && decisions[to].role == decisions[from].role {
                let decision = &mut decisions[to];
                decision.first = self.values.len() + successors;
                decision.push_successors(&mut games[decision.game], joints, &mut moves);
                successors += decision.successors();
                to += 1;
            }
            let decisions = &decisions[from..to];
            let of_decision =
                |decision: &Decision| std::iter::repeat_n(&games[decision.game].state, decision.successors());
            let states: Vec<&State> = decisions.iter().flat_map(of_decision).collect();
            match self.frontiers[decisions[0].role].is_some() {
                true => self.value_in_lanes(&states, &moves, decisions[0].role)?,
                false => self.value_alone(&states, &moves, decisions)?,
            }
            let backups = match self.settings.examines_replies {
                true => self.back_up_replies(&states, &moves, decisions)?,
                false => vec![None; decisions.len()],
            };
            let best = self.values_of_best(&states, &moves, decisions)?;
            for ((decision, backup), best) in decisions.iter().zip(backups).zip(best) {
                let record = &mut games[decision.game].record;
                if let (Some(best), Some(forgone)) = (best, record.forgone.last_mut()) {
                    let values = backup.as_ref().map_or(best, |backup| backup.values.clone());
                    *forgone = Some((decision.role, values));
                }
                if let Some(last) = record.backups.last_mut().filter(|_| self.settings.examines_replies) {
                    *last = backup;
                }
            }
            from = to;
        }
        Ok(())
    }

    fn value_alone(
        &mut self,
        states: &[&State],
        moves: &[MoveId],
        decisions: &[Decision],
    ) -> Result<(), LearningError> {
        let Some(model) = self.settings.models[decisions[0].role] else { return Ok(()) };
        self.expander.advance(states, moves, ChildFields::SUCCESSORS, &mut self.children)?;
        self.work_limit.spend(states.len() as u64)?;
        let mut child = 0;
        for decision in decisions {
            let before = states[child];
            let sum = model.sum_of(before);
            for _ in 0..decision.successors() {
                self.values.push(match self.children.terminal(child) {
                    true => self.share(child, decision.role),
                    false => model.share_after(sum, &before.0, self.children.state(child)),
                });
                child += 1;
            }
        }
        Ok(())
    }

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
            self.values.push(lane_share(&self.valued, child, role, self.settings.rewards));
        }
        Ok(())
    }

    /// Counts successors that were valued in lanes.
    fn spend(&mut self, successors: u64) -> Result<(), LearningError> {
        self.uncounted += successors;
        self.work_limit.spend(self.uncounted / IN_LANES)?;
        self.uncounted %= IN_LANES;
        Ok(())
    }

    /// For each decision that is made at random although values are known: each role's value of the best move.
    fn values_of_best(
        &mut self,
        states: &[&State],
        moves: &[MoveId],
        decisions: &[Decision],
    ) -> Result<Vec<Option<Vec<f64>>>, LearningError> {
        let roles = self.roles();
        let exploring: Vec<&Decision> = decisions.iter().filter(|decision| decision.explores).collect();
        let best = |decision: &&Decision| {
            let values = &self.values[decision.first..decision.first + decision.moves.len()];
            let best = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)));
            decision.first - decisions[0].first + best.unwrap_or(0)
        };
        let best: Vec<usize> = exploring.iter().map(best).collect();
        let best_states: Vec<&State> = best.iter().map(|&child| states[child]).collect();
        let best_moves: Vec<MoveId> =
            best.iter().flat_map(|&child| moves[child * roles..(child + 1) * roles].to_vec()).collect();
        self.expander.advance(&best_states, &best_moves, ChildFields::SUCCESSORS, &mut self.children)?;
        self.work_limit.spend(best.len() as u64)?;
        let mut children = 0..best.len();
        let of_decision = |decision: &Decision| {
            let child = if decision.explores { children.next()? } else { return None };
            Some((0..roles).map(|role| self.share(child, role)).collect())
        };
        Ok(decisions.iter().map(of_decision).collect())
    }

    /// A role's share of its goal value in a successor, 0 to 1.
    fn share(&self, child: usize, role: usize) -> f64 {
        if self.children.terminal(child) {
            return shares(&self.children, child, self.settings.rewards).map_or(0.0, |shares| shares[role]);
        }
        let model = self.settings.models[role];
        model.map_or(0.5, |model| model.share(&model.none_of.extended(self.children.state(child))))
    }

    /// Draws a role's move by the softmax of the values of its successors.
    fn choose(&self, decision: &Decision, choices: &mut Choices) -> MoveId {
        let count = decision.moves.len();
        let mean = |index: usize| {
            let values = (0..decision.draws).map(|draw| self.values[decision.first + draw * count + index]);
            values.sum::<f64>() / decision.draws as f64
        };
        let means: Vec<f64> = (0..count).map(mean).collect();
        let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = means.iter().map(|mean| ((mean - best) / TEMPERATURE).exp()).collect();
        let mut left = odds.iter().sum::<f64>() * draw_share(choices);
        for (index, odds) in odds.iter().enumerate() {
            if left < *odds {
                return decision.moves[index];
            }
            left -= odds;
        }
        decision.moves[count - 1]
    }

    /// Values the best moves of each decision again, by the reply that is worst for the role that decides. Other moves
    /// get at most the least of these values. Returns for each decision its backed-up values; none if no reply was
    /// examined. All decisions are of one role; `states` and `moves` lead to the successors of all of them.
    fn back_up_replies(
        &mut self,
        states: &[&State],
        moves: &[MoveId],
        decisions: &[Decision],
    ) -> Result<Vec<Option<Backup>>, LearningError> {
        let mut backups = vec![None; decisions.len()];
        let role = decisions[0].role;
        if self.frontiers[role].is_none() {
            return Ok(backups);
        }
        let (moves, states) = self.value_replies(states, moves, decisions)?;
        let roles = self.roles();
        let of_all = |value: f64| -> Vec<f64> {
            (0..roles).map(|other| if other == role { value } else { 1.0 - value }).collect()
        };
        let mut end = 0;
        for of_decision in moves.chunk_by(|(one, _), (other, _)| one == other) {
            let begin = end;
            end += of_decision.len();
            let (number, decision) = (of_decision[0].0, &decisions[of_decision[0].0]);
            let values = of_decision.iter().map(|&(_, index)| self.values[index]);
            let (worst, best) = values
                .fold((1.0, 0.0), |(worst, best), value| (f64::min(worst, value), f64::max(best, value)));
            for index in decision.first..decision.first + decision.moves.len() {
                if !of_decision.iter().any(|&(_, of)| of == index) {
                    self.values[index] = self.values[index].min(worst);
                }
            }
            let drawn = begin + decision.sibling % of_decision.len();
            let sibling = states.binary_search_by_key(&drawn, |&(number, _)| number).ok();
            let value = self.values[moves[drawn].1];
            let sibling = sibling.map(|index| (states[index].1.clone(), of_all(value)));
            backups[number] = Some(Backup { values: of_all(best), sibling });
        }
        Ok(backups)
    }

    /// Values the best moves of decisions by the replies to them.
    fn value_replies(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        decisions: &[Decision],
    ) -> Result<RepliedMoves, LearningError> {
        let roles = self.roles();
        let (role, base) = (decisions[0].role, decisions[0].first);
        let mut moves: Vec<(usize, usize)> = Vec::new();
        for (number, decision) in decisions.iter().enumerate().filter(|(_, decision)| decision.draws == 1) {
            let most = (REPLIES / decision.moves.len().max(1)).min(REPLIED_MOVES);
            if most < 2 {
                continue;
            }
            let mut best: Vec<usize> = (decision.first..decision.first + decision.moves.len()).collect();
            best.sort_by(|&a, &b| self.values[b].total_cmp(&self.values[a]).then(a.cmp(&b)));
            moves.extend(best.into_iter().take(most).map(|index| (number, index)));
        }
        let before: Vec<&State> = moves.iter().map(|&(_, index)| states[index - base]).collect();
        let of_move =
            |&(_, index): &(usize, usize)| &joints[(index - base) * roles..(index - base + 1) * roles];
        let played: Vec<MoveId> = moves.iter().flat_map(of_move).copied().collect();
        let fields = ChildFields { choices: true, ..ChildFields::PLIES };
        self.expander.advance(&before, &played, fields, &mut self.children)?;
        self.spend(moves.len() as u64)?;
        // Not examined: moves that end the game, and states in which several roles choose at once, so that none
        // replies.
        let choosers = |child: usize| (0..roles).filter(|&other| self.children.chooses(child, other)).count();
        let open: Vec<usize> =
            (0..moves.len()).filter(|&child| !self.children.terminal(child) && choosers(child) < 2).collect();
        let words: Vec<&[u64]> = open.iter().map(|&child| self.children.state(child)).collect();
        let (mut valued, mut replies) = (0, 0);
        while valued < words.len() {
            let Some(frontier) = &mut self.frontiers[role] else { break };
            // A state with too many replies to list ends the pass; it and those after it keep their values.
            let Ok(expanded) = frontier.expand_each(
                ExpansionLimits::UNLIMITED,
                &words[valued..],
                REPLIES_TOGETHER,
                &mut self.valued,
            ) else {
                break;
            };
            for state in 0..expanded {
                if let Some(value) = backed_up_share(&self.valued, state, role, self.settings.rewards) {
                    self.values[moves[open[valued + state]].1] = value;
                }
            }
            replies += self.valued.children.len() as u64;
            self.work_limit.spend(0)?;
            valued += expanded.max(1);
        }
        let states = open[..valued.min(open.len())].iter().zip(&words);
        let states = states.map(|(&number, &words)| (number, State(words.into()))).collect();
        self.spend(replies / REPLIES_PER_SUCCESSOR)?;
        Ok((moves, states))
    }
}

/// A role's share of its goal value in a successor that lanes valued for it, 0 to 1.
fn lane_share(valued: &ValuedChildren, child: usize, role: usize, rewards: &[[i32; 2]]) -> f64 {
    match valued.children.terminal(child) {
        true => shares(&valued.children, child, rewards).map_or(0.0, |shares| shares[role]),
        false => valued.values[0][child],
    }
}

/// A role's share in a state in which at most one role chooses, from its children: the greatest if the role itself
/// chooses, the least if another one does; none without a child.
fn backed_up_share(valued: &ValuedChildren, state: usize, role: usize, rewards: &[[i32; 2]]) -> Option<f64> {
    let share = |child: usize| lane_share(valued, child, role, rewards);
    let mut children = valued.of(state);
    let own = |child: usize| valued.children.joint(child)[role];
    let chooses = children.clone().any(|child| own(child) != own(children.start));
    let worst_or_best = if chooses { f64::max } else { f64::min };
    let first = share(children.next()?);
    Some(children.map(share).fold(first, worst_or_best))
}

/// The roles' shares of their goal values in a terminal state; none if a role does not have exactly one goal value.
fn shares(children: &Children, child: usize, rewards: &[[i32; 2]]) -> Option<Vec<f64>> {
    let share = |(role, &rewards): (usize, &[i32; 2])| match *children.goals(child, role) {
        [goal] => Some(share_of(goal, rewards)),
        _ => None,
    };
    rewards.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::model::Model;
    use super::super::super::model::none_of::NoneOf;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, JointMoves, load};

    /// A model without weights that examines replies never leaves the other side a row to complete if it can be
    /// avoided; one that does not examine them leaves many.
    #[test]
    fn replies_show_threats() {
        let description = read(&Source::load("../../games/tic_tac_toe.kif").unwrap()).description.unwrap();
        let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
        let machine = &*loaded.machine;
        let none_of = Arc::new(NoneOf::new(machine.initial().0.len(), Vec::new()));
        let model = Model::of_conjunctions(&none_of, Vec::new(), &[0; 128]);
        let overlooked = |examines_replies: bool| {
            let settings = PlaySettings {
                models: &[Some(&model), Some(&model)],
                plan: &[],
                opening: 0,
                noise: 0.0,
                max_steps: 20,
                rewards: &[[0, 100], [0, 100]],
                seed: 1,
                records_states: true,
                examines_replies,
            };
            let games = play_games(machine, &settings, 0..100, &WorkLimit::default()).unwrap();
            let mut expander = machine.expander();
            // Whether the side to move can win at once.
            let mut wins = |state: &State| {
                let mut children = Children::default();
                expander.expand(state, JointMoves::All, ChildFields::PLIES, &mut children).unwrap();
                (0..children.len()).any(|child| {
                    children.terminal(child) && (0..2).any(|role| children.goals(child, role) == [100])
                })
            };
            let mut left = 0;
            for game in &games {
                assert_eq!(game.states.len(), game.backups.len());
                for (index, pair) in game.states.windows(2).enumerate() {
                    let Some(backup) = &game.backups[index] else { continue };
                    let chooser = game.choosers[index].trailing_zeros() as usize;
                    // A backed-up value is kept: the other side has no row to complete.
                    assert!(backup.values[chooser] < 0.4 || !wins(&pair[1]), "{game:?}");
                }
                left += game.states.windows(2).filter(|pair| wins(&pair[1])).count();
            }
            left
        };
        let (with, without) = (overlooked(true), overlooked(false));
        assert!(with * 3 < without * 2, "{with} rows left open with replies, {without} without");
    }
}
