//! `ggp serve` understands the messages of other match managers, byte for byte.

use crate::wire::{Player, body, rules};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::simulate::canonical;

/// A request as ggp-base sends it.
fn ggp_base(address: &str, message: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {address}\r\nSender: GAMESERVER\r\nReceiver: PLAYER\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    )
}

/// A request as ggpserver sends it.
fn ggpserver(_: &str, message: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: PLAYER\r\n\
         Content-type: text/acl\r\nContent-length: {}\r\n\r\n{message}",
        message.len()
    )
}

fn machine(game: &str) -> Box<dyn Machine> {
    let source = Source::load(format!("games/{game}.kif")).unwrap();
    load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap().machine
}

/// Plays a match against the first legal moves; `sent` writes terms as the manager does.
fn whole_match(player: &Player, request: fn(&str, &str) -> String, sent: fn(&str) -> String) {
    let machine = machine("tic_tac_toe");
    let ask = |message: &str| body(&player.raw(request(&player.address, message).as_bytes()));
    let description = sent(&rules("tic_tac_toe"));
    let role = sent("crosses");
    assert_eq!(ask(&format!("( START match.1 {role} ({description}) 20 20)")), "ready");
    let mut cursor = machine.cursor();
    let mut last = "NIL".to_owned();
    while !cursor.terminal() {
        let own = ask(&format!("( PLAY match.1 {last} )"));
        assert_eq!(own, sent(&own), "the reply is in the manager's case");
        let other = machine.move_text(cursor.legal(1)[0]);
        let legal = cursor.legal(0).iter().copied();
        let legal = legal.into_iter().find(|&action| machine.move_text(action) == canonical(&own));
        let joint = [legal.unwrap_or_else(|| panic!("`{own}` is not legal")), cursor.legal(1)[0]];
        last = format!("({own} {})", sent(&other));
        cursor.advance(&joint).unwrap();
    }
    assert_eq!(ask(&format!("( STOP match.1 {last} )")), "done");
}

#[test]
fn messages_of_ggp_base_are_understood() {
    let player = Player::start(&[]);
    whole_match(&player, ggp_base, str::to_owned);
}

#[test]
fn messages_of_ggpserver_are_understood() {
    let player = Player::start(&[]);
    whole_match(&player, ggpserver, str::to_uppercase);
}

#[test]
fn answers_have_the_expected_http_head() {
    let player = Player::start(&[]);
    let answer = player.raw(ggp_base(&player.address, "( INFO )").as_bytes());
    assert!(answer.starts_with("HTTP/1.0 200 OK\r\n"), "{answer}");
    for line in ["Content-type: text/acl\r\n", "Content-length: 55\r\n", "Access-Control-Allow-Origin: *\r\n"]
    {
        assert!(answer.contains(line), "{answer}");
    }
    assert_eq!(body(&answer), "( ( name ggp ) ( status available ) ( species alien ) )".to_owned());
}

#[test]
fn every_form_of_a_message_is_understood() {
    let player = Player::start(&["--name", "other"]);
    let info = "( ( name other ) ( status available ) ( species alien ) )";
    for request in [
        "POST / HTTP/1.0\r\n\r\n( INFO )",
        "POST / HTTP/1.1\r\nHost: x\r\ncontent-length: 6\r\n\r\n(info)",
        "POST / HTTP/1.0\nCONTENT-LENGTH: 6\n\n(Info)",
        "POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(INFO)\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /%28%20INFO%20%29 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /( INFO ) HTTP/1.0\r\n\r\n",
    ] {
        assert_eq!(body(&player.raw(request.as_bytes())), info, "{request:?}");
    }
    for ping in ["(ping)", "( PING )", "ping"] {
        assert_eq!(player.ask(ping), "ready");
    }
    assert_eq!(player.ask(&format!("( PREVIEW ({}) 2 )", rules("nim"))), "ready");
    let options = player.raw(b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\n\r\n");
    assert!(options.starts_with("HTTP/1.0 200 OK") && body(&options).is_empty(), "{options}");
    for header in ["Origin: *", "Methods: POST, GET, OPTIONS", "Headers: Content-Type", "Age: 86400"] {
        assert!(options.contains(&format!("Access-Control-Allow-{header}\r\n")), "{options}");
    }
    let start = format!("(start m crosses({})20 20 more (and more))", rules("tic_tac_toe"));
    assert_eq!(player.ask(&start), "ready");
    assert!(player.ask("(play m nil)").starts_with("(draw "));
    assert_eq!(player.ask("(abort m)"), "aborted");
}
