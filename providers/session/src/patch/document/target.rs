//! Reading what names a definition.

use serde_json::Value;

use super::reader::{Members, Refused};
use super::{Anchor, Target};
use crate::patch::definition::MAX_NAMES;

/// Reads the member `anchor`.
pub(super) fn read_anchor(members: &mut Members<'_>) -> Result<Anchor, Refused> {
    let value = members.required("anchor")?;
    match value.as_str() {
        Some("first") => return Ok(Anchor::First),
        Some("last") => return Ok(Anchor::Last),
        _ => {}
    }
    let mut anchor = Members::at(members.pointer("anchor"), value)?;
    let before = anchor.optional("before");
    let after = anchor.optional("after");
    let into = anchor.optional("into");
    anchor.close()?;
    let target = |name, value| read_target(anchor.pointer(name), value);
    match (before, after, into) {
        (Some(value), None, None) => Ok(Anchor::Before(target("before", value)?)),
        (None, Some(value), None) => Ok(Anchor::After(target("after", value)?)),
        (None, None, Some(value)) => Ok(Anchor::Into(target("into", value)?)),
        _ => Err(anchor.refuse_all("expected `first`, `last` or one of `before`, `after`, `into`")),
    }
}

/// Reads a target.
pub(super) fn read_target(pointer: String, value: &Value) -> Result<Target, Refused> {
    let mut members = Members::at(pointer, value)?;
    let list = members.array("path")?;
    members.limit("path", MAX_NAMES, list.len())?;
    let name = |value: &Value| {
        value
            .as_str()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    let path: Option<Vec<String>> = list.iter().map(name).collect();
    let path = path.filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| members.refuse("path", "expected names, from the outermost"))?;
    let kind = members.optional_string("kind")?.map(str::to_owned);
    let occurrence = members.occurrence()?;
    let old = members.optional_string("old")?.map(str::to_owned);
    let mut blob = None;
    if let Some(text) = members.optional_string("blob")? {
        let digits = text.strip_prefix("blob:").unwrap_or(text);
        let read = digits.parse().ok();
        let rule = "expected 64 lowercase hexadecimal digits";
        blob = Some(read.ok_or_else(|| members.refuse("blob", rule))?);
    }
    if old.is_some() && blob.is_some() {
        return Err(members.refuse("blob", "goes without `old`"));
    }
    members.close()?;
    Ok(Target {
        path,
        kind,
        occurrence,
        old,
        blob,
    })
}
