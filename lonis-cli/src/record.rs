//! Where the record of a call goes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lonis::{Call, ErrorKind, Timestamp, ToolError};

/// How much of the input's hash stands in the name of a file.
const HASH_LETTERS: usize = 12;

/// Opens a new file for a record: the one that is named, or one in a folder that is.
pub(crate) fn create(place: &Path, call: &Call) -> Result<BufWriter<File>, ToolError> {
    let path = if fs::metadata(place).is_ok_and(|found| found.is_dir()) {
        in_folder(place, call)
    } else {
        place.to_path_buf()
    };
    // What a tool was given and said is its caller's business alone; a record that is there is never lost.
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path);
    opened.map(BufWriter::new).map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists => "it is there already".to_owned(),
            _ => error.to_string(),
        };
        ToolError::new(
            ErrorKind::Io,
            format!("the record `{}` cannot be made: {why}", path.display()),
        )
    })
}

/// A name that sorts by time and says which input it is of.
fn in_folder(folder: &Path, call: &Call) -> PathBuf {
    let stamp = Timestamp::now().to_string().replace(':', "-");
    let hash = call.input().content_hash();
    folder.join(format!("{stamp}-{}.ndjson", &hash.as_str()[..HASH_LETTERS]))
}
