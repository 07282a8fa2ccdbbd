//! What hosts are offered: a tool for each command, over the same engine as the command line.

use std::path::{Path, PathBuf};

use lonis::kind::{Action, ActionStatus};
use lonis::limits::{Bound, Limits};
use lonis::{
    Attribution, Block, BlockKind, BlockStream, Call, Capabilities, Cost, Determinism, Json,
    OutputMode, Provider, SchemaVersion, Tool, ToolContract, ToolError, ToolId, exit_code,
};
use lonis_diagnostics::Failure;
use serde_json::{Value, json};

use crate::cli::human;
use crate::command::Command;
use crate::commands::{self, Surroundings};
use crate::obligation::{Progress, Tell};
use crate::patch::document::Rounded;

/// Blocks of progress that wait for a reader.
const WAITING_BLOCKS: usize = 16;
/// Failing obligations whose output the hint of an error quotes.
const MAX_TAILS: usize = 3;
/// Lines of one such output, from its end.
const MAX_TAIL_LINES: usize = 20;
/// Bytes of one such output, from its end.
const MAX_TAIL_BYTES: usize = 2048;
/// The longest text for people in a block; the data itself is bounded elsewhere.
const MAX_RENDERED_BYTES: usize = 64 << 10;

/// Makes the provider `session`, whose obligations may call the tools that a `lonis.toml` registers.
pub fn provider(providers: Option<&Path>) -> Provider<BlockKind> {
    let provider = Provider::new("session", env!("CARGO_PKG_VERSION"))
        .description("Transactional edits of a directory tree, proved before they are applied.");
    Command::ALL.iter().fold(provider, |provider, command| {
        let tool = SessionTool {
            command: *command,
            providers: providers.map(Path::to_path_buf),
        };
        provider.tool_as(&command.native(), tool)
    })
}

/// One command as a tool.
#[derive(Debug, Clone)]
struct SessionTool {
    command: Command,
    providers: Option<PathBuf>,
}

impl SessionTool {
    fn run(&self, input: &Json, tell: &Tell<'_>) -> Result<Block<BlockKind>, ToolError> {
        let surroundings = Surroundings::of_process().with_providers(self.providers.clone());
        let rounded = match self.command {
            Command::Stage => Rounded::of(input.text()),
            _ => Rounded::default(),
        };
        let input = input.to_value();
        let mut data = commands::run_telling(self.command, &input, &rounded, &surroundings, tell)
            .map_err(|failure| told(&failure))?;
        let text = human::text(self.command, &data);
        data["rendered"] = bounded(&text).into();
        Ok(self.block(BlockKind::Extension {
            kind: self.command.native(),
            data: Json::from(data),
        }))
    }

    fn block(&self, payload: BlockKind) -> Block<BlockKind> {
        let id = self.tool_id().to_string();
        Block::new(Attribution::new(id.as_str(), id.as_str()), payload)
    }
}

/// A failure as the error of a tool. People get what the failing obligations wrote last as its hint; programs have all of it in
/// the diagnostics.
fn told(failure: &Failure) -> ToolError {
    let error = failure.tool_error();
    let failed = failure
        .entries()
        .find_map(|entry| entry.parameters().get("failed"));
    let tails: Vec<String> = failed
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(MAX_TAILS)
        .filter_map(|item| {
            let tail = last_lines(item["tail"].as_str()?.trim());
            let name = item["name"].as_str()?;
            (!tail.is_empty()).then(|| format!("`{name}` wrote at its end:\n{tail}"))
        })
        .collect();
    if tails.is_empty() {
        return error;
    }
    error.with_hint(tails.join("\n"))
}

/// The end of an output: at most so many lines and bytes.
fn last_lines(text: &str) -> &str {
    let start = text.rmatch_indices('\n').nth(MAX_TAIL_LINES - 1);
    let text = &text[start.map_or(0, |(at, _)| at + 1)..];
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_TAIL_BYTES))..]
}

/// Cuts a text behind a line, so that the text for people does not fill what a host takes of a call.
fn bounded(text: &str) -> String {
    let text = text.trim_end();
    if text.len() <= MAX_RENDERED_BYTES {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(MAX_RENDERED_BYTES)];
    let end = kept.rfind('\n').unwrap_or(kept.len());
    format!("{}\n… {} more bytes", &kept[..end], text.len() - end)
}

/// How far a run is, as a block.
fn action(progress: &Progress<'_>) -> Action {
    let mut parameters = json!({"number": progress.number, "count": progress.count});
    let status = match progress.ended {
        None => ActionStatus::Running,
        Some(result) => {
            parameters["code"] = json!(result.code);
            parameters["duration_micros"] = json!(result.duration_micros);
            parameters["reused"] = result.reused_from.is_some().into();
            if result.ok {
                ActionStatus::Completed
            } else {
                ActionStatus::Failed
            }
        }
    };
    Action::new("obligation", status)
        .with_target(progress.name)
        .with_parameters(parameters)
}

impl Capabilities for SessionTool {
    fn schema_version(&self) -> SchemaVersion {
        SchemaVersion::TOOL_V1
    }

    fn tool_version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    fn output_formats(&self) -> &'static [OutputMode] {
        OutputMode::ALL
    }

    fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
        exit_code::BASELINE
    }

    fn tool_id(&self) -> ToolId {
        ToolId::new(format!("session:{}", self.command.word()))
            .expect("a word of the table makes an id of two segments")
    }

    fn declared_contract(&self) -> Option<ToolContract> {
        let command = self.command;
        let contract = ToolContract::new(command.native(), command.description())
            .with_determinism(Determinism::Nondeterministic)
            .with_side_effects(command.side_effects())
            .with_cost(Cost::Medium)
            .with_input_json_schema(command.input_schema())
            .with_output_json_schema(command.output_schema());
        Some(contract)
    }
}

impl Tool<BlockKind> for SessionTool {
    fn invoke(&self, input: Value) -> Result<Vec<Block<BlockKind>>, ToolError> {
        self.start(Call::new(input))?.collect()
    }

    fn start(&self, call: Call) -> Result<BlockStream<BlockKind>, ToolError> {
        let input = call.input().clone();
        let is_told = matches!(self.command, Command::Stage | Command::Test)
            && input.to_value().get("progress") == Some(&Value::Bool(true));
        if !is_told {
            let block = self.run(&input, &|_| {})?;
            return Ok(BlockStream::from_results(std::iter::once(Ok(block))));
        }
        let tool = self.clone();
        Ok(BlockStream::produce(WAITING_BLOCKS, move |out| {
            // A reader that is gone does not end a run: the log tells what became of it.
            let tell = |progress: &Progress<'_>| {
                let _ = out.emit(tool.block(action(progress).into()));
            };
            out.emit(tool.run(&input, &tell)?)?;
            Ok(())
        }))
    }

    fn suggested_limits(&self) -> Limits {
        Limits::new().with_nearest(
            Bound::TimeoutMillis,
            self.command.suggested_timeout_millis(),
        )
    }

    /// What is wrong with an input is said in the form of the catalog.
    fn judges_input(&self) -> bool {
        true
    }
}
