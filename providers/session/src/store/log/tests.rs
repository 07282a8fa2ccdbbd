use super::*;
use crate::clock::SystemClock;
use crate::event::Begun;
use crate::store::disk::RootDisk;
use crate::store::disk::simulated::SimulatedDisk;
use crate::store::disk::stopping::{StoppingDisk, Upset};
use crate::store::layout;

fn begun(session: &SessionId) -> Fact {
    Fact::Begun(Begun {
        session: session.clone(),
        base: NO_EVENT,
        policy: NO_EVENT,
        obligation_set: NO_EVENT,
        files: 1,
        bytes: 2,
    })
}

fn with_three_events() -> (tempfile::TempDir, RootDisk, SessionId) {
    let folder = tempfile::tempdir().unwrap();
    let disk = RootDisk::open(folder.path()).unwrap();
    layout::prepare(&disk).unwrap();
    let session = SessionId::new("s").unwrap();
    let mut log = Log::read(&disk, &session).unwrap();
    assert!(log.events().is_empty());
    log.append(&disk, &SystemClock, None, begun(&session))
        .unwrap();
    log.append(&disk, &SystemClock, Some("c".to_owned()), Fact::Aborted {})
        .unwrap();
    log.append(&disk, &SystemClock, None, Fact::Aborted {})
        .unwrap();
    (folder, disk, session)
}

#[test]
fn events_read_back_and_the_session_is_listed() {
    let (_folder, disk, session) = with_three_events();
    let log = Log::read(&disk, &session).unwrap();
    assert_eq!(log.events().len(), 3);
    assert_eq!(log.events()[1].call.as_deref(), Some("c"));
    assert_eq!(sessions(&disk).unwrap(), [session]);
}

fn with_events(count: usize) -> (tempfile::TempDir, RootDisk, SessionId) {
    let (folder, disk, session) = with_three_events();
    let mut log = Log::read(&disk, &session).unwrap();
    for _ in log.events().len()..count {
        log.append(&disk, &SystemClock, None, Fact::Aborted {})
            .unwrap();
    }
    (folder, disk, session)
}

#[test]
fn every_flipped_byte_is_damage_also_where_it_ends_the_log() {
    let (folder, disk, session) = with_events(6);
    let file = folder.path().join(path_of(&session));
    let whole = std::fs::read(&file).unwrap();
    let last = whole.len() - 1;
    let flips = (0..last)
        .map(|at| (at, 1 << (at % 8)))
        .chain((1..=255).map(|mask| (last, mask)));
    for (at, mask) in flips {
        let mut flipped = whole.clone();
        flipped[at] ^= mask;
        std::fs::write(&file, &flipped).unwrap();
        let line = memchr::memchr_iter(b'\n', &whole[..at]).count() as u64;
        match Log::read(&disk, &session) {
            Err(LogError::Invalid { seq, .. }) => assert_eq!(seq, line, "byte {at} by {mask}"),
            other => panic!("byte {at} by {mask}: {other:?}"),
        }
    }
}

#[test]
fn every_cut_is_a_torn_end_and_one_in_the_first_line_is_damage() {
    let (folder, disk, session) = with_events(6);
    let file = folder.path().join(path_of(&session));
    let whole = std::fs::read(&file).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for length in 0..whole.len() {
        std::fs::write(&file, &whole[..length]).unwrap();
        match Log::read(&disk, &session) {
            Ok(log) if length > first => {
                let lines = memchr::memchr_iter(b'\n', &whole[..length]).count();
                assert_eq!(log.events().len(), lines, "{length}");
            }
            // A log is made whole with its first line: one without never was a log.
            Err(LogError::Invalid { seq: 0, .. }) if length <= first => {}
            other => panic!("{length}: {other:?}"),
        }
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(bytes, &whole[..length], "a reader repairs nothing");
    }
}

#[test]
fn an_append_that_failed_leaves_nothing_behind_which_the_next_one_writes() {
    let session = SessionId::new("s").unwrap();
    for first in [true, false] {
        // The upset steps are those of one append: looks and reads are none.
        for at in 0..12 {
            let disk = SimulatedDisk::new();
            layout::prepare(&disk).unwrap();
            let mut log = Log::read(&disk, &session).unwrap();
            if !first {
                log.append(&disk, &SystemClock, None, begun(&session))
                    .unwrap();
            }
            let before = log.events().len();
            let fact = || {
                if first {
                    begun(&session)
                } else {
                    Fact::Aborted {}
                }
            };
            let failing = StoppingDisk::new(&disk, at, Upset::Fail(5));
            if log.append(&failing, &SystemClock, None, fact()).is_ok() {
                continue;
            }
            let read = Log::read(&disk, &session).unwrap();
            assert_eq!(read.events().len(), before, "{:?}", failing.trace());
            log.append(&failing, &SystemClock, None, fact()).unwrap();
            let read = Log::read(&disk, &session).unwrap();
            assert_eq!(read.head(), log.head(), "{:?}", failing.trace());
            assert_eq!(read.events().len(), before + 1);
        }
    }
}

#[test]
fn the_next_writer_cuts_a_torn_line_off() {
    let (folder, disk, session) = with_three_events();
    let file = folder.path().join(path_of(&session));
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 5]).unwrap();
    let mut log = Log::read(&disk, &session).unwrap();
    log.append(&disk, &SystemClock, None, Fact::Aborted {})
        .unwrap();
    assert_eq!(Log::read(&disk, &session).unwrap().events().len(), 3);
}
