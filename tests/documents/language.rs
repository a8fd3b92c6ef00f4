//! Promise: pages, help, error messages, reports and comments are in plain English: none of the phrases below, and no sentence of
//! more than 30 words except in help and comments. Code does not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command_line::{help, subcommands};

/// Phrases that readers had to decode, with what to write instead. A word may be one of several.
const PHRASES: &[(&str, &str)] = &[
    ("tell|tells|told|telling", "compute, report, distinguish, predict, show"),
    ("so many", "the number, this many"),
    ("none where", "none if"),
    ("nobody|somebody|whoever", "no caller, a user, the player that"),
    ("who asks", "the caller"),
    ("what is wanted|known|asked", "the demand, the known values"),
    ("dear|dearer", "expensive, costs more"),
    ("kept back", "held out"),
    ("unasked", "automatically"),
    ("by itself|themselves", "automatically"),
    ("it|that|this|which|what is no", "is not a"),
    ("they|these|those|which are no", "are not"),
    ("stands|stood in|at|by|on|there|beside|under", "is in, is written"),
    ("beside", "compared with, next to"),
    ("as often as", "equally often"),
    ("as much again", "twice"),
    ("much the same", "about the same"),
    ("none of which", "no"),
];

/// Uses of these phrases that are right: the file, words around the phrase, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("src/simulation/machine/network/guards.rs", "several times as often as", "a ratio of two frequencies"),
    ("src/simulation/machine/relational/cursor.rs", "are read as often as", "two frequencies that are equal"),
];

/// Rooms whose comments are checked.
const ROOMS: &[&str] = &[
    "foundation",
    "rules",
    "simulation",
    "knowledge/structure",
    "knowledge/property",
    "cluster",
    "play",
    "protocol",
    "study",
    "knowledge/feature",
    "knowledge/evaluation",
    "report",
    "cli",
    "../tests",
];

/// The most words of a sentence.
const MOST_WORDS: usize = 30;

/// A piece of prose with the number of its first line.
struct Paragraph {
    line: usize,
    text: String,
}

/// The files below a folder with an ending.
fn files(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|found| found == ending) {
            out.push(path);
        }
    }
}

/// The prose of a page in Markdown: no code, no addresses; a cell of a table and an item of a list are paragraphs.
fn prose(page: &str) -> Vec<Paragraph> {
    let mut paragraphs = vec![Paragraph { line: 1, text: String::new() }];
    let mut in_code = false;
    for (number, line) in page.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            in_code = !in_code;
        }
        let begins =
            line.is_empty() || line.starts_with(['#', '|', '-', '*', '>', '`']) || starts_with_number(line);
        if begins || in_code {
            paragraphs.push(Paragraph { line: number + 1, text: String::new() });
        }
        if in_code || line.starts_with("```") {
            continue;
        }
        let cells: Vec<&str> = if line.starts_with('|') { line.split('|').collect() } else { vec![line] };
        for (place, cell) in cells.into_iter().enumerate() {
            if place > 0 {
                paragraphs.push(Paragraph { line: number + 1, text: String::new() });
            }
            let paragraph = &mut paragraphs.last_mut().unwrap().text;
            paragraph.push_str(&without_code(cell));
            paragraph.push(' ');
        }
    }
    paragraphs
}

fn starts_with_number(line: &str) -> bool {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with(". ")
}

/// A line without code between backticks and without the addresses of links: one word stands for each piece of code.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    for (place, piece) in line.split('`').enumerate() {
        text.push_str(if place % 2 == 0 { piece } else { "code" });
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("](") {
        out.push_str(&rest[..start]);
        rest = rest[start..].find(')').map_or("", |end| &rest[start + end + 1..]);
    }
    out + rest
}

/// The comments of a source file, a block each.
fn comments(source: &str) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut open, mut in_code) = (false, false);
    for (number, line) in source.lines().enumerate() {
        let line = line.trim();
        let comment = ["///", "//!", "//"].iter().find_map(|mark| line.strip_prefix(mark));
        let Some(comment) = comment else {
            (open, in_code) = (false, false);
            continue;
        };
        let comment = comment.trim();
        if comment.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code || comment.is_empty() {
            open = false;
            continue;
        }
        if !std::mem::replace(&mut open, true) {
            paragraphs.push(Paragraph { line: number + 1, text: String::new() });
        }
        let paragraph = &mut paragraphs.last_mut().unwrap().text;
        paragraph.push_str(&without_code(comment));
        paragraph.push(' ');
    }
    paragraphs
}

/// The words of a text in small letters.
fn words(text: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '\'' || c == '-' || c == '_';
    text.split(|c: char| !word(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The phrases of the list that a paragraph has, with some words around each.
fn phrases(paragraph: &Paragraph) -> Vec<(&'static str, &'static str, String)> {
    let words = words(&paragraph.text);
    let mut found = Vec::new();
    for &(phrase, instead) in PHRASES {
        let pattern: Vec<Vec<&str>> = phrase.split(' ').map(|word| word.split('|').collect()).collect();
        for (place, window) in words.windows(pattern.len()).enumerate() {
            if window.iter().zip(&pattern).all(|(word, any)| any.contains(&word.as_str())) {
                let around = place.saturating_sub(4)..words.len().min(place + pattern.len() + 4);
                found.push((phrase, instead, words[around].join(" ")));
            }
        }
    }
    found
}

/// Sentences of a paragraph that are too long, with their numbers of words. Numbers don't count as words, and a semicolon ends a
/// sentence.
fn long_sentences(paragraph: &Paragraph) -> Vec<(usize, String)> {
    let text = &paragraph.text;
    let mut sentences = Vec::new();
    let mut start = 0;
    for (place, _) in text.match_indices(['.', '!', '?', ';']) {
        if text[place + 1..].starts_with(' ') {
            sentences.push(&text[start..=place]);
            start = place + 1;
        }
    }
    sentences.push(&text[start..]);
    let count =
        |sentence: &str| words(sentence).iter().filter(|word| word.contains(char::is_alphabetic)).count();
    let counted = sentences.into_iter().map(|sentence| (count(sentence), sentence.trim().to_owned()));
    counted.filter(|(count, _)| *count > MOST_WORDS).collect()
}

/// Reports what is wrong in paragraphs of a file; `sentences` says whether their length counts.
fn check(name: &str, paragraphs: &[Paragraph], sentences: bool, wrong: &mut Vec<String>) {
    for paragraph in paragraphs {
        for (phrase, instead, around) in phrases(paragraph) {
            let allowed = ALLOWED.iter().any(|(file, text, _)| *file == name && around.contains(text));
            if !allowed {
                wrong.push(format!(
                    "{name}:{}: \"{around}\": instead of `{phrase}` write {instead}",
                    paragraph.line
                ));
            }
        }
        if sentences {
            for (count, sentence) in long_sentences(paragraph) {
                wrong.push(format!("{name}:{}: {count} words: {sentence}", paragraph.line));
            }
        }
    }
}

fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pages_are_plain() {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "python/README.md"]
            .map(PathBuf::from)
            .into();
    files(Path::new("docs"), "md", &mut pages);
    assert!(pages.len() > 20);
    let mut wrong = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        check(&page.display().to_string(), &prose(&text), true, &mut wrong);
    }
    report(&wrong);
}

/// A help text without its list of subcommands, and without examples and what follows them.
fn sentences_of_help(text: &str) -> String {
    let text = text.rsplit("Housekeeping:").next().unwrap().split("\nExamples:").next().unwrap();
    let is_list = |block: &&str| {
        let first = block.trim_start();
        !first.starts_with("Commands:") && !first.starts_with("guide ")
    };
    text.split("\n\n").filter(is_list).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn help_is_plain() {
    let names = subcommands();
    assert!(names.len() > 10);
    let mut texts: BTreeMap<String, String> = BTreeMap::from([("ggp --help".to_owned(), help(&["--help"]))]);
    for name in names {
        texts.insert(format!("ggp {name} --help"), help(&[&name, "--help"]));
    }
    let mut wrong = Vec::new();
    for (name, text) in texts {
        check(&name, &prose(&text), false, &mut wrong);
        check(&name, &prose(&sentences_of_help(&text)), true, &mut wrong);
    }
    report(&wrong);
}

#[test]
fn comments_are_plain() {
    let mut wrong = Vec::new();
    for room in ROOMS {
        let mut sources = Vec::new();
        files(&Path::new("src").join(room), "rs", &mut sources);
        assert!(!sources.is_empty(), "{room}");
        for source in sources {
            let text = fs::read_to_string(&source).unwrap();
            check(&source.display().to_string(), &comments(&text), false, &mut wrong);
        }
    }
    report(&wrong);
}

/// Runs `ggp` and returns what it writes to standard output, on lines of any width.
fn output(arguments: &[&str]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ggp"));
    let output = command.args(arguments).env("COLUMNS", "5000").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn whole(text: &str) -> Paragraph {
    Paragraph { line: 1, text: without_code(text) }
}

#[test]
fn error_messages_are_plain() {
    let mut wrong = Vec::new();
    for (title, messages) in super::mistakes::messages() {
        check(title, &messages.map(|message| whole(&message)), true, &mut wrong);
    }
    let document: serde_json::Value =
        serde_json::from_str(&output(&["check", "docs/faults.kif", "--format", "json"])).unwrap();
    let faults = document["games"][0]["diagnostics"].as_array().unwrap();
    assert!(faults.len() > 1);
    for fault in faults {
        let texts = ["message", "expected", "help"].map(|key| whole(fault[key].as_str().unwrap_or_default()));
        check("docs/faults.kif", &texts, true, &mut wrong);
    }
    let codes = output(&["explain"]);
    let codes: Vec<&str> = codes.split_whitespace().filter(|word| word.starts_with("GDL0")).collect();
    assert!(codes.len() > 50);
    for code in codes {
        // Lines of examples are indented.
        let text = output(&["explain", code]);
        let text: Vec<&str> = text.lines().filter(|line| !line.starts_with("    ")).collect();
        check(code, &prose(&text.join("\n")), true, &mut wrong);
    }
    report(&wrong);
}

/// The cells and lines of a report in text. A row of a table has its cells between two blanks.
fn report_cells(text: &str) -> Vec<Paragraph> {
    let mut cells = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let of_line = line.split("  ").filter(|cell| !cell.trim().is_empty());
        cells.extend(of_line.map(|cell| Paragraph { line: number + 1, text: without_code(cell) }));
    }
    cells
}

/// The text of the elements of a page. Elements within a line do not end a sentence.
fn page_text(page: &str) -> Vec<Paragraph> {
    const IN_LINE: [&str; 7] = ["span", "b", "strong", "a", "small", "i", "em"];
    let mut paragraphs = vec![Paragraph { line: 1, text: String::new() }];
    let mut rest = page.split_once("<body").map_or("", |(_, body)| body);
    while let Some((text, tag)) = rest.split_once('<') {
        paragraphs.last_mut().unwrap().text.push_str(text);
        let name: String =
            tag.chars().skip_while(|&c| c == '/').take_while(char::is_ascii_alphanumeric).collect();
        let end = match (name.as_str(), tag.starts_with('/')) {
            ("script", false) => "</script>",
            ("code", false) => "</code>",
            ("pre", false) => "</pre>",
            _ => ">",
        };
        rest = tag.split_once(end).map_or("", |(_, after)| after);
        let paragraph = paragraphs.last_mut().unwrap();
        match name.as_str() {
            "code" => paragraph.text.push_str("code"),
            name if IN_LINE.contains(&name) => paragraph.text.push(' '),
            _ => paragraphs.push(Paragraph { line: 1, text: String::new() }),
        }
    }
    for paragraph in &mut paragraphs {
        paragraph.text = paragraph.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    paragraphs
}

#[test]
fn reports_are_plain() {
    const GAMES: [&str; 8] = [
        "bidding_tic_tac_toe",
        "blocks_world",
        "connect_four_4x4",
        "eight_puzzle",
        "nim",
        "rock_paper_scissors",
        "three_player_race",
        "tic_tac_toe",
    ];
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut wrong = Vec::new();
    for game in GAMES {
        let path = format!("games/{game}.kif");
        let text = |arguments: &[&str]| report_cells(&output(&[&["--plain"], arguments].concat()));
        check(&format!("ggp check {game}"), &text(&["check", &path]), true, &mut wrong);
        let simulation = text(&["simulate", &path, "--playouts", "100"]);
        check(&format!("ggp simulate {game}"), &simulation, true, &mut wrong);
        let analysis = text(&[
            "analyze",
            &path,
            "--playouts",
            "50",
            "--proof-work",
            "2000000",
            "--functions",
            "fuzzy,statistical",
            "--out",
            out,
        ]);
        check(&format!("ggp analyze {game}"), &analysis, true, &mut wrong);
        let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
        let page = page_text(&page);
        assert!(page.iter().any(|paragraph| paragraph.text.contains("Random play")));
        check(&format!("report.html of {game}"), &page, true, &mut wrong);
    }
    report(&wrong);
}

#[test]
fn the_check_finds_what_it_looks_for() {
    let page =
        "Nobody is\ntold so. A `told` is code.\n\n```\nso many\n```\n| a cell | none of that is no cell |\n";
    let found: Vec<&str> = prose(page).iter().flat_map(phrases).map(|(phrase, ..)| phrase).collect();
    assert_eq!(
        found,
        ["tell|tells|told|telling", "nobody|somebody|whoever", "it|that|this|which|what is no"]
    );
    let long = Paragraph { line: 1, text: format!("{}. A short one.", "word ".repeat(31)) };
    assert_eq!(long_sentences(&long).len(), 1);
    let source = "fn f() {} // so many\n// so many\nlet told = 1;\n/// It is `told`.\n";
    assert_eq!(comments(source).iter().flat_map(phrases).count(), 1);
}
