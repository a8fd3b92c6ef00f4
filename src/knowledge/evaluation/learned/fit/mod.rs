//! The fit of a round: makes new models from samples and the previous models. There is a model for each role, or one
//! model for two roles with opposed goals.

mod activations;
pub(crate) mod candidates;
mod classes;
mod descent;
pub(crate) mod mutex_groups;
pub(crate) mod pruning;
mod regression;
mod selection;
pub(crate) mod symmetries;
mod ties;

use std::collections::BTreeSet;

use super::error::LearningError;
use super::model::Model;
use super::model::conjunctions::Bits;
use super::schedule::Schedule;
use super::self_play::samples::Samples;
use super::task::Task;
use candidates::Candidates;
use classes::{Classes, with_images};
use regression::{FittedModel, LogisticRegression, residuals};
use selection::{Selection, varying};
use symmetries::{Image, Symmetries};
use ties::Ties;

/// Weights depend on whose turn it is if that reduces the validation loss to less than this share.
const BY_TURN: f64 = 0.995;

/// Symmetries that exchange the sides are used if the validation loss stays below this share of the loss without them.
/// The values of a state and of its image are always opposite. But weights that depend on which side began may predict
/// the states of actual play better.
const EXCHANGED: f64 = 1.005;

/// The rounds, from 0, in which either option is tried until it is accepted.
const TRIED: [u32; 3] = [1, 3, 5];

/// The most samples by which conjunctions are selected.
const SELECTED_BY: usize = 30_000;

/// Selected conjunctions that a round adds, as a share of their limit.
const ADDED: f64 = 0.34;

/// Conjunctions that are parts of goal conditions, as a share of their limit.
const FROM_GOALS: f64 = 0.5;

/// The inputs of a round's fit.
pub(super) struct ModelFit<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) schedule: &'a Schedule,
    pub(super) symmetries: &'a Symmetries,
    pub(super) candidates: &'a Candidates,
    pub(super) samples: &'a Samples,
    /// The share of the targets' variance that the last round's models explain.
    pub(super) explained: Option<f64>,
}

impl ModelFit<'_> {
    /// Fits a model for every role, beginning with the models before. Also returns the share of the targets' variance
    /// that they explain, averaged over the roles for which it is known.
    pub(super) fn models(
        &self,
        before: Option<&[Model]>,
    ) -> Result<(Vec<Model>, Option<f64>), LearningError> {
        let (opposed, roles) = (self.opposed(), self.task.rewards.len());
        let mut models = Vec::with_capacity(roles);
        let mut explained = Vec::new();
        for role in 0..if opposed { 1 } else { roles } {
            if !self.task.players.contains(&role) {
                models.push(Model::of_conjunctions(
                    &self.samples.none_of,
                    Vec::new(),
                    &self.samples.support(),
                ));
                continue;
            }
            let fitted = self.role(role, before.map(|before| &before[role]))?;
            explained.extend(fitted.explained);
            models.push(fitted.model);
        }
        if opposed {
            models.push(models[0].opposite());
        }
        let mean = (!explained.is_empty()).then(|| explained.iter().sum::<f64>() / explained.len() as f64);
        Ok((models, mean))
    }

    /// Whether there are two players with opposed goals.
    fn opposed(&self) -> bool {
        self.samples.opposed(self.task.players.len())
    }

    /// Fits a model for one role.
    fn role(&self, role: usize, before: Option<&Model>) -> Result<FittedModel, LearningError> {
        let start = self.start(role, before)?;
        let ties = match self.task.parameters.ties {
            true => Ties::new(self.task, &start.conjunctions, self.samples),
            false => Ties::default(),
        };
        let mut fitted = self.regression(role, start.clone(), &ties)?;
        let is_tried = TRIED.contains(&self.schedule.round);
        let exchanged = Model { exchanges_sides: true, ..start };
        if is_tried
            && !fitted.model.exchanges_sides
            && self.images(role, &exchanged).iter().any(|image| image.is_opposite)
        {
            fitted = better(fitted, self.regression(role, exchanged, &ties)?, EXCHANGED);
        }
        if is_tried
            && fitted.model.turn.is_none()
            && let Some(&fact) = self.turn_facts(role).first()
        {
            let by_turn = self.regression(role, fitted.model.clone().by_turn(fact), &ties)?;
            fitted = better(fitted, by_turn, BY_TURN);
        }
        Ok(fitted)
    }

    /// Fits the weights of a model.
    fn regression(&self, role: usize, start: Model, ties: &Ties) -> Result<FittedModel, LearningError> {
        let images = self.images(role, &start);
        let regression = LogisticRegression {
            samples: self.samples,
            role,
            ridge: self.task.parameters.ridge,
            seed: self.task.parameters.seed ^ (u64::from(self.schedule.round) + 1),
            states_per_unit: self.schedule.states_per_unit,
            classes: &Classes::new(start.conjunctions.list(), &images),
            is_even: images.iter().any(|image| image.is_opposite),
            ties,
            work_limit: self.task.work_limit,
        };
        Ok(regression.fit(start)?)
    }

    /// The bits of facts that show whose turn it is.
    fn turn_facts(&self, role: usize) -> Vec<u32> {
        if self.task.parameters.turns { self.samples.turn_facts.facts(role) } else { Vec::new() }
    }

    /// The images of a state's bits under the symmetries that a role's model uses.
    fn images(&self, role: usize, model: &Model) -> Vec<Image> {
        let turn_facts = self.turn_facts(role);
        let turn = model.turn.as_ref().map(|turn| (turn, &turn_facts[..]));
        let opposed = model.exchanges_sides && self.opposed();
        self.symmetries.images(role, opposed, &self.samples.none_of, turn)
    }

    /// The model that a fit begins with: the model of the previous round with added conjunctions, or in the last rounds
    /// with fewer terms.
    fn start(&self, role: usize, before: Option<&Model>) -> Result<Model, LearningError> {
        let support = self.samples.support();
        let mut bits = varying(&support, self.samples.len());
        let turn_facts = match before.and_then(|before| before.turn.as_ref()) {
            // If weights depend on whose turn it is, the facts that show the turn are redundant.
            Some(_) => self.turn_facts(role),
            None => Vec::new(),
        };
        bits.retain(|bit| !turn_facts.contains(bit));
        match before {
            None => {
                let facts = self.samples.facts(&bits).into_iter().map(|bit| Bits::from([bit])).collect();
                Ok(Model::of_conjunctions(&self.samples.none_of, facts, &support))
            }
            Some(before) if self.schedule.prunes() => Ok(self.pruned(role, before, &support)),
            Some(before) => {
                let own = before.conjunctions.list().iter();
                let own =
                    own.filter(|own| !own.iter().any(|bit| turn_facts.contains(bit))).cloned().collect();
                Ok(before.carried_over(self.grown(role, before, own, &bits)?, &support))
            }
        }
    }

    /// The conjunctions of a model: its own, and added ones (single facts, parts of goal conditions, and those that
    /// residuals select).
    fn grown(
        &self,
        role: usize,
        before: &Model,
        mut own: BTreeSet<Bits>,
        bits: &[u32],
    ) -> Result<Vec<Bits>, LearningError> {
        let ModelFit { task, samples, candidates, .. } = self;
        let [most_pairs, most_triples, most_open] = self.limits();
        let images = self.images(role, before);
        // The bit of a group depends on the facts of the group.
        let facts = samples.facts(bits);
        let singles: Vec<Bits> = facts.iter().map(|&bit| Bits::from([bit])).collect();
        own.extend(singles.iter().cloned());
        task.work_limit.spend(candidates.conjunctions.len() as u64)?;
        let open: BTreeSet<Bits> =
            with_images(candidates.open_parts(bits), &images, most_open).into_iter().collect();
        own.retain(|bits| !open.contains(bits));
        let limits = [(2, most_pairs), (3, most_triples)];
        for ((size, most), parts) in limits.into_iter().zip(candidates.parts(&facts)) {
            let room = most.saturating_sub(of_size(&own, size));
            let parts = with_images(parts, &images, (most as f64 * FROM_GOALS) as usize);
            let new: Vec<Bits> = parts.into_iter().filter(|part| !own.contains(part)).take(room).collect();
            own.extend(new);
        }
        // The last samples come from the best play.
        let numbers: Vec<u32> = samples.training.iter().rev().take(SELECTED_BY).copied().collect();
        let residuals = residuals(before, samples, role, &numbers, task.work_limit)?;
        let selection = Selection {
            samples,
            numbers: &numbers,
            residuals: &residuals,
            bits,
            images: &images,
            work_limit: task.work_limit,
        };
        let room = |size: usize, most: usize| {
            most.saturating_sub(of_size(&own, size)).min((most as f64 * ADDED).ceil() as usize)
        };
        let (pairs, triples) = (room(2, most_pairs), room(3, most_triples));
        let mut added = Vec::new();
        if pairs > 0 {
            added = selection.extend(singles, &own, pairs)?;
        }
        if triples > 0 && of_size(&own, 2) > 0 {
            let bases: Vec<Bits> = own.iter().filter(|bits| bits.len() == 2).cloned().collect();
            added.extend(selection.extend(bases, &own, triples)?);
        }
        own.extend(added);
        own.extend(open);
        Ok(own.into_iter().collect())
    }

    /// The most pairs, triples and open parts: those of the parameters, fewer if samples are too few for their weights.
    fn limits(&self) -> [usize; 3] {
        let parameters = self.task.parameters;
        let all = [parameters.pairs, parameters.triples, parameters.open];
        let total: f64 = all.iter().map(|&most| f64::from(most)).sum();
        let terms = affordable_terms(self.samples.games(), self.explained);
        all.map(|most| (f64::from(most) * (terms / total.max(1.0)).min(1.0)) as usize)
    }

    /// A role's model without the terms that change values least. `support` is the number of samples in which each bit
    /// is set.
    pub(super) fn pruned(&self, role: usize, model: &Model, support: &[u64]) -> Model {
        let images = self.images(role, model);
        let classes = Classes::new(model.conjunctions.list(), &images);
        pruning::prune(model, self.samples, support, &classes, self.task.network.two_input_gates())
    }
}

/// The number of conjunctions of a size.
fn of_size(conjunctions: &BTreeSet<Bits>, size: usize) -> usize {
    conjunctions.iter().filter(|bits| bits.len() == size).count()
}

/// The second of two fits if its validation loss is below a share of the first one's, else the first.
fn better(one: FittedModel, other: FittedModel, share: f64) -> FittedModel {
    if other.loss < one.loss * share { other } else { one }
}

/// The number of terms whose weights can be fitted to some games, if models explain a share of the targets' variance.
/// The weight of a useless term adds noise: `p` such weights and `n` games add `p / n` of the unexplained variance,
/// which is more than the explained variance if `p / n > explained / (1 - explained)`.
fn affordable_terms(games: usize, explained: Option<f64>) -> f64 {
    /// The number of terms for each game if half of the variance is explained. It is more than one, because the states
    /// of a game differ.
    const PER_GAME: f64 = 2.0;
    /// The least share that is assumed, because the first fits are to states of random games.
    const LEAST_EXPLAINED: f64 = 0.2;
    let explained = explained.unwrap_or(0.0).clamp(LEAST_EXPLAINED, 0.99);
    games as f64 * PER_GAME * explained / (1.0 - explained)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_games_that_explain_little_allow_few_terms() {
        assert_eq!(affordable_terms(500, Some(0.5)), 1000.0);
        assert_eq!(affordable_terms(500, Some(0.01)), 250.0, "at least a fifth is assumed");
        assert_eq!(affordable_terms(500, None), 250.0);
        assert!(affordable_terms(500, Some(1.0)) < 100_001.0);
    }
}
