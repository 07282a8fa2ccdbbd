//! A disk that stops, fails or is meddled with at a chosen step.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::fs::File;
use std::io;

use super::{Disk, Look};

/// What happens at the chosen step.
pub(crate) enum Upset<'a> {
    /// Nothing, ever.
    Nothing,
    /// The process ends there: the step is not done, or done by half where it writes bytes, and nothing comes after it.
    End,
    /// The process itself is killed there; the step is not done, or done by half.
    Kill,
    /// The step fails with this error, once.
    Fail(i32),
    /// From the step on the disk is full: what needs room fails, and what only moves or removes names goes on.
    Full,
    /// Somebody else acts on the disk just before the step.
    Meddle(&'a dyn Fn(&dyn Disk)),
}

/// Another disk, upset at one step.
pub(crate) struct StoppingDisk<'a> {
    inner: Box<dyn Disk + 'a>,
    at: u64,
    upset: Upset<'a>,
    count: Cell<u64>,
    ended: Cell<bool>,
    trace: RefCell<Vec<String>>,
}

impl fmt::Debug for StoppingDisk<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_list()
            .entries(self.trace.borrow().iter())
            .finish()
    }
}

impl<'a> StoppingDisk<'a> {
    /// Upsets `inner` at the step with this number, counted from zero.
    pub(crate) fn new(inner: impl Disk + 'a, at: u64, upset: Upset<'a>) -> Self {
        Self {
            inner: Box::new(inner),
            at,
            upset,
            count: Cell::new(0),
            ended: Cell::new(false),
            trace: RefCell::new(Vec::new()),
        }
    }

    /// How many steps were asked for; looks and reads are none.
    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// The steps, in words.
    pub(crate) fn trace(&self) -> Vec<String> {
        self.trace.borrow().clone()
    }

    fn alive(&self) -> io::Result<()> {
        if self.ended.get() {
            return Err(io::Error::other("the process has ended"));
        }
        Ok(())
    }

    /// A step that needs room on the disk; `half` does a part of it.
    fn filling(
        &self,
        name: fmt::Arguments<'_>,
        half: impl FnOnce(),
        act: impl FnOnce(&dyn Disk) -> io::Result<()>,
    ) -> io::Result<()> {
        if matches!(self.upset, Upset::Full) && self.count.get() >= self.at {
            self.count.set(self.count.get() + 1);
            self.trace.borrow_mut().push(format!("full: {name}"));
            half();
            return Err(io::Error::from_raw_os_error(
                rustix::io::Errno::NOSPC.raw_os_error(),
            ));
        }
        self.step(name, half, act)
    }

    fn step(
        &self,
        name: fmt::Arguments<'_>,
        half: impl FnOnce(),
        act: impl FnOnce(&dyn Disk) -> io::Result<()>,
    ) -> io::Result<()> {
        self.alive()?;
        let number = self.count.replace(self.count.get() + 1);
        self.trace.borrow_mut().push(name.to_string());
        if number == self.at {
            match &self.upset {
                Upset::Nothing | Upset::Full => {}
                Upset::End => {
                    half();
                    self.ended.set(true);
                    return self.alive();
                }
                Upset::Kill => {
                    half();
                    let kill = rustix::process::Signal::KILL;
                    rustix::process::kill_process(rustix::process::getpid(), kill)?;
                }
                Upset::Fail(errno) => {
                    half();
                    return Err(io::Error::from_raw_os_error(*errno));
                }
                Upset::Meddle(meddle) => meddle(&*self.inner),
            }
        }
        act(&*self.inner)
    }
}

impl Disk for StoppingDisk<'_> {
    fn look(&self, path: &str) -> io::Result<Option<Look>> {
        self.alive()?;
        self.inner.look(path)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.alive()?;
        self.inner.read(path, limit)
    }

    fn read_range(&self, path: &str, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.alive()?;
        self.inner.read_range(path, offset, length)
    }

    fn read_link(&self, path: &str) -> io::Result<Vec<u8>> {
        self.alive()?;
        self.inner.read_link(path)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.alive()?;
        self.inner.list(path)
    }

    fn open_lock(&self, path: &str) -> io::Result<File> {
        self.alive()?;
        self.inner.open_lock(path)
    }

    fn free_bytes(&self) -> Option<u64> {
        self.inner.free_bytes()
    }

    fn create_file(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        let half = || {
            drop(
                self.inner
                    .create_file(path, &bytes[..bytes.len() / 2], mode),
            );
        };
        self.filling(format_args!("create {path}"), half, |disk| {
            disk.create_file(path, bytes, mode)
        })
    }

    fn create_link(&self, path: &str, target: &[u8]) -> io::Result<()> {
        self.filling(
            format_args!("symlink {path}"),
            || (),
            |disk| disk.create_link(path, target),
        )
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.filling(
            format_args!("mkdir {path}"),
            || (),
            |disk| disk.create_dir(path),
        )
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        self.step(
            format_args!("chmod {path}"),
            || (),
            |disk| disk.set_mode(path, mode),
        )
    }

    fn copy_attributes(&self, from: &str, to: &str) -> io::Result<bool> {
        self.alive()?;
        self.inner.copy_attributes(from, to)
    }

    fn inherit_group(&self, path: &str, directory: &str) -> io::Result<()> {
        self.alive()?;
        self.inner.inherit_group(path, directory)
    }

    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let half = || drop(self.inner.append(path, &bytes[..bytes.len() / 2]));
        self.filling(format_args!("append {path}"), half, |disk| {
            disk.append(path, bytes)
        })
    }

    fn cut(&self, path: &str, bytes: u64) -> io::Result<()> {
        self.step(
            format_args!("cut {path}"),
            || (),
            |disk| disk.cut(path, bytes),
        )
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.step(
            format_args!("rename {from} {to}"),
            || (),
            |disk| disk.rename(from, to),
        )
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.step(
            format_args!("rename-new {from} {to}"),
            || (),
            |disk| disk.rename_new(from, to),
        )
    }

    fn exchange(&self, one: &str, other: &str) -> io::Result<()> {
        self.step(
            format_args!("exchange {one} {other}"),
            || (),
            |disk| disk.exchange(one, other),
        )
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.filling(
            format_args!("link {from} {to}"),
            || (),
            |disk| disk.link(from, to),
        )
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.step(
            format_args!("remove {path}"),
            || (),
            |disk| disk.remove_file(path),
        )
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.step(
            format_args!("rmdir {path}"),
            || (),
            |disk| disk.remove_dir(path),
        )
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        self.alive()?;
        self.inner.touch(path)
    }

    fn sync(&self, path: &str) -> io::Result<()> {
        self.step(format_args!("sync {path}"), || (), |disk| disk.sync(path))
    }

    fn sync_all(&self) -> io::Result<()> {
        self.step(format_args!("syncfs"), || (), |disk| disk.sync_all())
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::SimulatedDisk;
    use super::*;

    fn write_two(disk: &dyn Disk) -> io::Result<()> {
        disk.create_file("a", b"full", 0o644)?;
        disk.create_file("b", b"full", 0o644)
    }

    #[test]
    fn the_chosen_step_is_upset_and_no_other() {
        let disk = SimulatedDisk::new();
        let ended = StoppingDisk::new(&disk, 1, Upset::End);
        write_two(&ended).unwrap_err();
        ended.look("a").unwrap_err();
        assert_eq!((ended.count(), ended.trace().len()), (2, 2));
        assert_eq!(disk.read("b", u64::MAX).unwrap(), b"fu");

        let disk = SimulatedDisk::new();
        let failing = StoppingDisk::new(&disk, 0, Upset::Fail(28));
        assert_eq!(write_two(&failing).unwrap_err().raw_os_error(), Some(28));
        failing.remove_file("a").unwrap();
        write_two(&failing).unwrap();

        let disk = SimulatedDisk::new();
        let meddle = |disk: &dyn Disk| disk.create_file("b", b"theirs", 0o644).unwrap();
        let meddled = StoppingDisk::new(&disk, 1, Upset::Meddle(&meddle));
        write_two(&meddled).unwrap_err();
        assert_eq!(disk.read("b", u64::MAX).unwrap(), b"theirs");
        write_two(&StoppingDisk::new(SimulatedDisk::new(), 0, Upset::Nothing)).unwrap();
    }
}
