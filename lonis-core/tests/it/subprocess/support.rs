//! What the tests of this folder share: the hostile tool, and one call of it on both ways.

use lonis_core::limits::Bound;
use lonis_core::{Call, SubprocessTool, Tool};
use lonis_schema::{BlockPayload, SeedBlock, ToolError, ToolId};
use serde_json::{Value, json};

use crate::process::support::{AMPLE_MILLIS, limits};

/// Makes a tool of one mode of the hostile program.
pub(crate) fn tool(mode: &[&str]) -> SubprocessTool {
    SubprocessTool::new(id(), misbehave::program())
        .with_args(mode)
        .with_limits(limits(&[
            (Bound::TimeoutMillis, AMPLE_MILLIS),
            // On a busy machine too a tool whose output is of no use gets to say why, or to its cap.
            (Bound::DrainGraceMillis, 20_000),
        ]))
}

pub(crate) fn id() -> ToolId {
    ToolId::new("misbehave:tool").expect("two segments")
}

/// What a streamed call gave.
#[derive(Debug)]
pub(crate) struct Streamed {
    pub(crate) blocks: Vec<SeedBlock>,
    pub(crate) error: Option<ToolError>,
    pub(crate) notes: Vec<String>,
    pub(crate) diagnostics: String,
}

/// Pulls a call to its end, and checks that an error is the last item.
pub(crate) fn streamed(tool: &SubprocessTool, call: Call) -> Streamed {
    let mut stream = tool.start(call).expect("it starts");
    let (mut blocks, mut error) = (Vec::new(), None);
    for item in stream.by_ref() {
        assert!(error.is_none(), "nothing follows an error");
        match item {
            Ok(block) => blocks.push(block),
            Err(failure) => error = Some(failure),
        }
    }
    assert!(
        stream.next().is_none() && stream.next_raw().is_none(),
        "a stream stays ended"
    );
    assert!(
        stream
            .outcome()
            .is_some_and(|outcome| outcome.status.is_some()),
        "a call that is over has its record"
    );
    Streamed {
        blocks,
        error,
        notes: stream.notes().to_vec(),
        diagnostics: stream.diagnostics().to_owned(),
    }
}

/// Calls a tool collected, streamed, streamed raw and polled, and checks that all agree.
pub(crate) fn both(tool: &SubprocessTool) -> Streamed {
    let streamed = streamed(tool, Call::new(json!(null)));
    let raw = raw_kinds(tool);
    #[cfg(feature = "futures")]
    polled_like(tool, &streamed);
    let kinds: Vec<String> = streamed
        .blocks
        .iter()
        .map(|block| block.payload().kind_name().to_owned())
        .collect();
    match (&streamed.error, tool.invoke(Value::Null)) {
        (None, Ok(blocks)) => {
            let payloads = |blocks: &[SeedBlock]| {
                blocks
                    .iter()
                    .map(SeedBlock::render_human)
                    .collect::<Vec<_>>()
            };
            assert_eq!(payloads(&streamed.blocks), payloads(&blocks));
            assert_eq!(raw, (kinds, None));
        }
        (Some(error), Err(collected)) => {
            assert_eq!(facts(error), facts(&collected));
            // A payload that is not what its kind asks for shows only where it is parsed.
            assert!(
                raw.1.is_none() || raw == (kinds, Some(facts(error))),
                "{raw:?}"
            );
        }
        (streamed, collected) => panic!("streamed {streamed:?}, collected {collected:?}"),
    }
    streamed
}

/// Calls a tool as an asynchronous stream, and checks that it is as the given one.
#[cfg(feature = "futures")]
fn polled_like(tool: &SubprocessTool, streamed: &Streamed) {
    let mut stream = tool
        .start(Call::new(json!(null)))
        .expect("it starts")
        .into_async();
    for block in &streamed.blocks {
        let polled = super::polled::next(&mut stream)
            .expect("an item")
            .expect("a block");
        assert_eq!(polled.render_human(), block.render_human());
    }
    let last =
        super::polled::next(&mut stream).map(|item| facts(&item.expect_err("the last item")));
    assert_eq!(last, streamed.error.as_ref().map(facts));
    assert!(super::polled::next(&mut stream).is_none());
    assert_eq!(stream.get_ref().notes(), streamed.notes);
}

/// An error without what differs from run to run.
fn facts(error: &ToolError) -> (String, u8, Value) {
    let mut details = details(error);
    if let Some(members) = details.as_object_mut() {
        members.remove("elapsed_millis");
        members.remove("partial_blocks");
    }
    (error.kind().to_string(), error.exit_code(), details)
}

fn raw_kinds(tool: &SubprocessTool) -> (Vec<String>, Option<(String, u8, Value)>) {
    let mut stream = tool.start(Call::new(json!(null))).expect("it starts");
    let mut kinds = Vec::new();
    while let Some(item) = stream.next_raw() {
        match item {
            Ok(block) => kinds.push(block.kind().to_owned()),
            Err(error) => return (kinds, Some(facts(&error))),
        }
    }
    (kinds, None)
}

/// The details of an error, `null` where it has none.
pub(crate) fn details(error: &ToolError) -> Value {
    error
        .details()
        .map_or(Value::Null, lonis_schema::Json::to_value)
}

/// Fails unless a call ended with an error of this kind and code, and returns the error.
pub(crate) fn expect_error(streamed: &Streamed, kind: &str, code: u8) -> ToolError {
    let error = streamed
        .error
        .clone()
        .unwrap_or_else(|| panic!("no error: {streamed:?}"));
    assert_eq!(
        (error.kind().as_str(), error.exit_code()),
        (kind, code),
        "{error:?}"
    );
    error
}

/// The output of a block that the hostile program made.
pub(crate) fn output(block: &SeedBlock) -> Value {
    let lonis_schema::BlockKind::Result(result) = block.payload() else {
        panic!("no result: {block:?}")
    };
    result.output.to_value()
}
