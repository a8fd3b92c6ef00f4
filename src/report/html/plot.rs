//! Plots: a field with two axes and round ticks, in which charts draw.

use super::super::layout::grouped;
use super::svg::Svg;

/// The size of a plot; its text is readable on a phone.
const SIZE: [f64; 2] = [440.0, 270.0];

/// The margins for the numbers and titles of the axes.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 44.0;

/// The approximate number of ticks of an axis.
const TICKS: f64 = 5.0;

/// A field with its axes.
pub(super) struct Plot {
    pub(super) svg: Svg,
    x: [f64; 2],
    y: [f64; 2],
    size: [f64; 2],
}

/// An axis: its title and the least and greatest number on it.
pub(super) struct PlotAxis<'a> {
    pub(super) title: &'a str,
    pub(super) ends: [f64; 2],
}

impl Plot {
    /// An empty field.
    pub(super) fn new(label: &str, x: &PlotAxis<'_>, y: &PlotAxis<'_>) -> Plot {
        let svg = Svg::new("plot", SIZE, label);
        let mut plot = Plot { svg, x: widen(x.ends), y: widen(y.ends), size: SIZE };
        let (floor, ceiling) = (SIZE[1] - BOTTOM, TOP);
        for tick in ticks(plot.x) {
            let [at, _] = plot.at(tick, plot.y[0]);
            plot.svg.line("tick", [at, floor], [at, floor + 4.0]);
            plot.svg.text("number middle", [at, floor + 17.0], &number(tick));
        }
        for tick in ticks(plot.y) {
            let [_, at] = plot.at(plot.x[0], tick);
            plot.svg.line("grid", [LEFT, at], [SIZE[0] - RIGHT, at]);
            plot.svg.text("number end", [LEFT - 7.0, at + 4.0], &number(tick));
        }
        plot.svg.line("axis", [LEFT, floor], [SIZE[0] - RIGHT, floor]);
        plot.svg.text("title middle", [(LEFT + SIZE[0] - RIGHT) / 2.0, SIZE[1] - 7.0], x.title);
        plot.svg.text("title", [4.0, ceiling - 11.0], y.title);
        plot
    }

    /// The position of a point.
    pub(super) fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let share = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low);
        let [width, height] = [self.size[0] - LEFT - RIGHT, self.size[1] - TOP - BOTTOM];
        [LEFT + width * share(x, self.x), TOP + height * (1.0 - share(y, self.y))]
    }

    /// The bottom and the top of the field.
    pub(super) fn sides(&self) -> [f64; 2] {
        [self.size[1] - BOTTOM, TOP]
    }
}

/// Widens a range of length 0.
fn widen([low, high]: [f64; 2]) -> [f64; 2] {
    match low.is_finite() && high.is_finite() {
        true if high - low > 1e-9 => [low, high],
        true => [low - 0.5, high + 0.5],
        false => [0.0, 1.0],
    }
}

/// The round numbers in a range: 1, 2 or 5 times a power of ten apart.
fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let rough = (high - low) / TICKS;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    // Adding 0 removes the sign of a zero.
    (first..=last).map(|number| (number as f64 * step * 1e9).round() / 1e9 + 0.0).collect()
}

/// Formats a tick.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value >= 10_000.0 { grouped(value as u64) } else { format!("{value}") }
}

/// The least and the greatest number; 0 and 1 for an empty list.
pub(super) fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let found = values.filter(|value| value.is_finite());
    let [low, high] = found
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// Extends a range on both sides by this share of its length.
pub(super) fn pad([low, high]: [f64; 2], part: f64) -> [f64; 2] {
    let more = (high - low) * part;
    [low - more, high + more]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_in_the_range() {
        assert_eq!(ticks([0.0, 1.0]), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks([7.0, 42.0]), [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(ticks([-0.3, 0.25]), [-0.2, 0.0, 0.2]);
        assert_eq!(ticks(widen([5.0, 5.0])), [4.6, 4.8, 5.0, 5.2, 5.4]);
        assert_eq!(widen([f64::NAN, 1.0]), [0.0, 1.0]);
    }
}
