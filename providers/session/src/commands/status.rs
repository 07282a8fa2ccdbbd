//! `status`: a session, and what its current snapshot holds.

mod facts;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lonis_diagnostics::Failure;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Surroundings;
use super::left_out::LeftOut;
use super::place::{Place, Session, shown};
use crate::diagnose::During;
use crate::identity::Domain;
use crate::request::{Request, page};
use crate::snapshot::manifest::{self, Manifest};
use crate::snapshot::tree::Node;
use crate::store::objects::ReadObjects;
use crate::store::stored::StoredObjects;

/// Left-out paths of one page.
const PAGE: usize = 1000;
/// The most bytes of content in one result; what does not fit is left to a further call.
const MAX_CONTENT_BYTES: usize = 256 * 1024;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let place = Place::open(request, surroundings, during)?;
    let session = place.session(request.session(during)?, request)?;
    let store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let mut data = json!({"transaction": shown(&session.record)});
    if request.paths.is_some() {
        let policy = place.policy(&session.record, &store)?;
        let rules = policy.file_rules().map_err(|error| during.fail(error))?;
        let left_out = LeftOut::new(&place.live, rules);
        data["entries"] = entries(request, &session, (&store, &left_out), during)?;
    }
    if request.excluded {
        let policy = place.policy(&session.record, &store)?;
        let rules = policy.file_rules().map_err(|error| during.fail(error))?;
        let set = place
            .live
            .file_set(&rules)
            .map_err(|error| during.fail(error))?;
        let page = page(set.excluded, request.cursor.as_deref(), PAGE, during)?;
        data["excluded"] = json!(page.items);
        data["next_cursor"] = json!(page.next_cursor);
    }
    if request.identity.is_some() {
        let snapshot = Manifest::load(&store, &session.record.current_snapshot)
            .map_err(|error| during.fail(error))?;
        let identity = snapshot
            .flat_identity()
            .map_err(|error| during.fail(error))?;
        data["identity_v01"] = json!(identity);
    }
    Ok(data)
}

fn entries(
    request: &Request,
    session: &Session,
    (store, left_out): (&StoredObjects<'_>, &LeftOut<'_>),
    during: During<'_>,
) -> Result<Value, Failure> {
    let mut entries = Vec::new();
    let mut room = Room(MAX_CONTENT_BYTES);
    for path in request.workspace_paths(during)? {
        let entry = manifest::lookup(store, &session.record.current_snapshot, &path)
            .map_err(|error| during.fail(error))?;
        entries.push(match entry {
            None => match left_out.reason(&path) {
                Some(reason) => json!({"path": path, "kind": "not-captured", "reason": reason}),
                None => json!({"path": path, "kind": "absent"}),
            },
            Some(Node::Tree { files, .. }) => {
                json!({"path": path, "kind": "directory", "files": files})
            }
            Some(Node::Leaf(entry)) => {
                let bytes = store
                    .read(Domain::Blob, &entry.blob())
                    .map_err(|error| during.fail(error))?;
                let mut value = json!(entry);
                value["path"] = json!(path);
                value["sha256"] = sha256(&bytes).into();
                if request.read.is_some() && !entry.is_link() {
                    facts::add(&mut value, &path, &bytes);
                }
                if request.read.as_deref() == Some("content") {
                    value["content"] = room.content(&bytes);
                    if value["content"].is_null() {
                        value["omitted"]["content"] = bytes.len().into();
                    }
                }
                value
            }
        });
    }
    Ok(json!(entries))
}

/// The bytes that one result still has room for.
struct Room(usize);

impl Room {
    /// Bytes as JSON can hold them exactly; nothing where there is no room for them.
    fn content(&mut self, bytes: &[u8]) -> Value {
        if bytes.len() > self.0 {
            return Value::Null;
        }
        self.0 -= bytes.len();
        match std::str::from_utf8(bytes) {
            Ok(text) => json!({"text": text}),
            Err(_) => json!({"base64": STANDARD.encode(bytes)}),
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
