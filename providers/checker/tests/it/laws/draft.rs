//! Laws of reading drafts.

use soil::print;
use soil::source::FileId;
use soil::syntax::{FileShape, Names, parse};

/// Checks the laws on any text.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let shape = FileShape::Public { stem: "f" };
    let mut names = Names::new();
    let parsed = parse(FileId::new(0), bytes, shape, &mut names);
    for found in parsed.diagnostics.iter() {
        let places = found.notes.iter().map(|note| note.span);
        for span in places.chain([found.span]).flatten() {
            assert!(span.start <= span.end, "{found:?}");
            assert!(span.end as usize <= bytes.len(), "{found:?}");
        }
    }
    if !parsed.diagnostics.is_empty() {
        return;
    }
    // What is stored is what every later call reads.
    let printed = print::file(&parsed.tree, &names);
    let mut names = Names::new();
    let again = parse(FileId::new(0), printed.as_bytes(), shape, &mut names);
    assert!(again.diagnostics.is_empty(), "{printed}");
    assert!(!again.has_comments, "{printed}");
    assert_eq!(print::file(&again.tree, &names), printed);
}
