//! The page of the protocol: what a provider is asked and what it answers, with the members that the schemas have.

use std::fmt::Write as _;

use lonis_schema::schemas;
use serde_json::Value;

/// A larger upper end says no more than the type does.
const MAX_SHOWN: u64 = 1_000_000;

/// What the schemas do not say.
const PREFACE: &str = "A provider is an executable. A host starts it for each question, with these arguments, and reads what it prints. \
    Nothing else is needed: no library, no connection, no state. `lonis conform ./PROVIDER` examines all of it and says how to mend what \
    falls short.\n\n\
    | arguments | stdin | stdout |\n\
    |---|---|---|\n\
    | `--mode json manifest` | nothing | the manifest |\n\
    | `--mode json tools list` | nothing | the list of tools |\n\
    | `--mode json tools describe NAME` | nothing | the contract of one |\n\
    | `--mode MODE call NAME` | the input | blocks |\n\n\
    - `NAME` is the tool's native name, as the list has it. It has no empty segment between `.` or `:`, no control character, no `-` in \
    front, and at most 1024 characters. The id that a host gives it has `:` for each `.`; a name of one segment gets `provider:` in front.\n\
    - `MODE` is `json` from a host; a person or a script may say `ndjson` or `human`.\n\
    - The input is one JSON value, then the end of stdin; no input is `null`. Numbers have the digits that the caller wrote.\n\
    - The environment is empty but for `PATH` and what the registration lists, the working directory an empty private one. A path in an \
    input is absolute.\n\
    - Every answer is UTF-8, and nothing but the answer stands on stdout. What is printed must be flushed: runtimes keep output for a pipe \
    back.\n\
    - Unknown members are errors in a block, and ignored in every other document. A member that is not required may be `null`, as if it \
    were not there; lists, `provenance`, `replay` and `bounds` may not.\n\
    - In the tables a number in parentheses is the most characters of a string, or the most items of an array.\n\
    - JSON is read strictly: a key twice, more than 127 levels, half a surrogate pair, `NaN` and a number that no double holds are \
    errors.\n\n\
    ## Failure\n\n\
    A failure is one JSON object on one line, the last on stderr, and an exit code that is not 0. Bad input is `invalid_input` with 2, an \
    unknown tool `not_found` with 3; [more kinds](errors.md) are common, and a provider may have its own. Exit code 0 is success, whatever \
    stderr says. Without such an object a host reports `tool_failed` with the exit code and the text of stderr.\n\n";
const BLOCKS: &str = "Blocks are printed one after the other, with blanks or line ends between them, or as elements of one array; no output is \
    no block. In `ndjson` each is one line. A host hands a block on when its closing brace is read, so that printing and flushing each one \
    when it is made is all that streaming takes.\n\n\
    A longer text than the limit, or a `when` that is no time, does not lose the block: it is delivered with a warning. A member that is \
    missing, unknown or of the wrong type is an error.\n\n";
const KINDS: &str = "## Kinds\n\n\
    Members in **bold** are required. Another kind is an extension, `NAMESPACE.NAME`, and its data any JSON value.\n\n\
    | kind | data |\n|---|---|\n";
/// The documents besides the block, each with its title.
const DOCUMENTS: [(&str, &str); 4] = [
    ("error", ""),
    (
        "manifest",
        "## Manifest\n\nIts `protocol_version` is `lonis.provider/v1`, its `provider_type` `external-executable`.\n\n",
    ),
    (
        "tools_list",
        "## List\n\nAn object with `tools`, an array of these; `provider` beside it is the provider's name.\n\n",
    ),
    (
        "contract",
        "## Contract\n\nWith an `input_json_schema` a host checks the input before anything is started, and knows what to offer; its `examples` are what `lonis conform` calls with.\n\n",
    ),
];

pub(super) fn page(notice: &str) -> String {
    let mut page = format!("# Protocol of providers\n\n{notice}{PREFACE}");
    for (name, title) in DOCUMENTS {
        page.push_str(title);
        page.push_str(&table(&members(&document(name))));
    }
    let _ = write!(page, "## Blocks\n\n{BLOCKS}");
    page.push_str(&table(&members(&document("block"))));
    page.push_str(KINDS);
    for kind in kinds() {
        let _ = writeln!(page, "| `{}` | {} |", kind.name(), data(&kind.to_value()));
    }
    page
}

/// The schema of a document, or of an entry where the document is a list.
fn document(name: &str) -> Value {
    let schema = schemas::find(name).map_or(Value::Null, schemas::Schema::to_value);
    schema
        .pointer("/$defs/tool")
        .filter(|_| schema.get("properties").is_none())
        .cloned()
        .unwrap_or(schema)
}

fn kinds() -> impl Iterator<Item = &'static schemas::Schema> {
    let is_kind = |schema: &&schemas::Schema| schema.id().contains("lonis.block/");
    schemas::ALL
        .iter()
        .filter(is_kind)
        .filter(|schema| schema.name() != "block" && schema.name() != "extension")
}

/// A member of a document: its dotted name, whether it must be there, and what it may be.
struct Member {
    name: String,
    is_required: bool,
    form: String,
    says: String,
}

fn table(members: &[Member]) -> String {
    let mut table = "| member | required | is | says |\n|---|---|---|---|\n".to_owned();
    for member in members {
        let required = if member.is_required { "yes" } else { "" };
        let _ = writeln!(
            table,
            "| `{}` | {required} | {} | {} |",
            member.name, member.form, member.says
        );
    }
    table.push('\n');
    table
}

/// The members of an object and of the objects in it, the required ones first.
fn members(schema: &Value) -> Vec<Member> {
    let mut found = Vec::new();
    collect(schema, "", &mut found);
    found
}

fn collect(schema: &Value, before: &str, found: &mut Vec<Member>) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    let required = required(schema);
    let first = required
        .iter()
        .filter_map(|name| properties.get_key_value(*name));
    let rest = properties
        .iter()
        .filter(|(name, _)| !required.contains(&name.as_str()));
    for (name, member) in first.chain(rest) {
        let dotted = format!("{before}{name}");
        found.push(Member {
            name: dotted.clone(),
            is_required: required.contains(&name.as_str()),
            form: form(member),
            says: member["description"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        });
        collect(member, &format!("{dotted}."), found);
    }
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// What a value may be, in a few words; in parentheses its most characters or items.
fn form(schema: &Value) -> String {
    if let Some(only) = schema["const"].as_str() {
        return format!("`{only}`");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str);
        let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
        return words.join(" ");
    }
    if schema.get("oneOf").is_some() {
        return "`{\"kind\":…,\"data\":…}`".to_owned();
    }
    let types = &schema["type"];
    let name = types
        .as_str()
        .or_else(|| types.as_array()?.iter().find_map(Value::as_str))
        .unwrap_or(match schema.get("$ref") {
            Some(_) => "object",
            None => "any value",
        });
    let most = schema["maxLength"]
        .as_u64()
        .or_else(|| schema["maxItems"].as_u64());
    let most = most.map_or_else(String::new, |most| format!(" ({most})"));
    let range = match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
        (Some(least), Some(most)) if most <= MAX_SHOWN => format!(" {least} to {most}"),
        _ => String::new(),
    };
    let of = schema
        .get("items")
        .map(|items| format!(" of {}", form(items)));
    format!("{name}{most}{range}{}", of.unwrap_or_default())
}

/// The data of a kind on one line.
fn data(kind: &Value) -> String {
    let mut data = &kind["properties"]["data"];
    if let Some(name) = data["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix("#/$defs/"))
    {
        data = &kind["$defs"][name];
    }
    let top = members(data)
        .into_iter()
        .filter(|member| !member.name.contains('.'));
    let shown = top.map(
        |Member {
             name,
             is_required,
             form,
             ..
         }| {
            if is_required {
                format!("**`{name}`** {form}")
            } else {
                format!("`{name}` {form}")
            }
        },
    );
    shown.collect::<Vec<_>>().join("; ")
}
