//! The data of the templates of an analysis and of a game.

use std::collections::BTreeSet;

use askama::Template;

use crate::structure::finding::{Structures, Turns};
use crate::structure::vocabulary::Kif;

use super::super::analysis::Analysis;
use super::super::coverage;
use super::super::layout::{counted, grouped, percent, significant};
use super::charts;
use super::functions::{FunctionSection, functions};
use super::markup::Markup;
use super::material::PageMaterial;
use super::overview::Overview;
use super::palette::{self, Palette};
use super::picture;
use super::scene::{Frame, Scene};
use super::sections::{FeatureSection, features, findings, help_links, properties};
use super::sentences;
use super::tables::{Field, Table, columns};
use super::verdict_sections::{GoodPlaySection, endings, first_moves, good_play, quality, unfired};
use super::viewer::{BoardDrawing, GaugeBar, Viewer, bars, boards};
use super::warnings::{Warning, falling_goals, left_out, limits, warnings};

/// The most objects in a legend.
const NAMED: usize = 30;

const STYLE: &str = include_str!("templates/style.css");
pub(super) const SCRIPT: &str = include_str!("templates/script.js");

/// The page of an analysis.
#[derive(Template)]
#[template(path = "report.html")]
pub(super) struct ReportPage {
    name: String,
    facts: Vec<(&'static str, String)>,
    style: Markup,
    script: Markup,
    symbols: Markup,
    overview: Overview,
    warnings: Vec<Warning>,
    /// The limits that cut parts of the analysis short.
    limits: Vec<String>,
    left_out: Vec<String>,
    good_play: GoodPlaySection,
    first_moves: Option<Table>,
    endings: Option<Table>,
    quality: Option<Table>,
    sentences: Vec<String>,
    boards: Vec<BoardDrawing>,
    gauges: Vec<GaugeBar>,
    legend: Vec<LegendEntry>,
    rest: Vec<String>,
    findings: Vec<(&'static str, Table)>,
    properties: Option<Table>,
    /// Sentences on the coverage of random play.
    seen: Vec<String>,
    /// Rules that never fired in it, with a sentence on their number.
    unfired: Option<Table>,
    unfired_text: Option<String>,
    play: RandomPlaySection,
    features: Option<FeatureSection>,
    functions: Option<FunctionSection>,
    viewer: Option<Viewer>,
}

/// The page of a single game.
#[derive(Template)]
#[template(path = "play.html")]
pub(super) struct PlayPage {
    name: String,
    style: Markup,
    script: Markup,
    symbols: Markup,
    legend: Vec<LegendEntry>,
    viewer: Option<Viewer>,
}

/// An entry of the legend.
pub(super) struct LegendEntry {
    /// The number of its drawing; none for the entry that counts the others.
    drawing: Option<usize>,
    name: String,
}

/// The section on random play.
pub(super) struct RandomPlaySection {
    summary: String,
    first_mover: Option<String>,
    roles: Vec<String>,
    table: Table,
    lengths: Markup,
    lengths_caption: String,
    branching: Option<Markup>,
    branching_caption: String,
    goals: Markup,
    goals_caption: String,
    goal_remarks: Vec<String>,
}

/// The style sheet of a page without boards.
pub(super) fn style() -> Markup {
    style_with(&Palette::new(&[], &BTreeSet::new()))
}

fn style_with(palette: &Palette) -> Markup {
    Markup::of(format!("{}{STYLE}", palette::style(palette)))
}

/// The legend of the objects on boards, in the order of their drawings.
fn legend(scene: &Scene<'_>) -> Vec<LegendEntry> {
    let named = |(number, thing): (usize, &super::scene::BoardObject)| LegendEntry {
        drawing: Some(number),
        name: thing.contents.join(" "),
    };
    // A sign that is the whole word needs no explanation.
    let short = |(_, thing): &(usize, &super::scene::BoardObject)| {
        thing.colour.is_none() || thing.sign != thing.contents.join(" ")
    };
    let things: Vec<(usize, &super::scene::BoardObject)> =
        scene.things.iter().enumerate().filter(short).collect();
    let more = things.len().saturating_sub(NAMED);
    let mut out: Vec<LegendEntry> = things.into_iter().take(NAMED).map(named).collect();
    if more > 0 {
        out.push(LegendEntry { drawing: None, name: format!("and {more} more") });
    }
    out
}

impl ReportPage {
    pub(super) fn new(analysis: &Analysis, shown: &PageMaterial) -> Result<ReportPage, serde_json::Error> {
        let scene = Scene::new(&analysis.structures, shown);
        let initial = shown.play.states.first().map_or(Frame::default(), |state| scene.frame(&state.facts));
        let machine = &analysis.game.machine;
        let negation = if analysis.game.negation.is_language() {
            ""
        } else {
            ", negations evaluated in place (--negation in-place)"
        };
        let overview = Overview::new(analysis, shown, &scene);
        let unfired = unfired(analysis);
        Ok(ReportPage {
            name: analysis.game.name.clone(),
            facts: vec![
                ("Rules", analysis.game.path.clone() + negation),
                ("Machine", machine.clone()),
                ("Seed", analysis.simulation.seed.to_string()),
                ("SHA-256 of the file", analysis.game.sha256.chars().take(16).collect::<String>() + "…"),
            ],
            style: style_with(&Palette::new(&shown.roles, &scene.paints())),
            script: Markup::of(SCRIPT.to_owned()),
            symbols: picture::symbols(&scene),
            warnings: warnings(analysis),
            limits: limits(analysis, shown),
            good_play: good_play(analysis, &shown.board, &overview, help_links(analysis)),
            first_moves: if overview.maps_all { None } else { first_moves(analysis) },
            overview,
            endings: endings(analysis),
            quality: quality(analysis),
            left_out: left_out(analysis),
            sentences: sentences::description(analysis, &scene),
            boards: boards(&scene, &initial),
            gauges: bars(&scene, &initial),
            legend: legend(&scene),
            rest: initial.rest,
            findings: findings(analysis),
            properties: properties(analysis),
            seen: coverage::sentences(&analysis.structures, unfired.is_none()),
            unfired_text: coverage::rules(&analysis.structures),
            unfired,
            play: RandomPlaySection::new(analysis, shown),
            features: features(analysis),
            functions: functions(analysis, shown, &scene),
            viewer: Viewer::new(&scene, shown, true)?,
        })
    }
}

impl PlayPage {
    pub(super) fn new(
        game: &str,
        structures: &Structures<Kif>,
        shown: &PageMaterial,
    ) -> Result<PlayPage, serde_json::Error> {
        let scene = Scene::new(structures, shown);
        Ok(PlayPage {
            name: game.to_owned(),
            style: style_with(&Palette::new(&shown.roles, &scene.paints())),
            script: Markup::of(SCRIPT.to_owned()),
            symbols: picture::symbols(&scene),
            legend: legend(&scene),
            viewer: Viewer::new(&scene, shown, false)?,
        })
    }
}

impl RandomPlaySection {
    fn new(analysis: &Analysis, shown: &PageMaterial) -> RandomPlaySection {
        let seen = &analysis.simulation;
        let playouts = counted(seen.playouts, "random playout", "random playouts");
        let length = seen.length.as_ref();
        let ended = counted(seen.terminal.count, "random playout that ended", "random playouts that ended");
        let first = shown.play.states.first().map(|state| &state.choosing[..]);
        let first = if let Some(&[first]) = first { Some(first) } else { None };
        let draws = match seen.roles.len() {
            0 | 1 => String::new(),
            _ if seen.draws.share == 1.0 => " No game had a single winner.".to_owned(),
            _ => format!(" {} of the finished games are draws.", percent(seen.draws.share)),
        };
        RandomPlaySection {
            summary: format!(
                "{playouts} with {} were played; {} of them ended.{draws}",
                counted(seen.states, "state", "states"),
                match seen.terminal.count == seen.playouts {
                    true => "all".to_owned(),
                    false => percent(seen.terminal.share),
                }
            ),
            first_mover: sentences::first_mover(analysis, first),
            roles: shown.roles.clone(),
            table: roles(analysis),
            lengths: charts::lengths(&seen.lengths, round(analysis)),
            lengths_caption: match length {
                Some(length) => format!(
                    "The number of joint moves of {playouts}: {} to {}, median {}, mean {}; nine of ten games have {} to {}.",
                    grouped(u64::from(length.min)),
                    grouped(u64::from(length.max)),
                    grouped(u64::from(length.median)),
                    significant(length.mean),
                    grouped(u64::from(length.p5)),
                    grouped(u64::from(length.p95))
                ),
                None => String::new(),
            },
            branching: charts::branching(&shown.steps, &shown.roles),
            branching_caption: format!(
                "The mean number of legal moves of a role at each step at which it has a choice, over {}. Steps that fewer \
                 than one playout in fifty reached are left out.",
                counted(shown.playouts, "random playout", "random playouts")
            ),
            goals: charts::goals(&seen.roles),
            goals_caption: format!(
                "The share of each goal value at the end of {ended}; the thin bars are 95 % intervals."
            ),
            goal_remarks: super::super::goals::sentences(&analysis.goals)
                .into_iter()
                .map(|text| text + ".")
                .chain(falling_goals(analysis))
                .collect(),
        }
    }
}

/// The number of joint moves of a round, if turns alternate.
fn round(analysis: &Analysis) -> Option<u32> {
    let alternates = analysis.structures.turns == Turns::Alternating;
    alternates.then(|| analysis.players().len() as u32)
}

/// The statistics of the roles in random play.
fn roles(analysis: &Analysis) -> Table {
    let row = |role: &crate::simulate::RoleStatistics| {
        let goal = role.goal_mean.as_ref();
        let interval = goal.and_then(|goal| Some(format!("{:.1} to {:.1}", goal.low?, goal.high?)));
        vec![
            Field::text(&role.role),
            Field::number(role.branching.turn_mean, |mean| format!("{mean:.1}")),
            Field::number(Some(role.branching.max as f64), |most| format!("{most}")),
            Field::number(Some(role.branching.choice_share), percent),
            Field::number(goal.map(|goal| goal.mean), |mean| format!("{mean:.1}")),
            Field::text(interval.unwrap_or_default()),
            Field::number(Some(role.wins.share), percent),
            Field::text(format!("{} to {}", percent(role.wins.low), percent(role.wins.high))),
        ]
    };
    Table {
        id: "".into(),
        caption: String::new(),
        columns: columns(&[
            "role",
            "#legal moves",
            "#greatest",
            "#has a choice",
            "#mean goal",
            "95 % interval",
            "#wins",
            "95 % interval",
        ]),
        rows: analysis.simulation.roles.iter().map(row).collect(),
        left_out: String::new(),
    }
}
