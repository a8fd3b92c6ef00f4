//! Pages work in a browser, on the screens of a phone and a desk, by mouse and by keyboard, without errors or
//! requests. Contrast and names satisfy WCAG 2.2 AA in the light and the dark scheme.
//!
//! The tests need Chromium with chromedriver and are ignored without them.

mod driver;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use driver::Browser;
use serde_json::{Value, json};

/// The script that examines a page.
const LOOK: &str = include_str!("look.js");

/// A game with two boards; `games/` has none.
const TWO_BOARDS: &str = include_str!("two_boards.kif");

/// Screens: name, width and height.
const SCREENS: [(&str, u32, u32); 2] = [("phone", 390, 844), ("desk", 1440, 900)];

/// The largest size of a page, in bytes.
const LARGEST: u64 = 3_000_000;

/// The longest time to open a page, in milliseconds. A page takes a second on an idle machine, but tests run in parallel.
const SLOWEST: f64 = 4_000.0;

const TAB: char = '\u{e004}';
const ENTER: char = '\u{e007}';
const END: char = '\u{e010}';
const HOME: char = '\u{e011}';
const LEFT: char = '\u{e012}';
const RIGHT: char = '\u{e014}';

/// The script of axe-core, which checks accessibility; `None` if npm is missing. Only the tests use it.
fn axe() -> Option<&'static str> {
    if !cfg!(has_npm) {
        println!("NOT RUN: npm is not installed, so accessibility was not checked");
        return None;
    }
    const VERSION: &str = "4.10.3";
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    let text = AXE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
        let file = folder.join("node_modules/axe-core/axe.min.js");
        let known = || std::fs::read_to_string(&file).ok().filter(|text| text.contains(VERSION));
        if known().is_none() {
            std::fs::create_dir_all(&folder).unwrap();
            let run = Command::new("npm")
                .args(["install", "--no-save", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefix"])
                .arg(&folder)
                .arg(format!("axe-core@{VERSION}"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(run.is_ok_and(|status| status.success()), "npm can't install axe-core");
        }
        known()
    });
    text.as_deref()
}

fn ggp() -> assert_cmd::Command {
    assert_cmd::Command::cargo_bin("ggp").unwrap()
}

/// The expected parts of a page.
#[derive(Clone, Copy)]
struct Parts {
    /// The least number of tables that sort and filter.
    tables: usize,
    /// Whether the page has a game to step through.
    play: bool,
    /// The schemes and screens (indices) for the accessibility check. A check takes seconds, and pages of one kind are
    /// alike.
    seen: &'static [usize],
}

/// The light scheme on a phone, and the dark scheme on a desk.
const BOTH: &[usize] = &[0, 1];

impl Default for Parts {
    fn default() -> Parts {
        Parts { tables: 0, play: false, seen: BOTH }
    }
}

/// Uses everything on a page as a reader may do.
fn examine(browser: &Browser, page: &Path, parts: Parts) {
    let shown = page.display();
    assert!(std::fs::metadata(page).unwrap().len() < LARGEST, "{shown} is too large");
    browser.scheme("light");
    for (name, width, height) in SCREENS {
        browser.resize(width, height);
        browser.open(page, "");
        let seen = browser.run(LOOK, json!([name]));
        assert_eq!(seen["wrong"], json!([]), "{shown}");
        let loaded = seen["loaded"].as_f64().unwrap();
        assert!(loaded < SLOWEST, "{shown} took {loaded} ms to open");
    }
    unfold(browser);
    sort(browser, page, parts.tables);
    if parts.play {
        step(browser, page);
    }
    // Nothing may be wrong after all parts were used, or in a folded part.
    unfold(browser);
    for (name, width, height) in SCREENS {
        browser.resize(width, height);
        assert_eq!(browser.run(LOOK, json!([name]))["wrong"], json!([]), "{shown}, after all was tried");
    }
    reach(browser, page);
    barriers(browser, page, parts.seen);
    let [console, asked] = browser.logged();
    assert!(console.is_empty(), "{shown}: {console:?}");
    let outside = |url: &&String| !url.starts_with("data:") && **url != format!("file://{shown}");
    let asked: Vec<&String> =
        asked.iter().filter(|url| !url.contains('#') && *url != "about:blank").collect();
    assert!(!asked.iter().any(outside), "{shown} asked for {asked:?}");
}

/// Opens all folded parts.
fn unfold(browser: &Browser) {
    browser.run("document.querySelectorAll('details').forEach((part) => (part.open = true));", json!([]));
}

/// Sorts every table by its first column with numbers, and filters it.
fn sort(browser: &Browser, page: &Path, least: usize) {
    let tables = browser.run(
        "return [...document.querySelectorAll('table.sortable')].map((table) => {
           const heads = [...table.tHead.rows[0].cells];
           const numbers = (column) => [...table.tBodies[0].rows].filter((row) => row.cells[column].dataset.sort).length;
           return [table.id, heads.findIndex((head, column) => numbers(column) > 1), table.tBodies[0].rows.length];
         });",
        json!([]),
    );
    let tables = tables.as_array().unwrap();
    assert!(tables.len() >= least, "{}: {tables:?}", page.display());
    for table in tables {
        let (id, column, rows) =
            (table[0].as_str().unwrap(), table[1].as_i64().unwrap(), table[2].as_u64().unwrap());
        if column >= 0 {
            let button = format!("#{id} thead th:nth-child({}) button", column + 1);
            for (word, sign) in [("descending", -1), ("ascending", 1)] {
                browser.click(&button);
                let sorted = browser.run(
                    "const [id, column, sign] = arguments;
                     const table = document.getElementById(id);
                     const values = [...table.tBodies[0].rows].map((row) => row.cells[column].dataset.sort)
                       .filter((text) => text !== undefined).map(Number);
                     return [table.tHead.rows[0].cells[column].getAttribute('aria-sort'),
                       values.every((value, index) => index === 0 || sign * (value - values[index - 1]) >= 0)];",
                    json!([id, column, sign]),
                );
                assert_eq!(sorted, json!([word, true]), "{} {id}", page.display());
            }
        }
        let count = |id: &str| {
            let script = "return [...document.getElementById(arguments[0]).tBodies[0].rows].filter((row) => !row.hidden).length;";
            browser.run(script, json!([id])).as_u64().unwrap()
        };
        let word = browser.run(
            "const text = document.getElementById(arguments[0]).tBodies[0].rows[0].cells[0].textContent.trim();
             return text.split(/\\s+/)[0].toLowerCase();",
            json!([id]),
        );
        let filter = format!("[data-filter=\"{id}\"]");
        browser.type_into(&filter, word.as_str().unwrap());
        let with = browser.run(
            "return [...document.getElementById(arguments[0]).tBodies[0].rows]
               .filter((row) => row.textContent.toLowerCase().includes(arguments[1])).length;",
            json!([id, word]),
        );
        assert_eq!(json!(count(id)), with, "{} {id} filtered by {word}", page.display());
        browser.type_into(&filter, "no row has these words");
        assert_eq!(count(id), 0, "{} {id}", page.display());
        browser.type_into(&filter, "");
        // WebDriver's clear does not always send an `input` event, so send one.
        browser.run(
            "const box = document.querySelector(arguments[0]); box.value = ''; box.dispatchEvent(new Event('input'));",
            json!([filter]),
        );
        assert_eq!(count(id), rows, "{} {id}", page.display());
    }
}

/// Steps through a game by mouse and by keys.
fn step(browser: &Browser, page: &Path) {
    let state = || {
        browser.run(
            "const viewer = document.getElementById('viewer');
             return [viewer.querySelector('output').textContent,
               [...viewer.querySelectorAll('.things, .gauges, .rest')].map((part) => part.innerHTML).join(),
               viewer.querySelector('.moved').textContent,
               !viewer.querySelector('.things') || !!viewer.querySelector('.cell.changed'),
               viewer.querySelector('input[type=range]').max];",
            json!([]),
        )
    };
    let at = |found: &Value| found[0].as_str().unwrap().to_owned();
    // The page of an analysis opens at the last state.
    browser.open(page, "#step=0");
    let first = state();
    let last = first[4].as_str().unwrap().to_owned();
    assert_eq!(at(&first), format!("step 0 of {last}"), "{}", page.display());
    browser.click("#viewer [data-go=on]");
    let second = state();
    assert_eq!(at(&second), format!("step 1 of {last}"));
    assert!(second[2].as_str().unwrap().contains(" plays "), "{second}");
    assert!(second[1] != first[1] && second[3] == json!(true), "{}: nothing changes", page.display());
    browser.press(&[LEFT]);
    let back = state();
    assert_eq!(at(&back), format!("step 0 of {last}"));
    browser.press(&[END]);
    assert_eq!(at(&state()), format!("step {last} of {last}"));
    browser.press(&[RIGHT]);
    assert_eq!(at(&state()), format!("step {last} of {last}"), "no further");
    browser.press(&[HOME, RIGHT]);
    assert_eq!(at(&state()), at(&second));
    // A click on a move of the list shows the state after it.
    browser.click("#viewer .moves li:last-child button");
    assert_eq!(at(&state()), format!("step {last} of {last}"));
    browser.click("#viewer .moves li:first-child button");
    assert_eq!(state(), second);
    let marked = "return [...document.querySelectorAll('.moves [aria-current]')].map((button) => button.dataset.step);";
    assert_eq!(browser.run(marked, json!([])), json!(["1"]), "{}", page.display());
    // A click on the plot moves to the step at that place.
    if browser.run("return !!document.querySelector('.course svg.plot');", json!([])) == json!(true) {
        unfold(browser);
        browser.click(".course svg.plot");
        assert_ne!(at(&state()), "", "{}", page.display());
    }
    // An address may name a step.
    browser.open(page, "#step=1");
    assert_eq!(at(&state()), format!("step 1 of {last}"));
}

/// Checks that the Tab key reaches every usable element and that the focus is visible.
fn reach(browser: &Browser, page: &Path) {
    browser.resize(1440, 900);
    browser.open(page, "");
    let script = "window.reached = new Set();
         const usable = [...document.querySelectorAll('a[href], button:not(:disabled):not([tabindex=\"-1\"]), input, summary, [tabindex=\"0\"]')]
           .filter((element) => element.getClientRects().length > 0 && !element.closest('details:not([open]) > :not(summary)'));
         usable.forEach((element, number) => (element.dataset.usable = number));
         document.addEventListener('focusin', (event) => {
           if (getComputedStyle(event.target).outlineStyle !== 'none') window.reached.add(event.target.dataset.usable);
         });
         return usable.length;";
    let usable = browser.run(script, json!([])).as_u64().unwrap() as usize;
    // Tabs through twice, because the focus is not always shown when it returns from the browser to the page.
    for _ in 0..(2 * usable).div_ceil(50) + 1 {
        browser.press(&[TAB; 50]);
    }
    let missed = browser.run(
        "return [...document.querySelectorAll('[data-usable]')].filter((element) => !window.reached.has(element.dataset.usable))
           .map((element) => element.outerHTML.slice(0, 90));",
        json!([]),
    );
    assert_eq!(missed, json!([]), "{}: what keys don't reach, or not visibly", page.display());
    // The keyboard can also use an element: Enter opens the first closed part.
    if browser.run("return !!document.querySelector('details:not([open]) > summary');", json!([]))
        == json!(true)
    {
        browser.run("document.querySelector('details:not([open]) > summary').focus();", json!([]));
        browser.press(&[ENTER]);
        let open = browser.run("return document.activeElement.parentElement.open;", json!([]));
        assert_eq!(open, json!(true), "{}", page.display());
    }
}

/// Checks the accessibility of a page.
fn barriers(browser: &Browser, page: &Path, seen: &[usize]) {
    let Some(axe) = axe() else { return };
    for &one in seen {
        let (scheme, (_, width, height)) = (["light", "dark"][one], SCREENS[one]);
        browser.scheme(scheme);
        browser.resize(width, height);
        browser.open(page, "");
        browser.run(axe, json!([]));
        // The rows of a table are alike, so only the first ones are checked.
        let found = browser.run_later(
            "const done = arguments[arguments.length - 1];
             document.querySelectorAll('tbody tr:nth-child(n+25)').forEach((row) => (row.hidden = true));
             document.querySelectorAll('details').forEach((part) => (part.open = true));
             axe.run(document, { resultTypes: ['violations'],
                 runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } })
               .then((found) => done(found.violations.map((one) =>
                 one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.target + ' ' + node.failureSummary).join('; '))))
               .catch((error) => done([String(error)]));",
            json!([]),
        );
        assert_eq!(found, json!([]), "{} in the {scheme}", page.display());
    }
    browser.scheme("light");
}

/// Analyses a game, and returns the path of its page.
fn analysed(folder: &Path, rules: &Path, playouts: &str, more: &[&str], status: i32) -> PathBuf {
    let out = folder.join(rules.file_stem().unwrap());
    let play = ["--playouts", playouts, "--proof-work", "100000"];
    ggp().arg("analyze").arg(rules).args(play).args(more).arg("--out").arg(&out).assert().code(status);
    out.join("report.html")
}

#[test]
#[ignore = "takes a minute, and needs Chromium with chromedriver"]
fn analysis_reports_work_in_the_browser() {
    let browser = Browser::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let two_boards = folder.join("two_boards.kif");
    std::fs::write(&two_boards, TWO_BOARDS).unwrap();
    let own = |name: &str| Path::new("games").join(name).with_extension("kif");
    // The table of features is shown only if some features correlate with a goal value.
    let all = Parts { tables: 1, play: true, ..Parts::default() };
    // A board, hexagons, a puzzle for one player, three players, no board, several boards.
    for (rules, seen) in [
        (own("connect_four_4x4"), BOTH),
        (own("hex"), &BOTH[..1]),
        (own("eight_puzzle"), &BOTH[1..]),
        (own("three_player_race"), &BOTH[..1]),
        (own("nim"), &BOTH[1..]),
        (two_boards, &BOTH[1..]),
    ] {
        examine(&browser, &analysed(folder, &rules, "200", &[], 0), Parts { seen, ..all });
    }
    // A very large game with few playouts, and a game with errors.
    let large = Parts { seen: &BOTH[..1], ..all };
    examine(&browser, &analysed(folder, &own("chess"), "40", &[], 0), large);
    let faults = analysed(folder, Path::new("docs/faults.kif"), "200", &[], 1);
    let text = std::fs::read_to_string(&faults).unwrap();
    assert!(
        text.contains("The game was refused. Its rules have 2 errors.") && text.contains("GDL"),
        "{text}"
    );
    examine(&browser, &faults, Parts::default());
}

#[test]
#[cfg_attr(not(has_browser), ignore = "Chromium with chromedriver is not installed")]
fn learned_weights_are_drawn_on_the_board() {
    let folder = tempfile::tempdir().unwrap();
    let rules = Path::new("games/tic_tac_toe.kif");
    let more = ["--functions", "learned(work=1)"];
    let page = analysed(folder.path(), rules, "200", &more, 0);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(
        text.contains("Weights on the board") && text.contains("class=\"board weights\""),
        "no weights are drawn"
    );
    let browser = Browser::start();
    examine(&browser, &page, Parts { tables: 2, play: true, ..Parts::default() });
}

#[test]
#[cfg_attr(not(has_browser), ignore = "Chromium with chromedriver is not installed")]
fn pages_of_games_comparisons_tournaments_and_studies_work() {
    let browser = Browser::start();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let play = at("play.html");
    let moves = "(draw 2 2) (draw 1 3) (draw 1 1)";
    ggp().args(["show", "games/tic_tac_toe.kif", "--moves", moves, "--out"]).arg(&play).assert().success();
    examine(&browser, &play, Parts { tables: 0, play: true, ..Parts::default() });

    for (name, seed) in [("one", "1"), ("other", "2")] {
        ggp()
            .args(["tournament", "--games", "games/tic_tac_toe.kif", "games/nim.kif", "games/lights_out.kif"])
            .args([
                "--players",
                "random",
                "greedy:fuzzy",
                "uct",
                "--nodes",
                "30",
                "--rounds",
                "4",
                "--records",
            ])
            .args(["--sprt", "0,150,0.05,0.05", "--seed", seed, "--out"])
            .arg(at(name))
            .assert()
            .success();
    }
    let page = at("one/report.html");
    examine(&browser, &page, Parts { tables: 3, play: false, ..Parts::default() });
    // Its links lead to existing match records.
    let text = std::fs::read_to_string(&page).unwrap();
    let links: Vec<&str> =
        text.split("<a href=\"matches/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 10, "{}", links.len());
    assert!(links.iter().all(|link| at("one/matches").join(link).is_file()));

    let compared = at("compared.html");
    let run =
        ggp().arg("compare").args([at("one"), at("other")]).arg("--out").arg(&compared).output().unwrap();
    assert!([Some(0), Some(4)].contains(&run.status.code()), "{run:?}");
    examine(&browser, &compared, Parts { tables: 1, play: false, ..Parts::default() });

    let swept = at("swept");
    let games = ["tic_tac_toe", "connect_four_4x4", "lights_out"].map(|game| format!("games/{game}.kif"));
    ggp()
        .arg("sweep")
        .args(games)
        .args(["docs/faults.kif", "--playouts", "200", "--speeds", "0", "--out"])
        .arg(&swept)
        .assert()
        .success();
    examine(&browser, &swept.join("report.html"), Parts { tables: 2, play: false, ..Parts::default() });

    let study = at("study");
    ggp().args(["study", "docs/guide/study.toml", "--out"]).arg(&study).assert().success();
    examine(&browser, &study.join("report.html"), Parts { tables: 2, play: false, ..Parts::default() });
}
