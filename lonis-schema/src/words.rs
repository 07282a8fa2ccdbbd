//! Defines closed sets of words: enums that are exactly one JSON string each.

/// Declares an enum whose variants are fixed words on the wire.
///
/// A derived serde enum would also read `{"word": null}`; this one reads a string and nothing else.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every word, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Returns the word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::words::UnknownWord::new(text, Self::WORDS)),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::words::WordVisitor::new(Self::WORDS))
            }
        }
    };
}
pub(crate) use words;

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// A word that the set does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown word `{seen}`, expected one of `{}`", allowed.join("`, `"))]
pub struct UnknownWord {
    seen: String,
    allowed: &'static [&'static str],
}

impl UnknownWord {
    pub(crate) fn new(seen: &str, allowed: &'static [&'static str]) -> Self {
        Self {
            seen: seen.to_owned(),
            allowed,
        }
    }

    /// Returns the words that would have been right.
    pub fn allowed(&self) -> &'static [&'static str] {
        self.allowed
    }
}

/// Reads one word of a set from a JSON string.
pub(crate) struct WordVisitor<T> {
    allowed: &'static [&'static str],
    word: PhantomData<T>,
}

impl<T> WordVisitor<T> {
    pub(crate) fn new(allowed: &'static [&'static str]) -> Self {
        Self {
            allowed,
            word: PhantomData,
        }
    }
}

impl<T: FromStr> serde::de::Visitor<'_> for WordVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "one of `{}`", self.allowed.join("`, `"))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse()
            .map_err(|_| E::unknown_variant(text, self.allowed))
    }
}
