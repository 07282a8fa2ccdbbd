//! The index of a git repository: which paths are tracked, with what mode.
//!
//! Reads versions 2 to 4 with hashes of 20 and of 32 bytes. An extension that has to be understood and is not makes the index
//! unreadable as a whole, never half read.

/// What stands in the index for a file, a link or a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexEntry {
    /// Path from the top of the repository.
    pub(super) path: Box<[u8]>,
    /// What is recorded.
    pub(super) kind: IndexKind,
    /// Whether it is left out of the working tree on purpose.
    pub(super) skip_worktree: bool,
}

/// What an index records at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexKind {
    /// A file, and whether it is executable.
    File {
        /// Whether the mode is that of a program.
        executable: bool,
    },
    /// A symbolic link.
    Link,
    /// A submodule at this commit, in hexadecimal.
    Submodule {
        /// The commit.
        commit: String,
    },
    /// A directory of which the index knows no more than that it is left out; its path ends in `/`.
    SparseDirectory,
}

/// An index that cannot be read (`session/file-set`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(super) enum IndexError {
    /// The file is cut short or is no index.
    #[error("the index is malformed at byte {offset}: {reason}")]
    Malformed {
        /// Where.
        offset: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A version that is not known.
    #[error("version {version} of the index is not known; 2 to 4 are")]
    Version {
        /// The version it names.
        version: u32,
    },
    /// An extension that has to be understood and is not.
    #[error("the index needs the extension `{signature}`, which is not known")]
    Extension {
        /// Its four letters.
        signature: String,
    },
}

const FIXED_BYTES: usize = 40;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;

/// Reads an index; entries ascend by path bytes, each path once.
///
/// # Errors
/// An index that is malformed, of an unknown version, or needs an unknown extension.
pub(super) fn parse(bytes: &[u8], hash_bytes: usize) -> Result<Vec<IndexEntry>, IndexError> {
    let mut reader = Reader { bytes, offset: 0 };
    if reader.take(4)? != b"DIRC" {
        return Err(reader.malformed("it does not begin with `DIRC`"));
    }
    let version = reader.number()?;
    if !(2..=4).contains(&version) {
        return Err(IndexError::Version { version });
    }
    let count = reader.number()? as usize;
    // An entry has at least this much, so that a wrong count asks for no memory.
    let mut entries = Vec::with_capacity(count.min(bytes.len() / (FIXED_BYTES + hash_bytes + 2)));
    let mut path = Vec::new();
    for _ in 0..count {
        let entry = reader.entry(version, hash_bytes, &mut path)?;
        match entries.last() {
            Some(IndexEntry { path, .. }) if *path > entry.path => {
                return Err(reader.malformed("its paths are not in order"));
            }
            // The sides of a conflict are one path.
            Some(IndexEntry { path, .. }) if *path == entry.path => {}
            _ => entries.push(entry),
        }
    }
    reader.extensions(hash_bytes)?;
    Ok(entries)
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn malformed(&self, reason: &'static str) -> IndexError {
        IndexError::Malformed {
            offset: self.offset,
            reason,
        }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], IndexError> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let taken = rest
            .get(..length)
            .ok_or_else(|| self.malformed("it ends too early"))?;
        self.offset += length;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, IndexError> {
        let bytes = self.take(4)?;
        Ok(bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn short(&mut self) -> Result<u16, IndexError> {
        let bytes = self.take(2)?;
        Ok(u16::from(bytes[0]) << 8 | u16::from(bytes[1]))
    }

    fn entry(
        &mut self,
        version: u32,
        hash_bytes: usize,
        path: &mut Vec<u8>,
    ) -> Result<IndexEntry, IndexError> {
        let start = self.offset;
        let fixed = self.take(FIXED_BYTES)?;
        let mode = u32::from_be_bytes([fixed[24], fixed[25], fixed[26], fixed[27]]);
        let hash = self.take(hash_bytes)?;
        let flags = self.short()?;
        let extended = if flags & EXTENDED != 0 && version >= 3 {
            self.short()?
        } else {
            0
        };
        if version == 4 {
            let strip = self.variable_number()?;
            let kept = path.len().checked_sub(strip);
            path.truncate(kept.ok_or_else(|| self.malformed("a path loses more than it has"))?);
            let rest = self.until_nul()?;
            path.extend_from_slice(rest);
        } else {
            path.clear();
            path.extend_from_slice(self.padded_path(start, flags)?);
        }
        Ok(IndexEntry {
            kind: self.kind(mode, hash)?,
            path: path.as_slice().into(),
            skip_worktree: extended & SKIP_WORKTREE != 0,
        })
    }

    fn kind(&self, mode: u32, hash: &[u8]) -> Result<IndexKind, IndexError> {
        match mode & 0o170_000 {
            0o100_000 => Ok(IndexKind::File {
                executable: mode & 0o100 != 0,
            }),
            0o120_000 => Ok(IndexKind::Link),
            0o160_000 => Ok(IndexKind::Submodule {
                commit: hexadecimal(hash),
            }),
            0o040_000 => Ok(IndexKind::SparseDirectory),
            _ => Err(self.malformed("an entry has an unknown mode")),
        }
    }

    /// A path that is padded with NULs so that the entry is a multiple of eight bytes.
    fn padded_path(&mut self, start: usize, flags: u16) -> Result<&'a [u8], IndexError> {
        let length = usize::from(flags & NAME_LENGTH);
        let path = if length < usize::from(NAME_LENGTH) {
            let path = self.take(length)?;
            self.take(1)?;
            path
        } else {
            self.until_nul()?
        };
        let used = self.offset - start;
        self.take(used.next_multiple_of(8) - used)?;
        Ok(path)
    }

    fn until_nul(&mut self) -> Result<&'a [u8], IndexError> {
        let rest = &self.bytes[self.offset..];
        let length = rest
            .iter()
            .position(|byte| *byte == 0)
            .ok_or_else(|| self.malformed("a path has no end"))?;
        self.offset += length + 1;
        Ok(&rest[..length])
    }

    /// Seven bits a byte, the highest first, each continuation counting from one.
    fn variable_number(&mut self) -> Result<usize, IndexError> {
        let mut number = 0_usize;
        loop {
            let byte = self.take(1)?[0];
            number = number
                .checked_shl(7)
                .and_then(|number| number.checked_add(usize::from(byte & 0x7f)))
                .filter(|number| *number < usize::MAX >> 8)
                .ok_or_else(|| self.malformed("a number is too large"))?;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            number += 1;
        }
    }

    fn extensions(&mut self, hash_bytes: usize) -> Result<(), IndexError> {
        let end = self
            .bytes
            .len()
            .checked_sub(hash_bytes)
            .filter(|end| *end >= self.offset)
            .ok_or_else(|| self.malformed("its checksum is missing"))?;
        while self.offset < end {
            let signature = self.take(4)?;
            let length = self.number()? as usize;
            // Sparse directories are entries of their own kind here; a capital letter begins what may be skipped.
            if signature != b"sdir" && !signature[0].is_ascii_uppercase() {
                return Err(IndexError::Extension {
                    signature: String::from_utf8_lossy(signature)
                        .escape_default()
                        .to_string(),
                });
            }
            self.take(length)?;
        }
        if self.offset == end {
            Ok(())
        } else {
            Err(self.malformed("an extension runs into its checksum"))
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xf])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of version 2 with one file.
    fn index() -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        let mut fixed = [0; FIXED_BYTES];
        fixed[24..28].copy_from_slice(&0o100_755_u32.to_be_bytes());
        bytes.extend(fixed);
        bytes.extend([0; 20]);
        bytes.extend([0, 3]);
        bytes.extend(b"a/b\0\0\0\0\0\0\0");
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn an_index_that_is_cut_or_not_understood_is_refused_whole() {
        let bytes = index();
        let entries = parse(&bytes, 20).unwrap();
        assert_eq!(&*entries[0].path, b"a/b");
        assert_eq!(entries[0].kind, IndexKind::File { executable: true });
        for length in 0..bytes.len() {
            assert!(parse(&bytes[..length], 20).is_err(), "{length}");
        }
        let with = |extension: &[u8]| {
            let mut bytes = bytes.clone();
            let end = bytes.len() - 20;
            bytes.splice(end..end, extension.iter().copied());
            parse(&bytes, 20)
        };
        assert!(with(b"TREE\0\0\0\x01x").is_ok());
        assert_eq!(
            with(b"link\0\0\0\x01x"),
            Err(IndexError::Extension {
                signature: "link".to_owned()
            })
        );
        assert!(with(b"TREE\xff\xff\xff\xffx").is_err());
        let mut newer = bytes.clone();
        newer[7] = 5;
        assert_eq!(parse(&newer, 20), Err(IndexError::Version { version: 5 }));
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let bytes = index();
        for at in 0..bytes.len() {
            for value in [0, 1, 4, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                for hash_bytes in [20, 32] {
                    // Either answer is right, as long as there is one.
                    let _ = parse(&changed, hash_bytes);
                }
            }
        }
    }
}
