//! Reading `env.json`.

use super::{
    EntryBody, EntryField, EntryPayload, EntryShape, EntryVariant, Environment, Filler, TypeEntry,
    kernel,
};
use crate::hash::Digest;
use crate::json::{At, Json, Malformed};
use crate::syntax::{Name, Names, TokenKind};

/// Reads the type environment of a program.
///
/// # Wire shape
/// `{"types":[{"name":…,"params":[…],"strategy":{"tag":"Structural"},"body":…}]}`; beside `body` may stand `"formal"`.
///
/// # Errors
/// When the text is not JSON, a key is missing or unknown, a value has the wrong type, or the declarations make no sense.
pub fn read(bytes: &[u8], names: &mut Names) -> Result<Environment, Malformed> {
    let json = Json::read(bytes).map_err(|error| Malformed {
        place: "$".to_owned(),
        message: error.to_string(),
    })?;
    let root = At::root(&json);
    let types = root.members(&["types"], &[])?.get("types")?;
    let entries = types.entries()?.map(|at| entry(&at, names));
    let entries = entries.collect::<Result<Vec<_>, _>>()?;
    let mut environment = kernel::environment(names);
    let declared = environment.declare(entries, names);
    declared.map_err(|error| Malformed {
        place: format!("$.types[{}]", error.entry),
        message: error.to_string(),
    })?;
    Ok(environment)
}

fn entry(at: &At<'_>, names: &mut Names) -> Result<TypeEntry, Malformed> {
    let members = at.members(&["name", "params", "strategy", "body"], &["formal"])?;
    let strategy = members.get("strategy")?;
    let tag = strategy.variant()?;
    if !matches!(tag.tag, "Structural" | "Opaque") || tag.value.is_some() {
        return Err(strategy.malformed("must be `Structural` or `Opaque`"));
    }
    let params = members.get("params")?;
    let params = params.entries()?.map(|at| ident(&at, names));
    let params = params.collect::<Result<_, _>>()?;
    let formal = members.find("formal").map(|at| digest(&at)).transpose()?;
    Ok(TypeEntry {
        name: type_name(&members.get("name")?, names)?,
        params,
        body: body(&members.get("body")?, names)?,
        formal,
    })
}

fn digest(at: &At<'_>) -> Result<Digest, Malformed> {
    Digest::parse(at.text()?).map_err(|error| at.malformed(format!("is no digest: {error}")))
}

fn body(at: &At<'_>, names: &mut Names) -> Result<EntryBody, Malformed> {
    let variant = at.variant()?;
    Ok(match (variant.tag, variant.value) {
        ("OpaqueBody", None) => EntryBody::Opaque,
        ("Alias", Some(value)) => {
            let ty = value.members(&["ty"], &[])?.get("ty")?;
            EntryBody::Alias(shape(&ty, names)?)
        }
        ("Record", Some(value)) => {
            let list = value.members(&["fields"], &[])?.get("fields")?;
            EntryBody::Record(fields(&list, names)?)
        }
        ("Sum", Some(value)) => {
            let list = value.members(&["variants"], &[])?.get("variants")?;
            let variants = list.entries()?.map(|at| sum_variant(&at, names));
            EntryBody::Sum(variants.collect::<Result<_, _>>()?)
        }
        _ => return Err(at.malformed("must be `Record`, `Sum`, `OpaqueBody` or `Alias`")),
    })
}

fn fields(list: &At<'_>, names: &mut Names) -> Result<Vec<EntryField>, Malformed> {
    list.entries()?.map(|at| field(&at, names)).collect()
}

fn field(at: &At<'_>, names: &mut Names) -> Result<EntryField, Malformed> {
    let members = at.members(&["name", "shape", "ignored"], &[])?;
    let default = members.get("ignored")?;
    let ignored = default
        .option()?
        .map(|at| ignored(&at, names))
        .transpose()?;
    Ok(EntryField {
        name: ident(&members.get("name")?, names)?,
        shape: shape(&members.get("shape")?, names)?,
        ignored,
    })
}

fn ignored(at: &At<'_>, names: &mut Names) -> Result<Filler, Malformed> {
    let variant = at.variant()?;
    match (variant.tag, variant.value) {
        ("Const", Some(value)) => {
            let constant = value.members(&["value"], &[])?.get("value")?;
            Ok(Filler::Constant(constant.json().clone()))
        }
        ("CopyField", Some(value)) => {
            let source = value.members(&["field"], &[])?.get("field")?;
            Ok(Filler::Copy(ident(&source, names)?))
        }
        _ => Err(at.malformed("must be `Const` or `CopyField`")),
    }
}

fn sum_variant(at: &At<'_>, names: &mut Names) -> Result<EntryVariant, Malformed> {
    let members = at.members(&["name", "payload"], &["fields"])?;
    let payload = members.get("payload")?;
    let payload = payload.option()?.map(|at| shape(&at, names)).transpose()?;
    let inline = match members.find("fields") {
        Some(list) => list.option()?.map(|at| fields(&at, names)).transpose()?,
        None => None,
    };
    let payload = match (payload, inline) {
        (None, None) => EntryPayload::Empty,
        (Some(shape), None) => EntryPayload::Value(shape),
        (None, Some(fields)) => EntryPayload::Record(fields),
        (Some(_), Some(_)) => return Err(at.malformed("has both a payload and fields")),
    };
    Ok(EntryVariant {
        name: type_name(&members.get("name")?, names)?,
        payload,
    })
}

fn shape(at: &At<'_>, names: &mut Names) -> Result<EntryShape, Malformed> {
    let variant = at.variant()?;
    match (variant.tag, variant.value) {
        ("SVar", Some(value)) => {
            let name = value.members(&["name"], &[])?.get("name")?;
            Ok(EntryShape::Variable(ident(&name, names)?))
        }
        ("SCon", Some(value)) => {
            let members = value.members(&["name", "args"], &[])?;
            let arguments = members.get("args")?;
            let arguments = arguments.entries()?.map(|at| shape(&at, names));
            let arguments = arguments.collect::<Result<_, _>>()?;
            let name = type_name(&members.get("name")?, names)?;
            Ok(EntryShape::Type(name, arguments))
        }
        ("SArrow", Some(_)) => Ok(EntryShape::Function),
        _ => Err(at.malformed("must be `SCon`, `SVar` or `SArrow`")),
    }
}

fn ident(at: &At<'_>, names: &mut Names) -> Result<Name, Malformed> {
    let text = at.text()?;
    let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    let is_ident = begins && text.bytes().all(is_part);
    if !is_ident || TokenKind::keyword(text.as_bytes()).is_some() {
        return Err(at.malformed(format!("must be a lowercase name, `{text}` is none")));
    }
    Ok(names.intern(text))
}

fn type_name(at: &At<'_>, names: &mut Names) -> Result<Name, Malformed> {
    let text = at.text()?;
    let begins = text.starts_with(|first: char| first.is_ascii_uppercase());
    if !begins || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(at.malformed(format!("must be the name of a type, `{text}` is none")));
    }
    Ok(names.intern(text))
}
