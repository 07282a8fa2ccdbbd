//! The catalog of diagnostics: a Rust table, the published document with its schema, and the page of the reference.
//!
//! Everything comes from `catalog/*.toml` of `lonis-diagnostics`, and from the registry of the checker; where a code is used has no part in it.

mod checker;
mod document;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use toml::{Table, Value};

use crate::command::{Failure, read};

const FOLDER: &str = "lonis-core/diagnostics";
const FAMILIES: &[&str] = &[
    "diagnostic",
    "error",
    "invocation",
    "io",
    "mcp",
    "obligation",
    "patch",
    "policy",
    "provider",
    "session",
    "tool",
    "wire",
];
const KINDS: &[(&str, &str)] = &[
    ("inspect", "Inspect"),
    ("verify-command", "VerifyCommand"),
    ("source-patch", "SourcePatch"),
    ("effect-command", "EffectCommand"),
    ("policy-review", "PolicyReview"),
];

/// One code with what its family says for all.
struct Entry {
    text: String,
    table: Table,
}

impl Entry {
    fn text(&self, key: &str) -> Result<&str, Failure> {
        self.table
            .get(key)
            .and_then(Value::as_str)
            .ok_or_else(|| Failure::Found(format!("catalog: `{}` has no text `{key}`", self.text)))
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        let list = self.table.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    fn members(&self, key: &str) -> Vec<(&str, &str)> {
        let table = self.table.get(key).and_then(Value::as_table);
        let pairs = table.into_iter().flatten();
        pairs
            .filter_map(|(name, kind)| Some((name.as_str(), kind.as_str()?)))
            .collect()
    }

    fn actions(&self) -> Vec<&Table> {
        let list = self.table.get("actions").and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_table)
            .collect()
    }

    fn exit(&self) -> i64 {
        self.table
            .get("exit")
            .and_then(Value::as_integer)
            .unwrap_or_default()
    }

    fn is_retryable(&self) -> bool {
        self.table
            .get("retryable")
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    fn severity(&self) -> &str {
        self.table
            .get("severity")
            .and_then(Value::as_str)
            .unwrap_or("error")
    }

    fn anchor(&self) -> String {
        self.text.replace('/', "-")
    }
}

/// Gives every file that is written from the catalog, with its path from the root.
pub(super) fn files(root: &Path) -> Result<Vec<(String, String)>, Failure> {
    let entries = entries(root)?;
    let kinds: Table = parsed(root, "kinds")?;
    let document = document::catalog(&entries, &kinds)?;
    let generated = format!("{FOLDER}/src/generated");
    Ok(vec![
        (format!("{generated}/codes.in"), codes(&entries)?),
        (
            format!("{generated}/entries.in"),
            table(&entries, &kinds, &document.identity)?,
        ),
        (
            "docs/reference/diagnostic-catalog-v0.2.json".to_owned(),
            document.text,
        ),
        (
            "docs/reference/diagnostic-catalog-v0.2.schema.json".to_owned(),
            document::schema()?,
        ),
        (
            "docs/src/reference/diagnostics.md".to_owned(),
            page(&entries)?,
        ),
    ])
}

/// The codes of the catalog by their exit code.
pub(super) fn by_exit(root: &Path) -> Result<BTreeMap<i64, Vec<String>>, Failure> {
    let mut found: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for entry in entries(root)? {
        found.entry(entry.exit()).or_default().push(entry.text);
    }
    Ok(found)
}

fn parsed(root: &Path, name: &str) -> Result<Table, Failure> {
    let path = format!("{FOLDER}/catalog/{name}.toml");
    let text = read(&root.join(&path))?;
    text.parse()
        .map_err(|error| Failure::Found(format!("{path}: {error}")))
}

/// Reads all families; the entries ascend by the bytes of their codes.
fn entries(root: &Path) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    for family in FAMILIES {
        let mut shared = parsed(root, family)?;
        let codes = shared
            .remove("codes")
            .and_then(|codes| codes.as_table().cloned());
        for (name, own) in codes.unwrap_or_default() {
            let mut table = shared.clone();
            table.extend(own.as_table().cloned().unwrap_or_default());
            let text = format!("{family}/{name}");
            entries.push(Entry { text, table });
        }
    }
    entries.extend(checker::entries(root)?);
    entries.sort_by(|one, other| one.text.as_bytes().cmp(other.text.as_bytes()));
    Ok(entries)
}

fn variant(text: &str) -> String {
    let words = text.split(['/', '-']);
    words.map(capitalized).collect()
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn codes(entries: &[Entry]) -> Result<String, Failure> {
    let mut out = "// Written by `cargo xtask generate`.\n\n\
         /// A code of the catalog; what each says stands in the reference.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\npub enum Code {\n"
        .to_owned();
    for entry in entries {
        let cause = first(&entry.texts("causes"), entry, "causes")?.to_owned();
        // Writing to a text cannot fail.
        let _ = write!(
            out,
            "    /// `{}`: {cause}.\n    {},\n",
            entry.text,
            variant(&entry.text)
        );
    }
    out.push_str("}\n");
    Ok(out)
}

fn first<'a>(list: &[&'a str], entry: &Entry, what: &str) -> Result<&'a str, Failure> {
    list.first()
        .copied()
        .ok_or_else(|| Failure::Found(format!("catalog: `{}` has no `{what}`", entry.text)))
}

fn table(entries: &[Entry], kinds: &Table, identity: &str) -> Result<String, Failure> {
    let mut out = format!(
        "// Written by `cargo xtask generate`.\n\n\
         /// The SHA-256 of the published catalog's canonical text, without the member that holds it.\n\
         pub const CATALOG_IDENTITY: &str = {identity:?};\n\n\
         pub(crate) static ENTRIES: &[Entry] = &[\n"
    );
    for entry in entries {
        out.push_str(&row(entry)?);
    }
    out.push_str("];\n\nimpl ActionKind {\n");
    out.push_str(&by_kind(
        kinds,
        "policy_effect",
        "Returns what an action of the kind means for a policy.",
        "&'static str",
    )?);
    out.push_str(&by_kind(
        kinds,
        "obligation_effect",
        "Returns what an action of the kind means for obligations.",
        "&'static str",
    )?);
    out.push_str(&by_kind(
        kinds,
        "preconditions",
        "Returns what must hold before an action of the kind.",
        "&'static [&'static str]",
    )?);
    out.push_str(&by_kind(
        kinds,
        "postconditions",
        "Returns what must hold after an action of the kind.",
        "&'static [&'static str]",
    )?);
    out.push_str("}\n");
    Ok(out)
}

fn row(entry: &Entry) -> Result<String, Failure> {
    let mut actions = String::new();
    for action in entry.actions() {
        let word = |key: &str| action.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = KINDS.iter().find(|(kind, _)| *kind == word("kind"));
        let Some((_, kind)) = kind else {
            return Err(Failure::Found(format!(
                "catalog: `{}` has an action of no kind",
                entry.text
            )));
        };
        let command = action.get("command").and_then(Value::as_array);
        let command: Vec<&str> = command
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let _ = write!(
            actions,
            "Action {{ id: {:?}, kind: ActionKind::{kind}, description: {:?}, command: &{command:?} }}, ",
            word("id"),
            word("text"),
        );
    }
    Ok(format!(
        "    Entry {{ code: Code::{}, text: {:?}, severity: Severity::{}, phase: Phase::{}, exit_code: {}, is_retryable: {}, \
         parameters: &[{}], domain: {:?}, facts: &[{}], wire: &{:?}, causes: &{:?}, fix: {:?}, actions: &[{}] }},\n",
        variant(&entry.text),
        entry.text,
        capitalized(entry.severity()),
        variant(entry.text("phase")?),
        entry.exit(),
        entry.is_retryable(),
        members(&entry.members("parameters")),
        entry.text("domain")?,
        members(&entry.members("facts")),
        entry.texts("wire"),
        entry.texts("causes"),
        entry.text("fix")?,
        actions.trim_end_matches(", "),
    ))
}

fn members(members: &[(&str, &str)]) -> String {
    let rows: Vec<String> = members
        .iter()
        .map(|(name, kind)| {
            format!(
                "Member {{ name: {name:?}, kind: MemberKind::{} }}",
                capitalized(kind)
            )
        })
        .collect();
    rows.join(", ")
}

fn by_kind(kinds: &Table, key: &str, doc: &str, of: &str) -> Result<String, Failure> {
    let mut values = Vec::new();
    for (word, _) in KINDS {
        let value = kinds.get(*word).and_then(|kind| kind.get(key));
        values.push(match value {
            Some(Value::String(text)) => format!("{text:?}"),
            Some(Value::Array(items)) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                format!("&{items:?}")
            }
            _ => {
                return Err(Failure::Found(format!(
                    "catalog: kind `{word}` has no `{key}`"
                )));
            }
        });
    }
    let count = KINDS.len();
    let held = of.replace("'static ", "");
    let rows = values.join(",\n            ");
    Ok(format!(
        "    /// {doc}\n    pub fn {key}(self) -> {of} {{\n        const BY_KIND: [{held}; {count}] = [\n            {rows},\n        ];\n        \
         BY_KIND[self as usize]\n    }}\n"
    ))
}

fn page(entries: &[Entry]) -> Result<String, Failure> {
    let mut page = format!(
        "# Diagnostics\n\n{}Every failure of a session command has one of these codes, on every face, and every refusal of the checker one of the family \
         `checker`, which has [a page of its own](checker-codes.md). `lonis session explain CODE` prints an entry; `{}` holds all of them for programs.\n",
        super::NOTICE,
        "docs/reference/diagnostic-catalog-v0.2.json"
    );
    let mut family = "";
    for entry in entries {
        let own = entry.text.split('/').next().unwrap_or_default();
        if own != family {
            let _ = write!(page, "\n## {own}\n");
            family = own;
        }
        let cause = first(&entry.texts("causes"), entry, "causes")?.to_owned();
        let _ = write!(
            page,
            "\n### `{}` {{#{}}}\n\nExit code {}{}. When {cause}.\n\n",
            entry.text,
            entry.anchor(),
            entry.exit(),
            if entry.is_retryable() {
                "; passes by itself"
            } else {
                ""
            },
        );
        let parameters: Vec<String> = entry
            .members("parameters")
            .iter()
            .map(|(name, kind)| format!("`{name}` ({kind})"))
            .collect();
        if !parameters.is_empty() {
            let _ = writeln!(page, "- Parameters: {}.", parameters.join(", "));
        }
        let _ = writeln!(page, "- What mends it: {}.", entry.text("fix")?);
        for action in entry.actions() {
            let word = |key: &str| action.get(key).and_then(Value::as_str).unwrap_or_default();
            let _ = writeln!(page, "- Next ({}): {}.", word("kind"), word("text"));
        }
    }
    Ok(page)
}
