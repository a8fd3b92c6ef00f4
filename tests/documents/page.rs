//! `ggp analyze --out` writes a page that needs no other file, is the same for the same seed, and never treats
//! words of the rules as markup. `ggp show` draws states and makes pages of games.

use std::path::Path;

use assert_cmd::Command;

use crate::lines::has_line;

fn ggp() -> Command {
    Command::cargo_bin("ggp").unwrap()
}

fn page(game: &Path, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    ggp().arg("analyze").arg(game).args(arguments).arg("--out").arg(folder.path()).assert().success();
    std::fs::read_to_string(folder.path().join("report.html")).unwrap()
}

/// Rules whose words are markup.
const HOSTILE: &str = r#"
(role <script>alert) (role </script>)
(init (<b>cell 1 1 <i>blank)) (init (<b>cell 1 2 <i>blank)) (init (<b>cell 2 1 <i>blank)) (init (<b>cell 2 2 <i>blank))
(init (turn <script>alert)) (next_of 1 2)
(<= (legal ?r (<img-src=x-onerror=x> ?x ?y)) (true (turn ?r)) (true (<b>cell ?x ?y <i>blank)))
(<= (legal <script>alert &noop') (true (turn </script>)))
(<= (legal </script> &noop') (true (turn <script>alert)))
(<= (next (<b>cell ?x ?y ?r)) (does ?r (<img-src=x-onerror=x> ?x ?y)))
(<= (next (<b>cell ?x ?y ?r)) (true (<b>cell ?x ?y ?r)) (role ?r))
(<= (next (<b>cell ?x ?y <i>blank)) (true (<b>cell ?x ?y <i>blank)) (does ?r (<img-src=x-onerror=x> ?u ?v)) (distinct ?x ?u))
(<= (next (<b>cell ?x ?y <i>blank)) (true (<b>cell ?x ?y <i>blank)) (does ?r (<img-src=x-onerror=x> ?u ?v)) (distinct ?y ?v))
(<= (next (turn <script>alert)) (true (turn </script>)))
(<= (next (turn </script>)) (true (turn <script>alert)))
(<= open (true (<b>cell ?x ?y <i>blank)))
(<= terminal (not open))
(<= (goal <script>alert 100) (true (<b>cell 1 1 <script>alert)))
(<= (goal <script>alert 0) (not (true (<b>cell 1 1 <script>alert))))
(<= (goal </script> 100) (true (<b>cell 1 1 </script>)))
(<= (goal </script> 0) (not (true (<b>cell 1 1 </script>))))
"#;

#[test]
fn words_of_rules_are_not_markup() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("hostile.kif");
    std::fs::write(&game, HOSTILE).unwrap();
    let page = page(&game, &["--playouts", "200"]);
    // One script, and the data of the game.
    assert_eq!(page.matches("<script").count(), 2, "scripts");
    assert_eq!(page.matches("</script>").count(), 2, "ends of scripts");
    for word in ["<b>cell", "<i>blank", "<img", "<script>alert"] {
        assert!(!page.contains(word), "{word} is in the page as markup");
    }
    assert!(page.contains("&#60;script&#62;alert") && page.contains("\\u003cscript\\u003ealert"));
}

#[test]
fn pages_do_not_depend_on_threads() {
    let game = Path::new("games/tic_tac_toe.kif");
    let [one, two] = ["1", "2"].map(|threads| page(game, &["--playouts", "400", "--threads", threads]));
    assert!(one == two);
    assert_ne!(one, page(game, &["--playouts", "400", "--seed", "2"]));
}

#[test]
fn pages_are_self_contained_and_complete() {
    let page = page(Path::new("games/connect_four_4x4.kif"), &["--playouts", "400"]);
    for outside in ["http:", "src=", "@import", "url("] {
        let namespace = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!namespace.contains(outside), "{outside}");
    }
    let mut before = 0;
    let first = ["step-through", "results", "checks"];
    let folded = ["good-play", "endings", "quality", "game", "properties-section", "play", "features"];
    for part in first.iter().chain(&folded).chain(&["functions", "provenance"]) {
        let at = page.find(&format!(" id=\"{part}\"")).unwrap_or_else(|| panic!("no part {part}"));
        assert!(at > before, "{part} is out of order");
        before = at;
    }
    assert!(page.contains("take turns on a board of 4 by 4 cells"), "a sentence says what the game is");
    assert!(page.contains("proved</span>"), "proofs are distinguished from simulation");
    assert!(page.contains("a typical game between equal searches"), "the game is shown");
    assert!(page.contains("<h2>Who wins?</h2>") && page.contains("<h2>Does skill count?</h2>"));
    assert!(page.contains("First moves of"), "the heat map is drawn");
    assert!(!page.contains("id=\"openings\""), "and has all first moves");
    assert!(!page.contains("id=\"trouble\""), "a sound game has no warning");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

/// Men step towards the far row of a board whose first coordinate is the row.
const ROWS_FIRST: &str = r#"
(role up) (role down)
(above 1 2) (above 2 3) (above 3 4) (right a b) (right b c) (right c d)
(init (man 1 a up)) (init (man 1 b up)) (init (man 1 c up)) (init (man 1 d up))
(init (man 4 a down)) (init (man 4 b down)) (init (man 4 c down)) (init (man 4 d down))
(init (turn up))
(<= (ahead up ?r ?s) (above ?r ?s)) (<= (ahead down ?r ?s) (above ?s ?r))
(<= (near ?c ?d) (right ?c ?d)) (<= (near ?c ?d) (right ?d ?c))
(rival up down) (rival down up)
(<= (full ?r ?c) (true (man ?r ?c ?w)))
(<= (can ?w ?r ?c ?s ?c) (true (man ?r ?c ?w)) (ahead ?w ?r ?s) (not (full ?s ?c)))
(<= (can ?w ?r ?c ?s ?d) (true (man ?r ?c ?w)) (ahead ?w ?r ?s) (near ?c ?d) (rival ?w ?v) (true (man ?s ?d ?v)))
(<= (legal ?w (go ?r ?c ?s ?d)) (true (turn ?w)) (can ?w ?r ?c ?s ?d))
(<= (legal ?w wait) (true (turn ?v)) (rival ?w ?v))
(<= (next (man ?s ?d ?w)) (does ?w (go ?r ?c ?s ?d)))
(<= (left ?r ?c) (does ?w (go ?r ?c ?s ?d)))
(<= (left ?s ?d) (does ?w (go ?r ?c ?s ?d)))
(<= (next (man ?r ?c ?w)) (true (man ?r ?c ?w)) (not (left ?r ?c)))
(<= (next (turn ?v)) (true (turn ?w)) (rival ?w ?v))
(<= (won up) (true (man 4 ?c up))) (<= (won down) (true (man 1 ?c down)))
(<= (moves ?w) (can ?w ?r ?c ?s ?d))
(<= terminal (won ?w)) (<= terminal (true (turn ?w)) (not (moves ?w)))
(<= (goal ?w 100) (won ?w))
(<= (goal ?w 0) (rival ?w ?v) (won ?v))
(<= (goal ?w 50) (role ?w) (not (won up)) (not (won down)))
"#;

#[test]
fn words_fit_the_drawing_of_a_turned_board() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("rows_first.kif");
    std::fs::write(&game, ROWS_FIRST).unwrap();
    let arguments = ["--playouts", "400", "--effort", "0"];
    let page = page(&game, &arguments);
    let terminal = ggp().arg("analyze").arg(&game).args(arguments).assert().success();
    let terminal = String::from_utf8_lossy(&terminal.get_output().stdout).into_owned();
    for sentence in ["up: own piece on row 4", "down: own piece on row 1"] {
        assert!(terminal.contains(sentence), "{terminal}");
        assert!(page.contains(sentence), "{sentence}");
    }
}

#[test]
fn edges_that_roles_connect_are_marked() {
    let page = page(Path::new("games/hex.kif"), &["--playouts", "200", "--effort", "0"]);
    for role in ["red", "blue"] {
        let band =
            format!("<g class=\"p-{role}\"><title>{role} connects this edge with the opposite one</title>");
        // Two edges of each board: the one to step through, the initial state, and those of functions.
        let bands = page.matches(&band).count();
        assert!(bands >= 4 && bands.is_multiple_of(2), "{bands} bands of {role}");
    }
}

#[test]
fn the_moves_of_the_game_are_listed() {
    let page = page(Path::new("games/connect_four_4x4.kif"), &["--playouts", "400"]);
    let steps = page.matches("<button type=\"button\" data-step=\"").count();
    let number = format!("max=\"{steps}\"");
    assert!(steps > 3 && page.contains(&number), "{steps} moves");
}

#[test]
fn pages_without_games_between_searches_begin_with_random_play() {
    let arguments = ["--playouts", "200", "--effort", "0"];
    for game in ["connect_four_4x4", "peg_solitaire", "three_player_race", "rock_paper_scissors"] {
        let page = page(&Path::new("games").join(game).with_extension("kif"), &arguments);
        assert!(page.contains(">random play</span>") && !page.contains(">search of"), "{game}");
        assert!(!page.contains("First moves of") && !page.contains("class=\"evaluation\""), "{game}");
        assert!(page.contains("id=\"viewer\"") && page.contains("id=\"checks\""), "{game}");
    }
}

#[test]
fn pages_report_strategies_and_unused_rules() {
    let page =
        page(Path::new("games/connect_four_5x4.kif"), &["--playouts", "1000", "--proof-work", "100000"]);
    assert_eq!(page.matches(">in good play<").count(), 2, "columns of features and functions");
    assert!(page.contains("In good play every role follows one function"));
    assert!(page.contains("rules that depend on play fired within"));
}

#[test]
fn the_page_of_a_large_game_stays_small() {
    let page = page(Path::new("games/chess.kif"), &["--playouts", "40", "--proof-work", "100000"]);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.contains("take turns on a board of 8 by 8 cells"));
}

#[test]
fn states_are_drawn() {
    let shown = |arguments: &[&str]| {
        let run = ggp().args(["show", "games/tic_tac_toe.kif", "--playouts", "200"]).args(arguments).assert();
        String::from_utf8_lossy(&run.success().get_output().stdout).into_owned()
    };
    let initial = shown(&[]);
    let lines: Vec<&str> = initial.lines().collect();
    assert!(has_line(lines[0], &["tic_tac_toe", "crosses"]) && lines[1] == "  mark/3", "{initial}");
    let moved = shown(&["--moves", "(draw 2 2) (draw 1 3)"]);
    assert!(has_line(&moved, &["2", "crosses"]), "{moved}");
    let end = shown(&["--moves", "(draw 2 2) (draw 1 3) (draw 1 1) (draw 2 3) (draw 3 3)"]);
    assert!(has_line(&end, &["crosses 100", "noughts 0"]), "{end}");
}

#[test]
fn pages_of_records_show_search_results() {
    let folder = tempfile::tempdir().unwrap();
    let (record, out) = (folder.path().join("match.json"), folder.path().join("match.html"));
    let game = "games/tic_tac_toe.kif";
    ggp()
        .args([
            "play",
            game,
            "--player",
            "crosses=alphabeta:fuzzy?depth=2",
            "--player",
            "noughts=random",
            "--out",
        ])
        .arg(&record)
        .assert()
        .success();
    ggp().args(["show", game]).arg(&record).arg("--out").arg(&out).assert().success();
    let page = std::fs::read_to_string(&out).unwrap();
    assert!(page.contains("alphabeta:fuzzy,depth=2 for crosses"), "the search result is drawn");
    assert!(page.contains("crosses plays (draw "), "moves are listed");
    // The record of another game is refused, and the error names the right game.
    let other = ggp().args(["show", "games/nim.kif"]).arg(&record).assert().code(1);
    let stderr = String::from_utf8_lossy(&other.get_output().stderr).into_owned();
    assert!(has_line(&stderr, &["0", "games/nim.kif"]), "{stderr}");
}

#[test]
fn invalid_moves_and_usage_are_reported() {
    let game = "games/tic_tac_toe.kif";
    let run = ggp().args(["show", game, "--moves", "(draw 9 9)"]).assert().code(1);
    let stderr = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(has_line(&stderr, &["`(draw 9 9)`", "crosses"]), "{stderr}");
    ggp().args(["show", game, "record.json", "--moves", "(draw 1 1)"]).assert().code(2);
    ggp().args(["show", game, "--number", "2"]).assert().code(2);
}
