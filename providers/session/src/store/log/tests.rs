use super::*;
use crate::clock::SystemClock;
use crate::event::Begun;
use crate::store::disk::RootDisk;
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

#[test]
fn every_flipped_byte_and_every_cut_is_found_but_a_torn_end() {
    let (folder, disk, session) = with_three_events();
    let file = folder.path().join(path_of(&session));
    let whole = std::fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        std::fs::write(&file, &flipped).unwrap();
        let is_end = at == whole.len() - 1;
        match Log::read(&disk, &session) {
            Err(LogError::Invalid { .. }) => {}
            // Without its line feed the last line counts as torn.
            Ok(log) if is_end => assert_eq!(log.events().len(), 2),
            other => panic!("byte {at}: {other:?}"),
        }
    }
    for length in 0..whole.len() {
        std::fs::write(&file, &whole[..length]).unwrap();
        let log = Log::read(&disk, &session).unwrap();
        assert!(log.events().len() < 3, "{length}");
        assert_eq!(
            std::fs::read(&file).unwrap(),
            &whole[..length],
            "a reader repairs nothing"
        );
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
