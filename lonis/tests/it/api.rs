//! The names and signatures that users of the facade build on: what is changed here breaks their programs.
//!
//! Each line compiles only while the item has the shape that is written beside it.

#![expect(
    clippy::type_complexity,
    reason = "the whole signature is what is tested"
)]

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as Input, Write};
use std::process::ExitCode;
use std::sync::Arc;

use lonis::canonical::CanonicalError;
use lonis::host::{Environment, Host};
use lonis::limits::Limits;
use lonis::process::{self, CancelToken, Captured, Containment, Outcome, Program};
use lonis::{
    Attribution, Availability, Block, BlockBounds, BlockKind, BlockPayload, BlockStream,
    BoundsError, Call, CallRecord, Capabilities, ContentHash, Emitter, ErrorKind, Json,
    ObservedHashes, OutputMode, Provider, ProviderManifest, ProviderToolSummary, RawBlock, Read,
    ReadError, Refusal, ReplayProvenance, ReplayStatus, SchemaVersion, SeedBlock, Stopped,
    SubprocessProvider, SubprocessTool, Timestamp, Tool, ToolContract, ToolError, ToolId,
    ToolRegistry,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn is_send<T: Send>() {}
fn is_shared<T: Send + Sync>() {}

#[test]
fn everything_can_be_sent_and_tools_can_be_shared() {
    is_send::<SeedBlock>();
    is_send::<Call>();
    is_send::<BlockStream<BlockKind>>();
    is_send::<ToolError>();
    is_send::<CallRecord<BlockKind>>();
    is_shared::<Json>();
    is_shared::<Provider<BlockKind>>();
    is_shared::<ToolRegistry<BlockKind>>();
    is_shared::<SubprocessTool>();
    is_shared::<SubprocessProvider>();
    is_shared::<Host>();
    is_shared::<Arc<dyn Tool<BlockKind>>>();
    is_shared::<CancelToken>();
    is_shared::<Program>();
}

/// The traits' own bounds: what they say beside their methods.
fn payload<P: BlockPayload>(payload: &P) -> (String, String, String) {
    fn bounds<T: Serialize + DeserializeOwned + Send + Sync + 'static>() {}
    bounds::<P>();
    let name: &str = payload.kind_name();
    (name.to_owned(), payload.schema_id(), payload.render_human())
}

fn capabilities(tool: &dyn Capabilities) {
    let _: SchemaVersion = tool.schema_version();
    let _: &str = tool.tool_version();
    let _: &'static [OutputMode] = tool.output_formats();
    let _: &'static [(&'static str, u8)] = tool.exit_code_map();
    let _: ToolId = tool.tool_id();
    let _: Option<ToolContract> = tool.declared_contract();
}

type Blocks<P> = Result<Vec<Block<P>>, ToolError>;
type Item = Result<SeedBlock, ToolError>;
type Taken = BlockStream<BlockKind>;
type Registry = ToolRegistry<BlockKind>;
type Other = SubprocessProvider;
type Own = Provider<BlockKind>;
type Ends<'a> = (&'a mut dyn Input, &'a mut dyn Write, &'a mut dyn Write);
type Stream<P> = Result<BlockStream<P>, ToolError>;

fn tool<P: BlockPayload>(tool: &dyn Tool<P>, call: Call) {
    let _: Blocks<P> = tool.invoke(Value::Null);
    let _: Stream<P> = tool.invoke_stream(Value::Null);
    let _: Option<ToolContract> = tool.contract();
    let _: Stream<P> = tool.start(call);
}

#[test]
fn blocks_and_what_is_in_them() {
    let _: fn(Attribution, BlockKind) -> SeedBlock = Block::new;
    let _: fn(SeedBlock, BlockBounds) -> Result<SeedBlock, BoundsError> = Block::with_bounds;
    let _: fn(SeedBlock, ReplayProvenance) -> SeedBlock = Block::with_provenance;
    let _: fn(SeedBlock, [String; 1]) -> SeedBlock = |block, texts| block.with_warnings(texts);
    let _: fn(&SeedBlock) -> Result<ContentHash, CanonicalError> = Block::content_hash;
    let _: fn(&str) -> Result<Read<SeedBlock>, ReadError> = Block::read;
    let _: fn(Read<SeedBlock>) -> (SeedBlock, Vec<lonis::Finding>) =
        |read| (read.value, read.findings);
    let _: fn(Value) -> Json = Json::from;
    let _: fn(&str) -> Result<Json, lonis::json::JsonError> = Json::parse;
    let _: fn(&Json) -> &str = Json::text;
    let _: fn(&Json) -> Value = Json::to_value;
    let _: fn(&Json) -> ContentHash = Json::content_hash;
    let _: fn(&str, String) -> Attribution =
        |identity, producer| Attribution::new(identity, producer);
    let _: fn(&str, String, Timestamp) -> Attribution =
        |identity, producer, when| Attribution::at(identity, producer, when);
    let _: fn(&Value) -> ContentHash = lonis::json_content_hash;
    let _: fn(&SeedBlock, &ObservedHashes) -> ReplayStatus = lonis::verify_replay;
    let _: fn(&BlockKind) -> (String, String, String) = payload;
}

#[test]
fn errors_and_their_codes() {
    use lonis::exit_code::{
        CONFIRMATION_REQUIRED, GENERIC, INTERNAL, INVALID_INPUT, IO, LIMIT_EXCEEDED, NOT_FOUND,
        NOT_IMPLEMENTED, RATE_LIMITED, SERIALIZATION, SUCCESS, TOOL_FAILED,
    };
    let codes: [u8; 12] = [
        SUCCESS,
        GENERIC,
        INVALID_INPUT,
        NOT_FOUND,
        CONFIRMATION_REQUIRED,
        RATE_LIMITED,
        TOOL_FAILED,
        LIMIT_EXCEEDED,
        IO,
        SERIALIZATION,
        NOT_IMPLEMENTED,
        INTERNAL,
    ];
    assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 69, 70]);
    let _: fn(ErrorKind, &str) -> ToolError = |kind, message| ToolError::new(kind, message);
    let _: fn(ToolError, u8) -> ToolError = ToolError::with_exit_code;
    let _: fn(ToolError, Value) -> ToolError = |error, details| error.with_details(details);
    let _: fn(ToolError, &str) -> ToolError = |error, hint| error.with_hint(hint);
    let _: fn(&ToolError) -> &ErrorKind = ToolError::kind;
    let _: fn(&ToolError) -> &str = ToolError::message;
    let _: fn(&ToolError) -> Option<&Json> = ToolError::details;
    let _: fn(&ToolError) -> u8 = ToolError::exit_code;
}

#[test]
fn calls_streams_and_registries() {
    let _: fn(&dyn Capabilities) = capabilities;
    let _: fn(&dyn Tool<BlockKind>, Call) = tool;
    let _: fn(Value) -> Call = |input| Call::new(input);
    let _: fn(Json) -> Call = |input| Call::new(input);
    let _: fn(Call, Limits) -> Call = Call::with_limits;
    let _: fn(Call, CancelToken) -> Call = Call::with_cancel;
    let _: fn(Call, fn(&[u8])) -> Call = |call, listener| call.on_stderr(listener);

    let _: fn(Vec<Item>) -> Taken = |items| BlockStream::from_results(items.into_iter());
    let _: fn(usize, fn(&Emitter<BlockKind>) -> Result<(), ToolError>) -> Taken =
        |capacity, work| BlockStream::produce(capacity, work);
    let _: fn(&mut Taken) -> Option<Item> = Iterator::next;
    let _: for<'a> fn(&'a mut Taken) -> Option<Result<RawBlock<'a>, ToolError>> =
        BlockStream::next_raw;
    let _: fn(&Taken) -> Option<&Outcome> = BlockStream::outcome;
    let _: fn(&Emitter<BlockKind>, SeedBlock) -> Result<(), Stopped> = Emitter::emit;
    #[cfg(feature = "futures")]
    let _: fn(Taken) -> lonis::AsyncBlockStream<BlockKind> = BlockStream::into_async;

    let _: fn() -> Registry = ToolRegistry::new;
    let _: fn(&mut Registry, Box<dyn Tool<BlockKind>>) -> Result<(), ToolError> =
        ToolRegistry::register;
    let _: for<'a> fn(&'a Registry, &ToolId) -> Option<&'a dyn Tool<BlockKind>> = ToolRegistry::get;
    let _: fn(&Registry) -> usize = |registry| registry.iter().count();
    let _: fn(&Registry) -> usize = ToolRegistry::len;
    let _: fn(&Registry) -> bool = ToolRegistry::is_empty;
    let _: fn(&Registry, &ToolId, Value) -> Blocks<BlockKind> = ToolRegistry::invoke;
    let _: fn(&Registry, &ToolId, Value) -> Stream<BlockKind> = ToolRegistry::invoke_stream;
    let _: fn(&Registry, &ToolId, Call) -> Stream<BlockKind> = ToolRegistry::start;
    let _: fn(&Registry, &ToolId, Call) -> CallRecord<BlockKind> = ToolRegistry::run;

    let _: fn(&[SeedBlock], OutputMode, &mut dyn Write) -> io::Result<()> = lonis::render;
    let _: fn(&ToolError, OutputMode, &mut dyn Write) -> io::Result<()> = lonis::render_error;
    let _: fn(&Registry, &ToolId, Value, OutputMode) -> u8 = lonis::run_tool;
    let _: fn(&Registry, &ToolId, Value, OutputMode) -> u8 = lonis::run_stream;
}

#[test]
fn programs_of_others() {
    let _: fn(ToolId, &str) -> SubprocessTool = |id, command| SubprocessTool::new(id, command);
    let _: fn(SubprocessTool, Limits) -> SubprocessTool = SubprocessTool::with_limits;
    let _: fn(&SubprocessTool) -> Availability = SubprocessTool::availability;
    let _: fn(&Availability) -> Option<&String> = |availability| match availability {
        Availability::Ready => None,
        Availability::Missing { reason } | Availability::NotExecutable { reason } => Some(reason),
    };
    let _: fn(&OsStr) -> Other = |command| SubprocessProvider::new(command);
    let _: fn(&Other) -> Result<ProviderManifest, ToolError> = SubprocessProvider::manifest;
    let _: fn(&Other) -> Result<Vec<ProviderToolSummary>, ToolError> = SubprocessProvider::tools;
    let _: fn(&Other, &str) -> Result<ToolContract, ToolError> = SubprocessProvider::describe;
    let _: fn(&Other, &str) -> Result<SubprocessTool, ToolError> = SubprocessProvider::tool;
    let _: [fn(Other, [&'static str; 1]) -> Other; 4] = [
        |provider, args| provider.with_manifest_args(args),
        |provider, args| provider.with_tools_list_args(args),
        |provider, args| provider.with_describe_args(args),
        |provider, args| provider.with_call_args(args),
    ];
    let _: fn(&Other, &mut ToolRegistry<BlockKind>) -> Result<Vec<Refusal>, ToolError> =
        SubprocessProvider::register_all;
    let _: fn(&Environment) -> Result<Host, ToolError> = Host::load;
    let _: fn(&Host) -> usize = |host| host.tools().len();
    let _: fn(&Host, &str) -> Result<Arc<dyn Tool<BlockKind>>, ToolError> = Host::find;
    let _: fn(&Program, Vec<u8>) -> Captured = |program, stdin| process::run(program, stdin);
    let _: fn(&Outcome) -> Option<&Containment> = |outcome| outcome.containment.as_ref();
}

#[test]
fn the_authors_side() {
    let _: fn(&str, &str) -> Own = Provider::new;
    let _: fn(Own, &str) -> Own = Provider::description;
    let _: fn(Own, SubprocessTool) -> Own = |provider, tool| provider.tool(tool);
    let _: fn(Own, &str, SubprocessTool) -> Own =
        |provider, native, tool| provider.tool_as(native, tool);
    let _: fn(&Own, &[OsString], Ends<'_>) -> u8 =
        |provider, args, (stdin, stdout, stderr)| provider.answer(args, stdin, stdout, stderr);
    let _: fn(Own) -> ExitCode = lonis::serve;
    let _: fn(Value) -> Result<Vec<String>, ToolError> = lonis::parse_input;
}
