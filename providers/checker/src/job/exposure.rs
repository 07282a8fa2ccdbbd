//! `mcp.toml`: the tools of one job as an MCP server offers them.

use std::fmt::Write;
use std::path::Path;

/// The tools with the members of their input that are offered, and the milliseconds that a call may take: those that the
/// tools themselves suggest, and more than a client gives by default.
const TOOLS: [(&str, &str, u64); 7] = [
    ("read_context", "\"path\"", 10_000),
    ("check_types", "", 30_000),
    ("check_refinements", "", 30_000),
    ("run_tests", "", 120_000),
    ("write_soil", "\"soil\", \"decisions_applied\"", 10_000),
    ("read_spec", "\"ref\"", 10_000),
    (
        "ask_human",
        "\"kind\", \"question\", \"hole\", \"options\"",
        10_000,
    ),
];

/// Gives the text of the file for the job at a path, which is UTF-8.
pub(crate) fn exposure(job: &Path) -> String {
    // A JSON text is a basic string of TOML too, but for DEL, which JSON leaves as it is.
    let job = serde_json::Value::from(job.to_string_lossy())
        .to_string()
        .replace('\u{7f}', "\\u007f");
    let mut text = "version = 1\n".to_owned();
    for (name, fields, millis) in TOOLS {
        write!(
            text,
            "\n[[expose]]\ntool = \"trellis:{name}\"\nname = \"{name}\"\nfields = [{fields}]\nfixed = {{ job = {job} }}\ndeadline_millis = {millis}\n"
        )
        .expect("a text takes all that is written to it");
    }
    text.push_str(
        "\n[serve]\ndefaults = false\nresult = \"document\"\ninput_errors = \"result\"\nversion_of = \"lonis-checker\"\n",
    );
    text
}
