//! A line of text describes a player. Players play legal matches and leave records that can be replayed.

use assert_cmd::Command;
use serde_json::Value;

use crate::lines::{has_line, numbers};

fn ggp(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Plays a match and replays its record.
fn play_match(game: &str, players: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let path = format!("games/{game}.kif");
    let mut arguments = vec!["play", &path, "--playouts", "500", "--play-clock", "60", "--out"];
    arguments.push(record.to_str().unwrap());
    players.iter().for_each(|player| arguments.extend(["--player", player]));
    let (status, _, errors) = ggp(&arguments);
    assert_eq!(status, 0, "{game}: {errors}");
    let (status, _, errors) = ggp(&["replay", &path, record.to_str().unwrap()]);
    assert_eq!(status, 0, "{game}: {errors}");
    let text = std::fs::read_to_string(&record).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn match_records_replay_for_every_class_of_game() {
    let matches: [(&str, &[&str]); 11] = [
        ("three_player_race", &["hare=maxn:fuzzy?depth=3", "fox=maxn:statistical?nodes=500"]),
        ("connect_four", &["red=ensemble?nodes=3000", "yellow=ensemble?depth=2&threads=1"]),
        ("tic_tic_toe", &["crosses=mixed:fuzzy?depth=2", "noughts=mixed:statistical?depth=1"]),
        ("tic_tac_toe", &["crosses=alphabeta:fuzzy?depth=3", "noughts=guct:statistical?nodes=3000"]),
        ("connect_four", &["red=alphabeta:kuhlmann?depth=3", "yellow=uct?nodes=3000"]),
        ("rock_paper_scissors", &["left_hand=uct?nodes=500"]),
        ("three_player_race", &["hare=alphabeta:fuzzy?depth=3"]),
        ("eight_puzzle", &["solver=alphabeta:fuzzy?depth=4"]),
        ("towers_of_hanoi", &["monk=bestfirst:fuzzy"]),
        ("maze", &["walker=ida:fuzzy"]),
        ("reversi", &["black=alphabeta:mobility?depth=2", "white=alphabeta:material?depth=2"]),
    ];
    for (game, players) in matches {
        let record = play_match(game, players);
        assert_eq!(record["isCompleted"], true, "{game}");
        let errors = record["errors"].as_array().unwrap().iter().flat_map(|step| step.as_array().unwrap());
        assert!(errors.into_iter().all(|error| error == ""), "{game}");
    }
}

#[test]
fn lookahead_beats_random_play() {
    let mut won = 0;
    for seed in ["1", "2", "3", "4"] {
        let arguments =
            ["play", "games/connect_four.kif", "--playouts", "500", "--format", "json", "--seed", seed];
        let (status, text, _) =
            ggp(&[&arguments[..], &["--play-clock", "60", "--player", "yellow=alphabeta:fuzzy?depth=4"]]
                .concat());
        assert_eq!(status, 0);
        let record: Value = serde_json::from_str(&text).unwrap();
        won += usize::from(record["goalValues"][1] == 100);
    }
    assert!(won >= 3, "{won} of 4");
}

#[test]
fn invalid_players_are_rejected_with_a_suggestion() {
    let run = |player: &str| ggp(&["play", "games/tic_tac_toe.kif", "--playouts", "100", "--player", player]);
    let error = |player: &str| {
        let (status, _, errors) = run(player);
        assert_eq!(status, 1, "{player}");
        errors
    };
    let usage = |player: &str| {
        let (status, _, errors) = run(player);
        assert_eq!(status, 2, "{player}");
        errors
    };
    assert!(usage("crosses=alphabet:fuzzy").contains("`alphabeta`"));
    assert!(usage("crosses=alphabeta:fuzzy(nrm=product)").contains("did you mean `norm`?"));
    assert!(usage("crosses=alphabeta:fuzzy?norm=product").contains("alphabeta:fuzzy,norm=strict"));
    assert!(has_line(&usage("crosses=alphabeta:fuzzy(norm=yager:400)"), &["yager:Q", "0.01", "40"]));
    assert!(usage("crosses=greedy:fizzy(p=0.9)").contains("`fuzzy`"));
    assert!(error("crosses=greedy:fuzzy.noughts(p=0.9)").contains("fuzzy.noughts(p=0.9)"));
    assert!(error("cross=random").contains("crosses, noughts"));
    assert!(error("crosses").contains("ROLE=PLAYER"));
    assert!(error("crosses=alphabeta:fizzy").contains("no evaluation function `fizzy`"));
    assert!(error("crosses=alphabeta:missing.json").contains("missing.json"));
    assert!(usage("crosses=uct?nods=3").contains("`nodes`"));
    for player in ["bestfirst", "ida"] {
        let text = error(&format!("crosses={player}:fuzzy"));
        assert!(
            text.contains("one role") && text.contains("`alphabeta`") && !text.contains("`ida`,"),
            "{text}"
        );
    }
}

/// The values of the first move depend on the norm, and equal those of `ggp eval` with the same options.
#[test]
fn function_options_reach_players() {
    let value = |player: &str| {
        let line = format!("crosses={player}");
        let arguments = ["play", "games/tic_tac_toe.kif", "--playouts", "500", "--play-clock", "60"];
        let (status, text, errors) =
            ggp(&[&arguments[..], &["--format", "json", "--player", &line]].concat());
        assert_eq!(status, 0, "{errors}");
        let record: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record["playerNamesFromHost"][0], player.replace('(', ",").replace(')', ""));
        record["thoughts"][0][0]["value"].as_f64().unwrap()
    };
    let strict = value("greedy:fuzzy");
    let product = value("greedy:fuzzy(norm=product,p=0.9)");
    let minimum = value("greedy:fuzzy(norm=minimum)");
    assert!(strict != product && product != minimum && strict != minimum);
    let (status, text, _) = ggp(&[
        "eval",
        "games/tic_tac_toe.kif",
        "fuzzy.crosses(norm=product,p=0.9)",
        "--all-moves",
        "--format",
        "json",
    ]);
    let moves: Value = serde_json::from_str(&text).unwrap();
    let (flags, same, _) = ggp(&[
        "eval",
        "games/tic_tac_toe.kif",
        "fuzzy.crosses",
        "--fuzzy-norm",
        "product",
        "--fuzzy-p",
        "0.9",
        "--all-moves",
        "--format",
        "json",
    ]);
    assert_eq!((status, flags, &text), (0, 0, &same));
    assert!(moves[0]["value"].as_f64().unwrap() > 0.0);
}

#[test]
fn unsuitable_players_are_rejected_with_alternatives() {
    for (game, player, teams) in [
        ("eight_puzzle", "solver=mixed:fuzzy", "a game with one team"),
        ("eight_puzzle", "solver=maxn:fuzzy", "a game with one team"),
        ("three_player_race", "hare=mixed:fuzzy", "a game with 3 teams"),
    ] {
        let path = format!("games/{game}.kif");
        let (status, _, errors) = ggp(&["play", &path, "--playouts", "500", "--player", player]);
        assert!(status == 1 && errors.contains(teams) && errors.contains("use one of random"), "{errors}");
    }
}

#[test]
fn guide_options_need_single_playouts() {
    for (options, named) in
        [("cutoff=0.5", "`cutoff=0.5`"), ("order=1&replace=0.2", "`replace=0.2` and `order=1`")]
    {
        let player = format!("crosses=guct:statistical?{options}");
        let (status, _, errors) =
            ggp(&["play", "games/tic_tac_toe.kif", "--playouts", "500", "--player", &player]);
        assert!(status != 0 && errors.contains(named) && errors.contains("add `lanes=0`"), "{errors}");
    }
    let first = |options: &str| {
        let player = format!("red=guct:statistical?lanes=0&nodes=1500&seed=4&{options}");
        let record = play_match("connect_four", &[&player, "yellow=random"]);
        let result = &record["thoughts"][0][0];
        assert!(result["value"].is_number(), "{result}");
        format!("{} after {} states", result["value"], result["nodes"])
    };
    let results =
        ["cutoff=0", "cutoff=1", "cutoff=0&order=1", "cutoff=0&prior=0", "cutoff=0&replace=0.5"].map(first);
    for (index, one) in results.iter().enumerate() {
        assert!(!results[..index].contains(one), "option {index} changes nothing: {results:?}");
    }
}

#[test]
fn unavailable_opponent_models_are_rejected_by_name() {
    for (game, player, because) in [
        ("tic_tac_toe", "crosses=uct?opponent=greedy", "it has no function"),
        ("bidding_tic_tac_toe", "cross=guct:statistical?opponent=greedy", "roles move at once"),
    ] {
        let path = format!("games/{game}.kif");
        let (status, _, errors) = ggp(&["play", &path, "--playouts", "300", "--player", player]);
        assert!(status == 1 && errors.contains("here: ") && errors.contains(because), "{player}: {errors}");
    }
    let record = play_match(
        "tic_tac_toe",
        &["crosses=guct:statistical?opponent=greedy&nodes=20000", "noughts=uct?opponent=random&nodes=5000"],
    );
    assert!(record["thoughts"][0][0]["value"].is_number(), "{record}");
}

#[test]
fn an_ensemble_uses_the_named_functions() {
    let play = |functions: &str| {
        let player = format!("crosses=ensemble?nodes=200&functions={functions}");
        let path = "games/tic_tac_toe.kif";
        ggp(&["play", path, "--playouts", "500", "--no-boards", "--player", &player])
    };
    for wrong in ["nonsense", "fuzzy+nonsense", "fuzzy*x", "fuzzy*0"] {
        let (status, _, errors) = play(wrong);
        assert_eq!(status, 1, "{wrong}: {errors}");
        assert!(errors.contains(wrong.rsplit('+').next().unwrap()), "{wrong}: {errors}");
    }
    let (status, text, errors) = play("exhaustive*2+fuzzy");
    assert_eq!(status, 0, "{errors}");
    assert!(text.contains(" of 3\n"), "{text}");
}

#[test]
fn players_are_listed_with_their_options() {
    let (status, text, _) = ggp(&["players"]);
    assert_eq!(status, 0);
    for word in [
        "random",
        "alphabeta:FUNCTION",
        "uct",
        "guct:FUNCTION",
        "cutoff",
        "mixed:FUNCTION",
        "maxn:FUNCTION",
        "ensemble",
    ] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn a_human_player_works_through_a_pipe() {
    let play = |input: &str, more: &[&str]| {
        let arguments = ["play", "games/tic_tac_toe.kif", "--playouts", "500", "--player", "crosses=human"];
        let output =
            Command::cargo_bin("ggp").unwrap().args(arguments).args(more).write_stdin(input).output();
        let output = output.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    // The input is the number of a move, a wrong number, a move as text, and then always the first legal move.
    let input = format!("5\n99\n(draw 1 1)\n{}", "1\n".repeat(9));
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let (status, printed, stderr) = play(&input, &["--out", record.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.contains("crosses: (draw 2 2)") && printed.contains("the end after"), "{printed}");
    assert!(stderr.contains("  5 (draw 2 2)") && stderr.contains("`99`"), "{stderr}");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(record).unwrap()).unwrap();
    assert_eq!(record["isPlayerHuman"], serde_json::json!([true, false]));
    assert_eq!(record["isCompleted"], true);

    let (status, printed, _) = play("5\n", &["--play-clock", "0.03"]);
    assert_eq!(status, 0);
    let last = printed.lines().last().unwrap();
    assert!(numbers(last) == [2] && has_line(last, &["human"]), "{printed}");
    let (_, record, _) = play("5\n", &["--play-clock", "0.03", "--format", "json"]);
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!((&record["isCompleted"], record["moves"].as_array().unwrap().len()), (&false.into(), 2));
}

/// Plays with typed lines; returns the exit status, standard output, standard error and the record.
fn typed(game: &str, players: &[&str], input: &[u8]) -> (i32, String, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let mut command = Command::cargo_bin("ggp").unwrap();
    command.args(["play", game, "--playouts", "500", "--nodes", "50", "--out"]).arg(&record);
    for player in players {
        command.args(["--player", player]);
    }
    let output = command.write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let record = serde_json::from_str(&std::fs::read_to_string(&record).unwrap()).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr), record)
}

const TIC_TAC_TOE: &str = "games/tic_tac_toe.kif";

#[test]
fn undo_takes_back_a_move_and_the_replies() {
    let play = |input: &str| typed(TIC_TAC_TOE, &["crosses=human", "noughts=human"], input.as_bytes());
    // Crosses take back their first move, and both moves after it are lost.
    let (status, printed, stderr, record) =
        play("undo\ndraw 1 1\ndraw 1 2\nundo\ndraw 2 2\ndraw 3 3\ndraw 1 3\nquit\n");
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(stderr.matches("have not made a move").count(), 1, "{stderr}");
    assert!(stderr.contains("continues after step 0"), "{stderr}");
    let (_, straight, _, wanted) = play("draw 2 2\ndraw 3 3\ndraw 1 3\nquit\n");
    for key in ["states", "moves", "thoughts", "errors", "isCompleted"] {
        assert_eq!(record[key], wanted[key], "{key}");
    }
    assert_eq!(record["moves"].as_array().unwrap().len(), 3);
    assert_eq!(record["stateTimes"].as_array().unwrap().len(), 4);
    // The board of the earlier state is drawn again, and then everything is as without the detour.
    assert!(printed.ends_with(&straight), "{printed}");

    // A search that answered a move keeps its evaluation in the record if the move stays.
    let (_, _, _, record) = typed(
        TIC_TAC_TOE,
        &["crosses=human", "noughts=alphabeta:fuzzy,depth=2"],
        b"draw 1 1\n1\nundo\nquit\n",
    );
    let thoughts = record["thoughts"].as_array().unwrap();
    assert_eq!(thoughts.len(), 2);
    assert!(thoughts[1][1]["states"].as_u64().unwrap() > 0, "{thoughts:?}");
}

#[test]
fn a_person_can_resign_and_quit() {
    let players = ["crosses=random", "noughts=human"];
    let (status, printed, stderr, record) = typed(TIC_TAC_TOE, &players, b"1\nresign\n");
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.ends_with("noughts resigned after 3 steps\n"), "{printed}");
    assert_eq!((&record["resigned"], &record["isAborted"]), (&"noughts".into(), &true.into()));
    assert!(record.get("goalValues").is_none());
    for input in [&b"1\nquit\n"[..], b"1\nexit", b"1\n", b"1\n\xff\xfe\nno move\n\n"] {
        let (status, printed, stderr, record) = typed(TIC_TAC_TOE, &players, input);
        assert_eq!(status, 0, "{stderr}");
        assert!(has_line(&printed, &["not finished after 3 steps", "human"]), "{printed}");
        assert_eq!((record.get("resigned"), &record["isAborted"]), (None, &true.into()));
    }
}

#[test]
fn values_of_opponents_are_shown_on_request_only() {
    let players = ["crosses=human", "noughts=alphabeta:fuzzy,depth=2"];
    let (_, printed, stderr, record) = typed(TIC_TAC_TOE, &players, b"eval\n5\neval\nquit\n");
    assert!(has_line(&printed, &["noughts: (draw"]), "{printed}");
    assert!(!printed.contains("value") && !printed.contains("depth 2  "), "{printed}");
    assert!(stderr.contains("no other player has searched yet"), "{stderr}");
    assert!(has_line(&stderr, &["noughts expects", "points", "searched"]), "{stderr}");
    assert!(record["thoughts"][1][1]["value"].as_f64().is_some());
    // Noughts can win at once: neither the move nor `eval` says that this is proved.
    let lost = b"draw 1 1\ndraw 1 2\ndraw 3 3\neval\nquit\n";
    let (_, printed, stderr, _) = typed(TIC_TAC_TOE, &["crosses=human", "noughts=uct"], lost);
    assert!(!printed.contains("proved") && !stderr.contains("proved"), "{printed}{stderr}");
}

#[test]
fn a_hint_is_a_legal_move_with_its_reason() {
    let (status, _, stderr, _) = typed(TIC_TAC_TOE, &["crosses=human"], b"hint\nmoves\n?\nquit\n");
    assert_eq!(status, 0, "{stderr}");
    let hint = stderr.lines().find_map(|line| line.split_once("hint: ")).unwrap().1;
    assert!(hint.starts_with("(draw ") && hint.contains("points"), "{hint}");
    assert_eq!(stderr.matches("  5 (draw 2 2)").count(), 2, "{stderr}");
    assert!(has_line(&stderr, &["undo", "take back"]), "{stderr}");
}

#[test]
fn a_move_keeps_the_only_number_that_distinguishes_it() {
    let columns = b"4\n4\n4\n4\n4\n4\n4\n5\nquit\n";
    let (status, _, stderr, record) =
        typed("games/connect_four.kif", &["red=human", "yellow=human"], columns);
    assert_eq!(status, 0, "{stderr}");
    let moves = record["moves"].to_string();
    // The fourth column takes six discs; the seventh is refused.
    assert_eq!((moves.matches(" 4)").count(), moves.matches(" 5)").count()), (6, 1), "{moves}");
    assert_eq!(stderr.matches("`4` is neither a legal move nor a command").count(), 1, "{stderr}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_at_the_prompt_keeps_the_record() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
        .args([
            "play",
            "games/tic_tac_toe.kif",
            "--playouts",
            "500",
            "--player",
            "crosses=human",
            "--no-boards",
        ])
        .arg("--out")
        .arg(&record)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"draw 2 2\n").unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..2 {
        printed.read_line(&mut line).unwrap();
    }
    assert!(line.contains("noughts: "), "{line}");
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap().code();
    printed.read_to_string(&mut line).unwrap();
    assert_eq!(status, Some(130), "{line}");
    assert_eq!(line.lines().last().map(numbers), Some(vec![2]), "{line}");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(record).unwrap()).unwrap();
    assert_eq!((&record["isCompleted"], record["moves"].as_array().unwrap().len()), (&false.into(), 2));
}

#[test]
fn match_options_are_respected_or_rejected_at_once() {
    let short = ["play", "games/tic_tac_toe.kif", "--max-steps", "3"];
    let (status, printed, stderr) = ggp(&short);
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(printed.lines().last().map(numbers), Some(vec![3]), "{printed}");
    let (_, record, _) = ggp(&[&short[..], &["--format", "json"]].concat());
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!((&record["isCompleted"], record["moves"].as_array().unwrap().len()), (&false.into(), 3));
    let (status, printed, stderr) = ggp(&["play", "games/tic_tac_toe.kif", "--out", "games"]);
    assert_eq!((status, printed.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("games can't be written"), "{stderr}");
    let remote = ["play", "games/tic_tac_toe.kif", "--player", "crosses=localhost:9147"];
    let (status, _, stderr) = ggp(&[&remote[..], &["--player", "noughts=human"]].concat());
    assert!(status == 2 && stderr.contains("noughts=human") && stderr.contains("taken back"), "{stderr}");
}

#[test]
fn a_clock_of_zero_is_a_usage_error() {
    for clock in [
        &["--play-clock", "0"][..],
        &["--play-clock", "0.01", "--margin", "0.02"],
        &["--play-clock", "1", "--margin", "2"],
        &["--managed", "--play-clock", "0.02", "--margin", "0.05"],
    ] {
        let (status, _, stderr) = ggp(&[&["play", "games/tic_tac_toe.kif"], clock].concat());
        assert_eq!(status, 2, "{clock:?}: {stderr}");
    }
}

#[test]
fn auto_chooses_a_player_for_every_class_of_game() {
    // Without trial matches only the class of the game decides, so the choice is always the same.
    let matches: [(&str, &str, &str); 4] = [
        ("connect_four", "red", "guct:statistical+fuzzy"),
        ("rock_paper_scissors", "left_hand", "guct:"),
        ("three_player_race", "hare", "guct:"),
        ("towers_of_hanoi", "monk", "bestfirst:fuzzy"),
    ];
    for (game, role, expected) in matches {
        let path = format!("games/{game}.kif");
        let player = format!("{role}=auto?nodes=2000");
        let (status, _, errors) = ggp(&[
            "play",
            &path,
            "--playouts",
            "500",
            "--play-clock",
            "60",
            "--no-boards",
            "--player",
            &player,
        ]);
        assert_eq!(status, 0, "{game}: {errors}");
        let chosen = |line: &str| line.starts_with(&format!("{role}: ")) && line.contains(expected);
        assert!(errors.lines().any(chosen), "{errors}");
    }
}

/// `--max-steps` cuts the match short, but not the playouts that prepare it.
#[test]
fn max_steps_does_not_shorten_preparation() {
    let short =
        ["play", "games/connect_four_4x4.kif", "--playouts", "500", "--no-boards", "--max-steps", "1"];
    let (status, _, errors) = ggp(&[&short[..], &["--player", "first=auto?trial=0"]].concat());
    assert_eq!(status, 0, "{errors}");
    assert!(has_line(&errors, &["first", "guct:statistical+fuzzy", "2"]), "{errors}");
}

/// With `prepare`, a player has seconds of its own to learn before the match, independent of the start clock.
#[test]
fn preparation_learns_functions_in_the_given_time() {
    let short = ["play", "games/tic_tac_toe.kif", "--playouts", "500", "--no-boards", "--play-clock", "0.1"];
    let (status, _, errors) = ggp(&[&short[..], &["--player", "crosses=auto?prepare=6"]].concat());
    assert_eq!(status, 0, "{errors}");
    // Some candidates use the functions learned with `work=3`; one of them plays unless another is better in trial matches.
    assert!(errors.contains("trial matches"), "{errors}");
    let (status, _, errors) = ggp(&[&short[..], &["--player", "crosses=auto?prepare=6&trial=0"]].concat());
    assert_eq!(status, 0, "{errors}");
    assert!(has_line(&errors, &["crosses", "guct:learned(work=3)"]), "{errors}");
}

#[test]
fn auto_plays_trial_matches() {
    let arguments =
        ["play", "games/connect_four_4x4.kif", "--playouts", "500", "--no-boards", "--play-clock", "1"];
    let (status, _, errors) =
        ggp(&[&arguments[..], &["--player", "first=auto?trial=1", "--player", "second=random"]].concat());
    assert_eq!(status, 0, "{errors}");
    assert!(errors.contains("trial matches"), "{errors}");
}

/// The record of a match of tic-tac-toe without the parts that depend on the clock; `player` plays crosses.
fn record(player: &str) -> serde_json::Value {
    let mut command = assert_cmd::Command::cargo_bin("ggp").unwrap();
    command.args([
        "play",
        "games/tic_tac_toe.kif",
        "--seed",
        "3",
        "--format",
        "json",
        "--play-clock",
        "60",
        "--playouts",
        "500",
    ]);
    let run = command.args(["--player", &format!("crosses={player}")]).assert().success();
    let mut record: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    for key in ["matchId", "startTime", "stateTimes", "playerNamesFromHost"] {
        record.as_object_mut().unwrap().remove(key).unwrap();
    }
    for result in
        record["thoughts"].as_array_mut().unwrap().iter_mut().flat_map(|step| step.as_array_mut().unwrap())
    {
        if let Some(result) = result.as_object_mut() {
            result.remove("seconds");
            result.remove("player");
        }
    }
    record
}

/// One thread gives the same bytes as no option. Threads with a shared table cannot be repeated, and the record says so.
/// Threads with separate trees can.
#[test]
fn records_mark_irreproducible_searches() {
    let says = |record: &serde_json::Value| record.to_string().contains("\"repeatable\":false");
    let one = record("alphabeta:fuzzy?nodes=300");
    assert_eq!(one, record("alphabeta:fuzzy?nodes=300&threads=1"));
    assert!(!one.to_string().contains("repeatable"));
    assert!(says(&record("alphabeta:fuzzy?nodes=300&threads=3")));
    let one = record("uct?nodes=400");
    assert_eq!(one, record("uct?nodes=400&threads=1"));
    let three = record("uct?nodes=400&threads=3");
    assert!(!says(&three));
    assert_eq!(three, record("uct?nodes=400&threads=3"));
    let guided = |options: &str| record(&format!("guct:fuzzy?lanes=0&nodes=400{options}"));
    let (one, three) = (guided(""), guided("&threads=3"));
    assert!(one == guided("&threads=1") && three == guided("&threads=3") && !says(&three));
    let empty_windows = |options: &str| record(&format!("mtdf:fuzzy?nodes=300{options}"));
    let one = empty_windows("");
    assert!(one == empty_windows("&threads=1") && !says(&one) && says(&empty_windows("&threads=3")));
}

/// Plays a match by rules given as text, and returns its record.
fn play_rules(rules: &str, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let (path, record) = (folder.path().join("rules.kif"), folder.path().join("match.json"));
    std::fs::write(&path, rules).unwrap();
    let arguments = ["play", path.to_str().unwrap(), "--playouts", "200", "--out", record.to_str().unwrap()];
    let (status, _, errors) = ggp(&[&arguments[..], options].concat());
    assert_eq!(status, 0, "{options:?}: {errors}");
    serde_json::from_str(&std::fs::read_to_string(&record).unwrap()).unwrap()
}

#[test]
fn states_with_too_many_joint_moves_to_list_are_played() {
    // Each role has 1,296 moves at the same time.
    let rules = "
        (role a) (role b) (init (round 1)) (then 1 2) (then 2 3)
        (die 1) (die 2) (die 3) (die 4) (die 5) (die 6)
        (<= (legal ?r (throw ?a ?b ?c ?d)) (role ?r) (die ?a) (die ?b) (die ?c) (die ?d))
        (<= (pair ?r) (does ?r (throw ?a ?a ?c ?d)))
        (<= (next (won ?r)) (pair ?r)) (<= (next (won ?r)) (true (won ?r)))
        (<= (next (round ?n)) (true (round ?m)) (then ?m ?n))
        (<= terminal (true (round 3)))
        (<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))";
    for player in ["alphabeta:fuzzy", "mixed:fuzzy", "maxn:fuzzy", "auto?trial=0.2", "uct?nodes=100"] {
        let player = format!("a={player}");
        let record = play_rules(rules, &["--player", &player, "--play-clock", "1"]);
        assert_eq!(record["isCompleted"], true, "{player}");
        let errors = record["errors"].as_array().unwrap().iter().flat_map(|step| step.as_array().unwrap());
        assert!(errors.into_iter().all(|error| error == ""), "{player}");
    }
}

#[test]
fn auto_plays_if_another_role_has_no_function() {
    // The third role always gets the same goal value.
    let rules = "
        (role a) (role b) (role c) (init (at a 0)) (init (at b 0)) (init (step 0))
        (up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5)
        (<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
        (<= (next (at ?r ?y)) (does ?r go) (true (at ?r ?x)) (up ?x ?y))
        (<= (next (at ?r ?x)) (does ?r stay) (true (at ?r ?x)))
        (<= (next (step ?y)) (true (step ?x)) (up ?x ?y))
        (<= terminal (true (step 4))) (runs a) (runs b)
        (<= (far ?r) (true (at ?r ?x)) (up 2 ?x)) (<= (far ?r) (true (at ?r 4)))
        (<= (goal ?r 100) (far ?r)) (<= (goal ?r 20) (runs ?r) (not (far ?r))) (goal c 50)";
    for role in ["a", "c"] {
        let player = format!("{role}=auto?nodes=300");
        assert_eq!(play_rules(rules, &["--player", &player])["isCompleted"], true);
    }
}
