//! Signals ignored, obeyed and raised, and ways to end.

use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::options::Failure;
use crate::run::Run;

pub(crate) fn ignore_term(run: &Run) -> Result<u8, Failure> {
    let received = listen()?;
    let time = run.time(100_000)?;
    run.announcer.step("ready");
    let deadline = std::time::Instant::now() + time;
    while let Some(left) = deadline.checked_duration_since(std::time::Instant::now()) {
        if let Some(signal) = next(&received, left) {
            run.announcer.step(&format!("signal {signal}"));
        }
    }
    Ok(0)
}

pub(crate) fn leave_on_term(run: &Run) -> Result<u8, Failure> {
    let received = listen()?;
    let time = run.time(100_000)?;
    run.announcer.step("ready");
    if let Some(signal) = next(&received, time) {
        run.announcer.step(&format!("signal {signal}"));
    }
    run.exit_code(0)
}

fn next(received: &mpsc::Receiver<i32>, limit: Duration) -> Option<i32> {
    received.recv_timeout(limit).ok()
}

/// The signals that arrive from now on, by a thread that ends with the process.
fn listen() -> Result<mpsc::Receiver<i32>, Failure> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || signals.forever().try_for_each(|signal| sender.send(signal)));
    Ok(receiver)
}

pub(crate) fn stopped(run: &Run) -> Result<u8, Failure> {
    run.announcer.step("stopping");
    kill_process(getpid(), Signal::STOP)?;
    run.announcer.step("continued");
    run.rest(100_000)?;
    Ok(0)
}

pub(crate) fn die(run: &Run) -> Result<u8, Failure> {
    let number = run.options.number("signal", 9)?;
    let named = i32::try_from(number).ok().and_then(Signal::from_named_raw);
    let signal =
        named.ok_or_else(|| Failure::Usage(format!("no signal has the number {number}")))?;
    let mut stdout = run.stdout()?;
    for _ in 0..run.options.number("blocks", 0)? {
        stdout.line(&run.block("\"before the end\""))?;
    }
    // Rust catches SEGV and BUS once to look for a stack overflow, and ignores PIPE.
    if signal == Signal::PIPE {
        signal_hook::low_level::emulate_default_handler(signal.as_raw())?;
    }
    for _ in 0..2 {
        kill_process(getpid(), signal)?;
    }
    Ok(0)
}

pub(crate) fn exit(run: &Run) -> Result<u8, Failure> {
    let code = run.options.number("code", 5)?;
    u8::try_from(code).map_err(|_| Failure::Usage(format!("`code` is at most 255, not {code}")))
}

pub(crate) fn close_output(run: &Run) -> Result<u8, Failure> {
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    run.rest(100_000)?;
    Ok(0)
}

pub(crate) fn quiet(run: &Run) -> Result<u8, Failure> {
    run.rest(3_000)?;
    run.exit_code(0)
}

pub(crate) fn open_tty(run: &Run) -> Result<u8, Failure> {
    let opened = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty");
    let number = opened.err().and_then(|error| error.raw_os_error());
    let number = number.map_or("null".to_owned(), |number| number.to_string());
    run.stdout()?.line(&run.block(&number))?;
    Ok(0)
}
