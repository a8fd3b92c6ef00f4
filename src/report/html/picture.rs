//! Draws states: boards with discs on their cells, or with weights.

use super::markup::{Markup, escaped};
use super::scene::{BoardScene, Frame, ObjectColour, Scene};
use super::shape::{Form, SIDE};
use super::svg::{Svg, at};

/// The most objects on one cell with separate places; more share the last place.
const APART: usize = 4;

/// The distance of the middle of a cell from the edge of a part of a drawing.
const PLANE_MARGIN: f64 = SIDE / 2.0 + 5.0;

/// The opacity of the greatest weight.
const STRONGEST: f64 = 0.6;

/// Draws a disc for each object once per page; boards copy them by number.
pub(super) fn symbols(scene: &Scene<'_>) -> Markup {
    let mut out = String::from("<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\">");
    for (number, thing) in scene.things.iter().enumerate() {
        let drawing = match thing.colour {
            None => "<circle class=\"hole\" cx=\"20\" cy=\"20\" r=\"5\"/>".to_owned(),
            Some(colour) => format!(
                "<g class=\"{}\"><circle class=\"{}\" cx=\"20\" cy=\"20\" r=\"16\"/><text class=\"sign\" \
                 x=\"20\" y=\"20\" font-size=\"{}\">{}</text></g>",
                match colour {
                    ObjectColour::Paint(paint) => format!("p-{}", paint.name()),
                    ObjectColour::Series(number) => format!("c{number}"),
                },
                if thing.is_mark { "ring" } else { "disc" },
                match thing.sign.chars().count() {
                    0..=1 => 19,
                    2 => 14,
                    _ => 12,
                },
                escaped(&thing.sign)
            ),
        };
        out.push_str(&format!("<symbol id=\"t{number}\" viewBox=\"0 0 40 40\">{drawing}</symbol>"));
    }
    Markup::of(out + "</svg>")
}

/// Draws a board of a state.
pub(super) fn board(scene: &Scene<'_>, number: usize, frame: &Frame) -> Markup {
    let board = &scene.boards[number];
    let label = format!("board {}", board.board().title());
    let mut svg = Svg::new("board", board.shape.size, &label);
    svg.data("board", &number.to_string());
    ground(&mut svg, board, |_| String::new());
    svg.group("things", "", |svg| {
        for (cell, things) in group_by_cell(&frame.boards[number]) {
            let middle = board.shape.cells[cell].1;
            for (place, thing) in things.iter().enumerate() {
                let (middle, side) = object_position(middle, place, things.len());
                svg.copy(&format!("t{thing}"), middle, side);
            }
        }
    });
    svg.finish()
}

/// The position and the size of one of several objects on a cell.
fn object_position([x, y]: [f64; 2], place: usize, of: usize) -> ([f64; 2], f64) {
    if of == 1 {
        return ([x, y], SIDE);
    }
    let place = place.min(APART - 1);
    let side = |far: bool| if far { SIDE / 4.4 } else { -SIDE / 4.4 };
    ([x + side(place % 2 == 1), y + side(place / 2 == 1)], SIDE * 0.55)
}

/// The occupied cells with their objects.
fn group_by_cell(standing: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let mut out: Vec<(usize, Vec<usize>)> = Vec::new();
    for pair in standing.chunks_exact(2) {
        match out.last_mut().filter(|last| last.0 == pair[0]) {
            Some(last) => last.1.push(pair[1]),
            None => out.push((pair[0], vec![pair[1]])),
        }
    }
    out
}

/// Draws the bands, lines, cells and labels of a board; `more` is appended to a cell's tooltip.
fn ground(svg: &mut Svg, board: &BoardScene<'_>, more: impl Fn(usize) -> String) {
    let shape = &board.shape;
    // The cells hide the inner half of a band.
    for band in &board.bands {
        svg.group(&band.class, &band.title, |svg| {
            for class in ["band-outline", "band"] {
                band.lines.iter().for_each(|line| svg.polyline(class, line));
            }
        });
    }
    for [from, to] in &shape.lines {
        svg.line("way", *from, *to);
    }
    for (number, (cell, middle)) in shape.cells.iter().enumerate() {
        let title = format!("{}{}", board.board().name(cell), more(number));
        outline(svg, shape.form, "cell", *middle, &title);
    }
    for label in &shape.labels {
        svg.text(label.class, label.at, &label.text);
    }
}

fn outline(svg: &mut Svg, form: Form, class: &str, [x, y]: [f64; 2], title: &str) {
    match form {
        Form::Square => svg.rect(class, [x - SIDE / 2.0, y - SIDE / 2.0], [SIDE, SIDE], title),
        Form::Point => svg.circle(class, [x, y], SIDE * 0.45, title),
        Form::Hexagon => {
            let radius = SIDE / 3.0_f64.sqrt();
            let corner = |number: u32| {
                let (sin, cos) = (std::f64::consts::FRAC_PI_3 * (f64::from(number) + 0.5)).sin_cos();
                [x + radius * cos, y + radius * sin]
            };
            svg.polygon(class, &(0..6).map(corner).collect::<Vec<_>>(), title);
        }
    }
}

/// Draws a board with a value on some cells, in goal points. Those above `middle` have one colour, those below another one.
pub(super) fn heat_map(board: &BoardScene<'_>, of: &[Option<f64>], middle: f64, label: &str) -> Markup {
    let mut svg = Svg::new("board weights", board.shape.size, label);
    let text = |value: f64| format!("{value:.0}");
    ground(&mut svg, board, |cell| of[cell].map_or(String::new(), |value| format!(": {}", text(value))));
    let places =
        board.shape.cells.iter().zip(of).filter(|(_, value)| value.is_some()).map(|((_, at), _)| *at);
    let places: Vec<[f64; 2]> = places.collect();
    // Planes without a value would leave no room for the numbers.
    if board.has_planes() && 2 * places.len() <= of.len() {
        let end = |part: usize, sign: f64| {
            sign * places.iter().map(|at| sign * at[part]).fold(f64::NEG_INFINITY, f64::max)
        };
        let (left, top) = (end(0, -1.0) - PLANE_MARGIN, end(1, -1.0) - PLANE_MARGIN);
        let (right, below) = (end(0, 1.0) + PLANE_MARGIN, end(1, 1.0) + PLANE_MARGIN);
        svg.crop([left, top], [right - left, below - top]);
    }
    let greatest = of.iter().flatten().map(|value| (value - middle).abs()).fold(0.0, f64::max);
    for ((_, at), value) in board.shape.cells.iter().zip(of) {
        let Some(value) = value else { continue };
        shade(&mut svg, board.shape.form, value - middle, greatest, *at);
        svg.text("weight", [at[0], at[1] + 4.0], &text(*value));
    }
    svg.finish()
}

/// Shades a cell by a number relative to `greatest`.
fn shade(svg: &mut Svg, form: Form, number: f64, greatest: f64, middle: [f64; 2]) {
    let share = if greatest > 0.0 { STRONGEST * number.abs() / greatest } else { 0.0 };
    let class = if number < 0.0 { "less" } else { "more" };
    // Each step of a twentieth has a class, so that the drawing needs no inline style.
    let step = (share * 20.0).round();
    outline(svg, form, &format!("{class} o{}", at(step)), middle, "");
}

/// Draws a board with a number on each cell, shaded relative to `greatest`.
pub(super) fn weights(board: &BoardScene<'_>, of: &[Option<f64>], greatest: f64, label: &str) -> Markup {
    let mut svg = Svg::new("board weights", board.shape.size, label);
    let weight_text = |weight: f64| format!("{weight:+.1}").replace("+0.0", "0").replace("-0.0", "0");
    ground(&mut svg, board, |cell| {
        of[cell].map_or(String::new(), |weight| format!(": {}", weight_text(weight)))
    });
    for ((_, middle), weight) in board.shape.cells.iter().zip(of) {
        let Some(weight) = weight else { continue };
        shade(&mut svg, board.shape.form, *weight, greatest, *middle);
        svg.text("weight", [middle[0], middle[1] + 4.0], &weight_text(*weight));
    }
    svg.finish()
}
