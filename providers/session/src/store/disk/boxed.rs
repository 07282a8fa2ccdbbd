//! Whatever points to a disk is one.

use std::fs::File;
use std::io;

use super::{Disk, Look};

macro_rules! forward {
    ($pointer:ty) => {
        impl<D: Disk + ?Sized> Disk for $pointer {
            fn look(&self, path: &str) -> io::Result<Option<Look>> {
                (**self).look(path)
            }

            fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
                (**self).read(path, limit)
            }

            fn stand(&self, path: &str, limit: u64) -> io::Result<Option<(Look, Vec<u8>)>> {
                (**self).stand(path, limit)
            }

            fn read_range(&self, path: &str, offset: u64, length: usize) -> io::Result<Vec<u8>> {
                (**self).read_range(path, offset, length)
            }

            fn read_link(&self, path: &str) -> io::Result<Vec<u8>> {
                (**self).read_link(path)
            }

            fn list(&self, path: &str) -> io::Result<Vec<String>> {
                (**self).list(path)
            }

            fn open_lock(&self, path: &str) -> io::Result<File> {
                (**self).open_lock(path)
            }

            fn free_bytes(&self) -> Option<u64> {
                (**self).free_bytes()
            }

            fn create_file(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
                (**self).create_file(path, bytes, mode)
            }

            fn create_link(&self, path: &str, target: &[u8]) -> io::Result<()> {
                (**self).create_link(path, target)
            }

            fn create_dir(&self, path: &str) -> io::Result<()> {
                (**self).create_dir(path)
            }

            fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
                (**self).set_mode(path, mode)
            }

            fn copy_attributes(&self, from: &str, to: &str) -> io::Result<bool> {
                (**self).copy_attributes(from, to)
            }

            fn inherit_group(&self, path: &str, directory: &str) -> io::Result<()> {
                (**self).inherit_group(path, directory)
            }

            fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
                (**self).append(path, bytes)
            }

            fn cut(&self, path: &str, bytes: u64) -> io::Result<()> {
                (**self).cut(path, bytes)
            }

            fn rename(&self, from: &str, to: &str) -> io::Result<()> {
                (**self).rename(from, to)
            }

            fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
                (**self).rename_new(from, to)
            }

            fn exchange(&self, one: &str, other: &str) -> io::Result<()> {
                (**self).exchange(one, other)
            }

            fn link(&self, from: &str, to: &str) -> io::Result<()> {
                (**self).link(from, to)
            }

            fn remove_file(&self, path: &str) -> io::Result<()> {
                (**self).remove_file(path)
            }

            fn remove_dir(&self, path: &str) -> io::Result<()> {
                (**self).remove_dir(path)
            }

            fn touch(&self, path: &str) -> io::Result<()> {
                (**self).touch(path)
            }

            fn sync(&self, path: &str) -> io::Result<()> {
                (**self).sync(path)
            }

            fn sync_all(&self) -> io::Result<()> {
                (**self).sync_all()
            }
        }
    };
}

forward!(Box<D>);
forward!(&D);
#[cfg(test)]
forward!(std::rc::Rc<D>);
