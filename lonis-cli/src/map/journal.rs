//! The journal of a map: each result is kept when it is known, so that a map that was broken off goes on from there.
//!
//! It is a file of lines that is only added to. A line that was cut, as by a kill, is taken off before more is added.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lonis::{ContentHash, ErrorKind, Json, ToolError};
use serde::{Deserialize, Serialize};

const MARKER: &str = "lonis.map/v1";
/// The longest line that is kept and read; a longer result is called again.
const MAX_LINE_BYTES: u64 = 64 << 20;
const NOT_OURS: &str = "is no journal of this tool under the contract that it has now";

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
    /// Opens a journal, or begins one; the file that the inputs come from is refused.
    pub(crate) fn open(
        path: &Path,
        tool: &str,
        contract_hash: Option<ContentHash>,
        inputs: Option<&Metadata>,
    ) -> Result<Self, ToolError> {
        // Opening a device may do something already, so that its kind is looked at first.
        if let Ok(metadata) = path.metadata() {
            fits(path, &metadata, inputs)?;
        }
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
        let metadata = journal.file.metadata();
        fits(
            path,
            &metadata.map_err(|error| unusable(path, &error))?,
            inputs,
        )?;
        // Two maps on one journal would each call what the other has called.
        if journal.file.try_lock().is_err() {
            return Err(refused(path, "is in use by another map"));
        }
        journal.read(&header)?;
        Ok(journal)
    }

    /// Reads what is known; nothing is changed before the file is known to be a journal of this tool.
    fn read(&mut self, wanted: &Header) -> Result<(), ToolError> {
        let path = self.path.clone();
        let failed = |error: io::Error| unusable(&path, &error);
        let header = serde_json::to_string(wanted).map_err(|error| failed(error.into()))?;
        let mut reader = BufReader::new(&self.file);
        let (mut offset, mut line) = (0_u64, Vec::new());
        loop {
            line.clear();
            let mut bounded = reader.by_ref().take(MAX_LINE_BYTES);
            let read = bounded.read_until(b'\n', &mut line).map_err(failed)?;
            let is_whole = line.last() == Some(&b'\n');
            let is_ours = match offset {
                0 if is_whole => parsed::<Header>(&line).as_ref() == Some(wanted),
                0 => header.as_bytes().starts_with(&line),
                _ => true,
            };
            if !is_ours {
                return Err(refused(&path, NOT_OURS));
            }
            if !is_whole && read as u64 == MAX_LINE_BYTES {
                let what =
                    format!("has a line longer than the {MAX_LINE_BYTES} bytes that are read");
                return Err(refused(&path, &what));
            }
            if !is_whole {
                break;
            }
            if offset > 0 {
                self.known.extend(place(&line, offset));
            }
            offset += read as u64;
        }
        // What was cut off is no result, and what is added after it would be none either.
        self.file.set_len(offset).map_err(failed)?;
        self.file.seek(SeekFrom::End(0)).map_err(failed)?;
        if offset == 0 {
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

    /// Keeps a line, unless it is longer than what is read again.
    pub(super) fn add(&mut self, line: &str) -> Result<(), ToolError> {
        if line.len() as u64 >= MAX_LINE_BYTES {
            return Ok(());
        }
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| unusable(&self.path, &error))
    }
}

/// Refuses what is no regular file, and the file of the inputs.
fn fits(path: &Path, metadata: &Metadata, inputs: Option<&Metadata>) -> Result<(), ToolError> {
    if !metadata.is_file() {
        return Err(refused(path, "is no regular file"));
    }
    let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    if inputs.is_some_and(|inputs| identity(inputs) == identity(metadata)) {
        return Err(refused(path, "is the file that the inputs are read from"));
    }
    Ok(())
}

/// Returns where the result of a line stands, if it has one that was no failure.
fn place(line: &[u8], offset: u64) -> Option<(u64, Place)> {
    let Kept {
        index,
        input_hash: Some(input_hash),
        error: None,
    } = parsed(line)?
    else {
        return None;
    };
    let length = line.len() - 1;
    let place = Place {
        input_hash,
        offset,
        length,
    };
    Some((index, place))
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
        let open = || Journal::open(&path, "t:x", Some(hash("1")), None);
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
            let error = Journal::open(&path, tool, contract, None).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn what_is_no_journal_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = || Journal::open(&path, "t:x", Some(hash("1")), None);
        drop(open().unwrap());
        let header = std::fs::read_to_string(&path).unwrap();
        let other = header.replace("t:x", "t:y");
        for text in ["a", "a\n", "my notes", other.trim_end(), "\n", " "] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(
                open().unwrap_err().kind(),
                &ErrorKind::InvalidInput,
                "{text:?}"
            );
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        for length in [0, 1, header.len() - 1, header.len()] {
            std::fs::write(&path, &header[..length]).unwrap();
            drop(open().unwrap());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), header);
        }
    }

    #[test]
    fn a_line_without_an_end_is_not_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let open = || Journal::open(&path, "t:x", None, None);
        drop(open().unwrap());
        // The file is sparse: it takes no place.
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(MAX_LINE_BYTES * 1_024).unwrap();
        let error = open().unwrap_err();
        assert!(error.message().contains("67108864"), "{error}");
        assert_eq!(file.metadata().unwrap().len(), MAX_LINE_BYTES * 1_024);
    }

    #[test]
    fn only_a_regular_file_that_is_not_the_inputs_is_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["/dev/full", "/dev/zero", "/dev/null"]
            .map(Path::new)
            .into_iter()
            .chain([folder.path()])
        {
            let error = Journal::open(path, "t:x", None, None).unwrap_err();
            assert!(error.message().contains("no regular file"), "{error}");
        }
        let (path, link) = (folder.path().join("inputs"), folder.path().join("link"));
        std::fs::write(&path, "").unwrap();
        std::fs::hard_link(&path, &link).unwrap();
        let inputs = path.metadata().unwrap();
        let error = Journal::open(&link, "t:x", None, Some(&inputs)).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::InvalidInput);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }
}
