//! `mcp.toml`: the tools of one job as an MCP server offers them.

use std::fmt::Write;
use std::path::Path;

/// The tools with the members of their input that are offered.
const TOOLS: [(&str, &str); 7] = [
    ("read_context", "\"path\""),
    ("check_types", ""),
    ("check_refinements", ""),
    ("run_tests", ""),
    ("write_soil", "\"soil\", \"decisions_applied\""),
    ("read_spec", "\"ref\""),
    ("ask_human", "\"kind\", \"question\", \"hole\", \"options\""),
];

/// Gives the text of the file for the job at a path, which is UTF-8.
pub(crate) fn exposure(job: &Path) -> String {
    // A JSON text is a basic string of TOML too, but for DEL, which JSON leaves as it is.
    let job = serde_json::Value::from(job.to_string_lossy())
        .to_string()
        .replace('\u{7f}', "\\u007f");
    let mut text = "version = 1\n".to_owned();
    for (name, fields) in TOOLS {
        write!(
            text,
            "\n[[expose]]\ntool = \"trellis:{name}\"\nname = \"{name}\"\nfields = [{fields}]\nfixed = {{ job = {job} }}\n"
        )
        .expect("a text takes all that is written to it");
    }
    text.push_str(
        "\n[serve]\ndefaults = false\nresult = \"document\"\ninput_errors = \"result\"\nversion_of = \"lonis-checker\"\n",
    );
    text
}
