//! Reading the files that the stat cache does not know, on all cores, and storing what is new.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use rustix::io::Errno;

use super::{CaptureError, Target};
use crate::beneath::{self, Stat};
use crate::file_set::Member;
use crate::identity::{Domain, Identity, IdentityHasher};
use crate::snapshot::live::LiveTree;
use crate::snapshot::stat_cache::same;
use crate::store::disk::Kind;
use crate::store::segment::{SegmentWriter, WriteError};
use crate::store::stored::StoredObjects;

/// How often a file that changes under the reader is read.
pub(super) const ATTEMPTS: u32 = 3;

/// Files up to this length are held whole on their way into the store; longer ones are streamed.
const WHOLE_BYTES: u64 = 1024 * 1024;

/// How many files wait between readers and the writer; with the above it bounds the memory.
const WAITING_FILES: usize = 16;

/// How much of a streamed file is held.
const CHUNK_BYTES: usize = 256 * 1024;

/// What reading a file gave.
enum Content {
    /// It is not there any more.
    Gone,
    Hashed {
        stat: Stat,
        blob: Identity,
    },
    /// It is to be streamed into the store.
    Large,
}

/// What reading a file gave, and its bytes where they are to be stored.
type Reading = (Content, Option<Vec<u8>>);

/// Reads what has no identity yet; gives how many files were read.
pub(super) fn unknown(
    live: &LiveTree,
    members: &mut [(Member, Option<Identity>)],
    max_file_bytes: u64,
    target: Target<'_, '_>,
) -> Result<usize, CaptureError> {
    let todo: Vec<usize> = (0..members.len())
        .filter(|at| members[*at].1.is_none())
        .collect();
    if todo.is_empty() {
        return Ok(0);
    }
    let reader = Reader {
        live,
        max_file_bytes,
        keep: target.is_some(),
    };
    let mut sink = Sink { target };
    let mut large = Vec::new();
    let results = read_all(&reader, members, &todo, |content, bytes| {
        sink.store(content, bytes)
    })?;
    for (at, content) in results {
        match content {
            Content::Gone => {}
            Content::Large => large.push(at),
            Content::Hashed { stat, blob } => settle(&mut members[at], stat, blob),
        }
    }
    for at in large {
        if let Some((stat, blob)) = sink.stream(&reader, &members[at].0)? {
            settle(&mut members[at], stat, blob);
        }
    }
    Ok(todo.len())
}

/// Keeps what was read; the execute bit is that of the file as it was read, unless the index decides.
fn settle((member, known): &mut (Member, Option<Identity>), stat: Stat, blob: Identity) {
    if stat.mode != member.stat.mode && member.executable == (member.stat.mode & 0o100 != 0) {
        member.executable = stat.mode & 0o100 != 0;
    }
    member.stat = stat;
    *known = Some(blob);
}

struct Reader<'a> {
    live: &'a LiveTree,
    max_file_bytes: u64,
    /// Whether bytes are to be stored.
    keep: bool,
}

impl Reader<'_> {
    /// Reads a file or a link between two looks that agree.
    fn read(&self, member: &Member, buffer: &mut Vec<u8>) -> Result<Reading, CaptureError> {
        for _ in 0..ATTEMPTS {
            let read = match member.stat.kind {
                Kind::Link => self.link(member),
                _ => self.file(member, buffer),
            };
            match read {
                Ok(Some(reading)) => return Ok(reading),
                Err(Errno::NOENT) => return Ok((Content::Gone, None)),
                // It changed, or something else stands there now or in the way.
                Ok(None)
                | Err(Errno::LOOP | Errno::NOTDIR | Errno::INVAL | Errno::NXIO | Errno::XDEV) => {}
                Err(errno) => {
                    return Err(CaptureError::Read {
                        path: member.path.clone(),
                        source: errno.into(),
                    });
                }
            }
        }
        Err(CaptureError::Unstable {
            path: member.path.clone(),
        })
    }

    /// `None` where the file changed meanwhile.
    fn file(&self, member: &Member, buffer: &mut Vec<u8>) -> rustix::io::Result<Option<Reading>> {
        let (mut file, before) = beneath::open_path(self.live.root(), member.path.as_str())?;
        if before.bytes > self.max_file_bytes {
            return Ok(None);
        }
        let whole = before.bytes <= WHOLE_BYTES;
        if self.keep && !whole {
            return Ok(Some((Content::Large, None)));
        }
        let mut hasher = IdentityHasher::new(Domain::Blob);
        let mut bytes = 0_u64;
        buffer.resize(CHUNK_BYTES, 0);
        let mut kept = Vec::new();
        if self.keep {
            kept.reserve_exact(usize::try_from(before.bytes).unwrap_or(0));
        }
        while let length @ 1.. = read_some(&mut file, buffer)? {
            hasher.update(&buffer[..length]);
            bytes += length as u64;
            if bytes > before.bytes {
                return Ok(None);
            }
            if self.keep {
                kept.extend_from_slice(&buffer[..length]);
            }
        }
        let after = beneath::stat_open(&file)?;
        if bytes != before.bytes || !same(&before, &after) {
            return Ok(None);
        }
        let content = Content::Hashed {
            stat: before,
            blob: hasher.finish(),
        };
        Ok(Some((content, self.keep.then_some(kept))))
    }

    fn link(&self, member: &Member) -> rustix::io::Result<Option<Reading>> {
        let path = member.path.as_str();
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let directory = beneath::open_directory(self.live.root(), parent)?;
        let before = beneath::stat_at(directory.as_fd(), name.as_bytes())?;
        let text = beneath::link_text(directory.as_fd(), name.as_bytes())?;
        let after = beneath::stat_at(directory.as_fd(), name.as_bytes())?;
        if !same(&before, &after) || text.len() as u64 != before.bytes {
            return Ok(None);
        }
        let content = Content::Hashed {
            stat: before,
            blob: Identity::of(Domain::Blob, &text),
        };
        Ok(Some((content, self.keep.then_some(text))))
    }
}

fn read_some(file: &mut File, buffer: &mut [u8]) -> rustix::io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            Ok(length) => return Ok(length),
        }
    }
}

/// Reads all of `todo` on all cores; `take` gets the bytes of each in the calling thread.
fn read_all(
    reader: &Reader<'_>,
    members: &[(Member, Option<Identity>)],
    todo: &[usize],
    mut take: impl FnMut(&Content, Option<Vec<u8>>) -> Result<(), WriteError>,
) -> Result<Vec<(usize, Content)>, CaptureError> {
    let next = AtomicUsize::new(0);
    let mut results = Vec::with_capacity(todo.len());
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(todo.len());
    let (sender, receiver) = mpsc::sync_channel(WAITING_FILES);
    // The scope joins the readers: they end when no file is left, or when the receiver is gone after an error.
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads {
            let (next, sender) = (&next, sender.clone());
            let read = move || read_some_of(reader, members, todo, next, &sender);
            // Where the system makes no more threads, those that there are read all.
            started += usize::from(thread::Builder::new().spawn_scoped(scope, read).is_ok());
        }
        drop(sender);
        if started == 0 {
            let mut buffer = Vec::new();
            for at in todo {
                let (content, bytes) = reader.read(&members[*at].0, &mut buffer)?;
                take(&content, bytes)?;
                results.push((*at, content));
            }
            return Ok(results);
        }
        let receiver = receiver;
        for (at, reading) in &receiver {
            let (content, bytes) = reading?;
            take(&content, bytes)?;
            results.push((at, content));
        }
        Ok(results)
    })
}

fn read_some_of(
    reader: &Reader<'_>,
    members: &[(Member, Option<Identity>)],
    todo: &[usize],
    next: &AtomicUsize,
    sender: &SyncSender<(usize, Result<Reading, CaptureError>)>,
) {
    let mut buffer = Vec::new();
    while let Some(at) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
        let reading = reader.read(&members[*at].0, &mut buffer);
        if sender.send((*at, reading)).is_err() {
            return;
        }
    }
}

/// Where content goes.
struct Sink<'s, 'd> {
    target: Target<'s, 'd>,
}

impl Sink<'_, '_> {
    fn store(&mut self, content: &Content, bytes: Option<Vec<u8>>) -> Result<(), WriteError> {
        if let (Some((store, writer)), Content::Hashed { blob, .. }, Some(bytes)) =
            (&mut self.target, content, bytes)
            && !writer.holds(Domain::Blob, blob)
            && !store.equals(Domain::Blob, blob, &bytes)
        {
            writer.add(Domain::Blob, *blob, &bytes)?;
        }
        Ok(())
    }

    /// Streams a large file into the store between two looks that agree; `None` where it is gone.
    fn stream(
        &mut self,
        reader: &Reader<'_>,
        member: &Member,
    ) -> Result<Option<(Stat, Identity)>, CaptureError> {
        let Some((store, writer)) = &mut self.target else {
            return Ok(None);
        };
        for _ in 0..ATTEMPTS {
            let opened = beneath::open_path(reader.live.root(), member.path.as_str());
            let (file, before) = match opened {
                Ok(opened) => opened,
                Err(Errno::NOENT) => return Ok(None),
                Err(_) => continue,
            };
            if before.bytes > reader.max_file_bytes {
                continue;
            }
            match stream_once(store, writer, file, &before)? {
                Ok(blob) => return Ok(Some((before, blob))),
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
                Err(source) => {
                    let path = member.path.clone();
                    return Err(CaptureError::Read { path, source });
                }
            }
        }
        Err(CaptureError::Unstable {
            path: member.path.clone(),
        })
    }
}

fn stream_once(
    store: &StoredObjects<'_>,
    writer: &mut SegmentWriter<'_>,
    mut file: File,
    before: &Stat,
) -> Result<io::Result<Identity>, WriteError> {
    let mut bytes = 0_u64;
    let streamed = writer.add_stream(
        |buffer| {
            let length = read_some(&mut file, buffer)?;
            bytes += length as u64;
            let ended = length == 0;
            let changed = bytes > before.bytes
                || ended && (bytes < before.bytes || !same(before, &beneath::stat_open(&file)?));
            if changed {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            Ok(length)
        },
        |blob| !store.is_whole(Domain::Blob, blob),
    )?;
    Ok(streamed.map(|(blob, _)| blob))
}
