//! The charts of sequential tests.

use crate::arena::tournament::Course;

use super::super::super::layout::counted;
use super::super::super::tournament::verdict;
use super::super::charts::{RatioLine, tests};
use super::super::functions::Figure;
use super::super::results::SectionPart;
use super::TournamentResults;

/// The most pairings whose tests are drawn.
const TESTED: usize = 12;

/// The tests of each pairing.
pub(super) fn courses(results: &TournamentResults<'_>) -> Vec<SectionPart> {
    let Some(sprt) = results.plan.sprt else { return Vec::new() };
    let games: Vec<&str> = results.plan.games.iter().map(|game| game.name.as_str()).collect();
    let mut parts = vec![SectionPart::Text(format!(
        "Two tests run at the same time: each asks whether one player is better by {} rather than {} Elo. Their log-likelihood \
         ratios grow or fall with every round. At the upper dashed line that player is better, at the lower one it is not; \
         if both end at the lower one, the players are alike.",
        sprt.elo1, sprt.elo0
    ))];
    let mut groups: Vec<(&[String; 2], Vec<&Course>)> = Vec::new();
    for course in &results.courses {
        match groups.iter_mut().find(|(players, _)| *players == &course.players) {
            Some((_, of)) => of.push(course),
            None => groups.push((&course.players, vec![course])),
        }
    }
    let left = groups.len().saturating_sub(TESTED);
    for (players, of) in groups.iter().take(TESTED) {
        let [one, other] = *players;
        parts.push(SectionPart::Heading(format!("{one} against {other}")));
        let figure = |side: usize| {
            let line = |course: &&Course| RatioLine {
                title: course.game.clone(),
                series: games.iter().position(|game| *game == course.game).unwrap_or(0),
                ratios: course.ratios.iter().map(|ratios| ratios[side]).collect(),
            };
            let lines: Vec<RatioLine> = of.iter().map(line).collect();
            let title = format!("Test that {} is better", players[side]);
            Figure { drawing: tests(&lines, sprt.bounds(), &title), caption: title.clone() + ".", title }
        };
        parts.push(SectionPart::Figures(vec![figure(0), figure(1)]));
        let words = |course: &&Course| {
            let rounds = counted(course.ratios.len() as u64, "round", "rounds");
            let series = games.iter().position(|game| *game == course.game).unwrap_or(0);
            (series, format!("{}: {} after {rounds}", course.game, verdict(course.verdict)))
        };
        parts.push(SectionPart::Legend(of.iter().map(words).collect()));
    }
    if left > 0 {
        parts.push(SectionPart::Text(format!(
            "{} more in pairings.csv.",
            counted(left as u64, "pairing is", "pairings are")
        )));
    }
    parts
}
