use super::*;
use crate::store::disk::simulated::SimulatedDisk;

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new();
    disk.create_dir("o").unwrap();
    disk
}

fn blob(text: &[u8]) -> Identity {
    Identity::of(Domain::Blob, text)
}

/// An empty object, a small one, and one that starts on a page.
fn contents() -> [Vec<u8>; 3] {
    [Vec::new(), b"small".to_vec(), vec![7; 70_000]]
}

/// A segment of these.
fn written(disk: &SimulatedDisk) -> Segment {
    let mut writer = SegmentWriter::new(disk, "o");
    for bytes in &contents() {
        writer.add(Domain::Blob, blob(bytes), bytes).unwrap();
    }
    writer.add(Domain::Blob, blob(b"small"), b"small").unwrap();
    writer.finish().unwrap().unwrap()
}

#[test]
fn objects_read_back_from_a_segment() {
    let disk = disk();
    let made = written(&disk);
    assert_eq!(made.path(), "o/1.seg");
    let segment = Segment::open(&disk, "o/1.seg").unwrap();
    assert_eq!(segment.len(), 3);
    let place = segment.find(Domain::Blob, &blob(&contents()[2])).unwrap();
    assert_eq!(place.offset % 4096, 0, "a large blob starts on a page");
    for bytes in &contents() {
        let place = segment.find(Domain::Blob, &blob(bytes)).unwrap();
        let mut read = Vec::new();
        let observed = segment.copy(&disk, Domain::Blob, place, |piece| {
            read.extend_from_slice(piece);
            Ok(())
        });
        assert_eq!(observed.unwrap(), Some(blob(bytes)));
        assert_eq!(&read, bytes);
    }
    assert_eq!(segment.find(Domain::Tree, &blob(b"small")), None);
    assert!(segment.verify(&disk).unwrap().is_empty());
    assert_eq!(written(&disk).path(), "o/2.seg");
    assert_eq!(disk.list("o").unwrap(), ["1.seg", "2.seg"]);
}

#[test]
fn every_byte_that_changes_and_every_cut_is_found() {
    let disk = disk();
    let path = written(&disk).path().to_owned();
    let bytes = disk.read(&path, u64::MAX).unwrap();
    // Each byte of header, small object, padding and index; of the large object every hundredth.
    let large = 4096..4096 + 70_000;
    let flips = (0..bytes.len()).filter(|at| !large.contains(at) || at % 100 == 0);
    for at in flips {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        disk.remove_file(&path).unwrap();
        disk.create_file(&path, &changed, 0o644).unwrap();
        let found = Segment::open(&disk, &path).and_then(|segment| segment.verify(&disk));
        assert!(found.is_err() || !found.unwrap().is_empty(), "byte {at}");
    }
    for length in (0..bytes.len()).rev().step_by(101).chain([0, 15, 16]) {
        disk.remove_file(&path).unwrap();
        disk.create_file(&path, &bytes[..length], 0o644).unwrap();
        assert!(Segment::open(&disk, &path).is_err(), "length {length}");
    }
}

#[test]
fn a_stream_that_fails_leaves_nothing_in_the_segment() {
    let disk = disk();
    let mut writer = SegmentWriter::new(&disk, "o");
    writer.add(Domain::Blob, blob(b"first"), b"first").unwrap();
    let mut pieces = 0;
    let failed = writer.add_stream(
        |buffer| {
            pieces += 1;
            if pieces == 3 {
                return Err(std::io::Error::other("changed"));
            }
            buffer.fill(9);
            Ok(buffer.len())
        },
        |_| true,
    );
    assert!(failed.unwrap().is_err());
    let mut left = 3_usize;
    let (identity, bytes) = writer
        .add_stream(
            |buffer| {
                left = left.saturating_sub(1);
                let length = if left == 0 { 0 } else { buffer.len() };
                buffer[..length].fill(8);
                Ok(length)
            },
            |_| true,
        )
        .unwrap()
        .unwrap();
    assert_eq!(bytes, 2 * 1024 * 1024);
    let mut once = [5_u8].iter();
    let taken_back = writer.add_stream(
        |buffer| {
            Ok(once.next().map_or(0, |byte| {
                buffer[0] = *byte;
                1
            }))
        },
        |_| false,
    );
    assert_eq!(taken_back.unwrap().unwrap(), (blob(&[5]), 1));
    let segment = writer.finish().unwrap().unwrap();
    assert_eq!(segment.len(), 2);
    assert!(segment.find(Domain::Blob, &identity).is_some());
    assert!(segment.verify(&disk).unwrap().is_empty());
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let disk = disk();
    let mut writer = SegmentWriter::new(&disk, "o");
    let bytes = vec![1; 3 * 1024 * 1024];
    writer.add(Domain::Blob, blob(&bytes), &bytes).unwrap();
    writer.add(Domain::Blob, blob(b"x"), b"x").unwrap();
    assert_eq!(disk.list("o").unwrap(), ["new-0.tmp"]);
    drop(writer);
    assert!(disk.list("o").unwrap().is_empty());
    assert!(SegmentWriter::new(&disk, "o").finish().unwrap().is_none());
}
