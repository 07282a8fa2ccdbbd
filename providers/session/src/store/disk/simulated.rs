//! A disk in memory that knows what is durable, and every state that a loss of power may leave.
//!
//! Each step adds effects: the bytes or the mode of a file, or one change of directory entries (a rename is one change). A
//! sync makes the effects durable that it covers. After a crash all durable effects are there, and any subset of the others.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use super::{Disk, Kind, Look, parent_of};

/// The root's number.
const ROOT: usize = 0;

/// A disk in memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct SimulatedDisk {
    state: RefCell<State>,
    /// What stood when the trace began, all of it durable.
    start: Model,
    /// Whether two paths can be exchanged.
    no_exchange: bool,
    /// Whether everything can be synced at once.
    no_sync_all: bool,
}

#[derive(Debug, Default, Clone)]
struct State {
    model: Model,
    effects: Vec<(Effect, bool)>,
}

/// Files by number, and what stands in each directory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Model(Vec<Node>);

impl Default for Model {
    fn default() -> Self {
        Self(vec![Node::directory()])
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    kind: Kind,
    mode: u32,
    bytes: Vec<u8>,
    entries: BTreeMap<String, usize>,
}

impl Node {
    fn directory() -> Self {
        Self::new(Kind::Directory, 0o755)
    }

    fn new(kind: Kind, mode: u32) -> Self {
        Self {
            kind,
            mode,
            bytes: Vec::new(),
            entries: BTreeMap::new(),
        }
    }
}

#[derive(Debug, Clone)]
enum Effect {
    /// A file now has these bytes.
    Bytes(usize, Vec<u8>),
    /// A file now has this mode.
    Mode(usize, u32),
    /// These names of directories now stand for these files, or for none; all of it or nothing.
    Entries(Vec<(usize, String, Option<usize>)>),
}

impl Effect {
    fn apply(&self, model: &mut Model) {
        match self {
            Self::Bytes(file, bytes) => model.0[*file].bytes.clone_from(bytes),
            Self::Mode(file, mode) => model.0[*file].mode = *mode,
            Self::Entries(changes) => {
                for (directory, name, file) in changes {
                    let entries = &mut model.0[*directory].entries;
                    match file {
                        Some(file) => entries.insert(name.clone(), *file),
                        None => entries.remove(name),
                    };
                }
            }
        }
    }

    fn concerns(&self, file: usize) -> bool {
        match self {
            Self::Bytes(other, _) | Self::Mode(other, _) => *other == file,
            Self::Entries(changes) => changes.iter().any(|(directory, ..)| *directory == file),
        }
    }
}

impl Model {
    fn find(&self, path: &str) -> io::Result<Option<usize>> {
        let mut at = ROOT;
        for (index, segment) in path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .enumerate()
        {
            match self.0[at].kind {
                Kind::Directory => {}
                Kind::Link if index > 0 => return Err(io::Error::other("a link on the way")),
                _ => return Ok(None),
            }
            match self.0[at].entries.get(segment) {
                Some(next) => at = *next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn need(&self, path: &str) -> io::Result<usize> {
        self.find(path)?
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn place(&self, path: &str) -> io::Result<(usize, String)> {
        let parent = parent_of(path);
        let directory = self.need(parent)?;
        if self.0[directory].kind != Kind::Directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Ok((directory, name.to_owned()))
    }

    fn free_place(&self, path: &str) -> io::Result<(usize, String)> {
        let place = self.place(path)?;
        if self.0[place.0].entries.contains_key(&place.1) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(place)
    }

    fn kind(&self, path: &str, kind: Kind) -> io::Result<usize> {
        let file = self.need(path)?;
        if self.0[file].kind == kind {
            Ok(file)
        } else {
            Err(io::Error::other(format!(
                "`{path}` is a {:?}",
                self.0[file].kind
            )))
        }
    }
}

impl SimulatedDisk {
    /// An empty disk.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// This disk, on a file system that cannot exchange two paths.
    pub(crate) fn without_exchange(mut self) -> Self {
        self.no_exchange = true;
        self
    }

    /// This disk, on a system that syncs files one by one only.
    pub(crate) fn without_sync_all(mut self) -> Self {
        self.no_sync_all = true;
        self
    }

    /// Takes everything that stands as durable, and starts the trace anew.
    pub(crate) fn settle(&mut self) {
        let state = self.state.get_mut();
        state.effects.clear();
        self.start = state.model.clone();
    }

    /// How many effects no sync covers.
    pub(crate) fn pending(&self) -> usize {
        let state = self.state.borrow();
        state.effects.iter().filter(|(_, durable)| !durable).count()
    }

    /// The disk after a loss of power that kept the pending effects whose bit is set in `kept`.
    ///
    /// With `torn`, the new bytes of a file whose bit is not set are there by half.
    pub(crate) fn after_crash(&self, kept: u64, torn: bool) -> Self {
        let state = self.state.borrow();
        let mut model = self.start.clone();
        // Files have numbers of their own, so that one whose entry is kept is there, with whatever bytes are durable.
        for node in &state.model.0[model.0.len()..] {
            model.0.push(Node::new(
                node.kind,
                if node.kind == Kind::File {
                    0o600
                } else {
                    node.mode
                },
            ));
        }
        let mut pending = 0;
        for (effect, durable) in &state.effects {
            let keep = *durable || kept >> pending & 1 == 1;
            pending += u32::from(!durable);
            match effect {
                // The text of a link is part of its directory entry's transaction.
                Effect::Bytes(file, _) if state.model.0[*file].kind == Kind::Link => {
                    effect.apply(&mut model);
                }
                effect if keep => effect.apply(&mut model),
                Effect::Bytes(file, bytes) if torn => {
                    // What stood in the file before is not written again, so that it cannot be torn.
                    let held = &model.0[*file].bytes;
                    let same = held.iter().zip(bytes).take_while(|(a, b)| a == b).count();
                    let half = same + (bytes.len() - same) / 2;
                    model.0[*file].bytes = bytes[..half].to_vec();
                }
                _ => {}
            }
        }
        Self {
            state: RefCell::new(State {
                model: model.clone(),
                effects: Vec::new(),
            }),
            start: model,
            no_exchange: self.no_exchange,
            no_sync_all: self.no_sync_all,
        }
    }

    fn act<T>(
        &self,
        act: impl FnOnce(&mut Model) -> io::Result<(Vec<Effect>, T)>,
    ) -> io::Result<T> {
        let mut state = self.state.borrow_mut();
        let (effects, value) = act(&mut state.model)?;
        for effect in effects {
            effect.apply(&mut state.model);
            state.effects.push((effect, false));
        }
        Ok(value)
    }

    fn create(&self, path: &str, node: Node, bytes: &[u8]) -> io::Result<()> {
        self.act(|model| {
            let (directory, name) = model.free_place(path)?;
            let file = model.0.len();
            let mode = node.mode;
            model.0.push(node);
            let entry = Effect::Entries(vec![(directory, name, Some(file))]);
            let bytes = Effect::Bytes(file, bytes.to_vec());
            Ok((vec![entry, Effect::Mode(file, mode), bytes], ()))
        })
    }
}

impl Disk for SimulatedDisk {
    fn look(&self, path: &str) -> io::Result<Option<Look>> {
        let model = &self.state.borrow().model;
        let Some(file) = model.find(path)? else {
            return Ok(None);
        };
        let node = &model.0[file];
        let names = model.0.iter().flat_map(|node| node.entries.values());
        Ok(Some(Look {
            kind: node.kind,
            mode: node.mode,
            bytes: node.bytes.len() as u64,
            links: names.filter(|named| **named == file).count() as u64,
        }))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let model = &self.state.borrow().model;
        let bytes = model.0[model.kind(path, Kind::File)?].bytes.clone();
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes)
    }

    fn read_range(&self, path: &str, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read(path, u64::MAX)?;
        let start = usize::try_from(offset).unwrap().min(bytes.len());
        let end = start.saturating_add(length).min(bytes.len());
        Ok(bytes[start..end].to_vec())
    }

    fn read_link(&self, path: &str) -> io::Result<Vec<u8>> {
        let model = &self.state.borrow().model;
        Ok(model.0[model.kind(path, Kind::Link)?].bytes.clone())
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let model = &self.state.borrow().model;
        let directory = model.kind(path, Kind::Directory)?;
        Ok(model.0[directory].entries.keys().cloned().collect())
    }

    fn open_lock(&self, _path: &str) -> io::Result<File> {
        // Whoever works on such a disk is alone.
        tempfile::tempfile()
    }

    fn free_bytes(&self) -> Option<u64> {
        None
    }

    fn create_file(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        self.create(path, Node::new(Kind::File, mode & !0o022), bytes)
    }

    fn create_link(&self, path: &str, target: &[u8]) -> io::Result<()> {
        self.create(path, Node::new(Kind::Link, 0o777), target)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.create(path, Node::directory(), b"")
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        self.act(|model| {
            let file = model.kind(path, Kind::File)?;
            Ok((vec![Effect::Mode(file, mode)], ()))
        })
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        // It has no clock.
        let model = &self.state.borrow().model;
        model.kind(path, Kind::File).map(|_| ())
    }

    fn copy_attributes(&self, _from: &str, _to: &str) -> io::Result<bool> {
        Ok(true)
    }

    fn inherit_group(&self, path: &str, directory: &str) -> io::Result<()> {
        let model = &self.state.borrow().model;
        model.need(path)?;
        model.kind(directory, Kind::Directory).map(|_| ())
    }

    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.act(|model| {
            let file = model.kind(path, Kind::File)?;
            let bytes = [&model.0[file].bytes, bytes].concat();
            Ok((vec![Effect::Bytes(file, bytes)], ()))
        })
    }

    fn cut(&self, path: &str, bytes: u64) -> io::Result<()> {
        self.act(|model| {
            let file = model.kind(path, Kind::File)?;
            let mut left = model.0[file].bytes.clone();
            left.resize(usize::try_from(bytes).unwrap(), 0);
            Ok((vec![Effect::Bytes(file, left)], ()))
        })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.act(|model| {
            let (file, from, to) = (model.need(from)?, model.place(from)?, model.place(to)?);
            let changes = vec![(from.0, from.1, None), (to.0, to.1, Some(file))];
            Ok((vec![Effect::Entries(changes)], ()))
        })
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.state.borrow().model.free_place(to)?;
        self.rename(from, to)
    }

    fn exchange(&self, one: &str, other: &str) -> io::Result<()> {
        if self.no_exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.act(|model| {
            let (one_file, other_file) = (model.need(one)?, model.need(other)?);
            let (one, other) = (model.place(one)?, model.place(other)?);
            let changes = vec![
                (one.0, one.1, Some(other_file)),
                (other.0, other.1, Some(one_file)),
            ];
            Ok((vec![Effect::Entries(changes)], ()))
        })
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.act(|model| {
            let (file, to) = (model.need(from)?, model.free_place(to)?);
            Ok((vec![Effect::Entries(vec![(to.0, to.1, Some(file))])], ()))
        })
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.act(|model| {
            let (file, place) = (model.need(path)?, model.place(path)?);
            if model.0[file].kind == Kind::Directory {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok((vec![Effect::Entries(vec![(place.0, place.1, None)])], ()))
        })
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.act(|model| {
            let (file, place) = (model.kind(path, Kind::Directory)?, model.place(path)?);
            if !model.0[file].entries.is_empty() {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            Ok((vec![Effect::Entries(vec![(place.0, place.1, None)])], ()))
        })
    }

    fn sync(&self, path: &str) -> io::Result<()> {
        let state = &mut *self.state.borrow_mut();
        let file = state.model.need(path)?;
        for (effect, durable) in &mut state.effects {
            *durable |= effect.concerns(file);
        }
        Ok(())
    }

    fn sync_all(&self) -> io::Result<()> {
        if self.no_sync_all {
            return Err(io::ErrorKind::Unsupported.into());
        }
        for (_, durable) in &mut self.state.borrow_mut().effects {
            *durable = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_keeps_what_was_synced_and_any_part_of_the_rest() {
        let mut disk = SimulatedDisk::new();
        disk.create_file("a", b"old", 0o644).unwrap();
        disk.settle();
        disk.create_file("t", b"news", 0o644).unwrap();
        disk.sync("t").unwrap();
        assert_eq!(
            disk.pending(),
            1,
            "the entry of a synced file is not durable"
        );
        disk.exchange("t", "a").unwrap();
        let read = |kept| {
            let crashed = disk.after_crash(kept, false);
            (
                crashed.read("a", u64::MAX).unwrap(),
                crashed.read("t", u64::MAX).ok(),
            )
        };
        assert_eq!(read(0b00), (b"old".to_vec(), None));
        assert_eq!(read(0b01), (b"old".to_vec(), Some(b"news".to_vec())));
        assert_eq!(read(0b11), (b"news".to_vec(), Some(b"old".to_vec())));
        disk.sync("").unwrap();
        assert_eq!(disk.pending(), 0);
        assert_eq!(
            disk.after_crash(0, true).read("a", u64::MAX).unwrap(),
            b"news"
        );
        disk.append("a", b" of today").unwrap();
        assert_eq!(
            disk.after_crash(0, true).read("a", u64::MAX).unwrap(),
            b"news of "
        );
        assert_eq!(
            disk.after_crash(0, false).read("a", u64::MAX).unwrap(),
            b"news"
        );
    }

    #[test]
    fn what_a_system_lacks_is_refused() {
        let disk = SimulatedDisk::new().without_exchange().without_sync_all();
        let unsupported = Some(io::ErrorKind::Unsupported);
        assert_eq!(
            disk.exchange("a", "b").err().map(|error| error.kind()),
            unsupported
        );
        assert_eq!(disk.sync_all().err().map(|error| error.kind()), unsupported);
    }
}
