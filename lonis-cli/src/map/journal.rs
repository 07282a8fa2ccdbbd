//! The journal of a map: each result is kept when it is known, so that a map that was broken off goes on from there.
//!
//! It is a file of lines that is only added to. A line that was cut, as by a kill, is taken off before more is added.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lonis::{ContentHash, ErrorKind, Json, ToolError};
use serde::{Deserialize, Serialize};

const MARKER: &str = "lonis.map/v1";

/// The first line: of which tool the results are.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    map: String,
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contract_hash: Option<ContentHash>,
}

/// What is read of a result that was kept.
#[derive(Deserialize)]
struct Kept {
    index: u64,
    input_hash: Option<ContentHash>,
    #[serde(default)]
    error: Option<Json>,
}

/// Where a result stands in the file.
#[derive(Debug)]
struct Place {
    input_hash: ContentHash,
    offset: u64,
    length: usize,
}

/// The results that are known already, and the file that further ones go to.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    known: HashMap<u64, Place>,
}

impl Journal {
    /// Opens a journal, or begins one.
    pub(crate) fn open(
        path: &Path,
        tool: &str,
        contract_hash: Option<ContentHash>,
    ) -> Result<Self, ToolError> {
        let header = Header {
            map: MARKER.to_owned(),
            tool: tool.to_owned(),
            contract_hash,
        };
        let opened = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path);
        let mut journal = Self {
            path: path.to_path_buf(),
            file: opened.map_err(|error| unusable(path, &error))?,
            known: HashMap::new(),
        };
        // Two maps on one journal would each call what the other has called.
        if journal.file.try_lock().is_err() {
            return Err(refused(path, "is in use by another map"));
        }
        journal.read(&header)?;
        Ok(journal)
    }

    fn read(&mut self, wanted: &Header) -> Result<(), ToolError> {
        let path = self.path.clone();
        let failed = |error: &io::Error| unusable(&path, error);
        let mut reader = BufReader::new(&self.file);
        let (mut offset, mut line) = (0_u64, Vec::new());
        loop {
            line.clear();
            let read = reader
                .read_until(b'\n', &mut line)
                .map_err(|error| failed(&error))?;
            if line.last() != Some(&b'\n') {
                break;
            }
            if offset == 0 {
                let header: Option<Header> = parsed(&line);
                if header.as_ref() != Some(wanted) {
                    let what = "is no journal of this tool under the contract that it has now";
                    return Err(refused(&path, what));
                }
            } else if let Some(Kept {
                index,
                input_hash: Some(input_hash),
                error: None,
            }) = parsed(&line)
            {
                let length = line.len() - 1;
                let place = Place {
                    input_hash,
                    offset,
                    length,
                };
                self.known.insert(index, place);
            }
            offset += read as u64;
        }
        // What was cut off is no result, and what is added after it would be none either.
        self.file.set_len(offset).map_err(|error| failed(&error))?;
        self.file
            .seek(SeekFrom::End(0))
            .map_err(|error| failed(&error))?;
        if offset == 0 {
            let header = serde_json::to_string(wanted).map_err(|error| failed(&error.into()))?;
            self.add(&header)?;
        }
        Ok(())
    }

    /// Returns the result of an input as it was written, where one is kept that was no failure.
    pub(super) fn known(
        &self,
        index: u64,
        input_hash: ContentHash,
    ) -> Result<Option<String>, ToolError> {
        let Some(place) = self.known.get(&index) else {
            return Ok(None);
        };
        if place.input_hash != input_hash {
            return Ok(None);
        }
        let mut text = vec![0; place.length];
        let read = self.file.read_exact_at(&mut text, place.offset);
        read.map_err(|error| unusable(&self.path, &error))?;
        String::from_utf8(text)
            .map(Some)
            .map_err(|_| refused(&self.path, "is not UTF-8"))
    }

    /// Keeps a line.
    pub(super) fn add(&mut self, line: &str) -> Result<(), ToolError> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| unusable(&self.path, &error))
    }
}

/// Reads a line strictly; what is no such line is nothing.
fn parsed<T: for<'de> Deserialize<'de>>(line: &[u8]) -> Option<T> {
    let document = lonis::json::document(line).ok()?;
    serde_json::from_str(document.text()).ok()
}

fn unusable(path: &Path, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorKind::Io,
        format!("the journal `{}` cannot be used: {error}", path.display()),
    )
}

fn refused(path: &Path, what: &str) -> ToolError {
    ToolError::new(
        ErrorKind::InvalidInput,
        format!("the journal `{}` {what}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> ContentHash {
        Json::parse(text).unwrap().content_hash()
    }

    fn result(index: u64, input: &str, error: &str) -> String {
        format!(
            "{{\"index\":{index},\"input_hash\":\"{}\",\"blocks\":[]{error}}}",
            hash(input)
        )
    }

    #[test]
    fn what_succeeded_is_known_and_what_was_cut_or_failed_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = || Journal::open(&path, "t:x", Some(hash("1")));
        let mut journal = open().unwrap();
        let failed = result(1, "[1]", ",\"error\":{\"kind\":\"timeout\"}");
        for line in [result(0, "[0]", ""), failed.clone(), result(2, "[2]", "")] {
            journal.add(&line).unwrap();
        }
        assert!(open().unwrap_err().message().contains("in use"));
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        let mut journal = open().unwrap();
        assert_eq!(
            journal.known(0, hash("[0]")).unwrap(),
            Some(result(0, "[0]", ""))
        );
        for (index, input) in [(0, "[7]"), (1, "[1]"), (2, "[2]"), (3, "[3]")] {
            assert_eq!(
                journal.known(index, hash(input)).unwrap(),
                None,
                "{index} {input}"
            );
        }
        journal.add(&result(1, "[1]", "")).unwrap();
        drop(journal);
        assert!(open().unwrap().known(1, hash("[1]")).unwrap().is_some());
        for (tool, contract) in [
            ("t:y", Some(hash("1"))),
            ("t:x", Some(hash("2"))),
            ("t:x", None),
        ] {
            let error = Journal::open(&path, tool, contract).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidInput);
        }
    }
}
