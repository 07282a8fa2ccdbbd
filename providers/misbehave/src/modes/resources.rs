//! Memory, time, files and space used without end.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use crate::modes::refused;
use crate::options::Failure;
use crate::run::Run;

pub(crate) fn memory(run: &Run) -> Result<u8, Failure> {
    let bytes = usize::try_from(run.options.number("bytes", 536_870_912)?).unwrap_or(usize::MAX);
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let mut taken = 0;
    while taken < bytes {
        let count = (bytes - taken).min(1 << 20);
        let mut piece = Vec::new();
        if let Err(error) = piece.try_reserve_exact(count) {
            refused("memory", &std::io::Error::other(error))?;
            return Ok(12);
        }
        piece.resize(count, 1);
        taken += count;
        pieces.push(piece);
    }
    run.announcer.step("touched");
    run.rest(100_000)?;
    // Read back, so that no optimiser finds the pages unused.
    let kept = std::hint::black_box(&pieces).len();
    run.stdout()?.line(&run.block(&kept.to_string()))?;
    Ok(0)
}

pub(crate) fn cpu(run: &Run) -> Result<u8, Failure> {
    let time = run.time(100_000)?;
    let children: Result<Vec<_>, Failure> = (0..run.options.number("children", 0)?)
        .map(|number| start_burner(run, number, time))
        .collect();
    run.announcer.step("ready");
    burn(time);
    for mut child in children? {
        child.wait()?;
    }
    run.stdout()?.line(&run.block("\"burnt\""))?;
    Ok(0)
}

fn burn(time: Duration) {
    let end = Instant::now() + time;
    let mut value = 1_u64;
    while Instant::now() < end {
        for _ in 0..10_000 {
            value = std::hint::black_box(
                value
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1),
            );
        }
    }
}

fn start_burner(run: &Run, number: u64, time: Duration) -> Result<std::process::Child, Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the fixture starts what a host has to end"
    )]
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command
        .arg("cpu")
        .arg(format!("role=child-{number}"))
        .arg(format!("millis={}", time.as_millis()));
    if let Some(log) = run.options.raw("log") {
        let mut argument = std::ffi::OsString::from("log=");
        argument.push(log);
        command.arg(argument);
    }
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null());
    Ok(command.spawn()?)
}

pub(crate) fn open_files(run: &Run) -> Result<u8, Failure> {
    let mut files = Vec::new();
    for _ in 0..run.options.number("count", 100_000)? {
        match File::open("/dev/null") {
            Ok(file) => files.push(file),
            Err(error) => {
                refused("open file", &error)?;
                return Ok(24);
            }
        }
    }
    run.stdout()?.line(&run.block(&files.len().to_string()))?;
    Ok(0)
}

pub(crate) fn big_file(run: &Run) -> Result<u8, Failure> {
    if run.options.is_set("handle_signal") {
        let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen)?;
    }
    let bytes = run.options.number("bytes", 1_073_741_824)?;
    if let Err(error) = write_file(&mut File::create("big")?, bytes) {
        refused("file", &error)?;
        return Ok(27);
    }
    run.stdout()?.line(&run.block(&bytes.to_string()))?;
    Ok(0)
}

pub(crate) fn fill(run: &Run) -> Result<u8, Failure> {
    let bytes = run.options.number("bytes", 1_048_576)?;
    let mut open = Vec::new();
    for number in 0..run.options.number("count", 64)? {
        let name = format!("file-{number}");
        let mut file = File::create(&name)?;
        if run.options.is_set("deleted") {
            std::fs::remove_file(&name)?;
        }
        write_file(&mut file, bytes)?;
        open.push(file);
    }
    run.announcer.step("filled");
    run.rest(100_000)?;
    run.stdout()?.line(&run.block(&open.len().to_string()))?;
    Ok(0)
}

fn write_file(file: &mut File, bytes: u64) -> std::io::Result<()> {
    let piece = vec![b'x'; 65_536];
    let mut left = bytes;
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        file.write_all(&piece[..count])?;
        left -= count as u64;
    }
    Ok(())
}
