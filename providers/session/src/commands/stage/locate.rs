//! Definitions of languages without a grammar here, by the tools that the policy names.

use std::collections::BTreeMap;

use lonis::{Block, BlockKind, Call};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::commands::Surroundings;
use crate::patch::definition::{Locate, Located};
use crate::path::WorkspacePath;

/// The tools of `[languages]`.
pub(super) struct Tools<'a> {
    pub(super) languages: &'a BTreeMap<String, String>,
    pub(super) surroundings: &'a Surroundings,
}

/// One definition as a tool answers it.
#[derive(Deserialize)]
struct Answered {
    path: Vec<String>,
    kind: String,
    start: usize,
    end: usize,
}

impl Locate for Tools<'_> {
    fn language_of(&self, path: &WorkspacePath) -> Option<String> {
        let (_, extension) = path.name().rsplit_once('.')?;
        let known = self.languages.contains_key(extension);
        known.then(|| extension.to_owned())
    }

    fn locate(
        &self,
        language: &str,
        path: &WorkspacePath,
        text: &str,
    ) -> Option<Result<Vec<Located>, String>> {
        let id = self.languages.get(language)?;
        Some(self.ask(id, path, text))
    }
}

impl Tools<'_> {
    fn ask(&self, id: &str, path: &WorkspacePath, text: &str) -> Result<Vec<Located>, String> {
        let Surroundings {
            registry, hashes, ..
        } = self.surroundings;
        let hosted = registry
            .find(id, hashes)
            .map_err(|error| error.to_string())?;
        let call = Call::new(json!({"text": text, "path": path})).without_pauses();
        let blocks = hosted
            .tool
            .start(call)
            .and_then(lonis::BlockStream::collect_blocks);
        let blocks = blocks.map_err(|error| format!("tool `{id}`: {}", error.message()))?;
        let found = definitions(blocks.last())
            .ok_or_else(|| format!("tool `{id}` answers no `definitions`"))?;
        found
            .into_iter()
            .map(|one| one.located(text))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("tool `{id}` names bytes that are no part of the text"))
    }
}

/// What the last block says; a plain command line has its answer in `output`.
fn definitions(block: Option<&Block<BlockKind>>) -> Option<Vec<Answered>> {
    let block = json!(block?);
    let data = &block["payload"]["data"];
    let list = [data, &data["output"]]
        .into_iter()
        .map(|answer| &answer["definitions"])
        .find(|list| list.is_array());
    serde_json::from_value(list.map_or(Value::Null, Value::clone)).ok()
}

impl Answered {
    /// The definition, if its bytes are whole characters of the text.
    fn located(self, text: &str) -> Option<Located> {
        let range = self.start..self.end;
        let is_within = text.get(range.clone()).is_some() && !self.path.is_empty();
        is_within.then_some(Located {
            path: self.path,
            kind: self.kind,
            range,
        })
    }
}
