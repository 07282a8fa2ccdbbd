//! Documents for people: one line for each definition, case or file.

use serde_json::Value;

/// Gives the text of a document.
pub(super) fn text(native: &str, document: &str) -> String {
    let value: Value = serde_json::from_str(document).unwrap_or_default();
    let lines: Vec<String> = match native {
        "trellis.read_context" => context(&value),
        "trellis.check_types" => each(&value["defs"], definition),
        "trellis.run_tests" => each(&value["cases"], case),
        "trellis.write_soil" => lines_of(&value["canonical"]),
        "trellis.read_spec" => {
            let mut lines = lines_of(&value["title"]);
            lines.extend(lines_of(&value["text"]));
            lines
        }
        "trellis.ask_human" => vec![format!("asked: {}", word(&value["question"]))],
        _ => vec!["nothing is proven yet; clauses are checked when the definition runs".to_owned()],
    };
    lines.join("\n")
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn lines_of(value: &Value) -> Vec<String> {
    word(value).lines().map(str::to_owned).collect()
}

fn each(list: &Value, line: impl Fn(&Value) -> String) -> Vec<String> {
    let entries = list.as_array().map_or(&[][..], Vec::as_slice);
    entries.iter().map(line).collect()
}

fn context(value: &Value) -> Vec<String> {
    if value["tag"] == "Dir" {
        each(&value["value"]["entries"], |entry| word(entry).to_owned())
    } else {
        lines_of(&value["value"]["content"])
    }
}

fn definition(one: &Value) -> String {
    let count = |key: &str| one["checks"][key].as_array().map_or(0, Vec::len);
    format!(
        "{}: types ok, termination {}, obligations {}, holes {}",
        word(&one["name"]),
        word(&one["checks"]["termination"]),
        count("panic_obligations"),
        count("holes")
    )
}

fn case(one: &Value) -> String {
    let line = format!("{}: {}", word(&one["name"]), word(&one["result"]));
    let details = &one["details"]["value"];
    match details["actual"].as_str() {
        None => line,
        Some(actual) => format!(
            "{line}, expected {}, got {actual}",
            word(&details["expected"])
        ),
    }
}
