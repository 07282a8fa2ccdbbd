use std::{
    ffi::{CString, NulError, OsStr, c_char},
    os::unix::ffi::OsStrExt,
    ptr,
};

/// A list of C strings in the form that `execve` takes, built once and shared by many starts.
#[derive(Debug)]
pub struct CStrings {
    strings: Vec<CString>,
    /// One pointer for each string, then a null.
    pointers: Vec<*const c_char>,
}

// SAFETY: the pointers lead into the heap blocks of `strings`, which move with the value and are never written again.
unsafe impl Send for CStrings {}
// SAFETY: as above; nothing in here changes after `new`.
unsafe impl Sync for CStrings {}

impl CStrings {
    /// Copies the texts of a list.
    ///
    /// # Errors
    /// A text with a zero byte inside.
    pub fn new<T: AsRef<OsStr>>(texts: impl IntoIterator<Item = T>) -> Result<Self, NulError> {
        let strings = texts
            .into_iter()
            .map(|text| CString::new(text.as_ref().as_bytes()))
            .collect::<Result<Vec<_>, _>>()?;
        let pointers = strings
            .iter()
            .map(|string| string.as_ptr())
            .chain([ptr::null()])
            .collect();
        Ok(Self { strings, pointers })
    }

    /// The strings in order.
    pub fn as_slice(&self) -> &[CString] {
        &self.strings
    }

    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}
