use serde_json::json;

use super::*;
use crate::fixture::{Full, Words};

const MODES: [OutputMode; 3] = [OutputMode::Human, OutputMode::Json, OutputMode::Ndjson];

fn start(input: Value) -> Result<BlockStream<lonis_schema::BlockKind>, ToolError> {
    let mut registry = ToolRegistry::new();
    registry.register(Box::new(Words::new("acme:say"))).unwrap();
    registry.start(&ToolId::new("acme:say").unwrap(), Call::new(input))
}

fn run(input: Value, delivery: Delivery, mode: OutputMode) -> (u8, String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = run_call(start(input), delivery, mode, &mut stdout, &mut stderr);
    (
        code,
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

#[test]
fn success_writes_blocks_and_nothing_else() {
    for mode in MODES {
        let collected = run(json!(["a", "b"]), Delivery::Collected, mode);
        assert_eq!(collected, run(json!(["a", "b"]), Delivery::Streamed, mode));
        assert_eq!((collected.0, collected.2.as_str()), (0, ""));
    }
    let (_, stdout, _) = run(json!(["a", "b"]), Delivery::Streamed, OutputMode::Json);
    assert_eq!(
        serde_json::from_str::<Vec<lonis_schema::SeedBlock>>(&stdout)
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_failure_keeps_what_was_streamed_and_drops_what_was_collected() {
    let error = "{\"kind\":\"no_word\",\"message\":\"a number is no word\",\"exit_code\":1}\n";
    let (code, stdout, stderr) = run(
        json!(["a", "b", 7, "c"]),
        Delivery::Streamed,
        OutputMode::Json,
    );
    assert_eq!((code, stderr.as_str()), (1, error));
    assert_eq!(
        serde_json::from_str::<Vec<lonis_schema::SeedBlock>>(&stdout)
            .unwrap()
            .len(),
        2
    );

    let collected = run(
        json!(["a", "b", 7, "c"]),
        Delivery::Collected,
        OutputMode::Json,
    );
    assert_eq!(collected, (1, String::new(), error.to_owned()));
}

#[test]
fn a_call_that_does_not_start_writes_no_document() {
    let (code, stdout, stderr) = run(json!(null), Delivery::Streamed, OutputMode::Json);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("{\"kind\":\"bad_input\""), "{stderr}");
}

#[test]
fn output_that_is_not_taken_is_a_failure() {
    for mode in MODES {
        for delivery in [Delivery::Collected, Delivery::Streamed] {
            for room in [0, 1, 20] {
                let mut stderr = Vec::new();
                let code = run_call(
                    start(json!(["a", "b"])),
                    delivery,
                    mode,
                    &mut Full::after(room),
                    &mut stderr,
                );
                assert_eq!(code, 8, "{mode} {delivery:?} {room}");
                assert!(
                    String::from_utf8(stderr)
                        .unwrap()
                        .contains("output could not be written")
                );
            }
        }
    }
}

#[test]
fn a_failure_never_exits_with_success() {
    let error = ToolError::new(ErrorKind::ToolFailed, "odd").with_exit_code(0);
    assert_eq!(report(&error, OutputMode::Json, &mut Vec::new()), 6);
    assert_eq!(report(&error, OutputMode::Json, &mut Full::after(0)), 6);
}

#[test]
fn a_block_of_ours_that_breaks_a_limit_is_an_error() {
    let long = "x".repeat(16_385);
    for (delivery, written) in [(Delivery::Streamed, 1), (Delivery::Collected, 0)] {
        let (code, stdout, stderr) = run(json!(["a", long, "b"]), delivery, OutputMode::Ndjson);
        assert_eq!((code, stdout.lines().count()), (9, written), "{delivery:?}");
        let error: ToolError = serde_json::from_str(&stderr).unwrap();
        assert_eq!(error.kind(), &ErrorKind::InvalidOutput);
        assert!(
            error
                .message()
                .contains("has 16385 characters, the limit is 16384"),
            "{error}"
        );
    }
}
