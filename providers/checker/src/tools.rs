//! The seven tools of a job: all that a model in a job can reach.
//!
//! Each takes the job as the host names it and gives one document, or the document of what it refuses. What is judged
//! before any tool works is the job's own ([`JobCall`]); what a tool does stands in a file of its own.

mod ask_human;
mod check_refinements;
mod check_types;
mod input;
mod read_context;
mod read_spec;
mod run_tests;
mod schema;
mod shown;
mod write_soil;

use std::time::Instant;

use lonis::limits::{Bound, Limits};
use lonis::{
    Attribution, Block, Capabilities, Cost, Determinism, Json, OutputMode, Provider, Replay,
    ReplayProvenance, SchemaVersion, SideEffects, Tool, ToolContract, ToolError, ToolId, exit_code,
};
use serde_json::{Value, json};
use soil::diagnostic::Code;
use soil::document::Detail;
use soil::hash::Digest;

use crate::failure::Failure;
use crate::job::{Hash, JobCall, Log, Said, Slot, keep_evidence};
use crate::payload::Document;
use input::Input;

/// Adds the tools to a provider.
pub(crate) fn offer(provider: Provider<Document>) -> Provider<Document> {
    TOOLS.into_iter().fold(provider, |provider, tool| {
        provider.tool_as(tool.native, tool)
    })
}

/// What a tool works with, once its input was read.
type Work = Box<dyn FnOnce(&mut JobCall) -> Result<String, Failure>>;

/// A tool of jobs.
#[derive(Clone, Copy)]
pub(crate) struct JobTool {
    /// `trellis.<tool>`; its blocks have the same kind.
    native: &'static str,
    /// `trellis:<tool>`.
    id: &'static str,
    description: &'static str,
    sort: Sort,
    /// Whether its documents can be longer than what a host takes of most tools.
    is_long: bool,
    input: fn() -> Value,
    output: fn() -> Value,
    /// Reads the input, and gives what is to be done.
    prepare: fn(&mut Input<'_>) -> Option<Work>,
}

/// What a tool does with the job, from which follows all that its contract promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// It gives what stands written, in the bundle or in the rules.
    Reading,
    /// It judges the draft; the document is kept for the next call with the same draft.
    Judging,
    /// It judges the draft and runs it with drawn values; the document is kept too.
    Testing,
    /// It changes the job.
    Writing,
}

impl Sort {
    const fn cost(self) -> Cost {
        match self {
            Self::Testing => Cost::Medium,
            _ => Cost::Low,
        }
    }

    const fn side_effects(self) -> SideEffects {
        match self {
            Self::Writing => SideEffects::WritesFilesystem,
            _ => SideEffects::ReadOnly,
        }
    }

    const fn is_kept(self) -> bool {
        matches!(self, Self::Judging | Self::Testing)
    }

    /// Says how long a host does well to wait.
    const fn timeout_millis(self) -> u64 {
        match self {
            Self::Testing => 120_000,
            Self::Judging => 30_000,
            Self::Reading | Self::Writing => 10_000,
        }
    }
}

/// How much output a host does well to take of a tool whose documents can be long.
///
/// # Units and bounds
/// Bytes: 4 MiB.
const LONG_STDOUT_BYTES: u64 = 4 << 20;

/// The tools in the order of the contract.
const TOOLS: [JobTool; 7] = [
    read_context::TOOL,
    check_types::TOOL,
    check_refinements::TOOL,
    run_tests::TOOL,
    write_soil::TOOL,
    read_spec::TOOL,
    ask_human::TOOL,
];

impl Capabilities for JobTool {
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
        ToolId::new(self.id).expect("ids of the table have two segments")
    }

    fn declared_contract(&self) -> Option<ToolContract> {
        let contract = ToolContract::new(self.native, self.description)
            .with_determinism(Determinism::Deterministic)
            .with_side_effects(self.sort.side_effects())
            .with_cost(self.sort.cost())
            .with_input_json_schema(schema::with_job((self.input)()))
            .with_output_json_schema((self.output)());
        Some(contract)
    }
}

impl Tool<Document> for JobTool {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Document>>, ToolError> {
        let input_hash = Json::from(&input).content_hash();
        let reference = input::job(&input).map_err(refused)?;
        let started = Instant::now();
        let taken = JobCall::take(reference).map_err(refused);
        let mut call = taken.inspect_err(|error| self.log_untaken(reference, started, error))?;
        let said = match call.admit() {
            Ok(()) => self.said(&mut call, &input),
            Err(failure) => Err(Box::new(failure.tool_error(detail(&call)))),
        };
        log_call(
            &call.log(),
            self.native,
            started,
            said.as_ref().map_err(|error| &**error),
        );
        let document = said.map_err(|error| *error)?;
        let provenance = self.provenance(&mut call, input_hash.as_str());
        let warnings = warnings(&document);
        let text = shown::text(self.native, &document);
        let block = Block::new(
            Attribution::new(self.id, self.id),
            Document::new(self.native, &document, text),
        );
        Ok(vec![
            block.with_provenance(provenance).with_warnings(warnings),
        ])
    }

    fn suggested_limits(&self) -> Limits {
        let limits = Limits::new().with_nearest(Bound::TimeoutMillis, self.sort.timeout_millis());
        if self.is_long {
            return limits.with_nearest(Bound::MaxStdoutBytes, LONG_STDOUT_BYTES);
        }
        limits
    }

    /// The state of the job is judged before the input, and input is read more generously than the schema says.
    fn judges_input(&self) -> bool {
        true
    }
}

impl JobTool {
    /// Logs a call that waited for its job in vain; what names no job has no log.
    fn log_untaken(&self, reference: &str, started: Instant, error: &ToolError) {
        if let Some(log) = JobCall::log_of(reference) {
            log_call(&log, self.native, started, Err(error));
        }
    }

    /// Gives what the tool says: what was kept, or what is computed now.
    fn said(&self, call: &mut JobCall, input: &Value) -> Said {
        let detail = detail(call);
        let failed = |failure: Failure| Box::new(failure.tool_error(detail));
        let mut input = Input::new(input);
        let work = (self.prepare)(&mut input);
        let work = input.finish(work).map_err(failed)?;
        let slot = self.slot(call).map_err(failed)?;
        let kept = slot.as_ref().map(|slot| slot.get(&call.directory));
        let kept = kept.transpose().map_err(failed)?.flatten();
        let is_kept = kept.is_some();
        let said = kept.unwrap_or_else(|| work(call).map_err(failed));
        if let (Sort::Testing, Ok(document)) = (self.sort, &said) {
            keep_evidence(&call.directory, document).map_err(failed)?;
        }
        if let Some(slot) = slot
            && !is_kept
            && !is_passing(&said)
        {
            // What is not kept is computed again, so nothing is lost but time.
            let _ = slot.put(&call.directory, &said);
        }
        said
    }

    /// Gives the place of the document among those kept; none where there is no draft, or nothing is kept.
    fn slot(&self, call: &JobCall) -> Result<Option<Slot>, Failure> {
        if !self.sort.is_kept() {
            return Ok(None);
        }
        let Ok(draft) = call.draft() else {
            return Ok(None);
        };
        let (_, found) = crate::job::FoundValues::read(&call.directory)?;
        let limits = serde_json::to_string(&call.record.limits).expect("numbers are JSON");
        // What a draft cites and how rich documents are is in the document too.
        let cited = serde_json::to_string(&draft.facts.decisions_applied);
        let cited = cited.expect("citations are JSON");
        let parts = [
            self.native,
            &draft.facts.digest.to_string(),
            &call.record.bundle_digest.to_string(),
            &found.to_string(),
            &limits,
            env!("CARGO_PKG_VERSION"),
            &cited,
            if call.record.plain { "plain" } else { "rich" },
        ];
        Ok(Some(Slot::of(parts)))
    }

    fn provenance(&self, call: &mut JobCall, input_hash: &str) -> ReplayProvenance {
        let mut provenance = ReplayProvenance::default()
            .with_tool_version(self.tool_version())
            .with_input_hash(input_hash)
            .with_project_hash(call.record.bundle_digest.bare_hex());
        let mut required = vec!["input_hash", "project_hash"];
        if let Ok(draft) = call.draft() {
            provenance = provenance.with_plan_hash(draft.facts.digest.bare_hex());
            required.push("plan_hash");
        }
        if self.sort == Sort::Testing {
            let Hash(test) = call.record.spec_hashes.test;
            provenance = provenance.with_seed(soil::testing::seed_of(&test));
        }
        if self.sort == Sort::Writing {
            return provenance;
        }
        provenance.with_replay(Replay::replayable(required))
    }
}

/// Says whether a tool failed by what the next call may find otherwise: files, and bugs.
fn is_passing(said: &Said) -> bool {
    let codes = [Code::Io, Code::Internal].map(|code| format!("checker/{code}"));
    said.as_ref()
        .is_err_and(|error| codes.iter().any(|code| error.kind().as_str() == code))
}

/// Gives how much a job's documents say.
fn detail(call: &JobCall) -> Detail {
    if call.record.plain {
        Detail::Classified
    } else {
        Detail::Rich
    }
}

/// Gives a failure before the job is known, with all that programs can use.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is the function of `map_err`, which hands the failure on"
)]
fn refused(failure: Failure) -> ToolError {
    failure.tool_error(Detail::Rich)
}

/// Logs a call with what it said.
fn log_call(log: &Log, name: &str, started: Instant, said: Result<&String, &ToolError>) {
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (text, errors) = match said {
        Ok(document) => (document.clone(), Vec::new()),
        Err(error) => {
            let details = error.details().map(Json::text).unwrap_or_default();
            (details.to_owned(), codes(details))
        }
    };
    let fields = json!({
        "name": name,
        "duration_ms": millis,
        "result_digest": Digest::of([text]).to_string(),
        "errors": errors,
    });
    log.note("tool_call", fields);
}

fn codes(document: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let errors = document["errors"].as_array().cloned().unwrap_or_default();
    let codes = errors.iter().filter_map(|error| error["code"].as_str());
    codes.map(str::to_owned).collect()
}

/// Repeats the warnings of a document as texts.
fn warnings(document: &str) -> Vec<String> {
    if !document.contains("\"warnings\":") {
        return Vec::new();
    }
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let warnings = document["warnings"].as_array().cloned().unwrap_or_default();
    let texts = warnings.iter().map(|warning| {
        let part = |key: &str| warning[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {}", part("code"), part("message"))
    });
    texts.take(256).collect()
}
