//! A provider over text files: `acme:text:search` finds lines and gives each as it is found, `acme:text:count` counts.
//!
//! ```text
//! echo '{"file":"/etc/services","text":"http"}' | cargo run -p lonis --example lines -- --mode ndjson call acme:text:search
//! ```

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lonis::{
    Attribution, Block, BlockPayload, BlockStream, Emitter, ErrorKind, LonisCapabilities, Provider,
    Tool, ToolError, parse_input,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A longer line is refused, so that memory does not grow with the file.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Blocks that wait for a slow reader before the search does.
const CAPACITY: usize = 16;

/// What the tools say.
#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "acme.text", render_fn = "Said::text")]
enum Said {
    /// A line that has the text.
    Hit { line: u64, text: String },
    /// How a search ended.
    Searched { lines: u64, hits: u64, is_cut: bool },
    /// What a file holds.
    Counted { lines: u64, words: u64, bytes: u64 },
}

impl Said {
    fn text(&self) -> String {
        match self {
            Self::Hit { line, text } => format!("{line}: {text}"),
            Self::Searched {
                lines,
                hits,
                is_cut,
            } => {
                let cut = if *is_cut { ", more not searched" } else { "" };
                format!("{hits} hit(s) in {lines} line(s){cut}")
            }
            Self::Counted {
                lines,
                words,
                bytes,
            } => {
                format!("{lines} line(s), {words} word(s), {bytes} byte(s)")
            }
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchInput {
    /// Absolute path of the file.
    file: PathBuf,
    /// What a line has to hold.
    #[schemars(length(min = 1))]
    text: String,
    /// Hits after which the search ends.
    #[serde(default = "SearchInput::max_hits")]
    #[schemars(range(min = 1))]
    max_hits: u64,
}

impl SearchInput {
    fn max_hits() -> u64 {
        1000
    }
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "acme:text:search",
    description = "Finds the lines of a file that hold a text.",
    determinism = "deterministic",
    side_effects = "read-only",
    cost = "medium",
    capabilities = ["search"],
    input = SearchInput
)]
struct Search;

impl Tool<Said> for Search {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        self.invoke_stream(input)?.collect()
    }

    fn invoke_stream(&self, input: Value) -> Result<BlockStream<Said>, ToolError> {
        let input: SearchInput = parse_input(input)?;
        let lines = Lines::open(&input.file)?;
        Ok(BlockStream::produce(CAPACITY, move |out| {
            search(lines, &input, out)
        }))
    }
}

fn search(mut lines: Lines, input: &SearchInput, out: &Emitter<Said>) -> Result<(), ToolError> {
    let (mut hits, mut is_cut) = (0, false);
    while let Some(text) = lines.next()? {
        if !text.contains(&input.text) {
            if out.is_stopped() {
                return Ok(());
            }
            continue;
        }
        if hits == input.max_hits {
            is_cut = true;
            break;
        }
        hits += 1;
        let line = lines.number;
        out.emit(block("acme:text:search", Said::Hit { line, text }))?;
    }
    let lines = lines.number;
    let said = Said::Searched {
        lines,
        hits,
        is_cut,
    };
    Ok(out.emit(block("acme:text:search", said))?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CountInput {
    /// Absolute path of the file.
    file: PathBuf,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "acme:text:count",
    description = "Counts the lines, words and bytes of a file.",
    determinism = "deterministic",
    side_effects = "read-only",
    cost = "low",
    capabilities = ["statistics"],
    input = CountInput
)]
struct Count;

impl Tool<Said> for Count {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        let CountInput { file } = parse_input(input)?;
        let mut lines = Lines::open(&file)?;
        let mut words = 0;
        while let Some(text) = lines.next()? {
            words += text.split_whitespace().count() as u64;
        }
        let said = Said::Counted {
            lines: lines.number,
            words,
            bytes: lines.bytes,
        };
        Ok(vec![block("acme:text:count", said)])
    }
}

fn block(id: &str, said: Said) -> Block<Said> {
    Block::new(Attribution::new(id, id), said)
}

/// The lines of a file, one at a time.
struct Lines {
    file: BufReader<File>,
    name: String,
    /// Of the line that was read last, from 1.
    number: u64,
    /// Read so far.
    bytes: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, ToolError> {
        let name = path.display().to_string();
        if !path.is_absolute() {
            let message = format!("`file` is `{name}`, which is relative");
            return Err(ToolError::new(ErrorKind::BadInput, message)
                .with_hint("a tool does not see the caller's directory: give the whole path"));
        }
        let file = File::open(path).map_err(|error| {
            ToolError::new(ErrorKind::Io, format!("`{name}` cannot be opened: {error}"))
        })?;
        Ok(Self {
            file: BufReader::new(file),
            name,
            number: 0,
            bytes: 0,
        })
    }

    fn next(&mut self) -> Result<Option<String>, ToolError> {
        let mut line = Vec::new();
        let mut bounded = self.file.by_ref().take(MAX_LINE_BYTES);
        bounded.read_until(b'\n', &mut line).map_err(|error| {
            ToolError::new(
                ErrorKind::Io,
                format!("`{}` cannot be read: {error}", self.name),
            )
        })?;
        if line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        self.bytes += line.len() as u64;
        if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            let message = format!(
                "line {} of `{}` has more than {MAX_LINE_BYTES} bytes",
                self.number, self.name
            );
            return Err(ToolError::new(ErrorKind::LimitExceeded, message));
        }
        let text = String::from_utf8_lossy(&line);
        Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
    }
}

fn main() -> ExitCode {
    let provider = Provider::new("acme-lines", env!("CARGO_PKG_VERSION"))
        .description("Searches and counts in text files.")
        .tool(Search)
        .tool(Count);
    lonis::serve(provider)
}
