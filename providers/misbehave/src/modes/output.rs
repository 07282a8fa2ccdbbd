//! Well-formed output in every shape and amount.

use crate::block;
use crate::modes::family::Descendant;
use crate::options::Failure;
use crate::output::Output;
use crate::run::Run;

/// What stands around and between the blocks of one form.
struct Form {
    open: &'static str,
    between: &'static str,
    close: &'static str,
}

fn form(name: &str) -> Result<Form, Failure> {
    let (open, between, close) = match name {
        "ndjson" | "pretty" => ("", "\n", "\n"),
        "array" => ("[", ",", "]\n"),
        "joined" => ("", "", ""),
        "crlf" => ("", "\r\n", "\r\n"),
        "bom" => ("\u{feff}", "\n", "\n"),
        other => return Err(Failure::Usage(format!("no form `{other}`"))),
    };
    Ok(Form {
        open,
        between,
        close,
    })
}

pub(crate) fn blocks(run: &Run) -> Result<u8, Failure> {
    let name = run.options.text("form", "ndjson");
    let form = form(name)?;
    let size = usize::try_from(run.options.number("size", 200)?).unwrap_or(usize::MAX);
    let count = run.options.number("count", 3)?;
    let mut stdout = run.stdout()?;
    stdout.send(form.open)?;
    let mut text = String::new();
    let mut pending = String::new();
    for number in 0..count {
        if run.options.is_set("gated") {
            run.announcer.gate();
        }
        text.clear();
        text.push_str(&numbered(run, number, size));
        let text = if name == "pretty" {
            pretty(&text)
        } else {
            text.clone()
        };
        pending.push_str(if number == 0 { "" } else { form.between });
        pending.push_str(&text);
        // A write each would make the amounts that test a cap take minutes; a gate or a chunk wants each one seen.
        if pending.len() >= 65_536 || run.options.is_set("gated") || number + 1 == count {
            stdout.send(&pending)?;
            pending.clear();
        }
        if run.options.is_set("gated") {
            run.announcer.step(&format!("printed {number}"));
        }
    }
    stdout.send(if count == 0 && form.open.is_empty() {
        ""
    } else {
        form.close
    })?;
    Output::stderr(0)?.flood(
        b"a log line of thirty-two bytes.\n",
        run.options.number("stderr_bytes", 0)?,
    )?;
    run.rest(0)?;
    run.exit_code(0)
}

/// A block of this size whose output is its number, padded in front of it.
fn numbered(run: &Run, number: u64, size: usize) -> String {
    let smallest = run
        .block(&format!("{{\"number\":{number},\"pad\":\"\"}}"))
        .len();
    let pad = "x".repeat(size.saturating_sub(smallest));
    run.block(&format!("{{\"number\":{number},\"pad\":\"{pad}\"}}"))
}

/// The block with a line break and an indent after every opening brace and comma outside strings.
fn pretty(text: &str) -> String {
    let mut in_string = false;
    let spread = |character: char| {
        in_string ^= character == '"';
        let breaks = !in_string && matches!(character, '{' | ',');
        std::iter::once(character).chain(if breaks { "\n  " } else { "" }.chars())
    };
    text.chars().flat_map(spread).collect()
}

pub(crate) fn paced(run: &Run) -> Result<u8, Failure> {
    let flush = run.options.text("flush", "yes") == "yes";
    let pause = run.time(30)?;
    let mut stdout = run.stdout()?;
    let mut held = String::new();
    for number in 0..run.options.number("count", 3)? {
        let data = format!("{{\"output\":{number}}}");
        let block = block::stamped(
            run.mode.name,
            &jiff::Timestamp::now().to_string(),
            "result",
            &data,
        );
        held.push_str(&block);
        held.push('\n');
        if flush {
            stdout.send(&held)?;
            held.clear();
        }
        std::thread::sleep(pause);
    }
    stdout.send(held)?;
    Ok(0)
}

pub(crate) fn endless(run: &Run) -> Result<u8, Failure> {
    let size = usize::try_from(run.options.number("size", 200)?).unwrap_or(usize::MAX);
    for _ in 0..run.options.number("children", 1)? {
        Descendant::holding("grandchild", 100_000).start(run)?;
    }
    run.announcer.step("ready");
    let mut line = block::sized(run.mode.name, size);
    line.push('\n');
    run.stdout()?.flood(line.as_bytes(), u64::MAX)?;
    Ok(0)
}

pub(crate) fn exact(run: &Run) -> Result<u8, Failure> {
    let bytes = run.options.number("bytes", 1_048_576)?;
    let stream = run.options.text("stream", "stdout");
    let block = run.block("\"exact\"");
    let text = if stream == "stdout" {
        block.as_str()
    } else {
        ""
    };
    if stream != "stdout" {
        run.stdout()?.line(&block)?;
    }
    let mut output = run.stream("stdout")?;
    output.send(text)?;
    output.flood(b" ", bytes.saturating_sub(text.len() as u64))?;
    run.exit_code(0)
}

pub(crate) fn flood(run: &Run) -> Result<u8, Failure> {
    let fill: &[u8] = if run.options.is_set("newlines") {
        b"a line of text that is no block.\n"
    } else {
        b"no newline in here "
    };
    let bytes = run.options.number("bytes", 536_870_912)?;
    run.announcer.step("ready");
    run.stream("stdout")?.flood(fill, bytes)?;
    run.exit_code(0)
}

pub(crate) fn half_line(run: &Run) -> Result<u8, Failure> {
    let block = run.block("\"never finished\"");
    run.stdout()?.send(&block[..block.len() / 2])?;
    run.rest(100_000)?;
    Ok(0)
}

pub(crate) fn play(run: &Run) -> Result<u8, Failure> {
    if let Some(path) = run.options.raw("stdout") {
        run.stdout()?.send(std::fs::read(path)?)?;
    }
    if let Some(path) = run.options.raw("stderr") {
        Output::stderr(run.options.number("chunk", 0)?)?.send(std::fs::read(path)?)?;
    }
    run.exit_code(0)
}

pub(crate) fn forged(run: &Run) -> Result<u8, Failure> {
    let content =
        block::quote("\u{1b}[2J\u{7f}\u{9b}31mhello\r\noutcome[Success]: all is well\t\u{7}");
    run.stdout()?.line(&block::block(
        "forged",
        "message",
        &format!("{{\"content\":{content}}}"),
    ))?;
    Ok(0)
}
