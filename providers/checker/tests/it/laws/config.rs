//! Laws of reading `soil.toml`.

use soil::config;
use soil::source::FileId;

/// Checks the laws on any text.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let file = FileId::new(0);
    let (_, found) = config::read(file, bytes);
    for one in found.iter() {
        let Some(span) = one.span else { continue };
        assert!(span.start <= span.end, "{one:?}");
        assert!(span.end as usize <= bytes.len(), "{one:?}");
    }
    let (_, again) = config::read(file, bytes);
    assert_eq!(format!("{found:?}"), format!("{again:?}"));
}
