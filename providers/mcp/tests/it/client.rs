//! A client of our own that can say anything, right or wrong.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take before a test gives up; nothing is asserted about speed.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// What a server is started with.
#[derive(Debug)]
pub(crate) struct Setup {
    folder: TempDir,
    words: Vec<String>,
}

impl Setup {
    /// With these lines of `lonis.toml`, in surroundings of its own.
    pub(crate) fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let setup = Self {
            folder,
            words: vec!["serve".to_owned()],
        };
        fs::create_dir(setup.path("root")).expect("a folder can be made");
        setup.write("lonis.toml", config);
        setup
    }

    /// With one tool for each pair of id and the words of a mode of the hostile provider.
    pub(crate) fn odd(tools: &[(&str, &[&str])]) -> Self {
        let config: Vec<String> = tools
            .iter()
            .map(|(id, words)| odd_tool(id, words, "read-only"))
            .collect();
        Self::new(&config.concat())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file can be written");
    }

    /// With an exposure file.
    pub(crate) fn exposing(mut self, text: &str) -> Self {
        self.write("exposure.toml", text);
        let path = self.path("exposure.toml");
        self.words.push("--exposure".to_owned());
        self.words.push(path.to_str().expect("UTF-8").to_owned());
        self
    }

    /// With further words of the command line.
    pub(crate) fn with(mut self, words: &[&str]) -> Self {
        self.words
            .extend(words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// With these words alone.
    pub(crate) fn instead(mut self, words: &[&str]) -> Self {
        self.words.clear();
        self.with(words)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.program());
        command
            .args(&self.words)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("LONIS_CONFIG", self.path("lonis.toml"))
            .current_dir(self.path("root"));
        command
    }

    /// The program in a folder of its own: it looks beside itself, where programs stand that a test must not meet.
    fn program(&self) -> PathBuf {
        let program = self.path("bin/lonis-mcp");
        if !program.exists() {
            fs::create_dir(self.path("bin")).expect("a folder can be made");
            let built = env!("CARGO_BIN_EXE_lonis-mcp");
            if fs::hard_link(built, &program).is_err() {
                fs::copy(built, &program).expect("a file can be copied");
            }
        }
        program
    }

    pub(crate) fn start(self) -> Client {
        let command = self.command();
        Client::of(command, self)
    }

    /// Started by a client that greets and never reads.
    pub(crate) fn unread(self) -> Client {
        let command = self.command();
        let mut client = Client::unread(command, self);
        client.send(&json!({
            "jsonrpc": "2.0", "id": "i", "method": "initialize",
            "params": {"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        }));
        client.notify("notifications/initialized", &json!({}));
        client
    }

    /// Started, with the handshake done.
    pub(crate) fn ready(self) -> Client {
        let mut client = self.start();
        client.greet(&json!({}));
        client
    }
}

/// The table of a tool that is a mode of the hostile provider.
pub(crate) fn odd_tool(id: &str, words: &[&str], side_effects: &str) -> String {
    format!(
        "[tools.\"{id}\"]\ndescription = \"The mode {}.\"\ncommand = \"{}\"\nargs = {words:?}\nmapping = \"blocks\"\n\
         stdin = \"json\"\nside_effects = \"{side_effects}\"\nbounds = {{ timeout_millis = 60000 }}\n\
         input_json_schema = {{ type = \"object\", properties = {{ text = {{ type = \"string\" }} }} }}\n",
        words[0],
        misbehave::program().display(),
    )
}

/// A running server and the two pipes to it.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<ChildStderr>,
    next_id: i64,
    kept: VecDeque<Value>,
    setup: Setup,
}

impl Client {
    fn of(command: Command, setup: Setup) -> Self {
        let mut client = Self::unread(command, setup);
        let stdout = client.child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        // Ends with the pipe.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.expect("frames are UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        client.lines = lines;
        client
    }

    fn unread(mut command: Command, setup: Setup) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        Self {
            stdin: child.stdin.take(),
            stderr: child.stderr.take(),
            child,
            lines: channel().1,
            next_id: 100,
            kept: VecDeque::new(),
            setup,
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("it is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    pub(crate) fn send(&mut self, frame: &Value) {
        self.write(format!("{frame}\n").as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next frame.
    pub(crate) fn next(&mut self) -> Value {
        if let Some(frame) = self.kept.pop_front() {
            return frame;
        }
        let line = self.lines.recv_timeout(PATIENCE).expect("a frame comes");
        serde_json::from_str(&line).expect("a frame is one JSON value")
    }

    /// The answer to a request; frames before it are passed over.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let frame = self.next();
            if frame["id"] == id && frame.get("method").is_none() {
                return frame;
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool and returns what was answered.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    pub(crate) fn greet(&mut self, capabilities: &Value) -> Value {
        let answer = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        self.notify("notifications/initialized", &json!({}));
        answer
    }

    /// Sends a request and takes its answer, leaving what else comes for later.
    pub(crate) fn request_between(&mut self, method: &str) {
        let id = self.ask(method, &json!({}));
        let mut others = Vec::new();
        loop {
            let frame = self.next();
            if frame["id"] == id {
                break;
            }
            others.push(frame);
        }
        self.kept.extend(others);
    }

    /// Puts a file of the surroundings in place of another, so that no reader sees half of it.
    pub(crate) fn write_file(&self, name: &str, text: &str) {
        self.setup.write("new", text);
        let (new, old) = (self.setup.path("new"), self.setup.path(name));
        fs::rename(new, old).expect("a file can be renamed");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let path = self.setup.path(name);
        path.canonicalize().expect("it is there")
    }

    /// The most memory that the server has had, where the system tells.
    pub(crate) fn peak_kibibytes(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }

    /// Sends the server a signal by its name.
    pub(crate) fn signal(&mut self, name: &str) {
        // The shell's own, since not every machine has a program for it.
        let line = format!("kill -s {name} {}", self.child.id());
        let status = Command::new("sh").args(["-c", &line]).status();
        assert!(status.expect("a shell starts").success());
    }

    /// Waits for the end of the process, whatever it wrote.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().expect("it can be waited for")
    }

    /// Closes our end of stdin.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Every frame until the server closes its end.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => frames.push(serde_json::from_str(&line).expect("one JSON value")),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return frames,
                Err(error) => panic!("the server goes on: {error}"),
            }
        }
    }

    /// Waits for the end of the process, and returns its stderr.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.close();
        self.rest();
        let mut text = String::new();
        let mut stderr = BufReader::new(self.stderr.take().expect("it is piped"));
        std::io::Read::read_to_string(&mut stderr, &mut text).expect("notes are UTF-8");
        (self.child.wait().expect("it can be waited for"), text)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The names that a list shows.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().expect("a list");
    tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"))
        .collect()
}
