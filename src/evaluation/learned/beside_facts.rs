//! Features that tell what weights of facts leave open: mobility, counts, quantities, whatever the game has features of.
//!
//! They are fitted when all rounds are over, beside what the facts say: the one first whose score (Rao 1948) is the greatest, its
//! weight by logistic regression with the facts' log-odds given, then the next one beside both. Each has to make the loss on games kept
//! back less.

use std::ops::ControlFlow;

use crate::feature::{BatchEvaluator, Family, Feature, FeatureBatch, FluentIndex};
use crate::machine::State;
use crate::machine::lanes::word::LANES;
use crate::simulate::Watch;
use crate::statistics::regression::Logistic;

use super::function::LearnedFeature;
use super::learn::Learner;
use super::levels::Levels;
use super::policy::Policy;

/// States that weights are fitted to, and states kept back that tell whether they help, at most; the last ones of each.
const FITTED: usize = 6_000;
const JUDGES: usize = 2_000;

/// Fewer states kept back tell nothing.
const FEWEST: usize = 200;

/// Features that are tried at most.
const CANDIDATES: usize = 400;

/// Features that do not help in vain before no more are tried.
const MISSES: usize = 20;

/// Weights beyond this, in log-odds, are of features that hardly change.
const GREATEST: f64 = 1e6;

/// The share of the loss on states kept back that has to be left at most.
const LESS: f64 = 0.9995;

/// A score, in standard deviations, that chance alone seldom gives any of the candidates.
const SCORE: f64 = 4.0;

/// Features with weights, and what the constant gains.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    pub(super) constant: f64,
    pub(super) features: Vec<LearnedFeature>,
}

impl Beside {
    /// The same for a role that gets what this one does not.
    pub(super) fn opposite(&self) -> Beside {
        let negated = |of: &LearnedFeature| LearnedFeature { weight: -of.weight, ..of.clone() };
        Beside { constant: -self.constant, features: self.features.iter().map(negated).collect() }
    }
}

/// A state that is fitted to, or told by.
struct Point {
    /// Log-odds so far.
    sum: f64,
    target: f64,
    /// The candidates' values.
    values: Vec<f64>,
}

impl Learner<'_> {
    /// Features beside what a role's policy says; none where nobody wants any, or it was interrupted.
    pub(super) fn beside(&self, role: usize, policy: &Policy) -> Beside {
        let most = self.parameters.features as usize;
        let judges = &self.samples.held_out;
        // The work of the rounds is done by now: nothing but an interrupt ends this early.
        let watch = Watch::new(self.context.interrupt);
        if most == 0 || judges.len() < FEWEST || watch.check().is_err() {
            return Beside::default();
        }
        let candidates = self.candidates();
        let last = |numbers: &[u32], most: usize| numbers[numbers.len().saturating_sub(most)..].to_vec();
        let points = |numbers: Vec<u32>| self.points(role, policy, &candidates, &numbers, &watch);
        let fitted = points(last(&self.samples.fitted, FITTED));
        let judges = points(last(judges, JUDGES));
        match (fitted, judges) {
            (Some(fitted), Some(judges)) => {
                chosen(&candidates, &policy.levels, (fitted, judges), most, &watch)
            }
            _ => Beside::default(),
        }
    }

    /// What may be chosen: features that lanes tell by sums, which cost next to nothing there, and that depend on the state alone.
    fn candidates(&self) -> Vec<Feature> {
        let fluent_index = FluentIndex::new(self.machine);
        let is_of_sums = |feature: &Feature| {
            let measure = feature.spec.bind_with(&fluent_index).ok();
            measure.and_then(|mut measure| measure.in_lanes()).is_some_and(|value| value.is_of_sums())
        };
        let usable = |feature: &&Feature| feature.family != Family::Novelty && is_of_sums(feature);
        self.features.iter().filter(usable).take(CANDIDATES).cloned().collect()
    }

    /// States with what a policy and the candidates say of them; none where the candidates can't be valued, or it was interrupted.
    fn points(
        &self,
        role: usize,
        policy: &Policy,
        candidates: &[Feature],
        numbers: &[u32],
        watch: &Watch<'_>,
    ) -> Option<Vec<Point>> {
        let width = self.machine.initial().0.len();
        let fluent_index = FluentIndex::new(self.machine);
        let mut batch = FeatureBatch::new(candidates, &fluent_index).ok()?;
        let mut evaluator = BatchEvaluator::new(self.machine);
        let mut points = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunks(LANES) {
            watch.check().ok()?;
            let states: Vec<State> =
                numbers.iter().map(|&number| State(self.samples.state(number)[..width].into())).collect();
            let mut numbers = numbers.iter();
            let mut values = Vec::new();
            let valued = evaluator.each(states.iter(), |position| {
                if let Some(&number) = numbers.next() {
                    batch.values(position, &mut values);
                    let sum = policy.sum(self.samples.state(number));
                    let target = self.samples.target(role, number);
                    points.push(Point { sum, target, values: values.clone() });
                }
                ControlFlow::Continue(())
            });
            valued.ok()?;
        }
        Some(points)
    }
}

/// The features that are worth a weight, one after another.
fn chosen(
    candidates: &[Feature],
    levels: &Levels,
    (mut fitted, mut judges): (Vec<Point>, Vec<Point>),
    most: usize,
    watch: &Watch<'_>,
) -> Beside {
    let mut beside = Beside::default();
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let mut before = loss(&judges, levels, |_| 0.0);
    let mut misses = 0;
    while beside.features.len() < most && misses < MISSES && watch.check().is_ok() {
        let scored = left.iter().map(|&number| (number, score(&fitted, levels, number)));
        let telling = scored.filter(|&(_, score)| score >= SCORE);
        let Some((number, _)) = telling.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))) else { break };
        left.retain(|&other| other != number);
        let points: Vec<(f64, f64, f64)> =
            fitted.iter().map(|point| (point.sum, point.values[number], point.target)).collect();
        let pull = |sum: f64, target: f64| (-levels.loss_slope(sum, target), levels.curvature(sum));
        let curve = Logistic::beside_by(&points, pull);
        let more = |point: &Point| curve.log_odds(point.values[number]);
        let now = loss(&judges, levels, more);
        let (weight, mean) = (curve.slope / curve.spread, curve.centre);
        let helps = now <= before * LESS && weight.abs() <= GREATEST;
        if !helps {
            misses += 1;
            continue;
        }
        fitted.iter_mut().chain(&mut judges).for_each(|point| point.sum += more(point));
        before = now;
        beside.constant += curve.level;
        beside.features.push(LearnedFeature { weight, mean, feature: candidates[number].clone() });
    }
    beside
}

/// By how many standard errors what is left goes with a feature. Targets that are values of later states leave far less than the
/// variance of an outcome, so the error is that of what is left itself (White 1980).
fn score(points: &[Point], levels: &Levels, number: usize) -> f64 {
    let (mut weights, mut mean) = (0.0, 0.0);
    for point in points {
        let weight = levels.curvature(point.sum);
        weights += weight;
        mean += weight * point.values[number];
    }
    if weights <= 0.0 {
        return 0.0;
    }
    mean /= weights;
    let (mut with, mut variance) = (0.0, 0.0);
    for point in points {
        let each = -levels.loss_slope(point.sum, point.target) * (point.values[number] - mean);
        with += each;
        variance += each * each;
    }
    if variance > 1e-12 { with.abs() / variance.sqrt() } else { 0.0 }
}

/// The mean log loss, in nats, with so many log-odds more for each state.
fn loss(points: &[Point], levels: &Levels, more: impl Fn(&Point) -> f64) -> f64 {
    let of = |point: &Point| levels.loss(point.sum + more(point), point.target);
    points.iter().map(of).sum::<f64>() / points.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::levels::Level;
    use super::*;
    use crate::feature::Spec;
    use crate::simulate::Choices;
    use crate::statistics::regression::sigmoid;

    fn candidates() -> Vec<Feature> {
        let feature = |id: &str| Feature {
            id: id.to_owned(),
            family: Family::Mobility,
            role: None,
            formula: id.to_owned(),
            range: [0.0, 10.0],
            beyond_source: false,
            spec: Spec::Moves { role: id.to_owned(), noops: Vec::new() },
        };
        ["noise", "telling", "known", "constant"].map(feature).into()
    }

    /// States in which facts tell of one feature already, another tells as much again, and nothing else tells anything.
    fn points(seed: u64) -> Vec<Point> {
        let mut choices = Choices::new(seed, 0);
        let mut point = || {
            let [noise, telling, known] = [(); 3].map(|()| choices.below(10) as f64);
            let sum = 0.4 * (known - 4.5);
            let share = sigmoid(0.3 + sum - 0.5 * (telling - 3.0));
            let target = f64::from(choices.below(1_000_000) as f64 / 1e6 < share);
            Point { sum, target, values: vec![noise, telling, known, 7.0] }
        };
        (0..3_000).map(|_| point()).collect()
    }

    #[test]
    fn what_tells_more_than_facts_is_found_and_nothing_else() {
        let none = Levels::default();
        let found = chosen(&candidates(), &none, (points(1), points(2)), 9, &Watch::default());
        let [only] = &found.features[..] else { panic!("{found:?}") };
        assert_eq!(only.feature.id, "telling");
        assert!((only.weight + 0.5).abs() < 0.05, "{found:?}");
        let at_three = found.constant + only.weight * (3.0 - only.mean);
        assert!((at_three - 0.3).abs() < 0.15, "{found:?}");
        let other = found.opposite();
        assert_eq!((other.constant, other.features[0].weight), (-found.constant, -only.weight));
        let nothing = chosen(&candidates(), &none, (points(1), points(2)), 0, &Watch::default());
        assert!(nothing.features.is_empty());
    }

    /// The same where sums stand for levels: the weight is that within them.
    #[test]
    fn weights_are_those_within_levels() {
        let level = |threshold| Level { share: 0.5, threshold };
        let levels = Levels(vec![level(-2.0), level(2.0)]);
        let drawn = |seed: u64| {
            let (mut points, mut choices) = (points(seed), Choices::new(seed, 1));
            for point in &mut points {
                let sum = 0.3 + point.sum - 0.5 * (point.values[1] - 3.0);
                let passed = choices.below(1_000_000) as f64 / 1e6;
                let passes = |level: &&Level| passed < sigmoid(sum - level.threshold);
                point.target = levels.0.iter().filter(passes).count() as f64 / 2.0;
            }
            points
        };
        let found = chosen(&candidates(), &levels, (drawn(1), drawn(2)), 9, &Watch::default());
        let [only] = &found.features[..] else { panic!("{found:?}") };
        assert!(only.feature.id == "telling" && (only.weight + 0.5).abs() < 0.06, "{found:?}");
    }
}
