//! A player answers any input according to the protocol, and later matches are not affected.

use std::io::Write;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::lines::has_line;
use crate::waiting::wait_for_work;
#[cfg(target_os = "linux")]
use crate::waiting::{processor_time, wait_until};
use crate::wire::{PATIENCE, Player, all, body};
use serde_json::Value;

#[test]
fn a_truncated_body_is_rejected() {
    let player = Player::start(&[]);
    let mut stream = player.connect();
    stream.write_all(b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( PLAY m ").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(body(&all(&mut stream)), "nil");
    player.logs("within the message");
    player.still_plays();
}

#[test]
fn a_body_of_100_mb_is_rejected() {
    let player = Player::start(&[]);
    let much = vec![b'x'; 1 << 20];
    for head in ["Content-Length: 104857600\r\n", "", "Transfer-Encoding: chunked\r\n"] {
        let mut stream = player.connect();
        stream.write_all(format!("POST / HTTP/1.1\r\n{head}\r\n").as_bytes()).unwrap();
        for _ in 0..100 {
            let chunk = if head.starts_with('T') { "100000\r\n" } else { "" };
            // The server may close the connection before it has read everything.
            if stream.write_all(chunk.as_bytes()).and_then(|()| stream.write_all(&much)).is_err() {
                break;
            }
        }
        let answer = all(&mut stream);
        assert!(answer.is_empty() || answer.contains(" 413 ") && body(&answer) == "nil", "{answer}");
    }
    player.logs("too long");
    player.still_plays();
}

#[test]
fn two_thousand_idle_connections_do_not_block_the_server() {
    let player = Player::start(&[]);
    for _ in 0..10 {
        let idle: Vec<TcpStream> = (0..200).map(|_| player.connect()).collect();
        assert_eq!(player.ask("(ping)"), "ready");
        drop(idle);
    }
    let _idle: Vec<TcpStream> = (0..400).map(|_| player.connect()).collect();
    player.still_plays();
}

#[test]
fn slow_senders_are_disconnected() {
    let player = Player::start(&["--patience", "2"]);
    let mut slow = player.connect();
    slow.write_all(b"POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n").unwrap();
    player.still_plays();
    // One byte a second, until the connection is closed.
    while slow.write_all(b"(").is_ok() && !player.log().contains("not complete in time") {
        std::thread::sleep(Duration::from_secs(1));
    }
    player.logs("not complete in time");
    player.still_plays();
}

#[test]
fn messages_out_of_order_are_answered() {
    let player = Player::start(&[]);
    assert_eq!(player.ask("( PLAY m NIL )"), "busy");
    assert_eq!(player.ask("( STOP m NIL )"), "busy");
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "20 20"), "ready");
    assert_eq!(player.begin("n", "tic_tac_toe", "crosses", "20 20"), "busy");
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "20 20"), "busy");
    assert!(player.ask("( INFO )").contains("busy"));
    assert_eq!(player.ask("( PLAY n NIL )"), "busy");
    let first = player.ask("( PLAY m NIL )");
    assert!(player.ask("( PLAY m NIL )").starts_with("(draw "));
    let joint = format!("({first} noop)");
    assert_eq!(player.ask(&format!("( PLAY m {joint} )")), "noop");
    assert_eq!(player.ask(&format!("( PLAY m {joint} )")), "noop");
    player.logs("the same PLAY again");
    assert!(player.ask("( PLAY m NIL )") == "noop");
    player.logs("PLAY without moves");
    assert!(
        player.ask("( PLAY m ((frob 1) noop) )").starts_with("(draw ") || player.log().contains("`(frob 1)`")
    );
    assert_ne!(player.ask("( PLAY m (noop) )"), "");
    player.logs("1 moves for 2 roles");
    assert_eq!(player.ask("( STOP m (noop noop) )"), "done");
    assert_eq!(player.ask("( STOP m (noop noop) )"), "busy");
    assert_eq!(player.ask("( ABORT m )"), "busy");
    for garbage in ["frob", "( PLAY", "( START m crosses rules 1 1 )", ")", "\u{e9}\u{0}(", "( START m )"] {
        assert_eq!(player.ask(garbage), "nil", "{garbage}");
    }
    assert!(player.raw(b"\x16\x03\x01\x02\x00\x01\x00\n\n").contains(" 405 "));
    player.still_plays();
}

#[test]
fn a_match_can_be_aborted_during_a_search() {
    let player = Player::start(&["--player", "uct"]);
    assert_eq!(player.begin("m", "hex", "red", "2 3600"), "ready", "{}", player.log());
    std::thread::scope(|scope| {
        // The search lasts an hour unless the match is aborted.
        let search = scope.spawn(|| player.ask("( PLAY m NIL )"));
        wait_for_work(player.id(), Duration::from_millis(100));
        assert_eq!(player.ask("( ABORT m )"), "aborted");
        assert_ne!(search.join().unwrap(), "");
    });
    assert_eq!(player.begin("n", "tic_tac_toe", "crosses", "2 2"), "ready");
    assert!(player.ask("( PLAY n NIL )").starts_with("(draw "));
}

#[test]
fn invalid_rules_do_not_start_a_match() {
    let player = Player::start(&[]);
    for rules in ["(role a", "(role a) (<= (legal ?x) (foo", "", "(frob)", "(role b) (init (true))"] {
        let answer = player.ask(&format!("( START m a ({rules}) 20 20 )"));
        assert_eq!(answer, "nil", "{rules}");
        assert_eq!(player.ask("( PLAY m NIL )"), "busy");
    }
    assert_eq!(player.begin("m", "tic_tac_toe", "nobody", "20 20"), "nil");
    player.logs("`nobody`");
    assert!(has_line(&player.log(), &["nobody", "crosses", "noughts"]), "{}", player.log());
    player.still_plays();
}

/// A game of 10^12 states with two moves in each.
const LONG_REGISTER: &str = "(role a) (init (tape 0 0 0 0 0 0 0 0 0 0 0 0)) \
    (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) (n 0 1) (n 1 2) (n 2 3) (n 3 4) (n 4 5) (n 5 6) \
    (n 6 7) (n 7 8) (n 8 9) (n 9 0) (legal a turn) (legal a add) \
    (<= (next (tape ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l ?a)) (true (tape ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)) (does a turn)) \
    (<= (next (tape ?x ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)) (true (tape ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l)) (does a add) (n ?a ?x)) \
    (<= terminal (true (tape 1 2 3 4 5 6 7 8 9 0 1 2))) (goal a 50)";

#[test]
fn a_game_without_a_network_is_played_from_its_rules() {
    let player = Player::start(&[]);
    assert_eq!(player.ask(&format!("( START m A ({LONG_REGISTER}) 1 1)")), "ready");
    let mut last = "NIL".to_owned();
    for _ in 0..3 {
        let action = player.ask(&format!("( PLAY m {last} )"));
        assert!(["turn", "add"].contains(&action.as_str()), "{action}\n{}", player.log());
        last = format!("({action})");
    }
    assert_eq!(player.ask("( ABORT m )"), "aborted");
    player.still_plays();
}

#[test]
fn states_without_legal_moves_are_answered_with_nil() {
    let player = Player::start(&[]);
    let rules = "(role a) (role b) (init (p 1)) (<= (legal a x) (true (p 2))) (legal b y) \
        (<= (next (p 1)) (true (p 1))) (<= terminal (true (p 3))) (goal a 0) (goal b 0)";
    for role in ["a", "b"] {
        assert_eq!(player.ask(&format!("( START m {role} ({rules}) 2 2)")), "ready");
        assert_eq!(player.ask("( PLAY m NIL )"), if role == "a" { "nil" } else { "y" });
        assert_eq!(player.ask("( PLAY m (x y) )"), if role == "a" { "nil" } else { "y" });
        assert_eq!(player.ask("( STOP m NIL )"), "done");
    }
    player.logs("no legal move");
    player.still_plays();
}

/// A player that searches until its clock ends; its match of connect four waits for red's first move.
fn waiting_player(options: &[&str], clocks: &str) -> Player {
    let player = Player::start(&[&["--player", "uct"], options].concat());
    assert_eq!(player.begin("m", "connect_four", "yellow", clocks), "ready", "{}", player.log());
    assert_eq!(player.ask("( PLAY m NIL )"), "noop");
    player
}

/// Waits until a player uses at most a tenth of a processor.
#[cfg(target_os = "linux")]
fn wait_for_rest(player: &Player) {
    let used = || processor_time(player.id()).unwrap();
    wait_until("the player rests", || {
        let before = used();
        std::thread::sleep(Duration::from_millis(500));
        used() - before <= Duration::from_millis(50)
    });
}

/// A player searches while others choose, and ends this search at ABORT, at STOP and after two play clocks.
#[cfg(target_os = "linux")]
#[test]
fn pondering_ends() {
    for end in ["( ABORT m )", "( STOP m NIL )"] {
        let player = waiting_player(&[], "2 3600");
        wait_for_work(player.id(), Duration::from_millis(300));
        assert!(["aborted", "done"].contains(&player.ask(end).as_str()));
        wait_for_rest(&player);
        player.still_plays();
    }
    let player = waiting_player(&[], "20 0.3");
    wait_for_rest(&player);
    assert!(player.ask("( PLAY m ((drop 4) noop) )").starts_with("(drop "), "{}", player.log());
    assert_eq!(player.log(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn pondering_can_be_turned_off() {
    let player = waiting_player(&["--no-ponder"], "2 3600");
    wait_for_rest(&player);
    assert_eq!(player.ask("( ABORT m )"), "aborted");
}

/// A search that begins while the player ponders has its time: pondering ends at the message.
#[test]
fn a_move_interrupts_pondering() {
    let folder = tempfile::tempdir().unwrap();
    let player = waiting_player(&["--out", folder.path().to_str().unwrap(), "--margin", "100"], "2 3");
    let action = player.ask("( PLAY m ((drop 4) noop) )");
    assert!(action.starts_with("(drop "), "{action}\n{}", player.log());
    assert_eq!(player.ask(&format!("( STOP m (noop {action}) )")), "done");
    // The search of the second step has yellow's thoughts.
    let thought = &record(folder.path())["thoughts"][1][1];
    assert!(thought["states"].as_u64().is_some_and(|states| states > 0), "{thought}");
}

#[test]
fn the_old_option_for_pondering_prints_a_note() {
    let player = Player::start(&["--ponder"]);
    player.logs("note: --ponder is now the default; --no-ponder turns it off");
    player.still_plays();
}

#[test]
fn pondering_stops_at_the_next_message() {
    let player = Player::start(&["--player", "uct"]);
    assert_eq!(player.begin("m", "connect_four", "yellow", "2 1"), "ready");
    assert_eq!(player.ask("( PLAY m NIL )"), "noop");
    let action = player.ask("( PLAY m ((drop 4) noop) )");
    assert!(action.starts_with("(drop "), "{action}\n{}", player.log());
    assert_eq!(player.ask(&format!("( PLAY m (noop {action}) )")), "noop");
    assert_eq!(player.ask("( ABORT m )"), "aborted");
    player.still_plays();
    assert_eq!(player.log(), "");
}

#[test]
fn a_killed_player_can_be_restarted() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let player = Player::start(&["--port", &port]);
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "20 20"), "ready");
    let action = player.ask("( PLAY m NIL )");
    player.kill();
    let player = Player::start(&["--port", &port]);
    assert_eq!(player.ask(&format!("( PLAY m ({action} noop) )")), "busy");
    player.still_plays();
}

#[test]
fn concurrent_matches_are_limited() {
    let player = Player::start(&["--matches", "3"]);
    for id in ["a", "b", "c"] {
        assert_eq!(player.begin(id, "tic_tac_toe", "crosses", "20 20"), "ready");
    }
    assert_eq!(player.begin("d", "tic_tac_toe", "crosses", "20 20"), "busy");
    for id in ["a", "b", "c"] {
        assert!(player.ask(&format!("( PLAY {id} NIL )")).starts_with("(draw "));
    }
    assert_eq!(player.ask("( STOP b NIL )"), "done");
    assert_eq!(player.begin("d", "nim", "alice", "1 1"), "nil");
    assert_eq!(player.begin("d", "tic_tac_toe", "noughts", "20 20"), "ready");
}

#[test]
fn silent_matches_are_dropped() {
    let player = Player::start(&[]);
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "0.1 0.1"), "ready");
    player.logs("match m: no message for ten times its clocks");
    assert_eq!(player.ask("( PLAY m NIL )"), "busy");
    player.still_plays();
}

#[test]
fn a_margin_above_the_clock_leaves_time_for_a_move() {
    let player = Player::start(&["--player", "uct", "--margin", "60000"]);
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "2 1"), "ready");
    assert!(player.ask("( PLAY m NIL )").starts_with("(draw "));
}

#[test]
fn records_of_served_matches_replay() {
    let folder = tempfile::tempdir().unwrap();
    let player = Player::start(&["--out", folder.path().to_str().unwrap()]);
    assert_eq!(player.begin("../m/1", "eight_puzzle", "solver", "20 20"), "ready");
    let mut last = "NIL".to_owned();
    for _ in 0..4 {
        last = format!("({})", player.ask(&format!("( PLAY ../m/1 {last} )")));
    }
    assert_eq!(player.ask(&format!("( STOP ../m/1 {last} )")), "done");
    let record = (0..PATIENCE.as_millis() / 20).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.extension().is_some_and(|ending| ending == "json"))
    });
    let record = record.expect("a record is written");
    let text = std::fs::read_to_string(&record).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["matchId"], "../m/1");
    assert_eq!(json["moves"].as_array().unwrap().len(), 4);
    let arguments = ["replay", "games/eight_puzzle.kif", record.to_str().unwrap()];
    assert_cmd::Command::cargo_bin("ggp").unwrap().args(arguments).assert().success();
}

#[test]
fn usage_errors_are_reported() {
    let error = |arguments: &[&str]| {
        let output =
            assert_cmd::Command::cargo_bin("ggp").unwrap().arg("serve").args(arguments).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, text) = error(&["--player", "frob"]);
    assert!(status == 2 && text.contains("no player `frob`"), "{text}");
    assert_eq!(error(&["--matches", "0"]).0, 2);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let (status, text) = error(&["--port", &taken.local_addr().unwrap().port().to_string()]);
    assert!(status == 1 && text.contains("can't be listened at"), "{text}");
}

/// The longest time for the threads of a match to end: a second on an idle machine, more if tests share the processors.
#[cfg(target_os = "linux")]
const ENDING: Duration = Duration::from_secs(20);

/// Waits until a player has at most `before` threads; the error is the number of threads.
#[cfg(target_os = "linux")]
fn wait_for_end(player: &Player, before: usize) -> Result<(), usize> {
    let begun = std::time::Instant::now();
    while player.threads() > before {
        if begun.elapsed() > ENDING {
            return Err(player.threads());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Waits until the two threads of a match have started.
#[cfg(target_os = "linux")]
fn wait_for_start(player: &Player, before: usize) {
    let begun = std::time::Instant::now();
    // One more thread handles the connection that waits for an answer.
    while player.threads() < before + 3 {
        assert!(begun.elapsed() < PATIENCE, "no match has begun: {}", player.log());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// All threads of a match end with it, even in games with millions of playouts per second.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes half a minute"]
fn no_thread_outlives_its_match() {
    let player = Player::start(&["--player", "auto"]);
    player.still_plays();
    // The remaining three threads wait for signals, connections and the end of the program.
    assert_eq!(wait_for_end(&player, 3), Ok(()));
    let before = 3;
    for (game, role) in [("tic_tac_toe", "crosses"), ("connect_four", "red"), ("breakthrough", "white")] {
        // Stops during preparation and trial matches; this test needs different moments.
        for after in [0.0, 0.5, 2.0] {
            std::thread::scope(|scope| {
                let begun = scope.spawn(|| player.begin("m", game, role, "60 60"));
                wait_for_start(&player, before);
                std::thread::sleep(Duration::from_secs_f64(after));
                assert_eq!(player.ask("( STOP m NIL )"), "done", "{game} after {after} s");
                begun.join().unwrap();
            });
            assert_eq!(wait_for_end(&player, before), Ok(()), "{game} stopped after {after} s");
        }
        // Aborts during a search.
        assert_eq!(player.begin("m", game, role, "2 3600"), "ready", "{}", player.log());
        std::thread::scope(|scope| {
            let search = scope.spawn(|| player.ask("( PLAY m NIL )"));
            wait_for_start(&player, before);
            assert_eq!(player.ask("( ABORT m )"), "aborted");
            assert_ne!(search.join().unwrap(), "");
        });
        assert_eq!(wait_for_end(&player, before), Ok(()), "{game} aborted");
    }
    player.still_plays();
}

/// `auto` logs which player it chose, and the record has the thoughts of that player for each move.
#[test]
fn log_and_record_name_the_chosen_player() {
    let folder = tempfile::tempdir().unwrap();
    let player =
        Player::start(&["--player", "auto?trial=0.5&nodes=300", "--out", folder.path().to_str().unwrap()]);
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "20 20"), "ready");
    player.logs("match m: auto plays as guct:");
    let action = player.ask("( PLAY m NIL )");
    assert_eq!(player.ask(&format!("( PLAY m ({action} noop) )")), "noop");
    assert_eq!(player.ask("( STOP m (noop (draw 9 9)) )"), "done");
    let record = record(folder.path());
    let result = &record["thoughts"][0][0];
    assert!(result["player"].as_str().unwrap().starts_with("guct:"), "{result}");
    assert!(result["value"].as_f64().unwrap() >= 50.0 && result["states"].as_u64().unwrap() > 0, "{result}");
    assert!(result["depth"].is_u64() && result["seconds"].as_f64().unwrap() > 0.0, "{result}");
    assert_eq!(record["thoughts"][0][1], Value::Null);
    assert_eq!(record["playerNamesFromHost"], serde_json::json!(["auto,trial=0.5,nodes=300", ""]));
}

/// If the clock ends before `auto` is ready, another player plays, and the log says so.
#[test]
fn the_log_names_the_replacement_player() {
    let folder = tempfile::tempdir().unwrap();
    let player = Player::start(&["--player", "auto?trial=600", "--out", folder.path().to_str().unwrap()]);
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "1 1"), "ready");
    assert!(player.ask("( PLAY m NIL )").starts_with("(draw "));
    player.logs("match m: auto,trial=600 ");
    assert!(has_line(&player.log(), &["auto,trial=600", "1", "uct"]), "{}", player.log());
    assert_eq!(player.ask("( STOP m NIL )"), "done");
}

/// The first record that is written to a folder.
fn record(folder: &Path) -> Value {
    let path = (0..PATIENCE.as_millis() / 20).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let mut entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.find(|path| path.extension().is_some_and(|ending| ending == "json"))
    });
    let path = path.expect("a record is written");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_server_and_its_matches() {
    let folder = tempfile::tempdir().unwrap();
    let mut player = Player::start(&["--out", folder.path().to_str().unwrap()]);
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "20 20"), "ready");
    assert!(player.ask("( PLAY m NIL )").starts_with("(draw "));
    std::process::Command::new("kill").args(["-INT", &player.id().to_string()]).status().unwrap();
    assert_eq!(player.wait(), Some(130));
    assert!(folder.path().join("m.json").exists());
}

/// While the start clock runs, `auto` learns functions and tries them against its first choice. The match is ready after
/// that, and ends at once if it is stopped meanwhile.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes a quarter of a minute"]
fn functions_are_learned_while_the_start_clock_runs() {
    let player = Player::start(&["--player", "auto?trial=0&learn=1"]);
    let begun = std::time::Instant::now();
    assert_eq!(player.begin("m", "breakthrough", "white", "14 5"), "ready");
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(5) && took < Duration::from_secs(15), "ready after {took:?}");
    let action = player.ask("( PLAY m NIL )");
    assert!(action.starts_with("(move "), "{action}");
    assert_eq!(player.ask("( STOP m NIL )"), "done");
    assert_eq!(wait_for_end(&player, 3), Ok(()));
    // Stops during learning.
    std::thread::scope(|scope| {
        let begun = scope.spawn(|| player.begin("n", "connect_four", "red", "60 60"));
        // Two threads of the match, the connection, the learning thread, and one more that this thread starts.
        let from = std::time::Instant::now();
        while player.threads() < 3 + 5 {
            assert!(from.elapsed() < PATIENCE, "nothing is learned: {}", player.log());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(player.ask("( STOP n NIL )"), "done");
        begun.join().unwrap();
    });
    assert_eq!(wait_for_end(&player, 3), Ok(()));
    // With a limit of nodes nothing is learned.
    let player = Player::start(&["--player", "auto?nodes=300"]);
    let begun = std::time::Instant::now();
    assert_eq!(player.begin("m", "tic_tac_toe", "crosses", "40 5"), "ready");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(player.ask("( STOP m NIL )"), "done");
}
