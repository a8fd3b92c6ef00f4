//! A headless browser, driven by the WebDriver protocol (W3C 2018) through chromedriver, with real keys and clicks and the
//! log of the browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// The longest time for an answer of the browser.
const PATIENCE: Duration = Duration::from_secs(90);

/// The key of an element in answers of the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser that is closed when it is dropped.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

/// The first of these programs that is installed; the environment variable can name another one.
fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
    let known = names.iter().flat_map(|name| folders.map(|folder| Path::new(folder).join(name)));
    named.into_iter().chain(known).find(|path| path.is_file())
}

impl Browser {
    pub(super) fn start() -> Browser {
        let chromium = program("GGP_CHROMIUM", &["chromium", "chromium-browser", "google-chrome"]);
        let driver = program("GGP_CHROMEDRIVER", &["chromedriver"]);
        let chromium = chromium.expect("Chromium is needed: GGP_CHROMIUM names it");
        let driver = driver.expect("chromedriver is needed: GGP_CHROMEDRIVER names it");
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(driver);
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut driver = command.spawn().unwrap();
        let mut stdout = BufReader::new(driver.stdout.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "chromedriver ended");
            let port = line
                .rsplit("on port ")
                .next()
                .and_then(|rest| rest.trim().trim_end_matches('.').parse().ok());
            if let Some(port) = port.filter(|_| line.contains("successfully")) {
                break port;
            }
        };
        // Reads and discards all later output, because a full pipe would block the driver.
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let arguments = [
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            format!("--user-data-dir={}", browser._profile.path().display()),
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": chromium, "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "timeouts": { "script": 80_000, "pageLoad": 60_000 },
        } } });
        let session = browser.ask("POST", "", &wanted);
        browser.session = format!("/{}", session["sessionId"].as_str().unwrap());
        // Requests that the browser made at its start do not belong to a page.
        browser.ask("POST", "/url", &json!({ "url": "about:blank" }));
        browser.logged();
        browser
    }

    /// The answer of the driver to a request within the session.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.send(method, path, body, PATIENCE).unwrap();
        assert_eq!(status, 200, "{method} {path}: {answer}");
        answer["value"].clone()
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        patience: Duration,
    ) -> std::io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(patience))?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        write!(
            stream,
            "{method} /session{}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.session,
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            match line.trim().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap_or(0);
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes)?;
        Ok((status, serde_json::from_slice(&bytes)?))
    }

    /// Sets the size of the window's content, in pixels.
    pub(super) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.developer("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets the preferred colour scheme, `light` or `dark`.
    pub(super) fn scheme(&self, scheme: &str) {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.developer("Emulation.setEmulatedMedia", &feature);
    }

    fn developer(&self, command: &str, parameters: &Value) {
        self.ask("POST", "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// Opens a file from disk at an anchor.
    pub(super) fn open(&self, page: &Path, anchor: &str) {
        // Opens another page first: the browser does not reload the same page for another anchor.
        self.ask("POST", "/url", &json!({ "url": "about:blank" }));
        self.ask("POST", "/url", &json!({ "url": format!("file://{}{anchor}", page.display()) }));
    }

    /// The result of a JavaScript function body with these arguments.
    pub(super) fn run(&self, script: &str, arguments: Value) -> Value {
        self.ask("POST", "/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// The same for an asynchronous script, which calls its last argument with the result.
    pub(super) fn run_later(&self, script: &str, arguments: Value) -> Value {
        self.ask("POST", "/execute/async", &json!({ "script": script, "args": arguments }))
    }

    /// Clicks on the element that matches a CSS selector.
    pub(super) fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.ask("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Replaces the text of the element that matches a CSS selector.
    pub(super) fn type_into(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.ask("POST", &format!("/element/{element}/clear"), &json!({}));
        if !text.is_empty() {
            self.ask("POST", &format!("/element/{element}/value"), &json!({ "text": text }));
        }
    }

    fn find(&self, selector: &str) -> String {
        let found = self.ask("POST", "/element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {selector}")).to_owned()
    }

    /// Presses keys one after the other, wherever the focus is. Keys are named as in the protocol's table.
    pub(super) fn press(&self, keys: &[char]) {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
            })
            .collect();
        let all = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.ask("POST", "/actions", &all);
    }

    /// The console messages and the requested URLs since the last call.
    pub(super) fn logged(&self) -> [Vec<String>; 2] {
        let log = |kind: &str| self.ask("POST", "/se/log", &json!({ "type": kind }));
        let console = log("browser");
        let console = console.as_array().unwrap().iter().map(|entry| entry["message"].to_string()).collect();
        let performance = log("performance");
        let asked = performance.as_array().unwrap().iter().filter_map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            let url = message["params"]["request"]["url"].as_str()?;
            (message["method"] == "Network.requestWillBeSent").then(|| url.to_owned())
        });
        [console, asked.collect()]
    }

    /// A picture of the window's content, as base64-encoded PNG.
    #[allow(dead_code, reason = "to look at a page while a test is written")]
    pub(super) fn picture(&self) -> String {
        self.ask("GET", "/screenshot", &json!({})).as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of the session closes the browser; a process that is still running is killed with its group.
        let _ = self.send("DELETE", "", &json!({}), Duration::from_secs(10));
        #[cfg(unix)]
        let _ = nix::sys::signal::killpg(
            nix::unistd::Pid::from_raw(self.driver.id() as i32),
            nix::sys::signal::Signal::SIGKILL,
        );
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
