//! The results of a study of functions, over all games and by game, for every output format.

use std::collections::BTreeMap;

use crate::judge::{ENDS, Judgement, RoleVerdict, Verdict};
use crate::statistics::Mean;
use crate::statistics::interval::{Estimate, student};
use crate::study::{Entry, JudgedGame, Outcome};

/// The results of a construction over games and roles. Each game and role contributes the function that correlates best with
/// random outcomes.
pub(super) struct Construction {
    /// The kind, with its settings if there are any.
    pub(super) name: String,
    /// The number of games and roles in which enough playouts ended.
    pub(super) cases: usize,
    /// The mean goal minus that of `ends`, in goal points.
    pub(super) gain: Option<Estimate>,
    /// The number of cases in which its interval is above that of `ends`, and below.
    pub(super) apart: [u64; 2],
    /// The share of best moves minus that of `ends`.
    pub(super) moves: Option<f64>,
    /// The mean correlation with random and with guided outcomes.
    pub(super) correlations: [Option<f64>; 2],
    /// The mean calibration error, in goal points.
    pub(super) error: Option<f64>,
}

/// The results of a role of a game.
pub(super) struct GameRole<'a> {
    /// The game.
    pub(super) game: &'a str,
    /// The role.
    pub(super) role: &'a str,
    /// The mean goal value of random play.
    pub(super) random: Option<f64>,
    /// The mean goal value of `ends`, the player that sees only moves that end the game.
    pub(super) ends: Option<f64>,
    /// The function that plays best, with its mean goal value.
    pub(super) best: Option<(&'a str, Mean)>,
    /// The number of sampled states with an exact value, and of all sampled states.
    pub(super) solved: [u64; 2],
    /// The share of best moves of a random choice, and of the function in `best`.
    pub(super) moves: [Option<f64>; 2],
    /// For each construction its gain, and whether the intervals are disjoint.
    pub(super) gains: BTreeMap<String, (f64, bool)>,
}

/// The judged games, in the order of the study.
pub(super) fn judged_games(entries: &[Entry]) -> impl Iterator<Item = &JudgedGame> {
    entries.iter().filter_map(|entry| match &entry.outcome {
        Outcome::Judged(found) => Some(&**found),
        Outcome::Broken(_) => None,
    })
}

/// The construction of a function: its kind, with its settings if there are any.
fn construction(judgement: &Judgement) -> String {
    match judgement.id.find(" (") {
        Some(start) => format!("{}{}", judgement.kind, &judgement.id[start..]),
        None => judgement.kind.clone(),
    }
}

/// For each construction, the role's function that correlates best with random outcomes. The choice and the measurement of
/// play use different samples, so that selection doesn't bias the result.
fn representatives<'v>(verdict: &'v Verdict, role: &RoleVerdict) -> BTreeMap<String, &'v Judgement> {
    let mut chosen: BTreeMap<String, &Judgement> = BTreeMap::new();
    let of_role = verdict.functions.iter().filter(|judgement| judgement.role == role.role);
    for judgement in of_role.filter(|judgement| judgement.id != ENDS && judgement.play.is_some()) {
        let score = |judgement: &Judgement| judgement.correlation().unwrap_or(f64::NEG_INFINITY);
        let known = chosen.entry(construction(judgement)).or_insert(judgement);
        if score(judgement) > score(known) {
            *known = judgement;
        }
    }
    chosen
}

fn ends<'v>(verdict: &'v Verdict, role: &RoleVerdict) -> Option<&'v Judgement> {
    verdict.functions.iter().find(|judgement| judgement.role == role.role && judgement.id == ENDS)
}

/// The least number of playouts against random play for a mean. With a small budget, only short games end, and they are not
/// representative.
pub(super) const MIN_PLAYOUTS: u64 = 30;

/// The mean goal against random play, if enough playouts ended.
fn mean_goal(judgement: &Judgement) -> Option<Mean> {
    judgement.play.as_ref().filter(|play| play.playouts >= MIN_PLAYOUTS)?.goal
}

/// The measurements of a construction, one value for each game and role.
#[derive(Default)]
struct ConstructionSamples {
    /// The mean goal minus that of `ends`, in goal points.
    gains: Vec<f64>,
    better: u64,
    worse: u64,
    /// The share of best moves minus that of `ends`.
    moves: Vec<f64>,
    random: Vec<f64>,
    guided: Vec<f64>,
    error: Vec<f64>,
}

/// The constructions, greatest gain first.
pub(super) fn constructions(entries: &[Entry]) -> Vec<Construction> {
    let mut summaries: BTreeMap<String, ConstructionSamples> = BTreeMap::new();
    for JudgedGame { verdict, .. } in judged_games(entries) {
        for role in &verdict.roles {
            let Some(ends) = ends(verdict, role) else { continue };
            for (construction, judgement) in representatives(verdict, role) {
                summaries.entry(construction).or_default().add(judgement, ends, role);
            }
        }
    }
    let mean = |values: &[f64]| student(values).map(|estimate| estimate.value);
    let mut list: Vec<(String, ConstructionSamples)> = summaries.into_iter().collect();
    list.sort_by(|a, b| mean(&b.1.gains).unwrap_or(0.0).total_cmp(&mean(&a.1.gains).unwrap_or(0.0)));
    let of = |(name, summary): (String, ConstructionSamples)| Construction {
        name,
        cases: summary.gains.len(),
        gain: student(&summary.gains),
        apart: [summary.better, summary.worse],
        moves: mean(&summary.moves),
        correlations: [mean(&summary.random), mean(&summary.guided)],
        error: mean(&summary.error),
    };
    list.into_iter().map(of).collect()
}

/// Whether the whole interval of `below` is below that of `above`; false if an interval is unknown.
fn is_below(below: Mean, above: Mean) -> bool {
    below.high.zip(above.low).is_some_and(|(high, low)| high < low)
}

/// The results of each game and role.
pub(super) fn game_roles(entries: &[Entry]) -> Vec<GameRole<'_>> {
    let mut rows = Vec::new();
    for JudgedGame { game, verdict } in judged_games(entries) {
        for role in &verdict.roles {
            let of_role = verdict.functions.iter().filter(|judgement| judgement.role == role.role);
            let score = |judgement: &Judgement| mean_goal(judgement).map(|goal| goal.mean);
            let played = of_role.filter(|judgement| judgement.id != ENDS && mean_goal(judgement).is_some());
            let best = played.reduce(|a, b| if score(b) > score(a) { b } else { a });
            let share = best.and_then(|best| best.exact.as_ref()).map(|exact| exact.best.share);
            let sees_ends = ends(verdict, role).and_then(mean_goal);
            let gain = |(name, judgement): (String, &Judgement)| {
                let (own, other) = mean_goal(judgement).zip(sees_ends)?;
                Some((name, (own.mean - other.mean, is_below(own, other) || is_below(other, own))))
            };
            rows.push(GameRole {
                game: &game.name,
                role: &role.role,
                random: role.random.map(|random| random.value),
                ends: sees_ends.map(|goal| goal.mean),
                best: best.and_then(|best| Some((best.id.as_str(), mean_goal(best)?))),
                solved: [role.solved, verdict.states],
                moves: [role.chance, share.filter(|_| role.choices > 0)],
                gains: representatives(verdict, role).into_iter().filter_map(gain).collect(),
            });
        }
    }
    rows
}

impl ConstructionSamples {
    fn add(&mut self, judgement: &Judgement, ends: &Judgement, role: &RoleVerdict) {
        if let (Some(own), Some(other)) = (mean_goal(judgement), mean_goal(ends)) {
            self.gains.push(own.mean - other.mean);
            self.better += u64::from(is_below(other, own));
            self.worse += u64::from(is_below(own, other));
        }
        if let (Some(own), Some(other), true) = (&judgement.exact, &ends.exact, role.choices > 0) {
            self.moves.push(own.best.share - other.best.share);
        }
        self.random.extend(judgement.correlation());
        self.guided
            .extend(judgement.guided.first().and_then(|all| all.pearson).map(|estimate| estimate.value));
        self.error.extend(judgement.calibration.as_ref().map(|calibration| calibration.error));
    }
}
