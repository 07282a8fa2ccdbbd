//! Errors and log lines on stderr.

use crate::block;
use crate::options::Failure;
use crate::output::Output;
use crate::run::Run;

pub(crate) fn error(run: &Run) -> Result<u8, Failure> {
    let kind = run.options.text("kind", "teapot");
    let code = run.options.number("exit_code", 3)?;
    let text = match run.options.text("form", "line") {
        "line" => block::error(kind, "short and stout", code),
        "pretty" => format!(
            "{{\n  \"kind\": \"{kind}\",\n  \"message\": \"short and stout\",\n  \"exit_code\": {code}\n}}"
        ),
        "no-code" => format!("{{\"kind\":\"{kind}\",\"message\":\"short and stout\"}}"),
        "no-kind" => format!("{{\"message\":\"short and stout\",\"exit_code\":{code}}}"),
        "array" => format!("[{}]", block::error(kind, "short and stout", code)),
        other => return Err(Failure::Usage(format!("no form `{other}`"))),
    };
    let mut stdout = run.stdout()?;
    for _ in 0..run.options.number("blocks", 0)? {
        stdout.line(&run.block("\"before the error\""))?;
    }
    let mut stderr = Output::stderr(run.options.number("chunk", 0)?)?;
    for number in 0..run.options.number("before", 0)? {
        stderr.line(&format!("log line {number} before"))?;
    }
    stderr.line(&text)?;
    for number in 0..run.options.number("after", 0)? {
        stderr.line(&format!("log line {number} after"))?;
    }
    run.exit_code(3)
}

pub(crate) fn noise(run: &Run) -> Result<u8, Failure> {
    let bytes = run.options.number("bytes", 204_800)?;
    let last = "\nlast line\n";
    let mut stderr = Output::stderr(0)?;
    stderr.flood(
        b"a log line of thirty-two bytes.\n",
        bytes.saturating_sub(last.len() as u64),
    )?;
    stderr.send(last)?;
    run.rest(0)?;
    run.exit_code(3)
}

pub(crate) fn log_then_wait(run: &Run) -> Result<u8, Failure> {
    Output::stderr(0)?.line("working on it")?;
    run.rest(100_000)?;
    Ok(0)
}
