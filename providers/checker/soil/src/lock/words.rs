//! The words of closed lists.

use super::{Assurance, Author, LoweringProvenance, Termination};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $word:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        word_texts! { $name { $($variant $word),* } }
    )*};
}

macro_rules! word_texts {
    ($name:ident { $($variant:ident $word:literal),* $(,)? }) => {
        impl $name {
            /// Gives the word that stands in a lock.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Gives what a word means.
            pub fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// What sort of test it is.
    Tier {
        /// A case with its expected value.
        Expect "expect",
        /// A property over generated values.
        Property "property",
        /// A shell session.
        Cram "cram",
        /// A clause of the spec.
        Contract "contract",
        /// A comparison with a reference.
        Differential "differential",
        /// A proof.
        Proof "proof",
    }

    /// Whether a test ran with fakes or in the world.
    Mode {
        /// With fakes.
        Sandboxed "sandboxed",
        /// In the world.
        Real "real",
    }

    /// Where a test comes from.
    Origin {
        /// It stands in the spec.
        Spec "spec",
        /// It was made from a clause or a reference.
        Derived "derived",
    }

    /// What came out of a test.
    TestResult {
        /// It passed.
        Pass "pass",
        /// It failed.
        Fail "fail",
        /// It failed, as it has to.
        Xfail "xfail",
        /// It passed and had to fail.
        Xpass "xpass",
    }
}

word_texts! { Author { Human "human", Agent "agent" } }
word_texts! { LoweringProvenance {
    Agent "agent", HumanVerified "human-verified", HandEdited "hand-edited", PreludeFork "prelude-fork",
} }
word_texts! { Termination { Verified "verified", Unverified "unverified", NotApplicable "n/a" } }
word_texts! { Assurance { Proven "proven", Runtime "runtime", Trusted "trusted" } }
