//! The colours of pages in the light and the dark scheme; the style sheet's variables are generated from them.

use std::collections::BTreeSet;

use super::super::paint::Paint;

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
    colour("draw", "#d9d5cb", "#474e58"),
    colour("changed", "#f7d774", "#6b5410"),
    colour("more", "#1f5fa8", "#7ab4f5"),
    colour("less", "#b5430c", "#f5a06a"),
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

/// For each of `SERIES` the colours that it could be mistaken for.
const SIMILAR: [&[Paint]; COLOURS] = [
    &[Paint::Blue],
    &[Paint::Orange, Paint::Red],
    &[Paint::Green],
    &[Paint::Purple],
    &[],
    &[Paint::Pink, Paint::Red],
    &[Paint::Yellow, Paint::Brown],
    &[Paint::Gray],
];

/// The colour of objects whose contents name it, and of signs on them, in both schemes. An outline separates them from the
/// cell.
const fn fill(paint: Paint) -> [&'static str; 2] {
    match paint {
        Paint::Red => ["#c8281e", "#ffffff"],
        Paint::Yellow => ["#f2c511", "#10151c"],
        Paint::White => ["#ffffff", "#10151c"],
        Paint::Black => ["#16191d", "#ffffff"],
        Paint::Blue => ["#1f5fd0", "#ffffff"],
        Paint::Green => ["#1b7f37", "#ffffff"],
        Paint::Orange => ["#ee8012", "#10151c"],
        Paint::Purple => ["#7b3fb0", "#ffffff"],
        Paint::Pink => ["#f290bb", "#10151c"],
        Paint::Brown => ["#7a4a21", "#ffffff"],
        Paint::Gray => ["#959ba3", "#10151c"],
    }
}

/// The series of a role that a colour names, in the form of `SERIES`. Lines and texts need more contrast than discs.
const fn tone(paint: Paint) -> [&'static str; 4] {
    match paint {
        Paint::Red => ["#b3261e", "#ffffff", "#ff8a80", "#10151c"],
        Paint::Yellow => ["#7a5c00", "#ffffff", "#f2d33c", "#10151c"],
        Paint::White => ["#6f7680", "#ffffff", "#f4f4f0", "#10151c"],
        Paint::Black => ["#1f2328", "#ffffff", "#a9b4c0", "#10151c"],
        Paint::Blue => SERIES[0],
        Paint::Green => SERIES[2],
        Paint::Orange => SERIES[1],
        Paint::Purple => SERIES[3],
        Paint::Pink => SERIES[5],
        Paint::Brown => ["#7a4a21", "#ffffff", "#d9a87c", "#10151c"],
        Paint::Gray => SERIES[7],
    }
}

/// The series of a page: first those of the roles, in their order.
pub(super) struct Palette {
    series: Vec<[&'static str; 4]>,
}

impl Palette {
    /// The palette of a page with these roles, whose boards show these colours. A role that a colour names has this colour.
    /// The other series have colours that could not be mistaken for one of the boards, as far as there are enough.
    pub(super) fn new(roles: &[String], shown: &BTreeSet<Paint>) -> Palette {
        let paints: Vec<Option<Paint>> =
            roles.iter().take(COLOURS).map(|role| Paint::of_symbol(role)).collect();
        let taken: BTreeSet<Paint> = paints.iter().flatten().chain(shown).copied().collect();
        let mistaken = |number: &usize| SIMILAR[*number].iter().any(|paint| taken.contains(paint));
        let (similar, different): (Vec<usize>, Vec<usize>) = (0..COLOURS).partition(mistaken);
        let mut free = different.into_iter().chain(similar).map(|number| SERIES[number]);
        let own =
            paints.into_iter().map(|paint| paint.map_or_else(|| free.next(), |paint| Some(tone(paint))));
        let mut series: Vec<[&'static str; 4]> = own.flatten().collect();
        series.extend(free);
        series.truncate(COLOURS);
        Palette { series }
    }
}

/// The number of colour steps of a field above or below zero, and the strength of the last one.
pub(super) const HEATS: usize = 6;
const HEAT: f64 = 0.48;

/// The number of series colours; then they repeat.
pub(super) const COLOURS: usize = SERIES.len();

/// The CSS class of a role's colour, which is the one that its name names if it does.
pub(super) fn role_class(role: usize, names: &[String]) -> String {
    match names.get(role).and_then(|name| Paint::of_symbol(name)) {
        Some(paint) => format!("p-{}", paint.name()),
        None => format!("c{}", role % COLOURS),
    }
}

/// The variables of the style sheet, the classes of series (`c0` sets the colour of series 0, `s0` its stroke), and the classes
/// of colours that contents name, such as `p-red`.
pub(super) fn style(palette: &Palette) -> String {
    let light = variables(palette, |colour| colour.light, [0, 1]);
    let dark = variables(palette, |colour| colour.dark, [2, 3]);
    let mut out = format!(":root{{color-scheme:light dark;{light}}}\n");
    out.push_str(&format!("@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"));
    for number in 0..COLOURS {
        out.push_str(&format!(
            ".c{number}{{--fill:var(--c{number});--on:var(--t{number})}}.s{number}{{stroke:var(--c{number})}}\n"
        ));
    }
    for (paint, name) in Paint::ALL {
        let [fill, on] = fill(paint);
        out.push_str(&format!(".p-{name}{{--fill:{fill};--on:{on};--outline:var(--muted)}}\n"));
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

fn variables(palette: &Palette, of: impl Fn(&SchemeColour) -> &'static str, series: [usize; 2]) -> String {
    let mut out = String::new();
    for colour in PAGE {
        out.push_str(&format!("--{}:{};", colour.name, of(colour)));
    }
    for (number, colours) in palette.series.iter().enumerate() {
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
            let tones = Paint::ALL.map(|(paint, _)| tone(paint));
            for (number, colours) in SERIES.iter().chain(&tones).enumerate() {
                let [fill, on] = [colours[2 * scheme], colours[2 * scheme + 1]];
                check(format!("text on series {number}"), on, fill, 4.5);
                for ground in ["paper", "card", "cell", "changed"] {
                    check(format!("series {number} on {ground}"), fill, page(ground)[scheme], 3.0);
                }
            }
            for (paint, name) in Paint::ALL {
                check(format!("sign on {name}"), super::fill(paint)[1], super::fill(paint)[0], 4.5);
            }
            // The outlines of objects that have the colour of their name.
            for ground in ["card", "cell", "changed"] {
                check(format!("outline on {ground}"), page("muted")[scheme], page(ground)[scheme], 3.0);
            }
            for name in ["more", "less"] {
                check(format!("{name} on cell"), page(name)[scheme], page("cell")[scheme], 3.0);
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

    #[test]
    fn roles_have_the_colours_that_name_them() {
        let of = |roles: &[&str], shown: &[Paint]| {
            let roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
            Palette::new(&roles, &shown.iter().copied().collect()).series
        };
        let colours = of(&["first", "second"], &[]);
        assert_eq!(colours, SERIES);
        let colours = of(&["red", "first", "yellow"], &[Paint::Blue]);
        assert_eq!([colours[0], colours[2]], [tone(Paint::Red), tone(Paint::Yellow)]);
        assert_eq!((colours[1], colours.len()), (SERIES[2], COLOURS), "blue and orange could be mistaken");
        assert!(!colours[..6].contains(&SERIES[0]));
    }
}
