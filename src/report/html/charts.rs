//! The charts of pages.

use crate::analysis::{CalibrationBin, StepCount};
use crate::simulate::{LengthBin, RoleStatistics};

use super::super::layout::{counted, percent, significant};
use super::markup::Markup;
use super::palette::COLOURS;
use super::plot::{Plot, PlotAxis, ends, pad};
use super::svg::{Svg, at};

/// Steps that a smaller share of the playouts reaches are not drawn.
const LEAST_SHARE: f64 = 0.02;

/// Longer names above an interval are cut to this number of characters.
const LONGEST_NAME: usize = 38;

/// The CSS classes of a series, given by its index.
fn series(number: usize) -> String {
    let colour = number % COLOURS;
    format!("c{colour} s{colour}")
}

/// Joins bins so that each one has whole rounds of this many joint moves; the first round begins with the first move.
fn whole_rounds(bins: &[LengthBin], round: u32) -> Vec<LengthBin> {
    let width = bins.iter().map(|bin| bin.to - bin.from + 1).max().unwrap_or(1);
    let width = (1..=round).map(|count| count * width).find(|width| width % round == 0).unwrap_or(width);
    let mut out: Vec<LengthBin> = Vec::new();
    for bin in bins {
        let number = bin.from.saturating_sub(1) / width;
        match out.last_mut().filter(|last| last.to == (number + 1) * width) {
            Some(last) => last.playouts += bin.playouts,
            None => out.push(LengthBin { from: number * width + 1, to: (number + 1) * width, ..*bin }),
        }
    }
    out
}

/// The histogram of the lengths of playouts. If turns alternate, a bin has whole rounds of this many joint moves: the role
/// that moves last is often the winner, so single moves would alternate between high and low bars.
pub(super) fn lengths(bins: &[LengthBin], round: Option<u32>) -> Markup {
    let joined = round.filter(|&round| round > 1 && bins.len() > 1).map(|round| whole_rounds(bins, round));
    let bins = joined.as_deref().unwrap_or(bins);
    let Some((first, last)) = bins.first().zip(bins.last()) else { return Markup::default() };
    if first.from == last.to {
        // The caption says the only length.
        return Markup::default();
    }
    let most = bins.iter().map(|bin| bin.playouts).max().unwrap_or(0) as f64;
    let half = 0.5;
    let x =
        PlotAxis { title: "joint moves", ends: [f64::from(first.from) - half, f64::from(last.to) + half] };
    let y = PlotAxis { title: "playouts", ends: [0.0, most * 1.05] };
    let mut plot = Plot::new("histogram of the lengths of random playouts", &x, &y);
    for bin in bins {
        let [left, top] = plot.at(f64::from(bin.from) - half, bin.playouts as f64);
        let [right, floor] = plot.at(f64::from(bin.to) + half, 0.0);
        let moves =
            if bin.from == bin.to { bin.from.to_string() } else { format!("{} to {}", bin.from, bin.to) };
        let title = format!("{moves} joint moves: {}", counted(bin.playouts, "playout", "playouts"));
        let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
        plot.svg.rect("bar c0", [left + gap / 2.0, top], [right - left - gap, floor - top], &title);
    }
    plot.svg.finish()
}

/// The mean number of legal moves by step for each role; `None` if too few playouts reach any step.
pub(super) fn branching(steps: &[StepCount], roles: &[String]) -> Option<Markup> {
    let all = steps.first()?.playouts as f64;
    let enough = steps.iter().take_while(|step| step.playouts as f64 >= all * LEAST_SHARE).count();
    let steps = &steps[..enough];
    let most = ends(steps.iter().flat_map(|step| step.moves.iter().copied()))[1];
    let x = PlotAxis { title: "joint moves played before", ends: [0.0, (enough.max(2) - 1) as f64] };
    let y = PlotAxis { title: "legal moves, mean", ends: [0.0, most * 1.05] };
    let mut plot = Plot::new("mean number of legal moves by step, for each role", &x, &y);
    for role in 0..roles.len() {
        // If roles take turns, only those with a choice are drawn at a step.
        let waits = |step: &StepCount| step.moves[role] <= 1.0 && step.moves.iter().any(|&other| other > 1.0);
        let drawn = steps.iter().enumerate().filter(|(_, count)| !waits(count));
        let points: Vec<[f64; 2]> =
            drawn.map(|(step, count)| plot.at(step as f64, count.moves[role])).collect();
        plot.svg.polyline(&format!("line {}", series(role)), &points);
        if points.len() <= 60 {
            points
                .iter()
                .for_each(|&point| plot.svg.circle(&format!("point {}", series(role)), point, 2.2, ""));
        }
    }
    Some(plot.svg.finish())
}

/// The shares of goal values at the end for each role, with their intervals.
pub(super) fn goals(roles: &[RoleStatistics]) -> Markup {
    let values = ends(roles.iter().flat_map(|role| role.goals.iter().map(|goal| f64::from(goal.value))));
    let [low, high] = [values[0].min(0.0), values[1].max(100.0)];
    let shares = roles.iter().flat_map(|role| role.goals.iter().map(|goal| goal.share.high * 100.0));
    let x = PlotAxis { title: "goal value", ends: pad([low, high], 0.07) };
    let y = PlotAxis { title: "share of playouts, %", ends: [0.0, (ends(shares)[1] * 1.05).min(100.0)] };
    let mut plot = Plot::new("shares of goal values at the end of random playouts, for each role", &x, &y);
    let different: std::collections::BTreeSet<i32> =
        roles.iter().flat_map(|role| role.goals.iter().map(|goal| goal.value)).collect();
    let width = (300.0 / (roles.len() * different.len().max(3)) as f64).clamp(2.0, 26.0);
    for (number, role) in roles.iter().enumerate() {
        let shift = width * (number as f64 - (roles.len() as f64 - 1.0) / 2.0);
        for goal in &role.goals {
            let [x, top] = plot.at(f64::from(goal.value), goal.share.share * 100.0);
            let [_, floor] = plot.at(0.0, 0.0);
            let title = format!(
                "{}, goal {}: {} ({} to {})",
                role.role,
                goal.value,
                percent(goal.share.share),
                percent(goal.share.low),
                percent(goal.share.high)
            );
            let class = format!("bar {}", series(number));
            let left = x + shift - width / 2.0;
            plot.svg.rect(&class, [left + 0.5, top], [width - 1.0, floor - top], &title);
            let [low, high] = [goal.share.low, goal.share.high].map(|end| plot.at(0.0, end * 100.0)[1]);
            plot.svg.line("whisker", [x + shift, low], [x + shift, high]);
        }
    }
    plot.svg.finish()
}

/// A row of a chart of intervals.
pub(super) struct IntervalRow {
    pub(super) name: String,
    /// The number of the series that gives the colour.
    pub(super) series: usize,
    pub(super) value: f64,
    pub(super) ends: Option<[f64; 2]>,
}

/// Numbers with their intervals, one below another.
pub(super) fn intervals(rows: &[IntervalRow], title: &str, range: [f64; 2]) -> Markup {
    let (width, row, left, right) = (440.0, 40.0, 14.0, 14.0);
    let height = 12.0 + row * rows.len() as f64 + 38.0;
    let mut svg = Svg::new("plot", [width, height], title);
    let span = (range[1] - range[0]).max(1e-9);
    let x = |value: f64| left + (width - left - right) * ((value - range[0]) / span).clamp(0.0, 1.0);
    let floor = height - 34.0;
    // With this number of steps between ticks, ticks are round numbers, and a symmetric range has one at 0.
    let ticks = if range[0] == -range[1] { 4 } else { 5 };
    for number in 0..=ticks {
        let tick = range[0] + span * f64::from(number) / f64::from(ticks);
        svg.line("grid", [x(tick), 6.0], [x(tick), floor]);
        let anchor = match number {
            0 => "number",
            last if last == ticks => "number end",
            _ => "number middle",
        };
        svg.text(anchor, [x(tick), floor + 14.0], &significant(tick));
    }
    svg.text("title middle", [width / 2.0, height - 4.0], title);
    for (number, entry) in rows.iter().enumerate() {
        let y = 12.0 + row * number as f64;
        let class = series(entry.series);
        let interval = entry.ends.map_or(String::new(), |[low, high]| format!(" ({low:.1} to {high:.1})"));
        let name: String = match entry.name.chars().count() > LONGEST_NAME {
            true => entry.name.chars().take(LONGEST_NAME).chain(['…']).collect(),
            false => entry.name.clone(),
        };
        svg.text("label", [left, y + 10.0], &format!("{name}: {:.1}{interval}", entry.value));
        if let Some([low, high]) = entry.ends {
            svg.line(&format!("interval {class}"), [x(low), y + 22.0], [x(high), y + 22.0]);
        }
        svg.circle(&format!("point {class}"), [x(entry.value), y + 22.0], 5.0, &entry.name);
    }
    svg.finish()
}

/// A dot of a scatter plot.
pub(super) struct Dot {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Whether it is highlighted.
    pub(super) strong: bool,
    pub(super) title: String,
}

/// A scatter plot; highlighted dots are drawn above the others.
pub(super) fn scatter(dots: &[Dot], x: &str, y: &str, ends: [[f64; 2]; 2]) -> Markup {
    let [x, y] = [PlotAxis { title: x, ends: ends[0] }, PlotAxis { title: y, ends: ends[1] }];
    let mut plot = Plot::new(&format!("{} by {}", y.title, x.title), &x, &y);
    for strong in [false, true] {
        for dot in dots.iter().filter(|dot| dot.strong == strong) {
            let class = if strong { "mark c0" } else { "mark weak c7" };
            let place = plot.at(dot.x, dot.y);
            plot.svg.circle(class, place, if strong { 4.0 } else { 3.0 }, &dot.title);
        }
    }
    plot.svg.finish()
}

/// The calibration of a function: the mean goal value by the mean value, for groups of states with similar values.
pub(super) fn calibration(bins: &[CalibrationBin], number: usize) -> Markup {
    let goals = bins.iter().flat_map(|bin| [bin.goal].into_iter().chain(bin.interval.into_iter().flatten()));
    let y = pad(ends(goals), 0.08);
    let x = pad(ends(bins.iter().map(|bin| bin.value)), 0.05);
    let axes = [
        PlotAxis { title: "value, in goal points", ends: x },
        PlotAxis { title: "mean goal value", ends: y },
    ];
    let mut plot = Plot::new("mean goal value by value", &axes[0], &axes[1]);
    // On the diagonal the value equals the goal value.
    let [low, high] = [x[0].max(y[0]), x[1].min(y[1])];
    if low < high {
        let diagonal = [plot.at(low, low), plot.at(high, high)];
        plot.svg.line("diagonal", diagonal[0], diagonal[1]);
    }
    let class = series(number);
    let points: Vec<[f64; 2]> = bins.iter().map(|bin| plot.at(bin.value, bin.goal)).collect();
    plot.svg.polyline(&format!("line {class}"), &points);
    for (bin, &point) in bins.iter().zip(&points) {
        if let Some([low, high]) = bin.interval {
            let [low, high] = [low, high].map(|end| plot.at(bin.value, end));
            plot.svg.line("whisker", low, high);
        }
        let title = format!("value {}: goal {:.1}", significant(bin.value), bin.goal);
        plot.svg.circle(&format!("point {class}"), point, 4.0, &title);
    }
    plot.svg.finish()
}

/// The values of functions during a game, with a cursor line for the script.
pub(super) fn courses(lines: &[(usize, &[Option<f64>])], states: usize) -> Markup {
    let values = lines.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    let x = PlotAxis { title: "joint moves played", ends: [0.0, (states.max(2) - 1) as f64] };
    let y = PlotAxis { title: "value, in goal points", ends: pad(ends(values), 0.05) };
    let mut plot = Plot::new("values of evaluation functions along the play", &x, &y);
    let [first, second] = [plot.at(0.0, 0.0)[0], plot.at(1.0, 0.0)[0]];
    plot.svg.data("first", &at(first));
    plot.svg.data("step", &format!("{:.4}", second - first));
    for (role, values) in lines {
        let known = values.iter().enumerate().filter_map(|(step, value)| Some((step as f64, (*value)?)));
        let points: Vec<[f64; 2]> = known.map(|(step, value)| plot.at(step, value)).collect();
        plot.svg.polyline(&format!("line {}", series(*role)), &points);
    }
    let [floor, ceiling] = plot.sides();
    plot.svg.line("cursor", [first, ceiling], [first, floor]);
    plot.svg.finish()
}

/// A line of a chart of sequential tests.
pub(super) struct RatioLine {
    /// The tooltip.
    pub(super) title: String,
    /// The number of the series that gives the colour.
    pub(super) series: usize,
    /// The log-likelihood ratio after each round.
    pub(super) ratios: Vec<f64>,
}

/// The log-likelihood ratios by round, with the bounds that end a test.
pub(super) fn tests(lines: &[RatioLine], bounds: [f64; 2], label: &str) -> Markup {
    let rounds = lines.iter().map(|line| line.ratios.len()).max().unwrap_or(0);
    let values = lines.iter().flat_map(|line| line.ratios.iter().copied()).chain(bounds);
    let x = PlotAxis { title: "rounds", ends: [0.0, rounds.max(1) as f64] };
    let y = PlotAxis { title: "log-likelihood ratio", ends: pad(ends(values), 0.06) };
    let mut plot = Plot::new(label, &x, &y);
    for bound in bounds {
        let ends = [0.0, rounds.max(1) as f64].map(|round| plot.at(round, bound));
        plot.svg.line("diagonal", ends[0], ends[1]);
    }
    for line in lines {
        let class = series(line.series);
        let points = line.ratios.iter().enumerate().map(|(round, &ratio)| plot.at(round as f64 + 1.0, ratio));
        let points: Vec<[f64; 2]> = [plot.at(0.0, 0.0)].into_iter().chain(points).collect();
        plot.svg.polyline(&format!("line {class}"), &points);
        if let Some(&end) = points.last() {
            plot.svg.circle(&format!("point {class}"), end, 4.0, &line.title);
        }
    }
    plot.svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_whole_rounds() {
        let bins: Vec<LengthBin> = (5..10)
            .map(|length| LengthBin { from: length, to: length, playouts: u64::from(length) })
            .collect();
        let joined = whole_rounds(&bins, 2);
        let list: Vec<[u64; 3]> =
            joined.iter().map(|bin| [bin.from.into(), bin.to.into(), bin.playouts]).collect();
        assert_eq!(list, [[5, 6, 11], [7, 8, 15], [9, 10, 9]]);
        let wide = [LengthBin { from: 1, to: 3, playouts: 1 }, LengthBin { from: 4, to: 6, playouts: 2 }];
        assert_eq!(whole_rounds(&wide, 2), [LengthBin { from: 1, to: 6, playouts: 3 }]);
    }
}
