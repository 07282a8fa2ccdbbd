//! Interned names: equal texts have equal ids.

use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::ops::Index;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The id of one text in a [`Names`]: an identifier, a type name, or the text of a literal.
///
/// Two names of one table are equal exactly when their texts are. There is no order: the ids follow the order of first
/// use, which a document must not show. Sort by text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name(NonZeroU32);

impl Name {
    const fn from_index(index: u32) -> Self {
        match NonZeroU32::new(index + 1) {
            Some(id) => Self(id),
            None => panic!("fewer than 2^32 names fit in memory"),
        }
    }

    /// Gives the position in its table, dense from 0, as an index of side tables.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The table of all names of one run.
///
/// Begins with the [`known`] names, so that phases compare with constants. The texts stand behind one another in one
/// buffer; the hash order is never seen.
#[derive(Clone)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// Makes a table that holds the [`known`] names.
    pub fn new() -> Self {
        let mut names = Self {
            text: String::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        };
        for text in known::TEXTS {
            names.intern(text);
        }
        names
    }

    /// Gives the name of a text, which is added when it is new.
    ///
    /// # Panics
    /// Past 2^32 names, which no address space holds.
    pub fn intern(&mut self, text: &str) -> Name {
        let hash = self.hasher.hash_one(text);
        if let Some(index) = self.find(hash, text) {
            return Name::from_index(index);
        }
        let index = u32::try_from(self.ends.len()).expect("fewer than 2^32 names fit in memory");
        self.text.push_str(text);
        self.ends.push(self.text.len());
        let Self {
            text,
            ends,
            table,
            hasher,
        } = self;
        table.insert_unique(hash, index, |other| {
            hasher.hash_one(slice(text, ends, *other as usize))
        });
        Name::from_index(index)
    }

    /// Gives the name of a text that is already in the table.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.find(self.hasher.hash_one(text), text)
            .map(Name::from_index)
    }

    /// Counts the names; every [`Name::index`] is below it.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Says whether no name is held, which never is so.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn find(&self, hash: u64, text: &str) -> Option<u32> {
        let found = self.table.find(hash, |index| {
            slice(&self.text, &self.ends, *index as usize) == text
        });
        found.copied()
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], index: usize) -> &'a str {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &text[start..ends[index]]
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Names")
            .field("len", &self.ends.len())
            .finish_non_exhaustive()
    }
}

/// Gives the text of a name.
///
/// # Panics
/// When the name is of another table that has more names than this one.
impl Index<Name> for Names {
    type Output = str;

    fn index(&self, name: Name) -> &str {
        slice(&self.text, &self.ends, name.index())
    }
}

macro_rules! known {
    ($($constant:ident $text:literal),* $(,)?) => {
        /// Names that every table holds, at the same places.
        pub mod known {
            use super::Name;

            #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the variants only number the constants")]
            enum Position { $($constant),* }

            $(#[doc = concat!("The name `", $text, "`.")]
            pub const $constant: Name = Name::from_index(Position::$constant as u32);)*

            pub(super) const TEXTS: &[&str] = &[$($text),*];
        }
    };
}

known! {
    // Stands where a name did not read.
    ERROR "",
    // Effects, and words that have a meaning only in their place.
    DIV "div", PANIC "panic", IO "io", FFI "ffi",
    IS "is", IMPLIES "implies", FORALL "forall", WHERE "where", TYPE "type", OPAQUE "opaque", IGNORED "ignored",
    RESULT "result", SELF "self", PRELUDE "prelude",
    // Built-in types.
    I64 "I64", U64 "U64", I32 "I32", U32 "U32", I16 "I16", U16 "U16", I8 "I8", U8 "U8", BIG_INT "BigInt", F64 "F64",
    UTF8 "Utf8", BYTES "Bytes", UNIT "Unit", LIST "List", MAP "Map",
    // Kernel types with their constructors and fields.
    BOOL "Bool", TRUE "True", FALSE "False",
    OPTION "Option", NONE "None", SOME "Some",
    RESULT_TYPE "Result", OK "Ok", ERR "Err",
    PATH "Path", FS_ERROR "FsError", NOT_FOUND "NotFound", READ_FAILED "ReadFailed", NOT_UTF8 "NotUtf8",
    UTF8_ERROR "Utf8Error", INVALID_UTF8 "InvalidUtf8", PATH_FIELD "path", MESSAGE_FIELD "message", AT_FIELD "at",
    WORLD "World", FS "Fs", NET "Net", CLOCK "Clock", ENV "Env", PROC "Proc", RAND "Rand", PY "Py",
    // Derived and numeric operations, `T::op`. Modulo's and division's own names: `div` is the effect's.
    EQ "eq", COMPARE "compare", SHOW "show", HASH "hash", ADD "add", SUB "sub", MUL "mul", MOD "mod", NEG "neg",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_names() {
        let mut names = Names::new();
        let first = names.intern("speed");
        assert_eq!(names.intern("speed"), first);
        assert_ne!(names.intern("speed_"), first);
        assert_eq!(&names[first], "speed");
        assert_eq!(names.get("speed"), Some(first));
        assert_eq!(names.get("absent"), None);
        let empty = names.intern("");
        assert_eq!(&names[empty], "");
    }

    #[test]
    fn known_names_stand_at_their_constants() {
        let mut names = Names::new();
        assert_eq!(names.len(), known::TEXTS.len(), "no text twice");
        assert_eq!(names.intern("div"), known::DIV);
        assert_eq!(names.intern("neg"), known::NEG);
        assert_eq!(&names[known::UTF8_ERROR], "Utf8Error");
    }
}
