//! A master plays the move of its best remote worker. A lost worker costs only its own answer, and a legal move is always
//! ready in time.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use ggp::analysis::{AnalysisContext, LoadedGame, Plan, analyze};
use ggp::arena::{OwnPlayers, PlayerFactory, PreparedGame, Turn, plan_for};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};

use crate::nats::Server;
use crate::wire::Player;

struct Worker(Child);

impl Worker {
    fn start(url: &str) -> Worker {
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.args(["worker", "--cluster", url, "--threads", "1"]);
        Worker(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Waits until the server lists `count` workers.
fn wait_for_workers(server: &Server, count: usize) {
    let address = ggp::cluster::Address { url: server.url(), credentials: None, authority: None };
    let begun = Instant::now();
    while ggp::cluster::status(&address).unwrap().workers.len() < count {
        assert!(begun.elapsed() < Duration::from_secs(30), "not all workers are listed");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn game(name: &str) -> LoadedGame {
    let source = Source::load(format!("games/{name}.kif")).unwrap();
    let loaded = load(read(&source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    LoadedGame::new(name.to_owned(), &source, loaded)
}

#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn killed_workers_cost_only_their_own_answers() {
    let server = Server::start(&[]);
    let mut workers: Vec<Worker> = (0..6).map(|_| Worker::start(&server.url())).collect();
    wait_for_workers(&server, 6);
    let game = game("connect_four");
    let line = format!(
        "ensemble?cluster={}&workers=6&functions=kuhlmann+fuzzy*2+statistical+exhaustive",
        server.url()
    );
    let plan = plan_for(Plan { playouts: Some(2_000), ..Plan::default() }, [line.as_str()]);
    let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
    let prepared = PreparedGame::new(game.machine(), analysis);
    let mut player = OwnPlayers.player(&line, &prepared, 0, 1).unwrap();
    assert_eq!(player.note(), None);

    let machine = game.machine();
    let mut cursor = machine.cursor();
    let mut answers = Vec::new();
    for step in 0..6 {
        let legal = [cursor.legal(0).to_vec(), cursor.legal(1).to_vec()];
        let state = cursor.state().clone();
        let killing = (step == 2).then(|| {
            let lost: Vec<Worker> = workers.drain(..2).collect();
            std::thread::spawn(move || {
                // A third of the search time: this test needs workers that die during a search.
                std::thread::sleep(Duration::from_millis(200));
                drop(lost);
            })
        });
        let begun = Instant::now();
        let turn = Turn { deadline: Some(begun + Duration::from_millis(600)), ..Turn::default() };
        let found = player.choose(&state, &turn).unwrap();
        let took = begun.elapsed();
        assert!(took < Duration::from_millis(900), "step {step}: {took:?}");
        let action = found.action.unwrap();
        assert!(legal[0].contains(&action), "step {step}: {found:?}");
        answers.push((found.by.unwrap(), found.nodes));
        if let Some(killing) = killing {
            killing.join().unwrap();
        }
        let joint = [if legal[0].len() > 1 { action } else { legal[0][0] }, legal[1][0]];
        cursor.advance(&joint).unwrap();
    }
    assert!(answers.iter().all(|(by, _)| by.ends_with(" of 7")), "{answers:?}");
    assert!(answers.iter().any(|(by, _)| by.contains(" at ")), "no remote worker answered: {answers:?}");

    // Without workers, the result of the local search is played.
    workers.clear();
    let turn = Turn { deadline: Some(Instant::now() + Duration::from_millis(300)), ..Turn::default() };
    let found = player.choose(cursor.state(), &turn).unwrap();
    assert!(
        found.action.is_some() && found.by.as_deref().is_some_and(|by| by.contains(" here")),
        "{found:?}"
    );
}

#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn remote_workers_share_nodes_and_prove_values() {
    let server = Server::start(&[]);
    let _workers: Vec<Worker> = (0..2).map(|_| Worker::start(&server.url())).collect();
    wait_for_workers(&server, 2);
    let game = game("nim");
    let line = format!("ensemble?cluster={}&functions=exhaustive*2", server.url());
    let plan = plan_for(Plan { playouts: Some(500), ..Plan::default() }, [line.as_str()]);
    let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
    let prepared = PreparedGame::new(game.machine(), analysis);
    let mut player = OwnPlayers.player(&line, &prepared, 0, 1).unwrap();
    let turn = Turn { nodes: Some(300_000), ..Turn::default() };
    let found = player.choose(game.machine().initial(), &turn).unwrap();
    assert!(found.proved && found.by.as_deref().is_some_and(|by| by.contains("proved of 3")), "{found:?}");

    for (wrong, what) in [
        ("ensemble?cluster=::", "not the address"),
        (&format!("ensemble?cluster={}&functions=fuzzy*x", server.url())[..], "fuzzy:2"),
    ] {
        let error = OwnPlayers.player(wrong, &prepared, 0, 1).err().unwrap().to_string();
        assert!(error.contains(what), "{error}");
    }
    let alone = OwnPlayers.player("ensemble?cluster=nats://127.0.0.1:1", &prepared, 0, 1).unwrap();
    assert!(alone.note().unwrap().contains("without the cluster"), "{:?}", alone.note());
}

#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn a_remote_ensemble_can_be_served() {
    let server = Server::start(&[]);
    let _workers: Vec<Worker> = (0..2).map(|_| Worker::start(&server.url())).collect();
    wait_for_workers(&server, 2);
    let player = Player::start(&["--player", &format!("ensemble?cluster={}&workers=2", server.url())]);
    player.still_plays();
}

/// A player's line may name a file of credentials, like options of commands. If the file is missing, the error names it.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn player_lines_may_name_credentials() {
    let server = Server::start(&[]);
    let game = game("tic_tac_toe");
    for option in ["creds", "ca"] {
        let line = format!("ensemble?cluster={}&{option}=no/such.file&functions=exhaustive", server.url());
        let plan = plan_for(Plan { playouts: Some(100), ..Plan::default() }, [line.as_str()]);
        let analysis = analyze(&game.game(), &plan, &AnalysisContext::default()).unwrap();
        let prepared = PreparedGame::new(game.machine(), analysis);
        let error = OwnPlayers.player(&line, &prepared, 0, 1).err().unwrap().to_string();
        assert!(error.contains("no/such.file"), "{error}");
    }
}
