//! `cargo xtask generate`: the pages of the book's reference that are written from the source and from the program.
//!
//! `--check` writes nothing and fails where a page is not what would be written.

mod catalog;
mod protocol;

use std::fmt::Write as _;
use std::path::Path;

use crate::command::{self, Failure, output, read, say};

/// The commands whose help makes the page of the command line, in the order of the page.
const COMMANDS: &[&str] = &[
    "",
    "tools",
    "tools list",
    "tools search",
    "tools describe",
    "call",
    "map",
    "replay",
    "schema",
    "validate",
    "hash",
    "manifest",
    "providers",
    "providers list",
    "providers add",
    "providers remove",
    "providers doctor",
    "trust",
    "new",
    "conform",
    "completions",
];
/// The commands of the checker whose help makes its page, in the order of the page.
const CHECKER_COMMANDS: &[&str] = &[
    "",
    "check",
    "test",
    "run",
    "status",
    "job",
    "job open",
    "job charge",
    "job close",
    "job list",
    "job show",
    "context",
    "spec",
    "skill",
    "refresh",
    "accept",
    "answer",
    "soil",
    "soil lex",
    "soil parse",
    "soil rename",
    "soil infer",
    "soil check",
    "soil print",
    "soil hash",
    "soil fix",
    "soil search",
    "soil run",
    "soil test",
];
/// What the help of the checker does not say: what exit codes mean, which two specs of it give by different rules.
const CHECKER_PREFACE: &str = "`lonis checker …` is the same program. Errors are shown in their source, or with `--json` as a document \
    `{\"errors\":[…]}` on stderr; `job open`, `charge` and `close` and `soil …` always answer with documents. As a provider the program \
    takes `manifest`, `tools` and `call`.\n\n\
    | code | when |\n|---|---|\n\
    | 0 | the answer is given, and all is as it should be |\n\
    | 1 | a result that is not as it should be, and every error that has no other code |\n\
    | 2 | `usage`; of `soil …` also `io`, `malformed-input`, `forward-reference` and `internal` |\n\
    | 3 | `no-draft`, `unknown-decision`, `unknown-spec-ref`, `bundle-not-found` |\n\
    | 7 | `job-cap-exceeded` |\n\
    | 8 | `io` |\n\
    | 69 | `unimplemented`, which nothing raises |\n\
    | 70 | `internal` |\n\n\
    The first error decides. `soil …` ends with 0, 1 or 2 as compilers do, and with 2 where any error says that an input cannot be used at \
    all; so `malformed-input` is 2 there and 1 elsewhere, where commands end as the tools of a provider.\n\n";
const NOTICE: &str = "<!-- Written by `cargo xtask generate`. -->\n\n";

pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), Failure> {
    let only_check = words.iter().any(|word| word == "--check");
    // First, since the program that is built next holds some of these files.
    let mut stale = written(root, catalog::files(root)?, only_check)?;
    command::run(
        root,
        "cargo",
        &[
            "build",
            "--quiet",
            "--locked",
            "-p",
            "lonis-cli",
            "-p",
            "lonis-checker",
        ],
        &[],
    )?;
    let pages = [
        ("cli.md", command_line(root)?),
        ("checker-cli.md", checker_command_line(root)?),
        ("errors.md", errors(root)?),
        ("exit-codes.md", exit_codes(root)?),
        ("schemas.md", schemas(root)?),
        ("protocol.md", protocol::page(NOTICE)),
        ("bounds.md", bounds(root)?),
    ];
    let pages = pages.map(|(name, text)| (format!("docs/src/reference/{name}"), text));
    stale.extend(written(root, pages.into(), only_check)?);
    if stale.is_empty() {
        return Ok(());
    }
    Err(Failure::Found(format!(
        "out of date: {}; `cargo xtask generate` writes them",
        stale.join(", ")
    )))
}

/// Writes what differs from what stands there, or only names it.
fn written(
    root: &Path,
    files: Vec<(String, String)>,
    only_check: bool,
) -> Result<Vec<String>, Failure> {
    let mut stale = Vec::new();
    for (name, text) in files {
        let path = root.join(&name);
        if std::fs::read_to_string(&path).is_ok_and(|before| before == text) {
            continue;
        }
        if only_check {
            stale.push(name);
            continue;
        }
        let folder = path.parent().unwrap_or(root);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| Failure::File {
                path: path.display().to_string(),
                source,
            })?;
        say(&format!("wrote {name}"));
    }
    Ok(stale)
}

fn lonis(root: &Path, words: &[&str]) -> Result<String, Failure> {
    said(root, "lonis", words)
}

/// Gives what a program that was built says.
fn said(root: &Path, program: &str, words: &[&str]) -> Result<String, Failure> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let program = root.join(target).join("debug").join(program);
    output(root, &program.to_string_lossy(), words)
}

fn command_line(root: &Path) -> Result<String, Failure> {
    let page = format!("# Command line\n\n{NOTICE}");
    with_help(root, page, "lonis", COMMANDS)
}

fn checker_command_line(root: &Path) -> Result<String, Failure> {
    let page = format!("# Command line of the checker\n\n{NOTICE}{CHECKER_PREFACE}");
    with_help(root, page, "lonis-checker", CHECKER_COMMANDS)
}

/// Adds the help of each command to a page.
fn with_help(
    root: &Path,
    mut page: String,
    program: &str,
    commands: &[&str],
) -> Result<String, Failure> {
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = said(root, program, &words)?;
        let title = format!("{program} {command}");
        // Writing to a text cannot fail.
        let _ = write!(
            page,
            "## `{}`\n\n```text\n{}\n```\n\n",
            title.trim_end(),
            help.trim_end()
        );
    }
    Ok(trimmed(&page))
}

/// Lines of a help text end in blanks here and there.
fn trimmed(page: &str) -> String {
    let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
    format!("{}\n", lines.join("\n").trim_end())
}

/// A documented declaration: the doc comment's text, then the line that it stands above.
fn documented(source: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut doc: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim());
        } else {
            if !doc.is_empty() && !line.starts_with("#[") {
                found.push((doc.join(" "), line));
            }
            if !line.starts_with("#[") {
                doc.clear();
            }
        }
    }
    found
}

fn errors(root: &Path) -> Result<String, Failure> {
    let source = read(&root.join("lonis-schema/src/tool_error.rs"))?;
    let codes = codes(root)?;
    let mut page = format!(
        "# Error kinds\n\n{NOTICE}An error is one JSON object on stderr: `kind`, `message`, `exit_code` and perhaps `details`. The \
         kind says what happened; the code alone says little, since a tool may use codes of its own.\n\n\
         | kind | code | when |\n|---|---|---|\n"
    );
    let list = source
        .split_once("error_kinds! {")
        .map_or("", |(_, list)| list);
    for (doc, line) in documented(list) {
        let Some((_, rest)) = line.split_once(" = \"") else {
            continue;
        };
        let Some((word, code)) = rest.split_once("\" => ") else {
            continue;
        };
        let code = code.trim_end_matches(',');
        let number = codes
            .iter()
            .find(|(name, ..)| name == code)
            .map(|(_, number, _)| number.as_str());
        let _ = writeln!(
            page,
            "| `{word}` | {} | {doc} |",
            number.unwrap_or_default()
        );
    }
    page.push_str("\nAny other word is a kind of the tool's own, passed on as it came.\n");
    Ok(page)
}

/// What the exit codes mean that only diagnostics have.
const EXITS_OF_DIAGNOSTICS: [(i64, &str); 5] = [
    (30, "What has to hold does not, or was not shown to."),
    (31, "Somebody else's change is in the way."),
    (41, "The policy forbids it until it is reviewed."),
    (50, "What is stored or written is not what it should be."),
    (75, "Somebody else is at it; the same command passes later."),
];

fn codes(root: &Path) -> Result<Vec<(String, String, String)>, Failure> {
    let source = read(&root.join("lonis-schema/src/exit_code.rs"))?;
    Ok(documented(&source)
        .into_iter()
        .filter_map(|(doc, line)| {
            let (name, number) = line.strip_prefix("pub const ")?.split_once(": u8 = ")?;
            Some((
                name.to_owned(),
                number.trim_end_matches(';').to_owned(),
                doc,
            ))
        })
        .collect())
}

fn exit_codes(root: &Path) -> Result<String, Failure> {
    let mut page = format!("# Exit codes\n\n{NOTICE}| code | when |\n|---|---|\n");
    let shared = codes(root)?;
    for (_, number, doc) in &shared {
        let _ = writeln!(page, "| {number} | {doc} |");
    }
    page.push_str("\nDiagnostics, those of sessions above all, have five more:\n\n| code | when | diagnostics |\n|---|---|---|\n");
    for (number, names) in catalog::by_exit(root)? {
        if shared
            .iter()
            .any(|(_, code, _)| *code == number.to_string())
        {
            continue;
        }
        let when = EXITS_OF_DIAGNOSTICS
            .iter()
            .find(|(code, _)| *code == number)
            .map(|(_, when)| *when)
            .ok_or_else(|| Failure::Found(format!("exit code {number} of {names:?} has no row")))?;
        let named: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "| {number} | {when} | {} |", named.join(" "));
    }
    page.push_str(
        "\nA tool's own code is passed on, also one of these with another meaning: the kind of its error decides. A failure never \
         exits with 0.\n",
    );
    Ok(page)
}

fn schemas(root: &Path) -> Result<String, Failure> {
    let mut page = format!(
        "# Schemas\n\n{NOTICE}`lonis schema NAME` prints one, `lonis validate --as NAME FILE` checks a document against the same \
         rules. All are JSON Schema, draft 2020-12.\n\n| name | `$id` |\n|---|---|\n"
    );
    for line in lonis(root, &["schema"])?.lines() {
        let (name, id) = line.split_once('\t').unwrap_or((line, ""));
        let _ = writeln!(page, "| `{name}` | `{id}` |");
    }
    Ok(page)
}

fn bounds(root: &Path) -> Result<String, Failure> {
    let source = read(&root.join("lonis-core/src/limits.rs"))?;
    let mut page = format!(
        "# Bounds\n\n{NOTICE}They stand under these names in `bounds` tables of `lonis.toml` and in the details of errors. A value \
         that is not set for a call is looked for in the tool, its provider, the project's and the user's defaults.\n\n"
    );
    let list = source
        .split_once("pub enum Bound {")
        .map_or("", |(_, list)| list);
    let list = list.split_once("\n}").map_or(list, |(list, _)| list);
    for (doc, line) in documented(list) {
        let name = snake_case(line.trim_end_matches(','));
        let (what, units) = doc
            .split_once("# Units and bounds")
            .unwrap_or((doc.as_str(), ""));
        let _ = writeln!(page, "- **`{name}`** — {} {}", what.trim(), units.trim());
    }
    Ok(page)
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
