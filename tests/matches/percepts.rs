//! In games with imperfect information (GDL-II), a remote player gets its own moves and percepts from every command
//! that manages matches, and never the hidden moves of others. `ggp serve` understands both forms of the messages.

use std::path::{Path, PathBuf};

use crate::host::{FakePlayer, Reaction, ggp};
use crate::wire::Player;

/// The hider hides a card. The guesser guesses twice, and learns each time whether the guess was right. The hider sees a
/// guess in the next state.
const GUESSING: &str = "(role guesser) (role hider) (card red) (card black) (card white) (init (step 1))
(<= (legal hider (hide ?c)) (true (step 1)) (card ?c)) (<= (legal hider rest) (not (true (step 1))))
(<= (legal guesser wait) (true (step 1))) (<= (legal guesser (say ?c)) (not (true (step 1))) (card ?c))
(<= (sees guesser (answer right)) (true (hidden ?c)) (does guesser (say ?c)))
(<= (sees guesser (answer wrong)) (does guesser (say ?c)) (not (true (hidden ?c))))
(<= (sees hider (heard ?c)) (next (said ?c)))
(<= (next (hidden ?c)) (does hider (hide ?c))) (<= (next (hidden ?c)) (true (hidden ?c)))
(<= (next (said ?c)) (does guesser (say ?c)))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (<= (next (step 4)) (true (step 3)))
(<= terminal (true (step 4)))
(<= (goal guesser 100) (true (hidden ?c)) (true (said ?c)))
(<= (goal guesser 0) (true (hidden ?c)) (not (true (said ?c)))) (goal hider 50)";

fn game(folder: &Path) -> PathBuf {
    let path = folder.join("guessing.kif");
    std::fs::write(&path, GUESSING).unwrap();
    path
}

/// The messages after START that the guesser and the hider get; both fake players answer `nil`.
fn received(more: &[&str]) -> [Vec<String>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = game(folder.path());
    let fakes =
        [FakePlayer::start(|_| Reaction::Answers("nil")), FakePlayer::start(|_| Reaction::Answers("nil"))];
    let roles = [format!("guesser={}", fakes[0].address), format!("hider={}", fakes[1].address)];
    let mut arguments =
        vec!["play", "--managed", path.to_str().unwrap(), "--start-clock", "2", "--play-clock", "2"];
    roles.iter().for_each(|role| arguments.extend(["--player", role]));
    arguments.extend(more);
    let (_, _, stderr) = ggp(&arguments);
    fakes.map(|fake| {
        let messages = fake.received();
        assert!(messages.first().is_some_and(|first| first.starts_with("( START")), "{messages:?}\n{stderr}");
        messages[1..].to_vec()
    })
}

/// The words of a message except its identifier, with each card as `C`.
fn without_identifier(message: &str) -> String {
    let words: Vec<&str> = message.split(' ').collect();
    let text = [&[words[1]], &words[3..]].concat().join(" ");
    ["red", "black", "white"].iter().fold(text, |text, card| text.replace(card, "C"))
}

fn without_identifiers(messages: &[String]) -> Vec<String> {
    messages
        .iter()
        .map(|message| without_identifier(message).replace("wrong", "A").replace("right", "A"))
        .collect()
}

/// The messages of the guesser and the hider. Only cards and answers differ between matches.
const GUESSER: [&str; 4] = [
    "PLAY 0 NIL NIL )",
    "PLAY 1 wait () )",
    "PLAY 2 (say C) ((answer A)) )",
    "STOP 3 (say C) ((answer A)) )",
];
const HIDER: [&str; 4] =
    ["PLAY 0 NIL NIL )", "PLAY 1 (hide C) () )", "PLAY 2 rest ((heard C)) )", "STOP 3 rest ((heard C)) )"];

#[test]
fn a_role_receives_its_own_moves_and_percepts() {
    let [guesser, hider] = received(&[]);
    assert_eq!(
        (without_identifiers(&guesser), without_identifiers(&hider)),
        (GUESSER.map(Into::into).into(), HIDER.map(Into::into).into())
    );
}

#[test]
fn tournaments_hide_moves_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (game(folder.path()), folder.path().join("out"));
    let fake = FakePlayer::start(|_| Reaction::Answers("nil"));
    let address = format!("http://{}", fake.address);
    let fixed = ["tournament", "--games", path.to_str().unwrap(), "--players", &address, "random"];
    // Matches run one at a time, because one fake player receives the messages of all.
    let more =
        ["--start-clock", "2", "--play-clock", "2", "--rounds", "1", "--opening", "0", "--threads", "1"];
    let more = [&more[..], &["--out", out.to_str().unwrap()]].concat();
    let (status, _, stderr) = ggp(&[&fixed[..], &more].concat());
    assert_eq!(status, 0, "{stderr}");
    let messages = fake.received();
    let matches: Vec<&[String]> = messages.chunk_by(|_, next| !next.starts_with("( START")).collect();
    let roles: Vec<&str> = matches.iter().map(|message| message[0].split(' ').nth(3).unwrap()).collect();
    assert_eq!(roles, ["guesser", "hider"]);
    assert_eq!(
        (without_identifiers(&matches[0][1..]), without_identifiers(&matches[1][1..])),
        (GUESSER.map(Into::into).into(), HIDER.map(Into::into).into())
    );
}

#[test]
fn percepts_only_omits_the_moves() {
    let [guesser, hider] = received(&["--percepts-only"]);
    assert_eq!(
        without_identifiers(&guesser),
        ["PLAY NIL )", "PLAY () )", "PLAY ((answer A)) )", "STOP ((answer A)) )"]
    );
    assert_eq!(
        without_identifiers(&hider),
        ["PLAY NIL )", "PLAY () )", "PLAY ((heard C)) )", "STOP ((heard C)) )"]
    );
}

#[test]
fn no_message_contains_a_hidden_move() {
    for more in [&[][..], &["--percepts-only"]] {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("match.json");
        let out = ["--out", record.to_str().unwrap()];
        let [guesser, hider] = received(&[more, &out].concat());
        let record: serde_json::Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
        let moves = |role: usize| {
            let steps = record["moves"].as_array().unwrap().iter();
            steps.map(|step| step[role].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let others = [(guesser, moves(1)), (hider, moves(0))];
        for (messages, hidden) in others {
            assert_eq!(messages.len(), 4);
            for hidden in hidden {
                assert!(
                    messages.iter().all(|message| !message.contains(&hidden)),
                    "{hidden} in {messages:?}"
                );
            }
        }
    }
}

#[test]
fn without_percepts_all_moves_are_sent() {
    let fake = FakePlayer::start(|_| Reaction::Answers("nil"));
    let role = format!("crosses={}", fake.address);
    ggp(&[
        "play",
        "--managed",
        "games/tic_tac_toe.kif",
        "--player",
        &role,
        "--start-clock",
        "2",
        "--play-clock",
        "2",
    ]);
    assert!(fake.received()[2].contains(" noop) )"), "{:?}", fake.received());
}

#[test]
fn served_players_understand_both_message_forms() {
    let folder = tempfile::tempdir().unwrap();
    let path = game(folder.path());
    for more in [&[][..], &["--percepts-only"], &["--scramble", "5"]] {
        let players = [Player::start(&["--player", "random"]), Player::start(&["--player", "random"])];
        let roles = [format!("guesser={}", players[0].address), format!("hider={}", players[1].address)];
        let fixed =
            ["play", "--managed", path.to_str().unwrap(), "--start-clock", "20", "--play-clock", "20"];
        let given = ["--player", &roles[0], "--player", &roles[1]];
        let (status, text, stderr) = ggp(&[&fixed[..], &given, more].concat());
        let logs = players.each_ref().map(Player::log);
        assert_eq!(status, 0, "{more:?}: {text}{stderr}{logs:?}");
        assert_eq!(logs, ["", ""], "{more:?}");
    }
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn the_corpus_case_leaks_no_hidden_move() {
    let corpus = std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus");
    let case = PathBuf::from(corpus).join("cases/gdl2_host_leaks.kif");
    let fake = FakePlayer::start(|message| match message.contains("PLAY") && message.contains(" 1 wait") {
        true => Reaction::Answers("(say red)"),
        false => Reaction::Answers("wait"),
    });
    let role = format!("guesser={}", fake.address);
    let arguments = [
        "play",
        "--managed",
        case.to_str().unwrap(),
        "--player",
        &role,
        "--start-clock",
        "2",
        "--play-clock",
        "2",
    ];
    let (status, _, stderr) = ggp(&arguments);
    assert_eq!(status, 0, "{stderr}");
    assert!(fake.received()[1..].iter().all(|message| !message.contains("hide")), "{:?}", fake.received());
}
