//! The table of modes: every way in which this program breaks a promise, in one place.

mod input;
mod malformed;
mod output;
mod resources;
mod stderr;

pub(crate) mod facts;
pub(crate) mod family;
pub(crate) mod signals;

use std::io;

use crate::options::Failure;
use crate::output::Output;
use crate::run::Run;

/// One way to misbehave.
#[derive(Debug)]
pub(crate) struct Mode {
    pub(crate) name: &'static str,
    /// What it does, one line, with the default of each option.
    pub(crate) summary: &'static str,
    pub(crate) options: &'static [&'static str],
    pub(crate) run: fn(&Run) -> Result<u8, Failure>,
}

const fn mode(
    name: &'static str,
    options: &'static [&'static str],
    run: fn(&Run) -> Result<u8, Failure>,
    summary: &'static str,
) -> Mode {
    Mode {
        name,
        summary,
        options,
        run,
    }
}

const BLOCKS: &[&str] = &[
    "count",
    "size",
    "form",
    "exit",
    "stderr_bytes",
    "gated",
    "millis",
];

/// All modes, by family.
#[rustfmt::skip]
pub(crate) const MODES: &[Mode] = &[
    // Processes: descendants that outlive, escape or multiply.
    mode("hold-pipe", &["millis"], family::hold_pipe, "a grandchild inherits stdout and stderr; both sleep (millis=100000)"),
    mode("exit-held", &["millis", "exit"], family::exit_held, "prints a block and exits (exit=0); a grandchild holds the pipes (millis=100000)"),
    mode("family", &["millis"], family::family, "one background, one foreground and one new-session descendant, pipes redirected (millis=100000)"),
    mode("escape", &["via", "then", "millis"], family::escape, "a descendant leaves by via=session|group|double-fork|both (session), then=wait|exit (wait), millis=100000"),
    mode("fork-many", &["count", "millis"], family::fork_many, "count=50 children hold the pipes beside the leader (millis=100000)"),
    mode("processes", &["count", "millis"], family::processes, "starts count=256 sleepers until refused: then exits 11; each is announced (millis=100000)"),
    mode("sleep", &["millis", "escape", "ignore_term"], family::sleep, "sleeps (millis=60000); what the other modes start as descendants"),
    // Signals and endings.
    mode("ignore-term", &["millis"], signals::ignore_term, "announces TERM, INT and HUP and sleeps on (millis=100000)"),
    mode("leave-on-term", &["millis", "exit"], signals::leave_on_term, "announces TERM and exits at once (exit=0, millis=100000)"),
    mode("stopped", &["millis"], signals::stopped, "stops itself, so that TERM stays pending (millis=100000 once continued)"),
    mode("die", &["signal", "blocks"], signals::die, "ends itself by signal=9 after blocks=0 blocks"),
    mode("exit", &["code"], signals::exit, "exits with code=5 and says nothing"),
    mode("close-output", &["millis"], signals::close_output, "closes stdout and stderr and sleeps on (millis=100000)"),
    mode("quiet", &["millis", "exit"], signals::quiet, "does nothing for millis=3000, then exits (exit=0)"),
    mode("open-tty", &[], signals::open_tty, "a result with the error number of opening /dev/tty, or null where that works"),
    // Input.
    mode("echo", &["millis"], input::echo, "a result whose output is the input, byte for byte, after millis=0"),
    mode("cat", &["stream"], input::cat, "copies stdin to stream=stdout while it reads"),
    mode("ignore-stdin", &["millis"], input::ignore_stdin, "never reads stdin and sleeps (millis=6000)"),
    mode("exit-unread", &["exit"], input::exit_unread, "prints a block and exits (exit=0) without reading stdin"),
    mode("close-stdin", &["bytes", "millis", "exit"], input::close_stdin, "reads bytes=0, closes stdin, sleeps millis=0, prints a block (exit=0)"),
    // Output that is well formed, in every shape and amount.
    mode("blocks", BLOCKS, output::blocks, "count=3 blocks of size=200 bytes, form=ndjson|array|pretty|joined|crlf|bom, gated=no before each, millis=0 before the exit, stderr_bytes=0, exit=0"),
    mode("paced", &["count", "millis", "flush"], output::paced, "count=3 blocks stamped as they are made, millis=30 apart; flush=yes, or all written at the end"),
    mode("endless", &["size", "children"], output::endless, "blocks without end, with children=1 grandchild that holds the pipes"),
    mode("exact", &["bytes", "stream", "exit"], output::exact, "one block, then spaces, bytes=1048576 in all on stream=stdout (exit=0)"),
    mode("flood", &["stream", "bytes", "newlines", "exit"], output::flood, "bytes=536870912 of text on stream=stdout, newlines=no (exit=0)"),
    mode("half-line", &["millis"], output::half_line, "half a block without a newline, then silence (millis=100000)"),
    mode("play", &["stdout", "stderr", "exit"], output::play, "the bytes of the files stdout= and stderr=, then exit=0"),
    mode("forged", &[], output::forged, "a message with ESC, a newline and a forged outcome line"),
    // Output that is not what the wire allows.
    mode("malformed", &["case", "exit"], malformed::malformed, "one of the outputs of --list below, chosen by case= (exit=0)"),
    mode("banner", &["error"], malformed::banner, "a line of text before a block; error=no, or a ToolError and exit 2 in its place"),
    mode("bad-utf8", &["blocks", "byte"], malformed::bad_utf8, "blocks=1 good blocks, then one with a byte that is not UTF-8; announces `offset N`"),
    mode("deep", &["depth", "open"], malformed::deep, "a block nested depth=128 levels in all, at least its own three; open=no leaves it unfinished"),
    // Errors.
    mode("error", &["kind", "exit", "exit_code", "before", "after", "blocks", "form"], stderr::error, "a ToolError: kind=teapot, exit=3, exit_code=3, before=0 and after=0 log lines, blocks=0, form=line|pretty|no-code|no-kind|array"),
    mode("noise", &["bytes", "exit", "millis"], stderr::noise, "bytes=204800 of log lines on stderr, the last one `last line`, then exit=3"),
    mode("log-then-wait", &["millis"], stderr::log_then_wait, "one line on stderr, then silence (millis=100000)"),
    // The surroundings.
    mode("facts", &[], facts::facts, "a result that lists arguments, environment, directory, descriptors, umask, limits, signals and ids"),
    mode("make-file", &["name", "bytes", "read_only", "link"], facts::make_file, "creates name=made in the directory (bytes=5) and tells its path and mode; read_only=no leaves it in a locked folder, link=PATH leaves a link beside it"),
    mode("connect", &["address"], facts::connect, "a result with the error number of a TCP connection to address=127.0.0.1:9, or null where that works"),
    // Resources.
    mode("memory", &["bytes", "millis"], resources::memory, "touches bytes=536870912, announces `touched`, sleeps (millis=100000); exits 12 when refused"),
    mode("cpu", &["millis", "children"], resources::cpu, "burns a processor for millis=100000 in itself and in children=0"),
    mode("open-files", &["count"], resources::open_files, "opens count=100000 files; exits 24 when refused"),
    mode("big-file", &["bytes", "handle_signal"], resources::big_file, "writes bytes=1073741824 to `big` in the directory; handle_signal=no lives on and exits 27 when refused"),
    mode("fill", &["count", "bytes", "deleted", "millis"], resources::fill, "count=64 files of bytes=1048576 in the directory, deleted=no while open, then sleeps (millis=100000)"),
];

/// The mode of this name.
pub(crate) fn find(name: &str) -> Option<&'static Mode> {
    MODES.iter().find(|mode| mode.name == name)
}

/// Prints every mode, then every malformed output, one line each.
pub(crate) fn print_list() -> Result<u8, Failure> {
    let mut stdout = Output::stdout(0)?;
    let lines = MODES
        .iter()
        .map(|mode| (mode.name.to_owned(), mode.summary));
    let cases = malformed::CASES
        .iter()
        .map(|case| (format!("malformed case={}", case.name), case.summary));
    for (name, summary) in lines.chain(cases) {
        stdout.line(&format!("{name:<34} {summary}"))?;
    }
    Ok(0)
}

/// Says what a system call answered, as a line on stderr.
fn refused(what: &str, error: &io::Error) -> Result<(), Failure> {
    Ok(Output::stderr(0)?.line(&format!("{what}: {error}"))?)
}
