//! Promise: pages work in a browser: no error, nothing wider than the screen of a phone or of a desk, tables sort and
//! filter, plays go on and back by keys. It takes Chromium; without one the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What looks at a page in two frames, as wide as the screens of a phone and of a desk, and writes down what is wrong.
const HARNESS: &str = include_str!("browser.html");

/// The first browser of these that is there.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("GGP_CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome-headless-shell"];
    let known = names
        .map(|name| ["/usr/bin", "/usr/local/bin", "/snap/bin"].map(|folder| Path::new(folder).join(name)));
    named.into_iter().chain(known.into_iter().flatten()).find(|path| path.is_file())
}

/// Opens a page from disk and looks at it; `steps` is whether it has a play, `tables` whether it has tables to sort.
fn check(folder: &Path, page: &str, tables: bool) {
    let Some(browser) = browser() else {
        println!(
            "NOT RUN: there is no Chromium (GGP_CHROMIUM names one), so no page was opened in a browser"
        );
        return;
    };
    let harness = HARNESS.replace("PAGE", page).replace("TABLES", &tables.to_string());
    let path = folder.join(format!("harness-{page}"));
    std::fs::write(&path, harness).unwrap();
    let run = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args([
            "--allow-file-access-from-files",
            "--enable-logging=stderr",
            "--virtual-time-budget=20000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--window-size=1600,1000")
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let (told, log) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    let verdict = told.split("<pre id=\"verdict\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    assert_eq!(verdict, Some("done"), "{page}: {told:.2000}\n{log:.2000}");
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(errors.is_empty(), "{page}: {errors:?}");
}

fn ggp() -> assert_cmd::Command {
    assert_cmd::Command::cargo_bin("ggp").unwrap()
}

#[test]
fn reports_work_in_a_browser() {
    // A board, hexagons, no board at all, a puzzle of one player.
    for game in ["connect_four_4x4", "hex", "nim", "eight_puzzle"] {
        let folder = tempfile::tempdir().unwrap();
        let rules = format!("games/{game}.kif");
        let run = ggp()
            .args(["analyze", &rules, "--playouts", "200", "--proof-work", "100000", "--out"])
            .arg(folder.path())
            .assert();
        run.success();
        check(folder.path(), "report.html", true);
    }
}

#[test]
fn plays_work_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let moves = "(draw 2 2) (draw 1 3) (draw 1 1)";
    let out = folder.path().join("play.html");
    ggp().args(["show", "games/tic_tac_toe.kif", "--moves", moves, "--out"]).arg(&out).assert().success();
    check(folder.path(), "play.html", false);
}
