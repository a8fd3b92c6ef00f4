//! The first screen of an analysis: who wins, how long a game is, how many choices there are, whether skill counts, and which
//! first moves are good.

use crate::statistics::interval::Share;
use crate::verdict::{SelfPlay, Strength, Verdict};

use super::super::analysis::Analysis;
use super::super::layout::{counted, grouped, percent};
use super::super::verdict::{
    UNCLEAR, answers, best_play, choices, facts, kind, length_bound, skill, strength_name,
};
use super::functions::Figure;
use super::glossary::code;
use super::markup::Markup;
use super::material::PageMaterial;
use super::palette::role_class;
use super::picture;
use super::scene::{BoardScene, Scene};

/// The narrowest part of a bar that has a text, in percent of the bar.
const LABELLED: f64 = 11.0;

/// The first screen, without the game to step through.
pub(super) struct Overview {
    /// The kind of the game, as one line.
    pub(super) kind: String,
    /// How one moves and wins: pairs of a label and its texts.
    pub(super) rules: Vec<(&'static str, Vec<Markup>)>,
    /// The heading of the results.
    pub(super) question: &'static str,
    pub(super) results: Vec<ResultBar>,
    pub(super) legend: Vec<(String, String)>,
    pub(super) tiles: Vec<Tile>,
    pub(super) heat_map: Option<Figure>,
    /// Whether the heat map has the value of each first move.
    pub(super) maps_all: bool,
    /// Whether the game is sound: pairs of a label and its texts.
    pub(super) checks: Vec<(&'static str, Vec<Markup>)>,
}

/// The results of games between equal players, as a bar.
pub(super) struct ResultBar {
    /// The strength of the players.
    pub(super) name: String,
    pub(super) parts: Vec<ResultPart>,
    /// The text after the bar, or instead of it.
    pub(super) note: String,
    /// All parts as text.
    pub(super) label: String,
}

/// A part of a bar.
pub(super) struct ResultPart {
    /// The CSS class.
    pub(super) class: String,
    /// The width in percent.
    pub(super) width: f64,
    /// The text on the part; empty if there is no room.
    pub(super) text: String,
}

/// A number with its explanation.
pub(super) struct Tile {
    pub(super) title: &'static str,
    pub(super) value: String,
    pub(super) text: String,
}

impl Overview {
    pub(super) fn new(analysis: &Analysis, shown: &PageMaterial, scene: &Scene<'_>) -> Overview {
        let alone = analysis.players().len() == 1;
        let labelled = |labels: &'static [&'static str]| {
            let rows = facts(analysis, &shown.board).into_iter().chain(answers(analysis, &shown.board));
            let mut out: Vec<(&'static str, Vec<Markup>)> = Vec::new();
            for row in rows.filter(|row| labels.contains(&row.label)) {
                match out.last_mut().filter(|last| last.0 == row.label) {
                    Some(last) => last.1.push(code(&row.text)),
                    None => out.push((row.label, vec![code(&row.text)])),
                }
            }
            out
        };
        let results = analysis.verdict.as_ref().map_or(Vec::new(), |verdict| results(analysis, verdict));
        let heat_map = heat_map(analysis, shown, scene);
        Overview {
            kind: kind(analysis),
            rules: labelled(&["A move", "Win", "Goal"]),
            question: if alone { "How often is it solved?" } else { "Who wins?" },
            legend: legend(analysis, alone, &results),
            results,
            tiles: tiles(analysis, alone),
            maps_all: heat_map.as_ref().is_some_and(|(_, cells)| *cells == shown.first_moves.len()),
            heat_map: heat_map.map(|(figure, _)| figure),
            checks: labelled(&["Is it sound?"]),
        }
    }
}

/// The roles with a colour in the bars, and the other classes that occur.
fn legend(analysis: &Analysis, alone: bool, results: &[ResultBar]) -> Vec<(String, String)> {
    let first = analysis.verdict.as_ref().and_then(|verdict| verdict.first_moves.as_ref());
    let name = |role: usize| {
        let name = &analysis.game.roles[role];
        let begins = !alone && first.is_some_and(|first| first.role == *name);
        let name = if alone { "solved".to_owned() } else { name.clone() };
        (role_class(role, &analysis.game.roles), if begins { format!("{name} (begins)") } else { name })
    };
    let mut out: Vec<(String, String)> = sides(analysis).into_iter().map(name).collect();
    let occurs = |class: &str| results.iter().any(|bar| bar.parts.iter().any(|part| part.class == class));
    for (class, name) in [("draw", "draw"), ("rest", if alone { "not solved" } else { "another result" })] {
        out.extend(occurs(class).then(|| (class.to_owned(), name.to_owned())));
    }
    if results.is_empty() { Vec::new() } else { out }
}

/// The first role of each team.
fn sides(analysis: &Analysis) -> Vec<usize> {
    let first = |team: &Vec<String>| analysis.game.roles.iter().position(|role| Some(role) == team.first());
    analysis.structures.teams.iter().filter_map(first).collect()
}

/// A bar for each strength, and one for best play.
fn results(analysis: &Analysis, verdict: &Verdict) -> Vec<ResultBar> {
    let mut out: Vec<ResultBar> = verdict.self_play.iter().map(|of| result_bar(analysis, of)).collect();
    out.push(best_bar(analysis, verdict));
    out
}

fn result_bar(analysis: &Analysis, of: &SelfPlay) -> ResultBar {
    let name = strength_name(of.strength);
    let games = counted(of.games, "game", "games");
    if of.games == of.unfinished {
        let note = format!("no result in {games}");
        return ResultBar { name, parts: Vec::new(), label: note.clone(), note };
    }
    let share = |share: &Share| share.share;
    let mut shares: Vec<(String, String, f64)> = (sides(analysis).into_iter())
        .map(|role| {
            (role_class(role, &analysis.game.roles), of.roles[role].role.clone(), share(&of.roles[role].wins))
        })
        .collect();
    let alone = shares.len() == 1;
    if !alone {
        shares.push(("draw".to_owned(), "draw".to_owned(), share(&of.draws)));
    }
    let sum: f64 = shares.iter().map(|part| part.2).sum();
    // Roles of a game with several winners have more than 100 % together.
    let scale = 100.0 / sum.max(1.0);
    let rest = if alone { "not solved" } else { "another result" };
    shares.push(("rest".to_owned(), rest.to_owned(), (1.0 - sum).max(0.0)));
    shares.retain(|part| part.2 > 5e-4);
    let label: Vec<String> =
        shares.iter().map(|(_, name, share)| format!("{name} {}", percent(*share))).collect();
    let unfinished = match of.unfinished {
        0 => String::new(),
        count => format!(", {} without a result", grouped(count)),
    };
    // The widths of narrow parts have no room for a text.
    let narrow: Vec<String> = (shares.iter().filter(|part| part.2 * scale < LABELLED))
        .map(|(_, name, share)| format!("; {name} {}", percent(*share).replace(' ', "\u{a0}")))
        .collect();
    let mean = of.roles.first().and_then(|role| role.goal).filter(|_| alone);
    let mean = mean.map_or(String::new(), |goal| format!(", mean goal {:.1}", goal.mean));
    ResultBar {
        name,
        parts: (shares.into_iter())
            .map(|(class, name, share)| {
                let width = (share * scale * 10.0).round() / 10.0;
                let text = match width >= LABELLED {
                    true if class == "rest" => format!("{name} {}", percent(share)),
                    true => percent(share),
                    false => String::new(),
                };
                ResultPart { class, width, text }
            })
            .collect(),
        note: format!("{games}{mean}{unfinished}{}", narrow.concat()),
        label: label.join(", "),
    }
}

/// The result of best play: a full bar for the winner of a game of two roles.
fn best_bar(analysis: &Analysis, verdict: &Verdict) -> ResultBar {
    let note = best_play(analysis, verdict);
    let name = "best play".to_owned();
    let best = verdict.best_play.as_ref().filter(|best| best.solved && !best.means);
    let values: Option<Vec<f64>> = best.and_then(|best| best.values.iter().copied().collect());
    let class = match values.as_deref() {
        Some([first, second]) if first == second => "draw".to_owned(),
        Some([first, second]) => role_class(usize::from(second > first), &analysis.game.roles),
        Some([value]) if *value >= 100.0 => role_class(0, &analysis.game.roles),
        _ => return ResultBar { name, parts: Vec::new(), label: note.clone(), note },
    };
    let parts = vec![ResultPart { class, width: 100.0, text: String::new() }];
    ResultBar { name, parts, label: note.clone(), note }
}

/// Length, choices and skill.
fn tiles(analysis: &Analysis, alone: bool) -> Vec<Tile> {
    let mut out = Vec::new();
    let verdict = analysis.verdict.as_ref();
    out.extend(length(analysis, verdict));
    if let Some(text) = choices(analysis) {
        let means: Vec<f64> =
            analysis.simulation.roles.iter().filter_map(|role| role.branching.turn_mean).collect();
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(0.0, f64::max);
        let (low, high) = (format!("{least:.1}"), format!("{most:.1}"));
        let same = low == high;
        let value = if same { low } else { format!("{low} to {high}") };
        let rest = text.split_once(" at a turn").map(|(_, rest)| format!("legal moves at a turn{rest}"));
        let text = rest.filter(|_| same).unwrap_or_else(|| format!("legal moves at a turn: {text}"));
        out.push(Tile { title: "Choices", value, text });
    }
    let found = &analysis.structures;
    let skill = verdict.and_then(|verdict| skill(verdict, found.teams.len(), found.zero_sum));
    if let Some((answer, text)) = skill.as_deref().and_then(|text| text.split_once(": ")) {
        let title = "Does skill count?";
        out.push(Tile { title, value: answer.to_owned(), text: text.to_owned() });
    } else if let (true, Some(random)) = (alone, analysis.simulation.roles.first()) {
        let value = percent(random.wins.share);
        let games = counted(analysis.simulation.playouts, "random game reaches", "random games reach");
        let text = format!("of {games} goal 100");
        out.push(Tile { title: "By chance", value, text });
    }
    out
}

/// The number of moves of games between the strongest searches, else of random games.
fn length(analysis: &Analysis, verdict: Option<&Verdict>) -> Option<Tile> {
    let searched = verdict.into_iter().flat_map(|verdict| &verdict.self_play);
    let searched = searched.filter_map(|of| Some((of.strength, of.length?))).next_back();
    let (low, high, games) = match (searched, &analysis.simulation.length) {
        (Some((Strength::Search(states), length)), _) => {
            (length.p25, length.p75, format!("games between searches of {} states a move", grouped(states)))
        }
        (Some((Strength::Random, length)), _) => (length.p25, length.p75, "random games".to_owned()),
        (None, Some(length)) => (length.p25, length.p75, "random games".to_owned()),
        (None, None) => return None,
    };
    let number = |moves: u32| grouped(u64::from(moves));
    let value = if low == high { number(low) } else { format!("{} to {}", number(low), number(high)) };
    let text = format!("moves in the middle half of {games}{}", length_bound(analysis));
    Some(Tile { title: "Length", value, text })
}

/// The values of the first moves on the cells that they fill, and the number of these cells; `None` if a move fills no cell of a
/// board.
fn heat_map(analysis: &Analysis, shown: &PageMaterial, scene: &Scene<'_>) -> Option<(Figure, usize)> {
    let first = analysis.verdict.as_ref()?.first_moves.as_ref()?;
    // Without a solution, the values of a puzzle's first moves say little.
    if (!first.proved && analysis.game.roles.len() == 1) || shown.first_moves.len() < 2 {
        return None;
    }
    let (board, values) = scene.boards.iter().find_map(|board| Some((board, cell_values(board, shown)?)))?;
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let middle = known.iter().sum::<f64>() / known.len().max(1) as f64;
    let title = format!("First moves of {}", first.role);
    let drawing = picture::heat_map(board, &values, middle, &title);
    let [worst, best] = [first.moves.last(), first.moves.first()].map(|of| of.map_or(0.0, |of| of.value));
    let basis = match (first.proved, best - worst < UNCLEAR) {
        (true, _) => "proved",
        (false, false) => "by search",
        (false, true) => "by search; none stands out",
    };
    let caption = format!("The value of the move to each cell, in goal points ({basis}).");
    Some((Figure { title, drawing, caption }, known.len()))
}

/// For each cell of a board the value of the best first move that fills it.
fn cell_values(board: &BoardScene<'_>, shown: &PageMaterial) -> Option<Vec<Option<f64>>> {
    let mut values: Vec<Option<f64>> = vec![None; board.shape.cells.len()];
    for of in &shown.first_moves {
        let filled = of.added.iter().filter(|fact| !board.is_blank(fact));
        let cells: Vec<usize> = filled.filter_map(|fact| board.cell(fact)).collect();
        if cells.is_empty() {
            return None;
        }
        for cell in cells {
            values[cell] = Some(values[cell].map_or(of.value, |value| value.max(of.value)));
        }
    }
    Some(values)
}
