//! What a person sees at a terminal, through a pseudo-terminal: colour, the progress line, and Ctrl-C.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use misbehave::Handshake;

use crate::program::{PATIENCE, Place, misbehave};

/// Runs its arguments at a terminal of their own, copies what that shows to stdout and what comes on stdin to the keyboard,
/// and ends with a line that says how they ended.
const TERMINAL: &str = r"
import os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
watched = [terminal, 0]
while terminal in watched:
    for ready in select.select(watched, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:
            data = b''
        if not data:
            watched.remove(ready)
        elif ready == terminal:
            os.write(1, data)
        else:
            os.write(terminal, data)
status = os.waitpid(pid, 0)[1]
code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
os.write(1, b'\nended %d\n' % code)
";

struct Terminal {
    python: Child,
}

impl Terminal {
    fn start(place: &Place, program: &Path, words: &[&str]) -> Self {
        let surroundings = place.command(&[]);
        let mut python = Command::new("python3");
        python.args(["-c", TERMINAL]).arg(program).args(words);
        python.env_clear().env("TERM", "xterm");
        for (name, value) in surroundings.get_envs() {
            python.env(name, value.unwrap());
        }
        let python = python
            .current_dir(place.path("work"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self { python }
    }

    fn lonis(place: &Place, words: &[&str]) -> Self {
        Self::start(place, Path::new(env!("CARGO_BIN_EXE_lonis")), words)
    }

    fn press(&mut self, keys: &[u8]) {
        let keyboard = self.python.stdin.as_mut().unwrap();
        keyboard.write_all(keys).unwrap();
        keyboard.flush().unwrap();
    }

    /// Everything that was shown, and the exit code, negative for a signal.
    fn end(self) -> (String, i32) {
        let output = self.python.wait_with_output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let (shown, code) = shown.rsplit_once("\nended ").unwrap();
        (shown.to_owned(), code.trim().parse().unwrap())
    }
}

fn place(mode: &str, options: &[&str]) -> Place {
    let place = Place::new();
    let words: Vec<String> = std::iter::once(mode)
        .chain(options.iter().copied())
        .map(|word| format!("'{word}'"))
        .collect();
    place.config(&format!(
        "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\nbounds = {{ kill_grace_millis = 3_000 }}\n\
         command = ['{}', {}]\n",
        misbehave().display(),
        words.join(", ")
    ));
    place
}

#[test]
fn colour_is_for_terminals_and_can_be_refused() {
    let place = Place::new();
    let words = ["call", "lonis:builtin:nothing", "{}"];
    let (shown, code) = Terminal::lonis(&place, &words).end();
    assert_eq!(code, 3);
    assert!(
        shown.contains("\u{1b}[31merror:\u{1b}[0m not_found: "),
        "{shown:?}"
    );
    assert!(shown.contains("\u{1b}[36mhint:\u{1b}[0m "), "{shown:?}");
    for place in [
        Place::new().with("NO_COLOR", "1"),
        Place::new().with("TERM", "dumb"),
    ] {
        let (shown, _) = Terminal::lonis(&place, &words).end();
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
    // An empty variable is one that is not set.
    let (shown, _) = Terminal::lonis(&Place::new().with("NO_COLOR", ""), &words).end();
    assert!(shown.contains('\u{1b}'), "{shown:?}");
    let (shown, _) = Terminal::lonis(&place, &["--mode", "json", "call", "a:b", "{}"]).end();
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let (help, _) = Terminal::lonis(&place, &["help"]).end();
    assert!(
        help.contains('\u{1b}') && help.contains("completions"),
        "{help:?}"
    );
    for words in [&words[..], &["help"]] {
        let piped = place.run(words);
        assert!(!format!("{piped:?}").contains("\\u{1b}"), "{piped:?}");
    }
    // A switch that forces colour elsewhere is for programs that paint their data.
    let forced = Place::new().with("CLICOLOR_FORCE", "1").run(&words);
    assert!(!forced.stderr.contains('\u{1b}'), "{forced:?}");
}

#[test]
fn a_call_that_takes_a_while_is_shown_and_taken_back() {
    let slow = place("blocks", &["count=1", "millis=900"]);
    let (shown, code) = Terminal::lonis(&slow, &["call", "t:x", "{}"]).end();
    assert_eq!(code, 0);
    assert!(shown.contains("calling t:x "), "{shown:?}");
    let last = shown.rsplit_once("\r\u{1b}[K").unwrap().1;
    assert!(
        last.starts_with("result: ") && last.trim_end().lines().count() == 1,
        "{shown:?}"
    );
    let piped = slow.run(&["call", "t:x", "{}"]).ok();
    assert!(!piped.stdout.contains("calling"));
    for place in [
        place("blocks", &["count=1"]),
        place("blocks", &["count=1", "millis=900"]).with("TERM", "dumb"),
    ] {
        let (shown, _) = Terminal::lonis(&place, &["call", "t:x", "{}"]).end();
        assert!(!shown.contains("calling"), "{shown:?}");
    }
    let (shown, _) = Terminal::lonis(&slow, &["--mode", "ndjson", "call", "t:x", "{}"]).end();
    assert!(!shown.contains("calling"), "{shown:?}");
}

#[test]
fn a_policy_asks_at_the_terminal_and_takes_yes_alone() {
    let place = place("echo", &[]);
    let file = place.path("home/.config/lonis/lonis.toml");
    let tool = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{tool}[[policy]]\ndecide = 'ask'\n")).unwrap();
    for (keys, code) in [
        ("y\n", 0),
        ("yes\n", 0),
        ("\n", 4),
        ("n\n", 4),
        ("\u{4}", 4),
    ] {
        let mut terminal = Terminal::lonis(&place, &["call", "t:x", "[7]"]);
        terminal.press(keys.as_bytes());
        let (shown, ended) = terminal.end();
        assert!(shown.contains("call `t:x`? [y/N]"), "{shown:?}");
        assert_eq!(ended, code, "{keys:?}: {shown:?}");
        assert_eq!(shown.contains("result: [7]"), code == 0, "{shown:?}");
    }
}

#[test]
fn data_goes_to_its_file_while_the_progress_is_shown() {
    let slow = place("blocks", &["count=1", "millis=900"]);
    let script = format!(
        "exec '{}' call t:x '{{}}' > out",
        env!("CARGO_BIN_EXE_lonis")
    );
    let (shown, code) = Terminal::start(&slow, Path::new("/bin/sh"), &["-c", &script]).end();
    assert_eq!(code, 0);
    assert!(
        shown.contains("calling t:x") && !shown.contains("result"),
        "{shown:?}"
    );
    let written = std::fs::read_to_string(slow.path("work/out")).unwrap();
    assert!(
        written.starts_with("result: ") && !written.contains('\u{1b}'),
        "{written:?}"
    );
}

#[test]
fn a_terminal_on_stdin_is_no_input_and_is_not_waited_for() {
    let (shown, code) = Terminal::lonis(&Place::new(), &["call", "lonis:builtin:version"]).end();
    assert_eq!(code, 0, "{shown:?}");
    let (shown, code) = Terminal::lonis(&Place::new(), &["call", "lonis:builtin:echo"]).end();
    assert_eq!(code, 2, "{shown:?}");
    assert!(shown.contains("bad_input"), "{shown:?}");
}

#[test]
fn a_tool_has_no_terminal() {
    let (shown, code) = Terminal::lonis(
        &place("open-tty", &[]),
        &["--mode", "json", "call", "t:x", "{}"],
    )
    .end();
    assert_eq!(code, 0, "{shown:?}");
    // ENXIO: there is a device of that name, and no terminal behind it.
    assert!(shown.contains("\"output\":6"), "{shown:?}");
}

#[test]
fn control_c_ends_the_tree_then_the_program_and_twice_at_once() {
    for stream in [&[][..], &["--stream"]] {
        for twice in [false, true] {
            let mut shake = Handshake::new().unwrap();
            let argument = shake.argument();
            let place = place("ignore-term", &["millis=100000", &argument]);
            let words = [&["call", "t:x", "{}", "--timeout", "90s"], stream].concat();
            let mut terminal = Terminal::lonis(&place, &words);
            shake.wait_for("leader", "ready", PATIENCE).unwrap();
            let start = Instant::now();
            terminal.press(b"\x03");
            // The tool hears of it from `lonis` alone: its own session has no terminal that could tell it INT.
            shake.wait_for("leader", "signal 15", PATIENCE).unwrap();
            if twice {
                terminal.press(b"\x03");
            }
            let (shown, code) = terminal.end();
            assert_eq!(code, -2, "{shown:?}");
            assert!(start.elapsed() < PATIENCE, "{stream:?} {twice}");
            assert_eq!(shake.wait_gone(PATIENCE), []);
            let heard = format!("{:?}", shake.heard());
            assert!(!heard.contains("signal 2\""), "{heard}");
        }
    }
}
