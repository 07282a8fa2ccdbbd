//! Stdin read wholly, partly or not at all.

use std::io::{Read, Write, stdin};

use crate::options::Failure;
use crate::run::Run;

pub(crate) fn echo(run: &Run) -> Result<u8, Failure> {
    let mut input = String::new();
    stdin().read_to_string(&mut input)?;
    run.rest(0)?;
    run.stdout()?.line(&run.block(&input))?;
    Ok(0)
}

pub(crate) fn cat(run: &Run) -> Result<u8, Failure> {
    let mut stream = run.stream("stdout")?;
    let mut input = stdin().lock();
    let mut bytes = vec![0; 65_536];
    loop {
        match input.read(&mut bytes)? {
            0 => return Ok(0),
            count => stream.send(&bytes[..count])?,
        }
    }
}

pub(crate) fn ignore_stdin(run: &Run) -> Result<u8, Failure> {
    run.rest(100_000)?;
    Ok(0)
}

pub(crate) fn exit_unread(run: &Run) -> Result<u8, Failure> {
    run.stdout()?.line(&run.block("\"unread\""))?;
    run.exit_code(0)
}

pub(crate) fn close_stdin(run: &Run) -> Result<u8, Failure> {
    let bytes = run.options.number("bytes", 0)?;
    std::io::copy(
        &mut stdin().lock().take(bytes),
        &mut std::io::sink().by_ref(),
    )?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    run.rest(0)?;
    run.stdout()?.line(&run.block("\"closed\""))?;
    run.exit_code(0)
}
