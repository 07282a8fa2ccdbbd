//! The skill: what an agent has to know before its first call, in one text.

use std::fmt::Write;

use soil::builtins::BuiltinId;
use soil::program::prelude_files;

use super::DOCUMENTS;

/// Why writing to a text cannot fail.
const GROWS: &str = "a text takes all that is written to it";

/// Gives the text.
pub(crate) fn skill() -> String {
    let mut text = String::from(
        "# Lowering one definition\n\n\
         Contract `trellis-daemon/1`. You write the body of one definition in Soil so that it meets a spec that a person wrote.\n\n\
         1. `read_context` with the path `.`, then `spec.md`, `decisions.md`, `tests.json` and the callees that look useful.\n\
         2. `write_soil` with a first draft; holes `?name` are fine.\n\
         3. `check_types`; repair what it reports by its `repair_class`, its notes and its edits, and fill holes with what fits.\n\
         4. `run_tests`; repair what fails, and begin again at 2 until all pass. Then stop: the last stored draft counts.\n\
         5. `read_spec` with the `spec_ref` of a diagnostic where a rule is not clear; `ask_human` where the spec is.\n\n\
         Limits: one public definition, no helpers beside local `let`s, no comments, no changes of the spec, all tests always.\n",
    );
    let wanted = ["trellis-daemon", "soil-syntax-spec", "tr-grammar"];
    for document in DOCUMENTS.iter().filter(|one| wanted.contains(&one.slug)) {
        writeln!(
            text,
            "\n<!-- {} -->\n\n{}",
            document.slug,
            document.text.trim_end()
        )
        .expect(GROWS);
    }
    built_in(&mut text);
    examples(&mut text);
    text
}

/// Lists what the language provides, each with its type.
fn built_in(text: &mut String) {
    text.push_str("\n# Built-in functions\n\nThey need no definition, and these are all.\n\n```\n");
    for id in BuiltinId::all() {
        writeln!(text, "{}", id.signature()).expect(GROWS);
    }
    text.push_str("```\n");
}

/// Shows the prelude, which every project can call, as examples of specs and their bodies.
fn examples(text: &mut String) {
    text.push_str("\n# Examples\n\nThese can be called from everywhere.\n");
    for file in prelude_files() {
        let (spec, body) = (file.spec.trim_end(), file.body.trim_end());
        write!(text, "\n~~~\n{spec}\n~~~\n\n```\n{body}\n```\n").expect(GROWS);
    }
}
