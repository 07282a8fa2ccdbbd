//! Whole files that somebody else may have put there.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegularFileError {
    /// The system refuses.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else than a file, which may give no end or never begin.
    #[error("is {found}, not a file")]
    NotRegular {
        /// What it is.
        found: &'static str,
    },
    /// It holds more than whoever reads it takes.
    #[error("has more than the limit of {limit_bytes} bytes")]
    TooLarge {
        /// What it takes.
        limit_bytes: u64,
    },
}

/// Reads a file whole, if it is a regular file of at most `limit_bytes`; nothing is waited for.
///
/// # Errors
/// [`RegularFileError`] names what stands there instead, the limit, or what the system says.
///
/// # Example
/// ```
/// let folder = lonis_core::read_regular_file("/".as_ref(), 100).unwrap_err();
/// assert_eq!(folder.to_string(), "is a folder, not a file");
/// ```
pub fn read_regular_file(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, RegularFileError> {
    // Without waiting: a pipe that nobody writes to would keep an opener for ever, and a terminal its reader.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    let kind = metadata.file_type();
    let found = match kind {
        _ if kind.is_file() => None,
        _ if kind.is_dir() => Some("a folder"),
        _ if kind.is_fifo() => Some("a named pipe"),
        _ if kind.is_socket() => Some("a socket"),
        _ => Some("a device"),
    };
    if let Some(found) = found {
        return Err(RegularFileError::NotRegular { found });
    }
    let too_large = RegularFileError::TooLarge { limit_bytes };
    if metadata.len() > limit_bytes {
        return Err(too_large);
    }
    let expected = usize::try_from(metadata.len()).unwrap_or_default();
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    // It may grow meanwhile, and some files of the system's have more than they say.
    file.take(limit_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(too_large);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn only_files_are_read_and_never_more_than_allowed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "12345").expect("written");
        std::os::unix::fs::symlink(path("file"), path("link")).expect("linked");
        for name in ["file", "link"] {
            assert_eq!(read_regular_file(&path(name), 5).expect(name), b"12345");
        }
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("pipe"),
            rustix::fs::FileType::Fifo,
            mode,
            0,
        )
        .expect("made");
        let _listener = UnixListener::bind(path("socket")).expect("bound");
        for (name, said) in [
            ("file", "has more than the limit of 4 bytes"),
            ("pipe", "is a named pipe, not a file"),
            (
                "absent",
                "cannot be read: No such file or directory (os error 2)",
            ),
            (
                "socket",
                "cannot be read: No such device or address (os error 6)",
            ),
        ] {
            let refused = read_regular_file(&path(name), 4).expect_err(name);
            assert_eq!(refused.to_string(), said, "{name}");
        }
        for (place, said) in [
            ("/", "is a folder, not a file"),
            ("/dev/zero", "is a device, not a file"),
            ("/proc/self/maps", "has more than the limit of 4 bytes"),
        ] {
            let refused = read_regular_file(Path::new(place), 4).expect_err(place);
            assert_eq!(refused.to_string(), said);
        }
    }
}
