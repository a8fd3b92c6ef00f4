//! Inline SVG drawings: a few shapes with classes; the style sheet sets their colours.

use std::fmt::Write;

use super::markup::{Markup, escaped};

/// A drawing with a size in its own units; on the page it fills the available width.
pub(super) struct Svg {
    open: String,
    body: String,
}

/// Formats a coordinate with at most one decimal.
pub(super) fn at(number: f64) -> String {
    let text = format!("{:.1}", if number.is_finite() { number } else { 0.0 });
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl Svg {
    /// An empty drawing; `label` is for screen readers.
    pub(super) fn new(class: &str, [width, height]: [f64; 2], label: &str) -> Svg {
        let [width, height] = [width, height].map(at);
        let label = escaped(label);
        let open = format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" style=\"--w:{width}\" role=\"img\" \
             aria-label=\"{label}\">"
        );
        Svg { open, body: String::new() }
    }

    /// Shows only a part of the drawing.
    pub(super) fn crop(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        let [x, y, width, height] = [x, y, width, height].map(at);
        if let (Some(view), Some(label)) = (self.open.find(" viewBox"), self.open.find(" role=")) {
            let part = format!(" viewBox=\"{x} {y} {width} {height}\" style=\"--w:{width}\"");
            self.open.replace_range(view..label, &part);
        }
    }

    /// Adds a data attribute to the drawing, for the script.
    pub(super) fn data(&mut self, name: &str, value: &str) {
        self.open.pop();
        let _ = write!(self.open, " data-{name}=\"{}\">", escaped(value));
    }

    pub(super) fn rect(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2], title: &str) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(at);
        let shape =
            format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.push_shape(&shape, "rect", title);
    }

    pub(super) fn circle(&mut self, class: &str, [x, y]: [f64; 2], radius: f64, title: &str) {
        let [x, y, radius] = [x, y, radius].map(at);
        self.push_shape(
            &format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\""),
            "circle",
            title,
        );
    }

    pub(super) fn line(&mut self, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(at);
        let _ =
            write!(self.body, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    pub(super) fn polygon(&mut self, class: &str, points: &[[f64; 2]], title: &str) {
        self.push_shape(
            &format!("<polygon class=\"{class}\" points=\"{}\"", point_list(points)),
            "polygon",
            title,
        );
    }

    pub(super) fn polyline(&mut self, class: &str, points: &[[f64; 2]]) {
        let _ = write!(self.body, "<polyline class=\"{class}\" points=\"{}\"/>", point_list(points));
    }

    pub(super) fn text(&mut self, class: &str, [x, y]: [f64; 2], text: &str) {
        let [x, y] = [x, y].map(at);
        let _ = write!(self.body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
    }

    /// Copies a symbol of the page into a square around a point.
    pub(super) fn copy(&mut self, name: &str, [x, y]: [f64; 2], side: f64) {
        let [x, y, side] = [x - side / 2.0, y - side / 2.0, side].map(at);
        let _ = write!(
            self.body,
            "<use href=\"#{name}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\"/>"
        );
    }

    /// Draws a group of shapes with a class, and with a tooltip if the title is not empty.
    pub(super) fn group(&mut self, class: &str, title: &str, draw: impl FnOnce(&mut Svg)) {
        let _ = write!(self.body, "<g class=\"{class}\">");
        if !title.is_empty() {
            let _ = write!(self.body, "<title>{}</title>", escaped(title));
        }
        draw(self);
        self.body.push_str("</g>");
    }

    pub(super) fn finish(self) -> Markup {
        Markup::of(self.open + &self.body + "</svg>")
    }

    /// Appends a shape; the title is its tooltip, unless it is empty.
    fn push_shape(&mut self, shape: &str, name: &str, title: &str) {
        match title {
            "" => self.body.push_str(&format!("{shape}/>")),
            title => {
                let _ = write!(self.body, "{shape}><title>{}</title></{name}>", escaped(title));
            }
        }
    }
}

fn point_list(points: &[[f64; 2]]) -> String {
    points.iter().map(|[x, y]| format!("{},{}", at(*x), at(*y))).collect::<Vec<_>>().join(" ")
}
