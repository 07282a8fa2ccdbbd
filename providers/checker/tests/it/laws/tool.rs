//! Laws of what hosts send: any input of any tool is answered with one block, or refused with one error.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// All tools.
const TOOLS: [&str; 10] = [
    "trellis.read_context",
    "trellis.check_types",
    "trellis.check_refinements",
    "trellis.run_tests",
    "trellis.write_soil",
    "trellis.read_spec",
    "trellis.ask_human",
    "checker.check",
    "checker.definitions",
    "checker.search",
];

/// What stands in an input for the path of the job.
const JOB: &[u8] = b"@job";

/// Checks the laws on any bytes: the first says for which tool the others are the input of. Says whether the tool answered.
///
/// The job, which no other call is about meanwhile, is afterwards as it was, but for its draft.
///
/// # Panics
/// Where a law does not hold.
pub(crate) fn check(job: &Path, bytes: &[u8]) -> bool {
    let Some((first, input)) = bytes.split_first() else {
        return false;
    };
    let tool = TOOLS[usize::from(*first) % TOOLS.len()];
    let input = about(job, input);
    let said = call(job, tool, &input);
    assert_eq!(call(job, tool, &input), said, "{tool}");
    said.is_ok()
}

/// Puts the path of the job into an input.
fn about(job: &Path, input: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(input.len());
    let mut rest = input;
    while let Some(at) = rest.windows(JOB.len()).position(|part| part == JOB) {
        found.extend_from_slice(&rest[..at]);
        found.extend_from_slice(job.as_os_str().as_encoded_bytes());
        rest = &rest[at + JOB.len()..];
    }
    found.extend_from_slice(rest);
    found
}

/// Calls a tool, and gives its document, or the kind and the details of its error.
fn call(job: &Path, tool: &str, input: &[u8]) -> Result<Value, (Value, Value)> {
    let record = fs::read(job.join("job.json")).expect("the job has a record");
    let words = ["--mode", "ndjson", "call", tool].map(OsString::from);
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = lonis_checker::answer_host(&words, &mut &*input, &mut stdout, &mut stderr);
    fs::write(job.join("job.json"), record).expect("the record is put back");
    let question = job.join("../../../m/f.question.json");
    // Only a question that was asked is there to be taken away.
    let _ = fs::remove_file(question);
    let shown = String::from_utf8_lossy(input);
    if code == 0 {
        assert!(stderr.is_empty(), "{tool} {shown}");
        let block: Value = serde_json::from_slice(&stdout).expect("one block");
        assert_eq!(block["payload"]["kind"], tool);
        return Ok(block["payload"]["data"].clone());
    }
    assert!(stdout.is_empty(), "{tool} {shown}");
    let error: Value = serde_json::from_slice(&stderr).expect("one error");
    assert_eq!(error["exit_code"], code, "{tool} {shown}");
    let kind = error["kind"].as_str().expect("a kind");
    let Some(first) = kind.strip_prefix("checker/") else {
        assert!(
            ["bad_input", "invalid_input"].contains(&kind),
            "{tool} {shown}: {error}"
        );
        return Err((error["kind"].clone(), error["details"].clone()));
    };
    assert_eq!(error["details"]["errors"][0]["code"], first);
    assert!(
        !["internal", "io"].contains(&first),
        "{tool} {shown}: {error}"
    );
    Err((error["kind"].clone(), error["details"].clone()))
}
