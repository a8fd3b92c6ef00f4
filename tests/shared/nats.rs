//! A NATS server that belongs to one test.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that keeps its streams in a folder and ends with the test.
pub(crate) struct Server {
    folder: tempfile::TempDir,
    port: u16,
    options: Vec<String>,
    child: Child,
}

/// The program on the search path, or in folders that the path may lack.
const PLACES: [&str; 3] = ["nats-server", "/usr/sbin/nats-server", "/usr/local/bin/nats-server"];

fn program() -> Option<&'static str> {
    let runs = |program: &&&str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    PLACES.iter().find(runs).copied()
}

impl Server {
    pub(crate) fn start(options: &[&str]) -> Server {
        let program = program().expect("nats-server is needed: apt-get install nats-server");
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let child = Server::spawn(program, port, &folder, &options);
        Server { folder, port, options, child }
    }

    fn spawn(program: &str, port: u16, folder: &tempfile::TempDir, options: &[String]) -> Child {
        let mut command = Command::new(program);
        command.args(["-a", "127.0.0.1", "-p", &port.to_string()]).args(options);
        if !options.iter().any(|option| option == "--no-jetstream") {
            command.arg("-js").arg("-sd").arg(folder.path());
        }
        let mut command_line = Command::new(command.get_program());
        command_line.args(command.get_args().filter(|&word| word != "--no-jetstream"));
        let child = command_line.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the server does not begin");
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Kills the server with SIGKILL, and starts it again with the same streams.
    pub(crate) fn kill_and_start(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = Server::spawn(program().unwrap(), self.port, &self.folder, &self.options);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
