//! Laws of reading specs, and of writing answers into them.

use soil::source::FileId;
use soil::spec::{self, Content, Location, ReadSpec, with_clarification, with_decision};
use soil::syntax::Names;

/// A place for each kind of file.
const PATHS: [&str; 3] = ["m/f.tr", "m/_module.tr", "_project.tr"];

/// Checks the laws on any text, and gives the number of kinds of file that it is good for.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) -> usize {
    let mut good = 0;
    for path in PATHS {
        let found = read(path, bytes);
        for one in found.diagnostics.iter() {
            let Some(span) = one.span else { continue };
            assert!(span.start <= span.end, "{one:?}");
            assert!(span.end as usize <= bytes.len(), "{one:?}");
        }
        let again = read(path, bytes);
        assert_eq!(
            format!("{:?}", found.diagnostics),
            format!("{:?}", again.diagnostics)
        );
        if found.diagnostics.is_empty() {
            answered(path, bytes, &found);
            good += 1;
        }
    }
    good
}

fn read(path: &str, bytes: &[u8]) -> ReadSpec {
    let location = Location::of_path(path, "root");
    spec::read(FileId::new(0), bytes, location, &mut Names::new())
}

/// An answer that is written into what reads leaves what reads, and only its own part changes.
fn answered(path: &str, bytes: &[u8], found: &ReadSpec) {
    let text = std::str::from_utf8(bytes).expect("what reads is a text");
    let container = found.container.as_ref().expect("it reads");
    let spec = found.spec.as_ref().expect("it reads");
    let clarified = with_clarification(text, "Which?\n\nThis?", "That.\nAlways.");
    let clarified = clarified.expect("both stay inside their items");
    let again = read(path, clarified.as_bytes());
    assert!(again.diagnostics.is_empty(), "{clarified}");
    let hashes = again.spec.expect("it reads").hashes;
    assert_eq!(hashes.formal, spec.hashes.formal, "{clarified}");
    assert_eq!(hashes.test, spec.hashes.test, "{clarified}");
    assert_ne!(hashes.prose, spec.hashes.prose, "{clarified}");
    let (Content::Module { decisions, .. } | Content::Project { decisions }) = &spec.content else {
        return;
    };
    let label = "a-label-that-is-free";
    if decisions.iter().any(|one| one.label.value == label) {
        return;
    }
    let Ok(decided) = with_decision(text, container, label, "This way.", &[]) else {
        return;
    };
    let again = read(path, decided.as_bytes());
    assert!(again.diagnostics.is_empty(), "{decided}");
    let (Content::Module { decisions: now, .. } | Content::Project { decisions: now }) =
        again.spec.expect("it reads").content
    else {
        panic!("it is of another kind: {decided}");
    };
    let labels = now.iter().map(|one| one.label.value.as_str());
    let before = decisions.iter().map(|one| one.label.value.as_str());
    assert!(labels.eq(before.chain([label])), "{decided}");
}
