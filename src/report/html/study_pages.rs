//! The pages of studies of structures and of speeds.

use crate::study::{GameEntry, SpeedStudy, StructureStudy, Study};

use super::super::bench::{MachineSpeed, short};
use super::super::labels::{Agreement, LabelComparison};
use super::super::layout::{counted, grouped};
use super::super::study::Circumstances;
use super::document::PageError;
use super::results::{ResultsPage, Section, SectionPart};
use super::tables::{Column, Field, Table, columns};
use super::warnings::Warning;

/// The results of a study by game.
pub struct StudyResults<'a, T> {
    /// The study.
    pub study: &'a Study,
    /// The results, in the order of the study.
    pub entries: &'a [GameEntry<T>],
    /// SHA-256 of the games' files, in the order of the study.
    pub hashes: &'a [String],
    /// The command and the computer.
    pub about: &'a Circumstances,
}

impl<T> StudyResults<'_, T> {
    /// Renders a page as HTML and as Markdown.
    fn pages(
        &self,
        lead: String,
        facts: Vec<(&'static str, String)>,
        sections: Vec<Section>,
    ) -> Result<[String; 2], PageError> {
        let broken = |entry: &GameEntry<T>| {
            let text = entry.broken.clone()?;
            Some(Warning { class: "bad", title: format!("Broken: {}", entry.path), text })
        };
        let mut warnings: Vec<Warning> = self.entries.iter().filter_map(broken).collect();
        let left = (self.study.games.len() - self.entries.len()) as u64;
        if left > 0 {
            let text = format!("{} still to be studied.", counted(left, "game is", "games are"));
            warnings.push(Warning { class: "open", title: "Not finished".to_owned(), text });
        }
        let games = self.study.games.iter().zip(self.hashes);
        let page = ResultsPage {
            kind: "Study",
            title: self.study.name.clone(),
            lead,
            warnings,
            run_last: false,
            command: self.about.command.clone(),
            facts: [("Program", format!("ggp {}", env!("CARGO_PKG_VERSION")))]
                .into_iter()
                .chain(facts)
                .collect(),
            games: Table {
                id: "".into(),
                caption: String::new(),
                columns: columns(&["file", "SHA-256"]),
                rows: games
                    .map(|(path, hash)| vec![Field::text(path.display().to_string()), Field::text(hash)])
                    .collect(),
                left_out: String::new(),
            },
            sections,
            made: self.about.made(),
        };
        Ok([page.render()?, page.markdown()])
    }
}

/// The name of a game: its file name without the extension `.kif`.
fn game_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".kif").unwrap_or(file).to_owned()
}

/// Renders the comparison of findings with labels as HTML and as Markdown.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn labelled_page(
    plan: &StructureStudy,
    results: &StudyResults<'_, LabelComparison>,
) -> Result<[String; 2], PageError> {
    let games: Vec<LabelledGame<'_>> =
        results.entries.iter().filter_map(|entry| Some((entry, entry.found.as_ref()?))).collect();
    let mut kinds: Vec<(&str, Agreement)> = Vec::new();
    for (kind, of) in games.iter().flat_map(|(_, compared)| &compared.kinds) {
        let index = kinds.iter().position(|(known, _)| known == kind).unwrap_or_else(|| {
            kinds.push((kind, Agreement::default()));
            kinds.len() - 1
        });
        let sum = &mut kinds[index].1;
        (sum.right, sum.missed, sum.unwanted) =
            (sum.right + of.right, sum.missed + of.missed, sum.unwanted + of.unwanted);
    }
    let all = |of: &dyn Fn(&Agreement) -> u64| kinds.iter().map(|(_, agreement)| of(agreement)).sum::<u64>();
    let lead = format!(
        "{} in {}: {} found correctly, {} missed; {} false.",
        counted(all(&|of| of.right + of.missed), "labelled structure", "labelled structures"),
        counted(games.len() as u64, "game", "games"),
        grouped(all(&|of| of.right)),
        grouped(all(&|of| of.missed)),
        grouped(all(&|of| of.unwanted)),
    );
    let facts = vec![
        ("Seed", plan.seed.to_string()),
        ("Random playouts of each game", grouped(plan.playouts.into())),
    ];
    let section = |id: &str, title: &str, part: SectionPart| Section {
        id: id.to_owned(),
        title: title.to_owned(),
        parts: vec![part],
    };
    let sections = vec![
        section("differences", "Differences", differences(&games)),
        section("by-kind", "By kind", SectionPart::Sortable(by_kind(&kinds))),
        section("by-game", "Game by game", SectionPart::Sortable(by_game(&kinds, &games))),
    ];
    results.pages(lead, facts, sections)
}

/// The table of agreement by kind.
fn by_kind(kinds: &[(&str, Agreement)]) -> Table {
    let count = |number: u64| Field::number(Some(number as f64), |_| grouped(number));
    let share = |part: u64, all: u64| {
        Field::number((all > 0).then(|| part as f64 / all as f64), |share| format!("{:.1}", share * 100.0))
    };
    let row = |(kind, of): &(&str, Agreement)| {
        vec![
            Field::text(*kind),
            count(of.right),
            count(of.missed),
            count(of.unwanted),
            share(of.right, of.right + of.missed),
            share(of.right, of.right + of.unwanted),
        ]
    };
    Table {
        id: "kinds".into(),
        caption: "Recall: the share of labels that were found correctly. Precision: the share of findings that are correct. Both \
                  in per cent."
            .to_owned(),
        columns: columns(&["kind", "#right", "#missed", "#false", "#recall", "#precision"]),
        rows: kinds.iter().map(row).collect(),
        left_out: String::new(),
    }
}

/// A game of the study with its comparison.
type LabelledGame<'a> = (&'a GameEntry<LabelComparison>, &'a LabelComparison);

/// The table of agreement by game.
fn by_game(kinds: &[(&str, Agreement)], games: &[LabelledGame<'_>]) -> Table {
    let cell = |compared: &LabelComparison, kind: &str| {
        let of = compared.kinds.iter().find(|(known, _)| known == kind).map(|(_, of)| of);
        let Some(of) = of else { return Field::default() };
        let all = of.right + of.missed.max(of.unwanted);
        Field {
            heat: Some(if of.right == all { 0.5 } else { -1.0 }),
            strong: of.right < all,
            ..Field::number(Some(of.right as f64), |_| format!("{} of {all}", of.right))
        }
    };
    let titles = kinds.iter().map(|(kind, _)| Column { title: (*kind).to_owned().into(), number: true });
    Table {
        id: "games".into(),
        caption: "Correct findings; blue if all are correct, orange if one is missed or false.".to_owned(),
        columns: [Column { title: "game".into(), number: false }].into_iter().chain(titles).collect(),
        rows: games
            .iter()
            .map(|(entry, compared)| {
                let cells = kinds.iter().map(|(kind, _)| cell(compared, kind));
                [Field::text(game_name(&entry.path))].into_iter().chain(cells).collect()
            })
            .collect(),
        left_out: String::new(),
    }
}

/// The table of differences, or a sentence if there are none.
fn differences(games: &[LabelledGame<'_>]) -> SectionPart {
    let lines = games.iter().flat_map(|(entry, compared)| {
        compared.differences.iter().map(|line| vec![Field::text(game_name(&entry.path)), Field::text(line)])
    });
    let rows: Vec<Vec<Field>> = lines.collect();
    match rows.len() {
        0 => SectionPart::Text("There are no differences.".to_owned()),
        _ => SectionPart::Table(Table {
            id: "".into(),
            caption: String::new(),
            columns: columns(&["game", "difference"]),
            rows,
            left_out: String::new(),
        }),
    }
}

/// Renders the speeds as HTML and as Markdown.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn speed_page(
    plan: &SpeedStudy,
    results: &StudyResults<'_, Vec<MachineSpeed>>,
) -> Result<[String; 2], PageError> {
    let rows: Vec<&MachineSpeed> =
        results.entries.iter().filter_map(|entry| entry.found.as_ref()).flatten().collect();
    let row = |row: &&MachineSpeed| {
        let number = |value: f64| Field::number(Some(value), short);
        vec![
            Field::text(&row.game),
            Field::text(&row.machine),
            number(row.states_per_cpu_second),
            number(row.playouts_per_cpu_second),
            Field::number(Some(row.setup_seconds), |seconds| format!("{seconds:.2}")),
            Field::number(row.peak_mib, |mib| format!("{mib:.0}")),
        ]
    };
    let table = Table {
        id: "speeds".into(),
        caption: "Per second of processor time on one thread, in the round of median speed; “chosen” is the machine that \
                  commands choose automatically."
            .to_owned(),
        columns: columns(&["game", "machine", "#states per second", "#playouts per second", "#seconds to set up", "#MiB"]),
        rows: rows.iter().map(row).collect(),
        left_out: String::new(),
    };
    let of = |machine: &str, game: &str| {
        rows.iter()
            .find(|row| row.machine == machine && row.game == game)
            .map(|row| row.states_per_cpu_second)
    };
    let mut games: Vec<&str> = Vec::new();
    for row in &rows {
        if !games.contains(&row.game.as_str()) {
            games.push(&row.game);
        }
    }
    let times = |a: Option<f64>, b: Option<f64>| {
        Field::number(a.zip(b).map(|(a, b)| a / b), |ratio| format!("{ratio:.1}"))
    };
    let ratios_of = |game: &&str| {
        let [lanes, network, relational] =
            ["lanes", "network", "relational"].map(|machine| of(machine, game));
        vec![Field::text(*game), times(network, relational), times(lanes, network), times(lanes, relational)]
    };
    let ratios = Table {
        id: "ratios".into(),
        caption: "Ratios of states per second.".to_owned(),
        columns: columns(&["game", "#network to relational", "#lanes to network", "#lanes to relational"]),
        rows: games.iter().map(ratios_of).collect(),
        left_out: String::new(),
    };
    let lead = format!(
        "How fast machines play {} at random, {} s each in {}.",
        counted(games.len() as u64, "game", "games"),
        plan.seconds,
        counted(u64::from(u32::from(plan.rounds)), "round", "rounds"),
    );
    let section = |id: &str, title: &str, table: Table| Section {
        id: id.to_owned(),
        title: title.to_owned(),
        parts: vec![SectionPart::Sortable(table)],
    };
    let sections = vec![section("ratios", "Machines compared", ratios), section("all", "Speeds", table)];
    results.pages(lead, Vec::new(), sections)
}
