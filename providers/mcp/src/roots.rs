//! The directories that a client names, and the one boundary that none of them lies outside of.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use lonis::Json;
use serde_json::{Value, json};

use crate::code::McpCode;
use crate::exposure::MAX_ROOT_URI_BYTES;
use crate::message::RequestId;
use crate::refusal::Refusal;

/// How often a client that does not answer, or not well, is asked.
const MAX_QUESTIONS: u32 = 3;

/// One directory that the client named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    uri: String,
    path: PathBuf,
}

/// What is known of a client's roots.
#[derive(Debug)]
pub(crate) enum Roots {
    /// The client has none to name: the boundary is the root.
    Implicit,
    /// The client was asked.
    Asked {
        id: RequestId,
        until: Instant,
        questions: u32,
    },
    Known(Vec<Root>),
    /// The last answer is of no use; the next call asks again, a few times.
    Failed {
        refusal: Refusal,
        questions: u32,
    },
}

impl Roots {
    /// How often the client was asked since it last said something of use, where it is to be asked again.
    pub(crate) fn to_ask(&self) -> Option<u32> {
        match self {
            Self::Failed { questions, .. } if *questions < MAX_QUESTIONS => Some(*questions),
            _ => None,
        }
    }

    pub(crate) fn until(&self) -> Option<Instant> {
        match self {
            Self::Asked { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// Finds the directory of a call; `None` while the client has still to answer.
    pub(crate) fn find(
        &self,
        wish: Option<&str>,
        boundary: &Path,
    ) -> Option<Result<PathBuf, Refusal>> {
        Some(match self {
            Self::Asked { .. } => return None,
            Self::Failed { refusal, .. } => Err(refusal.clone()),
            Self::Implicit => match wish {
                None => Ok(boundary.to_owned()),
                Some(wish) => beneath(wish, boundary).map_err(unknown),
            },
            Self::Known(roots) => match (wish, &roots[..]) {
                (None, [root]) => Ok(root.path.clone()),
                (None, roots) => {
                    let count = roots.len();
                    let message = format!("the client has {count} roots, and the call names none");
                    Err(Refusal::new(McpCode::RootRequired, message).with("roots", count))
                }
                (Some(wish), roots) => {
                    let root = roots.iter().find(|root| root.uri == wish);
                    root.map(|root| root.path.clone())
                        .ok_or_else(|| unknown("unknown"))
                }
            },
        })
    }

    /// Takes the client's answer.
    pub(crate) fn answered(
        result: &Result<Json, Json>,
        questions: u32,
        boundary: &Path,
        max_roots: usize,
    ) -> Self {
        let failed = |rejected: Value| {
            let refusal = Refusal::new(
                McpCode::RootsInvalid,
                "the roots of the client cannot be used",
            );
            Self::Failed {
                refusal: refusal.with("rejected", rejected),
                questions,
            }
        };
        let answer = match result {
            Ok(answer) => answer.to_value(),
            Err(_) => return failed(json!([{"index": null, "reason": "error"}])),
        };
        let Some(entries) = answer["roots"].as_array() else {
            return failed(json!([{"index": null, "reason": "shape"}]));
        };
        if entries.len() > max_roots {
            return failed(json!([{"index": max_roots, "reason": "too-many"}]));
        }
        let (mut roots, mut rejected) = (Vec::<Root>::new(), Vec::new());
        for (index, entry) in entries.iter().enumerate() {
            let read = entry["uri"].as_str().ok_or("shape").and_then(|uri| {
                let path = beneath_uri(uri, boundary)?;
                let is_known = roots.iter().any(|root| root.path == path);
                if is_known {
                    Err("repeated")
                } else {
                    Ok((uri, path))
                }
            });
            match read {
                Ok((uri, path)) => roots.push(Root {
                    uri: uri.to_owned(),
                    path,
                }),
                Err(reason) => rejected.push(json!({"index": index, "reason": reason})),
            }
        }
        if rejected.is_empty() {
            Self::Known(roots)
        } else {
            failed(rejected.into())
        }
    }
}

/// Makes the state of a client that did not answer in time.
pub(crate) fn silent(questions: u32, limit_millis: u64) -> Roots {
    let message = format!("the client did not name its roots within {limit_millis} ms");
    let refusal = Refusal::new(McpCode::RootsTimeout, message).with("limit", limit_millis);
    Roots::Failed { refusal, questions }
}

fn unknown(reason: &str) -> Refusal {
    Refusal::new(
        McpCode::RootUnknown,
        "the call names a root that is none of the client's",
    )
    .with("reason", reason)
}

/// Resolves what names a directory: a `file:` URI, or a path beneath the boundary.
fn beneath(wish: &str, boundary: &Path) -> Result<PathBuf, &'static str> {
    let has_scheme = wish
        .split(['/', '\\'])
        .next()
        .is_some_and(|first| first.contains(':'));
    if has_scheme {
        return beneath_uri(wish, boundary);
    }
    if wish.len() > MAX_ROOT_URI_BYTES {
        return Err("too-long");
    }
    let path = Path::new(wish);
    if !is_inner(path) {
        return Err("outside");
    }
    inside(&boundary.join(path), boundary)
}

fn beneath_uri(uri: &str, boundary: &Path) -> Result<PathBuf, &'static str> {
    inside(&path_of(uri)?, boundary)
}

/// Resolves a path, links included, to a directory inside the boundary.
fn inside(path: &Path, boundary: &Path) -> Result<PathBuf, &'static str> {
    let resolved = path.canonicalize().map_err(|_| "missing")?;
    if !resolved.starts_with(boundary) {
        return Err("outside");
    }
    if !resolved.is_dir() {
        return Err("not-a-directory");
    }
    if resolved.to_str().is_none() {
        return Err("not-utf8");
    }
    Ok(resolved)
}

/// Whether a path stays beneath where it starts, as it is written.
pub(crate) fn is_inner(path: &Path) -> bool {
    let mut steps = path.components();
    steps.all(|step| matches!(step, Component::Normal(_) | Component::CurDir))
}

/// Reads a local `file:` URI.
fn path_of(uri: &str) -> Result<PathBuf, &'static str> {
    if uri.len() > MAX_ROOT_URI_BYTES {
        return Err("too-long");
    }
    let (scheme, rest) = uri.split_once(':').ok_or("scheme")?;
    if !scheme.eq_ignore_ascii_case("file") {
        return Err("scheme");
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let start = rest.find('/').ok_or("shape")?;
            let host = &rest[..start];
            if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
                return Err("host");
            }
            &rest[start..]
        }
        None => rest,
    };
    if !path.starts_with('/') {
        return Err("shape");
    }
    if path.contains(['?', '#']) {
        return Err("query");
    }
    let bytes = decoded(path)?;
    if bytes.contains(&0) {
        return Err("encoding");
    }
    if std::str::from_utf8(&bytes).is_err() {
        return Err("not-utf8");
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}

/// Decodes `%XX`.
fn decoded(text: &str) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            let digit = char::from(rest.next()?).to_digit(16)?;
            u8::try_from(digit).ok()
        };
        let (high, low) = (digit().ok_or("encoding")?, digit().ok_or("encoding")?);
        bytes.push(high << 4 | low);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
