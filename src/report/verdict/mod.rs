//! The verdict as text: what `ggp analyze` prints first, at most [`MOST_LINES`] lines of [`WIDTH`] columns.

mod ends;
mod feature_words;

use crate::machine::State;
use crate::property::PropertyName;
use crate::simulate::{FaultKind, Warning};
use crate::statistics::interval::wilson_of;
use crate::structure::finding::{FluentKind, ProofStatus, Structures, Turns};
use crate::structure::vocabulary::Kif;
use crate::verdict::{
    Duel, FirstMoves, Help, MoveKind, SelfPlay, Strength, Verdict, WinningCondition, WinningForm, WinningTime,
};

use super::analysis::Analysis;
use super::board::Boards;
use super::layout::{Layout, counted, grouped, percent, plural};
use super::random_play::no_game_ended;
pub(in crate::report) use ends::cause_text;
use ends::how_games_end;
use feature_words::in_words;

/// The most lines.
pub const MOST_LINES: usize = 30;

/// The width of every line.
pub const WIDTH: usize = 80;

/// The width of the labels next to the board, and of those below it.
const BOARD_LABEL: usize = 10;
const LABEL: usize = 20;

/// The label of the answer that says whether the rules are sound.
const SOUND: &str = "Is it sound?";

/// The least width of the text next to the board; a wider board stands alone.
const LEAST_TEXT: usize = 36;

/// The number of goal values of a win, a draw and a loss; with more, goals are graded.
const GRADED: usize = 3;

/// The most characters of a team's name that lists its roles.
const TEAM_NAME: usize = 14;

/// The most roles with a column each.
const MOST_ROLES: usize = 6;

/// Values of first moves by search that differ by less than this, in goal points, are shown together.
const SIMILAR: f64 = 2.0;

/// If the search values of all first moves differ by less than this, none is better than the others.
pub(in crate::report) const UNCLEAR: f64 = 4.0;

/// The most characters for the values of first moves, without the last remark.
const FIRST_MOVE_LENGTH: usize = 110;

/// The board of the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialBoard {
    /// The lines of its drawing; empty if there is no board.
    pub lines: Vec<String>,
    /// Its size in words, and the index of its fluent among the findings.
    pub size: Option<(String, usize)>,
    /// Whether its first coordinate is drawn upwards, so that rows and columns change places.
    pub turned: bool,
}

impl InitialBoard {
    /// The board of a state.
    pub fn new(boards: &Boards<'_>, state: &State, layout: Layout) -> InitialBoard {
        InitialBoard {
            lines: boards.main_board(state, layout),
            size: boards.main_size(),
            turned: boards.main_is_turned(),
        }
    }

    /// A sentence in which the first coordinate is called a column and the second a row, with the words that fit the drawing.
    pub(in crate::report) fn as_drawn(&self, text: String) -> String {
        if !self.turned {
            return text;
        }
        let words = text.split(' ').map(|word| match word {
            "row" => "column",
            "column" => "row",
            word => word,
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// A statement: a label, and a sentence.
pub(in crate::report) struct Row {
    pub(in crate::report) label: &'static str,
    pub(in crate::report) text: String,
    /// The most lines; a longer text is cut between clauses.
    most: usize,
    /// If there are too many lines, rows with greater ranks are left out first; rank 0 never is.
    rank: u8,
}

fn row(label: &'static str, text: String, most: usize, rank: u8) -> Row {
    Row { label, text, most, rank }
}

/// The most lines of the facts next to the board.
const MOST_FACTS: usize = 11;

/// The most lines of a board that is too wide for facts next to it.
const MOST_BOARD_ALONE: usize = 6;

/// The most lines of a board with facts next to it.
const MOST_BOARD: usize = 16;

/// The lines of a board that has few enough of them. Of a board in layers, the layers that fit are shown.
fn shown(board: &[String]) -> Vec<String> {
    if board.len() <= MOST_BOARD {
        return board.to_vec();
    }
    let blank = |line: &String| line.trim().is_empty();
    let mut lines = board[..MOST_BOARD - 1].to_vec();
    while lines.last().is_some_and(|line| !blank(line)) {
        lines.pop();
    }
    while lines.last().is_some_and(blank) {
        lines.pop();
    }
    if !lines.is_empty() {
        lines.push("(the rest: ggp show)".to_owned());
    }
    lines
}

/// The whole block, with a drawing of the initial state; each line is ended.
pub fn render(analysis: &Analysis, board: &InitialBoard, layout: Layout) -> String {
    let beginning = beginning(analysis, board, layout);
    let results = results(analysis, board, &beginning, layout);
    beginning.text + &results
}

/// The first lines of the block.
pub struct Beginning {
    /// The lines; each is ended.
    pub text: String,
    /// Whether they say if the rules are sound.
    is_sound_told: bool,
}

/// The lines that need no games by search: the kind of game, the board and the facts about it.
pub fn beginning(analysis: &Analysis, board: &InitialBoard, layout: Layout) -> Beginning {
    let mut is_sound_told = false;
    let mut lines = problems(analysis);
    lines.extend(headline(analysis, layout));
    lines.push(String::new());
    let facts = facts(analysis, board);
    let board = &shown(&board.lines);
    let width = board.iter().map(|line| console::measure_text_width(line)).max().unwrap_or(0);
    let column = if width == 0 { 0 } else { width + 3 };
    if column + BOARD_LABEL + LEAST_TEXT > WIDTH {
        // A large board would leave no lines for the answers; `ggp show` and the page draw it.
        if board.len() <= MOST_BOARD_ALONE {
            lines.extend(board.iter().cloned());
            lines.push(String::new());
        }
        lines.extend(laid_out(
            facts,
            BOARD_LABEL,
            WIDTH,
            MOST_FACTS.saturating_sub(board.len()).max(5),
            layout,
        ));
    } else {
        let most = MOST_FACTS.max(board.len());
        let width = WIDTH - column;
        let mut texts = laid_out(facts, BOARD_LABEL, width, most, layout);
        // Next to a tall board there is room for an answer, which leaves lines for the others.
        let sound = sound(analysis).map(|text| row("Sound?", text, most, 0));
        let sound = laid_out(Vec::from_iter(sound), BOARD_LABEL, width, most, layout);
        is_sound_told = !sound.is_empty() && texts.len() + sound.len() <= board.len();
        if is_sound_told {
            texts.extend(sound);
        }
        for index in 0..board.len().max(texts.len()) {
            let left = board.get(index).map_or("", String::as_str);
            let gap = column.saturating_sub(console::measure_text_width(left));
            let right = texts.get(index).map_or("", String::as_str);
            lines.push(format!("{left}{}{right}", " ".repeat(gap)).trim_end().to_owned());
        }
    }
    Beginning { text: ended(lines), is_sound_told }
}

/// The lines that need games: who wins, whether skill counts, first moves, and where to read more.
pub fn results(analysis: &Analysis, board: &InitialBoard, beginning: &Beginning, layout: Layout) -> String {
    let mut lines = vec![String::new()];
    if let Some(verdict) = &analysis.verdict {
        lines.extend(who_wins(analysis, verdict, layout));
        lines.push(String::new());
    }
    let left = MOST_LINES.saturating_sub(beginning.text.lines().count() + lines.len());
    let mut answers = answers(analysis, board);
    answers.retain(|row| !(beginning.is_sound_told && row.label == SOUND));
    lines.extend(laid_out(answers, LABEL, WIDTH, left, layout));
    ended(lines)
}

fn ended(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Rows with their labels in a column, at most `most` lines if enough rows can be left out. Texts are broken between words, and
/// continued below their beginning.
fn laid_out(rows: Vec<Row>, label: usize, width: usize, most: usize, layout: Layout) -> Vec<String> {
    let narrow = Layout { width: (width - label) as u16, ..layout };
    let mut broken: Vec<(&Row, Vec<String>)> =
        rows.iter().map(|row| (row, narrow.broken("", &cut(&row.text, row.most, narrow)))).collect();
    let count = |broken: &[(&Row, Vec<String>)]| broken.iter().map(|(_, lines)| lines.len()).sum::<usize>();
    while count(&broken) > most {
        let Some(rank) = broken.iter().map(|(row, _)| row.rank).max().filter(|&rank| rank > 0) else { break };
        let last = broken.iter().rposition(|(row, _)| row.rank == rank);
        last.map(|last| broken.remove(last));
    }
    let mut out = Vec::new();
    for (Row { label: title, .. }, lines) in broken {
        for (number, line) in lines.into_iter().enumerate() {
            let title = if number == 0 { *title } else { "" };
            let gap = " ".repeat(label - title.len());
            out.push(format!("{}{gap}{line}", layout.heading_if(title)));
        }
    }
    out
}

/// A text of at most `most` lines: cut after a clause if possible, else after a part of a list or a word. What is cut within a
/// clause ends with a mark, because the part that is left could be read as the whole condition.
fn cut(text: &str, most: usize, layout: Layout) -> String {
    let fits = |text: &str| layout.broken("", text).len() <= most;
    if fits(text) {
        return text.to_owned();
    }
    let ends = |separator: &'static str| text.rmatch_indices(separator).map(|(end, _)| &text[..end]);
    let whole = ends("; ").map(str::to_owned);
    let part = ends(", ").map(|text| format!("{text}, …"));
    match whole.chain(part).find(|text| fits(text) && is_closed(text)) {
        Some(clause) => clause,
        None => match ends(" ").find(|text| fits(&format!("{text} …"))) {
            Some(words) => format!("{words} …"),
            None => text.to_owned(),
        },
    }
}

/// Whether all parentheses of a text are closed.
fn is_closed(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// The kind of the game, such as `2 players, turns alternate, no chance, nothing hidden, zero-sum`.
pub(in crate::report) fn kind(analysis: &Analysis) -> String {
    let found = &analysis.structures;
    let information = &analysis.information;
    let players = found.teams.iter().map(Vec::len).sum::<usize>().max(1);
    let mut kind = vec![counted(players as u64, "player", "players")];
    match found.turns {
        Turns::SinglePlayer => kind[0] = "a puzzle for one player".to_owned(),
        _ if players == 1 => {}
        Turns::Alternating => {
            let again = analysis
                .properties
                .iter()
                .any(|of| of.name == PropertyName::PerfectAlternation && of.status == ProofStatus::Refuted);
            kind.push(if again { "one moves at a time" } else { "turns alternate" }.to_owned());
        }
        Turns::Simultaneous => kind.push("moves are simultaneous".to_owned()),
    }
    kind.push(if information.random_role { "chance" } else { "no chance" }.to_owned());
    if players > 1 || information.hidden {
        kind.push(if information.hidden { "hidden moves" } else { "nothing hidden" }.to_owned());
    }
    if players > 1 && found.has_ends() {
        let teams = found.teams.iter().filter(|team| team.len() > 1).count();
        match (found.teams.len(), teams, found.zero_sum) {
            (1, ..) => kind.push("one team".to_owned()),
            (count, 1.., _) => kind.push(format!("{count} teams")),
            (_, _, true) => kind.push("zero-sum".to_owned()),
            _ => kind.push("not zero-sum".to_owned()),
        }
    }
    kind.join(", ")
}

/// The name of the game and its kind.
fn headline(analysis: &Analysis, layout: Layout) -> Vec<String> {
    let name = layout.strong(&analysis.game.name);
    let kind = kind(analysis);
    match analysis.game.name.chars().count() + 3 + kind.chars().count() <= WIDTH {
        true => vec![format!("{name}   {kind}")],
        false => vec![name, format!("  {kind}")],
    }
}

/// What is wrong with the game; empty if nothing is.
fn problems(analysis: &Analysis) -> Vec<String> {
    let seen = &analysis.simulation;
    let mut out = Vec::from_iter(no_game_ended(seen).map(|headline| format!("warning: {headline}")));
    for fault in seen.faults.iter().filter(|fault| fault.kind != FaultKind::GoalFell) {
        let role = fault.role.as_ref().map_or(String::new(), |role| format!("{role}: "));
        let kind = super::random_play::fault_name(fault.kind);
        let games = grouped(seen.playouts);
        out.push(format!("warning: {role}{kind} ({} of {games} random games)", grouped(fault.playouts)));
    }
    out
}

/// The facts about the game that are written next to the board.
pub(in crate::report) fn facts(analysis: &Analysis, board: &InitialBoard) -> Vec<Row> {
    let size = board_size(&analysis.structures, board);
    let mut rows = Vec::from_iter(size.map(|text| row("Board", text, 2, 0)));
    rows.extend(analysis.parts.as_ref().map(|parts| row("Parts", parts.sentence.clone(), 3, 1)));
    if let Some(verdict) = &analysis.verdict {
        let moves = moves(verdict).into_iter().enumerate();
        // The first relation has most moves. How pieces are captured matters more than the number of choices.
        rows.extend(moves.map(|(number, (text, captures))| match (number, captures) {
            (0, _) => row("A move", text, 3, 0),
            (_, true) => row("A move", text, 3, 1),
            _ => row("A move", text, 3, 3),
        }));
        let texts = winning(analysis, verdict).into_iter().map(|text| board.as_drawn(text));
        // With graded goal values, the best one is not the only way to win.
        let graded = analysis.goals.iter().any(|goals| goals.possible.len() > GRADED);
        let label = if graded { "Goal" } else { "Win" };
        rows.extend(texts.map(|text| row(label, text, 3, 0)));
    }
    rows.extend(length(analysis).map(|text| row("Length", text, 2, 0)));
    rows.extend(choices(analysis).map(|text| row("Choices", text, 1, 2)));
    rows
}

/// The size of the board and the contents of its cells.
fn board_size(found: &Structures<Kif>, board: &InitialBoard) -> Option<String> {
    /// The most kinds of contents that are named.
    const NAMED: usize = 5;
    let (size, fluent) = board.size.as_ref()?;
    let board = found.fluents.get(*fluent)?;
    let contents: Vec<String> = board.objects().map(|object| object.symbol.join(" ")).collect();
    let empty = board.covered == Some(false);
    let named = match contents.len() {
        0 => String::new(),
        // Facts that place pieces leave cells without a fact, and two pieces may share a cell.
        1..=NAMED if board.kind == FluentKind::Place => format!("; pieces: {}", contents.join(", ")),
        1..=NAMED => {
            let words: Vec<&str> =
                empty.then_some("empty").into_iter().chain(contents.iter().map(String::as_str)).collect();
            format!("; each cell {}", alternatives(&words))
        }
        more => format!("; {more} kinds of contents{}", if empty { ", or empty" } else { "" }),
    };
    Some(format!("{size}{named}"))
}

/// `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}

/// The moves in words, the most frequent first, each with whether they capture. Relations with the same sentence are one.
fn moves(verdict: &Verdict) -> Vec<(String, bool)> {
    /// The most sentences.
    const DESCRIBED: usize = 3;
    let moves = &verdict.moves;
    // Variables of a move's form say nothing to a reader.
    let name = |kind: &MoveKind| match kind.form.contains('?') {
        true => kind.relation.split('/').next().unwrap_or_default().to_owned(),
        false => kind.form.clone(),
    };
    let mut groups: Vec<(&str, bool, Vec<String>)> = Vec::new();
    for kind in &moves.kinds {
        match groups.iter_mut().find(|(sentence, ..)| *sentence == kind.sentence.as_str()) {
            Some((.., names)) => names.push(name(kind)),
            None => groups.push((kind.sentence.as_str(), kind.captures.moves > 0, vec![name(kind)])),
        }
    }
    let left_out: usize = groups.iter().skip(DESCRIBED).map(|(.., names)| names.len()).sum();
    let others = moves.others + left_out;
    let described = groups.iter().take(DESCRIBED);
    let mut texts: Vec<(String, bool)> = described
        .map(|(sentence, captures, names)| (format!("{}: {sentence}", names.join(", ")), *captures))
        .collect();
    if let (Some((last, _)), 1..) = (texts.last_mut(), others) {
        last.push_str(&format!("; and {} of moves", counted(others as u64, "other kind", "other kinds")));
    }
    texts
}

/// The most characters of alternative conditions; the last ones are only counted.
const ALTERNATIVES_LENGTH: usize = 75;

/// How one wins: one sentence if it is the same for all roles, else one for each.
fn winning(analysis: &Analysis, verdict: &Verdict) -> Vec<String> {
    /// The most sentences.
    const NAMED: usize = 2;
    let text = |condition: &WinningCondition| {
        let sentences: Vec<&str> =
            condition.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        let points = condition.sentences.iter().any(|sentence| sentence.form == WinningForm::Points);
        let by_rule = condition.sentences.iter().any(|sentence| sentence.form == WinningForm::Rule);
        // A rule for a goal value is only read at the end.
        let at_end = condition.when == WinningTime::AtEnd && !points && !by_rule;
        let when = if at_end { ", at the end" } else { "" };
        // With graded goal values the condition is only that of one value.
        let possible: &[i32] =
            analysis.goals.get(condition.role).map_or(&[], |goals| goals.possible.as_slice());
        let lower = possible.iter().filter(|&&value| value < condition.goal).count() as u64;
        let goal = match condition.goal {
            _ if points => String::new(),
            goal if possible.len() > GRADED => {
                format!(" (goal {goal}; {} possible)", counted(lower, "lower value", "lower values"))
            }
            100 => String::new(),
            goal => format!(" (goal {goal})"),
        };
        let rule = if by_rule { "by a rule that is not put in words: " } else { "" };
        let mut shown = sentences.len();
        let length = |shown: usize| sentences[..shown].iter().map(|text| text.chars().count()).sum::<usize>();
        while shown > 1 && length(shown) > ALTERNATIVES_LENGTH {
            shown -= 1;
        }
        let others = match (sentences.len() - shown) as u64 {
            0 => String::new(),
            others => format!(", or {}", counted(others, "other condition", "other conditions")),
        };
        format!("{rule}{}{others}{when}{goal}", sentences[..shown].join(", or "))
    };
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for condition in verdict.winning.iter().filter(|of| of.goal > 0 && !of.sentences.is_empty()) {
        let (text, role) = (text(condition), analysis.game.roles[condition.role].as_str());
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, roles)) => roles.push(role),
            None => groups.push((text, vec![role])),
        }
    }
    if let [(text, _)] = &groups[..] {
        return vec![text.clone()];
    }
    let more = groups.len().saturating_sub(NAMED);
    let named = |(text, roles): &(String, Vec<&str>)| format!("{}: {text}", roles.join(", "));
    let mut lines: Vec<String> = groups.iter().take(NAMED).map(named).collect();
    if let (Some(last), 1..) = (lines.last_mut(), more) {
        last.push_str(&format!(
            "; {} more, see --format json",
            counted(more as u64, "condition", "conditions")
        ));
    }
    lines
}

/// The length of games: bounds, and the quartiles of random games.
pub(in crate::report) fn length(analysis: &Analysis) -> Option<String> {
    let length = analysis.simulation.length.as_ref()?;
    let seen = match length.min == length.max {
        true => format!("{} in random play", counted(u64::from(length.min), "move", "moves")),
        false if length.p25 == length.p75 => format!(
            "{} to {} moves in random play, mostly {}",
            grouped(u64::from(length.min)),
            grouped(u64::from(length.max)),
            grouped(u64::from(length.p25)),
        ),
        false => format!(
            "{} to {} moves in random play (middle 50 %: {} to {})",
            grouped(u64::from(length.min)),
            grouped(u64::from(length.max)),
            grouped(u64::from(length.p25)),
            grouped(u64::from(length.p75))
        ),
    };
    let cut = match analysis.simulation.cut_off.count {
        0 => String::new(),
        _ => format!(
            "; {} were stopped after {}",
            percent(analysis.simulation.cut_off.share),
            counted(u64::from(analysis.simulation.max_steps), "move", "moves")
        ),
    };
    Some(format!("{seen}{}{cut}", length_bound(analysis)))
}

/// The proved bound on the number of moves, as the end of a sentence; empty without one.
pub(in crate::report) fn length_bound(analysis: &Analysis) -> String {
    let termination = analysis.properties.iter().find(|of| of.name == PropertyName::Termination);
    let bound = termination.filter(|of| of.status == ProofStatus::Proved).and_then(|of| of.longest);
    bound.map_or(String::new(), |bound| format!("; at most {} (proved)", grouped(bound)))
}

/// The number of choices at a turn.
pub(in crate::report) fn choices(analysis: &Analysis) -> Option<String> {
    let players = &analysis.structures.teams;
    let plays =
        |role: &crate::simulate::RoleStatistics| players.iter().flatten().any(|name| *name == role.role);
    let roles: Vec<_> = analysis
        .simulation
        .roles
        .iter()
        .filter(|role| plays(role) && role.branching.turn_mean.is_some())
        .collect();
    let mean =
        |role: &&crate::simulate::RoleStatistics| format!("{:.1}", role.branching.turn_mean.unwrap_or(0.0));
    let most = roles.iter().map(|role| role.branching.max).max()?;
    let same = roles.windows(2).all(|pair| mean(&pair[0]) == mean(&pair[1]));
    let text = match same {
        true => format!("{} at a turn", mean(roles.first()?)),
        false if roles.len() <= 3 => {
            roles.iter().map(|role| format!("{} {}", role.role, mean(role))).collect::<Vec<_>>().join(", ")
        }
        false => {
            let means = roles.iter().filter_map(|role| role.branching.turn_mean);
            let (least, most) =
                means.fold((f64::MAX, 0.0f64), |(least, most), mean| (least.min(mean), most.max(mean)));
            format!("{least:.1} to {most:.1} at a turn, depending on the role")
        }
    };
    // Without variation, the mean and the maximum say the same.
    if roles.iter().all(|role| role.branching.turn_mean == Some(most as f64)) {
        return Some(format!("{most} at every turn seen"));
    }
    Some(format!("{text}, at most {most} seen"))
}

/// The name of a strength.
pub(in crate::report) fn strength_name(strength: Strength) -> String {
    match strength {
        Strength::Random => "random play".to_owned(),
        Strength::Search(states) => format!("search, {} states a move", grouped(states)),
    }
}

/// The table of results by strength.
fn who_wins(analysis: &Analysis, verdict: &Verdict, layout: Layout) -> Vec<String> {
    let roles = &analysis.game.roles;
    let players = analysis.players();
    // Roles of one team have the same result, like a single role.
    let alone = analysis.structures.teams.len() == 1;
    let single = players.len() == 1;
    // The roles of a team have the same results, so a team has one column.
    let teams = &analysis.structures.teams;
    let shown: Vec<(usize, String)> = (teams.iter().take(MOST_ROLES))
        .filter_map(|team| {
            let role = roles.iter().position(|role| Some(role) == team.first())?;
            let joined = team.join(" + ");
            let short = joined.chars().count() <= TEAM_NAME || team.len() == 1;
            Some((role, if short { joined } else { format!("{}'s team", roles[role]) }))
        })
        .collect();
    let draws = !alone;
    let unfinished = verdict.self_play.iter().any(|of| of.unfinished > 0);
    let first = verdict.first_role.as_deref();
    // Several roles can share the greatest goal value, and equal goal values need not be draws.
    let shared = teams.len() > 2 || !analysis.structures.zero_sum;
    let title = match (alone, teams.len() > 2) {
        (true, _) => "How well does it go?",
        (false, true) => "Who wins (alone or tied)?",
        (false, false) => "Who wins?",
    };
    let mut header = vec![title.to_owned()];
    if alone {
        header.extend(single.then(|| "reaches 100".to_owned()));
        header.push("mean goal".to_owned());
    } else {
        header.extend(shown.iter().map(|(role, name)| match first {
            Some(first) if first == roles[*role] => format!("{name} (first)"),
            _ => name.clone(),
        }));
    }
    let tie = if shared { "tie" } else { "draw" };
    header.extend(draws.then(|| tie.to_owned()));
    header.extend(unfinished.then(|| "no result".to_owned()));
    header.extend(["games".to_owned(), "moves".to_owned()]);
    let mut table = vec![header];
    for of in &verdict.self_play {
        let decided = of.games - of.unfinished;
        let share = |share: f64| if decided == 0 { "-".to_owned() } else { percent(share) };
        let mut cells = vec![strength_name(of.strength)];
        if alone {
            let role = &of.roles[players.first().copied().unwrap_or(0)];
            cells.extend(single.then(|| share(role.wins.share)));
            cells.push(role.goal.map_or("-".to_owned(), |goal| format!("{:.1}", goal.mean)));
        } else {
            cells.extend(shown.iter().map(|&(role, _)| share(of.roles[role].wins.share)));
        }
        cells.extend(draws.then(|| share(of.draws.share)));
        cells.extend(unfinished.then(|| percent(of.unfinished as f64 / of.games.max(1) as f64)));
        cells.push(grouped(of.games));
        cells.push(of.length.map_or("-".to_owned(), |length| match length.p25 == length.p75 {
            true => grouped(u64::from(length.p25)),
            false => format!("{} to {}", grouped(u64::from(length.p25)), grouped(u64::from(length.p75))),
        }));
        table.push(cells);
    }
    if widths(&table).is_none() {
        for (row, of) in table[1..].iter_mut().zip(&verdict.self_play) {
            row[0] = match of.strength {
                Strength::Random => "random".to_owned(),
                Strength::Search(states) => format!("search, {}", grouped(states)),
            };
        }
    }
    aligned(&table, layout)
}

/// The widths of the columns of a table of at most [`WIDTH`] columns, and the gap between them. Titles are shortened as far as
/// necessary. None if the table does not fit.
fn widths(table: &[Vec<String>]) -> Option<(Vec<usize>, usize)> {
    /// The widest titles with the gaps; the first of them that fits is used.
    const WIDEST: [(usize, usize); 7] = [(18, 2), (18, 1), (14, 2), (14, 1), (10, 1), (8, 1), (6, 1)];
    let of = |(widest, gap): (usize, usize)| -> (Vec<usize>, usize) {
        let cell = |(number, row): (usize, &Vec<String>), column: usize| match (number, column) {
            (_, 0) => row[0].chars().count() + 2,
            (0, _) => row[column].chars().count().min(widest),
            _ => row[column].chars().count(),
        };
        let widths = (0..table[0].len())
            .map(|column| table.iter().enumerate().map(|row| cell(row, column)).max().unwrap_or(0))
            .collect();
        (widths, gap)
    };
    let total =
        |(widths, gap): &(Vec<usize>, usize)| widths.iter().map(|width| width + gap).sum::<usize>() - gap;
    WIDEST.into_iter().map(of).find(|widths| total(widths) <= WIDTH)
}

/// A table whose first column is aligned at its left, the others at their right. If it is too wide, its last columns are left
/// out.
fn aligned(table: &[Vec<String>], layout: Layout) -> Vec<String> {
    let mut table = table.to_vec();
    let (widths, gap) = loop {
        match widths(&table) {
            Some(widths) => break widths,
            None => table.iter_mut().for_each(|row| row.truncate(row.len() - 1)),
        }
    };
    let line = |(number, row): (usize, &Vec<String>)| {
        let indent = if number > 0 { "  " } else { "" };
        let mut line = format!("{:<width$}", format!("{indent}{}", row[0]), width = widths[0]);
        for (text, &width) in row.iter().zip(&widths).skip(1) {
            let text = shortened(text, width);
            line.push_str(&" ".repeat(gap));
            line.push_str(&format!("{text:>width$}"));
        }
        if number == 0 { layout.heading(&line) } else { line }
    };
    table.iter().enumerate().map(line).collect()
}

/// A text of at most this width. A longer one loses what is in parentheses at its end, or ends with a mark.
fn shortened(text: &str, width: usize) -> String {
    let without = text.split(" (").next().unwrap_or(text);
    match text.chars().count() {
        count if count <= width => text.to_owned(),
        _ if without.chars().count() <= width => without.to_owned(),
        _ => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The answers below the table.
pub(in crate::report) fn answers(analysis: &Analysis, board: &InitialBoard) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(verdict) = &analysis.verdict {
        rows.push(row("Best play", best_play(analysis, verdict), 2, 0));
        rows.extend(first_player(analysis, verdict).map(|text| row("First player", text, 2, 4)));
        let skill = skill(verdict, analysis.structures.teams.len(), analysis.structures.zero_sum);
        rows.extend(skill.map(|text| row("Does skill count?", text, 3, 1)));
        // Without a solution, the values of a puzzle's first moves say little.
        let first =
            verdict.first_moves.as_ref().filter(|first| first.proved || analysis.game.roles.len() > 1);
        rows.extend(first.map(|first| row("First move", first_move(first), 2, 2)));
    }
    rows.extend(helps(analysis).map(|text| row("What helps", board.as_drawn(text), 2, 3)));
    let ends = how_games_end(analysis);
    rows.extend(ends.map(|text| row("How games end", text, 3, 1)));
    rows.extend(sound(analysis).map(|text| row(SOUND, text, 2, 0)));
    rows.extend(rules(analysis).map(|text| row("Rules", text, 2, 1)));
    rows.extend(left_out(analysis).map(|note| row("Skipped", note, 1, 0)));
    let more = "--evidence, --features, --functions, --quality, --out FOLDER";
    rows.push(row("More", more.to_owned(), 1, 0));
    rows
}

/// What the verdict left out, and why.
pub(in crate::report) fn left_out(analysis: &Analysis) -> impl Iterator<Item = String> {
    analysis.verdict.iter().flat_map(|verdict| verdict.notes.iter().cloned())
}

/// The longest path of a game that is printed whole.
const LONG_PATH: usize = 34;

/// Who wins with best play.
pub(in crate::report) fn best_play(analysis: &Analysis, verdict: &Verdict) -> String {
    let roles = &analysis.game.roles;
    let path = &*analysis.game.path;
    let name = std::path::Path::new(path).file_name().and_then(|name| name.to_str());
    // A long path would take a second line.
    let file = name.filter(|_| path.len() > LONG_PATH).unwrap_or(path);
    let unknown = || format!("not solved here; try ggp solve {file}");
    let Some(best) = &verdict.best_play else { return unknown() };
    let players = analysis.players();
    let values: Vec<Option<f64>> = players.iter().map(|&role| best.values[role]).collect();
    let roles: Vec<&String> = players.iter().map(|&role| &roles[role]).collect();
    if let ([_], true, [Some(mean)]) = (&roles[..], best.means, &values[..]) {
        return format!("{mean:.1} of 100 on average (proved)");
    }
    if let ([_], [value]) = (&roles[..], &values[..]) {
        let Some(value) = value else {
            return plan(analysis).or_else(|| solved_in_play(verdict)).unwrap_or_else(unknown);
        };
        let moves = best.length.map_or(String::new(), |length| {
            let shortest = if best.shortest { ", and no plan is shorter" } else { "" };
            format!(" in {}{shortest}", counted(length as u64, "move", "moves"))
        });
        let plan = match best.line.len() {
            1..=8 => format!(": {}", best.line.iter().flatten().cloned().collect::<Vec<_>>().join(" ")),
            _ => String::new(),
        };
        return match *value >= 100.0 {
            true => format!("solvable{moves} (proved){plan}"),
            false => format!("at most {value:.0} of 100 can be reached (proved)"),
        };
    }
    let known: Vec<String> = (roles.iter().zip(&values))
        .filter_map(|(role, value)| Some(format!("{role} {:.0}", value.filter(|&value| value > 0.0)?)))
        .collect();
    let length = best
        .length
        .filter(|_| best.solved && !best.means)
        .map_or(String::new(), |length| format!(" after {}", counted(length as u64, "move", "moves")));
    let values: Option<Vec<f64>> = values.into_iter().collect();
    match values.as_deref() {
        Some(values) if best.means => {
            let means: Vec<String> =
                roles.iter().zip(values).map(|(role, value)| format!("{role} {value:.1}")).collect();
            format!("mean goal values {} (proved)", means.join(", "))
        }
        Some(values) if analysis.structures.teams.len() == 1 => {
            format!("{:.0} of 100 for all{length} (proved)", values[0])
        }
        Some([first, second]) if first == second => format!("a draw{length} (proved)"),
        Some([first, second]) => format!("{} wins{length} (proved)", roles[usize::from(second > first)]),
        _ if known.is_empty() => unknown(),
        _ => format!("a role can guarantee: {} (proved)", known.join(", ")),
    }
}

/// The score of the role that begins, in a game of two players.
fn first_player(analysis: &Analysis, verdict: &Verdict) -> Option<String> {
    let [[_], [_]] = &analysis.structures.teams.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] else {
        return None;
    };
    let first = verdict.first_role.as_ref()?;
    let score = |of: &SelfPlay| {
        let role = of.roles.iter().find(|role| role.role == *first)?;
        let games = of.games - of.unfinished;
        (games > 0).then_some((role.wins.share + of.draws.share / 2.0, games, of.strength))
    };
    let scores: Vec<(f64, u64, Strength)> = verdict.self_play.iter().filter_map(score).collect();
    // The strength with most games has the narrowest interval.
    let searched = scores.iter().filter(|(.., strength)| strength.states() > 0);
    let searched = searched.reduce(|best, other| if other.1 > best.1 { other } else { best });
    let random = scores.iter().find(|(.., strength)| strength.states() == 0);
    let mut texts = Vec::from_iter(random.map(|(score, ..)| format!("{} in random play", percent(*score))));
    texts.extend(searched.map(|&(score, games, _)| {
        let [low, high] = wilson_of(score, games);
        let games = counted(games, "game", "games");
        format!("{} in {games} of search ({})", percent(score), range(low, high))
    }));
    (!texts.is_empty()).then(|| format!("scores {}", texts.join(", ")))
}

/// An interval of shares, such as `44 to 61 %`.
fn range(low: f64, high: f64) -> String {
    let (low, high) = (percent(low), percent(high));
    format!("{} to {high}", low.trim_end_matches(" %"))
}

/// The best plan that a search found for one role, if it is not proved to be the best.
fn plan(analysis: &Analysis) -> Option<String> {
    let search = analysis.goals.first()?.search.as_ref()?;
    let reached = analysis.goals.first()?.reached.last().copied().unwrap_or(0);
    let goal = search.goal.filter(|&goal| goal > reached && !search.moves.is_empty())?;
    let length = counted(search.moves.len() as u64, "move", "moves");
    Some(match goal {
        100 => format!("solvable in {length}: a planning search found a solution, perhaps not the shortest"),
        _ => format!("{goal} of 100 by a plan of {length} that a search found"),
    })
}

/// Games of a search that reached the best goal value of a puzzle.
fn solved_in_play(verdict: &Verdict) -> Option<String> {
    let of = verdict.self_play.iter().rev().find(|of| of.roles.len() == 1 && of.roles[0].wins.count > 0)?;
    let games = counted(of.games, "game", "games");
    Some(format!(
        "solvable: {} of {games} reached 100 ({})",
        grouped(of.roles[0].wins.count),
        strength_name(of.strength)
    ))
}

/// Whether more search scores better than equal players would: `yes`, `hardly` or `not certain`.
fn skill_answer(duel: &Duel, teams: usize) -> &'static str {
    let equal = 1.0 / teams.max(2) as f64;
    match (duel.low > equal, duel.high < equal + 0.1) {
        (true, _) => "yes",
        (false, true) => "hardly",
        (false, false) => "not certain",
    }
}

/// The score of a duel with its interval.
fn duel_score(duel: &Duel) -> String {
    format!("{} ({})", percent(duel.score), range(duel.low, duel.high))
}

/// Whether skill counts, with the scores of the search.
pub(in crate::report) fn skill(verdict: &Verdict, teams: usize, zero_sum: bool) -> Option<String> {
    if !zero_sum {
        return mean_goals(verdict);
    }
    let equal = 1.0 / teams.max(2) as f64;
    let fair = if teams > 2 { format!(", equal players {}", percent(equal)) } else { String::new() };
    let games = |duel: &Duel| counted(duel.games, "game", "games");
    let random = verdict.against_random.as_ref().map(|duel| (duel, duel.low > equal));
    match (&verdict.more_search, random) {
        (Some(more), random) => {
            let answer = match (skill_answer(more, teams), random) {
                ("yes", _) => "yes",
                (_, Some((_, true))) => "up to a point",
                (answer, _) => answer,
            };
            let (score, games) = (duel_score(more), games(more));
            Some(match random.filter(|_| answer != "yes") {
                Some((duel, _)) => format!(
                    "{answer}: a search scores {} against random play; one of ten times as many states scores {score} against the smaller search, {games}{fair}",
                    percent(duel.score),
                ),
                None => format!(
                    "{answer}: a search of ten times as many states scores {score} against the smaller search, {games}{fair}"
                ),
            })
        }
        (None, Some((duel, better))) => {
            let answer = if better { "yes" } else { "not certain" };
            let games = games(duel);
            Some(format!(
                "{answer}: the search scores {} against random play, {games}{fair}",
                duel_score(duel)
            ))
        }
        (None, None) => None,
    }
}

/// The mean goal values of the search, for games in which a higher value than the others' is not the aim. They are compared with
/// those of equal players.
fn mean_goals(verdict: &Verdict) -> Option<String> {
    let among_equals = |strength: Strength| {
        let games = verdict.self_play.iter().find(|of| of.strength == strength)?;
        let means: Vec<f64> = games.roles.iter().filter_map(|role| Some(role.goal?.mean)).collect();
        (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
    };
    let compared = |duel: &Option<Duel>, against: &str| {
        let duel = duel.as_ref()?;
        let (own, equal) = (duel.goal?, among_equals(duel.against)?);
        let answer = match (own.low, own.high) {
            (Some(low), _) if low > equal => "yes",
            (_, Some(high)) if high < equal => "no",
            _ => "not certain",
        };
        let games = counted(duel.games, "game", "games");
        Some((
            answer,
            format!(
                "a mean goal of {:.1} against {against} ({games}), equal players get {equal:.1}",
                own.mean
            ),
        ))
    };
    let random = compared(&verdict.against_random, "random play");
    let more = compared(&verdict.more_search, "a search of a tenth of its states");
    match (random, more) {
        (_, Some(("yes", text))) => Some(format!("yes: a search gets {text}")),
        (Some((answer, text)), _) | (None, Some((answer, text))) => {
            Some(format!("{answer}: a search gets {text}"))
        }
        (None, None) => None,
    }
}

/// The values of the first moves: the best ones, then the next.
pub(in crate::report) fn first_move(first: &FirstMoves) -> String {
    /// The most groups of moves, and the most moves named in each.
    const GROUPS: usize = 3;
    const NAMED: usize = 3;
    // Moves that are images of each other show how far values are due to chance.
    let chance = first.spread.unwrap_or(0.0);
    let similar = if first.proved { 0.5 } else { SIMILAR.max(chance) };
    let mut groups: Vec<(f64, Vec<&str>)> = Vec::new();
    for of in &first.moves {
        match groups.last_mut() {
            Some((value, moves)) if *value - of.value < similar => moves.push(&of.action),
            _ => groups.push((of.value, vec![&of.action])),
        }
    }
    let worst = first.moves.last().map_or(0.0, |of| of.value);
    let best = first.moves.first().map_or(0.0, |of| of.value);
    let count = first.moves.len();
    if let ([_], true) = (&groups[..], first.proved) {
        return format!("all {count} are equally good (goal value {best:.0}, proved)");
    }
    if !first.proved && best - worst < UNCLEAR.max(chance) {
        let [least, most] = [worst, best].map(|value| format!("{value:.0}"));
        return match least == most {
            true => format!("none of {count} stands out (mean goal {most} each by search)"),
            false => format!("none of {count} stands out (mean goals {least} to {most} by search)"),
        };
    }
    let group = |(number, (value, moves)): (usize, &(f64, Vec<&str>))| {
        let named = if moves.len() > NAMED + 1 { NAMED } else { moves.len() };
        let mut text = moves[..named].join(", ");
        if moves.len() > named {
            text.push_str(&format!(" and {} more", moves.len() - named));
        }
        let verb = match (number, first.proved) {
            (0, true) => plural(moves.len() as u64, " is best", " are best"),
            (0, false) => plural(moves.len() as u64, " looks best", " look best"),
            _ => "",
        };
        let what = match (number, first.proved) {
            (0, true) => "goal value ",
            (0, false) => "mean goal ",
            _ => "",
        };
        format!("{text}{verb} ({what}{value:.0})")
    };
    let (mut text, mut shown) = (String::new(), 0);
    for (number, found) in groups.iter().take(GROUPS).enumerate() {
        let next = group((number, found));
        if number > 0 && text.chars().count() + next.chars().count() > FIRST_MOVE_LENGTH {
            break;
        }
        text.push_str(if number > 0 { ", then " } else { "" });
        text.push_str(&next);
        shown += 1;
    }
    let worst = if groups.len() > shown { format!("; the worst has {worst:.0}") } else { String::new() };
    let basis = if first.proved { "; proved" } else { "; by search" };
    format!("{text}{worst}{basis}")
}

/// A feature that helps, in words.
pub(in crate::report) struct HelpText {
    /// The feature's id.
    pub(in crate::report) feature: String,
    /// Such as `more red than yellow in column 4 (red scores 70 %, otherwise 40 %)`.
    pub(in crate::report) text: String,
    /// The joint moves after which the games were compared.
    pub(in crate::report) step: u32,
}

/// The features that predict the result halfway through good games and for which a short sentence is known.
pub(in crate::report) fn help_texts(analysis: &Analysis) -> Vec<HelpText> {
    let words = |help: &Help| {
        let measured = analysis.features.iter().find(|of| of.feature.id == help.feature)?;
        let more = help.score_above > help.score_below;
        let words = in_words(&measured.feature.spec, &analysis.structures, more)?;
        let (with, without) = match more {
            true => (help.score_above, help.score_below),
            false => (help.score_below, help.score_above),
        };
        let scores = format!("{} then scores {}, otherwise {}", help.role, percent(with), percent(without));
        let feature = help.feature.clone();
        Some(HelpText { feature, text: format!("{words} ({scores})"), step: help.step })
    };
    analysis.verdict.iter().flat_map(|verdict| &verdict.helps).filter_map(words).collect()
}

/// Features that predict the result halfway through good games.
fn helps(analysis: &Analysis) -> Option<String> {
    /// The most features.
    const NAMED: usize = 3;
    let mut named = help_texts(analysis);
    named.truncate(NAMED);
    let step = named.last()?.step;
    let texts: Vec<String> = named.into_iter().map(|help| help.text).collect();
    Some(format!("after {step} moves, {}", texts.join("; ")))
}

/// Whether games end, players have moves and ends have one result.
pub(in crate::report) fn sound(analysis: &Analysis) -> Option<String> {
    let seen = &analysis.simulation;
    let status = |name: PropertyName| {
        let of: Vec<ProofStatus> =
            analysis.properties.iter().filter(|of| of.name == name).map(|of| of.status).collect();
        match () {
            () if of.is_empty() => ProofStatus::Open,
            () if of.contains(&ProofStatus::Refuted) => ProofStatus::Refuted,
            () if of.iter().all(|&status| status == ProofStatus::Proved) => ProofStatus::Proved,
            () => ProofStatus::Open,
        }
    };
    let faulty = |kind: FaultKind| seen.faults.iter().any(|fault| fault.kind == kind);
    let checks = [
        (PropertyName::Termination, "always ends", "may go on for ever", seen.cut_off.count > 0),
        (
            PropertyName::Playability,
            "a legal move until the end",
            "a player can be without a move",
            faulty(FaultKind::NoLegalMove),
        ),
        (
            PropertyName::UniqueGoal,
            "one goal value for each player",
            "an end without exactly one goal value for each player",
            faulty(FaultKind::NoGoal) || faulty(FaultKind::SeveralGoals),
        ),
    ];
    let (mut proved, mut measured, mut wrong, mut open) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (name, good, bad, failed) in checks {
        match status(name) {
            ProofStatus::Proved => proved.push(good),
            ProofStatus::Refuted => wrong.push(bad),
            ProofStatus::Open if failed && name == PropertyName::Termination => {
                open.push("long games were stopped")
            }
            ProofStatus::Open if failed => wrong.push(bad),
            ProofStatus::Open => measured.push(good),
        }
    }
    if seen.playouts == 0 || matches!(seen.warnings.first(), Some(Warning::NeverEnded)) {
        return None;
    }
    let mut parts = Vec::new();
    parts.extend((!wrong.is_empty()).then(|| wrong.join(", ")));
    parts.extend((!proved.is_empty()).then(|| format!("{} (proved)", proved.join(", "))));
    let games = grouped(seen.playouts);
    parts
        .extend((!measured.is_empty()).then(|| format!("{} (in {games} random games)", measured.join(", "))));
    parts.extend((!open.is_empty()).then(|| open.join(", ")));
    let answer = match (wrong.is_empty(), open.is_empty()) {
        (false, _) => "no",
        (true, false) => "not certain",
        (true, true) => "yes",
    };
    Some(format!("{answer}: {}", parts.join("; ")))
}

/// The rules that never fired, by line.
fn rules(analysis: &Analysis) -> Option<String> {
    /// The most lines that are named.
    const NAMED: usize = 8;
    /// Fewer random games show nothing about a rule that did not fire in them.
    const ENOUGH: u64 = 10;
    let coverage = analysis.structures.rule_coverage.as_ref().filter(|of| of.rules > 0 && of.playouts > 0)?;
    let games = counted(coverage.playouts, "random game", "random games");
    let never = coverage.rules - coverage.applied;
    if never == 0 {
        return Some(format!("all {} that depend on the state fired within {games}", coverage.rules));
    }
    let unfired = analysis.verdict.as_ref().and_then(|verdict| verdict.endings.unfired.as_ref());
    let Some(unfired) = unfired else {
        return Some(format!("{never} of {} did not fire within {games}", coverage.rules));
    };
    if unfired.games == 0 && coverage.playouts < ENOUGH {
        let few = "too few to find unused rules";
        return Some(format!("{never} of {} did not fire within {games}, {few}", coverage.rules));
    }
    let lines = |in_good_play: bool| {
        let of = unfired.rules.iter().filter(|rule| rule.in_good_play == in_good_play && rule.line > 0);
        let mut lines: Vec<usize> = of.map(|rule| rule.line).collect();
        lines.dedup();
        let more = lines.len().saturating_sub(NAMED);
        let mut text = lines.iter().take(NAMED).map(usize::to_string).collect::<Vec<_>>().join(", ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        (lines.len() as u64, text)
    };
    let (dead, only_good) = (lines(false), lines(true));
    let mut text = format!("{never} of {} did not fire within {games}", coverage.rules);
    if dead.0 > 0 {
        let searched = if unfired.games > 0 { " (nor in games of search)" } else { "" };
        text.push_str(&format!(": {} {}{searched}", plural(dead.0, "line", "lines"), dead.1));
    }
    if only_good.0 > 0 {
        text.push_str(&format!(
            "; {} {} fired in games of search",
            plural(only_good.0, "line", "lines"),
            only_good.1
        ));
    }
    Some(text)
}
