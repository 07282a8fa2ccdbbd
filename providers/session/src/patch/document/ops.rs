//! Reading one op.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::reader::{Members, Refused};
use super::target::{read_anchor, read_target};
use super::{
    Action, Content, DefinitionChange, DefinitionEdit, Format, MAX_STRUCTURED_DEPTH,
    MAX_TEXT_BYTES, Op, Pointer, PreImage, ReplaceRange, ReplaceText, StructuredEdit, Tier,
    ValueChange, check_link, read_path,
};
use crate::patch::failure::Failure;
use crate::patch::report::{Report, clipped};
use crate::path::WorkspacePath;

/// Files in which one rename replaces a name.
const MAX_ALSO: usize = 1024;

/// The ops, in the order in which people think of them.
pub(crate) const OPS: &[&str] = &[
    "create-file",
    "replace-file",
    "delete-file",
    "move-file",
    "set-executable",
    "replace-text",
    "replace-range",
    "set-key",
    "remove-key",
    "append-item",
    "replace-definition",
    "insert-definition",
    "delete-definition",
    "rename-definition",
];

/// A path within an op that no patch may name.
type BadPath = (String, Failure);

/// Reads one op; paths that no patch may name are added to `paths`, and the op is left out.
pub(super) fn read(
    ordinal: usize,
    sent: &Value,
    made: &mut HashSet<WorkspacePath>,
    paths: &mut Vec<Report>,
) -> Result<Option<Op>, Refused> {
    let mut members = Members::at(format!("/ops/{ordinal}"), sent)?;
    let name = members.string("op")?;
    let path_text = members.string("path")?;
    let path = read_path(path_text).map_err(|failure| (path_text.to_owned(), failure));
    let pre = read_pre(&mut members)?;
    let action = read_action(name, &mut members)?;
    members.close()?;
    let checked = path.and_then(|path| {
        let action = action?;
        if let Action::CreateFile {
            content: Content::Link(text),
            ..
        } = &action
        {
            check_link(&path, text).map_err(|failure| (path_text.to_owned(), failure))?;
        }
        Ok((path, action))
    });
    let (path, action) = match checked {
        Ok(checked) => checked,
        Err((text, failure)) => {
            paths.push(Report::new(ordinal, name, &text, failure));
            return Ok(None);
        }
    };
    if pre.is_none() && needs_pre(&action) && !made.contains(&path) {
        return Err(members.refuse("pre", "is required here"));
    }
    note_made(made, &path, &action);
    Ok(Some(Op {
        path,
        pre,
        action,
        sent: Some(sent.clone()),
    }))
}

/// Whether no text, key or name says what is meant.
const fn needs_pre(action: &Action) -> bool {
    match action {
        Action::ReplaceFile { .. } | Action::DeleteFile | Action::MoveFile { .. } => true,
        Action::ReplaceRange(range) => range.old.is_none(),
        _ => false,
    }
}

/// Keeps which files the patch itself makes: they have no state before it.
fn note_made(made: &mut HashSet<WorkspacePath>, path: &WorkspacePath, action: &Action) {
    match action {
        Action::CreateFile { .. } => {
            made.insert(path.clone());
        }
        Action::MoveFile { to } if made.remove(path) => {
            made.insert(to.clone());
        }
        Action::DeleteFile => {
            made.remove(path);
        }
        _ => {}
    }
}

fn read_action(name: &str, members: &mut Members<'_>) -> Result<Result<Action, BadPath>, Refused> {
    let action = match name {
        "create-file" => create_file(members)?,
        "replace-file" => match read_content(members, false)? {
            Content::Bytes(content) => Action::ReplaceFile { content },
            Content::Link(_) => return Err(members.refuse("content", "a link is not replaced")),
        },
        "delete-file" => Action::DeleteFile,
        "move-file" => {
            let text = members.string("to")?;
            let moved = read_path(text).map_err(|failure| (text.to_owned(), failure));
            return Ok(moved.map(|to| Action::MoveFile { to }));
        }
        "set-executable" => {
            members.required("executable")?;
            let executable = members.flag("executable", false)?;
            Action::SetExecutable { executable }
        }
        "replace-text" => Action::ReplaceText(replace_text(members)?),
        "replace-range" => Action::ReplaceRange(replace_range(members)?),
        "set-key" | "remove-key" | "append-item" => Action::Structured(structured(name, members)?),
        "replace-definition" | "insert-definition" | "delete-definition" => {
            let language = read_language(members)?;
            let change = definition_change(name, members)?;
            Action::Definition(DefinitionEdit { language, change })
        }
        "rename-definition" => return rename(members),
        _ => return Err(members.refuse("op", no_op(name))),
    };
    Ok(Ok(action))
}

/// Says which ops there are, the most similar one first where a slip is likely.
fn no_op(name: &str) -> String {
    let known: Vec<String> = OPS.iter().map(|op| format!("`{op}`")).collect();
    let known = known.join(", ");
    let name = clipped(name, 80);
    let nearest = OPS
        .iter()
        .map(|op| (strsim::damerau_levenshtein(op, &name), op))
        .min()
        .filter(|(distance, op)| distance * 3 <= op.len());
    match nearest {
        Some((_, op)) => format!("`{name}` is no op, did you mean `{op}`? There are {known}"),
        None => format!("`{name}` is no op, there are {known}"),
    }
}

fn read_pre(members: &mut Members<'_>) -> Result<Option<PreImage>, Refused> {
    let Some(text) = members.optional_string("pre")? else {
        return Ok(None);
    };
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let pre = match text.split_once(':') {
        Some(("blob", digits)) => digits.parse().ok().map(PreImage::Blob),
        Some(("sha256", digits))
            if digits.len() == 64 && digits.as_bytes().iter().all(is_digit) =>
        {
            Some(PreImage::Sha256(digits.to_owned()))
        }
        _ => None,
    };
    let rule = "expected `blob:` or `sha256:` and 64 lowercase hexadecimal digits";
    pre.map(Some).ok_or_else(|| members.refuse("pre", rule))
}

fn create_file(members: &mut Members<'_>) -> Result<Action, Refused> {
    let given = members.optional("executable").is_some();
    let executable = members.flag("executable", false)?;
    let content = read_content(members, true)?;
    if given && matches!(content, Content::Link(_)) {
        return Err(members.refuse("executable", "a link has no execute bit"));
    }
    members.forbid("pre", "a file that is made has no state before")?;
    Ok(Action::CreateFile {
        content,
        executable,
    })
}

fn read_content(members: &mut Members<'_>, may_link: bool) -> Result<Content, Refused> {
    let value = members.required("content")?;
    let mut content = Members::at(members.pointer("content"), value)?;
    let text = content.optional_string("text")?;
    let base64 = content.optional_string("base64")?;
    let link = if may_link {
        content.optional_string("link")?
    } else {
        None
    };
    content.close()?;
    let read = match (text, base64, link) {
        (Some(text), None, None) => Content::Bytes(text.as_bytes().to_vec()),
        (None, Some(base64), None) => {
            let bytes = STANDARD.decode(base64);
            Content::Bytes(bytes.map_err(|_| content.refuse("base64", "expected padded base64"))?)
        }
        (None, None, Some(link)) => Content::Link(link.to_owned()),
        _ => return Err(content.refuse_all("expected exactly one kind of content")),
    };
    if let Content::Bytes(bytes) = &read {
        members.limit("content", MAX_TEXT_BYTES, bytes.len())?;
    }
    Ok(read)
}

fn read_newline(members: &mut Members<'_>) -> Result<bool, Refused> {
    let exact = members.word("newline", &[("file", false), ("exact", true)])?;
    Ok(exact.unwrap_or(false))
}

fn read_language(members: &mut Members<'_>) -> Result<Option<String>, Refused> {
    Ok(members.optional_string("language")?.map(str::to_owned))
}

fn replace_text(members: &mut Members<'_>) -> Result<ReplaceText, Refused> {
    let find = members.text("find")?;
    if find.is_empty() {
        return Err(members.refuse("find", "is not empty"));
    }
    let tiers = [Tier::Exact, Tier::Trailing, Tier::Indent, Tier::Punctuation];
    let tiers = tiers.map(|tier| (tier.name(), tier));
    let within = match members.optional("within") {
        None => None,
        Some(value) => Some(read_target(members.pointer("within"), value)?),
    };
    let language = read_language(members)?;
    if language.is_some() && within.is_none() {
        return Err(members.refuse("language", "goes with `within`"));
    }
    Ok(ReplaceText {
        find,
        replace: members.text("replace")?,
        occurrence: members.occurrence()?,
        exact_newlines: read_newline(members)?,
        tier: members.word("match", &tiers)?.unwrap_or(Tier::Indent),
        within,
        language,
    })
}

fn replace_range(members: &mut Members<'_>) -> Result<ReplaceRange, Refused> {
    let start_line = members.number("start_line", 1)?;
    let end_line = members.number("end_line", 0)?;
    if end_line + 1 < start_line {
        return Err(members.refuse("end_line", "is at least `start_line` less one"));
    }
    let old = members.optional_string("old")?.map(str::to_owned);
    if let Some(old) = &old {
        members.limit("old", MAX_TEXT_BYTES, old.len())?;
        if end_line < start_line {
            return Err(members.refuse(
                "old",
                "an insertion has no old lines: name the file by `pre`",
            ));
        }
    }
    Ok(ReplaceRange {
        start_line,
        end_line,
        text: members.text("text")?,
        old,
        exact_newlines: read_newline(members)?,
    })
}

fn structured(name: &str, members: &mut Members<'_>) -> Result<StructuredEdit, Refused> {
    let formats = [Format::Json, Format::Toml, Format::Yaml];
    let format = members.word("format", &formats.map(|format| (format.name(), format)))?;
    let text = members.string("pointer")?;
    let pointer = Pointer::parse(text);
    let pointer = pointer.ok_or_else(|| members.refuse("pointer", "expected a JSON Pointer"))?;
    let mut depth = pointer.tokens().len();
    check_depth(members, "pointer", depth)?;
    let mut old = None;
    let change = match name {
        "append-item" => ValueChange::Append {
            value: members.required("value")?.clone(),
        },
        "remove-key" => {
            if pointer.tokens().is_empty() {
                return Err(members.refuse("pointer", "the whole document cannot be removed"));
            }
            old = members.optional("old").cloned();
            ValueChange::Remove
        }
        _ => {
            old = members.optional("old").cloned();
            ValueChange::Set {
                value: members.required("value")?.clone(),
                create_parents: members.flag("create_parents", false)?,
            }
        }
    };
    if let ValueChange::Set { value, .. } | ValueChange::Append { value } = &change {
        depth += usize::from(name == "append-item") + levels(value);
        check_depth(members, "value", depth)?;
    }
    Ok(StructuredEdit {
        format,
        pointer,
        old,
        change,
        rounded: None,
    })
}

/// Holds the depth that an edit of a structured file reaches with one of its members.
fn check_depth(members: &Members<'_>, name: &str, depth: usize) -> Result<(), Refused> {
    if depth <= MAX_STRUCTURED_DEPTH {
        return Ok(());
    }
    Err(Refused(Failure::Limit {
        what: format!("the depth that `{}` reaches", members.pointer(name)),
        limit: MAX_STRUCTURED_DEPTH as u64,
        observed: depth as u64,
    }))
}

/// How many lists and objects lie in each other, the value itself counted; a value that was sent is no deeper than the wire allows.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(levels).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

fn definition_change(name: &str, members: &mut Members<'_>) -> Result<DefinitionChange, Refused> {
    if name == "insert-definition" {
        let anchor = read_anchor(members)?;
        let text = definition_text(members)?;
        return Ok(DefinitionChange::Insert { anchor, text });
    }
    let value = members.required("target")?;
    let target = read_target(members.pointer("target"), value)?;
    Ok(match name {
        "replace-definition" => DefinitionChange::Replace {
            target,
            text: definition_text(members)?,
        },
        _ => DefinitionChange::Delete { target },
    })
}

fn definition_text(members: &mut Members<'_>) -> Result<String, Refused> {
    let text = members.text("text")?;
    if text.trim().is_empty() {
        return Err(members.refuse("text", "is not empty"));
    }
    Ok(text)
}

fn rename(members: &mut Members<'_>) -> Result<Result<Action, BadPath>, Refused> {
    let language = read_language(members)?;
    let value = members.required("target")?;
    let target = read_target(members.pointer("target"), value)?;
    let to = members.string("to")?.to_owned();
    if !is_identifier(&to) {
        return Err(members.refuse("to", "is an identifier"));
    }
    let mut also = Vec::new();
    if members.optional("also").is_some() {
        let list = members.array("also")?;
        members.limit("also", MAX_ALSO, list.len())?;
        for value in list {
            let Some(text) = value.as_str() else {
                return Err(members.refuse("also", "expected paths"));
            };
            match read_path(text) {
                Ok(path) => also.push(path),
                Err(failure) => return Ok(Err((text.to_owned(), failure))),
            }
        }
    }
    let change = DefinitionChange::Rename { target, to, also };
    Ok(Ok(Action::Definition(DefinitionEdit { language, change })))
}

fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    let is_start = |first: char| first.is_alphabetic() || first == '_' || first == '$';
    characters.next().is_some_and(is_start)
        && characters.all(|rest| rest.is_alphanumeric() || rest == '_' || rest == '$')
}
