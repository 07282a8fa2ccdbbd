//! `read_context`: the files of the bundle, and nothing else.

use serde_json::{Value, json};
use soil::diagnostic::Code;
use soil::document::Writer;

use super::input::Input;
use super::{JobTool, Sort, Work, schema};
use crate::failure::Failure;
use crate::job::{Entry, JobCall, open_in_bundle};

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.read_context",
    id: "trellis:read_context",
    description: "Reads a file or lists a folder of the job's context bundle: the spec, its tests, the decisions, what may be called.",
    sort: Sort::Reading,
    is_long: true,
    input,
    output,
    prepare,
};

fn input() -> Value {
    schema::object(&json!({"path": {"type": "string"}}))
}

fn output() -> Value {
    let content = schema::object(&json!({"content": {"type": "string"}}));
    let entries =
        schema::object(&json!({"entries": {"type": "array", "items": {"type": "string"}}}));
    json!({"oneOf": [schema::variant("File", &content), schema::variant("Dir", &entries)]})
}

fn prepare(input: &mut Input<'_>) -> Option<Work> {
    let path = input.text("path")?.to_owned();
    Some(Box::new(move |call| work(call, &path)))
}

fn work(call: &JobCall, path: &str) -> Result<String, Failure> {
    let parts = parts(path)?;
    let entry = open_in_bundle(&call.directory, &parts)?;
    let mut writer = Writer::new();
    match entry {
        Some(Entry::File(content)) => writer.variant("File", |writer| {
            writer.key("content").string(&content);
        }),
        Some(Entry::Folder(names)) => writer.variant("Dir", |writer| {
            writer.key("entries").array(|writer| {
                for name in &names {
                    writer.string(name);
                }
            });
        }),
        None => {
            let message = format!("the bundle has no `{path}`; the path `.` lists it");
            return Err(Failure::new(Code::BundleNotFound, message));
        }
    }
    Ok(writer.finish_document())
}

/// Cuts a path into its parts; none of them leads out of the bundle.
fn parts(path: &str) -> Result<Vec<&str>, Failure> {
    let refused = |reason: &str| {
        let message = format!("the path {path:?} {reason}; paths are relative to the bundle");
        Err(Failure::new(Code::BundlePath, message))
    };
    if path.is_empty() || path == "." {
        return Ok(Vec::new());
    }
    if path.starts_with('/') {
        return refused("is absolute");
    }
    if path.contains(['\\', '\0']) {
        return refused("has a backslash or a NUL");
    }
    let parts: Vec<&str> = path.strip_suffix('/').unwrap_or(path).split('/').collect();
    if parts.contains(&"..") {
        return refused("leads out of its folder");
    }
    if parts.iter().any(|part| part.is_empty() || *part == ".") {
        return refused("has an empty part");
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let good: [(&str, &[&str]); 4] = [
            ("", &[]),
            (".", &[]),
            ("callees/", &["callees"]),
            ("callees/a.md", &["callees", "a.md"]),
        ];
        for (path, expected) in good {
            assert_eq!(parts(path).expect(path), expected);
        }
        let bad = [
            "/",
            "/etc/passwd",
            "..",
            "../job.json",
            "a/../..",
            "a//b",
            "//a",
            "a/./b",
            "./a",
            "a\\b",
            "a\0b",
            "a//",
        ];
        for path in bad {
            let failure = parts(path).expect_err(path);
            assert!(failure.has(Code::BundlePath), "{path:?}");
        }
    }
}
