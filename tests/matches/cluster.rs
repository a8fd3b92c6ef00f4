//! A run in a cluster gives the same log as a local run, even if workers or servers are killed. A unit that fails
//! repeatedly is given up and reported, a program of another version is refused, and an interrupted run resumes.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use ggp::cluster::{
    Address, Files, Manifest, RunRequest, Task, Tasks, UnitError, UnitResult, UnitSource, WorkerSettings,
    serve, status,
};
use ggp::gdl::identity::sha256;
use ggp::simulate::Choices;
use serde_json::Value;

use crate::lines::has_line;
use crate::nats::Server;
use crate::tournament::{Workspace, lines, timeless};
use crate::waiting::wait_until;

/// Many short matches.
const SMALL: &str = "--games games/tic_tac_toe.kif games/nim.kif --players random uct alphabeta:fuzzy";

/// A process that is killed at the end of the test.
struct Process(Child);

impl Process {
    fn worker(url: &str, more: &[&str]) -> Process {
        let mut command = Command::cargo_bin("ggp").unwrap();
        command.args(["worker", "--cluster", url]).args(more);
        Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn interrupt(&self) {
        assert!(Command::new("kill").args(["-INT", &self.0.id().to_string()]).status().unwrap().success());
    }

    /// Waits for the end; returns status, standard output and standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        let (mut printed, mut stderr) = (String::new(), String::new());
        self.0.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        self.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (status.code(), printed, stderr)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn address(server: &Server) -> Address {
    Address { url: server.url(), credentials: None, authority: None }
}

/// Four workers and 504 matches; 20 workers and three servers are killed at random. The log equals that of an undisturbed
/// run.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn kills_neither_lose_nor_repeat_matches() {
    let mut server = Server::start(&[]);
    let workspace = Workspace::new();
    let options = format!("{SMALL} --nodes 600 --rounds 42");
    let (status, _, stderr) = workspace.run("whole", &format!("{options} --threads 1"));
    assert_eq!(status, 0, "{stderr}");

    let url = server.url();
    let worker = || Process::worker(&url, &["--threads", "1"]);
    let mut workers: Vec<Process> = (0..4).map(|_| worker()).collect();
    let cluster = format!("--cluster {url} --cluster-patience 1 --cluster-tries 1000");
    let mut asking = Process(workspace.command("shared", &format!("{options} {cluster}")).spawn().unwrap());
    let mut choices = Choices::new(18, 0);
    let server_dies: BTreeSet<usize> = [4, 11, 19].into();
    let mut killed = 0;
    for kill in 0..23 {
        // This test needs random moments. The pauses are short, so that all kills occur during the run on any computer.
        std::thread::sleep(Duration::from_millis(20 + choices.below(80) as u64));
        if asking.0.try_wait().unwrap().is_some() {
            break;
        }
        if server_dies.contains(&kill) {
            server.kill_and_start();
        } else {
            // Dropping a worker kills it with SIGKILL; a new one replaces it.
            workers[choices.below(4)] = worker();
        }
        killed += 1;
    }
    assert_eq!(killed, 23, "the run ended before all kills");
    let (status, _, stderr) = asking.end();
    assert_eq!(status, Some(0), "{stderr}");
    assert_eq!(lines(&workspace.path("shared/log.jsonl")), 1 + 504);
    assert_eq!(timeless(&workspace.read("shared/log.jsonl")), timeless(&workspace.read("whole/log.jsonl")));
    assert_eq!(workspace.results("shared"), workspace.results("whole"));
}

/// Ctrl-C ends the command at once with the results so far. The same command resumes the run and plays no match twice.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn an_interrupted_run_is_resumed() {
    let server = Server::start(&[]);
    let workspace = Workspace::new();
    // More matches than the workers finish between two looks at the log.
    let options = format!("{SMALL} --nodes 5000 --rounds 40");
    let (status, _, stderr) = workspace.run("whole", &format!("{options} --threads 1"));
    assert_eq!(status, 0, "{stderr}");
    let url = server.url();
    let worker = Process::worker(&url, &["--threads", "2", "--idle", "4"]);
    let options = format!("{options} --cluster {url}");
    let asking = Process(workspace.command("shared", &options).spawn().unwrap());
    let begun = Instant::now();
    while lines(&workspace.path("shared/log.jsonl")) < 8 {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is played");
        std::thread::sleep(Duration::from_millis(5));
    }
    asking.interrupt();
    let asked = Instant::now();
    let (status, _, stderr) = asking.end();
    let took = asked.elapsed();
    assert!(took < Duration::from_millis(2500), "{took:?}");
    assert!(status == Some(130) && stderr.contains("to resume"), "{status:?}: {stderr}");
    let before = lines(&workspace.path("shared/log.jsonl")) as u64;
    assert!(before < 481, "it was over before");
    let (status, _, stderr) = workspace.run("shared", &options);
    // Matches in the log are not requested again.
    let already = format!("{} matches were played already", before - 1);
    assert!(status == 0 && stderr.contains(&already), "{already}: {stderr}");
    assert_eq!(timeless(&workspace.read("shared/log.jsonl")), timeless(&workspace.read("whole/log.jsonl")));
    assert_eq!(workspace.results("shared"), workspace.results("whole"));
    // A third run has nothing to do.
    let (status, _, stderr) = workspace.run("shared", &options);
    assert_eq!(status, 0, "{stderr}");
    // The worker repeats only those matches of the first run that did not reach its log.
    let (status, printed, stderr) = worker.end();
    let played: u64 = printed.split(' ').next().unwrap().parse().unwrap();
    assert!(status == Some(0) && (480..=480 + 481 - before).contains(&played), "{printed}{stderr}");
}

/// A sequential test ends a pairing at the same match as on one thread. Records are written on the local computer.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn sequential_tests_and_records_equal_those_of_one_thread() {
    let server = Server::start(&[]);
    let workspace = Workspace::new();
    let options = "--games games/nim.kif --players random alphabeta:fuzzy --nodes 300 --rounds 40 --sprt 0,200,0.05,0.05 --records";
    workspace.run("whole", &format!("{options} --threads 1"));
    let _worker = Process::worker(&server.url(), &["--threads", "2"]);
    let (status, _, stderr) = workspace.run("shared", &format!("{options} --cluster {}", server.url()));
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(timeless(&workspace.read("shared/log.jsonl")), timeless(&workspace.read("whole/log.jsonl")));
    assert_eq!(workspace.results("shared"), workspace.results("whole"));
    let records = |out: &str| -> Vec<String> {
        let read = std::fs::read_dir(workspace.path(out).join("matches")).unwrap();
        let mut names: Vec<String> =
            read.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert!(records("whole").iter().all(|name| records("shared").contains(name)));
    let moves = |out: &str| {
        let record: Value =
            serde_json::from_str(&workspace.read(&format!("{out}/matches/000000.json"))).unwrap();
        record["moves"].clone()
    };
    assert_eq!(moves("shared"), moves("whole"));
}

/// A run of a given version, requested without the program.
fn order(kind: &str, version: &str, units: u64, folder: &str) -> RunRequest {
    RunRequest {
        kind: kind.to_owned(),
        name: "trial".to_owned(),
        identity: format!("{kind} {folder}"),
        body: b"{}".to_vec(),
        files: vec![b"file".to_vec()],
        units,
        fresh: false,
        version: version.to_owned(),
        tries: 3,
        lease: Some(Duration::from_secs(1)),
        window: 1000,
    }
}

/// A run that requests the units from 0 and collects their results.
#[derive(Default)]
struct Gathered {
    units: u64,
    next: u64,
    found: Vec<(u64, Vec<u8>)>,
}

impl UnitSource for Gathered {
    fn next(&mut self) -> Option<u64> {
        let unit = self.next;
        self.next += 1;
        (unit < self.units).then_some(unit)
    }

    fn take(&mut self, unit: u64, bytes: &[u8]) -> Result<(), String> {
        self.found.push((unit, bytes.to_vec()));
        Ok(())
    }

    fn given_up(&mut self, _unit: u64, _error: &str) {}
}

#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn another_version_is_rejected_by_name() {
    let server = Server::start(&[]);
    let worker = Process::worker(&server.url(), &["--threads", "1"]);
    let interrupt = Arc::new(AtomicBool::new(false));
    let (address, flag) = (address(&server), Arc::clone(&interrupt));
    let asked = address.clone();
    let asking = std::thread::spawn(move || {
        let mut gathered = Gathered { units: 2, ..Gathered::default() };
        ggp::cluster::run(&asked, &order("tournament", "0.0.9+other", 2, "a"), &mut gathered, &flag)
    });
    let begun = Instant::now();
    let found = loop {
        let found = status(&address).unwrap();
        if found.workers.iter().any(|worker| !worker.refused.is_empty()) {
            break found;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "no worker refused it: {found:?}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(has_line(&found.workers[0].refused[0], &["tournament", "0.0.9+other"]), "{found:?}");
    let run = &found.runs[0];
    assert_eq!((run.waiting, run.running, run.done), (2, 0, 0), "{found:?}");
    interrupt.store(true, Ordering::Relaxed);
    assert!(asking.join().unwrap().unwrap().interrupted);
    worker.interrupt();
    let (code, _, stderr) = worker.end();
    assert!(code == Some(130) && has_line(&stderr, &["tournament", "0.0.9+other"]), "{stderr}");
}

/// Work that fails at some units, and can abort its process at one unit.
struct Fragile {
    ends: Option<(u64, Address)>,
}

struct Opened {
    ends: Option<(u64, Address)>,
    file: Vec<u8>,
}

impl Tasks for Fragile {
    fn open(&self, _: &Manifest, _: &[u8], files: Arc<dyn Files>) -> Result<Arc<dyn Task>, String> {
        Ok(Arc::new(Opened { ends: self.ends.clone(), file: files.get(&sha256(b"file"))? }))
    }
}

impl Task for Opened {
    fn run(&self, unit: u64, _: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        if let Some((_, address)) = self.ends.as_ref().filter(|(ends, _)| *ends == unit) {
            // Waits for the answers to all other units, because the units that abort with the process count as failed tries.
            wait_until("all other units answered", || {
                let run = &status(address).unwrap().runs[0];
                run.waiting + run.running <= 1
            });
            std::process::abort()
        }
        match unit {
            3 => Err(UnitError::Unit("three is no good".to_owned())),
            5 => panic!("five is worse"),
            // A result that is too large for one message.
            8 => Ok(UnitResult {
                bytes: (0..3_000_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect(),
                states: None,
            }),
            _ => Ok(UnitResult {
                bytes: [&self.file[..], unit.to_string().as_bytes()].concat(),
                states: Some(unit),
            }),
        }
    }
}

fn fragile(address: &Address, ends: Option<u64>, idle: u64) {
    let settings =
        WorkerSettings { threads: 2, version: "trial".to_owned(), idle: Some(Duration::from_secs(idle)) };
    let searches = Arc::new(ggp::arena::RemoteSearches);
    serve(
        address,
        &settings,
        Arc::new(Fragile { ends: ends.map(|unit| (unit, address.clone())) }),
        searches,
        &|_| {},
        &Arc::default(),
    )
    .unwrap();
}

/// The worker of `failing_units_are_listed_and_the_others_finish`, in a process that may abort.
#[test]
#[ignore = "a worker of another test"]
fn worker_with_failing_units() {
    // Does nothing if `cargo test -- --ignored` runs it.
    let Ok(url) = std::env::var("CLUSTER_UNDER_TEST") else { return };
    fragile(&Address { url, credentials: None, authority: None }, Some(7), 60);
}

/// Units that fail, panic or abort their worker are given up after some tries, with the reason. All others are done.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn failing_units_are_listed_and_the_others_finish() {
    let server = Server::start(&[]);
    let address = address(&server);
    let over = Arc::new(AtomicBool::new(false));
    let (url, ended) = (server.url(), Arc::clone(&over));
    let workers = std::thread::spawn(move || {
        let mut deaths = 0;
        while !ended.load(Ordering::Relaxed) {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command
                .args(["--exact", "cluster::worker_with_failing_units", "--ignored"])
                .env("CLUSTER_UNDER_TEST", &url);
            let mut worker = Process(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
            while worker.0.try_wait().unwrap().is_none() && !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
            deaths += 1;
        }
        deaths
    });
    let mut gathered = Gathered { units: 40, ..Gathered::default() };
    let ended =
        ggp::cluster::run(&address, &order("trial", "trial", 40, "b"), &mut gathered, &Arc::default());
    over.store(true, Ordering::Relaxed);
    let (ended, deaths) = (ended.unwrap(), workers.join().unwrap());
    let mut given_up = ended.given_up;
    given_up.sort();
    let units: Vec<u64> = given_up.iter().map(|(unit, _)| *unit).collect();
    assert_eq!(units, [3, 5, 7], "{given_up:?}");
    for ((_, error), what) in
        given_up.iter().zip(["three is no good", "panicked: five is worse", "ended without an error message"])
    {
        assert!(error.contains(what), "{error}");
    }
    assert!(deaths >= 4, "{deaths}");
    let mut found = gathered.found;
    found.sort();
    assert_eq!(found.len(), 37);
    assert!(found.iter().all(|(unit, bytes)| match unit {
        8 => bytes.len() == 12_000_000,
        unit => bytes == format!("file{unit}").as_bytes(),
    }));
}

#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn status_lists_pending_units_and_workers() {
    let server = Server::start(&[]);
    let workspace = Workspace::new();
    let options = format!("{SMALL} --nodes 2000 --rounds 400 --cluster {}", server.url());
    let asking = Process(workspace.command("shared", &options).spawn().unwrap());
    let _worker = Process::worker(&server.url(), &["--threads", "2"]);
    let status = |more: &[&str]| {
        let mut command = Command::cargo_bin("ggp").unwrap();
        let output =
            command.args(["cluster", "status", "--cluster", &server.url()]).args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let begun = Instant::now();
    loop {
        let found: Value = serde_json::from_str(&status(&["--format", "json"])).unwrap();
        let (run, worker) = (&found["runs"][0], &found["workers"][0]);
        if run["done"].as_u64().is_some_and(|done| done > 0)
            && worker["units_per_second"].as_f64() > Some(0.0)
        {
            assert_eq!((run["kind"].as_str(), run["units"].as_u64()), (Some("tournament"), Some(4800)));
            assert!(run["waiting"].as_u64() > Some(100) && run["running"].as_u64() <= Some(2), "{run}");
            assert_eq!((run["state"].as_str(), worker["threads"].as_u64()), (Some("asked"), Some(2)));
            assert!(worker["states_per_second"].as_f64() > Some(0.0), "{worker}");
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{found}");
        std::thread::sleep(Duration::from_millis(200));
    }
    let text = status(&[]);
    assert!(text.contains("tic_tac_toe") && text.contains("asked") && text.contains("Workers"), "{text}");
    asking.interrupt();
    assert_eq!(asking.end().0, Some(130));
    let found: Value = serde_json::from_str(&status(&["--format", "json"])).unwrap();
    assert_eq!(
        (found["runs"][0]["state"].as_str(), found["runs"][0]["waiting"].as_u64()),
        (Some("interrupted"), Some(0))
    );
}

/// Twelve workers write their status every second while clients read it. Reading the keys as messages would wait for ever if
/// a key is written again meanwhile.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn status_is_printed_while_workers_update_theirs() {
    let server = Server::start(&[]);
    let address = address(&server);
    let over = Arc::new(AtomicBool::new(false));
    let work = || {
        let (address, over) = (address.clone(), Arc::clone(&over));
        std::thread::spawn(move || {
            let settings = WorkerSettings { threads: 1, version: "trial".to_owned(), idle: None };
            let searches = Arc::new(ggp::arena::RemoteSearches);
            serve(&address, &settings, Arc::new(Fragile { ends: None }), searches, &|_| {}, &over)
        })
    };
    let mut workers: Vec<_> = (0..12).map(|_| work()).collect();
    let begun = Instant::now();
    while status(&address).unwrap().workers.len() < 12 {
        // If a worker ends early, report its error.
        if let Some(ended) = workers.iter().position(|worker| worker.is_finished()) {
            panic!("{:?}", workers.swap_remove(ended).join().unwrap());
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "some workers are missing in the status");
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    for _ in 0..8 {
        let (address, sender) = (address.clone(), sender.clone());
        std::thread::spawn(move || {
            for _ in 0..100 {
                drop(sender.send(status(&address).map(|found| found.workers.len())));
            }
        });
    }
    for asked in 0..800 {
        let found = receiver.recv_timeout(Duration::from_secs(10));
        let found = found.unwrap_or_else(|_| panic!("only {asked} of 800 answers arrived")).unwrap();
        assert_eq!(found, 12, "{asked}");
    }
    over.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.join().unwrap().unwrap();
    }
}

#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn unusable_clusters_are_reported_with_a_remedy() {
    let workspace = Workspace::new();
    let run = |cluster: &str| {
        let (status, _, stderr) = workspace.run("none", &format!("{SMALL} --nodes 200 --rounds 1 {cluster}"));
        (status, stderr)
    };
    let (status, stderr) = run("--cluster nats://127.0.0.1:1");
    assert!(
        status == 1 && stderr.contains("nats://127.0.0.1:1") && stderr.contains("nats-server -js"),
        "{stderr}"
    );
    let (status, stderr) = run("--cluster ::nonsense::");
    assert!(status == 1 && stderr.contains("not the address"), "{stderr}");
    let (status, stderr) = run("--cluster nats://127.0.0.1:1 --part 1/2");
    assert!(status == 2 && stderr.contains("not by both"), "{stderr}");
    let (status, stderr) = run("--cluster-tries 3");
    assert!(status == 2 && stderr.contains("--cluster"), "{stderr}");

    let server = Server::start(&["--no-jetstream"]);
    let (status, stderr) = run(&format!("--cluster {}", server.url()));
    assert!(status == 1 && stderr.contains("JetStream is disabled"), "{stderr}");

    let server = Server::start(&["--auth", "secret"]);
    let (status, stderr) = run(&format!("--cluster {}", server.url()));
    assert!(status == 1 && stderr.contains("refuses access"), "{stderr}");
    let worker = Process::worker(&format!("nats://secret@127.0.0.1:{}", server.port()), &["--idle", "0.2"]);
    let (status, _, stderr) = worker.end();
    assert!(status == Some(0) && !stderr.contains("secret"), "{stderr}");
    let missing = workspace.path("no.creds");
    let (status, stderr) = run(&format!("--cluster {} --cluster-creds {}", server.url(), missing.display()));
    assert!(status == 1 && stderr.contains("no.creds"), "{stderr}");
}

/// Runs a command to its end; returns standard output.
fn ggp(words: &[&str]) -> String {
    let output = Command::cargo_bin("ggp").unwrap().args(words).stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// A study, a sweep and a judgement give the same bytes as local runs.
#[test]
#[cfg_attr(not(has_nats), ignore = "nats-server is not installed")]
fn studies_sweeps_and_judgements_run_in_a_cluster() {
    let server = Server::start(&[]);
    let (workspace, url) = (Workspace::new(), server.url());
    let _worker = Process::worker(&url, &["--threads", "2"]);
    let (here, there) =
        (workspace.path("here").display().to_string(), workspace.path("there").display().to_string());
    let read = |out: &str, name: &str| std::fs::read_to_string(format!("{out}/{name}")).unwrap();

    ggp(&["study", "docs/guide/study.toml", "--out", &here, "--threads", "1"]);
    ggp(&["study", "docs/guide/study.toml", "--out", &there, "--cluster", &url]);
    for name in ["study.json", "functions.csv"] {
        assert_eq!(read(&there, name), read(&here, name), "{name}");
    }

    let sweep =
        ["sweep", "games/nim.kif", "docs/faults.kif", "games/hex.kif", "--playouts", "200", "--speeds", "0"];
    let csv = |more: &[&str]| ggp(&[&sweep[..], &["--format", "csv"], more].concat());
    assert_eq!(csv(&["--cluster", &url]), csv(&[]));

    let judge = [
        "judge",
        "tic_tac_toe",
        "--functions",
        "fuzzy",
        "--states",
        "20",
        "--play",
        "20",
        "--format",
        "json",
    ];
    let judged =
        |more: &[&str]| -> Value { serde_json::from_str(&ggp(&[&judge[..], more].concat())).unwrap() };
    assert_eq!(judged(&["--cluster", &url]), judged(&[]));

    let study = "kind = \"matches\"\ngames = [\"nim.kif\"]\n[matches]\nplayers = [\"random\", \"uct\"]\nnodes = [50]\nrounds = 3\n";
    std::fs::copy("games/nim.kif", workspace.path("nim.kif")).unwrap();
    std::fs::write(workspace.path("matches.toml"), study).unwrap();
    let file = workspace.path("matches.toml").display().to_string();
    let (here, there) = (format!("{here}2"), format!("{there}2"));
    ggp(&["study", &file, "--out", &here, "--threads", "1"]);
    ggp(&["study", &file, "--out", &there, "--cluster", &url]);
    for entry in std::fs::read_dir(&here).unwrap().map(|entry| entry.unwrap()) {
        if entry.path().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            assert_eq!(
                read(&there, &format!("{name}/results.csv")),
                read(&here, &format!("{name}/results.csv"))
            );
        }
    }
}

/// Ctrl-C ends a worker whose server accepts the connection but sends nothing.
#[test]
fn ctrl_c_interrupts_a_worker_waiting_for_its_server() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let worker = Process::worker(&format!("nats://{}", silent.local_addr().unwrap()), &[]);
    let _connection = silent.accept().unwrap();
    worker.interrupt();
    let (status, _, stderr) = worker.end();
    assert_eq!(status, Some(130), "{stderr}");
}
