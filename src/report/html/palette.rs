//! The colours of pages in the light and the dark scheme; the style sheet's variables are generated from them.

/// A colour with its variable name, in the light and the dark scheme.
struct SchemeColour {
    name: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn colour(name: &'static str, light: &'static str, dark: &'static str) -> SchemeColour {
    SchemeColour { name, light, dark }
}

/// Colours outside series: paper, ink, lines, and the verdicts with their grounds.
const PAGE: &[SchemeColour] = &[
    colour("paper", "#fdfcfa", "#15181d"),
    colour("card", "#ffffff", "#1d2127"),
    colour("ink", "#1f2328", "#e6e8eb"),
    colour("muted", "#5b626b", "#a3abb5"),
    colour("rule", "#dcd9d2", "#363c45"),
    colour("cell", "#f1eee7", "#262b33"),
    colour("edge", "#8f8a7e", "#6b7480"),
    colour("link", "#1b5a9e", "#82b8f5"),
    colour("good", "#14633a", "#7fd6a2"),
    colour("good-ground", "#e1f2e7", "#16301f"),
    colour("bad", "#98231f", "#f5a09a"),
    colour("bad-ground", "#fbe7e5", "#3a1b1a"),
    colour("open", "#6a4f05", "#e5c566"),
    colour("open-ground", "#f8efd6", "#33290d"),
    colour("seen", "#2b5078", "#a3c8f0"),
    colour("seen-ground", "#e5eef8", "#182a3d"),
    colour("changed", "#f7d774", "#6b5410"),
];

/// The colours of series (roles, objects and lines), each with the colour of text on it.
const SERIES: &[[&str; 4]] = &[
    ["#1f5fa8", "#ffffff", "#7ab4f5", "#10151c"],
    ["#b5430c", "#ffffff", "#f5a06a", "#10151c"],
    ["#1b7446", "#ffffff", "#6fcf97", "#10151c"],
    ["#7a3e9d", "#ffffff", "#c79df0", "#10151c"],
    ["#0c6c75", "#ffffff", "#5fd0d8", "#10151c"],
    ["#ad2c66", "#ffffff", "#f48fb9", "#10151c"],
    ["#6a5d07", "#ffffff", "#d6c95a", "#10151c"],
    ["#545e69", "#ffffff", "#b4bdc8", "#10151c"],
];

/// The number of colour steps of a field above or below zero, and the strength of the last one.
pub(super) const HEATS: usize = 6;
const HEAT: f64 = 0.48;

/// The number of series colours; then they repeat.
pub(super) const COLOURS: usize = SERIES.len();

/// The variables of the style sheet, and the classes of series: `c0` sets the colour of series 0, `s0` its stroke.
pub(super) fn style() -> String {
    let light = variables(|colour| colour.light, [0, 1]);
    let dark = variables(|colour| colour.dark, [2, 3]);
    let mut out = format!(":root{{color-scheme:light dark;{light}}}\n");
    out.push_str(&format!("@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"));
    for number in 0..COLOURS {
        out.push_str(&format!(
            ".c{number}{{--fill:var(--c{number});--on:var(--t{number})}}.s{number}{{stroke:var(--c{number})}}\n"
        ));
    }
    for level in 0..=HEATS {
        out.push_str(&format!(
            ".u{level}{{background:var(--u{level})}}.b{level}{{background:var(--b{level})}}\n"
        ));
    }
    out
}

/// Mixes a share of a colour into another.
fn mix_colours(colour: &str, ground: &str, share: f64) -> String {
    let part = |of: &str, from: usize| {
        of.get(from..from + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).map_or(0.0, f64::from)
    };
    let mix = |from| (part(colour, from) * share + part(ground, from) * (1.0 - share)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(1), mix(3), mix(5))
}

/// The field colours by level: series 0 above zero, series 1 below.
fn heats(ground: &str, series: usize) -> impl Iterator<Item = (char, usize, String)> {
    let of = move |(sign, number): (char, usize)| {
        let ground = ground.to_owned();
        (0..=HEATS).map(move |level| {
            let share = HEAT * level as f64 / HEATS as f64;
            (sign, level, mix_colours(SERIES[number][series], &ground, share))
        })
    };
    [('u', 0), ('b', 1)].into_iter().flat_map(of)
}

fn variables(of: impl Fn(&SchemeColour) -> &'static str, series: [usize; 2]) -> String {
    let mut out = String::new();
    for colour in PAGE {
        out.push_str(&format!("--{}:{};", colour.name, of(colour)));
    }
    for (number, colours) in SERIES.iter().enumerate() {
        out.push_str(&format!("--c{number}:{};--t{number}:{};", colours[series[0]], colours[series[1]]));
    }
    let paper = PAGE.iter().find(|colour| colour.name == "paper").map_or("", of);
    for (sign, level, colour) in heats(paper, series[0]) {
        out.push_str(&format!("--{sign}{level}:{colour};"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours (Web Content Accessibility Guidelines 2.2, "contrast ratio").
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |from: usize| {
                let value = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap()) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn page(name: &str) -> [&'static str; 2] {
        let found = PAGE.iter().find(|colour| colour.name == name).unwrap();
        [found.light, found.dark]
    }

    #[test]
    fn text_and_marks_have_enough_contrast() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        let mut low = Vec::new();
        let mut check = |what: String, text: &str, ground: &str, least: f64| {
            let ratio = contrast(text, ground);
            if ratio < least {
                low.push(format!("{what}: {text} on {ground} has {ratio:.2}, of {least}"));
            }
        };
        for scheme in 0..2 {
            for text in ["ink", "muted", "link", "good", "bad", "open", "seen"] {
                for ground in ["paper", "card", "cell"] {
                    check(format!("{text} on {ground}"), page(text)[scheme], page(ground)[scheme], 4.5);
                }
            }
            for verdict in ["good", "bad", "open", "seen"] {
                let ground = page(&format!("{verdict}-ground"))[scheme];
                check(format!("{verdict} on its ground"), page(verdict)[scheme], ground, 4.5);
            }
            for (number, colours) in SERIES.iter().enumerate() {
                let [fill, on] = [colours[2 * scheme], colours[2 * scheme + 1]];
                check(format!("text on series {number}"), on, fill, 4.5);
                for ground in ["paper", "card", "cell", "changed"] {
                    check(format!("series {number} on {ground}"), fill, page(ground)[scheme], 3.0);
                }
            }
            // Numbers in coloured fields.
            for (sign, level, ground) in heats(page("paper")[scheme], 2 * scheme) {
                check(format!("ink on {sign}{level}"), page("ink")[scheme], &ground, 4.5);
            }
            // The outlines of cells.
            for ground in ["paper", "card"] {
                check(format!("edge on {ground}"), page("edge")[scheme], page(ground)[scheme], 3.0);
            }
        }
        assert!(low.is_empty(), "{}", low.join("\n"));
    }
}
