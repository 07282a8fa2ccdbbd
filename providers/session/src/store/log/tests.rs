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

/// What somebody else does to the file of a log.
type Meddle = fn(&std::path::Path);

const MEDDLES: [Meddle; 6] = [
    |file| {
        let mut bytes = std::fs::read(file).unwrap();
        bytes.extend_from_slice(b"garbage\n");
        std::fs::write(file, bytes).unwrap();
    },
    |file| {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, &bytes[..bytes.len() - 9]).unwrap();
    },
    |file| {
        let mut bytes = std::fs::read(file).unwrap();
        bytes[3] ^= 1;
        std::fs::write(file, bytes).unwrap();
    },
    |file| std::fs::write(file, b"").unwrap(),
    |file| std::fs::remove_file(file).unwrap(),
    |file| {
        std::fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink("elsewhere", file).unwrap();
    },
];

#[test]
fn a_log_that_was_changed_meanwhile_is_put_back_and_nothing_is_added() {
    for (case, meddle) in MEDDLES.iter().enumerate() {
        let (folder, disk, session) = with_three_events();
        let file = folder.path().join(path_of(&session));
        let whole = std::fs::read(&file).unwrap();
        let mut log = Log::read(&disk, &session).unwrap();
        meddle(&file);
        let refused = log.append(&disk, &SystemClock, None, Fact::Aborted {});
        assert!(
            matches!(refused, Err(LogError::Changed { events: 3, .. })),
            "{case}: {refused:?}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), whole, "{case}");
        log.append(&disk, &SystemClock, None, Fact::Aborted {})
            .unwrap();
        assert_eq!(Log::read(&disk, &session).unwrap().events().len(), 4);
    }
}

#[test]
fn a_file_that_is_no_log_is_not_read_to_its_end() {
    let (folder, disk, session) = with_three_events();
    let file = folder.path().join(path_of(&session));
    let open = std::fs::OpenOptions::new().append(true).open(&file);
    open.unwrap().set_len(1 << 40).unwrap();
    match Log::read(&disk, &session) {
        Err(LogError::Invalid { seq: 3, rule, .. }) => assert_eq!(rule, LONG),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_log_is_repaired_where_its_lines_lead_to_the_event_that_is_known() {
    let (folder, disk, session) = with_three_events();
    let file = folder.path().join(path_of(&session));
    let whole = std::fs::read(&file).unwrap();
    let head = Log::read(&disk, &session).unwrap().head();
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mixed = [&whole[..second], b"no line\n", &whole[second..]].concat();
    for damaged in [
        [&whole[..], b"garbage\n"].concat(),
        [&whole[..], b"garbage\nof two lines\nand a half"].concat(),
        [&whole[..], &vec![0; MAX_LINE_BYTES + 1]].concat(),
        mixed,
    ] {
        std::fs::write(&file, &damaged).unwrap();
        assert!(Log::read(&disk, &session).is_err());
        let repaired = Log::repair(&disk, &session, head).unwrap().unwrap();
        assert_eq!(repaired.events().len(), 3);
        assert_eq!(std::fs::read(&file).unwrap(), whole);
        assert_eq!(Log::read(&disk, &session).unwrap().head(), head);
    }
    let kept = std::fs::read_dir(folder.path().join(QUARANTINE)).unwrap();
    assert_eq!(kept.count(), 4, "what stood there is kept");
    // An event that is known and not there is lost: nothing is made up, and nothing more is taken away.
    let short = [&whole[..second], b"garbage\n"].concat();
    std::fs::write(&file, &short).unwrap();
    assert!(Log::repair(&disk, &session, head).unwrap().is_none());
    assert_eq!(std::fs::read(&file).unwrap(), short);
    std::fs::write(&file, &whole).unwrap();
    assert!(Log::repair(&disk, &session, head).unwrap().is_none());
}
